/*
 * rate.c - the learning rate of each update, by the schedule that the spec names.
 */
#ifdef TRAINS
/* In updates, of which an epoch has so many. */
static double
duration_updates(struct duration d, int64_t epoch_updates)
{
	return d.count * (d.in_epochs ? (double)epoch_updates : 1);
}

/* Along half a cosine from A to B. */
static double
along_cosine(double a, double b, double part)
{
	return b + (a - b) * 0.5 * (1 + cos(3.14159265358979323846 * part));
}

/* Rises to the full rate, falls to the floor at the last of TOTAL updates, DONE being those
 * before. */
static double
one_cycle(const struct schedule *s, double done, double total)
{
	double top = s->rise * total - 1, last = total - 1;

	if (done <= top)
		return along_cosine(s->start, 1, top > 0 ? done / top : 1);
	return along_cosine(1, s->floor, last > top && done < last ? (done - top) / (last - top) : 1);
}

/* How often a step schedule has stepped down. */
static double
steps_down(const struct schedule *s, double done, int64_t epoch_updates)
{
	double every = duration_updates(s->every, epoch_updates), count = 0;

	if (every > 0)
		return floor(done / every);
	for (int i = 0; i < (int)(sizeof(s->at) / sizeof(*s->at)); i++)
		count += s->at[i].count > 0 && done >= duration_updates(s->at[i], epoch_updates);
	return count;
}

/* The learning rate of update U (from 1) of so many in all; PLATEAU is the share that a loss which
 * falls no more leaves of it. Warm-up rises in a straight line to the full rate. */
static double
learning_rate(int64_t u, int64_t updates, int64_t epoch_updates, double plateau)
{
	const struct schedule *s = &rate_schedule;
	double total = (double)updates, warmup = duration_updates(s->warmup, epoch_updates), done = (double)(u - 1);
	double part = total > warmup ? (done - warmup) / (total - warmup) : 0, rate = LEARNING_RATE;

	part = part < 0 ? 0 : part > 1 ? 1 : part;
	if ((double)u <= warmup)
		return rate * (double)u / warmup;
	if (s->kind == RATE_PLATEAU)
		return rate * plateau;
	if (s->kind == RATE_STEP)
		return rate * pow(s->gamma, steps_down(s, done, epoch_updates));
	if (s->kind == RATE_COSINE)
		return rate * along_cosine(1, s->floor, part);
	if (s->kind == RATE_LINEAR)
		return rate * (1 + (s->floor - 1) * part);
	if (s->kind == RATE_POLYNOMIAL)
		return rate * (s->floor + (1 - s->floor) * pow(1 - part, s->power));
	if (s->kind == RATE_INVERSE_SQRT)
		return rate * sqrt((warmup > 1 ? warmup : 1) / (double)u);
	return s->kind == RATE_ONECYCLE ? rate * one_cycle(s, done, total) : rate;
}
#endif
