/* Running passes one after the other, over a module or over a copy of it. */
#include "ir/pass.h"

#include <limits.h>
#include <string.h>

bool
pass_apply(const struct pass *p, struct module *m, const struct pass_options *o)
{
	if (p->run)
		return p->run(m, o);
	if (m->train)
		p->rewrite(m->train);
	if (m->validate)
		p->rewrite(m->validate);
	return true;
}

bool
pass_is_optional(const char *name)
{
	int i;

	for (i = 0; pass_table[i]; i++)
		if (strcmp(pass_table[i]->name, name) == 0)
			return pass_table[i]->optional;
	return false;
}

static bool
is_without(const struct pass *p, const struct pass_options *o)
{
	int i;

	for (i = 0; p->optional && i < o->nwithout; i++)
		if (strcmp(o->without[i], p->name) == 0)
			return true;
	return false;
}

bool
pass_is_left_out(const struct pass *p, const struct pass_options *o)
{
	return (o->sketch && p->thorough) || is_without(p, o);
}

/* The place in the table of what comes after the named one. */
static int
behind(const char *name)
{
	int i = 0;

	while (name && strcmp(pass_table[i++]->name, name) != 0)
		;
	return i;
}

const char *
pass_last(void)
{
	int i = 0;

	while (pass_table[i + 1])
		i++;
	return pass_table[i]->name;
}

const char *
pass_before(const char *name)
{
	return pass_table[behind(name) - 2]->name;
}

bool
passes_between(struct module *m, const struct pass_options *o, const char *after, const char *last)
{
	int i, end = last ? behind(last) : INT_MAX;

	for (i = behind(after); i < end && pass_table[i] && !m->broken; i++) {
		if (o->bound_only && m->plan)
			break;
		if (pass_is_left_out(pass_table[i], o))
			continue;
		if (!pass_apply(pass_table[i], m, o))
			m->broken = true;
#ifdef VERIFY_PASSES
		if (!m->broken && !ir_verify(m))
			m->broken = true;
#endif
		if (o->dump_after && strcmp(o->dump_after, pass_table[i]->name) == 0)
			ir_print(o->dump, m);
		if (m->through)
			i = behind(m->through) - 1;
		m->through = NULL;
	}
	return !m->broken;
}

bool
passes_finish(struct module *m, const struct pass_options *o, const char *after)
{
	return passes_between(m, o, after, NULL);
}

/* ---- copies ---- */

/* What the network itself keeps; state, pieces and parts that passes made are left out, since they
 * make them anew. */
static void
copy_persistent(struct module *copy, const struct module *m)
{
	int i;

	memset(&copy->persistent, 0, sizeof(copy->persistent));
	for (i = 0; i < m->persistent.n; i++) {
		struct tensor *t = tensor_declared(m->persistent.v[i]);

		if (!t->def && tensor_kind_declared(t->kind))
			vec_push(copy->arena, &copy->persistent, t);
	}
}

struct module *
passes_copy(struct module *m, const struct settings *set, struct diags *diags)
{
	struct module *copy = ARENA_NEW(m->arena, struct module);

	*copy = *m;
	copy->diags = diags;
	copy->set = *set;
	copy->forward = ARENA_NEW(m->arena, struct graph);
	*copy->forward = *m->forward;
	copy->forward->module = copy;	/* so that what is made from it is numbered there */
	copy->train = copy->update = copy->validate = NULL;
	copy->plan = NULL;
	copy->cut_short = false;
	copy->scratch = NULL;
	copy_persistent(copy, m);
	return copy;
}
