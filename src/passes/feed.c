/*
 * feed: where a device is fed while it works, gives the next batch a place of its own to arrive at.
 *
 *     host     batch 2 -> pinned                batch 3 -> pinned
 *     bus           image.next <- batch 2            image.next <- batch 3
 *     device   step 1 reads image       image <- image.next, step 2 reads image
 *
 * A step often reads its input to the end (the first layer's weights have their gradient last), so
 * what arrives meanwhile cannot lie there. The copy between the two is done by the kernel that begins
 * a step, at the speed of the device's memory: thousandths of a step, and one captured graph serves
 * all. (Two places that take turns would cost as many bytes, two graphs, and the chance to send
 * narrow values over the bus and widen them here.)
 *
 * Reads: train, validate. Writes: the landings of their inputs. A landing is alive throughout its
 * graph, and that of train throughout update too (plan/lifetimes.c).
 */
#include "ir/pass.h"

#include "target/target.h"

static void
feed(struct graph *g)
{
	int i;

	for (i = 0; i < g->inputs.n; i++)
		ir_add_landing(g->module, g->inputs.v[i]);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	if (!o->target->lands_batches)
		return true;
	if (m->train)
		feed(m->train);
	if (m->validate)
		feed(m->validate);
	return true;
}

const struct pass pass_feed = {
	.name = "feed",
	.doc = "give the next batch a place to arrive at while a step runs",
	.run = run,
};
