/*
 * The pieces of a program's text: literals that read back to the last bit, strings and comments
 * that cannot break out, calls, broken lines; and the embedded kernel files, whole and taken apart
 * (parts.test has small ones).
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
	int of_tensor[2];
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
	f->of_tensor[f->weight->id] = 1;
	f->of_tensor[f->value->id] = 2;
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

/* What a program has of pointwise/dropout.cu, put so many times, if it speaks of dropout and
 * struct step. */
static const char *
dropout_text(struct arena *a, int times)
{
	bool *done = arena_array(a, (size_t)emit_embedded_count(), sizeof(*done));
	struct fixture f;

	fixture(&f, a);
	f.e.parts = parts_new(a, &f.out);
	for (; times > 0; times--) {
		emit_file(&f.e, "pointwise/dropout.cu", done);
		emit_file(&f.e, "kernel.h", done);
	}
	text_puts(&f.out, "/* dropout_last */ dropout(struct step);\n");
	parts_write(f.e.parts);
	return f.out.s;
}

Test(emit, a_file_is_put_once)
{
	struct arena *a = arena_new();
	const char *s = dropout_text(a, 1);

	cr_assert(strstr(s, "\ndropout("));
	cr_assert_null(strstr(s, "\ndropout_last("), "nothing calls it");
	cr_assert(strstr(s, "struct step {"), "what it includes comes with it");
	cr_assert_null(strstr(s, "#include \"kernel.h\""));
	cr_assert_str_eq(dropout_text(a, 2), s);
	arena_free(a);
}

/* The next word of a file, outside comments and literals; *LINES counts the lines passed. */
static const char *
next_word(const char **at, int *lines, size_t *n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	const char *s = *at, *word;

	for (;;) {
		const char *from = s;

		if (!*s)
			return NULL;
		if (s[0] == '/' && s[1] == '*')
			s = strstr(s + 2, "*/") + 2;
		else if (*s == '"' || *s == '\'')
			for (s++; *s++ != *from;)
				s += s[-1] == '\\';
		else if ((*n = strspn(s, letters)))
			break;
		else
			s++;
		for (; from < s; from++)
			*lines += *from == '\n';
	}
	word = s;
	*at = s + *n;
	return word;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(kernel_names[*(const int *)a], kernel_names[*(const int *)b]);
}

/* The numbers of names, in the order of the alphabet. */
static int *
names_in_order(struct arena *a)
{
	int *order = arena_array(a, (size_t)kernel_name_count, sizeof(*order)), i;

	for (i = 0; i < kernel_name_count; i++)
		order[i] = i;
	qsort(order, (size_t)kernel_name_count, sizeof(*order), compare_names);
	return order;
}

static int
name_number(const int *order, const char *word, size_t n)
{
	int low = 0, high = kernel_name_count;

	while (low < high) {
		int middle = (low + high) / 2;
		const char *name = kernel_names[order[middle]];
		int side = strncmp(word, name, n);

		if (side == 0 && !name[n])
			return order[middle];
		if (side > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

static bool
is_listed(int line, int name)
{
	int u;

	for (u = kernel_lines[line].uses; u < kernel_lines[line + 1].uses; u++)
		if (kernel_uses[u] == name)
			return true;
	return false;
}

/* By another reading of the text: each line's names are listed, and nothing else. */
Test(emit, lines_use_what_is_listed)
{
	struct arena *a = arena_new();
	int *order = names_in_order(a), found = 0, i, line, last, u;

	for (i = 0; embedded_table[i].name; i++) {
		const char *s = embedded_table[i].text, *end, *word;
		size_t n;

		for (line = kernel_first_lines[i]; *s; line++) {
			for (u = kernel_lines[line].uses; u < kernel_lines[line + 1].uses; u++) {
				const char *name = kernel_names[kernel_uses[u]];

				end = strstr(s, name);
				cr_assert(end && end < s + kernel_lines[line].length, "%s: %s",
				    embedded_table[i].name, name);
			}
			s += kernel_lines[line].length;
			cr_assert_eq(s[-1], '\n');
		}
		last = line;
		line = kernel_first_lines[i];
		for (s = embedded_table[i].text; (word = next_word(&s, &line, &n)); ) {
			int name = name_number(order, word, n);

			found += name >= 0;
			cr_assert(name < 0 || is_listed(line, name), "%s:%d: %.*s",
			    embedded_table[i].name, line - kernel_first_lines[i] + 1, (int)n, word);
		}
		cr_assert_leq(line, last);
	}
	cr_assert_gt(found, kernel_name_count, "each is used somewhere, and many are twice");
	arena_free(a);
}

/* Every name that a line uses is defined by a piece, or by the program's own text. */
Test(emit, names_are_defined)
{
	static const char own[] = " PREDICTIONS SAMPLES_ROOM SPEC_FOLDER THREADS USE_DOUBLE USE_TF32 VALIDATE_BATCH predictions ";
	struct arena *a = arena_new();
	bool *defined = arena_array(a, (size_t)kernel_name_count, sizeof(*defined));
	int lines = 0, i;

	for (i = 0; embedded_table[i].name; i++)
		lines = kernel_first_lines[i];
	for (; kernel_lines[lines].length; lines++)
		;
	for (i = 0; i < lines; i++)
		if (kernel_pieces[kernel_lines[i].piece].name >= 0)
			defined[kernel_pieces[kernel_lines[i].piece].name] = true;
	for (i = 0; i < kernel_name_count; i++)
		cr_assert(defined[i] || strstr(own, arena_printf(a, " %s ", kernel_names[i])), "%s",
		    kernel_names[i]);
	for (i = 0; i < kernel_lines[lines].uses; i++)
		cr_assert_lt(kernel_uses[i], kernel_name_count);
	arena_free(a);
}
