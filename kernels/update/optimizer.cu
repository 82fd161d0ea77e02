/*
 * update/optimizer.cu - weight updates, and the gradients of micro-batches added up before.
 * Parameters whose updates follow one another are updated together, in one pass over the elements
 * of all: a network has hundreds of them, most of them small, and each launch by itself takes
 * longer than they do.
 *
 *     updates[]      conv.weight            conv.bias   dense.weight
 *     elements       0 ........... 2303     0 .. 15     0 ........... 1699
 *     chunks         |  0  |  1  |  2  |    |  3  |     |  4  |  5  |        a block each, or a
 *                                                                            thread's share of them
 *
 * The step's numbers (learning rate, update count) are read from memory inside the kernels, so
 * that a captured CUDA graph runs every step. `clip` is a factor for the gradient, or NULL for 1.
 *
 * Gradients of micro-batches are added up so, too: of such a row there is but the gradient, and its
 * sum as the state.
 *
 * Weights stored in 16 bits have a master copy in f32, which is what is updated: most updates are
 * smaller than half the distance between two neighbours of 16 bits, and would be lost. The stored
 * weight is the master's rounding. Gradients that micro-batches add up are f32 too (UPDATES).
 */
#include "sizes.h"
#include "kernel.h"

#if NARROW && !defined(UPDATES)
typedef elem gradient;
#define GRADIENT(x)	VALUE(x)
#else
typedef real gradient;
#define GRADIENT(x)	(x)
#endif

#ifdef USE_F16	/* CLIP is loss_scale()'s: 0 after an overflow, and how many updates were left out */
#define LEFT_OUT(clip)	((clip)[0] == 0)
#define UPDATE(s, clip)	((s)->update - (int64_t)(clip)[1])
#else
#define LEFT_OUT(clip)	false
#define UPDATE(s, clip)	((s)->update)
#endif

/* ---- what is updated ---- */

#define ABSENT	-1

struct update {			/* a parameter; places are offsets in the arena, or ABSENT */
	int64_t weight, master, gradient, state[2];
	double decay;
	int64_t n;		/* elements */
	int64_t before;		/* chunks of those that are updated with it, up to it */
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
	real *state[2];
	double decay;
	int64_t n;
};

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

DEVICE int64_t
update_elements(const struct update *t, int64_t from)
{
	return t->n - from < UPDATE_CHUNK ? t->n - from : UPDATE_CHUNK;
}

DEVICE struct update_share
update_share_of(const struct updates *u, int64_t c)
{
	struct update_share k;
	int64_t from;
	const struct update *t = update_at(u, c, &from);

	k.weight = (elem *)update_place(u->arena, t->weight, from * (int64_t)sizeof(elem));
	k.master = (real *)update_place(u->arena, t->master, from * (int64_t)sizeof(real));
	k.g = (const gradient *)update_place(u->arena, t->gradient,
	    from * (int64_t)sizeof(gradient));
	for (int i = 0; i < 2; i++)
		k.state[i] = (real *)update_place(u->arena, t->state[i],
		    from * (int64_t)sizeof(real));
	k.decay = t->decay;
	k.n = update_elements(t, from);
	return k;
}

#ifdef __CUDACC__
#define LAUNCH_CHUNKS(name, chunks, args)	LAUNCH_ROWS(name, chunks, args)
#else
#define LAUNCH_CHUNKS(name, chunks, args)	LAUNCH(name, (chunks) * UPDATE_CHUNK, args)
#endif

/* ---- gradients of micro-batches ---- */

/* With keep = 0 the old sum is not read: it may be anything, even not a number. */
KERNEL(accumulate_kernel, (struct updates u, const struct step *s))
{
	real keep = s->keep;

	ROWS (c, u.chunks) {
		int64_t from;
		const struct update *t = update_at(&u, c, &from);
		int64_t n = update_elements(t, from);
		real *sum = (real *)(u.arena + t->state[0]) + from;
		const elem *g = (const elem *)(u.arena + t->gradient) + from;

		if (keep == 0) {
			ALONG_EACH (i, n)
				sum[i] = VALUE(g[i]);
		} else {
			ALONG_EACH (i, n)
				sum[i] = keep * sum[i] + VALUE(g[i]);
		}
	}
}

static void
accumulate_gradients(struct updates u, const struct step *s)
{
	LAUNCH_CHUNKS(accumulate_kernel, u.chunks, (u, s));
}

/* ---- weights ---- */

DEVICE real
weight_of(const struct update_share *k, int64_t i)
{
	return NARROW ? k->master[i] : VALUE(k->weight[i]);
}

DEVICE void
weight_set(const struct update_share *k, int64_t i, real value)
{
	if (NARROW)
		k->master[i] = value;
	k->weight[i] = ELEM(value);
}

/* ---- sgd ---- */

/* The gradient was added to momentum * V already: what is left is weight decay, and the step. */
DEVICE void
sgd_rest(const struct update_share *k, real lr)
{
	real *v = k->state[0], wd = (real)k->decay;

	if (wd == 0) {
		ALONG_EACH (i, k->n)
			weight_set(k, i, weight_of(k, i) - lr * v[i]);
	} else {
		ALONG_EACH (i, k->n) {
			real w = weight_of(k, i), d = v[i] + wd * w;

			v[i] = d;
			weight_set(k, i, w - lr * d);
		}
	}
}

DEVICE void
sgd_share(const struct update_share *k, real lr, real factor, real m, bool nesterov)
{
	real *momentum = k->state[0], wd = (real)k->decay;

	if (!momentum) {
		ALONG_EACH (i, k->n) {
			real w = weight_of(k, i);

			weight_set(k, i, w - lr * (GRADIENT(k->g[i]) * factor + wd * w));
		}
	} else if (nesterov) {
		ALONG_EACH (i, k->n) {
			real w = weight_of(k, i), d = GRADIENT(k->g[i]) * factor + wd * w;
			real v = m * momentum[i] + d;

			momentum[i] = v;
			weight_set(k, i, w - lr * (d + m * v));
		}
	} else {
		ALONG_EACH (i, k->n) {
			real w = weight_of(k, i);
			real v = m * momentum[i] + (GRADIENT(k->g[i]) * factor + wd * w);

			momentum[i] = v;
			weight_set(k, i, w - lr * v);
		}
	}
}

KERNEL(sgd_kernel, (struct updates u, const real *clip, const struct step *s, double momentum,
    int nesterov))
{
	real factor = clip ? *clip : 1, lr = (real)s->lr, m = (real)momentum;

	if (LEFT_OUT(clip))
		return;
	ROWS (c, u.chunks) {
		struct update_share k = update_share_of(&u, c);

		if (k.g)
			sgd_share(&k, lr, factor, m, nesterov);
		else
			sgd_rest(&k, lr);
	}
}

static void
sgd_update(struct updates u, const real *clip, const struct step *s, double momentum, int nesterov)
{
	LAUNCH_CHUNKS(sgd_kernel, u.chunks, (u, clip, s, momentum, nesterov));
}

/* ---- adam ---- */

/* base to the power n, by squaring: the same on every target */
DEVICE double
power_of(double base, int64_t n)
{
	double result = 1;

	for (; n > 0; n /= 2) {
		if (n % 2)
			result *= base;
		base *= base;
	}
	return result;
}

/* Weight decay is added to the gradient, or (adamw) DECOUPLED: lr * decay taken off the weight. */
KERNEL(adam_kernel, (struct updates u, const real *clip, const struct step *s, double beta1,
    double beta2, double eps, int decoupled))
{
	int64_t update = UPDATE(s, clip);
	double fix1 = 1 - power_of(beta1, update), fix2 = 1 - power_of(beta2, update), lr = s->lr;
	real factor = clip ? *clip : 1;
	real b1 = (real)beta1, b2 = (real)beta2, c1 = (real)(1 - beta1), c2 = (real)(1 - beta2);
	real pace = (real)(lr / fix1), spread = (real)(1 / sqrt(fix2)), tiny = (real)eps;

	if (LEFT_OUT(clip))
		return;
	ROWS (c, u.chunks) {
		struct update_share k = update_share_of(&u, c);
		real keep = (real)(decoupled ? 1 - lr * k.decay : 1);
		real wd = (real)(decoupled ? 0 : k.decay), *m = k.state[0], *v = k.state[1];

		ALONG_EACH (i, k.n) {
			real w = weight_of(&k, i), d = GRADIENT(k.g[i]) * factor + wd * w;
			real first = b1 * m[i] + c1 * d, second = b2 * v[i] + c2 * d * d;

			m[i] = first;
			v[i] = second;
			weight_set(&k, i,
			    w * keep - pace * first / (R(sqrt)(second) * spread + tiny));
		}
	}
}

static void
adam_update(struct updates u, const real *clip, const struct step *s, double beta1, double beta2,
    double eps, int decoupled)
{
	LAUNCH_CHUNKS(adam_kernel, u.chunks, (u, clip, s, beta1, beta2, eps, decoupled));
}
