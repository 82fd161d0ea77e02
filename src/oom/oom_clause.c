/* Clauses end at stops and at "but"; of a negation what counts is where it stands. */
#include "oom/oom_clause.h"

#include <string.h>

#include "base/ascii.h"

#define LONGEST		64	/* bytes of a phrase */
#define NEAR_WORDS	6	/* beside a phrase, within which a negation is of it */

struct piece
clause_of(struct piece t, const char *at, size_t n)
{
	static const char stops[] = ",;:!?()";
	const char *from = at, *to = at + n, *end = t.s + t.n, *but;

	while (from > t.s && !memchr(stops, from[-1], sizeof(stops) - 1) && !(from[-1] == '.' && *from == ' '))
		from--;
	while (to < end && !memchr(stops, *to, sizeof(stops) - 1) && !(*to == '.' && (to + 1 == end || to[1] == ' ')))
		to++;
	while ((but = piece_find((struct piece){ from, (size_t)(at - from) }, " but ")))
		from = but + 5;
	if ((but = piece_find((struct piece){ at + n, (size_t)(to - at - n) }, " but ")))
		to = but;
	return (struct piece){ from, (size_t)(to - from) };
}

bool
clause_says_no(struct piece t, const char *more)
{
	if (piece_any_phrase(t, "not enough|n't enough|no idea|not know|n't know|not sure|not understand|n't understand|not only|"
	    "no matter|no memory|no more memory"))
		return false;
	return piece_any_whole(t, "not no never without nor neither cannot") || piece_any_phrase(t, "n't |n\xe2\x80\x99t |dont |doesnt ") ||
	    piece_any_whole(t, more);
}

bool
clause_says(struct piece t, const char *list, int sides, const char *more)
{
	const char *at, *end = t.s + t.n;
	struct piece clause, rest;
	char phrase[64];
	size_t n;

	for (; *list; list += n + (list[n] == '|')) {
		n = strcspn(list, "|");
		if (n == 0 || n >= sizeof(phrase))
			continue;
		memcpy(phrase, list, n);
		phrase[n] = '\0';
		for (rest = t; (at = piece_find(rest, phrase)); rest = (struct piece){ at + 1, (size_t)(end - at - 1) }) {
			clause = clause_of(t, at, n);
			if (!((sides & AHEAD) && clause_says_no((struct piece){ clause.s, (size_t)(at - clause.s) }, more)) &&
			    !((sides & BEHIND) && clause_says_no((struct piece){ at + n, (size_t)(clause.s + clause.n - at - n) }, more)))
				return true;
		}
	}
	return false;
}

/* ---- words and phrases as a whole ---- */

const char *
clause_find_whole(struct piece t, const char *list, size_t *n)
{
	char phrase[LONGEST];
	struct piece rest;
	const char *at, *end = t.s + t.n;

	for (; *list; list += *n + (list[*n] == '|')) {
		*n = strcspn(list, "|");
		if (*n == 0 || *n >= sizeof(phrase))
			continue;
		memcpy(phrase, list, *n);
		phrase[*n] = '\0';
		for (rest = t; (at = piece_find(rest, phrase)); rest = (struct piece){ at + 1, (size_t)(end - at - 1) })
			if ((at == t.s || !piece_is_word(at[-1]) || *phrase == 'n') &&
			    (at + *n == end || !piece_is_word(at[*n]) || !piece_is_word(phrase[*n - 1])))
				return at;
	}
	return NULL;
}

bool
clause_has_whole(struct piece t, const char *list)
{
	size_t n;

	return clause_find_whole(t, list, &n) != NULL;
}

bool
clause_has_word(struct piece t, const char *list)
{
	const char *s, *to, *end = t.s + t.n, *w;
	size_t n, i;

	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!piece_is_word(*s))
			continue;
		while (to < end && piece_is_word(*to))
			to++;
		for (w = list; *w; w += n + (w[n] == ' ')) {
			n = strcspn(w, " ");
			for (i = 0; n == (size_t)(to - s) && i < n && lower(s[i]) == w[i]; i++)
				;
			if (i == n)
				return true;
		}
	}
	return false;
}

bool
clause_is_question(struct piece t)
{
	return memchr(t.s, '?', t.n) || piece_any_whole(t, "how why");
}

/* ---- right beside a phrase ---- */

#define NO	"not no never without nor neither cannot dont doesnt didnt wont isnt wasnt"
/* Words that stand between a negation and what it denies behind it, */
#define LINKS	"a an the any this that these it its is was are were be been being has have had having do does did get gets got "	\
    "getting gotten go goes going went see sees seen seeing face faced hit hits hitting cause causes caused give gives gave throw " \
    "throws lead leads to raise raises error errors exception more longer such ever even of into in with cuda gpu ram memory " \
    "really actually run runs running by my our"
/* and what it denies ahead of it. */
#define LINKS_BACK	"error errors exception exceptions problem problems issue issues is are was were has have had been does do " \
    "did will happen happens occur occurs longer now anymore"
#define SETTLED	"fixed solved resolved"
#define OVER	"gone fixed solved resolved disappeared disappears vanished avoided prevented"

/* Apostrophes are within words, word processors' own, too. */
static bool
is_of_word(char c)
{
	return piece_is_word(c) || memchr("'\xe2\x80\x99", c, 4);
}

struct piece
clause_word_ahead(const char *from, const char *end)
{
	const char *s;

	while (end > from && !is_of_word(end[-1]))
		end--;
	for (s = end; s > from && is_of_word(s[-1]); s--)
		;
	return (struct piece){ s, (size_t)(end - s) };
}

struct piece
clause_word_behind(const char *s, const char *end)
{
	const char *to;

	while (s < end && !is_of_word(*s))
		s++;
	for (to = s; to < end && is_of_word(*to); to++)
		;
	return (struct piece){ s, (size_t)(to - s) };
}

/* Is the word, as a whole, one of LIST? */
static bool
is_one_of(struct piece word, const char *list)
{
	char name[16];
	size_t n;

	for (; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n != word.n || n >= sizeof(name))
			continue;
		memcpy(name, list, n);
		name[n] = '\0';
		if (piece_find(word, name))
			return true;
	}
	return false;
}

static bool
is_no(struct piece word)
{
	return is_one_of(word, NO) || piece_any_phrase(word, "n't|n\xe2\x80\x99t");
}

bool
clause_denies(struct piece t, const char *at, size_t n)
{
	struct piece clause = clause_of(t, at, n), word, next;
	const char *s, *end = clause.s + clause.n;
	bool without = false;
	int i, no = 0;

	for (i = 0, s = at; i < NEAR_WORDS && (word = clause_word_ahead(clause.s, s)).n > 0; i++, s = word.s) {
		if (is_one_of(word, "may might"))
			return true;		/* what could be */
		if (!is_no(word) && !is_one_of(word, LINKS) && !is_one_of(word, SETTLED))
			break;
		no += is_no(word) || is_one_of(word, SETTLED);
		without |= is_one_of(word, "without");
	}
	/* "cannot train without" says that it happens */
	no += without && piece_any_whole((struct piece){ clause.s, (size_t)(s - clause.s) }, "cannot can't not unable never hardly");
	for (i = 0, s = at + n; i < NEAR_WORDS && (word = clause_word_behind(s, end)).n > 0; i++, s = word.s + word.n) {
		next = clause_word_behind(word.s + word.n, end);
		if ((!is_no(word) && !is_one_of(word, LINKS_BACK) && !is_one_of(word, OVER)) ||
		    (is_one_of(word, "no") && !is_one_of(next, "longer")) || is_one_of(word, "without"))
			break;
		no += is_no(word) || is_one_of(word, OVER);
	}
	return no % 2 == 1;
}
