/*
 * What a shape's extents say by being alike, or as many as people say there are: one number for
 * each pair or triple of the same things, a filter as cuDNN has it, a set that goes through at
 * once.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/text.h"

#define LEAST_ALIKE	64	/* of which all pairs are worth a word */
#define LEAST_SQUARE	1000	/* rows and columns of a matrix that are worth a word */
#define LEAST_SET_ALIKE	5000	/* of which a picture has hardly as many on both sides */
#define MOST_KERNEL	11	/* the height and width of a filter */
#define LEAST_CHANNELS	16
#define MANY_WEIGHTS	((int64_t)1 << 18)
#define FEW_BYTES	((int64_t)64 << 20)
#define LEAST_SET	200	/* samples that are hardly a batch */

/* By its operation's name: a loss, or distances, of pairs or triples. */
static bool
is_of_pairs(const char *node)
{
	return strstr(node, "triplet") || strstr(node, "Triplet") || strstr(node, "pairwise") || strstr(node, "contrastive") || strstr(node, "distance");
}

/* A matrix for each of a number of samples or heads, of as many rows as columns, on the
 * processor. */
static bool
is_square(struct autopsy *y, const struct oom_shape *s)
{
	int64_t n = s->known && s->rank == 3 ? s->dim[2] : 0;

	if (!y->main->host || n < LEAST_SQUARE || s->dim[1] != n || y->lo < LARGE_SAMPLE)
		return false;
	autopsy_cause(y, SAYS_OF_PAIRS, arena_printf(y->arena, "Its last two extents are both %lld. Where it has a number for each pair of as many positions, or things, and that for each of %lld samples or heads, it grows with the square of how many they are, and "
	    "with these: half as many take a quarter. Where the two are height and width, half of each side does.", (long long)n, (long long)s->dim[0]));
	return true;
}

/* Some numbers for each pair of a set's things, as their differences have before they are summed
 * up. A picture's sides are a power of two as a rule, and not as many. */
static bool
is_of_differences(struct autopsy *y, const struct oom_shape *s)
{
	int64_t n = s->known && s->rank == 3 ? s->dim[0] : 0;

	if (n < LEAST_SET_ALIKE || (n & (n - 1)) == 0 || s->dim[1] != n || s->dim[2] == n || s->dim[2] < 2 || y->lo < LARGE_SAMPLE)
		return false;
	autopsy_cause(y, SAYS_OF_PAIRS, arena_printf(y->arena, "Its first two extents are both %lld. Where they are the same things, each with each, it has %lld numbers for each pair of them, as their differences have before they are summed up, and grows with the square of how many they are. "
	    "Parts of them, one after the other, take less, and distances that are made of products (a matrix times its own transpose, and the squares of its rows) need no more than one number for each pair.", (long long)n, (long long)s->dim[2]));
	return true;
}

bool
autopsy_all_alike(struct autopsy *y, const struct oom_shape *s)
{
	static const char *const of[] = { "pair", "triple", "set of four", "set of five" }, *const power[] = { "square", "third power", "fourth power", "fifth power" };
	int64_t n = s->known && s->rank > 0 ? s->dim[0] : 0;
	bool named = is_of_pairs(y->main->node);
	int k;

	for (k = 1; k < s->rank && s->dim[k] == n; k++)
		;
	/* volumes, and pictures of as many channels as pixels on a side, have extents alike, too */
	if (n < LEAST_ALIKE || k < s->rank || s->rank > 5 || s->rank < (named ? 2 : 4) || (!named && (n & (n - 1)) == 0))
		return is_of_differences(y, s) || is_square(y, s);
	autopsy_cause(y, SAYS_OF_PAIRS, arena_printf(y->arena, "All of its %d extents are %lld. Where it has a number for each %s of as many things, as a loss that compares all samples of a batch with each other has, it grows with the %s of how many they are: half as many "
	    "take one part of %d. Fewer at once, a loss of some of them (the hardest for each sample), or parts one after the other take less.", s->rank, (long long)n, of[s->rank - 2], power[s->rank - 2], 1 << s->rank));
	return true;
}

#define SMALL_KERNEL	3

/* Is it a convolution's tensor by its name; or, where no name is told, by a height and width of 1
 * or 3 behind two numbers of channels, which pictures hardly have left? */
static bool
may_convolve(const struct oom_message *o, const struct oom_shape *s)
{
	return o->convolves || strstr(o->node, "onv") || (!o->node[0] && s->dim[2] <= SMALL_KERNEL && s->dim[2] % 2 == 1);
}

bool
autopsy_turned_filter(struct autopsy *y, const struct oom_shape *s)
{
	char human[SIZE_TEXT];

	if (s->rank != 4 || !may_convolve(y->main, s) || s->dim[2] != s->dim[3] || s->dim[2] > MOST_KERNEL || s->dim[0] < LEAST_CHANNELS || s->dim[1] < LEAST_CHANNELS ||
	    s->dim[0] * s->dim[1] * s->dim[2] * s->dim[3] < MANY_WEIGHTS || y->hi > FEW_BYTES)
		return false;
	autopsy_cause(y, SAYS_OF_FILTER, arena_printf(y->arena, "It has the extents of a filter's weights as cuDNN has them, %lld x %lld channels of %lld x %lld. Where it is those, which a convolution puts into that order, no batch plays a part in its size, and a device that "
	    "has no %s left was full by then: what lay there before (weights, results, another process) decides. Where it is of images, its first extent is how many go through at once.", (long long)s->dim[0], (long long)s->dim[1],
	    (long long)s->dim[2], (long long)s->dim[3], size_human(human, y->hi)));
	return true;
}

void
autopsy_set_told(struct autopsy *y, const struct oom_shape *s)
{
	const struct oom_counts *c = &y->log.paste.counts;
	int i;

	if (s->rank < 2 || s->dim[0] == s->dim[1] || y->log.paste.told.graph.line)
		return;			/* a graph's nodes are no batch's samples */
	for (i = 0; i < c->many && s->dim[0] >= LEAST_SET; i++)
		if (s->dim[0] == c->things[i].least && s->dim[0] == c->things[i].most) {
			autopsy_cause(y, SAYS_TOLD_EXTENT, arena_printf(y->arena, "Its first extent, %lld, is as large as a number of which l%s. If it is those, all of them go through at once, as one batch, whatever batch is meant" IN_KERAS(": what a generator hands over in one piece is one, "
			    "whatever steps_per_epoch says") ". Parts of them take a part of that.", (long long)s->dim[0], autopsy_said(y, &c->things[i].said) + 1));
			return;
		}
}
