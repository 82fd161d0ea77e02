/* What of a network is its prediction. */
#ifndef STOWAGE_IR_PREDICTION_H
#define STOWAGE_IR_PREDICTION_H

#include "ir/ir.h"

/* The operand of the first loss that the network computes, without losses that of the first metric,
 * else the first result of each sample. NULL: there is none, or no graph. */
const struct tensor	*graph_prediction(const struct graph *);

/* All that --predict can write: that first, as "prediction" (.tensor NULL: there is none), then
 * what the spec's predict names. Returns how many. */
int			 graph_predictions(const struct graph *, struct result **);

/* What inference puts out, none with .tensor NULL: that first, with .name NULL, but not where a
 * target is needed for it, as for the losses of a detector, and the spec names what else there is;
 * then what the spec names. Returns how many. */
int			 graph_outputs(const struct graph *, struct result **);

/* Leaves of a module, before any pass, what its outputs need: no losses, no targets, no data,
 * nothing to train. False, after an error, where there is none. */
bool			 module_infer(struct module *);

#endif
