/*
 * layout: decides which images lie channels-last in memory, [B, H, W, C], and transposes them where
 * an operator cannot read them so.
 *
 *     image -> conv -> batchnorm -> relu -> maxpool -> flatten -> dense
 *          ^ relayout     channels-last          ^ relayout
 *
 * Tensor cores multiply along channels, and want them adjacent: with channels first, cuDNN's
 * engines for 16 bits and tf32 transpose every operand themselves, in a workspace, at every call,
 * or are not available at all. So the layout exists for convolutions. Element-wise operators,
 * pooling and normalisation accept either layout (op->layout), and a `relayout` is needed only
 * where the two layouts meet: after the input, and before operators that support channels-first
 * only. With one channel, or one position, both layouts are the same bytes and nothing is needed;
 * such tensors are never marked (tensor_has_layouts).
 *
 * A tensor's dims are always [C, H, W]; `channels_last` says that it lies [H, W, C]. The weights of
 * these convolutions, [F, C, KH, KW], lie [F, KH, KW, C]. That is a property of the parameter: its
 * gradient and the optimizer's state lie likewise. Tensors of backward lie as those they are the
 * gradients of. Outside the arena the order is that of the dims: inputs are staged so, and
 * kernels/host/ transposes starting values, checkpoints and predictions.
 *
 * By default this is done for GPUs where products run on tensor cores, in 16 bits and tf32;
 * elsewhere the kernels and cuDNN's engines prefer channels first.
 *
 * Reads and writes: train and validate, before backward exists. Invariants after: 1. the images of
 * a node all have one layout, and it is channels-last only if its operator supports that; 2. inputs
 * are channels-first, as they are staged; 3. weights are channels-last if and only if all their
 * readers are convolutions that run so.
 */
#include "ir/pass.h"

#include <string.h>

#include "target/target.h"
#include "ir/op.h"
#include "ops/shapes.h"

extern const struct op op_relayout;

struct laying {
	struct graph *g;
	struct tensor **turned;	/* by id: the same image in the other layout, where there is one */
};

/* Parameters are no images of the node: they lie as what they are says. */
static bool
is_image(const struct tensor *t)
{
	return t && t->rank == 3 && tensor_has_layouts(t);
}

static bool
is_weight(const struct tensor *t)
{
	return t && t->rank == 4 && t->kind == T_PARAM && tensor_has_layouts(t);
}

static bool
has_convolutions(const struct graph *g)
{
	int i;

	for (i = 0; g && i < g->nodes.n; i++)
		if (op_layout(g->nodes.v[i]) == LAYOUT_LAST)
			return true;
	return false;
}

static bool
is_wanted(const struct module *m, const struct pass_options *o)
{
	if (o->layout != LAYOUTS_AUTO)
		return o->layout == LAYOUTS_CHANNELS_LAST;
	return o->target && o->target->tensor_cores && m->set.precision->tensor_cores &&
	    has_convolutions(m->train ? m->train : m->validate);
}

/* ---- weights ---- */

static void
refuse_other_readers(const struct graph *g)
{
	int i, j;

	for (i = 0; g && i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		for (j = 0; j < n->nin && op_layout(n) != LAYOUT_LAST; j++)
			if (is_weight(n->in[j]))
				n->in[j]->channels_last = false;
	}
}

static void
lay_weights(struct module *m, bool last)
{
	int i;

	for (i = 0; i < m->persistent.n; i++)
		m->persistent.v[i]->channels_last = last && is_weight(m->persistent.v[i]);
	refuse_other_readers(m->train);
	refuse_other_readers(m->validate);
}

/* ---- images ---- */

static struct tensor *
turn(struct laying *l, const struct node *reader, struct tensor *t)
{
	struct module *m = l->g->module;
	struct tensor *y;
	struct node *n;

	if (l->turned[t->id])
		return l->turned[t->id];
	n = ir_node(l->g, &op_relayout, t->name, reader->loc, 1, &t);
	y = ir_tensor_like(m, T_ACTIVATION, t, arena_join(m->arena, t->name, ".",
	    t->channels_last ? "channels-first" : "channels-last"), reader->loc);
	y->channels_last = !t->channels_last;
	l->turned[t->id] = ir_add_output(m, n, y);
	return y;
}

/* Can all images that the node reads be channels-last, and what is gained? */
static bool
runs_last(const struct graph *g, const struct node *n)
{
	enum op_layout layout = op_layout(n);
	bool any = layout == LAYOUT_LAST;
	int j;

	if (layout == LAYOUT_FIRST)
		return false;
	for (j = 0; j < n->nin; j++) {
		const struct tensor *t = n->in[j];

		if (is_weight(t) && !t->channels_last)
			return false;
		if (!is_image(t))
			continue;
		if (!t->channels_last && t->dtype != shape_real(g->module))
			return false;	/* labels, bytes: what nothing turns around */
		any |= t->channels_last;
	}
	return any;
}

static void
lay_node(struct laying *l, struct node *n)
{
	bool last = runs_last(l->g, n);
	int j, k;

	for (j = 0; j < n->nin; j++) {
		struct tensor *t = n->in[j];

		if (!is_image(t) || t->channels_last == last)
			continue;
		n->in[j] = turn(l, n, t);
		for (k = 0; k < n->nout; k++)
			if (n->out[k] && n->out[k]->alias_of == t)
				tensor_alias(n->out[k], n->in[j]);
	}
	for (k = 0; k < n->nout; k++)
		if (is_image(n->out[k]))
			n->out[k]->channels_last = last;
	vec_push(l->g->module->arena, &l->g->nodes, n);
}

static void
lay_images(struct graph *g)
{
	struct laying l = { g, arena_array(g->module->arena, (size_t)g->module->next_tensor + 1,
	    sizeof(*l.turned)) };
	struct node **old = g->nodes.v;
	int n = g->nodes.n, i;

	memset(&g->nodes, 0, sizeof(g->nodes));	/* relayouts come between */
	for (i = 0; i < n; i++)
		lay_node(&l, old[i]);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	bool last = is_wanted(m, o);

	lay_weights(m, last);
	if (last && m->train)
		lay_images(m->train);
	if (last && m->validate)
		lay_images(m->validate);
	return true;
}

const struct pass pass_layout = {
	.name = "layout",
	.doc = "let the images of convolutions lie channels-last where that is faster",
	.run = run,
};
