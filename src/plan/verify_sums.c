/*
 * The part of the verifier that looks at sums over ranks. The plan joins those that lie side by
 * side, of which the replay knows nothing: it sees each tensor added up by a node of its own. So
 * here
 *
 * 1. each all_reduce is a part of one sum, which begins with it or with another that follows at once;
 * 2. no all_reduced stands before the sum that it waits for is there;
 * 3. while a sum is on its way, its range holds what these nodes add up, each whole, and nothing else, from its first byte
 *    to its last.
 */
#include "plan/verify_impl.h"

#include "ir/op.h"

static bool
holds(const struct plan_sum *s, const struct buffer *b)
{
	return s->offset <= b->offset && b->offset + b->bytes <= s->offset + s->bytes;
}

/* The sum that a node at instant AT begins, alone or with others; NULL unless there is one. */
static const struct plan_sum *
sum_of(struct check *c, int at, const struct op *begins)
{
	const struct plan *p = c->p;
	const struct buffer *b = verify_buffer(c, p->at[at].node->out[0]);
	const struct plan_sum *found = NULL;
	int i, last = at;

	while (last + 1 < p->instants && p->at[last + 1].node->op == begins && p->at[last + 1].graph == p->at[at].graph)
		last++;
	for (i = 0; b && i < p->sums.n; i++) {
		const struct plan_sum *s = &p->sums.v[i];

		if (s->between == BETWEEN_SUM && at <= s->begin && s->begin <= last && holds(s, b)) {
			if (found)
				return NULL;
			found = s;
		}
	}
	return found;
}

static void
check_range(struct check *c, const struct plan_sum *s, int tensors)
{
	const struct plan *p = c->p;
	bool begins = false, ends = false;
	int i, found = 0;

	if (s->wait <= s->begin || s->wait >= p->instants || s->offset < 0 || s->offset + s->bytes > p->arena_bytes)
		verify_object(c, s->first->loc, "the sum of '%s' over ranks is out of bounds", s->first->name);
	for (i = 0; i < p->buffers.n && c->ok; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (b->first > s->wait || b->last < s->begin || b->bytes == 0 ||
		    b->offset >= s->offset + s->bytes || b->offset + b->bytes <= s->offset)
			continue;
		found++;
		begins |= b->offset == s->offset;
		ends |= b->offset + b->bytes == s->offset + s->bytes;
		if (b->first > s->begin || b->last < s->wait || !holds(s, b))
			verify_object(c, b->root->loc, "'%s' changes while '%s' is added up over all ranks", b->root->name,
			    s->first->name);
	}
	if (c->ok && (!begins || !ends || found != tensors || tensors != s->tensors))
		verify_object(c, s->first->loc, "%d buffers lie in %lld bytes where %d of %d are added up over all ranks, "
		    "from '%s' on", found, (long long)s->bytes, tensors, s->tensors, s->first->name);
}

void
verify_sums(struct check *c)
{
	const struct op *begins = op_find("all_reduce"), *waits = op_find("all_reduced");
	const struct plan *p = c->p;
	const struct plan_sum **of = arena_array(c->arena, (size_t)c->m->next_tensor + 1, sizeof(*of));
	int *tensors = arena_array(c->arena, (size_t)p->sums.n + 1, sizeof(*tensors)), i;

	for (i = 0; i < p->instants && c->ok; i++) {
		const struct node *n = p->at[i].node;

		if (n->op == begins) {
			const struct plan_sum *s = of[n->out[0]->id] = sum_of(c, i, begins);

			if (s)
				tensors[s - p->sums.v]++;
			else
				verify_object(c, n->loc, "'%s' is not added up over ranks once", n->out[0]->name);
		}
		if (n->op == waits && (!of[n->in[0]->id] || of[n->in[0]->id]->wait > i))
			verify_object(c, n->loc, "'%s' is read before it is added up over ranks", n->in[0]->name);
	}
	for (i = 0; i < p->sums.n && c->ok; i++)
		if (p->sums.v[i].between == BETWEEN_SUM)
			check_range(c, &p->sums.v[i], tensors[i]);
}
