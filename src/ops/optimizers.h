/*
 * What optimizers share. in: parameter, gradient, clip scale or NULL, state...; out: the new
 * parameter and state, each in the bytes of the old.
 */
#ifndef STOWAGE_OPS_OPTIMIZERS_H
#define STOWAGE_OPS_OPTIMIZERS_H

#include "calls/emitter.h"
#include "ir/op.h"

#define FIRST_STATE	3

/* What Adam takes, and what goes by its two means. */
#define ADAM_ATTRS(EPS)										\
	{ "lr", ATTR_REAL, "learning rate", .preset = "1e-3", .min = 0, .max = 1e6, .is_rate = true },	\
	{ "beta1", ATTR_REAL, "share kept of the mean gradient", .preset = "0.9",		\
	    .min = 0, .max = 0.9999999 },							\
	{ "beta2", ATTR_REAL, "share kept of the mean squared gradient", .preset = "0.999",	\
	    .min = 0, .max = 0.9999999 },							\
	{ "eps", ATTR_REAL, "added to the root of the mean square", .preset = EPS,		\
	    .min = 0, .max = 1 }

extern const struct op op_sgd;
extern const struct attr_spec optimizer_adamw_attrs[];

/* Makes the states named (a 16-bit parameter also gets an f32 "master" copy, last, or
 * where the spec wants it an "average") and the
 * outputs. */
bool	optimizer_shape(struct build *, struct node *, int nstates, const char *const *state);
/* The same, of states that are not as the parameter is. */
struct state_shape {
	const struct dtype *dtype;
	int rank;
	int64_t dim[MAX_RANK];
};

bool	optimizer_shapes(struct build *, struct node *, int nstates, const char *const *state,
	    const struct state_shape *);
/* Adam's two means, as the parameter is. */
bool	optimizer_shape_means(struct build *, struct node *);
int	optimizer_alias(const struct node *, int k);
/* The new running average, or NULL. */
const struct tensor	*optimizer_average(const struct node *);

/* As op->calls.row(). */
void	optimizer_row(const struct node *, struct update_row *);
/* Can one call do B together with A, which is before it? */
bool	optimizer_joins(const struct node *a, const struct node *b);

/* Of updates that see all elements of a parameter before they change one, and so have a call each:
 * the parameter with its states, as kernels/update/updates.cu takes it, and in how many parts sums
 * over it are made. */
const char	*optimizer_share(struct emitter *, const struct node *);
int64_t		 optimizer_parts(const struct node *);
/* How many times the learning rate its rate is; 1 of what has none. */
double		 optimizer_rate(const struct module *, const struct node *);
/* Steps from one such update to the next. */
int64_t		 optimizer_every(const struct module *, const struct node *);
/* As emit_update_numbers(): so many numbers for N's call; and those of Adam's means of such
 * shares. */
struct call_arg	optimizer_numbers(struct emitter *, const struct node *n, const char *function, int count,
    const char *arguments);
struct call_arg	optimizer_adam_numbers(struct emitter *, const struct node *n);

/* PyTorch's Adam and AdamW: two states; the root of the second, or before that a copy of the
 * gradients for weight decay, is a temporary. */
struct torch_update	optimizer_torch_adam(const struct node *);

#endif
