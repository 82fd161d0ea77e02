/*
 * What of an ONNX file is small. A model is a tree of protocol buffer messages, of whose bytes
 * nearly all are those of weights. This walks the tree where the file is mapped, and copies it
 * without them: a tensor's large field becomes a field of our own that says where it lies. So a
 * file of a gigabyte takes the memory of its nodes, and only the pages are read on which messages
 * begin.
 *
 * Nothing in the file is trusted: lengths stay within the message around them, and messages in
 * messages are counted, before anything unpacks them by recursion.
 */
#ifndef STOWAGE_IMPORT_WIRE_H
#define STOWAGE_IMPORT_WIRE_H

#include <stdint.h>

#include "base/text.h"

#define WIRE_ELSEWHERE	1000	/* the number of our own field, struct wire_place in its bytes */

struct wire_place {		/* a field that was left where it is */
	uint64_t field, beg, size;
};

/* Copies the model without its large fields; NULL, or why it is none. */
const char	*wire_cut(struct text *, const unsigned char *file, size_t size);

#endif
