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

	if (v.kind == V_NUMBER && v.size) {
		ex_error(ex, "settings", v.loc, "%s is a count, not a size in bytes", st->key.text);
		return false;
	}
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

/* ---- what speaks of tensors and paths ---- */

static void
bind_freeze(struct expander *ex, const struct setting *st, struct settings *set,
    const struct staged *staged)
{
	(void)staged;
	freeze_read(ex, st, set);
}

static void
bind_recompute(struct expander *ex, const struct setting *st, struct settings *set,
    const struct staged *staged)
{
	(void)staged;
	recompute_read(ex, st, set);
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
	{ SEC_TRAIN, "batch", .size = true, .read = read_batch },
	{ SEC_TRAIN, "accumulate", .size = true, .read = read_accumulate },
	{ SEC_TRAIN, "epochs", .read = read_epochs },
	{ SEC_TRAIN, "steps", .read = read_steps },
	{ SEC_TRAIN, "precision", .read = read_precision },
	{ SEC_TRAIN, "optimizer", .read = optimizer_read },
	{ SEC_TRAIN, "schedule", .read = schedule_read },
	{ SEC_TRAIN, "clip", .read = read_clip },
	{ SEC_TRAIN, "chunk_loss", .read = read_chunk_loss },
	{ SEC_TRAIN, "workspace", .read = read_workspace },
	{ SEC_TRAIN, "freeze", .many = true, .bind = bind_freeze },
	{ SEC_TRAIN, "recompute", .many = true, .bind = bind_recompute },
	{ SEC_TRAIN, "data", .bind = bind_data },
	{ SEC_TRAIN, "seed", .read = read_seed },
	{ SEC_TRAIN, "shuffle", .read = read_shuffle },
	{ SEC_VALIDATE, "batch", .read = read_validate_batch },
	{ SEC_VALIDATE, "data", .bind = bind_validate_data },
	{ SEC_DEVICE, "name", .device = device_name },
	{ SEC_DEVICE, "memory", .device = device_memory },
	{ SEC_DEVICE, "arch", .device = device_arch },
	/* the linter reads these itself (lint/config.c); here they are words of the language */
	{ SEC_LINT, "select", .many = true },
	{ SEC_LINT, "ignore", .many = true },
	{ SEC_LINT, "note", .many = true },
	{ SEC_LINT, "warning", .many = true },
	{ SEC_LINT, "error", .many = true },
	{ SEC_LINT, "as", .many = true },
	{ SEC_LINT, "fail_on", .many = true },
	{ SEC_LINT, "require_reason", .many = true },
	{ SEC_LINT, "inline_suppressions", .many = true },
	{ SEC_LINT, "exclude", .many = true },
	{ SEC_LINT, "baseline", .many = true },
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
