/*
 * What people's words beside the log say of the cause: each is quoted, and what follows from it is
 * said as a condition.
 */
#include "autopsy/autopsy_parts.h"

#include <stddef.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "oom/oom_keep.h"
#include "oom/oom_says.h"

#define MANY_PIXELS	500000	/* of a picture that is worth a word; what has fewer is as large as training has them */
#define LARGE_PART	4	/* a request of a part of the device as large as that: one tensor of one batch */

/* Of which message a sentence tells the cause, */
#define OF_ITSELF	1u	/* one that does not say it by itself, */
#define ON_DEVICE	2u	/* of a device, */
#define OF_TORCH	4u	/* of PyTorch, */
#define NO_SHAPE	8u	/* without a shape, */
#define ONE_TENSOR	16u	/* by its figures of one large tensor, */
#define OF_SAMPLES	32u	/* or of what grows with samples, */
#define NO_OTHER	64u	/* that, or of no cause at all; */
#define ON_MACHINE	256u	/* of the machine's memory, or that need not be a device's; */
#define EXPLAINED	128u	/* and that is explained: of others autopsy_likely.c makes more */

/* Of several devices, whether they are counted or what they have is. */
#define WHOLE_ON_EACH	\
    "Where each of those devices has all of the weights (as in DataParallel and DistributedDataParallel), it has to hold by itself what a run with one needs, and what they have together does not count; where weights are split "	\
    "among them (FSDP, ZeRO's stage 3, tensor parallel, layers in parts), it does."

/* What people say, and what follows from it where no spec tells more. */
static const struct told_cause {
	size_t said, better;	/* of struct oom_paste: where, and the line of what says more of the same; 0: nothing */
	enum autopsy_says kind;
	unsigned of;
	uint64_t unless;	/* TRACE_: what the place shows by itself */
	const char *follows;
} told_causes[] = {
	{ offsetof(struct oom_paste, less), offsetof(struct oom_paste, however), SAYS_TOLD_LESS, 0, 0,
	    "Where that run and the one that failed differ in nothing else, what is more or larger in the one that failed is what "
	    "had no room: a number between the two, or parts one after the other, may have room." },
	{ offsetof(struct oom_paste, more), 0, SAYS_TOLD_MORE, 0, 0,
	    "Where that run and the one that failed differ in nothing else, how much is given at once does not decide by itself: what is chosen by its size does, such as the parts into which a program cuts "
	    "it, or a library's algorithm and its workspace (cuDNN's), and one size may take more than a larger one. A size that runs, or a bound on such workspaces, is the way then." },
	{ offsetof(struct oom_paste, version), 0, SAYS_TOLD_VERSION, 0, 0,
	    "Where nothing but a version differs between a run that works and the one that failed, what that version changed takes more (a default, a type, what it keeps, a library that "
	    "came with it): the one that works, with the libraries of its time, or one that mends it, needs less." },
	{ offsetof(struct oom_paste, kept), 0, SAYS_TOLD_KEPT, OF_ITSELF | ON_DEVICE, 0,
	    "Where that lies on the device for all samples, or for all of those so far, it takes room for each of them, whatever the batch: moved to the machine's memory as it comes" IN_TORCH(" (.cpu())") ", or "
	    "given to the device in batches, it need not." },
	{ offsetof(struct oom_paste, cached), offsetof(struct oom_paste, habits.of[HABIT_CACHE].line), SAYS_TOLD_CACHED, ON_MACHINE, 0,
	    "Where samples are kept once they were read, all of them come to lie in the machine's memory, pictures as arrays several times as large as their files: without that, "
	    "or kept in a file (cache=disk in YOLO, a file's name in tf.data's cache()), they do not." },
	{ offsetof(struct oom_paste, entire), 0, SAYS_TOLD_KEPT, OF_ITSELF, 0,
	    "Where all of that is read ahead of what works on it, it lies there as a whole, in the machine's memory or, where it was moved there, a device's, and takes room for each of them, whatever the batch: read, or "
	    "moved there, as each is needed, or a part at a time, it need not." },
	{ offsetof(struct oom_paste, shared_memory), 0, SAYS_TOLD_SHARED, ON_MACHINE | OF_ITSELF, 0,
	    "Where that was in shared memory (/dev/shm), it is a part of the machine's with a bound of its own, as a rule half of it, in Docker 64 MiB unless --shm-size (or --ipc=host) says otherwise, and what is put "
	    "beyond it ends by a bus error: df -h /dev/shm tells. What is read as it is needed, or mapped from a file (in Python numpy.memmap), need not lie there." },
	{ offsetof(struct oom_paste, quantizes), 0, SAYS_TOLD_QUANTIZES, OF_ITSELF | ON_DEVICE, 0,
	    "Where weights are quantized by samples (AWQ, GPTQ), what a layer is given and gives for all of them may lie on the device at once, beside the weights: fewer or shorter samples (in AutoAWQ "
	    "max_calib_samples and max_calib_seq_len), or fewer at once (n_parallel_calib_samples), take less; so do weights that wait in the machine's memory for their layer's turn." },
	{ offsetof(struct oom_paste, captures), 0, SAYS_TOLD_CAPTURES, OF_ITSELF | ON_DEVICE, TRACE_GRAPH,
	    "Where it failed as CUDA graphs were captured, a graph holds the memory of all that it runs, for as long as it lives, beside weights and what was set aside before: " TRY BY_SHARE "a smaller share set aside (in vLLM "
	    "gpu_memory_utilization, in SGLang --mem-fraction-static)" TRY BY_ANYTHING "fewer or smaller sizes that are captured" TRY BY_EAGER "none (vLLM's enforce_eager, SGLang's --disable-cuda-graph)" TRY_END " leave room." },
	{ offsetof(struct oom_paste, server), offsetof(struct oom_paste, training), SAYS_TOLD_SERVER, OF_ITSELF | ON_DEVICE | NO_OTHER, 0,
	    "Where vLLM runs there, it takes the share gpu_memory_utilization of the device, for weights, for the largest step that it may have to make, and the rest of it for keys and values, those of one text of max_model_len "
	    "at least. Where that share is too small for these, " TRY BY_SHARE "a larger one, where nothing else has the device" TRY BY_SAMPLES "a lower max_model_len" TRY BY_BITS "weights in fewer bits" TRY BY_DEVICES "more devices" TRY_END ", help; where memory ends beside it, as "
	    UNTRIED(BY_EAGER, "while graphs are captured or ") "in a request, " TRY BY_SHARE "a smaller one" TRY BY_ANYTHING "fewer texts at once (max_num_seqs)" TRY BY_EAGER "no captured graphs (enforce_eager)" TRY_END "." },
	{ offsetof(struct oom_paste, saved), 0, SAYS_TOLD_SAVED, ON_MACHINE, 0,
	    "Where all of it is one array or list by then, it lies in the machine's memory as a whole, and as a rule once more while it is written: written as it comes, in parts "
	    "(several files, HDF5, numpy.memmap), it need not." },
	{ offsetof(struct oom_paste, ungraded), 0, SAYS_TOLD_UNGRADED, ON_DEVICE, TRACE_BACKWARD | TRACE_STEP,
	    "Where nothing is trained there, and torch.no_grad() does not stand around all of it, autograd keeps all that forward makes, and it takes a part of that with it." },
	{ offsetof(struct oom_paste, attached), offsetof(struct oom_paste, sums), SAYS_TOLD_KEPT, OF_ITSELF, 0,
	    "Where losses or results are kept as they are, in a sum or on a list, each holds the graph that made it, with all that forward keeps, and that grows from step to step: .detach(), or .item() of a number, "
	    "lets go of it." },
	{ offsetof(struct oom_paste, too_large), offsetof(struct oom_paste, model.line), SAYS_TOLD_WEIGHTS, OF_ITSELF | ON_DEVICE, TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP,
	    "Where that is so of its weights alone, it fails before the first result, whatever the batch: " TRY BY_BITS "fewer bits" TRY BY_DEVICES "a part of them on more devices" TRY BY_OFFLOADING "a part of them in the machine's memory" TRY_END ", take less there." },
	{ offsetof(struct oom_paste, full_size), offsetof(struct oom_paste, few_bits), SAYS_TOLD_WEIGHTS, OF_ITSELF, TRACE_BACKWARD | TRACE_STEP,
	    "Where a model's weights were read in float32, as transformers before its version 5 does where torch_dtype (now dtype) says nothing, they have 4 bytes each, twice as many as in 16 bits, "
	    "before anything is computed with them." },
	{ offsetof(struct oom_paste, twice), 0, SAYS_TOLD_WEIGHTS, OF_ITSELF, TRACE_BACKWARD | TRACE_STEP,
	    "Where weights of a file are read to be put into a model, both lie there until the file's are let go of, on a device, too, where the file's are put back on the one that they were saved from: " IN_TORCH("map_location=\"cpu\" of torch.load keeps "
	    "them off it, ") OUT_OF_TORCH("read to the machine's memory (in PyTorch map_location=\"cpu\"), they take none of a device's, ") "and a file that is mapped (safetensors, mmap=True of torch.load) takes little of the machine's." },
	{ offsetof(struct oom_paste, processes), 0, SAYS_TOLD_PROCESSES, OF_ITSELF | ON_DEVICE, 0,
	    "Where several processes use one device, each has a context there (some hundreds of MiB), and what it allocates beside that, where TensorFlow takes nearly all that is free unless it is told otherwise "
	    "(allow_growth, per_process_gpu_memory_fraction): fewer of them on a device, or a bound for each, need less." },
	{ offsetof(struct oom_paste, summed), offsetof(struct oom_paste, splits), SAYS_TOLD_PROCESSES, OF_ITSELF | ON_DEVICE | NO_OTHER, 0, WHOLE_ON_EACH },
	{ offsetof(struct oom_paste, counted), offsetof(struct oom_paste, summed.line), SAYS_TOLD_PROCESSES, OF_ITSELF | ON_DEVICE | NO_OTHER, 0, WHOLE_ON_EACH },
	{ offsetof(struct oom_paste, by_growth), 0, SAYS_TOLD_PROCESSES, OF_ITSELF | ON_DEVICE, 0,
	    "Where it runs with that alone, TensorFlow had taken nearly all of the device for itself as it began, as it does unless it is told otherwise, and what asks for memory there beside that, another process or a library "
	    "(cuDNN, NCCL), found none." },
	{ offsetof(struct oom_paste, swapped), 0, SAYS_TOLD_SWAPPED, ON_MACHINE, 0,
	    "Where it runs with that alone, it needs more than the machine has, and swap is slow." },
	{ offsetof(struct oom_paste, limited), 0, SAYS_TOLD_LIMITED, ON_MACHINE, 0,
	    "Where that limit is what ended it, all that a container or pod runs has no more than that between them, whatever the machine has: a higher limit, or less at once, leaves room." },
	{ offsetof(struct oom_paste, small), offsetof(struct oom_paste, swapped.line), SAYS_TOLD_SMALL, ON_MACHINE, 0,
	    "Where it ran there, the system, other programs and all that the run has at once have no more than that between them: less at once, or a machine with more, leaves room." },
	{ offsetof(struct oom_paste, rays), offsetof(struct oom_paste, told.splats.line), SAYS_TOLD_RAYS, OF_ITSELF | ON_DEVICE | NO_OTHER, 0,
	    "Where pictures are made by rays through a scene, what layers make grows with the points on all rays that are given at once: " TRY BY_ANYTHING "fewer rays in a batch (N_rand)" TRY BY_PARTS "parts of them (chunk, netchunk)"
	    TRY BY_ANYTHING "fewer points on each" TRY BY_SAMPLES "pictures of lower resolution" TRY_END " take less." },
	{ offsetof(struct oom_paste, tasks), offsetof(struct oom_paste, penalty.line), SAYS_TOLD_TASKS, OF_ITSELF | ON_DEVICE, 0,
	    "Where weights are learnt through steps of learning (gradients of gradients, create_graph=True), the graph of each inner step, with all that its forward keeps, lies there until the outer backward, that of each task for as long as "
	    "its loss is held: fewer inner steps, backward for each task by itself, or the first order alone take less. Where it grows, weights that such a step made, or a loss, are held to the next (as attributes, on a list)." },
	{ offsetof(struct oom_paste, raised), 0, SAYS_TOLD_RAISED, OF_ITSELF, 0,
	    "Where nothing else was changed, what that makes larger is what had no room: as much of it as before, "
	    "or parts one after the other, need less." },
	{ offsetof(struct oom_paste, turned_on), 0, SAYS_TOLD_ADDED, OF_ITSELF, 0,
	    "Where the run is the same but for that, what it adds (weights, results that are kept, a second pass, what it works with) is what had no room: without it, or with less of "
	    "what was there before it (fewer samples at once, smaller ones), there may be." },
	{ offsetof(struct oom_paste, deprecated), offsetof(struct oom_paste, volatiles), SAYS_TOLD_DEPRECATED, OF_ITSELF | ON_DEVICE, TRACE_BACKWARD | TRACE_STEP,
	    "Where the program relies on volatile for its tests, and PyTorch is of 0.4 or later, gradients are on there, and autograd keeps what backward would need: torch.no_grad() around it takes its place." },
	{ offsetof(struct oom_paste, emptied), 0, SAYS_TOLD_EMPTIED, OF_ITSELF | ON_DEVICE, 0,
	    "Where that ended it, what filled the device held no tensor: empty_cache() gives back what PyTorch's allocator keeps of tensors that are gone, in pieces of the sizes that were asked for, and where "
	    "sizes differ from step to step (lengths, nodes, pictures) those add up; what another library or process asks for finds no room either. Sizes that are padded to a few, or, for PyTorch's own requests, segments that grow "
	    "(PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, on Linux) may spare it." },
	{ offsetof(struct oom_paste, ended_by), offsetof(struct oom_paste, emptied.line), SAYS_TOLD_ENDED, OF_ITSELF, 0,
	    "Where the run that went through differs from the one that failed in that alone, what it took away, let go of or made smaller had no room beside the rest." },
	{ offsetof(struct oom_paste, set_off), offsetof(struct oom_paste, less.line), SAYS_TOLD_ENDED, OF_ITSELF, 0,
	    "Where the run that went through differs from the one that failed in that alone, what is kept, made or read with that setting on is what had no room beside the rest: without it, or with less of the rest (fewer samples at once, smaller ones), "
	    "there is." },
	{ offsetof(struct oom_paste, set_aside), offsetof(struct oom_paste, less.line), SAYS_TOLD_ENDED, OF_ITSELF | ON_DEVICE, 0,
	    "Where the run that went through differs from the one that failed in that alone, what that keeps off the device is what had no room there beside the rest: as a rule it lies in the machine's memory then, and each use of it "
	    "takes longer." },
	{ offsetof(struct oom_paste, set_number), offsetof(struct oom_paste, less.line), SAYS_TOLD_ENDED, OF_ITSELF, 0,
	    "Where the run that went through differs from the one that failed in that alone, what that number is of is what had no room: as much of it at once as runs, or parts one after the other." },
	{ offsetof(struct oom_paste, other_data), 0, SAYS_TOLD_DATA, 0, 0,
	    "Where the run differs in its data alone from one that works, something of these is larger: the set, where it is read whole, its samples (pixels, length), what is "
	    "in one (boxes, points, nodes), or the number of classes, or of entities, words or users, each of which has a row of weights." },
	{ offsetof(struct oom_paste, pairs), 0, SAYS_TOLD_PAIRS, OF_ITSELF | NO_SHAPE, TRACE_ALL_PAIRS | TRACE_SCORES | TRACE_PAIRS,
	    "Where that has a number for each pair, it grows with the square of how many there are: half as many take a quarter. "
	    "Made in parts, one after the other, or by an operator that does not store it, it takes less." },
	{ offsetof(struct oom_paste, of_length), offsetof(struct oom_paste, less.line), SAYS_TOLD_LENGTH, OF_ITSELF | ON_DEVICE | NO_OTHER, TRACE_NO_BATCH,
	    "Where the run that failed had sequences as long as that, what its layers make, and what a model that writes keeps of "
	    "a text (keys and values), grows with the length, and a number for each pair of positions, where attention stores them, with its square: shorter ones take less." },
	{ offsetof(struct oom_paste, talk), offsetof(struct oom_paste, training), SAYS_TOLD_LENGTH, OF_ITSELF | ON_DEVICE | NO_OTHER, TRACE_BACKWARD | TRACE_STEP,
	    "Where a model of language answers there, all that was said so far is given to it again with each reply, or kept as keys and values, until it is cut: that grows with the conversation, and what is "
	    "computed at once with it. Then it runs again with a new conversation; a shorter history, or a smaller context, takes less." },
	{ offsetof(struct oom_paste, sizes), offsetof(struct oom_paste, habits.of[HABIT_SIZES].line), SAYS_TOLD_SIZES, OF_ITSELF | ON_DEVICE, 0,
	    "Where pictures change their size as the run goes on, some batches are larger than those before, and it may fail only at one of "
	    "them: one size, a lower bound, or fewer pictures at once take less." },
	{ offsetof(struct oom_paste, loading), 0, SAYS_TOLD_LOADING, EXPLAINED | OF_ITSELF | ON_DEVICE | OF_TORCH | OF_SAMPLES, TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP | TRACE_LOADING | TRACE_INITIAL,
	    "Where it failed while weights were put on the device, no step had begun, and the batch plays no part." },
	{ offsetof(struct oom_paste, lasts), 0, SAYS_TOLD_LONG, EXPLAINED | ONE_TENSOR | OF_SAMPLES, 0,
	    "Where what is given to the network at once is as long as that, its results grow with the length, "
	    "and a number for each pair of positions with its square: shorter pieces, one after the other, take less." },
	{ offsetof(struct oom_paste, told.graph), 0, SAYS_TOLD_GRAPH, EXPLAINED | ONE_TENSOR | OF_SAMPLES, 0,
	    "Where a network is given that graph as a whole, its layers keep numbers for each of its nodes and "
	    "edges, and a dense matrix has one for each pair of nodes: parts of it (sampled neighbours, clusters, subgraphs), one after the other, take less." },
	{ offsetof(struct oom_paste, draws), 0, SAYS_TOLD_DRAWS, OF_ITSELF | ON_DEVICE, 0,
	    "Where it failed as pictures are drawn beside training, to be looked at, that needs room of its own beside what training has by then: several pictures at once, all steps of a sampler, a decoder at full size. Fewer of them or smaller ones "
	    "(settings of the callback that logs them), or none, tell whether it is that." },
	{ offsetof(struct oom_paste, again), offsetof(struct oom_paste, ran_earlier), SAYS_TOLD_AGAIN, EXPLAINED | OF_ITSELF, 0,
	    "Where it fails only when something is made or run once more in one process, what the time before "
	    "made lies there still: names, lists and the last error's traceback hold it" IN_KERAS(", and TensorFlow and Keras keep functions, models and what optimizers "
	    "make in one graph (clear_session())") ". A process for each lets go of all of it." },
};

bool
autopsy_says_little(const struct oom_message *o)
{
	return !o->says || strcmp(o->says, BARE) == 0 || strcmp(o->says, NODE_LACKED) == 0;
}

static bool
is_of(const struct autopsy *y, const struct told_cause *s, bool explained)
{
	const struct oom_message *o = y->main;

	return (!(s->of & OF_ITSELF) || autopsy_says_little(o) || (s->kind == SAYS_TOLD_RAISED && o->kind == OOM_TOLD)) && (!(s->of & ON_DEVICE) || !o->host) &&
	    (!(s->of & ON_MACHINE) || o->host || ((o->kind == OOM_TOLD || oom_is_vague(o)) && !y->log.paste.told.device)) && (!(s->of & OF_TORCH) || autopsy_is_torch(o)) &&
	    (!(s->of & NO_SHAPE) || !o->shape.known) && (!(s->of & ONE_TENSOR) || autopsy_is_one_tensor(y)) &&
	    (!(s->of & OF_SAMPLES) || autopsy_is_of_samples(y)) && (!(s->of & NO_OTHER) || !y->causes.n || autopsy_is_of_samples(y)) &&
	    (!(s->of & EXPLAINED) || explained) && !(o->facts & s->unless);
}

#define NO_MACHINE	((int64_t)64 << 40)	/* has as much */

/* What several devices, or processes, take that one does not. */
static void
runs_on_one(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_message *o = y->main;
	bool words = o->kind == OOM_TOLD;

	if (!p->one_runs.line || p->first.line || y->module || y->budget.roomy || !autopsy_says_little(o) || (o->facts & (TRACE_PARALLEL | TRACE_BUCKETS)))
		return;
	if (o->host || (words && !p->told.device && (p->told.host || p->told.ram)))
		autopsy_cause(y, SAYS_TOLD_PROCESSES, arena_printf(y->arena, "L%s. Where each device has a process of its own, each of these may read weights and data for itself, so that the machine's memory comes to hold as many "
		    "copies as there are: read by one and handed on, mapped from a file (of weights safetensors, of arrays numpy.memmap), or in a part for each, they take less there.", autopsy_said(y, &p->one_runs) + 1));
	else if (autopsy_is_torch(o) || (words && !autopsy_is_of_another(y)))
		autopsy_cause(y, SAYS_TOLD_PROCESSES, arena_printf(y->arena, "L%s. Where it is the same run, with as much for each device, what several of them add is what had no room: buffers by which they exchange (as NCCL's, on Linux" IN_TRAINING("; in DistributedDataParallel buckets "
		    "as large as the gradients, which with gradient_as_bucket_view=True are the gradients' own memory") "), copies and results of the others on the first (DataParallel), or a part of the first that all processes have, where they are not told "
		    "their own (torch.cuda.set_device(), map_location).", autopsy_said(y, &p->one_runs) + 1));
}

/* "With 0.8 it is CUDA out of memory, with 0.6 it is killed by the OOM killer": the machine's
 * memory ended, too, beside what the message is of. */
static void
killed_beside(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	const struct oom_told *t = &y->log.paste.told;

	if (!o->host && o->kind != OOM_TOLD && o->kind != OOM_KERNEL && t->killed.line && t->by_system)
		autopsy_cause(y, SAYS_TOLD_KILLED, arena_printf(y->arena, "L%s. Where that was another run, or a process beside the one of the message, it was as a rule the " MACHINES ", that ended there: what is moved off a device, or is held there beside it, takes room of that.",
		    autopsy_said(y, &t->killed) + 1));
}

/* Is one request of the machine's memory more than any machine has that people tell of? */
static bool
is_beyond_ram(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return y->main->host && !y->main->limited && p->ram.line && y->lo > p->ram_gib << 30 && y->lo < NO_MACHINE;
}

static void
beyond_ram(struct autopsy *y)
{
	char human[SIZE_TEXT];

	if (is_beyond_ram(y))
		autopsy_cause(y, SAYS_TOLD_BEYOND, arena_printf(y->arena, "L%s. Where it ran there, the %s that were asked for in one piece are more than all of that machine's memory: what else has a part of it does not matter. "
		    "What is asked for has to be smaller (fewer samples, rows, columns or runs at once, fewer bytes each), or made in parts.", autopsy_said(y, &y->log.paste.ram) + 1, size_human(human, y->main->size[OOM_ASKED].known ? y->main->size[OOM_ASKED].bytes : y->lo)));
}

/* May each of several devices have all of a network that is large: is an adapter of one trained,
 * and nothing is named that splits weights? Of others their number tells more. */
static bool
is_copied(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	bool by_name = strstr(p->counted.words, "lora") || strstr(p->counted.words, "LoRA");	/* "finetune_x_lora on 8 cards" */

	return (autopsy_trains(y) || strstr(p->counted.words, "tun")) && (p->adapts || p->told.adapter.line || by_name) && !p->parted && !p->splits && !p->one_runs.line && !p->habits.of[HABIT_COPIED].line && !p->saving.line && !p->later.line && !p->evaluating.line && !p->resuming.line && !autopsy_is_tried(y, BY_SPLITTING);
}

/* Has the sentence on LINE, which says with what it ran, told more by another row? */
static bool
is_told_better(const struct oom_paste *p, size_t of, int line)
{
	if (of == offsetof(struct oom_paste, ended_by) || of == offsetof(struct oom_paste, emptied))
		return false;
	return line == p->ended_by.line || line == p->less.line || line == p->sizes.line || line == p->by_growth.line || line == p->one_runs.line;
}

/* Is that all of a set lies there told by other words of people, by what a network is for, or by a
 * row of autopsy_rows.c? */
static bool
is_whole_told(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_message *o = y->main;

	return (p->kept.line && !o->host) || p->cached.line || (p->domains[DOMAIN_FRAMES].line && !o->host) || (p->told.data.line && (o->host || (o->kind == OOM_TOLD && !p->told.device && !p->told.gpu)));
}

/* "32 GB of RAM" where a card is said elsewhere to have as much, and no line lists both: that may
 * be the card's own, which people call RAM, too. */
static bool
is_cards_own(const struct oom_paste *p)
{
	return p->ram.line && p->ram.line == p->small.line && p->card_told && p->card_told != p->ram.line && p->ram_gib == p->card_gib;
}

static void
causes_told(struct autopsy *y, bool explained)
{
	const char *paste = (const char *)&y->log.paste;
	size_t i;

	for (i = 0; i < sizeof(told_causes) / sizeof(*told_causes) && !y->module; i++) {
		const struct told_cause *s = &told_causes[i];
		const struct said *said = (const struct said *)(paste + s->said);
		const int *better = (const int *)(paste + s->better);

		if (s->kind == SAYS_TOLD_SMALL && (y->main->limited || (y->log.paste.app && !y->log.paste.nvidia && !y->log.paste.cuda) || y->main->kind == OOM_MPS || strcmp(y->main->who, "MPS") == 0))
			continue;		/* a limit that is less is what was reached */
		if (s->kind == SAYS_TOLD_LIMITED && strcmp(y->main->who, "Linux") == 0 && !y->main->limited)
			continue;		/* the kernel says that it was all of the machine's */
		if (s->kind == SAYS_TOLD_SMALL && (y->log.paste.spare.line || is_beyond_ram(y)))
			continue;		/* by the report there was room, or could not have been */
		if (s->kind == SAYS_TOLD_SMALL && is_cards_own(&y->log.paste))
			continue;
		if (s->said == offsetof(struct oom_paste, counted) && !is_copied(y))
			continue;
		if (s->kind == SAYS_TOLD_VERSION && autopsy_version_mended(y))
			continue;
		if (s->kind == SAYS_TOLD_LESS && said->line && said->line == y->log.paste.one_runs.line)
			continue;		/* fewer devices are no smaller run of each */
		if (s->said == offsetof(struct oom_paste, ended_by) && (said->line == y->log.paste.less.line || said->line == y->log.paste.more.line))
			continue;		/* that says so by itself */
		if (s->kind == SAYS_TOLD_ENDED && is_told_better(&y->log.paste, s->said, said->line))
			continue;
		if (s->said == offsetof(struct oom_paste, entire) && is_whole_told(y))
			continue;
		if (s->kind == SAYS_TOLD_SERVER && autopsy_is_of_server(y->main) && strcmp(y->main->who, "vLLM") != 0)
			continue;		/* another's options have such names, too */
		if (s->kind == SAYS_TOLD_SERVER && (autopsy_trains(y) || y->log.paste.images || y->log.paste.images_told))
			continue;		/* it writes texts for what is trained, beside that, or makes images */
		if (said->line && !(s->better && *better) && is_of(y, s, explained))
			autopsy_cause(y, s->kind, arena_printf(y->arena, "L%s. %s", autopsy_said(y, said) + 1, s->follows));
	}
}

#define NO_DEVICE	((int64_t)1 << 40)	/* nor a device */

/* Of less than no device has, where a card is named that has less. */
static void
beyond_card(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	char human[SIZE_TEXT];

	if (y->main->host || p->card_unknown || p->unified || p->mac || !p->card_most || p->absurd_bytes <= (int64_t)p->card_most << 30)
		return;
	autopsy_cause(y, SAYS_TOLD_ABSURD, arena_printf(y->arena, "L%s. Where one allocation was of that size, and asked of a card as line %d names one (%s), it is more than all of it, of which that kind has no more than %s: "
	    "what else was held does not matter, and what is asked for has to be smaller, or made in parts.", autopsy_said(y, &p->absurd) + 1, p->card_line, p->card_name, size_human(human, (int64_t)p->card_most << 30)));
}

static void
absurd_said(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	bool machine = p->absurd_bytes >= NO_MACHINE;

	if (!p->absurd.line || y->module || y->main->size[OOM_ASKED].known || y->main->shape.known)
		return;
	if (p->absurd_bytes < NO_DEVICE)
		beyond_card(y);
	else if (machine || !y->main->host)
		autopsy_cause(y, SAYS_TOLD_ABSURD, arena_printf(y->arena, "L%s. Where one allocation was of that size, %s has as much. Either the size itself is wrong, as when it is computed "
		    "from something that was never set, or runs over; or it is the product of extents that need not be multiplied, such as a number for each pair.",
		    autopsy_said(y, &p->absurd) + 1, machine ? "no machine" : "no single device"));
}

static void
array_said(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_message *o = y->main;
	char n[SIZE_TEXT];

	if (!p->array.line || y->module || o->size[OOM_ASKED].known || o->shape.known || (o->kind != OOM_TOLD && !o->host) || p->habits.of[HABIT_EXTENTS].line)
		return;
	autopsy_cause(y, SAYS_TOLD_ARRAY, arena_printf(y->arena, "L%s. Where that array was asked for, it takes %s, all at once. Where that is all of a data set, or a number for each sample and "
	    "each class or word (one-hot), batches that are made as they are used, the classes' own numbers, with a loss that takes those (sparse_categorical_crossentropy, CrossEntropyLoss), or "
	    "fewer bytes an element (dtype) take less.", autopsy_said(y, &p->array) + 1, size_human(n, p->array_bytes)));
}

/* Has a line of settings, of code or of a command told of the same batch? */
static bool
is_batch_said(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->reported.n && y->reported.v[i].kind != SAYS_BATCH_SAID; i++)
		;
	return i < y->reported.n && y->log.batch == y->log.paste.least_batch;
}

/* Do people say that a like run fits, or that it fails for something that comes later, or of
 * another memory? Then its batch tells little: what fits from its start, or did, is not too large
 * as it is. */
static bool
is_no_batch(const struct oom_paste *p)
{
	return p->fits || p->more.line || p->draws.line || p->saving.line || p->resuming.line || p->later.line || p->told.killed.line;
}

#define FEW_SAMPLES	4

/* With which batch it fails, where nothing else is known of it but figures. */
static void
batch_told(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	bool tried = p->least_batch > 1 && autopsy_is_tried(y, BY_BATCH), few = p->few_in_vain || (tried && p->least_batch <= FEW_SAMPLES);

	if (is_batch_said(y) || is_no_batch(p) || (tried && !few))
		return;
	if (!p->of_batch.line || p->less.line || (p->least_batch > 1 && !few && (p->ungraded.line == p->of_batch.line || p->evaluating.line == p->of_batch.line)) || p->raised.line == p->of_batch.line || p->again.line == p->of_batch.line || (p->grows.line && (p->least_batch > 1 || p->grows.line == p->of_batch.line)) || y->main->host || y->main->says || y->module || (y->main->facts & (TRACE_NO_BATCH | TRACE_FIRST)) ||
	    (y->causes.n && !autopsy_grows_with_samples(y)))
		return;
	autopsy_cause(y, SAYS_TOLD_BATCH, arena_printf(y->arena, "L%s. %s", autopsy_said(y, &p->of_batch) + 1, few && p->least_batch > 1 ?
	    "Where it fails with as few at once, too, one at a time is what takes least; where that fails as well, what one sample takes (by its pixels or length, and the network's size), or what no batch changes, such as weights, decides." :
	    p->least_batch > 1 ?
	    (p->images || p->images_told || p->inferring.line || autopsy_serves(y)) && !p->trains && !p->training ? "Where what failed had that batch, fewer at once take less: what is made of them grows with them in proportion, and weights do not." :
	    "Where the run that failed had that batch, fewer samples in it take less: what a step keeps of its results grows with "
	    "them in proportion; weights, gradients and the optimizer's numbers do not." :
	    p->grows.line ? "Where it fails with one sample at once, too, and before memory had grown, what one sample takes (by its pixels or length, and the network's size), or what no batch changes, such as weights, decides." :
	    "Where it fails with one sample at once, too, a smaller batch does not help: what one sample takes (by its pixels or length, and the network's size), or what no batch changes, such as weights, decides."));
}

#define SEVERAL_SAMPLES	8

/* The same beside memory that was enough for some steps: of texts, of which a language model's name
 * tells, the longest of a batch decides, and fewer in it put off what grows. What went through all
 * of them, an epoch, has seen the longest. */
static void
batch_grown(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if (!p->of_batch.line || p->least_batch < SEVERAL_SAMPLES || !p->later.line || p->grows.line == p->of_batch.line || p->millions <= 0 || strstr(p->of_batch.words, "poch") || p->grows_evenly || p->sorted || p->fits || p->more.line || p->less.line || p->resuming.line || p->told.killed.line || p->raised.line == p->of_batch.line ||
	    p->evaluating.line == p->of_batch.line || p->again.line == p->of_batch.line || y->main->host || !autopsy_says_little(y->main) || y->module || y->causes.n || is_batch_said(y) || autopsy_is_tried(y, BY_BATCH))
		return;
	autopsy_hint(y, SAYS_TOLD_BATCH, arena_printf(y->arena, "L%s. Where the run that failed had that batch, and texts differ in how long they are, the batch with the longest is what has no room, however many had: fewer texts in each take less, or a bound on "
	    "their length. Where something is kept from step to step, that is only put off.", autopsy_said(y, &p->of_batch) + 1));
}

#define MOST_BOARD	((int64_t)64 << 30)	/* bytes that a board has */

/* What is dropped of files lay in the one memory of a processor and a GPU. */
static void
cached_files(struct autopsy *y)
{
	int one = y->log.paste.jetson ? y->log.paste.jetson : y->log.paste.unified;

	if (one && y->log.paste.drops && !y->main->limited)
		autopsy_cause(y, SAYS_BOARD, arena_printf(y->arena, "Line %d drops the cache that the system keeps of files. Where the processor and the GPU have one memory, as line %d may tell, a program that asks what is "
		    "free may be told of that cache as taken, though the system gives it to who needs it: where it runs behind that, memory was there, and counted as taken.", y->log.paste.drops, one));
}

/* A board whose processor and GPU have one memory. */
static void
board(struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (!y->log.paste.jetson || o->limited || y->budget.total > MOST_BOARD || y->lo > MOST_BOARD)
		return;
	autopsy_cause(y, SAYS_BOARD, arena_printf(y->arena, "Line %d names a board of NVIDIA's. Where it ran there, the processor and the GPU have one memory, of which the system, a desktop and CUDA's own "
	    "libraries take a large part (a framework's may be a gigabyte or more). Fewer other programs, a smaller network or fewer pixels%s leave room on either; a swap "
	    "file holds what the processor has, not what the GPU uses.", y->log.paste.jetson, y->log.paste.few_bits || y->log.paste.many_bits || y->log.paste.llama ? "" : ", and weights in 16 bits"));
}

/* Is it of a framework with neither PyTorch's graphs nor Keras' models? */
static bool
is_of_others(const struct oom_message *o)
{
	return o->kind == OOM_ONNX || o->kind == OOM_CUPY || o->kind == OOM_XLA || o->kind == OOM_PADDLE;
}

/* Does memory grow with the length of what is given, by words that tell of no rise that goes on? */
static bool
grows_with_length(const struct oom_paste *p)
{
	static const char *const on[] = { "keep", "kept", "continu", "leak", "each", "every", "over ", "until", "never", "while", "during", "loop", "after", NULL };
	int i;

	for (i = 0; on[i] && !strstr(p->grows.words, on[i]); i++)
		;
	return p->by_length && !on[i] && !p->grows_evenly;
}

bool
autopsy_grows_there(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_message *o = y->main;
	int elsewhere = o->host ? p->grows_device : o->kind != OOM_TOLD || p->told.device ? p->grows_host : 0;

	return p->grows.line && !grows_with_length(p) && (elsewhere != p->grows.line || autopsy_is_near_ram(y));
}

#define MUCH_AT_ONCE	((int64_t)4 << 30)	/* bytes, which nothing small that is kept leads to */

static bool
asks_much(const struct oom_message *o)
{
	return o->size[OOM_ASKED].known && o->size[OOM_ASKED].bytes >= MUCH_AT_ONCE;
}

/* What holds the machine's memory from one step to the next: what reads videos, too, where a name
 * of that stands there. */
static const char *
films_held(const struct autopsy *y)
{
	const struct oom_knob *films = &y->log.paste.domains[DOMAIN_FILMS];

	return !films->line ? "results on lists, caches, or what loader processes hold" :
	    arena_printf(y->arena, "results on lists, caches, what loader processes hold, or videos that were opened and not closed, and their frames (line %d names %s)", films->line, films->name);
}

/* Is the message of a process of the machine's that got no more, or was ended: not of a part of it
 * with a bound of its own? */
static bool
is_ended(const struct oom_message *o)
{
	return o->host && !o->apart && !o->asserted && (o->kind == OOM_KERNEL || o->kind == OOM_MACHINE) && strcmp(o->says, BUS_ERROR) != 0 && strcmp(o->says, COMPILER_KILLED) != 0 && strcmp(o->says, COMPILER_ENDED) != 0;
}

/* Was one request more than there is at all, which nothing that is kept leads to? */
static bool
asks_for_all(const struct autopsy *y)
{
	return y->budget.total > 0 && y->lo > y->budget.total;
}

/* Does a cause that was told name that line already, as the one of a step of its own does? */
static bool
is_named_in_step(struct autopsy *y, const char *said)
{
	for (int i = 0; i < y->causes.n; i++)
		if (y->causes.v[i].kind == SAYS_OWN_STEP && strstr(y->causes.v[i].text, said))
			return true;
	return false;
}

/* People say that it failed after a time, and nothing in the log tells how far it had come. */
static void
late_told(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_message *o = y->main;

	if (!autopsy_fails_late(y) || autopsy_had_rounds(y) || autopsy_in_first_round(y) || p->grows.line || p->talk.line || p->saving.line || o->kind == OOM_TOLD || (o->says && !is_ended(o)) ||
	    asks_for_all(y) || (o->facts & (TRACE_LOADING | TRACE_NO_BATCH | TRACE_FIRST)))
		return;
	if (is_named_in_step(y, autopsy_said(y, &p->later)))
		return;
	autopsy_cause(y, SAYS_TOLD_WORDS, arena_printf(y->arena, "L%s. Where it failed after a time, or now and then, as much had room before, and what is more came since: something that is kept from one round to the next "
	    "(results on lists, caches%s), a round with more in it than those before%s.", autopsy_said(y, &p->later) + 1, o->host ? WITH_LOADER(", what loader processes hold") : HAS_TRAINED(IN_TORCH(UNLESS_NUMBERS("; sums of losses with their graph"))),
	    o->host ? ", or a phase that needs more" : ", a phase that needs more, or another process"));
}

/* What people say of the time when it failed. Of a message that is not explained autopsy_likely.c
 * makes more of it. */
void
autopsy_words(struct autopsy *y, bool explained)
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_message *o = y->main;

	batch_told(y);
	batch_grown(y);
	beyond_ram(y);
	runs_on_one(y);
	killed_beside(y);
	causes_told(y, explained);
	autopsy_counts(y);
	absurd_said(y);
	array_said(y);
	board(y);
	cached_files(y);
	if (explained && autopsy_grows_there(y) && !p->shapes.line && (!o->says || is_ended(o)) && o->kind != OOM_TOLD && (p->grew || !asks_much(o)))
		autopsy_cause(y, SAYS_TOLD_WORDS, arena_printf(y->arena, "L%s. Where memory grows evenly from step to step, "
		    "something is kept from one to the next, as %s.%s", autopsy_said(y, &p->grows) + 1, o->host ? films_held(y) : is_of_others(o) ? "results on lists, caches, or objects that are made anew in each round and never let go of" : "results on lists" HAS_TRAINED(IN_TORCH("; in PyTorch " UNLESS_NUMBERS("losses that are added with their graph (loss.item() adds the number "
		    "alone), ") "a graph that backward is told to keep" WITH_GRADIENTS(", validation or inference with gradients on"))) HAS_NOT_TRAINED(WITH_GRADIENTS("; in PyTorch validation or inference with gradients on")) IN_KERAS("; in Keras models that are made anew "
		    "in each round (clear_session() is to let go of the earlier)"),
		    o->host ? "" : UNEVENLY(" Where it grows by leaps, samples come that are larger, or have more in them, than those before.")));
	if (explained)
		late_told(y);
	if (explained && p->evaluating.line && !o->host && !o->says && !o->shape.known && !y->validation && !y->module && !o->function[0] && autopsy_is_one_tensor(y) && y->budget.allocated >= 0 && y->budget.allocated < y->budget.total / 2 &&
	    !(o->facts & (TRACE_BACKWARD | TRACE_STEP | TRACE_NO_BATCH)))
		autopsy_cause(y, SAYS_TOLD_WORDS, arena_printf(y->arena, "L%s. By the message tensors had less than half of the device. Where it failed in validation or tests, one request as large as that is of what is worked on there at once, "
		    "rather than of what is kept: a picture or volume of full size, where training has crops, with a number for each of its pixels and classes, a comparison with all that there is (entities, words, boxes), or all results so far, joined. "
		    "Smaller ones, parts (tiles, windows) one after the other, or fewer at once take less.", autopsy_said(y, &p->evaluating) + 1));
	else if (explained && p->evaluating.line && o->kind == OOM_PADDLE && !o->host && !y->validation && !y->module && !(o->facts & (TRACE_BACKWARD | TRACE_STEP | TRACE_NO_BATCH)))
		autopsy_cause(y, SAYS_TOLD_WORDS, arena_printf(y->arena, "L%s. Where it failed in validation or tests, pictures or texts may be whole there that training crops or cuts, whatever the batch and the crop of training: "
		    "smaller ones, or windows of them one after the other, take less.", autopsy_said(y, &p->evaluating) + 1));
	else if (explained && p->evaluating.line && !p->no_grad && !o->host && !y->validation && autopsy_is_torch(o) && y->budget.allocated >= 0 &&
	    (y->budget.total <= 0 || y->lo <= y->budget.total) && !o->function[0] && !(o->facts & (TRACE_NO_GRAD | TRACE_TRAINER | TRACE_BACKWARD | TRACE_STEP | TRACE_NO_BATCH)))
		autopsy_cause(y, SAYS_TOLD_WORDS, arena_printf(y->arena, "L%s. Where it failed in validation or tests, and "
		    "torch.no_grad() does not stand around that, autograd keeps all that forward makes, as if to train on it, and "
		    "results that are kept hold it from batch to batch.%s", autopsy_said(y, &p->evaluating) + 1, y->budget.total > 0 && y->hi >= y->budget.total / LARGE_PART ?
		    " The one request that failed is a large part of the device, and of one batch: pictures, volumes or texts may be whole there that training crops or cuts, whatever the batch. "
		    "Smaller ones, or windows of them one after the other, make that smaller." : ""));
}

/* Where nothing is known but figures, what people say of their pictures is the sign of it. */
void
autopsy_pictures_said(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	bool stranger = autopsy_tells_no_network(p);

	if (p->later.line || p->grows.line || p->media.line || p->fits || p->same_size || (y->log.images && y->log.images_line == p->said_line))
		return;		/* the size of a picture is the same from the first one on, and a film has more than that */
	if ((y->causes.n && !autopsy_is_of_samples(y)) || y->module || y->main->says || p->said_high * p->said_wide < MANY_PIXELS || p->loading.line || p->told.splats.line ||
	    p->rays.line || p->scenes || autopsy_is_tried(y, BY_SAMPLES))
		return;		/* nor is a picture a network's where rays are followed */
	autopsy_cause(y, SAYS_TOLD_PICTURES, arena_printf(y->arena, "Line %d has the extents %lld x %lld. Where pictures of that size are %s, "
	    "%.1f million pixels each, %s with them: crops, tiles one after the other, or half of each "
	    "side, which takes a quarter, need less" UNTRIED(BY_BATCH, ", and so do fewer at once") ".", p->said_line, (long long)p->said_high,
	    (long long)p->said_wide, stranger ? "worked on as a whole" : "given to a network as they are", (double)p->said_high * (double)p->said_wide / 1e6,
	    stranger ? "what is made of them grows" : "results of its layers grow"));
}
