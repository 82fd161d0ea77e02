/*
 * batchnorm-batch-1: batch normalisation of a single sample, in every batch or in the last of an
 * epoch; and other normalisation of single numbers, which is so in any batch. Reads the training
 * graph, the micro-batch and the number of samples, which files may say.
 */
#include "rulekit/data_look.h"
#include "rulekit/graph_query.h"
#include "rulekit/place_set.h"

#include "fit/whatif.h"
#include "plan/plan.h"

#define ENOUGH	16	/* samples: as batchnorm-accumulate has it */
#define FEW	8	/* as last-batch has it */

static void
tell_larger(struct lint *l, struct diag *g)
{
	struct module *m = l->module;
	int64_t arena = whatif_batch(m, ENOUGH);

	if (arena < INT64_MAX)
		diag_help(l->diags, g, "micro-batches of %d need %s, %s more", ENOUGH,
		    lint_human(m->arena, arena), lint_human(m->arena, arena -
		    m->plan->arena_bytes));
	diag_help(l->diags, g, m->set.parts ? "`deterministic` of fewer parts, or a larger batch: each has its share of it" :
	    settings_data_ranks(&m->set) > 1 ? "fewer ranks, or a larger batch: each has its share of it" :
	    m->set.accumulate > 1 ? "accumulate fewer, larger micro-batches" :
	    "a larger batch: `stowage fit` says how large it may be");
}

static void
check_batch(const struct rule *rule, struct lint *l)
{
	struct module *m = l->module;
	const struct node *any = first_batchnorm(m), *vector = first_batchnorm_of_vectors(m);
	struct diag *g;

	if (vector && batchnorm_samples(m, vector, m->plan->batch) > 1)	/* of all ranks */
		vector = NULL;
	if (vector)
		g = lint_report(l, rule, vector->loc, "'%s' normalises one number by itself: its "
		    "output is its bias, whatever the input", vector->path);
	else if (any && (m->set.validate || settings_shares(&m->set) > 1))
		g = lint_report(l, rule, any->loc, "'%s' normalises each sample by itself: the "
		    "micro-batch is 1", any->path);
	else
		return;
	any = vector ? vector : any;
	diag_fact(l->diags, g, "mean and variance are over %lld position%s of one sample; "
	    "validation uses their running averages, which are of something "
	    "else", (long long)batchnorm_positions(any), vector ? "" : "s");
	tell_larger(l, g);
}

/* By how many ranks the samples that N averages over are divided. */
static int64_t
shares_of(const struct module *m, const struct node *n)
{
	return settings_data_ranks(&m->set) / batchnorm_samples(m, n, 1);
}

/* Has one of so many ranks a single one of these SAMPLES, when no two ranks differ by more than
 * one? */
static bool
leaves_one(int64_t samples, int64_t ranks)
{
	return samples > 0 && samples < 2 * ranks;
}

/* A batch near that of the spec, which all ranks divide, whose last leaves N neither one sample nor
 * few; 0: there is none. */
static int64_t
other_batch(const struct module *m, const struct node *n, int64_t samples)
{
	int64_t batch = m->set.batch, step, b;

	for (step = FEW; step >= 1; step /= FEW)
		for (b = batch - step; b > batch / 2; b -= step)
			if (b % settings_data_ranks(&m->set) == 0 && (samples % b == 0 ||
			    (!leaves_one(samples % b, shares_of(m, n)) && samples % b >= b / FEW)))
				return b;
	return 0;
}

static void
check_last(const struct rule *rule, struct lint *l, int64_t samples)
{
	struct module *m = l->module;
	const struct node *n = first_batchnorm_of_vectors(m);
	int64_t batch = m->set.batch, other = other_batch(m, n, samples);
	bool apart = shares_of(m, n) > 1;
	struct diag *g;

	g = lint_report(l, rule, n->loc, "in the last batch of each epoch, %s one sample, '%s' "
	    "normalises one number by itself", apart ? "of which a rank has" : "which is", n->path);
	diag_place(l->diags, g, m->set.batch_loc, "the batch is here");
	diag_fact(l->diags, g, "%lld samples are %lld batch%s of %lld and %lld%s%s", (long long)samples,
	    (long long)(samples / batch), samples / batch == 1 ? "" : "es", (long long)batch, (long long)(samples % batch),
	    apart ? arena_printf(m->arena, ", for %lld ranks", (long long)m->set.ranks) : "",
	    apart || settings_data_ranks(&m->set) <= 1 ? "; PyTorch stops there: "	/* its SyncBatchNorm does not */
	    "\"Expected more than 1 value per channel when training\"" : "");
	if (other > 0)
		diag_help(l->diags, g, "batch %lld leaves %lld for the last", (long long)other,
		    (long long)(samples % other ? samples % other : other));
}

/* How many numbers it takes mean and variance of; 0: it is none of those that look at a sample by
 * itself. */
static int64_t
numbers_normalised(const struct node *n)
{
	const struct tensor *x = n->nin ? n->in[0] : NULL;
	int64_t numbers = 1, k;

	if (!x || x->rank == 0)
		return 0;
	if (node_is(n, "groupnorm"))
		return tensor_elements_per_sample(x) / op_int(n, "groups");
	if (!node_is(n, "layernorm"))
		return 0;
	for (k = 1; k <= op_int(n, "axes") && k <= x->rank; k++)
		numbers *= x->dim[x->rank - k];
	return numbers;
}

/* Each sample by itself, a number at a time. */
static void
check_samples(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	struct place_set reported = { NULL };
	int i;

	for (i = 0; m->set.train && i < m->forward->nodes.n; i++) {
		const struct node *n = m->forward->nodes.v[i];
		struct diag *g;

		if (numbers_normalised(n) != 1 || !place_is_new(&reported, l, rule, n->loc))
			continue;
		g = lint_report(l, rule, n->loc, "'%s' normalises one number by itself: its output is its bias, whatever the input",
		    n->path);
		if (node_is(n, "groupnorm")) {
			diag_fact(l->diags, g, "of %s each of %lld groups has one number", tensor_shape_text(m->arena, n->in[0]),
			    (long long)op_int(n, "groups"));
			diag_help(l->diags, g, "fewer groups, or before the map is a single place");
		} else {
			diag_fact(l->diags, g, "it works along the last axis, of which %s has one number",
			    tensor_shape_text(m->arena, n->in[0]));
			diag_help(l->diags, g, "flatten before it makes that axis the channels");
		}
	}
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct module *m = l->module;
	const struct node *vector = first_batchnorm_of_vectors(m);
	int64_t samples;

	check_samples(rule, l);
	if (!m->train || !first_batchnorm(m))
		return;
	if (batchnorm_samples(m, first_batchnorm(m), m->plan->batch) == 1) {
		check_batch(rule, l);
	} else if (m->set.accumulate == 1 && vector) {
		samples = data_samples(l, &m->set.data);
		if (samples > m->set.batch && leaves_one(samples % m->set.batch, shares_of(m, vector)))
			check_last(rule, l, samples);
	}
}

const struct rule rule_batchnorm_batch_1 = {
	.id = "SW303",
	.name = "batchnorm-batch-1",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "batch normalisation of a single sample",
	.doc = "With a micro-batch of 1, batch normalisation takes mean and variance from one "
	    "sample: of a map, over its positions; of a vector, over a single number, which gives "
	    "(x - x) / sqrt(0 + eps), that is nothing of the input. PyTorch stops with \"Expected "
	    "more than 1 value per channel when training\"; other frameworks train a network that "
	    "has learnt nothing, or one whose validation, by running averages, does not match its "
	    "training. If samples leave one over, or on a rank one of its share, that is so in the last batch of each epoch: a "
	    "step of full size from a gradient that says nothing.\n\n"
	    "The same is so in any batch of layernorm along an axis of 1, as behind global_avgpool without flatten, and of groupnorm with a group for "
	    "each number. Reported for vectors, in every batch or the last; for maps where the micro-batch is 1 "
	    "and the batch is not, or where there is validation. (Without either, to normalise "
	    "each image by itself may be meant, as in pix2pix.) Use a larger batch, freeze the "
	    "normalisation, or leave it out. Seen in deeplabv3plus-pytorch #34; of last batches "
	    "in fastai #1352.",
	.check = check,
	.needs = NEEDS_SKETCH,
};
