/* Layers as training runs them (training.c, losses.c). */
#ifndef STOWAGE_EXPORT_TRAINING_H
#define STOWAGE_EXPORT_TRAINING_H

#include "export/exporter.h"

void	batchnorm_train(struct exporter *, const struct node *);
void	layernorm_train(struct exporter *, const struct node *);
void	groupnorm_train(struct exporter *, const struct node *);
void	instancenorm_train(struct exporter *, const struct node *);
void	dropout_train(struct exporter *, const struct node *);
void	stop_gradient_train(struct exporter *, const struct node *);
void	recurrent_train(struct exporter *, const struct node *);
void	loss_train(struct exporter *, const struct node *);	/* the mean of a formula */

/* Elements that become 0, with that share, and the others larger. */
const char	*dropped(struct exporter *, const char *value, double rate);

/* The same, behind which nothing has a gradient. */
const char	*stopped(struct exporter *, const char *value);

static inline const struct tensor *
operand(const struct node *n, int k)
{
	return n->nin > k ? n->in[k] : NULL;
}

#endif
