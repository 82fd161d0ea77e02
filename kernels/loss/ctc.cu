/*
 * loss/ctc.cu - connectionist temporal classification (Graves and others, 2006): the negative
 * logarithm of the probability that steps of logits spell a sequence of labels, whichever steps
 * each takes. Between labels, before and after them is a blank that may be skipped, but not between
 * two equal ones:
 *
 *     states s of a sample      blank l[0] blank l[1] blank .. blank l[n - 1] blank
 *     ahead[t][s]   log of the probability of all ways through steps 0..t that end in state s
 *     back[t][s]    the same of all ways through steps t.. that begin in it
 *
 * A way has as many factors as there are steps, so both are logarithms, and double: what a float
 * keeps of the logarithm of a long way is worth less than the gradient. A step needs the one before
 * alone. So forward keeps only every stride-th row of ahead, the marks, and backward makes those
 * between them again, a stretch at a time from the last to the first: of T steps there are about 2
 * sqrt(T) rows, and not T.
 *
 * A sample is one row of work: in C a thread's, on CUDA a block's, whose threads share the states.
 */
#ifndef STOWAGE_LOSS_CTC_CU
#define STOWAGE_LOSS_CTC_CU

#include "loss/cross_entropy.cu"

struct ctc {
	const int32_t *label;			/* [b, most] */
	const int32_t *lengths, *counts;	/* of each sample its labels and its steps; NULL: all */
	int64_t b, t, k, most;
	int64_t stride, marks, width;		/* steps from one mark to the next, their number, and doubles of a row */
	int64_t blank;
	int zero;		/* a sample that no way spells has a loss of 0, not infinity */
	int each;		/* losses are divided by labels */
};

struct ctc_sample {		/* one of them */
	const elem *x;			/* [t, k] */
	const real *lse;		/* [t] */
	const int32_t *label;
	int64_t labels, steps, states;
};

/* Between what threads write and others read. */
#ifdef __CUDACC__
#define ROW_DONE	__syncthreads()
#else
#define ROW_DONE	((void)0)
#endif

DEVICE int64_t
ctc_length(const int32_t *of, int64_t r, int64_t most)
{
	int64_t n = of ? of[r] : most;

	return n < 0 ? 0 : n > most ? most : n;
}

DEVICE struct ctc_sample
ctc_sample_of(struct ctc c, const elem *x, const real *lse, int64_t r)
{
	struct ctc_sample of;

	of.x = x + r * c.t * c.k;
	of.lse = lse + r * c.t;
	of.label = c.label + r * c.most;
	of.labels = ctc_length(c.lengths, r, c.most);
	of.steps = ctc_length(c.counts, r, c.t);
	of.states = 2 * of.labels + 1;
	return of;
}

DEVICE int64_t
ctc_class(struct ctc c, struct ctc_sample of, int64_t s)
{
	return s % 2 ? of.label[s / 2] : c.blank;
}

/* The log-probability of a state's class in step T. What is no class has none. */
DEVICE double
ctc_log(struct ctc c, struct ctc_sample of, int64_t t, int64_t s)
{
	int64_t k = ctc_class(c, of, s);

	return k < 0 || k >= c.k ? -INFINITY : (double)VALUE(of.x[t * c.k + k]) - (double)of.lse[t];
}

/* Can state S come right after S - 2? */
DEVICE bool
ctc_skips(struct ctc_sample of, int64_t s)
{
	return s % 2 && s > 1 && of.label[s / 2] != of.label[s / 2 - 1];
}

/* log(exp a + exp b + exp c) */
DEVICE double
ctc_sum(double a, double b, double c)
{
	double top = a > b ? a : b, low = a > b ? b : a, third = c;

	if (c > top)
		third = top, top = c;
	return top == -INFINITY ? top : top + log1p(exp(low - top) + exp(third - top));
}

/* Row T of ahead; BEFORE: the one before it, which row 0 has not. No way ends in what is no state
 * of the sample. */
DEVICE void
ctc_ahead(double *to, const double *before, struct ctc c, struct ctc_sample of, int64_t t)
{
	ALONG (s, c.width) {
		double way = t == 0 && s < 2 ? 0 : -INFINITY;

		if (t > 0 && s < of.states)
			way = ctc_sum(before[s], s > 0 ? before[s - 1] : -INFINITY,
			    ctc_skips(of, s) ? before[s - 2] : -INFINITY);
		to[s] = s < of.states ? way + ctc_log(c, of, t, s) : -INFINITY;
	}
	ROW_DONE;
}

/* The marks behind the last step. */
DEVICE void
ctc_no_marks(double *mark, struct ctc c, struct ctc_sample of)
{
	int64_t from = (of.steps + c.stride - 1) / c.stride, rest = mark ? c.marks - from : 0;

	ALONG (i, rest * c.width)
		mark[from * c.width + i] = -INFINITY;
}

/* The logarithm of all ways, from the last row of ahead. */
DEVICE double
ctc_total(struct ctc_sample of, const double *last)
{
	if (of.steps == 0)
		return of.labels == 0 ? 0 : -INFINITY;
	return ctc_sum(last[of.states - 1], of.labels ? last[of.states - 2] : -INFINITY, -INFINITY);
}

DEVICE double
ctc_divisor(struct ctc c, struct ctc_sample of)
{
	return c.each && of.labels > 1 ? (double)of.labels : 1;
}

/* ROWS_WORK: two rows for each sample. Where MARK is NULL, as without backward, all rows lie
 * there. */
KERNEL(ctc_kernel, (double *loss, double *mark, double *rows_work, const real *lse, const elem *x, struct ctc c))
{
	ROWS (r, c.b) {
		struct ctc_sample of = ctc_sample_of(c, x, lse, r);
		double *work = rows_work + r * 2 * c.width, *last = work;

		for (int64_t t = 0; t < of.steps; t++) {
			double *to = mark && t % c.stride == 0 ? mark + (r * c.marks + t / c.stride) * c.width :
			    work + t % 2 * c.width;

			ctc_ahead(to, last, c, of, t);
			last = to;
		}
		ctc_no_marks(mark ? mark + r * c.marks * c.width : NULL, c, of);
		FIRST {
			double total = ctc_total(of, last);

			loss[r] = c.zero && total == -INFINITY ? 0 : -total / ctc_divisor(c, of);
		}
	}
}

KERNEL(ctc_mean_kernel, (real *out, const double *loss, int64_t n))
{
	ROWS (i, 1) {
		double sum = 0;

		ALONG (r, n)
			sum += loss[r];
		sum = ROW_SUM(sum);
		FIRST
			out[i] = (real)(sum / (double)n);
	}
}

/* LSE: for backward, of each step. */
static void
ctc_forward(real *out, real *lse, double *mark, void *work, const elem *x, struct ctc c)
{
	double *loss = (double *)work;

	lse_of_labels(lse, x, c.b * c.t, c.k, 1);
	LAUNCH_ROWS(ctc_kernel, c.b, (loss, mark, loss + c.b, lse, x, c));
	LAUNCH(ctc_mean_kernel, 1, (out, loss, c.b));
}

/* ---- backward ---- */

struct ctc_back {		/* what a sample has for it */
	double *rows;		/* of ahead, of a stretch */
	double *back[2];	/* of this step and the one after */
	double *own;		/* log-probabilities of the states' classes */
	double *share;		/* of each state in all ways */
	int32_t *next;		/* of each label the next equal one, or -1; */
	int32_t *first;		/* is there none before it? */
};

DEVICE struct ctc_back
ctc_back_of(double *work, struct ctc c)
{
	struct ctc_back w;

	w.rows = work;
	w.back[0] = work + c.stride * c.width;
	w.back[1] = w.back[0] + c.width;
	w.own = w.back[1] + c.width;
	w.share = w.own + c.width;
	w.next = (int32_t *)(w.share + c.width);
	w.first = w.next + c.width;
	return w;
}

DEVICE void
ctc_equals(struct ctc_back w, struct ctc_sample of)
{
	ALONG (i, of.labels) {
		int64_t before = i - 1, after = i + 1;

		while (before >= 0 && of.label[before] != of.label[i])
			before--;
		while (after < of.labels && of.label[after] != of.label[i])
			after++;
		w.first[i] = before < 0;
		w.next[i] = after < of.labels ? (int32_t)after : -1;
	}
	ROW_DONE;
}

/* What each state has of all ways in step T, and the row of back of it. */
DEVICE void
ctc_shares(struct ctc_back w, struct ctc c, struct ctc_sample of, const double *ahead, double total, int64_t t)
{
	double *to = w.back[t % 2];
	const double *after = w.back[(t + 1) % 2];

	ALONG (s, of.states) {
		double way = s >= of.states - 2 ? 0 : -INFINITY, own = ctc_log(c, of, t, s);

		if (t < of.steps - 1)
			way = ctc_sum(after[s], s + 1 < of.states ? after[s + 1] : -INFINITY,
			    s + 2 < of.states && ctc_skips(of, s + 2) ? after[s + 2] : -INFINITY);
		to[s] = way + own;
		w.own[s] = own;
		w.share[s] = exp(ahead[s] + way - total);
	}
	ROW_DONE;
}

/* The gradient of a step's logits: their softmax without what ways have of each class. A class's
 * logit is read before the gradient is written, since that may lie there. */
DEVICE void
ctc_step_gradient(elem *dx, struct ctc_back w, struct ctc c, struct ctc_sample of, double scale, int64_t t)
{
	double blank = 0;

	ALONG (s, of.states)
		if (ctc_class(c, of, s) == c.blank)
			blank += w.share[s];
	blank = ROW_SUM(blank);
	ALONG (j, c.k) {
		double p = (double)exp_of(VALUE(of.x[t * c.k + j]) - of.lse[t]);

		dx[t * c.k + j] = ELEM((real)((p - (j == c.blank ? blank : 0)) * scale));
	}
	ROW_DONE;
	ALONG (i, of.labels) {
		double sum = 0;

		if (!w.first[i] || of.label[i] == c.blank || of.label[i] < 0 || of.label[i] >= c.k)
			continue;
		for (int64_t at = i; at >= 0; at = w.next[at])
			sum += w.share[2 * at + 1];
		dx[t * c.k + of.label[i]] = ELEM((real)((exp(w.own[2 * i + 1]) - sum) * scale));
	}
	ROW_DONE;
}

/* All ways of a sample, from its last mark on. */
DEVICE double
ctc_total_again(double *rows, const double *mark, struct ctc c, struct ctc_sample of)
{
	int64_t from = of.steps ? (of.steps - 1) / c.stride * c.stride : 0;
	const double *last = mark + from / c.stride * c.width;

	for (int64_t t = from + 1; t < of.steps; t++) {
		ctc_ahead(rows + t % 2 * c.width, last, c, of, t);
		last = rows + t % 2 * c.width;
	}
	return ctc_total(of, last);
}

/* Of steps [from, to), where FROM has a mark. */
DEVICE void
ctc_stretch(elem *dx, struct ctc_back w, const double *mark, struct ctc c, struct ctc_sample of, double total,
    double scale, int64_t from, int64_t to)
{
	for (int64_t t = from + 1; t < to; t++)
		ctc_ahead(w.rows + (t - from) * c.width, t == from + 1 ? mark : w.rows + (t - from - 1) * c.width, c,
		    of, t);
	for (int64_t t = to - 1; t >= from; t--) {
		ctc_shares(w, c, of, t == from ? mark : w.rows + (t - from) * c.width, total, t);
		ctc_step_gradient(dx, w, c, of, scale, t);
	}
}

KERNEL(ctc_grad_kernel, (elem *dx_all, const real *dy, const double *mark_all, double *work, const real *lse,
    const elem *x, struct ctc c))
{
	ROWS (r, c.b) {
		struct ctc_sample of = ctc_sample_of(c, x, lse, r);
		struct ctc_back w = ctc_back_of(work + r * (c.stride + CTC_ROWS) * c.width, c);
		const double *mark = mark_all + r * c.marks * c.width;
		double total = ctc_total_again(w.rows, mark, c, of);
		double scale = (double)*dy / ((double)c.b * ctc_divisor(c, of));
		bool none = total == -INFINITY;
		elem *dx = dx_all + r * c.t * c.k;

		ROW_DONE;
		if (!none) {
			ctc_equals(w, of);
			for (int64_t from = (of.steps - 1) / c.stride * c.stride; of.steps && from >= 0;
			    from -= c.stride)
				ctc_stretch(dx, w, mark + from / c.stride * c.width, c, of, total, scale, from,
				    from + c.stride < of.steps ? from + c.stride : of.steps);
		}
		ALONG (i, c.t * c.k)
			if (none || i >= of.steps * c.k)
				dx[i] = ELEM(none && !c.zero && i < of.steps * c.k ? NAN : 0);
		ROW_DONE;
	}
}

/* DX may be X. */
static void
ctc_backward(elem *dx, const real *dy, const double *mark, void *work, const real *lse, const elem *x, struct ctc c)
{
	LAUNCH_ROWS(ctc_grad_kernel, c.b, (dx, dy, mark, (double *)work, lse, x, c));
}

#endif
