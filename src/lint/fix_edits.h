/*
 * What rules' fixes share. Each of these hangs a fix on a finding where the text lets it, and does
 * nothing where not: in files that the spec uses, in blocks that several networks share, where a
 * comment would be lost. The fix is SAFE where the spec computes the same with it: the same graph,
 * with the same paths; `lint --fix` proves that of each before it writes. TITLE is an order, "leave
 * the softmax out".
 */
#ifndef STOWAGE_LINT_FIX_EDITS_H
#define STOWAGE_LINT_FIX_EDITS_H

#include "amend/amend.h"
#include "amend/cut.h"
#include "lint/rule.h"

/* The layer at a place (a node's) is taken out, is given an argument, gets another one behind. */
void	fix_take_out(struct lint *, struct diag *, struct loc, const char *title);
void	fix_argument(struct lint *, struct diag *, struct loc, const char *name, const char *value,
	    const char *title);
void	fix_behind(struct lint *, struct diag *, struct loc, const char *layer, const char *title);

/* A setting of the network gets a value; a new one stands behind the setting AFTER, or last. */
void	fix_setting(struct lint *, struct diag *, bool safe, enum section_kind, const char *key,
	    const char *value, const char *after, const char *title);

/* For several settings: begin, change with amend/amend.h, end. False where the settings are not the
 * network's alone. */
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
