/* Values: making them, and describing them in messages. */
#include "lang/value.h"

struct value
value_poison(struct loc loc)
{
	return (struct value){ .kind = V_POISON, .loc = loc };
}

struct value
value_tensor(struct tensor *t, struct loc loc)
{
	if (t->kind == T_POISON)
		return value_poison(loc);
	return (struct value){ .kind = V_TENSOR, .loc = loc, .tensor = t };
}

struct value
value_number(struct number n, struct loc loc)
{
	return (struct value){ .kind = V_NUMBER, .loc = loc, .num = n };
}

struct value
value_bool(bool flag, struct loc loc)
{
	return (struct value){ .kind = V_BOOL, .loc = loc, .flag = flag };
}

struct value
value_layer(struct arena *a, struct layer layer, struct loc loc)
{
	struct layer *l = ARENA_NEW(a, struct layer);

	*l = layer;
	return (struct value){ .kind = V_LAYER, .loc = loc, .layer = l };
}

bool
value_is_tensors(const struct value *v)
{
	int i;

	if (v->kind == V_TENSOR || v->kind == V_POISON)
		return true;
	if (v->kind != V_TUPLE)
		return false;
	for (i = 0; i < v->n; i++)
		if (v->item[i].kind != V_TENSOR && v->item[i].kind != V_POISON)
			return false;
	return v->n > 0;
}

const char *
value_text(struct arena *a, const struct value *v)
{
	char buf[SIZE_TEXT];

	switch (v->kind) {
	case V_POISON:
		break;
	case V_TENSOR:
		return arena_printf(a, "a tensor %s", tensor_type_text(a, v->tensor));
	case V_NUMBER:
		return arena_printf(a, v->size ? "the size %s B" : "the number %s", number_text(buf, v->num));
	case V_BOOL:
		return v->flag ? "true" : "false";
	case V_STRING:
		return arena_printf(a, "the text \"%.40s\"", v->text);
	case V_TUPLE:
		return arena_printf(a, "a tuple of %d", v->n);
	case V_LAYER:
		return "a layer";
	case V_INIT:
		return "a way to start a parameter";
	case V_WORD:
		return arena_printf(a, "the word '%.40s'", v->text);
	}
	return "a value in error";
}
