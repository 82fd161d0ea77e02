/* Products of constant matrices, such as positions times the pace of each pair; those of weights
 * are the network's to make. */
#include "import/arrays.h"

#define MOST_SUMMED	((int64_t)1 << 22)	/* products in one */

/* Are the axes in front of its matrices those of TO, or each 1? */
static bool
has_matrices_of(const struct array *a, const struct array *to)
{
	bool one = true, same = true;
	int d;

	for (d = 3; d <= a->rank; d++) {
		one &= a->dim[a->rank - d] == 1;
		same &= a->dim[a->rank - d] == to->dim[to->rank - d];
	}
	return one || same;
}

bool
fold_product_of_arrays(struct importer *im, const struct model_node *n)
{
	struct array a, b, to;
	int64_t rows, columns, depth, work, i, j, k, at, more;

	if (n->nin != 2 || !array_of(im, node_in(im, n, 0), &a) || !array_of(im, node_in(im, n, 1), &b) || !a.real || !b.real ||
	    a.stepped || b.stepped || a.source.expanded || b.source.expanded || (a.from && numbers_is_weight(a.from)) ||
	    (b.from && numbers_is_weight(b.from)) || a.rank < 2 || b.rank < 2)
		return false;
	rows = a.dim[a.rank - 2];
	depth = a.dim[a.rank - 1];
	columns = b.dim[b.rank - 1];
	to = a.rank >= b.rank ? a : b;
	to.dim[to.rank - 2] = rows;
	to.dim[to.rank - 1] = columns;
	if (b.dim[b.rank - 2] != depth || depth < 1 || !has_matrices_of(&a, &to) || !has_matrices_of(&b, &to) || !array_room(im, &to) ||
	    to.count == 0 || __builtin_mul_overflow(to.count, depth, &work) || work > MOST_SUMMED)
		return false;
	more = to.count / (rows * columns);
	if ((a.count != rows * depth && a.count != more * rows * depth) || (b.count != depth * columns && b.count != more * depth * columns))
		return false;	/* of several matrices one or as many */
	im->folded += work / WORK_OF_ELEMENT;
	for (at = 0; at < more; at++)
		for (i = 0; i < rows; i++)
			for (j = 0; j < columns; j++) {
				int64_t p = (a.count > rows * depth ? at : 0) * rows * depth, q = (b.count > depth * columns ? at : 0) * depth * columns;
				double sum = 0;

				for (k = 0; k < depth; k++)
					sum += array_at(&a, p + i * depth + k) * array_at(&b, q + k * columns + j);
				to.r[(at * rows + i) * columns + j] = sum;
			}
	return array_keep(im, n, &to);
}
