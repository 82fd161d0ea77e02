/*
 * stowage fmt: specs in the one layout. A file is read, formatted, and replaced as a whole if that
 * changes it. A file with syntax errors is left as it is, since what is not understood cannot be
 * formatted.
 */
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "commands/commands.h"
#include "cli/compile.h"
#include "cli/lint_projects.h"
#include "cli/rewrite.h"
#include "fmt/format.h"

struct fmt_args {
	bool check, diff, no_config, allow_outside, force_exclude;
	const char *config;
	const char *stdin_name;
};

struct fmt_run {		/* the whole command */
	const struct fmt_args *args;
	char **operand;
	int noperands;
	bool differs;		/* a file is not laid out */
	bool trouble;		/* a file could not be read, understood or written */
};

struct fmt_file {
	struct fmt_run *run;
	const char *path;
};

static const struct option options[] = {
	{ .name = "check", .type = OPTION_FLAG,
	  .doc = "write nothing: list the files that would change",
	  FIELD(struct fmt_args, check) },
	{ .name = "diff", .type = OPTION_FLAG,
	  .doc = "write nothing: print what would change as a patch",
	  FIELD(struct fmt_args, diff) },
	{ .name = "stdin-filename", .type = OPTION_STRING, .value = "PATH",
	  .doc = "what to call standard input (-) in messages",
	  FIELD(struct fmt_args, stdin_name) },
	CONFIG_OPTIONS(struct fmt_args, config, no_config, allow_outside),
	FORCE_EXCLUDE_OPTION(struct fmt_args, force_exclude),
	{ .name = NULL }
};

static void
print_diff(struct arena *a, const struct source *old, const struct source *new)
{
	struct edits edits;
	struct text patch;

	fmt_edits(&edits, a, old, new);
	text_init(&patch, a);
	edits_diff(&edits, &patch);
	fwrite(patch.s ? patch.s : "", 1, patch.n, stdout);
}

static int
fmt_file(struct arena *a, void *context)
{
	struct fmt_file *one = context;
	const struct fmt_args *args = one->run->args;
	const struct source *old = compile_read(a, one->path, args->stdin_name), *new;
	bool same, is_stdin = strcmp(one->path, "-") == 0;
	struct diags d;

	if (!old)
		return 2;
	diags_init(&d, a);
	if (!(new = fmt_source(a, &d, old))) {
		compile_failed(old->path, &d);
		return 2;
	}
	same = old->size == new->size && memcmp(old->text, new->text, (size_t)old->size) == 0;
	one->run->differs |= !same;
	if (args->diff && !same)
		print_diff(a, old, new);
	else if (args->check && !same) {
		print_visible(stdout, old->path);
		putchar('\n');
	}
	if (args->diff || args->check)
		return 0;
	if (is_stdin)
		fwrite(new->text, 1, (size_t)new->size, stdout);
	return is_stdin || same || rewrite_file(a, old, new) ? 0 : 2;
}

static int
fmt_all(struct arena *a, void *context)
{
	struct fmt_run *run = context;
	struct projects projects = { .arena = a, .config = run->args->config,
		.no_config = run->args->no_config, .allow_outside = run->args->allow_outside };
	struct paths paths = { .skip = projects_exclude, .context = &projects,
		.allow_outside = run->args->allow_outside,
		.skip_named = run->args->force_exclude ? projects_exclude_named : NULL };
	int i;

	for (i = 0; i < run->noperands; i++)
		paths_add(a, &paths, run->operand[i]);
	if (projects.trouble)	/* it is not known what is excluded */
		return 2;
	run->trouble |= paths.failures > 0;
	if (paths_are_none(&paths) && !run->trouble) {
		paths_none(&paths, "fmt");
		run->trouble = true;
	}
	for (i = 0; i < paths.path.n; i++) {
		struct fmt_file one = { run, paths.path.v[i] };

		if (strcmp(one.path, "-") == 0 &&
		    projects_exclude_stdin(&projects, &paths, run->args->stdin_name)) {
			run->trouble |= !run->args->check && !run->args->diff && !rewrite_through();
			continue;
		}
		run->trouble |= compile_in_arena(fmt_file, &one) != 0;
	}
	return run->trouble ? 2 : 0;
}

static int
run_fmt(const struct command *c, int argc, char **argv)
{
	struct fmt_args args = { 0 };
	struct fmt_run run = { .args = &args, .operand = argv };
	enum parsed parsed = options_parse(c, &args, argc, argv, &run.noperands);
	int status;

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (run.noperands == 0)
		return usage_error(c, "no file or folder given");
	status = compile_in_arena(fmt_all, &run);
	return status ? status : (args.check || args.diff) && run.differs;
}

const struct command command_fmt = {
	.name = "fmt",
	.brief = "lay specs out in the one style",
	.operands = "FILE|FOLDER...",
	.details = "Exit status: 0 all is well, 1 with --check or --diff: something would change, "
	    "2 a file could not\nbe read, understood or written. A folder stands for every .nn file "
	    "below it; - is standard\ninput, which is written to standard output.",
	.options = options,
	.run = run_fmt,
};
