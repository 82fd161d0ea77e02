/*
 * What the place where memory ended says of the cause: the traceback's calls and line of code
 * (oom/oom_trace.h), and what ggml and XLA say a buffer is for. What a place does not show, such as
 * whether torch.no_grad() stands within a function, is said as a condition.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "autopsy/autopsy_place_rows.h"
#include "base/text.h"

#define CAPTURE_NEAR	40	/* lines between what is said of capturing and the failure */
#define BAR_AHEAD	5	/* lines from a bar of progress to what ended it */
#define BY_TRACE	"By the traceback"	/* as causes begin that calls tell, */
#define BY_CODE	"The line of code"		/* or a line of theirs; */
#define WHERE_CODE	"Where the code at the message is what failed,"	/* and as they do where no traceback says that it ran */

bool
autopsy_is_torch(const struct oom_message *o)
{
	return o->kind == OOM_PYTORCH || (o->kind == OOM_MPS && strcmp(o->who, oom_kind_name(OOM_MPS)) == 0) || o->kind == OOM_PYTORCH_CPU ||
	    (o->kind == OOM_CUDA && (strcmp(o->who, "CUDA") == 0 || strcmp(o->who, "HIP") == 0 ||
	    strncmp(o->who, "PyTorch", 7) == 0));
}

bool
autopsy_is_driver(const struct oom_message *o)
{
	return o->kind == OOM_CUDA && o->size[OOM_ASKED].known &&
	    (strcmp(o->who, oom_kind_name(OOM_CUDA)) == 0 || strcmp(o->who, "HIP") == 0);
}

/* One more cause: the place where it failed is known by a traceback; a line of code without one may
 * be another. */
static void
place_cause(struct autopsy *y, enum autopsy_says kind, const char *text)
{
	bool by_code = strncmp(text, BY_CODE, strlen(BY_CODE)) == 0;
	const char *rest = by_code ? text + strlen(BY_CODE) : strncmp(text, BY_TRACE, strlen(BY_TRACE)) == 0 ? text + strlen(BY_TRACE) : NULL;

	if (rest && !by_code && y->main->kind == OOM_TOLD)
		text = arena_printf(y->arena, BY_TRACE ", whose own error is not there,%s", rest);
	autopsy_cause(y, kind, rest && !y->main->traced ? arena_printf(y->arena, "%s%s%s", WHERE_CODE, by_code ? " it" : "", rest) : text);
}

/* What else has a device where what is put there is little. */
#define OTHERS_THERE	"something else had it: other models of this process or results of theirs" UNTRIED(BY_ALONE, ", another process, which " LISTER " lists") ", or it is another device "	\
    "than was meant (CUDA_VISIBLE_DEVICES)."

static void
loading(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	const struct budget *b = &y->budget;
	char had[SIZE_TEXT], all[SIZE_TEXT];

	if ((o->facts & TRACE_CHECKPOINT) && (o->facts & TRACE_STATE))
		place_cause(y, SAYS_LOADING, "By the traceback it failed where an optimizer takes what a file has of it (load_state_dict). Older versions of PyTorch "
		    "copy all of that first, and where the file was read to the device, it lies there twice beside the model: read with "
		    "map_location=\"cpu\", and let go of (del) before the first step, it takes its room once. The batch plays no part.");
	else if (o->facts & TRACE_CHECKPOINT)
		place_cause(y, SAYS_LOADING, "By the traceback it failed in torch.load, which puts the tensors of a file "
		    "back on the device that they were saved from, or that map_location names, beside what is there: "
		    "map_location=\"cpu\" leaves them in the machine's memory.");
	else if ((o->facts & (TRACE_LOADING | TRACE_INITIAL)) && o->kind == OOM_TENSORFLOW)
		place_cause(y, SAYS_LOADING, "By the traceback it failed where weights get their values, not in a "
		    "step: the batch plays no part.");
	else if ((o->facts & TRACE_LOADING) && !(o->facts & (TRACE_FORWARD | TRACE_LATE | TRACE_GATHERS)))
		place_cause(y, SAYS_LOADING, arena_printf(y->arena, "By the %s it failed while weights were put on "
		    "the device or converted there%s, not in a step, where a batch would need room%s.%s", o->of_weight ? "name on its line" : "traceback", o->of_weight ? ", or an adapter was merged into them" : "", b->total > 0 && b->allocated >= 0 ? arena_printf(y->arena,
		    ", and this process's tensors had %s of the device's %s by then%s",
		    size_human(had, b->allocated), size_human(all, b->total), b->allocated < b->total / 2 ? "" :
		    ", this model's own or those of others that were made before in the same process (trials, cells of a notebook), which "
		    "have to be let go of first") : "", o->kind == OOM_CUDA && !o->says ?
		    " Where they are far less than it has, " OTHERS_THERE : ""));
	else if ((o->facts & TRACE_INITIAL) && !(o->facts & (TRACE_FORWARD | TRACE_LATE)))
		place_cause(y, SAYS_LOADING, arena_printf(y->arena, "By the traceback it failed where a layer of PyTorch is made, and its weights with it, whose size no "
		    "batch changes.%s", o->kind == OOM_CUDA && !o->says ?
		    " Where that was ahead of the first step, and they are far less than the device has, " OTHERS_THERE : ""));
	else if (o->constructed && !(o->facts & ~TRACE_LATE) && autopsy_is_torch(o))
		place_cause(y, SAYS_CONSTRUCTED, "By the traceback it failed while an object was made (__init__). Where that was ahead of the first step, as of a trainer or a network, what is put on the device is weights, or data as a whole, and no batch plays a part: a smaller network takes "
		    "less. Where what is made is far less than the device has, " OTHERS_THERE);
	if ((o->facts & TRACE_FIRST) && !(o->facts & TRACE_LOADING))
		place_cause(y, SAYS_LOADING, "It failed at the first call of the device, before this process had "
		    "anything there: where the device is full, that is another process's, which " LISTER
		    " lists; else, as a rule, the driver was refused memory of the machine or the addresses that it reserves (ulimit -v).");
}

/* What the optimizer's step was given to call is no step of it. */
bool
autopsy_in_update(const struct oom_message *o)
{
	return (o->facts & TRACE_STEP) && !(o->facts & (TRACE_BACKWARD | TRACE_FORWARD));
}

#define NEAR_TRACE	6	/* lines, from a message to a call of its traceback */

/* L-BFGS makes, in its first rounds, many copies of what it optimizes. */
static void
history(struct autopsy *y)
{
	int line = y->log.paste.decided.histories;

	if (!line || line > y->main->last + NEAR_TRACE || line < y->main->line - NEAR_TRACE)
		return;
	place_cause(y, y->main->host ? SAYS_HOST_PLACES : SAYS_STEP, "By the traceback it failed in L-BFGS, which keeps two copies of all that it optimizes for each entry of its history (100 of them in Torch and PyTorch, unless nCorrection or history_size says otherwise). "
	    "A shorter history (in neural-style -lbfgs_num_correction), or an optimizer that keeps less (Adam, SGD), takes less, and where a picture is optimized, a smaller one does.");
}

static void
step(struct autopsy *y)
{
	if (!autopsy_in_update(y->main))
		return;
	place_cause(y, SAYS_STEP, y->main->facts & TRACE_STATE ? "By the traceback it failed where the optimizer makes "
	    "what it keeps: numbers for each element of a weight (Adam two, in PyTorch of the weight's type), made "
	    "at the first step as a rule and held from then on. The batch plays no part in their size; " TRY BY_ANYTHING "SGD" TRY BY_ANYTHING "an "
	    "optimizer in 8 bits" TRY BY_ADAPTER "fewer weights that are trained" TRY_END " need less." :
	    "By the traceback it failed in the optimizer's step, whose tensors are as large as weights: "
	    "what it keeps is made at the first one. The batch plays no part in their size.");
}

/* Is a bar of tests right ahead of it? */
static bool
is_beside_bar(const struct autopsy *y)
{
	return y->log.evaluating && y->main->line >= y->log.evaluating && y->main->line - y->log.evaluating <= BAR_AHEAD;
}

/* Did PyTorch warn of volatile ahead of what failed, or below a title that names it? Then it is
 * PyTorch that failed, by whatever words. */
static bool
is_warned_of_volatile(const struct autopsy *y)
{
	const struct oom_message *o = y->main;

	return y->log.no_volatile && (y->log.no_volatile < o->line || o->titled || o->line == 1 || o->kind == OOM_TOLD) && !o->host && (autopsy_is_torch(o) || o->kind == OOM_TOLD || o->kind == OOM_OTHER);
}

static void
evaluation(struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (!y->validation && is_warned_of_volatile(y) && !(o->facts & (TRACE_BACKWARD | TRACE_STEP))) {
		place_cause(y, SAYS_VOLATILE_WARNED, arena_printf(y->arena, "On line %d PyTorch warns that volatile has no effect any "
		    "more. Where what failed is of that code, what it was to switch off is on, so autograd keeps what backward would need. "
		    "torch.no_grad() takes its place.", y->log.no_volatile));
		return;
	}
	if (y->validation || !(autopsy_is_torch(o) || (o->kind == OOM_TOLD && o->traced && autopsy_in_torch(y))))
		return;
	if ((o->facts & TRACE_JOIN) && (o->facts & TRACE_EVALUATES)) {
		place_cause(y, SAYS_EVALUATION, "By the traceback it failed where results of evaluation are joined on the "
		    "device: they grow with the number of samples that are evaluated, not with a batch. "
		    "Moved to the machine's memory as they come (.cpu(); eval_accumulation_steps in "
		    "transformers), or reduced to what is asked of them first (argmax), they need not lie "
		    "there.");
		return;
	}
	if ((o->facts & TRACE_EVALUATES) && (o->facts & (TRACE_NO_GRAD | TRACE_TRAINER)) && !(o->facts & (TRACE_BACKWARD | TRACE_STEP |
	    TRACE_NO_BATCH | TRACE_GENERATES | TRACE_PROFILES | TRACE_CACHE | TRACE_GRAPH))) {
		place_cause(y, SAYS_EVALUATED, arena_printf(y->arena, "By the traceback it failed in evaluation or prediction, as a function's name has it, %s. Where "
		    "gradients were off, nothing was kept for backward: what was given at once (its own batch, and the size of its samples) and results "
		    "that are kept of the batches before decide, beside weights, and what training keeps there where the program trains, too.", o->facts & TRACE_NO_GRAD ? "behind a decorator, as a rule torch.no_grad()" : "in a library's loop, which as a rule sees to gradients"));
		return;
	}
}

/* Did it fail in tests, by a function's name or the title of a bar, of which nothing tells whether
 * gradients are off? A `with` leaves no line in a traceback, and may stand around any of its
 * calls. */
bool
autopsy_in_tests(const struct autopsy *y)
{
	const struct oom_message *o = y->main;

	return !y->validation && (autopsy_is_torch(o) || (o->kind == OOM_TOLD && o->traced && autopsy_in_torch(y))) && (o->function[0] || o->phase || is_beside_bar(y)) &&
	    !is_warned_of_volatile(y) && !((o->facts & TRACE_JOIN) && (o->facts & TRACE_EVALUATES)) &&
	    !(o->facts & (TRACE_NO_GRAD | TRACE_TRAINER | TRACE_LOADING | TRACE_CHECKPOINT | TRACE_BACKWARD | TRACE_STEP));
}

/* Beside what else is known of it. */
void
autopsy_tests(struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (!autopsy_in_tests(y) || y->log.paste.no_grad)
		return;
	place_cause(y, SAYS_EVALUATION, arena_printf(y->arena, "%s. Where gradients are off there (torch.no_grad()%s within it or around a call of it, of which %s shows nothing), what is given at once decides, "
	    "its own batch and the size of its samples, beside weights and results that are kept. Where they are not, autograd keeps what backward would need, as if to "
	    "train on it, and results hold it from batch to batch.", o->function[0] ?
	    arena_printf(y->arena, "By the traceback it failed in %s()", o->function) :
	    o->phase ? arena_printf(y->arena, "By line %d it began to evaluate right ahead of the traceback", o->phase) : "By the title of its bar of progress it was evaluating", autopsy_or_volatile(y),
	    o->function[0] ? "a traceback" : o->phase ? "that" : "a bar"));
}

static void
keras_forward(struct autopsy *y)
{
	if (y->main->run == RUN_PREDICTS)
		place_cause(y, SAYS_KERAS_FORWARD, "By its name the function that ran is that of Keras' predict(): forward only, in batches of its own, "
		    "whatever training had." UNTRIED(BY_BATCH, " Smaller ones take less and give the same: batch_size of predict(), 32 where arrays are given "
		    "without one, or that of the data set it is given."));
	else if (y->main->run == RUN_TESTS)
		place_cause(y, SAYS_KERAS_FORWARD, "By its name the function that ran is that of Keras' evaluate(), which is fit()'s validation, too: forward only, "
		    "in batches of its own. Smaller ones take less: batch_size of evaluate(), validation_batch_size of fit(), which is that "
		    "of training where it is not given, or that of the data set.");
}

static void
line_of_code(struct autopsy *y)
{
	uint64_t facts = y->main->facts;

	if (facts & (TRACE_CHECKPOINT | TRACE_BACKWARD | TRACE_GATHERS) || ((facts & (TRACE_LOADING | TRACE_STEP)) &&
	    !(facts & TRACE_FORWARD)))
		return;
	if (facts & TRACE_SCORES)
		place_cause(y, SAYS_LINE_OF_CODE, "The line of code makes or uses, by its names, a number for each pair, as attention's scores are "
		    "of positions, for each head and sample. Where each position meets all others, they grow with the "
		    "square of a sequence's length or of an image's pixels, where it meets those of its window alone, with the "
		    "windows; and with the batch. Attention that does not store them (torch's scaled_dot_product_attention, "
		    "xFormers, FlashAttention) needs none of that.");
	if (facts & TRACE_ATTENTION)
		place_cause(y, SAYS_LINE_OF_CODE, "The line of code is of PyTorch's attention. Where none of its kernels that save "
		    "memory serves the device, the type and the mask, it stores scores: a number for each "
		    "pair of positions, for each head and sample, which grow with the square of a "
		    "sequence's length or an image's pixels.");
	if ((facts & TRACE_LOGITS) && !(facts & (TRACE_JOIN | TRACE_ROIS | TRACE_MASKS)))
		place_cause(y, SAYS_LINE_OF_CODE, "The line of code is of logits or of the loss made from them: a number for "
		    "each sample, position or pixel and each class, which are the words of the vocabulary in a language "
		    "model. Copies, such as those in float32 and the gradient, take as much again.");
}

/* Whatever else had filled the device, this is what a batch decides. */
static void
backward(struct autopsy *y)
{
	if ((y->main->facts & TRACE_BACKWARD) && !(y->main->facts & TRACE_STEP) && autopsy_is_torch(y->main) &&
	    y->budget.allocated < 0)
		place_cause(y, SAYS_BACKWARD, "By the traceback it failed in backward, when all that forward keeps is there: "
		    "results of layers, which grow with " WITH_SAMPLES " (pixels, length).");
}

/* A bare message tells no more than that. */
static void
forward(struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (!(o->facts & TRACE_FORWARD) || o->facts & ~(TRACE_FORWARD | TRACE_PARALLEL | TRACE_LATE) ||
	    !autopsy_is_torch(o) || y->budget.allocated >= 0 || y->log.evaluating)
		return;
	place_cause(y, SAYS_FORWARD, "By the traceback it failed in forward, where layers' results are made: those grow "
	    "with the number of samples and with their size, weights do not.");
}

static void
by_table(struct autopsy *y, enum autopsy_says kind, const struct place_cause *c)
{
	uint64_t facts = y->main->facts;

	for (; c->cause; c++)
		if ((facts & c->any) && (facts & c->all) == c->all && !(facts & c->unless) && !(y->lo >= IMPOSSIBLE && (c->any & TRACE_SPLATS)))
			place_cause(y, kind, c->cause);
}

static void
captured(struct autopsy *y)
{
	int line = y->log.capturing;
	bool near = line && line - y->main->last <= CAPTURE_NEAR && y->main->last - line <= CAPTURE_NEAR;

	if (!(y->main->facts & TRACE_GRAPH) && !near)
		return;
	place_cause(y, y->main->facts & TRACE_GRAPH ? SAYS_CAPTURED : SAYS_CAPTURING, arena_printf(y->arena, "%s CUDA graphs were captured. %s graph holds the memory of all "
	    "that it runs for as long as it lives, beside weights and what was set aside before, such as a "
	    "server's cache of keys and values. " TRY BY_ANYTHING "Fewer or smaller sizes that are captured (in vLLM max_num_seqs, in SGLang --cuda-graph-max-bs)" TRY BY_SHARE "a smaller share "
	    "set aside (in vLLM gpu_memory_utilization, in SGLang --mem-fraction-static)" TRY_END ", leave room" UNTRIED(BY_EAGER, "; without graphs "
	    "(vLLM's enforce_eager, SGLang's --disable-cuda-graph) none is needed") ".", y->main->facts & TRACE_GRAPH ?
	    BY_TRACE " it failed while" : arena_printf(y->arena, "Line %d says that", line),
	    y->main->facts & TRACE_GRAPH ? "A" : "Where that is what failed: a"));
}

/* PyTorch's allocator has words of its own, with figures; those with the hint that it may be told
 * late are of versions that have them. */
static void
not_allocator(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	const char *maker = strstr(o->who, "HIP") ? "HIP" : "CUDA";

	if (!(o->facts & TRACE_LATE) || (y->log.needs.line && y->log.needs.line <= o->last) || (o->facts & (TRACE_FIRST | TRACE_PINNED | TRACE_GRAPH | TRACE_PROFILES)) || !autopsy_is_torch(o))
		return;		/* what fills the device by then is told by the place */
	if (o->facts & (TRACE_FORWARD | TRACE_BACKWARD)) {
		place_cause(y, SAYS_NOT_ALLOCATOR, arena_printf(y->arena, "These are not the words of PyTorch's allocator (\"Tried to allocate ...\"): %s "
		    "itself, or a library beside PyTorch, got no memory, in a step. Where no other process has the device, the run has all of "
		    "it. On some systems memory of the machine that is locked (pinned) for copies is refused in the same words.", maker));
		return;
	}
	if (y->log.paste.decided.ran && y->log.paste.decided.ran < o->last) {
		place_cause(y, SAYS_NOT_ALLOCATOR, arena_printf(y->arena, "These are not the words of PyTorch's allocator (\"Tried to allocate ...\"): %s itself, or a library beside PyTorch, got no memory, in a process that had run before (line %d). "
		    "Its own cache may have what there was. Memory of the machine that is locked (pinned) for copies, as where weights are swapped block by block, is on some systems refused in the same words.", maker, y->log.paste.decided.ran));
		return;
	}
	place_cause(y, SAYS_NOT_ALLOCATOR, arena_printf(y->arena, "These are not the words of PyTorch's allocator (\"Tried to allocate ...\"): %s "
	    "itself, or a library beside PyTorch, got no memory.%s Where it was the first that the process does there, such as to "
	    "move a model or a tensor, no context could be made, as a rule because another process has the device, "
	    "which " LISTER " lists, or because another index than meant was given (%s_VISIBLE_DEVICES). Later, this "
	    "process's own cache may have it.", maker,
	    !(o->facts & TRACE_LOADING) || !o->traced ? "" : " " BY_TRACE " a model was being moved there.",
	    maker));
}

static void
parallel(struct autopsy *y)
{
	if ((y->main->facts & TRACE_PARALLEL) && !(y->main->facts & (TRACE_SPREAD | TRACE_LOADING)) && y->main->gpu <= 0)
		place_cause(y, SAYS_PARALLEL, "DataParallel is in the traceback. Where it has several devices, it gathers their results on one, "
		    "the first as a rule, which then is full before the others. DistributedDataParallel "
		    "does not.");
}

static void
cache(struct autopsy *y)
{
	place_cause(y, SAYS_CACHE, "It is the cache of keys and values, made at once for the whole context of all requests: a shorter "
	    "context, fewer requests side by side, or fewer bits make it smaller (in llama.cpp -c, -np, --cache-type-k).");
}

#define LITTLE_OF_MACHINE	((int64_t)128 << 20)	/* what makes no difference to it */
#define MUCH_ROOM	((int64_t)32 << 30)	/* that layers elsewhere hardly leave */

/* Of a program of ggml's other than llama.cpp nothing is known but that it computes a graph; of one
 * that is given pictures, their encoder has such a buffer, too. */
static void
results(struct autopsy *y)
{
	bool beside = !y->main->host && !(y->main->facts & TRACE_LIMIT) && y->lo < MUCH_ROOM;

	place_cause(y, SAYS_GGML, !y->log.paste.llama ? "It is the buffer for results of a graph while it is computed, which grows with what is given to it at once: less at once makes it smaller." :
	    arena_printf(y->arena, "It is the buffer for results of a graph while it is computed. In llama.cpp it grows with the tokens that are taken at once (-ub; in Ollama num_batch), with the context (-c; num_ctx), with the "
	    "product of both where attention stores its scores, and that of a picture's encoder with the picture's pixels%s.%s", y->main->host && y->hi < LITTLE_OF_MACHINE ? "" : ": less of these make it smaller", beside ?
	    " Weights and the cache of keys and values are in place by then: fewer layers on this device (-ngl, --tensor-split; in Ollama num_gpu) leave room for it." : ""));
}

static void
ggml(struct autopsy *y)
{
	uint64_t facts = y->main->facts;

	if ((facts & TRACE_CACHE) && y->main->traced && autopsy_is_torch(y->main) && y->log.serving)
		place_cause(y, SAYS_GGML, "By the traceback it is the cache of keys and values of attention, which a server makes as "
		    "large as the share of the device that it is given allows, whatever the texts' length: a smaller share "
		    "(in vLLM gpu_memory_utilization), or less of the device that others have, leaves room.");
	else if ((facts & TRACE_CACHE) && y->main->traced && (autopsy_is_torch(y->main) || y->main->kind == OOM_TOLD))
		place_cause(y, SAYS_GGML, "By the traceback it is the cache of keys and values of attention, which grows "
		    "with the positions that are read and written, with the layers, and with the sequences "
		    "side by side: shorter or fewer ones, or a cache in fewer bits, take less.");
	else if ((facts & TRACE_CACHE) && !y->main->says && !y->main->traced)
		cache(y);
	if (facts & TRACE_LAYERS)
		place_cause(y, SAYS_GGML, "It is weights: those of layers that this device is to hold. Fewer layers "
		    "there, another split among devices (in llama.cpp -ngl, --tensor-split; in Ollama num_gpu), or a model of fewer "
		    "bits take less.");
	if ((facts & TRACE_COMPUTE) && !(facts & TRACE_LAYERS))
		results(y);
}

/* A name, or how long what has it is, "len(wv.vocab)": what else is reckoned need not be the extent
 * that stands there. */
static bool
names_extent(const char *s, size_t n)
{
	size_t rest = strncmp(s, "len(", 4) == 0 && n > 5 && s[n - 1] == ')' ? 5 : 0;

	return n > rest && !(s[0] >= '0' && s[0] <= '9') && strcspn(s + (rest ? 4 : 0), "()[]*+-/%= ") >= n - rest;
}

/* "zeros((self.size, self.envs) + shape)" of [512, 16, 3, 100, 128]: what the first extents are
 * called there. */
static void
extents_named(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	const char *s = o->extents;
	struct text t;
	size_t n;
	int i;

	if (!o->shape.known || !o->traced)
		return;
	text_init(&t, y->arena);
	for (i = 0; i < o->shape.rank && *s; i++, s += n + (s[n] == ','), s += strspn(s, " ")) {
		n = strcspn(s, ",");
		if (!names_extent(s, n))
			break;		/* and what stands behind it need not be the next */
		text_printf(&t, "%s%lld is %.*s", i == 0 ? "" : ", ", (long long)o->shape.dim[i], (int)n, s);
	}
	if (t.n > 0)
		place_cause(y, SAYS_EXTENTS_NAMED, arena_printf(y->arena, "By the traceback the line of code makes the array, and of its extents %s: a smaller one "
		    "makes the array smaller in proportion.", t.s));
}

/* "zeros((len(samples), length, len(chars)))": is the last extent called as the number of classes
 * is, or of words or signs? */
static bool
ends_in_classes(const char *extents)
{
	static const char *const names[] = { "len(chars)", "len(vocab)", "len(vocabulary)", "len(classes)", "len(labels)", "len(word_index)", "len(char_indices)", "vocab_size",
	    "num_classes", "n_classes", "nb_classes", "num_tokens", "num_words", "num_chars", NULL };
	const char *last = strrchr(extents, ','), *name;
	size_t n;
	int i;

	for (last = last ? last + 1 : ""; *last == ' '; last++)
		;
	for (i = 0; names[i]; i++) {
		name = strncmp(last, "self.", 5) == 0 ? last + 5 : last;
		n = strlen(names[i]);
		if (strncmp(name, names[i], n) == 0 && name[n + strspn(name + n, " +1")] == '\0')
			return true;
	}
	return false;
}

static void
host_places(struct autopsy *y)
{
	uint64_t facts = y->main->facts;

	if ((facts & TRACE_CACHE) && y->main->kind == OOM_HOST)
		cache(y);
	if ((facts & TRACE_COMPUTE) && y->main->kind == OOM_HOST)
		results(y);
	by_table(y, SAYS_HOST_PLACES, autopsy_host_places);
	if (y->log.paste.decided.computes && y->log.paste.decided.computes == y->main->last - 1 && y->main->kind == OOM_MACHINE && !y->causes.n)
		place_cause(y, SAYS_HOST_PLACES, "The line of code computes an array anew from itself: each of its operations that goes over all of it makes one more of that size, beside the one that is there, with 8 bytes an element where they are of float64. "
		    "In place (-=, /=, out=), in float32, or for a part after the other, it takes less.");
	if ((facts & TRACE_REPLAY) && !y->log.replay)
		place_cause(y, SAYS_HOST_PLACES, "By the traceback it failed in a memory of what was seen (a replay buffer), whose arrays are made as "
		    "long as it is told, or grow until then: fewer entries" OF_BYTES(", of fewer bytes (images as uint8)") ", or each image once, take less.");
	extents_named(y);
	if ((facts & TRACE_MAKES) && y->main->traced && ends_in_classes(y->main->extents))
		place_cause(y, SAYS_EXTENTS_CODED, arena_printf(y->arena, "By its name the last extent of the array (%s) is how many classes, words or signs there are: a number for each "
		    "of them at each place (one-hot). Their own numbers, with a loss that takes those (sparse_categorical_crossentropy, CrossEntropyLoss), or batches that are coded as they "
		    "are used, take a part of that.", y->main->extents));
	if ((facts & TRACE_WHOLE) && y->main->kind == OOM_PYTORCH_CPU)
		place_cause(y, SAYS_HOST_PLACES, "By its names the line of code puts a whole set of samples into one tensor. Unless that is a batch of it, a tensor "
		    "that is made for each sample as it is asked for (a Dataset), or fewer or shorter samples, take less.");
	if (facts & (TRACE_RETAINS | TRACE_MASKS | TRACE_PASTES | TRACE_EDGES | TRACE_DENSE | TRACE_ALL_PAIRS))
		by_table(y, SAYS_BY_PLACE, autopsy_places);
	else if ((facts & TRACE_BACKWARD) && y->main->kind == OOM_PYTORCH_CPU)
		place_cause(y, SAYS_HOST_PLACES, "By the traceback the network itself ran on the processor, in a step: what "
		    "forward keeps grows with the number and the size of a batch's samples.");
	else if ((facts & TRACE_FORWARD) && y->main->kind == OOM_PYTORCH_CPU)	/* which data are prepared by, too */
		place_cause(y, SAYS_HOST_PLACES, "By the traceback a module of PyTorch ran on the processor. Where that is a network in a step, what "
		    "forward keeps grows with the number and the size of a batch's samples; where it makes the data ready, or computes for them, "
		    "with what it is given at once.");
}

void
autopsy_place_causes(struct autopsy *y)
{
	if (y->main->host || (y->main->kind == OOM_TOLD && (y->main->facts & (TRACE_FORKS | TRACE_PACKS)))) {
		host_places(y);
		history(y);
		return;
	}
	loading(y);
	history(y);
	step(y);
	evaluation(y);
	keras_forward(y);
	by_table(y, SAYS_BY_PLACE, autopsy_places);
	line_of_code(y);
	captured(y);
	not_allocator(y);
	backward(y);
	forward(y);
	parallel(y);
	ggml(y);
}
