/*
 * Recurrent layers. Keras and we have the gates of an lstm in the same order, those of a gru not;
 * Keras has one bias of an lstm where we have two, of which the second is then 0 and is not
 * trained. A matrix is [in, gates of units] there and [gates of units, in] here. Where steps are
 * hidden, or a gru resets its state first, blocks of std/recurrent.nn are what they are; these have
 * the gates in Keras' order, and its biases. States before the first step are operands behind the
 * input, h and c of each way in turn, and those after the last step are results behind what the
 * layer makes, in the same order.
 */
#include "import/keras.h"

#include <string.h>

struct recurrence {
	const char *ours;
	int gates;
	const signed char *order;	/* of gates, in Keras' */
	int64_t in, units;
	bool bias, two;		/* the bias has two rows */
	const char *block;	/* the same of std/, and where steps are hidden */
	const char *masked;
	bool reset_first;
	struct val *state[2][2];	/* of each way: h, and of an lstm c; NULL: zeros */
};

static const struct view *
gates_view(struct importer *im, const struct recurrence *r, int64_t in)
{
	struct view *v = ARENA_NEW(im->arena, struct view);

	*v = (struct view){ .rank = 3, .dim = { r->gates, r->units, in }, .stride = { r->units, 1, r->gates * r->units },
		.order = r->order };
	return v;
}

static const struct view *
bias_view(struct importer *im, const struct recurrence *r, int row)
{
	struct view *v = ARENA_NEW(im->arena, struct view);

	*v = (struct view){ .rank = 2, .dim = { r->gates, r->units }, .stride = { r->units, 1 },
		.first = row * r->gates * r->units, .order = r->order };
	return v;
}

/* The weights of one direction, the K-th and those after it. */
static void
give_direction(struct call *c, const struct model_node *n, const struct recurrence *r, int k)
{
	struct importer *im = c->im;
	int64_t all = r->gates * r->units;

	call_view(c, keras_weight(im, n, k, "kernel", 2, (int64_t[]){ r->in, all }), gates_view(im, r, r->in));
	call_view(c, keras_weight(im, n, k + 1, "recurrent_kernel", 2, (int64_t[]){ r->units, all }),
	    gates_view(im, r, r->units));
	if (!r->bias)
		return;
	if (r->two) {
		const struct numbers *w = keras_weight(im, n, k + 2, "bias", 2, (int64_t[]){ 2, all });

		call_view(c, w, bias_view(im, r, 0));
		call_view(c, w, bias_view(im, r, 1));
		return;
	}
	call_view(c, keras_weight(im, n, k + 2, "bias", 1, &all), bias_view(im, r, 0));
	call_frozen(c, keras_filled(im, n, "bias", all, 0), NULL);
}

/* N gates from the FIRST on of a matrix [in, gates of units]. */
static const struct view *
some_gates(struct importer *im, const struct recurrence *r, int64_t in, int64_t first, int64_t n)
{
	struct view *v = ARENA_NEW(im->arena, struct view);

	*v = (struct view){ .rank = 2, .dim = { n * r->units, in }, .stride = { 1, r->gates * r->units }, .first = first * r->units };
	return v;
}

/* The same, as the block of std/ has them. */
static void
give_block(struct call *c, const struct model_node *n, const struct recurrence *r, int k)
{
	struct importer *im = c->im;
	int64_t all = r->gates * r->units, rows = r->two ? 2 : 1, first = r->reset_first ? 2 : r->gates;
	const struct numbers *w = keras_weight(im, n, k, "kernel", 2, (int64_t[]){ r->in, all }), *u, *b = NULL;

	u = keras_weight(im, n, k + 1, "recurrent_kernel", 2, (int64_t[]){ r->units, all });
	if (r->bias)
		b = keras_weight(im, n, k + 2, "bias", r->two ? 2 : 1, r->two ? (int64_t[]){ rows, all } : &all);
	call_view(c, w, some_gates(im, r, r->in, 0, r->gates));
	if (b)
		call_view(c, b, bias_view(im, r, 0));
	call_view(c, u, some_gates(im, r, r->units, 0, first));
	if (b && r->two)
		call_view(c, b, bias_view(im, r, 1));
	if (first < r->gates)
		call_view(c, u, some_gates(im, r, r->units, first, r->gates - first));
}

/* Does the layer say nothing but what ours does? The one of the other way goes backwards by
 * itself. */
static bool
is_ours(struct importer *im, const struct model_node *n, struct recurrence *r, bool back)
{
	static const signed char gru[] = { 1, 0, 2 };
	static const struct recurrence all[] = {
		{ .ours = "lstm", .gates = 4, .masked = "masked_lstm" },
		{ .ours = "gru", .gates = 3, .order = gru, .two = true, .masked = "masked_gru" },
		{ .ours = "rnn", .gates = 1, .masked = "masked_rnn" },
		{ .ours = "gru", .gates = 3, .block = "gru_reset_first", .masked = "masked_gru_reset_first", .reset_first = true }
	};
	const char *inner = attr_text(n, keras_name(n, "recurrent_activation", "inner_activation"),
	    keras_has(n, "inner_activation") ? "hard_sigmoid" : "sigmoid");
	int k = strcmp(n->op, "LSTM") == 0 ? 0 : strcmp(n->op, "GRU") == 0 ? 1 : strcmp(n->op, "SimpleRNN") == 0 ? 2 : -1;

	if (k < 0)
		return cannot(im, "'%s' is no recurrent layer that is ours", n->op);
	*r = all[k == 1 && !attr_int(n, "reset_after", 0) ? 3 : k];
	if (strcmp(attr_text(n, "activation", "tanh"), "tanh") != 0 || (k < 2 && strcmp(inner, "sigmoid") != 0))
		return cannot(im, "its activations are not tanh and sigmoid");
	if (attr_int(n, "go_backwards", 0) != back || attr_int(n, "stateful", 0) || attr_int(n, "time_major", 0))
		return cannot(im, "go_backwards, stateful and time_major are not imported yet");
	if (keras_real(n, keras_name(n, "recurrent_dropout", "dropout_U"), 0) != 0)
		return cannot(im, "it drops states between steps (recurrent_dropout); the closest is dropout of its input");
	if (keras_real(n, keras_name(n, "dropout", "dropout_W"), 0) != 0)
		return cannot(im, "its dropout draws once for all steps; the closest is dropout of its input");
	r->units = attr_int(n, keras_name(n, "units", "output_dim"), 0);
	r->bias = attr_int(n, "use_bias", 1) != 0;
	return (r->units > 0 && r->units <= 1 << 24) || cannot(im, "it has no units");
}

/* What hides a step leaves the state, which Keras gives as its output, or zeros. */
static bool
hides_with_zeros(const struct model_node *layer, bool both)
{
	return both || attr_int(layer, "zero_output_for_mask", 0);
}

static int
states(const struct recurrence *r)
{
	return r->gates == 4 ? 2 : 1;
}

static bool
take_states(struct importer *im, const struct model_node *n, struct recurrence *r, bool both)
{
	int k, all = states(r) * (1 + both);

	if (n->nin == 1)
		return true;
	if (n->nin != 1 + all)
		return cannot(im, "it is given %d values beside its input, where it has %d state%s to begin with", n->nin - 1, all,
		    all == 1 ? "" : "s");
	for (k = 0; k < all; k++) {
		struct val *v = keras_plain(im, n, 1 + k);

		if (!v)
			return false;
		if ((n->word[1 + k] && strcmp(n->word[1 + k], "initial_state") != 0) || v->t->rank != 1 || v->t->dim[0] != r->units ||
		    v->flat || !v->t->batched)
			return cannot(im, "value %d that it is given is no state of %lld numbers to begin with", k + 1, (long long)r->units);
		r->state[k / states(r)][k % states(r)] = v;
	}
	return true;
}

/* What each way has at its end, behind what the layer makes: WAY[1] is NULL where there is one, or
 * WAY[0] has both side by side. */
static bool
give_states(struct importer *im, const struct model_node *n, const struct recurrence *r, struct val *const *way, bool both)
{
	static const char *const part[] = { "last", "cell" };
	int k, s, one;
	struct val *v;

	for (k = 0; k <= both; k++)
		for (s = 0; s < states(r); s++) {
			one = 1 + k * states(r) + s;
			if (one >= n->nout || !map_get(&im->users, n->out[one]))
				continue;
			if (!(v = call_part(im, way[way[1] ? k : 0], part[s])) ||
			    (both && !way[1] && !(v = along_run(im, v, 0, k * r->units, 1, r->units))))
				return cannot(im, "its states after the last step cannot be taken");
			val_alias(im, n->out[one], v);
		}
	return true;
}

static struct val *
block_direction(struct importer *im, const struct model_node *n, const struct recurrence *r, struct val *x, struct val *seen,
    bool reverse)
{
	struct call c;
	int k;

	call_begin(&c, im, seen ? r->masked : r->block);
	call_in(&c, x);
	if (seen)
		call_in(&c, seen);
	for (k = 0; k < 2 && r->state[reverse][k]; k++)
		call_in(&c, r->state[reverse][k]);
	call_int(&c, "size", r->units);
	if (!r->bias)
		call_int(&c, "bias", false);
	if (reverse)
		call_int(&c, "reverse", true);
	give_block(&c, n, r, reverse ? 2 + r->bias : 0);
	return call_value(&c);
}

/* Of blocks, one for each way. */
static bool
by_blocks(struct importer *im, const struct model_node *n, const struct model_node *layer, struct recurrence *r, struct val *x,
    struct val *seen, bool both)
{
	bool sequences = attr_int(layer, "return_sequences", 0) != 0;
	struct val *y, *way[2] = { NULL, NULL }, *part[2];
	struct call c;
	int k;

	r->order = NULL;
	for (k = 0; k <= both; k++)
		if (!(way[k] = block_direction(im, n, r, x, seen, k == 1)) ||
		    !(part[k] = sequences ? way[k] : call_part(im, way[k], "last")))
			return false;
	y = part[0];
	if (both) {
		keras_pair(&c, im, "concat", y, part[1]);
		if (sequences)
			call_int(&c, "axis", -1);
		y = call_value(&c);
	}
	if (y && sequences && seen && hides_with_zeros(layer, both))
		y = call_two(im, "mul", y, seen);
	return keras_alias(im, n, y) && give_states(im, n, r, way, both) && (!sequences || keras_mask_set(im, n, seen));
}

/* A state of our operator: those of both ways side by side. */
static bool
state_in(struct call *c, const struct recurrence *r, int k, bool both)
{
	struct val *v = r->state[0][k];
	struct call pair;

	if (v && both) {
		keras_pair(&pair, c->im, "concat", v, r->state[1][k]);
		v = call_value(&pair);
	}
	if (v)
		call_in(c, v);
	return v || !r->state[0][k];
}

/* Which steps are seen. Keras 3 looks for the mask of an input only where that is all that a layer
 * is given. */
static bool
steps_seen(struct importer *im, const struct model_node *n, struct val **seen, struct val **goes_on)
{
	if (!keras_mask(im, n, 0, seen))
		return false;
	*goes_on = *seen;
	if (n->nin > 1 && !n->mask && !keras_older_than_3(im))
		*seen = NULL;
	return true;
}

static bool
recurrent(struct importer *im, const struct model_node *n, const struct model_node *layer, bool both)
{
	struct val *x = keras_plain(im, n, 0), *y, *seen, *goes_on, *way[2] = { NULL, NULL };
	struct recurrence r;
	struct call c;

	if (!x || !is_ours(im, layer, &r, false) || !take_states(im, n, &r, both))
		return false;
	if (x->t->rank != 2)
		return cannot(im, "its input is not [steps, features]");
	r.in = x->t->dim[1];
	if (r.in > 1 << 24)
		return cannot(im, "its input is out of range");
	if (!steps_seen(im, n, &seen, &goes_on))
		return false;
	if (seen || r.block)
		return by_blocks(im, n, layer, &r, x, seen, both);
	call_begin(&c, im, r.ours);
	call_in(&c, x);
	if (!state_in(&c, &r, 0, both) || !state_in(&c, &r, 1, both))
		return false;
	call_int(&c, "hidden", r.units);
	if (both)
		call_int(&c, "bidirectional", true);
	if (!r.bias)
		call_int(&c, "bias", false);
	give_direction(&c, n, &r, 0);
	if (both)
		give_direction(&c, n, &r, 2 + r.bias);
	if (!(way[0] = call_value(&c)) || !give_states(im, n, &r, way, both))
		return false;
	y = attr_int(layer, "return_sequences", 0) ? way[0] : call_part(im, way[0], "last");
	return keras_alias(im, n, y) && (y != way[0] || keras_mask_set(im, n, goes_on));
}

static bool
one_way(struct importer *im, const struct model_node *n)
{
	return recurrent(im, n, n, false);
}

const struct keras_op keras_op_lstm = { .name = "LSTM", .translate = one_way, .most = ANY_OPERANDS, .mask = MASK_IS_SAID };
const struct keras_op keras_op_gru = { .name = "GRU", .translate = one_way, .most = ANY_OPERANDS, .mask = MASK_IS_SAID };
const struct keras_op keras_op_simple_rnn = { .name = "SimpleRNN", .translate = one_way, .most = ANY_OPERANDS, .mask = MASK_IS_SAID };

static bool
bidirectional(struct importer *im, const struct model_node *n)
{
	const struct model_attr *a = model_attr(n, "layer"), *back = model_attr(n, "backward_layer");
	struct recurrence forth, other;

	if (!a || a->type != A_NODE || (back && back->type != A_NODE))
		return cannot(im, "it does not say which layer goes both ways");
	if (strcmp(attr_text(n, "merge_mode", "concat"), "concat") != 0)
		return cannot(im, "ours lays the states of both ways side by side, as merge_mode='concat' does");
	if (back && (!is_ours(im, a->node, &forth, false) || !is_ours(im, back->node, &other, true)))
		return false;
	if (back && (forth.ours != other.ours || forth.reset_first != other.reset_first || forth.units != other.units || forth.bias != other.bias ||
	    attr_int(a->node, "return_sequences", 0) != attr_int(back->node, "return_sequences", 0)))
		return cannot(im, "its layers for both ways are not alike");
	return recurrent(im, n, a->node, true);
}

const struct keras_op keras_op_bidirectional = { .name = "Bidirectional", .translate = bidirectional, .most = ANY_OPERANDS, .mask = MASK_IS_SAID };
