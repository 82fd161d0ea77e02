/*
 * ranks.c - several processes that train together: who they are, that they do the same, and that
 * all of them live.
 *
 *     start    all ranks compare what they run, with what, and on what data: before the first step
 *     step     gradients are added up (update/all_reduce.cu, update/shard.cu), and then the numbers of the log
 *     watch    each rank tells others that it lives, and heeds what some tell it
 *     end      a rank that fails, or that is not heard of, ends all
 *
 * How they reach one another is ranks_mpi.c's, or where nothing but the kernels' library joins
 * them, ranks_tcp.c's. The thread that watches goes on while its rank reads or writes for long, so
 * a slow rank is not taken for a dead one.
 */
#ifndef STOWAGE_HOST_RANKS_C
#define STOWAGE_HOST_RANKS_C

#include "update/all_reduce.cu"
#include "persistent.c"
#include "hash.h"

#define RANK_NAME	64
#define RANK_BEAT	200000000	/* nanoseconds between two of them */

static struct rank_name {	/* by rank */
	char host[RANK_NAME];
	int pid;
	bool seen;		/* this rank sees that process: it is on the same machine */
} *rank_names;			/* NULL: not all have said theirs */

static pthread_t ranks_watcher;
static bool ranks_watching;
static bool ranks_exits;	/* the process does, and what is to be done before is done */
static bool ranks_ended;	/* the thread that watches is to end */

static struct rank_saved {	/* the last checkpoint, and the one before it */
	const char *file;
	int64_t update;		/* after which it was */
} rank_saves[2], *ranks_saved;	/* NULL: there is none */

/* Seconds after which a rank that is not heard of is given up. */
static int ranks_patience = 10;

static const char *
ranks_text(char text[RANK_NAME + 64], int rank)
{
	const struct rank_name *names = __atomic_load_n(&rank_names, __ATOMIC_ACQUIRE);

	if (names)
		snprintf(text, RANK_NAME + 64, "rank %d (process %d on %s)", rank, names[rank].pid, names[rank].host);
	else
		snprintf(text, RANK_NAME + 64, "rank %d", rank);
	return text;
}

static void
ranks_note_saved(const char *file, int64_t update)
{
	struct rank_saved *s = &rank_saves[ranks_saved == rank_saves];

	*s = (struct rank_saved){ file, update };
	__atomic_store_n(&ranks_saved, s, __ATOMIC_RELEASE);
}

static int ranks_silence;	/* of the end this rank says nothing more: it is said */

static void
ranks_be_silent(void)
{
	__atomic_store_n(&ranks_silence, 1, __ATOMIC_RELAXED);
}

static bool
ranks_are_silent(void)
{
	return __atomic_load_n(&ranks_silence, __ATOMIC_RELAXED);
}

/* Says why a run ends, and what there is to go on from; in one piece, for whoever started the ranks
 * may be speaking, too. */
static void
ranks_tell_end(const char *why)
{
	const struct rank_saved *s = __atomic_load_n(&ranks_saved, __ATOMIC_ACQUIRE);
	char *text = NULL;
	size_t size = 0;
	FILE *whole = open_memstream(&text, &size), *to = whole ? whole : stderr;

	if (bar_is_drawn)
		putchar('\n');
	fflush(stdout);
	fprintf(to, "%s: %s", PROGRAM, why);
	if (s) {
		fputs("; the last checkpoint is ", to);
		put_safe(to, s->file);
		fprintf(to, ", after update %lld\n", (long long)s->update);
	} else {
		fputs("; there is no checkpoint\n", to);
	}
	if (whole && !fclose(whole))
		fwrite(text, 1, size, stderr);
	free(text);
}

/* Seconds for which the others let the first rank speak: it ends them as soon as it has. */
static int ranks_hold = 2;

/* Says who speaks. Where all find the same, the first rank says so for all of them. */
static void
ranks_speak(void)
{
	struct timespec moment = { ranks_hold, 0 };

	if (ranks.size == 1)
		return;
	if (ranks.rank > 0)
		nanosleep(&moment, NULL);
	fprintf(stderr, "rank %d: ", ranks.rank);
}

static int64_t ranks_looked;	/* when the thread that watches last went round */
static int64_t *ranks_heard;	/* of each rank that this one heeds, when it last said that it lives */

static void
ranks_hears(int k, int64_t now)
{
	__atomic_store_n(&ranks_heard[k], now, __ATOMIC_RELAXED);
}

static int64_t
ranks_heard_last(int k)
{
	return __atomic_load_n(&ranks_heard[k], __ATOMIC_RELAXED);
}

#ifdef __CUDACC__
#include "ranks_tcp.c"
#else
#include "ranks_mpi.c"
#endif

/* This rank waits for others. If it has been told to end meanwhile, one of them may have ended, of
 * which who started them tells: what there is to go on from, that does not know. By then it would
 * be known here, too, if it ever is. */
static void
ranks_wait_on(void)
{
	static int64_t since;
	bool first;

	if (since < 0 || !interrupted || ranks_are_silent())
		return;
	since = since ? since : ranks_clock();
	first = ranks.rank == 0 || (ranks.rank == 1 && ranks_clock() - ranks_heard_last(0) > 3 * RANK_BEAT);
	if (!first || ranks_clock() - since < 4 * (int64_t)RANK_BEAT)
		return;
	since = -1;
	ranks_tell_end("told to end while it waits for other ranks");
}

/* ---- watching ---- */

__attribute__((noreturn)) static void
ranks_give_up(int rank)
{
	char name[RANK_NAME + 64], why[RANK_NAME + 160];

	snprintf(why, sizeof(why), "%s has not been heard of for %d seconds: all ranks end", ranks_text(name, rank),
	    ranks_patience);
	ranks_tell_end(why);
	ranks_abort(3);
	_exit(3);
}

/* This one stood still itself: others are not to blame. */
static void
ranks_forgive(int64_t now)
{
	for (int k = 0; k < ranks_heeds(); k++)
		ranks_hears(k, now);
}

static void *
ranks_watch(void *unused)
{
	int64_t told = 0;

	while (!__atomic_load_n(&ranks_ended, __ATOMIC_ACQUIRE)) {
		int64_t now = ranks_clock();

		if (now - ranks_looked > (int64_t)1000000000)
			ranks_forgive(now);
		__atomic_store_n(&ranks_looked, now, __ATOMIC_RELAXED);
		if (now - told > RANK_BEAT) {
			ranks_tell();
			told = now;
		}
		ranks_hear(now);
		for (int k = 0; k < ranks_heeds(); k++)
			if (now - ranks_heard_last(k) > ranks_patience * (int64_t)1000000000)
				ranks_give_up(ranks_heeded(k));
		ranks_push();
	}
	return unused;
}

/* ---- who they are ---- */

/* While they watch one another already: one that stands still is missed here, too. */
static void
ranks_name(void)
{
	struct rank_name own = { "", (int)getpid() }, *names = (struct rank_name *)calloc((size_t)ranks.size, sizeof(*names));

	gethostname(own.host, sizeof(own.host) - 1);
	if (!names)
		fail("no memory for the names of %d ranks", ranks.size);
	ranks_gather(&own, names, (int)sizeof(own));
	for (int k = 0; k < ranks.size; k++)
		names[k].seen = !strcmp(names[k].host, own.host) && !(kill(names[k].pid, 0) < 0 && errno == ESRCH);
	ranks_place(names);
	__atomic_store_n(&rank_names, names, __ATOMIC_RELEASE);	/* which the thread that watches may ask for */
}

/* At the end of a run that went well; one that fails ends all. */
static void
ranks_close(void)
{
	double all = 1;

	if (!ranks_joined())
		return;
	fflush(stdout);		/* with a status other than 0, the first to leave ends the others */
	if (ranks_watching) {
		ranks_sum(&all, 1);	/* until then others wait for signs of life */
		__atomic_store_n(&ranks_ended, true, __ATOMIC_RELEASE);
		pthread_join(ranks_watcher, NULL);
		ranks_end_call();
	}
	ranks_leave();
}

static void
ranks_exit(void)
{
	ranks_exits = true;
	ranks_close();
}

/* Before all else. */
static void
ranks_open(int *argc, char ***argv)
{
	ranks_connect(argc, argv);
	atexit(ranks_exit);
	if (ranks.rank > 0 && !freopen("/dev/null", "w", stdout))
		fail("/dev/null: %s", strerror(errno));
}

/* Once all options are known, and before what takes long. */
static void
ranks_begin_watch(void)
{
	if (ranks.size == 1)
		return;
	ranks_meet();
	ranks_heard = (int64_t *)calloc((size_t)ranks_heeds(), sizeof(*ranks_heard));
	if (!ranks_heard)
		fail("no memory to watch %d ranks", ranks_heeds());
	ranks_looked = ranks_clock();
	ranks_forgive(ranks_looked);
	if (pthread_create(&ranks_watcher, NULL, ranks_watch, NULL))
		fail("no thread to watch the other ranks: %s", strerror(errno));
	ranks_watching = true;
	ranks_name();
	ranks_begin_call();
}

/* ---- together ---- */

/* Is X the same on all ranks? Else all of them end, and the first says whose is another: "has
 * WHAT". */
static void
ranks_compare(uint64_t x, const char *what)
{
	uint64_t *all;
	char name[RANK_NAME + 64];

	if (ranks.size == 1)
		return;
	all = (uint64_t *)malloc((size_t)ranks.size * sizeof(*all));
	if (!all)
		fail("no memory to compare %d ranks", ranks.size);
	ranks_gather(&x, all, (int)sizeof(x));
	ranks_hold = 60;	/* if it fails, so it does on all of them */
	for (int k = 1; k < ranks.size; k++)
		if (all[k] != all[0])
			fail("%s has %s than rank 0: all ranks must have the same", ranks_text(name, k), what);
	ranks_hold = 2;
	free(all);
}

/* FNV-1a, of words in place of bytes, whose high bits find their way down too. */
static uint64_t
ranks_hash(uint64_t hash, const void *bytes, int64_t n)
{
	const unsigned char *p = (const unsigned char *)bytes;

	for (int64_t i = 0; i < n; i += 8) {
		uint64_t word = 0;

		memcpy(&word, p + i, n - i < 8 ? (size_t)(n - i) : 8);
		hash = (hash ^ word) * 0x100000001b3u;
		hash ^= hash >> 29;
	}
	return hash;
}

/* The program itself, as it lies on this rank's machine. */
static uint64_t
ranks_program(void)
{
	static unsigned char block[1 << 16];
	uint64_t hash = FNV_BEGIN;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	while (fd >= 0 && (n = read(fd, block, sizeof(block))) > 0)
		hash = ranks_hash(hash, block, n);
	if (fd >= 0)
		close(fd);
	return hash;
}

/* ---- what they have ---- */

/* Of data, what there is of each column, and some of its samples; those that are made are alike
 * anyway. */
static void
ranks_compare_data(const struct data *d)
{
	uint64_t hash = ranks_hash(FNV_BEGIN, &d->samples, (int64_t)sizeof(d->samples));

	for (int k = 0; k < d->inputs; k++) {
		const struct input *in = &d->input[k];
		const struct column *c = &d->column[in->column];
		int64_t step = d->rows / 64 + 1;

		for (int64_t row = 0; row < d->rows && !d->makes[k] && !d->absent[k]; row += step)
			hash = ranks_hash(hash, column_at(c, row), in->elements * type_table[c->type].bytes);
	}
	ranks_compare(hash, "other data");
}

/* All that is trained, and what trains it, which every rank has made by itself. */
static void
ranks_compare_weights(const char *what)
{
	uint64_t hash = FNV_BEGIN;

	for (int k = 0; k < PERSISTENT; k++) {
		const struct persistent *p = &persistent[k];
		int64_t bytes = p->elements * type_table[p->type].bytes;

		for (int64_t at = 0, n; at < bytes && !p->own && !is_shared(p); at += n) {
			n = bytes - at < (int64_t)sizeof(chunk) ? bytes - at : (int64_t)sizeof(chunk);
			device_read(chunk, p->offset + at, n);
			hash = ranks_hash(hash, chunk, n);
		}
	}
	ranks_compare(hash, what);
}

static struct {			/* bytes that this rank sent of gradients and weights */
	int64_t before;		/* until the last update began */
	int64_t most;		/* for one update */
} ranks_sent;

/* An update is over. */
static void
ranks_count_sent(void)
{
	int64_t bytes = ranks.sent - ranks_sent.before;

	ranks_sent.before = ranks.sent;
	ranks_sent.most = bytes > ranks_sent.most ? bytes : ranks_sent.most;
}

/* Running statistics become the mean of those of all ranks. As each is a mean of its batches, it
 * does not matter when that is done, nor how often. */
static void
ranks_average_statistics(void)
{
	int64_t sent = ranks.sent;

	for (int k = 0; k < PERSISTENT; k++) {
		const struct persistent *p = &persistent[k];
		void *x = arena + p->offset;

		if (!p->own || ranks.size == 1)
			continue;
		all_reduce_average(x, p->elements, type_table[p->type].bytes);
	}
	ranks_sent.before += ranks.sent - sent;	/* it is no part of an update */
}

#ifdef STAGES

/* What WRITE writes on each rank, by the first, one after the other. */
static void
ranks_write_each(void (*write)(FILE *))
{
	double *sizes = (double *)calloc((size_t)ranks.size, sizeof(*sizes));
	char *own = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&own, &size);

	if (!f || !sizes)
		fail("no memory for what %d ranks write", ranks.size);
	write(f);
	if (fclose(f))
		fail("no memory for what a rank writes");
	sizes[ranks.rank] = (double)size;
	ranks_sum(sizes, ranks.size);
	if (ranks.rank > 0)
		ranks_move(own, (int64_t)size, ranks.rank, 0);
	for (int k = 0; k < ranks.size && ranks.rank == 0; k++) {
		char *text = k ? (char *)malloc((size_t)sizes[k]) : own;

		if (!text)
			fail("no memory for what rank %d writes", k);
		if (k)
			ranks_move(text, (int64_t)sizes[k], k, 0);
		printf("\nrank %d", k);
		fwrite(text, 1, (size_t)sizes[k], stdout);
		if (k)
			free(text);
	}
	free(own);
	free(sizes);
}

/* What each rank planned, took, and sent: each has a plan of its own. */
static void
ranks_report(void)
{
	double own[4] = { (double)ARENA_BYTES, (double)arena_taken, (double)SENT_BYTES, (double)ranks_sent.most };
	double *all = (double *)calloc((size_t)ranks.size, sizeof(own));

	if (!all)
		fail("no memory for the figures of %d ranks", ranks.size);
	memcpy(all + 4 * ranks.rank, own, sizeof(own));
	ranks_sum(all, 4 * ranks.size);
	for (int k = 0; k < ranks.size; k++)
		printf("rank %d   %.0f bytes planned, %.0f measured; %.0f at most sent to its neighbours for an update, %.0f planned\n", k,
		    all[4 * k], all[4 * k + 1], all[4 * k + 3], all[4 * k + 2]);
	free(all);
}

#else

/* What the arenas of all ranks took, which all planned alike, and what was sent. */
static void
ranks_report(void)
{
	double *taken = (double *)calloc((size_t)ranks.size * 2, sizeof(*taken)), *sent = taken + ranks.size, most = 0;
	char name[RANK_NAME + 64];
	bool same = true;

	if (!taken)
		fail("no memory for the figures of %d ranks", ranks.size);
	taken[ranks.rank] = (double)arena_taken;
	sent[ranks.rank] = (double)ranks_sent.most;
	ranks_sum(taken, 2 * ranks.size);
	for (int k = 1; k < ranks.size; k++)
		same &= taken[k] == taken[0];
	for (int k = 1; k < ranks.size && !same; k++)
		printf("         %.0f by %s\n", taken[k], ranks_text(name, k));
	if (same)
		printf("         the same on each of %d ranks\n", ranks.size);
	for (int k = 0; k < ranks.size; k++)
		most = sent[k] > most ? sent[k] : most;
#ifdef SPLIT
#define RANKS_SENT	"a rank for an update, to add up what split layers make"
#elif defined(SHARDS)
#define RANKS_SENT	"a rank for an update, to add up gradients and to bring weights to all"
#else
#define RANKS_SENT	"a rank for an update, to add up gradients"
#endif
#ifdef __CUDACC__
	printf("sent     %lld bytes planned by " RANKS_SENT ", around a ring: NCCL chooses how, and does not count\n",
	    (long long)SENT_BYTES);
#else
	printf("sent     %.0f bytes at most by " RANKS_SENT "; %lld planned\n", most, (long long)SENT_BYTES);
#endif
	free(taken);
}

#endif

/* ---- shares ---- */

/* Samples of the next micro-batch on all ranks, where so many are left. */
static int64_t
ranks_batch(int64_t left)
{
	int64_t most = TRAIN_BATCH * (int64_t)ranks_sharing();

	return left < most ? left : most;
}

#endif
