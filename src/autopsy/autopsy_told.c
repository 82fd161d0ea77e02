/* Of a report in a person's words alone: what they say, by their lines, and no more. */
#include "autopsy/autopsy_parts.h"

#include "base/text.h"

static const char *
what_text(const struct oom_told *t)
{
	switch (t->what) {
	case TOLD_ENDED:
		return " that ran out";
	case TOLD_SHORT:
		return " that does not suffice";
	case TOLD_FULL:
		return " that fills";
	case TOLD_GROWS:
		return " that grows";
	default:
		return "";
	}
}

static void
add_batches(struct text *to, const struct oom_told *t)
{
	int i;

	for (i = 0; i < t->batches; i++)
		text_printf(to, "%s%lld (line %d)", i == 0 ? "; a batch of " : i == t->batches - 1 ? " and " : ", ",
		    (long long)t->batch[i], t->batch_line[i]);
}

/* What else they name, in their order of a report: how it was run, on what, and when it failed. */
static const char *
beside(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_told *t = &p->told;
	struct text to;
	int i;

	text_init(&to, y->arena);
	for (i = 0; oom_told_framework(i); i++)
		if (t->framework[i])
			text_printf(&to, "; %s (line %d)", oom_told_framework(i), t->framework[i]);
	if (t->gigabytes_line)
		text_printf(&to, "; %.4g GB (line %d)", t->gigabytes, t->gigabytes_line);
	add_batches(&to, t);
	if (t->at_once)
		text_printf(&to, "; the start (line %d)", t->at_once);
	if (p->later)
		text_printf(&to, "; a time after the start, or now and then (line %d)", p->later);
	if (p->evaluating)
		text_printf(&to, "; validation or tests (line %d)", p->evaluating);
	if (p->inferring)
		text_printf(&to, "; inference (line %d)", p->inferring);
	if (p->resuming)
		text_printf(&to, "; a run that is resumed (line %d)", p->resuming);
	if (t->processor)
		text_printf(&to, "; the processor (line %d)", t->processor);
	if (t->replay)
		text_printf(&to, "; a replay buffer (line %d)", t->replay);
	if (p->loading)
		text_printf(&to, "; loading (line %d)", p->loading);
	if (p->parallel)
		text_printf(&to, "; several devices (line %d)", p->parallel);
	return to.n ? arena_printf(y->arena, " They name%s.", to.s + 1) : "";
}

const char *
autopsy_told(const struct autopsy *y)
{
	const struct oom_told *t = &y->log.paste.told;

	return arena_printf(y->arena, "No program's message that is known here. Line %d speaks of %s%s%s.%s%s", t->line,
	    t->what == TOLD_TROUBLE ? "trouble with " : "", t->device ? "the device's memory" : t->host ? "the machine's memory" : "memory",
	    what_text(t), beside(y), !t->killed || t->device || t->host ? "" : arena_printf(y->arena, " Line %d speaks of a process that "
	    "was ended, which the kernel does for want of the machine's memory, not of a device's.", t->killed));
}
