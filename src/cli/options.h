/*
 * Options by table. A command lists its options once; parsing, --help, near-name suggestions and
 * shell completion read that list.
 *
 * Accepted: --name value, --name=value, -x value, -xvalue, several flags in one word (-ab), "--"
 * ends the options; options and operands may be mixed. A lone "-" is an operand.
 */
#ifndef STOWAGE_CLI_OPTIONS_H
#define STOWAGE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_type {
	OPTION_FLAG,	/* bool */
	OPTION_STRING,	/* const char * */
	OPTION_INT,	/* int64_t, within [min, max] */
	OPTION_CHOICE,	/* int: the index of the word in choices() */
	OPTION_LIST,	/* struct words: may be given several times */
	OPTION_COUNTED	/* int64_t, within [min, max]: --name=N, or --name alone, which is min */
};

#define MAX_WORDS	64

struct words {
	const char *word[MAX_WORDS];
	int n;
};

struct option {
	const char *name;	/* without its dashes; NULL ends the table */
	char letter;		/* 0: none */
	enum option_type type;
	const char *value;	/* what --help calls the value: "FILE" */
	const char *doc;	/* one phrase without a full stop */
	size_t offset;		/* of its field in the command's struct */
	int64_t min, max;	/* INT */
	const char *(*choice)(int i);	/* CHOICE: the i-th word, NULL after the last; */
	size_t size;		/* not 0: a size may stand in place of a word, whose bytes this field has (int64_t), else 0 */
	const char *(*listed)(int i);	/* words that stand in doc where it has %s; NULL: none */
};

/* The table's entry for a field: OPTION(struct lint_args, format) */
#define FIELD(type, field)	.offset = offsetof(type, field)

struct command {
	const char *name;
	const char *brief;	/* one line for stowage --help */
	const char *operands;	/* "FILE..." */
	const char *details;	/* the rest of --help; NULL: none */
	const struct option *options;
	const char *(*operand)(int i);	/* the i-th word an operand may be; NULL: they are files */
	int (*run)(const struct command *, int argc, char **argv);	/* argv[0] is its name */
};

enum parsed {
	PARSED_RUN,	/* all is well */
	PARSED_HELP,	/* --help was printed: leave with status 0 */
	PARSED_ERROR	/* a message was printed: leave with status 2 */
};

/* Fills ARGS (set to its defaults before) and gathers the operands at the start of ARGV. */
enum parsed	options_parse(const struct command *, void *args, int argc, char **argv,
		    int *noperands);

/* Its doc with the words that it lists. */
#define OPTION_DOC	256
const char	*option_doc(char buf[OPTION_DOC], const struct option *);

void	options_help(FILE *, const struct command *);

/* A size of memory, from LEAST up; false after a message. A small number without a unit is not
 * taken for bytes. */
bool	option_size(const struct command *, const char *name, const char *word, int64_t least, int64_t *bytes);

/* Prints "stowage lint: message" and where to find help to stderr; returns 2. */
int	usage_error(const struct command *, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

#endif
