/*
 * Kernels for optimizers that are formulas. What is the same for all elements is worked out before
 * them, and what is so for all weights before the step: of numbers that depend on the update's
 * count (formula_numbers()) the kernel is told the place.
 *
 *     KERNEL(lion_update_kernel, (struct updates u, const real *clip, const struct step *s))
 *     {
 *             real factor = clip ? *clip : 1;
 *
 *             ROWS (c, LEFT_OUT(clip) ? 0 : u.chunks) {
 *                     struct update_share k = update_share_of(&u, c);
 *                     real lr = (real)(s->lr * k.rate);
 *                     real decay = (real)k.decay;
 *
 *                     ALONG_EACH (i, k.n) {
 *                             real w = weight_of(&k, i);
 *                             real g = GRADIENT(k.g[i]) * factor;
 *                             real s0 = k.state[0][i];
 *                             ...
 */
#include "calls/update_kernel.h"

#include "calls/formula_kernel.h"

#define NAME	FORMULA_KERNEL_NAME

static const struct {
	const char *name, *value;	/* of an operand that is no element's, if the formula reads it */
} scalars[UPDATE_STATE] = {
	[UPDATE_COUNT] = { "count", "number[0]" },	/* formula_numbers() */
	[UPDATE_FIX_1] = { "fix1", "number[1]" },
	[UPDATE_FIX_2] = { "fix2", "number[2]" },
};

static bool
reads_numbers(const struct formula *f)
{
	return formula_reads(f, UPDATE_COUNT) || formula_reads(f, UPDATE_FIX_1) || formula_reads(f, UPDATE_FIX_2);
}

static void
write_scalars(const struct update_kernel *u, struct text *t, const char **operand)
{
	int i;

	for (i = 0; i < UPDATE_STATE; i++) {
		const char *value = scalars[i].value;

		if (!value || !formula_reads(u->f, i))
			continue;
		operand[i] = scalars[i].name;
		text_printf(t, "\treal %s = %s;\n", operand[i], value);
	}
}

static void
write_elements(struct emitter *e, const struct update_kernel *u, struct text *t, const char **operand)
{
	const char *result[FORMULA_RESULTS];
	int i, states = u->f->results - 1;

	text_puts(t, "\t\tALONG_EACH (i, k.n) {\n\t\t\treal w = weight_of(&k, i);\n"
	    "\t\t\treal g = GRADIENT(k.g[i]) * factor;\n");
	for (i = 0; i < states; i++) {
		operand[UPDATE_STATE + i] = arena_printf(e->module->arena, "s%d", i);
		text_printf(t, "\t\t\treal s%d = k.state[%d][i];\n", i, i);
	}
	text_puts(t, "\n");
	formula_c(u->f, t, "\t\t\t", operand, formula_literal, e, result);
	for (i = 0; i < states; i++)
		text_printf(t, "\t\t\treal new%d = %s;\n", i, result[i]);
	text_printf(t, "\t\t\tweight_set(&k, i, %s);\n", result[states]);
	for (i = 0; i < states; i++)
		text_printf(t, "\t\t\tk.state[%d][i] = new%d;\n", i, i);
	text_puts(t, "\t\t}\n");
}

static const char *
text_of(struct emitter *e, const struct update_kernel *u)
{
	const char *operand[FORMULA_OPERANDS] = { [UPDATE_WEIGHT] = "w", [UPDATE_GRADIENT] = "g",
		[UPDATE_RATE] = "lr", [UPDATE_DECAY] = "decay" };
	bool numbers = reads_numbers(u->f);
	struct text t;

	text_init(&t, e->module->arena);
	text_printf(&t, "KERNEL(" NAME "_kernel, (struct updates u, const real *clip, const struct step *s%s))\n{\n"
	    "\treal factor = clip ? *clip : 1;\n", numbers ? ", const real *number" : "");
	write_scalars(u, &t, operand);
	text_puts(&t, "\n\tROWS (c, LEFT_OUT(clip) ? 0 : u.chunks) {\n"
	    "\t\tstruct update_share k = update_share_of(&u, c);\n");
	if (formula_reads(u->f, UPDATE_RATE))
		text_puts(&t, "\t\treal lr = (real)(s->lr * k.rate);\n");
	if (formula_reads(u->f, UPDATE_DECAY))
		text_puts(&t, "\t\treal decay = (real)k.decay;\n");
	text_puts(&t, "\n");
	write_elements(e, u, &t, operand);
	text_printf(&t, "\t}\n}\n\nstatic void\n" NAME "(struct updates u, const real *clip, const struct step *s%s)\n{\n"
	    "\tLAUNCH_CHUNKS(" NAME "_kernel, u.chunks, (u, clip, s%s));\n}\n", numbers ? ", const real *number" : "",
	    numbers ? ", number" : "");
	return t.s;
}

void
update_kernel_define(struct emitter *e, const struct update_kernel *u)
{
	formula_kernel_write(e, arena_printf(e->module->arena, "%s_update", u->f->name), u->f, text_of(e, u));
}

void
update_kernel_call(struct emitter *e, const struct update_kernel *u, const struct tensor *clip)
{
	const char *kernel = formula_kernel_written(e, text_of(e, u));

	if (!reads_numbers(u->f)) {
		emit_call(e, kernel, arg_text(e->together), arg_tensor(clip), arg_text("s"));
		return;
	}
	emit_call(e, kernel, arg_text(e->together), arg_tensor(clip), arg_text("s"),
	    emit_update_numbers(e, "formula_numbers", 3, u->every, clip, arena_printf(e->module->arena, "%s, %s",
	    emit_log_kept(e, u->beta[0]), emit_log_kept(e, u->beta[1]))));
}
