/*
 * bits.h - elements of 16 bits in C: a struct, so that one is never taken for a number by mistake,
 * and what their conversions are made of: arithmetic on the bits of a float, without a branch, so
 * that loops over it are vectorised.
 */
#ifndef STOWAGE_ELEMENT_BITS_H
#define STOWAGE_ELEMENT_BITS_H

typedef struct {
	uint16_t bits;
} elem;

static inline uint32_t
bits_of(real x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline real
real_of(uint32_t bits)
{
	real x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

#endif
