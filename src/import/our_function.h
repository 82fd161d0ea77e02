/*
 * Functions that stowage export writes for layers that ONNX has no operator for. Import takes such
 * a layer by its name; so that no other body under that name is taken for it, what the function
 * does is summed up in its doc string.
 */
#ifndef STOWAGE_IMPORT_OUR_FUNCTION_H
#define STOWAGE_IMPORT_OUR_FUNCTION_H

#include <stddef.h>

#include "import/onnx.pb-c.h"

struct arena;

/* "stowage export 0123456789abcdef": its name, operands, results, and nodes with what they say, as
 * FNV-1a sums them up. FILE has what wire_cut() left there; NULL: nothing was left anywhere. */
const char	*our_function_mark(struct arena *, const Onnx__FunctionProto *, const unsigned char *file);

#endif
