/*
 * misaligned-widths: in 16-bit precision, widths of dense and convolutional layers that are no
 * multiple of 8, for which GPUs do not use their matrix units, or pad each operand in a copy.
 */
#include "rulekit/fix_edits.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

#define MULTIPLE	8
#define NARROWEST	64	/* below that, matrix units hardly matter */
#define WORTH_SHARE	20	/* of the multiply-adds that the layer must do */

static int64_t
macs_at(const struct node *n, int64_t batch)
{
	return n->op->macs ? affine_at(n->op->macs(n), batch) : 0;
}

/* What a loss reads must be as wide as it says. */
static bool
is_read_by_loss(const struct module *m, const struct node *n)
{
	int i;

	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *r = m->forward->nodes.v[i];

		if (r->op->kind == OP_LOSS && r->nin > 0 && tensor_maker(r->in[0]) == n)
			return true;
	}
	return false;
}

/* The width where the layer's call says it, or the param that does. */
static void
fix(struct lint *l, struct diag *g, const struct node *n, int64_t width, int64_t wide)
{
	const char *text = arena_printf(l->module->arena, "%lld", (long long)wide);
	const struct expr *call, *e;
	struct cut_place p;
	struct amend m;
	int i;

	if (is_read_by_loss(l->module, n) || !fix_amend(l, &m) ||
	    !cut_find(&p, m.arena, l->file, n->loc))
		return;
	call = cut_layer(&p);
	for (i = 0; i < call->nargs; i++) {
		e = call->arg[i].value;
		if ((e->kind == E_NUM && e->num.real == (double)width) ||
		    (e->kind == E_NAME && i == call->nargs - 1 && !call->arg[i].name)) {
			if (amend_value(&m, e, text, false))
				fix_amended(l, g, false, &m, arena_printf(m.arena, "make it %s "
				    "wide", text));
			return;
		}
	}
}

static void
report(const struct rule *rule, struct lint *l, const struct node *n, double share)
{
	struct module *m = l->module;
	const struct tensor *w = n->in[1];
	int64_t width = w->dim[0], wide = (width + MULTIPLE - 1) / MULTIPLE * MULTIPLE;
	int64_t bytes = affine_at(tensor_bytes(w), 1);
	struct diag *g;

	g = lint_report(l, rule, n->loc, "'%s' is %lld wide, no multiple of %d, in %s", n->path,
	    (long long)width, MULTIPLE, dtype_name(w->dtype));
	diag_fact(l->diags, g, "it does %.0f %% of the multiply-adds; matrix units want operands "
	    "aligned to 16 B", 100 * share);
	diag_help(l->diags, g, "%lld takes %s B more of weights", (long long)wide,
	    lint_commas(m->arena, bytes / width * (wide - width)));
	if (!n->part_of)
		fix(l, g, n, width, wide);
}

static void
check(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	struct place_set reported = { NULL };
	int64_t all = 0, mine;
	int i;

	if (!precision_is_narrow(m->set.precision))
		return;
	for (i = 0; i < m->forward->nodes.n; i++)
		if ((mine = macs_at(m->forward->nodes.v[i], 1)) < INT64_MAX / 2 - all)
			all += mine;
	for (i = 0; i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		const struct tensor *w = n->nin > 1 ? n->in[1] : NULL;

		if (!node_is(n, "dense") && !node_is(n, "conv"))
			continue;
		if (!w || w->kind != T_PARAM || w->dim[0] < NARROWEST || w->dim[0] % MULTIPLE == 0)
			continue;
		mine = macs_at(n, 1);
		if (mine > 0 && mine >= all / WORTH_SHARE &&
		    place_is_new(&reported, l, rule, n->loc))
			report(rule, l, n, (double)mine / (double)all);
	}
}

const struct rule rule_misaligned_widths = {
	.id = "SW112",
	.name = "misaligned-widths",
	.family = FAMILY_MEMORY,
	.severity = SEV_WARNING,
	.brief = "in 16-bit precision a layer's width is no multiple of 8",
	.doc = "Tensor cores take 16-bit operands whose rows begin at multiples of 16 bytes: "
	    "channels, features or a vocabulary in multiples of 8. For others libraries fall back "
	    "to slower kernels, or copy operands into padded ones, which costs memory besides.\n\n"
	    "Reported in bf16 and f16 for widths of 64 or more, of layers that do a twentieth of "
	    "the multiply-adds or more. Round up: a few columns of weights. Seen with GPT-2's "
	    "vocabulary of 50,257, which nanoGPT made 50,304 and trained a quarter faster.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
