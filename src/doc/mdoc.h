/* What the generators of manual pages share: text into mdoc(7) that passes mandoc's lint. Header
 * only, since each generator is one small program of the build. */
#ifndef STOWAGE_DOC_MDOC_H
#define STOWAGE_DOC_MDOC_H

#include <config.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define MDOC_WIDTH	76

/* One word, its special characters escaped; returns the columns it takes in the source. */
static inline int
mdoc_word(const char *s, size_t n, int first)
{
	int columns = 0;
	uint32_t c;
	size_t i, took;

	if (first && (*s == '.' || *s == '\''))
		columns += printf("\\&");
	for (i = 0; i < n; i += took) {
		took = utf8_decode(s + i, n - i, &c, NULL);
		if (c == '\\')
			columns += printf("\\e");
		else if (c >= 0x80)
			columns += printf("\\[u%04X]", (unsigned)c);
		else
			columns += printf("%c", (char)c);
	}
	return columns;
}

/* Paragraphs of plain text: words are wrapped, each sentence starts a line, and an empty line
 * becomes .Pp. */
static inline void
mdoc_text(const char *s)
{
	int column = 0;

	while (*s) {
		size_t n = strcspn(s, " \n");

		if (n > 0) {
			if (column > 0 && column + (int)n + 1 > MDOC_WIDTH) {
				putchar('\n');
				column = 0;
			}
			if (column > 0)
				column += printf(" ");
			column += mdoc_word(s, n, column == 0);
			if (strchr(".!?", s[n - 1]) && column > 0) {
				putchar('\n');
				column = 0;
			}
		}
		s += n;
		if (s[0] == '\n' && s[1] == '\n') {
			printf("%s.Pp\n", column > 0 ? "\n" : "");
			column = 0;
		}
		s += strspn(s, " \n");
	}
	if (column > 0)
		putchar('\n');
}

/* A line of a display, broken between words where it is longer, and indented from there on. */
static inline void
mdoc_line(const char *s, int width)
{
	int column = 0;

	while (*s) {
		size_t n = strcspn(s, " ");

		if (column > 0 && column + (int)n + 1 > width)
			column = printf("\n    ") - 1;
		else if (column > 0)
			column += printf(" ");
		column += mdoc_word(s, n, column == 0);
		s += n;
		s += strspn(s, " ");
	}
	putchar('\n');
}

/* A macro's argument: in quotes, since defaults such as "(2, 2)" hold blanks. */
static inline void
mdoc_argument(const char *s)
{
	putchar('"');
	for (; *s; s++)
		if (*s == '"')
			printf("\\(dq");
		else if (*s == '\\')
			printf("\\e");
		else
			putchar(*s);
	putchar('"');
}

static inline void
mdoc_head(const char *title, const char *name, const char *brief)
{
	printf(".\\\" Made from the tables of the program: do not edit.\n"
	    ".Dd " RELEASE_DATE "\n.Dt %s 7\n.Os\n.Sh NAME\n.Nm %s\n.Nd %s\n", title, name,
	    brief);
}

#endif
