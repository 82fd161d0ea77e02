/*
 * What the program's --predict NAME=FILE can write: values that the network defines, by the names
 * that the spec reads them by, the definitions of its blocks included:
 *
 *     predict features, encoder.deep
 *
 * Passes know them as results of the validation graph, so no fusion does away with them; training
 * has none of them.
 */
#include "lang/expander.h"

#include <string.h>

static void
unknown(struct expander *ex, const struct expr *e, const char *word)
{
	struct names names = { NULL, 0, 0 };
	struct diag *g;
	int i;

	if (ex->incomplete)	/* it may be what could not be made */
		return;
	g = ex_error(ex, "name", e->loc, "the network defines no '%s'", word);
	for (i = 0; i < ex->body->names.n; i++) {
		const struct binding *b = ex->body->names.entry[i].value;

		if (b->kind == BIND_DEF)
			names_add(ex->a, &names, ex->body->names.entry[i].key);
	}
	names_suggest(ex, g, word, &names);
}

/* Can it be written, a row for each sample? */
static bool
is_computed(struct expander *ex, const struct expr *e, const struct value *v)
{
	const struct tensor *t = v->kind == V_TENSOR ? v->tensor : NULL;
	struct diag *g;

	if (v->kind == V_POISON || (t && t->kind == T_POISON))
		return false;
	if (t && t->def && t->batched)
		return true;
	g = ex_error(ex, "settings", e->loc, "predict writes what the network computes for each sample, and '%s' is %s",
	    e->name, !t ? value_text(ex->a, v) : !t->def ? "given to it" : "the same for all samples");
	if (v->kind == V_TUPLE)
		diag_help(ex->d, g, "name one of its parts: %s.0", e->name);
	return false;
}

static void
read_one(struct expander *ex, const struct expr *e)
{
	struct graph *f = ex->m->forward;
	const char *word = e->kind == E_PATH || e->kind == E_NAME ? arena_strndup(ex->a, e->name, strcspn(e->name, ".")) : "";
	struct diag *g;
	struct value v;
	int i;

	if (e->kind == E_BAD)
		return;
	if (!*word) {
		g = ex_error(ex, "settings", e->loc, "predict names what the network defines");
		diag_help(ex->d, g, "define it there: probabilities = logits -> softmax; then: predict probabilities");
		return;
	}
	if (!map_get(&ex->body->names, word)) {
		unknown(ex, e, word);
		return;
	}
	v = eval(ex, ex->body, NULL, (struct expr *)e);	/* which is a name, so nothing is made */
	if (!is_computed(ex, e, &v))
		return;
	for (i = 0; i < f->results.n; i++)
		if (f->results.v[i].predicted && strcmp(f->results.v[i].name, e->name) == 0) {
			ex_error(ex, "settings", e->loc, "'%s' is named twice", e->name);
			return;
		}
	vec_push(ex->a, &f->results, ((struct result){ .name = e->name, .tensor = v.tensor, .loc = e->loc,
	    .predicted = true }));
}

void
predict_read(struct expander *ex, const struct setting *st)
{
	int i;

	for (i = 0; i < st->nvalues; i++)
		read_one(ex, st->value[i]);
}
