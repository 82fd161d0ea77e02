/*
 * The kernel of a formula, as kernels/pointwise/formula.cu says. Where every operand has an element
 * for each of the results, or one for all of them, it goes over elements; else over rows, along
 * which each operand runs or stays put, and numbers of its own say where a row of each begins.
 */
#include "calls/formula_kernel.h"

#include <string.h>

#include "ir/op.h"

#define MOST_AXES	(MAX_RANK + 1)

struct kernel {
	struct emitter *e;
	const struct node *node;
	const struct formula *f;
	struct text text;
	/* how operands are spread: axes of the results, as they lie in memory, merged where all
	 * operands run along both, or stay */
	int axes;
	bool batch[MOST_AXES];
	int64_t extent[MOST_AXES];
	bool runs[FORMULA_OPERANDS][MOST_AXES];
	VEC(int64_t) number;	/* its last arguments, called n0, n1, ... */
};

/* ---- how operands lie ---- */

static const struct tensor *
full(const struct kernel *k)
{
	return k->node->out[0];
}

static bool
runs_along(const struct tensor *t, int axis)
{
	return axis < 0 ? t->batched : t->rank > 0 && t->dim[axis] != 1;
}

static bool
continues(const struct kernel *k, int axis)
{
	int i;

	for (i = 0; i < k->f->operands; i++)
		if (k->runs[i][k->axes - 1] != runs_along(k->node->in[i], axis))
			return false;
	return true;
}

static void
find_axes(struct kernel *k)
{
	const struct tensor *t = full(k);
	int i, j;

	for (i = t->batched ? -1 : 0; i < t->rank; i++) {
		int axis = t->channels_last && i >= 0 ? (i + 1) % t->rank : i;

		if (axis >= 0 && t->dim[axis] == 1)
			continue;
		if (k->axes == 0 || !continues(k, axis)) {
			k->extent[k->axes++] = 1;
			for (j = 0; j < k->f->operands; j++)
				k->runs[j][k->axes - 1] = runs_along(k->node->in[j], axis);
		}
		if (axis < 0)
			k->batch[k->axes - 1] = true;
		else
			k->extent[k->axes - 1] *= t->dim[axis];
	}
}

static bool
is_single(const struct tensor *t)
{
	return !t->batched && tensor_elements_per_sample(t) == 1;
}

static bool
is_whole(const struct kernel *k, int operand)
{
	const struct tensor *t = k->node->in[operand];

	return t->batched == full(k)->batched &&
	    tensor_elements_per_sample(t) == tensor_elements_per_sample(full(k));
}

static bool
is_spread(const struct kernel *k)
{
	int i;

	for (i = 0; i < k->f->operands; i++)
		if (!is_whole(k, i) && !is_single(k->node->in[i]))
			return true;
	return false;
}

/* ---- the function's text ---- */

static const char *
type(const struct kernel *k, const struct tensor *t)
{
	return t->dtype == shape_real(k->e->module) ? "elem" : "real";
}

const char *
formula_literal(void *context, double x)
{
	struct emitter *e = context;
	char buf[SIZE_TEXT];

	emit_real(buf, x, shape_real(e->module)->real == DT_F32);
	if (strpbrk(buf, "NI"))
		return arena_strdup(e->module->arena, buf);
	return x > -1e6 && x < 1e6 && x == (double)(int)x ? arena_printf(e->module->arena, "%d", (int)x) :
	    arena_printf(e->module->arena, "REAL(%s)", buf);
}

/* Values of operands, and the results; PLACE(i) is where element i's operand or result is. */
static void
write_body(struct kernel *k, const char *indent, const char *(*place)(struct kernel *, bool result, int))
{
	static const char letters[FORMULA_OPERANDS + 1] = "abcdefghklmo";	/* not those of loops */
	struct arena *a = k->e->module->arena;
	const char *operand[FORMULA_OPERANDS], *result[FORMULA_RESULTS];
	int i;

	for (i = 0; i < k->f->operands; i++) {
		const char *at = place(k, false, i);

		operand[i] = arena_printf(a, "%c", letters[i]);
		text_printf(&k->text, strcmp(type(k, k->node->in[i]), "elem") == 0 ?
		    "%sreal %s = VALUE(%s);\n" : "%sreal %s = %s;\n", indent, operand[i], at);
	}
	text_puts(&k->text, "\n");
	formula_c(k->f, &k->text, indent, operand, formula_literal, k->e, result);
	for (i = 0; i < k->f->results; i++)
		text_printf(&k->text, strcmp(type(k, k->node->out[i]), "elem") == 0 ?
		    "%s%s = ELEM(%s);\n" : "%s%s = %s;\n", indent, place(k, true, i), result[i]);
}

/* One more of a list in parentheses, on a new line where it would be too long. */
static void
write_item(struct kernel *k, const char *item)
{
	size_t line = 0, n = k->text.n;
	bool first = n > 0 && k->text.s[n - 1] == '(';

	while (line < n && k->text.s[n - 1 - line] != '\n')
		line++;
	if (!first)
		text_puts(&k->text, line + strlen(item) + 2 > LINE_WIDTH - 16 ? ",\n    " : ", ");
	text_puts(&k->text, item);
}

/* Results, operands, LAST and numbers: as parameters, with types; or as arguments. */
static void
write_list(struct kernel *k, bool types, const char *last)
{
	struct arena *a = k->e->module->arena;
	int i;

	for (i = 0; i < k->f->results; i++)
		write_item(k, types ? arena_printf(a, "%s *y%d", type(k, k->node->out[i]), i) :
		    arena_printf(a, "y%d", i));
	for (i = 0; i < k->f->operands; i++)
		write_item(k, types ? arena_printf(a, "const %s *x%d", type(k, k->node->in[i]), i) :
		    arena_printf(a, "x%d", i));
	write_item(k, last);
	for (i = 0; i < k->number.n; i++)
		write_item(k, arena_printf(a, types ? "int64_t n%d" : "n%d", i));
}

/* ---- over elements ---- */

static const char *
packed_place(struct kernel *k, bool result, int i)
{
	struct arena *a = k->e->module->arena;

	if (!result && !is_whole(k, i))
		return arena_printf(a, "*x%d", i);
	return arena_printf(a, "ITEM(%c%d, i, j)", result ? 'y' : 'x', i);
}

static const char *
plain_place(struct kernel *k, bool result, int i)
{
	if (!result && !is_whole(k, i))
		return packed_place(k, result, i);
	return arena_printf(k->e->module->arena, "%c%d[i]", result ? 'y' : 'x', i);
}

static bool
all_elements(const struct kernel *k)
{
	int i;

	for (i = 0; i < k->f->operands; i++)
		if (strcmp(type(k, k->node->in[i]), "elem") != 0)
			return false;
	for (i = 0; i < k->f->results; i++)
		if (strcmp(type(k, k->node->out[i]), "elem") != 0)
			return false;
	return true;
}

static void
write_packed(struct kernel *k)
{
	const char *or = "";
	int i;

	text_puts(&k->text, "\tEACH_PACK (i, n, ");
	for (i = 0; i < k->f->results; i++, or = " | ")
		text_printf(&k->text, "%sADDRESS(y%d)", or, i);
	for (i = 0; i < k->f->operands; i++)
		if (is_whole(k, i))
			text_printf(&k->text, " | ADDRESS(x%d)", i);
	text_puts(&k->text, ") {\n");
	for (i = 0; i < k->f->operands; i++)
		if (is_whole(k, i))
			text_printf(&k->text, "\t\tTAKE (x%d, i, n);\n", i);
	for (i = 0; i < k->f->results; i++)
		text_printf(&k->text, "\t\tGIVE (y%d);\n", i);
	text_puts(&k->text, "\t\tEACH_LANE (j) {\n");
	write_body(k, "\t\t\t", packed_place);
	text_puts(&k->text, "\t\t}\n");
	for (i = 0; i < k->f->results; i++)
		text_printf(&k->text, "\t\tPUT (y%d, i, n);\n", i);
	text_puts(&k->text, "\t}\n");
}

static void
write_elements(struct kernel *k)
{
	if (all_elements(k)) {
		write_packed(k);
		return;
	}
	text_puts(&k->text, "\tEACH (i, n) {\n");
	write_body(k, "\t\t", plain_place);
	text_puts(&k->text, "\t}\n");
}

/* ---- over rows ---- */

static const char *
number(struct kernel *k, int64_t x)
{
	vec_push(k->e->module->arena, &k->number, x);
	return arena_printf(k->e->module->arena, "n%d", k->number.n - 1);
}

/* The product of extents [from, to) without the batch, which only the first can have. */
static int64_t
product(const struct kernel *k, int from, int to)
{
	int64_t n = 1;

	for (; from < to; from++)
		n *= k->extent[from];
	return n;
}

/* Where row r of an operand begins: the sum over each run of axes along which it goes. */
static const char *
row_of(struct kernel *k, int operand)
{
	struct arena *a = k->e->module->arena;
	const bool *runs = k->runs[operand];
	int inner = k->axes - 1, last, first;
	int64_t stride = runs[inner] ? k->extent[inner] : 1;
	const char *sum = "";

	for (last = inner - 1; last >= 0; last = first - 1) {
		const char *index = "r";

		first = last;
		if (!runs[last])
			continue;
		while (first > 0 && runs[first - 1])
			first--;
		if (last < inner - 1)
			index = arena_printf(a, "quotient(%s, %s)", index, number(k, product(k, last + 1, inner)));
		if (first > 0)
			index = arena_printf(a, "rest_of(%s, %s)", index, number(k, product(k, first, last + 1)));
		sum = stride == 1 ? arena_printf(a, "%s%s%s", index, *sum ? " + " : "", sum) :
		    arena_printf(a, "%s * %s%s%s", index, number(k, stride), *sum ? " + " : "", sum);
		stride *= product(k, first, last + 1);
	}
	if (runs[inner])
		sum = *sum ? arena_printf(a, "%s + j", sum) : "j";
	return *sum ? sum : "0";
}

static const char *
spread_place(struct kernel *k, bool result, int i)
{
	struct arena *a = k->e->module->arena;

	if (result)
		return arena_printf(a, "y%d[r * inner + j]", i);
	return arena_printf(a, "x%d[%s]", i, row_of(k, i));
}

static void
write_spread(struct kernel *k)
{
	text_puts(&k->text, "\tSPREAD (r, j, rows, inner) {\n");
	write_body(k, "\t\t", spread_place);
	text_puts(&k->text, "\t}\n");
}

/* ---- the whole ---- */

#define NAME	FORMULA_KERNEL_NAME

static void
write_kernel(struct kernel *k)
{
	const char *last = is_spread(k) ? "int64_t rows, int64_t inner" : "int64_t n";
	struct text body = { NULL, NULL, 0, 0 }, head;
	struct arena *a = k->e->module->arena;

	text_init(&k->text, a);
	if (is_spread(k))	/* its numbers are known once it is written */
		write_spread(k);
	else
		write_elements(k);
	body = k->text;
	text_init(&k->text, a);
	text_printf(&k->text, "KERNEL(" NAME "_kernel, (");
	write_list(k, true, last);
	text_printf(&k->text, "))\n{\n%s}\n\nstatic void\n" NAME "_each(", body.s);
	write_list(k, true, last);
	text_printf(&k->text, ")\n{\n\tLAUNCH(" NAME "_kernel, %s, (", is_spread(k) ? "rows * inner" :
	    all_elements(k) ? "PACKS_IN(n)" : "n");
	write_list(k, false, is_spread(k) ? "rows, inner" : "n");
	text_puts(&k->text, "));\n}\n");
	head = k->text;
	k->text = head;
}

static struct kernel
kernel_of(struct emitter *e, const struct node *n, const struct formula *f)
{
	struct kernel k = { .e = e, .node = n, .f = f };

	find_axes(&k);
	write_kernel(&k);
	return k;
}

const char *
formula_kernel_written(const struct emitter *e, const char *text)
{
	int i;

	for (i = 0; i < e->written.n; i++)
		if (strcmp(e->written.v[i].text, text) == 0)
			return e->written.v[i].name;
	return NULL;
}

/* By another formula, or by the kernels of an operator, which are called by its name? */
static bool
is_taken(const struct emitter *e, const char *name)
{
	const struct op *op = op_find(name);
	int i;

	if (op && op->calls.kernels && !op->calls.define)
		return true;
	for (i = 0; i < e->written.n; i++)
		if (strcmp(e->written.v[i].name, name) == 0)
			return true;
	return false;
}

void
formula_kernel_write(struct emitter *e, const char *base, const struct formula *f, const char *text)
{
	struct arena *a = e->module->arena;
	const char *name = base, *s;
	int count;

	if (formula_kernel_written(e, text))
		return;
	for (count = 2; is_taken(e, name); count++)
		name = arena_printf(a, "%s_%d", base, count);
	vec_push(a, &e->written, ((struct written_kernel){ name, text }));
	text_puts(e->out, "\n");
	if (f)
		text_printf(e->out, "/* %s */\n", formula_text(a, f));
	for (s = text; *s; s++)
		if (*s == *NAME)
			text_puts(e->out, name);
		else
			text_add(e->out, s, 1);
}

void
formula_kernel_define(struct emitter *e, const struct node *n, const struct formula *f)
{
	formula_kernel_write(e, f->name ? f->name : "formula", f, kernel_of(e, n, f).text.s);
}

void
formula_kernel_call(struct emitter *e, const struct node *n, const struct formula *f)
{
	struct kernel k = kernel_of(e, n, f);
	struct call_arg arg[FORMULA_RESULTS + FORMULA_OPERANDS + MOST_AXES * FORMULA_OPERANDS * 3 + 3];
	struct arena *a = e->module->arena;
	int i, count = 0;

	for (i = 0; i < f->results; i++)
		arg[count++] = arg_tensor(n->out[i]);
	for (i = 0; i < f->operands; i++)
		arg[count++] = arg_tensor(n->in[i]);
	if (is_spread(&k)) {
		int64_t rows = product(&k, 0, k.axes - 1);

		arg[count++] = k.axes > 1 && k.batch[0] ? arg_text(rows == 1 ? "b" : arena_printf(a,
		    "b * %lld", (long long)rows)) : arg_int(rows);
		arg[count++] = arg_int(k.extent[k.axes - 1]);
	} else {
		arg[count++] = arg_count(n->out[0]);
	}
	for (i = 0; i < k.number.n; i++)
		arg[count++] = arg_int(k.number.v[i]);
	arg[count] = (struct call_arg){ .kind = ARG_END };
	emit_call_list(e, arena_printf(a, "%s_each", formula_kernel_written(e, k.text.s)), arg);
}
