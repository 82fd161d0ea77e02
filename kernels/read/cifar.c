/*
 * cifar.c - the binary files of the CIFAR sets: records of a label, in CIFAR-100 of a coarse one
 * and a fine one, and the planes of red, green and blue.
 */
#include "host/pictures.c"

#define CIFAR_SIDE	32
#define CIFAR_BYTES	(3 * CIFAR_SIDE * CIFAR_SIDE)

static int64_t
cifar_classes(const struct input *in)
{
	return in->classes ? in->classes : in->elements;
}

/* Where an input begins in a record with that many labels. */
static int64_t
cifar_place(const struct input *in, int labels)
{
	if (picture_input(in))
		return labels;
	return labels == 2 && cifar_classes(in) == 100 ? 1 : 0;
}

static int
cifar_labels(const struct data *d)
{
	int labels = 1;

	for (int k = 0; k < d->inputs; k++)
		if (!picture_input(&d->input[k]) && cifar_classes(&d->input[k]) != 10)
			labels = 2;
	return labels;
}

static void
cifar_file(struct data *d, const char *name, int labels)
{
	struct mapped f = data_map(d->folder, name);
	int64_t record = labels + CIFAR_BYTES, rows = f.size / record;

	if (f.size % record)
		fail("%s: %lld bytes are no whole number of records of %lld, as CIFAR-%s has them", f.name,
		    (long long)f.size, (long long)record, labels == 2 ? "100" : "10");
	for (int k = 0; k < d->inputs; k++) {
		const struct input *in = &d->input[k];
		struct column *c = &d->column[in->column];
		const unsigned char *from = f.bytes + cifar_place(in, labels);

		if (!picture_input(in))
			for (int64_t i = 0; i < rows; i++)
				if (from[i * record] >= cifar_classes(in))
					fail("%s: sample [%lld] holds %d, expected a class from 0 to %lld for %s", f.name,
					    (long long)i, from[i * record], (long long)cifar_classes(in) - 1, in->name);
		column_add(c, from, rows);
		c->type = TYPE_U8;
		c->step = record;
		c->file = c->file ? c->file : f.name;
	}
	d->rows += rows;
}

static void
cifar_open(struct data *d)
{
	struct variation *v = (struct variation *)data_alloc(sizeof(*v), "pictures");

	memset(v, 0, sizeof *v);
	variation_read(v, d->source);
	variation_room(v, d, NULL);
	d->own = v;
	d->alike = !variation_draws(v);
	for (int i = 0; i < d->source->files; i++)
		cifar_file(d, d->source->file[i], cifar_labels(d));
	for (int k = 0; k < d->inputs; k++)
		d->makes[k] = picture_input(&d->input[k]) ? variation_any(v) : !d->input[k].classes;
}

/* The picture as it is, or a part of one that has a border of zeros. */
static void
cifar_gather(const struct variation *v, const struct picture *p, const unsigned char *from)
{
	int64_t top = picture_draw_whole(p, DRAW_TOP, -v->pad, v->pad);
	int64_t left = picture_draw_whole(p, DRAW_LEFT, -v->pad, v->pad);
	float *to = p->at;

	for (int64_t c = 0; c < p->channels; c++)
		for (int64_t y = top; y < top + CIFAR_SIDE; y++)
			for (int64_t x = left; x < left + CIFAR_SIDE; x++)
				*to++ = y < 0 || y >= CIFAR_SIDE || x < 0 || x >= CIFAR_SIDE ? 0 :
				    from[(c * CIFAR_SIDE + y) * CIFAR_SIDE + x];
}

static void
cifar_make(const struct data *d, int k, void *to, int64_t row, const struct sampling *s)
{
	const struct variation *v = (const struct variation *)d->own;
	const struct input *in = &d->input[k];
	const unsigned char *from = column_at(&d->column[in->column], row);
	struct picture p;

	if (!picture_input(in)) {
		picture_shares(in, to, *from);
		return;
	}
	p = picture_room(v, in, row, s);
	cifar_gather(v, &p, from);
	picture_finish(d, v, k, to, &p);
}

static void
cifar_finish(const struct data *d, void *const *to, int64_t batch, const struct sampling *s)
{
	variation_mix((const struct variation *)d->own, d, to, batch, s);
}

const struct reader reader_cifar = { cifar_open, cifar_make, cifar_finish };
