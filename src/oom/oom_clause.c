/* Clauses end at stops and at "but"; of a negation what counts is where it stands. */
#include "oom/oom_clause.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_pattern.h"
#include "oom/oom_writing.h"

#define NEAR_WORDS	8	/* beside a phrase, within which a negation is of it */

/* "There is no memory left": not "no memory was leaked", nor "no memory issue". */
static bool
has_no_memory(struct talk t)
{
	const char *at = NULL;
	struct talk word;
	size_t n;

	while (talk_next_phrase(t, "no memory|no more memory", &at, &n)) {
		word = clause_word_behind(t, at + n);
		while (talk_is_one_of(word, "is was were has have been being usage to get gets got"))
			word = clause_word_behind(t, word.s + word.n);
		if (!talk_any_begins(word, "leak grow increas issue problem error troubl accumul kept keep"))
			return true;
	}
	return false;
}

/* What there is none of, where something happens for all that. */
#define IN_SPITE_OF_NONE	"despite no|despite not|despite there being no|though no|though there is no|though there are no|though there was no|though there were no"

bool
clause_says_no(struct talk t, const char *more)
{
	if (has_no_memory(t) || talk_any_phrase(t, "not enough|n't enough|no idea|not know|n't know|not sure|not understand|n't understand|not only|"
	    "no matter|" IN_SPITE_OF_NONE "|non-stop|nonstop|never stop|without releas|without freeing|without stop|without limit|without bound|without end|without ever"))
		return false;
	return talk_any_whole(t, "not no never without nor neither cannot") || talk_any_phrase(t, "n't |n\xe2\x80\x99t |dont |doesnt ") ||
	    talk_any_whole(t, more);
}

#define AT_EASE		"without a problem|without problem|without problems|without any problem|without any problems|without issue|without issues|without an issue|without any issue|without any issues|" \
    "without error|without errors|without an error|without any error|without any errors|without trouble|without any trouble|without a hitch|smoothly"
#define ABLE		"am able to|was able to|were able to|is able to|are able to|can load|can run|can be loaded|could load|could run|can train|could train"
#define WISHED		"if how what so when until before should would want wants hope to whether where which why must might may be"

/* "It loads without a problem", "I am able to load and run it": not what is wished for, nor "it can
 * run out of memory". */
static bool
goes_well(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, AT_EASE, &n), *end = t.s + t.n;

	if (at && !talk_any_whole(talk_part(t, at + n, end), "until till except") && !clause_says_no(talk_part(t, t.s, at), "should would could might if how to"))
		return true;
	return (at = talk_find_whole(t, ABLE, &n)) && !clause_says_no(talk_part(t, t.s, at), WISHED) && !clause_runs_out(t, at + n) && !talk_is_one_of(clause_word_behind(t, at + n), "only") &&
	    !talk_any_whole(talk_part(t, at + n, end), "only out until");
}

/* Not "fine-tuned", nor a folder's name, "build/work/src". */
bool
clause_works(struct talk t)
{
	const char *at, *end = t.s + t.n;
	size_t n;

	for (at = NULL; talk_next_whole(t, "works|work|worked|working|fine|ok|okay|succeeds|passes|loads normally|runs normally|trains normally|run normally|train normally", &at, &n); )
		if (!clause_says_no(talk_part(t, t.s, at), "") && (at + n == end || !memchr("-/\\", at[n], 3)) && (at == t.s || !memchr("/\\", at[-1], 2)) &&
		    !talk_any_begins(talk_head(t, piece_past_blanks(at + n, end), 4), "tun") && !talk_is_one_of(clause_word_behind(t, at + n), "better worse slower faster"))
			return true;
	return goes_well(t);
}

bool
clause_runs_out(struct talk t, const char *to)
{
	struct talk word = clause_word_behind(t, to);

	while (piece_past_blanks(to, t.s + t.n) == word.s && talk_is_one_of(word, "always still again just also quickly immediately directly easily me us the a an cuda gpu")) {
		to = word.s + word.n;
		word = clause_word_behind(t, to);
	}
	return piece_past_blanks(to, t.s + t.n) == word.s && talk_is_one_of(word, "out oom ooms into short outofmemory outofmemoryerror");
}

bool
clause_has_it(struct talk t, const char *at)
{
	struct talk ahead = clause_word_ahead(t, at);

	while (talk_is_one_of(ahead, "a an the such this that"))
		ahead = clause_word_ahead(t, ahead.s);
	return talk_is_one_of(ahead, "have has had having with got given is are");
}

const char *
clause_says(struct talk t, const char *list, int sides, const char *more)
{
	return clause_says_unless(t, list, sides, more, NULL);
}

const char *
clause_says_unless(struct talk t, const char *list, int sides, const char *more, clause_refuse *refuses)
{
	const char *at = NULL;
	struct talk clause;
	size_t n;

	while (talk_next_phrase(t, list, &at, &n)) {
		clause = talk_clause(t, at, n);
		if (!((sides & AHEAD) && clause_says_no(talk_part(t, clause.s, at), more)) &&
		    !((sides & BEHIND) && clause_says_no(talk_part(t, at + n, clause.s + clause.n), more)) &&
		    !((sides & WORKS) && clause_works(clause)) && !(refuses && refuses(t, clause, at)))
			return at;
	}
	return NULL;
}

/* What something grows with that is no time, */
#define WITH_SETTING	"with each larger|with every larger|with each bigger|with each longer|with each additional|with every additional|with each added|with each extra|with the batch|with batch|with the size|with the image|with image|with the resolution|with resolution|with the sequence|with sequence|with the length|with length|" \
    "with the context|with context|with larger|with bigger|with longer|with higher|with the model|by a factor|" \
    "as the sequence|as the text|as the context|as the prompt|as the input|with the number of images|with the number of samples|with the number of layers|with the number of classes|with the number of workers|" \
    "with the number of gpus|with the number of tokens|with the number of objects|with the number of points|with the number of channels|with the number of users"
/* or as something else was changed; */
#define CHANGED		"with the new version|with a new version|with the newer version|after the update|after updating|after i updated|after upgrading|after the upgrade|after i upgraded|since the update|since i updated"
/* or once, and no more; */
#define RISES_ONCE	"first and then decreases|first and then drops|and then decreases|and then drops|then falls|stays there|remains there|first epoch only|first step only|when the model was loaded|when the model is loaded|stays constant|remains constant|stays the same|remains the same|then constant|is constant then|stays stable|remains stable|stabilizes|stabilises|then stable|levels off|plateaus|stays flat|remains flat|" CHANGED
/* and what people make larger, ahead of what they see. */
#define MADE_LARGER	"when i increase|if i increase|as i increase|when increasing|after increasing|if i raise|when i raise|when raising|when i use a larger|when i use larger|when using larger|when using a larger|" \
    "with a larger|with larger|with a bigger|with bigger|with a longer|with longer|" CHANGED

bool
clause_rises_otherwise(struct talk clause, const char *at)
{
	return talk_has_whole(talk_part(clause, at, clause.s + clause.n), WITH_SETTING "|" RISES_ONCE) || talk_has_whole(talk_part(clause, clause.s, at), MADE_LARGER);
}

/* ---- quotes ---- */

#define CUT	"..."
#define WORD	24		/* bytes of one; what is longer is cut within */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == OOM_BREAK;
}

/* From S on, up to where a word begins; of a long one, up to where a sign of UTF-8 does. */
static const char *
next_word(const char *s, const char *end)
{
	const char *from = s;

	while (s < end && s - from < WORD && !is_blank(*s))
		s++;
	if (s == end || !is_blank(*s))
		s = from;
	while (s < end && (is_blank(*s) || ((unsigned char)*s & 0xc0) == 0x80))
		s++;
	return s;
}

/* From S back, to where a word ends. */
static const char *
last_word(const char *from, const char *s)
{
	const char *to = s;

	while (s > from && to - s < WORD && !is_blank(*s))
		s--;
	if (s == from || !is_blank(*s))
		for (s = to; s > from && ((unsigned char)*s & 0xc0) == 0x80; s--)
			;
	while (s > from && is_blank(s[-1]))
		s--;
	return s;
}

void
said_at(struct said *said, struct talk t, const char *at, int line)
{
	struct talk sentence = talk_sentence(t, at);
	const char *s = sentence.s, *end = s + sentence.n, *to;
	size_t most = SAID - sizeof(CUT CUT), n = 0;

	while (s < end && (is_blank(*s) || *s == OOM_BREAK || *s == ')'))
		s++;
	at = at > s ? at : s;
	while (end > at && is_blank(end[-1]))
		end--;
	if ((size_t)(end - s) > most && (size_t)(at - s) > most / 3) {
		s = next_word(at - most / 3, at);
		memcpy(said->words, CUT, n = sizeof(CUT) - 1);
	}
	to = (size_t)(end - s) > most ? last_word(at, s + most) : end;
	for (; s < to; s++)
		said->words[n++] = *s == OOM_BREAK ? ' ' : *s;
	if (to < end) {
		memcpy(said->words + n, CUT, sizeof(CUT) - 1);
		n += sizeof(CUT) - 1;
	}
	said->words[n] = '\0';
	said->line = line;
}

bool
clause_ends_at(const char *s, const char *end)
{
	return end - s >= 3 && (memcmp(s, "。", 3) == 0 || memcmp(s, "！", 3) == 0 || memcmp(s, "？", 3) == 0 ||
	    memcmp(s, "；", 3) == 0);
}

struct talk
clause_sentence(struct talk t, const char *at)
{
	struct talk is = talk_sentence(t, at);
	const char *from = at, *to = at, *end = is.s + is.n;

	while (from > is.s && !(from - is.s >= 3 && clause_ends_at(from - 3, from)))
		from--;
	while (to < end && !clause_ends_at(to, end))
		to++;
	return talk_part(is, from, to);
}

#define PASSES_BY	"unlike|compared with|compared to|i compared|instead of|rather than|am not|i'm not|is not|are not|isn't|not using|do not use|don't use|not training a|never use|never used"

bool
clause_passes_by(struct talk t, const char *at)
{
	return talk_has_whole(talk_part(t, talk_clause(t, at, 1).s, at), PASSES_BY);
}

#define MOST_LINKS	5	/* between a name and its value: */
#define TO_VALUE	"a size setting settings value values of from to is was are be set only just already as at even equal equals reduced lowered decreased changed down"

bool
clause_is_set_to(struct talk t, const char *s, const char *values)
{
	struct talk word, ahead = talk_part(t, s, s);
	int i;

	for (i = 0; i < MOST_LINKS; i++, s = word.s + word.n, ahead = word) {
		word = clause_word_behind(t, s);
		if (talk_is_one_of(ahead, "from") && word.n > 0 && is_digit(*word.s))
			continue;		/* "from 8 to 1" */
		if (memchr(s, '>', (size_t)(word.s - s)) || memchr(s, '<', (size_t)(word.s - s)))
			return false;
		if (talk_is_one_of(word, values))
			return true;
		if (!talk_is_one_of(word, TO_VALUE))
			return false;
	}
	return false;
}

bool
clause_is_question(struct talk t)
{
	return memchr(t.s, '?', t.n) || talk_any_whole(t, "how why");
}

#define LEARNED		"ap map miou iou dice loss losses nan acc f1 auc fid bleu psnr metric metrics score scores result results category categories class classes " \
    "prediction predictions overfits overfitting"
#define FAILS		"oom ooms oomed error errors errored exception exceptions fail fails failed failing failure crash crashes "	\
    "crashed crashing stop stops stopped stopping die dies died dying kill kills killed killing raise raises raised throw throws thrown occur occurs occurred " \
    "happen happens happened happening reported exhausted exits exited aborts aborted terminated freezes hangs leak leaks"

/* The same in Chinese, where no more than a sign or two denies it. */
#define FAILS_CHINESE	"报错|出错|报了错|溢出|崩溃|挂了|挂掉|爆了|被杀"

static bool
names_failure_elsewhere(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, FAILS_CHINESE, &at, &n))
		if (!clause_denies_elsewhere(t, at, n))
			return true;
	return false;
}

bool
clause_names_failure(struct talk t)
{
	return talk_any_whole(t, FAILS) || names_failure_elsewhere(t);
}

bool
clause_is_of_learning(struct talk t)
{
	return talk_any_whole(t, LEARNED) && !clause_names_failure(t) && !talk_any_whole(t, "memory mem vram ram gpu cuda");
}

/* ---- right beside a phrase ---- */

#define NO	"not no never without nor neither cannot dont doesnt didnt wont isnt wasnt"
/* Words that stand between a negation and what it denies behind it, */
#define LINKS	"a an the any evidence indications hint hints obvious clear visible this that these it its is was are were be been being has have had having do does did get gets got "	\
    "getting gotten go goes going went see sees seen seeing face faced hit hits hitting cause causes caused give gives gave throw " \
    "throws lead leads to raise raises error errors exception more longer such ever even of into in with cuda gpu ram memory " \
    "really actually use uses using run runs running problem problems issue issues trouble "	\
    "indicate indicates indicated indication show shows showed shown suggest suggests suggested mention mentions mentioned sign signs "	\
    "report reports reported by or system host device my our look looks like appear appears seem seems general genuine real true typical"
/* and what it denies ahead of it. */
#define LINKS_BACK	"error errors exception exceptions problem problems issue issues is are was were has have had been does do " \
    "did will happen happens occur occurs longer now anymore"
#define SETTLED	"fixed solved resolved"
#define OVER	"gone fixed solved resolved disappeared disappears vanished avoided prevented"

/* How many bytes an apostrophe has that stands at S between two letters, a word processor's too, so
 * that it is within a word, and no quotation mark; 0: there is none. */
static size_t
apostrophe(struct talk t, const char *s)
{
	const char *end = t.s + t.n;
	size_t n = *s == '\'' ? 1 : end - s >= 3 && memcmp(s, "\xe2\x80\x99", 3) == 0 ? 3 : 0;

	return n > 0 && s > t.s && piece_is_word(s[-1]) && s + n < end && piece_is_word(s[n]) ? n : 0;
}

/* Where the word that ends at S begins. */
static const char *
word_begin(struct talk t, const char *s)
{
	for (;;) {
		if (s > t.s && piece_is_word(s[-1]))
			s--;
		else if (s > t.s && apostrophe(t, s - 1) == 1)
			s--;
		else if (s - t.s >= 3 && apostrophe(t, s - 3) == 3)
			s -= 3;
		else
			return s;
	}
}

struct talk
clause_word_ahead(struct talk t, const char *at)
{
	while (at > t.s && !piece_is_word(at[-1]))
		at--;
	return talk_part(t, word_begin(t, at), at);
}

struct talk
clause_word_behind(struct talk t, const char *s)
{
	const char *to, *end = t.s + t.n;
	size_t n;

	while (s < end && !piece_is_word(*s))
		s++;
	for (to = s; to < end && (n = piece_is_word(*to) ? 1 : apostrophe(t, to)) > 0; to += n)
		;
	return talk_part(t, s, to);
}

static bool
is_no(struct talk word)
{
	return talk_is_one_of(word, NO) || talk_any_phrase(word, "n't|n\xe2\x80\x99t");
}

/* "The OOM is not on the GPU": where it happened is denied, and not that it did. */
static bool
is_of_place(struct talk word, struct talk next)
{
	return is_no(word) && talk_is_one_of(next, "on in from");
}

/* "out of memory, cannot allocate": what comes of it, and not "out of memory cannot happen". */
static bool
is_outcome(struct talk word, struct talk next)
{
	return talk_is_one_of(word, "cannot can't can\xe2\x80\x99t couldn't couldn\xe2\x80\x99t") && next.n > 0 && !talk_is_one_of(next, "happen occur be arise appear");
}

/* "Is there a way to run it without running out of memory?", up to S: not "there is a way". */
static bool
asks_for_way(struct talk t, struct talk clause, const char *s)
{
	struct talk ahead = talk_part(clause, clause.s, s);

	return talk_any_whole(ahead, "way ways possible possibility method trick") && (talk_has_whole(ahead, "is there|are there|any way|any ways|is it possible|looking for") || memchr(t.s, '?', t.n)) &&
	    !talk_has_whole(ahead, "there is a|there's a|here is a|i found a");
}

bool
clause_denies(struct talk t, const char *at, size_t n)
{
	struct talk clause = talk_clause(t, at, n), word, next;
	const char *s;
	bool without = false;
	int i, no = 0;

	for (i = 0, s = at; i < NEAR_WORDS && (word = clause_word_ahead(clause, s)).n > 0; i++, s = word.s) {
		if (talk_is_one_of(word, "may might") && !talk_any_whole(clause, "find found suspect suspecting suspicion guess guessing"))
			return true;		/* what could be, and not what was found or is taken for what happened */
		if (!is_no(word) && !talk_is_one_of(word, LINKS) && !talk_is_one_of(word, SETTLED))
			break;
		no += is_no(word) || talk_is_one_of(word, SETTLED);
		without |= talk_is_one_of(word, "without");
	}
	/* "cannot train without", "how do I train without", "the longest without" say that it
	 * happens */
	no += without && (talk_any_whole(talk_part(clause, clause.s, s), "cannot can't not unable never hardly how hard difficult struggling longest largest biggest maximum max") || asks_for_way(t, clause, s));
	for (i = 0, s = at + n; i < NEAR_WORDS && (word = clause_word_behind(clause, s)).n > 0; i++, s = word.s + word.n) {
		next = clause_word_behind(clause, word.s + word.n);
		if ((!is_no(word) && !talk_is_one_of(word, LINKS_BACK) && !talk_is_one_of(word, OVER)) ||
		    (talk_is_one_of(word, "no") && !talk_is_one_of(next, "longer")) || talk_is_one_of(word, "without") || is_outcome(word, next) || is_of_place(word, next))
			break;
		no += is_no(word) || talk_is_one_of(word, OVER);
	}
	/* "only when it is left out, it shows none": it happens without that */
	return no % 2 == 1 && !talk_has_whole(talk_part(t, talk_sentence(t, at).s, at), "only when|only if|only by");
}

/* ---- writings without blanks, or whose negations stand behind ---- */

/* What denies what stands behind it, but as a question ("是不是"); what may stand between; */
#define NO_AHEAD	"不是|没有|并非|并不是|不会|不再|没再|沒有|没|排除了|排除"
#define ASKS_AHEAD	"是不是|有没有|会不会"
#define LINKS_AHEAD	"直接|突然|自动|一直|持续|不断|出现|发生|再|报|因为|由于|任何|明显|内存|显存|的|存在|过"
/* and what denies what stands ahead of it, with particles and nouns between. */
#define NO_BEHIND	"已解决|已经解决|解决了|已排除|已经排除|排除了|不存在|消失了|ない|なく|なかった|ありません|なりません|出ません|아니|아닙|없"
#define LINKS_BEHIND	"的|问题|错误|情况|では|じゃ|には|にも|で|に|は|が|の|も|エラー|問題|은|는|이|가|도|을|를| |문제|현상|에러|오류|의"

/* Do N bytes at S say what PHRASE does, in either writing of Chinese? */
static bool
is_written(const char *s, const char *phrase, size_t n)
{
	char simple[LEXICON_LONGEST];

	if (memcmp(s, phrase, n) == 0)
		return true;
	if (n == 0 || n > sizeof(simple) || (unsigned char)*s < 0x80)
		return false;
	memcpy(simple, s, n);
	return oom_writing_simplify(simple, n) && memcmp(simple, phrase, n) == 0;
}

size_t
clause_beside(const char *list, const char *from, const char *s, const char *end, bool back)
{
	const char *at, *to;
	size_t n, most = (size_t)(back ? s - from : end - s);

	for (at = list; *at; at = *to ? to + 1 : to) {
		to = strchr(at, '|');
		to = to ? to : at + strlen(at);
		n = (size_t)(to - at);
		if (n <= most && is_written(back ? s - n : s, at, n))
			return n;
	}
	return 0;
}

bool
clause_denies_elsewhere(struct talk t, const char *at, size_t n)
{
	const char *s, *end = t.s + t.n;
	size_t one;

	for (s = at; !clause_beside(NO_AHEAD, t.s, s, end, true) && (one = clause_beside(LINKS_AHEAD, t.s, s, end, true)) > 0; s -= one)
		;
	if (clause_beside(NO_AHEAD, t.s, s, end, true) && !clause_beside(ASKS_AHEAD, t.s, s, end, true))
		return true;
	for (s = at + n; (one = clause_beside(LINKS_BEHIND, t.s, s, end, false)) > 0; s += one)
		;
	return clause_beside(NO_BEHIND, t.s, s, end, false) > 0;
}

bool
clause_goes_well_elsewhere(struct talk t, const char *at)
{
	return talk_any_phrase(talk_clause(t, at, 1), "没有问题|没问题|没有报错|正常|成功") || clause_denies_elsewhere(t, at, sizeof("验证") - 1);
}

/* A setting's name may end in another word than the one at AT: "load_in_4bit", "fp16_opt". */
bool
clause_sets_off(struct talk t, const char *at)
{
	const char *end = t.s + t.n;
	struct talk value;

	while (at < end && (piece_is_word(*at) || *at == '-'))
		at++;
	value = clause_word_behind(t, at);
	for (; at < value.s; at++)
		if (!memchr(" \t=:\"'", *at, 6))
			return false;
		else if (at + 2 < end && memchr("=: ", *at, 3) && memchr("\"'", at[1], 2) && at[1] == at[2])
			return true;		/* "upscaler=''" */
	return talk_is_one_of(value, "false no none null off 0");
}

const char *
clause_set(struct talk t, const char *list)
{
	const char *at, *end = t.s + t.n;
	struct talk rest = t;

	for (; (at = talk_first(rest, list)); rest = talk_part(t, at + 1, end))
		if (!clause_sets_off(t, at))
			return at;
	return NULL;
}

#define DONE		"complete|completed|completes|finished|finishes|is done|was done|are done|is over|ended|ends|had run|has run"

bool
clause_is_over(struct talk t, const char *at, size_t n)
{
	struct talk clause = talk_clause(t, at, n), ahead = clause_word_ahead(t, at);
	const char *to = piece_past_blanks(at + n, t.s + t.n);

	if (talk_is_one_of(ahead, "the"))
		ahead = clause_word_ahead(t, ahead.s);
	return talk_is_one_of(ahead, "after") && (to >= clause.s + clause.n || !piece_is_word(*to) || talk_has_whole(talk_part(clause, at + n, clause.s + clause.n), DONE));
}
