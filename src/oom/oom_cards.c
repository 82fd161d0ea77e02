/*
 * Names of NVIDIA's cards as people write them: a series, a number, and what stands behind it, with
 * blanks between them or none. Which of them have 12 GB or less, whatever their kind, goes by
 * series: all of GTX, of GT and of those with three digits; of later ones, by their numbers.
 */
#include "oom/oom_cards.h"

#include "base/ascii.h"
#include "oom/oom_clause.h"

#define SERIES		"gtx|rtx|geforce|gt|mx|titan|nvidia"
#define LEAST_DIGITS	3
#define MOST_DIGITS	4

/* Past one blank, hyphen or underscore at S. */
static const char *
past_link(const char *s, const char *end)
{
	return s < end && (*s == ' ' || *s == '-' || *s == '_') ? s + 1 : s;
}

/* Does a word end at S? Writings without blanks part words from names. */
static bool
ends_at(const char *s, const char *end)
{
	return s == end || (unsigned char)*s >= 0x80 || !piece_is_word(*s);
}

/* Past WORD of N bytes at S, behind a link or none; S: it does not stand there. */
static const char *
past_word(const char *s, const char *end, const char *word, size_t n)
{
	const char *from = past_link(s, end);
	size_t i;

	for (i = 0; i < n && from + i < end && lower(from[i]) == word[i]; i++)
		;
	return i == n && ends_at(from + n, end) ? from + n : s;
}

#define PAST(s, end, word)	past_word(s, end, word, sizeof(word) - 1)

/* Has a card of that NUMBER little, of which LAPTOP says whether it is one of a laptop? */
static bool
is_small_number(int64_t number, bool is_laptop)
{
	switch (number) {
	case 2050: case 2060: case 2070: case 2080: case 3050: case 3060: case 3070: case 4050: case 5050:
		return true;
	case 4060: case 4070: case 5060: case 5070:
		return is_laptop;
	default:		/* GTX 1030 to 1080 Ti, 1630 to 1660 Ti */
		return (number >= 1010 && number <= 1080) || (number >= 1630 && number <= 1660);
	}
}

enum which {			/* numbers have little: those of the list, those of three digits too, or all */
	LISTED, OF_THREE, EVERY
};

/* Past the number at S and what tells its kind, where that card has little; NULL: it has not, or
 * none stands there. *TELLS: no other number is written so. */
static const char *
past_number(const char *s, const char *end, enum which which, bool *tells)
{
	const char *digits, *kind, *to;
	int64_t number;

	if (s >= end || !is_digit(*s) || !(digits = piece_number(s, end, &number)) || digits - s > MOST_DIGITS || digits - s < LEAST_DIGITS)
		return NULL;
	kind = PAST(PAST(digits, end, "ti"), end, "super");
	if (kind == digits && kind < end && lower(*kind) == 'm')
		kind = PAST(PAST(digits, end, "m"), end, "mx");
	to = PAST(kind, end, "laptop");
	to = to == kind ? PAST(kind, end, "mobile") : to;
	*tells = to > digits && digits - s == MOST_DIGITS;
	if (!ends_at(to, end))
		return NULL;
	return which == EVERY || (which == OF_THREE && digits - s == LEAST_DIGITS) || is_small_number(number, to > kind) ? to : NULL;
}

/* The end of the name whose series, N bytes, stands at AT; NULL: it has more, or is none. */
static const char *
past_name(struct talk t, const char *at, size_t n)
{
	struct talk series = talk_part(t, at, at + n);
	const char *end = t.s + t.n, *s = at + n, *to;
	bool tells;

	if (talk_is_one_of(series, "titan")) {
		to = PAST(s, end, "x");
		to = to == s ? PAST(s, end, "xp") : to;
		return to == s ? NULL : to;
	}
	return past_number(past_link(s, end), end, talk_is_one_of(series, "gtx gt mx") ? EVERY : talk_is_one_of(series, "geforce") ? OF_THREE : LISTED, &tells);
}

/* "3060Laptop", "1080ti": by the number alone. */
static const char *
past_bare(struct talk t, const char *s)
{
	bool tells = false;
	const char *to = past_number(s, t.s + t.n, LISTED, &tells);

	return to && tells ? to : NULL;
}

const char *
oom_cards_small(struct talk t, size_t *n)
{
	const char *at = NULL, *s, *to = NULL, *end = t.s + t.n;
	size_t length;

	while (talk_next_phrase(t, SERIES, &at, &length))
		if ((at == t.s || (unsigned char)at[-1] >= 0x80 || !piece_is_word(at[-1])) && (to = past_name(t, at, length)))
			break;
	for (s = t.s; !to && s < end; s++)
		if (is_digit(*s) && (s == t.s || (unsigned char)s[-1] >= 0x80 || (!piece_is_word(s[-1]) && s[-1] != '.')) && (to = past_bare(t, s)))
			at = s;
	if (!to)
		return NULL;
	*n = (size_t)(to - at);
	return at;
}

#define CARDS		"gpu gpus card cards device vga gfx"
#define OF_ONE		"a an one the nvidia geforce model name is are"

bool
oom_cards_labelled(struct talk t, const char *at)
{
	const char *s = at, *end = t.s + t.n;
	struct talk word;
	bool links = false;

	for (word = clause_word_ahead(t, s); word.n > 0; word = clause_word_ahead(t, s)) {
		for (end = word.s + word.n; end < s; end++) {
			if (*end == ',' || *end == '.' || *end == ';' || *end == '(')
				return false;
			links |= *end == ':' || *end == '=' || (unsigned char)*end >= 0x80;
		}
		links |= talk_is_one_of(word, "is are");
		if (talk_is_one_of(word, CARDS))
			return links;
		if (!talk_is_one_of(word, OF_ONE))
			return false;
		s = word.s;
	}
	return false;
}
