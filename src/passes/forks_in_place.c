/*
 * forks-in-place: where a tensor is read by several nodes, its gradient has several contributions.
 * Those that come later are added onto the first, by the nodes that make them, instead of being
 * kept separately until they are summed:
 *
 *     trunk -> branch -> + ->      d(trunk) = d(sum), onto which the branch's first convolution,
 *        \--------------/          the last to run in backward, adds its own
 *
 * Operators say what they can add onto (op->memory.onto); sums.c does the work. A sum that is left runs in
 * place of one of its operands anyway.
 *
 * Numbers differ at most by the order of two additions.
 *
 * Reads and writes: train. It needs the nodes in the order in which they will run, since the later
 * contribution adds onto the earlier, and runs before `inplace`, which then sees what is
 * overwritten. Invariant after: what a node adds onto is read by nobody else from there on.
 */
#include "ir/pass.h"
#include "passes/sums.h"

static bool
run(struct module *m, const struct pass_options *o)
{
	(void)o;
	if (m->train)
		sums_fold(m->train, T_DELTA);
	return true;
}

const struct pass pass_forks_in_place = {
	.name = "forks-in-place",
	.doc = "add gradients of a tensor that several read onto the first of them",
	.optional = true,
	.run = run,
};
