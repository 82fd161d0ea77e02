/*
 * The program's tables: the parts of the module and the plan that are data at run time. The structs
 * they fill are those of kernels/host/host.h.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/sizes.h"
#include "emit/program.h"
#include "ir/prediction.h"
#include "ir/rounds.h"
#include "ops/labels.h"

static const char *const start_names[] = {
	[INIT_ZEROS] = "START_ZEROS", [INIT_CONSTANT] = "START_CONSTANT",
	[INIT_UNIFORM] = "START_UNIFORM", [INIT_NORMAL] = "START_NORMAL",
};

static const char *const rate_names[] = {
	[SCHED_CONSTANT] = "RATE_CONSTANT", [SCHED_STEP] = "RATE_STEP",
	[SCHED_COSINE] = "RATE_COSINE", [SCHED_LINEAR] = "RATE_LINEAR",
	[SCHED_POLYNOMIAL] = "RATE_POLYNOMIAL", [SCHED_INVERSE_SQRT] = "RATE_INVERSE_SQRT",
	[SCHED_ONECYCLE] = "RATE_ONECYCLE", [SCHED_PLATEAU] = "RATE_PLATEAU",
};

const char *
emit_decimal(struct emitter *e, double x)
{
	char buf[SIZE_TEXT];

	return arena_strdup(e->module->arena, emit_real(buf, x, false));
}

const char *
emit_truth(bool b)
{
	return b ? "true" : "false";
}

/* "{6, 1, 5, 5}" */
void
emit_dims(struct emitter *e, const struct tensor *t)
{
	int i;

	text_puts(e->out, "{");
	for (i = 0; i < t->rank; i++)
		text_printf(e->out, "%s%lld", i ? ", " : "", (long long)t->dim[i]);
	text_puts(e->out, t->rank ? "}" : "0}");
}

int
emit_buffer_number(const struct emitter *e, const struct tensor *t)
{
	const struct buffer *b = plan_buffer(e->plan, t);

	return b ? (int)(b - e->plan->buffers.v) : -1;
}

/* Of a metric that keeps what it says of each sample? */
static bool
is_kept(const struct tensor *t)
{
	return t->def && t->def->op->counts.keep;
}

static bool
is_number(const struct tensor *t)
{
	return is_kept(t) || (!t->batched && (t->rank == 0 || (t->def && t->def->op->kind == OP_METRIC)));
}

bool
emit_keeps(const struct module *m)
{
	int i;

	for (i = 0; m->validate && i < m->validate->results.n; i++)
		if (is_kept(m->validate->results.v[i].tensor))
			return true;
	return false;
}

/* Those of a result of a whole batch. */
static int64_t
numbers_of(const struct emitter *e, const struct tensor *t)
{
	return tensor_elements_per_sample(t) * (is_kept(t) ? e->plan->validate_batch : 1);
}

int
emit_result_list(struct arena *a, const struct graph *g, struct result **list)
{
	struct result *r = *list = arena_array(a, (size_t)g->results.n + 2, sizeof(*r));
	bool listed = !g->loss;
	int i, n = 0;

	for (i = 0; i < g->results.n; i++)
		listed |= g->results.v[i].tensor == g->loss;
	if (!listed)
		r[n++] = (struct result){ .name = "loss", .tensor = g->loss, .is_loss = true };
	for (i = 0; i < g->results.n; i++) {
		if (!is_number(g->results.v[i].tensor))
			continue;	/* for --predict */
		r[n] = g->results.v[i];
		if (!listed && !strcmp(r[n].name, "loss"))
			r[n].name = r[n].tensor->name;
		n++;
	}
	return n;
}

/* ---- constants ---- */

/* "/home/me/specs" of "specs/digits.nn": the program may run in another folder. "" where the spec is
 * no file. */
static const char *
folder_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *folder = ".";
	char whole[PATH_MAX];

	if (access(path, F_OK))
		return "";
	if (slash)
		folder = arena_strndup(a, path, (size_t)(slash - path) + (slash == path));
	if (!realpath(folder, whole))	/* which asks for no memory: that it cannot fail for */
		return slash ? folder : "";
	return arena_strdup(a, whole);
}

static double
learning_rate(const struct module *m)
{
	int i = op_rate(m->set.optimizer);

	return i < 0 ? 0 : m->set.optimizer_attr[i].r;
}

static void
put_string_constant(struct emitter *e, const char *name, const char *value)
{
	text_printf(e->out, "#define %s\t", name);
	emit_string(e->out, value);
	text_puts(e->out, "\n");
}

static bool
saved(const struct emitter *e, const struct tensor *t)
{
	return (t->kind == T_PARAM || t->kind == T_STATISTIC || t->kind == T_OPTIMIZER) &&
	    plan_offset(e->plan, t) >= 0;
}

/* The host has one bit for each update of a step. */
static void
put_turns(struct emitter *e)
{
	const struct settings *set = &e->module->set;
	int i;

	text_puts(e->out, "#define LEAVES_OUT\t");
	for (i = 0; i < set->nturns; i++)
		text_printf(e->out, "%s%lld", i ? ", " : "", (long long)set->turn[i].every);
	text_puts(e->out, "\t/* each update is made in the first step, and then in one of so many */\n");
}

/* The program makes a large one in parts. */
static int64_t
count_reductions(const struct module *m)
{
	const struct graph *const graph[] = { m->train, m->update };
	const struct op *op = op_find("all_reduce");
	int64_t count = 1;	/* an array has room for one */
	int i, k;

	for (k = 0; k < 2; k++)
		for (i = 0; graph[k] && i < graph[k]->nodes.n; i++)
			if (graph[k]->nodes.v[i]->op == op)
				count += parts(tensor_elements_per_sample(graph[k]->nodes.v[i]->out[0]), MOST_REDUCED);
	return count;
}

static void
emit_training_constants(struct emitter *e)
{
	const struct settings *set = &e->module->set;

	int counted = labels_counted_count(e->module, e->module->train);

	if (counted)
		text_printf(e->out, "\n#define COUNTED\t\t%d\t/* losses whose labels are counted before an update */",
		    counted);
	text_printf(e->out, "\n#define UPDATE_BATCH\t%lld\t/* samples a weight update */\n",
	    (long long)set->batch);
	text_printf(e->out, "#define EPOCHS\t\t%s\n", set->length.epochs ?
	    emit_decimal(e, set->length.count) : "0");
	text_printf(e->out, "#define STEPS\t\t%lld\t/* in all, when not counted in epochs */\n",
	    set->length.epochs ? 0 : (long long)set->length.count);
	text_printf(e->out, "#define LEARNING_RATE\t%s\n", emit_decimal(e, learning_rate(e->module)));
	if (set->ema > 0)
		text_printf(e->out, "#define AVERAGE\t\t%s\t/* kept of weights' running averages */\n",
		    emit_decimal(e, set->ema));
	if (settings_leave_out(set))
		put_turns(e);
	if (set->ranks > 1)
		text_printf(e->out, "#define RANKS\t\t%lld\t/* processes that train together */\n"
		    "#define REDUCTIONS\t%lld\t/* sums over all of them that may be on their way at once */\n",
		    (long long)set->ranks, (long long)count_reductions(e->module));
	text_printf(e->out, "#define PATIENCE\t%lld\t/* epochs without a lower loss, then it ends; 0: it does "
	    "not */\n", (long long)set->patience);
	text_printf(e->out, "#define SHUFFLE\t\t%s\n", emit_truth(set->shuffle));
}

/* Does it lie otherwise than its dims say? Then: how many channels lie side by side at each of how many
 * taps, or places of an image. */
static bool
lies_last(const struct tensor *t, int64_t *channels, int64_t *places)
{
	struct tensor stored = tensor_stored(t);

	*channels = t->channels_last ? stored.dim[t->rank - 1] : 0;
	*places = t->channels_last ? stored.dim[t->rank - 2] * stored.dim[t->rank - 3] : 0;
	return t->channels_last;
}

struct convolutions {		/* that a program has: channels first, channels last, of volumes */
	bool first, last, deep;
};

/* Whose weights are [filters, channels, depth, height, width] are of volumes. */
static void
find_convolutions(const struct graph *g, struct convolutions *have)
{
	int i, j;

	for (i = 0; g && i < g->nodes.n; i++) {
		const struct node *n = g->nodes.v[i];
		const struct rounds *r;
		const char *kernels = n->op->calls.kernels;
		bool last = n->out[0] && n->out[0]->channels_last;
		bool deep = n->out[0] && n->out[0]->rank == 5;

		for (r = rounds_of(n); r; r = r->next)
			find_convolutions(r->m->train, have);
		if (!kernels || strncmp(kernels, "conv/conv", 9) != 0)
			continue;
		for (j = 0; j < n->nin; j++) {
			last |= n->in[j] && n->in[j]->channels_last;
			deep |= n->in[j] && n->in[j]->rank == 5;
		}
		have->last |= last;
		have->first |= !last;
		have->deep |= deep;
	}
}

static void
emit_layouts(struct emitter *e)
{
	const struct module *m = e->module;
	struct convolutions have = { false, false, false };
	int64_t largest = 0, channels, taps;
	int i;

	for (i = 0; i < m->persistent.n; i++) {
		const struct tensor *t = m->persistent.v[i];

		if (saved(e, t) && lies_last(t, &channels, &taps) &&
		    channels * taps * dtype_bytes(t->dtype) > largest)
			largest = channels * taps * dtype_bytes(t->dtype);
	}
	find_convolutions(m->train, &have);
	find_convolutions(m->validate, &have);
	if (have.deep)
		text_puts(e->out, "#define VOLUMES\t\t/* some convolutions are of them */\n");
	if (have.last) {
		text_puts(e->out, "#define CHANNELS_LAST\t\t/* in memory, of convolutions */\n");
		if (have.first)
			text_puts(e->out, "#define CHANNELS_FIRST\t\t/* of some of them */\n");
	}
	text_printf(e->out, "#define LARGEST_FILTER\t%lld\t/* bytes, of those that lie channels-last */\n",
	    (long long)largest);
}

/* Of all results of a step. */
static int64_t
most_numbers(const struct emitter *e)
{
	const struct module *m = e->module;
	const struct graph *const graph[] = { m->train, m->validate };
	int64_t most = 1, sum;
	struct result *list;
	int i, k;

	for (i = 0; i < 2; i++) {
		for (k = graph[i] ? emit_result_list(m->arena, graph[i], &list) : 0, sum = 0; k > 0; k--)
			sum += numbers_of(e, list[k - 1].tensor);
		most = sum > most ? sum : most;
	}
	return most;
}

#define LEAST_COLUMNS	8	/* as kernels/host/host.h has it */

/* What is loaded beside the arena, after it: an estimate. */
static void
put_code_bytes(struct emitter *e)
{
	const struct reserve *r;
	int64_t bytes = 0;

	for (r = e->target->reserve; r && r->what; r++)
		if (r->loaded)
			bytes += reserve_bytes(r, &e->module->set.device, e->module->set.device.memory);
	if (bytes)
		text_printf(e->out, "#define CODE_BYTES\t%lldll\t/* about what is loaded beside it */\n",
		    (long long)bytes);
}

void
emit_constants(struct emitter *e, const char *program)
{
	const struct module *m = e->module;
	const struct plan *p = e->plan;
	const char *spec = emit_spec_path(m);
	const struct graph *const graph[] = { m->train, m->validate };
	struct result *list;
	int persistent = 0, i, results = 1;

	for (i = 0; i < m->persistent.n; i++)
		persistent += saved(e, m->persistent.v[i]);
	for (i = 0; i < 2; i++)
		if (graph[i] && emit_result_list(m->arena, graph[i], &list) > results)
			results = emit_result_list(m->arena, graph[i], &list);
	text_puts(e->out, "\n");
	put_string_constant(e, "PROGRAM", program);
	put_string_constant(e, "NETWORK", m->name);
	put_string_constant(e, "SPEC\t", spec);
	parts_own(e->parts, "SPEC_FOLDER");
	put_string_constant(e, "SPEC_FOLDER", folder_of(m->arena, spec));
	parts_own(e->parts, NULL);
	text_printf(e->out, "#define ARENA_BYTES\t%lldll\n", (long long)p->arena_bytes);
	put_code_bytes(e);
	text_printf(e->out, "#define LOWER_BOUND\t%lldll\n", (long long)p->lower_bound_bytes);
	text_printf(e->out, "#define TRAIN_BATCH\t%lld\t/* samples a micro-batch: the largest b of "
	    "train_step */\n", (long long)p->batch);
	parts_own(e->parts, "VALIDATE_BATCH");
	text_printf(e->out, "#define VALIDATE_BATCH\t%lld\n", (long long)p->validate_batch);
	parts_own(e->parts, "PREDICTIONS");
	text_printf(e->out, "#define PREDICTIONS\t%d\n", m->validate ? graph_predictions(m->validate, &list) : 1);
	parts_own(e->parts, "THREADS");
	text_printf(e->out, "#define THREADS\t\t%d\t/* most for which workspaces are planned */\n",
	    p->threads > 0 ? p->threads : 1);
	parts_own(e->parts, NULL);
	text_printf(e->out, "#define SEED\t\t%lld\n", (long long)m->set.seed);
	text_printf(e->out, "#define BUFFERS\t\t%d\n", p->buffers.n);
	text_printf(e->out, "#define INSTANTS\t%d\n", p->instants);
	if (e->target->concurrent)
		text_printf(e->out, "#define BRANCHES\t%d\n", BRANCHES);
	text_printf(e->out, "#define PERSISTENT\t%d\n", persistent);
	emit_layouts(e);
	text_printf(e->out, "#define MAX_RESULTS\t%d\n", results);
	if (m->forward->inputs.n > LEAST_COLUMNS)
		text_printf(e->out, "#define MAX_COLUMNS\t%d\n", m->forward->inputs.n);
	text_printf(e->out, "#define RESULT_NUMBERS\t%lld\n", (long long)most_numbers(e));
	if (emit_keeps(m))
		text_puts(e->out, "#define KEEPS\t\t/* what some metric says of each sample */\n");
	if (m->set.precision->macro) {
		parts_own(e->parts, m->set.precision->macro);
		text_printf(e->out, "#define %s\n", m->set.precision->macro);
		parts_own(e->parts, NULL);
	}
	if (m->train)
		emit_training_constants(e);
}

/* ---- results ---- */

/* The losses' sum, where they weigh not all alike. */
static bool
is_total(const struct graph *g, const struct result *r, int n, int i)
{
	bool weighs = false;
	int k;

	for (k = 0; k < n; k++)
		weighs |= r[k].weighs;
	return weighs && r[i].tensor == g->loss && !r[i].loc.src;
}

static void
emit_results(struct emitter *e, const char *name, const struct graph *g)
{
	struct result *r;
	int n = emit_result_list(e->module->arena, g, &r), loss = 0, i;
	const char *which = g == e->module->train ? "TRAIN" : "VALIDATE";
	int64_t at = 0;

	for (i = 0; i < n; i++)
		if (r[i].tensor == g->loss)
			loss = i;
	text_printf(e->out, "\n/* name, type, offset, buffer, kind, loss?, its first number, numbers, what is made of "
	    "counts;\n * what is kept of a sample, and how much */\nenum { %s_RESULTS = %d, %s_LOSS = %d };\nstatic const struct result %s_results[] = {\n",
	    which, n, which, loss, name);
	for (i = 0; i < n; i++) {
		const struct op *op = r[i].tensor->def ? r[i].tensor->def->op : NULL;
		bool counts = op && op->counts.of && r[i].tensor->rank > 0, kept = is_kept(r[i].tensor);
		const struct node *def = r[i].tensor->def;

		text_puts(e->out, "\t{");
		emit_string(e->out, r[i].name);
		text_printf(e->out, ", TYPE_%s, %lld, %d, RESULT_%s, %s, %lld, %lld, %s, %s, %s, %lld},\n",
		    r[i].tensor->dtype->macro, (long long)plan_offset(e->plan, r[i].tensor),
		    emit_buffer_number(e, r[i].tensor), kept ? "KEPT" : counts ? "COUNTS" : r[i].weighs ? "WEIGHT" :
		    is_total(g, r, n, i) ? "TOTAL" : "MEAN", emit_truth(r[i].is_loss), (long long)at,
		    (long long)numbers_of(e, r[i].tensor), counts ? op->counts.of : "NULL",
		    counts && op->counts.log ? op->counts.log : "NULL", kept ? op->counts.keep : "NULL",
		    kept ? (long long)op->counts.keeps(def) : 0ll);
		at += numbers_of(e, r[i].tensor);
	}
	if (!n)
		text_puts(e->out, "\t{NULL, 0, 0, 0, RESULT_MEAN, false, 0, 0, NULL, NULL, NULL, 0}\n");
	text_puts(e->out, "};\n");
}

static const char *
duration_text(struct emitter *e, struct duration d)
{
	return arena_printf(e->module->arena, "{ %s, %s }", emit_decimal(e, d.count), emit_truth(d.epochs));
}

static void
emit_schedule(struct emitter *e)
{
	const struct schedule *s = &e->module->set.schedule;
	int i;

	text_printf(e->out, "\n/* kind, warm-up, every, at (durations: in epochs?), gamma, floor, power, start, rise,\n * patience, threshold, cooldown */\n"
	    "static const struct schedule rate_schedule = {\n\t%s, %s, %s, {", rate_names[s->kind],
	    duration_text(e, s->warmup), duration_text(e, s->every));
	for (i = 0; i < s->pieces || i == 0; i++)
		text_printf(e->out, "%s%s", i ? ", " : " ", duration_text(e, s->at[i]));
	text_printf(e->out, " },\n\t%s, %s, %s, %s, %s,\n\t%s, %s, %s\n};\n", emit_decimal(e, s->gamma),
	    emit_decimal(e, s->floor), emit_decimal(e, s->power), emit_decimal(e, s->start),
	    emit_decimal(e, s->rise), emit_decimal(e, s->patience), emit_decimal(e, s->threshold),
	    emit_decimal(e, s->cooldown));
}

static void
put_prediction(struct emitter *e, const struct result *r)
{
	const struct tensor *t = r->tensor;
	int64_t channels, places;

	text_puts(e->out, "\t{");
	emit_string(e->out, r->name);
	if (t) {
		text_printf(e->out, ", TYPE_%s, %d, ", t->dtype->macro, t->rank);
		emit_dims(e, t);
		lies_last(t, &channels, &places);
		text_printf(e->out, ", %lld, %lld, %lld},\n", (long long)tensor_elements_per_sample(t), (long long)channels,
		    (long long)places);
	} else {
		text_puts(e->out, ", TYPE_F32, 0, {0}, 0, 0, 0},\n");
	}
}

void
emit_prediction_table(struct emitter *e)
{
	struct result *r;
	int n = graph_predictions(e->module->validate, &r), i;

	parts_own(e->parts, "predictions");
	text_puts(e->out, "\n/* what --predict writes: name, type, dims, elements, layout */\n"
	    "static const struct prediction predictions[PREDICTIONS] = {\n");
	for (i = 0; i < n; i++)
		put_prediction(e, &r[i]);
	text_puts(e->out, "};\n");
	parts_own(e->parts, NULL);
}

/* ---- memory ---- */

void
emit_buffers(struct emitter *e)
{
	const struct plan *p = e->plan;
	int i;

	text_puts(e->out, "\n/* the plan: name, kind, offset, bytes, first and last instant, "
	    "for good? */\nstatic const struct buffer buffers[] = {\n");
	for (i = 0; i < p->buffers.n; i++) {
		const struct buffer *b = &p->buffers.v[i];

		text_puts(e->out, "\t{");
		emit_string(e->out, b->name);
		text_puts(e->out, ", ");
		emit_string(e->out, tensor_kind_name(b->kind));
		text_printf(e->out, ", %lld, %lld, %d, %d, %s},\n", (long long)b->offset,
		    (long long)b->bytes, b->first, b->last, emit_truth(b->persistent));
	}
	text_puts(e->out, "};\n");
}

/* Starting values are a function of a name. */
static const char *
starts_as(const struct tensor *t)
{
	return t->copies ? t->copies->name : t->name;
}

void
emit_persistent(struct emitter *e)
{
	const struct module *m = e->module;
	bool ranks = m->train && !m->inference && m->set.ranks > 1;
	int64_t channels, taps;
	int i;

	text_printf(e->out, "\n/* name, type, rank, dims, elements, offset, starting value, drawn for, layout, "
	    "weight?%s */\n"
	    "static const struct persistent persistent[PERSISTENT + 1] = {\n", ranks ? " of a rank's own samples?" : "");
	for (i = 0; i < m->persistent.n; i++) {
		const struct tensor *t = m->persistent.v[i];

		if (!saved(e, t))
			continue;
		text_puts(e->out, "\t{");
		emit_string(e->out, t->name);
		text_printf(e->out, ", TYPE_%s, %d, ", t->dtype->macro, t->rank);
		emit_dims(e, t);
		text_printf(e->out, ", %lld, %lld, %s, %s, ",
		    (long long)tensor_elements_per_sample(t), (long long)plan_offset(e->plan, t),
		    start_names[t->init.kind], emit_decimal(e, t->init.value));
		emit_string(e->out, starts_as(t));
		lies_last(t, &channels, &taps);
		text_printf(e->out, ", %lld, %lld, %s%s},\n", (long long)channels, (long long)taps,
		    emit_truth(t->kind == T_PARAM || t->kind == T_STATISTIC || t->copies),
		    !ranks ? "" : t->kind == T_STATISTIC && !t->frozen ? ", true" : ", false");
	}
	text_printf(e->out, "\t{NULL, 0, 0, {0}, 0, 0, 0, 0, NULL, 0, 0, false%s}\n};\n", ranks ? ", false" : "");
}

static void
emit_node_names(struct emitter *e)
{
	struct arena *a = arena_child(e->module->arena);
	int i;

	text_puts(e->out, "\n/* for --profile: the node of each instant */\n"
	    "static const char *const node_names[] = {\n");
	for (i = 0; i < e->plan->instants; i++) {
		const struct instant *at = &e->plan->at[i];

		text_puts(e->out, "\t");
		emit_string(e->out, arena_printf(a, "%s %s: %s", at->graph->name, at->node->path,
		    at->node->op->name));
		text_puts(e->out, ",\n");
	}
	text_puts(e->out, "\tNULL\n};\n");
	arena_free(a);
}

/* ---- for -DLIBRARY and -DTRACE ---- */

static void
emit_traced(struct emitter *e, const struct tensor *t, const char *graph)
{
	const struct buffer *b = plan_buffer(e->plan, t);
	int64_t batch = graph[0] == 'v' ? e->plan->validate_batch : e->plan->batch;

	text_puts(e->out, "\t{");
	emit_string(e->out, t->name);
	text_puts(e->out, ", ");
	emit_string(e->out, tensor_kind_name(t->kind));
	text_printf(e->out, ", \"%s\", %d, %d, ", dtype_name(t->dtype), t->batched, t->rank);
	emit_dims(e, t);
	text_printf(e->out, ", %lld, %lld, \"%s\", %d},\n", (long long)(b ? b->offset : -1),
	    (long long)affine_at(tensor_bytes(t), batch), graph, t->channels_last);
}

static void
emit_tensors(struct emitter *e)
{
	const struct module *m = e->module;
	const struct graph *const graph[] = { m->train, m->update, m->validate };
	int count, *number = emit_tensor_numbers(m, &count), i, j, k;

	text_puts(e->out, "\n#if defined LIBRARY || defined TRACE\n#ifdef __cplusplus\nextern \"C\" {\n"
	    "#endif\nextern const struct stowage_tensor stowage_tensors[];\n"
	    "extern const int stowage_tensor_count;\n\n"
	    "/* name, kind, type, batched?, rank, dims, offset, bytes, graph, channels last? */\n"
	    "const struct stowage_tensor stowage_tensors[] = {\n");
	for (i = 0; i < m->persistent.n; i++)
		emit_traced(e, m->persistent.v[i], "");
	for (k = 0; k < 3; k++) {
		const struct graph *g = graph[k];

		for (i = 0; g && i < g->inputs.n; i++)
			emit_traced(e, g->inputs.v[i], g->name);
		for (i = 0; g && i < g->nodes.n; i++)
			for (j = 0; j < g->nodes.v[i]->nout; j++) {
				const struct tensor *t = g->nodes.v[i]->out[j];

				if (t && number[t->id] >= 0)
					emit_traced(e, t, g->name);
			}
	}
	text_printf(e->out, "};\nconst int stowage_tensor_count = %d;\n#ifdef __cplusplus\n}\n#endif\n"
	    "#endif\n", count);
}

void
emit_tables(struct emitter *e)
{
	const struct module *m = e->module;

	emit_buffers(e);
	emit_persistent(e);
	emit_reader_declarations(e);
	emit_file_tables(e);
	if (m->train) {
		emit_data_tables(e, "train", m->train, &m->set.data);
		emit_results(e, "train", m->train);
		emit_schedule(e);
	}
	if (m->validate) {
		emit_data_tables(e, "validate", m->validate, &m->set.validate_data);
		emit_results(e, "validate", m->validate);
		emit_prediction_table(e);
	}
	emit_node_names(e);
	emit_tensors(e);
}
