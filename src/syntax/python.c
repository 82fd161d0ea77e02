/*
 * A file that is Python: someone pasted a model of PyTorch or Keras. To read it as a spec makes
 * mistakes of its lines one by one, so it is told as a whole, from two signs: a line that only
 * Python has, and no line that begins an item of a spec.
 */
#include "syntax/parse.h"

#include <string.h>

#include "base/ascii.h"
#include "syntax/words.h"

struct line {
	const char *s;		/* behind its blanks */
	size_t n;		/* without what ends it, and blanks before that */
	bool indented;
};

static bool
begins(const struct line *l, const char *word)
{
	size_t n = strlen(word);

	return l->n > n && memcmp(l->s, word, n) == 0 && (l->s[n] == ' ' || l->s[n] == '\t');
}

static bool
holds(const struct line *l, const char *words)
{
	return memmem(l->s, l->n, words, strlen(words)) != NULL;
}

/* network lenet5 {, train {, use "blocks.nn": not train(model) and device = 0. */
static bool
is_item(const struct line *l)
{
	static const char *const items[] = { "network", "block", "param", "use", "train", "validate", "device", "lint" };
	size_t i, n;

	for (i = 0; i < sizeof(items) / sizeof(*items) && !l->indented; i++) {
		const char *rest = l->s + (n = strlen(items[i]));

		if (l->n > n && memcmp(l->s, items[i], n) == 0) {
			rest += strspn(rest, " \t");
			if (*rest == '{' || *rest == '"' || (rest > l->s + n && is_letter(*rest)))
				return true;
		}
	}
	return false;
}

static bool
is_statement(const struct line *l)
{
	bool opens = l->n > 0 && l->s[l->n - 1] == ':';

	return begins(l, "import") || (begins(l, "from") && holds(l, " import ")) || (begins(l, "class") && opens) ||
	    (begins(l, "def") && holds(l, "(") && opens) || holds(l, "nn.Sequential(") || holds(l, "keras.") ||
	    holds(l, "Sequential([") || holds(l, "self.");
}

static struct line
line_at(const char *s)
{
	struct line l = { .s = s + strspn(s, " \t"), .n = 0 };

	l.indented = l.s > s;
	l.n = strcspn(l.s, "\n");
	while (l.n > 0 && (l.s[l.n - 1] == ' ' || l.s[l.n - 1] == '\t' || l.s[l.n - 1] == '\r'))
		l.n--;
	return l;
}

bool
python_reported(struct parse *p)
{
	const char *text = p->src->text, *s;
	struct line l, first = { .s = NULL };
	struct loc loc;

	for (s = text; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		l = line_at(s);
		if (l.n == 0 || *l.s == '#')
			continue;
		if (is_item(&l))
			return false;
		if (!first.s && is_statement(&l))
			first = l;
	}
	if (!first.s)
		return false;
	loc = (struct loc){ p->src, (int)(first.s - text), (int)(first.s - text) + (int)first.n };
	diag_help(p->diags, syntax_error(p, loc, "this is Python, and no spec"), "%s", PYTHON_CURE);
	return true;
}
