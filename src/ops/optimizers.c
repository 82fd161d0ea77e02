/* Helpers of optimizers; see optimizers.h. */
#include "ops/optimizers.h"

#include <assert.h>
#include <string.h>

#include "calls/sizes.h"

int
optimizer_alias(const struct node *n, int k)
{
	(void)n;
	return k == 0 ? 0 : FIRST_STATE + k - 1;
}

/* The last of its states, if it is a copy of the parameter. */
static const struct tensor *
copy_of(const struct node *n, bool averages)
{
	int last = n->nout - 1;
	const struct tensor *old = last > 0 ? n->in[optimizer_alias(n, last)] : NULL;

	return old && tensor_copied(old) && old->averages == averages ? n->out[last] : NULL;
}

/* The new master copy, or NULL. */
static const struct tensor *
new_master(const struct node *n)
{
	return copy_of(n, false);
}

const struct tensor *
optimizer_average(const struct node *n)
{
	return copy_of(n, true);
}

void
optimizer_row(const struct node *n, struct update_row *r)
{
	int i, states = n->nout - 1 - (new_master(n) || optimizer_average(n));

	r->name = n->in[0]->name;
	r->weight = n->out[0];
	r->master = new_master(n);
	r->average = optimizer_average(n);
	r->gradient = n->in[1];
	r->clip = n->in[2];
	r->decay = op_real(n, "weight_decay");
	for (i = 0; i < states; i++)
		r->state[i] = n->out[1 + i];
}

/* What the call says once for all its rows: all but rate and decay, which each row has. */
static bool
same_arguments(const struct node *a, const struct node *b)
{
	const struct attr_spec *spec = a->op->attrs;
	int i;

	if (a->attr == b->attr || a->op->attrs != b->op->attrs)
		return true;
	for (i = 0; spec && spec[i].name; i++)
		if (!spec[i].is_rate && strcmp(spec[i].name, "weight_decay") != 0 &&
		    (a->attr[i].i != b->attr[i].i || a->attr[i].r != b->attr[i].r))
			return false;
	return true;
}

bool
optimizer_joins(const struct node *a, const struct node *b)
{
	struct update_row of_a = { 0 }, of_b = { 0 };

	if (!a->op->calls.row || !b->op->calls.row || a->op->calls.emit != b->op->calls.emit ||
	    !same_arguments(a, b) || tensor_root(a->in[0])->turn != tensor_root(b->in[0])->turn)
		return false;
	a->op->calls.row(a, &of_a);
	b->op->calls.row(b, &of_b);
	return of_a.clip == of_b.clip;
}

double
optimizer_rate(const struct module *m, const struct node *n)
{
	int all = op_rate(m->set.optimizer), own = op_rate(n->op);

	if (all < 0 || own < 0 || n->attr[own].r == m->set.optimizer_attr[all].r)
		return 1;
	return n->attr[own].r / m->set.optimizer_attr[all].r;
}

int64_t
optimizer_every(const struct module *m, const struct node *n)
{
	int turn = tensor_root(n->in[0])->turn;

	return turn ? m->set.turn[turn - 1].every : 1;
}

struct call_arg
optimizer_numbers(struct emitter *e, const struct node *n, const char *function, int count, const char *arguments)
{
	return emit_update_numbers(e, function, count, optimizer_every(e->module, n), n->in[2], arguments);
}

struct call_arg
optimizer_adam_numbers(struct emitter *e, const struct node *n)
{
	return optimizer_numbers(e, n, "adam_numbers", 2, arena_printf(e->module->arena, "%s, %s",
	    emit_log_kept(e, op_real(n, "beta1")), emit_log_kept(e, op_real(n, "beta2"))));
}

const char *
optimizer_share(struct emitter *e, const struct node *n)
{
	struct update_row r = { 0 };
	char decay[SIZE_TEXT], rate[SIZE_TEXT];

	optimizer_row(n, &r);
	return arena_printf(e->module->arena, r.average ?
	    "averaged(share_of(%s, %s, %s, %s, %s, %s, %s, %s, %lld), %s)" :
	    "share_of(%s, %s, %s, %s, %s, %s, %s, %s, %lld)",
	    emit_pointer(e, r.weight), emit_pointer(e, r.master), emit_pointer(e, r.gradient),
	    emit_pointer(e, r.state[0]), emit_pointer(e, r.state[1]), emit_pointer(e, r.state[2]),
	    emit_real(decay, r.decay, false),
	    emit_real(rate, optimizer_rate(e->module, n), false), (long long)tensor_elements_per_sample(tensor_whole(r.weight)),
	    emit_pointer(e, r.average));
}

int64_t
optimizer_parts(const struct node *n)
{
	int64_t chunks = (tensor_elements_per_sample(n->in[0]) + UPDATE_CHUNK - 1) / UPDATE_CHUNK;

	return chunks < UPDATE_PARTS ? chunks : UPDATE_PARTS;
}

/* Where SHAPE is NULL, as the parameter; or as a rank's piece of it. */
static struct tensor *
add_state(struct build *b, struct node *n, const char *name, struct init init, const struct state_shape *shape)
{
	struct tensor *p = n->in[0], *s;
	struct state_shape piece = { p->dtype->real, 1, { shard_elements(b->module, tensor_elements_per_sample(p)) } };
	bool shared = settings_shards(&b->module->set) > 1;

	assert(!shared || !shape);	/* settings_unshared() */
	if (shared)
		shape = &piece;
	s = op_param(b, n, name, T_OPTIMIZER, init, shape ? shape->rank : p->rank, shape ? shape->dim : p->dim);
	if (!s)
		return NULL;
	s->shared = shared;
	if (shape)
		s->dtype = shape->dtype;
	else
		s->channels_last = p->channels_last;
	s->gradient_of = p;
	return s;
}

static bool
add_output(struct build *b, struct node *n, const char *suffix, const struct tensor *old)
{
	struct tensor *t = op_output(b, n, suffix, T_ACTIVATION, old->dtype, false, old->rank,
	    old->dim);

	if (t)
		t->channels_last = old->channels_last;
	return t != NULL;
}

bool
optimizer_shapes(struct build *b, struct node *n, int nstates, const char *const *state,
    const struct state_shape *shape)
{
	static const struct init zeros = { INIT_ZEROS, 0 };
	bool master = b->module->set.precision->masters, average = b->module->set.ema > 0;
	const char *last = average ? "average" : "master";
	int i;

	for (i = 0; i < nstates; i++)
		if (!add_state(b, n, state[i], zeros, shape ? &shape[i] : NULL))
			return false;
	if (master || average) {	/* an average of 16 bits is refused */
		struct tensor *copy = add_state(b, n, last, tensor_init(n->in[0]), NULL);

		if (!copy)
			return false;
		copy->copies = n->in[0];
		copy->averages = average;
	}
	if (!add_output(b, n, "new", n->in[0]))
		return false;
	for (i = 0; i < nstates; i++)
		if (!add_output(b, n, state[i], n->in[FIRST_STATE + i]))
			return false;
	return (!master && !average) || add_output(b, n, last, n->in[FIRST_STATE + nstates]);
}

bool
optimizer_shape(struct build *b, struct node *n, int nstates, const char *const *state)
{
	return optimizer_shapes(b, n, nstates, state, NULL);
}

bool
optimizer_shape_means(struct build *b, struct node *n)
{
	static const char *const state[] = { "exp_avg", "exp_avg_sq" };

	return optimizer_shape(b, n, 2, state);
}

struct torch_update
optimizer_torch_adam(const struct node *n)
{
	(void)n;
	return (struct torch_update){ 2, 1 };
}
