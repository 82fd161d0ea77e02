/*
 * Models where commands take specs. The file is mapped while it becomes a spec; its weights, which nobody asks for,
 * are never read. What is said of the spec is about a text that the user does not have, so what it takes for granted is
 * said too.
 */
#include "cli/model.h"

#include <string.h>
#include <sys/mman.h>

#include "base/filename.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/mapped.h"
#include "ir/op.h"

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

static int
open_mapped(struct arena *a, void *context, const unsigned char *file, size_t size)
{
	struct opening *o = context;
	const char *why;
	struct imported *m;

	madvise((void *)(uintptr_t)file, size, MADV_RANDOM);
	m = import_any(a, o->path, file, size, o->options, &why);
	if (why)
		print_error("%s: %s", visible_text(a, o->path), visible_text(a, why));
	else if (m->problems.n > 0)
		model_say_problems(a, o->path, m);
	else {
		model_say_notes(a, o->path, m);
		print_error("%s: it is taken as the spec that 'stowage import' writes of it, with its optimizer, precision "
		    "and, unless options say another, its batch", visible_text(a, o->path));
		o->spec = kept(o->keep, m->spec);
	}
	import_end(m);
	return o->spec ? 0 : 2;
}

struct source *
model_read(struct arena *a, const char *path, const struct import_options *options)
{
	struct arena *scratch = arena_child(a);
	struct opening o = { path, options, a, NULL };

	mapped(scratch, path, open_mapped, &o);
	arena_free(scratch);
	return o.spec;
}
