/*
 * Freezing a prefix: nothing of the first k layers is kept for backward, nor is there a gradient or
 * optimizer state for them. Where to cut is chosen where the network's own names do: the layers
 * before the cut must be named by a few paths that name none behind it.
 *
 *     stem.conv  layer1.0.main.conv  layer1.0.main.conv_2 | layer2.0.main.conv ...   stem, layer1
 */
#include "fit/advice_kinds.h"

#include <string.h>

#include "base/map.h"
#include "ir/dotted_path.h"

#define MOST_LAYERS	2000
#define MOST_CUTS	24
#define ENOUGH_CUTS	4
#define MOST_PATTERNS	4

struct layers {
	VEC(const char *) path;	/* those with parameters, in the order in which they run */
	VEC(bool) frozen;
	struct map last;	/* by the beginning of a path: where in PATH the last layer is that it names */
};

static bool
seen_before(const struct layers *l, const char *path)
{
	int i, n = l->path.n;

	for (i = n - 1; i >= 0 && i >= n - 8; i--)	/* a layer's parameters come together */
		if (strcmp(l->path.v[i], path) == 0)
			return true;
	return false;
}

/* Notes, for every beginning of a path, the last layer that it names: each cut asks whether one
 * lies behind it. */
static void
find_last(struct arena *a, struct layers *l)
{
	int i;

	for (i = 0; i < l->path.n; i++) {
		const char *path = l->path.v[i], *end = path;

		while (*end) {
			const char *pattern;

			end += strcspn(end, ".");
			pattern = arena_strndup(a, path, (size_t)(end - path));
			if (map_get(&l->last, pattern))
				map_set(&l->last, pattern, &l->path.v[i]);
			else
				map_put(a, &l->last, pattern, &l->path.v[i]);
			end += *end == '.';
		}
	}
}

static void
find_layers(const struct advisor *v, struct layers *l)
{
	const struct graph *g = v->module->forward;
	int i, j;

	for (i = 0; i < g->nodes.n; i++)
		for (j = 0; j < g->nodes.v[i]->nin && l->path.n < MOST_LAYERS; j++) {
			const struct tensor *t = g->nodes.v[i]->in[j];
			const char *dot = t && t->kind == T_PARAM ? strrchr(t->name, '.') : NULL;
			const char *path = dot ? arena_strndup(v->arena, t->name,
			    (size_t)(dot - t->name)) : NULL;

			if (!path || seen_before(l, path))
				continue;
			vec_push(v->arena, &l->path, path);
			vec_push(v->arena, &l->frozen, t->frozen);
		}
	find_last(v->arena, l);
}

/* The shortest beginning of layer I's path that names no layer from K on; NULL: there is none. */
static const char *
pattern_for(struct arena *a, const struct layers *l, int i, int k)
{
	const char *path = l->path.v[i], *end = path;

	while (*end) {
		const char *pattern, **last;

		end += strcspn(end, ".");
		pattern = arena_strndup(a, path, (size_t)(end - path));
		last = map_get(&l->last, pattern);
		if (last - l->path.v < k)
			return pattern;
		end += *end == '.';
	}
	return NULL;
}

/* The patterns that freeze the layers before K and no others; how many, 0 when too many. */
static int
patterns_before(struct arena *a, const struct layers *l, int k, const char *out[MOST_PATTERNS])
{
	int i, j, n = 0;

	for (i = 0; i < k; i++) {
		for (j = 0; j < n && !path_matches(out[j], l->path.v[i]); j++)
			;
		if (j < n || l->frozen.v[i])
			continue;
		if (n == MOST_PATTERNS || !(out[n] = pattern_for(a, l, i, k)))
			return 0;
		n++;
	}
	return n;
}

/* How many segments two paths share at their start. */
static int
common(const char *a, const char *b)
{
	int n = 0;

	for (; *a && *a == *b; a++, b++)
		n += *a == '.';
	return n + (!*a && !*b);
}

int64_t *
freeze_values(struct advisor *v, int *n)
{
	struct layers l = { .path.n = 0 };
	const char *pattern[MOST_PATTERNS];
	VEC(int64_t) cut = { NULL, 0, 0 };
	int k, depth;

	*n = 0;
	if (!v->module->train)
		return NULL;
	find_layers(v, &l);
	/* the shallowest level of names that leaves a choice */
	for (depth = 0; depth < 8 && cut.n < ENOUGH_CUTS; depth++)
		for (cut.n = 0, k = 1; k < l.path.n && cut.n < MOST_CUTS; k++)
			if (common(l.path.v[k - 1], l.path.v[k]) <= depth &&
			    patterns_before(v->arena, &l, k, pattern) > 0)
				vec_push(v->arena, &cut, k);
	*n = cut.n;
	return cut.v;
}

/* "stem, layer1"; a path that is no word of the language in quotes. */
static const char *
frozen_text(struct advisor *v, int64_t k)
{
	struct layers l = { .path.n = 0 };
	const char *pattern[MOST_PATTERNS];
	struct text t;
	int i, n;

	find_layers(v, &l);
	n = patterns_before(v->arena, &l, (int)k, pattern);
	text_init(&t, v->arena);
	for (i = 0; i < n; i++) {
		const char *quote = *pattern[i] >= '0' && *pattern[i] <= '9' ? "\"" : "";

		text_printf(&t, "%s%s%s%s", i ? ", " : "", quote, pattern[i], quote);
	}
	return t.s;
}

bool
freeze_amend(struct advisor *v, struct amend *m, int64_t value)
{
	return amend_append(m, SEC_TRAIN, "freeze", frozen_text(v, value));
}

const char *
freeze_title(struct advisor *v, int64_t value)
{
	return arena_printf(v->arena, "freeze %s", frozen_text(v, value));
}

const char *
freeze_note(struct advisor *v, int64_t value)
{
	(void)v, (void)value;
	return "only for layers whose weights are trained already (the program's --weights)";
}
