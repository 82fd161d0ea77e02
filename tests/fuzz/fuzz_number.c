/*
 * A fuzzer of numbers and sizes; see fuzz.h. The words of a text are read, and what is read is held
 * against strtold() and 128-bit integers: values, arithmetic on neighbours, order, and what is
 * written of it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "syntax/number.h"

#include "fuzz.h"

#define MOST_WORDS	12
#define LONGEST_WORD	120
#define DIGITS		37	/* more are cut off */

static const char *const words[] = {
	" ", "\n", "0", "1", "7", "9", ".", "_", "e", "e-", "e+", "E", "0x", "f", "1e308", "1e-308", "1e-324",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616", "-",
	"1e18", "1e19", "0.1", "1/255", "/", "4611686018427387904", "0x7fffffffffffffff", "000000000000000000000",
	"8GiB", " GiB", "kB", "KiB", "TiB", "B", "1.5", "0.000001", "2147483648", "1099511627776", "3037000500",
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

/* ---- one number ---- */

static int64_t
divisor(int64_t a, int64_t b)
{
	uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = (uint64_t)b, rest;

	for (; y; y = rest) {
		rest = x % y;
		x = y;
	}
	return (int64_t)x;
}

static void
check_sound(struct number n)
{
	if (!isfinite(n.real))
		fuzz_failed("a number that is not finite");
	if (n.exact && (n.den <= 0 || divisor(n.num, n.den) != 1))
		fuzz_failed("a ratio that is not in lowest terms");
	if (n.exact && n.real != (double)n.num / (double)n.den)
		fuzz_failed("a ratio with another value");
}

/* What the C library makes of the same word. */
static void
check_value(const char *s, struct number n)
{
	char plain[LONGEST_WORD], *to = plain, *end;
	long double want;

	for (; *s; s++)
		if (*s != '_')
			*to++ = *s;
	*to = '\0';
	want = strtold(plain, &end);
	if (*end)
		fuzz_failed("the C library reads less of it");
	if (n.real != strtod(plain, NULL) && fabsl(want - n.real) > fabsl(want) * 0x1p-51L)
		fuzz_failed("the C library reads another number");
	if (!n.exact && to - plain < DIGITS && !strchr(plain, 'x') && !strchr(plain, 'X') &&
	    n.real != strtod(plain, NULL))
		fuzz_failed("not the nearest double");
}

/* "3", "0.001", "1/255", with a sign. */
static bool
read_back(const char *s, struct number *out)
{
	const char *slash = strchr(s, '/');
	bool minus = *s == '-';
	struct number den;

	s += minus;
	if (!number_parse(s, slash ? (int)(slash - s) : (int)strlen(s), out))
		return false;
	if (slash && (!number_parse(slash + 1, (int)strlen(slash + 1), &den) || !number_div(*out, den, out)))
		return false;
	return !minus || number_sub(number_int(0), *out, out);
}

static void
check_written(struct number n)
{
	char buf[SIZE_TEXT], ratio[2 * SIZE_TEXT];
	struct number again;

	if (strlen(number_text(buf, n)) >= SIZE_TEXT)
		fuzz_failed("written without an end");
	/* a ratio that has no room is written as the double */
	if (!n.exact || n.num < -INT64_MAX ||
	    snprintf(ratio, sizeof(ratio), "%lld/%lld", (long long)n.num, (long long)n.den) >= SIZE_TEXT)
		return;
	if (!read_back(buf, &again) || !again.exact || number_compare(n, again) != 0)
		fuzz_failed("what is written reads otherwise");
}

/* ---- two numbers ---- */

static int
order_of(struct number a, struct number b)
{
	__int128 x = (__int128)a.num * b.den, y = (__int128)b.num * a.den;

	return x < y ? -1 : x > y;
}

static void
check_exact(struct number a, struct number b)
{
	__int128 den = (__int128)a.den * b.den;
	struct number n, back;

	if (order_of(a, b) != number_compare(a, b))
		fuzz_failed("a wrong order");
	/* whole numbers have a sum where it fits */
	if (a.den == 1 && b.den == 1) {
		__int128 sum = (__int128)a.num + b.num;

		if (number_add(a, b, &n) != (sum == (int64_t)sum))
			fuzz_failed("an overflow that is none, or is not told");
	}
	if (number_add(a, b, &n) && (__int128)n.num * (den / n.den) != (__int128)a.num * b.den + (__int128)b.num * a.den)
		fuzz_failed("a wrong sum");
	if (number_mul(a, b, &n) && number_div(n, b, &back) && order_of(a, back) != 0)
		fuzz_failed("a wrong quotient");
	if (number_sub(a, b, &n) && number_add(n, b, &back) && order_of(a, back) != 0)
		fuzz_failed("a wrong difference");
	if (number_mod(a, b, &n) && (n.num != 0 && ((n.num < 0) != (b.num < 0))))
		fuzz_failed("a remainder of another sign");
	if (b.num != 0 && number_mod(a, b, &n) && b.num > 0 && order_of(n, b) >= 0)
		fuzz_failed("a remainder that is too large");
	if (b.num == 0 && (number_div(a, b, &n) || number_mod(a, b, &n)))
		fuzz_failed("a division by nothing");
}

static void
check_pair(struct number a, struct number b)
{
	bool (*const op[])(struct number, struct number, struct number *) = {
		number_add, number_sub, number_mul, number_div, number_mod,
	};
	struct number n;
	size_t i;

	for (i = 0; i < COUNT_OF(op); i++)
		if (op[i](a, b, &n)) {
			check_sound(n);
			check_written(n);
		}
	if (number_compare(a, b) != -number_compare(b, a))
		fuzz_failed("an order that depends on who asks");
	if (number_floor(a, &n) && (!n.exact || n.den != 1 || (a.exact && order_of(n, a) > 0)))
		fuzz_failed("a wrong floor");
	if (number_ceil(a, &n) && (!n.exact || n.den != 1 || (a.exact && order_of(n, a) < 0)))
		fuzz_failed("a wrong ceiling");
	if (a.exact && b.exact)
		check_exact(a, b);
}

/* ---- sizes ---- */

static void
check_size(const char *s)
{
	char buf[SIZE_TEXT], plain[SIZE_TEXT], *to = plain, *c;
	int64_t bytes = -77;

	if (!size_parse(s, &bytes)) {
		if (bytes != -77)
			fuzz_failed("a size that is none has a value");
		return;
	}
	if (bytes < 0)
		fuzz_failed("a size below 0");
	for (c = (char *)(uintptr_t)size_commas(buf, bytes); *c; c++)
		if (*c != ',')
			*to++ = *c;
	*to = '\0';
	if (strtoll(plain, NULL, 10) != bytes)
		fuzz_failed("commas that change a number");
	if (!strchr(size_human(buf, bytes), 'B'))
		fuzz_failed("a size without its unit");
}

/* ---- a case ---- */

static long
try(const struct sample *t)
{
	struct number got[MOST_WORDS], n;
	char word[LONGEST_WORD];
	size_t at = 0, stop;
	int k = 0, i;

	while (at < t->n && k < MOST_WORDS) {
		for (stop = at; stop < t->n && t->text[stop] != '\n'; stop++)
			;
		snprintf(word, sizeof(word), "%.*s", (int)(stop - at), t->text + at);
		at = stop + 1;
		check_size(word);
		if (!number_parse(word, (int)strlen(word), &n))
			continue;
		check_sound(n);
		check_value(word, n);
		check_written(n);
		got[k++] = n;
		if (k > 1 && number_div(got[k - 1], got[k - 2], &n) && k < MOST_WORDS)
			got[k++] = n;	/* so that there are ratios too */
	}
	for (i = 0; i + 1 < k; i++) {
		check_pair(got[i], got[i + 1]);
		check_pair(got[i + 1], got[i]);
	}
	return k > 0;
}

const struct fuzzer fuzzer = {
	.name = "fuzz_number",
	.outcome = "of them with numbers",
	.longest = 400,
	.one_in = 20,
	.mutate = mutate,
	.try = try,
};
