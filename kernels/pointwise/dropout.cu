/*
 * pointwise/dropout.cu - dropout without a stored mask: backward draws the same numbers again.
 * THEN, such as the addition of a skip, is done to what is stored (pointwise/epilogue.cu).
 */
#include "pointwise/epilogue.cu"
#include "pointwise/philox.cu"
#include "kernel.h"

KERNEL(dropout_kernel, (elem *y, const elem *x, struct epilogue then, const struct step *s, uint64_t stream_id,
    double rate, int64_t n))
{
	uint64_t key = philox_key(s->seed, stream_id), draw = s->draw;
	uint64_t dropped = (uint64_t)(rate * 4294967296.0);	/* numbers below it drop */
	real gain = rate < 1 ? (real)(1 / (1 - rate)) : 0;
	int64_t first = FIRST_OF(n, s);

#define DROP(kind_, function, reads, known)							\
	case kind_:										\
		EACH (i, (first % 4 + n + 3) / 4) {						\
			struct philox c = philox(key, (uint64_t)(first / 4 + i), draw);		\
			int64_t at = 4 * i - first % 4;						\
												\
			for (int j = 0; j < 4; j++)						\
				if ((!first || at + j >= 0) && at + j < n)			\
					y[at + j] = ELEM(epilogue_of_both(kind_, c.v[j] < dropped ? 0 :	\
					    VALUE(x[at + j]) * gain, reads ? VALUE(then.saved[at + j]) : 0));	\
		}										\
		break;
	EPILOGUE_CASES_ALL(then.kind, DROP)
#undef DROP
}

/* Also backward: the same elements of dy are dropped. Y may be X, and what THEN reads. */
static void
dropout(elem *y, const elem *x, struct epilogue then, const struct step *s, uint64_t stream_id, double rate, int64_t n)
{
	LAUNCH(dropout_kernel, (n + 3) / 4, (y, x, then, s, stream_id, rate, n));
}

/* Of [b, places, channels] the same elements are dropped as of [b, channels, places]. */
KERNEL(dropout_last_kernel, (elem *y, const elem *x, struct epilogue then, const struct step *s, uint64_t stream_id,
    double rate, int64_t b, int64_t channels, int64_t places))
{
	uint64_t key = philox_key(s->seed, stream_id), draw = s->draw;
	uint64_t dropped = (uint64_t)(rate * 4294967296.0);
	real gain = rate < 1 ? (real)(1 / (1 - rate)) : 0;
	int64_t first = FIRST_OF(b * channels * places, s);

	EACH_PLACE (i, p, c, b, places, channels) {
		int64_t at = (i * places + p) * channels + c, k = first + (i * channels + c) * places + p;
		struct philox numbers = philox(key, (uint64_t)(k / 4), draw);

		y[at] = ELEM(epilogue_value(then, numbers.v[k % 4] < dropped ? 0 : VALUE(x[at]) * gain, at));
	}
}

static void
dropout_last(elem *y, const elem *x, struct epilogue then, const struct step *s, uint64_t stream_id, double rate,
    int64_t b, int64_t channels, int64_t places)
{
	LAUNCH(dropout_last_kernel, b * channels * places,
	    (y, x, then, s, stream_id, rate, b, channels, places));
}
