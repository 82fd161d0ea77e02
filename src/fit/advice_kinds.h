/* Kinds of edits that need more than a few lines: private to advice_kinds.c, which lists them. */
#ifndef STOWAGE_FIT_ADVICE_KINDS_H
#define STOWAGE_FIT_ADVICE_KINDS_H

#include "fit/advice.h"

/* ---- advice_freeze.c: the first layers are not trained ---- */

int64_t	*freeze_values(struct advisor *, int *n);
bool	 freeze_amend(struct advisor *, struct amend *, int64_t value);
const char	*freeze_title(struct advisor *, int64_t value);
const char	*freeze_note(struct advisor *, int64_t value);

/* ---- advice_inputs.c: smaller images, images without colour ---- */

int64_t	*resize_values(struct advisor *, int *n);
bool	 resize_amend(struct advisor *, struct amend *, int64_t value);
const char	*resize_title(struct advisor *, int64_t value);
const char	*resize_note(struct advisor *, int64_t value);

int64_t	*grey_values(struct advisor *, int *n);
bool	 grey_amend(struct advisor *, struct amend *, int64_t value);
const char	*grey_title(struct advisor *, int64_t value);
const char	*grey_note(struct advisor *, int64_t value);

#endif
