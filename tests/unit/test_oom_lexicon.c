/* Lists of words: what a lexicon finds is what a search for each word by itself finds, in any text
 * and any part of it. */
#include <criterion/criterion.h>

#include <string.h>

#include "oom/oom_lexicon.h"

static struct arena *arena;

static void
begin(void)
{
	arena = arena_new();
}

static void
end(void)
{
	arena_free(arena);
}

TestSuite(oom_lexicon, .init = begin, .fini = end);

static struct talk
read_text(struct lexicon *l, const char *text)
{
	return lexicon_read(l, text, strlen(text));
}

Test(oom_lexicon, words_and_phrases)
{
	struct lexicon *l = lexicon_new(arena);
	struct talk t = read_text(l, "The GPU's memory ran Out of room; batches of 8");
	size_t n;

	cr_expect(talk_any_of(t, "tch"));
	cr_expect_not(talk_any_begins(t, "atch emory"));
	cr_expect(talk_any_begins(t, "atch batch"));
	cr_expect_not(talk_any_whole(t, "batch mem gp"));
	cr_expect(talk_any_whole(t, "batch mem gpu"));
	cr_expect(talk_any_phrase(t, "no room|out of room"));
	cr_expect_not(talk_any_phrase(t, "no room|out of  room"));
	cr_expect_eq(talk_find_whole(t, "of|memory", &n), t.s + 10, "the first in the text");
	cr_expect_eq(n, 6);
	cr_expect_eq(talk_find_whole(t, "ran|ran out", &n), t.s + 17);
	cr_expect_eq(n, 3, "of two that begin there, the first of the list");
	cr_expect_null(talk_find_whole(t, "batch|emory", &n));
	cr_expect(talk_is_one_of(talk_head(t, t.s + 4, 3), "cpu gpu"));
	cr_expect_not(talk_is_one_of(talk_head(t, t.s + 4, 5), "cpu gpu"));
	cr_expect_not(talk_any_of(t, ""));
	cr_expect_not(talk_any_of(read_text(l, ""), "tch"));
}

Test(oom_lexicon, a_part_knows_only_its_own)
{
	static const char list[] = "memory";
	struct talk t = read_text(lexicon_new(arena), "memory xmemoryx memory");
	const char *at = NULL;
	size_t n;
	int found = 0;

	while (talk_next_phrase(t, list, &at, &n))
		found++;
	cr_expect_eq(found, 3);
	cr_expect_eq(talk_first(talk_part(t, t.s + 1, t.s + 22), list), t.s + 8);
	cr_expect_null(talk_first(talk_part(t, t.s + 1, t.s + 13), list));
	cr_expect(talk_any_whole(talk_part(t, t.s + 8, t.s + 14), list), "cut out it stands by itself");
	cr_expect_not(talk_any_whole(talk_part(t, t.s + 7, t.s + 15), list));
}

Test(oom_lexicon, clauses)
{
	struct lexicon *l = lexicon_new(arena);
	struct talk t = read_text(l, "I tried, but it works. Then it fails but not here.");
	struct talk c = talk_clause(t, strstr(t.s, "fails"), 5);

	cr_expect_eq(c.n, strlen(" Then it fails"));
	cr_expect_eq(strncmp(c.s, " Then it fails", c.n), 0);
	c = talk_clause(t, strstr(t.s, "here"), 4);
	cr_expect_eq(strncmp(c.s, "not here", 8), 0);
	cr_expect_eq(c.n, 8, "a stop at the end");
	c = talk_clause(t, strstr(t.s, "works"), 5);
	cr_expect_eq(strncmp(c.s, "it works", 8), 0);
	cr_expect_eq(c.n, 8);
	c = talk_clause(talk_part(t, t.s, t.s + 5), t.s + 2, 2);
	cr_expect_eq(c.n, 5, "no further than the part");
}

/* How many of the phrases of LIST, which strokes part, a search for each finds at S. */
static size_t
count_at(struct talk t, const char *s, const char *list)
{
	struct piece here = { s, (size_t)(t.s + t.n - s) };
	char phrase[LEXICON_LONGEST];
	size_t n, found = 0;

	for (; *list; list += n + (list[n] == '|')) {
		n = strcspn(list, "|");
		memcpy(phrase, list, n);
		phrase[n] = '\0';
		found += piece_find(here, phrase) == s;
	}
	return found;
}

Test(oom_lexicon, any_text_has_what_a_search_for_each_word_finds)
{
	static const char *const list[] = { "a", "ab", "aba", "b a", "bab", "ba ab", "aab|b|ab a", "b|ba|a a" };
	static const char signs[] = "aAbB ,";
	struct lexicon *l = lexicon_new(arena);
	unsigned seed = 7;
	char text[40];
	int round, part;
	size_t i, k;

	for (round = 0; round < 3000; round++) {
		struct talk t;

		for (i = 0; i < sizeof(text); i++) {
			seed = seed * 1103515245u + 12345u;
			text[i] = signs[(seed >> 16) % (sizeof(signs) - 1)];
		}
		t = lexicon_read(l, text, sizeof(text));
		for (part = 0; part < 3; part++, t = talk_part(t, t.s + part, t.s + t.n - 2 * part))
			for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
				const char *at = NULL, *first = NULL, *s = t.s, *to = t.s + t.n;
				size_t n, found = 0, wanted = 0;

				for (k = 0; k < t.n; k++) {
					wanted += count_at(t, s + k, list[i]);
					first = wanted && !first ? s + k : first;
				}
				while (talk_next_phrase(t, list[i], &at, &n)) {
					cr_assert(count_at(t, at, list[i]) && at < to);
					found++;
				}
				cr_assert_eq(found, wanted, "%s in %.*s: %zu, not %zu", list[i], (int)t.n, t.s, found, wanted);
				cr_assert_eq(talk_first(t, list[i]), first);
				cr_assert_eq(talk_any_phrase(t, list[i]), first != NULL);
				cr_assert_eq(talk_any_whole(t, list[i]), piece_any_whole(talk_piece(t), list[i]));
				cr_assert_eq(talk_any_begins(t, list[i]), piece_any_begins(talk_piece(t), list[i]));
				cr_assert_eq(talk_any_of(t, list[i]), piece_any_of(talk_piece(t), list[i]));
			}
	}
}

/* A list that is asked for late is looked for in the text that was read before. */
Test(oom_lexicon, a_list_is_learned_when_it_is_asked_for)
{
	struct lexicon *l = lexicon_new(arena);
	struct talk t = read_text(l, "one two three");

	cr_expect(talk_any_whole(t, "two"));
	cr_expect(talk_any_whole(t, "three four"));
	cr_expect(talk_any_whole(t, "two"), "and the first is still known");
	t = read_text(l, "four");
	cr_expect_not(talk_any_whole(t, "two"));
}
