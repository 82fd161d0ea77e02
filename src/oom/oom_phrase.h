/*
 * What out-of-memory messages look like: the patterns (oom/oom_pattern.h) by which the reader of logs
 * knows that a message begins, and those of what it goes on to say. A new wording is a new line here.
 */
#ifndef STOWAGE_OOM_OOM_PHRASE_H
#define STOWAGE_OOM_OOM_PHRASE_H

#include "oom/oom_log.h"

enum phrase_role {
	ROLE_MESSAGE,
	ROLE_NAMED,		/* a message in anyone's words, if a sentence ends there or sizes follow; */
	ROLE_GENERIC,		/* only if sizes or a shape follow */
	ROLE_CLASS, ROLE_CHUNK, ROLE_FREE_CHUNK, ROLE_STATS, ROLE_LIMIT, ROLE_IN_USE, ROLE_BINS,
	ROLE_OPERATION,		/* ONNX Runtime's node, which comes before the message */
	ROLE_BUFFER_SIZE, ROLE_BUFFER_SHAPE,
	ROLE_CARD		/* of nvidia-smi's table: bytes in use of bytes */
};

struct phrase {
	const char *pattern;	/* NULL after the last */
	enum phrase_role role;
	enum oom_kind kind;
	bool host;
	const char *who;	/* whose message, where the kind does not say; NULL: the kind's name */
	const char *says;	/* what it means, where the kind does not say */
};

/* ROLE_MESSAGE come first, and of two that begin alike the longer one. */
extern const struct phrase oom_phrases[];

enum detail_role {
	DETAIL_SIZE,		/* into the field `value` */
	DETAIL_MORE,		/* the same, but the larger of two of the message */
	DETAIL_SUM,		/* added to it */
	DETAIL_SHAPE, DETAIL_NODE,
	DETAIL_ELEMENT,		/* an element has `value` bytes */
	DETAIL_WARNING, DETAIL_HOST
};

struct detail {			/* what a message of a kind goes on to say */
	const char *pattern;	/* NULL after the last */
	enum detail_role role;
	enum oom_kind kind;
	int value;
};

/* Those of a kind stand together. */
extern const struct detail oom_details[];

#endif
