/*
 * Reads the text that ir/ir_print.c writes. It is for tests and for people who debug a pass, so it
 * is strict: the first mistake ends it, with a diagnostic of rule "ir" at the place.
 */
#include "ir/ir_reader.h"

#include <string.h>

#include "ir/op.h"

#define LARGEST_TENSOR	((int64_t)1 << 56)	/* elements: their bytes fit 64 bits */

static int
kind_or(struct ir_reader *r, const char *what)
{
	const char *names[TENSOR_KINDS];
	int k;

	for (k = 0; k < TENSOR_KINDS; k++)
		names[k] = tensor_kind_name((enum tensor_kind)k);
	return ir_read_one_of(r, what, names, TENSOR_KINDS);
}

/* "%7" of a tensor that was made above; NULL where it was not. */
static struct tensor *
tensor(struct ir_reader *r)
{
	int64_t id;

	if (!ir_read_expect(r, "%"))
		return NULL;
	id = ir_read_integer(r);
	if (id < 0 || id >= r->tensor.n || !r->tensor.v[id]) {
		ir_read_fail(r, "a tensor that was defined above");
		return NULL;
	}
	return r->tensor.v[id];
}

/* The same, or "_" for one that is absent. */
static struct tensor *
operand(struct ir_reader *r)
{
	return ir_read_accept(r, "_") ? NULL : tensor(r);
}

/* What is behind "%" where a tensor is made. */
static int
tensor_number(struct ir_reader *r)
{
	int64_t id = ir_read_integer(r);

	if (id < 0 || id > 10000000)
		ir_read_fail(r, "a tensor number below 10,000,000");
	return (int)id;
}

/* The rest of a workspace's "[fixed + per_sample B]",
    whose first number was taken for an extent. */
static void
workspace(struct ir_reader *r, struct tensor *t)
{
	if (t->batched || t->rank != 1) {
		ir_read_fail(r, "one number of bytes before '+'");
		return;
	}
	t->rank = 0;	/* the first extent is the fixed bytes' place */
	t->workspace.per_sample = ir_read_integer(r);
	if (t->workspace.fixed < 0 || t->workspace.per_sample < 0)
		ir_read_fail(r, "numbers of bytes of at least 0");
	ir_read_expect(r, "B");
	ir_read_expect(r, "]");
}

/* One more extent; false where the elements could not be counted. */
static bool
extent(struct ir_reader *r, struct tensor *t, int64_t *elements)
{
	int64_t n = ir_read_integer(r);

	if (t->rank == MAX_RANK)
		return ir_read_fail(r, "at most 8 extents");
	if (n < 0 || (n > 0 && n > LARGEST_TENSOR / *elements))
		return ir_read_fail(r, "an extent of at least 0, and no more than 2^56 elements");
	*elements *= n > 0 ? n : 1;
	t->dim[t->rank++] = n;
	return true;
}

/* "%7 f32[B, 6, 28] classes 10": makes the tensor, under the number it has in the text. */
static struct tensor *
type(struct ir_reader *r, struct tensor *t)
{
	int64_t elements = 1;

	memset(t, 0, sizeof(*t));
	ir_read_expect(r, "%");
	t->id = tensor_number(r);
	t->dtype = dtype_find(ir_read_word(r));
	if (!t->dtype) {
		ir_read_fail(r, "a dtype");
		t->dtype = DT_F32;
	}
	ir_read_expect(r, "[");
	t->batched = ir_read_accept(r, "B");
	if (t->batched)
		ir_read_accept(r, ",");
	while (!r->failed && !ir_read_accept(r, "]")) {
		if (ir_read_accept(r, "+")) {
			workspace(r, t);
			return t;
		}
		extent(r, t, &elements);
		ir_read_accept(r, ",");
	}
	t->tokens = ir_read_accept(r, "vocab");
	if (t->tokens || ir_read_accept(r, "classes"))
		t->classes = (int)ir_read_integer(r);
	t->channels_last = ir_read_accept(r, "channels-last");
	if (t->channels_last && !tensor_has_layouts(t))
		ir_read_fail(r, "an image or weights where that makes a difference");
	return t;
}

static void
know(struct ir_reader *r, int id, struct tensor *t)
{
	while (r->tensor.n <= id)
		vec_push(r->a, &r->tensor, NULL);
	r->tensor.v[id] = t;
}

static struct tensor *
make(struct ir_reader *r, const struct tensor *t, enum tensor_kind kind, const char *name,
    struct loc loc)
{
	struct tensor *made;

	if (kind == T_WORKSPACE && t->rank > 0)
		ir_read_fail(r, "bytes of a workspace, as in [4096 + 0 B]");
	if (r->failed)
		return NULL;
	made = ir_tensor(r->m, kind, t->dtype, t->batched, t->rank, t->dim, name, loc);
	made->classes = t->classes;
	made->tokens = t->tokens;
	if (kind == T_WORKSPACE)
		made->workspace = t->workspace;
	made->channels_last = t->channels_last;
	know(r, t->id, made);
	return made;
}

/* Of what it is a rank's piece, if it is one; that is in no list. */
static void
whole(struct ir_reader *r, struct tensor *t)
{
	struct tensor *of;
	int64_t elements = 1;

	t->shared = ir_read_accept(r, "shared");
	if (!t->shared)
		return;
	of = ARENA_NEW(r->a, struct tensor);
	*of = (struct tensor){ .kind = t->kind, .dtype = t->dtype, .name = t->name, .loc = t->loc };
	ir_read_expect(r, "[");
	while (!r->failed && !ir_read_accept(r, "]")) {
		extent(r, of, &elements);
		ir_read_accept(r, ",");
	}
	t->gradient_of = of;
}

struct output {
	struct tensor said, *over;	/* what the text says of it */
	bool absent;
};

static void
output(struct ir_reader *r, struct output *o, struct loc loc)
{
	memset(o, 0, sizeof(*o));
	if (ir_read_accept(r, "_")) {
		o->absent = true;
		return;
	}
	type(r, &o->said);
	o->said.kind = (enum tensor_kind)kind_or(r, "a kind of tensor");
	o->said.loc = loc;
	o->said.name = ir_read_string(r);
	whole(r, &o->said);
	if (ir_read_accept(r, "over"))
		o->over = tensor(r);
}

/* What N, NAME_grad, differentiates: a NAME with its path. NULL: not known, as where it is one of
 * several gradients. */
static const struct node *
differentiated(const struct graph *g, const struct node *n)
{
	int i;

	for (i = g->nodes.n - 1; i >= 0; i--) {
		const struct node *of = g->nodes.v[i];
		size_t len = strlen(of->op->name);

		if (of->phase == PHASE_FORWARD && strcmp(of->path, n->path) == 0 &&
		    strncmp(of->op->name, n->op->name, len) == 0 && strcmp(n->op->name + len, "_grad") == 0)
			return of;
	}
	return NULL;
}

#define MOST_OUTPUTS	16

/* Of a formula "_" stands where a number does, which an attribute says: how many operands are
 * left. */
static int
without_numbers(const struct op *op, struct attr *attr, int n, struct tensor **in)
{
	int i, number, left = 0;

	for (i = 0; i < n; i++) {
		number = op->formula && !in[i] ? op_number_for(op, i) : -1;
		if (number >= 0)
			attr[number].given = true;
		else
			in[left++] = in[i];
	}
	return left;
}

static void
node(struct ir_reader *r)
{
	static const char *const phases[] = { "forward", "backward", "update" };
	struct output out[MOST_OUTPUTS];
	VEC(struct tensor *) in = { 0 };
	struct loc loc = ir_read_here(r);
	const struct op *op;
	struct node *n;
	struct attr *attr;
	enum phase phase;
	int nout = 0, i;

	do {
		if (nout == MOST_OUTPUTS) {
			ir_read_fail(r, "at most 16 outputs");
			return;
		}
		output(r, &out[nout++], loc);
	} while (!r->failed && ir_read_accept(r, ","));
	ir_read_expect(r, "=");
	op = op_find(ir_read_word(r));
	if (!op && !r->failed)
		ir_read_fail(r, "the name of an operator");
	ir_read_expect(r, "(");
	while (!r->failed && !ir_read_accept(r, ")")) {
		vec_push(r->a, &in, operand(r));
		ir_read_accept(r, ",");
	}
	if (r->failed)
		return;
	attr = ir_read_attrs(r, op);
	in.n = without_numbers(op, attr, in.n, in.v);
	phase = (enum phase)ir_read_one_of(r, "forward, backward or update", phases, 3);
	n = ir_node(r->g, op, ir_read_string(r), loc, in.n, in.v);
	n->attr = attr;
	n->phase = phase;
	n->forward = phase == PHASE_BACKWARD ? differentiated(r->g, n) : NULL;
	for (i = 0; i < nout && !r->failed; i++) {
		if (out[i].absent) {
			ir_add_output(r->m, n, NULL);
			continue;
		}
		ir_add_output(r->m, n, make(r, &out[i].said, out[i].said.kind, out[i].said.name, loc));
		tensor_alias(n->out[n->nout - 1], out[i].over);
		n->out[n->nout - 1]->shared = out[i].said.shared;
		n->out[n->nout - 1]->gradient_of = out[i].said.gradient_of;
	}
	if (ir_read_accept(r, "keep")) {
		if (!op_base(n))
			ir_read_fail(r,
			    "an operand that the node adds to, before what is kept of it");
		n->keep = ir_read_number(r);
		n->keep_first = ir_read_accept(r, "first");
	}
	if (ir_read_accept(r, "using")) {
		type(r, &out[0].said);
		n->work = make(r, &out[0].said, T_WORKSPACE, arena_printf(r->a, "%s.workspace",
		    n->path), loc);
	}
}

static void
persistent(struct ir_reader *r, enum tensor_kind kind)
{
	struct tensor shape, *t;
	struct loc loc = ir_read_here(r);
	const char *name;
	struct init init;

	type(r, &shape);
	name = ir_read_string(r);
	init = ir_read_init(r);
	t = make(r, &shape, kind, name, loc);
	if (!t)
		return;
	tensor_start_as(t, init);
	t->frozen = ir_read_accept(r, "frozen");
	t->accumulates = ir_read_accept(r, "accumulates");
	whole(r, t);
	if (ir_read_accept(r, "split")) {
		int64_t axis = ir_read_integer(r), blocks = ir_read_integer(r);

		if (axis < 0 || axis >= t->rank || blocks < 1 || blocks > INT32_MAX || t->dim[axis] % blocks != 0)
			ir_read_fail(r, "an axis, and a number of blocks that divides it");
		t->split_axis = (int)axis;
		t->split_blocks = (int)blocks;
	}
	t->turn = ir_read_accept(r, "turn") ? (int)ir_read_integer(r) : 0;
	if (t->turn < 0 || t->turn > r->m->set.nturns)
		ir_read_fail(r, "the number of a turn");
}

static void
input(struct ir_reader *r, enum tensor_kind kind)
{
	struct tensor shape, *t;
	struct loc loc = ir_read_here(r);

	type(r, &shape);
	t = make(r, &shape, kind, ir_read_string(r), loc);
	if (!t)
		return;
	vec_push(r->a, &r->g->inputs, t);
	if (ir_read_accept(r, "lands")) {
		ir_read_expect(r, "%");
		shape.id = tensor_number(r);
		if (r->failed)
			return;
		ir_add_landing(r->m, t);
		know(r, shape.id, t->lands);
	}
}

static void
result(struct ir_reader *r)
{
	struct result res = { .loc = ir_read_here(r) };

	res.is_loss = ir_read_accept(r, "loss");
	res.predicted = !res.is_loss && ir_read_accept(r, "predicted");
	if (!res.is_loss && !res.predicted)
		ir_read_expect(r, "metric");
	res.tensor = tensor(r);
	res.name = ir_read_string(r);
	if (!r->failed)
		vec_push(r->a, &r->g->results, res);
}

static void
graph(struct ir_reader *r)
{
	static const char *const names[] = { "forward", "train", "update", "validate" };
	struct graph **const place[] = {
		&r->m->forward, &r->m->train, &r->m->update, &r->m->validate,
	};
	int which = ir_read_one_of(r, "forward, train, update or validate", names, 4);

	r->g = *place[which] = ir_graph(r->m, names[which], false);
	ir_read_expect(r, "batch");
	r->g->batch = ir_read_integer(r);
	r->g->training = ir_read_accept(r, "training");
}

static void
begin_body(struct ir_reader *r)
{
	if (ir_read_integer(r) != r->m->bodies.n) {
		ir_read_fail(r, "the next number of a body");
		return;
	}
	r->g = ir_graph(r->m, "body", true);
	vec_push(r->a, &r->m->bodies, r->g);
}

static void
settings(struct ir_reader *r)
{
	struct settings *s = &r->m->set;

	ir_read_expect(r, "batch");
	s->batch = ir_read_integer(r);
	ir_read_expect(r, "accumulate");
	s->accumulate = ir_read_integer(r);
	if (s->batch < 1 || s->accumulate < 1 || s->batch > INT32_MAX || s->accumulate > INT32_MAX) {
		ir_read_fail(r, "a batch and accumulate from 1 to 2147483647");
		s->batch = s->accumulate = 1;
	}
	ir_read_expect(r, "validate_batch");
	s->validate_batch = ir_read_integer(r);
	ir_read_expect(r, "train");
	s->train = ir_read_integer(r) != 0;
	ir_read_expect(r, "validate");
	s->validate = ir_read_integer(r) != 0;
	ir_read_expect(r, "clip");
	s->clip = ir_read_number(r);
	ir_read_expect(r, "precision");
	s->precision = precision_find(ir_read_word(r));
	if (!s->precision) {
		ir_read_fail(r, "a precision");
		s->precision = &precision_f32;
	}
	if (ir_read_accept(r, "chunks")) {
		s->chunk_loss = CHUNK_SPLIT;
		s->chunks = ir_read_integer(r);
		if (s->chunks < 0)
			ir_read_fail(r, "a number of chunks");
	}
	s->workspace = ir_read_accept(r, "workspace") ? ir_read_integer(r) : DEFAULT_WORKSPACE;
	if (s->workspace < 0)
		ir_read_fail(r, "a number of bytes");
	s->ema = ir_read_accept(r, "ema") ? ir_read_number(r) : 0;
	if (!(s->ema >= 0 && s->ema < 1))
		ir_read_fail(r, "a share below 1");
	s->ranks = ir_read_accept(r, "ranks") ? ir_read_integer(r) : 0;
	s->splits = s->ranks && ir_read_accept(r, "split");
	if (s->ranks < 0 || s->ranks > MOST_RANKS) {
		ir_read_fail(r, "a number of ranks");
		s->ranks = 0;
	}
	s->parts = ir_read_accept(r, "parts") ? ir_read_integer(r) : 0;
	if (s->parts < 0 || s->parts > MOST_BATCH_PARTS) {
		ir_read_fail(r, "a number of parts");
		s->parts = 0;
	}
	if (ir_read_accept(r, "shard")) {
		const char *names[SHARDS];
		int i;

		for (i = 0; i < SHARDS; i++)
			names[i] = shard_name((enum shard_kind)i);
		s->shard = (enum shard_kind)ir_read_one_of(r, "what is shared out", names, SHARDS);
	}
	s->validate_fixed = s->accumulate < 1 || s->validate_batch != settings_micro_batch(s);
}

/* "optimizer sgd {...}" is the setting, "optimizer %5 ..." one of its states. */
static void
optimizer(struct ir_reader *r)
{
	ir_read_blanks(r);
	if (*r->s == '%') {
		persistent(r, T_OPTIMIZER);
		return;
	}
	r->m->set.optimizer = op_find(ir_read_word(r));
	if (!r->m->set.optimizer)
		ir_read_fail(r, "the name of an optimizer");
	else
		r->m->set.optimizer_attr = ir_read_attrs(r, r->m->set.optimizer);
}

#define MOST_LOSSES	16	/* of a turn in text */

/* "turn 2 adam {...} "loss.g"": with what the second update of a step is made, and what it
 * descends. */
static void
turn(struct ir_reader *r)
{
	struct settings *s = &r->m->set;
	const char **loss;
	struct turn *t;

	if (!s->turn)
		s->turn = arena_array(r->a, MOST_TURNS, sizeof(*s->turn));
	if (s->nturns == MOST_TURNS || ir_read_integer(r) != s->nturns + 1) {
		ir_read_fail(r, "the next number of a turn");
		return;
	}
	t = &s->turn[s->nturns++];
	t->optimizer = op_find(ir_read_word(r));
	if (!t->optimizer)
		ir_read_fail(r, "the name of an optimizer");
	else
		t->optimizer_attr = ir_read_attrs(r, t->optimizer);
	loss = arena_array(r->a, MOST_LOSSES, sizeof(*loss));
	do {
		loss[t->nlosses++] = ir_read_string(r);
	} while (!r->failed && t->nlosses < MOST_LOSSES && ir_read_accept(r, ","));
	t->loss = loss;
	t->every = ir_read_accept(r, "every") ? ir_read_integer(r) : 1;
}

static bool
is_body(const struct ir_reader *r)
{
	return r->g && r->m->bodies.n && r->m->bodies.v[r->m->bodies.n - 1] == r->g;
}

static void
line(struct ir_reader *r)
{
	enum tensor_kind k;

	if (ir_read_accept(r, "module"))
		r->m->name = ir_read_word(r);
	else if (ir_read_accept(r, "set"))
		settings(r);
	else if (ir_read_accept(r, "optimizer"))
		optimizer(r);
	else if (ir_read_accept(r, "turn"))
		turn(r);
	else if (ir_read_accept(r, "graph"))
		graph(r);
	else if (ir_read_accept(r, "body"))
		begin_body(r);
	else if (ir_read_accept(r, "result") && r->g)
		result(r);
	else if (ir_read_accept(r, "loss") && r->g)
		r->g->loss = tensor(r);
	else if (r->g && (*r->s == '%' || *r->s == '_'))
		node(r);
	else {
		k = (enum tensor_kind)kind_or(r,
		    "module, set, a kind of tensor, graph, result or a node");
		if (r->failed)
			return;
		if (k == T_INPUT || k == T_TARGET || (k == T_ACTIVATION && is_body(r)))
			r->g ? input(r, k) : (void)ir_read_fail(r, "a graph before its inputs");
		else
			persistent(r, k);
	}
}

struct module *
ir_parse(struct arena *a, struct diags *d, const struct source *src)
{
	struct ir_reader r = { .a = a, .s = src->text, .start = src->text };

	r.m = ir_module(a, d, "unnamed");
	r.m->src = src;
	r.m->set.batch = r.m->set.accumulate = 1;
	while (*r.s && !r.failed) {
		ir_read_blanks(&r);
		if (*r.s != '\n' && *r.s != '#')
			line(&r);
		if (ir_read_accept(&r, "@"))
			ir_read_integer(&r);
		ir_read_blanks(&r);
		if (*r.s == '#')
			while (*r.s && *r.s != '\n')
				r.s++;
		if (*r.s && *r.s != '\n' && !r.failed)
			ir_read_fail(&r, "the end of the line");
		if (*r.s == '\n')
			r.s++;
	}
	r.m->broken = r.failed;
	return r.failed ? NULL : r.m;
}
