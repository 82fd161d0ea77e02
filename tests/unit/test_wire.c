/* Messages as they come over the wire, in one piece and in many. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* it needs no jansson, without which the library does not have it */
#include "lsp/wire.c"

static const char *const headers[] = {
	"Content-Length: %zu\r\n\r\n",
	"content-length:%zu\r\n\r\n",
	"CONTENT-LENGTH:\t %zu \t\r\n\r\n",
	"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %zu\r\n\r\n",
	"Content-Length: %zu\r\nX: Content-Length: 3\r\nEmpty:\r\n\r\n",
};
#define HEADERS	(sizeof(headers) / sizeof(*headers))

static const char *const bodies[] = { "", "{}", "\r\n\r\n", "Content-Length: 3\r\n\r\nabc", "\xc3\xa9\xf0\x9f\x98\x80" };
#define BODIES	(sizeof(bodies) / sizeof(*bodies))

static size_t
put(char *to, const char *header, const char *body)
{
	size_t n = (size_t)sprintf(to, header, strlen(body));

	memcpy(to + n, body, strlen(body));
	return n + strlen(body);
}

/* All headers with all bodies, one after the other, cut into pieces of STEP bytes. */
static void
read_all(size_t step)
{
	char stream[8192];
	size_t n = 0, fed = 0, length, i, k, got = 0;
	struct wire w = { NULL, 0, 0, 0 };
	const char *body, *why;

	for (i = 0; i < HEADERS; i++)
		for (k = 0; k < BODIES; k++)
			n += put(stream + n, headers[i], bodies[k]);
	while (fed < n) {
		size_t piece = n - fed < step ? n - fed : step;
		enum wire_next next;

		cr_assert(wire_feed(&w, stream + fed, piece));
		fed += piece;
		while ((next = wire_next(&w, &body, &length, &why)) == WIRE_MESSAGE) {
			const char *wanted = bodies[got++ % BODIES];

			cr_assert_eq(length, strlen(wanted));
			cr_assert_eq(memcmp(body, wanted, length), 0);
		}
		cr_assert_eq(next, WIRE_MORE, "broken: %s", why);
	}
	cr_assert_eq(got, HEADERS * BODIES);
	wire_free(&w);
}

Test(wire, messages_come_in_pieces_of_any_size)
{
	size_t step;

	for (step = 1; step < 300; step++)
		read_all(step);
	read_all(8192);
}

static enum wire_next
next_of(const char *stream, size_t n)
{
	struct wire w = { NULL, 0, 0, 0 };
	const char *body, *why = NULL;
	enum wire_next next;
	size_t length;

	cr_assert(wire_feed(&w, stream, n));
	next = wire_next(&w, &body, &length, &why);
	cr_assert(next != WIRE_BROKEN || why);
	wire_free(&w);
	return next;
}

Test(wire, what_cannot_be_followed_is_broken)
{
	static const char *const broken[] = {
		"\r\n\r\n", "Content-Type: x\r\n\r\n", "Content-Length: \r\n\r\n", "Content-Length: x\r\n\r\n",
		"Content-Length: 1x\r\n\r\n", "Content-Length: 1 1\r\n\r\n", "Content-Length: -1\r\n\r\n",
		"Content-Length: +1\r\n\r\n", "Content-Length: 0x1\r\n\r\n", "Content-Length: 1.0\r\n\r\n",
		"Content-Length 1\r\n\r\n", " Content-Length: 1\r\n\r\n",
		"Content-Length: 1\r\nContent-Length: 1\r\n\r\nx",
		"Content-Length: 268435457\r\n\r\n",			/* a byte more than WIRE_LONGEST_BODY */
		"Content-Length: 4294967297\r\n\r\nx",			/* 1 in 32 bits */
		"Content-Length: 18446744073709551617\r\n\r\nx",	/* 1 in 64 bits */
		"Content-Length: 1\n\n\r\n\r\n",
	};
	size_t i;

	for (i = 0; i < sizeof(broken) / sizeof(*broken); i++)
		cr_assert_eq(next_of(broken[i], strlen(broken[i])), WIRE_BROKEN, "%s", broken[i]);
}

Test(wire, what_is_not_whole_waits)
{
	static const char *const some[] = { "C", "Content-Length: 2", "Content-Length: 2\r\n\r", "Content-Length: 2\r\n\r\n",
		"Content-Length: 2\r\n\r\nx", "Content-Length: 268435456\r\n\r\nx" };
	size_t i;

	cr_assert_eq(next_of("", 0), WIRE_MORE);
	for (i = 0; i < sizeof(some) / sizeof(*some); i++)
		cr_assert_eq(next_of(some[i], strlen(some[i])), WIRE_MORE, "%s", some[i]);
}

/* WIRE_LONGEST_HEADER bytes are the most that a header may have, its last line end included. */
Test(wire, headers_have_an_end)
{
	char *s = malloc(WIRE_LONGEST_HEADER + 64), end[] = "\r\nContent-Length: 0\r\n\r\n";
	size_t n;

	cr_assert_not_null(s);
	memset(s, 'x', WIRE_LONGEST_HEADER + 64);
	cr_assert_eq(next_of(s, WIRE_LONGEST_HEADER - 1), WIRE_MORE);
	cr_assert_eq(next_of(s, WIRE_LONGEST_HEADER), WIRE_BROKEN);
	for (n = WIRE_LONGEST_HEADER - 40; n < WIRE_LONGEST_HEADER + 40; n++) {
		memset(s, 'x', WIRE_LONGEST_HEADER + 64);
		memcpy(s + n - strlen(end), end, strlen(end));
		cr_assert_eq(next_of(s, n), n <= WIRE_LONGEST_HEADER ? WIRE_MESSAGE : WIRE_BROKEN, "%zu", n);
	}
	free(s);
}

/* The message as it is given out. */
static const char *
mended(const char *body)
{
	static char stream[256], got[128];
	struct wire w = { NULL, 0, 0, 0 };
	const char *out, *why;
	size_t n = put(stream, headers[0], body), length = 0;

	cr_assert(wire_feed(&w, stream, n));
	cr_assert_eq(wire_next(&w, &out, &length, &why), WIRE_MESSAGE);
	cr_assert_eq(length, strlen(body), "a message keeps its length");
	memcpy(got, out, length);
	got[length] = '\0';
	wire_free(&w);
	return got;
}

Test(wire, half_a_character_is_replaced)
{
	static const struct {
		const char *sent, *wanted;
	} some[] = {
		{ "\"\\ud83d\"", "\"\\ufffd\"" },
		{ "\"\\ude00\"", "\"\\ufffd\"" },
		{ "\"\\uD83D x\"", "\"\\ufffd x\"" },
		{ "\"\\ude00\\ud83d\"", "\"\\ufffd\\ufffd\"" },	/* a pair the wrong way round */
		{ "\"\\ud83d\\ud83d\\ude00\"", "\"\\ufffd\\ud83d\\ude00\"" },
		{ "\"\\ud83d\\n\\ude00\"", "\"\\ufffd\\n\\ufffd\"" },
		{ "\"\\\\\\ud83d\"", "\"\\\\\\ufffd\"" },	/* a backslash, then half a character */
		{ "[\"\\udbff\",\"\\udfff\"]", "[\"\\ufffd\",\"\\ufffd\"]" },
		{ "\"\xed\xa0\xbd\"", "\"\xef\xbf\xbd\"" },		/* U+D83D as if it were UTF-8 */
		{ "\"\xed\xbf\xbf\"", "\"\xef\xbf\xbd\"" },
	};
	static const char *const same[] = {
		"\"\\ud83d\\ude00\"", "\"\\uDBFF\\uDFFF\"", "\"\\\\ud83d\"", "\"\\\\\\\\ude00\"",
		"\"\\ud7ff\\ue000\"", "\"\\ud83\"", "\"\\ud83g\"", "\\u", "\\", "\"\\", "\xed", "\xed\xa0",
		"\"\xed\x9f\xbf\xee\x80\x80\"",	/* U+D7FF and U+E000, the nearest that are characters */
	};
	size_t i;

	for (i = 0; i < sizeof(some) / sizeof(*some); i++)
		cr_assert_str_eq(mended(some[i].sent), some[i].wanted);
	for (i = 0; i < sizeof(same) / sizeof(*same); i++)
		cr_assert_str_eq(mended(same[i]), same[i]);
}

Test(wire, what_is_written_can_be_read)
{
	size_t i, n = 0, length;
	char *text = NULL;
	FILE *f = open_memstream(&text, &n);
	struct wire w = { NULL, 0, 0, 0 };
	const char *body, *why;

	for (i = 0; i < BODIES; i++)
		cr_assert(wire_write(f, bodies[i], strlen(bodies[i])));
	fclose(f);
	cr_assert(wire_feed(&w, text, n));
	for (i = 0; i < BODIES; i++) {
		cr_assert_eq(wire_next(&w, &body, &length, &why), WIRE_MESSAGE);
		cr_assert_eq(length, strlen(bodies[i]));
		cr_assert_eq(memcmp(body, bodies[i], length), 0);
	}
	cr_assert_eq(wire_next(&w, &body, &length, &why), WIRE_MORE);
	wire_free(&w);
	free(text);
	cr_assert(!wire_write(fopen("/dev/full", "w"), "x", 1));
}
