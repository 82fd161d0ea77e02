/*
 * activation-missing: two dense layers, or two convolutions, with nothing but dropout, a factor,
 * batch normalisation and averages of windows between them, which are one; or convolutions with a
 * normalisation of each sample, which is no activation either. Reads the forward graph; what the
 * spec without the first dense layer takes is planned.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"
#include "rulekit/place_set.h"

#include "ir/op.h"
#include "amend/cut.h"
#include "ops/pool.h"

struct pair {
	const struct node *first, *second;
	const struct node *behind;	/* what an activation is to come behind */
	const struct node *pool;	/* averages between them, or NULL */
	const struct node *norm;	/* a normalisation of each sample between convolutions, or NULL */
};

/* One layer for the weights of a pair, [mid, in] and [out, mid] with so many cells each. */
struct widths {
	int64_t in, mid, out;
	int64_t first_cells, second_cells;	/* of the kernels; of a dense layer 1 */
};

static int64_t
cells_of(const struct tensor *weight)
{
	int64_t n = 1;
	int i;

	for (i = 2; i < weight->rank; i++)
		n *= weight->dim[i];
	return n;
}

static bool
is_transposed(const struct pair *p)
{
	return node_is(p->first, "conv_transpose");
}

static struct widths
widths_of(const struct pair *p)
{
	const struct tensor *a = p->first->in[1], *b = p->second->in[1];
	int from = is_transposed(p) ? 0 : 1;	/* the axis of what is read */

	return (struct widths){ .in = a->dim[from], .mid = a->dim[1 - from], .out = b->dim[1 - from],
		.first_cells = cells_of(a), .second_cells = cells_of(b) };
}

/* Would one layer have no more weights than the two? */
static bool
one_is_smaller(const struct widths *w)
{
	double larger = (double)(w->first_cells > w->second_cells ? w->first_cells :
	    w->second_cells);

	return (double)w->in * (double)w->out * larger <= (double)w->mid * ((double)w->in *
	    (double)w->first_cells + (double)w->out * (double)w->second_cells);
}

/* A convolution over all channels whose kernel is square and without holes: others are halves of a
 * factorisation. */
static bool
is_whole(const struct node *n)
{
	const struct attr *dilation = op_attr(n, "dilation");
	int i;

	for (i = 0; i < dilation->n; i++)
		if (dilation->v[i] != 1 || n->in[1]->dim[2 + i] != n->in[1]->dim[2])
			return false;
	return op_int(n, "groups") == 1;
}

/* The halves of a gated unit, as glu: of a layer that makes both, the one before it is published so
 * (Lim and others: Temporal fusion transformers, 2021). */
static bool
is_gate(const struct node *n)
{
	return node_is(n, "split") && n->part_of;
}

/*
 * Is the first layer for nothing? Where it is narrower than both its neighbours the two save
 * weights, as they do where one is 1x1 and they have fewer than one would; where the second is
 * shared by several first ones, or the first is frozen, there is no one layer that does the same.
 */
static bool
is_wasted(const struct tensor_readers *r, const struct pair *p)
{
	struct widths w = widths_of(p);
	bool conv = !node_is(p->first, "dense");

	if (w.mid < (w.in < w.out ? w.in : w.out) || p->first->in[1]->frozen ||
	    r->count[p->first->in[1]->id] != r->count[p->second->in[1]->id])
		return false;
	if (!conv)
		return !is_gate(only_reader(r, p->second));
	if (!is_whole(p->first) || !is_whole(p->second))
		return false;
	if (p->norm && (w.second_cells == 1 || op_attr(p->first, "stride")->v[0] > 1))
		return false;	/* patches, and pieces of blocks, are normalised and read as they are */
	return (w.first_cells > 1 && w.second_cells > 1) || one_is_smaller(&w);
}

static bool
normalises_samples(const struct node *n)
{
	return node_is(n, "groupnorm") || node_is(n, "instancenorm");
}

/* May it stand between the two, so that they are one all the same? */
static bool
passes(const struct pair *p, const struct node *next)
{
	if (node_is(next, "dropout") || node_is(next, "batchnorm") || (node_is(next, "scale") && op_real(next, "offset") == 0))
		return true;
	if (!node_is(p->first, "conv"))
		return false;
	return (node_is(next, "avgpool") && !p->pool && !p->norm) || (normalises_samples(next) && !p->pool && !p->norm);
}

static bool
find_pair(const struct tensor_readers *r, const struct node *n, struct pair *p)
{
	const struct node *next = n;

	if (!node_has_weights(n) || node_is(n, "local") || n->part_of)	/* no part can be left out, or end in a relu */
		return false;
	*p = (struct pair){ .first = n, .behind = n };
	while ((next = only_reader(r, next)) && passes(p, next)) {
		if (node_is(next, "avgpool"))
			p->pool = next;
		else if (normalises_samples(next))
			p->norm = p->behind = next;
		else if (node_is(next, "batchnorm") && !p->pool)
			p->behind = next;
	}
	p->second = next;
	return node_is(next, n->op->name) && !next->part_of && next->in[1] && is_wasted(r, p);
}

/* Behind what an activation is missing. */
static const struct tensor *
found(const struct node *n, const void *readers)
{
	struct pair p;

	return find_pair(readers, n, &p) ? p.behind->out[0] : NULL;
}

/* Is its text this layer alone? Of a block used twice, or of 4 * dense, it is several. */
static bool
is_only_one_there(const struct lint *l, const struct node *n)
{
	const struct graph *f = l->module->forward;
	int i;

	for (i = 0; i < f->nodes.n; i++) {
		const struct node *o = f->nodes.v[i];

		if (o != n && o->loc.src == n->loc.src && o->loc.beg == n->loc.beg && o->op == n->op)
			return false;
	}
	return true;
}

static struct module *
without(struct lint *l, const struct node *n)
{
	struct cut_place place;
	struct amend m;

	edited_begin(l, &m);
	if (n->loc.src != l->module->src || !cut_find(&place, m.arena, l->file, n->loc) ||
	    !cut_out(&m.edits, &place))
		return NULL;
	return edited_plan(l, &m);
}

/* The extents of one convolution for both, along an axis of space. */
static int64_t
joint_extent(const struct pair *p, int axis)
{
	int64_t span = p->second->in[1]->dim[2 + axis];

	if (p->pool) {
		struct window w = pool_window(p->pool, p->pool->in[0], p->pool->out[0]);
		const struct window_axis *a = &w.at[SPACE_AXES - w.axes + axis];

		span = a->kernel + (span - 1) * a->stride;
	}
	return p->first->in[1]->dim[2 + axis] + (span - 1) * op_attr(p->first, "stride")->v[axis];
}

/* Does the second read zeros around what the first makes? If not, one convolution makes the same
 * everywhere. */
static bool
sees_border(const struct pair *p)
{
	const struct node *of[] = { p->second, p->pool };
	int i, k;

	for (i = 0; i < 2; i++)
		for (k = 0; of[i] && k < op_attr(of[i], "pad")->n; k++)
			if (op_attr(of[i], "pad")->v[k] > 0)
				return true;
	return false;
}

static void
tell_kernels(struct lint *l, struct diag *g, const struct pair *p, struct node *const *update)
{
	const struct tensor *a = p->first->in[1], *b = p->second->in[1];
	int64_t first[SPACE_AXES] = { 0 }, second[SPACE_AXES] = { 0 }, both[SPACE_AXES] = { 0 };
	struct arena *arena = l->module->arena;
	int axes = a->rank - 2, i;

	for (i = 0; i < axes; i++) {
		int at = SPACE_AXES - axes + i;

		first[at] = a->dim[2 + i];
		second[at] = b->dim[2 + i];
		both[at] = joint_extent(p, i);
	}
	diag_fact(l->diags, g, "%s of %s%s is one convolution of %s%s; the "
	    "first takes %s B, with gradient and state", space_text(arena, second, axes),
	    p->pool ? "averages of " : "", space_text(arena, first, axes),
	    space_text(arena, both, axes), sees_border(p) ? ", but for what is at the borders" : "",
	    lint_commas(arena, measure_trained_bytes(l->module, update, a)));
}

static void
tell_weights(struct lint *l, struct diag *g, const struct pair *p, struct node *const *update)
{
	struct module *m = l->module;
	struct widths w = widths_of(p);

	if (is_transposed(p))
		diag_fact(l->diags, g, "the first takes %s B, with gradient and state", lint_commas(m->arena,
		    measure_trained_bytes(m, update, p->first->in[1])));
	else if (p->first->in[1]->rank > 2)
		tell_kernels(l, g, p, update);
	else if (one_is_smaller(&w))
		diag_fact(l->diags, g, "weights %lld x %lld and %lld x %lld do what one of %lld x "
		    "%lld can; the first takes %s B, with gradient and state", (long long)w.mid,
		    (long long)w.in, (long long)w.out, (long long)w.mid, (long long)w.out,
		    (long long)w.in, lint_commas(m->arena,
		    measure_trained_bytes(m, update, p->first->in[1])));
}

/* Where one of the two is 1x1, one layer of the other's kernel does what both do; of two larger
 * ones it would have more weights than they. */
static void
tell_conv(struct lint *l, struct diag *g, const struct pair *p)
{
	const struct tensor *a = p->first->in[1], *b = p->second->in[1];
	struct widths w = widths_of(p);
	int64_t kernel = w.first_cells > 1 ? a->dim[2] : b->dim[2];

	if (!p->pool && !is_transposed(p) && (w.first_cells == 1 || w.second_cells == 1))
		diag_help(l->diags, g, "write %s(%lld, ...) -> relu, or one %s(%lld, %lld, ...) for both", p->first->op->name,
		    (long long)w.mid, p->second->op->name, (long long)w.out, (long long)kernel);
	else
		diag_help(l->diags, g, "write %s(%lld, ...) -> relu", p->first->op->name, (long long)w.mid);
}

static struct diag *
report(const struct rule *rule, struct lint *l, const struct pair *p, struct node *const *update)
{
	struct diag *g = lint_report(l, rule, p->first->loc, p->norm ? "no activation comes between '%s' and '%s'" :
	    "'%s' and '%s' are one linear layer: no activation comes between them", p->first->path, p->second->path);

	diag_place(l->diags, g, p->second->loc, "the second is here");
	if (p->norm)
		diag_fact(l->diags, g, "%s scales and moves all of a sample's map together: it bends nothing",
		    p->norm->op->name);
	else
		tell_weights(l, g, p, update);
	if (p->behind != p->first)
		diag_help(l->diags, g, "write %s -> relu: normalisation is no activation",
		    p->behind->op->name);
	else if (p->first->in[1]->rank > 2)
		tell_conv(l, g, p);
	else
		diag_help(l->diags, g, "write %s(%lld) -> relu, or leave the first layer out", p->first->op->name,
		    (long long)p->first->in[1]->dim[0]);
	return g;
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct tensor_readers r = readers_of(l);
	struct node **update = measure_updates(m);
	struct place_set reported = { NULL }, needed = { NULL };
	int plans = 0, i;

	place_add_unfound(&needed, l, found, &r);
	for (i = 0; i < m->forward->nodes.n; i++) {
		struct pair p;
		struct diag *g;

		if (!find_pair(&r, m->forward->nodes.v[i], &p) ||
		    !place_is_new(&reported, l, rule, p.first->loc))
			continue;
		g = report(rule, l, &p, update);
		if (!place_has(&needed, p.behind->loc))
			fix_behind(l, g, p.behind->loc, "relu", "put relu behind it");
		if (p.behind == p.first && node_is(p.first, "dense") && !l->asked && is_only_one_there(l, p.first) &&
		    edited_affords(l, plans) && ++plans)
			measure_saving(l, g, without(l, p.first), "the network without '%s'",
			    p.first->path);
	}
}

const struct rule rule_activation_missing = {
	.id = "SW308",
	.name = "activation-missing",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "two dense layers or convolutions without an activation between them",
	.doc = "A dense layer of a dense layer is a dense layer: W2 (W1 x + b1) + b2; and a 3x3 "
	    "convolution of a 3x3 convolution is one of 5x5. Without a function that is not linear "
	    "in between, the first one only costs weights, with their gradients and optimizer "
	    "state, and time. Batch normalisation, dropout, a factor and, between convolutions, avgpool are no such "
	    "function; maxpool is. groupnorm and instancenorm, which give each sample a factor and an offset, are none "
	    "either, between convolutions that are no 1x1 and of which the first has no stride. Of conv_transpose behind conv_transpose the same holds. (Framework "
	    "users write it when moving from Keras, whose layers take activation= and default to "
	    "none.)\n\n"
	    "Quiet where two layers are a factorisation, which saves weights: the layer between is "
	    "narrower than both its neighbours (also at the ends of MobileNetV2's blocks), a "
	    "convolution has groups, holes or a kernel that is not square, or one is 1x1 and both "
	    "together have fewer weights than one layer for both. Quiet, too, where several layers "
	    "share the second, it is a part of attention or of a recurrent layer, or feeds a gated unit as glu (Lim and others: Temporal "
	    "fusion transformers, 2021), or the first is frozen. Put relu or another activation between, or "
	    "leave one out.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
