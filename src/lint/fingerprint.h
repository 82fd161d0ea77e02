/*
 * What a finding is known by from run to run and from machine to machine, though lines are added
 * above it and blanks around it: its rule, its file and the text of its line.
 */
#ifndef STOWAGE_LINT_FINGERPRINT_H
#define STOWAGE_LINT_FINGERPRINT_H

#include <stdint.h>

#include "base/diag.h"

/* PATH is the file as it is to be known. A finding without a place is known by its message. */
uint64_t	fingerprint(const char *path, const struct diag *);

#endif
