/*
 * hash.h - what random numbers, the order of samples and names of contents are made of, on the host
 * and on a device: the same bits, since all of it is whole numbers. The hash is the finaliser of
 * SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
 */
#ifndef STOWAGE_HOST_HASH_H
#define STOWAGE_HOST_HASH_H

#define FNV_BEGIN	0xcbf29ce484222325u

/* FNV-1a (Fowler, Noll, Vo), of these bytes behind those that HASH is of */
static uint64_t
fnv_add(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *p = (const unsigned char *)bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * 0x100000001b3u;
	return hash;
}

DEVICE_TOO uint64_t
seed_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

DEVICE_TOO uint64_t
seed_bits(uint64_t seed, uint64_t stream, uint64_t counter)
{
	return seed_mix(seed_mix(seed_mix(seed) ^ stream) + counter);
}

/* A tensor's stream is its name's: a layer added elsewhere changes nothing here. */
static uint64_t
seed_stream(const char *name)
{
	return fnv_add(FNV_BEGIN, name, strlen(name));
}

/*
 * Where sample I of N goes in epoch EPOCH: a permutation that needs no table. A Feistel network
 * permutes the numbers of an even count of bits; numbers that land at N or beyond go round again,
 * and since fewer than 4 N numbers are permuted, at most four rounds are expected.
 */
DEVICE_TOO int64_t
shuffled(uint64_t seed, int64_t epoch, int64_t i, int64_t n)
{
	int half = 1;
	uint64_t mask, x = (uint64_t)i;

	while (half < 31 && ((uint64_t)1 << (2 * half)) < (uint64_t)n)
		half++;
	mask = ((uint64_t)1 << half) - 1;
	do {
		uint64_t left = x >> half, right = x & mask;

		for (uint64_t round = 0; round < 6; round++) {
			uint64_t f = seed_bits(seed, (uint64_t)epoch * 8 + round, right) & mask;
			uint64_t next = left ^ f;

			left = right;
			right = next;
		}
		x = left << half | right;
	} while (x >= (uint64_t)n);
	return (int64_t)x;
}

#endif
