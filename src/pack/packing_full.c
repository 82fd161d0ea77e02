/*
 * packing_full: for instances that are full nearly all the time, such as rectangles cut to pieces,
 * where fits leave a quarter of the height empty.
 *
 * What can lie together is made one item (packing_glue.c), which is all of it in many instances;
 * each is stacked flat on those below (packing_flat.c); and what does not come out is put into
 * order by ejection, which with fewer items that are right gets further than with all of them.
 * Attempts at the first of these differ, as long as the effort lasts; the first few, which differ
 * most, have the same part of it each, where it is more than a network's. What is left then goes
 * into ejection of the whole, where places are not fixed (packing_elastic.c), since to stack all of
 * it flat once more seldom helps; that has only what ejection does not use, such as where there is
 * too much for it.
 *
 * Where there is more effort than a network's, half of it goes first into sweeps over time of the
 * whole (packing_sweep.c), which go further than the rest where few of the pieces can be told by
 * their sizes to have lain together.
 *
 * Before all that, where there is no waste at any time, come sweeps that keep all orders at once
 * (packing_orders.c), which find a packing or nothing, and dissections (packing_dissect.c), which
 * find most of those that sweeps do not. What these use is not taken from the rest, so that it
 * comes as far as without them; but where the best stays far above the bound, what dissections
 * leave has half of what other sweeps would get. Sweeps of the whole that are going to find
 * anything mostly have after a few turns, so most of later ones is for dissections, which sweep
 * what they leave.
 */
#include "pack/packing_flat.h"
#include "pack/packing_glue.h"

#include <string.h>

#define FULL		0.98	/* of the height, on average over sections */
#define MOST		4000	/* items; what fails for whom grows with the square */
#define FIRST_ATTEMPTS	4	/* of which each is solved as far as can be; of later ones only what has fewer items */
#define ATTEMPTS	1000	/* as many do not differ from those of the next turn but by guesses */
#define ORDERED		2	/* beside all else, the part of it that sweeps get which keep all orders, */
#define ORDERED_LATE	32	/* and after so many turns, */
#define LATE		3
#define DISSECTED	4	/* the same of dissections; and that part of the rest for what they leave, */
#define DISSECTED_LATE	2	/* after as many turns, */
#define FAR		32	/* if more than this part is above the bound */
#define SWEPT		2	/* the part of more effort than a network's that other sweeps get, */
#define SWEPT_BESIDE	3	/* and of what is left then, beside dissections */
#define GLUED		4	/* parts of the effort, of which attempts may use all but one */
#define FLAT		4	/* parts of what is left of it, for each */
#define EJECTED		8
#define FITS		4

bool
packing_is_full(const struct instance *in)
{
	double live = 0;
	int s;

	if (packing_is_aligned(in))
		return false;
	for (s = 0; s < in->sections; s++)
		live += (double)in->live[s];
	return live >= FULL * (double)in->max_live * in->sections;
}

bool
packing_has_waste(const struct instance *in)
{
	int s;

	for (s = 0; s < in->sections; s++)
		if (in->live[s] != in->max_live)
			return true;
	return false;
}

static int64_t
keep_better(struct instance *in, const struct job *job, int64_t best)
{
	struct instance other = { .job = (struct job *)job, .n = in->n };
	int64_t height = packing_height(&other);

	if (height >= best)
		return best;
	memcpy(in->job, job, (size_t)in->n * sizeof(*job));
	return height;
}

/* What is left when glued has an answer, which is one for all. */
static int64_t
keep_glued(struct instance *in, const struct glue *g, const struct instance *left, int64_t best)
{
	struct job *job = arena_array(in->arena, (size_t)in->n, sizeof(*job));

	memcpy(job, in->job, (size_t)in->n * sizeof(*job));
	glue_undo(g, left, job);
	return keep_better(in, job, best);
}

static int64_t
solve_left(struct instance *in, const struct glue *g, struct instance *left, int64_t best, int64_t target, struct effort *e)
{
	struct effort part = *e;
	int64_t height;

	if (left->n == in->n || left->n > MOST)
		return best;
	part.visits = e->visits / FLAT;
	e->visits -= part.visits;
	flat_stack(left, &part);
	e->visits += part.visits;
	best = keep_glued(in, g, left, best);
	if (best <= target || !effort_left(e))
		return best;
	part.visits = e->visits / EJECTED;
	e->visits -= part.visits;
	height = packing_fit(left, packing_height(left), target, FITS, &part);
	if (height > target)
		packing_eject(left, height, target, &part);
	e->visits += part.visits;
	return keep_glued(in, g, left, best);
}

/* *FEWEST: items that were left. */
static int64_t
attempt(struct instance *in, int k, int64_t best, int64_t target, int *fewest, struct effort *e)
{
	struct instance left;
	struct glue *g = glue_new(in, ATTEMPTS * e->stage + k, &left, e);

	do {
		if (k >= FIRST_ATTEMPTS && left.n >= *fewest)
			continue;
		*fewest = left.n < *fewest ? left.n : *fewest;
		best = solve_left(in, g, &left, best, target, e);
	} while (best > target && glue_guess(g, &left));
	return best;
}

static int64_t
sweep(struct instance *in, int64_t best, int64_t target, int parts, struct effort *e)
{
	struct effort part = effort_share(e, parts);

	best = packing_sweep(in, best, target, &part);
	e->visits += part.visits;
	return best;
}

/* DEEP: what is left has a part of the rest, too. */
static int64_t
dissect(struct instance *in, int64_t best, int64_t target, bool deep, struct effort *e)
{
	struct effort part = *e, share = { 0 };

	part.visits = e->visits / (e->stage >= LATE ? DISSECTED_LATE : DISSECTED);
	if (deep)
		share = effort_share(e, DISSECTED);
	part.visits += share.visits;
	best = packing_dissect(in, best, target, deep, &part);
	e->visits += part.visits < share.visits ? part.visits : share.visits;
	return best;
}

/* Beside all else, so that the rest comes as far as without it; but far above the bound a part of
 * the rest goes into what dissections leave. */
static int64_t
without_waste(struct instance *in, int64_t best, int64_t target, bool far, struct effort *e)
{
	struct effort part = *e;

	part.visits = e->visits / (e->stage >= LATE ? ORDERED_LATE : ORDERED);
	best = packing_orders(in, best, target, &part);
	return best > target ? dissect(in, best, target, far, e) : best;
}

int64_t
packing_full(struct instance *in, int64_t best, int64_t target, struct effort *e)
{
	struct effort part = *e, share = *e;
	struct instance whole = *in;
	int k, fewest = in->n;
	bool far = false;

	if (best <= target || !packing_is_full(in))
		return best;
	if (!packing_has_waste(in)) {
		far = e->stage >= LATE && best - target > target / FAR;
		best = without_waste(in, best, target, far, e);
	}
	if (best <= target)
		return best;
	if (e->stage > 0 && in->n <= MOST)
		best = sweep(in, best, target, far ? SWEPT_BESIDE : SWEPT, e);
	part = *e;
	part.visits = e->visits - e->visits / GLUED;
	e->visits -= part.visits;
	for (k = 0; best > target && effort_left(&part); k++) {
		struct arena *a = arena_child(in->arena);
		struct instance copy = *in;

		copy.arena = a;
		share.visits = e->stage > 0 && k < FIRST_ATTEMPTS ? part.visits / (FIRST_ATTEMPTS - k) : part.visits;
		part.visits -= share.visits;
		best = attempt(&copy, k, best, target, &fewest, &share);
		part.visits += share.visits;
		arena_free(a);
	}
	e->visits += part.visits;
	if (best <= target || in->n > MOST || !effort_left(e))
		return best;
	whole.job = arena_array(in->arena, (size_t)in->n, sizeof(*whole.job));
	memcpy(whole.job, in->job, (size_t)in->n * sizeof(*whole.job));
	if (e->stage > 0) {
		packing_elastic(&whole, best, target, e);
		best = keep_better(in, whole.job, best);
		if (best <= target || !effort_left(e))
			return best;
	}
	flat_stack(&whole, e);
	return keep_better(in, whole.job, best);
}
