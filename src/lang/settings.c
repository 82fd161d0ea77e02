/*
 * The train and validate sections of a network, checked, with defaults for what they leave out.
 * Precision and batch are read before the network is expanded, since tensors are made in that
 * precision; patterns of paths and the data after, since both speak of what was made.
 */
#include "lang/expander.h"

#include <math.h>
#include <string.h>

#include "target/gpu.h"

#define LARGEST_BATCH	INT32_MAX
#define MOST_EPOCHS	1000000000
#define MOST_CHUNKS	INT32_MAX
#define MOST_TRAIN_STEPS	((int64_t)1 << 50)

static const char *const train_keys[] = {
	"batch", "accumulate", "epochs", "steps", "precision", "optimizer", "schedule", "clip",
	"chunk_loss", "workspace", "freeze", "recompute", "data", "seed", "shuffle",
};
static const char *const validate_keys[] = { "batch", "data" };
static const char *const device_keys[] = { "name", "memory", "arch" };

#define COUNT(a)	((int)(sizeof(a) / sizeof(*(a))))

static const struct {
	const char *name;
	const char *const *keys;
	int nkeys;
} sections[] = {
	[SEC_TRAIN] = { "train", train_keys, COUNT(train_keys) },
	[SEC_VALIDATE] = { "validate", validate_keys, COUNT(validate_keys) },
	[SEC_DEVICE] = { "device", device_keys, COUNT(device_keys) },
	[SEC_LINT] = { "lint", NULL, 0 },
};

/* ---- once per file ---- */

void
setting_unknown(struct expander *ex, const struct setting *st, const char *section,
    const char *const *keys, int nkeys)
{
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	int i;

	if (strcmp(st->key.text, "metric") == 0) {
		ex_error(ex, "settings", st->key.loc, "a metric is written in the network, not in "
		    "%s", section);
		return;
	}
	g = ex_error(ex, "settings", st->key.loc, "%s has no setting '%s'", section, st->key.text);
	for (i = 0; i < nkeys; i++)
		names_add(ex->a, &names, keys[i]);
	if (!names_suggest(ex, g, st->key.text, &names)) {
		struct text t;

		text_init(&t, ex->a);
		for (i = 0; i < nkeys; i++)
			text_printf(&t, "%s%s", i ? ", " : "", keys[i]);
		diag_help(ex->d, g, "it has: %s", t.s);
	}
}

static void
check_keys(struct expander *ex, const struct section *s)
{
	const char *const *keys = sections[s->kind].keys;
	int nkeys = sections[s->kind].nkeys, i, j;

	for (i = 0; i < s->nsettings; i++) {
		const struct setting *st = &s->setting[i];

		for (j = 0; j < nkeys && strcmp(keys[j], st->key.text) != 0; j++)
			;
		if (j == nkeys) {
			setting_unknown(ex, st, sections[s->kind].name, keys, nkeys);
			continue;
		}
		for (j = 0; j < i; j++)
			if (strcmp(s->setting[j].key.text, st->key.text) == 0) {
				struct diag *g = ex_error(ex, "settings", st->key.loc,
				    "'%s' is set twice", st->key.text);

				diag_place(ex->d, g, s->setting[j].key.loc, "first set here");
				break;
			}
		if (st->nvalues > 1 && strcmp(st->key.text, "freeze") != 0 &&
		    strcmp(st->key.text, "recompute") != 0)
			ex_error(ex, "settings", st->value[1]->loc, "'%s' takes one value",
			    st->key.text);
	}
}

static void
check_name(struct expander *ex, const struct section *s)
{
	const struct file *f = ex->spec->file;
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	int i;

	if (!s->name.text || s->kind == SEC_DEVICE || s->kind == SEC_LINT)
		return;
	for (i = 0; i < f->networks.n; i++) {
		if (strcmp(f->networks.v[i]->name.text, s->name.text) == 0)
			return;
		names_add(ex->a, &names, f->networks.v[i]->name.text);
	}
	g = ex_error(ex, "name", s->name.loc, "this file has no network '%s'", s->name.text);
	names_suggest(ex, g, s->name.text, &names);
}

static bool
same_name(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

void
sections_check(struct expander *ex)
{
	const struct file *f = ex->spec->file;
	int i, j;

	for (i = 0; i < f->sections.n; i++) {
		const struct section *s = f->sections.v[i];

		check_name(ex, s);
		if (s->kind != SEC_LINT)	/* those are read by the linter */
			check_keys(ex, s);
		for (j = 0; j < i; j++) {
			const struct section *t = f->sections.v[j];

			if (t->kind == s->kind && same_name(t->name.text, s->name.text)) {
				struct diag *g = ex_error(ex, "settings", s->head,
				    "there is a second %s section%s%s", sections[s->kind].name,
				    s->name.text ? " " : "", s->name.text ? s->name.text : "");

				diag_place(ex->d, g, t->head, "the first is here");
				break;
			}
		}
	}
}

/* ---- values ---- */

/* A bare name is a param of the file, or else a word. */
struct value
setting_value(struct expander *ex, const struct expr *e)
{
	struct expr *expr = (struct expr *)e;	/* evaluating writes only E_BAD into it */

	if (e->kind == E_NAME && !unit_find(ex->root, e->name))
		return (struct value){ .kind = V_WORD, .loc = e->loc, .text = e->name };
	if (e->kind == E_PATH || e->kind == E_STAR)
		return (struct value){ .kind = V_WORD, .loc = e->loc,
			.text = e->kind == E_STAR ? "*" : e->name };
	check_expr(ex, ex->root, expr);
	return eval_constant(ex, ex->root, expr);
}

static bool
setting_int(struct expander *ex, const struct setting *st, int64_t min, int64_t max,
    int64_t *out)
{
	struct value v = setting_value(ex, st->value[0]);
	int64_t n;

	if (v.kind == V_NUMBER && v.size) {
		ex_error(ex, "settings", v.loc, "%s is a count, not a size in bytes", st->key.text);
		return false;
	}
	if (!want_int(ex, &v, st->key.text, min, max, &n))
		return false;
	*out = n;
	return true;
}

/* ---- the settings ---- */

static void
read_batch(struct expander *ex, const struct setting *st, struct settings *set)
{
	if (setting_int(ex, st, 1, LARGEST_BATCH, &set->batch))
		set->batch_loc = st->loc;
}

static void
read_accumulate(struct expander *ex, const struct setting *st, struct settings *set)
{
	setting_int(ex, st, 1, LARGEST_BATCH, &set->accumulate);
}

static void
read_length(struct expander *ex, const struct setting *st, struct settings *set)
{
	bool epochs = strcmp(st->key.text, "epochs") == 0;
	int64_t n;

	if (setting_int(ex, st, 1, epochs ? MOST_EPOCHS : MOST_TRAIN_STEPS, &n))
		set->length = (struct duration){ (double)n, epochs };
}

static void
read_precision(struct expander *ex, const struct setting *st, struct settings *set)
{
	static const struct {
		const char *name;
		enum precision precision;
	} word[] = {
		{ "f32", PREC_F32 }, { "tf32", PREC_TF32 }, { "bf16", PREC_BF16 },
		{ "f16", PREC_F16 }, { "f64", PREC_F64 },
	};
	struct value v = setting_value(ex, st->value[0]);
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	int i;

	if (v.kind == V_POISON)
		return;
	for (i = 0; i < COUNT(word); i++) {
		if (v.kind == V_WORD && strcmp(v.text, word[i].name) == 0) {
			set->precision = word[i].precision;
			set->precision_loc = st->loc;
			return;
		}
		names_add(ex->a, &names, word[i].name);
	}
	g = ex_error(ex, "settings", v.loc, "precision is one of f32, tf32, bf16, f16 and f64, not "
	    "%s", v.kind == V_WORD ? v.text : value_text(ex->a, &v));
	if (v.kind == V_WORD)
		names_suggest(ex, g, v.text, &names);
}

static void
read_clip(struct expander *ex, const struct setting *st, struct settings *set)
{
	struct value v = setting_value(ex, st->value[0]);

	if (v.kind == V_POISON)
		return;
	if (v.kind != V_NUMBER || v.size || !(v.num.real > 0) || !isfinite(v.num.real)) {
		struct diag *g = ex_error(ex, "settings", v.loc, "clip is a norm above 0, not %s",
		    value_text(ex->a, &v));

		diag_help(ex->d, g, "leave it out not to clip");
		return;
	}
	set->clip = v.num.real;
}

static void
read_chunk_loss(struct expander *ex, const struct setting *st, struct settings *set)
{
	struct value v = setting_value(ex, st->value[0]);
	int64_t n;

	if (v.kind == V_POISON)
		return;
	set->chunk_loc = st->loc;
	if (v.kind == V_WORD && strcmp(v.text, "auto") == 0)
		return;
	if (v.kind == V_WORD && strcmp(v.text, "none") == 0) {
		set->chunk_loss = CHUNK_NONE;
	} else if (v.kind == V_NUMBER && !v.size) {
		if (!want_int(ex, &v, st->key.text, 1, MOST_CHUNKS, &n))
			return;
		set->chunk_loss = n > 1 ? CHUNK_SPLIT : CHUNK_NONE;
		set->chunks = n;
	} else {
		ex_error(ex, "settings", v.loc, "chunk_loss is auto, none or a number of chunks, "
		    "not %s", v.kind == V_WORD ? v.text : value_text(ex->a, &v));
	}
}

static void
read_workspace(struct expander *ex, const struct setting *st, struct settings *set)
{
	struct value v = setting_value(ex, st->value[0]);
	int64_t bytes = 0;

	if (v.kind == V_POISON)
		return;
	if (v.kind == V_NUMBER) {
		if (!want_int(ex, &v, st->key.text, 0, LARGEST_EXTENT, &bytes))
			return;
		if (bytes > 0 && !v.size) {
			ex_error(ex, "settings", v.loc, "workspace needs a unit: workspace 16MiB");
			return;
		}
	} else if (v.kind != V_WORD || strcmp(v.text, "none") != 0) {
		ex_error(ex, "settings", v.loc, "workspace is a size or none, not %s",
		    v.kind == V_WORD ? v.text : value_text(ex->a, &v));
		return;
	}
	set->workspace = bytes;
}

static void
read_seed(struct expander *ex, const struct setting *st, struct settings *set)
{
	setting_int(ex, st, 0, INT64_MAX, &set->seed);
}

static void
read_shuffle(struct expander *ex, const struct setting *st, struct settings *set)
{
	struct value v = setting_value(ex, st->value[0]);

	if (v.kind == V_BOOL)
		set->shuffle = v.flag;
	else if (v.kind != V_POISON)
		ex_error(ex, "settings", v.loc, "shuffle is true or false, not %s",
		    value_text(ex->a, &v));
}

static const struct {
	const char *key;
	void (*read)(struct expander *, const struct setting *, struct settings *);
} readers[] = {
	{ "batch", read_batch }, { "accumulate", read_accumulate }, { "epochs", read_length },
	{ "steps", read_length }, { "precision", read_precision },
	{ "optimizer", optimizer_read }, { "schedule", schedule_read }, { "clip", read_clip },
	{ "chunk_loss", read_chunk_loss }, { "workspace", read_workspace },
	{ "seed", read_seed }, { "shuffle", read_shuffle },
};

/* ---- a network's sections ---- */

/* The section of that kind for this network: by its name, else the unnamed one. In a file of one
 * network a section with another name (reported by check_name) can only be meant for it, so its
 * settings are checked in the same run. */
static const struct section *
section_for(struct expander *ex, enum section_kind kind, const struct network *net)
{
	const struct file *f = ex->spec->file;
	const struct section *any = NULL, *misnamed = NULL;
	int i;

	for (i = 0; i < f->sections.n; i++) {
		const struct section *s = f->sections.v[i];

		if (s->kind != kind)
			continue;
		if (s->name.text && strcmp(s->name.text, net->name.text) == 0)
			return s;
		if (!s->name.text && !any)
			any = s;
		if (s->name.text && f->networks.n == 1)
			misnamed = s;
	}
	return any ? any : misnamed;
}

static const struct setting *
setting_of(const struct section *s, const char *key)
{
	int i;

	for (i = 0; s && i < s->nsettings; i++)
		if (strcmp(s->setting[i].key.text, key) == 0)
			return &s->setting[i];
	return NULL;
}

static void
check_together(struct expander *ex, const struct section *train, struct settings *set,
    bool sizes_known)
{
	const struct setting *epochs = setting_of(train, "epochs");
	const struct setting *steps = setting_of(train, "steps");
	const struct setting *acc = setting_of(train, "accumulate");
	const struct schedule *s = &set->schedule;
	struct diag *g;

	if (epochs && steps) {
		g = ex_error(ex, "settings", steps->loc, "training lasts a number of epochs or of "
		    "steps, not both");
		diag_place(ex->d, g, epochs->loc, "the epochs are here");
	}
	if (!sizes_known)	/* batch or accumulate is a default, in place of a mistake */
		set->accumulate = 1;
	else if (acc && set->batch % set->accumulate != 0) {
		g = ex_error(ex, "settings", acc->loc, "accumulate %lld does not divide batch %lld",
		    (long long)set->accumulate, (long long)set->batch);
		diag_help(ex->d, g, "batch is samples per update; each of the %lld micro-batches "
		    "has the same share of it", (long long)set->accumulate);
		set->accumulate = 1;
	}
	if (s->warmup.count > 0 && s->warmup.epochs == set->length.epochs &&
	    s->warmup.count > set->length.count)
		ex_error(ex, "settings", setting_of(train, "schedule")->loc, "the warm-up of %g %s "
		    "is longer than the training of %g", s->warmup.count, s->warmup.epochs ?
		    "epochs" : "steps", set->length.count);
}

static void
check_precision(struct expander *ex, const struct settings *set)
{
	const char *name = set->precision == PREC_BF16 ? "bf16" : "tf32";
	struct diag *g;

	if (set->precision != PREC_BF16 && set->precision != PREC_TF32)
		return;
	if (!set->device.given || set->device.arch == 0 || set->device.arch >= ARCH_BF16)
		return;
	g = diag_add(ex->d, SEV_WARNING, "settings", set->precision_loc, "%s has no %s arithmetic "
	    "(sm_%d; it came with sm_%d)", set->device.name ? set->device.name : "the device", name,
	    set->device.arch, ARCH_BF16);
	diag_help(ex->d, g, set->precision == PREC_BF16 ? "use f16, which loses range, or f32" :
	    "use f32");
}

void
settings_read(struct expander *ex, const struct network *net, struct settings *set)
{
	const struct section *train = section_for(ex, SEC_TRAIN, net);
	const struct section *validate = section_for(ex, SEC_VALIDATE, net);
	const struct setting *st;
	bool sizes_known = true;
	int i, j, before;

	*set = (struct settings){ .batch = 32, .accumulate = 1, .length = { 1, true },
		.shuffle = true, .workspace = DEFAULT_WORKSPACE, .batch_loc = net->name.loc };
	optimizer_default(ex, set);
	for (i = 0; train && i < train->nsettings; i++)
		for (j = 0; j < COUNT(readers); j++)
			if (strcmp(train->setting[i].key.text, readers[j].key) == 0) {
				before = ex->d->errors;
				readers[j].read(ex, &train->setting[i], set);
				if (readers[j].read == read_batch || readers[j].read == read_accumulate)
					sizes_known &= ex->d->errors == before;
			}
	check_together(ex, train, set, sizes_known);
	set->validate_batch = set->batch / set->accumulate;
	if ((st = setting_of(validate, "batch")))
		set->validate_fixed = setting_int(ex, st, 1, LARGEST_BATCH, &set->validate_batch);
	device_read(ex, set);
	check_precision(ex, set);
}

void
settings_bind(struct expander *ex, const struct network *net, struct settings *set,
    struct tensor *const *staged, int nstaged)
{
	const struct section *train = section_for(ex, SEC_TRAIN, net);
	const struct section *validate = section_for(ex, SEC_VALIDATE, net);
	const struct setting *st;

	if ((st = setting_of(train, "data")))
		data_read(ex, st, &set->data, staged, nstaged);
	if ((st = setting_of(validate, "data"))) {
		data_read(ex, st, &set->validate_data, staged, nstaged);
		set->validate = set->validate_data.kind != DATA_NONE;
	} else if (validate)
		ex_error(ex, "settings", validate->head, "validate needs data");
	if ((st = setting_of(train, "freeze")))
		freeze_read(ex, st, set);
	if ((st = setting_of(train, "recompute")))
		recompute_read(ex, st, set);
	no_decay_check(ex, set);
}
