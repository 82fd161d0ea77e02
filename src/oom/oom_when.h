/* When people say that it fails. */
#ifndef STOWAGE_OOM_OOM_WHEN_H
#define STOWAGE_OOM_OOM_WHEN_H

#include "oom/oom_paste.h"

/* In words, that gradients are on where nothing is trained. */
#define OOM_NO_GRADIENTS	"without turning gradient computations off|without turning gradients off|without turning off gradient|without turning off gradients|without turning off the gradients|" \
    "without disabling gradient|without disabling gradients|without disabling the gradient|gradients are not turned off|gradients are not disabled"

/* Line LINE is a sentence, of which oom_told.h has been told. */
void	oom_when_line(struct oom_paste *, struct talk, int line);
/* That gradients were on in tests, for want of torch.no_grad(); or NULL. */
const char	*oom_when_unguarded(struct talk);
/* That memory was higher when tests had ended; or NULL. */
const char	*oom_when_left(struct talk);

#endif
