/* What a process had that the kernel ended. */
#ifndef STOWAGE_OOM_OOM_HAD_H
#define STOWAGE_OOM_OOM_HAD_H

#include "base/arena.h"
#include "oom/oom_log.h"

/* Does the kernel tell of files' pages that count beside the process's own? */
bool		oom_has_files(const struct oom_message *);

/* "; it had 4.00 GiB, and 12.0 GiB that processes share", or, with files' pages that count,
 * "; it had 4.00 GiB: 1.00 GiB of its own (anon-rss) and 3.00 GiB of files (file-rss)"; "" where
 * it is not told. */
const char	*oom_process_had(struct arena *, const struct oom_message *);

#endif
