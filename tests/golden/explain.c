/*
 * Logs explained one after the other, each as `stowage autopsy LOG` explains it: two thousand starts of a program take
 * most of the time that their answers would.
 *
 *     explain FOLDER LOG...	for each NAME.txt writes FOLDER/NAME.out, for people, and FOLDER/NAME.json, for programs, and prints
 *				the status that the command would end with, whether the former is what NAME.out has, and NAME
 *
 * It runs in the folder of the logs, as they are told of by their names there.
 */
#include "autopsy/autopsy.h"

#include <stdlib.h>
#include <string.h>

static size_t
read_file(void *context, char *to, size_t room)
{
	return fread(to, 1, room, context);
}

static FILE *
opened(const char *path, const char *how)
{
	FILE *f = fopen(path, how);

	if (f)
		return f;
	perror(path);
	exit(2);
}

static bool
same(const char *path, const char *other)
{
	FILE *f = fopen(path, "rb"), *g = opened(other, "rb");
	int c = f ? 0 : EOF, d = 0;

	while (f && c == d && c != EOF) {
		c = getc(f);
		d = getc(g);
	}
	fclose(g);
	if (f)
		fclose(f);
	return f && c == d;
}

static void
explain(struct arena *a, const char *folder, const char *log)
{
	struct autopsy *y = ARENA_NEW(a, struct autopsy);
	const char *name = arena_strndup(a, log, strcspn(log, "."));
	const char *text = arena_printf(a, "%s/%s.out", folder, name);
	FILE *f = opened(log, "rb");

	y->log_path = log;
	oom_log_read(&y->log, a, read_file, f);
	fclose(f);
	autopsy_explain(a, y, NULL);
	y->out = opened(text, "wb");
	autopsy_text(y);
	fclose(y->out);
	y->out = opened(arena_printf(a, "%s/%s.json", folder, name), "wb");
	autopsy_json(y);
	fclose(y->out);
	printf("%d %s %s\n", !(y->main || y->log.dump.any),
	    same(arena_printf(a, "%s.out", name), text) ? "same" : "differs", name);
}

int
main(int argc, char **argv)
{
	struct arena *a = arena_new();
	int i;

	if (!a)
		return 2;
	for (i = 2; i < argc; i++) {
		explain(a, argv[1], argv[i]);
		arena_reset(a);
	}
	arena_free(a);
	return 0;
}
