/*
 * stowage export: what a network computes, with the weights of a checkpoint, as an ONNX model; or
 * the weights alone, under the names that they had elsewhere. The checkpoint is mapped, never read
 * whole; nothing in it is trusted.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filename.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/compile.h"
#include "cli/mapped.h"
#include "cli/replace.h"
#include "commands/commands.h"
#include "export/export.h"
#include "export/shipped.h"
#include "import/model.h"
#include "ir/op.h"
#include "lang/expand.h"

struct export_args {
	struct compile_args compile;
	const char *output, *names;
	bool apart, training;
	int64_t update;
	const char *path, *checkpoint;
	const struct command *command;
};

static const struct option options[] = {
	{ .name = "output", .letter = 'o', .type = OPTION_STRING, .value = "FILE",
	  .doc = "write the model there, in place of standard output", FIELD(struct export_args, output) },
	{ .name = "external-data", .type = OPTION_FLAG,
	  .doc = "lay weights in FILE.data beside the model, as is done anyway where there are more than 2 GiB of them",
	  FIELD(struct export_args, apart) },
	{ .name = "training", .type = OPTION_FLAG,
	  .doc = "write the graph of training: the loss, and its gradient by each weight that is trained",
	  FIELD(struct export_args, training) },
	{ .name = "update", .type = OPTION_INT, .value = "N", .min = 1, .max = MOST_TURNS,
	  .doc = "with --training, of a step that is several updates that one; the first is 1", FIELD(struct export_args, update) },
	{ .name = "names", .type = OPTION_STRING, .value = "WHOSE",
	  .doc = "write weights alone, as safetensors with the names that they have in torchvision, timm, huggingface or "
	  "keras, or in the file that is a map of names",
	  FIELD(struct export_args, names) },
	NETWORK_OPTION(struct export_args),
	CONFIG_OPTIONS(struct export_args, compile.config, compile.no_config, compile.allow_outside),
	{ .name = "define", .letter = 'D', .type = OPTION_LIST, .value = "NAME=VALUE",
	  .doc = "set a file-level param", FIELD(struct export_args, compile.define) },
	{ .name = NULL }
};

static int
refuse(struct arena *a, const char *path, const char *why)
{
	print_error("%s: %s", visible_text(a, path), visible_text(a, why));
	return 2;
}

/* ---- what is written ---- */

#define PROBLEMS_SHOWN	20
#define OUTPUTS_SHOWN	16

static int
say_problems(struct arena *a, const struct export_args *args, const struct exported *e)
{
	int i;

	for (i = 0; i < e->problems.n && i < PROBLEMS_SHOWN; i++) {
		const struct node *n = e->problems.v[i].node;

		print_error("%s:%s %s (%s): %s", visible_text(a, args->path), loc_has_line(n->loc) ?
		    arena_printf(a, "%d:", loc_line(n->loc)) : "", n->path, n->op->name, e->problems.v[i].why);
	}
	if (i < e->problems.n)
		print_error("%s: and %d more", visible_text(a, args->path), e->problems.n - i);
	return 1;
}

/* The file of weights beside the model; false after a message. */
static bool
write_apart(const char *path, const struct model *m)
{
	struct replacement r;
	FILE *f = replace_begin(&r, path) ? replace_stream(&r) : NULL;
	bool good = f && replace_close(&r, f, onnx_apart_write(m, f));

	if (!good)
		print_error("%s: %s", path, strerror(errno));
	return good;
}

static int
write_files(struct arena *a, const struct export_args *args, const struct model *m)
{
	bool named = args->output && strcmp(args->output, "-") != 0;
	const char *apart = args->apart || onnx_apart_must(m) ? arena_join(a, named ? args->output : "", "", ".data") : NULL,
	    *slash = apart ? strrchr(apart, '/') : NULL, *why;
	FILE *f;

	if (apart && !named)
		return refuse(a, "-", "weights that lie apart are in a file beside the model's: say -o FILE");
	f = compile_output(args->output);
	if (!f)
		return 2;
	onnx_write(a, f, m, slash ? slash + 1 : apart, &why);
	if (!why && (!apart || write_apart(apart, m)))	/* now that there is a model for them */
		return compile_close(f, args->output) ? 0 : 2;
	if (f != stdout)
		fclose(f);
	return why ? refuse(a, named ? args->output : "-", why) : 2;
}

static const char *
outputs_text(struct arena *a, const struct model *m)
{
	struct text t;
	int i;

	text_init(&t, a);
	for (i = 0; i < m->outputs.n && i < OUTPUTS_SHOWN; i++)
		text_printf(&t, "%s%s", i ? ", " : "", m->outputs.v[i].name);
	if (i < m->outputs.n)
		text_printf(&t, " and %d more", m->outputs.n - i);
	return t.s;
}

static int
write_model(struct arena *a, const struct export_args *args, struct module *m, const struct checkpoint *c)
{
	char commas[SIZE_TEXT];
	const char *why;
	struct exported *e = export_model(m, c, compile_root(a, filename_absolute(a, args->path), args->compile.allow_outside),
	    args->training, args->update, &why);
	int status;

	if (why)
		return refuse(a, e->of_spec ? args->path : args->checkpoint, why);
	if (e->problems.n > 0)
		return say_problems(a, args, e);
	status = write_files(a, args, e->model);
	if (status)
		return status;
	print_error("%s: %d nodes, %s numbers in %d weights; %s -> %s", visible_text(a, args->path), e->model->nodes.n,
	    size_commas(commas, e->parameters), e->model->numbers.n, e->model->inputs.n ? e->model->inputs.v[0].name : "-",
	    outputs_text(a, e->model));
	return 0;
}

/* A whole file of text; NULL after a message. */
static char *
read_text(struct arena *a, const char *path)
{
	struct source *src = compile_read(a, path, NULL);

	return src ? arena_strndup(a, src->text, (size_t)src->size) : NULL;
}

/* Names that are a word, such as "timm", and no file. */
static bool
is_word(const char *names)
{
	struct stat st;

	return !strpbrk(names, "./") && (stat(names, &st) != 0 || S_ISDIR(st.st_mode));
}

static char *
no_map(struct arena *a, const struct export_args *args, const char *name, const char *beside)
{
	const char *has = shipped_list(a, name);

	print_error("%s: there is no map of names for '%s': neither a file %s nor one that comes with Stowage, which has %s%s; "
	    "what a map says, for a file of your own, is in stowage-export(1)", visible_text(a, args->path),
	    visible_text(a, args->names), visible_text(a, beside), *has ? "those of this network for " : "maps for ",
	    *has ? has : shipped_list(a, NULL));
	return NULL;
}

/* The text of the file, or for a word the one beside the spec, "specs/resnet18.timm.map", or the
 * one that comes with Stowage; NULL after a message. */
static char *
read_map(struct arena *a, const struct export_args *args)
{
	const char *slash = strrchr(args->path, '/'), *name = slash ? slash + 1 : args->path, *beside;
	size_t length = strcspn(name, ".");
	char *shipped;

	if (!is_word(args->names))
		return read_text(a, args->names);
	beside = arena_printf(a, "%.*s.%s.map", (int)((size_t)(name - args->path) + length), args->path, args->names);
	if (access(beside, F_OK) == 0)
		return read_text(a, beside);
	name = arena_strndup(a, name, length);
	shipped = shipped_map(a, name, args->names);
	return shipped ? shipped : no_map(a, args, name, beside);
}

static int
write_weights(struct arena *a, const struct export_args *args, struct module *m, const struct checkpoint *c)
{
	const char *why = NULL;
	char *text = read_map(a, args);
	struct names *names = text ? names_read(a, text, is_word(args->names), &why) : NULL;
	FILE *f;

	if (!names)
		return why ? refuse(a, args->names, why) : 2;
	f = compile_output(args->output);
	if (!f)
		return 2;
	export_weights(f, m, c, names, &why);
	if (why)
		return refuse(a, args->checkpoint, why);
	return compile_close(f, args->output) ? 0 : 2;
}

/* ---- what is read ---- */

static int
export_mapped(struct arena *a, void *context, const unsigned char *file, size_t size)
{
	const struct export_args *args = context;
	struct diags d;
	struct spec *spec;
	const char *why = NULL;
	struct checkpoint *c;
	int status = compile_forward(a, args->command, args->path, &args->compile, &d, &spec);

	if (status)
		return status;
	c = checkpoint_read(a, file, size, &why);
	if (!c)
		return refuse(a, args->checkpoint, why);
	c->trains = args->training;
	return args->names ? write_weights(a, args, spec->modules.v[0], c) : write_model(a, args, spec->modules.v[0], c);
}

static int
export_file(struct arena *a, void *context)
{
	struct export_args *args = context;

	return mapped(a, args->checkpoint, export_mapped, args);
}

static int
run_export(const struct command *c, int argc, char **argv)
{
	struct export_args args = { .compile = COMPILE_DEFAULTS, .command = c };
	int n;
	enum parsed parsed = options_parse(c, &args, argc, argv, &n);

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (n != 2)
		return usage_error(c, n < 2 ? "a spec and a checkpoint are needed" : "one spec and one checkpoint at a time");
	if (args.training && args.names)
		return usage_error(c, "--names writes weights alone, and --training a graph");
	if (args.update && !args.training)
		return usage_error(c, "--update says which graph --training writes");
	if (!compile_check(c, &args.compile))
		return 2;
	args.path = argv[0];
	args.checkpoint = argv[1];
	return compile_in_arena(export_file, &args);
}

const struct command command_export = {
	.name = "export",
	.brief = "write a trained network as an ONNX model",
	.operands = "SPEC CHECKPOINT",
	.details = "Exit status: 0 it is written, 1 the spec has errors or layers that ONNX has not, 2 something cannot be\n"
	    "read or written.",
	.options = options,
	.run = run_export,
};
