/* Above each network: what it takes, whether it fits, and the largest batch that does. */
#include "lsp/method.h"
#include "lsp/markdown.h"
#include "lsp/models.h"

static void
add_lens(struct arena *a, const struct document *d, const char *network, json_t *range, json_t *list)
{
	const json_t *facts = facts_network(d, network);
	struct text title;

	text_init(&title, a);
	if (facts)
		words_lens(&title, facts);
	if (facts)
		json_array_append_new(list, json_pack("{s:O, s:{s:s, s:s, s:[s, s]}}", "range", range, "command", "title",
		    title.s, "command", "stowage.showPlan", "arguments", d->uri, network));
	json_decref(range);
}

/* Of a model, whose network stands in no text, at its beginning. */
static void
add_model_lenses(const struct server *s, struct arena *a, const struct document *d, json_t *list)
{
	const char *network;
	json_t *facts;

	json_object_foreach(json_object_get(d->facts, "networks"), network, facts)
		add_lens(a, d, network, node_range(s, d, NULL), list);
}

static struct answer
lenses(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t = document_tree(s, d);
	json_t *list = json_array();
	int i;

	(void)params;
	for (i = 0; t && s->options.lenses && i < t->file->networks.n; i++) {
		const struct network *n = t->file->networks.v[i];

		add_lens(a, d, n->name.text, loc_range(s, n->name.loc), list);
	}
	if (s->options.lenses && document_is_model(d))
		add_model_lenses(s, a, d, list);
	return answer_with(list);
}

static void
offer(const struct client *c, json_t *capabilities)
{
	(void)c;
	json_object_set_new(capabilities, "codeLensProvider", json_pack("{s:b}", "resolveProvider", 0));
}

const struct lsp_method lsp_method_code_lens = {
	.name = "textDocument/codeLens", .when = WITH_FACTS, .answer = lenses, .offer = offer, .of_models = true,
};
