/*
 * Elements put elsewhere, by CUDA's kernels: against a loop over all indices, and
 * backward against what was read from where, added up. Moves are drawn at random: axes in any order, of
 * y and of x, cut into runs that step forwards, backwards, nowhere or stay where they are; some by packs, and
 * some turned round a tile at a time.
 */
#include "cuda.h"

#include "copy/move.cu"

#include "values.h"

static int64_t
below(int64_t n)
{
	return (int64_t)(uniform() * (real)n);
}

/* The axis's index in x, or -1 where it has none. */
static int64_t
index_of(const struct move_axis &a, int64_t j)
{
	int64_t begin = 0;

	for (int r = 0; r < MOVE_RUNS && a.run[r].end; r++) {
		if (j < a.run[r].end)
			return a.run[r].start < 0 ? -1 : a.run[r].start + (j - begin) * a.run[r].by;
		begin = a.run[r].end;
	}
	return j;
}

/* Cuts the axis into runs over OF indices of x; WHOLE: at multiples of so many, one after the other. */
static void
cut(struct move_axis *a, int64_t whole)
{
	int64_t begin = 0;
	int runs = 1 + (int)below(MOVE_RUNS);

	for (int r = 0; r < runs && begin < a->n; r++) {
		int64_t n = r == runs - 1 ? a->n - begin : (1 + below((a->n - begin) / whole)) * whole;
		int64_t by = whole > 1 ? 1 : below(4) - 1, most = a->of - (n - 1) * (by < 0 ? -by : by);

		if (most <= 0 || below(5) == 0) {
			a->run[r].start = -1;
			a->run[r].by = 1;
		} else {
			a->run[r].start = below(most) / whole * whole + (by < 0 ? (1 - n) * by : 0);
			a->run[r].by = by;
		}
		a->run[r].end = begin += n;
	}
}

/* A move of y, which it fills, out of x; of so many axes, and elements of x. */
static struct move
move_drawn(int64_t *elements, bool packs)
{
	struct move m = { 1 + (int)below(4), { } };
	int64_t to = 1, from = 1, order[MOVE_AXES];

	for (int k = m.axes - 1; k >= 0; k--) {
		struct move_axis *a = &m.axis[k];

		a->n = (1 + below(below(4) == 0 ? 60 : 9)) * (packs && k == m.axes - 1 ? 8 : 1);
		a->of = a->n;
		a->to = to;
		to *= a->n;
		if (below(3) == 0) {
			a->of = packs && k == m.axes - 1 ? a->n : 1 + below(2 * a->n);
			cut(a, packs && k == m.axes - 1 ? 8 : 1);
		}
		order[k] = k;
	}
	for (int k = packs ? m.axes - 2 : m.axes - 1; k > 0; k--)
		std::swap(order[k], order[below(k + 1)]);
	for (int k = m.axes - 1; k >= 0; k--) {
		m.axis[order[k]].from = from;
		from *= m.axis[order[k]].of;
	}
	*elements = from;
	return m;
}

/* The same as backward takes it: axes as they lie in dx, steps those of dy. */
static struct move
backwards(struct move m)
{
	for (int i = 0; i < m.axes; i++)
		for (int k = 0; k + 1 < m.axes; k++)
			if (m.axis[k].from < m.axis[k + 1].from)
				std::swap(m.axis[k], m.axis[k + 1]);
	for (int k = 0; k < m.axes; k++) {
		m.axis[k].from = m.axis[k].to;
		m.axis[k].to = 0;
	}
	return m;
}

static void
check_move(const struct move &m, int64_t elements)
{
	int64_t n = move_elements(&m);
	Values x = drawn(elements), dy = drawn(n), y = nothing(n), onto = drawn(n), dx = drawn(elements);
	Values want = y, added = onto;
	Sums sums((size_t)elements);
	std::string what = "a move of " + std::to_string(m.axes) + " axes, " + std::to_string(n) + " elements";

	for (int64_t i = 0; i < elements; i++)
		sums[(size_t)i] = 0.5 * VALUE(dx[(size_t)i]);
	for (int64_t i = 0; i < n; i++) {
		int64_t rest = i, to = 0, from = 0;
		bool there = true;

		for (int k = m.axes - 1; k >= 0; k--) {
			int64_t j = rest % m.axis[k].n, at = index_of(m.axis[k], j);

			rest /= m.axis[k].n;
			to += j * m.axis[k].to;
			from += at * m.axis[k].from;
			there &= at >= 0;
		}
		want[(size_t)to] = there ? x[(size_t)from] : ELEM(0.75);
		added[(size_t)to] = ELEM((real)0.5 * VALUE(added[(size_t)to]) + (there ? VALUE(x[(size_t)from]) : 0));
		if (there)
			sums[(size_t)from] += VALUE(dy[(size_t)to]);
	}
	move_forward(&y[0], &x[0], 0.75, m);
	same(what, want, y, 0);
	move_onto(&onto[0], &x[0], ONTO(0.5), m);
	same(what + ", added", added, onto, 0);
	move_backward(&dx[0], &dy[0], ONTO(0.5), elements, backwards(m));
	same(what + ", backward", dx, sums, sizeof(elem) == 2 ? 1e-2 : 1e-6);
}

/* What has no axis in x is repeated along it. */
static void
check_repeated(int64_t copies, int64_t rows, int64_t n)
{
	struct move m = { 3, { { copies, rows * n, 0 }, { rows, n, n }, { n, 1, 1 } } };
	struct move back = { 3, { { copies, 0, rows * n }, { rows, 0, n, { }, rows }, { n, 0, 1, { }, n } } };
	Values x = drawn(rows * n), y = nothing(copies * rows * n), dx = nothing(rows * n);
	Sums sums((size_t)(rows * n));

	move_forward(&y[0], &x[0], 0, m);
	for (int64_t i = 0; i < copies * rows * n; i++) {
		sums[(size_t)(i % (rows * n))] += VALUE(y[(size_t)i]);
		if (VALUE(y[(size_t)i]) != VALUE(x[(size_t)(i % (rows * n))]))
			failed("repeated", 1, 1);
	}
	move_backward(&dx[0], &y[0], ANEW, rows * n, back);
	same("repeated, backward", dx, sums, sizeof(elem) == 2 ? 1e-2 : 1e-6);
}

int
main(void)
{
	for (int i = 0; i < 600; i++) {
		int64_t elements;
		struct move m = move_drawn(&elements, i % 3 == 0);

		check_move(m, elements);
	}
	check_repeated(5, 3, 7);
	check_repeated(3, 2, 64);
	return verdict();
}
