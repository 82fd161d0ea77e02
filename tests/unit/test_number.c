/* Exact numbers: arithmetic in lowest terms, overflow told and never wrapped, reading, writing. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "syntax/number.h"

static struct number
read_number(const char *s)
{
	struct number n = number_int(-77);

	cr_assert(number_parse(s, (int)strlen(s), &n), "%s is not read", s);
	return n;
}

static void
is_ratio(struct number n, int64_t num, int64_t den)
{
	cr_assert(n.exact);
	cr_assert_eq(n.num, num, "%lld/%lld", (long long)n.num, (long long)n.den);
	cr_assert_eq(n.den, den, "%lld/%lld", (long long)n.num, (long long)n.den);
	cr_assert_eq(n.real, (double)num / (double)den);
}

static struct number
ratio_of(int64_t num, int64_t den)
{
	struct number n;

	cr_assert(number_div(number_int(num), number_int(den), &n));
	return n;
}

Test(number, reads_decimals_exactly)
{
	is_ratio(read_number("0"), 0, 1);
	is_ratio(read_number("000"), 0, 1);
	is_ratio(read_number("12"), 12, 1);
	is_ratio(read_number("0.1"), 1, 10);
	is_ratio(read_number("2.50"), 5, 2);
	is_ratio(read_number("1e-3"), 1, 1000);
	is_ratio(read_number("1.5E+2"), 150, 1);
	is_ratio(read_number("120e-1"), 12, 1);
	is_ratio(read_number("1_000_000"), 1000000, 1);
	is_ratio(read_number("1e18"), 1000000000000000000, 1);
	is_ratio(read_number("0.000000000000000001"), 1, 1000000000000000000);
	is_ratio(read_number("9223372036854775807"), INT64_MAX, 1);
	is_ratio(read_number("1.0000000000000000000000000000000000000000000000"), 1, 1);
	is_ratio(read_number("0e999999999999"), 0, 1);
	is_ratio(read_number("100000000000000000000000e-23"), 1, 1);
}

Test(number, reads_hexadecimal)
{
	is_ratio(read_number("0x1f"), 31, 1);
	is_ratio(read_number("0XFF_FF"), 65535, 1);
	is_ratio(read_number("0x7fffffffffffffff"), INT64_MAX, 1);
	cr_assert_not(read_number("0x8000000000000000").exact);
	cr_assert_eq(read_number("0x8000000000000000").real, 0x1p63);
}

Test(number, what_is_not_exact_is_the_nearest_double)
{
	cr_assert_not(read_number("9223372036854775808").exact);
	cr_assert_eq(read_number("9223372036854775808").real, 9223372036854775808.0);
	cr_assert_eq(read_number("1e300").real, 1e300);
	cr_assert_eq(read_number("1e-300").real, 1e-300);
	cr_assert_eq(read_number("3.14159265358979323846").real, 3.14159265358979323846);
	cr_assert_eq(read_number("123456789012345678901234567890123456789012345").real,
	    123456789012345678901234567890123456789012345.0);
	cr_assert_eq(read_number("0.12345678901234567890123456789012345678901234567").real,
	    0.12345678901234567890123456789012345678901234567);
}

Test(number, refuses_what_is_no_number)
{
	static const char *const bad[] = {
		"", ".", "1.2.3", "0x", "0xg", "1e", "1e+", "e5", "abc", "1 2", "-1", ".5", "5.",
		"1e400", "1e-400", "1e99999999999999999999",
	};
	struct number n;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert_not(number_parse(bad[i], (int)strlen(bad[i]), &n), "%s", bad[i]);
}

Test(number, arithmetic_stays_in_lowest_terms)
{
	struct number n, third = ratio_of(1, 3);

	cr_assert(number_mul(number_int(3), third, &n));
	is_ratio(n, 1, 1);
	cr_assert(number_add(ratio_of(1, 6), ratio_of(1, 10), &n));
	is_ratio(n, 4, 15);
	cr_assert(number_sub(third, ratio_of(5, 6), &n));
	is_ratio(n, -1, 2);
	cr_assert(number_div(number_int(4), number_int(-6), &n));
	is_ratio(n, -2, 3);
	cr_assert(number_mul(ratio_of(INT64_MAX, 2), ratio_of(2, INT64_MAX), &n));
	is_ratio(n, 1, 1);
}

Test(number, overflow_is_told)
{
	struct number n, big = number_int(INT64_MAX), least = number_int(INT64_MIN);

	cr_assert_not(number_add(big, number_int(1), &n));
	cr_assert_not(number_sub(least, number_int(1), &n));
	cr_assert_not(number_sub(number_int(0), least, &n));
	cr_assert_not(number_mul(big, number_int(2), &n));
	cr_assert_not(number_mul(least, least, &n));
	cr_assert_not(number_add(ratio_of(1, INT64_MAX), ratio_of(1, INT64_MAX - 1), &n));
	cr_assert_not(number_div(ratio_of(1, INT64_MAX), number_int(3), &n));
	cr_assert_not(number_div(least, number_int(-1), &n));
	cr_assert(number_add(big, least, &n));
	is_ratio(n, -1, 1);
}

Test(number, division_by_zero_is_told)
{
	struct number n;

	cr_assert_not(number_div(number_int(1), number_int(0), &n));
	cr_assert_not(number_mod(number_int(1), number_int(0), &n));
	cr_assert_not(number_div(number_int(1), number_real(0), &n));
}

Test(number, mod_has_the_sign_of_the_divisor)
{
	struct number n;

	cr_assert(number_mod(number_int(7), number_int(3), &n));
	is_ratio(n, 1, 1);
	cr_assert(number_mod(number_int(-7), number_int(3), &n));
	is_ratio(n, 2, 1);
	cr_assert(number_mod(number_int(7), number_int(-3), &n));
	is_ratio(n, -2, 1);
	cr_assert(number_mod(number_int(-6), number_int(3), &n));
	is_ratio(n, 0, 1);
	cr_assert(number_mod(ratio_of(7, 2), ratio_of(2, 3), &n));
	is_ratio(n, 1, 6);
	cr_assert(number_mod(number_real(-0.5), number_int(2), &n));
	cr_assert_eq(n.real, 1.5);
}

Test(number, floor_and_ceil)
{
	struct number n;

	cr_assert(number_floor(ratio_of(65, 2), &n));
	is_ratio(n, 32, 1);
	cr_assert(number_ceil(ratio_of(65, 2), &n));
	is_ratio(n, 33, 1);
	cr_assert(number_floor(ratio_of(-65, 2), &n));
	is_ratio(n, -33, 1);
	cr_assert(number_ceil(ratio_of(-65, 2), &n));
	is_ratio(n, -32, 1);
	cr_assert(number_floor(number_int(INT64_MIN), &n));
	is_ratio(n, INT64_MIN, 1);
	cr_assert(number_ceil(number_real(2.5), &n));
	is_ratio(n, 3, 1);
	cr_assert_not(number_floor(number_real(1e19), &n));
	cr_assert_not(number_floor(number_real(NAN), &n));
}

Test(number, comparison_is_exact_where_both_are)
{
	struct number big = number_int(INT64_MAX), n;

	cr_assert_eq(number_compare(ratio_of(1, 3), ratio_of(2, 6)), 0);
	cr_assert_lt(number_compare(ratio_of(-1, 3), ratio_of(1, 1000)), 0);
	cr_assert_gt(number_compare(ratio_of(1, 3), ratio_of(333333333, 1000000000)), 0);
	cr_assert(number_sub(big, number_int(1), &n));
	cr_assert_gt(number_compare(big, n), 0);	/* equal as doubles */
	cr_assert_lt(number_compare(number_real(0.25), ratio_of(1, 3)), 0);
}

Test(number, inexact_results_are_finite_or_refused)
{
	struct number n;

	cr_assert(number_mul(number_real(0.5), ratio_of(1, 2), &n));
	cr_assert_not(n.exact);
	cr_assert_eq(n.real, 0.25);
	cr_assert_not(number_mul(number_real(1e300), number_real(1e300), &n));
}

Test(number, only_whole_exact_numbers_are_integers)
{
	int64_t i = 0;

	cr_assert(number_is_int(number_int(-5), &i));
	cr_assert_eq(i, -5);
	cr_assert_not(number_is_int(ratio_of(65, 2), &i));
	cr_assert_not(number_is_int(number_real(3), &i));
}

Test(number, is_written_as_a_user_would)
{
	static const struct written {
		int64_t num, den;
		const char *text;
	} cases[] = {
		{ 64, 1, "64" }, { 1, 255, "1/255" }, { 1, 1000, "0.001" }, { -5, 2, "-2.5" },
		{ 1, 3, "1/3" }, { 1, 10, "0.1" }, { 12345, 100, "123.45" }, { 0, 1, "0" },
		{ 1, 1000000000000, "1e-12" }, { 1, 65536, "1/65536" },
		{ INT64_MIN, 1, "-9223372036854775808" },
	};
	char buf[SIZE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_assert_str_eq(number_text(buf, ratio_of(cases[i].num, cases[i].den)),
		    cases[i].text);
	cr_assert_str_eq(number_text(buf, number_real(0.1)), "0.1");
	cr_assert_str_eq(number_text(buf, number_real(1e300)), "1e+300");
	cr_assert_lt(strlen(number_text(buf, ratio_of(INT64_MIN, INT64_MAX))), SIZE_TEXT);
}

Test(number, what_is_written_reads_back)
{
	char buf[SIZE_TEXT];
	int64_t i;

	for (i = 1; i < 3000; i++) {
		struct number n = ratio_of(i, 1000), back;

		number_text(buf, n);
		cr_assert(number_parse(buf, (int)strlen(buf), &back), "%s", buf);
		cr_assert_eq(number_compare(n, back), 0, "%s", buf);
	}
}
