/* A point of a run, by classes of words (oom_point.c). */
#ifndef STOWAGE_OOM_OOM_POINT_H
#define STOWAGE_OOM_OOM_POINT_H

#include "oom/oom_lexicon.h"

/* Where T names a point of a run that is behind its first rounds: "after 20000 images", "when the
 * step is about 2454", "at the last iteration"; or NULL. Whether it is one of a failure T tells,
 * but where *ENDS is set: there it ends by itself, "it lasts 20 epochs". */
const char	*oom_point(struct talk t, bool *ends);

#endif
