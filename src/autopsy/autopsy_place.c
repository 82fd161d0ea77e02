/*
 * What the place where memory ended says of the cause: the traceback's calls and line of code
 * (oom/oom_trace.h), and what ggml and XLA say a buffer is for. What a place does not show, such as
 * whether torch.no_grad() stands within a function, is said as a condition.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

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
		place_cause(y, SAYS_LOADING, arena_printf(y->arena, "By the traceback it failed while weights were put on "
		    "the device or converted there, not in a step, where a batch would need room%s.%s", b->total > 0 && b->allocated >= 0 ? arena_printf(y->arena,
		    ", and this process's tensors had %s of the device's %s by then%s",
		    size_human(had, b->allocated), size_human(all, b->total), b->allocated < b->total / 2 ? "" :
		    ", this model's own or those of others that were made before in the same process (trials, cells of a notebook), which "
		    "have to be let go of first") : "", o->kind == OOM_CUDA && !o->says ?
		    " Where they are far less than it has, " OTHERS_THERE : ""));
	else if ((o->facts & TRACE_INITIAL) && !(o->facts & (TRACE_FORWARD | TRACE_LATE)))
		place_cause(y, SAYS_LOADING, arena_printf(y->arena, "By the traceback it failed where a layer of PyTorch is made, and its weights with it, whose size no "
		    "batch changes.%s", o->kind == OOM_CUDA && !o->says ?
		    " Where that was ahead of the first step, and they are far less than the device has, " OTHERS_THERE : ""));
	if ((o->facts & TRACE_FIRST) && !(o->facts & TRACE_LOADING))
		place_cause(y, SAYS_LOADING, "It failed at the first call of the device, before this process had "
		    "anything there: where the device is full, that is another process's, which " LISTER
		    " lists; else the driver was refused memory of the machine or the addresses that it reserves (ulimit -v).");
}

/* What the optimizer's step was given to call is no step of it. */
bool
autopsy_in_update(const struct oom_message *o)
{
	return (o->facts & TRACE_STEP) && !(o->facts & (TRACE_BACKWARD | TRACE_FORWARD));
}

static void
step(struct autopsy *y)
{
	if (!autopsy_in_update(y->main))
		return;
	place_cause(y, SAYS_STEP, y->main->facts & TRACE_STATE ? "By the traceback it failed where the optimizer makes "
	    "what it keeps: numbers for each element of a weight (Adam two, in float32 as a rule), made "
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

static void
evaluation(struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (y->validation || !(autopsy_is_torch(o) || (o->kind == OOM_TOLD && o->traced && autopsy_in_torch(y))))
		return;
	if (y->log.no_volatile && y->log.no_volatile < o->line && !(o->facts & (TRACE_BACKWARD | TRACE_STEP))) {
		place_cause(y, SAYS_VOLATILE_WARNED, arena_printf(y->arena, "On line %d PyTorch warns that volatile has no effect any "
		    "more. Where what failed is of that code, what it was to switch off is on, so autograd keeps all that forward makes. "
		    "torch.no_grad() takes its place.", y->log.no_volatile));
		return;
	}
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

	return !y->validation && (autopsy_is_torch(o) || (o->kind == OOM_TOLD && o->traced && autopsy_in_torch(y))) && (o->function[0] || is_beside_bar(y)) &&
	    !(y->log.no_volatile && y->log.no_volatile < o->line) && !((o->facts & TRACE_JOIN) && (o->facts & TRACE_EVALUATES)) &&
	    !(o->facts & (TRACE_NO_GRAD | TRACE_TRAINER | TRACE_LOADING | TRACE_BACKWARD | TRACE_STEP));
}

/* Beside what else is known of it. */
void
autopsy_tests(struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (!autopsy_in_tests(y) || y->log.paste.no_grad)
		return;
	place_cause(y, SAYS_EVALUATION, arena_printf(y->arena, "%s. Where gradients are off there (torch.no_grad()%s within it or around a call of it, of which %s shows nothing), what is given at once decides, "
	    "its own batch and the size of its samples, beside weights and results that are kept. Where they are not, autograd keeps all that forward makes, as if to "
	    "train on it, and results hold it from batch to batch.", o->function[0] ?
	    arena_printf(y->arena, "By the traceback it failed in %s()", o->function) :
	    "By the title of its bar of progress it was evaluating", autopsy_or_volatile(y), o->function[0] ? "a traceback" : "a bar"));
}

static void
keras_forward(struct autopsy *y)
{
	if (y->main->run == RUN_PREDICTS)
		place_cause(y, SAYS_KERAS_FORWARD, "By its name the function that ran is that of Keras' predict(): forward only, in batches of its own, "
		    "whatever training had. Smaller ones take less and give the same: batch_size of predict(), 32 where arrays are given "
		    "without one, or that of the data set it is given.");
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
		    "results of layers, which grow with the samples at once and their size (pixels, length).");
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

struct place_cause {		/* a cause that a place shows by itself, and of which facts (TRACE_) */
	uint64_t any, all, unless;
	const char *cause;
};

/* Whatever the figures are, the place by itself shows what the memory was for. */
static const struct place_cause place_causes[] = {
	{ TRACE_SPREAD, 0, TRACE_BACKWARD, "By the traceback it failed where DataParallel copies inputs or weights to its devices, before a layer of that step "
	    "ran. In the first step a device had no room for those then: another process may have it, which " LISTER " lists; in a later one, "
	    "tensors of the steps before may lie there." },
	{ TRACE_GATHERS, TRACE_LOADING, TRACE_GENERATES, "By the traceback it failed where a state dict is loaded to weights that are split among devices. What comes whole, read by each rank or "
	    "sent by one to the others (broadcast_from_rank0), may lie on a device for that, beside its part; a sharded one, of which each reads its own part, does not. "
	    "The batch plays no part." },
	{ TRACE_GATHERS, TRACE_GENERATES, 0, "By the traceback it failed where weights that are split among devices are put "
	    "together, to be run, so that a device holds more of them than its part. The batch "
	    "plays no part. TRL generates without with ds3_gather_for_generation=False." },
	{ TRACE_GATHERS, 0, TRACE_LOADING | TRACE_GENERATES, "By the traceback it failed where weights that are split among devices are put "
	    "together, to be saved or run, so that a device holds more of them than its part. The batch "
	    "plays no part. " UNTRIED(BY_OFFLOADING, "For a state dict that is saved, FSDP gathers them in the machine's memory with "
	    "FullStateDictConfig(offload_to_cpu=True, rank0_only=True), and a sharded one gathers nothing.") },
	{ TRACE_SAVES, 0, TRACE_GATHERS | TRACE_TWICE, "By the traceback it failed while weights were saved or made ready for it, beside all that "
	    "training has there: what makes copies of them on the device for that needs room. bitsandbytes does, for weights in "
	    "8 bits, which it puts into another order, and apex, which makes numbers of 32 bits of those of 16. The batch plays a part only by what it leaves free; saving only what is trained (an "
	    "adapter), or from copies in the machine's memory, needs less." },
	{ TRACE_GENERATES, 0, TRACE_NO_BATCH, "By the traceback a model was generating (a text, or what else it writes token by token): keys and values of attention are "
	    "kept for all of its positions and those of the prompt, and, where scores are stored, a number for each pair of the "
	    "prompt's: " TRY BY_SAMPLES "shorter prompts and results (max_new_tokens)" TRY BY_BATCH "fewer at once" TRY_FIRST "fewer texts at once" TRY BY_ANYTHING "fewer beams (num_beams)" TRY_END " take less." },
	{ TRACE_REDUCES, 0, 0, "The line of code makes DeepSpeed's buffer in which values go from device to device: "
	    "it has as many elements as reduce_bucket_size, or allgather_bucket_size, says, and a smaller one "
	    "takes less. The batch plays no part in its size." },
	{ TRACE_PROFILES, 0, TRACE_GRAPH, "By the traceback it failed in the server's trial run, which is as large as what it "
	    "may be asked for at once: fewer tokens or sequences side by side (max_num_batched_tokens, "
	    "max_num_seqs), a shorter max_model_len, fewer or smaller images for each request, or weights in fewer "
	    "bits or on more devices leave room for it." },
	{ TRACE_PAIRS, 0, 0, "By the traceback it failed where boxes are compared with all others "
	    "(anchors, predictions): that grows with the product of their numbers, so one image with many "
	    "takes far more than the rest. Fewer of them at once, by crops or a limit, or comparing those "
	    "images on the processor (gpu_assign_thr in MMDetection; retry_if_cuda_oom in Detectron2), bound it." },
	{ TRACE_COMPOSED, 0, 0, "By the traceback it failed in torchvision's roi_align as it is made of PyTorch's own "
	    "operations, which takes the place of the compiled one where torch.use_deterministic_algorithms(True) asks "
	    "for the same result every time, or where that one is missing. It has a number for each proposal, channel, cell and "
	    "position that is sampled, and where sampling_ratio is not set, for every position of the map. Without "
	    "that setting, with a sampling_ratio, or by torch.compile it takes a part of that." },
	{ TRACE_PASTES, 0, 0, "By the traceback it failed where masks that were found are drawn at the size of their pictures, as "
	    "large as those were before they were scaled: a number for each pixel and each object, in torchvision of 4 "
	    "bytes, and as much again while they are put together, in Detectron2 of one byte beside working memory. Fewer "
	    "objects (box_detections_per_img, TEST.DETECTIONS_PER_IMAGE, a higher threshold of scores) or smaller pictures "
	    "take less; masks as the network makes them (do_postprocess=False in Detectron2's inference()), drawn one by "
	    "one or in the machine's memory, need not lie there at once." },
	{ TRACE_MASKS, 0, TRACE_COMPOSED | TRACE_PASTES, "By the traceback it failed where the loss of masks is made: of those that "
	    "are known, torchvision takes all of a picture's there at the picture's size, 4 bytes a pixel, "
	    "and of those that are found there is a small one for each class and each proposal that shows something. One picture with many "
	    "objects takes far more than the rest: crops, smaller pictures, or fewer proposals "
	    "(box_batch_size_per_image in torchvision, MODEL.ROI_HEADS.BATCH_SIZE_PER_IMAGE in Detectron2) bound it." },
	{ TRACE_ROIS, 0, TRACE_PAIRS | TRACE_COMPOSED | TRACE_PASTES | TRACE_MASKS, "By the traceback it failed in the second stage of "
	    "a detector, whose layers run on all proposals at once: their results grow with the number of those, not with the size of the "
	    "pictures. In training that is 512 a picture unless it is set (box_batch_size_per_image in torchvision, "
	    "MODEL.ROI_HEADS.BATCH_SIZE_PER_IMAGE in Detectron2), in tests as many as are left of overlapping ones, at most "
	    "1000 unless it is set (rpn_post_nms_top_n_test, MODEL.RPN.POST_NMS_TOPK_TEST). What the first stage made "
	    "is there, too, and grows with the pictures and their pixels." },
	{ TRACE_EDGES, 0, 0, "By the traceback it failed where messages are sent along the edges of a graph: such "
	    "results have a row for each edge, however few nodes a loss is asked of. Neighbours that are "
	    "sampled, products with a sparse matrix in place of messages, or fewer features take less." },
	{ TRACE_DENSE, 0, 0, "By the traceback it failed where a graph is made a dense matrix, a number for each pair of "
	    "its nodes, however few edges it has: that grows with the square of the nodes at once. Sampled or "
	    "smaller graphs, or what works on edges alone, take less." },
	{ TRACE_ALL_PAIRS, 0, TRACE_PAIRS | TRACE_SCORES | TRACE_ATTENTION | TRACE_NO_BATCH, "By its words the code there makes, where "
	    "both that it takes are sets (of nodes, points or patches; a recording's frames and a text's tokens), a number, or several, for each pair of them, and for each sample where a batch has several: that grows with the product of their "
	    "numbers, which is the square where the sets are the same. Fewer of them (smaller images or graphs, shorter recordings), or a part of "
	    "one set after the other, take less." },
	{ TRACE_SPLATS, 0, 0, "The line of code renders Gaussians, or adds some: what it makes grows with their number, which "
	    "densification raises as training goes on, and an image's buffers with the tiles that each covers and with its pixels, too. A bound on their "
	    "number (a higher densify_grad_threshold, an earlier densify_until_iter, a cap), or smaller images "
	    "(--resolution) take less." },
	{ TRACE_CAMERAS, 0, 0, "By the traceback it failed while the images of all cameras were loaded, which lie on the "
	    "device from then on unless they are told not to (--data_device cpu); smaller ones (--resolution) or "
	    "fewer take less." },
	{ TRACE_RAYS, 0, 0, "By the traceback it failed where rays are rendered: the network runs for each sample along each ray that "
	    "is taken at once. " TRY BY_PARTS "Fewer rays or points at once (chunk, netchunk, a smaller batch of rays)" TRY BY_ANYTHING "fewer samples along "
	    "each ray" TRY_END ", take less." },
	{ TRACE_WINDOWS, 0, 0, "By the traceback it failed where a volume is gone over in windows: as many at once as "
	    "sw_batch_size says, each as large as roi_size, and results for the whole volume lie on the device unless "
	    "they are told not to (device=\"cpu\")." },
	{ TRACE_BUCKETS, 0, 0, "By the traceback it failed where DistributedDataParallel is set up: it makes "
	    "buffers for all gradients, as many bytes as weights that are trained have. The batch plays no "
	    "part." },
	{ TRACE_MASTER, 0, TRACE_PINNED, "By the traceback it failed where DeepSpeed's or Megatron's optimizer is set up: " MASTER_COPIES },
	{ TRACE_TWICE, 0, TRACE_BACKWARD, "By the traceback it failed where a network is copied, as an average of weights (EMA) or "
	    "a teacher does: its weights lie there twice for as long as the copy is held. The batch plays no part." },
	{ TRACE_DECODER, 0, TRACE_LOADING, "By the traceback it failed where an autoencoder (VAE) makes or "
	    "reads what it is for. Where those are images or films, its first and last layers have their full height and width, and take more with each pixel, "
	    "frame and image at once: " TRY BY_TILES "in tiles (enable_vae_tiling in diffusers)" TRY BY_ANYTHING "in slices" TRY BY_ANYTHING "one by one" TRY_END " they "
	    "need a part of that." },
	{ TRACE_PIECES, 0, TRACE_JOIN | TRACE_LOADING | TRACE_CACHE, "The line of code joins pieces to one tensor, "
	    "so that pieces and whole lie there at once. Smaller or fewer ones take less; where nothing is "
	    "trained on them, pieces that are moved to the machine's memory as they come (.cpu()) leave the "
	    "device their room." },
	{ TRACE_WHOLE, 0, 0, "By its names the line of code takes a whole set of samples at once. Unless that is "
	    "a batch of it, batches, as a DataLoader makes them, take a part of that." },
	{ TRACE_CASTS, 0, TRACE_BACKWARD | TRACE_STEP, "By the traceback it failed where what a network gives is copied to float32, beside what it is in 16 bits: in a language model "
	    "that is a number for each position and each word of the vocabulary. " TRY BY_SAMPLES "Shorter sequences" TRY BY_BATCH "fewer at once" TRY_FIRST "fewer sequences at once" TRY_END " make both smaller; a loss that "
	    "takes the network's results in parts needs no copy of all of them." },
	{ TRACE_RETAINS, 0, 0, "The line of code tells backward to keep the graph (create_graph, retain_graph). "
	    "Where that is true, what forward keeps stays as long as the loss or a gradient made so is held, "
	    "and adds up from step to step if they are; create_graph needs what backward makes, too." },
	{ TRACE_TEST_NET, 0, 0, "By the stack it failed while Caffe made the network of tests, beside that of "
	    "training: its data layer has a batch of its own (phase TEST), and the results of both networks "
	    "lie there." },
	{ 0, 0, 0, NULL }
};

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
	else if ((facts & TRACE_CACHE) && y->main->traced && autopsy_is_torch(y->main))
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

static const struct place_cause host_causes[] = {
	{ TRACE_SHARED, 0, 0, "By the traceback it failed where a loader's process puts a batch into shared memory "
	    "(/dev/shm)" UNTRIED(BY_ROOM, ", of which Docker gives a container 64 MiB, unless --shm-size (or --ipc=host) says "
	    "otherwise") ". " TRY BY_WORKERS "Fewer loader processes" TRY BY_BATCH "smaller batches" TRY_END ", need less of it." },
	{ TRACE_READS, 0, 0, "The line of code reads a file as a whole. In parts (chunksize, an iterator), or, "
	    "of an array of numbers, mapped (mmap_mode=\"r\"), it need not lie there at once." },
	{ TRACE_DATASET, 0, TRACE_READS | TRACE_ALL_PAIRS, "By the traceback it failed in a function whose name says that it makes or reads the data set: where "
	    "that is all of it at once, it lies there whole. Where samples are read as they are needed (a Dataset that opens "
	    "a file for each, a generator, numpy.memmap), a batch does, and what is read ahead." },
	{ TRACE_INITIAL, 0, TRACE_UNITS, "By the traceback it failed where a layer's weights get their first values. An embedding has a row of them for "
	    "each word, a recurrent layer about as many as the square of its units, a convolution a filter for each channel that goes in and each "
	    "that comes out, a dense one a number for each unit and each number that goes into it: fewer of these make it smaller. The batch plays no part." },
	{ TRACE_INITIAL, TRACE_UNITS, 0, "By the traceback it failed where a layer's weights get their first values. A dense layer has one for each "
	    "of its units and each number that goes into it, which behind a flattened picture are all of its pixels and channels: "
	    "fewer units, or a smaller picture ahead of it (pooling, strides), make it smaller in proportion. The batch plays no part." },
	{ TRACE_SPAWNED, 0, 0, "The line of code reads what a new process is given by the one that began it: where processes are "
	    "spawned, as on Windows, each has a copy of its own of what it is given. Where it is a data loader's, that is the "
	    "data set as it is: fewer loader processes (num_workers), or a data set that opens files when it is asked, take "
	    "less." },
	{ TRACE_REPEATS, 0, 0, "The line of code repeats an array: the result is as many times as large as it is told, and where that "
	    "is the number of rows of another, it has something for each pair. Broadcasting (an axis of one in place of "
	    "copies), or a part after the other, takes less." },
	{ TRACE_ARRAY, 0, TRACE_SPARSE, "The line of code makes a new array from what it is given, and both "
	    "are held at once. In parts, or into an array that is there, one is enough." OF_DOUBLES(" Where its values need no 8 bytes each, fewer (dtype) take less.") },
	{ TRACE_ENTRY, 0, 0, "The line of code puts one more into what holds others, as a list does. Where it is one of many, such as a word's "
	    "vector, a sample or a place in a file, all of them together are what takes the memory: those that are needed alone, 4 bytes an element in place of 8, "
	    "numbers in an array in place of objects on a list, one array that is made for all of them ahead, or a part after the other, take less." },
	{ TRACE_SPARSE, 0, 0, "By the traceback a sparse matrix is made dense: a number for each of its rows and columns, "
	    "however few are not zero. Kept sparse, or made dense by a few rows at once, it needs a part of that." },
	{ TRACE_LOADING | TRACE_CHECKPOINT, 0, TRACE_FORWARD | TRACE_PINNED, "By the traceback it failed while weights were made in the machine's memory, read into it or moved there. Where they are read, a model's "
	    "own and those of its file may lie there together, the model's in float32 unless it is told otherwise: half of "
	    "that in 16 bits (torch_dtype), and one of the two where they are read one by one (low_cpu_mem_usage=True in "
	    "transformers, a file in parts, safetensors). The batch plays no part." },
	{ TRACE_PACKS, 0, 0, "By the traceback it failed where a new process is made that shares nothing with this one (spawned, as on Windows): what it is "
	    "given is packed for it, and lies there once more meanwhile, and then in the new process. Where it is a data loader's, that is the data set "
	    "as it is: fewer loader processes (num_workers), or a data set that opens files when it is asked, take less." },
	{ TRACE_FORKS, 0, TRACE_PACKS, "By the traceback it failed where a process is made. On Linux it begins as a copy of this one, and "
	    "where this one is large the kernel may refuse to promise as much again, although little of it would be "
	    "written. Processes that are made before the data are read, fewer of them (workers), smaller data, or another "
	    "way to begin them (\"spawn\", \"forkserver\") help, and so does a kernel that promises more "
	    "(vm.overcommit_memory=1, swap)." },
	{ TRACE_MAKES, 0, TRACE_ARRAY | TRACE_SPARSE | TRACE_REPLAY, "The line of code makes an array of a size that it is told, all at once" OF_BYTES(": fewer bytes an element take less") ". Where it is a "
	    "memory of what was seen, or a table of all samples, a shorter one, or one in a file (numpy.memmap), takes less." },
	{ TRACE_PIECES, 0, TRACE_JOIN | TRACE_ARRAY | TRACE_LOADING | TRACE_CACHE, "The line of code joins pieces to one tensor, so that pieces and whole lie there at once, and the whole grows with how "
	    "many pieces there are. Results that are reduced to what is asked of them as they come (sums, argmax), or written to files in parts, take less." },
	{ TRACE_JOIN, 0, TRACE_ARRAY, "By the traceback it failed where results are joined: they grow with the number "
	    "of samples that are evaluated, not with a batch. Reduced first to what is asked of them "
	    "(argmax; in transformers preprocess_logits_for_metrics), or in parts (predict_on_batch() in Keras), they take less." },
	{ 0, 0, 0, NULL }
};

static void
host_places(struct autopsy *y)
{
	uint64_t facts = y->main->facts;

	if ((facts & TRACE_CACHE) && y->main->kind == OOM_HOST)
		cache(y);
	if ((facts & TRACE_COMPUTE) && y->main->kind == OOM_HOST)
		results(y);
	by_table(y, SAYS_HOST_PLACES, host_causes);
	if ((facts & TRACE_REPLAY) && !y->log.replay)
		place_cause(y, SAYS_HOST_PLACES, "By the traceback it failed in a memory of what was seen (a replay buffer), whose arrays are made as "
		    "long as it is told, or grow until then: fewer entries, or of fewer bytes (images as uint8, each of them once), "
		    "take less.");
	extents_named(y);
	if ((facts & TRACE_MAKES) && y->main->traced && ends_in_classes(y->main->extents))
		place_cause(y, SAYS_EXTENTS_CODED, arena_printf(y->arena, "By its name the last extent of the array (%s) is how many classes, words or signs there are: a number for each "
		    "of them at each place (one-hot). Their own numbers, with a loss that takes those (sparse_categorical_crossentropy, CrossEntropyLoss), or batches that are coded as they "
		    "are used, take a part of that.", y->main->extents));
	if ((facts & TRACE_WHOLE) && y->main->kind == OOM_PYTORCH_CPU)
		place_cause(y, SAYS_HOST_PLACES, "By its names the line of code puts a whole set of samples into one tensor. Unless that is a batch of it, a tensor "
		    "that is made for each sample as it is asked for (a Dataset), or fewer or shorter samples, take less.");
	if (facts & (TRACE_RETAINS | TRACE_MASKS | TRACE_PASTES | TRACE_EDGES | TRACE_DENSE | TRACE_ALL_PAIRS))
		by_table(y, SAYS_BY_PLACE, place_causes);
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
		return;
	}
	loading(y);
	step(y);
	evaluation(y);
	keras_forward(y);
	by_table(y, SAYS_BY_PLACE, place_causes);
	line_of_code(y);
	captured(y);
	not_allocator(y);
	backward(y);
	forward(y);
	parallel(y);
	ggml(y);
}
