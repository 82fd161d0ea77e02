/*
 * The intermediate representation: a static single assignment graph of operators over tensors.
 *
 * A *module* is one network with its settings: its persistent tensors (parameters, running
 * statistics, optimizer state) and its graphs. A *graph* is a list of nodes in the order in which
 * they run. A *node* applies an operator (ir/op.h) to tensors and defines tensors. A *tensor* is
 * defined once; what overwrites memory (a weight update, an in-place relu, a reshape) defines a
 * new tensor whose alias_of says whose bytes it takes over.
 *
 *     forward --phases--> train:    forward, loss, backward, (accumulate | update)
 *                         update:   clip, update            only when micro-batches accumulate
 *                         validate: forward, loss, metrics
 *
 * Shapes never name the batch: a tensor is *batched* (B x dims, B the micro-batch) or not, so
 * that every byte count is affine in B. Everything lives in the module's arena.
 */
#ifndef STOWAGE_IR_IR_H
#define STOWAGE_IR_IR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "ir/settings.h"

#define MAX_RANK	8
#define LARGEST_EXTENT	((int64_t)1 << 40)	/* of one dimension; larger is refused */
#define LARGEST_BYTES	((int64_t)1 << 60)	/* of one tensor at batch 1; larger is refused */

struct op;
struct attr;
struct module;
struct pass_options;

/* fixed + per_sample * B, in bytes, elements or multiply-adds as its use says */
struct affine {
	int64_t fixed, per_sample;
};

int64_t	affine_at(struct affine, int64_t batch);	/* INT64_MAX on overflow */
struct affine	affine_sum(struct affine, struct affine);	/* saturating */

enum tensor_kind {
	T_INPUT,	/* staged from the data for each batch */
	T_TARGET,
	T_PARAM,	/* trainable, persistent, saved in checkpoints */
	T_GATHERED,	/* a parameter of which each rank has but a piece, all of it, for a while */
	T_STATISTIC,	/* running statistics: persistent, saved, not trained */
	T_TABLE,	/* numbers of a file: persistent, not saved, read at start */
	T_OPTIMIZER,	/* momentum, moments: persistent, saved */
	T_GRADIENT,	/* of a parameter */
	T_ACTIVATION,	/* a forward result */
	T_SAVED,	/* made by forward only for backward: masks, indices, batch statistics */
	T_DELTA,	/* the gradient of an activation */
	T_SCALAR,	/* losses, metrics, norms */
	T_WORKSPACE,
	T_POISON,	/* stands for a result whose error was reported; every operator passes it on */
	TENSOR_KINDS
};

const char	*tensor_kind_name(enum tensor_kind);	/* "parameter", "activation-gradient", ... */
bool		 tensor_kind_persistent(enum tensor_kind);
bool		 tensor_kind_declared(enum tensor_kind);	/* persistent, of the network and not of its training */

enum init_kind { INIT_ZEROS, INIT_CONSTANT, INIT_UNIFORM, INIT_NORMAL };

struct init {			/* how a persistent tensor starts */
	enum init_kind kind;
	double value;		/* the constant; uniform: bound of [-v, v); normal: deviation */
};

struct tensor {			/* a deep network has a million: what is small has few bits */
	int id;			/* unique in the module */
	enum tensor_kind kind : 8;
	int rank : 8;
	bool batched : 1;
	bool tokens : 1;	/* the spec says tokens[T, vocab=V], and not class[V, T] */
	/* How it lies in memory, where that can differ (tensor_has_layouts): with its channels
	 * last, [H, W, C] for dims [C, H, W], and [F, KH, KW, C] for weights of dims [F, C, KH,
	 * KW]. */
	bool channels_last : 1;

	/* persistent tensors only */
	bool undecayed : 1;	/* T_PARAM: no_decay names it */
	bool frozen : 1;
	bool accumulates : 1;	/* a T_GRADIENT that adds up over micro-batches: persistent too */
	bool averages : 1;	/* T_OPTIMIZER: a running average of the parameter that it copies */
	bool shared : 1;	/* as long as a rank's largest piece of what it is of, gradient_of; T_GRADIENT: persistent
				 * only where it accumulates */
	/* T_PARAM: of which each rank has but its part (ir/split.h): that axis is so many blocks
	 * side by side, and of each of them it has one of as many shares as there are ranks. 0
	 * blocks: it has all of it. */
	int split_axis : 6;
	enum init_kind init_kind : 2;	/* with init_value, how it starts: tensor_init() */
	int split_blocks;
	int group;		/* T_PARAM: settings.group[group - 1]; 0: none */
	int turn;		/* T_PARAM: settings.turn[turn - 1] moves it; 0: none, or there are no turns */

	int classes;		/* class[K] and tokens[vocab=V]: K or V; else 0 */
	const struct dtype *dtype;
	const char *name;	/* persistent and inputs: the dotted path; else path, or path.suffix */
	struct loc loc;
	struct node *def;	/* NULL for persistent tensors, inputs and targets */
	struct tensor *alias_of;	/* shares this tensor's bytes; NULL: has its own */
	struct tensor *ancestor;	/* further along alias_of: spares tensor_root() a long way */

	double init_value;
	union {				/* NULL: there is none. Ask tensor_landing() and its like where the kind may be any */
		struct tensor *lands;	/* inputs and targets: where the next batch of it arrives while this
					 * one is worked on; NULL: nowhere, it is written where it is read */
		struct tensor *copies;	/* T_OPTIMIZER: the same numbers as that parameter, in another type;
					 * it starts at the values that the parameter had before rounding */
		struct tensor *gradient;	/* T_PARAM, after differentiate: its gradient */
	};
	struct tensor *gradient_of;	/* T_GRADIENT, T_DELTA: of which tensor; T_OPTIMIZER: of which parameter; T_PARAM: which
					 * the network has in its place, of which it is a rank's piece or part; NULL: itself */

	union {
		int64_t dim[MAX_RANK];	/* without the batch; ir_tensor() makes no more room than its rank needs */
		struct affine workspace;	/* T_WORKSPACE: its bytes, which no shape can say */
	};
};

enum phase { PHASE_FORWARD, PHASE_BACKWARD, PHASE_UPDATE };

struct said_attrs {
	int n;			/* up to the last that the spec gives, of the operator that it names */
	struct loc at[];
};

struct node {
	int id;			/* unique in the module */
	enum phase phase : 8;
	bool training : 1;	/* as its graph's: batch statistics, dropout */
	bool keep_first : 1;	/* in[op->memory.onto] is kept only in the first micro-batch of an update: 1 after */
	const struct op *op;
	/* forward graph: the layer that it is a part of, as the spec has it, with what it makes;
	 * that is in no graph itself */
	const struct node *part_of;
	const char *path;	/* dotted: layer1.0.main.conv_2 */
	struct loc loc;
	struct tensor **in;	/* operands, then parameters; an absent optional one is NULL */
	struct tensor **out;	/* an optional output nobody reads becomes NULL */
	int nin, nout;
	int in_room, out_room;	/* for how many there is room at least; 0: not known */
	struct attr *attr;	/* as op->attrs, in its order; nodes may share them, so they are made anew to be changed */
	const struct said_attrs *said;	/* where the spec says them; NULL: nowhere */
	struct tensor *work;	/* its workspace, or NULL */
	double keep;		/* of in[op->memory.onto], where there is one; see ir/op.h */
	const struct node *forward;	/* backward nodes: the node they differentiate */
	const struct node *again;	/* recomputation: the forward node it repeats, else NULL */
};

struct result {			/* a loss, a metric, or what --predict writes */
	const char *name;	/* "loss", "accuracy", "loss.depth" */
	struct tensor *tensor;	/* a scalar, if not predicted */
	struct loc loc;
	bool is_loss;
	bool weighs;	/* no metric: what the one before it weighs in a mean over batches */
	bool predicted;	/* no scalar: of each sample, taken as soon as it is made, so it need not live on */
};

struct graph {
	struct module *module;
	const char *name;	/* "forward", "train", "update", "validate" */
	bool training;		/* batch statistics, dropout */
	int64_t batch;		/* largest micro-batch it runs at */
	VEC(struct node *) nodes;	/* in execution order */
	VEC(struct tensor *) inputs;	/* T_INPUT and T_TARGET used by this graph */
	VEC(struct result) results;
	struct tensor *loss;	/* the weighted sum of the losses, or NULL */
};

struct module {
	struct arena *arena;
	struct diags *diags;
	const char *name;	/* of the network */
	const struct source *src;	/* the spec it comes from; NULL when read from IR text */
	struct loc loc;
	struct settings set;
	VEC(struct tensor *) persistent;	/* in order of creation */
	VEC(struct graph *) bodies;	/* those that nodes run many times: ir/rounds.h */
	struct graph *forward;	/* as the spec says it; passes derive the others */
	struct graph *train, *update, *validate;	/* NULL until made, or when not needed */
	struct plan *plan;	/* plan/plan.h; NULL until made */
	const struct pass_options *options;	/* ir/pass.h: those of the last passes_run() */
	struct arena **scratch;	/* where to plan what is asked of it, made by the first question; NULL:
				 * in its own arena */
	struct module **stage;	/* where ranks are stages: the plan of each, by rank, of which this is one; NULL: they are none */
	struct module *unplanned;	/* what this is a copy of, for plans in an arena of their own; NULL: none
				 * (cli/compile.h) */
	struct arena *apart;	/* of the unplanned one: that arena */
	int next_tensor, next_node;
	const char *through;	/* the last of the passes that another one ran, too; NULL: none */
	bool inference;		/* it only computes its prediction: ir/prediction.h */
	bool broken;		/* an error was reported: later passes do not run */
	bool cut_short;		/* a search for the plan used up its work: with more it might be another */
};

/* How many ranks train the module together; 1 where none does. */
int64_t		 module_ranks(const struct module *);
/* Into how many parts the batch of an update is divided, whatever number of ranks makes them; 0:
 * into none. */
int64_t		 module_parts(const struct module *);
/* Do they share layers, in place of samples? */
bool		 module_splits(const struct module *);
/* Are they stages, each of some layers, and how many? 1: they are none. */
int64_t		 module_stages(const struct module *);
/* Into how many pieces they share out the optimizer's state of a parameter; 1 where they do not. */
int64_t		 module_shards(const struct module *);
/* Do they share that out? */
bool		 module_shares_out(const struct module *, enum shard_kind);
/* Does it validate with running averages of weights (ema), of which each of them has its pieces? */
bool		 module_averages_apart(const struct module *);
/* What of N elements is RANK's, of so many: pieces differ by one element at most, the first is the
 * smallest. */
struct rank_piece {
	int64_t first, n;
};

struct rank_piece	 rank_piece_of(int64_t n, int64_t rank, int64_t ranks);
/* The elements of the largest piece of N. */
int64_t		 shard_elements(const struct module *, int64_t n);

/* Is every weight of it trained, and none frozen? */
bool		 module_trains_all(const struct module *);

struct module	*ir_module(struct arena *, struct diags *, const char *name);
struct graph	*ir_graph(struct module *, const char *name, bool training);

/* Makes a tensor; its kind decides whether it joins module->persistent. */
struct tensor	*ir_tensor(struct module *, enum tensor_kind, const struct dtype *, bool batched,
		    int rank, const int64_t *dim, const char *name, struct loc);
struct tensor	*ir_tensor_like(struct module *, enum tensor_kind, const struct tensor *like,
		    const char *name, struct loc);
/* One that is the same but for what becomes of it; and as a value, which has room for any rank:
 * what ir_tensor() made must not be copied by '=', nor get more extents. */
struct tensor	*ir_tensor_copy(struct arena *, const struct tensor *);
struct tensor	 tensor_value(const struct tensor *);

/* Gives an input a place where its next batch arrives: t->lands. */
void		 ir_add_landing(struct module *, struct tensor *);

/* What a node computes: its first output that is not made for backward alone. */
struct tensor	*node_value(const struct node *);

/* Appends a node to the graph. Inputs are copied; outputs are added one by one, NULL for an
 * optional one that is absent. */
struct node	*ir_node(struct graph *, const struct op *, const char *path, struct loc, int nin,
		    struct tensor *const *in);
void		 ir_add_input(struct module *, struct node *, struct tensor *);
struct tensor	*ir_add_output(struct module *, struct node *, struct tensor *);

/* Takes nodes out: by their places, those that are GONE. Their outputs must not be read any
 * more. */
void		 ir_drop(struct graph *, const bool *gone);
/* Does any node of the graph run that operator? */
bool		 ir_has(const struct graph *, const struct op *);
/* A copy in that module (the graph's own, or a copy of it) with fresh nodes and tensors; persistent
 * ones are shared. Where map is not NULL, map[old id] is the new tensor; it lies in the module's
 * arena and is as long as the graph's module's next_tensor was before. */
struct graph	*ir_clone(struct module *, const struct graph *, const char *name, bool training,
		    struct tensor ***map);
/* The same for a copy of its module in which that takes its place: nodes and tensors keep their
 * ids. */
struct graph	*ir_copy(struct module *, const struct graph *, struct tensor ***map);

struct tensor	*tensor_root(const struct tensor *);	/* whose bytes it has: follows alias_of */
const struct tensor	*tensor_whole(const struct tensor *);	/* of what it is a rank's piece; itself, if it is none */
/* What the network itself has: for a parameter of which a pass made a rank's piece or part, that;
 * else T. */
struct tensor	*tensor_declared(struct tensor *t);
/* The parameter of which a rank has but its part, for that and what is as long: its state, its
 * gradient; NULL: all of it. */
const struct tensor	*tensor_split(const struct tensor *);
/* As all ranks together have it: that part's axis is as many times as long as there are ranks. */
struct tensor	 tensor_of_ranks(const struct module *, const struct tensor *);
void		 tensor_alias(struct tensor *, struct tensor *of);	/* sets alias_of */
void		 node_alias_again(struct node *);	/* results that have an operand's bytes have those of the operands of now */
struct tensor	*tensor_landing(const struct tensor *);	/* where its next batch arrives, or NULL */
struct tensor	*tensor_copied(const struct tensor *);	/* the parameter that a state copies, or NULL */
struct tensor	*tensor_gradient(const struct tensor *);	/* a parameter's, or NULL */
struct init	 tensor_init(const struct tensor *);
void		 tensor_start_as(struct tensor *, struct init);
bool		 tensor_lands(const struct graph *, const struct tensor *);	/* is it where an input's next batch arrives? */
bool		 tensor_persistent(const struct tensor *);	/* lives as long as the program */
struct affine	 tensor_elements(const struct tensor *);	/* as B x dims */
struct affine	 tensor_bytes(const struct tensor *);
int64_t		 tensor_elements_per_sample(const struct tensor *);	/* product of dims */
bool		 tensor_same_shape(const struct tensor *, const struct tensor *);
/* Alike in type, batch, layout and shape: elements of both lie at the same places. */
bool		 tensor_alike(const struct tensor *, const struct tensor *);
/* Is it an image, [C, H, W], or the weights of a convolution, [F, C, KH, KW], whose bytes would be
 * in another order with the channels last? Not where there is one channel, or one place. */
bool		 tensor_has_layouts(const struct tensor *);
/* The same tensor as it lies in memory: dims in that order, and where an axis is among them. */
struct tensor	 tensor_stored(const struct tensor *);
int		 tensor_stored_axis(const struct tensor *, int axis);
const char	*tensor_shape_text(struct arena *, const struct tensor *);	/* "[16, 14, 14]" */
/* As a spec would say it, where it holds classes or tokens: "class[21, 64, 64]",
 * "tokens[1024, vocab=50257]"; else its shape. */
const char	*tensor_type_text(struct arena *, const struct tensor *);

/* The IR's text form (stowage-ir in HACKING.md); parse reports to the module's diags. */
void		 ir_print(FILE *, const struct module *);
void		 ir_print_graph(FILE *, const struct graph *);
struct module	*ir_parse(struct arena *, struct diags *, const struct source *);

/* Checks every invariant above; reports breaches as diagnostics of rule "internal". */
bool		 ir_verify(struct module *);

#endif
