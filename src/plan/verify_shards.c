/*
 * The part of the verifier that looks at what ranks share out in pieces (shard optimizer). The
 * replay knows nothing of pieces: to it a tensor is there or not. So here, of every call for ranks
 * (exchanges.c) that is no sum,
 *
 * 1. its nodes stand in a row, each of them in one call, all of numbers of one size, and run in the same steps as the node that
 *    waits; none is waited for before all have begun, and the first that is, at the instant that the call says;
 * 2. what is on its way is read by nobody but who waits for it: its own bytes hold the tensor from the call until then, and so
 *    do those of the piece that a rank gets, where that has bytes of its own;
 *
 * and of every parameter whose state is shared out
 *
 * 3. its update alone, the norm of all gradients, or the sum over micro-batches, if that is of pieces, reads of its gradient
 *    what each rank has but a piece of;
 * 4. what its update made, of which each rank has but its piece, is read by nobody but what brings it to all of them, and
 *    that is waited for in the same graph;
 *    Where parameters are shared out, that is itself the piece, and what brings it to all of them, the next updates, and who
 *    waits for all of it read it; the whole is read by nobody once the piece has been updated;
 * 5. each of its states, and each piece that has bytes of its own, has room for the largest piece, and takes no byte more.
 */
#include "plan/verify_impl.h"

#include <string.h>

#include "ir/due.h"

static bool
is_piecewise(const struct op *op)
{
	return op->ranks.between == BETWEEN_SCATTER || op->ranks.between == BETWEEN_GATHER;
}

/* ---- calls ---- */

static bool
waits_for(const struct node *n, const struct node *begins)
{
	return n->op->ranks.waits && n->in[0] == begins->out[0];
}

static void
check_call(struct check *c, const struct plan_sum *s, const unsigned *due, bool *called)
{
	const struct plan *p = c->p;
	int first = s->begin - s->tensors + 1, i, k;
	bool awaited = false;
	int j;

	if (first < 0 || s->tensors < 1 || s->wait <= s->begin || s->wait >= p->instants) {
		verify_object(c, s->first->loc, "what ranks share out of '%s' is out of bounds", s->first->name);
		return;
	}
	for (i = first; i <= s->begin && c->ok; i++) {
		const struct node *n = p->at[i].node;

		if (n->op->ranks.between != s->between || n->op->ranks.waits || p->at[i].graph != p->at[s->wait].graph ||
		    n->out[0]->dtype != s->first->dtype || called[i])
			verify_object(c, n->loc, "'%s' is not in one call for ranks", n->out[0]->name);
		for (j = 0; j < n->nout && c->ok; j++) {
			const struct buffer *b = verify_buffer(c, n->out[j]);

			if (!b || b->first > s->begin || b->last < s->wait)
				verify_object(c, n->loc, "'%s' is on its way between ranks when its bytes are another's",
				    n->out[j]->name);
		}
		if (c->ok && due && p->at[i].graph == c->m->train && due[i] != due[s->wait])
			verify_object(c, n->loc, "'%s' is not sent in the steps that wait for it", n->out[0]->name);
		called[i] = true;
		for (k = first; k < s->wait && c->ok; k++)
			if (waits_for(p->at[k].node, n))
				verify_object(c, n->loc, "'%s' is waited for before its call is", n->out[0]->name);
		awaited |= waits_for(p->at[s->wait].node, n);
	}
	if (c->ok && !awaited)
		verify_object(c, s->first->loc, "nobody waits for what ranks share out of '%s'", s->first->name);
}

static void
check_calls(struct check *c)
{
	const struct plan *p = c->p;
	bool *called = arena_array(c->arena, (size_t)p->instants + 1, sizeof(*called));
	const unsigned *due = module_due(c->m);
	int i;

	for (i = 0; i < p->sums.n && c->ok; i++)
		if (p->sums.v[i].between != BETWEEN_SUM)
			check_call(c, &p->sums.v[i], due, called);
	for (i = 0; i < p->instants && c->ok; i++) {
		const struct node *n = p->at[i].node;

		if (is_piecewise(n->op) && !n->op->ranks.waits && !called[i])
			verify_object(c, n->loc, "'%s' is in no call for ranks", n->out[0]->name);
	}
}

/* ---- pieces ---- */

enum piece { WHOLE, OF_SUM, OF_WEIGHT, SUM_ON_ITS_WAY, WEIGHT_ON_ITS_WAY };	/* of a tensor: what each rank has of it */

/* A piece of a gradient is added to those of the micro-batches before. */
static bool
adds_pieces(const struct node *n)
{
	return strcmp(n->op->name, "accumulate") == 0 && n->in[0]->shared;
}

/* What of its K-th result a rank has when a node has made it. */
static enum piece
made(const struct node *n, int k)
{
	if (n->op->ranks.between == BETWEEN_SCATTER)
		return n->op->ranks.waits ? OF_SUM : SUM_ON_ITS_WAY;
	if (n->op->kind == OP_OPTIMIZER && k == 0)
		return OF_WEIGHT;
	if (n->op->ranks.between == BETWEEN_GATHER && !n->op->ranks.waits)
		return WEIGHT_ON_ITS_WAY;
	return adds_pieces(n) && k == 0 ? OF_SUM : WHOLE;	/* beside the sum, what it is to be added to: nobody else's */
}

/* Whoever begins something takes what he says, and whoever waits for something what has begun, and
 * nobody else does. */
static bool
may_read(const struct node *n, int k, enum piece what)
{
	enum between between = n->op->ranks.between;
	bool waits = n->op->ranks.waits;

	switch (what) {
	case OF_SUM:
		return (n->op->kind == OP_OPTIMIZER && k == 1) || n->op->ranks.takes_pieces || adds_pieces(n);
	case OF_WEIGHT:
		return (between == BETWEEN_GATHER && waits == (k == 1)) ||
		    (n->op->kind == OP_OPTIMIZER && k == 0 && n->in[k]->shared);
	case SUM_ON_ITS_WAY:
		return between == BETWEEN_SCATTER && waits;
	case WEIGHT_ON_ITS_WAY:
		return between == BETWEEN_GATHER && waits;
	case WHOLE:
		break;
	}
	return between == BETWEEN_SCATTER ? !waits : between != BETWEEN_GATHER && (!adds_pieces(n) || k == 2);
}

/* Every piece that has bytes of its own has those of the largest. */
static void
check_sizes(struct check *c, const struct node *n)
{
	int64_t shards = c->m->set.ranks;
	int k;

	for (k = 0; k < n->nin + n->nout && c->ok; k++) {
		const struct tensor *t = k < n->nin ? n->in[k] : n->out[k - n->nin];
		const struct buffer *b = t && t->shared ? verify_buffer(c, t) : NULL;
		int64_t elements = t && t->shared ? tensor_elements_per_sample(t->gradient_of) : 0;
		int64_t bytes = b ? (elements + shards - 1) / shards * dtype_bytes(t->dtype) : 0;

		if (b && b->bytes != bytes)
			verify_object(c, n->loc, "'%s' has %lld bytes, a rank's largest piece of %lld elements %lld",
			    t->name, (long long)b->bytes, (long long)elements, (long long)bytes);
	}
}

/* Is an update's state a piece, and its gradient where these are shared out? */
static void
check_shapes(struct check *c, const struct node *n)
{
	bool pieces = settings_share_out(&c->m->set, SHARD_GRADIENTS);
	int k;

	for (k = 1; k < n->nin && c->ok; k++)
		if (n->in[k] && (n->in[k]->kind == T_OPTIMIZER || (k == 1 && pieces)) && !n->in[k]->shared)
			verify_object(c, n->loc, "each rank has all of '%s'", n->in[k]->name);
}

/* By the id of a parameter's piece its newest value, and by that of all of it the value that it was
 * gathered of. */
struct values {
	const struct tensor **newest, **of;
};

/* Nobody reads what was gathered of a value that is not the newest. */
static void
check_values(struct check *c, const struct node *n, struct values *v)
{
	int k;

	for (k = 0; k < n->nin && c->ok; k++) {
		const struct tensor *of = n->in[k] ? v->of[tensor_root(n->in[k])->id] : NULL;

		if (of && v->newest[tensor_root(of)->id] != of)
			verify_object(c, n->loc, "%s '%s' reads '%s' as it was before its update", n->op->name, n->path,
			    n->in[k]->name);
	}
	if (n->op->ranks.between == BETWEEN_GATHER && n->in[0] && n->in[0]->shared)
		v->of[tensor_root(n->out[0])->id] = n->in[0];
	if (n->op->kind == OP_OPTIMIZER)
		v->newest[tensor_root(n->in[0])->id] = n->out[0];
}

/* Where what micro-batches have added up is added up over ranks in their step, in place, the update
 * reads it where it lies between steps. */
static void
note_added_up(const struct node *n, enum piece *has)
{
	const struct tensor *root = n->op->ranks.between == BETWEEN_SCATTER && n->op->ranks.waits ? tensor_root(n->out[0]) : NULL;

	if (root && root->accumulates)
		has[root->id] = OF_SUM;
}

/* What each rank has but a piece of before the graph begins. */
static void
begin_pieces(const struct graph *g, enum piece *has, struct values *v)
{
	int i, k;

	for (i = 0; i < g->nodes.n; i++)
		for (k = 0; k < g->nodes.v[i]->nin; k++) {
			const struct tensor *t = g->nodes.v[i]->in[k];

			if (!t || !t->shared || t->def)
				continue;
			if (t->accumulates)
				has[t->id] = OF_SUM;
			else if (t->kind == T_PARAM || (t->averages && g->nodes.v[i]->op->ranks.between == BETWEEN_GATHER))
				has[t->id] = OF_WEIGHT;
			v->newest[t->id] = t;
		}
}

/* HAS: by a tensor's id. A graph that ends leaves whole weights behind, if not all of them are in
 * pieces. */
static void
check_pieces(struct check *c, const struct graph *g, enum piece *has)
{
	size_t tensors = (size_t)c->m->next_tensor + 1;
	const struct node **moved = arena_array(c->arena, tensors, sizeof(*moved));	/* by parameter */
	struct values values = { arena_array(c->arena, tensors, sizeof(*values.newest)),
		arena_array(c->arena, tensors, sizeof(*values.of)) };
	int i, k;

	begin_pieces(g, has, &values);
	for (i = 0; i < g->nodes.n && c->ok; i++) {
		const struct node *n = g->nodes.v[i];

		for (k = 0; k < n->nin && c->ok; k++)
			if (n->in[k] && !may_read(n, k, has[n->in[k]->id]))
				verify_object(c, n->loc, "%s '%s' reads '%s', of which each rank has but a piece", n->op->name,
				    n->path, n->in[k]->name);
		check_values(c, n, &values);
		for (k = 0; k < n->nout; k++)
			if (n->out[k])
				has[n->out[k]->id] = made(n, k);
		note_added_up(n, has);
		check_sizes(c, n);
		if (n->op->kind == OP_OPTIMIZER) {
			if (c->ok && has[n->in[1]->id] != OF_SUM)
				verify_object(c, n->loc, "'%s' is updated by a gradient that is not of all ranks", n->in[0]->name);
			check_shapes(c, n);
			moved[tensor_root(n->in[0])->id] = n->in[0]->shared ? NULL : n;
		} else if (n->op->ranks.between == BETWEEN_GATHER && n->op->ranks.waits) {
			moved[tensor_root(n->in[0])->id] = NULL;
		}
	}
	for (i = 0; i < c->m->next_tensor && c->ok; i++)
		if (moved[i])
			verify_object(c, moved[i]->loc, "'%s' is not brought to all ranks", moved[i]->in[0]->name);
}

void
verify_shards(struct check *c)
{
	const struct graph *const graph[] = { c->m->train, c->m->update, c->m->validate };
	enum piece *has = arena_array(c->arena, (size_t)c->m->next_tensor + 1, sizeof(*has));
	int i;

	if (module_shards(c->m) <= 1)
		return;
	check_calls(c);
	for (i = 0; module_shares_out(c->m, SHARD_PARAMETERS) && i < c->m->persistent.n && c->ok; i++)
		if (c->m->persistent.v[i]->kind == T_PARAM && !c->m->persistent.v[i]->shared)
			verify_object(c, c->m->persistent.v[i]->loc, "each rank has all of '%s'", c->m->persistent.v[i]->name);
	for (i = 0; i < 3 && c->ok; i++)
		if (graph[i])
			check_pieces(c, graph[i], has);
}
