/*
 * A batch by its number in a person's sentence that says that it runs with it.
 */
#include "oom/oom_batch.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_fares.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"

/* Words by which a batch is made less, or is the most that runs. */
#define MADE_LESS	"reduc|lower|decreas|smaller|only|改|调|降|减|只能|줄이|"	\
    "下げ|減ら|小さ|уменьш"
#define AND_MORE_CHINESE	"再大|再增|再加|再高|再多|更大|更高|超过|以上就|大于|大一点"

/* The least whole number of T that is none of the name of a card; 0: there is none. And the
 * largest. */
static int64_t
least_count(struct talk t, int64_t *most)
{
	const char *s, *end = t.s + t.n;
	int64_t n, least = 0;

	*most = 0;
	for (s = t.s; s < end; s++)
		if (is_digit(*s) && (s == t.s || !is_digit(s[-1])) && oom_number_at(t, s, false, &n)) {
			least = !least || n < least ? n : least;
			*most = n > *most ? n : *most;
		}
	return least;
}

bool
oom_batch_fewer_run(struct talk t, const char *at, int64_t least)
{
	struct talk next = clause_sentence(t, at);
	const char *runs;
	int64_t n, most;
	size_t length;

	while (next.s + next.n + 1 < t.s + t.n) {
		next = clause_sentence(t, next.s + next.n + 1);
		n = least_count(next, &most);
		runs = talk_find_whole(next, "worked|works|ran|runs|trains|trained", &length);
		if (n > 0 && n < least && runs && talk_has_whole(talk_part(next, next.s, runs), OOM_LOWERS "|batch|batch_size|batchsize") && !talk_any_whole(next, "cpu processor epoch epochs") && !clause_says_no(talk_clause(next, runs, length), "neither") && !memchr(next.s, '?', next.n))
			return true;
		if (next.n == 0)
			next.n = 1;
	}
	return false;
}

/* Where SENTENCE, which has a batch, says that it runs with less: by words for that, or by another
 * number with which it does not. */
static const char *
runs_with_less(struct talk sentence)
{
	const char *runs = oom_fares_says(sentence, OOM_COMES_NOT);
	int64_t least, most, none;

	if (!runs && !(runs = oom_fares_says(sentence, OOM_RUNS_WELL)))
		return NULL;
	least = least_count((unsigned char)*runs >= 0x80 || talk_is_one_of(clause_word_behind(sentence, sentence.s), "only") ? sentence : talk_clause(sentence, runs, 0), &none);
	least_count(sentence, &most);
	return least > 0 && (oom_fares_says(sentence, OOM_COMES_NOT) || talk_any_phrase(sentence, MADE_LESS) || (most > least && oom_fares_ill(sentence))) ? runs : NULL;
}

/* "Does it run with 2?" asks; "with 2 it works, why is this?" says it first. */
static bool
asks(struct talk sentence)
{
	const char *runs = oom_fares_says(sentence, OOM_RUNS_WELL);

	return memchr(sentence.s, '?', sentence.n) && !(runs && talk_any_whole(talk_part(sentence, runs, sentence.s + sentence.n), "why what") &&
	    !talk_any_whole(talk_part(sentence, sentence.s, runs), "why what does do can could will would how"));
}

/* "with 8 it works for 3 epochs, then OOM": for a time alone. */
static bool
fails_later(struct talk sentence, const char *runs)
{
	struct talk behind = talk_part(sentence, runs, sentence.s + sentence.n);

	return talk_any_whole(behind, "then until after later middle halfway midway suddenly eventually epoch epochs step steps iterations hours while") && (oom_short_fails(behind) || clause_names_failure(behind));
}

/* "I have trained with a batch of 4 before without any error": with as much as now. */
static bool
is_of_past(struct talk sentence)
{
	const char *at = talk_find_word(sentence, "before previously earlier yesterday formerly");

	if (talk_any_phrase(sentence, MADE_LESS))
		return false;
	return talk_has_whole(sentence, "used to|last week|in the past") || (at && (!talk_is_one_of(clause_word_ahead(sentence, at), "the than any just right") && (lower(*at) != 'b' ||
	    !(clause_word_behind(sentence, at + strlen("before")).n > 0) || talk_is_one_of(clause_word_behind(sentence, at + strlen("before")), "without with and but no fine successfully"))));
}

/* "It is out of memory. But with a batch of 13 it works." */
static bool
runs_after_but(struct talk t, struct talk sentence)
{
	return sentence.s - t.s > 2 && talk_is_one_of(clause_word_behind(sentence, sentence.s), "but") && oom_fares_ill(clause_sentence(t, sentence.s - 2)) && !oom_fares_ill(sentence) &&
	    !talk_any_whole(sentence, "cpu inference test testing validation evaluation another other different") && oom_fares_says(sentence, OOM_RUNS_WELL);
}

const char *
oom_batch_runs(struct talk t)
{
	const char *at = NULL, *runs;
	struct talk sentence;
	size_t n = 0;

	while (oom_number_batch(t, &at, &n) > 0) {
		sentence = clause_sentence(t, at);
		if (oom_batch_is_most(t, at) && talk_any_phrase(t, AND_MORE_CHINESE) && oom_fares_ill(t))
			return at;
		runs = oom_fares_others(sentence) || talk_has_whole(sentence, OOM_WISHED) || asks(sentence) ? NULL : runs_with_less(sentence);
		if (!runs && !oom_fares_others(sentence) && !talk_has_whole(sentence, OOM_WISHED) && !asks(sentence) && runs_after_but(t, sentence))
			runs = at;
		if (runs && !fails_later(sentence, runs) && !is_of_past(sentence))
			return runs;
	}
	return NULL;
}
