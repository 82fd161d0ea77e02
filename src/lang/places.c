/*
 * Layers that are placed on ranks, which then are the stages of a pipeline:
 *
 *     place stem, layer1 on 0
 *     place layer2 on 1
 *
 * What is not named is where the last of what it reads is (passes/borders.c).
 */
#include "lang/expander.h"

#include <string.h>

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

static bool
splits(const struct graph *g)
{
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (split_is_said(g->nodes.v[i]))
			return true;
	return false;
}

/* What does not go with stages yet, or never; NULL: nothing. */
static const char *
at_odds(const struct expander *ex, const struct settings *set)
{
	return set->shard != SHARD_NONE ? "shard: no other rank has the same parameters" :
	    splits(ex->m->forward) ? "split=ranks yet: a layer is of one rank, or of all of them" :
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
	if (set->nplaces && ex->d->errors == errors && set->ranks != 1 && set->train && highest(set)->rank > 0)
		check_ranks(ex, set);
	if (settings_ranks(set) == 1 || ex->d->errors > errors)
		set->nplaces = 0;	/* one rank has all of them */
}
