/*
 * The names in one expression: which are known, which are near where one is not, and how many uses
 * of each layer there have been; see check.c.
 */
#include "lang/expander.h"

#include <string.h>

#include "lang/library.h"
#include "syntax/words.h"

static int
count(struct checker *c, const char *name)
{
	int i;

	for (i = 0; i < c->tally.n; i++)
		if (strcmp(c->tally.v[i].name, name) == 0)
			return ++c->tally.v[i].uses;
	vec_push(c->ex->a, &c->tally, ((struct tally){ name, 1 }));
	return 1;
}

/* A block of that name, or of what is called so elsewhere, comes with Stowage: a near name is not
 * what was meant. */
static bool
suggest_library(struct expander *ex, struct diag *g, const char *name)
{
	const struct block *b;
	const char *ours;

	name_elsewhere(name, &ours);
	if (ex->library.n == 0)
		library_blocks(ex->a, &ex->library);
	if (!(b = map_get(&ex->library, name)) && !(ours && (b = map_get(&ex->library, ours))))
		return false;
	diag_help(ex->d, g, "'%s' is a block of a file that comes with Stowage: use \"%s\"", b->name.text,
	    b->name.loc.src->path);
	return true;
}

/* Is one of them NAME, but for the case of its letters? */
static bool
has_same(const struct names *n, const char *name)
{
	int i;

	for (i = 0; i < n->n; i++)
		if (name_same(name, n->v[i]))
			return true;
	return false;
}

static bool
is_layer(const char *name)
{
	const struct op *op = op_find(name);

	return op && op->kind == OP_LAYER;
}

/* UpSampling2D(size=2): what its arguments are here is not known, and they are not to stand behind
 * our name, where they may mean something else. */
static bool
has_arguments_of_theirs(const struct expr *e)
{
	const char *ours, *s = e->kind == E_CALL && e->nargs > 0 ? e->name : "";

	return *s && (strpbrk(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") || name_elsewhere(s, &ours));
}

static void
suggest(struct checker *c, struct diag *g, const struct expr *e, const char *name, bool layer)
{
	struct names n = { NULL, 0, 0 };
	struct expander *ex = c->ex;
	const char *near;

	if (!names_wanted(ex, c->known.n + c->unit->names.n))
		return;
	names_add_map(ex->a, &n, &c->known);
	names_add_map(ex->a, &n, &c->unit->names);
	if (layer && !has_same(&n, name) && call_elsewhere(ex, g, e))
		return;
	if (c->in_block)
		names_add(ex->a, &n, "in");
	if (!layer)
		names_add(ex->a, &n, "index");
	names_add_ops(ex->a, &n, OP_LAYER, OP_METRIC);
	if (layer && suggest_library(ex, g, name))
		return;
	if (has_arguments_of_theirs(e) && (near = names_near(name, &n)) && is_layer(near)) {
		diag_help(ex->d, g, "did you mean '%s'?", near);
		return;
	}
	if (names_suggest(ex, g, name, &n) || !layer)
		return;
	if (name_written(name))
		diag_help(ex->d, g, "here it is written: %s", name_written(name));
	else
		diag_help(ex->d, g, "'stowage explain --operators' lists the operators there are");
}

/* Is there a name near that one? Where a file that is used could not be read, an operator's is not
 * what was meant: the name is probably of that file. */
static bool
may_suggest(struct checker *c, const char *name)
{
	struct names n = { NULL, 0, 0 };

	if (!names_wanted(c->ex, c->known.n + c->unit->names.n))
		return false;
	names_add_map(c->ex->a, &n, &c->known);
	names_add_map(c->ex->a, &n, &c->unit->names);
	if (!c->unit->names_missing)
		names_add_ops(c->ex->a, &n, OP_LAYER, OP_METRIC);
	return names_near(name, &n) != NULL;
}

/* What shapes that begin with the batch begin with elsewhere. */
static bool
is_batch_word(const char *name)
{
	static const char *const words[] = { "N", "B", "None", "batch", "batch_size", "bs" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(name, words[i]) == 0)
			return true;
	return false;
}

static bool
is_known_layer(struct checker *c, const char *name, bool call)
{
	const struct op *op = op_find(name);

	return (op && op_visible(op)) || unit_find(c->unit, name) || (call && is_function(name));
}

/* lstm.last: of a layer itself nothing is selected. */
static void
report_layer(struct expander *ex, struct loc loc, const char *name)
{
	struct diag *g = ex_error(ex, "name", loc, "'%s' is a layer: results are selected from what it "
	    "makes of a tensor", name);

	diag_help(ex->d, g, "give that a name, y = x -> %s, and select from y", name);
}

static void
report_unknown(struct checker *c, const struct expr *e, struct loc loc, const char *name, bool layer)
{
	const struct name *later = map_get(&c->later, name);
	struct expander *ex = c->ex;
	const struct op *op = op_find(name);
	struct diag *g;

	if (later && later->loc.beg > loc.beg) {
		g = ex_error(ex, "name", loc, "'%s' is used before its definition", name);
		diag_place(ex->d, g, later->loc, "it is defined here");
		return;
	}
	if ((c->has_bad || c->unit->bad_syntax || c->unit->names_missing) && !may_suggest(c, name))
		return;		/* its definition is probably what could not be parsed */
	if (strcmp(name, "in") == 0)
		g = ex_error(ex, "name", loc, c->in_block ?
		    "'in' is not defined here: this block names its inputs" :
		    "'in' is a block's input; a network's inputs have names of their own");
	else if (strcmp(name, "index") == 0)
		g = scope_no_index(ex, loc);
	else if (op && op->kind == OP_OPTIMIZER)
		g = ex_error(ex, "name", loc, "'%s' is an optimizer: it belongs in the train "
		    "section", name);
	else if (!layer && is_known_layer(c, name, false)) {
		report_layer(ex, loc, name);
		return;
	} else if (is_function(name))
		g = ex_error(ex, "name", loc, "'%s' is a function: write %s(...)", name, name);
	else {
		g = ex_error(ex, "name", loc, layer ? "no layer, block or operator is called '%s'" :
		    "nothing is called '%s' here", e->kind == E_CALL ? ex_text(ex, loc) : name);
		if (!layer && is_batch_word(name))
			diag_help(ex->d, g, "no expression sees the batch: shapes are those of one sample, and the "
			    "train section has the batch");
		else if (word_elsewhere(name, true))
			diag_help(c->ex->d, g, "%s", word_elsewhere(name, true));
		else
			suggest(c, g, e, name, layer);
	}
}

static void
unknown(struct checker *c, struct expr *e, struct loc loc, const char *name, bool layer)
{
	report_unknown(c, e, loc, name, layer);
	e->kind = E_BAD;
}

/* May NAME be one of the words an attribute of the operator offers? */
static bool
is_choice(const struct op *op, const char *name)
{
	size_t len = strlen(name);
	const char *s;
	int i;

	for (i = 0; op && i < op_nattrs(op); i++)
		for (s = op->attrs[i].choices; s && *s; s += strcspn(s, " "), s += *s == ' ')
			if (strcspn(s, " ") == len && strncmp(s, name, len) == 0)
				return true;
	return false;
}

/* The operator that is called, if nothing of the file has its name. */
static const struct op *
called(const struct checker *c, const struct expr *e)
{
	const struct op *op = e->kind == E_CALL ? op_find(e->name) : NULL;

	return op && !map_get(&c->known, e->name) && !unit_find(c->unit, e->name) ? op : NULL;
}

/* bias=False of a layer of another framework: what the layer is here says that, too. */
static bool
is_python(const struct checker *c, const struct expr *call, const struct expr *v)
{
	return (strcmp(v->name, "True") == 0 || strcmp(v->name, "False") == 0 || strcmp(v->name, "None") == 0) &&
	    call_is_elsewhere(call) &&
	    !op_find(call->name) && !unit_find(c->unit, call->name) && !map_get(&c->known, call->name);
}

static void
walk_args(struct checker *c, struct expr *e)
{
	int i;

	for (i = 0; i < e->nargs; i++) {
		struct expr *v = e->arg[i].value;

		if (v && v->kind == E_NAME && !map_get(&c->known, v->name) &&
		    (is_choice(called(c, e), v->name) || is_python(c, e, v)))
			continue;
		check_walk(c, v, POS_VALUE);
	}
}

static void
walk_name(struct checker *c, struct expr *e, enum position pos)
{
	bool local = map_get(&c->known, e->name) != NULL;
	bool index = strcmp(e->name, "index") == 0 && c->repeats > 0;

	if (pos != POS_VALUE)
		e->count = count(c, e->name);
	if (local || is_known_layer(c, e->name, false))
		return;
	if (pos != POS_LAYER && (index || is_init_word(e->name)))
		return;
	unknown(c, e, e->loc, e->name, pos == POS_LAYER);
}

static void
walk_call(struct checker *c, struct expr *e)
{
	e->count = count(c, e->name);
	if (is_known_layer(c, e->name, true) || map_get(&c->known, e->name) ||
	    is_init_word(e->name))
		walk_args(c, e);
	else {
		walk_args(c, e);
		unknown(c, e, e->head, e->name, true);
	}
}

/* v.f: the first segment is a name of the body; the others wait for its value. */
static void
walk_path(struct checker *c, struct expr *e)
{
	const char *first = arena_strndup(c->ex->a, e->name, strcspn(e->name, "."));
	const struct global_name *global = unit_find(c->unit, first);

	if (strcmp(first, "*") == 0 || strstr(e->name, ".*")) {
		ex_error(c->ex, "type", e->loc, "a pattern with * is for settings such as freeze; "
		    "it is not a value");
		e->kind = E_BAD;
	} else if (!map_get(&c->known, first) && !(global && global->expr))	/* of a block nothing is selected */
		unknown(c, e, e->loc, first, false);
}

void
check_define(struct checker *c, const struct name *n)
{
	struct name *old = map_get(&c->known, n->text);
	struct diag *g;

	if (strcmp(n->text, "index") == 0 || (strcmp(n->text, "in") == 0)) {
		ex_error(c->ex, "name", n->loc, "'%s' has a meaning of its own and cannot be "
		    "defined", n->text);
	} else if (old) {
		g = ex_error(c->ex, "name", n->loc, "'%s' is defined twice", n->text);
		diag_place(c->ex->d, g, old->loc, "first defined here");
	} else
		map_put(c->names, &c->known, n->text, (void *)n);
}

static void
walk_label(struct checker *c, struct expr *e, enum position pos)
{
	struct name *n = ARENA_NEW(c->ex->a, struct name);

	check_walk(c, e->a, pos);
	*n = (struct name){ e->name, e->head };
	check_define(c, n);
}

/* What a branch defines, and takes out of what is known again. */
static struct map_entry *
take_defined(struct checker *c, struct arena *scratch, int known, int *n)
{
	struct map_entry *defined;

	*n = c->known.n - known;
	defined = arena_array(scratch, (size_t)*n + 1, sizeof(*defined));
	if (*n > 0)
		memcpy(defined, c->known.entry + known, (size_t)*n * sizeof(*defined));
	map_cut(&c->known, known);
	return defined;
}

/* The names and counts after an `if` are those of both branches together. */
static void
walk_if(struct checker *c, struct expr *e, enum position pos)
{
	struct arena *scratch = arena_child(c->ex->a);
	struct map_entry *defined;
	int n, ndefined, i, *was;

	check_walk(c, e->a, POS_VALUE);
	n = c->tally.n;
	was = arena_array(scratch, (size_t)n + 1, sizeof(*was));
	for (i = 0; i < n; i++)
		was[i] = c->tally.v[i].uses;
	ndefined = c->known.n;
	check_walk(c, e->b, pos);
	defined = take_defined(c, scratch, ndefined, &ndefined);
	for (i = 0; i < c->tally.n; i++) {	/* `was` now keeps what the first branch used */
		int used = c->tally.v[i].uses;

		c->tally.v[i].uses = i < n ? was[i] : 0;
		if (i < n)
			was[i] = used;
	}
	check_walk(c, e->c, pos);
	for (i = 0; i < n; i++)
		if (c->tally.v[i].uses < was[i])
			c->tally.v[i].uses = was[i];
	for (i = 0; i < ndefined; i++)
		if (!map_get(&c->known, defined[i].key))
			map_put(c->names, &c->known, defined[i].key, defined[i].value);
	arena_free(scratch);
}

static void
walk_binary(struct checker *c, struct expr *e, enum position pos)
{
	static const char *const name[] = {
		[OPR_ADD] = "add", [OPR_SUB] = "sub", [OPR_MUL] = "mul", [OPR_DIV] = "scale",
	};
	struct diag *g;

	if (pos == POS_LAYER && e->op != OPR_MUL) {
		g = ex_error(c->ex, "type", e->loc, "this pipes into '%s': parenthesise the "
		    "pipeline", ex_text(c->ex, e->loc));
		diag_help(c->ex->d, g, "`->` binds loosest: write (x -> %s) and then the rest",
		    ex_text(c->ex, e->a->loc));
		e->kind = E_BAD;
		return;
	}
	if (e->op <= OPR_DIV)
		e->count = count(c, name[e->op]);
	check_walk(c, e->a, POS_VALUE);
	c->repeats += e->op == OPR_MUL;
	check_walk(c, e->b, e->op == OPR_MUL ? pos == POS_VALUE ? POS_FIRST : pos : POS_VALUE);
	c->repeats -= e->op == OPR_MUL;
}

static void
walk_pipe(struct checker *c, struct expr *e, enum position pos)
{
	int n, i;
	struct expr **arm = pipe_arms(c->names, e, &n);

	for (i = 0; i < n; i++)
		check_walk(c, arm[i], i > 0 ? POS_LAYER : pos == POS_LAYER ? pos : POS_FIRST);
}

/* What walks the tree after this may recurse without looking. */
static bool
too_deep(struct checker *c, struct expr *e)
{
	if (c->depth <= DEEPEST_EXPR)
		return false;
	ex_error(c->ex, "value", e->loc, "this expression is nested more than %d deep",
	    DEEPEST_EXPR);
	e->kind = E_BAD;
	return true;
}

void
check_walk(struct checker *c, struct expr *e, enum position pos)
{
	if (!e || e->kind == E_BAD)
		return;
	c->depth++;
	if (too_deep(c, e))
		goto out;
	switch (e->kind) {
	case E_NAME:
		walk_name(c, e, pos);
		break;
	case E_CALL:
		walk_call(c, e);
		break;
	case E_PATH:
		walk_path(c, e);
		break;
	case E_PIPE:
		walk_pipe(c, e, pos);
		break;
	case E_LABEL:
		walk_label(c, e, pos == POS_VALUE ? POS_FIRST : pos);
		break;
	case E_IF:
		walk_if(c, e, pos);
		break;
	case E_BINARY:
		walk_binary(c, e, pos);
		break;
	case E_UNARY:
		e->count = count(c, "scale");
		check_walk(c, e->a, POS_VALUE);
		break;
	case E_INDEX:
		e->count = count(c, "slice");
		check_walk(c, e->a, POS_VALUE);
		walk_args(c, e);
		break;
	case E_RANGE:
		check_walk(c, e->a, POS_VALUE);
		check_walk(c, e->b, POS_VALUE);
		check_walk(c, e->c, POS_VALUE);
		break;
	case E_TUPLE:
		walk_args(c, e);
		break;
	default:
		break;
	}
out:
	c->depth--;
}
