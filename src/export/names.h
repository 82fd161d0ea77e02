/* Names that weights have elsewhere, and how they lie there: the file of --map, read the other
 * way. */
#ifndef STOWAGE_EXPORT_NAMES_H
#define STOWAGE_EXPORT_NAMES_H

#include "base/text.h"
#include "base/vec.h"
#include "import/model.h"
#include "ir/ir.h"

struct names;

/* NULL, with *WHY, where it is none; TEXT is changed. WHOLE: it is the map of this very network, so
 * a weight that no line fits is none of it; else such a weight is called there as here. */
struct names	*names_read(struct arena *, char *text, bool whole, const char **why);

/* A tensor of theirs that a weight of ours is, or is part of, or that stands beside it. */
struct name_there {
	const char *path;
	enum name_what {
		NAME_NUMBERS,		/* the weight's, which lie as the view says */
		NAME_COUNTER,		/* one whole number, 0 */
		NAME_WINDOW_INDEX	/* for each two places of a window, its row of this table */
	} what;
	int rank;
	int64_t dim[MODEL_RANK];
	const struct view *view;	/* NULL: they lie as ours do */
};

struct names_there {
	VEC(struct name_there) list;
};

/* All of a weight of ours; NULL, with *WHY: the map does not say what all of it is called, or what
 * it says does not suit the weight. */
const struct names_there	*names_of(struct names *, const struct tensor *ours, const char **why);

/* After all weights, of a map that is whole: has each line had one, but those of what stands beside
 * weights or is left out? False, with *WHY. */
bool	names_met(const struct names *, const char **why);

#endif
