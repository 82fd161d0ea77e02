/*
 * Names while expanding. In layer position a name is looked up as local layer, label, block, then
 * operator; in value position (eval.c) as value, then layer. So `dropout(dropout)` works where a
 * block has a parameter called dropout, and a new operator never breaks a file.
 */
#include "lang/expander.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define LONGEST_NAME	64	/* as far as suggestions look */

struct binding *
scope_find(const struct scope *s, const char *name)
{
	struct binding *b;

	for (; s; s = s->outer)
		if ((b = map_get(&s->names, name)))
			return b;
	return NULL;
}

const struct value *
scope_index(const struct scope *s)
{
	for (; s; s = s->outer)
		if (s->index)
			return s->index;
	return NULL;
}

struct binding *
scope_bind(struct expander *ex, struct scope *s, const struct name *name,
    enum binding_kind kind, struct value value)
{
	struct binding *b = map_get(&s->names, name->text);

	if (b)
		return b;
	b = ARENA_NEW(ex->a, struct binding);
	*b = (struct binding){ kind, name->loc, value };
	map_put(ex->a, &s->names, name->text, b);
	return b;
}

struct scope *
scope_inside(struct expander *ex, struct scope *outer)
{
	struct scope *s = ARENA_NEW(ex->a, struct scope);

	s->outer = outer;
	s->unit = outer->unit;
	return s;
}

struct scope *
scope_of_unit(struct expander *ex, struct unit *u)
{
	struct scope *s = ARENA_NEW(ex->a, struct scope);

	s->unit = u;
	return s;
}

bool
op_visible(const struct op *op)
{
	return op->kind == OP_LAYER || op->kind == OP_LOSS || op->kind == OP_METRIC;
}

static const char *const functions[] = {
	"floor", "ceil", "min", "max", "divisible", "channels", "height", "width", "dim", "rank",
};

bool
is_function(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strcmp(functions[i], name) == 0)
			return true;
	return false;
}

bool
is_init_word(const char *name)
{
	static const char *const word[] = { "zeros", "ones", "constant", "uniform", "normal" };
	size_t i;

	for (i = 0; i < sizeof(word) / sizeof(*word); i++)
		if (strcmp(word[i], name) == 0)
			return true;
	return false;
}

struct callee
callee_find(struct expander *ex, struct scope *s, const char *name, bool call)
{
	struct binding *b = scope_find(s, name);
	struct global_name *g = unit_find(s->unit, name);
	const struct op *op;
	struct value v;

	if (b && b->value.kind == V_LAYER)
		return (struct callee){ .kind = CALLEE_LAYER, .layer = b->value.layer };
	if (g && g->expr) {
		v = global_value(ex, g);
		if (v.kind == V_LAYER)
			return (struct callee){ .kind = CALLEE_LAYER, .layer = v.layer };
	}
	if (g && g->block)
		return (struct callee){ .kind = CALLEE_BLOCK, .block = g };
	op = op_find(name);
	if (op && !op_visible(op))
		op = NULL;
	if (call && is_function(name))
		return (struct callee){ .kind = CALLEE_FUNCTION, .op = op };
	return (struct callee){ .kind = op ? CALLEE_OP : CALLEE_NONE, .op = op };
}

/* ---- suggestions ---- */

#define MOST_SOUGHT	1000000

bool
names_wanted(struct expander *ex, int n)
{
	bool wanted = ex->sought + n <= MOST_SOUGHT;

	if (wanted)
		ex->sought += n;
	return wanted;
}

void
names_add(struct arena *a, struct names *n, const char *name)
{
	vec_push(a, n, name);
}

void
names_add_map(struct arena *a, struct names *n, const struct map *m)
{
	int i;

	for (i = 0; i < m->n; i++)
		names_add(a, n, m->entry[i].key);
}

void
names_add_ops(struct arena *a, struct names *n, enum op_kind first, enum op_kind last)
{
	int i;

	for (i = 0; op_table[i]; i++)
		if (op_table[i]->kind >= first && op_table[i]->kind <= last)
			names_add(a, n, op_table[i]->name);
}

/* "convolution" means conv, "drop" means dropout: the longest name that begins the other, unless
 * it is little of it. */
static const char *
same_start(const char *name, const struct names *n)
{
	size_t len = strlen(name), best = 2, l;
	const char *found = NULL;
	int i;

	for (i = 0; i < n->n; i++) {
		l = strlen(n->v[i]);
		if (l > len)
			l = len;
		if (l > best && 3 * l >= len && strncmp(name, n->v[i], l) == 0) {
			best = l;
			found = n->v[i];
		}
	}
	return found;
}

/* What other frameworks call our operators, for suggestions alone; in any case of letters, and
 * only where case and spelling do not lead there. */
static const struct {
	const char *theirs, *ours;
} aliases[] = {
	{ "Linear", "dense" }, { "Conv2d", "conv" }, { "Convolution2D", "conv" },
	{ "ConvTranspose2d", "conv_transpose" }, { "Conv2DTranspose", "conv_transpose" },
	{ "LocallyConnected2D", "local" }, { "BatchNorm2d", "batchnorm" },
	{ "BatchNormalization", "batchnorm" }, { "MaxPool2d", "maxpool" },
	{ "MaxPooling2D", "maxpool" }, { "AvgPool2d", "avgpool" },
	{ "AveragePooling2D", "avgpool" }, { "AdaptiveAvgPool2d", "global_avgpool" },
	{ "GlobalAveragePooling2D", "global_avgpool" }, { "CrossEntropyLoss", "cross_entropy" },
	{ "MultiheadAttention", "attention" }, { "scaled_dot_product_attention", "attend" },
	{ "MSELoss", "mse" }, { "BCEWithLogitsLoss", "bce_with_logits" },
};

static bool
is_listed(const char *name, const struct names *n)
{
	int i;

	for (i = 0; i < n->n; i++)
		if (strcmp(n->v[i], name) == 0)
			return true;
	return false;
}

static const char *
known_elsewhere(const char *name, const struct names *n)
{
	size_t i;

	for (i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (strcasecmp(name, aliases[i].theirs) == 0 && is_listed(aliases[i].ours, n))
			return aliases[i].ours;
	return NULL;
}

static void
lower_case(char out[LONGEST_NAME], const char *s)
{
	size_t i;

	for (i = 0; s[i] && i < LONGEST_NAME - 1; i++)
		out[i] = (char)tolower((unsigned char)s[i]);
	out[i] = '\0';
}

const char *
names_near(const char *name, const struct names *n)
{
	char lower[LONGEST_NAME];
	const char *near;
	int i;

	for (i = 0; i < n->n; i++)
		if (strcasecmp(name, n->v[i]) == 0)
			return n->v[i];
	if ((near = known_elsewhere(name, n)))
		return near;
	lower_case(lower, name);
	if (strlen(name) >= 3 &&	/* of one or two letters, everything is near */
	    ((near = text_nearest(name, n->v, n->n)) || (near = text_nearest(lower, n->v, n->n))))
		return near;
	near = same_start(name, n);
	return near ? near : same_start(lower, n);
}

bool
names_suggest(struct expander *ex, struct diag *g, const char *name, const struct names *n)
{
	const char *near = names_near(name, n);

	if (near) {
		diag_help(ex->d, g, "did you mean '%s'?", near);
		diag_fix_word(ex->d, g, name, near);
	}
	return near != NULL;
}
