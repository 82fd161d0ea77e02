/* The list of all that a finding can belong to. */
#include "lint/catalog.h"

#include <string.h>

const struct rule *
rule_at(int i)
{
	return i < language_rule_count ? &language_rules[i] : rule_table[i - language_rule_count];
}

int
rule_index(const char *name)
{
	const struct rule *r;
	int i;

	for (i = 0; (r = rule_at(i)); i++)
		if (r->name == name || strcmp(r->name, name) == 0 || strcmp(r->id, name) == 0)
			return i;
	return -1;
}

int
rule_table_index(int i)
{
	return language_rule_count + i;
}

bool
rule_is_language(const struct rule *r)
{
	return r->family == FAMILY_LANGUAGE;
}

bool
rule_has_level(const struct rule *r)
{
	return !rule_is_language(r) || r->severity != SEV_ERROR || r->also_warns;
}

const struct rule *
rule_find(const char *name)
{
	int i;

	for (i = 0; rule_table[i]; i++)
		if (strcmp(rule_table[i]->name, name) == 0 || strcmp(rule_table[i]->id, name) == 0)
			return rule_table[i];
	return NULL;
}

const char *
family_name(enum family f)
{
	static const char *const name[] = {
		[FAMILY_MEMORY] = "memory", [FAMILY_HYGIENE] = "hygiene",
		[FAMILY_TRAINING] = "training", [FAMILY_PORTABILITY] = "portability",
		[FAMILY_LANGUAGE] = "language",
	};

	return name[f];
}
