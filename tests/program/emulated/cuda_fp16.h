/* Elements of 16 bits, with five of exponent and ten of fraction, rounded to the nearest, ties to
 * even (IEEE 754 binary16). */
#pragma once
struct __half {
	uint16_t bits;
};

static inline float
__half2float(__half x)
{
	int exponent = x.bits >> 10 & 31, fraction = x.bits & 1023;
	double size = exponent == 31 ? (fraction ? NAN : INFINITY) :
	    std::ldexp(exponent ? 1024 + fraction : fraction, (exponent ? exponent : 1) - 25);

	return (float)(x.bits & 0x8000 ? -size : size);
}

/* Those below 2^-14 are whole multiples of 2^-24; of others, the first of eleven digits adds one to
 * the exponent. */
static inline __half
__float2half(float x)
{
	int sign = std::signbit(x) ? 0x8000 : 0, exponent;
	double size = std::fabs((double)x);

	if (!(size < 65520))
		return { (uint16_t)(sign | (size != size ? 0x7e00 : 0x7c00)) };
	std::frexp(size, &exponent);
	if (size < 0x1p-14)
		exponent = -13;
	return { (uint16_t)(sign | (((exponent + 13) << 10) + (int)std::nearbyint(std::ldexp(size, 11 - exponent)))) };
}
