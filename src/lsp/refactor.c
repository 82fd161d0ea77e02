/* What extracting and inlining share. */
#include "lsp/refactor.h"

#include <string.h>

#include "fmt/format.h"
#include "ir/op.h"
#include "lsp/references.h"

bool
refactor_begin(struct refactoring *x, struct server *s, struct document *d, struct arena *a, struct loc within,
    bool shared)
{
	*x = (struct refactoring){ .server = s, .document = d, .arena = a, .tree = document_tree(s, d) };
	if (!x->tree)
		return false;
	x->src = x->tree->file->src;
	related_find(s, a, d, real_path(a, d->path), shared, &x->specs);
	if (!x->specs.all.n || x->specs.all.v[0].diags.errors || !related_covers(a, &x->specs, within))
		return false;
	related_forms(a, &x->specs);
	return true;
}

void
refactor_end(struct refactoring *x)
{
	related_free(&x->specs);
}

/* The comment that begins at or behind S, whose strings end on their lines; NULL: there is none. */
static const char *
next_comment(const char *s, size_t *n)
{
	while (*s && *s != '#')
		if (*s++ == '"') {
			s += strcspn(s, "\"\n");
			s += *s == '"';
		}
	*n = strcspn(s, "\n");
	return *s ? s : NULL;
}

static bool
keeps_comments(struct arena *a, const char *old, const char *new)
{
	size_t n;

	while ((old = next_comment(old, &n))) {
		if (!strstr(new, arena_strndup(a, old, n)))
			return false;
		old += n;
	}
	return true;
}

void
refactor_try(struct refactoring *x, struct edits *e)
{
	struct changes c = { .all = { NULL, 0, 0 } };
	enum sameness same;

	if (!e->all.n || (x->best && x->same == SAME_ALL) ||
	    (!x->drops && !keeps_comments(x->arena, x->src->text, edits_apply(e)->text)))
		return;
	vec_push(x->arena, &c.all, ((struct change){ real_path(x->arena, x->document->path), e }));
	same = related_compare(changed_server(x->server, x->arena, &c), x->arena, &x->specs);
	if (same > (x->best ? x->same : SAME_NOT)) {
		x->best = e;
		x->same = same;
	}
}

/* ---- the action ---- */

static struct source *
laid_out(struct arena *a, const struct source *src)
{
	struct diags quiet;

	diags_init(&quiet, a);
	return fmt_source(a, &quiet, src);
}

/* What was laid out stays so. */
static const struct source *
result_of(struct refactoring *x)
{
	struct source *new = edits_apply(x->best), *old = laid_out(x->arena, x->src), *good;

	if (old && strcmp(old->text, x->src->text) == 0 && (good = laid_out(x->arena, new)))
		return good;
	return new;
}

static json_t *
edit_json(const struct refactoring *x, const struct source *new)
{
	const char *from = x->src->text, *to = new->text;
	int beg = 0, end = x->src->size, last = new->size;
	json_t *changes = json_object(), *uri = source_uri(x->server, x->src);
	int i;

	for (i = 0; i < end && i < last && from[i] == to[i]; i++)
		if (from[i] == '\n')
			beg = i + 1;
	while (end > beg && last > beg && from[end - 1] == to[last - 1])
		end--, last--;
	while (end < x->src->size && end > 0 && from[end - 1] != '\n')	/* whole lines */
		end++, last++;
	json_object_set_new(changes, json_string_value(uri), json_pack("[o]", text_edit(x->server, x->src, beg,
	    end, arena_strndup(x->arena, to + beg, (size_t)(last - beg)))));
	json_decref(uri);
	return workspace_edit(x->server, changes);
}

json_t *
refactor_action(struct refactoring *x, const char *title, const char *kind)
{
	static const char *const what[] = {
		[SAME_NOT] = "", [SAME_BUT_WEIGHTS] = " (weights get other names)",
		[SAME_BUT_PATHS] = " (layers get other paths)", [SAME_ALL] = "",
	};

	if (!x->best)
		return NULL;
	return json_pack("{s:o, s:s, s:o}", "title", json_sprintf("%s%s", title, what[x->same]), "kind", kind,
	    "edit", edit_json(x, result_of(x)));
}

/* ---- texts ---- */

const char *
loc_text(struct arena *a, struct loc l)
{
	return arena_strndup(a, l.src->text + l.beg, (size_t)(l.end - l.beg));
}

const char *
loc_edited(struct arena *a, struct loc l, const struct edits *e)
{
	struct text t;
	int at = l.beg, i;

	text_init(&t, a);
	for (i = 0; i < e->all.n; i++) {
		const struct edit *one = &e->all.v[i];

		if (one->beg < at || one->end > l.end)
			continue;
		text_add(&t, l.src->text + at, (size_t)(one->beg - at));
		text_puts(&t, one->text);
		at = one->end;
	}
	text_add(&t, l.src->text + at, (size_t)(l.end - at));
	return t.s;
}

static bool
is_taken(const struct tree *t, const char *name)
{
	int i;

	for (i = 0; i < t->symbols.n; i++)
		if (t->symbols.v[i]->name && strcmp(t->symbols.v[i]->name, name) == 0)
			return true;
	return op_find(name) || is_function(name);
}

const char *
fresh_name(struct arena *a, const struct tree *t, const char *like)
{
	const char *name = like;
	int k;

	for (k = 2; is_taken(t, name); k++)
		name = arena_printf(a, "%s%d", like, k);
	return name;
}

const struct expr **
written_arms(struct arena *a, const struct expr *e, int *n)
{
	const struct expr **arm, *p;
	int i;

	for (*n = 1, p = e; p->kind == E_PIPE && (p == e || p->loc.beg == p->a->loc.beg); p = p->a)
		++*n;
	arm = arena_array(a, (size_t)*n, sizeof(struct expr *));
	for (i = *n - 1, p = e; i > 0; i--, p = p->a)
		arm[i] = p->b;
	arm[0] = p;
	return arm;
}

static int
line_start(const struct source *src, int at)
{
	while (at > 0 && src->text[at - 1] != '\n')
		at--;
	return at;
}

int
item_start(const struct source *src, int at)
{
	int beg = line_start(src, at), above;

	while (beg > 0) {
		above = line_start(src, beg - 1);
		if (src->text[above] != '#')
			break;
		beg = above;
	}
	return beg;
}
