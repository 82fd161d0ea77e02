/*
 * The project file .stowage: what holds for all specs below its folder, in their own syntax. It has
 * device sections, which specs without a device assume, and lint sections (lint/config.h).
 *
 * Only the nearest one counts, from the folder of the spec upwards to the first folder that
 * contains .git, where a repository ends. So every checkout has the same settings, whatever is in
 * the folders above it.
 */
#ifndef STOWAGE_LANG_PROJECT_H
#define STOWAGE_LANG_PROJECT_H

#include "lang/expand.h"

#define PROJECT_FILE	".stowage"

struct project_device {
	const char *name;	/* as --device calls it; NULL: the one that is assumed */
	struct device device;	/* without a place: what a spec's findings say is about the spec */
	struct loc loc;
};

struct project {
	const char *folder;	/* absolute; what its paths are relative to */
	struct file *file;
	VEC(struct project_device) devices;
	struct diags diags;	/* its mistakes: nothing may be done by a file that has errors */
};

/* The absolute path of the project file for what lies at the absolute PATH; NULL: there is none.
 * One that is only among the UNSAVED texts (NULL: none) is one too. */
const char	*project_find(struct arena *, const char *path, const struct unsaved *);

/*
 * The absolute folder below which everything must lie that the file at the absolute PATH, or its
 * project file, names: a checkout may come from anybody, and what is read is shown in messages. It
 * is the repository's; where there is none, that of the project file or, if that is higher, the
 * working folder; at least the folder of PATH.
 */
const char	*project_root(struct arena *, const char *path);

/* Reads the project file at an absolute path, in an arena of its user's; NULL and *WHY if it cannot
 * be read. ROOT is where it must lie; NULL if the user named it, and it may be any. An unsaved text
 * of that path counts in place of the file. */
struct project	*project_load(struct arena *, const char *path, const char *root, const struct unsaved *,
		    const char **why);

/* The same of a text; PATH is where it would lie, absolute. */
struct project	*project_read(struct arena *, const struct source *, const char *path);

/* The device section of that name (NULL: the unnamed one); NULL: there is none, or no PROJECT. */
const struct project_device	*project_device(const struct project *, const char *name);

#endif
