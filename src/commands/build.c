/* stowage build: the training program as a binary: emits it into a folder and runs make there. */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/commands.h"
#include "cli/program_files.h"
#include "plan/plan.h"

extern char **environ;

/* CUDA 13 dropped what came before Turing. */

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
	COMPILE_OPTIONS(struct build_args),
	{ .name = NULL }
};

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

/* Runs make in DIR; its output goes to stderr, since stdout is for what build has to say. */
static bool
run_make(const char *dir, bool verbose)
{
	const char *argv[] = { "make", "-C", dir, "--no-print-directory", verbose ? NULL : "-s",
	    NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int error, status = -1;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	fflush(stdout);
	error = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error) {
		fprintf(stderr, "stowage build: make: %s\n", strerror(error));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	fprintf(stderr, "stowage build: make failed in %s\n", dir);
	return false;
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
	dir = args->output ? args->output : arena_printf(a, "%s.build", p.name);
	if (!target_can_build(&p) || !program_write_all(a, dir, &p) ||
	    !run_make(dir, args->verbose))
		return 2;
	printf("%s/%s: target %s, arena %s\n", dir, p.name, p.target->name,
	    size_human(size, p.module->plan->arena_bytes));
	return 0;
}

static int
run_build(const struct command *c, int argc, char **argv)
{
	struct build_args args = { .compile = COMPILE_DEFAULTS, .command = c };
	int n;
	enum parsed parsed = options_parse(c, &args, argc, argv, &n);

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (n != 1)
		return usage_error(c, n ? "one spec at a time" : "no spec given");
	if (!compile_check(c, &args.compile))
		return 2;
	args.path = argv[0];
	return compile_in_arena(build_spec, &args);
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
