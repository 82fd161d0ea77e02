/*
 * What other reports came to: where nothing that was read names a cause, how many of the public
 * threads in which nothing did either settled on which. These are counts, true of any run, and no
 * evidence of this one: what it may be is in autopsy_likely.c. Each count is of bench/causes.tsv,
 * and tests/docs/usual.test compares them.
 */
#include "autopsy/autopsy_parts.h"

#include "base/text.h"

#define MOST_USUAL	5

struct usual {
	bool (*is)(const struct autopsy *);
	const char *of;			/* "public threads of ..." */
	int threads;
	const char *found[MOST_USUAL + 1];	/* the most frequent first; NULL after the last */
	const char *tells;		/* the first from the others; "": nothing does as easily */
};

/* By the message, its place or what the run printed. A word for it may be of the past, or of a
 * model's name. */
static bool
trains(const struct autopsy *y)
{
	const struct oom_log *log = &y->log;

	return (log->paste.trains || log->losses || log->trained || y->main->run == RUN_TRAINS || (y->main->facts & (TRACE_BACKWARD | TRACE_STEP))) && !log->paste.converts.line;
}

static bool
runs(const struct autopsy *y)
{
	return autopsy_serves(y) || y->log.paste.inferring.line || y->log.paste.evaluating.line;
}

static bool
is_any(const struct autopsy *y)
{
	(void)y;
	return true;
}

/* The samples, and the size of one, together; of a run that fails with one sample, the latter. */
#define AT_ONCE(both, samples, size) \
	UNTRIED(BY_BATCH, both " came to too much at once (" samples " to the samples of a batch, " size " to the size of one)") \
	OF_ONE_SAMPLE(both " came to too much at once, " size " of them to the size of one sample")

#define WHERE_IT_RUNS(one)	" Where " one " runs with " TRY BY_BATCH "fewer samples" TRY BY_SAMPLES "smaller ones" TRY_FIRST "smaller samples" TRY_END ", it is the first of these."

/* The first that is so counts; the last always is. Of the machine's memory no kind is found in more
 * than a third. */
static const struct usual usual[] = {
	{ trains, "of training on a device", 577, {
	    AT_ONCE("292", "170", "122"), "98 to a model too large for the device", "37 to something kept from step to step",
	    "32 to something that takes less and was off (mixed precision, recomputation, offloading, other attention)" },
	    WHERE_IT_RUNS("a step") },
	{ runs, "of models that were only run on a device", 378, {
	    AT_ONCE("161", "58", "103"), "56 to a model too large for the device", "33 to something kept from call to call", "31 to gradients that were on",
	    "27 to something that takes less and was off (fewer bits, offloading, tiles, other attention)" }, WHERE_IT_RUNS("a call") },
	{ is_any, "of a device's memory", 1092, {
	    AT_ONCE("493", "238", "255"), "179 to a model too large for the device", "73 to something kept from step to step",
	    "60 to something that takes less and was off (mixed precision, recomputation, offloading, other attention)" },
	    WHERE_IT_RUNS("a step") },
};

/* Kinds that tell where it failed, or what was given, and no cause. */
static bool
is_weak(enum autopsy_says kind)
{
	switch (kind) {
	case SAYS_TINY: case SAYS_FORWARD: case SAYS_BACKWARD: case SAYS_LITTLE_FREE:
	case SAYS_TOLD_BATCH: case SAYS_BATCH_SAID: case SAYS_TOLD_LENGTH: case SAYS_LENGTH_SAID: case SAYS_PIXELS_SAID: case SAYS_TOLD_PICTURES: case SAYS_KNOB:
		return true;
	default:
		return false;
	}
}

static bool
are_weak(const struct sentence *s, int n)
{
	int i;

	for (i = 0; i < n && is_weak(s[i].kind); i++)
		;
	return i == n;
}

/* Is it a message of a device's memory that says no more, of what networks are trained and run
 * in? */
static bool
is_of_networks(const struct autopsy *y)
{
	const struct oom_message *o = y->main;

	switch (o->kind) {
	case OOM_PYTORCH: case OOM_TF_ALLOCATOR:
		return !o->host;
	case OOM_TENSORFLOW:
		return autopsy_is_placed(y) && !o->host;
	case OOM_CUDA:
		return autopsy_is_of_anyone(o) || autopsy_trains(y);
	case OOM_TOLD:
		return !o->host && y->log.paste.told.device;
	default:
		return false;
	}
}

/* Are there signs of a network, and none of a failure that came late, of memory that is kept, of
 * weights that are read, or of a server's share, which mostly are of other causes? */
static bool
is_of_first_steps(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return !autopsy_tells_no_network(p) && !p->later.line && !p->grows.line && !p->keeping && !p->loading.line && !p->loads_halted && !p->server.line && !y->log.epoch && !autopsy_had_steps(y) && !autopsy_had_rounds(y);
}

/* Does the answer name no cause of a network's run, and nothing else that it may be? */
static bool
names_none(const struct autopsy *y)
{
	const struct oom_message *o = y->main;
	int i;

	if (!o || y->module || y->log.dump.any || o->asserted || o->hedged || o->apart || o->warning || o->says || (o->facts & TRACE_LIMIT) || autopsy_asks_nothing(o) || autopsy_names_host(y) ||
	    (autopsy_is_tried(y, BY_BATCH) && autopsy_is_tried(y, BY_SAMPLES)))
		return false;		/* what most came to is ruled out, or another memory ended, too */
	for (i = 0; i < y->likely.n; i++)
		if (y->likely.v[i][0] == '-')
			return false;
	return is_of_networks(y) && is_of_first_steps(y) && are_weak(y->causes.v, y->causes.n) && are_weak(y->reported.v, y->reported.n);
}

void
autopsy_usual(struct autopsy *y)
{
	const struct usual *u = usual;
	const char *text;
	struct text t;
	int i, n = 0;

	if (!names_none(y))
		return;
	while (!u->is(y))
		u++;
	text_init(&t, y->arena);
	text_printf(&t, "%s does not settle the cause. Of %d public threads %s that told no more, and whose cause was found,",
	    y->main->kind == OOM_TOLD ? "Where it was a device's memory, what was read" : "What was read", u->threads, u->of);
	for (i = 0; i < MOST_USUAL && u->found[i]; i++)
		if (*(text = autopsy_worded(y, u->found[i])))
			text_printf(&t, "%s %s", n++ ? "," : "", text);
	text_printf(&t, ".%s", autopsy_worded(y, u->tells));
	y->usual = t.s;
}
