/* The answer of stowage fit for people: first what was asked, then the figures behind it. */
#include "commands/fit_report.h"

#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "fit/idle.h"

static const char *
batch_word(const struct module *m)
{
	return m->train && settings_shares(&m->set) > 1 ? "micro-batch" : "batch";
}

/* "proved" is that the next batch cannot be placed at all, not only that it was not. */
static const char *
proof_word(const struct fit *f)
{
	return f->largest.proved ? "proved" : "not proved";
}

static void
bold(const struct fit_report *r, const char *code)
{
	if (r->colour)
		fputs(code, r->out);
}

static void
print_verdict(const struct fit_report *r, const struct fit *f)
{
	const struct largest *l = &f->largest;
	const char *word = batch_word(r->module);
	char memory[SIZE_TEXT];

	bold(r, f->fits ? "\033[1;32m" : "\033[1;31m");
	fprintf(r->out, "%s %lld %s in %s", word, (long long)f->wanted,
	    f->fits ? "fits" : "does not fit", size_human(memory, f->memory));
	bold(r, "\033[0m");
	if (l->batch == 0)
		fprintf(r->out, "; not even one sample does (%s)\n", proof_word(f));
	else if (l->endless)
		fprintf(r->out, "; so does every batch there is\n");
	else
		fprintf(r->out, "; the largest that does is %s%lld%s (%s)\n",
		    r->colour ? "\033[1m" : "", (long long)l->batch, r->colour ? "\033[0m" : "",
		    proof_word(f));
}

static void
row(const struct fit_report *r, const char *name, int64_t bytes)
{
	char human[SIZE_TEXT], exact[SIZE_TEXT];

	fprintf(r->out, "  %-24s %12s %20s B", name, size_human(human, bytes),
	    size_commas(exact, bytes));
}

/* Bytes that are to be within the limit. */
static void
print_need(const struct fit_report *r, const char *what, int64_t bytes, const struct fit *f)
{
	char over[SIZE_TEXT];

	row(r, what, bytes);
	fprintf(r->out, "  %s%s\n", size_human(over, bytes > f->limit ? bytes - f->limit :
	    f->limit - bytes), bytes > f->limit ? " too many" : " to spare");
}

static void
print_plan(const struct fit_report *r, const char *what, int64_t batch, int64_t bytes,
    const struct fit *f)
{
	char name[64];

	snprintf(name, sizeof(name), "%s at %lld", what, (long long)batch);
	print_need(r, name, bytes, f);
}

static void
print_reserve(const struct fit_report *r, const struct fit *f)
{
	int i;

	for (i = 0; i < f->reserve.n; i++) {
		row(r, i ? "" : "reserve", f->reserve.v[i].bytes);
		fprintf(r->out, "  %s%s\n", f->reserve.v[i].what,
		    f->reserve_given ? "" : " (an estimate)");
	}
	if (f->reserve.n) {
		row(r, "left for the arena", f->limit);
		putc('\n', r->out);
	}
}

static void
print_figures(const struct fit_report *r, const struct fit *f)
{
	const struct module *m = r->module;
	const struct largest *l = &f->largest;

	putc('\n', r->out);
	row(r, "memory", f->memory);
	fprintf(r->out, "%s%s\n", m->set.device.name && m->set.device.memory == f->memory ? "  " :
	    "", m->set.device.name && m->set.device.memory == f->memory ? m->set.device.name : "");
	print_reserve(r, f);
	if (f->wanted != l->batch)
		print_plan(r, "arena", f->wanted, f->arena, f);
	if (l->batch > 0)
		print_plan(r, "arena", l->batch, l->at.arena, f);
	if (l->fixed)
		print_need(r, m->train ? "parameters and state" : "parameters", l->next.bound, f);
	else if (l->next_batch && l->next.arena < INT64_MAX) {
		if ((l->searched || l->next.arena != l->next.bound) && l->next_batch != f->wanted)
			print_plan(r, "arena", l->next_batch, l->next.arena, f);
		if (!l->searched)
			print_plan(r, "lower bound", l->next_batch, l->next.bound, f);
	}
	if (f->validation)
		print_plan(r, "validation", m->plan->validate_batch, f->validation, f);
}

static void
print_fewest(const struct fit_report *r)
{
	const struct fewest *w = r->fewest;
	const struct module *m = r->module;
	char arena[SIZE_TEXT];

	if (!w)
		return;
	if (w->ranks)
		fprintf(r->out, "\n  An update of %lld samples fits on %lld rank%s, the fewest%s: micro-batches of %lld, arena %s.\n",
		    (long long)m->set.batch, (long long)w->ranks, w->ranks > 1 ? "s" : "",
		    r->answer->largest.proved ? "" : " that are known", (long long)w->batch, size_human(arena, w->arena));
	else
		fprintf(r->out, "\n  No number of ranks is known on which an update of %lld samples fits.\n",
		    (long long)m->set.batch);
}

/* "1.23 TFLOP" */
static const char *
flops_text(char buf[SIZE_TEXT], double n)
{
	static const char unit[] = " kMGTPE";
	int u = 0;

	for (; n >= 1000 && u < 6; n /= 1000)
		u++;
	snprintf(buf, SIZE_TEXT, u ? "%.3g %cFLOP" : "%.0f FLOP", n, unit[u]);
	return buf;
}

/* The edit that only recomputes more and makes it fit; 0: there is none. */
static int
find_recomputing(const struct fit_report *r)
{
	int i;

	for (i = 0; i < r->nadvice && r->advice[i].fits; i++)
		if (strcmp(r->advice[i].kind, "recompute") == 0)
			return i + 1;
	return 0;
}

/* The verdict is of what the spec recomputes as it stands, however well it is proved. */
static void
print_recomputing(const struct fit_report *r, const struct fit *f)
{
	int edit = find_recomputing(r);
	char flops[SIZE_TEXT];

	if (!edit || f->fits)
		return;
	fprintf(r->out, "\n  That is with what the spec recomputes. With more it fits, by edit %d", edit);
	if (r->advice[edit - 1].extra_flops > 0)
		fprintf(r->out, ", for %s more an update", flops_text(flops, (double)r->advice[edit - 1].extra_flops));
	fputs(".\n", r->out);
}

static void
print_unproved(const struct fit_report *r, const struct largest *l)
{
	if (l->proved)
		return;
	if (!l->searched)
		fprintf(r->out, "\n  Not proved: %lld was planned and does not fit, but no bound forbids it.\n", (long long)l->next_batch);
	else if (!l->next_batch)
		fputs("\n  Not proved: larger ones were not tried, since searches for what to make again used up their effort.\n", r->out);
	else
		fprintf(r->out, "\n  Not proved: no choice of what to make again was found with which %lld fits%s.\n", (long long)l->next_batch,
		    l->next_batch > l->batch + 1 ? "; those\n  between were not tried" : "");
}

static void
print_notes(const struct fit_report *r, const struct fit *f)
{
	print_recomputing(r, f);
	print_unproved(r, &f->largest);
	if (f->validation)
		fprintf(r->out, "\n  Validation has a batch of its own, %lld, and does not fit by "
		    "itself: no smaller training\n  batch changes that.\n",
		    (long long)r->module->plan->validate_batch);
}

/* One line a memory. */
static void
print_table(const struct fit_report *r)
{
	char a[SIZE_TEXT], b[SIZE_TEXT], c[SIZE_TEXT];
	int i;

	fprintf(r->out, "\n  %12s %12s %14s %12s   %-10s  %s %lld\n", "memory", "reserve",
	    "largest batch", "arena", "", batch_word(r->module), (long long)r->answer[0].wanted);
	for (i = 0; i < r->nanswers; i++) {
		const struct fit *f = &r->answer[i];

		fprintf(r->out, "  %12s %12s %14lld %12s   %-10s  %s\n", size_human(a, f->memory),
		    size_human(b, f->reserved), (long long)f->largest.batch, f->largest.batch ?
		    size_human(c, f->largest.at.arena) : "-", proof_word(f),
		    f->fits ? "fits" : "does not fit");
	}
}

/* ---- other frameworks ---- */

/* "9 to 11" */
static void
print_range(const struct fit_report *r, const struct elsewhere *e)
{
	if (e->high == 0 && e->wanted.validating && r->module->set.validate_fixed)
		fprintf(r->out, "none, for validation's own batch");
	else if (e->high == 0)
		fprintf(r->out, "not even one sample");
	else if (e->low == e->high)
		fprintf(r->out, "%lld", (long long)e->high);
	else
		fprintf(r->out, "%lld to %lld", (long long)e->low, (long long)e->high);
	if (e->high == FORECAST_MOST)
		fprintf(r->out, " or more");
}

static void
print_one_elsewhere(const struct fit_report *r, const struct elsewhere *e, int64_t wanted)
{
	static const char *const verdict[] = { [ELSEWHERE_NO] = "does not fit",
		[ELSEWHERE_PERHAPS] = "may fit", [ELSEWHERE_YES] = "fits" };
	char memory[SIZE_TEXT], least[SIZE_TEXT], most[SIZE_TEXT];

	fprintf(r->out, "  %-10s %12s  ", e->framework->name, size_human(memory, e->memory));
	if (!e->wanted.known) {
		fprintf(r->out, "unknown: %s\n", e->wanted.why_not);
		return;
	}
	print_range(r, e);
	fprintf(r->out, "; %lld %s: %s to %s", (long long)wanted, verdict[e->fits],
	    size_human(least, e->least), size_human(most, e->most));
	if (e->wanted.validating)
		fprintf(r->out, ", in validation at batch %lld", (long long)e->wanted.eager.batch);
	if (e->wanted.assumes && e->low > 0)
		fprintf(r->out, "; %s", e->wanted.assumes);
	putc('\n', r->out);
}

static void
print_elsewhere(const struct fit_report *r)
{
	int i;

	if (r->nelsewhere)
		fprintf(r->out, "\nThe largest %s elsewhere, by models of those frameworks (an estimate):"
		    "\n\n", batch_word(r->module));
	for (i = 0; i < r->nelsewhere * r->nanswers; i++)
		print_one_elsewhere(r, &r->elsewhere[i], r->answer->wanted);
}

/* ---- edits ---- */

/* The changed lines of a patch. */
static void
print_changes(const struct fit_report *r, const char *patch)
{
	const char *s, *end;

	for (s = patch; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "\n");
		if ((*s != '+' && *s != '-') || strncmp(s, "--- ", 4) == 0 ||
		    strncmp(s, "+++ ", 4) == 0)
			continue;
		bold(r, *s == '+' ? "\033[32m" : "\033[31m");
		fprintf(r->out, "     %.*s", (int)(end - s - (end > s && end[-1] == '\r')), s);
		bold(r, "\033[0m");
		putc('\n', r->out);
	}
}

static void
print_note(const struct fit_report *r, const char *note)
{
	const char *s;
	size_t n;

	for (s = note; *s; s += n + (s[n] == '\n')) {
		n = strcspn(s, "\n");
		fprintf(r->out, "     %.*s\n", (int)n, s);
	}
}

static void
print_edit(const struct fit_report *r, int number)
{
	const struct advice *d = &r->advice[number - 1];
	char arena[SIZE_TEXT], saved[SIZE_TEXT], flops[SIZE_TEXT];

	fprintf(r->out, "\n%3d  ", number);
	bold(r, "\033[1m");
	fputs(d->title, r->out);
	bold(r, "\033[0m");
	fprintf(r->out, "\n     %s, %s less", size_human(arena, d->arena),
	    size_human(saved, d->saved));
	if (d->extra_flops)
		fprintf(r->out, ", %s %s an update", flops_text(flops, d->extra_flops > 0 ?
		    (double)d->extra_flops : -(double)d->extra_flops),
		    d->extra_flops > 0 ? "more" : "less");
	if (!d->fits && d->batch)
		fprintf(r->out, "; then %lld would fit", (long long)d->batch);
	else if (!d->fits)
		fprintf(r->out, "; then not even one sample would fit");
	putc('\n', r->out);
	print_note(r, d->note);
	print_changes(r, d->patch);
}

static void
print_idle(const struct fit_report *r)
{
	const struct idle_advice *v;

	fprintf(r->out, "\nNo effect on the device, 0 B:\n\n");
	for (v = idle_advice; v->what; v++)
		fprintf(r->out, "     %s: %s\n", v->what, v->why);
}

/* What is set aside grows with the memory, so that the sum is not too much. */
static void
print_nothing_left(const struct fit_report *r, const struct fit *f)
{
	char least[SIZE_TEXT], bound[SIZE_TEXT];

	fprintf(r->out, "\nNo edit makes it fit: what is set aside leaves nothing for the arena. As the spec stands, one\n"
	    "sample needs at least %s, of which the arena %s.\n",
	    size_human(least, f->reserved + f->largest.next.bound), size_human(bound, f->largest.next.bound));
}

static void
print_edits(const struct fit_report *r)
{
	int i;

	for (i = 0; i < r->nadvice; i++) {
		if (i == 0 && r->advice[i].fits)
			fprintf(r->out, "\nWhat makes it fit, the least harm first:\n");
		if ((i == 0 || r->advice[i - 1].fits) && !r->advice[i].fits)
			fprintf(r->out, "\nWhat is not enough by itself:\n");
		print_edit(r, i + 1);
	}
	if (r->applied)
		fprintf(r->out, "\nEdit %d was written to %s.\n", r->applied,
		    r->module->src->path);
	else if (r->answer->limit == 0)
		print_nothing_left(r, r->answer);
	else if (!r->answer->fits && r->nadvice == 0 && !r->cut_short)
		fprintf(r->out, "\nNo edit that is known here makes it smaller.\n");
	if (r->cut_short && !r->applied)
		fprintf(r->out, "\nA search used up its effort: more may fit than is said here.\n");
	if (!r->answer->fits && !r->applied)
		print_idle(r);
}

void
fit_text(const struct fit_report *r)
{
	const struct module *m = r->module;

	fprintf(r->out, "%s in ", m->name);
	print_visible(r->out, m->src->path);
	fprintf(r->out, ", target %s", m->plan->target->name);
	if (m->train && settings_data_ranks(&m->set) > 1)
		fprintf(r->out, "; %lld micro-batch%s on each of %lld ranks, together an update of %lld samples",
		    (long long)m->set.accumulate, m->set.accumulate > 1 ? "es" : "", (long long)m->set.ranks,
		    (long long)m->set.batch);
	else if (m->train && m->set.accumulate > 1)
		fprintf(r->out, "; %lld micro-batches make an update of %lld samples",
		    (long long)m->set.accumulate, (long long)m->set.batch);
	putc('\n', r->out);
	if (r->nanswers > 1) {
		print_table(r);
		print_elsewhere(r);
		return;
	}
	print_verdict(r, r->answer);
	print_figures(r, r->answer);
	print_notes(r, r->answer);
	print_fewest(r);
	print_elsewhere(r);
	print_edits(r);
}
