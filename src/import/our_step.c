/*
 * Layers of ours in a model that stowage export wrote: a node of our own domain is called as the
 * operator, and has its attributes. What the function of that name does for others is not read, but
 * has to be what stowage export wrote (our_function.h).
 */
#include "import/importer.h"

#include <stdlib.h>
#include <string.h>

/* "nms" of "stowage.nms" or "stowage.nms_2"; NULL: there is no such layer. */
static const struct op *
layer_of(struct importer *im, const struct model_node *n)
{
	const char *name = n->op + strlen(OUR_DOMAIN "."), *end = strrchr(name, '_');
	const struct op *op = op_find(name);

	if (!op && end && end[1] && end[1 + strspn(end + 1, "0123456789")] == '\0')
		op = op_find(arena_strndup(im->arena, name, (size_t)(end - name)));
	return op && op->kind == OP_LAYER && op->shape ? op : NULL;
}

static void
take_reals(struct call *c, const char *name, const struct numbers *n)
{
	double *v = arena_array(c->im->arena, (size_t)n->count + 1, sizeof(*v));
	int i;

	for (i = 0; i < n->count; i++)
		v[i] = numbers_real(n, i);
	call_reals(c, name, (int)n->count, v);
}

/* How many numbers of a list may be there. */
static bool
many(const struct attr_spec *spec, int n)
{
	switch (spec->type) {
	case ATTR_PAIR:
		return n == 2;
	case ATTR_SIDES:
		return n == 4;
	case ATTR_INTS:
	case ATTR_AXES:
	case ATTR_FRAME:
		return n > 0 && n <= MAX_RANK;
	default:
		return false;
	}
}

static bool
is_choice(const char *words, const char *s)
{
	size_t n = strlen(s);

	for (; words && *words; words += strcspn(words, " "), words += *words == ' ')
		if (strcspn(words, " ") == n && memcmp(words, s, n) == 0)
			return true;
	return false;
}

/* False: the operator has no such attribute, or not of that type. */
static bool
take_attr(struct call *c, const struct model_attr *m)
{
	const struct attr_spec *spec = c->op->attrs;

	while (spec && spec->name && strcmp(spec->name, m->name) != 0)
		spec++;
	if (!spec || !spec->name)
		return false;
	if (m->type == A_INT && (spec->type == ATTR_INT || (spec->type == ATTR_BOOL && (m->i == 0 || m->i == 1))))
		call_int(c, m->name, m->i);
	else if (m->type == A_REAL && spec->type == ATTR_REAL)
		call_real(c, m->name, m->r);
	else if (m->type == A_TEXT && spec->type == ATTR_ENUM && is_choice(spec->choices, m->s))
		call_word(c, m->name, m->s);
	else if (m->type == A_INTS && many(spec, m->n))
		call_ints(c, m->name, m->n, m->v);
	else if (m->type == A_NUMBERS && spec->type == ATTR_REALS && m->numbers->type == ELEMENT_F64 && m->numbers->data &&
	    m->numbers->count > 0 && m->numbers->count <= MOST_INTEGERS)
		take_reals(c, m->name, m->numbers);
	else
		return false;
	return true;
}

/* What a call without an attribute would not have. */
static bool
has_required(const struct call *c)
{
	int i;

	for (i = 0; i < op_nattrs(c->op); i++)
		if (c->op->attrs[i].required && !c->attr[i].given)
			return false;
	return true;
}

bool
our_step(struct importer *im, const struct model_node *n)
{
	const char *foreign = map_get(&im->model->foreign, n->op + strlen(OUR_DOMAIN "."));
	const struct op *op = layer_of(im, n);
	struct call c;
	int k;

	if (foreign)
		return cannot(im, "the model's function of that name %s, so it may compute something else than the layer: export the network "
		    "again, or give the function another domain and put its body in its place (onnx.inliner)", foreign);
	if (!op)
		return cannot(im, "this stowage has no such operator; a later one may have written it");
	if (n->nin < op->min_operands || (op->max_operands >= 0 && n->nin > op->max_operands) || n->nout != 1)
		return cannot(im, "%s has not as many operands, or results", op->name);
	call_begin(&c, im, op->name);
	for (k = 0; k < n->nattrs; k++)
		if (!take_attr(&c, &n->attr[k]))
			return cannot(im, "%s has no attribute '%s', or not of that type", op->name, n->attr[k].name);
	if (!has_required(&c))
		return cannot(im, "an attribute that %s needs is not said", op->name);
	for (k = 0; k < n->nin; k++) {
		struct val *v = val_tensor(im, node_in(im, n, k), -1);

		if (!v)
			return false;
		call_in(&c, v);
	}
	return call_end(&c, n->out[0]);
}
