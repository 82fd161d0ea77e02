/*
 * What people set against the run that failed: a setting, named as it stands in code, with whose
 * value it runs, or something without which it does. What is advised, wished or asked is none, nor
 * is what runs for other reasons: on another device, with another version, for a time. As in
 * oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_contrast.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_fares.h"
#include "oom/oom_short.h"

#define NAME_MOST	48	/* bytes of a setting with its value */
#define NAME_LEAST	3	/* and of its name */
#define NOT_SO_WITHIN	24	/* bytes behind a setting, of "it did not" */

/* A run that is well, beside what is told of any (oom_fares.h). */
#define RUNS_WELL	"it runs|it ran|it trains|it trained|runs through|ran through|went well|goes well|go well|went fine|goes fine|went smoothly|goes smoothly|runs normally|runs smoothly|is normal|succeeds|succeeded|finishes|completes|no oom|error doesn't appear|error does not appear|problem doesn't occur|problem does not occur"
#define NO_ERROR	"no memory error|no memory errors|no more errors"
/* One of which the sentence ahead tells that it fails. */
#define NOT_SO		"it did not|it does not|it doesn't|it didn't|it won't|it will not|it is not|it isn't"
#define AGAINST		"but|otherwise|while|whereas|however|though|although|else|yet"
/* It may be another run that is told of, or none, or one that runs for a time. */
#define OTHERWISE	"still even also too neither should would could might may try tried hope please whether until first epoch then later sometimes paper authors docs documentation doc manual tutorial think guess believe suppose says said accuracy loss you your validation evaluation validating evaluating test tests testing inference"
#define ELSEWHERE	"gpu gpus card cards machine server laptop desktop colab kaggle cpu-only version versions driver python windows linux ubuntu docker a100 v100 h100 t4 p100 3090 4090"
#define ON_PROCESSOR	"on cpu|on the cpu|on a cpu|using cpu|using the cpu|with the cpu|on the processor"
/* What leads to a setting. */
#define LINKS		"with using use uses used set sets setting if when by enable enabling to via add adding added pass passing specify specifying choose choosing change changing changed switch switching have having run running"
#define NAMING		"the a my option flag parameter argument setting"
/* Settings of which other sentences tell more, and those that take nothing by their value. */
#define OF_OTHER	"batch bs worker workers process processes ranks gpus nproc version seed port lr epoch epochs device devices cuda path dir file model name dataset data config ckpt checkpoint weights"

static bool
is_name(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
}

/* Of a setting's name, AT to TO: has it a part that is one of OF_OTHER, or does it begin with a
 * device? */
static bool
is_of_other(struct talk t, const char *at, const char *to)
{
	const char *s;

	if (talk_any_begins(talk_part(t, at, to), "gpu_ ngpu num_gpu n_gpu"))
		return true;
	for (s = at; s < to; at = s + 1) {
		for (s = at; s < to && (is_letter(*s) || is_digit(*s)); s++)
			;
		if (talk_is_one_of(talk_part(t, at, s), OF_OTHER))
			return true;
	}
	return false;
}

/* Past a name at S, where it is written as code has settings: "--ema", "use_cache", "n=4"; or NULL.
 * Not a call, a path, or a file. */
static const char *
past_name(struct talk t, const char *s, bool *equals)
{
	const char *end = t.s + t.n, *from = s, *to;
	bool joined = false, dotted = false;

	while (s < end && *s == '-')
		s++;
	for (to = s; to < end && is_name(*to); to++) {
		joined |= *to == '_' && to > s;
		dotted |= *to == '.';
	}
	while (to > s && !is_letter(to[-1]) && !is_digit(to[-1]))
		to--;
	if (to - s < NAME_LEAST || to - from > NAME_MOST || !is_letter(*s) || (to < end && memchr("(/\\", *to, 3)))
		return NULL;
	*equals = (to < end && *to == '=' && (to + 1 == end || to[1] != '=')) || (end - to > 2 && memcmp(to, " = ", 3) == 0);
	return *equals || (!dotted && (joined || s - from == 2 || (s - from == 1 && from > t.s && from[-1] == '`'))) ? to : NULL;
}

/* What does the value behind TO do, where the name ends? */
static enum contrast
value_behind(struct talk t, const char *to, bool equals)
{
	const char *end = t.s + t.n, *s = to;
	struct talk word;

	while (s < end && memchr(" =:`'\"", *s, 6))
		s++;
	word = clause_word_behind(t, s);
	if (!equals && talk_is_one_of(word, "to is as of") && word.s == s) {
		for (s = word.s + word.n; s < end && memchr(" =:`'\"", *s, 6); s++)
			;
		word = clause_word_behind(t, s);
	}
	if (word.s != s)
		return CONTRAST_ON;
	if (is_digit(*s) && !(talk_is_one_of(word, "0") && s + 1 < end && s[1] == '.'))
		return talk_is_one_of(word, "0") ? CONTRAST_OFF : CONTRAST_NUMBER;
	if (talk_is_one_of(word, "false off none no never disabled disable"))
		return CONTRAST_OFF;
	return talk_is_one_of(word, "cpu disk ram host") ? CONTRAST_ASIDE : CONTRAST_ON;
}

/* Does PART say that a run is well, and not that it fails? "No error" has a word for a failure. */
static bool
is_well(struct talk part)
{
	if (oom_short_fails(part))
		return false;
	if (oom_fares_says(part, NO_ERROR) || oom_fares_says(part, OOM_COMES_NOT))
		return true;
	return (oom_fares_well(part) || oom_fares_says(part, RUNS_WELL)) && !oom_fares_ill(part);
}

/* A sentence from AT on, up to where it says the contrary. */
static struct talk
up_to_contrary(struct talk sentence, const char *at)
{
	struct talk behind = talk_part(sentence, at, sentence.s + sentence.n);
	size_t n;
	const char *against = talk_find_whole(behind, AGAINST, &n);

	return against ? talk_part(sentence, at, against) : behind;
}

/* And ahead of AT, from there on, or from a stop. */
static struct talk
from_contrary(struct talk sentence, const char *at)
{
	const char *from = sentence.s, *against;
	size_t n;

	while ((against = talk_find_whole(talk_part(sentence, from, at), AGAINST "|and", &n)))
		from = against + n;
	for (against = at; against > from && !memchr(",;:(", against[-1], 4); against--)
		;
	return talk_part(sentence, against, at);
}

bool
oom_contrast_is_well(struct talk sentence, const char *at, const char *to)
{
	struct talk behind = up_to_contrary(sentence, to), ahead = from_contrary(sentence, at);
	size_t n;

	if (oom_short_fails(talk_part(sentence, sentence.s, at)) && talk_find_whole(talk_head(behind, to, NOT_SO_WITHIN), NOT_SO, &n))
		return true;
	return is_well(ahead) || (!oom_fares_ill(ahead) && is_well(behind));
}

bool
oom_contrast_is_own(struct talk sentence)
{
	return !clause_is_question(sentence) && !talk_any_whole(sentence, OTHERWISE) && !talk_any_whole(sentence, ELSEWHERE) && !talk_has_whole(sentence, ON_PROCESSOR) && !oom_fares_others(sentence);
}

/* Does a word of LINKS stand right ahead of a setting, or nothing where that cannot be but one, and
 * no word that takes it off? */
static bool
is_led_to(struct talk sentence, const char *at, bool equals)
{
	struct talk word = clause_word_ahead(sentence, at);

	while (talk_is_one_of(word, NAMING))
		word = clause_word_ahead(sentence, word.s);
	return word.n == 0 ? equals || *at == '-' : talk_is_one_of(word, LINKS);
}

#define WAYS		"placement policy mode backend storage strategy"

/* "It is ok when I use the 'cpu' placement": where a value is named ahead of what it is of. */
static const char *
named_by_value(struct talk sentence, enum contrast *what)
{
	const char *s, *to, *end = sentence.s + sentence.n;
	struct talk word, value;
	size_t n;

	for (s = sentence.s; (s = talk_find_whole(talk_part(sentence, s, end), "use|using|with|set|choose", &n)); s += n) {
		for (value = clause_word_behind(sentence, s + n); talk_is_one_of(value, "the a"); value = clause_word_behind(sentence, value.s + value.n))
			;
		if (value.n > 2 && *value.s == '\'' && value.s[value.n - 1] == '\'')
			value = talk_part(sentence, value.s + 1, value.s + value.n - 1);
		to = value.s + value.n;
		if (value.n == 0 || value.s == sentence.s || !memchr("'\"`", value.s[-1], 3))
			continue;
		word = clause_word_behind(sentence, to < end ? to + 1 : end);
		if (talk_any_of(word, WAYS)) {
			*what = talk_is_one_of(value, "cpu disk ram host") ? CONTRAST_ASIDE : CONTRAST_ON;
			return oom_contrast_is_well(sentence, s, to) ? value.s : NULL;
		}
	}
	return NULL;
}

static const char *
told_in(struct talk sentence, enum contrast *what)
{
	const char *s, *to, *end = sentence.s + sentence.n, *at;
	bool equals = false;

	for (s = sentence.s; s < end; s = to) {
		to = s + 1;
		if ((s > sentence.s && (is_name(s[-1]) || s[-1] == '/')) || !(is_letter(*s) || *s == '-') || !(at = past_name(sentence, s, &equals)))
			continue;
		to = at;
		if (is_of_other(sentence, s, to) || !is_led_to(sentence, s, equals) || !oom_contrast_is_well(sentence, s, to))
			continue;
		*what = value_behind(sentence, to, equals);
		return s;
	}
	return named_by_value(sentence, what);
}

const char *
oom_contrast_told(struct talk t, enum contrast *what)
{
	const char *s, *at, *end = t.s + t.n;
	struct talk sentence;

	for (s = t.s; s < end; s = sentence.s + sentence.n + 1) {
		sentence = clause_sentence(t, s);
		if (oom_contrast_is_own(sentence) && (at = told_in(sentence, what)))
			return at;
	}
	return NULL;
}
