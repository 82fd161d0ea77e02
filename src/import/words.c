/* Names for a spec, made of those of a source. */
#include "import/writer.h"

#include <ctype.h>
#include <string.h>

#include "lang/expand.h"

static bool
is_one_of(const char *words, const char *s)
{
	size_t n = strlen(s), k;

	for (; words && *words; words += k + (words[k] == ' ')) {
		k = strcspn(words, " ");
		if (k == n && memcmp(words, s, n) == 0)
			return true;
	}
	return false;
}

/* Is it what an attribute may be, such as pad=same? There it would be taken for what has that
 * name. */
static bool
is_choice(const char *s)
{
	int i, k;

	for (i = 0; i < op_count; i++)
		for (k = 0; k < op_nattrs(op_table[i]); k++)
			if (is_one_of(op_table[i]->attrs[k].choices, s))
				return true;
	return false;
}

bool
word_is_free(const char *s)
{
	static const char *const keyword[] = { "and", "block", "device", "else", "false", "if", "input", "lint",
		"loss", "metric", "network", "not", "or", "param", "target", "then", "train", "true", "use", "validate",
		"in", "index", "out", "f32", "u8", "tokens", "class" };
	size_t i;

	for (i = 0; i < sizeof(keyword) / sizeof(*keyword); i++)
		if (strcmp(s, keyword[i]) == 0)
			return false;
	return !op_find(s) && !std_block(s) && !is_function(s) && !is_choice(s);
}

/* Letters, digits and underscores; what else there is becomes one. */
static char *
sanitised(struct arena *a, const char *s)
{
	char *t = arena_printf(a, "%s%s", isalpha((unsigned char)*s) || *s == '_' ? "" : "x", s), *c;

	for (c = t; *c; c++)
		if (!isalnum((unsigned char)*c) || (unsigned char)*c > 127)
			*c = '_';
	if (strlen(t) > 60)
		t[60] = '\0';
	return t;
}

const char *
word_fresh(struct arena *a, struct map *words, const char *s)
{
	const char *base = sanitised(a, s), *word = base, *key;
	int *last;

	if (!word_is_free(word) || map_get(words, word)) {
		key = arena_printf(a, "%s ", base);	/* no word: it has the last number that was given */
		if (!(last = map_get(words, key))) {
			last = ARENA_NEW(a, int);
			*last = 1;
			map_put(a, words, key, last);
		}
		do
			word = arena_printf(a, "%s_%d", base, ++*last);
		while (!word_is_free(word) || map_get(words, word));
	}
	map_put(a, words, word, (void *)"");
	return word;
}

const char *
step_label(struct arena *a, const struct step *s, const char *prefix)
{
	size_t n = strlen(prefix);
	const char *rest = s->path;

	if (s->nweights == 0 || s->nin == 0 || s->again || !*rest)
		return NULL;
	if (n > 0) {
		if (strncmp(rest, prefix, n) != 0 || rest[n] != '.')
			return NULL;
		rest += n + 1;
	}
	if (!isalpha((unsigned char)*rest) || (n == 0 && strchr(rest, '.')))
		return NULL;
	rest = sanitised(a, rest);
	return word_is_free(rest) ? rest : NULL;
}
