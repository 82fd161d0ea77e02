/*
 * A fuzzer of the language server's wire; see fuzz.h. A stream in pieces of random sizes must hold
 * the same messages, and break at the same message, as in one piece; and what is written must be
 * read again.
 */
#include <stdlib.h>

/* it needs no jansson, without which the library does not have it */
#include "lsp/wire.c"

#include "fuzz.h"

#define MOST_MESSAGES	64

static const char *const words[] = {
	"Content-Length: ", "content-length:", "Content-Length: 2\r\n\r\n{}", "Content-Length: 0\r\n\r\n",
	"Content-Length: 13\r\n\r\n{\"method\":\"\"}", "Content-Type: x\r\n", "\r\n", "\r\n\r\n", "\r", "\n", ":", " ", "\t",
	"0", "1", "9", "17", "268435456", "268435457", "99999999999999999999", "-1", "+1", "{}", "\"", "\xff", "\xc3\xa9",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	for (edits = 1 + (int)fuzz_below(4); edits > 0; edits--)
		if (nfrom && fuzz_below(16) == 0)
			fuzz_borrow(t, fuzz_below(t->n + 1), &from[fuzz_below((uint64_t)nfrom)], 100);
		else
			fuzz_edit(t, words, COUNT_OF(words), 10);
}

struct message {
	uint64_t sum;		/* of its bytes */
	size_t n;
};

struct heard {
	struct message message[MOST_MESSAGES];
	int n;
	bool broken;
};

static uint64_t
sum_of(const char *s, size_t n)
{
	uint64_t sum = 14695981039346656037u;
	size_t i;

	for (i = 0; i < n; i++)
		sum = (sum ^ (unsigned char)s[i]) * 1099511628211u;
	return sum;
}

/* What there is so far. */
static void
hear(struct wire *w, struct heard *h)
{
	enum wire_next next = WIRE_MORE;
	const char *body, *why = NULL;
	size_t n;

	while (h->n < MOST_MESSAGES && (next = wire_next(w, &body, &n, &why)) == WIRE_MESSAGE)
		h->message[h->n++] = (struct message){ sum_of(body, n), n };
	if (w->taken > w->n || w->n > w->cap)
		fuzz_failed("more is taken than came");
	if (next == WIRE_BROKEN) {
		if (!why)
			fuzz_failed("broken without a reason");
		h->broken = true;
	}
}

static void
listen(const struct sample *t, bool whole, struct heard *h)
{
	struct wire w = { NULL, 0, 0, 0 };
	size_t at = 0, piece;
	char *copy;

	*h = (struct heard){ .n = 0 };
	while (at < t->n && !h->broken && h->n < MOST_MESSAGES) {
		piece = whole ? t->n : 1 + fuzz_below(fuzz_below(3) ? 6 : t->n - at);
		piece = piece < t->n - at ? piece : t->n - at;
		if (!(copy = malloc(piece)))
			fuzz_failed("out of memory");
		memcpy(copy, t->text + at, piece);
		if (!wire_feed(&w, copy, piece))
			fuzz_failed("out of memory");
		free(copy);
		at += piece;
		hear(&w, h);
	}
	wire_free(&w);
}

/* May it hold half a character, which is read as U+FFFD? */
static bool
may_be_mended(const struct sample *t)
{
	return memchr(t->text, '\\', (size_t)t->n) || memchr(t->text, 0xed, (size_t)t->n);
}

static void
write_and_read(const struct sample *t)
{
	struct heard h = { .n = 0 };
	struct wire w = { NULL, 0, 0, 0 };
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	if (!f || !wire_write(f, t->text, t->n) || !wire_write(f, "", 0))
		fuzz_failed("nothing is written");
	fclose(f);
	if (!wire_feed(&w, out, n))
		fuzz_failed("out of memory");
	hear(&w, &h);
	if (h.n != 2 || h.broken || h.message[0].n != t->n || h.message[1].n ||
	    (!may_be_mended(t) && h.message[0].sum != sum_of(t->text, t->n)))
		fuzz_failed("what is written is read otherwise");
	wire_free(&w);
	free(out);
}

static long
try(const struct sample *t)
{
	struct heard once, bits;
	int i;

	listen(t, true, &once);
	listen(t, false, &bits);
	if (once.n != bits.n || once.broken != bits.broken)
		fuzz_failed("other messages in pieces");
	for (i = 0; i < once.n; i++)
		if (once.message[i].n != bits.message[i].n || once.message[i].sum != bits.message[i].sum)
			fuzz_failed("another message in pieces");
	if (fuzz_below(16) == 0)
		write_and_read(t);
	return once.n;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_wire",
	.outcome = "messages",
	.longest = 1 << 14,
	.mutate = mutate,
	.try = try,
};
