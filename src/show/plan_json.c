/*
 * The plan as JSON. Bytes are exact; "first" and "last" are instants, both inclusive; "offset" is
 * in the arena. Sizes that depend on the batch also come as fixed + per_sample * batch.
 */
#include "show/show.h"

#include "base/json.h"
#include "target/target.h"
#include "fit/sharding.h"
#include "fit/trade.h"
#include "frameworks/pytorch_eager.h"
#include "ir/op.h"
#include "plan/summary.h"
#include "plan/turns.h"
#include "target/gpu.h"

static void
place(struct json *j, const struct module *m, struct loc l)
{
	const struct origin *o = loc_origin(l);

	jsonw_int(j, "line", loc_line(l));
	if (o)
		jsonw_string(j, "node", o->node);
	if (l.src && loc_seen(l).src != m->src)
		jsonw_string(j, "path", l.src->path);
}

/* Where ranks are stages of a pipeline: each one's plan in figures, and what each waits of an
 * update, if all take as long. */
static void
write_stages(struct json *j, const struct module *m)
{
	int64_t n = module_stages(m), k;

	if (!m->stage) {
		jsonw_null(j, "stages");
		return;
	}
	jsonw_array(j, "stages");
	for (k = 0; k < n; k++) {
		const struct plan *p = m->stage[k]->plan;

		jsonw_flat_object(j, NULL);
		jsonw_int(j, "rank", k);
		jsonw_int(j, "arena_bytes", p->arena_bytes);
		jsonw_int(j, "lower_bound_bytes", p->lower_bound_bytes);
		jsonw_int(j, "persistent_bytes", p->persistent_bytes);
		jsonw_int(j, "micro_batches", p->slots);
		jsonw_int(j, "sent_on_bytes", plan_sent_on(m->stage[k], p, false));
		jsonw_int(j, "sent_back_bytes", plan_sent_on(m->stage[k], p, true));
		jsonw_int(j, "multiply_adds", p->step_macs);
		jsonw_end(j);
	}
	jsonw_end(j);
	jsonw_real(j, "bubble", (double)(n - 1) / (double)(m->set.accumulate + n - 1));
	jsonw_real(j, "bubble_estimate", plan_turns(m).waits);
}

/* How long what goes between ranks takes over that link, and what of it a rank's own work hides;
 * null where that is not known. */
static void
write_overlap(struct json *j, const struct module *m, int64_t link)
{
	struct overlap o = plan_overlap(m, (double)link / 8);

	if (o.sent <= 0) {
		jsonw_null(j, "overlap");
		return;
	}
	jsonw_flat_object(j, "overlap");
	jsonw_int(j, "link_gigabits", link);
	jsonw_real(j, "communication_milliseconds", o.sent / 1e6);
	jsonw_real(j, "hidden_milliseconds", o.hidden / 1e6);
	jsonw_real(j, "update_milliseconds", o.step / 1e6);
	jsonw_end(j);
}

/* What ranks that do not fit might share out; null where they do, or nothing can be. */
static void
write_sharding(struct json *j, const struct module *m)
{
	struct sharding s = fit_sharding(m);

	if (!s.planned) {
		jsonw_null(j, "sharding");
		return;
	}
	jsonw_flat_object(j, "sharding");
	jsonw_string(j, "shard", shard_name(s.what));
	jsonw_int(j, "arena_bytes", s.planned->plan->arena_bytes);
	jsonw_int(j, "persistent_bytes", s.planned->plan->persistent_bytes);
	jsonw_int(j, "left_bytes", s.left);
	jsonw_bool(j, "fits", s.fits);
	jsonw_end(j);
}

static void
write_totals(struct json *j, const struct module *m, const struct plan_summary *s, int64_t link)
{
	const struct plan *p = m->plan;
	const struct device *d = &m->set.device;
	int64_t eager = eager_bytes(m);

	jsonw_int(j, "version", 1);
	jsonw_string(j, "network", m->name);
	jsonw_string(j, "path", m->src ? m->src->path : NULL);
	jsonw_string(j, "target", p->target->name);
	jsonw_int(j, "threads", p->threads);
	jsonw_int(j, "batch", m->train ? p->batch : p->validate_batch);
	jsonw_int(j, "samples_per_update", m->set.batch);
	jsonw_int(j, "accumulate", m->set.accumulate);
	jsonw_int(j, "ranks", settings_ranks(&m->set));
	jsonw_int(j, "validate_batch", p->validate_batch);
	jsonw_int(j, "parameters", s->parameters);
	jsonw_int(j, "frozen_parameters", s->frozen);
	jsonw_int(j, "multiply_adds", affine_at(s->macs, 1));
	jsonw_int(j, "arena_bytes", p->arena_bytes);
	jsonw_int(j, "lower_bound_bytes", p->lower_bound_bytes);
	jsonw_bool(j, "optimal", p->optimal);
	jsonw_int(j, "persistent_bytes", p->persistent_bytes);
	jsonw_int(j, "transient_bytes", p->transient_bytes);
	if (eager >= 0)
		jsonw_int(j, "pytorch_eager_bytes", eager);
	else
		jsonw_null(j, "pytorch_eager_bytes");
	jsonw_int(j, "alignment", p->alignment);
	jsonw_int(j, "instants", p->instants);
	jsonw_int(j, "step_multiply_adds", p->step_macs);
	jsonw_flat_object(j, "recomputed");
	jsonw_int(j, "nodes", p->recomputed.nodes);
	jsonw_int(j, "multiply_adds", p->recomputed.macs);
	jsonw_int(j, "traffic_bytes", p->recomputed.traffic);
	jsonw_end(j);
	jsonw_flat_object(j, "between_ranks");
	jsonw_int(j, "gradient_bytes", s->reduced);
	jsonw_int(j, "meanwhile_bytes", s->meanwhile);
	jsonw_int(j, "statistics_bytes", s->statistics);
	jsonw_int(j, "pieces", s->reductions);
	jsonw_int(j, "split_bytes", s->split);
	jsonw_int(j, "sent_bytes", s->sent);
	jsonw_string(j, "shard", shard_name(module_shards(m) > 1 ? m->set.shard : SHARD_NONE));
	jsonw_int(j, "weight_bytes", s->gathered);
	jsonw_int(j, "whole_state_bytes", s->whole_state);
	jsonw_int(j, "whole_weight_bytes", s->whole_weights);
	jsonw_end(j);
	write_overlap(j, m, link);
	write_stages(j, m);
	if (d->given) {
		jsonw_flat_object(j, "device");
		jsonw_string(j, "name", d->name);
		jsonw_int(j, "memory_bytes", d->memory);
		jsonw_bool(j, "fits", p->arena_bytes <= target_memory(p->target, module_ranks(m), d));
		jsonw_end(j);
	} else {
		jsonw_null(j, "device");
	}
	write_sharding(j, m);
}

static void
write_step(struct json *j, const char *key, const struct trade *t, const struct plan *p, const struct estimate *e, int longest)
{
	if (!t->card || !p) {
		jsonw_null(j, key);
		return;
	}
	jsonw_flat_object(j, key);
	jsonw_string(j, "card", t->card->name);
	jsonw_real(j, "milliseconds", e->apart / 1e6);
	jsonw_real(j, "in_turn_milliseconds", e->in_turn / 1e6);
	jsonw_int(j, "traffic_bytes", e->traffic);
	jsonw_int(j, "multiply_adds", e->macs);
	jsonw_int(j, "kernels", e->kernels);
	jsonw_int(j, "one_after_the_other", longest);
	jsonw_int(j, "arena_bytes", p->arena_bytes);
	jsonw_end(j);
}

/* What bytes were given for, and how long a step takes at least on the card; each null where it is
 * not known. */
static void
write_speed(struct json *j, const struct module *m)
{
	const struct plan *p = m->plan;
	struct trade t = fit_trade(m);
	int calls, longest = plan_longest(p, m->arena, &calls);

	if (p->apart == APART_NOT_ASKED) {
		jsonw_null(j, "speed");
	} else {
		jsonw_flat_object(j, "speed");
		jsonw_int(j, "calls", calls);
		jsonw_int(j, "one_after_the_other", longest);
		jsonw_int(j, "by_their_tensors", plan_chain(p, m->arena));
		jsonw_bool(j, "bytes_apart", p->apart == APART);
		jsonw_bool(j, "one_kernel", p->cooperative);
		jsonw_end(j);
	}
	write_step(j, "step_at_least", &t, p, &t.step, longest);
	write_step(j, "with_least_bytes", &t, t.least, &t.least_step, t.least_longest);
}

/* One run of the forward nodes, or what is done again of them: how many, their multiply-adds, the
 * bytes that they write, and all that they read and write. */
static void
write_work(struct json *j, const char *key, const struct module *m, bool again)
{
	int64_t nodes = 0;
	struct affine macs = { 0, 0 }, bytes = { 0, 0 }, moved = { 0, 0 };
	int i, k;

	for (i = 0; m->train && i < m->train->nodes.n; i++) {
		const struct node *n = m->train->nodes.v[i];

		if ((n->again != NULL) != again || (!again && n->phase != PHASE_FORWARD))
			continue;
		nodes++;
		if (n->op->macs)
			macs = affine_sum(macs, n->op->macs(n));
		for (k = 0; k < n->nout; k++)
			if (n->out[k] && !op_is_view(n->op))
				bytes = affine_sum(bytes, tensor_bytes(n->out[k]));
		if (!op_is_view(n->op))
			moved = affine_sum(moved, (struct affine){ plan_traffic(n, m->plan->batch), 0 });
	}
	jsonw_flat_object(j, key);
	jsonw_int(j, "nodes", nodes);
	jsonw_int(j, "multiply_adds", affine_at(macs, m->plan->batch));
	jsonw_int(j, "bytes_written", affine_at(bytes, m->plan->batch));
	jsonw_int(j, "bytes_moved", moved.fixed);
	jsonw_end(j);
}

static void
write_peak(struct json *j, const struct module *m, const struct plan_summary *s)
{
	const struct plan *p = m->plan;
	const struct instant *at = &p->at[p->peak];
	int i;

	if (p->instants == 0) {
		jsonw_null(j, "peak");
		return;
	}
	jsonw_object(j, "peak");
	jsonw_int(j, "instant", p->peak);
	jsonw_int(j, "live_bytes", at->live);
	jsonw_string(j, "phase", plan_phase_name(at));
	jsonw_string(j, "node", at->node->path);
	place(j, m, at->node->loc);
	jsonw_array(j, "lines");
	for (i = 0; i < s->lines.n; i++) {
		jsonw_flat_object(j, NULL);
		place(j, m, s->lines.v[i].loc);
		jsonw_int(j, "bytes", s->lines.v[i].bytes);
		jsonw_int(j, "buffers", s->lines.v[i].buffers);
		jsonw_string(j, "largest", s->lines.v[i].largest->root->name);
		jsonw_end(j);
	}
	jsonw_end(j);
	jsonw_end(j);
}

static void
write_kinds(struct json *j, const char *key, const int64_t *bytes)
{
	int k;

	jsonw_flat_object(j, key);
	for (k = 0; k < TENSOR_KINDS; k++)
		if (bytes[k])
			jsonw_int(j, tensor_kind_name(k), bytes[k]);
	jsonw_end(j);
}

static void
write_layers(struct json *j, const struct module *m, const struct plan_summary *s)
{
	int i;

	jsonw_array(j, "layers");
	for (i = 0; i < s->layers.n; i++) {
		const struct layer_cost *c = &s->layers.v[i];

		jsonw_flat_object(j, NULL);
		jsonw_string(j, "name", c->node->path);
		jsonw_string(j, "operator", c->node->op->name);
		jsonw_string(j, "shape", tensor_shape_text(m->arena, node_value(c->node)));
		jsonw_int(j, "parameters", c->parameters);
		jsonw_int(j, "multiply_adds", affine_at(c->macs, 1));
		place(j, m, c->node->loc);
		jsonw_end(j);
	}
	jsonw_end(j);
}

static void
write_buffers(struct json *j, const struct module *m)
{
	int i;

	jsonw_array(j, "buffers");
	for (i = 0; i < m->plan->buffers.n; i++) {
		const struct buffer *b = &m->plan->buffers.v[i];
		struct affine size = plan_buffer_size(b);

		jsonw_flat_object(j, NULL);
		jsonw_string(j, "name", b->root->name);
		jsonw_int(j, "bytes", b->bytes);
		jsonw_int(j, "offset", b->offset);
		jsonw_int(j, "first", b->first);
		jsonw_int(j, "last", b->last);
		jsonw_string(j, "kind", tensor_kind_name(b->root->kind));
		place(j, m, b->root->loc);
		jsonw_bool(j, "persistent", b->persistent);
		jsonw_int(j, "fixed_bytes", size.fixed);
		jsonw_int(j, "per_sample_bytes", size.per_sample);
		jsonw_end(j);
	}
	jsonw_end(j);
}

static void
print_json(FILE *f, const struct module *m, const struct plan_style *style)
{
	const struct plan_summary *s = plan_summarise(m);
	struct json j;

	jsonw_begin(&j, f);
	jsonw_object(&j, NULL);
	write_totals(&j, m, s, plan_link(style));
	write_speed(&j, m);
	write_work(&j, "forward", m, false);
	write_work(&j, "repeated", m, true);
	write_kinds(&j, "persistent_by_kind", s->persistent);
	write_kinds(&j, "transient_at_peak_by_kind", s->at_peak);
	write_peak(&j, m, s);
	write_layers(&j, m, s);
	write_buffers(&j, m);
	jsonw_finish(&j);
}

const struct plan_format plan_format_json = {
	.name = "json",
	.print = print_json,
};
