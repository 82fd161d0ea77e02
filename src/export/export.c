/*
 * The whole way of an export: inputs, layers one by one, and of what they made all that the result
 * needs. Layers of which nothing is read, such as those of a loss, are not even translated.
 */
#include "export/exporter.h"

#include <string.h>

#include "ir/needed.h"
#include "export/gradient.h"
#include "export/training.h"
#include "ir/prediction.h"

static const struct export_op *
row_of(const struct op *op)
{
	int i;

	for (i = 0; export_op_table[i]; i++)
		if (strcmp(export_op_table[i]->name, op->name) == 0)
			return export_op_table[i];
	return NULL;
}

/* Is an operand something that could not be expressed? Of what follows from that, nothing is
 * said. */
static bool
follows(const struct exporter *x, const struct node *n)
{
	int k;

	for (k = 0; k < n->nin; k++)
		if (n->in[k] && n->in[k]->def && !x->value[n->in[k]->id])
			return true;
	return false;
}

void
layer_write(struct exporter *x, const struct node *n)
{
	const struct export_op *row = row_of(n->op);

	if (x->training && row && row->train)
		row->train(x, n);
	else if (x->training && n->op->formula && n->op->kind == OP_LOSS)
		loss_train(x, n);
	else if (n->op->formula && (x->training || !row))
		formula_write(x, n);
	else if (row && row->same)
		result(x, n->out[0], one(x, row->same, value_of(x, n->in[0])));
	else if (row && row->write)
		row->write(x, n);
	else if (x->training && n->op->kind == OP_LOSS)
		export_cannot(x, "this loss is not written in training graphs; train in a program of its own (stowage build)");
	else
		export_cannot(x, "ONNX has no operator that does the same");
}

static bool
is_apart(const struct node *n)
{
	const struct export_op *row = row_of(n->op);

	return row && row->apart;
}

/* Is it such a layer, or does it look up what one found? */
static bool
reads_apart(const struct exporter *x, const struct node *n)
{
	int k;

	for (k = 0; k < n->nin; k++)
		if (n->in[k] && n->in[k]->dtype == DT_I32 && x->apart[n->in[k]->id])
			return true;
	return is_apart(n);
}

/* What makes layers that are functions, and what these need, from the last to the first. */
static void
find_boxed(struct exporter *x, const struct graph *g)
{
	int i, k;

	for (i = 0; i < g->nodes.n; i++)
		x->apart[g->nodes.v[i]->out[0]->id] = reads_apart(x, g->nodes.v[i]);
	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.v[i];

		for (k = 0; k < n->nin && (x->apart[n->out[0]->id] || x->boxed[n->out[0]->id]); k++)
			if (n->in[k])
				x->boxed[n->in[k]->id] = true;
	}
}

/* Is it made of nothing, as numbers that count along an axis are? */
static bool
of_nothing(const struct tensor *t)
{
	int k;

	if (!t->def || t->batched)
		return false;
	for (k = 0; k < t->def->nin; k++)
		if (t->def->in[k] && !of_nothing(t->def->in[k]))
			return false;
	return true;
}

/* What such layers need that is a constant of ONNX, or has indices, would not become the same
 * again; nor what looks up what they found. */
static bool
becomes_function(const struct exporter *x, const struct node *n)
{
	const struct tensor *y = n->out[0];

	return reads_apart(x, n) || (x->boxed[y->id] && (y->dtype == DT_I32 || of_nothing(y)));
}

static void
translate(struct exporter *x, const struct node *n)
{
	if (follows(x, n))
		return;
	x->node = n;
	x->failed = false;
	if (x->training || !becomes_function(x, n)) {
		layer_write(x, n);
		return;
	}
	function_write(x, n);
	x->apart[n->out[0]->id] = true;
}

void
export_nodes(struct exporter *x, const struct graph *g, int count, const struct result *wanted)
{
	bool *needed = arena_array(x->arena, (size_t)x->module->next_tensor + 1, sizeof(*needed));
	int i;

	for (i = 0; i < count; i++)
		needed[wanted[i].tensor->id] = true;
	needed_mark(g->nodes.v, g->nodes.n, needed, NULL);
	for (i = 0; i < g->nodes.n; i++)
		if (needed_of(g->nodes.v[i], needed))
			translate(x, g->nodes.v[i]);
}

/* Its batch has a name, and is one axis more. */
struct model_value
export_described(struct exporter *x, const struct tensor *t, const char *name)
{
	struct model_value v = { .name = name, .known = true, .rank = t->rank + t->batched, .dim = { -1 },
		.symbol = { "batch" }, .type = t->dtype == DT_I32 ? ELEMENT_I32 : t->dtype == DT_U8 ? ELEMENT_U8 : ELEMENT_F32 };
	int i;

	if (v.rank > MODEL_RANK) {
		x->why = arena_printf(x->arena, "%s has %d axes and a batch, and ONNX's models have at most %d", name, t->rank,
		    MODEL_RANK);
		return v;
	}
	for (i = 0; i < t->rank; i++) {
		v.dim[i + t->batched] = t->dim[i];
		v.symbol[i + t->batched] = "";
	}
	return v;
}

static void
note_read(struct exporter *x, struct map *read, const char *name)
{
	if (!map_get(read, name))
		map_put(x->arena, read, name, x);
}

static void
note_outputs(struct exporter *x, struct map *read, const struct model *m)
{
	int i;

	for (i = 0; i < m->outputs.n; i++)
		note_read(x, read, m->outputs.v[i].name);
}

/* Of their bodies the same; they stand after what they read. */
void
keep_needed_nodes(struct exporter *x, struct model *m, struct map *read)
{
	int i, k, n;

	for (i = m->nodes.n - 1; i >= 0; i--) {
		struct model_node *node = m->nodes.v[i];
		bool any = false;

		for (k = 0; k < node->nout; k++)
			any |= map_get(read, node->out[k]) != NULL;
		if (!any)
			m->nodes.v[i] = NULL;
		for (k = 0; any && k < node->nin; k++)
			note_read(x, read, node->in[k]);
		for (k = 0; any && k < node->nattrs; k++)
			if (node->attr[k].type == A_GRAPH) {
				note_outputs(x, read, node->attr[k].graph);
				keep_needed_nodes(x, node->attr[k].graph, read);
			}
	}
	for (i = n = 0; i < m->nodes.n; i++)
		if (m->nodes.v[i])
			m->nodes.v[n++] = m->nodes.v[i];
	m->nodes.n = n;
}

static void
note_operators(struct exporter *x, struct map *used, const struct model *m)
{
	int i, k;

	for (i = 0; i < m->nodes.n; i++) {
		const struct model_node *n = m->nodes.v[i];

		note_read(x, used, n->op);
		for (k = 0; k < n->nattrs; k++)
			if (n->attr[k].type == A_GRAPH)
				note_operators(x, used, n->attr[k].graph);
	}
}

/* Functions of which no node is left. */
static void
drop_unused(struct exporter *x)
{
	struct map used = { 0 };
	int i, n;

	note_operators(x, &used, x->model);
	for (i = n = 0; i < x->model->functions.n; i++)
		if (map_get(&used, arena_join(x->arena, OUR_DOMAIN, ".", x->model->functions.v[i]->name)))
			x->model->functions.v[n++] = x->model->functions.v[i];
	x->model->functions.n = n;
}

/* Nodes, weights and inputs that nothing reads are left out. */
static void
drop_unread(struct exporter *x)
{
	struct model *m = x->model;
	struct map read = { 0 };
	int i, n;

	note_outputs(x, &read, m);
	keep_needed_nodes(x, m, &read);
	drop_unused(x);
	for (i = n = 0; i < m->numbers.n; i++)
		if (map_get(&read, m->numbers.v[i]->name))
			m->numbers.v[n++] = m->numbers.v[i];
	m->numbers.n = n;
	for (i = n = 0; i < m->inputs.n; i++)
		if (map_get(&read, m->inputs.v[i].name))
			m->inputs.v[n++] = m->inputs.v[i];
	m->inputs.n = n;
}

static void
begin(struct exporter *x, const struct graph *g, int count, const struct result *wanted)
{
	int i;

	for (i = 0; i < count; i++)
		if (wanted[i].name)
			map_put(x->arena, &x->names, wanted[i].name, x);
	for (i = 0; i < x->module->persistent.n; i++)
		map_put(x->arena, &x->names, x->module->persistent.v[i]->name, x);
	for (i = 0; i < g->inputs.n; i++) {
		struct tensor *t = g->inputs.v[i];

		map_put(x->arena, &x->names, t->name, x);
		result(x, t, t->name);
		vec_push(x->arena, &x->model->inputs, export_described(x, t, t->name));
		if (i == 0)
			x->samples = t->name;
	}
}

/* Weights that are trained are inputs, too, which whoever runs the model may give anew; the
 * initialisers are what they begin with. */
static void
weights_as_inputs(struct exporter *x)
{
	int i;

	for (i = 0; i < x->module->persistent.n; i++) {
		struct tensor *t = x->module->persistent.v[i];

		if (t->kind == T_PARAM && !t->frozen && x->value[t->id])	/* of all updates */
			vec_push(x->arena, &x->model->inputs, export_described(x, t, t->name));
	}
}

/* What a loss reads goes by the name of what makes it; all else by that of the spec. */
static void
export_output(struct exporter *x, const struct result *r)
{
	const char *value = value_of(x, r->tensor);
	struct model_value out;

	if (r->name)
		called(x, value, r->name);
	out = export_described(x, r->tensor, r->name ? r->name : value);
	out.predicted = r->name != NULL;
	vec_push(x->arena, &x->model->outputs, out);
}

static void
finish(struct exporter *x)
{
	int i;

	drop_unread(x);
	for (i = 0; i < x->model->numbers.n; i++)
		x->result->parameters += x->model->numbers.v[i]->count;
}

bool
export_trains(const struct exporter *x, const struct tensor *t)
{
	return t->kind == T_PARAM && !t->frozen && (x->turn == 0 || t->turn == x->turn);
}

/* The losses of the update at hand, which add up; returns how many. */
static int
losses_of(const struct exporter *x, const struct graph *g, struct result *loss)
{
	int i, count = 0;

	if (x->turn == 0) {
		loss[0] = (struct result){ .tensor = g->loss };
		return 1;
	}
	for (i = 0; i < g->results.n; i++)
		if (turn_has_loss(&x->module->set.turn[x->turn - 1], g->results.v[i].name))
			loss[count++] = g->results.v[i];
	return count;
}

static void
export_training(struct exporter *x, const struct graph *g)
{
	static const struct result named = { .name = "loss" };
	struct result *loss = arena_array(x->arena, (size_t)g->results.n + 1, sizeof(*loss));
	int count = losses_of(x, g, loss), i;
	const char *sum;
	struct model_value out;

	begin(x, g, 1, &named);
	export_nodes(x, g, count, loss);
	x->node = NULL;
	if (x->why || x->result->problems.n > 0)
		return;
	weights_as_inputs(x);
	sum = value_of(x, loss[0].tensor);
	for (i = 1; i < count; i++)
		sum = two(x, "Add", sum, value_of(x, loss[i].tensor));
	called(x, sum, named.name);
	out = export_described(x, loss[0].tensor, named.name);
	out.predicted = true;
	vec_push(x->arena, &x->model->outputs, out);
	export_gradients(x, sum);
	if (x->why || x->result->problems.n > 0)
		return;
	finish(x);
}

static void
export_graph(struct exporter *x, const struct graph *g, int count, const struct result *wanted)
{
	int i;

	begin(x, g, count, wanted);
	find_boxed(x, g);
	export_nodes(x, g, count, wanted);
	x->node = NULL;
	if (x->why || x->result->problems.n > 0)
		return;
	for (i = 0; i < count; i++)
		export_output(x, &wanted[i]);
	finish(x);
}

struct exported *
export_model(struct module *m, const struct checkpoint *c, const char *root, bool training, int64_t update, const char **why)
{
	struct exporter x = { .arena = m->arena, .module = m, .checkpoint = c, .root = root,
		.training = training, .result = ARENA_NEW(m->arena, struct exported), .model = ARENA_NEW(m->arena, struct model),
		.value = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*x.value)),
		.boxed = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*x.boxed)),
		.apart = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*x.apart)) };
	struct result *wanted;
	int count = graph_outputs(m->forward, &wanted);

	x.result->model = x.whole = x.body = x.model;
	x.model->arena = m->arena;
	x.model->producer = m->name;
	x.result->of_spec = training ? m->set.nturns > 0 || update > 0 || !m->forward->loss : count == 0;
	x.turn = m->set.nturns > 0 ? (int)update : 0;
	if (training && m->set.nturns > 0 && (update < 1 || update > m->set.nturns))
		x.why = arena_printf(m->arena, "a step of it is %d updates, each with gradients of its own losses: say which, --update 1 to %d",
		    m->set.nturns, m->set.nturns);
	else if (training && m->set.nturns == 0 && update > 0)
		x.why = "a step of it is one update: leave --update out";
	else if (training && !m->forward->loss)
		x.why = "it has no loss, so there are no gradients";
	else if (training)
		export_training(&x, m->forward);
	else if (count > 0)
		export_graph(&x, m->forward, count, wanted);
	*why = training || count > 0 ? x.why : "it computes nothing for each sample";
	return x.result;
}
