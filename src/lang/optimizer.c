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

	if (!op)
		return;
	set->optimizer = op;
	set->optimizer_attr = op_presets(ex->a, op);	/* its rate's among them */
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

/* The operator's own rule says so too, but at a parameter's place: here the setting is at hand. */
static bool
idle_nesterov(const struct op *op, const struct attr *attr)
{
	int nesterov = op_attr_at(op, "nesterov"), momentum = op_attr_at(op, "momentum");

	return nesterov >= 0 && attr[nesterov].i && !(momentum >= 0 && attr[momentum].r > 0);
}

bool
optimizer_expr(struct expander *ex, const struct expr *e, struct settings *set, const struct op **to,
    struct attr **attr)
{
	const struct op *op = optimizer_find(ex, e);
	struct actual *actual;
	struct binding_result r;
	int i, before, n = 0;

	if (!op)
		return false;
	actual = arena_array(ex->a, (size_t)e->nargs + 1, sizeof(*actual));
	for (i = 0; i < e->nargs; i++) {
		const struct arg *a = &e->arg[i];

		if (a->name && strcmp(a->name, "no_decay") == 0) {
			if (op_attr_at(op, "weight_decay") < 0)
				ex_error(ex, "settings", a->name_loc, "%s has no weight decay to "
				    "leave out", op->name);
			no_decay_read(ex, a->value, set);
			continue;
		}
		actual[n].arg = a;
		actual[n++].value = setting_value(ex, a->value);
	}
	before = ex->d->errors;
	if (!bind_attrs(ex, op, e->head.src ? e->head : e->loc, actual, n, 0, 0, &r))
		return false;
	if (ex->d->errors == before && idle_nesterov(op, r.attr)) {
		ex_error(ex, "settings", e->loc, "%s: nesterov=true needs a momentum above 0",
		    op->name);
		return false;
	}
	*to = op;
	*attr = arena_array(ex->a, MAX_ATTRS, sizeof(**attr));
	memcpy(*attr, r.attr, sizeof(r.attr));
	return true;
}

void
optimizer_read(struct expander *ex, const struct setting *st, struct settings *set)
{
	if (optimizer_expr(ex, st->value[0], set, &set->optimizer, &set->optimizer_attr))
		set->optimizer_loc = st->loc;
}

/* ---- schedules ---- */

static const struct {
	const char *name;
	enum schedule_kind kind;
	const char *options;
	const char *usage;
	double floor;		/* if none is said */
} schedules[] = {
	{ "constant", SCHED_CONSTANT, "warmup", "constant(warmup=500 steps)", 0 },
	{ "step", SCHED_STEP, "every at gamma warmup",
	    "step(every=30 epochs, gamma=0.1), or step(at=(30 epochs, 60 epochs))", 0 },
	{ "cosine", SCHED_COSINE, "warmup floor", "cosine(warmup=5 epochs, floor=0.01)", 0 },
	{ "linear", SCHED_LINEAR, "warmup floor", "linear(warmup=500 steps)", 0 },
	{ "polynomial", SCHED_POLYNOMIAL, "power warmup floor", "polynomial(power=2)", 0 },
	{ "inverse_sqrt", SCHED_INVERSE_SQRT, "warmup", "inverse_sqrt(warmup=4000 steps)", 0 },
	{ "onecycle", SCHED_ONECYCLE, "rise start floor", "onecycle(rise=0.3)", 4e-6 },
	{ "plateau", SCHED_PLATEAU, "patience gamma threshold cooldown warmup floor", "plateau(patience=10)", 0 },
};

#define SCHEDULES	((int)(sizeof(schedules) / sizeof(*schedules)))

static int
schedule_find(struct expander *ex, const struct expr *e)
{
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	int i;

	if (e->kind == E_BAD)
		return -1;
	if (e->kind != E_CALL && e->kind != E_NAME) {
		ex_error(ex, "settings", e->loc, "a schedule is written as cosine(warmup=5 epochs)");
		return -1;
	}
	for (i = 0; i < SCHEDULES; i++) {
		if (strcmp(schedules[i].name, e->name) == 0)
			return i;
		names_add(ex->a, &names, schedules[i].name);
	}
	g = ex_error(ex, "name", e->head.src ? e->head : e->loc, "there is no schedule '%s'",
	    e->name);
	if (!names_suggest(ex, g, e->name, &names)) {
		struct text t;

		text_init(&t, ex->a);
		for (i = 0; i < names.n; i++)
			text_printf(&t, "%s%s", i ? ", " : "", names.v[i]);
		diag_help(ex->d, g, "there are: %s", t.s);
	}
	return -1;
}

static void
read_duration(struct expander *ex, const char *name, const struct expr *e, double least, struct duration *out)
{
	struct diag *g;

	if (e->kind == E_BAD)
		return;
	if (e->kind != E_DURATION) {
		g = ex_error(ex, "settings", e->loc, "%s is a number of epochs or steps", name);
		diag_help(ex->d, g, "%s=5 epochs, %s=2000 steps", name, name);
		return;
	}
	if (!(e->num.real >= least) || !(e->num.real <= 1e15)) {
		ex_error(ex, "settings", e->loc, "%s is %.10g %s; it must be %s", name,
		    e->num.real, e->name, least > 0 ? "above 0" : "at least 0");
		return;
	}
	*out = (struct duration){ e->num.real, strcmp(e->name, "epochs") == 0 };
}

/* Durations in their order, all in epochs or all in steps. */
static void
read_pieces(struct expander *ex, const struct arg *a, struct schedule *s)
{
	const struct expr *e = a->value;
	int i, n = e->kind == E_TUPLE ? e->nargs : 1;

	if (n > MOST_PIECES) {
		ex_error(ex, "settings", e->loc, "at has at most %d durations", MOST_PIECES);
		return;
	}
	for (i = 0; i < n; i++) {
		const struct expr *one = e->kind == E_TUPLE ? e->arg[i].value : e;
		struct duration *d = &s->at[s->pieces];

		read_duration(ex, "at", one, 1e-9, d);
		if (d->count == 0)
			return;
		if (s->pieces > 0 && (d->epochs != d[-1].epochs || d->count <= d[-1].count)) {
			ex_error(ex, "settings", one->loc, "durations of at rise, and are all epochs or all "
			    "steps: at=(30 epochs, 60 epochs)");
			return;
		}
		s->pieces++;
	}
}

static void
read_number(struct expander *ex, const struct arg *a, double most, double *out)
{
	struct value v = setting_value(ex, a->value);

	if (v.kind == V_POISON)
		return;
	if (v.kind != V_NUMBER || v.size || !(v.num.real >= 0) || !(v.num.real <= most))
		ex_error(ex, "settings", v.loc, most > 1 ? "%s is a number from 0 to %g, not %s" :
		    "%s is a share from 0 to %g, not %s", a->name, most, value_text(ex->a, &v));
	else
		*out = v.num.real;
}

#define MOST_POWER	100
#define MOST_WAIT	1e9	/* epochs */

static void
read_known_arg(struct expander *ex, const struct arg *a, struct schedule *s)
{
	const struct {
		const char *name;
		double most;
		double *out;
	} numbers[] = {
		{ "gamma", 1, &s->gamma }, { "floor", 1, &s->floor }, { "power", MOST_POWER, &s->power },
		{ "start", 1, &s->start }, { "rise", 1, &s->rise }, { "threshold", 1, &s->threshold },
		{ "patience", MOST_WAIT, &s->patience }, { "cooldown", MOST_WAIT, &s->cooldown },
	};
	size_t i;

	if (strcmp(a->name, "warmup") == 0)
		read_duration(ex, a->name, a->value, 0, &s->warmup);
	else if (strcmp(a->name, "every") == 0)
		read_duration(ex, a->name, a->value, 1e-9, &s->every);
	else if (strcmp(a->name, "at") == 0)
		read_pieces(ex, a, s);
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (strcmp(a->name, numbers[i].name) == 0)
			read_number(ex, a, numbers[i].most, numbers[i].out);
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
	} else
		read_known_arg(ex, a, s);
}

void
schedule_read(struct expander *ex, const struct setting *st, struct settings *set)
{
	const struct expr *e = st->value[0];
	int kind = schedule_find(ex, e), before = ex->d->errors, i;
	struct schedule s = { .gamma = 0.1, .power = 1, .start = 0.04, .rise = 0.3, .patience = 10,
		.threshold = 1e-4 };

	if (kind < 0)
		return;
	s.kind = schedules[kind].kind;
	s.floor = schedules[kind].floor;
	for (i = 0; i < e->nargs; i++)
		read_schedule_arg(ex, kind, &e->arg[i], &s);
	if (ex->d->errors > before)
		return;
	if (s.kind == SCHED_STEP && (s.every.count == 0) == (s.pieces == 0))
		ex_error(ex, "settings", e->loc, "a step schedule says how often, or when: %s",
		    schedules[kind].usage);
	else
		set->schedule = s;
}
