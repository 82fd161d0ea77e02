/*
 * relu-bits: on a GPU, where backward reads nothing of a dense layer's relu but what passes it,
 * that is kept as bits, a sixteenth of y's bytes in 16 bits, a thirty-second in f32:
 *
 *     y = dense_then(relu, x)                        y, p = dense_gated(x)
 *     dt = relu_grad(dy, y)                          dt = dense_gated_grad(dy, p)
 *     or dt = dense_grad_input_then(relu, dz, y)     or dt = dense_grad_input_gated(dz, p)
 *
 * So it is where y goes into a sum, a concat or a mean, or into a layer that is frozen, whose
 * weights get no gradient. y is then dead after its last reader in forward. A layer whose weights
 * are trained reads y in backward for their gradient; bits would be more bytes there, and nothing
 * changes. Nor does it where recompute keeps y in place of sums that backward reads, and makes
 * these of it again, as for the fewest bytes of a residual network.
 *
 * It runs after order and recompute, and changes nothing about either. The bits live beside y till
 * forward has read that. And where dt was made in y's own bytes, since dy lives on, both are now
 * there. So it is done only where all that is alive then stays below the peak of training: the
 * arena's lower bound does not rise. From y's last reader on to dt there is more room, of which
 * those that are asked after it may take. cuBLASLt makes the bits as it stores y, and applies them:
 * backward reads less, by all of y but twice the bits; so these are to be less than half of y.
 *
 * On target c products are made by tiles in either direction, so a sweep would have to make the
 * bits, which reads y once more than forward does today: nothing is done there.
 *
 * For speed small products are left alone: one kernel may carry out their step, without libraries
 * (plan/cooperative.c), where a sweep makes the bits, which its blocks would wait for.
 *
 * Of what is so small that it becomes 0 in y, and of what is no number, cuBLASLt may say other than
 * y does. Otherwise results are the same.
 *
 * Reads and writes: train after fuse-activation. Invariants after: 1. every bit is read after it is
 * made; 2. of no relu of a dense layer backward reads the result for what passes alone, where there
 * is room for bits, and these are less than half of it.
 */
#include "ir/pass.h"

#include "ops/dense.h"
#include "schedule/headroom.h"
#include "schedule/step.h"
#include "target/target.h"

/* Who reads a tensor's bytes, by the id of the tensor that they are of; of nodes their place and 1,
 * 0: none. */
struct reading {
	int forward;		/* the last that is of forward */
	int gate;		/* the gradient that applies its relu, */
	bool gates, others;	/* two of these; or what else is not of forward does, or a result is of it */
	int last;		/* of all */
};

struct keeping {
	struct graph *g;
	struct arena *scratch;
	struct headroom room;
	bool speed;
	struct reading *of;
	int *made;		/* by the id of a tensor: the node that makes it, and 1 */
};

static void
note_read(struct keeping *s, int i, const struct tensor *t, const struct tensor *gate)
{
	struct reading *r = &s->of[tensor_root(t)->id];

	if (t == gate) {
		r->gates = r->gate != 0;
		r->gate = i + 1;
	} else if (s->g->nodes.v[i]->phase == PHASE_FORWARD) {
		r->forward = i + 1;
	} else {
		r->others = true;
	}
	r->last = i + 1;
}

static void
survey(struct keeping *s)
{
	int i, k;

	for (i = 0; i < s->g->nodes.n; i++) {
		const struct node *n = s->g->nodes.v[i];
		const struct tensor *gate = n->phase == PHASE_BACKWARD ? dense_gate(s->scratch, n) : NULL;

		for (k = 0; k < n->nin; k++)
			if (n->in[k])
				note_read(s, i, n->in[k], gate);
		for (k = 0; k < n->nout; k++)
			if (n->out[k])
				s->made[n->out[k]->id] = i + 1;
	}
	for (i = 0; i < s->g->results.n; i++)
		s->of[tensor_root(s->g->results.v[i].tensor)->id].others = true;
}

/* Is there room for bits in place of Y, and are they less than half of it? */
static bool
fits(struct keeping *s, const struct tensor *y, const struct reading *r)
{
	const struct node *grad = s->g->nodes.v[r->gate - 1];
	int64_t bytes = headroom_bytes(&s->room, y), bits = headroom_aligned(&s->room, dense_gate_bytes(y));
	int from = s->made[y->id] - 1, last = r->forward - 1, gate = r->gate - 1, k;
	bool stays = grad->op != &op_dense_grad_input_then && s->of[tensor_root(grad->in[0])->id].last > r->gate;

	if (2 * bits >= bytes || (stays && !headroom_take(&s->room, gate, gate + 1, bits, 0)))
		return false;
	if (!headroom_take(&s->room, from, last + 1, bits, 0)) {
		if (stays)
			s->room.more[gate] -= bits;
		return false;
	}
	for (k = last + 1; k < gate; k++)
		s->room.more[k] -= bytes - bits;
	return true;
}

/* Does backward read nothing of what N makes but what passes, which is worth bits? */
static bool
is_gated(const struct keeping *s, const struct node *n, const struct reading *r)
{
	return n->phase == PHASE_FORWARD && r->forward && r->gate && !r->gates && !r->others &&
	    !(s->speed && product_is_small(n, s->g->batch));
}

static void
keep_bits(struct keeping *s, struct node *n)
{
	const struct tensor *y = n->nout > 0 ? n->out[0] : NULL;
	const struct reading *r = y ? &s->of[y->id] : NULL;

	if (r && is_gated(s, n, r) && fits(s, y, r))
		dense_gate_apply(s->g->module, n, s->g->nodes.v[r->gate - 1]);
}

static void
keep(struct graph *g, const struct pass_options *o)
{
	struct arena *a = arena_child(g->module->arena);
	size_t tensors = (size_t)g->module->next_tensor + 1;
	struct model *m = step_model(a, g, o, STEP_ONCE);
	struct keeping s = { .g = g, .scratch = a, .room = headroom_new(a, g, o, m), .speed = o->speed,
	    .of = arena_array(a, tensors, sizeof(*s.of)), .made = arena_array(a, tensors, sizeof(*s.made)) };
	int i;

	if (m && step_try(m)) {
		survey(&s);
		for (i = 0; i < g->nodes.n; i++)
			keep_bits(&s, g->nodes.v[i]);
	}
	arena_free(a);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	if (m->train && o->target->libraries && ir_has(m->train, &op_dense_then))
		keep(m->train, o);
	return true;
}

const struct pass pass_relu_bits = {
	.name = "relu-bits",
	.doc = "keep as bits what passes a dense layer's relu, where backward reads nothing else of its result",
	.optional = true,
	.thorough = true,
	.run = run,
};
