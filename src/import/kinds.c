/*
 * The parameters of a block: numbers that its segments do not have in common. One that is the same
 * as another in all of them, or as many times another, or as many as there are channels, is said
 * so.
 */
#include "import/writer.h"

#include <stdlib.h>
#include <string.h>

static struct step *
step_of(const struct writer *w, const struct segment *g, int step)
{
	return w->im->steps.v[g->first + step];
}

/* The attribute as a segment has it, by default or not. */
static const char *
value(struct writer *w, const struct segment *g, int step, int attr)
{
	const struct step *s = step_of(w, g, step);
	const struct attr_spec *spec = &s->op->attrs[attr];

	return !s->attr[attr].given ? spec->preset : attr_as_text(w->im->arena, spec, &s->attr[attr]);
}

static bool
is_whole(const char *s)
{
	return *s && s[strspn(s, "0123456789")] == '\0' && strlen(s) < 16;
}

/* How many times FROM is TO, in all segments alike; 0: it is not. */
static int64_t
ratio(struct writer *w, const struct kind *k, const struct hole *from, const struct hole *to)
{
	int64_t times = 0;
	int i;

	for (i = 0; i < k->all.n; i++) {
		const char *a = value(w, k->all.v[i], from->step, from->attr),
		    *b = value(w, k->all.v[i], to->step, to->attr);
		long long x, y;

		if (strcmp(a, b) == 0 && times <= 1) {
			times = 1;
			continue;
		}
		if (!is_whole(a) || !is_whole(b))
			return 0;
		x = atoll(a);
		y = atoll(b);
		if (x == 0 || y == 0 || y % x != 0 || (times && y / x != times))
			return 0;
		times = y / x;
	}
	return times;
}

static bool
is_channels(struct writer *w, const struct kind *k, const struct hole *h)
{
	int i;

	for (i = 0; i < k->all.n; i++) {
		const char *s = value(w, k->all.v[i], h->step, h->attr);
		const struct tensor *in = k->all.v[i]->in->t;

		if (!is_whole(s) || in->rank == 0 || atoll(s) != in->dim[0])
			return false;
	}
	return true;
}

/* The default of the operator, where segments have it too. */
static const char *
preset_of(struct writer *w, const struct kind *k, const struct hole *h)
{
	const char *preset = step_of(w, k->all.v[0], h->step)->op->attrs[h->attr].preset;
	int i;

	for (i = 0; preset && i < k->all.n; i++)
		if (strcmp(value(w, k->all.v[i], h->step, h->attr), preset) == 0)
			return preset;
	return NULL;
}

static void
say_hole(struct writer *w, struct kind *k, struct hole *h, struct map *words)
{
	struct arena *a = w->im->arena;
	const char *name = step_of(w, k->all.v[0], h->step)->op->attrs[h->attr].name;
	int i;
	int64_t times;

	for (i = 0; i < k->holes.n; i++) {
		if (!k->holes.v[i].own || !(times = ratio(w, k, &k->holes.v[i], h)))
			continue;
		h->text = times == 1 ? k->holes.v[i].text : arena_printf(a, "%lld * %s", (long long)times,
		    k->holes.v[i].text);
		return;
	}
	if (is_channels(w, k, h)) {
		h->text = "channels(in)";
		return;
	}
	h->own = true;
	h->preset = preset_of(w, k, h);
	h->text = word_fresh(a, words, name);
}

static void
find_holes(struct writer *w, struct kind *k, struct map *words)
{
	int step, attr, i;

	for (step = 0; step < k->all.v[0]->n; step++) {
		const struct step *s = step_of(w, k->all.v[0], step);

		for (attr = 0; attr < op_nattrs(s->op); attr++) {
			struct hole h = { .step = step, .attr = attr };
			const char *first = value(w, k->all.v[0], step, attr);

			for (i = 1; first && i < k->all.n; i++)
				if (strcmp(first, value(w, k->all.v[i], step, attr)) != 0)
					break;
			if (!first || i == k->all.n)
				continue;
			say_hole(w, k, &h, words);
			vec_push(w->im->arena, &k->holes, h);
		}
	}
}

static void
find_labels(struct writer *w, struct kind *k, struct map *words)
{
	struct arena *a = w->im->arena;
	int step, i;

	k->label = arena_array(a, (size_t)k->all.v[0]->n, sizeof(*k->label));
	for (step = 0; step < k->all.v[0]->n; step++) {
		const char *label = step_label(a, step_of(w, k->all.v[0], step), k->all.v[0]->prefix), *other;

		for (i = 1; label && i < k->all.n; i++) {
			other = step_label(a, step_of(w, k->all.v[i], step), k->all.v[i]->prefix);
			if (!other || strcmp(label, other) != 0)
				label = NULL;
		}
		if (label && !map_get(words, label)) {
			map_put(a, words, label, (void *)"");
			k->label[step] = label;
		}
	}
}

/* "bottleneck" of the module that made it, "layer" of layer1.0; else what it does. */
static const char *
name_of(struct writer *w, const struct kind *k)
{
	struct arena *a = w->im->arena;
	const struct segment *g = k->all.v[0];
	const struct step *last = step_of(w, g, g->n - 1);
	const char *s;
	char *name, *c;
	int i;

	for (i = g->n - 1; i >= 0; i--) {
		last = step_of(w, g, i);
		if (last->made_by && last->nin > 1)
			break;
	}
	if (i >= 0 && last->made_by && strcmp(last->made_by, "Sequential") != 0) {
		struct text t;

		text_init(&t, a);
		for (s = last->made_by; *s; s++)	/* BasicBlock: basic_block */
			text_printf(&t, "%s%c", s > last->made_by && *s >= 'A' && *s <= 'Z' && s[-1] >= 'a' ? "_" : "",
			    *s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
		return t.s ? t.s : "piece";
	}
	name = arena_strdup(a, *g->group ? g->group : "piece");
	for (c = name + strlen(name); c > name && ((c[-1] >= '0' && c[-1] <= '9') || c[-1] == '_'); )
		*--c = '\0';
	if (*name && word_is_free(name))
		return name;
	last = step_of(w, g, g->n - 1);
	return last->nin == 2 && strcmp(last->op->name, "add") == 0 ? "residual" : "piece";
}

void
kinds_number(struct writer *w)
{
	int i;

	for (i = 0; i < w->kinds.n; i++) {
		struct kind *k = w->kinds.v[i];
		struct map words = { 0 };

		if (k->all.n < 2)
			continue;
		map_put(w->im->arena, &words, "main", (void *)"");	/* the names of body.c */
		map_put(w->im->arena, &words, "skip", (void *)"");
		map_put(w->im->arena, &words, "side", (void *)"");
		map_put(w->im->arena, &words, "part", (void *)"");
		find_labels(w, k, &words);
		find_holes(w, k, &words);
		k->name = word_fresh(w->im->arena, &w->words, name_of(w, k));
	}
}
