/*
 * What people say of a device that has little, or too little for what failed there: an amount
 * beside a card, or its name alone. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_card.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_cards.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"

#define MOST_CARD	12	/* GB of a device that has little, */
#define MOST_DEVICE	192	/* and of any */

#define OF_CARD		"gpu gpus graphics a6000 a5000 a100 h100 v100 3090 4090 5090 1080ti 2080 2080ti titan gtx rtx geforce quadro nvidia vram tesla 1050 1050ti 1060 1650 1650ti 1660 1660ti 3050 3060 2060 960 970 940mx 750ti 1070 1080"
#define OF_OTHER_CARD	"upgrade upgraded another other bought buy need needs require required requires recommend recommended if works worked fine instead than least without enough should even minimum recommended requirement requirements suggested people users consumers everyone"
#define OF_THIS_CARD	"my card|my graphics card|my video card|this card|mine is|mine has|mine only has|mine is only"
#define OF_CARDS_MEMORY	"gpu memory|gpu ram|vram|gpu|card|video memory|graphics memory"
#define OF_USAGE	"usage free left allocated allocate available takes consumes consume consumed costs cost rises rise rose grows grew increases increased drops dropped reaches reached remains remain remaining occupied occupies occupy occupying possess possesses possessing kept held taken reserved"

/* Of a card that is used, and not of how much of it: "using a GTX 980 of 6 GB". */
#define USES		"used uses using"
#define USES_ONE	"using a|using an|using my|using one|using nvidia|using gtx|using rtx|using two|using 2|used a|used an|used my|uses a|uses my"

/* "the model is 7 GB": what the amount at S is of is no card. */
static bool
is_of_network(struct talk clause, const char *s)
{
	struct talk word = clause_word_ahead(clause, s);

	while (talk_is_one_of(word, "about around only just roughly nearly almost over already"))
		word = clause_word_ahead(clause, word.s);
	return talk_is_one_of(word, "is are was were takes needs uses") &&
	    talk_any_whole(clause_word_ahead(clause, word.s), "model models weights network checkpoint checkpoints file files dataset data images it");
}

/* "I had a 3060 with 12 GB a few days ago"; not "I had an error with my 4 GB GPU". */
static bool
is_of_past(struct talk clause)
{
	size_t n;
	const char *at = talk_find_whole(clause, "i had|we had|used to have|used to use", &n);
	struct talk word = at ? clause_word_behind(clause, at + n) : clause;

	if (talk_has_whole(clause, "my old|my previous|my former") && !talk_any_whole(clause, "still"))
		return true;
	while (at && talk_is_one_of(word, "a an the my our only an old"))
		word = clause_word_behind(clause, word.s + word.n);
	return at && word.n > 0 && (is_digit(*word.s) || talk_any_begins(word, OF_CARD));
}

/* "It works well on my laptop (8 GB)": does the sentence say so ahead of S, and of no failure? */
static bool
works_there(struct talk t, const char *s)
{
	struct talk sentence = talk_sentence(t, s);

	struct talk ahead = talk_part(t, sentence.s, s);

	return (clause_works(ahead) || (talk_has_whole(ahead, "was able to|were able to|am able to|are able to|could run|could train") && !clause_says_no(ahead, ""))) && !oom_short_fails(sentence);
}

/* "A forward pass takes 48 GB (6 GB per GPU)": in brackets, behind what a run takes. */
static bool
is_share_taken(struct talk t, struct talk clause)
{
	return clause.s > t.s && clause.s[-1] == '(' && talk_any_whole(talk_part(t, talk_sentence(t, clause.s).s, clause.s), "takes take took consumes consumed occupies occupied uses used needs requires");
}

/* Is what ends at TO an amount of data? "12 GB video memory" is none. */
static bool
is_of_files(struct talk t, const char *to)
{
	struct talk word = clause_word_behind(t, to);

	return talk_is_one_of(word, "dataset data file files model models checkpoint csv images video corpus archive swap disk freed less more") && !talk_is_one_of(clause_word_behind(t, word.s + word.n), "memory ram");
}

/* "Can I train on my laptop (GTX 1650 - 4 GB)? It returns an OOM.": does the sentence behind the
 * question at S say that it fails there? */
static bool
asks_and_fails(struct talk t, const char *s)
{
	struct talk sentence = talk_sentence(t, s), next;

	if (sentence.s + sentence.n + 2 >= t.s + t.n || !talk_has_whole(sentence, "is it possible to|can i|can this|could i|is there a way to|is there any way to"))
		return false;
	next = talk_sentence(t, sentence.s + sentence.n + 2);
	return oom_short_fails(next) && !clause_is_question(next) && !talk_any_whole(next, "if would will should might may");
}

/* "a 2G memory GPU": a card right behind the memory that it has. */
static bool
has_card(struct talk t, const char *to)
{
	struct talk memory = clause_word_behind(t, to);

	return talk_any_begins(clause_word_behind(t, memory.s + memory.n), OF_CARD);
}

/* "I have two Titan Black, each of them has 6 GB": does a clause speak of the card that its
 * sentence names ahead of it? */
static bool
refers_to_card(struct talk t, struct talk clause)
{
	struct talk first = clause_word_behind(clause, clause.s), ahead = talk_part(t, talk_sentence(t, clause.s).s, clause.s);

	return talk_is_one_of(first, "each both which it they") && talk_any_begins(ahead, OF_CARD) && !talk_any_whole(ahead, OF_OTHER_CARD " machine server computer laptop pc node");
}

/* "according to your comment, you tested it on an 8 GB GPU": is who has that card another? */
static bool
is_of_others(struct talk clause)
{
	struct talk word = clause_word_behind(clause, clause.s);

	while (talk_is_one_of(word, "that but and as since because the what how if"))
		word = clause_word_behind(clause, word.s + word.n);
	return talk_is_one_of(word, "you they he she author authors someone somebody people others");
}

/* Is an amount from S to TO of CLAUSE what a card has that failed? Neither "4G/24G", nor the
 * machine's, nor what one needs. */
static bool
is_of_this_card(struct talk t, struct talk clause, const char *s, const char *to)
{
	struct talk ahead = talk_part(clause, clause.s, s);
	bool named_ahead = talk_any_begins(ahead, OF_CARD) || talk_has_whole(ahead, OF_THIS_CARD) || refers_to_card(t, clause);

	if (is_of_past(clause) || is_of_others(clause) || works_there(t, s) || is_share_taken(t, clause) || talk_has_whole(ahead, "no gpu|no usable gpu|no dedicated gpu|no discrete gpu|no nvidia|no graphics|without a gpu|without gpu"))
		return false;
	if (is_of_files(t, to) || is_of_network(clause, s) || (to < t.s + t.n && *to == '/') || (talk_is_one_of(clause_word_behind(t, to), "ram memory") && !named_ahead && !has_card(t, to)))
		return false;
	if (!talk_any_begins(clause, OF_CARD) && !named_ahead && !talk_has_whole(clause, "video card|graphic card"))
		return false;
	/* "on my 4 GB GPU it runs out of memory even with one, is there a way?": the clause itself
	 * says it */
	if (oom_short_fails(clause) && talk_has_whole(ahead, "on my|with my|i have|i use|i am using|using my") && !talk_any_whole(ahead, OF_OTHER_CARD))
		return true;
	if (talk_has_whole(ahead, "i only have|i have only|i just have") && talk_has_whole(talk_head(t, s, 24), OF_CARDS_MEMORY) && !talk_any_whole(clause, OF_OTHER_CARD) && !talk_any_whole(clause, OF_USAGE))
		return true;		/* whatever is asked behind it */
	return !talk_any_whole(clause, OF_OTHER_CARD) && !talk_any_whole(clause, OF_USAGE) && (!talk_any_whole(clause, USES) || talk_has_whole(ahead, USES_ONE)) && (!clause_is_question(talk_sentence(t, s)) || asks_and_fails(t, s));
}

#define OF_ONES_OWN	"i am using|i'm using|i use|i have|i only have|i've got|i run|i am running|i'm running|my gpu|my card|my graphics|we use|we have|we are using|it runs on|running on|training on|train on|with a|on a|on my|graphic nvidia|graphics nvidia|graphic card|graphics card|graphic driver|my graphic"

#define OF_ONES_CHINESE	"显卡是|显卡为|显卡：|显卡:|我用的是|我使用的是|我的是|我是用|我的卡是|gpu是|gpu为|gpu：|我的显卡|单张|用的显卡"

/* What stands behind the last reason of T: "I can't test it since I use ..." */
static struct talk
behind_reason(struct talk t)
{
	struct talk rest = t;
	const char *at;
	size_t n;

	while ((at = talk_find_whole(rest, "because|since|as", &n)))
		rest = talk_part(t, at + n, t.s + t.n);
	return rest;
}

/* "I am using a GTX 1080": by its name alone. */
static const char *
named_card(struct talk t)
{
	size_t n;
	const char *at = oom_cards_small(t, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	if (at && talk_any_phrase(talk_part(t, sentence.s, at), OF_ONES_CHINESE) && !talk_any_phrase(sentence, "吗|能跑|可以跑|够|建议|推荐|需要|换成|换了|别人|作者"))
		return at;
	if (!at || (!talk_has_whole(talk_part(t, sentence.s, at), OF_ONES_OWN) && !oom_cards_labelled(t, at)) || clause_says_no(behind_reason(talk_part(t, talk_clause(t, at, n).s, at)), ""))
		return NULL;
	return talk_any_whole(sentence, OF_OTHER_CARD) || clause_is_question(sentence) || is_of_past(talk_clause(t, at, n)) || works_there(t, at) ? NULL : at;
}

/* "I have a 24 GB GPU and get ...", of any size, where that sentence says that it fails there. */
#define OWN_ANY		"i have |i've |i am using |i'm using |i use |i used |we used |on a |on my |on our |with my |with a |on one |on two |on an |with an |using a |using my |using an |used a |used an "
/* "out of memory on 32GB V100": the words right ahead of an amount, where no article stands. */
#define RIGHT_AHEAD	"on with using"
/* "I have a GPU with only 12 GB. It fails with out of memory.", in two sentences. */
#define ONLY_OWN	"i have|i only have|i just have|we have|we only have|i've got|i am using|i'm using|i use|my gpu|my card|my graphics"

/* With which a device of any size is too small for what failed there. */
#define AT_ONCE		"as soon as|right away|immediately|at the first step|in the first step|at the first iteration|in the first iteration|at the very beginning"

#define HOLDS_NOT_CHINESE	"hold不住|撑不住|扛不住|顶不住|吃不消|不够用|都不够|还不够|不够了|还是不够|也不够"
#define FAILS_CHINESE	"超显存|超出显存|炸显存|显存炸|爆显存|显存爆|爆掉|显存不足|显存不够|显存溢出|oom|out of memory|out-of-memory|现存不足"
#define TAKEN_CHINESE	"需要|占用|建议|要求|至少|够用|足够|占了|剩|训练占|才占|只占|空闲|可以跑|能跑|怎么才"

/* "我的12g就不够用了", "16g的显存hold不住": an amount of one's own, with what is said of it right behind. */
static const char *
own_in_chinese(struct talk t)
{
	const char *at = NULL, *s, *end = t.s + t.n, *to;
	int64_t n;
	size_t length;

	if (!talk_any_phrase(t, "显存|gpu|显卡"))
		return NULL;
	while (talk_next_phrase(t, HOLDS_NOT_CHINESE, &at, &length)) {
		for (s = at; s > t.s && at - s < 24 && !is_digit(*s); s--)
			;
		for (; s > t.s && is_digit(s[-1]); s--)
			;
		if (is_digit(*s) && (to = piece_number(s, end, &n)) && n > 0 && n <= MOST_DEVICE && to < end && lower(*to) == 'g' && !talk_any_phrase(talk_part(t, to, at), "内存|，|,|硬盘"))
			return s;
	}
	return NULL;
}

#define GAP		30	/* bytes from an amount to the words of failure, */
#define BEFORE		24	/* and back to a card's name */
#define AFTER		9	/* from the words of failure to what asks */
#define NOT_FAILED	"不会|没|未|不再|避免|防止|会不会|是否|能否|如果|要是|假如|若|别人|作者|怕|担心|内存"

/* Is what stands between the amount and the words of failure at S nothing, or words that have
 * neither a letter, a digit nor a stop? */
static bool
is_plain_gap(struct talk gap)
{
	size_t i;

	for (i = 0; i < gap.n; i++)
		if ((unsigned char)gap.s[i] < 0x80 && gap.s[i] != ' ')
			return false;
	return !talk_any_phrase(gap, "，|。|？|！|；|、|" NOT_FAILED);
}

/* Past "g" or "gb" at S; or NULL. */
static const char *
past_unit(const char *s, const char *end)
{
	while (s < end && *s == ' ')
		s++;
	if (s == end || lower(*s) != 'g')
		return NULL;
	s += s + 1 < end && lower(s[1]) == 'b' ? 2 : 1;
	return s < end && piece_is_word(*s) && (unsigned char)*s < 0x80 ? NULL : s;
}

/* A card is named right ahead of the amount at S, or in the GAP behind it; and what is ahead tells
 * of a failure that came. */
static bool
is_beside_card(struct talk t, const char *s, struct talk gap)
{
	struct talk ahead = talk_part(t, s - t.s > BEFORE ? s - BEFORE : t.s, s);

	if (talk_any_phrase(ahead, NOT_FAILED) || talk_any_whole(ahead, "if would could another other ram than"))
		return false;
	return talk_any_begins(clause_word_ahead(t, s), OF_CARD) || talk_any_phrase(gap, "显卡|单卡|的卡");
}

/* "爆显存吗", "oom?" */
static bool
asks_there(struct talk t, const char *s)
{
	struct talk behind = talk_part(t, s, t.s + t.n - s > AFTER ? s + AFTER : t.s + t.n);

	return talk_any_phrase(behind, "吗|么|?|？");
}

/* "在24G显卡爆显存", "3090 24g爆显存了", "my rtx4090 24G oom": an amount beside a card's name, with
 * the words of failure right behind. */
static const char *
runs_into_failure(struct talk t)
{
	const char *at, *s, *to = NULL, *from, *end = t.s + t.n;
	int64_t n;
	size_t length;

	if (!talk_any_phrase(t, FAILS_CHINESE) || talk_any_phrase(t, TAKEN_CHINESE))
		return NULL;
	while ((s = oom_number_walk(t, ".*/-~<>", &to, &n))) {
		if (n <= 0 || n > MOST_DEVICE || !(from = past_unit(to, end)))
			continue;
		for (at = NULL; talk_next_phrase(talk_part(t, from, end), FAILS_CHINESE, &at, &length) && at - from <= GAP; )
			if (is_plain_gap(talk_part(t, from, at)) && is_beside_card(t, s, talk_part(t, from, at)) && !asks_there(t, at + length))
				return s;
	}
	return NULL;
}

/* "12GB显存单卡，也会爆显存": an amount right ahead of the word for a card's memory. */
static const char *
card_in_chinese(struct talk t)
{
	const char *at = NULL, *s;
	int64_t n;
	size_t length;

	if ((at = own_in_chinese(t)) || (at = runs_into_failure(t)))
		return at;
	if (!talk_any_phrase(t, FAILS_CHINESE) || talk_any_phrase(t, TAKEN_CHINESE))
		return NULL;
	while (talk_next_phrase(t, "g显存|gb显存|g 显存|gb 显存|g的显存|gb的显存", &at, &length)) {
		for (s = at; s > t.s && (is_digit(s[-1]) || s[-1] == ' '); s--)
			;
		s = piece_past_blanks(s, at);
		if (s < at && is_digit(*s) && piece_number(s, at, &n) && n > 0 && n <= MOST_DEVICE)
			return s;
	}
	return NULL;
}

#define OWN_ONE		"i have a|i have an|i only have|i have only|i just have|i have just|i've a|i use a|i am using a|i'm using a|my gpu has|my card has|my gpu is|my card is"
#define ASKS_ENOUGH	"not enough|n't enough|not sufficient|insufficient|too small|too little|enough for|不够吗|不够么|不足吗"

/* "I am using 6 GB of VRAM. Is it not enough?", "Is 24 GB of VRAM not enough?": the amount of one's
 * own that is asked about, in that sentence or in the one ahead. */
static const char *
asked_enough(struct talk t)
{
	const char *at, *s, *to = NULL, *end;
	struct talk sentence, unit;
	int64_t n;
	size_t length;

	for (at = NULL; talk_next_whole(t, ASKS_ENOUGH, &at, &length); ) {
		sentence = talk_sentence(t, at);
		end = sentence.s + sentence.n;
		if (!memchr(sentence.s, '?', sentence.n) || talk_any_whole(sentence, "if would should could will ram 4x 8x need needs needed require required") || talk_any_whole(talk_part(t, at, end), "time data samples"))
			continue;
		if (sentence.s - t.s > 2)
			sentence = talk_part(t, talk_sentence(t, sentence.s - 2).s, end);
		for (to = NULL; (s = oom_number_walk(sentence, ".*/-~<>", &to, &n)); ) {
			unit = clause_word_behind(sentence, to);
			if (n > 0 && n <= MOST_DEVICE && unit.s - to <= 1 && talk_is_one_of(unit, "gb g gib gig") && talk_has_whole(talk_head(sentence, unit.s + unit.n, 24), OF_CARDS_MEMORY) && !is_of_files(t, unit.s + unit.n))
				return s;
		}
	}
	return NULL;
}

#define OF_NAME		5	/* words of a card's name */

/* "GeForce 755 M (": does what stands ahead of the bracket at S name a card? */
static bool
is_named_ahead(struct talk t, const char *s)
{
	struct talk word;
	int i;

	if (s - t.s < 3 || s[-1] != '(')
		return false;
	for (i = 0, s--; i < OF_NAME && (word = clause_word_ahead(t, s)).n > 0 && !memchr(word.s, ',', (size_t)(s - word.s)); i++, s = word.s)
		if (talk_any_begins(word, OF_CARD))
			return true;
	return false;
}

/* "on Kaggle's GPUs (14 GB available) but I run out of memory", "a GeForce 755 M (2 gb ram)": in
 * brackets behind a card's name, of what fails there. */
static bool
is_all_there(struct talk t, struct talk clause, const char *to)
{
	struct talk sentence = talk_sentence(t, clause.s), word = clause_word_behind(t, to);
	bool is_its = is_named_ahead(t, clause.s) && talk_is_one_of(word, "ram memory vram mem") && *to != ',' && word.s + word.n < t.s + t.n && word.s[word.n] == ')' && talk_has_whole(talk_part(t, sentence.s, clause.s), "i have|i use|i am using|i'm using|my|we have|on a|with a");

	if (is_its)
		return !talk_any_whole(sentence, "if need needs should") && !works_there(t, clause.s) && !memchr(sentence.s, '?', sentence.n);

	return clause.s - t.s > 3 && clause.s[-1] == '(' && talk_is_one_of(clause_word_behind(clause, to), "available") && talk_any_begins(clause_word_ahead(t, clause.s - 1), OF_CARD) && oom_short_fails(sentence) &&
	    !talk_any_whole(sentence, "only left free") && !memchr(talk_part(t, sentence.s, clause.s).s, '?', (size_t)(clause.s - sentence.s));
}

/* "A 24G 3090 GPU can't render it": of the card by itself. */
#define FAILS_ITSELF	"gpu can't|gpu cannot|gpu can not|gpu couldn't|gpu could not|card can't|card cannot|card can not|card couldn't|card could not|gpu is not enough|gpu isn't enough|card is not enough|card isn't enough|gpu runs out|card runs out|gpu ran out|card ran out"

/* The most that a card of which T says the amount at S may have, to be too small. */
static int64_t
most_card(struct talk t, const char *s)
{
	struct talk sentence = talk_sentence(t, s), ahead = talk_part(t, sentence.s, s);

	if (talk_has_whole(ahead, OWN_ONE) && talk_has_whole(talk_head(t, s, 24), OF_CARDS_MEMORY))
		return MOST_DEVICE;
	if (oom_short_fails(sentence) && talk_has_whole(talk_part(t, s, sentence.s + sentence.n), FAILS_ITSELF) && talk_any_begins(talk_head(t, s, 24), OF_CARD))
		return MOST_DEVICE;
	if (talk_has_whole(t, AT_ONCE) || (oom_short_fails(sentence) && (talk_any_phrase(ahead, OWN_ANY) || talk_is_one_of(clause_word_ahead(t, s), RIGHT_AHEAD))))
		return MOST_DEVICE;
	return oom_short_fails(t) && talk_any_whole(ahead, "only just") && talk_has_whole(ahead, ONLY_OWN) ? MOST_DEVICE : MOST_CARD;
}

/* "a GTX 1650 4GB", "my 4 GB GPU", "mine is 2G", "an nvidia GPU that is 2GB": an amount right
 * beside a name of a card, and no run that needs it, or that works. */
const char *
oom_card_small(struct talk t)
{
	const char *s = card_in_chinese(t), *to = NULL;
	struct talk unit;
	int64_t n;

	if (s)
		return s;
	if (!talk_any_begins(t, OF_CARD) && !talk_has_whole(t, OF_THIS_CARD "|video card|graphic card"))
		return NULL;
	while ((s = oom_number_walk(t, ".*/-~<>", &to, &n))) {
		unit = clause_word_behind(t, to);
		if (n <= 0 || unit.s - to > 1 || !talk_is_one_of(unit, "gb g gib gig"))
			continue;
		if (n <= MOST_DEVICE && is_all_there(t, talk_clause(t, s, 1), unit.s + unit.n))
			return s;
		if (n > most_card(t, s))
			continue;
		if (is_of_this_card(t, talk_clause(t, s, 1), s, unit.s + unit.n))
			return s;
	}
	return (s = asked_enough(t)) ? s : named_card(t);
}

#define ASKED		"attempted memory usage|attempted allocation|attempted to allocate|attempts to allocate|attempting to allocate|attempts to use|attempted to use|attempting to use|asking for|asks for|asked for|tries to allocate|tried to allocate|trying to allocate|wants to allocate|tries to use|tried to use|trying to use|requesting|requests|requested|demands"

/* "I run it on an 8 GB card, but it is asking for 15 GB" */
bool
oom_card_asked(struct talk t)
{
	const char *s = oom_card_small(t), *to = NULL, *asks;
	struct talk sentence = s ? talk_sentence(t, s) : t, unit;
	int64_t have, n;
	size_t length;

	if (!s || !is_digit(*s) || !piece_number(s, t.s + t.n, &have) || !(asks = talk_find_whole(talk_part(t, s, sentence.s + sentence.n), ASKED, &length)) || clause_is_question(sentence))
		return false;
	while ((s = oom_number_walk(talk_part(t, asks, sentence.s + sentence.n), ".*/-~<>", &to, &n))) {
		unit = clause_word_behind(t, to);
		if (n > have && unit.s - to <= 1 && talk_is_one_of(unit, "gb g gib gig"))
			return true;
	}
	return false;
}

#define ASKED_CHINESE	"申请|尝试分配|试图分配|想要分配"
#define ASKED_WITHIN	32	/* bytes from that to the amount */

bool
oom_card_asks_more(struct talk t, int64_t gib)
{
	const char *at = NULL, *s, *to;
	struct talk unit;
	int64_t n;
	size_t length;

	if (!(at = talk_find_whole(t, ASKED, &length)) && !talk_next_phrase(t, ASKED_CHINESE, &at, &length))
		return false;
	if (clause_is_question(talk_sentence(t, at)) || talk_any_whole(talk_sentence(t, at), "if should would could will"))
		return false;
	to = NULL;
	if (!(s = oom_number_walk(talk_head(t, at + length, ASKED_WITHIN), ".*/-<>", &to, &n)))
		return false;
	unit = talk_head(t, piece_past_blanks(to, t.s + t.n), 1);
	return s && n > gib && unit.n == 1 && lower(*unit.s) == 'g';
}

#define CARD_CHINESE	"显存|显卡"
#define USED_CHINESE	"占|用了|需要|要求|至少|剩"
#define NEAR_CHINESE	18	/* bytes from that to the amount */

const char *
oom_card_told(struct talk t, int64_t *gib)
{
	const char *s, *to = NULL, *past, *end = t.s + t.n;
	struct talk clause, near;

	while ((s = oom_number_walk(t, ".*/-~<>", &to, gib))) {
		past = piece_past_blanks(to, end);
		if (*gib <= 0 || *gib > MOST_DEVICE || past == end || lower(*past) != 'g')
			continue;
		clause = talk_clause(t, s, 1);
		near = talk_part(t, s - clause.s > NEAR_CHINESE ? s - NEAR_CHINESE : clause.s, past);
		if (talk_any_phrase(near, CARD_CHINESE) && !talk_any_phrase(clause, USED_CHINESE))
			return s;
		past += end - past > 1 && lower(past[1]) == 'b' ? 2 : 1;
		if ((past == end || !piece_is_word(*past)) && is_of_this_card(t, clause, s, past))
			return s;
	}
	return NULL;
}
