/*
 * How far the run had come, and in what process: what had fitted before, or had not yet begun.
 * Epochs, steps and bars of progress are told by programs' own lines ahead of the message.
 */
#include "autopsy/autopsy_parts.h"

#define BAR_AHEAD	100	/* lines of a traceback, from a bar of progress to the message */
#define BAR_BEHIND	3	/* and from the message to the bar as it is drawn last */
#define FEW_ROUNDS	20	/* in which a loop may still come to what it needs */
#define SEVERAL		2
#define LONG_GIVEN	512	/* tokens of a text that are worth a word */
#define FEW_PEAKS	4	/* that a log counts, of which each is larger than the one before, */
#define LEAST_GROWTH	50	/* and the last by that part at least */
#define CAME_SINCE	"what is more came since: something kept from one to the next (lists of results, caches" HAS_TRAINED(IN_TORCH(UNLESS_NUMBERS("; sums of losses with their graph"))) "), samples larger or longer than those before, a phase that needs more, or another process."

/* Does the last bar stand where the failure is told? What is said first may be a title, or a
 * sentence ahead of the log. */
static bool
is_near_bar(const struct autopsy *y)
{
	int ahead = y->main->last - y->log.bar;

	if (y->log.preparing == y->log.bar && !y->main->host)
		return false;		/* data are made ready in the machine's memory */
	return ahead >= -BAR_BEHIND && ahead <= BAR_AHEAD;
}

static bool
counts_epochs(const struct autopsy *y)
{
	return y->log.epoch >= 2 && y->log.epoch_line <= y->main->last;
}

static bool
counts_rounds(const struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	return log->bar && !log->bar_past && is_near_bar(y) && log->done >= FEW_ROUNDS && log->done < log->rounds;
}

static bool
counts_steps(const struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	return log->epoch < 2 && !log->bar && log->steps >= FEW_ROUNDS && log->steps_line <= y->main->last;
}

static bool
counts_losses(const struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	return log->epoch < 2 && !log->bar && log->steps < FEW_ROUNDS && log->losses >= SEVERAL && log->losses_line <= y->main->last;
}

bool
autopsy_had_rounds(const struct autopsy *y)
{
	return counts_epochs(y) || (counts_rounds(y) && y->log.reading != y->log.bar) || counts_steps(y) || counts_losses(y);
}

bool
autopsy_had_steps(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return autopsy_fails_late(y) || p->falls.line || (autopsy_had_rounds(y) && !p->resuming.line);
}

/* What is saved, or tested beside training, has had its steps. */
bool
autopsy_may_start(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return !autopsy_had_steps(y) && !p->saving.line && !(p->evaluating.line && autopsy_trains(y));
}

bool
autopsy_may_go_on(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return !autopsy_in_first_round(y) && !(y->main->facts & (TRACE_DATASET | TRACE_CAMERAS)) && !p->saving.line && ((!p->soon.line && !p->loading.line) || p->later.line);
}

/* By the number of its epoch steps had fitted, unless the run was resumed there. */
static void
went_on(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (!counts_epochs(y))
		return;
	autopsy_cause(y, SAYS_WENT_ON, arena_printf(y->arena, "Line %d has epoch %lld. Where the run was in that, and did not begin there, steps had fitted "
	    "before, and " CAME_SINCE, log->epoch_line, (long long)log->epoch));
}

/* The bar of the loop that the failure ended stands where that was. */
static void
went_on_by_bar(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (!counts_rounds(y))
		return;
	if (log->reading == log->bar) {
		autopsy_cause(y, SAYS_WENT_ON_BY_BAR, arena_printf(y->arena, "The bar of progress on line %d is of what is loaded, and stands at %lld of "
		    "%lld. Unless it was let go of, what it had loaded by then lies there, and the rest found no room: a "
		    "part of it at once, or what is read when it is needed, takes less.", log->bar, (long long)log->done, (long long)log->rounds));
		return;
	}
	autopsy_cause(y, SAYS_WENT_ON_BY_BAR, arena_printf(y->arena, "The bar of progress on line %d stands at %lld of %lld. Unless it was resumed "
	    "there, as many rounds had fitted before, and " CAME_SINCE, log->bar, (long long)log->done, (long long)log->rounds));
}

/* The same of steps, where neither of those tells. */
static void
went_on_by_steps(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (!counts_steps(y))
		return;
	autopsy_cause(y, SAYS_WENT_ON_BY_STEPS, arena_printf(y->arena, "Line %d has step %lld. Where the run had come to that, and did not begin there, steps had "
	    "fitted before, and " CAME_SINCE, log->steps_line, (long long)log->steps));
}

/* MMCV's logs, and others, count what tensors took at most so far. */
static void
grew(struct autopsy *y)
{
	const struct oom_peaks *k = &y->log.peaks;

	if (k->count < FEW_PEAKS || k->last - k->first < k->first / LEAST_GROWTH || y->main->host)
		return;
	autopsy_cause(y, SAYS_GREW, arena_printf(y->arena, "Line %d counts %lld MB of tensors at most so far, line %d %lld, and each such line between them "
	    "more than the one before. Where it goes on so, evenly, something is kept from step to step (" IN_TORCH(UNLESS_NUMBERS("losses with their graph, ")) "lists of "
	    "results, a state that is never reset); where it levels off, samples that are larger than those before raised it.", k->first_line,
	    (long long)k->first, k->last_line, (long long)k->last));
}

/* "0.18", of what is counted in thousandths */
static const char *
figure(const struct autopsy *y, int64_t n)
{
	return n % 1000 == 0 ? arena_printf(y->arena, "%lld", (long long)(n / 1000)) : n % 10 == 0 ? arena_printf(y->arena, "%lld.%02lld", (long long)(n / 1000), (long long)(n % 1000 / 10)) :
	    arena_printf(y->arena, "%lld.%03lld", (long long)(n / 1000), (long long)(n % 1000));
}

/* Lines of a program's own that count memory in use, by about as much more each time. */
static void
rose(struct autopsy *y)
{
	const struct oom_figure *f = oom_figures_even(&y->log.paste.figures);

	if (f && !(y->log.peaks.count >= FEW_PEAKS))
		autopsy_hint(y, SAYS_ROSE, arena_printf(y->arena, "Line %d counts %s of memory, line %d %s, and each such line between them more than the one before, by about as much. Where it goes on so after the first steps, something is kept "
		    "from one to the next, as large each time (" HAS_TRAINED(IN_TORCH(UNLESS_NUMBERS("losses with their graph, "))) "results on lists, what is made anew in each round and never let go of): samples of other sizes would make it leap.",
		    f->first_line, figure(y, f->first), f->last_line, figure(y, f->last)));
}

/* transformers tells losses from time to time. */
static void
went_on_by_losses(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (!counts_losses(y))
		return;
	autopsy_cause(y, SAYS_WENT_ON_BY_LOSSES, arena_printf(y->arena, "By line %d losses were told %d times. Where they are this run's, steps had fitted before, and "
	    CAME_SINCE, log->losses_line, log->losses));
}

/* A loop that ended in its first round: where that is a step, nothing of earlier ones lies
 * there. */
static void
first_round(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (!autopsy_in_first_round(y) || log->epoch >= 2 || log->steps >= FEW_ROUNDS || y->main->says || autopsy_in_update(y->main) ||
	    log->paste.knobs[KNOB_THREADS].line == log->bar)
		return;		/* several rounds at once are none that is a step */
	autopsy_cause(y, SAYS_FIRST_ROUND, arena_printf(y->arena, "The bar of progress on line %d stands at 0 of %lld. Where it failed in the first "
	    "round of that loop, and a round is a step%s, nothing is kept from earlier ones, and a step as it is needs more "
	    "than there was.%s", log->bar, (long long)log->rounds, log->bar_ahead ?
	    arena_printf(y->arena, ", and the loop of line %d had none on the device", log->bar_ahead) : "",
	    log->bar_ahead ? " Else what that made may lie there." : ""));
}

/* After its first round: what the first step of training leaves, the second has beside it. */
static void
second_round(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (y->main->host || !log->bar || log->epochs || log->reading == log->bar || !is_near_bar(y) || log->done != 1 || log->rounds < FEW_ROUNDS ||
	    log->epoch >= 2 || !autopsy_may_be_torch(y) || (y->main->facts & (TRACE_EVALUATES | TRACE_NO_GRAD | TRACE_NO_BATCH)))
		return;
	autopsy_cause(y, SAYS_SECOND_ROUND, arena_printf(y->arena, "The bar of progress on line %d stands at 1 of %lld. Where a round is a step of training, and "
	    "it was not resumed there, the first had fitted, and the second has beside it what that left: what an optimizer makes at its first step "
	    "(Adam two numbers for each weight), gradients where they are not let go of, and results that names of the loop still hold.", log->bar,
	    (long long)log->rounds));
}

bool
autopsy_in_first_round(const struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	return !y->main->host && log->bar && !log->epochs && is_near_bar(y) && log->done == 0 && log->rounds >= FEW_ROUNDS && !(y->main->facts & TRACE_NO_BATCH);
}

static void
long_text(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (log->tokens <= log->most_tokens || log->tokens_line > y->main->last || y->main->host)
		return;
	autopsy_cause(y, SAYS_LONG_TEXT, arena_printf(y->arena, "By line %d a text of %lld tokens was made, where the model is for %lld. Where it is given to it as it is, what "
	    "layers keep grows with the tokens, and attention's scores, where they are stored, with their square: "
	    "truncation=True (max_length) cuts texts to what the model is made for.", log->tokens_line, (long long)log->tokens,
	    (long long)log->most_tokens));
}

/* A text that is given, to be gone on with or translated. */
static void
long_given(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (log->given < LONG_GIVEN || log->given_line > y->main->last || y->main->host)
		return;
	autopsy_cause(y, SAYS_LONG_TEXT, arena_printf(y->arena, "On line %d transformers warns of a text of %lld tokens that a model is given. Where it is of what failed, what "
	    "layers keep grows with the tokens, and attention's scores, where they are stored, with their square: shorter texts, parts of them one after the "
	    "other, or fewer at once take less.", log->given_line, (long long)log->given));
}

static void
several_processes(struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	if (log->processes < SEVERAL || y->main->host)
		return;
	autopsy_cause(y, SAYS_SEVERAL_PROCESSES, arena_printf(y->arena, "By line %d the program made at least %lld processes. Where several of them "
	    "work on one device, each has a context of CUDA and weights of its own there: fewer of them, or one device for "
	    "each, leave room.", log->processes_line, (long long)log->processes));
}

void
autopsy_progress_causes(struct autopsy *y)
{
	went_on(y);
	went_on_by_bar(y);
	went_on_by_steps(y);
	went_on_by_losses(y);
	grew(y);
	rose(y);
	first_round(y);
	second_round(y);
	long_text(y);
	long_given(y);
	several_processes(y);
}
