/*
 * What a layer of Keras says of itself: references to others, in the forms of Keras 1 to 3, its
 * configuration as attributes, the shape of an input, names.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "import/keras.h"

#ifdef HAVE_JANSSON

#include "import/keras_json.h"

#include <ctype.h>
#include <string.h>

#define MOST_NESTED	8	/* lists in lists, and layers in layers */
#define MOST_NUMBERS	4096	/* in an attribute */
#define MOST_OPERANDS	1024

/* ---- references ---- */

static bool
add_reference(struct reading *r, struct keras_references *to, const struct keras_reference *ref)
{
	if (to->all.n == MOST_OPERANDS)
		return keras_refuse(r, "a layer reads more than %d values", MOST_OPERANDS);
	vec_push(r->arena, &to->all, *ref);
	return true;
}

/* ["conv1", 0, 0] or ["conv1", 0, 0, {...}]; a number that stands for a tensor is
 * ["_CONSTANT_VALUE", -1, 3.0, {}]. */
static bool
is_reference(json_t *j)
{
	return json_is_array(j) && json_array_size(j) >= 3 && json_array_size(j) <= 4 && json_is_string(json_array_get(j, 0)) &&
	    json_is_integer(json_array_get(j, 1)) && json_is_number(json_array_get(j, 2));
}

static int
small(json_t *j)
{
	json_int_t i = json_integer_value(j);

	return i < 0 || i > 1 << 20 ? -1 : (int)i;
}

static bool references(struct reading *, json_t *, struct keras_references *, int depth, bool numbers);

bool
keras_is_mask(const struct keras_reference *ref)
{
	return ref->word && strcmp(ref->word, "mask") == 0;
}

/* What is given by name: tensors, or a word for the layer. */
static bool
named(struct reading *r, const char *key, json_t *value, struct keras_references *to, int depth)
{
	int i = to->all.n;
	struct model_attr a;

	if (!json_is_array(value) && !json_is_object(value)) {
		if (keras_attr(r, key, value, &a, MOST_NESTED))
			vec_push(r->arena, &to->said, a);
		return true;
	}
	if (!references(r, value, to, depth + 1, false))
		return false;
	for (; i < to->all.n; i++)
		to->all.v[i].word = arena_strdup(r->arena, key);
	return true;
}

static bool
one_reference(struct reading *r, json_t *j, struct keras_references *to, int depth)
{
	struct keras_reference ref = { .use = small(json_array_get(j, 1)), .tensor = small(json_array_get(j, 2)) };
	const char *name = json_string_value(json_array_get(j, 0)), *key;
	json_t *more = json_array_get(j, 3), *value;

	if (strcmp(name, "_CONSTANT_VALUE") == 0) {
		ref.is_number = true;
		ref.number = json_number_value(json_array_get(j, 2));
	} else
		ref.layer = arena_strdup(r->arena, name);
	if (!add_reference(r, to, &ref))
		return false;
	json_object_foreach(more, key, value)
		if (!named(r, key, value, to, depth))
			return false;
	return true;
}

/* {"class_name": "__keras_tensor__", "config": {"keras_history": ["conv1", 0, 0]}} */
static json_t *
history(json_t *j)
{
	const char *class = json_string_value(json_object_get(j, "class_name"));

	return class && strcmp(class, "__keras_tensor__") == 0 ?
	    json_object_get(json_object_get(j, "config"), "keras_history") : NULL;
}

/* Its shape, where the file says it. */
static void
take_said(struct reading *r, json_t *config, struct keras_references *to)
{
	struct model_value v;

	if (json_is_array(json_object_get(config, "shape")) && keras_shape_read(r, json_object_get(config, "shape"),
	    json_object_get(config, "dtype"), &v))
		to->all.v[to->all.n - 1].said = v;
}

static bool
of_object(struct reading *r, json_t *j, struct keras_references *to, int depth, bool numbers)
{
	json_t *args = json_object_get(j, "args"), *kwargs = json_object_get(j, "kwargs"), *value;
	const char *key;

	if (history(j)) {
		if (!is_reference(history(j)))
			return keras_refuse(r, "what a layer reads has no keras_history");
		if (!one_reference(r, history(j), to, depth))
			return false;
		take_said(r, json_object_get(j, "config"), to);
		return true;
	}
	if (!json_is_array(args)) {	/* several by name */
		json_object_foreach(j, key, value)
			if (!references(r, value, to, depth + 1, numbers))
				return false;
		return true;
	}
	if (!references(r, args, to, depth + 1, true))
		return false;
	json_object_foreach(kwargs, key, value)
		if (!named(r, key, value, to, depth))
			return false;
	return true;
}

static bool
references(struct reading *r, json_t *j, struct keras_references *to, int depth, bool numbers)
{
	struct keras_reference ref = { .is_number = true };
	json_t *one;
	size_t i;

	if (depth > MOST_NESTED)
		return keras_refuse(r, "what a layer reads lies in more than %d lists", MOST_NESTED);
	if (is_reference(j))
		return one_reference(r, j, to, depth);
	if (json_is_object(j))
		return of_object(r, j, to, depth, numbers);
	if (numbers && json_is_number(j)) {
		ref.number = json_number_value(j);
		return add_reference(r, to, &ref);
	}
	json_array_foreach(j, i, one)
		if (!references(r, one, to, depth + 1, numbers))
			return false;
	return true;
}

bool
keras_references(struct reading *r, json_t *j, struct keras_references *to)
{
	return references(r, j, to, 0, false);
}

/* ---- attributes ---- */

static int
count_numbers(json_t *j, int depth)
{
	json_t *one;
	size_t i;
	int n = 0, k;

	if (json_is_number(j) || json_is_null(j) || json_is_boolean(j))
		return 1;
	if (!json_is_array(j) || depth == 0)
		return -1;
	json_array_foreach(j, i, one) {
		k = count_numbers(one, depth - 1);
		if (k < 0 || (n += k) > MOST_NUMBERS)
			return -1;
	}
	return n;
}

static void
take_numbers(json_t *j, int64_t *v, double *real, int *n, bool *whole)
{
	json_t *one;
	size_t i;

	if (!json_is_array(j)) {
		*whole &= !json_is_real(j);
		v[*n] = json_is_null(j) ? -1 : json_is_boolean(j) ? json_is_true(j) : json_integer_value(j);
		real[*n] = json_is_number(j) ? json_number_value(j) : (double)v[*n];
		++*n;
		return;
	}
	json_array_foreach(j, i, one)
		take_numbers(one, v, real, n, whole);
}

static bool
attr_list(struct reading *r, json_t *j, struct model_attr *a)
{
	int n = count_numbers(j, 4);
	int64_t *v;
	double *real;
	bool whole = true;

	if (n < 0)
		return false;
	v = arena_array(r->arena, (size_t)n + 1, sizeof(*v));
	real = arena_array(r->arena, (size_t)n + 1, sizeof(*real));
	take_numbers(j, v, real, &a->n, &whole);
	a->type = whole ? A_INTS : A_REALS;
	a->v = v;
	a->real = real;
	return true;
}

/* A function is its name; a layer in a layer is a node without inputs. */
static bool
attr_object(struct reading *r, json_t *j, struct model_attr *a, int depth)
{
	json_t *config = json_object_get(j, "config"), *class = json_object_get(j, "class_name");
	struct keras_references none = { 0 };
	struct model_node *n;

	if (!json_is_string(class) || depth == 0)
		return false;
	if (json_is_string(config)) {
		a->type = A_TEXT;
		a->s = arena_strdup(r->arena, json_string_value(config));
		return true;
	}
	n = ARENA_NEW(r->arena, struct model_node);
	n->op = arena_strdup(r->arena, json_string_value(class));
	n->name = "";
	a->type = A_NODE;
	a->node = n;
	return keras_attrs_nested(r, n, config, &none, depth - 1);
}

bool
keras_attr(struct reading *r, const char *key, json_t *j, struct model_attr *a, int depth)
{
	*a = (struct model_attr){ .name = arena_strdup(r->arena, key), .type = A_INT };
	switch (json_typeof(j)) {
	case JSON_TRUE:
	case JSON_FALSE:
		a->i = json_is_true(j);
		return true;
	case JSON_INTEGER:
		a->i = json_integer_value(j);
		return true;
	case JSON_REAL:
		a->type = A_REAL;
		a->r = json_real_value(j);
		return true;
	case JSON_STRING:
		a->type = A_TEXT;
		a->s = arena_strdup(r->arena, json_string_value(j));
		return true;
	case JSON_ARRAY:
		return attr_list(r, j, a);
	case JSON_OBJECT:
		return attr_object(r, j, a, depth);
	default:
		return false;
	}
}

/* How weights begin and what holds them back is not what a network computes. */
static bool
is_of_training(const char *key)
{
	static const char *const ends[] = { "_initializer", "_regularizer", "_constraint", "dtype" };
	size_t i, n = strlen(key), k;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		k = strlen(ends[i]);
		if (n >= k && strcmp(key + n - k, ends[i]) == 0)
			return true;
	}
	return false;
}

bool
keras_attrs_nested(struct reading *r, struct model_node *n, json_t *config, const struct keras_references *in, int depth)
{
	VEC(struct model_attr) all = { 0 };
	struct model_attr a;
	const char *key;
	json_t *value;
	int i;

	json_object_foreach(config, key, value)
		if (!is_of_training(key) && keras_attr(r, key, value, &a, depth))
			vec_push(r->arena, &all, a);
	for (i = 0; i < in->said.n; i++)
		vec_push(r->arena, &all, in->said.v[i]);
	for (i = 0; i < in->all.n; i++) {
		if (!in->all.v[i].is_number)
			continue;
		a = (struct model_attr){ .name = arena_printf(r->arena, "#%d", i), .type = A_REAL, .r = in->all.v[i].number };
		vec_push(r->arena, &all, a);
	}
	n->attr = all.v;
	n->nattrs = all.n;
	return true;
}

bool
keras_attrs(struct reading *r, struct model_node *n, json_t *config, const struct keras_references *in)
{
	return keras_attrs_nested(r, n, config, in, MOST_NESTED);
}

const char *
keras_class(struct reading *r, const char *class, json_t *config)
{
	const char *function = json_string_value(json_object_get(config, "function"));

	if (strcmp(class, "SlicingOpLambda") == 0 || (strcmp(class, "TFOpLambda") == 0 && function))
		return arena_join(r->arena, "tf.", "", function ? function : "slice");
	if (strchr(class, '>'))		/* "Custom>LayerScale" */
		class = strchr(class, '>') + 1;
	return class;
}

/* ---- inputs ---- */

json_t *
keras_shape_of_row(json_t *row, json_t *first)
{
	json_t *shape = json_object_get(row, "build_input_shape");

	return json_object_get(first, "batch_input_shape") || json_object_get(first, "batch_shape") ||
	    json_object_get(first, "input_dim") || !shape ? first : row;
}

/* Of a tensor inside the network; false: it cannot be an input. */
bool
keras_shape_read(struct reading *r, json_t *shape, json_t *dtype, struct model_value *v)
{
	const char *type = json_string_value(dtype);
	size_t i;

	*v = (struct model_value){ .type = !type || strstr(type, "float") ? ELEMENT_F32 : strstr(type, "int") ? ELEMENT_I32 :
		ELEMENT_BOOL, .known = true, .rank = (int)json_array_size(shape), .is_map = json_array_size(shape) > 3 };
	if (json_array_size(shape) < 2 || json_array_size(shape) > MODEL_RANK || !json_is_null(json_array_get(shape, 0)))
		return false;
	for (i = 0; i < (size_t)v->rank; i++) {
		json_t *d = json_array_get(shape, i);

		v->dim[i] = json_is_integer(d) ? json_integer_value(d) : -1;
		v->symbol[i] = i > 0 ? arena_printf(r->arena, "axis%zu", i) : "batch";
		if (i > 0 && (v->dim[i] < 1 || v->dim[i] > (int64_t)1 << 40))
			return false;
	}
	return true;
}

bool
keras_input(struct reading *r, const char *name, json_t *config, struct model_value *v)
{
	static const char *const keys[] = { "batch_input_shape", "batch_shape", "build_input_shape" };
	static const char *const axes[][4] = { { "features" }, { "steps", "channels" }, { "height", "width", "channels" },
		{ "depth", "height", "width", "channels" } };
	const char *type = json_string_value(json_object_get(config, "dtype"));
	json_t *shape = NULL;
	size_t i;

	*v = (struct model_value){ .name = name, .type = ELEMENT_F32, .known = true };
	for (i = 0; !json_is_array(shape) && i < sizeof(keys) / sizeof(*keys); i++)
		shape = json_object_get(config, keys[i]);
	if (!json_is_array(shape))
		return keras_refuse(r, "the shape of its input is not said: give the model an Input layer, or build it, before "
		    "it is saved");
	v->rank = (int)json_array_size(shape);
	if (json_array_size(shape) < 1 || json_array_size(shape) > MODEL_RANK)
		return keras_refuse(r, "input '%s' has %d axes: 1 to %d are read", name, v->rank, MODEL_RANK);
	if (type && strstr(type, "int") && strcmp(type, "uint8") != 0)
		v->type = ELEMENT_I32;
	for (i = 0; i < (size_t)v->rank; i++) {
		json_t *d = json_array_get(shape, i);

		v->dim[i] = json_is_integer(d) ? json_integer_value(d) : -1;
		v->symbol[i] = i > 0 && v->rank <= 5 ? axes[v->rank - 2][i - 1] : i > 0 ? arena_printf(r->arena, "axis%zu", i) : "batch";
		if (v->dim[i] == 0 || v->dim[i] > (int64_t)1 << 40)
			return keras_refuse(r, "out of range are the extents of input '%s'", name);
	}
	return true;
}

/* ---- names ---- */

/* As Keras does it: an underscore before a capital that is followed by a small letter, or follows
 * one. */
const char *
keras_snake(struct arena *a, const char *class)
{
	char *to = arena_array(a, 2 * strlen(class) + 1, 1);
	size_t n = 0, i;

	if (strchr(class, '>'))
		class = strchr(class, '>') + 1;
	for (i = 0; class[i]; i++) {
		unsigned char c = (unsigned char)class[i];

		if (!isalnum(c) && c != '_')
			continue;
		if (i > 0 && isupper(c) && (islower((unsigned char)class[i + 1]) || islower((unsigned char)class[i - 1])) &&
		    n > 0 && to[n - 1] != '_')
			to[n++] = '_';
		to[n++] = (char)tolower(c);
	}
	to[n] = '\0';
	return to;
}

/* Models of keras.applications begin the names of their layers with their own. */
const char *
keras_own_name(json_t *model, const char *name)
{
	const char *of = json_string_value(json_object_get(model, "name"));
	size_t n = of ? strlen(of) : 0;

	return n > 0 && strncmp(name, of, n) == 0 && name[n] == '_' && name[n + 1] ? name + n + 1 : name;
}

/* A part ends before an underscore where there is a digit in it, as people number what they
 * repeat. */
const char *
keras_dotted(struct arena *a, const char *name, const char *snake)
{
	size_t n = strlen(snake);
	char *dotted = arena_strdup(a, name), *s;
	bool digit = false;

	if (strncmp(name, snake, n) == 0 && (name[n] == '\0' || (name[n] == '_' && name[n + 1 + strspn(name + n + 1,
	    "0123456789")] == '\0')))
		return "";
	for (s = dotted; *s; s++) {
		digit |= isdigit((unsigned char)*s) != 0;
		if (*s == '_' && digit && s[1]) {
			*s = '.';
			digit = false;
		} else if (*s == '.' || *s == '/')
			*s = '_';
	}
	return dotted;
}

#endif
