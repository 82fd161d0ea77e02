/*
 * pointwise/top_k.cu - where the K largest of N numbers in a row lie, the largest first; of equals
 * the first first, and what is no number last. Numbers become keys in their order, and the K-th
 * largest key is found bit by bit; those above it, and as many of its equals as are wanted, are
 * listed as they lie, and each counts those in front of it.
 *
 *     work, for each row:   key of the K-th, equals wanted | counts of parts: above, equal | list of K
 */
#ifndef STOWAGE_POINTWISE_TOP_K_CU
#define STOWAGE_POINTWISE_TOP_K_CU

#include "kernel.h"
#include "sizes.h"

#ifdef USE_DOUBLE
#define TOP_BITS	64
#else
#define TOP_BITS	32
#endif

struct top {
	int64_t rows, n, k;
	uint64_t *key;		/* [rows, 2] */
	int32_t *count;		/* [rows, TOP_PARTS, 2] */
	int32_t *list;		/* [rows, k] */
};

/* 0 for what is no number; more for a larger one. */
DEVICE uint64_t
top_key(real x)
{
	uint64_t bits = 0, sign = (uint64_t)1 << (TOP_BITS - 1);

	if (x != x)
		return 0;
	x += 0;		/* there is one zero */
	memcpy(&bits, &x, sizeof(x));
	return bits & sign ? (sign - 1) ^ (bits & (sign - 1)) : bits | sign;
}

KERNEL(top_bound_kernel, (struct top t, const elem *x))
{
	ROWS (r, t.rows) {
		uint64_t key = 0;
		double above;

		for (int bit = TOP_BITS - 1; bit >= 0; bit--) {
			uint64_t tried = key | (uint64_t)1 << bit;
			double count = 0;

			ALONG (i, t.n)
				count += top_key(VALUE(x[r * t.n + i])) >= tried;
			count = ROW_SUM(count);
			if (count >= (double)t.k)
				key = tried;
		}
		above = 0;
		ALONG (i, t.n)
			above += top_key(VALUE(x[r * t.n + i])) > key;
		above = ROW_SUM(above);
		FIRST {
			t.key[2 * r] = key;
			t.key[2 * r + 1] = (uint64_t)(t.k - (int64_t)above);
		}
	}
}

KERNEL(top_count_kernel, (struct top t, const elem *x))
{
	ROWS (p, t.rows * TOP_PARTS) {
		int64_t r = quotient(p, TOP_PARTS), part = p - r * TOP_PARTS;
		int64_t from = PART_FROM(t.n, part, TOP_PARTS), n = PART_FROM(t.n, part + 1, TOP_PARTS) - from;
		double above = 0, equal = 0;

		ALONG (i, n) {
			uint64_t key = top_key(VALUE(x[r * t.n + from + i]));

			above += key > t.key[2 * r];
			equal += key == t.key[2 * r];
		}
		above = ROW_SUM(above);
		equal = ROW_SUM(equal);
		FIRST {
			t.count[2 * p] = (int32_t)above;
			t.count[2 * p + 1] = (int32_t)equal;
		}
	}
}

KERNEL(top_list_kernel, (struct top t, const elem *x))
{
	ROWS (p, t.rows * TOP_PARTS) {
		int64_t r = quotient(p, TOP_PARTS), part = p - r * TOP_PARTS, above = 0, equal = 0;

		FIRST {
			for (int64_t q = p - part; q < p; q++) {
				above += t.count[2 * q];
				equal += t.count[2 * q + 1];
			}
			for (int64_t i = PART_FROM(t.n, part, TOP_PARTS); i < PART_FROM(t.n, part + 1, TOP_PARTS); i++) {
				uint64_t key = top_key(VALUE(x[r * t.n + i]));
				int64_t wanted = (int64_t)t.key[2 * r + 1], before = equal < wanted ? equal : wanted;

				if (key > t.key[2 * r] || (key == t.key[2 * r] && equal < wanted))
					t.list[r * t.k + above + before] = (int32_t)i;
				above += key > t.key[2 * r];
				equal += key == t.key[2 * r];
			}
		}
	}
}

KERNEL(top_rank_kernel, (int32_t *y, struct top t, const elem *x))
{
	ROWS (r, t.rows)
		ALONG (j, t.k) {
			const int32_t *list = t.list + r * t.k;
			uint64_t key = top_key(VALUE(x[r * t.n + list[j]]));
			int64_t rank = 0;

			for (int64_t i = 0; i < t.k; i++) {
				uint64_t other = top_key(VALUE(x[r * t.n + list[i]]));

				rank += other > key || (other == key && i < j);
			}
			y[r * t.k + rank] = list[j];
		}
}

static void
top_k(int32_t *y, void *work, const elem *x, int64_t rows, int64_t n, int64_t k)
{
	struct top t = { rows, n, k, (uint64_t *)work, NULL, NULL };

	t.count = (int32_t *)(t.key + 2 * rows);
	t.list = t.count + 2 * TOP_PARTS * rows;
	LAUNCH_ROWS(top_bound_kernel, rows, (t, x));
	LAUNCH_ROWS(top_count_kernel, rows * TOP_PARTS, (t, x));
	LAUNCH_ROWS(top_list_kernel, rows * TOP_PARTS, (t, x));
	LAUNCH_ROWS(top_rank_kernel, rows, (y, t, x));
}

#endif
