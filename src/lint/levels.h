/*
 * How severe the findings of each rule are, according to the project file, the spec and the command
 * line. Later layers override earlier ones:
 *
 *     the rules' own severities  <  .stowage  <  its lint "PATTERN" sections, in order
 *         <  the spec's lint section  <  the command line
 *
 * Within a layer `select` comes first and leaves nothing but what it names; then `ignore`, `note`,
 * `warning` and `error` say what they say, of all rules, of a family, of a rule: the narrower one
 * wins, whatever the order. Errors of the language have no level; its warnings do.
 */
#ifndef STOWAGE_LINT_LEVELS_H
#define STOWAGE_LINT_LEVELS_H

#include "lint/rule.h"

enum level { LEVEL_OWN, LEVEL_OFF, LEVEL_NOTE, LEVEL_WARNING, LEVEL_ERROR };

struct level_of {
	enum level level;
	struct loc from;	/* the word that says so; NULL source: */
	const char *option;	/* the option; NULL: the rule itself */
};

struct levels {			/* of one file */
	struct level_of *rule;	/* by rule_index() */
};

/* What one word stands for. */
struct selection {
	enum { SELECT_ALL, SELECT_FAMILY, SELECT_RULE } kind;
	int index;		/* of the family or rule */
};

struct level_word {		/* ignore "last-batch" */
	struct selection what;
	bool select;		/* or: */
	enum level level;
	struct loc from;
	const char *option;
};

struct level_layer {
	VEC(struct level_word) words;
};

/* The keys of a lint section, and options, that make words: select, ignore, note, warning, error.
 * False: KEY is none of them. */
bool	level_key(const char *key, struct level_word *);

/* "all", a family, a rule's name or id. Where it is none that has a level, what is wrong with it,
 * in *WHY, and *NEAR, which may be NULL: the next nearest word. */
bool	selection_read(struct arena *, const char *word, struct selection *, const char **why,
	    const char **near);
const char	*selection_name(const struct selection *);
const char	*level_word_name(int i);	/* all such words; NULL after the last */

/* Adds a word to a layer, unless it says so already. */
void	level_say(struct arena *, struct level_layer *, const struct level_word *);

/* The word of a layer that says something else of the same rules; NULL: none. */
const struct level_word	*level_conflict(const struct level_layer *, const struct level_word *);

struct levels	*levels_new(struct arena *);
void	levels_apply(struct levels *, const struct level_layer *);

/* LEVELS may be NULL: all rules are as they are. */
bool	level_is_off(const struct levels *, int rule);
enum severity	level_severity(const struct levels *, int rule, enum severity own);
const char	*level_name(enum level);

#endif
