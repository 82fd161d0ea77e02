/*
 * What may have been meant by a name that is not known: one that is spelt nearly so, or what the same thing is
 * called here. A guess that computes something else is worse than none.
 */
#include "lang/expander.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define LONGEST_NAME	64	/* as far as suggestions look */

#define MOST_SOUGHT	1000000

bool
names_wanted(struct expander *ex, int n)
{
	bool wanted = ex->sought + n <= MOST_SOUGHT;

	if (wanted)
		ex->sought += n;
	return wanted;
}

void
names_add(struct arena *a, struct names *n, const char *name)
{
	vec_push(a, n, name);
}

void
names_add_map(struct arena *a, struct names *n, const struct map *m)
{
	int i;

	for (i = 0; i < m->n; i++)
		names_add(a, n, m->entry[i].key);
}

void
names_add_ops(struct arena *a, struct names *n, enum op_kind first, enum op_kind last)
{
	int i;

	for (i = 0; op_table[i]; i++)
		if (op_table[i]->kind >= first && op_table[i]->kind <= last)
			names_add(a, n, op_table[i]->name);
}

/* "convolution" means conv, "drop" means dropout: the longest name that begins the other, unless
 * it is little of it. */
static const char *
same_start(const char *name, const struct names *n)
{
	size_t len = strlen(name), best = 2, l;
	const char *found = NULL;
	int i;

	for (i = 0; i < n->n; i++) {
		l = strlen(n->v[i]);
		if (l > len)
			l = len;
		if (l > best && 3 * l >= len && strncmp(name, n->v[i], l) == 0) {
			best = l;
			found = n->v[i];
		}
	}
	return found;
}

/*
 * What other frameworks and papers call operators, in any case of letters. Where OURS is an operator that may
 * stand there, it is what was meant. Else the name means something that is not to be had here under another
 * name, and whatever is spelt like it computes something else: prelu is no relu, mae no mse.
 */
static const struct {
	const char *theirs, *ours;
} elsewhere[] = {
	{ "Linear", "dense" }, { "fully_connected", "dense" },
	{ "InnerProduct", "dense" }, { "Conv1d", "conv" }, { "Conv2d", "conv" }, { "Conv3d", "conv" },
	{ "Convolution2D", "conv" }, { "convolution", "conv" }, { "ConvTranspose1d", "conv_transpose" },
	{ "ConvTranspose2d", "conv_transpose" }, { "ConvTranspose3d", "conv_transpose" },
	{ "Conv2DTranspose", "conv_transpose" }, { "Deconvolution", "conv_transpose" },
	{ "LocallyConnected2D", "local" },
	{ "BatchNorm1d", "batchnorm" }, { "BatchNorm2d", "batchnorm" }, { "BatchNorm3d", "batchnorm" },
	{ "BatchNormalization", "batchnorm" }, { "LayerNormalization", "layernorm" },
	{ "GroupNormalization", "groupnorm" }, { "InstanceNorm1d", "instancenorm" },
	{ "InstanceNorm2d", "instancenorm" }, { "InstanceNorm3d", "instancenorm" },
	{ "MaxPool1d", "maxpool" }, { "MaxPool2d", "maxpool" }, { "MaxPool3d", "maxpool" },
	{ "MaxPooling1D", "maxpool" }, { "MaxPooling2D", "maxpool" }, { "MaxPooling3D", "maxpool" },
	{ "AvgPool1d", "avgpool" }, { "AvgPool2d", "avgpool" }, { "AvgPool3d", "avgpool" },
	{ "AveragePooling1D", "avgpool" }, { "AveragePooling2D", "avgpool" },
	{ "AveragePooling3D", "avgpool" },
	{ "AdaptiveAvgPool1d", "adaptive_avgpool" }, { "AdaptiveAvgPool2d", "adaptive_avgpool" },
	{ "AdaptiveAvgPool3d", "adaptive_avgpool" }, { "AdaptiveMaxPool1d", "adaptive_maxpool" },
	{ "AdaptiveMaxPool2d", "adaptive_maxpool" }, { "AdaptiveMaxPool3d", "adaptive_maxpool" },
	{ "GlobalAveragePooling2D", "global_avgpool" }, { "GlobalMaxPooling2D", "global_maxpool" },
	{ "ZeroPadding2D", "pad" }, { "Cropping2D", "crop" }, { "CenterCrop", "crop" },
	{ "UpSampling2D", "upsample" }, { "interpolate", "upsample" }, { "Concatenate", "concat" },
	{ "cat", "concat" }, { "Multiply", "mul" }, { "Subtract", "sub" }, { "view", "reshape" },
	{ "swish", "silu" }, { "hard_swish", "hardswish" }, { "hswish", "hardswish" },
	{ "hsigmoid", "hardsigmoid" }, { "activation", NULL }, { "hard_sigmoid", "hardsigmoid" },
	{ "lrelu", "leaky_relu" }, { "logistic", "sigmoid" }, { "Identity", NULL },
	{ "MultiheadAttention", "attention" }, { "scaled_dot_product_attention", "attend" },
	{ "CrossEntropyLoss", "cross_entropy" }, { "softmax_cross_entropy", "cross_entropy" },
	{ "categorical_crossentropy", "cross_entropy" },
	{ "sparse_categorical_crossentropy", "cross_entropy" },
	{ "MSELoss", "mse" }, { "mean_squared_error", "mse" }, { "l2loss", "mse" },
	{ "BCEWithLogitsLoss", "bce_with_logits" }, { "sigmoid_cross_entropy", "bce_with_logits" },
	{ "L1Loss", "l1" }, { "mae", "l1" }, { "mean_absolute_error", "l1" },
	{ "SmoothL1Loss", "smooth_l1" }, { "HuberLoss", "huber" }, { "ce", "cross_entropy" },
	{ "KLDivLoss", "kl_div" }, { "kl", "kl_div" }, { "CTCLoss", "ctc" },
	{ "BCELoss", "bce" }, { "PoissonNLLLoss", "poisson_nll" }, { "SoftMarginLoss", "soft_margin" },
	{ "sigmoid_focal_loss", "focal" }, { "pinball", "quantile" },
	{ "DiceLoss", "dice" }, { "dice_loss", "dice" }, { "TripletMarginLoss", "triplet" },
	{ "CosineEmbeddingLoss", "cosine_loss" }, { "cosine", "cosine_loss" }, { "cosine_similarity", NULL },
	{ "PairwiseDistance", "distance" }, { "contrastive_loss", "contrastive" },
	/* computed on probabilities, not on logits */
	{ "binary_crossentropy", NULL },
	{ "prelu", NULL }, { "rrelu", NULL }, { "crelu", NULL }, { "glu", NULL },
	{ "reglu", NULL }, { "geglu", NULL }, { "swiglu", NULL }, { "maxout", NULL },
	{ "log_softmax", NULL }, { "softmin", NULL }, { "gumbel_softmax", NULL },
	{ "rmse", NULL }, { "msle", NULL }, { "mape", NULL }, { "smape", NULL },
	{ "Dropout2d", NULL }, { "Dropout3d", NULL }, { "SpatialDropout2D", NULL },
	{ "AlphaDropout", NULL }, { "DropPath", NULL }, { "GaussianNoise", NULL },
	{ "LocalResponseNorm", NULL }, { "lrn", NULL }, { "weight_norm", NULL },
	{ "spectral_norm", NULL }, { "SeparableConv2D", NULL }, { "DepthwiseConv2D", NULL },
	{ "deform_conv2d", NULL }, { "partial_conv", NULL }, { "einsum", NULL }, { "Bilinear", NULL }, { "bmm", "matmul" },
	{ "index_select", "take" }, { "take_along_dim", "gather" }, { "take_along_axis", "gather" },
	{ "tril_indices", "tril_index" }, { "triu_indices", "triu_index" },
};

static bool
is_listed(const char *name, const struct names *n)
{
	int i;

	for (i = 0; name && i < n->n; i++)
		if (strcmp(n->v[i], name) == 0)
			return true;
	return false;
}

/* Is it a name that people know from elsewhere? *OURS is its name here, or NULL. */
static bool
known_elsewhere(const char *name, const struct names *n, const char **ours)
{
	size_t i;

	*ours = NULL;
	for (i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
		if (strcasecmp(name, elsewhere[i].theirs) == 0) {
			if (is_listed(elsewhere[i].ours, n))
				*ours = elsewhere[i].ours;
			return true;
		}
	return false;
}

const char *
name_elsewhere(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
		if (strcasecmp(name, elsewhere[i].theirs) == 0)
			return elsewhere[i].ours;
	return NULL;
}

static void
lower_case(char out[LONGEST_NAME], const char *s)
{
	size_t i;

	for (i = 0; s[i] && i < LONGEST_NAME - 1; i++)
		out[i] = (char)tolower((unsigned char)s[i]);
	out[i] = '\0';
}

/* *SURE: by its letters it is that name and no other. */
static const char *
near_name(const char *name, const struct names *n, bool *sure)
{
	char lower[LONGEST_NAME];
	const char *near;
	int i;

	*sure = true;
	for (i = 0; i < n->n; i++)
		if (strcasecmp(name, n->v[i]) == 0)
			return n->v[i];
	if (known_elsewhere(name, n, &near))
		return near;
	lower_case(lower, name);
	if (strlen(name) >= 3 &&	/* of one or two letters, everything is near */
	    ((near = text_nearest(name, n->v, n->n)) || (near = text_nearest(lower, n->v, n->n))))
		return near;
	*sure = false;
	near = same_start(name, n);
	return near ? near : same_start(lower, n);
}

const char *
names_near(const char *name, const struct names *n)
{
	bool sure;

	return near_name(name, n, &sure);
}

bool
names_suggest(struct expander *ex, struct diag *g, const char *name, const struct names *n)
{
	bool sure;
	const char *near = near_name(name, n, &sure);

	if (near)
		diag_help(ex->d, g, "did you mean '%s'?", near);
	if (near && sure)
		diag_fix_word(ex->d, g, name, near);
	return near != NULL;
}
