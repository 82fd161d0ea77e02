/*
 * Exact rationals in 64 bits. Products of two 64-bit parts fit 128, so every operation is done
 * there, brought to lowest terms, and only then checked against 64 bits: an overflow is reported
 * exactly when the result itself does not fit. A number that is not exact is a plain double.
 */
#include "syntax/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

static uwide
gcd(uwide a, uwide b)
{
	while (b) {
		uwide r = a % b;

		a = b;
		b = r;
	}
	return a;
}

struct number
number_int(int64_t n)
{
	return (struct number){ true, n, 1, (double)n };
}

struct number
number_real(double x)
{
	return (struct number){ false, 0, 1, x };
}

/* num/den in lowest terms; den is not 0. |num| and |den| stay below 2^127. */
static bool
ratio(wide num, wide den, struct number *out)
{
	uwide g;

	if (den < 0) {
		num = -num;
		den = -den;
	}
	g = gcd(num < 0 ? -(uwide)num : (uwide)num, (uwide)den);
	if (g > 1) {
		num /= (wide)g;
		den /= (wide)g;
	}
	if (num > INT64_MAX || num < INT64_MIN || den > INT64_MAX)
		return false;
	*out = (struct number){ true, (int64_t)num, (int64_t)den, (double)num / (double)den };
	return true;
}

static bool
real(double x, struct number *out)
{
	*out = number_real(x);
	return isfinite(x);
}

bool
number_add(struct number a, struct number b, struct number *out)
{
	if (!a.exact || !b.exact)
		return real(a.real + b.real, out);
	return ratio((wide)a.num * b.den + (wide)b.num * a.den, (wide)a.den * b.den, out);
}

bool
number_sub(struct number a, struct number b, struct number *out)
{
	if (!a.exact || !b.exact)
		return real(a.real - b.real, out);
	return ratio((wide)a.num * b.den - (wide)b.num * a.den, (wide)a.den * b.den, out);
}

bool
number_mul(struct number a, struct number b, struct number *out)
{
	if (!a.exact || !b.exact)
		return real(a.real * b.real, out);
	return ratio((wide)a.num * b.num, (wide)a.den * b.den, out);
}

bool
number_div(struct number a, struct number b, struct number *out)
{
	if (b.exact ? b.num == 0 : b.real == 0)
		return false;
	if (!a.exact || !b.exact)
		return real(a.real / b.real, out);
	return ratio((wide)a.num * b.den, (wide)a.den * b.num, out);
}

bool
number_mod(struct number a, struct number b, struct number *out)
{
	wide x, y, r;
	double m;

	if (b.exact ? b.num == 0 : b.real == 0)
		return false;
	if (!a.exact || !b.exact) {
		m = fmod(a.real, b.real);
		return real(m != 0 && (m < 0) != (b.real < 0) ? m + b.real : m, out);
	}
	/* over the common denominator this is a remainder of integers */
	x = (wide)a.num * b.den;
	y = (wide)b.num * a.den;
	r = x % y;
	if (r != 0 && (r < 0) != (y < 0))
		r += y;
	return ratio(r, (wide)a.den * b.den, out);
}

#define MOST_FACTORS	64	/* of an exact power: more of anything but 1 fit no 64 bits */

/* Exact where the exponent is an integer, and the power of an exact number fits. */
bool
number_pow(struct number a, struct number b, struct number *out)
{
	struct number power = number_int(1), base = a;
	int64_t n, i;

	if (!number_is_int(b, &n))
		return a.real > 0 && real(pow(a.real, b.real), out);
	if (n < 0 && (a.real == 0 || !number_div(number_int(1), a, &base)))
		return false;
	n = n < 0 ? -n : n;
	if (a.exact && a.den == 1 && (a.num == 1 || a.num == 0 || a.num == -1))
		n = n == 0 ? 0 : 2 - n % 2;
	if (n < 0 || n > MOST_FACTORS || !a.exact)
		return !a.exact && real(pow(a.real, b.real), out);
	for (i = 0; i < n; i++)
		if (!number_mul(power, base, &power))
			return false;
	*out = power;
	return true;
}

/* The whole root of a square; -1: it is none. */
static int64_t
root_of(int64_t x)
{
	int64_t r = (int64_t)sqrt((double)x), k;

	for (k = r - 1; k <= r + 1; k++)
		if (k >= 0 && k <= INT32_MAX && k * k == x)
			return k;
	return -1;
}

bool
number_sqrt(struct number a, struct number *out)
{
	int64_t above = a.exact && a.num >= 0 ? root_of(a.num) : -1, below = a.exact ? root_of(a.den) : -1;

	if (above >= 0 && below > 0)
		return number_div(number_int(above), number_int(below), out);
	return a.real >= 0 && real(sqrt(a.real), out);
}

/* The integer below (or above) an inexact number, exact again where 64 bits hold it. */
static bool
whole(double x, struct number *out)
{
	if (!(x >= -0x1p63 && x < 0x1p63))
		return false;
	*out = number_int((int64_t)x);
	return true;
}

bool
number_floor(struct number a, struct number *out)
{
	if (!a.exact)
		return whole(floor(a.real), out);
	*out = number_int(a.num / a.den - (a.num % a.den < 0));
	return true;
}

bool
number_ceil(struct number a, struct number *out)
{
	if (!a.exact)
		return whole(ceil(a.real), out);
	*out = number_int(a.num / a.den + (a.num % a.den > 0));
	return true;
}

int
number_compare(struct number a, struct number b)
{
	wide x, y;

	if (!a.exact || !b.exact)
		return a.real < b.real ? -1 : a.real > b.real;
	x = (wide)a.num * b.den;
	y = (wide)b.num * a.den;
	return x < y ? -1 : x > y;
}

bool
number_is_int(struct number a, int64_t *out)
{
	if (!a.exact || a.den != 1)
		return false;
	*out = a.num;
	return true;
}

#define MOST_DIGITS	37	/* 10^37 < 2^127 */
#define FAR_EXPONENT	100000	/* beyond any double; keeps sums of exponents small */

/* A decimal literal taken apart: its digits without leading and trailing zeros, times 10^exp. */
struct decimal {
	char digit[MOST_DIGITS + 1];
	int n;
	bool cut;	/* more digits than fit were dropped */
	int64_t exp;
};

/* Takes one digit; zeros wait in *zeros until a digit after them shows that they matter. */
static void
decimal_digit(struct decimal *d, char c, int64_t *zeros)
{
	if (c == '0') {
		*zeros += d->n > 0;
		return;
	}
	for (; *zeros > 0 && d->n < MOST_DIGITS; --*zeros)
		d->digit[d->n++] = '0';
	if (*zeros == 0 && d->n < MOST_DIGITS) {
		d->digit[d->n++] = c;
		return;
	}
	d->cut = true;
	d->exp += *zeros + 1;
	*zeros = 0;
}

/* Splits S; false if it is not a decimal number. */
static bool
decimal_split(const char *s, int length, struct decimal *d)
{
	int64_t zeros = 0, after_point = 0, e = 0;
	bool point = false, any = false, minus;
	int i;

	memset(d, 0, sizeof(*d));
	for (i = 0; i < length && s[i] != 'e' && s[i] != 'E'; i++) {
		if (s[i] == '_')
			continue;
		if (s[i] == '.' && !point && any) {
			point = true;
			any = false;
			continue;
		}
		if (s[i] < '0' || s[i] > '9')
			return false;
		any = true;
		after_point += point;
		decimal_digit(d, s[i], &zeros);
	}
	if (!any)
		return false;
	if (i < length) {
		minus = ++i < length && s[i] == '-';
		i += i < length && (s[i] == '-' || s[i] == '+');
		if (i == length)
			return false;
		for (; i < length; i++) {
			if (s[i] < '0' || s[i] > '9')
				return false;
			e = e < FAR_EXPONENT ? 10 * e + s[i] - '0' : e;
		}
		d->exp += minus ? -e : e;
	}
	d->exp += zeros - after_point;
	return true;
}

static bool
decimal_exact(const struct decimal *d, struct number *out)
{
	wide num = 0, den = 1;
	int64_t e;
	int i;

	if (d->cut)
		return false;
	for (i = 0; i < d->n; i++)
		num = 10 * num + (d->digit[i] - '0');
	if (num == 0)
		return ratio(0, 1, out);
	if (d->exp > 19 || d->exp < -MOST_DIGITS)
		return false;
	for (e = d->exp; e > 0; e--) {
		if (num > INT64_MAX)
			return false;
		num *= 10;
	}
	for (; e < 0; e++)
		den *= 10;
	return ratio(num, den, out);
}

static bool
hexadecimal(const char *s, int length, struct number *out)
{
	const char *const digits = "0123456789abcdef";
	double x = 0;
	uwide n = 0;
	bool any = false;
	int i;

	for (i = 2; i < length; i++) {
		int c = s[i] >= 'A' && s[i] <= 'F' ? s[i] - 'A' + 'a' : s[i];
		const char *at = c ? strchr(digits, c) : NULL;

		if (c == '_')
			continue;
		if (!at)
			return false;
		any = true;
		x = 16 * x + (double)(at - digits);
		if (n <= INT64_MAX)
			n = 16 * n + (uwide)(at - digits);
	}
	if (any && n <= INT64_MAX) {
		*out = number_int((int64_t)n);
		return true;
	}
	return any && real(x, out);
}

bool
number_parse(const char *s, int length, struct number *out)
{
	struct decimal d;
	char plain[MOST_DIGITS + 32];
	double x;

	if (length > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return hexadecimal(s, length, out);
	if (!decimal_split(s, length, &d))
		return false;
	if (decimal_exact(&d, out))
		return true;
	/* without a decimal point the text means the same in every locale */
	d.digit[d.n] = '\0';
	snprintf(plain, sizeof(plain), "%se%lld", d.digit, (long long)d.exp);
	x = strtod(plain, NULL);
	return x != 0 && real(x, out);
}

/* Writes num/den as a decimal if it is a short one. */
static bool
decimal_text(char buf[SIZE_TEXT], struct number a)
{
	uwide scaled = a.num < 0 ? -(uwide)a.num : (uwide)a.num, power = 1;
	const char *sign = a.num < 0 ? "-" : "";
	int k = 0;

	while (power % (uwide)a.den != 0) {
		if (++k > 18)
			return false;
		power *= 10;
	}
	scaled *= power / (uwide)a.den;
	if (scaled > 999999999)
		return false;
	if (k > 6)
		snprintf(buf, SIZE_TEXT, "%s%llue-%d", sign, (unsigned long long)scaled, k);
	else
		snprintf(buf, SIZE_TEXT, "%s%llu.%0*llu", sign,
		    (unsigned long long)(scaled / power), k,
		    (unsigned long long)(scaled % power));
	return true;
}

const char *
number_text(char buf[SIZE_TEXT], struct number a)
{
	char frac[2 * SIZE_TEXT], *c;
	int precision;

	if (a.exact && a.den == 1) {
		snprintf(buf, SIZE_TEXT, "%lld", (long long)a.num);
		return buf;
	}
	if (a.exact && decimal_text(buf, a))
		return buf;
	if (a.exact && snprintf(frac, sizeof(frac), "%lld/%lld", (long long)a.num,
	    (long long)a.den) < SIZE_TEXT)
		return strcpy(buf, frac);
	for (precision = 1; precision <= 17; precision++) {
		snprintf(buf, SIZE_TEXT, "%.*g", precision, a.real);
		if (strtod(buf, NULL) == a.real)
			break;
	}
	for (c = buf; *c; c++)
		if (*c == ',')
			*c = '.';
	return buf;
}
