/*
 * What whole plans say of a document: bytes of its layers and networks. Layers are known by the
 * byte at which their operator's name, or their label, stands, uses of blocks by that of the
 * block's name; what is made several times is summed up.
 *
 * A shape is { text, dtype, batched, varies }: the first one's, and whether another differs.
 *
 *     { "layers": { "<byte>": { op, path, count, shape, parameters, macs, forward, kept, peak,
 *                               parts, in_place, again, fused, unknown } },	# of the parts so many are that
 *       "uses": { "<byte>": { count, layers, shape, parameters, macs, forward, kept, peak } },
 *       "networks": { NAME: { parameters, macs, arena, batch, ranks, stage, memory, device, fits, largest,
 *                             target } } }
 */
#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "base/map.h"
#include "cli/lint_check.h"
#include "fit/fit_answer.h"
#include "fit/whatif.h"
#include "lsp/job.h"
#include "lsp/known.h"
#include "ops/usage.h"
#include "plan/plan.h"
#include "plan/summary.h"

struct made {			/* what became of a layer of the spec in the program */
	const struct node *node;	/* NULL: nothing, as of a part of another, or what is only made again */
	const struct node *validated;	/* in validation, where that is apart; NULL: nothing */
	int uses;		/* in the spec: of several nobody knows which is which */
	bool again;
};

struct figures {
	int64_t layers, parameters, macs, forward, kept, peak;
	int64_t unknown;	/* of so many layers the bytes are */
};

struct layer_facts {
	json_t *layers, *uses;
	const struct module *module;
	const struct graph *graph;	/* of the program: train's, or validate's */
	struct map made;	/* by path and place, to struct made */
	int backward;		/* the first instant of it */
	int ids;		/* that nodes of the spec have: less than this */
	struct figures *before;	/* those of all nodes whose ids are less than the index */
};

/* A layer that is applied again has the same path at another place. */
static struct made *
made_of(struct layer_facts *f, const struct node *n)
{
	const char *key = arena_printf(f->module->arena, "%s@%d", n->path, n->loc.beg);
	struct made *m = map_get(&f->made, key);

	if (!m)
		map_put(f->module->arena, &f->made, key, m = ARENA_NEW(f->module->arena, struct made));
	return m;
}

static bool
kept_for_backward(const struct layer_facts *f, const struct buffer *b)
{
	return b && !b->persistent && b->first < f->backward && b->last >= f->backward;
}

static void
see_node(struct layer_facts *f, const struct node *n)
{
	struct made *m;

	if (n->phase != PHASE_FORWARD || n->nout == 0)
		return;
	m = made_of(f, n);
	if (n->again)
		m->again = true;
	else if (n->out[0])
		m->node = n;
}

static void
see_validation(struct layer_facts *f, const struct node *n)
{
	if (n->nout && n->out[0])
		made_of(f, n)->validated = n;
}

static void
add(json_t *to, const char *key, int64_t n)
{
	json_object_set_new(to, key, json_integer(json_integer_value(json_object_get(to, key)) + n));
}

/* The tensor's own buffer; NULL: it has another's bytes, or none. */
static const struct buffer *
own_buffer(const struct plan *p, const struct tensor *t)
{
	return t && !t->alias_of ? plan_buffer(p, t) : NULL;
}

static int64_t
bytes_at_peak(const struct plan *p, const struct buffer *b)
{
	return b && b->first <= p->peak && p->peak <= b->last ? b->bytes : 0;
}

static int64_t
all_at_peak(const struct plan *p, const struct node *n)
{
	int64_t bytes = 0;
	int i;

	for (i = 0; n && i < n->nout; i++)
		bytes += bytes_at_peak(p, own_buffer(p, n->out[i]));
	return bytes;
}

/* The layer's bytes: those of its results' own buffers, which other tensors in them make no larger,
 * and of what it keeps beside them. The peak may be in validation. */
static void
count_bytes(const struct layer_facts *f, const struct made *m, struct figures *to)
{
	const struct plan *p = f->module->plan;
	int i;

	to->unknown = m->uses > 1 || (!m->node && module_stages(f->module) > 1);	/* another stage's, perhaps */
	if (to->unknown)
		return;
	for (i = 0; m->node && i < m->node->nout; i++) {
		const struct tensor *t = m->node->out[i];
		const struct buffer *b = own_buffer(p, t);

		if (b && t->kind != T_SAVED)
			to->forward += b->bytes;
		if (b && kept_for_backward(f, b))
			to->kept += b->bytes;
	}
	to->peak = all_at_peak(p, m->node) + all_at_peak(p, m->validated);
}

static void
add_bytes(json_t *layer, const struct made *m, const struct figures *n)
{
	bool made = m->node != NULL;

	if (n->unknown) {
		json_object_set_new(layer, "unknown", json_true());
		return;
	}
	add(layer, "parts", 1);
	if (m->again)
		add(layer, "again", 1);
	else if (!made)
		add(layer, "fused", 1);
	if (made && n->forward == 0 && m->node->out[0]->alias_of)
		add(layer, "in_place", 1);
	if (made)
		add(layer, "kept", n->kept);
	if (n->forward)
		add(layer, "forward", n->forward);
	if (n->peak)
		add(layer, "peak", n->peak);
}

/* The shape of the first of several; VARIES: another one's is not the same. */
static void
join_shapes(json_t *to, json_t *shape)
{
	json_t *first = json_object_get(to, "shape");

	if (!first)
		json_object_set_new(to, "shape", json_deep_copy(shape));
	else if (!json_equal(json_object_get(first, "text"), json_object_get(shape, "text")) ||
	    !json_equal(json_object_get(first, "batched"), json_object_get(shape, "batched")) ||
	    json_is_true(json_object_get(shape, "varies")))
		json_object_set_new(first, "varies", json_true());
}

static void
add_shape(struct layer_facts *f, json_t *to, const struct tensor *t)
{
	json_t *shape = json_pack("{s:s, s:s, s:b}", "text", tensor_shape_text(f->module->arena, t), "dtype", t->dtype->name,
	    "batched", t->batched);

	join_shapes(to, shape);
	json_decref(shape);
}

/* The path of the layer as the spec has it. */
static const char *
layer_path(struct layer_facts *f, const struct node *n)
{
	const char *dot = n->part_of ? strrchr(n->path, '.') : NULL;

	return dot ? arena_printf(f->module->arena, "%.*s", (int)(dot - n->path), n->path) : n->path;
}

static json_t *
layer_at(struct layer_facts *f, const struct node *n)
{
	char key[24];
	json_t *layer;

	snprintf(key, sizeof(key), "%d", n->loc.beg);
	if (!(layer = json_object_get(f->layers, key)))
		json_object_set_new(f->layers, key, layer = json_pack("{s:s, s:s, s:i}", "op",
		    n->part_of ? n->part_of->op->name : n->op->name, "path", layer_path(f, n), "count", 0));
	return layer;
}

/* What the spec's layer makes first; of its parts the first one says it. NULL: nothing, or it was
 * said. */
static const struct tensor *
result_of(const struct node *n, bool again)
{
	const struct node *layer = n->part_of ? n->part_of : n;

	return !again && n->phase == PHASE_FORWARD && layer->nout > 0 ? layer->out[0] : NULL;
}

static void
add_layers(struct layer_facts *f, const struct source *src)
{
	const struct plan_summary *sum = plan_summarise(f->module);
	const char *before = NULL;	/* the layer that the last node was a part of */
	int i;

	for (i = 0; i < f->module->forward->nodes.n; i++) {
		const struct node *n = f->module->forward->nodes.v[i];
		const struct made *made = made_of(f, n);
		struct figures *own = &f->before[n->id + 1];	/* by itself, for now */
		const char *path = layer_path(f, n);
		bool again;	/* another part of the same */
		json_t *layer;

		again = n->part_of && before && strcmp(before, path) == 0;
		before = n->part_of ? path : NULL;
		own->layers = !again;
		count_bytes(f, made, own);
		if (n->loc.src != src)
			continue;
		layer = layer_at(f, n);
		if (!again)
			add(layer, "count", 1);
		add_bytes(layer, made, own);
		if (result_of(n, again))
			add_shape(f, layer, result_of(n, again));
	}
	for (i = 0; i < sum->layers.n; i++) {
		const struct layer_cost *c = &sum->layers.v[i];

		f->before[c->node->id + 1].parameters = c->parameters;
		f->before[c->node->id + 1].macs = affine_at(c->macs, 1);
		if (c->node->loc.src != src)
			continue;
		add(layer_at(f, c->node), "parameters", c->parameters);
		add(layer_at(f, c->node), "macs", affine_at(c->macs, 1));
	}
}

static void
make_room(struct layer_facts *f)
{
	const struct graph *g = f->module->forward;
	int i;

	for (i = 0; i < g->nodes.n; i++) {
		made_of(f, g->nodes.v[i])->uses++;
		if (g->nodes.v[i]->id >= f->ids)
			f->ids = g->nodes.v[i]->id + 1;
	}
	f->before = arena_array(f->module->arena, (size_t)f->ids + 1, sizeof(*f->before));
}

static void
sum_up(struct layer_facts *f)
{
	int i;

	for (i = 1; i <= f->ids; i++) {
		const struct figures *less = &f->before[i - 1];
		struct figures *n = &f->before[i];

		*n = (struct figures){ n->layers + less->layers, n->parameters + less->parameters,
			n->macs + less->macs, n->forward + less->forward, n->kept + less->kept,
			n->peak + less->peak, n->unknown + less->unknown };
	}
}

/* The figures of one use of a block, those of blocks within it included. */
static void
add_use(struct layer_facts *f, const struct block_run *r)
{
	const struct figures *to = &f->before[r->end < f->ids ? r->end : f->ids];
	const struct figures *from = &f->before[r->first < f->ids ? r->first : f->ids];
	char key[24];
	json_t *use;

	snprintf(key, sizeof(key), "%d", r->use.beg);
	if (!(use = json_object_get(f->uses, key)))
		json_object_set_new(f->uses, key, use = json_object());
	if (r->out)
		add_shape(f, use, r->out);
	add(use, "count", 1);
	add(use, "layers", to->layers - from->layers);
	add(use, "parameters", to->parameters - from->parameters);
	add(use, "macs", to->macs - from->macs);
	if (to->unknown > from->unknown)
		return;
	add(use, "forward", to->forward - from->forward);
	add(use, "kept", to->kept - from->kept);
	add(use, "peak", to->peak - from->peak);
}

static int
first_backward(const struct plan *p)
{
	int i;

	for (i = 0; i < p->instants && p->at[i].node->phase != PHASE_BACKWARD; i++)
		;
	return i;
}

static json_t *
network_facts(const struct module *m)
{
	const struct plan_summary *sum = plan_summarise(m);
	const struct device *d = &m->set.device;
	json_t *j = json_pack("{s:I, s:I, s:I, s:I, s:I, s:s, s:b}", "parameters", (json_int_t)sum->parameters,
	    "macs", (json_int_t)affine_at(sum->macs, 1), "arena", (json_int_t)m->plan->arena_bytes,
	    "bound", (json_int_t)m->plan->lower_bound_bytes,
	    "batch", (json_int_t)(m->plan->batch ? m->plan->batch : m->plan->validate_batch),
	    "target", m->plan->target->name, "trains", m->set.train);

	if (module_ranks(m) > 1)
		json_object_set_new(j, "ranks", json_integer(module_ranks(m)));
	if (module_stages(m) > 1)
		json_object_set_new(j, "stage", json_integer(m->set.stage));
	if (d->given && d->memory)
		json_object_set_new(j, "memory", json_integer(d->memory));
	if (d->given && d->name)
		json_object_set_new(j, "device", json_string(d->name));
	return j;
}

/* The same with the largest batch that fits, which takes many plans to find. */
static void
add_fit(json_t *network, struct module *m)
{
	struct fit fit = { .memory = 0 };

	if (!m->set.device.given || !m->set.device.memory)
		return;
	fit_answer(m, m->set.device.memory, -1, &fit);
	json_object_set_new(network, "fits", json_boolean(fit.fits));
	if (module_stages(m) > 1)
		return;		/* it is the largest of one stage alone */
	json_object_set_new(network, "largest", json_integer(fit.largest.batch));
	json_object_set_new(network, "proved", json_boolean(fit.largest.proved));
}

/* ---- of all networks ---- */

struct all_facts {
	struct lint_check *check;
	struct known known;
	struct known_text *text;
	json_t *networks;	/* NAME: { "layers", "uses", "network" }, as they are kept */
	struct evaluated evaluated;
};

/* Moves what is known by the byte at which it stands; NULL: some stood where nothing lies now. */
static json_t *
moved_to(const struct known_text *text, const json_t *by_place)
{
	json_t *moved = json_object(), *one;
	const char *key;

	json_object_foreach((json_t *)by_place, key, one) {
		int beg = atoi(key), end = beg + 1;
		char now[24];

		if (!known_place(text, &beg, &end)) {
			json_decref(moved);
			return NULL;
		}
		snprintf(now, sizeof(now), "%d", beg);
		json_object_set(moved, now, one);
	}
	return moved;
}

static bool
knows(struct known *known, const struct spec *spec, const struct network *n)
{
	struct all_facts *f = (struct all_facts *)((char *)known - offsetof(struct all_facts, known));
	const json_t *j = known_network(f->text, spec, n);
	json_t *layers = j ? moved_to(f->text, json_object_get(j, "layers")) : NULL;
	json_t *uses = j ? moved_to(f->text, json_object_get(j, "uses")) : NULL;

	if (!layers || !uses) {
		json_decref(layers);
		json_decref(uses);
		return false;
	}
	json_object_set_new(f->networks, n->name.text, json_pack("{s:o, s:o, s:O}", "layers", layers, "uses", uses,
	    "network", json_object_get(j, "network")));
	return true;
}

static struct spec *
planned(struct all_facts *f, struct diags *quiet)
{
	struct lint_check *l = f->check;
	struct compile_args args = *l->compile;

	diags_init(quiet, l->arena);
	args.project = l->project->project;
	args.project_known = true;
	args.known = &f->known;
	args.evaluated = &f->evaluated;
	return compile(l->arena, quiet, l->made.source, &args);
}

/* What several networks make of one layer of a block is summed up, as what one makes several times
 * is. */
static void
add_all(json_t *sums, const char *key, const json_t *one)
{
	json_t *sum = json_object_get(sums, key), *value;
	const char *field;

	if (!sum) {
		json_object_set_new(sums, key, json_deep_copy(one));
		return;
	}
	json_object_foreach((json_t *)one, field, value)
		if (strcmp(field, "shape") == 0)
			join_shapes(sum, value);
		else if (json_is_integer(value))
			add(sum, field, json_integer_value(value));
		else if (!json_object_get(sum, field))
			json_object_set(sum, field, value);
}

static void
say(const struct all_facts *f, const struct spec *spec, FILE *out)
{
	json_t *layers = json_object(), *uses = json_object(), *networks = json_object(), *one, *part;
	const char *key;
	int i;

	for (i = 0; i < spec->file->networks.n; i++) {
		const char *name = spec->file->networks.v[i]->name.text;

		if (!(one = json_object_get(f->networks, name)))
			continue;
		json_object_foreach(json_object_get(one, "layers"), key, part)
			add_all(layers, key, part);
		json_object_foreach(json_object_get(one, "uses"), key, part)
			add_all(uses, key, part);
		json_object_set(networks, name, json_object_get(one, "network"));
	}
	job_say(out, json_pack("{s:{s:o, s:o, s:o}}", "facts", "layers", layers, "uses", uses, "networks", networks));
}

static json_t *
facts_of(const struct all_facts *all, const struct module *m)
{
	const struct source *src = all->check->made.source;
	struct layer_facts f = { .layers = json_object(), .uses = json_object(), .module = m,
		.graph = m->train ? m->train : m->validate, .backward = first_backward(m->plan) };
	int k;

	for (k = 0; f.graph && k < f.graph->nodes.n; k++)
		see_node(&f, f.graph->nodes.v[k]);
	for (k = 0; m->train && m->validate && k < m->validate->nodes.n; k++)
		see_validation(&f, m->validate->nodes.v[k]);
	make_room(&f);
	add_layers(&f, src);
	sum_up(&f);
	for (k = 0; k < all->evaluated.blocks.n; k++) {
		const struct block_run *r = &all->evaluated.blocks.v[k];

		if (r->module == m && r->use.src == src)
			add_use(&f, r);
	}
	return json_pack("{s:o, s:o, s:o}", "layers", f.layers, "uses", f.uses, "network", network_facts(m));
}

void
facts_say(struct lint_check *l, struct known_text *known, FILE *out)
{
	struct all_facts f = { .check = l, .known.knows = knows, .text = known,
		.networks = json_object() };
	struct diags quiet;
	struct spec *spec = planned(&f, &quiet);
	json_t *one;
	int i;

	for (i = 0; i < spec->modules.n; i++) {
		const struct module *m = spec->modules.v[i];

		if (!m->broken && m->plan)
			json_object_set_new(f.networks, m->name, facts_of(&f, m));
	}
	say(&f, spec, out);
	for (i = 0; i < spec->modules.n; i++)
		if ((one = json_object_get(f.networks, spec->modules.v[i]->name)))
			add_fit(json_object_get(one, "network"), spec->modules.v[i]);
	say(&f, spec, out);
	if (!quiet.errors)
		job_keep(out, KEEP_FACTS, known_said(spec->file, json_incref(f.networks)));
	json_decref(f.networks);
}
