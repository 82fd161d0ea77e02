/*
 * lstm, gru and rnn: recurrent layers, on top of one another and in both directions. For each layer
 * and each direction they are two nodes, so that passes see an ordinary dense layer for the inputs
 * of all steps:
 *
 *     x -> ih_l0: dense -> l0: recurrent --------------------> concat -> dropout -> ih_l1: dense ...
 *     x -> ih_l0_reverse: dense -> l0_reverse: recurrent --^
 *
 * Parameters, their names and their order are those of PyTorch.
 */
#include "ops/recurrent.h"

#include <string.h>

#include "calls/sizes.h"
#include "ops/product.h"
#include "ops/shapes.h"

#define MOST_LAYERS	64

#define LAYER_ATTRS									\
	{ "hidden", ATTR_INT, "size of the state", .required = true, .min = 1,	\
	    .max = (double)LARGEST_EXTENT },						\
	{ "layers", ATTR_INT, "layers on top of one another, each of which reads the states of the one below",	\
	    .preset = "1", .min = 1, .max = MOST_LAYERS },					\
	{ "bidirectional", ATTR_BOOL, "a second layer beside each goes from the last step to the first, and "	\
	    "their states lie side by side", .preset = "false" },			\
	{ "dropout", ATTR_REAL, "share of states that become 0 in training on their way to the next layer",	\
	    .preset = "0", .min = 0, .max = 1 },					\
	{ "bias", ATTR_BOOL, "add trained numbers to the sums of inputs and to those of the state",	\
	    .preset = "true" }

static const struct attr_spec attrs[] = { LAYER_ATTRS, ATTRS_END };

static const struct attr_spec attrs_rnn[] = {
	LAYER_ATTRS,
	{ "nonlinearity", ATTR_ENUM, "what makes the state of the sums", .preset = "tanh", .choices = "tanh relu" },
	ATTRS_END
};

extern const struct op op_dense, op_concat, op_dropout, op_slice, op_gru, op_rnn;

struct layers {			/* being made */
	struct build *b;
	const struct node *n;
	enum recurrent_cell kind;
	const struct cell *cell;
	int64_t hidden, layers;
	int directions;
	struct tensor *state[2], *lengths;	/* operands, or NULL: h and c before the first step */
	struct tensor **last, **carried;	/* results, by layer and direction */
};

static const char *
called(const struct layers *s, const char *what, int64_t layer, int direction)
{
	return arena_printf(s->b->module->arena, "%sl%lld%s", what, (long long)layer, direction ? "_reverse" : "");
}

/* ---- operands: x, then states, then lengths, as many as there are ---- */

static bool
is_state(struct build *b, const struct layers *s, int k)
{
	const struct tensor *t = s->n->in[k];
	const char *name = s->n->op->name;

	if (!shape_float(b, s->n, k))
		return false;
	if (t->rank != 1 || t->dim[0] != s->layers * s->directions * s->hidden)
		return op_error(b, s->n, "%s: a state before the first step must have shape [%lld], hidden numbers for "
		    "each layer and direction, but it is %s", name,
		    (long long)(s->layers * s->directions * s->hidden), op_operand_text(b, t));
	if (t->batched != s->n->in[0]->batched)
		return op_error(b, s->n, "%s: of its input and the state before the first step only one depends on the "
		    "batch; here the state is %s", name, op_operand_text(b, t));
	return true;
}

static bool
is_lengths(struct build *b, const struct layers *s, int k)
{
	const struct tensor *t = s->n->in[k], *x = s->n->in[0];
	long long steps = x->dim[0];

	if (t->rank != 0 || t->classes > steps + 1 || !t->batched || !x->batched)
		return op_error(b, s->n, "%s: lengths are one number for each sample, of 0 to %lld steps: class[%lld]; "
		    "but the operand is %s", s->n->op->name, steps, steps + 1, op_operand_text(b, t));
	return true;
}

static bool
take(struct build *b, struct layers *s)
{
	const struct node *n = s->n;
	const struct tensor *x = n->in[0];
	int k, states = 0, room = s->cell->carries ? 2 : 1;

	if (!shape_float(b, n, 0))
		return false;
	if (x->rank != 2)
		return op_error(b, n, "%s: input must have shape [steps, features], but it is %s", n->op->name,
		    op_operand_text(b, x));
	for (k = 1; k < n->nin; k++) {
		bool number = n->in[k]->dtype == DT_I32 && n->in[k]->classes;

		if (number && k == n->nin - 1) {
			if (!is_lengths(b, s, k))
				return false;
			s->lengths = n->in[k];
		} else if (states < room) {
			if (!is_state(b, s, k))
				return false;
			s->state[states++] = n->in[k];
		} else {
			return op_error(b, n, "%s: takes the input, %s, and lengths; but one more operand is %s",
			    n->op->name, room > 1 ? "two states" : "a state", op_operand_text(b, n->in[k]));
		}
	}
	if (states == 1 && room > 1)
		return op_error(b, n, "%s: has two states, h and c; give both, or none to begin with zeros",
		    n->op->name);
	return true;
}

/* ---- parts ---- */

static struct tensor *
parameter(const struct layers *s, const char *what, const char *where, int rank, int64_t rows, int64_t cols)
{
	return op_layer_param(s->b, s->n, arena_printf(s->b->module->arena, "%s_%s", what, where),
	    product_init(s->hidden), rank, (int64_t[]){ rows, cols });
}

/* The share of a layer and a direction, the AT-th, in operand K, states of all of them; NULL: it
 * begins with zeros. */
static struct tensor *
first_state(const struct layers *s, int k, int64_t at)
{
	struct arena *arena = s->b->module->arena;
	struct attr *a = op_presets(arena, &op_slice), *start = op_preset(&op_slice, a, "start");
	struct attr *stop = op_preset(&op_slice, a, "stop");

	if (!s->state[k] || s->layers * s->directions == 1)
		return s->state[k];
	*start = (struct attr){ .given = true, .n = 1, .v = { at * s->hidden } };
	*stop = (struct attr){ .given = true, .n = 1, .v = { (at + 1) * s->hidden } };
	return op_part(s->b, s->n, &op_slice, a, arena_printf(arena, "%c_%lld", k ? 'c' : 'h', (long long)at), 1,
	    &s->state[k])->out[0];
}

/* The steps of one direction of a layer: its states. */
static struct node *
direction(struct layers *s, struct tensor *x, int64_t layer, int reverse)
{
	struct arena *a = s->b->module->arena;
	struct attr *dense = op_presets(a, &op_dense), *steps = op_presets(a, &op_recurrent);
	int64_t units = s->cell->gates * s->hidden, at = layer * s->directions + reverse;
	bool bias = op_bool(s->n, "bias"), good;
	struct tie ih[] = { { .name = "weight" }, { .name = "bias" } }, hh[] = { { .name = "weight" }, { .name = "bias" } };
	struct tensor *in[RECURRENT_OPERANDS] = { NULL, first_state(s, 0, at), first_state(s, 1, at),
		s->lengths };
	const char *where = called(s, "", layer, reverse);
	struct node *made;

	if (!(ih[0].tensor = parameter(s, "weight_ih", where, 2, units, x->dim[1])) ||
	    !(hh[0].tensor = parameter(s, "weight_hh", where, 2, units, s->hidden)) ||
	    (bias && (!(ih[1].tensor = parameter(s, "bias_ih", where, 1, units, 0)) ||
	    !(hh[1].tensor = parameter(s, "bias_hh", where, 1, units, 0)))))
		return NULL;
	op_preset(&op_dense, dense, "units")->i = units;
	op_preset(&op_dense, dense, "bias")->i = bias;
	op_preset(&op_recurrent, steps, "cell")->i = s->kind;
	op_preset(&op_recurrent, steps, "reverse")->i = reverse;
	op_preset(&op_recurrent, steps, "bias")->i = bias;
	in[RECURRENT_X] = op_part_tied(s->b, s->n, &op_dense, dense, called(s, "ih_", layer, reverse), 1, &x,
	    1 + bias, ih)->out[0];
	made = op_part_tied(s->b, s->n, &op_recurrent, steps, called(s, "", layer, reverse), RECURRENT_OPERANDS, in,
	    1 + bias, hh);
	good = made->nout > 1;
	s->last[at] = made->out[good ? RECURRENT_LAST : 0];
	s->carried[at] = made->out[good ? RECURRENT_CARRIED : 0];
	return made;
}

/* Several results side by side; of one, the same. */
static struct node *
join(const struct layers *s, const char *suffix, int n, struct tensor *const *t)
{
	struct attr *a = op_presets(s->b->module->arena, &op_concat);

	op_preset(&op_concat, a, "axis")->i = t[0]->rank - 1;
	return op_part(s->b, s->n, &op_concat, a, suffix, n, t);
}

static struct node *
layer(struct layers *s, struct tensor *x, int64_t i)
{
	struct tensor *y[2];
	struct node *made;
	int k;

	for (k = 0; k < s->directions; k++) {
		made = direction(s, x, i, k);
		if (!made)
			return NULL;
		y[k] = recurrent_states(made);
	}
	return join(s, called(s, "states_", i, 0), s->directions, y);
}

enum recurrent_cell
recurrent_kind(const struct node *layer)
{
	if (layer->op == &op_rnn)
		return op_int(layer, "nonlinearity") ? RNN_RELU : RNN_TANH;
	return layer->op == &op_gru ? GRU : LSTM;
}

static struct node *
expand(struct build *b, const struct node *n)
{
	enum recurrent_cell kind = recurrent_kind(n);
	struct layers s = { .b = b, .n = n, .kind = kind, .cell = recurrent_cell(kind),
		.hidden = op_int(n, "hidden"), .layers = op_int(n, "layers"),
		.directions = op_bool(n, "bidirectional") ? 2 : 1 };
	struct attr *drop = op_presets(b->module->arena, &op_dropout);
	int most = (int)s.layers * s.directions;
	struct tensor *x = n->in[0];
	struct node *made = NULL;
	int64_t i;

	if (!take(b, &s))
		return NULL;
	s.last = arena_array(b->module->arena, (size_t)most, sizeof(struct tensor *));
	s.carried = arena_array(b->module->arena, (size_t)most, sizeof(struct tensor *));
	op_preset(&op_dropout, drop, "rate")->r = op_real(n, "dropout");
	for (i = 0; i < s.layers; i++) {
		if (i > 0 && op_real(n, "dropout") > 0)
			x = op_part(b, n, &op_dropout, drop, called(&s, "dropout_", i - 1, 0), 1, &x)->out[0];
		made = layer(&s, x, i);
		if (!made)
			return NULL;
		x = made->out[0];
	}
	join(&s, "last", most, s.last);
	if (s.cell->carries)
		join(&s, "cell", most, s.carried);
	return made;
}

/* Keras has while loops, unrolled steps, and cuDNN where the arguments allow it. */
#define ELSEWHERE	"recurrent layers run in several ways there, which keep more or less of each step"

#define LEAST	"how many steps there are of sequences that end early the data tell"

#define SHAPES_DOC										\
	"Shapes: the input is [T, features], the result all states, [T, hidden], or [T, 2 hidden] with "	\
	"bidirectional=true: those from the first step to the last, then those from the last to the first. "	\
	".last is the state after the last step: [hidden], or of several layers and directions one after the "	\
	"other, as h_n of PyTorch. "

#define LENGTHS_DOC										\
	"A last operand of type class[T + 1] is how many steps each sample has: from there on its state stays, the "	\
	"result is 0, and the other direction begins at its last step, as with PyTorch's "			\
	"pack_padded_sequence. "

#define PARAMETERS_DOC(gates)									\
	"Parameters, named, ordered and started as PyTorch's, uniformly in +-1/sqrt(hidden): of layer k "	\
	"weight_ih_lk [" gates "hidden, features], weight_hh_lk [" gates "hidden, hidden], bias_ih_lk and "	\
	"bias_hh_lk [" gates "hidden]; of the other direction with _reverse at the end."

#define MACS_DOC(gates)	\
	"Multiply-adds: " gates "hidden (features + hidden) for each step and direction."

const struct op op_lstm = {
	.name = "lstm",
	.kind = OP_LAYER,
	.brief = "long short-term memory",
	.doc = "x -> lstm(128, layers=2) is a recurrent layer of Hochreiter and Schmidhuber (1997), with forget gates, as "
	    "PyTorch's LSTM. In each step i, f, o = sigmoid(W x[t] + b + U h[t - 1] + c) and g the same with tanh; "
	    "then the cell becomes f cell + i g, and h[t] = o tanh(cell).\n\n"
	    SHAPES_DOC ".cell is what the cell is then. lstm(x, h, c) begins with states of that shape instead of zeros. "
	    LENGTHS_DOC "\n\n" PARAMETERS_DOC("4 ") " Rows are those of i, f, g and o.\n\n"
	    "The sums of all steps' inputs are one product, and so are the gradients of each weight. Backward reads "
	    "the four gates, which take the place of the sums, and the cell of each step: 5 hidden numbers a step, and "
	    "the states where another layer reads those of all steps. " MACS_DOC("4 "),
	.attrs = attrs,
	.operands = "x h c lengths",
	.min_operands = 1, .max_operands = 4,
	.expand = expand,
	.torch = { .whole = recurrent_whole, .calls = recurrent_torch, .elsewhere = ELSEWHERE,
	    .least = LEAST },
};

const struct op op_gru = {
	.name = "gru",
	.kind = OP_LAYER,
	.brief = "gated recurrent units",
	.doc = "x -> gru(128) is a recurrent layer of Cho and others (2014), as PyTorch's GRU. In each step r, z = sigmoid(W "
	    "x[t] + b + U h[t - 1] + c), n = tanh(W x[t] + b + r (U h[t - 1] + c)), and h[t] = (1 - z) n + z "
	    "h[t - 1].\n\n"
	    SHAPES_DOC "gru(x, h) begins with a state of that shape instead of zeros. " LENGTHS_DOC "\n\n"
	    PARAMETERS_DOC("3 ") " Rows are those of r, z and n.\n\n"
	    "The sums of all steps' inputs are one product, and so are the gradients of each weight. Backward reads "
	    "the three gates, which take the place of the sums, n's sum of the state, and the state of each step: 5 "
	    "hidden numbers a step. " MACS_DOC("3 "),
	.attrs = attrs,
	.operands = "x h lengths",
	.min_operands = 1, .max_operands = 3,
	.expand = expand,
	.torch = { .whole = recurrent_whole, .calls = recurrent_torch, .elsewhere = ELSEWHERE,
	    .least = LEAST },
};

const struct op op_rnn = {
	.name = "rnn",
	.kind = OP_LAYER,
	.brief = "plain recurrent layer",
	.doc = "x -> rnn(128) is a recurrent layer of Elman (1990), as PyTorch's RNN: h[t] = tanh(W x[t] + b + U h[t - 1] + c), "
	    "or relu of it.\n\n"
	    SHAPES_DOC "rnn(x, h) begins with a state of that shape instead of zeros. " LENGTHS_DOC "\n\n"
	    PARAMETERS_DOC("") "\n\n"
	    "The sums of all steps' inputs are one product, and so are the gradients of each weight. The states take the "
	    "place of the sums, and backward reads nothing else. " MACS_DOC(""),
	.attrs = attrs_rnn,
	.operands = "x h lengths",
	.min_operands = 1, .max_operands = 3,
	.expand = expand,
	.torch = { .whole = recurrent_whole, .calls = recurrent_torch, .elsewhere = ELSEWHERE,
	    .least = LEAST },
};
