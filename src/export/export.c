/*
 * The whole way of an export: inputs, layers one by one, and of what they made all that the result needs. Layers
 * of which nothing is read, such as those of a loss, are not even translated.
 */
#include "export/exporter.h"

#include <string.h>

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

/* Is an operand something that could not be expressed? Of what follows from that, nothing is said. */
static bool
follows(const struct exporter *x, const struct node *n)
{
	int k;

	for (k = 0; k < n->nin; k++)
		if (n->in[k] && n->in[k]->def && !x->value[n->in[k]->id])
			return true;
	return false;
}

static void
translate(struct exporter *x, const struct node *n)
{
	const struct export_op *row = row_of(n->op);

	if (follows(x, n))
		return;
	x->node = n;
	x->failed = false;
	if (row && row->same)
		result(x, n->out[0], make(x, row->same, IN(value_of(x, n->in[0])), AS_IS));
	else if (row)
		row->write(x, n);
	else if (n->op->formula)
		formula_write(x, n);
	else
		export_cannot(x, "ONNX has no operator that does the same");
}

/* By a tensor's id, whether the result needs it. */
static bool *
needed_for(struct exporter *x, const struct tensor *t)
{
	const struct graph *g = x->module->forward;
	bool *needed = arena_array(x->arena, (size_t)x->module->next_tensor + 1, sizeof(*needed));
	int i, k;

	needed[t->id] = true;
	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = g->nodes.v[i];
		bool any = false;

		for (k = 0; k < n->nout; k++)
			any |= n->out[k] && needed[n->out[k]->id];
		for (k = 0; any && k < n->nin; k++)
			if (n->in[k])
				needed[n->in[k]->id] = true;
	}
	return needed;
}

static bool
makes_any(const struct node *n, const bool *needed)
{
	int k;

	for (k = 0; k < n->nout; k++)
		if (n->out[k] && needed[n->out[k]->id])
			return true;
	return false;
}

/* An input or the output: its batch has a name, and is one axis more. */
static struct model_value
described(struct exporter *x, const struct tensor *t, const char *name)
{
	struct model_value v = { .name = name, .known = true, .rank = t->rank + 1, .dim = { -1 }, .symbol = { "batch" },
		.type = t->dtype == DT_I32 ? ELEMENT_I32 : t->dtype == DT_U8 ? ELEMENT_U8 : ELEMENT_F32 };
	int i;

	if (v.rank > MODEL_RANK) {
		x->why = arena_printf(x->arena, "%s has %d axes and a batch, and ONNX's models have at most %d", name, t->rank,
		    MODEL_RANK);
		return v;
	}
	for (i = 0; i < t->rank; i++) {
		v.dim[i + 1] = t->dim[i];
		v.symbol[i + 1] = "";
	}
	return v;
}

/* Nodes, weights and inputs that nothing reads are left out; nodes stand after what they read. */
static void
drop_unread(struct exporter *x)
{
	struct model *m = x->model;
	struct map read = { 0 };
	int i, k, n;

	map_put(x->arena, &read, m->outputs.v[0].name, m);
	for (i = m->nodes.n - 1; i >= 0; i--) {
		struct model_node *node = m->nodes.v[i];
		bool any = false;

		for (k = 0; k < node->nout; k++)
			any |= map_get(&read, node->out[k]) != NULL;
		if (!any)
			m->nodes.v[i] = NULL;
		for (k = 0; any && k < node->nin; k++)
			if (!map_get(&read, node->in[k]))
				map_put(x->arena, &read, node->in[k], m);
	}
	for (i = n = 0; i < m->nodes.n; i++)
		if (m->nodes.v[i])
			m->nodes.v[n++] = m->nodes.v[i];
	m->nodes.n = n;
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
begin(struct exporter *x, const struct graph *g)
{
	int i;

	for (i = 0; i < x->module->persistent.n; i++)
		map_put(x->arena, &x->names, x->module->persistent.v[i]->name, x);
	for (i = 0; i < g->inputs.n; i++) {
		struct tensor *t = g->inputs.v[i];

		map_put(x->arena, &x->names, t->name, x);
		result(x, t, t->name);
		vec_push(x->arena, &x->model->inputs, described(x, t, t->name));
	}
}

static void
export_graph(struct exporter *x, const struct graph *g, const struct tensor *last)
{
	const bool *needed = needed_for(x, last);
	int i;

	begin(x, g);
	for (i = 0; i < g->nodes.n; i++)
		if (makes_any(g->nodes.v[i], needed))
			translate(x, g->nodes.v[i]);
	x->node = NULL;
	if (x->why || x->result->problems.n > 0)
		return;
	vec_push(x->arena, &x->model->outputs, described(x, last, value_of(x, last)));
	drop_unread(x);
	for (i = 0; i < x->model->numbers.n; i++)
		x->result->parameters += x->model->numbers.v[i]->count;
}

struct exported *
export_model(struct module *m, const struct checkpoint *c, const char **why)
{
	struct exporter x = { .arena = m->arena, .module = m, .checkpoint = c,
		.result = ARENA_NEW(m->arena, struct exported), .model = ARENA_NEW(m->arena, struct model),
		.value = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*x.value)) };
	const struct tensor *last = graph_prediction(m->forward);

	x.result->model = x.model;
	x.model->arena = m->arena;
	x.model->producer = m->name;
	if (last)
		export_graph(&x, m->forward, last);
	*why = last ? x.why : "it computes nothing for each sample";
	return x.result;
}
