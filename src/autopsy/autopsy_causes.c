/*
 * What the log gives evidence of: why a run that should have fitted did not, and what of the
 * machine's memory was full. Each cause quotes what it rests on; without such evidence it is not
 * mentioned.
 */
#include "autopsy/autopsy_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ir/op.h"
#include "plan/plan.h"

#define MANY_ROWS	10000	/* of a matrix that is no layer's usual one */

#define SMALL_LIMIT	((int64_t)1 << 30)	/* no card is as small as that */
#define SMALL_SHARE	500	/* thousandths of the device: no framework's default is as small */
#define SEVERAL_MODELS	4	/* more than the parts of one network, such as an encoder and two decoders */
#define CONTEXT		((int64_t)3 << 29)	/* what CUDA and its libraries have at most of a card */

/* ---- the machine's memory ---- */

/* Samples of the network's input: a batch, or the data set. */
static const char *
of_input(const struct autopsy *y, const struct shape_match *s)
{
	const struct settings *set = &y->module->set;
	const char *name = s->tensor->name, *wide = y->element == 8 ?
	    " In float32 it takes half of these bytes." : "";

	if (s->batch == set->data.samples || s->batch == set->validate_data.samples)
		return arena_printf(y->arena, "These are all %lld samples of '%s' at once: the data "
		    "set as one array. Read it in parts, or map the file (numpy.memmap); the batch "
		    "plays no part.%s", (long long)s->batch, name, wide);
	if (s->batch > 16 * y->said_batch)
		return arena_printf(y->arena, "These are %lld samples of '%s' at once, where a batch "
		    "of the spec has %lld: more likely the data set than a batch of it.%s",
		    (long long)s->batch, name, (long long)y->said_batch, wide);
	if (s->batch != y->said_batch && s->batch != set->batch)
		return arena_printf(y->arena, "These are %lld samples of '%s' in the machine's memory, a batch of them or a part of the data set: "
		    "fewer at once take less.%s", (long long)s->batch, name, wide);
	return arena_printf(y->arena, "This is a batch of '%s' in the machine's memory: a smaller "
	    "batch makes it smaller.%s", name, wide);
}

static const char *
of_host_tensor(const struct autopsy *y, const struct shape_match *s)
{
	const struct tensor *t = s->tensor;

	if (t->kind == T_INPUT || t->kind == T_TARGET)
		return of_input(y, s);
	if (tensor_kind_persistent(t->kind))
		return arena_printf(y->arena, "It has the shape of %s. Where it is that weight, its gradient or what the "
		    "optimizer keeps for it, the batch plays no part.", t->name);
	if (autopsy_is_array(y))
		return arena_printf(y->arena, "It has the shape of the result of %s for %lld samples, but an array of NumPy is no "
		    "tensor of a step. Where it is results that were fetched, as predict() joins them, they grow with the "
		    "samples that are asked for, not with the batch.", t->def ? t->def->path : t->name, (long long)s->batch);
	return arena_printf(y->arena, "It has the shape of the result of %s. Where it is that, the network itself ran "
	    "on the processor, and it grows with the batch in proportion.",
	    t->def ? t->def->path : t->name);
}

static void
host_causes(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	bool loads = *autopsy_worded(y, IN_TORCH("PyTorch")) || !*autopsy_worded(y, IN_KERAS("TensorFlow"));	/* no other framework alone was seen */

	if (o->kind == OOM_CUDA && !o->says)
		autopsy_cause(y, SAYS_PINNED, arena_printf(y->arena, "This is pinned memory: pages of the machine that a driver locks, so that "
		    "copies to a device are fast. What may take it: batches that are read ahead, results that are fetched%s.", loads ? ", and in "
		    "PyTorch loaders that pin (pin_memory=True)" : ""));
	if (o->shape.known && y->matches.all.n)
		autopsy_cause(y, SAYS_HOST_TENSOR, of_host_tensor(y, &y->matches.all.v[0]));
}

/* ---- the device's ---- */

static bool
is_part(const char *name, const char *s, size_t n)
{
	return strlen(name) == n && strncmp(name, s, n) == 0;
}

/* In "training_10/Adam/gradients", how many were made before: the first such scope has no number. A
 * model that is given no name is model or, by itself in older Keras, model_1. */
static const char *
numbered_part(const char *node, const char *const *counted, size_t *n, long *number)
{
	const char *s = node, *digits;
	char *end;
	int i;

	for (; *s; s += strcspn(s, "/"), s += *s == '/') {
		*n = strcspn(s, "/");
		for (digits = s + *n; digits > s && isdigit((unsigned char)digits[-1]); digits--)
			;
		if (digits == s + *n || s + *n - digits > 6 || digits <= s + 1 || digits[-1] != '_')
			continue;
		*number = strtol(digits, &end, 10);
		for (i = 0; counted[i]; i++)
			if (is_part(counted[i], s, (size_t)(digits - 1 - s)) && *number > 0)
				return s;
	}
	return NULL;
}

/* Layers of Keras' ready-made networks have names of their own, "block1_conv2", and a number behind
 * that only where there are several such networks in a graph: "block1_conv2_77/convolution". */
static const char *
ready_made(const char *node, size_t *n, long *number)
{
	static const char *const part[] = { "_conv", "_pool", "_sepconv", NULL };
	const char *s = node, *at;
	size_t digits;
	char *end;
	int i;

	for (; *s; s += *n, s += *s == '/') {
		*n = strcspn(s, "/");
		if (strncmp(s, "block", 5) != 0 || !isdigit((unsigned char)s[5]))
			continue;
		at = s + 5 + strspn(s + 5, "0123456789");
		for (i = 0; part[i] && strncmp(at, part[i], strlen(part[i])) != 0; i++)
			;
		if (!part[i])
			continue;
		at += strlen(part[i]);
		digits = strspn(at, "0123456789");
		if ((digits > 0) == (strcmp(part[i], "_pool") == 0))
			continue;	/* the first is "block1_pool", the other "block1_conv1": else a name of the user's */
		at += digits;
		if (*at != '_' || !isdigit((unsigned char)at[1]))
			continue;
		*number = strtol(at + 1, &end, 10);
		if (end == s + *n)
			return s;
	}
	return NULL;
}

/* Layers that Keras was given no names for: a number from which on few networks have as many. */
static const char *
numbered_layer(const char *node, size_t *n, long *number)
{
	static const struct {
		const char *kind;
		long many;
	} layer[] = { { "dense", 20 }, { "flatten", 10 }, { "lstm", 12 }, { "gru", 12 }, { "embedding", 20 }, { "conv1d", 64 }, { "conv2d", 100 }, { "conv2d_transpose", 20 },
	    { "batch_normalization", 100 }, { "max_pooling2d", 40 }, { "dropout", 64 } };
	const char *kind[2] = { NULL, NULL }, *part;
	size_t i;

	for (i = 0; i < sizeof(layer) / sizeof(*layer); i++) {
		kind[0] = layer[i].kind;
		if ((part = numbered_part(node, kind, n, number)) && *number >= layer[i].many)
			return part;
	}
	return NULL;
}

/* How long what models take does. */
#define STAY_WITH_KERAS	"in TensorFlow 1 graph and weights of each stay until tf.keras.backend.clear_session(), in TensorFlow 2 its weights as long as something holds the model"

static void
earlier_models(struct autopsy *y)
{
	static const char *const scopes[] = { "training", "train_function", NULL };
	static const char *const models[] = { "model", "sequential", "functional", NULL };
	const char *part;
	size_t n;
	long number;

	if ((part = numbered_part(y->main->node, scopes, &n, &number)))
		autopsy_cause(y, SAYS_EARLIER_MODELS, arena_printf(y->arena, "The operation's name has %.*s in it. Where Keras gave it that, as it counts, training "
		    "was set up %s before in the same process, for this network (as compile does, if it is called again) or for "
		    "others. In TensorFlow 1 graphs, the optimizer's numbers and the other networks' weights stay until "
		    "tf.keras.backend.clear_session(), in TensorFlow 2 as long as something holds their models; in a notebook or a search over models they add up.", (int)n, part,
		    number == 1 ? "once" : arena_printf(y->arena, "%ld times", number)));
	else if ((part = numbered_part(y->main->node, models, &n, &number)) && number >= SEVERAL_MODELS)
		autopsy_cause(y, SAYS_EARLIER_MODELS, arena_printf(y->arena, "The operation's name has %.*s in it. Where Keras gave it that, as it numbers models without "
		    "a name, at least %ld others were made before in the same process, and where those are no parts of one network, "
		    "as in a notebook or a search over models, they may be there yet: " STAY_WITH_KERAS ".", (int)n, part, number - 1));
	else if ((part = ready_made(y->main->node, &n, &number)) && number >= SEVERAL_MODELS)
		autopsy_cause(y, SAYS_EARLIER_MODELS, arena_printf(y->arena, "The operation's name has %.*s in it, named as a layer of Keras' ready-made networks. "
		    "Where TensorFlow counted it up, %ld of it were made before in its graph. Where a network is made or loaded "
		    "anew for each picture or each round, all of them may be there yet: " STAY_WITH_KERAS ". Made once, ahead of the loop, it is there once.", (int)n, part, number));
	else if ((part = numbered_layer(y->main->node, &n, &number)))
		autopsy_cause(y, SAYS_EARLIER_MODELS, arena_printf(y->arena, "The operation's name has %.*s in it. Where Keras gave it that, it counts such layers over all models of a process (or of TensorFlow's graph): "
		    "where this network has fewer than %ld of them, others were made before, as in each round of a loop, a search or a notebook, and may be there yet: " STAY_WITH_KERAS ".", (int)n, part, number));
}

bool
autopsy_is_limited(const struct autopsy *y)
{
	return y->limit > 0 && y->limit < SMALL_LIMIT;
}

static void
limits(struct autopsy *y)
{
	char human[SIZE_TEXT], total[SIZE_TEXT];

	if (y->main->share > 0 && y->main->share < SMALL_SHARE)
		autopsy_cause(y, SAYS_LIMITS, arena_printf(y->arena, "By the log PaddlePaddle's first block is %d %% of the "
		    "device, a setting (FLAGS_fraction_of_gpu_memory_to_use). Others follow it where it does "
		    "not suffice, so that it is no limit. Where no other process has the device, the run needs "
		    "more than there is.",
		    y->main->share / 10));
	if (y->main->kind == OOM_PYTORCH && y->limit > 0 && y->limit < y->budget.total)
		autopsy_cause(y, SAYS_LIMITS, arena_printf(y->arena, "The process is allowed %s of the device's %s and "
		    "no more: a setting, torch.cuda.set_per_process_memory_fraction or what runs it.",
		    size_human(human, y->limit), size_human(total, y->budget.total)));
	else if (y->main->kind == OOM_PADDLE && y->limit > 0)
		autopsy_cause(y, SAYS_LIMITS, arena_printf(y->arena, "The process is allowed %s and no more: a setting, FLAGS_gpu_memory_limit_mb.",
		    size_human(human, y->limit)));
	else if (autopsy_is_limited(y))
		autopsy_cause(y, SAYS_LIMITS, arena_printf(y->arena, "The framework could have %s and no more: that is a "
		    "limit, or what was free of the device when this one began, less what TensorFlow leaves to others. " LISTER " tells which; in TensorFlow the limit is memory_limit or "
		    "per_process_gpu_memory_fraction.", size_human(human, y->limit)));
}

int64_t
autopsy_of_others(const struct autopsy *y)
{
	const struct budget *b = &y->budget;
	int64_t taken = b->others > 0 ? b->others : b->outside;

	if (y->main->kind == OOM_MPS || y->main->kind == OOM_XLA || b->total <= 0 ||
	    (y->limit > 0 && b->free > b->total / 4) ||	/* its own limit came first */
	    (y->lo > b->total && !b->lent) ||		/* then nobody is in the way */
	    taken < b->total / 8 || (b->others <= 0 && taken < CONTEXT))
		return 0;
	/* a small part is not what is in the way of what has room, or would have none without it */
	return taken < b->total / 4 && (b->roomy || (b->free >= 0 && b->unallocated >= 0 && y->lo > b->free + b->unallocated + taken)) ? 0 : taken;
}

/* Another framework that the log shows, and that takes a share of a device at once: where it is in
 * the same process, that is outside of PyTorch's tensors, too. */
static const char *
beside_torch(const struct autopsy *y)
{
	static const char where[] = "where it runs in this process, that is outside of PyTorch's tensors, too, and no other process has it";
	const struct oom_log *log = &y->log;
	char human[SIZE_TEXT];
	int i;

	if (y->main->kind != OOM_PYTORCH)
		return "";
	for (i = 0; i < log->made.n; i++)
		if (log->made.v[i].gpu == y->main->gpu && log->made.v[i].line < y->main->last)
			return arena_printf(y->arena, " By line %d TensorFlow may have up to %s there: %s; set_memory_growth leaves more.",
			    log->made.v[i].line, size_human(human, log->made.v[i].bytes), where);
	if (log->paste.jax_files && log->paste.jax_files < y->main->last)
		return arena_printf(y->arena, " Line %d is of JAX: %s; XLA_PYTHON_CLIENT_PREALLOCATE=false leaves more.", log->paste.jax_files, where);
	return "";
}

#define SIDE_BY_SIDE	3	/* of numbers of processes: the next is no further */
#define SEVERAL_RANKS	3

static int
by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* How many of the processes that the message lists have numbers side by side, as those have that
 * one program starts at once; and the first and last of these. */
static int
side_by_side(const struct oom_message *o, int64_t *first, int64_t *last)
{
	int64_t of[OOM_OTHER_PROCESSES];
	int i, from = 0, most = 0;

	memcpy(of, o->others, sizeof(of));
	qsort(of, (size_t)o->other_processes, sizeof(*of), by_number);
	for (i = 0; i < o->other_processes; i++) {
		if (i > 0 && of[i] - of[i - 1] > SIDE_BY_SIDE)
			from = i;
		if (i - from + 1 > most) {
			most = i - from + 1;
			*first = of[from];
			*last = of[i];
		}
	}
	return most;
}

/* What those numbers may mean. */
static const char *
ranks(const struct autopsy *y)
{
	int64_t first = 0, last = 0;
	int n = side_by_side(y->main, &first, &last);

	return n < SEVERAL_RANKS || y->budget.others <= 0 ? "" : arena_printf(y->arena, " %d of them have numbers side by side (%lld to %lld), as processes have that one program starts: where they are ranks of this "
	    "run, each is on this device, with what it has or a context alone, and its own as its device (torch.cuda.set_device() ahead of all else, CUDA_VISIBLE_DEVICES) keeps it off.", n, (long long)first, (long long)last);
}

/* Has this process more outside of PyTorch's allocator than a context and libraries of CUDA take,
 * and a good part of the device? */
static bool
is_large_beside(const struct autopsy *y)
{
	const struct budget *b = &y->budget;

	return y->main->kind == OOM_PYTORCH && b->total > 0 && b->context >= AUTOPSY_LARGE_CONTEXT && b->context > b->total / 4;
}

static void
others(struct autopsy *y)
{
	const struct budget *b = &y->budget;
	int one = y->log.paste.jetson ? y->log.paste.jetson : y->log.paste.unified;
	int64_t taken = autopsy_of_others(y);
	char human[SIZE_TEXT], total[SIZE_TEXT];

	if (taken == 0 && !is_large_beside(y))
		return;
	if ((b->others <= 0 && b->context > taken / 2) || (is_large_beside(y) && b->context > b->others)) {
		autopsy_cause(y, SAYS_HELD_OUTSIDE, arena_printf(y->arena, "%s of the device's %s was held by this process, and not by PyTorch's allocator: by "
		    "CUDA's context, and where it is more than a GiB or so, by another library of it that takes memory of its own.",
		    size_human(human, b->context), size_human(total, b->total)));
		return;
	}
	autopsy_cause(y, SAYS_HELD_OUTSIDE, arena_printf(y->arena, "%s of the device's %s was held outside this process's "
	    "tensors%s%s: " LISTER " lists %s.%s%s", size_human(human, taken), size_human(total, b->total),
	    b->others <= 0 ? "" : b->listed ? ", by other processes, of which some may be this run's own where it has several" : ", by other processes, or what the driver and a display keep",
	    !one ? "" : arena_printf(y->arena, ", or by the system, its programs and its cache of files, where the device has one memory with them (line %d)", one),
	    one ? "the processes among them" : "who has it", ranks(y), beside_torch(y)));
}

/* Where most of a device is the run's own, threads settled on that, and what others may have is
 * said after it. */
static bool
is_mostly_own(const struct autopsy *y)
{
	const struct budget *b = &y->budget;

	return b->total > 0 && b->allocated >= b->total / 2 && b->outside < b->total / 2 && b->others < b->total / 8 &&
	    !y->forecast.known;
}

static void
tiny(struct autopsy *y)
{
	char human[SIZE_TEXT];

	if (y->hi <= 0 || y->hi > TINY || y->budget.idle || y->main->kind == OOM_PYTORCH || (y->main->kind == OOM_OTHER &&
	    y->main->shape.known))	/* whose shape that is, is not said */
		return;
	autopsy_cause(y, SAYS_TINY, arena_printf(y->arena, "Only %s was asked for: what matters is what had filled the "
		    "memory, or else kept it from being given, not this tensor.", size_human(human, y->hi)));
}

/* Larger than all there is: then nothing that lies beside it matters. */
static void
too_large(struct autopsy *y)
{
	int64_t whole = y->budget.total > 0 ? y->budget.total : y->budget.pool;
	char asked[SIZE_TEXT], have[SIZE_TEXT];

	if (autopsy_asks_for_pool(y))
		return;
	if (whole > 0 && y->lo > whole && y->lo < IMPOSSIBLE && y->budget.lent)
		autopsy_cause(y, SAYS_TOO_LARGE, arena_printf(y->arena, "The request alone, %s, is more than the card's %s, whatever is lent beside it. One tensor as large as that mostly grows with the samples, pixels or "
		    "positions that are in it, and has to be made in parts or of fewer of them.", size_human(asked, y->hi), size_human(have, whole)));
	else if (whole > 0 && y->lo > whole && y->lo < IMPOSSIBLE)
		autopsy_cause(y, SAYS_TOO_LARGE, arena_printf(y->arena, "The request alone, %s, is more than all %s, %s: "
		    "what else was held does not matter. %s", size_human(asked, y->hi), y->budget.total > 0 ? "there is" : "that it could have", size_human(have, whole),
		    y->main->facts & TRACE_NO_BATCH ? "A weight or another tensor of a network as large as that is so by its "
		    "extents, such as a vocabulary, a flattened image, or all nodes of a graph by all: the machine's memory, a "
		    "sparse one or fewer of them help, a smaller batch does not." :
		    y->main->kind == OOM_XLA ? "Such a block is an array, or all temporaries of a compiled program: where it is of samples, pixels or positions, fewer of them, "
		    "or parts one after the other, make it smaller; or its size was computed from something wrong." :
		    "One tensor as large as that mostly grows with the samples, pixels or positions that are in it, and has to be "
		    "made in parts or of fewer of them; or its size was computed from something wrong."));
}

/* What a weight with many rows is. */
static const char *
of_many_rows(const struct autopsy *y)
{
	const struct oom_shape *s = &y->main->shape;

	if (y->module || !s->known || s->rank != 2 || s->dim[0] < MANY_ROWS || s->dim[0] / 8 < s->dim[1])
		return "";
	return arena_printf(y->arena, " Where its %lld rows are a vocabulary, fewer words make it smaller; where they are what is flattened ahead of a dense layer, "
	    "smaller pictures, or more pooling ahead of that, do.", (long long)s->dim[0]);
}

/* In "training/Adam/mul_23", but not in "training/Adam/gradients/...". */
static void
update(struct autopsy *y)
{
	static const char *const optimizer[] = { "SGD", "Adam", "AdamW", "RMSprop", "Adagrad",
	    "Adadelta", "Adamax", "Nadam", "Ftrl", "Momentum", "adam", "sgd", "rmsprop", NULL };
	const char *s;
	bool made = autopsy_gives_first_values(y->main->node);
	size_t n;
	int i;

	for (s = y->main->node; *s && !strstr(y->main->node, "gradient") && (y->module || !made); s += n, s += *s == '/') {
		n = strcspn(s, "/");
		for (i = 0; optimizer[i]; i++)
			if (is_part(optimizer[i], s, n) && s[n]) {
				autopsy_cause(y, SAYS_UPDATE, arena_printf(y->arena, "By its name the operation %s "
				    "%s%s: then its tensor has a number for each element of a weight, and "
				    "the batch plays no part in its size (but of an embedding whose gradient is sparse, which has a row for each index of the batch).%s", made ? "gives what is kept by" : "is of the update by", optimizer[i], made ? " its first values" : "", of_many_rows(y)));
				return;
			}
	}
}

#define LEAST_CARD	((int64_t)2 << 30)	/* no card that HIP runs on has less */

/* Is the device, by its bytes, a processor's own? Then what it has is a setting. */
bool
autopsy_is_part_of_processor(const struct autopsy *y)
{
	return strcmp(y->main->who, "PyTorch on HIP") == 0 && y->budget.total > 0 && y->budget.total < LEAST_CARD;
}

static void
roomy(struct autopsy *y)
{
	int64_t used = y->budget.in_use >= 0 ? y->budget.in_use : y->budget.allocated;
	char human[SIZE_TEXT];

	if (autopsy_is_part_of_processor(y)) {
		autopsy_cause(y, SAYS_ROOMY, arena_printf(y->arena, "The device has %s by the message, less than any card that HIP runs on: as a rule that is a processor's own GPU (an APU), and what the "
		    "machine's firmware sets aside for it of the machine's memory (UMA frame buffer size), where it lets one choose.", size_human(human, y->budget.total)));
		return;
	}
	if (!y->budget.roomy || autopsy_is_large_block(y) || (y->budget.pool > 0 && used >= y->budget.pool / 10 * 9))
		return;		/* full all the same, or refused for its size */
	if (y->main->kind == OOM_XLA) {		/* a TPU's free bytes need not be in one piece */
		autopsy_cause(y, SAYS_ROOMY, "By the message's own figures more was free than was asked for. It may have lain in pieces, none of them as large, between arrays that "
		    "are held, or been kept back: " TRY BY_ANYTHING "fewer arrays that are held" TRY BY_BATCH "a smaller batch" TRY_END ", leave larger pieces.");
		return;
	}
	autopsy_cause(y, SAYS_ROOMY, "By the message's own figures there was room for the request: by these it is not "
	    "fragmentation. Free bytes may have been counted after the failure, when caches had been given "
	    "back; or a limit of the process, of the driver or of the machine's memory behind it came "
	    "first.");
}

/* Validation whose activations autograd keeps, though nothing asks for gradients. */
static void
recorded(struct autopsy *y)
{
	int64_t batch = forecast_validation_batch(y->module, y->said_batch);
	char low[SIZE_TEXT], high[SIZE_TEXT];
	struct forecast f;

	if (batch == 0 || !y->framework || strcmp(y->framework->runtime, "PyTorch") != 0)
		return;
	forecast_validation(y->module, y->framework, batch, true, &f);
	if (f.known && (y->validation ? f.low / 9 * 8 > y->forecast.low : f.low > y->forecast.high &&
	    f.low <= autopsy_counted(y)))
		autopsy_cause(y, SAYS_RECORDED, arena_printf(y->arena, "Validation at batch %lld outside of torch.no_grad() "
		    "would take %s to %s.", (long long)batch, size_human(low, f.low),
		    size_human(high, f.high)));
}

/* Is what tensors take far more than a step of this network at that batch? */
static void
surplus(struct autopsy *y)
{
	int64_t said = autopsy_counted(y);
	char have[SIZE_TEXT], want[SIZE_TEXT];

	if (!y->forecast.known || said <= 0 || y->validation || said <= y->forecast.high || y->scored)
		return;
	autopsy_cause(y, SAYS_SURPLUS, arena_printf(y->arena, "%s counts %s of tensors, and %s at batch %lld "
	    "has %s %s%s. Usual reasons: a larger batch or larger samples than the spec's, another network, precision or "
	    "optimizer than the spec's, %sanother model beside it%s.", y->budget.allocated > 0 ? "The message" : "The allocator's dump",
	    size_human(have, said),
	    y->forecast.validating ? arena_printf(y->arena, "the spec's run, with validation at batch %lld and steps",
	    (long long)y->forecast.eager.batch) : "a step", (long long)y->batch, autopsy_at_most(y), size_human(want, y->forecast.high),
	    y->batch_for_said > y->batch ? arena_printf(y->arena, ": as much as batch %lld would have",
	    (long long)y->batch_for_said) : "", forecast_without_scores(y->module) ? "attention that stores its scores, " : "", autopsy_is_torch(y->main) ? ", sums of losses that keep each step's graph (total += loss does, "
	    "loss.item() does not), lists of outputs, evaluation without torch.no_grad()" : " or made before it in the same process"));
	recorded(y);
}

/* Why it did not, as far as that was found. */
static const char *
why_it_did_not(const struct autopsy *y)
{
	char unused[SIZE_TEXT];

	if (y->lo > autopsy_surely(&y->forecast) && !autopsy_is_data(y))
		return "The request alone is more than that: the run was of another batch, samples or network than the spec.";
	if (y->causes.n == 0 && autopsy_is_fragmented(y, y->main, &y->budget))
		return arena_printf(y->arena, "Of what was reserved %s were unused, but in pieces: the memory was fragmented.",
		    size_human(unused, y->budget.unallocated));
	if (y->causes.n && !autopsy_is_of_another_batch(y))
		return "What the log shows of the reason stands above.";
	if (y->causes.n == 0 && forecast_without_scores(y->module))
		return "Why it did not was not found in what was read: the run may have had another batch, size or network than the spec, "
		    "attention that stores its scores, something else on the device, or tensors of earlier steps.";
	return y->causes.n ? "What the log shows of the reason stands above; and no tensor has what was asked for at that "
	    "batch, so that the run may have had another." : "Why it did not was not found in what was read: the run may "
	    "have had another batch, size or network than the spec, something else on the device, or tensors of earlier steps.";
}

static void
should_have_fitted(struct autopsy *y)
{
	char want[SIZE_TEXT], have[SIZE_TEXT];

	if (y->scored)		/* of which no forecast knows what they take */
		return;
	if (y->fits_alone && autopsy_surely(&y->forecast) > y->budget.pool)
		autopsy_cause(y, SAYS_SHOULD_HAVE_FITTED, arena_printf(y->arena, "By the forecast batch %lld would have fitted into the whole device: "
		    "with its context it takes %s %s of %s.", (long long)y->batch, autopsy_at_most(y), size_human(want, y->forecast.card_high),
		    size_human(have, y->budget.total)));
	if (!y->forecast.known || y->validation || y->budget.pool <= 0 ||
	    autopsy_surely(&y->forecast) > y->budget.pool || y->sure_batch < y->batch)
		return;
	autopsy_cause(y, SAYS_SHOULD_HAVE_FITTED, arena_printf(y->arena, "By the forecast batch %lld should have fitted: it takes %s "
	    "%s, and there was %s (%s). %s", (long long)y->batch, autopsy_at_most(y),
	    size_human(want, autopsy_surely(&y->forecast)), size_human(have, y->budget.pool), y->budget.pool_is, why_it_did_not(y)));
}

static void
validation(struct autopsy *y)
{
	const char *where = autopsy_is_torch(y->main) ? ": batch_size of the validation loader, within torch.no_grad()" :
	    strncmp(oom_kind_name(y->main->kind), "TensorFlow", 10) == 0 ?
	    "; in Keras validation_batch_size of fit(), batch_size of evaluate() and predict()" : "";

	if (!y->validation || y->main->run != RUN_UNKNOWN)	/* which autopsy_place.c has told */
		return;
	if (!y->main->shape.known)
		autopsy_cause(y, SAYS_VALIDATION, arena_printf(y->arena, "Tensors have the size that was asked for at batch %lld, "
		    "and none has at batch %lld: so most likely it was validating.", (long long)y->batch,
		    (long long)y->said_batch));
	autopsy_cause(y, SAYS_VALIDATION, arena_printf(y->arena, "Batch %lld is by the spec that of validation, which runs forward only. In "
	    "batches of %lld or fewer it takes less than a training step of %lld%s.",
	    (long long)y->batch, (long long)y->said_batch, (long long)y->said_batch, where));
	recorded(y);
}

/* An array of samples that becomes one tensor of the device. */
static void
constant(struct autopsy *y)
{
	const struct shape_match *s = y->matches.all.v;

	if (autopsy_is_data(y))
		autopsy_cause(y, SAYS_CONSTANT, arena_printf(y->arena, "The operation puts an array of the program on the device whole, %lld samples of '%s', where a "
		    "batch of the spec has %lld. Read in batches (tf.data, a generator), or made under tf.device('CPU'), it stays in the machine's "
		    "memory, and the batch plays no part in its size.", (long long)s->batch, s->tensor->name, (long long)y->said_batch));
}

void
autopsy_causes(struct autopsy *y)
{
	if (!y->main || y->main->asserted || y->main->apart || y->main->warning)
		return;		/* memory is not what failed, or nothing did */
	if (y->main->host) {
		host_causes(y);
		autopsy_place_causes(y);
		autopsy_paste_causes(y);
		autopsy_alone_causes(y);
		return;
	}
	validation(y);
	constant(y);
	limits(y);
	too_large(y);
	if (!is_mostly_own(y))
		others(y);
	autopsy_place_causes(y);
	autopsy_paste_causes(y);
	tiny(y);
	update(y);
	earlier_models(y);
	autopsy_alone_causes(y);
	if (is_mostly_own(y))
		others(y);
	surplus(y);
	roomy(y);
	should_have_fitted(y);
}
