/* Both are known by a few words that people begin with, and end where another begins: a post at a
 * rule or a name, code at a sentence, the end of a fence, or a comment. */
#include "oom/oom_aside.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_short.h"
#include "oom/oom_told.h"

/* ---- what is quoted ---- */

/* "> d <- dist(m)", "> summary(m)": what is typed at R's prompt, which looks like a quote. */
static bool
is_at_prompt(const char *s, const char *end)
{
	const char *from = s = piece_past_blanks(s, end);

	while (s < end && (piece_is_word(*s) || *s == '.' || *s == '$' || *s == ':'))
		s++;
	if (s == from)
		return false;
	if (s < end && *s == '(')
		return true;
	s = piece_past_blanks(s, end);
	return end - s > 2 && s[0] == '<' && s[1] == '-';
}

/* "> ", and not ">>> " of Python. */
static bool
is_quoted(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return end - s > 1 && *s == '>' && s[1] != '>' && !is_at_prompt(s + 1, end);
}

void
oom_aside_begin(struct oom_aside *a, const char *text, size_t n)
{
	const char *s = text, *end = text + n, *to;
	int quoted = 0, own = 0;

	for (; s < end; s = to + 1) {
		to = memchr(s, '\n', (size_t)(end - s));
		to = to ? to : end;
		if (is_quoted(s, to))
			quoted++;
		else
			own += piece_past_blanks(s, to) < to;
	}
	a->answers = own > quoted;
}

/* ---- another's post ---- */

#define JOINS		"+1|same here|me too|same for me|same issue here|same problem here|same error here|ditto"
#define SAME		"same issue|same problem|same error|this issue|this problem|this error|the issue too|the problem too|this too"
#define OF_ANOTHER	"in my case|for me|my case was|in my situation"
#define OF_ALL_POSTS	"wrote:|commented|replied|says:|said:"

/* Without the signs of a quote or of emphasis, and a name with its stop: "> @alice: ". */
static struct talk
post_of(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n, *to;

	while (s < end && memchr(" \t>*", *s, 4))
		s++;
	if (s < end && *s == '@') {
		for (to = s; to < end && *to != ' ' && *to != ':' && *to != ','; to++)
			;
		for (s = to; s < end && memchr(" ,:*", *s, 4); s++)
			;
	}
	return talk_part(t, s, end);
}

/* "---", or a line that names who writes what follows. */
static bool
begins_post(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n, *to;

	while (s < end && memchr(" \t>", *s, 3))
		s++;
	for (to = s; to < end && memchr("-_*=\r", *to, 5); to++)
		;
	return (s < end && (*s == '@' || *s == '#')) || (to == end && to - s >= 3) || talk_any_phrase(t, OF_ALL_POSTS);
}

/* "On Mon, Jan 4, 2021, Jane Doe wrote:", "@alice wrote:": ahead of what another wrote. */
static bool
cites(struct talk t)
{
	const char *end = t.s + t.n, *s = piece_past_blanks(t.s, end);
	struct talk first = clause_word_behind(t, s);

	while (end > t.s && memchr(" \t\r*_", end[-1], 5))
		end--;
	return end - s > 6 && memcmp(end - 6, "wrote:", 6) == 0 && (*s == '@' || (talk_is_one_of(first, "on am") && talk_any_of(t, "0 1 2 3 4 5 6 7 8 9")));
}

/* Does the line belong to the paragraph that is cited? */
static bool
is_cited(struct oom_aside *a, struct talk t, enum oom_source source)
{
	if (a->cited && source == SOURCE_NONE) {
		a->cited = !a->cites;
	} else if (cites(t)) {
		a->cited = true;
		a->cites = false;
	} else {
		a->cites = a->cited;
	}
	return a->cited && source != SOURCE_NONE;
}

/* "+1", "Same here.", "I have the same issue, in my case ..."; not "I get the same error with batch
 * 1", which whoever asks says, too. */
static bool
joins(struct talk t)
{
	struct talk post = post_of(t);
	const char *at;
	size_t n;

	if (talk_find_whole(post, JOINS, &n) == post.s || (post.n > 1 && memcmp(post.s, "+1", 2) == 0 && (post.n == 2 || !is_digit(post.s[2]))))
		return true;
	at = talk_find_whole(post, SAME, &n);
	return at && !talk_has_whole(talk_head(post, at + n, 12), "as|like|described") && talk_has_whole(talk_part(post, at, post.s + post.n), OF_ANOTHER);
}

/* ---- code that is not what ran ---- */

#define NOT_DONE	"not doing this|not do this|don't do this|do not do this|don't do that|do not do that|never do this|don't write|do not write|not like this|" \
    "not use this|don't use this|do not use this|avoid this|avoid doing this"
#define NO_LONGER	"old code|old version|previous code|previous version|earlier version|used to be|used to have|used to do|before the change|before my change"
#define MINE		"my code was|the code was|my code looked|i had|it was|the loop was|the line was"
#define BEFORE		"before previously earlier"
#define ENDS_AHEAD	"instead of|instead of this|rather than|rather than this"

/* Does T end with a phrase of LIST, but for a stop? */
static bool
ends_with(struct talk t, const char *list)
{
	const char *at = NULL, *end = t.s + t.n;
	size_t n;

	while (end > t.s && memchr(" \t\r:.*`", end[-1], 7))
		end--;
	while (talk_next_phrase(t, list, &at, &n))
		if (at + n == end)
			return true;
	return false;
}

/* "I don't do this:", "Before, my code was:"; where it is said to fail it is what ran. */
static bool
sets_aside(struct talk t)
{
	const char *end = t.s + t.n;
	struct talk last;

	while (end > t.s && memchr(" \t\r:.*", end[-1], 6))
		end--;
	if (end == t.s || clause_names_failure(t) || oom_short_fails(t))
		return false;
	last = talk_sentence(t, end - 1);
	return !clause_is_question(last) && (talk_has_whole(last, NOT_DONE) || ends_with(t, ENDS_AHEAD) ||
	    (t.s + t.n > end && (talk_has_whole(last, NO_LONGER) || (talk_has_whole(last, MINE) && talk_any_whole(last, BEFORE)))));
}

/* "# old version", "# don't do this", "# before": all that a comment says. */
static bool
comment_sets_aside(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;
	struct talk said;

	while (s < end && memchr(" \t#/", *s, 4))
		s++;
	while (end > s && memchr(" \t\r:.", end[-1], 5))
		end--;
	said = talk_part(t, s, end);
	return talk_is_one_of(said, "before old previously wrong bad") || talk_has_whole(said, NOT_DONE) || ends_with(said, ENDS_AHEAD) || talk_has_whole(said, NO_LONGER);
}

/* Is the line code, settings or a command, on which something might rest? */
static bool
is_shown(enum oom_source source)
{
	return source == SOURCE_CODE || source == SOURCE_SETTING || source == SOURCE_COMMAND;
}

static bool
is_set_aside(struct oom_aside *a, struct talk t, enum oom_source source, bool fenced)
{
	bool was;

	if (source == SOURCE_COMMENT) {
		a->comment = comment_sets_aside(t);
		return false;
	}
	if (source == SOURCE_NONE) {		/* a blank line, or a fence */
		a->comment = false;
		a->armed &= !(a->fenced && !fenced);
		return false;
	}
	if (is_shown(source)) {
		was = a->armed || a->comment;
		a->fenced |= a->armed && fenced;
		return was;
	}
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE) {
		a->armed = sets_aside(t);
		a->fenced = a->comment = false;
	}
	return false;
}

enum oom_source
oom_aside(struct oom_aside *a, struct talk t, enum oom_source source, bool fenced, bool reported)
{
	bool speaks = source == SOURCE_PROSE || source == SOURCE_UNSURE;

	if (begins_post(t) && !fenced && !is_shown(source) && source != SOURCE_COMMENT)		/* a decorator, or a comment of code */
		a->another = false;
	if (speaks && reported && joins(t))
		a->another = true;
	if (speaks && a->answers && !fenced && is_quoted(t.s, t.s + t.n))
		return SOURCE_COMMENT;
	if (!fenced && is_cited(a, t, source) && (speaks || is_shown(source)))
		return SOURCE_COMMENT;
	if (is_set_aside(a, t, source, fenced) || (a->another && (speaks || is_shown(source))))
		return SOURCE_COMMENT;
	return source;
}
