/*
 * What a message's own figures say of the cause, without a network to compare them with.
 */
#include "autopsy/autopsy_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define VULKAN_BLOCK	((int64_t)2 << 30)	/* some drivers of Vulkan's give no more in one piece, others twice that */
#define INTEL_BLOCK	((int64_t)4 << 30)
#define LEAST_LIMIT	((int64_t)1 << 30)	/* less is no default of TensorFlow's */

#define LITTLE_CARD	((int64_t)1 << 30)	/* bytes that no card has on which ROCm runs */
#define LITTLE_OF	8	/* what a pool has is little, where a request is so many times as large */

/* ---- the device's figures ---- */

static void
impossible(struct autopsy *y)
{
	if (y->lo >= IMPOSSIBLE)
		autopsy_cause(y, SAYS_IMPOSSIBLE, "No machine has as much. Either the size itself is wrong, as when it is computed from something that was "
		    "never set, or runs over; or it is the product of extents that need not be multiplied, such as a number for each pair.");
	else if (y->lo >= NO_DEVICE && !y->main->host && y->main->kind != OOM_XLA && y->budget.total <= 0)
		autopsy_cause(y, SAYS_IMPOSSIBLE, "No single device has as much: what else was held does not matter. Either the size itself is wrong, as when it is "
		    "computed from something that was never set, or it is the product of extents that need not be multiplied, such as a "
		    "number for each pair, and has to be made in parts.");
}

/* As it was printed, or between the ends of what it may be. */
static int64_t
asked(const struct autopsy *y)
{
	const struct oom_size *s = &y->main->size[OOM_ASKED];

	return s->known ? s->bytes : y->lo + (y->hi - y->lo + 1) / 2;
}

bool
autopsy_is_constant(const struct oom_message *o)
{
	return o->kind == OOM_TF_ALLOCATOR && strcmp(o->node, "_EagerConst") == 0;
}

/* Much at once, and nothing else is known. Of PaddlePaddle's pool it may be a piece, of however
 * large a device. */
static void
bare_request(struct autopsy *y)
{
	int64_t total = y->budget.total;
	char human[SIZE_TEXT];

	if (autopsy_is_pool_small(y) || (total > 0 && (y->main->kind != OOM_PADDLE || y->lo > total || y->budget.roomy)) || y->causes.n > 0 || y->main->says || y->main->shape.known || y->matches.all.n > 0 ||
	    (y->main->facts & TRACE_NO_BATCH))
		return;
	if (autopsy_is_constant(y->main)) {
		autopsy_cause(y, SAYS_BARE_REQUEST, arena_printf(y->arena, "The request is for %s, by its operation a constant that TensorFlow makes of an array: all of it at once, whatever the batch, such as what fit() or predict() "
		    "is given. Handed over batch by batch (a tf.data.Dataset made from a generator, a keras.utils.Sequence), it need not lie there.", size_human(human, asked(y))));
		return;
	}
	if (y->main->kind == OOM_CUPY && y->lo >= LARGE_SAMPLE && y->lo < IMPOSSIBLE)
		autopsy_cause(y, SAYS_BARE_REQUEST, arena_printf(y->arena, "The request is for %s at once: one array, such as a result "
		    "of a formula, each part of which makes one of its own.", size_human(human, asked(y))));
	if (y->lo >= LARGE_SAMPLE && y->lo < IMPOSSIBLE && y->main->kind == OOM_PADDLE)
		autopsy_cause(y, SAYS_BARE_REQUEST, arena_printf(y->arena, "The request is for %s at once: one tensor or one workspace, which as a rule grows with " WITH_SAMPLES
		    ". Where FLAGS_allocator_strategy is naive_best_fit, which it was by itself in old versions, it may be a piece of a pool, as large as "
		    "FLAGS_fraction_of_gpu_memory_to_use says: a smaller share, or auto_growth in its place, asks for less.", size_human(human, asked(y))));
	if (y->lo >= LARGE_SAMPLE && y->lo < IMPOSSIBLE && (y->main->kind == OOM_PYTORCH || y->main->kind == OOM_ONNX ||
	    y->main->kind == OOM_TF_ALLOCATOR))
		autopsy_cause(y, SAYS_BARE_REQUEST, arena_printf(y->arena, "The request is for %s at once: one tensor or one "
		    "workspace. In a step, one so large grows as a rule with " WITH_SAMPLES
		    " (length, pixels), where pairs of positions are compared with the square of the length; before the "
		    "first step no batch matters.",
		    size_human(human, asked(y))));
}

/* Places that tell what such a tensor is. */
#define TRACE_OF_TENSOR	(TRACE_SCORES | TRACE_LOGITS | TRACE_ATTENTION | TRACE_PAIRS | TRACE_EDGES | TRACE_DENSE | \
    TRACE_DECODER | TRACE_PIECES | TRACE_JOIN | TRACE_ALL_PAIRS | TRACE_SPLATS)

/* What a framework asks of the driver is a piece of its pool, as a rule, and no tensor. */
static void
pool(struct autopsy *y, int64_t total)
{
	char human[SIZE_TEXT], all[SIZE_TEXT];

	if (y->causes.n > 0)
		return;
	autopsy_cause(y, SAYS_SHARE, arena_printf(y->arena, "The request is for %s of the device's %s at once, and the driver had no such piece left. TensorFlow and "
	    "JAX ask so for a pool, of which they make tensors. Where it was asked for as the program began, another process, or an earlier run that "
	    "did not end, as a rule has a part of the device, and no batch matters; where it was later, it may be for a tensor, too.",
	    size_human(human, asked(y)), size_human(all, total)));
}

#define NEAR		4	/* lines, from a call to the error that it raises */
#define PER_ELEMENT	4	/* bytes of one of float32 */

/* Does a line of the traceback right ahead of the message work on a matrix as a whole? */
static bool
factors(const struct autopsy *y)
{
	int line = y->log.paste.decided.factors;

	return line && line < y->main->line && y->main->line - line <= NEAR;
}

/* A matrix that is decomposed or inverted, by its bytes. */
static void
matrix(struct autopsy *y)
{
	int64_t side = 1, bit;
	char human[SIZE_TEXT], exact[SIZE_TEXT];

	for (bit = (int64_t)1 << 30; bit > 0; bit >>= 1)
		if ((side + bit) * (side + bit) <= asked(y) / PER_ELEMENT)
			side += bit;
	autopsy_cause(y, SAYS_SHARE, arena_printf(y->arena, "The request is for %s at once, by line %d, which works on a matrix as a whole (decomposes or inverts it): its result, and what it works with, are as large "
	    "as what it is given. Where that is one square matrix of float32, it has about %s rows, one for each column or input that is compared with all others; half as many take a quarter, and how many "
	    "samples it was made of plays no part. On the processor, it needs none of the device.", size_human(human, asked(y)), y->log.paste.decided.factors, size_commas(exact, side)));
}

#define LARGE_PART	8	/* of a device */

/* By its own counters the process had nothing there yet, neither weights nor results: then no
 * layer asks for so much. */
static bool
is_first_there(const struct autopsy *y)
{
	const struct budget *b = &y->budget;

	return y->main->kind == OOM_PYTORCH && !y->main->gpus && b->allocated == 0 && b->reserved == 0 && b->total > 0 && y->lo <= b->total && y->hi >= b->total / LARGE_PART &&
	    !y->main->says && !strcmp(y->main->who, oom_kind_name(OOM_PYTORCH)) && !(y->main->facts & TRACE_OF_TENSOR) && !y->main->shape.known && !y->matches.all.n;
}

static void
first_there(struct autopsy *y)
{
	char human[SIZE_TEXT], all[SIZE_TEXT];

	autopsy_cause(y, SAYS_SHARE, arena_printf(y->arena, "The request is for %s at once, %d %% of the device's %s, and by its counters this process had nothing there yet: where they count all, it is no layer's result, but what is put there first, "
	    "such as a set of data, a table or a matrix as a whole, or weights in one piece. What the run puts there beside it has what is left. In parts, or in the machine's memory, it takes less.",
	    size_human(human, asked(y)), autopsy_percent(asked(y), y->budget.total), size_human(all, y->budget.total)));
}

/* Much of the device at once. */
static void
share(struct autopsy *y)
{
	int64_t total = y->budget.total;
	char human[SIZE_TEXT], all[SIZE_TEXT];

	if (is_first_there(y)) {
		first_there(y);
		return;
	}
	if (autopsy_in_update(y->main))
		return;			/* by its place it is as large as a weight, or as some, and no layer's result */
	if (total <= 0 || y->lo > total || (y->hi < total / 4 && (y->lo < LARGE_SAMPLE || y->hi < total / 16)) ||
	    y->main->kind == OOM_XLA || y->main->kind == OOM_PADDLE ||
	    (y->main->facts & (TRACE_OF_TENSOR | TRACE_NO_BATCH)) || y->budget.roomy || y->main->says ||
	    y->main->shape.known || y->matches.all.n)
		return;
	if (autopsy_is_driver(y->main)) {
		pool(y, total);
		return;
	}
	if (factors(y)) {
		matrix(y);
		return;
	}
	if (autopsy_is_tried(y, BY_BATCH) && autopsy_is_tried(y, BY_SAMPLES) && !(y->main->facts & TRACE_NO_BATCH)) {
		autopsy_cause(y, SAYS_SHARE, arena_printf(y->arena, "The request is for %s at once, %d %% of the %s %s: one tensor or one workspace. A layer's result is smaller with fewer or smaller samples: where as much was asked for with those, it is none, "
		    "but something of the network's own, such as " HAS_TRAINED("the gradient, or what the optimizer keeps, of ") "its largest weight (a table of a large vocabulary), which no batch makes smaller.",
		    size_human(human, asked(y)), autopsy_percent(asked(y), total), y->main->kind == OOM_MPS ? "limit's" : "device's", size_human(all, total)));
		return;
	}
	autopsy_cause(y, SAYS_SHARE, arena_printf(y->arena, "The request is for %s at once, %d %% of the %s %s: one "
	    "tensor or one workspace. Where it is a layer's result, it grows with " UNTRIED(BY_BATCH, "the samples of a batch and with their size") OF_ONE_SAMPLE("the size of a sample")
	    " (pixels, length); one for all pairs of positions, as in attention, with the square of their number. Smaller ones, "
	    "or parts (tiles) of them one after the other, take less.",
	    size_human(human, asked(y)), autopsy_percent(asked(y), total),
	    y->main->kind == OOM_MPS ? "limit's" : "device's", size_human(all, total)));
}

/* Of which all. */
static const char *
of_all(const struct autopsy *y, int64_t total)
{
	char all[SIZE_TEXT];

	return arena_printf(y->arena, y->main->kind == OOM_MPS ? "the limit's %s" : "the device's %s", size_human(all, total));
}

/* Could PyTorch have kept what forward makes for a backward that never comes, where people tell of
 * tests or inference? */
static bool
may_be_recorded(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if (!p->evaluating.line && !p->inferring.line)
		return false;
	return (y->main->kind == OOM_PYTORCH || y->main->kind == OOM_MPS) && !y->main->function[0] && !y->log.epoch && !p->no_grad && !autopsy_is_of_program(y) &&
	    !(y->main->facts & (TRACE_NO_GRAD | TRACE_BACKWARD | TRACE_STEP | TRACE_TRAINER | TRACE_GENERATES | TRACE_PROFILES | TRACE_GRAPH));
}

/* What else leaves no room, beside what the run needs: unused blocks in pieces, or other processes
 * that have what was asked for. */
static const char *
either_the(const struct autopsy *y)
{
	if (!autopsy_may_go_on(y))
		return "The";
	if (y->hi > 0 && y->budget.unallocated >= y->hi)
		return "Beside pieces that lie unused, either the";
	return y->hi > 0 && autopsy_of_others(y) >= y->hi ? "Beside what others have of it, either the" : "Either the";
}

/* A step took most of it, or what was kept of earlier ones: what that is made of. What is less, no
 * list tells: whether there is a batch, pixels or a length to be smaller is told by the lines that
 * have them (SAYS_BATCH_SAID). */
static void
own_step(struct autopsy *y, const char *have)
{
	if (autopsy_in_update(y->main)) {
		autopsy_cause(y, SAYS_OWN_STEP, arena_printf(y->arena, "%s By then backward as a rule has let go of what forward kept: weights, gradients and what "
		    "the optimizer keeps are most of it, and other results only where something holds them.", have));
		return;
	}
	if (y->main->facts & (TRACE_CACHE | TRACE_PROFILES)) {	/* what was made then is told by its place */
		autopsy_cause(y, SAYS_OWN_STEP, have);
		return;
	}
	autopsy_cause(y, SAYS_OWN_STEP, arena_printf(y->arena, "%s" AT_START(" %s run needs more than there is, " UNLESS_LESS_RUNS("for its weights" IN_TRAINING(" (in training with gradients and what the optimizer keeps)")
	    ", the same whatever the batch, or ") "for what its layers make, which grows with " UNTRIED(BY_BATCH, "the samples at once (the batch) and their size") OF_ONE_SAMPLE("the size of a sample") " (pixels, length)" AFTERWARDS("; or something is held of " IN_SERVING("what ran before in the same process")
	    IN_TRAINING("earlier steps (" HAS_TRAINED(IN_TORCH(UNLESS_NUMBERS("losses with their graph, "))) "lists of results), and grows from one to the next")) ".") AFTERWARDS(HAD_STEPS(" Where it fails only after steps that had fitted%s, something may be held from "
	    "earlier ones (" HAS_TRAINED(IN_TORCH(UNLESS_NUMBERS("sums of losses with their graph, "))) "lists of results), or samples or a phase (tests, a file that is saved) came that need more.")) "%s",
	    have, either_the(y), y->log.paste.later.line ? arena_printf(y->arena, " (%s)", autopsy_said(y, &y->log.paste.later)) : "", may_be_recorded(y) ?
	    y->log.paste.older && !y->log.paste.newer ? " Where nothing is trained, as in tests and inference, volatile=True of PyTorch before 0.4 spares what forward keeps for backward." :
	    " Where nothing is trained, as in tests and inference, torch.no_grad() spares what forward keeps for backward." : ""));
}

/* What of TOTAL bytes is this process's. */
static const char *
held(struct autopsy *y, int64_t total)
{
	const struct budget *b = &y->budget;
	char had[SIZE_TEXT], all[SIZE_TEXT], reserved[SIZE_TEXT];

	size_human(had, b->allocated);
	if (b->allocated < total / 2)
		return arena_printf(y->arena, "This process has reserved %s of %s, of which %s are tensors; the rest is kept %s.",
		    size_human(reserved, b->reserved), of_all(y, total), had, b->kept > 0 ? "in pieces or private pools" : "in pieces");
	if (b->lent)
		return arena_printf(y->arena, "Tensors of this process have %s, where the device has %s.", had,
		    size_human(all, total));
	return arena_printf(y->arena, "Tensors of %s have %s of %s: %d %%.%s", y->main->gpus ? arena_printf(y->arena, "%s %d's process", autopsy_device_word(y->main), y->main->gpu) :
	    "this process", had, of_all(y, total), autopsy_percent(b->allocated, total), total <= LITTLE_CARD && strstr(y->main->who, "HIP") ?
	    " AMD's cards have more: with so little it is, as a rule, a GPU that is built in, with what the firmware sets aside for it of the machine's memory. Where a larger part can be set there, or there is "
	    "another device to be chosen (HIP_VISIBLE_DEVICES), that leaves more." : "");
}

#define MUCH_MORE	4	/* a part of the device, which no step's results take beyond a share */

/* What a server's share says of its cache: nothing can have been set aside beside weights that are
 * more than the share. */
static const char *
of_share(const struct autopsy *y, int64_t total)
{
	const struct oom_measures *m = &y->log.paste.measures;

	if (m->share <= 0 || y->budget.allocated < total / 1000 * m->share + total / MUCH_MORE)
		return UNTRIED(BY_SHARE, " A smaller share for that cache (gpu_memory_utilization, mem_fraction_static) leaves more for what is asked for beside it.");
	return arena_printf(y->arena, " Line %d sets the share for all of these to %g. Where that is the run's, they have more than that without any cache: weights, or a trial run beside them, are more than "
	    "there is, whatever the share.", m->share_line, m->share / 1000.0);
}

/* Is most of the device this process's own? */
static void
own(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	int64_t total = b->total;
	const char *have;

	if (total <= 0 || (b->allocated < total / 2 && (b->reserved < total / 3 * 2 ||
	    b->allocated < total / 3)) ||
	    (b->roomy && b->allocated < (b->pool > 0 ? b->pool : total) / 10 * 9 && b->free / 2 >= y->hi) ||
	    (y->lo > total && !b->lent) || y->forecast.known ||
	    y->main->kind == OOM_XLA || (y->main->facts & TRACE_NO_BATCH) || autopsy_weights_fill(y))
		return;
	have = held(y, total);
	if (y->log.serving && !(y->main->facts & (TRACE_BACKWARD | TRACE_STEP)))
		autopsy_cause(y, SAYS_SERVING, arena_printf(y->arena, "%s Line %d has the name of a server of language models. Where it is that, those are "
		    "weights, then what a trial run takes, then the cache of keys and values that is set aside.%s", have, y->log.serving, of_share(y, total)));
	else
		own_step(y, have);
}

/* A pool of PyTorch's that is for one use alone: CUDA graphs have such. */
static void
kept(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	const char *maker = strstr(y->main->who, "HIP") ? "HIP" : "CUDA";
	char free[SIZE_TEXT], all[SIZE_TEXT];

	if (b->kept <= 0 || b->total <= 0 || b->kept < b->total / 10)
		return;
	autopsy_cause(y, SAYS_KEPT, arena_printf(y->arena, "%s of the device's %s lie in private pools of PyTorch's, as %s graphs have, and are given to "
	    "nothing else: PyTorch counts them as allocated, though they are free there. A graph keeps what it was recorded with for as long as it lives, "
	    "and where shapes change (lengths, batches) one may be recorded for each: fewer shapes, as by padding to some lengths, or no graphs (in "
	    "torch.compile a mode other than reduce-overhead and max-autotune, which record them) leave that.", size_human(free, b->kept), size_human(all, b->total), maker));
}

/* PaddlePaddle counts the device, not itself. */
static void
in_use(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	char used[SIZE_TEXT], all[SIZE_TEXT];

	if (b->in_use < 0 || b->in_use < b->total / 2 || y->forecast.known || (y->main->facts & TRACE_NO_BATCH))
		return;
	if (b->total < 0) {
		own_step(y, arena_printf(y->arena, "By its count %s of the device were in use, by all processes together" UNTRIED(BY_ALONE, ": " LISTER ", before the run, tells what others have") ".", size_human(used, b->in_use)));
		return;
	}
	own_step(y, arena_printf(y->arena, "By its count %s of the device's %s were in use, by all processes together" UNTRIED(BY_ALONE, ": " LISTER ", "
	    "before the run, tells what others have") ".",
	    size_human(used, b->in_use), size_human(all, b->total)));
}

/* Most of it was freed again, and is kept. */
static void
emptied(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	char had[SIZE_TEXT], all[SIZE_TEXT], kept[SIZE_TEXT];

	if (y->causes.n || y->main->kind != OOM_PYTORCH || b->total <= 0 || b->allocated < 0 || b->reserved < b->total / 3 * 2 ||
	    b->lent || b->roomy || y->forecast.known)
		return;
	autopsy_cause(y, SAYS_EMPTIED, arena_printf(y->arena, "This process has reserved %s of the device's %s, of which %s are tensors: the rest was "
	    "taken for something before, freed, and is kept.",
	    size_human(kept, b->reserved), size_human(all, b->total), size_human(had, b->allocated)));
}

#define NEAR_MAP	6	/* lines, to what was said last of that failure */

bool
autopsy_is_pool_small(const struct autopsy *y)
{
	const struct oom_message *o = y->main;
	int map = y->log.empty_map;

	return map && (o->kind == OOM_XLA || o->kind == OOM_TENSORFLOW || o->kind == OOM_TF_ALLOCATOR) && y->hi > 0 && y->lo < NO_DEVICE && map - o->last <= NEAR_MAP &&
	    o->line - map <= NEAR_MAP;
}

static void
pool_small(struct autopsy *y)
{
	char human[SIZE_TEXT];

	if (autopsy_is_pool_small(y))
		autopsy_cause(y, SAYS_DUMPED, arena_printf(y->arena, "By the map that the allocator drew on line %d, in which _ is free, nearly nothing of what it has was in use, and yet it has no piece of %s: all that it "
		    "has is less, or lies apart, and it got no more. So the device has no more, or something else has the rest of it, be it another process, which " LISTER " lists, or another framework in this one; or a setting "
		    "keeps it so small (XLA_PYTHON_CLIENT_MEM_FRACTION, per_process_gpu_memory_fraction, a memory_limit).", y->log.empty_map, size_human(human, asked(y))));
}

/* What TensorFlow's allocator tells of itself in a dump. */
static void
dumped(struct autopsy *y)
{
	const struct oom_dump *d = &y->log.dump;
	char had[SIZE_TEXT], all[SIZE_TEXT], piece[SIZE_TEXT];

	if (!d->any || y->dump.local || (y->main->kind != OOM_TENSORFLOW && y->main->kind != OOM_TF_ALLOCATOR) ||
	    d->limit < LEAST_LIMIT || d->in_use > d->limit || y->lo > d->limit)
		return;
	if (d->in_use >= d->limit / 10 * 9 && !y->module)
		own_step(y, arena_printf(y->arena, "By the allocator's dump %s of the %s that it may have were in use: %d %%.",
		    size_human(had, d->in_use), size_human(all, d->limit),
		    autopsy_percent(d->in_use, d->limit)));
	else if (d->largest_free > 0 && d->largest_free < y->lo && d->free >= y->hi &&
	    d->free >= (d->limit - d->in_use) / 10 * 9)
		autopsy_cause(y, SAYS_DUMPED, arena_printf(y->arena, "By the allocator's dump %s of the %s that it may have were free, but in "
		    "pieces, of which the largest has %s: the memory is fragmented.", size_human(had, d->free),
		    size_human(all, d->limit), size_human(piece, d->largest_free)));
	else if (d->said_in_use > 0 && y->hi > 0 && d->said_in_use <= d->limit / 10 * 9 - y->hi && d->largest_free < y->lo)
		autopsy_cause(y, SAYS_DUMPED, arena_printf(y->arena, "By the allocator's dump %s of the %s that it may have were in use, and the %s that it was "
		    "asked for would have left it below that. So the rest lay in pieces, each too small, or the device did not have it: other "
		    "processes may hold a part, which " LISTER " lists.", size_human(had, d->said_in_use), size_human(all, d->limit), size_human(piece, y->hi)));
}

/* Neither this process's own nor others' are most of it: a small device, whose context and desktop
 * are a large part. */
static void
parted(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	char had[SIZE_TEXT], all[SIZE_TEXT], outside[SIZE_TEXT];
	bool pieces = y->hi > 0 && b->unallocated >= y->hi && b->unallocated > b->reserved / 10;	/* what is cached would do */

	if (y->causes.n || (pieces && b->reserved >= b->total / 3 * 2) || y->main->kind != OOM_PYTORCH || b->total <= 0 || b->allocated < b->total / 8 || b->outside < 0 ||
	    b->roomy || b->lent || y->forecast.known)
		return;
	autopsy_cause(y, SAYS_PARTED, arena_printf(y->arena, "Tensors of this process have %s of the device's %s, and %s is outside: CUDA's "
	    "context and libraries, a desktop, other processes, which " LISTER " lists.%s", size_human(had, b->allocated), size_human(all, b->total), size_human(outside, b->outside),
	    pieces ? "" : " Where none of these can go, the device is too small for the run as it is."));
}

static void
metal(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	char had[SIZE_TEXT], all[SIZE_TEXT];

	if (y->main->kind == OOM_MPS && b->idle && y->hi > 0)
		autopsy_cause(y, SAYS_METAL, arena_printf(y->arena, "By its own counters this process had nothing there, and was "
		    "refused %s. Where they are right, Metal gives it nothing at all, as on virtual machines without a "
		    "device of their own, such as those of a build service.", size_human(had, y->hi)));
	if (y->main->kind == OOM_MPS && (y->main->facts & TRACE_LIMIT) && y->main->size[OOM_LIMIT].known)
		autopsy_cause(y, SAYS_METAL, arena_printf(y->arena, "By the message none there has more than %s: what is asked for fits in parts, or made of fewer " UNTRIED(BY_BATCH, "samples, ") "pixels or positions.",
		    size_human(had, y->main->size[OOM_LIMIT].bytes)));
	if (y->main->kind != OOM_MPS || b->total <= 0 || b->allocated < 0)
		return;
	if (b->outside > b->total / 4)
		autopsy_cause(y, SAYS_METAL, arena_printf(y->arena, "%s of the limit's %s was taken by this process through "
		    "Metal beside PyTorch's allocator, such as compiled graphs and what they need while "
		    "they run.", size_human(had, b->outside), size_human(all, b->total)));
	autopsy_cause(y, SAYS_METAL, "The limit is a setting of PyTorch, a multiple of what Metal recommends: "
	    "PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 in the environment lifts it, and then all of the "
	    "machine may run short.");
}

/* ---- pools that keep what was freed ---- */

/* Is it ONNX Runtime's, or that of a library that it sets up? */
static bool
is_of_session(const struct oom_message *o)
{
	return o->kind == OOM_ONNX || (o->kind == OOM_CUDA && o->status && strncmp(o->who, "cu", 2) == 0);
}

static void
pools(struct autopsy *y)
{
	const struct oom_size *limit = &y->main->size[OOM_LIMIT], *pool = &y->main->size[OOM_ALLOCATED];
	char human[SIZE_TEXT];

	if (y->main->kind == OOM_CUPY && limit->known)
		autopsy_cause(y, SAYS_POOLS, arena_printf(y->arena, "The pool may have %s and no more: a setting, set_limit() "
		    "or CUPY_GPU_MEMORY_LIMIT, was reached, not the device's end.",
		    size_human(human, limit->bytes)));
	if (y->main->kind == OOM_CUPY && !(pool->known && pool->bytes < y->lo / LITTLE_OF))	/* else nothing is in it that helps */
		autopsy_cause(y, SAYS_POOLS, limit->known ? "CuPy's pool keeps blocks that were freed, for arrays of their size, and counts "
		    "them: get_default_memory_pool().free_all_blocks() gives them back. Arrays that a variable, "
		    "a list or the last error still names are not freed." : "CuPy gives back all free blocks of its pool before it says so: what it has are arrays that a variable, a list or the last error "
		    "still names, and pieces between them.");
	if (is_of_session(y->main) && y->lo < IMPOSSIBLE && y->log.paste.unmade && y->log.paste.unmade >= y->main->line - 1 && y->log.paste.unmade <= y->main->last)
		autopsy_cause(y, SAYS_POOLS, "It failed while a session was made, ahead of any input: weights are put in their place then, once for each session and process. Fewer of these, a smaller "
		    "network or one in fewer bits, or other programs that let go of that memory, leave room; smaller inputs or batches do not.");
	else if (y->main->kind == OOM_ONNX && y->lo < IMPOSSIBLE && y->main->limited)
		autopsy_cause(y, SAYS_POOLS, "The arena has a limit of its own (gpu_mem_limit of the CUDA provider, max_mem of an OrtArenaCfg), and the message counts what is left of that, not of the device. "
		    "It keeps what it had for the largest inputs so far: a higher limit, where there is as much, or smaller inputs leave more.");
	else if (y->main->kind == OOM_ONNX && y->lo < IMPOSSIBLE)
		autopsy_cause(y, SAYS_POOLS, "The arena keeps what it had for the largest inputs so far, and grows by powers "
		    "of two unless arena_extend_strategy is kSameAsRequested; each session has its own.");
}

/* Where what is left of the device is less than the request, that alone is why. */
bool
autopsy_is_large_block(const struct autopsy *y)
{
	const struct budget *b = &y->budget;
	int64_t used = b->reserved >= 0 ? b->reserved : b->allocated;

	return strstr(y->main->who, "XPU") && y->hi >= INTEL_BLOCK && !y->main->says && !(b->total > 0 && used >= 0 && b->total - used < y->lo);
}

static void
largest_block(struct autopsy *y)
{
	if (autopsy_is_large_block(y))
		autopsy_cause(y, SAYS_LARGEST_BLOCK, "The drivers of several Intel devices, Arc A among them, give no single block of "
		    "4 GiB or more, however much is free, unless they are told to "
		    "(UR_L0_ENABLE_RELAXED_ALLOCATION_LIMITS=1 where it serves). Made in parts, or of fewer " UNTRIED(BY_BATCH, "samples or ")
		    "pixels, it may fit.");
	else if (strcmp(y->main->who, "Vulkan") == 0 && y->lo >= VULKAN_BLOCK && !y->main->says && !(y->main->facts & (TRACE_LIMIT | TRACE_LAYERS | TRACE_CACHE)))
		autopsy_cause(y, SAYS_LARGEST_BLOCK, "Many drivers of Vulkan's give no single piece larger than 2 or 4 GiB (maxMemoryAllocationSize), however much is free. Where that was it, what is asked for has to be "
		    "smaller: where it is llama.cpp's buffer for what it computes, it grows with the tokens that it takes at once (-ub) and with the context (-c). Else weights or other processes have the device, which " LISTER " tells.");
}

/* What was free is all that is told. */
static void
little_free(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	const struct oom_size *own = &y->main->size[OOM_PROCESS], *listed = &y->main->size[OOM_LISTED], *held = own->known ? own : listed;
	char human[SIZE_TEXT], has[SIZE_TEXT];
	const char *full = b->free > 0 ? arena_printf(y->arena, "full but for %s", size_human(human, b->free)) : "full";

	if (y->causes.n || b->free < 0 || b->roomy || (y->main->kind == OOM_XLA && autopsy_asks_nothing(y->main)) || y->main->kind == OOM_OURS || b->allocated >= 0 || y->main->says ||
	    y->forecast.known)
		return;
	if (held->known) {
		autopsy_cause(y, SAYS_LITTLE_FREE, arena_printf(y->arena, held == listed ? "The device was %s. By the message processes that it lists by their numbers "
		    "have %s of it: " LISTER " tells whose they are (in a container the run itself is listed so, too)." : "The device was %s. By the message this "
		    "process has %s of it, with what libraries take.", full, size_human(has, held->bytes)));
		return;
	}
	if (y->main->size[OOM_CACHED].known)
		autopsy_cause(y, SAYS_LITTLE_FREE, arena_printf(y->arena, "The device was %s. By the message this process has %s of it in blocks that it took for something before, freed, and keeps.",
		    full, size_human(has, y->main->size[OOM_CACHED].bytes)));
	else if (y->main->kind == OOM_XLA)
		autopsy_cause(y, SAYS_LITTLE_FREE, arena_printf(y->arena, "%s was free%s. What has the rest is not said: arrays of the program, its weights among them, which stay for as long as a name "
		    "holds them, or another process.", size_human(human, b->free), y->lo > b->free ? ", less than was asked for" : ""));
	else
		autopsy_cause(y, SAYS_LITTLE_FREE, arena_printf(y->arena, "The device was %s. Who has the rest is not said: where another process does, " LISTER " lists it, and where none does, it is this run's own, which then needs more than there is, or keeps what it need not.", full));
}

void
autopsy_alone_causes(struct autopsy *y)
{
	if (y->main->host) {
		impossible(y);
		autopsy_shape_causes(y);
		if (y->log.shuffled > 0)
			autopsy_cause(y, SAYS_SHUFFLED, arena_printf(y->arena, "The log tells of TensorFlow's buffer of %lld shuffled "
			    "elements, which lies in the machine's memory whole, decoded as they are: fewer "
			    "(shuffle(buffer_size), shuffle_buffer_size), or shuffling names or encoded images, "
			    "take less.", (long long)y->log.shuffled));
		autopsy_lines_causes(y);
		autopsy_progress_causes(y);
		return;
	}
	impossible(y);
	autopsy_tensorflow_slices(y);
	autopsy_lines_first(y);
	autopsy_shape_causes(y);
	autopsy_tensorflow_graph(y);
	autopsy_tensorflow_start(y);
	bare_request(y);
	share(y);
	kept(y);
	own(y);
	in_use(y);
	parted(y);
	emptied(y);
	metal(y);
	autopsy_xla_causes(y);
	pools(y);
	largest_block(y);
	pool_small(y);
	dumped(y);
	autopsy_progress_causes(y);
	autopsy_lines_causes(y);
	little_free(y);
	autopsy_lines_last(y);
	autopsy_pictures_said(y);
}
