/*
 * What people say of a size with which it works, where it fails with a larger one: numbers of all
 * kinds, and sides of pictures. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_less.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_amount.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"
#include "oom/oom_pictures.h"
#include "oom/oom_short.h"
#include "oom/oom_wording.h"

#define WORKS_FINE	"works|work|worked|working|fine|ok|okay"
/* Numbers of something else stand behind or ahead of these. */
#define AHEAD_OF_OTHER	"tp -tp --tp pp -pp --pp dp ep tensor_parallel_size tensor-parallel-size --tensor-parallel-size num-shard --num-shard num_shard nproc_per_node --nproc_per_node num_processes --num_processes ngpus num_gpus world_size gpu gpus card version python cuda cudnn driver pytorch torch tensorflow tf keras windows ubuntu linux commit branch release cpu epoch iteration step line v rtx gtx fold trial run round attempt stage task part chunk cell seed"
#define BEHIND_OTHER	"gpu gpus card cards cpus epoch epochs iteration iterations step steps hour hours minute minutes days times gb gib g mb mib ti b x"

/* The largest number of a clause, where it is no card's or version's; 0: it has none. */
static int64_t
counts(struct talk t)
{
	const char *s, *to, *end = t.s + t.n;
	int64_t n, most = 0;

	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s))
			continue;
		to = piece_number(s, end, &n);
		if ((s > t.s && (s[-1] == '.' || (piece_is_word(s[-1]) && s[-1] != 'x'))) || (to + 1 < end && *to == '.' && is_digit(to[1])) ||
		    talk_is_one_of(clause_word_ahead(t, s), AHEAD_OF_OTHER) || talk_is_one_of(clause_word_behind(t, to), BEHIND_OTHER))
			continue;
		most = n > most ? n : most;
	}
	return most;
}

/* "it worked for an epoch, then it was out of memory again": behind the clause, in its sentence. */
static bool
fails_again(struct talk t, struct talk clause)
{
	struct talk sentence = talk_sentence(t, clause.s), behind = talk_part(t, clause.s + clause.n, sentence.s + sentence.n);

	return talk_any_whole(behind, "then again until after") && oom_short_fails(behind);
}

/* "I got a memory error, then I reduced the batch to 1 and it worked": where a clause says that it
 * works with what was made less, in a line that says that it failed. */
static const char *
reduced(struct talk t)
{
	const char *s, *at, *end = t.s + t.n;
	struct talk clause;
	size_t n, length;

	for (s = t.s; (s = talk_find_whole(talk_part(t, s, end), WORKS_FINE, &n)); s += n) {
		clause = talk_clause(t, s, n);
		at = talk_find_whole(talk_part(clause, clause.s, s), "reduce|reduced|reducing|lower|lowered|lowering|decrease|decreased|decreasing", &length);
		if (at && counts(talk_part(clause, at, s)) > 0 && clause_works(clause) && !oom_short_fails(clause) && oom_short_fails(t) &&
		    !memchr(clause.s, '?', clause.n) && !fails_again(t, clause))
			return at;
	}
	return NULL;
}

/* What takes no memory by its size. */
#define OF_NO_SIZE	"learning rate|lr|version|torch|pytorch|cuda|python|tensorflow|epochs|epoch|transformers|driver|port|seed|gpus|gpu"

/* "I had to change the frames from 129 to 65 to be able to run" */
#define HAD_TO		"to be able|in order to|to run|to fit|to make it|to avoid|to train|to get it"

/* "when I reduce minibatchsize 256 to 32, it runs well": the same by both numbers, where no failure
 * is told beside it. */
static const char *
works_reduced(struct talk t)
{
	const char *at = talk_first(t, "reduce|reducing|decreas|lower|change|changing|adjusted|modified"), *s, *end;
	int64_t from, to;

	if (!at)
		return NULL;
	t = talk_sentence(t, at);
	end = t.s + t.n;
	if (memchr(t.s, '?', t.n) || oom_short_fails(t) || talk_any_whole(t, "still even not") ||
	    !(clause_works(t) || talk_any_phrase(t, "run well|runs well|ran well|it runs|runs fine|ran fine") || (talk_has_whole(t, "i had to|we had to") && talk_has_whole(t, HAD_TO))))
		return NULL;
	for (s = at; s < end && !(is_digit(*s) && !piece_is_word(s[-1]) && s[-1] != '.'); s++)
		;
	if (s == end || !(s = piece_number(s, end, &from)) || end - s < 5 || memcmp(s, " to ", 4) != 0 || !is_digit(s[4]) ||
	    !(s = piece_number(s + 4, end, &to)) || (s < end && (piece_is_word(*s) || (*s == '.' && s + 1 < end && is_digit(s[1])))))
		return NULL;
	return to < from && !talk_has_whole(t, OF_NO_SIZE) ? at : NULL;
}

#define TAKES		"memory would be|memory is|memory was|memory usage is|memory usage was|memory usage would be|memory drops|memory dropped|memory usage drops|memory usage dropped|memory becomes|memory goes down|memory usage goes down|ram is|ram would be"

/* "If I lower the number of samples to 10000, the memory is at 15 GB": what takes less, whether or
 * not it is said to run. */
static const char *
takes_less(struct talk t)
{
	size_t n, length;
	const char *at = talk_find_whole(t, "i decreased|i decrease|i reduced|i reduce|i lowered|i lower|we decreased|we reduced|we lowered", &n), *takes;
	struct talk sentence = at ? talk_sentence(t, at) : t, clause = at ? talk_clause(t, at, n) : t;

	if (!at || counts(talk_part(clause, at, clause.s + clause.n)) <= 0 || !(takes = talk_find_whole(talk_part(t, at, sentence.s + sentence.n), TAKES, &length)) || !talk_any_phrase(talk_part(t, takes, sentence.s + sentence.n), "gb|gib|g "))
		return NULL;
	return memchr(sentence.s, '?', sentence.n) || oom_short_fails(sentence) || talk_any_whole(sentence, "still even not same only") || talk_has_whole(clause, OF_NO_SIZE) ? NULL : at;
}

#define CAN_RUN		"able to run|can run|could run|able to train|can train|able to generate|can generate|able to do|can do|runs at|runs with|works at|works with|works for"
#define CAN_NOT		"not work|not run|not train|n't work|n't run|n't train|cannot|can't|can not|fails|fail|failed|crashes|crashed|oom|out of memory"

/* The pixels of the first "512x512" of T; 0: it has none. */
static int64_t
sides(struct talk t)
{
	const char *to = NULL, *end = t.s + t.n, *times;
	int64_t high, wide;

	while (oom_number_walk(t, ".", &to, &high)) {
		if (high > MOST_SIDE)
			return 0;
		if ((times = oom_number_past_times(to, end)) > to && times < end && is_digit(*times) && (to = piece_number(times, end, &wide)) && wide <= MOST_SIDE)
			return high < LEAST_SIDE || wide < LEAST_SIDE || (to < end && piece_is_word(*to)) ? 0 : high * wide;
	}
	return 0;
}

/* "I can run 256x256, but 512x512 does not work": a size of pictures with which it runs, and a
 * larger one behind it with which it does not. */
static const char *
smaller_runs(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, CAN_RUN, &n);
	struct talk clause, sentence, behind;
	int64_t less;

	if (!at)
		return NULL;
	clause = talk_clause(t, at, n);
	sentence = talk_sentence(t, at);
	behind = talk_part(t, clause.s + clause.n, sentence.s + sentence.n);
	less = sides(clause);
	return less && sides(behind) > less && talk_has_whole(behind, CAN_NOT) && !clause_says_no(talk_part(t, clause.s, at), "if") && !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define MOST_RUNS	"largest|maximum|max|biggest|highest"
#define OF_SIZES	"resolution|image size|picture size|size of image|size of the image|size of images|input size|crop size|patch size|size"

/* "The largest resolution that can be used for training is 512 x 512": what is larger does not
 * run. */
static const char *
most_that_runs(struct talk t)
{
	size_t n, length;
	const char *at = talk_find_whole(t, MOST_RUNS, &n), *size;
	struct talk clause = at ? talk_clause(t, at, n) : t;

	if (!at || !(size = talk_find_whole(talk_part(clause, at, clause.s + clause.n), OF_SIZES, &length)) || !talk_any_whole(talk_part(clause, size, clause.s + clause.n), "i we can could able used use trained run") ||
	    !sides(talk_part(clause, size, clause.s + clause.n)))
		return NULL;
	return talk_any_whole(clause, "you your should would paper authors recommended supported supports what batch") || memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n) ? NULL : at;
}

/* "Reducing the 'hidden_size' parameter to 64 allows for training" */
static const char *
reducing_allows(struct talk t)
{
	size_t n, length;
	const char *at = talk_find_whole(t, "reducing|lowering|decreasing", &n), *allows;
	struct talk clause = at ? talk_clause(t, at, n) : t;

	if (!at || !(allows = talk_find_whole(clause, "allows|allowed|lets me|made it work|makes it work|made it run|makes it run", &length)) || allows < at || counts(talk_part(clause, at, allows)) <= 0 ||
	    memchr(clause.s, '?', clause.n) || oom_short_fails(clause))
		return NULL;
	return talk_any_whole(clause, "should would could might may if not never still even you your") || talk_any_phrase(clause, "n't ") ? NULL : at;
}

#define ONLY_WHEN	"only when|only if|only after|only once|only by"
#define LOWERS		"reduce reduced reducing lower lowered lowering decrease decreased decreasing shrink shrinked shrunk"

/* "I can infer only when I decrease max_disp to 96": the run does so with less of it. */
static const char *
only_lowered(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, ONLY_WHEN, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t, behind = at ? talk_part(t, at + n, sentence.s + sentence.n) : t;

	if (!at || memchr(sentence.s, '?', sentence.n) || !talk_any_whole(behind, LOWERS) || counts(behind) <= 0 || talk_has_whole(behind, OF_NO_SIZE))
		return NULL;
	return talk_any_whole(talk_part(t, sentence.s, at), "can could able works work runs run trains train fits fit") && !talk_any_whole(sentence, "should would you your not cannot") && !talk_any_phrase(sentence, "n't ") ? at : NULL;
}

#define WITH_SMALLER	"only trained on the first|only train on the first|trained only on the first|only used the first|only use the first|small part of|a part of|a subset of|small subset of|small portion of|a portion of|for smaller|on a smaller|on smaller|on a subset|on a small subset|with a subset|for a smaller|for a subset|with smaller|with a smaller|using smaller|using a smaller|with fewer|with lower|with a lower"
#define RUNS_FINE	"it runs|it ran|it finishes|it completes|it passes|it succeeds|run well|ran well|runs through|finally runs|works|work|worked|runs without|run without|runs fine|runs well|ran fine|trains fine|no problem|no error|no errors|no issue|without error|without any error|without errors"

/* "For smaller dimensions the code runs without error": what is said of one's own run. */
static const char *
runs_with_smaller(struct talk t)
{
	size_t n, length;
	const char *at = talk_find_whole(t, WITH_SMALLER, &n);
	struct talk clause = at ? talk_clause(t, at, n) : t, sentence = at ? talk_sentence(t, at) : t;

	/* "when I use a part of the data, it runs well", "on a smaller one (of 30k rows) it
	 * works" */
	if (at && (talk_any_whole(talk_part(clause, clause.s, at), "when") || (clause.s + clause.n < t.s + t.n && clause.s[clause.n] == '(')))
		clause = talk_part(t, clause.s, sentence.s + sentence.n);
	if (!at || memchr(sentence.s, '?', sentence.n) || !talk_find_whole(clause, RUNS_FINE, &length) || oom_short_fails(clause))
		return NULL;
	return talk_any_whole(clause, "should would could might may if not never still even hope want try you your") || talk_any_phrase(clause, "n't ") ? NULL : at;
}

#define ABLE		"succeeded in creating|succeed in creating|succeeded in generating|succeed in generating|managed to create|managed to generate|was able to create|was able to generate|able to create|succeed to run|succeeded to run|succeed to train|succeeded to train|succeeded in running|succeeded in training|succeed in running|succeed in training|succeed to run it|managed to run|managed to train|was able to run|was able to train|were able to run|were able to train"

/* "I succeeded to run it with 128x128": a size with which it runs. */
static const char *
able_with_size(struct talk t)
{
	size_t n;
	int64_t side;
	const char *at = talk_find_whole(t, ABLE, &n), *s, *to, *end, *times;
	struct talk clause = at ? talk_clause(t, at, n) : t;

	if (at && clause.s + clause.n < t.s + t.n && clause.s[clause.n] == '(')
		clause = talk_part(t, clause.s, talk_sentence(t, at).s + talk_sentence(t, at).n);
	if (!at || oom_short_fails(clause) || clause_is_question(talk_sentence(t, at)) || clause_says_no(clause, "if should would only without until before how") || talk_any_whole(clause, "batch epoch epochs steps paper"))
		return NULL;
	for (s = at + n, end = clause.s + clause.n; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || !(to = piece_number(s, end, &side)))
			continue;
		if (end - to > 3 && *to == '(' && is_letter(to[1]) && to[2] == ')')
			to += 3;		/* "320(h)x448(w)" */
		times = oom_number_past_times(to, end);
		if (side >= LEAST_SIDE && times > to && times < end && is_digit(*times))
			return at;
	}
	return NULL;
}

#define TAKES_SO_MUCH	"uses|used|takes|took|needs|needed|consumes|consumed|requires|required|allocates|allocated"

/* The tenths of a GB that a clause says something to take; 0: it says none. */
static int64_t
tenths_taken(struct talk clause)
{
	const char *s, *to, *end = clause.s + clause.n;
	int64_t n, tenths;

	if (!talk_has_whole(clause, TAKES_SO_MUCH))
		return 0;
	for (s = clause.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || !(to = piece_number(s, end, &n)))
			continue;
		tenths = 10 * n;
		if (to + 1 < end && *to == '.' && is_digit(to[1])) {
			tenths += to[1] - '0';
			for (to++; to < end && is_digit(*to); to++)
				;
		}
		if (talk_is_one_of(clause_word_behind(clause, to), "gb gib g"))
			return tenths;
	}
	return 0;
}

#define ONE		"one|a single|single|1"
#define OF_ONE_THING	"image picture photo frame video clip sample file text sentence document page sequence volume scene view slice recording prompt molecule protein patch point-cloud request user item row"

/* "For one picture it takes 1.4 GB", of a report by which it took more, and failed: what one takes
 * of which several were given. */
static const char *
one_takes(struct talk t)
{
	const char *at, *s, *next, *end = t.s + t.n;
	struct talk clause, word;
	int64_t one, more;
	size_t n;

	for (at = NULL; talk_next_whole(t, ONE, &at, &n); ) {
		clause = talk_clause(t, at, n);
		word = clause_word_behind(t, at + n);
		if (!talk_is_one_of(word, OF_ONE_THING) || !(one = tenths_taken(clause)) || clause_is_question(talk_sentence(t, at)) || talk_any_whole(clause, "each every per after"))
			continue;
		for (more = 0, s = t.s; s < end; s = next > s ? next + 1 : s + 1) {
			clause = talk_clause(t, s, 0);
			next = clause.s + clause.n;
			more = tenths_taken(clause) > more ? tenths_taken(clause) : more;
		}
		if (2 * more > 3 * one)
			return at;
	}
	return NULL;
}

#define CAN_NO		"cannot|can not|can't|cant|could not|couldn't|unable to|not able to"
#define MAKES		"run|execute|process|train|load|generate|handle|fit|infer|create|reconstruct|render|encode|decode|transcribe|segment|simulate"
#define BEYOND		"more than|over|beyond|above"

/* "I cannot run it on more than 2000 frames": as many do run. */
static const char *
none_beyond(struct talk t)
{
	const char *at, *s, *to, *end = t.s + t.n;
	struct talk clause, ahead;
	int64_t most;
	size_t n, length;

	for (at = NULL; talk_next_whole(t, BEYOND, &at, &n); ) {
		clause = talk_clause(t, at, n);
		s = talk_find_whole(clause, CAN_NO, &length);
		ahead = s && s < at ? talk_part(t, s, at) : talk_part(t, at, at);
		s = piece_past_blanks(at + n, end);
		if (talk_has_whole(ahead, MAKES) && s < end && is_digit(*s) && (to = piece_count(s, end, &most)) && most > 1 && oom_amount_is_thing(clause_word_behind(t, to)) && !clause_is_question(talk_sentence(t, at)))
			return at;
	}
	return NULL;
}

#define AT_FIRST	"for the first|at first|initially|in the beginning|at the beginning|for a while|for some time"

/* "With 416x416 it worked fine. But with 832x832 it is out of memory.", "it works with 20 images,
 * with 300 it does not": where a sentence says that it works with so much, in a line that says that
 * it fails with more. */
const char *
oom_less_runs(struct talk t)
{
	const char *s, *next, *works = NULL, *end = t.s + t.n;
	int64_t n, less = 0, most = 0;
	struct talk clause;
	size_t length;

	if ((next = works_reduced(t)) || (next = smaller_runs(t)) || (next = runs_with_smaller(t)) || (next = reducing_allows(t)) || (next = only_lowered(t)) || (next = takes_less(t)) || (next = one_takes(t)) || (next = none_beyond(t)) || (next = able_with_size(t)) || (next = most_that_runs(t)) || (next = oom_wording(t, WORDING_NOT_WITH_SMALLER)))
		return next;
	if (!talk_has_whole(t, WORKS_FINE))
		return NULL;
	for (s = t.s; s < end; s = next > s ? next + 1 : s + 1) {
		clause = talk_clause(t, s, 0);
		next = clause.s + clause.n;
		if (end - next > 5 && memcmp(next, " but ", 5) == 0)
			next += 4;
		if ((n = counts(clause)) == 0)
			continue;
		if (clause_works(clause) && (talk_has_whole(clause, AT_FIRST) || fails_again(t, clause)))
			continue;		/* one run, which fails later */
		if (clause_works(clause) && !oom_short_fails(clause) && !memchr(clause.s, '?', clause.n)) {
			works = works ? works : talk_find_whole(clause, WORKS_FINE, &length);
			less = less ? less : n;
		} else if (n > most && (oom_short_fails(clause) || oom_short_fails(talk_sentence(t, clause.s)) || talk_any_whole(clause, "exploded explodes"))) {
			most = n;
		}
	}
	return most > less ? works : reduced(t);
}
