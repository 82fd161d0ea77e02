/* safetensors: named tensors of one file, which most frameworks write. */
#include <stdlib.h>
#include <string.h>

#include "readers/look.h"

static const struct attr_spec attrs[] = { READER_ROWS, ATTRS_END };

static const struct {
	const char *name;
	enum look_type type;
} types[] = {
	{ "\"F32\"", LOOK_F32 }, { "\"F64\"", LOOK_F64 }, { "\"I8\"", LOOK_I8 }, { "\"I16\"", LOOK_I16 },
	{ "\"I32\"", LOOK_I32 }, { "\"I64\"", LOOK_I64 }, { "\"U8\"", LOOK_U8 }, { "\"U16\"", LOOK_U16 },
	{ "\"U32\"", LOOK_U32 }, { "\"BOOL\"", LOOK_U8 },
};

/* Behind the string at P, which begins with its quote. */
static const char *
behind_string(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		p += *p == '\\' && p[1];
	return *p ? p + 1 : p;
}

/* What follows the key NAME of the object at P, "{", itself and not in an object within; NULL: it
 * has none. */
static const char *
member(const char *p, const char *name)
{
	size_t n = strlen(name);
	int depth = 0;

	while (*p) {
		const char *next = *p == '"' ? behind_string(p) : p + 1;

		if (*p == '"' && depth == 1 && next[strspn(next, " \n\t")] == ':' && (size_t)(next - p) == n + 2 &&
		    strncmp(p + 1, name, n) == 0) {
			next += strspn(next, " \n\t") + 1;
			return next + strspn(next, " \n\t");
		}
		depth += *p == '{' || *p == '[';
		depth -= *p == '}' || *p == ']';
		if (depth <= 0)
			return NULL;
		p = next;
	}
	return NULL;
}

/* "[60000, 28, 28]": how many numbers; -1: it is no such list. */
static int
list_of(const char *p, int64_t *number, int most)
{
	char *end;
	int n;

	if (!p || *p++ != '[')
		return -1;
	for (n = 0;; p = end) {
		p += strspn(p, " ,\n\t");
		if (*p == ']')
			return n;
		if (n == most || *p < '0' || *p > '9' || strspn(p, "0123456789") > 18)
			return -1;
		number[n++] = strtoll(p, &end, 10);
	}
}

/* The header's length, the header, and the tensors' bytes. */
static bool
look(struct look *l)
{
	int64_t header = 0, dim[MAX_RANK + 1], place[2];
	const char *text, *tensor, *type;
	int rank;
	size_t i;

	for (i = 0; i < 8 && l->size >= 8; i++)
		header |= (int64_t)((uint64_t)l->bytes[i] << 8 * i);
	if (!l->input || header < 2 || header > (int64_t)l->size - 8)
		return false;
	text = arena_strndup(l->arena, (const char *)l->bytes + 8, (size_t)header);
	tensor = member(text, l->input->name);
	if (!tensor || *tensor != '{')
		return false;
	rank = list_of(member(tensor, "shape"), dim, MAX_RANK + 1);
	type = member(tensor, "dtype");
	if (rank < 1 || !type || list_of(member(tensor, "data_offsets"), place, 2) != 2)
		return false;
	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strncmp(type, types[i].name, strlen(types[i].name)) == 0)
			return look_numbers(l, 8 + header + place[0], types[i].type, false, rank, dim);
	return false;
}

const struct reader reader_safetensors = {
	.name = "safetensors",
	.brief = "named tensors of one file",
	.doc = "One file of tensors with names, as safetensors.numpy.save_file() writes it: each input and target is "
	    "the tensor of its name. The first axis counts the samples; tensors of other names are left alone. Types "
	    "are F32, F64, I8, I16, I32, I64, U8, U16, U32 and BOOL.",
	.usage = "safetensors(\"digits.safetensors\")",
	.files = FILES_ONE,
	.attrs = attrs,
	.look = look,
	.apart = true,
};
