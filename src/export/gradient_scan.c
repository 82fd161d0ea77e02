/*
 * The gradient of a Scan is a Scan the other way. Its states are the gradients of those, and sums
 * of what comes back to each trained value around the body. A step begins with the states as they
 * were before it, which the Scan made too, computes the body again, in which nothing is drawn, and
 * differentiates that:
 *
 *     states      d state            d weight so far
 *     sequences   those of the Scan  its states before each step     d of what it made
 *     makes       d of sequences
 */
#include "export/gradient.h"

struct scan_back {
	struct gradients *g;
	const struct model_node *node;
	const struct model *body;	/* of the Scan; states, and what it made without its states before each step */
	int states, sequences, made;
	struct names_around around;
	struct model *back;
	const char **in;		/* operands of the Scan that is made */
	int64_t *axes;
	int nin, naxes;
	struct map copy;		/* by a value of the body, that of the step that is computed again */
	const char **state, **weight, **given;	/* what begins: d state, d weight, d of what was made or NULL */
	VEC(const char *) to;		/* values that have the results, in their order; NULL: none */
};

static const char *
copy_of(const struct scan_back *s, const char *value)
{
	const char *copy = map_get(&s->copy, value);

	return copy ? copy : value;
}

/* ---- inputs ---- */

static struct known_shape
shape_of(const struct model_value *v)
{
	struct known_shape s = { .rank = v->rank };
	int i;

	for (i = 0; i < v->rank; i++)
		s.dim[i] = v->dim[i] >= 0 ? v->dim[i] : EXTENT_BATCH;
	return s;
}

/* An input of the step, as V describes it. */
static const char *
input(struct scan_back *s, const struct model_value *v, const char *operand)
{
	struct exporter *x = s->g->x;
	struct model_value mine = *v;
	struct known_shape shape = shape_of(v);

	mine.name = export_name(x, x->about);
	shape_put(s->g, mine.name, &shape);
	vec_push(x->arena, &s->back->inputs, mine);
	s->in[s->nin++] = operand;
	return mine.name;
}

static struct model_value
described(const char *value, const struct known_shape *s)
{
	struct model_value v = { .name = value, .type = ELEMENT_F32, .known = true, .rank = s->rank };
	int i;

	for (i = 0; i < s->rank; i++) {
		v.dim[i] = s->dim[i];
		v.symbol[i] = s->dim[i] == EXTENT_BATCH ? "batch" : "";
	}
	return v;
}

static bool
is_real(const struct model_value *v)
{
	return v->type == ELEMENT_F32;
}

static void
same(struct scan_back *s, const struct model_value *v, const char *operand, bool trained)
{
	const char *name = input(s, v, operand);

	map_put(s->g->x->arena, &s->copy, v->name, (void *)(uintptr_t)name);
	if (trained)
		map_put(s->g->x->arena, &s->g->trained, name, s->g->x);
}

/* States are made in the graph around the body, where operands are. */
static bool
begin_states(struct scan_back *s, const char *const *dy, struct model *around)
{
	struct exporter *x = s->g->x;
	const char *value, *zeros;
	int i;

	for (i = 0; i < s->states; i++) {
		if (!is_real(&s->body->inputs.v[i]))
			continue;
		x->body = around;
		zeros = *dy[i] ? dy[i] : zeros_as(s->g, s->node->out[i]);
		x->body = s->back;
		s->state[i] = input(s, &s->body->inputs.v[i], zeros);
	}
	for (i = 0; i < s->around.n; i++) {
		const struct known_shape *shape = shape_known(s->g, value = s->around.v[i]);
		struct model_value v;

		if (!shape) {
			no_gradient(s->g, "the shape of what its steps read around them is not known");
			return false;
		}
		x->body = around;
		zeros = zeros_as(s->g, value);
		x->body = s->back;
		v = described(value, shape);
		s->weight[i] = input(s, &v, zeros);
	}
	return true;
}

static void
begin_sequences(struct scan_back *s, const char *const *dy)
{
	const struct model_attr *axes = node_attr(s->node, "scan_input_axes"), *made = node_attr(s->node, "scan_output_axes");
	int i, k;

	for (i = 0; i < s->sequences; i++) {
		k = s->states + i;
		same(s, &s->body->inputs.v[k], s->node->in[k], wants(s->g, s->node, k));
		s->axes[s->naxes++] = axes->v[i];
	}
	for (i = 0; i < s->states; i++) {
		same(s, &s->body->inputs.v[i], s->node->out[s->states + s->made + i], is_real(&s->body->inputs.v[i]));
		s->axes[s->naxes++] = 0;
	}
	for (i = 0; i < s->made; i++) {
		if (!*dy[s->states + i])
			continue;
		s->given[i] = input(s, &s->body->outputs.v[s->states + i], dy[s->states + i]);
		s->axes[s->naxes++] = made->v[i];
	}
}

/* ---- a step ---- */

static struct model	*repeat_all(struct scan_back *, const struct model *);

static void
repeat(struct scan_back *s, const struct model_node *n)
{
	struct exporter *x = s->g->x;
	const char **in = arena_array(x->arena, (size_t)n->nin + 1, sizeof(*in)), **out = arena_array(x->arena, (size_t)n->nout + 1, sizeof(*out));
	struct model_attr *attr = arena_array(x->arena, (size_t)n->nattrs + 1, sizeof(*attr));
	int i;

	for (i = 0; i < n->nin; i++)
		in[i] = copy_of(s, n->in[i]);
	for (i = 0; i < n->nattrs; i++) {
		attr[i] = n->attr[i];
		if (attr[i].type == A_GRAPH)
			attr[i].graph = repeat_all(s, attr[i].graph);
	}
	make_several(x, n->op, in, attr, n->nout, out);
	for (i = 0; i < n->nout; i++) {
		map_put(x->arena, &s->copy, n->out[i], (void *)(uintptr_t)out[i]);
		map_put(x->arena, &x->origin, out[i], map_get(&x->origin, n->out[i]));
		if (map_get(&x->stopped, n->out[i]))
			map_put(x->arena, &x->stopped, out[i], x);
	}
}

/* A body in the body: its values have other names, too. */
static struct model *
repeat_all(struct scan_back *s, const struct model *body)
{
	struct exporter *x = s->g->x;
	struct model *copy = ARENA_NEW(x->arena, struct model), *around = steps_begin(x, copy);
	int i;

	for (i = 0; i < body->inputs.n; i++) {
		struct model_value v = body->inputs.v[i];

		v.name = export_name(x, v.name);
		map_put(x->arena, &s->copy, body->inputs.v[i].name, (void *)(uintptr_t)v.name);
		vec_push(x->arena, &copy->inputs, v);
	}
	for (i = 0; i < body->nodes.n; i++)
		repeat(s, body->nodes.v[i]);
	for (i = 0; i < body->outputs.n; i++) {
		struct model_value v = body->outputs.v[i];

		v.name = copy_of(s, v.name);
		vec_push(x->arena, &copy->outputs, v);
	}
	x->body = around;
	return copy;
}

/* The step again, and from its results back. */
static bool
step(struct scan_back *s)
{
	struct gradients *g = s->g;
	int first = s->back->nodes.n, last, i;

	for (i = 0; i < s->body->nodes.n; i++) {
		repeat(s, s->body->nodes.v[i]);
		shape_of_node(g, s->back->nodes.v[s->back->nodes.n - 1]);
		node_trained(g, s->back->nodes.v[s->back->nodes.n - 1]);
	}
	last = s->back->nodes.n;
	for (i = 0; i < s->states; i++)
		if (s->state[i])
			flow_to(g, copy_of(s, s->body->outputs.v[i].name), s->state[i]);
	for (i = 0; i < s->made; i++)
		if (s->given[i])
			flow_to(g, copy_of(s, s->body->outputs.v[s->states + i].name), s->given[i]);
	for (i = last - 1; i >= first && !g->x->why && g->x->result->problems.n == 0; i--)
		node_back(g, s->back->nodes.v[i]);
	return !g->x->why && g->x->result->problems.n == 0;
}

/* ---- outputs ---- */

static void
output(struct scan_back *s, const struct model_value *v, const char *value, const char *to)
{
	struct exporter *x = s->g->x;

	steps_output(x, s->back, *v, value);
	vec_push(x->arena, &s->to, to);
}

static void
end(struct scan_back *s)
{
	struct gradients *g = s->g;
	int i, states = 0;

	for (i = 0; i < s->states; i++) {
		const char *state = copy_of(s, s->body->inputs.v[i].name), *found = map_get(&g->found, state);

		if (s->state[i])
			output(s, &s->body->inputs.v[i], found ? found : zeros_as(g, state), wants(g, s->node, i) ? s->node->in[i] : NULL);
	}
	for (i = 0; i < s->states; i++)
		states += s->state[i] != NULL;
	for (i = 0; i < s->around.n; i++) {
		const char *value = s->around.v[i], *found = map_get(&g->found, value);

		output(s, &s->back->inputs.v[states + i], found ? two(g->x, "Add", s->weight[i], found) : s->weight[i], value);
	}
	for (i = s->states; i < s->states + s->sequences; i++) {
		const char *copy = copy_of(s, s->body->inputs.v[i].name), *found = map_get(&g->found, copy);

		if (!wants(g, s->node, i))
			continue;
		output(s, &s->body->inputs.v[i], found ? found : zeros_as(g, copy), s->node->in[i]);
		s->axes[s->naxes++] = node_attr(s->node, "scan_input_axes")->v[i - s->states];
	}
}

static void
scan(struct gradients *g, const struct model_node *n, const char *const *dy)
{
	struct exporter *x = g->x;
	struct model *around;
	struct map found = g->found;
	struct scan_back s = { .g = g, .node = n, .body = node_attr(n, "body")->graph, .back = ARENA_NEW(x->arena, struct model) };
	const char *about = x->about, **out;
	bool done;
	int i, most;

	s.sequences = (int)node_int(n, "num_scan_inputs", 0);
	s.states = s.body->inputs.n - s.sequences;
	s.made = s.body->outputs.n - 2 * s.states;
	trained_around(g, n, &s.around);
	most = 3 * s.states + s.around.n + 2 * s.sequences + s.made + 1;
	s.in = arena_array(x->arena, (size_t)most, sizeof(*s.in));
	s.axes = arena_array(x->arena, (size_t)most, sizeof(*s.axes));
	s.state = arena_array(x->arena, (size_t)most, sizeof(*s.state));
	s.weight = arena_array(x->arena, (size_t)most, sizeof(*s.weight));
	s.given = arena_array(x->arena, (size_t)most, sizeof(*s.given));
	around = steps_begin(x, s.back);
	g->found = (struct map){ 0 };
	done = begin_states(&s, dy, around);
	if (done)
		begin_sequences(&s, dy);
	done = done && step(&s);
	if (done)
		end(&s);
	x->body = around;
	x->about = about;
	g->found = found;
	g->node = n;
	if (!done)
		return;
	out = arena_array(x->arena, (size_t)s.back->outputs.n + 1, sizeof(*out));
	for (i = most = 0; i < s.states; i++)
		most += s.state[i] != NULL;
	steps_make(x, &(struct steps){ s.back, most + s.around.n, !node_attr(n, "scan_input_directions")->v[0], s.axes }, s.in, out);
	for (i = 0; i < s.to.n; i++)
		if (s.to.v[i])
			flow_to(g, s.to.v[i], out[i]);
}

const struct gradient_row gradients_of_scans[] = { { "Scan", scan }, { NULL, NULL } };
