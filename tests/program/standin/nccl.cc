/*
 * nccl.cc - stands for NCCL, of several processes on one machine, beside card.cc or in an emulated program: what they give
 * each other goes through shared memory, and sums are made in the order of ranks. All ranks must call the same, of the same
 * size, in the same order; else the program is ended by the first that notices. Tensors lie in the card's memory, and where
 * what is sent and what is received overlap, as NCCL says that they may. What goes from one rank to another has left it when
 * that has taken it, and not before; it is to be received as it was sent.
 */
#ifndef STANDIN_NCCL_CC
#define STANDIN_NCCL_CC

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nccl.h>
#ifdef EMULATED
#include "cuda_fp16.h"
#else
#include "card.h"
#endif

#define NCCL_RANKS	16
#define NCCL_ROOM	(1 << 18)	/* bytes that go at a time */
#define NCCL_BOX	(1 << 14)	/* and from one rank to another */

enum { CALL_NONE, CALL_REDUCE_ALL, CALL_REDUCE, CALL_SCATTER, CALL_GATHER, CALL_BROADCAST, CALL_SEND, CALL_RECEIVE };
static const char *const call_names[] = {
	"nothing", "ncclAllReduce", "ncclReduce", "ncclReduceScatter", "ncclAllGather", "ncclBroadcast", "ncclSend", "ncclRecv"
};

struct nccl_call {
	int kind, type, op, root;
	size_t count;
};

struct nccl_box {		/* from one rank to another */
	std::atomic<int> full;
	size_t bytes, at;	/* of all, and where this piece begins */
	unsigned char data[NCCL_BOX];
};

struct nccl_shared {
	std::atomic<int> arrived, turn, attached;
	std::atomic<int> pid[NCCL_RANKS];
	struct nccl_call call[NCCL_RANKS];
	unsigned char data[NCCL_RANKS][NCCL_ROOM];
	struct nccl_box box[NCCL_RANKS][NCCL_RANKS];
};

struct ncclComm {
	struct nccl_shared *shared;
	int rank, size;
	std::atomic<int> aborted, error;
};

struct nccl_todo {
	struct nccl_call call;
	const void *send;
	void *receive;
	ncclComm_t comm;
};

static std::vector<nccl_todo> nccl_group;	/* of one stream */
static cudaStream_t nccl_stream;
static int nccl_depth;

__attribute__((noreturn)) static void
nccl_refuse(ncclComm_t c, const char *what)
{
	fprintf(stderr, "standin: rank %d: %s\n", c->rank, what);
	abort();
}

/* Until all have come, or for ever: a rank that is gone is an error that is asked for. */
static void
nccl_meet(ncclComm_t c)
{
	struct nccl_shared *s = c->shared;
	int turn = s->turn;

	if (s->arrived.fetch_add(1) + 1 == c->size) {
		s->arrived = 0;
		s->turn++;
		return;
	}
	for (long waited = 0; s->turn == turn; waited++) {
		if (waited > 200)
			usleep(200);
		for (int r = 0; r < c->size && waited % 1000 == 999; r++)
			if (kill(s->pid[r], 0) && errno == ESRCH)
				c->error = ncclRemoteError;
		if (waited % 100 == 99)
			card_waits();
		while (c->aborted)
			pause();
	}
}

static size_t
nccl_bytes(int type)
{
	return type == ncclDouble ? 8 : type == ncclFloat ? 4 : type == ncclInt8 ? 1 : 2;
}

/* Elements of f16: where kernels are emulated, theirs, as not every compiler of a host has them. */
#ifdef EMULATED
static float
nccl_of_half(uint16_t bits)
{
	return __half2float({ bits });
}

static uint16_t
nccl_half(double value)
{
	return __float2half((float)value).bits;
}
#else
static float
nccl_of_half(uint16_t bits)
{
	_Float16 x;

	return memcpy(&x, &bits, 2), (float)x;
}

static uint16_t
nccl_half(double value)
{
	_Float16 x = (_Float16)value;
	uint16_t bits;

	return memcpy(&bits, &x, 2), bits;
}
#endif

static double
nccl_number(const unsigned char *at, int type)
{
	double d;
	float f;
	uint16_t h;
	uint32_t bits;

	if (type == ncclDouble)
		return memcpy(&d, at, 8), d;
	if (type == ncclFloat)
		return memcpy(&f, at, 4), f;
	memcpy(&h, at, 2);
	if (type == ncclBfloat16) {
		bits = (uint32_t)h << 16;
		return memcpy(&f, &bits, 4), f;
	}
	return nccl_of_half(h);
}

static void
nccl_store(unsigned char *at, int type, double value)
{
	float f = (float)value;
	uint32_t bits;
	uint16_t h;

	if (type == ncclDouble) {
		memcpy(at, &value, 8);
	} else if (type == ncclFloat) {
		memcpy(at, &f, 4);
	} else if (type == ncclBfloat16) {
		memcpy(&bits, &f, 4);
		h = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
		memcpy(at, &h, 2);
	} else {
		h = nccl_half(value);
		memcpy(at, &h, 2);
	}
}

/* N elements of all ranks, in the shared memory. */
static void
nccl_add(ncclComm_t c, const struct nccl_call *call, unsigned char *to, size_t n)
{
	size_t size = nccl_bytes(call->type);

	for (size_t i = 0; i < n; i++) {
		double sum = 0;

		for (int r = 0; r < c->size; r++)
			sum += nccl_number(&c->shared->data[r][i * size], call->type);
		nccl_store(to + i * size, call->type, call->op == ncclAvg ? sum / c->size : sum);
	}
}

/* N elements of piece P, where there are pieces. */
static void
nccl_part(const struct nccl_todo *t, size_t at, size_t n, int p)
{
	ncclComm_t c = t->comm;
	size_t size = nccl_bytes(t->call.type), from = at * size, whole = t->call.count * size;
	const unsigned char *send = (const unsigned char *)t->send;
	unsigned char *receive = (unsigned char *)t->receive;

	if (t->call.kind == CALL_SCATTER)
		send += (size_t)p * whole;
	if (t->call.kind != CALL_BROADCAST || t->call.root == c->rank)
		memcpy(c->shared->data[c->rank], send + from, n * size);
	nccl_meet(c);
	if (t->call.kind == CALL_REDUCE_ALL || (t->call.kind == CALL_REDUCE && t->call.root == c->rank) ||
	    (t->call.kind == CALL_SCATTER && p == c->rank))
		nccl_add(c, &t->call, receive + from, n);
	for (int r = 0; r < c->size && t->call.kind == CALL_GATHER; r++)
		memcpy(receive + (size_t)r * whole + from, c->shared->data[r], n * size);
	if (t->call.kind == CALL_BROADCAST)
		memcpy(receive + from, c->shared->data[t->call.root], n * size);
	nccl_meet(c);
}

static void
nccl_compare(const struct nccl_todo *t)
{
	ncclComm_t c = t->comm;
	char text[256];

	c->shared->call[c->rank] = t->call;
	nccl_meet(c);
	const struct nccl_call *a = &c->shared->call[0], *b = &t->call;
	if (a->kind != b->kind || a->count != b->count || a->type != b->type || a->op != b->op || a->root != b->root) {
		snprintf(text, sizeof(text), "calls %s of %zu, where rank 0 calls %s of %zu", call_names[b->kind], b->count,
		    call_names[a->kind], a->count);
		nccl_refuse(c, text);
	}
	nccl_meet(c);
}

static void
nccl_do(const struct nccl_todo *t)
{
	size_t most = NCCL_ROOM / nccl_bytes(t->call.type);
	int pieces = t->call.kind == CALL_SCATTER ? t->comm->size : 1;

	nccl_compare(t);
	for (int p = 0; p < pieces; p++)
		for (size_t at = 0; at < t->call.count; at += most)
			nccl_part(t, at, t->call.count - at < most ? t->call.count - at : most, p);
}

/* ---- from one rank to another ---- */

/* Is the box so? One that is gone will never let it be. */
static bool
nccl_box_is(ncclComm_t c, const struct nccl_box *box, int full, int peer)
{
	while (c->aborted)
		pause();
	if (box->full == full)
		return true;
	if (kill(c->shared->pid[peer], 0) && errno == ESRCH)
		c->error = ncclRemoteError;
	return false;
}

static void
nccl_put(struct nccl_box *box, const unsigned char *from, size_t bytes, size_t at)
{
	box->bytes = bytes;
	box->at = at;
	memcpy(box->data, from + at, bytes - at < NCCL_BOX ? bytes - at : NCCL_BOX);
	box->full = 1;
}

static void
nccl_take(ncclComm_t c, struct nccl_box *box, unsigned char *to, size_t bytes, size_t at)
{
	char text[256];

	if (box->bytes != bytes || box->at != at) {
		snprintf(text, sizeof(text), "receives %zu bytes from %zu on, where %zu are sent from %zu on", bytes, at, box->bytes,
		    box->at);
		nccl_refuse(c, text);
	}
	memcpy(to + at, box->data, bytes - at < NCCL_BOX ? bytes - at : NCCL_BOX);
	box->full = 0;
}

static void
nccl_go_between(const struct nccl_todo &t, cudaStream_t s)
{
	ncclComm_t c = t.comm;
	int peer = t.call.root;
	bool sends = t.call.kind == CALL_SEND;
	struct nccl_box *box = sends ? &c->shared->box[c->rank][peer] : &c->shared->box[peer][c->rank];
	size_t bytes = t.call.count * nccl_bytes(t.call.type);

	for (size_t at = 0; at < bytes; at += NCCL_BOX)
		card_do_when(s, [=] { return nccl_box_is(c, box, !sends, peer); }, [=] {
			if (sends)
				nccl_put(box, (const unsigned char *)t.send, bytes, at);
			else
				nccl_take(c, box, (unsigned char *)t.receive, bytes, at);
		});
	if (sends)
		card_do_when(s, [=] { return nccl_box_is(c, box, 0, peer); }, [] {});
}

static bool
nccl_is_between(const struct nccl_todo &t)
{
	return t.call.kind == CALL_SEND || t.call.kind == CALL_RECEIVE;
}

/* In place is where NCCL says: a rank's own piece lies where it does in the whole. */
static void
nccl_check(const struct nccl_todo *t)
{
	size_t bytes = t->call.count * nccl_bytes(t->call.type), all = bytes * (size_t)t->comm->size;
	size_t sent = t->call.kind == CALL_SCATTER ? all : bytes, received = t->call.kind == CALL_GATHER ? all : bytes;
	const char *from = (const char *)t->send, *to = (const char *)t->receive;
	bool root = t->call.root < 0 || t->call.root == t->comm->rank;
	long in_place = (long)(bytes * (size_t)t->comm->rank);

	if (nccl_is_between(*t)) {
		if (!card_within(t->call.kind == CALL_SEND ? from : to, bytes))
			nccl_refuse(t->comm, "what goes to another rank, or comes from there, is not in the card's memory");
		if (t->call.root < 0 || t->call.root >= t->comm->size || t->call.root == t->comm->rank)
			nccl_refuse(t->comm, "nobody else has that number");
		return;
	}
	if (t->call.kind != CALL_BROADCAST || root)
		if (!card_within(from, sent))
			nccl_refuse(t->comm, "what is sent is not in the card's memory");
	if (t->call.kind != CALL_REDUCE || root)
		if (!card_within(to, received))
			nccl_refuse(t->comm, "what is received is not in the card's memory");
	if (from >= to + received || to >= from + sent || !root)
		return;
	if ((t->call.kind == CALL_SCATTER && to - from != in_place) || (t->call.kind == CALL_GATHER && from - to != in_place) ||
	    (t->call.kind != CALL_SCATTER && t->call.kind != CALL_GATHER && from != to))
		nccl_refuse(t->comm, "what is sent and what is received overlap");
}

static ncclResult_t
nccl_queue(struct nccl_todo t, cudaStream_t s)
{
	nccl_check(&t);
	if (!nccl_depth && nccl_is_between(t)) {
		nccl_go_between(t, s);
		return ncclSuccess;
	}
	if (!nccl_depth) {
		card_do(s, [=] { nccl_do(&t); });
		return ncclSuccess;
	}
	if (!nccl_group.empty() && nccl_stream != s)
		nccl_refuse(t.comm, "a group of calls on two streams");
	if (!nccl_group.empty() && nccl_is_between(nccl_group[0]) != nccl_is_between(t))
		nccl_refuse(t.comm, "a group of sums, and of what goes from one rank to another");
	nccl_stream = s;
	nccl_group.push_back(t);
	return ncclSuccess;
}

extern "C" {

ncclResult_t
ncclGetUniqueId(ncclUniqueId *id)
{
	static int n;
	int fd;

	memset(id, 0, sizeof(*id));
	snprintf(id->internal, sizeof(id->internal), "/stowage-nccl-%ld-%d", (long)getpid(), n++);
	fd = shm_open(id->internal, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(struct nccl_shared)))
		return ncclSystemError;
	close(fd);
	return ncclSuccess;
}

ncclResult_t
ncclCommInitRank(ncclComm_t *to, int size, ncclUniqueId id, int rank)
{
	int fd = shm_open(id.internal, O_RDWR, 0600);
	ncclComm_t c = new ncclComm();

	if (fd < 0 || size > NCCL_RANKS)
		return ncclSystemError;
	c->shared = (struct nccl_shared *)mmap(NULL, sizeof(struct nccl_shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	c->rank = rank;
	c->size = size;
	c->shared->pid[rank] = (int)getpid();
	nccl_meet(c);
	if (rank == 0)
		shm_unlink(id.internal);
	*to = c;
	return ncclSuccess;
}

ncclResult_t
ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *to)
{
	const char *breaks = getenv("STANDIN_NCCL_BREAKS");	/* a link: communicators of so many ranks have an error */

	*to = breaks && atoi(breaks) == c->size ? ncclRemoteError : (ncclResult_t)c->error.load();
	return ncclSuccess;
}

ncclResult_t
ncclCommAbort(ncclComm_t c)
{
	c->aborted = 1;
	while (getenv("STANDIN_NCCL_HOLDS"))	/* as a card that does not answer */
		pause();
	return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t) { return ncclSuccess; }
const char *ncclGetErrorString(ncclResult_t e) { return e == ncclSuccess ? "no error" : "refused by the stand-in"; }

const char *ncclGetLastError(ncclComm_t) { return ""; }

ncclResult_t
ncclGroupStart(void)
{
	nccl_depth++;
	return ncclSuccess;
}

ncclResult_t
ncclGroupEnd(void)
{
	std::vector<nccl_todo> all = nccl_group;

	if (--nccl_depth || all.empty())
		return ncclSuccess;
	nccl_group.clear();
	if (nccl_is_between(all[0])) {
		for (const nccl_todo &t : all)
			nccl_go_between(t, nccl_stream);
		return ncclSuccess;
	}
	card_do(nccl_stream, [=] {
		for (const nccl_todo &t : all)
			nccl_do(&t);
	});
	return ncclSuccess;
}

ncclResult_t
ncclSend(const void *from, size_t n, ncclDataType_t type, int to, ncclComm_t c, cudaStream_t s)
{
	return nccl_queue({ { CALL_SEND, type, 0, to, n }, from, NULL, c }, s);
}

ncclResult_t
ncclRecv(void *to, size_t n, ncclDataType_t type, int from, ncclComm_t c, cudaStream_t s)
{
	return nccl_queue({ { CALL_RECEIVE, type, 0, from, n }, NULL, to, c }, s);
}

ncclResult_t
ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t op, ncclComm_t c, cudaStream_t s)
{
	return nccl_queue({ { CALL_REDUCE_ALL, type, op, -1, n }, from, to, c }, s);
}

ncclResult_t
ncclReduce(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t c,
    cudaStream_t s)
{
	return nccl_queue({ { CALL_REDUCE, type, op, root, n }, from, to, c }, s);
}

ncclResult_t
ncclReduceScatter(const void *from, void *to, size_t n, ncclDataType_t type, ncclRedOp_t op, ncclComm_t c, cudaStream_t s)
{
	return nccl_queue({ { CALL_SCATTER, type, op, -1, n }, from, to, c }, s);
}

ncclResult_t
ncclAllGather(const void *from, void *to, size_t n, ncclDataType_t type, ncclComm_t c, cudaStream_t s)
{
	return nccl_queue({ { CALL_GATHER, type, 0, -1, n }, from, to, c }, s);
}

ncclResult_t
ncclBroadcast(const void *from, void *to, size_t n, ncclDataType_t type, int root, ncclComm_t c, cudaStream_t s)
{
	return nccl_queue({ { CALL_BROADCAST, type, 0, root, n }, from, to, c }, s);
}

}

#endif
