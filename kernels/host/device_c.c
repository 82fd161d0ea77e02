/*
 * device_c.c - the arena of a C program: one mapping, taken whole at start. The batch is read
 * straight into it.
 */
/* start values and checkpoints pass through it */
static unsigned char chunk[1 << 20] __attribute__((aligned(64)));

static int64_t arena_taken;	/* bytes by which the process grew for the arena */

static unsigned char landings[2][MAX_RESULTS * 8];	/* results of two steps, in turns */
static int landing_turn;

static int64_t	process_mapped(void);
static int64_t	system_number(const char *path, const char *key);

/*
 * Threads that wait for work spin, and libgomp lets them spin for so long that, where other
 * processes want the processors too, a training run slows down tenfold. It reads the length of
 * that wait once, before main; so the program starts itself again with a shorter one, unless the
 * user chose. About 10,000 rounds bridge the gap between two kernels and no more.
 */
static void
device_settle(char **argv)
{
#ifdef _OPENMP
	const char *preload = getenv("LD_PRELOAD");

	if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY") ||
	    (preload && strstr(preload, "vgpreload")))	/* valgrind would lose sight of it */
		return;
	if (setenv("GOMP_SPINCOUNT", "10000", 1) == 0)
		execv("/proc/self/exe", argv);	/* if it fails, all goes on as it is */
#else
	(void)argv;
#endif
}

static void
device_open(void)
{
	int64_t before = process_mapped();

	arena = (unsigned char *)mmap(NULL, ARENA_BYTES > 0 ? ARENA_BYTES : 1, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		fail("the system refuses an arena of %lld bytes: %s", (long long)ARENA_BYTES,
		    strerror(errno));
	arena_taken = process_mapped() - before;
#ifdef MADV_HUGEPAGE
	madvise(arena, ARENA_BYTES, MADV_HUGEPAGE);
#endif
	/* every page is touched now: memory that is not there is missed here, not in epoch three */
	memset(arena, 0, ARENA_BYTES);
#ifdef CHECK
	ASAN_POISON_MEMORY_REGION(arena, ARENA_BYTES);
	for (int k = 0; k < BUFFERS; k++)
		if (buffers[k].persistent)
			ASAN_UNPOISON_MEMORY_REGION(arena + buffers[k].offset, buffers[k].bytes);
#endif
#ifdef _OPENMP
	/* the threads, and all that libgomp allocates for them, are made now */
#pragma omp parallel
	(void)omp_get_thread_num();
#endif
}

static void
device_write(int64_t offset, const void *from, int64_t bytes)
{
	memcpy(arena + offset, from, (size_t)bytes);
}

static void
device_read(void *to, int64_t offset, int64_t bytes)
{
	memcpy(to, arena + offset, (size_t)bytes);
}

static bool
device_converts(const struct input *in, int type)
{
	(void)in, (void)type;
	return false;	/* the host does, straight to where the step reads it */
}

/* Where the host writes the batch of an input, before device_inputs_ready(). */
static void *
device_input(const struct input *in, struct sent as, int64_t batch)
{
	(void)as, (void)batch;
	LIVE(in->buffer);
	return arena + in->offset;
}

static void
device_inputs_ready(const struct input *in, int n, int64_t batch)
{
	(void)in, (void)n, (void)batch;
}

/* Runs a step of B samples, whose inputs are ready. */
static void
device_run(int which, int64_t b, const struct step *step)
{
#ifdef TRAINS
	if (which == STEP_TRAIN)
		train_step(b, step);
#endif
#ifdef UPDATES
	if (which == STEP_UPDATE)
		update_step(b, step);
#endif
#ifdef VALIDATES
	if (which == STEP_VALIDATE)
		validate_step(b, step);
#endif
}

/* Keeps the results of the step that was run last, eight bytes each. */
static int
device_fetch(const struct result *result, int n)
{
	landing_turn ^= 1;
	for (int k = 0; k < n; k++)
		memcpy(landings[landing_turn] + 8 * k, arena + result[k].offset,
		    (size_t)type_table[result[k].type].bytes);
	for (int k = 0; k < n; k++)
		DEAD(result[k].buffer);
	return landing_turn;
}

static const unsigned char *
device_collect(int ticket)
{
	return landings[ticket];
}

static void
device_wait(void)
{
}

#ifdef _OPENMP
/* A container may have many processors and the time of few: threads beyond those only wait. */
static int
threads_worth(void)
{
	int64_t quota = system_number("/sys/fs/cgroup/cpu.max", "");
	int64_t period = system_number("/sys/fs/cgroup/cpu.max", " ");
	int n = omp_get_max_threads();

	if (quota > 0 && period > 0 && !getenv("OMP_NUM_THREADS") && (quota + period - 1) / period < n)
		n = (int)((quota + period - 1) / period);
	return n;
}
#endif

/* At most the threads for which workspaces were planned. */
static void
device_threads(int asked)
{
#ifdef _OPENMP
	int n = asked ? asked : threads_worth();

	if (asked > THREADS)
		fail("--threads %d: this program's memory was planned for at most %d", asked, THREADS);
	omp_set_dynamic(0);
	omp_set_num_threads(n < THREADS ? n : THREADS);
#else
	if (asked > 1)
		fail("--threads %d: this program was built without OpenMP", asked);
#endif
}
