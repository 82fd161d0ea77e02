/*
 * From messages to a story. The order matters: the message's tensor implies the batch; the batch
 * says whether it was training or validation; with both, the network is planned and forecast as it
 * was run, and what would have fitted is looked for in the memory that the log tells of.
 *
 * A forecast is made only where a tensor of the log is one of the network's: else the log may be of
 * another network altogether.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "fit/whatif.h"
#include "frameworks/framework.h"
#include "ir/op.h"
#include "lang/expand.h"
#include "plan/plan.h"

#define MIB		((int64_t)1 << 20)
#define CERTAIN		5	/* scores below this say what the batch was */

/* PyTorch prints what its allocator asked of the device, which is rounded up from the request. */
static void
find_request(struct autopsy *y)
{
	const struct oom_size *s = &y->main->size[OOM_ASKED];

	if (!s->known)
		return;
	y->lo = s->bytes - s->slack;
	y->hi = s->bytes + s->slack;
	if (y->main->kind == OOM_TF_ALLOCATOR)
		y->lo -= 255;
	if (y->main->kind != OOM_PYTORCH)
		return;
	if (s->bytes <= 2 * MIB) {
		y->lo = 1;
		if (s->bytes == 2 * MIB && y->main->size[OOM_RESERVED].known)	/* not of the allocator before 1.2 */
			y->hi = MIB;
	}
	else if (s->bytes <= 20 * MIB)
		y->lo = s->bytes == 20 * MIB ? MIB + 1 : y->lo - 2 * MIB + 1;
	else
		y->lo -= 2 * MIB - 1;
}

/* ---- the tensor, and the batch ---- */

bool
autopsy_is_made(const struct oom_message *o)
{
	return (o->facts & (TRACE_LOADING | TRACE_INITIAL)) && o->traced && !(o->facts & (TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP | TRACE_LATE));
}

bool
autopsy_bytes_name_a_tensor(const struct oom_message *o)
{
	return o->host ? o->kind == OOM_PYTORCH_CPU : o->kind != OOM_XLA && o->kind != OOM_CUDA &&
	    o->kind != OOM_OURS;
}

/* Of what is put on the device before a step the network's weights alone can be. */
static void
keep_weights(struct shape_matches *found)
{
	int i, n = 0;

	for (i = 0; i < found->all.n; i++)
		if (tensor_kind_persistent(found->all.v[i].tensor->kind))
			found->all.v[n++] = found->all.v[i];
	found->all.n = n;
}

/* PyTorch asks for 20 MiB at once where less than 10 are wanted, and more than one; what is from 10
 * on it rounds up to 2 MiB. */
static void
match_bytes(struct autopsy *y)
{
	bool pool = y->main->kind == OOM_PYTORCH && y->main->size[OOM_ASKED].bytes == 20 * MIB;

	shape_by_bytes(y->module, y->lo, pool ? 10 * MIB - 1 : y->hi, y->said_batch, &y->matches);
	if (pool && y->matches.all.n == 0)
		shape_by_bytes(y->module, 18 * MIB + 1, y->hi, y->said_batch, &y->matches);
	if (autopsy_is_made(y->main))
		keep_weights(&y->matches);
}

static void
match(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	const struct module *m = y->module;

	y->element = o->element ? o->element : 4;
	if (o->shape.known)
		y->lo = y->hi = autopsy_bytes(o) > 0 ? autopsy_bytes(o) : 0;
	else
		find_request(y);
	if (m && o->shape.known)
		shape_find(m, &o->shape, y->said_batch, o->node, &y->matches);
	if (m && o->shape.known && y->matches.all.n == 0)
		shape_nearest(m, &o->shape, y->said_batch, NEAREST, &y->nearest);
	if (m && !o->shape.known && y->hi > 0 && autopsy_bytes_name_a_tensor(o))
		match_bytes(y);
}

int64_t
autopsy_batch_of(const struct module *m)
{
	return m->train ? m->plan->batch : m->plan->validate_batch;
}

#define MOST_TIMES	16	/* the spec's batch */

/* Where a command or a setting in the log tells the batch of training, that is nearer to the run
 * than the spec is; but --batch is the user's own word. */
static void
read_batch(struct autopsy *y)
{
	int64_t batch = y->log.batch;
	struct module *other;

	y->batch = y->said_batch;
	y->batch_said_by = y->batch_asked ? "--batch" : "the spec";
	if (y->batch_asked || !y->module->train || !y->main || y->main->host || batch <= 0 || y->log.paste.told.graph.line ||
	    (y->main->run != RUN_UNKNOWN && y->main->run != RUN_TRAINS))
		return;
	if (batch == y->said_batch || batch == y->module->set.batch ||
	    batch / MOST_TIMES > y->said_batch ||		/* words, perhaps, not samples */
	    !(other = whatif_at(y->module, y->arena, batch)))
		return;
	y->module = other;
	y->batch = y->said_batch = batch;
	y->batch_of_line = true;
	y->batch_said_by = arena_printf(y->arena, "line %d of the log", y->log.batch_line);
}

/* The batch that the likeliest tensor implies, if all that are as likely agree. */
static int64_t
implied_batch(const struct autopsy *y)
{
	int64_t batch = 0;
	int i;

	if (!y->main || !y->main->shape.known)
		return 0;
	for (i = 0; i < y->matches.all.n; i++) {
		const struct shape_match *s = &y->matches.all.v[i];

		if (s->score > y->matches.all.v[0].score || s->score >= CERTAIN)
			break;
		if (batch && s->batch != batch)
			return 0;
		batch = s->batch;
	}
	return batch;
}

/* The batch of validation, or all of its samples at once; a gradient is of training. */
static bool
is_validation(const struct autopsy *y)
{
	const struct settings *set = &y->module->set;

	if (y->main->run != RUN_UNKNOWN)
		return y->main->run != RUN_TRAINS;
	return y->batch != y->said_batch && y->module->train && !autopsy_in_backward(y->main) &&
	    ((set->validate_fixed && y->batch == y->module->plan->validate_batch) ||
	    (set->validate_data.samples > 0 && y->batch == set->validate_data.samples));
}

/* Where a message tells bytes alone: has no tensor so many at training's batch, but one at that of
 * validation? */
static bool
bytes_are_of_validation(const struct autopsy *y)
{
	int64_t batch = y->module->plan->validate_batch;
	bool any = false;
	int i;

	if (!y->main || y->main->shape.known || (y->main->facts & (TRACE_BACKWARD | TRACE_STEP | TRACE_NO_BATCH)) || !y->module->train || !y->module->set.validate_fixed ||
	    batch == y->said_batch)
		return false;
	for (i = 0; i < y->matches.all.n; i++) {
		const struct shape_match *s = &y->matches.all.v[i];

		if (s->batch == 0 || s->batch == y->said_batch)
			return false;
		any |= s->batch == batch;
	}
	return any;
}

bool
autopsy_is_of_another_batch(const struct autopsy *y)
{
	int i;

	for (i = 0; i < y->matches.all.n; i++)
		if (y->matches.all.v[i].batch == 0 || y->matches.all.v[i].batch == y->said_batch)
			return false;
	return y->matches.all.n > 0 && !y->main->shape.known && !y->validation && !y->scores_asked;
}

/* Was all that a step of the network has there when memory ended? Not before a step, nor where the
 * message counts less, or the device has less. */
bool
autopsy_was_alive(const struct autopsy *y)
{
	const struct budget *b = &y->budget;
	int64_t tensors = y->forecast.tensors;

	return !autopsy_is_of_another_batch(y) && !autopsy_is_data(y) && !y->scored && !autopsy_gives_first_values(y->main->node) && !(y->main->facts & (TRACE_NO_BATCH | TRACE_FIRST | TRACE_INITIAL)) &&
	    !(b->allocated >= 0 && !b->peak && b->allocated < tensors) && !(b->total > 0 && b->total < tensors) && !(b->pool > 0 && b->pool < tensors);
}

/* Do scores of N have the message's shape, with heads beside the batch or in one with it, or its
 * bytes at the batch of the run? Each element as wide as the message says, or the spec. */
static bool
are_asked_for(const struct autopsy *y, const struct node *n)
{
	const struct oom_shape *s = &y->main->shape;
	const struct tensor *q = n->in[0];
	int64_t scores = n->op->torch.scores(n), heads = op_int(n, "heads"), bytes;

	if (s->known && (s->rank < 3 || s->rank > 4 || s->dim[s->rank - 2] != q->dim[q->rank - 2]))
		return false;
	if (s->known)
		return (s->rank == 4 ? s->dim[1] == heads : s->dim[0] % heads == 0) && heads * s->dim[s->rank - 2] * s->dim[s->rank - 1] == scores;
	return y->hi > 0 && autopsy_bytes_name_a_tensor(y->main) && !__builtin_mul_overflow(scores, y->said_batch * y->element, &bytes) &&
	    bytes >= y->lo && bytes <= y->hi;
}

/* Attention that was written out stores what PyTorch's own call of it does not, and no forecast has
 * it: the line of code tells, or what was asked for. */
static void
find_scores(struct autopsy *y)
{
	int i;

	for (i = 0; y->main && !y->main->host && i < y->module->forward->nodes.n; i++) {
		const struct node *n = y->module->forward->nodes.v[i];

		if (!n->op->torch.scores || n->op->torch.scores(n) <= 0)
			continue;
		y->scores_asked = y->matches.all.n == 0 || autopsy_is_of_another_batch(y) ? are_asked_for(y, n) : false;
		if (y->scores_asked || (y->main->facts & TRACE_SCORES)) {
			y->scored = n;
			return;
		}
	}
}

static void
find_batch(struct autopsy *y)
{
	int64_t batch = implied_batch(y);
	struct module *other;

	if (bytes_are_of_validation(y)) {
		y->validation = true;
		y->batch = y->module->plan->validate_batch;
	}
	if (y->scores_asked && y->main->shape.known)
		batch = shape_bytes(&y->main->shape, 1) / y->scored->op->torch.scores(y->scored);
	if (batch <= 0 || autopsy_is_data(y) || autopsy_is_array(y))
		return;
	y->implied = true;
	y->batch = batch;
	y->validation = is_validation(y);
	if (y->batch != y->said_batch && !y->validation && (other = whatif_at(y->module,
	    y->arena, y->batch)))
		y->module = other;
}

/* ---- the dump ---- */

/* A dump that is of another memory than what failed explains nothing of it. */
static void
leave_dump_out(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	const struct oom_place *of = &y->log.dump.of;

	if (!o || !y->log.dump.any || !of->known || (!o->host && o->gpu < 0))
		return;
	if (o->host == of->host && (o->host || of->gpu < 0 || o->gpu == of->gpu))
		return;
	y->other_dump = true;
	y->log.dump = (struct oom_dump){ .line = y->log.dump.line, .of = *of };
}

/* ---- the framework, and what would fit ---- */

/* The framework that wrote it, if it is one whose memory is modelled: the first of that runtime, or
 * where the network has layers that one of them unrolls, the first that does. */
static const struct framework *
framework_of(const struct module *m, const struct oom_message *o)
{
	const char *who = oom_kind_name(o->kind);
	const struct framework *f, *first = NULL;
	int i;

	for (i = 0; (f = framework_table[i]); i++) {
		if (strncmp(who, f->runtime, strlen(f->runtime)) != 0)
			continue;
		if (f->unrolled && f->unrolled(m, 1, false) > 0)
			return f;
		first = first ? first : f;
	}
	return first;
}

int64_t
autopsy_surely(const struct forecast *f)
{
	return f->card_high - f->context_high;
}

const char *
autopsy_at_most(const struct autopsy *y)
{
	return y->framework->exact ? "at most" : "about";
}

bool
autopsy_validates_too_much(const struct autopsy *y)
{
	return y->forecast.known && y->forecast.validating && y->module->set.validate_fixed && y->largest_batch == 0;
}

struct judge {			/* what the framework that failed would take */
	const struct framework *framework;
	int64_t pool;
};

static int64_t
taken(const struct module *m, const void *context)
{
	const struct judge *j = context;
	struct forecast f;

	forecast(m, j->framework, m->plan->batch, &f);
	if (!f.known || (autopsy_surely(&f) <= j->pool && !forecast_fits(m, j->framework, m->plan->batch, j->pool)))
		return INT64_MAX;	/* in gaps that are too small */
	return autopsy_surely(&f);
}

static bool
never_fits(const struct module *m, const void *context)
{
	const struct judge *j = context;

	return !forecast_may_fit(m, j->framework, m->plan->batch, j->pool);
}

static bool
offered(const char *kind, const void *context)
{
	return framework_how(((const struct judge *)context)->framework, kind) != NULL;
}

/* The micro-batch of the run where the spec's text has another, or 0. */
static int64_t
other_batch(const struct autopsy *y)
{
	return y->batch_asked || y->batch != autopsy_batch_of(y->spec->modules.v[0]) ? y->batch : 0;
}

/* Edits of the spec, by what the framework would take of them. */
static void
find_cures(struct autopsy *y)
{
	struct judge judge = { y->framework, y->budget.pool };
	struct fit fit = { .memory = y->budget.pool, .limit = y->budget.pool, .wanted = y->batch,
		.arena = autopsy_surely(&y->forecast) };
	struct advisor *v = ARENA_NEW(y->arena, struct advisor);
	int i;

	fit.largest.batch = y->sure_batch;
	if (autopsy_validates_too_much(y))
		fit.validation = y->forecast.low;
	*v = (struct advisor){ .arena = y->arena, .module = y->module, .file = y->spec->file,
		.options = y->spec->options, .fit = &fit, .batch = other_batch(y), .takes = taken,
		.offered = offered, .never_fits = never_fits, .context = &judge };
	advise(v);
	for (i = 0; i < v->all.n && y->cures.n < MOST_ADVICE; i++)
		if (v->all.v[i].arena < INT64_MAX)
			vec_push(y->arena, &y->cures, ((struct cure){ &v->all.v[i],
			    framework_how(y->framework, v->all.v[i].kind) }));
}

/* Is anything of the log of this network? */
static bool
is_ours(const struct autopsy *y)
{
	struct shape_matches found;
	int i;

	if (y->matches.all.n || y->dump.tensors || y->scores_asked)
		return true;
	for (i = 0; i < y->log.alive.n; i++) {
		shape_find(y->module, &y->log.alive.v[i].shape, y->said_batch, "", &found);
		if (found.all.n)
			return true;
	}
	return false;
}

int64_t
autopsy_counted(const struct autopsy *y)
{
	return y->budget.allocated > 0 ? y->budget.allocated : y->log.dump.any ? y->log.dump.said_in_use : 0;
}

static void
find_forecast(struct autopsy *y)
{
	struct module *m = y->module;
	int64_t sure;

	if (!y->main || y->main->host || y->main->asserted || y->main->hedged || y->main->apart || y->dump.local ||
	    !is_ours(y) || y->main->run == RUN_PREDICTS)	/* which need have neither targets nor an optimizer */
		return;
	y->framework = framework_of(m, y->main);
	if (!y->framework)
		return;
	if (y->validation)
		forecast_validation(m, y->framework, y->batch, false, &y->forecast);
	else
		forecast(m, y->framework, y->batch, &y->forecast);
	if (!y->forecast.known || y->validation)
		return;
	if (autopsy_counted(y) > 0)
		forecast_largest(m, y->framework, autopsy_counted(y), &sure, &y->batch_for_said);
	if (y->budget.pool <= 0)
		return;
	forecast_largest(m, y->framework, y->budget.pool, &y->sure_batch, &y->largest_batch);
	if (y->scored) {	/* which the upper end does not count */
		y->sure_batch = 0;
		return;
	}
	y->fits_alone = autopsy_of_others(y) > 0 && y->forecast.card_high <= y->budget.total;
	if (y->batch != y->said_batch && settings_shares(&y->module->set) > 1)
		return;		/* whether an update had so many parts is not known */
	if (y->sure_batch < y->batch && !y->budget.roomy && !y->fits_alone && !autopsy_is_limited(y))
		find_cures(y);
}

/* What TensorFlow may take of the device of the message, as it said when it made it; 0: it did not.
 * Where several were made, the message must say which is its. */
static int64_t
made_with(const struct autopsy *y)
{
	const struct oom_message *o = y->main;
	int i;

	if (!o || o->host || (o->kind != OOM_TENSORFLOW && o->kind != OOM_TF_ALLOCATOR &&
	    (o->kind != OOM_CUDA || y->log.paste.torch || y->log.paste.torch_files)))	/* CUDA's codes are whose process it is */
		return 0;
	for (i = 0; i < y->log.made.n; i++) {
		const struct oom_made *m = &y->log.made.v[i];

		if (m->line < o->line && (m->gpu == o->gpu || (o->gpu < 0 && y->log.made.n == 1)))
			return m->bytes;
	}
	return 0;
}

/* Could the dump be of the allocator that failed? Others than TensorFlow's print none. */
static bool
is_dumped(const struct autopsy *y)
{
	enum oom_kind kind = y->main ? y->main->kind : OOM_TF_ALLOCATOR;

	return y->log.dump.limit > 0 && kind != OOM_PYTORCH && kind != OOM_TORCH_SUMMARY && kind != OOM_MPS && kind != OOM_PADDLE &&
	    kind != OOM_CUPY && kind != OOM_OURS;
}

static int64_t
find_limit(const struct autopsy *y)
{
	if (is_dumped(y))
		return y->log.dump.limit;
	if (y->main && y->main->size[OOM_LIMIT].known)		/* a buffer's is none of all of them */
		return y->main->facts & TRACE_LIMIT ? 0 : y->main->size[OOM_LIMIT].bytes;
	return made_with(y);
}

/* The pool: what the message says, the allocator's statistics, what TensorFlow said as it began,
 * the user, the spec's device. */
static void
find_pool(struct autopsy *y)
{
	const struct device *device = y->module ? &y->module->set.device : NULL;
	struct budget *b = &y->budget;
	bool host = y->main && y->main->host;

	if (y->main)
		*b = autopsy_budget(y->arena, y->main);
	y->limit = find_limit(y);
	if (is_dumped(y) && !host)
		budget_set_pool(b, y->log.dump.limit, "the limit of its allocator");
	else if (b->pool <= 0 && y->limit > 0)
		budget_set_pool(b, y->limit, "what TensorFlow was to take of the device, as it said when it made it");
	else if (b->pool <= 0 && y->memory && !host)
		budget_set_pool(b, y->memory, "--memory");
	else if (b->pool <= 0 && b->total > 0 && !host)		/* the message had nothing left to it */
		budget_set_pool(b, b->total, SHARED_DEVICE);
	else if (b->pool <= 0 && autopsy_device_bytes(y) > 0 && !host)
		budget_set_pool(b, autopsy_device_bytes(y), "all of the fullest card, by nvidia-smi or gpustat");
	else if (b->pool <= 0 && device && device->given && device->memory > 0 && !host)
		budget_set_pool(b, device->memory, "the spec's device; the log does not say");
	if (y->memory && y->memory != b->pool)
		y->card = y->memory;
}

void
autopsy_explain(struct arena *a, struct autopsy *y, const struct spec *spec)
{
	y->arena = a;
	y->spec = spec;
	if (spec) {
		y->module = spec->modules.v[0];
		y->said_batch = autopsy_batch_of(y->module);
	}
	y->main = oom_log_main(&y->log);
	leave_dump_out(y);
	if (y->module)
		read_batch(y);
	if (y->main)
		match(y);
	if (y->module) {
		find_scores(y);
		find_batch(y);
	}
	find_pool(y);
	if (y->log.dump.any)
		dump_explain(a, y->module, &y->log.dump, y->batch, y->budget.pool, &y->dump);
	if (y->dump.local && y->card)
		y->card_largest = keras_local_largest(y->module, &y->dump.layer, y->batch, y->card);
	if (y->module)
		find_forecast(y);
	autopsy_causes(y);
	autopsy_likely(y);
	autopsy_usual(y);
}
