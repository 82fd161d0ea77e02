/* Forecasts of other frameworks, item by item; what they leave out is among the items. */
#include "cli/forecast.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "emit/emit.h"
#include "model/forecast.h"
#include "plan/plan.h"

static int
find(const char *word)
{
	int i;

	for (i = 0; i < FRAMEWORKS && strcmp(framework_name(i), word) != 0; i++)
		;
	return i;
}

bool
forecast_check(const struct command *c, const struct words *as)
{
	const char *name[FRAMEWORKS], *near;
	int i, k;

	for (k = 0; k < FRAMEWORKS; k++)
		name[k] = framework_name(k);
	for (i = 0; i < as->n; i++) {
		if (find(as->word[i]) < FRAMEWORKS)
			continue;
		near = text_nearest(as->word[i], name, FRAMEWORKS);
		usage_error(c, "--as: unknown framework '%s'%s%s%s; expected one of pytorch, tf, "
		    "keras1, keras2", as->word[i], near ? "; did you mean '" : "",
		    near ? near : "", near ? "'?" : "");
		return false;
	}
	return true;
}

/* What a process takes of a GPU before its first tensor, as for a program of ours there. */
static int64_t
context_bytes(const struct module *m)
{
	const struct device *d = &m->set.device;
	const struct reserve *r;
	int64_t sum = 0;
	int i;

	for (i = 0; target_table[i]; i++)
		for (r = target_table[i]->gpu ? target_table[i]->reserve : NULL; r && r->what; r++)
			sum += reserve_counts(r, d, d->memory) ? r->bytes : 0;
	return sum;
}

static int64_t
micro_batch(const struct module *m)
{
	return m->train ? m->plan->batch : m->plan->validate_batch;
}

static void
row(FILE *f, const char *name, int64_t bytes, const char *note)
{
	char human[SIZE_TEXT], exact[SIZE_TEXT];

	fprintf(f, "    %-26s %12s %20s B  %s\n", name, size_human(human, bytes),
	    size_commas(exact, bytes), note);
}

static const char *
where(const struct module *m, const struct eager *e, bool torch)
{
	return arena_printf(m->arena, "%s; the peak is in %s", torch ? "exact" :
	    "as in PyTorch: another order may keep more", e->at ? e->at->path :
	    e->phase == PHASE_UPDATE ? "the update" : "the step");
}

static void
print_one(FILE *f, const struct module *m, enum framework as)
{
	bool torch = as == FRAMEWORK_PYTORCH;
	struct forecast c;

	fprintf(f, "\n  as %s\n", framework_name(as));
	forecast(m, as, micro_batch(m), &c);
	if (!c.known) {
		fprintf(f, "    no forecast: %s\n", c.why_not);
		return;
	}
	row(f, "tensors", c.tensors, where(m, &c.eager, torch));
	if (c.unrolled)
		row(f, "unrolled layer", c.unrolled, "locally-connected, all at once");
	row(f, "in the allocator's blocks", c.allocated, torch ? "rounded to 512 B" :
	    "rounded to 256 B");
	row(f, "reserved", c.reserved, torch ? "in segments, never given back" :
	    "in regions that double; by default it takes the whole card");
	row(f, "context and kernels", context_bytes(m), "an estimate");
	fprintf(f, "    %-26s %12s %22s  they come on top\n", "libraries' workspaces", "unknown", "");
	row(f, "at least", c.allocated + context_bytes(m), "an estimate");
	row(f, "while there is room", c.reserved + context_bytes(m), "an estimate");
}

void
forecast_findings(struct diags *d, const struct module *m, const struct words *as)
{
	int64_t memory = m->set.device.memory, need;
	char need_text[SIZE_TEXT], memory_text[SIZE_TEXT], bytes[SIZE_TEXT];
	struct forecast c;
	struct diag *g;
	int i;

	for (i = 0; m->plan && m->set.device.given && memory > 0 && i < as->n; i++) {
		forecast(m, (enum framework)find(as->word[i]), micro_batch(m), &c);
		need = c.allocated + context_bytes(m);
		if (!c.known || need <= memory)
			continue;
		g = diag_add(d, SEV_WARNING, "oom", m->set.device.loc.src ? m->set.device.loc :
		    m->loc, "as %s, network '%s' would not fit: at least %s at batch %lld, and the "
		    "device has %s", as->word[i], m->name, size_human(need_text, need),
		    (long long)micro_batch(m), size_human(memory_text, memory));
		diag_fact(d, g, "tensors at the peak: %s B, %s", size_commas(bytes, c.tensors),
		    where(m, &c.eager, c.framework == FRAMEWORK_PYTORCH));
		if (c.unrolled)
			diag_fact(d, g, "a locally-connected layer, unrolled: %s B",
			    size_commas(bytes, c.unrolled));
		diag_fact(d, g, "in blocks of its allocator: %s B; reserved while there is room: "
		    "%s B (an estimate)", size_commas(bytes, c.allocated),
		    size_commas(need_text, c.reserved));
		diag_fact(d, g, "context and kernels: %s B (an estimate); workspaces of libraries, "
		    "unknown, come on top", size_commas(bytes, context_bytes(m)));
	}
}

void
forecast_text(FILE *f, const struct module *m, const struct words *as)
{
	char human[SIZE_TEXT];
	int i;

	fprintf(f, "%s at batch %lld elsewhere, by models of those frameworks; here %s\n", m->name,
	    (long long)micro_batch(m), size_human(human, m->plan->arena_bytes));
	for (i = 0; i < as->n; i++)
		print_one(f, m, (enum framework)find(as->word[i]));
}

static void
write_one(struct json *j, const struct module *m, enum framework as)
{
	struct forecast c;

	forecast(m, as, micro_batch(m), &c);
	json_object(j, NULL);
	json_string(j, "as", framework_name(as));
	json_bool(j, "estimate", true);
	if (!c.known) {
		json_string(j, "unknown", c.why_not);
		json_end(j);
		return;
	}
	json_int(j, "tensor_bytes", c.tensors);
	json_int(j, "unrolled_bytes", c.unrolled);
	json_int(j, "allocated_bytes", c.allocated);
	json_int(j, "reserved_bytes", c.reserved);
	json_int(j, "context_bytes", context_bytes(m));
	json_null(j, "workspace_bytes");
	json_int(j, "at_least_bytes", c.allocated + context_bytes(m));
	json_int(j, "with_room_bytes", c.reserved + context_bytes(m));
	json_end(j);
}

void
forecast_json(FILE *f, const struct module *m, const struct words *as)
{
	struct json j;
	int i;

	json_begin(&j, f);
	json_object(&j, NULL);
	json_int(&j, "version", 1);
	json_string(&j, "network", m->name);
	json_int(&j, "batch", micro_batch(m));
	json_int(&j, "arena_bytes", m->plan->arena_bytes);
	json_array(&j, "forecasts");
	for (i = 0; i < as->n; i++)
		write_one(&j, m, (enum framework)find(as->word[i]));
	json_end(&j);
	json_finish(&j);
}
