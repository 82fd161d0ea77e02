/*
 * Sentences are told from a program's own lines by phrases that only people use. None of them is a fact of the run:
 * what they tell is which of the usual causes is likelier, and that is all they are taken for.
 */
#include "oom/oom_words.h"

#include <string.h>

#include "base/ascii.h"

#define AFTER	32	/* bytes from "after" to what is counted */
#define LEAST_SIDE	64	/* pixels of a picture's side */
#define MOST_SIDE	100000

#define FINE	" works work worked working fine ok okay succeeds passes"

enum side { AHEAD = 1, BEHIND = 2 };		/* of a phrase: where its clause may deny it */

/* The clause in which N bytes at AT stand: from one stop to the next. */
static struct piece
clause_of(struct piece t, const char *at, size_t n)
{
	static const char stops[] = ",;:!?()";
	const char *from = at, *to = at + n, *end = t.s + t.n, *but;

	while (from > t.s && !memchr(stops, from[-1], sizeof(stops) - 1) && !(from[-1] == '.' && *from == ' '))
		from--;
	while (to < end && !memchr(stops, *to, sizeof(stops) - 1) && !(*to == '.' && (to + 1 == end || to[1] == ' ')))
		to++;
	while ((but = piece_find((struct piece){ from, (size_t)(at - from) }, " but ")))
		from = but + 5;
	if ((but = piece_find((struct piece){ at + n, (size_t)(to - at - n) }, " but ")))
		to = but;
	return (struct piece){ from, (size_t)(to - from) };
}

/* Does a piece of a clause say no, by a word of MORE too? "I do not know why" does not. */
static bool
says_no(struct piece t, const char *more)
{
	if (piece_any_phrase(t, "not enough|n't enough|no idea|not know|n't know|not sure|not understand|n't understand|not only|"
	    "no matter|no memory|no more memory"))
		return false;
	return piece_any_whole(t, "not no never without nor neither cannot") || piece_any_phrase(t, "n't |n\xe2\x80\x99t |dont |doesnt ") ||
	    piece_any_whole(t, more);
}

/* Does T say any of the phrases of LIST, which strokes part, in a clause that does not deny it on those sides? */
static bool
says(struct piece t, const char *list, int sides, const char *more)
{
	const char *at, *end = t.s + t.n;
	struct piece clause, rest;
	char phrase[64];
	size_t n;

	for (; *list; list += n + (list[n] == '|')) {
		n = strcspn(list, "|");
		if (n == 0 || n >= sizeof(phrase))
			continue;
		memcpy(phrase, list, n);
		phrase[n] = '\0';
		for (rest = t; (at = piece_find(rest, phrase)); rest = (struct piece){ at + 1, (size_t)(end - at - 1) }) {
			clause = clause_of(t, at, n);
			if (!((sides & AHEAD) && says_no((struct piece){ clause.s, (size_t)(at - clause.s) }, more)) &&
			    !((sides & BEHIND) && says_no((struct piece){ at + n, (size_t)(clause.s + clause.n - at - n) }, more)))
				return true;
		}
	}
	return false;
}

/* Does memory grow, by these words? */
static bool
grows(struct piece t)
{
	if (!piece_any_of(t, "leak memory vram usage ram"))
		return false;
	if (piece_find(t, " to be ") && !piece_any_of(t, "seem appear"))
		return false;		/* what it is for */
	return says(t, "memory leak|leaks memory|leaking memory|keeps increas|keep increas|keeps on increas|keeps grow|"
	    "keep grow|keeps on grow|just keeps|memory increase|usage increase|is increasing|has been increasing|been increasing|"
	    "memory grows|usage grows|growing|increase over|increases over|increasing over|increases with|increase with|"
	    "increases each|increases every|gradually|slowly increas|steadily increas|steady increase|continuously|"
	    "constantly increas|builds up|build up|creep|accumulates|been accumulating|higher and higher|more and more|"
	    "continues to grow|continues to increase|increases along", AHEAD | BEHIND, "fixed solved stop stops stopped");
}

/* "after 26 epochs", "for a while" */
static bool
is_late(struct piece t)
{
	const char *at, *end = t.s + t.n;
	struct piece rest = t;

	if (!piece_any_of(t, "after while middle epoch"))
		return false;
	if (says(t, "for a while|after a while|after some time|middle of training|middle of the training|th epoch|nd epoch|"
	    "rd epoch|second epoch|third epoch|to epoch 2|epoch goes to|at epoch|end of the first epoch|"
	    "end of first epoch", AHEAD, "") || piece_any_phrase(t, "until epoch|until the"))
		return true;
	while ((at = piece_find(rest, "after "))) {
		at += 6;
		if (piece_any_begins((struct piece){ at, (size_t)(end - at < AFTER ? end - at : AFTER) },
		    "epoch iteration iter step batch minute hour") &&
		    !says_no((struct piece){ clause_of(t, at - 6, 6).s, (size_t)(at - 6 - clause_of(t, at - 6, 6).s) }, ""))
			return true;
		rest = (struct piece){ at, (size_t)(end - at) };
	}
	return false;
}

static bool
evaluates(struct piece t)
{
	return piece_any_of(t, "valid eval test") && says(t, "during validation|during the validation|during evaluation|during the evaluation|during eval|"
	    "in validation|in the validation|in evaluation|in the evaluation|while validating|while evaluating|when validat|"
	    "when evaluat|when doing validation|when doing evaluation|at validation|at evaluation|validation phase|"
	    "validation step|validation stage|validation part|validation loop|evaluation phase|evaluation step|"
	    "evaluation stage|evaluation part|evaluation loop|when testing|while testing|during testing|during the test|"
	    "during test|test phase|testing phase|test stage|testing stage|testing part|beginning testing|"
	    "starts validat|starts evaluat|start validat|start evaluat|in test mode|in testing mode|when i test|while i test|testing process|running test|run the test|at test time|in the test |"
	    "run evaluation|running evaluation|run validation|"
	    "running validation|perform evalu|perform valid|validation begins|evaluation code|test code", AHEAD | BEHIND, FINE);
}

/* "550*700 image", "the dimension of my pictures is 2480 x 3507" */
static void
size_of_pictures(struct oom_paste *p, struct piece t, int line)
{
	const char *s, *to, *end = t.s + t.n;
	int64_t high, wide;

	if (!piece_any_of(t, "image picture photo resolution") || piece_any_of(t, "screen monitor display desktop resiz crop scaled downsampl"))
		return;		/* or of what they were, not are */
	for (s = t.s; s < end; s = to ? to : s + 1) {
		if (!is_digit(*s) || (s > t.s && (piece_is_word(s[-1]) || s[-1] == '.'))) {
			to = NULL;
			continue;
		}
		to = piece_number(s, end, &high);
		to = piece_past_blanks(to, end);
		if (to < end && (*to == '*' || *to == 'x' || *to == 'X'))
			to++;
		else if (end - to >= 2 && memcmp(to, "\xc3\x97", 2) == 0)	/* the sign of multiplication */
			to += 2;
		else
			continue;
		to = piece_past_blanks(to, end);
		if (!(s = piece_number(to, end, &wide)) || (s < end && (*s == 'x' || *s == '*')))
			continue;
		if (high >= LEAST_SIDE && wide >= LEAST_SIDE && high <= MOST_SIDE && wide <= MOST_SIDE) {
			p->said_high = high;
			p->said_wide = wide;
			p->said_line = line;
		}
	}
}

static bool
infers(struct piece t)
{
	return piece_any_whole(t, "inference infer inferring") && says(t, "infer", AHEAD | BEHIND, FINE);
}

void
oom_words_line(struct oom_paste *p, struct piece t, int line)
{
	if (grows(t))
		p->grows = line;
	if (is_late(t))
		p->later = line;
	if (evaluates(t))
		p->evaluating = line;
	if (!piece_any_of(t, "train fine-tun finetun") && (infers(t) || piece_any_phrase(t, "long video|long audio|"
	    "long film|video_length|video length|minute video|minutes video|minutes of video|min video|minute audio|minutes audio|"
	    "minutes of audio|min audio|audio.wav|.mp4")))
		p->inferring = line;
	if (says(t, "while loading|when loading|during loading|to load|can't load|cannot load|can not load|couldn't load|"
	    "could not load|fails to load|failed to load|when i load|when it loads", AHEAD, FINE))
		p->loading = line;
	if (says(t, "dataparallel|data parallel|multi-gpu|multi gpu|multi_gpu|first gpu|first card|gpu 0 |gpu0 |0 gpu|"
	    "other gpus|gpus = '0,1|each gpu", AHEAD, "") && !piece_any_of(t, "capacity total cuda_visible"))
		p->parallel = line;
	if (piece_any_begins(t, "torch pytorch"))
		p->torch = line;
	size_of_pictures(p, t, line);
	if (piece_any_of(t, "pytorch torch") && piece_any_phrase(t, "h 0.3|h0.3|=0.3"))
		p->older = line;
	if (piece_any_of(t, "pytorch torch") && piece_any_phrase(t, "h 0.4|h0.4|=0.4"))
		p->newer = line;
}
