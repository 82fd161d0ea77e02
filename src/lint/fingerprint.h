/*
 * What identifies a finding from run to run and from machine to machine, even if lines are added
 * above it and blanks around it: its rule, its file and the text of its line.
 */
#ifndef STOWAGE_LINT_FINGERPRINT_H
#define STOWAGE_LINT_FINGERPRINT_H

#include <stdint.h>

#include "base/diag.h"

/* PATH is the file's name to hash. A finding without a place is identified by its message. */
uint64_t	fingerprint(const char *path, const struct diag *);

#endif
