/*
 * synthetic.c - no file at all: numbers drawn from the seed, each time anew, and the same in all
 * epochs. A GPU draws them itself.
 */
#include "host/draw.h"

static void
synthetic_make(const struct data *d, int k, void *to, int64_t row, const struct sampling *s)
{
	const struct input *in = &d->input[k];
	uint64_t stream = seed_stream(in->name);

	for (int64_t i = 0; i < in->elements; i++)
		draw(in->type, to, i, s->seed, stream, (uint64_t)(row * in->elements + i), draw_classes(in));
}

static void
synthetic_open(struct data *d)
{
	d->rows = (int64_t)source_number(d->source, "samples", 0, 1);
	for (int k = 0; k < d->inputs; k++)
		d->makes[k] = true;
	d->alike = true;
#ifdef DRAWS
	d->draws = true;
#endif
}

const struct reader reader_synthetic = { synthetic_open, synthetic_make, NULL };
