/*
 * update/pipe_c.cu - what goes from one stage of a pipeline to the next, and back, by MPI. A send begins where the step says so, and
 * goes on while the step does; its bytes are not written again before it is over, for which the next run that may send the same
 * waits when it begins (pipe_settle()). They may be an input's, so before a forward that is done ahead of its batch's bytes, too.
 * A receive is waited for at once, as what comes next reads it.
 *
 * Nobody waits around a ring. A forward waits until both neighbours have received what this rank sent them: the next one does in its
 * forward of the micro-batch before, the one before in its backward of the oldest, and each comes there without this forward. A
 * backward waits for what went back alone: the next rank may come to its next forward only when it has sent the gradient that
 * this backward is about to receive, and that was received.
 */
#ifndef STOWAGE_UPDATE_PIPE_C_CU
#define STOWAGE_UPDATE_PIPE_C_CU

#include "update/exchange.cu"

#define PIPE_SIGN	1000	/* the tag of the first border */

enum { PIPE_ON = 1, PIPE_BACK = 2 };

static MPI_Request pipe_sends[2][PIPE_SENDS];	/* on, and back: those that were begun */
static int pipe_begun[2];

static void
pipe_begin(const void *x, int64_t bytes, int to, int number, int back)
{
	ALONE {
		pthread_mutex_lock(&ranks.lock);
		MPI_Isend(x, (int)bytes, MPI_BYTE, to, PIPE_SIGN + number, ranks.all, &pipe_sends[back][pipe_begun[back]++]);
		pthread_mutex_unlock(&ranks.lock);
		ranks.sent += bytes;
	}
}

/* BYTES of X begin their way to a later rank. */
static void
pipe_send(const void *x, int64_t bytes, int to, int number)
{
	pipe_begin(x, bytes, to, number, 0);
}

/* The same, to an earlier one. */
static void
pipe_send_back(const void *x, int64_t bytes, int to, int number)
{
	pipe_begin(x, bytes, to, number, 1);
}

/* X comes from that rank, and is there. */
static void
pipe_receive(void *x, int64_t bytes, int from, int number)
{
	ALONE {
		MPI_Request request;

		pthread_mutex_lock(&ranks.lock);
		MPI_Irecv(x, (int)bytes, MPI_BYTE, from, PIPE_SIGN + number, ranks.all, &request);
		pthread_mutex_unlock(&ranks.lock);
		ranks_await(&request);
	}
}

/* Until what was sent that way has left its bytes. */
static void
pipe_settle(int ways)
{
	ALONE
		for (int back = 0; back < 2; back++)
			while (ways >> back & 1 && pipe_begun[back] > 0)
				ranks_await(&pipe_sends[back][--pipe_begun[back]]);
}

#endif
