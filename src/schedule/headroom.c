#include "schedule/headroom.h"

#include "ir/pass.h"

#include "schedule/step.h"
#include "target/target.h"

struct headroom
headroom_new(struct arena *a, const struct graph *g, const struct pass_options *o, const struct model *m)
{
	return (struct headroom){ .g = g, .options = o, .model = m,
		.more = arena_array(a, (size_t)g->nodes.n + 1, sizeof(int64_t)) };
}

int64_t
headroom_aligned(const struct headroom *h, struct affine bytes)
{
	int64_t mask = h->options->target->alignment - 1;

	return (affine_at(bytes, h->g->batch) + mask) & ~mask;
}

int64_t
headroom_bytes(const struct headroom *h, const struct tensor *t)
{
	return headroom_aligned(h, tensor_bytes(t));
}

int64_t
headroom_scratch(const struct headroom *h, const struct node *n, const struct op *op)
{
	struct room room = op_room(h->g->module, h->options->target, h->options->threads);
	struct node probe = *n;

	probe.op = op;
	return headroom_aligned(h, op->memory.workspace(&probe, &room));
}

bool
headroom_take(struct headroom *h, int from, int to, int64_t bytes, int64_t at_from)
{
	const struct trial *t = h->model->trial;
	int k;

	for (k = from; k < to && !h->roomy; k++)
		if (t->live[k] + h->more[k] + bytes + (k == from ? at_from : 0) > t->peak)
			return false;
	for (k = from; k < to; k++)
		h->more[k] += bytes;
	h->more[from] += at_from;
	return true;
}
