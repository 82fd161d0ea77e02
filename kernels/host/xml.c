/*
 * xml.c - XML as descriptions of pictures have it: elements, text and comments. Attributes and what
 * is said to programs are passed over; declarations of types, with which a text could be made to
 * grow or to read other files, are refused.
 */
#define XML_PATH	256	/* bytes of all names from the first element on */

struct xml {
	const char *path;	/* of the file */
	const char *text, *at, *end;
	char where[XML_PATH];	/* "annotation/object/name" */
	bool closes;		/* the element that was opened is empty: <name/> */
};

__attribute__((noreturn)) static void
xml_fail(const struct xml *x, const char *expected)
{
	long long line = 1;

	for (const char *p = x->text; p < x->at && p < x->end; p++)
		line += *p == '\n';
	fail("%s:%lld: corrupt: expected %s", x->path, line, expected);
}

static struct xml
xml_of(const struct mapped *f)
{
	struct xml x;

	memset(&x, 0, sizeof(x));
	x.path = f->name;
	x.text = x.at = (const char *)f->bytes;
	x.end = x.text + f->size;
	return x;
}

/* Behind that text. */
static void
xml_pass(struct xml *x, const char *text)
{
	size_t n = strlen(text);

	while ((size_t)(x->end - x->at) >= n && memcmp(x->at, text, n))
		x->at++;
	if ((size_t)(x->end - x->at) < n)
		xml_fail(x, text);
	x->at += n;
}

static bool
xml_is(const struct xml *x, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(x->end - x->at) >= n && !memcmp(x->at, text, n);
}

/* To the next element's begin or end; false behind the last. */
static bool
xml_find(struct xml *x)
{
	for (;;) {
		while (x->at < x->end && *x->at != '<')
			x->at++;
		if (x->at == x->end)
			return false;
		if (xml_is(x, "<!--"))
			xml_pass(x, "-->");
		else if (xml_is(x, "<?"))
			xml_pass(x, "?>");
		else if (xml_is(x, "<!"))
			xml_fail(x, "an element: declarations are not read");
		else
			return true;
	}
}

/* The name of an element, at its begin. */
static int
xml_name(struct xml *x, const char **name)
{
	*name = x->at;
	while (x->at < x->end && *x->at && !strchr(" \t\r\n/><=\"'", *x->at))
		x->at++;
	if (x->at == *name || x->at - *name > 64)
		xml_fail(x, "the name of an element");
	return (int)(x->at - *name);
}

/* To the end of a tag, over its attributes. */
static void
xml_tag_end(struct xml *x)
{
	char quote = '\0';

	for (; x->at < x->end && (quote || *x->at != '>'); x->at++) {
		if (quote && *x->at == quote)
			quote = '\0';
		else if (!quote && (*x->at == '"' || *x->at == '\''))
			quote = *x->at;
	}
	if (x->at == x->end)
		xml_fail(x, ">");
	x->closes = x->at[-1] == '/';
	x->at++;
}

/* The element that x->where names ends. */
static void
xml_leave(struct xml *x)
{
	char *last = strrchr(x->where, '/');

	*(last ? last : x->where) = '\0';
	x->closes = false;
}

/* Is the end of the element that is open here? Then it is passed. */
static void
xml_close(struct xml *x)
{
	const char *last = strrchr(x->where, '/'), *open = last ? last + 1 : x->where, *name;
	int n;

	x->at += 2;
	n = xml_name(x, &name);
	if ((int)strlen(open) != n || memcmp(open, name, (size_t)n))
		xml_fail(x, "the end of the element that is open");
	xml_tag_end(x);
	xml_leave(x);
}

/* The next element begins, whose name is then the last of x->where; or (*ENDS) the one that
 * x->where names ends, and is left when the next is asked for. False behind the last. */
static bool
xml_next(struct xml *x, bool *ends)
{
	const char *name;
	size_t have = strlen(x->where);
	int n;

	if (*ends && !x->closes)
		xml_close(x);
	else if (*ends)
		xml_leave(x);
	have = strlen(x->where);
	*ends = x->closes;
	if (*ends)
		return true;
	if (!xml_find(x)) {
		if (have)
			xml_fail(x, "the end of the element that is open");
		return false;
	}
	*ends = xml_is(x, "</");
	if (*ends && !have)
		xml_fail(x, "the begin of an element");
	if (*ends)
		return true;
	x->at++;
	n = xml_name(x, &name);
	if (have + (size_t)n + 2 > sizeof(x->where))
		xml_fail(x, "an element that is nested less deeply");
	snprintf(x->where + have, sizeof(x->where) - have, "%s%.*s", have ? "/" : "", n, name);
	xml_tag_end(x);
	return true;
}

/* The text of the element that has just begun, without blanks around it. */
static void
xml_text(const struct xml *x, char *out, size_t size)
{
	static const struct { const char *name; char c; } known[] = {
		{ "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&apos;", '\'' },
	};
	struct xml at = *x;
	size_t n = 0;

	while (!x->closes && at.at < at.end && *at.at != '<') {
		char c = *at.at++;

		for (int i = 0; c == '&' && i < 5; i++) {
			at.at--;
			if (xml_is(&at, known[i].name)) {
				at.at += strlen(known[i].name) - 1;
				c = known[i].c;
			}
			at.at++;
		}
		if (n + 1 >= size)
			xml_fail(x, "a shorter text");
		if (n || !strchr(" \t\r\n", c))
			out[n++] = c;
	}
	while (n && strchr(" \t\r\n", out[n - 1]))
		n--;
	out[n] = '\0';
}
