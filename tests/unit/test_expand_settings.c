/*
 * What expanding makes of a spec's numbers, inputs, losses and settings, and that a network needs
 * nothing of its tree then. Each expectation is worked out by hand from the language's rules
 * (stowage(5)).
 */
#include <stdlib.h>

#include "readers/reader.h"
#include "expanded.h"

TestSuite(expand_settings, .init = setup, .fini = teardown);

/* ---- numbers ---- */

static int64_t
units(const char *expression)
{
	struct module *m = load(arena_printf(arena,
	    "network n { input x : f32[3, 10, 20]  y = x -> flatten -> dense(%s, bias=false) }",
	    expression));

	return m->persistent.v[0]->dim[0];
}

Test(expand_settings, exact_numbers)
{
	cr_assert_eq(units("3 * (1/3) + 6 % 4"), 3);
	cr_assert_eq(units("floor(65/2)"), 32);
	cr_assert_eq(units("ceil(65/2)"), 33);
	cr_assert_eq(units("floor(-1/2) + 2"), 1);
	cr_assert_eq(units("0.1 * 3 * 10"), 3);
	cr_assert_eq(units("min(7, 5, 6) * max(1, 2)"), 10);
	cr_assert_eq(units("divisible(37, 8)"), 40);	/* nearest */
	cr_assert_eq(units("divisible(3, 8)"), 8);	/* at least one */
	cr_assert_eq(units("divisible(11, 8)"), 16);	/* 8 would be more than a tenth below */
	cr_assert_eq(units("(if 2 > 1 and not false then 4 else 5)"), 4);
	cr_assert_eq(units("(7, 8, 9)[1]"), 8);
	cr_assert_eq(units("channels(x) * height(x) + width(x) + dim(x, 2) + rank(x)"), 73);
}

Test(expand_settings, fractions_are_not_extents)
{
	expect_error("network n { input x : f32[65/2]  y = x -> relu }", "65/2 is 32.5");
}

Test(expand_settings, params)
{
	const struct lang_define define[] = { { "width", "2 * 8" } };
	const struct lang_options options = { .define = define, .ndefines = 1 };
	const char *text = "param units = 2 * width\nparam width = 4\n"
	    "network n { input x : f32[4]  y = x -> dense(units, bias=false) }";
	struct spec *s;

	cr_assert_eq(load(text)->persistent.v[0]->dim[0], 8);
	s = load_with(text, &options);
	cr_assert_eq(diags.errors, 0);
	cr_assert_eq(s->modules.v[0]->persistent.v[0]->dim[0], 32);
}

Test(expand_settings, absurd_sizes_are_refused)
{
	expect_error("network n { input x : f32[4611686018427387904]  y = x -> relu }",
	    "at most 2^40");
	expect_error("network n { input x : f32[1099511627776]  y = x -> dense(1073741824) }",
	    "2^60 bytes");
}

/* ---- inputs, losses, settings ---- */

Test(expand_settings, losses_add_up)
{
	struct module *m = load("network n { input x : f32[4]\n target t : f32[4]\n"
	    "y = x -> dense(4)\n loss mse(y, t)\n loss rest: 0.1 * mse(y, x)\n"
	    "metric d: mse(y, t) }\ntrain { optimizer adam }");
	const struct graph *g = m->forward;

	cr_assert(m->set.train);
	cr_assert_str_eq(operators(m), "dense mse mse scale mse add");
	cr_assert_eq(g->results.n, 3);
	cr_assert_str_eq(g->results.v[0].name, "loss");
	cr_assert_str_eq(g->results.v[1].name, "loss.rest");
	cr_assert_str_eq(g->results.v[2].name, "d");
	cr_assert_not(g->results.v[2].is_loss);
	cr_assert_str_eq(g->loss->def->op->name, "add");
	cr_assert_eq(g->inputs.n, 2);
}

Test(expand_settings, bytes_are_cast_once)
{
	struct module *m = load("network n { input x : u8[3, 4, 4]  input y : f32[3, 4, 4]\n"
	    "target unused : class[3]\n a = x -> relu  b = x + y  loss mse(a, b) }");

	cr_assert_str_eq(operators(m), "cast relu add mse");
	cr_assert_eq(m->forward->inputs.n, 2);
	cr_assert_eq(m->forward->inputs.v[0]->dtype, DT_U8);
	cr_assert_eq(diags.warnings, 1);	/* the unused target */
}

Test(expand_settings, settings)
{
	struct module *m = load("network n { input x : f32[4]  target t : class[2]\n"
	    "h = x -> dense(4) -> relu  y = h -> head: dense(2)  loss cross_entropy(y, t) }\n"
	    "train { batch 64 accumulate 4 epochs 7 precision f64 clip 1/2 freeze h seed 9\n"
	    "optimizer sgd(0.5, momentum=0.9, no_decay=\"*.bias\")\n"
	    "schedule cosine(warmup=2 epochs, floor=0.1) data npy(t=\"t.npy\", x=\"x.npy\") }\n"
	    "validate { data csv(\"v.csv\", scale=1/4, header=true) }\n"
	    "device { name \"nvidia geforce rtx-3090\" }\ndevice small { memory 2GiB arch sm_75 }");
	const struct settings *s = &m->set;

	cr_assert_eq(s->batch, 64);
	cr_assert_eq(s->accumulate, 4);
	cr_assert_eq(s->validate_batch, 16);
	cr_assert_eq(m->forward->batch, 16);
	cr_assert(s->length.epochs && s->length.count == 7);
	cr_assert_eq(s->precision, &precision_f64);
	cr_assert_eq(m->persistent.v[0]->dtype, DT_F64);
	cr_assert_eq(s->clip, 0.5);
	cr_assert_eq(s->seed, 9);
	cr_assert_str_eq(s->optimizer->name, "sgd");
	cr_assert_eq(s->optimizer_attr[0].r, 0.5);
	cr_assert_eq(s->nno_decay, 1);
	cr_assert_eq(s->schedule.kind, SCHED_COSINE);
	cr_assert_eq(s->schedule.warmup.count, 2);
	cr_assert_eq(s->data.nfiles, 2);
	cr_assert_str_eq(s->data.file[0], "x.npy");
	cr_assert_str_eq(s->data.file[1], "t.npy");
	cr_assert(s->validate && reader_flag(&s->validate_data, "header") &&
	    s->validate_data.scale == 0.25);
	cr_assert_eq(s->device.arch, 86);
	cr_assert_eq(s->device.memory, (int64_t)24120 << 20);
	cr_assert(m->persistent.v[0]->frozen && m->persistent.v[1]->frozen);
	cr_assert_not(m->persistent.v[2]->frozen);
}

Test(expand_settings, defaults)
{
	const struct settings *s = &load("network n { input x : f32[4]  y = x -> relu }")->set;

	cr_assert_eq(s->batch, 32);
	cr_assert_eq(s->accumulate, 1);
	cr_assert(s->length.epochs && s->length.count == 1);
	cr_assert_eq(s->precision, &precision_f32);
	cr_assert_str_eq(s->optimizer->name, "sgd");
	cr_assert_eq(s->optimizer_attr[0].r, 0.01);
	cr_assert_not(s->train || s->validate || s->device.given);
	cr_assert_eq(s->validate_batch, 32);
}

Test(expand_settings, device_by_option)
{
	const char *text = "network n { input x : f32[4]  y = x -> relu }\n"
	    "device { memory 1GiB }\ndevice ci { memory 2GiB }";
	struct lang_options options = { .device = "ci" };

	cr_assert_eq(load_with(text, &options)->modules.v[0]->set.device.memory, (int64_t)2 << 30);
	options.device = "Tesla T4";
	cr_assert_eq(load_with(text, &options)->modules.v[0]->set.device.arch, 75);
	cr_assert_eq(diags.errors, 0);
	options.device = "T44";
	load_with(text, &options);
	cr_assert_eq(diags.errors, 1);
}

Test(expand_settings, an_error_in_copies_shows_once_with_its_use)
{
	const struct diag *g;

	load_with("block b { out = in -> conv(4, 9) }\n"
	    "network n { input x : f32[4, 8, 8]\n y = x -> 16 * b }", NULL);
	cr_assert_eq(diags.errors, 1);
	g = diags.all.v[0];
	cr_assert_str_eq(g->rule, "shape");
	cr_assert_eq(loc_line(g->loc), 1);
	cr_assert_eq(g->remarks.n, 1);
	cr_assert_eq(loc_line(g->remarks.v[0].loc), 3);
}

/* 60,000 and 39,901 and 99 operators are as many as may be: tanh is one too many, and what comes
 * after it is not made and says nothing of its own. */
Test(expand_settings, the_operators_of_a_file_are_bounded)
{
	struct spec *s = load_with("network one   { input x : f32[4]  y = x -> 30 * (100 * relu) }\n"
	    "network two   { input x : f32[4]  y = x -> tanh -> 19 * (100 * relu) }\n"
	    "network three { input x : f32[4]  y = x -> 99 * relu -> tanh -> sigmoid }\n"
	    "network four  { input x : f32[4]  y = x -> relu -> dense(2) }\n", NULL);
	const struct diag *g;

	cr_assert_eq(diags.errors, 1);
	g = diags.all.v[0];
	cr_assert(strncmp(g->message, "the networks of this file have more than 5000 operators together", 64) == 0,
	    "%s", g->message);
	cr_assert_eq(loc_line(g->loc), 3);
	cr_assert_eq(loc_column(g->loc), 57);
	cr_assert_eq(s->modules.n, 4);
	cr_assert(!s->modules.v[0]->broken && !s->modules.v[1]->broken);
	cr_assert(s->modules.v[2]->broken && s->modules.v[3]->broken);
}

/* ---- what is forgotten ---- */

static const char *
printed(const struct module *m)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	const char *copy;

	ir_print(f, m);
	fclose(f);
	copy = arena_strdup(arena, text);
	free(text);
	return copy;
}

/* What lay in the tree is overwritten before the network is read. */
Test(expand_settings, a_network_does_not_need_its_tree)
{
	static const char text[] = "param width = 3 * 4\n"
	    "block twice(n) { input x  y = x -> 2 * (dense(n) -> relu)  out = y + x }\n"
	    "network n { input x : f32[12] target t : class[5]\n"
	    "  h = x -> twice(width) -> shared: dense(12) -> shared\n"
	    "  loss cross_entropy(h -> dense(5), t) metric accuracy(h -> dense(5), t) }\n"
	    "train { batch 8  optimizer adam(lr=0.001)  data synthetic(samples=64) }\n";
	const struct lang_options options = { .forget = true };
	struct spec *kept = load_with(text, NULL), *forgot = load_with(text, &options);
	struct arena *others = arena_child(arena);
	int i;

	cr_assert_eq(diags.errors, 0, "%s", diags.errors ? diags.all.v[0]->message : "");
	for (i = 0; i < 1000; i++)	/* the same blocks, since they are at hand */
		memset(arena_alloc(others, 1000), 0xaa, 1000);
	cr_assert_str_eq(printed(forgot->modules.v[0]), printed(kept->modules.v[0]));
	cr_assert_gt(kept->file->networks.v[0]->nstmts, 0);
	cr_assert_eq(forgot->file->networks.v[0]->nstmts, 0);
}
