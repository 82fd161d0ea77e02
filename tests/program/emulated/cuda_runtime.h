/*
 * As much of CUDA's runtime as an emitted program needs, on a host: whole programs run, with emulated kernels (cuda.h), so
 * that their results can be compared. A stream is a queue, of which nothing is done before somebody waits for it, and a graph
 * is what was queued while it was captured. Which of what may be done next is done is the worst choice:
 *
 *	EMULATED_EARLY not set		a stream goes on only when another, or the host, waits for it: what should
 *					have been waited for, and was not, is not done yet
 *	EMULATED_EARLY=1		all other streams go on as far as they can before what the host waits for:
 *					what should have waited, and did not, is done too soon
 *	EMULATED_LAUNCHES=FILE		how many graphs were launched is written there at the end
 *	EMULATED_MEETINGS=FILE		likewise how many cooperative kernels ran
 *	EMULATED_APART=1		a card that has no cooperative launches
 *
 * What waits for another process (card_do_when()) holds back its stream alone: others go on, if late, and where the host is
 * elsewhere for a while, a thread does what may be done, as a card would.
 */
#ifndef EMULATED_CUDA_RUNTIME_H
#define EMULATED_CUDA_RUNTIME_H

#include <cstdio>
#include <deque>
#include <map>
#include <set>
#include <pthread.h>	/* C++'s own threads and locks are headers that take a tenth of the time to compile */
#include <sys/mman.h>
#include <unistd.h>

#define cudaStream_t	emulated_int_stream
#define cudaGetDevice	emulated_get_device
#define cudaDeviceGetAttribute	emulated_get_attribute
#define cudaDevAttrMultiProcessorCount	emulated_attribute
#include "cuda.h"
#undef cudaStream_t
#undef cudaGetDevice
#undef cudaDeviceGetAttribute
#undef cudaDevAttrMultiProcessorCount

#define EMULATED_MEMORY	((size_t)8 << 30)
#define EMULATED_PROCESSORS	4	/* which run one block each at a time, of a cooperative launch */

enum cudaError_t {
	cudaSuccess, cudaErrorMemoryAllocation, cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction,
	cudaErrorUnsupportedPtxVersion
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr {
	cudaDevAttrMultiProcessorCount, cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
	cudaDevAttrCooperativeLaunch
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal };
enum { cudaEventDisableTiming = 2, cudaStreamNonBlocking = 1, cudaEventRecordDefault = 0, cudaEventRecordExternal = 1 };
struct cudaFuncAttributes { int ptxVersion; };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
struct alignas(4) uchar4 { unsigned char x, y, z, w; };
struct alignas(16) uint4 { unsigned x, y, z, w; };

#include "queues.h"

/* ---- memory ---- */

static std::map<void *, size_t> emulated_allocated;
static size_t emulated_taken;

static bool
card_within(const void *p, size_t n)
{
	for (auto &a : emulated_allocated)
		if ((char *)p >= (char *)a.first && (char *)p + n <= (char *)a.first + a.second)
			return true;
	return false;
}

static cudaError_t
cudaMalloc(void **to, size_t n)
{
	n = (n + (2 << 20) - 1) / (2 << 20) * (2 << 20);
	if (emulated_origin)
		emulated_refuse("cudaMalloc while a step is captured");
	if (emulated_taken + n > EMULATED_MEMORY)
		return cudaErrorMemoryAllocation;
	*to = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	emulated_allocated[*to] = n;
	emulated_taken += n;
	return cudaSuccess;
}

static cudaError_t
cudaFree(void *p)
{
	if (p) {
		munmap(p, emulated_allocated.at(p));
		emulated_taken -= emulated_allocated.at(p);
		emulated_allocated.erase(p);
	}
	return cudaSuccess;
}

static cudaError_t
cudaMallocHost(void **to, size_t n)
{
	*to = calloc(1, n);
	return cudaSuccess;
}

static cudaError_t
cudaMemGetInfo(size_t *left, size_t *total)
{
	*total = EMULATED_MEMORY;
	*left = EMULATED_MEMORY - emulated_taken;
	return cudaSuccess;
}

static cudaError_t
cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s)
{
	if (!card_within(p, n))
		emulated_refuse("cudaMemsetAsync beyond what was allocated");
	card_do(s, [=] { memset(p, value, n); });
	return cudaSuccess;
}

static cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind, cudaStream_t s)
{
	card_do(s, [=] { memcpy(to, from, n); });
	return cudaSuccess;
}

#define cudaGetSymbolAddress(to, symbol)	(*(to) = (void *)&(symbol), cudaSuccess)

/* ---- the card ---- */

static cudaError_t
cudaGetDevice(int *to)
{
	*to = 0;
	return cudaSuccess;
}

static cudaError_t
cudaSetDevice(int)
{
	return cudaSuccess;
}

static cudaError_t
cudaDriverGetVersion(int *to)
{
	*to = 13000;
	return cudaSuccess;
}

struct cudaDeviceProp {
	char name[256];
	int multiProcessorCount;
};

static cudaError_t
cudaGetDeviceProperties(cudaDeviceProp *to, int)
{
	snprintf(to->name, sizeof(to->name), "emulated");
	to->multiProcessorCount = EMULATED_PROCESSORS;
	return cudaSuccess;
}

static cudaError_t
cudaGetDeviceCount(int *to)
{
	const char *cards = getenv("EMULATED_CARDS");

	*to = cards ? atoi(cards) : 1;
	return cudaSuccess;
}

static cudaError_t
cudaDeviceGetAttribute(int *to, cudaDeviceAttr what, int)
{
	*to = what == cudaDevAttrMultiProcessorCount ? EMULATED_PROCESSORS : what == cudaDevAttrComputeCapabilityMajor ? 9 :
	    what == cudaDevAttrCooperativeLaunch ? !getenv("EMULATED_APART") : 0;
	return cudaSuccess;
}

static cudaError_t
cudaDeviceGetPCIBusId(char *to, int n, int)
{
	snprintf(to, (size_t)n, "0000:01:00.0");
	return cudaSuccess;
}

/* Code has no tensor cores. */
template <class Kernel> static cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *of, const Kernel &)
{
	of->ptxVersion = 0;
	return cudaSuccess;
}

template <class Kernel> static cudaError_t
cudaFuncSetAttribute(const Kernel &, cudaFuncAttribute, int)
{
	return cudaSuccess;
}

static const char *
cudaGetErrorString(cudaError_t e)
{
	return e == cudaSuccess ? "no error" : "refused by the emulation";
}

static cudaError_t
cudaGetLastError(void)
{
	return cudaSuccess;
}

/* ---- streams and events ---- */

static cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *to, unsigned)
{
	emulated_turn turn;

	*to = new emulated_stream();
	emulated_streams.push_back(*to);
	return cudaSuccess;
}

static cudaError_t
cudaStreamCreate(cudaStream_t *to)
{
	return cudaStreamCreateWithFlags(to, 0);
}

static cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *to, unsigned, int)
{
	return cudaStreamCreateWithFlags(to, 0);
}

static cudaError_t
cudaDeviceGetStreamPriorityRange(int *least, int *most)
{
	*least = 0;
	*most = -5;
	return cudaSuccess;
}

/* What graphs have of it stays. */
static cudaError_t
cudaStreamDestroy(cudaStream_t)
{
	return cudaSuccess;
}

static cudaError_t
cudaStreamSynchronize(cudaStream_t s)
{
	emulated_turn turn;

	if (s->captured)
		emulated_refuse("cudaStreamSynchronize of a stream that is captured");
	while (!s->calls.empty())
		emulated_go_on(s);
	return cudaSuccess;
}

static cudaError_t
cudaDeviceSynchronize(void)
{
	for (emulated_stream *s : emulated_streams)
		cudaStreamSynchronize(s);
	return cudaSuccess;
}

static cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *to, unsigned)
{
	*to = new emulated_event();
	return cudaSuccess;
}

static cudaError_t
cudaEventCreate(cudaEvent_t *to)
{
	return cudaEventCreateWithFlags(to, 0);
}

static cudaError_t
cudaEventDestroy(cudaEvent_t)
{
	return cudaSuccess;
}

static cudaError_t
cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
	emulated_turn turn;

	e->captured = s->captured;
	emulated_queue(s, { NULL, NULL, e, 0, NULL });
	return cudaSuccess;
}

static cudaError_t
cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned)
{
	return cudaEventRecord(e, s);
}

static cudaError_t
cudaEventSynchronize(cudaEvent_t e)
{
	emulated_turn turn;

	if (e->captured)
		emulated_refuse("cudaEventSynchronize of an event of a capture");
	while (e->reached < e->recorded)
		emulated_go_on(e->by);
	return cudaSuccess;
}

static cudaError_t
cudaEventElapsedTime(float *to, cudaEvent_t from, cudaEvent_t end)
{
	*to = 0.001f + (float)(end->at - from->at);
	return cudaSuccess;
}

/* A stream that waits for one that is captured is captured, too. */
static cudaError_t
cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned)
{
	emulated_turn turn;

	if (emulated_origin && e->captured)
		s->captured = true;
	else if (s->captured)
		emulated_refuse("a captured stream waits for what is outside of the capture");
	emulated_queue(s, { NULL, e, NULL, 0, NULL });
	return cudaSuccess;
}

/* ---- graphs ---- */

static cudaError_t
cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode)
{
	emulated_origin = s;
	s->captured = true;
	emulated_captured = new emulated_graph();
	return cudaSuccess;
}

/* The last call of each other stream is an event, for which the one that is captured waits after
 * that. */
static void
emulated_check_joined(void)
{
	std::map<emulated_stream *, emulated_event *> open;

	for (auto &c : emulated_captured->calls)
		if (c.first != emulated_origin)
			open[c.first] = c.second.records;
		else if (c.second.waits)
			for (auto &o : open)
				if (o.second == c.second.waits)
					o.first->captured = false;
	for (auto &o : open)
		if (!o.second || o.first->captured)
			emulated_refuse("a stream that is not joined at the end of its capture");
}

static cudaError_t
cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *to)
{
	emulated_check_joined();
	s->captured = false;
	emulated_origin = NULL;
	*to = emulated_captured;
	return cudaSuccess;
}

static cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t g, unsigned long long)
{
	for (auto &c : g->calls)
		if (c.second.records)
			c.second.records->captured = false;
	*to = g;
	return cudaSuccess;
}

static cudaError_t
cudaGraphDestroy(cudaGraph_t)
{
	return cudaSuccess;
}

static cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t)
{
	return cudaSuccess;
}

static cudaError_t
cudaGraphUpload(cudaGraphExec_t, cudaStream_t)
{
	return cudaSuccess;
}

static struct emulated_launches {
	const char *counts;
	long n;

	~emulated_launches()
	{
		const char *name = getenv(counts);
		FILE *f = name ? fopen(name, "w") : NULL;

		if (f) {
			fprintf(f, "%ld\n", n);
			fclose(f);
		}
	}
} emulated_launched = { "EMULATED_LAUNCHES", 0 }, emulated_met = { "EMULATED_MEETINGS", 0 };

/* All that is in it, behind what its first stream has come to. */
static cudaError_t
cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t)
{
	emulated_turn turn;

	emulated_launched.n++;
	for (auto &c : g->calls)
		emulated_queue(c.first, c.second);
	return cudaSuccess;
}

/* ---- cooperative launches ---- */

struct dim3 {
	unsigned x;

	dim3(unsigned x_) : x(x_)
	{
	}
};

template <class Kernel> static cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *to, const Kernel &, int, size_t)
{
	*to = 1;
	return cudaSuccess;
}

template <class A, class B> static cudaError_t
cudaLaunchCooperativeKernel(void (*kernel)(A, B), dim3 blocks, dim3, void **with, size_t given, cudaStream_t s)
{
	A a = *(A *)with[0];
	B b = *(B *)with[1];

	if (blocks.x > EMULATED_PROCESSORS)
		emulated_refuse("a cooperative launch of more blocks than run at the same time");
	card_do(s, [=] {
		emulated_met.n++;
		emulate_meeting(blocks.x, given, [=] { kernel(a, b); });
	});
	return cudaSuccess;
}

#endif
