/* The answer of stowage autopsy as JSON, version 1: members may be added, but never change their
 * meaning. Unknown values are null. */
#include "autopsy/autopsy.h"

#include <ctype.h>

#include "base/json.h"

static void
bytes_or_null(struct json *j, const char *key, int64_t bytes)
{
	if (bytes >= 0 && bytes < INT64_MAX)
		jsonw_int(j, key, bytes);
	else
		jsonw_null(j, key);
}

static void
write_shape(struct json *j, const char *key, const struct oom_shape *s)
{
	int i;

	if (!s->known) {
		jsonw_null(j, key);
		return;
	}
	jsonw_flat_array(j, key);
	for (i = 0; i < s->rank; i++)
		jsonw_int(j, NULL, s->dim[i]);
	jsonw_end(j);
}

/* Words that anyone may use tell it only where they name the machine, or a device. */
static void
host_or_null(struct json *j, const struct autopsy *y, const struct oom_message *o)
{
	if (!o->host && o->gpu < 0 && (o->kind == OOM_OTHER || (o->kind == OOM_TOLD && !y->log.paste.told.device)))
		jsonw_null(j, "host");
	else
		jsonw_bool(j, "host", o->host);
}

static void
write_messages(struct json *j, const struct autopsy *y)
{
	int i;

	jsonw_array(j, "messages");
	for (i = 0; i < y->log.messages.n; i++) {
		const struct oom_message *o = &y->log.messages.v[i];

		jsonw_object(j, NULL);
		jsonw_string(j, "framework", o->who);
		jsonw_int(j, "line", o->line);
		jsonw_int(j, "count", o->count);
		jsonw_bool(j, "warning", o->warning);
		host_or_null(j, y, o);
		bytes_or_null(j, "gpu", o->gpu);
		write_shape(j, "shape", &o->shape);
		bytes_or_null(j, "bytes", autopsy_bytes(o));
		jsonw_string(j, "operation", o->node[0] ? o->node : NULL);
		jsonw_string(j, "meaning", autopsy_meaning(y, o));
		jsonw_bool(j, "main", o == y->main);
		jsonw_end(j);
	}
	jsonw_end(j);
	jsonw_int(j, "more_messages", y->log.more);
}

static void
write_matches(struct json *j, const char *key, const struct autopsy *y,
    const struct shape_matches *s)
{
	int i, k;

	jsonw_array(j, key);
	for (i = 0; i < s->all.n; i++) {
		const struct shape_match *m = &s->all.v[i];

		jsonw_object(j, NULL);
		jsonw_string(j, "tensor", m->tensor->name);
		jsonw_string(j, "kind", tensor_kind_name(m->tensor->kind));
		jsonw_int(j, "line", loc_line(m->tensor->loc));
		jsonw_int(j, "batch", m->batch);
		bytes_or_null(j, "bytes", affine_at(tensor_bytes(m->tensor), m->batch ? m->batch :
		    y->said_batch));
		if (y->main->shape.known && s == &y->matches) {
			jsonw_string(j, "order", shape_order_name(m->order));
			jsonw_flat_array(j, "axes");
			for (k = 0; k < y->main->shape.rank; k++)
				jsonw_string(j, NULL, autopsy_axis_text(y, m, k));
			jsonw_end(j);
		}
		jsonw_end(j);
	}
	jsonw_end(j);
}

static void
write_buffers(struct json *j, const struct autopsy *y)
{
	struct shape_matches found;
	int i;

	jsonw_array(j, "buffers");
	for (i = 0; i < y->log.alive.n; i++) {
		const struct oom_alive *l = &y->log.alive.v[i];

		found.all.n = 0;
		if (y->module)
			shape_find(y->module, &l->shape, y->said_batch, "", &found);
		jsonw_object(j, NULL);
		write_shape(j, "shape", &l->shape);
		bytes_or_null(j, "bytes", l->size.known ? autopsy_buffer_bytes(l) : -1);
		jsonw_string(j, "tensor", found.all.n ? found.all.v[0].tensor->name : NULL);
		jsonw_end(j);
	}
	jsonw_end(j);
}

static void
write_budget(struct json *j, const struct autopsy *y)
{
	const struct budget *b = &y->budget;

	jsonw_object(j, "arithmetic");
	bytes_or_null(j, "device_bytes", b->total > 0 ? b->total : -1);
	bytes_or_null(j, "allocated_bytes", b->allocated);
	bytes_or_null(j, "in_use_by_all_bytes", b->in_use);
	bytes_or_null(j, "cached_unusable_bytes", b->unallocated);
	bytes_or_null(j, "private_pools_free_bytes", b->kept);
	bytes_or_null(j, "reserved_bytes", b->reserved);
	bytes_or_null(j, "free_bytes", b->free);
	bytes_or_null(j, "outside_bytes", b->outside);
	bytes_or_null(j, "context_bytes", b->context);
	bytes_or_null(j, "other_processes_bytes", b->others);
	bytes_or_null(j, "card_bytes", y->log.card.known ? y->log.card.bytes : -1);
	bytes_or_null(j, "card_used_bytes", y->log.card.known ? y->log.card_used.bytes : -1);
	bytes_or_null(j, "pool_bytes", b->pool > 0 ? b->pool : -1);
	jsonw_string(j, "pool_is", b->pool > 0 ? b->pool_is : NULL);
	jsonw_end(j);
}

static void
write_dump(struct json *j, const struct autopsy *y)
{
	const struct dump_story *s = &y->dump;
	int i;

	if (!y->log.dump.any) {
		jsonw_null(j, "dump");
		return;
	}
	jsonw_object(j, "dump");
	jsonw_int(j, "line", y->log.dump.line);
	jsonw_int(j, "in_use_bytes", y->log.dump.in_use);
	jsonw_int(j, "explained_bytes", s->explained);
	jsonw_array(j, "classes");
	for (i = 0; i < s->classes.n; i++) {
		jsonw_flat_object(j, NULL);
		jsonw_int(j, "bytes", s->classes.v[i].size);
		jsonw_int(j, "count", s->classes.v[i].count);
		if (s->local)
			jsonw_int(j, "replayed", s->classes.v[i].replayed);
		jsonw_string(j, "what", s->classes.v[i].what);
		jsonw_end(j);
	}
	jsonw_end(j);
	if (s->local) {
		jsonw_string(j, "layer", s->layer.forward->path);
		jsonw_int(j, "positions", s->layer.positions);
		jsonw_int(j, "gradients_held", s->held);
		jsonw_bool(j, "reproduced", s->same);
		jsonw_int(j, "largest_batch", s->largest);
	}
	jsonw_end(j);
}

/* Of the sentences of what it may be, those that are of a list. */
static void
write_likely(struct json *j, const struct autopsy *y)
{
	int i;

	jsonw_array(j, "likely");
	for (i = 0; i < y->likely.n; i++)
		if (y->likely.v[i][0] == '-')
			jsonw_string(j, NULL, y->likely.v[i] + 2);
	jsonw_end(j);
}

/* Sentences, and of each its kind and what that rests on. */
static void
write_sentences(struct json *j, const char *key, const char *rest, const struct sentence *s, int n)
{
	int i;

	jsonw_array(j, key);
	for (i = 0; i < n; i++)
		jsonw_string(j, NULL, s[i].text);
	jsonw_end(j);
	jsonw_array(j, rest);
	for (i = 0; i < n; i++) {
		jsonw_flat_object(j, NULL);
		jsonw_string(j, "kind", autopsy_says_name(s[i].kind));
		jsonw_string(j, "on", autopsy_rests_name(autopsy_rests(s[i].kind)));
		jsonw_string(j, "evidence", autopsy_says_evidence(s[i].kind));
		jsonw_end(j);
	}
	jsonw_end(j);
}

static void
write_causes(struct json *j, const struct autopsy *y)
{
	int i;

	write_sentences(j, "causes", "causes_rest_on", y->causes.v, y->causes.n);
	write_sentences(j, "reported", "reported_rests_on", y->reported.v, y->reported.n);
	write_likely(j, y);
	jsonw_string(j, "usual", y->usual);
	for (i = 0; i < y->likely.n && y->likely.v[i][0] != '-'; i++)
		;
	jsonw_string(j, "likely_where", i > 0 ? y->likely.v[i - 1] : NULL);
	jsonw_array(j, "doubts");
	for (i = 0; i < y->budget.doubts.n; i++)
		jsonw_string(j, NULL, y->budget.doubts.v[i]);
	jsonw_end(j);
}

/* "pytorch" */
static const char *
runtime_key(const struct autopsy *y)
{
	char *key = arena_strdup(y->arena, y->framework->runtime), *s;

	for (s = key; *s; s++)
		*s = (char)tolower((unsigned char)*s);
	return key;
}

static void
write_fit(struct json *j, const struct autopsy *y)
{
	int i;

	if (y->forecast.known) {
		jsonw_object(j, runtime_key(y));
		jsonw_bool(j, "estimate", true);
		jsonw_int(j, "peak_bytes", y->forecast.tensors);
		jsonw_int(j, "allocated_bytes", y->forecast.allocated);
		jsonw_int(j, "reserved_bytes", y->forecast.reserved);
		jsonw_int(j, "low_bytes", y->forecast.low);
		jsonw_int(j, "high_bytes", y->forecast.high);
		jsonw_int(j, "sure_batch", y->sure_batch);
		jsonw_int(j, "largest_batch", y->largest_batch);
		if (y->forecast.assumes)
			jsonw_string(j, "assumes", y->forecast.assumes);
		jsonw_end(j);
	}
	jsonw_array(j, "edits");
	for (i = 0; i < y->cures.n; i++) {
		const struct advice *d = y->cures.v[i].advice;

		jsonw_object(j, NULL);
		jsonw_string(j, "title", d->title);
		jsonw_int(j, "allocated_bytes", d->arena);
		jsonw_bool(j, "fits", d->fits);
		jsonw_string(j, "how", y->cures.v[i].how);
		jsonw_string(j, "patch", d->patch);
		jsonw_end(j);
	}
	jsonw_end(j);
	if (!y->module || y->validation || (y->main && y->main->host))
		return;
	jsonw_object(j, "here");
	jsonw_int(j, "arena_bytes", y->module->plan->arena_bytes);
	jsonw_end(j);
}

void
autopsy_json(const struct autopsy *y)
{
	const struct module *m = y->module;
	struct json j;

	jsonw_begin(&j, y->out);
	jsonw_object(&j, NULL);
	jsonw_int(&j, "version", 1);
	jsonw_string(&j, "network", m ? m->name : NULL);
	jsonw_string(&j, "path", m ? m->src->path : NULL);
	jsonw_string(&j, "log", y->log_path);
	jsonw_int(&j, "lines", y->log.lines);
	bytes_or_null(&j, "spec_batch", m ? autopsy_batch_of(y->spec->modules.v[0]) : -1);
	bytes_or_null(&j, "batch", m ? y->batch : -1);
	bytes_or_null(&j, "batch_line", y->batch_of_line ? y->log.batch_line : -1);
	jsonw_bool(&j, "batch_implied", y->implied);
	jsonw_bool(&j, "validation", y->validation);
	write_messages(&j, y);
	if (y->main) {
		write_matches(&j, "tensors", y, &y->matches);
		write_matches(&j, "nearest", y, &y->nearest);
		if (y->scores_asked)
			jsonw_string(&j, "scores_of", y->scored->path);
		write_buffers(&j, y);
		write_budget(&j, y);
	}
	write_dump(&j, y);
	write_causes(&j, y);
	write_fit(&j, y);
	jsonw_finish(&j);
}
