/*
 * What a locally-connected layer costs in Keras, for each of its three implementations, and here.
 * Sizes are in bytes and affine in the micro-batch B. With N = H'W' positions, K = kh kw C inputs
 * of each, F filters, S optimizer slots and e bytes an element:
 *
 *     implementation 1, slices        forward   2eBNK + 2eBNF
 *                                     backward  eBN HWC: the gradient of each slice is a
 *                                               zero-filled tensor of the whole input, and all N
 *                                               are alive until they are added up
 *     implementation 2, masked dense  e HWC NF (4 + S) + e HW N
 *                                     forward alone, after training: two of them fewer, as
 *                                     there are no gradients of the weight and of its product
 *                                     with the mask
 *     implementation 3, sparse        nnz = NKF: (16 + e(2 + S)) nnz + at most 3e nnz B
 *     here, a direct kernel           forward: the output; backward: the gradient of the input
 *
 * Source: keras/layers/local.py and keras/backend (K.local_conv), TensorFlow's gradient of
 * StridedSlice; checked against the allocator's dump of a real crash (tests/unit/test_bfc.c) and
 * against the graphs of tf-keras (bench/keras.py).
 */
#ifndef STOWAGE_FRAMEWORKS_KERAS_LOCAL_H
#define STOWAGE_FRAMEWORKS_KERAS_LOCAL_H

#include "ir/ir.h"

#define KERAS_SCRATCH	1280	/* the chunk of a device stream's scratch, 1028 B */

struct bfc;

struct keras_local {
	const struct node *forward;	/* the layer, in the training graph */
	const struct node *backward;	/* makes the gradient of its input; NULL: nothing does */
	int64_t positions, field, filters;	/* N, K, F */
	struct affine input, slice;	/* bytes of one whole input: eB HWC; of one slice: eBK */
	int slots;			/* S */
	struct affine slices_forward, slices_backward;
	struct affine masked, masked_forward, sparse;
	struct affine ours_forward, ours_backward;
};

/* Fills *COSTS; false when NODE, of module->train, is no locally-connected layer. */
bool	keras_local(const struct module *, const struct node *, struct keras_local *costs);

/*
 * The largest micro-batch in [0, MOST] whose step reaches past the layer's slices on a device that
 * gives TensorFlow's allocator POOL bytes. The parameters and their state and what the plan holds
 * alive at that instant are asked of the model of that allocator (frameworks/bfc.h), at each that
 * is tried; then, in TensorFlow's order (2.21, which lists what each operation asks for), what the
 * layer does:
 *
 *     its input, N slices; the input goes, unless others read it later; the slices side by side; they go
 *     the gradients of these, together, of which those of the slices are views, and of the weight; what lay side by side goes
 *     N gradients of the input
 *
 * What has gone leaves holes, which larger blocks than were asked for fill. Needs module->plan.
 */
int64_t	keras_local_largest(const struct module *, const struct keras_local *, int64_t most,
	    int64_t pool);

/*
 * Replays that step from the network alone until memory ends, leaving the allocator as it then is:
 * parameters and state, the inputs, the gradient of the layer's weight and the N slices' gradients.
 * What the framework adds of its own, scalars and scratch, is as many as TensorFlow 1.4 with Keras
 * 2.1.2 had; they are below 10 kB together. Returns how many of the N could be made.
 */
int64_t	keras_local_replay(const struct module *, const struct keras_local *, int64_t batch,
	    int64_t pool, struct bfc *);

/* The most that one such layer adds to a step, or to validation, which is forward alone, as slices
 * or with a masked weight; INT64_MAX beyond 63 bits, 0 where there is none. */
int64_t	keras_local_unrolled(const struct module *, int64_t batch, bool forward, bool masked);

#endif
