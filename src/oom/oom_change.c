/*
 * What people say differs between a run that works and the one that failed: a setting, or the data.
 * As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_change.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_short.h"
#include "oom/oom_told.h"
#include "oom/oom_wording.h"

#define NUMBER_WITHIN	32	/* bytes from "from" to its number: a setting's name, and signs */
#define TO_WITHIN	24	/* bytes from the first number to "to": the rest of its extents */

#define CHANGES		"change changed changing increase increased increasing raise raised raising set setting switch switched switching modify modified "	\
    "enlarge enlarged bump bumped go going went scale scaled"
/* What rises by itself, or is no setting that memory grows with: ahead of "from". */
#define OF_OTHER	"memory vram ram usage consumption utilization it loss accuracy lr rate version driver cuda python pytorch torch tensorflow keras gpu gpus card epoch epochs " \
    "time speed workers num_workers num_worker temperature price seed learning_rate epochs num_epochs max_epochs iterations max_iter max_iters steps max_steps step gradient_accumulation_steps accumulation patience save_steps port timeout swap pagefile paging max_split_size_mb memory_limit limit ulimit shm shm_size quota fraction threshold dropout " \
    "momentum weight_decay heap"
#define UNITS		"gb gib mb mib g m kb ti x epoch epochs iteration iterations steps gpu gpus card cards worker workers second seconds s minute minutes hour hours percent"

/* The first whole number from S on, past no more than names, blanks and signs, or NULL: behind
 * it. */
static const char *
number_near(struct talk t, const char *s, int64_t *n)
{
	const char *end = t.s + t.n, *from = s;

	for (; s < end && s - from <= NUMBER_WITHIN; s++)
		if (is_digit(*s) && !piece_is_word(s[-1]))
			break;
	if (s >= end || s - from > NUMBER_WITHIN || !(s = piece_number(s, end, n)))
		return NULL;
	return s + 1 < end && *s == '.' && is_digit(s[1]) ? NULL : s;		/* a version, or a rate */
}

#define RAISES		"increase increased increasing raise raised raising enlarge enlarged bump bumped scale scaled"

/* Does a word for a change stand ahead of AT, with what is changed where that need not be said to
 * rise, and none for what rises by itself beside it? "I switched from a 3090 to a 4090" changes no
 * setting. */
static bool
is_of_setting(struct talk sentence, const char *at)
{
	struct talk before = talk_part(sentence, sentence.s, at);
	const char *verb = talk_find_word(before, CHANGES);

	return verb && (talk_is_one_of(clause_word_behind(before, verb), RAISES) || clause_word_ahead(before, at).s > verb) &&
	    !talk_any_whole(talk_part(before, verb, at), OF_OTHER) && !talk_any_whole(clause_word_ahead(before, verb), OF_OTHER);
}

#define RAISED		"because i increased|because we increased|since i increased|since we increased|after i increased|after we increased|when i increase|when i increased|when we increase|when we increased|if i increase|if we increase|once i increase|once i increased|as soon as i increase|as soon as i increased|whenever i increase|"	\
    "because i enlarged|since i enlarged|after i enlarged|when i enlarge|when i enlarged|if i enlarge|after increasing|when increasing|upon increasing|after enlarging|when enlarging|because of increasing|as i increase|as we increase"
#define NOT_RUN		"not run|n't run|not work|n't work|no longer runs|no longer works"

/* "When I increase the size of the input, it fails", "just because I increased the mesh": by
 * nothing but words. */
static const char *
raised_by_words(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, RAISED, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t, behind = at ? talk_part(t, at + n, talk_clause(t, at, n).s + talk_clause(t, at, n).n) : t;

	if (!at || memchr(sentence.s, '?', sentence.n) || talk_any_whole(behind, OF_OTHER) || talk_any_whole(sentence, "even still although though instances instance count"))
		return NULL;
	return oom_short_fails(sentence) || clause_names_failure(sentence) || talk_has_whole(talk_part(t, at, sentence.s + sentence.n), NOT_RUN) ? at : NULL;
}

#define MORE_OF		"higher|larger|bigger|greater|increased|large value for|large value of|large values for|large values of|larger value for|larger value of|larger values for|larger values of|high value for|high value of|high values for|high values of"
#define GIVEN_WITH	"with using use used for at set setting try trying tried a any the"
#define SETTING_WITHIN	3	/* words from "larger" to what is */

/* Is it a setting's name, "n_samples", or a batch? */
static bool
is_setting(struct talk word)
{
	return talk_is_one_of(word, "batch batches batchsize batch-size") || (word.n > 3 && memchr(word.s + 1, '_', word.n - 2) && is_letter(*word.s));
}

/* "With a higher batch size the kernel dies", "any large value for n_samples results in an OOM";
 * neither what runs, nor what is wished for. */
static const char *
fails_with_more(struct talk t)
{
	struct talk clause, sentence, word, behind;
	const char *at;
	size_t n;
	int i;

	for (at = NULL; talk_next_whole(t, MORE_OF, &at, &n); ) {
		clause = talk_clause(t, at, n);
		sentence = talk_sentence(t, at);
		if (!talk_is_one_of(clause_word_ahead(clause, at), GIVEN_WITH))
			continue;
		for (i = 0, word = clause_word_behind(clause, at + n); i < SETTING_WITHIN && word.n > 0 && !is_setting(word); i++)
			word = clause_word_behind(clause, word.s + word.n);
		if (i == SETTING_WITHIN || word.n == 0)
			continue;
		behind = talk_part(t, word.s + word.n, sentence.s + sentence.n);
		if ((oom_short_fails(behind) || clause_names_failure(behind)) && !clause_works(clause) && !memchr(sentence.s, '?', sentence.n) &&
		    !talk_any_whole(sentence, "if should would could might may can even still although though cpu loss accuracy avoid avoids prevent prevents instead without recommend recommended") && !talk_any_whole(talk_part(sentence, sentence.s, at), "how want wish like to"))
			return at;
	}
	return NULL;
}

/* "I changed crop_size from (512, 1024) to (1024, 2048)", "increasing the batch from 8 to 16" */
const char *
oom_change_raised(struct talk t)
{
	const char *at = NULL, *s, *to, *end;
	struct talk sentence;
	int64_t less, more;
	size_t n;

	while (talk_next_phrase(t, " from ", &at, &n)) {
		sentence = talk_sentence(t, at);
		end = sentence.s + sentence.n;
		if (!is_of_setting(sentence, at) || clause_works(sentence) || memchr(sentence.s, '?', sentence.n) || !(s = number_near(sentence, at + n, &less)))
			continue;
		to = talk_first(talk_part(sentence, s, end), " to ");
		if (!to || to - s > TO_WITHIN || !(s = number_near(sentence, to + strlen(" to "), &more)))
			continue;
		if (more > less && !(s < end && (is_letter(*s) && *s != 'x')) && !talk_is_one_of(clause_word_behind(sentence, s), UNITS))
			return at;
	}
	at = raised_by_words(t);
	return at ? at : fails_with_more(t);
}

#define THEN		"now then since after afterwards suddenly and but"

/* "I raised it from 16 to 64, and now I get", with the message behind it; "From 16 to 64. Now it is
 * out of memory." */
bool
oom_change_leads(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at), next = talk_part(t, t.s + t.n, t.s + t.n);
	const char *behind = sentence.s + sentence.n;

	if (talk_has_whole(talk_part(sentence, at, behind), "now i get|now i got|now it gives|i get this|i got this|i get the following|i got the following|i get an error|"
	    "i got an error|i get the error|i got the error|it gives this|it gives me|it throws|it crashes|it crashed|it fails|it failed|it dies"))
		return true;
	if (behind + 1 < t.s + t.n)
		next = talk_sentence(t, behind + 1);
	return talk_is_one_of(clause_word_behind(next, next.s), THEN) && oom_short_fails(next) && !talk_any_whole(next, "still even also too same") && !memchr(next.s, '?', next.n);
}

#define DATA		"dataset|datasets|data set|data sets"
#define OTHER_DATA	"another dataset|other dataset|other datasets|different dataset|own dataset|own data|custom dataset|custom data|larger dataset|bigger dataset|my dataset|my data|new dataset"

#define WORKS_WITH	"no problem with|no problems with|no issue with|no issues with"
#define OTHER_THEN	"when i changed to|when i change to|when i changed it to|when i switched to|when i switch to|when i use another|when i used another|when i move to|when i moved to|but on another|but with another|but when i use|but when i try|but when i tried|but when i used"

/* "With FB15K it works, when I changed to WN18 it is out of memory": of one sentence that names
 * data ahead. */
static bool
works_with_one(struct talk sentence)
{
	const char *end = sentence.s + sentence.n, *other, *data;
	struct talk ahead, behind;
	size_t n, length;

	if (!(other = talk_find_whole(sentence, OTHER_THEN, &n)))
		return false;
	ahead = talk_part(sentence, sentence.s, other);
	behind = talk_part(sentence, other, end);
	data = talk_find_whole(ahead, DATA, &length);
	return data && clause_works(talk_part(sentence, data, other)) && oom_short_fails(behind) && !talk_any_whole(behind, "batch size model network gpu");
}

#define A_PART		"partial dataset|partial data|part of the dataset|part of the data|subset|small dataset|smaller dataset|toy dataset|mini dataset|small part of the data|few samples|fewer samples|a fraction of the data|half of the data|half the data|half of the dataset"
#define ALL_OF_IT	"whole dataset|full dataset|entire dataset|overall dataset|complete dataset|whole data|full data|entire data|all the data|all data|whole set|full set|all of the data"
#define COMPLETES	"can complete|completes|completed|can finish|finishes|finished|can be trained|can train|trains|succeeds|succeeded"

/* "A partial dataset can complete the training, but the whole dataset causes an OOM." */
static const char *
works_with_part(struct talk t)
{
	const char *at, *but;
	struct talk sentence, ahead, behind;
	size_t n, length;

	for (at = NULL; talk_next_whole(t, A_PART, &at, &n); ) {
		sentence = talk_sentence(t, at);
		if (!(but = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), "but|however|while|whereas", &length)))
			continue;
		ahead = talk_part(t, sentence.s, but);
		behind = talk_part(t, but, sentence.s + sentence.n);
		if ((clause_works(ahead) || talk_has_whole(ahead, COMPLETES)) && !clause_says_no(talk_part(t, at, but), "") && talk_has_whole(behind, ALL_OF_IT) && (oom_short_fails(behind) || talk_has_whole(behind, OOM_BE_KILLED)))
			return at;
	}
	return NULL;
}

#define ONE_OF		"on with for in this one a the particular specific certain single large larger big long"
#define ONE_FILE	"file video recording image picture volume scene document book pdf clip sample sequence"

/* "On just one particular file I get this error": of others it is not said to. */
static const char *
fails_with_one(struct talk t)
{
	const char *at;
	struct talk word, sentence;
	bool one;
	size_t n;

	for (at = NULL; talk_next_whole(t, "just|only", &at, &n); ) {
		one = false;
		for (word = clause_word_behind(t, at + n); talk_is_one_of(word, ONE_OF); word = clause_word_behind(t, word.s + word.n))
			one |= talk_is_one_of(word, "particular specific certain");
		sentence = talk_sentence(t, at);
		if (one && talk_is_one_of(word, ONE_FILE) && (oom_short_fails(sentence) || clause_names_failure(sentence)) && !clause_works(sentence) && !talk_any_whole(sentence, "if should would could at even") && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

/* "With the set of the paper it works fine. With my own dataset it is out of memory.": of two
 * sentences, both of which name data, or of two clauses. */
const char *
oom_change_data(struct talk t)
{
	const char *s, *next, *fails = NULL, *at, *end = t.s + t.n;
	struct talk part;
	bool works = false, other = false;
	size_t n;

	if ((at = works_with_part(t)) || (at = fails_with_one(t)) || (at = oom_wording(t, WORDING_LARGER_DATA)))
		return at;
	if (!talk_has_whole(t, DATA))
		return NULL;
	for (s = t.s; s < end; s = next) {
		part = talk_sentence(t, s);
		next = part.s + part.n > s ? part.s + part.n + 1 : s + 1;
		if (memchr(part.s, '?', part.n) || !(at = talk_find_whole(part, DATA "|" OTHER_DATA, &n)))
			continue;
		if (works_with_one(part))
			return at;
		other |= talk_has_whole(part, OTHER_DATA);
		if (oom_short_fails(part) || talk_has_whole(part, OOM_BE_KILLED))
			fails = fails ? fails : at;
		else
			works |= clause_works(part) || talk_has_whole(part, WORKS_WITH);
	}
	return works && other ? fails : NULL;
}

#define STILLS		"image|images|picture|pictures|photo|photos|still images"
#define FILMS		"video|videos|clip|clips|film|films|movie|movies"
#define RUNS_WITH	"works|worked|work|can train|can be trained|trains|trained|runs|ran|fine|ok|no problem"

/* Does a sentence of T say that it fails with a film? */
bool
oom_change_films(struct talk t)
{
	const char *s, *next, *end = t.s + t.n;
	struct talk sentence;

	for (s = t.s; s < end; s = next) {
		sentence = talk_sentence(t, s);
		next = sentence.s + sentence.n > s ? sentence.s + sentence.n + 1 : s + 1;
		if (talk_has_whole(sentence, FILMS) && oom_short_fails(sentence) && !clause_is_question(sentence))
			return true;
	}
	return false;
}

/* "Training on videos is out of memory, it works on images": of what is said ahead of T, or in it,
 * to fail with films. */
const char *
oom_change_media(struct talk t)
{
	const char *s, *next, *at, *end = t.s + t.n;
	struct talk clause;
	size_t n;

	for (s = t.s; s < end; s = next) {
		clause = talk_clause(t, s, 0);
		next = clause.s + clause.n > s ? clause.s + clause.n + 1 : s + 1;
		if (memchr(clause.s, '?', clause.n) || talk_any_whole(clause, "if should would could how"))
			continue;
		at = talk_find_whole(clause, RUNS_WITH, &n);
		if (at && talk_has_whole(talk_part(clause, at, clause.s + clause.n), STILLS) && !talk_has_whole(clause, FILMS) && !clause_says_no(clause, "only") && !oom_short_fails(clause))
			return at;
	}
	return NULL;
}

#define NOT_READ	"not loaded|n't loaded|not load|don't load|doesn't load|never loaded|without loading|instead of loading|avoid loading|not read|don't read|without reading|not kept|not keep|don't keep"

/* "The data is not loaded into memory at once": not "I cannot load all data". */
bool
oom_change_not_read(struct talk clause, const char *at)
{
	struct talk ahead = talk_part(clause, clause.s, at);

	return talk_has_whole(clause, NOT_READ) && !talk_any_whole(ahead, "cannot unable") && !talk_any_phrase(ahead, "can not |can't |could not |couldn't ");
}
