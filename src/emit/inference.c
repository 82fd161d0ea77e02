/*
 * What is its own in a program that only infers: its tables, which lack all that training wants,
 * and what other programs call (kernels/host/infer.c), declared in the source and once more in a
 * header. Inputs are members of a struct, so that a program that gives another type, or one too
 * many, does not compile; and so are outputs, where there are several.
 */
#include <ctype.h>
#include <string.h>

#include "base/map.h"
#include "emit/program.h"
#include "ir/prediction.h"
#include "ops/shapes.h"

/* What programs see of a type: numbers of 16 bits are handed over as float. */
static const char *
type_in_c(const struct tensor *t)
{
	if (dtype_is_float(t->dtype))
		return t->dtype == DT_F64 ? "double" : "float";
	return t->dtype == DT_U8 ? "uint8_t" : "int32_t";
}

/* "[n, 3, 224, 224]" */
static const char *
shape_in_c(struct arena *a, const struct tensor *t)
{
	const char *text = "[n";
	int i;

	for (i = 0; i < t->rank; i++)
		text = arena_printf(a, "%s, %lld", text, (long long)t->dim[i]);
	return arena_printf(a, "%s]", text);
}

/* A member's name: the input's or output's with "_" for dots, and one behind it if that is a word
 * of C or C++. */
static const char *
member_name(struct arena *a, const char *name)
{
	static const char *const words[] = {
		"alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
		"char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
		"const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete",
		"do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for",
		"friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
		"nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
		"requires", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
		"struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
		"typename", "typeof", "typeof_unqual", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
		"while", "xor", "xor_eq",
	};
	char *plain = arena_strdup(a, name), *dot;
	size_t i;

	while ((dot = strchr(plain, '.')))
		*dot = '_';
	name = plain;
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i], name) == 0)
			return arena_join(a, name, "_", "");
	return name;
}

static void
put_inputs(struct emitter *e, struct text *out)
{
	const struct graph *g = e->module->validate;
	struct arena *a = e->module->arena;
	int i;

	text_puts(out, "struct net_inputs {\n");
	for (i = 0; i < g->inputs.n; i++) {
		const struct tensor *t = g->inputs.v[i];

		text_printf(out, "\tconst %s *%s;\t/* %s%s */\n", type_in_c(t), member_name(a, t->name), shape_in_c(a, t), t->classes ?
		    arena_printf(a, ", each of 0 to %d", t->classes - 1) : "");
	}
	if (g->inputs.n == 0)
		text_puts(out, "\tconst void *none;\n");
	text_puts(out, "};\n");
}

/* ---- outputs ---- */

/* Of what the first loss reads "output"; else as the spec predicts it, and no two alike. */
static const char **
output_names(struct arena *a, const struct result *all, int count)
{
	const char **name = arena_array(a, (size_t)count + 1, sizeof(*name));
	struct map taken = { 0 };
	int i, k;

	for (i = 0; i < count; i++) {
		const char *own = name[i] = all[i].name ? member_name(a, all[i].name) : "output";

		for (k = i; map_get(&taken, name[i]); k++)
			name[i] = arena_printf(a, "%s_%d", own, k);
		map_put(a, &taken, name[i], &taken);
	}
	return name;
}

/* How many numbers each has for a sample. */
static void
put_sizes(struct text *out, const struct result *all, const char **name, int count)
{
	int i;

	if (count == 1) {
		text_printf(out, "\tNET_OUTPUT = %lld\t/* numbers of the output for each sample */\n",
		    (long long)tensor_elements_per_sample(all[0].tensor));
		return;
	}
	for (i = 0; i < count; i++)
		text_printf(out, "\tNET_OUTPUT_%s = %lld%s\t/* numbers of that output for each sample */\n", name[i],
		    (long long)tensor_elements_per_sample(all[i].tensor), i + 1 < count ? "," : "");
}

static void
put_outputs(struct arena *a, struct text *out, const struct result *all, const char **name, int count)
{
	int i;

	text_puts(out, "\nstruct net_outputs {\t/* NULL: it is not wanted */\n");
	for (i = 0; i < count; i++)
		text_printf(out, "\t%s *%s;\t/* %s */\n", type_in_c(all[i].tensor), name[i], shape_in_c(a, all[i].tensor));
	text_puts(out, "};\n");
}

/* NAME in capitals, as a guard has it. */
static const char *
guard(struct arena *a, const char *name)
{
	char *g = arena_printf(a, "STOWAGE_NET_%s_H", name), *p;

	for (p = g; *p; p++)
		*p = isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_';
	return g;
}

static void
put_declarations(struct emitter *e, struct text *out, const char *program)
{
	const struct module *m = e->module;
	struct result *all;
	int count = graph_outputs(m->validate, &all);
	const char *g = guard(m->arena, program), **name = output_names(m->arena, all, count);

	text_printf(out, "#ifndef %s\n#define %s\n\n#include <stdint.h>\n\n"
	    "/* a program with several networks gives each functions of its own, -D'NET(x)=%s_##x', and includes one in a file */\n"
	    "#ifndef NET\n#define NET(x)\tnet_##x\n#endif\n\n", g, g, m->name);
	text_printf(out, "enum {\n\tNET_BATCH = %lld,\t/* samples that run together; net_run() takes any number */\n",
	    (long long)e->plan->validate_batch);
	put_sizes(out, all, name, count);
	text_puts(out, "};\n\n");
	put_inputs(e, out);
	if (count > 1)
		put_outputs(m->arena, out, all, name, count);
	text_printf(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
	    "/* Takes all memory there will be, %lld bytes for the network, and reads a checkpoint's weights (safetensors).\n"
	    " * THREADS: 0, one a processor. It is open once at a time, and others that the program has beside it. -1: it cannot;\n"
	    " * net_error() says why. */\n"
	    "int\tNET(open)(const char *weights, int threads);\n\n", (long long)e->plan->arena_bytes);
	if (count == 1)
		text_printf(out, "/* The output of N samples, %s, from their inputs; allocates nothing. -1: it cannot. */\n"
		    "int\tNET(run)(int64_t n, const struct net_inputs *, %s *output);\n\n", shape_in_c(m->arena, all[0].tensor),
		    type_in_c(all[0].tensor));
	else
		text_puts(out, "/* The outputs of N samples from their inputs; allocates nothing. -1: it cannot. */\n"
		    "int\tNET(run)(int64_t n, const struct net_inputs *, const struct net_outputs *);\n\n");
	text_puts(out, "void\tNET(close)(void);\n\n/* What went wrong last. */\nconst char\t*NET(error)(void);\n\n"
	    "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

void
emit_inference(struct emitter *e, const char *program, struct text *header)
{
	const struct module *m = e->module;
	struct result *all;
	int count = graph_outputs(m->validate, &all);

	text_puts(e->out, "\n#ifdef CHECK");
	emit_buffers(e);
	text_puts(e->out, "#endif\n");
	emit_persistent(e);
	emit_tables_within(e);
	emit_inputs(e, "validate", m->validate, &m->set.validate_data);
	emit_prediction_table(e);
	text_puts(e->out, "\n/* what other programs call; the header has the same */\n");
	put_declarations(e, e->out, program);
	text_printf(e->out, "\ntypedef %s net_output;\n#define NET_OUTPUTS\t%d\t/* the last of the predictions */\n",
	    count == 1 ? type_in_c(all[0].tensor) : "const struct net_outputs", count);
	text_printf(e->out, "#define NET_AVERAGES\t%d\t/* are averages of weights taken in their place? */\n", m->set.ema > 0);
	text_printf(header, "/*\n * %s.h - the network %s of %s, in inference.\n * Written by stowage; link it with %s%s, "
	    "compiled with -DLIBRARY.\n * SPDX-License-Identifier: MIT\n */\n", program, m->name,
	    emit_safe(m->arena, emit_spec_path(m)), program, e->target->suffix);
	put_declarations(e, header, program);
}
