/* Hints among the text: shapes after layers, bytes beside definitions, names of arguments. */
#include <string.h>

#include "lsp/call_shape.h"
#include "lsp/markdown.h"
#include "lsp/method.h"

#define HINT_TYPE	1
#define HINT_PARAMETER	2

struct hints {
	struct server *server;
	struct document *document;
	const struct tree *tree;
	struct arena *arena;
	int from, to;
	json_t *list;
};

static void
add_hint(struct hints *h, int at, const char *label, int kind, bool left, bool right)
{
	if (at < h->from || at > h->to)
		return;
	json_array_append_new(h->list, json_pack("{s:o, s:s, s:i, s:b, s:b}", "position",
	    position_json(h->server, &h->document->text, (size_t)at), "label", label, "kind", kind,
	    "paddingLeft", left, "paddingRight", right));
}

static const struct symbol *
callee_of(const struct hints *h, const struct expr *e)
{
	const struct use *u = tree_use_at(h->tree, e->head.beg);

	return u && u->symbol->kind == SYMBOL_BLOCK ? u->symbol : NULL;
}

/* reshape(3, 4): the K-th argument is more of those before it; or a tuple is meant for one that
 * takes some, as operators find it. */
static bool
takes_others(const struct attr_spec *a, int k, const struct expr *value)
{
	return (k > 0 && a[-1].type == ATTR_INTS) || (a->type == ATTR_REAL && value->kind == E_TUPLE);
}

/* Names of the arguments that are given by their place. Of operators that take several tensors,
 * numbers may stand for these. */
static void
hint_arguments(struct hints *h, const struct expr *e)
{
	const struct symbol *block = callee_of(h, e);
	const struct op *op = block ? NULL : words_op(e->name);
	struct call_shape shape = call_shape_at(h->tree, e->head.beg, op, block ? block->block : NULL);
	const char *name;
	int i, k;

	if (!shape.sure || (op && op->kind != OP_OPTIMIZER && op->max_operands != 1))
		return;
	for (i = shape.tensors; i < e->nargs && !e->arg[i].name; i++) {
		const struct expr *value = e->arg[i].value;

		k = i - shape.tensors;
		if (block)
			name = k < block->block->nformals ? block->block->formal[k].name.text : NULL;
		else
			name = op && k < op_nattrs(op) ? op->attrs[k].name : NULL;
		if (!name || (op && takes_others(&op->attrs[k], k, value)))
			return;
		if (value->kind == E_NAME && strcmp(value->name, name) == 0)
			continue;	/* block(width): nothing is gained by "width: width" */
		if (value->kind != E_PIPE && value->kind != E_LABEL)
			add_hint(h, value->loc.beg, arena_printf(h->arena, "%s:", name), HINT_PARAMETER,
			    false, true);
	}
}

static void
hint_shape(struct hints *h, const struct expr *e)
{
	const json_t *layer = facts_layer(h->document, e->kind == E_NAME ? e->loc : e->head);
	const char *shape = facts_shape(h->arena, layer);

	if (shape && e->loc.src == h->tree->file->src)
		add_hint(h, e->loc.end, shape, HINT_TYPE, true, false);
}

static void
see(void *context, const struct expr *e)
{
	struct hints *h = context;

	if ((e->kind == E_CALL || e->kind == E_NAME || e->kind == E_LABEL) && h->server->options.hint_shapes)
		hint_shape(h, e);
	if (e->kind == E_CALL && h->server->options.hint_arguments)
		hint_arguments(h, e);
}

struct bytes {
	const struct document *document;
	int64_t forward;
	bool any, unknown;
};

static void
sum(void *context, const struct expr *e)
{
	struct bytes *b = context;
	const json_t *layer = facts_layer(b->document, e->kind == E_CALL || e->kind == E_LABEL ? e->head : e->loc);
	const json_t *n = json_object_get(layer, "forward");

	b->unknown |= json_is_true(json_object_get(layer, "unknown"));
	if (n) {
		b->forward += (int64_t)json_integer_value(n);
		b->any = true;
	}
}

/* Bytes of what the statement makes. */
static void
hint_bytes(struct hints *h, const struct stmt *s)
{
	struct bytes b = { .document = h->document };
	char buf[SIZE_TEXT];

	if (s->kind != S_DEF)
		return;
	tree_walk_expr(s->expr, sum, &b);
	if (b.any && !b.unknown)
		add_hint(h, s->loc.end, arena_printf(h->arena, "%s", size_human(buf, b.forward)), HINT_TYPE,
		    true, false);
}

static void
hint_statements(struct hints *h)
{
	const struct file *f = h->tree->file;
	int i, k;

	for (i = 0; i < f->blocks.n; i++)
		for (k = 0; k < f->blocks.v[i]->nstmts; k++)
			hint_bytes(h, &f->blocks.v[i]->stmt[k]);
	for (i = 0; i < f->networks.n; i++)
		for (k = 0; k < f->networks.v[i]->nstmts; k++)
			hint_bytes(h, &f->networks.v[i]->stmt[k]);
}

static struct answer
hints(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	const json_t *range = json_object_get(params, "range");
	struct hints h = { .server = s, .document = d, .tree = document_tree(s, d), .arena = a };
	struct position from, to;

	if (!h.tree)
		return answer_with(NULL);
	if (!json_position(json_object_get(range, "start"), &from) ||
	    !json_position(json_object_get(range, "end"), &to))
		return answer_error(RPC_INVALID_PARAMS, "the range is none");
	h.from = (int)text_offset(&d->text, from, s->client.utf8);
	h.to = (int)text_offset(&d->text, to, s->client.utf8);
	h.list = json_array();
	tree_walk(h.tree->file, see, &h);
	if (s->options.hint_bytes)
		hint_statements(&h);
	return answer_with(h.list);
}

const struct lsp_method lsp_method_inlay_hint = {
	.name = "textDocument/inlayHint", .when = WITH_FACTS, .answer = hints, .provider = "inlayHintProvider",
};
