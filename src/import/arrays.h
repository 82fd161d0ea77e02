/*
 * Arrays that are computed from constants (arrays.c). A record of `struct array_fold` computes one
 * operator.
 */
#ifndef STOWAGE_IMPORT_ARRAYS_H
#define STOWAGE_IMPORT_ARRAYS_H

#include "import/importer.h"

struct array {
	bool real, stepped;
	int rank;
	int64_t dim[MODEL_RANK], count;
	struct layout source;
	const struct numbers *from;	/* where they are, or one of these: */
	int64_t *i;
	double *r;
	int64_t *step;		/* where it is stepped */
};

#define MOST_FOLDED	((int64_t)1 << 24)	/* elements in all */
#define WORK_OF_ELEMENT	64	/* products that count as one element, of which so many are computed at most */
#define STEP_UNKNOWN	INT64_MIN	/* it is another for each sample, in a way that is not followed */

struct array_fold {
	const char *name;
	bool (*fold)(struct importer *, const struct model_node *);
};

bool	array_of(struct importer *, struct val *, struct array *);	/* false: it is none that is known */
bool	array_room(struct importer *, struct array *);	/* new elements for an array of that shape; false: too many */
bool	array_keep(struct importer *, const struct model_node *, const struct array *);	/* it is what the node makes */
const struct numbers	*numbers_of(struct importer *, struct val *);	/* as numbers of the model; NULL */
double	array_at(const struct array *, int64_t);
int64_t	array_whole(const struct array *, int64_t);
int64_t	array_step(const struct array *, int64_t);
void	array_put(struct array *to, int64_t, const struct array *from, int64_t);
void	array_strides(const struct array *, int64_t *);

bool	fold_product_of_arrays(struct importer *, const struct model_node *);	/* (array_product.c) */
extern const struct array_fold places_folds[];	/* those that move elements (places.c); ends with a NULL name */

#endif
