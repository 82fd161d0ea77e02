/* The forms of a line (oom_form.h), and what stood ahead of it: within what it is, and what the
 * lines before it were. */
#include "oom/oom_source.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_form.h"

/* Behind the number of a line, "     11 #    x = 3,", as a notebook's traceback lists code. */
static const char *
past_number(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;

	while (s < end && is_digit(*s))
		s++;
	return s > t.s && s < end && *s == ' ' && (s = piece_past_blanks(s, end)) < end && *s == '#' ? s : t.s;
}

/* "#model = f(x)", "// f(x)", and within code "# what it is". */
static bool
is_comment(const struct oom_sources *o, struct talk t, bool inset)
{
	const char *s = past_number(t), *end = t.s + t.n;
	bool in_code = o->fenced || o->last == SOURCE_CODE || o->last == SOURCE_COMMENT;

	if (end - s > 1 && s[0] == '/' && (s[1] == '/' || s[1] == '*'))
		return true;
	if (*s != '#')
		return false;
	while (s < end && *s == '#')
		s++;
	if (in_code || inset || (s < end && *s != ' ' && s - t.s == 1))
		return s < end && *s != '\r';
	s = piece_past_blanks(s, end);
	return (s < end && *s == '"') || form_is_statement(talk_part(t, s, end));		/* a statement, or a setting with its name in quotes */
}

/* ---- what it is ---- */

/* Without blanks, the sign of a mail's quote, of Python's prompt, or of Markdown's lists and code,
 * around it. */
static struct talk
trimmed(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;

	while (end > s && memchr(" \t\r`", end[-1], 4))
		end--;
	while (s < end && memchr(" \t>`", *s, 4))
		s++;
	return talk_part(t, s, end);
}

/* "**python train.py --bs 8**": what is bold as a whole, without the signs of that. */
static struct talk
without_bold(struct talk t)
{
	const char *end = t.s + t.n;

	return t.n > 4 && memcmp(t.s, "**", 2) == 0 && memcmp(end - 2, "**", 2) == 0 ? talk_part(t, t.s + 2, end - 2) : t;
}

static int
count_of(struct talk t, const char *sign)
{
	const char *s, *end = t.s + t.n;
	int n = 0;

	for (s = t.s; end - s >= 3; s++)
		if (memcmp(s, sign, 3) == 0) {
			n++;
			s += 2;
		}
	return n;
}

int
oom_fences(struct talk t)
{
	return count_of(t, "```") + count_of(t, "~~~");
}

static enum oom_source
by_form(const struct oom_sources *o, struct talk t, bool fenced, bool inset)
{
	if (t.n == 0)
		return SOURCE_NONE;
	if (form_is_call(t) || (o->called && inset))
		return SOURCE_TRACE;
	if (form_is_table(t))
		return SOURCE_TABLE;
	if (form_is_output(t, fenced))
		return SOURCE_OUTPUT;
	if (t.n > 1 && t.s[0] == '#' && t.s[1] == '>')
		return SOURCE_OUTPUT;	/* as R's reprex writes it */
	if (is_comment(o, t, inset))
		return SOURCE_COMMENT;
	if (form_is_command(without_bold(t)))
		return SOURCE_COMMAND;
	if (form_is_setting(t))
		return SOURCE_SETTING;
	if (form_is_statement(t))
		return SOURCE_CODE;
	if (form_speaks(t, fenced))
		return SOURCE_PROSE;
	if (fenced)
		return SOURCE_OUTPUT;
	/* a block is one thing, where nothing tells otherwise */
	return o->last == SOURCE_OUTPUT || o->last == SOURCE_TRACE || (o->last == SOURCE_CODE && inset) ? o->last : SOURCE_UNSURE;
}

#define INSET	2		/* blanks, which a mail's quote does not have */

static bool
is_inset(struct talk line, const char *at)
{
	const char *s = at;

	while (s > line.s && (s[-1] == ' ' || s[-1] == '\t'))
		s--;
	return at - s >= INSET || (at > s && at[-1] == '\t');
}

/* Is what stands behind T within "<!--": which of both signs stands last? */
static bool
is_hidden_behind(struct talk t)
{
	const char *at = NULL;
	bool hidden = false;
	size_t n;

	while (talk_next_phrase(t, "<!--|-->", &at, &n))
		hidden = *at == '<';
	return hidden;
}

/* "# a", "- a", "* a", "**a", "1. a" */
static bool
is_marked(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;

	if (end - s < 3)
		return false;
	if (is_digit(*s))
		return s[1] == '.' && s[2] == ' ';
	for (; s < end && memchr("#-*", *s, 3) && *s == *t.s; s++)
		;
	return s > t.s && s < end && (*s == ' ' || (*t.s == '*' && s - t.s == 2));
}

/* "## What happened", "**Describe the bug**": a title by itself on a line. */
static bool
is_heading(struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;

	while (s < end && *s == '#')
		s++;
	return (s > t.s && s < end && *s == ' ') || (t.n > 4 && memcmp(t.s, "**", 2) == 0 && memcmp(end - 2, "**", 2) == 0);
}

/* "- [ ] I use several devices": an item of a form that was not ticked. */
static bool
is_unticked(struct talk t)
{
	return t.n > 5 && memchr("-*+", *t.s, 3) && memcmp(t.s + 1, " [ ]", 4) == 0;
}

/* Is it in a comment of Markdown? People delete the "-->" of a form: it ends where a program
 * speaks, at a fence, and at a title behind a blank line, of which there are none in it. */
static bool
is_hidden(struct oom_sources *o, struct talk line, struct talk t, bool of_program, bool fence)
{
	bool ends = of_program || fence || (o->last == SOURCE_NONE && is_heading(t));
	bool hidden = (o->hidden && !ends) || (!o->fenced && talk_first(t, "<!--") == t.s);

	o->hidden &= !ends;
	if (!o->fenced && !fence && talk_first(line, "<!--|-->"))
		o->hidden = is_hidden_behind(line);
	return hidden;
}

enum oom_source
oom_source_of(struct oom_sources *o, struct talk line)
{
	struct talk t = trimmed(line);
	bool inset = t.n > 0 && is_inset(line, t.s), of_program;
	int fences = oom_fences(line), marks = count_of(line, "\"\"\"") + count_of(line, "'''");
	enum oom_source source;

	o->marked = !o->fenced && is_marked(t);
	source = fences % 2 && !memchr(t.s, ' ', t.n) ? SOURCE_NONE :	/* with a language's name, or without */
	    by_form(o, t, o->fenced || fences > 1, inset);
	of_program = source == SOURCE_TRACE || (t.n > 0 && form_is_output(t, o->fenced));
	o->quoted &= !of_program;			/* no text goes on that far */
	source = (is_hidden(o, line, t, of_program, fences % 2) || o->quoted || (!o->fenced && is_unticked(t))) && t.n > 0 ? SOURCE_COMMENT : source;
	if (marks % 2 && (o->quoted || source == SOURCE_CODE || marks * 3 == (int)t.n || o->last == SOURCE_CODE)) {
		o->quoted = !o->quoted;
		source = source == SOURCE_PROSE || source == SOURCE_UNSURE ? SOURCE_COMMENT : source;
	}
	if (fences % 2) {
		o->fenced = !o->fenced;
		o->quoted = false;
	}
	o->called = source == SOURCE_TRACE && form_is_call(t);
	o->last = source;
	return source;
}

bool
oom_source_is_evidence(enum oom_source source)
{
	return source >= SOURCE_OUTPUT && source <= SOURCE_CODE;
}
