/*
 * The queue is a counter: workers take the next number, and wait if they are too far ahead. Jobs
 * may be short, so threads are woken only if they can go on: the first thread when the very job
 * that it waits for is done, the workers when a result was taken.
 */
#include "cli/jobs.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#define MOST_THREADS	64
#define AHEAD		(JOBS_SLOTS / MOST_THREADS)	/* results a thread that may wait to be taken */
#define STACK		((size_t)64 << 20)	/* address space; nesting of specs is recursion */

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t ready, room;	/* the next result can be taken; one more may be made */
	void (*work)(void *, int, int);
	void *context;
	int n, next, finished;	/* jobs; the next to be taken; those that finish() has had */
	int window;
	bool done[JOBS_SLOTS];	/* of job i at i % window, its slot */
};

int
jobs_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int)n;
}

static void *
worker(void *context)
{
	struct queue *q = context;
	int i;

	pthread_mutex_lock(&q->lock);
	while (q->next < q->n) {
		if (q->next >= q->finished + q->window) {
			pthread_cond_wait(&q->room, &q->lock);
			continue;
		}
		i = q->next++;
		if (q->next == q->n)
			pthread_cond_broadcast(&q->room);	/* for those who wait: go home */
		pthread_mutex_unlock(&q->lock);
		q->work(q->context, i, i % q->window);
		pthread_mutex_lock(&q->lock);
		q->done[i % q->window] = true;
		if (i == q->finished)
			pthread_cond_signal(&q->ready);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

static int
start(struct queue *q, pthread_t *thread, int threads)
{
	pthread_attr_t attr;
	int started = 0;

	if (pthread_attr_init(&attr) != 0)
		return 0;
	pthread_attr_setstacksize(&attr, STACK);
	while (started < threads && pthread_create(&thread[started], &attr, worker, q) == 0)
		started++;
	pthread_attr_destroy(&attr);
	return started;
}

static void
collect(struct queue *q, void (*finish)(void *, int))
{
	int i;

	for (i = 0; i < q->n; i++) {
		pthread_mutex_lock(&q->lock);
		while (!q->done[i % q->window])
			pthread_cond_wait(&q->ready, &q->lock);
		pthread_mutex_unlock(&q->lock);
		finish(q->context, i);
		pthread_mutex_lock(&q->lock);
		q->done[i % q->window] = false;
		q->finished = i + 1;
		pthread_cond_signal(&q->room);
		pthread_mutex_unlock(&q->lock);
	}
}

void
jobs_run(int threads, int n, void (*work)(void *, int, int), void (*finish)(void *, int),
    void *context)
{
	struct queue q = { .work = work, .context = context, .n = n };
	pthread_t thread[MOST_THREADS];
	int started = 0, i;

	if (threads > n)
		threads = n;
	if (threads > MOST_THREADS)
		threads = MOST_THREADS;
	q.window = threads * AHEAD;
	pthread_mutex_init(&q.lock, NULL);
	pthread_cond_init(&q.ready, NULL);
	pthread_cond_init(&q.room, NULL);
	if (threads > 1)
		started = start(&q, thread, threads);
	if (started)
		collect(&q, finish);
	for (i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; !started && i < n; i++) {
		work(context, i, 0);
		finish(context, i);
	}
	pthread_cond_destroy(&q.ready);
	pthread_cond_destroy(&q.room);
	pthread_mutex_destroy(&q.lock);
}
