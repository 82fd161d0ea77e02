/*
 * loose-bound: room for more parts of a picture than nearly all pictures of the data have. Parts
 * are counted in the files that describe the pictures; a bound that all of them fit, or all but one
 * in a hundred, is written into the spec, compiled and planned.
 */
#include "rulekit/data_look.h"
#include "rulekit/edited_spec.h"
#include "rulekit/fix_edits.h"

#include <string.h>

#include "readers/parts.h"

#define LOOSE	2	/* times as much room as is enough */
#define STEP	4	/* bounds that are proposed are multiples of it */
#define FEW	100	/* one picture in so many is not what a bound is for */

struct counted {		/* of all pictures */
	int64_t pictures;
	int64_t most;		/* parts of one */
	int64_t usual;		/* that all have at most but one in FEW */
	int64_t within;		/* pictures that have no more than that */
	int64_t *with;		/* by parts: so many pictures */
	bool apart;		/* validation has pictures or parts of its own */
};

/* ---- the data ---- */

/* The same pictures, of which the same parts are used? Arguments may choose others of one file. */
static bool
same_parts(const struct data_source *const *source, const struct data_parts *part)
{
	const struct data_source *a = source[0], *b = source[1];

	return a->reader == b->reader && strcmp(a->file[0], b->file[0]) == 0 && a->skip_every == b->skip_every &&
	    a->keep_every == b->keep_every && part[0].pictures == part[1].pictures &&
	    memcmp(part[0].parts, part[1].parts, (size_t)part[0].pictures * sizeof(*part[0].parts)) == 0;
}

/* Of training and of validation, where that has pictures or parts of its own. False where either is
 * not known. */
static bool
look(const struct lint *l, bool crowds, struct counted *c)
{
	const struct settings *set = &l->module->set;
	const struct data_source *source[2] = { set->train ? &set->data : NULL, set->validate ? &set->validate_data : NULL };
	struct data_parts part[2] = { { 0, NULL }, { 0, NULL } };
	int64_t i;
	int k;

	for (k = 0; k < 2; k++)
		if (source[k] && !data_parts(l, source[k], crowds, &part[k]))
			return false;
	*c = (struct counted){ .apart = source[0] && source[1] && !same_parts(source, part) };
	if (source[0] && !c->apart)
		part[1].pictures = 0;
	c->pictures = part[0].pictures + part[1].pictures;
	for (k = 0; k < 2; k++)
		for (i = 0; i < part[k].pictures; i++)
			c->most = part[k].parts[i] > c->most ? part[k].parts[i] : c->most;
	c->with = arena_array(l->module->arena, (size_t)c->most + 1, sizeof(*c->with));
	for (k = 0; k < 2; k++)
		for (i = 0; i < part[k].pictures; i++)
			c->with[part[k].parts[i]]++;
	for (c->within = c->with[0]; c->within < c->pictures - c->pictures / FEW; c->within += c->with[++c->usual])
		;
	return c->pictures > 0;
}

static int64_t
left_out(const struct counted *c, int64_t bound)
{
	int64_t sum = 0, n;

	for (n = bound + 1; n <= c->most; n++)
		sum += c->with[n] * (n - bound);
	return sum;
}

/* ---- the spec ---- */

/* All tensors that say something of parts have the same bound: the first, or NULL. */
static const struct tensor *
first_bounded(const struct module *m, bool *crowds)
{
	const struct tensor *first = NULL;
	int i;

	*crowds = false;
	for (i = 0; i < m->forward->inputs.n; i++) {
		const struct tensor *t = m->forward->inputs.v[i];

		if (!parts_bounded(t))
			continue;
		first = first ? first : t;
		*crowds = *crowds || strcmp(t->name, "truth") == 0;
	}
	return first;
}

static int64_t
bound_of(const struct tensor *t)
{
	return t->dim[parts_bound_at(t)];
}

static const struct tensor *
declared(const struct module *m, const struct stmt *st)
{
	int i, k;

	for (i = 0; (st->kind == S_INPUT || st->kind == S_TARGET) && i < m->forward->inputs.n; i++)
		for (k = 0; k < st->nnames; k++)
			if (strcmp(m->forward->inputs.v[i]->name, st->name[k].text) == 0)
				return m->forward->inputs.v[i];
	return NULL;
}

/* Another bound in the type of each such tensor, or in the param that they name. */
static bool
set_bound(const struct module *m, struct amend *a, int64_t bound)
{
	const char *text = arena_printf(a->arena, "%lld", (long long)bound), *param = NULL;
	int i;

	for (i = 0; a->network && i < a->network->nstmts; i++) {
		const struct stmt *st = &a->network->stmt[i];
		const struct tensor *t = declared(m, st);
		const struct expr *e;

		if (!t || !parts_bounded(t))
			continue;
		if (!st->type || st->type->nargs <= parts_bound_at(t) || st->type->arg[parts_bound_at(t)].name)
			return false;
		e = st->type->arg[parts_bound_at(t)].value;
		if (e->kind == E_NAME && param && strcmp(param, e->name) == 0)
			continue;
		if (!amend_value(a, e, text, true))
			return false;
		param = e->kind == E_NAME ? e->name : param;
	}
	return true;
}

static void
cure(struct lint *l, struct diag *g, const struct counted *c, int64_t bound)
{
	struct module *other;
	struct amend edited, fixed;

	edited_begin(l, &edited);
	other = set_bound(l->module, &edited, bound) ? edited_plan(l, &edited) : NULL;
	if (other && other->plan->arena_bytes < l->module->plan->arena_bytes)
		measure_saving(l, g, other, "room for %lld", (long long)bound);
	else if (other)
		diag_fact(l->diags, g, "with room for %lld the arena is as large, and fewer rows of zeros are staged and "
		    "matched at each step", (long long)bound);
	if (bound < c->most)
		diag_help(l->diags, g, "%lld parts of the pictures that are used are left out then, of those that have more "
		    "than %lld", (long long)left_out(c, bound), (long long)bound);
	else if (fix_amend(l, &fixed) && set_bound(l->module, &fixed, bound))
		fix_amended(l, g, false, &fixed, arena_printf(l->module->arena, "make room for %lld parts", (long long)bound));
}

static int64_t
enough_for(int64_t parts)
{
	int64_t bound = (parts + STEP - 1) / STEP * STEP;

	return bound ? bound : STEP;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	int64_t room, bound;
	struct counted c;
	struct diag *g;
	bool crowds;
	const struct tensor *t = first_bounded(m, &crowds);

	if (!t || !look(l, crowds, &c))
		return;
	room = bound_of(t);
	bound = enough_for(c.most) <= room / LOOSE ? enough_for(c.most) : enough_for(c.usual);
	if (bound > room / LOOSE)
		return;
	if (bound >= c.most)
		g = lint_report(l, rule, t->loc, "'%s' has room for %lld parts of a picture, and no picture of %lld has more "
		    "than %lld", t->name, (long long)room, (long long)c.pictures, (long long)c.most);
	else
		g = lint_report(l, rule, t->loc, "'%s' has room for %lld parts of a picture, and %lld pictures of %lld have no "
		    "more than %lld", t->name, (long long)room, (long long)c.within, (long long)c.pictures,
		    (long long)c.usual);
	if (m->set.train)
		diag_place(l->diags, g, m->set.data.loc, "counted in \"%s\"%s", m->set.data.file[0],
		    c.apart ? " and in the data of validation" : "");
	if (bound < c.most)
		diag_fact(l->diags, g, "the most that one has is %lld", (long long)c.most);
	cure(l, g, &c, bound);
}

static bool
may_find(const struct module *m)
{
	bool crowds;

	return first_bounded(m, &crowds) && ((m->set.train && m->set.data.reader && m->set.data.reader->parts) ||
	    (m->set.validate && m->set.validate_data.reader && m->set.validate_data.reader->parts));
}

const struct rule rule_loose_bound = {
	.id = "SW124",
	.name = "loose-bound",
	.family = FAMILY_MEMORY,
	.severity = SEV_NOTE,
	.brief = "room for more parts of a picture than nearly all of the data have",
	.doc = "Targets of the parts of a picture have room for a fixed number n of them: boxes 16 n bytes a picture in f32, masks "
	    "n H W, and all that is made of them as much again. What a picture has no part for are rows of zeros, which are "
	    "staged, matched and kept like others.\n\n"
	    "Parts are counted in what coco and voc name, of training and of validation, as a program counts them: up to 16 MiB "
	    "in up to 4096 files, regular ones of the project, where the program would look for them. What is larger, is not "
	    "there or is not as expected is not known, and nothing is said; a program says at its start what it leaves out, and "
	    "where masks have much room to spare.\n\n"
	    "Reported where half of the room is enough for all pictures, or for all but one in a hundred. Cure: the number that "
	    "is proposed, a multiple of 4; leave the room where data are to come that need it.",
	.check = check,
	.needs = NEEDS_PLAN,
	.may_find = may_find,
};
