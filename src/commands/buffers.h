/* stowage plan --buffers: packing buffers without a network. */
#ifndef STOWAGE_COMMANDS_BUFFERS_H
#define STOWAGE_COMMANDS_BUFFERS_H

#include "cli/options.h"

struct buffers_args {
	const char *input;	/* NULL: a network is planned */
	const char *capacity;	/* as written; NULL: as small as can be found */
};

#define BUFFERS_OPTIONS(owner)								\
	{ .name = "buffers", .type = OPTION_STRING, .value = "CSV",			\
	  .doc = "instead of a spec: place the buffers of this file",			\
	  FIELD(owner, buffers.input) },						\
	{ .name = "capacity", .type = OPTION_STRING, .value = "BYTES",			\
	  .doc = "with --buffers: whether they fit so many bytes",			\
	  FIELD(owner, buffers.capacity) }

/* Returns the exit status. OUTPUT: where the offsets go; NULL: nowhere. SECONDS: how long to
 * search; 0: a fixed effort, alike on every machine. */
int	buffers_run(const struct command *, const struct buffers_args *, const char *output, int64_t seconds);

#endif
