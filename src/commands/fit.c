/*
 * stowage fit: the largest batch that a memory holds, and what would make the wanted one fit, for
 * every network of the specs given.
 */
#include "commands/fit_report.h"

#include <string.h>

#include "base/text.h"
#include "commands/commands.h"
#include "cli/compile.h"
#include "cli/forecast_text.h"
#include "cli/lint_projects.h"
#include "cli/paths.h"
#include "cli/rewrite.h"
#include "cli/terminal.h"
#include "fit/whatif.h"

struct fit_args {
	struct compile_args compile;
	struct words memory;
	const char *reserve;
	int64_t reserve_bytes;	/* -1: not given */
	int64_t memory_bytes[MAX_WORDS];
	int format, colour;
	int64_t apply, diff;	/* an edit's number; 0: not asked for */
	const char *output;
	bool quiet, force_exclude;
	struct words as;
	const struct command *command;
};

struct fit_run {		/* the whole command */
	const struct fit_args *args;
	char **operand;
	int noperands;
	FILE *out;		/* opened by the first answer */
	int answers;		/* printed */
};

struct fit_file {
	struct fit_run *run;
	const char *path;
};

enum fit_format { FIT_TEXT, FIT_JSON };

static const char *
format_name(int i)
{
	static const char *const name[] = { [FIT_TEXT] = "text", [FIT_JSON] = "json", NULL };

	return name[i];
}

static const struct option options[] = {
	{ .name = "memory", .letter = 'm', .type = OPTION_LIST, .value = "SIZE",
	  .doc = "what there is, in place of the spec's device; several make a table",
	  FIELD(struct fit_args, memory) },
	{ .name = "reserve", .type = OPTION_STRING, .value = "SIZE",
	  .doc = "what others take of it; 0 counts the arena alone",
	  FIELD(struct fit_args, reserve) },
	{ .name = "format", .letter = 'f', .type = OPTION_CHOICE, .value = "FORMAT",
	  .doc = "how the answer is printed", .choice = format_name,
	  FIELD(struct fit_args, format) },
	{ .name = "apply", .type = OPTION_COUNTED, .value = "N",
	  .doc = "write the N-th edit, or the best, into the spec", .min = 1, .max = 1000,
	  FIELD(struct fit_args, apply) },
	{ .name = "diff", .type = OPTION_COUNTED, .value = "N",
	  .doc = "print that edit as a patch, and nothing else", .min = 1, .max = 1000,
	  FIELD(struct fit_args, diff) },
	{ .name = "quiet", .letter = 'q', .type = OPTION_FLAG,
	  .doc = "print only what does not fit; pass over what names no device",
	  FIELD(struct fit_args, quiet) },
	{ .name = "output", .letter = 'o', .type = OPTION_STRING, .value = "FILE",
	  .doc = "write there instead of standard output", FIELD(struct fit_args, output) },
	{ .name = "color", .type = OPTION_CHOICE, .value = "WHEN",
	  .doc = "colour the text format", .choice = when_name,
	  FIELD(struct fit_args, colour) },
	AS_OPTION(struct fit_args),
	NETWORK_OPTION(struct fit_args),
	BATCH_OPTION(struct fit_args),
	FORCE_EXCLUDE_OPTION(struct fit_args, force_exclude),
	COMPILE_OPTIONS(struct fit_args),
	{ .name = NULL }
};

static bool
read_sizes(struct fit_args *args)
{
	int i;

	args->reserve_bytes = -1;
	if (args->reserve && !option_size(args->command, "reserve", args->reserve, 0, &args->reserve_bytes))
		return false;
	for (i = 0; i < args->memory.n; i++)
		if (!option_size(args->command, "memory", args->memory.word[i], 1, &args->memory_bytes[i]))
			return false;
	return true;
}

static int
no_memory(const struct fit_args *args, const char *path)
{
	return usage_error(args->command, "%s names no device: say --memory SIZE, --device NAME, "
	    "or device { memory 8GiB } in the spec or in .stowage", path);
}

/* The network on a device of that memory: where the spec recomputes to stay within the device, that
 * is another plan. */
static struct module *
on_memory(struct module *m, int64_t memory)
{
	struct settings set = m->set;
	struct module *other;

	if (set.recompute != RECOMPUTE_AUTO || set.recompute_budget)
		return m;
	set.device = (struct device){ .given = true, .memory = memory, .loc = set.device.loc };
	other = whatif_spec(m, &set);
	return other ? other : m;
}

/* The fitness of each memory; true when the wanted batch fits them all. */
static bool
answer_all(struct arena *a, const struct fit_args *args, struct fit_report *r)
{
	struct module *m = r->module;
	bool fits = true;
	int i;

	r->nanswers = args->memory.n ? args->memory.n : 1;
	r->answer = arena_array(a, (size_t)r->nanswers, sizeof(*r->answer));
	for (i = 0; i < r->nanswers; i++) {
		int64_t memory = args->memory.n ? args->memory_bytes[i] : m->set.device.memory;

		struct module *there = args->memory.n ? on_memory(m, memory) : m;

		fit_answer(there, memory, args->reserve_bytes, &r->answer[i]);
		fits &= r->answer[i].fits;
		r->cut_short |= there->cut_short && !r->answer[i].fits;
		if (r->nanswers == 1 && module_ranks(m) > 1) {
			r->fewest = ARENA_NEW(a, struct fewest);
			fit_fewest_ranks(there, r->answer, r->fewest);
		}
	}
	return fits;
}

/* The same memories in the frameworks of --as. */
static void
ask_elsewhere(struct arena *a, const struct fit_args *args, struct fit_report *r)
{
	int i, k, n = 0;

	r->elsewhere = arena_array(a, (size_t)(r->nanswers * framework_count) + 1,
	    sizeof(*r->elsewhere));
	for (i = 0; i < r->nanswers; i++)
		for (k = 0; framework_table[k]; k++)
			if (forecast_asked(&args->as, framework_table[k]))
				fit_elsewhere(r->module, framework_table[k], r->answer[i].memory,
				    args->reserve_bytes, &r->elsewhere[n++]);
	r->nelsewhere = n / r->nanswers;
}

/* The edit of that number, for --apply or --diff; NULL after a message. */
static const struct advice *
chosen(const struct fit_report *r, const char *option, int64_t number)
{
	if (r->answer->limit == 0)
		fprintf(stderr, "stowage fit: --%s: no edit makes it fit, as nothing is left for the arena\n", option);
	else if (r->nadvice == 0)
		fprintf(stderr, "stowage fit: --%s: no edit that is known here makes it smaller\n",
		    option);
	else if (number > r->nadvice)
		fprintf(stderr, "stowage fit: --%s=%lld: there are %d edits\n", option,
		    (long long)number, r->nadvice);
	else
		return &r->advice[number - 1];
	return NULL;
}

/* Does the rewritten text hold its promise, compiled as a file of its own would be? */
static bool
holds(struct arena *a, const struct fit_args *args, const struct fit_report *r,
    const struct source *text, const struct advice *d)
{
	struct diags *quiet = ARENA_NEW(a, struct diags);
	struct compile_args compile_args = args->compile;
	struct spec *spec;

	diags_init(quiet, a);
	compile_args.batch = 0;		/* the text says it now */
	spec = compile(a, quiet, text, &compile_args);
	return !quiet->errors && spec->modules.n == 1 && spec->modules.v[0]->plan &&
	    spec->modules.v[0]->plan->arena_bytes == d->arena && d->arena <= r->answer->limit;
}

static int
apply(struct arena *a, const struct fit_args *args, struct fit_report *r)
{
	const struct advice *d = chosen(r, "apply", args->apply);
	struct source *text;

	if (!d)
		return 1;
	if (!d->fits) {
		fprintf(stderr, "stowage fit: --apply: it would not fit even then (%s)\n",
		    d->title);
		return 1;
	}
	text = edits_apply(d->edits);
	if (!holds(a, args, r, text, d)) {
		fprintf(stderr, "stowage fit: --apply: the edited spec does not plan as promised; "
		    "nothing was written\n");
		return 2;
	}
	if (!rewrite_file(a, d->edits->src, text))
		return 2;
	r->applied = (int)args->apply;
	return 0;
}

/* Where answers go, opened by the first; NULL after a message. */
static FILE *
output(struct fit_run *run)
{
	if (!run->out)
		run->out = compile_output(run->args->output);
	return run->out;
}

static int
report(struct fit_run *run, struct fit_report *r)
{
	const struct fit_args *args = run->args;

	if (!(r->out = output(run)))
		return 2;
	r->colour = !args->output && terminal_colour(stdout, (enum when)args->colour);
	if (args->format == FIT_JSON) {
		fit_json(r);
	} else {
		if (run->answers)
			putc('\n', r->out);
		fit_text(r);
	}
	run->answers++;
	return 0;
}

static int
print_diff(struct fit_run *run, const struct fit_report *r)
{
	const struct advice *d = chosen(r, "diff", run->args->diff);
	FILE *f = d ? output(run) : NULL;

	if (!f)
		return d ? 2 : 1;
	fputs(d->patch, f);
	return 1;
}

static int
answer(struct arena *a, struct fit_run *run, struct module *m, const struct spec *spec)
{
	const struct fit_args *args = run->args;
	struct fit_report r = { .module = m };
	struct advisor v = { .arena = a, .module = m, .file = spec->file,
		.options = spec->options, .batch = args->compile.batch };
	bool fits;
	int status;

	if (args->memory.n == 0 && !m->set.device.given)
		return args->quiet ? 0 : no_memory(args, m->src->path);
	fits = answer_all(a, args, &r);
	ask_elsewhere(a, args, &r);
	if (!fits && r.nanswers == 1 && r.answer->limit > 0) {
		v.fit = r.answer;
		advise(&v);
		r.advice = v.all.v;
		r.nadvice = v.all.n;
		r.cut_short |= v.cut_short;
	}
	if (args->diff && !fits)
		return print_diff(run, &r);
	if (args->apply && !fits && (status = apply(a, args, &r)))
		return status;
	status = args->diff || (args->quiet && fits) ? 0 : report(run, &r);
	return status ? status : fits || r.applied ? 0 : 1;
}

static int
fit_spec(struct arena *a, void *context)
{
	const struct fit_file *one = context;
	const struct fit_args *args = one->run->args;
	struct source *src = compile_open(a, one->path, &args->compile);
	struct diags d;
	struct spec *spec;
	int worst = 0, i;

	if (!src)
		return 2;
	if (src->origins && (args->apply || args->diff))
		return usage_error(args->command, "%s is a model, in which no edit can be made: import writes the spec of it",
		    src->path);
	diags_init(&d, a);
	spec = compile(a, &d, src, &args->compile);
	if (d.errors)
		return compile_failed(src->path, &d);
	if (spec->modules.n == 0)
		return args->quiet ? 0 : compile_no_network(src->path);
	if (spec->modules.n > 1 && (args->apply || args->diff))
		return usage_error(args->command, "%s has %d networks: choose one with --network",
		    src->path, spec->modules.n);
	for (i = 0; i < spec->modules.n; i++)
		if (spec->modules.v[i]->stage)
			return usage_error(args->command, "%s places layers on ranks, and what would make each of these plans fit is not asked "
			    "yet: plan says what each rank takes, and --ranks 1 asks of one rank that has all layers", src->path);
	for (i = 0; i < spec->modules.n; i++) {
		int status = answer(a, one->run, spec->modules.v[i], spec);

		if (status > worst)
			worst = status;
	}
	return worst;
}

static int
fit_all(struct arena *a, void *context)
{
	struct fit_run *run = context;
	const struct fit_args *args = run->args;
	struct projects projects = { .arena = a, .config = args->compile.config,
		.no_config = args->compile.no_config,
		.allow_outside = args->compile.allow_outside };
	struct paths paths = { .skip = projects_exclude, .context = &projects,
		.allow_outside = args->compile.allow_outside,
		.skip_named = args->force_exclude ? projects_exclude_named : NULL };
	int worst = 0, i;

	for (i = 0; i < run->noperands; i++)
		paths_add(a, &paths, run->operand[i]);
	if (projects.trouble)	/* it is not known what is excluded */
		return 2;
	if (paths.failures) {
		worst = 2;
	} else if (paths_are_none(&paths)) {
		paths_none(&paths, "fit");
		worst = 2;
	}
	for (i = 0; i < paths.path.n; i++) {
		struct fit_file one = { run, paths.path.v[i] };
		int status = compile_in_arena(fit_spec, &one);

		if (status > worst)
			worst = status;
	}
	return worst;
}

static bool
check(const struct fit_run *run, struct fit_args *args)
{
	const char *wrong = NULL;
	int i;

	if (!compile_check(args->command, &args->compile) || !read_sizes(args) ||
	    !forecast_check(args->command, &args->as))
		return false;
	if ((args->apply || args->diff) && args->memory.n > 1)
		wrong = "--apply and --diff are for one --memory";
	else if (args->apply && args->diff)
		wrong = "--apply writes, --diff only shows: one of them";
	for (i = 0; args->apply && i < run->noperands; i++)
		if (strcmp(run->operand[i], "-") == 0)
			wrong = "--apply: standard input cannot be written to; --diff shows the patch";
	if (wrong)
		usage_error(args->command, "%s", wrong);
	return !wrong;
}

static int
run_fit(const struct command *c, int argc, char **argv)
{
	struct fit_args args = { .compile = COMPILE_DEFAULTS, .command = c };
	struct fit_run run = { .args = &args, .operand = argv };
	enum parsed parsed = options_parse(c, &args, argc, argv, &run.noperands);
	int status;

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (run.noperands == 0)
		return usage_error(c, "no spec given");
	if (!check(&run, &args))
		return 2;
	status = compile_in_arena(fit_all, &run);
	return run.out && !compile_close(run.out, args.output) ? 2 : status;
}

const struct command command_fit = {
	.name = "fit",
	.brief = "find the largest batch that fits, and what would make the wanted one fit",
	.operands = "SPEC|FOLDER...",
	.details = "Exit status: 0 the spec's batch fits, 1 it does not, or the spec has errors, 2 "
	    "wrong usage, or\na file could not be read or written. A folder stands for every .nn file "
	    "below it.",
	.options = options,
	.run = run_fit,
};
