/*
 * What expanding makes of a spec: the paths of its parameters, sharing, repetition, recursion and
 * precedence. Each expectation is worked out by hand from the language's rules (stowage(5)).
 */
#include <stdlib.h>

#include "ir/dotted_path.h"
#include "expanded.h"

TestSuite(expand, .init = setup, .fini = teardown);

/* ---- paths ---- */

Test(expand, paths_of_a_definition)
{
	cr_assert_str_eq(parameters(BODY("a = x -> conv(2, 1, bias=false) -> relu"
	    " -> conv(2, 1, bias=false) -> h: conv(3, 1)")),
	    "a.conv.weight a.conv_2.weight h.weight h.bias");
}

Test(expand, out_adds_no_segment)
{
	cr_assert_str_eq(parameters(load("block b(w) { m = in -> conv(w, 1, bias=false)\n"
	    "out = m -> conv(w, 1, bias=false) -> t: conv(w, 1, bias=false) }\n"
	    "network n { input x : f32[4, 8, 8]  y = x -> b(2) -> s: b(3) -> b(4) }")),
	    "y.0.m.conv.weight y.0.conv.weight y.0.t.weight "
	    "s.m.conv.weight s.conv.weight s.t.weight "
	    "y.1.m.conv.weight y.1.conv.weight y.1.t.weight");
}

Test(expand, blocks_and_copies_share_one_count)
{
	cr_assert_str_eq(parameters(load("block b { out = in -> conv(4, 1, bias=false) }\n"
	    "network n { input x : f32[4, 8, 8]\n"
	    "y = x -> b -> 2 * b -> 2 * conv(4, 1, bias=false) -> body: 2 * b -> b }")),
	    "y.0.conv.weight y.1.conv.weight y.2.conv.weight y.3.conv.weight y.4.conv.weight "
	    "body.0.conv.weight body.1.conv.weight y.5.conv.weight");
}

Test(expand, count_is_textual_and_branches_start_equal)
{
	const char *text = "network n { input x : f32[4, 8, 8]\n"
	    "a = x -> conv(4, 1, bias=false) -> (if %s then conv(4, 1, bias=false) else "
	    "relu -> conv(4, 1, bias=false) -> conv(4, 1, bias=false)) -> conv(4, 1, bias=false) }";

	cr_assert_str_eq(parameters(load(arena_printf(arena, text, "true"))),
	    "a.conv.weight a.conv_2.weight a.conv_4.weight");
	cr_assert_str_eq(parameters(load(arena_printf(arena, text, "false"))),
	    "a.conv.weight a.conv_2.weight a.conv_3.weight a.conv_4.weight");
}

Test(expand, label_on_a_group)
{
	cr_assert_str_eq(parameters(BODY("a = x -> g: (conv(4, 1, bias=false) -> relu -> "
	    "k: conv(4, 1, bias=false) -> conv(4, 1, bias=false)) -> conv(4, 1, bias=false)")),
	    "g.conv.weight g.k.weight g.conv_3.weight a.conv_4.weight");
}

Test(expand, layer_parameter_is_named_by_the_parameter)
{
	cr_assert_str_eq(parameters(load("block b(f, g=batchnorm) { out = in -> f -> g -> f }\n"
	    "network n { input x : f32[4, 8, 8]  y = x -> b(conv(4, 1, bias=false), relu) }")),
	    "y.0.f.weight y.0.f_2.weight");
}

Test(expand, composed_layer_is_a_scope)
{
	cr_assert_str_eq(parameters(BODY("cell = conv(4, 1, bias=false) -> relu\n"
	    "y = x -> cell -> 2 * cell")),
	    "y.cell.conv.weight y.0.cell_2.conv.weight y.1.cell_2.conv.weight");
}

Test(expand, resnet_path)
{
	struct source *s = spec_file(arena, "resnet50.nn");
	struct module *m;
	int i, found = 0;

	m = spec_load(arena, &diags, s, NULL)->modules.v[0];
	for (i = 0; i < m->persistent.n; i++)
		found += strcmp(m->persistent.v[i]->name, "layer1.2.main.conv_2.weight") == 0;
	cr_assert_eq(found, 1);
}

Test(expand, clash_asks_for_a_label)
{
	expect_error("network n { input x : f32[4, 8, 8]\n"
	    "out = x -> conv(4, 1) -> conv(4, 1)\n y = x -> conv_2: conv(4, 1) }",
	    "two layers would be called 'conv_2'");
}

Test(expand, patterns)
{
	cr_assert(path_matches("layer1", "layer1.0.main.conv.weight"));
	cr_assert_not(path_matches("layer1", "layer10.conv"));
	cr_assert(path_matches("layer3.*", "layer3.0.main"));
	cr_assert_not(path_matches("layer3.*", "layer3"));
	cr_assert(path_matches("a.*.c", "a.b.c.d"));
	cr_assert_not(path_matches("a.*.c", "a.b.b.c"));
	cr_assert(path_matches("*.bias", "a.b.c.bias"));
	cr_assert_not(path_matches("*.bias", "bias"));
	cr_assert(path_matches("*", "anything.at.all"));
}

/* A word of random segments, of few kinds so that patterns and paths often meet. */
static const char *
random_path(struct arena *a, unsigned *seed, bool pattern)
{
	static const char *const segment[] = { "a", "b", "ab", "*" };
	const char *s = "";
	int i, n;

	*seed = *seed * 1103515245u + 12345u;
	n = 1 + (int)(*seed >> 16) % 4;
	for (i = 0; i < n; i++) {
		*seed = *seed * 1103515245u + 12345u;
		s = path_join(a, s, segment[(*seed >> 16) % (pattern ? 4 : 3)]);
	}
	return s;
}

/* A set says what its patterns say one by one. */
Test(expand, patterns_in_sets)
{
	struct arena *a = arena_new();
	struct pattern pattern[12];
	unsigned seed = 1;
	int round, i, k, first, n, met = 0;

	for (round = 0; round < 500; round++) {
		bool was_met[12] = { false };
		struct path_set *set;

		n = round % 13;
		for (i = 0; i < n; i++)
			pattern[i] = (struct pattern){ .text = random_path(a, &seed, true) };
		set = path_set_new(a, pattern, n);
		for (k = 0; k < 8; k++) {
			const char *path = random_path(a, &seed, false);

			for (first = -1, i = n - 1; i >= 0; i--)
				if (path_matches(pattern[i].text, path)) {
					first = i;
					was_met[i] = true;
				}
			cr_assert_eq(path_set_first(set, path), first, "%s", path);
			met += first >= 0;
		}
		for (i = 0; i < n; i++)
			cr_assert_eq(path_set_met(set, i), was_met[i], "%s", pattern[i].text);
	}
	cr_assert_gt(met, 500);
	arena_free(a);
}

/* ---- sharing ---- */

Test(expand, label_applied_again_shares)
{
	struct module *m = BODY("a = x -> e: conv(4, 3, pad=1) -> relu -> e\n b = a -> e");
	struct node *const *n = m->forward->nodes.v;

	cr_assert_str_eq(parameters(m), "e.weight e.bias");
	cr_assert_str_eq(operators(m), "conv relu conv conv");
	cr_assert_eq(n[0]->in[1], n[2]->in[1]);
	cr_assert_eq(n[0]->in[1], n[3]->in[1]);
}

Test(expand, labelled_block_shares_all_it_has)
{
	struct module *m = load("block b(w) { h = in -> conv(w, 1)\n"
	    "out = h -> c: conv(4, 1) -> relu }\n"
	    "network n { input x, y : f32[4, 8, 8]  p = x -> e: b(8)  q = y -> e }");

	cr_assert_str_eq(parameters(m), "e.h.conv.weight e.h.conv.bias e.c.weight e.c.bias");
	cr_assert_eq(m->forward->nodes.n, 6);
}

Test(expand, label_on_a_call_with_its_operand)
{
	struct module *m = BODY("a = e: conv(x, 4, 1)\n b = a -> e");

	cr_assert_str_eq(parameters(m), "e.weight e.bias");
	cr_assert_str_eq(operators(m), "conv conv");
}

Test(expand, tied_weight)
{
	struct module *m = load("network n { input x : f32[6]\n"
	    "h = x -> up: dense(6, bias=false) -> relu\n y = h -> dense(6, weight=up) }");

	cr_assert_str_eq(parameters(m), "up.weight y.dense.bias");
}

Test(expand, each_use_has_fresh_weights)
{
	cr_assert_str_eq(parameters(load("block twice(f) { out = in -> f -> f }\n"
	    "network n { input x : f32[6]  y = x -> twice(dense(6, bias=false)) }")),
	    "y.0.f.weight y.0.f_2.weight");
}

/* ---- layers of several parts ---- */

/* GPT-2's: c_attn of 768 x 2304 + 2304, c_proj of 768 x 768 + 768. */
Test(expand, attention_is_two_dense_layers_around_its_core)
{
	struct module *m = load("network n { input x : f32[16, 768]  h = x -> attention(12, causal=true) }");
	int64_t elements = 0;
	int i;

	cr_assert_str_eq(operators(m), "dense attend dense");
	cr_assert_str_eq(parameters(m), "h.attention.in_proj.weight h.attention.in_proj.bias "
	    "h.attention.out_proj.weight h.attention.out_proj.bias");
	for (i = 0; i < m->persistent.n; i++)
		elements += tensor_elements_per_sample(m->persistent.v[i]);
	cr_assert_eq(elements, 1771776 + 590592);
	cr_assert(op_bool(m->forward->nodes.v[1], "causal"));
	cr_assert_str_eq(tensor_shape_text(arena, last(m)), "[16, 768]");
}

/* Two heads of keys and two of values for eight of queries: 64 + 2 * 16 units. */
Test(expand, parts_take_the_layers_arguments)
{
	struct module *m = load("network n { input x : f32[16, 64]\n"
	    "  h = x -> attention(8, kv_heads=2, bias=false, dropout=0.25) }");

	cr_assert_str_eq(parameters(m), "h.attention.in_proj.weight h.attention.out_proj.weight");
	cr_assert_eq(m->persistent.v[0]->dim[0], 96);
	cr_assert_eq(op_real(m->forward->nodes.v[1], "dropout"), 0.25);
}

Test(expand, a_shared_layer_shares_the_weights_of_all_parts)
{
	struct module *m = load("network n { input x : f32[16, 64]\n"
	    "  h = x -> mix: attention(8) -> mix  i = h -> attention(8) }");

	cr_assert_str_eq(operators(m), "dense attend dense dense attend dense dense attend dense");
	cr_assert_str_eq(parameters(m), "mix.in_proj.weight mix.in_proj.bias mix.out_proj.weight "
	    "mix.out_proj.bias i.attention.in_proj.weight i.attention.in_proj.bias "
	    "i.attention.out_proj.weight i.attention.out_proj.bias");
	cr_assert_eq(m->forward->nodes.v[3]->in[1], m->persistent.v[0]);
	cr_assert_eq(m->forward->nodes.v[5]->in[2], m->persistent.v[3]);
}

/* Two products of 2 heads of 4 numbers for each pair of a query and a key that it sees. */
Test(expand, multiply_adds_of_attention_are_of_what_is_seen)
{
	int t, s, causal, window, i, j;

	for (t = 1; t <= 5; t++)
		for (s = 1; s <= 5; s++)
			for (causal = 0; causal < 2; causal++)
				for (window = 0; window <= (t == s ? 6 : 0); window++) {
					struct module *m = load(arena_printf(arena, "network n { input q : f32[%d, 8]"
					    "  input k : f32[%d, 8]\n  y = attend(q, k, k, 2, causal=%s, window=%d) }",
					    t, s, causal ? "true" : "false", window));
					const struct node *n = m->forward->nodes.v[0];
					int64_t pairs = 0;

					for (i = 0; i < t; i++)
						for (j = 0; j < s; j++)
							pairs += !(causal && j > i) && !(window &&
							    abs(i - j) >= window);
					cr_assert_eq(n->op->macs(n).per_sample, 2 * 2 * 4 * pairs,
					    "%d x %d, causal %d, window %d", t, s, causal, window);
				}
}

/* ---- repetition, recursion, layers as values ---- */

Test(expand, repeat_counts_with_index)
{
	struct module *m = BODY("y = x -> 3 * conv(2 * (index + 1), 1, bias=false)");

	cr_assert_str_eq(parameters(m), "y.0.conv.weight y.1.conv.weight y.2.conv.weight");
	cr_assert_eq(m->persistent.v[0]->dim[0], 2);
	cr_assert_eq(m->persistent.v[2]->dim[0], 6);
}

Test(expand, repeat_of_none_is_identity)
{
	struct module *m = BODY("y = x -> 0 * conv(2, 1) -> relu");

	cr_assert_str_eq(operators(m), "relu");
	cr_assert_eq(m->forward->nodes.v[0]->in[0]->kind, T_INPUT);
}

Test(expand, number_times_tensor_scales)
{
	struct module *m = BODY("y = 0.5 * x\n z = 3 - x\n w = -(x / 4) + 1");

	cr_assert_str_eq(operators(m), "scale scale scale scale scale");
	cr_assert_eq(op_real(m->forward->nodes.v[0], "factor"), 0.5);
	cr_assert_eq(op_real(m->forward->nodes.v[1], "factor"), -1);
	cr_assert_eq(op_real(m->forward->nodes.v[1], "offset"), 3);
	cr_assert_eq(op_real(m->forward->nodes.v[2], "factor"), 0.25);
	cr_assert_eq(op_real(m->forward->nodes.v[4], "offset"), 1);
}

/* Layers that say the same share their attributes; where the text says them is each one's own. */
Test(expand, alike_layers_share_attributes)
{
	struct module *m = BODY("y = x -> conv(2, 3, pad=1) -> conv(2, 3, pad=1) -> conv(2, 5, pad=2)");
	struct node **n = m->forward->nodes.v;

	cr_assert_eq(n[0]->attr, n[1]->attr);
	cr_assert_neq(n[0]->attr, n[2]->attr);
	cr_assert_eq(op_attr(n[2], "kernel")->v[1], 5);
	cr_assert_eq(op_attr(n[1], "kernel")->v[1], 3);
	cr_assert_eq(op_attr_loc(n[1], "kernel").beg - op_attr_loc(n[0], "kernel").beg,
	    (int)strlen("conv(2, 3, pad=1) -> "));
	cr_assert_eq(op_attr_loc(n[0], "stride").src, NULL, "nobody says it");
}

/* A number stands for the first operand that is not there. */
Test(expand, number_for_the_operand_that_is_missing)
{
	struct module *m = BODY("y = where(x, x, -1)\nz = where(x, 5, 7)\nv = where(x, x, no=3)\nw = max(x, 2)");
	struct node **n = m->forward->nodes.v;

	cr_assert(op_attr(n[0], "no")->given && !op_attr(n[0], "yes")->given);
	cr_assert_eq(op_real(n[0], "no"), -1);
	cr_assert_eq(op_real(n[1], "yes"), 5);
	cr_assert_eq(op_real(n[1], "no"), 7);
	cr_assert_eq(op_real(n[2], "no"), 3);
	cr_assert_eq(op_real(n[3], "other"), 2);
}

Test(expand, recursion)
{
	struct module *m = load("block down(n) {\n"
	    "out = if n == 0 then in else in -> conv(4, 1, bias=false) -> down(n - 1) }\n"
	    "network n { input x : f32[4, 8, 8]  y = x -> down(3) }");

	cr_assert_str_eq(parameters(m), "y.0.conv.weight y.0.0.conv.weight y.0.0.0.conv.weight");
}

Test(expand, recursion_is_bounded)
{
	expect_error("block f(n) { out = in -> f(n + 1) }\n"
	    "network n { input x : f32[4]  y = x -> f(0) }", "inside blocks more than 64 deep");
}

Test(expand, layers_are_values)
{
	cr_assert_str_eq(operators(load("param act = sigmoid\n"
	    "block b(act, n) { f = if n > 1 then act -> tanh else act  out = in -> n * f }\n"
	    "network n { input x : f32[4]  y = x -> b(relu, 2) -> act -> b(act, 1) }")),
	    "relu tanh relu tanh sigmoid sigmoid");
}

/* ---- pipes and names ---- */

Test(expand, arrow_binds_loosest)
{
	struct module *m = BODY("a = x -> relu\n b = a + x -> sigmoid");
	struct node *const *n = m->forward->nodes.v;

	cr_assert_str_eq(operators(m), "relu add sigmoid");
	cr_assert_eq(n[2]->in[0], n[1]->out[0]);
}

Test(expand, piped_operands_come_first)
{
	struct module *m = BODY("a = x -> relu\n b = x -> sub(a)\n c = (a, x) -> sub\n"
	    "d = sub(a, x)");
	struct node *const *n = m->forward->nodes.v;

	cr_assert_eq(n[1]->in[0]->kind, T_INPUT);
	cr_assert_eq(n[1]->in[1], n[0]->out[0]);
	cr_assert_eq(n[2]->in[0], n[0]->out[0]);
	cr_assert_eq(n[3]->in[0], n[0]->out[0]);
}

Test(expand, pipeline_needs_parentheses)
{
	expect_error("network n { input x : f32[4]  y = x -> relu + x }",
	    "parenthesise the pipeline");
}

Test(expand, a_parameter_may_have_an_operators_name)
{
	struct module *m = load("block b(dropout) { out = in -> dropout(dropout) }\n"
	    "network n { input x : f32[4]  y = x -> b(0.25) }");

	cr_assert_str_eq(operators(m), "dropout");
	cr_assert_eq(op_real(m->forward->nodes.v[0], "rate"), 0.25);
}

Test(expand, a_block_hides_an_operator)
{
	cr_assert_str_eq(operators(load("block relu { out = in -> sigmoid }\n"
	    "network n { input x : f32[4]  y = x -> relu }")), "sigmoid");
}

Test(expand, several_inputs_and_selection)
{
	struct module *m = load("block b(k) { input p, q  m = p -> relu  out = k * q + m }\n"
	    "network n { input x, y : f32[4]  z = (x, y) -> b(2)  w = b(x, y, 3)\n"
	    "v = z.m -> sigmoid }");

	cr_assert_str_eq(operators(m), "relu scale add relu scale add sigmoid");
	cr_assert_eq(last(m)->def->in[0], m->forward->nodes.v[0]->out[0]);
}

/* A block's parameter may be a tensor, which is then no operand: it is given by position, by name
 * or in a call. */
Test(expand, a_tensor_fills_a_parameter_by_position)
{
	static const char *const uses[] = { "x -> b(y, 0.5)", "x -> b(y, k=0.5)", "x -> b(k=0.5, t=y)", "b(x, y, 0.5)" };
	struct module *m;
	size_t i;

	for (i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
		m = load(arena_printf(arena, "block b(t, k) { out = k * in - (t -> relu) }\n"
		    "network n { input x, y : f32[4]  z = %s }", uses[i]));
		cr_assert_str_eq(operators(m), "scale relu sub", "%s", uses[i]);
		cr_assert_str_eq(m->forward->nodes.v[0]->in[0]->name, "x", "%s", uses[i]);
		cr_assert_str_eq(m->forward->nodes.v[1]->in[0]->name, "y", "%s", uses[i]);
	}
	expect_error("block b(t, k) { out = k * in - t }\nnetwork n { input x, y : f32[4]  z = x -> b(y) }",
	    "block 'b' needs 'k'");
}

Test(expand, a_block_does_not_see_the_network)
{
	expect_error("block b { out = in + h }\n"
	    "network n { input x : f32[4]  h = x -> relu  y = x -> b }",
	    "nothing is called 'h' here");
}

Test(expand, unused_blocks_are_checked)
{
	expect_error("block b { out = in -> rleu }\nnetwork n { input x : f32[4]  y = x -> relu }",
	    "no layer, block or operator is called 'rleu'");
}
