/*
 * A point of a run that is behind its first rounds, by classes of words and not by phrases: a word
 * of time ("after", "at", "until"), a number, and a unit of rounds, in either order of the last
 * two. What has a number of them at once, or as long a recording, has another word ahead of it.
 */
#include "oom/oom_point.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"

/* ---- units ---- */

#define EPOCHS		"epoch epochs epoc epocs"
#define STEPS		"step steps iteration iterations iter iters iteratons timestep timesteps update updates"
/* Whatever is gone through one by one. */
#define ITEMS		"batch batches minibatch minibatches loop loops episode episodes round rounds cycle cycles interaction interactions game games rollout rollouts generation generations frame frames image images img imgs picture pictures photo photos scan scans volume volumes slice slices video videos clip clips file files song songs request requests prompt prompts " \
    "question questions message messages query queries call calls run runs sample samples example examples inference inferences prediction predictions document documents page pages text texts sentence sentences utterance utterances item items record records trial trials fold folds experiment experiments model models case cases scene scenes time times attempt attempts evaluation evaluations use uses usage usages conversion conversions translation translations transcription transcriptions job jobs task tasks execution executions track tracks chapter chapters"
#define HOURS		"minute minutes min mins hour hours hr hrs h day days"
#define SECONDS		"second seconds sec secs"
#define UNITS		EPOCHS " " STEPS " " ITEMS " " HOURS " " SECONDS

#define FEW_STEPS	20	/* that may still be the first ones */
#define FEW_SECONDS	100	/* in which a program may still begin */
#define FEW_ITEMS	3
#define MOST_BETWEEN	4	/* words between a number and its unit */

static bool
is_past_start(struct talk unit, int64_t n)
{
	if (talk_is_one_of(unit, STEPS))
		return n > FEW_STEPS;
	if (talk_is_one_of(unit, SECONDS))
		return n >= FEW_SECONDS;
	return n >= (talk_is_one_of(unit, ITEMS) ? FEW_ITEMS : 2);
}

/* ---- numbers ---- */

#define SOME		"some several many multiple hundreds thousands dozens"
#define OF_NUMBER	"hundred thousand million k of"

/* Of digits that end at or behind the word at WORD: from where on, with what parts thousands,
 * "20,000"; the word's own beginning where it is none. */
static const char *
number_begins(struct talk t, struct talk word)
{
	const char *s = word.s;

	while (s - t.s >= 2 && s[-1] == ',' && is_digit(s[-2]))
		for (s--; s > t.s && is_digit(s[-1]); s--)
			;
	return s;
}

/* The number at S, "20,000", "12k", "28th", "~250"; its end at *TO, and whether it counts in order.
 * 0: none stands there. */
static int64_t
number_at(const char *s, const char *end, const char **to, bool *ordinal)
{
	int64_t n = 0;

	if (s >= end || !is_digit(*s) || !(*to = piece_count(s, end, &n)))
		return 0;
	*ordinal = end - *to >= 2 && (memcmp(*to, "th", 2) == 0 || memcmp(*to, "st", 2) == 0 || memcmp(*to, "nd", 2) == 0 || memcmp(*to, "rd", 2) == 0);
	*to += *ordinal ? 2 : 0;
	return *to < end && (*to)[0] == '.' && end - *to > 1 && is_digit((*to)[1]) ? 0 : n;
}

/* Ordinals in words; of the last, more than any. */
static int64_t
number_in_words(struct talk word)
{
	return talk_is_one_of(word, "last final") ? INT32_MAX : talk_is_one_of(word, "second") ? 2 : talk_is_one_of(word, "third fourth fifth sixth seventh eighth ninth tenth") ? 3 : 0;
}

/* ---- what stands ahead ---- */

#define HEDGES		"the a an my our this that about around approximately approx roughly almost nearly just only exactly over more than some at least every each first total of ca circa like maybe say very another training global"
#define TIMES		"after at when until till untill in on by around during reach reaches reached reaching reaching lasts lasted once near"
/* That what stands behind it is a number that had gone by. */
#define SINCE		"after until till untill reach reaches reached reaching lasts lasted"
#define DOES		"processing extracting generating running predicting inferring testing evaluating analyzing analysing handling transcribing translating rendering sampling completing finishing iterating creating converting detecting training optimize optimizing going through reading trying using it for ran run trained train trains performing making doing solving with"

/* The word of time ahead of AT, with no more than hedges and what is done between them. */
static struct talk
time_ahead(struct talk t, const char *at, const char *times)
{
	struct talk clause = talk_clause(t, at, 1), word = clause_word_ahead(clause, at), none = { 0 };
	int i;

	for (i = 0; i < 6 && word.n > 0; i++, word = clause_word_ahead(clause, word.s)) {
		if (talk_is_one_of(word, times))
			return word;
		if (!talk_is_one_of(word, HEDGES " " DOES))
			break;
	}
	return none;
}

/* ---- what it is not ---- */

/* What takes as long to be heard or seen, and what people did meanwhile. */
#define LONG_GIVEN	"of audio|of speech|of video|of recording|of recordings|of data|of footage|of music|of film|long|recording|recordings|audio|video|ago|of searching|of debugging|of googling|of trying|of reading|of work|of research|of waiting|of compil|per|each"
#define AT_ONCE		"at once|at a time|at the same time|in a batch|per batch|in parallel|in one|together|simultaneously"
#define NO_ROUND	"slurm|srun|slurmstepd|oom-kill|stepid|tried|tries|attempts|cpu time|times faster|times slower|times larger|times more|times as"

/* "6 hours of speech", "after 12 images at once" */
static bool
is_amount(struct talk t, struct talk unit)
{
	struct talk behind = talk_part(t, unit.s + unit.n, talk_clause(t, unit.s, unit.n).s + talk_clause(t, unit.s, unit.n).n);

	return talk_has_whole(talk_head(t, unit.s + unit.n, sizeof(" of recordings ")), LONG_GIVEN) || talk_has_whole(behind, AT_ONCE) || talk_has_whole(talk_sentence(t, unit.s), NO_ROUND) ||
	    (unit.s + unit.n < t.s + t.n && memchr("=_-/.", unit.s[unit.n], 5) && unit.s + unit.n + 1 < t.s + t.n && unit.s[unit.n + 1] != ' ');
}

/* ---- both orders ---- */

#define ORDINAL_TIMES	TIMES " of to"
#define BETWEEN		OF_NUMBER " training total full complete more consecutive whole inference different test input video image new successful small large long"

/* The number that the word says, of rounds that UNIT counts; -1: it may stand between a number and
 * its unit; 0: neither. */
static int64_t
number_of(struct talk t, struct talk word, struct talk unit, bool *ordinal)
{
	const char *to;

	*ordinal = number_in_words(word) > 0;
	if (*ordinal)
		return number_in_words(word) < INT32_MAX || talk_is_one_of(unit, EPOCHS " " STEPS) ? number_in_words(word) : 0;
	if (is_digit(*word.s))
		return number_at(number_begins(t, word), unit.s, &to, ordinal);
	return talk_is_one_of(word, SOME) ? INT32_MAX : talk_is_one_of(word, BETWEEN) ? -1 : 0;
}

/* "after over 20000 images", "when processing the 28th video", "at the last step": a number ahead
 * of its UNIT. */
static const char *
counted_ahead(struct talk t, struct talk unit)
{
	struct talk word = clause_word_ahead(t, unit.s), time;
	const char *begins;
	bool ordinal = false;
	int64_t n = -1;
	int i;

	for (i = 0; i < MOST_BETWEEN && word.n > 0 && (n = number_of(t, word, unit, &ordinal)) < 0; i++)
		word = clause_word_ahead(t, word.s);
	if (n <= 0 || (!is_past_start(unit, n) && !(ordinal && n > 2 && !talk_is_one_of(unit, STEPS))))
		return NULL;
	begins = is_digit(*word.s) ? number_begins(t, word) : word.s;
	time = time_ahead(t, begins, ordinal ? ORDINAL_TIMES : talk_is_one_of(unit, EPOCHS) ? SINCE " at when" : SINCE);
	return time.n > 0 ? time.s : NULL;
}

/* "when the step is about 2454", "at Step 68001", "until epoch 12": the number behind its UNIT. */
static const char *
counted_behind(struct talk t, struct talk unit)
{
	struct talk word = clause_word_behind(t, unit.s + unit.n), time;
	const char *s, *to, *end = t.s + t.n;
	bool ordinal;
	int64_t n;
	int i;

	if (!talk_is_one_of(unit, "epoch step iteration iter timestep loop episode round frame image batch video file trial fold run"))
		return NULL;
	for (i = 0; i < 4 && talk_is_one_of(word, "is was number no nr about around approximately approx reaches reached gets goes comes to at ca roughly equals"); i++)
		word = clause_word_behind(t, word.s + word.n);
	s = word.s;
	if (word.n == 0 || !is_digit(*s) || !(n = number_at(s, end, &to, &ordinal)) || ordinal || (to < end && (is_letter(*to) || memchr("%.", *to, 2)) && to + 1 < end && to[1] != ' ') || !is_past_start(unit, n) ||
	    talk_is_one_of(clause_word_behind(t, to), "gb gib mb mib x batch of images") || memchr(unit.s, ',', (size_t)(s - unit.s)))
		return NULL;
	if (talk_is_one_of(unit, "batch") && (n & (n - 1)) == 0 && !talk_any_whole(talk_sentence(t, s), "epoch epochs batches step"))
		return NULL;		/* "out of memory at batch 8": how many there are, as a rule */
	time = time_ahead(t, unit.s, TIMES " to");
	return time.n > 0 ? time.s : NULL;
}

/* "at a random number of iterations", "in random epochs", "after varying steps": none that one
 * could name. */
static const char *
at_random(struct talk t, struct talk unit)
{
	struct talk word = clause_word_ahead(t, unit.s), time;

	if (!talk_is_one_of(unit, EPOCHS " " STEPS " batch batches time times"))
		return NULL;
	if (talk_is_one_of(word, "of") && talk_is_one_of(word = clause_word_ahead(t, word.s), "number numbers amount"))
		word = clause_word_ahead(t, word.s);
	if (!talk_is_one_of(word, "random arbitrary varying unpredictable irregular"))
		return NULL;
	time = time_ahead(t, word.s, TIMES);
	return time.n > 0 ? time.s : NULL;
}

/* ---- ends ---- */

#define AT_END		"at the end of training|at the end of the training|at the very end of training|at the very end of the training|at end of training|at the end of the run|at the end of sampling|at the end of generation|at the end of the generation|at the very end|after training is done|after the training is done|after training is finished|after training has finished|after training finished|" \
    "after training finishes|after training completes|after training completed|after training is completed|after training is complete|after training ends|after training ended|after the training finished|after the training ends|after the training is finished|after the training is complete|once training is done|once training is finished|once training finishes|once training is complete|" \
    "when training is done|when training is finished|when training finishes|when training ends|when the training ends|when the training is finished|when the training is done|when training completes|fails at the end|crashes at the end|failed at the end|crashed at the end|dies at the end"

/* What is begun behind that is a run of its own. */
#define ANOTHER		"i run|i ran|i try|i tried|i test|i tested|i evaluate|i use|i used|inference|infer|predict|prediction|merge|merging|export|convert|load|loading|test|testing"

/* What comes to an end by itself: "it only lasts 20 epochs". */
#define LASTS		"lasts lasted"

const char *
oom_point(struct talk t, bool *ends)
{
	struct talk rest, unit;
	const char *at, *said;
	size_t n;

	*ends = false;
	if ((said = clause_says(t, AT_END, AHEAD, "accuracy")) && !talk_has_whole(talk_part(t, said, talk_sentence(t, said).s + talk_sentence(t, said).n), ANOTHER))
		return said;
	for (rest = t; (at = talk_find_word(rest, UNITS)); rest = talk_part(t, at + unit.n, t.s + t.n)) {
		unit = clause_word_behind(t, at);
		n = unit.n;
		said = counted_ahead(t, unit);
		said = said ? said : counted_behind(t, unit);
		said = said ? said : at_random(t, unit);
		if (n == 0)
			break;
		if (!said || is_amount(t, unit) || clause_says_no(talk_part(t, talk_clause(t, said, 1).s, said), ""))
			continue;
		*ends = talk_is_one_of(clause_word_behind(t, said), LASTS);
		return said;
	}
	return NULL;
}
