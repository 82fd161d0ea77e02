/* What may be written at a place, and the arguments of the call around it. */
#include <dirent.h>
#include <string.h>
#include <strings.h>

#include "base/filename.h"
#include "frameworks/framework.h"
#include "lang/library.h"
#include "lint/catalog.h"
#include "lsp/call_shape.h"
#include "lsp/job.h"
#include "lsp/markdown.h"
#include "lsp/method.h"
#include "lsp/open_brace.h"
#include "lsp/signature.h"
#include "precision/precision.h"
#include "readers/reader.h"
#include "target/gpu.h"

enum item_kind {		/* the protocol's CompletionItemKind */
	ITEM_FUNCTION = 3, ITEM_VARIABLE = 6, ITEM_CLASS = 7, ITEM_MODULE = 9, ITEM_PROPERTY = 10,
	ITEM_VALUE = 12, ITEM_KEYWORD = 14, ITEM_FILE = 17, ITEM_FOLDER = 19, ITEM_CONSTANT = 21
};

#define MOST_FILES	500

struct completion {
	struct server *server;
	struct document *document;
	struct tree *tree;
	struct arena *arena;
	int at;			/* where the pointer is */
	int word;		/* where the word that ends there begins */
	json_t *list;
};

static json_t *
add_item(struct completion *c, const char *label, enum item_kind kind, const char *detail)
{
	json_t *item = json_pack("{s:s, s:i}", "label", label, "kind", kind);

	if (detail)
		json_object_set_new(item, "detail", json_string(detail));
	json_array_append_new(c->list, item);
	return item;
}

/* The text that is put there; $1 and its like mean something if the client can. */
static void
insert(const struct completion *c, json_t *item, const char *snippet, const char *plain)
{
	json_object_set_new(item, "insertText", json_string(c->server->client.snippets ? snippet : plain));
	if (c->server->client.snippets)
		json_object_set_new(item, "insertTextFormat", json_integer(2));
}

/* ---- where it is ---- */

static char
byte_before(const struct completion *c, int at)
{
	const char *s = c->document->text.text;

	while (at > 0 && (s[at - 1] == ' ' || s[at - 1] == '\t'))
		at--;
	return at > 0 ? s[at - 1] : '\n';
}

/* The opening quote of a string on this line in which the pointer is; -1: it is in none. In a
 * comment: -2. */
static int
quote_before(const struct completion *c)
{
	const char *s = c->document->text.text;
	int i = c->at, quote = -1;

	while (i > 0 && s[i - 1] != '\n')
		i--;
	for (; i < c->at; i++)
		if (s[i] == '"')
			quote = quote < 0 ? i : -1;
		else if (s[i] == '#' && quote < 0)
			return -2;
	return quote;
}

/* ---- items ---- */

static void
add_operator(struct completion *c, const struct op *op)
{
	struct text doc;
	json_t *item = add_item(c, op->name, ITEM_FUNCTION, op->brief);
	bool wants = op->attrs && op->attrs->name && op->attrs->required;

	text_init(&doc, c->arena);
	words_operator(&doc, op);
	json_object_set_new(item, "documentation", markdown(&doc));
	if (wants || op->max_operands != 1)
		insert(c, item, arena_printf(c->arena, "%s($1)", op->name), op->name);
}

static void
add_operators(struct completion *c, enum op_kind first, enum op_kind last)
{
	int i;

	for (i = 0; i < op_count; i++)
		if (op_table[i]->kind >= first && op_table[i]->kind <= last)
			add_operator(c, op_table[i]);
}

static void
add_symbol(struct completion *c, const struct symbol *s)
{
	static const enum item_kind kind[] = {
		[SYMBOL_PARAM] = ITEM_CONSTANT, [SYMBOL_BLOCK] = ITEM_CLASS, [SYMBOL_NETWORK] = ITEM_MODULE,
		[SYMBOL_FORMAL] = ITEM_VARIABLE, [SYMBOL_INPUT] = ITEM_VARIABLE,
		[SYMBOL_TARGET] = ITEM_VARIABLE, [SYMBOL_DEF] = ITEM_VARIABLE, [SYMBOL_LABEL] = ITEM_PROPERTY,
		[SYMBOL_RESULT] = ITEM_VARIABLE, [SYMBOL_DEVICE] = ITEM_MODULE,
	};
	struct text detail;
	json_t *item;

	text_init(&detail, c->arena);
	words_symbol(&detail, s);
	item = add_item(c, s->name, kind[s->kind], detail.s);
	if (s->kind == SYMBOL_BLOCK && s->block->nformals)
		insert(c, item, arena_printf(c->arena, "%s($1)", s->name), s->name);
}

/* Names that can be seen: those of the body, if they are defined by then, and of the files. */
static void
add_names(struct completion *c, bool body)
{
	const struct body *b = body ? tree_body_at(c->tree, c->at) : NULL;
	const struct map *global = c->tree->files.v[0].names;
	int i;

	for (i = 0; b && i < b->names->n; i++) {
		const struct symbol *s = b->names->entry[i].value;

		if (s->whole.end < c->word && s->kind != SYMBOL_RESULT &&
		    !(byte_before(c, c->word) == '>' && is_tensor_symbol(c->tree, s)))
			add_symbol(c, s);
	}
	for (i = 0; i < global->n; i++)
		if (body || ((const struct symbol *)global->entry[i].value)->kind == SYMBOL_PARAM)
			add_symbol(c, global->entry[i].value);
}

static bool
is_given(const struct call_site *call, const char *name)
{
	int i;

	for (i = 0; i < call->given.n; i++)
		if (strcmp(call->given.v[i], name) == 0)
			return true;
	return false;
}

/* How many parameters have an argument by its place, which is before this one. */
static int
placed_before(struct completion *c, const struct call_site *call, const struct block *b)
{
	struct call_shape shape = call_shape_at(c->tree, call->head, words_op(call->name), b);
	int n = 0;

	while (shape.call && n < call->index && n < shape.call->nargs && !shape.call->arg[n].name)
		n++;
	return n > shape.tensors ? n - shape.tensors : 0;
}

static void
add_attrs(struct completion *c, const struct attr_spec *a, const struct call_site *call)
{
	int placed = words_op(call->name) ? placed_before(c, call, NULL) : 0;
	struct text doc;

	for (; a && a->name; a++) {
		json_t *item;

		if (placed-- > 0 || is_given(call, a->name))
			continue;
		item = add_item(c, arena_printf(c->arena, "%s=", a->name), ITEM_PROPERTY,
		    a->preset ? arena_printf(c->arena, "default %s", a->preset) : NULL);
		text_init(&doc, c->arena);
		words_attr(&doc, a);
		json_object_set_new(item, "documentation", markdown(&doc));
		json_object_set_new(item, "sortText", json_sprintf("0%s", a->name));
	}
}

static void
add_formals(struct completion *c, const struct block *b, const struct call_site *call)
{
	int i;

	for (i = placed_before(c, call, b); i < b->nformals; i++) {
		const struct formal *f = &b->formal[i];
		json_t *item;

		if (is_given(call, f->name.text))
			continue;
		item = add_item(c, arena_printf(c->arena, "%s=", f->name.text), ITEM_PROPERTY,
		    f->value ? arena_printf(c->arena, "default %.*s", f->value->loc.end - f->value->loc.beg,
		    f->value->loc.src->text + f->value->loc.beg) : NULL);
		json_object_set_new(item, "sortText", json_sprintf("0%s", f->name.text));
	}
}

/* The words that the argument may be, and names. */
static void
add_choices(struct completion *c, const struct attr_spec *a)
{
	static const char *const init[] = { "zeros", "ones", "constant", "uniform", "normal" };
	const char *s = a->choices;
	size_t i;

	for (; s && *s; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");

		add_item(c, arena_strndup(c->arena, s, n), ITEM_VALUE, NULL);
		s += n;
	}
	for (i = 0; a->type == ATTR_INIT && i < sizeof(init) / sizeof(*init); i++)
		add_item(c, init[i], ITEM_VALUE, NULL);
	if (a->type == ATTR_BOOL) {
		add_item(c, "true", ITEM_VALUE, NULL);
		add_item(c, "false", ITEM_VALUE, NULL);
	}
}

/* Within the brackets of a call. */
static void
complete_argument(struct completion *c, const struct call_site *call)
{
	const struct block *b = call_block(c->tree, call);
	const struct attr_spec *a;

	if (call->argument)
		for (a = b ? NULL : call_attrs(call); a && a->name; a++)
			if (strcmp(a->name, call->argument) == 0)
				add_choices(c, a);
	if (!call->argument && b)
		add_formals(c, b, call);
	else if (!call->argument)
		add_attrs(c, call_attrs(call), call);
	add_names(c, tree_body_at(c->tree, c->at) != NULL);
}

/* ---- sections ---- */

static void
add_settings(struct completion *c, const struct section *sec)
{
	const struct setting_kind *k;
	struct text doc;
	int i;

	for (k = setting_kinds; k->key; k++) {
		json_t *item;

		for (i = 0; i < sec->nsettings; i++)
			if (strcmp(sec->setting[i].key.text, k->key) == 0 &&
			    !loc_holds(sec->setting[i].key.loc, c->at))
				break;
		if (k->section != sec->kind || i < sec->nsettings)
			continue;
		item = add_item(c, k->key, ITEM_PROPERTY, k->doc);
		text_init(&doc, c->arena);
		words_setting(&doc, k);
		json_object_set_new(item, "documentation", markdown(&doc));
		insert(c, item, arena_printf(c->arena, "%s $1", k->key), arena_printf(c->arena, "%s ", k->key));
	}
}

static void
add_values(struct completion *c, const struct section *sec, const char *key)
{
	const struct setting_kind *k = setting_kind(sec->kind, key);
	const char *s = k ? k->values : NULL;
	int i;

	for (; s && *s; s += *s == '|') {
		size_t n = strcspn(s, "|");

		add_item(c, arena_strndup(c->arena, s, n), ITEM_VALUE, NULL);
		s += n;
	}
	if (strcmp(key, "precision") == 0)
		for (i = 0; precision_table[i]; i++)
			add_item(c, precision_table[i]->name, ITEM_VALUE, NULL);
	if (strcmp(key, "optimizer") == 0)
		add_operators(c, OP_OPTIMIZER, OP_OPTIMIZER);
	if (strcmp(key, "data") == 0)
		for (i = 0; reader_table[i]; i++)
			insert(c, add_item(c, reader_table[i]->name, ITEM_FUNCTION, reader_table[i]->brief),
			    arena_printf(c->arena, "%s($1)", reader_table[i]->name), reader_table[i]->name);
	if (sec->kind == SEC_DEVICE && strcmp(key, "name") == 0)
		for (i = 0; gpu_table[i].name; i++)
			add_item(c, arena_printf(c->arena, "\"%s\"", gpu_table[i].name), ITEM_CONSTANT, NULL);
	if (sec->kind == SEC_LINT && strcmp(key, "as") == 0)
		for (i = 0; framework_table[i]; i++)
			add_item(c, framework_table[i]->name, ITEM_VALUE, NULL);
	if (sec->kind == SEC_LINT && strcmp(key, "as") != 0)
		for (i = 0; rule_at(i); i++)
			if (rule_has_level(rule_at(i)))
				add_item(c, arena_printf(c->arena, "\"%s\"", rule_at(i)->name), ITEM_VALUE,
				    rule_at(i)->brief);
	add_names(c, false);
}

/* The setting's name on the line before the pointer, if the pointer is behind it. */
static const struct setting *
setting_before(const struct section *sec, int word)
{
	const struct setting *found = NULL;
	int i;

	for (i = 0; i < sec->nsettings; i++)
		if (sec->setting[i].key.loc.end < word)
			found = &sec->setting[i];
	return found;
}

static void
complete_section(struct completion *c, const struct section *sec)
{
	const struct setting *st = setting_before(sec, c->word);
	const char *s = c->document->text.text;
	int i;

	for (i = st ? st->key.loc.end : 0; st && i < c->word && s[i] != '\n'; i++)
		;
	if (st && i == c->word && (st->nvalues == 0 || st->value[0]->kind == E_BAD ||
	    st->value[0]->loc.end >= c->word))
		add_values(c, sec, st->key.text);
	else
		add_settings(c, sec);
}

/* ---- files and cards ---- */

static bool
has_end(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n > k && strcmp(name + n - k, end) == 0;
}

/* What comes with Stowage: its folder, and the files in it. */
static void
add_library(struct completion *c, const char *folder, int n)
{
	const char *path;
	int i;

	if (n == 0)
		add_item(c, LIBRARY_FOLDER, ITEM_FOLDER, "comes with Stowage");
	for (i = 0; (path = library_path(i)); i++)
		if (n == (int)strlen(LIBRARY_FOLDER) && strncmp(folder, path, (size_t)n) == 0)
			json_object_set_new(add_item(c, path + n, ITEM_FILE, "comes with Stowage"), "documentation",
			    json_string(library_about(c->arena, path)));
}

/* Files beside the document, or in the folder that the string names by now. */
static void
complete_file(struct completion *c, int quote, bool specs)
{
	const char *s = c->document->text.text + quote + 1;
	int n = c->at - quote - 1, i;
	const char *folder = filename_folder(c->arena, filename_absolute(c->arena, c->document->path));
	struct dirent *e;
	DIR *dir;

	while (n > 0 && s[n - 1] != '/')
		n--;
	if (specs)
		add_library(c, s, n);
	if (n > 0)
		folder = filename_join(c->arena, folder, arena_strndup(c->arena, s, (size_t)n));
	if (!(dir = opendir(folder)))
		return;
	for (i = 0; i < MOST_FILES && (e = readdir(dir)); i++) {
		if (e->d_name[0] == '.')
			continue;
		if (e->d_type == DT_DIR)
			add_item(c, arena_printf(c->arena, "%s/", e->d_name), ITEM_FOLDER, NULL);
		else if (specs == has_end(e->d_name, ".nn"))
			add_item(c, e->d_name, ITEM_FILE, NULL);
	}
	closedir(dir);
}

static void
complete_string(struct completion *c, int quote)
{
	const struct section *sec = tree_section_at(c->tree, c->at);
	const struct setting *st = sec ? setting_before(sec, quote) : NULL;
	const char *key = st ? st->key.text : "";
	int i;

	if (!sec) {
		complete_file(c, quote, true);
	} else if (strcmp(key, "data") == 0) {
		complete_file(c, quote, false);
	} else if (sec->kind == SEC_DEVICE && strcmp(key, "name") == 0) {
		for (i = 0; gpu_table[i].name; i++)
			add_item(c, gpu_table[i].name, ITEM_CONSTANT, NULL);
	} else if (sec->kind == SEC_LINT) {
		for (i = 0; rule_at(i); i++)
			if (rule_has_level(rule_at(i)))
				add_item(c, rule_at(i)->name, ITEM_VALUE, rule_at(i)->brief);
	}
}

/* ---- bodies and the file ---- */

static void
add_snippet(struct completion *c, const char *word, const char *snippet, const char *detail)
{
	insert(c, add_item(c, word, ITEM_KEYWORD, detail), snippet, word);
}

static bool
begins_statement(const struct completion *c)
{
	char b = byte_before(c, c->word);

	return b == '\n' || b == '{' || b == '\r' || b == ';';
}

enum declared { NO_DECLARATION, DECLARED_NAME, DECLARED_TYPE, DECLARED_EXTENT };

/* What of "input x : f32[3, 8]" stands there, on its line. */
static enum declared
declaration(const struct completion *c)
{
	const char *s = c->document->text.text, *end = s + c->word, *at = end;
	enum declared where = DECLARED_NAME;

	while (at > s && at[-1] != '\n' && at[-1] != '{')
		at--;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (strncmp(at, "input", 5) != 0 && strncmp(at, "target", 6) != 0)
		return NO_DECLARATION;
	at += *at == 'i' ? 5 : 6;
	if (at >= end || is_name_byte(*at))
		return NO_DECLARATION;
	for (; at < end; at++)
		where = *at == ':' ? DECLARED_TYPE : *at == '[' ? DECLARED_EXTENT : *at == ']' ? NO_DECLARATION : where;
	return where;
}

/* An input's or target's: of a name nobody knows more than its author. */
static void
complete_declaration(struct completion *c, enum declared where, bool network)
{
	static const struct {
		const char *name, *snippet, *what;
	} types[] = {
		{ "class", "class[$1]", "labels: a number of classes, or one for each position" },
		{ "f32", "f32[$1]", "real numbers" }, { "u8", "u8[$1]", "bytes" },
		{ "tokens", "tokens[$1, vocab=$2]", "a sequence of tokens" },
	};
	size_t i;

	for (i = 0; where == DECLARED_TYPE && network && i < sizeof(types) / sizeof(*types); i++)
		add_snippet(c, types[i].name, types[i].snippet, types[i].what);
	if (where == DECLARED_EXTENT)
		add_names(c, false);
}

static void
complete_body(struct completion *c, const struct body *b)
{
	enum declared where = declaration(c);

	if (where != NO_DECLARATION) {
		complete_declaration(c, where, b->network != NULL);
		return;
	}
	if (begins_statement(c)) {
		add_snippet(c, "input", b->network ? "input ${1:name} : f32[$2]" : "input ${1:name}", "an input");
		if (b->network) {
			add_snippet(c, "target", "target ${1:name} : class[$2]", "what is to be predicted");
			add_snippet(c, "loss", "loss $1", "what training lowers");
			add_snippet(c, "metric", "metric $1", "what is reported");
		}
		return;
	}
	add_names(c, true);
	add_operators(c, OP_LAYER, byte_before(c, c->word) == '>' ? OP_LAYER : OP_METRIC);
}

static void
complete_top(struct completion *c)
{
	if (byte_before(c, c->word) == '=') {	/* param depth = */
		add_names(c, false);
		return;
	}
	add_snippet(c, "device", "device { name \"$0\" }", "what it must fit");
	add_snippet(c, "lint", "lint { $0 }", is_project_file(c->document) ? "how lint judges specs" :
	    "how lint judges this spec");
	if (is_project_file(c->document))
		return;
	add_snippet(c, "network", "network ${1:name} {\n  input  ${2:x} : f32[$3]\n  target ${4:t} : class[$5]\n"
	    "  ${6:y} = $2 -> $0\n  loss   cross_entropy($6, $4)\n}", "a network");
	add_snippet(c, "block", "block ${1:name}(${2:width}) {\n  out = in -> $0\n}", "layers with a name");
	add_snippet(c, "param", "param ${1:name} = $0", "a constant of the file");
	add_snippet(c, "use", "use \"$0\"", "blocks and params of another file");
	add_snippet(c, "train", "train {\n  batch     ${1:32}\n  epochs    ${2:10}\n  optimizer ${3:adam(lr=1e-3)}\n"
	    "  data      $0\n}", "how it is trained");
	add_snippet(c, "validate", "validate {\n  data $0\n}", "on what it is validated");
}

/* The tree of the text as if the body or section around the pointer ended there; NULL: it has an
 * end. */
static struct tree *
tree_with_end(const struct completion *c, int quote)
{
	const struct text_lines *t = &c->document->text;
	struct document d = { .path = c->document->path };
	enum brace_owner open = open_brace(t, c->word);
	struct text ended;

	if (open == BRACE_NONE || tree_section_at(c->tree, c->word) ||
	    (open == BRACE_BODY && tree_body_at(c->tree, c->word)))
		return NULL;
	text_init(&ended, c->arena);
	text_add(&ended, t->text, (size_t)c->at);
	text_puts(&ended, quote >= 0 ? "\"}" : "\n}");
	text_add(&ended, t->text + c->at, t->n - (size_t)c->at);
	d.text.text = ended.s;
	d.text.n = ended.n;
	return tree_make(c->server, &d);
}

static void
complete_at(struct completion *c, int quote)
{
	const struct section *sec = tree_section_at(c->tree, c->word);
	const struct body *b = tree_body_at(c->tree, c->word);
	struct call_site call;

	if (quote >= 0)
		complete_string(c, quote);
	else if (byte_before(c, c->word) != '>' && call_site_at(c->arena, &c->document->text, c->word, &call))
		complete_argument(c, &call);
	else if (sec)
		complete_section(c, sec);
	else if (b)
		complete_body(c, b);
	else
		complete_top(c);
}

static struct answer
complete(struct server *s, struct document *d, const json_t *params, struct arena *a)
{
	struct completion c = { .server = s, .document = d, .tree = document_tree(s, d), .arena = a };
	struct tree *closed;
	int quote;
	size_t at;

	if (!c.tree || !position_of(s, d, params, &at))
		return answer_with(NULL);
	c.at = c.word = (int)at;
	while (c.word > 0 && is_name_byte(d->text.text[c.word - 1]))
		c.word--;
	c.list = json_array();
	quote = quote_before(&c);
	if ((closed = tree_with_end(&c, quote)))
		c.tree = closed;
	if (quote != -2)	/* comments are the author's */
		complete_at(&c, quote);
	tree_free(closed);
	return answer_with(json_pack("{s:b, s:o}", "isIncomplete", 0, "items", c.list));
}

static void
offer(const struct client *c, json_t *capabilities)
{
	(void)c;
	json_object_set_new(capabilities, "completionProvider", json_pack("{s:[s, s, s, s, s], s:b}",
	    "triggerCharacters", ">", "(", ",", "\"", "/", "resolveProvider", 0));
}

const struct lsp_method lsp_method_completion = {
	.name = "textDocument/completion", .answer = complete, .offer = offer,
};
