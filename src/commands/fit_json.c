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
		jsonw_int(j, key, bytes);
	else
		jsonw_null(j, key);
}

static void
write_proof(struct json *j, const struct largest *l)
{
	bool next = l->next_batch > 0;

	jsonw_object(j, "proof");
	jsonw_int(j, "batch", l->batch);
	bytes_or_null(j, "arena_bytes", l->batch > 0, l->at.arena);
	bytes_or_null(j, "next_batch", next, l->next_batch);
	bytes_or_null(j, "next_arena_bytes", next, l->next.arena);
	bytes_or_null(j, "next_lower_bound_bytes", next && !l->searched, l->next.bound);
	jsonw_bool(j, "proved", l->proved);
	jsonw_int(j, "plans", l->plans);
	jsonw_end(j);
}

static void
write_reserve(struct json *j, const struct fit *f)
{
	int i;

	jsonw_array(j, "reserve");
	for (i = 0; i < f->reserve.n; i++) {
		jsonw_flat_object(j, NULL);
		jsonw_string(j, "what", f->reserve.v[i].what);
		jsonw_int(j, "bytes", f->reserve.v[i].bytes);
		jsonw_bool(j, "estimate", !f->reserve_given);
		jsonw_end(j);
	}
	jsonw_end(j);
}

static void
write_elsewhere(struct json *j, const struct elsewhere *e)
{
	jsonw_object(j, NULL);
	jsonw_string(j, "as", e->framework->name);
	jsonw_bool(j, "estimate", true);
	if (!e->wanted.known) {
		jsonw_string(j, "unknown", e->wanted.why_not);
		jsonw_end(j);
		return;
	}
	jsonw_string(j, "fits", elsewhere_word(e->fits));
	jsonw_int(j, "batch_low", e->low);
	jsonw_int(j, "batch_high", e->high);
	jsonw_int(j, "at_least_bytes", e->least);
	jsonw_int(j, "at_most_bytes", e->most);
	jsonw_string(j, "peak_in", e->wanted.validating ? "validation" : "training");
	jsonw_int(j, "peak_batch", e->wanted.eager.batch);
	if (e->wanted.assumes)
		jsonw_string(j, "assumes", e->wanted.assumes);
	jsonw_end(j);
}

/* The I-th answer; "as" is there where it was asked for. */
static void
write_answer(struct json *j, const struct fit_report *r, int i)
{
	const struct fit *f = &r->answer[i];
	int k;

	jsonw_int(j, "memory_bytes", f->memory);
	jsonw_int(j, "reserve_bytes", f->reserved);
	write_reserve(j, f);
	jsonw_int(j, "limit_bytes", f->limit);
	jsonw_bool(j, "fits", f->fits);
	jsonw_int(j, "batch", f->largest.batch);
	bytes_or_null(j, "arena_bytes", f->largest.batch > 0, f->largest.at.arena);
	write_proof(j, &f->largest);
	bytes_or_null(j, "validation_bytes", f->validation > 0, f->validation);
	if (!r->nelsewhere)
		return;
	jsonw_array(j, "as");
	for (k = 0; k < r->nelsewhere; k++)
		write_elsewhere(j, &r->elsewhere[i * r->nelsewhere + k]);
	jsonw_end(j);
}

static void
write_wanted(struct json *j, const struct fit_report *r)
{
	const struct module *m = r->module;

	jsonw_object(j, "wanted");
	jsonw_int(j, "batch", r->answer->wanted);
	jsonw_int(j, "samples_per_update", m->train ? m->set.batch : 0);
	jsonw_int(j, "accumulate", m->set.accumulate);
	jsonw_int(j, "ranks", settings_ranks(&m->set));
	jsonw_int(j, "validate_batch", m->plan->validate_batch);
	jsonw_int(j, "arena_bytes", r->answer->arena);
	jsonw_int(j, "lower_bound_bytes", r->answer->bound);
	jsonw_end(j);
}

static void
write_edits(struct json *j, const struct fit_report *r)
{
	int i;

	jsonw_array(j, "edits");
	for (i = 0; i < r->nadvice; i++) {
		const struct advice *d = &r->advice[i];

		jsonw_object(j, NULL);
		jsonw_string(j, "title", d->title);
		jsonw_string(j, "kind", d->kind);
		jsonw_string(j, "harm", harm_name(d->harm));
		jsonw_string(j, "note", d->note);
		jsonw_bool(j, "fits", d->fits);
		jsonw_int(j, "batch", d->batch);
		jsonw_int(j, "arena_bytes", d->arena);
		jsonw_int(j, "saved_bytes", d->saved);
		jsonw_int(j, "extra_flops", d->extra_flops);
		jsonw_string(j, "patch", d->patch);
		jsonw_end(j);
	}
	jsonw_end(j);
}

static void
write_idle(struct json *j)
{
	const struct idle_advice *v;

	jsonw_array(j, "no_effect");
	for (v = idle_advice; v->what; v++) {
		jsonw_flat_object(j, NULL);
		jsonw_string(j, "advice", v->what);
		jsonw_string(j, "why", v->why);
		jsonw_end(j);
	}
	jsonw_end(j);
}

void
fit_json(const struct fit_report *r)
{
	const struct module *m = r->module;
	struct json j;
	int i;

	jsonw_begin(&j, r->out);
	jsonw_object(&j, NULL);
	jsonw_int(&j, "version", 1);
	jsonw_string(&j, "network", m->name);
	jsonw_string(&j, "path", m->src->path);
	jsonw_string(&j, "target", m->plan->target->name);
	jsonw_int(&j, "threads", m->plan->threads);
	write_wanted(&j, r);
	write_answer(&j, r, 0);
	if (r->fewest) {
		jsonw_flat_object(&j, "fewest_ranks");
		jsonw_int(&j, "ranks", r->fewest->ranks);
		jsonw_int(&j, "batch", r->fewest->batch);
		jsonw_int(&j, "arena_bytes", r->fewest->arena);
		jsonw_end(&j);
	}
	write_edits(&j, r);
	if (r->cut_short)
		jsonw_bool(&j, "cut_short", true);
	write_idle(&j);
	if (r->applied)
		jsonw_int(&j, "applied", r->applied);
	if (r->nanswers > 1) {
		jsonw_array(&j, "memories");
		for (i = 0; i < r->nanswers; i++) {
			jsonw_object(&j, NULL);
			write_answer(&j, r, i);
			jsonw_end(&j);
		}
		jsonw_end(&j);
	}
	jsonw_finish(&j);
}
