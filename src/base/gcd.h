/* The greatest common divisor of whole numbers that are not below 0; gcd(a, 0) is a. */
#ifndef STOWAGE_BASE_GCD_H
#define STOWAGE_BASE_GCD_H

#include <stdint.h>

static inline int64_t
gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
