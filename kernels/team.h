/*
 * team.h - the threads of a C program. team_run() has them all run one function, a whole step of
 * training say, and its loops are shared out among them:
 *
 *     EACH, ROWS, SHARE     each thread takes pieces of the loop's range, first its own, then
 *                           what others have not begun; all go on when every piece is finished
 *     ALONE                 whichever thread comes first runs it, the others wait
 *
 * Whatever stands outside of these each thread does for itself: it works out arguments and writes
 * nothing that another reads. All must come by the same loops in the same order, so what decides
 * whether a loop is reached may depend on shapes and on the step's numbers, never on the arena.
 *
 * A thread that another process keeps from its processor holds up a loop only by the piece that it
 * has in hand; when it runs again, it passes by what the others did meanwhile. One that waits spins
 * for some microseconds and then sleeps. Who takes which piece changes no result: pieces are made
 * of whole elements, rows or tiles, each of which is computed as if alone.
 *
 * A scheduler may put a thread that is woken beside the one that woke it, and leave both on one
 * processor for whole seconds while another has nothing to do. So a thread that comes to a loop
 * where one before it in the team has its processor goes to another (Linux). It is bound to none
 * afterwards: that is the scheduler's to say.
 *
 * In the check build a team is one thread too: one that comes late may look at buffers that are
 * dead by then, and throws away what it saw, but the poison would stop it.
 *
 * With THREADS 1, with -DNO_THREADS, or where there are no POSIX threads, a team is the one thread
 * there is.
 */
#ifndef STOWAGE_TEAM_H
#define STOWAGE_TEAM_H

#include <stdbool.h>
#include <stdint.h>

#ifndef THREADS
#define THREADS	1	/* the planned number of threads: workspaces are made for so many */
#endif

#if THREADS > 1 && !defined(NO_THREADS) && !defined(CHECK) && defined(__has_include)
#if __has_include(<pthread.h>)
#define TEAM_THREADS
#endif
#endif

struct share {			/* one thread's way through a loop of N rounds */
	int64_t n, unit;	/* pieces begin at multiples of so many rounds */
	int64_t from, to;	/* the piece in hand */
	int pieces;		/* 0: the loop is this thread's alone */
	int finished;		/* pieces, by this thread */
	int victim;		/* whose pieces it takes: first its own */
	uint64_t loop;
	bool inside;		/* of ALONE */
};

#ifdef TEAM_THREADS

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#define TEAM_SPIN	30000	/* nanoseconds that a thread spins before it sleeps */
#define TEAM_ROUNDS	64	/* looks between two at the clock */
#define TEAM_PIECES	4	/* a thread, of a loop that is long enough */
#define TEAM_CLOSED	((uint64_t)1 << 31)
#define TEAM_STAYS	2000000	/* nanoseconds for which a thread stays on the processor that it went to, at least */
#define TEAM_NOWHERE	-1

struct team_member {
	int index;
	int alone;		/* so many ALONE deep: loops are its own */
	uint64_t loop;		/* the next that it comes to */
	int processor;		/* that it came to the last one on; TEAM_NOWHERE: it sleeps */
	int64_t moves;		/* to another no earlier than this */
};

static struct {
	/* by member: the loop of which pieces were taken last << 16 | the first that is left */
	struct {
		uint64_t pieces __attribute__((aligned(64)));
	} taken[THREADS];
	uint64_t loop __attribute__((aligned(64)));	/* all before it are finished */
	int finished;		/* pieces of it */
	/* runs so far << 32 | TEAM_CLOSED to newcomers | how many are in it beside the leader */
	uint64_t run __attribute__((aligned(64)));
	int sleepers;
	int size;		/* threads, the leader included */
	bool narrow;		/* runs are the leader's alone */
	int64_t spin;
	void (*what)(void *);	/* that is run, */
	void *with;
	uint64_t first;		/* and the first loop of it */
	pthread_mutex_t lock;
	pthread_cond_t news;
	struct team_member member[THREADS];
} team = { .loop = 1, .run = TEAM_CLOSED, .size = 1, .lock = PTHREAD_MUTEX_INITIALIZER,
	.news = PTHREAD_COND_INITIALIZER };

static __thread struct team_member *team_self;	/* NULL: outside of a run */

/* Threads that share loops here, and which of them this is. */
static inline int
team_size(void)
{
	return team_self && !team_self->alone ? team.size : 1;
}

static inline int
team_me(void)
{
	return team_self ? team_self->index : 0;
}

/* ---- waiting ---- */

static inline int64_t
team_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void
team_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static bool
team_loop_over(uint64_t loop)
{
	return __atomic_load_n(&team.loop, __ATOMIC_SEQ_CST) > loop;
}

static bool
team_run_open(uint64_t after)
{
	uint64_t run = __atomic_load_n(&team.run, __ATOMIC_SEQ_CST);

	return run >> 32 != after && !(run & TEAM_CLOSED);
}

static bool
team_run_left(uint64_t unused)
{
	(void)unused;
	return !(__atomic_load_n(&team.run, __ATOMIC_SEQ_CST) & (TEAM_CLOSED - 1));
}

static inline void
team_is_on(int processor)
{
	if (team_self)
		__atomic_store_n(&team_self->processor, processor, __ATOMIC_RELAXED);
}

static void
team_wait(bool (*over)(uint64_t), uint64_t what)
{
	int64_t end = 0;

	do {
		for (int i = 0; i < TEAM_ROUNDS; i++) {
			if (over(what))
				return;
			team_pause();
		}
		if (!end)
			end = team_clock() + team.spin;
	} while (team_clock() < end);
	team_is_on(TEAM_NOWHERE);
	pthread_mutex_lock(&team.lock);
	__atomic_add_fetch(&team.sleepers, 1, __ATOMIC_SEQ_CST);
	while (!over(what))
		pthread_cond_wait(&team.news, &team.lock);
	__atomic_sub_fetch(&team.sleepers, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&team.lock);
}

/* After a change that somebody may wait for. */
static void
team_tell(void)
{
	if (__atomic_load_n(&team.sleepers, __ATOMIC_SEQ_CST) == 0)
		return;
	pthread_mutex_lock(&team.lock);
	pthread_cond_broadcast(&team.news);
	pthread_mutex_unlock(&team.lock);
}

/* ---- processors ---- */

#ifdef CPU_SETSIZE

static inline int
team_where(int v)
{
	return __atomic_load_n(&team.member[v].processor, __ATOMIC_RELAXED);
}

/* To a processor that no other member is on, if the thread may run on one. */
static void
team_move(struct team_member *self)
{
	int64_t now = team_clock();
	cpu_set_t allowed, left;

	if (!team.spin || now < self->moves)
		return;
	self->moves = now + TEAM_STAYS;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return;
	left = allowed;
	for (int v = 0; v < team.size; v++)
		if (v != self->index && team_where(v) >= 0 && team_where(v) < CPU_SETSIZE)
			CPU_CLR(team_where(v), &left);
	if (CPU_COUNT(&left) > 0 && sched_setaffinity(0, sizeof(left), &left) == 0)
		sched_setaffinity(0, sizeof(allowed), &allowed);
}

static inline void
team_spread(struct team_member *self)
{
	int here = sched_getcpu(), v = 0;

	while (v < self->index && team_where(v) != here)
		v++;
	if (v < self->index) {
		team_move(self);
		here = sched_getcpu();
	}
	team_is_on(here);
}

#else

static inline void
team_spread(struct team_member *self)
{
	(void)self;
}

#endif

/* ---- loops ---- */

/* Member V's pieces of a loop begin here; those of V + 1 where they end. */
static inline int
team_own(int pieces, int v)
{
	return (pieces * v + team.size - 1) / team.size;
}

static inline struct share
team_share(int64_t n, int64_t unit, int64_t most)
{
	struct share s = { .n = n, .unit = unit };

	if (team_size() > 1) {
		int64_t units = (n + unit - 1) / unit;

		team_spread(team_self);
		s.pieces = (int)(units < most ? units : most);
		s.pieces += s.pieces < 1;	/* it is passed by all, even if there is nothing to do */
		s.loop = team_self->loop++;
		s.victim = team_self->index;
	}
	return s;
}

/* Takes a piece of the victim's; -1: there is none left. */
static inline int
team_take(struct share *s)
{
	uint64_t *of = &team.taken[s->victim].pieces, was = __atomic_load_n(of, __ATOMIC_ACQUIRE);
	int piece;

	do {
		if (was >> 16 > s->loop)
			return -1;
		piece = was >> 16 == s->loop ? (int)(was & 0xffff) : team_own(s->pieces, s->victim);
		if (piece >= team_own(s->pieces, s->victim + 1))
			return -1;
	} while (!__atomic_compare_exchange_n(of, &was, s->loop << 16 | (uint64_t)(piece + 1), true,
	    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return piece;
}

/* Nothing is left to take of a loop: it is over when all who took pieces have finished them. */
static void
team_leave(struct share *s)
{
	if (s->finished && __atomic_add_fetch(&team.finished, s->finished, __ATOMIC_ACQ_REL) ==
	    s->pieces) {
		team.finished = 0;
		__atomic_store_n(&team.loop, s->loop + 1, __ATOMIC_SEQ_CST);
		team_tell();
		return;
	}
	team_wait(team_loop_over, s->loop);
}

static inline bool
team_next(struct share *s)
{
	if (!s->pieces) {
		s->to = s->n;
		return !s->finished++;
	}
	for (int tried = 0; tried < team.size && !team_loop_over(s->loop); tried++) {
		int64_t units = (s->n + s->unit - 1) / s->unit;
		int piece = team_take(s);

		if (piece >= 0) {
			s->finished++;
			s->from = units * piece / s->pieces * s->unit;
			s->to = units * (piece + 1) / s->pieces * s->unit;
			s->to = s->to < s->n ? s->to : s->n;
			return true;
		}
		s->victim = s->victim + 1 < team.size ? s->victim + 1 : 0;
	}
	team_leave(s);
	return false;
}

static inline bool
team_alone(struct share *s)
{
	if (s->inside)
		team_self->alone--;
	s->inside = false;
	if (!team_next(s))
		return false;
	if (team_self) {
		team_self->alone++;
		s->inside = true;
	}
	return true;
}

/* ---- runs ---- */

static void *
team_work(void *member)
{
	struct team_member *self = (struct team_member *)member;
	uint64_t last = 0;

	for (;;) {
		uint64_t run;

		team_wait(team_run_open, last);
		run = __atomic_load_n(&team.run, __ATOMIC_SEQ_CST);
		if ((run & TEAM_CLOSED) || !__atomic_compare_exchange_n(&team.run, &run, run + 1, false,
		    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			continue;
		last = run >> 32;
		self->loop = team.first;
		team_self = self;
		team.what(team.with);
		team_is_on(TEAM_NOWHERE);
		team_self = NULL;
		if (__atomic_sub_fetch(&team.run, 1, __ATOMIC_SEQ_CST) & TEAM_CLOSED)
			team_tell();
	}
	return NULL;
}

/* All threads run WHAT; those that come too late find nothing left to do. */
static void
team_run(void (*what)(void *), void *with)
{
	if (team.size == 1 || team.narrow || team_self) {
		what(with);
		return;
	}
	team.what = what;
	team.with = with;
	team.first = team.member[0].loop = team.loop;
	__atomic_store_n(&team.run, ((team.run >> 32) + 1) << 32, __ATOMIC_SEQ_CST);
	team_tell();
	team_self = &team.member[0];
	what(with);
	team_is_on(TEAM_NOWHERE);
	team_self = NULL;
	__atomic_or_fetch(&team.run, TEAM_CLOSED, __ATOMIC_SEQ_CST);
	team_wait(team_run_left, 0);
}

/* A child of fork() has no thread but its own. */
static void
team_forked(void)
{
	team.size = 1;
}

/* Starts the threads, once. Without SPIN those that wait sleep at once: they are more than
 * processors. Where the system refuses a thread, there are fewer. */
static void
team_open(int threads, bool spin)
{
	sigset_t all, before;
	pthread_t thread;

	team.spin = spin ? TEAM_SPIN : 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);	/* signals are for the main thread */
	for (int n = 1; n < threads && n < THREADS; n++) {
		team.member[n].index = n;
		team.member[n].processor = TEAM_NOWHERE;
		if (pthread_create(&thread, NULL, team_work, &team.member[n]) != 0)
			break;
		pthread_detach(thread);
		team.size = n + 1;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_atfork(NULL, NULL, team_forked);
}

#else

#define TEAM_PIECES	1

static inline int
team_size(void)
{
	return 1;
}

static inline int
team_me(void)
{
	return 0;
}

static inline struct share
team_share(int64_t n, int64_t unit, int64_t most)
{
	struct share s = { .n = n, .unit = unit, .pieces = most > 0 };

	return s;
}

static inline bool
team_next(struct share *s)
{
	s->to = s->n;
	return !s->finished++;
}

static inline bool
team_alone(struct share *s)
{
	return team_next(s);
}

static void
team_run(void (*what)(void *), void *with)
{
	what(with);
}

static void
team_open(int threads, bool spin)
{
	(void)threads, (void)spin;
}

#endif

/* What follows is done for each piece [BEGIN, END) of N rounds that this thread takes: at most MOST
 * pieces in all, which begin at multiples of UNIT. No loop within it is shared. */
#define SHARE(begin, end, n, unit, most)						\
	for (struct share share_ = team_share(n, unit, most); team_next(&share_);)	\
	for (int64_t begin = share_.from, end = share_.to, once_ = 1; once_; once_ = 0)
#define ALONE	for (struct share alone_ = team_share(1, 1, 1); team_alone(&alone_);)

#endif
