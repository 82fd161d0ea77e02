/* Layers, arguments, statements and parameters cut out of the text of a spec: what is left, to the
 * byte. And edits one after the other. */
#include <criterion/criterion.h>

#include <string.h>

#include "amend/cut.h"

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

TestSuite(cut, .init = setup, .fini = teardown);

static struct file *
parsed(const char *text)
{
	struct diags *d = ARENA_NEW(arena, struct diags);
	struct file *f;

	diags_init(d, arena);
	f = parse_file(arena, d, source_from_text(arena, "n.nn", text, strlen(text)));
	cr_assert_eq(d->errors, 0, "%s: %s", text, d->all.n ? d->all.v[0]->message : "");
	return f;
}

/* A network whose body is TEXT; the layer is where WORD is first. */
static const char *
changed(const char *text, const char *word, int what)
{
	const char *whole = arena_printf(arena, "network n {\n%s\n}\n", text);
	struct file *f = parsed(whole);
	struct edits *e = edits_new(arena, f->src);
	int at = (int)(strstr(whole, word) - whole);
	struct cut_place p;
	bool done;
	char *is;

	if (!cut_find(&p, arena, f, (struct loc){ f->src, at, at + 1 }))
		return "not found";
	done = what == 'o' ? cut_out(e, &p) : what == 'b' ? cut_behind(e, &p, "relu") :
	    cut_argument(e, cut_layer(&p), "bias", "false");
	if (!done)
		return "no";
	is = arena_strdup(arena, edits_apply(e)->text + strlen("network n {\n"));
	is[strlen(is) - strlen("\n}\n")] = '\0';
	return is;
}

#define OUT(was, word, is)	cr_expect_str_eq(changed(was, word, 'o'), is)
#define BEHIND(was, word, is)	cr_expect_str_eq(changed(was, word, 'b'), is)
#define ARGUMENT(was, word, is)	cr_expect_str_eq(changed(was, word, 'a'), is)

Test(cut, an_arm_within_a_line)
{
	OUT("y = x -> dense(2) -> softmax", "softmax", "y = x -> dense(2)");
	OUT("y = x -> softmax -> dense(2)", "softmax", "y = x -> dense(2)");
	OUT("y = x->softmax->dense(2)", "softmax", "y = x->dense(2)");
	OUT("y = x -> p: softmax -> relu  # why", "p:", "y = x -> relu  # why");
	OUT("y = x -> (dense(2) -> softmax) -> relu", "softmax", "y = x -> (dense(2)) -> relu");
	OUT("y = x -> (softmax -> relu)", "softmax", "y = x -> (relu)");
	OUT("y = x -> 2 * dropout(0.5) -> relu", "dropout", "y = x -> relu");
	OUT("y = x -> p: 2 * dropout(0.5)", "dropout", "y = x");
	OUT("loss mse(x -> dense(2) -> softmax, t)", "softmax", "loss mse(x -> dense(2), t)");
}

Test(cut, an_arm_on_a_line_of_its_own)
{
	OUT("y = x\n  -> softmax\n  -> relu", "softmax", "y = x\n  -> relu");
	OUT("y = x\r\n  -> softmax \r\n  -> relu", "softmax", "y = x\r\n  -> relu");
	OUT("y = x  # a\n  -> softmax", "softmax", "y = x  # a");
	OUT("y = x\n  -> softmax  # a\n  -> relu", "softmax", "y = x\n  # a\n  -> relu");
	OUT("y = x\n  -> softmax -> relu", "softmax", "y = x\n  -> relu");
	OUT("y = f(x\n  -> softmax)", "softmax", "y = f(x\n  )");
	OUT("y = x -> # a\n  softmax", "softmax", "no");
}

Test(cut, a_call_with_its_operand)
{
	OUT("y = softmax(x)", "softmax", "y = x");
	OUT("y = 2 * dropout(x -> relu, 0.5)", "dropout", "y = 2 * (x -> relu)");
	OUT("y = dropout(x[0], rate=0.5) -> relu", "dropout", "y = x[0] -> relu");
	OUT("y = dropout(0.5)", "dropout", "no");
	OUT("y = dropout(x, # a\n 0.5)", "dropout", "no");
	OUT("y = if a then softmax(x) else x", "softmax", "y = if a then x else x");
	OUT("y = x -> (if a then softmax else relu)", "softmax", "no");
}

Test(cut, a_layer_behind)
{
	BEHIND("y = x -> dense(3) -> dense(2)", "dense", "y = x -> dense(3) -> relu -> dense(2)");
	BEHIND("y = x -> a: dense(3)", "a:", "y = x -> a: dense(3) -> relu");
	BEHIND("y = dense(x, 3)", "dense", "y = dense(x, 3) -> relu");
	BEHIND("y = x -> 3 * dense(3)", "dense", "no");
	BEHIND("y = x + dense(x, 3)", "dense", "no");
}

Test(cut, an_argument)
{
	ARGUMENT("y = x -> conv(3, 5)", "conv", "y = x -> conv(3, 5, bias=false)");
	ARGUMENT("y = x -> conv(3,\n 5,  # a\n)", "conv",
	    "y = x -> conv(3,\n 5, bias=false,  # a\n)");
	ARGUMENT("y = x -> conv(3, bias=true, pad=1)", "conv",
	    "y = x -> conv(3, bias=false, pad=1)");
	ARGUMENT("y = x -> conv(3, bias=b)", "conv", "no");
	ARGUMENT("y = x -> conv", "conv", "y = x -> conv(bias=false)");
	ARGUMENT("y = x -> conv( )", "conv", "y = x -> conv(bias=false )");
	ARGUMENT("y = x -> head: conv(4 * (2))", "head", "y = x -> head: conv(4 * (2), bias=false)");
}

static const char *
without_formal(const char *text, int i, const char *to)
{
	struct file *f = parsed(text);
	struct edits *e = edits_new(arena, f->src);
	struct cut_calls calls;

	cut_calls_init(&calls, arena, f);
	if (!(to ? cut_rename_formal(e, &calls, f->blocks.v[0], i, to) :
	    cut_drop_formal(e, &calls, f->blocks.v[0], i)))
		return "no";
	return edits_apply(e)->text;
}

#define NET(body)	" network n { input x : f32[4] " body " }"

Test(cut, a_parameter_and_its_arguments)
{
	cr_expect_str_eq(without_formal("block f(a, b) { out = in }" NET("y = x -> f(1, 2)"), 0, NULL),
	    "block f(b) { out = in }" NET("y = x -> f(2)"));
	cr_expect_str_eq(without_formal("block f(a, b=3) { out = in }" NET("y = x -> f(1, 2)"), 1,
	    NULL), "block f(a) { out = in }" NET("y = x -> f(1)"));
	cr_expect_str_eq(without_formal("block f(a,) { out = in }" NET("y = x -> f(1) -> f(a=2)"), 0,
	    NULL), "block f { out = in }" NET("y = x -> f -> f"));
	cr_expect_str_eq(without_formal("block f(a, b) { input p, q out = p }"
	    NET("y = f(x, x, 1, b=2)"), 0, NULL), "block f(b) { input p, q out = p }"
	    NET("y = f(x, x, b=2)"));
	cr_expect_str_eq(without_formal("block f(a, # why\n b) { out = in }" NET("y = x"), 0, NULL),
	    "no");
}

Test(cut, a_parameter_renamed)
{
	cr_expect_str_eq(without_formal("block f(w, v=w) { out = in -> g(w, w=2) -> w.x }"
	    NET("w = x -> f(w=w)"), 0, "f_w"),
	    "block f(f_w, v=f_w) { out = in -> g(f_w, w=2) -> f_w.x }" NET("w = x -> f(f_w=w)"));
}

static const char *
without_lines(const char *text, const char *word)
{
	struct file *f = parsed(text);
	struct edits *e = edits_new(arena, f->src);
	int i;

	for (i = 0; i < f->globals.n; i++)
		if (strcmp(f->globals.v[i].name.text, word) == 0)
			return cut_param(e, &f->globals.v[i]) ? edits_apply(e)->text : "no";
	for (i = 0; i < f->blocks.n; i++)
		if (strcmp(f->blocks.v[i]->name.text, word) == 0)
			return cut_lines(e, f->blocks.v[i]->loc) ? edits_apply(e)->text : "no";
	return "not found";
}

Test(cut, a_statement_with_its_line)
{
	cr_expect_str_eq(without_lines("param a = 1\nparam b = 2\n", "a"), "param b = 2\n");
	cr_expect_str_eq(without_lines("param a = 1\n\nparam b = 2\n\nparam c = 3\n", "b"),
	    "param a = 1\n\nparam c = 3\n");
	cr_expect_str_eq(without_lines("param a = 1  # c\nparam b = 2\n", "a"),
	    "# c\nparam b = 2\n");
	cr_expect_str_eq(without_lines("param a = 1 param b = 2 # c\n", "b"), "param a = 1 # c\n");
	cr_expect_str_eq(without_lines("param a = 1 param b = 2", "a"), "param b = 2");
	cr_expect_str_eq(without_lines("# a\n\nblock a {\n  out = in\n}\n\nparam b = 2", "a"),
	    "# a\n\nparam b = 2");
	cr_expect_str_eq(without_lines("block a {\n  # why\n  out = in\n}\n", "a"), "no");
	cr_expect_str_eq(without_lines("param a = \"#\"\n", "a"), "");
}

Test(cut, edits_one_after_the_other)
{
	struct source *src = source_from_text(arena, "n", "abcdef", 6);
	struct edits *first = edits_new(arena, src), *second;

	edits_add(first, 1, 2, "BB");		/* aBBcdef */
	edits_add(first, 4, 4, "--");		/* aBBcd--ef */
	second = edits_new(arena, edits_apply(first));
	edits_add(second, 2, 4, "x");		/* aBxd--ef: half of what was put in, and c */
	edits_add(second, 9, 9, "!");
	cr_expect_str_eq(edits_apply(edits_then(first, second))->text, "aBxd--ef!");
	cr_expect_eq(edits_then(first, second)->all.n, 3);
	second = edits_new(arena, edits_apply(first));
	edits_add(second, 1, 3, "b");		/* put back */
	edits_add(second, 5, 7, "");
	cr_expect_str_eq(edits_apply(edits_then(first, second))->text, "abcdef");
}
