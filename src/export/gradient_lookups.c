/* Gradients of lookups: what was looked up several times has the sum. */
#include "export/gradient.h"

static void
add_at(struct gradients *g, const char *value, const char *at, const char *dy, int64_t axis)
{
	flow_to(g, value, make(g->x, "ScatterElements", IN(zeros_as(g, value), at, dy),
	    AS(attr_is_int("axis", axis), attr_is_text("reduction", "add"))));
}

/* Slices of a value by indices, which have axes of their own where AXIS was; those before it are the same in both, and
   the first SHARED of these are axes of the indices too. */
static void
add_slices(struct gradients *g, const char *value, const char *at, const char *dy, int axis, int shared)
{
	const struct known_shape *in = shape_known(g, value);
	int64_t dim[MODEL_RANK + 4] = { 0 }, alone[MODEL_RANK + 4];
	int i;

	for (i = 0; in && i < in->rank; i++) {
		dim[i] = i < axis ? 0 : i == axis ? -1 : in->dim[i];	/* 0: as it is */
		alone[i] = i == axis ? -1 : i < shared ? 0 : 1;
		if (dim[i] < 0 && i != axis)
			in = NULL;
	}
	if (!in) {
		no_gradient(g, "a lookup in what has no known shape");
		return;
	}
	dy = two(g->x, "Reshape", dy, ints_constant(g->x, in->rank, dim));
	at = two(g->x, "Expand", two(g->x, "Reshape", at, ints_constant(g->x, in->rank, alone)), one(g->x, "Shape", dy));
	add_at(g, value, at, dy, axis);
}

/* Rows of a table are put back as they are. */
static void
gather(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	const struct known_shape *in = shape_known(g, n->in[0]);
	int64_t axis = node_int(n, "axis", 0);
	const char *at;

	if (axis != 0) {
		add_slices(g, n->in[0], n->in[1], dy[0], (int)(axis < 0 && in ? axis + in->rank : axis), 0);
		return;
	}
	at = two(g->x, "Unsqueeze", cast_to(g->x, n->in[1], ELEMENT_I64), int_constant(g->x, -1));
	flow_to(g, n->in[0], make(g->x, "ScatterND", IN(zeros_as(g, n->in[0]), at, dy[0]), AS(attr_is_text("reduction", "add"))));
}

static void
gather_elements(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	add_at(g, n->in[0], n->in[1], dy[0], node_int(n, "axis", 0));
}

static void
gather_nd(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	if (node_int(n, "batch_dims", 0) == 1)	/* each sample looks up rows of its own table, [B, N, ...], by [B, t, 1] */
		add_slices(g, n->in[0], n->in[1], dy[0], 1, 1);
	else
		flow_to(g, n->in[0], make(g->x, "ScatterND", IN(zeros_as(g, n->in[0]), n->in[1], dy[0]),
		    AS(attr_is_text("reduction", "add"))));
}

/* What is put among others: these have no gradient where it stands. */
static void
scatter_nd(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	if (node_attr(n, "reduction")) {
		no_gradient(g, "what is put in place is added");
		return;
	}
	if (wants(g, n, 0))
		flow_to(g, n->in[0], make(g->x, "ScatterND", IN(dy[0], n->in[1], zeros_as(g, n->in[2])), AS_IS));
	if (wants(g, n, 2))
		flow_to(g, n->in[2], two(g->x, "GatherND", dy[0], n->in[1]));
}

const struct gradient_row gradients_of_lookups[] = {
	{ "Gather", gather }, { "GatherElements", gather_elements }, { "GatherND", gather_nd }, { "ScatterND", scatter_nd },
	{ NULL, NULL }
};
