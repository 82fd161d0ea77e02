/*
 * The IR verifier: what must hold between any two passes. A violation is our own bug, so it is
 * reported as rule "internal" with the node's place, and compilation stops.
 *
 * 1. Every input of a node is persistent, staged, or defined by an earlier node of the same graph.
 * 2. Every tensor is defined once, and knows its node.
 * 3. Extents are positive, bytes below the limit.
 * 4. An output aliases nothing, or an input of its node of the same bytes.
 * 5. Operand counts respect the operator.
 * 6. What a node adds onto, its first output takes over, and no other operand lies there.
 * 7. The operands of a node with a body are those of the body's inputs, then what persists of what it reads.
 * 8. Only what has layouts lies channels-last, and what takes over bytes lies as they did.
 * 9. What a node has overwritten (a weight that is updated) no later node reads, nor a view of it.
 */
#include "ir/ir.h"

#include <string.h>

#include "formula/formula.h"
#include "ir/rounds.h"

struct verifier {
	struct module *m;
	const struct graph *g;
	bool *defined;		/* by tensor id */
	/* by tensor id; of one that no node has defined as yet NULL: itself */
	const struct tensor **root;	/* in whose bytes it lies */
	const struct tensor **value;	/* of which it has the value: a view, of what it views */
	const struct tensor **holds;	/* a root: whose value is there now */
	bool ok;
};

static void __attribute__((format(printf, 3, 4)))
breach(struct verifier *v, const struct node *n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(v->m->diags, "internal", n->loc, "IR of graph '%s', %s '%s': %s", v->g->name,
	    n->op->name, n->path, arena_vprintf(v->m->arena, fmt, ap));
	va_end(ap);
	v->ok = false;
}

static void
check_shape(struct verifier *v, const struct node *n, const struct tensor *t)
{
	struct affine bytes = tensor_bytes(t);
	int i;

	for (i = 0; i < t->rank; i++)
		if (t->dim[i] < 1)
			breach(v, n, "'%s' has an extent of %lld", t->name, (long long)t->dim[i]);
	if (bytes.fixed < 0 || bytes.per_sample < 0 || bytes.fixed > LARGEST_BYTES ||
	    bytes.per_sample > LARGEST_BYTES)
		breach(v, n, "'%s' is too large", t->name);
	if (t->channels_last && !tensor_has_layouts(t))
		breach(v, n, "'%s' cannot lie channels-last", t->name);
}

static void
check_alias(struct verifier *v, const struct node *n, const struct tensor *t)
{
	struct affine a, b;
	int j;

	if (!t->alias_of)
		return;
	a = tensor_bytes(t);
	b = tensor_bytes(t->alias_of);
	if (a.fixed != b.fixed || a.per_sample != b.per_sample)
		breach(v, n, "'%s' aliases '%s' of another size", t->name, t->alias_of->name);
	if (t->channels_last != t->alias_of->channels_last)
		breach(v, n, "'%s' aliases '%s' of another layout", t->name, t->alias_of->name);
	for (j = 0; j < n->nin; j++)
		if (n->in[j] == t->alias_of)
			return;
	breach(v, n, "'%s' aliases '%s', which is no input", t->name, t->alias_of->name);
}

static void
check_base(struct verifier *v, const struct node *n)
{
	const struct tensor *base = op_base(n);
	int j;

	if (!base)
		return;
	if (n->nout < 1 || !n->out[0] || n->out[0]->alias_of != base)
		breach(v, n, "adds onto '%s', but does not write there", base->name);
	for (j = 0; j < n->nin; j++)
		if (j != n->op->memory.onto && n->in[j] && tensor_root(n->in[j]) == tensor_root(base))
			breach(v, n, "adds onto '%s', which it also reads", base->name);
}

/* A formula is of as many operands and results as the node has; where it is but a part of what the
 * node does, of no more. */
static void
check_formulas(struct verifier *v, const struct node *n)
{
	bool whole = n->op->flags & OP_ELEMENTWISE;
	const struct formula *f;
	int i, j;

	for (i = 0; i < op_nattrs(n->op) && n->attr; i++) {
		if (n->op->attrs[i].type != ATTR_FORMULA)
			continue;
		f = n->attr[i].formula;
		if (!f || f->operands > n->nin || (whole && (f->operands != n->nin || f->results != n->nout))) {
			breach(v, n, "its formula is of other operands or results");
			continue;
		}
		for (j = 0; whole && j < n->nin + n->nout; j++)
			if (!(j < n->nin ? n->in[j] : n->out[j - n->nin]))
				breach(v, n, "an operand or a result of its formula is absent");
	}
}

static void
check_body(struct verifier *v, const struct node *n)
{
	const struct attr *body = op_body(n);
	struct tensor **param;
	int given, params, i;

	if (!body) {
		if (n->op->rounds.make)
			breach(v, n, "it has no body");
		return;
	}
	given = body->body->inputs.n;
	params = body_params(v->m->arena, body->body, &param);
	if (n->nin < given + params) {
		breach(v, n, "%d operands, its body has %d", n->nin, given + params);
		return;
	}
	for (i = 0; i < given; i++)
		if (!n->in[i])
			breach(v, n, "an operand of its body is absent");
	for (i = 0; i < params; i++)
		if (!n->in[given + i] || n->in[given + i]->dtype != param[i]->dtype ||
		    !tensor_same_shape(n->in[given + i], param[i]))
			breach(v, n, "its body reads '%s', which is not its operand", param[i]->name);
}

/* ---- what is overwritten ---- */

static const struct tensor *
known(const struct tensor *const *of, const struct tensor *t)
{
	return of[t->id] ? of[t->id] : t;
}

static void
check_read(struct verifier *v, const struct node *n, const struct tensor *t)
{
	const struct tensor *there = known(v->holds, known(v->root, t));

	if (there != known(v->value, t))
		breach(v, n, "reads '%s' (%%%d), which '%s' (%%%d) has overwritten", t->name, t->id, there->name, there->id);
}

/* Roots are followed as tensors are defined, since aliases of broken text may go round. */
static void
write_to(struct verifier *v, const struct node *n, const struct tensor *t)
{
	if (t->alias_of)
		v->root[t->id] = known(v->root, t->alias_of);
	if (op_is_view(n->op) && t->alias_of)
		v->value[t->id] = known(v->value, t->alias_of);
	else
		v->holds[known(v->root, t)->id] = t;
}

/* ---- nodes ---- */

static void
check_node(struct verifier *v, const struct node *n)
{
	int j;

	if (n->nin < n->op->min_operands)
		breach(v, n, "%d operands, at least %d needed", n->nin, n->op->min_operands);
	check_base(v, n);
	check_formulas(v, n);
	check_body(v, n);
	for (j = 0; j < n->nin; j++) {
		const struct tensor *t = n->in[j];

		if (t && !v->defined[t->id] && !tensor_kind_persistent(t->kind) && !t->accumulates)
			breach(v, n, "reads '%s' (%%%d) before it is defined", t->name, t->id);
		if (t)
			check_read(v, n, t);
	}
	for (j = 0; j < n->nout; j++) {
		const struct tensor *t = n->out[j];

		if (!t)
			continue;
		if (v->defined[t->id])
			breach(v, n, "defines '%s' (%%%d) again", t->name, t->id);
		if (t->def != n)
			breach(v, n, "'%s' does not know the node that defines it", t->name);
		v->defined[t->id] = true;
		check_shape(v, n, t);
		check_alias(v, n, t);
		write_to(v, n, t);
	}
}

static void
check_graph(struct verifier *v, const struct graph *g)
{
	int i;

	v->g = g;
	memset(v->holds, 0, ((size_t)v->m->next_tensor + 1) * sizeof(*v->holds));	/* each finds what persists */
	for (i = 0; i < g->inputs.n; i++)
		v->defined[g->inputs.v[i]->id] = true;
	for (i = 0; i < g->nodes.n; i++)
		check_node(v, g->nodes.v[i]);
	for (i = 0; i < g->results.n; i++)
		if (!v->defined[g->results.v[i].tensor->id]) {
			diag_error(v->m->diags, "internal", g->results.v[i].loc,
			    "IR of graph '%s': result '%s' is not defined", g->name,
			    g->results.v[i].name);
			v->ok = false;
		}
}

bool
ir_verify(struct module *m)
{
	const struct graph *const graph[] = { m->forward, m->train, m->update, m->validate };
	struct verifier v = { .m = m, .ok = true };
	size_t tensors = (size_t)m->next_tensor + 1;
	int i;

	v.defined = arena_array(m->arena, tensors, sizeof(*v.defined));
	v.root = arena_array(m->arena, tensors, sizeof(*v.root));
	v.value = arena_array(m->arena, tensors, sizeof(*v.value));
	v.holds = arena_array(m->arena, tensors, sizeof(*v.holds));
	for (i = 0; i < m->bodies.n; i++)
		check_graph(&v, m->bodies.v[i]);
	for (i = 0; i < 4; i++)
		if (graph[i])
			check_graph(&v, graph[i]);
	return v.ok;
}
