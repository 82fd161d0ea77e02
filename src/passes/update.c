/*
 * update: appends the weight updates: each trained parameter's optimizer step, after clipping by
 * the global norm where the spec asks for it.
 *
 * Reads: param->gradient, settings. Writes: train, and `update` when micro-batches accumulate:
 *
 *     accumulate 1, no clip:  train: ... gradient, its update at once, ... (the gradient dies here)
 *     accumulate 1, clip:     train: ... all gradients, clip_scale, all updates
 *     accumulate k:           train: ... gradient, accumulate into a persistent one ...
 *                             update: [clip_scale,] all updates      (once every k micro-batches)
 *
 * In f16 the loss is scaled, and loss_scale takes the place of clip_scale, with clipping or
 * without.
 *
 * Invariants after: 1. a parameter is updated once, after its gradient is complete; 2. no node
 * reads a parameter after its update in the same graph.
 */
#include "ir/pass.h"

#include <string.h>

#include "ir/op.h"

static const struct attr *
attributes_for(struct module *m, const struct op *op, const struct tensor *param)
{
	const struct param_group *g = param->group ? &m->set.group[param->group - 1] : NULL;
	int n = op_nattrs(op), i;
	struct attr *attr;

	if (!param->undecayed && !g)
		return m->set.optimizer_attr;
	attr = arena_array(m->arena, (size_t)n + 1, sizeof(*attr));
	for (i = 0; i < n; i++) {
		attr[i] = m->set.optimizer_attr[i];
		if (g && g->has_lr && op->attrs[i].is_rate)
			attr[i].r = g->lr;
		if (strcmp(op->attrs[i].name, "weight_decay") == 0)
			attr[i].r = param->undecayed ? 0 : g && g->has_decay ? g->decay : attr[i].r;
	}
	return attr;
}

static const struct op *
optimizer_of(const struct module *m, const struct tensor *param)
{
	const struct op *op = m->set.optimizer, *other = op->instead ? op->instead(param) : NULL;

	return other ? other : op;
}

static struct tensor *
accumulated(struct module *m, struct tensor *param)
{
	struct tensor *g = param->gradient, *sum, *out;
	struct node *n;

	sum = ir_tensor_like(m, T_GRADIENT, param,
	    arena_printf(m->arena, "%s.gradient", param->name), param->loc);
	sum->dtype = sum->dtype->real;	/* a sum of many needs more bits than each */
	sum->accumulates = true;
	sum->gradient_of = param;
	n = ir_node(m->train, op_find("accumulate"), param->name, param->loc, 2,
	    (struct tensor *[]){ sum, g });
	n->phase = PHASE_BACKWARD;
	out = ir_tensor_like(m, T_GRADIENT, sum, sum->name, param->loc);
	out->gradient_of = param;
	ir_add_output(m, n, out);
	return sum;
}

static struct tensor *
clip_scale(struct module *m, struct graph *g, int n, struct tensor *const *gradient)
{
	const struct op *op = op_find("clip_scale");
	struct node *c = ir_node(g, op, "clip", m->loc, n, gradient);
	struct attr *attr = arena_array(m->arena, (size_t)op_nattrs(op) + 1, sizeof(*attr));
	const struct dtype *dtype = m->set.precision->element->real;

	attr[0].r = m->set.clip;
	c->attr = attr;
	c->phase = PHASE_UPDATE;
	return ir_add_output(m, c, ir_tensor(m, T_SCALAR, dtype, false, 0, NULL, "clip.scale",
	    m->loc));
}

/* The scale of the loss, where backward starts from a scaled one. */
static struct tensor *
scale_of_loss(const struct graph *train)
{
	const struct op *seed = op_find("seed");
	int i;

	for (i = 0; i < train->nodes.n; i++)
		if (train->nodes.v[i]->op == seed && train->nodes.v[i]->nin > 0)
			return train->nodes.v[i]->in[0];
	return NULL;
}

/* The factor of the gradients, and how many updates were left out so far. */
static struct tensor *
unscale(struct module *m, struct graph *g, struct tensor *scale, int n,
    struct tensor *const *gradient)
{
	static const int64_t two = 2;
	const struct op *op = op_find("loss_scale");
	struct node *u = ir_node(g, op, "loss_scale", m->loc, 1, &scale);
	/* good updates since the scale changed, updates left out */
	struct tensor *counts = ir_tensor(m, T_OPTIMIZER, DT_F32, false, 1, &two,
	    arena_printf(m->arena, "%s.counts", scale->name), scale->loc), *factor;
	int i;

	ir_add_input(m, u, counts);
	for (i = 0; i < n; i++)
		ir_add_input(m, u, gradient[i]);
	u->attr = arena_array(m->arena, (size_t)op_nattrs(op) + 1, sizeof(*u->attr));
	u->attr[0].r = m->set.clip;
	u->phase = PHASE_UPDATE;
	factor = ir_add_output(m, u, ir_tensor(m, T_SCALAR, DT_F32, false, 1, &two,
	    "loss_scale.factor", m->loc));
	for (i = 0; i < 2; i++)
		ir_add_output(m, u, ir_tensor(m, T_ACTIVATION, DT_F32, false, u->in[i]->rank,
		    u->in[i]->dim, i ? "loss_scale.counted" : "loss_scale.next", m->loc));
	return factor;
}

/* Whose bytes are meant: a parameter may be read under another name, as a value. */
static int
bytes_of(const struct tensor *t)
{
	const struct tensor *root = tensor_root(t);

	return tensor_persistent(root) ? root->id : t->id;
}

/* Moves the nodes from FIRST on, each to just after the last node that defines what it reads or
 * reads what it overwrites. Linear: nodes are dealt into buckets by that place. */
static void
schedule_early(struct module *m, struct graph *g, int first)
{
	int *place = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*place));
	int *head = arena_array(m->arena, (size_t)first + 1, sizeof(*head));
	int *next = arena_array(m->arena, (size_t)g->nodes.n + 1, sizeof(*next));
	struct node **old = g->nodes.v;
	int total = g->nodes.n, i, j, at;

	for (i = 0; i < first; i++) {
		for (j = 0; j < old[i]->nin; j++)
			if (old[i]->in[j])
				place[bytes_of(old[i]->in[j])] = i;
		for (j = 0; j < old[i]->nout; j++)
			if (old[i]->out[j])
				place[bytes_of(old[i]->out[j])] = i;
	}
	for (i = total - 1; i >= first; i--) {	/* backwards, so that each bucket is in order */
		for (at = 0, j = 0; j < old[i]->nin; j++)
			if (old[i]->in[j] && place[bytes_of(old[i]->in[j])] > at)
				at = place[bytes_of(old[i]->in[j])];
		next[i] = head[at];
		head[at] = i;
	}
	g->nodes.v = NULL;
	g->nodes.n = g->nodes.cap = 0;
	for (i = 0; i < first; i++) {
		vec_push(m->arena, &g->nodes, old[i]);
		for (j = head[i]; j; j = next[j])
			vec_push(m->arena, &g->nodes, old[j]);
	}
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct tensor **param, **gradient, *scale = NULL, *loss_scale;
	struct build b = { .module = m };
	int n = 0, i, first, was = m->persistent.n;

	(void)o;
	if (!m->train)
		return true;
	param = arena_array(m->arena, (size_t)was + 1, sizeof(*param));
	gradient = arena_array(m->arena, (size_t)was + 1, sizeof(*gradient));
	for (i = 0; i < was; i++)
		if (m->persistent.v[i]->gradient)
			param[n++] = m->persistent.v[i];
	b.graph = m->train;
	if (m->set.accumulate > 1)
		b.graph = m->update = ir_graph(m, "update", true);
	first = m->train->nodes.n;
	for (i = 0; i < n; i++)
		gradient[i] = m->set.accumulate > 1 ? accumulated(m, param[i]) : param[i]->gradient;
	if (m->set.accumulate > 1)
		schedule_early(m, m->train, first);
	loss_scale = scale_of_loss(m->train);
	if (loss_scale)
		scale = unscale(m, b.graph, loss_scale, n, gradient);
	else if (m->set.clip > 0)
		scale = clip_scale(m, b.graph, n, gradient);
	for (i = 0; i < n; i++) {
		struct tensor *in[] = { param[i], gradient[i], scale };
		const struct op *op = optimizer_of(m, param[i]);
		struct node *u = op_apply(&b, op, attributes_for(m, op, param[i]), param[i]->name,
		    param[i]->loc, 3, in);

		u->phase = PHASE_UPDATE;
	}
	if (m->set.accumulate == 1 && !scale)
		schedule_early(m, m->train, first);
	return !m->broken;
}

const struct pass pass_update = {
	.name = "update",
	.doc = "append clipping and weight updates",
	.run = run,
};
