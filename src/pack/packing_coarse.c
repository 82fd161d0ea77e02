/*
 * packing_coarse: items that are large, apart from those that are small.
 *
 * Of a training step's buffers two thirds are statistics of norms, gradients of weights, and the
 * like: a thousandth of the height and less, but alive half of the time, so that whoever asks who
 * is alive with an item mostly asks them. Without them a complete search takes few steps back, and
 * what is left free in between has room for nearly all of them (packing.c). Small is what has a
 * small size and takes little room: its size times its life, of the height times all sections.
 */
#include "pack/packing_impl.h"

#define LARGE		300	/* part of the height */
#define FEW		4	/* part of the items: fewer small ones are not worth it */

bool
packing_coarse(const struct instance *in, struct arena *a, double part, struct instance *large, struct job **small)
{
	double room = (double)in->max_live * in->sections;
	int i, n = 0;

	if (packing_is_aligned(in))
		return false;
	*large = *in;
	large->arena = a;
	large->n = 0;
	large->job = arena_array(a, (size_t)in->n, sizeof(*large->job));
	*small = arena_array(a, (size_t)in->n, sizeof(**small));
	for (i = 0; i < in->n; i++) {
		struct job j = in->job[i];

		j.index = i;
		if (j.size >= in->max_live / LARGE || (double)j.size * (j.upper - j.lower) >= room / part)
			large->job[large->n++] = j;
		else
			(*small)[n++] = j;
	}
	packing_measure(large, in->padding);
	return large->n > 0 && n > in->n / FEW;
}
