/* Settings and values changed in the text of a spec: what comes out, to the byte. */
#include <criterion/criterion.h>

#include <string.h>

#include "amend/amend.h"

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

TestSuite(amend, .init = setup, .fini = teardown);

#define NET	"network n { input x : f32[4] y = x -> dense(2) }"

static struct amend
amend_of(const char *text)
{
	struct diags *d = ARENA_NEW(arena, struct diags);
	struct amend m;

	diags_init(d, arena);
	amend_init(&m, arena, parse_file(arena, d, source_from_text(arena, "n.nn", text,
	    strlen(text))), "n", NULL);
	cr_assert_eq(d->errors, 0, "%s", d->all.n ? d->all.v[0]->message : "");
	return m;
}

/* What becomes of a text when a setting of train is given a value. */
static const char *
with(const char *text, const char *key, const char *value, const char *after)
{
	struct amend m = amend_of(text);

	cr_expect(amend_set(&m, SEC_TRAIN, key, value, after));
	return edits_apply(amend_done(&m))->text;
}

#define IS(was, key, value, after, is)	cr_expect_str_eq(with(was, key, value, after), is)

Test(amend, a_setting_that_is_there)
{
	IS("train { batch 8 # a\n epochs 2 }" NET, "batch", "4", NULL,
	    "train { batch 4 # a\n epochs 2 }" NET);
	IS("train{batch 2 * (3+1)epochs 2}" NET, "batch", "4", NULL,
	    "train{batch 4 epochs 2}" NET);
	IS("train{batch(2)epochs 2}" NET, "batch", "4", NULL, "train{batch 4 epochs 2}" NET);
	IS("train{freeze(a),b.c}" NET, "freeze", "x", NULL, "train{freeze x}" NET);
	IS("train { freeze a, # why\n  b.c  batch 8 }" NET, "freeze", "x", NULL,
	    "train { freeze x  batch 8 }" NET);
}

Test(amend, a_new_setting_on_a_line_of_its_own)
{
	IS("train {\n  batch     8  # a\n  epochs    2\n}\n" NET, "accumulate", "4", "batch",
	    "train {\n  batch     8  # a\n  accumulate 4\n  epochs    2\n}\n" NET);
}

Test(amend, a_new_setting_is_aligned)
{
	IS("train {\n\tbatch      8\n\tepochs     2\n}\n" NET, "accumulate", "4", "batch",
	    "train {\n\tbatch      8\n\taccumulate 4\n\tepochs     2\n}\n" NET);
	IS("train {\n  batch 8\n}\n" NET, "accumulate", "4", "batch",
	    "train {\n  batch 8\n  accumulate 4\n}\n" NET);
	IS("train {\r\n  batch 8 # a\r\n}\r\n" NET, "clip", "1", NULL,
	    "train {\r\n  batch 8 # a\r\n  clip  1\r\n}\r\n" NET);
}

Test(amend, a_new_setting_on_the_same_line)
{
	IS("train{batch 2*(3+1)epochs 2}" NET, "clip", "1", "batch",
	    "train{batch 2*(3+1)  clip 1 epochs 2}" NET);
	IS("train { batch 8  epochs 2 }" NET, "accumulate", "4", "batch",
	    "train { batch 8  accumulate 4  epochs 2 }" NET);
	IS("train { batch 8 }" NET, "accumulate", "4", "epochs",
	    "train { batch 8  accumulate 4 }" NET);
	IS("train {\n  batch 8   epochs 2\n}" NET, "accumulate", "4", "batch",
	    "train {\n  batch 8  accumulate 4   epochs 2\n}" NET);
	IS("train {\n  epochs 2   batch 8 # a\n}" NET, "accumulate", "4", "batch",
	    "train {\n  epochs 2   batch 8  accumulate 4 # a\n}" NET);
}

Test(amend, a_section_without_settings)
{
	IS("train {}" NET, "clip", "1", NULL, "train { clip 1 }" NET);
	IS("train # { no\n{ # yes\n}" NET, "clip", "1", NULL,
	    "train # { no\n{ clip 1 # yes\n}" NET);
	IS("train n {\n}" NET, "clip", "1", NULL, "train n { clip 1\n}" NET);
}

Test(amend, a_section_that_is_not_there)
{
	struct amend m = amend_of(NET " # net\ndevice { memory 1GiB }\n");

	IS(NET, "clip", "1", NULL, NET "\ntrain { clip 1 }");
	IS(NET "\nnetwork k { input x : f32[2] y = x -> relu }\n", "clip", "1", NULL,
	    NET "\ntrain n { clip 1 }\nnetwork k { input x : f32[2] y = x -> relu }\n");
	cr_expect(amend_set(&m, SEC_TRAIN, "batch", "8", NULL));
	cr_expect(amend_set(&m, SEC_TRAIN, "accumulate", "4", "batch"));
	cr_expect_str_eq(edits_apply(amend_done(&m))->text,
	    NET " # net\ntrain { batch 8  accumulate 4 }\ndevice { memory 1GiB }\n");
}

Test(amend, a_section_of_another_network)
{
	struct amend m = amend_of("train k { batch 3 }\ntrain { batch 2 }\nnetwork k { input x : "
	    "f32[2] y = x -> relu }\n" NET);

	cr_expect_eq(amend_find(&m, SEC_TRAIN, "batch")->value[0]->num.num, 2);
	cr_expect_null(amend_find(&m, SEC_TRAIN, "clip"));
	cr_expect_null(amend_section(&m, SEC_VALIDATE));
}

Test(amend, one_more_value)
{
	struct amend m = amend_of("train { freeze a, b  batch 2 }" NET);

	cr_expect(amend_append(&m, SEC_TRAIN, "freeze", "c"));
	cr_expect_str_eq(edits_apply(amend_done(&m))->text,
	    "train { freeze a, b, c  batch 2 }" NET);
}

Test(amend, the_literal_of_a_param)
{
	IS("param b = 8 # b\ntrain { batch b }" NET, "batch", "4", NULL,
	    "param b = 4 # b\ntrain { batch b }" NET);
	/* one that something else uses too, or that is no literal, is left alone */
	IS("param b = 8\nparam c = b\ntrain { batch b }" NET, "batch", "4", NULL,
	    "param b = 8\nparam c = b\ntrain { batch 4 }" NET);
	IS("param b = 2 * 4\ntrain { batch b }" NET, "batch", "4", NULL,
	    "param b = 2 * 4\ntrain { batch 4 }" NET);
	IS("param b = 8\ntrain { batch 2 * b }" NET, "batch", "4", NULL,
	    "param b = 8\ntrain { batch 4 }" NET);
}

Test(amend, a_param_set_on_the_command_line_is_no_literal)
{
	struct amend m = amend_of("param b = 8\ntrain { batch b }" NET);
	struct lang_define define = { "b", "16" };
	struct lang_options options = { .define = &define, .ndefines = 1 };

	m.options = &options;
	cr_expect(amend_set(&m, SEC_TRAIN, "batch", "4", NULL));
	cr_expect_str_eq(edits_apply(amend_done(&m))->text, "param b = 8\ntrain { batch 4 }" NET);
	cr_expect(m.left && strstr(m.left, "'b' is set with -D"));
}

Test(amend, changes_do_not_meet)
{
	struct amend m = amend_of("train { batch 8 }" NET);

	cr_expect(amend_set(&m, SEC_TRAIN, "batch", "4", NULL));
	cr_expect_not(amend_set(&m, SEC_TRAIN, "batch", "2", NULL));
	cr_expect(amend_set(&m, SEC_TRAIN, "clip", "1", NULL));
	cr_expect(amend_set(&m, SEC_TRAIN, "seed", "2", NULL));
	cr_expect_str_eq(edits_apply(amend_done(&m))->text,
	    "train { batch 4  clip 1  seed 2 }" NET);
}
