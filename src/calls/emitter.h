/*
 * Writing the program. The program's text is the same for every target but for its prologue; a
 * struct target says how a target aligns, what it adds before the kernels, and how it is built.
 *
 * An operator's emit() writes calls like
 *
 *     relu_forward(F32(4096), F32(1024), b * 4704);
 *
 * through emit_call(), so that offsets, casts and the batch come out alike everywhere.
 */
#ifndef STOWAGE_EMIT_EMIT_H
#define STOWAGE_EMIT_EMIT_H

#include "base/text.h"
#include "ir/ir.h"
#include "plan/plan.h"

struct emitter;

/* What a program takes of its device beside the arena: an estimate, item by item. */
struct reserve {
	const char *what;
	int64_t bytes;
	bool reported;		/* already missing from the memory that the driver reports */
	/* not 0: what it takes of a card that is known, for each thread that may be on it at once, and
	 * beside that */
	int a_thread;
	int64_t beside;
};

struct target {
	const char *name;	/* "c", "cuda" */
	const char *brief;
	const char *suffix;	/* of the source file: ".c", ".cu" */
	int alignment;		/* bytes */
	bool gpu;
	const struct reserve *reserve;	/* ends with what NULL; NULL: nothing */
	/* the text between the generated header and kernels/kernel.h */
	void (*prologue)(struct emitter *);
	/* the Makefile beside the program */
	void (*makefile)(struct text *, const struct emitter *, const char *program);
};

/* What comes off MEMORY: nothing where the driver of the device is known to report it without. */
int64_t	reserve_bytes(const struct reserve *, const struct device *, int64_t memory);
/* What a program for the target can have of its device's memory. */
int64_t	target_memory(const struct target *, const struct device *);

extern const struct target *const target_table[];	/* ends with NULL; the first is the default */
const struct target	*target_find(const char *name);

struct conv;			/* kernels/sizes.cu */
struct emit_convolution;	/* program.h */

struct engines {			/* what engines.c could say of the convolutions */
	int asked, chosen;
	int version;		/* of cuDNN: 91900 */
};

struct update_row {		/* a parameter that is updated, or the sum of a gradient: op->row() */
	const char *name;
	const struct tensor *weight, *master, *gradient, *state[2];	/* may be NULL, but not all */
	const struct tensor *clip;	/* the factor of the gradient, or NULL */
	double decay;
	int64_t before;		/* chunks of those before it in its call (kernels/optimizer.cu) */
};

struct emitter {
	const struct module *module;
	const struct plan *plan;
	const struct target *target;
	const struct graph *graph;	/* being written */
	const struct tensor *prediction;	/* of that graph, for --predict, or NULL */
	VEC(struct emit_convolution) convolutions;	/* of the steps written so far */
	struct engines engines;
	VEC(struct update_row) updates;	/* rows of the tables that the steps written so far need */
	VEC(const struct tensor *) clipped;
	bool clips;		/* a norm of gradients is taken, be it of none */
	const char *together;	/* the rows that the update being written is for, as text */
	struct text *out;
};

/*
 * Writes one call of FUNCTION. SIGNATURE has a letter an argument:
 *   t  struct tensor *: typed pointer into the arena, "NULL" when the tensor is NULL
 *   w  the node's workspace (struct node *): void pointer, NULL when it has none
 *   z  its size in bytes (struct node *), as int64_t at the running batch
 *   n  struct tensor *: its element count at the running batch: "b * 4704", or "150"
 *   b  struct tensor *: "b" when it is batched, else "1"
 *   i  int64_t: a literal
 *   r  double: a literal of type real, exact to the last bit
 *   o  struct node *: what becomes of what lies where it writes: ANEW, ONTO(0.9)
 *   s  const char *: written as it is ("lr", "step", a macro)
 *   k  struct node *: the random stream of this node: a number unique to the forward node
 */
void	emit_call(struct emitter *, const char *function, const char *signature, ...);

/* FUNCTION, or where elements have 16 bits and the tensor is f32, its sister for reals. */
const char	*emit_kernel(struct emitter *, const char *function, const struct tensor *);

/* As letter t writes it. */
const char	*emit_pointer(struct emitter *, const struct tensor *);

/* Notes that the node, a convolution of that shape, is one of KIND (DNN_FORWARD, ...). */
void	emit_convolution(struct emitter *, const struct node *, int kind, bool bias,
	    bool relu, const struct conv *);
/* The same of a part of it that sees SOURCE alone, from row TOP and column LEFT on; it keeps so much of
 * what lies there. Beside its workspace there is a copy of its weights. */
void	emit_convolution_part(struct emitter *, const struct node *, int kind, bool bias,
	    double keep, const struct conv *, const struct tensor *source, int64_t top, int64_t left);

/* Calls for the squares of the node's operands, gradients from that one on, in its workspace. */
void	emit_squares(struct emitter *, const struct node *, int from);

/* The whole program for a planned module: source and Makefile into arena text. */
bool	emit_program(struct module *, const struct target *, struct text *source,
	    struct text *makefile, const char *program);

/* Generated from kernels/: the text of each file, by name ("conv.cu", "host/data.h"). */
struct embedded {
	const char *name;
	const char *text;
};
extern const struct embedded embedded_table[];	/* ends with name NULL */

#endif
