/*
 * attention/attend.cu - attention whose scores never exist as a whole.
 *
 *     y[i] = sum over j of p[i,j] v[j],   p[i,:] = softmax over j of scale q[i] k[j] + bias[i,j]
 *
 * for each head of each sample. A block of queries meets one block of keys after the other; what
 * was summed up so far is scaled whenever a larger score turns up (Milakov and Gimelshein, "Online
 * normalizer calculation for softmax", 2018; Dao, Fu, Ermon, Rudra and Re, "FlashAttention", 2022):
 *
 *               keys
 *             +---+---+---+---+
 *     queries | > | > | > |   |      scores of a block, their largest, their sum, and y
 *             +---+---+---+---+
 *
 * Of the scores of a query only the logarithm of the sum of their exponentials is kept. Backward
 * makes p = exp(score - that) again, block by block, and
 *
 *     dv[j] += p[i,j] dy[i]      ds[i,j] = p[i,j] (dy[i] v[j] - delta[i])     dbias = ds
 *     dq[i] += scale ds[i,j] k[j]      dk[j] += scale ds[i,j] q[i]
 *
 * with delta[i] = dy[i] y[i], as in FlashAttention-2 (Dao, 2023).
 *
 * What is added to the scores is a bias in memory, or follows from how far query and key are apart,
 * by a rule:
 *
 *     ALiBi       -slope |i - j|, of each head its own slope (Press, Smith and Lewis, 2022)
 *     buckets     a table's number for the bucket of i - j, narrow ones near, wide ones far (T5: Raffel and
 *                 others, 2020)
 *     a grid      a table's number for the steps down and across from i to j (Swin: Liu and others, 2021)
 *
 * Each position has a place on a line, such that the rule depends on place(i) - place(j) alone: the
 * gradient of a table is first summed by these differences.
 *
 * Windows of an image that was rolled hold places from both of its ends, which do not see each
 * other.
 *
 * Heads lie side by side in a row: query i of head h begins at q + i * q_row + h * d. Several heads
 * of queries in a row may share one of keys and values. A sample here is any sequence by itself: of
 * those that a sample of the network has, one follows the other.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_CU
#define STOWAGE_ATTENTION_ATTEND_CU

#include "pointwise/exp.cu"
#include "pointwise/philox.cu"
#include "kernel.h"
#include "sizes.h"

struct attend {		/* calls give fields in this order, as C++ wants them */
	int64_t b, t, s;	/* samples; queries and keys of each */
	int64_t q_row, k_row, v_row;	/* from one to the next; y's rows are heads * d apart */
	int heads, kv_heads, d;
	int causal;		/* query i sees keys 0 to i */
	int64_t window;		/* and none that is so far away; 0: however far */
	real scale;
	int64_t biases, bias_each;	/* of samples, 0: one; and how many samples in a row have the same */
	int64_t bias_b, bias_head;	/* steps from one bias to the next, head to head */
	double rate;		/* of dropout */
	uint64_t stream_id;
	int first_head, all_heads;	/* whose numbers are drawn: of heads that ranks share, the first here, and all */
	int alibi;		/* scores fall with the distance */
	int64_t buckets, distance;	/* of the table that the bias then is, and where the last begins; */
	int64_t grid_h, grid_w;	/* or the grid whose places the positions are, */
	int64_t shift_h, shift_w;	/* of which the last so many rows and columns came round, */
	int64_t windows_h, windows_w;	/* in the last row and column of so many samples */
};

/* The keys that some query of [FROM, END) sees: from here, a multiple of ATTEND_KEYS, */
DEVICE int64_t
attend_first(struct attend a, int64_t from)
{
	int64_t first = a.window && from >= a.window ? from - a.window + 1 : 0;

	return first / ATTEND_KEYS * ATTEND_KEYS;
}

/* up to here. */
DEVICE int64_t
attend_last(struct attend a, int64_t end)
{
	int64_t last = a.causal ? end : a.window ? end - 1 + a.window : a.s;

	return last < a.s ? last : a.s;
}

DEVICE bool
attend_sees(struct attend a, int64_t i, int64_t j)
{
	return !(a.causal && j > i) && !(a.window && (i - j >= a.window || j - i >= a.window));
}

/* ---- windows of a rolled image ---- */

/* Does the sample have places that came round? */
DEVICE bool
attend_is_seam(struct attend a, int64_t sample)
{
	return a.windows_w && (sample / a.windows_w % a.windows_h == a.windows_h - 1 ||
	    sample % a.windows_w == a.windows_w - 1);
}

/* Whether a position came round down and across, as a number: they see each other where it is the
 * same. */
DEVICE int
attend_side(struct attend a, int64_t sample, int64_t i)
{
	bool down = sample / a.windows_w % a.windows_h == a.windows_h - 1;
	bool across = sample % a.windows_w == a.windows_w - 1;

	return 2 * (down && i / a.grid_w >= a.grid_h - a.shift_h) +
	    (across && i % a.grid_w >= a.grid_w - a.shift_w);
}

/* ---- a bias in memory ---- */

/* That of a sample, */
DEVICE int64_t
attend_bias_at(struct attend a, int64_t sample, int64_t head)
{
	return (a.biases ? sample / a.bias_each % a.biases * a.bias_b : 0) + head * a.bias_head;
}

/* how many samples have each, and which is the Nth of those that have this one. */
DEVICE int64_t
attend_sharing(struct attend a)
{
	return a.biases ? a.b / a.biases : a.b;
}

DEVICE int64_t
attend_sharer(struct attend a, int64_t bias, int64_t n)
{
	return a.biases ? (n / a.bias_each * a.biases + bias) * a.bias_each + n % a.bias_each : n;
}

/* What dropout makes of four neighbouring scores: the first is that of query I, of all queries of
 * all heads, and key J, a multiple of 4. */
DEVICE struct philox
attend_draw(struct attend a, uint64_t key, uint64_t draw, int64_t i, int64_t j)
{
	return philox(key, (uint64_t)(i * ((a.s + 3) / 4) + j / 4), draw);
}

DEVICE real
attend_gain(struct attend a)
{
	return a.rate < 1 ? (real)(1 / (1 - a.rate)) : 0;
}

/* ---- relative positions ---- */

/* Is the bias the table of a rule? */
DEVICE bool
attend_has_table(struct attend a)
{
	return a.buckets || a.grid_w;
}

/* Does a rule depend on i - j alone? */
DEVICE bool
attend_has_line(struct attend a)
{
	return a.alibi || a.buckets;
}

DEVICE int64_t
attend_place(struct attend a, int64_t i)
{
	return a.grid_w ? i + quotient(i, a.grid_w) * (a.grid_w - 1) : i;
}

/* The difference 0 is that of the last key and the first query. */
DEVICE int64_t
attend_shift(struct attend a)
{
	return attend_place(a, a.s - 1);
}

/* ALiBi's slope of a head: 2^(-8/n), 2^(-16/n), ..., and where n heads are not a power of two,
 * those of the power below, then every other one of the power above. */
DEVICE real
attend_slope(struct attend a, int64_t head)
{
	int64_t n = 1;

	while (2 * n <= a.heads)
		n *= 2;
	return (real)(head < n ? exp2(-8.0 * (head + 1) / n) : exp2(-4.0 * (2 * (head - n) + 1) / n));
}

/* T5's bucket of a key so far BEHIND its query. With causal there are none ahead; otherwise these
 * have the second half of the buckets. Half of a side's are for a distance each, the others grow as
 * powers. What lies on the edge of two, but for rounding, belongs to the second. */
DEVICE int64_t
attend_bucket(struct attend a, int64_t behind)
{
	int64_t side = a.causal ? a.buckets : a.buckets / 2, exact = side / 2, far;
	int64_t first = !a.causal && behind < 0 ? side : 0, apart = behind < 0 ? -behind : behind;

	if (a.causal && behind < 0)
		return 0;
	if (apart < exact)
		return first + apart;
	if (apart >= a.distance)
		return first + side - 1;
	far = exact + (int64_t)(log((double)apart / exact) / log((double)a.distance / exact) * (side - exact) +
	    1e-9);
	return first + (far < side ? far : side - 1);
}

/* What a rule of i - j adds to the scores of keys so far behind. */
DEVICE real
attend_of_line(struct attend a, const elem *table, int64_t head, int64_t behind)
{
	real fall = a.alibi ? attend_slope(a, head) * (real)(behind < 0 ? behind : -behind) : 0;

	return a.buckets ? fall + VALUE(table[attend_bucket(a, behind) * a.heads + head]) : fall;
}

/* The differences whose bias is row ENTRY of the table: *N of them, from the one that is returned
 * on. */
DEVICE int64_t
attend_span(struct attend a, int64_t entry, int64_t *n)
{
	int64_t side = a.causal ? a.buckets : a.buckets / 2, end[2], shift = attend_shift(a);
	bool ahead = a.buckets && entry >= side;

	*n = 1;
	if (a.grid_w)
		return entry;
	for (int k = 0; k < 2; k++) {	/* the first distance of this bucket, and of the next */
		int64_t low = ahead, high = ahead ? a.s : a.t;

		while (low < high) {
			int64_t middle = (low + high) / 2;

			if (attend_bucket(a, ahead ? -middle : middle) < entry + k)
				low = middle + 1;
			else
				high = middle;
		}
		end[k] = entry + k == (ahead ? 2 * side : side) ? (ahead ? a.s : a.t) : low;
	}
	*n = end[1] - end[0];
	return ahead ? shift - end[1] + 1 : shift + end[0];
}

/* The table's gradient, of what its differences have in all parts of each head. */
KERNEL(attend_table_kernel, (elem *dtable, const double *sums, int64_t entries, int64_t differences,
    int64_t parts, struct attend a))
{
	ROWS (r, entries * a.heads) {
		int64_t n, first = attend_span(a, r / a.heads, &n);
		double sum = 0;

		for (int64_t p = 0; p < parts; p++) {
			const double *of = sums + (r % a.heads * parts + p) * differences + first;

			ALONG (c, n)
				sum += of[c];
		}
		sum = ROW_SUM(sum);
		FIRST
			dtable[r] = ELEM((real)sum);
	}
}

#ifdef __CUDACC__
#include "attention/attend_start_cuda.cu"
#include "attention/attend_bias_cuda.cu"
#else
#include "attention/attend_bias_c.cu"
#endif

/* The gradient of the table. WORK: sums of differences, then what the gradient of a bias needs. */
static void
attend_relative_backward(elem *dtable, void *work, const elem *dy, const elem *q, const elem *k,
    const elem *v, const elem *table, const elem *y, const real *logsum, const struct step *s,
    struct attend a)
{
	int64_t differences = attend_differences(a.t, a.s, a.grid_h, a.grid_w), parts = attend_parts(differences);
	int64_t entries = a.buckets ? a.buckets : differences;
	double *sums = (double *)work;

	attend_relative_sums(sums, sums + a.heads * parts * differences, dy, q, k, v, table, y, logsum, s, a);
	LAUNCH_ROWS(attend_table_kernel, entries * a.heads, (dtable, sums, entries, differences, parts, a));
}

#endif
