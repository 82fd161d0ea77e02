/*
 * attention/attend_tile_cuda.cu - what the tiles of attention on CUDA have in common, whether their
 * products are made by multiply-adds (attend_cuda.cu) or on tensor cores (attend_warps_cuda.cu):
 * which queries and keys meet in one, what becomes of a score, and where dropout's numbers are.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_TILE_CUDA_CU
#define STOWAGE_ATTENTION_ATTEND_TILE_CUDA_CU

#include "pointwise/philox.cu"

struct attend_rows {		/* some rows of numbers of a head */
	const elem *at;
	int64_t row;		/* from one to the next */
	int n;
};

struct attend_where {		/* a tile of scores */
	int64_t sample, head, i, j;
};

DEVICE struct attend_rows
attend_rows(const elem *x, int64_t row, int64_t first, int64_t all, int side)
{
	struct attend_rows r;

	r.at = x + first * row;
	r.row = row;
	r.n = all - first < side ? (int)(all - first) : side;
	return r;
}

struct attend_tensors {
	const elem *dy, *q, *k, *v, *bias;
	const real *logsum, *delta;
};

struct attend_turn {		/* a tile of queries of a head, which meets the tiles of its keys */
	struct attend_where w;	/* the first of these */
	int64_t end;		/* of all keys that they see */
	struct attend_rows q;
	const elem *k, *v;
};

/* Of the queries from W on, SIDE or as many as there are. */
DEVICE struct attend_turn
attend_turn(struct attend_tensors x, struct attend a, struct attend_where w, int side)
{
	int64_t kv = w.head / (a.heads / a.kv_heads) * a.d;
	struct attend_turn t;

	t.w = w;
	t.w.j = attend_first(a, w.i);
	t.q = attend_rows(x.q + w.sample * a.t * a.q_row + w.head * a.d, a.q_row, w.i, a.t, side);
	t.end = attend_last(a, w.i + t.q.n);
	t.k = x.k + w.sample * a.s * a.k_row + kv;
	t.v = x.v + w.sample * a.s * a.v_row + kv;
	return t;
}

/* The first tile of queries of which one sees a key of [j, ...). */
DEVICE int64_t
attend_first_query(struct attend a, int64_t j, int side)
{
	int64_t first = a.causal ? j : a.window && j >= a.window ? j - a.window + 1 : 0;

	return first / side * side;
}

DEVICE int64_t
attend_last_query(struct attend a, int64_t end)
{
	return a.window && end - 1 + a.window < a.t ? end - 1 + a.window : a.t;
}

struct attend_spot {		/* a query or a key */
	bool there;
	int side;		/* of a seam */
	int at, place;		/* its position, and where a grid has it: of 32 bits, as registers are few */
};

DEVICE struct attend_spot
attend_spot(struct attend a, bool seam, int64_t sample, int64_t at, int64_t all)
{
	struct attend_spot p;

	p.there = at < all;
	p.side = seam ? attend_side(a, sample, at) : 0;
	p.at = (int)at;
	p.place = (int)attend_place(a, at);
	return p;
}

/* The score of a query and a key, by their product X; -INFINITY: they do not see each other. BIAS
 * is the sample's and the head's; LINE what a rule of i - j adds where that is BASE. */
DEVICE real
attend_score(struct attend a, int64_t head, struct attend_spot q, struct attend_spot k, real x, const elem *bias,
    const real *line, int base)
{
	real more = 0;

	if (!q.there || !k.there || !attend_sees(a, q.at, k.at) || q.side != k.side)
		return -INFINITY;
	if (attend_has_line(a))
		more = line[q.at - k.at - base];
	if (bias && !attend_has_table(a))
		more += VALUE(bias[(int64_t)q.at * a.s + k.at]);
	else if (a.grid_w)
		more += VALUE(bias[(q.place - k.place + attend_shift(a)) * a.heads + head]);
	return a.scale * x + more;
}

/* Of the first query of a tile, among all of all heads: by which dropout draws. */
DEVICE int64_t
attend_draws_of(struct attend a, const struct step *s, struct attend_where w)
{
	return ((FIRST_OF(a.b, s) + w.sample) * a.all_heads + a.first_head + w.head) * a.t + w.i;
}

/* Numbers that are less are dropped. */
DEVICE uint64_t
attend_dropped(struct attend a)
{
	return (uint64_t)(a.rate * 4294967296.0);
}

#endif
