/*
 * What a report has beside what it is of: another's post in a thread that was pasted whole ("+1, in
 * my case it was ...") or is answered ("> "), and code that is shown as what is not done, or no
 * longer. Nothing rests on either.
 */
#ifndef STOWAGE_OOM_OOM_ASIDE_H
#define STOWAGE_OOM_OOM_ASIDE_H

#include "oom/oom_source.h"

struct oom_aside {		/* of the lines ahead; zeros at first */
	bool answers;		/* the report has more lines of its own than quoted ones, which are another's then */
	bool another;		/* within another's post */
	bool cited, cites;	/* a line named whom the paragraph behind it cites; and that has begun */
	bool armed;		/* a sentence said that the code behind it is not, or no longer, what ran; */
	bool fenced;		/* that code has begun, in a fence; */
	bool comment;		/* and a comment within code said so */
};

/* Of a report that begins with the N bytes of a text. */
void		oom_aside_begin(struct oom_aside *, const char *text, size_t n);
/* What the next line is: SOURCE, or a comment, on which nothing rests. FENCED: it stands in a
 * fence; REPORTED: a program's message has been read ahead of it. */
enum oom_source	oom_aside(struct oom_aside *, struct talk, enum oom_source source, bool fenced, bool reported);

#endif
