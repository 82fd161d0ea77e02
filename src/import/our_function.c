/* A sum over a function's text in the order of its schema. Names count as well, as nodes find one
 * another by these. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef HAVE_PROTOBUF_C

#include "import/our_function.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/fnv.h"
#include "import/wire.h"

struct sum {
	uint64_t h;
	const unsigned char *file;
};

static void
add_bytes(struct sum *s, const void *bytes, size_t n)
{
	s->h = fnv_add(s->h, bytes, n);
}

static void
add_int(struct sum *s, int64_t v)
{
	unsigned char bytes[8];	/* of any machine, the lowest first */
	int i;

	for (i = 0; i < 8; i++)
		bytes[i] = (unsigned char)((uint64_t)v >> (8 * i));
	add_bytes(s, bytes, sizeof(bytes));
}

static void
add_text(struct sum *s, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	add_int(s, (int64_t)n);
	add_bytes(s, text, n);
}

static void
add_texts(struct sum *s, size_t n, char *const *text)
{
	size_t i;

	add_int(s, (int64_t)n);
	for (i = 0; i < n; i++)
		add_text(s, text[i]);
}

/* Numbers that were left in the file, which wire_cut() has as it is. */
static void
add_elsewhere(struct sum *s, const Onnx__TensorProto *t)
{
	unsigned i;

	for (i = 0; s->file && i < t->base.n_unknown_fields; i++) {
		const ProtobufCMessageUnknownField *u = &t->base.unknown_fields[i];
		struct wire_place place;

		if (u->tag != WIRE_ELSEWHERE || u->len < sizeof(place))
			continue;
		memcpy(&place, u->data + u->len - sizeof(place), sizeof(place));
		add_int(s, (int64_t)place.size);
		add_bytes(s, s->file + place.beg, place.size);
	}
}

/* Its numbers are bytes, as stowage export writes them; told otherwise, it is another. */
static void
add_tensor(struct sum *s, const Onnx__TensorProto *t)
{
	size_t i;

	add_int(s, t->data_type);
	add_int(s, (int64_t)t->n_dims);
	for (i = 0; i < t->n_dims; i++)
		add_int(s, t->dims[i]);
	if (t->has_raw_data) {
		add_int(s, (int64_t)t->raw_data.len);
		add_bytes(s, t->raw_data.data, t->raw_data.len);
	}
	add_elsewhere(s, t);
	add_int(s, (int64_t)(t->n_float_data + t->n_int32_data + t->n_int64_data + t->n_double_data + t->n_uint64_data +
	    t->n_string_data + t->n_external_data));
}

static void add_node(struct sum *, const Onnx__NodeProto *);

static void
add_graph(struct sum *s, const Onnx__GraphProto *g)
{
	size_t i;

	add_int(s, (int64_t)g->n_input);
	for (i = 0; i < g->n_input; i++)
		add_text(s, g->input[i]->name);
	add_int(s, (int64_t)g->n_output);
	for (i = 0; i < g->n_output; i++)
		add_text(s, g->output[i]->name);
	add_int(s, (int64_t)g->n_initializer);
	for (i = 0; i < g->n_initializer; i++) {
		add_text(s, g->initializer[i]->name);
		add_tensor(s, g->initializer[i]);
	}
	add_int(s, (int64_t)g->n_sparse_initializer);
	add_int(s, (int64_t)g->n_node);
	for (i = 0; i < g->n_node; i++)
		add_node(s, g->node[i]);
}

static void
add_attribute(struct sum *s, const Onnx__AttributeProto *a)
{
	size_t i;

	add_text(s, a->name);
	add_text(s, a->ref_attr_name);
	add_int(s, a->type);
	add_bytes(s, &a->f, sizeof(a->f));
	add_int(s, a->i);
	add_int(s, (int64_t)a->s.len);
	add_bytes(s, a->s.data, a->s.len);
	add_int(s, (int64_t)a->n_floats);
	add_bytes(s, a->floats, a->n_floats * sizeof(*a->floats));
	add_int(s, (int64_t)a->n_ints);
	for (i = 0; i < a->n_ints; i++)
		add_int(s, a->ints[i]);
	if (a->t)
		add_tensor(s, a->t);
	if (a->g)
		add_graph(s, a->g);
	add_int(s, (int64_t)(a->n_strings + a->n_tensors + a->n_graphs));
}

static void
add_node(struct sum *s, const Onnx__NodeProto *n)
{
	size_t i;

	add_text(s, n->domain);
	add_text(s, n->op_type);
	add_texts(s, n->n_input, n->input);
	add_texts(s, n->n_output, n->output);
	add_int(s, (int64_t)n->n_attribute);
	for (i = 0; i < n->n_attribute; i++)
		add_attribute(s, n->attribute[i]);
}

const char *
our_function_mark(struct arena *a, const Onnx__FunctionProto *p, const unsigned char *file)
{
	struct sum s = { FNV_BEGIN, file };
	size_t i;

	add_text(&s, p->name);
	add_texts(&s, p->n_attribute, p->attribute);
	add_int(&s, (int64_t)p->n_attribute_proto);
	add_texts(&s, p->n_input, p->input);
	add_texts(&s, p->n_output, p->output);
	for (i = 0; i < p->n_opset_import; i++) {
		add_text(&s, p->opset_import[i]->domain);
		add_int(&s, p->opset_import[i]->version);
	}
	add_int(&s, (int64_t)p->n_node);
	for (i = 0; i < p->n_node; i++)
		add_node(&s, p->node[i]);
	return arena_printf(a, "stowage export %016" PRIx64, s.h);
}

#endif
