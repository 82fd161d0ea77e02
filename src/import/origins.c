/*
 * Which words of a spec say which nodes of the model: for whoever reads the model where others read
 * a spec. The compiled spec has its nodes in the order in which the steps were written, and each
 * knows its words; those of a block are said once for all of its uses.
 */
#include "import/importer.h"

#include <stdlib.h>

/* A node without a name is known by what it makes. */
static const char *
name_of(const struct model_node *n)
{
	return *n->name || n->nout == 0 ? n->name : n->out[0];
}

static int
by_place(const void *a, const void *b)
{
	const struct origin *x = a, *y = b;

	return x->beg != y->beg ? (x->beg > y->beg) - (x->beg < y->beg) : (x->end > y->end) - (x->end < y->end);
}

struct words {			/* of the spec */
	struct origin origin;
	const struct model_node *last;	/* one node may become several steps */
};

struct found {
	struct arena *arena;
	struct map places;
	VEC(struct words *) all;
};

static void
found_at(struct found *f, struct loc l, const struct model_node *n)
{
	const char *key = arena_printf(f->arena, "%d %d", l.beg, l.end);
	struct words *w = map_get(&f->places, key);

	if (w) {
		w->origin.more += n != w->last;
	} else {
		w = ARENA_NEW(f->arena, struct words);
		w->origin = (struct origin){ l.beg, l.end, name_of(n), 0 };
		map_put(f->arena, &f->places, key, w);
		vec_push(f->arena, &f->all, w);
	}
	w->last = n;
}

void
origins_find(struct importer *im, const struct module *m, struct source *spec)
{
	struct found f = { .arena = im->arena };
	struct origin *v;
	int i, k, at = 0;

	for (i = 0; i < im->result->order.n; i++) {
		const struct step *s = im->result->order.v[i];

		for (k = 0; k < s->nodes && at < m->forward->nodes.n; k++, at++)
			if (m->forward->nodes.v[at]->loc.src == spec)
				found_at(&f, m->forward->nodes.v[at]->loc, s->said_by);
	}
	v = arena_array(im->arena, (size_t)f.all.n + 1, sizeof(*v));
	for (i = 0; i < f.all.n; i++)
		v[i] = f.all.v[i]->origin;
	if (f.all.n > 0)
		qsort(v, (size_t)f.all.n, sizeof(*v), by_place);
	spec->origins = origins_new(im->arena, f.all.n, v);
}
