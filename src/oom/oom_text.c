/* A state machine over single bytes, since a read may end anywhere; a line is mended where it
 * ends. */
#include "oom/oom_text.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_pattern.h"

static void
keep_byte(struct oom_text *t, char c)
{
	t->text[t->n++] = c;
}

/* ---- "[ E : o n n x r u n t i m e": signs of two bytes, shown as if each byte were one ---- */

#define LEAST_SPACED	24	/* signs of such a line */
#define MOST_SPACED	3000	/* bytes of it: what stands further back may have been read (AHEAD in oom_log.c) */

/* Does a blank part each two signs of the line that ends at S + N? */
static bool
is_spaced(const char *s, size_t n)
{
	size_t i, signs = 0;

	for (i = 0; i < n; i++) {
		signs += s[i] != ' ';
		if (i > 0 && s[i] != ' ' && s[i - 1] != ' ')
			return false;
	}
	return signs >= LEAST_SPACED;
}

/* One blank stands for none, and several for one. */
static void
close_up(struct oom_text *t, size_t from)
{
	size_t i, blanks = 0, to = from;

	for (i = from; i < t->n; i++) {
		if (t->text[i] == ' ') {
			blanks++;
			continue;
		}
		if (blanks > 1)
			t->text[to++] = ' ';
		blanks = 0;
		t->text[to++] = t->text[i];
	}
	t->n = to;
}

/* ---- "File "a.py", line 3, in f y = g(x) File "b.py", line 8, in g": a traceback whose lines were
 * joined ---- */

#define LEAST_JOINED	80	/* bytes of two frames */

static bool
is_of_name(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '<' || c == '>' || c == '.';
}

/* The end of the function's name in the frame at S; NULL: none stands there. */
static char *
frame_end(char *s, const char *end)
{
	char *to;

	if (end - s < 24 || memcmp(s, "File \"", 6) != 0 || !(to = memchr(s + 6, '"', (size_t)(end - s - 6))) || end - to < 12 || memcmp(to, "\", line ", 8) != 0)
		return NULL;
	for (to += 8; to < end && is_digit(*to); to++)
		;
	if (end - to < 6 || memcmp(to, ", in ", 5) != 0)
		return NULL;
	for (to += 5; to < end && is_of_name(*to); to++)
		;
	return to;
}

/* The blank at S, between what were two lines. */
static void
break_at(char *s, const char *from, const char *end)
{
	if (s >= from && s < end && *s == ' ')
		*s = OOM_BREAK;
}

/* Parts what stands behind the last frame: its code from the marks below it, and from the error. */
static void
part_error(char *s, const char *from, const char *end)
{
	char *word;

	for (; s < end; s++)
		if (*s == '^') {
			break_at(s - 1, from, end);
			for (; s < end && (*s == '^' || *s == '~'); s++)
				;
			break_at(s, from, end);
		} else if (end - s > 7 && memcmp(s, "Error: ", 7) == 0) {
			for (word = s; word > from && is_of_name(word[-1]); word--)
				;
			break_at(word - 1, from, end);
			return;
		}
}

static void
part_frames(char *from, char *end)
{
	char *s, *to, *last = NULL;
	int frames = 0;

	for (s = from; s && frames < 2; s = memchr(s + 1, 'F', (size_t)(end - s - 1)))
		frames += frame_end(s, end) != NULL;
	for (s = from; frames == 2 && s < end; s = to ? to : s + 1) {
		if (!(to = frame_end(s, end)))
			continue;
		break_at(s - 1, from, end);
		break_at(to, from, end);
		last = to;
	}
	if (last)
		part_error(last, from, end);
}

/* Mends the line that ends here, where it is one of those. */
static void
end_joined(struct oom_text *t)
{
	char *end = t->text + t->n, *from = end;

	if (t->n < LEAST_JOINED)
		return;
	while (from > t->text && end - from <= MOST_SPACED && from[-1] != '\n')
		from--;
	if (end - from >= LEAST_JOINED && end - from <= MOST_SPACED)
		part_frames(from, end);
}

/* Mends the line that ends here, where a blank stands behind each sign. */
static void
end_line(struct oom_text *t)
{
	size_t from = t->n;

	if (t->n < 2 * LEAST_SPACED || (t->text[t->n - 1] != ' ' && t->text[t->n - 2] != ' '))
		return;		/* nearly always */
	while (from > 0 && t->n - from <= MOST_SPACED && t->text[from - 1] != '\n')
		from--;
	if (t->n - from <= MOST_SPACED && is_spaced(t->text + from, t->n - from))
		close_up(t, from);
}

/* ---- "858.54 MiB already alloc|", with a frame's upright stroke: a pane of a terminal, or a box around
 * what a program says ---- */

#define STROKE_BYTES	3

/* Is the sign at S such a stroke, thin, thick or double? */
static bool
is_stroke(const char *s)
{
	return memcmp(s, "\xe2\x94\x82", STROKE_BYTES) == 0 || memcmp(s, "\xe2\x94\x83", STROKE_BYTES) == 0 ||
	    memcmp(s, "\xe2\x95\x91", STROKE_BYTES) == 0;
}

/* The one that ends the line is left out, with the blanks ahead of it. */
static void
end_framed(struct oom_text *t)
{
	size_t n = t->n;

	while (n > 0 && t->text[n - 1] == ' ')
		n--;
	if (n < STROKE_BYTES || !is_stroke(t->text + n - STROKE_BYTES))
		return;
	for (n -= STROKE_BYTES; n > 0 && t->text[n - 1] == ' '; n--)
		;
	t->n = n;
}

/* For the one that begins it stands a blank. */
static void
begin_framed(struct oom_text *t)
{
	size_t from;

	if (t->n < STROKE_BYTES || !is_stroke(t->text + t->n - STROKE_BYTES))
		return;
	for (from = t->n - STROKE_BYTES; from > 0 && t->text[from - 1] == ' '; from--)
		;
	if (from > 0 && t->text[from - 1] != '\n')
		return;
	t->n -= STROKE_BYTES;
	keep_byte(t, ' ');
}

/* "C:" ahead of a backslash: JSON would have two of those. */
static bool
ends_in_drive(const struct oom_text *t)
{
	return t->n >= 2 && t->text[t->n - 1] == ':' && is_letter(t->text[t->n - 2]) &&
	    (t->n == 2 || !is_letter(t->text[t->n - 3]));
}

/* The letter after a backslash: a log within JSON has its lines' ends so, and Windows its paths. */
static void
take_escaped(struct oom_text *t, unsigned char c)
{
	t->path |= c != '\\' && ends_in_drive(t);
	if (t->path) {
		keep_byte(t, '\\');
		keep_byte(t, (char)c);
	} else if (c == 'n') {
		keep_byte(t, OOM_BREAK);
	} else if (c == 't' || c == '"' || c == '\'') {
		keep_byte(t, c == 't' ? '\t' : (char)c);
	} else if (c != 'r') {
		keep_byte(t, '\\');
		keep_byte(t, (char)c);
	}
}

/* Within a terminal's escape sequence: is the byte a part of it? */
static bool
in_escape(struct oom_text *t, unsigned char c)
{
	if (t->escape == 1) {		/* after ESC */
		t->escape = c == '[' ? 2 : 0;
		if (c != '\n')
			return true;
	}
	if (t->escape == 2) {		/* up to the letter that ends it */
		if (c >= '@' && c <= '~')
			t->escape = 0;
		if (c != '\n')
			return true;
		t->escape = 0;
	}
	if (c == 27)
		t->escape = 1;
	return c == 27;
}

void
oom_text_take(struct oom_text *t, unsigned char c)
{
	unsigned char before = t->before;

	t->path &= c != '"' && c != '\n';
	if (c >= ' ' && c < 127 && c != '\\' && !before && !t->escape) {
		keep_byte(t, (char)c);		/* nearly always */
		return;
	}
	if (c == 0)
		return;		/* every other byte, where each sign takes two */
	t->before = 0;
	if (in_escape(t, c))
		return;
	if (before == '\\' && c >= ' ') {
		take_escaped(t, c);
		return;
	}
	if (before == 0xc2 && c == 0xa0)	/* a blank that does not break, in UTF-8 */
		c = ' ';
	if (c == '\r' || (c < ' ' && c != '\n' && c != '\t'))
		return;
	if (c == '\n') {
		end_framed(t);
		end_joined(t);
		end_line(t);
	}
	t->before = c == '\\' || c == 0xc2 ? c : 0;
	if (!t->before)
		keep_byte(t, (char)c);
	if (c >= 0x80)
		begin_framed(t);
}
