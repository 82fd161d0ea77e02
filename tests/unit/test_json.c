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

	json_begin(&j, open_memstream(&text, &size));
	return j;
}

static const char *
close_writer(struct json *j)
{
	json_finish(j);
	fclose(j->out);
	return text;
}

Test(json, nests_and_separates)
{
	struct json j = open_writer();

	json_object(&j, NULL);
	json_array(&j, "empty");
	json_end(&j);
	json_array(&j, "list");
	json_int(&j, NULL, 1);
	json_flat_object(&j, NULL);
	json_bool(&j, "b", true);
	json_null(&j, "n");
	json_flat_array(&j, "a");
	json_end(&j);
	json_end(&j);
	json_end(&j);
	json_string(&j, "none", NULL);
	cr_expect_str_eq(close_writer(&j),
	    "{\n  \"empty\": [],\n  \"list\": [\n    1,\n"
	    "    {\"b\": true, \"n\": null, \"a\": []}\n  ],\n  \"none\": null\n}\n");
}

Test(json, numbers_are_exact)
{
	struct json j = open_writer();

	json_flat_array(&j, NULL);
	json_int(&j, NULL, INT64_MIN);
	json_int(&j, NULL, INT64_MAX);
	json_real(&j, NULL, 0.1);
	json_real(&j, NULL, 1.0 / 3);
	json_real(&j, NULL, 1e300);
	json_real(&j, NULL, NAN);
	json_real(&j, NULL, INFINITY);
	cr_expect_str_eq(close_writer(&j), "[-9223372036854775808, 9223372036854775807, 0.1, "
	    "0.3333333333333333, 1e+300, null, null]\n");
}

Test(json, any_bytes_become_valid_utf8)
{
	struct json j = open_writer();

	json_flat_array(&j, NULL);
	json_string(&j, NULL, "\"\\/\n\t\r\b\x01\x7f");
	json_string(&j, NULL, "\xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x98\x80");
	json_string(&j, NULL, "\xff \xc0\x80 \xed\xa0\x80 \xe6\x97");	/* none well-formed */
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
	cr_expect_eq(utf8_width(0x301), 0);
	cr_expect_eq(utf8_width(0x65e5), 2);
	cr_expect_eq(utf8_width('a'), 1);
}
