/*
 * What the traceback around a message tells of it: where the program was. Python's own form is
 * read, that of notebooks, and that of rich's boxes; on any of them only what names a place for
 * sure.
 */
#ifndef STOWAGE_OOM_OOM_TRACE_H
#define STOWAGE_OOM_OOM_TRACE_H

#include "oom/oom_log.h"

#define TRACE_LINE	1000	/* bytes of a line that are read */
#define TRACE_BEHIND	512	/* bytes ahead of a message that are read as its line of code */

struct oom_trace {		/* the one that is being read */
	uint64_t facts;		/* of the calls */
	uint64_t code;		/* of the line of code of the innermost call that is the user's */
	char function[OOM_NAME];	/* of the user's, that evaluates; or "" */
	char extents[OOM_NAME];	/* that the innermost line gives an array it makes: "n, self.length"; or "" */
	int begun, last;	/* its lines; 0: none is open */
	int expect;		/* lines in which a call's line of code may follow */
	bool headed;		/* a line of its own says that it begins */
	bool turned;		/* the innermost call stands first */
	bool applied;		/* DataParallel has its inputs, and runs the layers */
	bool tiled;		/* an autoencoder works in tiles already */
	bool settled;		/* of a turned one: the innermost call of the user's is read */
	bool library;		/* the call whose line of code is awaited is of PyTorch itself */
	int phase;		/* the last line by which a program begins with tests; 0: none */
	bool steps;		/* a call is of a function in which steps may be run */
	bool constructs;	/* the innermost call that is not of a library is a constructor */
	uint64_t here;		/* facts of the innermost call that is not */
	char tests[OOM_NAME];	/* the function that its line of code gives a loader of tests, and no other; or "" */
	bool attention;		/* its file or function is of attention */
	int after;		/* the line of the message that it follows; 0: none */
	bool ended;		/* a line follows that is none of it: what it ended in, or what was printed next */
	int margin;		/* bytes that collectors of logs put ahead of Python's lines, plus 1; 0: not known */
	int taken;		/* the line of the message at its end; 0: it goes on */
};

/* Line LINE of the log is the N bytes at S. */
void	oom_trace_line(struct oom_trace *, struct oom_log *, const char *s, size_t n, int line, enum oom_source);
/* A message is kept, whose line of code may be the N bytes at S; it takes what the traceback
 * tells. */
void	oom_trace_message(struct oom_trace *, struct oom_message *, const char *s, size_t n, enum oom_source);
/* The log has ended. */
void	oom_trace_end(struct oom_trace *, struct oom_log *);

#endif
