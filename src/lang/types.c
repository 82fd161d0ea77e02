/*
 * Types of inputs and targets: f32[1, 28, 28], u8[3, 32, 32], class[10], class[21, 64, 64],
 * tokens[1024, vocab=50257]. A float type says that values are real numbers; they are staged in the
 * precision the network computes in. Classes and tokens are whole numbers.
 */
#include "lang/expander.h"

#include <string.h>

enum shape_of_type { TYPE_REAL, TYPE_BYTES, TYPE_CLASS, TYPE_TOKENS };

static const struct {
	const char *name;
	enum shape_of_type form;
} types[] = {
	{ "u8", TYPE_BYTES }, { "class", TYPE_CLASS }, { "tokens", TYPE_TOKENS },
};

/* Beside these, any float type. */
static bool
type_find(struct expander *ex, const struct type *t, enum shape_of_type *form)
{
	const struct dtype *real = dtype_find(t->name);
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	int i;

	*form = TYPE_REAL;
	if (real && real->is_float)
		return true;
	for (i = 0; dtype_table[i]; i++)
		if (dtype_table[i]->is_float)
			names_add(ex->a, &names, dtype_table[i]->name);
	for (i = 0; i < (int)(sizeof(types) / sizeof(*types)); i++) {
		*form = types[i].form;
		if (strcmp(types[i].name, t->name) == 0)
			return true;
		names_add(ex->a, &names, types[i].name);
	}
	g = ex_error(ex, "type", t->name_loc, "there is no type '%s'", t->name);
	if (!names_suggest(ex, g, t->name, &names))
		diag_help(ex->d, g, "types are f32[...], u8[...], class[K] and "
		    "tokens[T, vocab=V]");
	return false;
}

struct reading {		/* of a type's arguments */
	struct expander *ex;
	const struct type *type;
	struct tensor *t;
	bool ok;
};

static void
extent(struct reading *r, const struct arg *a)
{
	struct value v = eval_constant(r->ex, r->ex->root, a->value);
	int64_t n;

	if (!want_int(r->ex, &v, "an extent", 1, LARGEST_EXTENT, &n))
		r->ok = false;
	else if (r->t->rank == MAX_RANK) {
		ex_error(r->ex, "value", a->value->loc, "a tensor has at most %d extents besides "
		    "the batch", MAX_RANK);
		r->ok = false;
	} else
		r->t->dim[r->t->rank++] = n;
}

static void
classes(struct reading *r, const struct arg *a, const char *what)
{
	struct value v = eval_constant(r->ex, r->ex->root, a->value);
	int64_t n;

	if (want_int(r->ex, &v, what, 1, INT32_MAX, &n))
		r->t->classes = (int)n;
	else
		r->ok = false;
}

static void
read_class(struct reading *r)
{
	int i;

	if (r->type->nargs == 0) {
		ex_error(r->ex, "type", r->type->loc, "class needs the number of classes: "
		    "class[10]");
		r->ok = false;
		return;
	}
	for (i = 0; i < r->type->nargs; i++) {
		if (r->type->arg[i].name) {
			ex_error(r->ex, "name", r->type->arg[i].name_loc, "class has no named "
			    "arguments: the number of classes, then extents");
			r->ok = false;
		} else if (i == 0)
			classes(r, &r->type->arg[i], "the number of classes");
		else
			extent(r, &r->type->arg[i]);
	}
}

static void
read_tokens(struct reading *r)
{
	int i, n = r->type->nargs;

	r->t->tokens = true;
	for (i = 0; i < n; i++) {
		const struct arg *a = &r->type->arg[i];

		if (!a->name)
			extent(r, a);
		else if (strcmp(a->name, "vocab") == 0)
			classes(r, a, "the vocabulary");
		else {
			ex_error(r->ex, "name", a->name_loc, "tokens has no argument '%s'; did you "
			    "mean 'vocab'?", a->name);
			r->ok = false;
		}
	}
	if (r->ok && (r->t->rank == 0 || r->t->classes == 0)) {
		ex_error(r->ex, "type", r->type->loc, "tokens needs a length and a vocabulary: "
		    "tokens[1024, vocab=50257]");
		r->ok = false;
	}
}

static void
read_extents(struct reading *r)
{
	int i;

	for (i = 0; i < r->type->nargs; i++) {
		if (r->type->arg[i].name) {
			ex_error(r->ex, "name", r->type->arg[i].name_loc, "%s has no named "
			    "arguments", r->type->name);
			r->ok = false;
		} else
			extent(r, &r->type->arg[i]);
	}
}

static bool
read_type(struct expander *ex, struct tensor *t, const struct type *type)
{
	struct reading r = { ex, type, t, true };
	enum shape_of_type form;

	if (!type_find(ex, type, &form))
		return false;
	switch (form) {
	case TYPE_REAL:
		t->dtype = ex->m->set.precision->element;
		read_extents(&r);
		break;
	case TYPE_BYTES:
		t->dtype = DT_U8;
		read_extents(&r);
		break;
	case TYPE_CLASS:
		t->dtype = DT_I32;
		read_class(&r);
		break;
	case TYPE_TOKENS:
		t->dtype = DT_I32;
		read_tokens(&r);
		break;
	}
	if (r.ok && tensor_bytes(t).per_sample > LARGEST_BYTES) {
		ex_error(ex, "value", type->loc, "one sample would take more than 2^60 bytes");
		r.ok = false;
	}
	return r.ok;
}

struct tensor *
input_tensor(struct expander *ex, enum tensor_kind kind, const struct name *name,
    const struct type *type)
{
	struct tensor said = { .dtype = DT_F32, .batched = true }, *t;

	if (!type) {
		struct diag *g = ex_error(ex, "type", name->loc, "input '%s' of a network needs a "
		    "type", name->text);

		diag_help(ex->d, g, "input %s : f32[1, 28, 28]", name->text);
		kind = T_POISON;
	} else if (!type->name) {	/* its syntax error was reported */
		ex->m->broken = true;
		kind = T_POISON;
	} else if (!read_type(ex, &said, type))
		kind = T_POISON;
	t = ir_tensor(ex->m, kind, said.dtype, true, said.rank, said.dim, name->text, name->loc);
	t->classes = said.classes;
	t->tokens = said.tokens;
	return t;
}
