/*
 * What the core of attention (attend.c) and the layer around it (attention.c) share: attributes,
 * and the shapes that follow from them.
 */
#ifndef STOWAGE_OPS_ATTEND_H
#define STOWAGE_OPS_ATTEND_H

#include "ir/op.h"

#define MOST_HEADS	65536
#define ATTEND_BUCKETS	65536

#define ATTEND_ATTRS									\
	{ "heads", ATTR_INT, "how many times attention is computed, side by side, each on its share of "	\
	    "the last dimension", .required = true, .min = 1, .max = MOST_HEADS },	\
	{ "kv_heads", ATTR_INT, "heads of keys and values, each for as many neighbouring heads of queries; "	\
	    "0: as many as heads", .preset = "0", .min = 0, .max = MOST_HEADS },	\
	{ "causal", ATTR_BOOL, "position i sees positions 0 to i alone", .preset = "false" },	\
	{ "window", ATTR_INT, "positions this far away or farther are not seen; 0: all are",	\
	    .preset = "0", .min = 0, .max = (double)LARGEST_EXTENT },			\
	{ "scale", ATTR_REAL, "factor of the products of queries and keys; 0: 1 / sqrt(numbers of a head)",	\
	    .preset = "0", .min = 0, .max = 1e6 },					\
	{ "dropout", ATTR_REAL, "share of probabilities that become 0 in training", .preset = "0",	\
	    .min = 0, .max = 1 },							\
	{ "alibi", ATTR_BOOL, "each head's scores fall with the distance, by a slope of its own",	\
	    .preset = "false" },							\
	{ "relative", ATTR_INT, "the bias is a table [relative, heads], by T5's buckets of the distance of key and "	\
	    "query; 0: it is none", .preset = "0", .min = 0, .max = ATTEND_BUCKETS },	\
	{ "max_distance", ATTR_INT, "of relative: all that are so far away or farther share the last bucket",	\
	    .preset = "128", .min = 1, .max = 1 << 30 },				\
	{ "grid", ATTR_PAIR, "positions are the places of a grid of so many rows and columns, and the bias is a "	\
	    "table [(2 rows - 1) (2 columns - 1), heads], by how far the places are apart down and across; 0: "	\
	    "they are not", .preset = "0", .min = 0, .max = 32768 },				\
	{ "shift", ATTR_PAIR, "the grids are windows, in rows and columns, of an image that was rolled so many "	\
	    "places up and to the left: what came round does not see the rest", .preset = "0", .min = 0,	\
	    .max = 32768 },								\
	SPLIT_ATTR("ranks: where several train together, each has its share of the heads")

/* What of it cannot be split over ranks yet, in the language's words; NULL: all can. */
const char	*attend_unsplit(const struct node *);
/* Rows of the table that a bias is looked up in, by relative or grid; 0: it is not. */
int64_t	attend_table(const struct node *);
/* Are those attributes as they must be? */
bool	attend_is_relative(struct build *, const struct node *);
/* Is that table, which may be NULL, the one that they ask for? */
bool	attend_table_fits(struct build *, const struct node *, const struct tensor *table, int64_t queries,
	    int64_t keys);
/* Are the queries those of windows, if there is a shift? */
bool	attend_shift_fits(struct build *, const struct node *, const struct tensor *queries);
/* Bytes of scratch memory for its gradient. */
int64_t	attend_table_work(const struct node *, int64_t queries, int64_t keys);
/* T5's bucket of a key that is so many positions behind the query, below 0 ahead of it (Raffel and
 * others, 2020). */
int64_t	attend_bucket(int64_t buckets, int64_t max_distance, bool causal, int64_t behind);
/* On which side of the seams of an image that was rolled a place of window AT is, of WINDOWS rows
 * and columns: those of one window that are on unlike sides do not see each other. */
int	attend_side(const int64_t *windows, int64_t at, const int64_t *grid, const int64_t *shift, int64_t place);
/* The rule as members of struct attend in a program. */
const char	*attend_rule_text(struct arena *, const struct node *, const struct tensor *queries);

/* attend's torch.calls (attend_torch.c) */
void	attend_torch(struct tape *, const struct node *);
/* and its torch.scores */
int64_t	attend_scores(const struct node *);

#endif
