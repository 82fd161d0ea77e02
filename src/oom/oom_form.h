/* The forms of a report's lines, each by itself: oom_source.h makes of them what a line is. */
#ifndef STOWAGE_OOM_OOM_FORM_H
#define STOWAGE_OOM_OOM_FORM_H

#include "oom/oom_lexicon.h"

/* A program's: a log, an error, a count, a bar of progress; FENCED: it stands where Markdown has
 * logs and code. */
bool	form_is_output(struct talk, bool fenced);
/* "2018-02-06 19:49", "[INFO]", "I tensorflow/core": does it begin as those of programs' logs
 * do? */
bool	form_is_logged(struct talk);
/* Of nvidia-smi or the like. */
bool	form_is_table(struct talk);
/* A call of a traceback's, or its head. */
bool	form_is_call(struct talk);
/* What is typed at a shell. */
bool	form_is_command(struct talk);
/* Does it have what a program was started with, as Python prints a list of that? */
bool	form_has_started(struct talk);
/* A name in small letters, and one value. */
bool	form_is_setting(struct talk);
/* Of code. */
bool	form_is_statement(struct talk);
/* Has it words that a person writes, and code and logs do not? In a fence, such as none but a
 * person has. */
bool	form_speaks(struct talk, bool fenced);
/* A line of code without its comment. */
struct talk	form_without_comment(struct talk);

/* The N bytes of a line at S without the signs by which Markdown emphasizes words within it, as in
 * "while **validating**", at TO, which has room for as many; how many those are. */
size_t		form_plain(char *to, const char *s, size_t n);

#endif
