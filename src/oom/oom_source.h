/*
 * What each line of a report is: a program's, of its text, or a person's. Reports are pasted with
 * all of them mixed, and what a line may be taken for follows from it, so it is decided here, once,
 * for all readers of lines:
 *
 *     a program's output, a traceback, a table, a command, settings, code	evidence: facts and conditions rest on them
 *     a comment of code							nothing rests on it
 *     a person's sentence							quoted, as what the report says; no evidence
 *     what is neither for sure (a title, a few words)				as a sentence, but for what only sentences deny
 *
 * A message itself (oom_phrase.h) is read wherever it stands, since people type it into titles:
 * then less is said of it.
 */
#ifndef STOWAGE_OOM_OOM_SOURCE_H
#define STOWAGE_OOM_OOM_SOURCE_H

#include "oom/oom_lexicon.h"

enum oom_source {
	SOURCE_NONE,		/* blank, or a sign of Markdown by itself */
	SOURCE_OUTPUT,		/* a program's: a log, a warning, an error, a bar of progress */
	SOURCE_TRACE,		/* a traceback's head, a call of it, or the line of code behind that */
	SOURCE_TABLE,		/* of nvidia-smi or the like */
	SOURCE_COMMAND,		/* what was typed at a shell */
	SOURCE_SETTING,		/* a name and its value: of a configuration, or as programs print theirs */
	SOURCE_CODE,
	SOURCE_COMMENT,		/* of code, by itself on a line, what stands in a text of several lines, and of a report's form */
	SOURCE_PROSE,
	SOURCE_UNSURE
};

struct oom_sources {		/* of the lines ahead; zeros at first */
	bool fenced;		/* by Markdown's ``` or ~~~ */
	bool quoted;		/* within a text of several lines in code, by three quotation marks */
	bool hidden;		/* within "<!--", as forms of reports have what they ask for */
	bool called;		/* the line ahead is a call of a traceback's: its code follows */
	bool marked;		/* this line begins as Markdown's titles and items do, outside of a fence */
	enum oom_source last;	/* of the line ahead, unless a blank one stands between */
};

/* The next line of a report, as a lexicon read it. */
enum oom_source	oom_source_of(struct oom_sources *, struct talk);
/* Do facts rest on such a line? */
bool	oom_source_is_evidence(enum oom_source);
/* How many of Markdown's fences stand in it. */
int	oom_fences(struct talk);

#endif
