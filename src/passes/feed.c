/*
 * feed: on devices that are fed while they work, gives the next batch a buffer of its own to arrive
 * in.
 *
 *     host     batch 2 -> pinned                batch 3 -> pinned
 *     bus           image.next <- batch 2            image.next <- batch 3
 *     device   step 1 reads image       image <- image.next, step 2 reads image
 *
 * A step often reads its input to the end (the gradient of the first layer's weights comes last),
 * so the next batch cannot arrive there. The kernel that begins a step copies one to the other at
 * the speed of the device's memory: thousandths of a step, and one captured graph serves all steps.
 * (Two alternating buffers would cost as many bytes, two graphs, and the chance to send narrow
 * values over the bus and widen them here.)
 *
 * The plan does not depend on the data files: image.next has room for converted values even if the
 * files hold bytes (kernels/host/feed_cuda.cu). The buffers of training may overlap tensors of
 * validation, and the other way round, so the program waits for the last step before it changes
 * graphs.
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
