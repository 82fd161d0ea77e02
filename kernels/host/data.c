/*
 * data.c - batches of samples, in the order of the epoch. One batch is converted at a time,
 * straight to where the step reads it.
 */
/* Row of the files in which sample I is found. */
static int64_t
data_row(const struct source *s, int64_t i)
{
	if (s->keep_every)
		return i * s->keep_every;
	if (s->skip_every)
		return i + i / (s->skip_every - 1) + 1;
	return i;
}

static int64_t
data_count(const struct source *s, int64_t rows)
{
	if (s->keep_every)
		return (rows + s->keep_every - 1) / s->keep_every;
	if (s->skip_every)
		return rows - (rows + s->skip_every - 1) / s->skip_every;
	return rows;
}

/* How the values of an input are handed over: as it takes them, or as they are, where the device
 * converts them. */
static struct sent
data_sent(const struct data *d, const struct input *in)
{
	double scale = data_scale(d, in);
	int type = d->column[in->column].type;
	struct sent s;

	s.type = in->type;
	s.scale = 1;
	if (!d->makes[in - d->input] && !d->absent[in - d->input] && device_converts(in, type)) {
		s.type = type;
		s.scale = scale;
	}
	s.bytes = type_table[s.type].bytes;
	return s;
}

static void
data_open(struct data *d, const char *folder, const struct source *source, const struct input *input,
    int inputs, int64_t batch, bool may_lack)
{
	memset(d, 0, sizeof *d);
	d->folder = folder;
	d->source = source;
	d->input = input;
	d->inputs = inputs;
	d->may_lack = may_lack;
	source->reader->open(d);
	d->samples = data_count(source, d->rows);
	if (d->samples < 1)
		fail("no samples are left of %lld", (long long)d->rows);
	for (int k = 0; k < inputs; k++)
		d->sent[k] = data_sent(d, &input[k]);
	d->row = (int64_t *)data_alloc((uint64_t)batch * sizeof(*d->row), "a batch");
#ifdef COUNTED
	int64_t most = 0;

	for (int k = 0; k < inputs; k++)
		most = d->makes[k] && input[k].elements > most ? input[k].elements : most;
	d->made = (int32_t *)data_alloc((uint64_t)most * sizeof(*d->made), "labels");
#endif
}

/* Converts N values from type S, wherever they lie, to type D; AS makes a D of a number. */
#define CONVERT(S, D, AS)	do {						\
	D *to_ = (D *)to;							\
	for (int64_t i = 0; i < n; i++) {					\
		S x_;								\
		memcpy(&x_, from + i * (int64_t)sizeof(x_), sizeof(x_));	\
		to_[i] = AS(x_ * factor);					\
	}									\
} while (0)

#define CONVERT_TO(D, AS, factor_type)	do {				\
	const factor_type factor = (factor_type)scale;			\
	switch (type) {							\
	case TYPE_F32: CONVERT(float, D, AS); break;			\
	case TYPE_F64: CONVERT(double, D, AS); break;			\
	case TYPE_I32: CONVERT(int32_t, D, AS); break;			\
	case TYPE_I64: CONVERT(int64_t, D, AS); break;			\
	case TYPE_I16: CONVERT(int16_t, D, AS); break;			\
	case TYPE_I8: CONVERT(signed char, D, AS); break;		\
	case TYPE_U16: CONVERT(uint16_t, D, AS); break;			\
	case TYPE_U32: CONVERT(uint32_t, D, AS); break;			\
	default: CONVERT(uint8_t, D, AS); break;			\
	}								\
} while (0)

static void
data_convert(const struct input *in, void *to, const unsigned char *from, int type, int64_t n, double scale)
{
	if (in->type == TYPE_F32)
		CONVERT_TO(float, (float), double);
	else if (in->type == TYPE_F64)
		CONVERT_TO(double, (double), double);
	else if (in->type == TYPE_I32)
		CONVERT_TO(int32_t, (int32_t), int32_t);
	else if (in->type == TYPE_U8)
		CONVERT_TO(uint8_t, (uint8_t), int32_t);
	else
		CONVERT_TO(elem, AS_ELEM, double);
}

/* Are the values of input K handed over as the files have them? */
static bool
data_copies(const struct data *d, int k)
{
	const struct input *in = &d->input[k];
	double scale = data_scale(d, in);

	return !d->makes[k] && !d->absent[k] && d->sent[k].scale == scale && d->sent[k].type == d->column[in->column].type;
}

/* A file that was right at start may have been written to since: a class beyond the last would be
 * read as a place in a table. */
static void
data_check_classes(const struct data *d, int k, const unsigned char *values, int64_t row)
{
	const struct input *in = &d->input[k];

	for (int64_t i = 0; i < in->elements; i++) {
		double x = value_at(d->sent[k].type, values, i);

		if ((x < 0 || x >= in->classes) && x != (double)in->ignored)
			fail("%s: sample [%lld] holds %g for %s, and did not when training began: somebody "
			    "writes to it", d->column[in->column].file, (long long)row, x, in->name);
	}
}

/* Fills input K of one sample, which is in that row of the files. */
static void
data_load(const struct data *d, int k, void *to, int64_t row, const struct sampling *s)
{
	const struct input *in = &d->input[k];
	const struct column *c = &d->column[in->column];
	const unsigned char *from;

	if (d->absent[k]) {
		memset(to, 0, (size_t)(in->elements * d->sent[k].bytes));
		return;
	}
	if (d->makes[k]) {
		d->source->reader->make(d, k, to, row, s);
		return;
	}
	from = column_at(c, row);
	if (data_copies(d, k))
		memcpy(to, from, (size_t)(in->elements * d->sent[k].bytes));
	else
		data_convert(in, to, from, c->type, in->elements, data_scale(d, in));
	if (in->classes)
		data_check_classes(d, k, (const unsigned char *)to, row);
}

/* Bytes of a batch, where they are copied, below which waking other threads takes longer; making
 * them takes about so many times as long. */
#define DATA_WORTH	((int64_t)1 << 17)
#define DATA_MADE	8

struct data_filling {		/* of the places of input K, SIZE bytes each, at TO */
	const struct data *data;
	int k;
	char *to;
	int64_t size, batch;
	const struct sampling *sampling;
};

static void
data_fill_share(void *with)
{
	const struct data_filling *f = (const struct data_filling *)with;

#ifdef __CUDACC__
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
	for (int64_t j = 0; j < f->batch; j++)
#else
	ROWS (j, f->batch)
#endif
		data_load(f->data, f->k, f->to + j * f->size, f->data->row[j], f->sampling);
}

static void
data_fill(const struct data *d, int k, char *to, int64_t batch, const struct sampling *sampling)
{
	struct data_filling f = { d, k, to, d->input[k].elements * d->sent[k].bytes, batch, sampling };

	if (batch * f.size * (data_copies(d, k) ? 1 : DATA_MADE) < DATA_WORTH)
		for (int64_t j = 0; j < batch; j++)
			data_load(d, k, to + j * f.size, d->row[j], sampling);
	else
		device_shared(data_fill_share, &f);
}

/* Fills all inputs with BATCH samples, from the FIRST of this epoch's order on. */
static void
data_batch(const struct data *d, int64_t first, int64_t batch, bool shuffle, uint64_t seed,
    int64_t epoch)
{
	const struct sampling sampling = { seed, epoch };
	void *to[MAX_COLUMNS];

#ifdef STAGES
	pipe_settle(PIPE_ON | PIPE_BACK);	/* what is sent may lie in an input */
#endif
#ifdef __CUDACC__
	if (data_is_there(d)) {
		struct gathering which = { true, shuffle, seed, epoch, first, d->samples };

#ifdef DRAWS
		which.draws = !d->here;
#endif

		device_gathers(d->input, d->sent, d->inputs, batch, d->here, &which);
		return;
	}
#endif
	for (int64_t j = 0; j < batch; j++)
		d->row[j] = data_row(d->source, shuffle ? shuffled(seed, epoch, first + j, d->samples) :
		    first + j);
	for (int k = 0; k < d->inputs; k++) {
		to[k] = NULL;
		if (d->input[k].offset < 0)
			continue;
		to[k] = device_input(&d->input[k], d->sent[k], batch);
		data_fill(d, k, (char *)to[k], batch, &sampling);
	}
	if (d->source->reader->finish)
		d->source->reader->finish(d, to, batch, &sampling);
	device_inputs_ready(d->input, d->inputs, batch);
}

#ifdef COUNTED
/* What the labels of one sample weigh for a loss. */
static double
data_weight(const struct data *d, const struct counted *c, int64_t row, const struct sampling *sampling)
{
	const struct input *in = &d->input[c->input];
	const struct column *from = &d->column[in->column];
	bool makes = d->makes[c->input];
	double sum = 0;

	if (makes)
		d->source->reader->make(d, c->input, d->made, row, sampling);
	for (int64_t i = 0; i < in->elements; i++) {
		int64_t label = makes ? d->made[i] : (int64_t)value_at(from->type, column_at(from, row), i);

		if (label >= 0 && label < in->classes && label != c->ignored)
			sum += c->weights ? c->weights[label] : 1;
	}
	return sum;
}

/* The same of SAMPLES samples, from the FIRST of this epoch's order on, for each loss. */
static void
data_count_labels(const struct data *d, int64_t first, int64_t samples, bool shuffle, uint64_t seed,
    int64_t epoch, double *whole)
{
	const struct sampling sampling = { seed, epoch };

	for (int k = 0; k < COUNTED; k++)
		whole[k] = 0;
	for (int64_t j = first; j < first + samples; j++) {
		int64_t row = data_row(d->source, shuffle ? shuffled(seed, epoch, j, d->samples) : j);

		for (int k = 0; k < COUNTED; k++)
			whole[k] += data_weight(d, &counted[k], row, &sampling);
	}
}
#endif
