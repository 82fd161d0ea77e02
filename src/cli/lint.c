/* stowage lint: every error of the language and every finding of the rules, file by file. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/compile.h"
#include "cli/paths.h"
#include "report/report.h"
#include "rules/lint.h"

enum fail_on { FAIL_ERROR, FAIL_WARNING, FAIL_NOTE, FAIL_NEVER };

struct lint_args {
	struct compile_args compile;
	int format, colour, fail_on;
	const char *stdin_name;
};

struct lint_run {		/* the whole command */
	const struct lint_args *args;
	char **operand;
	int noperands;
	struct report report;
	bool trouble;		/* a file could not be read or checked */
};

struct one_file {
	struct lint_run *run;
	const char *path;
};

static const char *
format_name(int i)
{
	return format_table[i] ? format_table[i]->name : NULL;
}

static const char *
fail_on_name(int i)
{
	static const char *const name[] = {
		[FAIL_ERROR] = "error", [FAIL_WARNING] = "warning", [FAIL_NOTE] = "note",
		[FAIL_NEVER] = "never", NULL
	};

	return name[i];
}

const char *
colour_choice_name(int i)
{
	static const char *const name[] = {
		[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never", NULL
	};

	return name[i];
}

bool
colour_wanted(enum colour_choice choice)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (choice != COLOUR_AUTO)
		return choice == COLOUR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

static const struct option options[] = {
	{ .name = "format", .letter = 'f', .type = OPTION_CHOICE, .value = "FORMAT",
	  .doc = "how findings are printed", .choice = format_name,
	  FIELD(struct lint_args, format) },
	{ .name = "color", .type = OPTION_CHOICE, .value = "WHEN",
	  .doc = "colour the text format", .choice = colour_choice_name,
	  FIELD(struct lint_args, colour) },
	{ .name = "fail-on", .type = OPTION_CHOICE, .value = "SEVERITY",
	  .doc = "the least severity that makes the exit status 1", .choice = fail_on_name,
	  FIELD(struct lint_args, fail_on) },
	{ .name = "stdin-filename", .type = OPTION_STRING, .value = "PATH",
	  .doc = "what to call standard input (-) in findings",
	  FIELD(struct lint_args, stdin_name) },
	NETWORK_OPTION(struct lint_args),
	BATCH_OPTION(struct lint_args),
	COMPILE_OPTIONS(struct lint_args),
	{ .name = NULL }
};

static int
lint_file(struct arena *a, void *context)
{
	struct one_file *one = context;
	const struct lint_args *args = one->run->args;
	struct source *src = compile_read(a, one->path, args->stdin_name);
	const struct file *const *file;
	struct diags d;
	struct spec *spec;
	int nfiles;

	if (!src)
		return 2;
	diags_init(&d, a);
	spec = compile(a, &d, src, &args->compile);
	file = compile_files(a, spec, &nfiles);
	lint_run(&d, file, nfiles, spec->modules.v, spec->modules.n);
	lint_suppress(&d, file, nfiles);
	diags_sort(&d);
	report_file(&one->run->report, src->path, &d);
	return 0;
}

static int
lint_all(struct arena *a, void *context)
{
	struct lint_run *run = context;
	struct paths paths = { 0 };
	int i;

	for (i = 0; i < run->noperands; i++)
		paths_add(a, &paths, run->operand[i]);
	run->trouble |= paths.failures > 0;
	if (paths.path.n == 0 && !run->trouble) {
		fputs("stowage lint: no .nn file in what was given\n", stderr);
		run->trouble = true;
	}
	for (i = 0; i < paths.path.n; i++) {
		struct one_file one = { run, paths.path.v[i] };

		run->trouble |= compile_in_arena(lint_file, &one) != 0;
	}
	return run->trouble ? 2 : 0;
}

static int
status_of(const struct report *r, enum fail_on fail_on)
{
	switch (fail_on) {
	case FAIL_ERROR:
		return r->errors > 0;
	case FAIL_WARNING:
		return r->errors + r->warnings > 0;
	case FAIL_NOTE:
		return r->errors + r->warnings + r->notes > 0;
	case FAIL_NEVER:
		break;
	}
	return 0;
}

static int
run_lint(const struct command *c, int argc, char **argv)
{
	struct lint_args args = { .compile = COMPILE_DEFAULTS };
	struct lint_run run = { .args = &args, .operand = argv };
	enum parsed parsed = options_parse(c, &args, argc, argv, &run.noperands);
	int status;

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (run.noperands == 0)
		return usage_error(c, "no file or folder given");
	if (!compile_check(c, &args.compile))
		return 2;
	report_begin(&run.report, format_table[args.format], stdout,
	    colour_wanted(args.colour));
	status = compile_in_arena(lint_all, &run);
	report_end(&run.report);
	return status ? status : status_of(&run.report, args.fail_on);
}

const struct command command_lint = {
	.name = "lint",
	.brief = "check specs: every error, and whether they fit their device",
	.operands = "FILE|FOLDER...",
	.details = "Exit status: 0 clean, 1 findings (see --fail-on), 2 a file could not be read "
	    "or checked.\nA folder stands for every .nn file below it; - is standard input.",
	.options = options,
	.run = run_lint,
};
