/*
 * Playing the tape: lifetimes are not decided here but follow from references (eager_player.h).
 *
 * The engine runs, of the nodes that are ready, the one that was made last; since a node is ready
 * when all that were made from its output have run, that is the reverse of the tape. Everything is
 * linear in the calls and their operands.
 */
#include "frameworks/eager_player.h"

#include <string.h>

/* ---- what persists ---- */

/* A parameter that the step gives a gradient? */
static bool
is_trained(const struct tape_value *v)
{
	return v->tensor && v->tensor->kind == T_PARAM && v->wants && v->reached && v->first != TAPE_ALWAYS;
}

/* An input or a target, of which each run has its own? */
static bool
is_staged(const struct tape_storage *s)
{
	return s->kind == T_INPUT || s->kind == T_TARGET;
}

/* Of a group of parameters, from 1, or of those in none. */
static struct torch_update
update_of(const struct tape *t, int group, bool decays)
{
	const struct settings *set = &t->module->set;
	const struct param_group *own = group ? &set->group[group - 1] : NULL;
	const struct op *op = set->optimizer;
	struct node n = { .op = op };
	int i;

	if (!op || !op->torch.update)
		return (struct torch_update){ 0, 0 };
	n.attr = arena_array(t->arena, (size_t)op_nattrs(op) + 1, sizeof(*n.attr));
	for (i = 0; i < op_nattrs(op); i++) {
		n.attr[i] = set->optimizer_attr[i];
		if (strcmp(op->attrs[i].name, "weight_decay") == 0)
			n.attr[i].r = !decays ? 0 : own && own->has_decay ? own->decay : n.attr[i].r;
	}
	return op->torch.update(&n);
}

/* Persistent storages first, in one order for every run of a module: what comes later differs. */
static void
start(struct player *p)
{
	const struct tape *t = p->t;
	int slots = update_of(t, 0, true).slots, i, k;

	for (i = 0; i < t->storages.n; i++) {
		struct block u = { .bytes = t->storages.v[i].bytes, .kind = t->storages.v[i].kind };

		vec_push_moving(t->arena, &p->blocks, u);
	}
	for (i = 0; i < t->storages.n; i++)
		if (t->storages.v[i].constant && !is_staged(&t->storages.v[i]))
			eager_hold(p, i);
	eager_make(p, T_STATISTIC, t->layers_bytes);
	for (i = 0; i < t->values.n; i++) {
		p->gradient[i].block = -1;
		for (k = 0; k < slots && is_trained(&t->values.v[i]); k++)
			eager_make(p, T_OPTIMIZER, t->values.v[i].bytes);
	}
	p->e->persistent = p->e->events.n;
	for (i = 0; i < t->storages.n; i++)
		if (t->storages.v[i].constant && is_staged(&t->storages.v[i]))
			eager_hold(p, i);
	for (i = 0; i < t->values.n && p->gradients_stay; i++)
		if (is_trained(&t->values.v[i]))
			eager_make(p, T_GRADIENT, t->values.v[i].bytes);
	p->e->before = p->e->events.n;
}

/*
 * Copies that a library may make of what a convolution reads and writes, while it runs: in another
 * layout; weights, unless they are of 1x1, as Winograd's F(4x4, 3x3) transforms them, from 3x3 to
 * 6x6.
 */
static void
lend(struct player *p, const struct tape_call *c)
{
	const struct tape_value *v = p->t->values.v;
	const struct tensor *w = c->nin > 1 && c->in[1] != TAPE_NONE ? v[c->in[1]].tensor : NULL;
	bool tiles = w && w->rank == 4 && w->dim[2] * w->dim[3] > 1;
	int64_t bytes = 0;

	if (c->most || c->node->op->torch.parts) {
		if (!p->e->least)
			p->e->least = c->node->op->torch.least;
		eager_drop(p, eager_make(p, T_WORKSPACE, p->most ? c->most : 0));
	}
	if (c->library) {
		eager_add_share(p, &bytes, c->library->forward, 1, 1);
		eager_add_share(p, &bytes, p->most ? c->library->most_lent : 0, 1, 1);
		eager_drop(p, eager_make(p, T_WORKSPACE, bytes));
		return;
	}
	if (!p->most || !w || !(c->node->op->flags & OP_LIBRARY))
		return;
	eager_add_share(p, &bytes, v[c->in[0]].bytes, 1, 1);
	eager_add_share(p, &bytes, v[c->in[1]].bytes, tiles ? 36 : 1, tiles ? 9 : 1);
	eager_add_share(p, &bytes, v[c->out].bytes, 1, 1);
	if (!p->overflow)
		eager_drop(p, eager_make(p, T_WORKSPACE, bytes));
}

/* ---- forward ---- */

static void
forget(struct player *p, int value, int i)
{
	const struct tape_value *v = &p->t->values.v[value];

	if (v->last != i || p->forgotten[value] || p->t->storages.v[v->storage].constant)
		return;
	p->forgotten[value] = true;
	eager_drop(p, v->storage);
}

static void
forward(struct player *p, const struct tape_call *c, int i, int *beside)
{
	const struct tape *t = p->t;
	int64_t kept;
	int k;

	p->node = c->node;
	kept = c->beside;
	if (c->library)
		eager_add_share(p, &p->e->reserve, kept, 1, 1);
	if (p->most && c->library)
		eager_add_share(p, &kept, c->library->most_beside, 1, 1);
	*beside = kept ? eager_make(p, T_SAVED, kept) : -1;
	eager_hold(p, t->values.v[c->out].storage);
	lend(p, c);
	if (c->records && c->saves & SAVES_OUT(0))
		eager_hold(p, t->values.v[c->out].storage);
	for (k = 0; k < c->nin; k++)
		if (tape_keeps(t, c, k))
			eager_hold(p, t->values.v[c->in[k]].storage);
	if (*beside >= 0 && !c->records)
		eager_drop(p, *beside);
	for (k = 0; k < c->nin; k++)
		if (c->in[k] != TAPE_NONE)
			forget(p, c->in[k], i);
	forget(p, c->out, i);
}

/* ---- backward ---- */

static void
arrive(struct player *p, int value, struct arriving g)
{
	struct arriving *sum = &p->gradient[value];

	if (sum->block < 0) {
		*sum = g;
	} else if (p->blocks.v[sum->block].refs == 1 && !sum->view) {
		eager_drop(p, g.block);	/* added in place of the first */
	} else if (p->blocks.v[g.block].refs == 1 && !g.view) {
		eager_drop(p, sum->block);
		*sum = g;
	} else {
		struct arriving both = { .bytes = g.bytes,
			.block = eager_make(p, p->blocks.v[g.block].kind, g.bytes) };

		eager_drop(p, sum->block);
		eager_drop(p, g.block);
		*sum = both;
	}
}

static bool
bit(unsigned bits, int k)
{
	return k < TAPE_BITS && bits >> k & 1;
}

/* How the output's gradient lies as that of the first input; false if it has to be copied for
 * that. */
static bool
lies(struct player *p, const struct tape_call *c, const struct arriving *dy, struct arriving *g)
{
	struct tape_shape *s = ARENA_NEW(p->t->arena, struct tape_shape);
	int i;

	g->shape = NULL;
	if (!c->under && !c->axis)
		return true;
	*s = c->under ? *c->under : *dy->shape;
	for (i = 0; c->axis && i < s->rank; i++) {
		s->size[i] = dy->shape->size[c->axis[i]];
		s->step[i] = dy->shape->step[c->axis[i]];
	}
	if (c->under && !tape_divide(dy->shape, s))
		return false;
	g->shape = tape_in_order(s) ? NULL : s;
	return true;
}

/* DY with its shape said, which is that of the output in its order. */
static const struct arriving *
in_order(struct player *p, const struct tape_call *c, const struct arriving *dy)
{
	struct arriving *said = ARENA_NEW(p->t->arena, struct arriving);
	struct tape_shape *s = ARENA_NEW(p->t->arena, struct tape_shape);
	int64_t step = 1;
	int i;

	*said = *dy;
	if (!tape_shape(p->t, c->out, s))
		return said;
	for (i = s->rank - 1; i >= 0; i--) {
		s->step[i] = step;
		step *= s->size[i];
	}
	said->shape = s;
	return said;
}

/* Is it a sum of DY, along the axes in which X was repeated? The batch is one of them even where it
 * is one sample. */
static bool
is_summed(const struct player *p, const struct tape_call *c, const struct tape_value *x, int64_t dy)
{
	return x->bytes != dy || (p->t->values.v[c->out].batched && !x->batched);
}

/* In TensorFlow a function of one operand's elements makes its gradient over that of its output, if
 * nobody else has it. */
static bool
runs_over(const struct player *p, const struct tape_call *c, const struct tape_value *x, const struct arriving *dy)
{
	return c->nin == 1 && (c->node->op->flags & OP_ELEMENTWISE || c->node->op->formula) && dy->block >= 0 &&
	    !dy->view && !dy->repeated && p->blocks.v[dy->block].refs == 1 && x->bytes == dy->bytes;
}

/* The gradient that the call's node makes for its k-th input. */
static struct arriving
differentiate(struct player *p, const struct tape_call *c, int k, const struct arriving *dy)
{
	const struct tape_value *x = &p->t->values.v[c->in[k]];
	struct arriving g = { .bytes = x->bytes, .view = c->pieces || bit(c->views, k) };

	if (c->axis && !dy->shape)
		dy = in_order(p, c, dy);
	if (!c->pieces && k == 0 && dy->shape && bit(c->passes, k) && !lies(p, c, dy, &g)) {
		g.block = eager_make(p, eager_gradient_kind(p->t, x), x->bytes);
		g.view = false;
		return g;
	}
	if (c->alike && x->bytes == dy->bytes)
		g.shape = dy->shape;
	if (c->pieces || c->repeats || (bit(c->passes, k) && !is_summed(p, c, x, dy->bytes))) {
		g.block = dy->block;
		g.view |= dy->view || c->repeats;
		g.repeated = c->repeats || dy->repeated;
		g.apart = c->pieces && c->apart;
		eager_hold(p, g.block);
		return g;
	}
	if (p->t->tensorflow && runs_over(p, c, x, dy)) {
		g.block = dy->block;
		eager_hold(p, g.block);
		return g;
	}
	g.block = eager_make(p, eager_gradient_kind(p->t, x), bit(c->full, k) ? dy->bytes :
	    k == 0 && c->gradient_room > x->bytes ? c->gradient_room : x->bytes);
	/* a sum over the batch is seen without that axis */
	if (bit(c->passes | c->full, k))
		g.view |= p->t->values.v[c->out].batched && !x->batched;
	return g;
}

static void
release_saved(struct player *p, const struct tape_call *c, int beside)
{
	const struct tape *t = p->t;
	int k;

	if (c->saves & SAVES_OUT(0))
		eager_drop(p, t->values.v[c->out].storage);
	for (k = 0; k < c->nin; k++)
		if (tape_keeps(t, c, k))
			eager_drop(p, t->values.v[c->in[k]].storage);
	if (beside >= 0)
		eager_drop(p, beside);
}

/* What a kernel makes beside the gradients that are wanted is gone when it is done. */
static void
unwanted(struct player *p, const struct tape_call *c)
{
	const struct tape_value *v = p->t->values.v;
	int64_t bytes = 0;
	int k;

	for (k = 0; k < c->nin; k++)
		if (bit(c->always, k) && c->in[k] != TAPE_NONE && !v[c->in[k]].wants)
			eager_add_share(p, &bytes, v[c->in[k]].bytes, 1, 1);
	if (bytes && !p->overflow)
		eager_drop(p, eager_make(p, T_WORKSPACE, bytes));
}

/* What was made at full size is summed to its input's. */
static void
reduce(struct player *p, const struct tape_call *c, const struct tape_value *x, struct arriving *g)
{
	int full = g->block;

	if (!is_summed(p, c, x, p->blocks.v[full].bytes))
		return;
	g->block = eager_make(p, eager_gradient_kind(p->t, x), x->bytes);
	eager_drop(p, full);
}

/* The gradients of parts become that of the whole; of those that have none, zeros are made. */
static void
join_parts(struct player *p, const struct tape_call *c)
{
	const struct tape_value *x = &p->t->values.v[c->in[0]];
	struct arriving dx = { .bytes = x->bytes };
	int64_t missing = x->bytes;
	int i, zeros;

	for (i = 0; i < p->waiting.n; i++)
		missing -= p->waiting.v[i].whole == c->out ? p->waiting.v[i].bytes : 0;
	if (missing == x->bytes || !x->wants)
		return;
	p->node = c->node;
	zeros = eager_make(p, T_WORKSPACE, missing);
	dx.block = eager_make(p, eager_gradient_kind(p->t, x), x->bytes);
	eager_drop(p, zeros);
	eager_forget_waiting(p, c->out);
	arrive(p, c->in[0], dx);
}

/* Gradients that remain lie as what they are of: of a view with gaps a copy is made when it is
 * complete. */
static void
settle(struct player *p, int value, int i)
{
	const struct tape_value *x = &p->t->values.v[value];
	struct arriving *g = &p->gradient[value];
	int view = g->block;

	if (!p->t->storages.v[x->storage].constant || x->view || x->first != i || view < 0 || !g->apart)
		return;
	*g = (struct arriving){ .bytes = x->bytes, .block = eager_make(p, eager_gradient_kind(p->t, x), x->bytes) };
	eager_drop(p, view);
}

/* Products, pools and what sees dy under another shape make a copy in which nothing is repeated. */
static bool
reads_repeated(const struct tape_call *c)
{
	return c->node->op->flags & OP_ELEMENTWISE || c->node->op->formula || c->repeats || c->pieces || c->scratch > 0;
}

static void
backward(struct player *p, const struct tape_call *c, int i, int beside)
{
	const struct tape *t = p->t;
	struct arriving dy = p->gradient[c->out];
	struct arriving *g = p->of_inputs;
	int k, whole = -1, buffer = -1;

	if (c->records && c->joins)
		join_parts(p, c);
	if (!c->records || (dy.block < 0 && !eager_waits(p, c->out)))
		return;
	if (c->part || c->result) {
		p->gradient[c->out].block = -1;
		vec_push(t->arena, &p->waiting, ((struct waiting){ c->in[0], dy.block, dy.bytes, !dy.shape }));
		return;
	}
	p->node = c->node;
	if (c->library)
		eager_lend_backward(p, c, &dy);
	else if (dy.repeated && !reads_repeated(c)) {
		whole = dy.block;
		dy = (struct arriving){ .block = eager_make(p, T_DELTA, dy.bytes), .bytes = dy.bytes };
	}
	if (c->scratch)
		eager_drop(p, eager_make(p, T_WORKSPACE, c->scratch));
#define WANTED(k)	(c->in[k] != TAPE_NONE && t->values.v[c->in[k]].wants)
	for (k = 0; k < c->nin; k++)
		if (WANTED(k))
			g[k] = c->library ? eager_gradient(p, c, k, &buffer) : differentiate(p, c, k, &dy);
	for (k = 0; k < c->nin; k++)
		if (WANTED(k) && bit(c->full, k))
			reduce(p, c, &t->values.v[c->in[k]], &g[k]);
	unwanted(p, c);
	if (!c->library)
		lend(p, c);
	p->gradient[c->out].block = -1;
	if (dy.block >= 0)
		eager_drop(p, dy.block);
	eager_forget_waiting(p, c->out);
	if (whole >= 0)
		eager_drop(p, whole);
	release_saved(p, c, beside);
	for (k = c->nin - 1; k >= 0; k--)	/* as addmm, whose bias comes first */
		if (WANTED(k))
			arrive(p, c->in[k], g[k]);
	for (k = 0; k < c->nin; k++)
		if (WANTED(k))
			settle(p, c->in[k], i);
	/* accumulated ones are complete where their parameter was first read */
	for (k = 0; k < c->nin && p->gradients_stay; k++)
		if (WANTED(k) && is_trained(&t->values.v[c->in[k]]) &&
		    t->values.v[c->in[k]].first == i && p->gradient[c->in[k]].block >= 0) {
			eager_drop(p, p->gradient[c->in[k]].block);
			p->gradient[c->in[k]].block = -1;
		}
#undef WANTED
}

/* ---- update ---- */

/* One group of parameters: its temporaries are alive together. */
static void
update(struct player *p, int group, bool decays)
{
	const struct tape *t = p->t;
	int copies = update_of(t, group, decays).copies, from = p->blocks.n, i, k;

	for (i = 0; i < t->values.n; i++)
		if (is_trained(&t->values.v[i]) &&
		    t->values.v[i].tensor->group == group && !t->values.v[i].tensor->undecayed == decays)
			for (k = 0; k < copies; k++)
				eager_make(p, T_WORKSPACE, t->values.v[i].bytes);
	for (i = from; i < p->blocks.n; i++)
		eager_drop(p, i);
}

static void
finish(struct player *p)
{
	const struct tape *t = p->t;
	int i;

	for (i = 0; i < t->values.n; i++) {
		const struct tape_value *v = &t->values.v[i];

		if (p->gradient[i].block >= 0)
			eager_drop(p, p->gradient[i].block);
		if (v->last == TAPE_ALWAYS && !t->storages.v[v->storage].constant)
			eager_drop(p, v->storage);
	}
}

/* What autograd kept of a forward pass without a backward goes when its result does. */
static void
forget_graph(struct player *p, const int *beside)
{
	const struct tape *t = p->t;
	int i;

	for (i = 0; i < t->calls.n; i++)
		if (t->calls.v[i].records && t->calls.v[i].until == TAPE_ALWAYS)
			release_saved(p, &t->calls.v[i], beside[i]);
}

static void
step_back(struct player *p, const int *beside)
{
	const struct tape *t = p->t;
	int i, one;

	p->phase = PHASE_BACKWARD;
	p->e->kept = p->live;
	one = eager_make(p, T_DELTA, t->values.v[t->loss].bytes);
	eager_hold(p, one);	/* loss.backward() keeps the gradient that it begins with */
	p->gradient[t->loss] = (struct arriving){ .block = one, .bytes = t->values.v[t->loss].bytes };
	for (i = t->calls.n - 1; i >= 0; i--)
		backward(p, &t->calls.v[i], i, beside[i]);
	eager_drop(p, one);
	p->phase = PHASE_UPDATE;
	p->node = NULL;
	for (i = 0; i <= t->module->set.ngroups; i++) {
		update(p, i, true);
		update(p, i, false);
	}
}

/* Gradients of one call's inputs, however many it has. */
static struct arriving *
room_for_inputs(const struct tape *t)
{
	int i, most = 0;

	for (i = 0; i < t->calls.n; i++)
		most = t->calls.v[i].nin > most ? t->calls.v[i].nin : most;
	return arena_array(t->arena, (size_t)most + 1, sizeof(struct arriving));
}

static void
play(struct player *p)
{
	const struct tape *t = p->t;
	int *beside = arena_array(t->arena, (size_t)t->calls.n + 1, sizeof(*beside)), i, k;

	p->of_inputs = room_for_inputs(t);
	start(p);
	for (i = 0; i < t->calls.n; i++) {
		forward(p, &t->calls.v[i], i, &beside[i]);
		for (k = t->calls.v[i].buries; k != TAPE_NONE; k = t->calls.v[k].next)
			release_saved(p, &t->calls.v[k], beside[k]);
	}
	if (t->mode == TAPE_TRAINING)
		step_back(p, beside);
	else
		forget_graph(p, beside);
	finish(p);
}

bool
eager_simulate(const struct module *m, const struct eager_ask *ask, struct eager *e)
{
	static const enum tape_mode mode[] = { [EAGER_STEP] = TAPE_TRAINING,
		[EAGER_VALIDATION] = TAPE_EVALUATION, [EAGER_RECORDED] = TAPE_RECORDED };
	const struct tape_run run = { .batch = ask->batch, .mode = mode[ask->run],
		.relu_keeps = ask->relu_keeps, .tensorflow = ask->tensorflow, .most = ask->most };
	bool step = ask->run == EAGER_STEP;
	struct player p = { .e = e, .most = ask->most, .peak_alone = ask->peak_alone,
		.gradients_stay = ask->most || (step && m->set.accumulate > 1) };

	memset(e, 0, sizeof(*e));
	e->batch = ask->batch;
	if (!m->forward || !m->forward->loss || (step && !m->set.optimizer) || ask->batch < 1 ||
	    precision_is_narrow(m->set.precision) || eager_unknown(m))
		return false;
	p.t = tape_make(m, &run);
	if (step && !p.t->values.v[p.t->loss].wants)
		return false;
	p.gradient = arena_array(m->arena, (size_t)p.t->values.n + 1, sizeof(*p.gradient));
	p.forgotten = arena_array(m->arena, (size_t)p.t->values.n + 1, sizeof(*p.forgotten));
	play(&p);
	return !p.overflow;
}

int64_t
eager_bytes(const struct module *m)
{
	const struct eager_ask ask = { .batch = settings_micro_batch(&m->set), .peak_alone = true };
	struct module in = *m;
	struct eager e;
	int64_t bytes;

	in.arena = arena_child(m->arena);
	bytes = eager_simulate(&in, &ask, &e) ? e.peak : -1;
	arena_free(in.arena);
	return bytes;
}
