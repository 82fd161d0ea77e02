/*
 * What can be set in a train, validate, device or lint section, in one table, and how the values of
 * train's and validate's are read.
 */
#include "lang/expander.h"

#include <math.h>
#include <string.h>

#include "syntax/setting.h"

#define LARGEST_BATCH	INT32_MAX
#define MOST_EPOCHS	1000000000
#define MOST_CHUNKS	INT32_MAX
#define MOST_TRAIN_STEPS	((int64_t)1 << 50)

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

	if (!want_int(ex, &v, st->key.text, min, max, &n))
		return false;
	*out = n;
	return true;
}

/* ---- one by one ---- */

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
read_ranks(struct expander *ex, const struct setting *st, struct settings *set)
{
	setting_int(ex, st, 1, MOST_RANKS, &set->ranks);
	set->ranks_loc = st->loc;
}

static void
read_deterministic(struct expander *ex, const struct setting *st, struct settings *set)
{
	setting_int(ex, st, 1, MOST_BATCH_PARTS, &set->parts);
	set->parts_loc = st->loc;
}

static void
read_shard(struct expander *ex, const struct setting *st, struct settings *set)
{
	struct value v = setting_value(ex, st->value[0]);
	struct diag *g;
	int i;

	if (v.kind == V_POISON)
		return;
	for (i = 0; v.kind == V_WORD && shard_name(i); i++)
		if (!strcmp(shard_name(i), v.text)) {
			set->shard = (enum shard_kind)i;
			set->shard_loc = st->loc;
			return;
		}
	g = ex_error(ex, "settings", v.loc, "shard is optimizer, gradients, parameters or none, not %s",
	    v.kind == V_WORD ? v.text : value_text(ex->a, &v));
	diag_help(ex->d, g, "with shard optimizer each of several ranks keeps its piece of the optimizer's state; with "
	    "shard gradients, of the sums of gradients too; with shard parameters, of the parameters as well");
}

static void
read_validate_batch(struct expander *ex, const struct setting *st, struct settings *set)
{
	set->validate_fixed = setting_int(ex, st, 1, LARGEST_BATCH, &set->validate_batch);
}

static void
read_epochs(struct expander *ex, const struct setting *st, struct settings *set)
{
	int64_t n;

	if (setting_int(ex, st, 1, MOST_EPOCHS, &n))
		set->length = (struct duration){ (double)n, true };
}

static void
read_steps(struct expander *ex, const struct setting *st, struct settings *set)
{
	int64_t n;

	if (setting_int(ex, st, 1, MOST_TRAIN_STEPS, &n))
		set->length = (struct duration){ (double)n, false };
}

static void
read_precision(struct expander *ex, const struct setting *st, struct settings *set)
{
	struct value v = setting_value(ex, st->value[0]);
	const struct precision *p = v.kind == V_WORD ? precision_find(v.text) : NULL;
	struct names names = { NULL, 0, 0 };
	struct text list;
	struct diag *g;

	if (v.kind == V_POISON)
		return;
	if (p) {
		set->precision = p;
		set->precision_loc = st->loc;
		return;
	}
	text_init(&list, ex->a);
	while ((p = precision_next(p))) {
		const char *join = !names.n ? "" : precision_next(p) ? ", " : " and ";

		text_printf(&list, "%s%s", join, p->name);
		names_add(ex->a, &names, p->name);
	}
	g = ex_error(ex, "settings", v.loc, "precision is one of %s, not %s", list.s,
	    v.kind == V_WORD ? v.text : value_text(ex->a, &v));
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
		    v.kind == V_NUMBER && v.size ? "a size in bytes" : value_text(ex->a, &v));

		diag_help(ex->d, g, "leave it out not to clip");
		return;
	}
	set->clip = v.num.real;
}

static void
read_ema(struct expander *ex, const struct setting *st, struct settings *set)
{
	struct value v = setting_value(ex, st->value[0]);

	set->ema_loc = st->loc;
	if (v.kind == V_POISON)
		return;
	if (v.kind != V_NUMBER || v.size || !(v.num.real > 0) || !(v.num.real < 1))
		ex_error(ex, "settings", v.loc, "ema is the share kept in each update, above 0 and below 1, not %s",
		    value_text(ex->a, &v));
	else
		set->ema = v.num.real;
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
read_objective(struct expander *ex, const struct setting *st, struct settings *set)
{
	struct value v = setting_value(ex, st->value[0]);

	if (v.kind == V_POISON)
		return;
	set->objective = OBJECTIVE_SPEED;
	set->objective_loc = st->loc;
	if (v.kind == V_WORD && strcmp(v.text, "memory") == 0) {
		set->objective = OBJECTIVE_MEMORY;
	} else if (v.kind == V_NUMBER && v.size) {
		want_bytes(ex, &v, st->key.text, 1, LARGEST_BYTES, &set->objective_bytes);
	} else if (v.kind != V_WORD || strcmp(v.text, "speed") != 0) {
		ex_error(ex, "settings", v.loc, "objective is memory, speed or a size, within which it is speed: "
		    "objective 20GiB; not %s", v.kind == V_WORD ? v.text : value_text(ex->a, &v));
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
		if (!want_bytes(ex, &v, "workspace", 0, LARGEST_EXTENT, &bytes))
			return;
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
read_patience(struct expander *ex, const struct setting *st, struct settings *set)
{
	setting_int(ex, st, 1, MOST_EPOCHS, &set->patience);
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

/* ---- what speaks of tensors and paths ---- */

static void
bind_freeze(struct expander *ex, const struct setting *st, struct settings *set,
    const struct staged *staged)
{
	(void)staged;
	freeze_read(ex, st, set);
}

static void
bind_update(struct expander *ex, const struct setting *st, struct settings *set,
    const struct staged *staged)
{
	(void)staged;
	turns_read(ex, st, set);
}

static void
bind_groups(struct expander *ex, const struct setting *st, struct settings *set,
    const struct staged *staged)
{
	(void)staged;
	groups_read(ex, st, set);
}

static void
bind_recompute(struct expander *ex, const struct setting *st, struct settings *set,
    const struct staged *staged)
{
	(void)staged;
	recompute_read(ex, st, set);
}

static void
bind_predict(struct expander *ex, const struct setting *st, struct settings *set,
    const struct staged *staged)
{
	(void)set;
	(void)staged;
	predict_read(ex, st);
}

static void
bind_data(struct expander *ex, const struct setting *st, struct settings *set,
    const struct staged *staged)
{
	data_read(ex, st, &set->data, staged->tensor, staged->n);
}

static void
bind_validate_data(struct expander *ex, const struct setting *st, struct settings *set,
    const struct staged *staged)
{
	data_read(ex, st, &set->validate_data, staged->tensor, staged->n);
	set->validate = set->validate_data.reader != NULL;
}

/* ---- the table ---- */

const struct setting_kind setting_kinds[] = {
	{ SEC_TRAIN, "batch", .size = true, .read = read_batch,
	  .doc = "samples per update of the weights; 32 if not given",
	  .values = "32|64|128" },
	{ SEC_TRAIN, "accumulate", .size = true, .read = read_accumulate,
	  .doc = "micro-batches that the batch is divided into, whose gradients are summed for one "
	  "update; 1 if not given",
	  .values = "2|4|8" },
	{ SEC_TRAIN, "ranks", .size = true, .read = read_ranks,
	  .doc = "processes that train together, each on its share of the batch; 1 if not given",
	  .values = "2|4|8" },
	{ SEC_TRAIN, "place", .many = true, .again = true,
	  .doc = "paths of layers that are on the rank behind `on`: ranks are stages, through which micro-batches go",
	  .values = "encoder on 0|stem, layer1 on 0|decoder on 1" },
	{ SEC_TRAIN, "on", .again = true,
	  .doc = "the rank, from 0, of the layers that `place` names before it",
	  .values = "0|1|2" },
	{ SEC_TRAIN, "deterministic", .size = true, .read = read_deterministic,
	  .doc = "parts of the batch, a power of two, whose sums are a tree: as many ranks as divide it, and one alone, have the "
	  "same results to the bit; each has several micro-batches for that",
	  .values = "8|2|4|16" },
	{ SEC_TRAIN, "shard", .read = read_shard,
	  .doc = "what the ranks share out, so that each has but its piece: the optimizer's state, that and the sums of "
	  "gradients, these and parameters, or nothing; none if not given",
	  .values = "optimizer|gradients|parameters|none" },
	{ SEC_TRAIN, "epochs", .read = read_epochs,
	  .doc = "passes over the data; 1 if not given" },
	{ SEC_TRAIN, "steps", .read = read_steps,
	  .doc = "updates in all, in place of epochs" },
	{ SEC_TRAIN, "precision", .read = read_precision,
	  .doc = "what is computed in, and how numbers are stored; f32 if not given" },
	{ SEC_TRAIN, "optimizer", .read = optimizer_read,
	  .doc = "how weights are updated; sgd(lr=0.01) if not given" },
	{ SEC_TRAIN, "update", .many = true, .bind = bind_update,
	  .doc = "the updates of a step, one after the other: paths of parameters, the loss that moves them, the "
	  "optimizer, and in how many steps (every=); one update of everything by all losses if not given",
	  .values = "(generator, loss=g)|(critic, loss=d, optimizer=adam(lr=1e-4))" },
	{ SEC_TRAIN, "groups", .many = true, .bind = bind_groups,
	  .doc = "paths of parameters with a learning rate or a weight decay of their own",
	  .values = "(encoder, lr=1e-4)|(\"*.norm\", weight_decay=0)" },
	{ SEC_TRAIN, "schedule", .read = schedule_read,
	  .doc = "how the learning rate changes; constant if not given",
	  .values = "constant|step(every=30 epochs)|step(at=(30 epochs, 60 epochs))|cosine|cosine(warmup=5 epochs)|"
	  "linear|polynomial(power=2)|inverse_sqrt(warmup=4000 steps)|onecycle|plateau(patience=10)" },
	{ SEC_TRAIN, "patience", .read = read_patience,
	  .doc = "epochs without a lower validation loss, after which training ends; it does not if not given",
	  .values = "5|10" },
	{ SEC_TRAIN, "clip", .read = read_clip,
	  .doc = "scales all gradients down together if their joint norm exceeds this; not clipped "
	  "if not given",
	  .values = "1.0" },
	{ SEC_TRAIN, "ema", .read = read_ema,
	  .doc = "share kept in each update of running averages of the weights, with which is validated; none if not "
	  "given",
	  .values = "0.999|0.9999" },
	{ SEC_TRAIN, "chunk_loss", .read = read_chunk_loss,
	  .doc = "whether the last dense layer computes its outputs some rows at a time, so that "
	  "they never exist all at once; auto if not given",
	  .values = "auto|none" },
	{ SEC_TRAIN, "workspace", .read = read_workspace,
	  .doc = "memory that cuBLASLt and cuDNN may use for one product or convolution of a CUDA "
	  "program; 4MiB if not given",
	  .values = "4MiB|none" },
	{ SEC_TRAIN, "objective", .read = read_objective,
	  .doc = "what a program's plan is for: the least memory, or the most speed within the device's memory or "
	  "a size; memory if not given",
	  .values = "memory|speed|20GiB" },
	{ SEC_TRAIN, "freeze", .many = true, .bind = bind_freeze,
	  .doc = "paths of parameters and running statistics that stay as they are" },
	{ SEC_TRAIN, "recompute", .many = true, .bind = bind_recompute,
	  .doc = "which activations are recomputed in backward instead of being kept; cheap if not given",
	  .values = "cheap|auto|none|auto(8GiB)" },
	{ SEC_TRAIN, "data", .bind = bind_data,
	  .doc = "where the samples come from" },
	{ SEC_TRAIN, "seed", .read = read_seed,
	  .doc = "for initial weights, shuffling and dropout; 0 if not given" },
	{ SEC_TRAIN, "shuffle", .read = read_shuffle,
	  .doc = "whether each epoch visits the samples in a new order; true if not given",
	  .values = "true|false" },
	{ SEC_VALIDATE, "batch", .read = read_validate_batch,
	  .doc = "samples processed at once; train's micro-batch if not given" },
	{ SEC_VALIDATE, "data", .bind = bind_validate_data,
	  .doc = "the validation data; required" },
	{ SEC_VALIDATE, "predict", .many = true, .bind = bind_predict,
	  .doc = "what the network defines that the program's --predict NAME=FILE can write, beside its output",
	  .values = "features" },
	{ SEC_DEVICE, "name", .device = device_name,
	  .doc = "a card of the table of GPUs, which lists memory and architecture" },
	{ SEC_DEVICE, "memory", .device = device_memory,
	  .doc = "the usable memory, in place of that in the table",
	  .values = "8GiB|24GiB|80GiB" },
	{ SEC_DEVICE, "arch", .device = device_arch,
	  .doc = "the architecture, in place of that in the table",
	  .values = "sm_80|sm_90" },
	/* the linter reads these itself (lint/config.c); here they are words of the language */
	{ SEC_LINT, "select", .many = true,
	  .doc = "only these rules or families" },
	{ SEC_LINT, "ignore", .many = true,
	  .doc = "all but these rules or families" },
	{ SEC_LINT, "note", .many = true,
	  .doc = "findings of these rules or families are notes" },
	{ SEC_LINT, "warning", .many = true,
	  .doc = "findings of these rules or families are warnings" },
	{ SEC_LINT, "error", .many = true,
	  .doc = "findings of these rules or families are errors" },
	{ SEC_LINT, "as", .many = true,
	  .doc = "frameworks whose memory is forecast too" },
	{ SEC_LINT, "fail_on", .many = true,
	  .doc = "the least severity that fails a run; of project files",
	  .values = "error|warning|note|never" },
	{ SEC_LINT, "require_reason", .many = true,
	  .doc = "whether a comment that suppresses findings must say why; of project files",
	  .values = "true|false" },
	{ SEC_LINT, "inline_suppressions", .many = true,
	  .doc = "whether specs may suppress findings; of project files",
	  .values = "true|false" },
	{ SEC_LINT, "exclude", .many = true,
	  .doc = "patterns of files that are left out; of project files" },
	{ SEC_LINT, "baseline", .many = true,
	  .doc = "a file of findings that are left out; of project files" },
	{ .key = NULL }
};

const struct setting_kind *
setting_kind(enum section_kind section, const char *key)
{
	const struct setting_kind *k;

	for (k = setting_kinds; k->key; k++)
		if (k->section == section && strcmp(k->key, key) == 0)
			return k;
	return NULL;
}
