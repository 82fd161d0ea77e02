/*
 * What a spec freezes. A path for each weight would be long where all batch normalisations lack a
 * scale; so the last two words of a path stand for all that end in them, "*.batchnorm_2.weight",
 * where all of those are frozen.
 */
#include "import/importer.h"

#include <string.h>

struct ending {
	int all, frozen;
	bool said;
};

/* The last two of at least three words; NULL: there are fewer. */
static const char *
ending_of(const char *path)
{
	const char *s = strrchr(path, '.');

	if (!s || s == path)
		return NULL;
	while (s > path && s[-1] != '.')
		s--;
	return s > path ? s : NULL;
}

static struct ending *
ending_get(struct arena *a, struct map *endings, const char *path)
{
	const char *s = ending_of(path);
	struct ending *e = s ? map_get(endings, s) : NULL;

	if (s && !e) {
		e = ARENA_NEW(a, struct ending);
		map_put(a, endings, s, e);
	}
	return e;
}

void
frozen_say(struct importer *im, const struct module *m)
{
	struct map endings = { 0 };
	struct ending *e;
	int i;

	for (i = 0; i < m->persistent.n; i++)
		if ((e = ending_get(im->arena, &endings, m->persistent.v[i]->name)))
			e->all++;
	for (i = 0; i < im->frozen.n; i++)
		if ((e = ending_get(im->arena, &endings, im->frozen.v[i])))
			e->frozen++;
	im->freeze.n = 0;
	for (i = 0; i < im->frozen.n; i++) {
		const char *path = im->frozen.v[i];

		e = ending_get(im->arena, &endings, path);
		if (e && e->all > 1 && e->frozen == e->all) {
			if (e->said)
				continue;
			e->said = true;
			path = arena_join(im->arena, "*", ".", ending_of(path));
		}
		vec_push(im->arena, &im->freeze, path);
	}
}
