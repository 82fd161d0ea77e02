/* Lines of what is pasted beside a log, read one after the other. */
#ifndef TESTS_UNIT_OOM_LINES_H
#define TESTS_UNIT_OOM_LINES_H

#include <string.h>

#include "oom/oom_paste.h"

static struct oom_paste
read_lines(const char *text)
{
	struct oom_paste p = { 0 };
	struct arena *a = arena_new();
	struct lexicon *l = lexicon_new(a);
	struct oom_sources sources = { 0 };
	int line = 1;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		struct talk t = lexicon_read(l, text, strcspn(text, "\n"));

		oom_paste_line(&p, t, line++, oom_source_of(&sources, t), false);
	}
	arena_free(a);
	return p;
}

#endif
