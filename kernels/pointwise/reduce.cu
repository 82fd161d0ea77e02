/*
 * pointwise/reduce.cu - sums over the groups that the result stays put in, which is operand a of
 * the span: sum and mean, and the gradient of a broadcast, and a formula of each (epilogue.cu).
 * Largest elements are in extreme.cu, variances in variance.cu.
 */
#ifndef STOWAGE_POINTWISE_REDUCE_CU
#define STOWAGE_POINTWISE_REDUCE_CU

#include "pointwise/epilogue.cu"
#include "pointwise/groups.cu"

/* The offset, in a tensor of that stride, of the I-th choice of indices of the outer groups that
 * the result runs along (KEPT), or of the others. */
DEVICE int64_t
groups_place(const struct groups *s, bool kept, int64_t i, const int64_t *stride)
{
	int64_t at = 0;

	for (int g = GROUPS - 2; g >= 0; g--)
		if ((s->a[g] != 0) == kept) {
			at += i % s->n[g] * stride[g];
			i /= s->n[g];
		}
	return at;
}

DEVICE int64_t
groups_count(const struct groups *s, bool kept)
{
	int64_t n = 1;

	for (int g = 0; g < GROUPS - 1; g++)
		if ((s->a[g] != 0) == kept)
			n *= s->n[g];
	return n;
}

/* Elements of what runs along operand a's groups alone. */
static inline int64_t
groups_outs(struct groups s)
{
	int64_t outs = 1;

	for (int g = 0; g < GROUPS; g++)
		outs *= s.a[g] ? s.n[g] : 1;
	return outs;
}

/* The innermost group is summed: each result, or part of one, is a row. */
KERNEL(reduce_rows_kernel, (elem *out, double *work, const elem *dy, double factor, struct epilogue then,
    struct groups s, int64_t outs, int64_t parts))
{
	int64_t inner = s.n[GROUPS - 1], total = groups_count(&s, false) * inner;

	ROWS (r, outs * parts) {
		int64_t o = r / parts, p = r % parts, end = PART_FROM(total, p + 1, parts);
		int64_t base = groups_place(&s, true, o, s.full);
		double sum = 0;

		for (int64_t t = PART_FROM(total, p, parts), count; t < end; t += count) {
			int64_t j0 = t % inner, seg = t / inner;
			const elem *d = dy + base + groups_place(&s, false, seg, s.full) + j0;

			count = inner - j0 < end - t ? inner - j0 : end - t;
			ALONG_ADD (j, count, sum)
				sum += (double)VALUE(d[j]);
		}
		sum = ROW_SUM(sum);
		FIRST {
			if (parts == 1)
				out[o] = ELEM(epilogue_value(then, (real)(factor * sum), o));
			else
				work[p * outs + o] = sum;
		}
	}
}

/* Neighbouring results of one strip, of which each thread has its own. */
DEVICE void
reduce_store(elem *out, const double *sum, double factor, struct epilogue then, int64_t count)
{
#define STORE(kind_, function, reads, known)							\
	case kind_:										\
		ALONG (j, count)								\
			out[j] = ELEM(epilogue_of_both(kind_, (real)(factor * sum[LANE(j)]),	\
			    reads ? VALUE(then.saved[j]) : 0));					\
		break;
	EPILOGUE_CASES_ALL(then.kind, STORE)
#undef STORE
}

/* The innermost group is kept: neighbouring results are summed side by side. */
KERNEL(reduce_columns_kernel, (elem *out, double *work, const elem *dy, double factor, struct epilogue then,
    struct groups s, int64_t outs, int64_t parts))
{
	int64_t inner = s.n[GROUPS - 1], chunks = (inner + STRIP - 1) / STRIP;
	int64_t total = groups_count(&s, false);

	ROWS (r, outs / inner * chunks * parts) {
		int64_t p = r % parts, chunk = r / parts % chunks, o = r / parts / chunks;
		int64_t end = PART_FROM(total, p + 1, parts);
		int64_t j0 = chunk * STRIP;
		int64_t count = inner - j0 < STRIP ? inner - j0 : STRIP;
		int64_t base = groups_place(&s, true, o, s.full) + j0;
		double sum[STRIP_LANES] = { 0 };

		for (int64_t t = PART_FROM(total, p, parts); t < end; t++) {
			const elem *d = dy + base + groups_place(&s, false, t, s.full);

			ALONG (j, count)
				sum[LANE(j)] += (double)VALUE(d[j]);
		}
		if (parts > 1)
			ALONG (j, count)
				work[p * outs + o * inner + j0 + j] = sum[LANE(j)];
		else
			reduce_store(out + o * inner + j0, sum, factor, epilogue_beyond(then, o * inner + j0), count);
	}
}

KERNEL(reduce_parts_kernel, (elem *out, const double *work, double factor, struct epilogue then, int64_t outs,
    int64_t parts))
{
	EACH (o, outs) {
		double sum = 0;

		for (int64_t p = 0; p < parts; p++)
			sum += work[p * outs + o];
		out[o] = ELEM(epilogue_value(then, (real)(factor * sum), o));
	}
}

/* out = FACTOR times the sum of dy over the groups that out (OF.runs_a) does not run along, and
 * THEN of that. PARTS > 1: WORK has a double for each part of each result. */
static void
reduce_to(elem *out, void *work, const elem *dy, double factor, struct epilogue then, struct axes of, int64_t parts)
{
	struct groups s = groups_of(of);
	int64_t outs = groups_outs(s), inner = s.n[GROUPS - 1], chunks = (inner + STRIP - 1) / STRIP;
	double *w = (double *)work;

	if (s.a[GROUPS - 1])
		LAUNCH_ROWS(reduce_columns_kernel, outs / inner * chunks * parts,
		    (out, w, dy, factor, then, s, outs, parts));
	else
		LAUNCH_ROWS(reduce_rows_kernel, outs * parts,
		    (out, w, dy, factor, then, s, outs, parts));
	if (parts > 1)
		LAUNCH(reduce_parts_kernel, outs, (out, w, factor, then, outs, parts));
}

#endif
