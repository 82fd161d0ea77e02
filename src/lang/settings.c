/*
 * The train and validate sections of a network, checked, with defaults for what they leave out.
 * Precision and batch are read before the network is expanded, since tensors are made in that
 * precision; path patterns and data afterwards, since both refer to what was expanded. What
 * settings there are, and how each is read, is the table of setting_values.c.
 */
#include "lang/expander.h"

#include <string.h>

#include "ir/split.h"
#include "target/gpu.h"
#include "syntax/setting.h"
#include "syntax/words.h"

static const char *const section_name[] = {
	[SEC_TRAIN] = "train", [SEC_VALIDATE] = "validate", [SEC_DEVICE] = "device",
	[SEC_LINT] = "lint",
};

/* ---- once per file ---- */

static void
unknown(struct expander *ex, const struct section *s, const struct setting *st)
{
	struct names names = { NULL, 0, 0 };
	const struct setting_kind *k;
	struct diag *g;
	struct text t;
	int i;

	if (strcmp(st->key.text, "metric") == 0) {
		ex_error(ex, "settings", st->key.loc, "a metric is written in the network, not in "
		    "%s", section_name[s->kind]);
		return;
	}
	g = ex_error(ex, "settings", st->key.loc, "%s has no setting '%s'", section_name[s->kind],
	    st->key.text);
	if (word_elsewhere(st->key.text, false)) {
		diag_help(ex->d, g, "%s", word_elsewhere(st->key.text, false));
		return;
	}
	for (k = setting_kinds; k->key; k++)
		if (k->section == s->kind)
			names_add(ex->a, &names, k->key);
	if (names_suggest(ex, g, st->key.text, &names))
		return;
	text_init(&t, ex->a);
	for (i = 0; i < names.n; i++)
		text_printf(&t, "%s%s", i ? ", " : "", names.v[i]);
	diag_help(ex->d, g, "it has: %s", t.s);
}

static void
check_keys(struct expander *ex, const struct section *s)
{
	struct map set = { NULL, 0, 0, NULL, 0 };
	const struct setting *first;
	int i;

	for (i = 0; i < s->nsettings; i++) {
		struct setting *st = &s->setting[i];
		const struct setting_kind *kind = setting_kind(s->kind, st->key.text);

		if (!kind) {
			unknown(ex, s, st);
			continue;
		}
		if (!kind->again && (first = map_get(&set, st->key.text)))
			diag_place(ex->d, ex_error(ex, "settings", st->key.loc, "'%s' is set twice",
			    st->key.text), first->key.loc, "first set here");
		else if (!kind->again)
			map_put(ex->a, &set, st->key.text, st);
		if (st->nvalues > 1 && !kind->many)
			ex_error(ex, "settings", st->value[1]->loc, "'%s' takes one value",
			    st->key.text);
	}
}

static void
check_name(struct expander *ex, const struct section *s, const struct map *networks)
{
	struct names names = { NULL, 0, 0 };
	struct diag *g;

	if (!s->name.text || s->kind == SEC_DEVICE || s->kind == SEC_LINT ||
	    map_get(networks, s->name.text))
		return;
	g = ex_error(ex, "name", s->name.loc, "this file has no network '%s'", s->name.text);
	if (!names_wanted(ex, networks->n))
		return;
	names_add_map(ex->a, &names, networks);
	names_suggest(ex, g, s->name.text, &names);
}

static void
check_twice(struct expander *ex, const struct section *s)
{
	const struct section *first = file_first_section(ex->spec->file, s->kind, s->name.text);

	if (first != s)
		diag_place(ex->d, ex_error(ex, "settings", s->head, "there is a second %s "
		    "section%s%s", section_name[s->kind], s->name.text ? " " : "",
		    s->name.text ? s->name.text : ""), first->head, "the first is here");
}

void
sections_check(struct expander *ex)
{
	const struct file *f = ex->spec->file;
	int i;

	for (i = 0; i < f->sections.n; i++) {
		const struct section *s = f->sections.v[i];

		check_name(ex, s, &f->network_named);
		if (s->kind != SEC_LINT)	/* those are read by the linter */
			check_keys(ex, s);
		check_twice(ex, s);
	}
}

/* ---- a network's sections ---- */

/* The section of that kind for this network: by its name, else the unnamed one. In a file of one
 * network a section with another name (reported by check_name) can only be meant for it, so its
 * settings are checked in the same run. */
static const struct section *
section_for(struct expander *ex, enum section_kind kind, const struct network *net)
{
	const struct file *f = ex->spec->file;
	const struct section *found = file_first_section(f, kind, net->name.text);
	const struct map *named = &f->section_named[kind];

	if (!found)
		found = file_first_section(f, kind, NULL);
	if (!found && named->n > 0 && f->networks.n == 1)
		found = named->entry[named->n - 1].value;
	return found;
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
check_together(struct expander *ex, const struct section *train, struct settings *set)
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
	if (!ex->sizes_known)	/* batch or accumulate is a default, in place of a mistake */
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

static bool
is_power_of_two(int64_t n)
{
	return n > 0 && (n & (n - 1)) == 0;
}

/* What says why sums of parts of the batch cannot be the same for every number of ranks; NULL: they
 * can. */
static struct diag *
parts_fail(struct expander *ex, const struct setting *accumulate, const struct settings *set)
{
	struct loc loc = set->parts_loc;
	int64_t ranks = settings_ranks(set);
	struct diag *g;

	if (!is_power_of_two(set->parts) || set->parts < 2) {
		g = ex_error(ex, "settings", loc, "deterministic is a number of parts that is a power of two from 2 on, not %lld",
		    (long long)set->parts);
		diag_help(ex->d, g, "their sums are a binary tree: 8 is for 1, 2, 4 and 8 ranks");
	} else if (ex->opt->any_order) {
		g = ex_error(ex, "settings", loc, "deterministic asks for the same bits on any number of ranks, and --nondeterministic "
		    "lets them differ from run to run");
		diag_help(ex->d, g, "leave one of them out");
	} else if (set->batch % set->parts != 0) {
		g = ex_error(ex, "settings", loc, "deterministic makes %lld parts of the batch, which do not divide %lld",
		    (long long)set->parts, (long long)set->batch);
		diag_help(ex->d, g, "a batch that they divide, or `deterministic` of fewer");
	} else if (set->parts % ranks != 0) {
		g = ex_error(ex, "settings", loc, "%lld ranks do not divide the %lld parts of deterministic", (long long)ranks,
		    (long long)set->parts);
		diag_help(ex->d, g, is_power_of_two(ranks) ? "deterministic %lld has a part for each" :
		    "a power of two of ranks: of %lld the parts would be added up in another order", (long long)ranks);
	} else if (accumulate && set->accumulate > 1) {
		g = ex_error(ex, "settings", accumulate->loc, "with deterministic the batch is %lld parts, which each rank makes "
		    "one after the other: accumulate would divide it another way", (long long)set->parts);
		diag_help(ex->d, g, "leave accumulate out; more parts are smaller micro-batches");
	} else if (precision_is_narrow(set->precision) || set->precision->scales_loss) {
		g = ex_error(ex, "settings", loc, "%s rounds gradients that go between ranks, but not those that one rank adds up: "
		    "their sums cannot be the same", set->precision->name);
		diag_help(ex->d, g, "precision f32 or tf32, or leave deterministic out: in C the same number of ranks has the "
		    "same bits again anyway");
	} else {
		return NULL;
	}
	return g;
}

static void
check_parts(struct expander *ex, const struct setting *accumulate, struct settings *set)
{
	if (ex->opt->deterministic && !set->parts) {
		set->parts = USUAL_PARTS;
		set->parts_loc = set->batch_loc;
	}
	if (!set->parts)
		return;
	if (parts_fail(ex, accumulate, set))
		set->parts = 0;
	else
		set->accumulate = set->parts / settings_ranks(set);
}

static void
check_ranks(struct expander *ex, const struct setting *accumulate, struct settings *set)
{
	if (ex->opt->ranks)
		set->ranks = ex->opt->ranks;
	if (ex->opt->shard)
		set->shard = (enum shard_kind)(ex->opt->shard - 1);
	if (ex->opt->shard || !set->shard_loc.src)
		set->shard_loc = set->batch_loc;
	if (ex->sizes_known)
		check_parts(ex, accumulate, set);
}

/* Each rank has as many samples of a micro-batch as the others, if they share them out. */
static void
check_batch(struct expander *ex, const struct setting *accumulate, struct settings *set)
{
	int64_t shares = settings_shares(set), below;
	struct diag *g;

	if (set->batch % shares == 0)
		return;
	below = set->batch / shares * shares;
	if (ex->sizes_known) {
		g = ex_error(ex, "settings", set->ranks_loc.src && !ex->opt->ranks ? set->ranks_loc : set->batch_loc,
		    "%lld ranks do not divide batch %lld%s", (long long)set->ranks, (long long)set->batch,
		    accumulate ? arena_printf(ex->a, ", of which accumulate makes %lld micro-batches",
		    (long long)set->accumulate) : "");
		diag_help(ex->d, g, "batch is samples per update, on all ranks together: batch %lld is %lld on each%s",
		    (long long)(below ? below : shares), (long long)((below ? below : shares) / settings_ranks(set)),
		    below ? arena_printf(ex->a, ", batch %lld is %lld", (long long)(below + shares),
		    (long long)((below + shares) / settings_ranks(set))) : "");
	}
	set->ranks = 0;
}

/* Where a layer says so, ranks share layers and no samples. */
static void
check_split(struct expander *ex, struct settings *set)
{
	const struct op *whole = settings_unshared(set);
	const struct node *n, *in_body = NULL;
	const char *what;
	int i;

	n = split_first(ex->m->forward);
	set->splits = n != NULL;
	for (i = 0; i < ex->m->bodies.n && !in_body; i++)
		in_body = split_first(ex->m->bodies.v[i]);
	if (settings_ranks(set) <= 1 || (!n && !in_body))
		return;
	if (in_body) {
		diag_help(ex->d, ex_error(ex, "settings", ex_place(ex, in_body->loc), "'%s' is run many times by another layer: its weights "
		    "cannot be split over ranks yet", in_body->path), "leave split out here");
		set->ranks = 0;
		return;
	}
	what = set->shard != SHARD_NONE ? "shard: it would cut weights, and their state, into pieces of its own" :
	    set->parts ? "deterministic: its parts are of the batch, which ranks do not share out then" :
	    set->ema > 0 ? "ema yet: its running averages are of whole weights" :
	    whole ? arena_printf(ex->a, "%s: it looks at more of a parameter than a rank's part of it", whole->name) :
	    settings_adds_up_norms(set) ? "lamb yet: its norms are of whole parameters" : NULL;
	if (!what)
		return;
	diag_help(ex->d, ex_error(ex, "settings", ex_place(ex, n->loc), "layers that are split over ranks (split=ranks) do not go with "
	    "%s", what), "leave one of them out");
	set->ranks = 0;
	set->shard = SHARD_NONE;
}

static void
check_shard(struct expander *ex, struct settings *set)
{
	const struct op *whole = settings_unshared(set);
	struct loc loc = set->shard_loc;
	struct diag *g = NULL;

	if (settings_shards(set) <= 1)
		return;
	if (whole) {
		g = ex_error(ex, "settings", loc, "%s looks at more of a parameter than a rank's piece of it: its state cannot "
		    "be shared out yet", whole->name);
		diag_help(ex->d, g, "use an optimizer that updates each weight by itself, such as adamw, or leave shard out");
	} else if (!settings_may_share_out(set)) {
		g = ex_error(ex, "settings", loc, "with deterministic %s adds up squares of %d pieces of each %s, of which each of %lld ranks "
		    "would have less than one", set->clip > 0 ? "clip" : "lamb", NORM_PIECES, set->clip > 0 ? "gradient" : "parameter",
		    (long long)set->ranks);
		diag_help(ex->d, g, "leave shard out, or deterministic");
	}
	if (g)
		set->shard = SHARD_NONE;
}

static void
check_precision(struct expander *ex, struct settings *set)
{
	const struct precision *p = set->precision;
	struct diag *g;

	if (set->ema > 0 && precision_is_narrow(p)) {
		g = ex_error(ex, "settings", set->ema_loc, "%s has too few digits for a running average of weights",
		    p->name);
		diag_help(ex->d, g, "use precision f32 or tf32, or leave ema out");
		set->ema = 0;
	}

	if (set->ema > 0 && set->ema < 0.5) {
		g = diag_add(ex->d, SEV_WARNING, "settings", set->ema_loc, "ema %g keeps %g of the averages in an update: they are "
		    "little but the last weights", set->ema, set->ema);
		diag_help(ex->d, g, "it is the share that is kept, as 0.999");
	}
	if (!set->device.given || precision_runs_on(p, set->device.arch))
		return;
	g = diag_add(ex->d, SEV_WARNING, "settings", set->precision_loc, "%s has no %s arithmetic "
	    "(sm_%d; it came with sm_%d)", set->device.name ? set->device.name : "the device",
	    p->name, set->device.arch, p->arch);
	diag_help(ex->d, g, "%s", p->too_old);
}

/* What of that section is read before the network is expanded; false where a size is wrong. */
static bool
read_section(struct expander *ex, const struct section *s, struct settings *set)
{
	const struct setting_kind *kind;
	bool sizes_known = true;
	int i, before;

	for (i = 0; s && i < s->nsettings; i++) {
		kind = setting_kind(s->kind, s->setting[i].key.text);
		if (!kind || !kind->read)
			continue;
		before = ex->d->errors;
		kind->read(ex, &s->setting[i], set);
		sizes_known &= !kind->size || ex->d->errors == before;
	}
	return sizes_known;
}

void
settings_read(struct expander *ex, const struct network *net, struct settings *set)
{
	const struct section *train = section_for(ex, SEC_TRAIN, net);

	*set = (struct settings){ .batch = 32, .accumulate = 1, .length = { 1, true },
		.precision = &precision_f32,
		.shuffle = true, .workspace = DEFAULT_WORKSPACE, .batch_loc = net->name.loc, .any_order = ex->opt->any_order };
	optimizer_default(ex, set);
	ex->sizes_known = read_section(ex, train, set);
	check_together(ex, train, set);
	check_ranks(ex, setting_of(train, "accumulate"), set);
	read_section(ex, section_for(ex, SEC_VALIDATE, net), set);
	device_read(ex, set);
	check_precision(ex, set);
}

void
settings_bind(struct expander *ex, const struct network *net, struct settings *set,
    struct tensor *const *staged, int nstaged)
{
	const struct section *validate = section_for(ex, SEC_VALIDATE, net);
	const struct staged all = { staged, nstaged };
	const struct setting_kind *kind;
	const struct setting *st;

	for (kind = setting_kinds; kind->key; kind++)
		if (kind->bind && (st = setting_of(section_for(ex, kind->section, net), kind->key)))
			kind->bind(ex, st, set, &all);
	if (validate && !setting_of(validate, "data"))
		ex_error(ex, "settings", validate->head, "validate needs data");
	turns_check(ex, set);
	places_read(ex, section_for(ex, SEC_TRAIN, net), set);
	check_split(ex, set);
	check_batch(ex, setting_of(section_for(ex, SEC_TRAIN, net), "accumulate"), set);
	if (!set->validate_fixed)
		set->validate_batch = settings_micro_batch(set);
	check_shard(ex, set);
	no_decay_check(ex, set);
}
