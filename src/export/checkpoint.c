/*
 * The header of a safetensors file, read strictly: what is not as the format says is refused, with
 * the byte at which it is not.
 *
 *     8 bytes   length of the header, little-endian
 *     header    JSON: {"__metadata__": {...}, NAME: {"dtype", "shape", "data_offsets"}, ...}
 *     data      the tensors
 *
 * Strings with escapes are none that stowage writes: names are words of the language and dots.
 */
#include "export/checkpoint.h"

#include <inttypes.h>
#include <string.h>

#define LARGEST_HEADER	(100u << 20)

struct reading {
	struct arena *arena;
	const char *text, *at, *end;
	const unsigned char *data;
	uint64_t size;		/* of the data */
	const char *why;
};

static const struct {
	const char *name;
	enum element type;
} types[] = {
	{ "F32", ELEMENT_F32 }, { "F64", ELEMENT_F64 }, { "F16", ELEMENT_F16 }, { "BF16", ELEMENT_BF16 },
	{ "I8", ELEMENT_I8 }, { "I32", ELEMENT_I32 }, { "I64", ELEMENT_I64 }, { "U8", ELEMENT_U8 }, { "BOOL", ELEMENT_BOOL },
};

static bool
expected(struct reading *r, const char *what)
{
	if (!r->why)
		r->why = arena_printf(r->arena, "corrupt: expected %s at byte %lld of the header", what,
		    (long long)(r->at - r->text));
	return false;
}

static bool
take(struct reading *r, char c)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
		r->at++;
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool
need(struct reading *r, char c)
{
	return take(r, c) || expected(r, (char[]){ c, '\0' });
}

/* NULL: it is none. */
static const char *
string(struct reading *r)
{
	const char *from;

	if (!need(r, '"'))
		return NULL;
	for (from = r->at; r->at < r->end && *r->at != '"' && (unsigned char)*r->at >= ' '; r->at++)
		if (*r->at == '\\' && ++r->at == r->end)
			break;
	if (r->at == r->end || *r->at != '"') {
		expected(r, "the end of a string");
		return NULL;
	}
	return arena_strndup(r->arena, from, (size_t)(r->at++ - from));
}

static bool
number(struct reading *r, int64_t *n)
{
	int digits = 0;

	for (*n = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9' && digits < 18; r->at++, digits++)
		*n = *n * 10 + (*r->at - '0');
	return digits > 0 || expected(r, "a number");
}

/* Up to MOST whole numbers; -1: it is no such list. */
static int
list(struct reading *r, int64_t *v, int most)
{
	int n = 0;

	if (!need(r, '['))
		return -1;
	if (take(r, ']'))
		return 0;
	do {
		take(r, ' ');
		if (n == most) {
			expected(r, "fewer numbers");
			return -1;
		}
		if (!number(r, &v[n++]))
			return -1;
	} while (take(r, ','));
	return need(r, ']') ? n : -1;
}

static bool
metadata(struct reading *r)
{
	if (!need(r, '{'))
		return false;
	if (take(r, '}'))
		return true;
	do {
		if (!string(r) || !need(r, ':') || !string(r))
			return false;
	} while (take(r, ','));
	return need(r, '}');
}

static enum element
type_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].type;
	return ELEMENT_OTHER;
}

/* Are so many numbers where the header says that they are? */
static bool
lies_within(struct reading *r, struct numbers *n, const int64_t *range)
{
	int i;

	n->count = 1;
	for (i = 0; i < n->rank; i++)
		if (__builtin_mul_overflow(n->count, n->dim[i], &n->count) || n->count > (int64_t)1 << 40)
			return expected(r, "smaller extents");
	if (range[0] > range[1] || (uint64_t)range[1] > r->size) {
		r->why = arena_printf(r->arena, "truncated or corrupt: tensor %s lies at bytes %lld to %lld of %llu", n->name,
		    (long long)range[0], (long long)range[1], (unsigned long long)r->size);
		return false;
	}
	n->data = r->data + range[0];
	if (n->type == ELEMENT_OTHER || range[1] - range[0] == n->count * (int64_t)element_bytes(n->type))
		return true;
	r->why = arena_printf(r->arena, "corrupt: tensor %s has %lld bytes for %lld elements", n->name,
	    (long long)(range[1] - range[0]), (long long)n->count);
	return false;
}

static bool
tensor(struct reading *r, struct numbers *n)
{
	int64_t range[2];
	int seen = 0;

	if (!need(r, '{'))
		return false;
	do {
		const char *key = string(r), *type;

		if (!key || !need(r, ':'))
			return false;
		if (strcmp(key, "dtype") == 0 && !(seen & 1)) {
			if (!(type = string(r)))
				return false;
			n->type = type_of(type);
			seen |= 1;
		} else if (strcmp(key, "shape") == 0 && !(seen & 2)) {
			if ((n->rank = list(r, n->dim, MODEL_RANK)) < 0)
				return false;
			seen |= 2;
		} else if (strcmp(key, "data_offsets") == 0 && !(seen & 4)) {
			if (list(r, range, 2) != 2)
				return expected(r, "two offsets");
			seen |= 4;
		} else {
			return expected(r, "dtype, shape or data_offsets, each once");
		}
	} while (take(r, ','));
	if (!need(r, '}') || seen != 7)
		return expected(r, "dtype, shape and data_offsets");
	return lies_within(r, n, range);
}

static bool
header(struct reading *r, struct checkpoint *c)
{
	if (!need(r, '{'))
		return false;
	if (take(r, '}'))
		return true;
	do {
		struct numbers *n = ARENA_NEW(r->arena, struct numbers);

		if (!(n->name = string(r)) || !need(r, ':'))
			return false;
		if (strcmp(n->name, "__metadata__") == 0) {
			if (!metadata(r))
				return false;
			continue;
		}
		if (!tensor(r, n))
			return false;
		if (map_get(&c->tensors, n->name)) {
			r->why = arena_printf(r->arena, "corrupt: tensor %s is there twice", n->name);
			return false;
		}
		map_put(r->arena, &c->tensors, n->name, n);
	} while (take(r, ','));
	return need(r, '}');
}

struct checkpoint *
checkpoint_read(struct arena *a, const unsigned char *file, size_t size, const char **why)
{
	struct checkpoint *c = ARENA_NEW(a, struct checkpoint);
	struct reading r = { .arena = a };
	uint64_t length = 0;
	int i;

	c->arena = a;
	for (i = 7; i >= 0 && size >= 8; i--)
		length = length << 8 | file[i];
	if (length < 2 || length > LARGEST_HEADER || length > size - 8) {
		*why = size >= 2 && file[0] == 'P' && file[1] == 'K' ? "it is no safetensors file but one of torch.save(): write "
		    "it by safetensors.torch.save_file(model.state_dict(), FILE)" : "it is no safetensors file, or not all of one";
		return NULL;
	}
	r.text = r.at = (const char *)file + 8;
	r.end = r.text + length;
	r.data = file + 8 + length;
	r.size = size - 8 - length;
	if (!header(&r, c)) {
		*why = r.why;
		return NULL;
	}
	return c;
}

/* ---- weights ---- */

static const struct numbers *
as_f32(struct arena *a, const struct numbers *n)
{
	struct numbers *f = ARENA_NEW(a, struct numbers);
	float *to = arena_array(a, (size_t)n->count + 1, sizeof(*to));
	int64_t i;

	*f = *n;
	f->type = ELEMENT_F32;
	f->data = (const unsigned char *)to;
	for (i = 0; i < n->count; i++)
		to[i] = (float)numbers_real(n, i);
	return f;
}

static bool
same_shape(const struct numbers *n, const struct tensor *t)
{
	int i;

	if (n->rank != t->rank)
		return false;
	for (i = 0; i < n->rank; i++)
		if (n->dim[i] != t->dim[i])
			return false;
	return true;
}

/* Where averages of parameters are kept, inference alone reads these; where rounded ones are, those
 * they are rounded from. */
static const struct numbers *
find(const struct checkpoint *c, const struct module *m, const struct tensor *t)
{
	const char *instead = m->set.ema > 0 && !c->trains ? "average" : m->set.precision->masters ? "master" : NULL;
	const struct numbers *n = instead && t->kind == T_PARAM ?
	    map_get(&c->tensors, arena_join(c->arena, t->name, ".", instead)) : NULL;

	return n ? n : map_get(&c->tensors, t->name);
}

const struct numbers *
checkpoint_weight(const struct checkpoint *c, const struct module *m, const struct tensor *t, const char **why)
{
	const struct numbers *n = find(c, m, t);
	int64_t i;

	if (!n) {
		*why = arena_printf(c->arena, "it has no tensor %s", t->name);
		return NULL;
	}
	if (!numbers_are_real(n) || !same_shape(n, t)) {
		*why = arena_printf(c->arena, !numbers_are_real(n) ? "tensor %s is of a type that no weight has" :
		    "tensor %s has another shape than %s of the spec", n->name, tensor_shape_text(c->arena, t));
		return NULL;
	}
	for (i = 0; i < n->count; i++)
		if (numbers_real(n, i) - numbers_real(n, i) != 0) {
			*why = arena_printf(c->arena, "%s holds a number that is not finite", n->name);
			return NULL;
		}
	if (n->type == ELEMENT_F32 && (uintptr_t)n->data % sizeof(float) == 0)
		return n;
	return as_f32(c->arena, n);
}
