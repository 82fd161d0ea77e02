/*
 * The walker of the table of wordings: looks for a phrase, and at what stands around it.
 */
#include "oom/oom_wording_row.h"

#include <string.h>

#include "oom/oom_short.h"

struct spot {			/* where a phrase was found in T */
	struct talk t;
	const char *at;
	size_t n;
};

static struct talk
place_of(const struct spot *s, enum place place)
{
	struct talk around = place <= LINE_BEHIND ? s->t : place <= SENTENCE_BEHIND ? talk_sentence(s->t, s->at) : talk_clause(s->t, s->at, s->n);
	const char *to = s->at + s->n, *end = around.s + around.n;

	switch (place) {
	case THE_PHRASE:
		return talk_part(s->t, s->at, to);
	case LINE_AHEAD: case SENTENCE_AHEAD: case CLAUSE_AHEAD:
		return talk_part(s->t, around.s, s->at);
	case SENTENCE_FROM:
		return talk_part(s->t, s->at, end);
	case LINE_BEHIND: case SENTENCE_BEHIND: case CLAUSE_BEHIND:
		return to < end ? talk_part(s->t, to, end) : talk_part(s->t, to, to);
	case WORD_AHEAD:
		return clause_word_ahead(s->t, s->at);
	default:
		return around;
	}
}

static bool
is_so(const struct beside *b, const struct spot *s)
{
	struct talk t = place_of(s, b->place);

	t = b->within ? talk_head(t, t.s, b->within) : t;
	switch (b->what) {
	case WORDS:
		return talk_any_whole(t, b->list);
	case PHRASES:
		return talk_has_whole(t, b->list);
	case BEGINS:
		return talk_any_begins(t, b->list);
	case WORD_OF:
		return talk_is_one_of(t, b->list);
	case PARTS:
		return talk_any_of(t, b->list);
	case PIECES:
		return talk_any_phrase(t, b->list);
	case DENIES:
		return clause_says_no(t, b->list);
	case MARK:
		return memchr(t.s, '?', t.n) != NULL;
	case ASKS:
		return clause_is_question(t);
	case RUNS:
		return clause_works(t);
	case FAILS:
		return oom_short_fails(t);
	case MAY_FAIL:
		return oom_short_may_say(t);
	case NAMES_FAILURE:
		return clause_names_failure(t);
	case PASSES_BY:
		return clause_passes_by(s->t, s->at);
	default:
		return true;
	}
}

/* Do all conditions hold? *DECIDED: those do that let no other way be looked at. */
static bool
holds(const struct way *way, const struct spot *s, bool *decided)
{
	const struct beside *b;
	bool any = false;

	for (b = way->beside; b->what != NO_MORE; b++) {
		if (b->what == DECIDED_HERE)
			*decided = true;
		any = any || is_so(b, s) == b->holds;
		if (!any && !b->or_next)
			return false;
		any = any && b->or_next;
	}
	return true;
}

/* The next place of a way's phrase, behind that of S. */
static bool
is_found(const struct way *way, struct spot *s)
{
	struct talk rest = s->at ? talk_part(s->t, s->at + s->n, s->t.s + s->t.n) : s->t;

	if (way->found == FOUND_ANYWHERE)
		return talk_next_phrase(s->t, way->phrases, &s->at, &s->n);
	if (way->found == FOUND_TOLD) {
		s->at = clause_says(s->t, way->phrases, way->sides, way->more);
		s->n = 1;
	} else {
		s->at = talk_find_whole(rest, way->phrases, &s->n);
	}
	return s->at != NULL;
}

const char *
oom_wording(struct talk t, enum wording wording)
{
	const struct way *way = oom_wordings[wording];
	struct spot spot;
	bool decided = false;
	int i;

	for (i = 0; i < WORDING_WAYS && way[i].found != FOUND_NOWHERE && !decided; i++) {
		spot = (struct spot){ t, NULL, 0 };
		while (is_found(&way[i], &spot)) {
			if (holds(&way[i], &spot, &decided))
				return spot.at;
			if (way[i].found != FOUND_EVERY)
				break;
		}
	}
	return NULL;
}

const char *
oom_find(struct talk t, struct finding f)
{
	return f.find ? f.find(t) : oom_wording(t, f.wording);
}
