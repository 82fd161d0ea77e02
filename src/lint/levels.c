/* The levels of rules: words, and layers of them. */
#include "lint/levels.h"

#include <string.h>

#include "base/text.h"
#include "lint/catalog.h"

#define MOST_NAMES	1000

static const struct {
	const char *key;
	enum level level;
} keys[] = {
	{ "select", LEVEL_OWN },
	{ "ignore", LEVEL_OFF },
	{ "note", LEVEL_NOTE },
	{ "warning", LEVEL_WARNING },
	{ "error", LEVEL_ERROR },
};

#define KEYS	((int)(sizeof(keys) / sizeof(keys[0])))

bool
level_key(const char *key, struct level_word *w)
{
	int i;

	for (i = 0; i < KEYS; i++)
		if (strcmp(keys[i].key, key) == 0) {
			w->level = keys[i].level;
			w->select = keys[i].level == LEVEL_OWN;
			return true;
		}
	return false;
}

const char *
level_name(enum level l)
{
	static const char *const name[] = {
		[LEVEL_OWN] = "on", [LEVEL_OFF] = "off", [LEVEL_NOTE] = "note",
		[LEVEL_WARNING] = "warning", [LEVEL_ERROR] = "error",
	};

	return name[l];
}

const char *
level_word_name(int i)
{
	const struct rule *r;
	int k;

	if (i == 0)
		return "all";
	if (--i < FAMILIES)
		return family_name((enum family)i);
	for (i -= FAMILIES, k = 0; (r = rule_at(k)); k++)
		if (rule_has_level(r) && i-- == 0)
			return r->name;
	return NULL;
}

static const char *
near_word(const char *word)
{
	const char *candidate[MOST_NAMES], *name;
	int n;

	for (n = 0; n < MOST_NAMES && (name = level_word_name(n)); n++)
		candidate[n] = name;
	return text_nearest(word, candidate, n);
}

bool
selection_read(struct arena *a, const char *word, struct selection *s, const char **why,
    const char **near)
{
	int i;

	*near = NULL;
	if (strcmp(word, "all") == 0) {
		*s = (struct selection){ .kind = SELECT_ALL };
		return true;
	}
	for (i = 0; i < FAMILIES; i++)
		if (strcmp(word, family_name((enum family)i)) == 0) {
			*s = (struct selection){ SELECT_FAMILY, i };
			return true;
		}
	if ((i = rule_index(word)) < 0) {
		*near = near_word(word);
		*why = arena_printf(a, "no rule or family is called '%s'", word);
		return false;
	}
	if (!rule_has_level(rule_at(i))) {
		*why = arena_printf(a, "'%s' is an error of the language, which stays one", word);
		return false;
	}
	*s = (struct selection){ SELECT_RULE, i };
	return true;
}

const char *
selection_name(const struct selection *s)
{
	return s->kind == SELECT_ALL ? "all" : s->kind == SELECT_FAMILY ?
	    family_name((enum family)s->index) : rule_at(s->index)->name;
}

const struct level_word *
level_conflict(const struct level_layer *layer, const struct level_word *w)
{
	int i;

	for (i = 0; i < layer->words.n; i++) {
		const struct level_word *v = &layer->words.v[i];

		if (v->what.kind == w->what.kind && v->what.index == w->what.index &&
		    !v->select && !w->select && v->level != w->level)
			return v;
	}
	return NULL;
}

void
level_say(struct arena *a, struct level_layer *layer, const struct level_word *w)
{
	int i;

	for (i = 0; i < layer->words.n; i++) {
		const struct level_word *v = &layer->words.v[i];

		if (v->what.kind == w->what.kind && v->what.index == w->what.index &&
		    v->select == w->select && v->level == w->level)
			return;
	}
	vec_push(a, &layer->words, *w);
}

struct levels *
levels_new(struct arena *a)
{
	struct levels *l = ARENA_NEW(a, struct levels);
	int n = 0;

	while (rule_at(n))
		n++;
	l->rule = arena_array(a, (size_t)n + 1, sizeof(*l->rule));
	return l;
}

/* Are these among what the word stands for? The words "all" and of families mean the rules alone,
 * not the language's warnings. */
static bool
is_meant(const struct selection *s, int i)
{
	const struct rule *r = rule_at(i);

	if (s->kind == SELECT_RULE)
		return s->index == i;
	return !rule_is_language(r) &&
	    (s->kind == SELECT_ALL || r->family == (enum family)s->index);
}

static void
select_only(struct levels *l, const struct level_layer *layer, int i)
{
	const struct level_word *any = NULL, *w;
	int k;

	for (k = 0; k < layer->words.n; k++) {
		w = &layer->words.v[k];
		if (!w->select)
			continue;
		any = w;
		if (!is_meant(&w->what, i))
			continue;
		if (l->rule[i].level == LEVEL_OFF)
			l->rule[i] = (struct level_of){ LEVEL_OWN, w->from, w->option };
		return;
	}
	if (any && !rule_is_language(rule_at(i)))
		l->rule[i] = (struct level_of){ LEVEL_OFF, any->from, any->option };
}

void
levels_apply(struct levels *l, const struct level_layer *layer)
{
	int kind, i, k;

	for (i = 0; rule_at(i) && layer->words.n; i++) {
		select_only(l, layer, i);
		for (kind = SELECT_ALL; kind <= SELECT_RULE; kind++)
			for (k = 0; k < layer->words.n; k++) {
				const struct level_word *w = &layer->words.v[k];

				if (!w->select && (int)w->what.kind == kind &&
				    is_meant(&w->what, i))
					l->rule[i] = (struct level_of){ w->level, w->from,
						w->option };
			}
	}
}

bool
level_is_off(const struct levels *l, int rule)
{
	return l && rule >= 0 && l->rule[rule].level == LEVEL_OFF;
}

enum severity
level_severity(const struct levels *l, int rule, enum severity own)
{
	switch (l && rule >= 0 ? l->rule[rule].level : LEVEL_OWN) {
	case LEVEL_NOTE:
		return SEV_NOTE;
	case LEVEL_WARNING:
		return SEV_WARNING;
	case LEVEL_ERROR:
		return SEV_ERROR;
	case LEVEL_OWN:
	case LEVEL_OFF:
		break;
	}
	return own;
}
