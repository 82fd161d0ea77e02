/*
 * FNV-1a in 64 bits (Fowler, Noll, Vo), the same on every machine: for what is kept in files, or
 * looks a text up. It tells texts apart that happen to differ, not ones that somebody made to be
 * alike.
 */
#ifndef STOWAGE_BASE_FNV_H
#define STOWAGE_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_BEGIN	0xcbf29ce484222325u

/* H, which FNV_BEGIN began, with N more bytes. */
static inline uint64_t
fnv_add(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ b[i]) * 0x100000001b3u;
	return h;
}

#endif
