/*
 * Layers that are placed on ranks, which then are the stages of a pipeline:
 *
 *     place stem, layer1 on 0
 *     place layer2 on 1
 *
 * A layer is on one rank. What is not named is where the last of what it reads is
 * (passes/borders.c).
 */
#include "lang/expander.h"

#include <stdlib.h>
#include <string.h>

#include "ir/dotted_path.h"
#include "ir/split.h"

static bool
is_key(const struct setting *st, const char *key)
{
	return strcmp(st->key.text, key) == 0;
}

static void
read_rank(struct expander *ex, const struct setting *on, struct placement *p)
{
	struct value v = setting_value(ex, on->value[0]);

	if (v.kind != V_POISON)
		want_int(ex, &v, "on", 0, MOST_RANKS - 1, &p->rank);
}

static void
read_place(struct expander *ex, const struct setting *st, const struct setting *on, struct settings *set)
{
	struct placement *p = &set->place[set->nplaces++];
	int before = set->nplace_patterns, i;

	p->loc = st->loc;
	for (i = 0; i < st->nvalues; i++)
		place_pattern_read(ex, st->value[i], set);
	p->patterns = set->nplace_patterns - before;
	if (on)
		read_rank(ex, on, p);
	else
		diag_help(ex->d, ex_error(ex, "settings", st->loc, "place names layers, and `on` behind it the rank that has them"),
		    "place stem, layer1 on 0");
}

static const struct placement *
highest(const struct settings *set)
{
	const struct placement *most = &set->place[0];
	int i;

	for (i = 1; i < set->nplaces; i++)
		most = set->place[i].rank > most->rank ? &set->place[i] : most;
	return most;
}

static bool
is_named(const struct settings *set, int64_t rank)
{
	int i;

	for (i = 0; i < set->nplaces; i++)
		if (set->place[i].rank == rank)
			return true;
	return false;
}

/* What does not go with stages yet, or never; NULL: nothing. */
static const char *
at_odds(const struct expander *ex, const struct settings *set)
{
	return set->shard != SHARD_NONE ? "shard: no other rank has the same parameters" :
	    split_first(ex->m->forward) ? "split=ranks yet: a layer is of one rank, or of all of them" :
	    ex->m->bodies.n > 0 ? "layers that run others many times (scan and its like) yet" :
	    set->parts ? "deterministic: its parts are of the batch, which stages do not share out" :
	    set->nturns ? "update yet: a step of several updates goes through the network several times" :
	    set->ema > 0 ? "ema yet" :
	    set->precision->scales_loss ? "f16 yet, whose loss all ranks would scale alike: bf16 needs no scale" :
	    set->recompute == RECOMPUTE_AUTO ? "recompute auto yet: its search knows the activations of one micro-batch alone" : NULL;
}

static void
check_ranks(struct expander *ex, struct settings *set)
{
	const struct placement *last = highest(set);
	int64_t ranks = last->rank + 1, k;
	struct diag *g = NULL;
	const char *what;

	if (set->ranks > 1 && set->ranks != ranks) {
		g = ex_error(ex, "settings", last->loc, "layers are placed on ranks 0 to %lld, and %lld ranks train: one stage on several "
		    "ranks is not there yet", (long long)last->rank, (long long)set->ranks);
		diag_help(ex->d, g, "ranks %lld, or --ranks %lld; with --ranks 1 one has all layers", (long long)ranks, (long long)ranks);
	}
	for (k = 1; k < ranks && !g; k++)
		if (!is_named(set, k)) {
			g = ex_error(ex, "settings", last->loc, "layers are placed on rank %lld, and none on rank %lld",
			    (long long)last->rank, (long long)k);
			diag_help(ex->d, g, "ranks are the stages that samples go through, one after the other: place some on %lld",
			    (long long)k);
		}
	if (!g && (what = at_odds(ex, set))) {
		g = ex_error(ex, "settings", set->place[0].loc, "layers that are placed on ranks do not go with %s", what);
		diag_help(ex->d, g, "leave one of them out");
	}
	set->ranks = g ? 0 : ranks;
}

/* ---- each layer on one rank ---- */

struct placed_pattern {
	int64_t rank;
	int at;			/* among all of them */
};

static int
by_rank(const void *x, const void *y)
{
	const struct placed_pattern *a = x, *b = y;

	return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : (a->at > b->at) - (a->at < b->at);
}

static void
is_on_two(struct expander *ex, const struct settings *set, const char *path, const struct placed_pattern *a, const struct placed_pattern *b)
{
	const struct placed_pattern *first = a->at < b->at ? a : b, *second = a->at < b->at ? b : a;
	struct diag *g = ex_error(ex, "settings", set->place_pattern[second->at].loc, "'%s' is placed on rank %lld, and on rank %lld",
	    path, (long long)first->rank, (long long)second->rank);

	diag_place(ex->d, g, set->place_pattern[first->at].loc, "it is placed on rank %lld here", (long long)first->rank);
	diag_help(ex->d, g, "a layer is on one rank: name it there alone");
}

/* Of the patterns that name a layer, those of the lowest and of the highest rank have the same. One
 * that does not is enough. */
static void
check_once(struct expander *ex, const struct settings *set)
{
	int n = set->nplace_patterns, at = 0, low, high, i, k;
	struct placed_pattern *placed = arena_array(ex->a, (size_t)n + 1, sizeof(*placed));
	struct pattern *up = arena_array(ex->a, (size_t)n + 1, sizeof(*up)), *down = arena_array(ex->a, (size_t)n + 1, sizeof(*down));
	struct path_set *lowest, *highest;

	for (i = 0; i < set->nplaces; i++)
		for (k = 0; k < set->place[i].patterns; k++, at++)
			placed[at] = (struct placed_pattern){ set->place[i].rank, at };
	qsort(placed, (size_t)n, sizeof(*placed), by_rank);
	for (i = 0; i < n; i++)
		up[i] = down[n - 1 - i] = set->place_pattern[placed[i].at];
	lowest = path_set_new(ex->a, up, n);
	highest = path_set_new(ex->a, down, n);
	for (i = 0; i < ex->m->forward->nodes.n; i++) {
		const char *path = ex->m->forward->nodes.v[i]->path;

		if ((low = path_set_first(lowest, path)) < 0)
			continue;
		high = n - 1 - path_set_first(highest, path);
		if (placed[low].rank != placed[high].rank) {
			is_on_two(ex, set, path, &placed[low], &placed[high]);
			return;
		}
	}
}

/* ---- all of them ---- */

void
places_read(struct expander *ex, const struct section *s, struct settings *set)
{
	int errors = ex->d->errors, i;

	set->place = arena_array(ex->a, s ? (size_t)s->nsettings + 1 : 1, sizeof(*set->place));
	for (i = 0; s && i < s->nsettings; i++) {
		const struct setting *st = &s->setting[i], *next = i + 1 < s->nsettings ? st + 1 : NULL;

		if (is_key(st, "place"))
			read_place(ex, st, next && is_key(next, "on") ? next : NULL, set);
		else if (is_key(st, "on") && (i == 0 || !is_key(st - 1, "place")))
			diag_help(ex->d, ex_error(ex, "settings", st->loc, "`on` says where the layers are that `place` names before it"),
			    "place stem, layer1 on 0");
	}
	if (set->nplaces)
		places_match(ex, set);
	if (set->nplaces && ex->d->errors == errors)
		check_once(ex, set);
	if (set->nplaces && ex->d->errors == errors && set->ranks != 1 && set->train && highest(set)->rank > 0)
		check_ranks(ex, set);
	if (settings_ranks(set) == 1 || ex->d->errors > errors)
		set->nplaces = 0;	/* one rank has all of them */
}
