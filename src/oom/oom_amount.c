/*
 * Amounts of one thing, by its unit or its setting: "129 frames", "samples = 16", "224 x 224",
 * "1w张". How a run fares with one is told by the words around it, up to the next amount, or by the
 * sentence behind it that speaks of it.
 */
#include "oom/oom_amount.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_fares.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"
#include "oom/oom_works.h"

#define LINES_APART	3	/* from what was tried to what is said of more of it */
#define LEAST_EXTENT	8	/* of a side that is told with another */
#define HALF_WITHIN	24	/* bytes from "half of it" to how much that is */
#define MOST_THOUSANDS	1000	/* that are told by a "k" */
#define MOST_LINKS	6	/* words from a name to its number */

enum fate { NOT_SAID, FAILS, RUNS };

struct amount {
	enum amount_of of;
	int64_t n;
	const char *at, *to;
};

/* What is counted, as it stands behind its number; and as a setting ahead of one. */
static const char *const units[AMOUNTS] = {
	[AMOUNT_SAMPLES] = "sample samples image images picture pictures photo photos img imgs sentence sentences document documents text texts prompt prompts file files video videos",
	[AMOUNT_FRAMES] = "frame frames", [AMOUNT_PAGES] = "page pages", [AMOUNT_TOKENS] = "token tokens", [AMOUNT_ROWS] = "row rows record records entries lines",
	[AMOUNT_POINTS] = "point points node nodes atom atoms residue residues particles vertices cells"
};
static const char *const settings[AMOUNTS] = {
	[AMOUNT_BATCH] = "batch_size batchsize batch bs max_batch_size train_batch_size per_device_train_batch_size",
	[AMOUNT_SAMPLES] = "samples sample num_samples n_samples images num_images",
	[AMOUNT_FRAMES] = "frames num_frames n_frames video_length", [AMOUNT_TOKENS] = "tokens max_tokens num_tokens max_length max_seq_length seq_len context n_ctx",
	[AMOUNT_POINTS] = "points num_points npoints n_points num_point"
};
/* Words between a number and its unit, and between a setting and its number. */
#define BETWEEN		"training input video random data test more of"
#define LINKS		"is are was of to at from as down equal set just only even with value number the a"
/* What is counted in Chinese, right behind its number. */
static const struct { const char *unit; enum amount_of of; } counters[] = {
	{ "张", AMOUNT_SAMPLES }, { "个样本", AMOUNT_SAMPLES }, { "个文件", AMOUNT_SAMPLES }, { "个视频", AMOUNT_SAMPLES }, { "个图", AMOUNT_SAMPLES }, { "条", AMOUNT_SAMPLES }, { "帧", AMOUNT_FRAMES }, { "页", AMOUNT_PAGES }, { "个点", AMOUNT_POINTS }, { "行", AMOUNT_ROWS },
	{ "个token", AMOUNT_TOKENS }
};
/* A number behind these is of a time, or of each of many. */
#define OF_TIME		"after until every each per past around image images frame step epoch iteration for"

/* Does one of the counters begin at S, of T? */
static bool
is_counter(struct talk t, const char *s, enum amount_of *of)
{
	const char *end = t.s + t.n;
	size_t i, n;

	s = s < end && *s == ' ' ? s + 1 : s;
	while ((n = clause_beside("多|余", t.s, s, end, false)))
		s += n;
	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (clause_beside(counters[i].unit, t.s, s, end, false)) {
			*of = counters[i].of;
			return true;
		}
	return false;
}

/* What is counted of a run and not of what it is given, or is no thing; and words of what a number
 * does. */
#define NO_THINGS	"times gpus cards devices machines servers hours minutes seconds days weeks months years epochs steps iterations iters rounds workers processes threads cores cpus gigs bytes bits megs layers params parameters billions millions versions errors issues tests runs others percents blocks " \
    "seems works fails crashes takes causes needs gives gets makes leads means uses shows raises throws exceeds reaches consumes occupies requires"
#define LEAST_NAME	5	/* letters of a thing's name */

bool
oom_amount_is_thing(struct talk word)
{
	return word.n >= LEAST_NAME && word.n < AMOUNT_NAME && lower(word.s[word.n - 1]) == 's' && lower(word.s[word.n - 2]) != 's' && !talk_is_one_of(word, NO_THINGS);
}

/* The place of what is called so: that of an earlier one of that name, or the next; false: it is no
 * thing, or there are too many kinds. */
static bool
is_thing(struct oom_amounts *p, struct talk word, enum amount_of *of)
{
	char name[AMOUNT_NAME];
	size_t i;
	int k;

	if (!oom_amount_is_thing(word))
		return false;
	for (i = 0; i < word.n && is_letter(word.s[i]); i++)
		name[i] = (char)lower(word.s[i]);
	name[i] = '\0';
	for (k = 0; i == word.n && k < AMOUNTS - AMOUNT_THINGS; k++)
		if (!p->names[k][0] || strcmp(p->names[k], name) == 0) {
			memcpy(p->names[k], name, i + 1);
			*of = (enum amount_of)(AMOUNT_THINGS + k);
			return true;
		}
	return false;
}

/* "a 16 batch size": the setting behind its number, with none behind it. */
static bool
is_batch_behind(struct talk t, struct talk word)
{
	const char *s = word.s + word.n, *end = t.s + t.n;

	if (talk_is_one_of(word, "batch") && talk_is_one_of(word = clause_word_behind(t, s), "size sizes"))
		s = word.s + word.n;
	else if (!talk_is_one_of(word, "batchsize batch_size"))
		return false;
	s = piece_past_blanks(s, end);
	return s == end || !(is_digit(*s) || memchr("=:", *s, 2));
}

/* The unit of the number that ends at TO. */
static bool
has_unit(struct oom_amounts *p, struct talk t, const char *at, const char *to, enum amount_of *of)
{
	struct talk word = clause_word_behind(t, to);
	int i;

	if (is_counter(t, to, of))
		return true;
	if (talk_is_one_of(clause_word_ahead(t, at), OF_TIME))
		return false;
	if (word.s - to == 1 && talk_is_one_of(word, BETWEEN))
		word = clause_word_behind(t, to = word.s + word.n);
	if (word.s - to != 1)
		return false;
	for (i = 0; i < AMOUNTS; i++)
		if (units[i] && talk_is_one_of(word, units[i])) {
			*of = (enum amount_of)i;
			return true;
		}
	if (is_batch_behind(t, word)) {
		*of = AMOUNT_BATCH;
		return true;
	}
	return is_thing(p, word, of);
}

/* "I use half of it, 16, now": of what was told of last, in this line or near it. */
static bool
is_half(const struct oom_amounts *p, struct talk t, const char *s, int line)
{
	struct talk sentence = clause_sentence(t, s);
	const char *from = s - sentence.s > HALF_WITHIN ? s - HALF_WITHIN : sentence.s;

	return p->last && p->last - 1 != AMOUNT_NETWORK && line - p->line <= LINES_APART && talk_has_whole(talk_part(t, from, s), "half of it|half of that|half of this|half that|half this|half the batch|half as many");
}

/* Do only blanks, and signs between a setting and its value, stand from S to END? */
static bool
only_signs(const char *s, const char *end, bool *any)
{
	for (; s < end; s++)
		if (!memchr(" =:`'\"*", *s, 7))
			return false;
		else
			*any |= *s == '=' || *s == ':';
	return true;
}

/* The setting whose value stands at AT: behind a sign or a word that links them, as "frame 120"
 * counts and sets nothing. */
static bool
has_setting(struct talk t, const char *at, enum amount_of *of)
{
	struct talk word;
	bool linked = false, size = false;
	int i, k;

	for (i = 0; i < MOST_LINKS; i++, at = word.s) {
		word = clause_word_ahead(t, at);
		if (word.n == 0 || !only_signs(word.s + word.n, at, &linked))
			return false;
		if (talk_is_one_of(word, LINKS) || (i > 0 && is_digit(*word.s))) {
			linked = true;
			continue;
		}
		if (!size && talk_is_one_of(word, "size sizes")) {
			size = true;
			continue;
		}
		for (k = 0; k < AMOUNTS; k++)
			if (settings[k] && talk_is_one_of(word, settings[k]) && (linked || k == AMOUNT_BATCH) && (k == AMOUNT_BATCH || !size)) {
				*of = (enum amount_of)k;
				return true;
			}
		return false;
	}
	return false;
}

/* Past the other sides of a picture or a volume whose first, *N, ends at TO: *N comes to be what
 * all of them make. */
static const char *
past_sides(struct talk t, const char *to, int64_t *n)
{
	const char *end = t.s + t.n, *next;
	int64_t side;

	while ((next = oom_number_past_times(to, end)) > to && next < end && is_digit(*next) && (next = piece_number(next, end, &side)) && side > 0 && *n < PIECE_MOST / side) {
		*n *= side;
		to = next;
	}
	return to;
}

/* Networks by their names: what those of the first keep of a picture, and their weights, is less
 * than what those of the second do. */
#define SMALL_NETWORKS	"zf zfnet alexnet caffenet googlenet lenet squeezenet mobilenet mobilenetv2 mobilenetv3 shufflenet resnet18 resnet-18"
#define LARGE_NETWORKS	"vgg vgg16 vgg19 vgg-16 vgg-19 vgg_16 vgg_19 resnet101 resnet-101 resnet152 resnet-152"

/* Is the word at S, which no other byte of a word is ahead of, such a name? */
static bool
is_network(struct talk t, const char *s, struct amount *is)
{
	const char *to = s, *end = t.s + t.n;
	struct talk word;

	if (s > t.s && (piece_is_word(s[-1]) || memchr("-/.", s[-1], 3)))
		return false;
	while (to < end && (piece_is_word(*to) || (*to == '-' && to + 1 < end && is_digit(to[1]))))
		to++;
	word = talk_part(t, s, to);
	if (!talk_is_one_of(word, SMALL_NETWORKS) && !talk_is_one_of(word, LARGE_NETWORKS))
		return false;
	*is = (struct amount){ AMOUNT_NETWORK, talk_is_one_of(word, SMALL_NETWORKS) ? 1 : 2, s, to };
	return true;
}

/* "512 / 12710 tokens": a count of what is gone through. */
static bool
is_part(struct talk t, const char *s)
{
	while (s > t.s && s[-1] == ' ')
		s--;
	return s > t.s && (s[-1] == '/' || (s - t.s > 3 && memcmp(s - 3, " of", 3) == 0 && is_digit(s[-4])));
}

/* "10 files work, 50 fail", "10个可以跑，50个就爆显存": how a number, from S to TO, goes that has no
 * unit, and is of what was told of last. */
static bool
is_of_last(struct talk t, const char *s, const char *to)
{
	struct talk word = clause_word_behind(t, to);
	const char *next = piece_past_blanks(to, t.s + t.n);

	if (clause_beside("个就|个则|个会|个爆|个直接", t.s, next, t.s + t.n, false))
		return true;
	return word.s - to == 1 && talk_is_one_of(word, "fail fails crash crashes oom ooms works work") && !talk_is_one_of(clause_word_ahead(t, s), OF_TIME " epoch step gpu gpus run version");
}

/* The next amount of T from S on. */
static bool
next_amount(struct oom_amounts *p, struct talk t, const char *s, int line, struct amount *is)
{
	const char *end = t.s + t.n, *to, *sides;
	int64_t n;

	for (; s < end; s = to > s ? to : s + 1) {
		to = s;
		if (is_letter(*s) && is_network(t, s, is))
			return true;
		if (!is_digit(*s) || is_part(t, s) || (s > t.s && (piece_is_word(s[-1]) || memchr("./-$#<>~", s[-1], 8))) || !(to = piece_count(s, end, &n)))
			continue;
		sides = past_sides(t, to, &n);
		is->at = s;
		is->n = n;
		if (sides > to && !(sides < end && (piece_is_word(*sides) || *sides == '/' || (*sides == '.' && sides + 1 < end && is_digit(sides[1])))) && n >= LEAST_EXTENT * LEAST_EXTENT) {
			is->of = AMOUNT_SIDES;
			is->to = to = sides;
			return true;
		}
		if (sides > to) {
			to = sides;
			continue;
		}
		if (to < end && lower(*to) == 'w' && is_counter(t, to + 1, &is->of)) {
			is->n *= 10000;
			is->to = to = to + 1;
			return true;
		}
		if (end - to > 1 && lower(*to) == 'k' && to[1] == ' ' && n < MOST_THOUSANDS) {
			is->n = n *= 1000;		/* "1k atoms" */
			to++;
		}
		is->to = to;
		if (to < end && ((piece_is_word(*to) && !((unsigned char)*to & 0x80)) || *to == '%' || *to == '/' || (*to == '.' && to + 1 < end && is_digit(to[1]))))
			continue;
		if (n > 0 && is_half(p, t, s, line)) {
			is->of = (enum amount_of)(p->last - 1);
			return true;
		}
		if (n > 0 && (has_unit(p, t, s, to, &is->of) || has_setting(t, s, &is->of)))
			return true;
		if (n > 0 && p->last && p->last - 1 != AMOUNT_NETWORK && p->line == line && is_of_last(t, s, to)) {
			is->of = (enum amount_of)(p->last - 1);
			return true;
		}
		/* "When setting it to 96 ...": of what was told of last */
		if (n > 0 && p->last && p->last - 1 != AMOUNT_NETWORK && p->line == line && talk_is_one_of(clause_word_ahead(t, s), "to") && talk_any_whole(talk_part(t, talk_clause(t, s, 1).s, s), "set setting change changing changed increase increased") &&
		    clause_word_behind(t, to).s - to == 1 && talk_is_one_of(clause_word_behind(t, to), "it i the this causes gives triggers")) {
			is->of = (enum amount_of)(p->last - 1);
			return true;
		}
	}
	return false;
}

#define RUNS_ONLY	"it trains|it trained|it runs|it ran|succeeded|succeeds|can only set|can only use|can only train|can only run|could only set|could only use|could only train|could only run|only works|only runs|converted ok|successfully|able to generate|able to run|able to train|can generate|could generate|seems working|seems to work|seems to be working|is working|" OOM_RUNS_WELL
#define FAILS_TOO	"占满|卡死|爆显存|爆内存|炸显存|显存爆|内存爆|溢出|显存不足|内存不足|显存不够|内存不够|崩溃"
#define OF_OTHERS	"version versions previously earlier formerly paper authors author recommended before"

/* What a part of a sentence says of it; where it says both, nothing. */
static enum fate
said_in(struct talk part)
{
	bool fails = oom_short_fails(part) || talk_any_phrase(part, FAILS_TOO) || (clause_names_failure(part) && talk_any_phrase(part, "memory|oom|显存|内存"));
	bool runs = !fails && (clause_works(part) || oom_fares_says(part, RUNS_ONLY) || oom_fares_says(part, OOM_COMES_NOT));

	return fails ? FAILS : runs && !talk_any_whole(part, "if would should hope want try still") ? RUNS : NOT_SAID;
}

/* "This problem occurs.", "This problem is not the case.": of the amount in the sentence ahead. */
static enum fate
said_behind(struct talk t, const char *s)
{
	struct talk next;

	for (; s < t.s + t.n && memchr(".!; ", *s, 4); s++)
		;
	next = s < t.s + t.n ? talk_sentence(t, s) : talk_part(t, s, s);
	if (next.n == 0 || memchr(next.s, '?', next.n) || !talk_is_one_of(clause_word_behind(next, next.s), "this that it") || !talk_has_whole(next, "this problem|this error|this issue|that problem|it fails|it works|it runs|this fails|this works|this happens"))
		return NOT_SAID;
	if (oom_fares_says(next, OOM_COMES_NOT) || clause_works(next))
		return RUNS;
	return clause_names_failure(next) && !clause_says_no(next, "") ? FAILS : NOT_SAID;
}

#define CONTRASTS	"but|however|whereas|while|although"

/* Up to where T says "but". */
static struct talk
to_but(struct talk t)
{
	size_t n;
	const char *but = talk_find_whole(t, CONTRASTS, &n);

	return but ? talk_part(t, t.s, but) : t;
}

/* And from where it says so last, or begins to tell of something else. */
static struct talk
from_but(struct talk t)
{
	struct talk rest = t;
	const char *but;
	size_t n;

	while ((but = talk_find_whole(rest, CONTRASTS "|and|then", &n)))
		rest = talk_part(t, but + n, t.s + t.n);
	return rest;
}

/* "With 2 it is out of memory, is this normal?": SENTENCE up to what it asks; none of it, where all
 * of it asks. */
static struct talk
told_of(struct talk sentence)
{
	const char *asks = memchr(sentence.s, '?', sentence.n), *s;

	for (s = asks; s && s > sentence.s && *s != ','; s--)
		;
	if (!asks)
		return sentence;
	return talk_part(sentence, sentence.s, *s == ',' && talk_is_one_of(clause_word_behind(sentence, s), "is why what how can could do does any should so") ? s : sentence.s);
}

/* How it goes with an amount of SENTENCE: by what stands behind it, or else ahead of it, up to the
 * next amount or the one before, FROM. */
static enum fate
fate_of(struct talk t, struct talk sentence, const struct amount *is, const char *from, const char *next)
{
	struct talk told = told_of(sentence), clause = talk_clause(sentence, is->at, (size_t)(is->to - is->at)), behind, ahead;
	const char *end = told.s + told.n;
	enum fate fate;

	if (end < is->to)
		return NOT_SAID;
	behind = talk_part(t, is->to, next && next < end ? next : end);
	ahead = talk_part(t, from > sentence.s ? from : sentence.s, is->at);
	if (talk_any_whole(talk_part(t, ahead.s, behind.s + behind.n), OF_OTHERS) || oom_fares_others(told) || oom_works_elsewhere(sentence))
		return NOT_SAID;
	ahead = from_but(ahead);
	if ((fate = said_in(talk_part(t, clause.s > ahead.s ? clause.s : ahead.s, clause.s + clause.n < behind.s + behind.n ? clause.s + clause.n : behind.s + behind.n))))
		return fate;
	if ((fate = said_in(to_but(behind))) || (fate = said_in(ahead)))
		return fate;
	return said_behind(t, sentence.s + sentence.n);
}

/* "When I tried to convert the entire document, it ran out of memory." */
static bool
whole_fails(struct talk t)
{
	const char *at;
	struct talk word, sentence;
	size_t n;

	for (at = NULL; talk_next_whole(t, "the entire|the whole|the full|the complete|an entire|a whole|a full", &at, &n); ) {
		word = clause_word_behind(t, at + n);
		sentence = talk_sentence(t, at);
		if (talk_is_one_of(word, "document pdf file book dataset set data video image text movie film song recording sequence list") && said_in(talk_part(sentence, sentence.s, sentence.s + sentence.n)) == FAILS &&
		    !memchr(sentence.s, '?', sentence.n) && !talk_any_whole(talk_clause(t, at, n), "into in memory"))
			return true;
	}
	return false;
}

/* "I can run 1,000 of them. With a larger system it is out of memory." */
static bool
more_fails(struct talk t)
{
	const char *at;
	struct talk sentence;
	size_t n;

	for (at = NULL; talk_next_whole(t, "a larger|a bigger|a longer|larger|bigger|longer|more than that|more of them|any more|anything more|anything larger|anything above", &at, &n); ) {
		sentence = talk_sentence(t, at);
		if (talk_any_whole(talk_part(sentence, sentence.s, at), "if when with for whenever once") && said_in(sentence) == FAILS && !memchr(sentence.s, '?', sentence.n) && !clause_says_no(talk_part(sentence, sentence.s, at), ""))
			return true;
	}
	return false;
}

/* Keeps an amount; what was tried of less, with nothing said of how that went, ran, where a
 * sentence that begins with "but" says that this one fails. */
static void
keep(struct oom_amount *of, struct talk t, const struct amount *is, enum fate fate, bool but, int line)
{
	if (fate == FAILS && but && of->tried && of->tried < is->n && line - of->try.line <= LINES_APART && !of->runs) {
		of->runs = of->tried;
		of->run = of->try;
	}
	if (fate == FAILS && (!of->fails || is->n < of->fails))
		of->fails = is->n;
	if (fate == RUNS && (!of->runs || is->n < of->runs)) {
		of->runs = is->n;
		said_at(&of->run, t, is->at, line);
	}
	if (fate == NOT_SAID && talk_has_whole(talk_part(t, talk_sentence(t, is->at).s, is->at), "i tried|i try|i set|i use|i used|we tried|we set")) {
		of->tried = is->n;
		said_at(&of->try, t, is->at, line);
	}
}

void
oom_amount_line(struct oom_amounts *p, struct talk t, int line, struct said *to)
{
	const char *from = t.s;
	struct amount is, next;
	struct talk sentence;
	bool more = next_amount(p, t, t.s, line, &is);
	int i;

	while (more) {
		p->line = line;
		p->last = (int)is.of + 1;
		more = next_amount(p, t, is.to, line, &next);
		sentence = clause_sentence(t, is.at);
		keep(&p->of[is.of], t, &is, fate_of(t, sentence, &is, from, more ? next.at : NULL), talk_is_one_of(clause_word_behind(sentence, sentence.s), "but however"), line);
		from = is.to;
		is = next;
	}
	p->whole = whole_fails(t) || more_fails(t) ? line : p->whole;
	for (i = 0; i < AMOUNTS && !to->line; i++)
		if (p->of[i].runs && ((p->of[i].fails > p->of[i].runs) || (p->whole == line && p->of[i].run.line == line && i != AMOUNT_BATCH && i != AMOUNT_SIDES && i != AMOUNT_NETWORK)))
			*to = p->of[i].run;
}
