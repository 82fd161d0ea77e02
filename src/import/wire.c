#include "import/wire.h"

#include <string.h>

#define WIRE_DEPTH	48		/* messages in messages: a few for each graph in a graph */
#define WIRE_LARGE	1024		/* bytes of a tensor's field that is left in place */
#define WIRE_MOST	((size_t)32 << 20)	/* bytes of all the rest */

enum message { M_MODEL, M_GRAPH, M_NODE, M_ATTRIBUTE, M_TENSOR, M_SPARSE, M_FUNCTION, M_VALUE, M_TYPE,
	M_SEQUENCE, M_MAP, M_OPTIONAL, M_TRAINING, M_PLAIN };

/* Fields that are messages in which there are others, or tensors. What is not listed is copied as
 * it is. */
static const struct nested {
	enum message of;
	unsigned field;
	enum message is;
} nested[] = {
	{ M_MODEL, 7, M_GRAPH }, { M_MODEL, 20, M_TRAINING }, { M_MODEL, 25, M_FUNCTION },
	{ M_TRAINING, 1, M_GRAPH }, { M_TRAINING, 2, M_GRAPH },
	{ M_GRAPH, 1, M_NODE }, { M_GRAPH, 5, M_TENSOR }, { M_GRAPH, 11, M_VALUE }, { M_GRAPH, 12, M_VALUE },
	{ M_GRAPH, 13, M_VALUE }, { M_GRAPH, 15, M_SPARSE },
	{ M_NODE, 5, M_ATTRIBUTE },
	{ M_ATTRIBUTE, 5, M_TENSOR }, { M_ATTRIBUTE, 6, M_GRAPH }, { M_ATTRIBUTE, 10, M_TENSOR },
	{ M_ATTRIBUTE, 11, M_GRAPH }, { M_ATTRIBUTE, 14, M_TYPE }, { M_ATTRIBUTE, 15, M_TYPE },
	{ M_ATTRIBUTE, 22, M_SPARSE }, { M_ATTRIBUTE, 23, M_SPARSE },
	{ M_SPARSE, 1, M_TENSOR }, { M_SPARSE, 2, M_TENSOR },
	{ M_FUNCTION, 7, M_NODE }, { M_FUNCTION, 11, M_ATTRIBUTE }, { M_FUNCTION, 12, M_VALUE },
	{ M_VALUE, 2, M_TYPE },
	{ M_TYPE, 4, M_SEQUENCE }, { M_TYPE, 5, M_MAP }, { M_TYPE, 8, M_PLAIN }, { M_TYPE, 9, M_OPTIONAL },
	{ M_SEQUENCE, 1, M_TYPE }, { M_MAP, 2, M_TYPE }, { M_OPTIONAL, 1, M_TYPE },
};

struct wire {
	const unsigned char *file;
	struct text *to;
};

struct field {
	unsigned number, type;
	size_t tag, beg, end;	/* where it begins, and its value */
};

static bool
varint(const unsigned char *s, size_t *at, size_t end, uint64_t *v)
{
	int shift;

	*v = 0;
	for (shift = 0; shift < 64 && *at < end; shift += 7) {
		unsigned char c = s[(*at)++];

		*v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

static void
put_varint(struct text *t, uint64_t v, int least)
{
	char c;

	do {
		c = (char)(v & 0x7f);
		v >>= 7;
		least--;
		if (v || least > 0)
			c = (char)(c | (char)0x80);
		text_add(t, &c, 1);
	} while (v || least > 0);
}

/* The next field of a message that ends at END. */
static bool
next(const struct wire *w, size_t *at, size_t end, struct field *f)
{
	uint64_t tag, n = 0;

	f->tag = *at;
	if (!varint(w->file, at, end, &tag) || tag >> 3 == 0 || tag >> 3 >= (1u << 29))
		return false;
	f->number = (unsigned)(tag >> 3);
	f->type = tag & 7;
	f->beg = *at;
	if (f->type == 0) {
		if (!varint(w->file, at, end, &n))
			return false;
		f->end = *at;
		return true;
	}
	if (f->type == 2 && !varint(w->file, at, end, &n))
		return false;
	if (f->type != 2)
		n = f->type == 1 ? 8 : f->type == 5 ? 4 : UINT64_MAX;
	f->beg = *at;
	if (n > end - *at)
		return false;
	*at += n;
	f->end = *at;
	return true;
}

static bool
is_numbers(unsigned field)	/* of a TensorProto: float, int32, int64, raw, double, uint64 */
{
	return field == 4 || field == 5 || field == 7 || (field >= 9 && field <= 11);
}

static void
leave(struct text *t, const struct field *f)
{
	struct wire_place place = { f->number, f->beg, f->end - f->beg };

	put_varint(t, WIRE_ELSEWHERE << 3 | 2, 0);
	put_varint(t, sizeof(place), 0);
	text_add(t, (const char *)&place, sizeof(place));
}

static const struct nested *
nested_in(enum message of, unsigned field)
{
	size_t i;

	for (i = 0; i < sizeof(nested) / sizeof(*nested); i++)
		if (nested[i].of == of && nested[i].field == field)
			return &nested[i];
	return NULL;
}

static const char *
copy(struct wire *w, enum message of, size_t at, size_t end, int depth)
{
	struct field f;
	const struct nested *in;
	const char *why = NULL;
	size_t length, i;

	if (depth > WIRE_DEPTH)
		return "its messages are nested too deep";
	while (at < end && !why) {
		if (!next(w, &at, end, &f))
			return "it is no model of ONNX or Keras, or it breaks off";
		if (w->to->n > WIRE_MOST)
			return "there is too much beside its weights: 32 MiB are read at most";
		in = nested_in(of, f.number);
		if (in && f.type != 2)
			return "a part of it has another type than ONNX says";
		if (in) {
			put_varint(w->to, f.number << 3 | 2, 0);
			length = w->to->n;
			put_varint(w->to, 0, 5);
			why = copy(w, in->is, f.beg, f.end, depth + 1);
			for (i = 0; i < 5; i++)	/* its length, in as many bytes as were kept for it */
				w->to->s[length + i] = (char)((w->to->n - length - 5) >> (7 * i) & 0x7f) |
				    (char)(i < 4 ? 0x80 : 0);
		} else if (of == M_TENSOR && f.number == WIRE_ELSEWHERE)
			return "a tensor has a field that ONNX does not know";
		else if (of == M_TENSOR && f.type == 2 && is_numbers(f.number) && f.end - f.beg > WIRE_LARGE)
			leave(w->to, &f);
		else
			text_add(w->to, (const char *)w->file + f.tag, f.end - f.tag);
	}
	return why;
}

const char *
wire_cut(struct text *to, const unsigned char *file, size_t size)
{
	struct wire w = { file, to };

	return copy(&w, M_MODEL, 0, size, 0);
}
