/* How what starts a process tells that signal 9 ended it: 137, -9 or the signal's name. */
#ifndef STOWAGE_OOM_OOM_STATUS_H
#define STOWAGE_OOM_OOM_STATUS_H

/* Behind a word such as "exited": " with exit code 137", " status: -9", " code (137)". Returns its
 * end, or NULL. */
const char	*oom_status(const char *s, const char *end);

#endif
