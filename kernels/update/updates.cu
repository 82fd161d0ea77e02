/*
 * update/updates.cu - weight updates, and the gradients of micro-batches added up before.
 * Parameters whose updates follow one another are updated together, in one pass over the elements
 * of all: a network has hundreds of them, most of them small, and each launch by itself takes
 * longer than they do.
 *
 *     updates[]      conv.weight            conv.bias   dense.weight
 *     elements       0 ........... 2303     0 .. 15     0 ........... 1699
 *     chunks         |  0  |  1  |  2  |    |  3  |     |  4  |  5  |        a block each, or a
 *                                                                            thread's share of them
 *
 * The step's numbers (learning rate, what it has alike for all weights) are read from memory inside
 * the kernels, so that a captured CUDA graph runs every step. `clip` is a factor for the gradient,
 * or NULL for 1.
 *
 * Gradients of micro-batches are added up so, too: of such a row there is but the gradient, and its
 * sum as the state.
 *
 * Weights stored in 16 bits have a master copy in f32, which is what is updated: most updates are
 * smaller than half the distance between two neighbours of 16 bits, and would be lost. The stored
 * weight is the master's rounding. Gradients that micro-batches add up are f32 too (UPDATES).
 */
#ifndef STOWAGE_UPDATE_UPDATES_CU
#define STOWAGE_UPDATE_UPDATES_CU

#include "sizes.h"
#include "kernel.h"

#ifdef SHARDS	/* of each parameter, and of its gradient, a rank updates its piece, with the state of that */
#include "update/shard.cu"
#define OWN_FROM(all)	rank_own_piece(all).first
#define OWN_ELEMENTS(all)	rank_own_piece(all).n
#else
#define OWN_FROM(all)	0
#define OWN_ELEMENTS(all)	(all)
#endif
#ifdef PARAMETER_SHARDS	/* of which there is that piece alone */
#define WEIGHT_FROM(all)	0
#else
#define WEIGHT_FROM(all)	OWN_FROM(all)
#endif
#ifdef GRADIENT_SHARDS	/* of the sum of gradients there is that piece alone */
#define GRADIENT_FROM(all)	0
#else
#define GRADIENT_FROM(all)	OWN_FROM(all)
#endif

#if NARROW && !defined(UPDATES)
typedef elem gradient;
#define GRADIENT(x)	VALUE(x)
#else
typedef real gradient;
#define GRADIENT(x)	(x)
#endif

#if SCALES_LOSS	/* CLIP is loss_scale()'s: 0 after an overflow */
#define LEFT_OUT(clip)	((clip)[0] == 0)
#else
#define LEFT_OUT(clip)	false
#endif

/* ---- what all weights have alike ---- */

/* Numbers that are the same for all weights of an update (Adam's corrections of its means) are
 * worked out once a step, before it, by update_numbers(), which is defined with the steps: by the
 * kernel that begins a step, or the host. A call is told where its own are. */
#ifdef __CUDACC__
#define UPDATE_NUMBERS_LIE(count)	static __device__ real update_numbers_on_device[count]; static real *update_number
#else
#define UPDATE_NUMBERS_LIE(count)	static real update_number[count]
#endif

#define UPDATE_NUMBER(k)	(update_number + (k))

/* Which update, from 1 on, step S makes of what is updated in one of EVERY steps. COUNTS:
 * loss_scale()'s, or NULL. */
DEVICE int64_t
update_count(const struct step *s, int64_t every, const real *counts)
{
	return quotient(s->update - 1, every) + 1 - (counts ? (int64_t)counts[1] : 0);
}

/* 1 - beta^t, of the logarithm of BETA, without the difference of numbers that are nearly alike: so
 * that no double is needed, of which most cards make a few where they make a hundred floats. */
DEVICE real
mean_whole(real log_beta, int64_t t)
{
	return -R(expm1)((real)t * log_beta);
}

/* ---- what is updated ---- */

#define ABSENT	-1
#define UPDATE_STATES	3

struct update {			/* a parameter; places are offsets in the arena, or ABSENT */
	int64_t weight, master, gradient, state[UPDATE_STATES];
	double decay;
	double rate;		/* so many times the step's learning rate */
	int64_t n;		/* elements */
	int64_t before;		/* chunks of those that are updated with it, up to it */
#ifdef AVERAGE
	int64_t average;	/* the place of the weight's running average */
#endif
};

/* The table of all parameters that the program updates, in that order: defined with the steps. */
DEVICE const struct update *update_table(void);

/* Those that one launch updates: COUNT of the table from FIRST on, in so many chunks. */
struct updates {
	unsigned char *arena;
	int first, count;
	int64_t chunks;
};

static inline struct updates
updates_of(unsigned char *arena, int first, int count, int64_t chunks)
{
	struct updates u;

	u.arena = arena;
	u.first = first, u.count = count;
	u.chunks = chunks;
	return u;
}

#define TOGETHER(first, count, chunks)	updates_of(arena, first, count, chunks)

struct update_share {			/* N elements of one parameter; what is absent is NULL */
	elem *weight;
	real *master;		/* NULL where weights are reals */
	const gradient *g;
	real *state[UPDATE_STATES];
	double decay, rate;
	int64_t n;
#ifdef AVERAGE
	real *average;
#endif
};

struct own_piece {		/* of the elements of a parameter that a rank has: N from the first of these on */
	int64_t first, n;
};

/* Piece P of so many, of what is here of a parameter of ALL elements, for sums over it. With
 * PARTS it is one of all of it, so that sums are the same whatever number of ranks shares it
 * out: a power of two up to that of pieces, so that each rank has some of them whole, and
 * nothing of the others. */
DEVICE struct own_piece
own_piece(int64_t all, int64_t p, int64_t pieces)
{
	struct own_piece piece;
#if defined(PARTS) && defined(SHARDS)
	int64_t from = OWN_FROM(all), n = all;
#else
	int64_t from = 0, n = OWN_ELEMENTS(all);
#endif

	piece.first = PART_FROM(n, p, pieces) - from;
	piece.n = PART_FROM(n, p + 1, pieces) - from - piece.first;
#if defined(PARTS) && defined(SHARDS)
	if (piece.first < 0 || piece.first + piece.n > OWN_ELEMENTS(all))
		piece.n = 0;
#endif
	return piece;
}

/* All elements of one parameter, N, or a rank's piece of them, of an update that no table has a row
 * for. */
static inline struct update_share
share_of(elem *weight, real *master, const gradient *g, void *first, void *second, void *third, double decay,
    double rate, int64_t n)
{
	struct update_share k;

	k.weight = weight + WEIGHT_FROM(n);
	k.master = master;
	k.g = g + GRADIENT_FROM(n);
	k.state[0] = (real *)first;
	k.state[1] = (real *)second;
	k.state[2] = (real *)third;
	k.decay = decay, k.rate = rate;
	k.n = OWN_ELEMENTS(n);
	return k;
}

#ifdef AVERAGE
static inline struct update_share
averaged(struct update_share k, real *average)
{
	k.average = average;
	return k;
}
#endif

DEVICE unsigned char *
update_place(unsigned char *arena, int64_t at, int64_t bytes)
{
	return at == ABSENT ? NULL : arena + at + bytes;
}

/* The parameter that chunk C is of; *FROM is the first of the chunk's elements. */
DEVICE const struct update *
update_at(const struct updates *u, int64_t c, int64_t *from)
{
	const struct update *t = update_table() + u->first;
	int lo = 0, hi = u->count;

	while (hi - lo > 1) {	/* the last that begins at C or before */
		int mid = (lo + hi) / 2;

		if (t[mid].before <= c)
			lo = mid;
		else
			hi = mid;
	}
	*from = (c - t[lo].before) * UPDATE_CHUNK;
	return t + lo;
}

/* Of N, those of the chunk that begins there. */
DEVICE int64_t
update_elements(int64_t n, int64_t from)
{
	return n - from < UPDATE_CHUNK ? n - from : UPDATE_CHUNK;
}

DEVICE struct update_share
update_share_of(const struct updates *u, int64_t c)
{
	struct update_share k;
	int64_t from;
	const struct update *t = update_at(u, c, &from);

	k.weight = (elem *)update_place(u->arena, t->weight, (WEIGHT_FROM(t->n) + from) * (int64_t)sizeof(elem));
	k.master = (real *)update_place(u->arena, t->master, from * (int64_t)sizeof(real));
	k.g = (const gradient *)update_place(u->arena, t->gradient,
	    (GRADIENT_FROM(t->n) + from) * (int64_t)sizeof(gradient));
	for (int i = 0; i < UPDATE_STATES; i++)
		k.state[i] = (real *)update_place(u->arena, t->state[i],
		    from * (int64_t)sizeof(real));
	k.decay = t->decay, k.rate = t->rate;
	k.n = update_elements(OWN_ELEMENTS(t->n), from);
#ifdef AVERAGE
	k.average = (real *)update_place(u->arena, t->average, from * (int64_t)sizeof(real));
#endif
	return k;
}

#ifdef __CUDACC__
#define LAUNCH_CHUNKS(name, chunks, args)	LAUNCH_ROWS(name, chunks, args)
#else
#define LAUNCH_CHUNKS(name, chunks, args)	LAUNCH(name, (chunks) * UPDATE_CHUNK, args)
#endif

/* Adam's two means: what is kept of each (beta), and what comes to it (1 - beta). Worked out on the
 * host. */
struct adam_means {
	real b1, c1, b2, c2, tiny;
};

static inline struct adam_means
adam_means_of(double beta1, double beta2, double eps)
{
	struct adam_means a;

	a.b1 = (real)beta1, a.c1 = (real)(1 - beta1);
	a.b2 = (real)beta2, a.c2 = (real)(1 - beta2);
	a.tiny = (real)eps;
	return a;
}

/* Its numbers, of update T and the logarithms of what is kept: one over the sum of the first mean's
 * shares, and one over the root of that of the second's. */
#define ADAM_FIRST	0
#define ADAM_SECOND	1

DEVICE void
adam_numbers(real *to, int64_t t, double log1, double log2)
{
	to[ADAM_FIRST] = 1 / mean_whole((real)log1, t);
	to[ADAM_SECOND] = 1 / R(sqrt)(mean_whole((real)log2, t));
}

/* ---- weights ---- */

DEVICE real
weight_of(const struct update_share *k, int64_t i)
{
#if MASTERS
	return k->master[i];
#else
	return VALUE(k->weight[i]);
#endif
}

DEVICE void
weight_set(const struct update_share *k, int64_t i, real value)
{
#if MASTERS
	k->master[i] = value;
#endif
	k->weight[i] = ELEM(value);
#ifdef AVERAGE
	k->average[i] += (real)(1 - AVERAGE) * (value - k->average[i]);
#endif
}

#endif
