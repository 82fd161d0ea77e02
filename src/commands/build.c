/* stowage build: the training program as a binary: emits it into a folder and runs make there. */
#include <sys/stat.h>

#include "base/print.h"
#include "commands/build_make.h"
#include "commands/commands.h"
#include "cli/program_files.h"
#include "plan/plan.h"

struct build_args {
	struct compile_args compile;
	const char *output;
	const char *path;
	bool verbose;
	const struct command *command;
};

static const struct option options[] = {
	{ .name = "output", .letter = 'o', .type = OPTION_STRING, .value = "FOLDER",
	  .doc = "where source, Makefile and program go; NETWORK.build if not given",
	  FIELD(struct build_args, output) },
	{ .name = "verbose", .letter = 'v', .type = OPTION_FLAG,
	  .doc = "show the compiler's command", FIELD(struct build_args, verbose) },
	{ .name = "input-gradients", .type = OPTION_FLAG,
	  .doc = "also compute the gradients of the inputs",
	  FIELD(struct build_args, compile.input_gradients) },
	FORCE_OPTION(struct build_args),
	NETWORK_OPTION(struct build_args),
	BATCH_OPTION(struct build_args),
	OBJECTIVE_OPTION(struct build_args),
	NONDETERMINISTIC_OPTION(struct build_args),
	TIMEOUT_OPTION(struct build_args),
	COMPILE_OPTIONS(struct build_args),
	{ .name = NULL }
};

/* CUDA 13 dropped what came before Turing. */
static bool
target_can_build(const struct program *p)
{
	const struct device *d = &p->module->set.device;

	if (!d->given || d->arch == 0 || d->arch >= p->target->oldest_arch)
		return true;
	fprintf(stderr, "stowage build: device '%s' (sm_%d) is too old: CUDA 13 builds for sm_%d "
	    "and newer\nlint and plan know it all the same; --target c builds for the processor\n",
	    d->name ? d->name : "of the spec", d->arch, p->target->oldest_arch);
	return false;
}

/* The folder; without -o one that a repository may have brought, where a link could lead
 * anywhere. */
static const char *
folder_of(struct arena *a, const struct build_args *args, const struct program *p)
{
	const char *dir = args->output;
	struct stat st;

	if (dir)
		return dir;
	dir = arena_printf(a, "%s.build", p->module->name);
	if (lstat(dir, &st) != 0 || !S_ISLNK(st.st_mode))
		return dir;
	print_error("%s: is a link; if what it leads to is meant, -o %s/ says so", dir, dir);
	return NULL;
}

static int
build_spec(struct arena *a, void *context)
{
	const struct build_args *args = context;
	struct program p;
	int status = program_make(a, args->command, args->path, &args->compile, &p);
	char size[SIZE_TEXT];
	const char *dir;

	if (status)
		return status;
	if (!target_can_build(&p) || !(dir = folder_of(a, args, &p)) ||
	    !program_write_all(a, dir, &p, args->compile.force) ||
	    !build_make(a, dir, p.name, args->verbose))
		return 2;
	printf("%s/%s: target %s, arena %s\n", dir, p.name, p.target->name,
	    size_human(size, p.module->plan->arena_bytes));
	return 0;
}

static int
run_build(const struct command *c, int argc, char **argv)
{
	struct build_args args = { .compile = COMPILE_DEFAULTS, .command = c };
	int status;

	return compile_options(c, &args, &args.compile, &args.path, argc, argv, &status) ?
	    compile_in_arena(build_spec, &args) : status;
}

const struct command command_build = {
	.name = "build",
	.brief = "build the training program: one binary that allocates once",
	.operands = "SPEC",
	.details = "Exit status: 0 built, 1 the spec has errors or does not fit its device, 2 anything "
	    "else failed.",
	.options = options,
	.run = run_build,
};
