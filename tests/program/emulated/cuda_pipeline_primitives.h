/*
 * Copies to shared memory that arrive no earlier than they are waited for; with
 * EMULATED_EARLY_COPIES, as soon as they are begun. No wait is for those since the last commit.
 */
#include <cstddef>

struct emulated_copy {
	void *to;
	const void *from;
	size_t bytes, zeros;
	long commit;		/* those before it */
};

static std::vector<struct emulated_copy> emulated_copies[EMULATED_THREADS];
static long emulated_commits[EMULATED_THREADS];

static inline void
emulated_arrive(const struct emulated_copy &c)
{
	if (c.zeros < c.bytes)
		std::memcpy(c.to, c.from, c.bytes - c.zeros);
	std::memset((char *)c.to + c.bytes - c.zeros, 0, c.zeros);
	emulated_unseen[threadIdx.x] = true;
}

static inline void
__pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
	struct emulated_copy c = { to, from, bytes, zeros, emulated_commits[threadIdx.x] };

	if ((uintptr_t)to % bytes || (uintptr_t)from % bytes)
		std::abort();
#ifdef EMULATED_EARLY_COPIES
	emulated_arrive(c);
#else
	emulated_copies[threadIdx.x].push_back(c);
#endif
}

static inline void
__pipeline_commit(void)
{
	emulated_commits[threadIdx.x]++;
}

/* All but those of the last PRIOR commits. */
static inline void
__pipeline_wait_prior(size_t prior)
{
	std::vector<struct emulated_copy> &all = emulated_copies[threadIdx.x];
	size_t n = 0;

	while (n < all.size() && all[n].commit < emulated_commits[threadIdx.x] - (long)prior)
		emulated_arrive(all[n++]);
	all.erase(all.begin(), all.begin() + (long)n);
}
