/*
 * attention: self-attention with its own projections. It is three nodes or more, so that passes see
 * ordinary dense layers:
 *
 *     x -> in_proj: dense -> [q | k | v] -> (rope ->) attend -> out_proj: dense
 *                                  (relative: parameter ->)
 *
 * The order of parameters, and what the rows of the first weight mean, are those of PyTorch's
 * MultiheadAttention.
 */
#include "ops/attend.h"

#include "calls/sizes.h"
#include "ops/shapes.h"

static const struct attr_spec attrs[] = {
	ATTEND_ATTRS,
	{ "bias", ATTR_BOOL, "both projections add a trained number to each unit", .preset = "true" },
	{ "rope", ATTR_REAL, "queries and keys are turned by their positions, as by rope with this base, such as "
	    "10000; 0: they are not", .preset = "0", .min = 0, .max = 1e12 },
	{ "interleaved", ATTR_BOOL, "of rope: pairs are neighbours", .preset = "false" },
	ATTRS_END
};

extern const struct op op_attend, op_dense, op_parameter, op_rope;

static struct node *
project(struct build *b, const struct node *n, const char *suffix, struct tensor *x, int64_t units)
{
	struct attr *a = op_presets(b->module->arena, &op_dense);

	op_preset(&op_dense, a, "units")->i = units;
	op_preset(&op_dense, a, "bias")->i = op_bool(n, "bias");
	op_preset(&op_dense, a, "split")->i = op_attr(n, "split")->i;
	return op_part(b, n, &op_dense, a, suffix, 1, &x);
}

/* Queries and keys of packed rows, turned. */
static struct tensor *
turned(struct build *b, const struct node *n, struct tensor *x, int64_t d)
{
	struct attr *a = op_presets(b->module->arena, &op_rope);
	int64_t heads = op_int(n, "heads"), kv = op_int(n, "kv_heads") ? op_int(n, "kv_heads") : heads;

	op_preset(&op_rope, a, "heads")->i = heads + kv;
	op_preset(&op_rope, a, "rest")->i = kv * d;
	op_preset(&op_rope, a, "base")->r = op_real(n, "rope");
	op_preset(&op_rope, a, "interleaved")->i = op_bool(n, "interleaved");
	return op_part(b, n, &op_rope, a, "rope", 1, &x)->out[0];
}

/* A table of relative positions of its own, which starts as Swin's does. */
static struct tensor *
table(struct build *b, const struct node *n)
{
	struct attr *a = op_presets(b->module->arena, &op_parameter), *shape = op_preset(&op_parameter, a, "shape");

	shape->n = 2;
	shape->v[0] = attend_table(n);
	shape->v[1] = op_int(n, "heads");
	op_preset(&op_parameter, a, "init")->init = (struct init){ INIT_NORMAL, 0.02 };
	return op_part(b, n, &op_parameter, a, "relative", 0, NULL)->out[0];
}

static bool
is_well_formed(struct build *b, const struct node *n)
{
	const struct tensor *x = n->in[0];
	int64_t heads = op_int(n, "heads"), kv = op_int(n, "kv_heads"), ranks = settings_ranks(&b->module->set), features;
	const char *whole;

	if (!shape_float(b, n, 0) || !shape_needs_rank(b, n, 0, 2, "[..., positions, features]"))
		return false;
	features = x->dim[x->rank - 1];
	if (features % heads)
		return op_error(b, n, "attention: the %lld features of %s do not divide into %lld heads",
		    (long long)features, op_operand_text(b, x), (long long)heads);
	if (features / heads > ATTEND_WIDEST)
		return op_error(b, n, "attention: heads of %lld features; the most is %d",
		    (long long)(features / heads), ATTEND_WIDEST);
	if (kv && heads % kv)
		return op_error(b, n, "attention: %lld heads do not divide among %lld kv_heads",
		    (long long)heads, (long long)kv);
	if (op_real(n, "rope") > 0 && op_real(n, "rope") < 1)
		return op_error(b, n, "attention: rope is a base of at least 1, such as rope=10000");
	if (op_real(n, "rope") > 0 && features / heads % 2)
		return op_error(b, n, "attention: rope turns pairs, and heads of %lld features are not pairs",
		    (long long)(features / heads));
	if (!attend_is_relative(b, n))
		return false;
	whole = attend_unsplit(n) ? attend_unsplit(n) : n->nin > 1 ? "a bias of the scores" : op_real(n, "rope") > 0 ? "rope" :
	    kv && kv != heads ? "kv_heads" : NULL;
	if (op_attr(n, "split")->i && whole)
		return op_error(b, n, "attention: with %s it cannot be split over ranks yet: leave split out", whole);
	if (op_attr(n, "split")->i && heads % ranks)
		return op_error(b, n, "attention: split=ranks: %lld ranks do not divide its %lld heads; %lld would be %lld on each",
		    (long long)ranks, (long long)heads, (long long)((heads / ranks + 1) * ranks), (long long)(heads / ranks + 1));
	return true;
}

static struct node *
expand(struct build *b, const struct node *n)
{
	int64_t heads = op_int(n, "heads"), kv = op_int(n, "kv_heads"), features;
	struct attr *a = op_presets(b->module->arena, &op_attend);
	struct tensor *core[2] = { NULL, n->nin > 1 ? n->in[1] : NULL };
	int i;

	if (!is_well_formed(b, n))
		return NULL;
	features = n->in[0]->dim[n->in[0]->rank - 1];
	for (i = 0; i < op_nattrs(&op_attend); i++)
		a[i] = n->attr[i];	/* both begin with ATTEND_ATTRS */
	core[0] = project(b, n, "in_proj", n->in[0], features + 2 * (kv ? kv : heads) * (features / heads))
	    ->out[0];
	if (op_real(n, "rope") > 0)
		core[0] = turned(b, n, core[0], features / heads);
	if (!core[1] && attend_table(n))
		core[1] = table(b, n);
	return project(b, n, "out_proj", op_part(b, n, &op_attend, a, "attend", core[1] ? 2 : 1, core)->out[0],
	    features);
}

const struct op op_attention = {
	.name = "attention",
	.kind = OP_LAYER,
	.brief = "multi-head self-attention",
	.doc = "x -> attention(12, causal=true) is self-attention with its own projections: a dense layer "
	    "makes queries, keys and values of [T, C], `attend` lets each position gather the values of "
	    "those it sees, and another dense layer puts the heads together, [T, C] again. Of [windows, T, C] each "
	    "window is a sequence by itself. A second "
	    "operand, score_bias, is added to the scores, as `attend` adds its bias.\n\n"
	    "Parameters, in the order of PyTorch's MultiheadAttention: in_proj.weight [3 C, C] (queries, "
	    "keys, values; with kv_heads, C + 2 kv_heads C / heads rows), in_proj.bias, out_proj.weight "
	    "[C, C] and out_proj.bias, each started as a dense layer starts them: GPT-2's c_attn and "
	    "c_proj. dropout acts on the probabilities alone. With rope=10000 queries and keys are turned by "
	    "their positions (see rope). With relative or grid the second operand is the table that attend asks for; "
	    "without one the layer has its own, relative.weight, started by a normal distribution of deviation "
	    "0.02.\n\n"
	    "It is three nodes of the graph, called in_proj, attend and out_proj, or more with rope and a table; for "
	    "what each keeps, and takes, see dense, rope and attend. With split=ranks, where several ranks train together, "
	    "each has its share of the heads: the rows of in_proj that make them, and the columns of out_proj that read "
	    "them; ranks then add up what each makes of its own. For cross-attention, and other arrangements, write them yourself.",
	.attrs = attrs,
	.operands = "x score_bias",
	.min_operands = 1, .max_operands = 2,
	.expand = expand,
};
