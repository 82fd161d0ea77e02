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

/* Where the elements of a value are in what it comes from; itself, where a step does more than say
 * where they are. */
void	strided_trace(struct val *, struct strided *);
bool	strided_split(struct strided *, const int64_t *dim);	/* the first axis as these two; false: it is not as long */

/* ---- tables that biases of attention are looked up in (recognise_lookup.c) ---- */

struct attend_table {		/* as attend's attributes have it; 0: it is no such */
	struct val *table;	/* [rows, heads] */
	int64_t relative, max_distance, grid[2];
};

/* Is a bias [..., heads, queries, keys] looked up so? */
bool	recognise_table(struct val *bias, int64_t heads, int64_t queries, int64_t keys, bool causal, struct attend_table *);
/* ---- masks of scores (recognise_mask.c) ---- */

/* A number is added to a score, or says whether it is seen, or whether it is not. */
enum mask { ADDED, SEEN, HIDDEN };

struct order {
	bool is, causal;
	int64_t window;		/* how far from the query a key is seen; 0: however far */
};

/* The constant that it is, of which no number is trained; NULL: it is none. */
const struct numbers	*mask_constant(const struct val *);

/* The order by which a constant [..., T, T] has scores seen; NULL: by none. Layers that have one
 * constant ask once. */
const struct order	*mask_order(struct importer *, const struct val *, enum mask);

/* ---- windows of an image (recognise_windows.c) ---- */

/* Where a constant says which scores [..., T, T] of windows, one behind the other or in rows and
 * columns, are seen, or with LOWERS takes so much from the others that these are not: is that so in
 * an image of WINDOWS that was rolled, and by how much? */
bool	recognise_shift(struct importer *, const struct numbers *, bool lowers, const struct tensor *scores, const int64_t *grid,
	    int64_t *windows, int64_t *shift);

#endif
