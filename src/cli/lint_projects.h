/*
 * The project files and baselines of a run. They are found and read before specs are checked, by
 * one thread, and then only read; what was found in specs is added to baselines by that thread too.
 */
#ifndef STOWAGE_CLI_LINT_PROJECTS_H
#define STOWAGE_CLI_LINT_PROJECTS_H

#include "cli/lint_check.h"
#include "cli/paths.h"
#include "findings/report.h"

struct folder_project {
	const char *folder;	/* as written, with its last '/' */
	const char *absolute;
	struct lint_project *project;
};

struct projects {
	struct arena *arena;
	const char *config;	/* --config */
	bool no_config, allow_outside;
	/* For linting; NULL: for what else is in project files, and mistakes go to standard
	 * error. */
	const struct lint_given *given;
	struct report *report;	/* until it has begun mistakes go to standard error */
	struct diags *mistakes;	/* or here, where it is set, each in its place */
	const struct unsaved *unsaved;	/* texts that stand for files; NULL: none */
	bool fix, diff;		/* take stale entries out of baselines; or print that as a patch */
	bool differs;		/* such a patch is not empty */
	VEC(struct lint_project *) all;
	VEC(struct folder_project) folders;
	VEC(struct baseline *) baselines;
	bool trouble;		/* something could not be read, or has mistakes: status 2 */
};

/* The project of a spec, by its path as written. Never NULL. */
struct lint_project	*projects_for(struct projects *, const char *path);

/* The skip of paths_add(): true of paths that the project file excludes. */
bool	projects_exclude(void *projects, const char *path);

/* The skip_named of paths_add(): those, and paths below an excluded folder. */
bool	projects_exclude_named(void *projects, const char *path);

/* Is standard input excluded, by the NAME it is given? NULL: it has none. */
bool	projects_exclude_stdin(struct projects *, const struct paths *, const char *name);

/* After the last spec: reports what is stale, or writes the baselines. */
void	projects_finish(struct projects *);

#endif
