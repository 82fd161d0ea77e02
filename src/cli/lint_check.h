/*
 * Checking one spec as the command line, the spec itself and its project file say together. The
 * command line has precedence, since it is what is asked for now; then the spec, since it travels
 * with the network; then the project file.
 */
#ifndef STOWAGE_CLI_LINT_CHECK_H
#define STOWAGE_CLI_LINT_CHECK_H

#include "cli/compile.h"
#include "lint/baseline.h"
#include "lint/config.h"
#include "lint/fixer.h"

struct lint_given {		/* what options say about which findings count */
	struct words select, ignore, error, warning, note;
	struct words as;
	int fail_on;		/* as config_fail_on_name() counts; -1: not given */
	bool require_reason, no_suppressions, write_baseline, show_settings;
	const char *baseline;
	struct level_layer layer;	/* made of the first row */
};

/* Entries of an option table for a struct OWNER with a member `given`. */
#define GIVEN_OPTIONS(owner)									\
	{ .name = "select", .type = OPTION_LIST, .value = "RULES",				\
	  .doc = "only these rules or families", .choice = level_word_name,			\
	  FIELD(owner, given.select) },								\
	{ .name = "ignore", .type = OPTION_LIST, .value = "RULES",				\
	  .doc = "all but these rules or families", .choice = level_word_name,			\
	  FIELD(owner, given.ignore) },								\
	{ .name = "error", .type = OPTION_LIST, .value = "RULES",				\
	  .doc = "make findings of these rules or families errors", .choice = level_word_name,	\
	  FIELD(owner, given.error) },								\
	{ .name = "warning", .type = OPTION_LIST, .value = "RULES",				\
	  .doc = "make them warnings", .choice = level_word_name,				\
	  FIELD(owner, given.warning) },							\
	{ .name = "note", .type = OPTION_LIST, .value = "RULES",				\
	  .doc = "make them notes", .choice = level_word_name,					\
	  FIELD(owner, given.note) },								\
	{ .name = "require-reason", .type = OPTION_FLAG,					\
	  .doc = "a comment that suppresses findings must say why",				\
	  FIELD(owner, given.require_reason) },							\
	{ .name = "no-inline-suppressions", .type = OPTION_FLAG,				\
	  .doc = "report what comments and sections of the specs would hide",			\
	  FIELD(owner, given.no_suppressions) },						\
	{ .name = "baseline", .type = OPTION_STRING, .value = "FILE",				\
	  .doc = "leave out the findings listed there",						\
	  FIELD(owner, given.baseline) },							\
	{ .name = "write-baseline", .type = OPTION_FLAG,					\
	  .doc = "list the findings there are in the baseline, and leave them out",		\
	  FIELD(owner, given.write_baseline) },							\
	{ .name = "show-settings", .type = OPTION_FLAG,						\
	  .doc = "print what applies to each file, and who says so, and check nothing",		\
	  FIELD(owner, given.show_settings) }

/* A project file (or none), and what belongs to it. */
struct lint_project {
	const char *path;	/* absolute; NULL: there is none */
	struct project *project;
	struct lint_config *config;
	struct baseline *baseline;	/* NULL: none */
	bool broken;		/* it has mistakes, which have been reported; or its baseline has */
};

/* The words of the options as a layer; false after a usage error. */
bool	lint_given_read(struct arena *, const struct command *, struct lint_given *);

struct lint_check {		/* of one spec: input and result */
	struct arena *arena;
	const struct lint_given *given;
	const struct compile_args *compile;
	const struct lint_project *project;
	struct known *known;	/* networks that need not be checked; NULL: all must be */
	/* set by lint_check(): */
	struct checked made;	/* the source, the compiled spec and the findings */
	struct levels **levels;	/* by file; the spec is the first */
	struct rules_run ran;
	VEC(struct diag) found;	/* as it was reported, whether or not it counts */
	bool alone;		/* a network's findings depend on no other network */
	struct baseline_match match;
};

/* Compiles the source, runs the rules, and drops what is not to be reported. */
void	lint_check(struct lint_check *, struct source *);

/* The check of a struct fixer: of a text that fixes made of that of the struct lint_check
 * BEFORE. */
struct checked	*lint_check_again(struct arena *, struct source *, const void *before);

/* The settling of a struct fixer: drops the plans, where they lie apart. */
void	lint_check_settle(struct checked *);

/* The check that made this. */
struct lint_check	*lint_check_of(struct checked *);

/* The least severity of a finding in it that fails the run. */
int	lint_fatal(const struct lint_check *);

/* Prints the settings that apply to a spec, and where each comes from. */
void	lint_show_settings(const struct lint_check *, struct source *, FILE *);

/* The levels of the rules in the files of a compiled spec, and, unless AS is NULL, the frameworks
 * to forecast it for. */
struct levels	**lint_levels(struct arena *, struct diags *, const struct lint_config *,
		    const struct lint_given *, const struct file *const *, int nfiles,
		    struct words *as);

#endif
