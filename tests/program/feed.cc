/*
 * kernels/host/feed_cuda.cu without a GPU: two streams that run whenever they may, in an order drawn
 * anew each round, each copy in two halves. Every step must find its own numbers and its own batch,
 * from its beginning to its end, converted to the very bits of the host's arithmetic; the landing of
 * either graph lies where the other one works. In a part of the rounds training's samples stay on the device. tests/program/feed.test
 * breaks the file in several ways, and each must be noticed.
 */
#include <deque>
#include <functional>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utility>
#include <vector>

/* ---- what there is of CUDA ---- */

struct event {
	int recorded, done;
};

struct task {
	struct event *after;	/* NULL: it may run at once */
	int number;		/* else when that many of its records are done */
	std::function<void()> run;
};

typedef std::deque<task> *cudaStream_t;
typedef struct event *cudaEvent_t;

static std::deque<task> streams[2];
static cudaStream_t stream = &streams[0];
static int hurry;		/* at most so many tasks run whenever one is added */

static bool
run_one(void)
{
	int first = rand() % 2;

	for (int i = 0; i < 2; i++) {
		cudaStream_t s = &streams[(first + i) % 2];

		if (s->empty() || (s->front().after && s->front().after->done < s->front().number))
			continue;
		task t = s->front();

		s->pop_front();
		t.run();
		return true;
	}
	return false;
}

static void
add(cudaStream_t s, struct event *after, std::function<void()> run)
{
	s->push_back({ after, after ? after->recorded : 0, std::move(run) });
	for (int k = rand() % (hurry + 1); k > 0 && run_one(); k--)
		;
}

static void
cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
	int number = ++e->recorded;

	add(s, NULL, [=] { e->done = number; });
}

static void
cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, int)
{
	add(s, e, [] { });
}

static void
cudaEventSynchronize(cudaEvent_t e)
{
	for (int number = e->recorded; e->done < number;)
		if (!run_one()) {
			printf("the host waits for ever\n");
			exit(1);
		}
}

enum { cudaMemcpyHostToDevice, cudaEventDisableTiming, cudaStreamNonBlocking };

static void
cudaMemcpyAsync(void *to, const void *from, size_t n, int, cudaStream_t s)
{
	add(s, NULL, [=] { memcpy(to, from, n / 2); });
	add(s, NULL, [=] { memcpy((char *)to + n / 2, (const char *)from + n / 2, n - n / 2); });
}

static void
cudaEventCreateWithFlags(cudaEvent_t *e, int)
{
	*e = new event();
}

static void
cudaStreamCreateWithFlags(cudaStream_t *s, int)
{
	*s = &streams[1];
}

template <typename T> static void
cudaGetSymbolAddress(void **at, T &symbol)
{
	*at = &symbol;
}

static struct {
	unsigned x;
} threadIdx, blockIdx, gridDim, blockDim;

struct alignas(4) uchar4 {
	unsigned char x, y, z, w;
};

struct alignas(16) uint4 {
	unsigned x, y, z, w;
};

#define __device__
#define DEVICE_TOO	static inline
#define ROWS(r, n)	for (int64_t r = blockIdx.x; r < (n); r += gridDim.x)
#define ONCE(type, name, value)	static type name; if (threadIdx.x == 0) name = (value)
#define __syncthreads()	((void)0)
#define quotient(j, by)	((j) / (by))
#define CUDA(call)	(call)
#define DEVICE	static inline
#define KERNEL(name, params)	static void name params
#define IN_PLACE(type)	type
#define EACH(i, n)	for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < (n);	\
	    i += gridDim.x * (int64_t)blockDim.x)
#define ARGUMENTS(...)	__VA_ARGS__
/* At most three blocks, so that loops over the grid go round; of rows a block each, as its threads come one by one. */
#define LAUNCH(name, n, args)	launch(name, (n) < 256 ? 1 : (n) < 512 ? 2 : 3, ARGUMENTS args)
#define LAUNCH_ROWS(name, n, args)	launch(name, (unsigned)(n), ARGUMENTS args)

template <typename F, typename... A> static void
launch(F kernel, unsigned blocks, A... a)
{
	add(stream, NULL, [=] {
		gridDim.x = blocks;
		blockDim.x = 256;
		for (unsigned t = 0; t < gridDim.x * 256; t++) {
			blockIdx.x = t / 256;
			threadIdx.x = t % 256;
			kernel(a...);
		}
	});
}

/* ---- what there is of the program ---- */

typedef float real, elem;
#define NARROW	0
#define ELEM(x)	(x)
#define LIVE(k)	((void)(k))
#define MAX_COLUMNS	8
enum { TYPE_F32, TYPE_F64, TYPE_I32, TYPE_U8 };
static const struct {
	int bytes;
} type_table[] = { {4}, {8}, {4}, {1} };

struct step {
	int64_t update;
	double lr;
};

struct input {
	int type;
	int64_t elements, offset;
	int buffer;
	int64_t lands;
};

struct sent {
	int type, bytes;
	double scale;
};

static void *
device_pinned(int64_t bytes)
{
	return malloc((size_t)bytes);
}

#define TRAINS
#define VALIDATES
#define INPUTS	2
enum { TRAIN_INPUTS = INPUTS, VALIDATE_INPUTS = INPUTS, TRAIN_BATCH = 5, VALIDATE_BATCH = 90 };

alignas(256) static unsigned char arena[65536];
static const struct input train_inputs[] = {
	{ TYPE_F32, 49, 0, 0, 32768 }, { TYPE_I32, 1, 20480, 1, 53248 },
};
static const struct input validate_inputs[] = {
	{ TYPE_F32, 49, 32768, 2, 0 }, { TYPE_I32, 1, 53248, 3, 20480 },
};

#include FEED

/* ---- the test ---- */

static int mistakes;

/* Element I of input K in step NUMBER: a byte, which is a float once it is scaled. */
static unsigned char
value(int number, int k, int64_t i)
{
	return (unsigned char)(number * 37 + i * 7 + k);
}

/* Fills an input as data.c does; returns what the step is to find. */
static std::vector<unsigned char>
fill(const struct input *in, int k, int64_t b, int number, bool bytes)
{
	struct sent as = { bytes ? TYPE_U8 : in->type, bytes ? 1 : 4, k == 0 ? 1 / 255.0 : 1 };
	unsigned char *to = (unsigned char *)device_input(in, as, b);
	std::vector<unsigned char> want((size_t)(4 * b * in->elements));

	for (int64_t i = 0; i < b * in->elements; i++) {
		unsigned char x = value(number, k, i);
		float f = (float)(x * as.scale);
		int32_t n = x;

		memcpy(&want[(size_t)(4 * i)], k == 0 ? (void *)&f : (void *)&n, 4);
		if (bytes)
			to[i] = x;
		else
			memcpy(to + 4 * i, &want[(size_t)(4 * i)], 4);
	}
	return want;
}

#define SAMPLES	23

alignas(256) static unsigned char samples[2][8192];	/* as bytes, and as they are read */

/* Where input K of the samples begins that stay, of so many bytes a number. */
static unsigned char *
samples_of(const struct input *in, int k, bool bytes)
{
	return samples[bytes ? 0 : 1] + (k ? staging_for(&in[0], bytes ? 1 : 4, SAMPLES) : 0);
}

static void
keep(const struct input *in)
{
	for (int k = 0; k < INPUTS; k++)
		for (int64_t i = 0; i < SAMPLES * in[k].elements; i++) {
			unsigned char x = value(5, k, i);
			float f = (float)(x * (1 / 255.0));
			int32_t n = x;

			samples_of(in, k, true)[i] = x;
			memcpy(samples_of(in, k, false) + 4 * i, k == 0 ? (void *)&f : (void *)&n, 4);
		}
}

/* The batch of step NUMBER, of samples that stay. */
static void
gather_batch(const struct input *in, int64_t b, int number, bool bytes, std::vector<unsigned char> *want)
{
	const struct gathering which = { true, number % 3 > 0, 7, number / 6, number % 6, SAMPLES };
	struct sent as[INPUTS];

	for (int k = 0; k < INPUTS; k++) {
		size_t size = (size_t)(4 * in[k].elements);

		as[k] = { bytes ? TYPE_U8 : in[k].type, bytes ? 1 : 4, k == 0 ? 1 / 255.0 : 1 };
		want[k].resize((size_t)b * size);
		for (int64_t j = 0; j < b; j++) {
			int64_t at = which.first + j, row = which.shuffle ? shuffled(7, which.epoch, at, SAMPLES) : at;

			memcpy(&want[k][(size_t)j * size], samples_of(in, k, false) + (size_t)row * size, size);
		}
	}
	device_gathers(in, as, INPUTS, b, samples_of(in, 0, bytes), &which);
}

/* What a step sees, in three looks, before it has no more use for its batch. */
static void
go(const struct input *in, int64_t b, int number, bool bytes, bool stay)
{
	std::vector<unsigned char> want[INPUTS];
	struct step step = { number, number * 0.5 };

	if (stay) {
		gather_batch(in, b, number, bytes, want);
	} else {
		for (int k = 0; k < INPUTS; k++)
			want[k] = fill(&in[k], k, b, number, bytes);
		device_inputs_ready(in, INPUTS, b);
	}
	feed_step(&step);
	for (int k = 0; k < INPUTS; k++)
		for (int look = 0; look < 3; look++)
			add(stream, NULL, [=] {
				mistakes += step_there->update != number || step_there->lr != number * 0.5 ||
				    memcmp(arena + in[k].offset, want[k].data(), want[k].size());
			});
	for (int k = 0; k < INPUTS; k++)
		add(stream, NULL, [=] { memset(arena + in[k].offset, 0xee, want[k].size()); });
}

int
main(void)
{
	struct step update = { 0, 0 };

	feed_open();
	keep(train_inputs);
	for (int round = 0; round < 400 && !mistakes; round++) {
		int number = 1;

		srand((unsigned)round);
		hurry = round % 5 * 2;
		for (int epoch = 0; epoch < 3; epoch++) {
			for (int i = 0; i < 6; i++)
				go(train_inputs, i == 5 ? 3 : TRAIN_BATCH, number++, round % 2, round % 7 > 3);
			if (round % 3)
				feed_step(&update);
			for (int i = 0; i < 3; i++)
				go(validate_inputs, i == 2 ? 41 : VALIDATE_BATCH, number++, round % 2, false);
		}
		while (run_one())
			;
		mistakes += !streams[0].empty() + !streams[1].empty();
	}
	printf("%d mistakes\n", mistakes);
	return mistakes != 0;
}
