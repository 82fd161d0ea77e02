/*
 * update/ring.cu - what all ranks have of some tensors goes around a ring (Patarasuk and Yuan,
 * 2009), where it lies, while the step goes on. Each tensor is cut into as many pieces as there are
 * ranks, and the piece of a rank is that of all tensors together. It is done in two halves, each of
 * N - 1 turns, in which each rank sends a piece to the next:
 *
 *     adding      rank r adds its own to what it receives, and sends that on: in the end it has piece r whole
 *     spreading   rank r sends piece r, and passes on what it receives: in the end all have all
 *
 *     turn        0      1      2   |  3      4      5		of 4 ranks
 *     rank 0 has  +2     +1    +0 ! |  3      2      1		the piece from rank 3; +: its own is added; !: it is whole
 *
 * With PARTS, sums are to be those of a binary tree over ranks, whatever their number, a power of
 * two: neighbours first, then pairs of them. Then the same turns go between changing pairs
 * (recursive halving: Rabenseifner, 2004): to the neighbour goes every other piece, of those left
 * every other one to the rank two away, and so on; in the second half the same backwards.
 *
 *     turn        0        1        2   |  3        4        5	of 4 ranks
 *     rank 0      1 -> 1   3 -> 1   2 -> 2   0 -> 2   2 -> 1   0 -> 1	piece -> the rank that it goes to
 *
 * The first half reduces and scatters, the second gathers, both together reduce to all. A half
 * sends (N - 1) / N of the bytes, less than which no algorithm does. The sums of one piece are made
 * in one order, so the same number of ranks has the same bits. Pieces go in parts: one is added
 * while the next is on its way. MPI sends them; ranks that are all on one machine need nobody to
 * (update/near.cu).
 *
 * MPI is called by one thread at a time (ranks.lock) and never waits inside: who waits asks again
 * and again, so that another thread can tell the other ranks meanwhile that this one lives, and
 * move things on while this one computes (host/ranks.c). All ranks begin the same in the same
 * order, which is that of the step.
 */
#ifndef STOWAGE_UPDATE_RING_CU
#define STOWAGE_UPDATE_RING_CU

#include "update/elements.cu"
#include "update/ranks.cu"

#include <sched.h>
#include <time.h>

static void	ranks_wait_on(void);

#define RANKS_YIELD	100	/* so often a rank that waits asks again as soon as no other wants the processor */

/* Waits for a moment, the longer the longer it has waited: it may have the processor that others
 * need. */
static void
ranks_nap(int waited)
{
	struct timespec moment = { 0, waited < 400 ? 20000 : 200000 };

	if (waited < RANKS_YIELD) {
		sched_yield();
		return;
	}
	nanosleep(&moment, NULL);
	ranks_wait_on();
}

static void
ranks_await(MPI_Request *request)
{
	int64_t began = ranks_clock();
	int there = 0;

	for (int waited = 0; !there; waited++) {
		if (waited)
			ranks_nap(waited);
		pthread_mutex_lock(&ranks.lock);
		MPI_Test(request, &there, MPI_STATUS_IGNORE);
		pthread_mutex_unlock(&ranks.lock);
	}
	ranks.waited += ranks_clock() - began;
}

/* ---- around the ring ---- */

#define RING_SIGN	78		/* the tag of parts */
#define RING_PART	65536		/* bytes */
#define RING_AHEAD	4		/* parts that may be on their way to the next rank, and from the one before */

/*
 * What is on its way. Part k of the piece of turn t has number t parts + k: parts are sent and
 * received in this order, from the first of the first half to the last of the last, and one is sent
 * as soon as the one that it is made of, a turn before, was received.
 */
static struct ring {
	char *base;		/* NULL: nothing is on its way */
	const struct ring_span *span;
	int spans;
	int bytes;		/* of an element */
	int64_t parts;		/* of a piece */
	int64_t whole;		/* the number of the first part of the second half */
	int64_t end;		/* one past the last number */
	int64_t sent, over;	/* the first part that was not sent, and that has not left */
	int64_t asked, received;
	MPI_Request send[RING_AHEAD], receive[RING_AHEAD];
} ring;

static char ring_parts[RING_AHEAD * RING_PART];	/* received, to be added */

struct ring_part {
	char *at;
	char *piece;		/* its place in this rank's piece, if it is of that; NULL: there is none */
	int64_t n;
};

/* Parts of the largest piece of a tensor. */
static int64_t
ring_span_parts(int64_t n)
{
	int64_t piece = (n + ranks.size - 1) / ranks.size * ring.bytes;

	return (piece + RING_PART - 1) / RING_PART;
}

#ifdef PARTS

/* A turn: with whom pieces are exchanged, what is sent and what is received, and the first turn of
 * those that go to that rank. */
struct ring_way {
	int to, from;
	int sends, receives;
	int64_t first;
};

static struct ring_way
ring_way(int64_t turn)
{
	bool adds = turn < ranks.size - 1;
	int64_t i = adds ? turn : 2 * (ranks.size - 1) - 1 - turn, least = 0;	/* the second half is the first, backwards */
	int step = 1, left = ranks.size / 2, own, other;

	for (; i - least >= left; left /= 2, step *= 2)
		least += left;
	own = ranks.rank % (2 * step) + (int)(i - least) * 2 * step;
	other = own ^ step;
	return (struct ring_way){ ranks.rank ^ step, ranks.rank ^ step, adds ? other : own, adds ? own : other,
		adds ? least : 2 * (ranks.size - 1) - least - left };
}

#else

struct ring_way {
	int to, from;
	int sends, receives;
};

static struct ring_way
ring_way(int64_t turn)
{
	int n = ranks.size, sends = (int)((ranks.rank + 2 * n - turn - 1) % n);

	return (struct ring_way){ (ranks.rank + 1) % n, (ranks.rank + n - 1) % n, sends, (sends + n - 1) % n };
}

#endif

/* Part number J of that rank's piece. */
static struct ring_part
ring_part(int64_t j, int rank)
{
	int64_t k = j % ring.parts, parts, first;
	const struct ring_span *s = ring.span;
	struct rank_piece p;

	for (; k >= (parts = ring_span_parts(s->n)); s++)
		k -= parts;
	p = rank_piece_of(s->n, rank, ranks.size);
	first = PART_FROM(p.n, k, parts);
	return (struct ring_part){ ring.base + s->at + (p.first + first) * ring.bytes,
		s->piece < 0 ? NULL : ring.base + s->piece + first * ring.bytes, PART_FROM(p.n, k + 1, parts) - first };
}

static bool
ring_over(MPI_Request *request)
{
	int there;

	MPI_Test(request, &there, MPI_STATUS_IGNORE);
	return there;
}

/* What is received as number J. */
static struct ring_part
ring_received(int64_t j)
{
	return ring_part(j, ring_way(j / ring.parts).receives);
}

/* Where it is received: in the first half beside the tensors, to be added. */
static char *
ring_place(const struct ring_part *p, int64_t j)
{
	return j >= ring.whole ? p->at : ring_parts + j % RING_AHEAD * RING_PART;
}

/* May it be sent, once what came before has been received? */
static bool
ring_may_send(int64_t j)
{
#ifdef PARTS
	return ring.received >= ring_way(j / ring.parts).first * ring.parts;
#else
	return j < ring.received + ring.parts;
#endif
}

/* What is whole then goes to where this rank's piece is to lie. */
static void
ring_add(int64_t j)
{
	struct ring_part p = ring_received(j);
	bool whole = j + ring.parts >= ring.whole;

	elements_sum(whole && p.piece ? p.piece : p.at, p.at, ring_place(&p, j), p.n, ring.bytes);
}

/* Is there room for part J? In the second half there is once what this rank has sent of that place
 * in the first is over. */
static bool
ring_has_room(int64_t j)
{
	if (j < ring.whole)
		return true;
#ifdef PARTS
	return ring.over >= ring.whole;
#else
	return ring.over > j - ring.whole;
#endif
}

static bool
ring_ask(int64_t j)
{
	struct ring_part p = ring_received(j);

	if (!ring_has_room(j))
		return false;
	MPI_Irecv(ring_place(&p, j), (int)(p.n * ring.bytes), MPI_BYTE, ring_way(j / ring.parts).from, RING_SIGN, ranks.all,
	    &ring.receive[j % RING_AHEAD]);
	return true;
}

static void
ring_send(int64_t j)
{
	struct ring_way way = ring_way(j / ring.parts);
	struct ring_part p = ring_part(j, way.sends);

	MPI_Isend(p.at, (int)(p.n * ring.bytes), MPI_BYTE, way.to, RING_SIGN, ranks.all, &ring.send[j % RING_AHEAD]);
	ranks.sent += p.n * ring.bytes;
}

/* Elements of so many BYTES. */
static void
ring_start(char *base, const struct ring_span *span, int spans, int bytes, int halves)
{
	int64_t first;

	ring = (struct ring){ .base = base, .span = span, .spans = spans, .bytes = bytes };
	for (int k = 0; k < spans; k++)
		ring.parts += ring_span_parts(span[k].n);
	ring.whole = (ranks.size - 1) * ring.parts;
	first = halves & RING_ADDS ? 0 : ring.whole;
	ring.end = halves & RING_SPREADS ? 2 * ring.whole : ring.whole;
	ring.sent = ring.over = ring.asked = ring.received = first;
}

#define RING_TURN	256	/* parts that one turn takes at most: the lock is others' too, who tell that this rank lives */

/* Moves on as far as it goes, taking up to *LEFT parts; true: it is over. */
static bool
ring_turn(int *left)
{
	bool moved = true;

	while (moved) {
		moved = false;
		while (ring.over < ring.sent && ring_over(&ring.send[ring.over % RING_AHEAD])) {
			ring.over++;
			moved = true;
		}
		while (ring.asked < ring.end && ring.asked < ring.received + RING_AHEAD && ring_ask(ring.asked)) {
			ring.asked++;
			moved = true;
		}
		for (; ring.received < ring.asked && *left > 0 && ring_over(&ring.receive[ring.received % RING_AHEAD]); --*left) {
			if (ring.received < ring.whole)
				ring_add(ring.received);
			ring.received++;
			moved = true;
		}
		while (ring.sent < ring.end && ring_may_send(ring.sent) && ring.sent < ring.over + RING_AHEAD) {
			ring_send(ring.sent++);
			moved = true;
		}
	}
	return ring.over == ring.end && ring.received == ring.end;
}

#endif
