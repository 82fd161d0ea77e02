/*
 * division-by-zero: a quotient whose divisor an activation makes exactly 0, or the data files hold
 * as 0, and a root of the distances of points to themselves, by which its gradient divides. Reads
 * the forward graph, and the first part of the files.
 */
#include "rulekit/graph_query.h"
#include "rulekit/input_columns.h"
#include "rulekit/place_set.h"

#include "ir/op.h"

static bool
is_zeroing(const struct node *n)
{
	return node_is(n, "relu") || node_is(n, "relu6");
}

/* What N divides by; NULL: it is no quotient. */
static const struct tensor *
divisor_of(const struct node *n)
{
	if (node_is(n, "div") && n->nin > 1)
		return n->in[1];
	if (node_is(n, "rsqrt") || node_is(n, "reciprocal") || (node_is(n, "pow") && n->nin == 1 && op_real(n, "exponent") < 0))
		return n->in[0];
	return NULL;
}

/* What makes N's divisor 0 for about half of all inputs; NULL: nothing is known to. */
static const struct node *
zeroed_by(const struct node *n)
{
	const struct node *maker = tensor_maker(divisor_of(n));

	return is_zeroing(maker) ? maker : NULL;
}

/* ---- columns of files ---- */

struct columns {
	struct input_looks looks;
	const struct input_numbers *numbers;	/* NULL: nothing was asked yet */
	struct tensor_readers readers;
};

/* The column that N divides by, though it holds a 0; NULL: none does, or nothing is known. Of rsqrt
 * and broken powers log-of-negative speaks. */
static const struct input_column *
zero_column(struct lint *l, struct columns *c, const struct node *n)
{
	const struct tensor *divisor = divisor_of(n);
	struct input_column *column;
	int i, count;

	if (!divisor || !(node_is(n, "div") || node_is(n, "reciprocal")))
		return NULL;
	if (!c->numbers) {
		input_looks(&c->looks, l);
		c->numbers = data_numbers(l);
		c->readers = readers_of(l);
	}
	count = input_columns(&c->looks, &c->numbers[divisor->id], &column);
	for (i = 0; i < count; i++)
		if (column_zeros(&column[i]) > 0)
			return node_is_guarded(&c->readers, n, true) ? NULL : &column[i];
	return NULL;
}

static void
check_column(const struct rule *rule, struct lint *l, const struct node *n, const struct input_column *c)
{
	struct diag *g = lint_report(l, rule, n->loc, "'%s' divides by 0: \"%s\" holds numbers that are 0", n->path, c->look->file);

	diag_place(l->diags, g, c->of->loc, "'%s' is declared here", c->of->name);
	if (c->at == ALL_OF_IT)
		diag_fact(l->diags, g, "in its first part they go from %g to %g", column_least(c), column_most(c));
	else
		diag_fact(l->diags, g, "of column %lld %lld of the first %lld %s 0: a quotient by it is infinite or not a number, and so is "
		    "what is averaged over it", (long long)(c->look->field + c->at + 1), (long long)column_zeros(c),
		    (long long)c->look->rows, column_zeros(c) == 1 ? "is" : "are");
	diag_help(l->diags, g, column_least(c) < 0 ? "leave these rows out of the file; or where(x == 0, 0, ...)" :
	    "x + 1 in its place, or what is small beside it; or leave these rows out of the file");
}

/* ---- roots ---- */

static const struct tensor *
past_views(const struct tensor *t)
{
	while (t->def && t->def->in && t->def->nin && t->def->in[0] && (node_is(t->def, "reshape") || node_is(t->def, "broadcast")))
		t = t->def->in[0];
	return t;
}

/* The difference of each of some vectors and each of the same ones, themselves included. */
static bool
is_all_differences(const struct node *n)
{
	const struct tensor *x, *y;

	if (!node_is(n, "sub") || n->nin < 2 || !n->in[0] || !n->in[1])
		return false;
	x = past_views(n->in[0]);
	y = past_views(n->in[1]);
	return x == y && x->rank >= 1 && tensor_elements_per_sample(n->out[0]) > tensor_elements_per_sample(x);
}

/* Is N's operand the sum of squares of these? */
static const struct node *
distances_of(const struct node *n)
{
	const struct node *sum, *square;
	bool root = node_is(n, "sqrt") || (node_is(n, "pow") && n->nin == 1 && op_real(n, "exponent") > 0 &&
	    op_real(n, "exponent") < 1);

	sum = root ? tensor_maker(n->in[0]) : NULL;
	square = node_is(sum, "sum") || node_is(sum, "mean") ? tensor_maker(sum->in[0]) : NULL;
	if (node_is(square, "pow") ? square->nin != 1 || op_real(square, "exponent") != 2 :
	    !node_is(square, "square") && !(node_is(square, "mul") && square->nin > 1 && square->in[0] == square->in[1]))
		return NULL;
	return square && square->in[0]->def && is_all_differences(square->in[0]->def) ? square->in[0]->def : NULL;
}

static void
check_quotient(const struct rule *rule, struct lint *l, const struct node *n, const struct node *maker)
{
	struct diag *g = lint_report(l, rule, n->loc, "'%s' divides by what '%s' makes 0", n->path, maker->path);

	diag_place(l->diags, g, maker->loc, "it is made here");
	diag_fact(l->diags, g, "%s makes 0 of every number below it, at the start of about half of them, and a quotient by 0 is "
	    "infinite or not a number", maker->op->name);
	diag_help(l->diags, g, "softplus in place of %s, which is never 0; or divide by x + 1e-6", maker->op->name);
}

static void
check_root(const struct rule *rule, struct lint *l, const struct node *n, const struct node *differences)
{
	struct diag *g = lint_report(l, rule, n->loc, "the gradient of '%s' is not a number where a distance is 0, as of each "
	    "point to itself", n->path);

	diag_place(l->diags, g, differences->loc, "all pairs are made here, %s",
	    tensor_shape_text(l->module->arena, differences->out[0]));
	diag_fact(l->diags, g, "the gradient of sqrt(x) is 1 / (2 sqrt(x)), infinite at 0, and that of the square there is 0: "
	    "their product is not a number");
	diag_help(l->diags, g, "sqrt(... + 1e-12); or leave the root out");
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct place_set reported = { NULL };
	struct columns columns = { .numbers = NULL };
	int i;

	for (i = 0; m->set.train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i], *maker, *differences;
		const struct input_column *column;

		if (n->nin == 0 || !n->in[0])
			continue;
		maker = zeroed_by(n);
		differences = maker ? NULL : distances_of(n);
		column = maker || differences ? NULL : zero_column(l, &columns, n);
		if ((!maker && !differences && !column) || !place_is_new(&reported, l, rule, n->loc))
			continue;
		if (maker)
			check_quotient(rule, l, n, maker);
		else if (column)
			check_column(rule, l, n, column);
		else
			check_root(rule, l, n, differences);
	}
}

const struct rule rule_division_by_zero = {
	.id = "SW344",
	.name = "division-by-zero",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "a quotient by what is 0, or a root of distances to oneself",
	.doc = "relu makes exactly 0 of every number below it: before a network is trained, of about half of all. What is divided by "
	    "that is infinite, or not a number, and after the first step all weights are. A root's gradient divides, too: of "
	    "the distance sqrt(sum((x - y) ^ 2)) it is the difference divided by the distance, 0 / 0 where they are the same. In "
	    "the table of distances of all pairs these are the diagonal, which is always there; that no loss reads it does "
	    "not help, since 0 times infinity is not a number.\n\n"
	    "Reported of a / b, 1 / b, rsqrt and powers below 0 right behind relu or relu6, perhaps past dropout, flatten and reshape; "
	    "of a / b and 1 / b where b is a target or an input of which the first part of the data files has a 0, as in an error that "
	    "is relative to counts; "
	    "and of a root right behind the sum of squared differences of some vectors and the same ones. Quiet where "
	    "something is added between, where where() or a bound leaves the quotient out, of std, whose gradient at 0 is 0, and of a single distance, which is 0 by chance only. "
	    "Seen in many triplet losses that turn NaN (\"Hard mining goes NaN\"): the cure there is sqrt(x + 1e-16) "
	    "(Moindrot: Triplet loss in TensorFlow, 2018).",
	.check = check,
	.needs = NEEDS_GRAPH,
};
