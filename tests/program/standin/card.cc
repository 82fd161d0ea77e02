/*
 * card.cc - stands for the CUDA runtime, on a machine without a GPU: preloaded (LD_PRELOAD) into an emitted program
 * that was linked with -cudart shared. Memory is the host's; a kernel that is launched does nothing and is counted.
 * What a real runtime refuses is refused: calls that may not be made while a step is captured, streams that are not
 * joined, launches beyond a card's limits, more memory than there is. standin.test reads the report. Streams and graphs are in
 * queues.cc; what kind of card it is: properties.cc.
 *
 *	STANDIN_REPORT	a file for: graph N kernels K path P, where P is the longest chain of its calls that wait
 *			for one another; late WHAT, for what was first needed after the first step; launches N
 *	STANDIN_MIB	memory of the card, of which each kernel's code takes 1 MiB when it is first launched, or asked about
 *	STANDIN_ARCH	its architecture, 90 unless said; STANDIN_CODE=0: the program has no code for it; STANDIN_PTX: it has that
 *			of an older card
 *	STANDIN_LENIENT=1	what a card would refuse is reported, and goes on
 *	STANDIN_KERNELS	NAME:MS,...: kernels in whose names NAME is take so long; kernel NAME ran N captured M is reported
 *	STANDIN_WRONG	after a kernel in whose name this is, what is next copied from the card is wrong
 *	STANDIN_OTHERS	bytes that other programs take with each graph that is launched
 */
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "card.h"

static const int64_t MIB = 1 << 20;

static std::map<void *, std::string> function_name;
static std::map<void *, void *> variable;
static std::map<void *, size_t> variable_bytes;	/* by its address on the card */
static std::map<void *, int64_t> allocated;
static std::set<std::string> loaded;
static int64_t memory = 81559 * MIB, taken = 300 * MIB, others;
static bool begun;			/* the first step has run */
static FILE *report;
static cudaError_t last = cudaSuccess;
static struct named {		/* kernels of STANDIN_KERNELS */
	const char *name;
	double takes;		/* milliseconds */
	int ran, captured;
} named_kernels[16];
static int named_used;
static bool wrong;		/* is what is next copied from the card */
static dim3 pending[2];
static size_t pending_shared;
static void *pending_stream;

void
card_begins(void)
{
	begun = true;
	others += card_number("STANDIN_OTHERS", 0);
}

void
card_report(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (report)
		vfprintf(report, format, args);
	va_end(args);
}

static void
open_kernels(const char *text)
{
	for (char *end; text && *text && named_used < 16; text = *end ? end + 1 : end) {
		const char *colon = strchr(text, ':');
		struct named *k = &named_kernels[named_used++];

		k->name = strndup(text, (size_t)(colon - text));
		k->takes = strtod(colon + 1, &end);
	}
}

/* A kernel that the test asks about takes as long as it says. */
static void
kernel_takes(const char *name)
{
	const char *spoils = getenv("STANDIN_WRONG");

	wrong |= spoils && strstr(name, spoils);
	for (struct named *k = named_kernels; k < named_kernels + named_used; k++)
		if (strstr(name, k->name)) {
			card_takes(k->takes);
			++(card_is_captured() ? k->captured : k->ran);
			return;
		}
}

__attribute__((constructor)) static void
open_report()
{
	open_kernels(getenv("STANDIN_KERNELS"));
	const char *path = getenv("STANDIN_REPORT");

	report = path ? fopen(path, "w") : NULL;
	memory = card_number("STANDIN_MIB", 81559) * MIB;
}

__attribute__((destructor)) static void
close_report()
{
	libraries_report();
	for (int k = 0; k < named_used; k++)
		card_report("kernel %s ran %d captured %d\n", named_kernels[k].name, named_kernels[k].ran, named_kernels[k].captured);
	queues_report();
	if (report)
		fclose(report);
}

/* A call that the real runtime would refuse, or that corrupts: the test must see it. */
cudaError_t
card_refuse(const char *what)
{
	fprintf(stderr, "standin: %s\n", what);
	if (report)
		fprintf(report, "refused %s\n", what);
	return card_number("STANDIN_LENIENT", 0) ? cudaSuccess : last = cudaErrorStreamCaptureInvalidated;
}

void
card_needs(const char *what, int64_t bytes)
{
	if (!loaded.insert(what).second)
		return;
	taken += bytes;
	if (begun && report)
		fprintf(report, "late %s\n", what);
	if (card_is_captured())
		card_refuse((std::string(what) + " is loaded while a step is captured").c_str());
}

extern "C" {

/* ---- programs: what nvcc's code calls ---- */

void **
__cudaRegisterFatBinary(void *)
{
	static void *handle;

	return &handle;
}

void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 0; }

void
__cudaRegisterFunction(void **, const char *host, char *, const char *name, int, uint3 *, uint3 *, dim3 *, dim3 *,
    int *)
{
	function_name[(void *)host] = name;
}

void
__cudaRegisterVar(void **, char *host, char *, const char *, int, size_t size, int, int)
{
	variable[host] = calloc(1, size);
	variable_bytes[variable[host]] = size;
}

cudaError_t
__cudaGetKernel(cudaKernel_t *to, const void *host)
{
	*to = (cudaKernel_t)host;
	return cudaSuccess;
}

unsigned
__cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
	pending[0] = grid;
	pending[1] = block;
	pending_shared = shared;
	pending_stream = stream;
	return 0;
}

cudaError_t
__cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	*grid = pending[0];
	*block = pending[1];
	*shared = pending_shared;
	*(void **)stream = pending_stream;
	return cudaSuccess;
}

cudaError_t
cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **, size_t shared, cudaStream_t s)
{
	const char *name = function_name[(void *)f].c_str();

	if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.y > 65535 || grid.z > 65535 || block.x == 0 ||
	    block.x * block.y * block.z > 1024 || shared > 227 * 1024)
		return card_refuse((std::string("a launch beyond the limits of a card: ") + name).c_str());
	card_needs(name, MIB);
	if (taken + others > memory)
		return last = cudaErrorMemoryAllocation;
	kernel_takes(name);
	return card_call(s);
}

cudaError_t
__cudaLaunchKernel(cudaKernel_t f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s)
{
	return cudaLaunchKernel((const void *)f, grid, block, args, shared, s);
}

/* ---- memory ---- */

cudaError_t
cudaMalloc(void **to, size_t bytes)
{
	if (card_not_captured("cudaMalloc"))
		return last;
	bytes = (bytes + 2 * MIB - 1) / (2 * MIB) * (2 * MIB);
	if (taken + others + (int64_t)bytes > memory)
		return last = cudaErrorMemoryAllocation;
	*to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	allocated[*to] = (int64_t)bytes;
	taken += (int64_t)bytes;
	if (begun && report)
		fprintf(report, "late cudaMalloc\n");
	return *to == MAP_FAILED ? last = cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t
cudaFree(void *p)
{
	if (card_not_captured("cudaFree"))
		return last;
	if (p && !allocated.count(p))
		return card_refuse("cudaFree of what was not allocated");
	if (p) {
		munmap(p, (size_t)allocated[p]);
		taken -= allocated[p];
		allocated.erase(p);
	}
	return cudaSuccess;
}

cudaError_t
cudaMallocHost(void **to, size_t bytes)
{
	*to = calloc(1, bytes);
	return card_not_captured("cudaMallocHost");
}

cudaError_t
cudaMemGetInfo(size_t *left, size_t *total)
{
	*total = (size_t)memory;
	*left = (size_t)std::max<int64_t>(0, memory - taken - others);
	return cudaSuccess;
}

bool
card_within(const void *p, size_t n)
{
	for (auto &a : allocated)
		if ((char *)p >= (char *)a.first && (char *)p + n <= (char *)a.first + a.second)
			return true;
	for (auto &v : variable_bytes)
		if ((char *)p >= (char *)v.first && (char *)p + n <= (char *)v.first + v.second)
			return true;
	return false;
}

/* Zeros are what fresh pages hold: an arena of many GiB is not touched for them. */
cudaError_t
cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s)
{
	if (!card_within(p, n))
		return card_refuse("cudaMemsetAsync beyond what was allocated");
	if (value == 0)
		madvise(p, n, MADV_DONTNEED);
	return card_call(s);
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t s)
{
	const void *device = kind == cudaMemcpyHostToDevice ? to : from;

	if ((kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToHost) && !card_within(device, n))
		return card_refuse("cudaMemcpyAsync beyond what was allocated");
	if (!card_is_captured())
		memmove(to, from, n);
	if (wrong && kind == cudaMemcpyDeviceToHost) {
		*(char *)to ^= 1;
		wrong = false;
	}
	return card_call(s);
}

cudaError_t
cudaGetSymbolAddress(void **to, const void *symbol)
{
	*to = variable[(void *)symbol];
	return *to ? cudaSuccess : last = cudaErrorInvalidSymbol;
}

/* ---- what it refuses ---- */

cudaError_t
cudaSetDevice(int device)
{
	return device < card_number("STANDIN_CARDS", 1) ? cudaSuccess : last = cudaErrorInvalidDevice;
}

/* Which loads the kernel, without running it. */
cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *to, const void *f)
{
	memset(to, 0, sizeof(*to));
	if (card_number("STANDIN_CODE", 1))
		card_needs(function_name[(void *)f].c_str(), MIB);
	to->ptxVersion = (int)card_number("STANDIN_PTX", card_number("STANDIN_ARCH", 90));
	return card_number("STANDIN_CODE", 1) ? cudaSuccess : last = cudaErrorNoKernelImageForDevice;
}

cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize(void) { return card_not_captured("cudaDeviceSynchronize"); }
const char *cudaGetErrorString(cudaError_t e) { return e == cudaSuccess ? "no error" : "refused by the stand-in"; }

cudaError_t
cudaGetLastError(void)
{
	cudaError_t e = last;

	last = cudaSuccess;
	return e;
}

/* ---- the driver's management library, which counts for each process ---- */

int nvmlInit_v2(void) { return 0; }

int
nvmlDeviceGetHandleByPciBusId_v2(const char *, void **to)
{
	*to = &memory;
	return 0;
}

int
nvmlDeviceGetComputeRunningProcesses_v3(void *, unsigned *n, struct nvml_process *to)
{
	if (*n < 2)
		return 7;
	to[0] = { 1, 1ull << 33, { 0, 0 } };
	to[1] = { (unsigned)getpid(), (unsigned long long)taken, { 0, 0 } };
	*n = 2;
	return 0;
}

}
