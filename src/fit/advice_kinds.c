/*
 * The kinds of edits, by harm. To add one, write a record: the values it may take for a network,
 * from mild to strong; amend(), which writes one into the spec's text with amend.h; a title; and a
 * note on what it changes. Whether it helps is not decided here: advice.c compiles and plans the
 * edited spec, searches the values, combines the edit with others and ranks it by its harm.
 */
#include "fit/advice.h"

#include <stdlib.h>
#include <string.h>

#include "target/gpu.h"
#include "fit/advice_kinds.h"
#include "ir/op.h"

static int64_t *
list_of(struct advisor *v, int n, const int64_t *value)
{
	int64_t *list = arena_array(v->arena, (size_t)n + 1, sizeof(*list));

	memcpy(list, value, (size_t)n * sizeof(*list));
	return list;
}

/* One value where OFFERED, else none. */
static int64_t *
single(struct advisor *v, bool offered, int64_t value, int *n)
{
	*n = offered;
	return list_of(v, 1, &value);
}

static const char *
number(struct advisor *v, int64_t n)
{
	return arena_printf(v->arena, "%lld", (long long)n);
}

/* ---- validation's own batch ---- */

static int64_t *
validate_values(struct advisor *v, int *n)
{
	VEC(int64_t) half = { NULL, 0, 0 };
	int64_t b = v->module->plan->validate_batch;

	*n = 0;
	if (!v->fit->validation)
		return NULL;
	while ((b /= 2) > 0)
		vec_push(v->arena, &half, b);
	*n = half.n;
	return half.v;
}

static bool
validate_amend(struct advisor *v, struct amend *m, int64_t value)
{
	return amend_set(m, SEC_VALIDATE, "batch", number(v, value), NULL);
}

static const char *
validate_title(struct advisor *v, int64_t value)
{
	return arena_printf(v->arena, "validate in batches of %lld", (long long)value);
}

static const char *
validate_note(struct advisor *v, int64_t value)
{
	(void)v, (void)value;
	return "validation gives the same results in smaller batches";
}

/* ---- the head and its loss in chunks ---- */

static int64_t *
chunk_values(struct advisor *v, int *n)
{
	return single(v, v->module->train && v->module->set.chunk_loss != CHUNK_AUTO, 0, n);
}

static bool
chunk_amend(struct advisor *v, struct amend *m, int64_t value)
{
	(void)v, (void)value;
	return amend_set(m, SEC_TRAIN, "chunk_loss", "auto", "optimizer");
}

static const char *
chunk_title(struct advisor *v, int64_t value)
{
	(void)v, (void)value;
	return "compute the loss in chunks";
}

static const char *
chunk_note(struct advisor *v, int64_t value)
{
	(void)v, (void)value;
	return "the same results: the logits are never there all at once";
}

/* ---- state that ranks share out ---- */

static int64_t *
shard_values(struct advisor *v, int *n)
{
	const struct settings *set = &v->module->set;
	int64_t *value = arena_array(v->arena, SHARDS, sizeof(*value));
	int i;

	*n = 0;
	if (module_ranks(v->module) <= 1 || set->splits || !settings_may_share_out(set))
		return value;
	for (i = (int)set->shard + 1; i < SHARDS; i++)
		if (i != SHARD_GRADIENTS || settings_keep_gradients(set))	/* else they save nothing by themselves */
			value[(*n)++] = i;
	return value;
}

static bool
shard_amend(struct advisor *v, struct amend *m, int64_t value)
{
	(void)v;
	return amend_set(m, SEC_TRAIN, "shard", shard_name((int)value), "ranks");
}

static const char *
shard_title(struct advisor *v, int64_t value)
{
	static const char *const what[SHARDS] = {
		[SHARD_OPTIMIZER] = "the optimizer's state", [SHARD_GRADIENTS] = "the optimizer's state and gradients",
		[SHARD_PARAMETERS] = "the optimizer's state, gradients and parameters",
	};

	return arena_printf(v->arena, "share %s out to the %lld ranks", what[value], (long long)v->module->set.ranks);
}

static const char *
shard_note(struct advisor *v, int64_t value)
{
	const struct settings *set = &v->module->set;
	bool micro = value >= SHARD_GRADIENTS && set->accumulate > 1;
	const char *same = set->parts ? "to the bit" : "but for rounding";

	if (micro && set->precision->element != set->precision->element->real)	/* see append_updates() of passes/update.c */
		return value >= SHARD_PARAMETERS ?
		    "gradients of every micro-batch are added up over ranks in 16 bits, without it in f32; half as much again is sent" :
		    "gradients of every micro-batch are sent, and added up over ranks in 16 bits, without it in f32";
	return arena_printf(v->arena, "the same updates %s: %s", same, value >= SHARD_PARAMETERS ?
	    "each rank sends half as much again, gathering what a layer reads before it" : micro ?
	    "gradients of every micro-batch are added up over ranks, and sent" :
	    "each rank makes its part of them, and sends hardly more");
}

/* ---- accumulation ---- */

static int
ascending(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

/* Those that come in pairs with a divisor above 2^20 are too many to search, and no one wants that
 * many micro-batches. */
int64_t *
divisors_above(struct arena *a, int64_t batch, int64_t from, int *n)
{
	VEC(int64_t) all = { NULL, 0, 0 };
	int64_t i;

	for (i = 1; i <= (1 << 20) && i <= batch / i; i++) {
		if (batch % i)
			continue;
		if (i > from)
			vec_push(a, &all, i);
		if (batch / i > from && batch / i != i)
			vec_push(a, &all, batch / i);
	}
	if (all.n)
		qsort(all.v, (size_t)all.n, sizeof(*all.v), ascending);
	*n = all.n;
	return all.v;
}

static int64_t *
accumulate_values(struct advisor *v, int *n)
{
	const struct settings *set = &v->module->set;

	*n = 0;
	return v->module->train && !set->parts ? divisors_above(v->arena, settings_rank_batch(set), set->accumulate, n) : NULL;
}

static bool
accumulate_amend(struct advisor *v, struct amend *m, int64_t value)
{
	return amend_set(m, SEC_TRAIN, "accumulate", number(v, value), "batch");
}

static const char *
accumulate_title(struct advisor *v, int64_t value)
{
	return arena_printf(v->arena, "accumulate %lld micro-batches of %lld", (long long)value,
	    (long long)(settings_rank_batch(&v->module->set) / value));
}

static const char *
accumulate_note(struct advisor *v, int64_t value)
{
	int64_t samples = settings_rank_batch(&v->module->set) / value;

	if (v->batch_statistics)
		return arena_printf(v->arena, "the update stays one of %lld samples, but batch "
		    "normalisation takes its statistics over %lld%s",
		    (long long)v->module->set.batch, (long long)samples, samples < 8 ?
		    ", which is few" : "");
	return arena_printf(v->arena, "the same update of %lld samples, up to rounding",
	    (long long)v->module->set.batch);
}

/* ---- recomputation ---- */

#define AUTO	1

static int64_t *
recompute_values(struct advisor *v, int *n)
{
	static const int64_t both[] = { 0, AUTO };
	const struct settings *set = &v->module->set;
	bool within = set->recompute == RECOMPUTE_AUTO && set->recompute_budget > 0 &&
	    set->recompute_budget <= v->fit->limit;
	int from = set->recompute != RECOMPUTE_NONE;

	*n = !v->module->train || within || v->fit->limit == 0 ? 0 : 2 - from;
	return list_of(v, *n, both + from);
}

/* The device's memory where that is what counts, else a size, rounded down where that is small. */
static const char *
budget_text(struct advisor *v)
{
	const struct device *d = &v->module->set.device;
	int64_t limit = v->fit->limit, mib = limit >> 20;

	if (d->given && d->memory == limit)
		return "auto";
	return mib >= 1000 || mib << 20 == limit ? arena_printf(v->arena, "auto(%lldMiB)", (long long)mib) :
	    arena_printf(v->arena, "auto(%lldB)", (long long)limit);
}

static bool
recompute_amend(struct advisor *v, struct amend *m, int64_t value)
{
	return amend_set(m, SEC_TRAIN, "recompute", value == AUTO ? budget_text(v) : "cheap",
	    "optimizer");
}

static const char *
recompute_title(struct advisor *v, int64_t value)
{
	(void)v;
	return value == AUTO ? "recompute activations" : "recompute what is cheap";
}

static const char *
recompute_note(struct advisor *v, int64_t value)
{
	(void)v, (void)value;
	return "the same results: part of forward runs again in backward";
}

/* ---- precision ---- */

/* The narrower precision that the card has; NULL: there is none. */
static const struct precision *
narrower(const struct advisor *v)
{
	int arch = v->module->set.device.given ? v->module->set.device.arch : 0;
	const struct precision *p = v->module->set.precision->narrower;

	while (p && !precision_runs_on(p, arch))
		p = p->instead;
	return p;
}

static int64_t *
precision_values(struct advisor *v, int *n)
{
	return single(v, narrower(v) != NULL, 0, n);
}

static bool
precision_amend(struct advisor *v, struct amend *m, int64_t value)
{
	(void)value;
	return amend_set(m, SEC_TRAIN, "precision", narrower(v)->name, "optimizer");
}

static const char *
precision_title(struct advisor *v, int64_t value)
{
	(void)value;
	return arena_printf(v->arena, "compute in %s", narrower(v)->name);
}

static const char *
precision_note(struct advisor *v, int64_t value)
{
	(void)value;
	return narrower(v)->note;
}

/* ---- optimizer ---- */

enum { WITH_MOMENTUM, WITHOUT_STATE };

static bool
keeps_state(const struct module *m)
{
	int i;

	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->kind == T_OPTIMIZER)
			return true;
	return false;
}

static int64_t *
optimizer_values(struct advisor *v, int *n)
{
	static const int64_t both[] = { WITH_MOMENTUM, WITHOUT_STATE };
	const struct op *op = v->module->set.optimizer;
	bool plain;

	*n = 0;
	if (!v->module->train || !op || !keeps_state(v->module))
		return NULL;
	plain = strcmp(op->name, "sgd") == 0;	/* what is left of it is less state */
	*n = plain ? 1 : 2;
	return list_of(v, *n, both + plain);
}

/* Arguments that mean the same to sgd: as they are written. */
static void
keep_args(struct text *t, const struct expr *e, const struct op *op)
{
	static const char *const kept[] = { "lr", "weight_decay", "no_decay" };
	int i, shown = 0;
	size_t k;

	for (i = 0; e->kind == E_CALL && i < e->nargs; i++) {
		const struct expr *x = e->arg[i].value;
		const char *name = e->arg[i].name;

		if (!name && i < op_nattrs(op))
			name = op->attrs[i].name;
		for (k = 0; name && k < sizeof(kept) / sizeof(*kept); k++)
			if (strcmp(name, kept[k]) == 0) {
				text_printf(t, "%s%s=", shown++ ? ", " : "", name);
				text_add(t, x->loc.src->text + x->loc.beg,
				    (size_t)(x->loc.end - x->loc.beg));
			}
	}
}

static bool
optimizer_amend(struct advisor *v, struct amend *m, int64_t value)
{
	const struct setting *st = amend_find(m, SEC_TRAIN, "optimizer");
	struct text t;

	if (!st || (st->value[0]->kind != E_CALL && st->value[0]->kind != E_NAME))
		return false;
	text_init(&t, v->arena);
	text_puts(&t, "sgd(");
	keep_args(&t, st->value[0], v->module->set.optimizer);
	if (value == WITH_MOMENTUM)
		text_printf(&t, "%smomentum=0.9", t.n > 4 ? ", " : "");
	text_puts(&t, ")");
	return amend_set(m, SEC_TRAIN, "optimizer", t.n == 5 ? "sgd" : t.s, NULL);
}

static const char *
optimizer_title(struct advisor *v, int64_t value)
{
	return arena_printf(v->arena, "sgd %s in place of %s", value == WITH_MOMENTUM ?
	    "with momentum" : "without momentum",
	    strcmp(v->module->set.optimizer->name, "sgd") == 0 ? "momentum" :
	    v->module->set.optimizer->name);
}

static const char *
optimizer_note(struct advisor *v, int64_t value)
{
	(void)v, (void)value;
	return "another course of training: its learning rate must be found anew";
}

/* ---- the batch itself ---- */

static int64_t *
batch_values(struct advisor *v, int *n)
{
	int64_t most = v->fit->largest.batch;

	return single(v, most > 0 && most < v->fit->wanted, most, n);
}

bool
advice_amend_batch(struct advisor *v, struct amend *m, int64_t value)
{
	const struct settings *set = &v->module->set;

	if (!v->module->train && set->validate_fixed)
		return amend_set(m, SEC_VALIDATE, "batch", number(v, value), NULL);
	return amend_set(m, SEC_TRAIN, "batch", number(v, value * settings_shares(set)), NULL);
}

static const char *
batch_title(struct advisor *v, int64_t value)
{
	int64_t shares = settings_shares(&v->module->set);

	if (shares > 1)
		return arena_printf(v->arena, "batch %lld, %lld at a time", (long long)(value * shares), (long long)value);
	return arena_printf(v->arena, "batch %lld", (long long)value);
}

static const char *
batch_note(struct advisor *v, int64_t value)
{
	(void)value;
	return v->module->train ? "updates of fewer samples: the learning rate may have to follow" :
	    "the same results in smaller batches";
}

const struct advice_kind advice_kinds[] = {
	{ .name = "validate", .harm = HARM_NONE, .keeps_update = true,
	  .values = validate_values, .amend = validate_amend,
	  .title = validate_title, .note = validate_note },
	{ .name = "chunk-loss", .harm = HARM_NONE, .keeps_update = true,
	  .values = chunk_values, .amend = chunk_amend,
	  .title = chunk_title, .note = chunk_note },
	{ .name = "shard", .harm = HARM_NONE, .keeps_update = true,
	  .values = shard_values, .amend = shard_amend,
	  .title = shard_title, .note = shard_note },
	{ .name = "accumulate", .harm = HARM_NONE, .keeps_update = true, .splits = true,
	  .values = accumulate_values, .amend = accumulate_amend,
	  .title = accumulate_title, .note = accumulate_note },
	{ .name = "recompute", .harm = HARM_TIME, .keeps_update = true,
	  .values = recompute_values, .amend = recompute_amend,
	  .title = recompute_title, .note = recompute_note },
	{ .name = "precision", .harm = HARM_ROUNDING, .keeps_update = true,
	  .values = precision_values, .amend = precision_amend,
	  .title = precision_title, .note = precision_note },
	{ .name = "optimizer", .harm = HARM_TRAINING, .keeps_update = true,
	  .values = optimizer_values, .amend = optimizer_amend,
	  .title = optimizer_title, .note = optimizer_note },
	{ .name = "batch", .harm = HARM_TRAINING, .splits = true, .sets_batch = true,
	  .values = batch_values, .amend = advice_amend_batch,
	  .title = batch_title, .note = batch_note },
	{ .name = "freeze", .harm = HARM_LAYERS, .keeps_update = true,
	  .values = freeze_values, .amend = freeze_amend,
	  .title = freeze_title, .note = freeze_note },
	{ .name = "resize", .harm = HARM_DATA, .keeps_update = true,
	  .values = resize_values, .amend = resize_amend,
	  .title = resize_title, .note = resize_note },
	{ .name = "greyscale", .harm = HARM_DATA, .keeps_update = true,
	  .values = grey_values, .amend = grey_amend,
	  .title = grey_title, .note = grey_note },
	{ .name = NULL }
};
