/*
 * stowage import: a model of another tool as a spec, and its weights under the spec's names. The
 * model is mapped, never read whole; nothing in it is trusted.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/filename.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/compile.h"
#include "cli/mapped.h"
#include "cli/model.h"
#include "cli/replace.h"
#include "commands/commands.h"
#include "import/import.h"

struct import_args {
	const char *output, *weights, *loss;
	struct words define;
	bool partial;
	const char *path;
	const struct command *command;
};

static const struct option options[] = {
	{ .name = "output", .letter = 'o', .type = OPTION_STRING, .value = "FILE",
	  .doc = "write the spec there, in place of standard output", FIELD(struct import_args, output) },
	{ .name = "weights", .letter = 'w', .type = OPTION_STRING, .value = "FILE",
	  .doc = "write the weights there as safetensors, under the spec's names", FIELD(struct import_args, weights) },
	{ .name = "loss", .type = OPTION_STRING, .value = "NAME",
	  .doc = "what to minimise, or none; by default what the output's shape suggests",
	  FIELD(struct import_args, loss) },
	{ .name = "define", .letter = 'D', .type = OPTION_LIST, .value = "NAME=N",
	  .doc = "the extent of an axis to which the model gives a name", FIELD(struct import_args, define) },
	{ .name = "partial", .type = OPTION_FLAG,
	  .doc = "cut the graph at nodes that cannot be expressed: what they make becomes an input",
	  FIELD(struct import_args, partial) },
	{ .name = NULL }
};

static bool
write_weights(struct arena *a, const struct import_args *args, const struct imported *m)
{
	bool to_stdout = strcmp(args->weights, "-") == 0, good;
	struct replacement r;
	const char *why = NULL;
	FILE *f = to_stdout ? stdout : replace_begin(&r, args->weights) ? replace_stream(&r) : NULL;

	good = f && import_weights(a, f, m, &why);
	if (f && !to_stdout)
		good = replace_close(&r, f, good);
	if (why)
		print_error("%s: %s", visible_text(a, args->path), visible_text(a, why));
	else if (!good && !to_stdout)
		print_error("%s: %s", visible_text(a, args->weights), strerror(errno));
	return good;
}

static bool
write_spec(const struct import_args *args, const struct imported *m)
{
	FILE *f = compile_output(args->output);

	if (!f)
		return false;
	fwrite(m->spec->text, 1, (size_t)m->spec->size, f);
	return compile_close(f, args->output);
}

static int
import_written(struct arena *a, const struct import_args *args, const struct imported *m, const char *why)
{
	if (why) {
		const char *refused = filename_ends(args->path, ".nn") ? "it is a spec already, not a model" :
		    model_refused(args->path);

		print_error("%s: %s", visible_text(a, args->path), refused ? refused : visible_text(a, why));
		return 2;
	}
	if (m->problems.n > 0) {
		model_say_problems(a, args->path, m);
		return 1;
	}
	if (args->weights && !write_weights(a, args, m))
		return 2;
	if (!write_spec(args, m))
		return 2;
	model_say_notes(a, args->path, m);
	return 0;
}

static int
import_mapped(struct arena *a, void *context, const unsigned char *file, size_t size)
{
	const struct import_args *args = context;
	struct import_options o = { .define = args->define.word, .ndefines = args->define.n, .loss = args->loss,
		.partial = args->partial, .mapped = true };
	const char *why;
	struct imported *m;
	int status;

	madvise((void *)(uintptr_t)file, size, MADV_RANDOM);
	m = import_any(a, args->path, file, size, &o, &why);
	status = import_written(a, args, m, why);
	import_end(m);
	return status;
}

static int
import_file(struct arena *a, void *context)
{
	struct import_args *args = context;

	return mapped(a, args->path, import_mapped, args);
}

static int
run_import(const struct command *c, int argc, char **argv)
{
	struct import_args args = { .command = c };
	int n, i;
	enum parsed parsed = options_parse(c, &args, argc, argv, &n);

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (n != 1)
		return usage_error(c, n ? "one model at a time" : "no model given");
	if (args.loss && !model_loss_known(args.loss))
		return usage_error(c, "there is no loss '%s'", args.loss);
	for (i = 0; i < args.define.n; i++)
		if (!strchr(args.define.word[i], '='))
			return usage_error(c, "-D takes NAME=N, such as seq=128, not '%s'", args.define.word[i]);
	args.path = argv[0];
	return compile_in_arena(import_file, &args);
}

const struct command command_import = {
	.name = "import",
	.brief = "make a spec of a model of ONNX or Keras",
	.operands = "FILE",
	.details = "Exit status: 0 it is written, 1 nodes of the model cannot be expressed, 2 it cannot be read or written.",
	.options = options,
	.run = run_import,
};
