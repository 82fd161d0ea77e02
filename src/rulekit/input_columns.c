/* What of the data files a layer reads; see input_columns.h. */
#include "rulekit/input_columns.h"

#include <math.h>

#include "ir/ir.h"
#include "readers/reader.h"

#define FEWEST	8	/* rows that say something of a column, */
#define ENOUGH	1024	/* and numbers that do of a map as a whole */
#define MOST_READ	((int64_t)1 << 23)	/* numbers of all layers that are looked at */
#define MOST_FORMS	64	/* of a map, by factor and offset */

void
input_looks(struct input_looks *k, const struct lint *l)
{
	size_t n = (size_t)l->module->forward->inputs.n + 1;

	*k = (struct input_looks){ l, arena_array(l->module->arena, n, sizeof(*k->look)), arena_array(l->module->arena, n, 1),
		arena_array(l->module->arena, n, sizeof(*k->sums)), MOST_READ };
}

static bool
says_enough(const struct lint *l, const struct tensor *input, struct data_look *look)
{
	const struct data_source *d = &l->module->set.data;

	if (input->rank < 2)
		return data_look(l, d, input, look) && look->rows >= FEWEST;
	if (!data_look_part(l, d, input, look))
		return false;
	return look->rows >= FEWEST || (look->there ? look->there : look->rows * look->width) >= ENOUGH;
}

const struct data_look *
input_look(struct input_looks *k, const struct tensor *input)
{
	const struct module *m = k->l->module;
	int i = 0;

	while (i < m->forward->inputs.n && m->forward->inputs.v[i] != input)
		i++;
	if (i == m->forward->inputs.n)
		return NULL;
	if (k->known[i] == 0)
		k->known[i] = says_enough(k->l, input, &k->look[i]) ? 1 : -1;
	return k->known[i] > 0 ? &k->look[i] : NULL;
}

double
column_least(const struct input_column *c)
{
	return (c->factor < 0 ? c->most : c->least) * c->factor + c->offset;
}

double
column_most(const struct input_column *c)
{
	return (c->factor < 0 ? c->least : c->most) * c->factor + c->offset;
}

double
column_spread(const struct input_column *c)
{
	return c->spread * fabs(c->factor);
}

double
column_size(const struct input_column *c)
{
	return hypot(c->mean * c->factor + c->offset, column_spread(c));
}

int
column_digits(const struct input_column *c)
{
	return (int)fmin(15, 4 + fmax(0, log10(fabs(c->mean) / c->spread)));
}

#define STRAY	10	/* times the deviation from the mean */

bool
column_has_stray(const struct input_column *c)
{
	return fmax(c->most - c->mean, c->mean - c->least) > STRAY * c->spread;
}

/* Until it is closed, MEAN and SPREAD are the sums of numbers and of their squares. */
static void
add(struct input_column *c, int64_t at)
{
	int64_t there = c->look->there ? c->look->there : c->look->width, row, i, to = at == ALL_OF_IT || at >= there ? there : at + 1;

	for (row = 0; row < c->look->rows; row++)
		for (i = at == ALL_OF_IT ? 0 : at; i < to; i++) {
			double x = data_value(c->look, row, i);

			c->mean += x;
			c->spread += x * x;
			c->least = fmin(c->least, x);
			c->most = fmax(c->most, x);
			c->n++;
		}
}

/* The same, of what was found before. */
static void
add_again(struct input_looks *k, struct input_column *c, int64_t at)
{
	struct input_column **of = &k->sums[c->look - k->look], *sums;
	int64_t there = c->look->there ? c->look->there : c->look->width;

	if (at >= there)
		return;		/* it lies behind what was read */
	if (!*of)
		*of = arena_array(k->l->module->arena, (size_t)there + 1, sizeof(**of));
	sums = &(*of)[at == ALL_OF_IT ? there : at];
	if (sums->n == 0) {
		*sums = (struct input_column){ c->of, c->look, at, INFINITY, -INFINITY, 0, 0, 1, 0, 0 };
		add(sums, at);
	}
	c->mean += sums->mean;
	c->spread += sums->spread;
	c->least = fmin(c->least, sums->least);
	c->most = fmax(c->most, sums->most);
	c->n += sums->n;
}

static void
close_column(struct input_column *c)
{
	c->mean /= c->n;
	c->spread = sqrt(fmax(0, c->spread / c->n - c->mean * c->mean));
}

/* Of a map: the column that the number belongs to, among the N so far; NULL: it is a new one. */
static struct input_column *
column_of(struct input_column *v, int n, const struct input_number *x, double scale)
{
	while (n-- > 0)
		if (v[n].at == ALL_OF_IT && v[n].of == x->of && v[n].factor == x->factor * scale && v[n].offset == x->offset)
			return &v[n];
	return NULL;
}

#define MOST_COLUMNS	((int64_t)1 << 16)

/* At most so many columns. */
static size_t
bound_of(const struct input_numbers *held)
{
	size_t n = 1;
	int64_t i;

	for (i = 0; i < held->n; i++) {
		const struct input_number *x = &held->v[i], *was = i ? x - 1 : NULL;

		n += x->of && (x->of->rank <= 1 || !was || was->of != x->of || was->factor != x->factor || was->offset != x->offset);
	}
	return n;
}

int
input_columns(struct input_looks *k, const struct input_numbers *held, struct input_column **out)
{
	const struct module *m = k->l->module;
	struct input_column *v, *c;
	int64_t i;
	int n = 0, forms = 0, kept;

	*out = v = arena_array(m->arena, bound_of(held), sizeof(*v));
	if (held->n > MOST_COLUMNS || (k->left -= held->n) < 0)
		return 0;
	for (i = 0; i < held->n; i++) {
		const struct input_number *x = &held->v[i];
		bool is_scaled = x->of && x->of->kind == T_INPUT && x->of->dtype != DT_U8;
		bool is_normal = is_scaled && reader_count_of(&m->set.data, "std") > 0;	/* as it is read */
		const struct data_look *look = x->of && !x->of->classes && !held->parted && !is_normal ? input_look(k, x->of) : NULL;
		double scale = is_scaled ? m->set.data.scale : 1;

		if (!look)
			continue;
		c = x->of->rank > 1 ? column_of(v, n, x, scale) : NULL;
		if (!c) {
			if (x->of->rank > 1 && ++forms > MOST_FORMS)
				return 0;
			c = &v[n++];
			*c = (struct input_column){ x->of, look, x->of->rank > 1 ? ALL_OF_IT : x->at, INFINITY, -INFINITY, 0, 0,
				x->factor * scale, x->offset, 0 };
		}
		add_again(k, c, x->at);
	}
	for (i = kept = 0; i < n; i++)
		if (v[i].n > 0) {	/* else it lies behind what was read */
			v[kept] = v[i];
			close_column(&v[kept++]);
		}
	return kept;
}

int64_t
column_zeros(const struct input_column *c)
{
	int64_t row, zeros = 0;

	if (c->at == ALL_OF_IT)
		return column_least(c) == 0 || column_most(c) == 0;
	for (row = 0; row < c->look->rows; row++)
		zeros += data_value(c->look, row, c->at) * c->factor + c->offset == 0;
	return zeros;
}

int
input_columns_of(struct input_looks *k, const struct tensor *input, struct input_column **out)
{
	int64_t width = input->rank > 1 ? 1 : tensor_elements_per_sample(input), i;
	struct input_number *v = arena_array(k->l->module->arena, (size_t)width + 1, sizeof(*v));
	struct input_numbers all = { width, v, true, false };

	for (i = 0; i < width; i++)
		v[i] = (struct input_number){ input, input->rank > 1 ? ALL_OF_IT : i, 1, 0 };
	return input_columns(k, &all, out);
}

/* ---- one factor for all ---- */

#define NEAR	0.1	/* of a column's size: with less deviation a factor leaves it near one number; */
#define OFF	0.5	/* and with less than that a column that is alone is better centred */
#define WIDER	30	/* times a column's deviation another is as large */

static bool
is_near_one_number(const struct input_column *c)
{
	return c->spread > 0 && column_spread(c) < NEAR * column_size(c);
}

/* Index I of an axis of a sequence, of those that are read. */
static struct input_column
part_of(const struct input_column *c, int axis, int64_t i)
{
	struct input_column part = *c;
	int64_t rows = c->of->dim[0], n = c->of->dim[1], k;

	part.least = INFINITY;
	part.most = -INFINITY;
	part.mean = part.spread = part.n = 0;
	for (k = 0; k < (axis == 0 ? n : rows); k++)
		add(&part, axis == 0 ? i * n + k : k * n + i);
	close_column(&part);
	return part;
}

static bool
is_even_by(const struct input_column *c, int axis)
{
	double worst = 0, mildest = INFINITY;
	int64_t i;

	for (i = 0; i < c->of->dim[axis]; i++) {
		struct input_column part = part_of(c, axis, i);

		if (part.least < part.most && is_near_one_number(&part))
			return false;
		worst = fmax(worst, column_size(&part));
		mildest = part.least < part.most ? fmin(mildest, column_spread(&part)) : mildest;
	}
	return !isfinite(mildest) || worst < WIDER * mildest;
}

bool
columns_are_even(const struct input_column *v, int n)
{
	double worst = 0, mildest = INFINITY;
	int i;

	for (i = 0; i < n; i++) {
		if (is_near_one_number(&v[i]))
			return false;
		worst = fmax(worst, column_size(&v[i]));
		mildest = v[i].spread > 0 ? fmin(mildest, column_spread(&v[i])) : mildest;
		if (v[i].at == ALL_OF_IT && v[i].of->rank == 2 && (!is_even_by(&v[i], 0) || !is_even_by(&v[i], 1)))
			return false;
	}
	if (n == 1 && v->at != ALL_OF_IT && v->spread > 0 && column_spread(v) < OFF * column_size(v))
		return false;
	return n == 1 || (isfinite(mildest) && worst < WIDER * mildest);
}
