/*
 * memory.c - the promise, checked: the planned bytes against what is free before training, and
 * against what the system handed out after it. What was measured is counted by the system's own
 * books, never repeated from the plan.
 */
static const char *
bytes_text(char *buf, size_t size, int64_t bytes)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double x = (double)bytes;
	int u = 0;

	while (x >= 1024 && u < 4) {
		x /= 1024;
		u++;
	}
	snprintf(buf, size, u ? "%.2f %s" : "%.0f %s", x, unit[u]);
	return buf;
}

/* Reads one number behind KEY of a small file of /proc or /sys; -1 when it is not there. */
static int64_t
system_number(const char *path, const char *key)
{
	char text[4096], *at = text, *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	long long value;

	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	if (*key) {
		at = strstr(text, key);
		if (!at)
			return -1;
		at += strlen(key);
	}
	errno = 0;
	value = strtoll(at, &end, 10);
	return end == at || errno ? -1 : (int64_t)value;
}

/* Bytes this process has mapped, by the kernel's count of its pages. */
static int64_t
process_mapped(void)
{
	int64_t pages = system_number("/proc/self/statm", "");

	return pages < 0 ? 0 : pages * (int64_t)sysconf(_SC_PAGESIZE);
}

/* Bytes in use now, where the arena is: by this process alone, if that can be told. */
static int64_t
memory_taken(void)
{
#ifdef __CUDACC__
	int64_t own = device_taken_by_process();

	return own < 0 ? device_taken() : own;
#else
	return process_mapped();
#endif
}

/* The most memory this process ever had resident, and what it has now; -1 when unknown. */
static int64_t
process_peak(void)
{
	int64_t kib = system_number("/proc/self/status", "VmHWM:");

	return kib < 0 ? -1 : kib * 1024;
}

static int64_t
process_resident(void)
{
	int64_t kib = system_number("/proc/self/status", "VmRSS:");

	return kib < 0 ? -1 : kib * 1024;
}

/* Bytes that an arena could have now; -1 if unknown. */
static int64_t
memory_free(void)
{
#ifdef __CUDACC__
	size_t free_bytes, total;
	cudaError_t error = cudaMemGetInfo(&free_bytes, &total);

	if (error != cudaSuccess)
		fail("no NVIDIA GPU can be used: %s", cudaGetErrorString(error));
	return (int64_t)free_bytes;
#else
	int64_t kib = system_number("/proc/meminfo", "MemAvailable:");
	int64_t most = system_number("/sys/fs/cgroup/memory.max", "");
	int64_t used = system_number("/sys/fs/cgroup/memory.current", "");
	int64_t cached = system_number("/sys/fs/cgroup/memory.stat", "\ninactive_file ");
	int64_t available = kib < 0 ? -1 : kib * 1024;

	if (most >= 0 && used >= 0) {
		most -= used - (cached > 0 ? cached : 0);
		if (available < 0 || most < available)
			available = most;
	}
#ifdef RANKS
	if (available >= 0)
		available /= ranks.here;	/* each of them takes as much */
#endif
	return available;
#endif
}

/* Refuses at once rather than dying later. */
static void
memory_check(void)
{
	int64_t available = memory_free();
	char need[32], have[32], code[48] = "";
#ifdef __CUDACC__
	int64_t beside = CODE_BYTES;

	snprintf(code, sizeof(code), ", and code about %s more", bytes_text(need, sizeof(need), beside));
#else
	int64_t beside = 0;
#endif
	if (available >= 0 && ARENA_BYTES + beside > available)
		fail("the plan needs %lld bytes (%s)%s, and only %lld (%s) are free; a smaller batch, "
		    "or `accumulate`, makes the plan smaller", (long long)ARENA_BYTES,
		    bytes_text(need, sizeof(need), ARENA_BYTES), code, (long long)available,
		    bytes_text(have, sizeof(have), available));
}

static void
memory_announce(void)
{
	char arena_text[32], free_text[32];
	int64_t available = memory_free();

	printf("planned  %lld bytes (%s) in one arena", (long long)ARENA_BYTES,
	    bytes_text(arena_text, sizeof(arena_text), ARENA_BYTES));
	if (available >= 0)
		printf("; %s free", bytes_text(free_text, sizeof(free_text), available));
	putchar('\n');
#ifdef WITHOUT_CUDNN
	printf("note: built without cuDNN (" WITHOUT_CUDNN "): convolutions run by kernels of the program's own\n");
#endif
}

#ifdef __CUDACC__
/* What the device holds beside the arena, item by item, and what the host has pinned. */
static void
memory_beside(void)
{
	char text[4][32];

	if (samples_taken)
		printf("         %lld bytes (%s) of samples that stay there\n", (long long)samples_taken,
		    bytes_text(text[3], sizeof(text[3]), samples_taken));
	printf("         %lld bytes (%s) more for kernels' code, libraries and graphs\n"
	    "         %lld bytes (%s) were taken before: context, driver, other programs\n"
	    "         %lld bytes (%s) of the host's memory are pinned\n", (long long)code_taken,
	    bytes_text(text[0], sizeof(text[0]), code_taken), (long long)others_taken,
	    bytes_text(text[1], sizeof(text[1]), others_taken), (long long)pinned_taken,
	    bytes_text(text[2], sizeof(text[2]), pinned_taken));
}
#endif

/* GROWTH: bytes mapped between the first and the last step. */
static void
memory_report(int64_t growth)
{
	char taken[32], peak_text[32];
	int64_t peak = process_peak();

	printf("planned  %lld bytes\n", (long long)ARENA_BYTES);
#ifdef __CUDACC__
	printf("measured %lld bytes (%s) taken from the device for the arena (in blocks of 2 MiB)\n",
	    (long long)arena_taken, bytes_text(taken, sizeof(taken), arena_taken));
#else
	printf("measured %lld bytes (%s) taken from the system for the arena (in pages of %ld)\n",
	    (long long)arena_taken, bytes_text(taken, sizeof(taken), arena_taken),
	    sysconf(_SC_PAGESIZE));
#endif
#ifdef __CUDACC__
	memory_beside();
#endif
	printf("         %lld bytes more between the first step and the last", (long long)growth);
#ifdef __CUDACC__
	if (device_taken_by_process() < 0)
		printf(" on the whole device, other programs' with them");
#endif
	if (peak >= 0)
		printf("; process peak %s resident", bytes_text(peak_text, sizeof(peak_text), peak));
	putchar('\n');
}

/* --plan: the table of buffers. */
static void
memory_plan(void)
{
	char text[32];

	printf("arena %lld bytes (%s), lower bound %lld, micro-batch %d\n\n", (long long)ARENA_BYTES,
	    bytes_text(text, sizeof(text), ARENA_BYTES), (long long)LOWER_BOUND, TRAIN_BATCH);
	printf("%14s %14s %6s %6s  %-20s %s\n", "offset", "bytes", "first", "last", "kind", "buffer");
	for (int k = 0; k < BUFFERS; k++)
		printf("%14lld %14lld %6d %6d  %-20s %s\n", (long long)buffers[k].offset,
		    (long long)buffers[k].bytes, buffers[k].first, buffers[k].last, buffers[k].kind,
		    buffers[k].name);
}
