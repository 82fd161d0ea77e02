/*
 * What a message's own figures and shape say of the cause, without a network to compare them with.
 * How the axes of a shape stand is not known then: what follows from either reading is said as such.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/text.h"

#define MANY		1000	/* samples at once: more than batches of training have */
#define WIDE		10000	/* an extent of a matrix that is no layer's usual one */
#define MOST_KERNEL	11	/* the height and width of a filter */
#define SMALL_HOST	((int64_t)64 << 20)	/* a request that any machine with room can serve */
#define LARGE_HOST	((int64_t)16 << 30)
#define LARGE_SAMPLE	((int64_t)1 << 30)
#define LITTLE		((int64_t)256 << 20)	/* a whole program that any device with room can run */
#define LONG		64	/* positions of a sequence */
#define INTEL_BLOCK	((int64_t)4 << 30)
#define FEW_TABLE_ROWS	100000
#define NO_DEVICE	((int64_t)1 << 40)	/* bytes that no single one has */
#define FEW_PIXELS	256	/* along a side of an image that is worth a word */

/* ---- TensorFlow's shapes ---- */

/* Does an operation of that name give a weight its first values? */
static bool
initializes(const char *node)
{
	static const char *const part[] = { "Initializer/", "random_uniform", "truncated_normal",
	    "random_normal", "RandomUniform", "TruncatedNormal", "/Assign", NULL };
	int i;

	for (i = 0; part[i]; i++)
		if (strstr(node, part[i]))
			return true;
	return false;
}

/* Filters are height, width, channels in, channels out. */
static bool
may_be_filter(const struct oom_shape *s)
{
	return s->dim[0] <= MOST_KERNEL && s->dim[1] <= MOST_KERNEL;
}

/* Positions by positions, for each head and sample. */
static bool
is_square(const struct oom_shape *s)
{
	return s->rank >= 3 && s->dim[s->rank - 1] == s->dim[s->rank - 2] && s->dim[s->rank - 1] >= LONG;
}

static void
of_images(struct autopsy *y, const struct oom_shape *s)
{
	long long n = (long long)s->dim[0];

	if (n >= MANY)
		autopsy_cause(y, arena_printf(y->arena, "Its first extent is %lld. Where it is a tensor of "
		    "images, those are samples, and as many are a whole data set, such as that of tests, "
		    "rather than a batch of training: in batches they take a part of that.", n));
	else if (n > 1)
		autopsy_cause(y, arena_printf(y->arena, "Its first extent is %lld. Where it is a tensor of "
		    "images, that is the batch, and a smaller one makes it, and all results of the step, "
		    "smaller in proportion.", n));
	else
		autopsy_cause(y, "Its first extent is 1. Where it is a tensor of images, that is the batch, "
		    "which cannot be smaller; the image can.");
}

static void
of_matrix(struct autopsy *y, const struct oom_shape *s)
{
	int64_t wide = s->dim[0] > s->dim[1] ? s->dim[0] : s->dim[1];

	if (wide < WIDE || y->main->node[0])
		return;
	autopsy_cause(y, arena_printf(y->arena, "If its rows are samples, %lld went through at once%s. If it "
	    "is a weight, its gradient, or what the optimizer keeps for it, the batch plays no part, and "
	    "the extent of %lld does: a vocabulary, a number of classes, or a flattened image.",
	    (long long)s->dim[0], s->dim[0] >= WIDE ? ", as a whole data set does at evaluation" : "",
	    (long long)wide));
}

/* What a node's name says of a matrix. */
static bool
of_named_matrix(struct autopsy *y, const struct oom_shape *s)
{
	if (!strstr(y->main->node, "logits") || s->dim[0] < MANY)
		return false;
	autopsy_cause(y, arena_printf(y->arena, "The operation makes logits, a number for each of %lld classes or words, "
	    "for %lld samples or positions at once: fewer of these make them smaller, and softmax, the loss and "
	    "their gradient, which take as much again.", (long long)s->dim[1], (long long)s->dim[0]));
	return true;
}

static bool
is_attention(const char *node)
{
	return strstr(node, "attention") || strstr(node, "attn");
}

static void
tensorflow_shape(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	const struct oom_shape *s = &o->shape;

	if (o->kind != OOM_TENSORFLOW || !s->known || y->matches.all.n || (o->facts & TRACE_LOADING))
		return;
	if (s->rank == 2 && s->dim[0] >= WIDE && is_attention(o->node))
		autopsy_cause(y, arena_printf(y->arena, "The operation is of attention, and its %lld rows are "
		    "samples, heads and positions in one: fewer samples at once, or shorter ones, make it "
		    "smaller.", (long long)s->dim[0]));
	else if (strstr(o->node, "Concat") && (o->facts & TRACE_EVALUATES))
		autopsy_cause(y, "The operation joins the results of all batches of predict() or evaluate() on "
		    "the device: they grow with the number of samples, not with a batch. In parts "
		    "(predict_on_batch(), whose results are moved to the machine's memory) they need not lie "
		    "there.");
	else if (initializes(o->node))
		autopsy_cause(y, "The operation gives a weight, or what the optimizer keeps for it, its first "
		    "values: the batch plays no part.");
	else if (is_square(s) && is_attention(o->node))
		autopsy_cause(y, arena_printf(y->arena, "The operation is of attention, and its tensor has a "
		    "number for each pair of %lld x %lld positions: it grows with the square of the length, "
		    "with the heads, and with the batch.", (long long)s->dim[s->rank - 2],
		    (long long)s->dim[s->rank - 1]));
	else if (strstr(o->node, "Filter") || strstr(o->node, "Adam") || strstr(o->node, "kernel"))
		return;
	else if ((s->rank == 4 && !may_be_filter(s)) || s->rank == 5)
		of_images(y, s);
	else if (s->rank == 3 && s->dim[0] > MOST_KERNEL && s->dim[0] < MANY)
		autopsy_cause(y, arena_printf(y->arena, "Its first extent, %lld, is the number of samples as a "
		    "rule: then a smaller batch makes it smaller in proportion.", (long long)s->dim[0]));
	else if (s->rank == 2 && !of_named_matrix(y, s))
		of_matrix(y, s);
}

/* Height, width and colours, after numbers of images. */
static void
host_image(struct autopsy *y)
{
	const struct oom_shape *s = &y->main->shape;
	int64_t colours, height, width;

	if (y->main->kind != OOM_TENSORFLOW || !s->known || s->rank < 3)
		return;
	colours = s->dim[s->rank - 1];
	width = s->dim[s->rank - 2];
	height = s->dim[s->rank - 3];
	if ((colours != 1 && colours != 3 && colours != 4) || height < FEW_PIXELS || width < FEW_PIXELS)
		return;
	autopsy_cause(y, arena_printf(y->arena, "Where its last extents are height, width and colours, it is of images of "
	    "%lld x %lld pixels, decoded in the machine's memory: smaller ones, or fewer that are read ahead (queues, "
	    "prefetch, parallel calls), take less.", (long long)width, (long long)height));
}

/* ---- what grows ---- */

/* By the number of its epoch steps had fitted, unless the run was resumed there. */
static void
went_on(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (log->epoch < 2 || log->epoch_line > y->main->line)
		return;
	autopsy_cause(y, arena_printf(y->arena, "By line %d it was in epoch %lld. Unless it began there, steps had fitted "
	    "before, and something grows: %s, or samples that are larger than those before.", log->epoch_line,
	    (long long)log->epoch, y->main->host ? "what a process or its loaders keep from step to step (lists of "
	    "results, caches, models that are made anew)" : "tensors that are kept from step to "
	    "step (sums of losses with their graph, lists of results, validation with gradients)"));
}

/* ---- arrays in the machine's memory ---- */

/* Samples by their number: neither a batch, nor an image or a volume. */
static bool
is_data_set(const struct oom_shape *s)
{
	int64_t n = s->dim[0];

	if (s->rank == 2)
		return n >= FEW_TABLE_ROWS && n / 8 > s->dim[1];
	if (s->rank == 3)
		return n >= MANY && n / 8 > s->dim[1] && n / 8 > s->dim[2];
	return s->rank > 3 && n >= MANY;
}

static void
array_shape(struct autopsy *y, const struct oom_shape *s, int64_t bytes)
{
	const char *wide = y->element == 8 && bytes > SMALL_HOST ?
	    " Its elements have 8 bytes; with 4, as in float32, it takes half." : "";
	long long n = (long long)s->dim[0];

	if (bytes <= SMALL_HOST)
		return;
	if (is_data_set(s))
		autopsy_cause(y, arena_printf(y->arena, "An array of %lld rows is no batch but all there are: of a "
		    "data set, a film, a recording or a cloud of points. Read or converted in parts, or mapped from a file "
		    "(numpy.memmap), it need not lie there at once.%s", n, wide));
	else if (s->rank == 2 && n >= WIDE && s->dim[1] >= WIDE)
		autopsy_cause(y, arena_printf(y->arena, "A matrix of %lld x %lld: it grows with the product of "
		    "the two, whether they are pairs or an image's pixels, and has to be made in parts or "
		    "smaller.%s", n, (long long)s->dim[1], wide));
	else if (s->rank >= 4 && n == 1 && bytes >= LARGE_SAMPLE)
		autopsy_cause(y, arena_printf(y->arena, "Its first extent is 1, so this is one sample, of %s: "
		    "cropped or coarser, it takes less.%s", autopsy_shape_text(y->arena, s), wide));
	else if (*wide)
		autopsy_cause(y, wide + 1);
}

static void
host_request(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	int64_t bytes = y->hi;
	char human[SIZE_TEXT];

	if (bytes <= 0 || (o->kind != OOM_NUMPY && o->kind != OOM_PYTORCH_CPU && o->kind != OOM_PADDLE))
		return;
	if (bytes <= SMALL_HOST)
		autopsy_cause(y, arena_printf(y->arena, "Only %s was asked for: the machine's memory, or the "
		    "part of it that this process may have, was full already. What had filled it "
		    "matters, not this request.", size_human(human, bytes)));
	else if (bytes >= LARGE_HOST)
		autopsy_cause(y, arena_printf(y->arena, "The request is for %s in one piece: whatever else was "
		    "held, it must be made in parts or of less, such as smaller or fewer samples.",
		    size_human(human, bytes)));
	if (o->shape.known)
		array_shape(y, &o->shape, bytes);
	if (o->kind == OOM_PADDLE && o->node[0])
		autopsy_cause(y, arena_printf(y->arena, "It failed in %s, so that the network itself ran on the processor: "
		    "what it needs grows with the number and the size of samples at once.", o->node));
	if (o->windows)
		autopsy_cause(y, "PyTorch says it so on Windows, where all programs together are promised no more than the machine's memory and "
		    "the paging file: a larger one, or fewer programs, help.");
}

/* ---- the device's figures ---- */

static void
impossible(struct autopsy *y)
{
	if (y->lo >= IMPOSSIBLE)
		autopsy_cause(y, "No machine has as much: the size itself is wrong, as when it is computed "
		    "from something that was never set, or runs over.");
}

/* Where the place shows that no batch matters. */
#define TRACE_NO_BATCH	(TRACE_LOADING | TRACE_CHECKPOINT | TRACE_GATHERS | TRACE_MASTER | TRACE_BUCKETS | TRACE_TWICE)

/* Much at once, and nothing else is known. */
static void
bare_request(struct autopsy *y)
{
	char human[SIZE_TEXT];

	if (y->budget.total > 0 || y->causes.n > 0 || y->main->says || y->main->shape.known || y->matches.all.n > 0 ||
	    (y->main->facts & TRACE_NO_BATCH))
		return;
	if (y->main->kind == OOM_CUPY && y->lo >= LARGE_SAMPLE && y->lo < IMPOSSIBLE)
		autopsy_cause(y, arena_printf(y->arena, "The request is for %s at once: one array, such as a result "
		    "of a formula, each part of which makes one of its own.", size_human(human, y->hi)));
	if (y->lo >= LARGE_SAMPLE && y->lo < IMPOSSIBLE && (y->main->kind == OOM_PADDLE ||
	    y->main->kind == OOM_PYTORCH || y->main->kind == OOM_ONNX))
		autopsy_cause(y, arena_printf(y->arena, "The request is for %s at once: one tensor or one "
		    "workspace. In a step, one so large is mostly made of a batch, and grows with its samples and their "
		    "size; before the first step no batch matters.",
		    size_human(human, y->hi)));
}

/* A large part of all there is, at once. */
static void
share(struct autopsy *y)
{
	int64_t total = y->budget.total;
	char human[SIZE_TEXT], all[SIZE_TEXT];

	if (total <= 0 || y->lo > total || y->lo < total / 4 || y->main->kind == OOM_XLA ||
	    (y->main->facts & (TRACE_SCORES | TRACE_LOGITS | TRACE_ATTENTION)) || y->budget.roomy || y->main->says ||
	    y->main->shape.known || y->matches.all.n)
		return;
	autopsy_cause(y, arena_printf(y->arena, "The request is for %s at once, %d %% of the %s %s: one "
	    "tensor or one workspace. Such a one grows with the samples of a batch and with their size, "
	    "and one for all pairs of positions, as in attention, with the square of their number.",
	    size_human(human, y->hi), (int)(100.0 * (double)y->hi / (double)total),
	    y->main->kind == OOM_MPS ? "limit's" : "device's", size_human(all, total)));
}

/* Of which all: where a message tells no more, what it has and what is free are not all of the device. */
static const char *
of_all(const struct autopsy *y, int64_t total)
{
	char all[SIZE_TEXT];

	return arena_printf(y->arena, y->main->kind == OOM_MPS ? "the limit's %s" : y->budget.total > 0 ?
	    "the device's %s" : "the %s that it has and that are free", size_human(all, total));
}

/* Is most of the device this process's own? */
static void
own(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	int64_t total = b->total > 0 ? b->total : y->main->kind == OOM_PADDLE ? b->pool : 0;
	const char *have;
	char had[SIZE_TEXT];

	if (total <= 0 || b->allocated < total / 2 || b->lent || (b->roomy && b->allocated < total / 10 * 9) ||
	    y->lo > total || y->forecast.known ||
	    y->main->kind == OOM_XLA || (y->main->facts & TRACE_NO_BATCH))
		return;
	have = arena_printf(y->arena, "Tensors of this process have %s of %s: %d %%.", size_human(had, b->allocated),
	    of_all(y, total), (int)(100.0 * (double)b->allocated / (double)total));
	if (y->log.serving && !(y->main->facts & (TRACE_BACKWARD | TRACE_STEP)))
		autopsy_cause(y, arena_printf(y->arena, "%s By line %d it is a server of language models: those are "
		    "weights, then what a trial run takes, then the cache of keys and values that is set aside. "
		    "Weights in fewer bits (a quantized model), parts of them on more devices, or fewer and "
		    "shorter requests side by side (max_num_seqs, max_model_len) take less.", have,
		    y->log.serving));
	else
		autopsy_cause(y, arena_printf(y->arena, "%s Where it fails at the first steps, the run is too large for %s: "
		    "fewer or smaller samples in a batch make what forward keeps smaller, but not weights, gradients "
		    "and the optimizer's numbers. Where it fails later, tensors of earlier steps may be held (sums of "
		    "losses with their graph, lists of results).", have, autopsy_of_others(y) ?
		    "what the others leave" : y->main->kind == OOM_MPS ? "it" : "the device"));
}

static void
metal(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	char had[SIZE_TEXT], all[SIZE_TEXT];

	if (y->main->kind == OOM_MPS && b->idle && y->hi > 0)
		autopsy_cause(y, arena_printf(y->arena, "By its own counters this process had nothing there, and was "
		    "refused %s. Where they are right, Metal gives it nothing at all, as on virtual machines without a "
		    "device of their own, such as those of a build service.", size_human(had, y->hi)));
	if (y->main->kind != OOM_MPS || b->total <= 0 || b->allocated < 0)
		return;
	if (b->outside > b->total / 4)
		autopsy_cause(y, arena_printf(y->arena, "%s of the limit's %s was taken by this process through "
		    "Metal beside PyTorch's allocator, such as compiled graphs and what they need while "
		    "they run.", size_human(had, b->outside), size_human(all, b->total)));
	autopsy_cause(y, "The limit is a setting of PyTorch, a multiple of what Metal recommends: "
	    "PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 in the environment lifts it, and then all of the "
	    "machine may run short.");
}

/* A request without a list of what was there. */
static void
xla_request(struct autopsy *y)
{
	if (y->lo >= NO_DEVICE && y->lo < IMPOSSIBLE)
		autopsy_cause(y, "No device has as much. One array or formula is as large as the product of extents "
		    "that need not be multiplied, as by an outer product, by broadcasting or by vmap: it must be made "
		    "in parts.");
	else if (y->lo >= LARGE_SAMPLE)
		autopsy_cause(y, "One block as large as that is an array, or all temporaries of a compiled "
		    "program. Either grows with the samples at once, be they a batch or what vmap maps over, and with "
		    "their size or length, where all pairs of positions are compared with its square: fewer or "
		    "shorter ones (jax.lax.map takes them one by one), or results that backward makes anew "
		    "(jax.checkpoint), take less.");
	autopsy_cause(y, "JAX takes three quarters of a device when it begins, and no more than that, unless "
	    "XLA_PYTHON_CLIENT_MEM_FRACTION or XLA_PYTHON_CLIENT_PREALLOCATE=false say otherwise: the rest is "
	    "for others.");
}

static void
xla_program(struct autopsy *y)
{
	const struct oom_size *all = &y->main->size[OOM_ALLOCATED];
	char human[SIZE_TEXT];

	if (y->main->kind != OOM_XLA || y->budget.total > 0)
		return;
	if (!all->known && y->budget.pool <= 0 && y->hi > 0 && !y->main->size[OOM_FREE].known)
		xla_request(y);
	if (!all->known)
		return;
	if (all->bytes <= LITTLE)
		autopsy_cause(y, arena_printf(y->arena, "The whole program needs %s: what fills the device is "
		    "something else, arrays of this process or another process. JAX takes three "
		    "quarters of a device when it begins (XLA_PYTHON_CLIENT_PREALLOCATE=false: as it "
		    "needs them), so that a second process finds little.",
		    size_human(human, all->bytes)));
	else
		autopsy_cause(y, arena_printf(y->arena, "The program as compiled needs %s, with its arguments "
		    "and results: a device that has not as much free cannot run it.",
		    size_human(human, all->bytes)));
}

/* ---- pools that keep what was freed ---- */

static void
pools(struct autopsy *y)
{
	const struct oom_size *limit = &y->main->size[OOM_LIMIT];
	char human[SIZE_TEXT];

	if (y->main->kind == OOM_CUPY && limit->known)
		autopsy_cause(y, arena_printf(y->arena, "The pool may have %s and no more: a setting, set_limit() "
		    "or CUPY_GPU_MEMORY_LIMIT, was reached, not the device's end.",
		    size_human(human, limit->bytes)));
	if (y->main->kind == OOM_CUPY)
		autopsy_cause(y, "CuPy's pool keeps blocks that were freed, for arrays of their size, and counts "
		    "them: get_default_memory_pool().free_all_blocks() gives them back. Arrays that a variable, "
		    "a list or the last error still names are not freed.");
	if (y->main->kind == OOM_ONNX)
		autopsy_cause(y, "The arena keeps what it had for the largest inputs so far, and grows by powers "
		    "of two unless arena_extend_strategy is kSameAsRequested; each session has its own. Smaller "
		    "inputs or batches, that setting, and fewer sessions take less; gpu_mem_limit bounds it.");
}

bool
autopsy_is_large_block(const struct autopsy *y)
{
	return strstr(y->main->who, "XPU") && y->hi >= INTEL_BLOCK && !y->main->says;
}

static void
largest_block(struct autopsy *y)
{
	if (autopsy_is_large_block(y))
		autopsy_cause(y, "The drivers of several Intel devices, Arc A among them, give no single block of "
		    "4 GiB or more, however much is free, unless they are told to "
		    "(UR_L0_USE_RELAXED_ALLOCATION_LIMITS=1 where it serves). Made in parts, or of fewer samples "
		    "or pixels, it fits.");
}

/* What was free is all that is told. */
static void
little_free(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	char human[SIZE_TEXT];

	if (y->causes.n || b->free < 0 || b->roomy || y->main->kind == OOM_OURS || b->allocated >= 0 || b->total > 0 || y->main->says || y->forecast.known)
		return;
	autopsy_cause(y, arena_printf(y->arena, "The device was full but for %s. Where this process filled it, fewer or "
	    "smaller samples make what a step keeps smaller; where another did, nvidia-smi lists it.",
	    size_human(human, b->free)));
}

/* Where the log shows no more than how many samples a step takes. */
static void
batch_said(struct autopsy *y)
{
	if (y->causes.n || y->module || y->log.batch <= 0 || y->main->says)
		return;
	if (y->log.batch == 1)
		autopsy_cause(y, "The log gives a batch of 1, which cannot be smaller: smaller samples, or fewer "
		    "or narrower layers, can.");
	else
		autopsy_cause(y, arena_printf(y->arena, "The log gives a batch of %lld. What a step keeps of its "
		    "results grows with it in proportion; weights, gradients and the optimizer's numbers do not.",
		    (long long)y->log.batch));
}

/* nvidia-smi's table, or gpustat's, where the message itself has no figures. */
static void
card_in_table(struct autopsy *y)
{
	char used[SIZE_TEXT], all[SIZE_TEXT];

	if (!y->log.card.known || y->budget.total > 0)
		return;
	if (y->log.card_used.bytes > y->log.card.bytes / 4 * 3) {
		autopsy_cause(y, arena_printf(y->arena, "By the table of cards %s of the fullest one's %s were in "
		    "use. If that was without this program, other processes have them.",
		    size_human(used, y->log.card_used.bytes), size_human(all, y->log.card.bytes)));
		return;
	}
	if (y->log.card_used.bytes > y->log.card.bytes / 8)
		return;
	autopsy_cause(y, arena_printf(y->arena, "By the table of cards %s of the fullest one's %s were in use. If that "
	    "was before the run, no other process is in its way: it needs more than that card has.",
	    size_human(used, y->log.card_used.bytes), size_human(all, y->log.card.bytes)));
}

/* ---- TensorFlow's driver ---- */

/* Do two requests stand as one and nine tenths of it, as TensorFlow asks once more? */
static bool
backs_off(const struct oom_log *log)
{
	int i, k;

	for (i = 0; i < log->messages.n; i++)
		for (k = 0; k < log->messages.n; k++) {
			const struct oom_size *a = &log->messages.v[i].size[OOM_ASKED];
			const struct oom_size *b = &log->messages.v[k].size[OOM_ASKED];

			if (log->messages.v[i].kind == OOM_CUDA && log->messages.v[k].kind == OOM_CUDA &&
			    a->known && b->known && a->bytes > LITTLE && a->bytes < IMPOSSIBLE &&
			    b->bytes / 9 >= a->bytes / 10 - a->bytes / 1000000 &&
			    b->bytes / 9 <= a->bytes / 10 + a->bytes / 1000000)
				return true;
		}
	return false;
}

static void
at_start(struct autopsy *y)
{
	const struct oom_size *all = &y->log.start_total, *left = &y->log.start_free;
	char human[SIZE_TEXT], total[SIZE_TEXT];

	if (y->log.starts > 1 || (y->main->kind != OOM_CUDA && y->main->kind != OOM_TENSORFLOW &&
	    y->main->kind != OOM_TF_ALLOCATOR))
		return;
	if (left->known && left->bytes < all->bytes / 2)
		autopsy_cause(y, arena_printf(y->arena, "When TensorFlow found the device, %s of its %s was "
		    "free: another process, or another library of this one, had the rest.", size_human(human, left->bytes),
		    size_human(total, all->bytes)));
	else if (left->known && y->main->kind == OOM_CUDA && y->lo > left->bytes)
		autopsy_cause(y, arena_printf(y->arena, "That is more than the %s that were free when TensorFlow "
		    "found the device: the fraction that it is to take "
		    "(per_process_gpu_memory_fraction) is too large.", size_human(human, left->bytes)));
	else if (y->main->kind == OOM_CUDA && backs_off(&y->log))
		autopsy_cause(y, "TensorFlow asks for nine tenths of what it was refused, until it gets a region: "
		    "by itself that is a warning. When it begins, it means that less is free than it is to "
		    "take: another process has a part of the device, or the fraction "
		    "(per_process_gpu_memory_fraction) is too large.");
}

/* Names that TensorFlow itself gives: a number after another may be its user's. */
static bool
is_default_name(const char *s, size_t n)
{
	static const char *const name[] = { "add", "Add", "AddV2", "sub", "Sub", "mul", "Mul", "truediv",
	    "MatMul", "Const", "Variable", "Placeholder", "gradients", "zeros", "ones", "Reshape", "Sum",
	    "Mean", "Cast", "Square", "Sqrt", "Pow", "pow", "Assign", "Shape", "ExpandDims", "Identity",
	    "strided_slice", "transpose", "concat", "stack", "random_uniform", "random_normal", "Relu",
	    "Softmax", "Exp", "Log", "Neg", "Maximum", "Minimum", NULL };
	int i;

	for (i = 0; name[i]; i++)
		if (strlen(name[i]) == n && strncmp(name[i], s, n) == 0)
			return true;
	return false;
}

/* "sub_2518": TensorFlow numbers operations of one name within a graph. */
static void
grown_graph(struct autopsy *y)
{
	const char *node = y->main->node, *s, *digits;
	size_t n;

	if (y->main->kind != OOM_TENSORFLOW)
		return;
	for (s = node; *s; s += n, s += *s == '/') {
		n = strcspn(s, "/");
		for (digits = s + n; digits > s && digits[-1] >= '0' && digits[-1] <= '9'; digits--)
			;
		if (s + n - digits < 4 || s + n - digits > 7 || digits <= s + 1 || digits[-1] != '_' ||
		    !is_default_name(s, (size_t)(digits - 1 - s)))
			continue;
		autopsy_cause(y, arena_printf(y->arena, "The operation's name has %.*s in it: TensorFlow counts "
		    "names up within a graph, so as many were made before. Where models or operations are "
		    "made in a loop, the graph and its weights grow, unless each has a graph of its own "
		    "(tf.Graph, tf.keras.backend.clear_session()).", (int)n, s));
		return;
	}
}

void
autopsy_alone_causes(struct autopsy *y)
{
	if (y->main->host) {
		if (!y->matches.all.n) {
			host_request(y);
			host_image(y);
		}
		if (y->log.shuffled > 0)
			autopsy_cause(y, arena_printf(y->arena, "The log tells of TensorFlow's buffer of %lld shuffled "
			    "elements, which lies in the machine's memory whole, decoded as they are: fewer "
			    "(shuffle(buffer_size), shuffle_buffer_size), or shuffling names or encoded images, "
			    "take less.", (long long)y->log.shuffled));
		went_on(y);
		return;
	}
	impossible(y);
	if (!y->module)
		tensorflow_shape(y);
	grown_graph(y);
	at_start(y);
	bare_request(y);
	share(y);
	own(y);
	metal(y);
	xla_program(y);
	pools(y);
	largest_block(y);
	went_on(y);
	card_in_table(y);
	little_free(y);
	batch_said(y);
}
