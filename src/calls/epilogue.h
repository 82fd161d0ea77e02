/*
 * Formulas that products and norms do to what they make before they store it, or to what arrives
 * there before they read it (kernels/pointwise/epilogue.cu): each is a function of a program, and a
 * row of a list that the program has in front of its kernels.
 */
#ifndef STOWAGE_CALLS_EPILOGUE_H
#define STOWAGE_CALLS_EPILOGUE_H

#include "calls/emitter.h"
#include "formula/formula.h"

/* The program's list is to have F, of an element and, as its second operand, what is read
 * beside. */
void	epilogue_note(struct emitter *, const struct formula *f);
/* Writes the list, of all that were noted. */
void	epilogue_list(struct emitter *);
/* Writes the function of F, unless the program has it. */
void	epilogue_define(struct emitter *, const struct formula *f);
/* An argument of a call: "THEN(SILU)", or with what is read beside "THEN_WITH(SILU_GRAD,
 * F32(1024))". */
struct call_arg	epilogue_arg(struct emitter *, const struct formula *f, const struct tensor *beside);

/* Is what was noted what libraries know as relu? */
bool	epilogue_is_relu(const struct emitter *, const struct formula *f);

#endif
