/* Letters and digits of ASCII, whatever the locale. */
#ifndef STOWAGE_BASE_ASCII_H
#define STOWAGE_BASE_ASCII_H

#include <stdbool.h>

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A capital as a small letter; any other byte as it is. */
static inline char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool
is_letter(char c)
{
	return lower(c) >= 'a' && lower(c) <= 'z';
}

#endif
