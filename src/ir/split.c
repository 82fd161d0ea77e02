/* What operators say of themselves by which layers are split over ranks; see split.h. */
#include "ir/split.h"

#include <string.h>

bool
split_can_be_said(const struct op *op)
{
	return op->ranks.split && !op->ranks.hands_on;
}

bool
split_is_said(const struct node *n)
{
	const struct node *f = n->forward ? n->forward : n;

	return split_can_be_said(f->op) && op_attr(f, "split")->i;
}

bool
split_is_done(const struct module *m, const struct node *n)
{
	return module_splits(m) && split_is_said(n);
}

const struct node *
split_first(const struct graph *g)
{
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (split_is_said(g->nodes.v[i]))
			return g->nodes.v[i];
	return NULL;
}

int
split_blocks(const struct split *s, const struct tensor *t)
{
	return t && t->id < s->known ? s->blocks[t->id] : 0;
}

/* Appends the operator called OP, of T alone; what it makes is as long, but for the last axis. */
static struct tensor *
append(struct split *s, const struct node *of, const char *op, struct tensor *t, const char *suffix, int64_t times)
{
	struct node *n = ir_node(s->g, op_find(op), of->path, of->loc, 1, &t);
	struct tensor *y = ir_tensor_like(s->m, T_ACTIVATION, t, arena_join(s->m->arena, t->name, ".", suffix), t->loc);

	n->training = s->g->training;
	n->attr = op_presets(s->m->arena, n->op);
	y->dim[y->rank - 1] *= times;
	return ir_add_output(s->m, n, y);
}

struct tensor *
split_enter(struct split *s, const struct node *n, struct tensor *t)
{
	if (!s->entered[t->id] || t->kind == T_PARAM)	/* turns read a parameter as it is then */
		s->entered[t->id] = append(s, n, "split_enter", t, "entered", 1);
	return s->entered[t->id];
}

struct tensor *
split_whole(struct split *s, const struct node *n, struct tensor *t)
{
	int blocks = split_blocks(s, t);

	if (!blocks)
		return t;
	if (!s->joined[t->id]) {
		s->joined[t->id] = append(s, n, "split_join", t, "joined", s->ranks);
		op_preset(s->joined[t->id]->def->op, s->joined[t->id]->def->attr, "blocks")->i = blocks;
	}
	return s->joined[t->id];
}

static struct tensor *
part_of(struct split *s, struct tensor *p, int axis, int blocks)
{
	struct tensor *part;
	int64_t dim[MAX_RANK];

	memcpy(dim, p->dim, (size_t)p->rank * sizeof(*dim));
	dim[axis] /= s->ranks;
	part = ir_tensor(s->m, T_PARAM, p->dtype, false, p->rank, dim, p->name, p->loc);
	tensor_start_as(part, tensor_init(p));
	part->undecayed = p->undecayed;
	part->frozen = p->frozen;
	part->group = p->group;
	part->turn = p->turn;
	part->split_axis = axis;
	part->split_blocks = blocks;
	part->gradient_of = p;
	return part;
}

bool
split_parameter(struct split *s, struct node *n, int k, int axis, int blocks)
{
	struct tensor *p = n->in[k], *part;
	struct diag *g;

	if (p->kind != T_PARAM || p->id >= s->known) {
		g = diag_error(s->m->diags, "settings", n->loc, "split=ranks shares out weights that are trained, and those of '%s' "
		    "are computed", n->path);
		diag_help(s->m->diags, g, "leave split out here");
		return false;
	}
	part = s->part[p->id];
	if (!part)
		part = s->part[p->id] = part_of(s, p, axis, blocks);
	if (part->split_axis != axis || part->split_blocks != blocks) {
		g = diag_error(s->m->diags, "settings", n->loc, "'%s' is shared out to ranks in another way by another layer that has "
		    "the same weights", p->name);
		diag_help(s->m->diags, g, "weights of its own, or split=ranks for none of them");
		return false;
	}
	n->in[k] = part;
	return true;
}

struct attr *
split_attr(struct split *s, struct node *n, const char *name)
{
	size_t bytes = (size_t)op_nattrs(n->op) * sizeof(*n->attr);
	struct attr *own = arena_array(s->m->arena, (size_t)op_nattrs(n->op) + 1, sizeof(*own));

	memcpy(own, n->attr, bytes);
	n->attr = own;
	return op_preset(n->op, own, name);
}

void
split_result(struct split *s, struct tensor *t, int blocks)
{
	t->dim[t->rank - 1] /= s->ranks;
	s->blocks[t->id] = blocks;
}

void
split_append(struct split *s, struct node *n)
{
	vec_push(s->m->arena, &s->g->nodes, n);
}

void
split_append_sum(struct split *s, struct node *n, struct tensor *bias)
{
	struct tensor *y = n->out[0], *partial = ir_tensor_like(s->m, T_ACTIVATION, y,
	    arena_join(s->m->arena, y->name, ".", "partial"), y->loc);
	struct node *sum;

	n->out[0] = partial;
	partial->def = n;
	split_append(s, n);
	sum = ir_node(s->g, op_find("split_sum"), n->path, n->loc, bias ? 2 : 1, (struct tensor *[]){ partial, bias });
	sum->training = s->g->training;
	y->def = NULL;
	ir_add_output(s->m, sum, y);
}

bool
split_uneven(struct split *s, const struct node *n, int64_t count, const char *things)
{
	struct diag *g = diag_error(s->m->diags, "settings", n->loc, "split=ranks: %lld ranks do not divide the %lld %s of '%s'",
	    (long long)s->ranks, (long long)count, things, n->path);
	int64_t more = (count / s->ranks + 1) * s->ranks;

	diag_help(s->m->diags, g, "%lld %s would be %lld on each; or leave split out here, or another number of ranks", (long long)more,
	    things, (long long)(more / s->ranks));
	return true;
}
