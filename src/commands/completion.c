/*
 * stowage completion: scripts that complete commands, options, their values and operands in a
 * shell, generated from the tables that parse them. Specs are completed as files named *.nn.
 */
#include <string.h>

#include "commands/commands.h"

struct no_args {
	bool none;
};

static const struct option options[] = {
	{ .name = NULL }
};

static const struct option help = {
	.name = "help", .letter = 'h', .type = OPTION_FLAG, .doc = "print the options",
};

/* The I-th option of a command, --help after its own. */
static const struct option *
option_at(const struct command *c, int i)
{
	int n = 0;

	while (c->options[n].name)
		n++;
	return i < n ? &c->options[i] : i == n ? &help : NULL;
}

static bool
takes_file(const struct option *o)
{
	return o->value && (strstr(o->value, "FILE") || strstr(o->value, "FOLDER") ||
	    strcmp(o->value, "PATH") == 0 || strcmp(o->value, "CSV") == 0);
}

static bool
takes_value(const struct option *o)
{
	return o->type != OPTION_FLAG && o->type != OPTION_COUNTED;
}

static void
print_words(const char *(*word)(int))
{
	int i;

	for (i = 0; word(i); i++)
		printf("%s%s", i ? " " : "", word(i));
}

static void
print_commands(void)
{
	int i;

	for (i = 0; command_table[i]; i++)
		printf("%s%s", i ? " " : "", command_table[i]->name);
}

/* ---- bash ---- */

/* What follows an option: one case for each command and option. */
static void
bash_values(const struct command *c)
{
	const struct option *o;
	int i;

	for (i = 0; (o = option_at(c, i)); i++) {
		if (o->type == OPTION_FLAG)
			continue;
		printf("\t'%s --%s'", c->name, o->name);
		if (o->letter)
			printf("|'%s -%c'", c->name, o->letter);
		if (o->choice) {
			printf(")\n\t\t_stowage_words '");
			print_words(o->choice);
			printf("'; return ;;\n");
		} else if (takes_file(o)) {
			printf(")\n\t\t_stowage_files ''; return ;;\n");
		} else if (takes_value(o)) {
			printf(")\n\t\treturn ;;\n");
		} else {
			printf(")\n\t\t[ \"$equals\" ] && return ;;\n");
		}
	}
}

static void
bash_command(const struct command *c)
{
	const struct option *o;
	int i;

	printf("\t%s)\n\t\tcase $cur in\n\t\t-*) _stowage_words '", c->name);
	for (i = 0; (o = option_at(c, i)); i++)
		printf("%s--%s", i ? " " : "", o->name);
	printf("' ;;\n");
	if (c->operand) {
		printf("\t\t*) _stowage_words '");
		print_words(c->operand);
		printf("' ;;\n");
	} else {
		printf("\t\t*) _stowage_files '!*.nn' ;;\n");
	}
	printf("\t\tesac ;;\n");
}

/* "=" is a word of its own for readline: --format=json comes as three. */
static void
write_bash(void)
{
	int i;

	printf("# bash completion for stowage\n"
	    "_stowage_words() {\n"
	    "\tCOMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n"
	    "}\n\n"
	    "_stowage_files() {\n"
	    "\tlocal IFS=$'\\n'\n"
	    "\tcompopt -o filenames 2>/dev/null\n"
	    "\tif [ \"$1\" ]; then\n"
	    "\t\tCOMPREPLY=($(compgen -f -X \"$1\" -- \"$cur\"; compgen -d -- \"$cur\"))\n"
	    "\telse\n"
	    "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	    "\tfi\n"
	    "}\n\n"
	    "_stowage() {\n"
	    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} equals=\n"
	    "\tlocal command=${COMP_WORDS[1]}\n"
	    "\tCOMPREPLY=()\n"
	    "\tif [ $COMP_CWORD = 1 ]; then\n"
	    "\t\t_stowage_words '");
	print_commands();
	printf(" --help --version'\n\t\treturn\n\tfi\n"
	    "\tif [ \"$cur\" = = ]; then\n"
	    "\t\tequals=1 cur=\n"
	    "\telif [ \"$prev\" = = ]; then\n"
	    "\t\tequals=1 prev=${COMP_WORDS[COMP_CWORD-2]}\n"
	    "\tfi\n"
	    "\tcase \"$command $prev\" in\n");
	for (i = 0; command_table[i]; i++)
		bash_values(command_table[i]);
	printf("\tesac\n\tcase $command in\n");
	for (i = 0; command_table[i]; i++)
		bash_command(command_table[i]);
	printf("\tesac\n}\n\ncomplete -F _stowage stowage\n");
}

/* ---- zsh ---- */

/* S within single quotes, with the characters that end a description or a field escaped. */
static void
zsh_text(const char *s)
{
	for (; *s; s++) {
		if (*s == '\'')
			printf("'\\''");
		else
			printf(strchr("[]:\\", *s) ? "\\%c" : "%c", *s);
	}
}

static void
zsh_option(const struct option *o)
{
	const char *end = o->type == OPTION_FLAG ? "" : o->type == OPTION_COUNTED ? "=-" : "=";
	char doc[OPTION_DOC];

	printf(" \\\n\t\t\t");
	if (o->type == OPTION_LIST && o->letter)
		printf("'*'{-%c+,--%s=}'[", o->letter, o->name);
	else if (o->type == OPTION_LIST)
		printf("'*--%s=[", o->name);
	else if (o->letter)
		printf("'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter,
		    takes_value(o) ? "+" : "", o->name, end);
	else
		printf("'--%s%s[", o->name, end);
	zsh_text(option_doc(doc, o));
	putchar(']');
	if (o->value) {
		printf("%s", o->type == OPTION_COUNTED ? "::" : ":");
		zsh_text(o->value);
		putchar(':');
	}
	if (o->choice) {
		putchar('(');
		print_words(o->choice);
		putchar(')');
	} else if (takes_file(o)) {
		printf("_files");
	}
	putchar('\'');
}

static void
zsh_command(const struct command *c)
{
	const struct option *o;
	int i;

	printf("\t%s)\n\t\t_arguments -s", c->name);
	for (i = 0; (o = option_at(c, i)); i++)
		zsh_option(o);
	printf(" \\\n\t\t\t'*:");
	zsh_text(c->operands);
	if (c->operand) {
		printf(":(");
		print_words(c->operand);
		printf(")' ;;\n");
	} else {
		printf(":_files -g \"*.nn(-.)\"' ;;\n");
	}
}

static void
write_zsh(void)
{
	int i;

	printf("#compdef stowage\n"
	    "_stowage() {\n"
	    "\tlocal -a commands\n"
	    "\tcommands=(\n");
	for (i = 0; command_table[i]; i++) {
		printf("\t\t'%s:", command_table[i]->name);
		zsh_text(command_table[i]->brief);
		printf("'\n");
	}
	printf("\t)\n"
	    "\tif (( CURRENT == 2 )); then\n"
	    "\t\t_describe command commands\n"
	    "\t\treturn\n"
	    "\tfi\n"
	    "\tshift words\n"
	    "\t(( CURRENT-- ))\n"
	    "\tcase $words[1] in\n");
	for (i = 0; command_table[i]; i++)
		zsh_command(command_table[i]);
	printf("\tesac\n}\n\n"
	    "if [ \"$funcstack[1]\" = _stowage ]; then\n"
	    "\t_stowage \"$@\"\n"
	    "else\n"
	    "\tcompdef _stowage stowage\n"
	    "fi\n");
}

/* ---- fish ---- */

static void
fish_text(const char *s)
{
	for (; *s; s++)
		printf(*s == '\'' || *s == '\\' ? "\\%c" : "%c", *s);
}

static void
fish_option(const struct command *c, const struct option *o)
{
	char doc[OPTION_DOC];

	printf("complete -c stowage -n '__fish_seen_subcommand_from %s'", c->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	printf(" -l %s", o->name);
	if (takes_file(o)) {
		printf(" -r -F");
	} else if (takes_value(o)) {
		printf(" -x");
		if (o->choice) {
			printf(" -a '");
			print_words(o->choice);
			putchar('\'');
		}
	}
	printf(" -d '");
	fish_text(option_doc(doc, o));
	printf("'\n");
}

static void
write_fish(void)
{
	const struct command *c;
	const struct option *o;
	int i, k;

	printf("# fish completion for stowage\ncomplete -c stowage -f\n");
	for (i = 0; (c = command_table[i]); i++) {
		printf("complete -c stowage -n __fish_use_subcommand -a %s -d '", c->name);
		fish_text(c->brief);
		printf("'\n");
		for (k = 0; (o = option_at(c, k)); k++)
			fish_option(c, o);
		printf("complete -c stowage -n '__fish_seen_subcommand_from %s' -a '", c->name);
		if (c->operand)
			print_words(c->operand);
		else
			printf("(__fish_complete_suffix .nn)");
		printf("'\n");
	}
}

static const struct {
	const char *name;
	void (*write)(void);
} shells[] = {
	{ "bash", write_bash },
	{ "zsh", write_zsh },
	{ "fish", write_fish },
};

#define SHELLS	((int)(sizeof(shells) / sizeof(shells[0])))

static const char *
shell_name(int i)
{
	return i < SHELLS ? shells[i].name : NULL;
}

static int
run_completion(const struct command *c, int argc, char **argv)
{
	struct no_args args = { false };
	enum parsed parsed;
	int n, i;

	parsed = options_parse(c, &args, argc, argv, &n);
	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	for (i = 0; n == 1 && i < SHELLS; i++)
		if (strcmp(argv[0], shells[i].name) == 0) {
			shells[i].write();
			return 0;
		}
	if (n == 1)
		return usage_error(c, "no completion for '%s'; there is one for bash, zsh and fish",
		    argv[0]);
	return usage_error(c, "give one shell: bash, zsh or fish");
}

const struct command command_completion = {
	.name = "completion",
	.brief = "write the script by which a shell completes stowage's words",
	.operands = "bash|zsh|fish",
	.details = "In bash: eval \"$(stowage completion bash)\", in zsh the same with zsh,\n"
	    "in fish: stowage completion fish | source.\n"
	    "Exit status: 0 written, 2 no such shell.",
	.options = options,
	.operand = shell_name,
	.run = run_completion,
};
