/*
 * The optimizer and schedule settings. An optimizer is an operator of kind OP_OPTIMIZER, its
 * arguments are that operator's attributes; no_decay, which names parameters, is ours.
 */
#include "lang/expander.h"

#include <math.h>
#include <string.h>

/* sgd(lr=0.01): what a spec that says nothing trains with. */
void
optimizer_default(struct expander *ex, struct settings *set)
{
	const struct op *op = op_find("sgd");
	int i, n;

	if (!op)
		return;
	n = op_nattrs(op);
	set->optimizer = op;
	set->optimizer_attr = arena_array(ex->a, (size_t)n + 1, sizeof(*set->optimizer_attr));
	for (i = 0; i < n; i++) {
		op_attr_preset(&op->attrs[i], &set->optimizer_attr[i]);
		if (op->attrs[i].is_rate)
			set->optimizer_attr[i].r = 0.01;
	}
}

static const struct op *
optimizer_find(struct expander *ex, const struct expr *e)
{
	struct names names = { NULL, 0, 0 };
	const struct op *op;
	struct diag *g;

	if (e->kind == E_BAD)
		return NULL;
	if (e->kind != E_CALL && e->kind != E_NAME) {
		ex_error(ex, "settings", e->loc, "an optimizer is written as sgd(lr=0.01)");
		return NULL;
	}
	op = op_find(e->name);
	if (op && op->kind == OP_OPTIMIZER)
		return op;
	g = ex_error(ex, "name", e->head.src ? e->head : e->loc, "there is no optimizer '%s'",
	    e->name);
	names_add_ops(ex->a, &names, OP_OPTIMIZER, OP_OPTIMIZER);
	if (!names_suggest(ex, g, e->name, &names)) {
		struct text t;
		int i;

		text_init(&t, ex->a);
		for (i = 0; i < names.n; i++)
			text_printf(&t, "%s%s", i ? ", " : "", names.v[i]);
		diag_help(ex->d, g, "there are: %s", t.s);
	}
	return NULL;
}

static bool
has_attr(const struct op *op, const char *name)
{
	int i;

	for (i = 0; i < op_nattrs(op); i++)
		if (strcmp(op->attrs[i].name, name) == 0)
			return true;
	return false;
}

/* The operator's own rule says so too, but at a parameter's place: here the setting is at hand. */
static bool
idle_nesterov(const struct op *op, const struct attr *attr)
{
	bool nesterov = false, momentum = false;
	int i;

	for (i = 0; i < op_nattrs(op); i++) {
		if (strcmp(op->attrs[i].name, "nesterov") == 0)
			nesterov = attr[i].i != 0;
		else if (strcmp(op->attrs[i].name, "momentum") == 0)
			momentum = attr[i].r > 0;
	}
	return nesterov && !momentum;
}

void
optimizer_read(struct expander *ex, const struct setting *st, struct settings *set)
{
	const struct expr *e = st->value[0];
	const struct op *op = optimizer_find(ex, e);
	struct actual *actual;
	struct binding_result r;
	int i, before, n = 0;

	if (!op)
		return;
	actual = arena_array(ex->a, (size_t)e->nargs + 1, sizeof(*actual));
	for (i = 0; i < e->nargs; i++) {
		const struct arg *a = &e->arg[i];

		if (a->name && strcmp(a->name, "no_decay") == 0) {
			if (!has_attr(op, "weight_decay"))
				ex_error(ex, "settings", a->name_loc, "%s has no weight decay to "
				    "leave out", op->name);
			no_decay_read(ex, a->value, set);
			continue;
		}
		actual[n].arg = a;
		actual[n++].value = setting_value(ex, a->value);
	}
	before = ex->d->errors;
	if (!bind_attrs(ex, op, e->head.src ? e->head : e->loc, actual, n, 0, &r))
		return;
	if (ex->d->errors == before && idle_nesterov(op, r.attr)) {
		ex_error(ex, "settings", e->loc, "%s: nesterov=true needs a momentum above 0",
		    op->name);
		return;
	}
	set->optimizer = op;
	set->optimizer_loc = st->loc;
	set->optimizer_attr = arena_array(ex->a, MAX_ATTRS, sizeof(*set->optimizer_attr));
	memcpy(set->optimizer_attr, r.attr, sizeof(r.attr));
}

/* ---- schedules ---- */

static const struct {
	const char *name;
	enum schedule_kind kind;
	const char *options;
	const char *usage;
} schedules[] = {
	{ "constant", SCHED_CONSTANT, "warmup", "constant(warmup=500 steps)" },
	{ "step", SCHED_STEP, "every gamma warmup", "step(every=30 epochs, gamma=0.1)" },
	{ "cosine", SCHED_COSINE, "warmup floor", "cosine(warmup=5 epochs, floor=0.01)" },
};

static int
schedule_find(struct expander *ex, const struct expr *e)
{
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	int i;

	if (e->kind == E_BAD)
		return -1;
	if (e->kind != E_CALL && e->kind != E_NAME) {
		ex_error(ex, "settings", e->loc, "a schedule is constant, step(...) or "
		    "cosine(...)");
		return -1;
	}
	for (i = 0; i < (int)(sizeof(schedules) / sizeof(*schedules)); i++) {
		if (strcmp(schedules[i].name, e->name) == 0)
			return i;
		names_add(ex->a, &names, schedules[i].name);
	}
	g = ex_error(ex, "name", e->head.src ? e->head : e->loc, "there is no schedule '%s'",
	    e->name);
	if (!names_suggest(ex, g, e->name, &names))
		diag_help(ex->d, g, "there are: constant, step, cosine");
	return -1;
}

static void
read_duration(struct expander *ex, const struct arg *a, double least, struct duration *out)
{
	const struct expr *e = a->value;
	struct diag *g;

	if (e->kind == E_BAD)
		return;
	if (e->kind != E_DURATION) {
		g = ex_error(ex, "settings", e->loc, "%s is a number of epochs or steps", a->name);
		diag_help(ex->d, g, "%s=5 epochs, %s=2000 steps", a->name, a->name);
		return;
	}
	if (!(e->num.real >= least) || !(e->num.real <= 1e15)) {
		ex_error(ex, "settings", e->loc, "%s is %.10g %s; it must be %s", a->name,
		    e->num.real, e->name, least > 0 ? "above 0" : "at least 0");
		return;
	}
	*out = (struct duration){ e->num.real, strcmp(e->name, "epochs") == 0 };
}

static void
read_share(struct expander *ex, const struct arg *a, double *out)
{
	struct value v = setting_value(ex, a->value);

	if (v.kind == V_POISON)
		return;
	if (v.kind != V_NUMBER || !(v.num.real >= 0) || !(v.num.real <= 1))
		ex_error(ex, "settings", v.loc, "%s is a share from 0 to 1, not %s", a->name,
		    value_text(ex->a, &v));
	else
		*out = v.num.real;
}

static void
read_schedule_arg(struct expander *ex, int kind, const struct arg *a, struct schedule *s)
{
	struct names names = { NULL, 0, 0 };
	const char *o;
	bool known = false;
	struct diag *g;

	if (!a->name) {
		ex_error(ex, "settings", a->value->loc, "a schedule's arguments have names: %s",
		    schedules[kind].usage);
		return;
	}
	for (o = schedules[kind].options; *o; o += strcspn(o, " "), o += *o == ' ') {
		const char *word = arena_strndup(ex->a, o, strcspn(o, " "));

		known |= strcmp(word, a->name) == 0;
		names_add(ex->a, &names, word);
	}
	if (!known) {
		g = ex_error(ex, "name", a->name_loc, "%s has no argument '%s'",
		    schedules[kind].name, a->name);
		names_suggest(ex, g, a->name, &names);
	} else if (strcmp(a->name, "warmup") == 0)
		read_duration(ex, a, 0, &s->warmup);
	else if (strcmp(a->name, "every") == 0)
		read_duration(ex, a, 1e-9, &s->every);
	else
		read_share(ex, a, strcmp(a->name, "gamma") == 0 ? &s->gamma : &s->floor);
}

void
schedule_read(struct expander *ex, const struct setting *st, struct settings *set)
{
	const struct expr *e = st->value[0];
	int kind = schedule_find(ex, e), before = ex->d->errors, i;
	struct schedule s = { .gamma = 0.1 };

	if (kind < 0)
		return;
	s.kind = schedules[kind].kind;
	for (i = 0; i < e->nargs; i++)
		read_schedule_arg(ex, kind, &e->arg[i], &s);
	if (ex->d->errors > before)
		return;
	if (s.kind == SCHED_STEP && s.every.count == 0)
		ex_error(ex, "settings", e->loc, "a step schedule says how often: %s",
		    schedules[kind].usage);
	else
		set->schedule = s;
}
