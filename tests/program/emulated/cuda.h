/*
 * As much of CUDA as kernels need, on a host: a launch runs its blocks one after the other, each as
 * 256 contexts, of which one runs until it comes to a barrier or to its end, and then the next of
 * its warp; a warp goes on until all its threads are at a barrier of the block, and so is ahead of
 * those behind it, and behind those ahead. So indices, shared memory and sums can be tried where
 * there is no GPU; tests/program/emulated.test puts it in place of CUDA's own words. Contexts live
 * on from block to block, and each goes to the next one by a jump, since most of these tests' time
 * is spent on the way: swapcontext asks the system for the mask of signals each time, and longjmp
 * is dozens of instructions more than the compiler's own jump.
 */
#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#define __CUDACC__
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
typedef int cudaStream_t;

#ifdef __x86_64__	/* elsewhere compilers may have none */
typedef void *emulated_place[5];
#define emulated_here(place)	__builtin_setjmp(place)
#define emulated_jump(place)	__builtin_longjmp(place, 1)
#else
#include <setjmp.h>
typedef jmp_buf emulated_place;
#define emulated_here(place)	_setjmp(place)
#define emulated_jump(place)	_longjmp(place, 1)
#endif

/* in a function of its own: none may have both */
__attribute__((noinline, noreturn)) static void
emulated_go(emulated_place &place)
{
	emulated_jump(place);
}

#define EMULATED_THREADS	256
#define EMULATED_STACK	(64 << 10)

struct dim { unsigned x; };
static struct dim threadIdx, blockIdx, blockDim = { EMULATED_THREADS }, gridDim;
static emulated_place emulated_main;
static std::function<void()> emulated_kernel;

/* the contexts of a block, by thread: of each that is there at a time */
static struct emulated_contexts {
	emulated_place thread[EMULATED_THREADS];
	bool begun[EMULATED_THREADS], done[EMULATED_THREADS];
	bool waits[EMULATED_THREADS];	/* for all of its block, or is done */
	bool meets[EMULATED_THREADS];	/* for all of all blocks */
	char (*stack)[EMULATED_STACK];
} emulated_first, *emulated_of = &emulated_first;

static inline float
__fmul_rn(float a, float b)
{
	return a * b;
}

static inline double
__dmul_rn(double a, double b)
{
	return a * b;
}

/* The next thread of the warp goes on, if it is on its way; else who began this one looks for
 * another. */
__attribute__((noinline)) static void
__syncwarp(void)
{
	unsigned next = threadIdx.x + 1;

	if (emulated_here(emulated_of->thread[threadIdx.x]))
		return;
	if (next % 32 == 0 || !emulated_of->begun[next] || emulated_of->waits[next])
		emulated_go(emulated_main);
	threadIdx.x = next;
	emulated_go(emulated_of->thread[next]);
}

static inline void
__syncthreads(void)
{
	emulated_of->waits[threadIdx.x] = true;
	__syncwarp();
}

/* All blocks of a cooperative launch wait for one another. */
static inline void
emulated_meet(void)
{
	emulated_of->meets[threadIdx.x] = true;
	__syncthreads();
}

/* a thread of every block there is: at its end it waits for the next one */
static void
emulated_run(void)
{
	for (;;) {
		emulated_kernel();
		emulated_of->done[threadIdx.x] = true;
		__syncthreads();
	}
}

static void
emulated_begin(unsigned t)
{
	ucontext_t context;

	if (!emulated_of->stack)
		emulated_of->stack = (char (*)[EMULATED_STACK])std::malloc(EMULATED_THREADS * EMULATED_STACK);
	emulated_of->begun[t] = true;
	getcontext(&context);
	context.uc_stack.ss_sp = emulated_of->stack[t];
	context.uc_stack.ss_size = EMULATED_STACK;
	context.uc_link = NULL;
	makecontext(&context, emulated_run, 0);
	setcontext(&context);
}

/* Until it comes to a barrier, or to its end, and those behind it, as far as they follow: the last
 * of them is threadIdx.x. */
__attribute__((noinline)) static void
emulated_continue(unsigned t)
{
	threadIdx.x = t;
	if (emulated_here(emulated_main))
		return;
	if (emulated_of->begun[t])
		emulated_go(emulated_of->thread[t]);
	emulated_begin(t);
}

/* All threads of a warp, until each is at a barrier of the block, or done. */
static void
emulated_warp(unsigned first)
{
	const bool *waits = emulated_of->waits;

	for (bool more = true; more;) {
		more = false;
		for (unsigned t = first; t < first + 32; t++)
			if (!waits[t]) {
				emulated_continue(t);
				t = threadIdx.x;
				more = true;
			}
	}
}

/* All threads, until they are at a barrier of the block, or done: how many are that now. */
static int
emulated_round(void)
{
	int done = 0;

	std::memcpy(emulated_of->waits, emulated_of->done, sizeof(emulated_of->waits));
	for (unsigned t = 0; t < EMULATED_THREADS; t += 32)
		emulated_warp(t);
	for (unsigned t = 0; t < EMULATED_THREADS; t++)
		done += emulated_of->done[t];
	return done;
}

static void
emulated_block(void)
{
	std::memset(emulated_of->done, 0, sizeof(emulated_of->done));
	while (emulated_round() < EMULATED_THREADS)
		;
}

/* A block of several, until all of its threads wait for the other blocks: how many do. None: it is
 * at its end. */
static int
emulated_until_met(void)
{
	int meets = 0, done = 0;

	std::memset(emulated_of->meets, 0, sizeof(emulated_of->meets));
	while (meets + done < EMULATED_THREADS) {
		done = emulated_round();
		meets = 0;
		for (int t = 0; t < EMULATED_THREADS; t++)
			meets += emulated_of->meets[t];
		if (meets && meets < EMULATED_THREADS)	/* the others wait for those, which wait for other blocks */
			std::abort();
	}
	return meets;
}

/* Shared memory that a launch gives: nothing may be written behind it. */
#define EMULATED_GIVEN	(227 << 10)
#define EMULATED_UNTOUCHED	0xa5
static unsigned char emulated_given[EMULATED_GIVEN] __attribute__((aligned(128)));

/* No template, as a program has dozens of kernels. */
static void	emulate(unsigned blocks, const std::function<void()> &kernel);

static inline void
emulate_given(unsigned blocks, size_t given, const std::function<void()> &kernel)
{
	if (given > EMULATED_GIVEN)
		std::abort();
	std::memset(emulated_given + given, EMULATED_UNTOUCHED, EMULATED_GIVEN - given);
	emulate(blocks, kernel);
	if (given < EMULATED_GIVEN && (emulated_given[given] != EMULATED_UNTOUCHED ||
	    std::memcmp(&emulated_given[given], &emulated_given[given + 1], EMULATED_GIVEN - given - 1)))
		std::abort();
}

/* Has a thread's copy arrived in shared memory that wgmma_seen() has not been told of? */
static bool emulated_unseen[EMULATED_THREADS];

#ifndef EMULATED_CUDA_RUNTIME_H
enum { cudaFuncAttributeMaxDynamicSharedMemorySize };
struct cudaFuncAttributes { int ptxVersion; };

/* Code is for the card that the test says; without, it has no tensor cores. */
template <class Kernel> static void
cudaFuncGetAttributes(struct cudaFuncAttributes *of, const Kernel &)
{
#ifdef __CUDA_ARCH__
	of->ptxVersion = __CUDA_ARCH__ / 10;
#else
	of->ptxVersion = 0;
#endif
}

template <class Kernel> static void
cudaFuncSetAttribute(const Kernel &, int, int)
{
}
#endif

static int emulated_processors = 1;	/* what the tiles of a product depend on */
enum { cudaDevAttrMultiProcessorCount };

static inline void
cudaGetDevice(int *device)
{
	*device = 0;
}

static inline void
cudaDeviceGetAttribute(int *value, int, int)
{
	*value = emulated_processors;
}

static void
emulate(unsigned blocks, const std::function<void()> &kernel)
{
	emulated_kernel = kernel;
	gridDim.x = blocks;
	for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
		emulated_block();
}

/* A cooperative launch. Between two meetings its blocks run one after the other, as far as they
 * can: what should have waited for another block's and did not is done too soon, or too late, as
 * the last of them comes first every other time. */
template <class Kernel> static void
emulate_meeting(unsigned blocks, size_t given, const Kernel &kernel)
{
	static std::vector<emulated_contexts *> all;
	unsigned meet = blocks;

	while (all.size() < blocks)
		all.push_back(new emulated_contexts());
	if (given > EMULATED_GIVEN)
		std::abort();
	emulated_kernel = kernel;
	gridDim.x = blocks;
	for (unsigned b = 0; b < blocks; b++)
		std::memset(all[b]->done, 0, sizeof(all[b]->done));
	for (bool back = false; meet == blocks; back = !back) {
		meet = 0;
		for (unsigned b = 0; b < blocks; b++) {
			blockIdx.x = back ? blocks - 1 - b : b;
			emulated_of = all[blockIdx.x];
			meet += emulated_until_met() > 0;
		}
		if (meet && meet < blocks)	/* for those that have come to their end */
			std::abort();
	}
	emulated_of = &emulated_first;
}

/* in place of kernel.h's, which shuffles among the threads of a warp */
template <typename T> static T
emulated_reduction(T x, bool largest)
{
	static T all[256], y;

	all[threadIdx.x] = x;
	__syncthreads();
	if (threadIdx.x == 0) {
		y = all[0];
		for (int i = 1; i < 256; i++)
			y = !largest ? y + all[i] : all[i] > y ? all[i] : y;
	}
	__syncthreads();
	return y;
}

static inline int
__syncthreads_and(int x)
{
	return !emulated_reduction(x ? 0 : 1, true);
}

template <typename T> static T
block_sum(T x)
{
	return emulated_reduction(x, false);
}

template <typename T> static T
lanes_sum(T x, int lanes)
{
	static T all[256];

	if (lanes > 32)
		return block_sum(x);
	for (int lane = lanes / 2; lane; lane /= 2) {
		all[threadIdx.x] = x;
		__syncthreads();
		x += all[threadIdx.x ^ lane];
		__syncthreads();
	}
	return x;
}

template <typename T> static T
block_max(T x)
{
	return emulated_reduction(x, true);
}

template <typename T> static T
lanes_max(T x, int lanes)
{
	static T all[256];

	if (lanes > 32)
		return block_max(x);
	for (int lane = lanes / 2; lane; lane /= 2) {
		all[threadIdx.x] = x;
		__syncthreads();
		x = all[threadIdx.x ^ lane] > x ? all[threadIdx.x ^ lane] : x;
		__syncthreads();
	}
	return x;
}
