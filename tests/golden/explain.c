/*
 * Logs explained one after the other, each as `stowage autopsy LOG` explains it: two thousand starts of a program take
 * most of the time that their answers would.
 *
 *     explain FOLDER LOG...	for each NAME.txt prints the status that the command would end with, whether its answer is what NAME.out
 *				has, and NAME; where it is not, FOLDER/NAME.out is the answer
 *     explain --json LOG...	prints the answers for programs, each with its NAME ahead of it on a line, and a NUL behind it
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
checked(FILE *f, const char *path)
{
	if (f)
		return f;
	perror(path);
	exit(2);
}

static void
explain(struct arena *a, struct autopsy *y, const char *log)
{
	FILE *f = checked(fopen(log, "rb"), log);

	y->log_path = log;
	oom_log_read(&y->log, a, read_file, f);
	fclose(f);
	autopsy_explain(a, y, NULL);
}

static bool
is_in(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "rb");
	size_t i = 0;
	int c = EOF;

	while (f && (c = getc(f)) != EOF && i < n && c == (unsigned char)text[i])
		i++;
	if (f)
		fclose(f);
	return f && c == EOF && i == n;
}

static void
compare(struct arena *a, struct autopsy *y, const char *folder, const char *name)
{
	char *text = NULL;
	size_t n = 0;
	bool same;

	y->out = checked(open_memstream(&text, &n), "memory");
	autopsy_text(y);
	fclose(y->out);
	same = is_in(arena_printf(a, "%s.out", name), text, n);
	if (!same) {
		const char *path = arena_printf(a, "%s/%s.out", folder, name);
		FILE *f = checked(fopen(path, "wb"), path);

		fwrite(text, 1, n, f);
		fclose(f);
	}
	free(text);
	printf("%d %s %s\n", !(y->main || y->log.dump.any), same ? "same" : "differs", name);
}

int
main(int argc, char **argv)
{
	struct arena *a = arena_new();
	int i;

	if (!a || argc < 2)
		return 2;
	for (i = 2; i < argc; i++) {
		struct autopsy *y = ARENA_NEW(a, struct autopsy);
		const char *name = arena_strndup(a, argv[i], strcspn(argv[i], "."));

		explain(a, y, argv[i]);
		if (strcmp(argv[1], "--json") == 0) {
			printf("%s\n", name);
			y->out = stdout;
			autopsy_json(y);
			putchar('\0');
		} else
			compare(a, y, argv[1], name);
		arena_reset(a);
	}
	arena_free(a);
	return 0;
}
