/* What readers of one long run of tokens share: samples are windows of it, and a target is the same
 * window further on. The program's half is kernels/host/data_windows.c. */
#ifndef STOWAGE_READERS_WINDOWS_H
#define STOWAGE_READERS_WINDOWS_H

#include "readers/look.h"

#define READER_WINDOWS(what)										\
	{ .name = "from", .type = ATTR_REAL, .preset = "0", .min = 0, .max = 1,				\
	  .doc = "the share of the file before which nothing is used" },				\
	{ .name = "to", .type = ATTR_REAL, .preset = "1", .min = 0, .max = 1,				\
	  .doc = "the share of the file up to which it is used, so that training and validation can share a file" }, \
	{ .name = "stride", .type = ATTR_INT, .preset = "0", .min = 0, .max = READER_MOST,		\
	  .doc = what " from one window to the next; 0: as long as a window" },				\
	{ .name = "ahead", .type = ATTR_INT, .preset = "1", .min = 0, .max = READER_MOST,		\
	  .doc = "how many " what " a target is ahead of the inputs" }

/* Of a reader of windows: struct reader's, in whose words "the bytes of a text" are what it
 * reads. */
bool		 windows_look(struct look *, int64_t header, enum look_type);
const char	*windows_unfit(struct arena *, const struct data_source *, struct tensor *const *staged, int n);

#endif
