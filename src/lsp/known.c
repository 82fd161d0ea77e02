/* What is known of networks from the analysis before. */
#include "lsp/known.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

/* ---- in the server ---- */

void
memory_drop(struct memory *m)
{
	free(m->text);
	free(m->said);
	*m = (struct memory){ NULL, NULL, 0, 0 };
}

void
memory_keep(struct memory *m, const struct document *d, const char *said, size_t n)
{
	memory_drop(m);
	m->text = malloc(d->text.n + 1);
	m->said = malloc(n + 1);
	if (!m->text || !m->said) {
		memory_drop(m);
		return;
	}
	memcpy(m->text, d->text.text ? d->text.text : "", d->text.n);
	memcpy(m->said, said, n);
	m->size = d->text.n;
	m->nsaid = n;
}

/* ---- items ---- */

static int
by_place(const void *a, const void *b)
{
	const struct known_item *x = a, *y = b;

	return x->beg < y->beg ? -1 : x->beg > y->beg;
}

static struct known_item *
items_of(struct arena *a, const struct file *file, int *n)
{
	struct known_item *item = arena_array(a, (size_t)(file->blocks.n + file->networks.n) + 1, sizeof(*item));
	int i;

	*n = 0;
	for (i = 0; i < file->blocks.n; i++) {
		const struct block *b = file->blocks.v[i];

		item[(*n)++] = (struct known_item){ .block = true, .name = b->name.text, .beg = b->loc.beg,
			.end = b->loc.end };
	}
	for (i = 0; i < file->networks.n; i++) {
		const struct network *b = file->networks.v[i];

		item[(*n)++] = (struct known_item){ .name = b->name.text, .beg = b->loc.beg, .end = b->loc.end };
	}
	qsort(item, (size_t)*n, sizeof(*item), by_place);
	return item;
}

json_t *
known_said(const struct file *file, json_t *networks)
{
	struct arena *a = arena_new();
	json_t *list = json_array();
	struct known_item *item;
	jmp_buf failed;
	int n, i;

	if (!a || setjmp(failed)) {
		arena_free(a);
		json_decref(list);
		json_decref(networks);
		return NULL;
	}
	arena_on_failure(a, &failed);
	item = items_of(a, file, &n);
	for (i = 0; i < n; i++)
		json_array_append_new(list, json_pack("[i, i, s]", item[i].beg, item[i].end, item[i].name));
	arena_free(a);
	return json_pack("{s:o, s:o}", "items", list, "networks", networks);
}

/* ---- what has changed ---- */

static bool
was_there(struct known_item *item, const json_t *was, int size)
{
	const char *name = json_string_value(json_array_get(was, 2));

	item->was_beg = (int)json_integer_value(json_array_get(was, 0));
	item->was_end = (int)json_integer_value(json_array_get(was, 1));
	return name && item->name && strcmp(item->name, name) == 0 && item->was_beg <= item->was_end &&
	    item->was_end <= size;
}

static bool
same_bytes(const char *a, int an, const char *b, int bn)
{
	return an == bn && an >= 0 && memcmp(a, b, (size_t)an) == 0;
}

/* Do the items follow one another as before, with the same between them? Notes which of them
 * changed. */
static bool
compare_items(struct known_text *k, struct known_item *item, int n, const struct source *src)
{
	const json_t *was = json_object_get(k->said, "items");
	const char *old = k->memory->text;
	int at = 0, was_at = 0, size = (int)k->memory->size, i;

	if (json_array_size(was) != (size_t)n)
		return false;
	for (i = 0; i < n; i++) {
		struct known_item *x = &item[i];

		if (!was_there(x, json_array_get(was, (size_t)i), size) ||
		    !same_bytes(src->text + at, x->beg - at, old + was_at, x->was_beg - was_at))
			return false;
		x->changed = !same_bytes(src->text + x->beg, x->end - x->beg, old + x->was_beg,
		    x->was_end - x->was_beg);
		at = x->end;
		was_at = x->was_end;
	}
	return same_bytes(src->text + at, src->size - at, old + was_at, size - was_at);
}

struct users {			/* of an item: those whose text has its name in it */
	VEC(int) all;
};

static bool
is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

/* Words longer than that are taken for the name of every block that begins like them. */
#define LONGEST_WORD	255

static void
add_user(struct arena *a, const struct map *named, const char *text, int n, int user)
{
	char word[LONGEST_WORD + 1];
	struct users *u;

	snprintf(word, sizeof(word), "%.*s", n, text);
	u = map_get(named, word);
	if (u && (u->all.n == 0 || u->all.v[u->all.n - 1] != user))
		vec_push(a, &u->all, user);
}

static void
find_users(struct arena *a, const struct source *src, const struct known_item *item, int n, struct users *users)
{
	struct map named = { NULL, 0, 0, NULL, 0 };
	int i, beg, end;

	for (i = 0; i < n; i++) {
		const char *name = arena_printf(a, "%.*s", LONGEST_WORD, item[i].name);

		if (item[i].block && !map_get(&named, name))
			map_put(a, &named, name, &users[i]);
	}
	for (i = 0; i < n; i++)
		for (beg = item[i].beg; beg < item[i].end; beg = end + 1) {
			for (end = beg; end < item[i].end && is_word(src->text[end]); end++)
				;
			if (end > beg)
				add_user(a, &named, src->text + beg, end - beg, i);
		}
}

/* What uses what has changed has changed as well. */
static void
spread(struct arena *a, const struct source *src, struct known_item *item, int n)
{
	struct users *users = arena_array(a, (size_t)n + 1, sizeof(*users));
	VEC(int) todo = { NULL, 0, 0 };
	int i;

	for (i = 0; i < n; i++)
		if (item[i].changed && item[i].block)
			vec_push(a, &todo, i);
	if (todo.n == 0)
		return;
	find_users(a, src, item, n, users);
	while (todo.n > 0) {
		const struct users *u = &users[todo.v[--todo.n]];

		for (i = 0; i < u->all.n; i++)
			if (!item[u->all.v[i]].changed) {
				item[u->all.v[i]].changed = true;
				vec_push(a, &todo, u->all.v[i]);
			}
	}
}

static void
look_at(struct known_text *k, const struct file *file)
{
	struct known_item *item;
	int n;

	k->file = file;
	k->item = NULL;
	if (!k->said)
		return;
	item = items_of(k->arena, file, &n);
	if (!compare_items(k, item, n, file->src))
		return;
	spread(k->arena, file->src, item, n);
	k->item = item;
	k->items = n;
}

void
known_text_free(struct known_text *k)
{
	json_decref(k->said);
}

void
known_text_init(struct known_text *k, struct arena *a, const struct memory *m)
{
	*k = (struct known_text){ .arena = a, .memory = m };
	if (m->said)
		k->said = json_loadb(m->said, m->nsaid, JSON_ALLOW_NUL, NULL);
}

/* The last item that begins at that byte, or before it, by the places they have now, or had; -1:
 * none. */
static int
item_before(const struct known_text *k, int at, bool was)
{
	int low = 0, high = k->items;

	while (low < high) {
		int mid = low + (high - low) / 2;

		if ((was ? k->item[mid].was_beg : k->item[mid].beg) <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low - 1;
}

const json_t *
known_network(struct known_text *k, const struct spec *spec, const struct network *n)
{
	int i;

	if (k->file != spec->file)
		look_at(k, spec->file);
	if (!k->item)
		return NULL;
	i = item_before(k, n->loc.beg, false);
	if (i < 0 || k->item[i].changed)
		return NULL;
	return json_object_get(json_object_get(k->said, "networks"), n->name.text);
}

bool
known_place(const struct known_text *k, int *beg, int *end)
{
	int i = item_before(k, *beg, true), by;

	if (*beg < 0 || *end < *beg || *end > (int)k->memory->size)
		return false;
	if (i < 0) {
		by = 0;
	} else if (*beg < k->item[i].was_end) {	/* within it */
		if (k->item[i].changed || *end > k->item[i].was_end)
			return false;
		by = k->item[i].beg - k->item[i].was_beg;
	} else {
		by = k->item[i].end - k->item[i].was_end;
	}
	if (i + 1 < k->items && *beg >= (i < 0 ? 0 : k->item[i].was_end) && *end > k->item[i + 1].was_beg)
		return false;
	*beg += by;
	*end += by;
	return true;
}
