/*
 * What ranks send one another in an update and how much of that is hidden, and what they might
 * share out where they do not fit, for the text.
 */
#include "show/chart.h"

#include "base/text.h"
#include "fit/sharding.h"
#include "plan/estimate.h"
#include "plan/summary.h"

/* What of it goes on beside a rank's own work, over a link of so many bytes a nanosecond. */
static void
print_hidden(FILE *f, const struct module *m, double link)
{
	struct overlap o = plan_overlap(m, link);

	if (o.sent <= 0) {
		fputs(" (estimate: that rate alone, no latency, nothing hidden)\n", f);
		return;
	}
	fprintf(f, ", of which %.3g ms are hidden by a rank's own work, %.3g ms not (estimate: that rate alone, no latency)\n",
	    o.hidden / 1e6, (o.sent - o.hidden) / 1e6);
}

void
plan_between_ranks(FILE *f, const struct module *m, const struct plan_summary *s, const struct plan_style *style)
{
	int64_t link = plan_link(style);
	char gradients[SIZE_TEXT], meanwhile[SIZE_TEXT], weights[SIZE_TEXT];

	if (m->set.ranks <= 1 || !m->train)
		return;
	if (m->stage) {
		plan_stages(f, m, style);
		return;
	}
	plan_size_row(f, style, "traffic", s->sent);
	if (m->set.splits)
		fprintf(f, "  sent by each rank an update, to add up %s of what layers that are split over ranks make, forward and "
		    "backward, around a ring; each sum is waited for", size_human(gradients, s->split));
	else
		fprintf(f, "  sent by each rank an update, to add up %s of gradients in %d piece%s around a ring; %s of "
		    "them while backward goes on", size_human(gradients, s->reduced), s->reductions,
		    s->reductions == 1 ? "" : "s", s->meanwhile ? size_human(meanwhile, s->meanwhile) : "none");
	if (s->statistics)
		fprintf(f, "; %s of sums of batch normalisation", size_human(weights, s->statistics));
	if (s->gathered)
		fprintf(f, "; and to bring %s of weights to all ranks", size_human(weights, s->gathered));
	putc('\n', f);
	fprintf(f, "  %-22s %9.3g ms  at %lld Gb/s", "communication", (double)s->sent * 8 / ((double)link * 1e6), (long long)link);
	print_hidden(f, m, (double)link / 8);
}

void
plan_sharding(FILE *f, const struct module *m, const struct plan_style *style)
{
	struct sharding s = fit_sharding(m);
	char name[32], left[SIZE_TEXT], all[SIZE_TEXT], part[3][SIZE_TEXT];
	const struct plan_summary *parts;

	if (!s.planned)
		return;
	parts = plan_summarise(s.planned);
	snprintf(name, sizeof(name), "with shard %s", shard_name(s.what));
	plan_size_row(f, style, name, s.planned->plan->arena_bytes);
	fprintf(f, "  %s %s of %s, which driver, context, libraries and NCCL are estimated to leave: parameters %s, "
	    "optimizer state %s, what is transient %s\n", s.fits ? "fits" : "DOES NOT FIT either", size_human(left, s.left),
	    size_human(all, m->set.device.memory), size_human(part[0], parts->persistent[T_PARAM]),
	    size_human(part[1], parts->persistent[T_OPTIMIZER]), size_human(part[2], s.planned->plan->transient_bytes));
}
