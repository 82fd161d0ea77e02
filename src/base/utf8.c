/* UTF-8: decoding and widths. The table of widths is Unicode's; the C library's wcwidth() would
 * need a locale. */
#include "base/utf8.h"

#include "base/width_table.h"

size_t
utf8_decode(const char *s, size_t n, uint32_t *c, int *good)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)s;
	size_t len = u[0] < 0x80 ? 1 : u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2, i;
	uint32_t x = u[0];

	if (good)
		*good = 1;
	*c = x;
	if (len == 1)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4 || len > n)
		goto bad;
	x &= 0x7fu >> len;
	for (i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			goto bad;
		x = x << 6 | (u[i] & 0x3fu);
	}
	if (x < least[len] || x > 0x10ffff || (x >= 0xd800 && x <= 0xdfff))
		goto bad;
	*c = x;
	return len;
bad:
	if (good)
		*good = 0;
	*c = UTF8_BAD;
	return 1;
}

static int
within(uint32_t c, const struct span *s, size_t n)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (c > s[mid].last)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && c >= s[lo].first;
}

size_t
utf8_plain(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= ' ' && s[i] < 0x7f)
		i++;
	return i;
}

int
utf8_width(uint32_t c)
{
	if (c < no_columns[0].first)
		return 1;
	if (within(c, no_columns, sizeof(no_columns) / sizeof(*no_columns)))
		return 0;
	return within(c, two_columns, sizeof(two_columns) / sizeof(*two_columns)) ? 2 : 1;
}

int
utf8_hidden(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}
