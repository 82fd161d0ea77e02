/*
 * Advice: tries edits. Each kind of edit offers values from mild to strong (accumulate 2, 4, 8 ..);
 * the mildest one after which the spec fits is found by bisection, since stronger ones take less
 * memory. If no single edit is enough without harm, kinds are combined in the order of their harm
 * until the spec fits, those that turn out unnecessary are removed, and the rest are made as mild
 * as possible; and each kind is tried together with accumulation, which saves most.
 *
 * A trial compiles the edited text in an arena of its own, as any command would.
 */
#include "fit/advice.h"

#include <stdlib.h>
#include <string.h>

#include "fit/whatif.h"
#include "ir/op.h"
#include "passes/passes.h"

struct trial {
	struct edits *edits;
	const char *left;	/* a param that was not edited */
	int64_t arena, batch, samples;	/* bytes; micro-batch; of an update */
	double macs;		/* of an update */
	bool fits, never;
	struct largest largest;	/* where it does not fit */
};

const char *
harm_name(enum harm h)
{
	static const char *const name[HARMS] = {
		[HARM_NONE] = "none", [HARM_TIME] = "time", [HARM_ROUNDING] = "rounding",
		[HARM_STATISTICS] = "batch-statistics", [HARM_TRAINING] = "training",
		[HARM_LAYERS] = "layers", [HARM_DATA] = "data",
	};

	return name[h];
}

/* ---- one trial ---- */

static double
macs_of(const struct graph *g, int64_t batch)
{
	double sum = 0;
	int i;

	for (i = 0; g && i < g->nodes.n; i++)
		if (g->nodes.v[i]->op->macs)
			sum += (double)affine_at(g->nodes.v[i]->op->macs(g->nodes.v[i]), batch);
	return sum;
}

static double
macs_of_update(const struct module *m)
{
	return macs_of(m->train, m->plan->batch) * (double)m->set.accumulate;
}

struct module *
advice_expand(struct advisor *v, struct arena *a, struct edits *e)
{
	return whatif_expand(a, e, v->module->name, v->options);
}

static int64_t
bytes_of(const struct advisor *v, const struct module *m)
{
	return v->takes ? v->takes(m, v->context) : m->plan->arena_bytes;
}

/* The edited spec, planned; NULL where that cannot be. What a search that was cut short leaves is
 * not what the spec's own plan would be, which may do more. Where it fits nevertheless, that plan
 * is made, once. */
static struct module *
plan_edited(struct advisor *v, struct arena *a, struct edits *e)
{
	struct pass_options o = *v->module->options;
	struct module *m;
	bool good;

	if (!passes_afford(v->module)) {
		v->cut_short = true;
		return NULL;
	}
	m = advice_expand(v, a, e);
	o.dump_after = NULL;
	if (!m || m->broken || m->diags->errors)
		return NULL;
	good = passes_run(m, &o) && !m->diags->errors;
	if (!m->cut_short || v->takes)
		return good ? m : NULL;
	if (good && m->plan->arena_bytes <= v->fit->limit && !v->whole) {
		v->whole = true;
		o.search_work = NULL;
		m = advice_expand(v, a, e);
		return passes_run(m, &o) && !m->diags->errors ? m : NULL;
	}
	v->cut_short = true;
	return NULL;
}

/* SEARCH: also for the largest batch, where it does not fit. */
static bool
measure(struct advisor *v, struct arena *a, bool search, struct trial *t)
{
	struct module *m = plan_edited(v, a, t->edits);

	if (!m)
		return false;
	t->arena = bytes_of(v, m);
	t->batch = m->train ? m->plan->batch : m->plan->validate_batch;
	t->samples = m->set.batch;
	t->macs = macs_of_update(m);
	t->fits = t->arena <= v->fit->limit;
	t->never = !t->fits && search && v->never_fits && v->never_fits(m, v->context);
	if (!t->fits && search && !v->takes)
		largest_batch(m, v->fit->limit, &t->largest);
	return true;
}

/* Plans the spec with the steps taken; false when it cannot be written or planned. */
static bool
try_and(struct advisor *v, const struct advice_step *s, int n, bool search, struct trial *t)
{
	bool sets_batch = v->batch == 0, good;
	struct arena *a;
	struct amend m;
	int i;

	memset(t, 0, sizeof(*t));
	amend_init(&m, v->arena, v->file, v->module->name, v->options);
	for (i = 0; i < n; i++) {
		if (!s[i].kind->amend(v, &m, s[i].value))
			return false;
		sets_batch |= s[i].kind->sets_batch;
	}
	if (!sets_batch && !advice_amend_batch(v, &m, v->batch))
		return false;
	t->left = m.left;
	t->edits = amend_done(&m);
	t->edits = memcpy(ARENA_NEW(v->arena, struct edits), t->edits, sizeof(*t->edits));
	if (t->edits->all.n == 0)
		return false;
	a = arena_child(v->arena);
	good = measure(v, a, search, t);
	arena_free(a);
	return good;
}

/* What was tried before, which combinations of edits lead to again. */
struct made {
	struct advice_step step[MOST_STEPS];
	int n;
	bool good;
	struct trial trial;
};

struct trials {
	VEC(struct made) all;
};

static bool
same_steps(const struct advice_step *a, const struct advice_step *b, int n)
{
	while (n-- > 0)
		if (a[n].kind != b[n].kind || a[n].value != b[n].value)
			return false;
	return true;
}

static bool
try_steps(struct advisor *v, const struct advice_step *s, int n, struct trial *t)
{
	struct made made = { .n = n };
	int i;

	for (i = 0; i < v->trials->all.n; i++) {
		const struct made *old = &v->trials->all.v[i];

		if (old->n == n && same_steps(old->step, s, n)) {
			*t = old->trial;
			return old->good;
		}
	}
	made.good = try_and(v, s, n, false, &made.trial);
	memcpy(made.step, s, (size_t)n * sizeof(*s));
	vec_push(v->arena, &v->trials->all, made);
	*t = made.trial;
	return made.good;
}

/* Makes step I as mild as may be: the others as they are. False, with the strongest value, when
 * even that does not fit; a trial of what was chosen in *T. SEARCH: then the largest batch, too. */
static bool
soften(struct advisor *v, struct advice_step *s, int n, int i, bool search, struct trial *t)
{
	struct trial other;
	int nvalues, lo = 0, hi, mid;
	int64_t *value = s[i].kind->values(v, &nvalues);

	if (nvalues == 0)
		return false;
	s[i].value = value[nvalues - 1];
	if (!(search ? try_and(v, s, n, true, t) : try_steps(v, s, n, t)) || !t->fits)
		return false;
	for (hi = nvalues - 1; lo < hi;) {
		mid = lo + (hi - lo) / 2;
		s[i].value = value[mid];
		if (try_steps(v, s, n, &other) && other.fits) {
			*t = other;
			hi = mid;
		} else
			lo = mid + 1;
	}
	s[i].value = value[hi];
	return true;
}

/* ---- advice ---- */

static enum harm
harm_of(const struct advisor *v, const struct advice_kind *k)
{
	if (!v->module->train && k->splits)
		return HARM_NONE;
	return k->splits && v->batch_statistics && k->harm < HARM_STATISTICS ? HARM_STATISTICS :
	    k->harm;
}

/* The steps' words, joined by BETWEEN. */
static const char *
joined(struct advisor *v, const struct advice_step *s, int n, const char *between,
    const char *(*word)(struct advisor *, const struct advice_step *))
{
	struct text t;
	int i, shown = 0;

	text_init(&t, v->arena);
	for (i = 0; i < n; i++) {
		const char *w = word(v, &s[i]);

		if (w)
			text_printf(&t, "%s%s", shown++ ? between : "", w);
	}
	return t.s;
}

static const char *
name_of(struct advisor *v, const struct advice_step *s)
{
	(void)v;
	return s->kind->name;
}

static const char *
title_of(struct advisor *v, const struct advice_step *s)
{
	return s->kind->title(v, s->value);
}

static const char *
note_of(struct advisor *v, const struct advice_step *s)
{
	return s->kind->note(v, s->value);
}

static int64_t
extra_flops(const struct advisor *v, const struct trial *t)
{
	double share = t->samples ? (double)v->module->set.batch / (double)t->samples : 1;
	double extra = 2 * (t->macs * share - macs_of_update(v->module));

	return extra > 9e18 ? INT64_MAX : extra < -9e18 ? -INT64_MAX : (int64_t)extra;
}

static bool
known(const struct advisor *v, const char *patch)
{
	int i;

	for (i = 0; i < v->all.n; i++)
		if (strcmp(v->all.v[i].patch, patch) == 0)
			return true;
	return false;
}

static void
add(struct advisor *v, const struct advice_step *s, int n, const struct trial *t)
{
	struct advice d = { .edits = t->edits, .steps = n, .arena = t->arena, .fits = t->fits,
		.never = t->never };
	struct text patch;
	bool keeps = true;
	int i;

	text_init(&patch, v->arena);
	edits_diff(t->edits, &patch);
	d.patch = patch.s;
	d.saved = bytes_of(v, v->module) - t->arena;
	if (d.saved <= 0 || known(v, d.patch))
		return;
	for (i = 0; i < n; i++) {
		enum harm h = harm_of(v, s[i].kind);

		d.harm = h > d.harm ? h : d.harm;
		keeps &= s[i].kind->keeps_update;
	}
	d.kind = joined(v, s, n, "+", name_of);
	d.title = joined(v, s, n, ", ", title_of);
	d.note = joined(v, s, n, "\n", note_of);
	if (t->left)
		d.note = arena_printf(v->arena, "%s\n%s", d.note, t->left);
	if (n > 1 && d.harm >= v->least)	/* one edit does as well */
		return;
	d.extra_flops = extra_flops(v, t);
	d.batch = t->fits ? t->batch : t->largest.batch;
	d.proved = t->fits || t->largest.proved;
	if (n == 1 && t->fits && keeps && d.harm < v->least)
		v->least = d.harm;
	vec_push(v->arena, &v->all, d);
}

static void
add_single(struct advisor *v, const struct advice_kind *k)
{
	struct advice_step s = { .kind = k };
	struct trial t = { .edits = NULL };

	if (soften(v, &s, 1, 0, true, &t) || t.arena > 0)
		add(v, &s, 1, &t);
}

/* Takes away what is needless, then makes the rest mild, the most harmful first. */
static void
refine(struct advisor *v, struct advice_step *s, int n)
{
	struct trial t;
	int i;

	for (i = n - 1; i >= 0 && n > 1; i--) {
		struct advice_step without[MOST_STEPS];

		memcpy(without, s, (size_t)n * sizeof(*s));
		memmove(without + i, without + i + 1, (size_t)(n - 1 - i) * sizeof(*s));
		if (try_steps(v, without, n - 1, &t) && t.fits) {
			memcpy(s, without, (size_t)--n * sizeof(*s));
		}
	}
	for (i = n - 1; i >= 0; i--)
		soften(v, s, n, i, false, &t);
	if (try_steps(v, s, n, &t) && t.fits)
		add(v, s, n, &t);
}

/* The strongest of a kind, as one step more; false when the kind is not for this network. */
static bool
strongest(struct advisor *v, const struct advice_kind *k, struct advice_step *s)
{
	int n;
	int64_t *value = k->keeps_update ? k->values(v, &n) : NULL;

	if (!value || n == 0)
		return false;
	*s = (struct advice_step){ k, value[n - 1] };
	return true;
}

/* The kinds in the order of their harm to this network, up to where one edit does as well. */
static int
by_harm(const struct advisor *v, const struct advice_kind *kind[MOST_STEPS])
{
	const struct advice_kind *k;
	int h, n = 0;

	for (h = 0; h < (int)v->least; h++)
		for (k = advice_kinds; k->name && n < MOST_STEPS; k++)
			if ((int)harm_of(v, k) == h)
				kind[n++] = k;
	return n;
}

static void
add_up(struct advisor *v)
{
	const struct advice_kind *kind[MOST_STEPS];
	struct advice_step s[MOST_STEPS];
	int64_t arena = v->module->plan->arena_bytes;
	int kinds = by_harm(v, kind), i, n = 0;
	struct trial t;

	for (i = 0; i < kinds; i++) {
		if (!strongest(v, kind[i], &s[n]) || !try_steps(v, s, n + 1, &t) ||
		    t.arena >= arena)
			continue;
		arena = t.arena;
		n++;
		if (t.fits) {
			refine(v, s, n);
			return;
		}
	}
}

static void
add_pairs(struct advisor *v)
{
	const struct advice_kind *kind[MOST_STEPS];
	int kinds = by_harm(v, kind), i, j;
	struct advice_step s[2];
	struct trial t;

	for (j = 0; j < kinds && !kind[j]->splits; j++)
		;
	for (i = 0; j < kinds && i < kinds; i++)
		if (i != j && strongest(v, kind[i < j ? i : j], &s[0]) &&
		    strongest(v, kind[i < j ? j : i], &s[1]) && try_steps(v, s, 2, &t) && t.fits)
			refine(v, s, 2);
}

static int
better(const void *x, const void *y)
{
	const struct advice *a = x, *b = y;

	if (a->fits != b->fits)
		return a->fits ? -1 : 1;
	if (a->harm != b->harm)
		return a->harm < b->harm ? -1 : 1;
	if (a->steps != b->steps)
		return a->steps < b->steps ? -1 : 1;
	if (a->arena != b->arena)
		return a->arena < b->arena ? -1 : 1;
	return strcmp(a->patch, b->patch);
}

/* A layer that keeps running statistics takes them from the batch, unless they are frozen. */
bool
advice_normalises(const struct module *m)
{
	int i;

	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->kind == T_STATISTIC && !m->persistent.v[i]->frozen)
			return true;
	return false;
}

void
advise(struct advisor *v)
{
	const struct advice_kind *k;

	v->batch_statistics = advice_normalises(v->module);
	v->least = HARMS;
	v->trials = ARENA_NEW(v->arena, struct trials);
	for (k = advice_kinds; k->name; k++)
		if (!v->offered || v->offered(k->name, v->context))
			add_single(v, k);
	if (!v->offered) {
		add_up(v);
		add_pairs(v);
	}
	if (v->all.n)
		qsort(v->all.v, (size_t)v->all.n, sizeof(*v->all.v), better);
}
