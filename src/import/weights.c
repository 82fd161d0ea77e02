/*
 * Weights as safetensors, under the names of the spec: a header in JSON that says where each tensor
 * lies, then their bytes, in f32. They are copied from the mapped file a piece at a time.
 */
#include "import/import.h"
#include "import/keras_file.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PIECE	4096
#define STRETCH	((size_t)4 << 20)	/* bytes that are copied at a time */
#define TURNED	((int64_t)32 << 20)	/* of a matrix that is turned */
#define COLUMNS	32			/* of it that are turned together, */
#define RUN	32			/* so many numbers of each */

struct output {
	FILE *f;
	const struct imported *m;
	float *block;		/* of TURNED bytes, once a matrix was turned; NULL */
};

static void
header(struct text *t, const struct imported *m)
{
	int64_t at = 0;
	int i, d;

	text_puts(t, "{");
	for (i = 0; i < m->weights.n; i++) {
		const struct import_weight *w = &m->weights.v[i];
		int64_t count = w->whole ? 2 : 1;

		/* paths, and names that maps give (export/names.c): nothing in them is to be
		 * escaped */
		text_printf(t, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[", i ? "," : "", w->path, w->whole ? "I64" : "F32");
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

/* Which of the source's numbers is the first of the row of ours at AT; AT is then that of the next
 * row. */
static int64_t
row_place(const struct view *v, int64_t *at)
{
	int64_t i = v->first;
	int k;

	for (k = 0; k < v->rank - 1; k++)
		i += (k == 0 && v->order ? v->order[at[0]] : at[k]) * v->stride[k];
	for (k = v->rank - 2; k >= 0 && ++at[k] == v->dim[k]; k--)
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
piece_write(FILE *f, const struct numbers *from, int64_t first, int64_t step, int64_t n)
{
	float piece[PIECE];
	int64_t i, k;

	for (i = 0; i < n; i += k) {
		for (k = 0; k < PIECE && i + k < n; k++)
			piece[k] = (float)numbers_real(from, first + (i + k) * step);
		fwrite(piece, sizeof(*piece), (size_t)k, f);
	}
}

/* N rows of MANY numbers, each of which lies in a run of its own. Four are put down at once, which
 * halves the time. */
static void
spread_runs(float *to, int64_t row, float (*run)[RUN], int64_t many, int64_t n)
{
	int64_t i, m;

	for (i = 0; i < n; i++, to += row) {
		for (m = 0; m + 4 <= many; m += 4) {
			float four[4] = { run[m][i], run[m + 1][i], run[m + 2][i], run[m + 3][i] };

			memcpy(to + m, four, sizeof(four));
		}
		for (; m < many; m++)
			to[m] = run[m][i];
	}
}

/* MANY columns of COUNT numbers each, the first from the FIRST, as COUNT rows that are ROW places
 * long. A run of each column is taken at a time: where their distance is a power of two, all of
 * them fall on the same few places of the cache, which keep them only until the next. */
static void
spread(float *to, int64_t row, const struct numbers *from, int64_t first, int64_t stride, int64_t many, int64_t count)
{
	float run[COLUMNS][RUN];
	int64_t k, n, m, i;

	for (k = 0; k < count; k += n, to += n * row) {
		n = count - k < RUN ? count - k : RUN;
		for (m = 0; m < many; m++)
			if (from->type == ELEMENT_F32)
				memcpy(run[m], from->data + 4 * (first + k + m * stride), (size_t)n * sizeof(**run));
			else
				for (i = 0; i < n; i++)
					run[m][i] = (float)numbers_real(from, first + k + i + m * stride);
		spread_runs(to, row, run, many, n);
	}
}

/* A matrix the other way round, so many of its rows at a time, which lie side by side in each of
 * the source's: every page of that is read once for them all, and need not stay. False: it is none,
 * or there is no room. */
static bool
matrix_write(struct output *o, const struct import_weight *w, const struct numbers *from)
{
	const struct view *v = w->view;
	int64_t rows = v->dim[0], columns = v->dim[1], many, i, j, k, n, bytes = (int64_t)element_bytes(from->type), last;

	if (v->rank != 2 || v->order || v->stride[0] != 1 || columns < 2 || columns > TURNED / 4)
		return false;
	many = TURNED / 4 / columns < rows ? TURNED / 4 / columns : rows;
	if (!o->block && !(o->block = malloc(TURNED)))
		return false;
	for (i = 0; i < rows; i += n) {
		n = rows - i < many ? rows - i : many;
		for (j = last = 0; j < columns; j += k) {
			k = columns - j < COLUMNS ? columns - j : COLUMNS;
			spread(o->block + j, columns, from, v->first + j * v->stride[1] + i, v->stride[1], k, n);
			if ((j + k - last) * v->stride[1] * bytes < (int64_t)STRETCH && j + k < columns)
				continue;
			model_let_go(o->m->model, from->data + bytes * (v->first + last * v->stride[1] + i),
			    (size_t)(bytes * ((j + k - 1 - last) * v->stride[1] + n)));
			last = j + k;
		}
		fwrite(o->block, sizeof(*o->block), (size_t)(n * columns), o->f);
	}
	return true;
}

static void
numbers_write(struct output *o, const struct import_weight *w, const struct numbers *from)
{
	const struct view *v = w->view;
	int64_t row = v && v->rank > 1 ? v->dim[v->rank - 1] : 1, count = elements(w), i, at[MODEL_RANK] = { 0 };

	if (!v)
		piece_write(o->f, from, 0, 1, count);
	else if (v->rank < 2)	/* in their order: what is reordered has rows */
		piece_write(o->f, from, v->first, v->stride[0], count);
	else if (!matrix_write(o, w, from))
		for (i = 0; i < count; i += row)
			piece_write(o->f, from, row_place(v, at), v->stride[v->rank - 1], row);
}

/* Numbers that are as they are to be. */
static void
numbers_copy(struct output *o, const struct numbers *from)
{
	size_t all = 4 * (size_t)from->count, at, n;

	for (at = 0; at < all; at += n) {
		n = all - at < STRETCH ? all - at : STRETCH;
		fwrite(from->data + at, 1, n, o->f);
		model_let_go(o->m->model, from->data + at, n);
	}
}

static void
weight_copy(struct output *o, const struct import_weight *w, const struct numbers *from)
{
	size_t bytes = (size_t)from->count * element_bytes(from->type);

	if (from->filled) {
		piece_write(o->f, from, 0, 0, elements(w));
		return;
	}
	if (w->whole) {
		fwrite(from->data, 1, bytes, o->f);
		return;
	}
	model_take_up(o->m->model, from->data, bytes);
	if (from->type == ELEMENT_F32 && !w->view)
		numbers_copy(o, from);
	else
		numbers_write(o, w, from);
	model_let_go(o->m->model, from->data, bytes);
}

static bool
weight_write(struct arena *a, struct output *o, const struct import_weight *w, const char **why)
{
	struct numbers fetched = *w->numbers;
	float *data;

	if (fetched.data) {
		weight_copy(o, w, w->numbers);
		return true;
	}
	if (!keras_fetch(a, o->m->store, w->numbers, &data, why))
		return false;
	fetched.data = (const unsigned char *)data;
	fetched.type = ELEMENT_F32;
	weight_copy(o, w, &fetched);
	free(data);
	return true;
}

static bool
write_all(struct arena *a, FILE *f, const struct imported *m, const char **why)
{
	struct output o = { .f = f, .m = m };
	struct text t;
	uint64_t size;
	bool good = true;
	int i;

	text_init(&t, a);
	header(&t, m);
	size = t.n;
	fwrite(&size, sizeof(size), 1, f);
	fwrite(t.s, 1, t.n, f);
	for (i = 0; i < m->weights.n && good; i++)
		good = weight_write(a, &o, &m->weights.v[i], why) && !ferror(f);
	free(o.block);
	return good;
}

/* Those that are still in a file of Keras may be fetched from now on; false with *WHY. */
static bool
fetchable(struct arena *a, const struct imported *m, const char **why)
{
	const struct numbers **far = arena_array(a, (size_t)m->weights.n + 1, sizeof(*far));
	int i, n = 0;

	for (i = 0; i < m->weights.n; i++)
		if (!m->weights.v[i].numbers->data)
			far[n++] = m->weights.v[i].numbers;
	return n == 0 || keras_prepare(a, m->store, far, n, why);
}

bool
import_weights(struct arena *a, FILE *f, const struct imported *m, const char **why)
{
	*why = NULL;
	return fetchable(a, m, why) && write_all(a, f, m, why);
}
