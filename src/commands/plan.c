/* stowage plan: what training takes, byte by byte. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands/buffers.h"
#include "commands/commands.h"
#include "cli/compile.h"
#include "cli/forecast_text.h"
#include "cli/terminal.h"
#include "show/show.h"

struct plan_args {
	struct compile_args compile;
	struct buffers_args buffers;
	int format;		/* its place in plan_format_table; 0: the default */
	int colour;
	int64_t link;
	bool bytes, layers;
	struct words as;
	const char *output;
	const char *path;
	const struct command *command;
};

static const struct option options[] = {
	{ .name = "format", .letter = 'f', .type = OPTION_CHOICE, .value = "FORMAT",
	  .doc = "how the plan is printed", .choice = plan_format_name,
	  FIELD(struct plan_args, format) },
	{ .name = "bytes", .type = OPTION_FLAG, .doc = "exact bytes beside the sizes",
	  FIELD(struct plan_args, bytes) },
	{ .name = "layers", .type = OPTION_FLAG,
	  .doc = "list every layer, not just those with the most multiply-adds",
	  FIELD(struct plan_args, layers) },
	{ .name = "link", .type = OPTION_INT, .value = "N",
	  .doc = "gigabits a second between ranks, to estimate their communication; 100 if not given",
	  .min = 1, .max = 1000000, FIELD(struct plan_args, link) },
	{ .name = "output", .letter = 'o', .type = OPTION_STRING, .value = "FILE",
	  .doc = "write there instead of standard output", FIELD(struct plan_args, output) },
	{ .name = "color", .type = OPTION_CHOICE, .value = "WHEN",
	  .doc = "colour the text format", .choice = when_name,
	  FIELD(struct plan_args, colour) },
	{ .name = "input-gradients", .type = OPTION_FLAG,
	  .doc = "also plan the gradients of the inputs",
	  FIELD(struct plan_args, compile.input_gradients) },
	{ .name = "dump-after", .type = OPTION_CHOICE, .value = "PASS",
	  .doc = "print the graph after a pass instead of the plan",
	  .choice = compile_pass_name, FIELD(struct plan_args, compile.dump_after) },
	AS_OPTION(struct plan_args),
	NETWORK_OPTION(struct plan_args),
	BATCH_OPTION(struct plan_args),
	OBJECTIVE_OPTION(struct plan_args),
	TIMEOUT_OPTION(struct plan_args),
	COMPILE_OPTIONS(struct plan_args),
	BUFFERS_OPTIONS(struct plan_args),
	{ .name = NULL }
};

/* Does the locale write UTF-8? Asked of the environment, as the program never sets a locale. */
static bool
locale_is_utf8(void)
{
	static const char *const variable[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value, *dot;
	int i;

	for (i = 0; i < 3; i++)
		if ((value = getenv(variable[i])) && *value) {
			dot = strchr(value, '.');
			return dot && (strncasecmp(dot, ".utf-8", 6) == 0 ||
			    strncasecmp(dot, ".utf8", 5) == 0);
		}
	return false;
}

static struct plan_style
style_of(const struct plan_args *args)
{
	struct plan_style style = { .exact_bytes = args->bytes, .layers = args->layers, .link = args->link,
		.unicode = locale_is_utf8() };
	struct winsize size;

	if (args->output)
		return style;
	style.colour = terminal_colour(stdout, (enum when)args->colour);
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		style.columns = size.ws_col;
	return style;
}

/* The formats that forecasts of other frameworks are printed in. */
struct forecast_format {
	const char *name;
	void (*print)(FILE *, const struct module *, const struct words *as);
};

static const struct forecast_format *
forecast_format(const struct plan_args *args)
{
	static const struct forecast_format table[] = {
		{ "text", forecast_text }, { "json", forecast_json }, { NULL, NULL },
	};
	int i;

	for (i = 0; table[i].name; i++)
		if (strcmp(table[i].name, plan_format_name(args->format)) == 0)
			return &table[i];
	return NULL;
}

static void
print(FILE *f, const struct plan_args *args, const struct module *m)
{
	struct plan_style style = style_of(args);

	if (args->as.n)
		forecast_format(args)->print(f, m, &args->as);
	else
		plan_format_table[args->format]->print(f, m, &style);
}

static int
plan_spec(struct arena *a, void *context)
{
	const struct plan_args *args = context;
	struct source *src = compile_open(a, args->path, &args->compile);
	struct diags d;
	struct spec *spec;
	FILE *f;
	int i;

	if (!src)
		return 2;
	diags_init(&d, a);
	spec = compile(a, &d, src, &args->compile);
	if (d.errors)
		return compile_failed(src->path, &d);
	if (spec->modules.n == 0)
		return compile_no_network(src->path);
	if (spec->modules.n > 1 && !plan_format_table[args->format]->several &&
	    args->compile.dump_after < 0)
		return usage_error(args->command, "%s has %d networks: choose one with --network",
		    src->path, spec->modules.n);
	if (args->compile.dump_after >= 0)
		return compile_close(stdout, NULL) ? 0 : 2;
	if (!(f = compile_output(args->output)))
		return 2;
	for (i = 0; i < spec->modules.n; i++) {
		if (i)
			putc('\n', f);
		print(f, args, spec->modules.v[i]);
	}
	return compile_close(f, args->output) ? 0 : 2;
}

/* --buffers has no network, so what is said of one would be of no effect. */
static int
plan_buffers(const struct command *c, const struct plan_args *args, int noperands)
{
	const struct compile_args *o = &args->compile;

	if (noperands)
		return usage_error(c, "--buffers %s is planned instead of a spec: give one of them",
		    args->buffers.input);
	if (args->format || args->bytes || o->input_gradients || o->dump_after >= 0 ||
	    o->network || o->batch || o->target >= 0 || o->threads || o->device || o->without.n ||
	    o->define.n || o->ranks || args->link || args->as.n)
		return usage_error(c, "--buffers goes with --capacity, --timeout and --output: the "
		    "other options are about networks");
	return buffers_run(c, &args->buffers, args->output, o->timeout);
}

static int
run_plan(const struct command *c, int argc, char **argv)
{
	struct plan_args args = { .compile = COMPILE_DEFAULTS, .command = c };
	int n;
	enum parsed parsed = options_parse(c, &args, argc, argv, &n);

	args.compile.program = true;
	args.compile.forget = true;
	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (args.buffers.input)
		return plan_buffers(c, &args, n);
	if (args.buffers.capacity)
		return usage_error(c, "--capacity goes with --buffers");
	if (n != 1)
		return usage_error(c, n ? "one spec at a time" : "no spec given");
	if (!compile_check(c, &args.compile) || !forecast_check(c, &args.as))
		return 2;
	if (args.as.n && !forecast_format(&args))
		return usage_error(c, "--as is printed as text or json");
	args.path = argv[0];
	return compile_in_arena(plan_spec, &args);
}

const struct command command_plan = {
	.name = "plan",
	.brief = "say what training takes: the arena, its peak, and who is alive there",
	.operands = "SPEC",
	.details = "Exit status: 0 planned, 1 the spec has errors, 2 it could not be read.\n"
	    "With --buffers: 0 placed, 1 no answer within the capacity, 2 the file has errors.",
	.options = options,
	.run = run_plan,
};
