/* Elements of a tensor by their strides (strided.c). */
#ifndef STOWAGE_IMPORT_STRIDED_H
#define STOWAGE_IMPORT_STRIDED_H

#include "import/importer.h"

struct strided {		/* elements of a tensor */
	struct val *of;
	int rank;
	int64_t dim[MODEL_RANK], stride[MODEL_RANK], first;
	double scale;		/* times that */
};

/* Where the elements of a value are in what it comes from; itself, where a step does more than say where they are. */
void	strided_trace(struct val *, struct strided *);

/* ---- tables that biases of attention are looked up in (recognise_lookup.c) ---- */

struct attend_table {		/* as attend's attributes have it; 0: it is no such */
	struct val *table;	/* [rows, heads] */
	int64_t relative, max_distance, grid[2];
};

/* Is a bias [..., heads, queries, keys] looked up so? */
bool	recognise_table(struct val *bias, int64_t heads, int64_t queries, int64_t keys, bool causal, struct attend_table *);
/* Where a constant says which scores [..., rows, columns, heads, T, T] are seen: is that so in windows of an image that was
 * rolled, and by how much? */
bool	recognise_shift(struct importer *, const struct numbers *, const struct tensor *scores, const int64_t *grid, int64_t *shift);

#endif
