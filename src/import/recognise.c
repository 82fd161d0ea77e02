/*
 * Activations and layer normalisation that an exporter took apart, and matrices that it turned.
 * They are found from behind: at the product or the quotient that ends them, among the steps that
 * were made. Those before it are left, for others that may read them; where nobody does, they are
 * dropped as all unread steps are.
 */
#include "import/importer.h"

#include <math.h>
#include <string.h>

#define MOST_FACTORS	3
#define DEEPEST		8	/* products in products */

struct product {		/* scale * leaf[0] * leaf[1] ... */
	double scale;
	int n;
	const struct val *leaf[MOST_FACTORS];
	bool large;		/* there are more */
};

const struct step *
made_by(const struct val *v, const char *op)
{
	const struct val *first = val_first(v);

	return first->def && strcmp(first->def->op->name, op) == 0 ? first->def : NULL;
}

const struct attr *
step_attr(const struct step *s, const char *name)
{
	return op_preset(s->op, s->attr, name);
}

static double
real_of(const struct step *s, const char *name)
{
	return step_attr(s, name)->r;
}

bool
nearly(double x, double y)
{
	return fabs(x - y) <= 1e-5 * fabs(y);
}

static void
factors(const struct val *v, struct product *p, int depth)
{
	const struct step *s;

	v = val_first(v);
	if (depth < DEEPEST && (s = made_by(v, "mul")) && s->nin == 2) {
		factors(s->in[0], p, depth + 1);
		factors(s->in[1], p, depth + 1);
	} else if (depth < DEEPEST && (s = made_by(v, "scale")) && real_of(s, "offset") == 0) {
		p->scale *= real_of(s, "factor");
		factors(s->in[0], p, depth + 1);
	} else if (p->n < MOST_FACTORS)
		p->leaf[p->n++] = v;
	else
		p->large = true;
}

static struct product
product_of(const struct val *v)
{
	struct product p = { .scale = 1 };

	factors(v, &p, 0);
	return p;
}

/* Is it SCALE times x? */
static bool
is_scaled(const struct val *v, double scale, const struct val *x)
{
	struct product p = product_of(v);

	return p.n == 1 && !p.large && p.leaf[0] == x && nearly(p.scale, scale);
}

/* Is it 0.044715 x^3? */
static bool
is_cubed(const struct val *v, const struct val *x)
{
	struct product p = product_of(v);
	const struct step *s = p.n == 1 ? made_by(p.leaf[0], "pow") : NULL;
	int i;

	if (p.large || !nearly(p.scale, 0.044715))
		return false;
	if (s)
		return s->nin == 1 && real_of(s, "exponent") == 3 && val_first(s->in[0]) == x;
	for (i = 0; i < p.n; i++)
		if (p.leaf[i] != x)
			return false;
	return p.n == 3;
}

/* Is it sqrt(2 / pi) (x + 0.044715 x^3)? */
static bool
is_inside_of_tanh(const struct val *v, const struct val *x)
{
	struct product p = product_of(v);
	const struct step *s = p.n == 1 ? made_by(p.leaf[0], "add") : NULL;

	if (!s || s->nin != 2 || !nearly(p.scale, sqrt(2 / M_PI)))
		return false;
	return (val_first(s->in[0]) == x && is_cubed(s->in[1], x)) || (val_first(s->in[1]) == x && is_cubed(s->in[0], x));
}

/* Which activation of X is X times SCALE times GATE? NULL: none. */
static const char *
gated(const struct val *x, const struct val *gate, double scale, bool *by_tanh)
{
	const struct step *s, *one;

	*by_tanh = false;
	if (nearly(scale, 1) && (s = made_by(gate, "sigmoid")) && val_first(s->in[0]) == x)
		return "silu";
	if (nearly(scale, 1) && (s = made_by(gate, "hardsigmoid")) && val_first(s->in[0]) == x)
		return "hardswish";
	one = made_by(gate, "scale");	/* 1 + erf, or half of it */
	if (!one || !nearly(real_of(one, "factor"), real_of(one, "offset")) || !nearly(scale * real_of(one, "factor"), 0.5))
		return NULL;
	if ((s = made_by(one->in[0], "erf")) && is_scaled(s->in[0], sqrt(0.5), x))
		return "gelu";
	*by_tanh = (s = made_by(one->in[0], "tanh")) && is_inside_of_tanh(s->in[0], x);
	return *by_tanh ? "gelu" : NULL;
}

bool
recognise_activation(struct importer *im, const struct model_node *n)
{
	struct product p = { .scale = 1 };
	struct val *whole = NULL;
	const char *ours = NULL;
	bool by_tanh = false;
	struct call c;
	double r;
	int i;

	for (i = 0; i < 2; i++) {
		struct val *v = node_in(im, n, i);

		if (v && v->t) {
			factors(v, &p, 0);
			whole = v;
		} else if (val_number(v, &r))
			p.scale *= r;
		else
			return false;
	}
	if (!whole || p.n != 2 || p.large)
		return false;
	for (i = 0; i < 2 && !ours; i++)
		ours = gated(p.leaf[i], p.leaf[!i], p.scale, &by_tanh);
	if (!ours)
		return false;
	call_begin(&c, im, ours);
	call_like(&c, whole);
	c.in.v[0] = (struct val *)p.leaf[i - 1];
	if (by_tanh)
		call_int(&c, "tanh", true);
	return call_end(&c, n->out[0]);
}

/* Is it FACTOR times x, and OFFSET more? Then x; NULL. */
static const struct val *
line_of(const struct val *v, double factor, double offset)
{
	const struct step *s = made_by(v, "scale");

	return s && real_of(s, "factor") == factor && real_of(s, "offset") == offset ? val_first(s->in[0]) : NULL;
}

/* Of 2 t / (1 - t) that t; NULL. */
static const struct val *
near_zero(const struct val *v)
{
	const struct step *s = made_by(v, "div"), *sum = s && s->nin == 2 ? made_by(s->in[0], "add") : NULL;
	const struct val *t = sum && sum->nin == 2 && val_first(sum->in[0]) == val_first(sum->in[1]) ? val_first(sum->in[0]) : NULL;

	return t && line_of(s->in[1], -1, 1) == t ? t : NULL;
}

/* exp(x) - 1 as it stays exact: near 0 by t = tanh(x / 2), where |x| is below a number, which is of no account. */
bool
recognise_expm1(struct importer *im, const struct model_node *n)
{
	const struct val *near = node_in(im, n, 1), *far = node_in(im, n, 2), *one, *x;
	const struct step *less = node_in(im, n, 0) ? made_by(node_in(im, n, 0), "less") : NULL, *s;
	struct call c;

	if (!less || less->nin != 1 || !near || !far || !(one = line_of(far, 1, -1)) || !(s = made_by(one, "exp")))
		return false;
	x = val_first(s->in[0]);
	if (!(near = near_zero(near)) || !(s = made_by(near, "tanh")) || line_of(s->in[0], 0.5, 0) != x ||
	    !(s = made_by(less->in[0], "abs")) || val_first(s->in[0]) != x || real_of(less, "than") > 1)
		return false;
	call_begin(&c, im, "expm1");
	call_like(&c, node_in(im, n, 2));
	c.in.v[0] = (struct val *)x;
	return call_end(&c, n->out[0]);
}

/* ---- layer normalisation ---- */

/* Is it the mean of V along the last axis, which is kept? */
static const struct val *
mean_of(const struct val *v)
{
	const struct step *s = made_by(v, "mean");
	const struct attr *axis = s ? step_attr(s, "axis") : NULL;
	int rank = s ? s->in[0]->t->rank : 0;

	if (!s || axis->n != 1 || (axis->v[0] != rank - 1 && axis->v[0] != -1) || !step_attr(s, "keep")->i)
		return NULL;
	return val_first(s->in[0]);
}

/* What the mean is taken from; NULL: it is no such difference. */
static const struct val *
centred(const struct val *v)
{
	const struct step *s = made_by(v, "sub");

	return s && s->nin == 2 && mean_of(s->in[1]) == val_first(s->in[0]) ? val_first(s->in[0]) : NULL;
}

/* Of mean(d^2) + eps that d^2; NULL. */
static const struct val *
square_in(const struct val *v, double *eps)
{
	const struct step *sum = made_by(v, "scale");

	if (!sum || real_of(sum, "factor") != 1)
		return NULL;
	*eps = real_of(sum, "offset");
	return mean_of(sum->in[0]);
}

/* Is it sqrt(mean(d^2) + eps), where d is X less its mean? */
static bool
is_deviation(const struct val *v, const struct val *x, double *eps)
{
	const struct step *root = made_by(v, "sqrt"), *s;
	const struct val *square = root ? square_in(root->in[0], eps) : NULL;

	if (!square)
		return false;
	if ((s = made_by(square, "pow")))
		return s->nin == 1 && real_of(s, "exponent") == 2 && centred(s->in[0]) == x;
	s = made_by(square, "mul");
	return s && s->nin == 2 && centred(s->in[0]) == x && centred(s->in[1]) == x;
}

/* The vector that the only reader of a name multiplies it by, or adds to it; NULL. */
static const struct numbers *
vector_after(struct importer *im, const char *name, const char *op, int64_t count, const struct model_node **node)
{
	const struct model_node *user = sole_user(im, name);
	struct val *other;

	*node = user;
	if (!user || strcmp(user->op, op) != 0 || user->nin != 2)
		return NULL;
	other = node_in(im, user, strcmp(user->in[0], name) == 0);
	return other && other->data && !other->data->computed && numbers_are_real(other->data) && other->data->rank == 1 &&
	    other->data->count == count ? other->data : NULL;
}

bool
recognise_layernorm(struct importer *im, const struct model_node *n)
{
	struct val *d = node_in(im, n, 0), *by = node_in(im, n, 1);
	const struct val *x = d && d->t && by && by->t ? centred(d) : NULL;
	const struct model_node *scaled, *shifted;
	const struct numbers *weight, *bias;
	double eps;
	struct call c;

	if (!x || x->t->rank < 1 || !is_deviation(by, x, &eps))
		return false;
	weight = vector_after(im, n->out[0], "Mul", x->t->dim[x->t->rank - 1], &scaled);
	if (!weight)
		return false;
	bias = vector_after(im, scaled->out[0], "Add", x->t->dim[x->t->rank - 1], &shifted);
	call_begin(&c, im, "layernorm");
	call_like(&c, d);
	c.in.v[0] = (struct val *)x;
	if (fabs(eps - 1e-5) > 1e-9)
		call_real(&c, "eps", eps);
	call_weight(&c, weight, false);
	if (bias)
		call_weight(&c, bias, false);
	else
		call_int(&c, "bias", false);
	node_done(im, scaled);
	if (bias)
		node_done(im, shifted);
	return call_end(&c, bias ? shifted->out[0] : scaled->out[0]);
}

/* ---- by the root of mean squares ---- */

static bool
is_square(const struct val *v, const struct val *x)
{
	const struct step *s = made_by(v, "pow");

	if (s)
		return s->nin == 1 && real_of(s, "exponent") == 2 && val_first(s->in[0]) == x;
	s = made_by(v, "mul");
	return s && s->nin == 2 && val_first(s->in[0]) == x && val_first(s->in[1]) == x;
}

/* Is it 1 / sqrt(mean(x^2) + eps)? */
static bool
is_inverse_root(const struct val *v, const struct val *x, double *eps)
{
	const struct step *s = made_by(v, "reciprocal"), *root = NULL;
	const struct val *square = NULL;

	if (s && real_of(s, "of") == 1)
		root = made_by(s->in[0], "sqrt");
	if (root || (s = made_by(v, "rsqrt")))
		square = square_in(root ? root->in[0] : s->in[0], eps);
	else if ((s = made_by(v, "pow")) && s->nin == 1 && real_of(s, "exponent") == -0.5)
		square = square_in(s->in[0], eps);
	return square && is_square(square, x);
}

/* What is divided by the root of the mean of its squares; NULL: it is none of that. */
static const struct val *
by_its_root(const struct val *v, double *eps)
{
	const struct step *s = made_by(v, "div"), *root = s && s->nin == 2 ? made_by(s->in[1], "sqrt") : NULL;
	const struct val *square = root ? square_in(root->in[0], eps) : NULL;
	int k;

	if (root)
		return square && is_square(square, val_first(s->in[0])) ? val_first(s->in[0]) : NULL;
	for (k = 0; (s = made_by(v, "mul")) && s->nin == 2 && k < 2; k++)
		if (is_inverse_root(s->in[k], val_first(s->in[!k]), eps))
			return val_first(s->in[!k]);
	return NULL;
}

/* That times a trained number for each place of the last axis. */
bool
recognise_rmsnorm(struct importer *im, const struct model_node *n)
{
	struct val *v[2] = { node_in(im, n, 0), node_in(im, n, 1) };
	const struct val *x;
	double eps;
	int k;
	struct call c;

	for (k = 0; k < 2; k++) {
		const struct numbers *weight = v[!k] ? v[!k]->data : NULL;

		if (!weight || !v[k] || !v[k]->t || weight->computed || !numbers_are_real(weight) || weight->rank != 1 || v[k]->t->rank < 1 ||
		    weight->count != v[k]->t->dim[v[k]->t->rank - 1] || layout_axis(v[k], val_rank(v[k]) - 1) != v[k]->t->rank - 1 ||
		    !(x = by_its_root(v[k], &eps)))
			continue;
		call_begin(&c, im, "rmsnorm");
		call_like(&c, v[k]);
		c.in.v[0] = (struct val *)x;
		if (fabs(eps - 1e-6) > 1e-12)
			call_real(&c, "eps", float_decimal((float)eps));
		call_weight(&c, weight, false);
		return call_end(&c, n->out[0]);
	}
	return false;
}

/* ---- by the length of rows ---- */

static bool
same_extents(const struct tensor *a, const struct tensor *b)
{
	return a->rank == b->rank && a->batched == b->batched && memcmp(a->dim, b->dim, (size_t)a->rank * sizeof(*a->dim)) == 0;
}

/* x / max(sqrt(sum(x^2)), eps) along an axis, whose length may be repeated for each place of it. */
bool
recognise_l2norm(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0), *by = node_in(im, n, 1);
	const struct step *s = x && by && by->t ? made_by(by, "broadcast") : NULL, *most;
	const struct attr *axis;
	struct call c;

	if (!x || !by || !by->t)
		return false;
	most = made_by(s ? s->in[0] : by, "maximum");
	if (!most || most->nin != 1 || real_of(most, "other") <= 0 || !(s = made_by(most->in[0], "sqrt")) || !(s = made_by(s->in[0], "sum")))
		return false;
	axis = step_attr(s, "axis");
	if (axis->n != 1 || !step_attr(s, "keep")->i || (!x->t && !x->data) || !(x = val_laid(im, x, -1)) ||
	    !is_square(s->in[0], val_first(x)) || (made_by(by, "broadcast") && !same_extents(by->t, x->t)))
		return false;
	call_begin(&c, im, "l2norm");
	call_like(&c, x);
	if (axis->v[0] != 0)
		call_int(&c, "axis", axis->v[0]);
	if (fabs(real_of(most, "other") / 1e-12 - 1) > 1e-6)
		call_real(&c, "eps", real_of(most, "other"));
	return call_end(&c, n->out[0]);
}

/* ---- normalisation of groups ---- */

/* One number for each channel, in front of axes of extent 1, by which the only reader of a name
 * multiplies it, or which it adds; NULL. */
static const struct numbers *
channels_after(struct importer *im, const char *name, const char *op, int rank, int64_t channels, const struct model_node **node)
{
	const struct model_node *user = sole_user(im, name);
	struct val *other;

	*node = user;
	if (!user || strcmp(user->op, op) != 0 || user->nin != 2)
		return NULL;
	other = node_in(im, user, strcmp(user->in[0], name) == 0);
	return other && other->data && !other->data->computed && numbers_are_real(other->data) && other->data->rank >= rank &&
	    other->data->count == channels && other->data->dim[other->data->rank - rank] == channels ? other->data : NULL;
}

bool
recognise_groupnorm(struct importer *im, const struct model_node *n, struct val *v, struct layout to, int rank, const int64_t *dim)
{
	const struct step *norm = made_by(v, "instancenorm"), *apart = norm ? made_by(norm->in[0], "reshape") : NULL;
	struct val *x = apart ? apart->in[0] : NULL;
	const struct model_node *scaled = NULL, *shifted = NULL;
	const struct numbers *weight, *bias;
	struct call c;

	if (!x || step_attr(norm, "affine")->i || to.at != 0 || to.merged || !val_is_plain(x) || norm->in[0]->t->rank != 2 ||
	    rank < 2 || rank != x->t->rank || memcmp(dim, x->t->dim, (size_t)rank * sizeof(*dim)) != 0 ||
	    dim[0] % norm->in[0]->t->dim[0] != 0)
		return false;
	weight = channels_after(im, n->out[0], "Mul", rank, dim[0], &scaled);
	bias = weight ? channels_after(im, scaled->out[0], "Add", rank, dim[0], &shifted) : NULL;
	call_begin(&c, im, "groupnorm");
	call_in(&c, x);
	call_int(&c, "groups", norm->in[0]->t->dim[0]);
	if (step_attr(norm, "eps")->given)
		call_real(&c, "eps", step_attr(norm, "eps")->r);
	if (!bias) {
		call_int(&c, "affine", false);
		return call_end(&c, n->out[0]);
	}
	call_weight(&c, weight, false);
	call_weight(&c, bias, false);
	node_done(im, scaled);
	node_done(im, shifted);
	return call_end(&c, shifted->out[0]);
}

/* ---- matrices that a product turns ---- */

/* Of a value that one step alone reads what has its last two axes the other way round; NULL. */
static struct val *
turned_back(const struct val *v)
{
	const struct step *s = v->uses == 1 ? made_by(v, "permute") : NULL;
	const struct attr *axes = s ? step_attr(s, "axes") : NULL;
	int i, rank = v->t->rank;

	if (!s || axes->n != rank || rank < 2)
		return NULL;
	for (i = 0; i < rank; i++)
		if (axes->v[i] != (i < rank - 2 ? i : 2 * rank - 3 - i))
			return NULL;
	return s->in[0];
}

bool
recognise_turned(struct importer *im)
{
	static const char *const name[] = { "transpose_a", "transpose_b" };
	bool any = false;
	int i, k;

	for (i = 0; i < im->steps.n; i++) {
		struct step *s = im->steps.v[i];

		for (k = 0; k < 2 && strcmp(s->op->name, "matmul") == 0; k++) {
			struct val *v = turned_back(s->in[k]);
			struct attr *a = op_preset(s->op, s->attr, name[k]);

			if (!v)
				continue;
			s->in[k] = v;
			a->given = true;
			a->i = !a->i;
			any = true;
		}
	}
	return any;
}
