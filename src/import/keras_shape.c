/*
 * Other shapes. They count axes as the source has them. A map that is laid flat for a dense layer
 * alone is not turned: the columns of that layer's weight are, as they are written.
 */
#include "import/keras.h"

#include <string.h>

/* What does not mind the order of elements, and lets a dense layer find it. */
static bool
lets_through(const struct model_node *n)
{
	static const char *const ops[] = { "Dropout", "ReLU", "LeakyReLU", "ELU", "Identity" };
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (strcmp(n->op, ops[i]) == 0)
			return !keras_has(n, "noise_shape");
	return strcmp(n->op, "Activation") == 0 && strcmp(attr_text(n, "activation", "softmax"), "softmax") != 0;
}

static bool
goes_to_dense(struct importer *im, const struct model_node *n)
{
	int steps;

	for (steps = 0; steps < 8; steps++) {
		n = sole_user(im, n->out[0]);
		if (!n)
			return false;
		if (strcmp(n->op, "Dense") == 0)
			return true;
		if (!lets_through(n))
			return false;
	}
	return false;
}

static int
long_axes(const struct tensor *t)
{
	int i, n = 0;

	for (i = 0; i < t->rank; i++)
		n += t->dim[i] > 1;
	return n;
}

/* Of a model that has its channels first itself: Keras lays it flat with them last. */
static struct val *
channels_last(struct importer *im, struct val *x)
{
	int64_t axes[MAX_RANK];
	int i;

	for (i = 0; i < x->t->rank; i++)
		axes[i] = (i + 1) % x->t->rank;
	return permute_value(im, x, x->t->rank, axes);
}

static bool
flatten(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_in(im, n, 0);
	bool first = keras_is_first(n), turns;
	struct call c;

	if (!x)
		return false;
	if (x->t->rank == 1)
		return keras_alias(im, n, x);
	if (first && !(x = val_as_source(im, x)))
		return false;
	turns = (first || x->channels_first) && long_axes(x->t) > 1 && x->t->dim[0] > 1;
	if (turns && !goes_to_dense(im, n)) {
		if (!(x = first ? channels_last(im, x) : val_as_source(im, x)))
			return false;
		turns = false;
	}
	call_begin(&c, im, "flatten");
	call_in(&c, x);
	if (!call_end(&c, n->out[0]))
		return false;
	val_of(im, n->out[0])->flat = turns ? x : NULL;
	return true;
}

const struct keras_op keras_op_flatten = { .name = "Flatten", .translate = flatten };

/* The extents that are asked for, of which one may be -1; false after cannot(). */
static bool
shape_of(struct importer *im, const struct model_node *n, const struct tensor *t, int *rank, int64_t *dim)
{
	const struct model_attr *a = model_attr(n, keras_has(n, "target_shape") ? "target_shape" : "dims");
	int64_t all = tensor_elements_per_sample(t), known = 1;
	int i, open = -1;

	if (!a || (a->type != A_INTS && a->type != A_INT) || (a->type == A_INTS && (a->n < 1 || a->n > MAX_RANK)))
		return cannot(im, "the shape that it asks for is not said by 1 to %d numbers", MAX_RANK);
	*rank = a->type == A_INT ? 1 : a->n;
	for (i = 0; i < *rank; i++) {
		dim[i] = a->type == A_INT ? a->i : a->v[i];
		if (dim[i] == -1 && open < 0)
			open = i;
		else if (dim[i] <= 0 || __builtin_mul_overflow(known, dim[i], &known))
			return cannot(im, "the shape that it asks for is out of range");
	}
	if (open >= 0)
		dim[open] = all / known;
	return (open >= 0 ? dim[open] * known : known) == all || cannot(im, "a sample has %lld elements, which is not what it "
	    "asks for", (long long)all);
}

/* [1, 1, C] is a map of one place: as such it need not be turned again. */
static bool
is_one_place(int rank, const int64_t *dim)
{
	int i;

	for (i = 0; i < rank - 1; i++)
		if (dim[i] != 1)
			return false;
	return rank > 2;
}

static bool
reshape(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_plain(im, n, 0);
	int64_t dim[MAX_RANK], channels;
	int rank = 0, i;
	bool place;
	struct call c;

	if (!x || !shape_of(im, n, x->t, &rank, dim))
		return false;
	place = is_one_place(rank, dim);
	if (place) {
		channels = dim[rank - 1];
		for (i = rank - 1; i > 0; i--)
			dim[i] = 1;
		dim[0] = channels;
	}
	/* what flatten has made of just that */
	if (place && x->def && strcmp(x->def->op->name, "flatten") == 0 && x->def->in[0]->channels_first &&
	    x->def->in[0]->t->rank == rank && memcmp(x->def->in[0]->t->dim, dim, (size_t)rank * sizeof(*dim)) == 0)
		return keras_alias(im, n, x->def->in[0]);
	if (x->t->rank == rank && memcmp(x->t->dim, dim, (size_t)rank * sizeof(*dim)) == 0 && !place)
		return keras_alias(im, n, x);
	call_begin(&c, im, rank == 1 ? "flatten" : "reshape");
	call_in(&c, x);
	if (rank > 1)
		call_ints(&c, "shape", rank, dim);
	if (!call_end(&c, n->out[0]))
		return false;
	val_of(im, n->out[0])->channels_first = place;
	return true;
}

const struct keras_op keras_op_reshape = { .name = "Reshape", .translate = reshape };

static bool
permute(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_plain(im, n, 0);
	const struct model_attr *a = model_attr(n, "dims");
	int64_t axes[MAX_RANK];
	int i;
	struct call c;

	if (!x)
		return false;
	if (!a || a->type != A_INTS || a->n != x->t->rank)
		return cannot(im, "its dims are not one for each axis");
	for (i = 0; i < a->n; i++)
		axes[i] = a->v[i] - 1;
	call_begin(&c, im, "permute");
	call_in(&c, x);
	call_ints(&c, "axes", a->n, axes);
	return keras_end(&c, n, NULL);
}

const struct keras_op keras_op_permute = { .name = "Permute", .translate = permute };

static bool
repeat(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_plain(im, n, 0), *row;
	int64_t dim[2] = { 1, 0 };
	struct call c;

	if (!x)
		return false;
	if (x->t->rank != 1)
		return cannot(im, "its input is no row");
	dim[1] = x->t->dim[0];
	call_begin(&c, im, "reshape");
	call_in(&c, x);
	call_ints(&c, "shape", 2, dim);
	if (!(row = call_value(&c)))
		return false;
	dim[0] = attr_int(n, "n", 1);
	if (dim[0] < 1 || dim[0] > LARGEST_EXTENT)
		return cannot(im, "how often it repeats is out of range");
	call_begin(&c, im, "broadcast");
	call_in(&c, row);
	call_ints(&c, "shape", 2, dim);
	return keras_end(&c, n, NULL);
}

const struct keras_op keras_op_repeat_vector = { .name = "RepeatVector", .translate = repeat };
