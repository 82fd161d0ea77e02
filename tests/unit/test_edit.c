/*
 * Edits of a text and their diffs. What a diff means is asked of patch(1): applied to the old text
 * it must give the new one, for thousands of random texts and edits.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/edit.h"

static struct arena *arena;

static void
setup(void)
{
	arena = arena_new();
	cr_assert(arena);
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(edit, .init = setup, .fini = teardown);

static struct edits
edits_of(const char *path, const char *text)
{
	struct edits e;

	edits_init(&e, arena, source_from_text(arena, path, text, strlen(text)));
	return e;
}

static const char *
diff_of(const struct edits *e)
{
	struct text t;

	text_init(&t, arena);
	edits_diff(e, &t);
	return t.s;
}

Test(edit, replaces_and_inserts_and_leaves_the_rest)
{
	struct edits e = edits_of("x.nn", "one two\tthree # four\r\n");

	cr_expect(edits_add(&e, 8, 13, "3"));
	cr_expect(edits_add(&e, 0, 3, "1"));
	cr_expect(edits_add(&e, 3, 3, " and a half,"));
	cr_expect_str_eq(edits_apply(&e)->text, "1 and a half, two\t3 # four\r\n");
	cr_expect_str_eq(edits_apply(&e)->path, "x.nn");
}

Test(edit, insertions_at_one_place_keep_their_order)
{
	struct edits e = edits_of("x", "ac");

	cr_expect(edits_add(&e, 1, 2, "C"));
	cr_expect(edits_add(&e, 1, 1, "b"));
	cr_expect(edits_add(&e, 1, 1, "B"));
	cr_expect(edits_add(&e, 2, 2, "d"));
	cr_expect_str_eq(edits_apply(&e)->text, "abBCd");
}

Test(edit, what_overlaps_is_refused)
{
	struct edits e = edits_of("x", "0123456789");

	cr_expect(edits_add(&e, 2, 5, "x"));
	cr_expect(edits_add(&e, 2, 5, "x"), "the same once more");
	cr_expect_not(edits_add(&e, 2, 5, "y"));
	cr_expect_not(edits_add(&e, 4, 6, "x"));
	cr_expect_not(edits_add(&e, 0, 3, "x"));
	cr_expect_not(edits_add(&e, 3, 3, "x"));
	cr_expect_not(edits_add(&e, 2, 3, "x"));
	cr_expect_not(edits_add(&e, 5, 11, "x"));
	cr_expect_not(edits_add(&e, -1, 0, "x"));
	cr_expect_not(edits_add(&e, 7, 6, "x"));
	cr_expect(edits_add(&e, 5, 6, "z"));
	cr_expect(edits_add(&e, 2, 2, "a"));
	cr_expect_str_eq(edits_apply(&e)->text, "01axz6789");
}

Test(edit, a_diff_by_hand)
{
	struct edits e = edits_of("net.nn", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n");

	cr_expect(edits_add(&e, 8, 9, "E"));		/* line 5 */
	cr_expect(edits_add(&e, 24, 24, "L\n"));	/* before line 13 */
	cr_expect_str_eq(diff_of(&e), "--- a/net.nn\n+++ b/net.nn\n"
	    "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n"
	    "@@ -10,4 +10,5 @@\n j\n k\n l\n+L\n m\n");
}

Test(edit, a_diff_without_a_last_newline)
{
	struct edits e = edits_of("/x y", "a\nb");

	cr_expect(edits_add(&e, 3, 3, "\nc\n"));
	cr_expect_str_eq(diff_of(&e), "--- /x y\t\n+++ /x y\t\n@@ -1,2 +1,3 @@\n a\n-b\n"
	    "\\ No newline at end of file\n+b\n+c\n");
}

Test(edit, no_change_is_no_diff)
{
	struct edits e = edits_of("x", "a\nb\n");

	cr_expect_str_eq(diff_of(&e), "");
	cr_expect(edits_add(&e, 2, 3, "b"));
	cr_expect_str_eq(diff_of(&e), "");
	e = edits_of("x", "a\n\nb\n");		/* one empty line goes, another comes */
	cr_expect(edits_add(&e, 2, 3, ""));
	cr_expect(edits_add(&e, 1, 1, "\n"));
	cr_expect_str_eq(edits_apply(&e)->text, "a\n\nb\n");
	cr_expect_str_eq(diff_of(&e), "");
	e = edits_of("x", "");
	cr_expect(edits_add(&e, 0, 0, "a\n"));
	cr_expect_str_eq(diff_of(&e), "--- a/x\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n");
}

/* ---- against patch(1) ---- */

static unsigned
below(unsigned *state, unsigned n)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % n;
}

static const char *
random_text(unsigned *state, unsigned most)
{
	static const char letters[] = "aab\n\n \r";
	unsigned n = below(state, most), i;
	char *s = arena_alloc(arena, n + 1);

	for (i = 0; i < n; i++)
		s[i] = letters[below(state, sizeof(letters) - 1)];
	return s;
}

static void
write_file(const char *path, const char *s)
{
	FILE *f = fopen(path, "wb");

	cr_assert(f);
	fputs(s, f);
	fclose(f);
}

Test(edit, patch_agrees)
{
	char folder[] = "/tmp/test_edit.XXXXXX", command[200];
	unsigned state = 7;
	int round, k;

	if (system("command -v patch > /dev/null 2>&1") != 0)
		cr_skip_test("there is no patch(1)");
	cr_assert(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	for (round = 0; round < 300; round++) {
		struct edits e = edits_of("old", random_text(&state, 80));
		const char *why;

		for (k = 0; k < 4; k++) {
			int beg = (int)below(&state, (unsigned)e.src->size + 1);
			int n = (int)below(&state, 9);

			edits_add(&e, beg, beg + n > e.src->size ? e.src->size : beg + n,
			    random_text(&state, 6));
		}
		if (!*diff_of(&e))
			continue;
		write_file("old", e.src->text);
		write_file("diff", diff_of(&e));
		snprintf(command, sizeof(command), "patch -s -p1 --binary -F0 < diff && touch old");
		cr_assert_eq(system(command), 0, "round %d: %s", round, diff_of(&e));
		cr_assert_str_eq(source_read(arena, "old", &why)->text, edits_apply(&e)->text,
		    "round %d", round);
	}
	cr_assert_eq(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}
