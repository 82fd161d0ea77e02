/*
 * The program's tables: the parts of the module and the plan that are data at run time. The structs
 * they fill are those of kernels/host/host.h.
 */
#include <string.h>

#include "emit/program.h"
#include "ir/prediction.h"

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

int64_t
emit_numbers_of(const struct emitter *e, const struct tensor *t)
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

bool
emit_is_saved(const struct emitter *e, const struct tensor *t)
{
	return (t->kind == T_PARAM || t->kind == T_STATISTIC || t->kind == T_OPTIMIZER) &&
	    plan_offset(e->plan, t) >= 0;
}

int
emit_saved_list(const struct emitter *e, struct saved **list)
{
	int64_t stages = e->module->stage ? module_stages(e->module) : 1, k;
	int i, n = 0;

	for (k = 0; k < stages; k++)
		n += emit_stage(e->module, k)->persistent.n;
	*list = arena_array(e->module->arena, (size_t)n + 1, sizeof(**list));
	for (k = 0, n = 0; k < stages; k++) {
		const struct module *m = emit_stage(e->module, k);
		const struct emitter of = { .module = m, .plan = m->plan };

		for (i = 0; i < m->persistent.n; i++)
			if (emit_is_saved(&of, m->persistent.v[i]))
				(*list)[n++] = (struct saved){ m->persistent.v[i], m == e->module, (int)k };
	}
	return n;
}

int
emit_saved_count(const struct emitter *e)
{
	struct saved *list;

	return emit_saved_list(e, &list);
}

bool
emit_lies_last(const struct tensor *t, int64_t *channels, int64_t *places)
{
	struct tensor stored = tensor_stored(t);

	*channels = t->channels_last ? stored.dim[t->rank - 1] : 0;
	*places = t->channels_last ? stored.dim[t->rank - 2] * stored.dim[t->rank - 3] : 0;
	return t->channels_last;
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

/* Of stages the last has them, and the others know what they are. */
static void
emit_results(struct emitter *e, const char *name, const struct graph *g)
{
	struct result *r;
	int n = emit_result_list(e->module->arena, g, &r), loss = 0, i;
	const char *which = g == emit_last_stage(e->module)->train ? "TRAIN" : "VALIDATE";
	bool here = e->module == emit_last_stage(e->module);
	int64_t at = 0;

	for (i = 0; i < n; i++)
		if (r[i].tensor == g->loss)
			loss = i;
	text_printf(e->out, "\n/* name, type, offset, buffer, kind, loss?, its first number, numbers, what is made of "
	    "counts;\n * what is kept of a sample, how much, and in which order */\n"
	    "enum { %s_RESULTS = %d, %s_LOSS = %d };\nstatic const struct result %s_results[] = {\n",
	    which, n, which, loss, name);
	for (i = 0; i < n; i++) {
		const struct op *op = r[i].tensor->def ? r[i].tensor->def->op : NULL;
		bool counts = op && op->counts.of && r[i].tensor->rank > 0, kept = is_kept(r[i].tensor);
		const struct node *def = r[i].tensor->def;

		text_puts(e->out, "\t{");
		emit_string(e->out, r[i].name);
		text_printf(e->out, ", TYPE_%s, %lld, %d, RESULT_%s, %s, %lld, %lld, %s, %s, %s, %lld, %s},\n",
		    r[i].tensor->dtype->macro, here ? (long long)plan_offset(e->plan, r[i].tensor) : 0,
		    here ? emit_buffer_number(e, r[i].tensor) : 0, kept ? "KEPT" : counts ? "COUNTS" : r[i].weighs ? "WEIGHT" :
		    is_total(g, r, n, i) ? "TOTAL" : "MEAN", emit_truth(r[i].is_loss), (long long)at,
		    (long long)emit_numbers_of(e, r[i].tensor), counts ? op->counts.of : "NULL",
		    counts && op->counts.log ? op->counts.log : "NULL", kept ? op->counts.keep : "NULL",
		    kept ? (long long)op->counts.keeps(def) : 0ll, kept ? op->counts.order : "NULL");
		at += emit_numbers_of(e, r[i].tensor);
	}
	if (!n)
		text_puts(e->out, "\t{NULL, 0, 0, 0, RESULT_MEAN, false, 0, 0, NULL, NULL, NULL, 0, NULL}\n");
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
		emit_lies_last(t, &channels, &places);
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
		emit_string(e->out, b->root->name);
		text_puts(e->out, ", ");
		emit_string(e->out, tensor_kind_name(b->root->kind));
		text_printf(e->out, ", %lld, %lld, %d, %d, %s},\n", (long long)b->offset,
		    (long long)b->bytes, b->first, b->last, emit_truth(b->persistent));
	}
	text_puts(e->out, "};\n");
}

/* Starting values are a function of a name. */
static const char *
starts_as(const struct tensor *t)
{
	return tensor_copied(t) ? t->copies->name : t->name;
}

/* Is it a running statistic of what a rank has of each batch, and not of what all have? */
static bool
is_own(const struct module *m, const struct tensor *t)
{
	int i, k;

	if (t->kind != T_STATISTIC || t->frozen || settings_data_ranks(&m->set) == 1 || module_parts(m))
		return false;
	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];

		for (k = 0; n->op->ranks.alike && k < n->nout; k++)
			if (n->out[k] && tensor_root(n->out[k]) == t)
				return false;
	}
	return true;
}

/* How many elements of the whole a rank has side by side, before those of the next; 0: all, as
 * others do. */
static int64_t
run_of(const struct tensor *t)
{
	const struct tensor *split = tensor_split(t);
	int64_t n = 1;
	int i;

	for (i = split ? split->split_axis : 0; i < t->rank; i++)
		n *= t->dim[i];
	return split ? n / split->split_blocks : 0;
}

void
emit_persistent(struct emitter *e)
{
	const struct module *m = e->module;
	bool ranks = module_ranks(m) > 1, shards = module_shards(m) > 1, splits = module_splits(m);
	int64_t channels, taps;
	struct saved *saved;
	int n = emit_saved_list(e, &saved), i;

	text_printf(e->out, "\n/* name, type, rank, dims, elements, offset, starting value, drawn for, layout, "
	    "weight?%s%s%s */\n"
	    "static const struct persistent persistent[PERSISTENT + 1] = {\n", ranks ? " of a rank's own samples?" : "",
	    m->stage ? " whose?" : shards ? " shared out?" : "", splits ? " elements of a rank's side by side" : "");
	for (i = 0; i < n; i++) {
		const struct tensor *t = saved[i].tensor;
		const struct tensor all = tensor_of_ranks(m, t), *whole = &all;

		text_puts(e->out, "\t{");
		emit_string(e->out, t->name);
		text_printf(e->out, ", TYPE_%s, %d, ", t->dtype->macro, whole->rank);
		emit_dims(e, whole);
		text_printf(e->out, ", %lld, %lld, %s, %s, ",
		    (long long)tensor_elements_per_sample(whole), saved[i].here ? (long long)plan_offset(e->plan, t) : -1,
		    start_names[t->init_kind], emit_decimal(e, t->init_value));
		emit_string(e->out, starts_as(t));
		emit_lies_last(whole, &channels, &taps);
		text_printf(e->out, ", %lld, %lld, %s%s%s%s},\n", (long long)channels, (long long)taps,
		    emit_truth(t->kind == T_PARAM || t->kind == T_STATISTIC || tensor_copied(t)),
		    !ranks ? "" : is_own(m, t) ? ", true" : ", false",
		    m->stage ? arena_printf(m->arena, ", %d", saved[i].stage) : !shards ? "" : t->shared ? ", true" : ", false",
		    !splits ? "" : arena_printf(m->arena, ", %lld", (long long)run_of(t)));
	}
	text_printf(e->out, "\t{NULL, 0, 0, {0}, 0, 0, 0, 0, NULL, 0, 0, false%s%s%s}\n};\n", ranks ? ", false" : "",
	    m->stage ? ", 0" : shards ? ", false" : "", splits ? ", 0" : "");
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
		emit_results(e, "train", emit_last_stage(m)->train);
		emit_schedule(e);
	}
	if (m->validate) {
		emit_data_tables(e, "validate", m->validate, &m->set.validate_data);
		emit_results(e, "validate", emit_last_stage(m)->validate);
		emit_prediction_table(e);
	}
	emit_node_names(e);
	emit_tensors(e);
}
