/*
 * From a path on the command line to planned modules: what every command that reads a spec shares,
 * its options included.
 */
#ifndef STOWAGE_CLI_COMPILE_H
#define STOWAGE_CLI_COMPILE_H

#include "cli/options.h"
#include "ir/ir.h"
#include "lang/project.h"
#include "passes/passes.h"

struct compile_args {
	int target;		/* index in target_table; -1: as the device suggests */
	int64_t threads;	/* 0: one per processor */
	int64_t batch;		/* micro-batch; 0: the spec's */
	int64_t ranks;		/* in place of the spec's; 0: those */
	int shard;		/* 0: the spec's; else enum shard_kind + 1 */
	bool deterministic;	/* sums are those of any number of ranks, whatever the spec says */
	bool any_order;		/* programs may have other bits each time */
	int64_t operators;	/* that a file may have; 0: as many as usual */
	const char *device;
	const char *network;	/* NULL: all of them */
	struct words define;
	struct words without;	/* optional passes */
	int layout;		/* enum layout_choice */
	bool program;		/* plans are those of programs: the objective counts */
	int objective;		/* enum objective; AUTO: the spec's */
	int64_t objective_bytes;	/* not 0: SPEED within so many */
	int64_t timeout;	/* seconds that a gap in the plan is worth; 0: a fixed effort, alike on every machine */
	bool input_gradients;
	bool infer;		/* the prediction alone: nothing is trained */
	const char *loss;	/* of a model of another tool; NULL: as its output suggests */
	bool forget;		/* nobody asks what the spec says once it is a network */
	bool apart;		/* plans go into arenas of their own: compile_drop_plans() */
	bool force;		/* write a program that does not fit, over files of others */
	int dump_after;		/* index in pass_table; -1: nothing */
	const char *config;	/* the project file; NULL: the nearest one */
	bool no_config;		/* none */
	bool allow_outside;	/* files may name others that lie outside their project */
	const struct unsaved *unsaved;	/* texts that stand for files; NULL: none */
	struct known *known;		/* networks that need not be compiled; NULL: all must be */
	struct evaluated *evaluated;	/* takes down what only evaluation knows; NULL: nobody asks */
	const struct project *project;	/* found already, where this is set: */
	bool project_known;
};

#define COMPILE_DEFAULTS	{ .target = -1, .dump_after = -1 }

/* Entries of an option table for a struct OWNER with a member `compile`. */
#define COMPILE_OPTIONS(owner)								\
	{ .name = "target", .letter = 't', .type = OPTION_CHOICE, .value = "NAME",	\
	  .doc = "what the program is for", .choice = compile_target_name,		\
	  FIELD(owner, compile.target) },						\
	{ .name = "threads", .letter = 'j', .type = OPTION_INT, .value = "N",		\
	  .doc = "worker threads to plan for (target c); all processors if not given",	\
	  .min = 1, .max = 1024, FIELD(owner, compile.threads) },			\
	{ .name = "ranks", .type = OPTION_INT, .value = "N",				\
	  .doc = "processes that train together, in place of the spec's",		\
	  .min = 1, .max = MOST_RANKS, FIELD(owner, compile.ranks) },			\
	{ .name = "shard", .type = OPTION_CHOICE, .value = "WHAT",			\
	  .doc = "what ranks share out, in place of the spec's",				\
	  .choice = compile_shard_name, FIELD(owner, compile.shard) },			\
	{ .name = "deterministic", .type = OPTION_FLAG,					\
	  .doc = "the same bits on 1, 2, 4 and 8 ranks",					\
	  FIELD(owner, compile.deterministic) },					\
	{ .name = "layout", .type = OPTION_CHOICE, .value = "ORDER",			\
	  .doc = "of images in memory",		\
	  .choice = compile_layout_name, FIELD(owner, compile.layout) },		\
	{ .name = "device", .type = OPTION_STRING, .value = "NAME",			\
	  .doc = "a GPU's name, or that of a device block, in place of the spec's",	\
	  FIELD(owner, compile.device) },						\
	{ .name = "without", .type = OPTION_LIST, .value = "PASS",			\
	  .doc = "leave out an optional pass, to see what it gains",			\
	  FIELD(owner, compile.without) },						\
	{ .name = "operators", .type = OPTION_INT, .value = "N",			\
	  .doc = "the most that a file's networks may have", .min = 1,			\
	  .max = MOST_OPERATORS, FIELD(owner, compile.operators) },			\
	CONFIG_OPTIONS(owner, compile.config, compile.no_config, compile.allow_outside), \
	{ .name = "define", .letter = 'D', .type = OPTION_LIST, .value = "NAME=VALUE",	\
	  .doc = "set a file-level param; of a model, the extent of an axis that it names",	\
	  FIELD(owner, compile.define) },						\
	{ .name = "loss", .type = OPTION_STRING, .value = "NAME",			\
	  .doc = "of a model of ONNX or Keras: what to minimise, or none",		\
	  FIELD(owner, compile.loss) }

#define CONFIG_OPTIONS(owner, file, none, outside)					\
	{ .name = "config", .type = OPTION_STRING, .value = "FILE",			\
	  .doc = "the project file, in place of the nearest .stowage",			\
	  FIELD(owner, file) },								\
	{ .name = "no-config", .type = OPTION_FLAG,					\
	  .doc = "take no project file", FIELD(owner, none) },				\
	{ .name = "allow-outside", .type = OPTION_FLAG,					\
	  .doc = "let files name others outside their project", FIELD(owner, outside) }

#define FORCE_EXCLUDE_OPTION(owner, field)						\
	{ .name = "force-exclude", .type = OPTION_FLAG,					\
	  .doc = "leave out what the project file excludes, though it is named",	\
	  FIELD(owner, field) }

#define NETWORK_OPTION(owner)								\
	{ .name = "network", .letter = 'n', .type = OPTION_STRING, .value = "NAME",	\
	  .doc = "this network of the file alone", FIELD(owner, compile.network) }

#define FORCE_OPTION(owner)								\
	{ .name = "force", .type = OPTION_FLAG,						\
	  .doc = "write the program though it does not fit, and over files not stowage's",	\
	  FIELD(owner, compile.force) }

#define BATCH_OPTION(owner)								\
	{ .name = "batch", .letter = 'b', .type = OPTION_INT, .value = "N",		\
	  .doc = "plan for micro-batches of N samples", .min = 1,			\
	  .max = (int64_t)1 << 40, FIELD(owner, compile.batch) }

#define NONDETERMINISTIC_OPTION(owner)							\
	{ .name = "nondeterministic", .type = OPTION_FLAG,				\
	  .doc = "let the program use engines of cuDNN that have other bits each time",	\
	  FIELD(owner, compile.any_order) }

#define OBJECTIVE_OPTION(owner)								\
	{ .name = "objective", .type = OPTION_CHOICE, .value = "WHAT",			\
	  .doc = "of the plan, in place of the spec's",		\
	  .choice = compile_objective_name, .size = offsetof(owner, compile.objective_bytes),	\
	  FIELD(owner, compile.objective) }

#define TIMEOUT_OPTION(owner)								\
	{ .name = "timeout", .type = OPTION_INT, .value = "SECONDS",			\
	  .doc = "where the arena is above its lower bound, how long to search on",	\
	  .min = 1, .max = 1000000, FIELD(owner, compile.timeout) }

const char	*compile_objective_name(int i);
const char	*compile_shard_name(int i);
const char	*compile_target_name(int i);	/* OPTION_CHOICE's words */
const char	*compile_pass_name(int i);
const char	*compile_layout_name(int i);

/* Checks what the option table cannot: -D without "=", a loss that there is not; false after a
 * message. */
bool	compile_check(const struct command *, const struct compile_args *);

/* Reads the options of a command that makes a program of one spec into ARGS, of which COMPILE and
 * PATH are parts; otherwise false, and *STATUS is to be returned. */
bool	compile_options(const struct command *, void *args, struct compile_args *compile, const char **path, int argc,
	    char **argv, int *status);

/* Where what the file at that absolute path names must lie: project_root(), or anywhere. */
const char	*compile_root(struct arena *, const char *path, bool allow_outside);

/* Loads the spec and runs the passes over its networks; the diags say what was wrong. Where one
 * network is named, the others are neither planned nor listed. */
struct spec	*compile(struct arena *, struct diags *, const struct source *,
		    const struct compile_args *);

/* As compile(), but where SERVES says that a sketch of a network will do (ir/pass.h), that is its
 * module. */
struct spec	*compile_as_needed(struct arena *, struct diags *, const struct source *,
		    const struct compile_args *, bool (*serves)(const struct spec *, struct module *sketch));

/* Of a spec that was compiled with `apart`: frees all that planning made. Its modules are then as
 * their networks say, without plans. */
void	compile_drop_plans(struct spec *);

/* Reads a source, "-" being standard input under the name STDIN_NAME; NULL after a message. */
struct source	*compile_read(struct arena *, const char *path, const char *stdin_name);

/* The same, but a file that is called as models are is read as one (cli/model.h). */
struct source	*compile_open(struct arena *, const char *path, const struct compile_args *);

/* The spec's files: itself, then those it uses. */
const struct file *const	*compile_files(struct arena *, const struct spec *, int *n);

/* Runs WORK in an arena that is freed afterwards; running out of memory ends in a message and
 * status 2. */
int	compile_in_arena(int (*work)(struct arena *, void *), void *context);

/* Prints the findings of a failed compilation to stderr; returns the exit status. */
int	compile_failed(const char *path, struct diags *);

/* The message and the exit status for a spec without errors that has nothing to plan. */
int	compile_no_network(const char *path);

/* For commands about one network: reads and plans the spec. Returns 0; or says why there is not
 * one, and returns 1 where the spec is to blame, 2 where the call is. */
int	compile_one(struct arena *, const struct command *, const char *path,
	    const struct compile_args *, struct diags *, struct spec **);

/* The same, but no pass is run: the module has its forward graph alone. */
int	compile_forward(struct arena *, const struct command *, const char *path,
	    const struct compile_args *, struct diags *, struct spec **);

/* What is to be the file of -o, standard output when PATH is NULL or "-"; NULL after a message. */
FILE	*compile_output(const char *path);
/* Closes it, and puts it in the file's place (replace.h); false, after a message, when something
 * could not be written. Of standard output main() tells, for all commands alike. */
bool	compile_close(FILE *, const char *path);

#endif
