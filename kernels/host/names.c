/* names.c - names of files, one after the other, each found by where it begins. */
struct names {			/* one after the other */
	char *text;
	int64_t n, room;
};

static int64_t
names_add(struct names *a, const char *text, size_t n)
{
	int64_t at = a->n;

	if (a->n + (int64_t)n + 1 > a->room) {
		a->room = 2 * a->room + (int64_t)n + 4096;
		a->text = (char *)realloc(a->text, (size_t)a->room);
		if (!a->text)
			fail("no memory for the names of pictures");
	}
	memcpy(a->text + at, text, n);
	a->text[at + (int64_t)n] = '\0';
	a->n += (int64_t)n + 1;
	return at;
}
