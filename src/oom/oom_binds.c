/* What code makes of a tensor lets go of its graph, or is none: by the call, or by its name. */
#include "oom/oom_binds.h"

#include <string.h>

/* Numbers, or tensors without their graph: no other word for a call lets go of it. */
#define LET_GO	".item( .detach( .data .numpy( .tolist( float( int( len( .get_value("

bool
binds_no_graph(struct talk t)
{
	return talk_any_of(t, LET_GO);
}

bool
binds_no_tensor(struct talk t)
{
	static const char *const ends[] = { "_path", "_name", "_dir", "_time", "_file", "_filename", "_id", "_idx", "_len", NULL };
	const char *from = t.s, *to, *end = t.s + t.n;
	size_t n;
	int i;

	while (from < end && !piece_is_word(*from))
		from++;
	for (to = from; to < end && (piece_is_word(*to) || *to == '.'); to++)
		;
	if (to < end && (*to == '(' || *to == '['))
		return false;
	for (i = 0; ends[i]; i++)
		if ((n = strlen(ends[i])) < (size_t)(to - from) && piece_find((struct piece){ to - n, n }, ends[i]))
			return true;
	return false;
}

bool
binds_nothing(struct talk t)
{
	return talk_any_of(t, LET_GO " .cpu(");
}

struct talk
binds_name_at(struct talk t, const char *s)
{
	const char *to, *end = t.s + t.n;

	for (s = to = piece_past_blanks(s, end); to < end && (piece_is_word(*to) || *to == '.'); to++)
		;
	return talk_part(t, s, to);
}

void
binds_note(struct oom_paste *p, struct talk t)
{
	struct talk name = binds_name_at(t, t.s);
	const char *end = t.s + t.n, *is = piece_past_blanks(name.s + name.n, end);
	int i;

	if (name.n == 0 || is + 1 >= end || *is != '=' || is[1] == '=')
		return;
	if (binds_no_graph(talk_part(t, is, end))) {
		oom_paste_name(p->plain[p->plains++ % PASTE_PLAIN], name.s, name.s + name.n);
		return;
	}
	for (i = 0; i < PASTE_PLAIN; i++)		/* set to something else */
		if (strncmp(p->plain[i], name.s, name.n) == 0 && p->plain[i][name.n < PASTE_NAME ? name.n : PASTE_NAME - 1] == '\0')
			p->plain[i][0] = '\0';
}

bool
binds_nothing_named(const struct oom_paste *p, struct talk t)
{
	struct talk name = binds_name_at(t, t.s);
	int i;

	for (i = 0; name.n > 0 && name.n < PASTE_NAME && i < p->plains && i < PASTE_PLAIN; i++)
		if (strncmp(p->plain[i], name.s, name.n) == 0 && p->plain[i][name.n] == '\0')
			return true;
	return false;
}

bool
binds_loss(struct talk t)
{
	const char *at, *end = t.s + t.n;
	size_t n;

	for (at = NULL; talk_next_phrase(t, "loss", &at, &n); ) {
		const char *to = at + n;

		if (to == end || (*to != 'y' && *to != 'i' && !talk_is_one_of(talk_head(t, to, 4), "less")))
			return true;
	}
	return false;
}

bool
binds_begins(struct talk t, const char *name, const char *signs)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n), *end = t.s + t.n;
	size_t n = strlen(name);

	return n > 0 && (size_t)(end - s) >= n && memcmp(s, name, n) == 0 && (s + n == end || !(piece_is_word(s[n]) || strchr(signs, s[n])));
}

const char *
binds_past_quote(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;

	while (s < end && strchr(" \t`>", *s))
		s++;
	return s;
}
