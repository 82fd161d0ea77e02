/*
 * The plan verifier, by mutation: each buffer of ResNet-18's plan is moved, shrunk and shortened,
 * and the verifier must object wherever that harms the program. Whether it does is decided here by
 * other means than the verifier's: pairwise overlap, and who uses a buffer when.
 */
#include "mutated.h"

static bool
meets_another(int k)
{
	const struct plan *p = module->plan;
	const struct buffer *a = &p->buffers.v[k];
	int i;

	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (i != k && a->first <= b->last && b->first <= a->last &&
		    a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
			return true;
	}
	return false;
}

Test(verify, the_plan_itself_is_right)
{
	load("resnet18.nn");
	cr_assert_not(objects());
}

Test(verify, moved_buffers_are_caught)
{
	int i, step, caught = 0;

	load("resnet18.nn");
	for (i = 0; i < module->plan->buffers.n; i++)
		for (step = -2; step <= 2; step++) {
			struct buffer *b = &module->plan->buffers.v[i];
			int64_t was = b->offset;

			b->offset += step * (int64_t)module->plan->alignment;
			if (step && b->offset >= 0 && meets_another(i)) {
				cr_assert(objects(), "'%s' moved by %d", b->root->name, step);
				caught++;
			}
			b->offset = was;
		}
	cr_assert_gt(caught, module->plan->buffers.n);
}

Test(verify, misaligned_and_outlying_buffers_are_caught)
{
	struct buffer *b;

	load("resnet18.nn");
	b = &module->plan->buffers.v[module->plan->buffers.n / 2];
	b->offset += 4;
	cr_assert(objects());
	b->offset += module->plan->arena_bytes;
	cr_assert(objects());
	b->offset = -(int64_t)module->plan->alignment;
	cr_assert(objects());
}

Test(verify, shrunk_buffers_are_caught)
{
	int i;

	load("resnet18.nn");
	for (i = 0; i < module->plan->buffers.n; i++) {
		struct buffer *b = &module->plan->buffers.v[i];

		b->bytes -= 1;
		cr_assert(objects(), "'%s' shrunk", b->root->name);
		b->bytes += 1;
	}
}

static bool
uses(const struct node *n, const struct buffer *b)
{
	int j;

	if (n->work && plan_buffer(module->plan, n->work) == b)
		return true;
	for (j = 0; j < n->nin; j++)
		if (n->in[j] && plan_buffer(module->plan, n->in[j]) == b)
			return true;
	for (j = 0; j < n->nout; j++)
		if (n->out[j] && plan_buffer(module->plan, n->out[j]) == b)
			return true;
	return false;
}

Test(verify, shortened_buffers_are_caught)
{
	int i, caught = 0;

	load("resnet18.nn");
	for (i = 0; i < module->plan->buffers.n; i++) {
		struct buffer *b = &module->plan->buffers.v[i];

		if (b->persistent || uses(module->plan->at[b->last].node, b)) {
			b->last--;
			cr_assert(objects(), "'%s' dies early", b->root->name);
			b->last++;
			caught++;
		}
		if (b->persistent || uses(module->plan->at[b->first].node, b)) {
			b->first++;
			cr_assert(objects(), "'%s' is born late", b->root->name);
			b->first--;
		}
	}
	cr_assert_gt(caught, module->plan->buffers.n / 2);
}

/* A shortened life that lets another buffer in is the case that corrupts memory. */
Test(verify, a_buffer_put_into_the_room_of_a_shortened_one_is_caught)
{
	struct plan *p;
	int i, j, tried = 0;

	load("resnet18.nn");
	p = module->plan;
	for (i = 0; i < p->buffers.n; i++)
		for (j = 0; j < p->buffers.n; j++) {
			struct buffer *a = &p->buffers.v[i], *b = &p->buffers.v[j];
			int last = a->last;
			int64_t offset = b->offset;

			if (a->persistent || b->persistent || b->first <= a->first ||
			    b->first > a->last || b->bytes > a->bytes || (i + j) % 7)
				continue;
			a->last = b->first - 1;
			b->offset = a->offset;
			if (uses(p->at[last].node, a)) {
				cr_assert(objects(), "'%s' in the room of '%s'", b->root->name, a->root->name);
				tried++;
			}
			a->last = last;
			b->offset = offset;
		}
	cr_assert_gt(tried, 100);
}

/* Whom the planner takes for a tensor's root, and which buffer it finds for that. */
Test(verify, buffers_found_by_a_wrong_way_are_caught)
{
	struct plan *p;
	int i, j, caught = 0;

	load("resnet18.nn");
	p = module->plan;
	for (i = 0; i < p->buffers.n; i++) {
		int *of = &p->of_tensor[p->buffers.v[i].root->id];

		*of = i ? i : 2;
		cr_assert(objects(), "'%s' is found as another", p->buffers.v[i].root->name);
		*of = i + 1;
	}
	for (i = 0; i < p->instants; i++)
		for (j = 0; j < p->at[i].node->nout; j++) {
			struct tensor *t = p->at[i].node->out[j];
			struct tensor *was = t ? t->ancestor : NULL;

			if (!was)
				continue;
			t->ancestor = tensor_root(t) == p->buffers.v[0].root ?
			    (struct tensor *)p->buffers.v[1].root : (struct tensor *)p->buffers.v[0].root;
			cr_assert(objects(), "'%s' is taken for another", t->name);
			t->ancestor = was;
			caught++;
		}
	cr_assert_gt(caught, 50);
	cr_assert_not(objects());
}

/* ResNet-50 adds up micro-batches: its next batch may arrive while weights are updated, too. */
Test(verify, where_the_next_batch_lands_is_free_throughout)
{
	const struct tensor *lands;
	struct buffer *b;
	struct plan *p;

	load_for("resnet50.nn", "cuda");
	p = module->plan;
	cr_assert_not_null(module->update);
	cr_assert_not(objects());
	lands = module->train->inputs.v[0]->lands;
	cr_assert_not_null(lands);
	b = plan_buffer(p, lands);
	cr_assert_eq(b->bytes, INT64_C(64) * 3 * 224 * 224 * 4);
	cr_assert_eq(b->first, 0);
	cr_assert_eq(b->last, module->train->nodes.n + module->update->nodes.n - 1);
	b->last--;
	cr_assert(objects(), "ends early");
	b->last++;
	b->first++;
	cr_assert(objects(), "begins late");
	b->first--;
	b->bytes--;
	cr_assert(objects(), "shrunk");
	b->bytes++;
	cr_assert_not(objects());
}
