/*
 * --partial: the graph is cut at a node that cannot be expressed. What comes of it becomes an input of the network, of
 * the shape that the file says; what only it read is left out. So the rest can be planned, and
 * trained from what the missing part gives.
 */
#include "import/importer.h"

#include <string.h>

static const struct model_value *
said_of(const struct model *m, const char *name)
{
	int i;

	for (i = 0; i < m->values.n; i++)
		if (strcmp(m->values.v[i].name, name) == 0)
			return &m->values.v[i];
	for (i = 0; i < m->outputs.n; i++)
		if (strcmp(m->outputs.v[i].name, name) == 0)
			return &m->outputs.v[i];
	return NULL;
}

/* Is its first axis the batch, as that of the model's inputs? */
static bool
is_batched(const struct importer *im, const struct model_value *v)
{
	const struct model_value *in;
	int i;

	for (i = 0; i < im->model->inputs.n; i++) {
		in = &im->model->inputs.v[i];
		if (map_get(&im->vals, in->name) && ((struct val *)map_get(&im->vals, in->name))->t)
			return in->dim[0] > 0 ? v->dim[0] == in->dim[0] : v->dim[0] <= 0 && *in->symbol[0] &&
			    strcmp(v->symbol[0], in->symbol[0]) == 0;
	}
	return false;
}

static bool
becomes_input(struct importer *im, const char *name, const char **why)
{
	const struct model_value *v = said_of(im->model, name);

	if (!v || !v->known)
		*why = arena_printf(im->arena, "and the shape of '%s', which it makes, is not said in the file: %s", name,
		    strncmp(im->model->producer, "keras", 5) == 0 ? "Keras does so since 2.13" :
		    "onnx.shape_inference.infer_shapes adds it");
	else if (v->rank == 0 || !is_batched(im, v))
		*why = arena_printf(im->arena, "and '%s', which it makes, has no batch in front, so that it cannot be an input",
		    name);
	else if (v->type == ELEMENT_BOOL || v->type == ELEMENT_OTHER)
		*why = arena_printf(im->arena, "and '%s', which it makes, is not of numbers that an input can have", name);
	else
		return input_add(im, v, why);
	return false;
}

bool
cut_node(struct importer *im, const struct model_node *n, int problems)
{
	struct imported *r = im->result;
	struct import_problem *p;
	const char *why = NULL;
	struct text t;
	int k;

	if (!im->options->partial || r->problems.n == problems)
		return false;
	p = &r->problems.v[r->problems.n - 1];
	text_init(&t, im->arena);
	for (k = 0; k < n->nout && !why; k++) {
		if (!*n->out[k] || !map_get(&im->users, n->out[k]))
			continue;
		if (becomes_input(im, n->out[k], &why))
			text_printf(&t, "%s'%s'", t.n ? ", " : "", n->out[k]);
	}
	if (why) {
		p->why = arena_join(im->arena, p->why, "; ", why);
		return false;
	}
	if (t.n > 0) {
		vec_push(im->arena, &r->notes, arena_printf(im->arena, "node '%s' (%s): %s; cut here: %s, which it makes, is an input",
		    n->name, n->op, p->why, t.s));
		r->cut++;
	}
	r->problems.n = problems;
	return true;
}

void
cut_inputs(struct importer *im)
{
	int i, n = 0;

	if (im->result->cut == 0)
		return;
	for (i = 0; i < im->inputs.n; i++) {
		if (im->inputs.v[i]->uses > 0)
			im->inputs.v[n++] = im->inputs.v[i];
		else
			vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "the input '%s' is left out: only what was "
			    "cut away reads it", im->inputs.v[i]->name));
	}
	im->inputs.n = n;
}
