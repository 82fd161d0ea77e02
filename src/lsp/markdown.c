/* Words of the language server. */
#include "lsp/markdown.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lang/expand.h"
#include "lang/library.h"
#include "lsp/refactor.h"
#include "ops/usage.h"

const struct op *
words_op(const char *name)
{
	const struct op *op = name ? op_find(name) : NULL;

	return op && op->kind != OP_INTERNAL ? op : NULL;
}

json_t *
markdown(const struct text *t)
{
	return json_pack("{s:s, s:s}", "kind", "markdown", "value", t->s ? t->s : "");
}

/* ---- operators and settings ---- */

/* Text of manuals, in which * and _ have no meaning of their own. */
static void
put_plain(struct text *t, const char *s)
{
	for (; s && *s; s++) {
		if (strchr("*_<>`[]\\#|", *s))
			text_puts(t, "\\");
		text_add(t, s, 1);
	}
}

void
words_attr(struct text *t, const struct attr_spec *a)
{
	struct text u;

	text_init(&u, t->arena);
	op_attr_usage(&u, a);
	put_plain(t, u.s);
}

void
words_operator(struct text *t, const struct op *op)
{
	const struct attr_spec *a;

	text_puts(t, "```stowage\n");
	op_usage(t, op);
	text_puts(t, "\n```\n");
	put_plain(t, op->brief);
	if (op->doc) {
		text_puts(t, "\n\n");
		put_plain(t, op->doc);
	}
	text_puts(t, "\n\n");
	for (a = op->attrs; a && a->name; a++) {
		text_printf(t, "- `%s`: ", a->name);
		words_attr(t, a);
		text_puts(t, "\n");
	}
}

void
words_setting(struct text *t, const struct setting_kind *k)
{
	static const char *const section[] = { [SEC_TRAIN] = "train", [SEC_VALIDATE] = "validate",
		[SEC_DEVICE] = "device", [SEC_LINT] = "lint" };
	const char *s;

	text_printf(t, "**%s** of a `%s` section: ", k->key, section[k->section]);
	put_plain(t, k->doc);
	if (!k->values)
		return;
	text_puts(t, "\n\nFor instance `");
	for (s = k->values; *s; s++)
		text_add(t, *s == '|' ? "`, `" : s, *s == '|' ? 4 : 1);
	text_puts(t, "`");
}

/* ---- symbols ---- */

static void
put_source(struct text *t, struct loc l)
{
	if (l.src)
		text_add(t, l.src->text + l.beg, (size_t)(l.end - l.beg));
}

static void
put_formals(struct text *t, const struct block *b)
{
	int i;

	for (i = 0; i < b->nformals; i++) {
		text_printf(t, "%s%s", i ? ", " : b->nformals ? "(" : "", b->formal[i].name.text);
		if (b->formal[i].value) {
			text_puts(t, "=");
			put_source(t, b->formal[i].value->loc);
		}
	}
	if (b->nformals)
		text_puts(t, ")");
}

/* Up to the first line's end. */
static void
put_line(struct text *t, struct loc l)
{
	const char *s = l.src->text + l.beg;
	size_t n = strcspn(s, "\r\n");

	text_add(t, s, n < (size_t)(l.end - l.beg) ? n : (size_t)(l.end - l.beg));
}

void
words_symbol(struct text *t, const struct symbol *s)
{
	switch (s->kind) {
	case SYMBOL_PARAM:
		text_printf(t, "param %s = ", s->name);
		if (s->expr)
			put_source(t, s->expr->loc);
		break;
	case SYMBOL_BLOCK:
		text_printf(t, "block %s", s->name);
		put_formals(t, s->block);
		break;
	case SYMBOL_NETWORK:
		text_printf(t, "network %s", s->name);
		break;
	case SYMBOL_FORMAL:
		text_printf(t, "parameter %s of block %s", s->name, s->block->name.text);
		if (s->expr) {
			text_puts(t, ", by default ");
			put_source(t, s->expr->loc);
		}
		break;
	case SYMBOL_DEVICE:
		text_printf(t, "device %s", s->name);
		break;
	default:
		put_line(t, s->whole);
	}
}

static size_t
line_length(const char *s, int n)
{
	int i;

	for (i = 0; i < n && s[i] != '\n' && s[i] != '\r'; i++)
		;
	return (size_t)i;
}

void
words_comment(struct text *t, struct loc definition)
{
	int at = item_start(definition.src, definition.beg), end = definition.beg;
	const char *s = definition.src->text;
	bool any = false;

	while (at < end) {
		int n = (int)line_length(s + at, end - at), beg = at;

		at += n + 1;
		while (n > 0 && (s[beg] == '#' || s[beg] == ' ' || s[beg] == '\t'))
			beg++, n--;
		if (beg == definition.beg || strncmp(s + beg, "stowage:", 8) == 0)
			continue;	/* no words, but for the linter */
		put_plain(t, arena_strndup(t->arena, s + beg, (size_t)n));
		text_puts(t, "\n");
		any = true;
	}
	if (any)
		text_puts(t, "\n");
}

/* ---- what comes with Stowage ---- */

void
words_shipped(struct text *t, const char *path)
{
	char file[PATH_MAX];

	text_printf(t, "\nOf `%s`, which comes with Stowage", path);
	if (!library_installed(path, file, sizeof(file)))
		text_printf(t, "; `stowage explain %s` prints it", path);
	text_puts(t, ".\n");
}

void
words_library(struct text *t, const struct file *file)
{
	int i;

	put_plain(t, library_about(t->arena, file->src->path));
	text_puts(t, "\n```stowage\n");
	for (i = 0; i < file->blocks.n; i++) {
		library_usage(t, file->blocks.v[i]);
		text_puts(t, "\n");
	}
	text_puts(t, "```\n");
	words_shipped(t, file->src->path);
}

/* ---- figures ---- */

static int64_t
figure(const json_t *j, const char *key)
{
	return (int64_t)json_integer_value(json_object_get(j, key));
}

static const json_t *
facts_at(const struct document *d, const char *what, struct loc at)
{
	char key[24];

	snprintf(key, sizeof(key), "%d", at.beg);
	return json_object_get(json_object_get(d->facts, what), key);
}

const json_t *
facts_layer(const struct document *d, struct loc head)
{
	return facts_at(d, "layers", head);
}

const json_t *
facts_use(const struct document *d, struct loc name)
{
	return facts_at(d, "uses", name);
}

const json_t *
facts_network(const struct document *d, const char *name)
{
	json_t *all = json_object_get(d->facts, "networks");

	if (name)
		return json_object_get(all, name);
	return json_object_size(all) == 1 ? json_object_iter_value(json_object_iter(all)) : NULL;
}

int64_t
facts_batch(const struct document *d)
{
	const json_t *n = facts_network(d, NULL);

	return n ? figure(n, "batch") : 0;
}

static void
put_count(struct text *t, const char *what, int64_t n)
{
	char buf[SIZE_TEXT];

	text_printf(t, "- %s: %s\n", what, size_commas(buf, n));
}

static void
put_bytes(struct text *t, const char *what, int64_t n)
{
	char buf[SIZE_TEXT], exact[SIZE_TEXT];

	text_printf(t, "- %s: %s", what, size_human(buf, n));
	if (n >= 1024)
		text_printf(t, " (%s B)", size_commas(exact, n));
	text_puts(t, "\n");
}

const char *
facts_shape(struct arena *a, const json_t *layer)
{
	const json_t *shape = json_object_get(layer, "shape");
	const char *text = json_string_value(json_object_get(shape, "text"));

	if (!text || text[1] == ']')	/* a scalar's tells nothing */
		return NULL;
	return json_is_true(json_object_get(shape, "varies")) ? arena_join(a, text, ", ...", "") : text;
}

/* Of several layers, the first one's, where others have others. */
static void
put_shape(struct text *t, const json_t *layer, int64_t batch)
{
	const json_t *shape = json_object_get(layer, "shape");
	const char *text = json_string_value(json_object_get(shape, "text"));
	const char *type = json_string_value(json_object_get(shape, "dtype"));

	if (!text || !type)
		return;
	if (!json_is_true(json_object_get(shape, "batched")))
		text_printf(t, "`%s%s` for all samples together", type, text);
	else
		text_printf(t, "`%s%s` per sample", type, text);
	if (batch && json_is_true(json_object_get(shape, "batched")) && text[0] == '[')
		text_printf(t, ", `%s[%lld%s%s` at the batch", type, (long long)batch, text[1] == ']' ? "" : ", ", text + 1);
	text_puts(t, json_is_true(json_object_get(shape, "varies")) ? ": the first; not all are alike\n\n" : "\n\n");
}

/* What it costs. */
static void
put_figures(struct text *t, const json_t *of)
{
	if (json_object_get(of, "parameters"))
		put_count(t, "parameters", figure(of, "parameters"));
	if (json_object_get(of, "macs"))
		put_count(t, "multiply-adds per sample", figure(of, "macs"));
	if (json_object_get(of, "forward"))
		put_bytes(t, "bytes forward", figure(of, "forward"));
	if (json_object_get(of, "kept"))
		put_bytes(t, "kept for backward", figure(of, "kept"));
	if (json_object_get(of, "peak"))
		put_bytes(t, "at the peak", figure(of, "peak"));
}

void
words_use(struct text *t, const json_t *use, int64_t batch)
{
	int64_t count = figure(use, "count");

	if (!use)
		return;
	put_shape(t, use, batch);
	if (count > 1)
		text_printf(t, "made %lld times%s\n\n", (long long)count, figure(use, "layers") ? "; together:" : "");
	if (figure(use, "layers") == 0)		/* none, or those of steps, which are the scan's */
		return;
	put_count(t, "layers", figure(use, "layers"));
	put_figures(t, use);
	text_puts(t, "\n");
}

/* That it is so, or of how many layers, or parts of layers, it is so. */
static void
put_parts(struct text *t, const json_t *layer, const char *key, const char *is, const char *are)
{
	int64_t n = figure(layer, key), of = figure(layer, "parts"), count = figure(layer, "count");

	if (n == 0)
		return;
	text_puts(t, "- ");
	if (n < of)
		text_printf(t, "%lld of %lld %s ", (long long)n, (long long)of, of == count ? "layers" : "parts");
	else if (of > 1)
		text_puts(t, "all ");
	text_printf(t, "%s\n", n < of ? n == 1 ? is : are : of > 1 ? are : is);
}

void
words_layer(struct text *t, const json_t *layer, int64_t batch)
{
	const char *path = json_string_value(json_object_get(layer, "path"));
	int64_t count = figure(layer, "count");

	if (!layer)
		return;
	put_shape(t, layer, batch);
	if (count > 1)
		text_printf(t, "%lld layers, the first `%s`; together:\n\n", (long long)count, path);
	else if (path)
		text_printf(t, "`%s`\n\n", path);
	put_figures(t, layer);
	put_parts(t, layer, "in_place", "has its output in another tensor's bytes", "have their outputs in others' bytes");
	put_parts(t, layer, "again", "is made again in backward", "are made again in backward");
	put_parts(t, layer, "fused", "is no call of its own in the program: part of a neighbour, or left out",
	    "are no calls of their own in the program: parts of neighbours, or left out");
	text_puts(t, "\n");
}

void
words_lens(struct text *t, const json_t *n)
{
	const char *device = json_string_value(json_object_get(n, "device"));
	const json_t *fits = json_object_get(n, "fits");
	int64_t largest = figure(n, "largest");
	char buf[SIZE_TEXT];

	text_printf(t, "%s at batch %lld", size_human(buf, figure(n, "arena")), (long long)figure(n, "batch"));
	if (json_object_get(n, "stage"))
		text_printf(t, " on rank %lld of %lld", (long long)figure(n, "stage"), (long long)figure(n, "ranks"));
	else if (figure(n, "ranks"))
		text_printf(t, " on each of %lld ranks", (long long)figure(n, "ranks"));
	if (!fits)
		return;
	text_printf(t, " · %s ", json_is_true(fits) ? "fits" : "does not fit");
	if (device)
		text_puts(t, device);
	else
		text_puts(t, size_human(buf, figure(n, "memory")));
	if (!json_object_get(n, "largest"))
		return;
	if (largest)
		text_printf(t, " · largest batch %lld%s", (long long)largest,
		    json_is_true(json_object_get(n, "proved")) ? "" : " found");
	else
		text_puts(t, " · not even one sample does");
}

void
words_network(struct text *t, const json_t *n)
{
	if (!n)
		return;
	words_lens(t, n);
	text_puts(t, "\n\n");
	put_count(t, "parameters", figure(n, "parameters"));
	put_count(t, "multiply-adds per sample, forward", figure(n, "macs"));
	put_bytes(t, arena_printf(t->arena, "arena, target %s", json_string_value(json_object_get(n, "target"))),
	    figure(n, "arena"));
	put_bytes(t, "no plan can take less than", figure(n, "bound"));
}
