/*
 * Evaluates a mask where it is asked, one element at a time: it is made of few operators, and its
 * first row and the last one that is asked tell what all do, since triangles depend on j - i alone.
 */
#include "rulekit/known_mask.h"

#include "ir/op.h"
#include "rulekit/graph_query.h"

#define MOST_STEPS	64	/* operators for an element; of more nothing is known */
#define MOST_LENGTH	65536

struct place {
	const bool *placed;
	int64_t i, j, length;
	int steps, scores;	/* how many of either have been met */
};

static bool	value_at(struct place *, const struct tensor *, double *);

/* q k^T of positions; its own values are not known, and count as 0. */
static bool
is_score(const struct place *p, const struct node *n)
{
	return p->placed && node_is(n, "matmul") && !op_bool(n, "transpose_a") && op_bool(n, "transpose_b") &&
	    p->placed[n->in[0]->id] && p->placed[n->in[1]->id];
}

static bool
pair_at(struct place *p, const struct node *n, double *x)
{
	double a, b;
	int before = p->scores;

	if (n->nin != 2 || !n->in[0] || !n->in[1] || !value_at(p, n->in[0], &a))
		return false;
	if (node_is(n, "add")) {
		if (!value_at(p, n->in[1], &b))
			return false;
		*x = a + b;
		return p->scores < 2;
	}
	if (p->scores > before && node_is(n, "mul"))
		return false;
	before = p->scores;
	if (!value_at(p, n->in[1], &b) || p->scores > before)
		return false;
	*x = node_is(n, "sub") ? a - b : a * b;
	return true;
}

/* Where one of the two is a number, the operand is the other one. */
static bool
choice_at(struct place *p, const struct node *n, double *x)
{
	const struct tensor *of;
	const struct attr *number;
	int before = p->scores;
	double yes;

	if (n->nin < 1 || !n->in[0] || !value_at(p, n->in[0], &yes) || p->scores > before)
		return false;
	number = op_attr(n, yes != 0 ? "yes" : "no");
	if (number->given) {
		*x = number->r;
		return true;
	}
	of = n->nin > 2 ? n->in[yes != 0 ? 1 : 2] : n->nin == 2 ? n->in[1] : NULL;
	return of && value_at(p, of, x);
}

/* What is known of element [i, j]; false: nothing is. */
static bool
value_at(struct place *p, const struct tensor *t, double *x)
{
	const struct node *n = t->def;
	int before = p->scores;
	double of;

	if (!n || p->steps++ >= MOST_STEPS || t->rank < 2 || t->dim[t->rank - 1] != p->length || t->dim[t->rank - 2] != p->length)
		return false;
	if (is_score(p, n)) {
		*x = 0;
		p->scores++;
	} else if (node_is(n, "tril")) {
		*x = p->j - p->i <= op_int(n, "diagonal");
	} else if (node_is(n, "triu")) {
		*x = p->j - p->i >= op_int(n, "diagonal");
	} else if (node_is(n, "scale")) {
		if (!value_at(p, n->in[0], &of) || (p->scores > before && op_real(n, "factor") <= 0))
			return false;
		*x = op_real(n, "factor") * of + op_real(n, "offset");
	} else if (node_is(n, "add") || node_is(n, "sub") || node_is(n, "mul")) {
		return pair_at(p, n, x);
	} else if (node_is(n, "where")) {
		return choice_at(p, n, x);
	} else {
		return false;
	}
	return true;
}

static bool
look(const struct tensor *t, const bool *placed, int64_t length, int64_t i, int64_t j, double *x)
{
	struct place p = { .placed = placed, .i = i, .j = j, .length = length };

	return value_at(&p, t, x);
}

/* Is nothing in row I weighed more than what is BY behind it? That itself must be a score. */
static bool
row_shows(const struct tensor *t, const bool *placed, int64_t length, int64_t i, int64_t by)
{
	struct place p = { .placed = placed, .i = i, .j = i + by, .length = length };
	double shown, other;
	int64_t j;

	if (!value_at(&p, t, &shown) || p.scores != (placed ? 1 : 0))
		return false;
	for (j = 0; j < length; j++)
		if (!look(t, placed, length, i, j, &other) || other > shown)
			return false;
	return true;
}

bool
known_mask_shows(const struct tensor *scores, const bool *placed, int64_t length, int64_t by)
{
	return by > 0 && by < length && length <= MOST_LENGTH && row_shows(scores, placed, length, 0, by) &&
	    row_shows(scores, placed, length, length - by - 1, by);
}
