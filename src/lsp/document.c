/* Texts, lines and positions. */
#include "lsp/document.h"

#include <stdlib.h>
#include <string.h>

static bool
make_room(struct text_lines *t, size_t n)
{
	char *more;

	if (n + 1 <= t->cap)
		return true;
	if (!(more = realloc(t->text, 2 * (n + 1))))
		return false;
	t->text = more;
	t->cap = 2 * (n + 1);
	return true;
}

static bool
add_line(struct text_lines *t, size_t start)
{
	if (t->lines == t->room) {
		int room = t->room ? 2 * t->room : 64;
		size_t *more = realloc(t->start, (size_t)room * sizeof(*more));

		if (!more)
			return false;
		t->start = more;
		t->room = room;
	}
	t->start[t->lines++] = start;
	return true;
}

/* Is there a line's end just before this byte? */
static bool
begins_line(const struct text_lines *t, size_t at)
{
	return t->text[at - 1] == '\n' || (t->text[at - 1] == '\r' && t->text[at] != '\n');
}

/* Counts the lines anew, from the line on in which that byte is. */
static bool
count_lines(struct text_lines *t, size_t from)
{
	size_t at;

	while (t->lines > 0 && t->start[t->lines - 1] > from)
		t->lines--;
	if (t->lines > 1)	/* a CR before the byte may have lost its LF, or got one */
		t->lines--;
	if (t->lines == 0 && !add_line(t, 0))
		return false;
	at = t->start[t->lines - 1];
	for (at++; at <= t->n; at++)
		if (begins_line(t, at) && !add_line(t, at))
			return false;
	return true;
}

/* Bytes of the character at S, of which N are left; the text may be anything. */
static size_t
character_bytes(const char *s, size_t n)
{
	unsigned char c = (unsigned char)*s;
	size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1, i;

	for (i = 1; i < want && i < n && ((unsigned char)s[i] & 0xc0) == 0x80; i++)
		;
	return i;
}

/* Steps over a character, but not beyond END. */
static bool
step(const struct text_lines *t, struct milestone *m, size_t end)
{
	size_t bytes = character_bytes(t->text + m->at, t->n - m->at);

	if (m->at + bytes > end)
		return false;
	m->at += bytes;
	m->units += bytes == 4 ? 2 : 1;
	return true;
}

#define STRIDE	256

/* Sets the milestones anew, from that byte on, which may become part of the character in front of
 * it. */
static bool
set_milestones(struct text_lines *t, size_t from)
{
	struct milestone m = { 0, 0 };

	while (t->milestones > 0 && t->milestone[t->milestones - 1].at >= from)
		t->milestones--;
	if (t->milestones > 0)
		m = t->milestone[t->milestones - 1];
	for (;;) {
		size_t next = t->milestones > 0 ? t->milestone[t->milestones - 1].at + STRIDE : 0;

		while (m.at < next && step(t, &m, t->n))
			;
		if (m.at < next)
			return true;
		if (t->milestones == t->milestone_room) {
			int room = t->milestone_room ? 2 * t->milestone_room : 64;
			struct milestone *more = realloc(t->milestone, (size_t)room * sizeof(*more));

			if (!more)
				return false;
			t->milestone = more;
			t->milestone_room = room;
		}
		t->milestone[t->milestones++] = m;
	}
}

/* The last milestone that is at most so far, in bytes, or in units where BYTES is negative. */
static struct milestone
milestone_before(const struct text_lines *t, int64_t bytes, int64_t units)
{
	int low = 0, high = t->milestones;

	while (high - low > 1) {
		int middle = low + (high - low) / 2;
		const struct milestone *m = &t->milestone[middle];

		if (bytes < 0 ? m->units <= units : (int64_t)m->at <= bytes)
			low = middle;
		else
			high = middle;
	}
	return t->milestone[low];
}

/* The start of the character that reaches to that byte or beyond it, or the byte where one begins
 * there. */
static struct milestone
reach(const struct text_lines *t, size_t byte)
{
	struct milestone m = milestone_before(t, (int64_t)byte, 0);

	while (m.at < byte && step(t, &m, byte))
		;
	return m;
}

bool
text_replace(struct text_lines *t, size_t beg, size_t end, const char *with, size_t n)
{
	size_t left = t->n - end;

	if (beg > end || end > t->n || n > LONGEST_TEXT || t->n - (end - beg) + n > LONGEST_TEXT ||
	    !make_room(t, t->n - (end - beg) + n))
		return false;
	memmove(t->text + beg + n, t->text + end, left);
	if (n)
		memcpy(t->text + beg, with, n);
	t->n = beg + n + left;
	t->text[t->n] = '\0';
	return count_lines(t, beg) && set_milestones(t, beg);
}

void
text_lines_free(struct text_lines *t)
{
	free(t->text);
	free(t->start);
	free(t->milestone);
	*t = (struct text_lines){ .text = NULL };
}

/* Where line LINE's text ends, its line end left out. */
static size_t
line_end(const struct text_lines *t, int line)
{
	size_t end = line + 1 < t->lines ? t->start[line + 1] : t->n;

	if (line + 1 < t->lines && end > t->start[line] && t->text[end - 1] == '\n')
		end--;
	if (end > t->start[line] && line + 1 < t->lines && t->text[end - 1] == '\r')
		end--;
	return end;
}

size_t
text_offset(const struct text_lines *t, struct position p, bool utf8)
{
	struct milestone m;
	int64_t in;
	size_t start, end;

	if (p.line < 0)
		return 0;
	if (p.line >= t->lines)
		return t->n;
	start = t->start[p.line];
	end = line_end(t, (int)p.line);
	in = p.character < 0 ? 0 : p.character < (int64_t)(end - start) ? p.character : (int64_t)(end - start);
	if (utf8)
		return reach(t, start + (size_t)in).at;
	in += reach(t, start).units;
	m = milestone_before(t, -1, in);
	while (m.at < end && m.units < in) {
		struct milestone before = m;

		if (!step(t, &m, end) || m.units > in)
			return before.at;
	}
	return m.at < end ? m.at : end;
}

/* The line that a byte is in. */
static int
line_of(const struct text_lines *t, size_t offset)
{
	int low = 0, high = t->lines;

	while (high - low > 1) {
		int middle = low + (high - low) / 2;

		if (t->start[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct position
text_position(const struct text_lines *t, size_t offset, bool utf8)
{
	struct position p = { 0, 0 };
	struct milestone m;
	size_t start, end;

	if (t->lines == 0)
		return p;
	if (offset > t->n)
		offset = t->n;
	p.line = line_of(t, offset);
	start = t->start[p.line];
	end = line_end(t, (int)p.line);
	m = reach(t, offset < end ? offset : end);
	p.character = utf8 ? (int64_t)(m.at - start) : m.units - reach(t, start).units;
	return p;
}
