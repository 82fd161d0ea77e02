/*
 * How what people say is kept: where it is said, or only where that tells of the failure.
 */
#include "oom/oom_note.h"

#include <string.h>

#include "oom/oom_clause.h"
#include "oom/oom_measures.h"
#include "oom/oom_short.h"

void
oom_note(struct said *to, struct talk t, const char *at, int line)
{
	if (at)
		said_at(to, t, at, line);
}

#define TRIED		"i wanted to|we wanted to|i want to|we want to|i tried to|we tried to|i try to|we try to|i am trying to|i'm trying to|we are trying to|we're trying to|i was trying to"

/* "Whenever I run the tests. I get ...", "I wanted to test it. But I always get", "I try to make
 * longer ones. However, it runs out of memory": does the next sentence tell of the failure, or does
 * the line end with what a message follows? */
static bool
is_ahead_of_failure(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at), next = talk_part(t, sentence.s + sentence.n, t.s + t.n);
	const char *s = piece_past_blanks(next.s, next.s + next.n);

	while (s < next.s + next.n && memchr(".!;,", *s, 4))
		s = piece_past_blanks(s + 1, next.s + next.n);
	next = s < next.s + next.n ? talk_sentence(t, s) : next;
	if (next.n == 0 || memchr(sentence.s, '?', sentence.n) || memchr(next.s, '?', next.n))
		return false;
	if (talk_has_whole(sentence, TRIED) && talk_is_one_of(clause_word_behind(next, next.s), "but however unfortunately yet") && oom_short_fails(next))
		return true;
	return (talk_is_one_of(clause_word_behind(sentence, sentence.s), "when whenever while once") && !memchr(sentence.s, ',', sentence.n) && oom_short_fails(next)) ||
	    (talk_has_whole(next, "but i always get|but i get|but i got|but it gives|i always get|but i keep getting|but always get") && talk_is_one_of(clause_word_ahead(next, next.s + next.n), "get got getting gives error errors following this"));
}

/* Only where the sentence at AT tells of a failure, of memory's or by a word for any: what else a
 * report speaks of is no place of it. */
void
oom_note_failure(struct said *to, const struct oom_told *told, struct talk t, const char *at, int line)
{
	if (at && (oom_told_is_of_failure(told, t, at, line) || is_ahead_of_failure(t, at)) && !oom_measures_in_vain(t, at))
		said_at(to, t, at, line);
}

/* What is found first need not be in the sentence that tells of the failure: then in that. */
void
oom_note_any(struct said *to, const struct oom_told *told, struct talk t, int line, struct finding finding)
{
	const char *at = oom_find(t, finding), *s, *end = t.s + t.n;
	struct talk sentence;

	oom_note_failure(to, told, t, at, line);
	for (s = t.s; at && to->line != line && s < end; s = sentence.s + sentence.n + 1) {
		sentence = talk_sentence(t, s);
		oom_note_failure(to, told, t, oom_find(sentence, finding), line);
	}
}

/* The same of what is given: "I cannot upscale a 12 second video" tells of a failure, too. */
void
oom_note_given(struct said *to, const struct oom_told *told, struct talk t, int line, const char *(*find)(struct talk))
{
	const char *at = find(t), *s, *cannot, *end = t.s + t.n;
	struct talk sentence;

	oom_note_any(to, told, t, line, FOUND_BY(find));
	for (s = t.s; at && to->line != line && s < end; s = sentence.s + sentence.n + 1) {
		sentence = talk_sentence(t, s);
		cannot = find(sentence);
		if (cannot && talk_any_whole(talk_part(sentence, talk_clause(sentence, cannot, 0).s, cannot), "cannot can't cant unable couldn't impossible"))
			said_at(to, t, cannot, line);
	}
	if (at && to->line != line && told->here_line == line && talk_has_whole(talk_sentence(t, at), "is it because|is this because|the reason is that|the reason may be that|i think the reason is|i guess the reason is|i think because|i think it is because|i guess because|maybe because|probably because|perhaps because|because the|because my|because of the"))
		said_at(to, t, at, line);	/* "... memory errors. Is it because the slide is too large?" */
}
