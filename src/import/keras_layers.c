/*
 * Layers of a Keras model's JSON, of whatever version: in a row, or layers that say whom they read.
 * Models in models are laid open, so what comes out is one list of nodes in the order in which they
 * run. What differs between versions is the form of a reference alone; keras_config.c has the rest.
 *
 * Nothing in the file is trusted: layers, and models in models, are counted, references are looked
 * up, and layers that wait for one another are refused.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "import/keras.h"

#ifdef HAVE_JANSSON

#include "import/keras_file.h"
#include "import/keras_json.h"

#include <string.h>

#define MOST_LAYERS	100000
#define MOST_DEPTH	12	/* models in models */
#define MOST_INPUTS	64

struct use {			/* a layer applied once */
	int layer;
	int number;		/* among the uses of that layer */
	struct keras_references in;
	int next;		/* reference that is looked at */
	enum { USE_NEW, USE_OPEN, USE_DONE } state;
};

struct member {
	const char *name, *class;
	json_t *json, *config;
	struct keras_layer *layer;
	int first_use, nuses;
};

struct container {		/* a model */
	struct reading *r;
	const char *scope;	/* "outer/inner/", "" */
	struct keras_layer *in;	/* the layer that it is; NULL: the whole model */
	json_t *config;
	int depth;
	VEC(const char *) given;	/* values that its inputs are; the whole model has none */
	int taken;		/* inputs so far */
	VEC(struct member) members;
	struct map by_name;	/* position + 1 */
	VEC(struct use) uses;
	VEC(const char *) results;
};

static bool container_read(struct container *, bool sequential);

/* keras.ops.add(), not the layer Add: Keras 3 has both by their class. */
static bool
is_function(json_t *layer)
{
	const char *module = json_string_value(json_object_get(layer, "module"));

	return module && (strncmp(module, "keras.src.ops", 13) == 0 || strncmp(module, "keras.ops", 9) == 0);
}

/* ---- layers ---- */

/* A layer of a model that was used before is the one that it was there. */
static void
place_layer(struct container *c, struct member *m, struct map *classes)
{
	struct arena *a = c->r->arena;
	const char *snake = keras_snake(a, m->class), *dotted = keras_dotted(a, keras_own_name(c->config, m->name), snake);
	int *count = map_get(classes, snake);
	struct keras_layer *l;

	if (c->in && c->in->inside.n > c->members.n) {
		m->layer = c->in->inside.v[c->members.n];
		return;
	}
	if (!count) {
		count = ARENA_NEW(a, int);
		map_put(a, classes, snake, count);
	}
	l = m->layer = ARENA_NEW(a, struct keras_layer);
	l->name = c->in ? arena_join(a, c->in->name, "/", m->name) : m->name;
	l->class = m->class;
	l->outermost = c->in ? c->in->outermost : m->name;
	l->nested = c->in != NULL;
	l->place = arena_printf(a, *count ? "%s%slayers/%s_%d" : "%s%slayers/%s", c->in ? c->in->place : "", c->in ? "/" : "",
	    snake, *count);
	l->dotted = c->in && *c->in->dotted && *dotted ? arena_join(a, c->in->dotted, ".", dotted) : dotted;
	++*count;
	if (c->in)
		vec_push(a, &c->in->inside, l);
}

static bool
read_member(struct container *c, json_t *json, struct map *classes)
{
	struct reading *r = c->r;
	struct member m = { .json = json, .config = json_object_get(json, "config"), .class = keras_text(r, json, "class_name") };

	if (!m.class)
		return keras_refuse(r, "layer %d of '%s' has no class_name", c->members.n + 1, c->scope);
	m.name = keras_text(r, json, "name");
	if (!m.name)
		m.name = keras_text(r, m.config, "name");
	if (!m.name && json_is_array(m.config))
		m.name = arena_printf(r->arena, "%s_%d", keras_snake(r->arena, m.class), c->members.n + 1);
	if (!m.name)
		return keras_refuse(r, "a layer of class '%s' has no name", m.class);
	if (map_get(&c->by_name, m.name))
		return keras_refuse(r, "two layers are called '%s'", m.name);
	if (++r->layers > MOST_LAYERS)
		return keras_refuse(r, "it has more than %d layers", MOST_LAYERS);
	place_layer(c, &m, classes);
	vec_push(r->arena, &c->members, m);
	map_put(r->arena, &c->by_name, m.name, (void *)(intptr_t)c->members.n);
	return true;
}

/* Its layers: the configuration itself in old files, else what it has under "layers". */
static bool
read_members(struct container *c)
{
	json_t *layers = json_is_array(c->config) ? c->config : json_object_get(c->config, "layers"), *json;
	struct map classes = { 0 };
	size_t i;

	if (!json_is_array(layers) || json_array_size(layers) == 0)
		return keras_refuse(c->r, "there are no layers in '%s'", *c->scope ? c->scope : "the model");
	json_array_foreach(layers, i, json)
		if (!read_member(c, json, &classes))
			return false;
	return true;
}

static struct use *
add_use(struct container *c, int layer)
{
	struct use u = { .layer = layer, .number = c->members.v[layer].nuses };

	if (c->members.v[layer].nuses++ == 0)
		c->members.v[layer].first_use = c->uses.n;
	vec_push(c->r->arena, &c->uses, u);
	return &c->uses.v[c->uses.n - 1];
}

/* ---- values ---- */

static const char *
value_name(struct container *c, const char *layer, int use, int tensor)
{
	if (use == 0 && tensor == 0)
		return arena_join(c->r->arena, c->scope, "", layer);
	return arena_printf(c->r->arena, "%s%s:%d:%d", c->scope, layer, use, tensor);
}

/* What is read under that name, where it is the result of a model in this one. */
static const char *
resolved(struct container *c, const char *name)
{
	const char *other = map_get(&c->r->values, name);

	return other ? other : name;
}

/* The use that a reference means. Before Keras 3 a model that is a layer counts one before its
 * first. */
static struct use *
use_of(struct container *c, const struct keras_reference *ref)
{
	intptr_t at = ref->layer ? (intptr_t)map_get(&c->by_name, ref->layer) : 0;
	struct member *m = at ? &c->members.v[at - 1] : NULL;
	int k = ref->use;

	if (!m) {
		keras_refuse(c->r, ref->layer ? "there is no layer '%s', which another reads" :
		    "a model is given a number in place of a layer's output", ref->layer);
		return NULL;
	}
	if (keras_is_model(m->class) && k > 0 && strncmp(c->r->m->producer, "keras 3", 7) != 0)
		k--;
	if (m->nuses == 1)
		k = 0;
	if (k < 0 || k >= m->nuses) {
		keras_refuse(c->r, "layer '%s' is used %d %s, so there is no use %d of it, which another reads", m->name,
		    m->nuses, m->nuses == 1 ? "time" : "times", ref->use);
		return NULL;
	}
	return &c->uses.v[m->first_use + k];
}

static const char *
referred(struct container *c, const struct keras_reference *ref)
{
	struct use *u = ref->value ? NULL : use_of(c, ref);

	if (ref->value)
		return resolved(c, ref->value);
	return u ? resolved(c, value_name(c, c->members.v[u->layer].name, u->number, ref->tensor)) : NULL;
}

/* ---- inputs ---- */

static bool
add_model_input(struct container *c, const char *name, json_t *config)
{
	struct model_value v;

	if (c->r->m->inputs.n == MOST_INPUTS)
		return keras_refuse(c->r, "it has more than %d inputs", MOST_INPUTS);
	if (!keras_input(c->r, name, config, &v))
		return false;
	vec_push(c->r->arena, &c->r->m->inputs, v);
	return true;
}

/* The next of the values that a model in a model is given, under the name of its input. */
static bool
take_input(struct container *c, const char *name)
{
	if (c->taken >= c->given.n)
		return keras_refuse(c->r, "model '%s' has more inputs than it is given", c->scope);
	map_put(c->r->arena, &c->r->values, name, (void *)c->given.v[c->taken++]);
	return true;
}

static bool
input_write(struct container *c, const struct member *m)
{
	const char *name = value_name(c, m->name, 0, 0);

	if (map_get(&c->r->values, name))	/* it is written */
		return true;
	if (c->in && c->given.n > 0)
		return take_input(c, name);
	map_put(c->r->arena, &c->r->values, name, (void *)name);
	return add_model_input(c, name, m->config);
}

/* ---- uses, in the order in which they run ---- */

static bool
model_write(struct container *c, struct use *u)
{
	struct member *m = &c->members.v[u->layer];
	struct container inner = { .r = c->r, .in = m->layer, .config = m->config, .depth = c->depth + 1,
		.scope = arena_join(c->r->arena, value_name(c, m->name, u->number, 0), "/", "") };
	int i;

	if (inner.depth > MOST_DEPTH)
		return keras_refuse(c->r, "models lie in one another deeper than %d", MOST_DEPTH);
	for (i = 0; i < u->in.all.n; i++) {
		const char *name = referred(c, &u->in.all.v[i]);

		if (!name)
			return false;
		if (!keras_is_mask(&u->in.all.v[i]))	/* which its inputs bring along */
			vec_push(c->r->arena, &inner.given, name);
	}
	if (!container_read(&inner, strcmp(m->class, "Sequential") == 0))
		return false;
	for (i = 0; i < inner.results.n; i++)
		map_put(c->r->arena, &c->r->values, value_name(c, m->name, u->number, i), (void *)inner.results.v[i]);
	return true;
}

/* What the file says of the shape of what a layer is given as the K-th: beside it, or, since 2.13,
 * in the layer. */
static void
say_shape(struct container *c, const struct member *m, const struct keras_reference *ref, const char *name, int k)
{
	json_t *all = json_object_get(json_object_get(m->json, "build_config"), "input_shape"), *several = json_array_get(all, 0);
	struct model_value v = ref->said;

	if (*name && (v.known || ((json_is_array(several) || k == 0) && keras_shape_read(c->r, json_is_array(several) ?
	    json_array_get(all, (size_t)k) : all, NULL, &v)))) {
		v.name = name;
		vec_push(c->r->arena, &c->r->m->values, v);
	}
}

static bool
node_write(struct container *c, struct use *u)
{
	struct arena *a = c->r->arena;
	struct member *m = &c->members.v[u->layer];
	struct model_node *n = ARENA_NEW(a, struct model_node);
	int i;

	n->op = keras_class(c->r, m->class, m->config);
	n->name = m->layer->name;
	n->scope = m->layer->dotted;
	n->layer = m->layer;
	n->function = strncmp(n->op, "tf.", 3) == 0 || is_function(m->json);
	n->in = arena_array(a, (size_t)u->in.all.n + 1, sizeof(*n->in));
	n->word = arena_array(a, (size_t)u->in.all.n + 1, sizeof(*n->word));
	if (!keras_attrs(c->r, n, m->config, &u->in))
		return false;
	for (i = 0; i < u->in.all.n; i++) {
		const char *name = u->in.all.v[i].is_number ? "" : referred(c, &u->in.all.v[i]);

		if (!name)
			return false;
		if (keras_is_mask(&u->in.all.v[i]))
			n->mask = name;
		else {
			say_shape(c, m, &u->in.all.v[i], name, n->nin);
			n->word[n->nin] = u->in.all.v[i].word;
			n->in[n->nin++] = name;
		}
	}
	n->nout = MOST_OUTPUTS;
	n->out = arena_array(a, MOST_OUTPUTS, sizeof(*n->out));
	for (i = 0; i < MOST_OUTPUTS; i++)
		n->out[i] = value_name(c, m->name, u->number, i);
	vec_push(a, &c->r->m->nodes, n);
	return true;
}

static bool
use_write(struct container *c, struct use *u)
{
	const struct member *m = &c->members.v[u->layer];

	if (strcmp(m->class, "InputLayer") == 0)
		return input_write(c, m);
	return keras_is_model(m->class) ? model_write(c, u) : node_write(c, u);
}

/* Writes what a use reads before it, without recursion: a model may be a hundred thousand layers
 * deep. */
static bool
write_with_sources(struct container *c, int first)
{
	VEC(int) open = { 0 };

	vec_push(c->r->arena, &open, first);
	while (open.n > 0) {
		struct use *u = &c->uses.v[open.v[open.n - 1]], *source;

		u->state = USE_OPEN;
		while (u->next < u->in.all.n && !u->in.all.v[u->next].layer)
			u->next++;
		if (u->next == u->in.all.n) {
			if (!use_write(c, u))
				return false;
			u->state = USE_DONE;
			open.n--;
			continue;
		}
		source = use_of(c, &u->in.all.v[u->next]);
		if (!source)
			return false;
		if (source->state == USE_OPEN)
			return keras_refuse(c->r, "layers wait for one another in a circle, of which '%s' is one",
			    c->members.v[source->layer].name);
		u->next++;
		if (source->state == USE_NEW)
			vec_push(c->r->arena, &open, (int)(source - c->uses.v));
	}
	return true;
}

/* ---- the two kinds of models ---- */

static bool
refer(struct container *c, struct use *u, const char *layer, const char *value)
{
	struct keras_reference ref = { .layer = layer, .value = value };

	vec_push(c->r->arena, &u->in.all, ref);
	return true;
}

/* Layers in a row. The first may say itself what it is given. */
static bool
row_read(struct container *c)
{
	struct member *first = &c->members.v[0];
	const char *input = arena_join(c->r->arena, c->scope, "", "input");
	bool says = strcmp(first->class, "InputLayer") == 0, given = c->in && c->given.n > 0;
	int i;

	for (i = 0; i < c->members.n; i++)
		if (strcmp(c->members.v[i].name, "input") == 0)
			input = arena_join(c->r->arena, c->scope, "", "input:");
	if (!says && given && !take_input(c, input))
		return false;
	if (!says && !given && !keras_is_model(first->class) &&
	    !add_model_input(c, input, keras_shape_of_row(c->config, first->config)))
		return false;
	for (i = 0; i < c->members.n; i++) {
		struct use *u = add_use(c, i);

		if (i > 0)
			refer(c, u, c->members.v[i - 1].name, NULL);
		else if (!says && (given || !keras_is_model(first->class)))
			refer(c, u, NULL, input);
	}
	return true;
}

static bool
graph_read(struct container *c)
{
	size_t i;
	int k;

	for (k = 0; k < c->members.n; k++) {
		json_t *inbound = json_object_get(c->members.v[k].json, "inbound_nodes"), *json;

		if (json_array_size(inbound) == 0)
			add_use(c, k);
		json_array_foreach(inbound, i, json)
			if (!keras_references(c->r, json, &add_use(c, k)->in))
				return false;
		if (c->uses.n > MOST_LAYERS)
			return keras_refuse(c->r, "it has more than %d layers", MOST_LAYERS);
	}
	return true;
}

/* Inputs in the order in which the model counts them, each under the value that it is given. */
static bool
order_inputs(struct container *c)
{
	struct keras_references in = { 0 };
	int i;

	if (!keras_references(c->r, json_object_get(c->config, "input_layers"), &in))
		return false;
	for (i = 0; i < in.all.n; i++) {
		intptr_t at = in.all.v[i].layer ? (intptr_t)map_get(&c->by_name, in.all.v[i].layer) : 0;

		if (!at || strcmp(c->members.v[at - 1].class, "InputLayer") != 0)
			return keras_refuse(c->r, "an input of '%s' is none of its layers", *c->scope ? c->scope : "the model");
		if (!input_write(c, &c->members.v[at - 1]))
			return false;
	}
	return !c->in || c->taken == c->given.n || keras_refuse(c->r, "'%s' is given %d values, and has %d inputs", c->in->name,
	    c->given.n, c->taken);
}

static bool
take_results(struct container *c, bool row)
{
	struct keras_references out = { 0 };
	int i;

	if (row) {
		const char *last = c->members.v[c->members.n - 1].name;

		vec_push(c->r->arena, &c->results, resolved(c, value_name(c, last, 0, 0)));
		return true;
	}
	if (!keras_references(c->r, json_object_get(c->config, "output_layers"), &out))
		return false;
	for (i = 0; i < out.all.n; i++) {
		const char *name = out.all.v[i].layer ? referred(c, &out.all.v[i]) : NULL;

		if (!name)
			return keras_refuse(c->r, "an output of '%s' is none of its layers", *c->scope ? c->scope : "the model");
		vec_push(c->r->arena, &c->results, name);
	}
	return c->results.n > 0 || keras_refuse(c->r, "'%s' has no outputs", *c->scope ? c->scope : "the model");
}

static bool
container_read(struct container *c, bool row)
{
	int i;

	if (!read_members(c) || !(row ? row_read(c) : graph_read(c) && order_inputs(c)))
		return false;
	for (i = 0; i < c->uses.n; i++)
		if (c->uses.v[i].state == USE_NEW && !write_with_sources(c, i))
			return false;
	return take_results(c, row);
}

bool
keras_layers_read(struct reading *r, json_t *config, bool row)
{
	struct container c = { .r = r, .scope = "", .config = config };
	int i;

	if (!container_read(&c, row))
		return false;
	for (i = 0; i < c.results.n; i++) {
		struct model_value v = { .name = c.results.v[i] };

		vec_push(r->arena, &r->m->outputs, v);
	}
	return true;
}

#endif
