/*
 * join-formulas: one formula for a chain of them, before backward is built:
 *
 *     x -> exp -> t,  t + 1 -> s,  x / s -> y          x -> (x / (exp(x) + 1)) -> y
 *
 * One kernel reads what the chain reads and writes what it makes; what is between never exists, and
 * backward makes it again from what it reads, or does not need it.
 *
 * A formula is joined with the one that alone reads its result, where that has its shape, and where
 * backward will not read more bytes than of the two apart. Nothing else lives longer: it has at
 * most one operand of its result's size, which lives on in place of the result, or stands directly
 * before its reader. A formula of nothing, as of ones, is the same number everywhere, and joins
 * whatever the shapes are.
 *
 * It runs before passes that a spec, an option or the target may leave out, so that none of these
 * changes a bit of what is computed: a compiler may round a product and a sum once where they are
 * in one expression. At least one of the two is a pointwise.
 *
 * Reads and writes: train, validate, before backward exists.
 */
#include "ir/pass.h"

#include <string.h>

#include "ops/batchnorm.h"
#include "ops/pointwise.h"
#include "passes/sums.h"

struct joins {
	struct graph *g;
	const int *reads;	/* by the id of a tensor */
	int *place;		/* by the id of a tensor: the node that makes it; -1: none */
	struct pointwise_kept **kept;	/* the same: what backward of that node reads; NULL: not asked yet */
	struct intern *formulas;	/* what backward of them reads */
	struct arena *scratch;
};

#define DEAREST		400	/* multiplications of a joined formula, for each element */
#define LONGEST_NAME	40

static void
joins_init(struct joins *j, struct graph *g)
{
	struct arena *a = arena_child(g->module->arena);
	size_t tensors = (size_t)g->module->next_tensor + 1;
	int i, k;

	*j = (struct joins){ .g = g, .reads = sums_reads(g, a), .place = arena_array(a, tensors, sizeof(*j->place)),
	    .kept = arena_array(a, tensors, sizeof(*j->kept)), .formulas = ARENA_NEW(a, struct intern), .scratch = a };
	for (i = 0; i < g->module->next_tensor; i++)
		j->place[i] = -1;
	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nout; k++)
			if (g->nodes.v[i]->out[k])
				j->place[g->nodes.v[i]->out[k]->id] = i;
}

/* ---- may they? ---- */

/* What batchnorm or a pool may do as it stores its result is left to these. */
static bool
is_for_others(const struct node *n)
{
	bool norm = false;
	int k;

	for (k = 0; k < n->nin; k++)
		norm |= n->in[k] && n->in[k]->def && n->in[k]->def->op == &op_batchnorm;
	return (n->op->flags & OP_AFTER_MAXIMUM) || (n->op == &op_add && norm);
}

static bool
is_formula(const struct node *n)
{
	return n->op == &op_pointwise || (pointwise_has_formula(n) && n->out[0]->rank > 0 && !is_for_others(n));
}

static bool
is_alike(const struct tensor *a, const struct tensor *b)
{
	return a->dtype == b->dtype && a->batched == b->batched && a->channels_last == b->channels_last &&
	    tensor_same_shape(a, b);
}

/* What both read together, each once. */
static int
operands(const struct node *maker, const struct node *reader, struct tensor **in)
{
	const struct node *const both[] = { maker, reader };
	int n = 0, i, k, j;

	for (i = 0; i < 2; i++)
		for (k = 0; k < both[i]->nin; k++) {
			struct tensor *t = both[i]->in[k];

			for (j = 0; j < n && in[j] != t; j++)
				;
			if (!t || t == maker->out[0] || j < n)
				continue;
			if (n == FORMULA_OPERANDS)
				return -1;
			in[n++] = t;
		}
	return n;
}

static struct node *
find_maker(const struct joins *j, const struct node *reader, int k)
{
	struct tensor *in[FORMULA_OPERANDS], *t = reader->in[k];
	struct node *maker = t ? t->def : NULL;
	int i, uses = 0;

	if (!maker || !is_formula(reader) || !is_formula(maker) || maker->nout != 1 || t->alias_of ||
	    j->place[t->id] < 0 || (maker->op != &op_pointwise && reader->op != &op_pointwise))
		return NULL;
	if (maker->nin > 0 && (!is_alike(t, reader->out[0]) || t->rank == 0))	/* a number has any shape */
		return NULL;
	for (i = 0; i < reader->nin; i++)
		uses += reader->in[i] == t;
	return j->reads[t->id] == uses && operands(maker, reader, in) >= 0 ? maker : NULL;
}

/* ---- making them one ---- */

static const char *
name_of_both(struct arena *a, const struct formula *first, const struct formula *second)
{
	const char *name = arena_printf(a, "%s_%s", first->name, second->name);

	return strlen(name) <= LONGEST_NAME ? name : second->name;
}

/* Their formula, and what it is of. */
static struct formula *
both(struct arena *a, const struct node *maker, const struct node *reader, struct tensor **in)
{
	const struct formula *first = pointwise_formula(a, maker), *second = pointwise_formula(a, reader);
	int n = operands(maker, reader, in), value[FORMULA_OPERANDS], made, i, k;
	struct formula *f = formula_new(a, n);

	for (i = 0; i < first->operands; i++)
		for (k = 0; k < n; k++)
			if (in[k] == maker->in[i])
				value[i] = formula_operand(f, k);
	made = formula_insert(f, first, 0, value);
	for (i = 0; i < second->operands; i++) {
		value[i] = made;
		for (k = 0; k < n; k++)
			if (in[k] == reader->in[i])
				value[i] = formula_operand(f, k);
	}
	for (i = 0; i < second->results; i++)
		f->result[f->results++] = formula_insert(f, second, i, value);
	f->name = name_of_both(a, first, second);
	return f;
}

/* What backward of that formula reads; asked once of each node. */
static struct pointwise_kept *
kept_by(const struct joins *j, const struct formula *f, struct tensor *const *in, struct tensor *const *out)
{
	struct pointwise_kept *kept = ARENA_NEW(j->scratch, struct pointwise_kept);

	pointwise_keep(j->formulas, j->scratch, f, in, out, kept);
	return kept;
}

static const struct pointwise_kept *
kept_by_node(const struct joins *j, struct arena *a, const struct node *n)
{
	struct pointwise_kept **kept = &j->kept[n->out[0]->id];

	if (!*kept)
		*kept = kept_by(j, pointwise_formula(a, n), n->in, n->out);
	return *kept;
}

static int64_t
bytes_apart(const struct joins *j, struct arena *a, const struct node *maker, const struct node *reader)
{
	const struct pointwise_kept *other = kept_by_node(j, a, reader);
	struct pointwise_kept all = *kept_by_node(j, a, maker);
	int i;

	for (i = 0; i < other->n; i++)
		pointwise_kept_add(&all, other->tensor[i]);
	return pointwise_bytes(&all);
}

static bool
keeps_no_more(const struct joins *j, const struct node *maker, const struct node *reader)
{
	struct arena *a = arena_child(j->scratch);
	struct tensor *in[FORMULA_OPERANDS];
	const struct formula *f = both(a, maker, reader, in);
	bool fine = false;

	if (formula_cost(f) <= DEAREST) {
		struct pointwise_kept *together = kept_by(j, f, in, reader->out);

		fine = pointwise_bytes(together) <= bytes_apart(j, a, maker, reader);
		if (fine)	/* the reader will be both */
			j->kept[reader->out[0]->id] = together;
	}
	arena_free(a);
	return fine;
}

static void
make_one(const struct joins *j, const struct node *maker, struct node *reader)
{
	struct module *m = j->g->module;
	struct tensor *in[FORMULA_OPERANDS];
	struct formula *f = both(m->arena, maker, reader, in);
	int i;

	reader->nin = 0;
	for (i = 0; i < f->operands; i++)
		ir_add_input(m, reader, in[i]);
	pointwise_set(m->arena, reader, f);
}

/* Operands that have their own bytes, about as many as the result. */
static int
whole_operands(const struct node *n)
{
	int64_t elements = tensor_elements_per_sample(n->out[0]);
	int k, count = 0;

	for (k = 0; k < n->nin; k++)
		count += !tensor_kind_persistent(tensor_root(n->in[k])->kind) &&
		    n->in[k]->batched == n->out[0]->batched && 2 * tensor_elements_per_sample(n->in[k]) > elements;
	return count;
}

static bool
is_worth(const struct joins *j, const struct node *maker, const struct node *reader, int at)
{
	return (whole_operands(maker) <= 1 || j->place[maker->out[0]->id] + 1 == at) &&
	    keeps_no_more(j, maker, reader);
}

static void
join(struct graph *g)
{
	bool *gone = arena_array(g->module->arena, (size_t)g->nodes.n + 1, sizeof(*gone));
	struct joins j;
	int i, k, kept = 0;

	joins_init(&j, g);
	for (i = 0; i < g->nodes.n; i++) {
		struct node *reader = g->nodes.v[i], *maker;

		for (k = 0; k < reader->nin; k++) {
			maker = find_maker(&j, reader, k);
			if (!maker || !is_worth(&j, maker, reader, i))
				continue;
			make_one(&j, maker, reader);
			gone[j.place[maker->out[0]->id]] = true;
			k = -1;	/* its operands are others now */
		}
	}
	for (i = 0; i < g->nodes.n; i++)
		if (!gone[i])
			g->nodes.v[kept++] = g->nodes.v[i];
	g->nodes.n = kept;
	arena_free(j.scratch);
}

const struct pass pass_join_formulas = {
	.name = "join-formulas",
	.doc = "make formulas that follow one another one",
	.optional = true,
	.in_bodies = true,
	.rewrite = join,
};
