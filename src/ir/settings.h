/*
 * What train, validate and device blocks say, checked and with defaults filled in
 * (lang/settings.c). All of it is data: the planner and the emitter read it, only options such as
 * --batch change it.
 */
#ifndef STOWAGE_IR_SETTINGS_H
#define STOWAGE_IR_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "precision/precision.h"
#include "target/device.h"

struct op;
struct attr;
struct reader;

enum schedule_kind {
	SCHED_CONSTANT, SCHED_STEP, SCHED_COSINE, SCHED_LINEAR, SCHED_POLYNOMIAL, SCHED_INVERSE_SQRT,
	SCHED_ONECYCLE, SCHED_PLATEAU
};

#define MOST_PIECES	8

struct duration {		/* "5 epochs" or "2000 steps" */
	double count;
	bool epochs;
};

struct schedule {
	enum schedule_kind kind;
	struct duration warmup;	/* linear from 0; count 0: none */
	struct duration every;	/* step: multiply by gamma after each; */
	struct duration at[MOST_PIECES];	/* or after these alone, in their order */
	int pieces;
	double gamma;
	double floor;		/* final lr as a fraction of the first */
	double power;		/* polynomial */
	double start, rise;	/* onecycle: first lr as a fraction of the highest; for which share of training
				 * it rises */
	double patience, threshold, cooldown;	/* plateau: epochs, share, epochs */
};

struct data_source {
	const struct reader *reader;	/* readers/reader.h; NULL: there are no data */
	const char *file[8];	/* one for each input, then each target; or one for all of them */
	int nfiles;
	const struct attr *attr;	/* by reader->attrs: what follows, and what only it has */
	double scale;		/* inputs are multiplied by this when read */
	int64_t skip_every;	/* leave out rows whose index is 0 modulo this; 0: none */
	int64_t keep_every;	/* use only those rows; 0: all */
	int64_t samples;	/* how many there are, where the spec says that; else 0 */
	struct loc loc;
};

enum recompute_kind {
	RECOMPUTE_CHEAP,	/* element-wise work, where that lowers the peak */
	RECOMPUTE_NONE,
	RECOMPUTE_AUTO,		/* whatever it takes to stay within the budget */
	RECOMPUTE_PATTERN	/* the layers named, and element-wise work elsewhere */
};

enum objective {
	OBJECTIVE_AUTO,		/* speed where the device is a card that is known, else memory */
	OBJECTIVE_MEMORY,	/* least bytes */
	OBJECTIVE_SPEED		/* the fastest plan that fits */
};

enum chunk_kind {
	CHUNK_AUTO,		/* where that lowers the arena */
	CHUNK_NONE,
	CHUNK_SPLIT		/* in any case */
};

struct pattern {		/* of dotted paths: a segment or * for any one */
	const char *text;
	struct loc loc;
};

struct param_group {		/* parameters that are updated otherwise than most; no_decay holds of them too */
	bool has_lr, has_decay;	/* else as the optimizer says */
	double lr, decay;
	int patterns;		/* how many paths name them */
};

struct placement {		/* place LAYERS on RANK: whose paths so many patterns name */
	int64_t rank;
	int patterns;
	struct loc loc;
};

#define MOST_TURNS	16
#define MOST_RANKS	65536
#define MOST_BATCH_PARTS	1024	/* of a batch, for sums that are the same to the bit */
#define USUAL_PARTS	8

enum shard_kind {		/* what ranks share out, of each tensor a piece to each; each has what those before it have */
	SHARD_NONE,
	SHARD_OPTIMIZER,	/* the optimizer's state, and the update by it */
	SHARD_GRADIENTS,	/* the sums of gradients, from backward on */
	SHARD_PARAMETERS,	/* parameters themselves, but while a layer reads them */
	SHARDS
};

const char	*shard_name(int);	/* as specs say it; NULL: there is none of that number */

/* Where a step is several updates, one after the other: which losses move which parameters, and
 * how. Each is made with the weights as those before it left them (passes/turns.c). */
struct turn {
	const char *const *loss;	/* names of the graph's results; they add up */
	int nlosses;
	const struct op *optimizer;
	struct attr *optimizer_attr;
	int patterns;		/* how many paths name its parameters */
	int64_t every;		/* it is made in the first step, and in one of so many from there on */
	struct loc loc;
};

bool	turn_has_loss(const struct turn *, const char *result);

struct settings;
/* Is there an update that most steps leave out? */
bool	settings_leave_out(const struct settings *);
/* The processes that train together: 1 where one trains alone. */
int64_t	settings_ranks(const struct settings *);
/* By how many of them samples are shared out: 1 where they split layers instead, or are stages,
 * each of which has all samples. */
int64_t	settings_data_ranks(const struct settings *);
/* The optimizer that looks at more of a parameter than a rank's piece of it, so that its state
 * cannot be shared out; NULL: none does, each weight is updated by itself, or by sums that ranks
 * can add up. */
const struct op	*settings_unshared(const struct settings *);
/* Does an optimizer take norms of parameters? */
bool	settings_adds_up_norms(const struct settings *);
#define NORM_PIECES	64	/* of each gradient or parameter, whose squares are added up: CLIP_PARTS of kernels/update/clip.cu */
/* Can what it trains be shared out in pieces? Norms that are to be the same to the bit (parts) only
 * to as many ranks as they have pieces. */
bool	settings_may_share_out(const struct settings *);
/* Into how many pieces the optimizer's state of a parameter is shared out; 1: it is not. */
int64_t	settings_shards(const struct settings *);
/* Do gradients live on from backward to an update that waits for all of them, or for other
 * micro-batches? */
bool	settings_keep_gradients(const struct settings *);
/* Do ranks share that out? */
bool	settings_share_out(const struct settings *, enum shard_kind);
/* So many stages, a rank each, through which micro-batches go one after the other
 * (passes/stages.c); 1: there are none. */
int64_t	settings_stages(const struct settings *);
/* How many micro-batches have been through this stage's forward and not its backward, at most;
 * settings->stage says which. */
int64_t	settings_slots(const struct settings *);
/* Into how many the batch of an update is divided: micro-batches, each shared out to the ranks that
 * share samples. */
int64_t	settings_shares(const struct settings *);
/* The samples of a micro-batch that one rank has. */
int64_t	settings_rank_batch(const struct settings *);	/* a rank's share of an update */
int64_t	settings_micro_batch(const struct settings *);

/* Enough to split long sums. */
#define DEFAULT_WORKSPACE	((int64_t)4 << 20)

struct settings {
	bool train;		/* the spec has a loss, so there is something to train */
	int64_t batch;		/* samples per update */
	int64_t accumulate;	/* micro-batches per update; settings_micro_batch() is B */
	struct loc batch_loc;
	int64_t ranks;		/* processes that train together, each on a share of every micro-batch; 0: one alone */
	struct loc ranks_loc;
	bool splits;		/* some layers say split=ranks (ir/split.h): these are shared out, and no samples */
	struct placement *place;	/* layers that are placed on ranks: these are stages */
	int nplaces;
	struct pattern *place_pattern;	/* of all of them, in their order */
	int nplace_patterns;
	int64_t stage;		/* the rank that this is the plan of, from 0 */
	/* Not 0: an update is made of so many parts of the batch, a power of two, each by itself,
	 * and their gradients are added up in a binary tree, so that any number of ranks that
	 * divides it has the same bits. Then accumulate is what each rank has of them. */
	int64_t parts;
	struct loc parts_loc;
	bool any_order;		/* a library may add up in another order each time, where that is faster */
	enum shard_kind shard;
	struct loc shard_loc;
	struct duration length;	/* of training: epochs or steps */
	const struct precision *precision;
	struct loc precision_loc;
	const struct op *optimizer;	/* an operator of kind OP_OPTIMIZER */
	struct attr *optimizer_attr;
	struct loc optimizer_loc;
	struct pattern *no_decay;
	int nno_decay;
	struct param_group *group;
	int ngroups;
	struct pattern *group_pattern;	/* of all groups, in their order */
	int ngroup_patterns;
	struct turn *turn;	/* none: one update, of all parameters by the sum of all losses */
	int nturns;
	struct pattern *turn_pattern;	/* of all turns, in their order */
	int nturn_patterns;
	struct loc turns_loc;
	struct schedule schedule;
	double clip;		/* global norm; 0: none */
	struct pattern *freeze;
	int nfreeze;
	enum recompute_kind recompute;
	struct loc recompute_loc;
	int64_t recompute_budget;	/* AUTO: bytes of arena to stay within; 0: the device's */
	struct pattern *recompute_pattern;
	int nrecompute;
	enum objective objective;
	int64_t objective_bytes;	/* SPEED: of arena to stay within; 0: the device's */
	struct loc objective_loc;
	enum chunk_kind chunk_loss;	/* logits made some rows at a time */
	int64_t chunks;		/* SPLIT: how many of them; 0: as many as AUTO would make */
	struct loc chunk_loc;
	int64_t workspace;	/* GPU: bytes that a library may have for a product */
	struct data_source data;
	int64_t seed;
	double ema;		/* share kept of weights' running averages; 0: there are none */
	struct loc ema_loc;
	int64_t patience;	/* epochs without a lower loss, after which training ends; 0: it does not */
	bool shuffle;

	int64_t validate_batch;
	bool validate_fixed;	/* the spec says it; else it is the micro-batch, whatever that is */
	bool validate;		/* there is a validate block with data */
	struct data_source validate_data;

	struct device device;
};

#endif
