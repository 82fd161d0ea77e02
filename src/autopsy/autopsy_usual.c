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

static bool
trains_on_device(const struct autopsy *y)
{
	return !y->main->host && autopsy_trains(y) && !y->log.paste.converts.line;
}

static bool
runs_on_device(const struct autopsy *y)
{
	return !y->main->host && (autopsy_serves(y) || y->log.paste.inferring.line || y->log.paste.evaluating.line);
}

static bool
is_on_device(const struct autopsy *y)
{
	return !y->main->host;
}

static bool
trains_on_machine(const struct autopsy *y)
{
	return y->main->host && autopsy_trains(y);
}

static bool
is_on_machine(const struct autopsy *y)
{
	return y->main->host;
}

/* The samples, and the size of one, together; of a run that fails with one sample, the latter. */
#define AT_ONCE(both, samples, size) \
	UNTRIED(BY_BATCH, both " too much at once (in " samples " the samples of a batch, in " size " the size of one)") \
	OF_ONE_SAMPLE(size " the size of one sample")

#define WHERE_IT_RUNS(one)	" Where " one " runs with " TRY BY_BATCH "fewer samples" TRY BY_SAMPLES "smaller ones" TRY_FIRST "smaller samples" TRY_END ", it is the first of these."

/* The first that is so counts. */
static const struct usual usual[] = {
	{ trains_on_device, "of training on a device", 577, {
	    AT_ONCE("292", "170", "122"), "98 a model too large for the device", "37 something kept from step to step",
	    "32 something that takes less and was off (mixed precision, recomputation, offloading, other attention)" },
	    WHERE_IT_RUNS("a step") },
	{ runs_on_device, "of models that were run on a device, not trained", 378, {
	    AT_ONCE("161", "58", "103"), "56 a model too large for the device", "33 something kept from call to call", "31 gradients that were on",
	    "27 something that takes less and was off (fewer bits, offloading, tiles, other attention)" }, WHERE_IT_RUNS("a call") },
	{ is_on_device, "of a device's memory", 1092, {
	    AT_ONCE("493", "238", "255"), "179 a model too large for the device", "73 something kept from step to step",
	    "60 something that takes less and was off (mixed precision, recomputation, offloading, other attention)" },
	    WHERE_IT_RUNS("a step") },
	{ trains_on_machine, "of training that filled the machine's memory", 130, {
	    "44 the data, or an array or table, as a whole", "28 something that was kept, and grew", "16 several processes, as workers of a loader",
	    "14 a model too large for the machine", "11 a limit of a container, a job or a paging file" }, "" },
	{ is_on_machine, "of the machine's memory", 330, {
	    "92 the data, or an array or table, as a whole", "48 a model too large for the machine", "45 something that was kept, and grew",
	    "43 too much at once (in 31 the size of one sample)", "29 a limit of a container, a job, a heap or a paging file" }, "" },
};

/* Kinds that tell where it failed, or what was given, and no cause. */
static bool
is_weak(enum autopsy_says kind)
{
	switch (kind) {
	case SAYS_TINY: case SAYS_FORWARD: case SAYS_BACKWARD: case SAYS_OF_IMAGES: case SAYS_LITTLE_FREE:
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

/* Is it known whose memory ended, by a program's message or by people's words, and of a program
 * that need have no network, that it has one? */
static bool
is_known(const struct autopsy *y)
{
	const struct oom_message *o = y->main;

	if (o->kind == OOM_TOLD)
		return o->host || y->log.paste.told.device;
	return autopsy_is_placed(y) && ((o->kind != OOM_OTHER && (o->kind != OOM_CUDA || autopsy_is_of_anyone(o))) || autopsy_trains(y) || runs_on_device(y));
}

/* Are there signs of a network, and none of a failure that came late, or of memory that is kept,
 * which mostly is of other causes? */
static bool
is_of_first_steps(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;

	return !autopsy_tells_no_network(p) && !(y->main->host && !autopsy_trains(y) && !p->layers && !p->torch) && !p->later.line && !p->grows.line && !p->keeping && !autopsy_had_steps(y);
}

/* Does the answer name no cause of a network's run, and nothing else that it may be? */
static bool
names_none(const struct autopsy *y)
{
	const struct oom_message *o = y->main;
	int i;

	if (!o || y->module || y->log.dump.any || o->asserted || o->hedged || o->apart || o->warning || o->says || (o->facts & TRACE_LIMIT) || autopsy_asks_nothing(o))
		return false;
	for (i = 0; i < y->likely.n; i++)
		if (y->likely.v[i][0] == '-')
			return false;
	return is_known(y) && is_of_first_steps(y) && are_weak(y->causes.v, y->causes.n) && are_weak(y->reported.v, y->reported.n);
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
		u++;		/* the last two are all there are */
	text_init(&t, y->arena);
	text_printf(&t, "%sothing here names the cause. Of %d public threads %s in which nothing did either, and it was found, it was",
	    y->main->kind != OOM_TOLD ? "N" : y->main->host ? "Where it was the machine's memory, n" : "Where it was a device's memory, n", u->threads, u->of);
	for (i = 0; i < MOST_USUAL && u->found[i]; i++)
		if (*(text = autopsy_worded(y, u->found[i])))
			text_printf(&t, "%s in %s", n++ ? "," : "", text);
	text_printf(&t, ".%s", autopsy_worded(y, u->tells));
	y->usual = t.s;
}
