/*
 * Passes as text in, text out: each tests/golden/ir/NAME.in holds a module as IR text whose first
 * line names a pass, "# pass inplace", maybe a target, "# pass workspaces cuda", and maybe a GPU on
 * which it is for speed, "# pass conv-sums cuda H100"; the module after it must print as NAME.out.
 * Also: what is printed reads back as itself, and broken text ends in a diagnostic, never in a
 * crash.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "target/gpu.h"
#include "target/target.h"
#include "ir/pass.h"
#include "extended.h"

static char *
in_source(struct arena *a, const char *name)
{
	const char *dir = getenv("top_srcdir");

	return arena_printf(a, "%s/tests/golden/ir/%s", dir ? dir : ".", name);
}

static struct source *
slurp(struct arena *a, const char *path)
{
	const char *why;
	struct source *s = source_read(a, path, &why);

	cr_assert_not_null(s, "%s: %s", path, why ? why : "");
	return s;
}

static char *
printed(const struct module *m)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	ir_print(f, m);
	fclose(f);
	return text;
}

static const struct pass *
pass_find(const char *name)
{
	int i;

	for (i = 0; pass_table[i]; i++)
		if (strcmp(pass_table[i]->name, name) == 0)
			return pass_table[i];
	cr_assert_fail("no pass '%s'", name);
	return NULL;
}

static void
for_speed_on(const char *card, struct module *m, struct pass_options *o)
{
	const struct gpu *gpu = gpu_find(card);

	cr_assert_not_null(gpu, "no GPU '%s'", card);
	m->set.device = (struct device){ .given = true, .name = gpu->name, .arch = gpu->arch };
	o->speed = true;
}

static void
one(const char *name)
{
	struct arena *a = arena_new();
	struct pass_options o = { .threads = 1 };
	struct diags d;
	struct source *in = slurp(a, in_source(a, arena_printf(a, "%s.in", name))), *out;
	struct module *m;
	char pass[64] = "", target[16] = "c", card[32] = "", *text;

	diags_init(&d, a);
	cr_assert_geq(sscanf(in->text, "# pass %63s%*1[ ]%15s%*1[ ]%31s", pass, target, card), 1,
	    "%s.in names no pass", name);
	o.target = target_find(target);
	cr_assert_not_null(o.target, "%s: no target '%s'", name, target);
	m = ir_parse(a, &d, in);
	cr_assert_not_null(m, "%s: line %d: %s", name, d.all.n ? loc_line(d.all.v[0]->loc) : 0,
	    d.all.n ? d.all.v[0]->message : "");
	cr_assert(ir_verify(m), "%s: %s", name, d.all.n ? d.all.v[0]->message : "");
	if (*card)
		for_speed_on(card, m, &o);
	cr_assert(pass_apply(pass_find(pass), m, &o), "%s: pass %s failed", name, pass);
	cr_assert(ir_verify(m), "%s: after %s: %s", name, pass, d.all.n ? d.all.v[0]->message : "");
	out = slurp(a, in_source(a, arena_printf(a, "%s.out", name)));
	text = printed(m);
	cr_assert_str_eq(text, out->text, "%s: after %s the IR is\n%s", name, pass, text);
	free(text);
	arena_free(a);
}

static void
each_case(void (*f)(const char *name))
{
	struct arena *a = arena_new();
	DIR *dir = opendir(in_source(a, "."));
	struct dirent *e;
	int n = 0;

	cr_assert_not_null(dir);
	while ((e = readdir(dir))) {
		size_t len = strlen(e->d_name);

		if (len > 3 && strcmp(e->d_name + len - 3, ".in") == 0) {
			f(arena_strndup(a, e->d_name, len - 3));
			n++;
		}
	}
	closedir(dir);
	arena_free(a);
	cr_assert_geq(n, 5);
}

Test(passes, text_in_text_out)
{
	each_case(one);
}

/* Lines of @N say where a thing came from; read back, it comes from the text itself. */
static void
drop_lines(char *s)
{
	char *to = s;

	while (*s)
		if (s[0] == ' ' && s[1] == '@')
			s += 2 + strspn(s + 2, "0123456789");
		else
			*to++ = *s++;
	*to = '\0';
}

static void
round_trip(const char *name)
{
	struct arena *a = arena_new();
	struct diags d;
	struct source *out = slurp(a, in_source(a, arena_printf(a, "%s.out", name)));
	struct module *m;
	char *once, *twice;

	diags_init(&d, a);
	m = ir_parse(a, &d, out);
	cr_assert_not_null(m, "%s.out: line %d: %s", name, d.all.n ? loc_line(d.all.v[0]->loc) : 0,
	    d.all.n ? d.all.v[0]->message : "");
	once = printed(m);
	m = ir_parse(a, &d, source_from_text(a, "again", once, strlen(once)));
	cr_assert_not_null(m);
	twice = printed(m);
	drop_lines(once);
	drop_lines(twice);
	cr_assert_str_eq(once, twice);
	free(once);
	free(twice);
	arena_free(a);
}

Test(ir, what_is_printed_reads_back)
{
	each_case(round_trip);
}

/* What a piece is of has its type, and the shape that the text says, whether a node makes the piece
 * or it persists. */
Test(ir, what_a_piece_is_of_is_known)
{
	static const char text[] = "parameter %0 f32[171] \"w\" zeros 0 shared [64, 8]\n"
	    "graph train batch 4 training\n"
	    "  input %1 f32[B, 8] \"x\"\n"
	    "  %2 f32[171] gradient \"w.grad\" shared [64, 8] = relu(%1) {} backward \"w\"\n";
	struct arena *a = arena_new();
	struct tensor *piece[2];
	struct diags d;
	struct module *m;
	int i;

	diags_init(&d, a);
	m = ir_parse(a, &d, source_from_text(a, "pieces", text, strlen(text)));
	cr_assert_not_null(m, "%s", d.all.n ? d.all.v[0]->message : "");
	piece[0] = m->persistent.v[0];
	piece[1] = m->train->nodes.v[0]->out[0];
	for (i = 0; i < 2; i++) {
		const struct tensor *of = piece[i]->gradient_of;

		cr_assert(piece[i]->shared && of);
		cr_expect_eq(of->dtype, DT_F32, "%s", piece[i]->name);
		cr_expect_eq(of->kind, piece[i]->kind, "%s", piece[i]->name);
		cr_expect_eq(of->rank, 2);
		cr_assert_not_null(of->name, "%s", piece[i]->name);
		cr_expect_str_eq(of->name, piece[i]->name);
	}
	arena_free(a);
}

/* Cuts the text short, and changes bytes: a diagnostic or a module, never a crash. Of every four
 * bytes one, in the usual run of every sixteen, as what each stands for here does not depend on
 * where it stands; fuzz_ir.c has all of them, and more. */
static void
mutilate(const char *name)
{
	struct arena *a = arena_new();
	struct source *in = slurp(a, in_source(a, arena_printf(a, "%s.in", name)));
	char *text = arena_strdup(a, in->text);
	int i;

	for (i = 0; i < in->size; i += extended() ? 4 : 16) {
		struct arena *b = arena_new();
		struct diags d;
		char was = text[i];

		diags_init(&d, b);
		ir_parse(b, &d, source_from_text(b, "cut", text, (size_t)i));
		text[i] = "%_[](){}=,x9\n \""[i % 15];
		if (!ir_parse(b, &d, source_from_text(b, "changed", text, (size_t)in->size)))
			cr_assert_gt(d.errors, 0);
		text[i] = was;
		arena_free(b);
	}
	arena_free(a);
}

Test(ir, broken_text_is_reported)
{
	each_case(mutilate);
}

/* What each of these texts lacks is said, and where; none of them may read beyond what it is
 * given. */
Test(ir, what_is_missing_is_named)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{ "workspace %1 u8[+ 3 B] \"w\" zeros 0\n", "expected one number of bytes before '+'" },
		{ "workspace %1 u8[1, 2 + 3 B] \"w\" zeros 0\n",
		    "expected one number of bytes before '+'" },
		{ "workspace %1 u8[B, 2 + 3 B] \"w\" zeros 0\n",
		    "expected one number of bytes before '+'" },
		{ "workspace %1 u8[1 + 2 B + 3 B] \"w\" zeros 0\n", "expected ']'" },
		{ "workspace %1 u8[1 + -2 B] \"w\" zeros 0\n",
		    "expected numbers of bytes of at least 0" },
		{ "optimizer sgd {lr=0.5, momentum=0, nesterov=false, weight_decay=0}\ngraph train batch 4 training\n  input %1 f32[8] \"x\"\n"
		    "  %2 f32[8] activation \"a\" = relu(%1) {} forward \"a\" using %3 u8[8, 8, 8, 8, 8, 8]\n",
		    "expected bytes of a workspace, as in [4096 + 0 B]" },
		{ "%1 f32[2] activation \"a\" = relu(_) {} forward \"a\"\n", "expected a word" },
		{ "graph train batch 1\nresult loss _ \"l\"\n", "expected '%'" },
		{ "optimizer none {}\n", "expected the name of an optimizer" },
		{ "parameter %1 f32[-1] \"w\" zeros 0\n",
		    "expected an extent of at least 0, and no more than 2^56 elements" },
		{ "parameter %1 f32[3, 9223372036854775807] \"w\" zeros 0\n",
		    "expected an extent of at least 0, and no more than 2^56 elements" },
		{ "parameter %1 f32[2] \"w\" zeros 0 split 256 1\n", "expected an axis, and a number of blocks that divides it" },
		{ "parameter %1 f32[2] \"w\" zeros 0 split 0 4294967297\n",
		    "expected an axis, and a number of blocks that divides it" },
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct arena *a = arena_new();
		struct diags d;

		diags_init(&d, a);
		cr_expect_null(ir_parse(a, &d, source_from_text(a, "wrong", wrong[i].text,
		    strlen(wrong[i].text))), "%s", wrong[i].text);
		cr_assert_eq(d.errors, 1, "%s", wrong[i].text);
		cr_expect_str_eq(d.all.v[0]->message, wrong[i].message, "%s: %s", wrong[i].text,
		    d.all.v[0]->message);
		arena_free(a);
	}
}

/* What a node has overwritten is read by none behind it, nor by way of a view: a weight that is
 * updated, what is rectified in place. Before that, in another graph, and what stands there now,
 * are fine. */
Test(ir, nothing_reads_what_was_overwritten)
{
	static const char head[] = "optimizer sgd {lr=0.5, momentum=0, nesterov=false, weight_decay=0}\nparameter %0 f32[8] \"w\" zeros 0\n";
	static const char step[] = "graph train batch 4 training\n"
	    "  input %1 f32[8] \"x\"\n"
	    "  %2 f32[8] activation \"a\" = mul(%1, %0) {} forward \"a\"\n"
	    "  %3 f32[2, 4] activation \"v\" over %0 = reshape(%0) {shape=(2, 4)} forward \"v\"\n"
	    "  %4 f32[8] parameter \"w'\" over %0 = sgd(%0, %2) {lr=0.5, momentum=0, nesterov=false, weight_decay=0} update \"w\"\n";
	static const struct {
		const char *then, *message;
	} text[] = {
		{ "  %5 f32[8] activation \"b\" = tanh(%4) {} forward \"b\"\n", NULL },
		{ "  %5 f32[8] activation \"b\" = tanh(%0) {} forward \"b\"\n",
		    "IR of graph 'train', tanh 'b': reads 'w' (%0), which 'w'' (%4) has overwritten" },
		{ "  %5 f32[2, 4] activation \"b\" = tanh(%3) {} forward \"b\"\n",
		    "IR of graph 'train', tanh 'b': reads 'v' (%3), which 'w'' (%4) has overwritten" },
		{ "  %5 f32[2, 4] activation \"u\" over %4 = reshape(%4) {shape=(2, 4)} forward \"u\"\n"
		  "  %6 f32[2, 4] activation \"b\" = tanh(%5) {} forward \"b\"\n"
		  "graph validate batch 4\n"
		  "  %7 f32[8] activation \"c\" = tanh(%0) {} forward \"c\"\n", NULL },
		{ "  %5 f32[8] activation \"r\" over %2 = relu(%2) {} forward \"r\"\n"
		  "  %6 f32[8] activation \"b\" = add(%5, %2) {} forward \"b\"\n",
		    "IR of graph 'train', add 'b': reads 'a' (%2), which 'r' (%5) has overwritten" },
	};
	size_t i;

	for (i = 0; i < sizeof(text) / sizeof(*text); i++) {
		struct arena *a = arena_new();
		const char *whole = arena_printf(a, "%s%s%s", head, step, text[i].then);
		struct diags d;
		struct module *m;

		diags_init(&d, a);
		m = ir_parse(a, &d, source_from_text(a, "read", whole, strlen(whole)));
		cr_assert_not_null(m, "%s: %s", text[i].then, d.all.n ? d.all.v[0]->message : "");
		cr_expect_eq(ir_verify(m), !text[i].message, "%s", text[i].then);
		if (text[i].message)
			cr_expect_str_eq(d.all.n ? d.all.v[0]->message : "", text[i].message);
		arena_free(a);
	}
}
