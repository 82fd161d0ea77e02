/*
 * An ONNX file as a model, by protobuf-c and the official schema. Weights stay in the file
 * (wire.h), or in one beside it (external.h). What a model may not have is refused here, by name:
 * tensors whose numbers are not as many as their shape says, types that no weight has, graphs in
 * graphs.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "import/model.h"
#include "import/wire.h"

#ifdef HAVE_PROTOBUF_C
#include "import/onnx.pb-c.h"
#include "import/our_function.h"

#define MOST_NODES	200000

struct reading {
	struct arena *arena;
	struct model *m;
	const char *why;
};

static bool
refuse(struct reading *r, const char *what, const char *name)
{
	if (!r->why)
		r->why = arena_printf(r->arena, "%s '%s'", what, name && *name ? name : "?");
	return false;
}

static const char *
kept(struct reading *r, const char *s)
{
	return s ? arena_strdup(r->arena, s) : "";
}

static enum element
element_of(int32_t type)
{
	switch (type) {
	case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
		return ELEMENT_F32;
	case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
		return ELEMENT_F64;
	case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
		return ELEMENT_F16;
	case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
		return ELEMENT_BF16;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
		return ELEMENT_I64;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
		return ELEMENT_I32;
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
		return ELEMENT_U8;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
		return ELEMENT_I8;
	case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
		return ELEMENT_BOOL;
	default:
		return ELEMENT_OTHER;
	}
}

/* The place of a field that wire_cut() left in the file; NULL: it left none. */
static const unsigned char *
elsewhere(struct reading *r, const Onnx__TensorProto *t, struct wire_place *place)
{
	unsigned i;
	const ProtobufCMessageUnknownField *u;

	for (i = 0; i < t->base.n_unknown_fields; i++) {
		u = &t->base.unknown_fields[i];
		if (u->tag != WIRE_ELSEWHERE)
			continue;
		/* the library keeps it with the varint of its length, which is one byte */
		memcpy(place, u->data + u->len - sizeof(*place), sizeof(*place));
		return r->m->file + place->beg;
	}
	return NULL;
}

/* Elements that the schema stores one by one, in the type's own bytes. */
static void
gather(struct reading *r, const Onnx__TensorProto *t, struct numbers *n)
{
	size_t bytes = element_bytes(n->type), i;
	unsigned char *to = arena_alloc(r->arena, (size_t)n->count * bytes + 1);

	for (i = 0; i < (size_t)n->count; i++) {
		if (n->type == ELEMENT_F32)
			memcpy(to + i * bytes, &t->float_data[i], bytes);
		else if (n->type == ELEMENT_F64)
			memcpy(to + i * bytes, &t->double_data[i], bytes);
		else if (n->type == ELEMENT_I64)
			memcpy(to + i * bytes, &t->int64_data[i], bytes);
		else
			memcpy(to + i * bytes, &t->int32_data[i], bytes);	/* little-endian: the low bytes */
	}
	n->data = to;
}

static size_t
stored_one_by_one(const Onnx__TensorProto *t, enum element type)
{
	return type == ELEMENT_F32 ? t->n_float_data : type == ELEMENT_F64 ? t->n_double_data :
	    type == ELEMENT_I64 ? t->n_int64_data : t->n_int32_data;
}

/* A number of the table that says where a tensor lies; false: it is none. */
static bool
decimal(const char *s, uint64_t *v)
{
	char *end;

	if (!s || *s < '0' || *s > '9' || strlen(s) > 18)
		return false;
	*v = strtoull(s, &end, 10);
	return *end == '\0';
}

/* In a file beside the model: a location, and unless it is all of that, where it begins and how
 * long it is. */
static bool
find_external(struct reading *r, const Onnx__TensorProto *t, struct numbers *n, size_t want)
{
	const char *location = NULL, *why = "it is not said in which";
	uint64_t offset = 0, length = want;
	size_t i;

	for (i = 0; i < t->n_external_data; i++) {
		const char *key = t->external_data[i]->key, *value = t->external_data[i]->value;

		if (!key || !value)
			continue;
		if (strcmp(key, "location") == 0)
			location = kept(r, value);
		else if ((strcmp(key, "offset") == 0 && !decimal(value, &offset)) ||
		    (strcmp(key, "length") == 0 && !decimal(value, &length)))
			return refuse(r, "no place in a file is said of the numbers of tensor", n->name);
	}
	if (length != want)
		return refuse(r, "there are not as many numbers as its shape says in tensor", n->name);
	if (location)
		n->data = external_at(r->arena, &r->m->external, r->m->path, location, offset, want, &why);
	if (!n->data && !r->why)
		r->why = arena_printf(r->arena, "in another file lie the numbers of tensor '%s': %s", n->name, why);
	return n->data != NULL;
}

static bool
find_data(struct reading *r, const Onnx__TensorProto *t, struct numbers *n)
{
	size_t want = (size_t)n->count * element_bytes(n->type);
	struct wire_place place;
	const unsigned char *there = elsewhere(r, t, &place);
	unsigned char *copy;

	if (t->has_data_location && t->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
		return find_external(r, t, n, want);
	if (there) {
		bool flat = place.field == 9 || (place.field == 4 && n->type == ELEMENT_F32) ||
		    (place.field == 10 && n->type == ELEMENT_F64);

		if (!flat)
			return refuse(r, "not byte by byte are stored the numbers of tensor", n->name);
		if (place.size != want)
			return refuse(r, "there are not as many numbers as its shape says in tensor", n->name);
		n->data = there;
		return true;
	}
	if (t->has_raw_data) {
		if (t->raw_data.len != want)
			return refuse(r, "there are not as many numbers as its shape says in tensor", n->name);
		copy = arena_alloc(r->arena, want + 1);
		if (want > 0)	/* protobuf-c has no address for no bytes */
			memcpy(copy, t->raw_data.data, want);
		n->data = copy;
		return true;
	}
	if (stored_one_by_one(t, n->type) != (size_t)n->count)
		return refuse(r, "there are not as many numbers as its shape says in tensor", n->name);
	gather(r, t, n);
	return true;
}

static bool
read_numbers(struct reading *r, const Onnx__TensorProto *t, struct numbers *n)
{
	size_t k;

	n->name = kept(r, t->name);
	n->type = element_of(t->has_data_type ? t->data_type : 0);
	if (n->type == ELEMENT_OTHER)
		return refuse(r, "of a type that is not read are the numbers of tensor", n->name);
	if (t->n_dims > MODEL_RANK)
		return refuse(r, "more than nine axes has tensor", n->name);
	n->rank = (int)t->n_dims;
	n->count = 1;
	for (k = 0; k < t->n_dims; k++) {
		n->dim[k] = t->dims[k];
		if (n->dim[k] < 0 || __builtin_mul_overflow(n->count, n->dim[k], &n->count) ||
		    n->count > (int64_t)1 << 40)
			return refuse(r, "out of range are the extents of tensor", n->name);
	}
	return find_data(r, t, n);
}

static bool
read_attr(struct reading *r, const Onnx__AttributeProto *p, struct model_attr *a)
{
	size_t k;
	double *real;
	const char **texts;

	a->name = kept(r, p->name);
	a->type = A_OTHER;
	switch (p->has_type ? (int)p->type : 0) {
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT:
		a->type = A_INT;
		a->i = p->i;
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT:
		a->type = A_REAL;
		a->r = float_decimal(p->f);
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING:
		a->type = A_TEXT;
		a->s = arena_strndup(r->arena, p->s.data ? (const char *)p->s.data : "", p->s.len);
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS:
		a->type = A_INTS;
		a->n = (int)p->n_ints;
		a->v = p->n_ints ? memcpy(arena_array(r->arena, p->n_ints, sizeof(*a->v)), p->ints,
		    p->n_ints * sizeof(*a->v)) : NULL;
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS:
		a->type = A_REALS;
		a->n = (int)p->n_floats;
		a->real = real = arena_array(r->arena, p->n_floats + 1, sizeof(*real));
		for (k = 0; k < p->n_floats; k++)
			real[k] = p->floats[k];
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS:
		a->type = A_TEXTS;
		a->n = (int)p->n_strings;
		a->text = texts = arena_array(r->arena, p->n_strings + 1, sizeof(*texts));
		for (k = 0; k < p->n_strings; k++)
			texts[k] = arena_strndup(r->arena, p->strings[k].data ? (const char *)p->strings[k].data : "", p->strings[k].len);
		break;
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR:
		if (!p->t)
			break;
		a->type = A_NUMBERS;
		a->numbers = ARENA_NEW(r->arena, struct numbers);
		return read_numbers(r, p->t, (struct numbers *)a->numbers);
	case ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH:
		a->type = A_GRAPH;
		break;
	default:
		break;
	}
	return true;
}

/* The last but one of "['', 'layer1', 'layer1.0', 'relu']", or the last of its kind: PyTorch says
 * so where a node comes from, its own name last. */
static const char *
from_list(struct reading *r, const char *list, bool class)
{
	const char *end = strrchr(list, ','), *s;

	if (!end)
		return NULL;
	while (end > list && *end != '\'')
		end--;
	for (s = end; s > list && s[-1] != '\''; )
		s--;
	if (class)
		while (memchr(s, '.', (size_t)(end - s)))
			s = (const char *)memchr(s, '.', (size_t)(end - s)) + 1;
	return arena_strndup(r->arena, s, (size_t)(end - s));
}

/* PyTorch's older exporter says so by nothing but the names of what it computes: a module's own
 * weight and bias keep theirs. */
static bool
has_norm_by_names(const struct model_node *n)
{
	static const char made[] = "onnx::Conv";

	return n->nin == 3 && strncmp(n->in[1], made, sizeof(made) - 1) == 0 && strncmp(n->in[2], made, sizeof(made) - 1) == 0;
}

static void
read_scope(struct reading *r, const Onnx__NodeProto *p, struct model_node *n)
{
	size_t k;

	for (k = 0; k < p->n_metadata_props; k++) {
		const char *key = p->metadata_props[k]->key, *value = p->metadata_props[k]->value;

		if (!key || !value)
			continue;
		if (strcmp(key, "pkg.torch.onnx.name_scopes") == 0)
			n->scope = from_list(r, value, false);
		if (strcmp(key, "pkg.torch.onnx.class_hierarchy") == 0)
			n->made_by = from_list(r, value, true);
		if (strcmp(key, "pkg.onnxscript.rewriter.rule_name") == 0)
			n->has_norm |= strstr(value, "FuseBatchNorm") != NULL;
		if (strcmp(key, "stowage.path") == 0)	/* of what stowage exported */
			n->scope = kept(r, value);
		if (strcmp(key, "stowage.frozen") == 0)
			n->frozen = true;
	}
}

static bool
read_node(struct reading *r, const Onnx__NodeProto *p)
{
	struct model_node *n = ARENA_NEW(r->arena, struct model_node);
	bool foreign = p->domain && *p->domain && strcmp(p->domain, "ai.onnx") != 0;
	size_t k;

	n->op = foreign ? arena_join(r->arena, p->domain, ".", p->op_type ? p->op_type : "") : kept(r, p->op_type);
	n->name = kept(r, p->name);
	n->nin = (int)p->n_input;
	n->nout = (int)p->n_output;
	n->in = arena_array(r->arena, p->n_input + 1, sizeof(*n->in));
	n->out = arena_array(r->arena, p->n_output + 1, sizeof(*n->out));
	for (k = 0; k < p->n_input; k++)
		n->in[k] = kept(r, p->input[k]);
	for (k = 0; k < p->n_output; k++)
		n->out[k] = kept(r, p->output[k]);
	n->nattrs = (int)p->n_attribute;
	n->attr = arena_array(r->arena, p->n_attribute + 1, sizeof(*n->attr));
	for (k = 0; k < p->n_attribute; k++)
		if (!read_attr(r, p->attribute[k], &n->attr[k]))
			return false;
	n->has_norm = has_norm_by_names(n);
	read_scope(r, p, n);
	vec_push(r->arena, &r->m->nodes, n);
	return true;
}

static bool
read_value(struct reading *r, const Onnx__ValueInfoProto *p, struct model_value *v)
{
	const Onnx__TypeProto__Tensor *t = p->type && p->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ?
	    p->type->tensor_type : NULL;
	size_t k;

	*v = (struct model_value){ .name = kept(r, p->name) };
	for (k = 0; k < p->n_metadata_props; k++)
		v->predicted |= p->metadata_props[k]->key && strcmp(p->metadata_props[k]->key, "stowage.output") == 0;
	if (!t)
		return refuse(r, "no tensor is", v->name);
	v->type = element_of(t->elem_type);
	if (!t->shape)
		return true;
	v->known = true;
	if (t->shape->n_dim > MODEL_RANK)
		return refuse(r, "more than nine axes has", v->name);
	v->rank = (int)t->shape->n_dim;
	for (k = 0; k < t->shape->n_dim; k++) {
		const Onnx__TensorShapeProto__Dimension *d = t->shape->dim[k];

		v->dim[k] = -1;
		v->symbol[k] = "";
		if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
			v->dim[k] = d->dim_value;
		if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM)
			v->symbol[k] = kept(r, d->dim_param);
		if (v->dim[k] == 0 || v->dim[k] > (int64_t)1 << 40)
			return refuse(r, "out of range are the extents of", v->name);
	}
	return true;
}

/* PyTorch says which of its initializers are buffers, such as tables of sines: no training changes
 * these. */
static bool
is_buffer(const Onnx__ValueInfoProto *v)
{
	size_t k;

	for (k = 0; k < v->n_metadata_props; k++) {
		const char *key = v->metadata_props[k]->key, *value = v->metadata_props[k]->value;

		if (key && value && strcmp(key, "pkg.torch.export.graph_signature.InputSpec.kind") == 0)
			return strcmp(value, "BUFFER") == 0;
	}
	return false;
}

static bool
read_graph(struct reading *r, const Onnx__GraphProto *g)
{
	struct map buffers = { 0 };
	struct model_value v;
	size_t k;

	if (g->n_node > MOST_NODES)
		return refuse(r, "more than 200,000 nodes has the graph", g->name);
	if (g->n_sparse_initializer > 0)
		return refuse(r, "sparse weights has the graph", g->name);
	for (k = 0; k < g->n_value_info; k++)
		if (g->value_info[k]->name && is_buffer(g->value_info[k]) && !map_get(&buffers, g->value_info[k]->name))
			map_put(r->arena, &buffers, g->value_info[k]->name, r);
	for (k = 0; k < g->n_initializer; k++) {
		struct numbers *n = ARENA_NEW(r->arena, struct numbers);

		if (!read_numbers(r, g->initializer[k], n))
			return false;
		n->computed = map_get(&buffers, n->name) != NULL;
		vec_push(r->arena, &r->m->numbers, n);
	}
	for (k = 0; k < g->n_input; k++) {
		if (!read_value(r, g->input[k], &v))
			return false;
		vec_push(r->arena, &r->m->inputs, v);
	}
	for (k = 0; k < g->n_output; k++) {
		if (!read_value(r, g->output[k], &v))
			return false;
		vec_push(r->arena, &r->m->outputs, v);
	}
	for (k = 0; k < g->n_value_info; k++)
		if (g->value_info[k]->type && g->value_info[k]->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE) {
			if (read_value(r, g->value_info[k], &v))
				vec_push(r->arena, &r->m->values, v);
			r->why = NULL;	/* that nobody may ask for */
		}
	for (k = 0; k < g->n_node; k++)
		if (!read_node(r, g->node[k]))
			return false;
	return true;
}

/* Before opset 7 some operators meant something else: operands were not broadcast, or only as an
 * attribute said; others had as attributes what are inputs now, or were told that they train. */
static bool
reads_as_since(struct reading *r)
{
	static const char *const changed[] = { "BatchNormalization", "Cast", "Concat", "Dropout", "GRU", "Gemm", "LSTM", "Loop", "PRelu",
		"Pad", "RNN", "Reshape", "Split", "Tile", "Upsample", NULL };
	int i, k;

	for (i = 0; i < r->m->nodes.n; i++) {
		const struct model_node *n = r->m->nodes.v[i];

		for (k = 0; changed[k] && strcmp(changed[k], n->op) != 0; k++)
			;
		if (changed[k] || model_attr(n, "broadcast") || model_attr(n, "is_test"))
			return refuse(r, "older than opset 7, where it meant something else, is the operator", n->op);
	}
	return true;
}

/* Of ours the nodes say all, where the body is the one that goes with the name. */
static bool
function_read(struct reading *r, const Onnx__FunctionProto *f)
{
	const char *foreign = NULL;

	if (!f->domain || strcmp(f->domain, OUR_DOMAIN) != 0)
		return refuse(r, "of its own, which is not read, is the model's function", f->name);
	if (f->name && (!f->doc_string || !f->doc_string[0]))
		foreign = "has no mark of stowage export (its doc_string, which an older stowage did not write, and other tools may drop)";
	else if (f->name && strcmp(f->doc_string, our_function_mark(r->arena, f, r->m->file)) != 0)
		foreign = "is not as stowage export wrote it";
	if (foreign)
		map_put(r->arena, &r->m->foreign, arena_strdup(r->arena, f->name), (void *)foreign);
	return true;
}

static bool
read_model(struct reading *r, const Onnx__ModelProto *p)
{
	size_t k;

	r->m->producer = p->producer_name && *p->producer_name ? arena_join(r->arena, p->producer_name,
	    p->producer_version && *p->producer_version ? " " : "", p->producer_version ? p->producer_version : "") : "";
	for (k = 0; k < p->n_opset_import; k++)
		if (!p->opset_import[k]->domain || !*p->opset_import[k]->domain ||
		    strcmp(p->opset_import[k]->domain, "ai.onnx") == 0)
			r->m->opset = p->opset_import[k]->version;
	if (!p->graph || p->graph->n_node == 0)
		return refuse(r, "no nodes has the model", p->graph ? p->graph->name : "");
	for (k = 0; k < p->n_functions; k++)
		if (!function_read(r, p->functions[k]))
			return false;
	if (r->m->opset < 1)
		return refuse(r, "no version of the operators has the model", p->graph->name);
	return read_graph(r, p->graph) && (r->m->opset >= 7 || reads_as_since(r));
}

struct model *
onnx_read(struct arena *a, const char *path, const unsigned char *file, size_t size, const char **why)
{
	struct reading r = { .arena = a, .m = ARENA_NEW(a, struct model) };
	struct arena *scratch = arena_child(a);
	struct text small;
	Onnx__ModelProto *p;

	r.m->arena = a;
	r.m->path = path;
	r.m->file = file;
	r.m->size = size;
	text_init(&small, scratch);
	*why = wire_cut(&small, file, size);
	if (*why)
		return NULL;
	p = onnx__model_proto__unpack(NULL, small.n, (const uint8_t *)(small.s ? small.s : ""));
	if (!p) {
		*why = "it is no ONNX model";
		return NULL;
	}
	if (!read_model(&r, p)) {
		*why = r.why;
		external_close(&r.m->external);
	}
	onnx__model_proto__free_unpacked(p, NULL);
	arena_free(scratch);
	return *why ? NULL : r.m;
}

#else

struct model *
onnx_read(struct arena *a, const char *path, const unsigned char *file, size_t size, const char **why)
{
	(void)a, (void)path, (void)file, (void)size;
	*why = "this stowage was built without protobuf-c (libprotobuf-c-dev), which reads ONNX";
	return NULL;
}

#endif
