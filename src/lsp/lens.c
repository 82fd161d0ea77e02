/* Above each network: what it takes, whether it fits, and the largest batch that does. */
#include "lsp/method.h"
#include "lsp/markdown.h"

static struct answer
lenses(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct tree *t = document_tree(s, d);
	json_t *list = json_array();
	int i;

	(void)params;
	for (i = 0; t && s->options.lenses && i < t->file->networks.n; i++) {
		const struct network *n = t->file->networks.v[i];
		const json_t *facts = facts_network(d, n->name.text);
		struct text title;

		if (!facts)
			continue;
		text_init(&title, a);
		words_lens(&title, facts);
		json_array_append_new(list, json_pack("{s:o, s:{s:s, s:s, s:[s, s]}}", "range",
		    loc_range(s, n->name.loc), "command", "title", title.s, "command", "stowage.showPlan",
		    "arguments", d->uri, n->name.text));
	}
	return answer_with(list);
}

static void
offer(const struct client *c, json_t *capabilities)
{
	(void)c;
	json_object_set_new(capabilities, "codeLensProvider", json_pack("{s:b}", "resolveProvider", 0));
}

const struct lsp_method lsp_method_code_lens = {
	.name = "textDocument/codeLens", .when = WITH_FACTS, .answer = lenses, .offer = offer,
};
