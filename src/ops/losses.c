/*
 * Losses that are the mean of a formula of elements: each is one row. In a formula `elements` is
 * how many elements a sample has. To add one, write its row and a spec in tests/ops; the manual,
 * the gradient and the kernels of both targets come from the row.
 *
 * torch.calls() is how PyTorch's function of that name goes about it, for forecasts.
 */
#include "ops/mean_loss.h"

#include "calls/tape.h"
#include "ops/losses.h"
#include "ops/targets.h"

#define OP_ROW(id, title, text, words, ...)							\
	extern const struct op op_##id;								\
	const struct op op_##id = {								\
		.name = #id, .kind = OP_LOSS, .brief = title, .formula = text,			\
		.doc = words " Both operands have one shape, and the target may be u8.",	\
		.operands = "x target", .min_operands = 2, .max_operands = 2,			\
		.shape = mean_loss_shape, .gradient.build = mean_loss_gradient,			\
		.gradient.saves = SAVES_IN(0) | SAVES_IN(1),					\
		.memory.workspace = shape_mean_work, .memory.layout = op_layout_either,		\
		.calls.kernels = "loss/formula.cu",						\
		.calls.listed = true,								\
		.calls.define = mean_loss_define, .calls.emit = mean_loss_emit, __VA_ARGS__	\
	}

#define MEAN	"loss = mean over the batch and all elements of "
#define ATTRS(...)	.attrs = (const struct attr_spec[]){ __VA_ARGS__, ATTRS_END }
#define ABOVE_0(name, preset, words)	{ name, ATTR_REAL, words, .required = false, preset, .min = 1e-9, .max = 1e9 }

/* ---- how PyTorch makes them ---- */

/* A call that makes as many elements as the prediction has, of one value, or two. */
static int
torch_each(struct tape *t, const struct node *n, int x, int y, unsigned saves)
{
	return tape_call(t, &(struct tape_call){ .in = (int[]){ x, y }, .nin = y == TAPE_NONE ? 1 : 2,
	    .bytes = tape_bytes(t, n->in[0]), .saves = saves });
}

static int
torch_product(struct tape *t, const struct node *n, int x, int y)
{
	return tape_call(t, &(struct tape_call){ .in = (int[]){ x, y }, .nin = 2, .bytes = tape_bytes(t, n->in[0]),
	    .saves = SAVES_IN(0) | SAVES_IN(1), .crosswise = true });
}

static int
torch_difference(struct tape *t, const struct node *n, int x, int y)
{
	return tape_call(t, &(struct tape_call){ .in = (int[]){ x, y }, .nin = 2, .bytes = tape_bytes(t, n->in[0]),
	    .passes = 1u << 0 });
}

static int
torch_target(struct tape *t, const struct node *n)
{
	int target = tape_value(t, n->in[1]);

	return n->in[1]->dtype == DT_U8 ? torch_each(t, n, target, TAPE_NONE, 0) : target;
}

/* Of a value. TARGET is a variable of the function until it returns. */
static void
torch_mean(struct tape *t, const struct node *n, int of, int target)
{
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = (int[]){ of, target },
	    .nin = n->in[1]->dtype == DT_U8 ? 2 : 1, .bytes = tape_bytes(t, n->out[0]) }));
}

/* One call whose result is a number in a storage that has room for all elements, which it was made
 * for before it became their mean. */
static void
torch_structured(struct tape *t, const struct node *n)
{
	target_torch_loss(t, n, tape_bytes(t, n->in[0]));
}

/* One call, which has the losses of all elements while it runs. */
static void
torch_huber(struct tape *t, const struct node *n)
{
	int in[] = { tape_value(t, n->in[0]), torch_target(t, n), 0 };

	in[2] = tape_call(t, &(struct tape_call){ .in = in, .nin = 0, .bytes = tape_bytes(t, n->in[0]) });
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = 3,
	    .bytes = tape_bytes(t, n->out[0]), .saves = SAVES_IN(0) | SAVES_IN(1) }));
}

/* The gradient of the absolute value is made with the signs. */
static void
torch_l1(struct tape *t, const struct node *n)
{
	int target = torch_target(t, n), y = torch_difference(t, n, tape_value(t, n->in[0]), target);

	torch_mean(t, n, tape_call(t, &(struct tape_call){ .in = &y, .nin = 1, .bytes = tape_bytes(t, n->in[0]),
	    .saves = SAVES_IN(0), .scratch = 2 * tape_bytes(t, n->in[0]) }), target);
}

/* With pos_weight its gradient is made with its product with the target, and the sigmoid. */
static void
torch_bce_with_logits(struct tape *t, const struct node *n)
{
	bool weighs = op_real(n, "pos_weight") != 1;
	int in[] = { tape_value(t, n->in[0]), torch_target(t, n) };

	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .in = in, .nin = 2,
	    .bytes = tape_bytes(t, n->out[0]), .saves = SAVES_IN(0) | SAVES_IN(1),
	    .beside = weighs ? dtype_bytes(n->out[0]->dtype) : 0,
	    .scratch = weighs ? 3 * tape_bytes(t, n->in[0]) : 0 }));
}

/* As torch.where(target > x, q, q - 1) * (target - x): the condition has a byte an element. */
static void
torch_quantile(struct tape *t, const struct node *n)
{
	int x = tape_value(t, n->in[0]), y = torch_target(t, n), weight;

	weight = tape_call(t, &(struct tape_call){ .in = &y, .nin = 0, .bytes = tape_bytes_as(t, n->in[0], 1) });
	weight = torch_each(t, n, weight, TAPE_NONE, 0);
	torch_mean(t, n, torch_product(t, n, weight, torch_difference(t, n, y, x)), y);
}

static void
torch_poisson_nll(struct tape *t, const struct node *n)
{
	int x = tape_value(t, n->in[0]), y = torch_target(t, n), product = torch_product(t, n, y, x);

	x = torch_each(t, n, x, TAPE_NONE, SAVES_OUT(0));
	torch_mean(t, n, torch_difference(t, n, x, product), y);
}

static void
torch_kl_div(struct tape *t, const struct node *n)
{
	int y = torch_target(t, n), e, sum;

	e = torch_each(t, n, y, y, SAVES_IN(0) | SAVES_IN(1));
	sum = tape_call(t, &(struct tape_call){ .in = (int[]){ torch_difference(t, n, e, torch_product(t, n, y,
	    tape_value(t, n->in[0]))) }, .nin = 1, .bytes = tape_bytes(t, n->out[0]) });
	torch_mean(t, n, sum, y);
}

/* As torchvision writes it. */
static void
torch_focal(struct tape *t, const struct node *n)
{
	int y = torch_target(t, n), known;

	torch_mean(t, n, focal_torch(t, tape_value(t, n->in[0]), y, tape_bytes(t, n->in[0]), op_real(n, "alpha") >= 0, &known), y);
}

static void
torch_hinge(struct tape *t, const struct node *n)
{
	int y = torch_target(t, n), e = torch_product(t, n, y, tape_value(t, n->in[0]));

	e = torch_each(t, n, torch_each(t, n, e, TAPE_NONE, 0), TAPE_NONE, SAVES_OUT(0));
	torch_mean(t, n, e, y);
}

/* ---- of numbers ---- */

OP_ROW(mse, "mean squared error", "(x - target) ^ 2", MEAN "(x - target)^2. Backward reads both "
    "operands.", .torch.calls = torch_structured);
OP_ROW(l1, "mean absolute error", "abs(x - target)", MEAN "|x - target|; where they are equal the "
    "gradient is 0.", .torch.calls = torch_l1);
OP_ROW(smooth_l1, "squared error near 0, absolute error far from it",
    "where(abs(x - target) < beta, 0.5 * (x - target) ^ 2 / beta, abs(x - target) - 0.5 * beta)",
    MEAN "d^2 / (2 beta) where |d| < beta, else |d| - beta / 2, with d = x - target (Girshick, 2015).",
    ATTRS(ABOVE_0("beta", "1", "where the parabola ends")), .torch.calls = torch_structured);
OP_ROW(huber, "squared error near 0, delta times absolute error far from it",
    "where(abs(x - target) < delta, 0.5 * (x - target) ^ 2, delta * (abs(x - target) - 0.5 * delta))",
    MEAN "d^2 / 2 where |d| < delta, else delta (|d| - delta / 2), with d = x - target (Huber, 1964): "
    "delta times smooth_l1 with that beta.", ATTRS(ABOVE_0("delta", "1", "where the parabola ends")),
    .torch.calls = torch_huber);
OP_ROW(quantile, "error of a quantile (pinball loss)", "where(target > x, q, q - 1) * (target - x)",
    MEAN "q (target - x) where the target is above x, else (1 - q) (x - target): least where x is the "
    "target's q-quantile, for q = 0.5 its median (Koenker and Bassett, 1978).",
    ATTRS({ "q", ATTR_REAL, "which quantile x is to be", .required = false, "0.5", .min = 0, .max = 1 }),
    .torch.calls = torch_quantile);
OP_ROW(poisson_nll, "error of a count, of which x is the logarithm of what is expected", "exp(x) - target * x",
    MEAN "exp(x) - target x: the negative log-likelihood of the target as a Poisson number with mean "
    "exp(x), but for a term of the target alone (PyTorch's poisson_nll_loss).", .torch.calls = torch_poisson_nll);
OP_ROW(kl_div, "divergence of log-probabilities from probabilities",
    "elements * target * (log(where(target == 0, 1, target)) - x)",
    "loss = sum of target (log target - x) over the elements of a sample, averaged over the batch: the "
    "Kullback-Leibler divergence where x are logarithms of probabilities and the target is probabilities "
    "(PyTorch's kl_div with reduction batchmean).", .torch.calls = torch_kl_div);

/* ---- of yes and no ---- */

OP_ROW(bce_with_logits, "binary cross-entropy under the sigmoid of logits",
    "where(pos_weight == 1, 1, 1 + (pos_weight - 1) * target) * softplus(x) - pos_weight * target * x",
    MEAN "-w target log s - (1 - target) log(1 - s) with s = sigmoid(x) and w = pos_weight, in a form "
    "that cannot overflow (PyTorch's BCEWithLogitsLoss). Targets lie in [0, 1]. Backward reads both operands.",
    ATTRS(ABOVE_0("pos_weight", "1", "what yes weighs, where no weighs 1")), .torch.calls = torch_bce_with_logits);
OP_ROW(bce, "binary cross-entropy of probabilities",
    "-(target * max(log(max(x, 1e-44)), -100) + (1 - target) * max(log(max(1 - x, 1e-44)), -100))",
    MEAN "-target log x - (1 - target) log(1 - x), each logarithm at least -100 (PyTorch's BCELoss); "
    "where it is less, the gradient is 0. For what sigmoid makes, bce_with_logits of what goes into it is exact "
    "and does not saturate.", .torch.calls = torch_structured);
OP_ROW(focal, "binary cross-entropy that weighs what is known already less",
    "where(alpha < 0, 1, alpha * target + (1 - alpha) * (1 - target)) * (softplus(x) - target * x) * "
    "(sigmoid(x) * (1 - target) + sigmoid(-x) * target) ^ gamma",
    MEAN "a (1 - p)^gamma times bce_with_logits, where p is the probability sigmoid(x) of a target of 1, "
    "or 1 less that of 0, and a is alpha or 1 - alpha likewise; with alpha below 0, 1 (Lin and others, 2017; "
    "torchvision's sigmoid_focal_loss).",
    ATTRS({ "gamma", ATTR_REAL, "how little what is known weighs", .required = false, "2", .min = 0, .max = 100 },
    { "alpha", ATTR_REAL, "what a target of 1 weighs, one of 0 the rest of 1", .required = false, "0.25", .min = -1,
    .max = 1 }), .torch.calls = torch_focal);

/* ---- of -1 and 1 ---- */

OP_ROW(hinge, "what is missing to a margin on the target's side", "relu(margin - target * x)",
    MEAN "max(0, margin - target x), for targets of -1 and 1.",
    ATTRS({ "margin", ATTR_REAL, "how far from 0 is enough", .required = false, "1", .min = 0, .max = 1e9 }),
    .torch.calls = torch_hinge);
OP_ROW(soft_margin, "logistic loss of targets of -1 and 1", "softplus(-target * x)",
    MEAN "log(1 + exp(-target x)), for targets of -1 and 1.", .torch.calls = torch_structured);
