/* pixel_shuffle, pixel_unshuffle, channel_shuffle: channels that become places, places that become
 * channels, and channels of several groups one after the other. */
#include "ops/move.h"

#include "ops/shapes.h"

extern const struct op op_pixel_shuffle;

static const struct attr_spec pixel_attrs[] = {
	{ "factor", ATTR_INT, "how many times higher and wider one of the images is", .required = true, .min = 1,
	    .max = 65536 },
	ATTRS_END
};

static const struct attr_spec channel_attrs[] = {
	{ "groups", ATTR_INT, "how many groups the channels are", .required = true, .min = 1, .max = LARGEST_EXTENT },
	ATTRS_END
};

static void
add_part(struct moving *m, int out, int64_t out_step, int in, int64_t in_step, int64_t n)
{
	struct move_part *p = move_part(m, out, in, n);

	p->out_step = out_step;
	p->in_step = in_step;
}

/* [C r r, H, W] is fine, [C, H r, W r] coarse: place (h, i), (w, j) of the latter is channel (c, i,
 * j). */
static void
pixel_moves(const struct node *n, struct moving *m)
{
	bool up = n->op == &op_pixel_shuffle;
	const struct tensor *coarse = up ? n->out[0] : n->in[0];
	int64_t r = op_int(n, "factor");
	int i;

	move_start(m, n->out[0], n->in[0]);
	if (up)
		add_part(m, 0, 1, 0, r * r, coarse->dim[0]);
	else
		add_part(m, 0, r * r, 0, 1, coarse->dim[0]);
	for (i = 1; i < 3; i++) {
		int64_t channel = i == 1 ? r : 1;

		if (up) {
			add_part(m, i, r, i, 1, coarse->dim[i] / r);
			add_part(m, i, 1, 0, channel, r);
		} else {
			add_part(m, i, 1, i, r, coarse->dim[i] / r);
			add_part(m, 0, channel, i, 1, r);
		}
	}
}

static bool
shuffle_shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t r = op_int(n, "factor"), dim[3];

	if (!shape_image(b, n, 0))
		return false;
	if (x->dim[0] % (r * r) != 0)
		return op_error(b, n, "pixel_shuffle: input is %s, whose %lld channels are no multiple of %lld x %lld",
		    op_operand_text(b, x), (long long)x->dim[0], (long long)r, (long long)r);
	dim[0] = x->dim[0] / (r * r);
	dim[1] = x->dim[1] * r;		/* extents are at most 2^40, factors 2^16 */
	dim[2] = x->dim[2] * r;
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, 3, dim) != NULL;
}

static bool
unshuffle_shape(struct build *b, struct node *n)
{
	static const char *const side[] = { "height", "width" };
	const struct tensor *x = n->in[0];
	int64_t r = op_int(n, "factor"), dim[3];
	int i;

	if (!shape_image(b, n, 0))
		return false;
	for (i = 0; i < 2; i++)
		if (x->dim[i + 1] % r != 0)
			return op_error(b, n, "pixel_unshuffle: input is %s, whose %s of %lld is no multiple of %lld",
			    op_operand_text(b, x), side[i], (long long)x->dim[i + 1], (long long)r);
	if (__builtin_mul_overflow(x->dim[0], r * r, &dim[0]))
		dim[0] = INT64_MAX;	/* op_output() objects */
	dim[1] = x->dim[1] / r;
	dim[2] = x->dim[2] / r;
	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, 3, dim) != NULL;
}

static struct tensor *
same_shape(const struct graph *g, const struct node *n)
{
	(void)g;
	return tensor_same_shape(n->in[0], n->out[0]) ? n->in[0] : NULL;
}

const struct op op_pixel_shuffle = {
	.name = "pixel_shuffle",
	.kind = OP_LAYER,
	.brief = "channels become places",
	.doc = "y[c, h r + i, w r + j] = x[c r r + i r + j, h, w]: [C r r, H, W] gives [C, H r, W r], as PyTorch's "
	    "PixelShuffle (Shi et al., 2016). Backward needs neither input nor output.",
	.attrs = pixel_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = shuffle_shape,
	.gradient.build = move_gradient,
	.simplify.identity = same_shape,
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = pixel_moves,
};

const struct op op_pixel_unshuffle = {
	.name = "pixel_unshuffle",
	.kind = OP_LAYER,
	.brief = "places become channels",
	.doc = "y[c r r + i r + j, h, w] = x[c, h r + i, w r + j]: [C, H r, W r] gives [C r r, H, W], the reverse of "
	    "pixel_shuffle. Backward needs neither input nor output.",
	.attrs = pixel_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = unshuffle_shape,
	.gradient.build = move_gradient,
	.simplify.identity = same_shape,
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = pixel_moves,
};

/* ---- groups ---- */

static void
channel_moves(const struct node *n, struct moving *m)
{
	const struct tensor *x = n->in[0];
	int64_t groups = op_int(n, "groups"), each = x->dim[0] / groups;
	int i;

	move_start(m, n->out[0], x);
	add_part(m, 0, groups, 0, 1, each);
	add_part(m, 0, 1, 0, each, groups);
	for (i = 1; i < x->rank; i++)
		move_part(m, i, i, x->dim[i]);
}

static bool
channel_shape(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 1, "[channels, ...]"))
		return false;
	if (x->dim[0] % op_int(n, "groups") != 0)
		return op_error(b, n, "channel_shuffle: input is %s, whose %lld channels are not %lld groups of one size",
		    op_operand_text(b, x), (long long)x->dim[0], (long long)op_int(n, "groups"));
	return op_shape_same(b, n);
}

static struct tensor *
one_group(const struct graph *g, const struct node *n)
{
	(void)g;
	return op_int(n, "groups") == 1 || op_int(n, "groups") == n->in[0]->dim[0] ? n->in[0] : NULL;
}

const struct op op_channel_shuffle = {
	.name = "channel_shuffle",
	.kind = OP_LAYER,
	.brief = "the channels of several groups in turn",
	.doc = "Of G groups of K channels the first of each, then the second of each: y[k G + g] = x[g K + k], as "
	    "ShuffleNet's (Zhang et al., 2017), between convolutions with groups. Backward needs neither input nor "
	    "output.",
	.attrs = channel_attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.shape = channel_shape,
	.gradient.build = move_gradient,
	.simplify.identity = one_group,
	.memory.layout = op_layout_either,
	.calls.kernels = "copy/move.cu",
	.calls.emit = move_emit,
	.calls.moves = channel_moves,
};
