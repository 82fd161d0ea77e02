/*
 * Phrases stand in a table of hashes by their first four bytes, or by all of them where they have
 * fewer; those of eight bytes and more, which are most, in another by these eight, so that few
 * have the same. At each byte of a text those that begin so are compared with it, which are none
 * in most places. Phrases stay where they are written, so that to learn one is to write down where
 * that is: a report asks for hundreds of lists, once each, and has few lines.
 *
 * What is found is kept with each list in the order of places, so that a part of the text finds its
 * own by halving. Where clauses begin and end is noted in the same pass.
 */
#include "oom/oom_lexicon.h"

#include <string.h>

#include "base/ascii.h"
#include "base/vec.h"
#include "oom/oom_writing.h"

#define SLOTS	1024		/* of lists by their addresses */
#define KEYS	8192		/* of phrases by their first bytes; a power of two */
#define BEGINNING	4	/* bytes of a key, where a phrase has as many */
#define FAR_KEYS	32768	/* the same of longer ones, a power of two; */
#define FAR		8	/* bytes of a key */

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

struct phrase {
	const char *s;
	unsigned char n;
	char last;		/* of its bytes, as those that begin alike are many */
	int list, rank;
	int next;		/* of the same key; -1: no more */
};

struct lexicon {
	struct arena *arena;
	int slot[SLOTS];
	VEC(struct list) lists;
	VEC(struct phrase) phrases;
	int key[KEYS];			/* the phrase that was learned last; -1: none */
	int far[FAR_KEYS];		/* the same of phrases of FAR bytes and more, */
	bool has_far[KEYS];		/* of which some begin like that */
	unsigned char brief[256];	/* bit N: a phrase of N bytes, fewer than BEGINNING, begins with that byte */
	const char *text;		/* that was read last, */
	char *small;			/* the same in small letters, */
	int n;
	unsigned read;			/* and which it is */
	int *begins, *stops;		/* where the clause of a byte begins, and where it ends that goes on there */
	int room;
};

/* ---- phrases ---- */

/* Of the first N bytes, up to BEGINNING, of as many that can be read. */
static int
key_of(const char *s, int n)
{
	static const unsigned char mask[BEGINNING + 1][BEGINNING] = { { 0 }, { 255 }, { 255, 255 }, { 255, 255, 255 }, { 255, 255, 255, 255 } };
	uint32_t bytes, of;

	memcpy(&bytes, s, BEGINNING);
	memcpy(&of, mask[n], BEGINNING);
	return (int)((bytes & of) * 2654435761u >> 7 & (KEYS - 1));
}

static int
far_key_of(const char *s)
{
	uint64_t bytes;

	memcpy(&bytes, s, FAR);
	return (int)(bytes * 0x9e3779b97f4a7c15u >> 40 & (FAR_KEYS - 1));
}

static void
add_phrase(struct lexicon *l, int list, int rank, const char *s, int n)
{
	char first[BEGINNING] = { 0 }, simple[LEXICON_LONGEST];
	int *key, near;

	memcpy(simple, s, (size_t)n);
	if (oom_writing_simplify(simple, (size_t)n))		/* as Japanese has the like of them */
		s = memcpy(arena_array(l->arena, (size_t)n, 1), simple, (size_t)n);
	memcpy(first, s, (size_t)(n < BEGINNING ? n : BEGINNING));
	near = key_of(first, n < BEGINNING ? n : BEGINNING);
	key = n < FAR ? &l->key[near] : &l->far[far_key_of(s)];
	l->has_far[near] |= n >= FAR;
	vec_push(l->arena, &l->phrases, ((struct phrase){ s, (unsigned char)n, s[n - 1], list, rank, *key }));
	*key = l->phrases.n - 1;
	if (n < BEGINNING)
		l->brief[(unsigned char)*s] |= (unsigned char)(1u << n);
}

/* ---- a text ---- */

/* Of those of one list at one place the shorter goes ahead. */
static void
note_hit(struct lexicon *l, const struct phrase *p, int at)
{
	struct list *list = &l->lists.v[p->list];
	struct hit *h;

	if (list->read != l->read)
		list->hits.n = 0;
	list->read = l->read;
	vec_push(l->arena, &list->hits, ((struct hit){ at, p->n, p->rank }));
	for (h = &list->hits.v[list->hits.n - 1]; h > list->hits.v && h[-1].at == at && h[-1].n > h->n; h--) {
		struct hit longer = h[-1];

		h[-1] = *h;
		*h = longer;
	}
}

/* Phrases from number FROM on, of those that begin with I, that have N bytes at least and MOST at
 * most, and stand at AT. */
static void
find_among(struct lexicon *l, int i, int at, int n, int most, int from)
{
	const char *s = l->small + at;

	for (; i >= from; i = l->phrases.v[i].next) {
		const struct phrase *p = &l->phrases.v[i];

		if (p->n >= n && p->n <= most && s[p->n - 1] == p->last && memcmp(p->s, s, (size_t)p->n) == 0)
			note_hit(l, p, at);
	}
}

/* Those that have BEGINNING bytes or more. */
static void
find_long(struct lexicon *l, int at, int from)
{
	int key = key_of(l->small + at, BEGINNING), left = l->n - at;

	find_among(l, l->key[key], at, BEGINNING, left < FAR ? left : FAR - 1, from);
	if (l->has_far[key] && left >= FAR)
		find_among(l, l->far[far_key_of(l->small + at)], at, FAR, left, from);
}

/* Phrases from number FROM on, in all of the text. */
static void
find_all(struct lexicon *l, int from)
{
	int at, n, left;
	unsigned brief;

	for (at = 0; at < l->n; at++) {
		left = l->n - at;
		for (brief = l->brief[(unsigned char)l->small[at]] >> 1, n = 1; brief && n <= left; brief >>= 1, n++)
			if (brief & 1)
				find_among(l, l->key[key_of(l->small + at, n)], at, n, n, from);
		if (left >= BEGINNING)
			find_long(l, at, from);
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

/* "it increases.Some people say": does a sentence end at the full stop at S of the text from
 * BEGIN to END, behind which a blank stands, or was left out ahead of a word that sentences
 * begin with? */
static bool
ends_sentence(const char *begin, const char *s, const char *end)
{
	static const char *const words[] = { "Some", "So", "But", "The", "I", "When", "If", "It", "This", "However", "And", "Is", "How", "Can", "My", "We", "After", "Then", "Thanks", "Please", "What", "Why", "In", "There", "Could", "Any", "Has",
		"Does", "Do", "Also", "Because", "Even", "Now", "Here", "For", "Or", "Are", "Hope", "Thank", "That", "They", "As", "At", "On", "Did", "Maybe", "Although", NULL };
	size_t n;
	int i;

	if (s + 1 == end || s[1] == ' ')
		return !(s - begin > 3 && (memcmp(s - 3, "i.e", 3) == 0 || memcmp(s - 3, "e.g", 3) == 0) && !is_letter(s[-4]));
	if (s == begin || s[-1] < 'a' || s[-1] > 'z' || s[1] < 'A' || s[1] > 'Z')
		return false;
	for (n = 1; s + 1 + n < end && is_letter(s[1 + n]); n++)
		;
	if (s + 1 + n == end || s[1 + n] != ' ')
		return false;
	for (i = 0; words[i] && !(strlen(words[i]) == n && memcmp(words[i], s + 1, n) == 0); i++)
		;
	return words[i] != NULL;
}

static void
find_clauses(struct lexicon *l)
{
	const char *s = l->text;
	int i;

	for (i = 0; i < l->n; i++)
		l->begins[i] = i == 0 || is_stop(s[i - 1]) || is_wide_stop(l, i - WIDE) || (s[i - 1] == '.' && ends_sentence(s, s + i - 1, s + l->n)) ? i : l->begins[i - 1];
	l->stops[l->n] = l->n;
	for (i = l->n - 1; i >= 0; i--)
		l->stops[i] = is_stop(s[i]) || is_wide_stop(l, i) || (s[i] == '.' && ends_sentence(s, s + i, s + l->n)) ? i : l->stops[i + 1];
}

struct talk
lexicon_read(struct lexicon *l, const char *s, size_t n)
{
	int i;

	l->text = s;
	l->n = (int)n;
	if (l->n >= l->room) {
		l->room = 2 * l->n + 1024;
		l->small = arena_array(l->arena, (size_t)l->room + BEGINNING, 1);
		l->begins = arena_array(l->arena, (size_t)l->room, sizeof(*l->begins));
		l->stops = arena_array(l->arena, (size_t)l->room, sizeof(*l->stops));
	}
	for (i = 0; i < l->n; i++)
		l->small[i] = lower(s[i]);
	oom_writing_simplify(l->small, n);
	l->read++;
	find_clauses(l);
	find_all(l, 0);
	return (struct talk){ s, n, l };
}

struct lexicon *
lexicon_new(struct arena *a)
{
	struct lexicon *l = ARENA_NEW(a, struct lexicon);

	l->arena = a;
	memset(l->slot, -1, sizeof(l->slot));
	memset(l->key, -1, sizeof(l->key));
	memset(l->far, -1, sizeof(l->far));
	return l;
}

/* ---- lists ---- */

static int
learn(struct lexicon *l, const char *text, char parted, int *slot)
{
	const char parts[] = { parted, '\0' }, *s;
	int id = l->lists.n, rank = 0, from = l->phrases.n;
	size_t n;

	vec_push(l->arena, &l->lists, ((struct list){ .text = text, .parted = parted, .next = *slot }));
	*slot = id;
	for (s = text; *s; s += n + (s[n] == parted)) {
		n = strcspn(s, parts);
		if (n > 0 && n < LEXICON_LONGEST)
			add_phrase(l, id, rank++, s, (int)n);
	}
	find_all(l, from);
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

/* Of "_out of memory_", as people write what is to stand out, the signs beside it are no
 * letters. */
static bool
begins_word(struct talk t, const char *at)
{
	return at == t.s || !piece_is_word(at[-1]) || (at[-1] == '_' && (at - 1 == t.s || at[-2] == ' '));
}

static bool
ends_word(struct talk t, const char *end)
{
	const char *to = t.s + t.n;

	return end == to || !piece_is_word(*end) || (*end == '_' && (end + 1 == to || memchr(" ,.;:!?)", end[1], 8)));
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
talk_next_whole(struct talk t, const char *list, const char **at, size_t *n)
{
	*at = talk_find_whole(*at ? talk_part(t, *at + *n, t.s + t.n) : t, list, n);
	return *at != NULL;
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

	while (from > t.s && !memchr("?!", from[-1], 2) && !(from[-1] == '.' && from < end && ends_sentence(t.s, from - 1, end)))
		from--;
	while (to < end && !memchr("?!", *to, 2) && !(*to == '.' && ends_sentence(t.s, to, end)))
		to++;
	return talk_part(t, from, to + (to < end && *to == '?'));
}
