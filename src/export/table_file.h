/* Numbers of files that a network has beside its parameters (table_file.c). */
#ifndef STOWAGE_EXPORT_TABLE_FILE_H
#define STOWAGE_EXPORT_TABLE_FILE_H

#include "ir/op.h"

/* Those of a node from_file or class_table, as many as its result has, all finite in f32. The file
 * is looked for where a program does, below ROOT. NULL, with *WHY. */
const double	*table_numbers(struct arena *, const struct module *, const struct node *, const char *root, const char **why);

#endif
