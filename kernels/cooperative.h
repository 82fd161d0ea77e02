/*
 * cooperative.h - launches where one kernel carries out all calls of a small step.
 *
 * Each launch takes microseconds however little it does. So the launches of a step are written down
 * once, and the list of them is what one kernel does, whose blocks all run at the same time:
 *
 *     list     conv | meet | maxpool | meet | conv_weight, bias | meet | ...
 *
 * What was a kernel is a function of the device here, and its code is there once (grid_body::run):
 * a kernel of its own calls it for a launch by itself, and the one for all of the step by the
 * number that it has there (LISTED); so either makes the same bits. Each is called by its name: a
 * function whose address is taken saves registers as any caller might ask, and spills. What it is
 * called with it reads where that lies, on the list; large parameters are marked IN_PLACE, since a
 * copy would be one for each thread. Its blocks are
 * as many as the card runs at a time, not as many as a launch by itself would have, which is
 * nothing to EACH and ROWS. A block does its share of what is on the list one after the other;
 * where they meet, all wait until every block is over with its share of what is before. A step says
 * it before each call: MEETS(1), or MEETS(0) where the call depends on nothing since they met. If
 * it is made of several launches, they meet between those, too.
 */
#ifndef STOWAGE_COOPERATIVE_H
#define STOWAGE_COOPERATIVE_H

#include <cooperative_groups.h>

#define KERNEL(name, params)	DEVICE void name params; LISTED(name, name); DEVICE void name params
#define KERNELS(name, what, one, other, params)							\
	template <what> DEVICE void name params;						\
	LISTED(name, name<one>);								\
	LISTED(name, name<other>);								\
	template <what> DEVICE void name params
#define IN_PLACE(type)	const type &
#define ENTRY(name)	grid_call<name>::kernel()
#define LAUNCH_ROWS(name, n, args)	(grid_call<name>(grid(n), 0) args, LAUNCHED(name))
#define MEETS(all)	grid_list_goes_on(all)

/* A kernel that may be on a list has a number. Products, which are as many as there are kinds of
 * jobs, are LISTED before what launches them, in programs that have NAME. Host and device count
 * alike, since nothing else in a program counts by this (grid_is_whole). */
#define LISTED(name, ...)	LISTED_AS(__COUNTER__, __VA_ARGS__)
#define LISTED_AS(number, ...)									\
	template <> struct grid_number<__VA_ARGS__> {						\
		static const int value = number - grid_first;					\
	};											\
	template <> struct grid_numbered<number - grid_first> {				\
		static const bool is_kernel = true;						\
		static DEVICE_METHOD void							\
		run(const void *with)								\
		{										\
			grid_body<__VA_ARGS__>::run(with);					\
		}										\
	}

static const int grid_first = __COUNTER__ + 1;

template <auto Body> struct grid_number;	/* of one that is not LISTED there is none */

template <int NUMBER> struct grid_numbered {	/* no kernel */
	static const bool is_kernel = false;
	static DEVICE_METHOD void
	run(const void *)
	{
	}
};

/* A launch on the list; what its function is called with lies behind it. */
struct alignas(16) grid_record {
	int which;		/* its number */
	int bytes;		/* with what lies behind */
	int meets;		/* 1: behind all that is before it */
};

static struct {			/* the list that is written */
	bool open;		/* launches are written down */
	bool owed;		/* the next one meets, and it does */
	bool within;		/* so does it: it is not the first of a call */
	int64_t at, room;	/* bytes of it; more than there is room for: it is of no use */
	int blocks;		/* the most that a launch would have */
	size_t given;		/* and of shared memory */
	unsigned char *bytes;
} grid_list;

/* Another call's launches come next. */
static inline void
grid_list_goes_on(bool meets)
{
	grid_list.owed |= meets;
	grid_list.within = false;
}

/* As what a parameter lies there: what is read in place as itself. */
template <class P> struct grid_value {
	typedef P type;
};

template <class P> struct grid_value<const P &> {
	typedef P type;
};

/* What a function is called with, as it lies behind a record. */
template <class... P> struct grid_with;

template <> struct grid_with<> {
};

template <class A, class... P> struct grid_with<A, P...> {
	A first;
	struct grid_with<P...> rest;
};

static inline void
grid_fill(struct grid_with<> &)
{
}

template <class A, class... P> static inline void
grid_fill(struct grid_with<A, P...> &with, const A &first, const P &... rest)
{
	with.first = first;
	grid_fill(with.rest, rest...);
}

/* Calls it with that. */
template <auto Body, class... Q> DEVICE void
grid_spread(const struct grid_with<> &, const Q &... before)
{
	Body(before...);
}

template <auto Body, class A, class... P, class... Q> DEVICE void
grid_spread(const struct grid_with<A, P...> &with, const Q &... before)
{
	grid_spread<Body>(with.rest, before..., with.first);
}

template <auto Body> struct grid_body;

template <class... P, void (*Body)(P...)> struct grid_body<Body> {
	typedef struct grid_with<typename grid_value<P>::type...> with;

	static __device__ __noinline__ void
	run(const void *w)
	{
		grid_spread<Body>(*(const with *)w);
	}
};

/* The same as one number of bytes: the types that they are of are not all named so that nvcc can
 * put them into the name of a kernel. */
template <int BYTES> struct alignas(16) grid_bytes {
	unsigned char at[BYTES];
};

#if CUDART_VERSION >= 11070
#define GRID_GIVEN	const __grid_constant__
#else
#define GRID_GIVEN	/* each thread makes a copy */
#endif

template <auto Body, int BYTES> static __global__ void __launch_bounds__(BLOCK, 1)
grid_kernel(GRID_GIVEN struct grid_bytes<BYTES> with)
{
	grid_body<Body>::run(&with);
}

/* Another launch. */
static inline void
grid_write(int which, int blocks, size_t given, const void *with, int bytes)
{
	struct grid_record r = { which, (int)sizeof(r) + bytes, grid_list.owed || grid_list.within };

	if (grid_list.at + r.bytes <= grid_list.room) {
		memcpy(grid_list.bytes + grid_list.at, &r, sizeof(r));
		memcpy(grid_list.bytes + grid_list.at + sizeof(r), with, (size_t)bytes);
	}
	grid_list.at += r.bytes;
	grid_list.owed = false;
	grid_list.within = true;
	grid_list.blocks = blocks > grid_list.blocks ? blocks : grid_list.blocks;
	grid_list.given = given > grid_list.given ? given : grid_list.given;
}

/* A launch of BLOCKS, with so much shared memory: on its way to the card, or to the list. */
template <auto Body> struct grid_call;

template <class... P, void (*Body)(P...)> struct grid_call<Body> {
	typedef typename grid_body<Body>::with with;
	static const int BYTES = (sizeof(with) + 15) / 16 * 16;
	unsigned blocks;
	size_t room;

	grid_call(unsigned blocks_, size_t room_) : blocks(blocks_), room(room_)
	{
	}

	static auto
	kernel(void)
	{
		return grid_kernel<Body, BYTES>;
	}

	void
	operator()(P... p) const
	{
		struct grid_bytes<BYTES> bytes = {};
		with w = {};

		grid_fill(w, static_cast<const typename grid_value<P>::type &>(p)...);
		memcpy(&bytes, (const void *)&w, sizeof(w));
		if (!grid_list.open) {
			grid_kernel<Body, BYTES><<<blocks, BLOCK, room, stream>>>(bytes);
			return;
		}
		grid_write(grid_number<Body>::value, (int)blocks, room, &bytes, BYTES);
	}
};

/* All that is on a list, by as many blocks as run at the same time: host/listed_cuda.cu, behind all
 * that is LISTED. */
static __global__ void	grid_step_kernel(const unsigned char *list, int64_t bytes);

#endif
