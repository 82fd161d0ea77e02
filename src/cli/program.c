/* Making a program's text and putting it into files. */
#include "cli/program.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/plan.h"

int
program_make(struct arena *a, const struct command *c, const char *path,
    const struct compile_args *args, struct program *p)
{
	struct source *src = compile_read(a, path, NULL);
	struct diags d;
	struct spec *spec;
	struct module *m;

	if (!src)
		return 2;
	diags_init(&d, a);
	spec = compile(a, &d, src, args);
	if (d.errors)
		return compile_failed(src->path, &d);
	if (spec->modules.n != 1)
		return usage_error(c, spec->modules.n ? "%s has several networks: choose one with "
		    "--network" : "%s has no network", src->path);
	m = spec->modules.v[0];
	p->module = m;
	p->target = m->plan->target;
	p->name = m->name;
	text_init(&p->source, a);
	text_init(&p->makefile, a);
	if (!emit_program(m, p->target, &p->source, &p->makefile, p->name)) {
		if (d.errors)
			return compile_failed(src->path, &d);
		fprintf(stderr, "stowage: %s: the program could not be written\n", src->path);
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

bool
program_write(struct arena *a, const char *dir, const char *name, const struct text *t)
{
	const char *path = dir ? arena_printf(a, "%s/%s", dir, name) : name;
	const char *fresh = arena_printf(a, "%s.%ld.new", path, (long)getpid());
	FILE *f = fopen(fresh, "w");
	bool good;

	if (!f)
		return failed(path);
	good = fwrite(t->s, 1, t->n, f) == t->n;
	good &= fclose(f) == 0;
	if (good && rename(fresh, path) == 0)
		return true;
	failed(path);
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
