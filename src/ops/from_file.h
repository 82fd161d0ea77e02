/*
 * Numbers that a program reads from a file when it starts: a tensor of kind T_TABLE, whose bytes
 * from_file's output has, and class_table's.
 */
#ifndef STOWAGE_OPS_FROM_FILE_H
#define STOWAGE_OPS_FROM_FILE_H

#include "ir/op.h"

extern const struct op op_from_file, op_class_table;	/* of 32 bits at least: what classes weigh */

/* What reads the file: "npy", "csv", "safetensors"; NULL: nothing does. */
const char	*table_reader(const char *file);
/* The attributes of a class_table. */
struct attr	*table_of_classes(struct arena *, const char *file, int64_t n);
/* The table whose bytes an operand of the node has, or NULL. */
const struct tensor	*table_read_by(const struct node *);
/* What a .safetensors file calls it. */
const char	*table_tensor(struct arena *, const struct node *);
/* "table_3": the name of its numbers in a program, where the host has them too. */
const char	*table_name(const struct module *, const struct tensor *);

#endif
