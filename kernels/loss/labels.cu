/*
 * loss/labels.cu - cross-entropy whose labels do not all count alike: some are ignored, classes
 * have weights, labels have weights of their own, or a part of each is spread over all classes
 * (PyTorch's cross_entropy):
 *
 *     loss = sum over labels t of  v (1 - s) w[t] (lse - x[t]) + v s / K sum over k of w[k] (lse - x[k])
 *            over the count: the sum of w[t]
 *
 * where s is the smoothing and v a label's own weight. Ignored labels are in neither sum. The count
 * is known only when the labels are; where there is nothing to count, loss and gradient are 0.
 */
#ifndef STOWAGE_LOSS_LABELS_CU
#define STOWAGE_LOSS_LABELS_CU

#include "loss/mean.cu"
#include "pointwise/exp.cu"

struct label_terms {
	const int32_t *label;
	int64_t ignored;
	const real *of_class;	/* weights, or NULL: all are 1 */
	const elem *of_label;	/* the same; each is for so many labels: */
	int64_t places;
	const real *count;	/* what the sum is divided by, or NULL: the number of labels */
	real smoothing, total;	/* the weights of all classes together */
};

static inline struct label_terms
label_terms(const int32_t *label, int64_t ignored, const real *of_class, const elem *of_label, int64_t places,
    const real *count, real smoothing, real total)
{
	struct label_terms t;

	t.label = label, t.ignored = ignored, t.of_class = of_class, t.of_label = of_label, t.places = places;
	t.count = count, t.smoothing = smoothing, t.total = total;
	return t;
}

/* What all classes weigh together, of numbers that the host read from a file. */
static inline real
labels_total(const double *weights, int64_t classes)
{
	double sum = 0;

	for (int64_t c = 0; c < classes; c++)
		sum += weights[c];
	return (real)sum;
}

DEVICE bool
label_counts(struct label_terms t, int64_t r, int64_t k)
{
	return t.label[r] >= 0 && t.label[r] < k && t.label[r] != t.ignored;
}

DEVICE real
class_weight(struct label_terms t, int64_t c)
{
	return t.of_class ? t.of_class[c] : 1;
}

DEVICE real
label_weight(struct label_terms t, int64_t r)
{
	return t.of_label ? VALUE(t.of_label[quotient(r, t.places)]) : 1;
}

/* One over the count. */
DEVICE real
label_share(struct label_terms t, int64_t rows)
{
	if (!t.count)
		return 1 / (real)rows;
	return *t.count > 0 ? 1 / *t.count : 0;
}

KERNEL(label_count_kernel, (double *part, struct label_terms t, int64_t rows, int64_t k))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(rows, p, LOSS_PARTS);
		int64_t count = PART_FROM(rows, p + 1, LOSS_PARTS) - from;
		double sum = 0;

		ALONG (j, count)
			if (label_counts(t, from + j, k))
				sum += (double)class_weight(t, t.label[from + j]);
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

static void
label_count(real *out, void *work, struct label_terms t, int64_t rows, int64_t k)
{
	LAUNCH_ROWS(label_count_kernel, LOSS_PARTS, ((double *)work, t, rows, k));
	LAUNCH(mean_kernel, 1, (out, (const double *)work, 1));
}

#ifdef COUNTED
KERNEL(label_share_kernel, (real *count, const struct step *s, int which))
{
	EACH (i, 1)
		if (s->whole[which] > 0)
			count[i] = (real)(s->whole[which] * (double)s->share);
}

/* In a micro-batch the count is its share of what the labels of the whole update weigh, which the
 * host has counted: then the micro-batches' means add up to that of the update. */
static void
label_count_of_update(real *count, const struct step *s, int which)
{
	LAUNCH(label_share_kernel, 1, (count, s, which));
}
#endif

KERNEL(label_mean_kernel, (real *out, const double *part, struct label_terms t, int64_t rows))
{
	ROWS (i, 1) {
		double sum = 0;

		ALONG (p, LOSS_PARTS)
			sum += part[p];
		sum = ROW_SUM(sum);
		FIRST
			out[i] = (real)(t.count ? *t.count > 0 ? sum / (double)*t.count : 0 : sum / (double)rows);
	}
}

/* The loss of one label, whose K logits are INNER apart. */
DEVICE double
label_loss(struct label_terms t, int64_t r, real lse, const elem *in, int64_t k, int64_t inner)
{
	int64_t at = t.label[r];
	double loss = (1 - (double)t.smoothing) * (double)class_weight(t, at) *
	    ((double)lse - (double)VALUE(in[at * inner])), even = 0;

	for (int64_t c = 0; t.smoothing > 0 && c < k; c++)
		even += (double)class_weight(t, c) * ((double)lse - (double)VALUE(in[c * inner]));
	return (loss + even * (double)t.smoothing / (double)k) * (double)label_weight(t, r);
}

/* Of a label that counts, the slope of logit C, of probability P. */
DEVICE real
label_slope(struct label_terms t, int64_t at, int64_t c, real p, int64_t k)
{
	return (1 - t.smoothing) * class_weight(t, at) * (p - (at == c)) +
	    t.smoothing / (real)k * (t.total * p - class_weight(t, c));
}

KERNEL(label_losses_kernel, (double *part, const real *lse, const elem *x, struct label_terms t, int64_t rows,
    int64_t k, int64_t inner))
{
	ROWS (p, LOSS_PARTS) {
		int64_t from = PART_FROM(rows, p, LOSS_PARTS);
		int64_t count = PART_FROM(rows, p + 1, LOSS_PARTS) - from;
		double sum = 0;

		ALONG (j, count) {
			int64_t r = from + j;

			if (label_counts(t, r, k))
				sum += label_loss(t, r, lse[r], x + (r / inner * k) * inner + r % inner, k, inner);
		}
		sum = ROW_SUM(sum);
		FIRST
			part[p] = sum;
	}
}

KERNEL(label_grad_kernel, (elem *dx, const real *dy, const elem *x, struct label_terms t, const real *lse,
    int64_t outer, int64_t k, int64_t inner))
{
	real share = *dy * label_share(t, outer * inner);

	EACH_PLACE (o, j, i, outer, k, inner) {
		int64_t at = (o * k + j) * inner + i, r = o * inner + i;
		bool counts = label_counts(t, r, k);
		real p = exp_of(VALUE(x[at]) - lse[r]);

		dx[at] = ELEM(counts ? label_slope(t, t.label[r], j, p, k) * label_weight(t, r) * share : 0);
	}
}

/* Of the N weights of labels, whose losses are summed without them. */
KERNEL(label_weights_grad_kernel, (elem *dw, const real *dy, const elem *x, struct label_terms t, const real *lse,
    int64_t n, int64_t rows, int64_t k, int64_t inner))
{
	real share = *dy * label_share(t, rows);

	EACH (i, n) {
		double sum = 0;

		for (int64_t r = i * t.places; r < (i + 1) * t.places; r++)
			if (label_counts(t, r, k))
				sum += label_loss(t, r, lse[r], x + r / inner * k * inner + r % inner, k, inner);
		dw[i] = ELEM((real)(sum * (double)share));
	}
}

static void
label_weights_backward(elem *dw, const real *dy, const elem *x, struct label_terms t, const real *lse, int64_t n,
    int64_t rows, int64_t k, int64_t inner)
{
	t.of_label = NULL;
	LAUNCH(label_weights_grad_kernel, n, (dw, dy, x, t, lse, n, rows, k, inner));
}

/* DX may be X. */
static void
label_cross_entropy_backward(elem *dx, const real *dy, const elem *x, struct label_terms t, const real *lse,
    int64_t outer, int64_t k, int64_t inner)
{
	LAUNCH(label_grad_kernel, outer * k * inner, (dx, dy, x, t, lse, outer, k, inner));
}

#endif
