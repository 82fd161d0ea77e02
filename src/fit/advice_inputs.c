/*
 * Smaller inputs: images of half or a quarter of their height and width, and images without colour.
 * The type of the input is edited, at the params it names. Where a target has positions too (a
 * class for each pixel), what the network then gives says how many.
 */
#include "fit/advice_kinds.h"

#include <string.h>

#include "base/map.h"

/*
 * A value of resize: by what sides are divided, and of what they are a multiple afterwards, since
 * networks that halve their maps and double them again take no odd extents.
 */
#define SHARE(value)	((value) / 1000)
#define ROUND(value)	((value) % 1000)
#define LARGEST_ROUND	64

static const int64_t shares[] = { 2, 4 };

/* The inputs that are images, [channels, height, width], or volumes, by name. */
static struct map
all_images(const struct advisor *v)
{
	const struct graph *g = v->module->forward;
	struct map of = { NULL };
	int i;

	for (i = 0; i < g->inputs.n; i++) {
		struct tensor *t = g->inputs.v[i];

		if (t->kind == T_INPUT && t->rank >= 3 && t->classes == 0 && !map_get(&of, t->name))
			map_put(v->arena, &of, t->name, t);
	}
	return of;
}

/* Is it declared as images, every extent of them by itself? */
static const struct tensor *
images(const struct map *of, const struct stmt *st)
{
	const struct tensor *t = st->kind == S_INPUT && st->type ? map_get(of, st->name[0].text) : NULL;

	return t && st->type->nargs == t->rank ? t : NULL;
}

static bool
set_extent(struct amend *m, const struct expr *e, int64_t extent)
{
	return amend_value(m, e, arena_printf(m->arena, "%lld", (long long)extent), true);
}

/* ---- sides ---- */

static int64_t
smaller(int64_t side, int64_t value)
{
	return side / SHARE(value) / ROUND(value) * ROUND(value);
}

static bool
amend_inputs(struct advisor *v, struct amend *m, int64_t value)
{
	const struct map of = all_images(v);
	bool any = false;
	int i, k;

	for (i = 0; m->network && i < m->network->nstmts; i++) {
		const struct stmt *st = &m->network->stmt[i];
		const struct tensor *t = images(&of, st);

		for (k = 1; t && k < t->rank; k++) {
			if (smaller(t->dim[k], value) < 1 || !set_extent(m,
			    st->type->arg[k].value, smaller(t->dim[k], value)))
				return false;
			any = true;
		}
	}
	return any;
}

/* What the target is compared with: the other operand of its loss. */
static const struct tensor *
compared_with(const struct module *m, const char *target, const struct tensor **t)
{
	int i, j;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		for (j = 0; j < n->nin; j++) {
			const struct tensor *in = n->in[j];

			if (n->nin != 2 || !in || in->kind != T_TARGET ||
			    strcmp(in->name, target) != 0 || !n->in[1 - j])
				continue;
			*t = in;
			return n->in[1 - j];
		}
	}
	return NULL;
}

/* Makes the target's extents those that the network gives. */
static bool
amend_target(struct amend *m, const struct stmt *st, const struct module *probe)
{
	const struct tensor *t = NULL, *x = compared_with(probe, st->name[0].text, &t);
	int k, from = 0, arg = 0;

	if (!x || x->kind == T_POISON || t->rank == 0)
		return true;
	if (t->classes) {	/* logits have an axis more: the first, or the last */
		from = x->dim[0] == t->classes;
		arg = 1;
	}
	if (x->rank != t->rank + arg || st->type->nargs != t->rank + arg)
		return false;
	for (k = 0; k < t->rank; k++)
		if (t->dim[k] != x->dim[k + from] &&
		    !set_extent(m, st->type->arg[k + arg].value, x->dim[k + from]))
			return false;
	return true;
}

static bool
amend_targets(struct amend *m, const struct module *probe)
{
	int i;

	for (i = 0; i < m->network->nstmts; i++) {
		const struct stmt *st = &m->network->stmt[i];

		if (st->kind == S_TARGET && st->type && !amend_target(m, st, probe))
			return false;
	}
	return true;
}

bool
resize_amend(struct advisor *v, struct amend *m, int64_t value)
{
	struct arena *a = arena_child(v->arena);
	struct module *probe;
	struct amend alone;
	bool good;

	amend_init(&alone, v->arena, v->file, v->module->name, v->options);
	good = amend_inputs(v, &alone, value);
	probe = good ? advice_expand(v, a, amend_done(&alone)) : NULL;
	good = probe && amend_inputs(v, m, value) && (!probe->broken || amend_targets(m, probe));
	arena_free(a);
	return good;
}

/* Does the network still take shape? */
static bool
can_resize(struct advisor *v, int64_t value)
{
	struct arena *a = arena_child(v->arena);
	struct module *m = NULL;
	struct amend alone;
	bool good;

	amend_init(&alone, v->arena, v->file, v->module->name, v->options);
	if (resize_amend(v, &alone, value))
		m = advice_expand(v, a, amend_done(&alone));
	good = m && !m->broken;
	arena_free(a);
	return good;
}

int64_t *
resize_values(struct advisor *v, int *n)
{
	int64_t *value = arena_array(v->arena, sizeof(shares) / sizeof(*shares), sizeof(*value));
	int64_t round;
	size_t i;

	*n = 0;
	for (i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		for (round = 1; round <= LARGEST_ROUND; round *= 2)
			if (can_resize(v, shares[i] * 1000 + round)) {
				value[(*n)++] = shares[i] * 1000 + round;
				break;
			}
	return value;
}

const char *
resize_title(struct advisor *v, int64_t value)
{
	const struct tensor *t = NULL;
	struct text text;
	int i;

	for (i = 0; i < v->module->forward->inputs.n; i++) {
		t = v->module->forward->inputs.v[i];
		if (t->kind == T_INPUT && t->rank >= 3 && t->classes == 0)
			break;
	}
	text_init(&text, v->arena);
	text_printf(&text, "inputs of ");
	for (i = 1; t && i < t->rank; i++)
		text_printf(&text, "%s%lld", i > 1 ? "x" : "",
		    (long long)smaller(t->dim[i], value));
	return text.s;
}

const char *
resize_note(struct advisor *v, int64_t value)
{
	(void)v, (void)value;
	return "the data must be made that small; details may be lost";
}

/* ---- colour ---- */

int64_t *
grey_values(struct advisor *v, int *n)
{
	int64_t *value = arena_array(v->arena, 1, sizeof(*value));
	int i;

	*n = 0;
	for (i = 0; i < v->module->forward->inputs.n; i++) {
		const struct tensor *t = v->module->forward->inputs.v[i];

		if (t->kind == T_INPUT && t->rank == 3 && t->dim[0] == 3)
			*n = 1;
	}
	return value;
}

bool
grey_amend(struct advisor *v, struct amend *m, int64_t value)
{
	const struct map of = all_images(v);
	bool any = false;
	int i;

	(void)value;
	for (i = 0; m->network && i < m->network->nstmts; i++) {
		const struct stmt *st = &m->network->stmt[i];
		const struct tensor *t = images(&of, st);

		if (!t || t->rank != 3 || t->dim[0] != 3)
			continue;
		if (!set_extent(m, st->type->arg[0].value, 1))
			return false;
		any = true;
	}
	return any;
}

const char *
grey_title(struct advisor *v, int64_t value)
{
	(void)v, (void)value;
	return "grey images";
}

const char *
grey_note(struct advisor *v, int64_t value)
{
	(void)v, (void)value;
	return "the data must be grey; only the input and the first layer's weights shrink";
}
