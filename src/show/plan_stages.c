/*
 * The stages of a pipeline, for the text: what each rank has and sends, and for how much of an
 * update it waits for others.
 */
#include "show/chart.h"

#include "ir/op.h"
#include "plan/turns.h"
#include "target/target.h"

/* And how long by what each is estimated to take. */
static void
print_turns(FILE *f, const struct module *m)
{
	struct turns t = plan_turns(m);
	bool gpu = m->plan->target->is_gpu;

	if (t.takes <= 0)
		return;
	fprintf(f, "  %-22s %10.1f %%  of it on average, and rank %lld, which has the most to do, %.1f %%, by %s (estimate: nothing "
	    "takes time between ranks)\n", "", 100 * t.waits, (long long)t.slowest, 100 * t.slowest_waits,
	    gpu ? "the card's figures" : "their multiply-adds");
	if (gpu)
		fprintf(f, "  %-22s %9.3g ms  forward and backward of an update (the same estimate)\n", "pipeline", t.takes / 1e6);
}

/* Of each stage of a pipeline, what it takes and sends; and for how much of an update a rank waits,
 * if all take as long. */
void
plan_stages(FILE *f, const struct module *m, const struct plan_style *style)
{
	int64_t n = module_stages(m), of = m->set.accumulate, all = 0, k;
	char on[SIZE_TEXT], back[SIZE_TEXT];

	for (k = 0; k < n; k++)
		all += m->stage[k]->plan->step_macs;
	for (k = 0; k < n; k++) {
		const struct module *stage = m->stage[k];
		const struct plan *p = stage->plan;

		plan_size_row(f, style, arena_printf(m->arena, "rank %lld", (long long)k), p->arena_bytes);
		fprintf(f, "  %s on and %s back an update; at most %lld micro-batch%s between forward and backward", size_human(on,
		    plan_sent_on(stage, p, false)), size_human(back, plan_sent_on(stage, p, true)), (long long)p->slots, p->slots > 1 ? "es" : "");
		if (all > 0)
			fprintf(f, "; %.0f %% of multiply-adds", 100.0 * (double)p->step_macs / (double)all);
		putc('\n', f);
	}
	fprintf(f, "  %-22s %10.1f %%  of an update each rank waits for others, if all take as long: %lld of %lld turns\n", "bubble",
	    100.0 * (double)(n - 1) / (double)(of + n - 1), (long long)(n - 1), (long long)(of + n - 1));
	print_turns(f, m);
}
