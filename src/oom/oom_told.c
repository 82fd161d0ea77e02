/*
 * Reports in a person's words alone, with no program's message (oom_short.h). A clause that denies
 * it, advises against it or is code says nothing. Which memory it was is read from that sentence
 * alone (oom_whose.h); batches, sizes and names from all of them, and only told again.
 */
#include "oom/oom_told.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_elsewhere.h"
#include "oom/oom_form.h"
#include "oom/oom_much.h"
#include "oom/oom_named.h"
#include "oom/oom_short.h"
#include "oom/oom_whose.h"

#define OF_TENTH	"% of system memory|% of free system memory"	/* TensorFlow's warning, which is no failure */

/* What a clause is of that advises, or tells what a program does about it. */
#define POLITE		"if you could|if you can|if you know|if you have any|if anyone|if someone|if somebody"
#define POLITE_WITHIN	16	/* bytes, from its "if" */
#define ASKED		"help tell explain know knows advise idea ideas suggestion suggestions advice clue hint hints solution solutions"
#define ADVICE		"fixed a bug|fixes a bug|fix a bug|bug where|in case|avoid|avoids|avoiding|prevent|prevents|preventing|catch|catches|catching|handles|" \
    "checks for|check for|looks for|look for|searches for|matches the string|the string|"	\
    "paper says|paper claims|paper reports|paper states|authors say|authors claim|authors report|whether|i thought|thought it|would expect|worried|worry|afraid|mitigate|mitigates|risk|should you|simulate oom|simulate an|simulate out|simulate the out|simulate the oom|simulate a cuda|simulate cuda|simulate memory|simulate low|simulate insufficient|simulates an|simulates out|simulates oom|simulates the|instead of running"
/* What is worked on from files, which some call "out of memory" for "out of core". */
#define OUT_OF_CORE	"dataframe|dataframes|data frame|data frames|dataset|datasets|data set|data sets|computation|computations|computing|data processing|learning"
/* What stands behind it in the name of something that deals with it. */
#define NAMED_AFTER	"handling|handler|detection|detector|prevention|protection|guard|score|recovery|retry|retries|test|tests|safe|"	\
    "adjustment|aware|callback|lane|exception handling|killer config|" OUT_OF_CORE

/* "is_out_of_memory(RuntimeError('CUDA error: out of memory'))": is an error made as what a
 * function is given? */
static bool
is_given_error(struct talk t)
{
	const char *s = talk_first(t, "error('|error(\"|exception('|exception(\""), *from;

	for (from = s; from && from > t.s && (is_letter(from[-1]) || from[-1] == '.' || from[-1] == '_'); from--)
		;
	if (!from || from - t.s < 2 || from[-1] != '(')
		return false;
	for (from--; from > t.s && piece_is_word(from[-1]); from--)
		;
	return *from >= 'a' && *from <= 'z';	/* not Ray's RayTaskError(RuntimeError(...)) */
}

/* "If I use it, I get in the end:" is no code. */
#define OF_PERSON	"i run|i get|i got|i try|i tried|i use|i used|i train|i set|i do|i don't|i dont|i have|i am|i want|we run|we get|we use|we train|i start|i increase"

/* A line of a program's text, or of its log. */
static bool
is_code(struct talk t)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n), *end = t.s + t.n;
	struct talk rest = talk_part(t, s, end);

	if (talk_first(rest, "from ") == s && talk_any_phrase(rest, " import "))
		return true;
	if (talk_any_phrase(t, "str(e)|print(|printf(|logger.info|logger.err|logger.warn|logger.debug|logger.exc|logger.crit|logging.info|logging.err|logging.warn|logging.debug|logging.exc|logging.crit|warnings.warn(|std::cerr|#include|assert(|log(|, line |"
	    "://github.com/pytorch/pytorch/blob|: raise |; raise |{ raise |: throw |; throw |{ throw |: return |; return |{ return ") ||
	    talk_first(rest, "raise |except |throw |return |def ") == s || is_given_error(t))
		return true;
	if (end - s >= 2 && (memcmp(s, "//", 2) == 0 || memcmp(s, "/*", 2) == 0 || memcmp(s, "* ", 2) == 0 || (memcmp(s, "--", 2) == 0 && (end - s < 3 || !is_letter(s[2])))) &&
	    memcmp(s, "* ", 2) != 0)
		return true;
	return (talk_any_begins(talk_head(t, s, 6), "if elif while for") && end > s && end[-1] == ':' &&
	    talk_any_of(rest, "( == in ") && !talk_has_whole(rest, OF_PERSON));
}

static bool
is_sentence(struct talk t)
{
	return talk_has_whole(t, "running out of|run out of|runs out of") ||
	    talk_any_whole(t, "i my me we our you your it when after while how why even with on get got keep this the to is are can");
}

struct talk
oom_told_sentence(const struct oom_told *o, struct talk t)
{
	return talk_holds(t, o->here) ? talk_sentence(t, o->here) : t;
}

/* "There is no OOM error reported", of what did run; not "no OOM with 1, but OOM with 2". */
static bool
denies_failure(struct talk sentence)
{
	const char *at;
	bool any = false;
	size_t n;

	for (at = NULL; talk_next_whole(sentence, "oom|ooms|out of memory|out-of-memory|memory error|memory errors", &at, &n); ) {
		if (!clause_denies(sentence, at, n))
			return false;
		any = true;
	}
	return any;
}

bool
oom_told_is_of_failure(const struct oom_told *o, struct talk t, const char *at, int line)
{
	struct talk sentence = talk_sentence(t, at);

	if (o->here_line == line && talk_holds(sentence, o->here))
		return true;
	return !denies_failure(sentence) &&
	    (clause_names_failure(sentence) || talk_any_whole(sentence, "memory vram enough insufficient") || oom_short_fails(sentence));
}

/* "If I use a batch of 16 it throws an error": what is seen each time, where I is who does it, and
 * something else tells of it. */
#define SEEN		"then even|it throws|it gives|it crashes|it fails|it runs|it shows|it says|it raises|it reports|then a|then an|then the|i get|i got|i receive|i run into|i ran into|i run out|i ran out|we get|we got|we run into|we run out"

static bool
is_seen(struct talk clause, const char *behind)
{
	struct talk who = clause_word_behind(clause, behind);

	if (talk_has_whole(talk_part(clause, who.s + who.n, clause.s + clause.n), "i get|i got|i run into|i ran into|i run out|i ran out|we get|we got|we run into|we run out") && !talk_any_whole(who, "you your"))
		return true;		/* "if my images are of that size I get this error" */
	return talk_any_whole(who, "i we") && talk_has_whole(talk_part(clause, who.s + who.n, clause.s + clause.n), SEEN);
}

/* "Take less if it runs out of memory"; but "even if I take less", what comes after the comma of
 * "if it runs, it runs out of memory", and "if you could help with it", are what is said. */
static bool
is_condition(struct talk clause, const char *at)
{
	struct talk before = talk_part(clause, clause.s, at);
	const char *s;
	size_t n;

	for (s = NULL; talk_next_whole(before, "if", &s, &n); )
		if (!talk_any_whole(clause_word_ahead(before, s), "even as what") && !is_seen(before, s + n) && !(talk_has_whole(talk_head(before, s, POLITE_WITHIN), POLITE) &&
		    talk_any_whole(talk_part(before, s, at), ASKED)))
			return true;
	return false;
}

/* "If you have less than 12 GB, it will run out of memory": what is told to others, not what
 * happened. */
static bool
is_told_to_others(struct talk line, struct talk clause, const char *at)
{
	struct talk sentence = talk_sentence(line, at), before = talk_part(sentence, sentence.s, at);

	return talk_has_whole(before, "if you") && talk_any_whole(talk_part(clause, clause.s, at), "will would can could may might") &&
	    !talk_any_whole(before, ASKED);
}

/* "It runs out of memory unless tiles are used"; but "unless I take care", "unless the lengths are
 * reduced", or "impossible unless you have huge amounts of RAM", tells of what happens. */
static bool
is_excepted(struct talk clause)
{
	size_t n;
	const char *at = talk_find_whole(clause, "unless", &n);

	return at && !talk_is_one_of(clause_word_behind(clause, at + n), "i we") && !talk_has_whole(talk_part(clause, at + n, clause.s + clause.n), "is reduced|are reduced|is lowered|are lowered|is decreased|are decreased|is limited|are limited|is made smaller|are made smaller") && !talk_has_whole(clause, "unless you have|unless you've|unless you own|unless one has");
}

#define BOUND_TO	"i can only|i can just|we can only|we can just|can only use|can just use|i have to|i had to|we have to|we had to|i need to use|i must|i am forced|i'm forced|i could only"

/* "I can only use a small batch to avoid the out of memory error": it comes without that. */
static bool
is_bound(struct talk clause, const char *at)
{
	size_t n;
	const char *avoids = talk_find_whole(clause, "to avoid|to prevent", &n), *bound = talk_find_whole(clause, BOUND_TO, &n);

	return bound && avoids && bound < avoids && avoids < at;
}

/* "It ends too regularly for it to be a memory issue": what is doubted. */
static bool
is_doubted(struct talk clause, const char *at)
{
	struct talk before = talk_part(clause, clause.s, at);

	return talk_any_whole(before, "too") && talk_has_whole(before, "for it to be|for this to be|for that to be|for it being|to be just a|to be only a");
}

/* What did not happen by such words right ahead of it, but where it goes on that it did. */
#define FEARED		"concern on|concern over|concern about|concern of|concern for|concerns on|concerns over|concerns about|concerns of|concerns for|concern that|concerned with|concerned that|fear of|fears of|fear that|fearing|for fear|scared of|wary of|danger of|threat of"
#define DID_HAPPEN	"i get|i got|i'm getting|i am getting|we get|we got|i see|i have|i had|happens|happened|occurs|occurred|appears|appeared|came|comes|again|still"
#define FEARED_WITHIN	24	/* bytes, from such words to what is feared: "running", "a possible" */

/* "I stopped it for fear of CUDA OOM", "in danger of running out of memory". */
static bool
is_feared(struct talk line, struct talk clause, const char *at)
{
	struct talk rest = talk_part(clause, clause.s, at);
	const char *found;
	size_t n;

	while ((found = talk_find_whole(rest, FEARED, &n)))
		if (at - (found + n) <= FEARED_WITHIN)
			return !talk_any_whole(talk_part(clause, found + n, at), "and but or it this i we") && !talk_has_whole(talk_part(line, at, line.s + line.n), DID_HAPPEN);
		else
			rest = talk_part(rest, found + n, rest.s + rest.n);
	return false;
}

/* "better handling of OOM", but not "OOM when handling more than 30 images". */
static bool
deals_with(struct talk clause)
{
	return talk_any_whole(clause, "handling") && !talk_has_whole(clause, "when handling|while handling|upon handling|by handling|after handling|for handling|start handling");
}

/* "The disk space runs out of memory": what ended, by the name ahead of AT, is room for files,
 * which people call memory, too. Not "loading it from the disk runs out of memory". */
static bool
is_of_disk(struct talk t, const char *at)
{
	struct talk clause = talk_clause(t, at, 1), word = clause_word_ahead(clause, at);

	while (talk_is_one_of(word, "run runs ran running out of is was gets got has always then usually"))
		word = clause_word_ahead(clause, word.s);
	if (talk_is_one_of(word, "space"))
		word = clause_word_ahead(clause, word.s);
	if (!talk_is_one_of(word, "disk disc drive storage ssd hdd"))
		return false;
	for (word = clause_word_ahead(clause, word.s); talk_is_one_of(word, "the a my our its local hard fast same"); word = clause_word_ahead(clause, word.s))
		;
	return !talk_is_one_of(word, "from to on in of into off via by with");
}

bool
oom_told_happened(struct talk line, const char *at, size_t n)
{
	struct talk clause = talk_clause(line, at, n), next;
	const char *end = clause.s + clause.n, *to = piece_past_blanks(at + n < end && memchr("\"'`", at[n], 3) ? at + n + 1 : at + n, end);
	size_t length;

	next = talk_part(line, to, end);
	if (is_code(line) || clause_denies(line, at, n) || is_told_to_others(line, clause, at) || is_doubted(clause, at) || is_of_disk(line, at) || is_feared(line, clause, at))
		return false;
	if (talk_find_whole(next, NAMED_AFTER, &length) == to)
		return false;
	return ((!(talk_has_whole(clause, ADVICE) || deals_with(clause)) || is_bound(clause, at)) && !is_excepted(clause) && !is_condition(clause, at)) || clause_is_question(talk_sentence(line, at));
}

/* Of two lines the one that says whose memory it was, then a sentence, then the one that says
 * more. */
static bool
says_more(const struct oom_told *a, const struct oom_told *b)
{
	bool placed = a->device || a->host, other = b->device || b->host;

	if (a->what == TOLD_MUCH || b->what == TOLD_MUCH)
		return a->what < b->what;
	if ((a->what == TOLD_GROWS && b->what < TOLD_TROUBLE) || (b->what == TOLD_GROWS && a->what < TOLD_TROUBLE))
		return b->what == TOLD_GROWS;
	return placed != other ? placed : a->sentence != b->sentence ? a->sentence : a->what < b->what;
}

static void
keep(struct oom_told *o, const struct oom_told *now)
{
	bool grew = o->what == TOLD_GROWS && !now->device && !now->host;	/* what grew is what ended */

	if (o->what && !says_more(now, o))
		return;
	o->what = now->what;
	o->said = now->said;
	o->device = grew ? o->device : now->device;
	o->host = grew ? o->host : now->host;
	o->sure = grew ? o->sure : now->sure;
	o->guess = now->guess;
	o->named = grew ? o->named : now->named;
	o->sentence = now->sentence;
}

/* Are there words in parentheses, without which a line that says nothing may say it? */
static bool
may_have_aside(struct talk t)
{
	return memchr(t.s, '(', t.n) && memchr(t.s, ')', t.n) && oom_short_may_say(t);
}

/* Is a beginning of a word all that stands in the parentheses at I: "(V)RAM", "(re)train"? */
static bool
is_beginning(struct talk t, size_t i)
{
	size_t to = i + 1;

	while (to < t.n && is_letter(t.s[to]))
		to++;
	return to > i + 1 && to + 1 < t.n && t.s[to] == ')' && is_letter(t.s[to + 1]) && (i == 0 || !piece_is_word(t.s[i - 1]));
}

/* Writes to TO the line without what stands in parentheses, up to MOST bytes; a word's beginning
 * stays. *FROM: how much of the line that took. How many bytes they are. */
static size_t
put_plain(struct talk t, char *to, size_t most, size_t *from)
{
	size_t i, n = 0;
	int depth = 0;
	bool begins = false;

	for (i = 0; i < t.n && n < most; i++) {
		if (depth == 0 && t.s[i] == '(' && is_beginning(t, i)) {
			begins = true;
		} else if (begins && t.s[i] == ')') {
			begins = false;
		} else {
			depth += t.s[i] == '(';
			if (depth == 0)
				to[n++] = t.s[i];
			depth -= t.s[i] == ')' && depth > 0;
		}
	}
	*from = i;
	return n;
}

/* The line without what stands in parentheses: "the memory (not the GPU's) is full". */
struct talk
oom_told_plain(struct talk t, char to[OOM_TOLD_LINE])
{
	size_t from, n = put_plain(t, to, OOM_TOLD_LINE, &from);

	return lexicon_read(t.of, to, n);
}

const char *
oom_told_in_itself(struct talk itself, const char *plain, const char *at)
{
	char to[OOM_TOLD_LINE];
	size_t from, n = (size_t)(at - plain) + 1;

	put_plain(itself, to, n < OOM_TOLD_LINE ? n : OOM_TOLD_LINE, &from);
	return itself.s + (from > 0 ? from - 1 : 0);
}

/* Whose memory it is, by the words of T. */
static void
place(struct oom_told *o, struct talk t)
{
	struct whose w = oom_whose(t);

	o->device = w.device || (!w.host && ((oom_elsewhere_names_cards(t) && !oom_elsewhere_is_machines(t)) || oom_elsewhere_is_cards(t)));
	o->host = w.host;
	o->named = w.host;
	o->sure = w.sure;
}

/* Within an address: "https://discourse.a.org/t/out-of-memory-in-b/123" quotes another's title. */
static bool
is_of_address(struct talk t, const char *at)
{
	const char *s = at;

	while (s > t.s && s[-1] > ' ')
		s--;
	return at && talk_any_phrase(talk_part(t, s, at), "://");
}

/* "Is it that my GPU has too little?", "是我的显存不够吗？", at AT: what someone who does not know takes
 * for the reason, and not "why does it run out of memory?". */
static bool
is_guess(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at);

	return talk_any_phrase(talk_clause(t, at, 1), "吗|是不是|难道|だろうか|인가요|일까요") ||
	    (memchr(sentence.s, '?', sentence.n) && !talk_any_whole(sentence, "how why what when where which"));
}

static void
memory(struct oom_told *o, struct talk t, int line)
{
	struct talk line_itself = t;
	char plain[OOM_TOLD_LINE];
	struct oom_told now = { 0 };
	const char *at;
	size_t n;

	if (!o->tenth && talk_any_phrase(t, OF_TENTH))
		o->tenth = line;
	if (!o->lost && talk_any_phrase(t, "context_lost_webgl"))
		o->lost = line;
	if (oom_elsewhere_says(&now, t)) {
		said_at(&now.said, t, now.at, line);
	} else if (!form_is_logged(t) && !talk_any_phrase(t, OF_TENTH)) {
		now.what = oom_short_says(t, &at, &n);
		if ((now.what == TOLD_NOTHING && may_have_aside(t)) || talk_any_phrase(t, "(v)ram")) {
			t = oom_told_plain(t, plain);
			now.what = oom_short_says(t, &at, &n);
		}
		if (!now.what && (at = oom_much(t)) && oom_told_happened(t, at, n = 1))
			now.what = TOLD_MUCH;
		if (now.what && is_of_address(t, at))
			now.what = TOLD_NOTHING;
		now.at = now.here = at;
		if (now.what) {
			said_at(&now.said, t, at, line);
			place(&now, talk_clause(t, at, n));
		}
		if (now.what && !now.device && !now.host && !oom_whose_lists_both(oom_told_sentence(&now, t)))
			place(&now, oom_told_sentence(&now, t));
		if (now.what && !now.device && !now.host && !oom_whose_lists_both(t))
			now.host = oom_whose_ram(t) || oom_whose_ram_ends(t) || (talk_any_phrase(t, "内存") && !talk_any_phrase(t, "显存") && oom_elsewhere_is_machines(t) && !oom_elsewhere_is_cards(t)) || (now.at && oom_elsewhere_is_apart(t, now.at));
		if (now.what && now.device && oom_whose_is_gpu_ram(t))
			o->gpu_ram = line;
		if (now.host && o->gpu_ram && talk_any_whole(t, "ram") && oom_whose_may_be_gpu_ram(t)) {
			now.host = false;
			now.device = now.sure = true;
		}
		if (t.s == plain)
			lexicon_read(t.of, line_itself.s, line_itself.n);
		if (t.s == plain && now.what)		/* quoted as it stands */
			said_at(&now.said, line_itself, oom_told_in_itself(line_itself, plain, now.at), line);
		now.at = talk_holds(line_itself, now.at) ? now.at : line_itself.s;
	}
	now.sentence = now.what && is_sentence(line_itself);
	if (talk_any_whole(line_itself, "computer pc laptop") && oom_whose_names_card(line_itself))
		now.named = false;		/* "my PC runs out of memory, on a 2080" */
	now.guess = now.what && is_guess(line_itself, now.at);
	if (now.what && oom_whose_halts_machine(line_itself))
		o->freezes = line;
	if (now.what) {
		o->here = now.at;
		o->here_line = line;
		keep(o, &now);
	}
}

void
oom_told_grows(struct oom_told *o, struct talk t, int line)
{
	struct oom_told now = { .what = TOLD_GROWS, .at = t.s, .sentence = is_sentence(t) };

	said_at(&now.said, t, t.s, line);
	place(&now, t);
	if (o->what && o->what < TOLD_TROUBLE && !o->device && !o->host) {
		o->device = now.device;
		o->host = now.host;
		o->sure = now.sure;
	}
	keep(o, &now);
}

void
oom_told_stays(struct oom_told *o, struct talk t, int line, bool device)
{
	struct oom_told now = { .what = TOLD_TROUBLE, .at = t.s, .sentence = is_sentence(t) };

	if (o->what)
		return;
	said_at(&now.said, t, t.s, line);
	place(&now, t);
	now.device |= device || talk_any_phrase(t, "\xe6\x98\xbe\xe5\xad\x98|\xe6\x98\xbe\xe5\x8d\xa1");	/* 显存, 显卡 */
	keep(o, &now);
}

void
oom_told_line(struct oom_told *o, struct talk t, int line)
{
	memory(o, t, line);
	oom_named_line(o, t, line);
}
