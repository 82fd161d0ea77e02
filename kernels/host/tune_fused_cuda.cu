/*
 * tune_fused_cuda.cu - whether what comes behind a convolution is done in the same graph of cuDNN,
 * or by a sweep of its own: that is measured when all convolutions and products have been, so that
 * these come first where memory for code is short.
 *
 * An engine that also adds up channels, for a batch norm, is left only where the fastest that does
 * not and a sweep that does take those few hundredths less together.
 *
 * One that lets a relu pass back some of a gradient (conv/conv_gated.cu) is compiled here, for
 * seconds, and what its code takes is not known before. It is taken if afterwards there still is
 * the room that any other is tried in, if the convolution that it is and what reads it take those
 * few hundredths less than the two that there were, and if both pairs make the same of whole
 * numbers, whose sums are exact in any order.
 */

/* The convolution of E and no more, where E ran; NULL: cuDNN has no engine for it. */
static struct dnn_entry *
tune_plain(const struct dnn_entry *e)
{
	struct dnn_entry *plain;
	struct dnn_conv c = e->conv;
	bool was = dnn_building;

	c.sums = c.gate = c.add = false;
	c.keep = e->conv.add ? 1 : e->conv.keep;
	dnn_building = true;
	plain = dnn_find(&c);
	dnn_building = was;
	if (!plain || !plain->found)
		return NULL;
	if (!plain->at.y)
		plain->at = e->at;
	return plain;
}

/* From now on what E would do more is done apart. */
static void
tune_part(struct dnn_entry *e)
{
	dnn_free(&e->dnn, 0);
	e->chosen = DNN_MEASURED;
	e->found = false;
	e->apart = true;
}

#ifdef ADDS_UP_CHANNELS

/* A sweep over what it made. */
static bool
tune_run_sweep(const void *with)
{
	const struct dnn_entry *e = (const struct dnn_entry *)with;
	int channels = e->conv.s.f;

	bn_moments((double *)e->at.work, NULL, e->at.y, e->conv.b * conv_outputs(&e->conv.s), channels, 1,
	    norm_parts(channels, true));
	return true;
}

/* Parts those of which the sums take longer than a sweep. */
static void
tune_sums(struct dnn_entry *e)
{
	int channels = e->conv.s.f;
	int64_t sums = 2 * channels * norm_parts(channels, true) * (int64_t)sizeof(double);
	struct dnn_entry *plain = sums <= e->conv.room && tune_has_room() ? tune_plain(e) : NULL;
	struct tune_dnn with = { &e->dnn, e };
	float both, alone, sweep;

	if (!plain)
		return;
	if (plain->chosen < DNN_KEPT)
		tune_convolution(plain);
	with.dnn = &plain->dnn, with.of = plain;
	alone = tune_time(tune_run_dnn, &with, 0);
	sweep = tune_time(tune_run_sweep, e, 0);
	with.dnn = &e->dnn, with.of = e;
	both = tune_time(tune_run_dnn, &with, 0);
	if (alone >= 0 && sweep >= 0 && (both < 0 || alone + sweep < both * TUNE_GAIN))
		tune_part(e);
}

#endif

#ifdef GATES_GRADIENTS

#define TUNE_GATES	3	/* engines compiled for a convolution, at most */
struct tune_pair {		/* a gradient's convolution, and what reads it */
	const struct dnn *dnn;
	const struct dnn_conv *conv;
	const struct dnn_entry *gate;	/* where both ran */
};

static bool
tune_run_pair(const void *with)
{
	const struct tune_pair *t = (const struct tune_pair *)with;
	const struct gate_reader *reader = &t->gate->reader;

	if (dnn_start(t->dnn, t->conv, &t->gate->at) != CUDNN_STATUS_SUCCESS)
		return false;
	reader->run(reader, t->conv->gate);
	return true;
}

/* What a pair makes of whole numbers: sums of it; false: it does not run. In f32 that may not be
 * rounded some numbers have more digits than tf32 has. */
static bool
tune_make(const struct tune_pair *t, double sum[TUNE_SUMS])
{
	const struct dnn_places *at = &t->gate->at;
	const struct conv *s = &t->conv->s;
	int64_t images = t->conv->b * s->c * conv_deep(s) * s->h * s->w;

	tune_fill(at->y, t->conv->b * s->f * conv_outputs(s), 1, sizeof(elem) > 2 && !DNN_FAST ? 4097 : 1);
	tune_fill(at->w, conv_weights(s), 2, 1);
	tune_fill(at->gate, images, 3, 1);
	tune_fill(at->x, images, 4, 1);		/* which it may be added onto; or what the other made would still be there */
	if (!tune_run_pair(t)) {
		cudaGetLastError();	/* a refusal */
		return false;
	}
	tune_sum(sum, at->work, at->x, images);
	return true;
}

/* Milliseconds of a pair that makes the same as WANT; below 0: it does not, or leaves too little
 * room. */
static float
tune_time_pair(const struct tune_pair *t, const double want[TUNE_SUMS], float best)
{
	double got[TUNE_SUMS];

	if (!tune_has_room() || !tune_make(t, got) || !tune_has_room() || memcmp(got, want, sizeof(got)))
		return -1;
	return tune_time(tune_run_pair, t, best);
}

/* Is the K-th offer one of those before? Both heuristics may make it. */
static bool
tune_is_again(const struct dnn_choice *offer, int k)
{
	for (int j = 0; j < k; j++)
		if (tune_same_engine(&offer[j], &offer[k]))
			return true;
	return false;
}

/* Of what is proposed for E the fastest that takes well below MS, if there is one, is what it runs
 * by from now on. */
static void
tune_compile(struct dnn_entry *e, float ms, const double want[TUNE_SUMS])
{
	static struct dnn_choice offer[DNN_LOOKED_AT];
	static struct dnn other;
	struct tune_pair pair = { &other, &e->conv, e };
	int offers = dnn_offers(&dnn_device, &e->conv, offer, DNN_LOOKED_AT);
	float best = ms * TUNE_GAIN;
	int tried = 0;

	for (int k = 0; k < offers && tried < TUNE_GATES && tune_has_room(); k++) {
		float taken;

		if (tune_is_again(offer, k))
			continue;
		tried++;
		if (!dnn_take(&other, &dnn_device, &e->conv, &offer[k]))
			continue;
		taken = tune_time_pair(&pair, want, best);
		if (taken < 0 || taken >= best) {
			dnn_free(&other, 0);
			continue;
		}
		tune_replace(e, &other, &offer[k]);
		e->found = true;
		best = taken;
	}
	if (offers == 0)
		return;
	e->chosen = DNN_MEASURED;
	tuning.convolutions++;
	e->apart = !e->found && !tuning.full;	/* else it is tried again in the next run */
}

static void
tune_gate(struct dnn_entry *e)
{
	struct dnn_entry *plain = e->reader.run && tune_has_room() ? tune_plain(e) : NULL;
	double want[TUNE_SUMS];
	float ms;

	if (!plain || e->conv.room < (int64_t)sizeof(want))
		return;
	if (plain->chosen < DNN_KEPT)
		tune_convolution(plain);
	struct tune_pair pair = { &plain->dnn, &plain->conv, e };

	if (tune_make(&pair, want) && (ms = tune_time(tune_run_pair, &pair, 0)) >= 0)
		tune_compile(e, ms, want);
}

#endif

static const struct tune_fusion {	/* what may be done in the same graph, */
	size_t asked;		/* where struct dnn_conv has it whether it is */
	void (*tune)(struct dnn_entry *);
} tune_fusions[] = {
#ifdef ADDS_UP_CHANNELS
	{ offsetof(struct dnn_conv, sums), tune_sums },
#endif
#ifdef GATES_GRADIENTS
	{ offsetof(struct dnn_conv, gate), tune_gate },
#endif
	{ 0, NULL }
};

/* Those that were not known when this run began. */
static void
tune_fused(void)
{
	for (const struct tune_fusion *f = tune_fusions; f->tune; f++)
		for (int k = 0; k < dnn_entries; k++) {
			struct dnn_entry *e = &dnn_entry[k];

			if (*(const bool *)((const char *)&e->conv + f->asked) && e->at.y && !e->apart &&
			    e->chosen == (e->found ? DNN_MEASURED : DNN_HERE))
				f->tune(e);
		}
}
