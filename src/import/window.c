#include "import/window.h"

#include <string.h>

static bool
axes_of(struct importer *im, const struct model_node *n, const char *name, int want, int64_t *to)
{
	const int64_t *v;
	int count, i;

	if (!attr_ints(n, name, &count, &v)) {
		for (i = 0; i < want; i++)
			to[i] = 1;
		return true;
	}
	if (count != want)
		return cannot(im, "its %s has %d numbers in place of %d", name, count, want);
	for (i = 0; i < want; i++)
		if (v[i] < 1 || v[i] > INT32_MAX)
			return cannot(im, "its %s have the number %lld", name, (long long)v[i]);
	memcpy(to, v, (size_t)want * sizeof(*to));
	return true;
}

static bool
pads_of(struct importer *im, const struct model_node *n, struct window *w)
{
	const char *how = attr_text(n, "auto_pad", "NOTSET");
	const int64_t *v;
	int count, i;

	w->plain = true;
	w->lower = strcmp(how, "SAME_LOWER") == 0;
	w->same = strcmp(how, "SAME_UPPER") == 0;
	if (w->same || strcmp(how, "VALID") == 0 || !attr_ints(n, "pads", &count, &v))
		return true;
	if (count != 2 * w->n)
		return cannot(im, "its pads have %d numbers in place of %d", count, 2 * w->n);
	for (i = 0; i < count; i++) {
		if (v[i] < 0 || v[i] > INT32_MAX)
			return cannot(im, "it pads by %lld", (long long)v[i]);
		w->pad[i < w->n ? 2 * i : 2 * (i - w->n) + 1] = v[i];
		w->plain &= v[i] == 0;
	}
	return true;
}

bool
window_of(struct importer *im, const struct model_node *n, const struct val *x, struct window *w)
{
	*w = (struct window){ .n = x->t->rank - 1 };
	if (!x->t->batched)
		return cannot(im, "its input has no batch in front");
	if (w->n < 1 || w->n > MOST_SPACE)
		return cannot(im, "its input has %d axes of space: 1 to 3 are ours", w->n);
	return axes_of(im, n, "strides", w->n, w->stride) && axes_of(im, n, "dilations", w->n, w->dilation) &&
	    axes_of(im, n, "kernel_shape", w->n, w->kernel) && pads_of(im, n, w);
}

bool
window_pad_same(struct importer *im, struct window *w, const struct tensor *x, bool upper)
{
	int i;

	if (!w->lower && !(upper && w->same))
		return true;
	for (i = 0; i < w->n; i++) {
		int64_t in = x->dim[i + 1], out = (in + w->stride[i] - 1) / w->stride[i];
		int64_t all = (out - 1) * w->stride[i] + 1 - in, reach;

		if (w->kernel[i] < 1 || __builtin_mul_overflow(w->kernel[i] - 1, w->dilation[i], &reach) ||
		    reach > LARGEST_EXTENT)
			return cannot(im, "its window is too large");
		all = all + reach > 0 ? all + reach : 0;
		w->pad[2 * i] = w->lower ? all - all / 2 : all / 2;
		w->pad[2 * i + 1] = all - w->pad[2 * i];
		w->plain &= all == 0;
	}
	w->same = false;
	return true;
}

bool
window_all_one(const int64_t *v, int n)
{
	while (n > 0 && v[n - 1] == 1)
		n--;
	return n == 0;
}

void
window_give_pad(struct call *c, const struct window *w)
{
	if (w->same)
		call_word(c, "pad", "same");
	else if (!w->plain)
		call_frame(c, "pad", w->n, w->pad);
}
