/*
 * A fuzzer of words that people write and that are shown to them; see fuzz.h. Cards by name, the
 * nearest word of several against a slow distance, what stands in place of control characters, and
 * JSON of any bytes, which must be UTF-8 and without a raw control character.
 */
#include <stdlib.h>

#include "base/json.h"
#include "base/print.h"
#include "base/text.h"
#include "base/utf8.h"
#include "lint/levels.h"
#include "syntax/words.h"
#include "target/gpu.h"

#include "fuzz.h"

#define LONGEST_WORD	70	/* longer ones have no distance */
#define MOST_CARDS	8
#define MOST_LINES	4

static const char *const words[] = {
	"RTX 3090", "rtx", "geforce ", "NVIDIA ", "tesla", " ti", "Ti", "A100", "80GB", "gb", "super", "4090", "H100 PCIe",
	" ", "-", "oom", "dead-layer", "memory", "all", "epochs", "step", "network", "batch", "optimizer", "\n", "\t",
	"\x1b[31m", "\x7f", "\xc2\x85", "\xe2\x80\xae", "\xef\xbb\xbf", "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80",
	"\xff", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\"", "\\", "</script>", "<!--", "\xe2\x80\xa8",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	int edits;

	(void)from;
	(void)nfrom;
	for (edits = 1 + (int)fuzz_below(5); edits > 0; edits--)
		fuzz_edit(t, words, COUNT_OF(words), 6);
}

/* ---- distance ---- */

static int
least(int a, int b)
{
	return a < b ? a : b;
}

/* The whole table. */
static int
distance(const char *a, const char *b)
{
	static int d[LONGEST_WORD + 1][LONGEST_WORD + 1];
	int n = (int)strlen(a), m = (int)strlen(b), i, k;

	for (i = 0; i <= n; i++)
		for (k = 0; k <= m; k++) {
			if (i == 0 || k == 0) {
				d[i][k] = i + k;
				continue;
			}
			d[i][k] = least(d[i - 1][k - 1] + (a[i - 1] != b[k - 1]), least(d[i - 1][k], d[i][k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	return d[n][m];
}

static void
check_distance(const char *a, const char *b)
{
	int limit = (int)fuzz_below(8), is = text_distance(a, b, limit), want = distance(a, b);

	if (strlen(a) > 64 || strlen(b) > 64)
		return;
	if (want <= limit ? is != want : is <= limit)
		fuzz_failed("another distance");
}

/* ---- cards ---- */

static void
check_card(const char *name)
{
	const struct gpu *card = gpu_find(name), *out[MOST_CARDS];
	int n = gpu_suggest(name, out, MOST_CARDS), i;

	if (n < 0 || n > MOST_CARDS)
		fuzz_failed("more cards than asked for");
	for (i = 0; i < n; i++)
		if (gpu_find(out[i]->name) != out[i])
			fuzz_failed("a card that its own name does not find");
	if (card && gpu_memory(card) <= 0)
		fuzz_failed("a card without memory");
}

/* ---- what is shown ---- */

static void
check_shown(const char *s)
{
	size_t n = strlen(s), at;
	uint32_t c;
	int good;

	for (at = 0; at < n; at += utf8_decode(s + at, n - at, &c, &good)) {
		utf8_decode(s + at, n - at, &c, &good);
		if (!good || utf8_hidden(c) || utf8_width(c) < 0 || utf8_width(c) > 2)
			fuzz_failed("a character that is not shown");
	}
}

static void
check_json(const char *text, bool in_page)
{
	char *out = NULL;
	size_t n, at, took;
	struct json j;
	uint32_t c;
	int good;
	FILE *f = open_memstream(&out, &n);

	if (!f)
		fuzz_failed("out of memory");
	jsonw_begin(&j, f);
	j.in_page = in_page;
	jsonw_flat_array(&j, NULL);
	jsonw_string(&j, NULL, text);
	jsonw_end(&j);
	jsonw_finish(&j);
	fclose(f);
	if (n < 5 || strncmp(out, "[\"", 2) != 0 || strcmp(out + n - 3, "\"]\n") != 0)
		fuzz_failed("JSON of another form");
	for (at = 2; at < n - 3; at += took) {
		took = utf8_decode(out + at, n - at, &c, &good);
		if (!good || c < 0x20 || c == '"')
			fuzz_failed("JSON that is none");
		if (c == '\\' && !strchr("\"\\/bfnrtu", out[at + 1]))
			fuzz_failed("an escape that is none");
		took += c == '\\';
		if (in_page && c == '<' && (out[at + 1] == '/' || out[at + 1] == '!'))
			fuzz_failed("a script that a string ends");
	}
	if (at != n - 3)
		fuzz_failed("a string that does not end");
	free(out);
}

/* ---- a case ---- */

/* The words are the lines. */
static long
try(const struct sample *t)
{
	struct arena *a = fuzz_arena();
	const char *before = "", *why, *near;
	char word[LONGEST_WORD + 1], *all = arena_strndup(a, t->text, t->n), *line, *next;
	struct selection s;
	long found = 0;
	int token, lines = 0;

	check_shown(visible_text(a, all));
	check_json(all, false);
	check_json(all, true);
	for (line = all; line && lines++ < MOST_LINES; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		snprintf(word, sizeof(word), "%s", line);
		check_card(word);
		found += gpu_find(word) != NULL;
		if (selection_read(a, word, &s, &why, &near))
			found += selection_name(&s) != NULL;
		found += word_near_duration(word) || word_near_keyword(word, WORDS_FILE, &token) ||
		    word_near_keyword(word, WORDS_STATEMENT, &token);
		check_distance(before, word);
		before = arena_strdup(a, word);
	}
	return found;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_words",
	.outcome = "words known or nearly",
	.longest = 160,
	.mutate = mutate,
	.try = try,
};
