/* Choices of what to make again that were searched for before, by a hash of the model. */
#include "schedule/known_choices.h"

#include <string.h>

#include "base/vec.h"

#define MOST_VALUES	(4 << 20)	/* of all that are kept: 4 MB */

struct known_choice {
	uint64_t key;
	int nvalues, nnodes;
	unsigned char *state;
};

struct known_choices {
	struct arena *arena;
	VEC(struct known_choice) all;
	int values;
};

struct known_choices *
known_choices_new(struct arena *a)
{
	struct known_choices *k = ARENA_NEW(a, struct known_choices);

	k->arena = a;
	return k;
}

/* ---- what a search sees ---- */

static void
mix(uint64_t *h, int64_t x)
{
	*h = (*h ^ (uint64_t)x) * 0x9e3779b97f4a7c15u;
	*h ^= *h >> 32;
}

static void
mix_list(uint64_t *h, const int *list, int n)
{
	int i;

	mix(h, n);
	for (i = 0; i < n; i++)
		mix(h, list[i]);
}

static void
mix_node(uint64_t *h, const struct model_node *n)
{
	mix_list(h, n->in, n->nin);
	mix_list(h, n->out, n->nout);
	mix(h, n->over.inputs);
	mix(h, n->over.elementwise);
	mix(h, n->work);
	mix(h, n->stage);
	mix(h, n->updates);
	mix(h, n->repeatable);
	mix(h, (int64_t)(intptr_t)n->node->op);
	if (!n->repeatable)
		return;
	mix_list(h, n->again->in, n->again->nin);
	mix(h, n->again->over.inputs);
	mix(h, n->again->over.elementwise);
	mix(h, n->again->work);
	mix(h, n->again->macs);
	mix(h, n->again->traffic);
	mix(h, (int64_t)(intptr_t)n->again->op);
}

uint64_t
known_choices_key(const struct model *m)
{
	uint64_t h = 1469598103934665603u;
	int i;

	mix(&h, m->forward);
	mix(&h, m->repeats);
	mix(&h, m->g->inputs.n);
	for (i = 0; i < m->nnodes; i++)
		mix_node(&h, &m->node[i]);
	for (i = 0; i < m->nvalues; i++) {
		const struct model_value *v = &m->value[i];

		mix(&h, v->root);
		mix(&h, v->def);
		mix(&h, v->bytes);
		mix(&h, v->size);
		mix(&h, v->batched);
		mix(&h, v->persistent | v->fixed << 1 | v->settled << 2 | m->state[i] << 3);
	}
	mix_list(&h, m->result, m->nresults);
	return h;
}

/* ---- all of them ---- */

bool
known_choices_find(const struct known_choices *k, uint64_t key, struct model *m)
{
	int i;

	for (i = 0; i < k->all.n; i++) {
		const struct known_choice *c = &k->all.v[i];

		if (c->key != key || c->nvalues != m->nvalues || c->nnodes != m->nnodes)
			continue;
		memcpy(m->state, c->state, (size_t)m->nvalues);
		return true;
	}
	return false;
}

void
known_choices_keep(struct known_choices *k, uint64_t key, const struct model *m)
{
	struct known_choice new = { key, m->nvalues, m->nnodes, NULL };

	if (m->nvalues > MOST_VALUES - k->values)
		return;
	new.state = arena_array(k->arena, (size_t)m->nvalues + 1, 1);
	memcpy(new.state, m->state, (size_t)m->nvalues);
	vec_push(k->arena, &k->all, new);
	k->values += m->nvalues;
}
