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
 * Where several ranks train together, each has made its share of the gradients. They are added up
 * as soon as they are there, while backward goes on, and waited for where they are read; of
 * micro-batches beside backward of the last of an update, where last-sums puts what stands in
 * update here:
 *
 *     accumulate 1:  train:  ... gradient, all_reduce ... all_reduced, its update ...
 *     accumulate k:  update: all_reduce of all, [clip_scale,] all_reduced and update of one after the other
 *
 * Where they share out the optimizer's state (shard optimizer), each gets its piece of that sum
 * alone, and updates that piece of the parameter; then all get all of it, which is waited for at
 * the end:
 *
 *     train:  ... gradient, reduce_scatter ... reduce_scattered, its update, all_gather ... all_gathered
 *
 * Where they share out gradients, too (shard gradients), that piece has bytes of its own, and is
 * what micro-batches add up: the whole gradient is there from backward until all have added to it,
 * of each micro-batch:
 *
 *     accumulate k:  train:  ... gradient, reduce_scatter ... reduce_scattered, accumulate into a persistent piece ...
 *                    update: [clip_scale,] all updates, all_gather of all ... all_gathered
 *
 * Where they share out parameters, each keeps its piece, and what is updated is not brought to all
 * here (passes/gather.c).
 *
 * Where a step is several updates (passes/turns.c), each stands behind its backward, and before the
 * next one's forward, which reads the weights that it made:
 *
 *     train:  forward backward update | forward' backward' update' | ...
 *
 * In f16 the loss is scaled, and loss_scale takes the place of clip_scale, with clipping or
 * without.
 *
 * Invariants after: 1. a parameter is updated once, after its gradient is complete; 2. a node that
 * runs after a parameter's update in the same graph reads what the update made; 3. no node is a
 * `turn`.
 */
#include "ir/pass.h"

#include <string.h>

#include "ir/op.h"
#include "passes/early.h"

static const struct attr *
attributes_for(struct module *m, const struct op *op, const struct tensor *param)
{
	const struct param_group *g = param->group ? &m->set.group[param->group - 1] : NULL;
	const struct attr *all = param->turn ? m->set.turn[param->turn - 1].optimizer_attr : m->set.optimizer_attr;
	int n = op_nattrs(op), rate = op_rate(op), decay = op_attr_at(op, "weight_decay");
	struct attr *attr;

	if (!param->undecayed && !g)
		return all;
	attr = arena_array(m->arena, (size_t)n + 1, sizeof(*attr));
	memcpy(attr, all, (size_t)n * sizeof(*attr));
	if (g && g->has_lr && rate >= 0)
		attr[rate].r = g->lr;
	if (decay >= 0)
		attr[decay].r = param->undecayed ? 0 : g && g->has_decay ? g->decay : attr[decay].r;
	return attr;
}

static const struct op *
optimizer_of(const struct module *m, const struct tensor *param)
{
	const struct op *op = param->turn ? m->set.turn[param->turn - 1].optimizer : m->set.optimizer;
	const struct op *other = op->instead ? op->instead(param) : NULL;

	return other ? other : op;
}

/* Where sums of micro-batches are a tree, those of whole branches that wait for others, beside the
 * sum itself: of k micro-batches log2 k - 1. NULL: there are none. */
static struct tensor *
levels(struct module *m, struct tensor *sum)
{
	int64_t elements = 0, k;
	struct tensor *t;

	for (k = 4; m->set.parts && k <= m->set.accumulate; k *= 2)
		elements += tensor_elements_per_sample(sum);
	if (elements == 0)
		return NULL;
	t = ir_tensor(m, T_GRADIENT, sum->dtype, false, 1, &elements, arena_printf(m->arena, "%s.levels", sum->name), sum->loc);
	t->accumulates = true;
	t->gradient_of = sum->gradient_of;
	return t;
}

/* Adds up what micro-batches have of a gradient: G, which is of PARAM, or of a rank's piece of
 * it. */
static struct tensor *
accumulated(struct module *m, struct tensor *param, struct tensor *g)
{
	struct tensor *sum, *more, *out;
	struct node *n;

	sum = ir_tensor_like(m, T_GRADIENT, g->shared ? g : param,
	    arena_printf(m->arena, "%s.gradient", param->name), param->loc);
	sum->dtype = sum->dtype->real;	/* a sum of many needs more bits than each */
	sum->accumulates = true;
	sum->gradient_of = param;
	sum->shared = g->shared;
	more = levels(m, sum);
	n = ir_node(m->train, op_find("accumulate"), param->name, param->loc, more ? 3 : 2,
	    (struct tensor *[]){ sum, g, more });
	n->phase = PHASE_BACKWARD;
	out = ir_tensor_like(m, T_GRADIENT, sum, sum->name, param->loc);
	out->gradient_of = param;
	out->shared = sum->shared;
	ir_add_output(m, n, out);
	if (more) {
		out = ir_tensor_like(m, T_GRADIENT, more, more->name, param->loc);
		out->gradient_of = param;
		ir_add_output(m, n, out);
	}
	return sum;
}

/* Appends the operator called OP, of a gradient of PARAM, or of its new value, and of a rank's
 * piece of it, if that has bytes of its own; returns what it makes: the last of these. */
static struct tensor *
append_for_ranks(struct module *m, struct graph *g, const char *op, struct tensor *param, struct tensor *in,
    struct tensor *piece)
{
	struct node *n = ir_node(g, op_find(op), param->name, param->loc, piece ? 2 : 1, (struct tensor *[]){ in, piece });
	struct tensor *like = piece ? piece : in, *out = ir_tensor_like(m, like->kind, like, like->name, param->loc);

	n->phase = PHASE_UPDATE;
	if (like->kind == T_GRADIENT)
		out->gradient_of = param;
	out->shared = like->shared;
	return ir_add_output(m, n, out);
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

/* Of the sum that N begins to make, a rank's piece. */
static struct tensor *
piece(struct module *m, struct node *n, struct tensor *param, const struct tensor *whole)
{
	int64_t elements = shard_elements(m, tensor_elements_per_sample(whole));
	struct tensor *s = ir_tensor(m, T_GRADIENT, whole->dtype, false, 1, &elements, whole->name, param->loc);

	s->gradient_of = param;
	s->shared = true;
	return ir_add_output(m, n, s);
}

/* Begins to add up N gradients over all ranks, and changes them to what is read of them. Returns
 * where the first wait stands; where each rank gets bytes for its piece, waits stand where the sums
 * begin, and the whole is free at once. */
static int
reduce(struct module *m, struct graph *g, int n, struct tensor *const *param, struct tensor **gradient)
{
	bool shared = settings_shards(&m->set) > 1, pieces = settings_share_out(&m->set, SHARD_GRADIENTS);
	int first = g->nodes.n, i;

	for (i = 0; i < n; i++) {
		gradient[i] = append_for_ranks(m, g, shared ? "reduce_scatter" : "all_reduce", param[i], gradient[i], NULL);
		if (pieces)
			piece(m, gradient[i]->def, param[i], gradient[i]);
	}
	if (g == m->train)
		early_nodes(g, first);
	first = g->nodes.n;
	for (i = 0; i < n; i++)
		gradient[i] = append_for_ranks(m, g, shared ? "reduce_scattered" : "all_reduced", param[i], gradient[i],
		    pieces ? gradient[i]->def->out[1] : NULL);
	if (!pieces)
		return first;
	early_nodes(g, first);
	return g->nodes.n;
}

/* Appends to train, or to update, the updates of that turn's parameters (0: of all there are). */
static void
append_updates(struct module *m, int turn)
{
	struct tensor **param, **gradient, **made, *scale = NULL, *loss_scale;
	bool pieces = settings_share_out(&m->set, SHARD_GRADIENTS);
	bool spread = settings_shards(&m->set) > 1 && !settings_share_out(&m->set, SHARD_PARAMETERS);
	struct build b = { .module = m };
	struct arena *scratch = arena_child(m->arena);
	int n = 0, i, first, last, was = m->persistent.n;

	param = arena_array(scratch, (size_t)was + 1, sizeof(*param));
	gradient = arena_array(scratch, (size_t)was + 1, sizeof(*gradient));
	made = arena_array(scratch, (size_t)was + 1, sizeof(*made));
	for (i = 0; i < was; i++)
		if (tensor_gradient(m->persistent.v[i]) && m->persistent.v[i]->turn == turn)
			param[n++] = m->persistent.v[i];
	b.graph = m->train;
	if (m->set.accumulate > 1)
		b.graph = m->update = ir_graph(m, "update", true);
	for (i = 0; i < n; i++)
		gradient[i] = param[i]->gradient;
	last = pieces ? reduce(m, m->train, n, param, gradient) : 0;	/* of a micro-batch, in a gradient's own bits */
	first = m->train->nodes.n;
	for (i = 0; i < n && m->set.accumulate > 1; i++)
		gradient[i] = accumulated(m, param[i], gradient[i]);
	if (m->set.accumulate > 1)
		early_nodes(m->train, first);
	if (m->set.accumulate > 1 || !pieces)
		last = settings_data_ranks(&m->set) > 1 && !pieces ? reduce(m, b.graph, n, param, gradient) : b.graph->nodes.n;
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
		made[i] = u->out[0];
	}
	for (i = 0; i < n && spread; i++)
		made[i] = append_for_ranks(m, b.graph, "all_gather", param[i], made[i], NULL);
	if (m->set.accumulate == 1 && !scale)
		early_nodes(m->train, last);
	for (i = 0; i < n && spread; i++)
		append_for_ranks(m, b.graph, "all_gathered", param[i], made[i], NULL);
	arena_free(scratch);
}

/* ---- turns ---- */

extern const struct op op_turn;

/* By the place of a node of train, its turn. A forward node is the first one's that needs it;
 * behind each seed stands what one turn goes back. */
static int *
find_turns(const struct graph *g, int last)
{
	const struct op *seed = op_find("seed");
	int *turn = arena_array(g->module->arena, (size_t)g->nodes.n + 1, sizeof(*turn));
	int *needs = arena_array(g->module->arena, (size_t)g->module->next_tensor + 1, sizeof(*needs));
	int i, k, back = 0;

	for (i = 0; i < g->nodes.n; i++) {
		back += g->nodes.v[i]->op == seed;
		turn[i] = back ? back : last;
	}
	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.v[i];

		if (n->op == &op_turn)
			turn[i] = (int)op_int(n, "number");
		for (k = 0; k < n->nout; k++)
			if (n->out[k] && needs[n->out[k]->id] && needs[n->out[k]->id] < turn[i])
				turn[i] = needs[n->out[k]->id];
		for (k = 0; k < n->nin; k++)
			if (n->in[k] && (!needs[n->in[k]->id] || needs[n->in[k]->id] > turn[i]))
				needs[n->in[k]->id] = turn[i];
	}
	return turn;
}

/* Adds a node to train, which reads what stands for its operands now, unless it only says where a
 * turn ends. */
static void
add_renewed(struct graph *g, struct node *n, struct tensor **now)
{
	int k;

	for (k = 0; k < n->nin; k++)
		if (n->in[k] && now[n->in[k]->id])
			n->in[k] = now[n->in[k]->id];
	for (k = 0; k < n->nout; k++)
		if (n->out[k] && n->out[k]->alias_of && now[n->out[k]->alias_of->id])
			tensor_alias(n->out[k], now[n->out[k]->alias_of->id]);
	if (n->op == &op_turn)
		now[n->out[0]->id] = n->in[0];
	else
		vec_push(g->module->arena, &g->nodes, n);
}

static void
note_updated(const struct graph *g, struct tensor **now)
{
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (n->op->kind == OP_OPTIMIZER || (n->op->ranks.between == BETWEEN_GATHER && n->op->ranks.waits))
			now[tensor_root(n->in[0])->id] = n->out[0];
	}
}

static void
update_in_turns(struct module *m)
{
	struct graph *g = m->train, old = *g, made = *g;
	struct tensor **now = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(struct tensor *));
	int *turn = find_turns(g, m->set.nturns), i, k;

	memset(&made.nodes, 0, sizeof(made.nodes));
	for (k = 1; k <= m->set.nturns; k++) {
		memset(&g->nodes, 0, sizeof(g->nodes));
		for (i = 0; i < old.nodes.n; i++)
			if (turn[i] == k)
				add_renewed(g, old.nodes.v[i], now);
		append_updates(m, k);
		note_updated(g, now);
		for (i = 0; i < g->nodes.n; i++)
			vec_push(m->arena, &made.nodes, g->nodes.v[i]);
	}
	memcpy(&g->nodes, &made.nodes, sizeof(g->nodes));
	if (g->loss && now[g->loss->id])
		g->loss = now[g->loss->id];
}

static bool
run(struct module *m, const struct pass_options *o)
{
	(void)o;
	if (m->train && m->set.nturns)
		update_in_turns(m);
	else if (m->train)
		append_updates(m, 0);
	return !m->broken;
}

const struct pass pass_update = {
	.name = "update",
	.doc = "append clipping and weight updates",
	.run = run,
};
