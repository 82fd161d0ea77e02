/*
 * formula_sum: sums along axes of a formula of elements, which exist only while they are added up.
 * An operand may be
 *
 *     whole    an element for each of those that are added up: at least one is,
 *     single   one number,
 *     a sum's  one for each of the sums, as is the mean in sum((x - mean) ^ 2),
 *     other    repeated along other axes, as are scales of channels; all such ones along the same.
 *
 * The kernel is that of reduce_to (kernels/pointwise/reduce.cu) with the formula in it, written for
 * each formula and each way in which its operands lie. Sums are taken in double, in the same order.
 */
#include "ops/formula_sum.h"

#include "calls/formula_kernel.h"
#include "ops/pointwise.h"
#include "ops/reduce.h"
#include "ops/shapes.h"

enum { FORMULA, AXIS, FACTOR, ATTRS };

static const struct attr_spec attrs[] = {
	[FORMULA] = { "formula", ATTR_FORMULA, "the formula of elements", .required = true },
	[AXIS] = { "axis", ATTR_INTS, "the axes that are summed over, beside the batch where the result has none",
	    .min = 0, .max = MAX_RANK - 1 },
	[FACTOR] = { "factor", ATTR_REAL, "of each sum", .preset = "1" },
	ATTRS_END
};

enum lies { WHOLE, SINGLE, AS_SUM, AS_OTHER };

struct summed {			/* what a node sums */
	const struct formula *f;
	const struct tensor *from;	/* an operand that is whole */
	struct tensor to;	/* the sums, with extents of 1 where they were taken */
	const struct tensor *other;	/* NULL: none lies so */
	enum lies lies[FORMULA_OPERANDS];
	struct groups g;
};

/* ---- how operands lie ---- */

static bool
runs_alike(const struct tensor *full, const struct tensor *a, const struct tensor *b)
{
	int i;

	if (a->batched != b->batched)
		return false;
	for (i = 0; i < full->rank; i++)
		if (full->dim[i] != 1 && (a->rank > 0 && a->dim[i] != 1) != (b->rank > 0 && b->dim[i] != 1))
			return false;
	return true;
}

static bool
is_single(const struct tensor *t)
{
	return !t->batched && tensor_elements_per_sample(t) == 1;
}

/* FULL has the shape of what is added up. */
static bool
find_lies(struct summed *s, const struct tensor *full, int nin, struct tensor *const *in)
{
	int k;

	for (k = 0; k < nin; k++) {
		const struct tensor *t = in[k];

		if (is_single(t))
			s->lies[k] = SINGLE;
		else if (t->dtype != full->dtype || (t->rank != full->rank && t->rank > 0))
			return false;
		else if (runs_alike(full, t, full))
			s->lies[k] = WHOLE;
		else if (runs_alike(full, t, &s->to))
			s->lies[k] = AS_SUM;
		else if (!s->other || runs_alike(full, t, s->other))
			s->lies[k] = AS_OTHER;
		else
			return false;
		if (s->lies[k] == WHOLE && t->channels_last == full->channels_last)
			s->from = t;
		else if (s->lies[k] == WHOLE)
			return false;
		if (s->lies[k] == AS_OTHER)
			s->other = t;
	}
	return s->from && groups_make(&s->g, full, &s->to, s->other);
}

static struct tensor
sums_of(const struct tensor *full, const struct attr *axis, bool batched)
{
	struct tensor to = tensor_value(full);
	int i;

	for (i = 0; i < axis->n; i++)
		to.dim[axis->v[i]] = 1;
	to.batched = batched;
	return to;
}

/* Only one that is whole has the batch, if any has, and as many elements as any that has it. */
static const struct tensor *
largest(const struct node *n)
{
	const struct tensor *best = n->in[0];
	int k;

	for (k = 1; k < n->nin; k++)
		if (n->in[k]->batched > best->batched || (n->in[k]->batched == best->batched &&
		    tensor_elements_per_sample(n->in[k]) > tensor_elements_per_sample(best)))
			best = n->in[k];
	return best;
}

static struct summed
summed_by(const struct node *n)
{
	struct summed s = { .f = n->attr[FORMULA].formula };
	const struct tensor *full = largest(n);

	s.to = sums_of(full, &n->attr[AXIS], n->out[0]->batched);
	find_lies(&s, full, n->nin, n->in);
	return s;
}

/* ---- the kernel ---- */

#define NAME	FORMULA_KERNEL_NAME

struct form {			/* of a kernel: whether the innermost group is summed, or kept */
	const char *begin, *other, *middle, *other_row, *loop, *add, *end;
	const char *store;
	const char *rows;	/* how many its ROWS are */
	const char *sum;	/* where an operand that lies as the sums is */
};

static const struct form along_rows = {
	.begin =
	"\tint64_t inner = s.n[GROUPS - 1], total = groups_count(&s, false) * inner;\n"
	"\n"
	"\tROWS (r, outs * parts) {\n"
	"\t\tint64_t o = r / parts, p = r % parts, end = PART_FROM(total, p + 1, parts);\n"
	"\t\tint64_t base = groups_place(&s, true, o, s.full);\n",
	.other = "\t\tint64_t base_b = groups_place(&s, true, o, s.b);\n",
	.middle =
	"\t\tdouble sum = 0;\n"
	"\n"
	"\t\tfor (int64_t t = PART_FROM(total, p, parts), count; t < end; t += count) {\n"
	"\t\t\tint64_t j0 = t % inner, seg = t / inner;\n"
	"\t\t\tint64_t at = base + groups_place(&s, false, seg, s.full) + j0;\n",
	.other_row = "\t\t\tint64_t at_b = base_b + groups_place(&s, false, seg, s.b) + j0 * s.b[GROUPS - 1];\n",
	.loop =
	"\n"
	"\t\t\tcount = inner - j0 < end - t ? inner - j0 : end - t;\n"
	"\t\t\tALONG_ADD (j, count, sum) {\n",
	.add = "\t\t\t\tsum += (double)(%s);\n",
	.end =
	"\t\t\t}\n"
	"\t\t}\n"
	"\t\tsum = ROW_SUM(sum);\n"
	"\t\tFIRST {\n"
	"\t\t\tif (parts == 1)\n"
	"\t\t\t\tout[o] = ELEM((real)(factor * sum));\n"
	"\t\t\telse\n"
	"\t\t\t\twork[p * outs + o] = sum;\n"
	"\t\t}\n"
	"\t}\n",
	.rows = "outs * parts",
	.sum = "o",
};

static const struct form along_columns = {
	.begin =
	"\tint64_t inner = s.n[GROUPS - 1], chunks = (inner + STRIP - 1) / STRIP;\n"
	"\tint64_t total = groups_count(&s, false);\n"
	"\n"
	"\tROWS (r, outs / inner * chunks * parts) {\n"
	"\t\tint64_t p = r % parts, chunk = r / parts % chunks, o = r / parts / chunks;\n"
	"\t\tint64_t j0 = chunk * STRIP, count = inner - j0 < STRIP ? inner - j0 : STRIP;\n"
	"\t\tint64_t base = groups_place(&s, true, o, s.full) + j0;\n",
	.other = "\t\tint64_t base_b = groups_place(&s, true, o, s.b) + j0 * s.b[GROUPS - 1];\n",
	.middle =
	"\t\tdouble sum[STRIP_LANES] = { 0 };\n"
	"\n"
	"\t\tfor (int64_t t = PART_FROM(total, p, parts); t < PART_FROM(total, p + 1, parts); t++) {\n"
	"\t\t\tint64_t at = base + groups_place(&s, false, t, s.full);\n",
	.other_row = "\t\t\tint64_t at_b = base_b + groups_place(&s, false, t, s.b);\n",
	.loop =
	"\n"
	"\t\t\tALONG (j, count) {\n",
	.add = "\t\t\t\tsum[LANE(j)] += (double)(%s);\n",
	.end =
	"\t\t\t}\n"
	"\t\t}\n"
	"\t\tALONG (j, count) {\n"
	"\t\t\tint64_t y = o * inner + j0 + j;\n"
	"\n"
	"\t\t\tif (parts == 1)\n"
	"\t\t\t\tout[y] = ELEM((real)(factor * sum[LANE(j)]));\n"
	"\t\t\telse\n"
	"\t\t\t\twork[p * outs + y] = sum[LANE(j)];\n"
	"\t\t}\n"
	"\t}\n",
	.rows = "outs / inner * ((inner + STRIP - 1) / STRIP) * parts",
	.sum = "o * inner + j0 + j",
};

static const struct form *
form_of(const struct summed *s)
{
	return s->g.runs[0][s->g.n - 1] ? &along_columns : &along_rows;
}

static const char *
type(const struct emitter *e, const struct tensor *t)
{
	return t->dtype == shape_real(e->module) ? "elem" : "real";
}

/* Its operands as parameters, with types, or as arguments. */
static void
write_operands(struct emitter *e, struct text *t, const struct node *n, bool types)
{
	int k;

	for (k = 0; k < n->nin; k++) {
		text_puts(t, types && k % 4 == 0 ? ",\n    " : ", ");
		if (types)
			text_printf(t, "const %s *", type(e, n->in[k]));
		text_printf(t, "x%d", k);
	}
}

static const char *
place(struct emitter *e, const struct summed *s, int k)
{
	switch (s->lies[k]) {
	case WHOLE:
		return arena_printf(e->module->arena, "x%d[at + j]", k);
	case AS_SUM:
		return arena_printf(e->module->arena, "x%d[%s]", k, form_of(s)->sum);
	case AS_OTHER:
		return arena_printf(e->module->arena, s->g.runs[1][s->g.n - 1] ? "x%d[at_b + j]" : "x%d[at_b]", k);
	case SINGLE:
		break;
	}
	return arena_printf(e->module->arena, "*x%d", k);
}

static void
write_loop(struct emitter *e, struct text *t, const struct node *n, const struct summed *s)
{
	static const char *const operand[FORMULA_OPERANDS] = { "a", "b", "c", "d", "e", "f", "g", "h", "k", "l", "m",
		"q" };
	const struct form *form = form_of(s);
	const char *result[FORMULA_RESULTS];
	int k;

	text_puts(t, form->begin);
	text_puts(t, s->other ? form->other : "");
	text_puts(t, form->middle);
	text_puts(t, s->other ? form->other_row : "");
	text_puts(t, form->loop);
	for (k = 0; k < n->nin; k++)
		text_printf(t, type(e, n->in[k])[0] == 'e' ? "\t\t\t\treal %s = VALUE(%s);\n" :
		    "\t\t\t\treal %s = %s;\n", operand[k], place(e, s, k));
	text_puts(t, "\n");
	formula_c(s->f, t, "\t\t\t\t", operand, formula_literal, e, result);
	text_printf(t, form->add, result[0]);
	text_puts(t, form->end);
}

static const char *
text_of(struct emitter *e, const struct node *n, const struct summed *s)
{
	struct text t;

	text_init(&t, e->module->arena);
	text_puts(&t, "KERNEL(" NAME "_kernel, (elem *out, double *work");
	write_operands(e, &t, n, true);
	text_puts(&t, ",\n    double factor, struct groups s, int64_t outs, int64_t parts))\n{\n");
	write_loop(e, &t, n, s);
	text_puts(&t, "}\n\nstatic void\n" NAME "(elem *out, void *work");
	write_operands(e, &t, n, true);
	text_printf(&t, ",\n    double factor, struct axes of, int64_t parts)\n{\n"
	    "\tstruct groups s = groups_of(of);\n"
	    "\tint64_t outs = groups_outs(s)%s;\n\n"
	    "\tLAUNCH_ROWS(" NAME "_kernel, %s,\n\t    (out, (double *)work",
	    form_of(s) == &along_columns ? ", inner = s.n[GROUPS - 1]" : "", form_of(s)->rows);
	write_operands(e, &t, n, false);
	text_puts(&t, ", factor, s, outs, parts));\n"
	    "\tif (parts > 1)\n"
	    "\t\tLAUNCH(reduce_parts_kernel, outs, (out, (const double *)work, factor, AS_IS, outs, parts));\n"
	    "}\n");
	return t.s;
}

static void
define(struct emitter *e, const struct node *n)
{
	struct summed s = summed_by(n);

	formula_kernel_write(e, arena_printf(e->module->arena, "%s_sum", s.f->name ? s.f->name : "formula"), s.f,
	    text_of(e, n, &s));
}

static void
emit(struct emitter *e, const struct node *n)
{
	struct summed s = summed_by(n);
	struct call_arg arg[FORMULA_OPERANDS + 6];
	int k, count = 0;

	arg[count++] = arg_tensor(n->out[0]);
	arg[count++] = arg_work(n);
	for (k = 0; k < n->nin; k++)
		arg[count++] = arg_tensor(n->in[k]);
	arg[count++] = arg_text(emit_double(e, n->attr[FACTOR].r));
	arg[count++] = arg_text(groups_text(e, &s.g));
	arg[count++] = arg_int(reduce_pieces(s.from, &s.to, &s.g));
	arg[count] = (struct call_arg){ .kind = ARG_END };
	emit_call_list(e, formula_kernel_written(e, text_of(e, n, &s)), arg);
}

/* ---- the record ---- */

static struct affine
workspace(const struct node *n, const struct room *room)
{
	struct summed s = summed_by(n);

	(void)room;
	return reduce_room(s.from, &s.to, s.other);
}

const struct op op_formula_sum = {
	.name = "formula_sum",
	.kind = OP_INTERNAL,
	.brief = "sums along axes of a formula of elements",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = -1,
	.memory.workspace = workspace,
	.calls.kernels = "pointwise/formula_sum.cu",
	.calls.define = define,
	.calls.emit = emit,
};

/* ---- making one ---- */

static struct attr
axes_between(const struct tensor *full, const struct tensor *to)
{
	struct attr axis = { .given = true };
	int i;

	for (i = 0; i < full->rank; i++)
		if (full->dim[i] != to->dim[i])
			axis.v[axis.n++] = i;
	return axis;
}

bool
formula_sum_make(struct arena *a, struct node *sum, const struct node *of)
{
	const struct tensor *full = of->out[0];
	struct summed s = { .f = NULL };
	double factor;
	int k;

	if (sum->out[0]->dtype != full->dtype || !reduce_takes(sum, &s.to, &factor) || reduce_is_whole(full, &s.to) ||
	    !find_lies(&s, full, of->nin, of->in) || !(s.f = pointwise_formula(a, of)))
		return false;
	sum->op = &op_formula_sum;
	sum->attr = arena_array(a, ATTRS, sizeof(*sum->attr));
	sum->attr[FORMULA] = (struct attr){ .given = true, .formula = s.f };
	sum->attr[AXIS] = axes_between(full, &s.to);
	sum->attr[FACTOR] = (struct attr){ .given = true, .r = factor };
	sum->in = arena_array(a, (size_t)of->nin, sizeof(*sum->in));
	for (k = 0; k < of->nin; k++)
		sum->in[k] = of->in[k];
	sum->nin = of->nin;
	return true;
}
