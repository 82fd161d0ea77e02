/*
 * chunk-loss: joins a dense layer and the cross-entropy of its outputs into one node that makes
 * the logits some rows at a time, so that all of them never exist together. GPT-2 124M, at 64
 * sequences of 1024 tokens and 50,304 words, has 12.3 GiB of logits in f32; 64 chunks of them take
 * 197 MiB. No multiply-add is added, but large products run as several smaller ones, and two
 * kernels made for the whole run as one made for chunks: so it is done only where it pays off.
 *
 *     x, w, b -> dense -> logits -> cross_entropy -> loss         x, w, b, labels
 *                            |                           ==>             |
 *              labels -------+----> accuracy                 dense_cross_entropy -> loss, accuracy
 *
 * Reads: train and validate, the setting chunk_loss. Writes: their nodes. It runs before
 * `differentiate`, so what the logits' readers are is known, and gradients follow from the new
 * node.
 *
 * `auto` plans the step both ways, up to lifetimes. It splits where that lowers the largest sum of
 * live bytes by at least one part in LEAST_GAIN, and only the graphs that would else be above it.
 * With a budget to recompute for, it splits whatever is above the budget; but where that does not
 * lower the sum, only what makes more logits than it reads: the joined node has its input's
 * gradient beside the input, which a dense layer has not, and nothing that is made again mends it.
 *
 * For speed it splits the training step if that is over earlier by the card's rates, or only then
 * fits, and validation if only then it does.
 *
 * Training in f16 is left as it is: the gradients that the joined node makes are multiplied by the
 * scale of the loss after they were rounded, and small ones would be lost.
 *
 * Invariants after: 1. the logits of a joined layer had no other reader; 2. nothing else that is
 * needed is gone; 3. nodes that nothing needs are gone from a graph in which something was joined.
 */
#include "passes/passes.h"

#include "target/target.h"
#include "ops/dense_cross_entropy.h"
#include "ir/op.h"
#include "ops/labels.h"
#include "ops/product.h"
#include "ops/shapes.h"
#include "plan/estimate.h"
#include "plan/plan.h"

/* What auto makes: chunks of a sixteenth, when logits are no longer what matters, but of enough
 * rows for a product to be worth reading its weights, and of no more than makes it any faster.
 * Timed on 8192 rows of 20,000: chunks of 1024 rows take as long as of 4096, of 256 rows 4 %
 * longer. */
#define CHUNKS	16
#define LEAST_ROWS	256
#define MOST_ROWS	1024
#define LEAST_GAIN	64

/* A head and where it stands: its dense layer's place among the nodes. */
struct found {
	struct head head;
	int64_t rows;		/* of logits, at the graph's batch */
};

struct chunk_search {
	struct graph *g;
	bool *needed;		/* by place: what prune would leave */
	bool *read;		/* by tensor id: by a node that is needed, or as a result */
	bool *result;		/* by tensor id */
	struct found *at;	/* by place: .head.dense is NULL where none begins */
	int count;
};

/* ---- finding heads ---- */

static bool
is_needed(const struct chunk_search *s, const struct node *n)
{
	int k;

	if (n->op->flags & OP_SIDE_EFFECT)
		return true;
	for (k = 0; k < n->nout; k++)
		if (n->out[k] && (s->read[n->out[k]->id] || tensor_persistent(n->out[k])))
			return true;
	return false;
}

/* Metrics are not computed in training, but their nodes still stand there. */
static void
find_needed(struct chunk_search *s)
{
	int i, k;

	for (i = 0; i < s->g->results.n; i++)
		s->result[s->g->results.v[i].tensor->id] = true;
	if (s->g->loss)
		s->result[s->g->loss->id] = true;
	for (i = 0; i < s->g->module->next_tensor; i++)
		s->read[i] = s->result[i];
	for (i = s->g->nodes.n - 1; i >= 0; i--) {
		const struct node *n = s->g->nodes.v[i];

		s->needed[i] = is_needed(s, n);
		for (k = 0; s->needed[i] && k < n->nin; k++)
			if (n->in[k])
				s->read[n->in[k]->id] = true;
	}
}

/* Adds a reader of a dense layer's outputs; false if it wants them for something else. */
static bool
add_reader(struct head *h, struct node *n)
{
	if (n->op == op_find("cross_entropy") && !h->loss) {
		h->loss = n;
		return true;
	}
	if (n->op == op_find("accuracy") && op_int(n, "top") == 1 && !labels_are_counted(n) && !h->accuracy) {
		h->accuracy = n;
		return true;
	}
	return false;
}

static int64_t
rows_of(const struct graph *g, const struct tensor *logits)
{
	return product_of(shape_product(logits, 0, logits->rank - 1), logits->batched ? g->batch : 1);
}

/* One walk for all layers: a reader finds the layer by its output. */
static void
find_heads(struct chunk_search *s)
{
	struct module *m = s->g->module;
	struct arena *scratch = arena_child(m->arena);
	int *place = arena_array(scratch, (size_t)m->next_tensor + 1, sizeof(*place));
	bool *spoilt = arena_array(scratch, (size_t)s->g->nodes.n + 1, sizeof(*spoilt));
	const struct op *dense = op_find("dense");
	int i, k;

	for (i = 0; i < s->g->nodes.n; i++) {
		struct node *n = s->g->nodes.v[i];

		for (k = 0; s->needed[i] && k < n->nin; k++) {
			int at = n->in[k] ? place[n->in[k]->id] - 1 : -1;

			if (at >= 0 && (k > 0 || !add_reader(&s->at[at].head, n)))
				spoilt[at] = true;
		}
		if (n->op == dense && s->needed[i] && !s->result[n->out[0]->id]) {
			s->at[i].head.dense = n;
			place[n->out[0]->id] = i + 1;
		}
	}
	for (i = 0; i < s->g->nodes.n; i++) {
		struct found *f = &s->at[i];

		if (!f->head.dense)
			continue;
		if (spoilt[i] || !f->head.loss || !head_suits(&f->head)) {
			f->head.dense = NULL;
			continue;
		}
		f->rows = rows_of(s->g, f->head.dense->out[0]);
		s->count++;
	}
	arena_free(scratch);
}

static struct chunk_search
search(struct arena *a, struct graph *g)
{
	struct chunk_search s = { .g = g };
	size_t tensors = (size_t)g->module->next_tensor + 1, nodes = (size_t)g->nodes.n + 1;

	s.needed = arena_array(a, nodes, sizeof(*s.needed));
	s.at = arena_array(a, nodes, sizeof(*s.at));
	s.read = arena_array(a, tensors, sizeof(*s.read));
	s.result = arena_array(a, tensors, sizeof(*s.result));
	find_needed(&s);
	find_heads(&s);
	return s;
}

/* ---- joining ---- */

/* Rows to make at a time, or 0 to leave them all together. */
static int64_t
chunk_rows(const struct settings *set, int64_t rows)
{
	int64_t chunks = set->chunks;

	if (set->chunk_loss == CHUNK_NONE)
		return 0;
	if (set->chunk_loss == CHUNK_AUTO || chunks == 0)
		chunks = most(least(CHUNKS, rows / LEAST_ROWS), parts(rows, MOST_ROWS));
	return chunks < 2 ? 0 : parts(rows, least(chunks, rows));
}

static void
join_heads(struct chunk_search *s, const struct settings *set)
{
	struct graph *g = s->g;
	struct node **old = g->nodes.v;
	bool *gone = arena_array(g->module->arena, (size_t)g->module->next_node + 1, sizeof(*gone));
	int n = g->nodes.n, i;

	g->nodes.v = NULL;
	g->nodes.n = g->nodes.cap = 0;
	for (i = 0; i < n; i++) {
		const struct found *f = &s->at[i];
		int64_t rows = f->head.dense ? chunk_rows(set, f->rows) : 0;

		if (rows) {
			head_join(g, &f->head, rows);
			gone[f->head.loss->id] = true;
			if (f->head.accuracy)
				gone[f->head.accuracy->id] = true;
		} else if (s->needed[i] && !gone[old[i]->id]) {
			vec_push(g->module->arena, &g->nodes, old[i]);
		}
	}
}

static bool
anything_to_split(const struct chunk_search *s, const struct settings *set)
{
	int i;

	for (i = 0; s->count && i < s->g->nodes.n; i++)
		if (s->at[i].head.dense && chunk_rows(set, s->at[i].rows))
			return true;
	return false;
}

/* ---- auto ---- */

/* Bytes of the logits that would be split; -1: too many to count. */
static int64_t
logits_of(const struct chunk_search *s)
{
	int64_t bytes = 0;
	int i;

	for (i = 0; s->count && i < s->g->nodes.n; i++)
		if (s->at[i].head.dense && chunk_rows(&s->g->module->set, s->at[i].rows) &&
		    __builtin_add_overflow(bytes, affine_at(tensor_bytes(
		    s->at[i].head.dense->out[0]), s->g->batch), &bytes))
			return -1;
	return bytes;
}

/* Could splitting pay at all, where so many bytes or more are alive at the peak? It saves the
 * logits and, where it is not made in place, their gradient. */
static bool
may_pay(const struct chunk_search *s, int64_t alive)
{
	return logits_of(s) > alive / LEAST_GAIN / 2;
}

/* The parameters stay, whatever is split. Spares most networks two more plans. */
static bool
worth_planning(const struct chunk_search *s)
{
	const struct module *m = s->g->module;
	int64_t kept = 0;
	int i;

	for (i = 0; i < m->persistent.n; i++)
		if (__builtin_add_overflow(kept, tensor_bytes(m->persistent.v[i]).fixed, &kept))
			return false;
	return may_pay(s, kept);
}

/* Within the budget without splitting, and too few logits for that to change the peak? */
static bool
cannot_pay(const struct chunk_search found[2], const bool may[2], int64_t peak, int64_t budget)
{
	return peak <= budget && !(may[0] && may_pay(&found[0], peak)) && !(may[1] && may_pay(&found[1], peak));
}

/* Does a head that would be split make more than it reads? */
static bool
makes_more(const struct chunk_search *s)
{
	int i;

	for (i = 0; s->count && i < s->g->nodes.n; i++) {
		const struct node *dense = s->at[i].head.dense;

		if (dense && chunk_rows(&s->g->module->set, s->at[i].rows) &&
		    affine_at(tensor_bytes(dense->out[0]), s->g->batch) > affine_at(tensor_bytes(dense->in[0]), s->g->batch))
			return true;
	}
	return false;
}

/* For speed within so many bytes, 0: any number. Whether a step that is split is over earlier, or
 * only so fits. */
static bool
is_faster_split(const struct module *whole, const struct module *split, int64_t bytes)
{
	int64_t before = whole->plan->lower_bound_bytes, after = split->plan->lower_bound_bytes;

	if (bytes && (before > bytes || after > bytes))
		return after < before;
	return plan_step_estimate(split).in_turn < plan_step_estimate(whole).in_turn;
}

/* Whether to split the heads of train and of validate, of those that may be. A budget is met by
 * recomputing, which costs far more time: heads are split first. */
static void
decide(struct module *m, const struct chunk_search found[2], bool may[2])
{
	struct settings set = m->set;
	struct module *whole, *split;
	int64_t before, after, budget = INT64_MAX;
	bool gains, tried[2] = { may[0], may[1] };
	int i;

	if (set.recompute == RECOMPUTE_AUTO) {
		set.recompute = RECOMPUTE_CHEAP;
		if (set.recompute_budget || set.device.given)
			budget = set.recompute_budget ? set.recompute_budget :
			    target_memory(m->options->target, settings_ranks(&set), &set.device);
	}
	set.chunk_loss = CHUNK_NONE;
	may[0] = may[1] = false;
	if (!(whole = passes_replan(m, &set, true)))
		return;
	before = whole->plan->lower_bound_bytes;
	if (cannot_pay(found, tried, before, budget))
		return;
	set.chunk_loss = CHUNK_SPLIT;
	set.chunks = 0;
	if (!(split = passes_replan(m, &set, true)))
		return;
	after = split->plan->lower_bound_bytes;
	if (m->options->speed && m->options->target->is_gpu && m->train) {
		int64_t most = m->options->most_bytes;

		may[0] = tried[0] && is_faster_split(whole, split, most);
		may[1] = tried[1] && most && plan_peak_of(whole->plan, whole->validate) > most;
		return;
	}
	gains = after <= before - before / LEAST_GAIN;
	if (before <= budget && !gains)
		return;
	if (after > budget)
		after = budget;
	for (i = 0; i < 2; i++)
		may[i] = tried[i] && plan_peak_of(whole->plan, i ? whole->validate : whole->train) > after &&
		    (gains || makes_more(&found[i]));
}

/* Gradients made along with the loss are those of a loss that is not scaled. */
static bool
is_scaled(const struct graph *g)
{
	return g->training && g->module->set.precision->scales_loss;
}

static bool
run(struct module *m, const struct pass_options *o)
{
	struct graph *const graph[] = { m->train, m->validate };
	struct chunk_search found[2];
	bool split[2] = { false, false };
	struct arena *scratch;
	int i;

	(void)o;
	if (m->set.chunk_loss == CHUNK_NONE)
		return true;
	scratch = arena_child(m->arena);
	for (i = 0; i < 2; i++)
		if (graph[i]) {
			found[i] = search(scratch, graph[i]);
			split[i] = !is_scaled(graph[i]) && anything_to_split(&found[i], &m->set);
		}
	if (m->set.chunk_loss == CHUNK_SPLIT && m->set.chunks && m->train && is_scaled(m->train))
		diag_add(m->diags, SEV_WARNING, "settings", m->set.chunk_loc, "chunk_loss does "
		    "nothing for training in f16, whose small gradients would be lost before the "
		    "loss is scaled");
	else if (m->set.chunk_loss == CHUNK_SPLIT && !split[0] && !split[1] && m->set.chunks)
		diag_add(m->diags, SEV_WARNING, "settings", m->set.chunk_loc, "chunk_loss finds "
		    "nothing to split: no dense layer is read by one cross_entropy alone");
	if (m->set.chunk_loss == CHUNK_AUTO) {
		split[0] = split[0] && worth_planning(&found[0]);
		split[1] = split[1] && worth_planning(&found[1]);
		if ((split[0] || split[1]) && m->forward)
			decide(m, found, split);
		else
			split[0] = split[1] = false;
	}
	for (i = 0; i < 2; i++)
		if (split[i])
			join_heads(&found[i], &m->set);
	arena_free(scratch);
	return true;
}

const struct pass pass_chunk_loss = {
	.name = "chunk-loss",
	.doc = "join dense and cross_entropy, so that the full logits never exist",
	.optional = true,
	.run = run,
};
