/* When people say that it fails. */
#ifndef STOWAGE_OOM_OOM_WHEN_H
#define STOWAGE_OOM_OOM_WHEN_H

#include "oom/oom_paste.h"

/* Line LINE is a sentence, of which oom_told.h has been told. */
void	oom_when_line(struct oom_paste *, struct talk, int line);
/* That memory was higher when tests had ended; or NULL. */
const char	*oom_when_left(struct talk);

#endif
