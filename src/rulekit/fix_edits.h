/*
 * What rules' fixes share. Each function attaches a fix to a finding if the text allows it, and
 * does nothing otherwise: in files that the spec uses, in blocks that several networks share, where
 * a comment would be lost.
 *
 *     fix_take_out()    removes a layer: from its pipe with its arrow, or from around its operand
 *     fix_argument()    gives a call bias=false
 *     fix_number()      changes a number that a call was given, by name or not
 *     fix_behind()      adds a layer after a layer
 *     fix_setting()     gives a setting a value; fix_amend() if it takes several
 *     fix_freeze()      freezes layers
 *
 * Underneath are cut.h (statements with their lines, arguments, parameters with everything that is
 * passed for them) and amend.h (settings), which change only their own bytes.
 *
 * A fix is SAFE if the spec computes the same with it: the same graph, with the same paths; `lint
 * --fix` proves that for each before it writes. Everything else is unsafe, including changes that only
 * checkpoints would notice, and every guess. A layer in a block is many nodes: if some of them are
 * fine, the text stays (fix_spare()). TITLE is an imperative: "leave the softmax out".
 */
#ifndef STOWAGE_RULEKIT_FIX_EDITS_H
#define STOWAGE_RULEKIT_FIX_EDITS_H

#include "amend/amend.h"
#include "amend/cut.h"
#include "lint/rule.h"

/* Removes the layer at a node's place; gives it an argument; puts another layer behind it. */
void	fix_take_out(struct lint *, struct diag *, struct loc, const char *title);
void	fix_argument(struct lint *, struct diag *, struct loc, const char *name, const char *value,
	    const char *title);
void	fix_number(struct lint *, struct diag *, struct loc, struct loc number, const char *value,
	    const char *title);
void	fix_behind(struct lint *, struct diag *, struct loc, const char *layer, const char *title);

/* Sets a setting of the network; a new one goes behind the setting AFTER, or last. */
void	fix_setting(struct lint *, struct diag *, bool safe, enum section_kind, const char *key,
	    const char *value, const char *after, const char *title);

/* For several settings: begin, change with amend/amend.h, end. False if other networks share the
 * settings. */
bool	fix_amend(struct lint *, struct amend *);
void	fix_amended(struct lint *, struct diag *, bool safe, struct amend *, const char *title);

/* Freezes the layers that NAMES, parameters' paths, begin with; those that EXCEPT do are not. Does
 * nothing where the same layer begins both. */
struct fix_names {
	const char **v;
	int n, cap;
};

void	fix_freeze(struct lint *, struct diag *, const struct fix_names *names,
	    const struct fix_names *except, const char *title);

#endif
