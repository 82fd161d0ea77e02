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

#include "ops/batchnorm.h"
#include "ops/pointwise.h"
#include "passes/joined.h"
#include "passes/sums.h"

struct joins {
	struct graph *g;
	const int *reads;	/* by the id of a tensor */
	int *place;		/* by the id of a tensor: the node that makes it; -1: none */
	struct pointwise_kept **kept;	/* the same: what backward of that node reads; NULL: not asked yet */
	struct pointwise_reads *reads_of;	/* what backward of formulas reads */
	struct arena *scratch;
};


static void
joins_init(struct joins *j, struct graph *g)
{
	struct arena *a = arena_child(g->module->arena);
	const struct pass_options *o = g->module->options;
	size_t tensors = (size_t)g->module->next_tensor + 1;
	int i, k;

	*j = (struct joins){ .g = g, .reads = sums_reads(g, a), .place = arena_array(a, tensors, sizeof(*j->place)),
	    .kept = arena_array(a, tensors, sizeof(*j->kept)), .scratch = a };
	j->reads_of = o && o->reads ? o->reads : ARENA_NEW(a, struct pointwise_reads);
	if (!j->reads_of->arena)
		j->reads_of->arena = a;
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

static struct node *
find_maker(const struct joins *j, const struct node *reader, int k)
{
	struct tensor *in[FORMULA_OPERANDS], *t = reader->in[k];
	struct node *maker = t ? t->def : NULL;
	int i, uses = 0;

	if (!maker || !is_formula(reader) || !is_formula(maker) || maker->nout != 1 || t->alias_of ||
	    j->place[t->id] < 0 || (maker->op != &op_pointwise && reader->op != &op_pointwise))
		return NULL;
	if (maker->nin > 0 && (!tensor_alike(t, reader->out[0]) || t->rank == 0))	/* a number has any shape */
		return NULL;
	for (i = 0; i < reader->nin; i++)
		uses += reader->in[i] == t;
	return j->reads[t->id] == uses && joined_operands(maker, reader, in) >= 0 ? maker : NULL;
}

/* ---- is it worth it? ---- */

/* What backward of that formula reads; asked once of each node. */
static struct pointwise_kept *
kept_by(const struct joins *j, const struct formula *f, struct tensor *const *in, struct tensor *const *out)
{
	struct pointwise_kept *kept = ARENA_NEW(j->scratch, struct pointwise_kept);

	pointwise_keep(j->reads_of, f, in, out, kept);
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
	const struct formula *f = joined_formula(a, maker, reader, in);
	bool fine = false;

	if (formula_cost(f) <= JOINED_DEAREST) {
		struct pointwise_kept *together = kept_by(j, f, in, reader->out);

		fine = pointwise_bytes(together) <= bytes_apart(j, a, maker, reader);
		if (fine)	/* the reader will be both */
			j->kept[reader->out[0]->id] = together;
	}
	arena_free(a);
	return fine;
}

static bool
is_worth(const struct joins *j, const struct node *maker, const struct node *reader, int at)
{
	return (joined_whole(maker) <= 1 || j->place[maker->out[0]->id] + 1 == at) &&
	    keeps_no_more(j, maker, reader);
}

static void
join(struct graph *g)
{
	bool *gone = arena_array(g->module->arena, (size_t)g->nodes.n + 1, sizeof(*gone));
	struct joins j;
	int i, k;

	joins_init(&j, g);
	for (i = 0; i < g->nodes.n; i++) {
		struct node *reader = g->nodes.v[i], *maker;

		for (k = 0; k < reader->nin; k++) {
			maker = find_maker(&j, reader, k);
			if (!maker || !is_worth(&j, maker, reader, i))
				continue;
			joined_make(g->module, maker, reader);
			gone[j.place[maker->out[0]->id]] = true;
			k = -1;	/* its operands are others now */
		}
	}
	ir_drop(g, gone);
	arena_free(j.scratch);
}

const struct pass pass_join_formulas = {
	.name = "join-formulas",
	.doc = "make formulas that follow one another one",
	.optional = true,
	.in_bodies = true,
	.rewrite = join,
};
