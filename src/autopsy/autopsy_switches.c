/*
 * Switches that make a run take less, where a report has them off: one sentence a kind. That they
 * are of what failed is a condition.
 */
#include "autopsy/autopsy_parts.h"

#include "base/text.h"

#define MOST_SWITCHES	3	/* more is a list of all that a program has */

static const struct {
	const char *measure;	/* of oom_world.h: what the report shows in use is not said to be off */
	bool trains;		/* it is of training alone, */
	bool not_ahead;		/* and of no failure while weights are loaded */
	const char *says;
} switches[SWITCHES] = {
	[SWITCH_BITS] = { BY_BITS, false, false, "weights that are not trained lie there as they were read, in 16 bits as a rule: in 8 they take half of that, in 4 a quarter." },
	[SWITCH_ADAM] = { BY_ANYTHING, true, true, "Adam keeps two numbers in float32 for each weight that is trained: in 8 bits they take a quarter of that, which is much where all weights are trained, and little where an "
	    "adapter is (LoRA)." },
	[SWITCH_OFFLOADS] = { BY_OFFLOADING, false, false, "what it would move off lies on the device: with it on, that waits in the machine's memory, which has to have room for it, and it is slower." },
	[SWITCH_TILES] = { BY_TILES, false, true, "pictures, or all frames of a film, are decoded at their full size at once, behind the last step: in tiles or slices that takes a part of it." },
	[SWITCH_KERNEL] = { BY_KERNEL, false, true, "attention may store a number for each pair of positions, which grows with the square of their number: with it on, it does not." },
	[SWITCH_FILES] = { BY_ANYTHING, true, false, "what is made of all samples ahead of training is kept in memory, and grows with their number: in files it need not lie there." },
};

/* Has it been told what a model's weights take, in fewer bits, too? */
static bool
are_weights_told(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->reported.n && y->reported.v[i].kind != SAYS_NAMED_WEIGHTS && y->reported.v[i].kind != SAYS_TOLD_WEIGHTS; i++)
		;
	return i < y->reported.n;
}

void
autopsy_switches(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const struct oom_knob *of = p->switches;
	bool ahead = (y->main->facts & TRACE_LOADING) || p->loading.line;
	int k, said = 0;

	if (y->main->host || y->module || y->log.serving || !autopsy_says_little(y->main))
		return;
	for (k = 0; k < SWITCHES && said < MOST_SWITCHES; k++)
		if (of[k].line && !(switches[k].trains && p->inferring.line) && !(switches[k].not_ahead && ahead) && !autopsy_is_tried(y, switches[k].measure) && !(k == SWITCH_BITS && are_weights_told(y))) {
			autopsy_hint(y, SAYS_SWITCH, arena_printf(y->arena, "Line %d has \"%s\". Where that is of what failed, %s", of[k].line, of[k].name, switches[k].says));
			said++;
		}
}
