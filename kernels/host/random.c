/*
 * random.c - random numbers for starting values, for shuffling and for synthetic data.
 *
 * A number is a hash of (seed, stream, counter), never the next of a sequence: the same on every
 * machine, for every number of threads, and after a resume.
 */
#include "persistent.c"
#include "normal.h"

/* in [0, 1) */
static double
seed_uniform(uint64_t seed, uint64_t stream, uint64_t counter)
{
	return (double)(seed_bits(seed, stream, counter) >> 11) / (double)NORMAL_ONE;
}

/* The starting value of one element. */
static double
start_value(const struct persistent *p, uint64_t seed, uint64_t stream, int64_t i)
{
	switch (p->start) {
	case START_CONSTANT:
		return p->value;
	case START_UNIFORM:
		return p->value * (2 * seed_uniform(seed, stream, (uint64_t)i) - 1);
	case START_NORMAL:
		return p->value * seed_normal(seed, stream, (uint64_t)i);
	default:
		return 0;
	}
}

/* Stores element I of what has that type. */
static void
value_put(int type, unsigned char *to, int64_t i, double x)
{
	if (type == TYPE_F64)
		((double *)to)[i] = x;
	else if (type == TYPE_F32)
		((float *)to)[i] = (float)x;
	else if (type == TYPE_I32)
		((int32_t *)to)[i] = (int32_t)x;
	else if (type == TYPE_U8)
		to[i] = (unsigned char)x;
	else
		((elem *)to)[i] = ELEM((real)x);
}

/* Fills every persistent tensor, through a chunk because the arena may be on another device. */
static void
start_values(uint64_t seed)
{
	for (int k = 0; k < PERSISTENT; k++) {
		const struct persistent *p = &persistent[k];
		uint64_t stream = seed_stream(p->drawn_for);
		int64_t size = type_table[p->type].bytes;
		int64_t most = (int64_t)sizeof(chunk) / size;

		for (int64_t at = 0; at < p->elements; at += most) {
			int64_t n = p->elements - at < most ? p->elements - at : most;

			for (int64_t i = 0; i < n; i++) {
				double x = start_value(p, seed, stream,
				    turned(at + i, p->taps, p->channels));

				value_put(p->type, chunk, i, x);
			}
			persistent_put(p, at * size, chunk, n * size);
		}
	}
}
