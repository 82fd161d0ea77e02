/*
 * plot.c - --plot: when training ends, each loss and metric by update, drawn in letters.
 *
 *     loss: . training, o validation
 *       2.31 |.
 *            | ..
 *            |o  ....
 *      0.113 |       ...o.........o
 *            +---------------------
 *             update 1          366
 *
 * A run may have any number of updates, and nothing is allocated while it trains. So a curve has a
 * fixed number of points; when they are used up, each two become one, and a point stands for twice
 * as many updates as before.
 */
#ifdef TRAINS
#define PLOT_POINTS	128
#define PLOT_COLUMNS	64
#define PLOT_ROWS	12
#define CURVES		(2 * MAX_RESULTS)	/* of training, then of validation */

struct curve {
	const char *name;
	double sum[PLOT_POINTS];
	int64_t count[PLOT_POINTS];
};

static struct curve curves[CURVES];
static int64_t plot_first, plot_last;	/* the updates that they begin and end with; 0: none yet */
static int64_t plot_each = 1;		/* updates a point */

static void
plot_halve(void)
{
	for (int k = 0; k < CURVES; k++)
		for (int i = 0; i < PLOT_POINTS; i++) {
			double sum = 2 * i < PLOT_POINTS ? curves[k].sum[2 * i] + curves[k].sum[2 * i + 1] : 0;
			int64_t count = 2 * i < PLOT_POINTS ? curves[k].count[2 * i] + curves[k].count[2 * i + 1] : 0;

			curves[k].sum[i] = sum;
			curves[k].count[i] = count;
		}
	plot_each *= 2;
}

/* What came of training (FROM 0) or of validation (FROM MAX_RESULTS) after an update. */
static void
plot_note(int from, int64_t update, const struct result *result, int n, const double *sum, int64_t samples)
{
	if (!plot_first)
		plot_first = update;
	plot_last = update;
	while ((update - plot_first) / plot_each >= PLOT_POINTS)
		plot_halve();
	for (int k = 0; k < n; k++) {
		struct curve *c = &curves[from + k];
		double x = result[k].kind == RESULT_WEIGHT ? NAN : result_value(result, n, k, sum, samples);

		if (!isfinite(x))
			continue;
		c->name = result[k].name;
		c->sum[(update - plot_first) / plot_each] += x;
		c->count[(update - plot_first) / plot_each]++;
	}
}

/* The mean of what a curve has in column J; NAN: nothing. */
static double
plot_column(const struct curve *c, int j)
{
	int points = (int)((plot_last - plot_first) / plot_each) + 1;
	double sum = 0;
	int64_t count = 0;

	for (int i = 0; c && i < points; i++)
		if (i * PLOT_COLUMNS / (points > PLOT_COLUMNS ? points : PLOT_COLUMNS) == j) {
			sum += c->sum[i];
			count += c->count[i];
		}
	return count ? sum / (double)count : NAN;
}

struct scale {
	double low, high;
	bool logarithmic;
};

static void
scale_widen(struct scale *a, const struct curve *c)
{
	for (int j = 0; j < PLOT_COLUMNS; j++) {
		double x = plot_column(c, j);

		if (isnan(x))
			continue;
		a->low = x < a->low ? x : a->low;
		a->high = x > a->high ? x : a->high;
	}
}

/* The row of X, from 0 at the top. */
static int
scale_row(const struct scale *a, double x)
{
	double part = a->logarithmic ? log(x / a->low) / log(a->high / a->low) : (x - a->low) / (a->high - a->low);

	return a->high > a->low ? (int)((1 - part) * (PLOT_ROWS - 1) + 0.5) : PLOT_ROWS - 1;
}

static void
plot_mark(char (*picture)[PLOT_COLUMNS], const struct scale *a, const struct curve *c, char mark)
{
	for (int j = 0; j < PLOT_COLUMNS; j++) {
		double x = plot_column(c, j);

		if (!isnan(x))
			picture[scale_row(a, x)][j] = mark;
	}
}

/* Either may be NULL. What falls to less than a tenth is drawn by its logarithm. */
static void
plot_draw(const struct curve *trained, const struct curve *valid)
{
	struct scale a = { INFINITY, -INFINITY, false };
	char picture[PLOT_ROWS][PLOT_COLUMNS];

	memset(picture, ' ', sizeof(picture));
	scale_widen(&a, trained);
	scale_widen(&a, valid);
	a.logarithmic = a.low > 0 && a.high > 10 * a.low;
	plot_mark(picture, &a, trained, '.');
	plot_mark(picture, &a, valid, 'o');
	printf("\n%s:%s%s%s%s\n", (trained ? trained : valid)->name, trained ? " . training" : "",
	    trained && valid ? "," : "", valid ? " o validation" : "", a.logarithmic ? " (logarithmic)" : "");
	for (int i = 0; i < PLOT_ROWS; i++) {
		int used = PLOT_COLUMNS;

		while (used > 0 && picture[i][used - 1] == ' ')
			used--;
		if (i == 0 || i == PLOT_ROWS - 1)
			printf("%10.4g |%.*s\n", i ? a.low : a.high, used, picture[i]);
		else
			printf("%10s |%.*s\n", "", used, picture[i]);
	}
	printf("%10s +", "");
	for (int j = 0; j < PLOT_COLUMNS; j++)
		putchar('-');
	printf("\n%12supdate %-20lld%*lld\n", "", (long long)plot_first, PLOT_COLUMNS - 27, (long long)plot_last);
}

/* Each result of training with that of validation of its name, and what is only validated. */
static void
plot_all(void)
{
	for (int k = 0; k < CURVES; k++) {
		const struct curve *other = NULL;
		int from = k < MAX_RESULTS ? MAX_RESULTS : 0;

		for (int i = from; curves[k].name && i < from + MAX_RESULTS; i++)
			if (curves[i].name && !strcmp(curves[i].name, curves[k].name))
				other = &curves[i];
		if (k < MAX_RESULTS && curves[k].name)
			plot_draw(&curves[k], other);
		else if (curves[k].name && !other)
			plot_draw(NULL, &curves[k]);
	}
}
#endif
