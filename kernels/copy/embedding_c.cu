/*
 * copy/embedding_c.cu - the gradient of an embedding in C: one thread sorts the keys, by digits
 * from the last, which is a small part of what all then add up.
 */
#ifndef STOWAGE_COPY_EMBEDDING_C_CU
#define STOWAGE_COPY_EMBEDDING_C_CU

#define DIGIT_BITS	8
#define DIGITS	(1 << DIGIT_BITS)

/* From one half of the keys to the other, in the order of the digit that begins at bit SHIFT. */
static inline void
embedding_deal(uint64_t *to, const uint64_t *from, int64_t tokens, int shift)
{
	int64_t place[DIGITS + 1] = { 0 };

	for (int64_t i = 0; i < tokens; i++)
		place[(from[i] >> shift & (DIGITS - 1)) + 1]++;
	for (int d = 0; d < DIGITS; d++)
		place[d + 1] += place[d];
	for (int64_t i = 0; i < tokens; i++)
		to[place[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Returns where in WORK, which has room for them twice, the keys lie. */
static const uint64_t *
embedding_sort(uint64_t *work, const int32_t *ids, int64_t tokens, int64_t first, int64_t rows, int64_t padding)
{
	int digits = 0;

	while (digits < 4 && rows >> digits * DIGIT_BITS)
		digits++;
	ALONE {
		for (int64_t t = 0; t < tokens; t++)
			work[t] = KEY(embedding_row(ids[t], first, rows, padding), t);
		for (int d = 0; d < digits; d++)
			embedding_deal(work + (d % 2 ? 0 : tokens), work + (d % 2 ? tokens : 0), tokens,
			    KEY_BITS + d * DIGIT_BITS);
	}
	return work + (digits % 2 ? tokens : 0);
}

/* Adds N elements of each row of DY that keys with the first one's number name. */
static inline void
embedding_sum(real *sum, const elem *dy, const uint64_t *key, int64_t keys, int64_t width, int64_t n)
{
	for (int64_t k = 0; k < keys && KEY_ROW(key[k]) == KEY_ROW(key[0]); k++) {
		const elem *from = dy + KEY_PLACE(key[k]) * width;

		ALONG_EACH (j, n)
			sum[j] += VALUE(from[j]);
	}
}

#endif
