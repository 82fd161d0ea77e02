/* What frameworks on TensorFlow share: tf.c, keras1.c and keras2.c. */
#ifndef STOWAGE_FRAMEWORKS_TF_H
#define STOWAGE_FRAMEWORKS_TF_H

#include "frameworks/framework.h"

/* PyTorch's step (eager_simulate); at its least, with what TensorFlow's gradients keep where that
 * is less. */
bool	tf_simulate(const struct module *, const struct eager_ask *, struct eager *);

#endif
