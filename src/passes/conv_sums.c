/*
 * conv-sums: for speed on a GPU for which cuDNN has such engines, lets a convolution add up the
 * channels of what it makes, and their squares, as it stores it; the batchnorm behind it has its
 * statistics by that, and need not read all of it for them:
 *
 *     x = conv(i); y = batchnorm(x)         x, sums = conv_summed(i); y = batchnorm(x, sums)
 *
 * Forward then reads and writes 3 tensors of x's size, y among them, where it did 4. Whether there
 * is an engine with so small a workspace as is planned shows when the program is written, and for
 * certain when it starts (kernels/conv/engine_cudnn.cu); where there is none, or it measures slower
 * (kernels/host/tune_cuda.cu), the same program runs the convolution and a sweep, with the same
 * bytes planned. Statistics are then made of floats that are taken to be exact to 2^-20, which no
 * card has shown yet, where separate nodes have doubles: as exact as 16 bits are, and where that
 * would not be so, the batchnorm reads x as ever (kernels/norm/batchnorm.cu).
 *
 * The sums are 8 bytes a channel, from the one to the other, so it is done for speed alone.
 *
 * Reads and writes: train after marked-norms and pooled-norms. Invariant after: no batchnorm of the
 * batch's statistics that could take sums reads a convolution that can make them, where the card is
 * one of those.
 */
#include "ir/pass.h"

#include "ops/batchnorm.h"
#include "ops/conv.h"
#include "target/gpu.h"
#include "target/target.h"

/* The sums of T, if NORM can take them and the convolution that makes T can make them; NULL: not
 * so. */
static struct tensor *
sums_for(struct module *m, const struct node *norm, const struct tensor *t)
{
	struct node *conv = t ? t->def : NULL;

	if (!conv || !batchnorm_can_take_sums(norm, t))
		return NULL;
	if (conv->op == &op_conv_summed)	/* for another norm, too */
		return conv->out[SUMS];
	return conv_can_sum(conv, m->train->batch) ? conv_sum(m, conv) : NULL;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	const struct gpu_arch *arch = gpu_arch_find(m->set.device.arch);
	int i, k, nin;

	if (!o->speed || !m->train || !o->target->libraries || !arch || !arch->conv_sums)
		return true;
	for (i = 0; i < m->train->nodes.n; i++) {
		struct node *norm = m->train->nodes.v[i];

		for (k = 0, nin = norm->nin; k < nin; k++) {
			struct tensor *sums = sums_for(m, norm, norm->in[k]);

			if (sums)
				ir_add_input(m, norm, sums);
		}
	}
	return true;
}

const struct pass pass_conv_sums = {
	.name = "conv-sums",
	.doc = "for speed, let cuDNN's convolutions make the sums that the batch norm behind them needs",
	.optional = true,
	.run = run,
};
