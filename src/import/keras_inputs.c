/*
 * What a model of Keras leaves open about its inputs, as the layers that read them say: that they
 * are numbers of an embedding, and whether the last axis is channels.
 */
#include "import/keras.h"

#include <string.h>

static const struct model_node *
first_reader(const struct model *m, const char *name)
{
	int i, k;

	for (i = 0; i < m->nodes.n; i++)
		for (k = 0; k < m->nodes.v[i]->nin; k++)
			if (strcmp(m->nodes.v[i]->in[k], name) == 0)
				return m->nodes.v[i];
	return NULL;
}

static bool
is_looked_up(const struct model *m, const char *name)
{
	int i, k;

	for (i = 0; i < m->nodes.n; i++)
		for (k = 0; k < m->nodes.v[i]->nin && strcmp(m->nodes.v[i]->op, "Embedding") == 0; k++)
			if (strcmp(m->nodes.v[i]->in[k], name) == 0)
				return true;
	return false;
}

/* Does what looks rows up read inputs as they are, wherever there is such a layer? */
static bool
inputs_tell(const struct model *m)
{
	int i, k, from;

	for (i = 0; i < m->nodes.n; i++)
		for (k = 0; k < m->nodes.v[i]->nin && strcmp(m->nodes.v[i]->op, "Embedding") == 0; k++) {
			for (from = 0; from < m->inputs.n && strcmp(m->inputs.v[from].name, m->nodes.v[i]->in[k]) != 0; from++)
				;
			if (from == m->inputs.n)
				return false;
		}
	return true;
}

static bool
ends_with_dimension(const char *op)
{
	size_t n = strlen(op);

	return (n > 2 && op[n - 1] == 'D' && op[n - 2] >= '1' && op[n - 2] <= '3') || strstr(op, "Conv") != NULL;
}

/* Images are maps, and lines that a convolution or a pool reads, maybe after layers that do not
 * mind. */
static bool
is_map(const struct model *m, const struct model_value *v)
{
	static const char *const either[] = { "Activation", "BatchNormalization", "Dropout", "Normalization", "Rescaling" };
	const struct model_node *n = first_reader(m, v->name);
	size_t i;
	int steps;

	for (steps = 0; n && steps < 8; steps++) {
		if (ends_with_dimension(n->op))
			return !keras_is_first(n);
		for (i = 0; i < sizeof(either) / sizeof(*either); i++)
			if (strcmp(n->op, either[i]) == 0)
				break;
		if (i == sizeof(either) / sizeof(*either))
			break;
		n = first_reader(m, n->out[0]);
	}
	return v->rank > 3;
}

void
keras_inputs_know(struct model *m)
{
	bool tell = inputs_tell(m);
	int i;

	for (i = 0; i < m->inputs.n; i++) {
		if (is_looked_up(m, m->inputs.v[i].name))
			m->inputs.v[i].type = ELEMENT_I32;
		else if (m->inputs.v[i].type == ELEMENT_I32 && tell)	/* whole numbers that look nothing up are real ones */
			m->inputs.v[i].type = ELEMENT_F32;
		m->inputs.v[i].is_map = m->inputs.v[i].rank > 2 && is_map(m, &m->inputs.v[i]);
	}
}
