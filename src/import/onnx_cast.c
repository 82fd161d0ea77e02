/*
 * Types: what is computed in the network's own stays as it is, whole numbers are real ones that are
 * whole, and truth is 0 and 1.
 */
#include "import/importer.h"

static bool
cast(struct importer *im, const struct model_node *n)
{
	struct val *x = node_in(im, n, 0);
	int64_t to = attr_int(n, "to", 1);
	bool real = onnx_is_real(to);
	struct call c;

	if (!x || !(x->t || x->data))
		return cannot(im, "its input is made by nothing before it");
	if (x->t && x->t->dtype == DT_F32 && !real && !x->whole && to != ONNX_BOOL) {
		if (!(x = whole_part(im, x)))
			return false;
		val_view(im, n->out[0], x, x->source);
		val_of(im, n->out[0])->whole = true;
		return true;
	}
	if (x->t && (x->t->dtype == DT_F32 ? to == ONNX_BOOL : real)) {
		call_begin(&c, im, real ? "cast" : "not_equal");
		call_like(&c, x);
		if (!real)
			call_real(&c, "than", 0);
		return call_end(&c, n->out[0]);
	}
	if (x->t && x->whole && real) {		/* the same numbers, which are real from here on */
		val_view(im, n->out[0], x, x->source);
		val_of(im, n->out[0])->whole = false;
		return true;
	}
	val_alias(im, n->out[0], x);
	return true;
}

/* What TensorProto calls the type of a value; 0: it is not known. */
static int64_t
type_of(const struct val *v)
{
	static const signed char types[] = {
		[ELEMENT_F32] = 1, [ELEMENT_F64] = 11, [ELEMENT_F16] = 10, [ELEMENT_BF16] = 16, [ELEMENT_I64] = 7, [ELEMENT_I32] = 6,
		[ELEMENT_U8] = 2, [ELEMENT_I8] = 3, [ELEMENT_BOOL] = ONNX_BOOL, [ELEMENT_OTHER] = 0
	};

	if (v->data)
		return types[v->data->type];
	if (v->integers)
		return 7;
	return v->t && v->t->dtype == DT_F32 && !v->whole && !v->bytes ? 1 : 0;
}

/* The same, to the type that another value has. */
static bool
cast_like(struct importer *im, const struct model_node *n)
{
	const struct val *like = node_in(im, n, 1);
	struct model_attr to = { .name = "to", .type = A_INT, .i = like ? type_of(like) : 0 };
	struct model_node plain = *n;

	if (to.i == 0)
		return cannot(im, "of which type its second operand is, is not known");
	plain.op = "Cast";
	plain.nin = 1;
	plain.nattrs = 1;
	plain.attr = &to;
	return fold_node(im, &plain) || cast(im, &plain);
}

const struct onnx_op onnx_op_cast = { .name = "Cast", .translate = cast };
const struct onnx_op onnx_op_cast_like = { .name = "CastLike", .translate = cast_like };
