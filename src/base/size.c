/* Sizes in bytes as people read and write them, and the units of both. */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

static const char *const binary[SIZE_UNITS] = {	/* powers of 1024 */
	"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB",
};
static const char *const decimal[] = { "B", "kB", "MB", "GB", "TB" };	/* of 1000 */

#define LARGEST_WRITTEN	4	/* power: nobody writes petabytes but by mistake */

const char *
size_unit_name(int power)
{
	return binary[power];
}

int64_t
size_unit(const char *name)
{
	int64_t kibi = 1, kilo = 1;
	int i;

	for (i = 0; i <= LARGEST_WRITTEN; i++, kibi *= 1024, kilo *= 1000) {
		if (strcmp(name, binary[i]) == 0)
			return kibi;
		if (strcmp(name, decimal[i]) == 0)
			return kilo;
	}
	return 0;
}

const char *
size_human(char buf[SIZE_TEXT], int64_t bytes)
{
	double x = (double)bytes;
	int u = 0;

	if (bytes < 1024 && bytes > -1024) {
		snprintf(buf, SIZE_TEXT, "%d B", (int)bytes);
		return buf;
	}
	do {
		x /= 1024;
		u++;
	} while (u < SIZE_UNITS - 1 && (x >= 1023.995 || x <= -1023.995));
	snprintf(buf, SIZE_TEXT, x < 9.995 && x > -9.995 ? "%.2f %s" : x < 99.95 && x > -99.95 ?
	    "%.2f %s" : "%.1f %s", x, binary[u]);
	return buf;
}

const char *
size_commas(char buf[SIZE_TEXT], int64_t n)
{
	char digits[24];
	uint64_t u = n < 0 ? -(uint64_t)n : (uint64_t)n;
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)u), i, o = 0;

	if (n < 0)
		buf[o++] = '-';
	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[o++] = ',';
		buf[o++] = digits[i];
	}
	buf[o] = '\0';
	return buf;
}

bool
size_parse(const char *s, int64_t *bytes)
{
	int64_t whole = 0, part = 0, scale = 1, unit, rest;
	const char *digits = s;

	for (; is_digit(*s); s++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, *s - '0', &whole))
			return false;
	if (s == digits)
		return false;
	if (*s == '.' && is_digit(s[1]))
		for (s++; is_digit(*s); s++)
			if (scale < 1000000) {	/* a millionth of a TiB is below 2 MiB: enough */
				part = part * 10 + (*s - '0');
				scale *= 10;
			}
	while (*s == ' ')
		s++;
	unit = *s ? size_unit(s) : 1;
	rest = part * unit / scale;	/* below 10^6 times 2^40 */
	if (unit == 0 || __builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, rest, &whole))
		return false;
	*bytes = whole;
	return true;
}
