/*
 * Clauses of sentences: whether they say a thing or deny it. None of it is grammar; words near a
 * phrase decide, and where they are not clear the phrase counts as not said.
 */
#ifndef STOWAGE_OOM_OOM_CLAUSE_H
#define STOWAGE_OOM_OOM_CLAUSE_H

#include "oom/oom_lexicon.h"

#define SAID	88		/* bytes of what is quoted of a sentence */

struct said {			/* what people say somewhere, in their own words */
	int line;		/* from 1; 0: nowhere */
	char words[SAID];	/* of the sentence there, around what was found */
};

enum side {			/* of a phrase: where its clause may deny it, */
	AHEAD = 1, BEHIND = 2,
	WORKS = 4		/* and by saying there that it works */
};

/* Keeps the words at AT, which lies within T, on LINE. */
void	said_at(struct said *, struct talk, const char *at, int line);

/* Does a piece of a clause say no, by a word of MORE too? "I do not know why" does not. */
bool	clause_says_no(struct talk, const char *more);
/* Does a clause say that something works? */
bool	clause_works(struct talk);
/* Does what stands behind TO, where "it runs" ends, make that a failure: "runs out of memory",
 * "runs into an OOM", "runs always OOM"? */
bool	clause_runs_out(struct talk, const char *to);
/* Is what stands at AT what someone or something has, "a machine with a massive amount of RAM"? */
bool	clause_has_it(struct talk, const char *at);
/* Where T says any of the phrases of LIST, which strokes part, in a clause that does not deny it on
 * those sides; or NULL. */
const char	*clause_says(struct talk, const char *list, int sides, const char *more);
/* The same; a phrase at AT of a clause of T of which that is true is passed over. */
typedef bool	clause_refuse(struct talk t, struct talk clause, const char *at);
const char	*clause_says_unless(struct talk, const char *list, int sides, const char *more, clause_refuse *);
/* Do words right beside N bytes at AT deny that it happened: "never ran out", "no longer full",
 * "the OOM is gone"? */
bool	clause_denies(struct talk, const char *at, size_t n);

/* The same of N bytes at AT in Chinese, Japanese or Korean: "不是显存不足", "メモリ不足ではない". */
bool	clause_denies_elsewhere(struct talk, const char *at, size_t n);
/* The bytes of the phrase of LIST, which strokes part, with which S begins or, BACK, that ends
 * there, between FROM and END; 0: none. */
size_t	clause_beside(const char *list, const char *from, const char *s, const char *end, bool back);
/* "验证时没有问题": is what is named at AT said there to go well, or not to happen? */
bool	clause_goes_well_elsewhere(struct talk, const char *at);

/* "after the clustering by NAME is complete", "after NAME.": is what the N bytes at AT name done by
 * then? */
bool	clause_is_over(struct talk, const char *at, size_t n);
/* Is what stands at AT named beside what the run has: "unlike NeRF", "I do not use vLLM"? */
bool	clause_passes_by(struct talk, const char *at);

/* Is the setting whose name is at AT of T denied by its value: "load_in_4bit: false", "--fp16
 * 0"? */
bool	clause_sets_off(struct talk t, const char *at);
/* Where T has any of the phrases of LIST, which strokes part, but as a setting that its value
 * denies; or NULL. */
const char	*clause_set(struct talk, const char *list);

/* "batch size of 1", "batch_size is set to one", "num_workers from 8 to 0": is what stands behind
 * S, where a setting's name ends, one of VALUES, which blanks part? Not what is above or below it,
 * "> 1". */
bool	clause_is_set_to(struct talk, const char *s, const char *values);

/* The sentence of T at AT, by the stops of Chinese and Japanese, too; and do these begin at S? */
struct talk	clause_sentence(struct talk t, const char *at);
bool	clause_ends_at(const char *s, const char *end);

bool	clause_is_question(struct talk);
/* Does it name a failure by a word for one: "error", "crashed", "killed"? */
bool	clause_names_failure(struct talk);
/* Is it of what a run has learned, "the loss is nan", and names no failure? */
bool	clause_is_of_learning(struct talk);
/* Is what is said to grow at AT larger with a setting that someone makes larger, as memory is "when
 * I increase the batch", or once, "and then stays constant"? */
bool	clause_rises_otherwise(struct talk clause, const char *at);
/* T's word that ends at AT or ahead of it, or begins at S or behind it; apostrophes are within. */
struct talk	clause_word_ahead(struct talk, const char *at);
struct talk	clause_word_behind(struct talk, const char *s);

#endif
