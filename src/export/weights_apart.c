/*
 * Weights that lie beside an ONNX file, in one of their own: one after the other, from places that
 * a reader may map. A file of protocol buffers holds at most 2 GiB. What is small stays in the
 * model, as in PyTorch's exports.
 */
#include "export/export.h"

#define SMALL		1024	/* bytes */
#define ALIGNMENT	64
#define MOST_INSIDE	((int64_t)INT32_MAX - (64 << 20))	/* which leaves 64 MiB for nodes and constants */

static int64_t
bytes_of(const struct numbers *n)
{
	return n->count * (int64_t)element_bytes(n->type);
}

bool
onnx_apart_must(const struct model *m)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < m->numbers.n; i++)
		if (__builtin_add_overflow(sum, bytes_of(m->numbers.v[i]), &sum))
			return true;
	return sum > MOST_INSIDE;
}

bool
onnx_apart_place(const struct numbers *n, int64_t *at)
{
	if (bytes_of(n) < SMALL)
		return false;
	*at = (*at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return true;
}

bool
onnx_apart_write(const struct model *m, FILE *f)
{
	static const char zeros[ALIGNMENT];
	int64_t at = 0, from;
	int i;

	for (i = 0; i < m->numbers.n; i++) {
		const struct numbers *n = m->numbers.v[i];

		from = at;
		if (!onnx_apart_place(n, &at))
			continue;
		fwrite(zeros, 1, (size_t)(at - from), f);
		fwrite(n->data, 1, (size_t)bytes_of(n), f);
		at += bytes_of(n);
	}
	return !ferror(f);
}
