/*
 * The state of PyTorch's simulation while it plays a tape: a count of references for each storage,
 * as PyTorch's own intrusive pointers have it. A reference is a Python variable, an autograd node
 * that saved the storage, or a gradient on its way. Everything lives in the arena of the tape.
 */
#ifndef STOWAGE_FRAMEWORKS_EAGER_PLAYER_H
#define STOWAGE_FRAMEWORKS_EAGER_PLAYER_H

#include "frameworks/pytorch_eager.h"

#include "calls/tape.h"

struct block {			/* a storage: those of the tape come first */
	int64_t bytes;
	int refs;
	enum tensor_kind kind;
};

struct arriving {		/* the gradient of a value, so far */
	int block;		/* -1: none */
	int64_t bytes;
	bool view;		/* its storage has a second owner: no sum is made in it */
	bool repeated;		/* a view in which elements of the storage are repeated */
	bool apart;		/* a view in which there are gaps */
	const struct tape_shape *shape;	/* NULL: its elements lie in their order */
};

struct waiting {
	int whole;		/* the value */
	int block;
	int64_t bytes;
	bool in_order;		/* as its elements lie */
};

struct player {
	const struct tape *t;
	struct eager *e;
	VEC(struct block) blocks;
	struct arriving *gradient;	/* by value */
	bool *forgotten;	/* by value: forward reads it no more */
	struct arriving *of_inputs;	/* of the call that runs backward */
	/* gradients of parts, and of a library's other results, whose whole is not differentiated
	 * yet */
	VEC(struct waiting) waiting;
	int64_t live, by_kind[TENSOR_KINDS];
	const struct node *node;
	enum phase phase;
	bool most;		/* the most that it may take */
	bool gradients_stay;	/* from the step before */
	bool peak_alone;	/* no events are noted */
	bool overflow;		/* beyond 64 bits: nothing is counted any more */
};

/* eager_player.c: references to storages, by their number. */
void	eager_hold(struct player *, int block);
void	eager_drop(struct player *, int block);
int	eager_make(struct player *, enum tensor_kind, int64_t bytes);	/* with one reference */
/* BYTES more, times UP / DOWN. */
void	eager_add_share(struct player *, int64_t *sum, int64_t bytes, int up, int down);
enum tensor_kind	eager_gradient_kind(const struct tape *, const struct tape_value *);
/* Gradients that wait for the call that made this value: are there any? They are of no more use. */
bool	eager_waits(const struct player *, int value);
void	eager_forget_waiting(struct player *, int value);

/* eager_library.c: backward of a call of a library's, DY the gradient of its first result. BUFFER:
 * the storage that gradients of its parameters are views of, or -1 until it is made. */
void	eager_lend_backward(struct player *, const struct tape_call *, const struct arriving *dy);
struct arriving	eager_gradient(struct player *, const struct tape_call *, int k, int *buffer);

#endif
