/*
 * Forecasts of other frameworks: which phase holds the peak, by sums made by hand; and the largest
 * batches, by asking for every batch.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "frameworks/forecast.h"
#include "target/target.h"
#include "planned.h"

#define MIB	((int64_t)1 << 20)

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

TestSuite(forecast, .init = setup, .fini = teardown);

static struct module *
planned(const char *text)
{
	struct pass_options o = { .target = target_table[0], .threads = 2 };

	return planned_text(arena, text, &o);
}

static struct forecast
forecast_of(const struct module *m, const char *framework, int64_t batch)
{
	struct forecast c;

	forecast(m, framework_find(framework), batch, &c);
	cr_assert(c.known, "%s", c.why_not);
	return c;
}

#define WIDE(validate)									\
	"network n { input x : f32[1000] target t : f32[10]\n"				\
	"y = x -> dense(10)  loss mse(y, t) }\n"					\
	"train { batch 1 optimizer sgd(lr=0.1) data synthetic(64) }\n" validate

/* Weight and bias 40,040; of 2,000 samples x 8,000,000 and t, y and the loss 80,000 each. */
Test(forecast, a_large_validation_batch_holds_the_peak)
{
	static const char *const name[] = { "pytorch", "tf", "keras1", "keras2" };
	struct module *m = planned(WIDE("validate { batch 2000 data synthetic(2000) }"));
	size_t i;

	for (i = 0; i < sizeof(name) / sizeof(*name); i++) {
		struct forecast c = forecast_of(m, name[i], 1);

		cr_expect(c.validating, "%s", name[i]);
		cr_expect_eq(c.eager.batch, 2000);
		cr_expect_eq(c.tensors, 40040 + 8000000 + 3 * 80000);
		cr_expect_geq(c.low, c.tensors);
		cr_expect_geq(c.high, c.low);
		cr_expect_geq(c.card_high, c.card_low);
	}
	cr_expect_not(forecast_of(planned(WIDE("")), "pytorch", 1).validating);
	cr_expect_not(forecast_of(planned(WIDE("validate { data synthetic(8) }")), "tf",
	    2000).validating);
}

/* Of layers in a row validation has two maps alive, and all of them where autograd records. Maps of
 * 4096 B a sample; conv's input and output are the largest pair, beside weights of 16 each. */
Test(forecast, validation_that_autograd_records)
{
	const struct framework *torch = framework_find("pytorch");
	struct module *m = planned(
	    "network n { input x : f32[4, 16, 16] target t : f32[4, 16, 16]\n"
	    "y = x -> 6 * conv(4, 1, bias=false)  loss mse(y, t) }\n"
	    "train { batch 1 optimizer sgd(lr=0.1) data synthetic(64) }\n"
	    "validate { batch 10 data synthetic(64) }\n");
	int64_t weights = 6 * 64, map = 10 * 4096;
	struct forecast c;

	cr_expect_eq(forecast_validation_batch(m, 3), 10);
	forecast_validation(m, torch, 10, false, &c);
	cr_expect(c.known && c.validating);
	cr_expect_eq(c.tensors, weights + 4 * map);	/* x, t; two of a pair */
	forecast_validation(m, torch, 10, true, &c);
	/* x, t, six outputs, the loss */
	cr_expect_eq(c.tensors, weights + 9 * map);
}

/*
 * A locally-connected layer forward alone: HWC 200, N 50, K 4, F 1, 32 samples of 4 B elements.
 * Slices: 2eBN (K + F) = 64,000. The weight and its product with the mask, 2e HWC NF = 80,000, and
 * the mask, e HW N = 10,000. Each of the 50 may be rounded up to 256 B more.
 */
Test(forecast, keras_validates_without_gradients)
{
	struct module *m = planned(
	    "network n { input x : f32[4, 1, 50] target t : f32[1, 1, 50]\n"
	    "y = x -> local(1, 1)  loss mse(y, t) }\n"
	    "train { batch 32 optimizer sgd(lr=0.1) data synthetic(64) }\n"
	    "validate { data synthetic(64) }\n");
	struct forecast c;

	forecast_validation(m, framework_find("keras1"), 32, false, &c);
	cr_expect_eq(c.unrolled, 64000 + 50 * 256);
	forecast_validation(m, framework_find("keras2"), 32, false, &c);
	cr_expect_eq(c.unrolled, 80000 + 10000 + 50 * 256);
	cr_expect_not(forecast_of(m, "keras1", 32).validating);
}

/*
 * Of what PyTorch keeps TensorFlow does without the input of relu6, the places of maxima and the
 * input of an average pool. 10 samples: maps of 4 x 16 x 16 and a quarter of it and so on, labels
 * of 8 B; weights 64, 2,560 and 40.
 */
Test(forecast, tensorflow_keeps_less)
{
	struct module *m = planned(
	    "network n { input x : f32[4, 16, 16] target t : class[10]\n"
	    "y = x -> conv(4, 1, bias=false) -> relu6 -> maxpool(2) -> avgpool(2) -> flatten -> dense(10)\n"
	    "loss cross_entropy(y, t) }\n"
	    "train { batch 10 optimizer sgd(lr=0.1) data synthetic(64) }\n");
	int64_t map = 4096 * 10, logits = 400, loss = 4, whole = 64 + 2560 + 40 + map + 80;
	struct forecast tf = forecast_of(m, "tf", 10), torch = forecast_of(m, "pytorch", 10);

	cr_expect_eq(tf.low, whole + map + map / 4 + map / 16 + logits + 2 * loss);
	/* relu6's input, and 8 B of each maximum's place */
	cr_expect_eq(torch.eager.kept - tf.low, map + 2 * (map / 4) + logits);
}

/* What was asked batch by batch. */
static int64_t
by_scanning(const struct module *m, const char *framework, int64_t pool)
{
	int64_t batch = 1;

	for (;; batch++) {
		struct forecast c = forecast_of(m, framework, batch);

		if ((c.framework->exact ? c.tensors : c.low) > pool)
			break;
	}
	return batch - 1;
}

Test(forecast, largest_batch)
{
	struct module *m = planned(
	    "network n { input x : f32[3, 64, 64] target t : class[10]\n"
	    "y = x -> conv(32, 3, pad=1) -> batchnorm -> relu -> conv(32, 3, pad=1) -> relu\n"
	    "      -> flatten -> dense(10)  loss cross_entropy(y, t) }\n"
	    "train { batch 4 optimizer adam(lr=0.1) data synthetic(64) }  device { memory 3GiB }\n");
	const struct framework *torch = framework_find("pytorch");
	int64_t low, high, pool = 200 * MIB;
	struct forecast c;

	forecast_largest(m, torch, pool, &low, &high);
	cr_expect_eq(high, by_scanning(m, "pytorch", pool));
	cr_expect_gt(low, 0);
	cr_expect_lt(low, high);
	cr_expect_leq(forecast_of(m, "pytorch", low).high, pool);
	forecast_largest(m, framework_find("tf"), pool, &low, &high);
	cr_expect_eq(high, by_scanning(m, "tf", pool));
	cr_expect(0 < low && low < high);
	forecast_largest(m, torch, 0, &low, &high);
	cr_expect(low == 0 && high == 0);
	forecast_largest_on(m, torch, 3 * 1024 * MIB, &low, &high);
	c = forecast_of(m, "pytorch", low);
	cr_expect_leq(c.card_high, 3 * 1024 * MIB);
	cr_expect_gt(forecast_of(m, "pytorch", low + 1).card_high, 3 * 1024 * MIB);
	cr_expect_eq(high, by_scanning(m, "pytorch", 3 * 1024 * MIB - (c.card_low - c.low)));
}

/* A validation batch of its own that never fits leaves no batch. */
Test(forecast, no_batch_beside_such_validation)
{
	struct module *m = planned(WIDE("validate { batch 200000 data synthetic(200000) }"));
	int64_t low, high;

	forecast_largest(m, framework_find("pytorch"), 100 * MIB, &low, &high);
	cr_expect(low == 0 && high == 0);
}
