/*
 * samples.c - all samples of a data set on the device, where they have room there: read once, when
 * training begins, and then gathered there, batch by batch, in the order in which the host would
 * send them, to the same bits (feed_cuda.cu). They are no part of the plan. What they take is what
 * is left free beside it, but for a part that programs which come later may need; where that is too
 * little, each batch is sent.
 *
 * They stay as the host would send them: bytes that the device converts stay bytes. What is drawn
 * anew in each epoch does not stay. What the device draws itself, and cannot stay, it draws batch
 * by batch.
 */
#define SAMPLES_AT_ONCE	((int64_t)4 << 20)	/* bytes that are read before they are sent */

/* Are they the same in all epochs? */
static bool
samples_alike(const struct data *d)
{
	bool made = false;

	for (int k = 0; k < d->inputs; k++)
		made |= d->makes[k];
	return d->alike || (!made && !d->source->reader->finish);
}

/* Gathers what comes next, for no step, and waits until it is there. */
static void
samples_begin(void)
{
	struct step step;

	memset(&step, 0, sizeof(step));
#ifdef RANKS
	step.alike = &step;
#endif
	feed_step(&step);
	device_wait();
}

/* Bytes of all of them; -1: too many. */
static int64_t
samples_bytes(const struct data *d)
{
	int64_t total = 0;

	for (int k = 0; k < d->inputs; k++) {
		int64_t bytes;

		if (!input_is_here(&d->input[k]))
			continue;
		if (__builtin_mul_overflow(d->input[k].elements * d->sent[k].bytes, d->samples, &bytes) ||
		    bytes > SAMPLES_MOST)
			return -1;
		total += staging_for(&d->input[k], d->sent[k].bytes, d->samples);
	}
	return total <= SAMPLES_MOST ? total : -1;
}

/* Bytes that they may take now. */
static int64_t
samples_room(void)
{
	size_t free_bytes, total;
	int64_t room;

	CUDA(cudaMemGetInfo(&free_bytes, &total));
	room = (int64_t)free_bytes - (int64_t)(total / SAMPLES_LEAVE);
	return room < SAMPLES_ROOM - samples_taken ? room : SAMPLES_ROOM - samples_taken;
}

/* Input K of all samples, a few at a time through BUFFER. */
static void
samples_send(const struct data *d, int k, unsigned char *to, unsigned char *buffer, const struct sampling *sampling)
{
	int64_t size = d->input[k].elements * d->sent[k].bytes, most = SAMPLES_AT_ONCE / size;
	struct data some = *d;

	most = most > 1 ? most : 1;
	some.row = (int64_t *)data_alloc((uint64_t)most * sizeof(*some.row), "samples");
	for (int64_t at = 0; at < d->samples; at += most) {
		int64_t n = d->samples - at < most ? d->samples - at : most;

		for (int64_t j = 0; j < n; j++)
			some.row[j] = data_row(d->source, at + j);
		data_fill(&some, k, (char *)buffer, n, sampling);
		CUDA(cudaMemcpyAsync(to + at * size, buffer, (size_t)(n * size), cudaMemcpyHostToDevice, stream));
		CUDA(cudaStreamSynchronize(stream));
	}
	free(some.row);
}

#ifdef DRAWS
/* The same of all inputs, where the device draws them: at once, as a batch that goes where they
 * stay. */
static void
samples_draw(const struct data *d, uint64_t seed)
{
	const struct gathering all = { true, false, seed, 0, 0, d->samples, true };
	unsigned char *to = d->here;

	device_gathers(d->input, d->sent, d->inputs, d->samples, NULL, &all);
	for (int k = 0, n = 0; k < d->inputs; k++)
		if (input_is_here(&d->input[k])) {
			arriving.at[n++].to = to;
			to += staging_for(&d->input[k], d->sent[k].bytes, d->samples);
		}
	samples_begin();
}
#endif

/* All of them, to where they stay. */
static void
samples_load(const struct data *d, uint64_t seed)
{
	const struct sampling sampling = { seed, 0 };
	int64_t largest = SAMPLES_AT_ONCE;
	unsigned char *buffer, *to = d->here;

#ifdef DRAWS
	if (d->draws) {
		samples_draw(d, seed);
		return;
	}
#endif
	for (int k = 0; k < d->inputs; k++)
		if (d->input[k].elements * d->sent[k].bytes > largest)
			largest = d->input[k].elements * d->sent[k].bytes;
	buffer = (unsigned char *)data_alloc((uint64_t)largest, "samples");
	for (int k = 0; k < d->inputs; k++) {
		if (!input_is_here(&d->input[k]))
			continue;
		samples_send(d, k, to, buffer, &sampling);
		to += staging_for(&d->input[k], d->sent[k].bytes, d->samples);
	}
	free(buffer);
}

/* The kernel that gathers them is loaded before the first step. */
static void
samples_rehearse(const struct data *d)
{
	data_batch(d, 0, 1, false, 0, 0);
	samples_begin();
}

/* Where a run that begins needs USES of them, each on average once or more, and they have room. */
static void
samples_settle(struct data *d, double uses, uint64_t seed)
{
	int64_t bytes = samples_bytes(d), before = device_taken();
	void *here;

	if (!samples_alike(d) || uses < (double)d->samples || bytes <= 0 || bytes > samples_room())
		return;
	if (cudaMalloc(&here, (size_t)bytes) != cudaSuccess) {
		cudaGetLastError();
		return;
	}
	d->here = (unsigned char *)here;
	samples_taken += device_taken() - before;
	samples_load(d, seed);
}

/* The same, and what takes a batch of them, or draws one, is made ready. */
static void
samples_stay(struct data *d, double uses, uint64_t seed)
{
	samples_settle(d, uses, seed);
	if (data_is_there(d))
		samples_rehearse(d);
}

/* Says which of them are there. */
static void
samples_announce(const struct data *train, const struct data *validate)
{
	int64_t bytes = (train->here ? samples_bytes(train) : 0) + (validate->here ? samples_bytes(validate) : 0);
	char text[32];

	if (bytes)
		printf("samples  %lld bytes (%s) beside the arena: all %lld%s, from which batches are gathered on the GPU\n",
		    (long long)bytes, bytes_text(text, sizeof(text), bytes),
		    (long long)(train->here ? train->samples : validate->samples), !train->here ? " of validation" :
		    validate->here ? ", and those of validation" : "");
#ifdef DRAWS
	if ((train->draws && !train->here) || (validate->draws && !validate->here))
		printf("samples  %s drawn by the GPU, batch by batch\n", !(train->draws && !train->here) ? "of validation are" :
		    validate->draws && !validate->here ? "are" : "of training are");
#endif
}
