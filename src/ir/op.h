/*
 * An operator: one const struct op in one file of this folder, found by its definition
 * `const struct op op_NAME = {` (bootstrap lists the folder; op_table.c is generated).
 *
 * A layer's file usually holds a few: the operator a spec names, and the internal ones its
 * gradient is made of. No other code names an operator: parser, passes, planner, emitter, man page
 * and completion all read this record.
 *
 *        operands   parameters made by shape()          outputs
 *     in[0] in[1] .. in[k] ..                    out[0] (the value), out[1] .. (for backward)
 */
#ifndef STOWAGE_IR_OP_H
#define STOWAGE_IR_OP_H

#include "ir/ir.h"

struct emitter;
struct formula;
struct moving;
struct rounds;
struct split;
struct target;
struct update_row;

enum op_kind {
	OP_LAYER,	/* a spec can name it in a pipe */
	OP_LOSS,
	OP_METRIC,
	OP_OPTIMIZER,	/* named by the optimizer setting; updates one parameter. in[0] the parameter,
			 * in[1] its gradient, in[2] the clip scale (a scalar) or NULL, in[3..]
			 * its state (op_param, T_OPTIMIZER); out[0], out[1..] their new values,
			 * each aliasing its old one */
	OP_INTERNAL	/* only passes and gradients make it */
};

/* flags */
#define OP_ELEMENTWISE	0x01u	/* out[0][i] depends on in[j][i] alone */
#define OP_RANDOM	0x02u	/* draws random numbers, from (seed, step, node, element) */
#define OP_SIDE_EFFECT	0x04u	/* is kept though nobody reads its outputs */
#define OP_MAXIMUM	0x08u	/* out[0] holds the largest of some elements of in[0], NaN above all and
				 * the first of equals; its gradient goes where that element was */
#define OP_AFTER_MAXIMUM	0x10u	/* elementwise f of one operand: f(the largest of some x)
				 * is the largest f(x), bit for bit and NaN for NaN; where f
				 * makes equals of what was not equal, its gradient is 0 */
#define OP_REALS	0x20u	/* where elements have 16 bits, it takes f32 too: what losses are made of */
#define OP_LIBRARY	0x40u	/* run by a library on a GPU, which may be faster with more workspace than
				 * is asked for, up to all there is */

#define OP_TUPLE	0x80u	/* its results are a tuple, out[0] the first of them */

#define OP_STOPS	0x100u	/* out[0] has no gradient, whatever it is made of */
#define OP_WEIGHS	0x200u	/* a mean: its last result is what it weighs among those of other batches */

#define OP_SENDS	0x400u	/* in[0] goes to another stage of a pipeline, and is on its way when the node is over */
#define OP_RECEIVES	0x800u	/* out[0] comes from there; what it lies in is nobody's else (plan/slots.c) */

enum attr_type {
	ATTR_INT, ATTR_REAL, ATTR_BOOL,
	ATTR_PAIR,	/* n or (n, m): v[0] is the height, v[1] the width */
	ATTR_SIDES,	/* n, (v, h) or (top, bottom, left, right) */
	ATTR_AXES,	/* n, or a number for each axis of space, width last. It is as it was given until
			 * shape() knows how many there are (ops/space.h), and then has n of them */
	ATTR_FRAME,	/* the same, or two numbers for each axis, before and after, of which there are
			 * then 2 n; or a word out of spec->choices, which shape() makes them of: until
			 * then n is 0 and i 1 more than its index */
	ATTR_INTS,	/* a tuple of up to MAX_RANK integers: a shape */
	ATTR_ENUM,	/* a bare name or string out of spec->choices; i is its index */
	ATTR_TENSOR,	/* what stands for a parameter, that of another layer or any tensor: weight=tok. Not
			 * stored in the node: op_param(name) takes it instead of making one. Every parameter of
			 * a layer can be given so, declared or not */
	ATTR_REALS,	/* a number, or a tuple of them: real[]; of data readers up to MAX_REALS. Where the spec says so
			 * (spec->file), it may be the name of a file that has them: then i is 1, and n 0 */
	ATTR_TEXT,	/* text in quotes, such as the name of a file */
	ATTR_FORMULA,	/* of elements; only our own code gives one */
	ATTR_INIT,	/* zeros, ones, constant(c), uniform(b), normal(s) */
	ATTR_BODY	/* a layer that the operator runs many times: the graph it makes (ir/rounds.h) */
};

#define MAX_REALS	4

struct attr {			/* a value; one per attr_spec */
	bool given;		/* false: the default */
	int n;			/* PAIR 2, SIDES 4, INTS, AXES, FRAME, REALS their count */
	int64_t i;		/* INT, BOOL (0 or 1), ENUM */
	double r;		/* REAL */
	union {			/* by type: large networks have a million attributes */
		int64_t v[MAX_RANK];
		const double *real;		/* REALS */
		const char *text;		/* TEXT, REALS of a file */
		struct init init;
		const struct formula *formula;
		struct {
			struct graph *body;
			const struct rounds *rounds;	/* of the body; NULL: not planned yet */
		};
	};
	struct loc loc;
};

struct attr_spec {
	const char *name;
	enum attr_type type;
	const char *doc;	/* one sentence without its full stop: meaning and unit */
	bool required;
	const char *preset;	/* the default, as a spec would write it: "1", "0.1", "true" */
	double min, max;	/* legal range of each number, inclusive; both 0: any */
	const char *choices;	/* ENUM, FRAME: "none tanh", separated by blanks */
	bool file;		/* REALS: the name of a file will do */
	bool shares;		/* BOOL: another's parameter of that name will do, as TENSOR, and means true */
	bool silent;		/* INT, BOOL, ENUM: the text of the IR leaves it out where it is 0, and it is never the first */
	bool is_rate;		/* of an optimizer: the learning rate, which the schedule changes */
};

#define ATTRS_END	{ .name = NULL }
#define SPACE_AXES	3	/* most axes of space: depth, height, width */
#define MAX_ATTRS	16

/* Bits of op->gradient.saves: what backward may read of the forward node. */
#define SAVES_IN(k)	(1u << (k))
#define SAVES_OUT(k)	(1u << (16 + (k)))
#define SAVES_NOTHING	(1u << 31)	/* of torch.tf_saves, where 0 says something else */

/* Whom scratch memory is for. */
struct room {
	const struct target *target;
	int threads;		/* C target: of the emitted program */
	int64_t library;	/* GPU: bytes that cuBLASLt and cuDNN may have for a product, a
				 * multiple of the alignment */
	int64_t batch;		/* of training; 1 where there is none */
	bool parts;		/* the batch is parts, whose sums are the same on any number of ranks */
};

struct intern;
struct build;
struct diff;
struct tape;

/* How the images among a node's operands and results may lie in memory, all of them alike. (Images:
 * what tensor_has_layouts() says it of, parameters aside.) */
enum op_layout {
	LAYOUT_FIRST,	/* channels-first only: what stands for none that is said */
	LAYOUT_EITHER,	/* as they come */
	LAYOUT_LAST	/* better channels-last; its weights then lie so too */
};

enum torch_output {
	TORCH_NEW,
	TORCH_OVER,	/* over in[0] where autograd lets it, as torchvision writes relu */
	TORCH_VIEW	/* of in[0] */
};

struct torch_update {		/* of a parameter, in its own size */
	int slots;		/* state it keeps */
	int copies;		/* temporaries, which all parameters of a group have together */
};

/*
 * How PyTorch eager runs an operator, as far as memory goes (frameworks/pytorch_eager.h,
 * calls/tape.h). All zero says: one call that makes a new output, of which autograd keeps what
 * `saves` names.
 */
struct torch_op {
	enum torch_output output;
	unsigned saves;		/* what autograd keeps, SAVES_IN(k) and SAVES_OUT(0); 0: as `saves` */
	bool crosswise;		/* in[0] and in[1] are kept only where the other wants a gradient */
	unsigned passes;	/* bits of inputs whose gradient is dy itself, or a view of it */
	unsigned views;		/* bits of inputs whose gradient is a view: no sum is made in it */
	unsigned full;		/* bits of inputs whose gradient is made in the output's shape, and
				 * then summed where they were repeated */
	int scratch;		/* tensors of the output's size that its gradient is made with, itself
				 * included; 0: itself alone */
	/* Bytes that autograd keeps beside the output: masks, indices. NULL: the T_SAVED outputs
	 * that `saves` names. */
	struct affine (*beside)(const struct node *);
	/* What TensorFlow's gradient reads, with nothing beside, where that is less; 0: the same.
	 * What of one operand reads the output alone runs over that operand there. */
	unsigned tf_saves;
	/* Bytes of its layer, persistent, that are no tensor of ours; NULL: none. */
	int64_t (*layer_bytes)(const struct node *);
	bool copies;		/* what it makes is new, even where simplify.identity() says it is its input */
	bool blas;		/* it runs as a matrix product of cuBLAS */
	const char *unknown;	/* why nobody can say what it takes there: a clause; NULL: it is known */
	const char *least;	/* what of it the data tell, which is counted as none, or as the most: a clause; NULL: nothing */
	unsigned parts;		/* bits of inputs that a batch has as many rows of as its data have, where none fill it up */
	/* Elements that a sample's scores have where it is written out, a number for each pair of
	 * positions and each head, which PyTorch's own call of it does not store; 0: it does. NULL:
	 * it has none. */
	int64_t (*scores)(const struct node *);
	/* Why other frameworks' order of it is another, so that PyTorch's tells nothing of them: a
	 * clause; NULL: it is the same. */
	const char *elsewhere;
	/* Where it is several calls: makes them. */
	void (*calls)(struct tape *, const struct node *);
	int64_t (*rounds)(const struct node *);	/* how often they run its body; NULL: once */
	/* LAYER made of parts: is it one thing there too? Then calls() gets the layer, and no part
	 * is asked. */
	bool (*whole)(const struct node *layer);
	/* OP_OPTIMIZER: its foreach implementation; the node has attributes only. */
	struct torch_update (*update)(const struct node *);
};

/*
 * What of an operator backward is made of. All zero: not differentiable.
 */
struct op_gradient {
	/* Builds backward IR for this node; see ir/diff.h. */
	bool (*build)(struct diff *, struct node *);
	unsigned saves;		/* SAVES_IN(k), SAVES_OUT(k): what backward may read of this node */

	/* How out[0] is recomputed in backward, if not by repeating the node (batchnorm need not
	 * sum its statistics twice): returns the operator, and fills IN (at most MAX_RANK) with its
	 * inputs, from the node's own inputs and saved outputs. NULL: it cannot be recomputed.
	 * Without this function the node is repeated. */
	const struct op *(*again)(const struct node *, struct tensor **in, int *nin);
};

/*
 * Where its operands and results lie. All zero: results have bytes of their own, channels come
 * first, and no scratch memory is needed.
 */
struct op_memory {
	/* Bytes of scratch memory for this node. */
	struct affine (*workspace)(const struct node *, const struct room *);

	/* Bits of the inputs whose bytes out[0] may take over when nobody reads them afterwards. */
	unsigned inplace;
	unsigned inplace_last;	/* and the last output's, where there are several */
	/* Must out[k] take over the bytes of an input (views, updates)? That input's index, or
	 * -1. */
	int (*alias)(const struct node *, int k);
	/* Bits of the outputs that may be absent (NULL) when nobody reads them. */
	unsigned optional_out;

	/* May its images lie channels-last? emit() then finds tensor->channels_last set. NULL:
	 * either way for OP_ELEMENTWISE, else not. Only what runs before backward is asked:
	 * gradients lie as what they are the gradients of. */
	enum op_layout (*layout)(const struct node *);

	/* Where the operand stands that out[0] can be added to; 0: nowhere. It is one more than the
	 * operator needs, and absent until a pass gives it (op_add_onto): then out[0] lies in its
	 * bytes and is node->keep times it plus the result, which never exists by itself. Nothing
	 * else the node reads may lie there. emit() hands that to the kernel by arg_onto(). */
	int onto;
	/* In a graph of BATCH samples on a GPU: may that operand be of the type that elements are
	 * computed with, where they are narrow, and does it pay to add to a sum of these at once?
	 * out[0] is then of that type, too. NULL: it may not. */
	bool (*onto_real)(const struct node *, int64_t batch);
	/* Is most of out[0] 0, and left alone where the node adds onto what is there? NULL: it is
	 * not. */
	bool (*adds_little)(const struct node *);
	/* OPTIMIZER: can the gradient be added onto a state before the update, at that moment
	 * turning the state into what the update stores there but for terms of the parameter? Then
	 * the operator for the rest, with operands parameter and state, the state's place in this
	 * node, and what is kept of it. NULL: it cannot, with these attributes. */
	const struct op *(*onto_state)(const struct node *, int *state, double *keep);

	/* The type and shape of a value that the node computes but never has whole in memory. */
	struct tensor (*pieces)(const struct node *);
};

/*
 * What does the same, and a formula of out[0] before that is stored, in place of a node of the
 * formula's own (ops/then.h). All zero: nothing does.
 */
struct op_then {
	/* Its attributes are this one's and the formula behind them; its operands this one's, and
	 * behind them what the formula reads beside. */
	const struct op *op;
	int operands;		/* of the formula at most: 1, or with a tensor of the same size beside 2 */
	/* Can it do that one before backward is built, which then finds out by itself what passes
	 * the formula? NULL: only afterwards, when that is done by a node of its own. */
	bool (*can)(struct arena *, const struct node *, const struct formula *then);
};

/*
 * When it does nothing: simplify drops such nodes and outputs. All zero: always needed.
 */
struct op_simplify {
	/* The input that out[0] simply equals in this graph (dropout outside training), or NULL. */
	struct tensor *(*identity)(const struct graph *, const struct node *);
	/* Which input out[k], from out[1] on, simply equals in this graph (the running statistics
	 * of a frozen batchnorm); -1: none. The output is then dropped. */
	int (*unchanged)(const struct graph *, const struct node *, int k);
};

/*
 * What runs in our programs. All zero: nothing does (a view).
 */
struct op_calls {
	const char *kernels;	/* the file of kernels/ it calls: "conv/conv.cu"; NULL: calls none */
	/* Notes what kernels/ must know of this node's call before them. NULL: nothing. */
	void (*note)(struct emitter *, const struct node *);
	/* Writes what this node's call needs and kernels/ does not have, once a program. NULL:
	 * nothing. */
	void (*define)(struct emitter *, const struct node *);
	/* Writes the call(s); see calls/emitter.h. */
	void (*emit)(struct emitter *, const struct node *);
	int launches;		/* kernels that it takes on a GPU, one after the other, for estimates; 0: taken for one */
	/* Where that depends on the node, or on the batch: the least of it. NULL: it does not. */
	int (*launches_of)(const struct node *, int64_t batch);
	bool listed;		/* on a GPU it can do without libraries, and its kernels' shared memory is so little that
				 * it has room beside that of others': one kernel may do it with them (plan/cooperative.c) */
	/* Where elements come from, if all that it does is to put them elsewhere (ops/move.h). */
	void (*moves)(const struct node *, struct moving *);
	/* Updates of a parameter, or of the sum of its gradients: what the program's table says of
	 * this one. One call, the emit() of the first, does all that follow one another and have
	 * the same emit() and clip; no such node reads what another makes. */
	void (*row)(const struct node *, struct update_row *);
};

/*
 * An operator that runs a graph of its own many times (ir/rounds.h). All zero: it does not.
 */
struct op_rounds {
	/* What of operand K the body gets, with its type and shape in X; false after op_error(). */
	bool (*operand)(struct build *, const struct node *, int k, struct tensor *x);
	/* What may be wrong with the node's operands if the body has a mistake, for its message;
	 * NULL: nothing. */
	const char *(*advice)(struct build *, const struct node *);
	/* How many different rounds there are; NULL: one. */
	int (*count)(const struct node *);
	/* Makes of a copy of the body what one round runs, once formulas are joined: says what of
	 * it is wanted, or differentiates it. */
	bool (*make)(struct rounds *, const struct node *);
};

/*
 * What goes on between ranks, beside the nodes that follow (plan/exchanges.c): in two nodes, of
 * which one begins it and one waits for it. All zero: nothing does.
 */
enum between {
	BETWEEN_NOTHING,
	BETWEEN_SUM,		/* all get the sum of what each has */
	BETWEEN_SCATTER,	/* each gets its piece of that sum, in its place; the rest means nothing any more */
	BETWEEN_GATHER,		/* all get the pieces that each has in its place */
	BETWEENS
};

struct op_ranks {
	enum between between;
	bool waits;		/* the second of the two */
	bool takes_pieces;	/* neither; of gradients that are shared out it reads a rank's piece, and says what all have;
				 * an optimizer: so it updates that piece */
	bool alike;		/* what it makes is the same on all ranks, though it is of their samples */
	/* Where layers are split over ranks: makes a node that says so what a rank does of it
	 * (ir/split.h). False: it does all. NULL: what is elementwise takes its share as it comes,
	 * and all others do all of it. */
	bool (*split)(struct split *, struct node *);
	/* Of how many blocks an operand is, of each of which a rank has its share; NULL: one. */
	int (*split_blocks)(const struct node *);
	bool hands_on;		/* split() is of a share that it is given, as of what is elementwise: no attribute says so */
	bool sums;		/* adds up over all ranks what it makes, and waits for that */
};

/* The layer that says split=ranks, as an attribute; whether a node does: split_is_said(), in
 * ir/split.h. */
#define SPLIT_ATTR(doc)	{ "split", ATTR_ENUM, doc, .preset = "none", .choices = "none ranks", .silent = true }

/*
 * METRIC whose out[0], f64[n], is no mean but counts that add up over all batches. Or what it says
 * of each sample of a batch, f64[n] for each, is kept, as numbers of which the host makes the
 * metric in the end. All zero: it is a mean.
 */
struct op_counts {
	const char *of;		/* the function of kernels/loss/metrics.cu that makes the metric of them; */
	const char *log;	/* the one that writes what else the log has of it; NULL: nothing */
	const char *keep;	/* the one that makes of a sample what is kept; NULL: counts add up */
	int64_t (*keeps)(const struct node *);	/* how many numbers that is at most; */
	const char *order;	/* and the one that brings them into the order in which the first two read them */
};

/* An operator: what it is, and its facets, each of which an operator may leave out. */
struct op {
	const char *name;	/* in specs and in IR text */
	enum op_kind kind;
	const char *brief;	/* one line: "2-D convolution" */
	const char *doc;	/* paragraphs of plain text: what it computes, shapes, formula, source */
	unsigned flags;
	const struct attr_spec *attrs;	/* positional arguments fill them in this order */
	int min_operands, max_operands;	/* tensors; max -1: any number */
	const char *operands;	/* "x", "logits target": for messages and man pages */

	/* What one element of the result is, of those of the operands and of attributes, by their
	 * names: "alpha * x" (formula/formula.h). Such an operator needs no gradient, in-place rule
	 * or kernel of its own: the pass formulas makes it a pointwise. A numeric attribute called
	 * like an operand stands for it where it is not given. */
	const char *formula;

	/* OPTIMIZER: the one of the same attributes that updates this parameter in its place; NULL:
	 * none does. */
	const struct op *(*instead)(const struct tensor *parameter);

	/* Checks operands and attributes, makes parameters (op_param) and outputs (op_output). On a
	 * user's mistake it calls op_error() and returns false. LAYER, LOSS, METRIC, OPTIMIZER. */
	bool (*shape)(struct build *, struct node *);
	/* LAYER that stands for several others, in place of shape(): applies them with op_part()
	 * and returns the last one's node, or NULL after op_error(). The node that it is given is
	 * in no graph: passes see its parts alone. */
	struct node *(*expand)(struct build *, const struct node *);
	/* Multiply-adds of one run; NULL: none worth counting. */
	struct affine (*macs)(const struct node *);
	/* Bytes of memory that one run reads and writes; NULL: each operand and each result once
	 * (op_bytes). */
	struct affine (*traffic)(const struct node *);

	struct op_gradient gradient;
	struct op_memory memory;
	struct op_then then;
	struct op_simplify simplify;
	struct op_calls calls;
	struct op_rounds rounds;
	struct op_counts counts;
	struct op_ranks ranks;
	struct torch_op torch;	/* how PyTorch runs it; all zero is right for most */
};

/* The bytes of all operands and all results. */
struct affine	op_bytes(const struct node *);

/* Does it begin something between ranks? */
static inline bool
op_begins_between(const struct op *op)
{
	return op->ranks.between != BETWEEN_NOTHING && !op->ranks.waits;
}

extern const struct op *const op_table[];	/* generated; ends with NULL; sorted by name */
extern const int op_count;
const struct op	*op_find(const char *name);	/* any kind; NULL when unknown */

/* ---- for shape() ---- */

struct tie {			/* weight=tok: parameter NAME of this node is that tensor */
	const char *name;
	struct tensor *tensor;
	struct loc loc;
	bool taken;		/* there is such a parameter */
};

struct build {
	struct module *module;
	struct graph *graph;
	struct tie *tie;
	int nties;
	/* applying a layer instance again: its parameters, in op_param order; NULL the first
	 * time */
	struct tensor **reuse;
	int nreuse;
	VEC(struct tensor *) params;	/* those of the layer that is being applied, so far */
	struct intern *attrs;	/* of the nodes so far; NULL: none yet */
};

/* Applies OP to operands: makes the node, runs shape(), appends it to the graph. Poisoned operands
 * give a node with a poisoned output and no message. Never returns NULL. ATTR has one entry per
 * op->attrs, already checked against types and ranges. Only shape() may change the node's: nodes
 * whose are alike afterwards share them. */
struct node	*op_apply(struct build *, const struct op *, const struct attr *, const char *path,
		    struct loc, int noperands, struct tensor *const *operand);

/* ---- for expand() ---- */

/* OP's attributes as they are if nothing is said of them, and one of them, to be changed. */
struct attr	*op_presets(struct arena *, const struct op *);
void		 op_presets_to(const struct op *, struct attr *to);	/* of which there are MAX_ATTRS */
struct attr	*op_preset(const struct op *, struct attr *, const char *name);
/* Applies OP as a part of LAYER, called SUFFIX in it. The parameters are the layer's. Never returns
 * NULL. */
struct node	*op_part(struct build *, const struct node *layer, const struct op *, const struct attr *,
		    const char *suffix, int noperands, struct tensor *const *operand);
/* Where parameters have the layer's own names, in its own order: one of them, NULL after an error;
 * and a part that takes such ones for those of these names. */
struct tensor	*op_layer_param(struct build *, const struct node *layer, const char *suffix, struct init,
		    int rank, const int64_t *dim);
struct node	*op_part_tied(struct build *, const struct node *layer, const struct op *,
		    const struct attr *, const char *suffix, int noperands, struct tensor *const *operand,
		    int nties, struct tie *);

/* ---- for shape() ---- */

/* A persistent tensor appended to the node's inputs; NULL (and an error) when a tie or a shared
 * layer has another shape. SUFFIX is "weight", "bias", "running_mean", ... */
struct tensor	*op_param(struct build *, struct node *, const char *suffix, enum tensor_kind,
		    struct init, int rank, const int64_t *dim);
/* SUFFIX NULL: the value itself; else "mean", "index", ... */
struct tensor	*op_output(struct build *, struct node *, const char *suffix, enum tensor_kind,
		    const struct dtype *, bool batched, int rank, const int64_t *dim);
bool		 op_error(struct build *, const struct node *, const char *fmt, ...)
		    __attribute__((format(printf, 3, 4)));	/* returns false; rule "shape" */
/* Of the error that was just reported, another place that has to do with it. */
void		 op_error_place(struct build *, struct loc, const char *fmt, ...)
		    __attribute__((format(printf, 3, 4)));
/* "[16, 3, 3] after maxpool (line 9)": an operand described for a message */
const char	*op_operand_text(struct build *, const struct tensor *);
/* The common shape rule: one operand, one output of the same shape and dtype. */
bool		 op_shape_same(struct build *, struct node *);

/* ---- for passes ---- */

/* What the module's settings leave to nodes on that target. */
struct room	 op_room(const struct module *, const struct target *, int threads);

/* The tensor that the node adds to, or NULL. */
struct tensor	*op_base(const struct node *);
/* Lets the node add onto BASE, where it adds to nothing yet: out[0] = keep * BASE + its result;
 * with FIRST, only in the first micro-batch of an update, and BASE + its result after. */
void		 op_add_onto(struct module *, struct node *, struct tensor *base, double keep,
		    bool first);

enum op_layout	 op_layout(const struct node *);
/* op->memory.layout of those that take images as they come. */
enum op_layout	 op_layout_either(const struct node *);

/* The K-th name in op->operands; NULL: it has fewer. */
const char	*op_operand(struct arena *, const struct op *, int k);
/* Does op->operands call the K-th so? Its last word stands for all that follow. */
bool		 op_operand_is(const struct op *, int k, const char *word);

/* The attribute that holds a number in place of the K-th operand; -1: no number stands there. */
int		 op_number_for(const struct op *, int k);

/* Does nothing run for it, since its output is its input under another shape? */
bool		 op_is_view(const struct op *);

/* The floating-point type the network computes in. */
const struct dtype	*shape_real(const struct module *);

/* ---- attributes, by name: a misspelt name is a bug and asserts ---- */

const struct attr	*op_attr(const struct node *, const char *name);
struct loc		 op_attr_loc(const struct node *, const char *name);	/* where the spec says it; no place: nowhere */
int64_t			 op_int(const struct node *, const char *name);
double			 op_real(const struct node *, const char *name);
bool			 op_bool(const struct node *, const char *name);
int			 op_nattrs(const struct op *);
int			 op_attr_at(const struct op *, const char *name);	/* which it is; -1: it declares none of that name */
/* op_memory.alias of what gives its first operand's bytes back, each of its results. */
int			 op_alias_first(const struct node *, int k);
/* op->gradient.again of those that must not run twice: they send, or backward makes again what they
 * did by itself. */
const struct op		*op_never_again(const struct node *, struct tensor **in, int *nin);
/* The same where the input is persistent; else bytes of its own. */
int			 op_alias_persistent(const struct node *, int k);
/* The one that is a body; NULL: it has none. */
struct attr		*op_body(const struct node *);
/* Which attribute is the learning rate? -1: none; OP may be NULL. */
int			 op_rate(const struct op *);
/* Parses a preset ("1", "(2, 2)", "true", "tanh") into an attr; false only on a bad preset. */
bool			 op_attr_preset(const struct attr_spec *, struct attr *);

#endif
