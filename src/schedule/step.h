/*
 * The training step as flat arrays, so that orders, and choices of what to make again, can be tried
 * in microseconds: passes that search try thousands. Whoever moves nodes about (schedule/order.c)
 * or lets some run again (schedule/recompute.h) asks here what that does to the peak.
 *
 *     step_model.c    the arrays, made from a graph
 *     step_uses.c     of each node, what does not persist
 *     step_trial.c    one run of the step: which nodes run, and what they use
 *     step_peak.c     who is alive when in it
 *     step_facts.c    what holds of all runs
 *
 * A choice gives every forward tensor a state. Backward runs in its own order; where it reads a
 * tensor that is not there, the nodes that make it run again, just in time:
 *
 *     KEEP    stays from forward to its last use
 *     AGAIN   dies after forward; is made again when first needed, then stays to its last use
 *     EACH    dies after forward, and after each layer of backward for which it was made again
 *
 *     forward a b c d | d' ... c ... b' a'
 *             ^ kept          ^ made again from what was kept
 */
#ifndef STOWAGE_SCHEDULE_STEP_H
#define STOWAGE_SCHEDULE_STEP_H

#include "ir/ir.h"

struct pass_options;

/* How long a trial may get: times the step's own length. */
#define STEP_ONCE	1	/* nothing is made again */
#define STEP_REPEATS	8

enum recompute_state { KEEP, AGAIN, EACH };

struct overwriting {		/* what of op.h counts where an output may lie on an input */
	unsigned inputs : 31;	/* as op->memory.inplace */
	bool elementwise : 1;
};

struct use {			/* of a value that does not persist, in trials */
	int at;			/* operand: an input, or behind them an output */
	int value;
	int root;		/* whose bytes these are; what is made again: -1 - an input, where it is a view of that */
};

struct uses {
	unsigned inplace;	/* inputs that the first output may lie on, as both are what they are */
	int nin, n;		/* inputs come first */
	struct use use[];
};

struct remake {			/* how a node is repeated */
	const struct op *op;	/* its own, or a cheaper one (op->gradient.again) */
	const int *in;		/* values */
	int nin;
	int before;		/* node that changes a weight which it reads, or the end: then it is too late */
	const struct uses *uses;
	struct overwriting over;
	int64_t work;		/* workspace bytes */
	int64_t macs;		/* multiply-adds */
	int64_t traffic;	/* bytes read and written */
};

struct model_node {		/* a deep network has hundreds of thousands */
	const struct node *node;
	const int *in, *out;	/* values; -1: absent */
	int nin, nout;
	struct remake *again;	/* model->once where it is not repeatable */
	int64_t work;
	struct overwriting over;
	const struct uses *uses;
	int stage : 30;		/* backward nodes of one layer have the same */
	bool updates : 1;	/* writes something that persists */
	bool repeatable : 1;
};

struct model_value {
	struct tensor *tensor;
	int64_t size;		/* bytes of a sample where it is batched, else of all of it */
	int64_t bytes;		/* as laid out, aligned */
	int root;		/* the value whose bytes it has by itself: views, updates */
	int def : 28;		/* node, or -1 */
	bool batched : 1;
	bool persistent : 1;
	bool fixed : 1;		/* must be kept: an input, a result, or not repeatable */
	bool settled : 1;	/* its state is the spec's choice, not the search's */
};

struct known_gain {		/* of choices that were planned: bytes that the order of nodes took off their peak */
	int choices;
	int64_t most;
};

struct model {
	struct arena *arena;
	struct graph *g;
	int64_t batch;		/* at which bytes and multiply-adds are counted */
	const struct pass_options *options;
	struct model_node *node;
	struct remake *once;	/* of all nodes that are not repeatable: no work */
	int nnodes, forward;	/* nodes before `forward` are forward's */
	struct model_value *value;
	int nvalues;
	int *result;		/* values read after the step */
	int nresults;
	int repeats;		/* STEP_ONCE or STEP_REPEATS */
	unsigned char *state;	/* by value, of roots: the choice to be tried */
	struct trial *trial;	/* room for one trial */
	int64_t effort;		/* of the descent so far: events of all trials, nodes of estimates */
	int64_t work;		/* of all descents: the same without what was known from before */
	int heft;		/* as how many events of a smaller step one counts, whose arrays are near */
	const struct known_descent *descents;	/* recompute_known.c; of this order, at this batch */
	struct known_gain of_order;	/* recompute_budget.c; the same */
};

/* So many events were gone over. */
static inline void
model_count_work(struct model *m, int64_t events)
{
	m->work += events * m->heft;
}

/* Have both the same size at any batch? */
static inline bool
model_sized_alike(const struct model *m, int a, int b)
{
	return m->value[a].size == m->value[b].size && m->value[a].batched == m->value[b].batched;
}

/* One run of the step under a choice of states. */
struct event {
	int node;
	bool again;
	bool elementwise;
	int in, out;		/* where its values begin in trial->operand */
	int end;		/* and where they end */
	unsigned inplace;	/* inputs that the first output may overwrite, by what these are */
	int64_t work;		/* workspace bytes */
};

struct times {			/* by value, of roots: events */
	int first, last;	/* between which it is alive */
	int last_read;
	int back;		/* first use after forward */
};

struct trial {
	struct event *event;
	int nevents, most_events;
	int *operand;		/* values, -1 for absent and persistent ones; copies are numbered
				 * from model->nvalues on */
	int noperands, most_operands;
	int nvalues, most_values;
	int *origin;		/* by value: itself, or what it is a copy of */
	int *root;		/* by value */
	int64_t *bytes;		/* by value */
	struct times *times;	/* by value, of roots */
	int *overwrites;	/* by value, of roots: whose bytes it takes over, or itself */
	int *left;		/* by value of the model: last use in forward */
	int64_t *live;		/* by event: bytes alive, without persistent ones */
	int64_t peak;
	int64_t macs, traffic;	/* of what was recomputed */
	bool valid;		/* false: too long, or a weight was updated before it was needed */
	int *current, *stamp, *stack;	/* scratch */
	int *overwriting, noverwriting;	/* values that overwrite another */
	int turn;		/* nodes that have run */
	int *view;		/* by value of the model: the next one that has the same root, or -1 */
	bool *wanted;		/* by value of the model: scratch for lists of what runs */
	unsigned char *dropped;	/* by value of the model: the states of a replay */
	unsigned char *stays;	/* by value of the model: STAYS, or its root's state */
	unsigned char *chosen, *listed;	/* one of which that is: of states, and of a replay */
	int *loose, nloose;	/* values of the model that do not stay in all trials */
	int *own, nown;		/* and those that have bytes of their own and do not persist */
	/* forward is the same in all trials: what is known after it */
	int forward_operands;
	struct times *forward_times;
};

/* At the graph's batch; NULL where sizes are too large to be summed. */
struct model	*step_model(struct arena *, struct graph *, const struct pass_options *,
		    int repeats);
/* The same model at another batch; false where sizes are too large to be summed. */
bool	step_price(struct model *, int64_t batch);
/* The same model after nodes of its graph changed places, which costs a tenth of making it. */
void	step_reorder(struct model *);
/* Makes the room for trials; and what all of them begin with. Parts of the above. */
void	step_make_trial(struct model *);
void	step_start_trial(struct model *);
/* Lists what a node uses, as it stands and when it runs again. Parts of step_model(). */
void	step_list_uses(const struct model *, struct model_node *);
void	step_list_uses_again(const struct model *, const struct model_node *, struct remake *);
/* Of a trial that is scheduled: who overwrites whom, bytes alive by event, and their peak. A part
 * of step_try(). */
void	step_measure(struct model *);
/* Runs the step under model->state; fills model->trial; returns its validity. */
bool	step_try(struct model *);
/* Runs the step in a given order: nodes in their turn, and others again between those of backward.
 * Where a tensor has been made again, the later ones read that; views are made again as they are
 * needed. States do not matter. Fills model->trial as step_try(). */
struct step_event {
	bool again;
	int what;		/* the value that is made again, or the node whose turn it is */
};
bool	step_replay(struct model *, const struct step_event *, int n);
/* What backward reads is kept, everything else is not: nothing is recomputed. */
void	step_keep_all(struct model *);
/* Bytes below which no peak of this order can be: what one node needs at once, beside what is there
 * whatever is made again. */
int64_t	step_least(const struct model *);

/* ---- step_facts.c ---- */

/* Bytes of what is alive throughout: what persists, sums of gradients, and where the next batch
 * lands (passes/feed.c). */
int64_t	step_persistent(const struct module *, const struct pass_options *, const struct model *);
/* What the arena may take, by the options, else of the device: bytes; INT64_MAX: any. */
int64_t	step_room(const struct module *, const struct pass_options *);
/* Plans are for speed, and after step_try() the arena may take a sixteenth more than the step's
 * peak, and a 64th of its bytes is to spare; what lies in it is not exact here. A search of what to
 * recompute sees what comes of it. */
bool	step_is_roomy(const struct module *, const struct pass_options *, const struct model *);

/* By value, of roots: the first and the last node that uses it; -1: none does. Inputs are used from
 * the first node on, results till behind the last. */
void	step_lives(const struct model *, int *first, int *last);
/* May an output lie on the input AT, by sizes and operators? If that dies there; as may_overwrite()
 * of step_peak.c. */
bool	step_may_lie_on(const struct model *, const int *in, int nin, struct overwriting, int at, int out);
/* Does the node make its k-th output when it runs again? */
bool	step_makes_again(const struct model *, const struct model_node *, int k);
/* By value, of roots that persist: the first node that changes what it holds, or the end. */
void	step_changes(const struct model *, int *at);
/* The node before which it must run again, if at all: that changes a weight that it reads. */
int	step_made_before(const struct model *, const struct model_node *, const int *changes);

#endif
