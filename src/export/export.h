/*
 * `stowage export`: what a network computes, with the weights of a checkpoint, for other programs:
 * as an ONNX model, or as safetensors under the names that weights had elsewhere.
 */
#ifndef STOWAGE_EXPORT_EXPORT_H
#define STOWAGE_EXPORT_EXPORT_H

#include <stdio.h>

#include "export/checkpoint.h"
#include "export/names.h"
#include "import/model.h"
#include "ir/ir.h"

struct export_problem {
	const struct node *node;
	const char *why;
};

struct exported {
	struct model *model;
	VEC(struct export_problem) problems;	/* layers that ONNX does not have */
	int64_t parameters;	/* numbers in weights and running statistics */
	bool of_spec;		/* what it could not be written for is the spec's, not the checkpoint's */
};

/* The network's inference graph, up to what --predict writes: its prediction, which is left out
 * where a target is needed for it and the spec names what else to predict, and that by its names.
 * Never NULL; where *WHY is not, or where there are problems, the model is not whole. Files that
 * the spec names are read below the absolute folder ROOT. Weights stay where the checkpoint is
 * mapped. TRAINING: the graph up to the loss instead, as training runs it, and the gradients of
 * what is trained; where a step is several updates, the UPDATE-th of them, from 1. */
struct exported	*export_model(struct module *, const struct checkpoint *, const char *root, bool training, int64_t update,
		    const char **why);

/* Writes the model; *WHY is what it could not be written for, or NULL. Its weights are in it, or in
 * a file beside it, APART, that onnx_apart_write() writes. */
void	onnx_write(struct arena *, FILE *, const struct model *, const char *apart, const char **why);

/* weights_apart.c: are there more than a file of ONNX holds? */
bool	onnx_apart_must(const struct model *);
/* Where weight N lies apart: *AT, which is behind the one before it, becomes its place; false: it
 * is in the model. */
bool	onnx_apart_place(const struct numbers *, int64_t *at);
/* Writes those that lie apart, in order; false when the stream has an error. */
bool	onnx_apart_write(const struct model *, FILE *);

/* Writes parameters and running statistics as safetensors; *WHY is what they could not be written
 * for, or NULL. */
void	export_weights(FILE *, struct module *, const struct checkpoint *, struct names *, const char **why);

#endif
