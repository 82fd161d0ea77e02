/* The answer of stowage autopsy for people: the message, its tensor, its batch, its bytes, what
 * else was there, what would fit, what to change. */
#include "autopsy/autopsy_parts.h"
#include "autopsy/autopsy_text.h"

#include <stdarg.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "fit/idle.h"
#include "oom/oom_had.h"
#include "plan/plan.h"
#include "plan/summary.h"

#define MOST_MESSAGES	8
#define MOST_ALIVE	8
#define COLUMNS		98
#define WORTH_SAYING	((int64_t)64 << 20)	/* of bytes that are cached but unusable */

void
autopsy_heading(const struct autopsy *y, const char *title)
{
	fprintf(y->out, "\n%s%s%s\n", y->colour ? "\033[1m" : "", title,
	    y->colour ? "\033[0m" : "");
}

/* A paragraph, indented by two and broken at blanks. */
void
autopsy_say(const struct autopsy *y, const char *fmt, ...)
{
	const char *s, *word;
	int column = 0, n;
	va_list ap;

	va_start(ap, fmt);
	s = arena_vprintf(y->arena, fmt, ap);
	va_end(ap);
	while (*s) {
		word = s;
		n = (int)strcspn(word, " ");
		if (column && column + 1 + n > COLUMNS) {
			putc('\n', y->out);
			column = 0;
		}
		fprintf(y->out, "%s%.*s", column ? " " : "  ", n, word);
		column += n + (column ? 1 : 2);
		s = word + n + strspn(word + n, " ");
	}
	putc('\n', y->out);
}

void
autopsy_row(const struct autopsy *y, const char *name, int64_t bytes, const char *note)
{
	char human[SIZE_TEXT], exact[SIZE_TEXT];

	if (bytes >= 0)
		fprintf(y->out, "  %-34s %12s %20s B%s%s\n", name, size_human(human, bytes),
		    size_commas(exact, bytes), *note ? "  " : "", note);
}

/* ---- the messages ---- */

const char *
autopsy_device_word(const struct oom_message *o)
{
	return strstr(o->who, "NPU") ? "NPU" : o->kind == OOM_XLA ? "device" : "GPU";
}

/* Was another amount asked for than by BEFORE? */
static bool
asks_for_other(const struct oom_message *o, const struct oom_message *before)
{
	const struct oom_size *asked = &o->size[OOM_ASKED];

	return asked->known && (!before->size[OOM_ASKED].known || before->size[OOM_ASKED].bytes != asked->bytes);
}

/* What message I means, in short where one ahead of it means the same, of another amount as
 * well. */
static const char *
told(const struct autopsy *y, int i)
{
	const struct oom_message *o = &y->log.messages.v[i], *before = y->log.messages.v;
	const char *meaning = autopsy_meaning(y, o);
	int k;

	for (k = 0; k < i; k++) {
		if (strcmp(autopsy_meaning(y, &before[k]), meaning) == 0)
			return "The same.";
		if (o->says && before[k].says && strcmp(before[k].says, o->says) == 0 && !o->caught && !before[k].caught && !o->apart)
			return o->hedged && !asks_for_other(o, &before[k]) ? "The same." : arena_printf(y->arena, "The same.%s", autopsy_amount(y, o));
	}
	return meaning;
}

/* Is there more of the main message than its meaning? */
static bool
is_explained(const struct autopsy *y)
{
	const struct oom_message *o = y->main;
	int i;

	for (i = 0; i < OOM_FIELDS; i++)
		if (i != OOM_ASKED && o->size[i].known)
			return true;
	return y->causes.n || y->reported.n || y->likely.n || y->module || y->log.dump.any || o->shape.known || o->node[0];
}

static void
print_messages(const struct autopsy *y)
{
	const struct oom_log *log = &y->log;
	int i, shown = 0;

	for (i = 0; i < log->messages.n && shown < MOST_MESSAGES; i++) {
		const struct oom_message *o = &log->messages.v[i];

		fprintf(y->out, "\n%s%s:%d: %s%s", y->colour ? "\033[1m" : "", visible_text(y->arena, y->log_path), o->line,
		    o->who, y->colour ? "\033[0m" : "");
		if (o->gpu >= 0)
			fprintf(y->out, ", %s %d%s", autopsy_device_word(o), o->gpu, o->gpus ? " and others" : "");
		if (o->count > 1)
			fprintf(y->out, ", %d times", o->count);
		fprintf(y->out, "%s\n", o == y->main && log->messages.n > 1 && is_explained(y) ?
		    " (explained below)" : "");
		autopsy_say(y, "%s", told(y, i));
		shown++;
	}
	if (log->messages.n + log->more > shown)
		fprintf(y->out, "\n%d more different messages.\n",
		    log->messages.n + log->more - shown);
}

/* ---- the bytes ---- */

/* Would the request fit if the cached bytes were given back? */
static bool
would_help(const struct autopsy *y)
{
	const struct budget *b = &y->budget;

	return !b->roomy && !b->lent && y->hi > 0 && y->hi <= b->unallocated + (b->free > 0 ? b->free : 0);
}

/* The variable that PyTorch's allocator of that device is set by; NULL: of none that is known to
 * have such segments. */
static const char *
allocator_settings(const struct oom_message *o)
{
	static const struct {
		const char *who, *variable;
	} of[] = {
		{ "PyTorch", "PYTORCH_CUDA_ALLOC_CONF" }, { "PyTorch on HIP", "PYTORCH_HIP_ALLOC_CONF" },
		{ "PyTorch on NPU", "PYTORCH_NPU_ALLOC_CONF" },
	};
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (strcmp(o->who, of[i].who) == 0)
			return of[i].variable;
	return NULL;
}

/* What gives back pieces of no use, by SETTINGS. Only newer messages have a figure of them, and an
 * older PyTorch ends at a setting that it does not know. */
static void
would_give_back(const struct autopsy *y, const char *settings)
{
	if (y->main->size[OOM_UNALLOCATED].known)
		autopsy_say(y, "A tenth or more of what is reserved is of no use: %s=expandable_segments:True (or max_split_size_mb) may give it back; where the "
		    "platform has no such segments, as on Windows, PyTorch warns of it.", settings);
	else
		autopsy_say(y, "A tenth or more of what is reserved is of no use: max_split_size_mb in %s may give it back, where that version has it%s.", settings,
		    strcmp(settings, "PYTORCH_CUDA_ALLOC_CONF") == 0 ? "; from PyTorch 2.1 on, expandable_segments:True may, which older ones do not know" : "");
}

/* May what a table shows of a card be of the one that failed: does it have as much in use as the
 * message's own process had? */
static bool
is_of_card(const struct autopsy *y)
{
	return y->log.card.known && y->log.card_used.bytes >= y->budget.allocated;
}

static void
print_budget(const struct autopsy *y)
{
	const struct budget *b = &y->budget;
	bool metal = y->main && y->main->kind == OOM_MPS, card = y->main && !y->main->host && is_of_card(y);
	int i;

	if (!y->main || y->main->apart ||
	    (b->allocated < 0 && b->total < 0 && b->free < 0 && !card && b->doubts.n == 0))
		return;
	autopsy_heading(y, y->main->gpus && !y->main->host ? arena_printf(y->arena, "The arithmetic of %s %d alone (bytes as far as its message's rounding goes)",
	    autopsy_device_word(y->main), y->main->gpu) : "The arithmetic (bytes as far as the message's rounding goes)");
	autopsy_row(y, metal ? "limit" : "device", b->total, "");
	if (y->main->says && y->main->size[OOM_ASKED].known && (y->main->kind == OOM_CUDA || (y->main->kind == OOM_HOST && b->free >= 0)))	/* what it says then has no amount */
		autopsy_row(y, y->main->host ? "needed" : "asked for", y->main->size[OOM_ASKED].bytes, "");
	autopsy_row(y, y->main->kind == OOM_CUPY ? "its pool" :
	    y->main->kind == OOM_KERNEL ? "the process" : y->main->kind == OOM_XLA ? "by XLA's count" : b->peak ? "tensors, at most" : "tensors",
	    b->allocated, y->main->kind == OOM_CUPY ? y->main->size[OOM_LIMIT].known ? "with blocks that were freed" : "with pieces between arrays" :
	    oom_has_files(y->main) ? "of its own, without files' pages" : "");
	autopsy_row(y, "in use", b->in_use, "by all processes together");
	autopsy_row(y, "cached, of no use to this request", b->unallocated,
	    "reserved less allocated");
	autopsy_row(y, "free in private pools", b->kept, "as those of CUDA graphs");
	autopsy_row(y, "reserved by the framework", b->reserved, "");
	autopsy_row(y, strcmp(y->main->who, "vLLM") == 0 ? "free for keys and values" : "free", b->free, "");
	autopsy_row(y, "outside the framework", b->outside, metal ? "of this process" :
	    "context, libraries, other processes");
	autopsy_row(y, b->context >= AUTOPSY_LARGE_CONTEXT ? "  context, other libraries" : "  context and libraries", b->context, "this process less reserved");
	autopsy_row(y, "  other processes", b->others, b->listed ? "" : "or the driver's");
	if (card) {
		autopsy_row(y, "the fullest card", y->log.card.bytes, "by nvidia-smi or gpustat");
		autopsy_row(y, "  in use on it", y->log.card_used.bytes, "by all processes");
	}
	for (i = 0; i < b->doubts.n; i++)
		autopsy_say(y, "%s", b->doubts.v[i]);
	if (would_help(y) && !y->log.expands && !y->main->wrapped && !autopsy_is_tried(y, BY_SEGMENTS) && !(y->main && y->main->size[OOM_CACHED].known) && b->unallocated > WORTH_SAYING && b->unallocated > b->reserved / 10 && allocator_settings(y->main))
		would_give_back(y, allocator_settings(y->main));
}

static void
print_xla(const struct autopsy *y)
{
	static const struct {
		enum oom_field field;
		const char *name;
	} part[] = {
		{ OOM_PARAMETERS, "arguments" }, { OOM_CONSTANTS, "constants" },
		{ OOM_RESULTS, "results" }, { OOM_TEMPORARY, "temporaries" },
	};
	struct arena *a = y->arena;
	size_t i;
	int k;

	if (!y->main || y->main->kind != OOM_XLA)
		return;
	for (i = 0; i < sizeof(part) / sizeof(*part); i++)
		if (y->main->size[part[i].field].known)
			autopsy_row(y, part[i].name, y->main->size[part[i].field].bytes, "");
	if (y->log.alive.n)
		autopsy_heading(y, "Buffers that XLA names");
	for (k = 0; k < y->log.alive.n && k < MOST_ALIVE; k++) {
		const struct oom_alive *l = &y->log.alive.v[k];
		struct shape_matches found;

		found.all.n = 0;
		if (y->module)
			shape_find(y->module, &l->shape, y->said_batch, "", &found);
		if (l->size.known)
			autopsy_row(y, autopsy_shape_text(a, &l->shape), autopsy_buffer_bytes(l), found.all.n ? autopsy_tensor_text(a, found.all.v) :
			    y->module ? "of no tensor of the spec" : "");
		else
			fprintf(y->out, "  %s\n", autopsy_shape_text(a, &l->shape));
	}
}

/* The locally-connected layer behind it. */
static void
print_layer(const struct autopsy *y)
{
	const struct dump_story *s = &y->dump;
	const struct keras_local *k = &s->layer;
	char one[SIZE_TEXT], all[SIZE_TEXT];
	int64_t bytes;

	if (!s->local)
		return;
	bytes = affine_at(k->slices_backward, y->batch);
	autopsy_heading(y, "What happened");
	autopsy_say(y, "Keras runs the locally-connected layer %s (%s) as N = %s slices, one "
	    "for each position. The gradient of a slice is a zero-filled tensor of the whole "
	    "input, %s B at batch %lld, and all N are alive until they are added up.",
	    k->forward->path,
	    loc_shown(y->arena, k->forward->loc, k->forward->loc.src), size_commas(all, k->positions),
	    size_commas(one, affine_at(k->input, y->batch)), (long long)y->batch);
	autopsy_say(y, "%lld x %s B = %s B; %lld of them were there when memory ended.",
	    (long long)k->positions, size_commas(one, affine_at(k->input, y->batch)),
	    size_commas(all, bytes), (long long)s->held);
}

/* ---- why, what else was alive, what would fit ---- */

static void
print_sentences(const struct autopsy *y, const char *heading, const struct sentence *sentence, int n)
{
	int i;

	if (n)
		autopsy_heading(y, heading);
	for (i = 0; i < n; i++)
		autopsy_say(y, "%s", sentence[i].text);
}

static void
print_alive(const struct autopsy *y)
{
	const struct forecast *f = &y->forecast;
	int i;

	if (!f->known)
		return;
	autopsy_heading(y, arena_printf(y->arena, "%s: %s %s at batch %lld (an "
	    "estimate)", autopsy_was_alive(y) ? "What else was alive" : "What this network has", y->framework->heading, f->validating ? "validation" : "training",
	    (long long)f->eager.batch));
	for (i = 0; i < TENSOR_KINDS; i++)
		if (f->eager.at_peak[i])
			autopsy_row(y, plan_kind_heading((enum tensor_kind)i), f->eager.at_peak[i], "");
	autopsy_row(y, "tensors at the peak", f->tensors, f->eager.at ? f->eager.at->path : "");
	if (f->unrolled)
		autopsy_row(y, "a locally-connected layer's slices", f->unrolled, "");
	if (!y->framework->exact)
		autopsy_row(y, "in its allocator's blocks", f->allocated, "");
}

/* How far a batch that fits by the upper end of the forecast does. */
static const char *
how_surely(const struct autopsy *y)
{
	if (!y->framework->exact)
		return "probably (another order of its operations may keep more)";
	return y->forecast.assumes ? arena_printf(y->arena, "probably (%s)", y->forecast.assumes) : "surely";
}

static void
print_largest(const struct autopsy *y)
{
	char bytes[SIZE_TEXT];

	if (y->dump.local)
		autopsy_say(y, "Batch %lld fits that, and %lld does not, by TensorFlow's allocator "
		    "rules.", (long long)y->dump.largest, (long long)y->dump.largest + 1);
	if (y->dump.local && y->card)
		autopsy_say(y, "With %s B the same rules say %lld.", size_commas(bytes, y->card),
		    (long long)y->card_largest);
	if (y->framework && !y->forecast.known && y->forecast.why_not)
		autopsy_say(y, "How many samples that is in %s is not forecast: %s.", y->framework->runtime, y->forecast.why_not);
	if (!y->forecast.known || y->validation)
		return;
	if (autopsy_is_narrower(y))
		autopsy_say(y, "What follows is for %s, as the spec says; the run's 16 bits take less where activations decide.",
		    y->module->set.precision->element->name);
	if (autopsy_validates_too_much(y))
		autopsy_say(y, "In %s validation in batches of %lld, as the spec has it, takes more than that by itself, whatever the batch "
		    "of training is.", y->framework->runtime, (long long)y->forecast.eager.batch);
	else if (y->largest_batch == 0)
		autopsy_say(y, "In %s one sample takes more than that, by the model of its allocator.",
		    y->framework->runtime);
	else if (y->scored)
		autopsy_say(y, "In %s, batch %lld at most: that has room for tensors alone, without attention's scores, which come on "
		    "top where they are stored (an estimate).", y->framework->runtime, (long long)y->largest_batch);
	else if (y->sure_batch == y->largest_batch)
		autopsy_say(y, "In %s, batch %lld (an estimate%s%s).", y->framework->runtime,
		    (long long)y->largest_batch, y->forecast.assumes ? "; " : "", y->forecast.assumes ? y->forecast.assumes : "");
	else if (y->sure_batch == 0)
		autopsy_say(y, "In %s, batch %lld at most: that has room for tensors alone, and the "
		    "workspaces and copies of its libraries come on top (an estimate).",
		    y->framework->runtime, (long long)y->largest_batch);
	else
		autopsy_say(y, "In %s, batch %lld %s, and %lld at most: the first has room for the "
		    "workspaces and copies of its libraries, the second for tensors alone (an "
		    "estimate).", y->framework->runtime, (long long)y->sure_batch, how_surely(y),
		    (long long)y->largest_batch);
}

static void
print_fit(const struct autopsy *y)
{
	char pool[SIZE_TEXT];

	if (!y->module)
		return;
	if (y->budget.pool > 0) {
		autopsy_heading(y, "What would fit");
		autopsy_say(y, "The framework could have %s B (%s).", size_commas(pool,
		    y->budget.pool), y->budget.pool_is);
		print_largest(y);
	} else if (y->forecast.known) {
		autopsy_heading(y, "What would fit");
		autopsy_say(y, "Neither the log nor the spec says how much memory there was: "
		    "--memory SIZE does.");
	}
}

static void
print_local_cure(const struct autopsy *y)
{
	const struct keras_local *k = &y->dump.layer;
	char bytes[SIZE_TEXT], masked[SIZE_TEXT];

	if (y->dump.largest > 0 && y->dump.largest < y->batch)
		autopsy_say(y, "In that run, batch %lld in place of %lld.",
		    (long long)y->dump.largest, (long long)y->batch);
	autopsy_say(y,
	    "In Keras, implementation=3 needs at most %s for that layer, implementation=2 %s%s.",
	    size_human(bytes, affine_at(k->sparse, y->batch)),
	    size_human(masked, affine_at(k->masked, y->batch)),
	    k->filters == 1 && k->field == k->forward->in[0]->dim[0] ? "; a (1, 1) kernel with one "
	    "filter is a product with a weight per position, summed over the channels" : "");
}

static void
print_cures(const struct autopsy *y)
{
	const char *normalises = advice_normalises(y->module) ?
	    ", in which batch normalisation takes its statistics over a micro-batch" : "";
	char bytes[SIZE_TEXT];
	int i;

	if (y->cures.n == 0 && y->sure_batch > 0)
		autopsy_say(y, "In %s, micro-batches of %lld or fewer, accumulated to an update of %lld samples%s: "
		    "%s.", y->framework->runtime, (long long)y->sure_batch, (long long)y->batch, normalises,
		    framework_how(y->framework, "accumulate"));
	for (i = 0; i < y->cures.n; i++) {
		const struct advice *d = y->cures.v[i].advice;

		autopsy_say(y, "%s%s: %s %s in %s, by the same forecast%s. There: %s.", d->title,
		    strstr(d->kind, "accumulate") ? normalises : "", autopsy_at_most(y),
		    size_human(bytes, d->arena), y->framework->runtime,
		    d->fits ? ", which fits" : d->never ? ", not enough by itself" : ", not surely enough by itself", y->cures.v[i].how);
	}
}

/* Is what the device has the machine's, or paged out to it, as the driver did? */
static bool
shares_memory(const struct autopsy *y)
{
	return y->budget.lent || y->main->kind == OOM_MPS || y->log.paste.jetson || y->log.paste.unified || autopsy_is_part_of_processor(y);
}

static void
print_idle(const struct autopsy *y)
{
	const struct idle_advice *v;
	struct text t;

	text_init(&t, y->arena);
	for (v = idle_advice; v->what; v++)
		if (!v->of_machine || !shares_memory(y))
			text_printf(&t, "%s%s (%s)", t.n ? "; " : "", v->what, v->why);
	autopsy_say(y, "No effect on the device: %s.", t.s);
}

/* Where the log does not show what had filled it. */
static void
print_likely(const struct autopsy *y)
{
	int i;

	if (y->likely.n)
		autopsy_heading(y, "What to find out");
	for (i = 0; i < y->likely.n; i++)
		autopsy_say(y, "%s", y->likely.v[i]);
}

static void
print_usual(const struct autopsy *y)
{
	if (!y->usual)
		return;
	autopsy_heading(y, "What other reports came to");
	autopsy_say(y, "%s", y->usual);
}

static void
print_advice(const struct autopsy *y)
{
	bool smaller = y->forecast.known && y->budget.pool > 0 && y->sure_batch < y->batch &&
	    !y->validation && !y->budget.roomy && !y->fits_alone && !y->scored;

	print_likely(y);
	print_usual(y);
	if (y->main && y->main->host)
		return;
	if (!y->dump.local && !smaller)
		return;
	autopsy_heading(y, "What to change");
	if (y->dump.local)
		print_local_cure(y);
	else
		print_cures(y);
	print_idle(y);
}

/* Of another program than the one that failed, so by itself. */
static void
print_ours(const struct autopsy *y)
{
	int64_t batch = y->module && y->module == y->spec->modules.v[0] ? y->said_batch : y->batch;
	char bytes[SIZE_TEXT];

	if (!y->module || y->validation || !y->main || y->main->host)
		return;
	autopsy_heading(y, "A program of stowage build");
	autopsy_say(y, "%s would take %s B in one arena there, at batch %lld; stowage "
	    "fit%s tells its largest batch, and edits of the spec with their bytes.",
	    y->module->train ? "The spec's training" : "The spec's network, forward only,",
	    size_commas(bytes, y->module->plan->arena_bytes), (long long)batch,
	    y->budget.pool > 0 ? arena_printf(y->arena, " --memory %lldB",
	    (long long)y->budget.pool) : "");
}

static void
print_nothing(const struct autopsy *y)
{
	int line = y->log.warned > 0 ? y->log.warned_line : y->log.paste.told.tenth;

	fprintf(y->out, ", no out-of-memory message that is known here\n");
	autopsy_say(y, "What was read has none of the wordings of stowage-autopsy(1). Frameworks write "
	    "theirs to the standard error, often before the traceback: paste all of it.");
	if (line > 0)
		autopsy_say(y, "Line %d has a warning of TensorFlow's, that it asks for more than a tenth of the machine's memory at once. "
		    "By itself that is no failure, and the tenth is no limit that one can raise. Where the program ended right there, the system may have ended it for want of that memory: %s"
		    "smaller samples at once (a picture's pixels), or a smaller network, need less of it.", line, y->log.paste.measures.line[MEASURE(BY_BATCH)] ? "" : "fewer or ");
	if (y->log.paste.told.lost)
		autopsy_say(y, "Line %d names CONTEXT_LOST_WEBGL. Where that is what was seen, the browser took back what WebGL computes in, which does not say why: want of the device's memory can be why, and so can a driver "
		    "that began anew, a step that took too long, or a page with several such contexts. In TensorFlow.js, tf.memory() tells whether tensors are kept from call "
		    "to call: where numTensors grows, tf.tidy() or dispose() lets go of them.", y->log.paste.told.lost);
}

void
autopsy_text(const struct autopsy *y)
{
	int n = y->log.messages.n + y->log.more;
	bool apart = y->main && y->main->apart, told = y->main && y->main->kind == OOM_TOLD;

	if (y->module)
		fprintf(y->out, "%s in %s; ", y->module->name,
		    visible_text(y->arena, y->module->src->path));
	fprintf(y->out, "%s: %d line%s", visible_text(y->arena, y->log_path), y->log.lines, y->log.lines == 1 ? "" : "s");
	if (n == 0 && !y->log.dump.any) {
		print_nothing(y);
		return;
	}
	if (told)
		fprintf(y->out, ", no out-of-memory message that is known here, but words that may be of one\n");
	else if (apart)
		fprintf(y->out, ", no out-of-memory message, but %s\n", n == 1 ? "one that looks like it" :
		    "some that look like it");
	else if (n == 0)
		fprintf(y->out, ", no out-of-memory message that is known here, but an allocator's dump\n");
	else
		fprintf(y->out, ", %d out-of-memory message%s\n", n, n == 1 ? "" : "s");
	print_messages(y);
	autopsy_tensor(y);
	print_budget(y);
	print_xla(y);
	autopsy_text_dump(y);
	autopsy_text_holders(y);
	print_layer(y);
	print_sentences(y, "What the log shows of the cause", y->causes.v, y->causes.n);
	print_sentences(y, "What else was pasted, and need not be of what failed", y->reported.v, y->reported.n);
	if (y->main && y->main->hedged)
		print_likely(y);
	if (y->main && (y->main->asserted || y->main->hedged || apart))
		return;		/* memory is not what failed, or may not be */
	print_alive(y);
	print_fit(y);
	print_advice(y);
	print_ours(y);
	if (told)
		fprintf(y->out, "\nA program's own message, with the traceback around it, tells more where there is one.\n");
	else if (!y->module && (!y->main || autopsy_is_of_step(y)))
		fprintf(y->out, "\nWith the network (stowage autopsy SPEC LOG) the tensors have names, and what "
		    "would fit is told.\n");
}
