/*
 * What whole plans say of a document: bytes of its layers and networks. Layers are known by the byte at which
 * their operator's name, or their label, stands; what a block makes several times is summed up.
 *
 *     { "layers": { "<byte>": { op, path, count, shape, dtype, parameters, macs, forward, kept, peak,
 *                               in_place, again, fused } },
 *       "networks": { NAME: { parameters, macs, arena, batch, memory, device, fits, largest, target } } }
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

struct made {			/* what became of a layer's output in the program */
	const struct tensor *tensor;
	int64_t saved;		/* bytes of what it keeps beside its output */
	bool again;
};

struct layer_facts {
	json_t *layers;
	const struct module *module;
	const struct graph *graph;	/* of the program: train's, or validate's */
	struct map made;	/* by path, to struct made */
	int backward;		/* the first instant of it */
};

static struct made *
made_of(struct layer_facts *f, const char *path)
{
	struct made *m = map_get(&f->made, path);

	if (!m)
		map_put(f->module->arena, &f->made, path, m = ARENA_NEW(f->module->arena, struct made));
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
	const struct plan *p = f->module->plan;
	int i;

	if (n->phase != PHASE_FORWARD)
		return;
	for (i = 0; i < n->nout; i++) {
		const struct tensor *t = n->out[i];
		struct made *m;

		if (!t)
			continue;
		m = made_of(f, n->path);
		if (n->again)
			m->again = true;
		else if (t->kind == T_SAVED && kept_for_backward(f, plan_buffer(p, t)))
			m->saved += plan_buffer(p, t)->bytes;
		if (!n->again && i == 0)
			m->tensor = t;
	}
}

static void
add(json_t *to, const char *key, int64_t n)
{
	json_object_set_new(to, key, json_integer(json_integer_value(json_object_get(to, key)) + n));
}

/* The layer's bytes: those of its own buffer, which another tensor in it makes no larger. */
static void
add_bytes(struct layer_facts *f, json_t *layer, const struct node *n)
{
	const struct plan *p = f->module->plan;
	const struct made *m = map_get(&f->made, n->path);
	const struct buffer *b;

	if (!m || !m->tensor) {
		json_object_set_new(layer, m && m->again ? "again" : "fused", json_true());
		return;
	}
	b = plan_buffer(p, m->tensor);
	if (m->tensor->alias_of)
		json_object_set_new(layer, "in_place", json_true());
	if (m->again)
		json_object_set_new(layer, "again", json_true());
	add(layer, "kept", m->saved);
	if (!b || m->tensor->alias_of)
		return;
	add(layer, "forward", b->bytes);
	if (kept_for_backward(f, b))
		add(layer, "kept", b->bytes);
	if (b->first <= p->peak && p->peak <= b->last)
		add(layer, "peak", b->bytes);
}

static json_t *
layer_at(struct layer_facts *f, const struct node *n)
{
	char key[24];
	json_t *layer;

	snprintf(key, sizeof(key), "%d", n->loc.beg);
	if (!(layer = json_object_get(f->layers, key))) {
		json_object_set_new(f->layers, key, layer = json_pack("{s:s, s:s, s:i}", "op", n->op->name,
		    "path", n->path, "count", 0));
		if (n->nout && n->out[0]) {
			json_object_set_new(layer, "shape", json_string(tensor_shape_text(f->module->arena,
			    n->out[0])));
			json_object_set_new(layer, "dtype", json_string(n->out[0]->dtype->name));
		}
	}
	return layer;
}

static void
add_layers(struct layer_facts *f, const struct source *src)
{
	const struct plan_summary *sum = plan_summarise(f->module);
	int i;

	for (i = 0; i < f->module->forward->nodes.n; i++) {
		const struct node *n = f->module->forward->nodes.v[i];
		json_t *layer;

		if (n->loc.src != src)
			continue;
		layer = layer_at(f, n);
		add(layer, "count", 1);
		add_bytes(f, layer, n);
	}
	for (i = 0; i < sum->layers.n; i++) {
		const struct layer_cost *c = &sum->layers.v[i];

		if (c->node->loc.src != src)
			continue;
		add(layer_at(f, c->node), "parameters", c->parameters);
		add(layer_at(f, c->node), "macs", affine_at(c->macs, 1));
	}
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
	json_object_set_new(network, "largest", json_integer(fit.largest.batch));
	json_object_set_new(network, "proved", json_boolean(fit.largest.proved));
}

/* ---- of all networks ---- */

struct all_facts {
	struct lint_check *check;
	struct known known;
	struct known_text *text;
	json_t *networks;	/* NAME: { "layers", "network" }, as they are kept */
};

/* Moves the layers of a network that is as it was; NULL: it has some where nothing lies now. */
static json_t *
moved_layers(const struct known_text *text, const json_t *layers)
{
	json_t *moved = json_object(), *layer;
	const char *key;

	json_object_foreach((json_t *)layers, key, layer) {
		int beg = atoi(key), end = beg + 1;
		char now[24];

		if (!known_place(text, &beg, &end)) {
			json_decref(moved);
			return NULL;
		}
		snprintf(now, sizeof(now), "%d", beg);
		json_object_set(moved, now, layer);
	}
	return moved;
}

static bool
knows(struct known *known, const struct spec *spec, const struct network *n)
{
	struct all_facts *f = (struct all_facts *)((char *)known - offsetof(struct all_facts, known));
	const json_t *j = known_network(f->text, spec, n);
	json_t *layers = j ? moved_layers(f->text, json_object_get(j, "layers")) : NULL;

	if (!layers)
		return false;
	json_object_set_new(f->networks, n->name.text, json_pack("{s:o, s:O}", "layers", layers, "network",
	    json_object_get(j, "network")));
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
	return compile(l->arena, quiet, l->made.source, &args);
}

/* What several networks make of one layer of a block is summed up, as what one makes several times is. */
static void
add_layer(json_t *layers, const char *key, const json_t *layer)
{
	json_t *sum = json_object_get(layers, key), *value;
	const char *field;

	if (!sum) {
		json_object_set_new(layers, key, json_copy((json_t *)layer));
		return;
	}
	json_object_foreach((json_t *)layer, field, value)
		if (json_is_integer(value))
			add(sum, field, json_integer_value(value));
		else if (!json_object_get(sum, field))
			json_object_set(sum, field, value);
}

static void
say(const struct all_facts *f, const struct spec *spec, FILE *out)
{
	json_t *layers = json_object(), *networks = json_object(), *one, *layer;
	const char *key;
	int i;

	for (i = 0; i < spec->file->networks.n; i++) {
		const char *name = spec->file->networks.v[i]->name.text;

		if (!(one = json_object_get(f->networks, name)))
			continue;
		json_object_foreach(json_object_get(one, "layers"), key, layer)
			add_layer(layers, key, layer);
		json_object_set(networks, name, json_object_get(one, "network"));
	}
	job_say(out, json_pack("{s:{s:o, s:o}}", "facts", "layers", layers, "networks", networks));
}

static json_t *
layers_of(const struct module *m, const struct source *src)
{
	struct layer_facts f = { .layers = json_object(), .module = m,
		.graph = m->train ? m->train : m->validate, .backward = first_backward(m->plan) };
	int k;

	for (k = 0; f.graph && k < f.graph->nodes.n; k++)
		see_node(&f, f.graph->nodes.v[k]);
	add_layers(&f, src);
	return f.layers;
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
			json_object_set_new(f.networks, m->name, json_pack("{s:o, s:o}", "layers",
			    layers_of(m, l->made.source), "network", network_facts(m)));
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
