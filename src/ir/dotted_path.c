/* Dotted paths: building them, and matching the patterns of freeze, recompute and no_decay. */
#include "ir/dotted_path.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"

const char *
path_join(struct arena *a, const char *x, const char *y)
{
	return *x ? arena_join(a, x, ".", y) : y;
}

const char *
path_number(struct arena *a, const char *x, int n)
{
	return *x ? arena_printf(a, "%s.%d", x, n) : arena_printf(a, "%d", n);
}

/* Segment by segment from the start of both: the length of what the pattern matches, or 0. */
static size_t
beginning(const char *pattern, const char *path)
{
	const char *start = path;

	for (;;) {
		size_t p = strcspn(pattern, "."), q = strcspn(path, ".");

		if (!(p == 1 && *pattern == '*') && (p != q || strncmp(pattern, path, p) != 0))
			return 0;
		path += q;
		if (!pattern[p])
			return (size_t)(path - start);
		if (!*path)
			return 0;
		pattern += p + 1;
		path++;
	}
}

size_t
path_match(const char *pattern, const char *path)
{
	const char *start = path;
	size_t n = beginning(pattern, path);

	if (n || strncmp(pattern, "*.", 2) != 0)
		return n;
	while ((path = strchr(path, '.'))) {
		path++;
		if ((n = beginning(pattern + 2, path)))
			return (size_t)(path - start) + n;
	}
	return 0;
}

bool
path_matches(const char *pattern, const char *path)
{
	return path_match(pattern, path) > 0;
}

/* ---- sets of patterns ---- */

/* Patterns that begin with the same segments share the steps of these: a tree. */
struct path_step {
	struct map child;	/* by segment */
	struct path_step *any;	/* "*"; NULL: none */
	int first;		/* the first pattern that ends here, plus 1; 0: none does */
	bool met;
};

struct path_steps {
	VEC(struct path_step *) all;
};

struct path_set {
	struct arena *a;
	struct path_step from_start, from_within;	/* the second: behind "*." */
	struct path_step **end;		/* by pattern */
	struct path_steps at, next;	/* while a path is matched */
	char *path;
	size_t room;
};

static struct path_step *
step_to(struct path_set *set, struct path_step *from, const char *segment)
{
	struct path_step *to = strcmp(segment, "*") == 0 ? from->any :
	    map_get(&from->child, segment);

	if (to)
		return to;
	to = ARENA_NEW(set->a, struct path_step);
	if (strcmp(segment, "*") == 0)
		from->any = to;
	else
		map_put(set->a, &from->child, segment, to);
	return to;
}

/* The first segment of S, ended with a NUL; *REST is what follows it, or NULL. */
static char *
segment(char *s, char **rest)
{
	char *dot = strchr(s, '.');

	if (dot)
		*dot = '\0';
	*rest = dot ? dot + 1 : NULL;
	return s;
}

struct path_set *
path_set_new(struct arena *a, const struct pattern *pattern, int n)
{
	struct path_set *set = ARENA_NEW(a, struct path_set);
	int i;

	set->a = a;
	set->end = arena_array(a, (size_t)n + 1, sizeof(*set->end));
	for (i = 0; i < n; i++) {
		bool within = strncmp(pattern[i].text, "*.", 2) == 0;
		struct path_step *s = within ? &set->from_within : &set->from_start;
		char *rest = arena_strdup(a, pattern[i].text + (within ? 2 : 0)), *word;

		while (rest) {
			word = segment(rest, &rest);
			s = step_to(set, s, word);
		}
		if (!s->first)
			s->first = i + 1;
		set->end[i] = s;
	}
	return set;
}

static void
follow(struct path_set *set, const struct path_step *from, const char *segment)
{
	struct path_step *to = map_get(&from->child, segment);

	if (to)
		vec_push(set->a, &set->next.all, to);
	if (from->any)
		vec_push(set->a, &set->next.all, from->any);
}

/* Takes one segment; returns the first pattern that ends with it, or BEST if that is before it. */
static int
take_segment(struct path_set *set, const char *segment, bool within, int best)
{
	const struct path_steps reached = set->next;
	int i;

	set->next = set->at;
	set->at = reached;
	set->next.all.n = 0;
	for (i = 0; i < set->at.all.n; i++)
		follow(set, set->at.all.v[i], segment);
	if (within)
		follow(set, &set->from_within, segment);
	for (i = 0; i < set->next.all.n; i++) {
		struct path_step *s = set->next.all.v[i];

		s->met = true;
		if (s->first && (best < 0 || s->first - 1 < best))
			best = s->first - 1;
	}
	return best;
}

int
path_set_first(struct path_set *set, const char *path)
{
	size_t n = strlen(path) + 1;
	int best = -1;
	char *rest, *word;

	if (n == 1)
		return -1;
	if (n > set->room) {
		set->room = 2 * n;
		set->path = arena_alloc(set->a, set->room);
	}
	rest = memcpy(set->path, path, n);
	set->next.all.n = 0;
	vec_push(set->a, &set->next.all, &set->from_start);
	while (rest) {
		word = segment(rest, &rest);
		best = take_segment(set, word, word > set->path, best);
	}
	return best;
}

bool
path_set_met(const struct path_set *set, int i)
{
	return set->end[i]->met;
}
