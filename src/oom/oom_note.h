/* How what people say is kept (oom_note.c). */
#ifndef STOWAGE_OOM_OOM_NOTE_H
#define STOWAGE_OOM_OOM_NOTE_H

#include "oom/oom_told.h"
#include "oom/oom_wording.h"

/* At AT of T, unless that is NULL. */
void	oom_note(struct said *, struct talk t, const char *at, int line);
/* The same, where its sentence tells of a failure; and of what is found, in T or a sentence of
 * it. */
void	oom_note_failure(struct said *, const struct oom_told *, struct talk t, const char *at, int line);
void	oom_note_any(struct said *, const struct oom_told *, struct talk t, int line, struct finding);
/* The same of what is given: "I cannot upscale a 12 second video" tells of a failure, too. */
void	oom_note_given(struct said *, const struct oom_told *, struct talk t, int line, const char *(*find)(struct talk));

#endif
