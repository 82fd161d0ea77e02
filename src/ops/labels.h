/*
 * Labels that do not all count alike, for losses and metrics of them (kernels/loss/labels.cu): some
 * are ignored, classes have weights, labels have weights of their own, a part of each is spread
 * over all classes.
 *
 *     in:   logits target | weights of classes or NULL, weights of labels or NULL
 */
#ifndef STOWAGE_OPS_LABELS_H
#define STOWAGE_OPS_LABELS_H

#include "ir/op.h"

enum { LABELS_OF_CLASS = 2, LABELS_OF_LABEL, LABELS_IN };

#define IGNORE_ATTR									\
	{ "ignore", ATTR_INTS, "a label that does not count, a class or another number, such as -100 or 255; by "	\
	    "default all count", .min = -0x1p31, .max = 0x1p31 - 1 }
#define LABEL_ATTRS									\
	{ "smoothing", ATTR_REAL, "so much of each label is spread over all classes alike", .preset = "0", .min = 0,	\
	    .max = 1 },									\
	IGNORE_ATTR,									\
	{ "weights", ATTR_REALS, "what each class weighs, or the name of a file that has it; by default 1", .min = 0,	\
	    .max = 1e30, .file = true }

/* What a mean weighs, as of labels, which only these tell; NULL: it is no such mean. */
struct tensor	*labels_count(const struct tensor *mean);
/* Its labels, whichever operand they are. */
struct tensor	*labels_of(const struct node *);
/* Do its labels count in other ways than all alike? Such a node has LABELS_IN operands. */
bool	labels_vary(const struct node *);
/* Is what they weigh together known only with the labels? Such a loss has that number as its last
 * output. */
bool	labels_are_counted(const struct node *);
/* The label that node ignores; false: it ignores none. Of any operator. */
bool	labels_ignored(const struct node *, int64_t *label);
/* Has a file what classes weigh for it? Of any operator. */
bool	labels_weights_file(const struct node *);
/* Of all inputs of that name, whoever reads them. */
bool	labels_ignored_of(const struct module *, const struct tensor *target, int64_t *label);

/* After target_labels(): checks what the node has beside logits and target, and puts it in
 * place. */
bool	labels_shape(struct build *, struct node *);

/* "label_terms(I32(64), ...)", of labels and weights that may be other than the node's own are, and
 * what their sum is divided by. TERMS: a node with those attributes. */
const char	*labels_text(struct emitter *, const struct node *terms, const struct tensor *target,
		    const struct tensor *of_class, const struct tensor *of_label, const struct tensor *count,
		    int64_t classes);

/* Writes the call that counts what they weigh, where they are counted. WORK: scratch for it, as
 * text. */
void	labels_emit_count(struct emitter *, const struct node *, const struct tensor *count, const char *terms,
	    const char *work, const char *rows, int64_t classes);
/* Of how many losses of that graph the host counts the labels, before the micro-batches of an
 * update; and is this one of them? */
int	labels_counted_count(const struct module *, const struct graph *);
bool	labels_host_counts(const struct module *, const struct graph *, const struct node *);

#endif
