/* stowage emit: the training program as source text. */
#include <string.h>
#include <sys/stat.h>

#include "commands/commands.h"
#include "cli/program_files.h"

struct emit_args {
	struct compile_args compile;
	const char *output;
	const char *path;
	const struct command *command;
};

static const struct option options[] = {
	{ .name = "output", .letter = 'o', .type = OPTION_STRING, .value = "FILE|FOLDER/",
	  .doc = "the source's file, or a folder for source and Makefile",
	  FIELD(struct emit_args, output) },
	{ .name = "input-gradients", .type = OPTION_FLAG,
	  .doc = "also compute the gradients of the inputs",
	  FIELD(struct emit_args, compile.input_gradients) },
	{ .name = "infer", .type = OPTION_FLAG,
	  .doc = "write a program that only computes the network's output, with a header to link it",
	  FIELD(struct emit_args, compile.infer) },
	FORCE_OPTION(struct emit_args),
	NETWORK_OPTION(struct emit_args),
	BATCH_OPTION(struct emit_args),
	OBJECTIVE_OPTION(struct emit_args),
	NONDETERMINISTIC_OPTION(struct emit_args),
	TIMEOUT_OPTION(struct emit_args),
	COMPILE_OPTIONS(struct emit_args),
	{ .name = NULL }
};

static bool
is_folder(const char *path)
{
	struct stat st;
	size_t n = strlen(path);

	return (n > 0 && path[n - 1] == '/') || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static int
emit_spec(struct arena *a, void *context)
{
	const struct emit_args *args = context;
	struct program p;
	int status = program_make(a, args->command, args->path, &args->compile, &p);

	if (status)
		return status;
	if (!args->output || strcmp(args->output, "-") == 0) {
		fwrite(p.source.s, 1, p.source.n, stdout);
		return compile_close(stdout, NULL) ? 0 : 2;
	}
	if (is_folder(args->output))
		return program_write_all(a, args->output, &p, args->compile.force) ? 0 : 2;
	return program_write(args->output, &p.source, args->compile.force) ? 0 : 2;
}

static int
run_emit(const struct command *c, int argc, char **argv)
{
	struct emit_args args = { .compile = COMPILE_DEFAULTS, .command = c };
	int status;

	return compile_options(c, &args, &args.compile, &args.path, argc, argv, &status) ?
	    compile_in_arena(emit_spec, &args) : status;
}

const struct command command_emit = {
	.name = "emit",
	.brief = "write the training program as C or CUDA source",
	.operands = "SPEC",
	.details = "Exit status: 0 written, 1 the spec has errors or does not fit its device, 2 it "
	    "could not be read\nor written.",
	.options = options,
	.run = run_emit,
};
