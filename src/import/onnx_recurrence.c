/*
 * Recurrent layers, whose lengths are an input. ONNX has [steps, batch, features], and the gates of
 * an lstm as i o f g, of a gru as z r n; ours are i f g o and r z n. Its result has an axis of
 * directions, of which ours lie side by side. A gru that resets its state first, and an lstm with
 * peepholes, are blocks of std/recurrent.nn, which have the gates in ONNX's order.
 */
#include "import/arrays.h"

#include <string.h>
#include <strings.h>

struct recurrence {
	const char *theirs, *ours;
	int gates;
	const signed char *order;	/* where each of our gates is among theirs */
};

struct layer {
	struct recurrence of;
	int64_t in, units, ways;
	const struct numbers *w, *r, *b;	/* NULL: it is computed; B: or there is none */
	struct val *computed[3];
	bool turned;		/* from the last step to the first */
	bool behind;		/* so, where each sample has its own last step: the second way of two, of which the first is idle */
	bool batch_first;
	struct val *lengths;	/* NULL: all steps are each sample's */
	struct val *state[2];	/* before the first step, h and of an lstm c, side by side; NULL: zeros */
	bool relu;
	const char *block;	/* of std/; NULL: it is the operator */
	const struct numbers *holes;
};

static bool
is_zero(const struct val *v)
{
	double all;

	return numbers_are_one(v->data, &all) && all == 0;
}

/* Are they what the layer has where nothing is said, or throughout that one? */
static bool
are_activations(const struct model_attr *a, int n, const char *const *usual)
{
	int i;

	if (a->type != A_TEXTS || a->n % n != 0 || a->n == 0)
		return false;
	for (i = 0; i < a->n && strcasecmp(a->text[i], usual[i % n]) == 0; i++)
		;
	return i == a->n;
}

static bool
says_only_ours(struct importer *im, const struct model_node *n, struct layer *l)
{
	static const char *const usual[] = { "Sigmoid", "Tanh", "Tanh" }, *const relu[] = { "Relu" };
	const struct model_attr *activations = model_attr(n, "activations");
	int functions = *n->op == 'L' ? 3 : *n->op == 'G' ? 2 : 1;

	l->relu = activations && functions == 1 && are_activations(activations, 1, relu);
	if ((activations && !l->relu && !are_activations(activations, functions, functions == 1 ? usual + 1 : usual)) ||
	    model_attr(n, "clip") || attr_int(n, "input_forget", 0))
		return cannot(im, "activations of its own, clip and input_forget are not imported yet");
	if (functions == 2 && !attr_int(n, "linear_before_reset", 0))
		l->block = "gru_reset_first";
	if (functions == 3 && node_in(im, n, 7) && !is_zero(node_in(im, n, 7)))
		l->block = "lstm_peephole";
	return true;
}

/* ---- states before the first step ---- */

static struct val *
in_a_row(struct importer *im, struct val *v, int64_t n)
{
	struct call c;

	v = before_reshapes(v);
	if (v->t->rank == 1 && v->t->dim[0] == n)
		return v;
	call_begin(&c, im, "flatten");
	call_in(&c, v);
	return call_value(&c);
}

/* One for all samples, as each has it. */
static struct val *
of_each_sample(struct importer *im, struct val *v, int64_t n)
{
	struct numbers *row;
	struct val *made = v;
	struct call c;

	if (v->data) {
		made = val_new(im, v->name);
		made->data = row = ARENA_NEW(im->arena, struct numbers);
		*row = *v->data;
		row->rank = 1;
		row->dim[0] = n;
		made = val_laid(im, made, 1);
	}
	if (!made || !(made = in_a_row(im, made, n)))
		return NULL;
	call_begin(&c, im, "broadcast");
	call_in(&c, made);
	call_ints(&c, "shape", 1, &n);
	call_int(&c, "samples", true);
	return call_value(&c);
}

/* A state [ways, batch, units] as ours, the ways side by side; NULL after cannot(). */
static struct val *
state_of(struct importer *im, struct val *v, const struct layer *l)
{
	int at = l->batch_first ? 0 : 1;
	int64_t dim[MODEL_RANK], n = l->ways * l->units;

	if (!v->t && !v->data)
		return val_laid(im, v, -1);
	val_extents(v, dim);
	if (val_rank(v) != 3 || dim[!at] != l->ways || dim[2] != l->units || dim[at] != 1 || v->source.merged ||
	    (val_has_batch(v) && v->source.at != at))
		return cannot(im, "the state that it begins with is not [directions, batch, hidden_size], or is a constant that differs "
		    "from sample to sample"), NULL;
	return v->t && v->t->batched ? in_a_row(im, v, n) : of_each_sample(im, v, n);
}

static struct val *
zeros_like(struct importer *im, struct val *v)
{
	struct call c;

	call_begin(&c, im, "zeros");
	call_in(&c, v);
	return call_value(&c);
}

static bool
take_states(struct importer *im, const struct model_node *n, struct layer *l)
{
	int k, states = *n->op == 'L' ? 2 : 1;
	bool any = false;
	struct call c;

	for (k = 0; k < states; k++) {
		struct val *v = node_in(im, n, 5 + k);

		if (!v || is_zero(v))
			continue;
		if (!(l->state[k] = state_of(im, v, l)))
			return false;
		any = true;
	}
	for (k = 0; any && k < states; k++)
		if (!l->state[k] && !(l->state[k] = zeros_like(im, l->state[!k])))
			return false;
	for (k = 0; any && l->behind && k < states; k++) {
		struct val *idle = zeros_like(im, l->state[k]);

		if (!idle)
			return false;
		call_begin(&c, im, "concat");
		call_in(&c, idle);
		call_in(&c, l->state[k]);
		if (!(l->state[k] = call_value(&c)))
			return false;
	}
	return true;
}

/* ---- weights ---- */

/* A kind of them, [ways, rows, columns], biases without columns. */
static bool
take_weight(struct importer *im, struct layer *l, struct val *v, int kind, int rank, int64_t rows, int64_t columns)
{
	const struct numbers **to[] = { &l->w, &l->r, &l->b };
	int64_t dim[MODEL_RANK];

	if (!v->t && !v->data)
		return val_laid(im, v, -1) != NULL;
	if (v->t && (v->t->batched || v->source.expanded))
		return cannot(im, "its weights differ from sample to sample");
	val_extents(v, dim);
	if (val_rank(v) != rank || columns > 1 << 24 || dim[0] != l->ways || dim[1] != rows || (rank == 3 && dim[2] != columns))
		return cannot(im, "its weights have not the shapes that its input asks for");
	if (v->t)
		l->computed[kind] = v;
	else
		*to[kind] = v->data;
	return true;
}

static bool
take_weights(struct importer *im, const struct model_node *n, struct layer *l)
{
	struct val *w = node_in(im, n, 1), *r = node_in(im, n, 2), *b = node_in(im, n, 3);
	int64_t all;

	if (l->units < 1 || l->units > 1 << 24)
		return cannot(im, "its hidden_size is %lld", (long long)l->units);
	all = l->of.gates * l->units;
	if (!w || !r)
		return cannot(im, "its weights are left out");
	return take_weight(im, l, w, 0, 3, all, l->in) && take_weight(im, l, r, 1, 3, all, l->units) &&
	    (!b || take_weight(im, l, b, 2, 2, 2 * all, 1));
}

static void
give_matrix(struct call *c, const struct layer *l, const struct numbers *n, int64_t columns, int way)
{
	struct view *v = ARENA_NEW(c->im->arena, struct view);
	int64_t gate = l->units * columns;

	*v = (struct view){ .rank = 3, .dim = { l->of.gates, l->units, columns }, .stride = { gate, columns, 1 },
		.first = way * l->of.gates * gate, .order = l->of.order };
	call_view(c, n, v);
}

/* Rows of a matrix that is computed; where several are joined and these are one of them, that. */
static struct val *
rows_of(struct importer *im, struct val *v, int64_t first, int64_t count)
{
	const struct step *s = made_by(v, "concat");
	int64_t at = 0;
	int i;

	for (i = 0; s && step_attr(s, "axis")->i == 0 && i < s->nin; at += s->in[i++]->t->dim[0])
		if (at == first && s->in[i]->t->dim[0] == count)
			return s->in[i];
	return along_run(im, v, 0, first, 1, count);
}

/* What is computed for a direction, and from which row of it on: by itself, where it was joined to
 * that of the other. */
static struct val *
of_way(const struct layer *l, int kind, int way, int64_t *first)
{
	struct val *v = before_reshapes(l->computed[kind]);
	const struct step *s = made_by(v, "concat");

	if (l->ways < 2 || !s || s->nin != 2 || step_attr(s, "axis")->i != 0 || s->in[0]->t->dim[0] != 1 || s->in[1]->t->dim[0] != 1)
		return v;
	*first -= way * l->of.gates * l->units * (kind == 2 ? 2 : 1);
	return before_reshapes(s->in[way]);
}

/* The same in the order of our gates; NULL after cannot(). */
static struct val *
in_order(struct importer *im, const struct layer *l, int kind, int way, int part)
{
	int64_t rows = l->of.gates * l->units, columns = kind == 0 ? l->in : l->units, all, dim[2];
	int64_t first = way * (kind == 2 ? 2 : 1) * rows + part * rows;
	struct val *v = of_way(l, kind, way, &first), *gate[4];
	int rank = kind == 2 ? 1 : 2, g, n = l->of.gates;
	struct call c;

	all = tensor_elements_per_sample(v->t);
	dim[0] = rank == 1 ? all : all / columns;
	dim[1] = columns;
	if (v->t->rank != rank || memcmp(v->t->dim, dim, (size_t)rank * sizeof(*dim)) != 0) {
		call_begin(&c, im, rank == 1 ? "flatten" : "reshape");
		call_in(&c, v);
		if (rank > 1)
			call_ints(&c, "shape", rank, dim);
		if (!(v = call_value(&c)))
			return NULL;
	}
	for (g = 0; g < n; g++)
		if (!(gate[g] = rows_of(im, v, first + (l->of.order ? l->of.order[g] : g) * l->units, l->units)))
			return NULL;
	if (n == 1 || (n = along_whole(gate, n, 0)) == 1)
		return gate[0];
	call_begin(&c, im, "concat");
	for (g = 0; g < n; g++)
		call_in(&c, gate[g]);
	return call_value(&c);
}

static void
give_bias(struct call *c, const struct layer *l, int way, int of_state)
{
	struct view *v = ARENA_NEW(c->im->arena, struct view);

	*v = (struct view){ .rank = 2, .dim = { l->of.gates, l->units }, .stride = { l->units, 1 },
		.first = (2 * way + of_state) * l->of.gates * l->units, .order = l->of.order };
	call_view(c, l->b, v);
}

/* How many steps each sample has. What goes backwards alone would begin with what fills the rest,
 * were the steps turned; the second way of a layer of both begins where each sample ends. */
static bool
take_lengths(struct importer *im, const struct model_node *n, struct layer *l, int64_t steps)
{
	struct val *v = node_in(im, n, 4), *first = v ? val_first(v) : NULL;
	double all;

	if (!v || (numbers_are_one(v->data, &all) && all == (double)steps))
		return true;
	if (!v->t || v->t->dtype != DT_I32 || v->t->rank != 0 || first->def || steps >= INT32_MAX)
		return cannot(im, "its lengths of sequences are not an input's");
	if (!first->range || first->range > steps + 1)
		first->range = (int)(steps + 1);
	first->t->classes = first->range;
	l->lengths = v;
	l->behind = l->turned;
	l->turned = false;
	return true;
}

/* Of both ways side by side the one behind. */
static struct val *
behind(struct importer *im, const struct layer *l, struct val *v)
{
	return l->behind && v ? along_run(im, v, v->t->rank - 1, l->units, 1, l->units) : v;
}

/* Y_h or Y_c, [ways, batch, units]: the state after the last step, and of the other way that at the
 * first. */
static bool
take_last(struct importer *im, const struct model_node *n, int k, struct val *y, const struct layer *l)
{
	struct model_node of = *n;
	struct layout to = { .at = !l->batch_first };

	if (k >= n->nout || !*n->out[k] || !map_get(&im->users, n->out[k]))
		return true;
	of.out = &n->out[k];
	y = behind(im, l, call_part(im, y, k == 1 ? "last" : "cell"));
	return y ? reshape_to(im, &of, y, to, 2, (int64_t[]){ l->ways, l->units }) :
	    cannot(im, "it has no such state after the last step");
}

/* The steps the other way round, where it goes from the last to the first. */
static struct val *
turned(struct importer *im, const struct layer *l, struct val *x)
{
	struct call c;

	if (!l->turned || !x)
		return x;
	call_begin(&c, im, "flip");
	call_like(&c, x);
	return call_value(&c);
}

/* The matrix of a direction that is trained, where that of the other is computed; NULL: it is
 * not. */
static const struct numbers *
trained_alone(const struct layer *l, int kind, int way)
{
	int64_t first = way;
	const struct step *s = made_by(of_way(l, kind, way, &first), "parameter");

	return l->ways == 2 && first <= 0 && s && !s->weight[0].frozen && !s->weight[0].view && s->weight[0].numbers->data ? s->weight[0].numbers : NULL;
}

/* Zeros for the way that nothing reads. */
static bool
give_idle(struct importer *im, struct call *c, const struct layer *l)
{
	int64_t rows = l->of.gates * l->units, columns[] = { l->in, l->units, 1, 1 };
	int k;

	for (k = 0; k < (l->b || l->computed[2] ? 4 : 2); k++) {
		struct array a = { .real = true, .rank = k < 2 ? 2 : 1, .dim = { rows, columns[k] } };
		struct numbers *n = ARENA_NEW(im->arena, struct numbers);

		if (!array_room(im, &a))
			return cannot(im, "the layer beside it, of which it is the second way, is too large");
		*n = (struct numbers){ .name = "", .type = ELEMENT_F64, .rank = a.rank, .dim = { rows, columns[k] }, .count = a.count,
			.data = (const unsigned char *)a.r };
		call_frozen(c, n, NULL);
	}
	return true;
}

/* What is trained, and by its name what is computed, which is made before the layer. */
static bool
give_weights(struct importer *im, struct call *c, const struct layer *l)
{
	static const char *const name[] = { "weight_ih", "weight_hh", "bias_ih", "bias_hh" };
	struct val *v;
	int way, k;

	if (l->behind && !give_idle(im, c, l))
		return false;
	for (way = 0; way < l->ways; way++)
		for (k = 0; k < (l->b || l->computed[2] ? 4 : 2); k++) {
			int kind = k < 2 ? k : 2;
			int64_t columns = k ? l->units : l->in;
			const struct numbers *alone = k < 2 && l->computed[kind] ? trained_alone(l, kind, way) : NULL;

			if (alone) {
				give_matrix(c, l, alone, columns, 0);
			} else if (l->computed[kind]) {
				if (!(v = in_order(im, l, kind, way, k - kind)))
					return false;
				call_stands(c, arena_join(im->arena, name[k], "_l0", way || l->behind ? "_reverse" : ""), v);
			} else if (k < 2) {
				give_matrix(c, l, k ? l->r : l->w, columns, way);
			} else {
				give_bias(c, l, way, k - 2);
			}
		}
	return true;
}

/* ---- as a block of std/ ---- */

static bool
block_fits(struct importer *im, const struct model_node *n, struct layer *l)
{
	const struct val *holes = node_in(im, n, 7);

	if (l->lengths || l->state[0] || !l->w || !l->r || l->computed[2])
		return cannot(im, "%s, and it has lengths of sequences, begins with a state that is given, or has weights that are "
		    "computed; the closest is %s of std/recurrent.nn", *n->op == 'G' ? "it resets its state before the matrix" :
		    "it has peepholes", l->block);
	if (*n->op == 'G')
		return true;
	l->holes = holes->data;
	return (l->holes && l->holes->count == l->ways * 3 * l->units) ||
	    cannot(im, "its peepholes are no constant of [directions, 3 hidden_size]");
}

/* So many rows of a constant. */
static void
give_rows(struct call *c, const struct numbers *n, int64_t first, int64_t rows, int64_t columns)
{
	struct view *v = ARENA_NEW(c->im->arena, struct view);

	*v = (struct view){ .rank = 2, .dim = { rows, columns }, .stride = { columns, 1 }, .first = first * columns };
	if (columns == 1)
		v->rank = 1;
	call_view(c, n, v);
}

static struct val *
block_way(struct importer *im, const struct layer *l, struct val *x, int way)
{
	int64_t all = l->of.gates * l->units, first = l->holes ? all : 2 * l->units, at;
	struct call c;

	call_begin(&c, im, l->block);
	call_in(&c, x);
	call_int(&c, "size", l->units);
	call_int(&c, l->b ? "state_bias" : "bias", l->b != NULL);
	if (way || l->turned)
		call_int(&c, "reverse", true);
	give_rows(&c, l->w, way * all, all, l->in);
	if (l->b)
		give_rows(&c, l->b, 2 * way * all, all, 1);
	for (at = 0; at < all; at = first, first = all) {
		give_rows(&c, l->r, way * all + at, first - at, l->units);
		if (l->b)
			give_rows(&c, l->b, (2 * way + 1) * all + at, first - at, 1);
	}
	if (l->holes)
		give_rows(&c, l->holes, way * 3 * l->units, 3 * l->units, 1);
	return call_value(&c);
}

/* Both ways side by side, or the only one; of each that part, NULL: itself. */
static struct val *
block_result(struct importer *im, const struct layer *l, struct val *const *way, const char *part)
{
	struct val *v[2];
	struct call c;
	int k;

	for (k = 0; k < l->ways; k++)
		if (!(v[k] = part ? call_part(im, way[k], part) : way[k]))
			return NULL;
	if (l->ways == 1)
		return v[0];
	call_begin(&c, im, "concat");
	call_in(&c, v[0]);
	call_in(&c, v[1]);
	if (!part)
		call_int(&c, "axis", -1);
	return call_value(&c);
}

static bool
by_block(struct importer *im, const struct model_node *n, struct layer *l, struct val *x)
{
	static const char *const part[] = { NULL, "last", "cell" };
	int64_t dim[] = { x->t->dim[0], l->ways, l->units };
	struct layout to[] = { { .at = l->batch_first ? 0 : 2 }, { .at = !l->batch_first }, { .at = !l->batch_first } };
	struct model_node of = *n;
	struct val *way[2], *v;
	int k;

	if (!block_fits(im, n, l))
		return false;
	for (k = 0; k < l->ways; k++)
		if (!(way[k] = block_way(im, l, x, k)))
			return false;
	for (k = 0; k < n->nout && k < 3; k++) {
		of.out = &n->out[k];
		if (!*n->out[k] || (k > 0 && !map_get(&im->users, n->out[k])))
			continue;
		if (!(v = block_result(im, l, way, part[k])))
			return cannot(im, "it has no such state after the last step");
		if (!reshape_to(im, &of, v, to[k], k ? 2 : 3, k ? dim + 1 : dim))
			return false;
	}
	return true;
}

static bool
recurrent(struct importer *im, const struct model_node *n)
{
	static const signed char lstm[] = { 0, 2, 3, 1 }, gru[] = { 1, 0, 2 };
	static const struct recurrence all[] = { { "LSTM", "lstm", 4, lstm }, { "GRU", "gru", 3, gru }, { "RNN", "rnn", 1, NULL } };
	struct val *x = val_laid(im, node_in(im, n, 0), -1), *y, *states;
	struct layer l = { .of = all[*n->op == 'L' ? 0 : *n->op == 'G' ? 1 : 2], .units = attr_int(n, "hidden_size", 0) };
	const char *way = attr_text(n, "direction", "forward");
	struct layout to = { .at = 2 };
	struct call c;
	int i;

	if (!x || !says_only_ours(im, n, &l))
		return false;
	l.turned = strcmp(way, "reverse") == 0;
	l.ways = strcmp(way, "bidirectional") == 0 ? 2 : 1;
	if (!l.turned && l.ways == 1 && strcmp(way, "forward") != 0)
		return cannot(im, "no direction is called '%s'", way);
	l.batch_first = attr_int(n, "layout", 0);
	if (x->t->rank != 2 || !x->t->batched || x->source.at != !l.batch_first || x->source.merged)
		return cannot(im, "its input is not [steps, batch, features], with the batch that the network has");
	l.in = x->t->dim[1];
	if (!take_weights(im, n, &l) || !take_lengths(im, n, &l, x->t->dim[0]) || !take_states(im, n, &l))
		return false;
	if (l.block)
		return by_block(im, n, &l, x);
	if (!(x = turned(im, &l, x)))
		return false;
	call_begin(&c, im, l.of.ours);
	call_in(&c, x);
	for (i = 0; i < 2; i++)
		if (l.state[i])
			call_in(&c, l.state[i]);
	if (l.lengths)
		call_in(&c, l.lengths);
	call_int(&c, "hidden", l.units);
	if (l.ways == 2 || l.behind)
		call_int(&c, "bidirectional", true);
	if (!l.b && !l.computed[2])
		call_int(&c, "bias", false);
	if (l.relu)
		call_word(&c, "nonlinearity", "relu");
	if (!give_weights(im, &c, &l))
		return false;
	if (!(states = call_value(&c)) || !(y = behind(im, &l, turned(im, &l, states))))
		return false;
	if (l.batch_first)
		to.at = 0;
	if (!take_last(im, n, 1, states, &l) || !take_last(im, n, 2, states, &l))
		return false;
	return !*n->out[0] || reshape_to(im, n, y, to, 3, (int64_t[]){ y->t->dim[0], l.ways, l.units });
}

const struct onnx_op onnx_op_lstm = { .name = "LSTM", .translate = recurrent };
const struct onnx_op onnx_op_gru = { .name = "GRU", .translate = recurrent };
const struct onnx_op onnx_op_rnn = { .name = "RNN", .translate = recurrent };
