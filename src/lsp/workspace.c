/* Specs that are open, and those beside them. */
#include "lsp/workspace.h"

#include <string.h>

#include "base/filename.h"
#include "cli/compile.h"
#include "cli/paths.h"
#include "lsp/same.h"

#define MOST_SPECS	2000

typedef void tree_visit(void *context, const struct tree *);

/* The specs below the folders of all projects, each once. */
static void
gather(struct server *s, struct arena *a, struct paths *specs)
{
	VEC(const char *) roots = { NULL, 0, 0 };
	struct document *d;
	int i;

	for (d = s->documents; d; d = d->next) {
		const char *root = d->path[0] == '/' ?
		    compile_root(a, filename_absolute(a, d->path), false) : NULL;

		for (i = 0; root && i < roots.n && strcmp(roots.v[i], root) != 0; i++)
			;
		if (!root || i < roots.n)
			continue;
		vec_push(a, &roots, root);
		paths_add(a, specs, root);
	}
	paths_once(a, specs);
}

void
workspace_files(struct server *s, struct arena *a, const char *folder,
    void (*visit)(void *context, const char *path, const struct source *), void *context)
{
	struct paths specs = { .failures = 0 };
	const struct source *src;
	const char *why;
	int i;

	if (folder)
		paths_add(a, &specs, folder);
	else
		gather(s, a, &specs);
	for (i = 0; i < specs.path.n && i < MOST_SPECS; i++)
		if (!document_at(s, real_path(a, specs.path.v[i])) &&
		    (src = source_read_below(a, "/", specs.path.v[i], &why)))
			visit(context, specs.path.v[i], src);
}

struct each {
	struct server *server;
	struct arena *arena;
	const char *word;
	tree_visit *visit;
	void *context;
};

static void
visit_file(void *context, const char *path, const struct source *src)
{
	struct each *e = context;
	struct document d = { .path = arena_strdup(e->arena, path) };
	struct tree *t;

	if ((e->word && !strstr(src->text, e->word)) ||
	    !text_replace(&d.text, 0, 0, src->text, (size_t)src->size))
		return;
	if ((t = tree_make(e->server, &d)))
		e->visit(e->context, t);
	tree_free(t);
	text_lines_free(&d.text);
}

void
workspace_each(struct server *s, struct arena *a, const char *word, tree_visit *visit, void *context)
{
	struct each e = { s, a, word, visit, context };
	struct document *d;

	for (d = s->documents; d; d = d->next)
		if (document_tree(s, d))
			visit(context, d->tree);
	workspace_files(s, a, NULL, visit_file, &e);
}
