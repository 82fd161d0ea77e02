/*
 * Work that a library may not survive. Some libraries read past their bounds in files that were
 * made to be broken; a child process does the work before this one does, so that what ends the
 * child is told as an error.
 */
#ifndef STOWAGE_BASE_REHEARSE_H
#define STOWAGE_BASE_REHEARSE_H

#include <stdbool.h>
#include <stdint.h>

/* Does WORK return, within so many seconds of a processor? What it changes in memory is the child's
 * alone; it is not to write to files that are open. Where there can be no child, nothing is known
 * and the answer is yes. */
bool	rehearse(void (*work)(void *), void *context, int64_t seconds);

#endif
