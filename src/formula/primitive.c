/*
 * The operations that formulas are made of, one row each. Gradients are as PyTorch has them
 * (tools/autograd/derivatives.yaml), ties and poles included: of the larger of two equals each
 * takes half, and what a condition leaves out gets none, not even of what is not finite.
 */
#include "formula/formula.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define OF(name, value)	\
	static double of_##name(double a, double b, double c) { (void)a, (void)b, (void)c; return value; }

OF(add, a + b)
OF(sub, a - b)
OF(mul, a * b)
OF(div, a / b)
OF(neg, -a)
OF(pow, pow(a, b))
OF(exp, exp(a))
OF(expm1, expm1(a))
OF(log, log(a))
OF(log1p, log1p(a))
OF(sqrt, sqrt(a))
OF(rsqrt, 1 / sqrt(a))
OF(relu, a <= 0 ? 0 : a)
OF(leaky, a > 0 ? a : b * a)
OF(abs, fabs(a))
OF(sign, a > 0 ? 1 : a < 0 ? -1 : a)
OF(sin, sin(a))
OF(cos, cos(a))
OF(atan, atan(a))
OF(tanh, tanh(a))
OF(sigmoid, 1 / (1 + exp(-a)))
OF(normal, 0.5 * erfc(-a * 0.70710678118654752))	/* the standard normal distribution function */
OF(erf, erf(a))
OF(softplus, a > 0 ? a + log1p(exp(-a)) : log1p(exp(a)))
OF(floor, floor(a))
OF(min, a < b || isnan(a) ? a : b)
OF(max, a > b || isnan(a) ? a : b)
OF(less, a < b)
OF(less_equal, a <= b)
OF(greater, a > b)
OF(greater_equal, a >= b)
OF(equal, a == b)
OF(not_equal, a != b)
OF(where, a != 0 ? b : c)

#define ZERO	{ "0", "0" }	/* flat wherever it is not a step */

const struct primitive primitive_table[] = {
	/* name, operands, binds, in C, gradients, cost */
	{ "+", 2, 2, "$1 + $2", { "d", "d" }, 1, of_add },
	{ "-", 2, 2, "$1 - $2", { "d", "-d" }, 1, of_sub },
	{ "*", 2, 3, "$1 * $2", { "d * b", "d * a" }, 1, of_mul },
	{ "/", 2, 3, "$1 / $2", { "d / b", "-d * y / b" }, 4, of_div },
	{ "-", 1, 4, "-$1", { "-d" }, 1, of_neg },
	{ "^", 2, 5, "pow_of($1, $2)", {
	    "where(b == 0, 0, d * b * a ^ (b - 1))",
	    "where((a == 0) * (b >= 0), 0, d * y * log(a))" }, 30, of_pow },
	{ "exp", 1, 0, "exp_of($1)", { "d * y" }, 10, of_exp },
	{ "expm1", 1, 0, "expm1_of($1)", { "d * (y + 1)" }, 14, of_expm1 },
	{ "log", 1, 0, "log_of($1)", { "d / a" }, 12, of_log },
	{ "log1p", 1, 0, "log1p_of($1)", { "d / (a + 1)" }, 14, of_log1p },
	{ "sqrt", 1, 0, "R(sqrt)($1)", { "d / (2 * y)" }, 6, of_sqrt },
	{ "rsqrt", 1, 0, "rsqrt_of($1)", { "-0.5 * d * y * y * y" }, 8, of_rsqrt },
	{ "relu", 1, 0, "rectified($1)", { "where(y <= 0, 0, d)" }, 1, of_relu },
	/* b is not negative, so that y has the sign of a */
	{ "leaky", 2, 0, "leaky_of($1, $2)", { "where(y > 0, d, b * d)", "where(y > 0, 0, d * a)" }, 2, of_leaky },
	{ "abs", 1, 0, "R(fabs)($1)", { "d * sign(a)" }, 1, of_abs },
	{ "sign", 1, 0, "sign_of($1)", ZERO, 2, of_sign },
	{ "sin", 1, 0, "R(sin)($1)", { "d * cos(a)" }, 20, of_sin },
	{ "cos", 1, 0, "R(cos)($1)", { "-d * sin(a)" }, 20, of_cos },
	{ "atan", 1, 0, "R(atan)($1)", { "d / (a * a + 1)" }, 20, of_atan },
	{ "tanh", 1, 0, "tanh_of($1)", { "d * (1 - y * y)" }, 16, of_tanh },
	{ "sigmoid", 1, 0, "logistic($1)", { "d * y * (1 - y)" }, 14, of_sigmoid },
	{ "normal", 1, 0, "normal_below($1)", { "0.39894228040143268 * d * exp(-0.5 * a * a)" }, 20, of_normal },
	{ "erf", 1, 0, "erf_of($1)", { "1.1283791670955126 * d * exp(-a * a)" }, 20, of_erf },
	{ "softplus", 1, 0, "softplus_of($1)", { "d * sigmoid(a)" }, 24, of_softplus },
	{ "floor", 1, 0, "R(floor)($1)", ZERO, 1, of_floor },
	{ "min", 2, 0, "min_of($1, $2)", {
	    "where(a < b, d, where(a == b, 0.5 * d, 0))",
	    "where(b < a, d, where(a == b, 0.5 * d, 0))" }, 1, of_min },
	{ "max", 2, 0, "max_of($1, $2)", {
	    "where(a > b, d, where(a == b, 0.5 * d, 0))",
	    "where(b > a, d, where(a == b, 0.5 * d, 0))" }, 1, of_max },
	{ "<", 2, 1, "(real)($1 < $2)", ZERO, 1, of_less },
	{ "<=", 2, 1, "(real)($1 <= $2)", ZERO, 1, of_less_equal },
	{ ">", 2, 1, "(real)($1 > $2)", ZERO, 1, of_greater },
	{ ">=", 2, 1, "(real)($1 >= $2)", ZERO, 1, of_greater_equal },
	{ "==", 2, 1, "(real)($1 == $2)", ZERO, 1, of_equal },
	{ "!=", 2, 1, "(real)($1 != $2)", ZERO, 1, of_not_equal },
	{ "where", 3, 0, "($1 != 0 ? $2 : $3)", { "0", "where(a, d, 0)", "where(a, 0, d)" }, 1, of_where },
	{ .name = NULL }
};

const struct primitive *
primitive_find(const char *name, int operands)
{
	const struct primitive *p;

	for (p = primitive_table; p->name; p++)
		if (p->operands == operands && strcmp(p->name, name) == 0)
			return p;
	return NULL;
}
