/*
 * device_memory_cuda.cu - the device's memory, and pinned memory of the host: taken, and how much
 * of it is.
 */
static void *
device_pinned(int64_t bytes)
{
	void *p;

	CUDA(cudaMallocHost(&p, (size_t)bytes));
	pinned_taken += bytes;
	return p;
}

/* Bytes that are no longer free on the device. */
static int64_t
device_taken(void)
{
	size_t free_bytes, total;

	CUDA(cudaMemGetInfo(&free_bytes, &total));
	return (int64_t)(total - free_bytes);
}

struct process {		/* nvmlProcessInfo_t, as nvmlDeviceGetComputeRunningProcesses_v3() has it */
	unsigned id;
	unsigned long long bytes;
	unsigned instances[2];
};

#define PROCESSES	256	/* on one device, at most */

/* Bytes of it that this process holds; -1: not known. The runtime counts all programs' together;
 * the driver's management library, which is there or is not, counts each one's. A container may
 * hide by what number it counts this one. */
static int64_t
device_taken_by_process(void)
{
	static int (*find)(const char *, void **);
	static int (*list)(void *, unsigned *, struct process *);
	static struct process process[PROCESSES];
	static bool looked;
	unsigned n = PROCESSES;
	int device;
	char bus[32];
	void *there;

	if (!looked) {
		void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
		int (*init)(void) = library ? (int (*)(void))dlsym(library, "nvmlInit_v2") : NULL;

		looked = true;
		if (init && init() == 0) {
			find = (int (*)(const char *, void **))dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
			list = (int (*)(void *, unsigned *, struct process *))dlsym(library,
			    "nvmlDeviceGetComputeRunningProcesses_v3");
		}
	}
	CUDA(cudaGetDevice(&device));
	CUDA(cudaDeviceGetPCIBusId(bus, sizeof(bus), device));
	if (!find || !list || find(bus, &there) != 0 || list(there, &n, process) != 0)
		return -1;
	for (unsigned i = 0; i < n; i++)
		if (process[i].id == (unsigned)getpid() && process[i].bytes != ~0ull)
			return (int64_t)process[i].bytes;
	return -1;
}

/* Takes BYTES of the device, or ends. */
static void *
device_take(int64_t bytes, const char *what)
{
	size_t free_bytes, total;
	void *p;

	if (cudaMalloc(&p, (size_t)bytes) != cudaSuccess) {
		CUDA(cudaMemGetInfo(&free_bytes, &total));
		fail("the device refuses %lld bytes for %s; %lld of %lld are free", (long long)bytes, what,
		    (long long)free_bytes, (long long)total);
	}
	return p;
}

static void
device_open_arena(void)
{
	int64_t before = device_taken();

	arena = (unsigned char *)device_take(ARENA_BYTES, "the arena");
	arena_taken = device_taken() - before;
}

#ifdef INFERS
static void
device_close_arena(void)
{
	cudaDeviceSynchronize();
	cudaFree(arena);
}
#endif
