/*
 * update/adamw8bit.cu - AdamW whose means are kept as bytes: the nearest of 256 numbers, times the
 * largest of a block of CODED_BLOCK. These are not evenly spaced, since within a block means differ
 * by orders of magnitude. There are seven decades below 1; each is cut into twice as many cells as
 * the one below it, whose middles are the numbers; 0 and 1 are numbers too:
 *
 *     with signs:   code 0     1          2, 3         4 .. 7         ...  64 .. 127      128 and -code of each but
 *                   0          1e-7..1e-6 1e-6..1e-5   1e-5..1e-4          0.1 .. 1       1   the last: its negative
 *     without:      0          1, 2       3 .. 6       7 .. 14        ...  127 .. 254     255
 */
#ifndef STOWAGE_UPDATE_ADAMW8BIT_CU
#define STOWAGE_UPDATE_ADAMW8BIT_CU

#include "update/updates.cu"

#define DECADES	7

/* The upper end of decade D, from 0. */
DEVICE real
code_decade(int d)
{
	return d == 0 ? REAL(1e-6) : d == 1 ? REAL(1e-5) : d == 2 ? REAL(1e-4) : d == 3 ? REAL(1e-3) :
	    d == 4 ? REAL(1e-2) : d == 5 ? REAL(0.1) : 1;
}

/* The number of a code that is not negative. The lowest decade has FEWEST cells: 1, or 2 where none
 * is negative. */
DEVICE real
code_value(int code, int fewest)
{
	int cells = fewest, d = 0;

	if (code <= 0)
		return 0;
	for (code += fewest - 1; d < DECADES && code >= 2 * cells; d++)
		cells *= 2;
	if (d == DECADES)
		return 1;
	return code_decade(d) * (REAL(0.1) + REAL(0.9) * ((real)(code - cells) + REAL(0.5)) / (real)cells);
}

/* The code of the number nearest to X, which is from 0 to 1. */
DEVICE int
code_nearest(real x, int fewest)
{
	int cells = fewest, d = 0, code;
	real place;

	while (d < DECADES - 1 && x > code_decade(d)) {
		d++;
		cells *= 2;
	}
	place = (x / code_decade(d) - REAL(0.1)) / REAL(0.9) * (real)cells;
	code = cells + (place <= 0 ? 0 : place >= (real)cells ? cells - 1 : (int)place) - fewest + 1;
	/* the cell's own number, but near the ends of a decade that of a neighbour may be nearer */
	if (x > code_value(code, fewest))
		return x - code_value(code, fewest) > code_value(code + 1, fewest) - x ? code + 1 : code;
	return code_value(code, fewest) - x > x - code_value(code - 1, fewest) ? code - 1 : code;
}

DEVICE real
mean_value(uint8_t code)
{
	return code > 128 ? -code_value(256 - code, 1) : code_value(code, 1);
}

DEVICE uint8_t
mean_code(real x)
{
	int code = code_nearest(x < 0 ? -x : x, 1);

	if (x >= 0)
		return (uint8_t)code;
	return (uint8_t)(256 - (code < 1 ? 1 : code > 127 ? 127 : code));
}

struct coded {			/* a block of a parameter's means */
	uint8_t *first, *second;
	real *largest_first, *largest_second;
	struct update_share w;	/* without states */
};

/* Block B of row T of the table. */
DEVICE struct coded
coded_of(unsigned char *arena, const struct update *t, int64_t b)
{
	int64_t from = b * CODED_BLOCK, blocks = (t->n + CODED_BLOCK - 1) / CODED_BLOCK;
	struct coded c;

	c.w.weight = (elem *)(arena + t->weight) + from;
	c.w.master = t->master == ABSENT ? NULL : (real *)(arena + t->master) + from;
	c.w.g = (const gradient *)(arena + t->gradient) + from;
	c.w.n = t->n - from < CODED_BLOCK ? t->n - from : CODED_BLOCK;
#ifdef AVERAGE
	c.w.average = (real *)(arena + t->average) + from;
#endif
	c.first = arena + t->state[0] + from;
	c.second = arena + t->state[1] + from;
	c.largest_first = (real *)(arena + t->state[2]) + b;
	c.largest_second = c.largest_first + blocks;
	return c;
}

KERNEL(adamw8bit_kernel, (struct updates u, const real *clip, const struct step *s, const real *number,
    struct adam_means a))
{
	real rate = (real)s->lr, first_whole = rate * number[ADAM_FIRST], second_whole = number[ADAM_SECOND];
	int64_t blocks = UPDATE_CHUNK / CODED_BLOCK;
	real factor = clip ? *clip : 1;

	ROWS (r, LEFT_OUT(clip) ? 0 : u.chunks * blocks) {
		int64_t from, chunk = r / blocks;
		const struct update *t = update_at(&u, chunk, &from);
		int64_t b = from / CODED_BLOCK + r % blocks;
		real of_rate = (real)t->rate, step = first_whole * of_rate;
		real keep = 1 - rate * of_rate * (real)t->decay, old_first, old_second, first = 0, second = 0;
		struct coded k;

		if (b * CODED_BLOCK >= t->n)
			continue;
		k = coded_of(u.arena, t, b);
		old_first = *k.largest_first;
		old_second = *k.largest_second;
		ALONG (i, k.w.n) {
			real d = GRADIENT(k.w.g[i]) * factor;
			real m = a.b1 * (mean_value(k.first[i]) * old_first) + a.c1 * d;
			real v = a.b2 * (code_value(k.second[i], 2) * old_second) + a.c2 * d * d;

			weight_set(&k.w, i, weight_of(&k.w, i) * keep - step * m / (R(sqrt)(v) * second_whole + a.tiny));
			first = R(fabs)(m) > first ? R(fabs)(m) : first;
			second = v > second ? v : second;
		}
		first = ROW_MAX(first);
		second = ROW_MAX(second);
		ALONG (i, k.w.n) {
			real d = GRADIENT(k.w.g[i]) * factor;
			real m = a.b1 * (mean_value(k.first[i]) * old_first) + a.c1 * d;
			real v = a.b2 * (code_value(k.second[i], 2) * old_second) + a.c2 * d * d;

			k.first[i] = mean_code(first > 0 ? m / first : 0);
			k.second[i] = (uint8_t)code_nearest(second > 0 ? v / second : 0, 2);
		}
		FIRST {
			*k.largest_first = first;
			*k.largest_second = second;
		}
	}
}

static void
adamw8bit_update(struct updates u, const real *clip, const struct step *s, const real *number, double beta1, double beta2,
    double eps)
{
	LAUNCH_ROWS(adamw8bit_kernel, u.chunks * (UPDATE_CHUNK / CODED_BLOCK), (u, clip, s, number,
	    adam_means_of(beta1, beta2, eps)));
}

#endif
