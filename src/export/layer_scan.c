/*
 * scan, which is ONNX's operator Scan: a graph of its own, that gets the states and a step of each sequence, and makes
 * the next states and what there is at the step. There states come first, and sequences after them. What the cell reads
 * of the graph around it, weights and constants included, it reads there by name.
 */
#include "export/exporter.h"

#include "ops/scan.h"

/* An input of the body, by a name that no other value has. */
static void
body_input(struct exporter *x, struct model *body, const struct tensor *t)
{
	const char *name = export_name(x, t->name);

	result(x, t, name);
	vec_push(x->arena, &body->inputs, export_described(x, t, name));
}

/* A result of the body, which may be an input of it, or another result too. */
static void
body_output(struct exporter *x, struct model *body, const struct tensor *t)
{
	const char *name = one(x, "Identity", value_of(x, t));

	vec_push(x->arena, &body->outputs, export_described(x, t, name));
}

static struct model *
body_of(struct exporter *x, const struct node *n, const struct scan *s)
{
	struct model *body = ARENA_NEW(x->arena, struct model), *around = x->body;
	int before = x->result->problems.n, i;

	body->producer = n->path;
	for (i = 0; i < s->states; i++)
		body_input(x, body, s->body->inputs.v[s->sequences + i]);
	for (i = 0; i < s->sequences; i++)
		body_input(x, body, s->body->inputs.v[i]);
	for (i = s->sequences + s->states; i < s->body->inputs.n; i++)
		result(x, s->body->inputs.v[i], value_of(x, n->in[i]));
	x->body = body;
	export_nodes(x, s->body, s->body->results.n, s->body->results.v);
	x->node = n;
	x->failed = x->result->problems.n > before;
	for (i = 0; i < s->states && !x->failed; i++)
		body_output(x, body, s->body->results.v[scan_next(s, i)].tensor);
	for (i = 0; i < s->made && !x->failed; i++)
		body_output(x, body, s->body->results.v[i].tensor);
	x->body = around;
	return body;
}

/* A state that does not depend on the batch is that of each sample, where the cell's does. */
static const char *
first_state(struct exporter *x, const struct tensor *state, const struct tensor *here)
{
	if (state->batched || !here->batched)
		return value_of(x, state);
	return for_each_sample(x, value_of(x, state), state->rank, state->dim);
}

static const int64_t *
all_alike(struct exporter *x, int n, int64_t v)
{
	int64_t *all = arena_array(x->arena, (size_t)n + 1, sizeof(*all));
	int i;

	for (i = 0; i < n; i++)
		all[i] = v;
	return all;
}

static void
scan(struct exporter *x, const struct node *n)
{
	struct scan s = scan_of(n);
	struct model *body = body_of(x, n, &s);
	int count = s.states + s.sequences, i;
	const char **in = arena_array(x->arena, (size_t)count + 1, sizeof(*in)), *out[64];
	int64_t *axes = arena_array(x->arena, (size_t)s.sequences + 1, sizeof(*axes)),
	    *made_axes = arena_array(x->arena, (size_t)s.made + 1, sizeof(*made_axes));

	if (x->failed)
		return;
	for (i = 0; i < s.states; i++)
		in[i] = first_state(x, n->in[s.sequences + i], s.body->inputs.v[s.sequences + i]);
	for (i = 0; i < s.sequences; i++) {
		in[s.states + i] = value_of(x, n->in[i]);
		axes[i] = s.axis + n->in[i]->batched;
	}
	for (i = 0; i < s.made; i++)
		made_axes[i] = s.axis + s.body->results.v[i].tensor->batched;
	make_several(x, "Scan", in, AS({ .name = "body", .type = A_GRAPH, .graph = body },
	    attr_is_int("num_scan_inputs", s.sequences), attr_is_ints(x, "scan_input_axes", s.sequences, axes),
	    attr_is_ints(x, "scan_output_axes", s.made, made_axes),
	    attr_is_ints(x, "scan_input_directions", s.sequences, all_alike(x, s.sequences, s.reverse)),
	    attr_is_ints(x, "scan_output_directions", s.made, all_alike(x, s.made, s.reverse))), s.states + s.made, out);
	for (i = 0; i < s.states; i++)
		result(x, n->out[SCAN_LAST(&s) + i], out[i]);
	for (i = 0; i < s.made; i++)
		result(x, n->out[i], out[s.states + i]);
}

EXPORT_OP_ROW(scan, .write = scan);
