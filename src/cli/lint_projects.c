/* The project files and baselines of a run. */
#include "cli/lint_projects.h"

#include <string.h>
#include <unistd.h>

#include "base/filename.h"
#include "base/print.h"
#include "cli/rewrite.h"

/* ---- baselines ---- */

/* AT: where it is wrong, or where it is named. */
static void
no_baseline(struct projects *p, struct loc at, const char *path, int line, const char *why, const char *cure)
{
	p->trouble = true;
	if (p->mistakes) {
		struct diag *g = line ? diag_error(p->mistakes, "settings", at, "%s", why) :
		    diag_error(p->mistakes, "settings", at, "the baseline %s: %s", path, why);

		if (cure)
			diag_help(p->mistakes, g, "%s", cure);
		return;
	}
	if (line)
		path = arena_printf(p->arena, "%s:%d", path, line);
	print_error("%s: %s%s%s", path, why, cure ? "; " : "", cure ? cure : "");
}

static struct loc
line_loc(const struct source *src, int line)
{
	int n, beg = (int)(source_line(src, line, &n) - src->text);

	return (struct loc){ src, beg, beg + n };
}

struct named {			/* a baseline, by an option or a project file */
	const char *path;	/* absolute */
	const char *shown;
	const char *root;	/* where it must lie, as a project file says; NULL: the user named it */
	struct loc loc;
};

/* Reads what there is at the path of a baseline. */
static bool
read_baseline(struct projects *p, struct baseline *b, const struct named *by)
{
	const struct unsaved *text = unsaved_find(p->unsaved, b->path);
	struct source *src;
	const char *why;
	int line;

	src = text ? source_from_text(p->arena, b->path, text->text, text->size) :
	    by->root ? source_read_below(p->arena, by->root, b->path, &why) :
	    source_read(p->arena, b->path, &why);
	if (!src) {
		no_baseline(p, by->loc, by->shown, 0, why, access(b->path, F_OK) == 0 ? NULL :
		    "--write-baseline makes a baseline");
		return false;
	}
	src->path = by->shown;
	if (!baseline_parse(b, src, &line, &why)) {
		no_baseline(p, line_loc(src, line), by->shown, line, why, "mend it, or remove the file and let "
		    "--write-baseline make it anew");
		return false;
	}
	return true;
}

/* May a baseline be written there? */
static bool
may_be_made(struct projects *p, const struct named *by)
{
	if (!by->root || filename_is_below(by->root, filename_absolute(p->arena, by->path)))
		return true;
	no_baseline(p, by->loc, by->shown, 0, arena_printf(p->arena, "it would lie outside %s", by->root),
	    "--allow-outside permits that");
	return false;
}

/* The baseline, read once; NULL after a message. */
static struct baseline *
baseline_at(struct projects *p, struct named by)
{
	const char *path = by.path;
	struct baseline *b;
	bool good;
	int i;

	for (i = 0; i < p->baselines.n; i++)
		if (strcmp(p->baselines.v[i]->path, path) == 0)
			return p->baselines.v[i];
	b = ARENA_NEW(p->arena, struct baseline);
	b->arena = p->arena;
	b->path = path;
	b->folder = filename_folder(p->arena, path);
	good = access(path, F_OK) == 0 || !p->given->write_baseline ?
	    read_baseline(p, b, &by) : may_be_made(p, &by);
	if (!good)
		return NULL;
	vec_push(p->arena, &p->baselines, b);
	return b;
}

static void
find_baseline(struct projects *p, struct lint_project *of)
{
	const struct loc nowhere = { NULL, 0, 0 };
	const char *shown = p->given->baseline;

	if (shown)
		of->baseline = baseline_at(p, (struct named){ .path = filename_absolute(p->arena, shown),
		    .shown = shown });
	else if ((shown = of->config->baseline.text))
		of->baseline = baseline_at(p, (struct named){ shown, filename_shown(p->arena, shown),
		    compile_root(p->arena, of->path, p->allow_outside), of->config->baseline.loc });
	else if (p->given->write_baseline)
		no_baseline(p, nowhere, "--write-baseline needs a file", 0, "there is none in the project "
		    "file", "say --baseline FILE");
	of->broken |= (shown || p->given->write_baseline) && !of->baseline;
}

/* ---- project files ---- */

static struct lint_project *
no_project(struct projects *p)
{
	struct lint_project *none;
	int i;

	for (i = 0; i < p->all.n; i++)
		if (!p->all.v[i]->path)
			return p->all.v[i];
	none = ARENA_NEW(p->arena, struct lint_project);
	none->config = config_read(p->arena, NULL);
	if (p->given)
		find_baseline(p, none);
	vec_push(p->arena, &p->all, none);
	return none;
}

/* Mistakes in a project file are findings in it; its specs are then not checked. */
static void
report_mistakes(struct projects *p, struct lint_project *one)
{
	struct diags *d = &one->project->diags;

	int i;

	if (!d->errors)
		return;
	for (i = 0; p->mistakes && i < d->all.n; i++)
		vec_push(p->mistakes->arena, &p->mistakes->all, d->all.v[i]);
	if (p->mistakes) {
		p->mistakes->errors += d->errors;
	} else if (p->report && p->report->format) {
		diags_sort(d);
		report_file(p->report, one->project->file->src->path, d);
	} else {
		compile_failed(one->project->file->src->path, d);
	}
	p->trouble = one->broken = true;
}

static struct lint_project *
project_at(struct projects *p, const char *path)
{
	struct lint_project *one;
	const char *why;
	int i;

	for (i = 0; i < p->all.n; i++)
		if (p->all.v[i]->path && strcmp(p->all.v[i]->path, path) == 0)
			return p->all.v[i];
	one = ARENA_NEW(p->arena, struct lint_project);
	one->path = path;
	one->project = project_load(p->arena, path, p->config ? NULL :
	    compile_root(p->arena, path, p->allow_outside), p->unsaved, &why);
	if (!one->project) {
		if (p->mistakes)
			diag_error(p->mistakes, "settings", (struct loc){ NULL, 0, 0 }, "%s: %s", path, why);
		else
			print_error("%s: %s", p->config ? p->config : path, why);
		p->trouble = one->broken = true;
	}
	one->config = config_read(p->arena, one->project);
	if (one->project)
		report_mistakes(p, one);
	if (p->given && !one->broken)
		find_baseline(p, one);
	vec_push(p->arena, &p->all, one);
	return one;
}

/* The folder that PATH is in, and its project. */
static const struct folder_project *
folder_of(struct projects *p, const char *path)
{
	const char *slash = strrchr(path, '/'), *found;
	size_t n = slash ? (size_t)(slash - path) + 1 : 0;
	struct folder_project f;
	int i;

	for (i = p->folders.n - 1; i >= 0; i--)	/* files of one folder come together */
		if (strncmp(p->folders.v[i].folder, path, n) == 0 &&
		    p->folders.v[i].folder[n] == '\0')
			return &p->folders.v[i];
	f.folder = arena_strndup(p->arena, path, n);
	f.absolute = filename_folder(p->arena, filename_absolute(p->arena, path));
	found = p->no_config ? NULL : p->config ? filename_absolute(p->arena, p->config) :
	    project_find(p->arena, filename_join(p->arena, f.absolute, "x"), p->unsaved);
	f.project = found ? project_at(p, found) : no_project(p);
	vec_push(p->arena, &p->folders, f);
	return &p->folders.v[p->folders.n - 1];
}

struct lint_project *
projects_for(struct projects *p, const char *path)
{
	return folder_of(p, path)->project;
}

bool
projects_exclude(void *projects, const char *path)
{
	struct projects *p = projects;
	const struct folder_project *f = folder_of(p, path);
	const char *slash = strrchr(path, '/');

	return config_excludes(p->arena, f->project->config,
	    filename_join(p->arena, f->absolute, slash ? slash + 1 : path));
}

bool
projects_exclude_named(void *projects, const char *path)
{
	struct projects *p = projects;
	const char *slash;

	/* the project file of a parent folder may exclude a folder that has its own */
	for (slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
		if (slash > path && slash[-1] != '/' &&
		    projects_exclude(p, arena_strndup(p->arena, path, (size_t)(slash - path))))
			return true;
	return projects_exclude(p, path);
}

bool
projects_exclude_stdin(struct projects *p, const struct paths *paths, const char *name)
{
	return paths->skip_named && name && paths->skip_named(p, name);
}

/* ---- at the end ---- */

static void
write_baseline(struct projects *p, struct baseline *b)
{
	struct text t;
	struct source *new;

	text_init(&t, p->arena);
	baseline_text(b, &t);
	new = source_from_text(p->arena, b->src ? b->src->path : b->path, t.s, t.n);
	if (b->src && b->src->size == new->size &&
	    memcmp(b->src->text, new->text, t.n) == 0)
		return;
	if (!(b->src ? rewrite_file(p->arena, b->src, new) : rewrite_new(p->arena, new)))
		p->trouble = true;
}

/* The levels that hold for the baseline itself. */
static const struct lint_project *
project_of(const struct projects *p, const struct baseline *b)
{
	int i;

	for (i = 0; i < p->all.n; i++)
		if (p->all.v[i]->baseline == b)
			return p->all.v[i];
	return NULL;
}

/* Removes the stale entries from the baseline: written, or printed as a patch. False if they
 * stay. */
static bool
drop_stale(struct projects *p, const struct baseline *b, const struct diags *d)
{
	struct edits *e = edits_new(p->arena, b->src);
	struct text patch;
	int i, k, fixed = 0;

	for (i = 0; i < d->all.n; i++) {
		const struct fix *fix = d->all.v[i]->fix;

		fixed += fix != NULL;
		for (k = 0; fix && k < fix->edits->all.n; k++)
			edits_add(e, fix->edits->all.v[k].beg, fix->edits->all.v[k].end,
			    fix->edits->all.v[k].text);
	}
	if (p->diff) {
		text_init(&patch, p->arena);
		edits_diff(e, &patch);
		fwrite(patch.s ? patch.s : "", 1, patch.n, stdout);
		p->differs |= patch.n > 0;
		return true;
	}
	if (!p->fix || !fixed)
		return false;
	if (!rewrite_file(p->arena, b->src, edits_apply(e))) {
		p->trouble = true;
		return false;
	}
	p->report->fixed += fixed;
	p->report->files_fixed++;
	return true;
}

static void
report_stale(struct projects *p, const struct baseline *b)
{
	const struct lint_project *of = project_of(p, b);
	struct levels *levels[2] = { NULL, NULL };
	struct diags d;
	struct suppress s = { .d = &d, .levels = levels, .ignore_comments = true };

	diags_init(&d, p->arena);
	baseline_stale(b, &d);
	levels[0] = config_levels(p->arena, of->config, b->path, NULL, &p->given->layer);
	suppress_run(&s);
	p->report->fatal = p->given->fail_on >= 0 ? config_fail_on(p->given->fail_on) :
	    of->config->fail_on;
	if (d.all.n && !drop_stale(p, b, &d))
		report_file(p->report, b->src->path, &d);
}

void
projects_finish(struct projects *p)
{
	int i;

	for (i = 0; i < p->baselines.n; i++) {
		baseline_sum_up(p->baselines.v[i]);
		if (!p->given->write_baseline)
			report_stale(p, p->baselines.v[i]);
		else if (!p->trouble)
			write_baseline(p, p->baselines.v[i]);
	}
}
