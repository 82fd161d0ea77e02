/*
 * What would the plan be if the spec said something else? Answers are never estimated: the passes
 * run again on the spec's forward graph with other settings, or on what an edited spec becomes, and
 * the new plan's bytes are read. What is planned for one network is bounded (passes/passes.h): the
 * batch that fits is always found, but other questions have no answer once that is used up.
 */
#ifndef STOWAGE_FIT_WHATIF_H
#define STOWAGE_FIT_WHATIF_H

#include "base/edit.h"
#include "ir/ir.h"
#include "lang/expand.h"

/* A second module, planned for M's target and threads under SET; NULL when that has no plan, or is
 * too much to plan. M is as before afterwards. It lies in passes_scratch(). Searches share what
 * they may do with all other questions of M, and so may be cut short. */
struct module	*whatif(struct module *, const struct settings *set);
/* The same, planned as if the spec said so, with all that its searches may do. */
struct module	*whatif_spec(struct module *, const struct settings *set);

/* What becomes of the network NAME in the edited spec, in that arena, not planned; it may be
 * broken. NULL: not even that. OPTIONS are those that the spec was loaded with; NULL: none. */
struct module	*whatif_expand(struct arena *, const struct edits *, const char *name,
		    const struct lang_options *);
/* The same for M's network, planned as M was and at its batch, in passes_scratch(); NULL when the
 * edited spec has an error or no plan, or is too much to plan. */
struct module	*whatif_edited(struct module *, const struct edits *,
		    const struct lang_options *);

/* Settings with micro-batches of BATCH samples, all else equal: accumulate stays, and validation
 * follows unless the spec says its batch. */
void	whatif_micro_batch(struct settings *, int64_t batch);

/* The module planned at that micro-batch, in arena A, or NULL; and the bytes of that plan's arena,
 * INT64_MAX when there is none. */
struct module	*whatif_at(struct module *, struct arena *a, int64_t batch);
/* The same where what to make again is searched for, until something fits: as far as for one plan
 * alone, and no further than WORK, of which it takes what it does. What all such of M may do
 * together: whatif_work(). And which micro-batch to ask for: about the most, up to MOST, for which
 * LIMIT may be enough, without a plan. */
struct module	*whatif_searched(struct module *, struct arena *a, int64_t batch, int64_t *work);
int64_t	*whatif_work(const struct module *);
int64_t	whatif_reach(struct module *, int64_t limit, int64_t most);
int64_t	whatif_batch(struct module *, int64_t batch);

#endif
