/*
 * All that a finding can belong to, in one list: the rules of the language (language_rules.c),
 * which have no check of their own and whose id is their name, then those of rule_table. `explain`,
 * SARIF, completion and stowage-rules(7) read it.
 */
#ifndef STOWAGE_LINT_CATALOG_H
#define STOWAGE_LINT_CATALOG_H

#include "lint/rule.h"

extern const struct rule language_rules[];
extern const int language_rule_count;

const struct rule	*rule_at(int i);		/* NULL after the last */
int			 rule_index(const char *name);	/* by name or id; -1 when unknown */
int			 rule_table_index(int i);	/* of rule_table[i] */
const struct rule	*rule_find(const char *name);	/* of rule_table, by name or id; or NULL */
const char		*family_name(enum family);
bool			 rule_is_language(const struct rule *);
/* Can it be suppressed, ignored, made an error? All can but the errors of the language; of a
 * language rule with also_warns, its warnings can. */
bool			 rule_has_level(const struct rule *);

#endif
