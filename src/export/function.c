/*
 * Layers that ONNX has no operator for, such as those of detectors, as functions of the model: a
 * node of our own domain, with the operator's attributes, which import reads; and what it does in
 * ONNX's operators, which whatever runs the model puts in its place. Layers of which that is the
 * same share one.
 */
#include "export/exporter.h"

#include <string.h>

/* ---- what a node says ---- */

static const char *
choice(struct exporter *x, const char *words, int64_t i)
{
	for (; i > 0; i--)
		words = strchr(words, ' ') + 1;
	return arena_strndup(x->arena, words, strcspn(words, " "));
}

/* Doubles, as no list of attributes holds them. */
static const struct numbers *
doubles(struct exporter *x, const struct attr *a)
{
	struct numbers *n = ARENA_NEW(x->arena, struct numbers);

	*n = (struct numbers){ .name = "", .type = ELEMENT_F64, .rank = 1, .dim = { a->n }, .count = a->n,
		.data = (const unsigned char *)a->real };
	return n;
}

static struct model_attr
said(struct exporter *x, const struct attr_spec *spec, const struct attr *a)
{
	switch (spec->type) {
	case ATTR_INT:
	case ATTR_BOOL:
		return attr_is_int(spec->name, a->i);
	case ATTR_REAL:
		return attr_is_real(spec->name, a->r);
	case ATTR_ENUM:
		return attr_is_text(spec->name, choice(x, spec->choices, a->i));
	case ATTR_REALS:
		return (struct model_attr){ .name = spec->name, .type = A_NUMBERS, .numbers = doubles(x, a) };
	default:
		return attr_is_ints(x, spec->name, a->n, a->v);
	}
}

static const struct model_attr *
attrs_of(struct exporter *x, const struct node *n)
{
	struct model_attr *all = arena_array(x->arena, (size_t)op_nattrs(n->op) + 1, sizeof(*all));
	int i, count = 0;

	for (i = 0; i < op_nattrs(n->op); i++)
		if (n->attr[i].given)
			all[count++] = said(x, &n->op->attrs[i], &n->attr[i]);
	return all;
}

/* ---- what it does ---- */

/* What belongs to the graph that is being made, and values of what the layer reads. */
struct place {
	struct model *whole, *body;
	const char *within, *samples, *batch;
	struct map names, constants;
	const char **value;
};

static struct place
leave(struct exporter *x, const struct node *n)
{
	struct place p = { x->whole, x->body, x->within, x->samples, x->batch, x->names, x->constants,
		arena_array(x->arena, (size_t)n->nin + 1, sizeof(*p.value)) };
	int k;

	for (k = 0; k < n->nin; k++)
		p.value[k] = value_of(x, n->in[k]);
	return p;
}

static void
come_back(struct exporter *x, const struct place *p, const struct node *n)
{
	int k;

	for (k = 0; k < n->nin; k++)
		result(x, n->in[k], p->value[k]);
	x->whole = p->whole;
	x->body = p->body;
	x->within = p->within;
	x->samples = p->samples;
	x->batch = p->batch;
	x->names = p->names;
	x->constants = p->constants;
}

static void
enter(struct exporter *x, const struct node *n)
{
	int k;

	x->whole = x->body = ARENA_NEW(x->arena, struct model);
	x->body->arena = x->arena;
	x->within = n->op->name;
	x->samples = x->batch = NULL;
	x->names = x->constants = (struct map){ 0 };
	for (k = 0; k < n->nin; k++) {
		struct model_value in = { .name = export_name(x, "x") };

		result(x, n->in[k], in.name);
		vec_push(x->arena, &x->body->inputs, in);
		if (n->in[k]->batched && !x->samples)
			x->samples = in.name;
	}
}

static struct model *
body_of(struct exporter *x, const struct node *n)
{
	struct place p = leave(x, n);
	struct map read = { 0 };
	struct model_value out = { 0 };
	struct model *made;

	enter(x, n);
	layer_write(x, n);
	made = x->body;
	out.name = x->failed ? "" : value_of(x, n->out[0]);
	come_back(x, &p, n);
	vec_push(x->arena, &made->outputs, out);
	map_put(x->arena, &read, out.name, x);
	keep_needed_nodes(x, made, &read);
	return made;
}

/* ---- which are the same ---- */

static bool
names_alike(int n, const char *const *a, int m, const char *const *b)
{
	while (n == m && n > 0 && strcmp(a[n - 1], b[n - 1]) == 0)
		n = --m;
	return n == 0 && m == 0;
}

/* None that these are made of has a graph, or texts. */
static bool
attrs_alike(const struct model_attr *a, const struct model_attr *b)
{
	if (strcmp(a->name, b->name) != 0 || a->type != b->type || a->i != b->i || a->n != b->n || memcmp(&a->r, &b->r, sizeof(a->r)) != 0 ||
	    (a->s && strcmp(a->s, b->s) != 0) || (a->type == A_INTS && memcmp(a->v, b->v, (size_t)a->n * sizeof(*a->v)) != 0))
		return false;
	return a->type != A_NUMBERS || (a->numbers->type == b->numbers->type && a->numbers->rank == b->numbers->rank &&
	    memcmp(a->numbers->dim, b->numbers->dim, sizeof(a->numbers->dim)) == 0 &&
	    memcmp(a->numbers->data, b->numbers->data, (size_t)a->numbers->count * element_bytes(a->numbers->type)) == 0);
}

static bool
nodes_alike(const struct model_node *a, const struct model_node *b)
{
	int k;

	if (strcmp(a->op, b->op) != 0 || a->nattrs != b->nattrs || !names_alike(a->nin, a->in, b->nin, b->in) ||
	    !names_alike(a->nout, a->out, b->nout, b->out))
		return false;
	for (k = 0; k < a->nattrs; k++)
		if (!attrs_alike(&a->attr[k], &b->attr[k]))
			return false;
	return true;
}

static bool
bodies_alike(const struct model *a, const struct model *b)
{
	int i;

	if (a->nodes.n != b->nodes.n || a->inputs.n != b->inputs.n || strcmp(a->outputs.v[0].name, b->outputs.v[0].name) != 0)
		return false;
	for (i = 0; i < a->nodes.n; i++)
		if (!nodes_alike(a->nodes.v[i], b->nodes.v[i]))
			return false;
	return true;
}

/* Functions have names of their own, as not all that runs models tells overloads apart. */
static const char *
function_name(struct exporter *x, const struct node *n, struct model *body, const struct model_attr *attr)
{
	struct model_function *f = ARENA_NEW(x->arena, struct model_function);
	int i, k, others = 0;

	f->attr = arena_array(x->arena, (size_t)op_nattrs(n->op) + 1, sizeof(*f->attr));
	for (k = 0; attr[k].name; k++)
		f->attr[f->nattrs++] = attr[k].name;
	for (i = 0; i < x->model->functions.n; i++) {
		const struct model_function *other = x->model->functions.v[i];

		if (strcmp(other->body->producer, n->op->name) != 0)
			continue;
		if (names_alike(f->nattrs, f->attr, other->nattrs, other->attr) && bodies_alike(body, other->body))
			return other->name;
		others++;
	}
	f->name = others ? arena_printf(x->arena, "%s_%d", n->op->name, others + 1) : n->op->name;
	f->body = body;
	f->body->producer = n->op->name;
	vec_push(x->arena, &x->model->functions, f);
	return f->name;
}

void
function_write(struct exporter *x, const struct node *n)
{
	const char **in = arena_array(x->arena, (size_t)n->nin + 1, sizeof(*in));
	const struct model_attr *attr = attrs_of(x, n);
	struct model *body = body_of(x, n);
	int k;

	if (x->failed)
		return;
	for (k = 0; k < n->nin; k++)
		in[k] = value_of(x, n->in[k]);
	result(x, n->out[0], make(x, arena_join(x->arena, OUR_DOMAIN, ".", function_name(x, n, body, attr)), in, attr));
}
