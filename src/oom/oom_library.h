/*
 * Libraries that keep memory in a store of their own (a pool, an arena, what was made for a shape),
 * by the names of their calls and settings; and whether people say that memory is not given back.
 */
#ifndef STOWAGE_OOM_OOM_LIBRARY_H
#define STOWAGE_OOM_OOM_LIBRARY_H

#include "oom/oom_knob.h"
#include "oom/oom_lexicon.h"

enum library {
	LIBRARY_FAISS,		/* on a device */
	LIBRARY_PADDLE,		/* which only infers */
	LIBRARY_MXNET,
	LIBRARY_CUPY,
	LIBRARY_ONNX,		/* ONNX Runtime */
	LIBRARY_TENSORFLOW,
	LIBRARIES
};

struct oom_libraries {
	struct oom_knob named[LIBRARIES];	/* of each the first line that names it */
	int retains;		/* the last line by which memory is not given back, */
	int closes;		/* and by which that is so though what had it was closed or deleted; 0: nowhere */
	int reuses;		/* the last line that turns Paddle's optimisation of memory on, */
	int off;		/* the last that has Serving's option that switches it off, */
	int option;		/* or the one of it, which means the contrary in some versions, */
	int infers;		/* and that has a word for what only infers */
};

/* Line LINE of the log; TOLD: a person's sentence. */
void	oom_library_line(struct oom_libraries *, struct talk, int line, bool told);

#endif
