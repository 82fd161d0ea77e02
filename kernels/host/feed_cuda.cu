/*
 * feed_cuda.cu - how batches get to the device while it works.
 *
 *     host      fill 1 | fill 2             | collect 1, fill 3             | collect 2, fill 4
 *     feed              1 lands               2 lands                         3 lands
 *     stream                    begin 1, step 1, results 1 | begin 2, step 2, results 2 | ...
 *
 * The host (data.c) gathers a batch's samples in pinned memory, and a stream of its own copies them
 * to the landing of the next batch, image.next, which the plan keeps free throughout
 * (passes/feed.c). The kernel that begins a step moves the batch from there to where the step reads
 * it, together with the step's numbers, which would otherwise need a copy of their own; then the
 * next batch may land. Events order the two streams; the host waits only before it refills the
 * buffer that the batch before last was copied from.
 *
 * Values that a file holds as bytes cross the bus as bytes, a quarter of the size of floats, and
 * are converted by that kernel (struct sent), with the arithmetic of data_convert(): the same bits.
 * For MNIST one host thread then prepares three million samples a second, against fewer than one
 * million if it converts them itself.
 *
 * Where all samples stay on the device (samples.c), nothing is sent: the kernel that begins a step
 * takes the batch from them, by the same hash that shuffles on the host. Nor are samples that are
 * drawn: a kernel in its place draws them (draw.h).
 */
#include "hash.h"
#ifdef DRAWS
#include "draw.h"
#endif

struct arrival {		/* an input of a batch */
	const void *from;	/* where it landed, or the first of the samples that stay */
	void *to;
	struct sent as;
	int type;		/* of what the step reads */
	int64_t elements;	/* of a sample */
#ifdef DRAWS
	uint64_t stream;	/* if they are drawn */
	int64_t whole;
#endif
};

struct arrivals {
	struct arrival at[MAX_COLUMNS];
	int n;
	int64_t batch;
};

#ifdef RANKS
#define STEPS_SENT	2	/* its own, and the one that draws the same numbers on all ranks (ALIKE) */
#else
#define STEPS_SENT	1
#endif

struct steps {
	struct step at[STEPS_SENT];
#ifdef UPDATE_NUMBERS
	unsigned char *arena;
#endif
};

struct gathering {		/* a batch of samples that stay on the device, or are drawn there: which of all of them */
	bool there;
	bool shuffle;
	uint64_t seed;
	int64_t epoch, first, samples;
#ifdef DRAWS
	bool draws;
#endif
};

struct told {			/* to a step that gathers its batch */
	struct steps steps;
	struct gathering batch;
	unsigned char *results;	/* where they go, in the host's memory, if several are launched together */
};

static __device__ struct step step_on_device[STEPS_SENT];
static struct step *step_there;	/* its address */

static cudaStream_t feed;
static cudaEvent_t moved;	/* on the other stream: nothing is where the next batch lands */
static struct arrivals arriving;	/* the batch that the next step begins with */
static struct gathering gathering;	/* if it is one of samples that stay, or are drawn */
static const struct input *fed;	/* inputs of the last batch */

struct staging {		/* pinned: the inputs of one batch, one after the other */
	unsigned char *bytes;
	cudaEvent_t taken;	/* they have landed */
};

static struct staging staging[2];
static int staging_turn;
static int64_t staging_used;

/* ---- the beginning of a step ---- */

template <typename T> struct alignas(4 * sizeof(T)) four {
	T at[4];
};

DEVICE void
arrive_as(float *to, unsigned char x, double scale)
{
	*to = (float)(x * scale);
}

DEVICE void
arrive_as(double *to, unsigned char x, double scale)
{
	*to = x * scale;
}

DEVICE void
arrive_as(int32_t *to, unsigned char x, double scale)
{
	*to = x * (int32_t)scale;
}

#if NARROW
DEVICE void
arrive_as(elem *to, unsigned char x, double scale)
{
	*to = ELEM((real)(x * scale));
}
#endif

struct share {			/* of what is to be done, a thread's: every STEPth from the FIRST */
	int64_t first, step;
};

#define SHARED(i, n, share)	for (int64_t i = (share).first; i < (n); i += (share).step)

/* Bytes become numbers of type T. */
template <typename T> DEVICE void
arrive_wider(T *to, const unsigned char *from, int64_t n, double scale, struct share s)
{
	bool aligned = (uintptr_t)from % 4 == 0 && (uintptr_t)to % sizeof(struct four<T>) == 0;
	int64_t fours = aligned ? n / 4 : 0;

	SHARED (i, fours, s) {
		uchar4 x = ((const uchar4 *)from)[i];
		struct four<T> y;

		arrive_as(&y.at[0], x.x, scale);
		arrive_as(&y.at[1], x.y, scale);
		arrive_as(&y.at[2], x.z, scale);
		arrive_as(&y.at[3], x.w, scale);
		((struct four<T> *)to)[i] = y;
	}
	SHARED (i, n - 4 * fours, s)
		arrive_as(&to[4 * fours + i], from[4 * fours + i], scale);
}

/* BYTES as they are, as many T as there are whole. */
template <typename T> DEVICE void
arrive_whole(unsigned char *to, const unsigned char *from, int64_t bytes, struct share s)
{
	int64_t whole = bytes / (int64_t)sizeof(T), done = whole * (int64_t)sizeof(T);

	SHARED (i, whole, s)
		((T *)to)[i] = ((const T *)from)[i];
	SHARED (i, bytes - done, s)
		to[done + i] = from[done + i];
}

DEVICE void
arrive_as_is(unsigned char *to, const unsigned char *from, int64_t bytes, struct share s)
{
	uintptr_t off = (uintptr_t)to | (uintptr_t)from;

	if (off % 16 == 0)
		arrive_whole<uint4>(to, from, bytes, s);
	else if (off % 4 == 0)
		arrive_whole<uint32_t>(to, from, bytes, s);
	else
		arrive_whole<unsigned char>(to, from, bytes, s);
}

/* N elements: those FROM there on come TO here on. */
DEVICE void
arrive(const struct arrival *a, int64_t to, int64_t from, int64_t n, struct share s)
{
	const unsigned char *source = (const unsigned char *)a->from + from * a->as.bytes;

	if (a->as.type != TYPE_U8 || a->type == TYPE_U8)
		arrive_as_is((unsigned char *)a->to + to * a->as.bytes, source, n * a->as.bytes, s);
	else if (a->type == TYPE_F32)
		arrive_wider((float *)a->to + to, source, n, a->as.scale, s);
	else if (a->type == TYPE_F64)
		arrive_wider((double *)a->to + to, source, n, a->as.scale, s);
	else if (a->type == TYPE_I32)
		arrive_wider((int32_t *)a->to + to, source, n, a->as.scale, s);
	else
		arrive_wider((elem *)a->to + to, source, n, a->as.scale, s);
}

#ifdef DRAWS
/* The same numbers of samples that are drawn. */
DEVICE void
arrive_drawn(const struct arrival *a, uint64_t seed, int64_t to, int64_t from, int64_t n, struct share s)
{
	SHARED (i, n, s)
		draw(a->type, a->to, to + i, seed, a->stream, (uint64_t)(from + i), a->whole);
}
#endif

/* What a step reads beside its batch. What is left to be worked out is the last thread's, which has
 * the least to do. */
DEVICE void
begin(struct step *there, const struct steps *steps)
{
	EACH (i, STEPS_SENT)
		there[i] = steps->at[i];
#ifdef UPDATE_NUMBERS
	if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1)
		update_numbers(update_numbers_on_device, steps->arena, &steps->at[0]);
#endif
}

KERNEL(begin_kernel, (struct step *there, IN_PLACE(struct steps) steps, IN_PLACE(struct arrivals) all))
{
	struct share mine = { blockIdx.x * (int64_t)blockDim.x + threadIdx.x, gridDim.x * (int64_t)blockDim.x };

	begin(there, &steps);
	for (int k = 0; k < all.n; k++)
		arrive(&all.at[k], 0, 0, all.at[k].elements * all.batch, mine);
}

#define GATHERED	((int64_t)1 << 14)	/* elements of a sample's input that a block takes */

DEVICE_TOO int64_t
gather_pieces(const struct arrivals *all)
{
	int64_t most = 1;

	for (int k = 0; k < all->n; k++)
		most = all->at[k].elements > most ? all->at[k].elements : most;
	return (most + GATHERED - 1) / GATHERED;
}

/* The same from samples, as TAKE has their elements: a block for each, or for each piece of a large
 * one. */
template <class Take> DEVICE void
gather(struct step *there, const struct told *told, const struct arrivals *all, const Take &take)
{
	const struct gathering *b = &told->batch;
	struct share mine = { threadIdx.x, blockDim.x };
	int64_t pieces = gather_pieces(all);

	begin(there, &told->steps);
	ROWS (r, all->batch * pieces) {
		int64_t j = quotient(r, pieces), at = (r - j * pieces) * GATHERED;
		ONCE(int64_t, sample, b->shuffle ? shuffled(b->seed, b->epoch, b->first + j, b->samples) : b->first + j);

		for (int k = 0; k < all->n; k++) {
			int64_t n = all->at[k].elements, left = n - at;

			if (left > 0)
				take(&all->at[k], j * n + at, sample * n + at, left < GATHERED ? left : GATHERED, mine);
		}
		__syncthreads();
	}
}

/* From those that stay. */
DEVICE void
gather_kept(struct step *there, const struct told *told, const struct arrivals *all)
{
	gather(there, told, all, [](const struct arrival *a, int64_t to, int64_t from, int64_t n, struct share s) {
		arrive(a, to, from, n, s);
	});
}

KERNEL(gather_kernel, (struct step *there, IN_PLACE(struct told) told, IN_PLACE(struct arrivals) all))
{
	gather_kept(there, &told, &all);
}

#ifdef DRAWS
/* As they are drawn. */
KERNEL(draw_kernel, (struct step *there, IN_PLACE(struct told) told, IN_PLACE(struct arrivals) all))
{
	uint64_t seed = told.batch.seed;

	gather(there, &told, &all, [=](const struct arrival *a, int64_t to, int64_t from, int64_t n, struct share s) {
		arrive_drawn(a, seed, to, from, n, s);
	});
}
#endif

static struct steps
steps_to_send(const struct step *step)
{
	struct steps all;

	all.at[0] = *step;
#ifdef RANKS
	all.at[1] = *step->alike;
#endif
#ifdef UPDATE_NUMBERS
	all.arena = arena;
#endif
	return all;
}

/* Gives the step its numbers and the batch that landed last, if none had it yet, or that is to be
 * gathered. */
static void
feed_step(const struct step *step)
{
	int64_t most = 0;
	struct told told;

	told.steps = steps_to_send(step);
	told.batch = gathering;
	told.results = NULL;
	for (int k = 0; k < arriving.n; k++)
		most = arriving.at[k].elements > most ? arriving.at[k].elements : most;
	if (!gathering.there)
		LAUNCH(begin_kernel, most * arriving.batch / 4 + 1, (step_there, told.steps, arriving));
#ifdef DRAWS
	else if (gathering.draws)
		LAUNCH_ROWS(draw_kernel, arriving.batch * gather_pieces(&arriving), (step_there, told, arriving));
#endif
	else
		LAUNCH_ROWS(gather_kernel, arriving.batch * gather_pieces(&arriving), (step_there, told, arriving));
	if (arriving.n)
		CUDA(cudaEventRecord(moved, stream));
	arriving.n = 0;
	gathering.there = false;
}

/* ---- batches ---- */

/* Is it this stage's? Those of others are read with it, and not kept. */
static bool
input_is_here(const struct input *in)
{
	return in->offset >= 0;
}

/* Where a step reads it. */
static void *
input_place(const struct input *in)
{
#ifdef BACK_APART
	return arena + in->offset + slot_now * in->stride;
#else
	return arena + in->offset;
#endif
}

/* One with slots is alive for all of an update. */
static void
input_alive(const struct input *in)
{
#ifdef BACK_APART
	if (in->stride && !slot_first)
		return;
#endif
	LIVE(in->buffer);
}

/* Bytes of an input in pinned memory. */
static int64_t
staging_for(const struct input *in, int bytes, int64_t batch)
{
	return (in->elements * bytes * batch + 255) / 256 * 256;
}

static int64_t
staging_for_all(const struct input *in, int n, int64_t batch)
{
	int64_t total = 0;

	for (int k = 0; k < n; k++)
		total += staging_for(&in[k], type_table[in[k].type].bytes, batch);
	return total;
}

/* Does the device make the input's values of those of a file of that type? */
static bool
device_converts(const struct input *in, int type)
{
	return type == TYPE_U8 && in->type != TYPE_U8;
}

/* Where the host writes the batch of an input, before device_inputs_ready(). */
static void *
device_input(const struct input *in, struct sent as, int64_t batch)
{
	struct staging *s = &staging[staging_turn];
	struct arrival *a = &arriving.at[arriving.n++];
	void *at = s->bytes + staging_used;

	if (staging_used == 0)
		CUDA(cudaEventSynchronize(s->taken));
	a->from = arena + in->lands;
	a->to = input_place(in);
	a->as = as;
	a->type = in->type;
	a->elements = in->elements;
	arriving.batch = batch;
	staging_used += staging_for(in, as.bytes, batch);
	return at;
}

/* Lets the batch land. What another graph does may lie there: then that must be over first. */
static void
device_inputs_ready(const struct input *in, int n, int64_t batch)
{
	struct staging *s = &staging[staging_turn];
	const struct arrival *a = arriving.at;
	int64_t at = 0;

	if (in != fed)
		CUDA(cudaEventRecord(moved, stream));
	fed = in;
	CUDA(cudaStreamWaitEvent(feed, moved, 0));
	for (int k = 0; k < n; k++) {
		if (!input_is_here(&in[k]))
			continue;
		input_alive(&in[k]);
		CUDA(cudaMemcpyAsync(arena + in[k].lands, s->bytes + at,
		    (size_t)(in[k].elements * a->as.bytes * batch), cudaMemcpyHostToDevice, feed));
		at += staging_for(&in[k], a->as.bytes, batch);
		a++;
	}
	CUDA(cudaEventRecord(s->taken, feed));
	CUDA(cudaStreamWaitEvent(stream, s->taken, 0));
	staging_used = 0;
	staging_turn ^= 1;
}

/* The next step takes its batch from samples that stay, which begin HERE, one input after the
 * other, or draws it. */
static void
device_gathers(const struct input *in, const struct sent *as, int n, int64_t batch, const unsigned char *here,
    const struct gathering *which)
{
	arriving.n = 0;
	for (int k = 0; k < n; k++) {
		struct arrival *a = &arriving.at[arriving.n];

		if (!input_is_here(&in[k]))
			continue;
		input_alive(&in[k]);
		a->from = here;
		a->to = input_place(&in[k]);
		a->as = as[k];
		a->type = in[k].type;
		a->elements = in[k].elements;
#ifdef DRAWS
		a->stream = seed_stream(in[k].name);
		a->whole = draw_classes(&in[k]);
#endif
		here += staging_for(&in[k], as[k].bytes, which->samples);
		arriving.n++;
	}
	arriving.batch = batch;
	gathering = *which;
	fed = in;
}

static void *device_pinned(int64_t bytes);

static void
feed_open(void)
{
	int64_t bytes = 0, most = 256;

#ifdef TRAINS
	bytes = staging_for_all(train_inputs, TRAIN_INPUTS, TRAIN_BATCH);
	most = bytes > most ? bytes : most;
#endif
#ifdef VALIDATES
	bytes = staging_for_all(validate_inputs, VALIDATE_INPUTS, VALIDATE_BATCH);
	most = bytes > most ? bytes : most;
#endif
	for (int i = 0; i < 2; i++) {
		staging[i].bytes = (unsigned char *)device_pinned(most);
		CUDA(cudaEventCreateWithFlags(&staging[i].taken, cudaEventDisableTiming));
	}
	CUDA(cudaStreamCreateWithFlags(&feed, cudaStreamNonBlocking));
	CUDA(cudaEventCreateWithFlags(&moved, cudaEventDisableTiming));
	CUDA(cudaGetSymbolAddress((void **)&step_there, step_on_device));
#ifdef UPDATE_NUMBERS
	CUDA(cudaGetSymbolAddress((void **)&update_number, update_numbers_on_device));
#endif
}
