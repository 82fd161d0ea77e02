/*
 * A version of a program with which it works, or fails: gone back to, come with an upgrade, or
 * named beside another. A bare number may be any setting's.
 */
#include "oom/oom_version.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_short.h"
#include "oom/oom_wording.h"

/* "1.11", "v0.6.4", "2.x": at least one dot between digits, within T. */
static bool
has_version(struct talk t)
{
	const char *s, *end = t.s + t.n;

	for (s = t.s; s + 2 < end; s++)
		if (is_digit(s[0]) && s[1] == '.' && (is_digit(s[2]) || lower(s[2]) == 'x') && (s == t.s || !is_digit(s[-1])))
			return true;
	return false;
}

#define RELEASES	"version versions release releases commit commits latest newest older newer nightly branch torch pytorch tensorflow tf keras transformers cuda driver drivers cudnn jax diffusers library package"
#define HARDWARE	"gpu gpus card cards ram hardware plan colab machine windows bios disk ssd pc memory vram"
#define VERSION_WITHIN	12	/* bytes from a program's name to the end of its version's first numbers: " version 1.4" is more than most */
#define UPGRADED_WITHIN	20	/* bytes from "after upgrading" to what is */
#define GONE		"disappeared disappears gone solved resolved fixed works worked working fine runs ran ok okay helped"
#define NO_CHANGE	"still either neither too also nothing again"
#define STILL		NO_CHANGE " same"
/* "the same script" is no failure that stayed. */
#define ALIKE		"same error|same errors|same issue|same issues|same problem|same problems|same thing|same message|same result|same results|same behaviour|same behavior|is the same|are the same|same happens|same memory"
#define FAILS		"cannot start|can't start|can not start|won't start|no longer starts|no longer runs|no longer works|no longer fits|stopped working|keeps reporting errors|keep reporting errors"

/* "The largest batch that I can set is only 30" */
static bool
takes_fewer(struct talk sentence)
{
	return talk_any_begins(sentence, "batch") && talk_has_whole(sentence, "is only|only around|only about|can only|had to reduce|have to reduce|need to reduce|had to lower|have to lower");
}

/* Does a sentence say that something failed, and not that it did before? */
static bool
fails_there(struct talk sentence)
{
	return (oom_short_fails(sentence) || clause_names_failure(sentence) || talk_has_whole(sentence, FAILS) || takes_fewer(sentence)) && !talk_any_whole(sentence, NO_CHANGE) && !talk_has_whole(sentence, ALIKE);
}

/* Is what stands AT, or else anything of SENTENCE, a version? Not "back to model_r9.4_v02", a name
 * in which numbers are. */
static bool
is_of_release(struct talk sentence, const char *at)
{
	struct talk word = clause_word_behind(sentence, at);
	const char *s, *end = word.s + word.n;

	for (s = word.s; s < end && *s != '_'; s++)
		;
	if (s < end)
		return false;
	return has_version(sentence) || talk_any_whole(sentence, RELEASES);
}

/* "After I downgraded to 2.7 it was gone." */
static const char *
went_back(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "downgrading|downgraded|downgrade|rolling back to|switching back to|switched back to|rolled back to|reverting back to|reverted back to|revert back to|rolling back|reverting to|reverted to|going back to|went back to", &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	if (!at || !talk_any_whole(sentence, GONE) || talk_any_whole(sentence, STILL " not try should could would may might if") || talk_any_phrase(sentence, "n't ") || clause_is_question(sentence))
		return NULL;
	return is_of_release(sentence, at + n) ? at : NULL;
}

/* "After the update step", "since the update of weights": is it an optimizer's, which ends at
 * TO? */
static bool
is_of_weights(struct talk t, const char *to)
{
	return talk_is_one_of(clause_word_behind(t, to), "of step steps rule rules weights parameters");
}

/* "Since I upgraded to 2.8 it is out of memory." */
static const char *
came_with(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "after upgrading|after updating|since upgrading|since updating|after the upgrade|after the update|since the upgrade|since the update|after i upgraded|after i updated|since i upgraded|since i updated|"
	    "after an upgrade|after an update|after some update|after some updates|after upgrade|after update|after updated|after upgraded|after the latest update|after the last update|after latest update|after last update|since the latest update|since the last update|since last update|since latest update|after a recent update|after the recent update|after recent update|since a recent update|since the recent update|"
	    "after i update|after i upgrade|after we updated|after we upgraded|after having updated|after having upgraded|after pulling the latest|after git pull|after a git pull|when upgrading|when updating|when i upgraded|when i updated|when i upgrade|upgrading to|with the new version|with the newer version|in the new version", &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	if (!at || !fails_there(sentence) || is_of_weights(t, at + n) || talk_any_whole(talk_head(t, at + n, UPGRADED_WITHIN), HARDWARE) || talk_any_whole(talk_part(t, sentence.s, at), "even before was had fixed") || memchr(sentence.s, '?', sentence.n))
		return NULL;
	return has_version(sentence) || talk_any_whole(sentence, RELEASES) ? at : NULL;
}

#define OF_WHEN		"the a an last latest recent newest new this that some today's todays yesterday's yesterdays week's weeks night's month's months day's most one"
#define MOST_OF_WHEN	5	/* words, from "since" to "update" */

/* "Since last week's update it is out of memory." */
static const char *
came_since_update(struct talk t)
{
	size_t n;
	const char *at;
	struct talk sentence, word;
	int i;

	for (at = NULL; talk_next_whole(t, "since|after", &at, &n); ) {
		sentence = talk_sentence(t, at);
		word = clause_word_behind(sentence, at + n);
		for (i = 0; i < MOST_OF_WHEN && talk_is_one_of(word, OF_WHEN); i++)
			word = clause_word_behind(sentence, word.s + word.n);
		if (i > 0 && talk_is_one_of(word, "update updates upgrade") && !is_of_weights(sentence, word.s + word.n) && fails_there(sentence) && !clause_is_question(sentence) && !talk_any_whole(talk_part(t, sentence.s, at), "even before was had fixed"))
			return at;
	}
	return NULL;
}

#define SINCE_THEN	"now suddenly anymore started starts since"

/* "I updated the wrapper to 1.4 and everything is out of memory now", or so in the next sentence:
 * not what was tried against it, and is no better. */
static const char *
updated_and_now(struct talk t)
{
	size_t n, length;
	const char *at, *end = t.s + t.n, *to;
	struct talk sentence, ahead, behind, next;

	for (at = NULL; talk_next_whole(t, "updated|upgraded", &at, &n); ) {
		sentence = talk_sentence(t, at);
		if (!talk_is_one_of(clause_word_behind(t, sentence.s), "i we") && !talk_any_whole(talk_part(t, sentence.s, at), "i we i've we've i'm"))
			continue;
		behind = talk_part(t, at + n, sentence.s + sentence.n);
		next = behind.s + behind.n + 1 < end ? talk_sentence(t, behind.s + behind.n + 1) : talk_part(t, end, end);
		to = talk_find_whole(behind, "and|then|now|but", &length);
		ahead = to ? talk_part(t, at, to) : talk_part(t, at, behind.s + behind.n);
		if (to)
			next = talk_part(t, to, behind.s + behind.n);
		else if (!talk_is_one_of(clause_word_behind(next, next.s), SINCE_THEN))
			continue;
		if ((has_version(ahead) || talk_any_whole(ahead, RELEASES)) && !talk_any_whole(ahead, HARDWARE) && talk_any_whole(next, SINCE_THEN) && fails_there(next) && !clause_is_question(next) && !clause_is_question(sentence) &&
		    !talk_any_whole(sentence, "should would could may might if before"))
			return at;
	}
	return NULL;
}

#define OLDER		"old older previous earlier prior former"
#define NEWER		"new newer latest current newest"
#define A_RELEASE	"version versions release releases build builds commit code branch one ones"
#define HAD_ROOM	"had enough room|has enough room|had room|could run|can run|could train|can train|needed only|needs only|used only|uses only|took only|takes only|ran"

/* Where T names a release by a word of AGE, "the old version". */
static const char *
names_release(struct talk t, const char *age, const char *what)
{
	const char *at, *end = t.s + t.n;
	struct talk rest;

	for (rest = t; (at = talk_find_word(rest, age)); rest = talk_part(t, at + 1, end))
		if (talk_is_one_of(clause_word_behind(t, piece_past_word(at, end)), what))
			return at;
	return NULL;
}

/* "The old version had room for it, the new one is out of memory": of one sentence, or of two. */
static const char *
old_and_new(struct talk t)
{
	const char *old = names_release(t, OLDER, "version versions release releases build builds commit branch"), *end = t.s + t.n, *new;
	struct talk ahead, behind;

	if (!old || !(new = names_release(talk_part(t, old, end), NEWER, A_RELEASE)))
		return NULL;
	ahead = talk_part(t, old, new);
	behind = talk_part(t, new, talk_sentence(t, new).s + talk_sentence(t, new).n);
	return (clause_works(ahead) || talk_has_whole(ahead, HAD_ROOM)) && !oom_short_fails(ahead) && !clause_says_no(ahead, NO_CHANGE " should would could if") && fails_there(behind) && !clause_is_question(talk_sentence(t, old)) && !clause_is_question(talk_sentence(t, new)) &&
	    !talk_any_whole(t, "checkpoint dataset gpu card driver") ? old : NULL;
}

/* "0.4.4", "v1.2", "==2.1" at S */
static bool
is_version(const char *s, const char *end)
{
	while (s < end && (*s == '=' || *s == 'v' || *s == ' '))
		s++;
	if (s == end || !is_digit(*s))
		return false;
	while (s < end && is_digit(*s))
		s++;
	return end - s > 1 && *s == '.' && is_digit(s[1]);
}

#define NO_PROGRAM	"epoch step iteration batch stage level version the a i it we my this that gtx rtx tesla titan"

/* "Out of memory since Flair 0.4.4": a name and its version, and no time of a run. */
static const char *
came_since(struct talk t)
{
	size_t n;
	const char *at, *s, *end = t.s + t.n;
	struct talk sentence, word;

	for (at = NULL; talk_next_whole(t, "since", &at, &n); ) {
		sentence = talk_sentence(t, at);
		for (s = piece_past_blanks(at + n, end); s < end && (*s == '`' || *s == '*'); s++)
			;
		word = clause_word_behind(t, s);
		if (word.n < 2 || is_digit(*word.s) || talk_any_whole(word, HARDWARE " " NO_PROGRAM) || talk_any_whole(sentence, "before fixed even not"))
			continue;
		s = word.s + word.n;
		if ((has_version(word) || is_version(s + (s < end && *s == '-'), end)) && fails_there(sentence) && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

#define FINE		"no prob|no problem|without problem|without issue|without any problem|without any issue|without error"
#define PROGRAMS	RELEASES " chainer cupy mxnet paddle paddlepaddle onnxruntime ort xgboost lightgbm jaxlib vllm theano julia flux tensorrt opencv python python2 python3 guppy dorado bonito megalodon"

/* "Scripts run fine for Chainer==4.5", "it works with version 2.1": a version, by its name, behind
 * what works; a bare number may be any setting's. */
static const char *
works_with_version(struct talk t)
{
	const char *at, *to;
	struct talk sentence, behind, word;
	size_t n;

	for (at = NULL; talk_next_whole(t, "works|work|worked|working|fine|ok|okay|" FINE, &at, &n); ) {
		sentence = talk_sentence(t, at);
		behind = talk_part(t, at + n, sentence.s + sentence.n);
		if (clause_says_no(talk_part(t, sentence.s, at), "") || clause_is_question(sentence) || talk_any_whole(sentence, "still either neither too also nothing again should would could might may if needs requires tested inference prediction predictions predicting evaluation evaluating cpu") ||
		    talk_has_whole(sentence, "same version|same versions|another gpu|another machine|another card|other gpu|other machine|different gpu|different machine|bigger gpu|larger gpu"))
			continue;
		word = clause_word_behind(behind, behind.s);
		if (!talk_is_one_of(word, "with on in for using under"))
			continue;
		to = word.s + word.n;
		for (word = clause_word_behind(behind, to); talk_is_one_of(word, "the a my old older previous earlier"); word = clause_word_behind(behind, to))
			to = word.s + word.n;
		if (talk_is_one_of(word, PROGRAMS) && has_version(talk_head(behind, word.s + word.n, VERSION_WITHIN)))
			return at;
	}
	return NULL;
}

/* Past a version with two dots, "1.52.2", at S, as no setting has; or NULL. */
static const char *
past_release(const char *s, const char *end)
{
	int dots = 0;

	s = piece_past_blanks(s, end);
	for (s += s < end && lower(*s) == 'v'; s < end && is_digit(*s); ) {
		while (s < end && is_digit(*s))
			s++;
		if (end - s < 2 || *s != '.' || !is_digit(s[1]))
			break;
		dots++;
		s++;
	}
	return dots > 1 ? s : NULL;
}

/* "OOM with 0.6.4, but 0.6.3 is working": two versions in one sentence. */
static const char *
one_of_two(struct talk t)
{
	const char *s, *end = t.s + t.n, *first = NULL;
	struct talk sentence;
	int versions = 0;

	for (s = t.s; s + 2 < end; s++) {
		if (!is_digit(*s) || (s > t.s && (is_digit(s[-1]) || s[-1] == '.')) || !has_version(talk_head(t, s, 4)))
			continue;
		sentence = talk_sentence(t, s);
		first = first && first >= sentence.s ? first : s;
		versions = first == s ? 1 : versions + 1;
		if (versions > 1 && (clause_works(sentence) || talk_any_whole(sentence, "ran runs run completes completed succeeds succeeded")) && oom_short_fails(sentence) && talk_any_whole(sentence, "but while whereas however though") &&
		    (talk_any_whole(sentence, RELEASES) || talk_any_phrase(sentence, "post|rc") || ((past_release(first, end) || (first > t.s && lower(first[-1]) == 'v')) && !talk_any_whole(sentence, "weights weight checkpoint dataset data model models"))) && !talk_any_whole(sentence, "gb gib mb mib still neither") && !memchr(sentence.s, '?', sentence.n))
			return first;
		while (s + 1 < end && (is_digit(s[1]) || s[1] == '.'))
			s++;
	}
	return NULL;
}

/* "transformers>=4.46.0 resolved this issue" */
static const char *
mended_by(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "resolved this issue|resolved the issue|resolves this issue|resolves the issue|solved this issue|solved the issue|solves the issue|solves this issue|fixed this issue|fixed the issue|fixes the issue|"
	    "fixes this issue|resolved the problem|solved the problem|solves the problem|fixed the problem|fixes the problem|solves it|solved it|fixes it|fixed it|resolves it|resolved it", &n);
	struct talk sentence = at ? talk_sentence(t, at) : t, ahead = at ? talk_part(t, sentence.s, at) : t;

	return at && has_version(ahead) && talk_any_whole(ahead, RELEASES) && !talk_any_whole(sentence, STILL " not never should would could might may if has until") && !clause_is_question(sentence) ? at : NULL;
}

#define NONE_WITH	"no previous issue with|no previous issues with|no issue with|no issues with|no such issue with|no problem with|no problems with|no such problem with|no previous problem with|no error with|no such error with|no oom with|have to go back to|had to go back to|has to go back to|must go back to|" \
    "have to downgrade to|had to downgrade to|forced to downgrade to|went back to"

/* "OOM with 3.1.1. No previous issue with 3.1.0.", "It is OOM, so I have to go back to 0.0.18" */
static const char *
none_with(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, NONE_WITH, &n), *end = t.s + t.n;
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && past_release(at + n, end) && oom_short_fails(t) && !talk_any_whole(sentence, STILL " should would might may if") && !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define CAN		"i can|i could|we can|we could|it can|it could"
#define CAN_NOT		"i can't|i cannot|i can not|i couldn't|i could not|we can't|we cannot|it can't|it cannot|can't"

/* "Using 1.52.2 I can offload 15 layers, but using 1.53 I can't": one release with which it can,
 * and another number with which it cannot. */
static const char *
can_with_one(struct talk t)
{
	const char *at, *to, *but, *end = t.s + t.n;
	struct talk sentence, ahead, behind;
	size_t n, length;

	for (at = NULL; talk_next_whole(t, "using|with|in|on|version", &at, &n); ) {
		if (!(to = past_release(at + n, end)))
			continue;
		sentence = talk_sentence(t, at);
		but = talk_find_whole(talk_part(t, to, sentence.s + sentence.n), "but|while|whereas|however", &length);
		if (!but)
			continue;
		ahead = talk_part(t, to, but);
		behind = talk_part(t, but, sentence.s + sentence.n);
		if (talk_has_whole(ahead, CAN) && !clause_says_no(ahead, "") && has_version(behind) && talk_has_whole(behind, CAN_NOT) && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

#define UPGRADED	"upgraded updated upgrading updating upgrated updgraded upgrade update"
#define WELL_BEFORE	"it worked|it works|worked fine|works fine|worked well|it ran|ran fine|was fine|no problem|no problems|no issue|no issues|worked normally"

/* "It worked before I upgraded from 8.3 to 8.5" */
static const char *
well_before(struct talk t)
{
	const char *at;
	struct talk rest, sentence, word;
	size_t n;

	for (at = NULL; talk_next_whole(t, "before|until", &at, &n); ) {
		sentence = talk_sentence(t, at);
		word = clause_word_behind(sentence, at + n);
		while (talk_is_one_of(word, "i we the an my this"))
			word = clause_word_behind(sentence, word.s + word.n);
		if (!talk_is_one_of(word, UPGRADED) || !talk_has_whole(talk_part(t, sentence.s, at), WELL_BEFORE) || clause_says_no(talk_part(t, sentence.s, at), "if"))
			continue;
		rest = talk_part(t, word.s, sentence.s + sentence.n);
		if ((has_version(rest) || talk_any_whole(rest, RELEASES)) && !talk_any_whole(rest, HARDWARE) && !clause_is_question(sentence) && !talk_any_whole(sentence, NO_CHANGE))
			return at;
	}
	return NULL;
}

#define NEWEST		"the latest|the newest|latest version|newest version|a newer|the new|a new version|newer version|latest release|newest release|the current version"

/* "I recently updated to the latest version, and now it runs out of memory" */
static const char *
fails_since_newest(struct talk t)
{
	const char *at, *to;
	struct talk rest, sentence, word;
	size_t n, m;

	for (at = NULL; talk_next_whole(t, "updated to|upgraded to|updating to|upgrading to|switched to|moved to", &at, &n); ) {
		sentence = talk_sentence(t, at);
		word = clause_word_ahead(sentence, at);
		while (talk_is_one_of(word, "have had recently just has"))
			word = clause_word_ahead(sentence, word.s);
		to = talk_find_whole(talk_head(sentence, at + n, sizeof("the latest version") + 8), NEWEST, &m);
		rest = talk_part(t, at + n, sentence.s + sentence.n);
		if (talk_is_one_of(word, "i we i've we've") && to && talk_any_whole(rest, "now since") && fails_there(sentence) && !talk_any_whole(talk_head(sentence, at + n, UPGRADED_WITHIN), HARDWARE) && !clause_is_question(talk_part(sentence, sentence.s, at)))
			return at;
	}
	return NULL;
}

const char *
oom_version_told(struct talk t)
{
	const char *at = went_back(t);

	at = at ? at : well_before(t);
	at = at ? at : mended_by(t);
	at = at ? at : came_with(t);
	at = at ? at : came_since(t);
	at = at ? at : came_since_update(t);
	at = at ? at : updated_and_now(t);
	at = at ? at : old_and_new(t);
	at = at ? at : works_with_version(t);
	at = at ? at : oom_wording(t, WORDING_BY_UPDATE);
	at = at ? at : oom_wording(t, WORDING_LAST_WELL);
	at = at ? at : oom_wording(t, WORDING_NEWER_FAIL);
	at = at ? at : fails_since_newest(t);
	at = at ? at : none_with(t);
	at = at ? at : can_with_one(t);
	at = at ? at : oom_wording(t, WORDING_VERSION_CHINESE);
	return at ? at : one_of_two(t);
}
