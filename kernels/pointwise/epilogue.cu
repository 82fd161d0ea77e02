/*
 * pointwise/epilogue.cu - what is done to an element of a product or a norm before it is stored: a
 * formula of the network's, such as an activation, or the gradient of one. It saves the pass over
 * memory that a separate kernel would need, and gives the same numbers. passes/fuse_activation.c
 * and passes/fuse_norm.c find where.
 *
 *     AS_IS                   c = v
 *     THEN(SILU)              c = silu_then(v, 0), which is v * logistic(v)
 *     THEN_WITH(RELU_GRAD, y) c = relu_grad_then(v, y): v is dy, and y lies as c does
 *
 * The program has the functions, and EPILOGUES(CASE), a list of them: CASE(kind, function, does it
 * read the other operand?, what libraries call it). In C, in our own tiles and in norms an epilogue
 * is a function of each element. cuBLASLt has relu, gelu by tanh, and the gradient of the latter;
 * its algorithm is chosen together with the epilogue (struct dense_plan), and if there is none, a
 * kernel goes over the result. Relu's gradient it reads as bits, one more tensor to keep where the
 * next layer keeps y anyway; where none does, product/dense_gated.cu has them. And gelu with its
 * input as a second result is not used: both would be alive during the product, beside its
 * workspace, which may be the peak.
 */
#ifndef STOWAGE_POINTWISE_EPILOGUE_CU
#define STOWAGE_POINTWISE_EPILOGUE_CU

#include "pointwise/formula.cu"
#include "kernel.h"

#ifndef EPILOGUES	/* a program has one */
#define EPILOGUES(CASE)
#endif

#define DECLARE_EPILOGUE(kind, function, reads, known)	DEVICE real function(real v, real s);

EPILOGUES(DECLARE_EPILOGUE)

#define EPILOGUE_KIND(kind, function, reads, known)	kind,

enum epilogue_kind { NO_EPILOGUE, EPILOGUES(EPILOGUE_KIND) };

struct epilogue {
	enum epilogue_kind kind;
	const elem *saved;	/* what it reads beside the product's result, as large; or NULL */
};

DEVICE_TOO struct epilogue
epilogue_of(enum epilogue_kind kind, const elem *saved)
{
	struct epilogue e;

	e.kind = kind;
	e.saved = saved;
	return e;
}

/* The same where element I of C is the first. */
DEVICE_TOO struct epilogue
epilogue_beyond(struct epilogue e, int64_t i)
{
	return epilogue_of(e.kind, e.saved ? e.saved + i : NULL);
}

#define AS_IS	epilogue_of(NO_EPILOGUE, NULL)
#define THEN(name)	epilogue_of(DO_##name, NULL)
#define THEN_WITH(name, saved)	epilogue_of(DO_##name, saved)

/* Of V and S, both of them there. In C the kind is a constant wherever this, or what is next, is
 * called from a loop. */
DEVICE real
epilogue_of_both(enum epilogue_kind kind, real v, real s)
{
#define EPILOGUE_OF_BOTH(kind_, function, reads, known)						\
	case kind_:										\
		return function(v, s);
	(void)s;
	switch (kind) {
	EPILOGUES(EPILOGUE_OF_BOTH)
	default:
		return v;
	}
#undef EPILOGUE_OF_BOTH
}

/* Of V and what is read beside element I. */
DEVICE real
epilogue_value(struct epilogue e, real v, int64_t i)
{
#define EPILOGUE_VALUE(kind_, function, reads, known)						\
	case kind_:										\
		return function(v, reads ? VALUE(e.saved[i]) : 0);
	(void)i;
	switch (e.kind) {
	EPILOGUES(EPILOGUE_VALUE)
	default:
		return v;
	}
#undef EPILOGUE_VALUE
}

/* CASE(kind, ...) of the one that it is, so that the loop in it is made for that one. */
#define EPILOGUE_CASES(e, CASE)									\
	switch ((e).kind) {									\
	EPILOGUES(CASE)										\
	case NO_EPILOGUE: break;								\
	}
/* And of the one that does nothing: the same CASE has it. */
#define EPILOGUE_CASES_ALL(kind, CASE)								\
	switch (kind) {									\
	EPILOGUES(CASE)										\
	CASE(NO_EPILOGUE, as_is, false, OF_NOBODY)						\
	}

KERNEL(epilogue_kernel, (elem *c, struct epilogue e, int64_t n))
{
#define APPLY(kind_, function, reads, known)							\
	case kind_: {										\
		const elem *saved = reads ? e.saved : c;					\
												\
		MAP_2 (c, c, saved, n, v, s, ELEM(function(VALUE(v), VALUE(s))));		\
		break;										\
	}
	EPILOGUE_CASES(e, APPLY)
#undef APPLY
}

/* For products that a library made, which does not do it: N elements of C in place. */
static void
epilogue_apply(elem *c, struct epilogue e, int64_t n)
{
	if (e.kind != NO_EPILOGUE)
		LAUNCH_MAP(epilogue_kernel, n, (c, e, n));
}

#ifdef __CUDACC__

/* What libraries have of their own. */
enum epilogue_known { OF_NOBODY, OF_RELU, OF_GELU_TANH, OF_GELU_TANH_GRAD };

static enum epilogue_known
epilogue_known(struct epilogue e)
{
#define EPILOGUE_KNOWN(kind_, function, reads, known)						\
	case kind_:										\
		return known;
	switch (e.kind) {
	EPILOGUES(EPILOGUE_KNOWN)
	default:
		return OF_NOBODY;
	}
#undef EPILOGUE_KNOWN
}

#endif

#endif
