/*
 * watch.c - what follows from the loss after each epoch: a rate that falls where the loss no longer
 * does, the end of training, the best checkpoint. It is the validation's loss, or where nothing is
 * validated that of the epoch's own samples. What is remembered is saved with the rest, so that a
 * run that is resumed ends as one would that never stopped.
 */
#ifdef TRAINS

static void
watch_begin(struct watch *w)
{
	w->lowest = w->level = DBL_MAX;
	w->waited = w->bad = w->held = 0;
	w->rate = 1;
}

/* As PyTorch's ReduceLROnPlateau, of mode min and a relative threshold. */
static void
watch_rate(struct watch *w, double loss)
{
	const struct schedule *s = &rate_schedule;
	double lower = w->rate * s->gamma > s->floor ? w->rate * s->gamma : s->floor;

	if (loss < w->level * (1 - s->threshold)) {
		w->level = loss;
		w->bad = 0;
	} else {
		w->bad++;
	}
	if (w->held > 0) {
		w->held--;
		w->bad = 0;
	}
	if (w->bad <= s->patience)
		return;
	if ((w->rate - lower) * LEARNING_RATE > 1e-8)
		w->rate = lower;
	w->held = s->cooldown;
	w->bad = 0;
}

/* After a whole epoch; true: no epoch before had so low a loss. */
static bool
watch_epoch(struct watch *w, double loss)
{
	bool lowest = loss < w->lowest;

	if (rate_schedule.kind == RATE_PLATEAU)
		watch_rate(w, loss);
	w->waited = lowest ? 0 : w->waited + 1;
	if (lowest)
		w->lowest = loss;
	return lowest;
}

/* Has training waited long enough for a lower loss? */
static bool
watch_ends(const struct watch *w)
{
	return PATIENCE && w->waited >= PATIENCE;
}

#endif
