/* UTF-8: decoding and widths. The ranges of widths are those of Unicode's EastAsianWidth that a
 * source file is likely to hold; the C library's wcwidth() would need a locale. */
#include "base/utf8.h"

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

struct span {
	uint32_t first, last;
};

static int
within(uint32_t c, const struct span *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (c >= s[i].first && c <= s[i].last)
			return 1;
	return 0;
}

int
utf8_width(uint32_t c)
{
	static const struct span none[] = {
		{ 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd }, { 0x610, 0x61a },
		{ 0x64b, 0x65f }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200d },
		{ 0x20d0, 0x20f0 }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
	};
	static const struct span wide[] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0x33ff }, { 0x3400, 0x4dbf },
		{ 0x4e00, 0x9fff }, { 0xa000, 0xa4cf }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe4f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f },
		{ 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
	};

	if (c < 0x300)
		return 1;
	if (within(c, none, sizeof(none) / sizeof(*none)))
		return 0;
	return within(c, wide, sizeof(wide) / sizeof(*wide)) ? 2 : 1;
}

int
utf8_hidden(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}
