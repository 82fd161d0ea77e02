/* Printing what others wrote. */
#include "base/print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

/* What is printed for the first character of S: its bytes in TO, and *TOOK of S. */
static int
spell(const char *s, size_t n, char to[8], size_t *took)
{
	uint32_t c;
	int good;

	*took = utf8_decode(s, n, &c, &good);
	if (!good)
		return snprintf(to, 8, "%s", "\xef\xbf\xbd");
	if (utf8_hidden(c))
		return snprintf(to, 8, c < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)c);
	memcpy(to, s, *took);
	return (int)*took;
}

void
print_visible(FILE *f, const char *s)
{
	size_t n = strlen(s), i, took;
	char to[8];

	for (i = 0; i < n; i += took) {
		took = utf8_plain(s + i, n - i);
		if (took > 0)
			fwrite(s + i, 1, took, f);
		else
			fwrite(to, 1, (size_t)spell(s + i, n - i, to, &took), f);
	}
}

const char *
visible_text(struct arena *a, const char *s)
{
	size_t n = strlen(s), i, took;
	struct text t;
	char to[8];

	text_init(&t, a);
	for (i = 0; i < n; i += took) {
		took = utf8_plain(s + i, n - i);
		if (took > 0)
			text_add(&t, s + i, took);
		else
			text_add(&t, to, (size_t)spell(s + i, n - i, to, &took));
	}
	return t.s;
}

void
print_error(const char *fmt, ...)
{
	char *message;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&message, fmt, ap);
	va_end(ap);
	fputs("stowage: ", stderr);
	print_visible(stderr, n < 0 ? "out of memory" : message);
	putc('\n', stderr);
	if (n >= 0)
		free(message);
}
