/* Making a program's text and putting it into files. */
#include "cli/program_files.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filename.h"
#include "base/print.h"

#include "cli/lint_check.h"
#include "cli/replace.h"
#include "plan/plan.h"
#include "ir/prediction.h"
#include "lint/engine.h"

/* What lint calls an error, such as a device too small, must not wait until the program runs. */
static bool
fits(struct arena *a, struct diags *d, const struct spec *spec)
{
	const struct file *const *file;
	struct lint_config *config;
	struct suppress s = { .d = d };
	struct diags quiet;
	struct diag *g;
	int nfiles, i, before = d->errors;

	file = compile_files(a, spec, &nfiles);
	diags_init(&quiet, a);	/* mistakes in lint sections are lint's to tell */
	config = config_read(a, (struct project *)spec->options->project);
	s.levels = lint_levels(a, &quiet, config, NULL, file, nfiles, NULL);
	s.file = file;
	s.nfiles = nfiles;
	s.ignore_comments = !config->inline_suppressions.on;
	lint_run(d, file, s.levels, nfiles, spec->modules.v, spec->modules.n,
	    spec->options);
	suppress_run(&s);
	for (i = 0; i < d->all.n; i++) {
		g = d->all.v[i];
		if (g->severity == SEV_ERROR && strcmp(g->rule, "oom") == 0)
			diag_help(d, g, "--force writes the program though it does not fit");
	}
	return d->errors <= before;
}

/* The network's name, but where that names a target of the Makefile, or a Makefile. */
static const char *
program_name(struct arena *a, const char *network)
{
	static const char *const taken[] = { "clean", "lib", "Makefile", "makefile", "GNUmakefile" };
	size_t i;

	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (strcasecmp(network, taken[i]) == 0)
			return arena_printf(a, "%s-program", network);
	return network;
}

int
program_make(struct arena *a, const struct command *c, const char *path,
    const struct compile_args *args, struct program *p)
{
	struct diags d;
	struct spec *spec;
	struct module *m;
	struct result *outputs;
	const char *root;
	int status = compile_one(a, c, path, args, &d, &spec);

	if (status)
		return status;
	m = spec->modules.v[0];
	path = spec->file->src->path;
	if (!args->force && !fits(a, &d, spec))
		return compile_failed(path, &d);
	if (m->inference && graph_outputs(m->validate, &outputs) == 0) {
		print_error("%s: what network '%s' puts out is its input: there is nothing to infer", visible_text(a, path), m->name);
		return 1;
	}
	p->module = m;
	p->target = m->plan->target;
	p->name = program_name(a, m->name);
	text_init(&p->source, a);
	text_init(&p->makefile, a);
	text_init(&p->header, a);
	root = compile_root(a, filename_absolute(a, path), args->allow_outside);
	if (!emit_program(m, p->target, root, &p->source, &p->makefile, &p->header, p->name)) {
		if (d.errors)
			return compile_failed(path, &d);
		print_error("%s: the program could not be written", path);
		return 2;
	}
	return 0;
}

static bool
failed(const char *path)
{
	print_error("%s: %s", path, strerror(errno));
	return false;
}

/* Makes the folder, and those above it, unless it is there; false after a message. */
static bool
make_folders(struct arena *a, const char *dir)
{
	char *path = arena_strdup(a, dir), *s;

	for (s = path + 1; *path && *s; s++)
		if (*s == '/') {
			*s = '\0';
			if (mkdir(path, 0777) != 0 && errno != EEXIST)
				return failed(path);
			*s = '/';
		}
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return failed(path);
	return true;
}

/* Did we write it? What we write says so near its top; an empty file is nobody's. */
static bool
is_ours(const char *path)
{
	static const char mark[] = "Written by stowage";
	char text[1 << 13];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		return false;
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	return n == 0 || memmem(text, n, mark, sizeof(mark) - 1);
}

static bool
refuse(const char *path, const char *why)
{
	print_error("%s: %s", path, why);
	return false;
}

bool
program_write(const char *path, const struct text *t, bool force)
{
	struct stat st;

	if (!force && stat(path, &st) == 0 && S_ISREG(st.st_mode) && !is_ours(path))
		return refuse(path, "stowage did not write this file; --force replaces it, or name "
		    "another with -o");
	return replace_text(path, t->s, t->n);
}

/* In a folder, which may have come with somebody's repository: nothing is written through a link,
 * or to a pipe, where it might wait for ever. */
static bool
write_in(struct arena *a, const char *dir, const char *name, const struct text *t, bool force)
{
	const char *path = arena_printf(a, "%s/%s", dir, name);
	struct stat st;

	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		if (!force)
			return refuse(path, S_ISLNK(st.st_mode) ? "is a link, through which no program is "
			    "written; --force replaces it, or name another folder with -o" :
			    "is no regular file; --force replaces it, or name another folder with -o");
		if (unlink(path) != 0)
			return failed(path);
	}
	return program_write(path, t, force);
}

/* make takes these before a Makefile, so they would decide what `make` does in the folder. */
static bool
is_only_makefile(struct arena *a, const char *dir)
{
	static const char *const before[] = { "GNUmakefile", "makefile" };
	const char *path;
	struct stat made, st;
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		path = arena_printf(a, "%s/%s", dir, before[i]);
		if (lstat(path, &st) != 0)
			continue;
		if (lstat(arena_printf(a, "%s/Makefile", dir), &made) == 0 &&
		    made.st_ino == st.st_ino && made.st_dev == st.st_dev)
			continue;	/* where capitals are not told apart */
		return refuse(path, "make would take this file for the Makefile, and stowage did not "
		    "write it; remove it, name another folder with -o, or --force");
	}
	return true;
}

bool
program_write_all(struct arena *a, const char *dir, const struct program *p, bool force)
{
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	dir = arena_strndup(a, dir, n);
	return make_folders(a, dir) && (force || is_only_makefile(a, dir)) &&
	    write_in(a, dir, arena_printf(a, "%s%s", p->name, p->target->suffix), &p->source,
	    force) &&
	    (p->header.n == 0 || write_in(a, dir, arena_printf(a, "%s.h", p->name), &p->header, force)) &&
	    write_in(a, dir, "Makefile", &p->makefile, force);
}
