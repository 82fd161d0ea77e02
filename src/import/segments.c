/*
 * Where a network can be cut, and which of its pieces are alike. A cut is a place between two steps
 * at which one value alone is still to be read, so a chain is cut at each layer, and a residual
 * block is a piece. Two pieces are of one kind if their texts are the same but for numbers. All of
 * it is linear in the number of steps.
 */
#include "import/writer.h"

#include <string.h>

/* How many values a step is still to read that others made before it, input included. */
static void
cut(struct writer *w)
{
	struct importer *im = w->im;
	int *left = arena_array(im->arena, (size_t)im->steps.n + 1, sizeof(*left));
	int i, k, first = 0, alive = 0;
	struct val *in = im->inputs.n > 0 ? im->inputs.v[0] : NULL;
	struct map inputs = { 0 };

	for (i = 0; i < im->steps.n; i++) {
		struct step *s = im->steps.v[i];

		for (k = 0; k < s->nin; k++) {
			int *n = s->in[k]->def ? &left[s->in[k]->def->number] : map_get(&inputs, s->in[k]->name);

			if (!n) {	/* an input is alive from its first reader on */
				n = ARENA_NEW(im->arena, int);
				*n = s->in[k]->uses;
				map_put(im->arena, &inputs, s->in[k]->name, n);
				alive++;
			}
			if (--*n == 0)
				alive--;
		}
		left[i] = s->out->uses;
		alive += left[i] > 0;
		/* constants that stand before the input is read are no part by themselves */
		if (alive == 1 && left[i] > 0 && map_get(&inputs, im->inputs.v[0]->name)) {
			struct segment *g = ARENA_NEW(im->arena, struct segment);

			*g = (struct segment){ .first = first, .n = i + 1 - first, .in = in, .out = s->out };
			vec_push(im->arena, &w->segments, g);
			first = i + 1;
			in = s->out;
		}
	}
	if (first < im->steps.n) {	/* several results */
		struct segment *g = ARENA_NEW(im->arena, struct segment);

		*g = (struct segment){ .first = first, .n = im->steps.n - first, .in = in,
			.out = im->steps.v[im->steps.n - 1]->out };
		vec_push(im->arena, &w->segments, g);
	}
}

static bool
is_closed(const struct writer *w, const struct segment *g)
{
	int i, k;

	for (i = g->first; i < g->first + g->n; i++) {
		const struct step *s = w->im->steps.v[i];

		if (s->tie || s->again || s->label)	/* what is named in the network stands there */
			return false;
		for (k = 0; k < s->nin; k++)
			if (s->in[k] != g->in && !(s->in[k]->def && s->in[k]->def->number >= g->first))
				return false;
		/* what is read after the segment is its result alone */
		if (s->out != g->out && s->out->uses == 0)
			return false;
	}
	return true;
}

/* What the places of all layers with weights begin with. */
static void
find_prefix(struct writer *w, struct segment *g)
{
	struct arena *a = w->im->arena;
	const char *common = NULL, *dot;
	int i;
	size_t n;

	for (i = g->first; i < g->first + g->n; i++) {
		const struct step *s = w->im->steps.v[i];

		if (s->nweights == 0 || !*s->path)
			continue;
		if (!common) {
			dot = strrchr(s->path, '.');
			common = dot ? arena_strndup(a, s->path, (size_t)(dot - s->path)) : "";
			continue;
		}
		n = strlen(common);
		while (n > 0 && (strncmp(s->path, common, n) != 0 || s->path[n] != '.')) {
			common = arena_strndup(a, common, n);
			dot = strrchr(common, '.');
			n = dot ? (size_t)(dot - common) : 0;
		}
		common = arena_strndup(a, common, n);
	}
	g->prefix = common ? common : "";
	g->group = arena_strndup(a, g->prefix, strcspn(g->prefix, "."));
}

static const char *
shape_of(struct writer *w, struct segment *g)
{
	struct map words = { 0 };
	struct body b = { .w = w, .s = g, .numbers = NUMBERS_LEFT_OUT, .words = &words, .indent = "" };
	struct text t;
	const char *was = g->in->word;
	int i;

	text_init(&t, w->im->arena);
	g->in->word = "in";
	body_write(&b, &t, "out");
	g->in->word = was;
	for (i = 0; i < b.named.n; i++)
		b.named.v[i]->word = NULL;
	return t.s ? t.s : "";
}

/* The same for segments of one kind alone: their texts, and each step by its number, since holes and labels are by these. The same
   text may come of steps in another order. */
static const char *
key_of(struct writer *w, const struct segment *g)
{
	struct text t;
	int i, k;

	text_init(&t, w->im->arena);
	text_puts(&t, g->shape);
	for (i = g->first; i < g->first + g->n; i++) {
		const struct step *s = w->im->steps.v[i];

		text_printf(&t, "\n%s", s->op->name);
		for (k = 0; k < s->nin; k++)
			text_printf(&t, " %d", s->in[k] == g->in ? -1 : s->in[k]->def->number - g->first);
	}
	return t.s;
}

void
segments_find(struct writer *w)
{
	struct arena *a = w->im->arena;
	struct map kinds = { 0 };
	int i;

	cut(w);
	for (i = 0; i < w->segments.n; i++) {
		struct segment *g = w->segments.v[i];
		const char *key;
		struct kind *k;

		find_prefix(w, g);
		g->closed = is_closed(w, g);
		if (!g->closed || g->n < 3)
			continue;
		g->shape = shape_of(w, g);
		key = key_of(w, g);
		k = map_get(&kinds, key);
		if (!k) {
			k = ARENA_NEW(a, struct kind);
			k->shape = g->shape;
			map_put(a, &kinds, key, k);
			vec_push(a, &w->kinds, k);
		}
		vec_push(a, &k->all, g);
		g->kind = k;
	}
	for (i = 0; i < w->segments.n; i++)	/* one of a kind is said where it stands */
		if (w->segments.v[i]->kind && w->segments.v[i]->kind->all.n < 2)
			w->segments.v[i]->kind = NULL;
	kinds_number(w);
}
