/*
 * Optimizers that are formulas: each is one row (ops/update_formula.h). To add one, write its row;
 * the manual, its states and the kernels of both targets come from it.
 *
 * torch.update() is how many states and temporaries PyTorch's foreach implementation has, for
 * forecasts.
 */
#include "ops/shapes.h"
#include "ops/update_formula.h"

#define OP_ROW(id, title, text, words, ...)							\
	extern const struct op op_##id;								\
	const struct op op_##id = {								\
		.name = #id, .kind = OP_OPTIMIZER, .brief = title, .formula = text, .doc = words,	\
		.flags = OP_ELEMENTWISE, .operands = "parameter gradient clip",			\
		.min_operands = 2, .max_operands = 3,						\
		.shape = update_formula_shape, .memory.alias = optimizer_alias,			\
		.calls.row = optimizer_row, .calls.kernels = "update/formula.cu", .calls.listed = true,		\
		.calls.define = update_formula_define, .calls.emit = update_formula_emit, __VA_ARGS__	\
	}

#define ATTRS(rate, ...)	.attrs = (const struct attr_spec[]){				\
	{ "lr", ATTR_REAL, "learning rate", .required = false, rate, .min = 0, .max = 1e6, .is_rate = true },	\
	__VA_ARGS__, ATTRS_END }
#define REAL_ATTR(name, preset, least, most, words)						\
	{ name, ATTR_REAL, words, .required = false, preset, .min = least, .max = most }
#define EPS(preset, words)	REAL_ATTR("eps", preset, 0, 1, words)
#define DECAY	REAL_ATTR("weight_decay", "0", 0, 1e6, "share of each weight added to its gradient")
#define SHARE(name, preset, words)	REAL_ATTR(name, preset, 0, 0.9999999, words)

/* A copy of the gradients for weight decay, and the root. */
static struct torch_update
torch_rmsprop(const struct node *n)
{
	return (struct torch_update){ 1 + (op_real(n, "momentum") > 0) + op_bool(n, "centered"),
		1 + (op_real(n, "weight_decay") > 0) };
}

OP_ROW(rmsprop, "steps scaled by a running mean of squared gradients",
    "g = gradient + weight_decay * p; "
    "state square_avg = alpha * square_avg + (1 - alpha) * g * g; "
    "state grad_avg = where(centered, grad_avg + (1 - alpha) * (g - grad_avg), 0); "
    "step = g / (sqrt(where(centered, square_avg - grad_avg * grad_avg, square_avg)) + eps); "
    "state momentum_buffer = where(momentum == 0, step, momentum * momentum_buffer + step); "
    "p - lr * momentum_buffer",
    "g = gradient + weight_decay * p; v = alpha * v + (1 - alpha) * g^2; with centered, m = alpha * m + "
    "(1 - alpha) * g, and m^2 is taken from v; p = p - lr * g / (sqrt(v) + eps); with momentum, b = momentum * b + "
    "g / (sqrt(v) + eps) and p = p - lr * b (Tieleman and Hinton, 2012). The formulas are PyTorch's RMSprop. "
    "State: one number a weight, and one more each with momentum and with centered.",
    ATTRS("0.01", SHARE("alpha", "0.99", "share kept of the mean squared gradient"),
    EPS("1e-8", "added to the root of the mean square"), DECAY,
    REAL_ATTR("momentum", "0", 0, 1, "share of the last step kept in the next"),
    { "centered", ATTR_BOOL, "divide by the deviation, not by the root of the mean square", .required = false,
    "false", .min = 0, .max = 0 }), .torch.update = torch_rmsprop);

/* The root, and the gradients times the rate. */
static struct torch_update
torch_adagrad(const struct node *n)
{
	(void)n;
	return (struct torch_update){ 1, 2 };
}

OP_ROW(adagrad, "steps scaled by the sum of all squared gradients",
    "g = gradient + weight_decay * p; state sum = sum + g * g; "
    "p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(sum) + eps)",
    "g = gradient + weight_decay * p; v = v + g^2; p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(v) + eps) at "
    "update t (Duchi, Hazan and Singer, 2011). The formulas are PyTorch's. State: one number a weight.",
    ATTRS("0.01", REAL_ATTR("lr_decay", "0", 0, 1e6, "how fast the rate falls with updates"), DECAY,
    EPS("1e-10", "added to the root of the sum")), .torch.update = torch_adagrad);

static struct torch_update
torch_adadelta(const struct node *n)
{
	return (struct torch_update){ 2, 2 + (op_real(n, "weight_decay") > 0) };
}

OP_ROW(adadelta, "steps as large as those before, scaled by gradients",
    "g = gradient + weight_decay * p; state square_avg = rho * square_avg + (1 - rho) * g * g; "
    "step = sqrt(acc_delta + eps) / sqrt(square_avg + eps) * g; "
    "state acc_delta = rho * acc_delta + (1 - rho) * step * step; p - lr * step",
    "g = gradient + weight_decay * p; v = rho * v + (1 - rho) * g^2; d = sqrt(u + eps) / sqrt(v + eps) * g; "
    "u = rho * u + (1 - rho) * d^2; p = p - lr * d (Zeiler, 2012). The formulas are PyTorch's. State: two numbers "
    "a weight.",
    ATTRS("1", SHARE("rho", "0.9", "share kept of both means"), EPS("1e-6", "added to both means"), DECAY),
    .torch.update = torch_adadelta);

static struct torch_update
torch_adamax(const struct node *n)
{
	(void)n;
	return (struct torch_update){ 2, 1 };
}

OP_ROW(adamax, "adam that divides by the largest gradient",
    "g = gradient + weight_decay * p; state exp_avg = beta1 * exp_avg + (1 - beta1) * g; "
    "state exp_inf = max(beta2 * exp_inf, abs(g) + eps); p - lr / fix1 * exp_avg / exp_inf",
    "g = gradient + weight_decay * p; m = beta1 * m + (1 - beta1) * g; u = max(beta2 * u, |g| + eps); "
    "p = p - lr / (1 - beta1^t) * m / u at update t (Kingma and Ba, 2014). The formulas are PyTorch's. State: two "
    "numbers a weight.",
    ATTRS("2e-3", SHARE("beta1", "0.9", "share kept of the mean gradient"),
    SHARE("beta2", "0.999", "share kept of the largest gradient"), EPS("1e-8", "added to each gradient's size"),
    DECAY), .torch.update = torch_adamax);

/* PyTorch has none; as its foreach functions would have it. */
static struct torch_update
torch_lion(const struct node *n)
{
	(void)n;
	return (struct torch_update){ 1, 1 };
}

OP_ROW(lion, "steps of one size, by the sign of a running mean",
    "step = sign(beta1 * exp_avg + (1 - beta1) * gradient); "
    "state exp_avg = beta2 * exp_avg + (1 - beta2) * gradient; p * (1 - lr * weight_decay) - lr * step",
    "p = p * (1 - lr * weight_decay) - lr * sign(beta1 * m + (1 - beta1) * gradient); then m = beta2 * m + "
    "(1 - beta2) * gradient (Chen and others, 2023). Its rate is a third to a tenth of adamw's, its decay as much "
    "larger. State: one number a weight.",
    ATTRS("1e-4", SHARE("beta1", "0.9", "share of the mean gradient in a step"),
    SHARE("beta2", "0.99", "share kept of the mean gradient"),
    REAL_ATTR("weight_decay", "0", 0, 1e6, "share of each weight, times lr, taken off")),
    .torch.update = torch_lion);
