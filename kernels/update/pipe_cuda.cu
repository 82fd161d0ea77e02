/*
 * update/pipe_cuda.cu - what goes from one stage of a pipeline to the next, and back, by NCCL: beside the steps' graphs, not in
 * them. A graph is over when all in it is, so one that sends would hold back the next step until the other rank receives.
 *
 *     receives   A1 comes -----\       A2 comes ------\
 *     stream     move A0 | forward 0 | move A1 | forward 1 | ...
 *     sends                         \ A0 goes -----     \ A1 goes
 *
 * What goes one way between two ranks has a communicator of its own and a stream, so it waits for nothing that goes another way, and
 * all is received in the order in which it was sent. These have a few blocks each, for which a card has room beside a step's.
 * The host begins all of it, and waits for none. What a step receives begins to come when what it moved of the one before has left
 * that place; what it sends begins to go when the step is over.
 */
#ifndef STOWAGE_UPDATE_PIPE_CUDA_CU
#define STOWAGE_UPDATE_PIPE_CUDA_CU

#include "update/exchange.cu"

#define PIPE_BLOCKS	4	/* of NCCL's kernels, at most */

enum { PIPE_SENDS, PIPE_RECEIVES };

static struct pipe {
	ncclComm_t comm;	/* of two ranks, the lower one its first; NULL: there is no such neighbour */
	cudaStream_t beside;
	cudaEvent_t before, over;	/* what the step had come to, and the calls */
	bool open;		/* a group of calls has begun */
	bool under_way;		/* the step has not waited for it */
} pipes[2][2];			/* on and back, what is sent and what is received */

static ncclComm_t
pipe_join(ncclUniqueId id, int rank)
{
	ncclComm_t comm;

#if NCCL_VERSION_CODE >= 21700
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;

	config.maxCTAs = PIPE_BLOCKS;
	NCCL(ncclCommInitRankConfig(&comm, 2, id, rank, &config));
#else
	NCCL(ncclCommInitRank(&comm, 2, id, rank));
#endif
	return comm;
}

static void
pipe_call(struct pipe *p)
{
	if (!p->open)
		NCCL(ncclGroupStart());
	p->open = true;
}

/* The calls that were made begin, behind what the step has come to. */
static void
pipe_begin(struct pipe *p)
{
	if (!p->open)
		return;
	p->open = false;
	CUDA(cudaEventRecord(p->before, stream));
	CUDA(cudaStreamWaitEvent(p->beside, p->before, 0));
	NCCL(ncclGroupEnd());
	CUDA(cudaEventRecord(p->over, p->beside));
	p->under_way = true;
}

/* The step goes on when they are over. */
static void
pipe_await(struct pipe *p)
{
	if (p->under_way)
		CUDA(cudaStreamWaitEvent(stream, p->over, 0));
	p->under_way = false;
}

/* BYTES come to X from that rank. */
static void
pipe_expect(void *x, int64_t bytes, int from, int number, const struct step *s)
{
	struct pipe *p = &pipes[from > ranks.rank][PIPE_RECEIVES];

	(void)number, (void)s;
	pipe_call(p);
	NCCL(ncclRecv(x, (size_t)bytes, ncclInt8, from > ranks.rank, p->comm, p->beside));
}

/* BYTES of X go to that rank. */
static void
pipe_send(const void *x, int64_t bytes, int to, int number, const struct step *s)
{
	struct pipe *p = &pipes[to < ranks.rank][PIPE_SENDS];

	(void)number, (void)s;
	pipe_call(p);
	NCCL(ncclSend(x, (size_t)bytes, ncclInt8, to > ranks.rank, p->comm, p->beside));
	ranks.sent += bytes;
}

/* What lands is moved to where a step reads it. */
static void
pipe_move(void *to, const void *from, int64_t bytes)
{
	CUDA(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, stream));
}

/* What was expected from later ranks, or from earlier ones, begins to come. */
static void
pipe_receives_begin(bool back)
{
	pipe_begin(&pipes[back][PIPE_RECEIVES]);
}

/* What goes to earlier ranks, or to later ones, begins to go. */
static void
pipe_sends_begin(bool back)
{
	pipe_begin(&pipes[back][PIPE_SENDS]);
}

/* The step goes on when what was expected last is there. */
static void
pipe_arrive(bool back)
{
	pipe_await(&pipes[back][PIPE_RECEIVES]);
}

/* It goes on when what was sent that way has left its bytes. */
static void
pipe_settle(int ways)
{
	for (int back = 0; back < 2; back++)
		if (ways >> back & 1)
			pipe_await(&pipes[back][PIPE_SENDS]);
}

/* The way between this rank and a neighbour is open, with all that it takes: a byte of the arena
 * has gone there. */
static void
pipe_try(struct pipe *p, bool sends, int peer, void *byte)
{
	pipe_call(p);
	if (sends)
		NCCL(ncclSend(byte, 1, ncclInt8, peer, p->comm, p->beside));
	else
		NCCL(ncclRecv(byte, 1, ncclInt8, peer, p->comm, p->beside));
	pipe_begin(p);
	CUDA(cudaStreamSynchronize(p->beside));
	p->under_way = false;
}

/* One way between this rank and the next, or the one before. */
static void
pipe_open_way(bool back, bool higher, ncclUniqueId id, void *byte)
{
	bool sends = higher == back;
	struct pipe *p = &pipes[back][sends ? PIPE_SENDS : PIPE_RECEIVES];
	int least, most;

	p->comm = pipe_join(id, higher);
	communicator_add(p->comm);
	CUDA(cudaDeviceGetStreamPriorityRange(&least, &most));
	CUDA(cudaStreamCreateWithPriority(&p->beside, cudaStreamNonBlocking, most));
	CUDA(cudaEventCreateWithFlags(&p->before, cudaEventDisableTiming));
	CUDA(cudaEventCreateWithFlags(&p->over, cudaEventDisableTiming));
	pipe_try(p, sends, !higher, byte);
}

/* All ranks come here, each with a byte of its arena. */
static void
pipe_open(void *byte)
{
	ncclUniqueId own[2], (*all)[2];

	if (ranks.size == 1)
		return;
	all = (ncclUniqueId (*)[2])calloc((size_t)ranks.size, sizeof(*all));
	if (!all)
		fail("no memory for %d ranks", ranks.size);
	memset(own, 0, sizeof(own));
	for (int back = 0; back < 2 && ranks.rank + 1 < ranks.size; back++)
		NCCL(ncclGetUniqueId(&own[back]));
	ranks_gather(own, all, (int)sizeof(own));
	for (int lower = ranks.rank - 1; lower <= ranks.rank; lower++)
		for (int back = 0; back < 2 && lower >= 0 && lower + 1 < ranks.size; back++)
			pipe_open_way(back, lower < ranks.rank, all[lower][back], byte);
	free(all);
}

#endif
