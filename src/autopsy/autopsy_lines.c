/*
 * What other lines of the log tell: of the network, by counts of weights and sizes that a program
 * prints, and of devices, by tables and warnings.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/text.h"
#include "oom/oom_says.h"

#define SHARDS_AHEAD	60	/* lines from where DeepSpeed makes its optimizer to the failure */
#define PRINTED_AHEAD	40	/* lines from a size that is printed */
#define FEW_ELEMENTS	100000
#define MANY_ENTRIES	10000
#define MANY_WORDS	300000
#define MOST_WORDS	((int64_t)1 << 32)
#define SMALL_MACHINE	((int64_t)8 << 30)
#define WORD_BYTES	4	/* of a score, in float32 */
#define LEAST_LENGTH	256	/* positions, and pixels of a side, that are worth a word */
#define LEAST_SIDE	256
#define WEIGHT_BYTES	4	/* in float32; */
#define TRAINED_BYTES	12	/* and the gradient and two numbers for each that is trained */
#define LEAST_WARNED	((int64_t)1 << 30)	/* a request that is large by itself */
#define MANY_BYTES	((int64_t)4 << 30)	/* of weights and what belongs to them, where the device is not known */

/* ---- a server ---- */

/* vLLM counts what it may take of a device, and what weights and a trial run took of that: the rest
 * is for the cache of keys and values. */
static void
served(struct autopsy *y)
{
	const struct oom_served *s = &y->log.served;
	char share[SIZE_TEXT], total[SIZE_TEXT], took[SIZE_TEXT], trial[SIZE_TEXT];

	if (!y->main->says || strcmp(y->main->says, KV_CACHE) != 0 || !s->share_line || s->weights <= 0 || s->weights + s->trial < s->share)
		return;
	autopsy_cause(y, SAYS_SERVED_SHARE, arena_printf(y->arena, "By line %d vLLM may take %s of the device's %s, and by line %d weights take %s%s%s%s", s->share_line,
	    size_human(share, s->share), size_human(total, s->total), s->weights_line, size_human(took, s->weights),
	    s->trial > 0 ? ", a trial run " : "", s->trial > 0 ? size_human(trial, s->trial) : "", s->weights >= s->share ?
	    ": the weights alone are more. A larger share (gpu_memory_utilization), where nothing else has the device, weights in fewer bits, or more devices "
	    "(tensor_parallel_size) leave room for the cache; a shorter max_model_len does not." :
	    ": together that is more. The trial run has as many requests and tokens at once as are allowed: fewer (max_num_seqs, max_num_batched_tokens), a larger share "
	    "(gpu_memory_utilization), where nothing else has the device, or weights in fewer bits leave room for the cache."));
}

#define LITTLE_MORE	8	/* a part of a share by which it may well be larger */

/* MLC-LLM's own figures of what is to fit into its share. */
static void
served_sum(struct autopsy *y)
{
	const struct oom_size *share = &y->main->size[OOM_LIMIT], *weights = &y->main->size[OOM_PARAMETERS], *buffers = &y->main->size[OOM_TEMPORARY];
	char have[SIZE_TEXT], of[SIZE_TEXT], rest[SIZE_TEXT], all[SIZE_TEXT];
	int64_t sum;

	if (!y->main->says || strcmp(y->main->says, MLC_ROOM) != 0 || !share->known || !weights->known || !buffers->known || __builtin_add_overflow(weights->bytes, buffers->bytes, &sum))
		return;
	size_human(have, share->bytes);
	size_human(of, weights->bytes);
	size_human(rest, buffers->bytes);
	size_human(all, sum);
	if (sum < share->bytes)
		autopsy_cause(y, SAYS_SERVED_SUM, arena_printf(y->arena, "By the message's own figures there is room: weights of %s and buffers of %s are less than the %s that it may have. It then counts how many tokens' keys and "
		    "values fit into the rest, and that count came to nothing: what the model's library tells of these (layers, heads) is missing or wrong, as of one that the version does not know. Neither a larger share nor "
		    "less of the model mends that.", of, rest, have));
	else if (weights->bytes >= share->bytes)
		autopsy_cause(y, SAYS_SERVED_SUM, arena_printf(y->arena, "By the message's own figures weights of %s alone are more than the %s that it may have: a smaller chunk does not help; weights in fewer bits, on more devices, or a "
		    "larger share, where nothing else has the device, do.", of, have));
	else
		autopsy_cause(y, SAYS_SERVED_SUM, arena_printf(y->arena, "By the message's own figures weights of %s and buffers of %s are %s, where it may have %s.%s%s", of, rest, all, have,
		    buffers->bytes > weights->bytes / 2 ? " The buffers are a large part of that: a smaller --prefill-chunk-size, for which the model is compiled anew, is what to try first." : "",
		    sum - share->bytes <= share->bytes / LITTLE_MORE ? " A larger share (gpu_memory_utilization), where nothing else has the device, may suffice by itself." : ""));
}

#define LEAST_SERVED	((int64_t)1 << 30)

/* Where nothing else tells what fills a device: weights that a program told to be put there. */
static void
served_weights(struct autopsy *y)
{
	const struct oom_served *s = &y->log.served;
	char took[SIZE_TEXT];

	if (y->causes.n || y->main->says || y->budget.total > 0 || s->weights < LEAST_SERVED)
		return;
	if (y->main->kind == OOM_TOLD ? y->main->host : y->main->kind != OOM_CUDA || s->weights_line > y->main->last)
		return;			/* people tell of it ahead of the log, too */
	autopsy_cause(y, SAYS_COUNTED_WEIGHTS, arena_printf(y->arena, "By line %d weights of %s lie on a device. Where it is the one that was full, what a run makes has to fit beside them.", s->weights_line, size_human(took, s->weights)));
}

/* A model that is larger than what its program found free, as it told ahead of the message. */
static void
model_needs(struct autopsy *y)
{
	const struct oom_needs *n = &y->log.needs;
	char have[SIZE_TEXT], needs[SIZE_TEXT];

	if (!n->line || y->main->host || n->line > y->main->last || n->bytes <= n->free || y->main->kind == OOM_TOLD)
		return;
	autopsy_cause(y, SAYS_COUNTED_WEIGHTS, arena_printf(y->arena, "By line %d the program found %s of a device free for a model that needs %s there. Where that is what it was at, the model does not fit as it is: "
	    "a part of it has to stay in the machine's memory" UNTRIED(BY_BITS, ", or weights in fewer bits take its place") ".", n->line, size_human(have, n->free), size_human(needs, n->bytes)));
}

#define PIXEL		4	/* bytes, with the fourth channel that hardware likes */
#define MANY_PIXELS	((int64_t)1 << 28)	/* bytes of all */

/* The pictures of a scene, which a program that learns it keeps on the device. */
static void
scene(struct autopsy *y)
{
	const struct oom_log *log = &y->log;
	int64_t bytes;
	char few[SIZE_TEXT], more[SIZE_TEXT];

	if (log->images <= 0 || log->images_size.rank != 2 || __builtin_mul_overflow(log->images * PIXEL, log->images_size.dim[0], &bytes) || __builtin_mul_overflow(bytes, log->images_size.dim[1], &bytes) ||
	    bytes < MANY_PIXELS || bytes >= NO_DEVICE)
		return;
	autopsy_cause(y, SAYS_IMAGES_READ, arena_printf(y->arena, "By line %d %lld images of %lld x %lld were read. Where all of them lie on the device, as instant-ngp keeps them, they take %s with %d bytes a pixel, and %s with twice as many bytes: "
	    "smaller or fewer images take less, half of each side a quarter.", log->images_line, (long long)log->images, (long long)log->images_size.dim[0], (long long)log->images_size.dim[1], size_human(few, bytes), PIXEL,
	    size_human(more, 2 * bytes)));
}

/* ---- the network ---- */

static void
weights(struct autopsy *y)
{
	const struct oom_log *log = &y->log;
	int64_t trained = log->trained, all = log->weights > trained ? log->weights : trained;
	int64_t bytes = all * WEIGHT_BYTES, more = trained ? trained * TRAINED_BYTES : all * TRAINED_BYTES;
	int64_t total = autopsy_device_bytes(y);
	char n[SIZE_TEXT], of[SIZE_TEXT], half[SIZE_TEXT], full[SIZE_TEXT], kept[SIZE_TEXT], have[SIZE_TEXT];

	if (all == 0 || bytes + more < (total ? total / 2 : MANY_BYTES))
		return;
	autopsy_cause(y, SAYS_COUNTED_WEIGHTS, arena_printf(y->arena, "By line %d a network has %s weights%s. Where it is the one that ran, they take %s in float32, %s in 16 bits. Each that "
	    "is trained has a gradient, and Adam keeps two numbers for it: %s in float32.%s", log->weights_line,
	    size_commas(n, all), trained && trained < all ? arena_printf(y->arena, ", of which %s are trained",
	    size_commas(of, trained)) : "", size_human(full, bytes), size_human(half, bytes / 2), size_human(kept, more),
	    total == 0 || bytes / 2 + more <= total ? "" : arena_printf(y->arena, " Where all of them are trained so on one "
	    "device, that is more than its %s before any sample is there, and a smaller batch does not help.", size_human(have, total))));
}

/* TensorFlow warns of requests that are a tenth of the machine's memory or more, and goes on: where
 * the system ends it then, that is what it was at. */
static void
warned(struct autopsy *y)
{
	const struct oom_log *log = &y->log;
	char bytes[SIZE_TEXT];

	if (log->warned <= 0 || (y->main->kind == OOM_KERNEL ? log->warned_line > y->main->last : y->main->kind != OOM_TOLD))
		return;
	autopsy_cause(y, SAYS_WARNED, arena_printf(y->arena, "On line %d TensorFlow warns that it asks for %s of the machine's memory at once, more than a tenth of what it found there. %s",
	    log->warned_line, size_human(bytes, log->warned), log->warned < LEAST_WARNED ? "Where that is of what ended, there was little: what else has the "
	    "machine's memory, weights among it, matters more than that request." :
	    "Where that is of what ended, a few such tensors fill it: a layer's results and a batch grow with the samples at once and their size, "
	    "weights with a vocabulary or a width, and a set of samples that is given as one array (to fit(), or from_tensor_slices()) becomes one tensor."));
}

/* DeepSpeed says when it begins with its optimizer. */
static void
shards(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (!log->shards || log->shards > y->main->line || y->main->line - log->shards > SHARDS_AHEAD ||
	    log->bar > log->shards || log->steps_line > log->shards ||
	    (y->main->facts & (TRACE_MASTER | TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP)))
		return;
	autopsy_cause(y, SAYS_SHARDS, arena_printf(y->arena, "On line %d DeepSpeed begins to set up its optimizer, and no step was read of "
	    "after that. Where it failed there, " MASTER_COPIES, log->shards));
}

/* A memory of what was seen, whose arrays are as long as it is told. */
static void
replay(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (!y->main->host || log->replay < MANY_ENTRIES || log->replay_line > y->main->last)
		return;
	autopsy_cause(y, SAYS_REPLAY, arena_printf(y->arena, "By line %d a memory of what was seen (a replay buffer) has room for %lld entries. "
	    "Where that is of this run, its arrays are made as long as that at once, or grow until then: fewer entries" OF_BYTES(", of fewer bytes (images as uint8)") ", "
	    "or each image once, take less.", log->replay_line, (long long)log->replay));
}

/* "16 samples of 100 words", where a batch and a length were told: what scores of them take. */
static const char *
scores_of_batch(const struct autopsy *y)
{
	const struct oom_log *log = &y->log;
	char n[SIZE_TEXT];
	int64_t bytes;

	if (log->batch <= 0 || log->length <= 0 || __builtin_mul_overflow(log->words * WORD_BYTES, log->batch, &bytes) || __builtin_mul_overflow(bytes, log->length, &bytes))
		return "";
	return arena_printf(y->arena, ", %s where a batch is %lld sequences of %lld (lines %d and %d)", size_human(n, bytes), (long long)log->batch, (long long)log->length, log->batch_line, log->length_line);
}

/* A machine that has little, by the system's own tools. */
static void
machine(struct autopsy *y)
{
	const struct oom_log *log = &y->log;
	char have[SIZE_TEXT], left[SIZE_TEXT];

	if (log->machine <= 0 || log->machine > SMALL_MACHINE || log->paste.small.line || y->main->limited || (y->main->says && y->main->kind != OOM_KERNEL && y->main->kind != OOM_TOLD))
		return;
	if (y->main->cpp && log->paste.decided.free > log->machine / 2 && log->paste.decided.free <= log->machine) {
		autopsy_cause(y, SAYS_MACHINE, arena_printf(y->arena, "By line %d the machine, or the virtual one, has %s of memory, and by line %d %s of it were free. Where that was so when it failed, what was asked for is more than that "
		    "at once: the size may be wrong, as where it was read from a file that is damaged, cut, missing or of another form.", log->machine_line, size_human(have, log->machine), log->paste.decided.free_line,
		    size_human(left, log->paste.decided.free)));
		return;
	}
	autopsy_cause(y, SAYS_MACHINE, arena_printf(y->arena, "By line %d the machine, or the virtual one, has %s of memory. Where it ran there, the system, libraries, weights and what is computed have that between them: "
	    "fewer processes or samples at once, a smaller model, swap (which is slow), or a machine with more.", log->machine_line, size_human(have, log->machine)));
}

/* What was read as the size of something is less than 0. */
static void
negative(struct autopsy *y)
{
	int line = y->log.paste.decided.negative;

	if (line && y->main->host && !y->main->says && line <= y->main->last)
		autopsy_cause(y, SAYS_NEGATIVE, arena_printf(y->arena, "Line %d has an extent that is less than 0. Where what failed was made of that size, the size is wrong, and more memory does not help: it was read from a file that is missing, damaged "
		    "or of another form, or was never set.", line));
}

/* A large vocabulary: more than any that tokenizers of subwords have. */
static void
vocabulary(struct autopsy *y)
{
	const struct oom_log *log = &y->log;
	char count[SIZE_TEXT], n[SIZE_TEXT];

	if (log->words < MANY_WORDS || log->words > MOST_WORDS || y->log.serving)
		return;
	autopsy_cause(y, SAYS_VOCABULARY, arena_printf(y->arena, "By line %d a vocabulary has %s words. Where that is of this run, and the network has a score for each of them, scores of one position "
	    "take %s in float32%s, and softmax or the loss, and their gradients, as much again each; the last layer and the words' vectors have a row for each. Fewer words (subwords, a bound on their "
	    "number, classes of words), a softmax over a sample of them, and fewer or shorter sequences at once take less.", log->words_line, size_commas(count, log->words), size_human(n, log->words * WORD_BYTES), scores_of_batch(y)));
}

/* Several runs of one process: what the earlier ones made may lie there still. */
static void
trials(struct autopsy *y)
{
	const struct oom_log *log = &y->log;
	const char *how = "in one process, models, optimizers and results of earlier ones stay for as long as a name, a list, a callback or the last "
	    "error's traceback holds them, and add up. Letting go of them behind each (del, gc.collect()" MAYBE_DEVICE(UNTRIED(BY_EMPTYING, IN_TORCH(", and in PyTorch "
	    "torch.cuda.empty_cache()"))) IN_KERAS(", in Keras clear_session()") "), or a process for each, keeps that from growing.";

	if (y->main->kind == OOM_KERNEL || y->module)
		return;
	if (log->trial > 0 && log->trial_line <= y->main->last)
		autopsy_cause(y, SAYS_TRIALS, arena_printf(y->arena, "Line %d counts a run of several, %lld. Where they are made %s", log->trial_line,
		    (long long)log->trial, how));
	else if (log->search_line)
		autopsy_cause(y, SAYS_TRIALS, arena_printf(y->arena, "Line %d is of a search, by its name, which makes one run after the other. Where this was not "
		    "the first, and they are made %s", log->search_line, how));
}

/* Theano tells of the operation that failed. */
static void
inputs(struct autopsy *y)
{
	const struct oom_shape *s = &y->log.inputs;

	char bytes[SIZE_TEXT];

	if (s->rank < 2 || s->dim[0] < 2 || strcmp(y->main->who, "Theano") != 0)
		return;
	if (s->rank != 4) {
		if (shape_bytes(s, 4) < INT64_MAX && shape_bytes(s, 4) >= TINY)
			autopsy_cause(y, SAYS_INPUTS, arena_printf(y->arena, "By line %d the operation that failed has an input of %s, %s where its numbers have 4 bytes. Where its first extent "
			    "grows with the samples at once, by themselves or with the pixels or positions of each, fewer or smaller ones make it smaller.", y->log.inputs_line,
			    autopsy_shape_text(y->arena, s), size_human(bytes, shape_bytes(s, 4))));
		return;
	}
	autopsy_cause(y, SAYS_INPUTS, arena_printf(y->arena, "By line %d the operation that failed has an input of %s. Where its first extent is "
	    "samples, a batch has %lld: fewer make it, and all results of the step, smaller in proportion.", y->log.inputs_line,
	    autopsy_shape_text(y->arena, s), (long long)s->dim[0]));
}

/* A size that the program prints right ahead of it. */
static void
printed(struct autopsy *y)
{
	const struct oom_shape *s = &y->log.printed;
	int64_t elements = 1;
	int i;

	for (i = 0; i < s->rank; i++)
		if (__builtin_mul_overflow(elements, s->dim[i], &elements))
			return;
	if (y->causes.n || y->module || y->main->says || y->main->host || s->rank < 3 || elements < FEW_ELEMENTS ||
	    y->log.printed_line > y->main->line || y->main->line - y->log.printed_line > PRINTED_AHEAD)
		return;
	autopsy_hint(y, SAYS_PRINTED, arena_printf(y->arena, "Line %d prints a size, %s, ahead of it. Where that is a batch, its extents are the "
	    "number of samples and their length, or height and width: what forward keeps grows with them.", y->log.printed_line, autopsy_shape_text(y->arena, s)));
}

/* Has the run by itself most of what the device has? */
static bool
has_most(const struct autopsy *y)
{
	const struct budget *b = &y->budget;

	return b->total > 0 && b->allocated >= b->total / 2;
}

/* Is nothing known of it but by figures, or that it was a step, or, where CODE says so, what its
 * line of code is about? */
static bool
is_of_samples(const struct autopsy *y, bool code)
{
	int i;

	if (y->module || y->main->says || autopsy_is_constant(y->main) || y->main->kind == OOM_XLA || autopsy_is_driver(y->main) || (y->main->facts & TRACE_NO_BATCH) || y->budget.roomy)
		return false;
	for (i = 0; i < y->causes.n; i++)
		switch (y->causes.v[i].kind) {
		case SAYS_OWN_STEP: case SAYS_SHARE: case SAYS_TOO_LARGE: case SAYS_PARTED: case SAYS_EMPTIED: case SAYS_BACKWARD: case SAYS_FORWARD: case SAYS_BARE_REQUEST: case SAYS_LITTLE_FREE:
		case SAYS_NOT_ALLOCATOR:
			break;
		case SAYS_HELD_OUTSIDE:		/* beside which the run itself has most */
			if (has_most(y))
				break;
			return false;
		case SAYS_LINE_OF_CODE:
			if (code)
				break;
			return false;
		case SAYS_POOLS:		/* what an arena keeps of inputs; not what a session takes as it is made */
			if (y->main->kind == OOM_ONNX && !y->log.paste.unmade)
				break;
			return false;
		default:
			return false;
		}
	return true;
}

bool
autopsy_is_of_samples(const struct autopsy *y)
{
	return is_of_samples(y, false);
}

/* Attention's scores and logits do. */
bool
autopsy_grows_with_samples(const struct autopsy *y)
{
	return is_of_samples(y, true);
}

/* Is one tensor large by itself? */
bool
autopsy_is_one_tensor(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->causes.n; i++)
		if (y->causes.v[i].kind == SAYS_SHARE || y->causes.v[i].kind == SAYS_TOO_LARGE || y->causes.v[i].kind == SAYS_BARE_REQUEST)
			return true;
	return false;
}

/* How many samples a step takes, and how large they are. */
static void
batch_said(struct autopsy *y)
{
	if (y->log.paste.loading.line && !autopsy_had_steps(y))
		return;			/* no samples are there as weights are loaded */
	if (y->log.batch <= 1 || y->log.paste.told.graph.line || (y->module && y->log.batch == y->batch))
		return;
	if (autopsy_tests_more(y) || autopsy_is_tried(y, BY_BATCH) || autopsy_is_near_ram(y))
		return;			/* that of tests is told, or less was tried, or it is of data alone */
	if ((y->log.paste.of_batch.line && y->log.paste.least_batch < y->log.batch) || y->log.paste.less.line)
		return;			/* of one that fails with less it is told, or of one that runs */
	autopsy_hint(y, SAYS_BATCH_SAID, arena_printf(y->arena, "Line %d has a batch of %lld. Where that is the run's, what a step keeps of its "
	    "results grows with it in proportion; weights, gradients and the optimizer's numbers do not.", y->log.batch_line,
	    (long long)y->log.batch));
}

static void
length_said(struct autopsy *y)
{
	if (y->log.length < LEAST_LENGTH)
		return;
	autopsy_hint(y, SAYS_LENGTH_SAID, arena_printf(y->arena, "Line %d has a length of %lld. Where that is of the run's sequences, what a step keeps of its "
	    "results grows with it in proportion, and attention's scores, where they are stored, with its square.", y->log.length_line,
	    (long long)y->log.length));
}

/* ", and line 17 97 frames"; "" where none are said. */
static const char *
frames_said(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if (p->frames.n <= 0)
		return "";
	return p->frames.line == p->pixels_line ? arena_printf(y->arena, ", and %lld frames", (long long)p->frames.n) :
	    arena_printf(y->arena, ", and line %d has %lld frames", p->frames.line, (long long)p->frames.n);
}

static void
pixels_said(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	bool both = p->wide > 0 && (p->wide != p->high || p->high_alone.n == p->high);

	if (autopsy_is_tried(y, BY_SAMPLES))
		return;
	if (p->high >= LEAST_SIDE)
		autopsy_hint(y, SAYS_PIXELS_SAID, arena_printf(y->arena, "Line %d has %s of %s%s. Where those are pixels of pictures that the run is given or makes, what a step keeps of its "
		    "results grows with them%s: half of each side takes a quarter.", p->pixels_line, p->pixels, both ?
		    arena_printf(y->arena, "%lld x %lld", (long long)p->high, (long long)p->wide) : arena_printf(y->arena, "%lld", (long long)p->high),
		    frames_said(y), p->frames.n > 0 ? ", and with how many frames there are at once" : ""));
	else if (p->frames.n > 0)
		autopsy_hint(y, SAYS_PIXELS_SAID, arena_printf(y->arena, "Line %d has %lld frames. Where that is how many the run is given or makes at once, what it makes of them grows with their number.", p->frames.line, (long long)p->frames.n));
}

/* Where the run may have had less of its weights than the spec, whose forecast is of all of
 * them. */
static void
spec_of_more(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if (!y->module || !y->forecast.known)
		return;
	if (p->shares && !module_shares_out(y->module, SHARD_PARAMETERS))
		autopsy_cause(y, SAYS_SPEC_OF_MORE, arena_printf(y->arena, "Line %d names FSDP, or ZeRO's third stage. Where the run's ranks share its weights out by that, each has a part of them, of gradients and "
		    "of what the optimizer keeps, and of the spec, by which each has all, the forecast is too large: --ranks N --shard parameters reckons with parts.", p->shares));
	if (p->adapts && module_trains_all(y->module))
		autopsy_cause(y, SAYS_SPEC_OF_MORE, arena_printf(y->arena, "Line %d names an adapter (LoRA). Where the run trains that alone, the weights beside it have neither gradients nor what the optimizer keeps, "
		    "and of the spec, by which all are trained, the forecast is too large: with them frozen in it, it is of such a run.", p->adapts));
	if (p->few_bits)
		autopsy_cause(y, SAYS_SPEC_OF_MORE, arena_printf(y->arena, "Line %d is of weights in fewer than 16 bits. Where the run has its own in 8 or 4, they take a half or a quarter of what they take in 16, "
		    "and the forecast, of the spec's own precision, is too large by that.", p->few_bits));
}

/* ---- devices ---- */

/* nvidia-smi's table, or gpustat's, where the message itself has no figures. */
static void
card_in_table(struct autopsy *y)
{
	char used[SIZE_TEXT], all[SIZE_TEXT];

	if (!y->log.card.known || y->budget.total > 0 || y->log.paste.holder_bytes > y->log.card_used.bytes / 2)
		return;		/* the list of its processes says it better */
	if (y->log.card_used.bytes > y->log.card.bytes / 4 * 3) {
		autopsy_cause(y, SAYS_CARD_IN_TABLE, arena_printf(y->arena, "By the table of cards, line %d, %s of the fullest one's %s were in "
		    "use, by all processes together: if that is the card of the message, " LISTER "'s list of processes tells whose they are.", y->log.card_line,
		    size_human(used, y->log.card_used.bytes), size_human(all, y->log.card.bytes)));
		return;
	}
	if (y->log.card_used.bytes > y->log.card.bytes / 8)
		return;
	autopsy_cause(y, SAYS_CARD_IN_TABLE, arena_printf(y->arena, "By the table of cards, line %d, %s of the fullest one's %s were in use. If that "
	    "was before the run, other processes had no more of it then.", y->log.card_line,
	    size_human(used, y->log.card_used.bytes), size_human(all, y->log.card.bytes)));
}

/* A card by its name, where the message has no more than what was asked for. */
static void
card_named(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	int64_t most = (int64_t)p->card_most << 30;
	char asked[SIZE_TEXT], all[SIZE_TEXT];

	if (!most || p->card_unknown || p->unified || p->mac || y->main->host || y->main->says || y->budget.total > 0 || y->log.card.known || y->lo < most || y->lo >= NO_DEVICE)
		return;
	autopsy_cause(y, SAYS_CARD_IN_TABLE, arena_printf(y->arena, "Line %d names a card (%s), of whose kind none has more than %s. Where it was asked of one of these, the request alone, %s, is %s "
	    "of it: what else was held does not matter, and what is asked for has to be smaller, or in parts on several.", p->card_line, p->card_name, size_human(all, most), size_human(asked, y->lo), y->lo > most ? "more than all" : "as much as all"));
}

/* PyTorch's DataParallel gives all of them the same share. */
static void
smaller_device(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (!log->smaller_line || log->smaller_line > y->main->line || y->main->host ||
	    (y->main->gpu > 0 && y->main->gpu != log->smaller_gpu))
		return;
	autopsy_cause(y, SAYS_SMALLER_DEVICE, arena_printf(y->arena, "On line %d PyTorch warns that GPU %d has less memory, or fewer cores, than another. "
	    "Where both are used, DataParallel gives each the same share of a batch, and gathers results on the first: the smaller one, or the first, "
	    "is full before the others. " TRY BY_BATCH "Fewer samples" TRY BY_ANYTHING "the smaller one left out (CUDA_VISIBLE_DEVICES)" TRY_FIRST "The smaller one left out (CUDA_VISIBLE_DEVICES)" TRY_END ", take less there.",
	    log->smaller_line, log->smaller_gpu));
}

void
autopsy_lines_first(struct autopsy *y)
{
	shards(y);
	spec_of_more(y);
	trials(y);
	weights(y);
	smaller_device(y);
}

void
autopsy_lines_causes(struct autopsy *y)
{
	replay(y);
	warned(y);
	if (y->main->host) {
		negative(y);
	machine(y);
		return;
	}
	served(y);
	served_sum(y);
	model_needs(y);
	scene(y);
	vocabulary(y);
	inputs(y);
	card_in_table(y);
	card_named(y);
	served_weights(y);
}

void
autopsy_lines_last(struct autopsy *y)
{
	if (autopsy_grows_with_samples(y)) {
		batch_said(y);
		length_said(y);
	}
	if (autopsy_is_of_samples(y))
		pixels_said(y);
	printed(y);
}
