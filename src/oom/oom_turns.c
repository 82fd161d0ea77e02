/* By the sign of a remainder: what stands below such an "if", further set in, is not of every
 * round. */
#include "oom/oom_turns.h"

#include <string.h>

#include "base/ascii.h"

int
oom_turns_inset(struct talk t)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n);

	return (int)(s - t.s);
}

/* "loss = 0", "total = 0.0": the name, where a sum begins. */
static struct talk
begun_sum(struct talk t)
{
	const char *end = t.s + t.n, *from = piece_past_blanks(t.s, end), *to, *is;

	for (to = from; to < end && (piece_is_word(*to) || *to == '.'); to++)
		;
	is = piece_past_blanks(to, end);
	if (is == end || *is != '=')
		return talk_part(t, from, from);
	is = piece_past_blanks(is + 1, end);
	if (is == end || *is != '0' || (is + 1 < end && is[1] != '.' && is[1] != ' ' && is[1] != ';' && is[1] != '\r'))
		return talk_part(t, from, from);
	return talk_part(t, from, to);
}

void
oom_turns_line(struct oom_paste *p, struct talk t)
{
	struct talk sum = begun_sum(t);
	const char *s = piece_past_blanks(t.s, t.s + t.n);
	int inset = oom_turns_inset(t);

	if (s == t.s + t.n)
		return;
	if (sum.n > 0) {
		oom_paste_name(p->begun, sum.s, sum.s + sum.n);
		p->begun_inset = inset;
	}
	if (inset <= p->turns_inset)
		p->turns = false;
	if (talk_any_begins(t, "if if(") && memchr(s, '%', (size_t)(t.s + t.n - s)) && talk_any_of(t, "== not !=")) {
		p->turns = true;
		p->turns_inset = inset;
	}
}

bool
oom_turns_are_of_sum(const struct oom_paste *p, int inset)
{
	bool anew = strcmp(p->begun, p->addend) == 0 && p->begun_inset == p->added_inset;

	return p->turns && !anew && p->turns_inset == p->added_inset && inset > p->turns_inset;
}
