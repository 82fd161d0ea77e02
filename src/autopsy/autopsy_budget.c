/*
 * The arithmetic of a message: what the device has, what tensors took of it, what was left.
 *
 * It is checked before it is believed. The device's size stands above all: no part is larger, and
 * parts lie within wholes. Windows counts what its driver lends of the machine's memory ("shared
 * GPU memory") as if it were the card's, and Jittor its managed memory. Counters that ran below
 * zero print as 2^64 bytes, which is no size (oom/oom_pattern.h). XLA adds up what a program would
 * need, and that may well be more.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/text.h"

#define MIB	((int64_t)1 << 20)
#define LEAST_TOTAL	((int64_t)512 << 20)	/* no card that trains has less */
#define DRIVER	32	/* it keeps less than that part of a device for itself */

/* A number that no memory has is none, so that a few of them can be added up. */
static int64_t
known(const struct oom_message *o, enum oom_field f)
{
	return o->size[f].known && o->size[f].bytes <= LARGEST_BYTES ? o->size[f].bytes : -1;
}

static int64_t
less(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a > b ? a - b : 0;
}

/* How far a printed size may be off. */
static int64_t
slack(const struct oom_message *o, enum oom_field f)
{
	return known(o, f) >= 0 ? o->size[f].slack + 1 : 0;
}

void
budget_set_pool(struct budget *b, int64_t bytes, const char *is)
{
	b->pool = bytes > 0 ? bytes : 0;
	b->pool_is = is;
}

int64_t
autopsy_device_bytes(const struct autopsy *y)
{
	if (y->budget.total > 0)
		return y->budget.total;
	return y->log.card.known && !y->log.cards_differ ? y->log.card.bytes : 0;
}

/* ---- what cannot be ---- */

static void
doubt(struct arena *a, struct budget *b, const char *what, int64_t *bytes, const char *why)
{
	char human[SIZE_TEXT];

	vec_push(a, &b->doubts, arena_printf(a, "%s, %s, %s", what, size_human(human, *bytes), why));
	*bytes = -1;
}

#define LENT	"its driver lends the machine's memory, as on Windows (\"shared GPU memory\")"
#define MANAGED	"where the card gives it none it goes on in CUDA's managed (unified) memory, of which a part lies in the machine's"

/* Does its program itself, on any system, take managed memory where the card has no more? */
static bool
goes_on_managed(const struct oom_message *o)
{
	return strcmp(o->who, "Jittor") == 0;
}

/* Of the two that do not go together, the part is left out. */
static void
check_parts(struct arena *a, const struct oom_message *o, struct budget *b)
{
	int64_t off = slack(o, OOM_ALLOCATED) + slack(o, OOM_RESERVED) + slack(o, OOM_UNALLOCATED) + slack(o, OOM_CACHED) + slack(o, OOM_TOTAL) +
	    slack(o, OOM_FREE);
	int64_t *most = b->reserved > b->allocated ? &b->reserved : &b->allocated;

	if (o->kind == OOM_CUDA && b->total > 0 && b->total < LEAST_TOTAL)
		doubt(a, b, "What the device has", &b->total, "is less than cards that train have: the number is broken or in part. "
		    "It is left out.");
	if (o->kind != OOM_XLA && b->total > 0 && *most > b->total + off) {
		char human[SIZE_TEXT];

		vec_push(a, &b->doubts, arena_printf(a, "The process took %s, more than the card has: %s, and counts it here. The card itself was full.",
		    size_human(human, *most), goes_on_managed(o) ? MANAGED : LENT));
		b->free = -1;
		b->lent = true;
		return;
	}
	if (!b->peak && b->reserved >= 0 && b->allocated > b->reserved + off)
		doubt(a, b, "What is reserved", &b->reserved, "is less than the tensors that lie in "
		    "it: the two were counted at different times. It is left out.");
	if (o->wrapped)
		vec_push(a, &b->doubts, "What is free is more than any device has: that count ran below 0, as where more is in use than it takes the device to have. It is left out.");
	if (b->total > 0 && b->free > b->total + off)
		doubt(a, b, "What is free", &b->free, "is more than the device has. It is left out.");
	if (b->total > 0 && b->reserved >= 0 && b->free >= 0 && b->reserved + b->free > b->total + off)
		doubt(a, b, "What is free", &b->free, "and what is reserved are more than the device: "
		    "they were counted at different times. It is left out.");
	else if (o->kind == OOM_PYTORCH && b->total > 0 && b->allocated >= 0 && b->free >= 0 && b->allocated + b->free > b->total + off)
		doubt(a, b, "What is free", &b->free, "and what tensors take are more than the device: "
		    "they were counted at different times. It is left out.");
}

/* ---- frameworks ---- */

/* What PyTorch's allocator takes of the device for a request: a segment. */
static int64_t
segment(int64_t asked)
{
	return asked <= MIB ? 2 * MIB : asked < 10 * MIB ? 20 * MIB :
	    (asked + 2 * MIB - 1) / (2 * MIB) * (2 * MIB);
}

/* PyTorch lists all processes on the device. Where it knows itself, that one is "this process"; in
 * a container a process does not know its own number, and is one of "Process 20398 has": the only
 * one that is as large as what this one has reserved, or none can be told. */
static void
who_is_this(const struct oom_message *o, struct budget *b, int64_t *process)
{
	int64_t all = known(o, OOM_LISTED), largest = known(o, OOM_LARGEST);
	int64_t off = slack(o, OOM_LISTED) + slack(o, OOM_ALLOCATED) + slack(o, OOM_UNALLOCATED) + slack(o, OOM_CACHED);

	if (all < 0)
		return;
	if (*process >= 0) {
		b->others = all;
	} else if (b->reserved > 0 && largest + off >= b->reserved && all - largest + off < b->reserved) {
		*process = largest;
		b->others = all > largest ? all - largest : -1;
	}
}

/* What PyTorch's allocator says of itself and of the device. */
static void
torch_budget(struct arena *a, const struct oom_message *o, struct budget *b)
{
	int64_t process = b->context, limit = known(o, OOM_LIMIT);
	int64_t off = slack(o, OOM_TOTAL) + slack(o, OOM_FREE) + slack(o, OOM_PROCESS) +
	    slack(o, OOM_ALLOCATED) + slack(o, OOM_UNALLOCATED) + slack(o, OOM_CACHED);

	b->context = -1;
	if (b->unallocated < 0 && !b->peak)
		b->unallocated = less(b->reserved, b->allocated);
	who_is_this(o, b, &process);
	b->listed = b->others >= 0;
	if (process >= 0 && b->reserved > process + off)
		doubt(a, b, "What the driver counts for this process", &process, "is less than what "
		    "it has reserved: not every driver tells. It is left out.");
	b->outside = less(less(b->total, b->reserved), b->free);
	b->context = less(process, b->reserved);
	if (process >= 0 && !b->listed)
		b->others = less(less(b->total, process), b->free);
	if (b->others >= 0 && b->others <= off + (b->listed ? 0 : b->total / DRIVER))
		b->others = -1;		/* no more than what rounding makes of nothing, and the driver keeps */
	if (b->reserved >= 0 && b->free >= 0)
		budget_set_pool(b, b->reserved + b->free, "reserved and free together");
	else if (b->reserved > 0)
		budget_set_pool(b, b->reserved, "what was reserved; how much was free is not said");
	if (b->total > 0 && b->pool > b->total)
		budget_set_pool(b, b->total, b->lent ? "the device's own; its driver lends more" : "all of the device, by the message");
	if (limit > 0 && (b->pool <= 0 || limit < b->pool))
		budget_set_pool(b, limit, "what the process is allowed");
}

/* Metal counts, for this process alone, its allocator's bytes and all others. */
static void
metal_budget(struct arena *a, const struct oom_message *o, struct budget *b)
{
	bool idle = b->allocated == 0 && known(o, OOM_OTHERS) == 0;

	if (o->facts & TRACE_LIMIT)
		return;			/* what it tells is the largest single buffer */
	b->total = known(o, OOM_LIMIT);
	b->outside = known(o, OOM_OTHERS);
	if (idle) {
		vec_push(a, &b->doubts, "By its counters nothing was allocated. They may not count, and are left "
		    "out.");
		b->idle = true;
		b->allocated = b->outside = -1;
	}
	b->others = -1;
	b->free = less(less(b->total, b->allocated), b->outside);
	if (b->free < 2 * (slack(o, OOM_LIMIT) + slack(o, OOM_ALLOCATED) + slack(o, OOM_OTHERS)))
		b->free = -1;		/* rounding may be as much */
	if (b->outside >= 0)
		budget_set_pool(b, less(b->total, b->outside),
		    "the limit, less this process's other allocations");
	else
		budget_set_pool(b, b->total, "the limit in the message");
}

/* PaddlePaddle asks the driver, so that what "has been allocated" is all that is not free: other
 * processes' as well. Where it has a limit, it is what is not free of that. */
static void
paddle_budget(struct arena *a, const struct oom_message *o, struct budget *b)
{
	if (b->allocated >= NO_DEVICE) {
		doubt(a, b, "What has been allocated", &b->allocated, "is more than any device has: the driver did not answer as it should, "
		    "such as on a device that it cannot use. It is left out.");
		b->free = -1;
	} else if (o->size[OOM_LIMIT].known) {
		budget_set_pool(b, o->size[OOM_LIMIT].bytes, "what the process is allowed");
	} else if (b->allocated >= 0 && b->free >= 0) {
		b->in_use = b->allocated;
		b->total = b->allocated + b->free;
		budget_set_pool(b, b->total, SHARED_DEVICE);
	} else {
		b->in_use = b->allocated;	/* what is cut off told the rest */
	}
	b->allocated = -1;
}

struct budget
autopsy_budget(struct arena *a, const struct oom_message *o)
{
	struct budget b = {
		.total = known(o, OOM_TOTAL), .allocated = known(o, OOM_ALLOCATED),
		.unallocated = known(o, o->size[OOM_CACHED].known ? OOM_CACHED : OOM_UNALLOCATED), .reserved = known(o, OOM_RESERVED),
		.free = known(o, OOM_FREE), .outside = -1, .context = known(o, OOM_PROCESS),
		.others = known(o, OOM_OTHERS), .kept = known(o, OOM_KEPT), .in_use = -1, .peak = o->kind == OOM_TORCH_SUMMARY,
	};
	int64_t asked = known(o, OOM_ASKED), off = slack(o, OOM_FREE) + slack(o, OOM_ASKED);

	if (o->kind == OOM_CUDA && b.allocated < 0)
		b.allocated = less(b.reserved, b.unallocated);
	if (o->kind == OOM_PYTORCH && b.reserved < 0 && b.allocated >= 0 && b.unallocated >= 0)
		b.reserved = b.allocated + b.unallocated;
	if (b.kept >= 0 && b.allocated >= b.kept)	/* PyTorch counts what is free there as allocated, and not as unallocated */
		b.allocated -= b.kept;
	check_parts(a, o, &b);
	if (o->kind == OOM_CUPY && b.allocated >= NO_DEVICE)
		doubt(a, &b, "What its pool has", &b.allocated, "is more than any device has: it was counted wrong, or is what was asked for in all. It is left out.");
	if (o->kind == OOM_PYTORCH || o->kind == OOM_TORCH_SUMMARY)
		torch_budget(a, o, &b);
	else if (o->kind == OOM_MPS)
		metal_budget(a, o, &b);
	else if (o->kind == OOM_PADDLE && !o->host)
		paddle_budget(a, o, &b);
	else if (o->kind == OOM_OURS)
		budget_set_pool(&b, b.free > 0 ? b.free + (b.allocated > 0 ? b.allocated : 0) : 0,
		    "what the message says was free, and what the program had");
	else
		budget_set_pool(&b, known(o, OOM_LIMIT) > 0 ? known(o, OOM_LIMIT) : b.total,
		    known(o, OOM_LIMIT) > 0 ? "the limit in the message" :
		    "all of the device, by the message");
	if (o->kind == OOM_MPS)		/* where what is free is what the others leave */
		off += slack(o, OOM_LIMIT) + slack(o, OOM_ALLOCATED) + slack(o, OOM_OTHERS);
	if (o->kind == OOM_PYTORCH && asked >= 0)
		asked = segment(asked);
	b.roomy = asked > 0 && b.free - off >= asked &&
	    (!o->size[OOM_RESERVABLE].known || o->size[OOM_RESERVABLE].bytes >= asked) &&
	    !(b.total > 0 && known(o, OOM_PROCESS) >= b.total / 100 * 99) &&	/* it has all of it, whatever is free for a moment */
	    (o->kind == OOM_MPS || known(o, OOM_LIMIT) <= 0);
	return b;
}
