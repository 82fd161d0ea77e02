/* Reading, compiling and planning a spec for a command. */
#include "cli/compile.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filename.h"
#include "base/print.h"
#include "cli/model.h"
#include "cli/replace.h"
#include "cli/terminal.h"
#include "target/target.h"
#include "fit/whatif.h"
#include "plan/estimate.h"
#include "plan/plan.h"
#include "findings/report.h"
#include "ir/prediction.h"

#define MOST_THREADS	1024

const char *
compile_target_name(int i)
{
	return target_table[i] ? target_table[i]->name : NULL;
}

const char *
compile_pass_name(int i)
{
	return pass_table[i] ? pass_table[i]->name : NULL;
}

const char *
compile_layout_name(int i)
{
	static const char *const name[] = {
		[LAYOUTS_AUTO] = "auto", [LAYOUTS_CHANNELS_FIRST] = "channels-first",
		[LAYOUTS_CHANNELS_LAST] = "channels-last",
	};

	return i < (int)(sizeof(name) / sizeof(name[0])) ? name[i] : NULL;
}

const char *
compile_objective_name(int i)
{
	static const char *const name[] = {
		[OBJECTIVE_AUTO] = "auto", [OBJECTIVE_MEMORY] = "memory", [OBJECTIVE_SPEED] = "speed",
	};

	return i < (int)(sizeof(name) / sizeof(name[0])) ? name[i] : NULL;
}

const char *
compile_shard_name(int i)
{
	return i ? shard_name(i - 1) : "auto";
}

static bool
refuse_without(const struct command *c, const char *name)
{
	char can[512] = "";
	size_t used = 0;
	int i;

	for (i = 0; pass_table[i]; i++)
		if (pass_table[i]->optional && used < sizeof(can))
			used += (size_t)snprintf(can + used, sizeof(can) - used, "%s%s",
			    used ? ", " : "", pass_table[i]->name);
	usage_error(c, "--without: '%s' cannot be left out; these can: %s", name, can);
	return false;
}

bool
compile_check(const struct command *c, const struct compile_args *args)
{
	int i;

	for (i = 0; i < args->define.n; i++) {
		const char *word = args->define.word[i], *eq = strchr(word, '=');

		if (!eq || eq == word || !eq[1]) {
			usage_error(c, "-D expects NAME=VALUE, got '%s'", word);
			return false;
		}
	}
	if (args->loss && !model_loss_known(args->loss)) {
		usage_error(c, "there is no loss '%s'", args->loss);
		return false;
	}
	for (i = 0; i < args->without.n; i++)
		if (!pass_is_optional(args->without.word[i]))
			return refuse_without(c, args->without.word[i]);
	return true;
}

bool
compile_options(const struct command *c, void *args, struct compile_args *compile, const char **path, int argc, char **argv,
    int *status)
{
	int n;
	enum parsed parsed = options_parse(c, args, argc, argv, &n);

	compile->program = true;
	*path = argv[0];
	*status = parsed == PARSED_HELP ? 0 : 2;
	if (parsed != PARSED_RUN)
		return false;
	if (n == 1)
		return compile_check(c, compile);
	*status = usage_error(c, n ? "one spec at a time" : "no spec given");
	return false;
}

struct source *
compile_read(struct arena *a, const char *path, const char *stdin_name)
{
	const char *why = model_refused(path);
	struct source *src = why ? NULL : source_read(a, path, &why);

	if (!src) {
		print_error("%s: %s", path, why);
		return NULL;
	}
	if (strcmp(path, "-") == 0 && stdin_name)
		src->path = arena_strdup(a, stdin_name);
	return src;
}

struct source *
compile_open(struct arena *a, const char *path, const struct compile_args *args)
{
	struct import_options o = { .define = args->define.word, .ndefines = args->define.n, .loss = args->loss };

	return model_is_named(path) ? model_read(a, path, &o) : compile_read(a, path, NULL);
}

static const struct target *
choose_target(const struct module *m, const struct compile_args *args)
{
	if (args->target >= 0)
		return target_table[args->target];
	return target_of_device(&m->set.device);
}

static int
processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (int)n;
}

/* A copy of the module, in an arena of its own, which is planned in its place. */
static struct module *
set_apart(struct module *m)
{
	struct module in = *m, *copy;

	m->apart = in.arena = arena_child(m->arena);
	copy = passes_copy(&in, &m->set, m->diags);
	copy->unplanned = m;
	return copy;
}

void
compile_drop_plans(struct spec *spec)
{
	int i, k;

	for (i = 0; i < spec->modules.n; i++) {
		struct module *m = spec->modules.v[i]->unplanned;

		if (!m)
			continue;
		for (k = 0; k < m->persistent.n; k++)
			if (m->persistent.v[k]->kind == T_PARAM)
				m->persistent.v[k]->gradient = NULL;
		arena_free(m->apart);
		spec->modules.v[i] = m;
	}
}

/* Bytes of arena that the objective is to stay within, by the command line or the spec; 0: they say
 * nothing. */
static int64_t
asked_bytes(const struct module *m, const struct compile_args *args)
{
	return args->objective_bytes ? args->objective_bytes : args->objective ? 0 : m->set.objective_bytes;
}

/* What is asked for, or else the spec's objective, or else what the card gives reason to, if the
 * plan is a program's. */
static void
set_objective(struct pass_options *o, const struct module *m, const struct compile_args *args)
{
	const struct settings *set = &m->set;
	int objective = args->objective_bytes ? OBJECTIVE_SPEED : args->objective ? args->objective : (int)objective_of(m, o->target);
	int64_t room = set->device.given ? target_memory(o->target, settings_ranks(set), &set->device) : 0;
	int64_t asked = asked_bytes(m, args);

	o->speed = args->program && objective == OBJECTIVE_SPEED;
	if (o->speed)
		o->most_bytes = asked && (!room || asked < room) ? asked : room;
}

/* A size that the objective names is kept, or said not to be. */
static void
expect_within(const struct module *m, int64_t asked, const struct compile_args *args)
{
	char budget[SIZE_TEXT], found[SIZE_TEXT], exact[SIZE_TEXT];
	const struct loc nowhere = { NULL, 0, 0 };
	struct diag *g;

	if (m->broken || !asked || !m->plan || m->plan->arena_bytes <= asked)
		return;
	g = diag_error(m->diags, "recompute", args->objective_bytes ? nowhere : m->set.objective_loc,
	    "no plan was found within the objective's %s; this plan takes %s (%s B)",
	    size_human(budget, asked), size_human(found, m->plan->arena_bytes), size_commas(exact, m->plan->arena_bytes));
	if (m->set.recompute_loc.src)
		diag_help(m->diags, g, "'recompute' says what is made again: without it the objective decides; or raise the size, or "
		    "lower the batch");
	else
		diag_help(m->diags, g, "objective memory takes few bytes and makes few again; or raise the size, or lower the batch");
}

static bool
is_pipeline(const struct module *m)
{
	return m->set.train && !m->inference && settings_stages(&m->set) > 1;
}

/* Through all passes; of a pipeline, the stage with the largest arena. */
static struct module *
run_passes(struct module *m, const struct pass_options *o, const struct compile_args *args)
{
	if (is_pipeline(m))
		m = passes_run_stages(m, o);
	else
		passes_run(m, o);
	if (o->speed)
		expect_within(m, asked_bytes(m, args), args);
	return m;
}

/* The module planned; or, where that serves, a copy with a sketch of its plan. */
static struct module *
plan_module(const struct spec *spec, struct module *m, const struct compile_args *args,
    bool (*serves)(const struct spec *, struct module *))
{
	struct module *sketch, in;
	struct pass_options o = {
		.target = choose_target(m, args),
		.threads = args->threads ? (int)args->threads : processors(),
		.layout = (enum layout_choice)args->layout,
		.seconds = (double)args->timeout,
		.input_gradients = args->input_gradients,
		.dump_after = args->dump_after >= 0 ? pass_table[args->dump_after]->name : NULL,
		.dump = stdout,
		.without = args->without.word,
		.nwithout = args->without.n,
	};

	set_objective(&o, m, args);
	if (m->broken || (args->infer && !module_infer(m)))
		return m;
	if (args->batch)
		whatif_micro_batch(&m->set, args->batch);
	if (args->apart)
		m = set_apart(m);
	in = *m;	/* with the batch that was asked for */
	if (serves && !is_pipeline(m)) {
		in.arena = passes_sketch_arena(m);
		if ((sketch = passes_sketch(&in, &o)) && serves(spec, sketch))
			return sketch;
		if (in.arena != m->arena)
			arena_free(in.arena);
	}
	return run_passes(m, &o, args);
}

static void
keep_network(struct spec *spec, struct diags *d, const char *name)
{
	int i;

	for (i = 0; i < spec->modules.n; i++)
		if (strcmp(spec->modules.v[i]->name, name) == 0) {
			spec->modules.v[0] = spec->modules.v[i];
			spec->modules.n = 1;
			return;
		}
	diag_error(d, "name", (struct loc){ NULL, 0, 0 }, "the file has no network '%s'", name);
	spec->modules.n = 0;
}

const char *
compile_root(struct arena *a, const char *path, bool allow_outside)
{
	return allow_outside ? "/" : project_root(a, path);
}

/* The project file for the spec at the absolute PATH, as the options say; NULL: none. Its mistakes,
 * and that it cannot be read, are reported to the diags. */
static struct project *
find_project(struct arena *a, struct diags *d, const char *path, const char *root,
    const struct compile_args *args)
{
	const char *found = args->config ? filename_absolute(a, args->config) :
	    project_find(a, path, args->unsaved), *why;
	struct project *p;
	int i;

	if (!found)
		return NULL;
	if (!(p = project_load(a, found, args->config ? NULL : root, args->unsaved, &why))) {
		diag_error(d, "settings", (struct loc){ NULL, 0, 0 }, "the project file %s: %s",
		    args->config ? args->config : found, why);
		return NULL;
	}
	for (i = 0; i < p->diags.all.n; i++)
		vec_push(a, &d->all, p->diags.all.v[i]);
	d->errors += p->diags.errors;
	d->warnings += p->diags.warnings;
	return p;
}

static struct lang_options *
language(struct arena *a, struct diags *d, const struct source *src, const struct compile_args *args)
{
	struct lang_define *define = arena_array(a, MAX_WORDS, sizeof(*define));
	struct lang_options *o = ARENA_NEW(a, struct lang_options);
	const char *path = filename_absolute(a, src->path);
	int i;

	if (args->loss && !src->origins)
		diag_error(d, "settings", (struct loc){ NULL, 0, 0 }, "--loss is for models of ONNX and Keras: a spec says "
		    "its loss itself");

	for (i = 0; i < args->define.n; i++) {
		const char *word = args->define.word[i];
		size_t n = strcspn(word, "=");

		define[i].name = arena_strndup(a, word, n);
		define[i].value = word + n + 1;
	}
	*o = (struct lang_options){ .define = define, .ndefines = src->origins ? 0 : args->define.n,
		.device = args->device, .project = args->project, .unsaved = args->unsaved, .known = args->known,
		.evaluated = args->evaluated, .ranks = args->ranks, .shard = args->shard,
		.deterministic = args->deterministic, .any_order = args->any_order, .forget = args->forget, .operators = (int)args->operators,
		.root = compile_root(a, path, args->allow_outside) };
	if (!args->project_known && !args->no_config)
		o->project = find_project(a, d, path, o->root, args);
	return o;
}

/* The networks that are asked for, as the spec says them. */
static struct spec *
load(struct arena *a, struct diags *d, const struct source *src, const struct compile_args *args)
{
	struct spec *spec = spec_load(a, d, src, language(a, d, src, args));

	if (args->network)
		keep_network(spec, d, args->network);
	return spec;
}

struct spec *
compile_as_needed(struct arena *a, struct diags *d, const struct source *src,
    const struct compile_args *args, bool (*serves)(const struct spec *, struct module *))
{
	struct spec *spec = load(a, d, src, args);
	int i;

	for (i = 0; i < spec->modules.n; i++) {
		d->network = spec->modules.v[i]->name;
		spec->modules.v[i] = plan_module(spec, spec->modules.v[i], args, serves);
	}
	d->network = NULL;
	return spec;
}

struct spec *
compile(struct arena *a, struct diags *d, const struct source *src,
    const struct compile_args *args)
{
	return compile_as_needed(a, d, src, args, NULL);
}

const struct file *const *
compile_files(struct arena *a, const struct spec *spec, int *n)
{
	const struct file **file = arena_array(a, (size_t)spec->imported.n + 1,
	    sizeof(struct file *));
	int i;

	*n = 0;
	if (spec->file)
		file[(*n)++] = spec->file;
	for (i = 0; i < spec->imported.n; i++)
		if (!spec->imported.v[i]->src->shipped)
			file[(*n)++] = spec->imported.v[i];
	return file;
}

int
compile_in_arena(int (*work)(struct arena *, void *), void *context)
{
	struct arena *a = arena_new();
	jmp_buf failed;
	volatile int status = 2;

	if (!a || setjmp(failed)) {
		fputs("stowage: out of memory\n", stderr);
	} else {
		arena_on_failure(a, &failed);
		status = work(a, context);
	}
	arena_free(a);
	return status;
}

int
compile_failed(const char *path, struct diags *d)
{
	struct report r;

	diags_sort(d);
	report_begin(&r, format_table[0], stderr, terminal_colour(stderr, WHEN_AUTO));
	report_file(&r, path, d);
	report_end(&r);
	return 1;
}

int
compile_no_network(const char *path)
{
	print_error("%s: there is no network in this file", path);
	return 1;
}

static int
one_network(struct arena *a, const struct command *c, const char *path, const struct compile_args *args,
    struct diags *d, struct spec **spec, struct spec *(*make)(struct arena *, struct diags *, const struct source *,
    const struct compile_args *))
{
	struct source *src = compile_open(a, path, args);

	if (!src)
		return 2;
	diags_init(d, a);
	*spec = make(a, d, src, args);
	if (d->errors)
		return compile_failed(src->path, d);
	if ((*spec)->modules.n == 0)
		return compile_no_network(src->path);
	if ((*spec)->modules.n > 1)
		return usage_error(c, "%s has %d networks: choose one with --network", src->path,
		    (*spec)->modules.n);
	return 0;
}

int
compile_one(struct arena *a, const struct command *c, const char *path,
    const struct compile_args *args, struct diags *d, struct spec **spec)
{
	return one_network(a, c, path, args, d, spec, compile);
}

int
compile_forward(struct arena *a, const struct command *c, const char *path,
    const struct compile_args *args, struct diags *d, struct spec **spec)
{
	return one_network(a, c, path, args, d, spec, load);
}

/* What is no regular file is written to at once. */
static bool
is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* A file without a name: in memory, where the system has that, so that no folder need be
 * writable. */
static FILE *
nameless(void)
{
#ifdef MFD_CLOEXEC
	int fd = memfd_create("stowage", MFD_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");

	if (f)
		return f;
	if (fd >= 0)
		close(fd);
#endif
	return tmpfile();
}

FILE *
compile_output(const char *path)
{
	struct replacement r;
	FILE *f = NULL;

	if (!path || strcmp(path, "-") == 0)
		return stdout;
	if (is_special(path)) {
		f = fopen(path, "w");
	} else if (replace_begin(&r, path)) {	/* whether it can be written is known now */
		replace_abandon(&r);
		f = nameless();
	}
	if (!f)
		print_error("%s: %s", path, strerror(errno));
	return f;
}

bool
compile_close(FILE *f, const char *path)
{
	bool good, special;

	if (f == stdout)
		return true;
	special = is_special(path);
	good = fflush(f) == 0 && !ferror(f);
	if (!good)
		print_error("%s: %s", path, strerror(errno));
	else if (!special) {
		rewind(f);
		good = replace_copy(path, f);
	}
	if (fclose(f) != 0 && good && special) {
		print_error("%s: %s", path, strerror(errno));
		good = false;
	}
	return good;
}
