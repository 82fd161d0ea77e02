/*
 * no-downsampling: wide convolutions at the resolution of large images. Maps count that are alive
 * at the plan's peak and have nine tenths or more of the positions of the largest input: a network
 * that pads or crops a little has not downsampled. Cures are written into the spec and planned.
 */
#include "rulekit/edited_spec.h"
#include "rulekit/graph_query.h"
#include "rulekit/measure.h"

#include <string.h>

#include "fit/advice.h"

#define SMALLEST_PICTURE	(256 * 256)
#define SMALLEST_SUM		((int64_t)1 << 30)	/* of one sample: no batch is too small */
#define SHARE_OF_ARENA		2	/* they take one part in so many, or more */
#define FEWEST_CHANNELS		16

static int64_t
positions(const struct tensor *t)
{
	return t->rank == 3 ? t->dim[1] * t->dim[2] : 0;
}

static const struct tensor *
largest_picture(const struct graph *g)
{
	const struct tensor *most = NULL;
	int i;

	for (i = 0; i < g->inputs.n; i++) {
		const struct tensor *t = g->inputs.v[i];

		if (t->kind == T_INPUT && (!most || positions(t) > positions(most)))
			most = t;
	}
	return most;
}

struct maps {
	int n;
	int64_t bytes;
	const struct node *wide;	/* the first wide convolution among them */
};

static bool
is_large(const struct tensor *t, const struct tensor *picture)
{
	return positions(t) >= positions(picture) - positions(picture) / 10;
}

static struct maps
find_maps(const struct module *m, const struct tensor *picture)
{
	const struct plan *p = m->plan;
	struct maps maps = { 0 };
	int i;

	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (b->persistent || b->first > p->peak || b->last < p->peak ||
		    b->root->kind == T_WORKSPACE || b->root->kind == T_INPUT ||
		    b->root->kind == T_TARGET || !is_large(b->root, picture))
			continue;
		maps.n++;
		maps.bytes += b->bytes;
	}
	for (i = 0; !maps.wide && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		if (node_is(n, "conv") && n->out[0]->rank == 3 &&
		    n->out[0]->dim[0] >= FEWEST_CHANNELS && is_large(n->out[0], picture))
			maps.wide = n;
	}
	return maps;
}

/* maxpool(2) before the first wide convolution; ENLARGED, and what the loss reads as large
 * again. */
static struct module *
at_half(struct lint *l, const struct node *wide, bool enlarged)
{
	struct amend m;

	edited_begin(l, &m);
	if (!edited_before(l, &m, wide->loc, "maxpool(2)") ||
	    (enlarged && !edited_results(l, &m, "upsample(2)")))
		return NULL;
	return edited_plan(l, &m);
}

/* Pictures of half the sides, as `stowage fit` advises them. */
static struct module *
with_small_pictures(struct lint *l, const char **title)
{
	struct advisor v = { .arena = l->module->arena, .module = l->module, .file = l->file,
		.options = l->options };
	const struct advice_kind *k;
	struct amend m;
	int64_t *value;
	int n;

	for (k = advice_kinds; k->name && strcmp(k->name, "resize") != 0; k++)
		;
	value = k->name ? k->values(&v, &n) : NULL;
	edited_begin(l, &m);
	if (!value || n == 0 || !k->amend(&v, &m, value[0]))
		return NULL;
	*title = k->title(&v, value[0]);
	return edited_plan(l, &m);
}

static void
tell_cures(struct lint *l, struct diag *g, const struct maps *maps)
{
	const char *title = NULL;
	struct module *half = at_half(l, maps->wide, false), *small;
	bool enlarged = !half;

	if (enlarged)
		half = at_half(l, maps->wide, true);
	measure_saving(l, g, half, "maxpool(2) before it%s", enlarged ?
	    ", and upsample(2) before the loss," : "");
	small = with_small_pictures(l, &title);
	measure_saving(l, g, small, "the same on %s", title ? title : "");
	if (!half && !small)
		diag_help(l->diags, g, "stride=2 here, or maxpool(2) before, leaves a quarter of "
		    "those maps: about %s less (an estimate)", lint_human(l->module->arena,
		    maps->bytes - maps->bytes / 4));
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct tensor *picture = m->train ? largest_picture(m->train) : NULL, *t;
	struct maps maps;
	int64_t one;
	struct diag *g;

	if (!picture || positions(picture) < SMALLEST_PICTURE)
		return;
	maps = find_maps(m, picture);
	if (!maps.wide || maps.bytes / m->plan->batch < SMALLEST_SUM ||
	    maps.bytes < m->plan->arena_bytes / SHARE_OF_ARENA)
		return;
	t = maps.wide->out[0];
	one = affine_at(tensor_bytes(t), 1);
	g = lint_report(l, rule, maps.wide->loc, "'%s' makes %lld channels at the full resolution "
	    "of %lldx%lld: %s a map and sample", maps.wide->path, (long long)t->dim[0],
	    (long long)t->dim[1], (long long)t->dim[2], lint_human(m->arena, one));
	diag_fact(l->diags, g, "%d maps of that resolution are alive at the peak: %s B, %.0f %% of "
	    "the arena; grows with B·C·H·W", maps.n, lint_commas(m->arena, maps.bytes),
	    100 * (double)maps.bytes / (double)m->plan->arena_bytes);
	tell_cures(l, g, &maps);
}

/* What is alive at the whole plan's peak, or a copy that is made again of it, is among all maps
 * here. */
static bool
may_find(const struct module *m)
{
	const struct tensor *picture = m->train ? largest_picture(m->train) : NULL;
	int64_t bytes = 0;
	int i;

	if (!picture || positions(picture) < SMALLEST_PICTURE)
		return false;
	for (i = 0; i < m->plan->buffers.n; i++)
		if (is_large(m->plan->buffers.v[i].root, picture))
			bytes += m->plan->buffers.v[i].bytes;
	return bytes / m->plan->batch >= SMALLEST_SUM;
}

const struct rule rule_no_downsampling = {
	.id = "SW106",
	.name = "no-downsampling",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "wide convolutions at the full resolution of large pictures",
	.doc = "A convolution to C channels without pooling or stride before it makes e B C H W "
	    "bytes, and most such maps are kept for backward: 64 channels at 1400x2100 are 718 "
	    "MiB a sample and map. Parameters do not tell: the same layer after one maxpool(2) "
	    "has as many and takes a quarter.\n\n"
	    "Reported for pictures of 65,536 positions or more, where maps of nine tenths or more "
	    "of their resolution, alive at the peak, are 1 GiB a sample or more, and half of the "
	    "arena.\n\n"
	    "Begin with a stride of 2, as ResNet does, or scale pictures down before; where every "
	    "pixel wants an answer, work at a half and upsample the last map, or train on crops. "
	    "Channels of the input hardly matter: greyscale shrinks only the input and the first "
	    "kernel. Seen with a U-Net over pictures of clouds from satellites (specs/clouds.nn).",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
