/*
 * Making steps: an operator's attributes are set by name, and the operator itself says what comes
 * of it.
 */
#include "import/importer.h"

#include <stdarg.h>
#include <string.h>

bool
cannot(struct importer *im, const char *fmt, ...)
{
	struct import_problem p = { im->node->name, im->node->op, NULL };
	va_list args;

	va_start(args, fmt);
	p.why = arena_vprintf(im->arena, fmt, args);
	va_end(args);
	vec_push(im->arena, &im->result->problems, p);
	return false;
}

struct val *
val_new(struct importer *im, const char *name)
{
	struct val *v = ARENA_NEW(im->arena, struct val);

	v->name = name;
	return v;
}

struct val *
val_of(struct importer *im, const char *name)
{
	struct val *v = map_get(&im->vals, name);

	if (!v) {
		v = val_new(im, name);
		map_put(im->arena, &im->vals, name, v);
	}
	return v;
}

void
val_alias(struct importer *im, const char *name, struct val *v)
{
	if (map_get(&im->vals, name))
		map_set(&im->vals, name, v);
	else
		map_put(im->arena, &im->vals, name, v);
}

struct val *
node_in(struct importer *im, const struct model_node *n, int k)
{
	return k < n->nin && *n->in[k] ? val_of(im, n->in[k]) : NULL;
}

void
call_begin(struct call *c, struct importer *im, const char *op)
{
	*c = (struct call){ .im = im, .op = std_block(op) ? std_block(op) : op_find(op) };
	c->attr = op_presets(im->arena, c->op);
}

void
call_in(struct call *c, struct val *v)
{
	c->expanded |= v->source.expanded;
	vec_push(c->im->arena, &c->in, val_first(v));
}

void
call_stands(struct call *c, const char *name, struct val *v)
{
	call_in(c, v);
	vec_push(c->im->arena, &c->stands, name);
}

void
call_like(struct call *c, struct val *v)
{
	call_in(c, v);
	c->source = v->source;
}

static struct attr *
given(struct call *c, const char *name)
{
	struct attr *a = op_preset(c->op, c->attr, name);

	a->given = true;
	return a;
}

void
call_int(struct call *c, const char *name, int64_t i)
{
	given(c, name)->i = i;
}

void
call_real(struct call *c, const char *name, double r)
{
	given(c, name)->r = r;
}

/* Numbers that are all alike are written as one, where the operator takes them so. */
void
call_ints(struct call *c, const char *name, int n, const int64_t *v)
{
	struct attr *a = given(c, name);
	const struct attr_spec *spec = &c->op->attrs[a - c->attr];
	bool short_form = spec->type == ATTR_AXES || spec->type == ATTR_FRAME;
	int i, same = 1;

	while (same < n && v[same] == v[0])
		same++;
	if (short_form && same == n && n > 0)
		n = 1;
	a->n = n < MAX_RANK ? n : MAX_RANK;
	for (i = 0; i < a->n; i++)
		a->v[i] = v[i];
}

void
call_frame(struct call *c, const char *name, int axes, const int64_t *sides)
{
	int64_t each[MAX_RANK / 2];
	bool even = true;
	int i;

	for (i = 0; i < axes; i++) {
		even &= sides[2 * i] == sides[2 * i + 1];
		each[i] = sides[2 * i];
	}
	call_ints(c, name, even ? axes : 2 * axes, even ? each : sides);
}

void
call_reals(struct call *c, const char *name, int n, const double *v)
{
	struct attr *a = given(c, name);

	a->n = n;
	a->real = v;
}

void
call_word(struct call *c, const char *name, const char *word)
{
	struct attr *a = given(c, name);
	const struct attr_spec *spec = &c->op->attrs[a - c->attr];
	const char *s = spec->choices;

	a->n = 0;
	for (a->i = spec->type == ATTR_FRAME; *s; a->i++) {
		size_t n = strcspn(s, " ");

		if (n == strlen(word) && memcmp(s, word, n) == 0)
			return;
		s += n + (s[n] == ' ');
	}
}

void
call_init(struct call *c, const char *name, double constant)
{
	given(c, name)->init = (struct init){ constant == 0 ? INIT_ZEROS : INIT_CONSTANT, constant };
}

void
call_weight(struct call *c, const struct numbers *n, bool transposed)
{
	call_view(c, n, transposed && n->rank == 2 ? view_transposed(c->im->arena, n->dim[0], n->dim[1]) : NULL);
}

void
call_view(struct call *c, const struct numbers *n, const struct view *v)
{
	c->weight[c->nweights++] = (struct weight){ n, v, false };
}

void
call_frozen(struct call *c, const struct numbers *n, const struct view *v)
{
	c->weight[c->nweights++] = (struct weight){ n, v, true };
}

/* "layer1.0.conv1" of "layer1.0.conv1.weight"; a name without dots says nothing of its layer. */
static const char *
layer_of(struct importer *im, const struct numbers *n)
{
	const char *dot = strrchr(n->name, '.');

	if (!dot || strstr(n->name, "::"))
		return NULL;
	return arena_strndup(im->arena, n->name, (size_t)(dot - n->name));
}

/* "layer1.0.conv1" of "/layer1/layer1.0/conv1/Conv", as older exporters of PyTorch name nodes. */
static const char *
layer_of_node(struct importer *im, const char *name)
{
	const char *s = name, *last = "", *joined = "";
	size_t n;

	if (*s != '/')
		return NULL;
	while (*s == '/' && strchr(s + 1, '/')) {
		n = strcspn(s + 1, "/");
		last = arena_strndup(im->arena, s + 1, n);
		if (*joined && strncmp(last, joined, strlen(joined)) == 0 && last[strlen(joined)] == '.')
			joined = last;
		else
			joined = *joined ? arena_join(im->arena, joined, ".", last) : last;
		s += n + 1;
	}
	return joined;
}

const char *
node_scope(struct importer *im, const struct model_node *n)
{
	const char *path = layer_of_node(im, n->name);

	return path ? path : n->scope;
}

static const char *
source_path(const struct call *c)
{
	const char *path = c->nweights > 0 ? layer_of(c->im, c->weight[0].numbers) : NULL;

	if (!path)
		path = node_scope(c->im, c->im->node);
	return path ? path : "";
}

/* A parameter has the shape of what it is in the source, but for axes of extent 1. */
static bool
weight_fits(const struct tensor *p, const struct weight *w)
{
	const struct view *v = w->view;
	int64_t count = tensor_elements_per_sample(p), viewed = 1, last, more;
	int i;

	if (!v)
		return count == w->numbers->count;
	for (i = 0, last = v->first; i < v->rank; i++)
		if (v->dim[i] < 1 || __builtin_mul_overflow(viewed, v->dim[i], &viewed) ||
		    __builtin_mul_overflow(v->dim[i] - 1, v->stride[i], &more) || __builtin_add_overflow(last, more, &last))
			return false;
	return viewed == count && last < w->numbers->count && (v->rank != p->rank || v->dim[0] == p->dim[0]);
}

static bool
weights_fit(struct importer *im, const struct step *s)
{
	int i, k, n = 0;

	for (i = 0; i < im->build.params.n; i++) {
		const struct tensor *p = im->build.params.v[i];

		for (k = s->nin - s->nstand; k < s->nin && s->in[k]->t != p; k++)
			;
		if (k < s->nin)
			continue;
		if (n >= s->nweights || !weight_fits(p, &s->weight[n++]))
			return cannot(im, "its weights have not the shapes that its input asks for");
	}
	return n == s->nweights || cannot(im, "it has weights that %s does not have", s->op->name);
}

static bool
take_weights(struct importer *im, const struct call *c)
{
	int i;

	for (i = 0; i < c->nweights; i++) {
		const struct numbers *n = c->weight[i].numbers;

		if (!n)
			return false;	/* which was said */
		if (!numbers_are_real(n))
			return cannot(im, "its weights '%s' are no real numbers", n->name);
	}
	return true;
}

static bool
apply(struct call *c, struct step *s)
{
	struct importer *im = c->im;
	struct tensor **t = arena_array(im->arena, (size_t)c->in.n + 1, sizeof(*t));
	struct tie *tie = arena_array(im->arena, (size_t)c->stands.n + 1, sizeof(*tie));
	int i, operands = c->in.n - c->stands.n, before = im->module->diags->all.n, nodes = im->build.graph->nodes.n;

	for (i = 0; i < c->in.n; i++) {
		t[i] = c->in.v[i]->t;
		c->in.v[i]->uses++;
	}
	for (i = 0; i < c->stands.n; i++)
		tie[i] = (struct tie){ .name = c->stands.v[i], .tensor = t[operands + i] };
	im->build.tie = tie;
	im->build.nties = c->stands.n;
	s->made = op_apply(&im->build, c->op, s->attr, arena_printf(im->arena, "%d", s->number), (struct loc){ 0 },
	    operands, t);
	im->build.nties = 0;
	s->nodes = im->build.graph->nodes.n - nodes;
	if (s->made->out[0]->kind == T_POISON) {
		if (before < im->module->diags->all.n)
			return cannot(im, "%s", im->module->diags->all.v[before]->message);
		return cannot(im, "%s cannot be made of its inputs", c->op->name);
	}
	return weights_fit(im, s);
}

static bool
in_range(const struct attr_spec *spec, double v)
{
	return (spec->min == 0 && spec->max == 0) || (v >= spec->min && v <= spec->max);
}

/* What a spec may not say, no operator is asked for. */
static bool
attrs_in_range(struct importer *im, const struct call *c)
{
	int i, k;

	for (i = 0; i < op_nattrs(c->op); i++) {
		const struct attr_spec *spec = &c->op->attrs[i];
		const struct attr *a = &c->attr[i];
		bool ok = true;

		if (!a->given)
			continue;
		if (spec->type == ATTR_INT)
			ok = in_range(spec, (double)a->i);
		else if (spec->type == ATTR_REAL)
			ok = a->r - a->r == 0 && in_range(spec, a->r);
		else if (spec->type == ATTR_REALS)
			for (k = 0; k < a->n; k++)
				ok &= a->real[k] - a->real[k] == 0 && in_range(spec, a->real[k]);
		else if (spec->type != ATTR_INIT)
			for (k = 0; k < a->n; k++)
				ok &= in_range(spec, (double)a->v[k]);
		if (!ok)
			return cannot(im, "its %s is out of range for %s", spec->name, c->op->name);
	}
	return true;
}

static bool
finish(struct call *c, struct val *out)
{
	struct importer *im = c->im;
	struct step *s = ARENA_NEW(im->arena, struct step);

	if (!attrs_in_range(im, c) || !take_weights(im, c))
		return false;
	*s = (struct step){ .op = c->op, .attr = c->attr, .nin = c->in.n, .in = c->in.v, .out = out,
		.nstand = c->stands.n, .stands = c->stands.v, .nweights = c->nweights, .made_by = im->node->made_by, .number = im->steps.n,
		.said_by = im->node };
	s->path = c->path ? c->path : source_path(c);
	memcpy(s->weight, c->weight, sizeof(s->weight));
	if (!apply(c, s))
		return false;
	out->t = s->made->out[0];
	out->def = s;
	out->source = c->source;
	out->source.expanded = c->expanded && !out->t->batched;
	vec_push(im->arena, &im->steps, s);
	return true;
}

bool
call_end(struct call *c, const char *out)
{
	struct val *v = val_new(c->im, out);

	if (!finish(c, v))
		return false;
	val_alias(c->im, out, v);
	return true;
}

struct val *
call_value(struct call *c)
{
	struct val *v = val_new(c->im, "");

	return finish(c, v) ? v : NULL;
}

struct val *
call_one(struct importer *im, const char *op, struct val *x, const char *name, double r)
{
	struct call c;

	if (!x)
		return NULL;
	call_begin(&c, im, op);
	call_like(&c, x);
	if (name)
		call_real(&c, name, r);
	return call_value(&c);
}

struct val *
call_two(struct importer *im, const char *op, struct val *a, struct val *b)
{
	struct call c;

	if (!a || !b)
		return NULL;
	call_begin(&c, im, op);
	call_like(&c, a);
	call_in(&c, b);
	return call_value(&c);
}

static bool
ends_with_part(const char *path, const char *name)
{
	size_t n = strlen(path), len = strlen(name);

	return n > len && strcmp(path + n - len, name) == 0 && path[n - len - 1] == '.';
}

/* It is another result, or stands behind that layer's own in the graph. */
static struct tensor *
named_result(const struct importer *im, const struct step *s, const char *name)
{
	const struct graph *g = im->build.graph;
	int i = g->nodes.n - 1, k;

	for (k = 1; k < s->made->nout; k++)
		if (ends_with_part(s->made->out[k]->name, name))
			return s->made->out[k];
	for (; i >= 0 && g->nodes.v[i] != s->made; i--) {
		const struct node *n = g->nodes.v[i];

		if (n->part_of && n->part_of == s->made->part_of && ends_with_part(n->path, name))
			return n->out[0];
	}
	return NULL;
}

struct val *
call_part(struct importer *im, struct val *v, const char *name)
{
	static const struct op none = { .name = "" };
	struct step *s = ARENA_NEW(im->arena, struct step);
	struct val *out = val_new(im, "");

	v = val_first(v);
	out->t = v->def ? named_result(im, v->def, name) : NULL;
	if (!out->t)
		return NULL;
	*s = (struct step){ .op = &none, .part = name, .nin = 1, .in = arena_array(im->arena, 1, sizeof(*s->in)), .out = out,
		.made = v->def->made, .number = im->steps.n, .said_by = im->node, .path = "" };
	s->in[0] = v;
	v->uses++;
	out->def = s;
	vec_push(im->arena, &im->steps, s);
	return out;
}

bool
node_makes(struct importer *im, const struct model_node *n, struct val *v)
{
	if (v)
		val_alias(im, n->out[0], v);
	return v != NULL;
}
