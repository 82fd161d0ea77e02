/* What the messages of a log say of each other, and other lines of them, when all is read: what is
 * said better by another goes, and one of them leads. */
#include "oom/oom_keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/print.h"
#include "base/text.h"
#include "oom/oom_had.h"
#include "oom/oom_says.h"

#define ASSERTED	"Not memory, as far as was read: on line %d, an assertion fails on the "	\
    "device. Most often that is an index out of range: a label that is no class, or a word beyond " \
    "the vocabulary. All that is asked of the device after that fails, with codes such as this "	\
    "one. CUDA_LAUNCH_BLOCKING=1, or the processor in the device's place, shows the operation."

#define PINNED		"By the traceback it failed where memory of the machine was to be locked (pinned), "	\
    "so that copies to the device are fast. Either no more of it may be locked, which in WSL and in "		\
    "containers is a part of the machine's; or, where the process had not used the device yet, CUDA found "	\
    "no room there for what it needs of its own."

#define OF_ONE_CRASH	16	/* lines, with a stack among them */
#define ROUNDED		256	/* bytes: to a multiple of that, as allocators do */

/* In a comment, where another stands outside of one: that of an earlier run. */
static bool
is_old(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; i < log->messages.n && (log->messages.v[i].commented || log->messages.v[i].warning); i++)
		;
	return o->commented && i < log->messages.n;
}

/* TensorFlow's driver tells of each region that it is refused, and goes on: what ended the program
 * is another error. */
static bool
is_retried(const struct oom_message *o)
{
	return o->kind == OOM_CUDA && !o->says && o->size[OOM_ASKED].known && strcmp(o->who, oom_kind_name(OOM_CUDA)) == 0;
}

/* "# Out of memory", and below it "Killed": a title's words, where X shows how a process ended that
 * had the machine's memory. */
static bool
shows_end(const struct oom_message *x, const struct oom_message *o)
{
	return x->kind == OOM_KERNEL && x->host && o->kind == OOM_OTHER && !o->of_cuda && o->alone;
}

/* Is O in anyone's words, where another says what failed and needs no other to explain it, or
 * stands on the same line? */
static bool
says_less(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; oom_is_vague(o) && i < log->messages.n; i++) {
		const struct oom_message *x = &log->messages.v[i];

		if (!oom_is_vague(x) && !x->warning && (!x->hedged || x->line == o->line || shows_end(x, o)) && !x->asserted && !x->apart &&
		    !(o->raised && o->kind == OOM_MACHINE && is_retried(x)))
			return true;
	}
	return false;
}

/* Is O one that may be of several things, where another on its line says what it was? */
static bool
is_explained(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; o->hedged && i < log->messages.n; i++)
		if (log->messages.v[i].line == o->line && !log->messages.v[i].hedged && !oom_is_vague(&log->messages.v[i]))
			return true;
	return false;
}

/* Is O no more than what a program adds to a message, or a part of one, where another says in full
 * what failed? Ray adds it to one of the machine's memory, too. */
static bool
is_echo(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; o->echo && i < log->messages.n; i++) {
		const struct oom_message *x = &log->messages.v[i];

		if (!x->echo && !x->apart && !x->warning && !oom_is_vague(x) && (!x->host || strcmp(o->who, "Ray") == 0))
			return true;
	}
	return false;
}

/* Is O the beginning of what TensorFlow's allocator says, in a title or where the log ends, so that
 * it may go on to say that this is no failure? */
static bool
is_cut_short(const struct oom_log *log, const struct oom_message *o)
{
	if (o->kind == OOM_TENSORFLOW)
		return strcmp(o->who, TF_ALLOCATOR_CUT) == 0;
	return o->kind == OOM_TF_ALLOCATOR && !o->warning && !log->dump.any && (o->titled || o->alone || o->last == log->lines);
}

/* And does all that it says in full tell of requests that it did without? */
static bool
is_cut_warning(const struct oom_log *log, const struct oom_message *o)
{
	bool warned = false;
	int i;

	for (i = 0; is_cut_short(log, o) && i < log->messages.n; i++) {
		const struct oom_message *x = &log->messages.v[i];

		if (x->kind == OOM_TF_ALLOCATOR && !x->warning && !is_cut_short(log, x))
			return false;
		warned |= x->kind == OOM_TF_ALLOCATOR && x->warning;
	}
	return warned;
}

/* Does O name in anyone's words what a message on its line says to be of something else, or one
 * right ahead of it, whose size is wrong, has brought about? */
static bool
names_apart(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; oom_is_vague(o) && !o->apart && i < log->messages.n; i++)
		if (log->messages.v[i].apart && (log->messages.v[i].line == o->line || (log->messages.v[i].beyond &&
		    o->line > log->messages.v[i].line && o->line - log->messages.v[i].last < OF_ONE_CRASH)))
			return true;
	return false;
}

/* Is O no more than that a process was ended, near a line by which its job was out of time? */
static bool
is_out_of_time(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; o->kind == OOM_KERNEL && o->hedged && i < log->messages.n; i++) {
		const struct oom_message *x = &log->messages.v[i];

		if (x->apart && x->says && strcmp(x->says, OUT_OF_TIME) == 0 && x->line <= o->last + OF_ONE_CRASH && o->line <= x->last + OF_ONE_CRASH)
			return true;
	}
	return false;
}

/* Is O a program's warning of what it says itself further on, with figures, to have failed? */
static bool
is_fulfilled(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; o->warning && o->again && i < log->messages.n; i++)
		if (!log->messages.v[i].warning && log->messages.v[i].size[OOM_ASKED].known && strcmp(log->messages.v[i].who, o->who) == 0)
			return true;
	return false;
}

/* Is O of something else than memory? That is worth a word only where nothing is of memory. */
static bool
is_beside(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; o->apart && i < log->messages.n; i++)
		if (!log->messages.v[i].apart)
			return true;
	return false;
}

/* Is O CUDA's bare name of it, such as in a title, where a message with figures says that it was of
 * the machine's memory? */
static bool
is_of_host(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; o->kind == OOM_CUDA && !o->host && !o->says && !o->size[OOM_ASKED].known &&
	    strcmp(o->who, oom_kind_name(OOM_CUDA)) == 0 && i < log->messages.n; i++)
		if (log->messages.v[i].kind == OOM_CUDA && log->messages.v[i].host && log->messages.v[i].size[OOM_ASKED].known)
			return true;
	return false;
}

/* XLA's allocator is TensorFlow's, and says first what XLA says then. */
static bool
is_twin(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	for (i = 0; o->kind == OOM_TF_ALLOCATOR && o->size[OOM_ASKED].known && i < log->messages.n; i++) {
		const struct oom_message *x = &log->messages.v[i];

		if (x->kind == OOM_XLA && x->size[OOM_ASKED].known &&
		    llabs(x->size[OOM_ASKED].bytes - o->size[OOM_ASKED].bytes) <= ROUNDED)
			return true;
	}
	return false;
}

/* An assertion that failed on the device, and no code that came of it. */
static void
assertion_alone(struct oom_log *log)
{
	struct oom_message o = { .kind = OOM_CUDA, .line = log->assertion, .last = log->assertion,
		.count = 1, .gpu = -1, .who = "CUDA", .apart = true };

	if (log->messages.n || !log->assertion || log->dump.any)
		return;
	o.says = arena_printf(log->arena, ASSERTED, log->assertion);
	vec_push(log->arena, &log->messages, o);
}

/* Caffe says nothing of what it asked for, but may have told before what its network takes. */
static const char *
caffe_says(const struct oom_log *log)
{
	char human[SIZE_TEXT], exact[SIZE_TEXT];

	if (!log->net_bytes && !log->input.known)
		return "Caffe had no memory left on the device, and does not say for what. Where no other process "
		    "has it, the run needs more than the device has: results of its layers grow with the number and the size of images at "
		    "once, weights do not." UNTRIED(BY_BATCH, " Where its data layers have a batch_size, a smaller one takes less (that of phase TEST lies there "
		    "beside that of TRAIN).") OF_ONE_SAMPLE(" Fewer than one image there are not: a smaller one takes less, and so does a Caffe that is built with cuDNN, without which it unrolls all that a convolution is given.");
	if (!log->net_bytes)
		return arena_printf(log->arena, "Caffe had no memory left on the device, and does not "
		    "say for what. Its data layer makes batches of %lld samples; the results of all "
		    "layers grow with them in proportion.", (long long)log->input.dim[0]);
	return arena_printf(log->arena, "Caffe had no memory left on the device, and does not say "
	    "for what. As it loaded the network, it added up the results of layers, and by the last "
	    "such line of the log came to %s (%s B)%s; where it is trained, their gradients take up to as "
	    "much again, and weights and workspaces come on top.",
	    size_human(human, log->net_bytes), size_commas(exact, log->net_bytes),
	    log->input.known ? arena_printf(log->arena, ", at a batch of %lld",
	    (long long)log->input.dim[0]) : ", which grows with the samples of a batch");
}

static const char *
limit_says(const struct oom_log *log, const struct oom_message *o)
{
	const struct oom_size *had = &o->size[OOM_ALLOCATED], *most = &o->size[OOM_LIMIT];
	char human[SIZE_TEXT], limit[SIZE_TEXT];

	if (strcmp(o->who, "Slurm") == 0)
		return arena_printf(log->arena, "Slurm counted more of the " MACHINES ", for the processes of a job, or of a step of it, than their limit (--mem or --mem-per-cpu of sbatch and srun), and ended them%s%s%s%s. A higher limit, as far as the machine has as much, or less at once, lets it go on.",
		    most->known ? ": " : "", most->known ? size_human(human, had->bytes) : "", most->known ? " of " : "", most->known ? size_human(limit, most->bytes) : "");
	return arena_printf(log->arena, "The limit of the process's control group was reached, which "
	    "a container or a job has, and the kernel ended the process%s. It is the " MACHINES ".", oom_process_had(log->arena, o));
}

/* Python's MemoryError in whose traceback a library of a GPU is called need not be of the machine's
 * memory. */
static void
settle_gpu_library(struct oom_log *log, struct oom_message *o)
{
	int call = log->paste.gpu_files, theano = log->paste.told.framework[TOLD_THEANO].line;
	bool near = call && call >= o->line - OOM_TRACE_LINES && call <= o->last + OOM_TRACE_LINES;

	if (o->kind != OOM_MACHINE || !o->python || o->says || (!near && (!theano || o->facts)))
		return;
	o->kind = OOM_OTHER;
	o->host = false;
	o->hedged = true;
	o->who = "Python";
	o->says = near ? arena_printf(log->arena, OF_GPU_LIBRARY, call) : arena_printf(log->arena, OF_THEANO, theano);
}

/* CUDA's bare name of it, which is any program's, as in a title. */
static bool
is_bare(const struct oom_message *o)
{
	return !o->says && ((o->kind == OOM_CUDA && strcmp(o->who, oom_kind_name(OOM_CUDA)) == 0) || (o->kind == OOM_TENSORFLOW && !o->node[0]));
}

/* Is it a program's own line of a failure of memory? */
static bool
is_programs_own(const struct oom_message *o)
{
	return !o->titled && !o->apart && !o->warning && !o->asserted && !o->hedged && !is_retried(o) && o->kind != OOM_TF_ALLOCATOR;
}

/* Is it one with figures? */
static bool
is_told_in_full(const struct oom_message *o)
{
	return is_programs_own(o) && (o->size[OOM_ASKED].known || o->shape.known);
}

/* Or one that tells what of a device's memory it was? */
static bool
is_told_for_what(const struct oom_message *o)
{
	return is_programs_own(o) && o->kind == OOM_CUDA && o->says;
}

/* Or one that a sentence quotes, with what the device has. */
static bool
is_quoted_in_full(const struct oom_message *o)
{
	return o->titled && o->kind == OOM_PYTORCH && o->size[OOM_ASKED].known && o->size[OOM_TOTAL].known;
}

/* "I get a CUDA out of memory error", in a title, whatever its form, or a sentence, where a
 * program's own line tells it of a device, with figures, or for what it was. */
static bool
is_mentioned(const struct oom_log *log, const struct oom_message *o)
{
	int i;

	if (!(o->titled || (o->last == 1 && !o->traced)) || !is_bare(o) || o->gpu >= 0 || o->facts || o->size[OOM_ASKED].known || o->shape.known)
		return false;
	for (i = 0; i < log->messages.n; i++)
		if ((is_told_in_full(&log->messages.v[i]) || is_told_for_what(&log->messages.v[i]) || is_quoted_in_full(&log->messages.v[i])) && !log->messages.v[i].host)
			return true;
	return false;
}

/* What a title calls "OOMKilled" beside the dump of a device's allocator: that one's own
 * failure. */
static void
allocators_own(struct oom_message *o, int line)
{
	o->line = o->last = line;
	o->kind = OOM_TF_ALLOCATOR;
	o->who = oom_kind_name(OOM_TF_ALLOCATOR);
	o->says = NULL;
	o->host = o->limited = false;
}

/* Is the device's only request that ggml was refused, and no buffer of weights, as another line
 * says, ahead of it or behind it, could be made there? */
static bool
is_of_layers(const struct oom_log *log, const struct oom_message *o)
{
	const struct oom_message *p;
	int i, requests = 0;
	bool layers = false;

	if (o->kind != OOM_CUDA || o->host || o->says || o->gpu < 0 || strcmp(o->who, "ggml") != 0 || !o->size[OOM_ASKED].known || (o->facts & (TRACE_COMPUTE | TRACE_CACHE)))
		return false;
	for (i = 0; i < log->messages.n; i++) {
		p = &log->messages.v[i];
		requests += p->gpu == o->gpu && p->size[OOM_ASKED].known;
		layers |= p->gpu == o->gpu && p->says && strcmp(p->says, NO_LAYERS_THERE) == 0;
	}
	return layers && requests == 1;
}

/* Is fairseq named, or the setting that bounds its batches? */
static bool
is_fairseq(const struct oom_paste *p)
{
	const struct oom_knob *texts = &p->domains[DOMAIN_TEXTS], *tokens = &p->knobs[KNOB_TOKENS];

	return (texts->line && strncmp(texts->name, "fairseq", sizeof("fairseq") - 1) == 0) || (tokens->line && strncmp(tokens->name, "max-tokens", sizeof("max-tokens") - 1) == 0);
}

/* What a message means by what stands beside it in the report. */
static void
settle_meaning(struct oom_log *log, struct oom_message *o)
{
	o->warning |= o->caught > 0;
	if (o->status && log->assertion) {
		o->asserted = log->assertion;
		o->says = arena_printf(log->arena, ASSERTED, log->assertion);
	}
	settle_gpu_library(log, o);
	if (o->kind == OOM_PYTORCH_CPU && log->paste.lua && !log->paste.torch_files)
		o->who = "Torch (Lua) on the processor";	/* which has the same allocator */
	if (o->says && strcmp(o->says, SHARED_TENSORS) == 0 && log->paste.loader) {
		o->says = BUS_ERROR;
		o->who = "PyTorch's DataLoader";
	}
	if (o->says && strcmp(o->says, SKIPPED_BATCH) == 0 && is_fairseq(&log->paste)) {
		o->says = SKIPPED;
		o->who = "fairseq";
	}
	if (strcmp(o->who, "gunicorn") == 0 && log->paste.decided.timeout)
		o->says = GUNICORN;
	if (o->says && strcmp(o->says, NOT_SPREAD) == 0)
		o->facts = 0;	/* it ended before anything was put anywhere */
	if (!o->says && o->limited && o->kind == OOM_KERNEL)
		o->says = limit_says(log, o);
	if (!o->says && o->kind == OOM_CUDA && (o->facts & TRACE_PINNED) &&
	    !o->size[OOM_ASKED].known) {
		o->says = PINNED;
		o->hedged = true;
	}
	if (is_of_layers(log, o))
		o->facts |= TRACE_LAYERS;
	if (!o->says && (o->facts & TRACE_HANDLE)) {
		o->says = strcmp(o->who, "PaddlePaddle") == 0 ? NO_CONTEXT_ANY : NO_HANDLE;	/* as it begins */
		o->hedged = true;
	}
	if (!o->says && !o->host && strcmp(o->who, "Caffe") == 0)
		o->says = caffe_says(log);
}

/* Whose the rest are: a name that several programs have in common is that of the one that the
 * report shows. */
static void
settle_speaker(struct oom_log *log, struct oom_message *o)
{
	if (o->of_tensorflow && !log->paste.jax_files && !log->paste.torch_files) {
		o->kind = OOM_TENSORFLOW;
		o->who = oom_kind_name(OOM_TENSORFLOW);
	}
	if (o->of_cuda && !o->shape.known) {
		o->kind = OOM_CUDA;
		o->who = oom_kind_name(OOM_CUDA);
	}
	if (log->paste.parts > 0 && o->kind == OOM_CUDA && !o->says && !o->python && strcmp(o->who, oom_kind_name(OOM_CUDA)) == 0) {
		o->who = "Darknet";
		o->says = SUBDIVISIONS;
	}
	if (!log->dump.any || (log->dump.of.known && log->dump.of.host))
		return;
	if (o->titled && o->host && o->says && strcmp(o->who, "container") == 0)
		allocators_own(o, log->dump.line);
	else if (o->kind == OOM_OTHER && !log->paste.jax_files && strcmp(o->who, oom_kind_name(OOM_OTHER)) == 0)
		o->who = oom_kind_name(OOM_TENSORFLOW);		/* whose allocator drew it up */
}

void
oom_settle(struct oom_log *log)
{
	int i;

	for (i = 0; i < log->messages.n; i++)
		settle_meaning(log, &log->messages.v[i]);
	oom_forget(log, is_old);
	oom_forget(log, says_less);
	oom_forget(log, is_explained);
	oom_forget(log, is_echo);
	oom_forget(log, is_cut_warning);
	oom_forget(log, is_fulfilled);
	oom_forget(log, names_apart);
	oom_forget(log, is_out_of_time);
	oom_forget(log, is_beside);
	for (i = 0; i < log->messages.n; i++)
		settle_speaker(log, &log->messages.v[i]);
	oom_forget(log, is_twin);
	oom_forget(log, is_of_host);
	oom_forget(log, is_mentioned);
	assertion_alone(log);
	oom_settle_alone(log);
	log->dump.listed = log->dump.in_use;
	if (log->dump.said_in_use > log->dump.in_use)
		log->dump.in_use = log->dump.said_in_use;	/* the list is cut */
	if (log->dump.any && log->dump.classes.n == 0 && !log->dump.limit)
		log->dump.any = false;
}

/* How much a message lets us say. What stands for itself goes ahead of what may be something else,
 * and the first failure ahead of those that came of it. */
static int
weight(const struct oom_message *o)
{
	int i, known = 0;

	for (i = 0; i < OOM_FIELDS; i++)
		known += o->size[i].known;
	return (o->apart || o->warning ? 0 : o->asserted ? 100 : o->hedged ? 200 : o->follows ? 300 : 400) +
	    (o->shape.known ? 50 : 0) +
	    (o->kind != OOM_CUDA && o->kind != OOM_TF_ALLOCATOR ? 20 : 0) + (is_bare(o) && known == 0 ? -1 : known);
}

/* Does A go ahead of B? What a title or a sentence quotes may be of another run, where a program's
 * own line tells as much. Of two that tell as much, the one that is said last: what a program ends
 * with. */
static bool
goes_ahead(const struct oom_message *a, const struct oom_message *b)
{
	if (a->titled != b->titled && (is_told_in_full(a) || is_told_in_full(b)))
		return is_told_in_full(a);
	if (a->host != b->host && a->traced != b->traced && (a->traced ? b : a)->titled)
		return a->traced;	/* a title's may be of another run, as none of the same memory is shown */
	return weight(a) > weight(b) || (weight(a) == weight(b) && a->last >= b->last);
}

const struct oom_message *
oom_log_main(const struct oom_log *log)
{
	const struct oom_message *best = NULL;
	int i;

	for (i = 0; i < log->messages.n; i++)
		if (!best || goes_ahead(&log->messages.v[i], best))
			best = &log->messages.v[i];
	return best;
}
