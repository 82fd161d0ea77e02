/*
 * The answer of stowage fit as JSON. The members at the top are the first memory's answer; with
 * several, "memories" has them all. "batch" counts micro-batches of the accumulation's kind:
 * samples on the device at a time.
 */
#include "commands/fit_report.h"

#include "base/json.h"
#include "fit/idle.h"

/* null where there is no plan */
static void
bytes_or_null(struct json *j, const char *key, bool known, int64_t bytes)
{
	if (known && bytes < INT64_MAX)
		json_int(j, key, bytes);
	else
		json_null(j, key);
}

static void
write_proof(struct json *j, const struct largest *l)
{
	json_object(j, "proof");
	json_int(j, "batch", l->batch);
	bytes_or_null(j, "arena_bytes", l->batch > 0, l->at.arena);
	json_int(j, "next_batch", l->batch + 1);
	bytes_or_null(j, "next_arena_bytes", !l->endless, l->next.arena);
	bytes_or_null(j, "next_lower_bound_bytes", !l->endless, l->next.bound);
	json_bool(j, "proved", l->proved);
	json_int(j, "plans", l->plans);
	json_end(j);
}

static void
write_reserve(struct json *j, const struct fit *f)
{
	int i;

	json_array(j, "reserve");
	for (i = 0; i < f->reserve.n; i++) {
		json_flat_object(j, NULL);
		json_string(j, "what", f->reserve.v[i].what);
		json_int(j, "bytes", f->reserve.v[i].bytes);
		json_bool(j, "estimate", !f->reserve_given);
		json_end(j);
	}
	json_end(j);
}

static void
write_elsewhere(struct json *j, const struct elsewhere *e)
{
	json_object(j, NULL);
	json_string(j, "as", e->framework->name);
	json_bool(j, "estimate", true);
	if (!e->wanted.known) {
		json_string(j, "unknown", e->wanted.why_not);
		json_end(j);
		return;
	}
	json_string(j, "fits", elsewhere_word(e->fits));
	json_int(j, "batch_low", e->low);
	json_int(j, "batch_high", e->high);
	json_int(j, "at_least_bytes", e->least);
	json_int(j, "at_most_bytes", e->most);
	json_string(j, "peak_in", e->wanted.validating ? "validation" : "training");
	json_int(j, "peak_batch", e->wanted.eager.batch);
	json_end(j);
}

/* The I-th answer; "as" is there where it was asked for. */
static void
write_answer(struct json *j, const struct fit_report *r, int i)
{
	const struct fit *f = &r->answer[i];
	int k;

	json_int(j, "memory_bytes", f->memory);
	json_int(j, "reserve_bytes", f->reserved);
	write_reserve(j, f);
	json_int(j, "limit_bytes", f->limit);
	json_bool(j, "fits", f->fits);
	json_int(j, "batch", f->largest.batch);
	bytes_or_null(j, "arena_bytes", f->largest.batch > 0, f->largest.at.arena);
	write_proof(j, &f->largest);
	bytes_or_null(j, "validation_bytes", f->validation > 0, f->validation);
	if (!r->nelsewhere)
		return;
	json_array(j, "as");
	for (k = 0; k < r->nelsewhere; k++)
		write_elsewhere(j, &r->elsewhere[i * r->nelsewhere + k]);
	json_end(j);
}

static void
write_wanted(struct json *j, const struct fit_report *r)
{
	const struct module *m = r->module;

	json_object(j, "wanted");
	json_int(j, "batch", r->answer->wanted);
	json_int(j, "samples_per_update", m->train ? m->set.batch : 0);
	json_int(j, "accumulate", m->set.accumulate);
	json_int(j, "validate_batch", m->plan->validate_batch);
	json_int(j, "arena_bytes", r->answer->arena);
	json_int(j, "lower_bound_bytes", r->answer->bound);
	json_end(j);
}

static void
write_edits(struct json *j, const struct fit_report *r)
{
	int i;

	json_array(j, "edits");
	for (i = 0; i < r->nadvice; i++) {
		const struct advice *d = &r->advice[i];

		json_object(j, NULL);
		json_string(j, "title", d->title);
		json_string(j, "kind", d->kind);
		json_string(j, "harm", harm_name(d->harm));
		json_string(j, "note", d->note);
		json_bool(j, "fits", d->fits);
		json_int(j, "batch", d->batch);
		json_int(j, "arena_bytes", d->arena);
		json_int(j, "saved_bytes", d->saved);
		json_int(j, "extra_flops", d->extra_flops);
		json_string(j, "patch", d->patch);
		json_end(j);
	}
	json_end(j);
}

static void
write_idle(struct json *j)
{
	const struct idle_advice *v;

	json_array(j, "no_effect");
	for (v = idle_advice; v->what; v++) {
		json_flat_object(j, NULL);
		json_string(j, "advice", v->what);
		json_string(j, "why", v->why);
		json_end(j);
	}
	json_end(j);
}

void
fit_json(const struct fit_report *r)
{
	const struct module *m = r->module;
	struct json j;
	int i;

	json_begin(&j, r->out);
	json_object(&j, NULL);
	json_int(&j, "version", 1);
	json_string(&j, "network", m->name);
	json_string(&j, "path", m->src->path);
	json_string(&j, "target", m->plan->target->name);
	json_int(&j, "threads", m->plan->threads);
	write_wanted(&j, r);
	write_answer(&j, r, 0);
	write_edits(&j, r);
	if (r->cut_short)
		json_bool(&j, "cut_short", true);
	write_idle(&j);
	if (r->applied)
		json_int(&j, "applied", r->applied);
	if (r->nanswers > 1) {
		json_array(&j, "memories");
		for (i = 0; i < r->nanswers; i++) {
			json_object(&j, NULL);
			write_answer(&j, r, i);
			json_end(&j);
		}
		json_end(&j);
	}
	json_finish(&j);
}
