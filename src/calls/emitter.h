/*
 * Calls of kernels: what an operator's emit() writes into a program, such as
 *
 *     softmax_last_forward(F32(4096), F32(1024), b, 10);
 *
 * An argument says what is meant (a tensor, a count, a number exact to the last bit); how that is
 * written, with offsets in the arena and the running batch, is the same everywhere, and here. So
 *
 *     emit_call(e, "softmax_last_forward", arg_tensor(y), arg_tensor(x), arg_batch(y), arg_int(10));
 *
 * In:   a node, and where each tensor lies (emitter->offset).
 * Out:  text, and notes of what the program needs beside its calls: tables of updates, convolutions
 *       for which an engine may be chosen. src/emit reads them.
 */
#ifndef STOWAGE_CALLS_EMITTER_H
#define STOWAGE_CALLS_EMITTER_H

#include "base/text.h"
#include "calls/sizes.h"
#include "ir/op.h"
#include "target/target.h"

#define LINE_WIDTH	100
#define TAB_WIDTH	8

struct parts;
struct plan;
struct rounds;

struct update_row {		/* a parameter that is updated, or the sum of a gradient: op->calls.row() */
	const char *name;
	const struct tensor *weight, *master, *average, *gradient, *state[3];	/* may be NULL, but not all */
	const struct tensor *clip;	/* the factor of the gradient, or NULL */
	double decay;
	double rate;		/* so many times the learning rate */
	int64_t before;		/* chunks of those before it in its call (kernels/update/updates.cu) */
};

/* A convolution that cuDNN may run: as kernels/conv/engine_cudnn.cu describes it. */
struct convolution_note {
	int kind;		/* enum dnn_kind */
	bool bias, relu, sums;
	double keep;
	int64_t room;		/* bytes of its workspace */
	int64_t b;
	struct conv s;
	struct conv_view view;
};

struct engines {		/* what could be said of the convolutions when the program was written */
	int requested, chosen;
	int arch;		/* of the card that they are for: 90, whatever the device section says of its own */
	int version;		/* of cuDNN: 91900 */
};

struct written_kernel {		/* a kernel that was written for this program */
	const char *name, *text;
};

struct noted_epilogue {		/* a formula that kernels do to elements (calls/epilogue.h) */
	const char *name, *known;	/* known: what libraries call it */
	const struct formula *f;
	bool written;
};

struct update_numbers {		/* that an update has alike for all weights (kernels/update/updates.cu) */
	const char *function, *arguments;	/* what works them out; behind the place where the first of them goes */
	int at, count;
};

struct sum_call {		/* of what all ranks have: one call for all nodes that go together (plan/exchanges.c) */
	const struct node *begins, *waits;	/* those of these nodes that are the calls */
	const struct tensor *first, *added;	/* where the sum begins to lie, and where a rank's own */
	int64_t elements;
	bool more;		/* another begins right behind it */
	int span, spans;	/* of what is shared out in pieces: so many rows of the table from that one on */
};

struct emitter {
	const struct module *module;
	const struct plan *plan;	/* for src/emit alone */
	const struct target *target;
	int threads;			/* C target: of the program */
	const int64_t *offset;		/* by tensor id, in the arena; -1: it is not there */
	const char *const *place;	/* by tensor id: what the place of the micro-batch's adds to that; NULL: there is one */
	const struct graph *graph;	/* being written */
	int depth;		/* of loops around what is written, in the step */
	const struct tensor *prediction;	/* of that graph, the first that --predict writes, or NULL */
	VEC(struct convolution_note) convolutions;	/* of the steps written so far */
	struct engines engines;
	VEC(struct update_row) updates;	/* rows of the tables that the steps written so far need */
	VEC(struct update_numbers) numbers;
	VEC(const struct tensor *) clipped;
	bool clips;		/* a norm of gradients is taken, even if there are none */
	VEC(struct written_kernel) written;	/* kernels for formulas */
	VEC(struct noted_epilogue) epilogues;
	VEC(struct sum_call) sums;
	VEC(const struct node *) spans;	/* nodes whose tensors are rows of that table */
	int steps_together;	/* updates that one launch makes; for src/emit alone */
	const char *together;	/* the rows that the update being written is for, as text */
	const double **within;	/* by persistent tensor: numbers of a file that the program has within; for src/emit alone */
	struct parts *parts;	/* of the program, for src/emit alone */
	struct text *out;
};

/* The call between ranks that N begins, or waits for; NULL: another of the nodes that go together
 * does. */
const struct sum_call	*emit_call_between(const struct emitter *, const struct node *n);

/* ---- arguments ---- */

enum arg_kind {
	ARG_END, ARG_TENSOR, ARG_WORK, ARG_WORK_BYTES, ARG_COUNT, ARG_BATCH, ARG_INT, ARG_REAL, ARG_ONTO,
	ARG_TEXT, ARG_STREAM
};

struct call_arg {
	enum arg_kind kind;
	union {
		const struct tensor *tensor;
		const struct node *node;
		int64_t i;
		double r;
		const char *text;
	};
};

/* A typed pointer into the arena; "NULL" for no tensor. */
static inline struct call_arg
arg_tensor(const struct tensor *t)
{
	return (struct call_arg){ .kind = ARG_TENSOR, .tensor = t };
}

/* The node's workspace, a void pointer ("NULL" when it has none), and its size in bytes. */
static inline struct call_arg
arg_work(const struct node *n)
{
	return (struct call_arg){ .kind = ARG_WORK, .node = n };
}

static inline struct call_arg
arg_work_bytes(const struct node *n)
{
	return (struct call_arg){ .kind = ARG_WORK_BYTES, .node = n };
}

/* A tensor's elements at the running batch: "b * 4704", or "150". */
static inline struct call_arg
arg_count(const struct tensor *t)
{
	return (struct call_arg){ .kind = ARG_COUNT, .tensor = t };
}

/* "b" where the tensor is batched, else "1". */
static inline struct call_arg
arg_batch(const struct tensor *t)
{
	return (struct call_arg){ .kind = ARG_BATCH, .tensor = t };
}

static inline struct call_arg
arg_int(int64_t i)
{
	return (struct call_arg){ .kind = ARG_INT, .i = i };
}

/* A literal of the program's type `real`, exact to the last bit. */
static inline struct call_arg
arg_real(double r)
{
	return (struct call_arg){ .kind = ARG_REAL, .r = r };
}

/* What becomes of the values where the node writes: ANEW, ONTO(0.9). */
static inline struct call_arg
arg_onto(const struct node *n)
{
	return (struct call_arg){ .kind = ARG_ONTO, .node = n };
}

/* Written as it is: "lr", "step", a macro. */
static inline struct call_arg
arg_text(const char *s)
{
	return (struct call_arg){ .kind = ARG_TEXT, .text = s };
}

/* The random stream of this node: a number that its forward node has alone. */
static inline struct call_arg
arg_stream(const struct node *n)
{
	return (struct call_arg){ .kind = ARG_STREAM, .node = n };
}

/* The step, for numbers that are drawn for that tensor: ranks draw their samples' own, and all the
 * same where there are none of samples. */
static inline struct call_arg
arg_step(const struct emitter *e, const struct tensor *t)
{
	bool shares = module_ranks(e->module) > 1 || module_parts(e->module) > 0;

	return arg_text(shares && !t->batched ? "ALIKE(s)" : "s");
}

/* ---- calls ---- */

/* Writes one call of FUNCTION with these arguments. */
#define emit_call(e, function, ...)						\
	emit_call_list((e), (function),						\
	    (const struct call_arg[]){ __VA_ARGS__, { .kind = ARG_END, .i = 0 } })

void	emit_call_list(struct emitter *, const char *function, const struct call_arg *);

/* FUNCTION, or where elements have 16 bits and the tensor is f32, its sister for reals. */
const char	*emit_kernel(struct emitter *, const char *function, const struct tensor *);

/* As arg_tensor() is written. */
const char	*emit_pointer(struct emitter *, const struct tensor *);
/* A pointer to elements of that type, so many bytes into the arena. */
const char	*emit_address(struct emitter *, const struct dtype *, int64_t offset);

/* A line of the step as it is, as deep as loops are. */
void	emit_line(struct emitter *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- what a node runs many times (ir/rounds.h) ---- */

/* Where its tensors lie, by their ids: those of its plan from BASE on; the others are to be filled
 * in. */
int64_t	*emit_round_places(struct emitter *, const struct rounds *, int64_t base);
/* What its nodes need beside their calls. */
void	emit_round_kernels(struct emitter *, const struct rounds *);
/* The calls of its nodes, which lie there. */
void	emit_round(struct emitter *, const struct rounds *, const int64_t *place);

/* The shortest decimal that reads back as the same float (SINGLE) or double. */
const char	*emit_real(char buf[SIZE_TEXT], double, bool single);

/* ---- notes ---- */

/* "65536 + b * 9408": what WORK has, a node's workspace, or "0" where it is NULL. */
const char	*emit_work_bytes(struct emitter *, const struct tensor *work);

/* The node, a convolution of that shape that runs forward, also adds up the channels of what it
 * makes. */
void	emit_convolution_sums(struct emitter *, const struct node *, const struct conv *);
/* The node, a convolution of that shape, is one of KIND (DNN_FORWARD, ...). */
void	emit_convolution(struct emitter *, const struct node *, int kind, bool bias,
	    bool relu, const struct conv *);
/* The same of a part of it that sees SOURCE alone, from row TOP and column LEFT on; it keeps so
 * much of what lies there. Beside its workspace there is a copy of its weights. */
void	emit_convolution_part(struct emitter *, const struct node *, int kind, bool bias,
	    double keep, const struct conv *, const struct tensor *source, int64_t top, int64_t left);

/* What the call of an update is told of numbers that are the same for all its weights: so many,
 * which FUNCTION works out once a step. It is called with their place, the update's count (of one
 * in EVERY steps; the node of CLIP, the factor of the gradients or NULL, may know how many were
 * left out), and ARGUMENTS, a text. */
struct call_arg	emit_update_numbers(struct emitter *, const char *function, int count, int64_t every,
    const struct tensor *clip, const char *arguments);

/* The logarithm of the share that a mean keeps, as text; of nothing that of next to nothing. */
const char	*emit_log_kept(struct emitter *, double share);

/* Calls for the squares of the node's operands, gradients from that one on, in its workspace. */
void	emit_squares(struct emitter *, const struct node *, int from);

#endif
