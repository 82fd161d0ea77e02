/*
 * The statements of a segment. What one layer alone reads goes on along the arrow; what a sum or a
 * join reads has a name, unless it is a parameter. The order in which the text makes layers is
 * taken down: parameters of the compiled spec come in it.
 */
#include "import/writer.h"

#include <stdlib.h>
#include <string.h>

static char
infix(const struct step *s)
{
	static const struct { const char *op; char sign; } signs[] = {
		{ "add", '+' }, { "sub", '-' }, { "mul", '*' }, { "div", '/' }, { "pow", '^' }
	};
	size_t i;

	for (i = 0; s->nin == 2 && i < sizeof(signs) / sizeof(*signs); i++)
		if (strcmp(s->op->name, signs[i].op) == 0)
			return signs[i].sign;
	return '\0';
}

static const char *
tuple_text(struct arena *a, int n, const int64_t *v, bool alone)
{
	struct text t;
	int i;

	text_init(&t, a);
	if (n == 1 && alone) {
		text_printf(&t, "%lld", (long long)v[0]);
		return t.s;
	}
	text_puts(&t, "(");
	for (i = 0; i < n; i++)
		text_printf(&t, "%s%lld", i ? ", " : "", (long long)v[i]);
	text_puts(&t, n == 1 ? ",)" : ")");
	return t.s;
}

/* 1e-6, not 1e-06 */
static const char *
real_text(struct arena *a, double r)
{
	char *s = arena_printf(a, "%.9g", r), *e = strchr(s, 'e');

	if (e)
		for (e += 2; e[0] == '0' && e[1]; )
			memmove(e, e + 1, strlen(e));
	return s;
}

/* Numbers of a tuple, to the last bit: an operator computes with them in double. */
static const char *
reals_text(struct arena *a, int n, const double *v)
{
	struct text t;
	int i, digits;

	text_init(&t, a);
	text_puts(&t, n > 1 ? "(" : "");
	for (i = 0; i < n; i++) {
		const char *s = real_text(a, v[i]);

		for (digits = 10; digits <= 17 && strtod(s, NULL) != v[i]; digits++)
			s = arena_printf(a, "%.*g", digits, v[i]);
		text_printf(&t, "%s%s", i ? ", " : "", s);
	}
	text_puts(&t, n > 1 ? ")" : "");
	return t.s;
}

const char *
attr_as_text(struct arena *a, const struct attr_spec *spec, const struct attr *v)
{
	const char *s = spec->choices;
	int64_t k;

	switch (spec->type) {
	case ATTR_INT:
		return arena_printf(a, "%lld", (long long)v->i);
	case ATTR_BOOL:
		return v->i ? "true" : "false";
	case ATTR_REAL:
		return real_text(a, v->r);
	case ATTR_SIDES:
		if (v->v[0] == v->v[1] && v->v[2] == v->v[3])
			return v->v[0] == v->v[2] ? tuple_text(a, 1, v->v, true) :
			    tuple_text(a, 2, (int64_t[]){ v->v[0], v->v[2] }, true);
		return tuple_text(a, 4, v->v, true);
	case ATTR_REALS:
		return reals_text(a, v->n, v->real);
	case ATTR_ENUM:
		k = v->i;
		break;
	case ATTR_INIT:
		return v->init.kind == INIT_ZEROS ? "zeros" : v->init.value == 1 ? "ones" :
		    arena_join(a, "constant(", real_text(a, v->init.value), ")");
	case ATTR_FRAME:
		if (v->n > 0)
			return tuple_text(a, v->n, v->v, true);
		k = v->i - 1;
		break;
	default:
		return tuple_text(a, v->n, v->v, true);
	}
	for (; k > 0; k--)
		s = strchr(s, ' ') + 1;
	return arena_strndup(a, s, strcspn(s, " "));
}

static const struct hole *
hole_at(const struct body *b, int step, int attr)
{
	int i;

	if (b->numbers != NUMBERS_OF_KIND)
		return NULL;
	for (i = 0; i < b->kind->holes.n; i++)
		if (b->kind->holes.v[i].step == step && b->kind->holes.v[i].attr == attr)
			return &b->kind->holes.v[i];
	return NULL;
}

static void
arguments(struct body *b, const struct step *s, struct text *t, const char *before)
{
	struct arena *a = b->w->im->arena;
	bool by_name = *before != '\0', any = *before != '\0';
	int i, here = s->number - b->s->first;

	text_puts(t, before);
	for (i = 0; i < op_nattrs(s->op); i++) {
		const struct attr_spec *spec = &s->op->attrs[i];
		const struct hole *hole = hole_at(b, here, i);

		if (!s->attr[i].given && !hole) {
			by_name = true;
			/* a number by default is one that another segment may have otherwise */
			if (b->numbers == NUMBERS_LEFT_OUT && spec->preset && spec->type != ATTR_BOOL)
				text_printf(t, "%s%s=?", any ? ", " : "", spec->name);
			continue;
		}
		text_puts(t, any ? ", " : "");
		any = true;
		if (by_name || !spec->required || b->numbers == NUMBERS_LEFT_OUT) {
			text_printf(t, "%s=", spec->name);
			by_name = true;
		}
		text_puts(t, hole ? hole->text : b->numbers == NUMBERS_LEFT_OUT && spec->type != ATTR_BOOL ? "?" :
		    attr_as_text(a, spec, &s->attr[i]));
	}
	if (s->tie)
		text_printf(t, "%sweight=%s", any ? ", " : "", s->tie->label);
}

static bool
has_arguments(const struct body *b, const struct step *s)
{
	int i;

	for (i = 0; i < op_nattrs(s->op); i++)
		if (s->attr[i].given || hole_at(b, s->number - b->s->first, i))
			return true;
	return s->tie != NULL;
}

static const char *
step_call(struct body *b, const struct step *s, const char *more)
{
	struct text t;

	if (s->again)
		return s->again->label;
	text_init(&t, b->w->im->arena);
	text_puts(&t, s->op->name);
	if (has_arguments(b, s) || *more || b->numbers == NUMBERS_LEFT_OUT) {
		text_puts(&t, "(");
		arguments(b, s, &t, "");
		text_printf(&t, "%s)", more);
	}
	return t.s;
}

const char *
step_text(struct body *b, const struct step *s)
{
	return step_call(b, s, "");
}

static bool
is_in(const struct segment *s, const struct step *x)
{
	return x && x->number >= s->first && x->number < s->first + s->n;
}

/* Of all that is read in the segment, who reads it alone? */
static struct step *
only_reader(const struct body *b, const struct val *v)
{
	int i, k;

	if (v->uses != 1)
		return NULL;
	for (i = b->s->first; i < b->s->first + b->s->n; i++)
		for (k = 0; k < b->w->im->steps.v[i]->nin; k++)
			if (b->w->im->steps.v[i]->in[k] == v)
				return b->w->im->steps.v[i];
	return NULL;
}

static bool
goes_on(const struct body *b, const struct step *s)
{
	const struct step *reader = s->out == b->s->out ? NULL : only_reader(b, s->out);

	return reader && !reader->part && (reader->nin == 1 || s->nin == 0);
}

static void expression(struct body *, struct text *, const struct val *, bool alone);

static void
of_two(struct body *b, struct text *t, const struct step *s, bool alone)
{
	if (!alone)
		text_puts(t, "(");
	expression(b, t, s->in[0], false);
	text_printf(t, " %c ", infix(s));
	expression(b, t, s->in[1], false);
	if (!alone)
		text_puts(t, ")");
}

/* What stands in a block's parentheses are its parameters, and so are the states that it begins
 * with. */
static void
of_block(struct body *b, struct text *t, const struct step *s, bool alone)
{
	int k, first = s->op->min_operands;
	struct text given;

	text_init(&given, b->w->im->arena);
	text_printf(t, "%s%s", alone ? "" : "(", first > 1 ? "(" : "");
	for (k = 0; k < first; k++) {
		text_puts(t, k ? ", " : "");
		expression(b, t, s->in[k], true);
	}
	for (; k < s->nin; k++) {
		text_printf(&given, ", %s=", op_operand(b->w->im->arena, s->op, k));
		expression(b, &given, s->in[k], true);
	}
	text_printf(t, "%s -> %s%s", first > 1 ? ")" : "", step_call(b, s, given.s ? given.s : ""), alone ? "" : ")");
}

static void
of_many(struct body *b, struct text *t, const struct step *s)
{
	struct text in;
	int k;

	text_init(&in, b->w->im->arena);
	for (k = 0; k < s->nin; k++) {
		text_puts(&in, k ? ", " : "");
		if (k >= s->nin - s->nstand)
			text_printf(&in, "%s=", s->stands[k - s->nin + s->nstand]);
		expression(b, &in, s->in[k], true);
	}
	text_printf(t, "%s(", s->op->name);
	arguments(b, s, t, in.s ? in.s : "");
	text_puts(t, ")");
}

static void
expression(struct body *b, struct text *t, const struct val *v, bool alone)
{
	struct step *s = v->def;

	if (v->word || !is_in(b->s, s)) {
		text_puts(t, v->word ? v->word : "?");
		return;
	}
	if (s->part) {
		expression(b, t, s->in[0], true);
		text_printf(t, ".%s", s->part);
	} else if (infix(s)) {
		of_two(b, t, s, alone);
	} else if (s->nin == 1) {
		const char *label = s->label ? s->label : b->label ? b->label[s->number - b->s->first] : NULL;

		text_puts(t, alone ? "" : "(");
		expression(b, t, s->in[0], true);
		label = s->again ? NULL : label;
		text_printf(t, " -> %s%s%s", label ? label : "", label ? ": " : "", step_text(b, s));
		text_puts(t, alone ? "" : ")");
	} else if (std_file(s->op))
		of_block(b, t, s, alone);
	else
		of_many(b, t, s);
	vec_push(b->w->im->arena, &b->order, s);
}

/* What a name says of what has it. */
static const char *
name_for(struct body *b, const struct step *s)
{
	const struct step *reader = only_reader(b, s->out);
	int chain = 0;

	while (s->nin == 1 && !s->in[0]->word && is_in(b->s, s->in[0]->def)) {
		s = s->in[0]->def;
		chain++;
	}
	if (reader && strcmp(reader->op->name, "add") == 0)
		return chain > 0 ? "main" : "skip";
	return reader && strcmp(reader->op->name, "mul") == 0 ? "factors" : "part";
}

void
body_write(struct body *b, struct text *to, const char *out)
{
	struct arena *a = b->w->im->arena;
	int i;

	for (i = b->s->first; i < b->s->first + b->s->n; i++) {
		struct step *s = b->w->im->steps.v[i];
		const char *word;

		if (goes_on(b, s) || (s->part && s->out != b->s->out && !s->out->wanted))	/* which needs no other name */
			continue;
		word = s->out == b->s->out ? out : s->out->wanted ? s->out->wanted : word_fresh(a, b->words, name_for(b, s));
		text_printf(to, "%s%s = ", b->indent, word);
		expression(b, to, s->out, true);
		text_puts(to, "\n");
		s->out->word = word;
		vec_push(a, &b->named, s->out);
	}
}
