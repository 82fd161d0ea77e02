/* What people say of a failure in sentences: when it came, and whether memory grew until then. */
#ifndef STOWAGE_OOM_OOM_WORDS_H
#define STOWAGE_OOM_OOM_WORDS_H

#include "oom/oom_paste.h"

void	oom_words_line(struct oom_paste *, struct talk, int line, enum oom_source);

#endif
