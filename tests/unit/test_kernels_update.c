/*
 * Losses, metrics and what comes after backward, against naive loops in double precision
 * (test_kernels_update_f32.c: in float): labels that are no classes, ties, logits that would
 * overflow, updates together and apart, and sums that are no numbers.
 */
#include "precision.h"
#include "../../kernels/loss/accuracy.cu"
#include "../../kernels/loss/cross_entropy.cu"
#include "../../kernels/update/accumulate.cu"
#include "../../kernels/update/adam.cu"
#include "../../kernels/update/loss_scale.cu"
#include "../../kernels/update/sgd.cu"
#include "naive.h"

/* ---- losses ---- */

static const struct layout rows[] = {
	{ 1, 10, 1 }, { 37, 7, 1 }, { 3, 4, 77 }, { 2, 33, 5 }, { 5, 300, 1 },
};

static double
naive_cross_entropy(struct layout l, const int32_t *label, double dloss)
{
	double loss = 0, count = (double)(l.b * l.n);

	for (int64_t r = 0; r < l.b * l.n; r++) {
		int64_t at = r / l.n * l.channels * l.n + r % l.n;
		bool counts = label[r] >= 0 && label[r] < l.channels;
		long double sum = 0;

		for (int64_t k = 0; k < l.channels; k++)
			sum += expl((long double)x[at + k * l.n]);
		for (int64_t k = 0; k < l.channels; k++)
			slow[at + k * l.n] = !counts ? 0 : dloss / count *
			    ((double)(expl((long double)x[at + k * l.n]) / sum) - (label[r] == k));
		if (counts)
			loss += (double)(logl(sum) - (long double)x[at + label[r] * l.n]) / count;
	}
	return loss;
}

Test(kernels, cross_entropy)
{
	static int32_t label[1000];
	static real lse[1000];

	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct layout l = rows[k];
		int64_t all = l.b * l.channels * l.n;
		struct step s = { .share = REAL(0.6) };
		real loss = 0, both = 0, scale = REAL(0.5), dloss = s.share * scale;
		double naive;

		fill(x, all, 20, 0);
		for (int64_t r = 0; r < l.b * l.n; r++)
			label[r] = (int32_t)(state % (uint64_t)l.channels), uniform();
		if (k > 0)
			label[0] = -1, label[1] = 1000000;
		naive = naive_cross_entropy(l, label, (double)dloss);
		cross_entropy_forward(&loss, lse, work, x, label, l.b, l.channels, l.n);
		close_to(&loss, &naive, 1, "cross-entropy %zu", k);
		cross_entropy_backward(dx, &dloss, x, label, lse, l.b, l.channels, l.n);
		close_to(dx, slow, all, "cross-entropy's gradient %zu", k);
		cross_entropy_with_gradient(dy, &both, work, &scale, &s, x, label, l.b, l.channels, l.n);
		cr_assert_eq(both, loss, "the loss beside its gradient %zu", k);
		cr_assert_arr_eq(dy, dx, (size_t)all * sizeof(*x), "at once %zu", k);
		memcpy(dy, x, (size_t)all * sizeof(*x));
		cross_entropy_backward(x, &dloss, x, label, lse, l.b, l.channels, l.n);
		cr_assert_arr_eq(x, dx, (size_t)all * sizeof(*x), "in place of the logits");
		cross_entropy_with_gradient(dy, &both, work, &scale, &s, dy, label, l.b, l.channels, l.n);
		cr_assert_arr_eq(dy, dx, (size_t)all * sizeof(*x), "at once, in place %zu", k);
	}
}

Test(kernels, losses_that_would_overflow)
{
	static const int32_t label[] = { 1 };
	real logits[] = { REAL(1000.0), REAL(-1000.0) }, loss, lse;

	cross_entropy_forward(&loss, &lse, work, logits, label, 1, 2, 1);
	cr_assert_eq(loss, 2000);
}

Test(kernels, accuracy_takes_the_first_of_equals)
{
	static const real logits[] = { 1, 1, 0, 0, 1, 1, 2, 0, 1 };
	static const int32_t labels[] = { 0, 2, 0 };
	real right;

	accuracy_forward(&right, work, logits, labels, 3, 3, 1, 1);
	cr_assert(fabs((double)right - 2.0 / 3) < 1e-6);
}

/* The second of three equals is among two, the third is not; a label that is no class is
 * nowhere. */
Test(kernels, accuracy_among_the_largest)
{
	static const real logits[] = { 1, 1, 1, 1, 1, 1, 3, 2, 1, 0, 0, 0 };
	static const int32_t labels[] = { 1, 2, 1, -1 };
	real right;

	accuracy_forward(&right, work, logits, labels, 4, 3, 1, 2);
	cr_assert_eq(right, REAL(0.5));
	accuracy_forward(&right, work, logits, labels, 4, 3, 1, 3);
	cr_assert_eq(right, REAL(0.75));
}

/* ---- optimizers ---- */

/* What an emitted program has as tables; offsets count from `memory`. */
static struct {
	real p[3][2], g[2][2], v[2], m[2][2], q[2][2];
	real long_p[3000], long_g[3000], short_p, short_g;
} memory;
static struct update updates[4];
static struct clipped clipped[2];

DEVICE const struct update *
update_table(void)
{
	return updates;
}

DEVICE const struct clipped *
clipped_table(void)
{
	return clipped;
}

static int64_t
at(const void *p)
{
	return (const unsigned char *)p - (const unsigned char *)&memory;
}

static struct updates
together(int first, int count, int64_t chunks)
{
	return updates_of((unsigned char *)&memory, first, count, chunks);
}

static void
squares(int count)
{
	for (int i = 0; i < 2; i++)
		clipped[i] = (struct clipped){ at(memory.g[i]), 2 };
	spoil(work, sizeof(work));
	clip_squares(work, (unsigned char *)&memory, 0, count);
}

Test(kernels, optimizers)
{
	real (*p)[2] = memory.p, *g = memory.g[0];
	real clip = REAL(0.5), number[2];
	double e[3][2] = { { 1, -2 }, { 1, -2 }, { 1, -2 } }, ev[2] = { 0 }, em[2][2] = { { 0 } };
	double eq[2][2] = { { 0 } };

	memset(&memory, 0, sizeof(memory));
	g[0] = REAL(0.5), g[1] = -1;
	for (int k = 0; k < 3; k++)
		p[k][0] = 1, p[k][1] = -2;
	updates[0] = (struct update){ at(p[0]), ABSENT, at(g), { at(memory.v), ABSENT }, 0.01, 1, 2, 0 };
	for (int k = 0; k < 2; k++)
		updates[1 + k] = (struct update){ at(p[1 + k]), ABSENT, at(g),
			{ at(memory.m[k]), at(memory.q[k]) }, 0.1, 1, 2, 0 };
	for (int t = 1; t <= 5; t++) {
		struct step s = step_of(t, 0.1 / t, 0);

		sgd_update(together(0, 1, 1), &clip, &s, 0.9, 1);
		adam_numbers(number, t, log(0.9), log(0.999));
		adam_update(together(1, 1, 1), NULL, &s, number, 0.9, 0.999, 1e-8, 0);
		adam_numbers(number, t, log(0.8), log(0.99));
		adam_update(together(2, 1, 1), NULL, &s, number, 0.8, 0.99, 1e-3, 1);
		for (int i = 0; i < 2; i++) {
			double d = (double)g[i] * 0.5 + 0.01 * e[0][i];

			ev[i] = 0.9 * ev[i] + d;
			e[0][i] -= s.lr * (d + 0.9 * ev[i]);
			for (int k = 0; k < 2; k++) {
				double b1 = k ? 0.8 : 0.9, b2 = k ? 0.99 : 0.999;

				d = (double)g[i] + (k ? 0 : 0.1 * e[1][i]);
				e[2][i] *= k ? 1 - s.lr * 0.1 : 1;
				em[k][i] = b1 * em[k][i] + (1 - b1) * d;
				eq[k][i] = b2 * eq[k][i] + (1 - b2) * d * d;
				e[1 + k][i] -= s.lr * em[k][i] / (1 - pow(b1, t)) /
				    (sqrt(eq[k][i] / (1 - pow(b2, t))) + (k ? 1e-3 : 1e-8));
			}
		}
	}
	for (int k = 0; k < 3; k++)
		close_to(p[k], e[k], 2, "optimizer %d", k);
}

/* One longer than a chunk between two short ones; of the last, the gradient is in the momentum. */
Test(kernels, updates_together)
{
	struct step s = step_of(1, 0.5, 0);

	memset(&memory, 0, sizeof(memory));
	for (int i = 0; i < 3000; i++)
		memory.long_p[i] = (real)i, memory.long_g[i] = (real)(i % 7);
	memory.short_p = 1, memory.short_g = 4;
	memory.p[0][0] = 8, memory.p[0][1] = 16;
	memory.v[0] = 2, memory.v[1] = 4;
	updates[0].n = -1;	/* not of this launch */
	updates[1] = (struct update){ at(&memory.short_p), ABSENT, at(&memory.short_g),
		{ ABSENT, ABSENT }, 0, 1, 1, 0 };
	updates[2] = (struct update){ at(memory.long_p), ABSENT, at(memory.long_g),
		{ ABSENT, ABSENT }, 0.5, 1, 3000, 1 };
	updates[3] = (struct update){ at(memory.p[0]), ABSENT, ABSENT, { at(memory.v), ABSENT },
		0.25, 1, 2, 4 };
	sgd_update(together(1, 3, 5), NULL, &s, 0.9, 0);
	cr_assert_eq(memory.short_p, -1);
	for (int i = 0; i < 3000; i++)
		cr_assert_eq(memory.long_p[i], (real)(i - 0.5 * (i % 7 + 0.5 * i)), "%d", i);
	cr_assert(memory.v[0] == 4 && memory.v[1] == 8);	/* 2 + 8 / 4, 4 + 16 / 4 */
	cr_assert(memory.p[0][0] == 6 && memory.p[0][1] == 12);
}

Test(kernels, gradients_accumulate_and_clip)
{
	struct step first = step_of(1, 0, 0), next = step_of(1, 0, 1);
	real (*g)[2] = memory.g, scale;

	g[0][0] = 3, g[0][1] = g[1][0] = 0, g[1][1] = 4;
	for (int i = 0; i < 3000; i++)
		memory.long_g[i] = (real)i;
	spoil(memory.v, sizeof(memory.v));
	spoil(memory.long_p, sizeof(memory.long_p));
	updates[0].n = -1;	/* not of this launch */
	for (int k = 0; k < 2; k++) {
		updates[1] = (struct update){ ABSENT, ABSENT, at(g[k]), { at(memory.v), ABSENT }, 0, 1, 2, 0 };
		updates[2] = (struct update){ ABSENT, ABSENT, at(memory.long_g),
			{ at(memory.long_p), ABSENT }, 0, 1, 3000, 1 };
		accumulate_gradients(together(1, 2, 4), k ? &next : &first);
	}
	cr_assert(memory.v[0] == 3 && memory.v[1] == 4);
	for (int i = 0; i < 3000; i++)
		cr_assert_eq(memory.long_p[i], (real)(2 * i), "%d", i);
	squares(2);
	clip_scale(&scale, work, 2, 1);
	cr_assert(fabs((double)scale - 1 / (5 + 1e-6)) < 1e-7);
	clip_scale(&scale, work, 2, 6);
	cr_assert_eq(scale, 1);
	g[0][0] = (real)NAN;
	squares(2);
	clip_scale(&scale, work, 2, 6);
	cr_assert(scale != scale, "a norm that is not a number must not pass for a small one");
}

Test(kernels, the_scale_of_the_loss)
{
	real *g = memory.g[0], scale = 1000, count[2] = { 0 }, factor[2];

	g[0] = 3000, g[1] = 4000;
	squares(1);
	loss_scale(factor, &scale, count, work, 1, 0);
	cr_assert(factor[0] == (real)(1 / 1000.0) && scale == 1000 && count[0] == 1);
	loss_scale(factor, &scale, count, work, 1, 1);		/* unscaled, the norm is 5 */
	cr_assert(fabs((double)factor[0] * 5000 - 1) < 1e-5 && count[0] == 2 && factor[1] == 0);
	g[1] = (real)INFINITY;
	squares(1);
	loss_scale(factor, &scale, count, work, 1, 1);
	cr_assert(factor[0] == 0 && factor[1] == 1 && scale == 500);
	cr_assert(count[0] == 0 && count[1] == 1);
	g[1] = 1;
	squares(1);
	for (int i = 0; i < 2000; i++)
		loss_scale(factor, &scale, count, work, 1, 0);
	cr_assert(scale == 1000 && count[0] == 0 && count[1] == 1);
}

/* Gradients of zero for ever, or of no number: the scale, and what undoes it, stay numbers, and
 * training can go on. */
Test(kernels, loss_scale_stays_a_number)
{
	real scale = 65536, count[2] = { 0, 0 }, factor[2];
	double part[CLIP_PARTS] = { 0 };

	for (int i = 0; i < 2000 * 1100; i++) {	/* of doublings, more than double precision has */
		loss_scale(factor, &scale, count, part, 1, i % 2);
		cr_assert(isfinite(scale) && factor[0] > 0 && isfinite(factor[0]), "update %d", i);
	}
	part[0] = INFINITY;
	for (int i = 0; i < 1200; i++)
		loss_scale(factor, &scale, count, part, 1, 0);
	cr_assert(scale > 0 && factor[0] == 0 && factor[1] == 1200);
	part[0] = 0;
	loss_scale(factor, &scale, count, part, 1, 0);
	cr_assert(factor[0] > 0 && isfinite(factor[0]) && 0 * factor[0] == 0);
}
