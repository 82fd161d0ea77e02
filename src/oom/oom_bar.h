/* Bars of progress, as tqdm prints them: "Epoch 3:  12%|##    | 40/320 [00:12<01:24, 3.30it/s]". */
#ifndef STOWAGE_OOM_OOM_BAR_H
#define STOWAGE_OOM_OOM_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oom/oom_log.h"

struct oom_bar {
	const char *title;	/* what stands ahead of it, up to its percentage */
	size_t title_bytes;
	int64_t done, all;	/* rounds; -1: it does not say */
	int64_t seconds;	/* that one takes; 0: it does not say, or less than one */
};

/* The last bar of the N bytes at S: a terminal writes one over the other. False: there is none. */
bool	oom_bar_read(const char *s, size_t n, struct oom_bar *);
/* Where line NUMBER has one, whose it is, and what was done. */
void	oom_bar_note(struct oom_log *, const char *s, size_t n, int number);

#endif
