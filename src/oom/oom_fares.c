/*
 * How a run fares that a sentence speaks of: it fails, or runs, or is of others. Of languages other
 * than English there is no grammar here either.
 */
#include "oom/oom_fares.h"

#include "oom/oom_clause.h"
#include "oom/oom_short.h"

#define TRAINS_NOT	"can't train|cannot train|can not train|unable to train|not able to train|won't train|can't run|cannot run|unable to run|won't run"
/* Words for a failure, where those of English (oom_told.h, oom_clause.h) do not stand. */
#define FAILS_ELSEWHERE	"显存|报错|错误|溢出|"	\
    "오류|에러|부족|"	\
    "エラー|不足|"	\
    "ошибк|не хвата|"	\
    "fehler|speicher|memoria|memória|mémoire"
/* What is told to others, or of others, and what is wished: no run of one's own. */
#define TO_OTHERS	"my friend|a friend|my colleague|a colleague|someone|somebody|other people|recommend|recommended|recommends|suggest|suggested|paper|papers|authors|author|readme|minimum|supports|you should|you can|you need|you have to|you may|"	\
    "should use|need to use|should not|shouldn't|should be enough|expected|建议|应该|别人|有人说|网上说|听说"
/* The same, unless it is told of oneself: "when I try to use". */
#define TRIED	"try to|try a|try batch|try with"

bool
oom_fares_others(struct talk sentence)
{
	size_t n;
	const char *tried = talk_find_whole(sentence, TRIED, &n);

	return talk_has_whole(sentence, TO_OTHERS) || (tried && !talk_is_one_of(clause_word_ahead(sentence, tried), "i we"));
}

#define WITHOUT_WORDS	5	/* behind "without", to a failure's word */
#define ON_THE_WAY	"any an a the encountering getting having facing hitting seeing running raising throwing into out of cuda gpu memory vram further such more other"
#define FAILURES	"error errors issue issues problem problems oom ooms crash crashes crashing failing failure exception exceptions memory"

/* Where "without encountering any errors" ends in T, and *FROM where it begins; NULL: nowhere. */
static const char *
past_no_failure(struct talk t, const char **from)
{
	struct talk word, next;
	size_t n;
	int i;

	*from = talk_find_whole(t, "without", &n);
	if (!*from || talk_any_whole(talk_part(t, t.s, *from), "cannot can't not unable never"))
		return NULL;
	word = clause_word_behind(t, *from + n);
	for (i = 0; i < WITHOUT_WORDS && word.n > 0; i++, word = next) {
		next = clause_word_behind(t, word.s + word.n);
		if (talk_is_one_of(word, FAILURES) && !talk_is_one_of(next, FAILURES))
			return word.s + word.n;
		if (!talk_is_one_of(word, ON_THE_WAY))
			break;
	}
	return NULL;
}

bool
oom_fares_ill(struct talk t)
{
	const char *from, *to = past_no_failure(t, &from);

	if (oom_short_fails(t) || talk_has_whole(t, TRAINS_NOT) || talk_any_phrase(t, FAILS_ELSEWHERE))
		return true;
	return to ? clause_names_failure(talk_part(t, t.s, from)) || clause_names_failure(talk_part(t, to, t.s + t.n)) : clause_names_failure(t);
}

const char *
oom_fares_says(struct talk sentence, const char *list)
{
	const char *at;
	struct talk clause;
	size_t n;

	for (at = NULL; talk_next_whole(sentence, list, &at, &n); ) {
		clause = talk_clause(sentence, at, n);
		if (!clause_runs_out(sentence, at + n) && !talk_has_whole(talk_part(clause, clause.s, at), OOM_RUNS_NOT) && !talk_any_phrase(talk_part(clause, clause.s, at), "n't |n’t "))
			return at;
	}
	for (at = NULL; talk_next_phrase(sentence, list, &at, &n); )	/* writings without blanks */
		if ((unsigned char)*at >= 0x80 && !talk_any_phrase(talk_part(sentence, sentence.s, at), OOM_RUNS_NOT))
			return at;
	return NULL;
}

bool
oom_fares_well(struct talk sentence)
{
	const char *from;

	return past_no_failure(sentence, &from) || oom_fares_says(sentence, OOM_COMES_NOT) || oom_fares_says(sentence, OOM_RUNS_WELL) || clause_works(sentence);
}
