/*
 * The simulator of PyTorch eager against sums made by hand, allocation by allocation. The same
 * simulator against PyTorch itself is tests/peer/eager.test and bench/eager.py.
 *
 * The storage of PyTorch's mean squared error is as large as what it was made from (ops/losses.c).
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "target/target.h"
#include "frameworks/pytorch_eager.h"
#include "ir/op.h"
#include "plan/plan.h"
#include "planned.h"

static struct arena *arena;

static void
setup(void)
{
	arena = arena_new();
	cr_assert(arena);
}

static void
teardown(void)
{
	arena_free(arena);
}

TestSuite(eager, .init = setup, .fini = teardown);

static struct module *
module_of(const char *text)
{
	struct diags *d = ARENA_NEW(arena, struct diags);
	struct spec *spec;

	diags_init(d, arena);
	spec = spec_load(arena, d, source_from_text(arena, "net.nn", text, strlen(text)), NULL);
	cr_assert_eq(d->errors, 0, "%s", d->all.n ? d->all.v[0]->message : "");
	return spec->modules.v[0];
}

/* The peak; and whatever a run makes, it frees. */
static struct eager
simulate_as(const char *text, enum eager_run run, bool most)
{
	struct module *m = module_of(text);
	struct eager_ask ask = { .batch = m->set.batch / m->set.accumulate, .run = run,
		.most = most };
	struct eager e;
	int64_t left = 0;
	int i;

	cr_assert(eager_simulate(m, &ask, &e));
	for (i = e.before; i < e.events.n; i++)
		left += e.events.v[i].bytes;
	cr_expect_eq(left, 0);
	return e;
}

static struct eager
simulate(const char *text)
{
	return simulate_as(text, EAGER_STEP, false);
}

#define DENSE(train)									\
	"network n { input x : f32[3] target t : f32[2]\n"				\
	"y = x -> dense(2)  loss mse(y, t) }\n"						\
	"train { batch 5 data synthetic(64) " train " }\n"

/*
 *	weight and bias 24 + 8, x 60, t 40				132
 *	y 40, loss 40							212
 *	backward: the gradient of loss 4, dy 40				256
 *	dweight 24, dbias 8						288
 */
Test(eager, one_dense_layer)
{
	struct eager e = simulate(DENSE("optimizer sgd(lr=0.1)"));

	cr_expect_eq(e.peak, 288);
	cr_expect_eq(e.phase, PHASE_BACKWARD);
	cr_expect_str_eq(e.at->op->name, "dense");
	cr_expect_eq(e.at_peak[T_PARAM], 32);
	cr_expect_eq(e.at_peak[T_GRADIENT], 32);
}

/* The gradients of the micro-batches before take 32 more. */
Test(eager, micro_batches)
{
	cr_expect_eq(simulate("network n { input x : f32[3] target t : f32[2]\n"
	    "y = x -> dense(2)  loss mse(y, t) }\n"
	    "train { batch 10 accumulate 2 data synthetic(64) }\n").peak, 288 + 32);
}

#define SMALL_CNN									\
	"network n { input image : f32[1, 4, 4] target label : class[3]\n"			\
	"y = image -> conv(2, 3, pad=1) -> relu -> maxpool(2) -> flatten -> dense(3)\n"	\
	"loss cross_entropy(y, label) metric accuracy(y, label) }\n"				\
	"train { batch 2 optimizer sgd(lr=0.1, momentum=0.9) data synthetic(64) }\n"

/*
 *	47 parameters and their momentum 188 + 188, image 128, label 2 x 8	 520
 *	conv 256; relu in its place; maxpool 64 and indices 16 x 8		 968
 *	flatten: a view; logits 24, log-probabilities 24, loss 4, total weight 4	1024
 *	backward: of loss 4							1028
 *	nll_loss: 24; then the total weight is free				1048
 *	log_softmax: 24, and 24 + 24 free					1024
 *	dense: dx 64, dweight 96, dbias 12: 1196; dlogits 24, its input 64 free	1108
 *	maxpool: dx 256: 1364; dy 64 and indices 128 free			1172
 *	relu: dx 256								1428
 *	  then dy 256 and the output 256 free					 916
 */
Test(eager, in_place_relu_and_indices)
{
	struct eager e = simulate(SMALL_CNN);

	cr_expect_eq(e.peak, 1428);
	cr_expect_str_eq(e.at->op->name, "relu");
	cr_expect_eq(e.at_peak[T_TARGET], 16);
	cr_expect_eq(e.at_peak[T_OPTIMIZER], 188);
}

/*
 * Under no_grad: 520 as above; conv 256, relu in its place; maxpool 64 and indices 128: 968. Then
 * the indices and the input are free, and what follows is small.
 */
Test(eager, validation)
{
	struct eager e = simulate_as(SMALL_CNN, EAGER_VALIDATION, false);

	cr_expect_eq(e.peak, 968);
	cr_expect_eq(e.phase, PHASE_FORWARD);
	cr_expect_str_eq(e.at->op->name, "maxpool");
	cr_expect_eq(e.at_peak[T_GRADIENT], 0);
	cr_expect_eq(e.at_peak[T_OPTIMIZER], 188);
}

/* Without it all that backward would read stays: the 1024 that forward ends with in training. */
Test(eager, validation_that_autograd_records)
{
	struct eager e = simulate_as(SMALL_CNN, EAGER_RECORDED, false);

	cr_expect_eq(e.peak, 1024);
	cr_expect_eq(e.phase, PHASE_FORWARD);
}

/* In evaluation mode dropout makes nothing: 212, as of the forward pass of one dense layer above;
 * and batchnorm no statistics of the batch: weight, bias and running statistics 48,
 * num_batches_tracked 8, x, t, y and the loss 60 each. */
Test(eager, validation_is_in_evaluation_mode)
{
	cr_expect_eq(simulate_as(DENSE(""), EAGER_VALIDATION, false).peak, 212);
	cr_expect_eq(simulate_as(
	    "network n { input x : f32[3] target t : f32[2]\n"
	    "y = x -> dropout(0.5) -> dense(2)  loss mse(y, t) }\n"
	    "train { batch 5 data synthetic(64) }\n", EAGER_VALIDATION, false).peak, 212);
	cr_expect_eq(simulate_as(
	    "network n { input x : f32[3] target t : f32[3]\n"
	    "y = x -> batchnorm  loss mse(y, t) }\n"
	    "train { batch 5 data synthetic(64) }\n", EAGER_VALIDATION, false).peak,
	    48 + 8 + 4 * 60);
}

/*
 * Relu not in place, before PyTorch 1.10: its input, 256, is kept beside what comes out. Forward
 * ends with 1024 + 256; before maxpool's gradient 1108 + 256, as above; dx 256: 1620. Then what
 * came out of relu is free.
 */
Test(eager, relu_that_keeps_its_input)
{
	struct eager_ask ask = { .batch = 2, .relu_keeps = true };
	struct eager e;

	cr_assert(eager_simulate(module_of(SMALL_CNN), &ask, &e));
	cr_expect_eq(e.peak, 1620);
	cr_expect_str_eq(e.at->op->name, "maxpool");
}

/*
 * The most that a step takes:
 *
 *	parameters 80, image 128, target 256, gradients of the step before 80	 544
 *	conv 256, and while it runs copies of the image and of the result, and
 *	weights of 6x6 for 3x3, 128 + 256 + 72 x 4 = 672			1472
 *	loss 256; backward: of loss 4; dy 256; dweight 72, dbias 8		1396
 *	and while they are made, the copies 672					2068
 */
Test(eager, the_most_that_a_step_takes)
{
	struct eager e = simulate_as(
	    "network n { input image : f32[1, 4, 4] target t : f32[2, 4, 4]\n"
	    "y = image -> conv(2, 3, pad=1)  loss mse(y, t) }\n"
	    "train { batch 2 optimizer sgd(lr=0.1) data synthetic(64) }\n", EAGER_STEP, true);

	cr_expect_eq(e.peak, 2068);
	cr_expect_eq(e.at_peak[T_WORKSPACE], 672);
	cr_expect_eq(e.at_peak[T_GRADIENT], 160);
	cr_expect_eq(simulate_as(DENSE("optimizer sgd(lr=0.1)"), EAGER_STEP, true).peak, 288 + 32);
}

#define RESIDUAL(sum)									\
	"network n { input x : f32[4] target t : f32[1]\n"				\
	"r = x -> dense(4, bias=false) -> relu\n"					\
	"d = r -> dense(4, bias=false)\n"						\
	"y = " sum " -> dense(1, bias=false)\n"						\
	"loss mse(y, t) }\n"								\
	"train { batch 10 optimizer sgd(lr=0.1) data synthetic(64) }\n"

/*
 *	weights 64 + 64 + 16, x 160, t 40				344
 *	dense and relu in its place: r 160				504
 *	d 160; d += r in its place; y 40; loss 40			744
 *	backward: of loss 4, dy 40					788
 *	dense: dsum 160, dweight 16: 964; dy 40 and the sum 160 free	764
 *	add: both its inputs get dsum itself
 *	dense: dr 160, dweight 64					988
 *	  then dr is added into dsum, which nothing else holds: 828
 *	relu: dx 160: 988 again
 */
Test(eager, residual_in_place)
{
	struct eager e = simulate(RESIDUAL("(d + r)"));

	cr_expect_eq(e.peak, 988);
	cr_expect_str_eq(e.at->path, "d.dense");
}

/*
 * r is kept by two nodes, so r + d makes a tensor of its own: forward has 160 more, but d is free
 * before y is made, and backward finds what it found above.
 */
Test(eager, residual_into_what_is_kept)
{
	cr_expect_eq(simulate(RESIDUAL("(r + d)")).peak, 988);
}

/*
 *	weights 64, x 160, t 160					 384
 *	y 160; y.sigmoid 160; y is free					 544
 *	loss 160, of loss 4, ds 160					 868
 *	sigmoid: dy 160							1028
 *	  then ds 160 free (the output is the loss's, which keeps it)	 868
 *	dense: dweight 64						 932
 */
Test(eager, sigmoid_keeps_its_output)
{
	cr_expect_eq(simulate(
	    "network n { input x : f32[4] target t : f32[4]\n"
	    "y = x -> dense(4, bias=false) -> sigmoid  loss mse(y, t) }\n"
	    "train { batch 10 optimizer sgd(lr=0.1) data synthetic(64) }\n").peak, 1028);
}

/*
 * Frozen: nothing is kept before the last layer, whose weights alone have a gradient.
 *
 *	weights 64 + 64 + 64, x 160, t 160				 512
 *	h 160, relu in place, i 160, relu in place; h is free		 672
 *	y 160, loss 160, of loss 4, dy 160				1156
 *	dense: dweight 64, no dx					1220
 *
 * Forward needs less: h and i 320, or i and y 320, beside 512.
 */
Test(eager, frozen_prefix)
{
	cr_expect_eq(simulate(
	    "network n { input x : f32[4] target t : f32[4]\n"
	    "h = x -> dense(4, bias=false) -> relu\n"
	    "i = h -> dense(4, bias=false) -> relu\n"
	    "y = i -> dense(4, bias=false)\n"
	    "loss mse(y, t) }\n"
	    "train { batch 10 freeze h, i optimizer sgd(lr=0.1) data synthetic(64) }\n").peak,
	    1220);
}

#define LARGE(optimizer, more)								\
	"network n { input x : f32[100] target t : f32[100]\n"				\
	"y = x -> dense(100, bias=false)  loss mse(y, t) }\n"				\
	"train { batch 1 optimizer " optimizer more " data synthetic(64) }\n"

/*
 * Where weights are most of it (40000 bytes): beside them and their state, x, t, y and the loss are
 * alive, 400 each. In the update there are the gradients, and a copy of them where decay is
 * added, or the root of Adam's second moment. In backward there are the gradients, and dy 400 and
 * the 4 it began with.
 */
Test(eager, update)
{
	struct eager e = simulate(LARGE("sgd(lr=0.1, momentum=0.9, weight_decay=1e-4)", ""));

	cr_expect_eq(e.peak, 4 * 40000 + 1600);
	cr_expect_eq(e.phase, PHASE_UPDATE);
	cr_expect_null(e.at);
	cr_expect_eq(simulate(LARGE("sgd(lr=0.1, momentum=0.9, weight_decay=1e-4, "
	    "no_decay=\"*.weight\")", "")).peak, 3 * 40000 + 1600 + 404);
	cr_expect_eq(simulate(LARGE("sgd(lr=0.1)", "")).peak, 2 * 40000 + 1600 + 404);
	cr_expect_eq(simulate(LARGE("adam(lr=0.1)", "")).peak, 5 * 40000 + 1600);
}

/*
 * No gradient comes through a comparison: the first layer, of 40000 bytes, has neither one nor a
 * state. In the update the other, of 800, has both, two of these, and the root of a moment; x 400,
 * t, y and the loss 8 each are alive. In validation it is 40000, 3 * 800, x 400, t 8, the first
 * result 400, and the comparison 100.
 */
Test(eager, parameters_without_a_gradient)
{
	const char *text =
	    "network n { input x : f32[100] target t : f32[2]\n"
	    "y = x * ((x -> dense(100, bias=false)) > 0) -> dense(2, bias=false)\n"
	    "loss mse(y, t) }\n"
	    "train { batch 1 optimizer adam(lr=0.1) data synthetic(64) }\n";
	struct eager e = simulate(text);

	cr_expect_eq(e.peak, 40000 + 5 * 800 + 400 + 3 * 8);
	cr_expect_eq(e.phase, PHASE_UPDATE);
	cr_expect_eq(simulate_as(text, EAGER_VALIDATION, false).peak, 40000 + 3 * 800 + 408 + 500);
}

/*
 * concat's gradients are views of dy: two halves of 80 that hold 160 together.
 *
 *	weights 16 + 16 + 32, x 80, t 80			224
 *	a 80, b 80, y 160; a and b are free; z 80; loss 80	544
 *	of loss 4, dz 80					628
 *	dense: dy 160, dweight 32: 820; dz 80, y 160 free	580
 *	concat: da and db are views of it
 *	dense: dweight 16 each					612
 */
Test(eager, concat_gradients_are_views)
{
	struct eager e = simulate(
	    "network n { input x : f32[2] target t : f32[2]\n"
	    "a = x -> dense(2, bias=false)\n"
	    "b = x -> dense(2, bias=false)\n"
	    "z = concat(a, b) -> dense(2, bias=false)\n"
	    "loss mse(z, t) }\n"
	    "train { batch 10 optimizer sgd(lr=0.1) data synthetic(64) }\n");

	cr_expect_eq(e.peak, 820);
	cr_expect_str_eq(e.at->path, "z.dense");
}

Test(eager, no_step_to_speak_of)
{
	struct eager_ask ask = { .batch = 1 };
	struct eager e;
	struct module *m = module_of(
	    "network n { input x : f32[3] y = x -> dense(2) }\n");

	cr_expect_not(eager_simulate(m, &ask, &e));
	cr_expect_eq(eager_bytes(m), -1);
	cr_expect_eq(eager_bytes(module_of(DENSE("precision bf16"))), -1);
	ask.batch = 0;
	cr_expect_not(eager_simulate(module_of(DENSE("")), &ask, &e));
	ask.batch = INT64_MAX / 8;
	cr_expect_not(eager_simulate(module_of(DENSE("")), &ask, &e));
	/* int64 arithmetic at the largest batches that fit it */
	ask.batch = INT64_C(1) << 50;
	cr_expect(eager_simulate(module_of(DENSE("")), &ask, &e));
}

/* ---- our plan beside it ---- */

static struct module *
planned(const char *name)
{
	static const char *const without[] = { "recompute" };
	const char *dir = getenv("top_srcdir"), *why;
	struct pass_options o = { .target = target_find("cuda"), .threads = 2,
		.without = without, .nwithout = 1 };
	struct source *src = source_read(arena, arena_printf(arena, "%s/%s", dir ? dir : ".", name),
	    &why);

	cr_assert(src, "%s: %s", name, why);
	return planned_source(arena, src, NULL, &o);
}

/* Does the next batch arrive there? PyTorch's step has no other batch under way. */
static bool
is_landing(const struct module *m, const struct buffer *b)
{
	int i;

	for (i = 0; i < m->train->inputs.n; i++)
		if (b->root == m->train->inputs.v[i]->lands)
			return true;
	return false;
}

/* The most bytes alive in the training step, as PyTorch's are counted: without workspaces. */
static int64_t
tensors_at_peak(const struct module *m)
{
	const struct plan *p = m->plan;
	int64_t *change = arena_array(arena, (size_t)p->instants + 2, sizeof(*change));
	int64_t live = 0, most = 0;
	int i;

	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		if (b->root->kind == T_WORKSPACE || is_landing(m, b))
			continue;
		change[b->first] += b->bytes;
		change[b->last + 1] -= b->bytes;
	}
	for (i = 0; i < p->instants; i++) {
		live += change[i];
		if (p->at[i].graph != m->validate && live > most)
			most = live;
	}
	return most;
}

/* Nothing is kept for longer than PyTorch keeps it, so no step takes more than there, even where
 * nothing is made again. */
Test(eager, never_above)
{
	static const char *const spec[] = {
		"specs/alexnet.nn", "specs/clouds.nn", "specs/digits.nn", "specs/lenet5.nn",
		"specs/local_merge.nn", "specs/resnet18.nn", "specs/resnet50.nn",
		"specs/resnet152.nn", "specs/unet.nn", "specs/vgg16.nn",
		"bench/memory/mobilenet.nn", "bench/memory/mobilenet_v2.nn",
		"bench/memory/unet512.nn", "tests/peer/decoder.nn", "tests/peer/resnet8.nn",
	};
	size_t i;

	for (i = 0; i < sizeof(spec) / sizeof(*spec); i++) {
		struct module *m = planned(spec[i]);
		int64_t ours = tensors_at_peak(m), theirs = eager_bytes(m);

		cr_expect_leq(ours, theirs, "%s: %lld, PyTorch %lld", spec[i], (long long)ours,
		    (long long)theirs);
	}
}

/* Five rows of boxes for each of two samples, of which the least has none, and two proposals. */
Test(eager, rows_of_boxes_are_as_many_as_the_data_have)
{
	const char *text = "network net {\n"
	    "  input  x     : f32[2, 3]\n"
	    "  target boxes : f32[5, 4]\n"
	    "  y  = x -> dense(4)\n"
	    "  at = match(boxes, y)\n"
	    "  loss weighted_mean(sum(y, axis=1), (at -> cast) > -1)\n"
	    "}\n"
	    "train { batch 2  optimizer sgd(lr=0.1)  data synthetic(8) }\n";
	struct eager least = simulate_as(text, EAGER_STEP, false), most = simulate_as(text, EAGER_STEP, true);

	cr_assert_str_eq(least.least, "how many boxes there are the data tell");
	cr_expect_eq(least.events.v[least.before - 1].bytes, 0);
	cr_expect_eq(most.events.v[least.before - 1].bytes, 2 * 5 * 4 * 4);
	cr_expect_geq(most.peak - least.peak, 2 * 5 * 4 * 4 + 4 * (9 * 5 * 2 + 5 + 2));
}

/* Which level of a pyramid has a box is told by the data; of one map nothing is. */
Test(eager, levels_of_a_pyramid)
{
	const char *text = "network net {\n"
	    "  input  x     : f32[3, 16, 16]\n"
	    "  input  boxes : f32[5, 4]\n"
	    "  a = x -> conv(4, 1)\n"
	    "  b = a -> maxpool(2)\n"
	    "  y = %s\n"
	    "  loss weighted_mean(sum(y, axis=(1, 2, 3)), boxes[:, 0])\n"
	    "}\n"
	    "train { batch 2  optimizer sgd(lr=0.1)  data synthetic(8) }\n";

	cr_expect_null(simulate_as(arena_printf(arena, text, "roi_align(boxes, a, 2, 1)"), EAGER_STEP, false).least);
	cr_expect_not_null(simulate_as(arena_printf(arena, text, "roi_align(boxes, a, b, 2, (1, 1/2))"), EAGER_STEP, false).least);
}
