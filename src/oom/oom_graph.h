/* That a graph of TensorFlow's grows, or may: what code, errors and people tell of it. */
#ifndef STOWAGE_OOM_OOM_GRAPH_H
#define STOWAGE_OOM_OOM_GRAPH_H

#include "oom/oom_habit.h"

/* Line LINE of the log, a person's, too. */
void	oom_graph_seen(struct oom_habits *, struct talk, int line);

#endif
