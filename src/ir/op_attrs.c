/*
 * Attributes of operators: those of a node by name, and what they are where nobody says them.
 */
#include "ir/op.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int
op_nattrs(const struct op *op)
{
	int n = 0;

	while (op->attrs && op->attrs[n].name)
		n++;
	return n;
}

int
op_attr_at(const struct op *op, const char *name)
{
	int i;

	for (i = 0; op->attrs && op->attrs[i].name; i++)
		if (*op->attrs[i].name == *name && strcmp(op->attrs[i].name, name) == 0)
			return i;
	return -1;
}

/* Of an attribute that must be there. */
static int
declared_at(const struct op *op, const char *name)
{
	int i = op_attr_at(op, name);

	if (i >= 0)
		return i;
	assert(!"an operator or a layer's part asks for an attribute it does not declare");
	abort();
}

const struct attr *
op_attr(const struct node *n, const char *name)
{
	return &n->attr[declared_at(n->op, name)];
}

struct loc
op_attr_loc(const struct node *n, const char *name)
{
	const struct attr *a = op_attr(n, name);
	int i = (int)(a - n->attr);

	return a->given && n->said && i < n->said->n ? n->said->at[i] : (struct loc){ NULL, 0, 0 };
}

struct attr *
op_body(const struct node *n)
{
	int i;

	for (i = 0; n->op->rounds.make && i < op_nattrs(n->op) && n->attr; i++)
		if (n->op->attrs[i].type == ATTR_BODY && n->attr[i].body)
			return &n->attr[i];
	return NULL;
}

int64_t
op_int(const struct node *n, const char *name)
{
	return op_attr(n, name)->i;
}

double
op_real(const struct node *n, const char *name)
{
	return op_attr(n, name)->r;
}

bool
op_bool(const struct node *n, const char *name)
{
	return op_attr(n, name)->i != 0;
}

/* The index of a word in a blank-separated list, or -1. */
static int
choice(const char *list, const char *word)
{
	size_t len = strlen(word);
	int i = 0;

	while (*list) {
		size_t n = strcspn(list, " ");

		if (n == len && strncmp(list, word, n) == 0)
			return i;
		list += n + (list[n] == ' ');
		i++;
	}
	return -1;
}

/* "3", "(2, 2)": the integers, up to MAX_RANK of them; false on anything else. */
static bool
preset_ints(const char *s, struct attr *a)
{
	char *end;

	a->n = 0;
	s += *s == '(';
	do {
		if (a->n == MAX_RANK)
			return false;
		a->v[a->n++] = strtoll(s, &end, 10);
		if (end == s)
			return false;
		s = end + strspn(end, ", ");
	} while (*s && *s != ')');
	return true;
}

static bool
preset_init(const char *s, struct attr *a)
{
	static const struct {
		const char *name;
		struct init init;
	} word[] = {
		{ "zeros", { INIT_ZEROS, 0 } }, { "ones", { INIT_CONSTANT, 1 } },
		{ "constant(", { INIT_CONSTANT, 0 } }, { "uniform(", { INIT_UNIFORM, 0 } },
		{ "normal(", { INIT_NORMAL, 0 } },
	};
	size_t i, n;

	for (i = 0; i < sizeof(word) / sizeof(*word); i++) {
		n = strlen(word[i].name);
		if (strncmp(s, word[i].name, n) != 0)
			continue;
		a->init = word[i].init;
		if (word[i].name[n - 1] == '(')
			a->init.value = strtod(s + n, NULL);
		return true;
	}
	return false;
}

bool
op_attr_preset(const struct attr_spec *spec, struct attr *a)
{
	const char *s = spec->preset;
	char *end;
	int i;

	memset(a, 0, sizeof(*a));
	if (!s)
		return true;
	switch (spec->type) {
	case ATTR_INT:
		a->i = strtoll(s, &end, 10);
		return *end == '\0';
	case ATTR_REAL:
		a->r = strtod(s, &end);
		return *end == '\0';
	case ATTR_BOOL:
		a->i = strcmp(s, "true") == 0;
		return a->i || strcmp(s, "false") == 0;
	case ATTR_PAIR:
	case ATTR_SIDES:
		if (!preset_ints(s, a))
			return false;
		for (i = a->n; i < (spec->type == ATTR_PAIR ? 2 : 4); i++)
			a->v[i] = a->v[0];
		a->n = spec->type == ATTR_PAIR ? 2 : 4;
		return true;
	case ATTR_INTS:
	case ATTR_AXES:
	case ATTR_FRAME:
		return preset_ints(s, a);
	case ATTR_ENUM:
		a->i = choice(spec->choices, s);
		return a->i >= 0;
	case ATTR_INIT:
		return preset_init(s, a);
	case ATTR_TENSOR:
	case ATTR_REALS:
	case ATTR_TEXT:
	case ATTR_FORMULA:
	case ATTR_BODY:
		return true;
	}
	return false;
}

static void
preset_all(const struct op *op, struct attr *attr)
{
	int i;

	for (i = 0; i < op_nattrs(op); i++)
		op_attr_preset(&op->attrs[i], &attr[i]);
}

void
op_presets_to(const struct op *op, struct attr *to)
{
	memset(to, 0, MAX_ATTRS * sizeof(*to));
	preset_all(op, to);
}

struct attr *
op_presets(struct arena *a, const struct op *op)
{
	struct attr *attr = arena_array(a, (size_t)op_nattrs(op) + 1, sizeof(*attr));

	preset_all(op, attr);
	return attr;
}

struct attr *
op_preset(const struct op *op, struct attr *attr, const char *name)
{
	return &attr[declared_at(op, name)];
}
