/*
 * Parts of the log's text, to which they belong, and what is looked for in them: words, whatever
 * the case of letters. These ask lines of tracebacks; sentences and code, which are asked for far
 * more, are a talk (oom/oom_lexicon.h).
 */
#ifndef STOWAGE_OOM_OOM_PIECE_H
#define STOWAGE_OOM_OOM_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIECE_MOST	((int64_t)1 << 40)	/* numbers beyond are cut off */

struct piece {
	const char *s;
	size_t n;
};

bool	piece_is_word(char);
/* Where the word, in small letters, stands in it; NULL: nowhere. */
const char	*piece_find(struct piece, const char *word);
/* Is all of it one of the words of LIST, which blanks part? */
bool	piece_is_one_of(struct piece, const char *list);
/* Does it hold any of the words of LIST, which blanks part? */
bool	piece_any_of(struct piece, const char *list);
/* The same, where a word begins; and by itself: "net(" not of "resnet(", "def" not of "default". */
bool	piece_any_begins(struct piece, const char *list);
bool	piece_any_whole(struct piece, const char *list);

/* From S, past blanks; past a word; and past a whole number: NULL, there is none. */
const char	*piece_past_blanks(const char *s, const char *end);
const char	*piece_past_word(const char *s, const char *end);
const char	*piece_number(const char *s, const char *end, int64_t *n);
/* The same of a number with commas between its thousands, or without. */
const char	*piece_count(const char *s, const char *end, int64_t *n);

#endif
