/* Optimizers that are formulas; see update_formula.h. */
#include "ops/update_formula.h"

#include <ctype.h>
#include <string.h>

#include "calls/update_kernel.h"

#define MOST_STATES	3	/* of kernels/update/updates.cu */
#define MOST_NAMES	32
#define STATE	"state "

struct reading {
	struct arena *arena;
	struct formula *f;
	struct formula_name names[MOST_NAMES];
	int count;
	const char *state[MOST_STATES];
	int value[MOST_STATES];	/* the term of its new value */
	int states;
};

static void
define_name(struct reading *r, const char *name, int term)
{
	int i;

	for (i = 0; i < r->count && strcmp(r->names[i].name, name) != 0; i++)
		;
	r->names[i] = (struct formula_name){ name, term };
	r->count += i == r->count;
	r->names[r->count].name = NULL;
}

/* The states, by the parts that define them, which others before may read. */
static void
find_states(struct reading *r, const char *s)
{
	while ((s = strstr(s, STATE)) && r->states < MOST_STATES) {
		size_t n;

		s += strlen(STATE);
		n = strcspn(s, " =");
		r->state[r->states] = arena_strndup(r->arena, s, n);
		define_name(r, r->state[r->states], formula_operand(r->f, UPDATE_STATE + r->states));
		r->states++;
	}
}

/* "v = x + 1": the name, without what stands before it; the text is after the sign. NULL: "x == 1"
 * or "x + 1". */
static const char *
take_name(struct reading *r, const char **text)
{
	const char *s = *text;
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	if (n == 0 || strncmp(s + n, " = ", 3) != 0)
		return NULL;
	*text = s + n + 3;
	return arena_strndup(r->arena, s, n);
}

static bool
read_part(struct reading *r, const char *text)
{
	bool state = strncmp(text, STATE, strlen(STATE)) == 0;
	const char *name, *where;
	int term, i;

	text += state ? strlen(STATE) : 0;
	name = take_name(r, &text);
	if ((term = formula_read(r->f, text, r->names, &where)) < 0)
		return false;
	if (!name) {
		r->f->result[r->f->results++] = term;
		return true;
	}
	define_name(r, name, term);
	for (i = 0; state && i < r->states; i++)
		if (strcmp(r->state[i], name) == 0)
			r->value[i] = term;
	return true;
}

static void
name_operands(struct reading *r, const struct op *op, const struct attr *attr)
{
	static const char *const names[UPDATE_STATE] = { "p", "gradient", "lr", "weight_decay", "t", "fix1", "fix2" };
	int i;

	for (i = 0; i < op_nattrs(op); i++)
		define_name(r, op->attrs[i].name, formula_number(r->f, op->attrs[i].type == ATTR_REAL ? attr[i].r :
		    (double)attr[i].i));
	for (i = 0; i < UPDATE_STATE; i++)	/* those that change come in place of attributes */
		define_name(r, names[i], formula_operand(r->f, i));
}

/* Of the states, those that the results need; what they become are results before the weight. */
static struct formula *
with_states(struct reading *r)
{
	struct formula *f = formula_new(r->arena, UPDATE_STATE);
	int as[FORMULA_OPERANDS], of[FORMULA_RESULTS], i, kept = 0, before = -1;
	int weight = r->f->result[0];

	r->f->results = 1;
	while (before != kept) {	/* a state may be needed for another alone */
		before = kept;
		kept = 0;
		for (i = 0; i < r->states; i++)
			if (formula_reads(r->f, UPDATE_STATE + i))
				of[kept++] = i;
		r->f->result[0] = weight;
		for (i = 0; i < kept; i++)
			r->f->result[1 + i] = r->value[of[i]];
		r->f->results = 1 + kept;
	}
	for (i = 0; i < UPDATE_STATE + r->states; i++)
		as[i] = i < UPDATE_STATE ? formula_operand(f, i) : 0;
	for (i = 0; i < kept; i++) {
		as[UPDATE_STATE + of[i]] = formula_operand(f, UPDATE_STATE + i);
		r->state[i] = r->state[of[i]];
	}
	r->states = kept;
	f->operands = UPDATE_STATE + kept;
	for (i = 0; i < kept; i++)
		f->result[f->results++] = formula_insert(f, r->f, 1 + i, as);
	f->result[f->results++] = formula_insert(f, r->f, 0, as);
	return f;
}

/* Reads the formula of the node's operator with its attributes; NULL: it cannot be read. */
static struct formula *
read_formula(struct arena *a, const struct node *n, struct reading *r)
{
	const char *s = n->op->formula;
	struct formula *f;

	*r = (struct reading){ .arena = a, .f = formula_new(a, UPDATE_STATE + MOST_STATES) };
	name_operands(r, n->op, n->attr);
	find_states(r, s);
	for (;;) {
		size_t part = strcspn(s, ";");

		if (!read_part(r, arena_strndup(a, s, part)))
			return NULL;
		if (!s[part])
			break;
		s += part + 1;
		s += strspn(s, " ");
	}
	f = with_states(r);
	f->name = n->op->name;
	return f;
}

bool
update_formula_shape(struct build *b, struct node *n)
{
	struct reading r;

	if (!read_formula(b->module->arena, n, &r))
		return op_error(b, n, "%s: its formula cannot be read", n->op->name);
	return optimizer_shape(b, n, r.states, r.state);
}

static struct update_kernel
kernel_of(struct emitter *e, const struct node *n)
{
	struct update_kernel u = { .every = optimizer_every(e->module, n) };
	struct reading r;
	int i;

	u.f = read_formula(e->module->arena, n, &r);
	for (i = 0; i < op_nattrs(n->op); i++)
		if (strncmp(n->op->attrs[i].name, "beta", 4) == 0)
			u.beta[n->op->attrs[i].name[4] == '2'] = n->attr[i].r;
	return u;
}

void
update_formula_define(struct emitter *e, const struct node *n)
{
	struct update_kernel u = kernel_of(e, n);

	update_kernel_define(e, &u);
}

void
update_formula_emit(struct emitter *e, const struct node *n)
{
	struct update_kernel u = kernel_of(e, n);

	update_kernel_call(e, &u, n->in[2]);
}
