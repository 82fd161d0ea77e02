/*
 * What words in a traceback tell of the place where a program was: sets of TRACE_ (oom_log.h). Pieces are
 * parts of the log's text, and belong to it.
 */
#ifndef STOWAGE_OOM_OOM_SIGNS_H
#define STOWAGE_OOM_OOM_SIGNS_H

#include "oom/oom_log.h"

struct piece {
	const char *s;
	size_t n;
};

bool	piece_is_word(char);
/* Where the word, in small letters, stands in it, whatever the case of its letters; NULL: nowhere. */
const char	*piece_find(struct piece, const char *word);
/* Does it hold any of the words of LIST, which blanks part? */
bool	piece_any_of(struct piece, const char *list);
/* The same, where a word begins; and by itself: "net(" not of "resnet(", "def" not of "default". */
bool	piece_any_begins(struct piece, const char *list);
bool	piece_any_whole(struct piece, const char *list);

/* Of the innermost line of code that is not PyTorch's own; OF_ATTENTION: its file or function is. */
uint64_t	signs_of_code(struct piece, bool of_attention);
/* Of any line of code: by the calls that it makes. */
uint64_t	signs_of_calls_made(struct piece);
/* Of a call, by its file and its function. */
uint64_t	signs_of_call(struct piece path, struct piece function);

/* Is that file PyTorch's own, or one of arrays; or was it installed, whosever it is? */
bool	signs_is_library(struct piece path);
bool	signs_is_installed(struct piece path);

#endif
