/*
 * Rotary positions that an exporter took apart: x cos + turned(x) sin, from tables of cosines and
 * sines. There are many ways to write it: halves that are cut and joined, neighbours by steps of
 * two, stacks, signs here or there; some turn a part of each head or row alone. All are linear, so
 * it is found as a line is: what rows.h finds each number to be a sum of must be what rope makes,
 * with angles that fit all of the table.
 */
#include "import/rows.h"

#include <math.h>
#include <string.h>

/* ---- which turn that is ---- */

struct rotation {
	int64_t positions, first_of_row, row;	/* where it begins in the row of what it comes from, and how long it is */
	int64_t heads, width, dims, rest;
	bool neighbours;
	double first, stretch, base;
	const struct sum *sum;
};

static double
factor_at(const struct part *p, int64_t t)
{
	return p->factor * (p->by.table ? numbers_real(p->by.table, p->by.first + t * p->by.step) : 1);
}

static bool
stays(const struct rotation *t, int64_t k)
{
	const struct sum *s = &t->sum[k];

	return s->n == 1 && s->part[0].from == t->first_of_row + k && s->part[0].factor == 1 && !s->part[0].by.table;
}

/* Its own factor, and that of the other of a pair; false: it is not a sum of these. */
static bool
of_pair(const struct rotation *t, int64_t k, int64_t other, const struct part **own, const struct part **more)
{
	const struct sum *s = &t->sum[k];
	int which = s->n == 2 && s->part[1].from == t->first_of_row + k;

	if (s->n != 2)
		return false;
	*own = &s->part[which];
	*more = &s->part[!which];
	return (*own)->from == t->first_of_row + k && (*more)->from == t->first_of_row + other && (*own)->by.table && (*more)->by.table;
}

/* How the first pair lies says how all do, and what stays where it is says where heads end. */
static bool
find_heads(struct rotation *t)
{
	const struct part *own, *more;
	int64_t turned = 0, apart, k;
	int which;

	if (t->sum[0].n != 2)
		return false;
	which = t->sum[0].part[0].from == t->first_of_row;
	apart = t->sum[0].part[which].from - t->first_of_row;
	if (apart < 1 || apart >= t->row || !of_pair(t, 0, apart, &own, &more))
		return false;
	while (turned < t->row && t->sum[turned].n == 2)
		turned++;
	t->neighbours = apart == 1;
	t->dims = 2 * apart;
	if (t->neighbours)	/* the columns come again with each head */
		for (; t->dims < turned; t->dims += 2) {
			const struct sum *s = &t->sum[t->dims];

			if (turned % t->dims == 0 && s->n == 2 && s->part[0].by.first == t->sum[0].part[0].by.first &&
			    s->part[0].by.table == t->sum[0].part[0].by.table)
				break;
		}
	if (t->dims > turned || turned % t->dims != 0)
		return false;
	t->neighbours &= t->dims > 2;	/* of one pair both are the same */
	for (k = turned; k < t->row && stays(t, k); k++)
		;
	t->width = turned > t->dims ? t->dims : k;
	for (t->heads = 1; (t->heads + 1) * t->width <= t->row && t->sum[t->heads * t->width].n == 2; t->heads++)
		;
	t->rest = t->row - t->heads * t->width;
	return true;
}

/* The pairs of all heads by the same columns; those of the first one, J of them. */
static bool
pairs_agree(const struct rotation *t)
{
	const struct part *a[2], *b[2], *c[2], *d[2];
	int64_t half = t->neighbours ? 1 : t->dims / 2, h, j, k, p;

	for (h = 0; h < t->heads; h++) {
		for (j = 0; j < t->dims / 2; j++) {
			k = h * t->width + (t->neighbours ? 2 * j : j);
			if (!of_pair(t, k, k + half, &a[0], &a[1]) || !of_pair(t, k + half, k, &b[0], &b[1]) ||
			    !of_pair(t, k - h * t->width, k - h * t->width + half, &c[0], &c[1]) ||
			    !of_pair(t, k - h * t->width + half, k - h * t->width, &d[0], &d[1]))
				return false;
			for (p = 0; p < 2; p++)
				if (a[p]->factor != c[p]->factor || memcmp(&a[p]->by, &c[p]->by, sizeof(a[p]->by)) != 0 ||
				    b[p]->factor != d[p]->factor || memcmp(&b[p]->by, &d[p]->by, sizeof(b[p]->by)) != 0)
					return false;
		}
		for (k = t->dims; k < t->width; k++)
			if (!stays(t, h * t->width + k))
				return false;
	}
	for (k = t->heads * t->width; k < t->row; k++)
		if (!stays(t, k))
			return false;
	return true;
}

static double
angle_at(const struct rotation *t, int64_t j, int64_t at)
{
	return (t->first + (double)at) / t->stretch * pow(t->base, -2.0 * (double)j / (double)t->dims);
}

/* Angles that were computed in f32 are off by their own rounding. */
static bool
angles_fit(const struct rotation *t)
{
	const struct part *own, *more;
	int64_t half = t->neighbours ? 1 : t->dims / 2, j, k, at;
	int side;

	for (j = 0; j < t->dims / 2; j++)
		for (side = 0; side < 2; side++) {
			k = (t->neighbours ? 2 * j : j) + side * half;
			if (!of_pair(t, k, side ? k - half : k + half, &own, &more))
				return false;
			for (at = 0; at < t->positions; at++) {
				double angle = angle_at(t, j, at), off = fmin(1e-6 + 4e-7 * fabs(angle), 1e-2);

				if (!(fabs(factor_at(own, at) - cos(angle)) <= off) ||
				    !(fabs(factor_at(more, at) - (side ? sin(angle) : -sin(angle))) <= off))
					return false;
			}
		}
	return true;
}

static double
angle_in_table(const struct rotation *t, int64_t j, int64_t at)
{
	const struct part *own, *more;
	int64_t half = t->neighbours ? 1 : t->dims / 2, k = (t->neighbours ? 2 * j : j) + half;

	return of_pair(t, k, k - half, &own, &more) ? atan2(factor_at(more, at), factor_at(own, at)) : NAN;
}

/* By how much the angle of pair J grows with each position, where that is less than half a turn. */
static double
growth(const struct rotation *t, int64_t j)
{
	double first = angle_in_table(t, j, 0), by = remainder(angle_in_table(t, j, 1) - first, 2 * M_PI);
	int64_t far;

	for (far = 2; far < t->positions; far *= 2) {
		double want = by * (double)far;

		by = (want + remainder(angle_in_table(t, j, far) - first - want, 2 * M_PI)) / (double)far;
	}
	return by;
}

/* To so many digits, as people write numbers. */
static double
rounded(double x, int digits)
{
	double unit = pow(10, floor(log10(x)) + 1 - digits);

	return unit >= 1 ? round(x / unit) * unit : round(x / unit) / round(1 / unit);
}

static bool
find_angles(struct rotation *t)
{
	int64_t last = t->dims / 2 - 1;
	double fast, slow, base;
	int digits, of_stretch;

	fast = growth(t, 0);
	slow = growth(t, last);
	if (!(fast > 0 && slow > 0 && slow <= fast * 1.000001))
		return false;
	base = last > 0 ? pow(fast / slow, (double)t->dims / 2 / (double)last) : 10000;
	for (of_stretch = 1; of_stretch <= 7; of_stretch += 3)
		for (digits = 1; digits <= 7; digits++) {
			t->stretch = rounded(1 / fast, of_stretch);
			t->base = fmax(rounded(base, digits), 1);
			t->first = round(angle_in_table(t, last, 0) / slow);
			if (angles_fit(t))
				return true;
		}
	return false;
}

static bool
is_turn(const struct row_search *s, const struct row *r, struct rotation *t)
{
	int64_t k;

	*t = (struct rotation){ .positions = s->dim[s->lead - 1], .row = r->n, .sum = r->sum, .first_of_row = INT64_MAX };
	for (k = 0; k < r->n; k++) {
		if (r->sum[k].n < 1)
			return false;
		t->first_of_row = r->sum[k].part[0].from < t->first_of_row ? r->sum[k].part[0].from : t->first_of_row;
		if (r->sum[k].n > 1 && r->sum[k].part[1].from < t->first_of_row)
			t->first_of_row = r->sum[k].part[1].from;
	}
	return t->positions > 1 && find_heads(t) && pairs_agree(t) && rows_follow(s->im, t->positions * t->dims) &&
	    find_angles(t);
}

/* ---- as ours ---- */

static struct val *
rope(struct importer *im, struct val *x, const struct rotation *t, int64_t heads, int64_t rest)
{
	struct call c;

	call_begin(&c, im, "rope");
	call_in(&c, x);
	call_int(&c, "heads", heads);
	if (t->base != 10000)
		call_real(&c, "base", t->base);
	if (t->neighbours)
		call_int(&c, "interleaved", true);
	if ((x->t->dim[x->t->rank - 1] - rest) / heads != t->dims)
		call_int(&c, "dims", t->dims);
	if (rest > 0)
		call_int(&c, "rest", rest);
	if (t->first != 0)
		call_real(&c, "first", t->first);
	if (t->stretch != 1)
		call_real(&c, "stretch", t->stretch);
	return call_value(&c);
}

/* Of heads that were put in front of positions: turned where they lie side by side, and put there
 * then. */
static struct val *
of_turned_heads(struct importer *im, const struct row_search *s, const struct rotation *t)
{
	const struct step *put = made_by(s->base, "permute");
	const struct tensor *x = s->base->t;
	int64_t rows[MODEL_RANK];
	int lead = s->lead - 2;
	struct val *v;
	struct call c;

	if (!put || t->heads > 1 || t->row != x->dim[x->rank - 1] || s->lead != x->rank - 1 || !exchanges_heads(put))
		return NULL;
	memcpy(rows, x->dim, (size_t)lead * sizeof(*rows));
	rows[lead] = t->positions;
	rows[lead + 1] = x->dim[lead] * t->row;
	v = reshape_value(im, put->in[0], lead + 2, rows);
	if (!v || !(v = rope(im, v, t, x->dim[lead], 0)) || !(v = reshape_value(im, v, x->rank, put->in[0]->t->dim)))
		return NULL;
	call_begin(&c, im, "permute");
	call_in(&c, v);
	call_ints(&c, "axes", x->rank, step_attr(put, "axes")->v);
	return call_value(&c);
}

static struct val *
turned(struct importer *im, const struct row_search *s, const struct rotation *t)
{
	const struct tensor *x = s->base->t;
	int64_t rows[MODEL_RANK], all = 1;
	struct val *v = of_turned_heads(im, s, t);
	int i;

	if (v)
		return v;
	for (i = s->lead; i < x->rank; i++)
		all *= x->dim[i];
	memcpy(rows, x->dim, (size_t)s->lead * sizeof(*rows));
	rows[s->lead] = all;
	v = reshape_value(im, (struct val *)s->base, s->lead + 1, rows);
	if (v && t->row != all)
		v = along_run(im, v, s->lead, t->first_of_row, 1, t->row);
	return v ? rope(im, v, t, t->heads, t->rest) : NULL;
}

/* The last that was made of those not tried yet; false: there is none. */
static bool
next_base(struct row_search *s)
{
	int i, best = -1;

	for (i = 1; i < s->n; i++)
		if (!s->tried[i] && s->seen[i]->t->kind != T_POISON && (best < 0 || made_at(s->seen[i]) > made_at(s->seen[best])))
			best = i;
	if (best < 0)
		return false;
	s->tried[best] = true;
	s->base = s->seen[best];
	memset(s->row, 0, sizeof(s->row));
	arena_free(s->scratch);
	s->scratch = arena_child(s->im->arena);
	return true;
}

static struct val *
find_turn(struct row_search *s, struct val *v)
{
	struct rotation t;
	struct row r;
	int i;

	rows_look(s, v, 0);
	if (!s->table || s->large)
		return NULL;
	for (i = 0; i < s->table->rank && s->table->dim[i] == 1; i++)
		;
	s->lead = i + 1;
	s->dim = v->t->dim;
	while (s->lead < v->t->rank + 1 && s->lead < MAX_RANK && next_base(s))
		if (row_of(s, v, &r, 0) && is_turn(s, &r, &t))
			return turned(s->im, s, &t);
	return NULL;
}

void
recognise_turn(struct importer *im, const char *name)
{
	struct val *v = val_of(im, name), *made;
	struct row_search s = { .im = im };
	int problems = im->result->problems.n;
	const struct step *of;

	if (!v->t || !v->def || !v->t->batched)
		return;
	s.scratch = arena_child(im->arena);
	made = reshape_value(im, find_turn(&s, v), v->t->rank, v->t->dim);
	arena_free(s.scratch);
	im->result->problems.n = problems;
	if (!made)
		return;
	val_view(im, name, made, v->source);
	for (v = val_first(v); ; made = of->in[0]) {	/* in whichever shape others take it */
		map_put(im->arena, &im->spelled, arena_printf(im->arena, "%p", (const void *)made), v);
		if (!(of = made_by(made, "reshape")) && !(of = made_by(made, "flatten")))
			break;
	}
}
