/*
 * border, pipe_send, pipe_receive, pipe_hold: where samples go from one stage of a pipeline to the
 * next (passes/borders.c). In a graph of all stages a border is its operand, on the next rank; its
 * gradient is a border back. Of the graph of one rank it is what that rank does (passes/stages.c):
 *
 *     all stages:  x -> border 0 to 1 -> x'          dx' -> border 1 to 0 -> dx
 *     rank 0:      x -> pipe_send                    pipe_receive -> dx
 *     rank 1:      pipe_receive -> x'                dx' -> pipe_send
 *
 * Nothing is copied to be sent: x goes from where it lies. A send is under way when pipe_send is
 * over; its bytes are nobody else's until the program has waited for it (plan/slots.c). What is
 * received comes while the micro-batch before is worked on, and is there when its forward, or
 * backward, begins: pipe_receive itself does nothing in the step. pipe_hold, at the end of a
 * forward or a backward, reads what was sent in it: until then nothing else of the same run may
 * take its place. All have a side effect, so they stay in their order.
 */
#include "ir/diff.h"

#include "calls/emitter.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "from", ATTR_INT, "the rank that has the operand", .preset = "0", .min = 0, .max = MOST_RANKS },
	{ "to", ATTR_INT, "the rank that gets it", .preset = "0", .min = 0, .max = MOST_RANKS },
	{ "number", ATTR_INT, "which of its graph's borders it is", .preset = "0", .min = 0, .max = 1e9 },
	ATTRS_END
};

extern const struct op op_border;

static bool
grad(struct diff *d, struct node *n)
{
	struct tensor *dy = diff_of(d, n->out[0]);
	struct node *back = diff_node(d, n, &op_border, 1, &dy);
	struct attr *attr = diff_attrs(d, back);

	attr[0].i = op_int(n, "to");
	attr[1].i = op_int(n, "from");
	diff_output(d, back, n->in[0]);
	return true;
}

const struct op op_border = {
	.name = "border",
	.kind = OP_INTERNAL,
	.brief = "the same, on the next rank",
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.gradient.build = grad,
	.gradient.again = op_never_again,
	.memory.layout = op_layout_either,
};

static void
emit_between(struct emitter *e, const struct node *n, const char *function, const struct tensor *x, const char *rank)
{
	emit_call(e, function, arg_tensor(x), arg_text(arena_printf(e->module->arena, "(%s) * %d", emit_rows(e, x, x->rank),
	    dtype_bytes(x->dtype))), arg_int(op_int(n, rank)), arg_int(op_int(n, "number")), arg_text("s"));
}

static void
emit_send(struct emitter *e, const struct node *n)
{
	emit_between(e, n, "pipe_send", n->in[0], "to");
}

static void
emit_receive(struct emitter *e, const struct node *n)
{
	emit_between(e, n, "pipe_expect", n->out[0], "from");
}

const struct op op_pipe_send = {
	.name = "pipe_send",
	.kind = OP_INTERNAL,
	.brief = "goes to another rank",
	.flags = OP_SIDE_EFFECT | OP_SENDS,
	.attrs = attrs,
	.operands = "x",
	.min_operands = 1, .max_operands = 1,
	.gradient.again = op_never_again,
	.memory.layout = op_layout_either,
	.calls.kernels = "update/pipe.cu",
	.calls.emit = emit_send,
};

const struct op op_pipe_receive = {
	.name = "pipe_receive",
	.kind = OP_INTERNAL,
	.brief = "comes from another rank",
	.flags = OP_SIDE_EFFECT | OP_RECEIVES,
	.attrs = attrs,
	.operands = "",
	.min_operands = 0, .max_operands = 0,
	.gradient.again = op_never_again,
	.memory.layout = op_layout_either,
	.calls.kernels = "update/pipe.cu",
	.calls.emit = emit_receive,
};

static void
emit_hold(struct emitter *e, const struct node *n)
{
	(void)e;
	(void)n;
}

const struct op op_pipe_hold = {
	.name = "pipe_hold",
	.kind = OP_INTERNAL,
	.brief = "what was sent to other ranks is still there",
	.flags = OP_SIDE_EFFECT,
	.operands = "x",
	.min_operands = 1, .max_operands = -1,
	.gradient.again = op_never_again,
	.memory.layout = op_layout_either,
	.calls.emit = emit_hold,
};
