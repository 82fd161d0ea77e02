/*
 * What reads a log, of which oom_log.c moves the window and finds phrases, and oom_message.c makes
 * messages of those that begin one.
 */
#ifndef STOWAGE_OOM_OOM_LOG_IMPL_H
#define STOWAGE_OOM_OOM_LOG_IMPL_H

#include "oom/oom_around.h"
#include "oom/oom_aside.h"
#include "oom/oom_log.h"
#include "oom/oom_owner.h"
#include "oom/oom_tell.h"
#include "oom/oom_text.h"
#include "oom/oom_trace.h"

#define MOST_PHRASES	2048

struct log_reader {
	struct oom_log *log;
	struct oom_text in;	/* the window */
	struct lexicon *lexicon;
	bool ended;
	int line;		/* of the place that is looked at */
	size_t at;		/* that place */
	int64_t before;		/* bytes of the text ahead of the window */
	struct oom_around around;
	struct oom_trace trace;
	struct oom_owners owners;
	struct oom_sources sources;
	struct oom_aside aside;
	enum oom_source source;	/* of the line of that place, */
	char plain[TRACE_LINE];	/* that line, where it has words that are emphasized */
	bool titled;		/* and whether it may be a title: the first one, by itself */
	int untrained;		/* the last line of a command that is told to leave training out */
	int64_t told;		/* where in the text the last message ends, */
	enum oom_kind told_kind;	/* and its kind */
	const struct phrase *phrase[MOST_PHRASES];
	int first[256], next[MOST_PHRASES];	/* phrases by first byte; -1: no more */
	const struct detail *details[OOM_KINDS];	/* of a kind: the first */
};

bool	oom_is_line_end(char);
/* Can the pattern match at S, by its first byte and those beside it? Where one is no letter, the
 * line may break. */
bool	oom_may_begin(const char *pattern, const char *s, const char *end);
/* The phrase that S begins with; NULL: none. AFTER: where it ends. */
const struct phrase	*oom_find_phrase(const struct log_reader *, const char *s, const char *end, struct oom_match *,
			    const char **after);

/* ---- what stands around a phrase from S to AFTER, as far as it is at hand ---- */

/* Where as many lines begin, the last of them that of S. Three have a message's line of code, where
 * no more than the end of a traceback was pasted; Python may underline it. */
const char	*oom_lines_ahead(const struct log_reader *, const char *s, int lines);
struct talk	 oom_line_of(const struct log_reader *, const char *s, const char *after, const char *end);
/* The text in which words of its program may stand. */
struct talk	 oom_surroundings(const struct log_reader *, const char *s, const char *after, const char *end);

/* What begins with phrase P at BEGIN, whose words end at S, is kept if it is a message. */
void	oom_message(struct log_reader *, const struct phrase *p, const struct oom_match *, const char *begin, const char *s,
	    const char *end);

#endif
