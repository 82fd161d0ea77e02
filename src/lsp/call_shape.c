/* What the arguments of a call are, by the syntax tree alone: nothing is evaluated. */
#include "lsp/call_shape.h"

#include <string.h>

#define MOST_LOOKS	1000	/* at expressions, for one answer: definitions may name others twice */

enum maybe { NO, YES, PERHAPS };

static enum maybe	is_tensor(const struct tree *, const struct expr *, int *looks);

int
block_inputs_named(const struct block *b)
{
	int i, n = 0;

	for (i = 0; i < b->nstmts; i++)
		n += b->stmt[i].kind == S_INPUT ? b->stmt[i].nnames : 0;
	return n;
}

/* How many tensors a block is applied to. */
static int
inputs_of(const struct block *b)
{
	int n = block_inputs_named(b);

	return n ? n : 1;
}

/* Both are it, or neither is. */
static enum maybe
both(enum maybe a, enum maybe b)
{
	return a == b ? a : PERHAPS;
}

static const struct symbol *
symbol_at(const struct tree *t, const struct expr *e)
{
	const struct use *u = tree_use_at(t, e->head.src ? e->head.beg : expr_word(e).beg);

	return u && e->loc.src == t->file->src ? u->symbol : NULL;
}

static enum maybe
is_tensor_name(const struct tree *t, const struct expr *e, int *looks)
{
	const struct symbol *s = symbol_at(t, e);

	if (strcmp(e->name, "in") == 0)
		return YES;
	if (!s)
		return NO;	/* an operator, or a word such as same */
	switch (s->kind) {
	case SYMBOL_INPUT: case SYMBOL_TARGET:
		return YES;
	case SYMBOL_PARAM: case SYMBOL_BLOCK:
		return NO;
	case SYMBOL_DEF:
		return is_tensor(t, s->expr, looks);
	case SYMBOL_FORMAL:
		return s->expr && is_tensor(t, s->expr, looks) == NO ? NO : PERHAPS;
	default:
		return PERHAPS;
	}
}

/* A call that has its tensors makes one; without them it is a layer. */
static enum maybe
is_tensor_call(const struct tree *t, const struct expr *e, int *looks)
{
	const struct symbol *s = symbol_at(t, e);
	const struct op *op = s ? NULL : op_find(e->name);
	int least = s && s->kind == SYMBOL_BLOCK ? inputs_of(s->block) : op ? op->min_operands : -1, i;
	enum maybe one;

	if (least < 0)
		return s ? PERHAPS : NO;	/* floor(n / 2) */
	for (i = 0; i < least; i++) {
		one = i < e->nargs ? is_tensor(t, e->arg[i].value, looks) : NO;
		if (one != YES)
			return one;
	}
	return YES;
}

static enum maybe
is_tensor(const struct tree *t, const struct expr *e, int *looks)
{
	enum maybe all = YES, other;
	int i;

	if (!e || --*looks < 0)
		return PERHAPS;
	switch (e->kind) {
	case E_NUM: case E_SIZE: case E_DURATION: case E_STR: case E_BOOL: case E_STAR:
		return NO;
	case E_NAME:
		return is_tensor_name(t, e, looks);
	case E_CALL:
		return is_tensor_call(t, e, looks);
	case E_PIPE: case E_LABEL: case E_UNARY: case E_INDEX:
		return is_tensor(t, e->a, looks);
	case E_IF:
		return both(is_tensor(t, e->b, looks), is_tensor(t, e->c, looks));
	case E_BINARY:
		all = is_tensor(t, e->a, looks);
		other = all == YES ? YES : is_tensor(t, e->b, looks);
		return other == YES ? YES : both(all, other);
	case E_TUPLE:
		for (i = 0; i < e->nargs; i++)
			all = i == 0 ? is_tensor(t, e->arg[i].value, looks) : both(all, is_tensor(t, e->arg[i].value, looks));
		return all;
	default:
		return PERHAPS;
	}
}

bool
is_tensor_symbol(const struct tree *t, const struct symbol *s)
{
	int looks = MOST_LOOKS;

	return s->kind == SYMBOL_INPUT || s->kind == SYMBOL_TARGET ||
	    (s->kind == SYMBOL_DEF && is_tensor(t, s->expr, &looks) == YES);
}

struct seeking {
	int head;
	struct call_shape found;
};

/* LAYER: it stands where a layer is expected, behind an arrow. */
static void
seek(struct seeking *s, const struct expr *e, bool layer)
{
	int i;

	if (!e || s->found.call)
		return;
	if (e->kind == E_CALL && e->head.beg == s->head) {
		s->found.call = e;
		s->found.piped = layer;
		return;
	}
	for (i = 0; i < e->nargs; i++)
		seek(s, e->arg[i].value, false);
	seek(s, e->a, layer && (e->kind == E_PIPE || e->kind == E_LABEL));
	seek(s, e->b, e->kind == E_PIPE || (layer && (e->kind == E_IF || (e->kind == E_BINARY && e->op == OPR_MUL))));
	seek(s, e->c, layer);
}

static void
seek_in(struct seeking *s, const struct stmt *stmt, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (loc_holds(stmt[i].loc, s->head))
			seek(s, stmt[i].expr, false);
}

struct call_shape
call_shape_at(const struct tree *t, int head, const struct op *op, const struct block *block)
{
	const struct body *b = tree_body_at(t, head);
	struct seeking s = { .head = head, .found.sure = true };
	struct call_shape *f = &s.found;
	int most = block ? inputs_of(block) : op ? op->max_operands : 0, looks;
	enum maybe one;

	if (b && b->block)
		seek_in(&s, b->block->stmt, b->block->nstmts);
	if (b && b->network)
		seek_in(&s, b->network->stmt, b->network->nstmts);
	if (!f->call || (f->piped && most == 1))
		return s.found;
	for (; f->tensors < f->call->nargs && !f->call->arg[f->tensors].name && (most < 0 || f->tensors < most); f->tensors++) {
		looks = MOST_LOOKS;
		if ((one = is_tensor(t, f->call->arg[f->tensors].value, &looks)) == NO)
			break;
		f->sure &= one == YES;
	}
	return s.found;
}
