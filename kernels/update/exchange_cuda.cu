/*
 * update/exchange_cuda.cu - what goes between ranks while the step goes on, by NCCL. It has a
 * stream of its own: a call begins there when all that the step has come to is over, and the step
 * waits for it where it needs what comes of it. While a step is captured, these waits are edges of
 * its graph, so that NCCL's kernels run beside the step's.
 *
 *     stream    dw3 | dw2 ------- | dw1 ------- | wait | update
 *     beside         \ sum of dw3   \ sum of dw2 ... /
 *
 * What begins together is one group of calls, and so one kernel. NCCL cuts a tensor into equal
 * pieces alone. Of one whose elements the ranks do not divide, pieces differ by one
 * (update/ranks.cu), and each goes from or to its rank by a call of its own.
 */
#ifndef STOWAGE_UPDATE_EXCHANGE_CUDA_CU
#define STOWAGE_UPDATE_EXCHANGE_CUDA_CU

#include "update/ranks.cu"

static ncclComm_t exchanges_comm;	/* of all ranks; NULL: there is one */
static cudaStream_t exchanges_beside;

#define COMMUNICATORS	5	/* that one, and what goes on and back between stages, two ways each */

/* All of this rank's, for the thread that watches, too. */
static ncclComm_t communicator[COMMUNICATORS];
static int communicators;

static cudaEvent_t exchanges_before;	/* all that the step has come to when something begins */

/* In the order in which they began, around and around. */
static struct exchange {
	const void *key;	/* by which it is waited for; NULL: there is none in this place, or it was */
	cudaEvent_t there;
} exchanges[EXCHANGES];

static int exchanges_begun;	/* the place of the next */
static int exchanges_grouped;	/* how many before it are one group of calls, which has not begun */

static void	ranks_gather(const void *own, void *all, int bytes);

static void
communicator_add(ncclComm_t comm)
{
	communicator[communicators] = comm;
	__atomic_store_n(&communicators, communicators + 1, __ATOMIC_RELEASE);
}

/* All ranks come here, each of which has chosen its card. */
static void
exchange_open(void)
{
	ncclUniqueId own, *all;
	int least, most;

	if (ranks.size == 1)
		return;
#ifdef SHARDS
	int *there;

	CUDA(cudaGetSymbolAddress((void **)&there, rank_on_device));
	CUDA(cudaMemcpyAsync(there, &ranks.rank, sizeof(*there), cudaMemcpyHostToDevice, stream));
	CUDA(cudaStreamSynchronize(stream));
#endif
	all = (ncclUniqueId *)calloc((size_t)ranks.size, sizeof(*all));
	if (!all)
		fail("no memory for %d ranks", ranks.size);
	memset(&own, 0, sizeof(own));
	if (ranks.rank == 0)
		NCCL(ncclGetUniqueId(&own));
	ranks_gather(&own, all, (int)sizeof(own));
	NCCL(ncclCommInitRank(&exchanges_comm, ranks.size, all[0], ranks.rank));
	communicator_add(exchanges_comm);
	free(all);
	/* what others wait for comes first */
	CUDA(cudaDeviceGetStreamPriorityRange(&least, &most));
	CUDA(cudaStreamCreateWithPriority(&exchanges_beside, cudaStreamNonBlocking, most));
	CUDA(cudaEventCreateWithFlags(&exchanges_before, cudaEventDisableTiming));
	for (int k = 0; k < EXCHANGES; k++)
		CUDA(cudaEventCreateWithFlags(&exchanges[k].there, cudaEventDisableTiming));
}

static ncclDataType_t
exchange_type(int bytes)
{
#if NARROW
	if (bytes == 2)
		return ELEM_NCCL;
#endif
	return bytes == 8 ? ncclDouble : ncclFloat;
}

/* ---- calls ---- */

/* The group of calls goes behind what the step has come to. */
static void
exchange_group_end(void)
{
	CUDA(cudaEventRecord(exchanges_before, stream));
	CUDA(cudaStreamWaitEvent(exchanges_beside, exchanges_before, 0));
	NCCL(ncclGroupEnd());
}

/* To each rank its piece of the sum. */
static void
exchange_scatter(char *base, const struct ring_span *s, int bytes)
{
	struct rank_piece own = rank_piece_of(s->n, ranks.rank, ranks.size);
	char *to = s->piece < 0 ? base + s->at + own.first * bytes : base + s->piece;

	if (s->n % ranks.size == 0) {
		NCCL(ncclReduceScatter(base + s->own, to, (size_t)own.n, exchange_type(bytes), ncclSum, exchanges_comm,
		    exchanges_beside));
		return;
	}
	for (int r = 0; r < ranks.size; r++) {
		struct rank_piece p = rank_piece_of(s->n, r, ranks.size);

		if (p.n)
			NCCL(ncclReduce(base + s->own + p.first * bytes, to, (size_t)p.n, exchange_type(bytes), ncclSum, r,
			    exchanges_comm, exchanges_beside));
	}
}

/* From each rank its piece to all. */
static void
exchange_spread(char *base, const struct ring_span *s, int bytes)
{
	struct rank_piece own = rank_piece_of(s->n, ranks.rank, ranks.size);
	const char *from = s->piece < 0 ? base + s->at + own.first * bytes : base + s->piece;

	if (s->n % ranks.size == 0) {
		NCCL(ncclAllGather(from, base + s->at, (size_t)own.n, exchange_type(bytes), exchanges_comm, exchanges_beside));
		return;
	}
	for (int r = 0; r < ranks.size; r++) {
		struct rank_piece p = rank_piece_of(s->n, r, ranks.size);

		if (p.n)
			NCCL(ncclBroadcast(from, base + s->at + p.first * bytes, (size_t)p.n, exchange_type(bytes), r,
			    exchanges_comm, exchanges_beside));
	}
}

/* Begins what is waited for by KEY: with what comes behind it, if there is MORE. */
static void
exchange_begin(const void *key, char *base, const struct ring_span *span, int spans, int bytes, int halves, bool more)
{
	exchanges[exchanges_begun].key = key;
	exchanges_begun = (exchanges_begun + 1) % EXCHANGES;
	if (exchanges_grouped++ == 0)
		NCCL(ncclGroupStart());
	for (int k = 0; k < spans; k++)
		if (halves == RING_ADDS)
			exchange_scatter(base, &span[k], bytes);
		else if (halves == RING_SPREADS)
			exchange_spread(base, &span[k], bytes);
		else
			NCCL(ncclAllReduce(base + span[k].own, base + span[k].at, (size_t)span[k].n, exchange_type(bytes),
			    ncclSum, exchanges_comm, exchanges_beside));
	if (more)
		return;
	exchange_group_end();
	for (; exchanges_grouped > 0; exchanges_grouped--)
		CUDA(cudaEventRecord(exchanges[(exchanges_begun + EXCHANGES - exchanges_grouped) % EXCHANGES].there,
		    exchanges_beside));
}

/* From here on it is there. */
static void
exchange_end(const void *key)
{
	for (int k = 0; k < EXCHANGES; k++)
		if (exchanges[k].key == key) {
			CUDA(cudaStreamWaitEvent(stream, exchanges[k].there, 0));
			exchanges[k].key = NULL;
		}
}

/* N of the arena, which are waited for at once: their sum over all ranks, or their mean. */
static void
exchange_at_once(void *x, int64_t n, int bytes, ncclRedOp_t what)
{
	struct exchange *next = &exchanges[exchanges_begun];	/* there is always a place */

	NCCL(ncclGroupStart());
	NCCL(ncclAllReduce(x, x, (size_t)n, exchange_type(bytes), what, exchanges_comm, exchanges_beside));
	exchange_group_end();
	CUDA(cudaEventRecord(next->there, exchanges_beside));
	CUDA(cudaStreamWaitEvent(stream, next->there, 0));
}

/* Adds up N numbers of the arena over all ranks, and waits for that. */
static void
exchange_numbers(double *x, int n)
{
	exchange_at_once(x, n, (int)sizeof(*x), ncclSum);
}

/* N of the arena become the mean of what all ranks have. */
static void
exchange_average(void *x, int64_t n, int bytes)
{
	exchange_at_once(x, n, bytes, ncclAvg);
}

#endif
