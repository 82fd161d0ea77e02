/*
 * Building backward nodes: what the operators' grad() calls. Which nodes are differentiated, and in
 * which order, is the pass' business (passes/differentiate.c).
 */
#include "ir/diff.h"

#include <assert.h>

void
diff_begin(struct diff *d, struct arena *scratch, struct graph *g)
{
	struct module *m = g->module;

	*d = (struct diff){ .m = m, .g = g, .ntensors = m->next_tensor,
		.gradient = arena_array(scratch, (size_t)m->next_tensor + 1, sizeof(*d->gradient)),
		.parts = arena_array(scratch, (size_t)m->next_tensor + 1, sizeof(*d->parts)),
		.wants = arena_array(scratch, (size_t)m->next_tensor + 1, sizeof(*d->wants)) };
}

void
diff_mark(struct diff *d)
{
	int i, j;

	for (i = 0; i < d->g->nodes.n; i++) {
		const struct node *n = d->g->nodes.v[i];
		bool wanted = false;

		for (j = 0; j < n->nin && !(n->op->flags & OP_STOPS); j++)
			wanted |= n->in[j] && d->wants[n->in[j]->id];
		for (j = 0; j < n->nout; j++)
			if (n->out[j])
				d->wants[n->out[j]->id] = wanted && dtype_is_float(n->out[j]->dtype);
	}
}

static bool
differentiate(struct diff *d, struct node *n)
{
	bool arrives = false, wanted = false;
	int i;

	for (i = 0; i < n->nout; i++)
		arrives |= diff_of(d, n->out[i]) != NULL;
	for (i = 0; i < n->nin; i++)
		wanted |= diff_wants(d, n->in[i]);
	if (!arrives || !wanted)
		return true;
	if (!n->op->gradient.build) {
		diag_error(d->m->diags, "type", n->loc,
		    "%s has no gradient, but trained parameters lie behind it", n->op->name);
		return false;
	}
	return n->op->gradient.build(d, n);
}

bool
diff_nodes(struct diff *d, int n)
{
	bool ok = true;

	while (n-- > 0)
		ok &= differentiate(d, d->g->nodes.v[n]);
	return ok;
}

struct tensor *
diff_of(struct diff *d, const struct tensor *t)
{
	return t && t->id < d->ntensors ? d->gradient[t->id] : NULL;
}

bool
diff_wants(struct diff *d, const struct tensor *t)
{
	return t && t->id < d->ntensors && d->wants[t->id];
}

struct node *
diff_node(struct diff *d, const struct node *n, const struct op *op, int nin,
    struct tensor *const *in)
{
	struct node *back = ir_node(d->g, op, n->path, n->loc, nin, in);

	back->phase = PHASE_BACKWARD;
	back->attr = n->attr;
	back->forward = n;
	return back;
}

struct attr *
diff_attrs(struct diff *d, struct node *back)
{
	back->attr = arena_array(d->m->arena, (size_t)op_nattrs(back->op) + 1, sizeof(*back->attr));
	return back->attr;
}

void
diff_share_attrs(struct diff *d, struct node *back, const struct attr *attr)
{
	back->attr = attr_pool_keep(&d->attrs, d->m->arena, back->op, attr);
}

struct tensor *
diff_like(struct diff *d, struct tensor *like, const char *suffix)
{
	struct tensor *t = ir_tensor_like(d->m, like->kind == T_PARAM ? T_GRADIENT : T_DELTA, like,
	    arena_join(d->m->arena, like->name, ".", suffix), like->loc);

	t->gradient_of = like;
	return t;
}

void
diff_add(struct diff *d, struct tensor *like, struct tensor *gradient)
{
	struct tensor *sum = d->gradient[like->id];
	struct node *n;

	if (!sum) {
		d->gradient[like->id] = gradient;
		return;
	}
	n = ir_node(d->g, op_find("grad_sum"), like->name, like->loc, 2,
	    (struct tensor *[]){ sum, gradient });
	n->phase = PHASE_BACKWARD;
	n->forward = like->def;
	d->gradient[like->id] = ir_add_output(d->m, n, diff_like(d, like, "grad"));
}

struct tensor *
diff_between(struct diff *d, struct node *back, struct tensor *like, const char *suffix)
{
	struct tensor *t = ir_add_output(d->m, back, diff_like(d, like, suffix));

	t->loc = back->loc;
	return t;
}

struct tensor *
diff_output(struct diff *d, struct node *back, struct tensor *like)
{
	int part = d->gradient[like->id] ? ++d->parts[like->id] : 0;
	struct tensor *t = diff_between(d, back, like, part == 0 ? "grad" : part == 1 ? "grad.part" :
	    arena_printf(d->m->arena, "grad.part_%d", part));

	diff_add(d, like, t);
	return t;
}

bool
diff_unary(struct diff *d, struct node *n, const struct op *op, int nsaved,
    struct tensor *const *saved)
{
	struct tensor *in[4] = { diff_of(d, n->out[0]) };
	int i;

	assert(nsaved < 4);
	if (!diff_wants(d, n->in[0]))
		return true;
	for (i = 0; i < nsaved; i++)
		in[1 + i] = saved[i];
	diff_output(d, diff_node(d, n, op, 1 + nsaved, in), n->in[0]);
	return true;
}
