/*
 * stowage init: a spec to begin with, from a template of templates/, under a name of one's own. It
 * writes one file where there is none, and says what to do next.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/embedded.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/compile.h"
#include "commands/commands.h"
#include "commands/templates.h"

struct init_args {
	int template;
	const char *folder, *name;
	bool list;
	const struct command *command;
};

static const char *
template_name(int i)
{
	return template_table[i].name;
}

static const struct option options[] = {
	{ .name = "template", .type = OPTION_CHOICE, .value = "TEMPLATE",
	  .doc = "what to begin with; by default the first", .choice = template_name,
	  FIELD(struct init_args, template) },
	{ .name = "output", .letter = 'o', .type = OPTION_STRING, .value = "FOLDER",
	  .doc = "where to write it, by default here; a new folder is made",
	  FIELD(struct init_args, folder) },
	{ .name = "list", .type = OPTION_FLAG,
	  .doc = "say what templates there are, and write nothing",
	  FIELD(struct init_args, list) },
	{ .name = NULL }
};

/* Each says in its first line what it is. */
static void
list_templates(void)
{
	int i;

	for (i = 0; template_table[i].name; i++) {
		const char *s = template_table[i].text + 2;

		printf("%-8s %.*s\n", template_table[i].name, (int)strcspn(s, "\n"), s);
	}
}

static bool
is_name(const char *s)
{
	return *s && !strchr("0123456789", *s) &&
	    s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* The template, with the network called so. */
static void
write_spec(struct text *t, const struct init_args *args)
{
	static const char mark[] = "network name {";
	const char *s = template_table[args->template].text, *at = strstr(s, mark);

	text_add(t, s, (size_t)(at - s));
	text_printf(t, "network %s {%s", args->name, at + strlen(mark));
}

static bool
is_spec(struct arena *a, const struct text *t)
{
	struct diags quiet;

	diags_init(&quiet, a);
	parse_file(a, &quiet, source_from_text(a, "", t->s, t->n));
	return quiet.errors == 0;
}

static bool
write_new(const char *path, const struct text *t)
{
	FILE *f = fopen(path, "wx");
	bool good;

	if (!f && errno == EEXIST) {
		print_error("%s: it is there already, and stays as it is", path);
		return false;
	}
	good = f && fwrite(t->s, 1, t->n, f) == t->n;
	if (f && fclose(f) != 0)
		good = false;
	if (!good) {
		print_error("%s: %s", path, strerror(errno));
		if (f)
			remove(path);
	}
	return good;
}

static int
init(struct arena *a, void *context)
{
	const struct init_args *args = context;
	const char *path = arena_printf(a, "%s.nn", args->name);
	struct text t;

	text_init(&t, a);
	write_spec(&t, args);
	if (!is_spec(a, &t))
		return usage_error(args->command, "'%s' is a word of the language: a network is called otherwise",
		    args->name);
	if (args->folder) {
		if (mkdir(args->folder, 0777) != 0 && errno != EEXIST) {
			print_error("%s: %s", args->folder, strerror(errno));
			return 2;
		}
		path = arena_printf(a, "%s/%s", args->folder, path);
	}
	if (!write_new(path, &t))
		return 2;
	printf("%s is written. Next:\n"
	    "  stowage plan %s\n"
	    "  stowage build %s    # then run the program that it names\n", path, path, path);
	return 0;
}

/* Nobody knows the name but who gives it. */
static const char *
no_word(int i)
{
	(void)i;
	return NULL;
}

static int
run_init(const struct command *c, int argc, char **argv)
{
	struct init_args args = { .command = c };
	int n;
	enum parsed parsed = options_parse(c, &args, argc, argv, &n);

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (args.list && n == 0) {
		list_templates();
		return 0;
	}
	if (n != 1)
		return usage_error(c, n ? "one network at a time" : "what is the network to be called?");
	if (!is_name(argv[0]))
		return usage_error(c, "'%s' is no name for a network: it takes letters, digits and underscores, and "
		    "begins with no digit", argv[0]);
	args.name = argv[0];
	return compile_in_arena(init, &args);
}

const struct command command_init = {
	.name = "init",
	.brief = "write a spec to begin with",
	.operands = "NAME",
	.details = "NAME.nn is written, unless it is there already, for the network NAME.\n"
	    "Exit status: 0 written, 2 it could not be, or the name is none.",
	.options = options,
	.operand = no_word,
	.run = run_init,
};
