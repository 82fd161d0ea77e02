/*
 * What was pasted beside the log says of the cause: lines of code, a model's name, Darknet's
 * configuration and nvidia-smi's list of processes. Code is read without what stands around it, so
 * all of it is said as a condition.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "oom/oom_keep.h"
#include "oom/oom_says.h"

#define MOVE_NEAR	3	/* lines between a line of code and the message that speaks of it */
#define MOVE_BEHIND	8	/* or behind a message, where people show it by itself */
#define READ_AHEAD	15	/* lines from what reads weights to what ended it */
#define WORTH_NAMING	((int64_t)1 << 29)	/* bytes of a process that may be in the way */

/* ---- code ---- */

/* Did a PyTorch say that, in which volatile has no effect? It has had such words since then. */
static bool
is_since_04(const struct oom_message *o)
{
	return o->kind == OOM_PYTORCH && o->size[OOM_ASKED].known;
}

const char *
autopsy_or_volatile(const struct autopsy *y)
{
	return y->log.paste.volatiles && !is_since_04(y->main) ? arena_printf(y->arena, " (before PyTorch 0.4, volatile as on line %d)", y->log.paste.volatiles) : "";
}

/* Where people show behind a message of a full device, by itself, the line that puts a network on
 * it. */
static void
moved_behind(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_message *o = y->main;
	int line = p->moves > p->moves_traced ? p->moves : p->moves_traced;

	if (o->kind != OOM_PYTORCH || line == p->habits.of[HABIT_REGATHERED].line || line <= o->last || line - o->last > MOVE_BEHIND || p->later.line || p->grows.line || autopsy_trains(y) || y->budget.total <= 0 ||
	    y->budget.allocated < y->budget.total / 10 * 8 || (o->facts & (TRACE_LATE | TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP | TRACE_LOADING)))
		return;
	autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d puts a network on the device. Where it failed there, no step had begun, and no batch matters: weights alone are more than is free." UNTRIED(BY_OFFLOADING, " A "
	    "part of them in the machine's memory (offloading)" UNTRIED(BY_BITS, ", or fewer bits") ", takes less there."), line));
}

static void
code(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if ((!autopsy_may_be_torch(y) && y->main->kind != OOM_OTHER && y->main->kind != OOM_KERNEL) ||
	    (y->main->facts & TRACE_NO_BATCH))
		return;
	if (p->sums)
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d adds a loss to a sum, %s. Where that is the tensor and not its "
		    "number, gradients are on, and it is neither begun anew in each step nor what backward is called on, the sum holds the graph of "
		    "every step that went into it, with what forward keeps where backward has not freed that, and grows from step to step: loss.item(), or "
		    "loss.detach(), adds the number alone.", p->sums, p->sum));
	if (p->rounds)
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d adds up what a network or a criterion gives in a loop, and line %d calls backward on the sum %s. Where each round "
		    "runs the network anew, what forward keeps of all of them lies there until then: backward in each round makes the same gradients, with room for "
		    "one.", p->rounds, p->rounds_end, p->in_some ? "in some rounds alone" : "behind it"));
	if (p->lists)
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d puts results on a list as they are. Where they are tensors of the "
		    "device they stay there, with the graph that made them where gradients are on, and grow from batch to batch: "
		    ".detach().cpu() lets them go.", p->lists));
	if (p->copies && !p->no_grad)
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d keeps results that it copies to the machine's memory. Where gradients "
		    "are on, such a copy still holds the graph that made it, with all that forward keeps on the device, and that "
		    "grows from batch to batch: .detach() first, or torch.no_grad() around it, lets go of that.", p->copies));
	if (p->all_moved && !y->main->host)
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d puts all samples on the device, by their name. Where they are that, and no batch, they "
		    "lie there whole, beside what a step needs; moved batch by batch, as a DataLoader gives them, a part of that does.", p->all_moved));
	if (p->all_run)
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d gives a network all samples at once, by their name: where they are that, results of its "
		    "layers grow with them, and what forward keeps for backward does where gradients are on. Batches take a part of "
		    "that.", p->all_run));
	if (p->volatiles && !p->no_grad && is_since_04(y->main) && !(y->main->facts & (TRACE_BACKWARD | TRACE_STEP)))
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d sets volatile, which has had no effect since PyTorch 0.4, and the "
		    "message is of a later one. Where that code ran, what it was to switch off is on, so autograd keeps what backward would need. "
		    "torch.no_grad() takes its place.", p->volatiles));
	else if (p->older && p->newer && !p->no_grad && !(y->main->facts & (TRACE_BACKWARD | TRACE_STEP)))
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "%s of PyTorch 0.3 and 0.4. Where code for the one runs in the other: volatile=True, by which code for "
		    "the older switches gradients off in evaluation, has had no effect since 0.4, so that autograd keeps what "
		    "backward would need there. torch.no_grad() takes its place.", p->older == p->newer ?
		    arena_printf(y->arena, "Line %d speaks", p->older) :
		    arena_printf(y->arena, "Lines %d and %d speak", p->older, p->newer)));
	if (p->moves && y->main->kind == OOM_CUDA && !y->main->says && !(y->main->facts & (TRACE_LATE | TRACE_FORWARD | TRACE_BACKWARD)) &&
	    p->moves - y->main->last <= MOVE_NEAR && y->main->line - p->moves <= MOVE_NEAR)
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d puts a network on the device. Where it failed there, before any step, no "
		    "batch matters: as a rule another process has the device, which " LISTER " lists, or another index than meant "
		    "was given (CUDA_VISIBLE_DEVICES); else weights alone are more than is free.", p->moves));
	moved_behind(y);
	if (p->converts_there && !y->main->host && !(y->main->facts & (TRACE_LATE | TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP)))
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d puts a network on the device and makes numbers of 16 bits of its weights there. Where they were read in float32, they take twice as much room on it "
		    "first: made so ahead of that, or read so (torch_dtype, now dtype), they do not.", p->converts_there));
	if (p->stores && !p->no_grad)
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d puts results into a tensor of the device, %s. Where gradients are on, that "
		    "holds the graph of each, with all that forward keeps, and grows from round to round: .detach(), or "
		    "torch.no_grad() around it, lets go of that.", p->stores, p->store));
	if (p->whole)
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d names a full batch. Where that is of this run, and all of a graph, or of a data set, what "
		    "layers keep grows with all of its nodes or samples. Parts (neighbours that are sampled, clusters, batches), or fewer and "
		    "narrower layers, take less.", p->whole));
	if (p->keeps && !(y->main->facts & TRACE_RETAINS))
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d tells backward to keep the graph (retain_graph). Where that code ran, what forward keeps then "
		    "stays as long as the loss is held, and where several losses go through one network, until the last. One "
		    "backward of their sum, or torch.autograd.grad() of what is asked for, needs none of that.", p->keeps));
	if (p->evaluates && p->runs && !p->no_grad && !(y->main->facts & (TRACE_NO_GRAD | TRACE_BACKWARD | TRACE_STEP)))
		autopsy_cause(y, SAYS_CODE, arena_printf(y->arena, "Line %d sets a network to evaluation, line %d runs it, and torch.no_grad() was "
		    "not found in what was read. eval() changes what layers do, not what is kept: unless no_grad%s or inference_mode stands around that, "
		    "autograd keeps what backward would need, as if to train on it.", p->evaluates, p->runs, autopsy_or_volatile(y)));
}

/* Is what reads weights near a message, or its bar the last that the log has of them? */
static bool
is_read_near(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	int line = y->main->line, last = y->main->last > line ? y->main->last : line;

	return p->loads && (p->loads_halted == p->loads || (p->loads >= line - READ_AHEAD && p->loads <= line + READ_AHEAD) || (p->loads >= last - READ_AHEAD && p->loads <= last + READ_AHEAD));
}

/* Weights that were being read when a process was ended, or that pasted code reads. */
static void
reading(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	bool typed = p->types && (p->types == p->loads || p->types == p->loads_model) && !p->quantizing;

	if (!is_read_near(y) || (y->main->kind != OOM_KERNEL && !(y->main->kind == OOM_TOLD && y->main->host && p->told.killed.line)) || (y->main->facts & (TRACE_LOADING | TRACE_CHECKPOINT)))
		return;
	autopsy_cause(y, SAYS_READING, arena_printf(y->arena, "Line %d may read weights, or an optimizer's numbers. Where it does, those of a file and the run's own may lie in the machine's memory "
	    "together%s" WITH_PARTS(", and where there are several processes, those of each") ": %s or map_location on the device take less there.", p->loads,
	    typed ? "" : ", a model's in float32 unless it is told otherwise", typed ? "safetensors, low_cpu_mem_usage=True in transformers," :
	    "a file in 16 bits, safetensors, torch_dtype and low_cpu_mem_usage=True in transformers,"));
}

/* ---- configurations, and lists ---- */

static void
darknet(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const char *size = p->width && p->height ? arena_printf(y->arena, " of %lld x %lld", (long long)p->width,
	    (long long)p->height) : "";
	int64_t at_once;

	if (p->parts <= 0 || p->batch < p->parts || strcmp(y->main->who, "Darknet") != 0)
		return;
	at_once = p->batch / p->parts;
	autopsy_cause(y, SAYS_DARKNET, arena_printf(y->arena, "Where the settings at line %d are the run's (batch %lld, subdivisions %lld), %lld picture%s%s %s "
	    "computed at once.%s%s", p->parts_line, (long long)p->batch, (long long)p->parts, (long long)at_once, at_once > 1 ? "s" : "", size,
	    at_once > 1 ? "are" : "is", at_once > 1 ? " More subdivisions make them fewer." : " A smaller width and height takes less.",
	    p->parts_again ? arena_printf(y->arena, " Of two in one section Darknet takes the first, and line %d's has no effect.", p->parts_again) : ""));
}

/* The same where nothing is trained. */
static void
darknet_tests(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if (p->detects > 0 && !p->trains && strcmp(y->main->who, "Darknet") == 0)
		autopsy_cause(y, SAYS_DARKNET_TESTS, arena_printf(y->arena, "Line %d has Darknet look at pictures, by its words. Where that is what failed, nothing was trained: random plays no part, and a picture at a "
		    "time is enough (batch=1, subdivisions=1 in the .cfg). What is left grows with width and height there, and with the network: smaller ones, or one with fewer layers (a -tiny .cfg), take "
		    "less, unless another process has the device.", p->detects));
}

/* CUDA.jl's own message comes after it has run the collector; a library's does not. */
static void
collector(struct autopsy *y)
{
	if (!y->log.paste.julia || strcmp(y->main->who, "CUDA.jl") == 0)
		return;
	autopsy_cause(y, SAYS_COLLECTOR, arena_printf(y->arena, "Line %d is of Julia, by its words. Its arrays of the device are freed when its collector has found them, "
	    "and that looks at the machine's memory: what no program holds any longer may still lie there. GC.gc() and "
	    "CUDA.reclaim() from time to time tell whether it is that.", y->log.paste.julia));
}

#define CONTEXT_MOST	((int64_t)1 << 30)	/* bytes of a process that may be a context alone */

/* Processes that have a context, or little more, on GPU, and more on another. */
static void
contexts(struct autopsy *y, int gpu)
{
	const struct oom_paste *p = &y->log.paste;
	int64_t bytes = 0;
	char all[SIZE_TEXT];
	int i, k, n = 0;

	for (i = 0; i < p->held_count; i++) {
		for (k = 0; k < p->held_count; k++)
			if (k != i && p->held_by[k].process == p->held_by[i].process && p->held_by[k].gpu != gpu && p->held_by[k].bytes > p->held_by[i].bytes)
				break;
		if (k < p->held_count && p->held_by[i].gpu == gpu && p->held_by[i].bytes <= CONTEXT_MOST) {
			n++;
			bytes += p->held_by[i].bytes;
		}
	}
	if (n > 0)
		autopsy_cause(y, SAYS_LISTED_CONTEXTS, arena_printf(y->arena, "nvidia-smi's list (line %d and others) has %d process%s on GPU %d with %s in all, of which each has more on another GPU. Where that is what "
		    "CUDA makes for a process on a device that it uses at all, torch.cuda.set_device() with its own rank ahead of all else, CUDA_VISIBLE_DEVICES for each process, and "
		    "map_location in torch.load keep it off.", p->holder_line, n, n > 1 ? "es" : "", gpu, size_human(all, bytes)));
}

/* Do people say that memory grows, beside a list with a process, and no more, on each of several
 * devices? Then these are the run's own. */
static bool
lists_itself(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	int i, cards = 0;

	for (i = 0; i < PASTE_CARDS && p->holders[i] < 2; i++)
		cards += p->holders[i];
	return i == PASTE_CARDS && cards > 1 && y->main->kind == OOM_TOLD && p->grows.line;
}

static void
process(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	char bytes[SIZE_TEXT], all[SIZE_TEXT];
	int gpu = y->main->gpu >= 0 ? y->main->gpu : p->holder_gpu;

	if (p->holder_bytes == 0 && p->plain_list.n > 1)
		autopsy_cause(y, SAYS_LISTED_PROCESS, arena_printf(y->arena, "The list on lines %d to %d has %d processes, with %s in all. Where that is of the device on which it failed, and they are not the run's own, they leave it no more than the rest: of what has "
		    "ended its work, the process has to end, too, or to let go of what it holds, and those that are needed have to fit together.", p->plain_list.first, p->plain_list.last, p->plain_list.n, size_human(all, p->plain_list.bytes)));

	if (p->holder_bytes < WORTH_NAMING || lists_itself(y))
		return;
	contexts(y, y->main->gpu >= 0 ? y->main->gpu : 0);
	if (gpu >= 0 && gpu < PASTE_CARDS && gpu == p->holder_gpu && p->holders[gpu] > 1) {
		autopsy_cause(y, SAYS_LISTED_PROCESS, arena_printf(y->arena, "nvidia-smi's list has %d processes on GPU %d, with %s in all, the largest of them %s with %s "
		    "on line %d. Where the run was on that device, and they are not its own, they are in its way; where they are, each has its own copy of what it puts there.", p->holders[gpu], gpu, size_human(all, p->held[gpu]), visible_text(y->arena, p->holder),
		    size_human(bytes, p->holder_bytes), p->holder_line));
		return;
	}
	if (p->holder_gpu >= 0 && y->main->gpu >= 0 && p->holder_gpu != y->main->gpu)
		autopsy_cause(y, SAYS_LISTED_PROCESS, arena_printf(y->arena, "nvidia-smi's list has %s with %s on line %d, on GPU %d, and the message is of "
		    "GPU %d: unless they are one (CUDA counts those alone that CUDA_VISIBLE_DEVICES leaves, and may count in another order), it is not in the way.",
		    visible_text(y->arena, p->holder), size_human(bytes, p->holder_bytes), p->holder_line, p->holder_gpu, y->main->gpu));
	else
		autopsy_cause(y, SAYS_LISTED_PROCESS, arena_printf(y->arena, "nvidia-smi's list has %s with %s on line %d%s. Where the run was on that device, and this is "
		    "another, it is in its way; where it is the run, that took it itself.", visible_text(y->arena, p->holder),
		    size_human(bytes, p->holder_bytes), p->holder_line, p->holder_gpu < 0 ? "" : arena_printf(y->arena, ", on GPU %d", p->holder_gpu)));
}

/* What a container may have, whose process was ended by signal 9, or that is told to be
 * OOMKilled. */
static void
container(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_message *o = y->main;
	void (*say)(struct autopsy *, enum autopsy_says, const char *) = p->grows.line ? autopsy_hint : autopsy_cause;	/* what grows has a cause of its own */

	if ((!p->docker && !p->kubernetes && !p->spared) || !o->host || o->limited)
		return;
	if (!(o->kind == OOM_TOLD && p->told.killed.line) && (o->kind != OOM_KERNEL || !o->says || (strcmp(o->says, SIGNAL_9) != 0 && strcmp(o->who, "container") != 0)))
		return;
	if (p->kubernetes)
		say(y, SAYS_DOCKER, arena_printf(y->arena, "Line %d names %s. Where a container of a pod ended so, it had no more than its limit (resources.limits.memory, or what its namespace gives where it says none), or its node had no "
		    "more: kubectl describe pod tells OOMKilled, or why else it ended, and more there, or less at once, helps.", p->kubernetes, p->pods ? "pods" : "Kubernetes"));
	else if (p->spared)
		say(y, SAYS_DOCKER, arena_printf(y->arena, "Line %d has OOMKilled false. Where that is of the container that ended, Docker saw nothing in it ended for its own limit of memory, and a higher one does not help: "
		    "where it was the memory of the whole machine, on a Mac or Windows of Docker Desktop's, the kernel's log (dmesg) there says so.", p->spared));
	else
		say(y, SAYS_DOCKER, arena_printf(y->arena, "Line %d names Docker. Where a container ended so, it had no more than its limit (--memory, a limit in its compose file), and on a Mac or Windows all "
		    "containers together no more than Docker Desktop's settings give its machine: docker inspect tells OOMKilled, and more there, or less at once, helps.", p->docker));
}

/* What an app of iOS may have, by Xcode's message or beside words alone. */
static void
app(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	bool said = strcmp(y->main->who, "Xcode") == 0;

	if (!said && (!p->app || y->main->kind != OOM_TOLD || p->nvidia || p->cuda || p->told.device))
		return;			/* what such a device is named for is something else then, as pictures that it took */
	autopsy_cause(y, SAYS_APP, arena_printf(y->arena, "%s%sWeights in fewer bits, and parts of a model that are loaded one after the other, need less; so do, of Core ML, %s, and, of ml-stable-diffusion, %sreduceMemory.",
	    said ? arena_printf(y->arena, "Line %d says that the app was ended. ", y->main->line) : arena_printf(y->arena, "Line %d names iOS or iPadOS, or a device of theirs. Where an app was ended there, as a rule it had come to as much memory as the system gives one app, which is less than the device has; where it ended others, too, the device itself had no more. ", p->app),
	    p->app_raised ? "" : "The entitlement com.apple.developer.kernel.increased-memory-limit raises what an app may have where the device has more. ",
	    p->app_neural ? "a model that was converted for the units that run it (SPLIT_EINSUM for the Neural Engine)" : "the Neural Engine in place of the GPU (cpuAndNeuralEngine, with a model that was converted for it, SPLIT_EINSUM)",
	    p->app_chunks ? "" : "its network in chunks (--chunk-unet) and "));
}

/* What a system within Windows may have. */
static void
wsl(struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (!y->log.paste.wsl || !o->host || o->limited || (o->kind != OOM_KERNEL && o->kind != OOM_TOLD && o->kind != OOM_MACHINE && o->kind != OOM_NUMPY && o->kind != OOM_PYTORCH_CPU))
		return;
	if (y->log.paste.vmmem && y->log.paste.wsl_full)
		autopsy_cause(y, SAYS_WSL, arena_printf(y->arena, "Line %d names the process that Windows has for WSL's machine, and line %d may be .wslconfig's, which bounds it: so much all that runs there has between it, with files that its system "
		    "keeps while there is room, and Windows counts them all. Less at once, or a higher bound, leaves room.", y->log.paste.vmmem, y->log.paste.wsl_bound));
	else if (y->log.paste.vmmem)
		autopsy_cause(y, SAYS_WSL, arena_printf(y->arena, "Line %d names the process that Windows has for WSL's machine. Where that has what is missing elsewhere, memory= in .wslconfig bounds it once wsl --shutdown has ended it; where it has more than "
		    "is said there, as a rule that file was not read: it has to lie in the user's own folder of Windows, as plain text (UTF-8), with [wsl2] ahead of the setting.", y->log.paste.vmmem));
	else
		autopsy_cause(y, SAYS_WSL, arena_printf(y->arena, "Line %d names WSL. Where the run was within it, it may have a part of the machine's memory alone, as a rule half of it where memory= in .wslconfig "
	    "says nothing else: more there, and wsl --shutdown ahead of the next run, or less at once, help.", y->log.paste.wsl));
}

/* A driver that cannot be used, whatever is free. */
static void
mismatch(struct autopsy *y)
{
	if (y->log.paste.mismatch && y->main->kind == OOM_CUDA && !y->main->size[OOM_ASKED].known)
		autopsy_cause(y, SAYS_MISMATCH, arena_printf(y->arena, "Line %d says that the driver and its library do not fit each other, or that the driver does not answer, as after an "
		    "update. Where that was so when it failed, no program could use the device, however much of it was free: a restart, or a driver of the version "
		    "that the library asks for, mends that.", y->log.paste.mismatch));
}

void
autopsy_paste_causes(struct autopsy *y)
{
	autopsy_weights(y);
	code(y);
	autopsy_habits(y);
	autopsy_knobs(y);
	autopsy_libraries(y);
	autopsy_switches(y);
	reading(y);
	container(y);
	app(y);
	wsl(y);
	if (y->main->host)
		return;
	mismatch(y);
	collector(y);
	darknet(y);
	darknet_tests(y);
	process(y);
}
