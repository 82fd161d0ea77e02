/* Models as reports name them (oom_model.c). */
#ifndef STOWAGE_OOM_OOM_MODEL_H
#define STOWAGE_OOM_OOM_MODEL_H

#include "oom/oom_paste.h"

/* Line LINE of the log; TOLD: a person's sentence. */
void	oom_model_line(struct oom_paste *, struct talk, int line, bool told);

#endif
