/*
 * Sums of products by a formula of letters, "bij,bjk->bik". Of two operands they are matrix
 * products: letters of both that stay count the products, those of both that go are summed, the
 * rest are rows or columns, and what one operand alone has and the result has not is summed before.
 * Where each position has a
 * matrix of its own that is trained, and what it meets are the windows of an image, it is a layer
 * of ours.
 */
#include "import/arrays.h"

#include <ctype.h>
#include <string.h>

#define LETTERS	MODEL_RANK

struct term {			/* letters of an operand, or of the result */
	int n;
	char letter[LETTERS + 1];
};

struct formula {
	struct term in[2], out;
};

static bool
has(const struct term *t, char letter)
{
	return letter && memchr(t->letter, letter, (size_t)t->n);
}

static int
count_of(const struct term *t, char letter)
{
	int i, n = 0;

	for (i = 0; i < t->n; i++)
		n += t->letter[i] == letter;
	return n;
}

static int
place(const struct term *t, char letter)
{
	return (int)((const char *)memchr(t->letter, letter, (size_t)t->n) - t->letter);
}

static bool
is_end(char c)
{
	return !c || c == ',' || c == '-';
}

static bool
is_ellipsis(const char *s)
{
	return strncmp(s, "...", 3) == 0;
}

/* For how many axes of an operand of RANK the dots of its term stand; those are called 0, 1, 2 ...,
 * from the last one on. */
static int
dotted_axes(const char *s, int rank)
{
	bool dots = false;

	for (; !is_end(*s); s++) {
		rank -= isalpha((unsigned char)*s) != 0;
		dots |= *s == '.';
	}
	return dots && rank > 0 ? rank : 0;
}

/* What is said up to an end; NULL: it is no letter, or comes more than TIMES times. */
static const char *
term_of(struct term *t, const char *s, int dotted, int times)
{
	int k;

	for (t->n = 0; !is_end(*s); s++) {
		if (*s == ' ')
			continue;
		if (is_ellipsis(s)) {
			for (k = dotted; k > 0 && t->n < LETTERS; k--)
				t->letter[t->n++] = (char)('0' + k - 1);
			s += 2;
			continue;
		}
		if (!isalpha((unsigned char)*s) || t->n == LETTERS || count_of(t, *s) == times)
			return NULL;
		t->letter[t->n++] = *s;
	}
	return s;
}

/* Without an arrow the result has what dots stand for, and the letters that come once, in the order
 * of the alphabet. */
static void
implied(struct formula *f)
{
	int c;

	for (c = '9'; c >= '0'; c--)
		if ((has(&f->in[0], (char)c) || has(&f->in[1], (char)c)) && f->out.n < LETTERS)
			f->out.letter[f->out.n++] = (char)c;
	for (c = 'A'; c <= 'z'; c++)
		if (count_of(&f->in[0], (char)c) + count_of(&f->in[1], (char)c) == 1 && f->out.n < LETTERS)
			f->out.letter[f->out.n++] = (char)c;
}

static bool
formula_of(struct importer *im, const struct model_node *n, struct formula *f)
{
	const char *equation = attr_text(n, "equation", ""), *s = equation;
	int i, dotted = 0, most = 0;

	*f = (struct formula){ .out.n = 0 };
	for (i = 0; i < n->nin && s; i++) {
		dotted = node_in(im, n, i) ? dotted_axes(s, val_rank(node_in(im, n, i))) : 0;
		most = dotted > most ? dotted : most;
		s = term_of(&f->in[i], s, dotted, 2);
		if (s && i + 1 < n->nin)
			s = *s == ',' ? s + 1 : NULL;
	}
	if (s && *s == '-' && s[1] == '>')
		s = term_of(&f->out, s + 2, most, 1);
	else if (s && !*s)
		implied(f);
	for (i = 0; s && i < f->out.n; i++)
		if (!has(&f->in[0], f->out.letter[i]) && !has(&f->in[1], f->out.letter[i]))
			s = NULL;
	return (s && !*s) || cannot(im, "its equation '%s' is none of letters that come once or twice in an operand, and once in the "
	    "result", equation);
}

/* ---- operands as tensors of ours ---- */

struct operand {
	struct val *v;
	struct term term;	/* of its axes in ours, without the batch */
	char batch;		/* '\0': it has none */
};

/* Where a letter comes again, the places where both are equal: of the two axes as one, each that is
 * their extent and one farther. */
static bool
diagonal(struct importer *im, struct operand *o, int first, int again)
{
	int64_t axes[LETTERS], dim[LETTERS], n = o->v->t->dim[first], square, axis = -1, step = n + 1;
	int i, rank = o->term.n, k = 0;
	struct term rest = { 0 };
	struct call c;

	if (o->v->t->dim[again] != n || __builtin_mul_overflow(n, n, &square))
		return cannot(im, "its equation has one letter for axes of unlike extents");
	for (i = 0; i < rank; i++)
		if (i != first && i != again) {
			axes[k] = i;
			dim[k++] = o->v->t->dim[i];
			rest.letter[rest.n++] = o->term.letter[i];
		}
	axes[k] = first;
	axes[k + 1] = again;
	dim[k] = square;
	rest.letter[rest.n++] = o->term.letter[first];
	if (!(o->v = reshape_value(im, permute_value(im, o->v, rank, axes), k + 1, dim)))
		return false;
	call_begin(&c, im, "slice");
	call_in(&c, o->v);
	call_ints(&c, "axis", 1, &axis);
	call_ints(&c, "step", 1, &step);
	o->term = rest;
	return (o->v = call_value(&c)) != NULL;
}

static bool
diagonals(struct importer *im, struct operand *o)
{
	int i, k;

	for (i = 0; i < o->term.n; i++) {
		if (o->term.letter[i] == o->batch)
			return cannot(im, "its equation has a letter for the batch and another axis");
		for (k = i + 1; k < o->term.n; k++)
			if (o->term.letter[k] == o->term.letter[i])
				return diagonal(im, o, i, k) && diagonals(im, o);
	}
	return true;
}

static bool
operand_of(struct importer *im, struct val *v, const struct term *t, struct operand *o)
{
	int i;

	*o = (struct operand){ .v = val_laid(im, v, -1) };
	if (!o->v)
		return false;
	if (val_rank(o->v) != t->n)
		return cannot(im, "its equation has %d letters for an operand of %d axes", t->n, val_rank(o->v));
	if (o->v->source.merged || o->v->source.expanded)
		return cannot(im, "the batch of its operand is one with another axis");
	for (i = 0; i < t->n; i++)
		if (o->v->t->batched && i == o->v->source.at)
			o->batch = t->letter[i];
		else
			o->term.letter[o->term.n++] = t->letter[i];
	return diagonals(im, o);
}

static int64_t
extent(const struct operand *o, char letter)
{
	return o->v->t->dim[place(&o->term, letter)];
}

static struct val *
in_order(struct importer *im, struct val *v, const struct term *have, const struct term *want)
{
	int64_t axes[LETTERS];
	int i;

	for (i = 0; i < want->n; i++)
		axes[i] = place(have, want->letter[i]);
	return permute_value(im, v, want->n, axes);
}

/* An operand without what the formula names for it alone, and does not keep: sums of that. */
static bool
sum_alone(struct importer *im, const struct formula *f, struct operand *o, const struct term *other)
{
	int64_t axes[LETTERS];
	int i, n = 0, k = 0;
	struct call c;

	for (i = 0; i < o->term.n; i++)
		if (!has(&f->out, o->term.letter[i]) && !has(other, o->term.letter[i]))
			axes[n++] = i;
		else
			o->term.letter[k++] = o->term.letter[i];
	if (n == 0)
		return true;
	o->term.n = k;
	call_begin(&c, im, "sum");
	call_in(&c, o->v);
	call_ints(&c, "axis", n, axes);
	return (o->v = call_value(&c)) != NULL;
}

/* What is left of one operand, in the order of the result. */
static bool
of_one(struct importer *im, const struct model_node *n, const struct formula *f)
{
	struct operand o;
	struct term want = { .n = 0 };
	struct layout to = { .at = 0 };
	struct val *v;
	int i;

	if (!operand_of(im, node_in(im, n, 0), &f->in[0], &o))
		return false;
	if (o.batch && !has(&f->out, o.batch))
		return cannot(im, "it sums over the batch");
	if (!sum_alone(im, f, &o, &f->in[1]))
		return false;
	for (i = 0; i < f->out.n; i++)
		if (f->out.letter[i] == o.batch)
			to.at = i;
		else
			want.letter[want.n++] = f->out.letter[i];
	if (!(v = in_order(im, o.v, &o.term, &want)))
		return false;
	val_view(im, n->out[0], v, to);
	return true;
}

/* ---- two operands ---- */

enum part { COUNTED, SUMMED, ROWS, COLUMNS, PARTS };

struct product {
	struct operand o[2];
	struct term part[PARTS];
	int64_t size[PARTS];
};

static bool
sort_letters(struct importer *im, const struct formula *f, struct product *p)
{
	int i, k;

	for (k = 0; k < PARTS; k++)
		p->size[k] = 1;
	for (k = 0; k < 2; k++)
		for (i = 0; i < p->o[k].term.n; i++) {
			char c = p->o[k].term.letter[i];
			bool stays = has(&f->out, c), both = has(&p->o[!k].term, c);
			enum part to = both ? stays ? COUNTED : SUMMED : k ? COLUMNS : ROWS;

			if (c == p->o[!k].batch)
				return cannot(im, "it has the batch of one operand for an axis of the other");
			if (both && extent(&p->o[0], c) != extent(&p->o[1], c))
				return cannot(im, "axis '%c' has %lld places, and %lld", c, (long long)extent(&p->o[0], c),
				    (long long)extent(&p->o[1], c));
			if (both && k)
				continue;
			p->part[to].letter[p->part[to].n++] = c;
			p->size[to] *= extent(&p->o[k], c);
		}
	for (k = 0; k < 2; k++)
		if (p->o[k].batch && (!has(&f->out, p->o[k].batch) || (p->o[!k].batch && p->o[!k].batch != p->o[k].batch)))
			return cannot(im, "it sums over the batch, or has it twice");
	return true;
}

static void
put(struct term *t, const struct term *more)
{
	memcpy(t->letter + t->n, more->letter, (size_t)more->n);
	t->n += more->n;
}

/* [those that are counted, first, second] */
static struct val *
as_matrices(struct importer *im, const struct product *p, int k, enum part first, enum part second)
{
	struct term want = p->part[COUNTED];
	int64_t dim[LETTERS];
	struct val *v;
	int i;

	put(&want, &p->part[first]);
	put(&want, &p->part[second]);
	if (want.n != p->o[k].term.n)
		return NULL;
	v = in_order(im, p->o[k].v, &p->o[k].term, &want);
	for (i = 0; i < p->part[COUNTED].n; i++)
		dim[i] = extent(&p->o[0], want.letter[i]);
	dim[i] = p->size[first];
	dim[i + 1] = p->size[second];
	return v ? reshape_value(im, v, i + 2, dim) : NULL;
}

static bool
as_product(struct importer *im, const struct model_node *n, const struct formula *f, struct product *p)
{
	struct term have = p->part[COUNTED], want = { .n = 0 };
	int64_t dim[LETTERS];
	struct val *a, *b;
	struct layout to = { .at = 0 };
	char batch = p->o[0].batch ? p->o[0].batch : p->o[1].batch;
	int i;
	struct call c;

	if (p->part[COUNTED].n + 2 > MAX_RANK || f->out.n - !!batch > MAX_RANK)
		return cannot(im, "it has too many axes");
	a = as_matrices(im, p, 0, ROWS, SUMMED);
	b = a ? as_matrices(im, p, 1, SUMMED, COLUMNS) : NULL;
	if (!b)
		return false;
	call_begin(&c, im, "matmul");
	call_in(&c, a);
	call_in(&c, b);
	if (!(a = call_value(&c)))
		return false;
	put(&have, &p->part[ROWS]);
	put(&have, &p->part[COLUMNS]);
	for (i = 0; i < have.n; i++)
		dim[i] = extent(&p->o[!has(&p->o[0].term, have.letter[i])], have.letter[i]);
	for (i = 0; i < f->out.n; i++)
		if (f->out.letter[i] == batch)
			to.at = i;
		else
			want.letter[want.n++] = f->out.letter[i];
	if (have.n == 0 || !(a = reshape_value(im, a, have.n, dim)) || !(a = in_order(im, a, &have, &want)))
		return have.n > 0 ? false : cannot(im, "it makes one number of each sample; the closest is sum of a product");
	val_view(im, n->out[0], a, to);
	return true;
}

/* Is the second operand one trained matrix for all rows, whose letters are the last of the first
 * and of the result? */
static bool
is_dense(const struct formula *f, const struct val *v)
{
	const struct term *a = &f->in[0], *b = &f->in[1];

	return v && v->data && v->data->rank == 2 && b->n == 2 && a->n > 1 && f->out.n == a->n &&
	    memcmp(a->letter, f->out.letter, (size_t)a->n - 1) == 0 && has(b, a->letter[a->n - 1]) &&
	    has(b, f->out.letter[a->n - 1]) && a->letter[a->n - 1] != f->out.letter[a->n - 1] && !has(a, f->out.letter[a->n - 1]);
}

/* ---- a matrix for each place ---- */

/* The windows that X is, in the order of ours: [C kernel, places]; NULL: it is none. */
static const struct step *
windows_of(const struct val *x)
{
	const struct step *s = made_by(x, "unfold");
	const struct attr *pad = s ? step_attr(s, "pad") : NULL;
	int i;

	for (i = 0; pad && i < pad->n; i++)
		if (pad->v[i] != 0)
			return NULL;
	return s && s->in[0]->t->rank == 3 && !step_attr(s, "dilation")->given ? s : NULL;
}

static void
give_pair(struct call *c, const struct step *s, const char *name)
{
	const struct attr *a = step_attr(s, name);

	if (a->given)
		call_ints(c, name, 2, (int64_t[]){ a->v[0], a->v[a->n > 1] });
}

/* The weight as [places, filters, what each sees], where the letters of the image are those and the
 * result's the other two. */
static bool
recognise_local(struct importer *im, const struct model_node *n, const struct formula *f)
{
	struct val *x = node_in(im, n, 0), *w = node_in(im, n, 1);
	const struct step *s = x && x->t && x->t->batched && val_is_plain(x) ? windows_of(x) : NULL;
	const struct term *a = &f->in[0], *b = &f->in[1];
	struct view *v;
	int64_t stride[3] = { 0 };
	int i;
	struct call c;

	if (!s || !w || !w->data || w->data->rank != 3 || a->n != 3 || b->n != 3 || f->out.n != 3 || x->t->rank != 2 ||
	    f->out.letter[0] != a->letter[0] || f->out.letter[2] != a->letter[2] || !has(b, a->letter[1]) || !has(b, a->letter[2]) ||
	    !has(b, f->out.letter[1]) || has(a, f->out.letter[1]) || has(b, a->letter[0]))
		return false;
	for (i = 2, stride[2] = 1; i > 0; i--)
		stride[i - 1] = stride[i] * w->data->dim[i];
	v = ARENA_NEW(im->arena, struct view);
	v->rank = 3;
	for (i = 0; i < 3; i++) {
		int k = place(b, i == 0 ? a->letter[2] : i == 1 ? f->out.letter[1] : a->letter[1]);

		v->dim[i] = w->data->dim[k];
		v->stride[i] = stride[k];
	}
	if (v->dim[0] != x->t->dim[1] || v->dim[2] != x->t->dim[0])
		return false;
	call_begin(&c, im, "local");
	call_in(&c, s->in[0]);
	call_int(&c, "filters", v->dim[1]);
	give_pair(&c, s, "kernel");
	give_pair(&c, s, "stride");
	call_int(&c, "bias", false);
	call_view(&c, w->data, stride[0] == v->stride[0] && stride[1] == v->stride[1] ? NULL : v);
	x = call_value(&c);
	return x && reshape_to(im, n, x, (struct layout){ .at = 0 }, 2, (int64_t[]){ v->dim[1], v->dim[0] });
}

/* What alone reads the sums, and adds a number of its own to each, is the layer's bias. */
bool
recognise_local_bias(struct importer *im, const struct model_node *n)
{
	const struct step *s = NULL;
	const struct numbers *bias = NULL;
	struct val *v[2] = { node_in(im, n, 0), node_in(im, n, 1) };
	int k, i;
	struct call c;

	for (k = 0; k < 2 && !s; k++)
		if (v[k] && v[k]->t && v[!k] && v[!k]->data && sole_user(im, n->in[k]) == n && (s = made_by(v[k], "local")))
			bias = v[!k]->data;
	if (!s || s->nweights > 1 || bias->computed || !numbers_are_real(bias) || !numbers_are_finite(bias) || bias->rank < 3 ||
	    bias->count != tensor_elements_per_sample(s->out->t) || v[k - 1]->t->rank != 3)
		return false;
	for (i = 0; i < 3; i++)
		if (bias->dim[bias->rank - 3 + i] != s->out->t->dim[i])
			return false;
	call_begin(&c, im, "local");
	call_like(&c, s->in[0]);
	call_int(&c, "filters", step_attr(s, "filters")->i);
	give_pair(&c, s, "kernel");
	give_pair(&c, s, "stride");
	call_view(&c, s->weight[0].numbers, s->weight[0].view);
	call_weight(&c, bias, false);
	return call_end(&c, n->out[0]);
}

/* ---- constants ---- */

#define MOST_SUMMED	((int64_t)1 << 22)	/* products in one */

/* The sums of products of numbers that are no weights, letter by letter: those of the result, then
 * those that are summed. */
static bool
of_constants(struct importer *im, const struct model_node *n, const struct formula *f)
{
	struct array a[2], to = { .real = true, .rank = f->out.n };
	struct term all = f->out;
	int64_t extent[2 * LETTERS], stride[2][2 * LETTERS] = { { 0 } }, own[LETTERS], count = 1, summed, i;
	int k, d;

	for (k = 0; k < 2; k++) {
		if (!array_of(im, node_in(im, n, k), &a[k]) || !a[k].real || a[k].stepped || a[k].source.expanded || a[k].rank != f->in[k].n ||
		    (a[k].from && numbers_is_weight(a[k].from)))
			return false;
		for (d = 0; d < f->in[k].n; d++)
			if (!has(&all, f->in[k].letter[d])) {
				if (all.n == LETTERS)
					return false;
				all.letter[all.n++] = f->in[k].letter[d];
			}
	}
	for (d = 0; d < all.n; d++)
		extent[d] = -1;
	for (k = 0; k < 2; k++) {
		array_strides(&a[k], own);
		for (d = 0; d < f->in[k].n; d++) {
			int at = place(&all, f->in[k].letter[d]);

			if (extent[at] >= 0 && extent[at] != a[k].dim[d])
				return false;
			extent[at] = a[k].dim[d];
			stride[k][at] = own[d];
		}
	}
	for (d = 0; d < all.n; d++)
		if (__builtin_mul_overflow(count, extent[d], &count) || count > MOST_SUMMED)
			return false;
	memcpy(to.dim, extent, sizeof(*extent) * (size_t)to.rank);
	if (count == 0 || !array_room(im, &to))
		return false;
	im->folded += count / WORK_OF_ELEMENT;
	summed = count / to.count;
	for (i = 0; i < count; i++) {
		int64_t at[2] = { 0, 0 }, rest = i;

		for (d = all.n - 1; d >= 0; d--) {
			for (k = 0; k < 2; k++)
				at[k] += rest % extent[d] * stride[k][d];
			rest /= extent[d];
		}
		to.r[i / summed] += array_at(&a[0], at[0]) * array_at(&a[1], at[1]);
	}
	return array_keep(im, n, &to);
}

static bool
einsum(struct importer *im, const struct model_node *n)
{
	struct formula f;
	struct product p = { .o[0].v = NULL };
	struct val *x;

	if (n->nin < 1 || n->nin > 2)
		return cannot(im, "it has %d operands in place of one or two", n->nin);
	if (!formula_of(im, n, &f))
		return false;
	if (n->nin == 1)
		return of_one(im, n, &f);
	if (of_constants(im, n, &f))
		return true;
	if (!(x = val_laid(im, node_in(im, n, 0), -1)))
		return false;
	if (recognise_local(im, n, &f))
		return true;
	if (is_dense(&f, node_in(im, n, 1)) && val_rank(x) == f.in[0].n)
		return dense_call(im, x, node_in(im, n, 1)->data, f.in[1].letter[0] == f.in[0].letter[f.in[0].n - 1], NULL, n->out[0]);
	return operand_of(im, node_in(im, n, 0), &f.in[0], &p.o[0]) && operand_of(im, node_in(im, n, 1), &f.in[1], &p.o[1]) &&
	    sum_alone(im, &f, &p.o[0], &f.in[1]) && sum_alone(im, &f, &p.o[1], &f.in[0]) && sort_letters(im, &f, &p) && as_product(im, n, &f, &p);
}

const struct onnx_op onnx_op_einsum = { .name = "Einsum", .translate = einsum };
