/*
 * gather: where ranks share out parameters (shard parameters), each has a piece of every one. All
 * of it is brought to all of them before a layer that reads it, forward and backward, and its bytes
 * are others' after that:
 *
 *     y1 = dense(x, w1)                       begin1 wait1 begin2 y1 = dense(x, W1) wait2 y2 = dense(y1, W2) ...
 *     y2 = dense(y1, w2)             ->
 *     ...
 *     dy1 = dense_grad_input(dy2, w2)         ... dy1 = dense_grad_input(dy2, W2) ...
 *
 * It stays from one reader to the next where none between reads another parameter. What is small
 * comes along with what is read before it, which saves it a call of its own. The next layer's
 * begins when this one's is there, and so is on its way while this one computes, if it has room
 * below the peak of the arena without that; else as early as it has. Passes before count the whole
 * parameter where it is read (schedule/step_model.c).
 *
 * Validation with running averages (ema) has these brought to it in place of parameters, in every
 * form of sharing out, since of them, too, each rank has but a piece.
 *
 * A view of a parameter is made anew of what each of its readers has. In a step of several updates,
 * what is read after one is gathered after it.
 *
 * Reads: all graphs after buckets. Writes: their readers of parameters, the module's list of what
 * persists, where the piece takes the place of the parameter. Invariants after: 1. nobody but
 * updates, and what begins to gather, reads a piece; 2. the arena's lower bound is what it was, but
 * for what is small and for what stays; 3. the order of all other nodes is what it was.
 */
#include <string.h>

#include "target/target.h"
#include "ir/op.h"
#include "ir/pass.h"
#include "schedule/step.h"

#define SMALL_BYTES	((int64_t)16 << 10)	/* that much, in all, goes with what comes before it */

struct group {			/* parameters that are gathered in one go */
	VEC(struct node *) begin, wait;
	int64_t bytes;		/* as they will lie, */
	int64_t small;		/* and those of small ones among them */
	int use;		/* where the first reader stands, before which they are waited for */
	int least;		/* they may begin before the node that stands there */
	int at;			/* before which they begin */
};

struct gathering {
	struct module *m;
	const struct pass_options *o;
	struct arena *a;
	struct tensor **piece;	/* by a parameter's id: what a rank has of it, or of its average; NULL: it is none */
	struct tensor **of;	/* by tensor: the parameter whose bytes it had; NULL: of none */
	int known;		/* how many tensors there were */
	struct node **was;	/* by the id of a node that was changed: what it was */
	/* of the graph: */
	struct graph *g;
	struct node **node;	/* as it was, */
	int nodes;
	struct tensor **now;	/* by a parameter's id: the piece as the last update left it, */
	int *moved;		/* one past that update's place, */
	struct tensor **whole;	/* what was gathered last, */
	int *group;		/* in which group, counted from 1, */
	int *last;		/* and one past its last reader so far */
	int reader;		/* one past the last reader of any */
	VEC(struct group) groups;
	VEC(struct node *) *before;	/* by place: views that are made there */
	struct tensor **view;	/* by the id of a view: the one made last */
};

/* ---- pieces ---- */

static struct tensor *
make_piece(struct module *m, struct tensor *p)
{
	int64_t elements = shard_elements(m, tensor_elements_per_sample(p));
	struct tensor *q = ir_tensor(m, T_PARAM, p->dtype, false, 1, &elements, p->name, p->loc);

	tensor_start_as(q, tensor_init(p));
	q->undecayed = p->undecayed;
	q->frozen = p->frozen;
	q->group = p->group;
	q->turn = p->turn;
	q->shared = true;
	q->gradient_of = p;
	return q;
}

static void
make_pieces(struct gathering *t)
{
	struct module *m = t->m, was = *m;
	int i;

	memset(&m->persistent, 0, sizeof(m->persistent));	/* others may have the same list */
	for (i = 0; i < was.persistent.n; i++) {
		struct tensor *p = was.persistent.v[i];

		if (p->kind == T_PARAM)
			t->piece[p->id] = make_piece(m, p);
		else
			vec_push(m->arena, &m->persistent, p);
	}
}

/* What is gathered in place of a parameter that has one is its average. */
static void
take_averages(struct gathering *t, const struct graph *g)
{
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];

		for (k = 0; n->op->kind == OP_OPTIMIZER && k < n->nin; k++)
			if (n->in[k] && n->in[k]->averages)
				t->piece[n->in[k]->copies->id] = n->in[k];
	}
}

/* The parameter whose bytes it has; NULL: of none. */
static struct tensor *
parameter_of(const struct gathering *t, const struct tensor *x)
{
	return x && x->id < t->known ? t->of[x->id] : NULL;
}

static void
note_bytes(struct gathering *t, const struct tensor *x)
{
	struct tensor *root = x ? tensor_root(x) : NULL;

	if (root && root->id < t->known && t->piece[root->id])
		t->of[x->id] = root;
}

/* Before anything is changed: who has a parameter's bytes. */
static void
note_parameters(struct gathering *t, const struct graph *g)
{
	int i, k;

	for (i = 0; i < g->nodes.n; i++) {
		for (k = 0; k < g->nodes.v[i]->nin; k++)
			note_bytes(t, g->nodes.v[i]->in[k]);
		for (k = 0; k < g->nodes.v[i]->nout; k++)
			note_bytes(t, g->nodes.v[i]->out[k]);
	}
	for (i = 0; i < g->results.n; i++)
		note_bytes(t, g->results.v[i].tensor);
}

static void
update_piece(struct gathering *t, struct node *n, int i)
{
	struct tensor *p = parameter_of(t, n->in[0]), *out = n->out[0];

	n->in[0] = t->now[p->id];
	out->rank = 1;
	out->dim[0] = n->in[0]->dim[0];
	out->channels_last = false;
	out->shared = true;
	out->gradient_of = p;
	tensor_alias(out, n->in[0]);
	t->now[p->id] = out;
	t->moved[p->id] = i + 1;
	t->whole[p->id] = NULL;
}

/* ---- readers ---- */

static struct node *
append(struct gathering *t, const char *op, const struct node *reader, struct tensor *p, int nin, struct tensor *const *in)
{
	struct node *n = ir_node(t->g, op_find(op), p->name, p->loc, nin, in);
	struct tensor *out = ir_tensor_like(t->m, T_GATHERED, p, p->name, p->loc);

	n->phase = reader->phase;
	out->frozen = p->frozen;
	ir_add_output(t->m, n, out);
	return n;
}

static int64_t
bytes_of(const struct gathering *t, const struct tensor *p)
{
	int64_t mask = t->o->target->alignment - 1;

	return (affine_at(tensor_bytes(p), 1) + mask) & ~mask;
}

/* What of P's bytes counts as small: all, or none. */
static int64_t
small_bytes(const struct gathering *t, const struct tensor *p)
{
	int64_t bytes = bytes_of(t, p);

	return bytes <= SMALL_BYTES ? bytes : 0;
}

/* The group that P is gathered with, which is read first at place I, and was not updated from place
 * LEAST on. */
static struct group *
group_for(struct gathering *t, const struct tensor *p, int i, int least)
{
	struct group *last = t->groups.n ? &t->groups.v[t->groups.n - 1] : NULL;
	int64_t small = small_bytes(t, p);

	if (last && least <= last->use && (last->use == i || (small > 0 && last->small + small <= SMALL_BYTES))) {
		last->least = least > last->least ? least : last->least;
		return last;
	}
	vec_push(t->a, &t->groups, ((struct group){ .use = i, .at = i, .least = least }));
	return &t->groups.v[t->groups.n - 1];
}

/* Is all of P there still for the reader at place I? A small one is, as long as others may yet be
 * gathered with it. */
static bool
is_there(const struct gathering *t, const struct tensor *p, int i)
{
	int last = t->last[p->id];

	return t->whole[p->id] && (last == t->reader || last == i + 1 ||
	    (t->group[p->id] == t->groups.n && small_bytes(t, p) > 0 && t->groups.v[t->groups.n - 1].small <= SMALL_BYTES));
}

/* All of P, for the reader at place I. */
static struct tensor *
whole_for(struct gathering *t, struct tensor *p, int i)
{
	struct tensor *q = t->now[p->id];
	struct node *begin, *wait;
	struct group *group;

	if (!is_there(t, p, i)) {
		group = group_for(t, p, i, t->moved[p->id]);
		begin = append(t, "all_gather", t->node[i], p, 1, &q);
		wait = append(t, "all_gathered", t->node[i], p, 2, (struct tensor *[]){ begin->out[0], q });
		vec_push(t->a, &group->begin, begin);
		vec_push(t->a, &group->wait, wait);
		t->whole[p->id] = wait->out[0];
		group->bytes += bytes_of(t, p);
		group->small += small_bytes(t, p);
		t->group[p->id] = t->groups.n;
	}
	t->last[p->id] = i + 1;
	return t->whole[p->id];
}

/* What stands for X, which has a parameter's bytes, for the reader at place I. */
static struct tensor *
stand_in(struct gathering *t, struct tensor *x, int i)
{
	struct tensor *p = parameter_of(t, x), *whole = whole_for(t, p, i), *in, *made;
	struct node *n;
	int k;

	if (!x->def || !op_is_view(x->def->op))
		return whole;
	if (t->view[x->id] && tensor_root(t->view[x->id]) == tensor_root(whole))
		return t->view[x->id];
	in = stand_in(t, x->def->in[0], i);
	n = ir_node(t->g, x->def->op, x->def->path, x->def->loc, x->def->nin, x->def->in);
	n->in[0] = in;
	n->attr = x->def->attr;
	n->phase = t->node[i]->phase;
	n->training = x->def->training;
	for (k = 0; k < x->def->nout; k++) {
		made = x->def->out[k] ? ir_tensor_like(t->m, x->def->out[k]->kind, x->def->out[k], x->def->out[k]->name,
		    x->def->out[k]->loc) : NULL;
		ir_add_output(t->m, n, made);
		if (x->def->out[k])
			t->view[x->def->out[k]->id] = made;
	}
	vec_push(t->a, &t->before[i], n);
	return t->view[x->id];
}

static bool
is_view_of_parameter(const struct gathering *t, const struct node *n)
{
	return op_is_view(n->op) && n->nin > 0 && parameter_of(t, n->in[0]);
}

/* Who differentiates the node knows its parameters by what they are. */
static void
keep(struct gathering *t, struct node *n)
{
	struct node *was = ARENA_NEW(t->m->arena, struct node);

	*was = *n;
	n->in = arena_array(t->m->arena, (size_t)n->nin + 1, sizeof(*n->in));
	memcpy(n->in, was->in, (size_t)n->nin * sizeof(*n->in));
	n->in_room = n->nin + 1;
	t->was[n->id] = was;
}

static void
read_whole(struct gathering *t, int i)
{
	struct node *n = t->node[i];
	int k;

	if (is_view_of_parameter(t, n))
		return;
	for (k = 0; k < n->nin; k++)
		if (parameter_of(t, n->in[k])) {
			if (!t->was[n->id])
				keep(t, n);
			n->in[k] = stand_in(t, n->in[k], i);
		}
	if (t->was[n->id])
		t->reader = i + 1;
}

static void
point_at_what_was(const struct gathering *t, const struct graph *g)
{
	int i;

	for (i = 0; g && i < g->nodes.n; i++) {
		struct node *n = g->nodes.v[i];

		if (n->forward && t->was[n->forward->id])
			n->forward = t->was[n->forward->id];
	}
}

/* ---- the order ---- */

/* Small ones first, as a call that is large enough takes no more (plan/exchanges.c). */
static void
append_begins(struct gathering *t, const struct group *group)
{
	int j, small;

	for (small = 1; small >= 0; small--)
		for (j = 0; j < group->begin.n; j++)
			if ((small_bytes(t, group->begin.v[j]->out[0]) > 0) == small)
				vec_push(t->m->arena, &t->g->nodes, group->begin.v[j]);
}

/* The graph's nodes, with groups where they begin; by place as it was, *PLACE is where that is
 * now. */
static void
arrange(struct gathering *t, int *place)
{
	struct graph *g = t->g;
	int i, k, from = 0;

	g->nodes.v = NULL;
	g->nodes.n = g->nodes.cap = 0;
	for (i = 0; i <= t->nodes; i++) {
		place[i] = g->nodes.n;
		for (k = from; k < t->groups.n; k++) {	/* in the order of their readers, which is that of their beginnings */
			struct group *group = &t->groups.v[k];
			int j;

			if (group->use == i && group->at == i)
				append_begins(t, group);
			for (j = 0; group->use == i && j < group->wait.n; j++)
				vec_push(t->m->arena, &g->nodes, group->wait.v[j]);
			if (group->use > i && group->at == i)
				append_begins(t, group);
			if (group->use > i && group->at > i)
				break;
		}
		while (from < t->groups.n && t->groups.v[from].use <= i)
			from++;
		if (i == t->nodes)
			return;
		for (k = 0; k < t->before[i].n; k++)
			vec_push(t->m->arena, &g->nodes, t->before[i].v[k]);
		if (!is_view_of_parameter(t, t->node[i]))
			vec_push(t->m->arena, &g->nodes, t->node[i]);
	}
}

/* Lets groups begin as soon as the one before them is there, as far as LIMIT allows. */
static void
begin_early(struct gathering *t, const int64_t *live, const int *place, int64_t limit)
{
	int64_t *beside = arena_array(t->a, (size_t)t->nodes + 1, sizeof(*beside));	/* what early ones take, by place */
	int k, i, j;

	for (k = 1; k < t->groups.n; k++) {
		struct group *group = &t->groups.v[k];
		int from = t->groups.v[k - 1].use;

		from = from < group->least ? group->least : from;
		for (i = group->use - 1; i >= from; i--) {
			bool fits = true;

			for (j = place[i]; fits && j < place[i + 1]; j++)
				fits = live[j] + beside[i] + group->bytes <= limit;
			if (!fits)
				break;
			beside[i] += group->bytes;
			group->at = i;
		}
	}
}

static int64_t
peak_of(struct graph *g, const struct pass_options *o, struct model **made, struct arena *a)
{
	struct model *m = g ? step_model(a, g, o, STEP_ONCE) : NULL;

	if (made)
		*made = m && step_try(m) ? m : NULL;
	else if (!m || !step_try(m))
		return 0;
	return m ? m->trial->peak : 0;
}

static void
gather_in(struct gathering *t, struct graph *g, int64_t limit)
{
	size_t tensors = (size_t)t->m->next_tensor + 1;
	struct model *model;
	int64_t peak;
	int *place, i;

	t->g = g;
	t->node = g->nodes.v;
	t->nodes = g->nodes.n;
	t->now = arena_array(t->a, tensors, sizeof(*t->now));
	memcpy(t->now, t->piece, (size_t)t->known * sizeof(*t->now));
	t->whole = arena_array(t->a, tensors, sizeof(*t->whole));
	t->view = arena_array(t->a, tensors, sizeof(*t->view));
	t->moved = arena_array(t->a, tensors, sizeof(*t->moved));
	t->last = arena_array(t->a, tensors, sizeof(*t->last));
	t->group = arena_array(t->a, tensors, sizeof(*t->group));
	t->before = arena_array(t->a, (size_t)t->nodes + 1, sizeof(*t->before));
	note_parameters(t, g);
	t->reader = 0;
	t->groups.n = 0;
	place = arena_array(t->a, (size_t)t->nodes + 2, sizeof(*place));
	g->nodes.v = NULL;
	g->nodes.n = g->nodes.cap = 0;
	for (i = 0; i < t->nodes; i++)
		if (t->node[i]->op->kind == OP_OPTIMIZER)
			update_piece(t, t->node[i], i);
		else
			read_whole(t, i);
	for (i = 0; i < g->results.n; i++)	/* a weight itself */
		if (t->nodes && parameter_of(t, g->results.v[i].tensor))
			g->results.v[i].tensor = stand_in(t, g->results.v[i].tensor, t->nodes - 1);
	arrange(t, place);
	peak = peak_of(g, t->o, &model, t->a);
	if (!model)
		return;
	begin_early(t, model->trial->live, place, limit > peak ? limit : peak);
	arrange(t, place);
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct gathering t = { .m = m, .o = o };
	bool parameters = module_shares_out(m, SHARD_PARAMETERS);
	int64_t train, validate;

	if (!parameters && !module_averages_apart(m))
		return true;
	t.a = arena_child(m->arena);
	t.known = m->next_tensor;
	t.piece = arena_array(t.a, (size_t)t.known + 1, sizeof(*t.piece));
	t.of = arena_array(t.a, (size_t)t.known + 1, sizeof(*t.of));
	t.was = arena_array(t.a, (size_t)m->next_node + 1, sizeof(*t.was));
	train = peak_of(m->train, o, NULL, t.a);
	validate = peak_of(m->validate, o, NULL, t.a);
	if (parameters) {
		make_pieces(&t);
		gather_in(&t, m->train, validate);
	}
	if (parameters && m->update)
		gather_in(&t, m->update, train);
	if (module_averages_apart(m))
		take_averages(&t, m->update ? m->update : m->train);
	if (m->validate)
		gather_in(&t, m->validate, train);
	point_at_what_was(&t, m->train);
	point_at_what_was(&t, m->validate);
	arena_free(t.a);
	return true;
}

const struct pass pass_gather = {
	.name = "gather",
	.doc = "bring parameters of which each rank has a piece to all of them, before who reads them",
	.run = run,
};
