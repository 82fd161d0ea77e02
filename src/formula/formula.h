/*
 * A formula of elements: what becomes of one element of each operand, as a list of terms in which
 * none is there twice.
 *
 *     x * sigmoid(x)      x        operand 0
 *                         sigmoid  of term 0
 *                         mul      of terms 0, 1: the result
 *
 * Terms are real numbers; a comparison is 1 or 0. Arithmetic of numbers alone is done when a term
 * is made, in double precision, and what does nothing (x + 0, x * 1) is no term; x * 0 stays, for
 * the sake of x that is not finite.
 */
#ifndef STOWAGE_FORMULA_FORMULA_H
#define STOWAGE_FORMULA_FORMULA_H

#include <stdbool.h>

#include "base/text.h"
#include "base/vec.h"

#define FORMULA_OPERANDS	12
#define FORMULA_RESULTS		8
#define PRIMITIVE_OPERANDS	3

/* What terms are made of: a row of primitive.c. */
struct primitive {
	const char *name;	/* as formulas call it; for an infix one its sign */
	int operands;
	int binds;		/* how strongly, if it is infix; 0: it is a function */
	const char *c;		/* its text in C; $1, $2 and $3 stand for its operands */
	/* The gradient of each operand, as a formula of its operands a, b and c, its result y and
	 * the gradient d that arrives; NULL: it has none */
	const char *gradient[PRIMITIVE_OPERANDS];
	int cost;		/* in multiplications, about */
	double (*of)(double, double, double);
};

extern const struct primitive primitive_table[];	/* ends with a name of NULL */
const struct primitive	*primitive_find(const char *name, int operands);	/* NULL: there is none */

enum { TERM_NUMBER = -1, TERM_PRIMITIVE = -2 };	/* in place of an operand */

struct term {
	int operand;		/* its number; or one of the above */
	double number;
	const struct primitive *op;
	int of[PRIMITIVE_OPERANDS];	/* terms before this one */
};

struct formula {
	struct arena *arena;
	const char *name;	/* of what it does, an identifier: kernels are called by it; NULL: nothing yet */
	int operands;
	VEC(struct term) terms;
	int *slot;		/* where terms are found by what they are: one more than a term, or 0 */
	int slots;		/* a power of 2, more than twice the terms; 0: there are few */
	int results;
	int result[FORMULA_RESULTS];	/* terms */
};

struct formula	*formula_new(struct arena *, int operands);
/* The same in another arena, its name too. */
struct formula	*formula_keep(struct arena *, const struct formula *);

/* ---- terms: made, or found where the formula has them already ---- */

int	formula_operand(struct formula *, int k);
int	formula_number(struct formula *, double);
int	formula_apply(struct formula *, const struct primitive *, const int *of);

/* The terms of FROM's result K, with VALUE[i] in place of its operand i; its term here. */
int	formula_insert(struct formula *, const struct formula *from, int k, const int *value);

/* ---- reading ---- */

struct formula_name {		/* a name in a formula, and its term */
	const char *name;
	int term;
};

/* Reads TEXT as a term; -1: it is none, and *WHERE is what could not be read. NAMES end with
 * NULL. */
int	formula_read(struct formula *, const char *text, const struct formula_name *names, const char **where);

/* A whole formula as formula_text() writes it; NULL: it is none. */
struct formula	*formula_parse(struct arena *, const char *text);

/* ---- writing ---- */

/* "x0, x1: t0 = exp(x0); t0 * x1" */
const char	*formula_text(struct arena *, const struct formula *);

/* The body of a function in C: declarations of what is used more than once, each after INDENT, into
 * OUT; and in RESULT[k] what result K is. Operands are called OPERAND[i], and numbers are literals
 * of the type `real`, as LITERAL() writes them. */
void	formula_c(const struct formula *, struct text *out, const char *indent, const char *const *operand,
	    const char *(*literal)(void *, double), void *context, const char **result);

/* ---- calculus ---- */

/*
 * The gradients of the operands that are WANTED, given those of all results. Operands of the
 * gradient are those of F, then its results, then the results' gradients; what it does not need, it
 * does not read (formula_reads()). Where BY_RESULTS, results stand for their terms, so that what
 * they were made of may not be needed. NULL: one of them has no gradient.
 */
struct formula	*formula_gradient(struct arena *, const struct formula *f, const bool *wanted,
		    bool by_results);

/*
 * What passes back to operand K of F, which has one result: a formula of what arrives at the result
 * (operand 0) and of the operand (1), or BY_RESULT of the result. NULL: it has no gradient, none
 * that is of what arrives, or one that reads more.
 */
struct formula	*formula_passed(struct arena *, const struct formula *f, int k, bool by_result);

/* Is its only result operand 0 as it is, or 0, whatever the others are? So says what passes a
 * relu. */
bool	formula_is_gate(const struct formula *);

bool	formula_reads(const struct formula *, int operand);
/* Which operand its only result is; -1: it is more. */
int	formula_alone(const struct formula *);
/* Drops the operands that it does not read; KEPT[i] is which one operand i of the new formula
 * was. */
struct formula	*formula_drop_unread(struct arena *, const struct formula *, int *kept);

/* What computing all results takes, in multiplications, about. */
int	formula_cost(const struct formula *);
/* The same formula, with the same operands? Terms that no result is made of do not count. */
bool	formula_same(const struct formula *, const struct formula *);

#endif
