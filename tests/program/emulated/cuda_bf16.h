/* Elements of 16 bits: the upper half of a float, rounded to the nearest, ties to even. */
struct __nv_bfloat16 {
	uint16_t bits;
};

static inline float
__bfloat162float(__nv_bfloat16 x)
{
	uint32_t bits = (uint32_t)x.bits << 16;
	float value;

	std::memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline __nv_bfloat16
__float2bfloat16(float x)
{
	uint32_t bits;

	std::memcpy(&bits, &x, sizeof(bits));
	return { (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16) };
}
