/*
 * The pieces of a program's text: literals that read back to the last bit, strings and comments
 * that cannot break out, calls, broken lines; and the embedded kernel files, whole.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emit/program.h"

Test(emit, reals_read_back)
{
	static const double values[] = { 0, 1, -1, 0.1, 1e-5, 1.0 / 3, 1e300, 5e-324, 16777217, 1e22,
	    123456789012345678.0, -0.001 };
	char buf[SIZE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		cr_assert_eq(strtod(emit_real(buf, values[i], false), NULL), values[i], "%s", buf);
		cr_assert(strpbrk(buf, ".e"), "%s is an integer", buf);
		cr_assert_eq(strtof(emit_real(buf, values[i], true), NULL), (float)values[i], "%s",
		    buf);
	}
	cr_assert_str_eq(emit_real(buf, 0.1, false), "0.1");
	cr_assert_str_eq(emit_real(buf, 0.1, true), "0.1");
	cr_assert_str_eq(emit_real(buf, 1, true), "1.0");
	cr_assert_str_eq(emit_real(buf, -INFINITY, true), "-INFINITY");
}

Test(emit, strings_stay_strings)
{
	struct arena *a = arena_new();
	struct text t;

	text_init(&t, a);
	emit_string(&t, "a\"b\\c\n?\?/");
	cr_assert_str_eq(t.s, "\"a\\\"b\\\\c\\012\\?\\?/\"");
	text_init(&t, a);
	emit_string(&t, NULL);
	cr_assert_str_eq(t.s, "NULL");
	cr_assert_null(strstr(emit_safe(a, "x*/evil()/*\ny"), "*/"));
	cr_assert_null(strchr(emit_safe(a, "x\ny"), '\n'));
	arena_free(a);
}

Test(emit, long_lines_are_broken)
{
	struct arena *a = arena_new();
	const char *line, *next;
	struct text t, words;
	int i;

	text_init(&t, a);
	text_init(&words, a);
	for (i = 0; i < 60; i++)
		text_printf(&words, "%stensor%d [3, 224, 224]", i ? ", " : "", i);
	emit_wrapped(&t, "\t * ", "\t *   ", words.s);
	for (line = t.s; *line; line = next) {
		next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
		cr_assert_leq(next - line + TAB_WIDTH - 1, LINE_WIDTH);
		cr_assert(line == t.s || !strncmp(line, "\t *   ", 6));
	}
	cr_assert(strstr(t.s, "tensor59 [3, 224, 224]"), "a shape is never broken");
	arena_free(a);
}

/* A module with one parameter of two numbers and one batched tensor of ten a sample. */
struct fixture {
	struct diags diags;
	struct module *module;
	struct tensor *weight, *value;
	struct plan plan;
	struct buffer *of_tensor[2];
	int64_t offset[2];
	struct text out;
	struct emitter e;
};

static void
fixture(struct fixture *f, struct arena *a)
{
	static const int64_t two[] = { 2 }, ten[] = { 2, 5 };
	struct loc nowhere = { 0 };
	struct buffer b = { .bytes = 8 };

	memset(f, 0, sizeof(*f));
	diags_init(&f->diags, a);
	f->module = ir_module(a, &f->diags, "m");
	f->weight = ir_tensor(f->module, T_PARAM, DT_F32, false, 1, two, "weight", nowhere);
	f->value = ir_tensor(f->module, T_ACTIVATION, DT_I32, true, 2, ten, "value", nowhere);
	vec_push(a, &f->plan.buffers, b);
	b.offset = 4096;
	vec_push(a, &f->plan.buffers, b);
	f->of_tensor[f->weight->id] = &f->plan.buffers.v[0];
	f->of_tensor[f->value->id] = &f->plan.buffers.v[1];
	f->offset[f->value->id] = 4096;
	f->plan.of_tensor = f->of_tensor;
	f->plan.ntensors = 2;
	text_init(&f->out, a);
	f->e = (struct emitter){ .module = f->module, .plan = &f->plan, .target = target_find("c"),
	    .offset = f->offset, .out = &f->out };
}

Test(emit, calls)
{
	struct arena *a = arena_new();
	struct fixture f;

	fixture(&f, a);
	emit_call(&f.e, "work", arg_tensor(f.value), arg_tensor(f.weight), arg_tensor(NULL),
	    arg_count(f.value), arg_count(f.weight), arg_batch(f.value), arg_batch(f.weight), arg_int(-3),
	    arg_real(0.1), arg_text("lr"));
	cr_assert_str_eq(f.out.s, "\twork(I32(4096), F32(0), NULL, b * 10, 2, b, 1, -3, REAL(0.1), "
	    "lr);\n");
	arena_free(a);
}

Test(emit, embedded_files_are_whole)
{
	const char *dir = getenv("top_srcdir"), *why;
	struct arena *a = arena_new();
	int i;

	for (i = 0; embedded_table[i].name; i++) {
		struct source *s = source_read(a, arena_printf(a, "%s/kernels/%s", dir ? dir : ".",
		    embedded_table[i].name), &why);

		cr_assert_not_null(s, "%s: %s", embedded_table[i].name, why);
		cr_assert_str_eq(embedded_table[i].text, s->text, "%s", embedded_table[i].name);
	}
	cr_assert_gt(i, 10);
	arena_free(a);
}

Test(emit, a_file_is_put_once)
{
	struct arena *a = arena_new();
	bool *done = arena_array(a, (size_t)emit_embedded_count(), sizeof(*done));
	struct fixture f;
	size_t n;

	fixture(&f, a);
	emit_file(&f.e, "pointwise/relu.cu", done);
	n = f.out.n;
	cr_assert(strstr(f.out.s, "relu_forward"));
	cr_assert(strstr(f.out.s, "struct step {"), "what it includes comes with it");
	cr_assert_null(strstr(f.out.s, "#include \"kernel.h\""));
	emit_file(&f.e, "pointwise/relu.cu", done);
	emit_file(&f.e, "kernel.h", done);
	cr_assert_eq(f.out.n, n);
	arena_free(a);
}

static const char program_text[] =
    "#include <math.h>\n"
    "\n"
    "/*\n * a.cu - this and that.\n */\n"
    "/* of what is counted */\n"
    "#define SIZE\t4\t/* not SPARE */\n"
    "#define SPARE\t5\n"
    "#define NEXT(x)\t\\\n\thelper(x)\n"
    "\n"
    "struct used {\n\tint a;\n};\n"
    "\n"
    "struct spare {\n\tint a;\n};\n"
    "\n"
    "/* spare() calls itself, which is no use */\n"
    "static int\n"
    "spare(struct spare *s)\n"
    "{\n"
    "\treturn s ? spare(s) : 0;\n"
    "}\n"
    "\n"
    "static int\thelper(int);\n"
    "static const int table[] = {\n\tSIZE,\n};\n"
    "static int spare_too[] = { 1,\n\t2 };\n"
    "\n"
    "/* ---- nothing is here ---- */\n"
    "\n"
    "/* ---- nothing below is wanted ---- */\n"
    "\n"
    "#ifdef USE_CUDNN\n"
    "template <typename T> __attribute__((unused)) static T\n"
    "cut(T x)\n"
    "{\n"
    "#ifdef CHECK\n"
    "\tif (x)\n"
    "#endif\n"
    "\t\treturn x;\n"
    "}\n"
    "#else\n"
    "KERNEL(cut_kernel, (struct spare s))\n"
    "{\n"
    "\ttable[0]; /* } */ \"}\";\n"
    "}\n"
    "#endif\n"
    "\n"
    "/* ---- helper, two ways ---- */\n"
    "\n"
    "static int\n"
    "helper(int x)\n"
    "{\n"
    "\treturn x /* cut(x) */ + table[0] + sizeof(struct used);\n"
    "}\n"
    "\n"
    "/*\n * b.cu - of no use here.\n */\n"
    "static void\n"
    "last(void)\n"
    "{\n"
    "\tputs(\"last\");\n"
    "}\n"
    "\n"
    "/* ======== the host ======== */\n"
    "\n"
    "extern \"C\" {\n"
    "void stowage_step(void)\n"
    "{\n"
    "}\n"
    "}\n"
    "\n"
    "int\n"
    "main(void)\n"
    "{\n"
    "\treturn NEXT(puts(\"spare(0)\"));\n"
    "}\n";

static const char wanted_text[] =
    "#include <math.h>\n"
    "\n"
    "/*\n * a.cu - this and that.\n */\n"
    "/* of what is counted */\n"
    "#define SIZE\t4\t/* not SPARE */\n"
    "#define NEXT(x)\t\\\n\thelper(x)\n"
    "\n"
    "struct used {\n\tint a;\n};\n"
    "\n"
    "static int\thelper(int);\n"
    "static const int table[] = {\n\tSIZE,\n};\n"
    "\n"
    "/* ---- helper, two ways ---- */\n"
    "\n"
    "static int\n"
    "helper(int x)\n"
    "{\n"
    "\treturn x /* cut(x) */ + table[0] + sizeof(struct used);\n"
    "}\n"
    "\n"
    "/* ======== the host ======== */\n"
    "\n"
    "extern \"C\" {\n"
    "void stowage_step(void)\n"
    "{\n"
    "}\n"
    "}\n"
    "\n"
    "int\n"
    "main(void)\n"
    "{\n"
    "\treturn NEXT(puts(\"spare(0)\"));\n"
    "}\n";

Test(emit, what_nothing_speaks_of_is_left_out)
{
	struct arena *a = arena_new();
	struct text from, to, again;

	text_init(&from, a);
	text_puts(&from, program_text);
	text_init(&to, a);
	emit_wanted(a, &from, &to);
	cr_assert_str_eq(to.s, wanted_text);
	text_init(&again, a);
	emit_wanted(a, &to, &again);
	cr_assert_str_eq(again.s, wanted_text, "what is left is all wanted");
	arena_free(a);
}

/* A text that is not written as our files are, or cut off anywhere, stays or shrinks, and no more. */
Test(emit, what_is_not_understood_stays)
{
	static const char odd[] = "PAIR(x, int)\n\nint a, b;\nenum { A };\ntypedef int t;\n#if X\nint f(int x)\n#else\n"
	    "int f()\n#endif\n{\n}\nstatic int (*g)(void) = { 0 };\nstruct { int x;\n} s;\n";
	struct arena *a = arena_new();
	struct text from, to;
	size_t n;

	text_init(&from, a);
	text_puts(&from, odd);
	text_init(&to, a);
	emit_wanted(a, &from, &to);
	cr_assert(strstr(to.s, "PAIR(x, int)\n\nint a, b;\nenum { A };\ntypedef int t;\n"), "%s", to.s);
	cr_assert(strstr(to.s, "} s;"), "%s", to.s);
	for (n = 0; n < sizeof(program_text); n++) {
		text_init(&from, a);
		text_add(&from, program_text, n);
		text_init(&to, a);
		emit_wanted(a, &from, &to);
		cr_assert_leq(to.n, n);
	}
	arena_free(a);
}
