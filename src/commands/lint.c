/* stowage lint: every error of the language and every finding of the rules, file by file. */
#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "base/print.h"
#include "commands/commands.h"
#include "cli/compile.h"
#include "cli/forecast_text.h"
#include "cli/jobs.h"
#include "cli/lint_projects.h"
#include "cli/model.h"
#include "cli/paths.h"
#include "cli/rewrite.h"
#include "cli/terminal.h"
#include "frameworks/framework.h"
#include "findings/report.h"
#include "lint/fixer.h"

struct lint_args {
	struct compile_args compile;
	struct lint_given given;
	int format, colour, links;
	bool exit_zero, statistics, show_suppressed, force_exclude;
	bool fix, unsafe_fixes, diff;
	int64_t jobs;		/* 0: as many as processors */
	const char *stdin_name;
	struct words as;
};

struct lint_run {		/* the whole command */
	struct lint_args *args;
	char **operand;
	int noperands;
	const struct command *command;
	struct report report;
	struct projects projects;
	bool trouble;		/* a file could not be read, checked or written */
	bool differs;		/* --diff has something to show */
};

/* One file. It is compiled and checked by any thread, then reported by the first. */
struct one_file {
	const struct lint_args *args;
	const char *path;
	struct source *model;	/* made of it; NULL: it is a spec, and yet to be read */
	struct arena *arena;	/* its slot's, for what follows; NULL: out of memory */
	const char *why;	/* why it could not be read; NULL: it was */
	struct lint_check check;
	struct fixed fixed;
};

struct files {
	struct lint_run *run;
	struct one_file *file;
	/* One for each slot, reused from file to file, since new memory is a large part of what a
	 * compilation costs. */
	struct arena *arena[JOBS_SLOTS];
};

static const char *
format_name(int i)
{
	return format_table[i] ? format_table[i]->name : NULL;
}

static const struct option options[] = {
	{ .name = "format", .letter = 'f', .type = OPTION_CHOICE, .value = "FORMAT",
	  .doc = "how findings are printed", .choice = format_name,
	  FIELD(struct lint_args, format) },
	{ .name = "color", .type = OPTION_CHOICE, .value = "WHEN",
	  .doc = "colour the text format", .choice = when_name,
	  FIELD(struct lint_args, colour) },
	{ .name = "hyperlinks", .type = OPTION_CHOICE, .value = "WHEN",
	  .doc = "link rules to their documentation in the text format", .choice = when_name,
	  FIELD(struct lint_args, links) },
	{ .name = "fail-on", .type = OPTION_CHOICE, .value = "SEVERITY",
	  .doc = "the least severity that makes the exit status 1", .choice = config_fail_on_name,
	  FIELD(struct lint_args, given.fail_on) },
	{ .name = "exit-zero", .type = OPTION_FLAG,
	  .doc = "leave with status 0 though there are findings",
	  FIELD(struct lint_args, exit_zero) },
	{ .name = "fix", .type = OPTION_FLAG,
	  .doc = "rewrite the files with what findings say can be fixed safely",
	  FIELD(struct lint_args, fix) },
	{ .name = "unsafe-fixes", .type = OPTION_FLAG,
	  .doc = "with --fix or --diff: apply also fixes that change what is computed",
	  FIELD(struct lint_args, unsafe_fixes) },
	{ .name = "diff", .type = OPTION_FLAG,
	  .doc = "write nothing: print what --fix would change as a patch",
	  FIELD(struct lint_args, diff) },
	{ .name = "statistics", .type = OPTION_FLAG,
	  .doc = "print how many findings each rule has, in place of them (text, json)",
	  FIELD(struct lint_args, statistics) },
	{ .name = "show-suppressed", .type = OPTION_FLAG,
	  .doc = "list also what comments and the baseline allow, marked as that",
	  FIELD(struct lint_args, show_suppressed) },
	{ .name = "stdin-filename", .type = OPTION_STRING, .value = "PATH",
	  .doc = "what to call standard input (-) in findings",
	  FIELD(struct lint_args, stdin_name) },
	FORCE_EXCLUDE_OPTION(struct lint_args, force_exclude),
	{ .name = "jobs", .letter = 'J', .type = OPTION_INT, .value = "N",
	  .doc = "files that are checked at a time; one for each processor if not given",
	  .min = 1, .max = 1024, FIELD(struct lint_args, jobs) },
	GIVEN_OPTIONS(struct lint_args),
	AS_OPTION(struct lint_args),
	NETWORK_OPTION(struct lint_args),
	BATCH_OPTION(struct lint_args),
	COMPILE_OPTIONS(struct lint_args),
	{ .name = NULL }
};

static bool
is_stdin(const struct one_file *one)
{
	return strcmp(one->path, "-") == 0;
}

/* The project file itself, which has been read by now. */
static bool
is_project_file(const struct one_file *one)
{
	const char *slash = strrchr(one->path, '/');

	return strcmp(slash ? slash + 1 : one->path, PROJECT_FILE) == 0;
}

static void
check_file(struct one_file *one)
{
	const struct lint_args *args = one->args;
	struct source *source = one->model ? one->model : source_read(one->arena, one->path, &one->why);
	struct fixer fixer = { one->arena, args->unsafe_fixes, lint_check_again, &one->check,
		lint_check_settle };

	if (!source)
		return;
	one->why = NULL;
	if (is_stdin(one) && args->stdin_name)
		source->path = args->stdin_name;
	one->check.arena = one->arena;
	one->check.given = &args->given;
	one->check.compile = &args->compile;
	if (args->given.show_settings) {
		one->check.made.source = source;
		return;
	}
	lint_check(&one->check, source);
	one->fixed = (struct fixed){ .last = &one->check.made };
	if (args->fix || args->diff)
		one->fixed = lint_fix(&fixer, &one->check.made);
}

static void
check_job(void *context, int i, int slot)
{
	struct files *files = context;
	struct one_file *one = &files->file[i];
	jmp_buf failed;

	if (files->arena[slot])
		arena_reset(files->arena[slot]);
	else
		files->arena[slot] = arena_new();
	one->arena = files->arena[slot];
	if (!one->arena)
		return;
	if (setjmp(failed)) {
		one->arena = NULL;
		return;
	}
	arena_on_failure(one->arena, &failed);
	check_file(one);
}

/* Writes what --fix made; false where it could not be. */
static bool
write_fixed(struct lint_run *run, struct one_file *one)
{
	const struct source *new = one->fixed.last->source;
	struct text patch;

	if (run->args->diff) {
		text_init(&patch, one->arena);
		if (one->fixed.edits)
			edits_diff(one->fixed.edits, &patch);
		fwrite(patch.s ? patch.s : "", 1, patch.n, stdout);
		run->differs |= patch.n > 0;
	} else if (run->args->fix && is_stdin(one)) {
		fwrite(new->text, 1, (size_t)new->size, stdout);
	} else if (one->fixed.edits) {
		return rewrite_file(one->arena, one->check.made.source, new);
	}
	return true;
}

/* --as is a question: if the network fits there too, that is said, for people. */
static void
answer_forecasts(struct report *r, const struct lint_check *l)
{
	const struct spec *spec = l->made.spec;
	const char *text;
	int i, k;

	for (i = 0; i < spec->modules.n; i++)
		for (k = 0; spec->modules.v[i]->plan && framework_table[k]; k++)
			if (forecast_asked(&l->given->as, framework_table[k]) &&
			    (text = forecast_answer(spec->modules.v[i], framework_table[k])))
				report_answer(r, l->made.source->path, text);
}

static void
report_check(struct report *r, struct lint_check *l)
{
	r->fatal = lint_fatal(l);
	r->compared = l->project->baseline != NULL;
	r->has_baseline |= r->compared;
	r->hidden += l->match.hidden;
	report_file(r, l->made.source->path, &l->made.diags);
	answer_forecasts(r, l);
}

/* Tells the baseline which of its entries were found. */
static void
note_baseline(struct lint_check *l)
{
	if (l->project->baseline)
		baseline_note(l->project->baseline, filename_absolute(l->arena,
		    l->made.source->path), &l->match, &l->ran, l->levels[0]);
}

/* Writes one file if it was fixed, and reports the findings that are left: all of them if it could
 * not be written. */
static bool
report_one(struct lint_run *run, struct one_file *one)
{
	struct report *r = &run->report;
	volatile bool good = false;
	jmp_buf failed;

	if (setjmp(failed)) {
		fputs("stowage: out of memory\n", stderr);
		return false;
	}
	arena_on_failure(one->arena, &failed);
	if (run->args->given.show_settings) {
		lint_show_settings(&one->check, one->check.made.source, stdout);
		return true;
	}
	good = write_fixed(run, one);
	if (!run->args->diff) {
		r->fixed += good ? one->fixed.n : 0;
		r->files_fixed += good && one->fixed.n > 0;
		report_check(r, good ? lint_check_of(one->fixed.last) : &one->check);
	}
	note_baseline(good ? lint_check_of(one->fixed.last) : &one->check);
	return good;
}

static void
report_job(void *context, int i)
{
	struct files *files = context;
	struct one_file *one = &files->file[i];

	if (!one->arena)
		fputs("stowage: out of memory\n", stderr);
	else if (one->why)
		print_error("%s: %s", one->path, one->why);
	if (!one->arena || one->why || !report_one(files->run, one))
		files->run->trouble = true;
}

/* A model becomes a spec here, by the first thread: what reads models may know of no others. False
 * after a message. */
static bool
take_model(struct lint_run *run, struct one_file *one)
{
	const char *why = model_refused(one->path);

	if (why) {
		print_error("%s: %s", one->path, why);
		run->trouble = true;
		return false;
	}
	if (!model_is_named(one->path))
		return true;
	one->model = compile_open(run->projects.arena, one->path, &run->args->compile);
	run->trouble |= !one->model;
	return one->model;
}

/* Fills in the files to check; returns how many. */
static int
take_files(struct lint_run *run, const struct paths *paths, struct files *files)
{
	struct projects *projects = &run->projects;
	const char *name = run->args->stdin_name;
	int i, n = 0;

	for (i = 0; i < paths->path.n; i++) {
		struct one_file one = { .args = run->args, .path = paths->path.v[i] };
		const char *path = is_stdin(&one) && name ? name : one.path;

		one.check.project = projects_for(projects, path);
		if (is_stdin(&one) && projects_exclude_stdin(projects, paths, name))
			run->trouble |= run->args->fix && !rewrite_through();
		else if (!one.check.project->broken && !is_project_file(&one) && take_model(run, &one))
			files->file[n++] = one;
	}
	run->trouble |= projects->trouble;
	return n;
}

static int
lint_all(struct arena *a, void *context)
{
	struct lint_run *run = context;
	struct projects *projects = &run->projects;
	struct paths paths = { .skip = projects_exclude, .context = projects,
		.allow_outside = run->args->compile.allow_outside,
		.skip_named = run->args->force_exclude ? projects_exclude_named : NULL };
	struct files *files = ARENA_NEW(a, struct files);
	int i, n;

	files->run = run;
	projects->arena = a;
	lint_given_read(a, run->command, &run->args->given);
	for (i = 0; i < run->noperands; i++)
		paths_add(a, &paths, run->operand[i]);
	run->trouble |= paths.failures > 0;
	if (run->args->fix || run->args->diff)
		paths_once(a, &paths);
	if (paths_are_none(&paths) && !run->trouble) {
		paths_none(&paths, "lint");
		run->trouble = true;
	}
	files->file = arena_array(a, (size_t)paths.path.n, sizeof(*files->file));
	n = take_files(run, &paths, files);
	jobs_run(run->args->jobs ? (int)run->args->jobs : jobs_processors(), n, check_job,
	    report_job, files);
	for (i = 0; i < JOBS_SLOTS; i++)
		arena_free(files->arena[i]);
	projects->trouble |= run->trouble;
	if (!run->args->given.show_settings)
		projects_finish(projects);
	return projects->trouble ? 2 : 0;
}

/* Are the words of the options good? Asked before anything is printed. */
static int
check_words(struct arena *a, void *context)
{
	const struct lint_run *run = context;
	struct lint_given given = run->args->given;

	return lint_given_read(a, run->command, &given) ? 0 : 2;
}

/* The format asked for; NULL, after a message, if it cannot print what other options ask for. */
static const struct format *
choose_format(const struct command *c, const struct lint_args *args)
{
	const struct format *f = format_table[args->format], *s;

	if (args->show_suppressed && (args->statistics || !f->can_waive)) {
		usage_error(c, "--show-suppressed findings are printed as text, json, jsonl or "
		    "sarif, not as %s", args->statistics ? "statistics" : f->name);
		return NULL;
	}
	if (!args->statistics)
		return f;
	if (!(s = report_statistics_format(f)))
		usage_error(c, "--statistics are printed as text or json, not as %s", f->name);
	return s;
}

/* Prints a patch alone. */
static int
run_diff(struct lint_run *run)
{
	if (compile_in_arena(lint_all, run) != 0)
		return 2;
	return (run->differs || run->projects.differs) && !run->args->exit_zero;
}

/* With --fix, a spec from standard input goes to standard output, and findings to standard
 * error. */
static FILE *
output_of(const struct lint_run *run)
{
	int i;

	for (i = 0; run->args->fix && i < run->noperands; i++)
		if (strcmp(run->operand[i], "-") == 0)
			return stderr;
	return stdout;
}

static int
run_lint(const struct command *c, int argc, char **argv)
{
	struct lint_args args = { .compile = COMPILE_DEFAULTS, .given = { .fail_on = -1 } };
	struct lint_run run = { .args = &args, .operand = argv, .command = c };
	enum parsed parsed = options_parse(c, &args, argc, argv, &run.noperands);
	const struct format *format;

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (run.noperands == 0)
		return usage_error(c, "no file or folder given");
	if (args.unsafe_fixes && !args.fix && !args.diff)
		return usage_error(c, "--unsafe-fixes goes with --fix or --diff");
	if (args.given.write_baseline && (args.fix || args.diff))
		return usage_error(c, "--write-baseline lists what there is: fix first, then "
		    "write it");
	if (!compile_check(c, &args.compile) || !forecast_check(c, &args.as) ||
	    compile_in_arena(check_words, &run) != 0)
		return 2;
	args.given.as = args.as;
	args.compile.apart = (args.fix || args.diff) && args.as.n == 0;	/* whose answer is of the plan */
	run.projects = (struct projects){ .config = args.compile.config, .given = &args.given,
		.no_config = args.compile.no_config,
		.allow_outside = args.compile.allow_outside, .report = &run.report, .fix = args.fix,
		.diff = args.diff };
	if (args.given.show_settings)
		return compile_in_arena(lint_all, &run);
	if (!(format = choose_format(c, &args)))
		return 2;
	if (args.diff)
		return run_diff(&run);
	report_begin(&run.report, format, output_of(&run),
	    terminal_colour(output_of(&run), (enum when)args.colour));
	if (terminal_links(output_of(&run), (enum when)args.links, run.report.colour))
		report_link_rules(&run.report);
	run.report.offers_fixes = true;
	run.report.shows_waived = args.show_suppressed;
	run.report.trouble = compile_in_arena(lint_all, &run) != 0;
	report_end(&run.report);
	return run.report.trouble ? 2 : run.report.failed && !args.exit_zero;
}

const struct command command_lint = {
	.name = "lint",
	.brief = "check specs: every error, and whether they fit their device",
	.operands = "FILE|FOLDER...",
	.details = "Exit status: 0 clean, 1 findings (see --fail-on), 2 a file could not be read, "
	    "checked or\nwritten; of --diff: 0 nothing would change, 1 something would. A folder "
	    "stands for every .nn\nfile below it; - is standard input, which --fix writes to "
	    "standard output, findings to standard\nerror.",
	.options = options,
	.run = run_lint,
};
