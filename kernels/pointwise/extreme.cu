/*
 * pointwise/extreme.cu - the largest of each group of elements, or with SIGN -1 the smallest, over
 * the groups of a span that operand a does not run along; and its place among them. Not-a-number
 * wins over all, and of equals the first.
 */
#include "pointwise/reduce.cu"

/* Does V win over TOP, which comes before it? */
DEVICE bool
extreme_wins(real v, real top)
{
	return v > top || (v != v && top == top);
}

/* The innermost group is searched: first for the value, then for its place. */
KERNEL(extreme_rows_kernel, (elem *out, int32_t *index, const elem *x, real sign, struct groups s,
    int64_t outs))
{
	int64_t inner = s.n[GROUPS - 1], segments = groups_count(&s, false);

	ROWS (o, outs) {
		const elem *from = x + groups_place(&s, true, o, s.full);
		real top = -INFINITY, lost = 0;
		int64_t last = INT64_MIN;	/* minus the first place, and so the largest */

		for (int64_t t = 0; t < segments; t++) {
			const elem *v = from + groups_place(&s, false, t, s.full);

			ALONG_MAX (j, inner, top)
				top = sign * VALUE(v[j]) > top ? sign * VALUE(v[j]) : top;
			ALONG_MAX (j, inner, lost)
				lost = VALUE(v[j]) != VALUE(v[j]) ? 1 : lost;
		}
		top = ROW_MAX(top);
		lost = ROW_MAX(lost);
		for (int64_t t = 0; t < segments && index; t++) {
			const elem *v = from + groups_place(&s, false, t, s.full);

			ALONG_MAX (j, inner, last) {
				real e = sign * VALUE(v[j]);
				int64_t at = (lost ? e != e : e == top) ? -(t * inner + j) : INT64_MIN;

				last = at > last ? at : last;
			}
		}
		last = index ? ROW_MAX(last) : 0;
		FIRST {
			if (out)
				out[o] = ELEM(lost ? (real)NAN : sign * top);
			if (index)
				index[o] = (int32_t)-last;
		}
	}
}

/* The innermost group is kept: neighbouring results are searched side by side. */
KERNEL(extreme_columns_kernel, (elem *out, int32_t *index, const elem *x, real sign, struct groups s,
    int64_t outs))
{
	int64_t inner = s.n[GROUPS - 1], chunks = (inner + STRIP - 1) / STRIP;
	int64_t segments = groups_count(&s, false);

	ROWS (r, outs / inner * chunks) {
		int64_t o = r / chunks, j0 = r % chunks * STRIP;
		int64_t count = inner - j0 < STRIP ? inner - j0 : STRIP;
		const elem *from = x + groups_place(&s, true, o, s.full) + j0;
		real top[STRIP_LANES];
		int32_t place[STRIP_LANES];

		ALONG (j, count) {
			top[LANE(j)] = sign * VALUE(from[j]);
			place[LANE(j)] = 0;
		}
		for (int64_t t = 1; t < segments; t++) {
			const elem *v = from + groups_place(&s, false, t, s.full);

			ALONG (j, count) {
				real e = sign * VALUE(v[j]);
				bool wins = extreme_wins(e, top[LANE(j)]);

				top[LANE(j)] = wins ? e : top[LANE(j)];
				place[LANE(j)] = wins ? (int32_t)t : place[LANE(j)];
			}
		}
		ALONG (j, count) {
			if (out)
				out[o * inner + j0 + j] = ELEM(sign * top[LANE(j)]);
			if (index)
				index[o * inner + j0 + j] = place[LANE(j)];
		}
	}
}

/* OUT or INDEX may be NULL. */
static void
extreme_forward(elem *out, int32_t *index, const elem *x, real sign, struct axes of)
{
	struct groups s = groups_of(of);
	int64_t outs = groups_outs(s), inner = s.n[GROUPS - 1], chunks = (inner + STRIP - 1) / STRIP;

	if (s.a[GROUPS - 1])
		LAUNCH_ROWS(extreme_columns_kernel, outs / inner * chunks, (out, index, x, sign, s, outs));
	else
		LAUNCH_ROWS(extreme_rows_kernel, outs, (out, index, x, sign, s, outs));
}

KERNEL(extreme_grad_kernel, (elem *dx, const elem *dy, const int32_t *index, struct groups s,
    int64_t rows))
{
	int64_t inner = s.n[GROUPS - 1], chunks = (inner + GROUPS_CHUNK - 1) / GROUPS_CHUNK;

	ROWS (r, rows * chunks) {
		int64_t j0 = r % chunks * GROUPS_CHUNK, row = r / chunks, i = row, o = 0, t = 0, step = 1;
		int64_t count = inner - j0 < GROUPS_CHUNK ? inner - j0 : GROUPS_CHUNK;
		elem *to = dx + row * inner + j0;

		for (int g = GROUPS - 2; g >= 0; g--) {
			o += i % s.n[g] * s.a[g];
			t += s.a[g] ? 0 : i % s.n[g] * step;
			step *= s.a[g] ? 1 : s.n[g];
			i /= s.n[g];
		}
		if (s.a[GROUPS - 1]) {
			ALONG_EACH (j, count)
				to[j] = ELEM(index[o + j0 + j] == t ? VALUE(dy[o + j0 + j]) : 0);
		} else {
			int64_t at = index[o] - t * inner - j0;
			real put = VALUE(dy[o]);

			ALONG_EACH (j, count)
				to[j] = ELEM(j == at ? put : 0);
		}
	}
}

/* dy goes to the place of each extreme. */
static void
extreme_backward(elem *dx, const elem *dy, const int32_t *index, struct axes of)
{
	struct groups s = groups_of(of);
	int64_t chunks = (s.n[GROUPS - 1] + GROUPS_CHUNK - 1) / GROUPS_CHUNK;

	LAUNCH_ROWS(extreme_grad_kernel, groups_rows(s) * chunks, (dx, dy, index, s, groups_rows(s)));
}
