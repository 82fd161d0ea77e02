/* stowage fit: the largest batch that a memory holds, and what would make the wanted one fit. */
#include "cli/fit.h"

#include "base/text.h"
#include "cli/commands.h"
#include "cli/compile.h"

struct fit_args {
	struct compile_args compile;
	struct words memory;
	const char *reserve;
	int64_t reserve_bytes;	/* -1: not given */
	int64_t memory_bytes[MAX_WORDS];
	int format, colour;
	const char *output;
	const char *path;
	const struct command *command;
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
	{ .name = "output", .letter = 'o', .type = OPTION_STRING, .value = "FILE",
	  .doc = "write there instead of standard output", FIELD(struct fit_args, output) },
	{ .name = "color", .type = OPTION_CHOICE, .value = "WHEN",
	  .doc = "colour the text format", .choice = colour_choice_name,
	  FIELD(struct fit_args, colour) },
	NETWORK_OPTION(struct fit_args),
	COMPILE_OPTIONS(struct fit_args),
	{ .name = NULL }
};

static bool
read_size(const struct fit_args *args, const char *option, const char *word, int64_t least,
    int64_t *bytes)
{
	if (!size_parse(word, bytes)) {
		usage_error(args->command, "--%s: expected a size such as 8GiB, 11GB or 11439MiB, "
		    "got '%s'", option, word);
		return false;
	}
	if (*bytes >= least && *bytes <= LARGEST_BYTES)
		return true;
	usage_error(args->command, "--%s: %s is outside %lld B..2^60 B", option, word,
	    (long long)least);
	return false;
}

static bool
read_sizes(struct fit_args *args)
{
	int i;

	args->reserve_bytes = -1;
	if (args->reserve && !read_size(args, "reserve", args->reserve, 0, &args->reserve_bytes))
		return false;
	for (i = 0; i < args->memory.n; i++)
		if (!read_size(args, "memory", args->memory.word[i], 1, &args->memory_bytes[i]))
			return false;
	return true;
}

static int
no_memory(const struct fit_args *args, const char *path)
{
	return usage_error(args->command, "%s names no device: say --memory SIZE, --device NAME, or "
	    "device { memory 8GiB } in the spec", path);
}

static int
answer(struct arena *a, const struct fit_args *args, struct module *m)
{
	struct fit_report r = { .module = m, .nanswers = args->memory.n };
	bool fits = true;
	int i;

	if (args->memory.n == 0 && !m->set.device.given)
		return no_memory(args, m->src->path);
	if (args->memory.n == 0)
		r.nanswers = 1;
	r.answer = arena_array(a, (size_t)r.nanswers, sizeof(*r.answer));
	for (i = 0; i < r.nanswers; i++) {
		fit_answer(m, args->memory.n ? args->memory_bytes[i] : m->set.device.memory,
		    args->reserve_bytes, &r.answer[i]);
		fits &= r.answer[i].fits;
	}
	if (!(r.out = compile_output(args->output)))
		return 2;
	r.colour = !args->output && colour_wanted(args->colour);
	if (args->format == FIT_JSON)
		fit_json(&r);
	else
		fit_text(&r);
	if (!compile_close(r.out, args->output))
		return 2;
	return fits ? 0 : 1;
}

static int
fit_spec(struct arena *a, void *context)
{
	const struct fit_args *args = context;
	struct source *src = compile_read(a, args->path, NULL);
	struct diags d;
	struct spec *spec;

	if (!src)
		return 2;
	diags_init(&d, a);
	spec = compile(a, &d, src, &args->compile);
	if (d.errors)
		return compile_failed(src->path, &d);
	if (spec->modules.n == 0)
		return compile_no_network(src->path);
	if (spec->modules.n > 1)
		return usage_error(args->command, "%s has %d networks: choose one with --network",
		    src->path, spec->modules.n);
	return answer(a, args, spec->modules.v[0]);
}

static int
run_fit(const struct command *c, int argc, char **argv)
{
	struct fit_args args = { .compile = COMPILE_DEFAULTS, .command = c };
	int n;
	enum parsed parsed = options_parse(c, &args, argc, argv, &n);

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (n != 1)
		return usage_error(c, n ? "one spec at a time" : "no spec given");
	if (!compile_check(c, &args.compile) || !read_sizes(&args))
		return 2;
	args.path = argv[0];
	return compile_in_arena(fit_spec, &args);
}

const struct command command_fit = {
	.name = "fit",
	.brief = "find the largest batch that fits, and what would make the wanted one fit",
	.operands = "SPEC",
	.details = "Exit status: 0 the spec's batch fits, 1 it does not, or the spec has errors, 2 "
	    "wrong usage, or\na file could not be read or written.",
	.options = options,
	.run = run_fit,
};
