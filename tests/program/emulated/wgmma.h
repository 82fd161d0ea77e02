/*
 * Tensor cores by warpgroups, for product/wgmma_cuda.cu, after mma.h. What a product reads is read,
 * and what it makes is there, no sooner than it is waited for; B by the descriptor, as the PTX ISA
 * has it ("Matrix-descriptor", "Swizzling modes", "Canonical layouts"), so that it shows where that
 * and what was copied do not agree. A test ends where registers of A changed meanwhile, where
 * nothing fenced what was copied to shared memory, where a product was begun without a fence, where
 * the lanes of a warp name different descriptors, and where a warp of a group makes other products
 * than the three beside it, for which a card would wait for ever.
 */
struct emulated_wgmma {
	float (*sum)[4];
	const uint32_t *a;
	uint32_t had[4];	/* what was there when it was begun */
	uint64_t b;
	int columns;
	bool turned;
};

static std::vector<struct emulated_wgmma> emulated_wgmmas[EMULATED_THREADS];
static bool emulated_begun[EMULATED_THREADS];
static uint64_t emulated_b_of_lane[EMULATED_THREADS];
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

	if (std::memcmp(w.had, w.a, sizeof(w.had)))
		std::abort();
	std::memcpy(emulated_a[threadIdx.x], w.a, sizeof(*emulated_a));
	emulated_b_of_lane[threadIdx.x] = w.b;
	__syncwarp();
	if (emulated_b_of_lane[warp] != w.b)
		std::abort();
	for (int n = 0; n < w.columns / 8; n++)
		for (int e = 0; e < 4; e++)
			for (int k = 0; k < 16; k++)
				w.sum[n][e] += emulated_a_of(emulated_a + warp, lane / 4 + e / 2 * 8, k) *
				    emulated_described(w.b, w.turned, k, n * 8 + lane % 4 * 2 + e % 2);
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
		emulated_wgmma_make(w);
	emulated_wgmmas[threadIdx.x].clear();
	emulated_begun[threadIdx.x] = false;
}

static void
emulated_wgmma_begin(float (*sum)[4], const uint32_t *a, uint64_t b, int columns, bool turned)
{
	struct emulated_wgmma w = { sum, a, { a[0], a[1], a[2], a[3] }, b, columns, turned };

	if (!emulated_begun[threadIdx.x])
		std::abort();
	if (threadIdx.x % 32 == 0)
		emulated_made[threadIdx.x / 32]++;
	emulated_wgmmas[threadIdx.x].push_back(w);
}

INSTRUCTION void
wgmma_add_32(float (*sum)[4], const uint32_t *a, uint64_t b)
{
	emulated_wgmma_begin(sum, a, b, 32, false);
}

INSTRUCTION void
wgmma_add_64(float (*sum)[4], const uint32_t *a, uint64_t b)
{
	emulated_wgmma_begin(sum, a, b, 64, false);
}

INSTRUCTION void
wgmma_add_turned_64(float (*sum)[4], const uint32_t *a, uint64_t b)
{
	emulated_wgmma_begin(sum, a, b, 64, true);
}
