/*
 * Weights as safetensors, under the names of the spec: a header in JSON that says where each tensor lies, then
 * their bytes, in f32. They are copied from the mapped file a piece at a time.
 */
#include "import/import.h"
#include "import/keras_file.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>

#define PIECE	4096

static void
header(struct text *t, const struct imported *m)
{
	int64_t at = 0;
	int i, d;

	text_puts(t, "{");
	for (i = 0; i < m->weights.n; i++) {
		const struct import_weight *w = &m->weights.v[i];
		int64_t count = 1;

		/* paths, and names that maps give (export/names.c): nothing in them is to be escaped */
		text_printf(t, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[", i ? "," : "", w->path);
		for (d = 0; d < w->rank; d++) {
			text_printf(t, "%s%" PRId64, d ? "," : "", w->dim[d]);
			count *= w->dim[d];
		}
		text_printf(t, "],\"data_offsets\":[%" PRId64 ",%" PRId64 "]}", at, at + 4 * count);
		at += 4 * count;
	}
	text_puts(t, "}");
	while (t->n % 8 != 0)
		text_puts(t, " ");
}

/* Which of the source's numbers is the one at AT of ours; AT is then that of the next. */
static int64_t
place(const struct view *v, int64_t *at)
{
	int64_t i = v->first + (v->order ? v->order[at[0]] : at[0]) * v->stride[0];
	int k;

	for (k = 1; k < v->rank; k++)
		i += at[k] * v->stride[k];
	for (k = v->rank - 1; k >= 0 && ++at[k] == v->dim[k]; k--)
		at[k] = 0;
	return i;
}

static int64_t
elements(const struct import_weight *w)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < w->rank; i++)
		n *= w->dim[i];
	return n;
}

static void
numbers_write(FILE *f, const struct import_weight *w, const struct numbers *from)
{
	float piece[PIECE];
	int64_t i, count = elements(w), at[MODEL_RANK] = { 0 };
	int n = 0;

	if (from->type == ELEMENT_F32 && !w->view) {
		fwrite(from->data, 4, (size_t)count, f);
		return;
	}
	for (i = 0; i < count; i++) {
		piece[n++] = (float)numbers_real(from, w->view ? place(w->view, at) : i);
		if (n == PIECE || i == count - 1) {
			fwrite(piece, sizeof(*piece), (size_t)n, f);
			n = 0;
		}
	}
}

static bool
weight_write(struct arena *a, FILE *f, const struct imported *m, const struct import_weight *w, const char **why)
{
	struct numbers fetched = *w->numbers;
	float *data;

	if (fetched.data) {
		numbers_write(f, w, &fetched);
		return true;
	}
	if (!keras_fetch(a, m->store, w->numbers, &data, why))
		return false;
	fetched.data = (const unsigned char *)data;
	fetched.type = ELEMENT_F32;
	numbers_write(f, w, &fetched);
	free(data);
	return true;
}

bool
import_weights(struct arena *a, FILE *f, const struct imported *m, const char **why)
{
	struct text t;
	uint64_t size;
	int i;

	*why = NULL;
	text_init(&t, a);
	header(&t, m);
	size = t.n;
	fwrite(&size, sizeof(size), 1, f);
	fwrite(t.s, 1, t.n, f);
	for (i = 0; i < m->weights.n; i++)
		if (!weight_write(a, f, m, &m->weights.v[i], why))
			return false;
	return !ferror(f);
}
