/*
 * epilogue.cu - what is done to an element of a product before it is stored: an activation, or the
 * gradient of one. It saves the pass over memory that a separate kernel would need; relu.cu is
 * made of the same functions, so it gives the same numbers. passes/fuse_activation.c finds where.
 *
 *     AS_IS                   c = v
 *     THEN(RELU)              c = relu(v)
 *     THEN_GRAD(RELU, y)      c = v where y > 0, else 0: v is dy, and y lies as c does
 *     THEN_GRAD(GELU, x)      c = v gelu'(x)
 *
 * In C and in our own tiles that is a function of each element. cuBLASLt has relu, gelu by tanh, and
 * the gradient of the latter; its algorithm is chosen together with the epilogue (struct dense_plan),
 * and if there is none, a kernel goes over the result. Two epilogues of cuBLASLt are not used: relu's
 * gradient reads a bit mask, one more tensor to keep although the next layer keeps y anyway; and
 * gelu with its input as a second result would have both alive during the product, beside its
 * workspace, which may be the peak.
 */
#ifndef STOWAGE_PRODUCT_EPILOGUE_CU
#define STOWAGE_PRODUCT_EPILOGUE_CU

#include "pointwise/exp.cu"
#include "kernel.h"

enum epilogue_kind {
	NO_EPILOGUE, RELU, GELU, GELU_TANH, RELU_GRAD, GELU_GRAD, GELU_TANH_GRAD
};

struct epilogue {
	enum epilogue_kind kind;
	const elem *saved;	/* of gradients: what they read, as large as the product's result */
};

#ifdef __CUDACC__
__host__
#endif
DEVICE struct epilogue
epilogue_of(enum epilogue_kind kind, const elem *saved)
{
	struct epilogue e;

	e.kind = kind;
	e.saved = saved;
	return e;
}

#define AS_IS	epilogue_of(NO_EPILOGUE, NULL)
#define THEN(name)	epilogue_of(name, NULL)
#define THEN_GRAD(name, saved)	epilogue_of(name##_GRAD, saved)

/* Not-a-number passes through, so that it shows in the loss instead of being taken for 0. */
DEVICE real
relu_of(real x)
{
	return x <= 0 ? 0 : x;
}

DEVICE real
relu_grad_of(real dy, real y)
{
	return y <= 0 ? 0 : dy;
}

#define INV_SQRT_2PI	REAL(0.39894228040143268)
#define SQRT_2_OVER_PI	REAL(0.79788456080286536)
#define GELU_CUBIC	REAL(0.044715)

DEVICE real
gelu_of(real x)
{
	return x * normal_below(x);
}

DEVICE real
gelu_grad_of(real dy, real x)
{
	return dy * (normal_below(x) + x * (INV_SQRT_2PI * exp_of(REAL(-0.5) * x * x)));
}

DEVICE real
gelu_tanh_of(real x)
{
	return REAL(0.5) * x * (1 + tanh_of(SQRT_2_OVER_PI * (x + GELU_CUBIC * x * x * x)));
}

DEVICE real
gelu_tanh_grad_of(real dy, real x)
{
	real t = tanh_of(SQRT_2_OVER_PI * (x + GELU_CUBIC * x * x * x));
	real inner = SQRT_2_OVER_PI * (1 + 3 * GELU_CUBIC * x * x);

	return dy * REAL(0.5) * (1 + t + x * (1 - t * t) * inner);
}

/* Of element I. In C the kind is a constant wherever this is called from a loop. */
DEVICE real
epilogue_value(struct epilogue e, real v, int64_t i)
{
	switch (e.kind) {
	case RELU:
		return relu_of(v);
	case GELU:
		return gelu_of(v);
	case GELU_TANH:
		return gelu_tanh_of(v);
	case RELU_GRAD:
		return relu_grad_of(v, VALUE(e.saved[i]));
	case GELU_GRAD:
		return gelu_grad_of(v, VALUE(e.saved[i]));
	case GELU_TANH_GRAD:
		return gelu_tanh_grad_of(v, VALUE(e.saved[i]));
	default:
		return v;
	}
}

/* CALL(kind) with a constant, so that the loop in it is made for that one. */
#define EPILOGUE_CASES(e, CALL)									\
	switch ((e).kind) {									\
	case RELU: CALL(RELU); break;								\
	case GELU: CALL(GELU); break;								\
	case GELU_TANH: CALL(GELU_TANH); break;							\
	case RELU_GRAD: CALL(RELU_GRAD); break;							\
	case GELU_GRAD: CALL(GELU_GRAD); break;							\
	case GELU_TANH_GRAD: CALL(GELU_TANH_GRAD); break;					\
	case NO_EPILOGUE: break;								\
	}

KERNEL(epilogue_kernel, (elem *c, struct epilogue e, int64_t n))
{
	const elem *saved = e.saved ? e.saved : c;

#define APPLY(kind)	MAP_2 (c, c, saved, n, v, s,						\
	    ELEM(epilogue_value(epilogue_of(kind, &s), VALUE(v), 0)))
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

#endif
