/*
 * Numbers of the language: exact 64-bit rationals, so that 1/255 and 3 * (1/3) mean what they say,
 * and inexact doubles for what is irrational. Overflow of a rational is an error; it never wraps or
 * silently becomes floating point.
 */
#ifndef STOWAGE_SYNTAX_NUMBER_H
#define STOWAGE_SYNTAX_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct number {
	bool exact;
	int64_t num, den;	/* exact: lowest terms, den > 0 */
	double real;		/* its value in either case */
};

struct number	number_int(int64_t);
struct number	number_real(double);	/* inexact */

/* false: overflow, or division by zero (den == 0 is never produced) */
bool	number_add(struct number a, struct number b, struct number *out);
bool	number_sub(struct number a, struct number b, struct number *out);
bool	number_mul(struct number a, struct number b, struct number *out);
bool	number_div(struct number a, struct number b, struct number *out);
bool	number_mod(struct number a, struct number b, struct number *out);	/* sign of b */
bool	number_pow(struct number a, struct number b, struct number *out);	/* false also if it is no real number */
bool	number_sqrt(struct number a, struct number *out);	/* exact where it can be; false of a negative one */
bool	number_floor(struct number a, struct number *out);
bool	number_ceil(struct number a, struct number *out);
int	number_compare(struct number a, struct number b);	/* exact where both are */
bool	number_is_int(struct number a, int64_t *out);

/* Reads "12", "0.1", "1e-3", "0x1f", "1_000" (what the scanner passes as NUM) exactly where it can:
 * false when it fits neither an exact rational nor a finite double. */
bool	number_parse(const char *s, int length, struct number *out);

/* As a user would write it: "64", "1/255", "0.001". */
const char	*number_text(char buf[SIZE_TEXT], struct number);

#endif
