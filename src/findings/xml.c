/* Text in XML 1.0, which has no way to write most control characters. */
#include "findings/report.h"

#include <string.h>

#include "base/utf8.h"

static void
put(FILE *f, const char *s, size_t n, uint32_t c)
{
	switch (c) {
	case '<':
		fputs("&lt;", f);
		break;
	case '>':
		fputs("&gt;", f);
		break;
	case '&':
		fputs("&amp;", f);
		break;
	case '"':
		fputs("&quot;", f);
		break;
	case '\n':	/* a plain one in an attribute would be read as a blank */
		fputs("&#10;", f);
		break;
	default:
		if (utf8_hidden(c) || c == 0xfffe || c == 0xffff)
			fprintf(f, c < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)c);
		else
			fwrite(s, 1, n, f);
	}
}

void
report_xml(FILE *f, const char *s)
{
	size_t n = strlen(s), i, took;
	uint32_t c;
	int good;

	for (i = 0; i < n; i += took) {
		took = utf8_decode(s + i, n - i, &c, &good);
		if (good)
			put(f, s + i, took, c);
		else
			fputs("\xef\xbf\xbd", f);
	}
}
