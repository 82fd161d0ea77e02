/* Forecasts of other frameworks, item by item; what they leave out is among the items. */
#include "cli/forecast_text.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "frameworks/forecast.h"
#include "plan/plan.h"

struct asked {
	VEC(const struct framework *) all;
};

/* The framework of N letters at S; NULL: none. */
static const struct framework *
find(const char *s, size_t n)
{
	int i;

	for (i = 0; framework_table[i]; i++)
		if (strlen(framework_table[i]->name) == n &&
		    strncmp(framework_table[i]->name, s, n) == 0)
			break;
	return framework_table[i];
}

/* "pytorch,tf": the end of its first name. */
static const char *
name_end(const char *s)
{
	return s + strcspn(s, ",");
}

/* Those asked for, each once and in their order. */
static struct asked
asked_of(const struct module *m, const struct words *as)
{
	struct asked to = { .all = { NULL, 0, 0 } };
	const struct framework *f;
	const char *s;
	int i, k;

	for (i = 0; i < as->n; i++)
		for (s = as->word[i]; *s; s = name_end(s) + (*name_end(s) == ',')) {
			f = find(s, (size_t)(name_end(s) - s));
			for (k = 0; k < to.all.n && to.all.v[k] != f; k++)
				;
			if (f && k == to.all.n)
				vec_push(m->arena, &to.all, f);
		}
	return to;
}

bool
forecast_asked(const struct words *as, const struct framework *f)
{
	const char *s;
	int i;

	for (i = 0; i < as->n; i++)
		for (s = as->word[i]; *s; s = name_end(s) + (*name_end(s) == ','))
			if (find(s, (size_t)(name_end(s) - s)) == f)
				return true;
	return false;
}

static bool
check_name(const struct command *c, const char *s, size_t n)
{
	char word[64], list[TEXT_LIST];
	const char *near;

	if (find(s, n))
		return true;
	snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : sizeof(word) - 1), s);
	near = text_nearest_of(word, framework_name);
	usage_error(c, "--as: unknown framework '%s'%s%s%s; expected %s, or several with commas",
	    word, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
	    text_list(list, sizeof(list), framework_name, " or "));
	return false;
}

bool
forecast_check(const struct command *c, const struct words *as)
{
	const char *s;
	int i;

	for (i = 0; i < as->n; i++) {
		for (s = as->word[i]; *name_end(s); s = name_end(s) + 1)
			if (!check_name(c, s, (size_t)(name_end(s) - s)))
				return false;
		if (!check_name(c, s, strlen(s)))
			return false;
	}
	return true;
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

static void
interval(FILE *f, const char *name, int64_t low, int64_t high, const char *note)
{
	char least[SIZE_TEXT], most[SIZE_TEXT];

	fprintf(f, "    %-26s %12s to %s%s%s\n", name, size_human(least, low), size_human(most, high),
	    *note ? "  " : "", note);
}

static const char *
where(const struct module *m, const struct forecast *c)
{
	const struct eager *e = &c->eager;
	const char *at = e->at ? e->at->path : e->phase == PHASE_UPDATE ? "the update" : "the step";
	const char *without_scores = forecast_without_scores(m);
	const char *reserve = e->reserve ? "how large cuDNN's reserve is a card alone tells" : "";
	const char *are = !e->reserve && !e->least ? c->framework->tensors : arena_printf(m->arena, "at least: %s%s%s",
	    reserve, e->reserve && e->least ? "; " : "", e->least ? e->least : "");

	if (without_scores)
		are = arena_printf(m->arena, "%s; %s", are, without_scores);
	if (c->validating)
		return arena_printf(m->arena, "%s; the peak is in validation at batch %lld, %s", are,
		    (long long)e->batch, at);
	return arena_printf(m->arena, "%s; the peak is in %s", are, at);
}

/* What the upper end rests on, of what nobody can know. */
static const char *
unknown_at_most(const struct forecast *c)
{
	return c->eager.reserve ? "taken as twice a recurrent layer's cells, and a convolution's operands, at most" :
	    "as large as a convolution's operands at most";
}

/* "at batch 8", or where validation decides, its own. */
static const char *
at_batch(const struct module *m, const struct forecast *c)
{
	return arena_printf(m->arena, c->validating ? "in validation at batch %lld" :
	    "at batch %lld", (long long)c->eager.batch);
}

/* "cuDNN's workspaces", "libraries' workspaces" */
static const char *
unknown(const struct module *m, const struct framework *f)
{
	size_t n = strlen(f->unknown);

	return arena_printf(m->arena, "%s%s workspaces", f->unknown,
	    n && f->unknown[n - 1] == 's' ? "'" : "'s");
}

static void
print_one(FILE *f, const struct module *m, const struct framework *as)
{
	const struct allocator *allocator = as->allocator;
	char low[SIZE_TEXT];
	struct forecast c;

	fprintf(f, "\n  as %s\n", as->name);
	forecast(m, as, micro_batch(m), &c);
	if (!c.known) {
		fprintf(f, "    no forecast: %s\n", c.why_not);
		return;
	}
	row(f, "tensors", c.tensors, where(m, &c));
	if (c.unrolled)
		row(f, "unrolled layer", c.unrolled, "locally-connected, all at once");
	if (allocator) {
		row(f, "in the allocator's blocks", c.allocated, allocator->rounds);
		row(f, "reserved", c.reserved, allocator->reserves);
	}
	if (c.blas)
		row(f, "cuBLAS's workspaces", c.blas, "an estimate; kept from the first step on");
	fprintf(f, "    %-26s %12s %22s  %s\n", unknown(m, as), "unknown", "", unknown_at_most(&c));
	interval(f, "peak of the allocator", c.low, c.high, as->exact ? "" : "or more: another order may keep more");
	row(f, "context and kernels", c.context, arena_printf(m->arena, "an estimate, from %s to a quarter more",
	    size_human(low, c.context_low)));
	interval(f, "of the card", c.card_low, c.card_high, "an estimate");
}

void
forecast_findings(struct diags *d, const struct module *m, const struct words *as)
{
	int64_t memory = m->set.device.memory;
	struct asked asked = asked_of(m, as);
	char need_text[SIZE_TEXT], memory_text[SIZE_TEXT], bytes[SIZE_TEXT];
	struct forecast c;
	struct diag *g;
	int i;

	for (i = 0; m->plan && m->set.device.given && memory > 0 && i < asked.all.n; i++) {
		forecast(m, asked.all.v[i], micro_batch(m), &c);
		if (!c.known || c.card_low <= memory)
			continue;
		g = diag_add(d, SEV_WARNING, "oom", m->set.device.loc.src ? m->set.device.loc :
		    m->loc, "as %s, network '%s' would not fit: at least %s %s, and the "
		    "device has %s", asked.all.v[i]->name, m->name,
		    size_human(need_text, c.card_low), at_batch(m, &c),
		    size_human(memory_text, memory));
		diag_fact(d, g, "tensors at the peak: %s B, %s", size_commas(bytes, c.tensors),
		    where(m, &c));
		if (c.unrolled)
			diag_fact(d, g, "a locally-connected layer, unrolled: %s B",
			    size_commas(bytes, c.unrolled));
		diag_fact(d, g, "in blocks of its allocator: %s B; reserved while there is room: "
		    "%s B (an estimate)", size_commas(bytes, c.allocated),
		    size_commas(need_text, c.reserved));
		if (c.blas)
			diag_fact(d, g, "cuBLAS's workspaces: %s B (an estimate)",
			    size_commas(bytes, c.blas));
		diag_fact(d, g, "context and kernels: %s B or more (an estimate); workspaces of %s, "
		    "unknown, come on top: at most %s B of the card together",
		    size_commas(bytes, c.card_low - c.low), c.framework->unknown,
		    size_commas(need_text, c.card_high));
	}
}

const char *
forecast_answer(const struct module *m, const struct framework *as)
{
	int64_t memory = m->set.device.given ? m->set.device.memory : 0;
	char least[SIZE_TEXT], most[SIZE_TEXT], memory_text[SIZE_TEXT];
	struct forecast c;

	forecast(m, as, micro_batch(m), &c);
	if (!c.known)
		return arena_printf(m->arena, "as %s, network '%s' has no forecast: %s",
		    as->name, m->name, c.why_not);
	if (memory > 0 && c.card_low > memory)
		return NULL;
	return arena_printf(m->arena, "as %s, network '%s' takes at least %s, at most %s %s (an "
	    "estimate%s%s), and %s%s%s", as->name, m->name, size_human(least, c.card_low),
	    size_human(most, c.card_high), at_batch(m, &c), c.assumes ? "; " : "", c.assumes ? c.assumes : "",
	    memory > 0 ? "the device has " : "the spec names no device",
	    memory > 0 ? size_human(memory_text, memory) : "",
	    memory > 0 && c.card_high > memory ? ": it may not fit" : "");
}

void
forecast_text(FILE *f, const struct module *m, const struct words *as)
{
	struct asked asked = asked_of(m, as);
	char human[SIZE_TEXT];
	int i;

	fprintf(f, "%s at batch %lld elsewhere, by models of those frameworks; here %s\n", m->name,
	    (long long)micro_batch(m), size_human(human, m->plan->arena_bytes));
	for (i = 0; i < asked.all.n; i++)
		print_one(f, m, asked.all.v[i]);
}

static void
write_one(struct json *j, const struct module *m, const struct framework *as)
{
	struct forecast c;

	forecast(m, as, micro_batch(m), &c);
	jsonw_object(j, NULL);
	jsonw_string(j, "as", as->name);
	jsonw_bool(j, "estimate", true);
	if (!c.known) {
		jsonw_string(j, "unknown", c.why_not);
		jsonw_end(j);
		return;
	}
	jsonw_int(j, "tensor_bytes", c.tensors);
	jsonw_int(j, "rnn_reserve_bytes", c.eager.reserve);
	jsonw_int(j, "unrolled_bytes", c.unrolled);
	jsonw_int(j, "allocated_bytes", c.allocated);
	jsonw_int(j, "reserved_bytes", c.reserved);
	jsonw_int(j, "context_bytes", c.context);
	jsonw_int(j, "context_least_bytes", c.context_low);
	jsonw_int(j, "blas_bytes", c.blas);
	jsonw_null(j, "workspace_bytes");
	jsonw_string(j, "peak_in", c.validating ? "validation" : "training");
	jsonw_int(j, "peak_batch", c.eager.batch);
	jsonw_int(j, "low_bytes", c.low);
	jsonw_int(j, "high_bytes", c.high);
	jsonw_int(j, "at_least_bytes", c.card_low);
	jsonw_int(j, "at_most_bytes", c.card_high);
	jsonw_end(j);
}

void
forecast_json(FILE *f, const struct module *m, const struct words *as)
{
	struct asked asked = asked_of(m, as);
	struct json j;
	int i;

	jsonw_begin(&j, f);
	jsonw_object(&j, NULL);
	jsonw_int(&j, "version", 1);
	jsonw_string(&j, "network", m->name);
	jsonw_int(&j, "batch", micro_batch(m));
	jsonw_int(&j, "arena_bytes", m->plan->arena_bytes);
	jsonw_array(&j, "forecasts");
	for (i = 0; i < asked.all.n; i++)
		write_one(&j, m, asked.all.v[i]);
	jsonw_end(&j);
	jsonw_finish(&j);
}
