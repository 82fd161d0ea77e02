/*
 * Where the elements of PyTorch's tensors lie: sizes and steps. Most calls make a tensor whose
 * elements lie in their order, and need none of this. A view keeps the steps of what it is a view
 * of; under another shape it is one only if steps can say so, and else a copy, which is what
 * reshape() decides.
 */
#include "calls/tape.h"

void
tape_shape_of_tensor(const struct tape *t, const struct tensor *x, struct tape_shape *s)
{
	int64_t step = 1;
	int i;

	s->rank = 0;
	if (x->batched)
		s->size[s->rank++] = t->batch;
	for (i = 0; i < x->rank; i++)
		s->size[s->rank++] = x->dim[i];
	for (i = s->rank - 1; i >= 0; i--) {	/* tensors are below 2^60 elements, or nothing is counted */
		s->step[i] = step;
		step = __builtin_mul_overflow(step, s->size[i], &step) ? INT64_MAX : step;
	}
}

bool
tape_shape(const struct tape *t, int value, struct tape_shape *s)
{
	const struct tape_value *v = &t->values.v[value];

	if (v->shape)
		*s = *v->shape;
	else if (v->tensor && !v->strided)
		tape_shape_of_tensor(t, v->tensor, s);
	else
		return false;
	return true;
}

bool
tape_in_order(const struct tape_shape *s)
{
	int64_t step = 1;
	int i;

	for (i = s->rank - 1; i >= 0; i--) {
		if (s->size[i] != 1 && s->step[i] != step)
			return false;
		if (__builtin_mul_overflow(step, s->size[i], &step))
			return false;
	}
	return true;
}

/* As computeStride() of PyTorch finds them: axes that lie one within the other are divided anew. */
bool
tape_divide(const struct tape_shape *from, struct tape_shape *to)
{
	int64_t chunk = from->rank ? from->step[from->rank - 1] : 1, have = 1, given = 1;
	int at = to->rank - 1, i;

	for (i = from->rank - 1; i >= 0; i--) {
		have *= from->size[i];
		if (i > 0 && (from->size[i - 1] == 1 || from->step[i - 1] == have * chunk))
			continue;
		for (; at >= 0 && (given < have || to->size[at] == 1); at--) {
			to->step[at] = given * chunk;
			given *= to->size[at];
		}
		if (given != have)
			return false;
		if (i > 0) {
			chunk = from->step[i - 1];
			have = given = 1;
		}
	}
	return at < 0;
}

/* One step for all elements of the value? Then what is made of it element by element lies
 * likewise. */
static bool
is_dense(const struct tape_shape *s)
{
	bool taken[TAPE_AXES] = { false };
	int64_t step = 1;
	int found = 0, i;

	for (i = 0; i < s->rank; i++) {
		taken[i] = s->size[i] == 1;
		found += taken[i];
	}
	while (found < s->rank) {
		for (i = 0; i < s->rank && (taken[i] || s->step[i] != step); i++)
			;
		if (i == s->rank)
			return false;
		taken[i] = true;
		found++;
		step *= s->size[i];
	}
	return true;
}

const struct tape_shape *
tape_shape_like(const struct tape *t, int value)
{
	const struct tape_shape *s = value == TAPE_NONE ? NULL : t->values.v[value].shape;

	return s && is_dense(s) ? s : NULL;
}

static int
view_of(struct tape *t, int value, const struct tape_shape *shape, struct tape_call c)
{
	const struct tape_value *v = &t->values.v[value];
	struct tape_shape *s = ARENA_NEW(t->arena, struct tape_shape);
	int64_t elements = 1, all = 1;
	struct tape_shape was;
	int i;

	c.output = TORCH_VIEW;
	c.in = &value;
	c.nin = 1;
	c.bytes = v->bytes;
	c.viewable = true;
	*s = *shape;
	for (i = 0; i < s->rank; i++)
		elements *= s->size[i];
	if (tape_shape(t, value, &was)) {
		for (i = 0; i < was.rank; i++)
			all *= was.size[i];
		c.bytes = all ? v->bytes / all * elements : 0;
	}
	c.strided = !tape_in_order(s);
	c.shape = s;
	return tape_call(t, &c);
}

int
tape_view(struct tape *t, int value, const struct tape_shape *shape, bool passes)
{
	unsigned first = passes ? 1u << 0 : 0;

	return view_of(t, value, shape, (struct tape_call){ .passes = first, .views = first });
}

static const struct tape_shape *
kept_shape(struct tape *t, const struct tape_shape *s)
{
	struct tape_shape *kept = ARENA_NEW(t->arena, struct tape_shape);

	*kept = *s;
	return kept;
}

void
tape_shaped(struct tape *t, int value, const struct tape_shape *s)
{
	t->values.v[value].shape = kept_shape(t, s);
}

int
tape_permute(struct tape *t, int value, const int *axis)
{
	signed char *back = arena_alloc(t->arena, TAPE_AXES);
	struct tape_shape from, to;
	int i;

	if (!tape_shape(t, value, &from))
		return TAPE_NONE;
	to = from;
	for (i = 0; i < from.rank; i++) {
		to.size[i] = from.size[axis[i]];
		to.step[i] = from.step[axis[i]];
		back[axis[i]] = (signed char)i;
	}
	return view_of(t, value, &to, (struct tape_call){ .passes = 1u << 0, .views = 1u << 0, .axis = back });
}

int
tape_result_view(struct tape *t, int value, const struct tape_shape *sizes)
{
	struct tape_shape s;

	return tape_call(t, &(struct tape_call){ .output = TORCH_OVER, .in = &value, .nin = 1,
	    .bytes = t->values.v[value].bytes, .passes = 1u << 0, .views = 1u << 0, .shape = kept_shape(t, sizes),
	    .under = tape_shape(t, value, &s) ? kept_shape(t, &s) : NULL });
}

int
tape_reshape(struct tape *t, int value, const struct tape_shape *sizes)
{
	struct tape_call c = { .output = TORCH_VIEW, .in = &value, .nin = 1, .bytes = t->values.v[value].bytes,
		.passes = 1u << 0, .views = 1u << 0 };
	struct tape_shape from, to = *sizes;
	int64_t step = 1;
	int i;

	if (!tape_shape(t, value, &from))
		return tape_call(t, &c);
	c.under = kept_shape(t, &from);
	if (tape_divide(&from, &to))
		return view_of(t, value, &to, c);
	c.output = TORCH_NEW;
	for (i = to.rank - 1; i >= 0; i--) {
		to.step[i] = step;
		step *= to.size[i];
	}
	c.shape = kept_shape(t, &to);
	return tape_call(t, &c);
}

int
tape_reshape_rows(struct tape *t, int value, int64_t columns)
{
	struct tape_shape s, sizes = { .rank = 2, .size = { 1, columns } };
	int i;

	if (tape_shape(t, value, &s))
		for (i = 0; i < s.rank - 1; i++)
			sizes.size[0] *= s.size[i];
	return tape_reshape(t, value, &sizes);
}

int
tape_reshape_to(struct tape *t, int value, const struct tensor *y)
{
	struct tape_shape sizes;

	tape_shape_of_tensor(t, y, &sizes);
	return tape_reshape(t, value, &sizes);
}

int
tape_narrow(struct tape *t, int value, int axis, int64_t n, int64_t step, bool drop)
{
	struct tape_shape s;
	int i;

	if (!tape_shape(t, value, &s))
		return TAPE_NONE;
	s.size[axis] = n;
	s.step[axis] *= step;
	for (i = axis; drop && i + 1 < s.rank; i++) {
		s.size[i] = s.size[i + 1];
		s.step[i] = s.step[i + 1];
	}
	s.rank -= drop;
	return tape_view(t, value, &s, false);
}

int
tape_expand(struct tape *t, int value, const struct tape_shape *sizes)
{
	struct tape_shape s, e = *sizes;
	int i, before;

	if (!tape_shape(t, value, &s))
		return TAPE_NONE;
	before = e.rank - s.rank;
	for (i = 0; i < e.rank; i++)
		e.step[i] = i < before || s.size[i - before] != e.size[i] ? 0 : s.step[i - before];
	return tape_view(t, value, &e, false);
}
