/* What can be done at a place: fixes of findings, comments that allow them, edits that make a
 * network fit. */
#include <string.h>

#include "cli/lint_check.h"
#include "fit/advice.h"
#include "lint/catalog.h"
#include "lsp/job.h"
#include "lsp/method.h"
#include "lsp/publish.h"
#include "lsp/refactor.h"
#include "lsp/document_tree.h"

#define MOST_EDITS	8	/* of fit's */

struct actions {
	struct server *server;
	struct document *document;
	struct arena *arena;
	struct lint_check *check;
	const json_t *only;	/* kinds that are asked for; NULL: all */
	int beg, end;
	json_t *list;
};

/* Is that kind asked for? "refactor" asks for "refactor.extract" too. */
static bool
wanted(const struct actions *x, const char *kind)
{
	size_t i;

	for (i = 0; i < json_array_size(x->only); i++) {
		const char *word = json_string_value(json_array_get(x->only, i));
		size_t n = word ? strlen(word) : 0;

		if (n && strncmp(kind, word, n) == 0 && (!kind[n] || kind[n] == '.'))
			return true;
	}
	return !x->only;
}

static json_t *
edits_json(const struct server *s, const struct edits *e)
{
	json_t *list = json_array(), *changes = json_object(), *uri = source_uri(s, e->src);
	int i;

	for (i = 0; i < e->all.n; i++)
		json_array_append_new(list, text_edit(s, e->src, e->all.v[i].beg, e->all.v[i].end,
		    e->all.v[i].text));
	json_object_set_new(changes, json_string_value(uri), list);
	json_decref(uri);
	return workspace_edit(s, changes);
}

static json_t *
add_action(struct actions *x, const char *title, const char *kind, const struct edits *e)
{
	json_t *action = json_pack("{s:s, s:s, s:o}", "title", title, "kind", kind, "edit",
	    edits_json(x->server, e));

	json_array_append_new(x->list, action);
	return action;
}

static void
cures(const struct actions *x, json_t *action, const struct diag *g, bool preferred)
{
	json_object_set_new(action, "diagnostics", json_pack("[o]", finding_json(x->server, g)));
	if (preferred)
		json_object_set_new(action, "isPreferred", json_true());
}

/* ---- findings ---- */

/* A comment above the statement that the finding is in. */
static void
add_allow(struct actions *x, const struct diag *g)
{
	const struct tree *t = document_tree(x->server, x->document);
	const struct rule *r = rule_find(g->rule);
	struct source *src = x->check->made.source;
	struct edits *e = edits_new(x->arena, src);
	struct loc at = tree_statement_at(t, g->loc.beg);
	int line = at.src ? at.beg : g->loc.beg, text;

	if (!r || !rule_has_level(r))
		return;
	while (line > 0 && src->text[line - 1] != '\n')
		line--;
	for (text = line; src->text[text] == ' ' || src->text[text] == '\t'; text++)
		;
	edits_add(e, line, line, arena_printf(x->arena, "%.*s# stowage: allow(%s) say why\n", text - line,
	    src->text + line, g->rule));
	cures(x, add_action(x, arena_printf(x->arena, "allow %s here, and say why", g->rule), "quickfix", e), g,
	    false);
}

static bool
is_here(const struct actions *x, const struct diag *g)
{
	return g->loc.src == x->check->made.source && g->loc.beg <= x->end && g->loc.end >= x->beg;
}

static void
add_explain(struct actions *x, const struct diag *g)
{
	json_t *action = json_pack("{s:o, s:s, s:{s:s, s:s, s:[s]}}", "title",
	    json_sprintf("explain %s", g->rule), "kind", "quickfix", "command", "title", "explain", "command",
	    "stowage.explain", "arguments", g->rule);

	cures(x, action, g, false);
	json_array_append_new(x->list, action);
}

static void
add_fixes(struct actions *x)
{
	const struct diags *d = &x->check->made.diags;
	int i;

	for (i = 0; i < d->all.n; i++) {
		const struct diag *g = d->all.v[i];

		if (is_here(x, g) && g->fix)
			cures(x, add_action(x, g->fix->title, "quickfix", g->fix->edits), g, g->fix->safe);
	}
	for (i = 0; i < d->all.n; i++)
		if (is_here(x, d->all.v[i])) {
			add_allow(x, d->all.v[i]);
			if (rule_find(d->all.v[i]->rule))
				add_explain(x, d->all.v[i]);
		}
}

/* All safe fixes, as `lint --fix` applies them. */
static void
add_fix_all(struct actions *x)
{
	struct fixer fixer = { x->arena, false, lint_check_again, x->check, NULL };
	struct fixed fixed = lint_fix(&fixer, &x->check->made);

	if (fixed.edits)
		add_action(x, "fix all that can be fixed safely", "source.fixAll.stowage", fixed.edits);
}

/* ---- what would make it fit ---- */

/* Is the place the network's head, or one of its findings about memory? */
static bool
asks_for_fit(const struct actions *x, const struct module *m)
{
	const struct diags *d = &x->check->made.diags;
	int i;

	if (m->loc.src == x->check->made.source && m->loc.beg <= x->end && m->loc.end >= x->beg)
		return true;
	for (i = 0; i < d->all.n; i++)
		if (is_here(x, d->all.v[i]) && strcmp(d->all.v[i]->rule, "oom") == 0)
			return true;
	return false;
}

static void
add_fit(struct actions *x, struct module *m)
{
	struct advisor v = { .arena = x->arena, .module = m, .file = x->check->made.spec->file,
		.options = x->check->made.spec->options };
	struct fit fit = { .memory = 0 };
	char arena[SIZE_TEXT];
	int i;

	if (m->broken || !m->plan || !m->set.device.given || !m->set.device.memory || !asks_for_fit(x, m))
		return;
	fit_answer(m, m->set.device.memory, -1, &fit);
	if (fit.fits || fit.limit == 0)
		return;
	v.fit = &fit;
	advise(&v);
	for (i = 0; i < v.all.n && i < MOST_EDITS; i++) {
		const struct advice *w = &v.all.v[i];

		if (w->edits->src == x->check->made.source)
			add_action(x, arena_printf(x->arena, "%s: %s%s", w->title, size_human(arena, w->arena),
			    w->fits ? ", fits" : ", not enough by itself"), "quickfix", w->edits);
	}
}

/* ---- the same network, written otherwise ---- */

static void
add_refactorings(struct actions *x)
{
	json_t *action;

	if (wanted(x, "refactor.extract") && (action = extract_action(x->server, x->document, x->arena,
	    (size_t)x->beg, (size_t)x->end)))
		json_array_append_new(x->list, action);
	if (wanted(x, "refactor.inline") && (action = inline_action(x->server, x->document, x->arena,
	    (size_t)x->beg, (size_t)x->end)))
		json_array_append_new(x->list, action);
}

static struct answer
actions(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	const json_t *range = json_object_get(params, "range");
	struct actions x = { .server = s, .document = d, .arena = a,
		.only = json_object_get(json_object_get(params, "context"), "only") };
	struct position from, to;
	int i;

	if (!json_position(json_object_get(range, "start"), &from) ||
	    !json_position(json_object_get(range, "end"), &to))
		return answer_error(RPC_INVALID_PARAMS, "the range is none");
	x.beg = (int)text_offset(&d->text, from, s->client.utf8);
	x.end = (int)text_offset(&d->text, to, s->client.utf8);
	x.list = json_array();
	if (is_project_file(d) || !document_tree(s, d))
		return answer_with(x.list);
	add_refactorings(&x);
	if (!wanted(&x, "quickfix") && !wanted(&x, "source.fixAll.stowage"))
		return answer_with(x.list);
	x.check = check_document(s, d, a);
	if (wanted(&x, "quickfix")) {
		add_fixes(&x);
		for (i = 0; i < x.check->made.spec->modules.n; i++)
			add_fit(&x, x.check->made.spec->modules.v[i]);
	}
	if (wanted(&x, "source.fixAll.stowage"))
		add_fix_all(&x);
	return answer_with(x.list);
}

static void
offer(const struct client *c, json_t *capabilities)
{
	(void)c;
	json_object_set_new(capabilities, "codeActionProvider", json_pack("{s:[s, s, s, s]}",
	    "codeActionKinds", "quickfix", "source.fixAll.stowage", "refactor.extract", "refactor.inline"));
}

const struct lsp_method lsp_method_code_action = {
	.name = "textDocument/codeAction", .when = ALONE, .answer = actions, .offer = offer,
};
