/*
 * Tensor cores by warpgroups, for product/wgmma_cuda.cu, after mma.h. What a product reads is read,
 * and what it makes is there, no sooner than it is waited for; B, and A where registers do not have
 * it, by the descriptor, as the PTX ISA has it ("Matrix-descriptor", "Swizzling modes", "Canonical
 * layouts"), so that it shows where that and what was copied do not agree. A test ends where
 * registers of A or of sums changed meanwhile, where nothing fenced what was copied to shared
 * memory, where a product was begun without a fence, where the lanes of a warp name different
 * descriptors, and where a warp of a group makes other products than the three beside it, for which
 * a card would wait for ever.
 */
struct emulated_wgmma {
	float (*sum)[4];
	const uint32_t *a;	/* NULL: it is described */
	uint32_t had[4];	/* what was there when it was begun, */
	float had_sum[16][4];	/* and here */
	uint64_t a_lines, b;
	int columns;
	bool a_turned, turned;
};

static std::vector<struct emulated_wgmma> emulated_wgmmas[EMULATED_THREADS];
static bool emulated_begun[EMULATED_THREADS];
static uint64_t emulated_described_by[EMULATED_THREADS][2];	/* A and B */
static long emulated_made[EMULATED_THREADS / 32];	/* products of a warp, */
static long emulated_made_before[EMULATED_THREADS / 32];	/* up to the barrier that it comes to */
static uintptr_t emulated_window;	/* where shared memory begins, a multiple of 1024 bytes */

INSTRUCTION uint32_t
wgmma_address(const void *at)
{
	uintptr_t to = (uintptr_t)at;

	if (to - emulated_window >= EMULATED_GIVEN) {
		for (unsigned t = 0; t < EMULATED_THREADS; t++)
			if (!emulated_wgmmas[t].empty())	/* which has addresses of another place */
				std::abort();
		emulated_window = to / 1024 * 1024 - 1024;
	}
	return (uint32_t)(to - emulated_window);
}

INSTRUCTION void
wgmma_seen(void)
{
	unsigned warp = threadIdx.x / 32;

	emulated_unseen[threadIdx.x] = false;
	emulated_made_before[warp] = emulated_made[warp];
	if (threadIdx.x % 128 == 127)
		for (unsigned w = warp - 3; w < warp; w++)
			if (emulated_made_before[w] != emulated_made_before[warp])
				std::abort();
}

INSTRUCTION void
wgmma_begin(void)
{
	emulated_begun[threadIdx.x] = true;
}

INSTRUCTION void
wgmma_hold(uint32_t *)
{
}

INSTRUCTION void
wgmma_hold_sum(float *)
{
}

/* Term K of column C of the matrix that a descriptor describes. */
static float
emulated_described(uint64_t b, bool turned, int k, int c)
{
	uint64_t begin = b & 0x3fff, leading = b >> 16 & 0x3fff, stride = b >> 32 & 0x3fff;
	int line = turned ? k : c, along = turned ? c : k;
	uint64_t at = begin * 16 + (uint64_t)(line / 8) * stride * 16 + (uint64_t)(line % 8) * 128 +
	    (uint64_t)(along / 64) * leading * 16 + (uint64_t)(along % 64) * 2;
	uint16_t bits;

	if (b >> 62 != 1 || (b >> 49 & 7) != 0)	/* lines of 128 bytes, eight of which begin where that shows */
		std::abort();
	at ^= (at >> 7 & 7) << 4;
	std::memcpy(&bits, (const char *)emulated_window + at, sizeof(bits));
	return emulated_half(bits, 0);
}

static void
emulated_wgmma_make(const struct emulated_wgmma &w)
{
	unsigned warp = threadIdx.x / 32 * 32, lane = threadIdx.x % 32;
	float a[2][16];

	if (w.a)
		std::memcpy(emulated_a[threadIdx.x], w.a, sizeof(*emulated_a));
	emulated_described_by[threadIdx.x][0] = w.a_lines, emulated_described_by[threadIdx.x][1] = w.b;
	__syncwarp();
	if (std::memcmp(emulated_described_by[warp], emulated_described_by[threadIdx.x], sizeof(*emulated_described_by)))
		std::abort();
	for (int i = 0; i < 32; i++) {
		int row = (int)lane / 4 + i / 16 * 8;

		a[i / 16][i % 16] = w.a ? emulated_a_of(emulated_a + warp, row, i % 16) :
		    emulated_described(w.a_lines, w.a_turned, i % 16, (int)(warp / 32 % 4 * 16) + row);
	}
	for (int n = 0; n < w.columns / 8; n++)
		for (int right = 0; right < 2; right++)
			for (int k = 0; k < 16; k++) {
				float b = emulated_described(w.b, w.turned, k, n * 8 + (int)lane % 4 * 2 + right);

				for (int low = 0; low < 2; low++)
					w.sum[n][low * 2 + right] += a[low][k] * b;
			}
	__syncwarp();
}

INSTRUCTION void
wgmma_end(void)
{
#ifndef EMULATED_EARLY_COPIES
	for (unsigned t = 0; t < EMULATED_THREADS; t++)
		if (emulated_unseen[t])
			std::abort();
#endif
	for (const struct emulated_wgmma &w : emulated_wgmmas[threadIdx.x])
		if ((w.a && std::memcmp(w.had, w.a, sizeof(w.had))) ||
		    std::memcmp(w.had_sum, w.sum, (size_t)w.columns / 8 * sizeof(*w.sum)))
			std::abort();
	for (const struct emulated_wgmma &w : emulated_wgmmas[threadIdx.x])
		emulated_wgmma_make(w);
	emulated_wgmmas[threadIdx.x].clear();
	emulated_begun[threadIdx.x] = false;
}

static void
emulated_wgmma_begin(struct emulated_wgmma w)
{
	if (w.a)
		std::memcpy(w.had, w.a, sizeof(w.had));
	std::memcpy(w.had_sum, w.sum, (size_t)w.columns / 8 * sizeof(*w.sum));
	if (!emulated_begun[threadIdx.x])
		std::abort();
	if (threadIdx.x % 32 == 0)
		emulated_made[threadIdx.x / 32]++;
	emulated_wgmmas[threadIdx.x].push_back(w);
}

INSTRUCTION void
wgmma_add_32(float (*sum)[4], const uint32_t *a, uint64_t b)
{
	emulated_wgmma_begin({ sum, a, {}, {}, 0, b, 32, false, false });
}

INSTRUCTION void
wgmma_add_64(float (*sum)[4], const uint32_t *a, uint64_t b)
{
	emulated_wgmma_begin({ sum, a, {}, {}, 0, b, 64, false, false });
}

INSTRUCTION void
wgmma_add_turned_64(float (*sum)[4], const uint32_t *a, uint64_t b)
{
	emulated_wgmma_begin({ sum, a, {}, {}, 0, b, 64, false, true });
}

template <bool A_TURNED, bool B_TURNED> INSTRUCTION void
wgmma_add_128(float (*sum)[4], uint64_t a, uint64_t b)
{
	emulated_wgmma_begin({ sum, NULL, {}, {}, a, b, 128, A_TURNED, B_TURNED });
}
