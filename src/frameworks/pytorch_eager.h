/*
 * What a training step takes in PyTorch eager, as a stream of storages made and freed, and its
 * peak: an estimate in exact bytes of tensors, with no rounding by an allocator, no workspaces and
 * no copies that a kernel makes inside. bench/eager.py measures PyTorch itself the same way.
 *
 * The step is the one that PyTorch users write, in the most economical form that needs no rewrite
 * of the model: relu and leaky_relu run in place and a residual is added in place where autograd
 * allows it, variables are dropped after their last use, but the operands of a loss are held to the
 * end (the loop computes metrics from them); gradients are set to None after the optimizer's step;
 * the optimizer runs its foreach kernels. Labels and tokens are int64. It is a step after the
 * first, so that the optimizer's state exists; with accumulation, a micro-batch after the first.
 *
 * What autograd does: each node keeps the storages it saved until it has run backward; nodes run
 * in the reverse order of their making; the gradients that arrive for one tensor are added in place
 * of the first where nothing else holds it; those of parameters stay.
 *
 * Validation is the forward pass alone, in evaluation mode: parameters, statistics and the
 * optimizer's state stay, and the gradients of the last step are gone. Under no_grad each tensor
 * lives until its last reader has run; without it autograd keeps what a backward pass would read,
 * though none comes. (A caller that holds on to a variable keeps one map more: forward() of
 * torchvision's ResNet has the input of a stage while the stage runs.)
 *
 * That is the least. The most, for a bound from above: gradients stay from step to step, as
 * zero_grad() has them that fills them with zeros (the default before PyTorch 2.0) or that is
 * called only before backward; and a convolution has copies of its operands and results while it
 * runs, in another layout, the weights transformed.
 */
#ifndef STOWAGE_FRAMEWORKS_PYTORCH_EAGER_H
#define STOWAGE_FRAMEWORKS_PYTORCH_EAGER_H

#include "ir/ir.h"

struct eager_event {		/* a storage is made (bytes > 0) or freed (< 0) */
	int storage;		/* numbered by their making */
	int64_t bytes;
};

enum eager_run {
	EAGER_STEP,
	EAGER_VALIDATION,	/* under no_grad */
	EAGER_RECORDED		/* validation, but without no_grad */
};

struct eager_ask {
	int64_t batch;		/* the micro-batch, or validation's batch */
	enum eager_run run;
	bool most;		/* the most that it may take; else the least */
	bool relu_keeps;	/* relu is not in place, and keeps its input for backward */
	bool tensorflow;	/* where TensorFlow keeps less, that; gradients of elements run over what they are made of */
	bool peak_alone;	/* no events are noted */
};

struct eager {
	int64_t batch;		/* as asked */
	int64_t peak;		/* the most bytes alive at one time */
	int64_t kept;		/* of a step: alive when forward is over, which no order of its calls can do without */
	int64_t at_peak[TENSOR_KINDS];	/* what they are; T_WORKSPACE: temporaries */
	enum phase phase;	/* where the peak is: in which pass, */
	const struct node *at;	/* and at which node of the spec; NULL: none, as in the update */
	int64_t reserve;	/* of what is made: what a library keeps for backward, counted from below, since a
				 * card alone tells how much it is */
	const char *least;	/* what the data tell, which is counted as none if the least is asked for: a clause, or NULL */
	VEC(struct eager_event) events;	/* what persists, the inputs, then one step or validation */
	int persistent;		/* events of what outlives it, in this order for every run; */
	int before;		/* and with them those before the first call */
};

/* Why nobody can say what such a network takes: a clause; NULL: it can be said. */
const char	*eager_unknown(const struct module *);

/* Why its order does not stand in for that of other frameworks: a clause; NULL: it does. */
const char	*eager_elsewhere(const struct module *);

/* Simulates that run. False if there is none: no loss, nothing trained, half precision (which
 * PyTorch users write in several ways), an operator of which it is not known, or sizes beyond 64
 * bits. */
bool	eager_simulate(const struct module *, const struct eager_ask *, struct eager *);

/* The peak at the spec's own micro-batch; -1 where there is none. */
int64_t	eager_bytes(const struct module *);

#endif
