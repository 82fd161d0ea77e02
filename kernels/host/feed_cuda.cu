/*
 * feed_cuda.cu - how batches get to the device while it works.
 *
 *     host      fill 1 | fill 2             | collect 1, fill 3             | collect 2, fill 4
 *     feed              1 lands               2 lands                         3 lands
 *     stream                    begin 1, step 1, results 1 | begin 2, step 2, results 2 | ...
 *
 * The host (data.c) gathers a batch's samples in pinned memory, and a stream of its own copies them to
 * the landing of the next batch, image.next, which the plan keeps free throughout (passes/feed.c).
 * The kernel that begins a step moves the batch from there to where the step reads it, together with
 * the step's numbers, which would otherwise need a copy of their own; then the next batch may land.
 * Events order the two streams; the host waits only before it refills the buffer that the batch
 * before last was copied from.
 *
 * Values that a file holds as bytes cross the bus as bytes, a quarter of the size of floats, and are
 * converted by that kernel (struct sent), with the arithmetic of data_convert(): the same bits. For
 * MNIST one host thread then prepares three million samples a second, against fewer than one million
 * if it converts them itself.
 */
struct arrival {		/* an input of a batch */
	const void *from;	/* where it landed */
	void *to;
	struct sent as;
	int type;		/* of what the step reads */
	int64_t n;		/* elements */
};

struct arrivals {
	struct arrival at[MAX_COLUMNS];
	int n;
};

#ifdef RANKS
#define STEPS_SENT	2	/* its own, and the one that draws the same numbers on all ranks (ALIKE) */
#else
#define STEPS_SENT	1
#endif

struct steps {
	struct step at[STEPS_SENT];
};

static __device__ struct step step_on_device[STEPS_SENT];
static struct step *step_there;	/* its address */

static cudaStream_t feed;
static cudaEvent_t moved;	/* on the other stream: nothing is where the next batch lands */
static struct arrivals arriving;	/* the batch that the next step begins with */
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

/* Bytes become numbers of type T. */
template <typename T> DEVICE void
arrive_wider(T *to, const struct arrival *a)
{
	const unsigned char *from = (const unsigned char *)a->from;
	int64_t fours = a->n / 4;

	EACH (i, fours) {
		uchar4 x = ((const uchar4 *)from)[i];
		struct four<T> y;

		arrive_as(&y.at[0], x.x, a->as.scale);
		arrive_as(&y.at[1], x.y, a->as.scale);
		arrive_as(&y.at[2], x.z, a->as.scale);
		arrive_as(&y.at[3], x.w, a->as.scale);
		((struct four<T> *)to)[i] = y;
	}
	EACH (i, a->n - 4 * fours)
		arrive_as(&to[4 * fours + i], from[4 * fours + i], a->as.scale);
}

DEVICE void
arrive_as_is(const struct arrival *a, int64_t bytes)
{
	const unsigned char *from = (const unsigned char *)a->from;
	unsigned char *to = (unsigned char *)a->to;
	int64_t sixteens = bytes / 16;

	EACH (i, sixteens)
		((uint4 *)to)[i] = ((const uint4 *)from)[i];
	EACH (i, bytes - 16 * sixteens)
		to[16 * sixteens + i] = from[16 * sixteens + i];
}

DEVICE void
arrive(const struct arrival *a)
{
	if (a->as.type != TYPE_U8 || a->type == TYPE_U8)
		arrive_as_is(a, a->n * a->as.bytes);
	else if (a->type == TYPE_F32)
		arrive_wider((float *)a->to, a);
	else if (a->type == TYPE_F64)
		arrive_wider((double *)a->to, a);
	else if (a->type == TYPE_I32)
		arrive_wider((int32_t *)a->to, a);
	else
		arrive_wider((elem *)a->to, a);
}

KERNEL(begin_kernel, (struct step *there, struct steps steps, struct arrivals all))
{
	EACH (i, STEPS_SENT)
		there[i] = steps.at[i];
	for (int k = 0; k < all.n; k++)
		arrive(&all.at[k]);
}

/* Gives the step its numbers and the batch that landed last, if none had it yet. */
static void
feed_step(const struct step *step)
{
	int64_t most = 0;
	struct steps steps;

	steps.at[0] = *step;
#ifdef RANKS
	steps.at[1] = *step->alike;
#endif
	for (int k = 0; k < arriving.n; k++)
		most = arriving.at[k].n > most ? arriving.at[k].n : most;
	LAUNCH(begin_kernel, most / 4 + 1, (step_there, steps, arriving));
	if (arriving.n)
		CUDA(cudaEventRecord(moved, stream));
	arriving.n = 0;
}

/* ---- batches ---- */

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
	a->to = arena + in->offset;
	a->as = as;
	a->type = in->type;
	a->n = in->elements * batch;
	staging_used += staging_for(in, as.bytes, batch);
	return at;
}

/* Lets the batch land. What another graph does may lie there: then that must be over first. */
static void
device_inputs_ready(const struct input *in, int n, int64_t batch)
{
	struct staging *s = &staging[staging_turn];
	int64_t at = 0;

	if (in != fed)
		CUDA(cudaEventRecord(moved, stream));
	fed = in;
	CUDA(cudaStreamWaitEvent(feed, moved, 0));
	for (int k = 0; k < n; k++) {
		const struct sent *as = &arriving.at[k].as;

		LIVE(in[k].buffer);
		CUDA(cudaMemcpyAsync(arena + in[k].lands, s->bytes + at,
		    (size_t)(in[k].elements * as->bytes * batch), cudaMemcpyHostToDevice, feed));
		at += staging_for(&in[k], as->bytes, batch);
	}
	CUDA(cudaEventRecord(s->taken, feed));
	CUDA(cudaStreamWaitEvent(stream, s->taken, 0));
	staging_used = 0;
	staging_turn ^= 1;
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
}
