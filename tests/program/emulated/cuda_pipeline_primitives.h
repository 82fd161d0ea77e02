/* Copies to shared memory that arrive no earlier than they are waited for. */
#include <cstddef>

struct emulated_copy {
	void *to;
	const void *from;
	size_t bytes, zeros;
};

static std::vector<struct emulated_copy> emulated_copies[EMULATED_THREADS];

static inline void
__pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0)
{
	if ((uintptr_t)to % bytes || (uintptr_t)from % bytes)
		std::abort();
	emulated_copies[threadIdx.x].push_back({ to, from, bytes, zeros });
}

static inline void
__pipeline_commit(void)
{
}

static inline void
__pipeline_wait_prior(size_t)
{
	for (const struct emulated_copy &c : emulated_copies[threadIdx.x]) {
		if (c.zeros < c.bytes)
			std::memcpy(c.to, c.from, c.bytes - c.zeros);
		std::memset((char *)c.to + c.bytes - c.zeros, 0, c.zeros);
	}
	emulated_copies[threadIdx.x].clear();
}
