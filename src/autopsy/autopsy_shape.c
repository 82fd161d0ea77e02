/*
 * What a message's shape says of the cause, without a network to compare it with. How its axes
 * stand is not known then: what follows from either reading is said as such.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/text.h"

#define MANY		1000	/* samples at once: more than batches of training have */
#define VERY_WIDE	200000	/* columns that by themselves are worth a word: the matrix ahead of them has as many, for each of its rows */
#define WIDE		10000	/* an extent of a matrix that is no layer's usual one */
#define MOST_KERNEL	11	/* the height and width of a filter */
#define SMALL_HOST	((int64_t)64 << 20)	/* a request that any machine with room can serve */
#define LARGE_HOST	((int64_t)16 << 30)
#define FEW_MACHINES	((int64_t)4 << 40)	/* bytes at once that are hardly ever meant */
#define MUCH_HOST	((int64_t)64 << 30)	/* that few machines have */
#define SMALL_SIDE	32	/* pixels of a region's side, */
#define MANY_PIECES	32	/* of which there are so many */
#define LONG		64	/* positions of a sequence */
#define LONG_SAMPLE	100	/* and from which their number is worth a word */
#define FEW_TABLE_ROWS	100000
#define LARGE_RESULT	((int64_t)128 << 20)	/* the same of what a convolution is known to give */
#define LARGE_SIDE	512	/* pixels along a side */
#define MOST_HEADS	32
#define LEAST_HEADS	6	/* more than the channels of pictures */
#define MANY_WEIGHTS	((int64_t)1 << 18)
#define FEW_BYTES	((int64_t)1 << 20)
#define PICTURES	32	/* of which networks of pictures have multiples on a side */
#define FEW_PIXELS	256	/* along a side of an image that is worth a word */

/* ---- TensorFlow's shapes ---- */

/* Does a name hold any of these? */
static bool
holds(const char *node, const char *const *part)
{
	while (*part && !strstr(node, *part))
		part++;
	return *part;
}

/* "gradients/conv/BatchToSpaceND_grad/SpaceToBatchND": the operation itself, by the last part of
 * its path. */
static const char *
last_part(const char *node)
{
	const char *at = strrchr(node, '/');

	return at ? at + 1 : node;
}

/* "kernel/Assign", "save/Assign_12", and not the updates of "AssignMovingAvg" and
 * "AssignSubVariableOp". */
static bool
assigns(const char *node)
{
	const char *last = last_part(node);

	return last > node && strncmp(last, "Assign", 6) == 0 && (last[6] == '\0' || (last[6] == '_' && last[7] >= '0' && last[7] <= '9'));
}

bool
autopsy_gives_first_values(const char *node)
{
	static const char *const sure[] = { "nitializer", "truncated_normal", "TruncatedNormal", NULL };

	return holds(node, sure) || assigns(node);
}

/* Or may it? Random numbers are noise's as well, and a mask's. */
static bool
may_initialize(const char *node)
{
	static const char *const random[] = { "random_uniform", "random_normal", "RandomUniform", NULL };
	static const char *const other[] = { "dropout", "Dropout", "noise", "Noise", "sampl", "augment", NULL };

	return autopsy_gives_first_values(node) || (holds(node, random) && !holds(node, other));
}

/* Filters are height, width, channels in, channels out; of volumes, a depth ahead of these. */
static bool
may_be_filter(const struct oom_shape *s)
{
	return s->dim[0] <= MOST_KERNEL && s->dim[1] <= MOST_KERNEL && (s->rank < 5 || s->dim[2] <= MOST_KERNEL);
}

/* Positions by positions, for each head and sample. */
static bool
is_square(const struct oom_shape *s)
{
	return s->rank >= 3 && s->dim[s->rank - 1] == s->dim[s->rank - 2] && s->dim[s->rank - 1] >= LONG;
}

/* Two large extents beside a smaller one may be an image's, in either order. */
static const char *
large_images(const struct autopsy *y, const struct oom_shape *s)
{
	bool last = s->rank == 4 && s->dim[3] < LARGE_SIDE;
	int64_t high = s->dim[last ? 1 : 2], wide = s->rank == 4 ? s->dim[last ? 2 : 3] : 0;

	if (strstr(y->main->node, "attn") || strstr(y->main->node, "attention") || s->rank != 4 || (y->log.paste.knobs[KNOB_LENGTH].line && s->dim[2] == s->dim[3] && s->dim[1] <= MOST_HEADS) || (!last && s->dim[1] >= LARGE_SIDE) || high < LARGE_SIDE || wide < LARGE_SIDE)
		return "";
	return arena_printf(y->arena, " Where its extents of %lld and %lld are height and width, half of each takes a "
	    "quarter.", (long long)high, (long long)wide);
}

/* Where no node is told: do a traceback or the operation's file show attention, or is the side
 * none that pictures mostly have, 416 or 640? Sequences are as long as a power of two, or as
 * they come. */
static bool
may_attend(const struct autopsy *y)
{
	int64_t side = y->main->shape.dim[3];

	return y->main->attends || (y->main->facts & TRACE_SCORES) || side % PICTURES != 0 || (side & (side - 1)) == 0;
}

/* A number for each pair of positions, for heads and samples. */
static void
of_pairs(struct autopsy *y, const struct oom_shape *s)
{
	static const char *const of_scores[] = { "attention", "Attention", "attn", "oftmax", "MatMul", "insum", "ransformer", NULL };

	if (y->main->convolves || s->rank != 4 || !is_square(s) || s->dim[3] < FEW_PIXELS || s->dim[1] > MOST_HEADS || !(y->main->node[0] ? holds(y->main->node, of_scores) : may_attend(y)))
		return;		/* a picture of as many channels is square, too */
	autopsy_cause(y, SAYS_OF_PAIRS, arena_printf(y->arena, "Where it has a number for each pair of %lld positions, as attention's scores have "
	    "for each of %lld heads, it grows with the square of the length: shorter sequences take less, and attention that "
	    "does not store them needs none of it.", (long long)s->dim[3], (long long)s->dim[1]));
}

/* What lies like a filter's weights: its height and width, and channels that are many. */
static bool
of_filter(struct autopsy *y, const struct oom_shape *s)
{
	/* what gives results alone, and has no weights */
	static const char *const of_results[] = { "Resize", "Relu", "Pool", "Norm", "Pad", "oncat", "Softmax", "psampl", NULL };
	int last = s->rank - 1;
	int64_t depth = s->rank == 5 ? s->dim[2] : 1;

	if (holds(last_part(y->main->node), of_results) || (s->rank != 4 && s->rank != 5) || !may_be_filter(s) || s->dim[0] != s->dim[1] ||
	    depth * s->dim[last - 1] * s->dim[last] < MANY_WEIGHTS)
		return false;
	autopsy_cause(y, SAYS_OF_FILTER, arena_printf(y->arena, "It has the extents of a filter's weights, %lld x %lld%s for %lld x %lld channels. Where it "
	    "is those, their gradient, or what the optimizer keeps for them, the batch plays no part in its size, and only "
	    "fewer channels do. Where it is of %s, its first extent is the batch.",
	    (long long)s->dim[0], (long long)s->dim[1], s->rank == 5 ? arena_printf(y->arena, " x %lld", (long long)depth) : "",
	    (long long)s->dim[last - 1], (long long)s->dim[last], s->rank == 5 ? "volumes" : "images"));
	return true;
}

/* Are height and width, in either order, those of a region that a detector cuts out, or of a
 * window? */
static bool
has_small_sides(const struct oom_shape *s)
{
	return s->rank == 4 && ((s->dim[1] == s->dim[2] && s->dim[1] <= SMALL_SIDE) || (s->dim[2] == s->dim[3] && s->dim[2] <= SMALL_SIDE));
}

/* The settings by which a detector's second stage sees fewer regions, where the operation's name is
 * of one; or NULL. */
static const char *
of_second_stage(const char *node)
{
	return strstr(node, "mrcnn_") ? "TRAIN_ROIS_PER_IMAGE; POST_NMS_ROIS_INFERENCE where nothing is trained" : strstr(node, "SecondStage") ? "first_stage_max_proposals" : NULL;
}

static void
of_images(struct autopsy *y, const struct oom_shape *s)
{
	const char *regions = of_second_stage(y->main->node);
	long long n = (long long)s->dim[0];

	if (autopsy_turned_filter(y, s) || (s->rank == 4 && s->dim[2] == s->dim[3] && s->dim[2] <= MOST_KERNEL && y->hi <= FEW_BYTES))
		return;		/* it may as well be a filter's weights, as cuDNN has them, */
	if (s->rank == 5 && s->dim[0] == s->dim[1] && s->dim[0] > 2 && s->dim[0] <= MOST_KERNEL)
		return;		/* or a filter's for each of several samples, as networks have that are told their style */
	if (regions && n > 1)
		autopsy_cause(y, SAYS_OF_IMAGES, arena_printf(y->arena, "Its first extent is %lld, and its operation's name is of a detector's second stage. Where these are the regions that it looks at, of all pictures "
		    "together, it, and all results of that stage, grow with their number (%s), and with the pictures at once.", n, regions));
	else if (n >= MANY)
		autopsy_cause(y, SAYS_OF_IMAGES, arena_printf(y->arena, "Its first extent is %lld. Where it is a tensor of "
		    "images, as many go through at once: pieces of a batch's (regions that a detector proposes, patches, frames), or samples, "
		    "which may then be a whole data set, such as that of tests. In parts they take a part of that.", n));
	else if (n >= MANY_PIECES && has_small_sides(s))
		autopsy_cause(y, SAYS_OF_IMAGES, arena_printf(y->arena, "Its first extent is %lld. Where it is a tensor of "
		    "images, as many go through at once: samples, or pieces of theirs (regions that a detector proposes, patches). It, and all results of "
		    "that part of the network, grow with their number.%s", n, large_images(y, s)));
	else if (n > 1)
		autopsy_cause(y, SAYS_OF_IMAGES, arena_printf(y->arena, "Its first extent is %lld. Where it is a tensor of "
		    "images, that is the batch, and it grows with it in proportion, as all results of the step do.%s", n, large_images(y, s)));
	else if (n == 1 && y->lo >= (y->main->convolves || strstr(last_part(y->main->node), "onv") ? LARGE_RESULT : LARGE_SAMPLE))
		autopsy_cause(y, SAYS_OF_IMAGES, arena_printf(y->arena, "Its first extent is 1. Where that is the batch, no smaller one is left, and it is as "
		    "large as one sample and its channels make it: crops, or tiles (of a volume blocks) one after the other, take less.%s", large_images(y, s)));
	else if (*large_images(y, s))
		autopsy_cause(y, SAYS_OF_IMAGES, large_images(y, s) + 1);
	of_pairs(y, s);
}

static void
of_matrix(struct autopsy *y, const struct oom_shape *s)
{
	int64_t wide = s->dim[0] > s->dim[1] ? s->dim[0] : s->dim[1];

	if (wide < WIDE || autopsy_extent_told(y, s) || strchr(y->main->node, '/'))	/* an operation's own name, as in "[Op:Add]", tells nothing */
		return;
	autopsy_cause(y, SAYS_OF_MATRIX, arena_printf(y->arena, "If its rows are samples, %lld went through at once%s. If it "
	    "is a weight, its gradient, or what the optimizer keeps for it, the batch plays no part, and "
	    "the extent of %lld does: a vocabulary, a number of classes, or a flattened image. If it has a number for each "
	    "pair, such as of boxes and anchors, fewer of either make it smaller.",
	    (long long)s->dim[0], s->dim[0] >= WIDE ? ", as a whole data set does at evaluation" : "",
	    (long long)wide));
}

/* What a node's name says of a matrix. */
static bool
of_named_matrix(struct autopsy *y, const struct oom_shape *s)
{
	static const char *const products[] = { "output_projection", "softmax_w", "proj/MatMul", NULL };
	static const char *const of_weights[] = { "/weights", "/Momentum", "/Adagrad", "/RMSProp", "/read", "/Variable", NULL };

	if (s->dim[0] < MANY || (strstr(y->main->node, "gradients") && strcmp(last_part(y->main->node), "MatMul_1") == 0) ||
	    holds(y->main->node, of_weights) || (!strstr(y->main->node, "logits") && (s->dim[1] < WIDE || strstr(y->main->node, "gradients") ||
	    !holds(y->main->node, products))))
		return false;
	autopsy_cause(y, SAYS_OF_NAMED_MATRIX, arena_printf(y->arena, "By its name the operation makes logits: a number for each of %lld classes or words, "
	    "for %lld samples or positions at once. Fewer of these make them smaller, and softmax, the loss and "
	    "their gradient, which take as much again.", (long long)s->dim[1], (long long)s->dim[0]));
	return true;
}

/* A product of matrices by its name, whose result has very many columns. */
static bool
of_wide_product(struct autopsy *y, const struct oom_shape *s)
{
	const char *node = y->main->node;

	if (!strchr(node, '/') || strcmp(last_part(node), "MatMul") != 0 || strstr(node, "gradients") || s->dim[1] < WIDE || s->dim[1] < s->dim[0] ||
	    (y->lo < LARGE_SAMPLE && s->dim[1] < VERY_WIDE))
		return false;
	autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, arena_printf(y->arena, "By its name the operation multiplies matrices, and its result has %lld columns. Where those are classes, or words of a "
	    "vocabulary, and its %lld rows samples or positions at once, fewer of either make it smaller, and what is made of it (softmax, a loss, gradients), which takes as much "
	    "again; a loss of some of the classes (sampled_softmax_loss) makes none of that.", (long long)s->dim[1], (long long)s->dim[0]));
	return true;
}

static bool
is_attention(const char *node)
{
	return strstr(node, "ttention") || strstr(node, "attn");
}

/* Of layers that pass messages along a graph's edges, by the names that their libraries give
 * them. */
static bool
is_of_graph(const char *node)
{
	return strstr(node, "graph_att") || strstr(node, "GraphAtt") || strstr(node, "graphatt") || strstr(node, "gat_conv") || strstr(node, "GATConv");
}

/* Are two extents beside each other the same, as the height and width of images mostly are? */
static bool
has_sides(const struct oom_shape *s)
{
	int i;

	for (i = 1; i + 1 < s->rank; i++)
		if (s->dim[i] == s->dim[i + 1] && s->dim[i] > MOST_KERNEL)
			return true;
	return false;
}

/* "bert/encoder/layer_11/intermediate/dense/mul_1": a result of a layer that works on positions as
 * rows, and neither a weight nor its gradient. */
static bool
is_of_encoder(const char *node, const struct oom_shape *s)
{
	return s->dim[0] >= MANY && strstr(node, "encoder/layer_") && (strstr(node, "/intermediate/") || strstr(node, "/output/")) && !strstr(node, "gradients") && !strstr(node, "Adam") &&
	    !strstr(node, "kernel") && !strstr(node, "read");
}

/* Where the shape is not said, the operation's name may tell what it was. */
static void
tensorflow_node(struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (o->kind == OOM_TENSORFLOW && !o->shape.known && (strstr(o->node, "cross_entropy") || strstr(o->node, "logits")))
		autopsy_cause(y, SAYS_TENSORFLOW_NODE, "By its name the operation is of logits or of the loss made from them: a number for each sample or position "
		    "and each class, which are the words of the vocabulary in a language model. " TRY BY_BATCH "A smaller batch" TRY BY_SAMPLES "shorter sequences"
		    TRY BY_ANYTHING "fewer words" TRY_END " make it smaller, and its gradient, which takes as much again.");
}

static void
tensorflow_shape(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	const struct oom_shape *s = &o->shape;

	if (o->kind != OOM_TENSORFLOW || !s->known || y->matches.all.n || (o->facts & TRACE_LOADING))
		return;
	autopsy_set_told(y, s);
	if (autopsy_all_alike(y, s))
		return;
	if (strstr(last_part(o->node), "BatchToSpace"))
		autopsy_cause(y, SAYS_DILATED, "As a rule the operation is of a dilated convolution: it puts the pixels that were apart in samples of their own back "
		    "into images. " TRY BY_BATCH "Fewer samples" TRY BY_SAMPLES "smaller images" TRY_END ", make it smaller in proportion.");
	else if (strstr(last_part(o->node), "SpaceToBatch"))
		autopsy_cause(y, SAYS_DILATED, arena_printf(y->arena, "As a rule the operation is of a dilated convolution, which puts every so many pixels "
		    "into a sample of its own: its first extent, %lld, is the samples of a batch times the dilation, once for each axis that is dilated (of pictures two). "
		    "" TRY BY_BATCH "Fewer samples" TRY BY_SAMPLES "smaller images" TRY_END ", make it smaller in proportion.", (long long)s->dim[0]));
	else if (s->rank == 3 && s->dim[2] >= WIDE && s->dim[2] / 8 > s->dim[0] && s->dim[2] / 8 > s->dim[1])
		autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, arena_printf(y->arena, "Where its last extent, %lld, is a vocabulary or a number of classes, "
		    "it has a number for each of them (logits, or codes of words), for %lld x %lld samples and positions, in either order. " TRY BY_BATCH "A smaller batch" TRY BY_SAMPLES "shorter "
		    "sequences" TRY BY_ANYTHING "fewer words" TRY_END " make it smaller, and of logits softmax, the loss and their gradient, which take as much again. Where it counts "
		    "points, pixels or samples of sound, fewer of these do.",
		    (long long)s->dim[2], (long long)s->dim[0], (long long)s->dim[1]));
	else if (s->rank >= 2 && s->dim[s->rank - 1] == s->dim[s->rank - 2] && s->dim[s->rank - 1] >= LONG && is_of_graph(o->node))
		autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, arena_printf(y->arena, "The operation's name is of attention on a graph. Where its tensor has a number for each pair of %lld "
		    "nodes, joined or not, half as many nodes take a quarter, and a layer that works on the edges alone (a sparse one) has one for each edge.", (long long)s->dim[s->rank - 1]));
	else if (s->rank == 2 && s->dim[0] >= WIDE && is_attention(o->node) && !is_of_graph(o->node))
		autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, arena_printf(y->arena, "The operation's name is of attention. Where its %lld rows are "
		    "samples, heads and positions in one, " TRY BY_BATCH "fewer samples at once" TRY BY_SAMPLES "shorter ones" TRY_FIRST "shorter samples" TRY_END ", make it "
		    "smaller; where they are words, a smaller vocabulary does.", (long long)s->dim[0]));
	else if (strncmp(o->node, "Concat", 6) == 0 && !strchr(o->node, '/') && (o->facts & TRACE_EVALUATES))
		autopsy_cause(y, SAYS_JOINED, "By the traceback the operation joins the results of all batches of predict() or evaluate() on "
		    "the device: they grow with the number of samples, not with a batch. In parts "
		    "(predict_on_batch(), whose results are moved to the machine's memory) they need not lie "
		    "there.");
	else if (autopsy_gives_first_values(o->node))
		autopsy_first_values(y);
	else if (may_initialize(o->node))
		autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, "The operation makes random numbers. Where they are a weight's first values, the batch plays no part, and "
		    "weights are too many or too wide for the device, or another process or earlier models have it; where they are noise or a mask, they "
		    "grow with what these are for.");
	else if (is_square(s) && is_attention(o->node))
		autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, arena_printf(y->arena, "The operation's name is of attention. Where its tensor has a "
		    "number for each pair of %lld x %lld positions, it grows with the square of the length, "
		    "with the heads, and with the batch.", (long long)s->dim[s->rank - 2],
		    (long long)s->dim[s->rank - 1]));
	else if (strstr(o->node, "Filter") || strstr(o->node, "kernel") ||
	    (strstr(o->node, "Adam") && !strstr(o->node, "gradients")))
		return;
	else if ((s->rank == 4 || s->rank == 5) && is_attention(o->node) && !has_sides(s))
		autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, "The operation's name is of attention. Where it is that, its tensor grows with the samples at once and "
		    "with their positions, or pixels: " TRY BY_BATCH "a smaller batch" TRY BY_SAMPLES "shorter or smaller samples" TRY_END ", make it smaller. Which extent is which the "
		    "shape does not say.");
	else if ((s->rank == 4 || s->rank == 5) && !may_be_filter(s))
		of_images(y, s);
	else if (of_filter(y, s))
		return;
	else if (s->rank == 3 && s->dim[0] >= MANY && s->dim[0] < WIDE && s->dim[1] > MOST_KERNEL)
		autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, arena_printf(y->arena, "Where its first two extents, %lld and %lld, are samples and positions (steps, words, frames), in either order, "
		    TRY BY_BATCH "a smaller batch" TRY BY_SAMPLES "shorter samples" TRY_END ", make it smaller in proportion.", (long long)s->dim[0], (long long)s->dim[1]));
	else if (s->rank == 3 && (s->dim[0] > MOST_KERNEL || s->dim[1] >= WIDE) && s->dim[0] < MANY)
		autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, arena_printf(y->arena, "Where its first extent, %lld, is the number of samples, it "
		    "grows with the batch in proportion%s.", (long long)s->dim[0], s->dim[1] < LONG_SAMPLE ? "" :
		    arena_printf(y->arena, "; and where its second, %lld, is their length (steps, words, frames), with that, too", (long long)s->dim[1])));
	else if (s->rank == 2 && is_of_encoder(o->node, s))
		autopsy_cause(y, SAYS_TENSORFLOW_SHAPE, arena_printf(y->arena, "By its name the operation is of a layer of an encoder as BERT has it. Where its %lld rows are all positions of all samples at once (the batch times the length), "
		    TRY BY_BATCH "fewer samples" TRY BY_SAMPLES "shorter ones" TRY_FIRST "shorter samples" TRY_END ", make it smaller in proportion, as all results of its layers.", (long long)s->dim[0]));
	else if (s->rank == 2 && !of_named_matrix(y, s) && !of_wide_product(y, s))
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
	autopsy_cause(y, SAYS_HOST_IMAGE, arena_printf(y->arena, "Where its last extents are height, width and colours, it is of images of "
	    "%lld x %lld pixels, decoded in the machine's memory: smaller ones, or fewer that are read ahead (queues, "
	    "prefetch, parallel calls), take less.", (long long)width, (long long)height));
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

/* Of how many things N is the number of all pairs; 0: of none, or of few. */
static int64_t
all_pairs_of(int64_t n)
{
	int64_t lo = MANY, hi = (int64_t)1 << 31, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (mid * (mid - 1) / 2 < n)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo * (lo - 1) / 2 == n ? lo : 0;
}

#define SOUND_STEPS	100000	/* of a second of sound there are 44,100, or some hundred of its spectrum */

/* One or two channels, and by far the most along the last axis: as sound has, or its spectrum; two
 * rows of whole numbers are the edges of a graph. */
static bool
may_be_sound(const struct autopsy *y, const struct oom_shape *s)
{
	int i;

	if (s->rank < 2 || s->rank > 3 || s->dim[0] > 2 || (y->main->fixed && s->rank == 2) || s->dim[s->rank - 1] < SOUND_STEPS || y->log.paste.told.graph.line)
		return false;
	for (i = 0; i < s->rank - 1 && s->dim[i] <= s->dim[s->rank - 1] / 16; i++)
		;
	return i == s->rank - 1;
}

static void
array_shape(struct autopsy *y, const struct oom_shape *s, int64_t bytes)
{
	const char *wide = y->element == 8 && !y->main->fixed && bytes > SMALL_HOST ?
	    " Its elements have 8 bytes; with 4, as float32 and int32 have, it takes half." : "";
	long long n = (long long)s->dim[0];
	bool words = strstr(y->main->extents, "vocab");		/* which are no samples */
	int64_t things = s->rank == 1 ? all_pairs_of(n) : 0;
	char count[SIZE_TEXT];

	if (bytes <= SMALL_HOST || (y->main->facts & TRACE_INITIAL))	/* a weight is neither data nor a batch */
		return;
	if (is_data_set(s) && s->rank > 3 && n >= WIDE && n % MANY == 0 && !(y->main->facts & TRACE_REPLAY))	/* as settings are, and sets are not */
		autopsy_cause(y, SAYS_ARRAY_SHAPE, arena_printf(y->arena, "Where its %lld rows are the room of a memory of what an agent sees (a replay buffer), fewer of "
		    "them (buffer_size), or smaller pictures, take less; where they are a data set, it need not lie there at once: read or converted in parts, or "
		    "mapped from a file (numpy.memmap).%s", n, wide));
	else if (is_data_set(s) && !(y->main->facts & TRACE_REPLAY) && !words)
		autopsy_cause(y, SAYS_ARRAY_SHAPE, arena_printf(y->arena, "Where its %lld rows are all there are, of a data set, a film, a "
		    "recording or a cloud of points, they need not lie there at once: read or converted in parts, or mapped from a file "
		    "(numpy.memmap).%s", n, wide));
	else if (s->rank == 2 && n >= WIDE && s->dim[1] >= WIDE)
		autopsy_cause(y, SAYS_ARRAY_EXTENTS, arena_printf(y->arena, "A matrix of %lld x %lld: it grows with the product of "
		    "the two, whether they are pairs, an image's pixels or rows of a table, and has to be made in parts or "
		    "smaller.%s", n, (long long)s->dim[1], wide));
	else if (s->rank == 3 && (s->dim[2] == 3 || s->dim[2] == 4) && n >= MANY && s->dim[1] >= MANY &&
	    bytes >= LARGE_SAMPLE)
		autopsy_cause(y, SAYS_ARRAY_SHAPE, arena_printf(y->arena, "Where its extents are height, width and colours, it is a picture of %lld x %lld "
		    "pixels: half of each side takes a quarter, and tiles one after the other a part.%s", (long long)s->dim[1], n, wide));
	else if (s->rank >= 4 && n == 1 && bytes >= LARGE_SAMPLE)
		autopsy_cause(y, SAYS_ARRAY_SHAPE, arena_printf(y->arena, "Where its first extent, 1, is a sample of %s, it takes less "
		    "cropped or coarser.%s", autopsy_shape_text(y->arena, s), wide));
	else if (may_be_sound(y, s) && bytes >= LARGE_SAMPLE)
		autopsy_cause(y, SAYS_ARRAY_SHAPE, arena_printf(y->arena, "Where its last extent, %s, is the samples of a recording, or the steps of its spectrum, all of it is there at once, and grows with how long it is: shorter "
		    "pieces, one after the other, take less.", size_commas(count, s->dim[s->rank - 1])));
	else if (s->rank == 3 && n == s->dim[1] && n == s->dim[2] && bytes >= LARGE_SAMPLE)
		autopsy_cause(y, SAYS_ARRAY_SHAPE, arena_printf(y->arena, "Where its extents are a volume's, of %lld to a side, half of each side takes "
		    "an eighth, and blocks one after the other a part.%s", n, wide));
	else if (s->rank >= 2 && n >= MANY && bytes >= LARGE_SAMPLE && !(y->main->facts & TRACE_REPLAY) && !words)
		autopsy_cause(y, SAYS_ARRAY_SHAPE, arena_printf(y->arena, "Its first extent is %lld. Where those are samples, or as many as a memory "
		    "of them has room for (a replay buffer), fewer of them take less.%s", n, wide));
	else if (things > 0)
		autopsy_cause(y, SAYS_ARRAY_EXTENTS, arena_printf(y->arena, "It has as many elements as there are pairs of %s things, as distances of all pairs have (SciPy's pdist, "
		    "which hierarchical clustering takes): half as many things have a quarter of them.%s", size_commas(count, things), wide));
	else if (*wide)
		autopsy_cause(y, SAYS_ARRAY_EXTENTS, wide + 1);
}

#define OF_COLOURS	3	/* bytes of a pixel */
#define MANY_FRAMES	1000

/* A frame of a film, by its bytes and a name of what reads one: those before it may be kept. */
static void
frame_of_film(struct autopsy *y)
{
	static const int sides[][2] = { { 640, 480 }, { 854, 480 }, { 1280, 720 }, { 1920, 1080 }, { 2560, 1440 }, { 3840, 2160 }, { 4096, 2160 }, { 720, 1280 }, { 1080, 1920 } };
	const struct oom_knob *films = &y->log.paste.domains[DOMAIN_FILMS];
	char all[SIZE_TEXT];
	int64_t bytes;
	size_t i;

	for (i = 0; films->line && i < sizeof(sides) / sizeof(*sides); i++) {
		bytes = (int64_t)sides[i][0] * sides[i][1] * OF_COLOURS;
		if (y->lo != bytes || y->hi != bytes)
			continue;
		autopsy_cause(y, SAYS_DOMAIN, arena_printf(y->arena, "Line %d names %s, and what was asked for is as large as a picture of %d x %d. Where frames of a film are kept as they are read (on a list), each takes that much, and "
		    "%d of them %s: smaller frames, a part of the film at a time, or one after the other take less.", films->line, films->name, sides[i][0], sides[i][1], MANY_FRAMES, size_human(all, MANY_FRAMES * bytes)));
		return;
	}
}

/* Has it been told that the array is one-hot? A place of each of its rows is written then, and so
 * each of its pages. */
static bool
is_coded(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->causes.n && y->causes.v[i].kind != SAYS_EXTENTS_CODED; i++)
		;
	return i < y->causes.n;
}

static void
host_request(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	int64_t bytes = y->lo + (y->hi - y->lo + 1) / 2;
	const char *human;
	bool pictures = strcmp(o->who, "OpenCV") == 0;

	if (strcmp(o->who, "R") == 0 && o->size[OOM_LIMIT].known)
		autopsy_cause(y, SAYS_HOST_REQUEST, arena_printf(y->arena, "The limit in this message, of all of R's vectors together, is %s; what was asked for, it "
		    "does not say.", autopsy_size_text(y->arena, o->size[OOM_LIMIT].bytes, o)));
	if (y->lo <= 0 || (o->kind != OOM_NUMPY && o->kind != OOM_PYTORCH_CPU && o->kind != OOM_PADDLE && strcmp(o->who, "R") != 0 && !pictures))
		return;
	human = autopsy_size_text(y->arena, bytes, o);
	if (bytes <= SMALL_HOST)
		autopsy_cause(y, SAYS_HOST_REQUEST, arena_printf(y->arena, "Only %s was asked for: the machine's memory, or the "
		    "part of it that this process may have, had no room even for that. What has the rest "
		    "matters, not this request.", human));
	if (pictures)
		frame_of_film(y);
	if (bytes <= SMALL_HOST)
		;
	else if (bytes >= LARGE_HOST && y->lo < IMPOSSIBLE && !(o->facts & TRACE_INITIAL))
		autopsy_cause(y, SAYS_HOST_REQUEST, arena_printf(y->arena, "The request is for %s in one piece, which the system has to grant whole. "
		    "%s%s",
		    human, bytes >= FEW_MACHINES ? "Few machines have as much: either the size itself is wrong, as when it is computed from something that was never set, or runs over; or it is the product of extents that need not be multiplied, such as a number for each pair." :
		    "In parts, or of less (fewer or smaller samples, rows, images, frames), it needs less.", strcmp(o->who, "R") == 0 && y->log.paste.windows ? " " PROMISED R_PROMISED : y->log.paste.zeros && o->kind == OOM_NUMPY && bytes >= MUCH_HOST && !is_coded(y) ?
		    arena_printf(y->arena, " Where line %d makes it of zeros (numpy.zeros), and few of them are ever written, Linux grants it with vm.overcommit_memory=1.", y->log.paste.zeros) : ""));
	else if (bytes < LARGE_HOST && pictures)
		autopsy_cause(y, SAYS_HOST_REQUEST, arena_printf(y->arena, "One matrix of %s was to be made. Where it is a picture, or made of one, it grows with the picture's pixels, and what works on "
		    "several scales makes larger ones: half of each side takes a quarter.", human));
	else if (bytes < LARGE_HOST && o->kind == OOM_PYTORCH_CPU && y->causes.n == 0)
		autopsy_cause(y, SAYS_HOST_REQUEST, arena_printf(y->arena, "One tensor of %s was to be made in the machine's memory. Where it is a "
		    "layer's result or a batch, it grows with the samples at once and their size. "
		    "A weight, or a whole graph or data set, is as large at any batch.", human));
	if (o->shape.known && bytes > SMALL_HOST)
		autopsy_extent_told(y, &o->shape);
	if (o->shape.known)
		array_shape(y, &o->shape, bytes);
	if (o->kind == OOM_PADDLE && o->node[0])
		autopsy_cause(y, SAYS_HOST_REQUEST, arena_printf(y->arena, "It failed in %s. Where that is of the network, it ran on the processor: "
		    "what it needs grows with the number and the size of samples at once.", o->node));
	if (o->windows && bytes < MUCH_HOST && (y->log.paste.windows || !y->log.paste.android))
		autopsy_cause(y, SAYS_HOST_REQUEST, "PyTorch says it so on Windows and on Android. " PROMISED);
}

/* A result of the network, on the processor: its node says so, and its shape has samples. */
static void
host_result(struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (o->kind != OOM_TENSORFLOW || !o->shape.known || autopsy_all_alike(y, &o->shape) || !o->node[0] || o->shape.rank < 4 || o->shape.rank > 5 ||
	    may_be_filter(&o->shape) || o->shape.dim[o->shape.rank - 1] <= 4 || may_initialize(o->node))
		return;
	autopsy_cause(y, SAYS_HOST_RESULT, arena_printf(y->arena, "By its shape it may be a layer's result. Then the network itself ran on the "
	    "processor, in the machine's memory, and where its first extent, %lld, is the number of samples, all results of the step "
	    "grow with the batch in proportion.", (long long)o->shape.dim[0]));
}

/* Attention's scores, where no operation's name tells which tensor it is. */
static void
host_scores(struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (o->kind == OOM_TENSORFLOW && !o->node[0] && o->shape.known && !may_be_filter(&o->shape) && o->shape.dim[0] > 1 && (y->main->attends || (o->facts & TRACE_SCORES) || o->shape.dim[1] >= LEAST_HEADS))
		of_pairs(y, &o->shape);
}

void
autopsy_shape_causes(struct autopsy *y)
{
	if (!y->main->host && !y->module) {
		tensorflow_node(y);
		tensorflow_shape(y);
	}
	if (!y->main->host || y->matches.all.n)
		return;
	if (!y->module && autopsy_gives_first_values(y->main->node))
		autopsy_first_values(y);
	host_request(y);
	host_image(y);
	host_result(y);
	host_scores(y);
}
