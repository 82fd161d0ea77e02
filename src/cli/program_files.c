/* Making a program's text and putting it into files. */
#include "cli/program_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/lint_check.h"
#include "plan/plan.h"
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

int
program_make(struct arena *a, const struct command *c, const char *path,
    const struct compile_args *args, struct program *p)
{
	struct diags d;
	struct spec *spec;
	struct module *m;
	int status = compile_one(a, c, path, args, &d, &spec);

	if (status)
		return status;
	m = spec->modules.v[0];
	path = spec->file->src->path;
	if (!args->force && !fits(a, &d, spec))
		return compile_failed(path, &d);
	p->module = m;
	p->target = m->plan->target;
	p->name = m->name;
	text_init(&p->source, a);
	text_init(&p->makefile, a);
	if (!emit_program(m, p->target, &p->source, &p->makefile, p->name)) {
		if (d.errors)
			return compile_failed(path, &d);
		fprintf(stderr, "stowage: %s: the program could not be written\n", path);
		return 2;
	}
	return 0;
}

static bool
failed(const char *path)
{
	fprintf(stderr, "stowage: %s: %s\n", path, strerror(errno));
	return false;
}

bool
program_folder(struct arena *a, const char *dir)
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

/* A device or a pipe is written to: renaming a file to its name would do away with it. */
static bool
is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

bool
program_write(struct arena *a, const char *dir, const char *name, const struct text *t)
{
	const char *path = dir ? arena_printf(a, "%s/%s", dir, name) : name;
	bool special = is_special(path), good;
	const char *fresh = special ? path : arena_printf(a, "%s.%ld.new", path, (long)getpid());
	FILE *f = fopen(fresh, "w");
	int why;

	if (!f)
		return failed(path);
	good = fwrite(t->s, 1, t->n, f) == t->n;
	why = errno;
	if (fclose(f) != 0 && good) {
		good = false;
		why = errno;
	}
	if (good && (special || rename(fresh, path) == 0))
		return true;
	errno = good ? errno : why;
	failed(path);
	if (!special)
		unlink(fresh);
	return false;
}

bool
program_write_all(struct arena *a, const char *dir, const struct program *p)
{
	return program_folder(a, dir) &&
	    program_write(a, dir, arena_printf(a, "%s%s", p->name, p->target->suffix),
	    &p->source) &&
	    program_write(a, dir, "Makefile", &p->makefile);
}
