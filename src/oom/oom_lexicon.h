/*
 * Lists of words and phrases, all of them looked for in one pass over a text: where each stands is
 * kept, so that a question about the text, or about a part of it, costs what it finds and not the
 * length of both.
 *
 * A list stands where it is used: as a text whose words blanks part, or whose phrases strokes part,
 * in small letters and shorter than LEXICON_LONGEST. It is learned when it is first asked for and
 * known by its address from then on, so it has to be a constant. Everything lives in the arena that
 * is given.
 */
#ifndef STOWAGE_OOM_OOM_LEXICON_H
#define STOWAGE_OOM_OOM_LEXICON_H

#include "base/arena.h"
#include "oom/oom_piece.h"

#define LEXICON_LONGEST	64	/* bytes of a phrase, and the zero behind it */

struct lexicon;

struct talk {			/* a part of the text that its lexicon has read last */
	const char *s;
	size_t n;
	struct lexicon *of;
};

struct lexicon	*lexicon_new(struct arena *);
/* Reads N bytes, up to 2^31, which must stay as they are until the next; questions are about those
 * alone. */
struct talk	lexicon_read(struct lexicon *, const char *, size_t n);

struct talk	talk_part(struct talk, const char *s, const char *end);
/* Up to N bytes from S. */
struct talk	talk_head(struct talk, const char *s, size_t n);
/* Does it lie within? */
bool	talk_holds(struct talk, const char *at);
struct piece	talk_piece(struct talk);

/* Does it hold any of the words of LIST, which blanks part? Any where a word begins? Any by
 * itself? */
bool	talk_any_of(struct talk, const char *list);
bool	talk_any_begins(struct talk, const char *list);
bool	talk_any_whole(struct talk, const char *list);
/* Where the first of them stands by itself; NULL: none does. */
const char	*talk_find_word(struct talk, const char *list);
/* Is it, from its first byte to its last, one of the words of LIST? */
bool	talk_is_one_of(struct talk, const char *list);
/* Any of the phrases of LIST, which strokes part. */
bool	talk_any_phrase(struct talk, const char *list);
/* Where one of them stands first; NULL: none does. */
const char	*talk_first(struct talk, const char *list);
/* Where a phrase of LIST stands, and its N bytes: *AT is NULL before the first, and moves on to the
 * next; false after the last. */
bool	talk_next_phrase(struct talk, const char *list, const char **at, size_t *n);
/* The first N bytes that are a phrase of LIST as whole words, of two that begin there the one that
 * LIST has first; NULL: none. An "n't" ends a word. */
const char	*talk_find_whole(struct talk, const char *list, size_t *n);
bool	talk_has_whole(struct talk, const char *list);
/* Where that stands: *AT is NULL before the first, and moves on past its N bytes; false, and NULL,
 * after the last. */
bool	talk_next_whole(struct talk, const char *list, const char **at, size_t *n);

/* The clause in which N bytes at AT stand: from one stop, or a "but", to the next. */
struct talk	talk_clause(struct talk, const char *at, size_t n);
/* The sentence in which the byte at AT stands, with its question mark. */
struct talk	talk_sentence(struct talk, const char *at);

#endif
