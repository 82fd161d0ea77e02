/*
 * Complaints of memory by classes of words, where no word says that it ended: that something takes
 * so much of it or eats it, that its use is odd, that it is not let go of, that it rose. They tell
 * less than what oom_short.c reads, and count only where that finds nothing.
 */
#include "oom/oom_much.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_rise.h"

#define MEMORY		"memory mem ram vram"
/* What stands right ahead of it where it is of a machine or a device, */
#define WHOSE		"of the my our all gpu gpu's cpu system video graphics cuda device host main physical machine's computer's server's more additional extra"
/* and behind it, where its use is what is spoken of. */
#define USE		"usage usages use consumption allocation allocations footprint growth increase behavior behaviour spike spikes requirement requirements utilization occupancy"
#define SUPPOSES	"if should would could can might may whether"

/* The word ahead of those that say whose memory it is that is named at AT. */
static struct talk
ahead_of_memory(struct talk clause, const char *at)
{
	struct talk word = clause_word_ahead(clause, at);

	while (talk_is_one_of(word, WHOSE))
		word = clause_word_ahead(clause, word.s);
	return word;
}

/* Is it said in CLAUSE of what is so: neither denied nor supposed ahead of AT? */
static bool
is_said(struct talk clause, const char *at)
{
	return !clause_says_no(talk_part(clause, clause.s, at), SUPPOSES);
}

#define TAKES		"take takes took taking taken use uses used using need needs needed needing require requires required requiring consume consumes consumed consuming occupy occupies occupied occupying possess possesses possessing hold holds holding allocate allocates allocating demand demands"
#define EATS		"eat eats eating ate hog hogs hogging devour devours devouring gobble gobbles gobbling swallow swallows swallowing guzzle guzzles guzzling"
#define SEEN_TAKEN	"take takes took taking use uses using consume consumes consumed consuming eat eats eating occupy occupies occupied occupying possess possesses"
#define SO		"so that this way far"

/* "It needs so much RAM", "uses so much more GPU memory", "eats memory", "consumes more than 12 GB
 * RAM": what takes it, ahead of memory at AT. */
static const char *
takes_much(struct talk clause, const char *at)
{
	struct talk word = ahead_of_memory(clause, at), most;

	if (talk_is_one_of(word, "up"))
		word = clause_word_ahead(clause, word.s);
	if (talk_is_one_of(word, EATS))
		return is_said(clause, word.s) ? word.s : NULL;
	if (talk_is_one_of(word, "much")) {
		most = word;
		word = clause_word_ahead(clause, word.s);
		if (!talk_is_one_of(word, SO))
			return NULL;
		word = clause_word_ahead(clause, word.s);
		if (talk_is_one_of(word, "up"))
			word = clause_word_ahead(clause, word.s);
		return talk_is_one_of(word, TAKES " " EATS) && is_said(clause, word.s) && !talk_is_one_of(clause_word_behind(clause, most.s + most.n), "faster slower less") ? word.s : NULL;
	}
	if (talk_is_one_of(word, "gb gib gigs gigabytes"))
		word = clause_word_ahead(clause, word.s);
	if (word.n == 0 || !is_digit(*word.s) || !talk_is_one_of(word = clause_word_ahead(clause, word.s), "than"))
		return NULL;
	word = clause_word_ahead(clause, word.s);
	if (!talk_is_one_of(word, "more"))
		return NULL;
	word = clause_word_ahead(clause, word.s);
	return talk_is_one_of(word, SEEN_TAKEN) && is_said(clause, word.s) ? word.s : NULL;
}

#define ODD		"abnormal abnormally unusual unusually runaway excessive excessively strange weird odd unexpected unexpectedly suspicious insane insanely crazy absurd absurdly unreasonable unreasonably inexplicable extreme outrageous outrageously astronomical ridiculous ridiculously enormous uncontrolled"
#define IS		"is are was were be been gets get becomes become seems seem looks look goes went"
#define HEDGES		"very so just totally completely really quite a bit rather to be like absolutely also"

/* "Unusual memory allocation", "the memory usage is crazy", "RAM goes through the roof": of the N
 * bytes at AT that name memory. */
static const char *
is_odd(struct talk clause, const char *at, size_t n)
{
	struct talk behind = clause_word_behind(clause, at + n), ahead = ahead_of_memory(clause, at);
	bool use = talk_is_one_of(behind, USE);

	while (talk_is_one_of(ahead, "high large big"))
		ahead = clause_word_ahead(clause, ahead.s);
	if (use && talk_is_one_of(ahead, ODD))
		return is_said(clause, ahead.s) ? ahead.s : NULL;
	if (use)
		behind = clause_word_behind(clause, behind.s + behind.n);
	if (!talk_is_one_of(behind, IS))
		return NULL;
	for (behind = clause_word_behind(clause, behind.s + behind.n); talk_is_one_of(behind, HEDGES); behind = clause_word_behind(clause, behind.s + behind.n))
		;
	if (!talk_is_one_of(behind, ODD) && !talk_has_whole(talk_head(clause, behind.s, sizeof("through the roof")), "out of control|out of hand|through the roof"))
		return NULL;
	return is_said(clause, at) ? at : NULL;
}

#define DEGREE		"really very so much extremely incredibly way far unusually surprisingly significantly considerably insanely quite too"
#define HIGH		"high higher big bigger large larger huge greater"
#define TO_IS		6	/* words from what is high to the verb: "the memory footprint of the C# version is" */
#define NOT_COMPLAINED	"fine|ok|okay|acceptable|expected|normal|works|no problem"

/* "The memory requirements are really high", "its memory footprint is much bigger": of the N bytes
 * at AT that name memory. */
static const char *
is_high(struct talk t, struct talk clause, const char *at, size_t n)
{
	struct talk word = clause_word_behind(clause, at + n);
	const char *reason = talk_find_whole(talk_part(clause, clause.s, at), "because|since", &(size_t){ 0 });
	int i;

	if (!talk_is_one_of(word, USE))
		return NULL;
	for (i = 0, word = clause_word_behind(clause, word.s + word.n); i < TO_IS && word.n > 0 && !talk_is_one_of(word, IS); i++)
		word = clause_word_behind(clause, word.s + word.n);
	if (!talk_is_one_of(word, IS))
		return NULL;
	word = clause_word_behind(clause, word.s + word.n);
	if (!talk_is_one_of(word, DEGREE))
		return NULL;
	while (talk_is_one_of(word, DEGREE))
		word = clause_word_behind(clause, word.s + word.n);
	return talk_is_one_of(word, HIGH) && is_said(talk_part(clause, reason ? reason : clause.s, clause.s + clause.n), word.s) && !talk_has_whole(talk_sentence(t, at), NOT_COMPLAINED) ? at : NULL;
}

#define LETS_GO		"release releases releasing released free frees freeing freed deallocate deallocates deallocating deallocated dealloc give gives giving given return returns returning returned reclaim reclaims reclaimed reclaiming clear clears clearing cleared unload unloads unloading unloaded"
#define LET_GO		"released freed deallocated given returned reclaimed cleared unloaded"
#define NO		"not never cannot can't doesn't don't didn't does'nt doesnt dont didnt isn't aren't wasn't isnt won't wont n't unable fails failed refuses"
#define LINKS		"to be been being get gets properly fully completely actually automatically seem seems even ever any some of all back up really immediately correctly entirely is are was were"
#define NEAR_VERB	5	/* words between the verb and memory */
#define OF_VALUE	"address addresses info information stats statistics summary error errors limit limits usage pointer leak leaks"

/* The negation that stands with the verb in WORD; of no bytes where none does. */
static struct talk
denial(struct talk clause, struct talk word)
{
	do
		word = clause_word_ahead(clause, word.s);
	while (talk_is_one_of(word, LINKS));
	return talk_is_one_of(word, NO) || talk_any_phrase(word, "n't|n\xe2\x80\x99t") ? word : talk_part(clause, word.s, word.s);
}

/* "It does not free the memory", "memory is never given back": the memory that is named at AT. What
 * a person does not do ("I did not clear") is another matter. */
static const char *
is_kept(struct talk clause, const char *at, size_t n)
{
	struct talk word, no;
	int i;

	if (talk_is_one_of(clause_word_behind(clause, at + n), OF_VALUE) || talk_any_whole(clause, "i we you if should would"))
		return NULL;
	for (i = 0, word = clause_word_ahead(clause, at); i < NEAR_VERB && word.n > 0 && talk_is_one_of(word, WHOSE " " LINKS); i++)
		word = clause_word_ahead(clause, word.s);
	if (talk_is_one_of(word, LETS_GO) && !talk_is_one_of(word, "given") && (no = denial(clause, word)).n > 0)
		return no.s;
	for (i = 0, word = clause_word_behind(clause, at + n); i < NEAR_VERB && word.n > 0 && (talk_is_one_of(word, LINKS " " USE) || talk_is_one_of(word, NO) || talk_any_phrase(word, "n't")); i++)
		word = clause_word_behind(clause, word.s + word.n);
	return talk_is_one_of(word, LET_GO " release free clear") && (no = denial(clause, word)).n > 0 && no.s >= at && (talk_is_one_of(word, LET_GO) || (clause_word_behind(clause, no.s + no.n).s == word.s && !talk_is_one_of(no, "not"))) ? at : NULL;
}

#define ROSE		"increase growth rise jump spike surge explosion"
#define HOW		"an a the huge big large massive sudden sharp strong significant dramatic drastic enormous steep rapid strange unexpected unusual high great considerable substantial noticeable"
#define OF_OTHERS	"bandwidth access accesses address clock speed latency alignment format bank cell network errors"
#define SEES		"observe observes observed observing see sees saw seeing notice notices noticed noticing find finds found finding experience experiencing get getting is was have having has there shows causes causing cause caused leads to"

/* "I see an increase in RAM usage": a noun of growth, of the memory at AT. */
static const char *
rose(struct talk clause, const char *at)
{
	struct talk noun = ahead_of_memory(clause, at), word;

	if (talk_is_one_of(noun, "in"))
		noun = clause_word_ahead(clause, noun.s);
	if (!talk_is_one_of(noun, ROSE) || talk_is_one_of(clause_word_behind(clause, clause_word_behind(clause, at).s + clause_word_behind(clause, at).n), OF_OTHERS))
		return NULL;
	word = clause_word_ahead(clause, noun.s);
	if (!talk_is_one_of(word, HOW))
		return NULL;
	while (talk_is_one_of(word, HOW))
		word = clause_word_ahead(clause, word.s);
	return talk_is_one_of(word, SEES) && is_said(clause, noun.s) ? noun.s : NULL;
}

#define ROSE_CHINESE	"暴增|暴涨|激增|飙升|猛增|骤增|陡增|突增|狂涨|猛涨"
#define RISES_WITHIN	18	/* bytes from what rises to that */

/* "显存突然暴增", "GPU 使用暴增" */
static const char *
rose_chinese(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, ROSE_CHINESE, &at, &n))
		if (talk_any_phrase(talk_part(t, at - t.s > RISES_WITHIN ? at - RISES_WITHIN : t.s, at), "显存|内存|gpu|显卡") && !talk_any_phrase(talk_part(t, at - t.s > RISES_WITHIN ? at - RISES_WITHIN : t.s, at), "利用率|使用率|温度|功耗|不会|没有|价格") &&
		    !clause_denies_elsewhere(t, at, n))
			return at;
	return NULL;
}

/* "Is there an increase in memory?" asks; "Why does it need so much?" tells of it. What is known
 * ahead is no complaint. */
static bool
is_asked(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at);

	if (talk_any_whole(talk_part(sentence, sentence.s, at), "why"))
		return !memchr(sentence.s, '?', sentence.n);	/* "I know why it takes so much" */
	return memchr(sentence.s, '?', sentence.n) && !talk_any_whole(sentence, "how what where");
}

const char *
oom_much(struct talk t)
{
	struct talk rest, clause, word;
	const char *at, *said, *end = t.s + t.n;

	for (rest = t; (at = talk_find_word(rest, MEMORY)); rest = talk_part(t, word.s + word.n, end)) {
		word = clause_word_behind(t, at);
		clause = talk_clause(t, at, word.n);
		if ((said = is_odd(clause, at, word.n)) || (said = is_kept(clause, at, word.n)))
			return said;
		if (!is_asked(t, at) && ((said = is_high(t, clause, at, word.n)) || (said = takes_much(clause, at)) || (said = rose(clause, at))))
			return said;
	}
	return (said = oom_rise_by_count(t)) ? said : rose_chinese(t);
}
