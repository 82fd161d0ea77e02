/* The answer of stowage autopsy as JSON, version 1: members may be added, but never change their
 * meaning. Unknown values are null. */
#include "autopsy/autopsy.h"

#include <ctype.h>

#include "base/json.h"

static void
bytes_or_null(struct json *j, const char *key, int64_t bytes)
{
	if (bytes >= 0 && bytes < INT64_MAX)
		json_int(j, key, bytes);
	else
		json_null(j, key);
}

static void
write_shape(struct json *j, const char *key, const struct oom_shape *s)
{
	int i;

	if (!s->known) {
		json_null(j, key);
		return;
	}
	json_flat_array(j, key);
	for (i = 0; i < s->rank; i++)
		json_int(j, NULL, s->dim[i]);
	json_end(j);
}

static void
write_messages(struct json *j, const struct autopsy *y)
{
	int i;

	json_array(j, "messages");
	for (i = 0; i < y->log.messages.n; i++) {
		const struct oom_message *o = &y->log.messages.v[i];

		json_object(j, NULL);
		json_string(j, "framework", o->who);
		json_int(j, "line", o->line);
		json_int(j, "count", o->count);
		json_bool(j, "warning", o->warning);
		json_bool(j, "host", o->host);
		bytes_or_null(j, "gpu", o->gpu);
		write_shape(j, "shape", &o->shape);
		bytes_or_null(j, "bytes", o->shape.known ? shape_bytes(&o->shape, o->element ?
		    o->element : 4) : o->size[OOM_ASKED].known ? o->size[OOM_ASKED].bytes : -1);
		json_string(j, "operation", o->node[0] ? o->node : NULL);
		json_string(j, "meaning", autopsy_meaning(y, o));
		json_bool(j, "main", o == y->main);
		json_end(j);
	}
	json_end(j);
	json_int(j, "more_messages", y->log.more);
}

static void
write_matches(struct json *j, const char *key, const struct autopsy *y,
    const struct shape_matches *s)
{
	int i, k;

	json_array(j, key);
	for (i = 0; i < s->all.n; i++) {
		const struct shape_match *m = &s->all.v[i];

		json_object(j, NULL);
		json_string(j, "tensor", m->tensor->name);
		json_string(j, "kind", tensor_kind_name(m->tensor->kind));
		json_int(j, "line", loc_line(m->tensor->loc));
		json_int(j, "batch", m->batch);
		bytes_or_null(j, "bytes", affine_at(tensor_bytes(m->tensor), m->batch ? m->batch :
		    y->spec_batch));
		if (y->main->shape.known && s == &y->matches) {
			json_string(j, "order", shape_order_name(m->order));
			json_flat_array(j, "axes");
			for (k = 0; k < y->main->shape.rank; k++)
				json_string(j, NULL, autopsy_axis_text(y, m, k));
			json_end(j);
		}
		json_end(j);
	}
	json_end(j);
}

static void
write_buffers(struct json *j, const struct autopsy *y)
{
	struct shape_matches found;
	int i;

	json_array(j, "buffers");
	for (i = 0; i < y->log.alive.n; i++) {
		const struct oom_alive *l = &y->log.alive.v[i];

		found.all.n = 0;
		if (y->module)
			shape_find(y->module, &l->shape, y->spec_batch, "", &found);
		json_object(j, NULL);
		write_shape(j, "shape", &l->shape);
		bytes_or_null(j, "bytes", l->size.known ? l->size.bytes : -1);
		json_string(j, "tensor", found.all.n ? found.all.v[0].tensor->name : NULL);
		json_end(j);
	}
	json_end(j);
}

static void
write_budget(struct json *j, const struct autopsy *y)
{
	const struct budget *b = &y->budget;

	json_object(j, "arithmetic");
	bytes_or_null(j, "device_bytes", b->total > 0 ? b->total : -1);
	bytes_or_null(j, "allocated_bytes", b->allocated);
	bytes_or_null(j, "cached_unusable_bytes", b->unallocated);
	bytes_or_null(j, "reserved_bytes", b->reserved);
	bytes_or_null(j, "free_bytes", b->free);
	bytes_or_null(j, "outside_bytes", b->outside);
	bytes_or_null(j, "context_bytes", b->context);
	bytes_or_null(j, "other_processes_bytes", b->others);
	bytes_or_null(j, "card_bytes", y->log.card.known ? y->log.card.bytes : -1);
	bytes_or_null(j, "card_used_bytes", y->log.card.known ? y->log.card_used.bytes : -1);
	bytes_or_null(j, "pool_bytes", b->pool > 0 ? b->pool : -1);
	json_string(j, "pool_is", b->pool > 0 ? b->pool_is : NULL);
	json_end(j);
}

static void
write_dump(struct json *j, const struct autopsy *y)
{
	const struct dump_story *s = &y->dump;
	int i;

	if (!y->log.dump.any) {
		json_null(j, "dump");
		return;
	}
	json_object(j, "dump");
	json_int(j, "line", y->log.dump.line);
	json_int(j, "in_use_bytes", y->log.dump.in_use);
	json_int(j, "explained_bytes", s->explained);
	json_array(j, "classes");
	for (i = 0; i < s->classes.n; i++) {
		json_flat_object(j, NULL);
		json_int(j, "bytes", s->classes.v[i].size);
		json_int(j, "count", s->classes.v[i].count);
		if (s->local)
			json_int(j, "replayed", s->classes.v[i].replayed);
		json_string(j, "what", s->classes.v[i].what);
		json_end(j);
	}
	json_end(j);
	if (s->local) {
		json_string(j, "layer", s->layer.forward->path);
		json_int(j, "positions", s->layer.positions);
		json_int(j, "gradients_held", s->held);
		json_bool(j, "reproduced", s->same);
		json_int(j, "largest_batch", s->largest);
	}
	json_end(j);
}

static void
write_causes(struct json *j, const struct autopsy *y)
{
	int i;

	json_array(j, "causes");
	for (i = 0; i < y->causes.n; i++)
		json_string(j, NULL, y->causes.v[i]);
	json_end(j);
	json_array(j, "doubts");
	for (i = 0; i < y->budget.doubts.n; i++)
		json_string(j, NULL, y->budget.doubts.v[i]);
	json_end(j);
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
		json_object(j, runtime_key(y));
		json_bool(j, "estimate", true);
		json_int(j, "peak_bytes", y->forecast.tensors);
		json_int(j, "allocated_bytes", y->forecast.allocated);
		json_int(j, "reserved_bytes", y->forecast.reserved);
		json_int(j, "low_bytes", y->forecast.low);
		json_int(j, "high_bytes", y->forecast.high);
		json_int(j, "sure_batch", y->sure_batch);
		json_int(j, "largest_batch", y->largest_batch);
		json_end(j);
	}
	json_array(j, "edits");
	for (i = 0; i < y->cures.n; i++) {
		const struct advice *d = y->cures.v[i].advice;

		json_object(j, NULL);
		json_string(j, "title", d->title);
		json_int(j, "allocated_bytes", d->arena);
		json_bool(j, "fits", d->fits);
		json_string(j, "how", y->cures.v[i].how);
		json_string(j, "patch", d->patch);
		json_end(j);
	}
	json_end(j);
	if (!y->module || y->validation || (y->main && y->main->host))
		return;
	json_object(j, "here");
	json_int(j, "arena_bytes", y->module->plan->arena_bytes);
	json_end(j);
}

void
autopsy_json(const struct autopsy *y)
{
	const struct module *m = y->module;
	struct json j;

	json_begin(&j, y->out);
	json_object(&j, NULL);
	json_int(&j, "version", 1);
	json_string(&j, "network", m ? m->name : NULL);
	json_string(&j, "path", m ? m->src->path : NULL);
	json_string(&j, "log", y->log_path);
	json_int(&j, "lines", y->log.lines);
	bytes_or_null(&j, "spec_batch", m ? y->spec_batch : -1);
	bytes_or_null(&j, "batch", m ? y->batch : -1);
	json_bool(&j, "batch_implied", y->implied);
	json_bool(&j, "validation", y->validation);
	write_messages(&j, y);
	if (y->main) {
		write_matches(&j, "tensors", y, &y->matches);
		write_matches(&j, "nearest", y, &y->nearest);
		write_buffers(&j, y);
		write_budget(&j, y);
	}
	write_dump(&j, y);
	write_causes(&j, y);
	write_fit(&j, y);
	json_finish(&j);
}
