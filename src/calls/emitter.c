/*
 * Calls of kernels. An operator says what the arguments are; here they become text: offsets in the
 * arena, counts as functions of the running batch b, literals exact to the last bit.
 */
#include "calls/emitter.h"

#include <assert.h>
#include <string.h>

#include "emit/program.h"
#include "ir/op.h"
#include "ops/shapes.h"

static const char *const type_macro[DTYPES] = {
	[DT_F32] = "F32", [DT_F64] = "F64", [DT_F16] = "F16", [DT_BF16] = "BF16", [DT_I32] = "I32",
	[DT_U8] = "U8",
};

const char *
emit_pointer(struct emitter *e, const struct tensor *t)
{
	int64_t offset;

	if (!t)
		return "NULL";
	offset = plan_offset(e->plan, t);
	assert(offset >= 0);
	return arena_printf(e->module->arena, "%s(%lld)", type_macro[t->dtype], (long long)offset);
}

const char *
emit_kernel(struct emitter *e, const char *function, const struct tensor *t)
{
	if (t->dtype != DT_F32 || shape_real(e->module) == DT_F32)
		return function;
	return arena_printf(e->module->arena, "%s_reals", function);
}

/* fixed + per_sample * b, as shortly as it can be written */
static const char *
amount(struct emitter *e, struct affine a)
{
	struct arena *arena = e->module->arena;

	if (!a.per_sample)
		return arena_printf(arena, "%lld", (long long)a.fixed);
	if (!a.fixed)
		return a.per_sample == 1 ? "b" :
		    arena_printf(arena, "b * %lld", (long long)a.per_sample);
	return arena_printf(arena, "%lld + b * %lld", (long long)a.fixed, (long long)a.per_sample);
}

static const char *
literal(struct emitter *e, double x)
{
	bool single = e->module->set.precision != PREC_F64;
	char buf[SIZE_TEXT];

	emit_real(buf, x, single);
	if (strpbrk(buf, "NI"))
		return arena_strdup(e->module->arena, buf);
	return arena_printf(e->module->arena, "REAL(%s)", buf);
}

static const char *
onto(struct emitter *e, const struct node *n)
{
	if (!op_base(n))
		return "ANEW";
	return arena_printf(e->module->arena, n->keep_first ? "ONTO_FIRST(%s, s)" : "ONTO(%s)",
	    literal(e, n->keep));
}

static const char *
argument(struct emitter *e, char letter, va_list *ap)
{
	const struct node *n;

	switch (letter) {
	case 't':
		return emit_pointer(e, va_arg(*ap, const struct tensor *));
	case 'w':
		n = va_arg(*ap, const struct node *);
		return emit_pointer(e, n->work);
	case 'z':
		n = va_arg(*ap, const struct node *);
		return n->work ? amount(e, tensor_bytes(n->work)) : "0";
	case 'n':
		return amount(e, tensor_elements(va_arg(*ap, const struct tensor *)));
	case 'b':
		return va_arg(*ap, const struct tensor *)->batched ? "b" : "1";
	case 'i':
		return arena_printf(e->module->arena, "%lld", (long long)va_arg(*ap, int64_t));
	case 'r':
		return literal(e, va_arg(*ap, double));
	case 'o':
		return onto(e, va_arg(*ap, const struct node *));
	case 's':
		return va_arg(*ap, const char *);
	case 'k':
		n = va_arg(*ap, const struct node *);
		n = n->forward ? n->forward : n->again ? n->again : n;
		return arena_printf(e->module->arena, "%d", n->id);
	}
	assert(!"a letter of emit.h");
	return "";
}

static void
note(struct emitter *e, struct emit_convolution v, const struct node *n, double keep)
{
	v.keep = keep;
	v.b = e->graph->batch;
	v.room += n->work ? affine_at(tensor_bytes(n->work), v.b) : 0;
	if (v.room >= 0)
		vec_push(e->module->arena, &e->convolutions, v);
}

/* One that keeps what lies there only in an update's first micro-batch takes turns with one that
 * always does. */
void
emit_convolution(struct emitter *e, const struct node *n, int kind, bool bias, bool relu,
    const struct conv *s)
{
	struct emit_convolution v = { .kind = kind, .s = *s, .view = conv_view(s->h, s->w, 0) };
	double keep = op_base(n) ? n->keep : 0;

	if (conv_is_depthwise(s))
		return;
	v.bias = bias && kind == DNN_FORWARD && keep == 0;
	v.relu = v.bias && relu;
	note(e, v, n, keep);
	if (op_base(n) && n->keep_first)
		note(e, v, n, 1);
}

void
emit_convolution_part(struct emitter *e, const struct node *n, int kind, bool bias, double keep,
    const struct conv *s, const struct tensor *x, int64_t top, int64_t left)
{
	int64_t corner = (top * x->dim[2] + left) * (s->last ? x->dim[0] : 1);
	struct emit_convolution v = { .kind = kind, .bias = bias,
		.s = conv_part(*s, (int)x->dim[0]), .view = conv_view((int)x->dim[1],
		    (int)x->dim[2], corner * dtype_bytes(x->dtype)) };

	v.room = -conv_part_bytes(&v.s, dtype_bytes(x->dtype));
	note(e, v, n, keep);
}

void
emit_call(struct emitter *e, const char *function, const char *signature, ...)
{
	int column = TAB_WIDTH + (int)strlen(function) + 1;
	const char *comma = "";
	va_list ap;

	text_printf(e->out, "\t%s(", function);
	va_start(ap, signature);
	for (; *signature; signature++, comma = ",") {
		const char *text = argument(e, *signature, &ap);
		int width = (int)strlen(text);

		text_puts(e->out, comma);
		if (*comma && column + 2 + width + 2 > LINE_WIDTH) {
			text_puts(e->out, "\n\t    ");
			column = TAB_WIDTH + 4;
		} else if (*comma) {
			text_puts(e->out, " ");
			column += 2;
		}
		text_puts(e->out, text);
		column += width;
	}
	va_end(ap);
	text_puts(e->out, ");\n");
}
