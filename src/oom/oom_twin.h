/* One thing that is listed with several numbers, and how each went (oom_twin.c). */
#ifndef STOWAGE_OOM_OOM_TWIN_H
#define STOWAGE_OOM_OOM_TWIN_H

#include <stdint.h>

#include "oom/oom_clause.h"

#define TWINS		6
#define TWIN_NUMBERS	6
#define TWIN_HEAD	64

struct oom_twins {		/* the last lines that have such */
	struct {
		char head[TWIN_HEAD];	/* without its numbers, in small letters; "": none is kept here */
		int64_t n[TWIN_NUMBERS];
		int count;		/* of them */
		bool fails;
		struct said said;
	} of[TWINS];
	int next;
};

/* Takes note of line LINE; where it and one ahead are alike but for their numbers, and the one with
 * the less of them runs and the other fails, the former is put into TO. */
void	oom_twin_line(struct oom_twins *, struct talk t, int line, struct said *to);

#endif
