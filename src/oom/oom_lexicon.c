/*
 * A tree of all phrases, by their bytes; its branches are in one table of hashes, as most have one
 * or two. At each byte of a text the tree is followed as far as it goes, which is two or three
 * bytes in most places. Failure links (Aho and Corasick) would save those, but have to be made anew
 * for each list that is learned.
 *
 * What is found is kept with each list in the order of places, so that a part of the text finds its
 * own by halving. Where clauses begin and end is noted in the same pass.
 */
#include "oom/oom_lexicon.h"

#include <string.h>

#include "base/ascii.h"
#include "base/vec.h"

#define SLOTS	1024		/* of lists by their addresses */

struct hit {			/* N bytes of the text at AT are a list's phrase number RANK */
	int at, n, rank;
};

struct list {
	const char *text;
	char parted;
	int next;		/* of the same slot; -1: no more */
	unsigned read;		/* which text the hits are of */
	VEC(struct hit) hits;
};

struct use {			/* a phrase of a list, and the next list's that is the same; -1: no more */
	int list, rank, next;
};

struct branch {			/* from a node by a byte; TO 0: an empty place */
	unsigned from, byte;
	int to;
};

struct lexicon {
	struct arena *arena;
	int slot[SLOTS];
	VEC(struct list) lists;
	VEC(int) uses_of;		/* a node's first; -1: no phrase ends there */
	VEC(struct use) uses;
	struct branch *branches;
	unsigned places, taken;		/* the former a power of two */
	int root[256];			/* its branches; 0: none */
	const char *text;		/* that was read last, */
	int n;
	unsigned read;			/* which it is */
	int *begins, *stops;		/* where the clause of a byte begins, and where it ends that goes on there */
	int room;
};

/* ---- the tree ---- */

static unsigned
place_of(const struct lexicon *l, unsigned from, unsigned byte)
{
	unsigned at = (from * 256 + byte) * 2654435761u >> 7;

	for (at &= l->places - 1; l->branches[at].to; at = (at + 1) & (l->places - 1))
		if (l->branches[at].from == from && l->branches[at].byte == byte)
			break;
	return at;
}

static void
make_room(struct lexicon *l)
{
	struct branch *old = l->branches;
	unsigned i, n = l->places;

	l->places = n ? 2 * n : 4096;
	l->branches = arena_array(l->arena, l->places, sizeof(*l->branches));
	for (i = 0; i < n; i++)
		if (old[i].to)
			l->branches[place_of(l, old[i].from, old[i].byte)] = old[i];
}

static int
add_node(struct lexicon *l)
{
	vec_push(l->arena, &l->uses_of, -1);
	return l->uses_of.n - 1;
}

static int
grow(struct lexicon *l, int from, unsigned char byte)
{
	unsigned at;

	if (from == 0) {
		if (!l->root[byte])
			l->root[byte] = add_node(l);
		return l->root[byte];
	}
	if (2 * (l->taken + 1) > l->places)
		make_room(l);
	at = place_of(l, (unsigned)from, byte);
	if (!l->branches[at].to) {
		l->branches[at] = (struct branch){ (unsigned)from, byte, add_node(l) };
		l->taken++;
	}
	return l->branches[at].to;
}

static void
add_phrase(struct lexicon *l, int list, int rank, const char *s, size_t n)
{
	int node = 0;
	size_t i;

	for (i = 0; i < n; i++)
		node = grow(l, node, (unsigned char)s[i]);
	vec_push(l->arena, &l->uses, ((struct use){ list, rank, l->uses_of.v[node] }));
	l->uses_of.v[node] = l->uses.n - 1;
}

/* ---- a text ---- */

static void
note_hits(struct lexicon *l, int node, int at, int n)
{
	struct list *list;
	int use;

	for (use = l->uses_of.v[node]; use >= 0; use = l->uses.v[use].next) {
		list = &l->lists.v[l->uses.v[use].list];
		if (list->read != l->read)
			list->hits.n = 0;
		list->read = l->read;
		vec_push(l->arena, &list->hits, ((struct hit){ at, n, l->uses.v[use].rank }));
	}
}

static void
find_all(struct lexicon *l)
{
	int at, i, node;

	l->read++;
	for (at = 0; at < l->n; at++) {
		node = l->root[(unsigned char)lower(l->text[at])];
		for (i = at + 1; node; i++) {
			if (l->uses_of.v[node] >= 0)
				note_hits(l, node, at, i - at);
			if (i == l->n)
				break;
			node = l->branches[place_of(l, (unsigned)node, (unsigned char)lower(l->text[i]))].to;
		}
	}
}

static bool
is_stop(char c)
{
	return c == ',' || c == ';' || c == ':' || c == '!' || c == '?' || c == '(' || c == ')';
}

/* Do "，", "。", "；", "！", "？" stand at byte AT: the stops of Chinese and Japanese? */
#define WIDE	3

static bool
is_wide_stop(const struct lexicon *l, int at)
{
	const char *s = l->text + at;

	return at >= 0 && l->n - at >= WIDE && (memcmp(s, "\xef\xbc\x8c", WIDE) == 0 || memcmp(s, "\xe3\x80\x82", WIDE) == 0 ||
	    memcmp(s, "\xef\xbc\x9b", WIDE) == 0 || memcmp(s, "\xef\xbc\x81", WIDE) == 0 || memcmp(s, "\xef\xbc\x9f", WIDE) == 0);
}

static void
find_clauses(struct lexicon *l)
{
	const char *s = l->text;
	int i;

	for (i = 0; i < l->n; i++)
		l->begins[i] = i == 0 || is_stop(s[i - 1]) || is_wide_stop(l, i - WIDE) || (s[i - 1] == '.' && s[i] == ' ') ? i : l->begins[i - 1];
	l->stops[l->n] = l->n;
	for (i = l->n - 1; i >= 0; i--)
		l->stops[i] = is_stop(s[i]) || is_wide_stop(l, i) || (s[i] == '.' && (i + 1 == l->n || s[i + 1] == ' ')) ? i : l->stops[i + 1];
}

struct talk
lexicon_read(struct lexicon *l, const char *s, size_t n)
{
	l->text = s;
	l->n = (int)n;
	if (l->n >= l->room) {
		l->room = 2 * l->n + 1024;
		l->begins = arena_array(l->arena, (size_t)l->room, sizeof(*l->begins));
		l->stops = arena_array(l->arena, (size_t)l->room, sizeof(*l->stops));
	}
	find_clauses(l);
	find_all(l);
	return (struct talk){ s, n, l };
}

struct lexicon *
lexicon_new(struct arena *a)
{
	struct lexicon *l = ARENA_NEW(a, struct lexicon);

	l->arena = a;
	memset(l->slot, -1, sizeof(l->slot));
	make_room(l);
	add_node(l);		/* the root */
	return l;
}

/* ---- lists ---- */

static int
learn(struct lexicon *l, const char *text, char parted, int *slot)
{
	const char parts[] = { parted, '\0' }, *s;
	int id = l->lists.n, rank = 0;
	size_t n;

	vec_push(l->arena, &l->lists, ((struct list){ .text = text, .parted = parted, .next = *slot }));
	*slot = id;
	for (s = text; *s; s += n + (s[n] == parted)) {
		n = strcspn(s, parts);
		if (n > 0 && n < LEXICON_LONGEST)
			add_phrase(l, id, rank++, s, n);
	}
	find_all(l);
	return id;
}

/* The list, and its first hit no further ahead than T's first byte. */
static const struct list *
list_of(struct talk t, const char *text, char parted, int *first)
{
	struct lexicon *l = t.of;
	int *slot = &l->slot[((uintptr_t)text ^ (uintptr_t)text >> 9) % SLOTS];
	int id, lo = 0, hi, mid, from = (int)(t.s - l->text);
	const struct list *list;

	for (id = *slot; id >= 0; id = l->lists.v[id].next)
		if (l->lists.v[id].text == text && l->lists.v[id].parted == parted)
			break;
	if (id < 0)
		id = learn(l, text, parted, slot);
	list = &l->lists.v[id];
	for (hi = list->read == l->read ? list->hits.n : 0; lo < hi; ) {
		mid = lo + (hi - lo) / 2;
		if (list->hits.v[mid].at < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	*first = lo;
	return list;
}

/* The next hit from *I that lies within T as a whole; NULL: none. */
static const struct hit *
next_within(struct talk t, const struct list *list, int *i)
{
	const struct lexicon *l = t.of;
	int end = (int)(t.s - l->text) + (int)t.n;
	const struct hit *h;

	if (list->read != l->read)
		return NULL;
	while (*i < list->hits.n && (h = &list->hits.v[*i])->at < end) {
		(*i)++;
		if (h->at + h->n <= end)
			return h;
	}
	return NULL;
}

static bool
begins_word(struct talk t, const char *at)
{
	return at == t.s || !piece_is_word(at[-1]);
}

static bool
ends_word(struct talk t, const char *end)
{
	return end == t.s + t.n || !piece_is_word(*end);
}

enum how { ANYWHERE, BEGINS, WHOLE };

static const char *
find(struct talk t, const char *text, char parted, enum how how)
{
	int i;
	const struct list *list = list_of(t, text, parted, &i);
	const struct hit *h;

	while ((h = next_within(t, list, &i))) {
		const char *at = t.of->text + h->at;

		if ((how < BEGINS || begins_word(t, at)) && (how < WHOLE || ends_word(t, at + h->n)))
			return at;
	}
	return NULL;
}

bool
talk_any_of(struct talk t, const char *list)
{
	return find(t, list, ' ', ANYWHERE) != NULL;
}

bool
talk_any_begins(struct talk t, const char *list)
{
	return find(t, list, ' ', BEGINS) != NULL;
}

bool
talk_any_whole(struct talk t, const char *list)
{
	return find(t, list, ' ', WHOLE) != NULL;
}

const char *
talk_find_word(struct talk t, const char *list)
{
	return find(t, list, ' ', WHOLE);
}

bool
talk_any_phrase(struct talk t, const char *list)
{
	return find(t, list, '|', ANYWHERE) != NULL;
}

bool
talk_is_one_of(struct talk t, const char *text)
{
	int i;
	const struct list *list = list_of(t, text, ' ', &i);
	const struct hit *h;

	while ((h = next_within(t, list, &i)) && t.of->text + h->at == t.s)
		if ((size_t)h->n == t.n)
			return true;
	return false;
}

bool
talk_next_phrase(struct talk t, const char *text, const char **at, size_t *n)
{
	struct talk rest = *at ? talk_part(t, *at, t.s + t.n) : t;
	int i;
	const struct list *list = list_of(rest, text, '|', &i);
	const struct hit *h;

	while ((h = next_within(rest, list, &i)))
		if (t.of->text + h->at != *at || (size_t)h->n > *n) {
			*at = t.of->text + h->at;
			*n = (size_t)h->n;
			return true;
		}
	return false;
}

const char *
talk_first(struct talk t, const char *list)
{
	const char *at = NULL;
	size_t n;

	return talk_next_phrase(t, list, &at, &n) ? at : NULL;
}

const char *
talk_find_whole(struct talk t, const char *text, size_t *n)
{
	int i;
	const struct list *list = list_of(t, text, '|', &i);
	const struct hit *h, *best = NULL;

	while ((h = next_within(t, list, &i))) {
		const char *at = t.of->text + h->at, *end = at + h->n;

		if ((!best || h->at < best->at || (h->at == best->at && h->rank < best->rank)) && (begins_word(t, at) || lower(*at) == 'n') &&
		    (ends_word(t, end) || !piece_is_word(end[-1])))
			best = h;
	}
	*n = best ? (size_t)best->n : 0;
	return best ? t.of->text + best->at : NULL;
}

bool
talk_has_whole(struct talk t, const char *list)
{
	size_t n;

	return talk_find_whole(t, list, &n) != NULL;
}

/* ---- parts ---- */

struct talk
talk_part(struct talk t, const char *s, const char *end)
{
	return (struct talk){ s, (size_t)(end - s), t.of };
}

struct talk
talk_head(struct talk t, const char *s, size_t n)
{
	size_t rest = (size_t)(t.s + t.n - s);

	return (struct talk){ s, rest < n ? rest : n, t.of };
}

bool
talk_holds(struct talk t, const char *at)
{
	return t.s && at >= t.s && at < t.s + t.n;
}

struct piece
talk_piece(struct talk t)
{
	return (struct piece){ t.s, t.n };
}

struct talk
talk_clause(struct talk t, const char *at, size_t n)
{
	const struct lexicon *l = t.of;
	const char *from = l->text + l->begins[at - l->text], *to = l->text + l->stops[at + n - l->text], *end = t.s + t.n;
	const struct list *buts;
	const struct hit *h;
	int i;

	from = from < t.s ? t.s : from;
	to = to > end ? end : to;
	if (to == end && to > at + n && to[-1] == '.')
		to--;
	buts = list_of(talk_part(t, from, at), " but | however ", '|', &i);
	while ((h = next_within(talk_part(t, from, at), buts, &i)))
		if (l->text + h->at >= from)
			from = l->text + h->at + h->n;
	buts = list_of(talk_part(t, at + n, to), " but | however ", '|', &i);
	if ((h = next_within(talk_part(t, at + n, to), buts, &i)))
		to = l->text + h->at;
	return talk_part(t, from, to);
}

struct talk
talk_sentence(struct talk t, const char *at)
{
	const char *from = at, *to = at, *end = t.s + t.n;

	while (from > t.s && !memchr("?!", from[-1], 2) && !(from[-1] == '.' && *from == ' '))
		from--;
	while (to < end && !memchr("?!", *to, 2) && !(*to == '.' && (to + 1 == end || to[1] == ' ')))
		to++;
	return talk_part(t, from, to + (to < end && *to == '?'));
}
