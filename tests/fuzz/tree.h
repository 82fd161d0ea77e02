/*
 * What is asked of every syntax tree, whatever its text: places lie within the text, trees are no
 * deeper than promised, and nothing that later stages read is missing.
 */
#ifndef STOWAGE_TESTS_FUZZ_TREE_H
#define STOWAGE_TESTS_FUZZ_TREE_H

#include "syntax/ast.h"

#include "fuzz.h"

void	tree_check(const struct file *);
/* None is about us, and those of this source lie within it. */
void	tree_check_diags(const struct source *, const struct diags *);

#endif
