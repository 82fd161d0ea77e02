/*
 * Operators at work: looking them up, and applying one (op_apply and what its shape rule calls).
 * Their attributes are read by op_attrs.c, gradients are built by passes/differentiate.c.
 */
#include "ir/attr_pool.h"
#include "ir/op.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "target/target.h"
#include "ir/dotted_path.h"

const struct op *
op_find(const char *name)
{
	int lo = 0, hi = op_count, mid, c;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		c = strcmp(name, op_table[mid]->name);
		if (c == 0)
			return op_table[mid];
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

int
op_alias_first(const struct node *n, int k)
{
	(void)n;
	(void)k;
	return 0;
}

int
op_alias_persistent(const struct node *n, int k)
{
	(void)k;
	return tensor_persistent(n->in[0]) ? 0 : -1;
}

const struct op *
op_never_again(const struct node *n, struct tensor **in, int *nin)
{
	(void)n;
	(void)in;
	(void)nin;
	return NULL;
}

/* ---- applying ---- */

static struct tensor *
poison(struct module *m, const char *path, struct loc loc)
{
	return ir_tensor(m, T_POISON, DT_F32, true, 0, NULL, path, loc);
}

static bool
any_poisoned(int n, struct tensor *const *t)
{
	int i;

	for (i = 0; i < n; i++)
		if (t[i] && t[i]->kind == T_POISON)
			return true;
	return false;
}

static void
fail(struct module *m, struct node *n)
{
	m->broken = true;
	n->nout = 0;
	ir_add_output(m, n, poison(m, n->path, n->loc));
}

/* Where the spec says them, up to the last that is given; NULL: nowhere. */
static const struct said_attrs *
places_of(struct arena *a, const struct attr *attr, int n)
{
	struct said_attrs *said;
	bool any = false;
	int i;

	while (n > 0 && !attr[n - 1].given)
		n--;
	for (i = 0; i < n; i++)
		any |= attr[i].loc.src != NULL;
	if (!any)
		return NULL;
	said = arena_alloc(a, sizeof(*said) + (size_t)n * sizeof(*said->at));
	said->n = n;
	for (i = 0; i < n; i++)
		said->at[i] = attr[i].loc;
	return said;
}

static struct node *
apply(struct build *b, const struct op *op, const struct attr *attr, const char *path,
    struct loc loc, int noperands, struct tensor *const *operand)
{
	struct module *m = b->module;
	struct node *n = ir_node(b->graph, op, path, loc, noperands, operand);
	int nattrs = op_nattrs(op);
	struct attr own[MAX_ATTRS];

	if (!b->attrs)
		b->attrs = ARENA_NEW(m->arena, struct intern);
	if (nattrs > 0)
		memcpy(own, attr, (size_t)nattrs * sizeof(*attr));
	n->attr = own;
	n->said = places_of(m->arena, own, nattrs);
	if (any_poisoned(noperands, operand) || (op->shape && !op->shape(b, n)))
		fail(m, n);
	n->attr = attr_pool_keep(b->attrs, m->arena, op, own);
	return n;
}

/* A layer of several parts: a node that is in the graph only where the layer could not be made. */
static struct node *
apply_parts(struct build *b, const struct op *op, const struct attr *attr, const char *path,
    struct loc loc, int noperands, struct tensor *const *operand)
{
	struct arena *a = b->module->arena;
	struct node *layer = ARENA_NEW(a, struct node), *last;

	*layer = (struct node){ .op = op, .path = path, .loc = loc, .nin = noperands,
		.in = arena_array(a, (size_t)noperands + 1, sizeof(*layer->in)),
		.attr = arena_array(a, (size_t)op_nattrs(op) + 1, sizeof(*layer->attr)) };
	if (noperands > 0)
		memcpy(layer->in, operand, (size_t)noperands * sizeof(*operand));
	if (op_nattrs(op) > 0)
		memcpy(layer->attr, attr, (size_t)op_nattrs(op) * sizeof(*attr));
	layer->said = places_of(a, attr, op_nattrs(op));
	last = any_poisoned(noperands, operand) ? NULL : op->expand(b, layer);
	if (last) {
		layer->out = last->out;
		layer->nout = last->nout;
		return last;
	}
	last = apply(b, op, attr, path, loc, noperands, operand);
	if (last->nout == 0)
		fail(b->module, last);
	return last;
}

struct node *
op_apply(struct build *b, const struct op *op, const struct attr *attr, const char *path,
    struct loc loc, int noperands, struct tensor *const *operand)
{
	b->params.n = 0;
	return (op->expand ? apply_parts : apply)(b, op, attr, path, loc, noperands, operand);
}

/* What was given for parameters of the layer's own is none of its parts'. */
static struct node *
part(struct build *b, const struct node *layer, const struct op *op, const struct attr *attr, const char *suffix,
    int noperands, struct tensor *const *operand, int nties, struct tie *tie)
{
	struct build outside = *b;
	struct node *n;

	b->tie = tie;
	b->nties = nties;
	n = apply(b, op, attr, path_join(b->module->arena, layer->path, suffix), layer->loc, noperands, operand);
	n->part_of = layer;
	b->tie = outside.tie;
	b->nties = outside.nties;
	return n;
}

struct node *
op_part(struct build *b, const struct node *layer, const struct op *op, const struct attr *attr,
    const char *suffix, int noperands, struct tensor *const *operand)
{
	return part(b, layer, op, attr, suffix, noperands, operand, 0, NULL);
}

static const char *
suffixed(struct module *m, const char *path, const char *suffix)
{
	return suffix ? path_join(m->arena, path, suffix) : path;
}

static bool
fits(struct build *b, const struct node *n, const struct tensor *t, const char *what, enum tensor_kind kind, int rank,
    const int64_t *dim)
{
	struct tensor want = tensor_value(t);

	want.rank = rank;
	memcpy(want.dim, dim, (size_t)rank * sizeof(*dim));
	want.batched = false;
	if (t->batched)
		return op_error(b, n, "%s: %s '%s' depends on the batch, but it must be the same for all samples",
		    n->op->name, what, t->name);
	if (!tensor_same_shape(t, &want))
		return op_error(b, n, "%s: %s%s '%s' has shape %s, but %s is needed here", n->op->name,
		    t->kind == T_PARAM ? "shared " : "", what, t->name, tensor_shape_text(b->module->arena, t),
		    tensor_shape_text(b->module->arena, &want));
	if (t->kind != kind && t->dtype != b->module->set.precision->element)	/* else it was made for the same */
		return op_error(b, n, "%s: %s '%s' is %s, but %s is needed here", n->op->name, what, t->name,
		    t->dtype->name, b->module->set.precision->element->name);
	return true;
}

static bool size_is_sane(struct build *, const struct node *, const struct tensor *);

/* Finds or makes it; NULL after an error. */
static struct tensor *
parameter(struct build *b, const struct node *n, const char *suffix, enum tensor_kind kind,
    struct init init, int rank, const int64_t *dim)
{
	struct module *m = b->module;
	const struct dtype *element = m->set.precision->element;
	struct tensor *t = NULL;
	int i;

	for (i = 0; i < b->nties && kind == T_PARAM; i++)
		if (strcmp(b->tie[i].name, suffix) == 0) {
			t = b->tie[i].tensor;
			b->tie[i].taken = true;
		}
	if (!t && b->reuse && b->params.n < b->nreuse)
		t = b->reuse[b->params.n];
	if (t) {
		if (!fits(b, n, t, suffix, kind, rank, dim))
			return NULL;
	} else {
		struct tensor probe = { .rank = rank, .dtype = kind == T_PARAM ? element :
		    element->real };

		memcpy(probe.dim, dim, (size_t)rank * sizeof(*dim));
		if (!size_is_sane(b, n, &probe))
			return NULL;
		t = ir_tensor(m, kind, probe.dtype, false, rank, dim,
		    suffixed(m, n->path, suffix), n->loc);
		tensor_start_as(t, init);
	}
	vec_push(m->arena, &b->params, t);
	return t;
}

struct tensor *
op_param(struct build *b, struct node *n, const char *suffix, enum tensor_kind kind,
    struct init init, int rank, const int64_t *dim)
{
	struct tensor *t = parameter(b, n, suffix, kind, init, rank, dim);

	if (t)
		ir_add_input(b->module, n, t);
	return t;
}

struct tensor *
op_layer_param(struct build *b, const struct node *layer, const char *suffix, struct init init, int rank,
    const int64_t *dim)
{
	return parameter(b, layer, suffix, T_PARAM, init, rank, dim);
}

struct node *
op_part_tied(struct build *b, const struct node *layer, const struct op *op, const struct attr *attr,
    const char *suffix, int noperands, struct tensor *const *operand, int nties, struct tie *tie)
{
	int nparams = b->params.n;
	struct node *n = part(b, layer, op, attr, suffix, noperands, operand, nties, tie);

	b->params.n = nparams;	/* the layer's, which has them already */
	return n;
}

static bool
size_is_sane(struct build *b, const struct node *n, const struct tensor *t)
{
	struct affine bytes = tensor_bytes(t);
	int i;

	for (i = 0; i < t->rank; i++)
		if (t->dim[i] < 1 || t->dim[i] > LARGEST_EXTENT)
			return op_error(b, n, "%s: an extent of %lld in shape %s is out of range "
			    "(1 to 2^40)", n->op->name, (long long)t->dim[i],
			    tensor_shape_text(b->module->arena, t));
	if (bytes.fixed > LARGEST_BYTES || bytes.per_sample > LARGEST_BYTES)
		return op_error(b, n, "%s: a tensor of shape %s would take more than 2^60 bytes",
		    n->op->name, tensor_shape_text(b->module->arena, t));
	return true;
}

struct tensor *
op_output(struct build *b, struct node *n, const char *suffix, enum tensor_kind kind,
    const struct dtype *dtype, bool batched, int rank, const int64_t *dim)
{
	struct module *m = b->module;
	struct tensor *t = ir_tensor(m, kind, dtype, batched, rank, dim,
	    suffixed(m, n->path, suffix), n->loc);

	if (!size_is_sane(b, n, t))
		t->kind = T_POISON;
	return ir_add_output(m, n, t);
}

bool
op_shape_same(struct build *b, struct node *n)
{
	const struct tensor *x = n->in[0];

	return op_output(b, n, NULL, T_ACTIVATION, x->dtype, x->batched, x->rank, x->dim) != NULL;
}

bool
op_error(struct build *b, const struct node *n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(b->module->diags, "shape", n->loc, "%s",
	    arena_vprintf(b->module->arena, fmt, ap));
	va_end(ap);
	b->module->broken = true;
	return false;
}

void
op_error_place(struct build *b, struct loc loc, const char *fmt, ...)
{
	struct diags *d = b->module->diags;
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = arena_vprintf(b->module->arena, fmt, ap);
	va_end(ap);
	diag_place(d, d->all.v[d->all.n - 1], loc, "%s", text);
}

const char *
op_operand_text(struct build *b, const struct tensor *t)
{
	struct arena *a = b->module->arena;
	const char *shape = tensor_type_text(a, t);

	if (t->def)
		return arena_printf(a, "%s after %s (%s)", shape, t->def->op->name,
		    loc_shown(a, t->def->loc, t->def->loc.src));
	return arena_printf(a, "%s, '%s' (%s)", shape, t->name, loc_shown(a, t->loc, t->loc.src));
}

/* ---- for passes ---- */

int
op_rate(const struct op *op)
{
	int i, n = op ? op_nattrs(op) : 0;

	for (i = 0; i < n; i++)
		if (op->attrs[i].is_rate)
			return i;
	return -1;
}

const char *
op_operand(struct arena *a, const struct op *op, int k)
{
	const char *s = op->operands ? op->operands : "";

	for (; k > 0 && *(s += strcspn(s, " ")); k--)
		s++;
	return *s ? arena_strndup(a, s, strcspn(s, " ")) : NULL;
}

bool
op_operand_is(const struct op *op, int k, const char *word)
{
	const char *s = op->operands ? op->operands : "";
	size_t len;

	for (; k > 0 && strchr(s, ' '); k--)
		s = strchr(s, ' ') + 1;
	len = strcspn(s, " ");
	return len == strlen(word) && strncmp(s, word, len) == 0;
}

int
op_number_for(const struct op *op, int k)
{
	const char *s = op->operands ? op->operands : "";
	int i, at;

	for (at = 0; at < k && *(s += strcspn(s, " ")); at++)
		s++;
	for (i = 0; at == k && i < op_nattrs(op); i++)
		if (op->attrs[i].type == ATTR_REAL && strlen(op->attrs[i].name) == strcspn(s, " ") &&
		    strncmp(op->attrs[i].name, s, strcspn(s, " ")) == 0)
			return i;
	return -1;
}

bool
op_is_view(const struct op *op)
{
	return !op->calls.emit;
}

struct room
op_room(const struct module *m, const struct target *target, int threads)
{
	return (struct room){ .target = target, .threads = threads,
		.library = m->set.workspace - m->set.workspace % target->alignment,
		.batch = m->train ? m->train->batch : 1, .parts = module_parts(m) > 0 };
}

enum op_layout
op_layout_either(const struct node *n)
{
	(void)n;
	return LAYOUT_EITHER;
}

enum op_layout
op_layout(const struct node *n)
{
	if (n->op->memory.layout)
		return n->op->memory.layout(n);
	return n->op->flags & OP_ELEMENTWISE ? LAYOUT_EITHER : LAYOUT_FIRST;
}

struct tensor *
op_base(const struct node *n)
{
	return n->op->memory.onto && n->nin > n->op->memory.onto ? n->in[n->op->memory.onto] : NULL;
}

void
op_add_onto(struct module *m, struct node *n, struct tensor *base, double keep, bool first)
{
	assert(n->op->memory.onto && !op_base(n) && !n->out[0]->alias_of);
	while (n->nin < n->op->memory.onto)
		ir_add_input(m, n, NULL);
	ir_add_input(m, n, base);
	n->keep = keep;
	n->keep_first = first;
	tensor_alias(n->out[0], base);
}

const struct dtype *
shape_real(const struct module *m)
{
	return m->set.precision->element;
}

struct affine
op_bytes(const struct node *n)
{
	struct affine sum = { 0, 0 };
	int k;

	for (k = 0; k < n->nin + n->nout; k++) {
		const struct tensor *t = k < n->nin ? n->in[k] : n->out[k - n->nin];

		if (t)
			sum = affine_sum(sum, tensor_bytes(t));
	}
	return sum;
}
