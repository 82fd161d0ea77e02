/*
 * What other frameworks and papers call operators, optimizers and schedules: the name here of what is the same thing,
 * and the names that mean something else, whatever is spelt like them here. rrelu is no relu, radam no adam.
 */
#include "lang/expander.h"

#include <ctype.h>

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

static const char *const others[] = {
	"activation", "Identity", "cosine_similarity", "binary_crossentropy", "rrelu",
	"crelu", "maxout", "log_softmax", "softmin",
	"gumbel_softmax", "rmse", "msle", "mape", "smape", "Dropout2d", "Dropout3d",
	"SpatialDropout2D", "AlphaDropout", "DropPath", "GaussianNoise", "LocalResponseNorm",
	"lrn", "weight_norm", "spectral_norm", "SeparableConv2D", "DepthwiseConv2D",
	"deform_conv2d", "partial_conv", "einsum", "Bilinear", "acos", "acosh", "arccos",
	"arccosh", "asin", "asinh", "arcsin", "arcsinh", "atan", "atan2", "atanh", "arctan",
	"arctan2", "arctanh", "tan", "sinh", "cosh", "sinc", "log2", "log10", "logit", "exp2",
	"erfc", "erfinv", "median", "nanmedian", "nanmean", "nansum", "nanquantile", "mode",
	"prod", "cumsum", "cumprod", "logsumexp", "logaddexp", "sort", "argsort", "msort",
	"cross", "outer", "inner", "dot", "norm", "renorm", "dist", "cdist", "diff", "diag",
	"trace", "kron", "svd", "lstsq", "geqrf", "stft", "istft", "fliplr", "flipud", "rot90",
	"rand", "randn", "randint", "range", "arange", "linspace", "logspace", "full",
	"full_like", "ones_like", "zeros_like", "rand_like", "randn_like", "tile",
	"repeat_interleave", "scatter", "hsplit", "vsplit", "dsplit", "hstack", "vstack",
	"dstack", "clone", "cov", "corrcoef", "conj", "real", "imag", "copysign", "signbit",
	"sgn", "lerp", "ldexp", "frexp", "xlogy", "addmm", "addmv", "addr", "addbmm", "addcdiv",
	"addcmul", "isin", "isinf", "isnan", "isfinite", "argwhere", "fmax", "fmin", "aminmax",
	"floor_divide", "remainder", "fmod", "trunc", "frac", "round", "deg2rad", "rad2deg",
	"lgamma", "digamma", "gamma", "polygamma", "Fold", "EmbeddingBag", "Dropout1d",
	"feature_dropout", "GRUCell", "LSTMCell", "RNNCell", "rnn_relu", "rnn_tanh", "RNNBase",
	"Hardshrink", "Softshrink", "Softmax2d", "AdaptiveLogSoftmaxWithLoss", "ConstantPad1d",
	"ConstantPad3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
	"FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d", "LPPool2d", "LPPool3d",
	"ParameterDict", "ParameterList", "SyncBatchNorm", "Transformer", "TransformerEncoder",
	"TransformerDecoder", "normalize", "upsample_bilinear", "upsample_nearest",
	"linear_cross_entropy", "grouped_mm", "scaled_mm", "conv_tbc", "clamp_min", "clamp_max",
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
	"linear_warmup", "constant_with_warmup", "step_decay", "ConstantLR", "LinearLR", "logdet", "scaled_addmm", "zero",
	"q_scale",
};

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
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (name_same(name, others[i]))
			return true;
	return false;
}
