/*
 * Edits of several files at once, and whether the networks are the same with them: the texts are
 * compiled before and after, in place of their files, and the forward graphs compared node by node.
 * What differs may be paths alone. All of it lives in the arena that is given.
 */
#ifndef STOWAGE_LSP_SAME_H
#define STOWAGE_LSP_SAME_H

#include "base/edit.h"
#include "lang/expand.h"
#include "lsp/server.h"

struct change {			/* of one file */
	const char *path;	/* absolute, all links resolved */
	struct edits *edits;
};

struct changes {
	VEC(struct change) all;
};

const char	*real_path(struct arena *, const char *path);
/* The edits of the file of that source, which it is one text of. */
struct edits	*changes_of(struct arena *, struct changes *, const struct source *);
/* By address: what workspace_edit() takes. */
json_t	*changes_json(const struct server *, const struct changes *);
/* A server whose open texts are as the changes make them, and the files that they change as if open
 * too. Its documents have no trees yet: what is made of them is the caller's to free. */
struct server	*changed_server(struct server *, struct arena *, const struct changes *);

/* The spec at that path, open or not, with what is open in place of files; NULL: it cannot be read.
 * EVALUATED may be NULL. */
struct spec	*spec_at(struct server *, struct arena *, struct diags *, const char *path,
		    struct evaluated *);

struct form {			/* of a network */
	const char *name;
	const char *text;	/* the graph with all names and places left out; NULL: no memory */
	VEC(const char *) paths;	/* these, in the order of the graph: weights first */
	int weights;
};

/* Takes the module apart: it is good for nothing else afterwards. */
struct form	form_of(struct arena *, struct module *);

enum sameness {
	SAME_NOT,
	SAME_BUT_WEIGHTS,	/* the graph is, and its weights have other paths */
	SAME_BUT_PATHS,		/* weights have the same paths, and others have not */
	SAME_ALL
};

enum sameness	forms_compare(const struct form *, const struct form *);
/* An error of the second that the first has not; NULL: there is none. */
const struct diag	*diags_new_error(const struct diags *, const struct diags *);

#endif
