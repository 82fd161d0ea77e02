/*
 * Reads the text that ir/ir_print.c writes. It is for tests and for people who debug a pass, so it is
 * strict: the first mistake ends it, with a diagnostic of rule "ir" at the place.
 */
#include "ir/ir.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ir/op.h"

struct reader {
	struct arena *a;
	struct module *m;
	struct graph *g;
	const char *s, *start;
	VEC(struct tensor *) tensor;	/* by the number in the text */
	bool failed;
};

static struct loc
here(const struct reader *r)
{
	int at = (int)(r->s - r->start);

	return (struct loc){ r->m->src, at, at + 1 };
}

static bool
fail(struct reader *r, const char *expected)
{
	if (!r->failed)
		diag_error(r->m->diags, "ir", here(r), "expected %s", expected);
	r->failed = true;
	return false;
}

static void
blanks(struct reader *r)
{
	while (*r->s == ' ')
		r->s++;
}

static bool
accept(struct reader *r, const char *text)
{
	size_t n = strlen(text);

	blanks(r);
	if (strncmp(r->s, text, n) != 0 ||
	    (isalpha((unsigned char)*text) && (isalnum((unsigned char)r->s[n]) || r->s[n] == '_')))
		return false;
	r->s += n;
	return true;
}

static bool
expect(struct reader *r, const char *text)
{
	return accept(r, text) || fail(r, arena_printf(r->a, "'%s'", text));
}

static const char *
word(struct reader *r)
{
	const char *beg;

	blanks(r);
	for (beg = r->s; isalnum((unsigned char)*r->s) || *r->s == '_' || *r->s == '-'; r->s++)
		;
	if (r->s == beg)
		fail(r, "a word");
	return arena_strndup(r->a, beg, (size_t)(r->s - beg));
}

static const char *
string(struct reader *r)
{
	const char *beg;

	if (!expect(r, "\""))
		return "";
	for (beg = r->s; *r->s && *r->s != '"' && *r->s != '\n'; r->s++)
		;
	beg = arena_strndup(r->a, beg, (size_t)(r->s - beg));
	expect(r, "\"");
	return beg;
}

static int64_t
integer(struct reader *r)
{
	char *end;
	int64_t v;

	blanks(r);
	v = strtoll(r->s, &end, 10);
	if (end == r->s)
		fail(r, "a number");
	r->s = end;
	return v;
}

static double
number(struct reader *r)
{
	char *end;
	double v;

	blanks(r);
	v = strtod(r->s, &end);
	if (end == r->s)
		fail(r, "a number");
	r->s = end;
	return v;
}

static int
one_of(struct reader *r, const char *what, const char *const *names, int n)
{
	const char *w = word(r);
	int i;

	for (i = 0; i < n; i++)
		if (names[i] && strcmp(names[i], w) == 0)
			return i;
	fail(r, what);
	return 0;
}

static int
kind_or(struct reader *r, const char *what)
{
	const char *names[TENSOR_KINDS];
	int k;

	for (k = 0; k < TENSOR_KINDS; k++)
		names[k] = tensor_kind_name((enum tensor_kind)k);
	return one_of(r, what, names, TENSOR_KINDS);
}

static enum init_kind
init_kind(struct reader *r)
{
	static const char *const names[] = { "zeros", "constant", "uniform", "normal" };

	return (enum init_kind)one_of(r, "zeros, constant, uniform or normal", names, 4);
}

/* "%7" of a tensor that was made above; NULL where it was not. */
static struct tensor *
tensor(struct reader *r)
{
	int64_t id;

	if (!expect(r, "%"))
		return NULL;
	id = integer(r);
	if (id < 0 || id >= r->tensor.n || !r->tensor.v[id]) {
		fail(r, "a tensor that was defined above");
		return NULL;
	}
	return r->tensor.v[id];
}

/* The same, or "_" for one that is absent. */
static struct tensor *
operand(struct reader *r)
{
	return accept(r, "_") ? NULL : tensor(r);
}

/* What is behind "%" where a tensor is made. */
static int
tensor_number(struct reader *r)
{
	int64_t id = integer(r);

	if (id < 0 || id > 10000000)
		fail(r, "a tensor number below 10,000,000");
	return (int)id;
}

/* The rest of a workspace's "[fixed + per_sample B]", whose first number was taken for an extent. */
static void
workspace(struct reader *r, struct tensor *t)
{
	if (t->batched || t->rank != 1) {
		fail(r, "one number of bytes before '+'");
		return;
	}
	t->workspace.fixed = t->dim[--t->rank];
	t->workspace.per_sample = integer(r);
	if (t->workspace.fixed < 0 || t->workspace.per_sample < 0)
		fail(r, "numbers of bytes of at least 0");
	expect(r, "B");
	expect(r, "]");
}

/* "%7 f32[B, 6, 28] classes 10": makes the tensor, under the number it has in the text. */
static struct tensor *
type(struct reader *r, struct tensor *t)
{
	memset(t, 0, sizeof(*t));
	expect(r, "%");
	t->id = tensor_number(r);
	t->dtype = dtype_find(word(r));
	if (!t->dtype) {
		fail(r, "a dtype");
		t->dtype = DT_F32;
	}
	expect(r, "[");
	t->batched = accept(r, "B");
	if (t->batched)
		accept(r, ",");
	while (!r->failed && !accept(r, "]")) {
		if (accept(r, "+")) {
			workspace(r, t);
			return t;
		}
		if (t->rank == MAX_RANK)
			fail(r, "at most 8 extents");
		else
			t->dim[t->rank++] = integer(r);
		accept(r, ",");
	}
	if (accept(r, "classes"))
		t->classes = (int)integer(r);
	t->channels_last = accept(r, "channels-last");
	if (t->channels_last && !tensor_has_layouts(t))
		fail(r, "an image or weights where that makes a difference");
	return t;
}

static void
know(struct reader *r, int id, struct tensor *t)
{
	while (r->tensor.n <= id)
		vec_push(r->a, &r->tensor, NULL);
	r->tensor.v[id] = t;
}

static struct tensor *
make(struct reader *r, const struct tensor *t, enum tensor_kind kind, const char *name,
    struct loc loc)
{
	struct tensor *made;

	if (r->failed)
		return NULL;
	made = ir_tensor(r->m, kind, t->dtype, t->batched, t->rank, t->dim, name, loc);
	made->classes = t->classes;
	made->workspace = t->workspace;
	made->channels_last = t->channels_last;
	know(r, t->id, made);
	return made;
}

static bool
ints(struct reader *r, struct attr *a)
{
	expect(r, "(");
	while (!r->failed && !accept(r, ")")) {
		if (a->n == MAX_RANK)
			return fail(r, "at most 8 numbers");
		a->v[a->n++] = integer(r);
		accept(r, ",");
	}
	return !r->failed;
}

static void
attr_value(struct reader *r, const struct attr_spec *spec, struct attr *a)
{
	struct attr_spec given = *spec;

	switch (spec->type) {
	case ATTR_INT:
		a->i = integer(r);
		break;
	case ATTR_REAL:
		a->r = number(r);
		break;
	case ATTR_PAIR:
	case ATTR_SIDES:
	case ATTR_INTS:
		ints(r, a);
		break;
	case ATTR_BOOL:
	case ATTR_ENUM:
		given.preset = word(r);
		if (!op_attr_preset(&given, a))
			fail(r, "a value of this attribute");
		break;
	case ATTR_INIT:
		a->init.kind = init_kind(r);
		a->init.value = number(r);
		break;
	case ATTR_TENSOR:
		expect(r, "_");
		break;
	}
}

static struct attr *
attrs(struct reader *r, const struct op *op)
{
	struct attr *a = arena_array(r->a, (size_t)op_nattrs(op) + 1, sizeof(*a));
	int i;

	expect(r, "{");
	for (i = 0; i < op_nattrs(op) && !r->failed; i++) {
		if (i)
			expect(r, ",");
		expect(r, op->attrs[i].name);
		expect(r, "=");
		attr_value(r, &op->attrs[i], &a[i]);
	}
	expect(r, "}");
	return a;
}

struct output {
	struct tensor shape, *over;
	enum tensor_kind kind;
	const char *name;
	bool absent;
};

static void
output(struct reader *r, struct output *o)
{
	memset(o, 0, sizeof(*o));
	if (accept(r, "_")) {
		o->absent = true;
		return;
	}
	type(r, &o->shape);
	o->kind = (enum tensor_kind)kind_or(r, "a kind of tensor");
	o->name = string(r);
	if (accept(r, "over"))
		o->over = tensor(r);
}

#define MOST_OUTPUTS	16

static void
node(struct reader *r)
{
	static const char *const phases[] = { "forward", "backward", "update" };
	struct output out[MOST_OUTPUTS];
	VEC(struct tensor *) in = { 0 };
	struct loc loc = here(r);
	const struct op *op;
	struct node *n;
	struct attr *attr;
	enum phase phase;
	int nout = 0, i;

	do {
		if (nout == MOST_OUTPUTS) {
			fail(r, "at most 16 outputs");
			return;
		}
		output(r, &out[nout++]);
	} while (!r->failed && accept(r, ","));
	expect(r, "=");
	op = op_find(word(r));
	if (!op && !r->failed)
		fail(r, "the name of an operator");
	expect(r, "(");
	while (!r->failed && !accept(r, ")")) {
		vec_push(r->a, &in, operand(r));
		accept(r, ",");
	}
	if (r->failed)
		return;
	attr = attrs(r, op);
	phase = (enum phase)one_of(r, "forward, backward or update", phases, 3);
	n = ir_node(r->g, op, string(r), loc, in.n, in.v);
	n->attr = attr;
	n->phase = phase;
	for (i = 0; i < nout && !r->failed; i++) {
		if (out[i].absent) {
			ir_add_output(r->m, n, NULL);
			continue;
		}
		ir_add_output(r->m, n, make(r, &out[i].shape, out[i].kind, out[i].name, loc));
		tensor_alias(n->out[n->nout - 1], out[i].over);
	}
	if (accept(r, "keep")) {
		if (!op_base(n))
			fail(r, "an operand that the node adds to, before what is kept of it");
		n->keep = number(r);
		n->keep_first = accept(r, "first");
	}
	if (accept(r, "using")) {
		type(r, &out[0].shape);
		n->work = make(r, &out[0].shape, T_WORKSPACE, arena_printf(r->a, "%s.workspace",
		    n->path), loc);
	}
}

static void
persistent(struct reader *r, enum tensor_kind kind)
{
	struct tensor shape, *t;
	struct loc loc = here(r);
	const char *name;
	struct init init;

	type(r, &shape);
	name = string(r);
	init.kind = init_kind(r);
	init.value = number(r);
	t = make(r, &shape, kind, name, loc);
	if (!t)
		return;
	t->init = init;
	t->frozen = accept(r, "frozen");
	t->accumulates = accept(r, "accumulates");
}

static void
input(struct reader *r, enum tensor_kind kind)
{
	struct tensor shape, *t;
	struct loc loc = here(r);

	type(r, &shape);
	t = make(r, &shape, kind, string(r), loc);
	if (!t)
		return;
	vec_push(r->a, &r->g->inputs, t);
	if (accept(r, "lands")) {
		expect(r, "%");
		shape.id = tensor_number(r);
		if (r->failed)
			return;
		ir_add_landing(r->m, t);
		know(r, shape.id, t->lands);
	}
}

static void
result(struct reader *r)
{
	struct result res = { .loc = here(r) };

	res.is_loss = accept(r, "loss");
	if (!res.is_loss)
		expect(r, "metric");
	res.tensor = tensor(r);
	res.name = string(r);
	if (!r->failed)
		vec_push(r->a, &r->g->results, res);
}

static void
graph(struct reader *r)
{
	static const char *const names[] = { "forward", "train", "update", "validate" };
	struct graph **const place[] = {
		&r->m->forward, &r->m->train, &r->m->update, &r->m->validate,
	};
	int which = one_of(r, "forward, train, update or validate", names, 4);

	r->g = *place[which] = ir_graph(r->m, names[which], false);
	expect(r, "batch");
	r->g->batch = integer(r);
	r->g->training = accept(r, "training");
}

static void
settings(struct reader *r)
{
	struct settings *s = &r->m->set;

	expect(r, "batch");
	s->batch = integer(r);
	expect(r, "accumulate");
	s->accumulate = integer(r);
	if (s->batch < 1 || s->accumulate < 1)
		fail(r, "a batch and accumulate of at least 1");
	expect(r, "validate_batch");
	s->validate_batch = integer(r);
	s->validate_fixed = s->accumulate < 1 || s->validate_batch != s->batch / s->accumulate;
	expect(r, "train");
	s->train = integer(r) != 0;
	expect(r, "validate");
	s->validate = integer(r) != 0;
	expect(r, "clip");
	s->clip = number(r);
	expect(r, "precision");
	s->precision = precision_find(word(r));
	if (!s->precision) {
		fail(r, "a precision");
		s->precision = &precision_f32;
	}
	if (accept(r, "chunks")) {
		s->chunk_loss = CHUNK_SPLIT;
		s->chunks = integer(r);
		if (s->chunks < 0)
			fail(r, "a number of chunks");
	}
	s->workspace = accept(r, "workspace") ? integer(r) : DEFAULT_WORKSPACE;
	if (s->workspace < 0)
		fail(r, "a number of bytes");
}

/* "optimizer sgd {...}" is the setting, "optimizer %5 ..." one of its states. */
static void
optimizer(struct reader *r)
{
	blanks(r);
	if (*r->s == '%') {
		persistent(r, T_OPTIMIZER);
		return;
	}
	r->m->set.optimizer = op_find(word(r));
	if (!r->m->set.optimizer)
		fail(r, "the name of an optimizer");
	else
		r->m->set.optimizer_attr = attrs(r, r->m->set.optimizer);
}

static void
line(struct reader *r)
{
	enum tensor_kind k;

	if (accept(r, "module"))
		r->m->name = word(r);
	else if (accept(r, "set"))
		settings(r);
	else if (accept(r, "optimizer"))
		optimizer(r);
	else if (accept(r, "graph"))
		graph(r);
	else if (accept(r, "result") && r->g)
		result(r);
	else if (accept(r, "loss") && r->g)
		r->g->loss = tensor(r);
	else if (r->g && (*r->s == '%' || *r->s == '_'))
		node(r);
	else {
		k = (enum tensor_kind)kind_or(r, "module, set, a kind of tensor, graph, result or a node");
		if (r->failed)
			return;
		if (k == T_INPUT || k == T_TARGET)
			r->g ? input(r, k) : (void)fail(r, "a graph before its inputs");
		else
			persistent(r, k);
	}
}

struct module *
ir_parse(struct arena *a, struct diags *d, const struct source *src)
{
	struct reader r = { .a = a, .s = src->text, .start = src->text };

	r.m = ir_module(a, d, "unnamed");
	r.m->src = src;
	r.m->set.batch = r.m->set.accumulate = 1;
	while (*r.s && !r.failed) {
		blanks(&r);
		if (*r.s != '\n' && *r.s != '#')
			line(&r);
		if (accept(&r, "@"))
			integer(&r);
		blanks(&r);
		if (*r.s == '#')
			while (*r.s && *r.s != '\n')
				r.s++;
		if (*r.s && *r.s != '\n' && !r.failed)
			fail(&r, "the end of the line");
		if (*r.s == '\n')
			r.s++;
	}
	r.m->broken = r.failed;
	return r.failed ? NULL : r.m;
}
