/*
 * update/pipe_c.cu - what goes from one stage of a pipeline to the next, and back, by MPI. A send
 * begins where the step says so, and goes on while the step does; its bytes are not written again
 * before it is over, for which the next run that may send the same waits when it begins. They may
 * be an input's, so before a forward that is done ahead of its batch's bytes, too.
 */
#ifndef STOWAGE_UPDATE_PIPE_C_CU
#define STOWAGE_UPDATE_PIPE_C_CU

#include "update/exchange.cu"

#define PIPE_SIGN	1000	/* the tag of the first border */

struct pipe_calls {		/* that were begun */
	MPI_Request call[PIPE_MOST];
	int n;
};

static struct pipe_calls pipe_sends[2];		/* on, and back */
static struct pipe_calls pipe_receives[2][2];	/* of one micro-batch, and of the next */

/* BYTES of X begin to come from that rank. The host's. */
static void
pipe_expect(void *x, int64_t bytes, int from, int number, const struct step *s)
{
	struct pipe_calls *c = &pipe_receives[from > ranks.rank][s->micro % 2];

	pthread_mutex_lock(&ranks.lock);
	MPI_Irecv(x, (int)bytes, MPI_BYTE, from, PIPE_SIGN + number, ranks.all, &c->call[c->n++]);
	pthread_mutex_unlock(&ranks.lock);
}

/* Until what that micro-batch receives is there: from later ranks, or from earlier ones. */
static void
pipe_arrive(bool back, int64_t micro)
{
	struct pipe_calls *c = &pipe_receives[back][micro % 2];

	while (c->n > 0)
		ranks_await(&c->call[--c->n]);
}

/* BYTES of X begin their way to that rank. The step's. */
static void
pipe_send(const void *x, int64_t bytes, int to, int number, const struct step *s)
{
	(void)s;
	ALONE {
		struct pipe_calls *c = &pipe_sends[to < ranks.rank];

		pthread_mutex_lock(&ranks.lock);
		MPI_Isend(x, (int)bytes, MPI_BYTE, to, PIPE_SIGN + number, ranks.all, &c->call[c->n++]);
		pthread_mutex_unlock(&ranks.lock);
		ranks.sent += bytes;
	}
}

/* Until what was sent that way has left its bytes. The host's. */
static void
pipe_settle(int ways)
{
	for (int back = 0; back < 2; back++)
		while (ways >> back & 1 && pipe_sends[back].n > 0)
			ranks_await(&pipe_sends[back].call[--pipe_sends[back].n]);
}

#endif
