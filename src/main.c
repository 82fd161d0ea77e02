/*
 * Entry point: finds the sub-command and exits with its status. What a command does is in
 * src/commands, one file each; no operator, rule or format is named here.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/options.h"
#include "commands/commands.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION	"0"
#endif

const struct command *const command_table[] = {
	&command_init,
	&command_lint,
	&command_fmt,
	&command_plan,
	&command_fit,
	&command_autopsy,
	&command_emit,
	&command_build,
	&command_import,
	&command_export,
	&command_explain,
	&command_lsp,
	&command_completion,
	NULL
};

#define MAX_COMMANDS	32

static void
help(FILE *f)
{
	int i;

	fputs("usage: stowage COMMAND [option ...] ...\n\n"
	    "Plans the memory of neural network training, to the byte, before anything runs.\n\n",
	    f);
	for (i = 0; command_table[i]; i++)
		fprintf(f, "  %-10s %s\n", command_table[i]->name, command_table[i]->brief);
	fputs("\n  --help, -h     print this; 'stowage COMMAND --help' tells a command's options\n"
	    "  --version, -V  print the version\n\n"
	    "Exit status: 0 clean, 1 findings, 2 usage, input, output or internal failure.\n", f);
}

static int
unknown(const char *word)
{
	const char *name[MAX_COMMANDS], *near;
	int n;

	for (n = 0; command_table[n] && n < MAX_COMMANDS; n++)
		name[n] = command_table[n]->name;
	near = text_nearest(word, name, n);
	fprintf(stderr, "stowage: unknown %s '%s'", *word == '-' ? "option" : "command", word);
	if (near)
		fprintf(stderr, "; did you mean '%s'?", near);
	fputs("\nTry 'stowage --help'.\n", stderr);
	return 2;
}

static const struct command *
command_find(const char *word)
{
	int i;

	for (i = 0; command_table[i]; i++)
		if (strcmp(word, command_table[i]->name) == 0)
			return command_table[i];
	return NULL;
}

/* 'stowage help', 'stowage help fit' */
static int
help_on(const char *word)
{
	const struct command *c = word ? command_find(word) : NULL;

	if (word && !c)
		return unknown(word);
	if (c)
		options_help(stdout, c);
	else
		help(stdout);
	return 0;
}

static int
dispatch(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct command *c;

	if (!word) {
		help(stderr);
		return 2;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return help_on(NULL);
	if (strcmp(word, "help") == 0)
		return help_on(argv[2]);
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		puts("stowage " PACKAGE_VERSION);
		return 0;
	}
	c = command_find(word);
	return c ? c->run(c, argc - 1, argv + 1) : unknown(word);
}

/* Has the reader of our output gone away? Usually SIGPIPE ends the program before it can check;
 * where that is ignored, as under some servers, a closed pipe is not a failure either. */
static bool
reader_left(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
}

/* Large blocks of arenas go back to the system when they are freed. By itself glibc takes ever
 * larger ones from its heap, once some have been freed, and a heap has holes. What is small stays:
 * each step of a plan frees some hundred KiB at the heap's end and soon has as much again, and to
 * have a page again takes as long as thousands of instructions. */
static void
give_back_blocks(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

int
main(int argc, char **argv)
{
	int status;

	give_back_blocks();
	signal(SIGXFSZ, SIG_IGN);	/* a file that grows too large is an error like a full disk */
	status = dispatch(argc, argv);
	errno = 0;
	if ((fflush(stdout) != 0 || ferror(stdout)) && !reader_left()) {
		fprintf(stderr, "stowage: standard output: %s\n",
		    errno ? strerror(errno) : "could not be written");
		return 2;
	}
	return status;
}
