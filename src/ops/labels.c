/* Labels that do not all count alike; see labels.h. */
#include "ops/labels.h"

#include <string.h>

#include "calls/emitter.h"
#include "calls/formula_kernel.h"
#include "calls/tape.h"
#include "ops/shapes.h"
#include "ops/from_file.h"

/* ---- class_weights ---- */

static const struct attr_spec weight_attrs[] = {
	{ "weights", ATTR_REALS, "the numbers", .required = true }, ATTRS_END
};

static const char *
text_of(struct emitter *e, const struct node *n)
{
	const struct attr *a = &n->attr[0];
	struct text t;
	int i, column = 0;

	text_init(&t, e->module->arena);
	text_puts(&t, "TABLE real @_table[] = {");
	for (i = 0; i < a->n; i++, column++)
		text_printf(&t, "%s%s,", i % 8 == 0 ? "\n\t" : " ", formula_literal(e, a->real[i]));
	text_puts(&t, "\n};\n\nKERNEL(@_kernel, (real *y, int64_t n))\n{\n\tEACH (i, n)\n\t\ty[i] = @_table[i];\n}\n\n"
	    "static void\n@(real *y, int64_t n)\n{\n\tLAUNCH(@_kernel, n, (y, n));\n}\n");
	return t.s;
}

static void
define_weights(struct emitter *e, const struct node *n)
{
	formula_kernel_write(e, "class_weights", NULL, text_of(e, n));
}

static void
emit_weights(struct emitter *e, const struct node *n)
{
	emit_call(e, formula_kernel_written(e, text_of(e, n)), arg_tensor(n->out[0]), arg_count(n->out[0]));
}

/* A buffer of the loss' module, which is there before the step. */
static void
torch_weights(struct tape *t, const struct node *n)
{
	t->layers_bytes += tape_bytes(t, n->out[0]);
	tape_result(t, n->out[0], tape_call(t, &(struct tape_call){ .output = TORCH_NEW }));
}

const struct op op_class_weights = {
	.name = "class_weights",
	.kind = OP_INTERNAL,
	.brief = "what each class weighs in a loss",
	.attrs = weight_attrs,
	.operands = "",
	.min_operands = 0, .max_operands = 0,
	.torch.calls = torch_weights,
	.calls.kernels = "loss/labels.cu",
	.calls.define = define_weights,
	.calls.emit = emit_weights,
};

/* ---- what a node asks for ---- */

static const struct attr *
find(const struct node *n, const char *name)
{
	int i = op_attr_at(n->op, name);

	return i >= 0 ? &n->attr[i] : NULL;
}

/* A mean may be multiplied by a number. */
struct tensor *
labels_count(const struct tensor *mean)
{
	const struct node *n = mean->def;

	while (n && n->op == op_find("scale"))
		n = n->in[0]->def;
	if (!n || (n->op->kind != OP_LOSS && n->op->kind != OP_METRIC))
		return NULL;
	return n->op->flags & OP_WEIGHS || labels_are_counted(n) ? n->out[n->nout - 1] : NULL;
}

struct tensor *
labels_of(const struct node *n)
{
	int i;

	for (i = 1; i < n->nin && !(n->in[i] && n->in[i]->classes); i++)
		;
	return n->in[i];
}

bool
labels_ignored(const struct node *n, int64_t *label)
{
	const struct attr *a = find(n, "ignore");

	if (!a || a->n == 0)
		return false;
	*label = a->v[0];
	return true;
}

bool
labels_ignored_of(const struct module *m, const struct tensor *target, int64_t *label)
{
	int i, k;

	for (i = 0; m->forward && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		for (k = 1; k < n->nin && k < 2; k++)
			if (n->in[k] && strcmp(n->in[k]->name, target->name) == 0 && labels_ignored(n, label))
				return true;
	}
	return false;
}

static bool
weigh(const struct attr *weights)
{
	return weights && (weights->n > 0 || weights->i);
}

bool
labels_weights_file(const struct node *n)
{
	const struct attr *weights = find(n, "weights");

	return weights && weights->i;
}

bool
labels_are_counted(const struct node *n)
{
	const struct attr *ignore = find(n, "ignore"), *weights = find(n, "weights");

	return ignore && (ignore->n || weigh(weights));
}

bool
labels_vary(const struct node *n)
{
	const struct attr *smoothing = find(n, "smoothing");

	return labels_are_counted(n) || (smoothing && smoothing->r > 0) ||
	    (n->nin > LABELS_OF_LABEL && n->in[LABELS_OF_LABEL]);
}

/* ---- shape ---- */

static bool
weights_fit(struct build *b, const struct node *n, const struct tensor *w)
{
	const struct tensor *t = n->in[1];

	if (!shape_float(b, n, 2))
		return false;
	if (w->batched == t->batched && w->dtype == n->in[0]->dtype && (w->rank == 0 || (w->rank == t->rank &&
	    memcmp(w->dim, t->dim, (size_t)t->rank * sizeof(*t->dim)) == 0)))
		return true;
	return op_error(b, n, "%s: weights are one number for each label, as '%s' is %s, or for each sample, but they "
	    "are %s; what classes weigh is given by weights=(...)", n->op->name, t->name,
	    tensor_shape_text(b->module->arena, t), op_operand_text(b, w));
}

/* The last node of the graph comes before N, which reads it. */
static void
swap_last(struct graph *g, struct node *n)
{
	g->nodes.v[g->nodes.n - 2] = g->nodes.v[g->nodes.n - 1];
	g->nodes.v[g->nodes.n - 1] = n;
}

static struct tensor *
class_weights(struct build *b, struct node *n, const struct attr *a)
{
	struct module *m = b->module;
	struct graph *g = b->graph;
	const int64_t classes = n->in[1]->classes;
	struct node *w;

	if (a->i) {
		w = op_part(b, n, &op_class_table, table_of_classes(m->arena, a->text, classes), "weights", 0, NULL);
	} else {
		w = ir_node(g, &op_class_weights, arena_printf(m->arena, "%s.weights", n->path), n->loc, 0, NULL);
		w->attr = arena_array(m->arena, 1, sizeof(*w->attr));
		w->attr[0] = *a;
		ir_add_output(m, w, ir_tensor(m, T_ACTIVATION, n->in[0]->dtype->real, false, 1, &classes, w->path,
		    n->loc));
	}
	swap_last(g, n);
	return w->out[0];
}

bool
labels_shape(struct build *b, struct node *n)
{
	const struct attr *ignore = find(n, "ignore"), *weights = find(n, "weights");
	struct tensor *of_label = n->nin > 2 ? n->in[2] : NULL;
	double sum = 0;
	int i;

	if (ignore->n > 1)
		return op_error(b, n, "%s: ignore takes one label, and gets %d", n->op->name, ignore->n);
	if (of_label && !weights_fit(b, n, of_label))
		return false;
	for (i = 0; i < weights->n; i++)
		sum += weights->real[i];
	if (weights->n && weights->n != n->in[1]->classes)
		return op_error(b, n, "%s: %d weights for the %d classes of '%s'", n->op->name, weights->n,
		    n->in[1]->classes, n->in[1]->name);
	if (weights->n && sum <= 0)
		return op_error(b, n, "%s: all weights are 0, so nothing is learnt", n->op->name);
	if (!labels_vary(n) && !of_label)
		return true;
	n->nin = 2;
	ir_add_input(b->module, n, weigh(weights) ? class_weights(b, n, weights) : NULL);
	ir_add_input(b->module, n, of_label);
	return true;
}

/* ---- calls ---- */

const char *
labels_text(struct emitter *e, const struct node *terms, const struct tensor *target,
    const struct tensor *of_class, const struct tensor *of_label, const struct tensor *count, int64_t classes)
{
	const struct attr *weights = find(terms, "weights"), *smoothing = find(terms, "smoothing");
	int64_t ignored = INT64_MIN, places = of_label && of_label->rank == 0 ? tensor_elements_per_sample(target) : 1;
	double total = weights && weights->n ? 0 : (double)classes;
	const char *sum;
	int i;

	labels_ignored(terms, &ignored);
	for (i = 0; weights && i < weights->n; i++)
		total += weights->real[i];
	sum = of_class && labels_weights_file(terms) ? arena_printf(e->module->arena, "labels_total(%s, %lld)",
	    table_name(e->module, tensor_root(of_class)), (long long)classes) : formula_literal(e, total);
	return arena_printf(e->module->arena, "label_terms(%s, %s, %s, %s, %lld, %s, %s, %s)",
	    emit_pointer(e, target), ignored == INT64_MIN ? "INT64_MIN" : arena_printf(e->module->arena, "%lld",
	    (long long)ignored), emit_pointer(e, of_class), emit_pointer(e, of_label), (long long)places,
	    emit_pointer(e, count), formula_literal(e, smoothing ? smoothing->r : 0), sum);
}

bool
labels_host_counts(const struct module *m, const struct graph *g, const struct node *n)
{
	return settings_shares(&m->set) > 1 && g == m->train && n->phase == PHASE_FORWARD && n->op->kind != OP_METRIC &&
	    labels_are_counted(n);
}

int
labels_counted_count(const struct module *m, const struct graph *g)
{
	int i, count = 0;

	for (i = 0; g && i < g->nodes.n; i++)
		count += labels_host_counts(m, g, g->nodes.v[i]);
	return count;
}

void
labels_emit_count(struct emitter *e, const struct node *n, const struct tensor *count, const char *terms,
    const char *work, const char *rows, int64_t classes)
{
	int i, which = 0;

	if (!count)
		return;
	emit_call(e, "label_count", arg_tensor(count), arg_text(work), arg_text(terms), arg_text(rows),
	    arg_int(classes));
	if (!labels_host_counts(e->module, e->graph, n))
		return;
	for (i = 0; e->graph->nodes.v[i] != n; i++)
		which += labels_host_counts(e->module, e->graph, e->graph->nodes.v[i]);
	emit_call(e, "label_count_of_update", arg_tensor(count), arg_text("s"), arg_int(which));
}
