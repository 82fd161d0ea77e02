/* Specs that are open, and those beside them. */
#include "lsp/workspace.h"

#include <string.h>

#include "base/filename.h"
#include "cli/compile.h"
#include "cli/paths.h"

#define MOST_SPECS	2000

typedef void tree_visit(void *context, const struct tree *);

static void
visit_file(struct server *s, struct arena *a, const char *path, const char *word, tree_visit *visit, void *context)
{
	struct document d = { .path = arena_strdup(a, path) };
	const char *why;
	const struct source *src = source_read_below(a, "/", path, &why);
	struct tree *t;

	if (!src || (word && !strstr(src->text, word)) ||
	    !text_replace(&d.text, 0, 0, src->text, (size_t)src->size))
		return;
	if ((t = tree_make(s, &d)))
		visit(context, t);
	tree_free(t);
	text_lines_free(&d.text);
}

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
workspace_each(struct server *s, struct arena *a, const char *word, tree_visit *visit, void *context)
{
	struct paths specs = { .failures = 0 };
	struct document *d;
	int i;

	for (d = s->documents; d; d = d->next)
		if (document_tree(s, d))
			visit(context, d->tree);
	gather(s, a, &specs);
	for (i = 0; i < specs.path.n && i < MOST_SPECS; i++)
		if (!document_at(s, specs.path.v[i]))
			visit_file(s, a, specs.path.v[i], word, visit, context);
}
