/*
 * What people write who come from other languages, and what it is here. Each habit has one message
 * with its cure, and the token is made what was meant, so that nothing is reported because of it:
 *
 *	input x[3, 32, 32]		input x : f32[3, 32, 32]
 *	input x : f32(3, 32, 32)	input x : f32[3, 32, 32]
 *	input x : f32[3], y : f32[3]	input x : f32[3]  input y : f32[3]
 *	loss = mse(x, y)		loss mse(x, y)
 *	h = x.relu()			h = x -> relu()
 *	h = nn.relu(x)			h = relu(x)
 *	train { batch 8, epochs 2 }	train { batch 8  epochs 2 }
 *	device "RTX 3090"		device { name "RTX 3090" }
 */
#include <string.h>

#include "ir/op.h"
#include "syntax/filter.h"
#include "syntax/words.h"

#include "grammar/parser.h"

/* ---- inputs and targets ---- */

static const char *
declaration(const struct filter *f)
{
	return f->declares == TOK_INPUT ? "written: input x : f32[3, 32, 32]" :
	    "written: target y : class[10]";
}

/* A type without the ':' before it, or without its name, which is not guessed. */
static bool
nameless_type(struct filter *f, struct token *t)
{
	bool extents = t->kind == '[' || t->kind == '(';

	if (f->names && f->prev.kind == TOK_NAME && extents) {
		diag_help(f->p->diags, filter_error(f, t->loc, "expected ':' and a type after '%s', "
		    "found '%c'", f->prev.text, t->kind), "%s", declaration(f));
		filter_insert(f, ':', NULL);
		f->names = 0;
		f->type = true;
	} else if (f->type && f->prev.kind == ':' && (extents || t->kind == TOK_NUM)) {
		diag_help(f->p->diags, filter_error(f, t->loc, "expected the name of a type, found %s",
		    token_text(f->p, t)), "%s", declaration(f));
	} else {
		return true;
	}
	filter_insert(f, TOK_NAME, NULL);
	if (t->kind != '[')
		f->skip_line = true;
	return t->kind == '[';
}

/* The extents of a type in round brackets, and another name after a type. */
static bool
typed(struct filter *f, struct token *t)
{
	if (t->kind == '(' && f->prev.kind == TOK_NAME) {
		diag_help(f->p->diags, filter_error(f, t->loc, "the extents of a type stand in [ ]"),
		    "%s", declaration(f));
		t->kind = '[';
		filter_open_bracket(f, *t);
		f->open[f->depth - 1].round = true;
		return false;
	}
	if (t->kind == ',' && filter_complete(f) && filter_peek(f, 0)->kind == TOK_NAME) {
		diag_help(f->p->diags, filter_error(f, t->loc, "expected a statement, found ','"),
		    "names before one ':' share its type; another type is another %s",
		    f->declares == TOK_INPUT ? "input" : "target");
		t->kind = f->declares;
	}
	return true;
}

/* ---- values ---- */

static bool
is_module(const char *path, size_t n)
{
	static const char *const modules[] = { "nn", "F", "torch", "tf", "keras", "layers", "K", "jnp",
	    "jax", "np", "mx", "paddle", "flax", "ops", "self" };
	size_t i, first = strcspn(path, ".");

	for (i = 0; first <= n && i < sizeof(modules) / sizeof(modules[0]); i++)
		if (strlen(modules[i]) == first && memcmp(path, modules[i], first) == 0)
			return true;
	return false;
}

/* Puts out what is before a path's last dot as the value that its last part is applied to. */
static void
applied(struct filter *f, struct token *t, size_t n)
{
	struct token object = *t, arrow = { .kind = TOK_ARROW };

	object.text = arena_strndup(f->p->arena, t->text, n);
	object.kind = memchr(t->text, '.', n) ? TOK_PATH : TOK_NAME;
	object.loc.end = t->loc.beg + (int)n;
	filter_put(f, object);
	arrow.loc = loc_after(object.loc);
	filter_put(f, arrow);
}

/* x.relu( and nn.relu(; what is an operator by no name, as nn.MaxPool2d(, is told where names are
 * looked up. */
static bool
called_path(struct filter *f, struct token *t)
{
	const char *last = strrchr(t->text, '.') + 1;
	size_t n = (size_t)(last - 1 - t->text);
	bool module = is_module(t->text, n), known = !module || op_find(last);
	struct diag *g = known ? filter_error(f, t->loc, "'%s' is no operator", t->text) : NULL;

	if (module && known) {
		diag_help(f->p->diags, g, "no module stands before an operator");
	} else if (!module) {
		diag_help(f->p->diags, g, "an operator is applied with '->': %.*s -> %s(...)", (int)n,
		    t->text, last);
		applied(f, t, n);
	}
	if (known)
		t->loc.beg = t->loc.end - (int)strlen(last);
	t->line_start = false;
	t->kind = TOK_NAME;
	t->text = last;
	return true;
}

/* ---- settings ---- */

/* Is what follows a comma the next setting with its value? A literal never follows a name, so
 * "batch 8, epochs 2" has no other meaning; in "freeze head, data optimizer adam" data is a
 * value. */
static bool
is_next_setting(const struct token *name, const struct token *after)
{
	bool known = name->kind == TOK_NAME && word_is_setting(name->text);

	if (name->kind != TOK_NAME || after->line_start)
		return false;
	switch (after->kind) {
	case TOK_NUM: case TOK_SIZE: case TOK_STR: case '=':
		return true;
	case ':':
		return known;
	case TOK_NAME:
		return known && !word_is_setting(after->text);
	}
	return false;
}

static bool
comma_between(struct filter *f, const struct token *t)
{
	const struct token *name = filter_peek(f, 0);

	if (!is_next_setting(name, filter_peek(f, 1)))
		return true;
	if (!f->commas)
		diag_help(f->p->diags, filter_error(f, t->loc, "expected the setting '%s', found ','",
		    name->text), "settings stand beside each other, without commas");
	f->commas = true;
	return false;
}

void
filter_device(struct filter *f, struct token name)
{
	bool braced = filter_peek(f, 0)->kind == '{';
	const char *written = f->p->src->text + name.loc.beg;
	int n = name.loc.end - name.loc.beg;
	bool closed = n > 1 && written[n - 1] == '"';	/* or that has been reported */

	if (closed && !f->head_wrong)
		diag_help(f->p->diags, filter_error(f, name.loc, "a card's name stands in the device's "
		    "section"), "written: device { name %.*s }", n, written);
	f->head_wrong = true;
	if (braced)
		filter_drop(f);
	filter_enter_body(f, (struct token){ .kind = '{', .loc = loc_after(f->prev.loc) });
	filter_insert(f, TOK_KEY, "name");
	filter_put(f, name);
	if (!braced)
		filter_leave_body(f);
}

bool
filter_habit(struct filter *f, struct token *t)
{
	bool within = filter_in_brackets(f);

	if (f->declares && !within && !t->line_start) {
		if (!nameless_type(f, t))
			return false;
		return !f->type || typed(f, t);
	}
	if (t->kind == TOK_PATH && f->mode == IN_BODY && filter_peek(f, 0)->kind == '(' &&
	    !filter_peek(f, 0)->line_start)
		return called_path(f, t);
	if ((t->kind == '=' || t->kind == ':') && f->mode == IN_BODY && !within &&
	    (f->prev.kind == TOK_LOSS || f->prev.kind == TOK_METRIC)) {
		filter_error(f, t->loc, "a %s is written without '%c'",
		    f->prev.kind == TOK_LOSS ? "loss" : "metric", t->kind);
		return false;
	}
	if (t->kind == ',' && f->mode == IN_SETTINGS && !within)
		return comma_between(f, t);
	return true;
}
