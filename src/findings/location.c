/*
 * Where findings are, for formats that other programs match with a repository: paths relative to
 * its root, regions in code points, and fingerprints.
 */
#include "findings/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lint/fingerprint.h"
#include "base/filename.h"
#include "base/text.h"

/* The nearest folder above the working one that holds .git, a folder or, in a worktree, a file. */
void
report_find_root(struct report *r)
{
	char at[REPORT_PATH], git[REPORT_PATH + 8];
	char *slash;

	if (!getcwd(r->here, sizeof(r->here))) {
		r->here[0] = '\0';
		return;
	}
	strcpy(at, r->here);
	strcpy(r->root, r->here);
	for (;;) {
		snprintf(git, sizeof(git), "%s/.git", at);
		if (access(git, F_OK) == 0) {
			strcpy(r->root, at);
			return;
		}
		slash = strrchr(at, '/');
		if (!slash || slash == at)
			return;
		*slash = '\0';
	}
}

const char *
report_repository_path(struct report *r, const char *path)
{
	size_t n = strlen(r->root);
	char *full;

	if (!r->here[0])
		return path;
	full = *path == '/' ? arena_strdup(r->arena, path) :
	    arena_printf(r->arena, "%s/%s", r->here, path);
	filename_normalise(full);
	if (n == 1)	/* the root of all */
		n = 0;
	return strncmp(full, r->root, n) == 0 && full[n] == '/' ? full + n + 1 : full;
}

struct region
report_region(struct loc l)
{
	struct region g = { 1, 1, 1, 1 };
	struct loc end = l;

	if (!loc_has_line(l))
		return g;
	end.beg = l.end > l.beg ? l.end : l.beg;
	g.line = loc_line(l);
	g.column = loc_column_chars(l);
	g.end_line = loc_line(end);
	g.end_column = loc_column_chars(end);
	return g;
}

const char *
report_message(struct report *r, const struct diag *g)
{
	struct text t;
	int i;

	text_init(&t, r->arena);
	if (loc_origin(g->loc))
		text_printf(&t, "%s: ", loc_shown(r->arena, g->loc, NULL));
	text_puts(&t, g->message);
	for (i = 0; i < g->remarks.n; i++) {
		const struct remark *m = &g->remarks.v[i];

		if (m->kind == REMARK_PLACE && m->loc.src && m->loc.src->origins)
			text_printf(&t, "\n%s: %s: %s", m->loc.src->path, loc_shown(r->arena, m->loc, NULL), m->text);
		else if (m->kind == REMARK_PLACE)
			text_printf(&t, "\n%s:%d: %s", m->loc.src ? m->loc.src->path : "",
			    loc_line(m->loc), m->text);
		else
			text_printf(&t, "\n%s%s", m->kind == REMARK_HELP ? "help: " : "", m->text);
	}
	return t.s;
}

/* ---- fingerprints ---- */

struct hashed_finding {
	uint64_t hash;
	int at;
};

static int
by_hash(const void *a, const void *b)
{
	const struct hashed_finding *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

struct fingerprint *
report_fingerprints(struct report *r, const char *path, const struct diags *d)
{
	size_t n = (size_t)d->all.n, i;
	struct fingerprint *print = arena_array(r->arena, n, sizeof(*print));
	struct hashed_finding *order = arena_array(r->arena, n, sizeof(*order));
	int same = 0;

	for (i = 0; i < n; i++) {
		const struct diag *g = d->all.v[i];
		const char *file = report_repository_path(r, g->loc.src ? g->loc.src->path : path);

		order[i] = (struct hashed_finding){ fingerprint(file, g), (int)i };
	}
	qsort(order, n, sizeof(*order), by_hash);
	for (i = 0; i < n; i++) {
		same = i > 0 && order[i].hash == order[i - 1].hash ? same + 1 : 1;
		print[order[i].at] = (struct fingerprint){ order[i].hash, same };
	}
	return print;
}
