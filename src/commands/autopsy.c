/*
 * stowage autopsy: what an out-of-memory message means, for a spec or by itself. One operand is a
 * spec if it is called .nn, a network begins in it, or it is a model of another tool; else it is
 * the log.
 */
#include "autopsy/autopsy.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filename.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/compile.h"
#include "cli/model.h"
#include "cli/terminal.h"
#include "commands/commands.h"

#define SNIFFED		65536	/* bytes of a file in which a network would begin */

struct autopsy_args {
	struct compile_args compile;
	int format, colour;
	const char *memory;
	int64_t memory_bytes;	/* 0: not given */
	const char *output, *spec_path, *log_path;	/* NULL: no spec; standard input */
	const struct command *command;
};

enum autopsy_format { AUTOPSY_TEXT, AUTOPSY_JSON };

static const char *
format_name(int i)
{
	static const char *const name[] = { [AUTOPSY_TEXT] = "text", [AUTOPSY_JSON] = "json",
	    NULL };

	return name[i];
}

static const struct option options[] = {
	{ .name = "memory", .letter = 'm', .type = OPTION_STRING, .value = "SIZE",
	  .doc = "what the framework could have of the device, where the log does not say",
	  FIELD(struct autopsy_args, memory) },
	{ .name = "format", .letter = 'f', .type = OPTION_CHOICE, .value = "FORMAT",
	  .doc = "how the answer is printed", .choice = format_name,
	  FIELD(struct autopsy_args, format) },
	{ .name = "output", .letter = 'o', .type = OPTION_STRING, .value = "FILE",
	  .doc = "write there instead of standard output", FIELD(struct autopsy_args, output) },
	{ .name = "color", .type = OPTION_CHOICE, .value = "WHEN",
	  .doc = "colour the text format", .choice = when_name,
	  FIELD(struct autopsy_args, colour) },
	NETWORK_OPTION(struct autopsy_args),
	BATCH_OPTION(struct autopsy_args),
	COMPILE_OPTIONS(struct autopsy_args),
	{ .name = NULL }
};

/* ---- what is read ---- */

static bool
is_input(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

static size_t
read_file(void *context, char *to, size_t room)
{
	return fread(to, 1, room, context);
}

static bool
read_log(struct arena *a, const struct autopsy_args *args, struct oom_log *log)
{
	bool input = is_input(args->log_path), bad;
	FILE *f = input ? stdin : fopen(args->log_path, "rb");

	if (!f) {
		print_error("%s: %s", args->log_path, strerror(errno));
		return false;
	}
	errno = 0;
	oom_log_read(log, a, read_file, f);
	bad = ferror(f) != 0;
	if (bad)
		print_error("%s: %s", input ? "standard input" : args->log_path,
		    strerror(errno));
	if (!input)
		fclose(f);
	return !bad;
}

/* Does a line say that a network begins? */
static bool
begins_network(const char *text)
{
	const char *s;

	for (s = text; (s = strstr(s, "network")); s++) {
		const char *name = s + 7 + strspn(s + 7, " \t"), *end = name;

		while ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z') || *end == '_' ||
		    (*end >= '0' && *end <= '9'))
			end++;
		if ((s == text || s[-1] == '\n') && end > name && name > s + 7 &&
		    end[strspn(end, " \t\r\n")] == '{')
			return true;
	}
	return false;
}

/* Logs are JSON, too. */
static bool
is_named_spec(const char *path)
{
	return filename_ends(path, ".nn") || (model_is_named(path) && !filename_ends(path, ".json"));
}

/* Is that file a spec, and no log? What is read once, such as a pipe, is a log. */
static bool
is_spec(const char *path)
{
	char text[SNIFFED + 1];
	struct stat st;
	FILE *f;

	if (is_named_spec(path))
		return true;
	if (is_input(path) || stat(path, &st) || !S_ISREG(st.st_mode) || !(f = fopen(path, "rb")))
		return false;
	text[fread(text, 1, SNIFFED, f)] = '\0';
	fclose(f);
	return model_is_named(path) ? model_is_json(text) : begins_network(text);	/* logs are JSON, too */
}

/* ---- the command ---- */

static int
report(struct arena *a, const struct autopsy_args *args, const struct spec *spec)
{
	struct autopsy *y = ARENA_NEW(a, struct autopsy);

	y->log_path = is_input(args->log_path) ? "standard input" : args->log_path;
	y->memory = args->memory_bytes;
	y->batch_asked = args->compile.batch != 0;
	if (!read_log(a, args, &y->log))
		return 2;
	autopsy_explain(a, y, spec);
	if (!(y->out = compile_output(args->output)))
		return 2;
	y->colour = !args->output && terminal_colour(stdout, (enum when)args->colour);
	if (args->format == AUTOPSY_JSON)
		autopsy_json(y);
	else
		autopsy_text(y);
	if (!compile_close(y->out, args->output))
		return 2;
	return y->main || y->log.dump.any ? 0 : 1;
}

static int
explain(struct arena *a, void *context)
{
	const struct autopsy_args *args = context;
	struct spec *spec = NULL;
	struct diags d;

	if (args->spec_path &&
	    compile_one(a, args->command, args->spec_path, &args->compile, &d, &spec))
		return 2;
	return report(a, args, spec);
}

/* Which operand is the spec, and which the log? They may stand either way round. */
static bool
sort_operands(struct autopsy_args *args, int n, char **argv)
{
	bool spec = n > 0 && is_spec(argv[0]);

	if (n == 0)
		return !isatty(STDIN_FILENO) || !usage_error(args->command, "no log given");
	if (n == 1) {
		*(spec ? &args->spec_path : &args->log_path) = argv[0];
		return true;
	}
	if (is_input(argv[0]) && is_input(argv[1]))
		return !usage_error(args->command, "standard input cannot be both the spec and the log");
	if (!spec && !is_input(argv[0]) && !is_input(argv[1]) && !is_spec(argv[1]))
		return !usage_error(args->command, "neither %s nor %s is a spec: no network begins in "
		    "them. A log by itself needs none", argv[0], argv[1]);
	if (is_named_spec(argv[0]) && is_named_spec(argv[1]))
		return !usage_error(args->command, "both %s and %s are specs, by their names: one of the two is to be the log",
		    argv[0], argv[1]);
	spec |= !is_spec(argv[1]);
	args->spec_path = argv[!spec];
	args->log_path = argv[spec];
	return true;
}

static int
run_autopsy(const struct command *c, int argc, char **argv)
{
	struct autopsy_args args = { .compile = COMPILE_DEFAULTS, .command = c };
	int n;
	enum parsed parsed = options_parse(c, &args, argc, argv, &n);

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (n > 2)
		return usage_error(c, "one spec and one log at a time");
	if (!compile_check(c, &args.compile))
		return 2;
	if (args.memory && !option_size(c, "memory", args.memory, 1, &args.memory_bytes))
		return 2;
	if (!sort_operands(&args, n, argv))
		return 2;
	return compile_in_arena(explain, &args);
}

const struct command command_autopsy = {
	.name = "autopsy",
	.brief = "explain a framework's out-of-memory message, alone or for a spec",
	.operands = "[SPEC] [LOG]",
	.details = "Without LOG, or when it is -, the log is read from standard input. Without SPEC "
	    "it is explained\nas far as it goes by itself.\n"
	    "Exit status: 0 explained, 1 there is no out-of-memory message in it, 2 wrong usage, "
	    "a spec with\nerrors, or a file could not be read or written.",
	.options = options,
	.run = run_autopsy,
};
