/* The numbers of inputs, followed through the forward graph; see input_numbers.h. */
#include "rulekit/input_numbers.h"

#include <string.h>

#include "ops/move.h"
#include "ops/shapes.h"
#include "rulekit/graph_query.h"

#define MOST_EACH	((int64_t)1 << 16)	/* numbers that are followed one by one, of a tensor, */
#define MOST		((int64_t)1 << 22)	/* and in all */

struct following {
	const struct lint *l;
	struct input_numbers *held;	/* by id */
	int64_t left;			/* numbers that may be followed yet */
};

static struct input_number *
room_for(struct following *f, int64_t n)
{
	if (n > MOST_EACH || n > f->left)
		return NULL;
	f->left -= n;
	return arena_array(f->l->module->arena, (size_t)n + 1, sizeof(struct input_number));
}

static struct input_numbers *
held_by(struct following *f, const struct tensor *t)
{
	return &f->held[t->id];
}

static void
begin(struct following *f, const struct tensor *input)
{
	int64_t n = tensor_elements_per_sample(input), i;
	struct input_number *v = room_for(f, n);

	if (v)
		for (i = 0; i < n; i++)
			v[i] = (struct input_number){ input, i, 1, 0 };
	else if ((v = room_for(f, 1)))
		*v = (struct input_number){ input, ALL_OF_IT, 1, 0 };
	if (v)
		*held_by(f, input) = (struct input_numbers){ n <= MOST_EACH && v->at == 0 ? n : 1, v, v->at == 0, false };
}

/* Is it any of one input's numbers, of which each is as good as another: of a map, or by its
 * type? */
static bool
is_alike(const struct input_numbers *held)
{
	int64_t i;

	for (i = 0; i < held->n; i++)
		if (!held->v[i].of || held->v[i].of->rank < 3 || held->v[i].of != held->v[0].of ||
		    held->v[i].factor != held->v[0].factor || held->v[i].offset != held->v[0].offset)
			return false;
	return held->n > 0;
}

/* Some of what is in no place. */
static void
take_some(struct following *f, const struct tensor *y, const struct input_numbers *from)
{
	if (is_alike(from))
		*held_by(f, y) = (struct input_numbers){ from->n, from->v, false, true };
}

/* ---- what puts numbers elsewhere ---- */

static int64_t
step_of(const struct tensor *t, int axis)
{
	return axis < 0 ? 0 : shape_product(t, axis + 1, t->rank);
}

/* Which index of x is index I of a part; -1: none. */
static int64_t
index_in(const struct move_part *p, int64_t i)
{
	int r;

	if (p->nruns == 0)
		return i;
	for (r = 0; r < p->nruns; i -= p->run[r++].n)
		if (i < p->run[r].n)
			return p->run[r].start < 0 ? -1 : p->run[r].start + i * p->run[r].by;
	return -1;
}

struct mover {
	const struct moving *m;
	const struct tensor *x, *y;
	const struct input_numbers *from;
	struct input_number *to;
	int64_t n;
};

/* From part K of the move on; FROM < 0: what is there is in no place of x. */
static void
put(const struct mover *w, int k, int64_t to, int64_t from)
{
	const struct move_part *p = &w->m->part[k];
	int64_t i, in;

	if (k == w->m->n) {
		if (to >= 0 && to < w->n && from >= 0 && from < w->from->n)
			w->to[to] = w->from->v[from];
		return;
	}
	to += p->out_start * step_of(w->y, p->out);
	for (i = 0; i < p->n; i++) {
		in = from < 0 ? -1 : index_in(p, i);
		put(w, k + 1, to + i * p->out_step * step_of(w->y, p->out),
		    in < 0 ? -1 : from + in * p->in_step * step_of(w->x, p->in));
	}
}

static void
move(struct following *f, const struct node *n, const struct input_numbers *from)
{
	struct moving m;
	struct mover w = { &m, n->in[0], n->out[0], from, NULL, tensor_elements_per_sample(n->out[0]) };

	if (!from->placed) {
		take_some(f, w.y, from);
		return;
	}
	if (!(w.to = room_for(f, w.n)))
		return;
	n->op->calls.moves(n, &m);
	put(&w, 0, 0, 0);
	*held_by(f, w.y) = (struct input_numbers){ w.n, w.to, true, false };
}

/* Copies rows of the one to rows of the other: ROWS of them, of N numbers each. */
static void
copy(struct input_number *to, int64_t to_step, const struct input_number *from, int64_t from_step, int64_t rows, int64_t n)
{
	int64_t row;

	for (row = 0; row < rows; row++)
		memcpy(to + row * to_step, from + row * from_step, (size_t)n * sizeof(*to));
}

static void
split(struct following *f, const struct node *n, const struct input_numbers *from)
{
	const struct tensor *x = n->in[0];
	int axis = shape_axis_of(n, x), k;
	int64_t rows = shape_product(x, 0, axis), all = shape_product(x, axis, x->rank), at = 0;

	for (k = 0; k < n->nout; k++) {
		const struct tensor *y = n->out[k];
		int64_t width;
		struct input_number *v;

		if (!y)
			return;
		width = shape_product(y, axis, y->rank);
		if (!from->placed)
			take_some(f, y, from);
		else if ((v = room_for(f, rows * width))) {
			copy(v, width, from->v + at, all, rows, width);
			*held_by(f, y) = (struct input_numbers){ rows * width, v, true, false };
		}
		at += width;
	}
}

/* Side by side where each is in its place, or is something else; else one after the other. */
static void
concat(struct following *f, const struct node *n)
{
	const struct tensor *y = n->out[0];
	int axis = shape_axis_of(n, y), k;
	int64_t rows = shape_product(y, 0, axis), all = shape_product(y, axis, y->rank), at = 0, sum = 0;
	struct input_number *v = NULL;
	bool placed = true, parted = false;

	for (k = 0; k < n->nin; k++) {
		sum += held_by(f, n->in[k])->n;
		parted |= held_by(f, n->in[k])->parted;
		placed &= held_by(f, n->in[k])->n == 0 || held_by(f, n->in[k])->placed;
	}
	if (sum == 0 || (placed && !(v = room_for(f, rows * all))) || (!placed && !(v = room_for(f, sum))))
		return;
	for (k = 0; k < n->nin; k++) {
		const struct input_numbers *from = held_by(f, n->in[k]);
		int64_t width = placed ? shape_product(n->in[k], axis, n->in[k]->rank) : from->n;

		if (from->n > 0 && placed)
			copy(v + at, all, from->v, width, rows, width);
		else if (from->n > 0)
			copy(v + at, 0, from->v, 0, 1, width);
		at += width;
	}
	*held_by(f, y) = (struct input_numbers){ placed ? rows * all : sum, v, placed, parted };
}

/* ---- what makes other numbers of them ---- */

static void
scale(struct following *f, const struct node *n, const struct input_numbers *from)
{
	struct input_number *v = room_for(f, from->n);
	double factor = op_real(n, "factor"), offset = op_real(n, "offset");
	int64_t i;

	for (i = 0; v && i < from->n; i++) {
		v[i] = from->v[i];
		v[i].factor *= factor;
		v[i].offset = v[i].offset * factor + offset;
	}
	if (v)
		*held_by(f, n->out[0]) = (struct input_numbers){ from->n, v, from->placed, from->parted };
}

static bool
is_one_of(const struct node *n, const char *const *name)
{
	while (*name && !node_is(n, *name))
		name++;
	return *name != NULL;
}

static void
follow(struct following *f, const struct node *n)
{
	static const char *const same[] = { "cast", "flatten", "reshape", "dropout", "relu", NULL };
	static const char *const mixed[] = { "maxpool", "avgpool", "upsample", "crop", NULL };
	const struct input_numbers *from = n->nin && n->in[0] ? held_by(f, n->in[0]) : NULL;

	if (!from || !n->out[0])
		return;
	if (node_is(n, "concat"))
		concat(f, n);
	else if (from->n == 0)
		return;
	else if (is_one_of(n, same))
		*held_by(f, n->out[0]) = *from;
	else if (is_one_of(n, mixed))
		*held_by(f, n->out[0]) = (struct input_numbers){ from->n, from->v, false, from->parted };
	else if (node_is(n, "scale"))
		scale(f, n, from);
	else if (node_is(n, "split"))
		split(f, n, from);
	else if (n->op->calls.moves)
		move(f, n, from);
}

static const struct input_numbers *
numbers_of(const struct lint *l, bool targets)
{
	const struct module *m = l->module;
	const struct graph *g = m->forward;
	struct following f = { l, arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*f.held)), MOST };
	int i;

	for (i = 0; i < g->inputs.n; i++)
		if (g->inputs.v[i]->kind == T_INPUT || targets)
			begin(&f, g->inputs.v[i]);
	for (i = 0; i < g->nodes.n; i++)
		follow(&f, g->nodes.v[i]);
	return f.held;
}

const struct input_numbers *
input_numbers(const struct lint *l)
{
	return numbers_of(l, false);
}

const struct input_numbers *
data_numbers(const struct lint *l)
{
	return numbers_of(l, true);
}

bool
input_numbers_are_all(const struct input_numbers *held, const struct tensor *input)
{
	int64_t i;

	for (i = 0; i < held->n; i++)
		if (held->v[i].of != input)
			return false;
	return !held->parted && (held->v[0].at == ALL_OF_IT || held->n >= tensor_elements_per_sample(input));
}
