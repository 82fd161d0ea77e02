/*
 * How much memory a machine has, a virtual one, or a container, as people tell it: that it is
 * little, or how much. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_machine.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_card.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"

#define LEAST_MACHINE	8	/* GB that a small machine has at most */
#define BOARDS		"raspberry pi|raspberrypi|rpi|pi 3|pi 4|pi zero|orange pi|odroid|nvidia nano|t2.micro|t2.small|t3.micro|e2-micro|f1-micro"

/* Between a machine and an amount these make it another's. */
#define OF_ANOTHER	"but different another other whereas while unlike locally"

/* "On my laptop (with 8GB of RAM) this runs without issue": where it does not fail. */
static bool
has_no_trouble(struct talk sentence)
{
	return (clause_works(sentence) || talk_has_whole(sentence, "without issue|without issues|without any issue|without any issues|without problem|without problems|without any problem|without any problems|without error|without errors")) &&
	    !oom_short_fails(sentence) && !clause_names_failure(sentence);
}

#define MOST_RAM	32	/* GB of a machine's memory that a run may well need more than, */
#define LARGEST_RAM	4096	/* and of any that people have */
#define CARDS		"gpu gpus vram card cards graphics nvidia geforce gtx rtx rx radeon titan tesla quadro cuda v100 a100 k80 p100 t4 xpu npu tpu hbm"
#define CARD_BEGINS	"gtx rtx geforce quadro tesla radeon titan"	/* "gtx960" */
/* Ahead of an amount: of what is taken, or needed. */
#define IS_TAKEN	"use uses used using take takes took taken taking consume consumes consumed consuming eat eats ate eating need needs needed require requires required allocate allocates allocated than least to over reaches reached " \
    "exceeds exceed hits hit at fills filled occupies occupied reserve reserved extra another additional more costs cost until limit"
#define NEAR_AMOUNT	3	/* words from an amount to what it is of, */
#define MOST_AHEAD	6	/* and back to it */

#define OF_NEED		"required require requires requirement requirements needed needs need necessary recommended recommend suggested minimum minimal min expected expect estimated estimate predicted projected demand demands"
#define NEED_WITHIN	24	/* bytes behind an amount to such a word */

/* "- **Required RAM**: 381 GB", "RAM 64 GB needed": what a run or a program needs, by a word of
 * its clause ahead of the amount at S, of the label of that clause, or right behind, where UNIT
 * ends. */
static bool
is_needed(struct talk t, const char *s, struct talk unit)
{
	struct talk clause = talk_clause(t, s, 1), behind = talk_head(talk_clause(t, s, 1), unit.s + unit.n, NEED_WITHIN);

	if (talk_any_whole(talk_part(t, clause.s, s), OF_NEED) || talk_any_whole(behind, "required needed necessary recommended minimum requirement"))
		return true;
	return clause.s > t.s && clause.s[-1] == ':' && talk_any_whole(talk_clause(t, clause.s - 1, 1), OF_NEED);
}

#define RAM_CHINESE	"内存|运行内存|ram|运存"

/* "电脑只有16G内存", "服务器内存32G": the same in Chinese. */
static const char *
ram_in_chinese(struct talk t, int64_t most, int64_t *count)
{
	const char *s, *to = NULL, *end = t.s + t.n, *unit;

	if (!talk_any_phrase(t, "电脑|机器|服务器|笔记本|主机|本机|我的|台式机|只有") || talk_any_phrase(t, "需要|所需|要求|推荐|建议|最低|至少|占用|占了|用了|？|?|吗|虚拟内存"))
		return NULL;
	while ((s = oom_number_walk(t, ".", &to, count))) {
		if (*count < 1 || *count > most || talk_any_phrase(talk_clause(t, s, 1), "显存|显卡"))
			continue;
		unit = piece_past_blanks(to, end);
		if (unit == end || lower(*unit) != 'g')
			continue;
		for (unit++; unit < end && (lower(*unit) == 'b' || *unit == ' ' || memcmp(unit, "的", (size_t)(end - unit) < 3 ? 1 : 3) == 0); unit += lower(*unit) == 'b' || *unit == ' ' ? 1 : 3)
			;
		if (talk_first(talk_part(t, unit, end), RAM_CHINESE) == unit || (s - t.s >= 6 && talk_first(talk_part(t, s - 6, s), RAM_CHINESE) == s - 6) ||
		    (s - t.s >= 9 && talk_first(talk_part(t, s - 9, s), "内存是|内存有|内存只|内存为|内存：") == s - 9))
			return s;
	}
	return NULL;
}

#define OF_LIMIT	"limits.memory|memory limit|memory limits|limit of memory|内存限制|内存上限|limits: memory|mem limit|mem_limit"
#define LIMIT_WITHIN	48	/* bytes to how much that is */

/* "limits.memory is 2Gi": what a container may have. */
static const char *
limit_told(struct talk t)
{
	const char *at = NULL, *s, *to, *end;
	struct talk near;
	int64_t count;
	size_t n;

	while (talk_next_phrase(t, OF_LIMIT, &at, &n)) {
		near = talk_head(t, at + n, LIMIT_WITHIN);
		for (s = near.s, end = near.s + near.n; s < end && !is_digit(*s); s++)
			;
		if (s < end && (to = piece_number(s, end, &count)) && count >= 1 && count <= MOST_RAM && to < end && lower(*piece_past_blanks(to, end)) == 'g' && !talk_any_phrase(t, "gpu|cuda|increase|raise|？|?|吗"))
			return at;
	}
	return NULL;
}

/* "with 200Mi memory", "memory of 2Gi": a unit that Kubernetes alone writes so, of what a container
 * may have. */
static const char *
limit_by_unit(struct talk t)
{
	const char *s, *to = NULL, *end = t.s + t.n;
	int64_t count;

	while (talk_any_whole(t, "memory ram") && (s = oom_number_walk(t, ".-/~<>", &to, &count)))
		if (count > 0 && end - to >= 2 && (*to == 'M' || (*to == 'G' && count <= MOST_RAM)) && to[1] == 'i' && (end - to == 2 || !piece_is_word(to[2])) &&
		    (talk_is_one_of(clause_word_behind(t, to + 2), "memory ram of") || talk_any_whole(talk_part(t, talk_clause(t, s, 1).s, s), "memory ram")) &&
		    !talk_any_whole(talk_clause(t, s, 1), CARDS " should would could if increase raise free used uses") && !memchr(talk_sentence(t, s).s, '?', talk_sentence(t, s).n))
			return s;
	return NULL;
}

#define LENT		"google colab|colab|kaggle"
#define LENT_OTHERS	"gpu gpus vram card cuda tpu pro if should would could can not locally different works worked need needs"

/* "RAM is exhausted in Google Colab": where that ends, a machine that is lent, and small unless it
 * is paid for. */
static const char *
lent_machine(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, LENT, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && talk_any_whole(sentence, "ram") && !talk_any_whole(sentence, LENT_OTHERS) && (oom_short_fails(sentence) || clause_names_failure(sentence) || talk_any_begins(sentence, "exhaust")) && !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define MACHINE_NAMES	"laptop laptops pc computer notebook macbook mac imac desktop workstation server vm vps droplet machine instance box"
#define CARD_WITHIN	3	/* words ahead of an amount */

/* "a Ryzen 8GB laptop", and not "a GTX 1070 8GB laptop": an amount right ahead of a machine's name
 * is of its memory. */
static bool
is_of_machine(struct talk sentence, const char *amount, struct talk unit)
{
	struct talk word = clause_word_ahead(sentence, amount);
	int i;

	if (!talk_is_one_of(clause_word_behind(sentence, unit.s + unit.n), MACHINE_NAMES))
		return false;
	for (i = 0; i < CARD_WITHIN && word.n > 0; i++, word = clause_word_ahead(sentence, word.s))
		if (talk_is_one_of(word, CARDS " swap disk ssd"))
			return false;
	return true;
}

/* "29.8 GiB memory available for workers": what a program gives its parts, at the name of memory
 * in WORD. */
static bool
is_allotted(struct talk t, struct talk word)
{
	word = clause_word_behind(t, word.s + word.n);
	return talk_is_one_of(word, "available reserved allotted allocated assigned") && talk_is_one_of(clause_word_behind(t, word.s + word.n), "for to");
}

/* "An object of 4.8 GB in memory", "it is 4 GB in RAM": what lies there, by what stands behind
 * UNIT, of an amount that is written at S. */
static bool
is_of_object(struct talk t, const char *s, struct talk unit)
{
	return talk_is_one_of(clause_word_behind(t, unit.s + unit.n), "in") && talk_any_whole(talk_part(t, talk_clause(t, s, 1).s, s), "is are was were be object objects file size data dataset matrix array table model");
}

#define IS_SHORT	"n't seem to cut|not seem to cut|n't cut|not cut|n't enough|is not enough|are not enough|was not enough|were not enough|seems not enough|n't suffice|not suffice|n't sufficient|is not sufficient|are not sufficient|n't seem to be enough|not seem to be enough|n't seem enough|not seem enough"
#define SHORT_WITHIN	40	/* bytes from its name to that */

/* "32 GB RAM doesn't seem to cut it": is it said of the memory in WORD that it is too little? */
static bool
is_short(struct talk sentence, struct talk word)
{
	return talk_is_one_of(word, "ram") && talk_holds(sentence, word.s) && talk_has_whole(talk_head(sentence, word.s + word.n, SHORT_WITHIN), IS_SHORT) && !talk_any_whole(sentence, CARDS " if should would could swap disk ssd") &&
	    !memchr(sentence.s, '?', sentence.n);
}

/* "a GTX960 2G memory": in its clause a card's name stands right ahead of the amount at S, or right
 * behind its UNIT. */
static bool
is_of_card(struct talk t, const char *s, struct talk unit)
{
	struct talk clause = talk_clause(t, s, 1), word = clause_word_ahead(clause, s), next = clause_word_behind(clause, unit.s + unit.n);
	int i;

	for (i = 0; i < CARD_WITHIN && word.n > 0; i++, word = clause_word_ahead(clause, word.s))
		if (talk_is_one_of(word, CARDS) || talk_is_one_of(word, OOM_CARD_NUMBERS) || talk_any_begins(word, CARD_BEGINS))
			return true;
	return talk_is_one_of(next, CARDS) || (next.n > 0 && talk_any_begins(next, CARD_BEGINS));
}

#define GUESTS		"vm|virtual machine|virtualbox|vmware|hyper-v|wsl|wsl2|docker|container"
#define GIVES		"set assigned allocated given gave limit limited allotted configured reserved has have with only"

/* "My computer has 16 GB, and the virtual machine 10 GB": of a line that speaks of a guest, the
 * amount at S is another's. */
static bool
is_of_guests_host(struct talk t, const char *s)
{
	return talk_has_whole(t, GUESTS) && !talk_has_whole(talk_clause(t, s, 1), GUESTS);
}

/* The unit of the amount that ends at TO, "15.6 GB"; of no bytes where it is none of gigabytes. */
static struct talk
unit_of(struct talk t, const char *to)
{
	const char *end = t.s + t.n;
	struct talk unit;
	int64_t part;

	if (to + 1 < end && *to == '.' && is_digit(to[1]))
		to = piece_number(to + 1, end, &part);
	unit = clause_word_behind(t, to);
	return unit.s - to <= 1 && talk_is_one_of(unit, "gb gib g gig gigs gbs") ? unit : talk_part(t, to, to);
}

#define NOT_OF_ONES_OWN	" if should would could not no "
#define OTHER_ROOM	"swap disk ssd"	/* in its clause */

/* "the memory of the virtual machine is set to 10 GB" */
static const char *
ram_of_guest(struct talk t)
{
	const char *s, *to = NULL;
	struct talk clause, unit;
	int64_t count;

	while (talk_has_whole(t, GUESTS) && (s = oom_number_walk(t, ".-/~<>", &to, &count))) {
		clause = talk_clause(t, s, 1);
		unit = unit_of(t, to);
		if (count >= 1 && count <= MOST_RAM && unit.n > 0 && !talk_any_phrase(talk_sentence(t, s), OF_LIMIT) && talk_has_whole(clause, GUESTS) && talk_any_whole(clause, "ram memory") && talk_any_whole(talk_part(t, clause.s, s), GIVES) &&
		    !is_of_card(t, s, unit) && !talk_any_whole(clause, CARDS NOT_OF_ONES_OWN OF_ANOTHER " " OTHER_ROOM) && !has_no_trouble(talk_sentence(t, s)) && !memchr(talk_sentence(t, s).s, '?', talk_sentence(t, s).n))
			return s;
	}
	return NULL;
}

#define OF_RAM		"ram mem memory size is are of total has only just about installed"

/* "my RAM is 32 GB": memory is named ahead of the amount at S, and nothing else is. */
static bool
is_named_ahead(struct talk t, const char *s)
{
	struct talk clause = talk_clause(t, s, 1), word = clause_word_ahead(clause, s);
	bool named = false, is = false;
	int i;

	for (i = 0; i < MOST_AHEAD && talk_is_one_of(word, OF_RAM); i++, word = clause_word_ahead(clause, word.s)) {
		named |= talk_is_one_of(word, "ram memory");
		is |= talk_is_one_of(word, "is are has");
	}
	return named && is && talk_is_one_of(word, "my our the system server machine computer laptop pc its whose and");
}

#define OWN_NAMES	"system memory|system ram|cpu memory|cpu ram|host memory|host ram|main memory|physical memory|ddr4|ddr5"
#define NAME_WITHIN	18	/* bytes from an amount to the end of such a name */
#define TAKEN_AHEAD	"available free used left peak max maximum minimum"

/* "- RAM 16Gb": a line of a list of what a machine has, in which nothing else stands ahead of the
 * amount at S; UNIT ends it. */
static bool
is_listed(struct talk t, const char *s, struct talk unit)
{
	struct talk label = clause_word_ahead(t, s);

	return talk_is_one_of(label, "ram") && s - (label.s + label.n) <= (long)sizeof(": ") && clause_word_ahead(t, label.s).n == 0 && clause_word_behind(t, unit.s + unit.n).n == 0;
}

/* "RAM: 8GB", "128 GB of system memory": a name that no card's memory has, beside the amount at S,
 * which ends with UNIT. */
static bool
is_by_name(struct talk t, const char *s, struct talk unit)
{
	struct talk clause = talk_clause(t, s, 1), label;

	if (talk_has_whole(talk_head(t, unit.s + unit.n, NAME_WITHIN), OWN_NAMES) && !talk_any_whole(talk_head(t, unit.s + unit.n, NAME_WITHIN), TAKEN_AHEAD))
		return true;
	if (is_listed(t, s, unit))
		return true;
	if (clause.s == t.s || clause.s[-1] != ':' || clause_word_ahead(clause, s).n > 0)
		return false;
	label = clause_word_ahead(t, clause.s - 1);
	return talk_is_one_of(label, "ram") && !talk_is_one_of(clause_word_ahead(t, label.s), CARDS " video " TAKEN_AHEAD);
}

#define HEDGES		"about around roughly approximately nearly almost only just up some a an all"

/* "takes up about 2GB of memory": is the amount at S what is taken? */
static bool
is_taken(struct talk t, const char *s)
{
	struct talk word = clause_word_ahead(t, s);

	while (!talk_any_whole(word, IS_TAKEN) && talk_is_one_of(word, HEDGES))
		word = clause_word_ahead(t, word.s);
	return talk_any_whole(word, IS_TAKEN);
}

/* "My server has 256 GB and crashes": of the amount at S, however large it is; not "even with 64
 * GB", nor where T says of another that it runs there, where something else decides, nor "it takes
 * all 64 GB". */
static bool
fails_with_it(struct talk t, struct talk sentence, const char *s)
{
	if (sentence.s > t.s && has_no_trouble(talk_part(t, t.s, sentence.s)))
		return false;
	return clause_names_failure(sentence) && !talk_any_whole(sentence, "even though although despite all any also too well") && !is_taken(sentence, s);
}

/* "I have a GTX 960. I think I have 4 GB of memory on there" */
static bool
points_at_card(struct talk t, struct talk sentence)
{
	struct talk ahead = talk_part(t, t.s, sentence.s);

	return talk_has_whole(sentence, "on there|on it|in there|in it") && (talk_any_whole(ahead, CARDS) || talk_any_begins(ahead, CARD_BEGINS));
}

/* "I have 16 GB of RAM", "a MacBook with 16Gb RAM", "my RAM is 32 GB": what a machine has, and not
 * what is taken of it; MOST at most, or more where it is said to fail there. */
static const char *
ram_of_machine(struct talk t, int64_t most, int64_t *count)
{
	const char *s, *to = NULL;
	struct talk sentence, word, unit;
	int i;

	if (!talk_any_whole(t, "ram memory ddr4 ddr5 " MACHINE_NAMES))
		return NULL;
	while ((s = oom_number_walk(t, ".-/~<>", &to, count))) {
		sentence = talk_sentence(t, s);
		unit = unit_of(t, to);
		if (s - t.s > 1 && s[-1] == '=' && is_digit(s[-2]))
			continue;		/* "8*60=480GB": reckoned */
		if (*count < 1 || *count > LARGEST_RAM || unit.n == 0 || (*count > most && !fails_with_it(t, sentence, s)) || is_of_card(t, s, unit) || is_of_guests_host(t, s) ||
		    talk_any_phrase(sentence, OF_LIMIT))
			continue;
		for (i = 0, word = clause_word_behind(t, unit.s + unit.n); i < NEAR_AMOUNT && word.n > 0 && !talk_is_one_of(word, "ram memory"); i++, word = clause_word_behind(t, word.s + word.n))
			if (talk_is_one_of(word, CARDS " video device"))
				i = NEAR_AMOUNT;	/* "96 GB of video memory" */
		if (i < NEAR_AMOUNT && is_short(sentence, word))
			return s;
		if (is_taken(t, s) || is_needed(t, s, unit) || has_no_trouble(sentence) || memchr(sentence.s, '?', sentence.n))
			continue;
		if (talk_any_whole(talk_clause(t, s, 1), OTHER_ROOM))
			continue;
		if (is_by_name(t, s, unit) && !talk_any_whole(sentence, NOT_OF_ONES_OWN OF_ANOTHER))
			return s;
		if (is_of_machine(sentence, s, unit) && !talk_any_whole(sentence, "need needs require requires" NOT_OF_ONES_OWN OF_ANOTHER))
			return s;
		if (talk_any_whole(sentence, CARDS NOT_OF_ONES_OWN OF_ANOTHER) || talk_any_begins(sentence, CARD_BEGINS))
			continue;
		if (points_at_card(t, sentence))
			continue;
		if (is_named_ahead(t, s))
			return s;
		if (i < NEAR_AMOUNT && talk_is_one_of(word, "ram memory") && talk_holds(sentence, word.s) && !is_allotted(t, word) && !is_of_object(t, s, unit) && (talk_has_whole(sentence, "i have|i've|we have|i got|with") ||
		    talk_any_whole(sentence, "my machine laptop pc computer server node desktop notebook workstation ubuntu windows macbook mac system specs instance vm kaggle colab sagemaker codespace")))
			return s;
	}
	return NULL;
}

/* The same, by any of their ways of telling it. */
static const char *
little_ram(struct talk t)
{
	int64_t count;
	const char *s;

	return (s = lent_machine(t)) || (s = ram_in_chinese(t, MOST_RAM, &count)) || (s = ram_of_guest(t)) ? s : ram_of_machine(t, MOST_RAM, &count);
}

const char *
oom_machine_has(struct talk t, int64_t *gib)
{
	const char *s = ram_in_chinese(t, LARGEST_RAM, gib);

	return s ? s : ram_of_machine(t, LARGEST_RAM, gib);
}

/* What a container or a pod may have. */
const char *
oom_machine_limit(struct talk t)
{
	const char *s = limit_told(t);

	return s ? s : limit_by_unit(t);
}

/* "Built on a laptop with 16 GB": where it was made, and not where it runs. */
static bool
is_of_maker(struct talk t, const char *s)
{
	return talk_has_whole(talk_part(t, talk_sentence(t, s).s, s), "built on|built with|compiled on|compiled with|converted on|exported on|cross-compiled on|developed on|created on");
}

/* "on a VM with 4GB of memory", "on a Raspberry Pi": a machine that has little. */
const char *
oom_machine_small(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, BOARDS, &n), *s, *to = NULL;
	struct talk sentence;
	int64_t count;

	if ((s = little_ram(t)) && is_of_maker(t, s))
		return NULL;
	if (at && !talk_any_whole(talk_sentence(t, at), "not no than like unlike instead such should would could ssh client remote remotely server cluster connect connected connecting terminal vnc deploy deployed later") && !memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n))
		return at;
	if (!(at = talk_find_whole(t, "vm|vps|virtual machine|droplet|my container|the container|our container|a container|the pod|my pod|each pod|a pod|my instance|ec2 instance|my laptop|my pc|my computer|my machine|this machine|my server", &n)))
		return little_ram(t);
	sentence = talk_sentence(t, at);
	if (has_no_trouble(sentence) || talk_any_whole(sentence, "gpu vram card graphics if should would not no swap disk storage ssd need needs") || memchr(sentence.s, '?', sentence.n))
		return little_ram(t);
	while ((s = oom_number_walk(sentence, ".", &to, &count))) {
		if (talk_any_whole(s < at ? talk_part(sentence, s, at) : talk_part(sentence, at, s), OF_ANOTHER))
			return NULL;
		if (count >= 1 && count <= LEAST_MACHINE && !is_taken(sentence, s) && !is_of_card(t, s, clause_word_behind(t, to)) && talk_is_one_of(clause_word_behind(t, to), "gb gib gi g gigs") &&
		    (talk_any_whole(talk_part(sentence, to, sentence.s + sentence.n), "ram memory") || talk_has_whole(talk_part(sentence, sentence.s, s), "memory limit|limit of memory|memory limits")))
			return at;
	}
	return little_ram(t);
}

