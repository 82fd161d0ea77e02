/*
 * A model as an ONNX file, by protobuf-c and the official schema: the reverse of
 * import/onnx_read.c. Messages point to the model's own names and numbers, and are packed straight
 * into the stream, so weights are copied from where the checkpoint is mapped and never in memory.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "export/exporter.h"
#include "import/model.h"

#ifdef HAVE_PROTOBUF_C
#include "import/onnx.pb-c.h"
#include "import/our_function.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION	"0"
#endif

#define IR_VERSION	10	/* of the opset's time */
#define OPSET		21	/* the first whose GroupNormalization has a number a channel */
#define LARGEST_FILE	((size_t)INT32_MAX)	/* what readers of protocol buffers take */

/* An array of N messages in the arena, each begun by INIT; and pointers to them. */
#define MESSAGES(type, init, list, n) do {						\
	type *all_ = arena_array(a, (size_t)(n) + 1, sizeof(*all_));			\
	(list) = arena_array(a, (size_t)(n) + 1, sizeof(*(list)));			\
	for (size_t i_ = 0; i_ < (size_t)(n); i_++) {					\
		init(&all_[i_]);							\
		(list)[i_] = &all_[i_];						\
	}										\
} while (0)

/* The library reads strings, and does not change them. */
static char *
text(const char *s)
{
	return (char *)(uintptr_t)s;
}

static void
put_numbers(Onnx__TensorProto *p, const struct numbers *n)
{
	p->name = text(n->name);
	p->n_dims = (size_t)n->rank;
	p->dims = (int64_t *)(uintptr_t)n->dim;
	p->has_data_type = true;
	p->data_type = onnx_type(n->type);
	p->has_raw_data = true;
	p->raw_data.len = (size_t)n->count * element_bytes(n->type);
	p->raw_data.data = (uint8_t *)(uintptr_t)n->data;
}

static void put_graph(struct arena *, Onnx__GraphProto *, const struct model *, const char *apart);

static void
put_pair(Onnx__StringStringEntryProto *p, const char *key, const char *value)
{
	p->key = text(key);
	p->value = text(value);
}

/* Its numbers lie there, in the file of that name. */
static void
lay_apart(struct arena *a, Onnx__TensorProto *p, const char *apart, int64_t at)
{
	p->has_data_location = true;
	p->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
	p->n_external_data = 3;
	MESSAGES(Onnx__StringStringEntryProto, onnx__string_string_entry_proto__init, p->external_data, 3);
	put_pair(p->external_data[0], "location", apart);
	put_pair(p->external_data[1], "offset", arena_printf(a, "%lld", (long long)at));
	put_pair(p->external_data[2], "length", arena_printf(a, "%zu", p->raw_data.len));
	p->has_raw_data = false;
}

static void
put_weights(struct arena *a, Onnx__GraphProto *p, const struct model *m, const char *apart)
{
	int64_t at = 0;
	int i;

	for (i = 0; i < m->numbers.n; i++) {
		Onnx__TensorProto *t = p->initializer[i];

		put_numbers(t, m->numbers.v[i]);
		if (!apart || !onnx_apart_place(m->numbers.v[i], &at))
			continue;
		lay_apart(a, t, apart, at);
		at += (int64_t)t->raw_data.len;
	}
}

static void
put_attr(struct arena *a, Onnx__AttributeProto *p, const struct model_attr *m)
{
	int i;

	p->name = text(m->name);
	p->has_type = true;
	switch (m->type) {
	case A_INT:
		p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
		p->has_i = true;
		p->i = m->i;
		break;
	case A_REAL:
		p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
		p->has_f = true;
		p->f = (float)m->r;
		break;
	case A_TEXT:
		p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
		p->has_s = true;
		p->s.len = strlen(m->s);
		p->s.data = (uint8_t *)text(m->s);
		break;
	case A_TEXTS:
		p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS;
		p->n_strings = (size_t)m->n;
		p->strings = arena_array(a, (size_t)m->n, sizeof(*p->strings));
		for (i = 0; i < m->n; i++)
			p->strings[i] = (ProtobufCBinaryData){ strlen(m->text[i]), (uint8_t *)text(m->text[i]) };
		break;
	case A_INTS:
		p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
		p->n_ints = (size_t)m->n;
		p->ints = (int64_t *)(uintptr_t)m->v;
		break;
	case A_GRAPH:
		p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH;
		p->g = ARENA_NEW(a, Onnx__GraphProto);
		onnx__graph_proto__init(p->g);
		put_graph(a, p->g, m->graph, NULL);
		break;
	default:
		p->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
		p->t = ARENA_NEW(a, Onnx__TensorProto);
		onnx__tensor_proto__init(p->t);
		put_numbers(p->t, m->numbers);
		break;
	}
}

static void
put_node(struct arena *a, Onnx__NodeProto *p, const struct model_node *n)
{
	size_t i;

	p->op_type = text(n->op);
	if (strncmp(n->op, OUR_DOMAIN ".", strlen(OUR_DOMAIN ".")) == 0) {
		p->op_type += strlen(OUR_DOMAIN ".");
		p->domain = text(OUR_DOMAIN);
	}
	p->name = text(n->name);
	p->n_input = (size_t)n->nin;
	p->input = (char **)(uintptr_t)n->in;
	p->n_output = (size_t)n->nout;
	p->output = (char **)(uintptr_t)n->out;
	p->n_attribute = (size_t)n->nattrs;
	MESSAGES(Onnx__AttributeProto, onnx__attribute_proto__init, p->attribute, n->nattrs);
	for (i = 0; i < p->n_attribute; i++)
		put_attr(a, p->attribute[i], &n->attr[i]);
	MESSAGES(Onnx__StringStringEntryProto, onnx__string_string_entry_proto__init, p->metadata_props, 2);
	if (n->scope)
		put_pair(p->metadata_props[p->n_metadata_props++], "stowage.path", n->scope);
	if (n->frozen)
		put_pair(p->metadata_props[p->n_metadata_props++], "stowage.frozen", "true");
}

static void
put_value(struct arena *a, Onnx__ValueInfoProto *p, const struct model_value *v)
{
	Onnx__TypeProto__Tensor *t = ARENA_NEW(a, Onnx__TypeProto__Tensor);
	size_t i;

	p->name = text(v->name);
	p->type = ARENA_NEW(a, Onnx__TypeProto);
	onnx__type_proto__init(p->type);
	p->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	p->type->tensor_type = t;
	onnx__type_proto__tensor__init(t);
	p->n_metadata_props = v->predicted;
	MESSAGES(Onnx__StringStringEntryProto, onnx__string_string_entry_proto__init, p->metadata_props, 1);
	put_pair(p->metadata_props[0], "stowage.output", "predicted");
	t->has_elem_type = true;
	t->elem_type = onnx_type(v->type);
	t->shape = ARENA_NEW(a, Onnx__TensorShapeProto);
	onnx__tensor_shape_proto__init(t->shape);
	t->shape->n_dim = (size_t)v->rank;
	MESSAGES(Onnx__TensorShapeProto__Dimension, onnx__tensor_shape_proto__dimension__init, t->shape->dim, v->rank);
	for (i = 0; i < t->shape->n_dim; i++) {
		Onnx__TensorShapeProto__Dimension *d = t->shape->dim[i];

		if (v->dim[i] >= 0) {
			d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
			d->dim_value = v->dim[i];
		} else {
			d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
			d->dim_param = text(v->symbol[i]);
		}
	}
}

static void
put_graph(struct arena *a, Onnx__GraphProto *p, const struct model *m, const char *apart)
{
	size_t i;

	p->name = text(m->producer);
	p->n_node = (size_t)m->nodes.n;
	MESSAGES(Onnx__NodeProto, onnx__node_proto__init, p->node, m->nodes.n);
	for (i = 0; i < p->n_node; i++)
		put_node(a, p->node[i], m->nodes.v[i]);
	p->n_initializer = (size_t)m->numbers.n;
	MESSAGES(Onnx__TensorProto, onnx__tensor_proto__init, p->initializer, m->numbers.n);
	put_weights(a, p, m, apart);
	p->n_input = (size_t)m->inputs.n;
	MESSAGES(Onnx__ValueInfoProto, onnx__value_info_proto__init, p->input, m->inputs.n);
	for (i = 0; i < p->n_input; i++)
		put_value(a, p->input[i], &m->inputs.v[i]);
	p->n_output = (size_t)m->outputs.n;
	MESSAGES(Onnx__ValueInfoProto, onnx__value_info_proto__init, p->output, m->outputs.n);
	for (i = 0; i < p->n_output; i++)
		put_value(a, p->output[i], &m->outputs.v[i]);
}

static void
put_opset(Onnx__OperatorSetIdProto *p, const char *domain, int64_t version)
{
	p->domain = text(domain);
	p->has_version = true;
	p->version = version;
}

static const char **
value_names(struct arena *a, const struct model_value *v, int n)
{
	const char **names = arena_array(a, (size_t)n + 1, sizeof(*names));
	int i;

	for (i = 0; i < n; i++)
		names[i] = v[i].name;
	return names;
}

static void
put_function(struct arena *a, Onnx__FunctionProto *p, const struct model_function *f)
{
	const struct model *m = f->body;
	size_t i;

	p->domain = text(OUR_DOMAIN);
	p->name = text(f->name);
	p->n_attribute = (size_t)f->nattrs;
	p->attribute = (char **)(uintptr_t)f->attr;
	p->n_input = (size_t)m->inputs.n;
	p->input = (char **)(uintptr_t)value_names(a, m->inputs.v, m->inputs.n);
	p->n_output = (size_t)m->outputs.n;
	p->output = (char **)(uintptr_t)value_names(a, m->outputs.v, m->outputs.n);
	p->n_node = (size_t)m->nodes.n;
	MESSAGES(Onnx__NodeProto, onnx__node_proto__init, p->node, m->nodes.n);
	for (i = 0; i < p->n_node; i++)
		put_node(a, p->node[i], m->nodes.v[i]);
	p->n_opset_import = 1;
	MESSAGES(Onnx__OperatorSetIdProto, onnx__operator_set_id_proto__init, p->opset_import, 1);
	put_opset(p->opset_import[0], "", OPSET);
	p->doc_string = text(our_function_mark(a, p, NULL));
}

struct stream {
	ProtobufCBuffer base;	/* first: the library hands it back */
	FILE *f;
};

static void
append(ProtobufCBuffer *b, size_t n, const uint8_t *bytes)
{
	fwrite(bytes, 1, n, ((struct stream *)(void *)b)->f);
}

void
onnx_write(struct arena *a, FILE *f, const struct model *m, const char *apart, const char **why)
{
	struct stream to = { .base = { .append = append }, .f = f };
	Onnx__ModelProto p;
	Onnx__GraphProto graph;
	size_t i;

	*why = NULL;
	onnx__model_proto__init(&p);
	onnx__graph_proto__init(&graph);
	p.has_ir_version = true;
	p.ir_version = IR_VERSION;
	p.producer_name = text("stowage");
	p.producer_version = text(PACKAGE_VERSION);
	p.n_opset_import = m->functions.n > 0 ? 2 : 1;
	MESSAGES(Onnx__OperatorSetIdProto, onnx__operator_set_id_proto__init, p.opset_import, 2);
	put_opset(p.opset_import[0], "", OPSET);
	put_opset(p.opset_import[1], OUR_DOMAIN, 1);
	p.n_functions = (size_t)m->functions.n;
	MESSAGES(Onnx__FunctionProto, onnx__function_proto__init, p.functions, m->functions.n);
	for (i = 0; i < p.n_functions; i++)
		put_function(a, p.functions[i], m->functions.v[i]);
	p.graph = &graph;
	put_graph(a, &graph, m, apart);
	if (onnx__model_proto__get_packed_size(&p) > LARGEST_FILE)
		*why = "its nodes and constants would have more than 2 GiB, which no reader of ONNX takes in one file";
	else
		onnx__model_proto__pack_to_buffer(&p, &to.base);
}

#else

void
onnx_write(struct arena *a, FILE *f, const struct model *m, const char *apart, const char **why)
{
	(void)a, (void)f, (void)m, (void)apart;
	*why = "this stowage was built without protobuf-c (libprotobuf-c-dev), which writes ONNX";
}

#endif
