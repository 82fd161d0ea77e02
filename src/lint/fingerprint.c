/* Fingerprints: FNV-1a, whose result is the same on every machine. */
#include "lint/fingerprint.h"

#include <string.h>

#include "base/fnv.h"

#define LONGEST_LINE	4096

/* Blanks are left out, so that another indentation makes no new findings. */
static uint64_t
hash_text(uint64_t h, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (s[i] != ' ' && s[i] != '\t' && s[i] != '\r')
			h = fnv_add(h, &s[i], 1);
	return fnv_add(h, "\n", 1);
}

uint64_t
fingerprint(const char *path, const struct diag *g)
{
	uint64_t h = hash_text(FNV_BEGIN, g->rule, strlen(g->rule));
	const char *line;
	int length;

	h = hash_text(h, path, strlen(path));
	if (!g->loc.src)
		return hash_text(h, g->message, strlen(g->message));
	line = source_line(g->loc.src, loc_line(g->loc), &length);
	/* a line may be the whole file: then hash only the text of the finding's own place */
	if (length > LONGEST_LINE)
		return hash_text(h, g->loc.src->text + g->loc.beg,
		    (size_t)(g->loc.end - g->loc.beg));
	return hash_text(h, line, (size_t)length);
}
