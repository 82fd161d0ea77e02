/*
 * safetensors.c - a file of named tensors: those that are called as inputs and targets are. The
 * first axis counts the samples.
 */
#include "host/safetensors.c"

static void
tensors_take(struct data *d, const struct mapped *f, int64_t data, const struct stored *t)
{
	for (int k = 0; k < d->inputs; k++) {
		const struct input *in = &d->input[k];
		int type = stored_data_type(t);

		if (strcmp(in->name, t->name))
			continue;
		if (d->column[in->column].stretches)
			fail("%s: corrupt: tensor %s is there twice", f->name, t->name);
		if (type < 0)
			fail("%s: tensor %s is of type %s, expected F32, F64, I8, I16, I32, I64, U8, U16, U32 or "
			    "BOOL", f->name, t->name, t->dtype);
		data_take_part(d, in, f, data + t->begin, t->end - t->begin, type, false, t->rank, t->dim);
	}
}

static void
tensors_open(struct data *d)
{
	static struct stored t;
	struct mapped f = data_map(d->folder, d->source->file[0]);
	struct json j;
	int64_t data, bytes;
	int fd;

	data = header_open(f.name, &fd, &j, &bytes);
	while (header_next(&j, bytes, &t))
		tensors_take(d, &f, data, &t);
	header_close(fd, &j);
	for (int k = 0; k < d->inputs; k++)
		if (!d->column[d->input[k].column].stretches && !data_lacks(d, k))
			fail("%s: has no tensor %s", f.name, d->input[k].name);
}

const struct reader reader_safetensors = { tensors_open, NULL, NULL };
