/*
 * The threads of a C program: how many there may be, that they run every round of a loop once and
 * in the order of the loops, that they sleep while they wait, and leave one another's processors.
 * PROGRAM_FILE is the text of a program for 8 threads; tests/program/team.test compiles it as a
 * library.
 */
#include PROGRAM_FILE

#include <sys/resource.h>
#include <sys/wait.h>

#define CHECKED(what)	((what) ? (void)0 : (void)(printf("line %d: %s\n", __LINE__, #what), failures++))
#define LOOPS	3000
#define ROUNDS	40

static int failures;
static int counted[LOOPS][ROUNDS];
static int64_t order;

/* ---- how many ---- */

static void
write_file(const char *at, const char *path, const char *text)
{
	char name[512];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", at, path);
	for (char *slash = name + strlen(at); (slash = strchr(slash + 1, '/')); *slash = '/') {
		*slash = '\0';
		mkdir(name, 0777);
	}
	f = fopen(name, "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

/* The cores that a process of these groups has. */
static int
quota_of(const char *root, const char *groups)
{
	char name[512];

	write_file(root, "groups", groups);
	snprintf(name, sizeof(name), "%s/groups", root);
	return cores_of_quota(name, root);
}

static void
check_quotas(const char *root)
{
	write_file(root, "all/cpu.max", "max 100000\n");
	write_file(root, "half/cpu.max", "50000 100000\n");
	write_file(root, "three/cpu.max", "250000 100000\n");
	write_file(root, "three/all/cpu.max", "max 100000\n");
	write_file(root, "three/five/cpu.max", "500000 100000\n");
	write_file(root, "five/two/cpu.max", "200000 100000\n");
	write_file(root, "cpu/four/cpu.cfs_quota_us", "40000\n");
	write_file(root, "cpu/four/cpu.cfs_period_us", "10000\n");
	write_file(root, "cpu/free/cpu.cfs_quota_us", "-1\n");
	write_file(root, "cpu/free/cpu.cfs_period_us", "100000\n");
	CHECKED(quota_of(root, "0::/\n") == 0);
	CHECKED(quota_of(root, "0::/all\n") == 0);
	CHECKED(quota_of(root, "0::/half\n") == 1);
	CHECKED(quota_of(root, "0::/three\n") == 3);
	CHECKED(quota_of(root, "0::/three/all\n") == 3);
	CHECKED(quota_of(root, "0::/three/five\n") == 3);
	CHECKED(quota_of(root, "0::/five/two\n") == 2);
	CHECKED(quota_of(root, "0::/elsewhere\n") == 0);
	CHECKED(quota_of(root, "3:cpuset:/four\n9:cpu,cpuacct:/four\n0::/\n") == 4);
	CHECKED(quota_of(root, "3:cpuset:/four\n") == 0);
	CHECKED(quota_of(root, "9:cpuacct,cpu:/free\n") == 0);
	CHECKED(quota_of(root, "no groups\n") == 0);
	CHECKED(cores_of_quota("/nowhere/at/all", root) == 0);
}

static void
check_affinity(void)
{
	cpu_set_t before, one;

	CHECKED(sched_getaffinity(0, sizeof(before), &before) == 0);
	CHECKED(cores_bound() == CPU_COUNT(&before));
	CPU_ZERO(&one);
	for (int k = 0; k < CPU_SETSIZE && !CPU_COUNT(&one); k++)
		if (CPU_ISSET(k, &before))
			CPU_SET(k, &one);
	CHECKED(sched_setaffinity(0, sizeof(one), &one) == 0);
	CHECKED(cores_allowed() == 1);
	device_threads(0);
	CHECKED(threads_wanted == 1);
	device_threads(3);	/* --threads is obeyed */
	CHECKED(threads_wanted == 3);
	CHECKED(sched_setaffinity(0, sizeof(before), &before) == 0);
	setenv("OMP_NUM_THREADS", "1", 1);
	CHECKED(cores_allowed() == 1);
	unsetenv("OMP_NUM_THREADS");
}

/* ---- whether all of them ---- */

static struct pace tried;
static int64_t tried_now, tried_interruptions;

/* Steps for SECONDS that take so many nanoseconds on all threads and on one, of which the system
 * interrupts all threads so often in a second. Returns the part of the time that went to one
 * thread. */
static double
try_pace(double seconds, int64_t all, int64_t one, int often)
{
	int64_t begun = tried_now, end = begun + (int64_t)(seconds * 1e9), alone = 0;
	double interrupted = 0;

	while (tried_now < end) {
		int64_t took = tried.narrow ? one : all;

		interrupted += tried.narrow ? 0 : often * 1e-9 * (double)took;
		alone += tried.narrow ? took : 0;
		tried_now += took;
		pace_took(&tried, STEP_TRAIN, 32, took, tried_now, tried_interruptions + (int64_t)interrupted);
	}
	tried_interruptions += (int64_t)interrupted;
	return (double)alone / (double)(end - begun);
}

static void
check_pace(void)
{
	tried = pace_new(tried_now, 0);
	CHECKED(try_pace(10, 5000000, 9000000, 0) == 0);	/* at rest nothing is tried */
	CHECKED(try_pace(10, 5000000, 4000000, 150) == 0);
	CHECKED(try_pace(10, 5000000, 4000000, 700) > 0.9);	/* one thread is better, beside others */
	CHECKED(try_pace(6, 3000000, 4000000, 0) < 0.9);	/* they have ended */
	CHECKED(try_pace(10, 3000000, 4000000, 0) == 0);
	CHECKED(try_pace(10, 3000000, 4000000, 700) < 0.05);	/* all are better beside others, too */
	CHECKED(try_pace(60, 900000000, 1000000000, 700) < 0.1);	/* long steps */
	CHECKED(try_pace(600, 900000000, 600000000, 700) > 0.5);
}

/* ---- loops ---- */

/* Loops of all lengths, each of which needs what the one before it made. */
static void
loops(void *with)
{
	(void)with;
	for (int k = 0; k < LOOPS; k++) {
		int n = k * 7 % (ROUNDS + 1);

		ALONE {
			order = order == k ? k + 1 : -1;
			ROWS (r, ROUNDS)	/* its own, here */
				counted[k][r] += r >= n;
		}
		ROWS (r, n)
			counted[k][r] += order == k + 1 ? 1 : 100;
	}
}

static void
check_loops(void)
{
	memset(counted, 0, sizeof(counted));
	order = 0;
	team_run(loops, NULL);
	CHECKED(order == LOOPS);
	for (int k = 0; k < LOOPS; k++)
		for (int r = 0; r < ROUNDS; r++)
			if (counted[k][r] != 1) {
				printf("round %d of loop %d was run %d times\n", r, k, counted[k][r]);
				failures++;
				return;
			}
}

/* ---- processors ---- */

/* A thread that comes to a loop on the processor of the one before it is on another afterwards, and
 * may run on all that it might before. Where there is a single one, it stays. The scheduler may
 * move it, too, so it is tried often. */
static void
check_processors(void)
{
	struct team_member self = { .index = 1, .processor = TEAM_NOWHERE };
	cpu_set_t before, one, after;
	int moved = 0, others;

	CHECKED(sched_getaffinity(0, sizeof(before), &before) == 0);
	others = CPU_COUNT(&before) - 1;
	for (int k = 0; k < 100; k++) {
		int here = sched_getcpu();

		CPU_ZERO(&one);
		CPU_SET(here, &one);
		CHECKED(sched_setaffinity(0, sizeof(one), &one) == 0);
		CHECKED(sched_setaffinity(0, sizeof(before), &before) == 0);
		team.member[0].processor = sched_getcpu();
		self.moves = 0;
		team_spread(&self);
		moved += sched_getcpu() != team.member[0].processor;
	}
	team.member[0].processor = TEAM_NOWHERE;
	CHECKED(others ? moved > 50 : moved == 0);
	CHECKED(sched_getaffinity(0, sizeof(after), &after) == 0 && CPU_EQUAL(&before, &after));
}

/* ---- waiting ---- */

static void
slow(void *with)
{
	struct timespec wait = { 0, 20000000 };

	(void)with;
	for (int k = 0; k < 10; k++)
		ALONE
			nanosleep(&wait, NULL);
}

static double
processor_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	    (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Seven threads wait, ten times, for what takes 20 ms, and then for a second run: spinning they
 * would take some 0.2 s of each processor. */
static void
check_waiting(void)
{
	struct timespec wait = { 0, 200000000 };
	double before = processor_seconds();

	team_run(slow, NULL);
	nanosleep(&wait, NULL);
	before = processor_seconds() - before;
	if (before > 0.05)
		printf("waiting took %.3f s\n", before);
	CHECKED(before <= 0.05);
}

static void
check_fork(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		check_loops();
		_exit(failures != 0);
	}
	CHECKED(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int
main(int argc, char **argv)
{
	if (argc > 1) {
		check_quotas(argv[1]);
		check_affinity();
		check_pace();
	}
	team_open(THREADS, true);
	for (int k = 0; k < 20; k++)
		check_loops();
	if (argc > 1) {
		check_processors();
		check_waiting();
		check_fork();
	}
	return failures != 0;
}
