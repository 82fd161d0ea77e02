/*
 * A step with checkpoints at regular distances: forward is cut into parts that make about as much
 * each, where few bytes cross; what crosses is kept, and each part runs again, as a whole, before
 * its backward. Descents begin from it in networks so long that they would get there move by move,
 * or not at all.
 *
 *     forward   | a b c | d e | f g h |          | cut: what crosses it is kept
 *     backward  f g h again, h' g' f', d e again, e' d', ...
 */
#include "schedule/recompute_impl.h"

struct parts {
	const struct model *m;
	struct arena *a;
	bool *free;		/* by value: may be made again */
	bool *read;		/* by value: by backward */
	int *left;		/* by value, of roots: the last node of forward that uses it */
	int *part;		/* by node of forward */
	int *beg;		/* by part: its first node; one more ends the last */
	bool *there, *wanted;	/* by value: while the list is written */
	struct steps *out;
};

static int
root_of(const struct model *m, const struct model_node *n, int k)
{
	int v = k < n->nin ? n->in[k] : n->out[k - n->nin];

	return v < 0 ? -1 : m->value[v].root;
}

static void
find_uses(struct parts *p)
{
	const struct model *m = p->m;
	int i, k;

	for (i = 0; i < m->nvalues; i++) {
		const struct model_value *v = &m->value[i];

		p->free[i] = v->root == i && !v->persistent && !v->fixed && v->def >= 0 &&
		    v->def < m->forward;
		p->left[i] = v->def;
	}
	for (i = 0; i < m->nnodes; i++)
		for (k = 0; k < m->node[i].nin + m->node[i].nout; k++) {
			int root = root_of(m, &m->node[i], k);

			if (root >= 0 && i < m->forward)
				p->left[root] = i;
			else if (root >= 0 && k < m->node[i].nin)
				p->read[root] = true;
		}
}

/* ---- cuts ---- */

/* In each of as many windows, which make as much each, the place that least crosses. */
static void
cut(struct parts *p, int n)
{
	const struct model *m = p->m;
	int64_t *cross = arena_array(p->a, (size_t)m->forward + 2, sizeof(*cross)), all = 0, made = 0;
	int i, best = 0, parts = 0;

	for (i = 0; i < m->nvalues; i++)
		if (p->free[i]) {
			cross[m->value[i].def + 1] += m->value[i].bytes;
			cross[p->left[i] + 1] -= m->value[i].bytes;
			all += p->read[i] ? m->value[i].bytes : 0;
		}
	for (i = 1; i < m->forward; i++) {
		const struct model_node *before = &m->node[i - 1];
		int out = before->nout ? before->out[0] : -1;

		cross[i] += cross[i - 1];
		made += out >= 0 && p->free[out] && p->read[out] ? m->value[out].bytes : 0;
		if (best == 0 || cross[i] <= cross[best])
			best = i;
		if (parts < n - 1 && made > all / n * (parts + 1)) {
			p->beg[++parts] = best;
			best = 0;
		}
	}
	p->beg[++parts] = m->forward;
	for (i = 0; i < parts; i++)
		for (best = p->beg[i]; best < p->beg[i + 1]; best++)
			p->part[best] = i;
}

/* ---- the list ---- */

static int
want(struct parts *p, int v)
{
	int root = v < 0 ? -1 : p->m->value[v].root;

	if (root < 0 || !p->free[root] || p->there[root] || p->wanted[root])
		return 0;
	p->wanted[root] = true;
	return 1;
}

static void
write_event(struct parts *p, bool again, int what)
{
	if (p->out->n < p->m->trial->most_events)
		p->out->event[p->out->n++] = (struct step_event){ again, what };
}

/* Makes a part's values that backward reads, with what they are made from. */
static void
make_part(struct parts *p, int part)
{
	const struct model *m = p->m;
	int beg = p->beg[part], end = p->beg[part + 1], n = 0, i, k, out;

	for (i = beg; i < end; i++) {
		out = m->node[i].nout ? m->node[i].out[0] : -1;
		if (out >= 0 && p->free[out] && p->read[out])
			n += want(p, out);
	}
	for (i = end; n > 0 && i-- > 0;) {
		out = m->node[i].nout ? m->node[i].out[0] : -1;
		if (out < 0 || !p->wanted[out])
			continue;
		n--;
		for (k = 0; k < m->node[i].again->nin; k++)
			n += want(p, m->node[i].again->in[k]);
	}
	for (i = i < 0 ? 0 : i; i < end; i++) {
		out = m->node[i].nout ? m->node[i].out[0] : -1;
		if (out < 0 || !p->wanted[out])
			continue;
		p->wanted[out] = false;
		p->there[out] = true;
		write_event(p, true, out);
	}
}

static void
write_list(struct parts *p)
{
	const struct model *m = p->m;
	int i, k, root;

	for (i = 0; i < m->nvalues; i++)	/* what crosses a cut is kept */
		p->there[i] = !p->free[i] || p->part[m->value[i].def] != p->part[p->left[i]];
	for (i = 0; i < m->nnodes; i++) {
		for (k = 0; i >= m->forward && k < m->node[i].nin; k++)
			if ((root = root_of(m, &m->node[i], k)) >= 0 && !p->there[root])
				make_part(p, p->part[m->value[root].def]);
		write_event(p, false, i);
	}
}

bool
steps_in_parts(struct state_search *s, int n, struct steps *out)
{
	struct model *m = s->m;
	struct arena *a = arena_child(m->arena);
	size_t values = (size_t)m->nvalues + 1;
	struct parts p = { .m = m, .a = a, .out = out, .free = arena_array(a, values, sizeof(bool)),
	    .read = arena_array(a, values, sizeof(bool)), .left = arena_array(a, values, sizeof(int)),
	    .part = arena_array(a, (size_t)m->forward + 1, sizeof(int)),
	    .beg = arena_array(a, (size_t)n + 2, sizeof(int)),
	    .there = arena_array(a, values, sizeof(bool)), .wanted = arena_array(a, values, sizeof(bool)) };

	out->n = 0;
	find_uses(&p);
	cut(&p, n);
	write_list(&p);
	arena_free(a);
	return steps_try(m, out);
}
