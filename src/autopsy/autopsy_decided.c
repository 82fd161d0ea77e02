/*
 * What a report has decided of its run, beside what failed: that less of it runs, or more; that it
 * needs more than the device has, so that nobody else on it matters. Each is a fact in this one
 * place, by whatever words it was told, and what contradicts it is not said: texts ask by their
 * marks (oom_world.h), code by these functions.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

/* Not where what runs is another network, or one without a part of it: that has fewer weights,
 * too. */
bool
autopsy_less_runs(const struct autopsy *y)
{
	static const char *const others[] = { "model", "network", "without", "until", " add", " layer", " loss", NULL };
	const struct oom_paste *p = &y->log.paste;
	int i;

	for (i = 0; others[i] && !strstr(p->less.words, others[i]); i++)
		;
	return p->less.line && !others[i];
}

bool
autopsy_more_runs(const struct autopsy *y)
{
	return y->log.paste.more.line;
}

/* By a request that is larger than the device, or by people who tell what it has and what it was
 * asked for. */
bool
autopsy_needs_more(const struct autopsy *y)
{
	return y->log.paste.card_asked || (y->main && !y->main->host && y->budget.total > 0 && y->lo > y->budget.total);
}

/* Is what that line says of a run that fails late, and not of the one whose message stands
 * ahead? */
bool
autopsy_is_of_other_run(const struct autopsy *y, int line)
{
	return line && line == y->log.paste.later_other && !autopsy_fails_late(y);
}

/* Does the message's shape have one sample, as a step of Keras' predict() gives it? A filter's
 * first extents are small, too. */
static bool
has_one_sample(const struct oom_message *o)
{
	return o && o->run == RUN_PREDICTS && o->shape.known && o->shape.rank >= 3 && o->shape.dim[0] == 1 && o->shape.dim[1] > 1 && !strstr(o->node, "onv");
}

/* Does it fail with one sample, by the message, people's words, settings or code? */
bool
autopsy_fails_with_one(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	if (autopsy_is_of_other_run(y, p->later_other))
		return false;
	if (has_one_sample(y->main))
		return true;
	return p->least_batch > 0 ? p->least_batch == 1 : y->log.batch == 1 || (p->measures.one && !p->measures.several);
}

/* Is each round given the same, by people's words? Then none that came was larger. */
bool
autopsy_is_given_same(const struct autopsy *y)
{
	return y->log.paste.same_given;
}

/* Do people say that it fails late, of the run whose message it is, and not behind that of another
 * one? */
bool
autopsy_fails_late(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return p->later.line && (p->later_other != p->later.line || !y->main || y->main->last > p->later.line || y->main->kind == OOM_TOLD);
}

/* And in tests, of which a part had gone by? */
bool
autopsy_tests_late(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return p->later_part && p->later_part == p->later.line && p->later_part == p->evaluating.line;
}

/* Did a pool's workers end by codes of their own, and none by a signal? */
bool
autopsy_workers_exited(const struct autopsy *y)
{
	return y->log.paste.decided.exited && !y->log.paste.decided.by_signal;
}

#define NEAR		4	/* lines, from a call to the error that it raises */

/* Is it a pickle that the line of code reads? */
bool
autopsy_unpickles(const struct autopsy *y)
{
	int line = y->log.paste.decided.unpickles;

	return line && y->main && line <= y->main->last + NEAR && line >= y->main->line - NEAR;
}

/* Is it the machine's memory that grows, by the words that tell of the failure, too? */
bool
autopsy_grows_in_machine(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return p->grows.line && p->grows_host == p->grows.line && p->told.said.line == p->grows.line;
}

/* Does the same run, by people's words, keep on the processor to what it takes, where memory grows
 * on a device? Then code and data are not what keeps it. */
bool
autopsy_grows_there_alone(const struct autopsy *y)
{
	return y->log.paste.steady_elsewhere && autopsy_grows_there(y);
}

/* Do a pool's processes work on what the one that began them has, by code? */
bool
autopsy_has_pool(const struct autopsy *y)
{
	return y->log.paste.decided.pool && y->log.paste.decided.mapped && !y->log.paste.told.workers.line;
}

/* Are losses kept as numbers, by code, and nowhere with their graph? */
bool
autopsy_keeps_numbers(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return p->numbers && !p->sums && !p->added && !p->lists && !p->copies;
}

/* Are gradients off, by code of a library that runs there, where nothing is trained? */
bool
autopsy_is_guarded(const struct autopsy *y)
{
	return (y->log.paste.decided.guarded || (y->main && (y->main->facts & TRACE_NO_GRAD))) && !autopsy_trains(y);
}

/* Is the version that line is of told to have mended another error, ahead of the one for want of
 * memory? */
bool
autopsy_version_mended(const struct autopsy *y)
{
	const struct said *version = &y->log.paste.version;
	static const char *const mended[] = { "error is gone", "error was gone", "error went away", "error disappeared", "issue is gone", "issue was gone", "error is fixed", "error was fixed", "fixed this error", "fixed that error", "fixed the error", "solved this error", "solved that error", "error is solved", "error was solved", "error is resolved", "error was resolved", NULL };
	int i;

	for (i = 0; version->line && mended[i] && !strstr(version->words, mended[i]); i++)
		;
	return version->line && mended[i] && y->log.paste.decided.now > version->line;
}

/* Is it another program's process that was to be made, by the traceback? */
bool
autopsy_starts_program(const struct autopsy *y)
{
	int line = y->log.paste.decided.starts;

	return line && y->main && line <= y->main->last && line >= y->main->line - NEAR;
}

/* Does it fail as all that it had to do was done? */
bool
autopsy_fails_at_end(const struct autopsy *y)
{
	return y->log.paste.later_end && y->log.paste.later_end == y->log.paste.later.line;
}

bool
autopsy_tells_when(const struct oom_paste *p)
{
	return p->later.line || p->grows.line || p->again.line || p->evaluating.line || p->inferring.line || p->saving.line || p->second.line;
}

bool
autopsy_goes_on(const struct autopsy *y)
{
	const struct said *s = &y->log.paste.loading;

	return s->line && strstr(s->words, "checkpoint") && !strstr(s->words, "shard") && !strstr(s->words, "retrained") && autopsy_trains(y) && !autopsy_tells_when(&y->log.paste);
}
