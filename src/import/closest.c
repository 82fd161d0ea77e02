/* What of ours is closest to operators of ONNX that we do not have: a hint for people, so there is
 * one only where it helps. */
#include "import/importer.h"

#include <string.h>

static const struct {
	const char *op, *ours;
} closest[] = {
	{ "AffineGrid", "upsample, of a size that is known" },
	{ "Attention", "attend" },
	{ "Bernoulli", "dropout" },
	{ "CausalConvWithState", "conv of a slice, with pad" },
	{ "CenterCropPad", "crop, pad" },
	{ "Col2Im", "conv_transpose" },
	{ "Compress", "take, of indices that are known" },
	{ "ConvInteger", "conv, of the model before it was quantised" },
	{ "DeformConv", "conv" },
	{ "DequantizeLinear", "the model before it was quantised" },
	{ "DynamicQuantizeLinear", "the model before it was quantised" },
	{ "FusedConv", "conv -> relu, of the model before it was optimised for a machine" },
	{ "FusedMatMul", "matmul, of the model before it was optimised for a machine" },
	{ "GlobalLpPool", "global_avgpool of a pow" },
	{ "GridSample", "upsample" },
	{ "GroupQueryAttention", "attend" },
	{ "Hardmax", "one_hot of an argmax" },
	{ "If", "the branch that is taken: export the model with constant conditions" },
	{ "LinearAttention", "scan" },
	{ "Loop", "scan, or the loop unrolled by the exporter" },
	{ "LpPool", "avgpool of a pow" },
	{ "MatMulInteger", "matmul, of the model before it was quantised" },
	{ "MaxRoiPool", "crop -> adaptive_maxpool, of a rectangle that is known" },
	{ "MeanVarianceNormalization", "instancenorm" },
	{ "MultiHeadAttention", "attend" },
	{ "Multinomial", "argmax" },
	{ "NegativeLogLikelihoodLoss", "the loss cross_entropy, which a spec says for itself" },
	{ "NonMaxSuppression", "nothing: it belongs behind the network, where boxes are chosen" },
	{ "NonZero", "where" },
	{ "QLinearConv", "conv, of the model before it was quantised" },
	{ "QLinearMatMul", "matmul, of the model before it was quantised" },
	{ "QuantizeLinear", "the model before it was quantised" },
	{ "RandomNormal", "normal" },
	{ "RandomUniform", "uniform" },
	{ "ReverseSequence", "flip, where all samples are as long" },
	{ "RoiAlign", "crop -> adaptive_avgpool, of a rectangle that is known" },
	{ "RotaryEmbedding", "rope" },
	{ "Scan", "scan" },
	{ "ScatterElements", "where, with a mask that is known" },
	{ "SkipLayerNormalization", "layernorm of a sum" },
	{ "SoftmaxCrossEntropyLoss", "the loss cross_entropy, which a spec says for itself" },
	{ "STFT", "conv, with frozen waves as its filters" },
	{ "TensorScatter", "concat" },
	{ "TopK", "max, of the one largest" },
	{ "Unique", "nothing: how many there are is not known before it runs" },
};

const char *
onnx_closest(const char *op)
{
	const char *dot = strrchr(op, '.');	/* of a domain of its own */
	size_t i;

	op = dot ? dot + 1 : op;
	for (i = 0; i < sizeof(closest) / sizeof(*closest); i++)
		if (strcmp(closest[i].op, op) == 0)
			return closest[i].ours;
	return NULL;
}
