/*
 * UTF-8 as far as printing needs it: decoding that never trusts its input, and the columns a
 * terminal gives a character.
 */
#ifndef STOWAGE_BASE_UTF8_H
#define STOWAGE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_BAD	0xfffdu		/* what an ill-formed byte is shown as */

/* Decodes one character of S, of which N > 0 bytes are left; returns the bytes taken, at least 1.
 * An ill-formed sequence (overlong, surrogate, cut short) takes one byte and gives UTF8_BAD with
 * *good 0. GOOD may be NULL. */
size_t	utf8_decode(const char *s, size_t n, uint32_t *c, int *good);

/* How many of the first N bytes are printable ASCII, each a character of one column: nearly all
 * there is. */
size_t	utf8_plain(const char *s, size_t n);

/* Columns: 0 for combining marks, 2 for East Asian wide characters and emoji, else 1. */
int	utf8_width(uint32_t c);

/* Is C a control character, or one that turns the direction of text? Such are never printed as
 * they are: a spec must not be able to repaint the terminal. */
int	utf8_hidden(uint32_t c);

#endif
