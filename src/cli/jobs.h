/*
 * Independent pieces of work on several threads, whose results are taken in their order by the thread
 * that asked, so that output does not depend on who was faster.
 */
#ifndef STOWAGE_CLI_JOBS_H
#define STOWAGE_CLI_JOBS_H

/* Runs work(context, i) for each i in [0, n) on up to THREADS threads, and finish(context, i) on the
 * calling one, i rising. No more than a few results wait at any time. */
void	jobs_run(int threads, int n, void (*work)(void *, int), void (*finish)(void *, int),
	    void *context);

int	jobs_processors(void);

#endif
