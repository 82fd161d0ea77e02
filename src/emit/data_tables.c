/*
 * The program's tables of data: what the data settings say, struct source of kernels/host/host.h,
 * and the inputs and targets that samples fill.
 */
#include <string.h>

#include "emit/program.h"
#include "ops/labels.h"
#include "ops/from_file.h"
#include "readers/reader.h"

/* Which of the declared inputs and targets is it? They stand in the forward graph, all of them. */
static int
column_of(const struct module *m, const struct tensor *t)
{
	int i;

	for (i = 0; i < m->forward->inputs.n; i++)
		if (!strcmp(m->forward->inputs.v[i]->name, t->name))
			return i;
	return 0;
}

static bool
check_source(struct emitter *e, const struct graph *g, const struct data_source *d)
{
	int i;

	if (!g || !d->reader || d->reader->files != FILES_EACH)
		return true;
	for (i = 0; i < g->inputs.n; i++)
		if (column_of(e->module, g->inputs.v[i]) >= d->nfiles) {
			diag_error(e->module->diags, "data", d->loc,
			    "no file is given for '%s': %d files for %d inputs and targets",
			    g->inputs.v[i]->name, d->nfiles, e->module->forward->inputs.n);
			return false;
		}
	return true;
}

bool
emit_data_check(struct emitter *e)
{
	const struct module *m = e->module;

	return check_source(e, m->train, &m->set.data) &&
	    check_source(e, m->validate, &m->set.validate_data);
}

/* What the spec gave, by the names of the reader's record. */
static void
emit_arguments(struct emitter *e, const char *name, const struct data_source *d)
{
	const struct attr_spec *s = d->reader ? d->reader->attrs : NULL;
	int i, k;

	text_printf(e->out, "\nstatic const struct argument %s_arguments[] = {\n", name);
	for (i = 0; s && d->attr && s[i].name; i++) {
		const struct attr *a = &d->attr[i];

		if (a->given && s[i].type == ATTR_REALS)
			for (k = 0; k < a->n; k++)
				text_printf(e->out, "\t{\"%s\", %s},\n", s[i].name,
				    emit_decimal(e, a->real[k]));
		else if (a->given)
			text_printf(e->out, "\t{\"%s\", %s},\n", s[i].name, emit_decimal(e,
			    s[i].type == ATTR_REAL ? a->r : (double)a->i));
	}
	text_puts(e->out, "\t{NULL, 0}\n};\n");
}

static void
emit_source(struct emitter *e, const char *name, const struct data_source *d)
{
	int i;

	emit_arguments(e, name, d);
	text_printf(e->out, "\nstatic const struct source %s_source = {\n\t%s%s, {", name,
	    d->reader ? "&reader_" : "NULL", d->reader ? d->reader->name : "");
	for (i = 0; i < d->nfiles; i++) {
		text_puts(e->out, i ? ", " : "");
		emit_string(e->out, d->file[i]);
	}
	text_printf(e->out, "%s}, %d,\n", d->nfiles ? "" : "NULL", d->nfiles);
	text_printf(e->out, "\t%s,\t/* scale of inputs */\n", emit_decimal(e, d->scale));
	text_printf(e->out, "\t%lld,\t/* numbers in a row of all inputs and targets */\n",
	    (long long)reader_field(e->module, d, NULL));
	text_printf(e->out, "\t%lld, %lld,\t/* rows left out, rows used: every so many */\n",
	    (long long)d->skip_every, (long long)d->keep_every);
	text_printf(e->out, "\t%s_arguments\n};\n", name);
}

void
emit_inputs(struct emitter *e, const char *name, const struct graph *g,
    const struct data_source *d)
{
	struct staged_input *in;
	int n = emit_staged_list(e->module, g, &in), i;
	bool slots = e->plan->turn > 0, stages = e->module->stage != NULL;

	text_printf(e->out, "\n/* name, column, field, type, target?, classes, ignored, rank, dims, elements, offset, "
	    "buffer, landing%s */\nenum { %s_INPUTS = %d };\nstatic const struct input %s_inputs[] = {\n", stages ? ", stride" : "",
	    g == e->module->train ? "TRAIN" : "VALIDATE", n, name);
	for (i = 0; i < n; i++) {
		const struct tensor *t = in[i].tensor;
		const struct buffer *b = in[i].here && slots ? plan_buffer(e->plan, t) : NULL;
		int64_t ignored;

		text_puts(e->out, "\t{");
		emit_string(e->out, t->name);
		text_printf(e->out, ", %d, %lld, TYPE_%s, %s, %d, %s, %d, ", column_of(in[i].module, t),
		    (long long)reader_field(in[i].module, d, t), t->dtype->macro,
		    emit_truth(t->kind == T_TARGET), t->classes, labels_ignored_of(in[i].module, t, &ignored) ?
		    arena_printf(e->module->arena, "%lld", (long long)ignored) : "INT64_MIN", t->rank);
		emit_dims(e, t);
		text_printf(e->out, ", %lld, %lld, %d, %lld%s},\n",
		    (long long)tensor_elements_per_sample(t), in[i].here ? (long long)plan_offset(e->plan, t) : -1,
		    in[i].here ? emit_buffer_number(e, t) : -1,
		    (long long)(tensor_landing(t) ? plan_offset(e->plan, tensor_landing(t)) : -1),
		    stages ? arena_printf(e->module->arena, ", %lld", (long long)(b ? b->stride : 0)) : "");
	}
	if (!n)
		text_puts(e->out, "\t{NULL, 0, 0, 0, false, 0, INT64_MIN, 0, {0}, 0, 0, 0, -1}\n");
	text_puts(e->out, "};\n");
}

/* Losses whose labels the host counts, and the weights of their classes. */
static void
emit_counted(struct emitter *e, const struct graph *g)
{
	struct staged_input *in;
	struct text rows;
	int i, j, k, count = 0;

	if (labels_counted_count(e->module, g) == 0)
		return;
	emit_staged_list(e->module, g, &in);
	text_init(&rows, e->module->arena);
	text_puts(e->out, "\n");
	for (i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		const struct attr *weights;
		const char *of_class;
		int64_t ignored = INT64_MIN;

		if (!labels_host_counts(e->module, g, n))
			continue;
		weights = op_attr(n, "weights");
		of_class = labels_weights_file(n) ? table_name(e->module, table_read_by(n)) : "NULL";
		for (j = 0; j < weights->n; j++)
			text_printf(e->out, "%s%s", j ? ", " : arena_printf(e->module->arena,
			    "static const double counted_weights_%d[] = {", count), emit_decimal(e, weights->real[j]));
		text_puts(e->out, j ? "};\n" : "");
		labels_ignored(n, &ignored);
		for (k = 0; strcmp(in[k].tensor->name, labels_of(n)->name); k++)
			;
		text_printf(&rows, "\t{%d, %s, %s},\n", k, j ? arena_printf(e->module->arena, "counted_weights_%d",
		    count) : of_class, ignored == INT64_MIN ? "INT64_MIN" : arena_printf(e->module->arena, "%lld",
		    (long long)ignored));
		count++;
	}
	text_printf(e->out, "/* labels that are counted before an update: input, weights, ignored */\n"
	    "static const struct counted counted[] = {\n%s};\n", rows.s);
}

void
emit_data_tables(struct emitter *e, const char *name, const struct graph *g,
    const struct data_source *d)
{
	emit_source(e, name, d);
	emit_inputs(e, name, g, d);
	emit_counted(e, g);
}

#define MOST_READERS	8	/* of data for training and validation, and of each kind of table */

/* Each that the program needs once. */
static int
readers_of(const struct module *m, const struct reader **reader)
{
	const struct reader *train = m->set.data.reader, *validate = m->set.validate_data.reader;
	int n = 0;

	if (train)
		reader[n++] = train;
	if (validate && validate != train)
		reader[n++] = validate;
	return emit_table_readers(m, reader, n);
}

void
emit_reader_declarations(struct emitter *e)
{
	const struct reader *reader[MOST_READERS];
	int i, n = readers_of(e->module, reader);

	for (i = 0; i < n; i++) {
		if (e->module->stage)	/* those of several stages are in one program */
			text_printf(e->out, "\n#define reader_%s\tstage_%lld_reader_%s\n", reader[i]->name,
			    (long long)e->module->set.stage, reader[i]->name);
		text_printf(e->out, "\nextern const struct reader reader_%s;\n", reader[i]->name);
	}
}

const struct reader *
emit_libraries_of(const struct module *m)
{
	const struct reader *train = m->set.data.reader, *validate = m->set.validate_data.reader;

	if (train && train->packages)
		return train;
	return validate && validate->packages ? validate : NULL;
}

void
emit_readers(struct emitter *e, bool *done)
{
	const struct reader *reader[MOST_READERS];
	int i, n = readers_of(e->module, reader);

	for (i = 0; i < n; i++)
		emit_file(e, reader_host_file(e->module->arena, reader[i]), done);
}
