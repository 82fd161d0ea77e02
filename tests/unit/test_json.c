/* The JSON writer: structure, numbers that read back the same, and any bytes as a string. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/utf8.h"

static char *text;
static size_t size;

static void
teardown(void)
{
	free(text);
}

TestSuite(json, .fini = teardown);

static struct json
open_writer(void)
{
	struct json j;

	jsonw_begin(&j, open_memstream(&text, &size));
	return j;
}

static const char *
close_writer(struct json *j)
{
	jsonw_finish(j);
	fclose(j->out);
	return text;
}

Test(json, nests_and_separates)
{
	struct json j = open_writer();

	jsonw_object(&j, NULL);
	jsonw_array(&j, "empty");
	jsonw_end(&j);
	jsonw_array(&j, "list");
	jsonw_int(&j, NULL, 1);
	jsonw_flat_object(&j, NULL);
	jsonw_bool(&j, "b", true);
	jsonw_null(&j, "n");
	jsonw_flat_array(&j, "a");
	jsonw_end(&j);
	jsonw_end(&j);
	jsonw_end(&j);
	jsonw_string(&j, "none", NULL);
	cr_expect_str_eq(close_writer(&j),
	    "{\n  \"empty\": [],\n  \"list\": [\n    1,\n"
	    "    {\"b\": true, \"n\": null, \"a\": []}\n  ],\n  \"none\": null\n}\n");
}

Test(json, numbers_are_exact)
{
	struct json j = open_writer();

	jsonw_flat_array(&j, NULL);
	jsonw_int(&j, NULL, INT64_MIN);
	jsonw_int(&j, NULL, INT64_MAX);
	jsonw_real(&j, NULL, 0.1);
	jsonw_real(&j, NULL, 1.0 / 3);
	jsonw_real(&j, NULL, 1e300);
	jsonw_real(&j, NULL, NAN);
	jsonw_real(&j, NULL, INFINITY);
	cr_expect_str_eq(close_writer(&j), "[-9223372036854775808, 9223372036854775807, 0.1, "
	    "0.3333333333333333, 1e+300, null, null]\n");
}

Test(json, any_bytes_become_valid_utf8)
{
	struct json j = open_writer();

	jsonw_flat_array(&j, NULL);
	jsonw_string(&j, NULL, "\"\\/\n\t\r\b\x01\x7f");
	jsonw_string(&j, NULL, "\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80");
	jsonw_string(&j, NULL, "\xff \xc0\x80 \xed\xa0\x80 \xe6\x97");	/* none well-formed */
	cr_expect_str_eq(close_writer(&j),
	    "[\"\\\"\\\\/\\n\\t\\u000d\\u0008\\u0001\\u007f\", "
	    "\"\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80\", "
	    "\"\\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\"]\n");
}

Test(json, utf8_is_decoded_strictly)
{
	uint32_t c;
	int good;

	cr_expect_eq(utf8_decode("\xf4\x8f\xbf\xbf", 4, &c, &good), 4);
	cr_expect(good && c == 0x10ffff);
	cr_expect_eq(utf8_decode("\xf4\x90\x80\x80", 4, &c, &good), 1);
	cr_expect_not(good);
	cr_expect_eq(utf8_decode("\xe2\x82", 2, &c, &good), 1);	/* cut short */
	cr_expect_not(good);
}

/* At the ends of ranges, and what terminals agree on; values of Python's wcwidth for Unicode 14. */
Test(json, widths_are_those_of_unicode)
{
	static const struct {
		uint32_t c;
		int columns;
	} known[] = {
		{ 'a', 1 }, { 0xad, 1 }, { 0xe9, 1 }, { 0x2ff, 1 }, { 0x300, 0 }, { 0x301, 0 },
		{ 0x36f, 0 }, { 0x370, 1 }, { 0x10ff, 1 }, { 0x1100, 2 }, { 0x115f, 2 },
		{ 0x1160, 0 }, { 0x11ff, 0 }, { 0x1200, 1 }, { 0x200b, 0 }, { 0x2014, 1 },
		{ 0x231a, 2 }, { 0x231c, 1 }, { 0x2713, 1 }, { 0x2728, 2 }, { 0x303e, 2 },
		{ 0x303f, 1 }, { 0x3042, 2 }, { 0x3099, 0 }, { 0x65e5, 2 }, { 0x9fff, 2 },
		{ 0xac00, 2 }, { 0xd7a3, 2 }, { 0xfe0f, 0 }, { 0xff21, 2 }, { 0xff60, 2 },
		{ 0xff61, 1 }, { 0x1f600, 2 }, { 0x1f6ff, 1 }, { 0x20000, 2 }, { 0x3fffd, 2 },
		{ 0x3fffe, 1 }, { 0xe0100, 0 }, { 0xe01ef, 0 }, { 0x10ffff, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		cr_expect_eq(utf8_width(known[i].c), known[i].columns, "U+%04X", (unsigned)known[i].c);
}
