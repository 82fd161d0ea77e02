/*
 * device_c.c - the arena of a C program: one mapping, taken whole at start. The batch is read
 * straight into it.
 */
#include "cores.c"
#ifdef RANKS
#include "update/near.cu"
#include "rotate_c.c"
#endif
#ifdef TEAM_THREADS
#include "pace_c.c"

static struct pace pace;
#endif

/* start values and checkpoints pass through it */
static unsigned char chunk[1 << 20] __attribute__((aligned(64)));

#define MOST_COUNTS	8
static int64_t arena_taken;	/* bytes by which the process grew for the arena */

static unsigned char landings[2][RESULT_NUMBERS * 8];	/* results of two steps, in turns */
static int landing_turn;

static int threads_wanted = 1;

static int64_t	process_mapped(void);

static void *
device_map(int64_t bytes)
{
#if defined(RANKS) && defined(__linux__)
	if (near_file >= 0)
		return near_map(near_file, bytes);
#endif
	return mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void
device_refused(void)
{
	fail("the system refuses an arena of %lld bytes: %s", (long long)ARENA_BYTES, strerror(errno));
}

/* Maps that many bytes and counts what the process grew by, again until two counts in a row agree:
 * another thread, such as MPI's, may map or give back something at the same moment. */
static unsigned char *
device_map_counted(int64_t bytes)
{
	int64_t counted = 0;
	void *taken = NULL;

	for (int k = 0; k < MOST_COUNTS && (k == 0 || arena_taken != counted); k++) {
		int64_t before;

		if (taken)
			munmap(taken, (size_t)bytes);
		counted = arena_taken;
		before = process_mapped();
		if ((taken = device_map(bytes)) == MAP_FAILED)
			device_refused();
		arena_taken = process_mapped() - before;
	}
	return (unsigned char *)taken;
}

static void
device_open_arena(void)
{
	arena = device_map_counted(ARENA_BYTES > 0 ? ARENA_BYTES : 1);
#ifdef MADV_HUGEPAGE
	madvise(arena, ARENA_BYTES, MADV_HUGEPAGE);
#endif
#if defined(RANKS) && defined(__linux__)
	if (near_file >= 0) {
		if (!near_take(arena, ARENA_BYTES)) {
			errno = ENOMEM;
			device_refused();
		}
		near[ranks.rank].arena = (char *)arena;
	}
#endif
	/* every page is touched now: memory that is not there is missed here, not in epoch three */
	memset(arena, 0, ARENA_BYTES);
#ifdef CHECK
	ASAN_POISON_MEMORY_REGION(arena, ARENA_BYTES);
	for (int k = 0; k < BUFFERS; k++)
		if (buffers[k].persistent)
			ASAN_UNPOISON_MEMORY_REGION(arena + buffers[k].offset, buffers[k].bytes);
#endif
}

#ifdef INFERS
static void
device_close_arena(void)
{
#ifdef CHECK
	ASAN_UNPOISON_MEMORY_REGION(arena, ARENA_BYTES);
#endif
	munmap(arena, ARENA_BYTES > 0 ? ARENA_BYTES : 1);
}
#endif

static void
device_open(void)
{
	device_open_arena();
	team_open(threads_wanted, threads_wanted <= cores_allowed());
#ifdef RANKS
	rotate_open(threads_wanted);
#endif
#ifdef TEAM_THREADS
	pace = pace_new(team_clock(), pace_interruptions());
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
#ifdef BACK_APART
	if (in->stride) {
		if (slot_first)
			LIVE(in->buffer);
		return arena + in->offset + slot_now * in->stride;
	}
#endif
	LIVE(in->buffer);
	return arena + in->offset;
}

static void
device_inputs_ready(const struct input *in, int n, int64_t batch)
{
	(void)in, (void)n, (void)batch;
}

/* Work of the host whose loops threads share. */
static void
device_shared(void (*what)(void *), void *with)
{
	team_run(what, with);
}

struct stepping {
	int which;
	int64_t b;
	const struct step *step;
};

/* A thread's share of a step. */
static void
device_step(void *with)
{
	const struct stepping *s = (const struct stepping *)with;

#ifdef BACK_APART
	if (s->which == STEP_FORWARD)
		forward_step(s->b, s->step);
	if (s->which == STEP_BACKWARD)
		backward_step(s->b, s->step);
#elif defined(TRAINS)
	if (s->which == STEP_TRAIN)
		train_step(s->b, s->step);
#endif
#ifdef UPDATES
	if (s->which == STEP_UPDATE)
		update_step(s->b, s->step);
#endif
#ifdef VALIDATES
	if (s->which == STEP_VALIDATE)
		validate_step(s->b, s->step);
#endif
}

/* Runs a step of B samples, whose inputs are ready. */
static void
device_run(int which, int64_t b, const struct step *step)
{
	struct stepping s = { which, b, step };

#ifdef UPDATE_NUMBERS
	update_numbers(update_number, arena, step);
#endif
#ifdef TEAM_THREADS
	if (team.size > 1) {
		int64_t begun = team_clock(), ended;

		team.narrow = pace.narrow;
		team_run(device_step, &s);
		ended = team_clock();
		pace_took(&pace, which, b, ended - begun, ended, pace_interruptions());
		return;
	}
#endif
	team_run(device_step, &s);
}

/* Keeps the results of the step that was run last, eight bytes for each number. */
static int
device_fetch(const struct result *result, int n)
{
	landing_turn ^= 1;
	for (int k = 0; k < n; k++)
		memcpy(landings[landing_turn] + 8 * result[k].at, arena + result[k].offset,
		    (size_t)(result[k].numbers * type_table[result[k].type].bytes));
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

static void
device_choose(int gpu)
{
	if (gpu >= 0)
		fail("--gpu: the work is done by processors");
}

/* What a step of another size needs is no more: nothing is loaded for it. */
static void
device_last(int which, int64_t b)
{
	(void)which, (void)b;
}

/* At most the threads for which workspaces were planned; without --threads no more than there are
 * processors for. */
static void
device_threads(int asked)
{
	if (asked > THREADS)
		fail("--threads %d: this program's memory was planned for at most %d", asked, THREADS);
#ifndef TEAM_THREADS
	if (asked > 1)
		fail("--threads %d: this program was built without threads", asked);
#endif
	threads_wanted = asked ? asked : cores_allowed() < THREADS ? cores_allowed() : THREADS;
}
