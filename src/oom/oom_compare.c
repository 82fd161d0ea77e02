/*
 * How much of a thing runs, told beside how much of it fails, by words that compare: "at half the
 * resolution", "even larger images", "16 does not". As in oom_words.c none of it is a fact of the
 * run.
 */
#include "oom/oom_compare.h"

#include <string.h>
#include "oom/oom_clause.h"
#include "oom/oom_fares.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"

#define LESS		"half|quarter|lower|smaller|reduced|shorter|downsampled|downscaled|fewer"
#define MORE		"larger|bigger|higher|longer|greater"
/* What has a size, and what may stand between that and the word that compares. */
#define THINGS		"resolution resolutions size sizes image images picture pictures frame frames video videos clip clips sequence sequences batch batches batch_size batchsize length crop crops scale text texts prompt prompts number res input inputs"
#define BETWEEN		"of the its a an my their original full batch input image video number res spatial"
#define FEW_WORDS	4
/* How a run fares there, beside what is told of any (oom_fares.h). */
#define RUNS_WELL	"it goes away|it disappears|error goes away|error disappears|problem goes away|problem disappears|without facing|without getting|without hitting|without running out|is okay|was okay|it's okay|is alright|succeeds|succeeded"
/* It may be another run that is told of, on another device or for a time; or none. */
#define OTHERWISE	"gpu gpus card cards machine server laptop desktop colab cpu version versions model models network until then later while epoch epochs if unless should would could might may hope want wish try please whether you your paper still not never accuracy loss slower memory better worse faster tpu a100 v100 h100 t4 p100 3090 4090"
/* "If I set a higher one, it goes away" tells of what was seen. */
#define SEEN		"it goes away if|it disappears if|goes away when|goes away if|disappears if|disappears when"

/* Does one of THINGS stand right behind TO, or end right ahead of AT, as "the batch size to a
 * higher"? */
static bool
is_of_size(struct talk clause, const char *at, const char *to)
{
	struct talk word = clause_word_behind(clause, to);
	int i;

	for (i = 0; i < FEW_WORDS && word.n > 0; i++, word = clause_word_behind(clause, word.s + word.n))
		if (talk_is_one_of(word, THINGS))
			return true;
		else if (!talk_is_one_of(word, BETWEEN))
			break;
	word = clause_word_ahead(clause, at);
	for (i = 0; i < FEW_WORDS && talk_is_one_of(word, "to a an even is much slightly bit little"); i++)
		word = clause_word_ahead(clause, word.s);
	return i > 0 && talk_is_one_of(word, THINGS);
}

/* Does the clause at AT say of one's own run that it is well there? */
static bool
runs_there(struct talk t, struct talk clause)
{
	struct talk sentence = talk_sentence(t, clause.s);
	bool seen = talk_has_whole(clause, SEEN);

	if (!talk_has_whole(clause, RUNS_WELL) && !oom_fares_says(clause, OOM_COMES_NOT) && !oom_fares_says(clause, OOM_RUNS_WELL) && !clause_works(clause))
		return false;
	return !(talk_any_whole(clause, OTHERWISE) && !(seen && !talk_any_whole(clause, "gpu gpus card cards machine cpu model not"))) && !talk_any_phrase(clause, "n't ") && !oom_fares_others(sentence) &&
	    !memchr(sentence.s, '?', sentence.n) && (!oom_short_fails(clause) || talk_has_whole(clause, "without running out|without oom"));
}

static const char *
compares(struct talk t, const char *list)
{
	const char *at;
	struct talk clause;
	size_t n;

	for (at = NULL; talk_next_whole(t, list, &at, &n); ) {
		clause = talk_clause(t, at, n);
		if (is_of_size(clause, at, at + n) && runs_there(t, clause))
			return at;
	}
	return NULL;
}

#define LEFT_OUT	"does not|doesn't|did not|didn't|do not|don't|is not|isn't|was not|wasn't"
#define PARTED		"and|but|while|whereas|however"

/* "A batch of 4 runs out of memory, and 16 does not": the number behind the failure, of which the
 * verb is left out; MORE: that is the larger one. */
static const char *
denied(struct talk t, bool more)
{
	const char *at, *s, *to = NULL;
	struct talk sentence, behind;
	int64_t fails = 0, runs = 0, any;
	size_t n, length;

	for (at = NULL; talk_next_whole(t, LEFT_OUT, &at, &n); ) {
		const char *and;

		sentence = talk_sentence(t, at);
		if (clause_word_behind(sentence, at + n).n > 0 || clause_is_question(sentence) || talk_any_whole(sentence, "if should would could gpu gpus card cards model version a100 v100 h100 t4 p100 3090 4090 machine colab"))
			continue;
		for (and = NULL, behind = talk_part(t, sentence.s, at); (s = talk_find_whole(behind, PARTED, &length)); behind = talk_part(t, s + length, at))
			and = s;
		if (!and || !oom_short_fails(talk_part(t, sentence.s, and)) || !talk_any_whole(talk_part(t, sentence.s, and), THINGS))
			continue;
		for (to = NULL; (s = oom_number_walk(talk_part(t, sentence.s, and), ".", &to, &any)); )
			fails = any;
		for (to = NULL; (s = oom_number_walk(talk_part(t, and, at), ".", &to, &any)); )
			runs = any;
		if (fails > 0 && runs > 0 && (more ? runs > fails : runs < fails))
			return and;
	}
	return NULL;
}

const char *
oom_compare_less(struct talk t)
{
	const char *at = compares(t, LESS);

	return at ? at : denied(t, false);
}

const char *
oom_compare_more(struct talk t)
{
	const char *at = compares(t, MORE);

	return at ? at : denied(t, true);
}
