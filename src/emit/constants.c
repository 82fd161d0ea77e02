/* The program's constants, by which its text is compiled: what of the host and of kernels it needs,
 * and how much. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit/program.h"
#include "ir/due.h"
#include "ir/prediction.h"
#include "ir/rounds.h"
#include "ops/labels.h"
#include "plan/estimate.h"

/* The most that a call's launches take on a list, and calls beside those of the steps. */
#define LIST_BYTES	768
#define LIST_MORE	8

/* "/home/me/specs" of "specs/digits.nn": the program may run in another folder. "" where the spec
 * is no file. */
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
	if (e->steps_together > 1)
		text_printf(e->out, "#if !defined(CHECK) && !defined(LIBRARY)\n"
		    "#define STEPS_TOGETHER\t%d\t/* updates by one launch, where all samples stay on the device */\n#endif\n",
		    e->steps_together);
	if (e->plan->cooperative)
		text_printf(e->out, "#define COOPERATIVE\t%d\t/* bytes for lists of launches, of steps that one kernel carries out */\n",
		    LIST_BYTES * (e->plan->instants + LIST_MORE) * (e->steps_together + 1));
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
	if (module_sends_last(e->module))
		text_printf(e->out, "#define SENDS_LAST\t%d\t/* kinds of micro-batches: the first of an update, the last, which alone "
		    "begins sums over ranks%s */\n", set->accumulate > 2 ? 3 : 2, set->accumulate > 2 ? ", those between" : "");
	if (set->ranks > 1)
		text_printf(e->out, "#define RANKS\t\t%lld\t/* processes that train together */\n"
		    "#define EXCHANGES\t%d\t/* calls for what goes between them, and one */\n"
		    "#define SENT_BYTES\t%lldll\t/* by them, of each rank for an update */\n",
		    (long long)set->ranks, e->sums.n + 1, (long long)plan_sent(e->module, e->plan));
	emit_stage_constants(e);
	if (module_splits(e->module))
		text_puts(e->out, "#define SPLIT		1	/* they share layers, and each has all samples */\n");
	if (module_parts(e->module))
		text_printf(e->out, "#define PARTS\t\t%lld\t/* of a batch, the same on any number of ranks, */\n"
		    "#define PARTS_HERE\t%lld\t/* of which each rank makes so many */\n", (long long)set->parts,
		    (long long)set->accumulate);
	if (module_shards(e->module) > 1)
		text_puts(e->out, "#define SHARDS\t\t1\t/* each keeps the optimizer's state of its piece of every parameter */\n");
	if (settings_share_out(set, SHARD_PARAMETERS))
		text_puts(e->out, "#define PARAMETER_SHARDS\t1\t/* and of the parameter itself, but while it is read */\n");
	if (module_averages_apart(e->module))
		text_puts(e->out, "#define AVERAGE_SHARDS\t1\t/* and of weights' running averages, but while validation reads them */\n");
	if (settings_share_out(set, SHARD_GRADIENTS))
		text_puts(e->out, "#define GRADIENT_SHARDS\t1\t/* and of the sum of its gradient that piece alone */\n");
	text_printf(e->out, "#define PATIENCE\t%lld\t/* epochs without a lower loss, then it ends; 0: it does "
	    "not */\n", (long long)set->patience);
	text_printf(e->out, "#define SHUFFLE\t\t%s\n", emit_truth(set->shuffle));
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
	struct saved *saved;
	int n = emit_saved_list(e, &saved), i;

	for (i = 0; i < n; i++) {
		const struct tensor *t = saved[i].tensor;

		if (emit_lies_last(t, &channels, &taps) &&
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
	const struct module *m = emit_last_stage(e->module);
	const struct graph *const graph[] = { m->train, m->validate };
	int64_t most = 1, sum;
	struct result *list;
	int i, k;

	for (i = 0; i < 2; i++) {
		for (k = graph[i] ? emit_result_list(m->arena, graph[i], &list) : 0, sum = 0; k > 0; k--)
			sum += emit_numbers_of(e, list[k - 1].tensor);
		most = sum > most ? sum : most;
	}
	return most;
}

#define LEAST_COLUMNS	8	/* as kernels/host/host.h has it */

/* What is loaded beside the arena, after it: an estimate; and for which cards there is code. */
static void
put_code(struct emitter *e)
{
	const struct reserve *r;
	int64_t bytes = 0;

	for (r = e->target->reserve; r && r->what; r++)
		if (r->loaded)
			bytes += reserve_bytes(r, module_ranks(e->module), &e->module->set.device, e->module->set.device.memory);
	if (bytes)
		text_printf(e->out, "#define CODE_BYTES\t%lldll\t/* about what is loaded beside it */\n",
		    (long long)bytes);
	if (e->target->oldest_arch)
		text_printf(e->out, "#define OLDEST_ARCH\t%d\t/* of cards that its compiler still builds for */\n",
		    e->target->oldest_arch);
}

/* What the spec's device has beside the arena: samples may stay there. */
static void
put_samples_room(struct emitter *e)
{
	int64_t room = plan_samples_room(e->module);

	parts_own(e->parts, "SAMPLES_ROOM");
	if (room < INT64_MAX)
		text_printf(e->out, "#define SAMPLES_ROOM\t%lldll\t/* bytes that the spec's device has beside all that */\n",
		    (long long)room);
	else
		text_puts(e->out, "#define SAMPLES_ROOM\tINT64_MAX\t/* the spec does not say how much its device has */\n");
	parts_own(e->parts, NULL);
}

void
emit_constants(struct emitter *e, const char *program)
{
	const struct module *m = e->module;
	const struct plan *p = e->plan;
	const char *spec = emit_spec_path(m);
	const struct graph *const graph[] = { emit_last_stage(m)->train, emit_last_stage(m)->validate };
	struct result *list;
	int persistent = emit_saved_count(e), i, results = 1;

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
	put_code(e);
	put_samples_room(e);
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
	if (m->set.any_order && emit_calls_libraries(e))
		text_puts(e->out, "#define NONDETERMINISTIC\t/* libraries may add up in another order each time */\n");
	if (m->train)
		emit_training_constants(e);
}
