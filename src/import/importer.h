/*
 * From a model to steps: calls of our operators, in the order of the source. Each is made in a
 * graph of ours as soon as it is known, so shapes are those that our operators say, and what does
 * not fit is refused in their words. Constants stay constants until a step takes them; integers
 * that shapes are made of are computed (numbers.c). What cannot be expressed is written down, node
 * by node, and what comes of it is poison.
 */
#ifndef STOWAGE_IMPORT_IMPORTER_H
#define STOWAGE_IMPORT_IMPORTER_H

#include "base/map.h"
#include "import/import.h"
#include "import/model.h"
#include "ir/op.h"

#define MOST_INTEGERS	64
#define MOST_WEIGHTS	8

struct integers {		/* a scalar or a vector; an element may be a multiple of the batch */
	bool scalar;
	int n;
	int64_t v[MOST_INTEGERS];
	bool batch[MOST_INTEGERS];
};

struct step;

enum merged { NOT_MERGED, BATCH_SLOWER, BATCH_FASTER };

struct layout {			/* where the source has the batch (layout.c) */
	int at;			/* among its axes */
	enum merged merged;	/* the axis is the batch times the one of ours that is there */
	bool expanded;		/* it has one, but all samples are alike: ours does not depend on the batch */
};

struct val {			/* what a name of the model stands for */
	const char *name;
	const struct numbers *data;	/* a constant */
	const struct numbers *stepped;	/* the same, but of each sample other numbers, such as which sample it is */
	const struct numbers *transpose_of;	/* that matrix the other way round, which one product alone reads */
	const struct integers *integers;	/* known */
	struct tensor *t;	/* an input's, or what a step makes; T_POISON: it could not be made */
	struct step *def;
	int uses;		/* by steps, and as a result of the network */
	bool whole;		/* a tensor of real numbers of ours that are whole ones in the source */
	bool bytes;		/* an input of bytes, which all that reads it has as real numbers, as ours does */
	int range;		/* an input of whole numbers: how many there are of them; 0: not known yet */
	const char *word;	/* what the spec calls it, once it has a name */
	const char *output;	/* a result: what the model calls it; NULL: it is none */
	const char *wanted;	/* and what it is to be called in the spec */
	bool channels_first;	/* ours has the source's last axis in front of the others */
	struct val *turned;	/* the same in the other order, once it is made */
	const struct val *flat;	/* it is these axes as one, in the order of ours, which is not the source's */
	struct layout source;
	const struct model_node *folded;	/* that makes the constant */
	struct val *formula;	/* the same as a tensor, once it is made */
	bool no_formula;	/* there is none, as was found */
	const struct numbers *known;	/* of a tensor that is made of nothing */
	struct val *logits;	/* of which it is the log of the softmax, */
	int along;		/* along that axis */
	const struct val *guards;	/* it is 1 where that one is not a number */
	const struct val *asks;	/* it is 1 where that input, which looks up, is the number `asked` */
	int64_t asked;
	struct val *same_as;	/* the same numbers in the same order, where the source has other axes; NULL */
};

struct weight {			/* what a parameter of a step is in the source */
	const struct numbers *numbers;
	const struct view *view;	/* NULL: in the same order */
	bool frozen;		/* no training changes it */
};

struct step {
	const struct op *op;
	struct attr *attr;
	int nin;
	struct val **in, *out;
	int nstand;		/* the last operands, which stand for parameters of these names */
	const char **stands;
	struct weight weight[MOST_WEIGHTS];
	int nweights;
	struct node *made;
	int nodes;		/* that it is in our graph: more than one, where an operator is made of others */
	const char *part;	/* it is no call, but that other result of its operand's layer: "last"; NULL */
	const struct model_node *said_by;
	const char *path;	/* where the source has it, dotted: "layer1.0.conv1"; "": it does not say */
	const char *made_by;	/* "BasicBlock", or NULL */
	int number;		/* among all steps */
	struct step *tie;	/* its first weight is that one's; NULL: its own */
	struct step *again;	/* the same layer, used before: all its weights are that one's; NULL: it is another */
	const char *label;	/* by which others name it; NULL: none does */
};

struct importer {
	struct arena *arena;
	const struct import_options *options;
	struct model *model;
	struct module *module;
	struct build build;
	struct map vals;	/* struct val * */
	struct map users;	/* struct users *: nodes that read a name */
	struct map parameters;	/* struct val *: constants that became parameters */
	struct map joins;	/* struct val *: what joins values, by these */
	struct map spelled;	/* struct val *: what the model has in the place of a turn, by that (recognise_turn.c) */
	struct map done;	/* nodes that a step made along with others, by their outputs */
	VEC(struct val *) inputs;
	VEC(struct val *) outputs;	/* the first is what a loss reads, unless all are PREDICTED; the others are */
	bool predicted;
	int merged;		/* weights that stand once in the file, for several layers that each have their own: of one number */
	int copied;		/* and others */
	bool untrained;		/* all that the spec has is frozen */
	const char *compiled_loss;	/* that the model was compiled with, where it fits the output; NULL */
	bool classes_first;	/* the output is scores of classes along its first axis */
	int lowered;		/* attentions whose scores between parts of a window are lowered, and not seen here */
	VEC(struct step *) steps;
	struct imported *result;
	const struct model_node *node;	/* the one at hand */
	int64_t folded, filled;	/* elements of constants that were computed, and of those that are one number throughout */
	int64_t followed;	/* numbers that were looked at to recognise something (rows.c) */
	struct map orders;	/* by a constant and how it masks: which order of scores it is (recognise_mask.c) */
	int64_t batch;		/* what the file has for it; -1: a name */
	bool (*translate)(struct importer *, const struct model_node *);
	bool asks_lookups;	/* an input of whole numbers is what looks rows up only where a node does so with it */
	struct map masks;	/* of Keras: struct mask *, which steps of a value are seen (keras_mask.c) */
	struct map pads;	/* of Keras: frames that the reader of a name adds, int64_t[2 * axes] */
	VEC(const char *) frozen;	/* paths of the spec */
	VEC(const char *) freeze;	/* and how it says them */
};

/* The record of an operator of ONNX. */
struct onnx_op {
	const char *name;	/* "Conv" */
	const char *ours;	/* the same function of elements; NULL: translate() says it */
	bool (*translate)(struct importer *, const struct model_node *);
};

#define ONNX_OP_ROW(id, theirs, our)							\
	const struct onnx_op onnx_op_##id = { .name = theirs, .ours = our }

extern const struct onnx_op *const onnx_op_table[];	/* made by src/tables.sh; ends with NULL */
extern const int onnx_op_count;

struct call {			/* a step that is being made */
	struct importer *im;
	const struct op *op;
	struct attr *attr;
	VEC(struct val *) in;
	VEC(const char *) stands;
	struct weight weight[MOST_WEIGHTS];
	int nweights;
	const char *path;	/* NULL: as its first weight, or its node */
	struct layout source;	/* of what comes of it */
	bool expanded;		/* an input is */
};

/* OP is an operator's name, or that of one of the blocks of std/ below. */
void	call_begin(struct call *, struct importer *, const char *op);
void	call_in(struct call *, struct val *);
void	call_stands(struct call *, const char *name, struct val *);	/* for that parameter; behind all other operands */
void	call_like(struct call *, struct val *);	/* the same, and the batch stays where that one has it */
void	call_int(struct call *, const char *name, int64_t);	/* whole numbers, true and false */
void	call_real(struct call *, const char *name, double);
void	call_ints(struct call *, const char *name, int n, const int64_t *);
/* Two numbers for each axis, before and after it, as one where both are alike for all of them. */
void	call_frame(struct call *, const char *name, int axes, const int64_t *sides);
void	call_reals(struct call *, const char *name, int n, const double *);
void	call_word(struct call *, const char *name, const char *word);
void	call_init(struct call *, const char *name, double constant);
void	call_weight(struct call *, const struct numbers *, bool transposed);
void	call_view(struct call *, const struct numbers *, const struct view *);
void	call_frozen(struct call *, const struct numbers *, const struct view *);
/* Makes the step, whose result has that name; false after cannot(). */
bool	call_end(struct call *, const char *out);
/* The same, of a result that only the importer knows; NULL after cannot(). */
struct val	*call_value(struct call *);
/* A step of one operand, and of one number unless NAME is NULL; of two. NULL after cannot(), as an
 * operand is then. */
struct val	*call_one(struct importer *, const char *op, struct val *, const char *name, double);
struct val	*call_two(struct importer *, const char *op, struct val *, struct val *);
/* Another result of the layer that makes V, as the language names it: "last"; NULL: it has none. */
struct val	*call_part(struct importer *, struct val *v, const char *name);

/* Says that the node at hand cannot be expressed, and why; returns false. */
bool	cannot(struct importer *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct val	*val_of(struct importer *, const char *name);	/* never NULL */
struct val	*val_new(struct importer *, const char *name);
void	 val_alias(struct importer *, const char *name, struct val *);	/* another name for it */
/* Another name, under which the source has the batch elsewhere. */
void	 val_view(struct importer *, const char *name, struct val *, struct layout);
struct val	*val_first(const struct val *);	/* what it is a view of */
/* Input K of the node; NULL: it is left out. */
struct val	*node_in(struct importer *, const struct model_node *, int k);
/* A tensor of ours, where it is one or is made one: a constant becomes a parameter of that RANK
 * without the batch,
 * -1: its own. NULL after cannot(). */
struct val	*val_tensor(struct importer *, struct val *, int rank);
/* The same, where the batch may be anywhere among the source's axes; of the other it must be in
 * front. */
struct val	*val_laid(struct importer *, struct val *, int rank);

const struct numbers	*val_numbers(const struct val *);	/* data or stepped; NULL: neither */
bool	 val_has_batch(const struct val *);
bool	 val_is_plain(const struct val *);	/* the batch is in front, or there is none */
int	 val_rank(const struct val *);	/* with the batch, as the source counts */
void	 val_extents(const struct val *, int64_t *dim);	/* as the source counts; of the batch's axis, those a sample */
/* The axis as we count it; false after cannot(), where it is the batch. */
bool	 val_axis(struct importer *, const struct val *, int64_t axis, int *ours);
int	 layout_axis(const struct val *, int axis);	/* which is not the batch's alone */
/* What a reshape makes of a tensor; false after cannot(). */
bool	 layout_reshape(struct importer *, const struct val *, const struct integers *shape, bool zero_is_zero,
	    struct layout *, int *rank, int64_t *dim);
struct joint {			/* of operands that are broadcast */
	struct layout source;
	bool batch;		/* one of them has it */
	int axes, rank;		/* with the batch, as the source counts; of ours */
};

bool	 layout_join(struct importer *, struct val *const *, int n, struct joint *);
/* An operand of them as a tensor of ours of that rank. */
struct val	*layout_operand(struct importer *, struct val *, const struct joint *);

/* Integers of an input that must be known; NULL after cannot(). */
const struct integers	*known_integers(struct importer *, struct val *, const char *what);
/* The integers of a value; NULL: it is none that is known. */
const struct integers	*val_integers(struct importer *, struct val *);
bool	 val_number(const struct val *, double *);	/* one number, as a constant */

/* The tensor in another shape, and with leading axes of extent 1 (onnx_shape.c). */
bool	 reshape_to(struct importer *, const struct model_node *, struct val *, struct layout, int rank, const int64_t *dim);
struct val	*before_reshapes(struct val *);	/* what it was in its first shape */
struct val	*reshape_value(struct importer *, struct val *, int rank, const int64_t *dim);	/* NULL after cannot(), as it is then */
struct val	*permute_value(struct importer *, struct val *, int rank, const int64_t *axes);	/* the same */
struct val	*reshape_raised(struct importer *, struct val *, int rank);
/* The sum or the largest along an axis of ours, which stays as one place (onnx_reduction.c). */
struct val	*reduced_along(struct importer *, const char *ours, struct val *, int axis);
/* Makes an operation of COUNT operands, as NumPy broadcasts them. */
bool	 broadcast_call(struct importer *, const struct model_node *, const char *ours, struct val **, int count);

/* A dense layer of a trained matrix [in, units], or as it is [units, in]; BIAS: NULL, none. */
bool	 dense_call(struct importer *, struct val *, const struct numbers *, bool transposed, const struct numbers *bias,
	    const char *out);

/* What constant numbers do along an axis of ours (along.c); NULL after cannot(). A matrix is [OUT,
 * extent of the axis]. */
double		*along_room(struct importer *, const struct val *, int axis, int64_t out);
struct val	*along_matrix(struct importer *, struct val *, int axis, int64_t out, const double *matrix);
/* COUNT indices from FIRST, each BY more than the one before it. */
struct val	*along_run(struct importer *, struct val *, int axis, int64_t first, int64_t by, int64_t count);
struct val	*along_pick(struct importer *, struct val *, int axis, int64_t count, const int64_t *index);
/* Of values that are joined, slices that follow one another and are all of what they were cut from
 * become that; returns how many are left. */
int		 along_whole(struct val **, int n, int axis);
/* What two values are when they are joined, where they are both parts of one that changed places;
 * NULL: they are not. */
struct val	*along_rolled(struct importer *, struct val *const *, int axis);
/* SIDES: before and after each axis of the value. */
struct val	*along_frame(struct importer *, struct val *, const int64_t (*sides)[2], double value, const char *mode);
/* What the node makes, which has become that of others. */
bool		 node_makes(struct importer *, const struct model_node *, struct val *);

/* A constant of that shape as what the language makes of nothing (made.c): ones on one side of the
 * diagonal and zeros, or on it alone, or numbers that count along an axis; or as formulas make it
 * of such. NULL: it is none. */
struct val	*made_of_nothing(struct importer *, const struct numbers *, int rank, const int64_t *dim);
struct val	*made_of_formula(struct importer *, struct val *, int rank, const int64_t *dim);

/* A block of std/ as if it were an operator: its operands, results and parameters; NULL: it is none
 * that models are made of. */
const struct op	*std_block(const char *name);
const char	*std_file(const struct op *);	/* which a spec uses for it; NULL: it is an operator */

/* What an exporter took apart, of which the node is the last; false: it is none of that
 * (recognise.c). */
bool	 recognise_activation(struct importer *, const struct model_node *);
bool	 recognise_rmsnorm(struct importer *, const struct model_node *);
bool	 recognise_l2norm(struct importer *, const struct model_node *);
bool	 recognise_expm1(struct importer *, const struct model_node *);
bool	 recognise_layernorm(struct importer *, const struct model_node *);
/* A normalisation of groups, which a reshape of what is normalised instance by instance ends. */
bool	 recognise_groupnorm(struct importer *, const struct model_node *, struct val *, struct layout, int rank, const int64_t *dim);
/* Products whose matrices are turned in a step of their own, among all steps: does any do it itself
 * now? */
bool	 recognise_turned(struct importer *);
/* Classes that are compared with each of their numbers (onnx_one_hot.c); are these 0, 1, 2 ...
 * along a last axis? */
bool	 recognise_one_hot(struct importer *, const struct model_node *);
bool	 numbers_count(const struct numbers *);
/* A bias behind a layer of matrices for each place (onnx_einsum.c). */
bool	 recognise_local_bias(struct importer *, const struct model_node *);
/* Rows of a trained table by constant indices, [indices, width] (recognise_lookup.c); NULL after
 * cannot(). */
struct val	*table_rows(struct importer *, struct val *table, const struct numbers *index);
bool	 table_rows_fill(struct importer *);	/* numbers of those that stayed; false after cannot() */
/* Where a name stands for what rotary positions make, it stands for that (recognise_turn.c). */
void	 recognise_turn(struct importer *, const char *name);
/* The core of attention, which a reshape of the heads as one row ends (recognise_attention.c). */
bool	 recognise_attend(struct importer *, const struct model_node *, struct val *, struct layout, int rank, const int64_t *dim);
bool	 exchanges_heads(const struct step *permute);	/* the third last axis with the one behind it, and no other? */
/* The step that makes it, if it is that operator's; NULL. */
const struct step	*made_by(const struct val *, const char *op);
int	 made_at(const struct val *);	/* the number of that step; -1: an input is none's */
const struct attr	*step_attr(const struct step *, const char *name);
bool	 nearly(double, double);

int64_t	 attr_int(const struct model_node *, const char *name, int64_t otherwise);
double	 attr_real(const struct model_node *, const char *name, double otherwise);
#define ONNX_BOOL	9	/* as TensorProto numbers types */
bool	 onnx_is_real(int64_t type);	/* of a Cast's `to`: a type that weights have */
const char	*attr_text(const struct model_node *, const char *name, const char *otherwise);
bool	 attr_ints(const struct model_node *, const char *name, int *n, const int64_t **);

/* The layer that a node is in, as the source calls it: "layer1.0.conv1"; NULL or "": it does not
 * say. */
const char	*node_scope(struct importer *, const struct model_node *);
void	 count_users(struct importer *);	/* once, before these (users.c) */
/* The node that alone reads a name, which is no result of the network; NULL: several, or none. */
const struct model_node	*sole_user(struct importer *, const char *name);
bool	 read_by_node(struct importer *, const char *name);	/* or is it a result of the network at most? */
void	 node_done(struct importer *, const struct model_node *);	/* it is not to be translated */

/* The same of a node of our own domain (our_step.c). */
bool	 our_step(struct importer *, const struct model_node *);
/* Makes a step of a node of ONNX, without computing it; false after cannot() (import.c). */
bool	 onnx_step(struct importer *, const struct model_node *);

/* Computes what is known without running the network; false: it is none of that. */
bool	 fold_node(struct importer *, const struct model_node *);
bool	 fold_array(struct importer *, const struct model_node *);	/* the same, of arrays of any rank (arrays.c) */

bool	 input_looks_up(struct importer *, const char *name);	/* do its numbers stand for rows of a table (whole.c)? */
bool	 input_is_bytes(struct importer *, const char *name);	/* is all that reads its numbers a cast to real ones? */
bool	 both_whole(const struct val *, const struct val *);
void	 whole_follow(struct importer *, const struct model_node *);	/* after it became steps */
/* What is in front of the point, of a number and of a quotient of whole ones that have the same
 * shape; NULL after cannot(). */
struct val	*whole_part(struct importer *, struct val *);
struct val	*whole_quotient(struct importer *, struct val *x, struct val *y);
/* Makes an input of the network of what the file says of a value (import.c). */
bool	 input_add(struct importer *, const struct model_value *, const char **why);
/* What of ours does nearly the same; NULL: nothing is known that does. */
const char	*onnx_closest(const char *op);
/* Takes back the problems of a node, from the PROBLEMS-th on, and makes inputs of what it makes, if
 * that is asked for; false: it is not, or it cannot be done, as the problem then says. */
bool	 cut_node(struct importer *, const struct model_node *, int problems);
void	 cut_inputs(struct importer *);	/* leaves out those that nothing reads any more */

/* Numbers steps anew, in the order of a spec's statements (written.c). */
void	 steps_as_written(struct importer *);

/* Which layers share weights; false after cannot(). */
bool	 share_weights(struct importer *);
bool	 numbers_are_alike(const struct numbers *);	/* a vector of one number */
int	 step_shared(const struct step *);	/* so many of its weights, the first ones, are another's */

/* Finds the patterns that stand for what is frozen. */
void	 frozen_say(struct importer *, const struct module *);

/* Which words of the spec, compiled as that module, say which nodes of the model (origins.c). */
void	 origins_find(struct importer *, const struct module *, struct source *spec);

/* The loss that the model was compiled with, if it is of what comes out: of a softmax's
 * probabilities, or, with the softmax as a part of the loss, of what is none. */
void		 compiled_loss_find(struct importer *, const struct val *logits, int along);
void		 compiled_say(struct importer *);	/* notes of it */

/* What the spec minimises; "none": nothing. */
const char	*spec_loss(struct importer *);
int		 spec_classes(const struct importer *);	/* along which axis of the output its classes are */
/* From steps to a spec (write.c). */
void	 write_spec(struct importer *);

#endif
