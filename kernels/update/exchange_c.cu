/*
 * update/exchange_c.cu - what goes between ranks while the step goes on, in programs of C: the
 * queue of all that ranks which are all on one machine do for one another (update/near.cu), or that
 * MPI takes around a ring (update/ring.cu).
 *
 * There MPI_Iallreduce takes over what is too small for turns. It is not for the rest: of some MPIs
 * it sends more from one of the ranks, and copies what is added in place.
 */
#ifndef STOWAGE_UPDATE_EXCHANGE_C_CU
#define STOWAGE_UPDATE_EXCHANGE_C_CU

#include "update/near.cu"
#include "update/ring.cu"

#ifdef PARTS	/* MPI does not say in which order it adds */
#define RING_LEAST	0
#else
#define RING_LEAST	4096		/* bytes of a piece for which its turns are worth their time */
#endif

/* In the order in which they began, around and around: number K, from 0, has place K % EXCHANGES.
 * One goes around the ring at a time, small sums beside it. */
static struct exchange {
	const void *key;	/* by which it is waited for; NULL: there is none in this place, or it was */
	char *base;
	const struct ring_span *span;
	int spans;
	int bytes;		/* of an element */
	int halves;		/* 0: it is MPI's */
	bool there;
	MPI_Request request;
	struct ring_span whole;	/* the span, if it is one alone */
} exchanges[EXCHANGES];

static int64_t exchanges_begun, exchanges_first;	/* the number of the next, and of the first that is not over */
static int64_t exchanges_done;	/* those of which this rank has done its piece, where ranks are near */
static bool exchanges_awaited;	/* the step waits for one, and moves all on itself */

#define NEAR_TURN	(1 << 20)	/* bytes of this rank's pieces that one turn does at most: the lock is others' too */

/* Does this rank's pieces of what all ranks have begun; true: there is more of them. */
static bool
exchanges_do(void)
{
	int64_t left = NEAR_TURN;

	for (; exchanges_done < exchanges_begun && near_all_began(exchanges_done); exchanges_done++) {
		const struct exchange *x = &exchanges[exchanges_done % EXCHANGES];

		if (!near_go_on(x->base - near[ranks.rank].arena, x->span, x->spans, x->bytes, x->halves, &left))
			return true;
		near_did(exchanges_done);
	}
	return false;
}

/* Goes on with the first that is not over; true: it is. */
static bool
exchange_go_on(struct exchange *x, int *left)
{
	if (near)
		return near_all_did(exchanges_first);
	if (!x->halves)
		return ring_over(&x->request);
	if (!ring.base)
		ring_start(x->base, x->span, x->spans, x->bytes, x->halves);
	if (!ring_turn(left))
		return false;
	ring.base = NULL;
	return true;
}

/* With the lock: moves all on; true: there is more for this rank to do at once. */
static bool
exchanges_turn(void)
{
	bool more = near && exchanges_do();
	int left = RING_TURN;

	for (; exchanges_first < exchanges_begun; exchanges_first++) {
		struct exchange *x = &exchanges[exchanges_first % EXCHANGES];

		if (!exchange_go_on(x, &left))
			break;
		x->there = true;
	}
	return more;
}

/* What a rank adds comes to where it is added up, unless it lies there, and its piece to where the
 * others' will be. */
static void
exchange_place(const struct exchange *x)
{
	for (int k = 0; k < x->spans; k++) {
		const struct ring_span *s = &x->span[k];

#ifdef CHECK
		ASAN_UNPOISON_MEMORY_REGION(x->base + s->at, (size_t)(s->n * x->bytes));	/* gaps between tensors, too */
#endif
		if (s->own != s->at)
			memcpy(x->base + s->at, x->base + s->own, (size_t)(s->n * x->bytes));
		if (s->piece >= 0 && x->halves == RING_SPREADS) {
			struct rank_piece p = rank_piece_of(s->n, ranks.rank, ranks.size);

			memcpy(x->base + s->at + p.first * x->bytes, x->base + s->piece, (size_t)(p.n * x->bytes));
		}
	}
}

static void
exchange_reduce(struct exchange *x)
{
	MPI_Datatype type = x->bytes == 8 ? MPI_DOUBLE : x->bytes == 4 ? MPI_FLOAT : MPI_UINT16_T;

	MPI_Iallreduce(MPI_IN_PLACE, x->base, (int)x->whole.n, type, x->bytes == 2 ? ranks.elements_sum : MPI_SUM, ranks.all,
	    &x->request);
	ranks.sent += near_sends(x->whole.n, x->bytes, RING_ADDS | RING_SPREADS);
}

/* Begins what is waited for by KEY; a single span is copied. MORE, of which another library makes
 * something, changes nothing. */
static void
exchange_begin(const void *key, char *base, const struct ring_span *span, int spans, int bytes, int halves, bool more)
{
	struct exchange *x = &exchanges[exchanges_begun % EXCHANGES];
	bool small = !near && halves == (RING_ADDS | RING_SPREADS) && spans == 1 && span->n * bytes < RING_LEAST * (int64_t)ranks.size;

	*x = (struct exchange){ .key = key, .base = base, .span = spans == 1 ? &x->whole : span, .spans = spans,
		.bytes = bytes, .halves = small ? 0 : halves, .whole = *span };
	(void)more;
	exchange_place(x);
	pthread_mutex_lock(&ranks.lock);
	if (near)
		near_begin(exchanges_begun);
	if (!x->halves)
		exchange_reduce(x);
	exchanges_begun++;
	if (exchanges_turn())	/* the step goes on */
		near_rings_for(&near[ranks.rank].sign->bell[NEAR_WATCH], true);
	pthread_mutex_unlock(&ranks.lock);
}

static void
exchange_await(struct exchange *x)
{
	bool there = false, more = false;
	int64_t began = ranks_clock();

	for (int waited = 0; !there; waited++) {
		uint32_t rings = near ? near_rings(NEAR_STEP) : 0;

		pthread_mutex_lock(&ranks.lock);
		if (!x->halves && !x->there && ring_over(&x->request))	/* a small one waits for none that goes around the ring */
			x->there = true;
		more = exchanges_turn();	/* if it is over, its place may be the next one's */
		there = x->there;
		exchanges_awaited = !there;
		pthread_mutex_unlock(&ranks.lock);
		if (there || more)
			continue;
		if (near && waited >= RANKS_YIELD) {
			near_sleep(NEAR_STEP, rings, 100000000);
			ranks_wait_on();
		} else {
			ranks_nap(waited);
		}
	}
	if (more)	/* of later ones: the step goes on */
		near_rings_for(&near[ranks.rank].sign->bell[NEAR_WATCH], true);
	x->key = NULL;
	ranks.waited += ranks_clock() - began;
}

/* From here on it is there. */
static void
exchange_end(const void *key)
{
	for (int k = 0; k < EXCHANGES; k++)
		if (exchanges[k].key == key)
			exchange_await(&exchanges[k]);
}

/* Adds up N numbers of the arena over all ranks, and waits for that. */
static void
exchange_numbers(double *x, int n)
{
	ranks_sum(x, n);
}

#endif
