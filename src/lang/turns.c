/*
 * The updates of a step, where it is several: which losses move which parameters, and with which
 * optimizer:
 *
 *     update  (discriminator, loss=d), (generator, loss=g, optimizer=adam(lr=1e-4, beta1=0.5))
 *
 *     update  (critic, loss=c), (generator, loss=g, every=5)
 *
 * Each loss belongs to one update, so that what a network says it wants is not silently left out.
 */
#include "lang/expander.h"

#include <string.h>

#define MOST_STEPS_APART	1000000

static struct diag *
turn_error(struct expander *ex, struct loc loc, const char *what)
{
	struct diag *g = ex_error(ex, "settings", loc, "%s", what);

	diag_help(ex->d, g, "update (discriminator, loss=d), (generator, loss=g)");
	return g;
}

/* ---- losses ---- */

/* The word that names a loss: `loss d: ...` is the result "loss.d". */
static const char *
word_of(const struct result *r)
{
	return strncmp(r->name, "loss.", 5) == 0 ? r->name + 5 : r->name;
}

static const struct result *
loss_find(const struct expander *ex, const char *word)
{
	const struct graph *g = ex->m->forward;
	int i;

	for (i = 0; i < g->results.n; i++)
		if (g->results.v[i].is_loss && strcmp(word_of(&g->results.v[i]), word) == 0)
			return &g->results.v[i];
	return NULL;
}

static const struct turn *
turn_of_loss(const struct settings *set, const char *name)
{
	int i;

	for (i = 0; i < set->nturns; i++)
		if (turn_has_loss(&set->turn[i], name))
			return &set->turn[i];
	return NULL;
}

static void
unknown_loss(struct expander *ex, const struct expr *e)
{
	const struct graph *f = ex->m->forward;
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	int i;

	if (ex->incomplete)	/* it may be what could not be made */
		return;
	g = ex_error(ex, "name", e->loc, "the network has no loss called '%s'", e->name);
	for (i = 0; i < f->results.n; i++)
		if (f->results.v[i].is_loss)
			names_add(ex->a, &names, word_of(&f->results.v[i]));
	if (!names_suggest(ex, g, e->name, &names))
		diag_help(ex->d, g, "a loss is named in the network: loss %s: mse(x, y)", e->name);
}

static void
read_loss(struct expander *ex, const struct expr *e, struct settings *set, struct turn *to, const char **list)
{
	const struct turn *other;
	const struct result *r;
	int i;

	if (e->kind == E_BAD)
		return;
	if (e->kind != E_NAME) {
		turn_error(ex, e->loc, "loss is the name of a loss, or several: loss=(a, b)");
		return;
	}
	r = loss_find(ex, e->name);
	if (!r) {
		unknown_loss(ex, e);
		return;
	}
	other = turn_of_loss(set, r->name);
	for (i = 0; i < to->nlosses; i++)
		if (list[i] == r->name)
			other = to;
	list[to->nlosses++] = r->name;
	to->loss = list;
	if (other)
		diag_place(ex->d, ex_error(ex, "settings", e->loc, "loss '%s' is named twice, and moves the "
		    "parameters of one update", e->name), other->loc, "it is named here");
}

static void
read_losses(struct expander *ex, const struct arg *a, struct settings *set, struct turn *to)
{
	const struct expr *e = a->value;
	int n = e->kind == E_TUPLE ? e->nargs : 1, i;
	const char **list = arena_array(ex->a, (size_t)n + 1, sizeof(*list));

	for (i = 0; i < n; i++)
		read_loss(ex, e->kind == E_TUPLE ? e->arg[i].value : e, set, to, list);
}

/* ---- one update ---- */

static void
read_arg(struct expander *ex, const struct arg *a, struct settings *set, struct turn *to)
{
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	struct value v;

	if (!a->name) {
		turn_pattern_read(ex, a->value, set);
	} else if (strcmp(a->name, "loss") == 0) {
		read_losses(ex, a, set, to);
	} else if (strcmp(a->name, "optimizer") == 0) {
		optimizer_expr(ex, a->value, set, &to->optimizer, &to->optimizer_attr);
	} else if (strcmp(a->name, "every") == 0) {
		v = setting_value(ex, a->value);
		want_int(ex, &v, "every", 1, MOST_STEPS_APART, &to->every);
	} else {
		names_add(ex->a, &names, "loss");
		names_add(ex->a, &names, "optimizer");
		names_add(ex->a, &names, "every");
		g = ex_error(ex, "name", a->name_loc, "an update has no argument '%s'", a->name);
		if (!names_suggest(ex, g, a->name, &names))
			diag_help(ex->d, g, "it has loss, optimizer and every");
	}
}

static bool
has_arg(const struct expr *e, const char *name)
{
	int i;

	for (i = 0; i < e->nargs; i++)
		if (e->arg[i].name && strcmp(e->arg[i].name, name) == 0)
			return true;
	return false;
}

static void
read_turn(struct expander *ex, const struct expr *e, struct settings *set)
{
	struct turn *to = &set->turn[set->nturns];
	int i, before = set->nturn_patterns, errors = ex->d->errors;

	if (e->kind == E_BAD)
		return;
	to->loc = e->loc;
	to->every = 1;
	for (i = 0; e->kind == E_TUPLE && i < e->nargs; i++)
		read_arg(ex, &e->arg[i], set, to);
	to->patterns = set->nturn_patterns - before;
	set->nturns++;
	if (ex->d->errors > errors)
		return;
	if (e->kind != E_TUPLE || to->patterns == 0)
		turn_error(ex, e->loc, "an update is paths of parameters, and the loss that moves them");
	else if (!has_arg(e, "loss"))
		turn_error(ex, e->loc, "this update does not say which loss moves its parameters");
}

/* ---- all of them ---- */

/* The rate that the schedule changes, and the log shows, is the setting's; that of an update is
 * always so many times that. Where each update has an optimizer of its own, it is the first
 * one's. */
static void
settle_optimizers(struct expander *ex, const struct setting *st, struct settings *set)
{
	bool own = set->nturns > 0;
	struct diag *g;
	int i, rate;

	for (i = 0; i < set->nturns; i++)
		own &= set->turn[i].optimizer != NULL;
	if (own && set->optimizer_loc.src)
		diag_place(ex->d, ex_error(ex, "settings", set->optimizer_loc, "each update has an optimizer of its "
		    "own, so this one updates nothing"), st->loc, "the updates are here");
	if (own) {
		set->optimizer = set->turn[0].optimizer;
		set->optimizer_attr = set->turn[0].optimizer_attr;
		set->optimizer_loc = set->turn[0].loc;
	}
	rate = op_rate(set->optimizer);
	for (i = 0; i < set->nturns; i++) {
		struct turn *t = &set->turn[i];

		if (!t->optimizer) {
			t->optimizer = set->optimizer;
			t->optimizer_attr = set->optimizer_attr;
		} else if (rate >= 0 && set->optimizer_attr[rate].r == 0 && t->optimizer_attr != set->optimizer_attr) {
			g = ex_error(ex, "settings", t->loc, "%s has a rate of 0, of which that of an update is a "
			    "multiple", set->optimizer->name);
			diag_help(ex->d, g, "give it a rate above 0; freeze what is not to change");
		}
	}
}

/* What is done in a step is done for an update. */
static void
check_steps(struct expander *ex, const struct setting *st, const struct settings *set)
{
	struct diag *g;
	int i;

	for (i = 0; i < set->nturns; i++)
		if (set->turn[i].every <= 1)
			return;
	if (set->nturns == 0)
		return;
	g = ex_error(ex, "settings", st->loc, "no update is made in every step");
	diag_help(ex->d, g, "leave every= out of the one that is made most often");
}

void
turns_read(struct expander *ex, const struct setting *st, struct settings *set)
{
	struct diag *g;
	int i;

	if (st->nvalues > MOST_TURNS) {
		ex_error(ex, "settings", st->value[MOST_TURNS]->loc, "a step has at most %d updates", MOST_TURNS);
		return;
	}
	set->turns_loc = st->loc;
	set->turn = arena_array(ex->a, (size_t)st->nvalues + 1, sizeof(*set->turn));
	for (i = 0; i < st->nvalues; i++)
		read_turn(ex, st->value[i], set);
	settle_optimizers(ex, st, set);
	check_steps(ex, st, set);
	turns_assign(ex, set);
	if (set->accumulate > 1) {
		g = ex_error(ex, "settings", st->loc, "a step of several updates has no micro-batches: the second one "
		    "needs what the first has made of the weights");
		diag_help(ex->d, g, "leave accumulate out, and make the batch as large as one micro-batch");
	}
}

/* Is all that the network asks for done? */
void
turns_check(struct expander *ex, const struct settings *set)
{
	const struct graph *f = ex->m->forward;
	struct diag *g;
	int i;

	if (!set->turn || ex->incomplete || ex->m->broken)
		return;
	for (i = 0; i < f->results.n; i++)
		if (f->results.v[i].is_loss && !turn_of_loss(set, f->results.v[i].name)) {
			g = ex_error(ex, "settings", f->results.v[i].loc, "no update names this loss, so it moves nothing");
			diag_place(ex->d, g, set->turns_loc, "the updates are here");
			diag_help(ex->d, g, "name it in one (loss=%s), or make it a metric", word_of(&f->results.v[i]));
		}
	for (i = 0; i < ex->m->persistent.n; i++) {
		const struct tensor *t = ex->m->persistent.v[i];

		if (t->kind != T_PARAM || t->frozen || t->turn)
			continue;
		g = ex_error(ex, "settings", set->turns_loc, "no update moves '%s'", t->name);
		diag_place(ex->d, g, t->loc, "it is a parameter of this");
		diag_help(ex->d, g, "name it in one, or freeze it");
		return;
	}
}
