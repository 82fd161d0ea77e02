/* What stowage autopsy found in a log, and its reports. */
#ifndef STOWAGE_COMMANDS_AUTOPSY_H
#define STOWAGE_COMMANDS_AUTOPSY_H

#include "fit/advice.h"
#include "frameworks/forecast.h"
#include "oom/oom_dump.h"
#include "oom/oom_log.h"
#include "oom/oom_shape.h"

#define NEAREST		3
#define MOST_ADVICE	3

struct budget {			/* the arithmetic of a message; bytes, -1 where unknown */
	int64_t total, allocated, unallocated, reserved, free, outside, context, others;
	int64_t pool;		/* what the framework could have at most; 0: unknown */
	const char *pool_is;	/* how that is known */
};

struct autopsy {
	FILE *out;
	bool colour;
	const char *log_path;
	struct module *module;	/* planned at `batch` */
	int64_t spec_batch;	/* the micro-batch as the spec says it */
	int64_t batch;		/* that of the run, as far as known */
	bool implied;		/* by a shape of the message */
	struct oom_log log;
	const struct oom_message *main;
	int element;		/* bytes of an element of the main message's tensor */
	int64_t lo, hi;		/* bytes that were asked for lie between these; hi 0: unknown */
	struct shape_matches matches;	/* of the shape, or else of the bytes */
	struct shape_matches nearest;	/* where none matches */
	struct budget budget;
	struct dump_story dump;
	const struct framework *framework;	/* whose run that was; NULL: there is no model */
	struct forecast forecast;	/* of that run; known: there is a model, and a step */
	int64_t batch_for_said;	/* the batch that takes the bytes the message counts; 0: none */
	int64_t forecast_largest;	/* batch within the pool by that model */
	int64_t card, card_largest;	/* --memory: bytes, and the batch by the dump's rules */
	struct fit fit;
	bool fitted;
	const struct advice *advice;
	int nadvice;
};

struct budget	autopsy_budget(const struct oom_message *);

/* "[32, 1, 5000, 4]" */
const char	*autopsy_shape_text(struct arena *, const struct oom_shape *);
/* Whose tensor it is, and how its axes stand: one line an axis of the message. */
const char	*autopsy_tensor_text(struct arena *, const struct shape_match *);
const char	*autopsy_axis_text(struct arena *, const struct oom_shape *,
		    const struct shape_match *, int axis);
/* Does its operation make a gradient? */
bool	autopsy_in_backward(const struct oom_message *);
/* What the message means, in a sentence or two. */
const char	*autopsy_meaning(const struct autopsy *, const struct oom_message *);

void	autopsy_text(const struct autopsy *);	/* autopsy_text.c */
void	autopsy_json(const struct autopsy *);	/* autopsy_json.c */

#endif
