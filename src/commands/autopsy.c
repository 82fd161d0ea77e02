/*
 * stowage autopsy: what an out-of-memory message means for a spec. The log is read first; if a
 * shape in it implies another batch than the spec's, the spec is planned at that one, since that is
 * what was run.
 */
#include "commands/autopsy.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "commands/commands.h"
#include "cli/compile.h"
#include "cli/terminal.h"
#include "frameworks/forecast.h"
#include "fit/whatif.h"
#include "plan/plan.h"

#define MIB		((int64_t)1 << 20)
#define MOST_EAGER	((int64_t)1 << 20)	/* batches that the search looks at */
#define CERTAIN		5	/* scores below this say what the batch was */

struct autopsy_args {
	struct compile_args compile;
	int format, colour;
	const char *memory;
	int64_t memory_bytes;	/* 0: not given */
	const char *output, *path, *log_path;
	const struct command *command;
};

enum autopsy_format { AUTOPSY_TEXT, AUTOPSY_JSON };

static const char *
format_name(int i)
{
	static const char *const name[] = { [AUTOPSY_TEXT] = "text", [AUTOPSY_JSON] = "json",
	    NULL };

	return name[i];
}

static const struct option options[] = {
	{ .name = "memory", .letter = 'm', .type = OPTION_STRING, .value = "SIZE",
	  .doc = "what the framework could have of the device, where the log does not say",
	  FIELD(struct autopsy_args, memory) },
	{ .name = "format", .letter = 'f', .type = OPTION_CHOICE, .value = "FORMAT",
	  .doc = "how the answer is printed", .choice = format_name,
	  FIELD(struct autopsy_args, format) },
	{ .name = "output", .letter = 'o', .type = OPTION_STRING, .value = "FILE",
	  .doc = "write there instead of standard output", FIELD(struct autopsy_args, output) },
	{ .name = "color", .type = OPTION_CHOICE, .value = "WHEN",
	  .doc = "colour the text format", .choice = when_name,
	  FIELD(struct autopsy_args, colour) },
	NETWORK_OPTION(struct autopsy_args),
	BATCH_OPTION(struct autopsy_args),
	COMPILE_OPTIONS(struct autopsy_args),
	{ .name = NULL }
};

/* ---- the log ---- */

static size_t
read_file(void *context, char *to, size_t room)
{
	return fread(to, 1, room, context);
}

static bool
read_log(struct arena *a, const struct autopsy_args *args, struct oom_log *log)
{
	bool input = !args->log_path || strcmp(args->log_path, "-") == 0, bad;
	FILE *f = input ? stdin : fopen(args->log_path, "rb");

	if (!f) {
		fprintf(stderr, "stowage: %s: %s\n", args->log_path, strerror(errno));
		return false;
	}
	errno = 0;
	oom_log_read(log, a, read_file, f);
	bad = ferror(f) != 0;
	if (bad)
		fprintf(stderr, "stowage: %s: %s\n", input ? "standard input" : args->log_path,
		    strerror(errno));
	if (!input)
		fclose(f);
	return !bad;
}

/* ---- its arithmetic ---- */

static int64_t
known(const struct oom_message *o, enum oom_field f)
{
	return o->size[f].known ? o->size[f].bytes : -1;
}

static int64_t
less(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a > b ? a - b : 0;
}

static void
set_pool(struct budget *b, int64_t bytes, const char *is)
{
	b->pool = bytes > 0 ? bytes : 0;
	b->pool_is = is;
}

/* What PyTorch's allocator says of itself and of the device. */
static void
torch_budget(const struct oom_message *o, struct budget *b)
{
	int64_t process = known(o, OOM_PROCESS), limit = known(o, OOM_LIMIT);

	if (b->unallocated < 0)
		b->unallocated = less(b->reserved, b->allocated);
	if (b->reserved < 0 && b->allocated >= 0 && b->unallocated >= 0)
		b->reserved = b->allocated + b->unallocated;
	b->outside = less(less(b->total, b->reserved), b->free);
	b->context = less(process, b->reserved);
	if (process >= 0)
		b->others = less(less(b->total, process), b->free);
	if (b->reserved >= 0 && b->free >= 0)
		set_pool(b, b->reserved + b->free, "reserved and free together");
	else if (b->reserved > 0)
		set_pool(b, b->reserved, "what was reserved; how much was free is not said");
	if (limit > 0 && (b->pool <= 0 || limit < b->pool))
		set_pool(b, limit, "what the process is allowed");
}

/* Metal's share of the machine's memory, which others have a part of. */
static void
metal_budget(const struct oom_message *o, struct budget *b)
{
	b->total = known(o, OOM_LIMIT);
	b->outside = known(o, OOM_OTHERS);
	b->free = less(less(b->total, b->allocated), b->outside);
	if (b->outside >= 0)
		set_pool(b, less(b->total, b->outside), "the limit, less what others have");
	else
		set_pool(b, b->total, "the limit in the message");
}

struct budget
autopsy_budget(const struct oom_message *o)
{
	struct budget b = {
		.total = known(o, OOM_TOTAL), .allocated = known(o, OOM_ALLOCATED),
		.unallocated = known(o, OOM_UNALLOCATED), .reserved = known(o, OOM_RESERVED),
		.free = known(o, OOM_FREE), .outside = -1, .context = -1, .others = -1,
	};

	if (o->kind == OOM_PYTORCH || o->kind == OOM_TORCH_SUMMARY)
		torch_budget(o, &b);
	else if (o->kind == OOM_MPS)
		metal_budget(o, &b);
	else if (o->kind == OOM_OURS || (o->kind == OOM_PADDLE && b.allocated >= 0))
		set_pool(&b, b.free > 0 ? b.free + (b.allocated > 0 ? b.allocated : 0) : 0,
		    "what the message says was free, and what the program had");
	else
		set_pool(&b, known(o, OOM_LIMIT) > 0 ? known(o, OOM_LIMIT) : b.total,
		    known(o, OOM_LIMIT) > 0 ? "the limit in the message" :
		    "all of the device, by the message");
	return b;
}

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
	if (s->bytes <= 2 * MIB)
		y->lo = 1;
	else if (s->bytes <= 20 * MIB)
		y->lo = s->bytes == 20 * MIB ? MIB + 1 : y->lo - 2 * MIB + 1;
	else
		y->lo -= 2 * MIB - 1;
}

/* ---- the tensor, and the batch ---- */

static void
match(struct autopsy *y)
{
	const struct oom_message *o = y->main;
	const struct module *m = y->module;

	y->element = o->element ? o->element : 4;
	if (o->shape.known) {
		y->lo = y->hi = shape_bytes(&o->shape, y->element);
		shape_find(m, &o->shape, y->spec_batch, o->node, &y->matches);
		if (y->matches.all.n == 0)
			shape_nearest(m, &o->shape, y->spec_batch, NEAREST, &y->nearest);
		return;
	}
	find_request(y);
	if (y->hi > 0 && (!o->host || o->kind == OOM_PYTORCH_CPU))	/* it may have run there */
		shape_by_bytes(m, y->lo, y->hi, y->spec_batch, &y->matches);
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

/* ---- what would fit ---- */

/* The largest batch within a pool by a framework's model. */
static int64_t
largest_as(const struct module *m, const struct framework *as, int64_t pool)
{
	int64_t lo = 0, hi = 1, mid;

	while (hi < MOST_EAGER && forecast_fits(m, as, hi, pool)) {
		lo = hi;
		hi *= 2;
	}
	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (forecast_fits(m, as, mid, pool))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

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
		if (f->unrolled && f->unrolled(m, 1) > 0)
			return f;
		first = first ? first : f;
	}
	return first;
}

static void
forecast_and_fit(struct arena *a, struct autopsy *y, const struct spec *spec)
{
	struct module *m = y->module;
	struct advisor *v = ARENA_NEW(a, struct advisor);

	y->framework = y->main && !y->dump.local ? framework_of(m, y->main) : NULL;
	if (y->framework)
		forecast(m, y->framework, y->batch, &y->forecast);
	if (y->forecast.known && y->budget.allocated > 0)
		y->batch_for_said = largest_as(m, y->framework, y->budget.allocated);
	if (y->budget.pool <= 0)
		return;
	if (y->forecast.known)
		y->forecast_largest = largest_as(m, y->framework, y->budget.pool);
	fit_answer(m, y->budget.pool, 0, &y->fit);
	y->fitted = true;
	if (y->fit.fits || y->batch != y->spec_batch)
		return;
	*v = (struct advisor){ .arena = a, .module = m, .file = spec->file,
		.options = spec->options, .fit = &y->fit };
	advise(v);
	y->advice = v->all.v;
	y->nadvice = v->all.n < MOST_ADVICE ? v->all.n : MOST_ADVICE;
}

/* The pool: what the message says, the allocator's statistics, the user, the spec's device. */
static void
find_pool(struct autopsy *y, const struct autopsy_args *args)
{
	struct budget *b = &y->budget;

	if (y->main)
		*b = autopsy_budget(y->main);
	if (y->log.dump.limit > 0)
		set_pool(b, y->log.dump.limit, "the limit of its allocator");
	else if (b->pool <= 0 && args->memory_bytes)
		set_pool(b, args->memory_bytes, "--memory");
	else if (b->pool <= 0 && y->log.card.known && !(y->main && y->main->host))
		set_pool(b, y->log.card.bytes, "the whole card, by nvidia-smi");
	else if (b->pool <= 0 && y->module->set.device.given && y->module->set.device.memory > 0 &&
	    !(y->main && y->main->host))
		set_pool(b, y->module->set.device.memory,
		    "the spec's device; the log does not say");
	if (args->memory_bytes && args->memory_bytes != b->pool)
		y->card = args->memory_bytes;
}

/* ---- the command ---- */

static int
report(const struct autopsy_args *args, struct autopsy *y)
{
	if (!(y->out = compile_output(args->output)))
		return 2;
	y->colour = !args->output && terminal_colour(stdout, (enum when)args->colour);
	if (args->format == AUTOPSY_JSON)
		autopsy_json(y);
	else
		autopsy_text(y);
	return compile_close(y->out, args->output) ? 0 : 2;
}

static int
explain(struct arena *a, const struct autopsy_args *args, const struct spec *spec)
{
	struct autopsy *y = ARENA_NEW(a, struct autopsy);
	struct module *other;
	int status;

	y->module = spec->modules.v[0];
	y->log_path = args->log_path && strcmp(args->log_path, "-") != 0 ? args->log_path :
	    "standard input";
	y->spec_batch = y->batch = y->module->train ? y->module->plan->batch :
	    y->module->plan->validate_batch;
	if (!read_log(a, args, &y->log))
		return 2;
	y->main = oom_log_main(&y->log);
	if (y->main)
		match(y);
	if (implied_batch(y) > 0) {
		y->implied = true;
		y->batch = implied_batch(y);
		if (y->batch != y->spec_batch && (other = whatif_at(y->module, y->batch)))
			y->module = other;
	}
	find_pool(y, args);
	if (y->log.dump.any)
		dump_explain(y->module, &y->log.dump, y->batch, y->budget.pool, &y->dump);
	if (y->dump.local && y->card)
		y->card_largest = keras_local_largest(y->module, &y->dump.layer, y->batch,
		    y->card);
	if (y->main || y->log.dump.any)
		forecast_and_fit(a, y, spec);
	status = report(args, y);
	return status ? status : y->main || y->log.dump.any ? 0 : 1;
}

static int
autopsy_spec(struct arena *a, void *context)
{
	const struct autopsy_args *args = context;
	struct diags d;
	struct spec *spec;

	if (compile_one(a, args->command, args->path, &args->compile, &d, &spec))
		return 2;
	return explain(a, args, spec);
}

static int
run_autopsy(const struct command *c, int argc, char **argv)
{
	struct autopsy_args args = { .compile = COMPILE_DEFAULTS, .command = c };
	int n;
	enum parsed parsed = options_parse(c, &args, argc, argv, &n);

	if (parsed != PARSED_RUN)
		return parsed == PARSED_HELP ? 0 : 2;
	if (n < 1 || n > 2)
		return usage_error(c, n ? "one spec and one log at a time" : "no spec given");
	if (!compile_check(c, &args.compile))
		return 2;
	if (args.memory && (!size_parse(args.memory, &args.memory_bytes) ||
	    args.memory_bytes < 1 || args.memory_bytes > LARGEST_BYTES))
		return usage_error(c, "--memory: expected a size such as 8GiB, 11GB or 11439MiB, "
		    "got '%s'", args.memory);
	args.path = argv[0];
	args.log_path = n > 1 ? argv[1] : NULL;
	if (strcmp(args.path, "-") == 0 && (!args.log_path || strcmp(args.log_path, "-") == 0))
		return usage_error(c, "standard input cannot be both the spec and the log");
	return compile_in_arena(autopsy_spec, &args);
}

const struct command command_autopsy = {
	.name = "autopsy",
	.brief = "explain a framework's out-of-memory message for a spec",
	.operands = "SPEC [LOG]",
	.details = "Without LOG, or when it is -, the log is read from standard input.\n"
	    "Exit status: 0 explained, 1 there is no out-of-memory message in it, 2 wrong usage, "
	    "a spec with\nerrors, or a file could not be read or written.",
	.options = options,
	.run = run_autopsy,
};
