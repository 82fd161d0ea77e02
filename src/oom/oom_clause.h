/*
 * Clauses of sentences: whether they say a thing or deny it. None of it is grammar; words near a phrase decide, and where
 * they are not clear the phrase counts as not said.
 */
#ifndef STOWAGE_OOM_OOM_CLAUSE_H
#define STOWAGE_OOM_OOM_CLAUSE_H

#include "oom/oom_piece.h"

enum side { AHEAD = 1, BEHIND = 2 };		/* of a phrase: where its clause may deny it */

/* The clause in which N bytes at AT stand: from one stop, or a "but", to the next. */
struct piece	clause_of(struct piece, const char *at, size_t n);
/* Does a piece of a clause say no, by a word of MORE too? "I do not know why" does not. */
bool	clause_says_no(struct piece, const char *more);
/* Does T say any of the phrases of LIST, which strokes part, in a clause that does not deny it on those sides? */
bool	clause_says(struct piece, const char *list, int sides, const char *more);
/* Do words right beside N bytes at AT deny that it happened: "never ran out", "no longer full", "the OOM is gone"? */
bool	clause_denies(struct piece, const char *at, size_t n);

/* N bytes of T at which LIST, which strokes part, has a phrase as whole words, the first of its list; NULL: none. */
const char	*clause_find_whole(struct piece, const char *list, size_t *n);
bool	clause_has_whole(struct piece, const char *list);
/* Is any word of T one of LIST, which blanks part? Each word is read once: most lines have none. */
bool	clause_has_word(struct piece, const char *list);
bool	clause_is_question(struct piece);
/* The word that ends at END, no further back than FROM, or begins at S or behind it; apostrophes are within. */
struct piece	clause_word_ahead(const char *from, const char *end);
struct piece	clause_word_behind(const char *s, const char *end);

#endif
