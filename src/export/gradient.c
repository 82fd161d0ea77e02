/*
 * The training graph: the loss, and its gradient by each trained weight. Nodes of the model are
 * gone through from the last to the first. Where a shape is not known (known_shapes.c) the model
 * finds out itself what it must sum.
 */
#include "export/gradient.h"

#include <string.h>

#include "base/text.h"

const struct model_attr *
node_attr(const struct model_node *n, const char *name)
{
	return model_attr(n, name);
}

int64_t
node_int(const struct model_node *n, const char *name, int64_t otherwise)
{
	const struct model_attr *a = model_attr(n, name);

	return a && a->type == A_INT ? a->i : otherwise;
}

const struct numbers *
constant_of(const struct gradients *g, const char *value)
{
	return map_get(&g->constants, value);
}

void
no_gradient(struct gradients *g, const char *why)
{
	g->x->node = map_get(&g->x->origin, g->node->out[0]);
	if (g->x->node)
		export_cannot(g->x, "its gradient is not written: %s; freeze what comes before it, or train it in a program of its own "
		    "(stowage build)", why);
	else
		g->x->why = arena_printf(g->x->arena, "the gradient of '%s' is not written: %s", g->node->name, why);
}

/* ---- shapes ---- */

const char *
shape_value(struct gradients *g, const char *value)
{
	const struct known_shape *s = shape_known(g, value);
	int i, batches = 0;

	for (i = 0; s && i < s->rank; i++)
		batches += s->dim[i] < 0;
	return s && batches == 0 ? ints_constant(g->x, s->rank, s->dim) : one(g->x, "Shape", value);
}

const char *
shaped_as(struct gradients *g, const char *gradient, const char *value)
{
	return two(g->x, "Reshape", gradient, shape_value(g, value));
}

const char *
zeros_as(struct gradients *g, const char *value)
{
	return two(g->x, "Expand", real_constant(g->x, 0), shape_value(g, value));
}

const char *
last_exchanged(struct gradients *g, const char *value, int rank)
{
	int64_t axes[MODEL_RANK + 4];
	int i;

	for (i = 0; i < rank; i++)
		axes[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
	return transposed(g->x, value, rank, axes);
}

/* ---- sums ---- */

/* Where both shapes are known; NULL: they are not. */
static const char *
summed_known(struct gradients *g, const char *gradient, const struct known_shape *from, const struct known_shape *to)
{
	int64_t axes[MODEL_RANK + 4];
	int i, n = 0, more = from->rank - to->rank;
	bool kept = true;

	for (i = 0; i < from->rank; i++) {
		int64_t a = from->dim[i], b = i < more ? 1 : to->dim[i - more];

		if (a == EXTENT_UNKNOWN || b == EXTENT_UNKNOWN)
			return NULL;
		if (a != b || i < more)
			axes[n++] = i;
		kept &= a == b || i < more;
	}
	if (n == 0)
		return gradient;
	if (kept)	/* only what is in front goes */
		return reduced(g->x, "ReduceSum", gradient, n, axes, false);
	gradient = reduced(g->x, "ReduceSum", gradient, n, axes, true);
	if (more == 0)
		return gradient;
	for (i = 0; i < more; i++)
		axes[i] = i;
	return two(g->x, "Squeeze", gradient, ints_constant(g->x, more, axes));
}

/* What the model finds out: axes where the one has an extent of 1 and the other has not. */
static const char *
summed_unknown(struct gradients *g, const char *gradient, const char *value)
{
	struct exporter *x = g->x;
	const char *from = one(x, "Shape", gradient), *to = one(x, "Shape", value), *more, *as, *axes;

	more = two(x, "Sub", one(x, "Shape", from), one(x, "Shape", to));
	as = make(x, "Concat", IN(two(x, "Expand", int_constant(x, 1), more), to), AS(attr_is_int("axis", 0)));
	axes = two(x, "Squeeze", one(x, "NonZero", one(x, "Not", two(x, "Equal", from, as))), int_constant(x, 0));
	gradient = make(x, "ReduceSum", IN(gradient, axes), AS(attr_is_int("keepdims", 1), attr_is_int("noop_with_empty_axes", 1)));
	return two(x, "Reshape", gradient, to);
}

void
flow_to(struct gradients *g, const char *value, const char *gradient)
{
	const char *before = map_get(&g->found, value);

	if (before)
		map_set(&g->found, value, (void *)(uintptr_t)two(g->x, "Add", before, gradient));
	else
		map_put(g->x->arena, &g->found, value, (void *)(uintptr_t)gradient);
}

void
flow_summed(struct gradients *g, const char *value, const char *gradient, const struct known_shape *from)
{
	const struct known_shape *to = shape_known(g, value);
	const char *sum = from && to ? summed_known(g, gradient, from, to) : NULL;

	flow_to(g, value, sum ? sum : summed_unknown(g, gradient, value));
}

/* ---- nodes ---- */

bool
wants(const struct gradients *g, const struct model_node *n, int k)
{
	return k < n->nin && *n->in[k] && map_get(&g->trained, n->in[k]);
}

/* Of these nothing comes back: what they make has steps, or is no number. */
static bool
ends(const struct model_node *n)
{
	static const char *const ops[] = { "Floor", "Ceil", "Sign", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal", "Not", "And",
		"Or", "IsNaN", "Shape", "ArgMax", "ArgMin", "NonZero", "RandomNormalLike", "RandomUniformLike", NULL };

	return text_is_one_of(n->op, ops);
}

static void
find_around(const struct gradients *g, const struct model_node *n, struct map *seen, struct names_around *found)
{
	int a, i, k;

	for (a = 0; a < n->nattrs; a++)
		for (i = 0; n->attr[a].type == A_GRAPH && i < n->attr[a].graph->nodes.n; i++) {
			const struct model_node *inner = n->attr[a].graph->nodes.v[i];

			for (k = 0; k < inner->nin; k++)
				if (wants(g, inner, k) && !map_get(seen, inner->in[k])) {
					map_put(g->x->arena, seen, inner->in[k], g->x);
					vec_push(g->x->arena, found, inner->in[k]);
				}
			find_around(g, inner, seen, found);
		}
}

void
trained_around(const struct gradients *g, const struct model_node *n, struct names_around *found)
{
	struct map seen = { 0 };

	find_around(g, n, &seen, found);
}

static bool
is_trained(const struct gradients *g, const struct model_node *n)
{
	struct names_around around = { 0 };
	int k;

	for (k = 0; k < n->nin; k++)
		if (wants(g, n, k))
			return true;
	trained_around(g, n, &around);
	return around.n > 0;
}

void
node_trained(struct gradients *g, const struct model_node *n)
{
	struct exporter *x = g->x;
	int k;

	if (ends(n) || !is_trained(g, n))
		return;
	for (k = 0; k < n->nout; k++)
		if (!map_get(&x->stopped, n->out[k]) && !map_get(&g->trained, n->out[k]))
			map_put(x->arena, &g->trained, n->out[k], x);
}

static void
find_trained(struct gradients *g)
{
	struct exporter *x = g->x;
	int i;

	for (i = 0; i < x->module->persistent.n; i++) {
		struct tensor *t = x->module->persistent.v[i];

		if (export_trains(x, t) && x->value[t->id])
			map_put(x->arena, &g->trained, t->name, t);
	}
	for (i = 0; i < x->model->nodes.n; i++)
		node_trained(g, x->model->nodes.v[i]);
}

static const struct gradient_row *
row_of(const char *op)
{
	static const struct gradient_row *const tables[] = { gradients_of_elements, gradients_of_lookups, gradients_of_products,
		gradients_of_resizing, gradients_of_scans, gradients_of_shapes };
	const struct gradient_row *r;
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (r = tables[i]; r->op; r++)
			if (strcmp(r->op, op) == 0)
				return r;
	return NULL;
}

void
node_back(struct gradients *g, const struct model_node *n)
{
	const char **dy = arena_array(g->x->arena, (size_t)n->nout + 1, sizeof(*dy));
	const struct gradient_row *row;
	bool any = false, wanted;
	int k;

	for (k = 0; k < n->nout; k++) {
		dy[k] = map_get(&g->trained, n->out[k]) ? map_get(&g->found, n->out[k]) : NULL;
		any |= dy[k] != NULL;
		dy[k] = dy[k] ? dy[k] : "";
	}
	wanted = is_trained(g, n);
	if (!any || !wanted)
		return;
	g->node = n;
	g->x->about = arena_join(g->x->arena, n->scope ? n->scope : "", ".", "grad");
	row = row_of(n->op);
	if (row)
		row->flow(g, n, dy);
	else
		no_gradient(g, arena_printf(g->x->arena, "it is made of ONNX's %s, which is not differentiated", n->op));
}

static void
output(struct exporter *x, const struct tensor *t, const char *value, const char *name)
{
	called(x, value, name);
	vec_push(x->arena, &x->model->outputs, export_described(x, t, name));
}

void
export_gradients(struct exporter *x, const char *loss)
{
	struct gradients g = { .x = x };
	int i, last = x->model->nodes.n;

	find_shapes(&g);
	find_trained(&g);
	flow_to(&g, loss, real_constant(x, 1));
	for (i = last - 1; i >= 0 && !x->why; i--)
		node_back(&g, x->model->nodes.v[i]);
	x->about = NULL;
	x->node = NULL;
	for (i = 0; i < x->module->persistent.n && !x->why && x->result->problems.n == 0; i++) {
		struct tensor *t = x->module->persistent.v[i];
		const char *found = export_trains(x, t) ? map_get(&g.found, t->name) : NULL;

		if (found)
			output(x, t, found, arena_join(x->arena, t->name, ".", "grad"));
	}
}
