/* Copies side by side, and channels that become places and back. */
#include "import/importer.h"

#include <string.h>

/* Along axes of one place a copy is a broadcast, which no tensor is made for where arithmetic reads
 * it. */
static bool
tile(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	const struct integers *k = x ? known_integers(im, node_in(im, n, 1), "repeats") : NULL;
	int64_t times[MODEL_RANK], dim[MODEL_RANK];
	bool single = true, any = false;
	struct call c;
	int i, more;

	if (!k)
		return false;
	if (k->n != val_rank(x))
		return cannot(im, "it has %d repeats for %d axes", k->n, val_rank(x));
	more = val_has_batch(x);
	for (i = 0; i < k->n; i++) {
		if (k->batch[i] || k->v[i] < 1 || k->v[i] > LARGEST_EXTENT || (i < more && k->v[i] != 1))
			return cannot(im, i < more ? "it repeats the batch" : "its repeats are out of range");
		if (i < more)
			continue;
		times[i - more] = k->v[i];
		single &= k->v[i] == 1 || x->t->dim[i - more] == 1;
		any |= k->v[i] != 1;
		dim[i - more] = times[i - more] * x->t->dim[i - more];
	}
	if (!any)
		return node_makes(im, n, x);
	call_begin(&c, im, single ? "broadcast" : "repeat");
	call_like(&c, x);
	call_ints(&c, single ? "shape" : "times", x->t->rank, single ? dim : times);
	return call_end(&c, n->out[0]);
}

const struct onnx_op onnx_op_tile = { .name = "Tile", .translate = tile };

/* Channels in two groups, and the other way round. NULL after cannot(), as X is then. */
static struct val *
channels_turned(struct importer *im, struct val *x, int64_t slow, int64_t fast)
{
	int64_t apart[4] = { slow, fast }, axes[4] = { 1, 0, 2, 3 }, joined[3] = { slow * fast };
	struct call c;

	if (!x || slow == 1 || fast == 1)
		return x;
	memcpy(&apart[2], &x->t->dim[1], 2 * sizeof(*apart));
	memcpy(&joined[1], &x->t->dim[1], 2 * sizeof(*joined));
	x = reshape_value(im, x, 4, apart);
	if (!x)
		return NULL;
	call_begin(&c, im, "permute");
	call_like(&c, x);
	call_ints(&c, "axes", 4, axes);
	return reshape_value(im, call_value(&c), 3, joined);
}

static struct val *
shuffled(struct importer *im, const char *ours, struct val *x, int64_t factor)
{
	struct call c;

	if (!x)
		return NULL;
	call_begin(&c, im, ours);
	call_like(&c, x);
	call_int(&c, "factor", factor);
	return call_value(&c);
}

/* Ours has a channel's places side by side among the channels; ONNX, but for the mode CRD, a
 * place's channels. */
static bool
space(struct importer *im, const struct model_node *n)
{
	struct val *x = val_tensor(im, node_in(im, n, 0), -1);
	int64_t by = attr_int(n, "blocksize", 0), channels;
	bool wider = strcmp(n->op, "DepthToSpace") == 0, ours = strcmp(attr_text(n, "mode", "DCR"), "CRD") == 0;

	if (!x)
		return false;
	if (x->t->rank != 3 || by < 1 || by > LARGEST_EXTENT || (wider ? x->t->dim[0] % (by * by) != 0 :
	    x->t->dim[1] % by != 0 || x->t->dim[2] % by != 0))
		return cannot(im, "its input cannot be divided by its blocksize, or is no image");
	channels = wider ? x->t->dim[0] / (by * by) : x->t->dim[0];
	if (wider && !ours)
		x = channels_turned(im, x, by * by, channels);
	x = shuffled(im, wider ? "pixel_shuffle" : "pixel_unshuffle", x, by);
	return node_makes(im, n, wider || ours ? x : channels_turned(im, x, channels, by * by));
}

const struct onnx_op onnx_op_depth_to_space = { .name = "DepthToSpace", .translate = space };
const struct onnx_op onnx_op_space_to_depth = { .name = "SpaceToDepth", .translate = space };
