/* What stands for a message where no program's is there: a person's words, or an end by ^C. */
#include "oom/oom_keep.h"

#include <string.h>

#include "base/ascii.h"
#include "base/print.h"
#include "base/text.h"
#include "oom/oom_says.h"

#define ENDED_BY_WORDS	"No program's message that is known here, but these words: \"%s\". Where the system ended that process, it was as a "	\
    "rule for want of the " MACHINES ", or because the limit of a container or job was reached; its log (on Linux "	\
    "dmesg) then says so.%s"
#define OR_ITS_FAULT	" A program that ends by a fault of its own is told in the same words."

/* Where Colab's memory ends, what runs there is ended as if by the keyboard. */
static void
stopped_alone(struct oom_log *log)
{
	int line = log->paste.stopped;
	struct oom_message o = { .kind = OOM_KERNEL, .line = line, .last = line, .count = 1, .gpu = -1, .host = true,
		.who = "Colab", .says = STOPPED, .hedged = true };

	if (log->messages.n == 0 && line && log->paste.colab && log->paste.colab < line)
		vec_push(log->arena, &log->messages, o);
}

/* A person's words stand for a message where no program's is there, or no more than words that
 * anyone may use. */
static bool
is_of_anyone(const struct oom_log *log, const struct oom_message *o)
{
	(void)log;
	return o->kind == OOM_OTHER && !o->says && !o->size[OOM_ASKED].known && !o->shape.known && !o->python && !o->node[0];
}

/* A process that was killed was so for the machine's memory, unless a device is named; one on the
 * processor, too, and one with which the machine comes to a halt. */
static bool
is_told_of_host(const struct oom_told *told)
{
	return told->host || ((told->killed.line || ((told->processor.line || told->freezes) && !told->gpu)) && !told->device);
}

/* A notebook's kernel that dies where a device is named: an error of the device's library ends it,
 * too, and not the system. */
static bool
may_be_of_device(const struct oom_told *told)
{
	static const char *const ends[] = { "rash", "died", "dies", "dying", "estart", "hut down" };
	size_t i;

	for (i = 0; told->killed.line && i < sizeof(ends) / sizeof(*ends); i++)
		if (strstr(told->killed.words, ends[i]))
			return told->gpu && told->said.line && !told->by_system && !strstr(told->killed.words, "ill");
	return false;
}

/* "the error "Memory Error"": Python's name of it, as people retype it. */
static const char *
quoted(const char *words)
{
	const char *at = strstr(words, "Memory Error");

	return at && at > words && strchr("\"'`", at[-1]) && at[12] == at[-1] ? at : NULL;
}

/* Do a person's words name an error of Python's or C++'s for the machine's memory, where nothing
 * names a device, or a library of one that raises it, too? */
static bool
names_machines_error(const struct oom_log *log)
{
	static const char *const of_device[] = { "rmm", "cud", "cuml", "thrust", "CUDA", "RMM", "device", "GPU" };
	const struct oom_told *told = &log->paste.told;
	const char *words = told->said.words, *at = strstr(words, "MemoryError");
	size_t i;

	if (!told->said.line || told->gpu || told->device || log->paste.gpu_files || told->framework[TOLD_THEANO].line)
		return false;
	if (!strstr(words, "bad_alloc") && !(at && !told->host && (at == words || !is_letter(at[-1]))) && !quoted(words))
		return false;
	for (i = 0; i < sizeof(of_device) / sizeof(*of_device) && !strstr(words, of_device[i]); i++)
		;
	return i == sizeof(of_device) / sizeof(*of_device);
}

/* Or TensorFlow's, by the name of its class, where no other framework's files are there? */
static bool
names_tensorflows_error(const struct oom_log *log)
{
	const struct oom_told *told = &log->paste.told;

	return told->said.line && !told->host && !log->paste.jax_files && !log->paste.torch_files && strstr(told->said.words, "ResourceExhaustedError");
}

/* "# It ends with Killed", and then "is it that my GPU has too little memory?": what happened
 * outranks a guess. */
static void
drop_guess(struct oom_told *told)
{
	if (!told->killed.line || !told->guess || !told->device)
		return;
	told->device = told->sure = told->guess = false;
	if (told->killed.line != told->said.line) {
		told->what = TOLD_NOTHING;
		told->said.line = 0;
	}
}

/* "The kernel dies", beside "Segmentation fault": what ended so was not ended by the system, which
 * does that by signal 9. */
static void
drop_ended_by_fault(struct oom_told *told)
{
	if (!told->fault.line || !told->killed.line || told->by_system || strstr(told->killed.words, "ill"))
		return;
	told->faults = true;
	if (!told->said.line)
		told->said = told->killed;
	told->killed.line = 0;
}

/* "bad_alloc", or "bad allocation", is C++'s word: XGBoost and RAPIDS' libraries raise it for a
 * device's memory, too, PyTorch for the machine's alone. Beside a device, and no PyTorch, it may be
 * either's. */
static void
drop_word_of_either(struct oom_log *log)
{
	struct oom_told *told = &log->paste.told;

	if (told->host && told->gpu == told->said.line && (strstr(told->said.words, "bad_alloc") || strstr(told->said.words, "bad alloc")) && !strstr(told->said.words, "RAM") && !log->paste.torch_files && !told->framework[TOLD_PYTORCH].line)
		told->host = told->named = false;
}

static void
told_alone(struct oom_log *log)
{
	struct oom_told *told = &log->paste.told;
	bool of_device = may_be_of_device(told);
	struct oom_message o = { .kind = OOM_TOLD, .count = 1, .gpu = -1, .who = oom_kind_name(OOM_TOLD) };

	drop_word_of_either(log);
	drop_ended_by_fault(told);
	if (!of_device)
		drop_guess(told);
	o.line = o.last = told->said.line;
	o.host = is_told_of_host(told);
	if (log->dump.any || (!told->said.line && !told->killed.line))
		return;
	if (of_device) {
		told->killed.line = 0;
		o.host = is_told_of_host(told);
	}
	if (told->sentence)
		oom_forget(log, is_of_anyone);
	if (log->messages.n > 0 || log->more > 0)
		return;
	if (told->said.line && told->said.line < log->cut.line) {
		o.facts = log->cut.facts;
		o.traced = log->cut.traced;
		memcpy(o.function, log->cut.function, sizeof(o.function));
		o.host |= (o.facts & TRACE_FORKS) && !told->device;	/* a process is made of the machine's memory */
	}
	if (told->killed.line && !told->sure)	/* where a card is named, and not its memory, it may be either */
		told->device = false;
	if (!told->said.line) {
		o.line = o.last = told->killed.line;
		o.hedged = true;
		o.says = arena_printf(log->arena, ENDED_BY_WORDS, visible_text(log->arena, told->killed.words),
		    strstr(told->killed.words, "illed") || strstr(told->killed.words, "kill ") || strstr(told->killed.words, "uccis") ? "" : OR_ITS_FAULT);
	}
	if (names_tensorflows_error(log)) {
		o.kind = OOM_TENSORFLOW;
		o.who = oom_kind_name(OOM_TENSORFLOW);
		o.host = false;
		o.titled = true;
	}
	if (names_machines_error(log)) {
		o.kind = OOM_MACHINE;
		o.who = oom_kind_name(OOM_MACHINE);
		o.host = o.titled = true;
		o.cpp = strstr(told->said.words, "bad_alloc");
	}
	vec_push(log->arena, &log->messages, o);
}

void
oom_settle_alone(struct oom_log *log)
{
	stopped_alone(log);
	told_alone(log);
}
