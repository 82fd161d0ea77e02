/*
 * What other frameworks and papers call operators, optimizers and schedules: the name here of what
 * is the same thing, and the names that mean something else, whatever is spelt like them here.
 * rrelu is no relu, radam no adam.
 */
#include "lang/expander.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *theirs, *ours;
} same[] = {
	{ "Linear", "dense" }, { "fully_connected", "dense" }, { "InnerProduct", "dense" },
	{ "Conv1d", "conv" }, { "Conv2d", "conv" }, { "Conv3d", "conv" },
	{ "Convolution2D", "conv" }, { "convolution", "conv" },
	{ "ConvTranspose1d", "conv_transpose" }, { "ConvTranspose2d", "conv_transpose" },
	{ "ConvTranspose3d", "conv_transpose" }, { "Conv2DTranspose", "conv_transpose" },
	{ "Deconvolution", "conv_transpose" }, { "LocallyConnected2D", "local" },
	{ "BatchNorm1d", "batchnorm" }, { "BatchNorm2d", "batchnorm" },
	{ "BatchNorm3d", "batchnorm" }, { "BatchNormalization", "batchnorm" },
	{ "LayerNormalization", "layernorm" }, { "GroupNormalization", "groupnorm" },
	{ "InstanceNorm1d", "instancenorm" }, { "InstanceNorm2d", "instancenorm" },
	{ "InstanceNorm3d", "instancenorm" }, { "MaxPool1d", "maxpool" },
	{ "MaxPool2d", "maxpool" }, { "MaxPool3d", "maxpool" }, { "MaxPooling1D", "maxpool" },
	{ "MaxPooling2D", "maxpool" }, { "MaxPooling3D", "maxpool" }, { "AvgPool1d", "avgpool" },
	{ "AvgPool2d", "avgpool" }, { "AvgPool3d", "avgpool" },
	{ "AveragePooling1D", "avgpool" }, { "AveragePooling2D", "avgpool" },
	{ "AveragePooling3D", "avgpool" }, { "AdaptiveAvgPool1d", "adaptive_avgpool" },
	{ "AdaptiveAvgPool2d", "adaptive_avgpool" }, { "AdaptiveAvgPool3d", "adaptive_avgpool" },
	{ "AdaptiveMaxPool1d", "adaptive_maxpool" }, { "AdaptiveMaxPool2d", "adaptive_maxpool" },
	{ "AdaptiveMaxPool3d", "adaptive_maxpool" },
	{ "GlobalAveragePooling2D", "global_avgpool" },
	{ "GlobalMaxPooling2D", "global_maxpool" }, { "ZeroPadding2D", "pad" },
	{ "ZeroPad2d", "pad" }, { "ConstantPad2d", "pad" },
	{ "Cropping2D", "crop" }, { "CenterCrop", "crop" }, { "UpSampling2D", "upsample" },
	{ "interpolate", "upsample" }, { "Concatenate", "concat" }, { "cat", "concat" },
	{ "Multiply", "mul" }, { "Subtract", "sub" }, { "view", "reshape" }, { "swish", "silu" },
	{ "hard_swish", "hardswish" }, { "hswish", "hardswish" }, { "hsigmoid", "hardsigmoid" },
	{ "hard_sigmoid", "hardsigmoid" }, { "lrelu", "leaky_relu" }, { "logistic", "sigmoid" },
	{ "MultiheadAttention", "attention" }, { "scaled_dot_product_attention", "attend" },
	{ "CrossEntropyLoss", "cross_entropy" }, { "softmax_cross_entropy", "cross_entropy" },
	{ "categorical_crossentropy", "cross_entropy" },
	{ "sparse_categorical_crossentropy", "cross_entropy" }, { "MSELoss", "mse" },
	{ "mean_squared_error", "mse" }, { "l2loss", "mse" },
	{ "BCEWithLogitsLoss", "bce_with_logits" },
	{ "sigmoid_cross_entropy", "bce_with_logits" }, { "L1Loss", "l1" }, { "mae", "l1" },
	{ "mean_absolute_error", "l1" }, { "SmoothL1Loss", "smooth_l1" },
	{ "HuberLoss", "huber" }, { "ce", "cross_entropy" }, { "KLDivLoss", "kl_div" },
	{ "kl", "kl_div" }, { "CTCLoss", "ctc" }, { "BCELoss", "bce" },
	{ "PoissonNLLLoss", "poisson_nll" }, { "SoftMarginLoss", "soft_margin" },
	{ "sigmoid_focal_loss", "focal" }, { "pinball", "quantile" }, { "DiceLoss", "dice" },
	{ "TripletMarginLoss", "triplet" }, { "CosineEmbeddingLoss", "cosine_loss" },
	{ "cosine", "cosine_loss" }, { "PairwiseDistance", "distance" },
	{ "contrastive_loss", "contrastive" }, { "bmm", "matmul" }, { "index_select", "take" },
	{ "take_along_dim", "gather" }, { "take_along_axis", "gather" },
	{ "tril_indices", "tril_index" }, { "triu_indices", "triu_index" },
	{ "Unflatten", "reshape" }, { "clip", "clamp" }, { "divide", "div" },
	{ "absolute", "abs" }, { "amax", "max" }, { "amin", "min" }, { "hinge_loss", "hinge" },
	{ "focal_loss", "focal" }, { "broadcast_to", "broadcast" },
};

/* What is no operator here, since it is written: of tensors x and y. tests/cli/written.test tries
 * each. */
static const struct {
	const char *theirs, *here;
} written[] = {
	{ "log_softmax", "z = x - max(x, axis=-1, keep=true), then z - log(sum(exp(z), "
	    "axis=-1, keep=true)); cross_entropy takes x itself" },
	{ "logsumexp", "max(x, axis=-1) + log(sum(exp(x - max(x, axis=-1, keep=true)), axis=-1))" },
	{ "softmin", "softmax(-x)" },
	{ "tan", "sin(x) / cos(x)" },
	{ "sinh", "(exp(x) - exp(-x)) / 2" },
	{ "cosh", "(exp(x) + exp(-x)) / 2" },
	{ "log2", "log(x) / log(2)" },
	{ "log10", "log(x) / log(10)" },
	{ "exp2", "2 ^ x" },
	{ "erfc", "1 - erf(x)" },
	{ "logit", "log(x / (1 - x))" },
	{ "norm", "sqrt(sum(x ^ 2, axis=-1))" },
	{ "cosine_similarity", "sum(l2norm(x, axis=-1) * l2norm(y, axis=-1), axis=-1)" },
	{ "dot", "sum(x * y, axis=-1)" },
	{ "inner", "sum(x * y, axis=-1)" },
	{ "cumsum", "matmul(tril(n), x), of x [n, width]" },
	{ "round", "floor(x + 0.5), which rounds halves up" },
	{ "trunc", "sign(x) * floor(abs(x))" },
	{ "frac", "x - sign(x) * floor(abs(x))" },
	{ "remainder", "x - y * floor(x / y)" },
	{ "lerp", "x + w * (y - x)" },
	{ "arange", "iota(n, start=0, step=1)" },
	{ "linspace", "iota(n, start=a, step=(b - a) / (n - 1))" },
	{ "full", "constant(shape, value)" },
	{ "zeros_like", "zeros(x)" },
	{ "ones_like", "ones(x)" },
	{ "rand", "uniform(shape)" },
	{ "randn", "normal(shape)" },
	{ "tile", "x -> repeat(2, 1), a number for each axis" },
	{ "fliplr", "flip(-1)" },
	{ "vstack", "concat(x, y, axis=0), of tensors without a batch" },
	{ "hstack", "concat(x, y), as the batch is the first axis; of tensors without one, "
	    "axis=1" },
	{ "clamp_min", "max(x, least)" },
	{ "clamp_max", "min(x, most)" },
	{ "fmax", "max(x, y)" },
	{ "fmin", "min(x, y)" },
	{ "hardshrink", "x * (abs(x) > 0.5)" },
	{ "softshrink", "sign(x) * max(abs(x) - 0.5, 0)" },
	{ "crelu", "concat(relu(x), relu(-x))" },
	{ "DepthwiseConv2D", "conv(channels(x), 3, groups=channels(x))" },
	{ "SeparableConv2D", "conv(channels(x), 3, groups=channels(x)) -> conv(filters, 1)" },
	{ "DropPath", "x * (ones((1, 1, 1)) -> broadcast((1, 1, 1), samples=true) -> "
	    "dropout(rate)), with as many axes as x" },
	{ "Dropout2d", "x * (ones((c, 1, 1)) -> broadcast((c, 1, 1), samples=true) -> "
	    "dropout(rate)), of c channels" },
	{ "SpatialDropout2D", "x * (ones((c, 1, 1)) -> broadcast((c, 1, 1), samples=true) -> "
	    "dropout(rate)), of c channels" },
	{ "GaussianNoise", "x + normal(x, std=0.1), which validation has, too" },
	{ "EmbeddingBag", "embedding(vocab, width) -> mean(axis=0)" },
	{ "einsum", "matmul, with reshape and permute before and after it" },
	{ "outer", "of n and m numbers: (a -> reshape((n, 1)) -> broadcast((n, m))) * (b -> reshape((1, m)))" },
	{ "MaxUnpool1d", "of k = x -> argmaxpool(2): z -> max_unpool(k)" },
	{ "MaxUnpool2d", "of k = x -> argmaxpool(2): z -> max_unpool(k)" },
	{ "MaxUnpool3d", "of k = x -> argmaxpool(2): z -> max_unpool(k)" },
	{ "ConstantPad1d", "pad(n, value, axis=-1)" },
	{ "ConstantPad3d", "pad(n, value, axis=(-3, -2, -1))" },
	{ "ZeroPad1d", "pad(n, axis=-1)" },
	{ "ZeroPad3d", "pad(n, axis=(-3, -2, -1))" },
	{ "ZeroPadding1D", "pad(n, axis=-1)" },
	{ "ZeroPadding3D", "pad(n, axis=(-3, -2, -1))" },
	{ "Cropping1D", "x[:, n:-n]" },
	{ "ReflectionPad1d", "pad(n, mode=reflect, axis=-1)" },
	{ "ReflectionPad2d", "pad(n, mode=reflect)" },
	{ "ReflectionPad3d", "pad(n, mode=reflect, axis=(-3, -2, -1))" },
	{ "ReplicationPad1d", "pad(n, mode=replicate, axis=-1)" },
	{ "ReplicationPad2d", "pad(n, mode=replicate)" },
	{ "ReplicationPad3d", "pad(n, mode=replicate, axis=(-3, -2, -1))" },
	{ "CircularPad1d", "pad(n, mode=circular, axis=-1)" },
	{ "CircularPad2d", "pad(n, mode=circular)" },
	{ "CircularPad3d", "pad(n, mode=circular, axis=(-3, -2, -1))" },
};

static const char *const others[] = {
	"activation", "Identity", "binary_crossentropy", "rrelu", "maxout", "gumbel_softmax",
	"rmse", "msle", "mape", "smape", "Dropout3d", "AlphaDropout", "LocalResponseNorm", "lrn",
	"weight_norm", "spectral_norm", "deform_conv2d", "partial_conv", "Bilinear", "acos",
	"acosh", "arccos", "arccosh", "asin", "asinh", "arcsin", "arcsinh", "atan", "atan2",
	"atanh", "arctan", "arctan2", "arctanh", "sinc", "erfinv", "median", "nanmedian",
	"nanmean", "nansum", "nanquantile", "mode", "prod", "cumprod", "logaddexp", "sort",
	"argsort", "msort", "cross", "renorm", "dist", "cdist", "diff", "diag", "trace",
	"kron", "svd", "lstsq", "geqrf", "stft", "istft", "flipud", "rot90", "randint", "range",
	"logspace", "full_like", "rand_like", "randn_like", "repeat_interleave", "scatter",
	"hsplit", "vsplit", "dsplit", "dstack", "clone", "cov", "corrcoef", "conj", "real",
	"imag", "copysign", "signbit", "sgn", "ldexp", "frexp", "xlogy", "addmm", "addmv",
	"addr", "addbmm", "addcdiv", "addcmul", "isin", "isinf", "isnan", "isfinite", "argwhere",
	"aminmax", "floor_divide", "fmod", "deg2rad", "rad2deg", "lgamma", "digamma", "gamma",
	"polygamma", "Fold", "Dropout1d", "feature_dropout", "GRUCell", "LSTMCell", "RNNCell",
	"rnn_relu", "rnn_tanh", "RNNBase", "Softmax2d", "AdaptiveLogSoftmaxWithLoss",
	"FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d",
	"LPPool2d", "LPPool3d", "ParameterDict", "ParameterList", "SyncBatchNorm", "Transformer",
	"TransformerEncoder", "TransformerDecoder", "normalize", "upsample_bilinear",
	"upsample_nearest", "linear_cross_entropy", "grouped_mm", "scaled_mm", "conv_tbc",
	"std_mean", "var_mean", "quantize", "dequantize", "slice_scatter", "slice_inverse",
	"embedding_renorm", "smm", "spmm", "dsmm", "hsmm", "copy", "save", "load", "wait",
	"save_for_backward", "can_cast", "broadcast_tensors", "broadcast_shapes", "fill", "rsub",
	"cond", "vmap", "seed", "stride", "unravel_index", "binary_cross_entropy_with_logits_",
	"multi_margin", "MultiMarginLoss", "margin_ranking", "MarginRankingLoss",
	"hinge_embedding", "HingeEmbeddingLoss", "MultiLabelMarginLoss",
	"MultiLabelSoftMarginLoss", "GaussianNLLLoss", "gaussian_nll",
	"TripletMarginWithDistanceLoss", "squared_hinge", "hinge_squared", "categorical_hinge",
	"focal_tversky", "tversky", "log_cosh", "iou_loss", "jaccard_loss", "softmax_with_loss",
	"logits", "poisson", "sigmoid_focal", "wing_loss", "pseudo_huber", "charbonnier", "asgd",
	"rprop", "nadam", "radam", "adan", "adabelief", "adabound", "adamod", "adamp", "adai",
	"qhadam", "madgrad", "muon", "lars", "sgdw", "sgdm", "adam8bit", "lion8bit", "sophia",
	"shampoo", "soap", "prodigy", "yogi", "ftrl", "novograd", "lbfgs", "sparse_adam",
	"cosine_restarts", "CosineAnnealingWarmRestarts", "cosine_with_restarts",
	"linear_warmup", "constant_with_warmup", "step_decay", "ConstantLR", "LinearLR",
	"logdet", "scaled_addmm", "zero", "q_scale",
};

/* What they call arguments; of several that there are here the first that the operator has. */
static const struct {
	const char *theirs, *ours;
} arguments[] = {
	{ "learning_rate", "lr" }, { "epsilon", "eps" }, { "p", "rate" }, { "drop_rate", "rate" },
	{ "keepdim", "keep" }, { "keepdims", "keep" }, { "out_channels", "filters" },
	{ "out_features", "units" }, { "output_dim", "units" }, { "output_dim", "width" }, { "padding", "pad" },
	{ "dilation_rate", "dilation" }, { "use_bias", "bias" }, { "num_embeddings", "vocab" }, { "input_dim", "vocab" },
	{ "embedding_dim", "width" }, { "padding_idx", "padding" }, { "negative_slope", "slope" }, { "alpha", "slope" },
	{ "hidden_size", "hidden" }, { "units", "hidden" }, { "num_layers", "layers" }, { "num_heads", "heads" },
	{ "num_groups", "groups" }, { "label_smoothing", "smoothing" }, { "ignore_index", "ignore" },
	{ "class_weight", "weights" }, { "scale_factor", "factor" }, { "upscale_factor", "factor" },
	{ "is_causal", "causal" }, { "dropout_p", "dropout" },
};

/* And those that none here is. */
static const struct {
	const char *theirs, *here;
} no_arguments[] = {
	{ "activation", "an activation is a layer of its own: dense(64) -> relu" },
	{ "in_channels", "what goes in says how many there are: x -> conv(64, 3)" },
	{ "in_features", "what goes in says how many there are: x -> dense(64)" },
	{ "input_size", "what goes in says how many there are: x -> lstm(64)" },
	{ "input_dim", "what goes in says how many there are: x -> dense(64)" },
	{ "dim", "it is axis here, and the batch is not counted: PyTorch's dim=1 is axis=0; -1 is the last" },
	{ "input_shape", "what goes in says its shape: x -> dense(64)" },
	{ "batch_first", "sequences are [steps, features] of each sample" },
	{ "betas", "the first is beta1=, the second beta2=" },
	{ "return_sequences", "all states come out, [steps, hidden]; those after the last step are .last" },
	{ "return_state", "all states come out, [steps, hidden]; those after the last step are .last" },
	{ "inplace", "whether it runs in place is the planner's choice" },
	{ "name", "a label names a layer: x -> head: dense(10)" },
};

const char *
argument_elsewhere(const char *name, const struct names *has, const char **here)
{
	size_t i;
	int k;

	*here = NULL;
	for (i = 0; i < sizeof(arguments) / sizeof(*arguments); i++)
		for (k = 0; k < has->n && strcmp(name, arguments[i].theirs) == 0; k++)
			if (strcmp(has->v[k], arguments[i].ours) == 0)
				return arguments[i].ours;
	for (i = 0; i < sizeof(no_arguments) / sizeof(*no_arguments); i++)
		if (strcmp(name, no_arguments[i].theirs) == 0)
			*here = no_arguments[i].here;
	return NULL;
}

bool
name_same(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == '_')
			a++;
		while (*b == '_')
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (*a == '\0')
			return true;
	}
}

const char *
name_written(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(written) / sizeof(*written); i++)
		if (name_same(name, written[i].theirs))
			return written[i].here;
	return NULL;
}

bool
name_elsewhere(const char *name, const char **ours)
{
	size_t i;

	*ours = NULL;
	for (i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (name_same(name, same[i].theirs)) {
			*ours = same[i].ours;
			return true;
		}
	if (name_written(name))
		return true;
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (name_same(name, others[i]))
			return true;
	return false;
}
