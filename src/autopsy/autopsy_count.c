/*
 * What memory grows with where people say how many of what are worked on at once: one sentence a
 * kind, quoted, and as a condition.
 */
#include "autopsy/autopsy_parts.h"

#include "base/print.h"
#include "base/text.h"

#define MOST_COUNTS	2	/* more is a description of the run */
#define MOST_QUBITS	40
#define AMPLITUDE	16	/* bytes of a complex number of two in float64 */

static const struct {
	bool device, serves;	/* of a device's memory alone; and where nothing is trained */
	const char *says;
} counts[COUNTS] = {
	[COUNT_OBJECTS] = { true, true, "Where that many objects are masked or followed at once, each has a mask and features, and in a video what is kept of the frames before, so that memory grows with their number: some of them at a time, one pass after "
	    "the other, take less." },
	[COUNT_ATOMS] = { false, false, "Where that many atoms are worked on at once, there are numbers for each, for each of its neighbours within the cutoff (whose number grows with the cube of that), and, where a network gives the forces, "
	    "results of its layers for all of these: a smaller system, parts of it on several devices, or a shorter cutoff take less." },
	[COUNT_STEPS] = { false, false, "Where that many steps are gone through, and what each gives is kept until the last, memory grows with their number: reduced, written or moved away as they come, or fewer at a time, they take less" HAS_TRAINED("; where gradients go "
	    "back through all of them, what forward keeps of each lies there, too") "." },
	[COUNT_REQUESTS] = { true, true, "Where that many are worked on at once, each has results of its own, and in a model of language keys and values: a bound on how many are at a time, with the others waiting, takes less." },
	[COUNT_STREAMS] = { false, true, "Where that many streams are worked on at once, each has a decoder and frames that wait, and, with a process for each, the model's weights and a context of its own: fewer of them, frames that are dropped "
	    "while others wait, or one process for all take less." },
	[COUNT_WORLDS] = { false, false, "Where that many environments run at once, memory grows with them: each has a state of its own, and what is seen in all of them is kept until it is learned from (environments times steps of a rollout). Fewer of either take less." },
	[COUNT_QUBITS] = { false, false, "Where the state of all of them is kept as a vector, it doubles with each qubit" },
	[COUNT_VIEWS] = { true, true, "Where a network looks at all of these pictures together (VGGT, Fast3R), what its layers make grows with all of their pixels, and attention's scores, where they are stored, with the square of that; where it compares them in pairs "
	    "(DUSt3R, MASt3R), pairs of all with all grow with the square of their number: fewer or smaller pictures, or pairs of neighbours alone, take less." },
	[COUNT_USERS] = { false, false, "Where each of them has a row of a table, as embeddings have, that lies there with its gradient and the optimizer's numbers, whatever the batch; where there is a place for each pair (users and items), it grows with the product "
	    "unless it is kept sparse; and where a graph of them is gone through as a whole, each has a row of every layer." },
};

static const char *
says_of(const struct autopsy *y, int k)
{
	int64_t n = y->log.paste.counts.n[k];
	char human[SIZE_TEXT];

	if (k != COUNT_QUBITS)
		return counts[k].says;
	return n > 0 && n <= MOST_QUBITS ? arena_printf(y->arena, "%s: %lld have %s of complex128, and what is computed with it as much again.", counts[k].says, (long long)n, size_human(human, (int64_t)AMPLITUDE << n)) :
	    arena_printf(y->arena, "%s.", counts[k].says);
}

/* Has an extent been told that is as large as such a number? */
static bool
is_extent_told(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->causes.n && y->causes.v[i].kind != SAYS_TOLD_EXTENT; i++)
		;
	return i < y->causes.n;
}

/* Is more of the same told by something else, or is it of tables alone? */
static bool
is_told_better(const struct oom_paste *p, int k)
{
	return (k == COUNT_OBJECTS && p->boxes.line) || (k == COUNT_WORLDS && p->told.agent.line) || (k == COUNT_USERS && p->tables && !p->layers && !p->torch);
}

void
autopsy_counts(struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	const struct said *of = p->counts.of;
	int k, told = 0;

	if (y->module || is_extent_told(y))
		return;
	for (k = 0; k < COUNTS && told < MOST_COUNTS; k++)
		if (of[k].line && !(counts[k].device && y->main->host) && !(counts[k].serves && (p->trains || p->training)) && !is_told_better(p, k) && autopsy_says_little(y->main)) {
			autopsy_cause(y, SAYS_TOLD_COUNT, arena_printf(y->arena, "L%s. %s", autopsy_said(y, &of[k]) + 1, says_of(y, k)));
			told++;
		}
}

#define LEAST_EXTENT	1000

bool
autopsy_extent_told(struct autopsy *y, const struct oom_shape *s)
{
	const struct oom_counts *c = &y->log.paste.counts;
	char n[SIZE_TEXT];
	int i, k;

	for (k = 0; k < s->rank; k++)
		for (i = 0; s->dim[k] >= LEAST_EXTENT && i < c->many; i++)
			if (s->dim[k] >= c->things[i].least && s->dim[k] <= c->things[i].most) {
				autopsy_cause(y, SAYS_TOLD_EXTENT, arena_printf(y->arena, "Its extent of %s is as large as a number of which l%s. If it is those, it has something for each of all of them at once, and parts of "
				    "them, one after the other, are smaller%s", size_commas(n, s->dim[k]), autopsy_said(y, &c->things[i].said) + 1, y->main->host ? "." :
				    ": as where a graph of all is gone through, or all are compared or scored. If each has a row of a table that is learned, that lies there whole, with its gradient and the "
				    "optimizer's numbers, whatever the batch."));
				return true;
			}
	return false;
}
