/*
 * The rules by which positions come into attend's scores (kernels/attention/attend.cu): what their
 * attributes may be, the tables they read, and how they are written.
 */
#include "ops/attend.h"

#include <math.h>

#include "calls/sizes.h"
#include "ops/product.h"

static const int64_t *
grid_of(const struct node *n)
{
	return op_attr(n, "grid")->v;
}

int64_t
attend_table(const struct node *n)
{
	const int64_t *grid = grid_of(n);

	return grid[0] ? (2 * grid[0] - 1) * (2 * grid[1] - 1) : op_int(n, "relative");
}

bool
attend_is_relative(struct build *b, const struct node *n)
{
	const int64_t *grid = grid_of(n);
	int64_t relative = op_int(n, "relative"), side = op_bool(n, "causal") ? relative : relative / 2;
	const char *name = n->op->name;

	if ((grid[0] == 0) != (grid[1] == 0))
		return op_error(b, n, "%s: a grid of %lld rows and %lld columns; write grid=(7, 7)", name,
		    (long long)grid[0], (long long)grid[1]);
	if (grid[0] && (relative || op_bool(n, "alibi")))
		return op_error(b, n, "%s: positions are the places of a grid or those of a line; give either grid "
		    "or %s", name, relative ? "relative" : "alibi");
	if (relative && (side < 2 || (!op_bool(n, "causal") && relative % 2)))
		return op_error(b, n, "%s: relative is %lld; with causal it is at least 2 buckets, otherwise at "
		    "least 4 and even, half of them for keys ahead", name, (long long)relative);
	if (relative && op_int(n, "max_distance") <= side / 2)
		return op_error(b, n, "%s: max_distance is %lld, but of %lld buckets the first %lld of a side have "
		    "a distance each; give more than that", name, (long long)op_int(n, "max_distance"),
		    (long long)relative, (long long)(side / 2));
	return true;
}

bool
attend_shift_fits(struct build *b, const struct node *n, const struct tensor *q)
{
	const int64_t *grid = grid_of(n), *shift = op_attr(n, "shift")->v;

	if (!shift[0] && !shift[1])
		return true;
	if (!grid[0])
		return op_error(b, n, "attend: a shift is that of windows; give their places, such as grid=(7, 7)");
	if (shift[0] >= grid[0] || shift[1] >= grid[1])
		return op_error(b, n, "attend: the shift, of %lld and %lld places, must be less than the windows, which "
		    "are %lld x %lld", (long long)shift[0], (long long)shift[1], (long long)grid[0],
		    (long long)grid[1]);
	if (q->rank < 4)
		return op_error(b, n, "attend: with shift, queries are those of the windows of an image, [rows, "
		    "columns, places, features], but they are %s", op_operand_text(b, q));
	return true;
}

/* The windows that the image has, which are the last two axes before a sequence's. */
static const char *
shift_text(struct arena *a, const struct node *n, const struct tensor *q)
{
	const int64_t *shift = op_attr(n, "shift")->v;

	if (!shift[0] && !shift[1])
		return "";
	return arena_printf(a, ", .shift_h = %lld, .shift_w = %lld,\n\t    .windows_h = %lld, .windows_w = %lld",
	    (long long)shift[0], (long long)shift[1], (long long)q->dim[q->rank - 4], (long long)q->dim[q->rank - 3]);
}

int64_t
attend_bucket(int64_t buckets, int64_t max_distance, bool causal, int64_t behind)
{
	int64_t side = causal ? buckets : buckets / 2, exact = side / 2, far;
	int64_t first = !causal && behind < 0 ? side : 0, apart = behind < 0 ? -behind : behind;

	if (causal && behind < 0)
		return 0;
	if (apart < exact)
		return first + apart;
	if (apart >= max_distance)
		return first + side - 1;
	far = exact + (int64_t)(log((double)apart / (double)exact) / log((double)max_distance / (double)exact) *
	    (double)(side - exact) + 1e-9);
	return first + (far < side ? far : side - 1);
}

int
attend_side(const int64_t *windows, int64_t at, const int64_t *grid, const int64_t *shift, int64_t place)
{
	int64_t row = at / windows[1], column = at % windows[1];

	return 2 * (row == windows[0] - 1 && place / grid[1] >= grid[0] - shift[0]) +
	    (column == windows[1] - 1 && place % grid[1] >= grid[1] - shift[1]);
}

const char *
attend_rule_text(struct arena *a, const struct node *n, const struct tensor *queries)
{
	const int64_t *grid = grid_of(n);
	const char *alibi = op_bool(n, "alibi") ? ",\n\t    .alibi = 1" : "";

	if (grid[0])
		return arena_printf(a, ",\n\t    .grid_h = %lld, .grid_w = %lld%s", (long long)grid[0],
		    (long long)grid[1], shift_text(a, n, queries));
	if (!op_int(n, "relative"))
		return alibi;
	return arena_printf(a, "%s,\n\t    .buckets = %lld, .distance = %lld", alibi,
	    (long long)op_int(n, "relative"), (long long)op_int(n, "max_distance"));
}

int64_t
attend_table_work(const struct node *n, int64_t queries, int64_t keys)
{
	return product_of(op_int(n, "heads"), attend_relative_bytes(queries, keys, grid_of(n)[0], grid_of(n)[1]));
}

bool
attend_table_fits(struct build *b, const struct node *n, const struct tensor *t, int64_t queries, int64_t keys)
{
	const int64_t *grid = grid_of(n);
	int64_t rows = attend_table(n), heads = op_int(n, "heads");

	if (!t)
		return op_error(b, n, "attend: %s wants a table of shape [%lld, %lld] as its last operand, such as "
		    "parameter((%lld, %lld))", grid[0] ? "grid" : "relative", (long long)rows,
		    (long long)heads, (long long)rows, (long long)heads);
	if (t->batched || t->rank != 2 || t->dim[0] != rows || t->dim[1] != heads)
		return op_error(b, n, "attend: the table of relative positions must have shape [%lld, %lld], the "
		    "same for all samples, but it is %s", (long long)rows, (long long)heads,
		    op_operand_text(b, t));
	if (grid[0] && (queries != grid[0] * grid[1] || keys != queries))
		return op_error(b, n, "attend: a grid of %lld x %lld has %lld places, but there are %lld queries and "
		    "%lld keys", (long long)grid[0], (long long)grid[1], (long long)(grid[0] * grid[1]),
		    (long long)queries, (long long)keys);
	return true;
}
