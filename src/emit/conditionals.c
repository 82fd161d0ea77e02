/*
 * conditionals: removes from a file of kernels/ what the program does not need. One source serves
 * both targets and all precisions, by #if; in a program the target and the precision are known, so
 * the branches that are never taken, and the directives themselves, would only distract its reader.
 *
 * What is unknown here is left as it is: what the machine has (__AVX__, __CUDA_ARCH__), and what
 * the Makefile offers (CHECK, LIBRARY, USE_CUBLASLT). A condition is evaluated with three values:
 * true, false, unknown.
 *
 * A file's guard against a second inclusion goes too: each file is in the program once.
 */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/vec.h"
#include "emit/program.h"
#include "ir/due.h"
#include "ops/labels.h"
#include "readers/reader.h"

enum truth { NO, YES, UNKNOWN };

struct macro {
	const char *name;
	enum truth is;		/* defined; a flag: 1 */
	bool flag;		/* is defined either way, as 1 or as 0 */
};

#define MOST_MACROS	64

/* An #if that is open. */
struct branch {
	bool outer;		/* is text around it kept? */
	bool kept;		/* its #if is in the program, and so must its #endif be */
	bool decided;		/* one of its branches holds: none after it does */
};

#define DEEPEST	16

struct conditionals {
	struct arena *arena;
	struct kept_lines *out;
	struct macro macro[MOST_MACROS];	/* ends with name NULL */
	struct branch open[DEEPEST];
	int depth;
	bool keep;		/* is the text here kept? */
	bool blank;		/* was the last line kept a blank one? */
};

/* ---- what is known ---- */

static enum truth
yes(bool b)
{
	return b ? YES : NO;
}

static bool
names(const char *words, const char *word)
{
	size_t n = strlen(word);
	const char *s;

	for (s = words; (s = strstr(s, word)); s += n)
		if ((s == words || s[-1] == ' ') && (s[n] == ' ' || s[n] == '\0'))
			return true;
	return false;
}

static enum truth
of_target(const struct target *t, const char *macro)
{
	return names(t->defines, macro) ? YES : names(t->options, macro) ? UNKNOWN : NO;
}

/* Those of the precision (kernels/kernel.h), and those that it does not have. */
static struct macro *
find_precision(const struct precision *p, struct macro *to)
{
	int i;

	for (i = 0; i < precision_count; i++) {
		const char *name = precision_table[i]->macro;

		if (name && (!p->macro || strcmp(name, p->macro) != 0))
			*to++ = (struct macro){ name, NO, false };
	}
	if (p->macro)
		*to++ = (struct macro){ p->macro, YES, false };
	*to++ = (struct macro){ "ELEMENT", yes(precision_is_narrow(p)), false };
	*to++ = (struct macro){ "NARROW", yes(precision_is_narrow(p)), true };
	*to++ = (struct macro){ "MASTERS", yes(p->masters), true };
	*to++ = (struct macro){ "SCALES_LOSS", yes(p->scales_loss), true };
	return to;
}

static bool
is_drawn(const struct data_source *d)
{
	return d->reader && d->reader->drawn;
}

static void
find_macros(const struct emitter *e, struct macro *list)
{
	const struct module *m = e->module;
	const struct target *t = e->target;
	bool libraries = emit_calls_libraries(e);
	const struct macro known[] = {
		{ "__CUDACC__", of_target(t, "__CUDACC__"), false },
		{ "__cplusplus", of_target(t, "__cplusplus"), false },
		{ "USE_CUBLASLT", libraries ? of_target(t, "USE_CUBLASLT") : NO, false },
		{ "USE_CUDNN", libraries ? of_target(t, "USE_CUDNN") : NO, false },
		{ "COOPERATIVE", yes(m->plan && m->plan->cooperative), false },
		{ "USE_CBLAS", of_target(t, "USE_CBLAS"), false },
		{ "TUNES", libraries && !m->inference ? UNKNOWN : NO, false },
		{ "NONDETERMINISTIC", yes(m->set.any_order && libraries), false },
		{ "HAVE_CUDNN", NO, false },	/* with it stowage is compiled (engines.c) */
		{ "TRAINS", yes(m->train), false },
		{ "AVERAGE", yes(m->train && m->set.ema > 0), false },
		{ "UPDATES", yes(m->update), false },
		{ "UPDATE_NUMBERS", yes(e->numbers.n > 0), false },	/* which files that come after the steps ask */
		{ "LEAVES_OUT", yes(m->train && settings_leave_out(&m->set)), false },
		{ "SENDS_LAST", yes(module_sends_last(m)), false },
		{ "RANKS", yes(module_ranks(m) > 1), false },
		{ "SPLIT", yes(module_splits(m)), false },
		{ "STAGES", yes(module_stages(m) > 1), false },
		{ "BACK_APART", yes(m->plan && m->plan->turn > 0), false },
		{ "PARTS", yes(module_parts(m) > 0), false },
		{ "STEPS_TOGETHER", e->steps_together > 1 ? UNKNOWN : NO, false },
		{ "SHARDS", yes(module_shards(m) > 1), false },
		{ "GRADIENT_SHARDS", yes(module_shares_out(m, SHARD_GRADIENTS)), false },
		{ "AVERAGE_SHARDS", yes(module_averages_apart(m)), false },
		{ "PARAMETER_SHARDS", yes(module_shares_out(m, SHARD_PARAMETERS)), false },
		{ "VALIDATES", yes(m->validate), false },
		{ "EPILOGUES", YES, false },
		{ "INFERS", yes(m->inference), false },
		{ "COUNTED", yes(labels_counted_count(m, m->train) > 0), false },
		{ "DRAWS", yes(t->lands_batches && m->train && (is_drawn(&m->set.data) || is_drawn(&m->set.validate_data))), false },
		{ "KEEPS", yes(emit_keeps(m)), false },
		{ "TABLES", yes(emit_file_table_count(m) > 0), false },
	};
	struct macro *end = list + sizeof(known) / sizeof(known[0]);

	assert(end - list + precision_count + 4 < MOST_MACROS);
	memcpy(list, known, sizeof(known));
	end = find_precision(m->set.precision, end);
	end->name = NULL;
}

/* ---- conditions ---- */

struct condition_reader {
	const struct macro *macro;
	const char *at, *end;
};

static enum truth	any_of(struct condition_reader *);

/* Comments are at the ends of directives. */
static void
skip_blanks(struct condition_reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
	if (r->at + 1 < r->end && r->at[0] == '/' && r->at[1] == '*')
		r->at = r->end;
}

static bool
accept(struct condition_reader *r, const char *sign)
{
	size_t n = strlen(sign);

	skip_blanks(r);
	if ((size_t)(r->end - r->at) < n || strncmp(r->at, sign, n) != 0)
		return false;
	r->at += n;
	return true;
}

static size_t
word(struct condition_reader *r)
{
	size_t n = 0;

	skip_blanks(r);
	while (r->at + n < r->end && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
		n++;
	return n;
}

static bool
is_word(const char *s, size_t n, const char *what)
{
	return strlen(what) == n && !strncmp(s, what, n);
}

static bool
is_guard(const char *name, size_t n)
{
	return n > strlen("STOWAGE_") && !strncmp(name, "STOWAGE_", strlen("STOWAGE_"));
}

/* Is the macro of that name defined, or, with VALUE, is it a flag that is 1? Nothing tests whether
 * a macro is defined that is defined in either case. */
static enum truth
look_up(const struct condition_reader *r, const char *name, size_t n, bool value)
{
	int i;

	for (i = 0; r->macro[i].name; i++)
		if (is_word(name, n, r->macro[i].name)) {
			if (r->macro[i].flag != value)
				return UNKNOWN;
			return r->macro[i].is;
		}
	return UNKNOWN;
}

static enum truth
opposite(enum truth t)
{
	return t == UNKNOWN ? UNKNOWN : t == YES ? NO : YES;
}

static enum truth
one(struct condition_reader *r)
{
	enum truth t;
	const char *name;
	size_t n;

	if (accept(r, "!"))
		return opposite(one(r));
	if (accept(r, "(")) {
		t = any_of(r);
		accept(r, ")");
		return t;
	}
	n = word(r);
	name = r->at;
	r->at += n;
	if (!is_word(name, n, "defined")) {
		t = look_up(r, name, n, true);
		if (accept(r, ">=") || accept(r, ">") || accept(r, "<=") || accept(r, "<")) {
			n = word(r);
			r->at += n;
			return UNKNOWN;
		}
		return t;
	}
	accept(r, "(");
	n = word(r);
	t = look_up(r, r->at, n, false);
	r->at += n;
	accept(r, ")");
	return t;
}

static enum truth
all_of(struct condition_reader *r)
{
	enum truth t = one(r), next;

	while (accept(r, "&&")) {
		next = one(r);
		t = t == NO || next == NO ? NO : t == YES && next == YES ? YES : UNKNOWN;
	}
	return t;
}

static enum truth
any_of(struct condition_reader *r)
{
	enum truth t = all_of(r), next;

	while (accept(r, "||")) {
		next = all_of(r);
		t = t == YES || next == YES ? YES : t == NO && next == NO ? NO : UNKNOWN;
	}
	return t;
}

/* Of the directive that R stands at: "ifdef NAME", "ifndef NAME", "if CONDITION", "elif
 * CONDITION". */
static enum truth
condition(struct condition_reader *r)
{
	const char *directive = r->at;
	size_t n = word(r);
	enum truth t;

	r->at += n;
	if (is_word(directive, n, "ifdef")) {
		n = word(r);
		return look_up(r, r->at, n, false);
	}
	if (is_word(directive, n, "ifndef")) {
		n = word(r);
		return is_guard(r->at, n) ? YES : opposite(look_up(r, r->at, n, false));
	}
	t = any_of(r);
	skip_blanks(r);
	return r->at < r->end ? UNKNOWN : t;
}

/* ---- lines ---- */

static void
put_line(struct conditionals *c, struct kept_line line)
{
	bool blank = line.n == 1;

	if (!blank || !c->blank)
		vec_push(c->arena, &c->out->all, line);
	c->blank = blank;
}

/* The line, but with that text. */
static void
put_instead(struct conditionals *c, struct kept_line line, const char *text)
{
	line.text = text;
	line.n = strlen(text);
	put_line(c, line);
}

static void
open_branch(struct conditionals *c, struct condition_reader *r, struct kept_line line)
{
	enum truth t = condition(r);
	struct branch *b = &c->open[c->depth++];

	assert(c->depth <= DEEPEST);
	*b = (struct branch){ c->keep, c->keep && t == UNKNOWN, t == YES };
	if (b->kept)
		put_line(c, line);
	c->keep = b->outer && t != NO;
}

/* #elif, and #else, which holds if nothing before it did */
static void
next_branch(struct conditionals *c, struct condition_reader *r, enum truth t,
    struct kept_line line)
{
	struct branch *b = &c->open[c->depth - 1];

	c->keep = b->outer && !b->decided && t != NO;
	b->decided |= t == YES;
	if (!c->keep)
		return;
	if (t == YES && b->kept) {
		put_instead(c, line, "#else\n");
	} else if (t == UNKNOWN && b->kept) {
		put_line(c, line);
	} else if (t == UNKNOWN) {
		b->kept = true;
		put_instead(c, line, arena_printf(c->arena, "#if%.*s\n", (int)(r->end - r->at), r->at));
	}
}

static void
close_branch(struct conditionals *c, struct kept_line line)
{
	struct branch *b = &c->open[--c->depth];

	assert(c->depth >= 0);
	c->keep = b->outer;
	if (b->kept)
		put_line(c, line);
}

static bool
defines_guard(struct condition_reader *r)
{
	size_t n = word(r);

	if (!is_word(r->at, n, "define"))
		return false;
	r->at += n;
	n = word(r);
	return is_guard(r->at, n);
}

static void
directive(struct conditionals *c, struct kept_line line)
{
	struct condition_reader r = { c->macro, line.text + 1, line.text + line.n - 1 };
	size_t length = word(&r);
	const char *name = r.at;

	if (is_word(name, length, "if") || is_word(name, length, "ifdef") ||
	    is_word(name, length, "ifndef")) {
		open_branch(c, &r, line);
	} else if (is_word(name, length, "elif")) {
		enum truth t = condition(&r);

		r.at = name + length;
		next_branch(c, &r, t, line);
	} else if (is_word(name, length, "else")) {
		next_branch(c, &r, YES, line);
	} else if (is_word(name, length, "endif")) {
		close_branch(c, line);
	} else if (c->keep && !defines_guard(&r)) {
		put_line(c, line);
	}
}

struct conditionals *
conditionals_new(struct emitter *e, struct kept_lines *out)
{
	struct conditionals *c = ARENA_NEW(e->module->arena, struct conditionals);

	c->arena = e->module->arena;
	c->out = out;
	c->keep = c->blank = true;
	find_macros(e, c->macro);
	return c;
}

bool
conditionals_keep(const struct conditionals *c)
{
	return c->keep;
}

void
conditionals_line(struct conditionals *c, struct kept_line line)
{
	if (*line.text == '#')
		directive(c, line);
	else if (c->keep)
		put_line(c, line);
}
