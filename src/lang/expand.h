/*
 * From a .nn file to modules: parsing, imports, names, constants, blocks, layers, settings. One
 * module per network of the file, each with its forward graph and its settings. Every mistake is
 * reported to the diags; a module it concerns is marked broken and later passes leave it alone.
 * Everything made lives in the arena.
 */
#ifndef STOWAGE_LANG_EXPAND_H
#define STOWAGE_LANG_EXPAND_H

#include <string.h>

#include "ir/ir.h"
#include "syntax/ast.h"

struct lang_define {		/* -D name=value: overrides a file-level param */
	const char *name, *value;
};

struct unsaved {			/* a text that stands for a file, as an editor has it */
	const char *path;	/* absolute, its folder's links resolved */
	const char *text;
	size_t size;
	const struct unsaved *next;
};

struct field_read {		/* `v.f` as evaluated: the word f, and the definition that it reads */
	struct loc use, def;
};

struct block_run {		/* a block as it was made at one of its uses */
	struct loc use;		/* its name there */
	const struct block *block;
	const struct module *module;
	int first, end;		/* the nodes in it: first <= id < end */
	const struct tensor *out;	/* NULL: several tensors, or an error */
};

struct evaluated {		/* what only evaluation knows */
	VEC(struct field_read) reads;	/* what comes again at once is there once */
	VEC(struct block_run) blocks;	/* in the order in which they begin */
};

struct spec;

/* Networks of which all is known that compiling and checking them would report. */
struct known {
	/* Is it, of this one of the spec as it is now? Else it is compiled. */
	bool (*knows)(struct known *, const struct spec *, const struct network *);
	/* Reports it, of all of which it was; NULL: nobody wants to hear it. */
	void (*report)(struct known *, struct diags *);
};

struct lang_options {
	const struct lang_define *define;
	int ndefines;
	const char *device;	/* a GPU's or a device section's name; NULL: the spec's own */
	const struct project *project;	/* its devices count where the spec has none; or NULL */
	const char *network;	/* this one alone is expanded; NULL: all of them */
	struct known *known;	/* they are left out; NULL: nothing is known */
	const struct unsaved *unsaved;	/* texts for files that are used; NULL: none */
	struct evaluated *evaluated;	/* takes it down; NULL: nobody asks */
	const char *root;	/* the absolute folder below which `use` reads; NULL: anywhere */
	int64_t ranks;		/* in place of the spec's; 0: those */
	int shard;		/* in place of the spec's: 1 + enum shard_kind; 0: that */
	bool deterministic;	/* with the usual number of parts, if the spec has none */
	bool any_order;		/* settings' */
	bool forget;		/* of the files only what is said outside statements is left afterwards: trees take memory */
	int operators;		/* the most that all networks of a file may have together; 0: USUAL_OPERATORS */
};

/* With so many, whatever they are, a command ends within seconds and takes less than half a
 * gigabyte. */
#define USUAL_OPERATORS	5000
#define MOST_OPERATORS	10000000

struct spec {
	struct file *file;
	VEC(struct module *) modules;	/* one per network, in the order of the file */
	int known;		/* networks that have none, because all is known of them */
	VEC(struct file *) imported;	/* files reached by `use` */
	const struct lang_options *options;
};

/* The text for that absolute path; NULL: there is none. */
static inline const struct unsaved *
unsaved_find(const struct unsaved *all, const char *path)
{
	while (all && strcmp(all->path, path) != 0)
		all = all->next;
	return all;
}

bool	is_function(const char *name);	/* floor, channels: a function of numbers */

/* OPTIONS may be NULL. Never returns NULL. */
struct spec	*spec_load(struct arena *, struct diags *, const struct source *,
		    const struct lang_options *);

#endif
