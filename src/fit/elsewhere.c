/* A memory asked of a framework's forecast. Nothing is planned: a forecast plays the spec's own
 * graph. */
#include "fit/elsewhere.h"

#include "plan/plan.h"

const char *
elsewhere_word(enum elsewhere_fits fits)
{
	static const char *const word[] = { [ELSEWHERE_NO] = "no", [ELSEWHERE_PERHAPS] = "perhaps",
		[ELSEWHERE_YES] = "yes" };

	return word[fits];
}

void
fit_elsewhere(const struct module *m, const struct framework *f, int64_t memory, int64_t reserve,
    struct elsewhere *to)
{
	int64_t wanted = m->train ? m->plan->batch : m->plan->validate_batch;

	*to = (struct elsewhere){ .framework = f, .memory = memory };
	forecast(m, f, wanted, &to->wanted);
	if (!to->wanted.known)
		return;
	to->least = to->wanted.card_low;
	to->most = to->wanted.card_high;
	if (reserve >= 0) {
		to->least += reserve - to->wanted.context_low;
		to->most += reserve - to->wanted.context_high;
		forecast_largest(m, f, memory - reserve, &to->low, &to->high);
	} else {
		forecast_largest_on(m, f, memory, &to->low, &to->high);
	}
	to->fits = wanted <= to->low ? ELSEWHERE_YES : wanted <= to->high ? ELSEWHERE_PERHAPS :
	    ELSEWHERE_NO;
}
