/*
 * Calls of kernels. An operator says what the arguments are; here they become text: offsets in the
 * arena, counts as functions of the running batch b, literals exact to the last bit.
 */
#include "calls/emitter.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *
emit_pointer(struct emitter *e, const struct tensor *t)
{
	const struct tensor *root = t ? tensor_root(t) : NULL;

	if (!t)
		return "NULL";
	if (e->place && e->place[root->id])
		return arena_printf(e->module->arena, "%s(%lld + %s)", t->dtype->macro, (long long)e->offset[root->id], e->place[root->id]);
	return emit_address(e, t->dtype, e->offset[root->id]);
}

const char *
emit_address(struct emitter *e, const struct dtype *type, int64_t offset)
{
	assert(offset >= 0);
	return arena_printf(e->module->arena, "%s(%lld)", type->macro, (long long)offset);
}

static void
put_tabs(struct emitter *e)
{
	int i;

	for (i = 0; i <= e->depth; i++)
		text_puts(e->out, "\t");
}

void
emit_line(struct emitter *e, const char *fmt, ...)
{
	va_list ap;

	put_tabs(e);
	va_start(ap, fmt);
	text_puts(e->out, arena_vprintf(e->module->arena, fmt, ap));
	va_end(ap);
	text_puts(e->out, "\n");
}

const char *
emit_kernel(struct emitter *e, const char *function, const struct tensor *t)
{
	const struct dtype *element = shape_real(e->module);

	if (t->dtype == element || t->dtype != element->real)
		return function;
	return arena_printf(e->module->arena, "%s_reals", function);
}

const char *
emit_real(char buf[SIZE_TEXT], double x, bool single)
{
	int digits;

	if (single)
		x = (double)(float)x;
	if (isnan(x) || isinf(x)) {
		snprintf(buf, SIZE_TEXT, "%s", isnan(x) ? "NAN" : x > 0 ? "INFINITY" : "-INFINITY");
		return buf;
	}
	for (digits = 1; digits <= DBL_DECIMAL_DIG; digits++) {
		snprintf(buf, SIZE_TEXT, "%.*g", digits, x);
		if (single ? strtof(buf, NULL) == (float)x : strtod(buf, NULL) == x)
			break;
	}
	if (!strpbrk(buf, ".e"))
		strcat(buf, ".0");
	return buf;
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

const char *
emit_work_bytes(struct emitter *e, const struct tensor *work)
{
	return work ? amount(e, tensor_bytes(work)) : "0";
}

static const char *
literal(struct emitter *e, double x)
{
	bool single = shape_real(e->module)->real == DT_F32;
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
argument(struct emitter *e, const struct call_arg *arg)
{
	struct arena *a = e->module->arena;
	const struct node *n = arg->node;

	switch (arg->kind) {
	case ARG_TENSOR:
		return emit_pointer(e, arg->tensor);
	case ARG_WORK:
		return emit_pointer(e, n->work);
	case ARG_WORK_BYTES:
		return emit_work_bytes(e, n->work);
	case ARG_COUNT:
		return amount(e, tensor_elements(arg->tensor));
	case ARG_BATCH:
		return arg->tensor->batched ? "b" : "1";
	case ARG_INT:
		return arena_printf(a, "%lld", (long long)arg->i);
	case ARG_REAL:
		return literal(e, arg->r);
	case ARG_ONTO:
		return onto(e, n);
	case ARG_TEXT:
		return arg->text;
	case ARG_STREAM:
		n = n->forward ? n->forward : n->again ? n->again : n;
		return arena_printf(a, "%d", n->id);
	case ARG_END:
		break;
	}
	return "";
}

static void
note(struct emitter *e, struct convolution_note v, const struct node *n, double keep)
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
	struct convolution_note v = { .kind = kind, .s = *s, .view = conv_view(s->h, s->w, 0) };
	double keep = op_base(n) ? n->keep : 0;

	if (conv_is_depthwise(s))
		return;
	if (kind == DNN_INPUT && conv_adds_seen(s, bias, keep))
		v.s = conv_seen(*s, &v.view);
	v.bias = bias && kind == DNN_FORWARD && keep == 0;
	v.relu = v.bias && relu;
	note(e, v, n, keep);
	if (op_base(n) && n->keep_first)
		note(e, v, n, 1);
}

void
emit_convolution_sums(struct emitter *e, const struct node *n, const struct conv *s)
{
	struct convolution_note v = { .kind = DNN_FORWARD, .sums = true, .s = *s, .view = conv_view(s->h, s->w, 0) };

	note(e, v, n, 0);
}

void
emit_convolution_part(struct emitter *e, const struct node *n, int kind, bool bias, double keep,
    const struct conv *s, const struct tensor *x, int64_t top, int64_t left)
{
	int64_t corner = (top * x->dim[2] + left) * (s->last ? x->dim[0] : 1);
	struct convolution_note v = { .kind = kind, .bias = bias,
		.s = conv_part(*s, (int)x->dim[0]), .view = conv_view((int)x->dim[1],
		    (int)x->dim[2], corner * dtype_bytes(x->dtype)) };

	v.room = -conv_part_bytes(&v.s, dtype_bytes(x->dtype));
	note(e, v, n, keep);
}

const char *
emit_log_kept(struct emitter *e, double share)
{
	char buf[SIZE_TEXT];

	return arena_strdup(e->module->arena, emit_real(buf, share > 0 ? log(share) : -1000, false));
}

/* What loss_scale keeps of the updates that CLIP is for, and "NULL" where nothing scales the
 * loss. */
static const char *
counts_of(struct emitter *e, const struct tensor *clip)
{
	if (!clip || !e->module->set.precision->scales_loss)
		return "NULL";
	assert(clip->def->op == op_find("loss_scale"));
	return emit_pointer(e, clip->def->out[2]);
}

struct call_arg
emit_update_numbers(struct emitter *e, const char *function, int count, int64_t every, const struct tensor *clip,
    const char *arguments)
{
	struct arena *a = e->module->arena;
	struct update_numbers n = { .function = function, .count = count };
	int i;

	n.arguments = arena_printf(a, "update_count(s, %lld, %s), %s", (long long)every, counts_of(e, clip), arguments);
	for (i = 0; i < e->numbers.n; i++) {
		const struct update_numbers *old = &e->numbers.v[i];

		if (strcmp(old->function, n.function) == 0 && strcmp(old->arguments, n.arguments) == 0)
			return arg_text(arena_printf(a, "UPDATE_NUMBER(%d)", old->at));
		n.at += old->count;
	}
	vec_push(a, &e->numbers, n);
	return arg_text(arena_printf(a, "UPDATE_NUMBER(%d)", n.at));
}

void
emit_squares(struct emitter *e, const struct node *n, int from)
{
	int first = e->clipped.n, i;

	e->clips = true;
	for (i = from; i < n->nin; i++)
		vec_push(e->module->arena, &e->clipped, n->in[i]);
	emit_call(e, "clip_squares", arg_work(n), arg_text("arena"), arg_int(first),
	    arg_int(n->nin - from));
	if (module_splits(e->module))
		emit_call(e, "clip_squares_once", arg_work(n), arg_int(first), arg_int(n->nin - from));
	if (module_shards(e->module) > 1 || module_splits(e->module) || module_stages(e->module) > 1)
		emit_call(e, "clip_squares_of_all", arg_work(n), arg_int(n->nin - from));
}

const struct sum_call *
emit_call_between(const struct emitter *e, const struct node *n)
{
	int i;

	for (i = 0; i < e->sums.n; i++)
		if (e->sums.v[i].begins == n || e->sums.v[i].waits == n)
			return &e->sums.v[i];
	return NULL;
}

void
emit_call_list(struct emitter *e, const char *function, const struct call_arg *arg)
{
	int tabs = (e->depth + 1) * TAB_WIDTH, column = tabs + (int)strlen(function) + 1;
	const char *comma = "";

	put_tabs(e);
	text_printf(e->out, "%s(", function);
	for (; arg->kind != ARG_END; arg++, comma = ",") {
		const char *text = argument(e, arg);
		int width = (int)strlen(text);

		text_puts(e->out, comma);
		if (*comma && column + 2 + width + 2 > LINE_WIDTH) {
			text_puts(e->out, "\n");
			put_tabs(e);
			text_puts(e->out, "    ");
			column = tabs + 4;
		} else if (*comma) {
			text_puts(e->out, " ");
			column += 2;
		}
		text_puts(e->out, text);
		column += width;
	}
	text_puts(e->out, ");\n");
}
