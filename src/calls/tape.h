/*
 * The tape: a network's forward pass as PyTorch eager would run and record it, one entry for each
 * call that makes an autograd node. frameworks/pytorch_eager.c plays it, forward and then backward.
 *
 * Most operators need no code for it: their record says in `torch` (ir/op.h) how their one call
 * differs from the simplest case. An operator that PyTorch writes as several calls makes them
 * itself in torch.calls(), with the functions below. Everything lives in the arena of the tape.
 */
#ifndef STOWAGE_CALLS_TAPE_H
#define STOWAGE_CALLS_TAPE_H

#include "ir/op.h"

#define TAPE_NONE	(-1)	/* no value: an absent operand */
#define TAPE_BITS	16	/* inputs that a call's bits can speak of */
#define TAPE_ALWAYS	INT32_MAX	/* as value.last: alive to the end of the step */

#define TAPE_AXES	(MAX_RANK + 2)

struct tape_shape {		/* sizes, the batch among them, and steps in elements */
	int rank;
	int64_t size[TAPE_AXES], step[TAPE_AXES];
};

struct tape_value {		/* what a Python variable holds */
	const struct tensor *tensor;	/* the spec's, or NULL within an operator */
	int storage;
	int64_t bytes;		/* of its elements; those of its storage where it is no view */
	bool wants;		/* requires_grad */
	bool reached;		/* training's loss gives it a gradient, if it wants one */
	bool view;		/* part of a storage, or under another shape */
	bool strided;		/* its elements leave gaps, or lie in another order */
	const struct tape_shape *shape;	/* NULL: as its tensor's, in their order; or, if strided, unknown */
	bool batched;		/* its first axis is the batch */
	int first, last;	/* calls that read it; no call: last is where it was made */
};

struct tape_storage {
	int64_t bytes;
	enum tensor_kind kind;
	const struct node *node;	/* who makes it; NULL: persistent or an input */
	bool constant;		/* persistent or an input: not written over, not freed */
	bool saved;		/* by some autograd node: not written over */
	int last;		/* the last call that reads a value in it */
};

/*
 * What more there is to a call of a library that makes several results, of which the call has the
 * first; the others are calls of their own that read it. Their gradients wait for that call, which
 * is then made of all.
 */
struct tape_library {
	int64_t forward;	/* bytes that it has while it runs */
	/* The most bytes it has when gradients of data are made, and then those of parameters: its
	 * own copies, gradients, zeros for those of results but the first that do not come; but for
	 * what it makes of others. */
	int64_t data, parameters;
	int first;		/* from this input on gradients are those of parameters, */
	int64_t buffer;		/* views of one storage of so many bytes; 0: each has its own */
	const struct tape_shape *gradient;	/* how that of its first input lies */
	/* What it asks for that nobody knows, at most: beside its output, and while it runs. */
	int64_t most_beside, most_lent;
};

struct tape_call {
	enum torch_output output;
	const int *in;		/* the values it reads, or TAPE_NONE */
	int nin;
	int64_t bytes;		/* of its output's elements */
	int64_t room;		/* of its output's storage, where that is larger; */
	int64_t gradient_room;	/* of the storage of its first input's gradient */
	bool strided;		/* its output's elements leave gaps, or lie in another order */
	bool viewable;		/* a view, even if those of its input do */
	const struct tape_shape *shape;	/* of its output; NULL: see struct tape_value */
	unsigned saves;		/* SAVES_IN(k), SAVES_OUT(0): storages its autograd node keeps */
	bool crosswise;		/* in[0] and in[1] are kept only where the other wants a gradient */
	int64_t beside;		/* bytes it makes and keeps beside its output */
	unsigned passes;	/* bits of inputs whose gradient is the output's, where as large */
	bool pieces;		/* all gradients are views of pieces of the output's, */
	bool apart;		/* whose elements have gaps between them */
	/* One call that makes several views of its input: a call that JOINS, whose output is all of
	 * it, and then one for each PART of that. The gradient is made of those of the parts when
	 * all are there. */
	bool joins, part;
	const struct tape_library *library;	/* NULL: none */
	bool result;		/* another result of the library's call whose output it reads */
	bool repeats;		/* its gradient is a view in which the output's is repeated */
	unsigned views;		/* bits of inputs whose gradient is a view: no sum is made in it */
	unsigned full;		/* bits of inputs whose gradient is made as large as the output's,
				 * and then summed over the axes along which they were repeated */
	/* How elements of its first input's gradient lie, where that is the output's: under these
	 * sizes, which may take a copy; or as axis[i] of that for each axis i. ALIKE: they lie as
	 * the output's gradient's. */
	const struct tape_shape *under;
	const signed char *axis;
	bool alike;
	int64_t most;		/* bytes it has while it runs, at most: the data say how many */
	unsigned always;	/* bits of inputs whose gradient is made even where nobody wants it */
	bool stops;		/* no gradient goes through it */
	int64_t scratch;	/* the most that its gradients' own temporaries take at a time */
	/* what the tape fills in */
	const struct node *node;
	int out;		/* the value it makes */
	bool records;		/* an autograd node is made: an input wants a gradient; */
	int until;		/* it goes, and what it keeps, after that call, since no gradient will come to it; */
	int buries, next;	/* the first of those that go after this call, and the next one beside it; or TAPE_NONE */
};

enum tape_mode {
	TAPE_TRAINING,
	TAPE_EVALUATION,	/* under no_grad: running statistics, no dropout, nothing recorded */
	TAPE_RECORDED		/* the same without no_grad: autograd records, though for nobody */
};

struct tape_run {
	int64_t batch;
	enum tape_mode mode;
	bool relu_keeps;	/* what may run over its one operand does not, and autograd keeps that */
	bool tensorflow;	/* what TensorFlow keeps, where that is less */
	bool most;		/* what the data tell is at its most; else at its least */
};

struct tape {
	struct arena *arena;
	const struct module *module;
	int64_t batch;
	enum tape_mode mode;
	bool relu_keeps, tensorflow, most;
	const struct graph *graph;	/* of that: the forward graph, or a body */
	const bool *needed;	/* by tensor id: does the result of that graph depend on it? */
	const struct node *node;	/* whose calls are being made */
	int *of_tensor;		/* by tensor id: its value, or TAPE_NONE */
	VEC(struct tape_value) values;
	VEC(struct tape_storage) storages;
	VEC(struct tape_call) calls;
	int64_t layers_bytes;	/* persistent, that no tensor of ours stands for */
	int loss;		/* the value */
};

/* The tape of the module's forward graph. Needs forward->loss. */
struct tape	*tape_make(const struct module *, const struct tape_run *);

/* ---- for torch.calls() ---- */

/* The value of a tensor that the node reads; TAPE_NONE for NULL. */
int	tape_value(const struct tape *, const struct tensor *);
/* Appends a call; returns the value it makes. IN is copied. */
int	tape_call(struct tape *, const struct tape_call *);
/* The same of one that works element by element: its output lies as the first of the node's
 * operands that is as large, in whose place the call may have another value. */
int	tape_elementwise(struct tape *, const struct node *, struct tape_call);
/* The one call that the node's record describes, with another value in place of its first operand
 * unless that is TAPE_NONE. */
void	tape_plain(struct tape *, const struct node *, int first);
/* Records a body's nodes, whose inputs are values. */
void	tape_body(struct tape *, const struct graph *body);
/* The layer that PyTorch runs in place of this part of it; NULL: it runs the node. */
const struct node	*tape_layer(const struct node *);
/* This tensor of the node is that value. */
void	tape_result(struct tape *, const struct tensor *, int value);
/* Bytes of a tensor as it is, and with elements of so many bytes instead. */
int64_t	tape_bytes(const struct tape *, const struct tensor *);
int64_t	tape_bytes_as(const struct tape *, const struct tensor *, int element);

/* ---- where elements lie: tape_shape.c ---- */

/* Of a value; false if that is not known. */
bool	tape_shape(const struct tape *, int value, struct tape_shape *);
/* Of the tensor, in their order. */
void	tape_shape_of_tensor(const struct tape *, const struct tensor *, struct tape_shape *);
/* Steps for TO's sizes that give the elements of FROM in their order; false if there are none. */
bool	tape_divide(const struct tape_shape *from, struct tape_shape *to);
/* A value that lies in its order has that shape, and not its tensor's. */
void	tape_shaped(struct tape *, int value, const struct tape_shape *);
/* Do they lie in their order, without gaps? */
bool	tape_in_order(const struct tape_shape *);
/* Where those of what is made of the value element by element lie; NULL: in their order. */
const struct tape_shape	*tape_shape_like(const struct tape *, int value);
/* A view of the value. PASSES: its gradient is one too; else one is made. */
int	tape_view(struct tape *, int value, const struct tape_shape *, bool passes);
/* The axes in another order: axis i is what axis[i] was. */
int	tape_permute(struct tape *, int value, const int *axis);
/* What lies in the bytes of the value under another shape, and is no view to autograd:
 * _unsafe_view(). */
int	tape_result_view(struct tape *, int value, const struct tape_shape *sizes);
/* The value under other sizes: a view where steps can say that, else a copy. */
int	tape_reshape(struct tape *, int value, const struct tape_shape *sizes);
int	tape_reshape_to(struct tape *, int value, const struct tensor *);
/* The same as one row after another. */
int	tape_reshape_rows(struct tape *, int value, int64_t columns);
/* N indices of an axis, STEP apart, and without the axis if it is to DROP: a view, whose gradient
 * is zeros but there. And the value repeated along axes of extent 1, and those before its first,
 * which its gradient is summed over. The value's shape must be known: TAPE_NONE. */
int	tape_narrow(struct tape *, int value, int axis, int64_t n, int64_t step, bool drop);
int	tape_expand(struct tape *, int value, const struct tape_shape *sizes);

/* ---- for the player ---- */

/* Does the call's autograd node keep its k-th input? */
bool	tape_keeps(const struct tape *, const struct tape_call *, int k);

#endif
