/*
 * What would make the wanted batch fit: edits of the spec, each one compiled and planned, so that
 * what is promised is what the edited spec takes. First come those after which it fits, and among
 * them those for which a program can be built; then the order is by harm, then by bytes saved.
 */
#ifndef STOWAGE_FIT_ADVICE_H
#define STOWAGE_FIT_ADVICE_H

#include "base/edit.h"
#include "amend/amend.h"
#include "fit/fit_answer.h"

/* What training loses by an edit, least first. */
enum harm {
	HARM_NONE,	/* the same update, up to the order of sums */
	HARM_TIME,	/* the same results, later */
	HARM_ROUNDING,	/* numbers of fewer bits */
	HARM_STATISTICS,	/* batch normalisation sees fewer samples */
	HARM_TRAINING,	/* another course of training */
	HARM_LAYERS,	/* layers that are not trained */
	HARM_DATA,	/* other data */
	HARMS
};

const char	*harm_name(enum harm);	/* "none", "time", ... */

#define MOST_STEPS	10	/* kinds of edits together in one */

struct advice_kind;

struct advice_step {
	const struct advice_kind *kind;
	int64_t value;
};

struct advice {
	const char *kind;	/* "accumulate", "accumulate+recompute" */
	const char *title;	/* "accumulate 8 micro-batches of 32" */
	const char *note;	/* what to know of it, in lines */
	enum harm harm;
	int steps;
	struct edits *edits;
	const char *patch;	/* a unified diff */
	int64_t arena, saved;
	bool never;		/* it does not fit, and no run that is edited so does, as the judge knows */
	int64_t extra_flops;	/* of an update, per as many samples as now; below 0: fewer */
	bool fits;		/* the edited spec does */
	int64_t batch;		/* its micro-batch, or the largest that fits; 0: none does */
	bool proved;		/* that that is the largest */
};

struct advisor {
	struct arena *arena;
	struct module *module;	/* as the spec says it, planned */
	const struct file *file;
	const struct lang_options *options;
	const struct fit *fit;
	int64_t batch;		/* the micro-batch of MODULE, where the spec has another; else 0 */
	/* Another judge than the plan: bytes that a module takes there, INT64_MAX where unknown,
	 * and which single edits it can weigh. NULL: the plan's bytes, and all edits. */
	int64_t (*takes)(const struct module *, const void *context);
	bool (*offered)(const char *kind, const void *context);
	bool (*never_fits)(const struct module *, const void *context);	/* whatever it takes; NULL: not known */
	const void *context;
	bool batch_statistics;	/* the network normalises over the batch */
	struct trials *trials;	/* made so far */
	bool cut_short;		/* a search of a trial was, which then told nothing */
	bool whole;		/* one that was got all that a plan may do */
	enum harm least;	/* of single edits that keep the update and make it fit */
	VEC(struct advice) all;
};

/* Fills ALL from the other members. */
void	advise(struct advisor *);

/* Does a layer take statistics from the batch, which fewer samples at once would change? */
bool	advice_normalises(const struct module *);

/* ---- advice_kinds.c ---- */

struct advice_kind {
	const char *name;
	enum harm harm;
	bool keeps_update;	/* of the wanted samples */
	bool splits;		/* makes micro-batches smaller: batch normalisation sees fewer */
	bool sets_batch;	/* in place of the spec's */
	/* The values it may have, from the mildest to that which saves most; none: not for this
	 * network. */
	int64_t *(*values)(struct advisor *, int *n);
	bool (*amend)(struct advisor *, struct amend *, int64_t value);
	const char *(*title)(struct advisor *, int64_t value);
	const char *(*note)(struct advisor *, int64_t value);
};

extern const struct advice_kind advice_kinds[];	/* by harm; ends with name NULL */

/* Micro-batches of so many samples. */
bool	advice_amend_batch(struct advisor *, struct amend *, int64_t value);

/* The divisors of BATCH above FROM, in order. */
int64_t	*divisors_above(struct arena *, int64_t batch, int64_t from, int *n);

/* The edited spec's module in arena A, without a plan; it may be broken. NULL: not even that. */
struct module	*advice_expand(struct advisor *, struct arena *, struct edits *);

#endif
