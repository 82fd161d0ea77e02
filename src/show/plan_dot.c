/*
 * The network as a graph for Graphviz: a box a layer of the spec, with its operator, its shape and
 * the bytes of its result at the planned batch; an arrow a tensor that is read. Layers of one
 * definition stand in a frame.
 *
 *     stowage plan --format dot net.nn | dot -Tsvg > net.svg
 */
#include "show/show.h"

#include <string.h>

#include "base/text.h"
#include "ir/op.h"

/* A string of the language, with "\n" where lines end. */
static void
print_lines(FILE *f, const char *const *line, int n)
{
	int i;

	putc('"', f);
	for (i = 0; i < n; i++) {
		const char *s;

		if (i)
			fputs("\\n", f);
		for (s = line[i]; *s; s++) {
			if (*s == '"' || *s == '\\')
				putc('\\', f);
			putc((unsigned char)*s < ' ' ? ' ' : *s, f);
		}
	}
	putc('"', f);
}

/* "[6, 28, 28]  1.15 MiB" */
static const char *
size_of(const struct module *m, const struct tensor *t)
{
	char human[SIZE_TEXT];
	int64_t batch = m->plan->batch ? m->plan->batch : m->plan->validate_batch;

	return arena_printf(m->arena, "%s  %s", tensor_type_text(m->arena, t),
	    size_human(human, affine_at(tensor_bytes(t), batch)));
}

static void
print_box(FILE *f, const struct module *m, const struct node *n)
{
	const char *line[] = { n->path, n->op->name, size_of(m, node_value(n)) };

	fprintf(f, "\t\tn%d [label=", n->id);
	print_lines(f, line, 3);
	fputs(n->op->kind == OP_LAYER ? "];\n" : ", style=rounded];\n", f);
}

static void
print_arrows(FILE *f, const struct node *n)
{
	int i;

	for (i = 0; i < n->nin; i++) {
		const struct tensor *t = n->in[i];

		if (t && t->def)
			fprintf(f, "\tn%d -> n%d;\n", t->def->id, n->id);
		else if (t && (t->kind == T_INPUT || t->kind == T_TARGET))
			fprintf(f, "\tt%d -> n%d;\n", t->id, n->id);
	}
}

/* The length of what paths of one definition begin with. */
static size_t
head_of(const char *path)
{
	return strcspn(path, ".");
}

static bool
of_one_definition(const struct node *a, const struct node *b)
{
	size_t n = head_of(a->path);

	return n == head_of(b->path) && strncmp(a->path, b->path, n) == 0;
}

/* Layers of one definition stand behind one another in the spec; returns how many from the I-th. */
static int
print_frame(FILE *f, const struct module *m, int i)
{
	const struct graph *g = m->forward;
	const struct node *first = g->nodes.v[i];
	const char *name = arena_printf(m->arena, "%.*s", (int)head_of(first->path), first->path);
	int n = 0;

	fprintf(f, "\tsubgraph cluster%d {\n\t\tlabel=", i);
	print_lines(f, &name, 1);
	fputs(";\n", f);
	for (; i + n < g->nodes.n && of_one_definition(first, g->nodes.v[i + n]); n++)
		if (g->nodes.v[i + n]->nout && g->nodes.v[i + n]->out[0])
			print_box(f, m, g->nodes.v[i + n]);
	fputs("\t}\n", f);
	return n;
}

static void
print_dot(FILE *f, const struct module *m, const struct plan_style *style)
{
	const struct graph *g = m->forward;
	int i;

	(void)style;
	fputs("digraph ", f);
	print_lines(f, &m->name, 1);
	fputs(" {\n\tnode [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
	    "\tgraph [fontname=\"sans-serif\", fontsize=10, color=gray];\n\tedge [arrowsize=0.6];\n", f);
	for (i = 0; i < g->inputs.n; i++) {
		const char *line[] = { g->inputs.v[i]->name, size_of(m, g->inputs.v[i]) };

		fprintf(f, "\tt%d [shape=ellipse, label=", g->inputs.v[i]->id);
		print_lines(f, line, 2);
		fputs("];\n", f);
	}
	for (i = 0; i < g->nodes.n; )
		i += print_frame(f, m, i);
	for (i = 0; i < g->nodes.n; i++)
		print_arrows(f, g->nodes.v[i]);
	fputs("}\n", f);
}

const struct plan_format plan_format_dot = {
	.name = "dot",
	.several = true,
	.print = print_dot,
};
