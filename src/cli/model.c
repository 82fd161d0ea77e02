/*
 * Models where commands take specs. The file is mapped while it becomes a spec; its weights, which
 * nobody asks for, are never read. What is said of the spec is about a text that the user does not
 * have, so what it takes for granted is said too.
 */
#include "cli/model.h"

#include <string.h>
#include <sys/mman.h>

#include "base/filename.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/mapped.h"
#include "ir/op.h"
#include "syntax/words.h"

#define PROBLEMS_SHOWN	20

bool
model_is_named(const char *path)
{
	static const char *const suffix[] = { ".onnx", ".keras", ".h5", ".hdf5", ".json", NULL };
	int i;

	for (i = 0; suffix[i]; i++)
		if (filename_ends(path, suffix[i]))
			return true;
	return false;
}

const char *
model_refused(const char *path)
{
	static const char python[] = "Python is no spec: " PYTHON_CURE;
	static const char weights[] = "weights, and modules that Python pickled, are no spec: 'stowage-torch' makes one "
	    "of a module of PyTorch, 'stowage import' of a model that was saved as ONNX or by Keras";
	static const char format[] = "models of this format are not read: 'stowage import' reads those of ONNX and Keras";
	static const struct {
		const char *suffix, *why;
	} refused[] = {
		{ ".py", python }, { ".ipynb", python }, { ".pt", weights }, { ".pth", weights },
		{ ".ckpt", weights }, { ".bin", weights }, { ".safetensors", weights }, { ".pkl", weights },
		{ ".npz", weights }, { ".gguf", weights }, { ".caffemodel", weights }, { ".tflite", format },
		{ ".pb", format }, { ".mlmodel", format }, { ".prototxt", format },
	};
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (filename_ends(path, refused[i].suffix))
			return refused[i].why;
	return NULL;
}

bool
model_is_json(const char *text)
{
	return strstr(text, "\"class_name\"") != NULL;
}

bool
model_loss_known(const char *name)
{
	const struct op *op = op_find(name);

	return strcmp(name, "none") == 0 || (op && op->kind == OP_LOSS);
}

void
model_say_problems(struct arena *a, const char *path, const struct imported *m)
{
	int i;

	for (i = 0; i < m->problems.n && i < PROBLEMS_SHOWN; i++)
		print_error("%s: node '%s' (%s): %s", visible_text(a, path), visible_text(a, m->problems.v[i].node),
		    visible_text(a, m->problems.v[i].op), visible_text(a, m->problems.v[i].why));
	if (i < m->problems.n)
		print_error("%s: and %d more", visible_text(a, path), m->problems.n - i);
	print_error("%s: %d of %d nodes cannot be expressed, so no spec is written", visible_text(a, path),
	    m->problems.n, m->nodes);
}

void
model_say_notes(struct arena *a, const char *path, const struct imported *m)
{
	char parameters[SIZE_TEXT], frozen[SIZE_TEXT], statistics[SIZE_TEXT];
	int i;

	for (i = 0; i < m->notes.n; i++)
		print_error("%s: %s", visible_text(a, path), visible_text(a, m->notes.v[i]));
	print_error("%s: %d node%s, %s parameters%s%s%s%s%s%s", visible_text(a, path), m->nodes, m->nodes == 1 ? "" : "s",
	    size_commas(parameters, m->parameters), m->frozen ? ", " : "",
	    m->frozen ? size_commas(frozen, m->frozen) : "", m->frozen ? " frozen" : "", m->statistics ? ", " : "",
	    m->statistics ? size_commas(statistics, m->statistics) : "",
	    m->statistics ? " running statistics" : "");
}

struct opening {
	const char *path;
	const struct import_options *options;
	struct arena *keep;	/* where the spec is to stay */
	struct model_told *told;	/* NULL: it goes to standard error */
	struct source *spec;
};

static struct source *
kept(struct arena *a, const struct source *spec)
{
	struct source *s = source_from_text(a, spec->path, spec->text, (size_t)spec->size);
	struct origin *v = arena_array(a, (size_t)spec->origins->n + 1, sizeof(*v));
	int i;

	for (i = 0; i < spec->origins->n; i++) {
		v[i] = spec->origins->v[i];
		v[i].node = arena_strdup(a, v[i].node);
	}
	s->origins = origins_new(a, spec->origins->n, v);
	return s;
}

static const char taken[] = "it is taken as the spec that 'stowage import' writes of it, with its optimizer, precision and, unless "
    "options say another, its batch";

static void
say(struct arena *a, const struct opening *o, const struct imported *m, const char *why)
{
	if (why)
		print_error("%s: %s", visible_text(a, o->path), visible_text(a, why));
	else if (m->problems.n > 0)
		model_say_problems(a, o->path, m);
	else {
		model_say_notes(a, o->path, m);
		print_error("%s: %s", visible_text(a, o->path), taken);
	}
}

static void
tell(const struct opening *o, const struct imported *m, const char *why)
{
	struct arena *a = o->keep;
	int i;

	o->told->why = why ? arena_strdup(a, why) : NULL;
	o->told->nodes = m->nodes;
	for (i = 0; i < m->problems.n; i++) {
		const struct import_problem *from = &m->problems.v[i];
		struct import_problem p = { arena_strdup(a, from->node), arena_strdup(a, from->op), arena_strdup(a, from->why) };

		vec_push(a, &o->told->problems, p);
	}
	for (i = 0; i < m->notes.n; i++)
		vec_push(a, &o->told->notes, arena_strdup(a, m->notes.v[i]));
	vec_push(a, &o->told->notes, taken);
}

static int
open_mapped(struct arena *a, void *context, const unsigned char *file, size_t size)
{
	struct opening *o = context;
	const char *why;
	struct imported *m = import_any(a, o->path, file, size, o->options, &why);

	if (o->told)
		tell(o, m, why);
	else
		say(a, o, m, why);
	if (!why && m->problems.n == 0)
		o->spec = kept(o->keep, m->spec);
	import_end(m);
	return o->spec ? 0 : 2;
}

static int
open_at_random(struct arena *a, void *context, const unsigned char *file, size_t size)
{
	madvise((void *)(uintptr_t)file, size, MADV_RANDOM);
	return open_mapped(a, context, file, size);
}

struct source *
model_read(struct arena *a, const char *path, const struct import_options *options)
{
	struct arena *scratch = arena_child(a);
	struct opening o = { path, options, a, NULL, NULL };

	mapped(scratch, path, open_at_random, &o);
	arena_free(scratch);
	return o.spec;
}

struct source *
model_take(struct arena *a, const char *path, const char *text, size_t n, struct model_told *told)
{
	struct arena *scratch = arena_child(a);
	struct import_options options = { .loss = NULL };
	struct opening o = { path, &options, a, told, NULL };

	*told = (struct model_told){ .why = "the file cannot be read" };
	if (text)
		open_mapped(scratch, &o, (const unsigned char *)text, n);
	else
		mapped(scratch, path, open_at_random, &o);
	arena_free(scratch);
	return o.spec;
}
