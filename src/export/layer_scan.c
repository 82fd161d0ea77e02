/*
 * scan, which is ONNX's operator Scan: a graph of its own, that gets the states and a step of each
 * sequence, and makes the next states and what there is at the step. There states come first, and
 * sequences after them. What the cell reads of the graph around it, weights and constants included,
 * it reads there by name.
 */
#include "export/exporter.h"

#include "ops/scan.h"

/* ---- any body ---- */

struct model *
steps_begin(struct exporter *x, struct model *body)
{
	struct model *around = x->body;

	body->producer = x->node ? x->node->path : x->about;
	x->body = body;
	return around;
}

const char *
steps_input(struct exporter *x, struct model *body, const char *name, enum element type, bool batched, int rank, const int64_t *dim)
{
	struct model_value v = { .name = export_name(x, name), .type = type, .known = true, .rank = rank + batched, .dim = { -1 },
		.symbol = { "batch" } };
	int i;

	for (i = 0; i < rank; i++) {
		v.dim[i + batched] = dim[i];
		v.symbol[i + batched] = "";
	}
	vec_push(x->arena, &body->inputs, v);
	return v.name;
}

void
steps_output(struct exporter *x, struct model *body, struct model_value v, const char *value)
{
	v.name = one(x, "Identity", value);
	vec_push(x->arena, &body->outputs, v);
}

void
steps_remember(struct exporter *x, struct model *body, int states)
{
	int i;

	for (i = 0; i < states; i++)
		steps_output(x, body, body->inputs.v[i], body->inputs.v[i].name);
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

void
steps_make(struct exporter *x, const struct steps *s, const char *const *in, const char **out)
{
	int sequences = s->body->inputs.n - s->states, made = s->body->outputs.n - s->states;

	make_several(x, "Scan", in, AS({ .name = "body", .type = A_GRAPH, .graph = s->body },
	    attr_is_int("num_scan_inputs", sequences), attr_is_ints(x, "scan_input_axes", sequences, s->axes),
	    attr_is_ints(x, "scan_output_axes", made, s->axes + sequences),
	    attr_is_ints(x, "scan_input_directions", sequences, all_alike(x, sequences, s->reverse)),
	    attr_is_ints(x, "scan_output_directions", made, all_alike(x, made, s->reverse))), s->states + made, out);
}

/* ---- scan ---- */

static void
body_input(struct exporter *x, struct model *body, const struct tensor *t)
{
	struct model_value v = export_described(x, t, export_name(x, t->name));

	result(x, t, v.name);
	vec_push(x->arena, &body->inputs, v);
}

static void
body_output(struct exporter *x, struct model *body, const struct tensor *t)
{
	steps_output(x, body, export_described(x, t, ""), value_of(x, t));
}

static struct model *
body_of(struct exporter *x, const struct node *n, const struct scan *s)
{
	struct model *body = ARENA_NEW(x->arena, struct model), *around = steps_begin(x, body);
	int before = x->result->problems.n, i;

	for (i = 0; i < s->states; i++)
		body_input(x, body, s->body->inputs.v[s->sequences + i]);
	for (i = 0; i < s->sequences; i++)
		body_input(x, body, s->body->inputs.v[i]);
	for (i = s->sequences + s->states; i < s->body->inputs.n; i++)
		result(x, s->body->inputs.v[i], value_of(x, n->in[i]));
	export_nodes(x, s->body, s->body->results.n, s->body->results.v);
	x->node = n;
	x->failed = x->result->problems.n > before;
	for (i = 0; i < s->states && !x->failed; i++)
		body_output(x, body, s->body->results.v[scan_next(s, i)].tensor);
	for (i = 0; i < s->made && !x->failed; i++)
		body_output(x, body, s->body->results.v[i].tensor);
	if (x->training && !x->failed)
		steps_remember(x, body, s->states);
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

static void
scan(struct exporter *x, const struct node *n)
{
	struct scan s = scan_of(n);
	struct model *body = body_of(x, n, &s);
	int count = s.states + s.sequences, i;
	const char **in = arena_array(x->arena, (size_t)count + 1, sizeof(*in)),
	    **out = arena_array(x->arena, (size_t)body->outputs.n + 1, sizeof(*out));
	int64_t *axes = arena_array(x->arena, (size_t)(s.sequences + body->outputs.n) + 1, sizeof(*axes));

	if (x->failed)
		return;
	for (i = 0; i < s.states; i++)
		in[i] = first_state(x, n->in[s.sequences + i], s.body->inputs.v[s.sequences + i]);
	for (i = 0; i < s.sequences; i++) {
		in[s.states + i] = value_of(x, n->in[i]);
		axes[i] = s.axis + n->in[i]->batched;
	}
	for (i = 0; i < s.made; i++)
		axes[s.sequences + i] = s.axis + s.body->results.v[i].tensor->batched;
	steps_make(x, &(struct steps){ body, s.states, s.reverse, axes }, in, out);
	for (i = 0; i < s.states; i++)
		result(x, n->out[SCAN_LAST(&s) + i], out[i]);
	for (i = 0; i < s.made; i++)
		result(x, n->out[i], out[s.states + i]);
}

EXPORT_OP_ROW(scan, .write = scan);
