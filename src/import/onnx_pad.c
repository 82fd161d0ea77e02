/* Frames: what ONNX adds around any axis, or takes away from it. */
#include "import/importer.h"

#include <string.h>

/* What a frame adds before and after each axis of ours; what it takes away is below 0. */
static bool
frame_of(struct importer *im, const struct model_node *n, const struct val *x, int64_t (*sides)[2])
{
	const struct integers *k = known_integers(im, node_in(im, n, 1), "frame"), *axes = val_integers(im, node_in(im, n, 3));
	int i, at, rank = val_rank(x), count = axes ? axes->n : rank;

	if (!k)
		return false;
	if (k->n != 2 * count || (node_in(im, n, 3) && !axes))
		return cannot(im, "its frame is not said axis by axis");
	for (i = 0; i < count; i++) {
		int64_t axis = axes ? axes->v[i] : i;

		if (k->v[i] == 0 && k->v[count + i] == 0)
			continue;
		if (!val_axis(im, x, axis, &at))
			return false;
		if (k->v[i] < -LARGEST_EXTENT || k->v[i] > LARGEST_EXTENT || k->v[count + i] < -LARGEST_EXTENT ||
		    k->v[count + i] > LARGEST_EXTENT)
			return cannot(im, "its frame is too wide");
		sides[at][0] = k->v[i];
		sides[at][1] = k->v[count + i];
	}
	return true;
}

static struct val *
framed(struct importer *im, struct val *x, int64_t (*sides)[2], double value, const char *mode)
{
	int i, rank = x->t->rank;

	for (i = 0; i < rank && x; i++) {
		int64_t from = sides[i][0] < 0 ? -sides[i][0] : 0, less = from - (sides[i][1] < 0 ? sides[i][1] : 0);

		if (less >= x->t->dim[i])
			return cannot(im, "it takes away all there is of an axis"), NULL;
		x = along_run(im, x, i, from, 1, x->t->dim[i] - less);
		sides[i][0] = sides[i][0] > 0 ? sides[i][0] : 0;
		sides[i][1] = sides[i][1] > 0 ? sides[i][1] : 0;
	}
	return x ? along_frame(im, x, sides, value, mode) : NULL;
}

/* Ours for a mode of theirs; NULL: there is none. */
static const char *
frame_mode(const char *theirs)
{
	static const char *const modes[][2] = { { "constant", "constant" }, { "reflect", "reflect" }, { "edge", "replicate" },
		{ "wrap", "circular" } };
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(modes[i][0], theirs) == 0)
			return modes[i][1];
	return NULL;
}

static bool
pad(struct importer *im, const struct model_node *n)
{
	struct val *x = val_laid(im, node_in(im, n, 0), -1);
	const char *theirs = attr_text(n, "mode", "constant"), *mode = frame_mode(theirs);
	int64_t sides[MODEL_RANK][2] = { { 0 } };
	double value = 0;

	if (!x || !frame_of(im, n, x, sides))
		return false;
	if (!mode)
		return cannot(im, "no frame is called '%s'", theirs);
	if (node_in(im, n, 2) && !val_number(node_in(im, n, 2), &value))
		return cannot(im, "what its frame holds is computed");
	return node_makes(im, n, framed(im, x, sides, value, mode));
}

const struct onnx_op onnx_op_pad = { .name = "Pad", .translate = pad };
