/*
 * attention/attend.cu - attention whose scores never exist as a whole.
 *
 *     y[i] = sum over j of p[i,j] v[j],   p[i,:] = softmax over j of scale q[i] k[j] + bias[i,j]
 *
 * for each head of each sample. A block of queries meets one block of keys after the other; what was
 * summed up so far is scaled whenever a larger score turns up (Milakov and Gimelshein, "Online normalizer
 * calculation for softmax", 2018; Dao, Fu, Ermon, Rudra and Re, "FlashAttention", 2022):
 *
 *               keys
 *             +---+---+---+---+
 *     queries | > | > | > |   |      scores of a block, their largest, their sum, and y
 *             +---+---+---+---+
 *
 * Of the scores of a query only the logarithm of the sum of their exponentials is kept. Backward makes
 * p = exp(score - that) again, block by block, and
 *
 *     dv[j] += p[i,j] dy[i]      ds[i,j] = p[i,j] (dy[i] v[j] - delta[i])     dbias = ds
 *     dq[i] += scale ds[i,j] k[j]      dk[j] += scale ds[i,j] q[i]
 *
 * with delta[i] = dy[i] y[i], as in FlashAttention-2 (Dao, 2023).
 *
 * Heads lie side by side in a row: query i of head h begins at q + i * q_row + h * d. Several heads of
 * queries in a row may share one of keys and values.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_CU
#define STOWAGE_ATTENTION_ATTEND_CU

#include "pointwise/exp.cu"
#include "pointwise/philox.cu"
#include "kernel.h"
#include "sizes.h"

struct attend {
	int64_t b, t, s;	/* samples; queries and keys of each */
	int64_t q_row, k_row, v_row;	/* from one to the next; y's rows are heads * d apart */
	int heads, kv_heads, d;
	int causal;		/* query i sees keys 0 to i */
	int64_t window;		/* and none that is so far away; 0: however far */
	real scale;
	int64_t bias_b, bias_head;	/* steps of the bias from sample to sample, head to head */
	double rate;		/* of dropout */
	uint64_t stream_id;
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

/* What dropout makes of four neighbouring scores: the first is that of query I, of all queries of all
 * heads, and key J, a multiple of 4. */
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

#ifdef __CUDACC__
#include "attention/attend_cuda.cu"
#else
#include "attention/attend_c.cu"
#endif

#endif
