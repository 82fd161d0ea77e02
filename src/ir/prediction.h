/* What of a network is its prediction. */
#ifndef STOWAGE_IR_PREDICTION_H
#define STOWAGE_IR_PREDICTION_H

#include "ir/ir.h"

/* The operand of the first loss that the network computes, without losses that of the first metric, else the first
 * result of each sample. NULL: there is none, or no graph. */
const struct tensor	*graph_prediction(const struct graph *);

/* All that --predict can write: that first, as "prediction" (.tensor NULL: there is none), then what the spec's predict
 * names. Returns how many. */
int			 graph_predictions(const struct graph *, struct result **);

/* Leaves of a module, before any pass, what its prediction needs: no losses, no targets, no data, nothing to train.
 * False, after an error, where there is no prediction. */
bool			 module_infer(struct module *);

#endif
