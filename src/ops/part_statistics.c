/*
 * Running statistics where an update is the parts of a batch (settings.parts), which any number of
 * ranks share out. Each part begins with those that the last update left, and what it would make of
 * them is added up over parts as gradients are (passes/part_statistics.c):
 *
 *     held = hold_statistics(running...)		before a part's first layer
 *     change, running... = part_statistics(held, running...)	behind its last: change = share (held - running); running = held
 *     running... = settle_statistics(changes, running...)	once an update: running = running - changes
 *
 * So an update moves them once, by the mean of what its parts have, each weighing what samples it
 * has. Those of all layers lie side by side in held and change.
 */
#include "ir/op.h"

#include "calls/emitter.h"

/* Calls the function for each running statistic, with its first number's place among those of
 * all. */
static void
emit_each(struct emitter *e, const struct node *n, int first, const char *function, struct call_arg all, struct call_arg step)
{
	int64_t at = 0;
	int k;

	for (k = first; k < n->nin; k++) {
		int64_t elements = tensor_elements_per_sample(n->in[k]);

		emit_call(e, function, all, arg_int(at), arg_tensor(n->in[k]), arg_int(elements), step);
		at += elements;
	}
}

static void
emit_hold(struct emitter *e, const struct node *n)
{
	emit_each(e, n, 0, "part_statistics_hold", arg_tensor(n->out[0]), arg_text("s"));
}

const struct op op_hold_statistics = {
	.name = "hold_statistics",
	.kind = OP_INTERNAL,
	.brief = "keeps running statistics as a part of a batch finds them",
	.operands = "running ...",
	.min_operands = 1, .max_operands = -1,
	.calls.kernels = "norm/part_statistics.cu",
	.calls.emit = emit_hold,
};

/* In place: each number of what is held is read where its change is stored. */
static int
alias(const struct node *n, int k)
{
	(void)n;
	return k;
}

static void
emit_part(struct emitter *e, const struct node *n)
{
	emit_each(e, n, 1, "part_statistics_change", arg_tensor(n->out[0]), arg_text("s"));
}

const struct op op_part_statistics = {
	.name = "part_statistics",
	.kind = OP_INTERNAL,
	.brief = "what a part of a batch changes of running statistics, which it leaves as it found them",
	.operands = "held running ...",
	.min_operands = 2, .max_operands = -1,
	.memory.alias = alias,
	.calls.kernels = "norm/part_statistics.cu",
	.calls.emit = emit_part,
};

static int
settled_alias(const struct node *n, int k)
{
	(void)n;
	return k + 1;
}

static void
emit_settle(struct emitter *e, const struct node *n)
{
	emit_each(e, n, 1, "part_statistics_settle", arg_tensor(n->in[0]), arg_text("s"));
}

const struct op op_settle_statistics = {
	.name = "settle_statistics",
	.kind = OP_INTERNAL,
	.brief = "changes running statistics by the sum of what all parts of a batch do",
	.operands = "changes running ...",
	.min_operands = 2, .max_operands = -1,
	.memory.alias = settled_alias,
	.calls.kernels = "norm/part_statistics.cu",
	.calls.emit = emit_settle,
};
