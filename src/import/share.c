/*
 * Weights that several layers have. An embedding and the product behind the last layer are tied, as
 * the language says it; constants are one parameter, which several read. Equal ones that an
 * exporter wrote once, such as vectors of zeros, say nothing: each layer gets its own.
 */
#include "import/importer.h"

#include <string.h>

/* Exporters write equal ones once, though each layer has its own, so that its layers share it says
 * nothing. */
bool
numbers_are_alike(const struct numbers *n)
{
	int i, long_axes = 0;
	double one;

	for (i = 0; i < n->rank; i++)
		long_axes += n->dim[i] > 1;
	return long_axes <= 1 && numbers_are_one(n, &one);
}

/* A part of a constant, as of the matrices of both ways of a recurrent layer, is what it is by
 * itself. */
static const char *
key_of(struct importer *im, const struct weight *w)
{
	const struct numbers *n = w->numbers;
	int64_t count = 1;
	int i;

	for (i = 0; w->view && i < w->view->rank; i++)
		count *= w->view->dim[i];
	return arena_printf(im->arena, "%p %lld", n->data ? (const void *)n->data : (const void *)n,
	    w->view && count < n->count ? (long long)w->view->first + 1 : 0LL);
}

/* A whole layer that is used again shares its bias too, which nothing ties. */
static bool
can_tie(const struct step *s, int k, const struct step *with)
{
	return k == 0 && (strcmp(s->op->name, "dense") == 0 || strcmp(s->op->name, "embedding") == 0) &&
	    (s->nweights < 2 || with->nweights < 2 || s->weight[1].numbers != with->weight[1].numbers ||
	    numbers_are_alike(s->weight[1].numbers));
}

static bool
refuse(struct importer *im, const struct step *s, const struct step *with, const struct numbers *n)
{
	struct import_problem p = { *s->path ? s->path : n->name, s->op->name, NULL };
	const struct step *wide = s->nin > 1 ? s : with;

	if (wide->nin > 1 && (s->op == with->op || std_block(s->op->name) || std_block(with->op->name)))
		p.why = arena_printf(im->arena, "'%s' is the weight of a layer that is used again, and one of its uses reads %d "
		    "operands, such as what it is given and which steps of that are seen: only a layer of one operand can be used "
		    "again here", n->name, wide->nin);
	else
		p.why = arena_printf(im->arena, "'%s' is the weight of another layer too: only a dense layer and an embedding "
		    "can share one here", n->name);
	vec_push(im->arena, &im->result->problems, p);
	return false;
}

struct first {			/* to have a weight */
	struct step *step;
	int place, users;
};

static bool
is_transpose(const struct numbers *a, const struct numbers *b, int64_t step)
{
	int64_t i;

	for (i = 0; i < a->count; i += step)
		if (numbers_real(a, i) != numbers_real(b, i % a->dim[1] * a->dim[0] + i / a->dim[1]))
			return false;
	return true;
}

/* The embedding whose table a product has the other way round: exporters that turn matrices write
 * it twice. A few numbers tell nearly always that it is none. */
static struct step *
turned_table(struct importer *im, const struct step *s)
{
	const struct weight *w = &s->weight[0];
	int i;

	if (strcmp(s->op->name, "dense") != 0 || !w->view || !w->numbers->data)
		return NULL;
	for (i = 0; i < s->number; i++) {
		struct step *e = im->steps.v[i];
		const struct numbers *t = e->nweights > 0 ? e->weight[0].numbers : NULL;

		if (t && strcmp(e->op->name, "embedding") == 0 && t->data && t->rank == 2 &&
		    t->dim[0] == w->numbers->dim[1] && t->dim[1] == w->numbers->dim[0] && t->count > 0 &&
		    is_transpose(t, w->numbers, t->count / 64 + 1) && is_transpose(t, w->numbers, 1))
			return e;
	}
	return NULL;
}

/* Is it that scope with the numbers that PyTorch gives a module's later uses? "tower.4_1" is
 * "tower.4" again, and "conv_2" is no later use of "conv_1": the first has no number of its own. */
static bool
is_later_use(const char *scope, const char *first)
{
	while (*scope == *first && *scope) {
		scope++;
		first++;
		if ((*first == '.' || *first == '\0') && *scope == '_') {
			size_t digits = strspn(scope + 1, "0123456789");

			if (digits > 0 && (scope[1 + digits] == '.' || scope[1 + digits] == '\0'))
				scope += 1 + digits;
		}
	}
	return *scope == *first;
}

static bool
are_uses(const char *a, const char *b)
{
	return is_later_use(a, b) || is_later_use(b, a);
}

/* Has the source two layers of that kind, of other names? Then the exporter wrote equal weights
 * once, such as those of a layer and its copy before they are trained: that layers share them would
 * be one layer, used twice. Tables of embeddings are begun at random, and those of an encoder and
 * its decoder are often one. */
static bool
are_two_layers(struct importer *im, const struct step *s, const struct step *t)
{
	const char *a = node_scope(im, s->said_by), *b = node_scope(im, t->said_by);

	return s->op == t->op && strcmp(s->op->name, "embedding") != 0 && a && b && *a && *b && !are_uses(a, b);
}

static bool
share(struct importer *im, struct map *seen, struct step *s, int k)
{
	const struct numbers *n = s->weight[k].numbers;
	const char *key = key_of(im, &s->weight[k]);
	struct first *f = map_get(seen, key);
	struct step *table;

	if (!f) {
		f = ARENA_NEW(im->arena, struct first);
		*f = (struct first){ s, k, 1 };
		map_put(im->arena, seen, key, f);
		if (k == 0 && (table = turned_table(im, s)))
			s->tie = table;
		return true;
	}
	if (f->step == s)	/* another part of the same */
		return true;
	f->users++;
	if (numbers_are_alike(n)) {
		im->merged += f->users == 2;
		return true;
	}
	if (are_two_layers(im, s, f->step)) {
		im->copied += f->users == 2;
		return true;
	}
	if (!can_tie(s, k, f->step) || !can_tie(f->step, f->place, s) || !s->weight[0].view != !f->step->weight[0].view)
		return refuse(im, s, f->step, n);
	s->tie = f->step;
	return true;
}

/* ---- layers that are used again ---- */

static bool
same_view(const struct view *a, const struct view *b)
{
	int i;

	if (!a || !b || a->rank != b->rank || a->first != b->first || a->order != b->order)
		return a == b;
	for (i = 0; i < a->rank; i++)
		if (a->dim[i] != b->dim[i] || a->stride[i] != b->stride[i])
			return false;
	return true;
}

/* The same numbers of the file; or as many that no file has, all of them one. */
static bool
same_numbers(const struct weight *a, const struct weight *b)
{
	const struct numbers *n = a->numbers, *m = b->numbers;

	return same_view(a->view, b->view) && a->frozen == b->frozen && (n == m || (n->data && n->data == m->data) ||
	    (n->count == m->count && numbers_are_alike(n) && numbers_are_alike(m) && n->count > 0 &&
	    numbers_real(n, 0) == numbers_real(m, 0)));
}

static bool
same_attrs(const struct step *a, const struct step *b)
{
	int i, k;

	for (i = 0; i < op_nattrs(a->op); i++) {
		const struct attr *x = &a->attr[i], *y = &b->attr[i];

		if (x->given != y->given || (x->given && (x->i != y->i || x->r != y->r || x->n != y->n || x->n > MAX_RANK)))
			return false;
		for (k = 0; x->given && k < x->n; k++)
			if (x->v[k] != y->v[k])
				return false;
	}
	return true;
}

/* That two names are one layer's is taken from their form: who made the model may know better. */
static void
say_again(struct importer *im, const struct step *s)
{
	const char *a = node_scope(im, s->again->said_by), *b = node_scope(im, s->said_by);

	if (a && b && *a && *b && strcmp(a, b) != 0)
		vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "'%s' is '%s' again: the file has their weights "
		    "once, and the names are those of uses of one layer", b, a));
}

/* A layer of one operand with all its weights is another use of the one before it that has them. */
static bool
is_again(struct importer *im, const struct map *seen, struct step *s)
{
	const struct first *f = NULL;
	int k;

	for (k = 0; !f && k < s->nweights; k++)
		if (!numbers_are_alike(s->weight[k].numbers))
			f = map_get(seen, key_of(im, &s->weight[k]));
	if (!f || f->step == s || are_two_layers(im, s, f->step) || f->step->tie || f->step->op != s->op || s->nin != 1 || f->step->nweights != s->nweights ||
	    !same_attrs(s, f->step))
		return false;
	for (k = 0; k < s->nweights; k++)
		if (!same_numbers(&s->weight[k], &f->step->weight[k]))
			return false;
	s->again = f->step;
	s->again->label = "";	/* it gets one when it is said */
	say_again(im, s);
	return true;
}

int
step_shared(const struct step *s)
{
	return s->again ? s->nweights : s->tie != NULL;
}

bool
share_weights(struct importer *im)
{
	struct map seen = { 0 };
	int i, k;
	bool ok = true;

	for (i = 0; i < im->steps.n; i++) {
		is_again(im, &seen, im->steps.v[i]);
		for (k = 0; k < im->steps.v[i]->nweights && !im->steps.v[i]->again; k++)
			if (!share(im, &seen, im->steps.v[i], k)) {
				ok = false;
				break;
			}
	}
	for (i = 0; i < im->steps.n; i++)
		if (im->steps.v[i]->tie)
			im->steps.v[i]->tie->label = "";	/* it gets one when it is said */
	return ok;
}
