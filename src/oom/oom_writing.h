/* The two writings of Chinese (oom_writing.c). */
#ifndef STOWAGE_OOM_OOM_WRITING_H
#define STOWAGE_OOM_OOM_WRITING_H

#include <stdbool.h>
#include <stddef.h>

/* Puts signs of the traditional writing in N bytes at S into the simplified one; had it any? */
bool	oom_writing_simplify(char *s, size_t n);

#endif
