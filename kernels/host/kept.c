/*
 * kept.c - what metrics keep of each sample, where nothing adds up (RESULT_KEPT): rows of numbers,
 * of which the metric is made when all samples are there. Room for all of them is taken before
 * anything runs.
 */
#ifdef KEEPS
struct keeping {		/* of a result */
	double *value;
	int64_t n;
	double *sample;		/* room for what lands of one */
	double made;		/* of all of them, once they are there */
};

static struct keeping keepings[MAX_RESULTS];

static int64_t
kept_width(const struct result *r)
{
	return r->numbers / VALIDATE_BATCH;
}

static void
kept_open(const struct result *result, int n, int64_t samples)
{
	for (int k = 0; k < n; k++) {
		const struct result *r = &result[k];
		int64_t most;

		if (r->kind != RESULT_KEPT)
			continue;
		if (__builtin_mul_overflow(r->keeps, samples, &most) || most > INT64_MAX / 16)
			fail("%s: no memory for what it keeps of %lld samples", r->name, (long long)samples);
		keepings[k].value = (double *)data_alloc((uint64_t)most * sizeof(double), r->name);
		keepings[k].sample = (double *)data_alloc((uint64_t)kept_width(r) * sizeof(double), r->name);
	}
}

static void
kept_begin(void)
{
	for (int k = 0; k < MAX_RESULTS; k++)
		keepings[k].n = 0;
}

/* Of result K, B samples have landed. */
static void
kept_add(const struct result *result, int k, const unsigned char *landed, int64_t b)
{
	const struct result *r = &result[k];
	struct keeping *to = &keepings[k];
	int64_t width = kept_width(r);

	for (int64_t i = 0; i < b; i++) {
		memcpy(to->sample, landed + 8 * (r->at + i * width), (size_t)width * sizeof(double));
		to->n += r->keep(to->value + to->n, to->sample, to->n);
	}
}

/* All samples are there. */
static void
kept_end(const struct result *result, int n)
{
	for (int k = 0; k < n; k++) {
		struct keeping *of = &keepings[k];

		if (result[k].kind != RESULT_KEPT)
			continue;
		result[k].order(of->value, of->n);
		of->made = result[k].of(of->value, of->n);
	}
}
#endif
