/*
 * endless-loss: a loss that is a distance times a number below 0, so that training makes the
 * distance as large as it can; or that holds a divergence or a weight penalty so, beside terms that
 * grow more slowly, or a divergence a part of which is left out. Reads the forward graph.
 */
#include "rulekit/graph_query.h"
#include "rulekit/loss_terms.h"
#include "rulekit/place_set.h"

#include <math.h>

#include "ir/op.h"

static bool
is_target(const struct tensor *t)
{
	while (t && (node_is(t->def, "reshape") || node_is(t->def, "cast")))
		t = t->def->in[0];
	return t && t->kind == T_TARGET;
}

/* Is it never below 0, without an upper end, and an error of a target? */
static bool
is_distance(const struct node *n)
{
	static const char *const name[] = { "mse", "l1", "smooth_l1", "huber", "log_cosh", "cross_entropy", "bce_with_logits",
		"hinge", "soft_margin", NULL };
	bool squared = node_is(n, "abs") || node_is(n, "square") || (node_is(n, "pow") && n->nin == 1 && op_real(n, "exponent") == 2);
	const struct node *of = squared ? n->in[0]->def : n;
	int i;

	if (!of || of->nin < 2 || (!is_target(of->in[1]) && !(squared && is_target(of->in[0]))))
		return false;
	for (i = 0; name[i] && !node_is(n, name[i]); i++)
		;
	return name[i] || (squared && node_is(of, "sub"));
}

/* The distance that a loss is a multiple of, and by what; NULL: it is none. */
static const struct node *
distance_of(const struct tensor *loss, double *factor)
{
	const struct node *n = loss->def;

	*factor = 1;
	while (n && n->nin > 0 && n->in[0] && (node_is_average(n) || node_is(n, "scale") || node_is(n, "neg"))) {
		if (node_is(n, "scale"))
			*factor *= op_real(n, "factor");
		else if (node_is(n, "neg"))
			*factor = -*factor;
		n = n->in[0]->def;
	}
	return n && n->nin > 0 && is_distance(n) ? n : NULL;
}

/* The only loss of a network; NULL: there are several, which may hold one another. */
static const struct result *
only_loss(const struct graph *f)
{
	const struct result *found = NULL;
	int i;

	for (i = 0; i < f->results.n; i++)
		if (f->results.v[i].is_loss) {
			if (found)
				return NULL;
			found = &f->results.v[i];
		}
	return found;
}

/* ---- sums of terms ---- */

/* What it is the square of; NULL: it is none. */
static const struct tensor *
square_of(const struct tensor *t)
{
	const struct node *n = t->def;

	if (node_is(n, "pow") && n->nin == 1 && op_real(n, "exponent") == 2)
		return n->in[0];
	return node_is(n, "mul") && n->nin == 2 && n->in[0] == n->in[1] ? n->in[0] : NULL;
}

/* What it is a multiple of, by a number above 0. */
static const struct tensor *
without_factor(const struct tensor *t)
{
	while (node_is(t->def, "scale") && op_real(t->def, "factor") > 0)
		t = t->def->in[0];
	return t;
}

/* ---- a divergence ---- */

/* Does a trained layer give it, so that it may become as large as anything? */
static bool
is_free(const struct tensor *t)
{
	const struct node *n = tensor_maker(t);

	if (node_is(n, "split") || node_is(n, "slice"))
		n = tensor_maker(n->in[0]);
	return n && (node_is(n, "dense") || node_is(n, "conv")) && node_is_trained(n);
}

/* Is the term the variance, with the sign that takes it down, of which another is the logarithm
 * with the sign that takes it up? */
static bool
is_variance(const struct loss_terms *s, const struct loss_term *variance)
{
	const struct node *n = variance->of->def;
	const struct tensor *root = square_of(variance->of);
	int i;

	for (i = 0; i < s->n; i++) {
		const struct loss_term *k = &s->v[i];
		const struct tensor *inner = node_is(k->of->def, "log") ? without_factor(k->of->def->in[0]) : NULL;

		if (k->factor <= 0)
			continue;
		if (node_is(n, "exp") && k->of == without_factor(n->in[0]))
			return true;
		if (inner && (inner == variance->of || (root && (inner == root || square_of(inner) == root))))
			return true;
	}
	return false;
}

/* By tensor: what is made of T. */
static bool *
find_made_of(const struct module *m, const struct tensor *t)
{
	bool *made = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*made));
	int i, k;

	made[t->id] = true;
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool any = false;

		for (k = 0; k < n->nin; k++)
			any |= n->in[k] && made[n->in[k]->id];
		for (k = 0; k < n->nout; k++)
			if (n->out[k])
				made[n->out[k]->id] |= any;
	}
	return made;
}

/* Is it given by a layer that reads the mean, or what is made of it? That may give up on the
 * code. */
static bool
is_decoded(const struct tensor *t, const bool *of_mean)
{
	const struct node *n = tensor_maker(t);

	if (n && (n->op->flags & OP_ELEMENTWISE) && n->nin == 1)
		n = tensor_maker(n->in[0]);
	return n && node_has_weights(n) && node_is_trained(n) && of_mean[n->in[0]->id];
}

/* Does a term compare what is decoded with something? */
static bool
is_error(const struct tensor *t, const bool *of_mean)
{
	const struct tensor *square = square_of(t);
	const struct node *n = square ? square->def : t->def;
	bool first;

	if (!n || n->nin < 2 || !n->in[0] || !n->in[1] || (n->op->kind != OP_LOSS && !(square && node_is(n, "sub"))))
		return false;
	first = of_mean[n->in[0]->id];
	return first != of_mean[n->in[1]->id] && is_decoded(n->in[first ? 0 : 1], of_mean);
}

/* Does nothing else that is added hold the mean of a code? */
static bool
is_let_go(const struct module *m, const struct loss_terms *s, const struct tensor *mean)
{
	const bool *of_mean = find_made_of(m, mean);
	int i;

	for (i = 0; i < s->n; i++)
		if (of_mean[s->v[i].of->id] && !(square_of(s->v[i].of) == mean && s->v[i].factor < 0) && !is_error(s->v[i].of, of_mean))
			return false;
	return true;
}

/* The mean of a code whose divergence is to grow: the terms 1 + l - mean^2 - exp(l), or l by
 * another name, all with their signs changed; NULL: there is none. */
static const struct loss_term *
divergence(const struct module *m, const struct loss_terms *s)
{
	const struct loss_term *variance = NULL;
	int i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].factor < 0 && is_variance(s, &s->v[i]))
			variance = &s->v[i];
	for (i = 0; variance && i < s->n; i++) {
		const struct tensor *mean = s->v[i].factor < 0 && &s->v[i] != variance ? square_of(s->v[i].of) : NULL;

		if (mean && is_free(mean))
			return is_let_go(m, s, mean) ? &s->v[i] : NULL;
	}
	return NULL;
}

/* Is noise multiplied with what is made of it? */
static bool
is_noise_of(const struct module *m, const bool *of_log)
{
	int i, k;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];

		for (k = 0; node_is(n, "mul") && n->nin == 2 && k < 2; k++)
			if (node_is(n->in[k]->def, "normal") && of_log[n->in[1 - k]->id])
				return true;
	}
	return false;
}

/* The variance, exp(l), of a divergence that leaves -l out: all else that is made of l is an error
 * of what is decoded, which its noise makes larger. NULL: there is none. */
static const struct loss_term *
loose_variance(const struct module *m, const struct loss_terms *s)
{
	int i, k;

	for (i = 0; i < s->n; i++) {
		const struct loss_term *v = &s->v[i];
		const struct tensor *log = v->factor > 0 && node_is(v->of->def, "exp") ? v->of->def->in[0] : NULL;
		bool mean = false, held = false, *of_log;

		if (!log || !is_free(log))
			continue;
		of_log = find_made_of(m, log);
		for (k = 0; k < s->n; k++) {
			const struct tensor *square = s->v[k].in == v->in && s->v[k].factor == v->factor ? square_of(s->v[k].of) : NULL;

			mean |= square && is_free(square) && !of_log[square->id];
			held |= k != i && of_log[s->v[k].of->id] && !is_error(s->v[k].of, of_log);
		}
		if (mean && !held && is_noise_of(m, of_log))
			return v;
	}
	return NULL;
}

static void
report_loose(const struct rule *rule, struct lint *l, const struct loss_term *v)
{
	const struct tensor *log = v->of->def->in[0];
	struct diag *g = lint_report(l, rule, v->of->def->loc, "the divergence of a code leaves '%s', the logarithm of its variance, out: "
	    "nothing keeps the variance from 0", log->name);

	diag_place(l->diags, g, v->in->loc, "it is in this loss");
	diag_fact(l->diags, g, "exp(l) becomes smaller without an end as l does, and so does the error, by its noise: what is left is an "
	    "autoencoder without any");
	diag_help(l->diags, g, "0.5 * sum(m^2 + exp(l) - 1 - l), of the mean m and the logarithm l");
}

static void
report_divergence(const struct rule *rule, struct lint *l, const struct loss_term *mean)
{
	const struct tensor *of = square_of(mean->of);
	struct diag *g = lint_report(l, rule, mean->of->def->loc, "the divergence of a code has its sign changed: training makes it as "
	    "large as it can");

	diag_place(l->diags, g, mean->in->loc, "it is in this loss");
	diag_fact(l->diags, g, "it takes away the square of '%s', which has no upper end, so the loss has no lower one", of->name);
	diag_help(l->diags, g, "change the sign of the whole: -0.5 * sum(1 + l - m^2 - exp(l)), or 0.5 * sum(m^2 + exp(l) - 1 - l)");
}

/* ---- a penalty ---- */

/* The parameter that a square is of; NULL: it is of something that is computed. */
static const struct tensor *
penalised(const struct loss_term *k)
{
	const struct tensor *t = square_of(k->of);

	while (t && t->def && (node_is(t->def, "parameter") || node_is(t->def, "reshape")))
		t = t->def->in[0];
	return t && t->kind == T_PARAM && !t->frozen ? t : NULL;
}

/* Does it grow no faster than its first operand, if the others stay as they are? */
static bool
is_slow(const struct node *n)
{
	static const char *const name[] = { "dense", "conv", "relu", "leaky_relu", "gelu", "silu", "tanh", "sigmoid", "dropout", "reshape",
		"flatten", "parameter", "layernorm", "batchnorm", "maxpool", "avgpool", "global_avgpool", "mean", "sum", "scale", "add", "sub", "concat",
		"matmul", "mul", "embedding", "cross_entropy", "bce_with_logits", "l1", "smooth_l1", "huber", "hinge", NULL };
	int i;

	for (i = 0; name[i]; i++)
		if (node_is(n, name[i]))
			return true;
	return false;
}

static bool
adds_up(const struct node *n)
{
	return node_is(n, "add") || node_is(n, "sub") || node_is(n, "concat");
}

/* Do all other terms grow no faster than the weight itself? Its square then outgrows them. */
static bool
outgrows(const struct module *m, const struct loss_terms *s, const struct tensor *weight)
{
	bool *of_weight = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*of_weight));
	bool *faster = arena_array(m->arena, (size_t)m->next_tensor + 1, sizeof(*faster));
	int i, k;

	of_weight[weight->id] = true;
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		bool fast = false;
		int reads = 0;

		for (k = 0; k < n->nin; k++)
			if (n->in[k] && of_weight[n->in[k]->id]) {
				reads++;
				fast |= faster[n->in[k]->id];
			}
		if (!reads)
			continue;
		fast |= !is_slow(n) || (reads > 1 && !adds_up(n));
		for (k = 0; k < n->nout; k++)
			if (n->out[k]) {
				of_weight[n->out[k]->id] = true;
				faster[n->out[k]->id] = fast;
			}
	}
	for (i = 0; i < s->n; i++)
		if (penalised(&s->v[i]) == weight ? s->v[i].factor > 0 : faster[s->v[i].of->id])
			return false;
	return true;
}

static void
report_penalty(const struct rule *rule, struct lint *l, const struct loss_term *k, const struct tensor *weight)
{
	struct diag *g = lint_report(l, rule, k->of->def->loc, "the loss holds %g times the square of '%s': training makes that as large "
	    "as it can", k->factor, weight->name);

	diag_place(l->diags, g, weight->loc, "'%s' is made here", weight->name);
	diag_fact(l->diags, g, "nothing else in the loss grows with more than '%s' itself, so it has no lower end", weight->name);
	diag_help(l->diags, g, "a penalty is added: leave the sign out");
}

/* Losses that are added, of which one has no lower end. */
static void
check_terms(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct loss_terms s = { .all = true };
	const struct loss_term *mean;
	int i;

	for (i = 0; i < m->forward->results.n; i++)
		if (m->forward->results.v[i].is_loss)
			loss_terms_add(&s, &m->forward->results.v[i]);
	if (!s.all)
		return;
	if ((mean = divergence(m, &s)))
		report_divergence(rule, l, mean);
	else if ((mean = loose_variance(m, &s)))
		report_loose(rule, l, mean);
	for (i = 0; i < s.n; i++) {
		const struct tensor *weight = s.v[i].factor < 0 ? penalised(&s.v[i]) : NULL;

		if (!weight || weight->group || optimizer_real(&m->set, "weight_decay") != 0 || !outgrows(m, &s, weight))
			continue;
		report_penalty(rule, l, &s.v[i], weight);
		return;
	}
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct result *loss = m->set.train && m->set.nturns == 0 ? only_loss(m->forward) : NULL;
	const struct node *distance;
	double factor;
	struct diag *g;

	if (!loss || !(distance = distance_of(loss->tensor, &factor)) || factor >= 0) {
		if (m->set.train && m->set.nturns == 0)
			check_terms(rule, l);
		return;
	}
	g = lint_report(l, rule, loss->tensor->def ? loss->tensor->def->loc : loss->loc, "the loss is %g times '%s': training makes "
	    "that as large as it can", factor, distance->path);
	if (loss->tensor->def && distance != loss->tensor->def)
		diag_place(l->diags, g, distance->loc, "it is made here");
	diag_fact(l->diags, g, "an error has no upper end, so the loss has no lower one, and weights grow until they are not numbers");
	diag_help(l->diags, g, "training makes a loss small: leave the sign out");
}

const struct rule rule_endless_loss = {
	.id = "SW348",
	.name = "endless-loss",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a loss without a lower end: a distance, a divergence or a penalty times a number below 0",
	.doc = "Training makes the loss as small as it can. Of a distance with the sign changed, as minus a mean squared error or minus "
	    "a cross-entropy, that is as far from the targets as weights can go: it falls without an end. A score that is to grow, as a "
	    "likelihood or a reward, is what takes a minus; an error does not.\n\n"
	    "Reported of a network's only loss, if it is a mean, a sum or a multiple of mse, l1 and their like, cross_entropy, "
	    "bce_with_logits, hinge, a square or abs of a difference from a target, by a factor below 0 in all. Quiet of what is compared with no target, where several losses are added, "
	    "which may hold one another as those of adversaries do, and with turns.\n\n"
	    "Of several, and of sums, two terms are known to have no end: the divergence of a code from normal numbers, as a variational "
	    "autoencoder has it (Kingma and Welling, 2013), with all its signs changed, 0.5 * sum(1 + l - m^2 - exp(l)), or without its -l; and the square of a parameter "
	    "times a number below 0, where all else grows no faster than the parameter itself, and the optimizer has no weight_decay.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
