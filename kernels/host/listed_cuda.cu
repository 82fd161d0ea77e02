/*
 * listed_cuda.cu - the kernel that carries out lists of launches (cooperative.h). It stands behind
 * all kernels, each of which it calls by its name.
 */
#ifdef COOPERATIVE

static const int grid_count = __COUNTER__ - grid_first;

/* Has each of the first COUNT numbers a kernel? Where something else counts, in a header of the
 * device alone perhaps, host and device could mean different kernels by one number. */
template <int COUNT> constexpr bool grid_is_whole = grid_numbered<COUNT - 1>::is_kernel && grid_is_whole<COUNT - 1>;
template <> constexpr bool grid_is_whole<0> = true;
static_assert(grid_is_whole<grid_count>, "kernels are numbered by __COUNTER__: something else counts by it, too");

/* The kernel of that number, of the first COUNT. */
template <int COUNT> DEVICE void
grid_run(int which, const void *with)
{
	if constexpr (COUNT > 0) {
		if (which == COUNT - 1)
			grid_numbered<COUNT - 1>::run(with);
		else
			grid_run<COUNT - 1>(which, with);
	}
}

static __global__ void __launch_bounds__(BLOCK, 1)
grid_step_kernel(const unsigned char *list, int64_t bytes)
{
	for (const unsigned char *end = list + bytes; list < end;) {
		const struct grid_record *r = (const struct grid_record *)list;

		if (r->meets)
			cooperative_groups::this_grid().sync();
		else
			__syncthreads();	/* the block is done with its shared memory */
		grid_run<grid_count>(r->which, r + 1);
		list += r->bytes;
	}
}

#endif
