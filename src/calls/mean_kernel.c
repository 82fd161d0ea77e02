/*
 * Kernels for means of formulas: a loop over elements that adds up, writes a gradient, or both.
 * What they are made of is kernels/loss/formula.cu.
 */
#include "calls/mean_kernel.h"

#include "calls/formula_kernel.h"

#define NAME	FORMULA_KERNEL_NAME

static const char *const suffix[] = {
	[MEAN_FORWARD] = "forward", [MEAN_BACKWARD] = "backward", [MEAN_BOTH] = "with_gradient",
};

struct way {			/* what its functions take, before operands; and the loop */
	const char *parameters, *arguments;	/* of the kernel */
	const char *before;	/* the kernel's loop */
	const char *begin, *end;
	const char *place;	/* an element's index in it */
};

#define SUMS(share)	share									\
	"\tROWS (p, LOSS_PARTS) {\n"								\
	"\t\tint64_t from = PART_FROM(n, p, LOSS_PARTS);\n"					\
	"\t\tint64_t count = PART_FROM(n, p + 1, LOSS_PARTS) - from;\n"				\
	"\t\tdouble sum = 0;\n\n"

static const struct way ways[] = {
	[MEAN_FORWARD] = { "double *part", "(double *)work", SUMS(""),
	    "\t\tALONG_ADD (j, count, sum) {\n", "\t\t}\n", "from + j" },
	[MEAN_BACKWARD] = { "elem *dx, const real *dy", "dx, dy", "\treal share = *dy / (real)n;\n\n",
	    "\tEACH (i, n) {\n", "\t}\n", "i" },
	[MEAN_BOTH] = { "double *part, elem *dx, const real *scale, const struct step *s",
	    "(double *)work, dx, scale, s", SUMS("\treal share = seed_of(scale, s) / (real)n;\n\n"),
	    "\t\tALONG_ADD (j, count, sum) {\n", "\t\t}\n", "from + j" },
};

static const char *const functions[] = {	/* parameters of the function that programs call */
	[MEAN_FORWARD] = "real *out, void *work",
	[MEAN_BACKWARD] = "elem *dx, const real *dy",
	[MEAN_BOTH] = "elem *dx, real *out, void *work, const real *scale, const struct step *s",
};

/* Its operands as parameters, with types, or as arguments. */
static void
write_operands(struct text *t, const struct mean_call *c, bool types)
{
	int i;

	for (i = 0; i < c->f->operands; i++) {
		text_puts(t, types && i == 0 ? ",\n    " : ", ");
		if (types)
			text_printf(t, "const %s *", c->operand[i]->dtype == DT_U8 ? "uint8_t" : "elem");
		text_printf(t, "x%d", i);
	}
	text_puts(t, types ? ", int64_t n" : ", n");
}

static void
write_body(struct emitter *e, struct text *t, const struct mean_call *c)
{
	const struct way *w = &ways[c->way];
	const char *operand[FORMULA_OPERANDS], *result[FORMULA_RESULTS];
	const char *indent = c->way == MEAN_BACKWARD ? "\t\t" : "\t\t\t";
	int i;

	text_printf(t, "%s%s", w->before, w->begin);
	for (i = 0; i < c->f->operands; i++) {
		operand[i] = arena_printf(e->module->arena, "%c", 'a' + i);
		text_printf(t, c->operand[i]->dtype == DT_U8 ? "%sreal %s = (real)x%d[%s];\n" :
		    "%sreal %s = VALUE(x%d[%s]);\n", indent, operand[i], i, w->place);
	}
	text_puts(t, "\n");
	formula_c(c->f, t, indent, operand, formula_literal, e, result);
	if (c->way != MEAN_BACKWARD)
		text_printf(t, "%ssum += (double)(%s);\n", indent, result[0]);
	if (c->way != MEAN_FORWARD)
		text_printf(t, "%sdx[%s] = ELEM((%s) * share);\n", indent, w->place,
		    result[c->way == MEAN_BOTH]);
	text_puts(t, w->end);
	if (c->way != MEAN_BACKWARD)
		text_puts(t, "\t\tsum = ROW_SUM(sum);\n\t\tFIRST\n\t\t\tpart[p] = sum;\n\t}\n");
}

static const char *
text_of(struct emitter *e, const struct mean_call *c)
{
	const struct way *w = &ways[c->way];
	struct text t;

	text_init(&t, e->module->arena);
	text_printf(&t, "KERNEL(" NAME "_kernel, (%s", w->parameters);
	write_operands(&t, c, true);
	text_puts(&t, "))\n{\n");
	write_body(e, &t, c);
	text_printf(&t, "}\n\nstatic void\n" NAME "(%s", functions[c->way]);
	write_operands(&t, c, true);
	text_printf(&t, ")\n{\n\t%s, (%s", c->way == MEAN_BACKWARD ? "LAUNCH(" NAME "_kernel, n" :
	    "LAUNCH_ROWS(" NAME "_kernel, LOSS_PARTS", w->arguments);
	write_operands(&t, c, false);
	text_puts(&t, "));\n");
	if (c->way != MEAN_BACKWARD)
		text_puts(&t, "\tLAUNCH(mean_kernel, 1, (out, (const double *)work, n));\n");
	text_puts(&t, "}\n");
	return t.s;
}

void
mean_kernel_define(struct emitter *e, const struct mean_call *c)
{
	formula_kernel_write(e, arena_printf(e->module->arena, "%s_%s", c->f->name ? c->f->name : "formula",
	    suffix[c->way]), c->f, text_of(e, c));
}

void
mean_kernel_call(struct emitter *e, const struct node *n, const struct mean_call *c)
{
	struct call_arg arg[FORMULA_OPERANDS + 8];
	int i, count = 0;

	if (c->way != MEAN_FORWARD)
		arg[count++] = arg_tensor(c->dx);
	if (c->way == MEAN_BACKWARD)
		arg[count++] = arg_tensor(c->with);
	else
		arg[count++] = arg_tensor(c->out), arg[count++] = arg_work(n);
	if (c->way == MEAN_BOTH)
		arg[count++] = arg_tensor(c->with), arg[count++] = arg_text("s");
	for (i = 0; i < c->f->operands; i++)
		arg[count++] = arg_tensor(c->operand[i]);
	arg[count++] = arg_count(c->operand[0]);
	arg[count] = (struct call_arg){ .kind = ARG_END };
	emit_call_list(e, formula_kernel_written(e, text_of(e, c)), arg);
}
