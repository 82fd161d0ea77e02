/*
 * How a row of the table of wordings is written (oom_wording_rows.c): a phrase, and conditions on
 * what stands around it, all of which have to hold.
 */
#ifndef STOWAGE_OOM_OOM_WORDING_ROW_H
#define STOWAGE_OOM_OOM_WORDING_ROW_H

#include "oom/oom_clause.h"
#include "oom/oom_wording.h"

#define WORDING_WAYS	4
#define WORDING_BESIDE	9	/* conditions, and the end of them */

enum place {			/* around a phrase: ahead of it and behind it are up to it, from is with it */
	THE_PHRASE, IN_LINE, LINE_AHEAD, LINE_BEHIND, IN_SENTENCE, SENTENCE_AHEAD, SENTENCE_FROM, SENTENCE_BEHIND, IN_CLAUSE, CLAUSE_AHEAD,
	CLAUSE_BEHIND, WORD_AHEAD
};

enum beside_what {
	NO_MORE,		/* after the last condition */
	DECIDED_HERE,		/* where all up to this hold, no other way is looked at */
	/* of a list: */
	WORDS, PHRASES,		/* any by itself, with blanks or strokes between them */
	BEGINS, WORD_OF,	/* any where a word begins; it is one of them */
	PARTS, PIECES,		/* anywhere, with blanks or strokes */
	DENIES,			/* it says no, by a word of the list too */
	/* of none: */
	MARK, ASKS,		/* a question mark; it is a question */
	RUNS, FAILS, MAY_FAIL, NAMES_FAILURE,
	PASSES_BY		/* the phrase is named beside what the run has */
};

struct beside {
	enum beside_what what;
	enum place place;
	bool holds;		/* or it must not */
	const char *list;
	bool or_next;		/* or the next does */
	size_t within;		/* of the place the first bytes; 0: all */
};

enum found { FOUND_NOWHERE, FOUND_ANYWHERE, FOUND_WHOLE, FOUND_EVERY, FOUND_TOLD };

struct way {			/* of which one wording may be found */
	enum found found;
	int sides;		/* of FOUND_TOLD, as clause_says() takes it, */
	const char *more;	/* and words that deny it */
	const char *phrases;	/* with strokes between them */
	struct beside beside[WORDING_BESIDE];
};

extern const struct way oom_wordings[WORDINGS][WORDING_WAYS];

/* The first of LIST anywhere, or as whole words; every one as whole words, until one holds. */
#define ANYWHERE(list)	FOUND_ANYWHERE, 0, "", list
#define WHOLE(list)	FOUND_WHOLE, 0, "", list
#define EVERY(list)	FOUND_EVERY, 0, "", list
/* The first in a clause that does not deny it. */
#define TOLD(sides, more, list)	FOUND_TOLD, sides, more, list

#define HAS(place, what, list)	{ what, place, true, list, false, 0 }
#define NOT(place, what, list)	{ what, place, false, list, false, 0 }
#define IS(place, what)		{ what, place, true, NULL, false, 0 }
#define ISNT(place, what)	{ what, place, false, NULL, false, 0 }
/* One of them, or the next. */
#define OR_HAS(place, what, list)	{ what, place, true, list, true, 0 }
#define OR_NOT(place, what, list)	{ what, place, false, list, true, 0 }
#define OR_IS(place, what)		{ what, place, true, NULL, true, 0 }
/* The same in the first N bytes of a place. */
#define HAS_WITHIN(n, place, what, list)	{ what, place, true, list, false, n }
#define NOT_WITHIN(n, place, what, list)	{ what, place, false, list, false, n }
#define DECIDED		{ DECIDED_HERE, IN_LINE, true, NULL, false, 0 }
#define NOTHING_ELSE	{ { NO_MORE, IN_LINE, true, NULL, false, 0 } }

#endif
