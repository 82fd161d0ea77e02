/*
 * Small changes of a spec's text. A place in the text is found in the tree by binary search over
 * bodies and statements, which stand in the tree as they do in the text, and then downwards.
 *
 *     y = image -> conv(6, 5) -> relu -> head: softmax
 *                            \______/   \____________/     arms with their arrows
 *
 * An arm that begins its line is taken with it:
 *
 *     y = image
 *       -> conv(6, 5)
 *       -> dropout(0.5)           <- this line, or, if there is a comment, all of it but that
 *       -> head: dense(10)
 */
#include "amend/cut.h"

#include <string.h>

#include "amend/lines.h"

/* ---- finding ---- */

static bool
holds(struct loc loc, int at)
{
	return loc.beg <= at && at < loc.end;
}

static const struct stmt *
stmt_at(const struct stmt *s, int n, int at)
{
	int lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s[mid].loc.end <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && holds(s[lo].loc, at) ? &s[lo] : NULL;
}

static const struct block *
block_at(const struct file *f, int at)
{
	int lo = 0, hi = f->blocks.n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (f->blocks.v[mid]->loc.end <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->blocks.n && holds(f->blocks.v[lo]->loc, at) ? f->blocks.v[lo] : NULL;
}

static const struct network *
network_at(const struct file *f, int at)
{
	int lo = 0, hi = f->networks.n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (f->networks.v[mid]->loc.end <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->networks.n && holds(f->networks.v[lo]->loc, at) ? f->networks.v[lo] : NULL;
}

static const struct expr *
child_at(const struct expr *e, int at)
{
	const struct expr *const child[] = { e->a, e->b, e->c };
	int i;

	for (i = 0; i < 3; i++)
		if (child[i] && holds(child[i]->loc, at))
			return child[i];
	for (i = 0; i < e->nargs; i++)
		if (e->arg[i].value && holds(e->arg[i].value->loc, at))
			return e->arg[i].value;
	return NULL;
}

static int
head_of(const struct expr *e)
{
	return e->head.src ? e->head.beg : e->loc.beg;
}

static bool
is_layer(const struct expr *e)
{
	return e->kind == E_CALL || e->kind == E_NAME;
}

/* The layer that a label or a number of repeats stands before. */
static const struct expr *
labelled(const struct expr *e)
{
	return e->kind == E_LABEL ? e->a :
	    e->kind == E_BINARY && e->op == OPR_MUL ? e->b : NULL;
}

bool
cut_find(struct cut_place *p, struct arena *a, const struct file *f, struct loc loc)
{
	const struct expr *e;

	*p = (struct cut_place){ .file = f, .arena = a };
	if (!f || loc.src != f->src)
		return false;
	if ((p->block = block_at(f, loc.beg)))
		p->stmt = stmt_at(p->block->stmt, p->block->nstmts, loc.beg);
	else if ((p->network = network_at(f, loc.beg)))
		p->stmt = stmt_at(p->network->stmt, p->network->nstmts, loc.beg);
	if (!p->stmt || !p->stmt->expr || (p->block && f->networks.n > 1))
		return false;
	for (e = p->stmt->expr; e && holds(e->loc, loc.beg); e = child_at(e, loc.beg)) {
		vec_push(a, &p->up, e);
		if (head_of(e) == loc.beg && (is_layer(e) || e->kind == E_LABEL))
			break;
	}
	if (p->up.n == 0 || head_of(p->up.v[p->up.n - 1]) != loc.beg)
		return false;
	for (e = p->up.v[p->up.n - 1]; e && !is_layer(e); e = labelled(e))
		if (labelled(e))
			vec_push(a, &p->up, labelled(e));
	return e != NULL;
}

const struct expr *
cut_layer(const struct cut_place *p)
{
	return p->up.v[p->up.n - 1];
}

/* The index of the arm that the layer is; labels belong to it, and repeats unless SINGLE. */
static int
arm_of(const struct cut_place *p, bool single)
{
	int k = p->up.n - 1;

	while (k > 0 && labelled(p->up.v[k - 1]) == p->up.v[k] &&
	    !(single && p->up.v[k - 1]->kind == E_BINARY))
		k--;
	return k;
}

static const struct expr *
parent(const struct cut_place *p, int k)
{
	return k > 0 ? p->up.v[k - 1] : NULL;
}

/* Is it within something that a pipe leads into, so that its own first arm is a layer too? */
static bool
in_layer_position(const struct cut_place *p, int k)
{
	for (; k > 0; k--)
		if (p->up.v[k - 1]->kind == E_PIPE && p->up.v[k - 1]->b == p->up.v[k])
			return true;
		else if (p->up.v[k - 1]->kind == E_CALL)
			return false;
	return false;
}

/* ---- layers ---- */

/* The arm [arrow, end). */
static bool
cut_arm(struct edits *e, int arrow, int end)
{
	const struct source *src = e->src;
	int beg = lines_skip_back(src, arrow), rest = lines_skip(src, end);

	if (lines_has_comment(src, arrow, end))
		return false;
	if (!lines_begins_at(src, arrow))
		return edits_add(e, beg, end, "");
	if (rest < src->size && src->text[rest] == '#')
		return edits_add(e, arrow, rest, "");
	if (rest == lines_end(src, rest))
		return edits_add(e, beg, lines_next(src, rest), "");
	if (src->text[rest] == '-')	/* the next arrow takes its place */
		return edits_add(e, arrow, rest, "");
	return edits_add(e, arrow, end, "");
}

static bool
is_literal(const struct expr *e)
{
	return e->kind == E_NUM || e->kind == E_BOOL || e->kind == E_STR;
}

/* LAYER(x, 0.5) becomes x. */
static bool
unwrap(struct edits *e, const struct expr *call)
{
	const struct expr *x = call->nargs > 0 ? call->arg[0].value : NULL;
	bool bare;
	int i;

	if (!x || call->arg[0].name || is_literal(x) || x->kind == E_TUPLE)
		return false;
	for (i = 1; i < call->nargs; i++)
		if (!call->arg[i].name && !is_literal(call->arg[i].value))
			return false;
	if (lines_has_comment(e->src, call->loc.beg, x->loc.beg) ||
	    lines_has_comment(e->src, x->loc.end, call->loc.end))
		return false;
	bare = x->kind == E_NAME || x->kind == E_CALL || x->kind == E_PATH || x->kind == E_INDEX ||
	    e->src->text[x->loc.beg] == '(';
	return edits_add(e, call->loc.beg, x->loc.beg, bare ? "" : "(") &&
	    edits_add(e, x->loc.end, call->loc.end, bare ? "" : ")");
}

bool
cut_out(struct edits *e, const struct cut_place *p)
{
	int k = arm_of(p, false);
	const struct expr *arm = p->up.v[k], *up = parent(p, k);

	if (up && up->kind == E_PIPE && up->b == arm)
		return cut_arm(e, up->head.beg, arm->loc.end);
	if (up && up->kind == E_PIPE && in_layer_position(p, k - 1))
		return !lines_has_comment(e->src, arm->loc.beg, up->b->loc.beg) &&
		    edits_add(e, arm->loc.beg, up->b->loc.beg, "");
	up = parent(p, p->up.n - 1);
	return !(up && up->kind == E_LABEL) && cut_layer(p)->kind == E_CALL &&
	    unwrap(e, cut_layer(p));
}

bool
cut_behind(struct edits *e, const struct cut_place *p, const char *layer)
{
	int k = arm_of(p, true);
	const struct expr *arm = p->up.v[k], *up = parent(p, k);

	if (up && up->kind != E_PIPE)
		return false;
	return edits_add(e, arm->loc.end, arm->loc.end, arena_printf(p->arena, " -> %s", layer));
}

/* ---- arguments ---- */

static bool
has_text(const struct source *src, int at, const char *word)
{
	size_t n = strlen(word);

	return at >= 0 && (size_t)(src->size - at) >= n && memcmp(src->text + at, word, n) == 0;
}

bool
cut_argument(struct edits *e, const struct expr *call, const char *name, const char *value)
{
	const struct source *src = e->src;
	int i, at = head_of(call) + (int)(call->name ? strlen(call->name) : 0);

	if (!is_layer(call) || !has_text(src, head_of(call), call->name))
		return false;
	for (i = 0; i < call->nargs; i++)
		if (call->arg[i].name && strcmp(call->arg[i].name, name) == 0)
			return is_literal(call->arg[i].value) && edits_add(e,
			    call->arg[i].value->loc.beg, call->arg[i].value->loc.end, value);
	if (call->nargs > 0) {
		at = call->arg[call->nargs - 1].value->loc.end;
		return edits_add(e, at, at, arena_printf(e->arena, ", %s=%s", name, value));
	}
	if (call->kind == E_NAME)
		return edits_add(e, at, at, arena_printf(e->arena, "(%s=%s)", name, value));
	at = lines_skip(src, at);
	return has_text(src, at, "(") &&
	    edits_add(e, at + 1, at + 1, arena_printf(e->arena, "%s=%s", name, value));
}

/* One of N things in a row, between commas: the I-th, whose neighbours are [..., before) and
 * [after, ...). Alone, it takes the brackets with it. */
static bool
cut_listed(struct edits *e, struct loc it, const struct loc *before, const struct loc *after,
    int name_end)
{
	const struct source *src = e->src;
	int beg = before ? before->end : it.beg, end = before || !after ? it.end : after->beg;

	if (after) {
		beg = it.beg;
		end = after->beg;
	} else if (!before) {
		beg = lines_skip(src, name_end);
		end = lines_skip(src, it.end);
		end += src->text[end] == ',';
		end = lines_skip(src, end);
		if (src->text[beg] != '(' || src->text[end] != ')')
			return false;
		end++;
	}
	return !lines_has_comment(src, beg, end) && edits_add(e, beg, end, "");
}

static struct loc
arg_loc(const struct arg *x)
{
	return x->name ? loc_join(x->name_loc, x->value->loc) : x->value->loc;
}

/* The I-th argument of a call, named or not; with its comma, and the brackets if it is alone. */
static bool
drop_argument(struct edits *e, const struct expr *call, int i)
{
	struct loc before = { NULL, 0, 0 }, after = before;

	if (i > 0)
		before = arg_loc(&call->arg[i - 1]);
	if (i + 1 < call->nargs)
		after = arg_loc(&call->arg[i + 1]);
	return cut_listed(e, arg_loc(&call->arg[i]), i > 0 ? &before : NULL,
	    i + 1 < call->nargs ? &after : NULL, head_of(call) + (int)strlen(call->name));
}

static struct loc
formal_loc(const struct formal *f)
{
	return f->value ? loc_join(f->name.loc, f->value->loc) : f->name.loc;
}

/* ---- parameters of blocks ---- */

struct formal_change {
	struct edits *edits;
	const struct block *block;
	int i;			/* the parameter */
	const char *to;		/* its new name; NULL: it goes */
	bool failed;
};

static int
inputs_of(const struct block *b)
{
	int i, n = 0;

	for (i = 0; i < b->nstmts; i++)
		if (b->stmt[i].kind == S_INPUT)
			n += b->stmt[i].nnames;
	return n ? n : 1;
}

/* Which argument of a call is the parameter's; -1: none. Tensors may stand before the others:
 * where there are more arguments than parameters, they do. */
static int
argument_of(const struct formal_change *c, const struct expr *call)
{
	int i, bare = 0, at;

	for (i = 0; i < call->nargs; i++) {
		if (call->arg[i].name &&
		    strcmp(call->arg[i].name, c->block->formal[c->i].name.text) == 0)
			return i;
		bare += !call->arg[i].name;
	}
	at = c->i + (bare > c->block->nformals ? inputs_of(c->block) : 0);
	for (i = 0; i < call->nargs; i++)
		if (!call->arg[i].name && at-- == 0)
			return i;
	return -1;
}

static void
change_calls(struct formal_change *c, const struct cut_calls *calls)
{
	const struct cut_call *x = map_get(&calls->by_name, c->block->name.text);
	int i;

	for (; x; x = x->next) {
		const struct arg *arg = x->call->arg;

		i = argument_of(c, x->call);
		if (i >= 0 && !c->to)
			c->failed |= !drop_argument(c->edits, x->call, i);
		else if (i >= 0 && arg[i].name)
			c->failed |= !edits_add(c->edits, arg[i].name_loc.beg,
			    arg[i].name_loc.beg + (int)strlen(arg[i].name), c->to);
	}
}

bool
cut_drop_formal(struct edits *e, const struct cut_calls *calls, const struct block *b, int i)
{
	struct formal_change c = { .edits = e, .block = b, .i = i };
	struct loc before = { NULL, 0, 0 }, after = before;

	if (i > 0)
		before = formal_loc(&b->formal[i - 1]);
	if (i + 1 < b->nformals)
		after = formal_loc(&b->formal[i + 1]);
	change_calls(&c, calls);
	return !c.failed && cut_listed(e, formal_loc(&b->formal[i]), i > 0 ? &before : NULL,
	    i + 1 < b->nformals ? &after : NULL, b->name.loc.end);
}

static void
rename_use(void *context, const struct expr *e)
{
	struct formal_change *c = context;
	const char *from = c->block->formal[c->i].name.text;
	size_t n = strlen(from);

	if (!e->name || (e->kind != E_NAME && e->kind != E_CALL && e->kind != E_PATH) ||
	    strncmp(e->name, from, n) != 0 || (e->name[n] != '\0' && e->kind != E_PATH) ||
	    (e->name[n] != '\0' && e->name[n] != '.'))
		return;
	c->failed |= !has_text(c->edits->src, head_of(e), from) ||
	    !edits_add(c->edits, head_of(e), head_of(e) + (int)n, c->to);
}

bool
cut_rename_formal(struct edits *e, const struct cut_calls *calls, const struct block *b, int i,
    const char *to)
{
	struct formal_change c = { .edits = e, .block = b, .i = i, .to = to };
	int j;

	change_calls(&c, calls);
	for (j = 0; j < b->nformals; j++)
		cut_walk(b->formal[j].value, rename_use, &c);
	cut_walk_stmts(b->stmt, b->nstmts, rename_use, &c);
	return !c.failed && edits_add(e, b->formal[i].name.loc.beg, b->formal[i].name.loc.end, to);
}

/* ---- statements ---- */

bool
cut_lines(struct edits *e, struct loc loc)
{
	const struct source *src = e->src;
	int beg = loc.beg, end = loc.end, rest = lines_skip(src, end);
	bool first = lines_begins_at(src, beg);

	if (lines_has_comment(src, beg, end))
		return false;
	if (rest != lines_end(src, rest))	/* something else is on this line, or a comment */
		return !first && src->text[rest] == '#' ?
		    edits_add(e, lines_skip_back(src, beg), end, "") : edits_add(e, beg, rest, "");
	if (!first)
		return edits_add(e, lines_skip_back(src, beg), rest, "");
	beg = lines_begin(src, beg);
	end = lines_next(src, rest);
	if (end < src->size && lines_is_empty(src, end) && (beg == 0 || lines_is_empty(src, beg - 1)))
		end = lines_next(src, end);
	return edits_add(e, beg, end, "");
}

bool
cut_param(struct edits *e, const struct global *g)
{
	const char *text = e->src->text;
	int at = g->name.loc.beg;

	while (at > 0 && strchr(" \t\r\n", text[at - 1]))
		at--;
	at -= (int)strlen("param");
	return has_text(e->src, at, "param") &&
	    cut_lines(e, (struct loc){ e->src, at, g->value->loc.end });
}
