/*
 * Masks: which steps of a sequence layers see. An embedding with mask_zero makes one of its tokens,
 * Masking one of its rows; layers let it go on or not, and what has several operands joins theirs.
 * It is a tensor [steps, 1] of 1 and 0 by the name of the value that it goes with; who uses it asks
 * for it (keras_mask), so one that nobody uses is in no spec.
 *
 * As Keras has it: a layer that is not made for masks reads all steps, and none goes on behind it.
 * What one of several operands hides, a sum of Keras 2 hides; versions of Keras 3 differ, and say
 * in their files what most layers are given.
 */
#include "import/keras.h"

#include <string.h>

struct mask {
	struct val *seen;		/* NULL: versions of Keras make it differently, or it is lost */
	bool lost;			/* with a layer that is cut away */
	const struct model_node *read;	/* by an attention that takes it off; NULL */
};

static struct mask *
mask_of(struct importer *im, const struct model_node *n, int k)
{
	return k < n->nin ? map_get(&im->masks, n->in[k]) : NULL;
}

static bool
set(struct importer *im, const struct model_node *n, struct mask *m)
{
	if (m)
		map_put(im->arena, &im->masks, n->out[0], m);
	return true;
}

bool
keras_mask_set(struct importer *im, const struct model_node *n, struct val *seen)
{
	struct mask *m = ARENA_NEW(im->arena, struct mask);

	*m = (struct mask){ .seen = seen };
	return set(im, n, seen ? m : NULL);
}

static struct val *
given(struct importer *im, const struct model_node *n)
{
	struct val *v = val_tensor(im, val_of(im, n->mask), -1);

	if (v && v->t->rank != 1) {
		cannot(im, "its mask is not one of steps");
		return NULL;
	}
	return v ? reshape_value(im, v, 2, (int64_t[]){ v->t->dim[0], 1 }) : NULL;
}

bool
keras_mask(struct importer *im, const struct model_node *n, int k, struct val **seen)
{
	const struct mask *m = mask_of(im, n, k);

	if (k == 0 && n->mask)
		return (*seen = given(im, n)) != NULL;
	*seen = m ? m->seen : NULL;
	if (m && m->lost)
		return cannot(im, "a layer before it is cut away whose input or output is masked, so which steps it sees is not known");
	return !m || m->seen || cannot(im, "its operands hide unlike steps, which versions of Keras join in different ways");
}

/* From 3.8 on attention takes the masks off what it has read, so that what is read again has none;
 * and so has what is made of it afterwards. */
bool
keras_mask_of_values(struct importer *im, const struct model_node *n, int k, struct val **seen)
{
	const struct mask *m = mask_of(im, n, k);

	if (!keras_mask(im, n, k, seen))
		return false;
	return !m || !m->read || m->read == n || keras_older_than(im, 3, 8) || cannot(im, "an attention before it has read the same "
	    "mask: from 3.8 on Keras forgets it there, and sees all steps; the closest is attend with a bias of your own");
}

bool
keras_mask_of_heads(struct importer *im, const struct model_node *n, int k, struct val **seen)
{
	struct mask *m = mask_of(im, n, k);

	if (!keras_mask_of_values(im, n, k, seen))
		return false;
	if (m && !keras_older_than(im, 3, 8))
		m->read = n;
	return true;
}

/* ---- what makes one ---- */

static struct val *
differs(struct importer *im, struct val *x, double from)
{
	return call_one(im, "not_equal", x, "than", from);
}

bool
keras_mask_zeros(struct importer *im, const struct model_node *n, struct val *tokens)
{
	int64_t dim[2] = { 0, 1 };
	struct val *seen;

	if (tokens->t->rank != 1)
		return cannot(im, "it hides tokens 0 of what is no row of tokens (mask_zero)");
	dim[0] = tokens->t->dim[0];
	seen = differs(im, call_one(im, "cast", tokens, NULL, 0), 0);
	return seen && keras_mask_set(im, n, reshape_value(im, seen, 2, dim));
}

/* Rows that are one number throughout are hidden, and become zeros. */
static bool
masking(struct importer *im, const struct model_node *n)
{
	struct val *x = keras_plain(im, n, 0), *seen;
	struct call c;

	if (!x)
		return false;
	if (x->t->rank != 2 || x->flat)
		return cannot(im, "its input is not [steps, features]");
	if (!(seen = differs(im, x, keras_real(n, "mask_value", 0))) || !(seen = reduced_along(im, "max", seen, 1)))
		return false;
	keras_pair(&c, im, "mul", x, seen);
	return keras_end(&c, n, NULL) && keras_mask_set(im, n, seen);
}

const struct keras_op keras_op_masking = { .name = "Masking", .translate = masking, .mask = MASK_IS_SAID };

/* ---- how it goes on ---- */

static bool
any_masked(struct importer *im, const struct model_node *n)
{
	int k;

	for (k = 0; k < n->nin; k++)
		if (mask_of(im, n, k))
			return true;
	return false;
}

bool
keras_is_masked(struct importer *im, const struct model_node *n)
{
	return n->mask || any_masked(im, n);
}

bool
keras_mask_lost(struct importer *im, const struct keras_op *op, const struct model_node *n)
{
	struct mask *m;

	if (n->function || (op && (op->mask == MASK_ENDS || (op->mask == MASK_GOES_ON_SINCE_3 && keras_older_than_3(im)))) ||
	    (!keras_is_masked(im, n) && strcmp(n->op, "Masking") != 0 && !attr_int(n, "mask_zero", 0)))
		return false;
	m = ARENA_NEW(im->arena, struct mask);
	*m = (struct mask){ .lost = true };
	set(im, n, m);
	return false;
}

void
keras_mask_say(struct importer *im)
{
	const struct model_value *out = &im->model->outputs.v[0];
	const struct mask *m = map_get(&im->masks, out->name);

	if (!m || im->untrained || strcmp(spec_loss(im), "none") == 0)
		return;
	vec_push(im->arena, &im->result->notes, arena_printf(im->arena, "a mask %s steps of the output '%s': Keras leaves these out "
	    "of the loss, and the spec's counts all steps", m->seen ? "hides" : "may hide", out->name));
}

/* What all of them see. */
static bool
joined(struct importer *im, const struct model_node *n)
{
	struct mask *first = mask_of(im, n, 0), *m;
	struct val *all = NULL, *one;
	int k;

	for (k = 0; k < n->nin; k++) {
		m = mask_of(im, n, k);
		one = m ? m->seen : NULL;
		if (m && (!one || m->read))
			return set(im, n, m);
		if (!keras_older_than_3(im) && (!m || !first || first->seen != one))
			return set(im, n, ARENA_NEW(im->arena, struct mask));
		if (!one || one == all)
			continue;
		if (all && one->t->dim[0] != all->t->dim[0])
			return cannot(im, "its operands have masks of unlike numbers of steps");
		all = all ? call_two(im, "mul", all, one) : one;
		if (!all)
			return false;
	}
	return keras_mask_set(im, n, all);
}

/* One after the other along the steps, of what has none all. */
static bool
in_a_row(struct importer *im, const struct model_node *n)
{
	struct call c, ones;
	struct mask *m;
	struct val *v;
	int k;

	call_begin(&c, im, "concat");
	for (k = 0; k < n->nin; k++) {
		m = mask_of(im, n, k);
		if (m && (!m->seen || m->read))
			return set(im, n, m);
		v = m ? m->seen : NULL;
		if (!v) {
			call_begin(&ones, im, "ones");
			call_ints(&ones, "shape", 2, (int64_t[]){ keras_in(im, n, k)->t->dim[0], 1 });
			v = call_value(&ones);
		}
		if (!v)
			return false;
		call_in(&c, v);
	}
	return (v = call_value(&c)) && keras_mask_set(im, n, v);
}

bool
keras_mask_concat(struct importer *im, const struct model_node *n, int axis, int rank)
{
	if (!any_masked(im, n) || n->function)
		return true;
	if (axis == rank - 1)
		return joined(im, n);
	return axis == 0 && rank == 2 ? in_a_row(im, n) : cannot(im, "it joins what is masked along an axis that is neither that "
	    "of steps nor the last one");
}

bool
keras_mask_follow(struct importer *im, const struct keras_op *op, const struct model_node *n)
{
	struct val *seen;

	if (n->function || !keras_is_masked(im, n))
		return true;
	switch (op->mask) {
	case MASK_ENDS:
	case MASK_IS_SAID:
		return true;
	case MASK_GOES_ON:
	case MASK_GOES_ON_SINCE_3:
		if (op->mask == MASK_GOES_ON_SINCE_3 && keras_older_than_3(im))
			return true;
		if (!n->mask)
			return set(im, n, mask_of(im, n, 0));
		return (seen = given(im, n)) && keras_mask_set(im, n, seen);
	case MASK_GOES_ON_ANEW:
		return !mask_of(im, n, 0) || keras_mask_set(im, n, mask_of(im, n, 0)->seen);
	case MASK_IS_JOINED:
		return joined(im, n);
	default:
		return cannot(im, "some steps are hidden from it, and what it does with such is not imported yet");
	}
}
