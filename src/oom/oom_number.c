/*
 * A number behind a word for it, with nothing but links between them, or ahead of what it counts.
 * Of other languages there is no grammar here either.
 */
#include "oom/oom_number.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"

#define MOST_BATCH	(1 << 20)

#define LENGTH	"training length|context length|context size|context window|sequence length|sequence lengths|seq_len|seq_length|seq len|seq length|seqlen|max_seq_length|"	\
    "max_seq_len|max_sequence_length|max_length|max length|max_len|model_max_length|cutoff_len|cutoff length|block_size|input length|prompt length|token length|max sequence|maximum sequence|token size|"	\
    "总tokens|总token|token数|tokens数|token长度|tokens长度|序列长度|上下文长度|文本长度|最大长度|シーケンス長|시퀀스 길이"
/* Between the word and its number; another setting that is made as small is among them. */
#define LINKS	"is are was were be been being to as at of from equal equals set down reduced lowered decreased changed even only just about value per each gpu card device "	\
    "large long high low small like very had has have and num_workers num_worker num_works values value sizes workers worker in training train the a size it all both either with like already for por de a auf von auf es que na no"
#define THAN		" reaches reach reached exceeds exceeded higher larger greater longer more than above beyond over anything"	/* and between a length and it */
#define OF_WINDOW	" size"		/* and "the context window size to 32k" */
/* From the number to the next of a list, which is none of a time: "16 until 2 days ago". */
#define TIMES	"day days week weeks month months hour hours minute minutes am pm"
#define JOINS	"or and to then down even until till"

/* From S, past what may stand between two words of LIST, blanks and signs, up to a digit; NULL:
 * something else does. Bytes of other writings are passed over, but not their stops. */
static const char *
to_digit(struct talk t, const char *s, const char *list, const char *signs)
{
	const char *end = t.s + t.n, *from = s, *to;

	while (s < end && !is_digit(*s)) {
		if (s - from > OOM_NUMBER_WITHIN || clause_ends_at(s, end))
			return NULL;
		if (is_letter(*s)) {
			to = piece_past_word(s, end);
			if (!talk_is_one_of(talk_part(t, s, to), list))
				return NULL;
			s = to;
		} else if (*s > 0 && !memchr(signs, *s, strlen(signs))) {
			return NULL;
		} else {
			s++;
		}
	}
	return s < end ? s : NULL;
}

const char *
oom_number_walk(struct talk t, const char *signs, const char **to, int64_t *n)
{
	const char *s, *end = t.s + t.n;

	for (s = *to ? *to : t.s; s < end; s++)
		if (is_digit(*s) && (s == t.s || !(piece_is_word(s[-1]) || memchr(signs, s[-1], strlen(signs))))) {
			*to = piece_number(s, end, n);
			return s;
		}
	return NULL;
}

const char *
oom_number_at(struct talk t, const char *s, bool thousands, int64_t *n)
{
	const char *end = t.s + t.n, *to = piece_count(s, end, n);

	if (to && thousands && to < end && lower(*to) == 'k' && *n < MOST_BATCH && !(to + 1 < end && piece_is_word(to[1]))) {
		*n *= 1000;
		to++;
	}
	if (!to || *n < 1 || *n > MOST_BATCH || (s > t.s && (s[-1] == '.' || piece_is_word(s[-1]))))
		return NULL;
	if (to < end && (is_letter(*to) || *to == '%' || *to == '*' || *to == '^' || (*to == '.' && to + 1 < end && is_digit(to[1]))))
		return NULL;
	return to;
}

const char *
oom_number_past_times(const char *s, const char *end)
{
	const char *to = piece_past_blanks(s, end);

	if (to < end && memchr("xX*", *to, 3))
		return piece_past_blanks(to + 1, end);
	return end - to > 2 && memcmp(to, "\xc3\x97", 2) == 0 ? piece_past_blanks(to + 2, end) : s;
}

/* The least number of the list that follows N bytes at AT, a word for a batch, or for a length; 0:
 * none does. */
static int64_t
least_of(struct talk t, const char *at, size_t n, bool length)
{
	const char *s = to_digit(t, at + n, length ? LINKS THAN OF_WINDOW : LINKS, " =:\"'`(*>"), *next;
	int64_t least = 0, one;

	while (s && (next = oom_number_at(t, s, length, &one)) && !(least && talk_is_one_of(clause_word_behind(t, next), TIMES))) {
		least = !least || one < least ? one : least;
		s = to_digit(t, next, JOINS, " ,/>-");
		if (s && s - next > 12)
			break;
	}
	return least;
}

/* "batch size16": the next with its number right behind it. */
static int64_t
glued(struct talk t, const char **at, size_t *n)
{
	const char *to, *end = t.s + t.n;
	int64_t count;

	for (*at = NULL; talk_next_phrase(t, "batch size|batchsize|batch_size", at, n); )
		if (*at + *n < end && is_digit((*at)[*n]) && (*at == t.s || !piece_is_word((*at)[-1])) && (to = piece_count(*at + *n, end, &count)) && count >= 1 && count <= MOST_BATCH &&
		    !(to < end && piece_is_word(*to)))
			return count;
	*at = NULL;
	return 0;
}

/* What stands ahead of a number that is ahead of its setting: no name of what has numbers, "RTX
 * 3090 batch size". */
#define AHEAD_OF	"a an the use uses used using with at of to set try tried even only my and or default"

/* "a 16 batch size": the number right ahead of the word at AT, which N bytes have; 0: none is. */
static int64_t
number_ahead(struct talk t, const char *at, size_t n)
{
	struct talk word = clause_word_ahead(t, at);
	const char *to;
	int64_t count;

	if (!talk_is_one_of(talk_part(t, at, at + n), "batchsize batch_size") && !talk_has_whole(talk_part(t, at, at + n), "batch size"))
		return 0;
	if (word.n == 0 || !is_digit(*word.s) || at - (word.s + word.n) != 1 || !talk_is_one_of(clause_word_ahead(t, word.s), AHEAD_OF))
		return 0;
	to = oom_number_at(t, word.s, false, &count);
	return to == word.s + word.n ? count : 0;
}

/* The next word for a batch, or for a LENGTH, with a number behind it; *AT is NULL before the
 * first. */
static int64_t
next_number(struct talk t, bool length, const char **at, size_t *n)
{
	struct talk rest = *at ? talk_part(t, *at + *n, t.s + t.n) : t, behind = rest;
	int64_t least;

	for (; (*at = talk_find_whole(rest, length ? LENGTH : OOM_BATCHES, n)); rest = talk_part(t, *at + *n, t.s + t.n))
		if ((least = least_of(t, *at, *n, length)) > 0 || (!length && (least = number_ahead(t, *at, *n)) > 0))
			return least;
	return length ? 0 : glued(behind, at, n);
}

/* What a number of positions stands ahead of, as in "a 128k context". */
#define COUNTED	"context contexts ctx request requests prompt prompts"
/* and of these where so many are too many: "more than 6,000 tokens" */
#define COUNTED_OVER	"token tokens residues"
#define MORE_THAN	"than above over exceeding exceeds exceed beyond"

static bool
is_counted(struct talk t, const char *at, const char *to)
{
	struct talk what = clause_word_behind(t, to);

	return talk_is_one_of(what, COUNTED) || (talk_is_one_of(what, COUNTED_OVER) && talk_any_whole(clause_word_ahead(t, at), MORE_THAN));
}

int64_t
oom_number_counted(struct talk t, const char **at, size_t *n)
{
	const char *s = *at ? *at + *n : t.s, *end = t.s + t.n, *to;
	int64_t count;

	for (; s < end; s++)
		if (is_digit(*s) && (s == t.s || !is_digit(s[-1])) && (to = oom_number_at(t, s, true, &count)) && count >= OOM_LEAST_LENGTH &&
		    is_counted(t, s, to)) {
			*at = s;
			*n = (size_t)(to - s);
			return count;
		}
	return 0;
}

int64_t
oom_number_batch(struct talk t, const char **at, size_t *n)
{
	return next_number(t, false, at, n);
}

int64_t
oom_number_length(struct talk t, const char **at, size_t *n)
{
	return next_number(t, true, at, n);
}

int64_t
oom_number_of_batch(struct talk t, const char *at, size_t n)
{
	return least_of(t, at, n, false);
}
