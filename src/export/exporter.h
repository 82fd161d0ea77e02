/*
 * From our graph to a model of ONNX's operators. Layers are translated one by one, in the order in
 * which they run, by the record of their operator; of what that makes, what the result does not
 * need is dropped again. Shapes get a batch in front, whose extent has a name.
 */
#ifndef STOWAGE_EXPORT_EXPORTER_H
#define STOWAGE_EXPORT_EXPORTER_H

#include "base/map.h"
#include "export/export.h"
#include "import/model.h"
#include "ir/op.h"

struct exporter {
	struct arena *arena;
	struct module *module;
	const struct checkpoint *checkpoint;
	const char *root;		/* the folder below which the spec's files lie */
	struct exported *result;
	struct model *model;
	struct model *whole;		/* where constants are: the model, or the function that is being made */
	struct model *body;		/* where nodes are appended: that, or a graph in one of its nodes */
	const char *within;		/* the operator whose function is being made; NULL: none */
	const struct node *node;	/* the one at hand */
	const char **value;		/* by a tensor's id, what it is called; NULL: it is not there yet */
	bool *boxed, *apart;		/* by a tensor's id: does a layer that is a function need it; does one make it? */
	bool training;			/* layers are as training runs them, for gradients */
	int turn;			/* of training: the update, as tensors have it; 0: there is one, of all */
	const char *about;		/* the layer of whose gradient nodes are; NULL: they are the layer */
	struct map origin;		/* of training: const struct node *, by the value that it made */
	struct map stopped;		/* of training: values that have no gradient, whatever they are made of */
	struct map names;		/* taken */
	struct map constants;		/* values.c: those that others may be like */
	const char *samples;		/* what has the batch in front; NULL: nothing */
	const char *batch;		/* the batch as a vector of one, once it was asked for */
	bool failed;			/* the node at hand cannot be expressed, as the result says */
	const char *why;		/* a weight that is not there; NULL: none is missing */
};

/* The record of an operator of ours. */
struct export_op {
	const char *name;		/* "conv" */
	const char *same;		/* ONNX's of one operand that does the same: "Relu"; NULL: write() says it */
	bool apart;			/* it becomes a function, whose node alone is read again */
	/* Makes the results of the node (result()). */
	void (*write)(struct exporter *, const struct node *);
	/* The same as training runs it; NULL: by its formula, or else the same. */
	void (*train)(struct exporter *, const struct node *);
};

#define EXPORT_OP_ROW(id, ...)	const struct export_op export_op_##id = { .name = #id, __VA_ARGS__ }

extern const struct export_op *const export_op_table[];	/* made by src/tables.sh; ends with NULL */
extern const int export_op_count;

/* ---- values, which are names ---- */

#define IN(...)	((const char *const[]){ __VA_ARGS__, NULL })	/* "": it is left out */
#define AS(...)	((const struct model_attr[]){ __VA_ARGS__, { .name = NULL } })
#define AS_IS	NULL						/* no attributes */

/* NAME, or with a number behind it, that no other value has. */
const char	*export_name(struct exporter *, const char *name);
/* Appends a node of ONNX's OP, and returns its result. */
const char	*make(struct exporter *, const char *op, const char *const *in, const struct model_attr *);
/* The same of one operand or two, without attributes. They are no functions, so that operands are
 * made from left to right, whatever the compiler, and a model is the same everywhere. */
#define one(x, op, a)		make(x, op, IN(a), AS_IS)
#define two(x, op, a, b)	make(x, op, IN(a, b), AS_IS)
/* The same of COUNT results, into OUT; at most 64. */
void		 make_several(struct exporter *, const char *op, const char *const *in, const struct model_attr *,
		    int count, const char **out);

/* The value under a name that was taken for it. */
void		 called(struct exporter *, const char *value, const char *name);

struct model_attr	attr_is_int(const char *name, int64_t);
struct model_attr	attr_is_real(const char *name, double);
struct model_attr	attr_is_text(const char *name, const char *);
struct model_attr	attr_is_ints(struct exporter *, const char *name, int n, const int64_t *);

/* An operand of ours, a weight included. */
const char	*value_of(struct exporter *, const struct tensor *);
void		 result(struct exporter *, const struct tensor *, const char *value);
/* A weight's numbers in f32; NULL: it is not in the checkpoint, as the exporter then says. */
const struct numbers	*weight_numbers(struct exporter *, const struct tensor *);
/* Numbers that were made of weights, as a weight of that name; returns its own. */
const char	*weight_made(struct exporter *, const char *name, struct numbers *);

/* ---- constants ---- */

const char	*real_constant(struct exporter *, double);	/* a scalar */
const char	*reals_constant(struct exporter *, int rank, const int64_t *dim, const double *);
const char	*ints_constant(struct exporter *, int n, const int64_t *);	/* a vector of int64 */
const char	*int_constant(struct exporter *, int64_t);	/* one of one number */
/* Indices of a table, [N] of int32, of that shape; and 0, 1, ... N - 1. */
const char	*places_constant(struct exporter *, int rank, const int64_t *dim, const int32_t *);
const char	*counted(struct exporter *, int rank, const int64_t *dim);

/* ---- types and shapes ---- */

int		 onnx_type(enum element);	/* as TensorProto.DataType of onnx.proto counts them */
const char	*cast_to(struct exporter *, const char *value, enum element);
/* By "ReduceMax" or another, along axes, which stay as axes of one if they are to be kept. */
const char	*reduced(struct exporter *, const char *op, const char *value, int count, const int64_t *axes, bool keep);
int		 onnx_axis(const struct tensor *, int64_t axis);	/* an axis of ours, which may count from the end */
const char	*reshaped(struct exporter *, const char *value, bool batched, int rank, const int64_t *dim);
const char	*reshaped_as(struct exporter *, const char *value, const struct tensor *);
/* A value that does not depend on the batch, repeated for each sample. */
const char	*for_each_sample(struct exporter *, const char *value, int rank, const int64_t *dim);
const char	*transposed(struct exporter *, const char *value, int rank, const int64_t *axes);
const char	*sliced(struct exporter *, const char *value, int64_t axis, int64_t from, int64_t end);

/* Is it a weight of which the graph has a gradient? */
bool		 export_trains(const struct exporter *, const struct tensor *);
/* Says that the node at hand cannot be expressed, and why. */
void	export_cannot(struct exporter *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A layer by the record of its operator, or its formula (export.c). */
void	layer_write(struct exporter *, const struct node *);
/* The same as a node of a function (function.c). */
void	function_write(struct exporter *, const struct node *);
/* Of a model or a function what its outputs need; NAMES are what is read (export.c). */
void	keep_needed_nodes(struct exporter *, struct model *, struct map *names);

/* A Scan (layer_scan.c), whose body has states first among its inputs and outputs; made there is of
 * each step. */
struct steps {
	struct model *body;
	int states;
	bool reverse;
	const int64_t *axes;	/* of sequences; then of what is made */
};

/* A body, whose nodes are made between these; begin returns the graph around it. */
struct model	*steps_begin(struct exporter *, struct model *body);
/* An input of the body, of that type and shape, by a name that no other value has. */
const char	*steps_input(struct exporter *, struct model *body, const char *name, enum element, bool batched, int rank,
		    const int64_t *dim);
/* An output of the body, which may be an input of it, or another result too. */
void		 steps_output(struct exporter *, struct model *body, struct model_value, const char *value);
/* Ends a body that is to be differentiated: what its states were before each step is made, too,
 * along axis 0. */
void		 steps_remember(struct exporter *, struct model *body, int states);
/* The node, of which IN are operands of the body's inputs. OUT: as many as the body's outputs. */
void		 steps_make(struct exporter *, const struct steps *, const char *const *in, const char **out);

/* Translates what some results need of a graph whose inputs have values (export.c). */
void	export_nodes(struct exporter *, const struct graph *, int count, const struct result *wanted);
/* An input or an output of a graph. */
struct model_value	export_described(struct exporter *, const struct tensor *, const char *name);

/* A formula of elements, by ONNX's arithmetic (formula_nodes.c). */
void	formula_write(struct exporter *, const struct node *);
const char	*formula_value(struct exporter *, const struct node *);	/* NULL after export_cannot() */

#endif
