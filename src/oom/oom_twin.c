/*
 * Lists of tries, line by line: "load(5, 5) -- OK", "load(51, 200) -- memory error", or "n=10: ok"
 * and "n=100: out of memory". What stands ahead of how it went is the same but for its numbers.
 */
#include "oom/oom_twin.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_short.h"

#define RUNS		"ok okay works worked fine passes passed succeeds succeeded success good runs"
#define RUNS_CHINESE	"正常|没问题|没有问题|可以|成功"
#define RUNS_NOT	"no not n't never cannot"
#define MOST_LINE	240

/* Where what is tried ends: behind its brackets, or else at the first colon or arrow; NULL: it has
 * none. */
static const char *
head_ends(struct talk t)
{
	const char *s, *end = t.s + t.n, *open = memchr(t.s, '(', t.n);

	if (open)
		return (s = memchr(open, ')', (size_t)(end - open))) ? s + 1 : NULL;
	for (s = t.s; s < end; s++)
		if ((*s == ':' && s + 1 < end && s[1] == ' ') || (s + 1 < end && s[1] == '>' && (*s == '-' || *s == '=')))
			return s;
	return NULL;
}

/* What is counted up by itself, or takes no memory by its number. */
#define OF_OTHER	"gpu device card rank epoch step iter round run trial test attempt try time task job version torch pytorch tensorflow cuda python driver line layer node worker rtx gtx seed lr sample item image_id id fold log info debug warn port server host transformers"

/* "Transformers (4.30)" */
static bool
is_version(struct talk head)
{
	const char *s = memchr(head.s, '(', head.n), *end = head.s + head.n;

	while (s && ++s < end && (is_digit(*s) || *s == '.'))
		;
	return s && s < end && *s == ')' && s[-1] != '(' && memchr(head.s, '.', (size_t)(s - head.s));
}

/* Is the number of what stands ahead of END how much of something there is, and not which of
 * several? */
static bool
is_amount(struct talk t, const char *end)
{
	struct talk head = talk_part(t, t.s, end);
	const char *s = end;

	if (talk_any_begins(head, OF_OTHER) || is_version(head))
		return false;
	if (memchr(head.s, '=', head.n) || memchr(head.s, '(', head.n) || talk_any_phrase(head, " x "))
		return true;
	while (s > t.s && s[-1] == ' ')
		s--;
	return s > t.s && (!is_digit(s[-1]) || (memchr(head.s, 'x', head.n) && is_digit(*head.s)));
}

void
oom_twin_line(struct oom_twins *w, struct talk t, int line, struct said *to)
{
	const char *s, *end = t.n < MOST_LINE ? head_ends(t) : NULL;
	struct talk tail = end ? talk_part(t, end, t.s + t.n) : t;
	bool fails = end && oom_short_fails(tail), runs = end && !fails && (talk_any_whole(tail, RUNS) || talk_any_phrase(tail, RUNS_CHINESE)) && !talk_any_whole(tail, RUNS_NOT);
	bool less, more;
	size_t n = 0;
	int i, k, at = w->next;

	if ((!fails && !runs) || memchr(tail.s, '?', tail.n) || !is_amount(t, end))
		return;
	memset(&w->of[at], 0, sizeof(w->of[at]));
	for (s = t.s; s < end; n++) {
		if (n + 1 >= TWIN_HEAD || w->of[at].count == TWIN_NUMBERS)
			return;
		w->of[at].head[n] = is_digit(*s) ? '#' : (char)lower(*s);
		if (!is_digit(*s))
			s++;
		else if (!(s = piece_number(s, end, &w->of[at].n[w->of[at].count++])))
			return;
	}
	w->of[at].fails = fails;
	said_at(&w->of[at].said, t, t.s, line);
	w->next = (at + 1) % TWINS;
	for (i = 0; i < TWINS; i++) {
		if (i == at || w->of[i].fails == fails || w->of[i].count == 0 || w->of[i].count != w->of[at].count || strcmp(w->of[i].head, w->of[at].head) != 0)
			continue;
		for (k = 0, less = more = false; k < w->of[i].count; k++) {
			less |= w->of[i].n[k] < w->of[at].n[k];
			more |= w->of[i].n[k] > w->of[at].n[k];
		}
		if (fails ? less && !more : more && !less)
			*to = w->of[fails ? i : at].said;
	}
}
