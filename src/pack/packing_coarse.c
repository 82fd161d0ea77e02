/*
 * packing_coarse: items that are large, apart from those that are small.
 *
 * Of a training step's buffers two thirds are statistics of norms, gradients of weights, and the
 * like: a thousandth of the height and less, but alive half of the time, so that whoever asks who
 * is alive with an item mostly asks them. Without them a complete search takes few steps back, and
 * what is left free in between has room for nearly all of them (packing.c). Small is what has a
 * small size and takes little room: its size times its life, of the height times all sections.
 *
 * Where nothing may be wasted at an instant, and next to nothing at another, what is alive at only
 * one of the two must change places with what is alive at only the other, however small it is: the
 * labels with the loss, which a step makes while it still needs them. Small ones put into what
 * large ones leave hardly ever do, and moved one by one they do not find there. So these are placed
 * among the large, by a search, and stay there when small ones make others move.
 */
#include "pack/packing_impl.h"

#include <string.h>

#define LARGE		300	/* part of the height */
#define FEW		4	/* part of the items: fewer small ones are not worth it */

static bool
is_alive(const struct job *j, int section)
{
	return j->lower <= section && section < j->upper;
}

/* The two fullest sections; one of them twice where no other is nearly as full. */
static void
find_two_fullest(const struct instance *in, int *first, int *second)
{
	int s;

	*first = 0;
	*second = -1;
	for (s = 1; s < in->sections; s++)
		if (in->live[s] > in->live[*first]) {
			*second = *first;
			*first = s;
		} else if (*second < 0 || in->live[s] > in->live[*second]) {
			*second = s;
		}
	if (*second < 0 || !is_near(in->live[*first], in->live[*second]))
		*second = *first;
}

/* Sections by the deaths of these items alone, as packing_form.c cuts instants; so that what ends
 * at nearly one time ends at one. */
static void
cut_again(struct instance *in)
{
	size_t n = (size_t)in->sections + 1;
	bool *born = arena_array(in->arena, n, sizeof(*born)), *dead = arena_array(in->arena, n, sizeof(*dead)), fresh = false;
	int *section = arena_array(in->arena, n, sizeof(*section)), now = 0, s, i;

	for (i = 0; i < in->n; i++) {
		born[in->job[i].lower] = true;
		dead[in->job[i].upper] = true;
	}
	for (s = 0; s <= in->sections; s++) {
		if (dead[s] && fresh) {
			now++;
			fresh = false;
		}
		section[s] = now;
		fresh |= born[s];
	}
	for (i = 0; i < in->n; i++) {
		in->job[i].lower = section[in->job[i].lower];
		in->job[i].upper = section[in->job[i].upper];
	}
	in->sections = now;
}

bool
packing_coarse(const struct instance *in, struct arena *a, double part, bool tight, struct instance *large, struct job **small)
{
	double room = (double)in->max_live * in->sections;
	int i, n = 0, ntight = 0, first, second;

	if (packing_is_aligned(in))
		return false;
	find_two_fullest(in, &first, &second);
	*large = *in;
	large->arena = a;
	large->n = 0;
	large->job = arena_array(a, (size_t)in->n, sizeof(*large->job));
	*small = arena_array(a, (size_t)in->n, sizeof(**small));
	for (i = 0; i < in->n; i++) {
		struct job j = in->job[i];
		bool is_large = j.size >= in->max_live / LARGE || (double)j.size * (j.upper - j.lower) >= room / part;

		j.index = i;
		j.stays = tight && !is_large && is_alive(&j, first) != is_alive(&j, second);
		ntight += j.stays;
		if (is_large || j.stays)
			large->job[large->n++] = j;
		else
			(*small)[n++] = j;
	}
	if (large->n == 0 || n <= in->n / FEW || (tight && ntight == 0))
		return false;
	cut_again(large);
	packing_measure(large, in->padding);
	return true;
}

int64_t
packing_fit_tightly(struct instance *in, const struct instance *large, struct job *small, int64_t best, int64_t target,
    struct effort *e)
{
	struct instance other = *in;
	int64_t height;
	int i;

	other.arena = large->arena;
	other.job = arena_array(other.arena, (size_t)in->n, sizeof(*other.job));
	memcpy(other.job, in->job, (size_t)in->n * sizeof(*other.job));
	for (i = 0; i < in->n; i++)
		other.job[i].index = i;
	for (i = 0; i < large->n; i++)
		other.job[large->job[i].index].stays = large->job[i].stays;
	height = packing_fit_beside(&other, large, small, INT64_MAX, target, e);
	if (height > target && is_near(height, target))
		height = packing_reinsert(&other, height, target, e);
	if (height >= best)
		return best;
	for (i = 0; i < in->n; i++)
		in->job[other.job[i].index].offset = other.job[i].offset;
	return height;
}
