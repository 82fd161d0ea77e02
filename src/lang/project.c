/* Project files: finding and reading them. Lint sections are read by lint/config.c. */
#include "lang/project.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filename.h"
#include "lang/expander.h"

const char *
project_find(struct arena *a, const char *path, const struct unsaved *unsaved)
{
	char *folder = filename_folder(a, path), *file;
	struct stat st;

	for (;;) {
		file = filename_join(a, folder, PROJECT_FILE);
		if (unsaved_find(unsaved, file) || (stat(file, &st) == 0 && S_ISREG(st.st_mode)))
			return file;
		if (strcmp(folder, "/") == 0 || access(filename_join(a, folder, ".git"), F_OK) == 0)
			return NULL;
		folder = filename_folder(a, folder);
	}
}

const char *
project_root(struct arena *a, const char *path)
{
	char *folder = filename_folder(a, path), *at, here[PATH_MAX];
	const char *root = project_find(a, path, NULL);

	for (at = folder; access(filename_join(a, at, ".git"), F_OK) != 0; at = filename_folder(a, at))
		if (strcmp(at, "/") == 0)
			break;
	if (strcmp(at, "/") != 0)
		return at;
	root = root ? filename_folder(a, root) : folder;
	if (!getcwd(here, sizeof(here)) || strcmp(here, "/") == 0)
		return root;
	return filename_is_below(here, root) ? arena_strdup(a, here) : root;
}

static void
refuse(struct expander *ex, struct loc loc, const char *what)
{
	struct diag *g = ex_error(ex, "settings", loc, "a project file has no %s", what);

	diag_help(ex->d, g, "it has lint and device sections, for all specs below its folder");
}

static void
refuse_all_but_sections(struct expander *ex, const struct file *f)
{
	int i;

	for (i = 0; i < f->imports.n; i++)
		refuse(ex, f->imports.v[i].loc, "imports");
	for (i = 0; i < f->globals.n; i++)
		refuse(ex, f->globals.v[i].name.loc, "params");
	for (i = 0; i < f->blocks.n; i++)
		refuse(ex, f->blocks.v[i]->name.loc, "blocks");
	for (i = 0; i < f->networks.n; i++)
		refuse(ex, f->networks.v[i]->name.loc, "networks");
	for (i = 0; i < f->sections.n; i++)
		if (f->sections.v[i]->kind == SEC_TRAIN || f->sections.v[i]->kind == SEC_VALIDATE)
			refuse(ex, f->sections.v[i]->head, "train or validate section");
}

struct project *
project_read(struct arena *a, const struct source *src, const char *path)
{
	static const struct lang_options none = { .device = NULL };
	struct project *p = ARENA_NEW(a, struct project);
	struct spec *spec = ARENA_NEW(a, struct spec);
	struct expander ex = { .a = a, .passing = a, .d = &p->diags, .spec = spec, .opt = &none };
	struct unit nothing = { .file = NULL };
	int i;

	p->folder = filename_folder(a, path);
	diags_init(&p->diags, a);
	p->file = spec->file = nothing.file = parse_file(a, &p->diags, src);
	ex.root = &nothing;
	refuse_all_but_sections(&ex, p->file);
	sections_check(&ex);
	for (i = 0; i < p->file->sections.n; i++) {
		const struct section *s = p->file->sections.v[i];
		struct project_device d = { .name = s->name.text, .loc = s->head };

		if (s->kind != SEC_DEVICE)
			continue;
		device_section(&ex, s, &d.device);
		d.device.loc = (struct loc){ NULL, 0, 0 };
		vec_push(a, &p->devices, d);
	}
	return p;
}

struct project *
project_load(struct arena *a, const char *path, const char *root, const struct unsaved *unsaved,
    const char **why)
{
	const struct unsaved *text = unsaved_find(unsaved, path);
	struct source *src = text ? source_from_text(a, path, text->text, text->size) :
	    root ? source_read_below(a, root, path, why) : source_read(a, path, why);

	if (!src)
		return NULL;
	src->path = filename_shown(a, path);
	return project_read(a, src, path);
}

const struct project_device *
project_device(const struct project *p, const char *name)
{
	int i;

	for (i = 0; p && i < p->devices.n; i++) {
		const char *is = p->devices.v[i].name;

		if (name ? is && strcmp(is, name) == 0 : !is)
			return &p->devices.v[i];
	}
	return NULL;
}
