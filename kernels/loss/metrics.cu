/*
 * loss/metrics.cu - what the host makes of counts (loss/counts.cu), once all batches were counted.
 * What is 0 / 0 for a class, as the precision of one that is never answered, is 0, as in
 * scikit-learn; a class that neither is a label nor was answered is left out of means over classes.
 */
#ifndef STOWAGE_LOSS_METRICS_CU
#define STOWAGE_LOSS_METRICS_CU

#include "kernel.h"

enum { OF_PRECISION, OF_RECALL, OF_F1, OF_IOU };

/* That of class C, of N in all; NAN: it does not occur. */
static double
class_metric(const double *counts, int64_t n, int64_t c, int which)
{
	double right = counts[c], said = counts[n + c], there = counts[2 * n + c], of;

	if (said + there == 0)
		return NAN;
	of = which == OF_PRECISION ? said : which == OF_RECALL ? there : which == OF_F1 ? (said + there) / 2 :
	    said + there - right;
	return of > 0 ? right / of : 0;
}

static double
mean_of_classes(const double *counts, int64_t numbers, int which)
{
	double sum = 0, classes = 0;

	for (int64_t c = 0; c < numbers / 3; c++) {
		double x = class_metric(counts, numbers / 3, c, which);

		if (!isnan(x)) {
			sum += x;
			classes++;
		}
	}
	return classes > 0 ? sum / classes : 0;
}

/* [0.5,null,1]: that of each class */
static void
log_classes(FILE *f, const double *counts, int64_t numbers, int which)
{
	for (int64_t c = 0; c < numbers / 3; c++) {
		double x = class_metric(counts, numbers / 3, c, which);

		fputs(c ? "," : "[", f);
		if (isnan(x))
			fputs("null", f);
		else
			fprintf(f, "%.9g", x);
	}
	fputs("]", f);
}

static double
metric_precision(const double *counts, int64_t numbers)
{
	return mean_of_classes(counts, numbers, OF_PRECISION);
}

static void
log_precision(FILE *f, const double *counts, int64_t numbers)
{
	log_classes(f, counts, numbers, OF_PRECISION);
}

static double
metric_recall(const double *counts, int64_t numbers)
{
	return mean_of_classes(counts, numbers, OF_RECALL);
}

static void
log_recall(FILE *f, const double *counts, int64_t numbers)
{
	log_classes(f, counts, numbers, OF_RECALL);
}

static double
metric_f1(const double *counts, int64_t numbers)
{
	return mean_of_classes(counts, numbers, OF_F1);
}

static void
log_f1(FILE *f, const double *counts, int64_t numbers)
{
	log_classes(f, counts, numbers, OF_F1);
}

static double
metric_iou(const double *counts, int64_t numbers)
{
	return mean_of_classes(counts, numbers, OF_IOU);
}

static void
log_iou(FILE *f, const double *counts, int64_t numbers)
{
	log_classes(f, counts, numbers, OF_IOU);
}

/* The share of right answers, which are the table's diagonal. */
static double
metric_confusion(const double *counts, int64_t numbers)
{
	int64_t classes = (int64_t)(sqrt((double)numbers) + 0.5);
	double right = 0, all = 0;

	for (int64_t i = 0; i < numbers; i++) {
		right += i / classes == i % classes ? counts[i] : 0;
		all += counts[i];
	}
	return all > 0 ? right / all : 0;
}

/* [[7,1],[0,9]]: of each label how often it was answered as each class */
static void
log_confusion(FILE *f, const double *counts, int64_t numbers)
{
	int64_t classes = (int64_t)(sqrt((double)numbers) + 0.5);

	for (int64_t i = 0; i < numbers; i++)
		fprintf(f, "%s%.0f", i == 0 ? "[[" : i % classes ? "," : "],[", counts[i]);
	fputs("]]", f);
}

/* Where all targets are one number: 1 if all are met, else 0. */
static double
metric_r2(const double *counts, int64_t numbers)
{
	double spread = counts[2] - counts[1] * counts[1] / counts[0];

	(void)numbers;
	return spread > 0 ? 1 - counts[3] / spread : counts[3] > 0 ? 0 : 1;
}

static double
metric_perplexity(const double *counts, int64_t numbers)
{
	(void)numbers;
	return counts[0] > 0 ? exp(counts[1] / counts[0]) : 1;
}

#endif
