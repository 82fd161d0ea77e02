/* stowage lsp: the language server, for editors. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include "base/print.h"
#include "commands/commands.h"
#include "lang/expand.h"
#ifdef HAVE_JANSSON
#include "lsp/heap.h"
#include "lsp/server.h"
#endif

struct lsp_args {
	const char *log;
	bool standard;
	int64_t operators;
};

static const struct option options[] = {
	{ .name = "log", .type = OPTION_STRING, .value = "FILE",
	  .doc = "write all messages there", FIELD(struct lsp_args, log) },
	{ .name = "operators", .type = OPTION_INT, .value = "N",
	  .doc = "the most that a file's networks may have", .min = 1, .max = MOST_OPERATORS,
	  FIELD(struct lsp_args, operators) },
	{ .name = "stdio", .type = OPTION_FLAG,
	  .doc = "speak over standard input and output, as it does in any case",
	  FIELD(struct lsp_args, standard) },
	{ .name = NULL }
};

#ifdef HAVE_JANSSON
static int
serve(const struct lsp_args *args)
{
	struct server s = { .out = stdout, .operators = args->operators };
	int status;

	json_set_alloc_funcs(heap_get, free);
	s.published = json_object();
	if (args->log && !(s.log = fopen(args->log, "ae"))) {
		print_error("%s: %s", args->log, strerror(errno));
		json_decref(s.published);
		return 2;
	}
	status = server_run(&s);
	server_free(&s);
	if (s.log)
		fclose(s.log);
	return status;
}
#else
static int
serve(const struct lsp_args *args)
{
	(void)args;
	print_error("this program was built without jansson, which the language server needs: install "
	    "libjansson-dev, then configure and build again");
	return 2;
}
#endif

static int
run_lsp(const struct command *c, int argc, char **argv)
{
	struct lsp_args args = { .log = NULL };
	int noperands;
	enum parsed parsed = options_parse(c, &args, argc, argv, &noperands);

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (noperands)
		return usage_error(c, "it takes no file: editors send what they have open");
	return serve(&args);
}

const struct command command_lsp = {
	.name = "lsp",
	.brief = "the language server, for editors",
	.operands = "",
	.details = "Exit status: 0 the editor ended it, 1 the input ended without that, 2 a mistake in the "
	    "call, or no memory.\nIt speaks the Language Server Protocol 3.17 over standard input and output.",
	.options = options,
	.run = run_lsp,
};
