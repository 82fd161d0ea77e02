/*
 * synthetic.c - no file at all: numbers drawn from the seed, each time anew, and the same in all
 * epochs.
 */
static void
synthetic_make(const struct data *d, int k, void *to, int64_t row, const struct sampling *s)
{
	const struct input *in = &d->input[k];
	double scale = data_scale(d, in);
	uint64_t stream = seed_stream(in->name), seed = s->seed;

	for (int64_t i = 0; i < in->elements; i++) {
		uint64_t at = (uint64_t)(row * in->elements + i);

		if (in->type == TYPE_F32)
			((float *)to)[i] = (float)(scale * seed_normal(seed, stream, at));
		else if (in->type == TYPE_F64)
			((double *)to)[i] = scale * seed_normal(seed, stream, at);
		else if (in->type == TYPE_ELEM)
			((elem *)to)[i] = ELEM((real)(scale * seed_normal(seed, stream, at)));
		else if (in->type == TYPE_I32)
			((int32_t *)to)[i] = (int32_t)(seed_bits(seed, stream, at) %
			    (uint64_t)(in->classes ? in->classes : 256));
		else
			((uint8_t *)to)[i] = (uint8_t)seed_bits(seed, stream, at);
	}
}

static void
synthetic_open(struct data *d)
{
	d->rows = (int64_t)source_number(d->source, "samples", 0, 1);
	for (int k = 0; k < d->inputs; k++)
		d->makes[k] = true;
	d->alike = true;
}

const struct reader reader_synthetic = { synthetic_open, synthetic_make, NULL };
