/*
 * loss/detections.cu - COCO's average precision, on the host. Of each sample, once it was computed
 * (loss/average_precision.cu), detections and parts are matched, and a row is kept of each:
 *
 *     kind, class, score, hits, ignored, number       detection: bits by overlap and by size of parts
 *     kind, class, 0, 0, ignored, number              part: bits by size
 *     kind, -1, at, 0, 0, number                      sample
 *
 * In the end rows are sorted by class and score, once, and walked for each overlap and size. Rules
 * and their order are pycocotools': what is matched with an ignored part is ignored; among equal
 * overlaps the last part is taken; a part that counts is preferred to one that does not.
 */
#ifndef STOWAGE_LOSS_DETECTIONS_CU
#define STOWAGE_LOSS_DETECTIONS_CU

#include "kernel.h"
#include "sizes.h"

#define AP_OVERLAPS	10
#define AP_SIZES	4
#define AP_MOST		100	/* detections of a class in a sample */
#define AP_RECALLS	100

enum { AP_DETECTION, AP_PART, AP_SAMPLE };	/* in this order within a class */
enum { KEPT_KIND, KEPT_CLASS, KEPT_SCORE, KEPT_HITS, KEPT_IGNORED, KEPT_NUMBER };

static const double ap_overlaps[AP_OVERLAPS] = { 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.8999999999999999, 0.95 };
static const double ap_sizes[AP_SIZES][2] = { { 0, 1e10 }, { 0, 1024 }, { 1024, 9216 }, { 9216, 1e10 } };

static bool
ap_outside(double area, int size)
{
	return area < ap_sizes[size][0] || area > ap_sizes[size][1];
}

/* Of an overlap and a size of parts. */
static uint64_t
ap_bit(int size, int overlap)
{
	return (uint64_t)1 << (size * AP_OVERLAPS + overlap);
}

static int
ap_compare(const void *a, const void *b)
{
	static const int keys[] = { KEPT_CLASS, KEPT_KIND, KEPT_SCORE, KEPT_NUMBER };
	const double *x = (const double *)a, *y = (const double *)b;

	for (int i = 0; i < 4; i++) {
		double p = x[keys[i]], q = y[keys[i]];

		if (p != q)
			return (p < q) == (keys[i] != KEPT_SCORE) ? -1 : 1;
	}
	return 0;
}

/* ---- a sample ---- */

struct ap_sample {
	int64_t found, parts;
	const double *detection;
	double *part;		/* whose area becomes bits: by overlap and size, whether a detection has it */
	const double *overlap;
	const double *kept;	/* the parts' rows */
};

static bool
ap_ignored(const struct ap_sample *s, int64_t part, int size)
{
	return (uint64_t)s->kept[AP_KEPT * part + KEPT_IGNORED] >> size & 1;
}

/* Which part a detection is matched with; -1: none. */
static int64_t
ap_match(const struct ap_sample *s, int64_t detection, int size, int step)
{
	const double *overlap = s->overlap + detection * s->parts;
	double least = ap_overlaps[step], kind = s->detection[AP_ROW * detection + 1];
	int64_t best = -1;

	for (int pass = 0; pass < 2 && best < 0; pass++)
		for (int64_t j = 0; j < s->parts; j++) {
			const double *p = s->part + AP_ROW * j;
			bool had = ((uint64_t)p[1] & ap_bit(size, step)) && !(p[2] > 0);

			if (p[0] != kind || ap_ignored(s, j, size) != (pass == 1) || had || !(overlap[j] >= least))
				continue;
			least = overlap[j];
			best = j;
		}
	return best;
}

static void
ap_hits(const struct ap_sample *s, double *row)
{
	int64_t at = (int64_t)row[KEPT_NUMBER];
	uint64_t hits = 0, ignored = 0;

	for (int size = 0; size < AP_SIZES; size++)
		for (int step = 0; step < AP_OVERLAPS; step++) {
			uint64_t bit = ap_bit(size, step);
			int64_t j = ap_match(s, at, size, step);

			if (j >= 0)
				s->part[AP_ROW * j + 1] = (double)((uint64_t)s->part[AP_ROW * j + 1] | bit);
			hits |= j >= 0 ? bit : 0;
			if (j >= 0 ? ap_ignored(s, j, size) : ap_outside(s->detection[AP_ROW * at + 2], size))
				ignored |= bit;
		}
	row[KEPT_HITS] = (double)hits;
	row[KEPT_IGNORED] = (double)ignored;
}

static void
ap_row(double *to, int kind, double of_class, double score)
{
	memset(to, 0, AP_KEPT * sizeof(*to));
	to[KEPT_KIND] = kind;
	to[KEPT_CLASS] = of_class;
	to[KEPT_SCORE] = score;
}

/* A row of each part, in their order. */
static void
ap_keep_parts(double *to, const struct ap_sample *s)
{
	for (int64_t j = 0; j < s->parts; j++, to += AP_KEPT) {
		double *p = s->part + AP_ROW * j;
		int ignored = 0;

		for (int size = 0; size < AP_SIZES; size++)
			ignored |= (p[2] > 0 || ap_outside(p[1], size)) << size;
		ap_row(to, AP_PART, p[0], 0);
		to[KEPT_IGNORED] = ignored;
		p[1] = 0;
	}
}

/* A row of each detection, matched, in the order of classes and scores; how many. */
static int64_t
ap_keep_found(double *to, const struct ap_sample *s)
{
	int64_t n = 0, of_class = 0, out = 0;
	double last = -1;

	for (int64_t i = 0; i < s->found; i++) {
		const double *d = s->detection + AP_ROW * i;

		if (isnan(d[0]) || !(d[1] >= 0) || (d[0] == 0 && !(d[3] > 0)))
			continue;
		ap_row(to + AP_KEPT * n, AP_DETECTION, d[1], d[0]);
		to[AP_KEPT * n++ + KEPT_NUMBER] = (double)i;
	}
	qsort(to, (size_t)n, AP_KEPT * sizeof(*to), ap_compare);
	for (int64_t i = 0; i < n; i++) {
		double *row = to + AP_KEPT * i;

		of_class = row[KEPT_CLASS] == last ? of_class + 1 : 0;
		last = row[KEPT_CLASS];
		if (of_class >= AP_MOST)
			continue;
		ap_hits(s, row);
		memmove(to + AP_KEPT * out++, row, AP_KEPT * sizeof(*to));
	}
	return out;
}

/* Keeps a sample, which is changed, as rows at TO, behind so many numbers of others; returns how
 * many numbers. */
static int64_t
ap_keep(double *to, double *sample, int64_t behind)
{
	struct ap_sample s;
	int64_t rows, out = 1;

	s.found = (int64_t)sample[0];
	s.parts = (int64_t)sample[1];
	s.detection = sample + AP_HEAD;
	s.part = sample + AP_HEAD + AP_ROW * s.found;
	s.overlap = s.part + AP_ROW * s.parts;
	s.kept = to + AP_KEPT;
	ap_row(to, AP_SAMPLE, -1, sample[2]);
	ap_keep_parts(to + AP_KEPT, &s);
	rows = 1 + s.parts + ap_keep_found(to + AP_KEPT * (1 + s.parts), &s);
	for (int64_t i = 1; i < rows; i++)
		if (to[AP_KEPT * i + KEPT_CLASS] >= 0)	/* not one of the parts that are none */
			memmove(to + AP_KEPT * out++, to + AP_KEPT * i, AP_KEPT * sizeof(*to));
	for (int64_t i = 0; i < out; i++)
		to[AP_KEPT * i + KEPT_NUMBER] = (double)(behind + i);
	return AP_KEPT * out;
}

/* ---- all samples ---- */

/* Of a class, from the last detection to the first: the mean over 101 recalls R of the largest
 * precision where at least R of the parts are found. NAN: there are no parts. */
static double
ap_of_class(const double *row, int64_t found, int64_t parts, int size, int step)
{
	const double *part = row + AP_KEPT * found;
	uint64_t bit = ap_bit(size, step);
	int64_t known = 0, right = 0, wrong = 0;
	double best = 0, sum = 0;
	int next = AP_RECALLS;

	for (int64_t j = 0; j < parts; j++)
		known += !((uint64_t)part[AP_KEPT * j + KEPT_IGNORED] >> size & 1);
	if (!known)
		return NAN;
	for (int64_t i = 0; i < found; i++) {
		const double *d = row + AP_KEPT * i;
		bool hit = (uint64_t)d[KEPT_HITS] & bit, counts = !((uint64_t)d[KEPT_IGNORED] & bit);

		right += hit && counts;
		wrong += !hit && counts;
	}
	while (next >= 0 && (double)right / (double)known < next * 0.01)
		next--;		/* never found: 0 */
	for (int64_t i = found - 1; i >= 0 && next >= 0; i--) {
		const double *d = row + AP_KEPT * i;
		bool hit = (uint64_t)d[KEPT_HITS] & bit, counts = !((uint64_t)d[KEPT_IGNORED] & bit);
		double precision = (double)right / ((double)(right + wrong) + DBL_EPSILON);

		best = precision > best ? precision : best;
		right -= hit && counts;
		wrong -= !hit && counts;
		for (; next >= 0 && (i == 0 || (double)right / (double)known < next * 0.01); next--)
			sum += best;
	}
	return sum / (AP_RECALLS + 1);
}

/* The next class from row *AT on: its detections, and behind them its parts. False: there is
 * none. */
static bool
ap_next_class(const double *rows, int64_t n, int64_t *at, int64_t *found, int64_t *parts)
{
	int64_t i = *at + *found + *parts;
	double of_class;

	for (; i < n && rows[AP_KEPT * i + KEPT_CLASS] < 0; i++)
		;
	*at = i;
	*found = *parts = 0;
	if (i >= n)
		return false;
	of_class = rows[AP_KEPT * i + KEPT_CLASS];
	for (; i < n && rows[AP_KEPT * i + KEPT_CLASS] == of_class; i++)
		*(rows[AP_KEPT * i + KEPT_KIND] == AP_PART ? parts : found) += 1;
	return true;
}

/* The mean over classes that occur, and over overlaps from FIRST to LAST. */
static double
ap_mean(const double *rows, int64_t n, int size, int first, int last)
{
	int64_t at = 0, found = 0, parts = 0;
	double sum = 0, count = 0;

	while (ap_next_class(rows, n, &at, &found, &parts))
		for (int step = first; step <= last; step++) {
			double x = ap_of_class(rows + AP_KEPT * at, found, parts, size, step);

			sum += isnan(x) ? 0 : x;
			count += !isnan(x);
		}
	return count > 0 ? sum / count : 0;
}

/* The rows of all samples, as what follows reads them. */
static void
ap_order(double *rows, int64_t numbers)
{
	qsort(rows, (size_t)(numbers / AP_KEPT), AP_KEPT * sizeof(*rows), ap_compare);
}

static double
metric_average_precision(const double *rows, int64_t numbers)
{
	int64_t n = numbers / AP_KEPT;
	int first = 0, last = AP_OVERLAPS - 1;

	if (n && rows[KEPT_SCORE] > 0)	/* "at", of a sample */
		first = last = (int)((rows[KEPT_SCORE] - 0.5) / 0.05 + 0.5);
	return ap_mean(rows, n, 0, first, last);
}

/* {"0.5":0.61,"0.75":...,"by_class":{"1":...}} */
static void
log_average_precision(FILE *f, const double *rows, int64_t numbers)
{
	static const char *const sizes[] = { "all", "small", "medium", "large" };
	int64_t n = numbers / AP_KEPT, at = 0, found = 0, parts = 0;
	const char *between = "";

	fprintf(f, "{\"0.5\":%.9g,\"0.75\":%.9g", ap_mean(rows, n, 0, 0, 0), ap_mean(rows, n, 0, 5, 5));
	for (int size = 0; size < AP_SIZES; size++)
		fprintf(f, ",\"%s\":%.9g", sizes[size], ap_mean(rows, n, size, 0, AP_OVERLAPS - 1));
	fputs(",\"by_class\":{", f);
	while (ap_next_class(rows, n, &at, &found, &parts)) {
		double sum = 0;

		for (int step = 0; step < AP_OVERLAPS; step++)
			sum += ap_of_class(rows + AP_KEPT * at, found, parts, 0, step) / AP_OVERLAPS;
		fprintf(f, "%s\"%.0f\":", between, rows[AP_KEPT * at + KEPT_CLASS]);
		if (isnan(sum))
			fputs("null", f);
		else
			fprintf(f, "%.9g", sum);
		between = ",";
	}
	fputs("}}", f);
}

#endif
