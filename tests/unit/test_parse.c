/*
 * The parser on text without mistakes: that the examples of stowage(5) are read without a word,
 * what the trees look like (written out as s-expressions), places, and which lines suppression
 * comments cover. Mistakes are for test_recovery.c.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "syntax/ast.h"

/* ---- the examples of stowage(5) ---- */

static const char lenet5[] =
	"# LeNet-5 on handwritten digits\n"
	"network lenet5 {\n"
	"  input  image : f32[1, 28, 28]\n"
	"  target digit : class[10]\n"
	"\n"
	"  features = image -> conv(6, 5, pad=2) -> relu -> maxpool(2)\n"
	"                   -> conv(16, 5)       -> relu -> maxpool(2)\n"
	"  logits   = features -> flatten -> dense(120) -> relu -> dense(84) -> relu -> head:"
	" dense(10)\n"
	"\n"
	"  loss   cross_entropy(logits, digit)\n"
	"  metric accuracy(logits, digit)\n"
	"}\n"
	"train {\n"
	"  batch     64\n"
	"  epochs    5\n"
	"  optimizer adam(lr=1e-3)\n"
	"  data      idx(\"train-images-idx3-ubyte\", \"train-labels-idx1-ubyte\", scale=1/255)\n"
	"}\n"
	"validate { batch 256  data idx(\"t10k-images-idx3-ubyte\", \"t10k-labels-idx1-ubyte"
	"\", scale=1/255) }\n"
	"device   { memory 8GiB }\n";

static const char resnet50[] =
	"# ResNet-50\n"
	"param classes = 1000\n"
	"\n"
	"block bottleneck(width, stride=1) {\n"
	"  main = in -> conv(width, 1, bias=false) -> batchnorm -> relu\n"
	"            -> conv(width, 3, stride=stride, pad=1, bias=false) -> batchnorm -> relu\n"
	"            -> conv(4 * width, 1, bias=false) -> batchnorm\n"
	"  skip = if stride != 1 or channels(in) != 4 * width\n"
	"         then in -> conv(4 * width, 1, stride=stride, bias=false) -> batchnorm\n"
	"         else in\n"
	"  out  = main + skip -> relu\n"
	"}\n"
	"network resnet50 {\n"
	"  input  image : f32[3, 224, 224]\n"
	"  target label : class[classes]\n"
	"  stem   = image -> conv(64, 7, stride=2, pad=3, bias=false) -> batchnorm -> relu ->"
	" maxpool(3, stride=2, pad=1)\n"
	"  layer1 = stem   -> 3 * bottleneck(64)\n"
	"  layer2 = layer1 -> bottleneck(128, stride=2) -> 3 * bottleneck(128)\n"
	"  layer3 = layer2 -> bottleneck(256, stride=2) -> 5 * bottleneck(256)\n"
	"  layer4 = layer3 -> bottleneck(512, stride=2) -> 2 * bottleneck(512)\n"
	"  logits = layer4 -> global_avgpool -> flatten -> fc: dense(classes)\n"
	"  loss cross_entropy(logits, label)\n"
	"}\n"
	"train {\n"
	"  batch 256   accumulate 4        # 4 micro-batches of 64, one update\n"
	"  epochs    90\n"
	"  precision bf16                  # f32 master weights; f16 brings loss scaling\n"
	"  optimizer sgd(lr=0.1, momentum=0.9, weight_decay=1e-4, no_decay=(\"*.bias\"))\n"
	"  schedule  cosine(warmup=5 epochs)\n"
	"  clip      1.0\n"
	"  freeze    stem, layer1\n"
	"  recompute layer3.*              # or: auto, none\n"
	"}\n"
	"device { name \"RTX 3090\" }        # or: memory 24GiB  arch sm_86\n";

static const char levels_and_gpt2[] =
	"# U-Net of any depth: a recursive block keeps each skip beside the level that uses it\n"
	"block double_conv(width) { out = in -> 2 * (conv(width, 3, pad=1, bias=false) -> bat"
	"chnorm -> relu) }\n"
	"block level(width, below) {\n"
	"  enc  = in -> double_conv(width)\n"
	"  deep = enc -> maxpool(2)\n"
	"             -> (if below == 0 then double_conv(2 * width) else level(2 * width, bel"
	"ow - 1))\n"
	"             -> conv_transpose(width, 2, stride=2)\n"
	"  out  = concat(enc, deep) -> double_conv(width)\n"
	"}\n"
	"# logits = image -> level(64, below=3) -> head: conv(classes, 1)\n"
	"\n"
	"# DenseNet: a repeated block that returns its input with something added\n"
	"block dense_layer(growth) {\n"
	"  new = in -> batchnorm -> relu -> conv(4 * growth, 1, bias=false)\n"
	"           -> batchnorm -> relu -> conv(growth, 3, pad=1, bias=false)\n"
	"  out = concat(in, new)\n"
	"}\n"
	"block transition { out = in -> batchnorm -> relu -> conv(floor(channels(in) / 2), 1,"
	" bias=false) -> avgpool(2) }\n"
	"# dense2 = dense1 -> transition -> 12 * dense_layer(32)\n"
	"\n"
	"# GPT-2 124M\n"
	"block layer(width, heads, drop) {\n"
	"  mid = in + (in -> layernorm -> attention(heads, causal=true, dropout=drop) -> drop"
	"out(drop))\n"
	"  out = mid + (mid -> layernorm -> dense(4 * width) -> gelu(tanh=true) -> dense(widt"
	"h) -> dropout(drop))\n"
	"}\n"
	"network gpt2 {\n"
	"  input  ids  : tokens[1024, vocab=50257]\n"
	"  target next : class[50257, 1024]\n"
	"  place  = pos: parameter((1024, 768), init=normal(0.01))\n"
	"  h      = (ids -> tok: embedding(50257, 768)) + place -> dropout(0.1)\n"
	"           -> body: 12 * layer(768, 12, 0.1) -> layernorm\n"
	"  logits = h -> dense(50257, bias=false, weight=tok)\n"
	"  loss cross_entropy(logits, next)\n"
	"}\n";

/* ---- parsing and writing trees ---- */

struct parsed {
	struct arena *arena;
	struct diags diags;
	struct source *src;
	struct file *file;
};

static struct parsed
parse(const char *text)
{
	struct parsed p = { .arena = arena_new() };

	diags_init(&p.diags, p.arena);
	p.src = source_from_text(p.arena, "test.nn", text, strlen(text));
	p.file = parse_file(p.arena, &p.diags, p.src);
	return p;
}

static const char *const operators[] = {
	[OPR_ADD] = "+", [OPR_SUB] = "-", [OPR_MUL] = "*", [OPR_DIV] = "/", [OPR_MOD] = "%",
	[OPR_EQ] = "==", [OPR_NE] = "!=", [OPR_LT] = "<", [OPR_LE] = "<=", [OPR_GT] = ">",
	[OPR_GE] = ">=", [OPR_AND] = "and", [OPR_OR] = "or", [OPR_NOT] = "not", [OPR_NEG] = "neg",
};

static void	write_expr(struct text *, const struct expr *);

static void
write_args(struct text *t, const struct arg *arg, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		text_puts(t, " ");
		if (arg[i].name)
			text_printf(t, "%s=", arg[i].name);
		write_expr(t, arg[i].value);
	}
}

static void
write_node(struct text *t, const char *head, const struct expr *e)
{
	const struct expr *part[] = { e->a, e->b, e->c };
	size_t i;

	text_printf(t, "(%s", head);
	for (i = 0; i < 3; i++)
		if (part[i]) {
			text_puts(t, " ");
			write_expr(t, part[i]);
		}
	write_args(t, e->arg, e->nargs);
	text_puts(t, ")");
}

static void
write_expr(struct text *t, const struct expr *e)
{
	char buf[SIZE_TEXT];

	switch (e->kind) {
	case E_BAD:
		text_puts(t, "BAD");
		break;
	case E_NUM:
		text_puts(t, number_text(buf, e->num));
		break;
	case E_SIZE:
		text_printf(t, "%sB", number_text(buf, e->num));
		break;
	case E_DURATION:
		text_printf(t, "%s:%s", number_text(buf, e->num), e->name);
		break;
	case E_STR:
		text_printf(t, "\"%s\"", e->name);
		break;
	case E_BOOL:
		text_puts(t, e->flag ? "true" : "false");
		break;
	case E_NAME:
		text_puts(t, e->name);
		break;
	case E_PATH:
		text_printf(t, "<%s>", e->name);
		break;
	case E_STAR:
		text_puts(t, "STAR");
		break;
	case E_ELLIPSIS:
		text_puts(t, "...");
		break;
	case E_CALL:
		write_node(t, e->name, e);
		break;
	case E_TUPLE:
		write_node(t, "tuple", e);
		break;
	case E_IF:
		write_node(t, "if", e);
		break;
	case E_PIPE:
		write_node(t, "->", e);
		break;
	case E_LABEL:
		write_node(t, arena_printf(t->arena, "%s:", e->name), e);
		break;
	case E_BINARY: case E_UNARY:
		write_node(t, operators[e->op], e);
		break;
	case E_INDEX:
		write_node(t, "at", e);
		break;
	case E_RANGE:
		write_node(t, "range", e);
		break;
	}
}

/* The value of the first definition of the first network, as text. */
static const char *
tree(const char *expression)
{
	static char buf[4096];
	struct parsed p;
	struct text t;

	snprintf(buf, sizeof(buf), "network n { x = %s }", expression);
	p = parse(buf);
	cr_assert_eq(p.diags.all.n, 0, "%s: %s", expression,
	    p.diags.all.n ? p.diags.all.v[0]->message : "");
	text_init(&t, p.arena);
	cr_assert_eq(p.file->networks.v[0]->nstmts, 1);
	write_expr(&t, p.file->networks.v[0]->stmt[0].expr);
	snprintf(buf, sizeof(buf), "%s", t.s);
	arena_free(p.arena);
	return buf;
}

static void
reads_silently(const char *text, int blocks, int networks, int sections)
{
	struct parsed p = parse(text);

	cr_assert_eq(p.diags.all.n, 0, "%d:%d %s", loc_line(p.diags.all.v[0]->loc),
	    loc_column(p.diags.all.v[0]->loc), p.diags.all.v[0]->message);
	cr_assert_eq(p.file->blocks.n, blocks);
	cr_assert_eq(p.file->networks.n, networks);
	cr_assert_eq(p.file->sections.n, sections);
	arena_free(p.arena);
}

Test(parse, reads_the_examples_of_the_manual)
{
	reads_silently(lenet5, 0, 1, 3);
	reads_silently(resnet50, 1, 1, 2);
	reads_silently(levels_and_gpt2, 5, 1, 0);
}

/* A line end is a blank, so carriage returns and a byte order mark change nothing. */
Test(parse, reads_them_with_the_line_ends_of_other_systems)
{
	size_t n = strlen(resnet50), i;
	char *text = calloc(2 * n + 4, 1), *to = text;

	to += sprintf(to, "\xef\xbb\xbf");
	for (i = 0; i < n; i++) {
		if (resnet50[i] == '\n')
			*to++ = '\r';
		*to++ = resnet50[i];
	}
	reads_silently(text, 1, 1, 2);
	free(text);
}

/* All on one line: nothing may depend on where lines end. Comments would swallow the rest. */
Test(parse, reads_them_without_line_ends)
{
	size_t n = strlen(resnet50), i;
	char *text = calloc(n + 1, 1);
	bool comment = false;

	for (i = 0; i < n; i++) {
		comment = (comment || resnet50[i] == '#') && resnet50[i] != '\n';
		text[i] = comment || resnet50[i] == '\n' ? ' ' : resnet50[i];
	}
	reads_silently(text, 1, 1, 2);
	free(text);
}

Test(parse, precedence)
{
	cr_assert_str_eq(tree("a + b -> relu"), "(-> (+ a b) relu)");
	cr_assert_str_eq(tree("a -> b -> c"), "(-> (-> a b) c)");
	cr_assert_str_eq(tree("x -> 3 * f(64) -> g"), "(-> (-> x (* 3 (f 64))) g)");
	cr_assert_str_eq(tree("1 - 2 - 3"), "(- (- 1 2) 3)");
	cr_assert_str_eq(tree("1 + 2 * 3 % 4 / 5"), "(+ 1 (/ (% (* 2 3) 4) 5))");
	cr_assert_str_eq(tree("-a * - b"), "(* (neg a) (neg b))");
	cr_assert_str_eq(tree("not a == b or c and d < -1"),
	    "(or (not (== a b)) (and c (< d (neg 1))))");
	cr_assert_str_eq(tree("-shape(x)[1][0]"), "(neg (at (at (shape x) 1) 0))");
	cr_assert_str_eq(tree("x -> head: 2 * f -> g"), "(-> (-> x (head: (* 2 f))) g)");
	cr_assert_str_eq(tree("if a then b -> c else if d then e else f + 1"),
	    "(if a (-> b c) (if d e (+ f 1)))");
	cr_assert_str_eq(tree("(if a then b else c) -> d"), "(-> (if a b c) d)");
}

/* What precedence alone would let pass. */
Test(parse, operators_that_do_not_go_together)
{
	static const char *const wrong[] = {
		"a < b < c", "a == b != c", "a + not b", "a == not b", "-not a", "2 * not a",
	};
	char buf[100];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct parsed p;

		snprintf(buf, sizeof(buf), "network n { x = %s }", wrong[i]);
		p = parse(buf);
		cr_assert_eq(p.diags.errors, 1, "%s: %d errors", wrong[i], p.diags.errors);
		arena_free(p.arena);
	}
}

Test(parse, arguments_tuples_and_literals)
{
	cr_assert_str_eq(tree("f()"), "(f)");
	cr_assert_str_eq(tree("f(1, pad=2, (3, 4),)"), "(f 1 pad=2 (tuple 3 4))");
	cr_assert_str_eq(tree("(a,)"), "(tuple a)");
	cr_assert_str_eq(tree("(a, b -> c, d=1,)"), "(tuple a (-> b c) d=1)");
	cr_assert_str_eq(tree("((a))"), "a");
	cr_assert_str_eq(tree("f(\n\ta,\n\tloss=1,\n\tb=2\n)"), "(f a loss=1 b=2)");
	cr_assert_str_eq(tree("f(\"a, b\", true, false)"), "(f \"a, b\" true false)");
	cr_assert_str_eq(tree("f(5 epochs, 2000 steps, 3 -> epochs)"),
	    "(f 5:epochs 2000:steps (-> 3 epochs))");
	cr_assert_str_eq(tree("f(8GiB, 1.5 kB, 64 B)"), "(f 8589934592B 1500B 64B)");
	cr_assert_str_eq(tree("0x1f + 1e-3 + 1_000"), "(+ (+ 31 0.001) 1000)");
	cr_assert_str_eq(tree("body.0.conv -> layer3.* -> *.bias"),
	    "(-> (-> <body.0.conv> <layer3.*>) <*.bias>)");
	cr_assert_str_eq(tree("3 * x.y"), "(* 3 <x.y>)");
}

static const struct setting *
setting(const struct parsed *p, int i)
{
	cr_assert_gt(p->file->sections.v[0]->nsettings, i);
	return &p->file->sections.v[0]->setting[i];
}

Test(parse, settings_end_where_the_next_begins)
{
	struct parsed p = parse("train unet { batch 256 accumulate 4 epochs 5\n"
	    "recompute layer3.*, * freeze stem metric accuracy(a, b)\n"
	    "own_word\n  1 schedule cosine(warmup=5 epochs) }");
	static const char *const key[] = {
		"batch", "accumulate", "epochs", "recompute", "freeze", "metric", "own_word",
		"schedule",
	};
	int i;

	cr_assert_eq(p.diags.all.n, 0);
	cr_assert_str_eq(p.file->sections.v[0]->name.text, "unet");
	cr_assert_eq(p.file->sections.v[0]->nsettings, 8);
	for (i = 0; i < 8; i++)
		cr_assert_str_eq(setting(&p, i)->key.text, key[i]);
	cr_assert_eq(setting(&p, 3)->nvalues, 2);
	cr_assert_eq(setting(&p, 3)->value[0]->kind, E_PATH);
	cr_assert_eq(setting(&p, 3)->value[1]->kind, E_STAR);
	cr_assert_eq(setting(&p, 7)->value[0]->arg[0].value->kind, E_DURATION);
	arena_free(p.arena);
}

Test(parse, items_and_statements)
{
	struct parsed p = parse("use \"lib.nn\"\nparam k = 10\n"
	    "block f(a, b=2 * k, c=(1, 2)) { input x, y  out = x }\n"
	    "network n { input i : f32[1, 28]  target t, u : tokens[T, vocab=V]\n"
	    "loss depth: 0.1 * l1(i, t) metric accuracy(i, u) }\n"
	    "device { name \"RTX 3090\" }");
	const struct stmt *s = p.file->networks.v[0]->stmt;

	cr_assert_eq(p.diags.all.n, 0);
	cr_assert_str_eq(p.file->imports.v[0].path, "lib.nn");
	cr_assert_str_eq(p.file->globals.v[0].name.text, "k");
	cr_assert_eq(p.file->blocks.v[0]->nformals, 3);
	cr_assert_null(p.file->blocks.v[0]->formal[0].value);
	cr_assert_eq(p.file->blocks.v[0]->formal[1].value->kind, E_BINARY);
	cr_assert_eq(p.file->blocks.v[0]->stmt[0].kind, S_INPUT);
	cr_assert_eq(p.file->blocks.v[0]->stmt[0].nnames, 2);
	cr_assert_null(p.file->blocks.v[0]->stmt[0].type);
	cr_assert_eq(p.file->networks.v[0]->nstmts, 4);
	cr_assert_eq(s[0].type->nargs, 2);
	cr_assert_eq(s[1].kind, S_TARGET);
	cr_assert_str_eq(s[1].name[1].text, "u");
	cr_assert_str_eq(s[1].type->name, "tokens");
	cr_assert_str_eq(s[1].type->arg[1].name, "vocab");
	cr_assert_eq(s[2].kind, S_LOSS);
	cr_assert_eq(s[2].expr->kind, E_LABEL);
	cr_assert_eq(s[3].kind, S_METRIC);
	cr_assert_eq(p.file->sections.v[0]->kind, SEC_DEVICE);
	cr_assert_null(p.file->sections.v[0]->name.text);
	arena_free(p.arena);
}

static void
is_place(struct loc loc, const char *text)
{
	cr_assert_eq((size_t)(loc.end - loc.beg), strlen(text));
	cr_assert_eq(memcmp(loc.src->text + loc.beg, text, strlen(text)), 0, "%.*s",
	    loc.end - loc.beg, loc.src->text + loc.beg);
}

Test(parse, places)
{
	struct parsed p = parse("network net {\n  y = (a + b) -> l: conv(6, pad=2)\n}\n");
	const struct network *n = p.file->networks.v[0];
	const struct expr *e = n->stmt[0].expr, *label = e->b, *call = label->a;

	is_place(n->name.loc, "net");
	is_place(n->loc, "network net {\n  y = (a + b) -> l: conv(6, pad=2)\n}");
	is_place(n->stmt[0].loc, "y = (a + b) -> l: conv(6, pad=2)");
	is_place(e->loc, "(a + b) -> l: conv(6, pad=2)");
	is_place(e->head, "->");
	is_place(e->a->loc, "(a + b)");
	is_place(e->a->head, "+");
	is_place(label->loc, "l: conv(6, pad=2)");
	is_place(label->head, "l");
	is_place(call->loc, "conv(6, pad=2)");
	is_place(call->head, "conv");
	is_place(call->arg[1].name_loc, "pad");
	arena_free(p.arena);
}

/* ---- suppression comments ---- */

Test(suppress, covers_its_line_the_next_statement_or_the_file)
{
	struct parsed p = parse("# stowage: allow-file(oom) the card is borrowed\n"
	    "network n {\n"
	    "  x = a -> f # stowage: allow(local-unroll, dead) on purpose\n"
	    "  # stowage: allow(b)\n"
	    "  y = x ->\n"
	    "     # stowage: allow(c)\n"
	    "     g\n"
	    "  # stowage: allow(d)\n"
	    "}\n"
	    "# stowage: allow(e) all of it\n"
	    "block f {\n"
	    "  out = in\n"
	    "}\n");
	static const struct covered {
		int from, to, rules;
		const char *rule, *reason;
	} want[] = {
		{ 1, 14, 1, "oom", "the card is borrowed" },
		{ 3, 3, 2, "local-unroll", "on purpose" },
		{ 5, 7, 1, "b", "" },
		{ 7, 7, 1, "c", "" },
		{ 8, 8, 1, "d", "" },
		{ 11, 13, 1, "e", "all of it" },
	};
	int i;

	cr_assert_eq(p.diags.all.n, 0);
	cr_assert_eq(p.file->suppressions.n, 6);
	for (i = 0; i < 6; i++) {
		const struct suppression *s = &p.file->suppressions.v[i];

		cr_assert_eq(s->from_line, want[i].from, "%s: from %d", want[i].rule, s->from_line);
		cr_assert_eq(s->to_line, want[i].to, "%s: to %d", want[i].rule, s->to_line);
		cr_assert_eq(s->nrules, want[i].rules);
		cr_assert_str_eq(s->rule[0].text, want[i].rule);
		cr_assert_str_eq(s->reason, want[i].reason);
	}
	arena_free(p.arena);
}

Test(suppress, says_so_if_it_is_not_understood)
{
	static const char *const bad[] = {
		"# stowage: alow(x)", "# stowage:", "# stowage: allow x", "# stowage: allow()",
		"# stowage: allow(a b)", "# stowage: allow(a,", "#stowage: allow(a",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct parsed p = parse(bad[i]);

		cr_assert_eq(p.diags.errors, 1, "%s", bad[i]);
		cr_assert_eq(p.file->suppressions.n, 0);
		arena_free(p.arena);
	}
}
