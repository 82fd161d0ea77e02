#include "import/rows.h"

#include <string.h>

#define DEEPEST		16	/* steps in steps */
#define MOST_ROW	((int64_t)1 << 14)
#define MOST_FOLLOWED	((int64_t)1 << 28)	/* numbers in all */
#define MOST_TABLE	((int64_t)1 << 22)

/* What the model has in the place of a turn that was recognised. */
static const struct val *
spelled(const struct row_search *s, const struct val *v)
{
	const struct val *as;

	v = val_first(v);
	as = map_get(&s->im->spelled, arena_printf(s->scratch, "%p", (const void *)v));
	return as ? as : v;
}

static const struct numbers *
table_of(const struct val *v)
{
	const struct step *s;

	v = val_first(v);
	if (v->known)
		return v->known;
	s = made_by(v, "parameter");
	return s && !s->weight[0].view && s->weight[0].numbers->data && s->weight[0].numbers->count <= MOST_TABLE ?
	    s->weight[0].numbers : NULL;
}

/* ---- values on the way back ---- */

static bool
is_line(const struct step *s)
{
	static const char *const ops[] = { "add", "sub", "mul", "scale", "concat", "slice", "reshape", "flatten", NULL };
	int i;

	for (i = 0; s && ops[i]; i++)
		if (strcmp(s->op->name, ops[i]) == 0)
			return true;
	return false;
}

void
rows_look(struct row_search *s, const struct val *v, int depth)
{
	int i;

	v = spelled(s, v);
	for (i = 0; i < s->n; i++)
		if (s->seen[i] == v)
			return;
	if (s->n == MOST_VALUES || depth > DEEPEST) {
		s->large = true;
		return;
	}
	s->seen[s->n++] = v;
	for (i = 0; is_line(v->def) && i < v->def->nin; i++) {
		const struct val *in = v->def->in[i];

		if (!table_of(in))
			rows_look(s, in, depth + 1);
		else if (strcmp(v->def->op->name, "mul") == 0)
			s->table = in->t;
	}
}

/* ---- what the numbers of a row are ---- */

bool
rows_follow(struct importer *im, int64_t numbers)
{
	if (numbers > MOST_FOLLOWED - im->followed)
		return false;
	im->followed += numbers;
	return true;
}

static bool
room(struct row_search *s, struct row *r, const struct val *v)
{
	int64_t n = 1;
	int i;

	if (v->t->rank < s->lead || memcmp(v->t->dim, s->dim, (size_t)s->lead * sizeof(*s->dim)) != 0 || !v->t->batched != !s->base->t->batched)
		return false;
	for (i = s->lead; i < v->t->rank; i++)
		if (__builtin_mul_overflow(n, v->t->dim[i], &n))
			return false;
	if (n > MOST_ROW || n < 1 || !rows_follow(s->im, n))
		return false;
	r->n = n;
	r->sum = arena_array(s->scratch, (size_t)n, sizeof(*r->sum));
	return true;
}

/* Places of a row as the axes of ours behind the lead have them. */
static bool
row_of_slice(const struct row_search *s, const struct step *of, const struct row *from, struct row *to)
{
	const struct tensor *x = of->in[0]->t;
	const struct attr *axis = step_attr(of, "axis"), *start = step_attr(of, "start"), *by = step_attr(of, "step"),
	    *drop = step_attr(of, "drop");
	int64_t stride[MODEL_RANK], extent[MODEL_RANK], first = 0, each = 1, k;
	bool gone[MODEL_RANK] = { false };
	int i, rank = 0;

	for (i = x->rank - 1; i >= 0; i--) {
		stride[i] = each;
		extent[i] = x->dim[i];
		each *= i >= s->lead ? x->dim[i] : 1;
	}
	for (i = 0; i < drop->n; i++)
		gone[drop->v[i] < 0 ? drop->v[i] + x->rank : drop->v[i]] = true;
	for (i = 0; i < axis->n; i++) {
		int at = (int)(axis->v[i] < 0 ? axis->v[i] + x->rank : axis->v[i]);
		int64_t begin = i < start->n ? start->v[i] : 0, step = i < by->n ? by->v[i] : 1, stop = extent[at];
		const struct attr *end = step_attr(of, "stop");

		if (at < s->lead || step < 1)
			return false;
		begin = begin < 0 ? begin + x->dim[at] : begin;
		stop = i < end->n ? end->v[i] : stop;
		stop = stop < 0 ? stop + x->dim[at] : stop > x->dim[at] ? x->dim[at] : stop;
		first += begin * stride[at];
		extent[at] = (stop - begin + step - 1) / step;
		stride[at] *= step;
	}
	for (i = s->lead; i < x->rank; i++) {		/* what is dropped has one place */
		if (gone[i] && extent[i] != 1)
			return false;
		stride[rank] = stride[i];
		extent[rank++] = extent[i];
	}
	for (k = 0; k < to->n; k++) {
		int64_t at = first, rest = k;

		for (i = rank - 1; i >= 0; i--) {
			at += rest % extent[i] * stride[i];
			rest /= extent[i];
		}
		if (rest > 0 || at >= from->n)
			return false;
		to->sum[k] = from->sum[at];
	}
	return true;
}

static bool
row_of_concat(struct row_search *s, const struct step *of, struct row *to, int depth)
{
	const struct tensor *y = of->out->t;
	int64_t axis = step_attr(of, "axis")->i, before = 1, after = 1, at = 0, b, k, each;
	struct row from;
	int i;

	axis += axis < 0 ? y->rank : 0;
	if (axis < s->lead)
		return false;
	for (i = s->lead; i < y->rank; i++) {
		before *= i < axis ? y->dim[i] : 1;
		after *= i > axis ? y->dim[i] : 1;
	}
	for (i = 0; i < of->nin; i++, at += each) {
		if (!row_of(s, of->in[i], &from, depth + 1))
			return false;
		each = of->in[i]->t->dim[axis] * after;
		for (b = 0; b < before; b++)
			for (k = 0; k < each; k++)
				to->sum[b * y->dim[axis] * after + at + k] = from.sum[b * each + k];
	}
	return true;
}

/* By a table that has one column for each place, or for several. */
static bool
row_of_product(struct row_search *s, const struct step *of, const struct val *by, const struct row *from, struct row *to)
{
	const struct numbers *n = table_of(by);
	const struct tensor *t = by->t, *y = of->out->t;
	int64_t stride[MODEL_RANK], each = 1, step = 0, k;
	int i, p;

	if (!n || t->rank != y->rank || t->batched || n->count != tensor_elements_per_sample(t) || from->n != to->n)
		return false;
	for (i = t->rank - 1; i >= 0; i--) {
		stride[i] = t->dim[i] > 1 ? each : 0;
		each *= t->dim[i];
		if (i < s->lead - 1 && t->dim[i] != 1)
			return false;
		if (i == s->lead - 1)
			step = stride[i];
	}
	for (k = 0; k < to->n; k++) {
		int64_t first = 0, rest = k;

		for (i = t->rank - 1; i >= s->lead; i--) {
			first += rest % y->dim[i] * stride[i];
			rest /= y->dim[i];
		}
		to->sum[k] = from->sum[k];
		for (p = 0; p < to->sum[k].n; p++) {
			if (to->sum[k].part[p].by.table)
				return false;
			to->sum[k].part[p].by = (struct column){ n, first, step };
		}
	}
	return true;
}

static bool
row_of_sum(const struct row *a, const struct row *b, double sign, struct row *to)
{
	int64_t k;
	int p;

	if (a->n != to->n || b->n != to->n)
		return false;
	for (k = 0; k < to->n; k++) {
		to->sum[k] = a->sum[k];
		for (p = 0; p < b->sum[k].n; p++) {
			if (to->sum[k].n == 2)
				return false;
			to->sum[k].part[to->sum[k].n] = b->sum[k].part[p];
			to->sum[k].part[to->sum[k].n++].factor *= sign;
		}
	}
	return true;
}

static bool
row_of_pair(struct row_search *s, const struct step *of, struct row *to, int depth)
{
	const char *op = of->op->name;
	struct row a, b;
	int k;

	for (k = 0; k < 2 && *op == 'm'; k++)
		if (table_of(of->in[k]))
			return row_of(s, of->in[!k], &a, depth + 1) && row_of_product(s, of, of->in[k], &a, to);
	return *op != 'm' && row_of(s, of->in[0], &a, depth + 1) && row_of(s, of->in[1], &b, depth + 1) &&
	    row_of_sum(&a, &b, *op == 's' ? -1 : 1, to);
}

static bool
row_of_step(struct row_search *s, const struct val *v, struct row *to, int depth)
{
	const struct step *of = v->def;
	struct row from;
	int64_t k;
	int p;

	if (depth > DEEPEST || !room(s, to, v))
		return false;
	if (v == s->base) {
		for (k = 0; k < to->n; k++)
			to->sum[k] = (struct sum){ 1, { { k, 1, { NULL, 0, 0 } } } };
		return true;
	}
	if (!is_line(of))
		return false;
	if (strcmp(of->op->name, "concat") == 0)
		return row_of_concat(s, of, to, depth);
	if (of->nin == 2)
		return row_of_pair(s, of, to, depth);
	if (of->nin != 1 || !row_of(s, of->in[0], &from, depth + 1))
		return false;
	if (strcmp(of->op->name, "slice") == 0)
		return row_of_slice(s, of, &from, to);
	if (from.n != to->n)
		return false;
	memcpy(to->sum, from.sum, (size_t)to->n * sizeof(*to->sum));
	if (strcmp(of->op->name, "scale") == 0) {
		if (step_attr(of, "offset")->r != 0)
			return false;
		for (k = 0; k < to->n; k++)
			for (p = 0; p < to->sum[k].n; p++)
				to->sum[k].part[p].factor *= step_attr(of, "factor")->r;
	}
	return true;
}

bool
row_of(struct row_search *s, const struct val *v, struct row *to, int depth)
{
	int i;

	v = spelled(s, v);
	for (i = 0; i < s->n && s->seen[i] != v; i++)
		;
	if (i == s->n || (!s->row[i].sum && !row_of_step(s, v, &s->row[i], depth)))
		return false;
	*to = s->row[i];
	return true;
}
