/*
 * The graph itself: making modules, graphs, nodes and tensors, cloning a graph, and the arithmetic
 * of sizes. Sizes saturate at INT64_MAX instead of wrapping; op_output() refuses what is too large
 * long before, so a saturated size means an unreported bug, never a small buffer.
 */
#include "ir/ir.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "ir/op.h"

static int64_t
mul_saturating(int64_t a, int64_t b)
{
	int64_t r;

	return __builtin_mul_overflow(a, b, &r) ? INT64_MAX : r;
}

static int64_t
add_saturating(int64_t a, int64_t b)
{
	int64_t r;

	return __builtin_add_overflow(a, b, &r) ? INT64_MAX : r;
}

int64_t
affine_at(struct affine a, int64_t batch)
{
	return add_saturating(a.fixed, mul_saturating(a.per_sample, batch));
}

struct affine
affine_sum(struct affine a, struct affine b)
{
	return (struct affine){ add_saturating(a.fixed, b.fixed),
	    add_saturating(a.per_sample, b.per_sample) };
}

static const struct {
	const char *name;
	bool persistent;
} kinds[TENSOR_KINDS] = {
	[T_INPUT] = { "input", false },
	[T_TARGET] = { "target", false },
	[T_PARAM] = { "parameter", true },
	[T_GATHERED] = { "gathered-parameter", false },
	[T_STATISTIC] = { "statistic", true },
	[T_TABLE] = { "table", true },
	[T_OPTIMIZER] = { "optimizer", true },
	[T_GRADIENT] = { "gradient", false },
	[T_ACTIVATION] = { "activation", false },
	[T_SAVED] = { "saved", false },
	[T_DELTA] = { "activation-gradient", false },
	[T_SCALAR] = { "scalar", false },
	[T_WORKSPACE] = { "workspace", false },
	[T_POISON] = { "poison", false },
};

const char *
tensor_kind_name(enum tensor_kind k)
{
	return kinds[k].name;
}

bool
tensor_kind_persistent(enum tensor_kind k)
{
	return kinds[k].persistent;
}

bool
tensor_kind_declared(enum tensor_kind k)
{
	return k == T_PARAM || k == T_STATISTIC || k == T_TABLE;
}

bool
module_trains_all(const struct module *m)
{
	int i;

	for (i = 0; i < m->persistent.n; i++)
		if (m->persistent.v[i]->kind == T_PARAM && m->persistent.v[i]->frozen)
			return false;
	return true;
}

struct module *
ir_module(struct arena *a, struct diags *d, const char *name)
{
	struct module *m = ARENA_NEW(a, struct module);

	m->arena = a;
	m->diags = d;
	m->name = name;
	m->set.precision = &precision_f32;
	return m;
}

struct graph *
ir_graph(struct module *m, const char *name, bool training)
{
	struct graph *g = ARENA_NEW(m->arena, struct graph);

	g->module = m;
	g->name = name;
	g->training = training;
	return g;
}

/* Bytes that a tensor takes. There is room for one extent at least, which a rank's piece has. */
static size_t
room_of(enum tensor_kind kind, int rank)
{
	size_t extents = (rank > 1 ? (size_t)rank : 1) * sizeof(int64_t);

	return offsetof(struct tensor, dim) + (kind == T_WORKSPACE ? sizeof(struct affine) : extents);
}

struct tensor *
ir_tensor(struct module *m, enum tensor_kind kind, const struct dtype *dtype, bool batched,
    int rank, const int64_t *dim, const char *name, struct loc loc)
{
	struct tensor *t = arena_alloc(m->arena, room_of(kind, rank));

	assert(rank >= 0 && rank <= MAX_RANK);
	t->id = m->next_tensor++;
	t->kind = kind;
	t->dtype = dtype;
	t->batched = batched;
	t->rank = rank;
	if (rank > 0)
		memcpy(t->dim, dim, (size_t)rank * sizeof(*dim));
	t->name = name;
	t->loc = loc;
	if (tensor_kind_persistent(kind))
		vec_push(m->arena, &m->persistent, t);
	return t;
}

struct tensor *
ir_tensor_like(struct module *m, enum tensor_kind kind, const struct tensor *like,
    const char *name, struct loc loc)
{
	struct tensor *t = ir_tensor(m, kind, like->dtype, like->batched, like->rank, like->dim,
	    name, loc);

	t->channels_last = like->channels_last;
	return t;
}

struct tensor *
ir_tensor_copy(struct arena *a, const struct tensor *t)
{
	size_t room = room_of(t->kind, t->rank);

	return memcpy(arena_alloc(a, room), t, room);
}

struct tensor
tensor_value(const struct tensor *t)
{
	struct tensor value;

	memcpy(&value, t, room_of(t->kind, t->rank));
	return value;
}

void
ir_add_landing(struct module *m, struct tensor *t)
{
	t->lands = ir_tensor_like(m, t->kind, t, arena_join(m->arena, t->name, ".", "next"), t->loc);
}

/* Most nodes have few operands and one result: one array has room for both. */
static void
make_lists(struct module *m, struct node *n, int in_room, int out_room)
{
	n->in = arena_array(m->arena, (size_t)in_room + (size_t)out_room, sizeof(*n->in));
	n->out = n->in + in_room;
	n->in_room = in_room;
	n->out_room = out_room;
}

struct node *
ir_node(struct graph *g, const struct op *op, const char *path, struct loc loc, int nin,
    struct tensor *const *in)
{
	struct module *m = g->module;
	struct node *n = ARENA_NEW(m->arena, struct node);

	n->id = m->next_node++;
	n->op = op;
	n->training = g->training;
	n->path = path;
	n->loc = loc;
	n->nin = nin;
	make_lists(m, n, nin, 1);
	if (nin > 0)
		memcpy(n->in, in, (size_t)nin * sizeof(*in));
	vec_push(m->arena, &g->nodes, n);
	return n;
}

void
ir_drop(struct graph *g, const bool *gone)
{
	int i, kept = 0;

	for (i = 0; i < g->nodes.n; i++)
		if (!gone[i])
			g->nodes.v[kept++] = g->nodes.v[i];
	g->nodes.n = kept;
}

bool
ir_has(const struct graph *g, const struct op *op)
{
	int i;

	for (i = 0; i < g->nodes.n; i++)
		if (g->nodes.v[i]->op == op)
			return true;
	return false;
}

/* A long list doubles its room: what splits or joins may have as many as the network has layers. It
 * moves to an array of its own, since right behind it may be the other one. */
static struct tensor **
append(struct module *m, struct tensor **list, int n, int *room, struct tensor *t)
{
	struct tensor **old = list;

	if (n >= *room) {
		*room = n < 4 ? n + 2 : arena_more(m->arena, n);
		list = arena_array(m->arena, (size_t)*room, sizeof(*list));
		if (n > 0)
			memcpy(list, old, (size_t)n * sizeof(*list));
	}
	list[n] = t;
	return list;
}

void
ir_add_input(struct module *m, struct node *n, struct tensor *t)
{
	n->in = append(m, n->in, n->nin, &n->in_room, t);
	n->nin++;
}

struct tensor *
ir_add_output(struct module *m, struct node *n, struct tensor *t)
{
	int from;

	n->out = append(m, n->out, n->nout, &n->out_room, t);
	n->nout++;
	if (!t)
		return NULL;
	t->def = n;
	from = n->op && n->op->memory.alias ? n->op->memory.alias(n, n->nout - 1) : -1;
	if (from >= 0 && from < n->nin && n->in[from])
		tensor_alias(t, n->in[from]);
	return t;
}

struct tensor *
node_value(const struct node *n)
{
	int i;

	for (i = 0; i < n->nout; i++)
		if (n->out[i] && n->out[i]->kind != T_SAVED)
			return n->out[i];
	return n->nout ? n->out[0] : NULL;
}

/* ---- cloning ---- */

struct cloning {
	struct module *m;
	bool same;		/* ids stay */
	struct tensor **map;	/* by the old tensor's id */
	struct node **node;	/* by the old node's id */
};

/* A node of the same graph that another points to; one of another graph stays what it is. */
static const struct node *
cloned(const struct cloning *c, const struct node *n)
{
	return n && c->node[n->id] ? c->node[n->id] : n;
}

static struct tensor *
clone_tensor(struct cloning *c, struct tensor *t)
{
	struct tensor *copy;

	if (!t || tensor_kind_persistent(t->kind) || t->accumulates)
		return t;
	if (c->map[t->id])
		return c->map[t->id];
	copy = ir_tensor_copy(c->m->arena, t);
	if (!c->same)
		copy->id = c->m->next_tensor++;
	c->map[t->id] = copy;
	tensor_alias(copy, clone_tensor(c, t->alias_of));
	copy->gradient_of = clone_tensor(c, t->gradient_of);
	if (tensor_landing(t))
		copy->lands = clone_tensor(c, t->lands);
	return copy;
}

static struct node *
clone_node(struct cloning *c, const struct node *n, bool training)
{
	struct node *copy = ARENA_NEW(c->m->arena, struct node);
	int i;

	*copy = *n;
	if (!c->same)
		copy->id = c->m->next_node++;
	copy->training = training;
	make_lists(c->m, copy, n->nin, n->nout);
	for (i = 0; i < n->nin; i++)
		copy->in[i] = clone_tensor(c, n->in[i]);
	for (i = 0; i < n->nout; i++)
		if ((copy->out[i] = clone_tensor(c, n->out[i])))
			copy->out[i]->def = copy;
	copy->work = clone_tensor(c, n->work);
	copy->forward = cloned(c, n->forward);
	copy->again = cloned(c, n->again);
	c->node[n->id] = copy;
	return copy;
}

static struct graph *
clone_graph(struct cloning *c, const struct graph *g, const char *name, bool training, struct tensor ***map)
{
	struct arena *a = c->m->arena, *scratch = arena_child(a);
	struct graph *copy = ir_graph(c->m, name, training);
	int i;

	c->map = arena_array(map ? a : scratch, (size_t)g->module->next_tensor + 1, sizeof(*c->map));
	c->node = arena_array(scratch, (size_t)g->module->next_node + 1, sizeof(*c->node));
	copy->batch = g->batch;
	copy->nodes.cap = g->nodes.n + 1;
	copy->nodes.v = arena_array(a, (size_t)copy->nodes.cap, sizeof(*copy->nodes.v));
	for (i = 0; i < g->inputs.n; i++)
		vec_push(a, &copy->inputs, clone_tensor(c, g->inputs.v[i]));
	for (i = 0; i < g->nodes.n; i++)
		vec_push(a, &copy->nodes, clone_node(c, g->nodes.v[i], training));
	for (i = 0; i < g->results.n; i++) {
		struct result r = g->results.v[i];

		r.tensor = clone_tensor(c, r.tensor);
		vec_push(a, &copy->results, r);
	}
	copy->loss = clone_tensor(c, g->loss);
	if (map)
		*map = c->map;
	arena_free(scratch);
	return copy;
}

struct graph *
ir_clone(struct module *m, const struct graph *g, const char *name, bool training,
    struct tensor ***map)
{
	struct cloning c = { .m = m };

	return clone_graph(&c, g, name, training, map);
}

struct graph *
ir_copy(struct module *m, const struct graph *g, struct tensor ***map)
{
	struct cloning c = { .m = m, .same = true };

	return clone_graph(&c, g, g->name, g->training, map);
}

/* ---- sizes and shapes ---- */

struct tensor *
tensor_root(const struct tensor *t)
{
	while (t->alias_of)
		t = t->ancestor;
	return (struct tensor *)t;
}

const struct tensor *
tensor_whole(const struct tensor *t)
{
	return t->shared ? t->gradient_of : t;
}

struct tensor *
tensor_declared(struct tensor *t)
{
	return t->kind == T_PARAM && t->gradient_of ? t->gradient_of : t;
}

/* In-place results make chains as long as the network; each link also knows its end so far. */
void
tensor_alias(struct tensor *t, struct tensor *of)
{
	t->alias_of = of;
	t->ancestor = of ? tensor_root(of) : NULL;
}

void
node_alias_again(struct node *n)
{
	int k, of;

	for (k = 0; k < n->nout; k++)
		if (n->out[k] && n->out[k]->alias_of && (of = n->op->memory.alias(n, k)) >= 0)
			tensor_alias(n->out[k], n->in[of]);
}

bool
tensor_lands(const struct graph *g, const struct tensor *t)
{
	int i;

	for (i = 0; i < g->inputs.n; i++)
		if (tensor_landing(g->inputs.v[i]) == t)
			return true;
	return false;
}

bool
tensor_persistent(const struct tensor *t)
{
	const struct tensor *root = tensor_root(t);

	return tensor_kind_persistent(root->kind) || root->accumulates;
}

int64_t
tensor_elements_per_sample(const struct tensor *t)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < t->rank; i++)
		n = mul_saturating(n, t->dim[i]);
	return n;
}

struct affine
tensor_elements(const struct tensor *t)
{
	int64_t n = tensor_elements_per_sample(t);

	return t->batched ? (struct affine){ 0, n } : (struct affine){ n, 0 };
}

struct affine
tensor_bytes(const struct tensor *t)
{
	struct affine n = tensor_elements(t);

	if (t->kind == T_WORKSPACE)
		return t->workspace;
	n.fixed = mul_saturating(n.fixed, dtype_bytes(t->dtype));
	n.per_sample = mul_saturating(n.per_sample, dtype_bytes(t->dtype));
	return n;
}

bool
tensor_same_shape(const struct tensor *a, const struct tensor *b)
{
	return a->batched == b->batched && a->rank == b->rank &&
	    (a->rank == 0 || memcmp(a->dim, b->dim, (size_t)a->rank * sizeof(*a->dim)) == 0);
}

bool
tensor_alike(const struct tensor *a, const struct tensor *b)
{
	return a->dtype == b->dtype && a->channels_last == b->channels_last && tensor_same_shape(a, b);
}

bool
tensor_has_layouts(const struct tensor *t)
{
	const int64_t *dim = t->dim + (t->rank == 4);

	if (t->rank != 3 && (t->rank != 4 || t->batched))
		return false;
	return dim[0] > 1 && (dim[1] > 1 || dim[2] > 1);
}

struct tensor
tensor_stored(const struct tensor *t)
{
	struct tensor stored = tensor_value(t);
	int i;

	for (i = 0; i < t->rank; i++)
		stored.dim[tensor_stored_axis(t, i)] = t->dim[i];
	return stored;
}

int
tensor_stored_axis(const struct tensor *t, int axis)
{
	int channels = t->rank - 3;

	if (!t->channels_last || axis < channels)
		return axis;
	return axis == channels ? t->rank - 1 : axis - 1;
}

/* The extents, each after a comma but for the first. */
static void
put_extents(struct text *s, const struct tensor *t)
{
	int i;

	for (i = 0; i < t->rank; i++)
		text_printf(s, "%s%lld", i ? ", " : "", (long long)t->dim[i]);
}

const char *
tensor_shape_text(struct arena *a, const struct tensor *t)
{
	struct text s;

	text_init(&s, a);
	text_puts(&s, "[");
	put_extents(&s, t);
	text_puts(&s, "]");
	return s.s;
}

const char *
tensor_type_text(struct arena *a, const struct tensor *t)
{
	struct text s;

	if (!t->classes)
		return tensor_shape_text(a, t);
	text_init(&s, a);
	if (t->tokens) {
		text_puts(&s, "tokens[");
		put_extents(&s, t);
		text_printf(&s, ", vocab=%d]", t->classes);
	} else {
		text_printf(&s, "class[%d%s", t->classes, t->rank ? ", " : "");
		put_extents(&s, t);
		text_puts(&s, "]");
	}
	return s.s;
}

int64_t
settings_micro_batch(const struct settings *set)
{
	return set->batch / settings_shares(set);
}

bool
turn_has_loss(const struct turn *t, const char *result)
{
	int i;

	for (i = 0; i < t->nlosses; i++)
		if (strcmp(t->loss[i], result) == 0)
			return true;
	return false;
}

bool
settings_leave_out(const struct settings *set)
{
	int i;

	for (i = 0; i < set->nturns; i++)
		if (set->turn[i].every > 1)
			return true;
	return false;
}
