/*
 * Backward of a call of a library's that makes several results (struct tape_library), as
 * _cudnn_rnn_backward in cudnn/RNN.cpp: first the gradients of data, with a copy of the output's
 * gradient where that lies in another order; then those of parameters. What both have at a time is
 * counted before any gradient is made that remains.
 */
#include "frameworks/eager_player.h"

/* Does the output's gradient lie as the output? Zeros in its place lie in their order. */
static bool
lies_alike(const struct player *p, const struct tape_call *c, const struct arriving *dy)
{
	struct tape_shape is, wanted;
	int i;

	if (dy->repeated || !tape_shape(p->t, c->out, &wanted))
		return false;
	if (!dy->shape)
		return tape_in_order(&wanted);
	is = *dy->shape;
	for (i = 0; i < wanted.rank; i++)
		if (wanted.size[i] != 1 && is.step[i] != wanted.step[i])
			return false;
	return true;
}

static bool
wants_parameters(const struct player *p, const struct tape_call *c)
{
	int k;

	for (k = c->library->first; k < c->nin; k++)
		if (p->t->values.v[c->in[k]].wants)
			return true;
	return false;
}

void
eager_lend_backward(struct player *p, const struct tape_call *c, const struct arriving *dy)
{
	int64_t y = p->t->values.v[c->out].bytes, data = 0, parameters = 0;
	bool zeros = dy->block < 0;
	int i;

	eager_add_share(p, &data, c->library->data, 1, 1);
	eager_add_share(p, &data, y, zeros + !lies_alike(p, c, dy), 1);
	eager_add_share(p, &parameters, c->library->parameters, 1, 1);
	eager_add_share(p, &parameters, zeros ? y : 0, 1, 1);
	for (i = 0; i < p->waiting.n; i++) {
		const struct waiting *w = &p->waiting.v[i];

		if (w->whole != c->out)
			continue;
		data -= w->in_order ? w->bytes : 0;	/* in place of zeros, or a copy in their place */
		parameters -= w->bytes;
	}
	if (wants_parameters(p, c) && parameters > data)
		data = parameters;
	if (p->most)
		eager_add_share(p, &data, c->library->most_lent, 1, 1);
	eager_drop(p, eager_make(p, T_WORKSPACE, data));
}

struct arriving
eager_gradient(struct player *p, const struct tape_call *c, int k, int *buffer)
{
	const struct tape_value *x = &p->t->values.v[c->in[k]];
	struct arriving g = { .bytes = x->bytes, .shape = k == 0 ? c->library->gradient : NULL };

	if (k < c->library->first || !c->library->buffer) {
		g.block = eager_make(p, eager_gradient_kind(p->t, x), x->bytes);
		return g;
	}
	if (*buffer < 0)
		*buffer = eager_make(p, T_GRADIENT, c->library->buffer);
	else
		eager_hold(p, *buffer);
	g.block = *buffer;
	g.view = true;
	return g;
}
