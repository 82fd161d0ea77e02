/* from_file: numbers of a file, which the program reads when it starts and nothing changes. Its
 * output has their bytes, as parameter's has. */
#include "ops/from_file.h"

#include <string.h>

#include "calls/tape.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	{ "shape", ATTR_INTS, "its extents", .required = true, .min = 1, .max = LARGEST_EXTENT },
	{ "file", ATTR_TEXT, "the file's name: .npy, .csv or .safetensors", .required = true },
	{ .name = "name", .type = ATTR_TEXT, .doc = "of the tensor in a .safetensors file; by default that of the value or the label that the "
	    "numbers have here" },
	ATTRS_END
};

const char *
table_reader(const char *file)
{
	static const char *const readers[] = { "npy", "csv", "safetensors", NULL };
	const char *dot = strrchr(file, '.');
	int i;

	for (i = 0; dot && readers[i]; i++)
		if (strcmp(dot + 1, readers[i]) == 0)
			return readers[i];
	return NULL;
}

struct attr *
table_of_classes(struct arena *a, const char *file, int64_t n)
{
	struct attr *attr = arena_array(a, sizeof(attrs) / sizeof(*attrs), sizeof(*attr));

	op_preset(&op_class_table, attr, "shape")->n = 1;
	op_preset(&op_class_table, attr, "shape")->v[0] = n;
	op_preset(&op_class_table, attr, "file")->text = file;
	return attr;
}

const struct tensor *
table_read_by(const struct node *n)
{
	int i;

	for (i = 0; i < n->nin; i++)
		if (n->in[i] && tensor_root(n->in[i])->kind == T_TABLE)
			return tensor_root(n->in[i]);
	return NULL;
}

const char *
table_tensor(struct arena *a, const struct node *n)
{
	const char *given = op_attr(n, "name")->text, *end = n->path + strlen(n->path), *dot = end;

	if (given && *given)
		return given;
	while (dot > n->path && dot[-1] != '.')
		dot--;
	if (strncmp(dot, n->op->name, strlen(n->op->name)) != 0 || dot == n->path)
		return dot;
	for (end = --dot; dot > n->path && dot[-1] != '.'; dot--)	/* the value that it is called by */
		;
	return arena_strndup(a, dot, (size_t)(end - dot));
}

const char *
table_name(const struct module *m, const struct tensor *t)
{
	int i = 0;

	while (m->persistent.v[i] != t)
		i++;
	return arena_printf(m->arena, "table_%d", i);
}

static bool
shape(struct build *b, struct node *n)
{
	static const struct init zeros = { INIT_ZEROS, 0 };
	const struct dtype *element = b->module->set.precision->element;
	const struct attr *a = op_attr(n, "shape");
	const char *file = op_attr(n, "file")->text;
	struct tensor *t;

	if (!table_reader(file))
		return op_error(b, n, "from_file: a file of numbers ends in .npy, .csv or .safetensors, and \"%s\" does not", file);
	t = op_param(b, n, "values", T_TABLE, zeros, a->n, a->v);
	if (!t)
		return false;
	t->dtype = n->op == &op_class_table ? element->real : element;
	return op_output(b, n, NULL, T_ACTIVATION, t->dtype, false, a->n, a->v);
}

static void
torch_calls(struct tape *t, const struct node *n)
{
	tape_result(t, n->out[0], tape_value(t, n->in[0]));
}

const struct op op_from_file = {
	.name = "from_file",
	.kind = OP_LAYER,
	.brief = "a tensor of a file's numbers",
	.doc = "Numbers that the program reads from a file when it starts: frequencies, filters, positions, what classes "
	    "weigh. from_file((24, 10), \"positions.npy\") has 24 rows of 10 numbers. The first axis counts the rows of the "
	    "file; in a .csv that is lines, and from_file(10, \"mean.csv\") is 10 lines of one number. Of a .safetensors "
	    "file it is the tensor of that name: mean = from_file(3, \"image.safetensors\") is its tensor mean.\n\n"
	    "It does not depend on the batch, has no gradient and is in no checkpoint: it is read again at each start, "
	    "also for --resume; an exported model, and a program that only infers, have the numbers within. It lies in the arena "
	    "for good, and costs no copy. Files are found as those of data are, "
	    "and read as strictly: a shape that is not as expected, or a number that is not finite, ends in a message. "
	    "What is to be trained, or is in checkpoints, is parameter, whose numbers --weights loads.",
	.attrs = attrs,
	.operands = "",
	.min_operands = 0, .max_operands = 0,
	.shape = shape,
	.memory.alias = op_alias_first,
	.torch = { .calls = torch_calls },
};

const struct op op_class_table = {
	.name = "class_table",
	.kind = OP_INTERNAL,
	.brief = "what each class weighs in a loss, as a file says",
	.attrs = attrs,
	.operands = "",
	.min_operands = 0, .max_operands = 0,
	.shape = shape,
	.memory.alias = op_alias_first,
	.torch = { .calls = torch_calls },
};
