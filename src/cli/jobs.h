/*
 * Independent pieces of work on several threads, whose results the requesting thread takes in
 * order, so that output does not depend on which thread was faster.
 */
#ifndef STOWAGE_CLI_JOBS_H
#define STOWAGE_CLI_JOBS_H

/* Jobs that run or wait to be finished at the same time have different slots below this. */
#define JOBS_SLOTS	256

/* Runs work(context, i, slot) for each i in [0, n) on up to THREADS threads, and finish(context, i)
 * on the calling one, i rising. No more than a few results wait at any time; what a slot names is
 * the job's own from the start of its work to the end of its finish. */
void	jobs_run(int threads, int n, void (*work)(void *, int i, int slot),
	    void (*finish)(void *, int i), void *context);

int	jobs_processors(void);

#endif
