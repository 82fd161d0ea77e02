/*
 * The plan verifier, of the stages of a pipeline, by mutation: what several micro-batches have at
 * once, and what comes or goes while others are worked on.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "plan/plan.h"
#include "target/target.h"
#include "planned.h"

static struct arena *arena;

static const char *
objection(struct module *m)
{
	struct diags found;

	diags_init(&found, arena);
	return plan_verify(m, m->plan, &found) ? NULL : found.all.v[0]->message;
}

static const char stages[] =
	"network mlp {\n"
	"  input  x : f32[6]\n"
	"  target t : class[5]\n"
	"  h = x -> a: dense(16) -> tanh -> b: dense(8) -> relu\n"
	"  y = h -> c: dense(12) -> tanh -> d: dense(8) -> tanh\n"
	"  z = y + h -> e: dense(5)\n"
	"  loss cross_entropy(z, t)\n"
	"}\n"
	"train {\n"
	"  batch 24  accumulate 4  epochs 3  optimizer adamw(lr=1e-2)  data synthetic(samples=77)\n"
	"  place a, b on 0  place c, d on 1  place e on 2\n"
	"}\n";

static struct module **
load_stages(void)
{
	const struct pass_options options = { .threads = 2, .target = target_find("c") };
	struct diags *d;
	struct spec *spec;

	arena = arena_new();
	d = ARENA_NEW(arena, struct diags);
	diags_init(d, arena);
	spec = spec_load(arena, d, source_from_text(arena, "net.nn", stages, strlen(stages)), NULL);
	cr_assert_eq(d->errors, 0, "%s", d->all.n ? d->all.v[0]->message : "");
	return passes_run_stages(spec->modules.v[0], &options)->stage;
}

/* Of those that have several places, or lie while something comes there or goes: one place less, or
 * a shorter life. */
Test(verify_stages, what_other_micro_batches_need_is_theirs)
{
	struct module **stage = load_stages();
	int k, i, places = 0, kept = 0;

	for (k = 0; k < 3; k++) {
		cr_assert_null(objection(stage[k]), "%s", objection(stage[k]));
		for (i = 0; i < stage[k]->plan->buffers.n; i++) {
			struct buffer *b = &stage[k]->plan->buffers.v[i], was = *b;

			b->bytes -= b->stride;
			if (b->stride) {
				cr_assert_not_null(objection(stage[k]), "'%s' of rank %d with one place less", b->root->name, k);
				places++;
			}
			*b = was;
			b->last--;
			if (b->kept) {
				cr_assert_not_null(objection(stage[k]), "'%s' of rank %d ends too soon", b->root->name, k);
				kept++;
			}
			*b = was;
		}
	}
	/* rank 0: x, both activations, the gradient of h; rank 1: h, both activations, the gradient
	 * of z; rank 2: z */
	cr_assert_eq(places, 4 + 4 + 1, "%d", places);
	cr_assert_gt(kept, places);
}
