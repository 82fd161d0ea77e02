/* A chunk's size is the tensor's, rounded up to 256 B, unless the chunk was not worth splitting. */
#include "oom/oom_dump.h"

#include <string.h>

#include "base/text.h"
#include "frameworks/bfc.h"
#include "ir/op.h"

#define MOST_NAMED	2	/* tensors a class */
#define TELLING		65536	/* bytes of a chunk: smaller sizes, such as of biases, are of any network */

static int64_t
chunk_of(const struct tensor *t, int64_t batch)
{
	int64_t bytes = affine_at(tensor_bytes(t), batch);

	return bytes > INT64_MAX - BFC_GRAIN ? bytes : (bytes + BFC_GRAIN - 1) / BFC_GRAIN *
	    BFC_GRAIN;
}

static void
name_one(struct text *t, int *n, const char *what)
{
	if ((*n)++ < MOST_NAMED)
		text_printf(t, "%s%s", t->n ? "; " : "", what);
}

enum dump_state
dump_state_of(const struct module *m, const struct tensor *weight)
{
	enum dump_state state = DUMP_NO_STATE;
	int i;

	for (i = 0; i < m->persistent.n; i++) {
		const struct tensor *s = m->persistent.v[i];

		if (s->kind != T_OPTIMIZER || s->gradient_of != weight)
			continue;
		if (affine_at(tensor_bytes(s), 1) != affine_at(tensor_bytes(weight), 1))
			return DUMP_OTHER_STATE;
		state = DUMP_STATE;
	}
	return state;
}

/* The tensors of the network that take a chunk of SIZE, as text; NULL: none. */
static const char *
tensors_of(const struct module *m, int64_t size, int64_t batch)
{
	struct text t;
	int i, k, n = 0;

	text_init(&t, m->arena);
	for (i = 0; i < m->persistent.n; i++) {
		const struct tensor *p = m->persistent.v[i];

		if (p->kind == T_PARAM && chunk_of(p, batch) == size)
			name_one(&t, &n, arena_printf(m->arena, "%s%s", p->name, !m->train || p->frozen ? "" :
			    dump_state_of(m, p) == DUMP_STATE ? ", its gradient and its state" : ", its gradient"));
		else if (p->kind == T_STATISTIC && chunk_of(p, batch) == size)
			name_one(&t, &n, p->name);
	}
	for (i = 0; i < m->forward->inputs.n; i++)
		if (chunk_of(m->forward->inputs.v[i], batch) == size)
			name_one(&t, &n, m->forward->inputs.v[i]->name);
	for (i = 0; i < m->forward->nodes.n; i++)
		for (k = 0; k < m->forward->nodes.v[i]->nout; k++) {
			const struct tensor *o = m->forward->nodes.v[i]->out[k];

			if (o && !o->alias_of && chunk_of(o, batch) == size)
				name_one(&t, &n, arena_printf(m->arena,
				    "the result of %s, or its gradient", o->name));
		}
	if (n > MOST_NAMED)
		text_printf(&t, "; %d more", n - MOST_NAMED);
	return n ? t.s : NULL;
}

/* The layer whose slices' gradients are in the dump; false: none is. */
static bool
find_layer(const struct module *m, const struct oom_dump *d, int64_t batch, struct keras_local *k)
{
	int i, c;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		int64_t size;

		if (!keras_local(m, m->train->nodes.v[i], k))
			continue;
		size = (affine_at(k->input, batch) + BFC_GRAIN - 1) / BFC_GRAIN * BFC_GRAIN;
		for (c = 0; c < d->classes.n; c++)
			if (d->classes.v[c].size == size &&
			    d->classes.v[c].count * 4 > k->positions)
				return true;
	}
	return false;
}

/* What every network has. */
static const char *
of_the_step(int64_t size)
{
	return size <= BFC_GRAIN ? "scalars and other small tensors" : size == KERAS_SCRATCH ?
	    "scratch of a device stream (1028 B each)" : NULL;
}

static const char *
what_of(const struct module *m, const struct dump_story *s, int64_t size, int64_t batch)
{
	int64_t whole = affine_at(s->layer.input, batch);
	const char *what = tensors_of(m, size, batch), *common = of_the_step(size);
	char number[SIZE_TEXT];
	int i;

	if (s->local && size == (whole + BFC_GRAIN - 1) / BFC_GRAIN * BFC_GRAIN)
		return arena_printf(m->arena, "zero-filled gradients of single slices of %s",
		    s->layer.forward->path);
	if (what && size <= BFC_GRAIN)
		return arena_printf(m->arena, "%s; %s", what, common);
	if (what || common)
		return what ? what : common;
	for (i = 0; i < m->forward->inputs.n; i++) {
		int64_t bytes = chunk_of(m->forward->inputs.v[i], batch);

		if (bytes > BFC_GRAIN && size >= bytes && size < 2 * bytes)
			return arena_printf(m->arena, "%s (%s B) in a chunk not worth splitting",
			    m->forward->inputs.v[i]->name, size_commas(number, bytes));
	}
	if (s->local && size >= whole && size < 2 * whole)
		return "one such gradient, in the rest of a region not worth splitting";
	return NULL;
}

static void
compare(struct dump_story *s, const struct bfc *b, int64_t in_use)
{
	int i;

	s->replayed_in_use = b->in_use;
	s->same = b->in_use == in_use;
	for (i = 0; i < s->classes.n; i++) {
		s->classes.v[i].replayed = bfc_census(b, s->classes.v[i].size);
		s->same &= s->classes.v[i].replayed == s->classes.v[i].count;
	}
}

void
dump_explain(struct arena *a, const struct module *m, const struct oom_dump *d, int64_t batch,
    int64_t pool, struct dump_story *s)
{
	struct bfc b;
	int i;

	memset(s, 0, sizeof(*s));
	s->pool = d->limit ? d->limit : pool;
	s->local = m && batch > 0 && find_layer(m, d, batch, &s->layer);
	for (i = 0; i < d->classes.n; i++) {
		struct dump_class c = { .size = d->classes.v[i].size,
			.count = d->classes.v[i].count };

		c.what = m ? what_of(m, s, c.size, batch) : of_the_step(c.size);
		if (c.what)
			s->explained += c.size * c.count;
		s->tensors |= m && c.what && c.size >= TELLING;
		vec_push(a, &s->classes, c);
	}
	if (!s->local || !s->pool)
		return;
	s->held = keras_local_replay(m, &s->layer, batch, s->pool, &b);
	compare(s, &b, d->in_use);
	s->largest = keras_local_largest(m, &s->layer, batch, s->pool);
}
