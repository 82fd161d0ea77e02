/*
 * The verifier's look at a pipeline's stage (slots.c), whose forward and backward take turns on
 * different micro-batches. The replay runs the graph as if backward followed its own forward; so
 * here is asked, of the nodes alone, what other micro-batches could spoil between the two:
 *
 * 1. What backward reads of forward is in a buffer with a slot for each micro-batch that may be between them, each large enough,
 *    and alive throughout the graph: nobody else ever writes there. What is received has one place more, if there is a next
 *    micro-batch, which comes there meanwhile; and what it is received in is alive throughout, too.
 * 2. What is sent is alive throughout its graph, and no node overwrites it in the forward, or backward, that sends it. Between
 *    two of them the program waits (pipe_settle()), before it writes the next batch into the inputs: no plan says so.
 * 3. Of the plans of all ranks, what one sends another receives, as the same.
 */
#include "plan/verify_impl.h"

static bool
is_throughout(const struct buffer *b, const struct graph *g, int start)
{
	return b->first <= start && b->last >= start + g->nodes.n - 1;
}

/* Has each of so many micro-batches a place of its own for the tensor? */
static bool
has_places(struct check *c, const struct graph *g, const struct buffer *b, const struct tensor *t, int64_t places)
{
	if (places == 1)
		return b->bytes >= verify_bytes(c, g, t);
	return b->stride >= verify_bytes(c, g, t) && b->stride % c->p->alignment == 0 && b->stride <= b->bytes / places;
}

static void
check_kept(struct check *c, const struct graph *g, const struct node *n, const struct tensor *t, int64_t slots)
{
	const struct buffer *b = verify_buffer(c, t);

	if (!b || b->persistent || slots == 1)
		return;
	if (!has_places(c, g, b, t, slots) || !b->between)
		verify_object(c, n->loc, "'%s' reads '%s' of forward, of which %lld micro-batches have no slot each", n->path, t->name,
		    (long long)slots);
	else if (!is_throughout(b, g, 0))
		verify_object(c, n->loc, "'%s', which backward reads, lives from instant %d to %d alone", t->name, b->first, b->last);
}

static bool
is_turn(const struct node *n)
{
	return n->op->flags & OP_RECEIVES && n->phase == PHASE_BACKWARD;
}

static void
check_turn(struct check *c, const struct graph *g, int64_t slots)
{
	bool *forward = arena_array(c->arena, (size_t)c->m->next_tensor + 1, sizeof(*forward));
	int turn = 0, i, k;

	while (turn < g->nodes.n && !is_turn(g->nodes.v[turn]))
		turn++;
	if (turn == g->nodes.n) {
		if (c->p->turn)
			verify_object(c, c->m->loc, "backward begins at instant %d, where no gradient arrives", c->p->turn);
		return;
	}
	if (c->p->turn != turn || c->p->slots != slots)
		verify_object(c, g->nodes.v[turn]->loc, "backward begins at instant %d with %lld slots, not at %d with %lld", turn,
		    (long long)slots, c->p->turn, (long long)c->p->slots);
	for (i = 0; i < g->inputs.n; i++)
		forward[g->inputs.v[i]->id] = true;
	for (i = 0; i < g->nodes.n && c->ok; i++) {
		const struct node *n = g->nodes.v[i];

		for (k = 0; k < n->nin && i >= turn; k++)
			if (n->in[k] && forward[n->in[k]->id])
				check_kept(c, g, n, n->in[k], slots);
		for (k = 0; k < n->nout && i < turn; k++)
			if (n->out[k])
				forward[n->out[k]->id] = true;
	}
}

/* Of what is received, the next one has room beside what is read. */
static void
check_received(struct check *c, const struct graph *g, int start)
{
	int i;

	for (i = 0; i < g->nodes.n && c->ok; i++) {
		const struct node *n = g->nodes.v[i];
		const struct buffer *b = n->op->flags & OP_RECEIVES ? verify_buffer(c, n->out[0]) : NULL;
		int64_t places = b && b->between ? c->p->slots : 1;

		if (!b)
			continue;
		places += g == c->m->train && c->m->set.accumulate > 1;
		if (!b->received || !is_throughout(b, g, start) || !has_places(c, g, b, n->out[0], places))
			verify_object(c, n->loc, "'%s' is received where the next has no place beside it", n->path);
	}
}

/* Does a node behind the I-th, of the same phase, write there? */
static const struct node *
overwriter(struct check *c, const struct graph *g, int i, const struct buffer *b)
{
	enum phase phase = g->nodes.v[i]->phase;
	bool turned = false;
	int k, j;

	for (k = i + 1; k < g->nodes.n && !turned; k++) {
		const struct node *n = g->nodes.v[k];

		for (j = 0; j < n->nout; j++)
			if (n->out[j] && verify_buffer(c, n->out[j]) == b && !op_is_view(n->op))
				return n;
		turned = phase == PHASE_FORWARD && is_turn(n);
	}
	return NULL;
}

/* Of nodes: the next batch, which may come where what is sent lies, is not theirs. */
static void
check_sent(struct check *c, const struct graph *g, int start)
{
	const struct node *over;
	int i;

	for (i = 0; i < g->nodes.n && c->ok; i++) {
		const struct node *n = g->nodes.v[i];
		const struct buffer *b = n->op->flags & OP_SENDS ? verify_buffer(c, n->in[0]) : NULL;

		if (b && !is_throughout(b, g, start))
			verify_object(c, n->loc, "'%s' is sent from '%s', which lives from instant %d to %d alone", n->path,
			    n->in[0]->name, b->first, b->last);
		else if (b && (over = overwriter(c, g, i, b)))
			verify_object(c, n->loc, "'%s' is sent from '%s', where '%s' writes before it has left", n->path, n->in[0]->name,
			    over->path);
	}
}

void
verify_slots(struct check *c)
{
	const struct module *m = c->m;
	int64_t after = module_stages(m) - m->set.stage, slots = after < m->set.accumulate ? after : m->set.accumulate;
	int validate = m->train ? m->train->nodes.n + (m->update ? m->update->nodes.n : 0) : 0;

	if (module_stages(m) == 1)
		return;
	check_turn(c, m->train, slots);
	check_sent(c, m->train, 0);
	check_received(c, m->train, 0);
	if (m->validate) {
		check_sent(c, m->validate, validate);
		check_received(c, m->validate, validate);
	}
}

/* ---- between ranks ---- */

static const struct node *
find_border(const struct graph *g, unsigned does, const struct node *same)
{
	int i;

	for (i = 0; g && i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		if (n->op->flags & does && op_int(n, "number") == op_int(same, "number") && op_int(n, "from") == op_int(same, "from") &&
		    op_int(n, "to") == op_int(same, "to"))
			return n;
	}
	return NULL;
}

/* Is X received as what it is sent? */
static bool
are_alike(const struct tensor *x, const struct tensor *as)
{
	struct affine a = tensor_bytes(x), b = tensor_bytes(as);

	return tensor_same_shape(x, as) && x->dtype == as->dtype && x->channels_last == as->channels_last && a.fixed == b.fixed &&
	    a.per_sample == b.per_sample;
}

/* Does another rank do the other half of what each border of that graph does? */
static bool
check_borders(struct module *const *stage, int64_t n, const struct graph *g, struct diags *diags)
{
	int i;

	for (i = 0; g && i < g->nodes.n; i++) {
		const struct node *node = g->nodes.v[i], *other;
		bool sends = node->op->flags & OP_SENDS;
		int64_t rank;
		const struct graph *there;

		if (!sends && !(node->op->flags & OP_RECEIVES))
			continue;
		rank = op_int(node, sends ? "to" : "from");
		there = rank < 0 || rank >= n ? NULL : g == g->module->validate ? stage[rank]->validate : stage[rank]->train;
		other = find_border(there, sends ? OP_RECEIVES : OP_SENDS, node);
		if (other && are_alike(sends ? node->in[0] : node->out[0], sends ? other->out[0] : other->in[0]))
			continue;
		diag_error(diags, "internal", node->loc, "the plan is wrong: what '%s' %s rank %lld is not what that has", node->path,
		    sends ? "sends to" : "receives from", (long long)rank);
		return false;
	}
	return true;
}

bool
plan_verify_stages(struct module *const *stage, int64_t n, struct diags *diags)
{
	int64_t k;

	for (k = 0; k < n; k++)
		if (!check_borders(stage, n, stage[k]->train, diags) || !check_borders(stage, n, stage[k]->validate, diags))
			return false;
	return true;
}
