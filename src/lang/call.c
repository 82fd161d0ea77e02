/*
 * Arguments of an operator: leading tensors are operands, the rest fill its attributes in order or
 * by name, checked against the types and ranges its record declares. A tuple attribute also takes
 * its numbers bare: reshape(3, 4) is reshape((3, 4)).
 */
#include "lang/expander.h"

#include <math.h>
#include <string.h>

#define LARGEST_SIDE	INT32_MAX	/* kernels, strides, paddings: their products fit 64 bits */

/* A bare word that one of the operator's attributes offers, and that no value here is called. */
static bool
is_word(struct scope *s, const struct op *op, const char *name)
{
	size_t len = strlen(name);
	const char *c;
	int i;

	if (!op || scope_find(s, name))
		return false;
	for (i = 0; i < op_nattrs(op); i++)
		for (c = op->attrs[i].choices; c && *c; c += strcspn(c, " "), c += *c == ' ')
			if (strcspn(c, " ") == len && strncmp(c, name, len) == 0)
				return true;
	return false;
}

struct actual *
eval_actuals(struct expander *ex, struct scope *s, struct where *w, struct expr *e,
    const struct op *op)
{
	struct actual *actual = arena_array(ex->passing, (size_t)e->nargs, sizeof(*actual));
	int i;

	for (i = 0; i < e->nargs; i++) {
		struct expr *v = e->arg[i].value;

		actual[i].arg = &e->arg[i];
		if (v && v->kind == E_NAME && is_word(s, op, v->name))
			actual[i].value = (struct value){ .kind = V_WORD, .loc = v->loc,
				.text = v->name };
		else
			actual[i].value = eval(ex, s, w, v);
	}
	return actual;
}

/* ---- one attribute ---- */

struct target {			/* of an argument: for messages */
	struct expander *ex;
	const struct op *op;
	const struct attr_spec *spec;
	const char *what;	/* "conv's stride" */
};

static bool
wrong(const struct target *t, const struct value *v, const char *wanted)
{
	if (v->kind != V_POISON)
		ex_error(t->ex, "type", v->loc, "%s must be %s, not %s", t->what, wanted,
		    value_text(t->ex->a, v));
	return false;
}

static bool
take_int(const struct target *t, const struct value *v, int64_t limit, int64_t *out)
{
	int64_t min = -limit, max = limit;

	if (t->spec->min != 0 || t->spec->max != 0) {
		min = t->spec->min > (double)-limit ? (int64_t)t->spec->min : -limit;
		max = t->spec->max < (double)limit ? (int64_t)t->spec->max : limit;
	}
	return want_int(t->ex, v, t->what, min, max, out);
}

static bool
take_real(const struct target *t, const struct value *v, double *out)
{
	bool ranged = t->spec->min != 0 || t->spec->max != 0;

	if (v->kind != V_NUMBER)
		return wrong(t, v, "a number");
	if (!want_plain(t->ex, v, t->what))
		return false;
	*out = v->num.real;
	if (!isfinite(*out)) {
		ex_error(t->ex, "value", v->loc, "%s is not a finite number", t->what);
		return false;
	}
	if (ranged && (*out < t->spec->min || *out > t->spec->max)) {
		if (isinf(t->spec->max) || t->spec->max >= 1e30)
			ex_error(t->ex, "value", v->loc, "%s is %.10g; it must be at least %.10g",
			    t->what, *out, t->spec->min);
		else
			ex_error(t->ex, "value", v->loc,
			    "%s is %.10g; it must be from %.10g to %.10g", t->what, *out,
			    t->spec->min, t->spec->max);
		return false;
	}
	return true;
}

static bool
take_pair(const struct target *t, const struct value *v, struct attr *a)
{
	a->n = 2;
	if (v->kind != V_TUPLE) {
		if (!take_int(t, v, LARGEST_SIDE, &a->v[0]))
			return false;
		a->v[1] = a->v[0];
		return true;
	}
	if (v->n != 2)
		return wrong(t, v, "a number or two: (height, width)");
	return take_int(t, &v->item[0], LARGEST_SIDE, &a->v[0]) &
	    take_int(t, &v->item[1], LARGEST_SIDE, &a->v[1]);
}

static bool
take_sides(const struct target *t, const struct value *v, struct attr *a)
{
	int i, n = v->kind == V_TUPLE ? v->n : 1;
	bool ok = true;

	if (n != 1 && n != 2 && n != 4)
		return wrong(t, v, "a number, (vertical, horizontal) or "
		    "(top, bottom, left, right)");
	a->n = 4;
	for (i = 0; i < 4; i++) {
		int k = n == 1 ? 0 : n == 2 ? i / 2 : i;

		ok &= take_int(t, v->kind == V_TUPLE ? &v->item[k] : v, LARGEST_SIDE, &a->v[i]);
	}
	return ok;
}

static bool
take_ints(const struct target *t, const struct value *v, struct attr *a)
{
	int i, n = v->kind == V_TUPLE ? v->n : 1;
	bool ok = true;

	if (n > MAX_RANK)
		return wrong(t, v, "a shape of at most 8 extents");
	a->n = n;
	for (i = 0; i < n; i++)
		ok &= take_int(t, v->kind == V_TUPLE ? &v->item[i] : v, LARGEST_EXTENT,
		    &a->v[i]);
	return ok;
}

static bool
take_reals(const struct target *t, const struct value *v, struct attr *a)
{
	double *list;
	bool ok = true;
	int i;

	if (v->kind != V_TUPLE && v->kind != V_NUMBER)
		return wrong(t, v, "numbers in parentheses: (0.5, 1, 2)");
	a->n = v->kind == V_TUPLE ? v->n : 1;
	a->real = list = arena_array(t->ex->a, (size_t)a->n + 1, sizeof(*list));
	for (i = 0; i < a->n; i++)
		ok &= take_real(t, v->kind == V_TUPLE ? &v->item[i] : v, &list[i]);
	return ok;
}

static bool
take_text(const struct target *t, const struct value *v, struct attr *a)
{
	if (v->kind != V_STRING || !*v->text)
		return wrong(t, v, "text in quotes: the name of a file");
	a->text = v->text;
	return true;
}

static bool
take_choice(const struct target *t, const struct value *v, struct attr *a)
{
	const char *c = t->spec->choices, *s = v->text;
	int i;

	if (v->kind == V_BOOL)		/* true and false may be choices too */
		s = v->flag ? "true" : "false";
	else if (v->kind != V_WORD && v->kind != V_STRING)
		return wrong(t, v, arena_printf(t->ex->a, "one of: %s", c));
	for (i = 0; *c; i++, c += strcspn(c, " "), c += *c == ' ')
		if (strcspn(c, " ") == strlen(s) && strncmp(c, s, strlen(s)) == 0) {
			a->i = i;
			return true;
		}
	return wrong(t, v, arena_printf(t->ex->a, "one of: %s", t->spec->choices));
}

/* How many of them there are to be is not known here: shape() spreads them. */
static bool
take_axes(const struct target *t, const struct value *v, int most, struct attr *a)
{
	int i, n = v->kind == V_TUPLE ? v->n : 1;
	bool ok = true;

	if (n < 1 || n > most)
		return wrong(t, v, "a number, or one for each axis: (height, width)");
	a->n = n;
	for (i = 0; i < n; i++)
		ok &= take_int(t, v->kind == V_TUPLE ? &v->item[i] : v, LARGEST_SIDE, &a->v[i]);
	return ok;
}

static bool
take_frame(const struct target *t, const struct value *v, struct attr *a)
{
	if (t->spec->choices && (v->kind == V_WORD || v->kind == V_STRING)) {
		if (!take_choice(t, v, a))
			return false;
		a->i++;
		return true;
	}
	if (v->kind == V_TUPLE && (v->n < 1 || v->n > MAX_RANK))
		return wrong(t, v, "a number, one for each axis, (vertical, horizontal), or two: "
		    "(top, bottom, left, right)");
	return take_axes(t, v, MAX_RANK, a);
}

/* weight=tok: the parameter of that name of the layer labelled tok; NULL after an error. */
static struct tensor *
parameter_of(const struct target *t, const char *name, const struct value *v)
{
	const struct owner *o = map_get(&t->ex->owners, v->layer->shared->path);
	struct tensor *found = NULL;
	int i, count = 0;

	for (i = 0; o && i < o->nparams; i++) {
		const char *dot = strrchr(o->param[i]->name, '.');

		if (dot && strcmp(dot + 1, name) == 0) {
			found = o->param[i];
			count++;
		}
	}
	if (count == 1)
		return found;
	ex_error(t->ex, "type", v->loc, count ? "'%s' has more than one %s: share the layer itself" :
	    "'%s' has no %s of its own to share", v->layer->shared->path, name);
	return NULL;
}

static bool
stands_for_parameter(const struct value *v)
{
	return v->kind == V_TENSOR || (v->kind == V_LAYER && v->layer->shared);
}

/* That, a parameter(...), or any other tensor: place_node() sees to it that there is such a
 * parameter. */
static bool
take_tie(const struct target *t, const char *name, const struct value *v, struct binding_result *r)
{
	struct tensor *found;
	const struct node *n;
	int i;

	if (!stands_for_parameter(v))
		return wrong(t, v, "a tensor, or the label of a layer whose weights to share");
	for (i = 0; i < r->nties; i++)
		if (strcmp(r->tie[i].name, name) == 0) {
			ex_error(t->ex, "name", v->loc, "%s: '%s' is given twice", t->op->name, name);
			return false;
		}
	if (r->nties == MAX_TIES) {
		ex_error(t->ex, "value", v->loc, "%s: tensors can stand for at most %d parameters", t->op->name,
		    MAX_TIES);
		return false;
	}
	found = v->kind == V_LAYER ? parameter_of(t, name, v) : v->tensor;
	n = v->kind == V_TENSOR ? found->def : NULL;
	if (n && n->op == op_find("parameter"))
		found = n->in[0];
	r->tie[r->nties] = (struct tie){ .name = name, .tensor = found, .loc = v->loc };
	r->nties += found != NULL;
	return found != NULL;
}

static bool
take(const struct target *t, const struct value *v, struct binding_result *r, struct attr *a)
{
	switch (t->spec->type) {
	case ATTR_INT:
		return take_int(t, v, LARGEST_EXTENT, &a->i);
	case ATTR_REAL:
		return take_real(t, v, &a->r);
	case ATTR_BOOL:		/* bias=b: there is one, and it is b */
		if (t->spec->shares && stands_for_parameter(v))
			return take_tie(t, t->spec->name, v, r) && (a->i = true);
		a->i = v->flag;
		return v->kind == V_BOOL || wrong(t, v, t->spec->shares ? "true, false or a tensor" : "true or false");
	case ATTR_PAIR:
		return take_pair(t, v, a);
	case ATTR_SIDES:
		return take_sides(t, v, a);
	case ATTR_INTS:
		return take_ints(t, v, a);
	case ATTR_AXES:
		return take_axes(t, v, SPACE_AXES, a);
	case ATTR_FRAME:
		return take_frame(t, v, a);
	case ATTR_ENUM:
		return take_choice(t, v, a);
	case ATTR_TENSOR:
		return take_tie(t, t->spec->name, v, r);
	case ATTR_REALS:
		a->i = t->spec->file && v->kind == V_STRING;
		return a->i ? take_text(t, v, a) : take_reals(t, v, a);
	case ATTR_TEXT:
		return take_text(t, v, a);
	case ATTR_FORMULA:
		break;
	case ATTR_BODY:
		r->body = v->layer;
		return v->kind == V_LAYER || wrong(t, v, "a layer: a block, an operator, or a pipe that begins "
		    "with one");
	case ATTR_INIT:
		a->init = v->init;
		return v->kind == V_INIT || wrong(t, v, "zeros, ones, constant(c), uniform(b) or "
		    "normal(deviation)");
	}
	return false;
}

/* ---- all of them ---- */

struct matching {
	struct expander *ex;
	const struct op *op;
	const struct actual *actual;
	int n, at;		/* arguments, and the next to look at */
	int next;		/* the attribute the next positional argument fills */
	int noperands;		/* tensors before them */
	struct binding_result *r;
	bool ok, poisoned;
	bool misnamed;		/* an argument has a name unknown: it may be the one that is missing */
};

static const char *
attribute_list(struct matching *m)
{
	struct text t;
	int i;

	text_init(&t, m->ex->a);
	for (i = 0; i < op_nattrs(m->op); i++)
		text_printf(&t, "%s%s", i ? ", " : "", m->op->attrs[i].name);
	return t.s;
}

static int
by_name(struct matching *m, const struct arg *arg)
{
	struct names names = { NULL, 0, 0 };
	const char *ours, *here;
	struct diag *g;
	int i;

	for (i = 0; i < op_nattrs(m->op); i++)
		if (strcmp(m->op->attrs[i].name, arg->name) == 0)
			return i;
	for (i = 0; i < op_nattrs(m->op); i++)
		names_add(m->ex->a, &names, m->op->attrs[i].name);
	m->misnamed = true;
	g = ex_error(m->ex, "name", arg->name_loc, "%s has no argument '%s'", m->op->name,
	    arg->name);
	if ((ours = argument_elsewhere(arg->name, &names, &here))) {
		diag_help(m->ex->d, g, "did you mean '%s'?", ours);
		diag_fix_word(m->ex->d, g, arg->name, ours);
	} else if (here) {
		diag_help(m->ex->d, g, "%s", here);
	} else if (!names_suggest(m->ex, g, arg->name, &names) && names.n > 0) {
		diag_help(m->ex->d, g, "it has: %s", attribute_list(m));
	}
	return -1;
}

/* A number for an operand that is there: where(x > 0, x, -1) has its `yes`, and -1 is `no`. */
static bool
has_operand(const struct matching *m, const char *name)
{
	int k = operand_find(m->op, name);

	return k >= 0 && k < m->noperands;
}

static int
by_position(struct matching *m, const struct value *v)
{
	int nattrs = op_nattrs(m->op), i;

	while (m->next < nattrs && ((m->r->attr[m->next].given && m->op->attrs[m->next].type != ATTR_TENSOR) ||
	    has_operand(m, m->op->attrs[m->next].name)))
		m->next++;
	if (v->kind == V_TUPLE && m->next < nattrs && m->op->attrs[m->next].type == ATTR_REAL)
		for (i = m->next; i < nattrs; i++)	/* it can only be meant for one that takes several */
			if (m->op->attrs[i].type == ATTR_INTS && !m->r->attr[i].given)
				return i;
	if (m->next < nattrs)
		return m->next;
	if (v->kind == V_TENSOR)
		ex_error(m->ex, "type", v->loc, "%s: tensors come before the other arguments",
		    m->op->name);
	else if (!m->poisoned)
		ex_error(m->ex, "type", v->loc, nattrs == 0 ? "%s takes no arguments besides its "
		    "input" : "%s has one argument too many", m->op->name);
	return -1;
}

/* reshape(3, 4): numbers that follow one another are one tuple. */
static struct value
gathered(struct matching *m, const struct attr_spec *spec)
{
	struct value v = m->actual[m->at].value, *item;
	int n = 0;

	if (spec->type != ATTR_INTS || v.kind != V_NUMBER || m->actual[m->at].arg->name)
		return v;
	item = arena_array(m->ex->a, (size_t)m->n, sizeof(*item));
	while (m->at + n < m->n && !m->actual[m->at + n].arg->name &&
	    m->actual[m->at + n].value.kind == V_NUMBER) {
		item[n] = m->actual[m->at + n].value;
		n++;
	}
	m->at += n - 1;
	return (struct value){ .kind = V_TUPLE, .loc = loc_join(v.loc, item[n - 1].loc),
		.item = item, .n = n };
}

/* Of a tensor with a name: an attribute's own name says what it takes. */
static bool
is_operand(const struct matching *m, const struct actual *x)
{
	return x->arg->name && operand_find(m->op, x->arg->name) >= 0 && value_is_tensors(&x->value) &&
	    op_attr_at(m->op, x->arg->name) < 0;
}

static void
misplaced_operand(struct matching *m, const struct actual *x)
{
	struct diag *g = ex_error(m->ex, "type", x->arg->name_loc,
	    "'%s' is an operand of %s: operands come first, in their order", x->arg->name, m->op->name);

	diag_help(m->ex->d, g, "its operands: %s", m->op->operands);
}

static bool
is_tie(const struct matching *m, const struct actual *x)
{
	return x->arg->name && m->op->kind == OP_LAYER && op_attr_at(m->op, x->arg->name) < 0 &&
	    (stands_for_parameter(&x->value) || x->value.kind == V_POISON);
}

/* In PyTorch layers are told the width of their input, as in Linear(400, 120) and BatchNorm2d(16):
 * here a width comes to stand for a flag or a fraction. */
static bool
may_be_width(const struct attr_spec *spec, const struct value *v)
{
	return v->kind == V_NUMBER && v->num.real >= 2 && (spec->type == ATTR_BOOL || spec->type == ATTR_REAL);
}

static void
tell_order(struct matching *m, int errors)
{
	struct diags *d = m->ex->d;

	if (d->all.n > errors && m->op->kind == OP_LAYER && m->op->max_operands != 0 && op_nattrs(m->op) > 1)
		diag_help(d, d->all.v[d->all.n - 1], "in order, %s takes %s; it knows the shape of its input", m->op->name,
		    attribute_list(m));
}

/* The I-th attribute, by the argument that is looked at. */
static void
fill(struct matching *m, int i)
{
	const struct actual *x = &m->actual[m->at];
	const struct attr_spec *spec = &m->op->attrs[i];
	struct target t = { m->ex, m->op, spec, arena_join(m->ex->passing, m->op->name, "'s ", spec->name) };
	struct attr *a = &m->r->attr[i];
	int errors = m->ex->d->all.n;
	struct value v;

	if (a->given) {
		ex_error(m->ex, "name", x->arg->name ? x->arg->name_loc : x->value.loc,
		    "%s: '%s' is given twice", m->op->name, spec->name);
		m->ok = false;
		return;
	}
	v = gathered(m, spec);
	memset(a, 0, sizeof(*a));
	a->given = true;
	a->loc = v.loc;
	if (v.kind == V_POISON || !take(&t, &v, m->r, a)) {
		m->ok = false;
		if (!x->arg->name && may_be_width(spec, &v))
			tell_order(m, errors);
	}
	if (!x->arg->name && i == m->next)
		m->next = i + 1;
}

static void
match_one(struct matching *m)
{
	const struct actual *x = &m->actual[m->at];
	struct target t = { .ex = m->ex, .op = m->op };
	int i;

	if (x->value.kind == V_POISON && !x->arg->name)
		m->poisoned = true;
	if (m->poisoned && x->value.kind == V_TENSOR && !x->arg->name) {
		m->ok = false;		/* what is ahead of it may have been a tensor, too */
		return;
	}
	if (is_operand(m, x)) {
		if (!m->misnamed)
			misplaced_operand(m, x);
		m->ok = false;
		m->misnamed = true;
		return;
	}
	if (is_tie(m, x)) {
		m->misnamed |= x->value.kind == V_POISON;
		t.what = arena_join(m->ex->passing, m->op->name, "'s ", x->arg->name);
		m->ok &= take_tie(&t, x->arg->name, &x->value, m->r);
		return;
	}
	i = x->arg->name ? by_name(m, x->arg) : by_position(m, &x->value);
	if (i >= 0 && x->value.kind == V_POISON && !x->arg->name) {
		m->next = i + 1;	/* or a tensor: then it is not that argument */
		m->ok = false;
		return;
	}
	if (i < 0) {
		m->ok = false;
		return;
	}
	fill(m, i);
}

bool
bind_attrs(struct expander *ex, const struct op *op, struct loc loc,
    const struct actual *actual, int n, int from, int noperands, struct binding_result *r)
{
	struct matching m = { .ex = ex, .op = op, .actual = actual, .n = n, .noperands = noperands, .r = r, .ok = true };
	int nattrs = op_nattrs(op), i;
	bool surplus = op->max_operands > 0 && noperands > op->max_operands;	/* one may stand in a number's place */

	memset(r, 0, sizeof(*r));
	for (i = 0; i < nattrs; i++)
		op_attr_preset(&op->attrs[i], &r->attr[i]);
	for (m.at = from; m.at < n; m.at++)
		match_one(&m);
	for (i = 0; i < nattrs; i++)
		if (op->attrs[i].required && !r->attr[i].given && !m.poisoned && !m.misnamed && !surplus) {
			struct diag *g = ex_error(ex, "value", loc, "%s needs '%s'", op->name,
			    op->attrs[i].name);

			if (op->attrs[i].doc)
				diag_help(ex->d, g, "%s: %s", op->attrs[i].name,
				    op->attrs[i].doc);
			m.ok = false;
		}
	return m.ok && !m.poisoned;
}
