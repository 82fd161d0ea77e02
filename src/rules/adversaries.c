/*
 * adversaries: losses of adversaries that are none. Two updates pull one thing the same way; a loss
 * holds a term that moves nothing its update has; one update pulls a thing both ways; or what is
 * made and what is real have unlike ranges. Reads the forward graph, which update moves which
 * parameters, and the data setting.
 */
#include "rulekit/data_look.h"
#include "rulekit/graph_query.h"
#include "rulekit/loss_terms.h"

#include <math.h>

#include "ir/op.h"
#include "readers/reader.h"

/* ---- where a term pulls what it reads ---- */

enum pull_kind { PULL_NOT, PULL_CROSS_ENTROPY, PULL_SQUARE, PULL_SLOPE };

struct pull {
	enum pull_kind kind;
	const struct tensor *of;
	double to;		/* of a slope: 1, up, or 0, down */
};

static const struct tensor *
past_views(const struct tensor *t)
{
	while (node_is(t->def, "reshape") || node_is(t->def, "flatten"))
		t = t->def->in[0];
	return t;
}

/* Is it one number, as ones(x) and 0.9 * ones(x)? */
static bool
is_constant(const struct tensor *t, double *number)
{
	double factor = 1, offset = 0;

	for (t = past_views(t); node_is(t->def, "scale"); t = past_views(t->def->in[0])) {
		offset += factor * op_real(t->def, "offset");
		factor *= op_real(t->def, "factor");
	}
	*number = factor * node_is(t->def, "ones") + offset;
	return node_is(t->def, "ones") || node_is(t->def, "zeros");
}

/* T without the factor and the offset that it was given: T = factor * that + offset. */
static const struct tensor *
without_scale(const struct tensor *t, double *factor, double *offset)
{
	t = past_views(t);
	*factor = node_is(t->def, "scale") ? op_real(t->def, "factor") : 1;
	*offset = node_is(t->def, "scale") ? op_real(t->def, "offset") : 0;
	return node_is(t->def, "scale") ? past_views(t->def->in[0]) : t;
}

static struct pull
pull_of(const struct loss_term *k)
{
	const struct node *n = k->of->def;
	bool entropy = node_is(n, "bce_with_logits"), square = node_is(n, "pow") && n->nin == 1 && op_real(n, "exponent") == 2;
	double to, factor, offset;
	const struct tensor *of;

	if (entropy || node_is(n, "mse")) {
		if (n->nin != 2 || !n->in[1] || k->factor < 0 || !is_constant(n->in[1], &to))
			return (struct pull){ PULL_NOT, NULL, 0 };
		return (struct pull){ entropy ? PULL_CROSS_ENTROPY : PULL_SQUARE, past_views(n->in[0]), to };
	}
	if (n && n->op->kind == OP_LOSS)
		return (struct pull){ PULL_NOT, NULL, 0 };
	if (!square && !node_is(n, "relu") && !node_is(n, "softplus"))
		return (struct pull){ PULL_SLOPE, past_views(k->of), k->factor < 0 };
	of = without_scale(n->in[0], &factor, &offset);
	if (factor == 0 || (square && k->factor < 0))
		return (struct pull){ PULL_NOT, NULL, 0 };
	if (square)
		return (struct pull){ PULL_SQUARE, of, offset == 0 ? 0 : -offset / factor };
	return (struct pull){ PULL_SLOPE, of, k->factor * factor < 0 };
}

static bool
is_same(const struct pull *a, const struct pull *b)
{
	return a->kind != PULL_NOT && a->kind == b->kind && a->of == b->of && a->to == b->to;
}

static bool
is_opposite(const struct pull *a, const struct pull *b)
{
	return a->kind != PULL_NOT && a->kind == b->kind && (a->to > 0.5) != (b->to > 0.5);
}

static const char *
way(struct arena *a, const struct pull *p)
{
	if (p->kind == PULL_SQUARE)
		return arena_printf(a, "to %g", p->to);
	return p->to > (p->kind == PULL_SLOPE ? 0 : 0.5) ? "up" : "down";
}

/* ---- updates ---- */

struct contest {
	const struct module *m;
	struct loss_terms terms;
	unsigned *moved_by;	/* by tensor id: the updates whose parameters it has a gradient for, as bits */
};

static unsigned *
find_moved(const struct module *m)
{
	unsigned *moved_by = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*moved_by));
	int i, k;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		unsigned bits = 0;

		for (k = 0; k < n->nin && !(n->op->flags & OP_STOPS); k++) {
			const struct tensor *t = n->in[k];

			if (t)
				bits |= t->kind == T_PARAM ? (t->turn && !t->frozen ? 1u << (t->turn - 1) : 0) : moved_by[t->id];
		}
		for (k = 0; k < n->nout; k++)
			if (n->out[k])
				moved_by[n->out[k]->id] = bits;
	}
	return moved_by;
}

static bool
is_in(const struct contest *c, const struct loss_term *k, int turn)
{
	return turn_has_loss(&c->m->set.turn[turn], k->in->name);
}

static bool
moves(const struct contest *c, const struct tensor *t, int turn)
{
	return c->moved_by[t->id] & 1u << turn;
}

/* ---- two updates that pull the same way ---- */

/* Among the terms of an update's losses, one whose pull is the same as P, or, of what update OTHER
 * does not move, the opposite. */
static const struct loss_term *
find_pull(const struct contest *c, const struct pull *p, int turn, int other, bool same)
{
	int i;

	for (i = 0; i < c->terms.n; i++) {
		struct pull k = pull_of(&c->terms.v[i]);

		if (!is_in(c, &c->terms.v[i], turn))
			continue;
		if (same ? is_same(&k, p) : is_opposite(&k, p) && k.of != p->of && moves(c, k.of, turn) && !moves(c, k.of, other))
			return &c->terms.v[i];
	}
	return NULL;
}

/* Does another update, which moves the judge of what this one makes, pull its judgement as this one
 * does, and away from that of something else? */
static bool
check_same_way(const struct rule *rule, struct lint *l, const struct contest *c, const struct loss_term *k, int turn)
{
	const struct pull p = pull_of(k);
	const struct loss_term *same, *opposite;
	struct pull back = p;
	struct diag *g;
	int i;

	if (p.kind == PULL_NOT || !moves(c, p.of, turn))
		return false;
	for (i = 0; i < c->m->set.nturns; i++) {
		if (i == turn || is_in(c, k, i) || !moves(c, p.of, i) || !(same = find_pull(c, &p, i, turn, true)) ||
		    is_in(c, same, turn) || !(opposite = find_pull(c, &p, i, turn, false)))
			continue;
		g = lint_report(l, rule, k->in->loc, "'%s' pulls '%s' %s, and '%s' does the same: what they move are no adversaries",
		    k->in->name, p.of->name, way(l->module->arena, &p), same->in->name);
		diag_place(l->diags, g, same->in->loc, "'%s' is here", same->in->name);
		back = pull_of(opposite);
		diag_fact(l->diags, g, "'%s' pulls it apart from what goes %s, which the update of '%s' does not move", same->in->name,
		    way(l->module->arena, &back), k->in->name);
		diag_help(l->diags, g, p.kind == PULL_SLOPE ? "change its sign in '%s', where what is judged is trained" :
		    p.to > 0.5 ? "zeros(...) in '%s', where what is judged is trained" : "ones(...) in '%s', where what is judged is trained",
		    k->in->name);
		return true;
	}
	return false;
}

/* ---- a term that moves nothing ---- */

/* By tensor: what an update's losses are made of. */
static bool
losses_read(const struct contest *c, int turn, const struct tensor *t)
{
	bool *needed = arena_array(c->m->arena, (size_t)c->m->next_tensor + 1, sizeof(*needed));
	const struct graph *f = c->m->forward;
	int i, k;

	for (i = 0; i < f->results.n; i++)
		if (turn_has_loss(&c->m->set.turn[turn], f->results.v[i].name))
			needed[f->results.v[i].tensor->id] = true;
	for (i = f->nodes.n - 1; i >= 0; i--) {
		const struct node *n = f->nodes.v[i];
		bool any = false;

		for (k = 0; k < n->nout; k++)
			any |= n->out[k] && needed[n->out[k]->id];
		for (k = 0; any && k < n->nin; k++)
			if (n->in[k])
				needed[n->in[k]->id] = true;
	}
	return needed[t->id];
}

/* Does no update have the term for which it has a gradient, nor see by other terms what it is
 * about? */
static bool
check_idle(const struct rule *rule, struct lint *l, const struct contest *c, const struct loss_term *k, int turn)
{
	const struct settings *set = &c->m->set;
	const struct pull p = pull_of(k);
	unsigned by = c->moved_by[k->of->id];
	int i, other = -1;
	struct diag *g;

	if (p.kind == PULL_NOT || by == 0 || moves(c, k->of, turn))
		return false;
	for (i = 0; i < set->nturns; i++) {
		if (!(by & 1u << i))
			continue;
		if (losses_read(c, i, p.of))
			return false;
		other = i;
	}
	g = lint_report(l, rule, k->of->def && k->of->def->loc.src ? k->of->def->loc : k->in->loc,
	    "a term of '%s' moves nothing: the update by that loss has no parameter that it depends on", k->in->name);
	diag_place(l->diags, g, set->turn[turn].loc, "the update is here");
	diag_place(l->diags, g, set->turn[other].loc, "what it depends on is moved here, by another loss");
	diag_fact(l->diags, g, "that other loss, '%s', holds neither this term nor what it is about", set->turn[other].loss[0]);
	diag_help(l->diags, g, "are the losses of the two updates swapped?");
	return true;
}

/* ---- one update that pulls both ways ---- */

/* The loss that pulls the same thing the other way. Within one loss that may be meant, as what is
 * to be told by nobody. */
static bool
check_both_ways(const struct rule *rule, struct lint *l, const struct contest *c, const struct loss_term *k)
{
	const struct pull p = pull_of(k);
	struct diag *g;
	int i;

	for (i = 0; (p.kind == PULL_CROSS_ENTROPY || p.kind == PULL_SQUARE) && &c->terms.v[i] < k; i++) {
		const struct loss_term *was = &c->terms.v[i];
		struct pull q = pull_of(was);

		if (was->in == k->in || q.of != p.of || !is_opposite(&p, &q))
			continue;
		g = lint_report(l, rule, k->in->loc, "'%s' pulls '%s' %s, and '%s' %s: one update makes both small", k->in->name,
		    p.of->name, way(l->module->arena, &p), was->in->name, way(l->module->arena, &q));
		diag_place(l->diags, g, was->in->loc, "'%s' is here", was->in->name);
		diag_fact(l->diags, g, "the sum of the two terms is least where it is one number between, whatever the sample");
		diag_help(l->diags, g, "of adversaries each has an update, as update (critic, loss=d), (generator, loss=g)");
		return true;
	}
	return false;
}

/* ---- ranges ---- */

#define FEWEST_ROWS	8
#define WHITE		255

struct span {
	double least, most;
};

/* Of what the files hold, or bytes do. */
static bool
span_in_file(const struct lint *l, const struct tensor *t, struct span *out)
{
	const struct data_source *d = &l->module->set.data;
	struct data_look look;
	int64_t row, i;

	*out = (struct span){ INFINITY, -INFINITY };
	if (reader_has_files(d) && data_look(l, d, t, &look) && look.rows >= FEWEST_ROWS) {
		for (row = 0; row < look.rows; row++)
			for (i = 0; i < look.width; i++) {
				out->least = fmin(out->least, data_value(&look, row, i));
				out->most = fmax(out->most, data_value(&look, row, i));
			}
		return true;
	}
	*out = (struct span){ 0, WHITE };
	return d->reader && d->reader->bytes;
}

/* What an input is as it is read; false: nobody knows. */
static bool
span_of_input(const struct lint *l, const struct tensor *t, struct span *out)
{
	const struct data_source *d = &l->module->set.data;
	struct span file;
	int k;

	if (t->kind != T_INPUT || t->classes || t->dtype == DT_U8 || !span_in_file(l, t, &file) || !(d->scale > 0))
		return false;
	*out = (struct span){ INFINITY, -INFINITY };
	for (k = 0; k < 3; k++) {
		double mean = reader_real_at(d, "mean", k, 0), deviation = reader_real_at(d, "std", k, 1);

		out->least = fmin(out->least, (file.least * d->scale - mean) / deviation);
		out->most = fmax(out->most, (file.most * d->scale - mean) / deviation);
	}
	return true;
}

/* The node that has the weights of N and reads an input as it is. */
static const struct node *
reader_of_real(const struct contest *c, const struct node *n)
{
	int i;

	for (i = 0; i < c->m->forward->nodes.n; i++) {
		const struct node *k = c->m->forward->nodes.v[i];

		if (k->nin > 1 && k->in[1] == n->in[1] && past_views(k->in[0])->kind == T_INPUT)
			return k;
	}
	return NULL;
}

/* Does a layer that judges what is made and what is real know one by a sign? */
static bool
check_ranges(const struct rule *rule, struct lint *l, const struct contest *c, const struct node *n)
{
	const struct node *last = node_has_weights(n) && n->nin > 1 && n->in[1] ? past_views(n->in[0])->def : NULL, *other;
	bool is_signed = node_is(last, "tanh");
	struct span real;
	struct diag *g;

	if ((!is_signed && !node_is(last, "sigmoid")) || !(other = reader_of_real(c, n)) ||
	    !span_of_input(l, past_views(other->in[0]), &real) || (is_signed ? real.least < 0 : real.least > -0.5))
		return false;
	g = lint_report(l, rule, last->loc, "'%s' makes numbers of %d to 1, and what is real, '%s', has %.3g to %.3g", last->path,
	    is_signed ? -1 : 0, past_views(other->in[0])->name, real.least, real.most);
	diag_place(l->diags, g, c->m->set.data.loc, "the data are here");
	diag_fact(l->diags, g, "'%s' judges both, and can know one from the other by numbers below 0", n->path);
	diag_help(l->diags, g, is_signed ? "sigmoid in its place; or bring the data to -1 to 1, as bytes by scale=1/127.5, mean=1" :
	    "tanh in its place, if the data have about -1 to 1; or leave it out");
	return true;
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct contest c = { .m = m, .terms = { .all = true } };
	int i, turn;

	if (!m->set.train)
		return;
	for (i = 0; i < m->forward->results.n; i++)
		if (m->forward->results.v[i].is_loss)
			loss_terms_add(&c.terms, &m->forward->results.v[i]);
	if (!c.terms.all)
		return;
	for (i = 0; m->set.nturns == 0 && i < c.terms.n; i++)
		if (check_both_ways(rule, l, &c, &c.terms.v[i]))
			return;
	if (m->set.nturns < 2)
		return;
	c.moved_by = find_moved(m);
	for (i = 0; i < m->forward->nodes.n; i++)
		if (check_ranges(rule, l, &c, m->forward->nodes.v[i]))
			break;
	for (turn = 0; turn < m->set.nturns; turn++)
		for (i = 0; i < c.terms.n; i++)
			if (is_in(&c, &c.terms.v[i], turn) && (check_same_way(rule, l, &c, &c.terms.v[i], turn) ||
			    check_idle(rule, l, &c, &c.terms.v[i], turn)))
				return;
}

const struct rule rule_adversaries = {
	.id = "SW354",
	.name = "adversaries",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "losses of adversaries that do not act against one another",
	.doc = "A critic learns to tell what is made from what is real, and a generator to make what it takes for real (Goodfellow and "
	    "others: Generative adversarial networks, 2014). So what one of the two losses makes large the other makes small, and each moves its own layers. If both make it "
	    "small, the generator learns to be told apart; if one update has both losses, what they say of what is made cancels; and if the updates have each other's "
	    "loss, the critic never sees what is real.\n\n"
	    "Reported of bce_with_logits and mse with ones(x) or zeros(x), squares of a difference from a number, and, between updates, of means, relu and "
	    "softplus of judgements: where the losses of two updates pull one tensor the same way, and one of them pulls another the other way; where a term of "
	    "an update's loss has no gradient for what the update moves, and what it does depend on is moved by losses that do not read it; and, without update, where two "
	    "losses pull one tensor both ways. And where tanh makes what a layer judges beside data that, by their files or as bytes with scale=, have "
	    "nothing below 0, or sigmoid beside data that have -0.5 and less. Quiet where what is pulled the other way is moved by both, as by two halves of a "
	    "network that learn by turns; of a loss that pulls both ways by itself, as to confuse (Tzeng and others: Simultaneous deep transfer, 2015); and where critic and generator share the whole game's value, with its sign changed.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
