/* Tensors whose numbers files have: the list of a program that reads them (kernels/host/tables.c),
 * or the numbers themselves. */
#include "emit/program.h"
#include "export/table_file.h"
#include "ops/labels.h"
#include "ops/from_file.h"
#include "readers/reader.h"

static const struct node *
in_graph(const struct graph *g, const struct tensor *t)
{
	int i;

	for (i = 0; g && i < g->nodes.n; i++)
		if ((g->nodes.v[i]->op == &op_from_file || g->nodes.v[i]->op == &op_class_table) &&
		    g->nodes.v[i]->in[0] == t)
			return g->nodes.v[i];
	return NULL;
}

/* The node that says which file it is of; NULL: no step reads it. */
static const struct node *
node_of(const struct module *m, const struct tensor *t)
{
	const struct node *n;

	if (t->kind != T_TABLE || plan_offset(m->plan, t) < 0)
		return NULL;
	n = in_graph(m->train, t);
	return n ? n : in_graph(m->validate, t);
}

int
emit_file_table_count(const struct module *m)
{
	int i, count = 0;

	for (i = 0; i < m->persistent.n; i++)
		count += node_of(m, m->persistent.v[i]) != NULL;
	return count;
}

static bool
is_counted_by(const struct module *m, const struct tensor *t)
{
	const struct graph *const graph[] = { m->train, m->validate };
	int k, i;

	for (k = 0; k < 2; k++)
		for (i = 0; graph[k] && i < graph[k]->nodes.n; i++) {
			const struct node *n = graph[k]->nodes.v[i];

			if (labels_weights_file(n) && table_read_by(n) == t)
				return true;
		}
	return false;
}

static void
emit_source(struct emitter *e, const struct tensor *t, const struct node *n)
{
	const char *file = op_attr(n, "file")->text, *name = table_name(e->module, t);

	text_printf(e->out, "\nstatic const struct source %s_source = {\n\t&reader_%s, {", name, table_reader(file));
	emit_string(e->out, file);
	text_printf(e->out, "}, 1, 1, %lld, 0, 0, no_arguments\n};\n",
	    (long long)(tensor_elements_per_sample(t) / t->dim[0]));
	if (is_counted_by(e->module, t))
		text_printf(e->out, "static double %s[%lld];\n", name, (long long)tensor_elements_per_sample(t));
}

static void
emit_row(struct emitter *e, const struct tensor *t, const struct node *n, struct text *rows)
{
	const char *name = table_name(e->module, t);
	int i;

	text_printf(rows, "\t{&%s_source, {", name);
	emit_string(rows, table_tensor(e->module->arena, n));
	text_printf(rows, ", 0, 0, TYPE_%s, false, 0, INT64_MIN, %d, {", t->dtype->macro, t->rank - 1);
	for (i = 1; i < t->rank; i++)
		text_printf(rows, "%s%lld", i > 1 ? ", " : "", (long long)t->dim[i]);
	text_printf(rows, "%s}, %lld, %lld, 0, -1}, %lld, %s},\n", t->rank > 1 ? "" : "0",
	    (long long)(tensor_elements_per_sample(t) / t->dim[0]), (long long)plan_offset(e->plan, t),
	    (long long)t->dim[0], is_counted_by(e->module, t) ? name : "NULL");
}

void
emit_file_tables(struct emitter *e)
{
	const struct module *m = e->module;
	struct text rows;
	int i;

	if (emit_file_table_count(m) == 0)
		return;
	text_init(&rows, m->arena);
	text_puts(e->out, "\nstatic const struct argument no_arguments[] = {\n\t{NULL, 0}\n};\n");
	for (i = 0; i < m->persistent.n; i++) {
		const struct tensor *t = m->persistent.v[i];
		const struct node *n = node_of(m, t);

		if (!n)
			continue;
		emit_source(e, t, n);
		emit_row(e, t, n, &rows);
	}
	text_printf(e->out, "\n/* tables: where from, what a row is, how many; where the host keeps its numbers */\n"
	    "#define TABLES\t\t%d\nstatic const struct table tables[] = {\n%s};\n", emit_file_table_count(m), rows.s);
}

/* ---- of a program that only infers ---- */

#define MOST_WITHIN	((int64_t)4 << 20)	/* numbers, which its text has */

bool
emit_tables_read(struct emitter *e, const char *root)
{
	const struct module *m = e->module;
	int64_t all = 0;
	const char *why;
	bool ok = true;
	int i;

	e->within = arena_array(m->arena, (size_t)m->persistent.n + 1, sizeof(*e->within));
	for (i = 0; i < m->persistent.n; i++) {
		const struct tensor *t = m->persistent.v[i];
		const struct node *n = node_of(m, t);

		if (!n)
			continue;
		all += tensor_elements_per_sample(t);
		why = all > MOST_WITHIN ? "files have more than 4,194,304 numbers together, which is too many for a program's text: make it a "
		    "parameter, whose numbers are in the checkpoint" : NULL;
		if (why || !(e->within[i] = table_numbers(m->arena, m, n, root, &why))) {
			diag_error(m->diags, "target", n->loc, "from_file: %s", why);
			ok = false;
		}
	}
	return ok;
}

static void
put_numbers(struct emitter *e, const char *name, const double *number, int64_t count)
{
	int64_t i;

	text_printf(e->out, "\nstatic const double %s[] = {", name);
	for (i = 0; i < count; i++)
		text_printf(e->out, "%s%s,", i % 8 ? " " : "\n\t", emit_decimal(e, number[i]));
	text_puts(e->out, "\n};\n");
}

void
emit_tables_within(struct emitter *e)
{
	const struct module *m = e->module;
	struct text rows;
	int i;

	text_init(&rows, m->arena);
	for (i = 0; i < m->persistent.n; i++) {
		const struct tensor *t = m->persistent.v[i];
		const char *name;

		if (!e->within[i])
			continue;
		name = table_name(m, t);
		put_numbers(e, name, e->within[i], tensor_elements_per_sample(t));
		text_printf(&rows, "\t{TYPE_%s, %lld, %lld, %s},\n", t->dtype->macro, (long long)plan_offset(e->plan, t),
		    (long long)tensor_elements_per_sample(t), name);
	}
	if (rows.n > 0)
		text_printf(e->out, "\n/* numbers of files, as they were when this was written: type, offset, how many */\n"
		    "#define TABLES_WITHIN\t%d\nstatic const struct table_within tables_within[] = {\n%s};\n",
		    emit_file_table_count(m), rows.s);
}

/* Adds to READERS, of which there are N, those that tables need, and returns how many there are
 * then. */
int
emit_table_readers(const struct module *m, const struct reader **readers, int n)
{
	int i, k;

	for (i = 0; i < m->persistent.n; i++) {
		const struct node *node = node_of(m, m->persistent.v[i]);
		const struct reader *r = node ? reader_find(table_reader(op_attr(node, "file")->text)) : NULL;

		for (k = 0; k < n && readers[k] != r; k++)
			;
		if (r && k == n)
			readers[n++] = r;
	}
	return n;
}
