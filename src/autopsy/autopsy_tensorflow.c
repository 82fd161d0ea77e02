/*
 * What TensorFlow's own messages say of the cause: what its driver found at the start, and what the
 * names of its operations tell of the graph.
 */
#include "autopsy/autopsy_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MANY_SLICES	64

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

/* Is what the driver was asked for all that TensorFlow may take there, which it tells cut to whole
 * MiB? That is its pool, and no tensor. */
bool
autopsy_asks_for_pool(const struct autopsy *y)
{
	return y->main->kind == OOM_CUDA && y->limit > 0 && y->budget.pool == y->limit && y->lo >= y->limit && y->lo - y->limit < (1 << 20);
}

void
autopsy_tensorflow_start(struct autopsy *y)
{
	const struct oom_size *all = &y->log.start_total, *left = &y->log.start_free;
	char human[SIZE_TEXT], total[SIZE_TEXT];

	if (y->log.starts > 1 || (y->main->kind != OOM_CUDA && y->main->kind != OOM_TENSORFLOW &&
	    y->main->kind != OOM_TF_ALLOCATOR))
		return;
	if (left->known && left->bytes < all->bytes / 2)
		autopsy_cause(y, SAYS_AT_START, arena_printf(y->arena, "When TensorFlow found the device, %s of its %s was "
		    "free: another process, or another library of this one, had the rest, as far as no display or driver keeps it.", size_human(human, left->bytes),
		    size_human(total, all->bytes)));
	else if (left->known && autopsy_asks_for_pool(y) && y->lo > left->bytes)
		autopsy_cause(y, SAYS_AT_START, arena_printf(y->arena, "That is all that TensorFlow was to take of the device, as it said when it made it, and more than the %s that were free by then: "
		    "the fraction or limit that it was given (per_process_gpu_memory_fraction, memory_limit) is too large. It goes on with less, if it gets that.", size_human(human, left->bytes)));
	else if (left->known && y->main->kind == OOM_CUDA && y->lo > left->bytes)
		autopsy_cause(y, SAYS_AT_START, arena_printf(y->arena, "That is more than the %s that were free when TensorFlow "
		    "found the device. Where it asked at its start, the fraction that it is to take "
		    "(per_process_gpu_memory_fraction) is too large; where it did later, one tensor or one region of its pool is.", size_human(human, left->bytes)));
	else if (left->known && y->main->kind == OOM_CUDA && y->hi > 0 && y->lo > LITTLE && !backs_off(&y->log))
		autopsy_cause(y, SAYS_AT_START, arena_printf(y->arena, "That is no more than the %s that were free when TensorFlow found the device. "
		    "Another process, or another library of this one, may have taken a part since, or the driver keeps some back, "
		    "as it does for a display%s", size_human(human, left->bytes), autopsy_is_tried(y, BY_GROWTH) ?
		    ". Where it fails so with a smaller fraction of the device, or with allow_growth, too, what the run needs is more than that leaves: fewer samples at once, or smaller ones, need less." :
		    ": a smaller fraction (per_process_gpu_memory_fraction), or allow_growth, asks for less at once."));
	else if (y->main->kind == OOM_CUDA && backs_off(&y->log))
		autopsy_cause(y, SAYS_AT_START, "TensorFlow asks for nine tenths of what it was refused, until it gets a region: "
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
void
autopsy_tensorflow_graph(struct autopsy *y)
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
		autopsy_cause(y, SAYS_GROWN_GRAPH, arena_printf(y->arena, "The operation's name has %.*s in it. Where TensorFlow gave it "
		    "that, as it counts within a graph, as many were made before. Where models or operations are "
		    "made in a loop, the graph and its weights grow, unless each has a graph of its own "
		    "(tf.Graph, tf.keras.backend.clear_session()).", (int)n, s));
		return;
	}
}

/* The number in "strided_slice_2209_grad", or 0. */
static long
slices_before(const char *node)
{
	static const char slice[] = "strided_slice_";
	const char *s = strstr(node, "/StridedSliceGrad") ? strstr(node, slice) : NULL, *next;

	while (s && (next = strstr(s + 1, slice)))
		s = next;
	return s ? strtol(s + strlen(slice), NULL, 10) : 0;
}

/* Slices whose gradients are as large as what they were cut from: TensorFlow's gradient of
 * StridedSlice (array_grad.py), which AddN adds up at the end; frameworks/keras_local.h. */
void
autopsy_tensorflow_slices(struct autopsy *y)
{
	const char *node = y->main->node;
	long before = slices_before(node);

	if (y->main->kind != OOM_TENSORFLOW || y->dump.local)
		return;
	if (before >= MANY_SLICES)
		autopsy_cause(y, SAYS_SLICES, arena_printf(y->arena, "The operation makes the gradient of a slice, strided_slice_%ld: it is as large as the "
		    "whole tensor that is sliced, and zero but for its part. Where TensorFlow gave that number, as it counts within a layer, "
		    "%ld slices were made there before. The gradients of all lie on the device until they are added up: "
		    "so many times the whole tensor, however few weights there are. Keras' locally-connected layers (in implementation 1, their "
		    "default) take a slice for each position, and so does a loop over positions; implementation=3, where that version of Keras has it, or one operation for all "
		    "positions, does not.", before, before));
	else if (strstr(node, "locally_connected"))
		autopsy_cause(y, SAYS_LOCAL_LAYER, "By its name the operation is of one of Keras' locally-connected layers. In implementation 1, their default, such a "
		    "layer cuts its input into a slice for each position of its output, and in training the gradient of each slice is as large as "
		    "the whole input: positions times the input, for each sample, however few weights there are. implementation=3 (Keras 2.3, TensorFlow 1.14), which "
		    "is made for that, makes one product of it" UNTRIED(BY_BATCH, "; fewer samples in a batch make all of it smaller") ".");
}

void
autopsy_first_values(struct autopsy *y)
{
	autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, arena_printf(y->arena, "By its name the operation gives a weight, or what the optimizer keeps for it, its first values: then the batch plays no part. Where no step was run before, they are too many or "
	    "too wide for the %s (a vocabulary, a dense layer over an image), or another process has it, or models that were made before in this one.", y->main->host ? "machine" : "device"));
}
