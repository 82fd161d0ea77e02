/*
 * What the same training would take in other frameworks, one a file.
 *
 * In comes a module with its forward graph and, for Keras, its training graph and plan. Out come
 * bytes (frameworks/forecast.h): a stream of tensors made and freed, as the framework's own step
 * has them, is served by a model of its allocator. Nothing here plans, changes a module or prints.
 *
 *     pytorch.c, tf.c, ...    a framework a file: this record
 *     pytorch_eager.c         PyTorch's step as such a stream: what autograd keeps, and until when
 *     torch_cache.c, bfc.c    the allocators of PyTorch and of TensorFlow
 *     keras_local.c           what Keras makes of a locally-connected layer
 *     forecast.c              plays the one against the other
 *
 * What PyTorch keeps of one operator stands with the operator: `.torch` of its record in ops/NAME.c
 * (struct torch_op in ir/op.h), such as dropout's mask in ops/dropout.c.
 */
#ifndef STOWAGE_FRAMEWORKS_FRAMEWORK_H
#define STOWAGE_FRAMEWORKS_FRAMEWORK_H

#include "frameworks/allocator.h"
#include "frameworks/pytorch_eager.h"

struct framework_how {		/* where an edit of the spec is written in a user's own program */
	const char *kind;	/* fit/advice.h's; NULL after the last */
	const char *how;
};

struct framework {
	const char *name;	/* in --as and lint { as ... } */
	const char *runtime;	/* whose allocator it has, and whose messages: "PyTorch" */
	const char *brief;
	const char *doc;	/* paragraphs of plain text: what is modelled, and what is not */
	const struct framework_how *how;	/* of edits that its forecast can weigh */

	/* The tensors of a step, or of validation; false where there is no such run. */
	bool (*simulate)(const struct module *, const struct eager_ask *, struct eager *);
	bool exact;		/* to the byte; else another framework's order stands in for its own */
	const char *tensors;	/* what those bytes are: "exact" */
	const char *heading;	/* over a list of them: "PyTorch eager, simulated" */

	const struct allocator *allocator;	/* NULL: each tensor takes its own bytes */

	/* The most that its lowering of one layer adds to a step, or to its forward pass alone, all
	 * at once; INT64_MAX beyond 63 bits. NULL: nothing. */
	int64_t (*unrolled)(const struct module *, int64_t batch, bool forward);
	/* Workspaces that it keeps for cuBLAS beside that; NULL: none. */
	int64_t (*blas)(const struct module *);
	const char *unknown;	/* whose workspaces come on top, which nobody can know: "cuDNN" */
};

extern const struct framework_how framework_how_keras[];	/* keras_how.c */

extern const struct framework *const framework_table[];	/* ends with NULL */
extern const int framework_count;

const struct framework	*framework_find(const char *name);	/* NULL: there is none */
/* Where an edit of that kind is written there; NULL: its forecast cannot weigh such an edit. */
const char	*framework_how(const struct framework *, const char *kind);
/* By place in the table, NULL after the last: for lists in messages. */
const char	*framework_name(int);

#endif
