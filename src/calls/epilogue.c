/*
 * What a program has of the formulas that its products and norms do: for each a name, a row of
 * EPILOGUES and a function.
 */
#include "calls/epilogue.h"

#include <ctype.h>
#include <string.h>

#include "calls/formula_kernel.h"

/* ---- what libraries have of their own ---- */

static const struct known {
	const char *name, *text;
	bool gradient;		/* it is that of the formula */
} known_table[] = {
	{ "OF_RELU", "x0: relu(x0)", false },
	{ "OF_GELU_TANH", "x0: 0.5 * x0 * (1 + tanh(0.7978845608028654 * (x0 + 0.044715 * x0 * x0 * x0)))", false },
	{ "OF_GELU_TANH_GRAD", "x0: 0.5 * x0 * (1 + tanh(0.7978845608028654 * (x0 + 0.044715 * x0 * x0 * x0)))", true },
	{ NULL, NULL, false }
};

static const char *
known_as(struct arena *a, const struct formula *f)
{
	const struct known *k;

	for (k = known_table; k->name; k++) {
		const struct formula *of = formula_parse(a, k->text);

		if (formula_same(k->gradient ? formula_passed(a, of, 0, false) : of, f))
			return k->name;
	}
	return "OF_NOBODY";
}

/* ---- the list ---- */

static const struct noted_epilogue *
find(const struct emitter *e, const struct formula *f)
{
	int i;

	for (i = 0; i < e->epilogues.n; i++)
		if (formula_same(e->epilogues.v[i].f, f))
			return &e->epilogues.v[i];
	return NULL;
}

static bool
is_taken(const struct emitter *e, const char *name)
{
	int i;

	for (i = 0; i < e->epilogues.n; i++)
		if (strcmp(e->epilogues.v[i].name, name) == 0)
			return true;
	return false;
}

void
epilogue_note(struct emitter *e, const struct formula *f)
{
	struct arena *a = e->module->arena;
	const char *base = f->name ? f->name : "formula", *name = base;
	int count;

	if (find(e, f))
		return;
	for (count = 2; is_taken(e, name); count++)
		name = arena_printf(a, "%s_%d", base, count);
	vec_push(a, &e->epilogues, ((struct noted_epilogue){ .name = name, .known = known_as(a, f), .f = f }));
}

static const char *
in_capitals(struct arena *a, const char *name)
{
	char *s = arena_strdup(a, name), *p;

	for (p = s; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return s;
}

void
epilogue_list(struct emitter *e)
{
	struct arena *a = e->module->arena;
	int i;

	text_puts(e->out, e->epilogues.n ? "\n/* what kernels do before they store (pointwise/epilogue.cu) */\n"
	    "#define EPILOGUES(CASE)" : "#define EPILOGUES(CASE)");
	for (i = 0; i < e->epilogues.n; i++) {
		const struct noted_epilogue *n = &e->epilogues.v[i];

		text_printf(e->out, "\t\\\n\tCASE(DO_%s, %s_then, %s, %s)", in_capitals(a, n->name), n->name,
		    n->f->operands > 1 ? "true" : "false", n->known);
	}
	text_puts(e->out, "\n");
}

/* ---- functions and calls ---- */

void
epilogue_define(struct emitter *e, const struct formula *f)
{
	struct noted_epilogue *n = (struct noted_epilogue *)find(e, f);
	const char *result[FORMULA_RESULTS];
	struct text body;

	if (n->written)
		return;
	n->written = true;
	text_init(&body, e->module->arena);
	formula_c(f, &body, "\t", (const char *const[]){ "v", "s" }, formula_literal, e, result);
	text_printf(e->out, "\n/* %s */\nDEVICE real\n%s_then(real v, real s)\n{\n", formula_text(e->module->arena, f),
	    n->name);
	if (f->operands < 2)
		text_puts(e->out, "\t(void)s;\n");
	text_printf(e->out, "%s\treturn %s;\n}\n", body.n ? body.s : "", result[0]);
}

struct call_arg
epilogue_arg(struct emitter *e, const struct formula *f, const struct tensor *beside)
{
	struct arena *a = e->module->arena;
	const char *name = in_capitals(a, find(e, f)->name);

	return arg_text(beside ? arena_printf(a, "THEN_WITH(%s, %s)", name, emit_pointer(e, beside)) :
	    arena_printf(a, "THEN(%s)", name));
}

bool
epilogue_is_relu(const struct emitter *e, const struct formula *f)
{
	return strcmp(find(e, f)->known, "OF_RELU") == 0;
}
