/*
 * The rules by which positions come into attend's scores (kernels/attention/attend.cu): what their attributes
 * may be, the tables they read, and how they are written.
 */
#include "ops/attend.h"

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

const char *
attend_rule_text(struct arena *a, const struct node *n)
{
	const int64_t *grid = grid_of(n);
	const char *alibi = op_bool(n, "alibi") ? ",\n\t    .alibi = 1" : "";

	if (grid[0])
		return arena_printf(a, ",\n\t    .grid_h = %lld, .grid_w = %lld", (long long)grid[0],
		    (long long)grid[1]);
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
