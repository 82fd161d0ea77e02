/*
 * What a program for a GPU does beside its plan so that small steps need not wait for the host:
 * samples stay on the card in what the arena leaves, and one launch makes several updates.
 */
#include "show/chart.h"

#include "calls/sizes.h"
#include "plan/estimate.h"
#include "readers/reader.h"
#include "target/target.h"

/* Bytes of a sample, at most: files may hold less. */
static int64_t
sample_bytes(const struct module *m)
{
	int64_t total = 0;
	int i;

	for (i = 0; i < m->forward->inputs.n; i++)
		total += tensor_elements_per_sample(m->forward->inputs.v[i]) * dtype_bytes(m->forward->inputs.v[i]->dtype);
	return total;
}

/* Where samples stay. */
static void
print_launches(FILE *f, const struct module *m)
{
	int n = plan_steps_together(m);

	if (n > 1 && m->plan->cooperative)
		fprintf(f, "  %-22s %12d  by one launch of one kernel, if the card does that faster, while samples stay on the GPU\n",
		    "updates", n);
	else if (n > 1)
		fprintf(f, "  %-22s %12d  by one launch, of %d kernels or more, while samples stay on the GPU\n", "updates", n,
		    n * (plan_step_estimate(m).kernels + FEED_KERNELS - 1) + 1);
}

void
plan_feeding(FILE *f, const struct module *m, const struct plan_style *style)
{
	const struct settings *set = &m->set;
	const struct data_source *d = &set->data;
	const char *otherwise = d->reader && d->reader->drawn ? "it draws each batch" : "each batch is sent";
	int64_t each = sample_bytes(m), all;
	bool room;

	if (!m->plan->target->lands_batches || !m->train || !d->reader || (d->reader->alike && !d->reader->alike(d)))
		return;
	if (!d->samples) {
		plan_size_row(f, style, "a sample", each);
		fprintf(f, "  or less: those of training stay on the GPU if all have room in what the arena leaves\n");
		print_launches(f, m);
		return;
	}
	if (__builtin_mul_overflow(each, d->samples, &all))
		all = INT64_MAX;
	room = all <= plan_samples_room(m);
	plan_size_row(f, style, "samples", all);
	if (all > SAMPLES_MOST)
		fprintf(f, "  too many to stay on the GPU: %s\n", otherwise);
	else if (!room)
		fprintf(f, "  have no room on the GPU beside the arena: %s\n", otherwise);
	else
		fprintf(f, "  stay on the GPU if that is free beside the arena; else %s\n", otherwise);
	if (all <= SAMPLES_MOST && room)
		print_launches(f, m);
}
