/*
 * The spec's text. A definition for each part of the source ("layer1"), in which pieces follow one
 * another along the arrow, those that come again and again said once with their count; a block for
 * each kind of piece.
 */
#include "import/writer.h"

#include <string.h>

#define MOST_PERIOD	64	/* pieces in what is repeated */
#define LINE_WIDTH	96

struct unit {			/* what stands between two arrows */
	const char *text;	/* without its label */
	const char *label;
	bool named;		/* a layer that others are, or that is another: it stands by itself */
};

struct line {			/* a definition that is being made */
	struct writer *w;
	struct text *to;
	struct val *from;
	const char *group;
	VEC(struct unit) units;
	int made;		/* definitions so far */
};

static void
kind_write(struct writer *w, struct kind *k, struct text *to)
{
	struct arena *a = w->im->arena;
	struct segment *g = k->all.v[0];
	struct map words = { 0 };
	struct body b = { .w = w, .s = g, .numbers = NUMBERS_OF_KIND, .kind = k, .label = k->label, .words = &words,
		.indent = "  " };
	const char *was = g->in->word;
	int i, pass;
	bool any = false;

	for (i = 0; i < g->n; i++)
		if (k->label[i])
			map_put(a, &words, k->label[i], (void *)"");
	text_printf(to, "block %s", k->name);
	for (pass = 0; pass < 2; pass++)	/* those without a default come first */
		for (i = 0; i < k->holes.n; i++) {
			struct hole *h = &k->holes.v[i];

			if (!h->own || (pass == 0) == (h->preset != NULL))
				continue;
			if (!map_get(&words, h->text))
				map_put(a, &words, h->text, (void *)"");
			text_printf(to, "%s%s%s%s", any ? ", " : "(", h->text, h->preset ? "=" : "",
			    h->preset ? h->preset : "");
			any = true;
		}
	text_puts(to, any ? ") {\n" : " {\n");
	g->in->word = "in";
	body_write(&b, to, "out");
	g->in->word = was;
	for (i = 0; i < b.named.n; i++)
		b.named.v[i]->word = NULL;
	text_puts(to, "}\n\n");
}

/* The order in which a piece makes its layers, said or not. */
static void
take_order(struct writer *w, struct segment *g)
{
	struct map words = { 0 };
	struct body b = { .w = w, .s = g, .words = &words, .indent = "" };
	const char *was = g->in->word;
	struct text t;
	int i;

	text_init(&t, w->im->arena);
	g->in->word = "in";
	body_write(&b, &t, "out");
	g->in->word = was;
	for (i = 0; i < b.named.n; i++)
		b.named.v[i]->word = NULL;
	for (i = 0; i < b.order.n; i++)
		vec_push(w->im->arena, &w->order, b.order.v[i]);
}

/* "bottleneck(64, stride=2)": the block with the numbers of this piece. */
static const char *
use_of(struct writer *w, const struct segment *g)
{
	struct text t;
	int i, pass;
	bool any = false;

	text_init(&t, w->im->arena);
	text_puts(&t, g->kind->name);
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < g->kind->holes.n; i++) {
			const struct hole *h = &g->kind->holes.v[i];
			const struct step *s = w->im->steps.v[g->first + h->step];
			const struct attr_spec *spec = &s->op->attrs[h->attr];
			const char *v = s->attr[h->attr].given ? attr_as_text(w->im->arena, spec, &s->attr[h->attr]) :
			    spec->preset;

			if (!h->own || (pass == 0) == (h->preset != NULL) || (h->preset && strcmp(v, h->preset) == 0))
				continue;
			text_printf(&t, "%s%s%s%s", any ? ", " : "(", h->preset ? h->text : "", h->preset ? "=" : "", v);
			any = true;
		}
	text_puts(&t, any ? ")" : "");
	return t.s;
}

static bool
are_alike(const struct unit *a, const struct unit *b)
{
	return !a->named && !b->named && strcmp(a->text, b->text) == 0;
}

/* How many times the PERIOD units at AT stand there one after the other. */
static int
times(const struct line *l, int at, int period, int end)
{
	int n = 1, i;

	while (at + (n + 1) * period <= end) {
		for (i = 0; i < period; i++)
			if (!are_alike(&l->units.v[at + i], &l->units.v[at + n * period + i]))
				return n;
		n++;
	}
	return n;
}

static void
put_arrow(struct text *to, size_t *line_from, size_t width)
{
	if (to->n - *line_from + width > LINE_WIDTH) {
		text_puts(to, "\n     ");
		*line_from = to->n - 5;
	}
	text_puts(to, " -> ");
}

static void units_write(struct line *, struct text *, int at, int end, bool labels, size_t *line_from, bool first);

/* The most units that a repetition from here on can say. */
static int
best_period(const struct line *l, int at, int end, int *count)
{
	int p, best = 0, n;

	*count = 1;
	for (p = 1; p <= MOST_PERIOD && at + 2 * p <= end; p++) {
		n = times(l, at, p, end);
		if (n > 1 && (best == 0 || n * p > *count * best)) {
			best = p;
			*count = n;
		}
	}
	return best;
}

static void
units_write(struct line *l, struct text *to, int at, int end, bool labels, size_t *line_from, bool first)
{
	int count, period;

	while (at < end) {
		const struct unit *u = &l->units.v[at];
		struct text one;

		text_init(&one, l->w->im->arena);
		period = best_period(l, at, end, &count);
		if (period == 1) {
			text_printf(&one, "%d * %s", count, u->text);
		} else if (period > 1) {
			size_t none = 0;

			text_printf(&one, "%d * (", count);
			units_write(l, &one, at, at + period, false, &none, true);
			text_puts(&one, ")");
		} else
			text_printf(&one, "%s%s%s", labels && u->label ? u->label : "", labels && u->label ? ": " : "",
			    u->text);
		if (!first)
			put_arrow(to, line_from, one.n + 4);
		text_puts(to, one.s);
		first = false;
		at += period ? period * count : 1;
	}
}

static void
line_end(struct line *l, struct val *out, const char *word)
{
	size_t from = l->to->n;

	if (l->units.n == 0)
		return;
	text_printf(l->to, "  %s = %s", word, l->from->word);
	units_write(l, l->to, 0, l->units.n, true, &from, false);
	text_puts(l->to, "\n");
	out->word = word;
	l->from = out;
	l->units.n = 0;
	l->made++;
}

static const char *
line_word(struct line *l)
{
	const char *base = *l->group ? l->group : l->made == 0 ? "stem" : "part";

	return word_fresh(l->w->im->arena, &l->w->words, base);
}

static bool
has_weights(const struct writer *w, const struct segment *g)
{
	int i;

	for (i = g->first; i < g->first + g->n; i++)
		if (w->im->steps.v[i]->nweights > 0)
			return true;
	return false;
}

/* A piece that no arrow can say: its statements stand by themselves. */
static void
statements(struct line *l, struct segment *g, const char *word)
{
	struct arena *a = l->w->im->arena;
	const char **label = arena_array(a, (size_t)g->n + 1, sizeof(*label));
	struct body b = { .w = l->w, .s = g, .network = true, .words = &l->w->words, .indent = "  ", .label = label };
	int i;

	for (i = 0; i < g->n; i++) {
		const char *s = step_label(a, l->w->im->steps.v[g->first + i], "");

		if (s && !map_get(&l->w->words, s)) {
			map_put(a, &l->w->words, s, (void *)"");
			label[i] = s;
		}
	}
	body_write(&b, l->to, word);
	l->from = g->out;
	l->made++;
}

static void
add_unit(struct line *l, struct segment *g)
{
	struct writer *w = l->w;
	struct step *s = w->im->steps.v[g->first];
	struct body b = { .w = w, .s = g };
	struct unit u = { NULL, NULL, false };

	if (g->kind) {
		u.text = use_of(w, g);
	} else {
		u.text = step_text(&b, s);
		u.named = s->label || s->again || s->tie;
		u.label = s->again ? NULL : s->label ? s->label : step_label(w->im->arena, s, "");
		if (u.label && !s->label && map_get(&w->words, u.label))
			u.label = NULL;
		if (u.label && !s->label)
			map_put(w->im->arena, &w->words, u.label, (void *)"");
	}
	vec_push(w->im->arena, &l->units, u);
}

static void
network_body(struct writer *w, struct text *to, const char *last)
{
	struct line l = { .w = w, .to = to, .group = "", .from = w->im->inputs.v[0] };
	int i;

	for (i = 0; i < w->segments.n; i++) {
		struct segment *g = w->segments.v[i];
		const struct step *s = w->im->steps.v[g->first];
		struct val *before = i > 0 ? w->segments.v[i - 1]->out : l.from;
		bool chain = g->n == 1 && s->nin == 1 && s->in[0] == before && !s->part, end = i == w->segments.n - 1;

		if (has_weights(w, g) && strcmp(g->group, l.group) != 0) {
			line_end(&l, before, l.units.n ? line_word(&l) : "");
			l.group = g->group;
		}
		take_order(w, g);
		if (chain || (g->kind && g->in == before)) {
			add_unit(&l, g);
			if (end || g->out->wanted)
				line_end(&l, g->out, end ? last : g->out->wanted);
			continue;
		}
		line_end(&l, before, l.units.n ? line_word(&l) : "");
		if (g->n == 1 && s->part && s->in[0]->word && !end && !g->out->wanted) {	/* which needs no other name */
			g->out->word = arena_join(w->im->arena, s->in[0]->word, ".", s->part);
			l.from = g->out;
		} else
			statements(&l, g, end ? last : g->out->wanted ? g->out->wanted : line_word(&l));
	}
}

static const char *
type_text(struct importer *im, const struct val *v)
{
	struct text t;
	int i;

	text_init(&t, im->arena);
	if (v->t->dtype == DT_I32 && v->t->rank == 0)
		return arena_printf(im->arena, "class[%d]", v->range ? v->range : 1);
	if (v->t->dtype == DT_I32) {
		text_puts(&t, "tokens[");
		for (i = 0; i < v->t->rank; i++)
			text_printf(&t, "%lld, ", (long long)v->t->dim[i]);
		text_printf(&t, "vocab=%d]", v->range ? v->range : 1);
		return t.s;
	}
	text_puts(&t, v->bytes ? "u8[" : "f32[");
	for (i = 0; i < v->t->rank; i++)
		text_printf(&t, "%s%lld", i ? ", " : "", (long long)v->t->dim[i]);
	text_puts(&t, "]");
	return t.s;
}

/* The axis of classes: the first of maps, and of sequences the last, unless the model says
 * otherwise. */
int
spec_classes(const struct importer *im)
{
	return im->outputs.v[0]->t->rank == 2 && !im->classes_first ? 1 : 0;
}

/* Are they one row of numbers, or one for each of a sequence of tokens? */
static bool
scores_of_classes(const struct importer *im)
{
	const struct tensor *t = im->outputs.v[0]->t;
	bool rows = t->rank == 1 || (t->rank == 2 && im->inputs.v[0]->t->dtype == DT_I32);

	return rows && t->dim[spec_classes(im)] > 1;
}

/* What the network is to learn, from the shape of what comes out; or as --loss says. */
const char *
spec_loss(struct importer *im)
{
	if (im->untrained)
		return "none";
	if (im->options->loss)
		return im->options->loss;
	if (im->predicted)
		return "none";
	if (im->compiled_loss)
		return im->compiled_loss;
	return scores_of_classes(im) ? "cross_entropy" : "mse";
}

static bool
by_classes(const char *loss)
{
	return strcmp(loss, "cross_entropy") == 0;
}

static void
target_write(struct importer *im, struct text *to, const struct tensor *t, const char *loss, const char *word)
{
	int i, k = 0;

	if (by_classes(loss)) {
		int axis = spec_classes(im);

		if (axis > 0 && t->dim[0] == t->dim[1]) {	/* class[K, d] would have them on the first */
			text_printf(to, "  target %s : tokens[%lld, vocab=%lld]\n", word, (long long)t->dim[0], (long long)t->dim[1]);
			return;
		}
		text_printf(to, "  target %s : class[%lld", word, (long long)t->dim[axis]);
		for (i = 0; i < t->rank; i++)
			if (i != axis)
				text_printf(to, ", %lld", (long long)t->dim[i]);
		text_puts(to, "]\n");
		return;
	}
	text_printf(to, "  target %s : f32[", word);
	for (i = 0; i < t->rank; i++)
		text_printf(to, "%s%lld", k++ ? ", " : "", (long long)t->dim[i]);
	text_puts(to, "]\n");
}

static void
head(struct importer *im, struct text *to)
{
	const char *slash = strrchr(im->model->path, '/');
	char parameters[SIZE_TEXT];

	text_printf(to, "# %s, imported from %s%s%s%s. %s parameters", im->result->name,
	    slash ? slash + 1 : im->model->path, *im->model->producer ? " (" : "", im->model->producer,
	    *im->model->producer ? ")" : "", size_commas(parameters, im->result->parameters));
	text_puts(to, ".\n");
}

/* The files of std/ whose blocks there are. */
static void
uses(struct importer *im, struct text *to)
{
	struct map used = { 0 };
	int i;

	for (i = 0; i < im->steps.n; i++) {
		const char *file = std_file(im->steps.v[i]->op);

		if (!file || map_get(&used, file))
			continue;
		map_put(im->arena, &used, file, (void *)"");
		text_printf(to, "use \"%s\"\n", file);
	}
}

static void
validation(struct importer *im, struct text *to)
{
	int i, first = im->predicted ? 0 : 1;

	if (im->outputs.n == first)
		return;
	text_puts(to, "validate {\n  predict ");
	for (i = first; i < im->outputs.n; i++)
		text_printf(to, "%s%s", i > first ? ", " : "", im->outputs.v[i]->wanted);
	text_puts(to, "\n  data    synthetic(samples=320)  # in place of your own\n}\n");
}

static void
settings(struct importer *im, struct text *to)
{
	int i;

	text_printf(to, "train {\n  batch     32\n  optimizer %s\n", im->model->compiled.optimizer ? im->model->compiled.optimizer :
	    "adamw(lr=1e-3)");
	for (i = 0; i < im->freeze.n; i++)
		text_printf(to, "%s%s", i ? ",\n            " : "  freeze    ", im->freeze.v[i]);
	text_printf(to, "%s  data      synthetic(samples=3200)  # in place of your own\n}\n", i ? "\n" : "");
}

static void
results(struct text *to, const char *loss, const char *word, const char *target)
{
	text_printf(to, "\n  loss   %s(%s, %s)\n", loss, word, target);
	if (by_classes(loss))
		text_printf(to, "  metric accuracy(%s, %s)\n", word, target);
}

/* Layers whose weights others have are named in the network, by the end of their place in the
 * source. */
static void
name_shared(struct writer *w)
{
	int i;

	for (i = 0; i < w->im->steps.n; i++) {
		struct step *s = w->im->steps.v[i];
		const char *dot = strrchr(s->path, '.');

		if (s->label)
			s->label = word_fresh(w->im->arena, &w->words, *s->path ? dot ? dot + 1 : s->path : "table");
	}
}

void
write_spec(struct importer *im)
{
	struct arena *a = im->arena;
	struct writer w = { .im = im };
	struct val *out = im->outputs.v[0];
	const char *loss = spec_loss(im), *target;
	struct text t, body;
	int i;

	im->result->order.n = 0;
	for (i = 0; i < im->steps.n; i++)
		im->steps.v[i]->out->word = NULL;
	text_init(&t, a);
	text_init(&body, a);
	map_put(a, &w.words, im->result->name, (void *)"");
	for (i = 0; i < im->inputs.n; i++)
		im->inputs.v[i]->word = word_fresh(a, &w.words, im->inputs.v[i]->name);
	target = word_fresh(a, &w.words, by_classes(loss) ? "label" : "wanted");
	for (i = 0; i < im->outputs.n; i++)
		im->outputs.v[i]->wanted = word_fresh(a, &w.words, i == 0 && by_classes(loss) ? "logits" :
		    im->outputs.n > 1 || im->predicted ? im->outputs.v[i]->output : out->name);
	name_shared(&w);
	segments_find(&w);
	head(im, &t);
	uses(im, &t);
	for (i = 0; i < w.kinds.n; i++)
		if (w.kinds.v[i]->all.n > 1) {
			if (i == 0 || !strchr(t.s, '}'))
				text_puts(&t, "\n");
			kind_write(&w, w.kinds.v[i], &t);
		}
	network_body(&w, &body, im->steps.v[im->steps.n - 1]->out->wanted);
	text_printf(&t, "network %s {\n", im->result->name);
	for (i = 0; i < im->inputs.n; i++)
		text_printf(&t, "  input  %s : %s\n", im->inputs.v[i]->word, type_text(im, im->inputs.v[i]));
	if (strcmp(loss, "none") != 0)
		target_write(im, &t, out->t, loss, target);
	text_puts(&t, "\n");
	text_puts(&t, body.s ? body.s : "");
	if (strcmp(loss, "none") != 0)
		results(&t, loss, out->wanted, target);
	text_puts(&t, "}\n");
	if (strcmp(loss, "none") != 0)
		settings(im, &t);
	validation(im, &t);
	im->result->spec = source_from_text(a, im->model->path, t.s, t.n);
	for (i = 0; i < w.order.n; i++)
		vec_push(a, &im->result->order, w.order.v[i]);
}
