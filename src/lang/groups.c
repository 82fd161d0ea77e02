/*
 * Groups of parameters with a learning rate or a weight decay of their own:
 *
 *     groups  (encoder, lr=1e-4), (head.*, "*.norm", weight_decay=0)
 */
#include "lang/expander.h"

#include <string.h>

static void
read_number(struct expander *ex, const struct arg *a, double most, double *out, bool *given)
{
	struct value v = setting_value(ex, a->value);

	if (v.kind == V_POISON)
		return;
	if (v.kind != V_NUMBER || v.size || !(v.num.real >= 0) || !(v.num.real <= most))
		ex_error(ex, "settings", v.loc, "%s is a number from 0 to %g, not %s", a->name, most,
		    value_text(ex->a, &v));
	else
		*out = v.num.real;
	*given = true;
}

/* The rate that the schedule changes is the optimizer's; a group's is always so many times that. */
static void
check_rate(struct expander *ex, const struct arg *a, const struct settings *set)
{
	int rate = op_rate(set->optimizer);
	struct diag *g;

	if (rate >= 0 && set->optimizer_attr[rate].r > 0)
		return;
	g = ex_error(ex, "settings", a->name_loc, "%s has a rate of 0, of which a group's is a multiple",
	    set->optimizer->name);
	diag_help(ex->d, g, "give %s the rate that most parameters have, or freeze those that are not to change",
	    set->optimizer->name);
}

static void
read_arg(struct expander *ex, const struct arg *a, struct settings *set, struct param_group *to)
{
	struct names names = { NULL, 0, 0 };
	struct diag *g;

	if (!a->name) {
		group_pattern_read(ex, a->value, set);
	} else if (strcmp(a->name, "lr") == 0) {
		read_number(ex, a, 1e6, &to->lr, &to->has_lr);
		check_rate(ex, a, set);
	} else if (strcmp(a->name, "weight_decay") == 0) {
		read_number(ex, a, 1e6, &to->decay, &to->has_decay);
	} else {
		names_add(ex->a, &names, "lr");
		names_add(ex->a, &names, "weight_decay");
		g = ex_error(ex, "name", a->name_loc, "a group has no argument '%s'", a->name);
		if (!names_suggest(ex, g, a->name, &names))
			diag_help(ex->d, g, "it has lr and weight_decay, and else the optimizer's");
	}
}

static void
read_group(struct expander *ex, const struct expr *e, struct settings *set)
{
	struct param_group *to = &set->group[set->ngroups];
	int i, before = set->ngroup_patterns, errors = ex->d->errors;
	struct diag *g = NULL;

	if (e->kind == E_BAD)
		return;
	for (i = 0; e->kind == E_TUPLE && i < e->nargs; i++)
		read_arg(ex, &e->arg[i], set, to);
	to->patterns = set->ngroup_patterns - before;
	set->ngroups++;
	if (ex->d->errors > errors)
		return;
	if (e->kind != E_TUPLE || to->patterns == 0)
		g = ex_error(ex, "settings", e->loc, "a group is paths, and what their parameters have of their own");
	else if (!to->has_lr && !to->has_decay)
		g = ex_error(ex, "settings", e->loc, "this group has nothing of its own");
	if (g)
		diag_help(ex->d, g, "groups (encoder.*, lr=1e-4), (\"*.norm\", weight_decay=0)");
}

void
groups_read(struct expander *ex, const struct setting *st, struct settings *set)
{
	int i;

	set->group = arena_array(ex->a, (size_t)st->nvalues + 1, sizeof(*set->group));
	for (i = 0; i < st->nvalues; i++)
		read_group(ex, st->value[i], set);
	groups_check(ex, set);
}
