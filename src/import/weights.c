/*
 * Weights as safetensors, under the names of the spec: a header in JSON that says where each tensor lies, then
 * their bytes, in f32. They are copied from the mapped file a piece at a time.
 */
#include "import/import.h"
#include "import/model.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

#define PIECE	4096

static void
header(struct text *t, const struct imported *m)
{
	int64_t at = 0;
	int i, d;

	text_puts(t, "{");
	for (i = 0; i < m->weights.n; i++) {
		const struct import_weight *w = &m->weights.v[i];

		/* paths are words of the language and dots: nothing in them is to be escaped */
		text_printf(t, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[", i ? "," : "", w->path);
		for (d = 0; d < w->rank; d++)
			text_printf(t, "%s%" PRId64, d ? "," : "", w->dim[d]);
		text_printf(t, "],\"data_offsets\":[%" PRId64 ",%" PRId64 "]}", at, at + 4 * w->numbers->count);
		at += 4 * w->numbers->count;
	}
	text_puts(t, "}");
	while (t->n % 8 != 0)
		text_puts(t, " ");
}

static void
numbers_write(FILE *f, const struct import_weight *w)
{
	float piece[PIECE];
	int64_t i, rows = w->transposed ? w->dim[0] : 1, columns = w->transposed ? w->dim[1] : w->numbers->count;
	int n = 0;

	if (w->numbers->type == ELEMENT_F32 && !w->transposed) {
		fwrite(w->numbers->data, 4, (size_t)w->numbers->count, f);
		return;
	}
	for (i = 0; i < w->numbers->count; i++) {
		piece[n++] = (float)numbers_real(w->numbers, i % columns * rows + i / columns);
		if (n == PIECE || i == w->numbers->count - 1) {
			fwrite(piece, sizeof(*piece), (size_t)n, f);
			n = 0;
		}
	}
}

bool
import_weights(struct arena *a, FILE *f, const struct imported *m)
{
	struct text t;
	uint64_t size;
	int i;

	text_init(&t, a);
	header(&t, m);
	size = t.n;
	fwrite(&size, sizeof(size), 1, f);
	fwrite(t.s, 1, t.n, f);
	for (i = 0; i < m->weights.n; i++)
		numbers_write(f, &m->weights.v[i]);
	return !ferror(f);
}
