/*
 * Cures that change what a spec says: its text is edited as a person would edit it, compiled again
 * and planned, so that the bytes a finding promises are those of the edited spec. Where the text
 * does not have the form that an edit expects, or the edited spec has an error (a loss no longer
 * fits its target), there is no plan, and the finding must say something else, or nothing.
 */
#ifndef STOWAGE_RULEKIT_EDITED_SPEC_H
#define STOWAGE_RULEKIT_EDITED_SPEC_H

#include "rulekit/measure.h"

#include "amend/amend.h"

/* Begins with no edit, of the spec's own file. */
void	edited_begin(struct lint *, struct amend *);

/* Is the layer at that place of the spec's file an arm of a pipe, behind "->"? Where its text
 * begins, label and all; -1: it is not. */
int	edited_arm(const struct lint *, struct loc layer);

/* Puts "TEXT -> " before the layer there, which is an arm of a pipe. */
bool	edited_before(const struct lint *, struct amend *, struct loc layer, const char *text);

/* Puts " -> TEXT" behind the first operand of every loss and metric of the network. */
bool	edited_results(const struct lint *, struct amend *, const char *text);

/* Gives what the network declares by itself, an input or target of that name, numbers of another
 * type. */
bool	edited_type(struct amend *, const char *name, const char *type);

/* Where the spec sets that key for the network; OTHERWISE if it does not. */
struct loc	edited_setting(struct lint *, enum section_kind, const char *key,
		    struct loc otherwise);

/* May a rule plan for one more of its findings, which are many in some networks? The first, and
 * more where that is quick. */
bool	edited_affords(const struct lint *, int plans);

/* The edited network, planned like the one that is checked; NULL if it has an error, or no plan, or
 * is one of very many of its file. */
struct module	*edited_plan(struct lint *, struct amend *);

#endif
