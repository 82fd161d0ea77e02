/*
 * Reports in a person's words alone, with no program's message (oom_short.h). A clause that denies
 * it, advises against it or is code says nothing. Which memory it was is read from that sentence
 * alone (oom_whose.h); batches, sizes and names from all of them, and only told again.
 */
#include "oom/oom_told.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_form.h"
#include "oom/oom_much.h"
#include "oom/oom_named.h"
#include "oom/oom_short.h"
#include "oom/oom_whose.h"

/* The machine's memory by names that no card's has. */
#define OF_MACHINE_ELSEWHERE	"arbeitsspeicher voll|arbeitsspeicher ist voll|arbeitsspeicher läuft voll|arbeitsspeicher reicht nicht|zu wenig arbeitsspeicher|nicht genug arbeitsspeicher|nicht genügend arbeitsspeicher|"	\
    "mémoire vive saturée|mémoire vive insuffisante|plus de mémoire vive|pas assez de mémoire vive|manque de mémoire vive|ram saturée|saturation de la ram|memoria ram insuficiente|sin memoria ram|memoria ram llena|llena la ram|agota la ram|"	\
    "memória ram insuficiente|memória ram cheia|sem memória ram|memoria ram esaurita|memoria ram piena|не хватает оперативной|закончилась оперативная|кончается оперативная|оперативной памяти не хватает|램이 부족|램 부족|시스템 메모리 부족|メインメモリ不足|メインメモリが足り|物理メモリが足り"

/* The same in languages whose words are not parted by blanks, or that need no more. */
static const struct {
	bool device, host;
	const char *phrases;
} elsewhere[] = {
	{ true, false, "\xe7\x88\x86\xe6\x98\xbe\xe5\xad\x98|\xe7\x88\x86\xe4\xba\x86\xe6\x98\xbe\xe5\xad\x98|"		/* 爆显存, 爆了显存 */
	    "\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3|\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x8d\xe5\xa4\x9f|"		/* 显存不足, 显存不够 */
	    "\xe6\x98\xbe\xe5\xad\x98\xe6\xba\xa2\xe5\x87\xba|\xe6\x98\xbe\xe5\xad\x98\xe7\x88\x86|"			/* 显存溢出, 显存爆 */
	    "\xe6\x98\xbe\xe5\xad\x98\xe4\xbc\x9a\xe7\x88\x86|\xe6\x98\xbe\xe5\xad\x98\xe8\x80\x97\xe5\xb0\xbd|"		/* 显存会爆, 显存耗尽 */
	    "现存不足|现存不够|现存溢出|爆现存|现存爆|"	/* as it is mistyped */
	    "gpu爆|gpu 爆|gpu会爆|gpu 会爆|gpu直接爆|gpu 直接爆|爆gpu|爆 gpu|显卡爆|"
	    "\xe8\xb6\x85\xe6\x98\xbe\xe5\xad\x98|\xe8\xb6\x85\xe5\x87\xba\xe6\x98\xbe\xe5\xad\x98|超过了显存|超出了显存" },			/* 超显存, 超出显存 */
	{ true, false, "显存吃满|显存就吃满|显存都吃满|显存全吃满|显存被吃满|吃满显存|吃满了显存|显存直接吃满|显存打满|显存拉满|显存就占满|显存就已占满|显存被占满|显存很快占满|显存全部占满|显存全占满|把显存占满|显存用尽|显存被耗尽|炸显存|暴显存|暴了显存|炸了显存|显存炸|显存直接炸|显存爆炸|显存hold不住|显存撑不住|显存扛不住|显存顶不住|显存吃不消|显存放不下|显存装不下|显存不太够|显存根本不够|显存完全不够|显存都不够|显存还不够|显存还是不够|显存也不够" },
	{ false, true, "超内存|超出内存|超出了内存|超过了内存|内存过大错误|内存过大的错误|内存过大报错|\xe7\x88\x86\xe5\x86\x85\xe5\xad\x98|\xe5\x86\x85\xe5\xad\x98\xe7\x88\x86|"				/* 爆内存, 内存爆 */
	    "\xe5\x86\x85\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3|\xe5\x86\x85\xe5\xad\x98\xe4\xb8\x8d\xe5\xa4\x9f|"		/* 内存不足, 内存不够 */
	    "\xe5\x86\x85\xe5\xad\x98\xe6\xba\xa2\xe5\x87\xba|\xe5\x86\x85\xe5\xad\x98\xe8\x80\x97\xe5\xb0\xbd|"		/* 内存溢出, 内存耗尽 */
	    "内存占满|内存爆满|内存暴涨至100%|内存暴涨到100%|内存hold不住|内存撑不住|内存扛不住|内存顶不住|内存吃不消|内存装不下|内存都不够|内存还是不够|内存也不够|内存飙升至100%|内存飙升到100%|内存飙到100%|内存涨到100%|内存占用达到100%|内存达到100%|内存占用到100%|内存炸|炸内存|"
	    "ram溢出|ram空间占满|ram占满|ram爆" },
	{ false, true, OF_MACHINE_ELSEWHERE },
	{ true, false, "grafikspeicher voll|grafikspeicher ist voll|grafikspeicher reicht nicht|mémoire vidéo insuffisante|memoria de video insuficiente|memória de vídeo insuficiente|не хватает видеопамяти|видеопамяти не хватает|закончилась видеопамять" },
	{ false, false, "\xe5\x86\x85\xe5\xad\x98\xe5\x88\x86\xe9\x85\x8d\xe9\x94\x99\xe8\xaf\xaf|"			/* 内存分配错误 */
	    "\xe5\x86\x85\xe5\xad\x98\xe5\x88\x86\xe9\x85\x8d\xe5\xa4\xb1\xe8\xb4\xa5|\xe3\x83\xa1\xe3\x83\xa2\xe3\x83\xaa\xe4\xb8\x8d\xe8\xb6\xb3|"					/* メモリ不足 */
	    "\xeb\xa9\x94\xeb\xaa\xa8\xeb\xa6\xac \xeb\xb6\x80\xec\xa1\xb1|"						/* 메모리 부족 */
	    "\xeb\xa9\x94\xeb\xaa\xa8\xeb\xa6\xac\xea\xb0\x80 \xeb\xb6\x80\xec\xa1\xb1|"					/* 메모리가 부족 */
	    "メモリが足り|メモリが不足|メモリー不足|メモリを使い切|メモリが枯渇|メモリ枯渇|メモリが溢れ|メモリオーバー|메모리 초과|메모리가 초과|메모리가 모자|메모리 오버|"
	    "mémoire insuffisante|manque de mémoire|mémoire saturée|se queda sin memoria|se quedó sin memoria|memória insuficiente|falta de memória|estouro de memória|fica sem memória|ficou sem memória|"
	    "memoria esaurita|memoria insufficiente|кончилась память|кончается память|заканчивается память|переполнение памяти|"
	    "memoria insuficiente|falta de memoria|нехватка памяти|не хватает памяти|не хватило памяти|памяти не хватает|недостаточно памяти|закончилась память" },
	{ false, false, NULL }
};

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
	const char *at, *end = sentence.s + sentence.n;
	struct talk rest;
	bool any = false;
	size_t n;

	for (rest = sentence; (at = talk_find_whole(rest, "oom|ooms|out of memory|out-of-memory|memory error|memory errors", &n)); rest = talk_part(sentence, at + n, end)) {
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
	struct talk before = talk_part(clause, clause.s, at), rest;
	const char *s;
	size_t n;

	for (rest = before; (s = talk_find_whole(rest, "if", &n)); rest = talk_part(before, s + n, at))
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

/* "better handling of OOM", but not "OOM when handling more than 30 images". */
static bool
deals_with(struct talk clause)
{
	return talk_any_whole(clause, "handling") && !talk_has_whole(clause, "when handling|while handling|upon handling|by handling|after handling|for handling|start handling");
}

bool
oom_told_happened(struct talk line, const char *at, size_t n)
{
	struct talk clause = talk_clause(line, at, n), next;
	const char *end = clause.s + clause.n, *to = piece_past_blanks(at + n < end && memchr("\"'`", at[n], 3) ? at + n + 1 : at + n, end);
	size_t length;

	next = talk_part(line, to, end);
	if (is_code(line) || clause_denies(line, at, n) || is_told_to_others(line, clause, at) || is_doubted(clause, at))
		return false;
	if (talk_find_whole(next, NAMED_AFTER, &length) == to)
		return false;
	return ((!(talk_has_whole(clause, ADVICE) || deals_with(clause)) || is_bound(clause, at)) && !is_excepted(clause) && !is_condition(clause, at)) || clause_is_question(talk_sentence(line, at));
}

/* A card (显卡) that is short of something is so of memory where 内存 or 跑 says it, or the word stands
 * right behind it. */
static bool
card_is_short(struct talk t)
{
	return talk_any_phrase(t, "\xe6\x98\xbe\xe5\x8d\xa1") && talk_any_phrase(t, "\xe5\x86\x85\xe5\xad\x98|\xe8\xb7\x91|"
	    "\xe6\x98\xbe\xe5\x8d\xa1\xe6\xba\xa2\xe5\x87\xba|\xe6\x98\xbe\xe5\x8d\xa1\xe7\x88\x86|"		/* 显卡溢出, 显卡爆 */
	    "\xe6\x98\xbe\xe5\x8d\xa1\xe4\xb8\x8d\xe5\xa4\x9f|\xe6\x98\xbe\xe5\x8d\xa1\xe4\xb8\x8d\xe8\xb6\xb3|"	/* 显卡不够, 显卡不足 */
	    "\xe6\x98\xbe\xe5\x8d\xa1\xe6\x97\xa0\xe6\xb3\x95\xe6\xbb\xa1\xe8\xb6\xb3");				/* 显卡无法满足 */
}

/* 内存 is the machine's memory, and people call a card's so, too: beside these it is the
 * machine's. */
static bool
is_of_machine(struct talk t)
{
	return talk_any_phrase(t, OF_MACHINE_ELSEWHERE) || talk_any_whole(t, "cpu ram swap") || talk_any_phrase(t, "服务器内存|服务器的内存") || talk_any_phrase(t, "\xe7\xb3\xbb\xe7\xbb\x9f|\xe4\xb8\xbb\xe6\x9c\xba|\xe7\x94\xb5\xe8\x84\x91|\xe6\x9c\xba\xe5\x99\xa8|"	/* 系统, 主机, 电脑, 机器 */
	    "\xe7\x89\xa9\xe7\x90\x86\xe5\x86\x85\xe5\xad\x98|\xe8\xbf\x90\xe8\xa1\x8c\xe5\x86\x85\xe5\xad\x98");		/* 物理内存, 运行内存 */
}

#define CARD_MEMORY	"显卡内存|显卡的内存|gpu内存|gpu的内存|gpu 内存"
#define NEAR_CARD	24	/* bytes, to what it is said to have */

#define RIGHT_BEHIND	12	/* bytes, of what befalls it */

/* "你的机器GPU内存不够": what befalls it stands right behind it, whatever else is named. */
static bool
ends_of_card(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, CARD_MEMORY, &at, &n))
		if (talk_any_phrase(talk_head(t, at + n, RIGHT_BEHIND), "不够|不足|溢出|爆|耗尽|满了") && !clause_denies_elsewhere(t, at, n))
			return true;
	return false;
}

/* A card's memory by that name (显卡内存), where no machine's is named beside it, and it is not said
 * to be enough, or how much there is of it. */
static bool
is_of_card(struct talk t)
{
	const char *at = NULL, *s;
	struct talk behind;
	size_t n;

	if (ends_of_card(t))
		return true;
	if (!talk_next_phrase(t, CARD_MEMORY, &at, &n) || is_of_machine(t))
		return false;
	behind = talk_head(t, at + n, NEAR_CARD);
	for (s = behind.s; s < behind.s + behind.n && !is_digit(*s); s++)
		;
	return s == behind.s + behind.n && !talk_any_phrase(behind, "够|正常|充足|空闲|没问题|没有问题|还有|剩") && !clause_denies_elsewhere(t, at, n);
}

/* The first phrase of LIST that is not denied. */
static const char *
said_elsewhere(struct talk t, const char *list)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, list, &at, &n))
		if (!clause_denies_elsewhere(t, at, n))
			return at;
	return NULL;
}

/* Of memory that is much, as "it takes too much memory" */
#define TAKES_MUCH	"占用太大内存|占用内存太大|内存占用太大|内存占用过大|内存占用过高|内存占用太高|占用内存过大"

#define TO_MEMORY	60	/* bytes from what asks for it to its name */

/* "无法分配高达1.26GiB的内存空间", "尝试申请81GB内存，注定是失败了": memory that was asked for, and not
 * given. */
static const char *
is_refused(struct talk t)
{
	const char *at = NULL;
	struct talk sentence;
	size_t n;

	while (talk_next_phrase(t, "无法分配|不能分配|分配不了|分配不出|申请", &at, &n)) {
		sentence = clause_sentence(t, at);
		if (!talk_any_phrase(talk_head(sentence, at + n, TO_MEMORY), "内存|显存") || talk_any_phrase(sentence, "吗|如果|避免|防止|是否"))
			continue;
		if (talk_first(talk_part(t, at, at + n), "申请") != at || talk_any_phrase(talk_part(t, at, sentence.s + sentence.n), "失败|申请不到|不成功"))
			return at;
	}
	return NULL;
}

static bool
in_other_words(struct oom_told *o, struct talk t)
{
	int i;

	for (i = 0; elsewhere[i].phrases; i++)
		if ((o->at = said_elsewhere(t, elsewhere[i].phrases))) {
			o->what = TOLD_ENDED;
			o->device = o->sure = elsewhere[i].device || is_of_card(t);
			o->host = elsewhere[i].host && !o->device && is_of_machine(t);
			return true;
		}
	if ((o->at = is_refused(t))) {
		o->what = TOLD_ENDED;
		o->device = o->sure = talk_any_phrase(talk_head(t, o->at, TO_MEMORY), "显存") || is_of_card(t);
		o->host = !o->device && is_of_machine(t);
		return true;
	}
	if ((o->at = talk_any_phrase(t, "避免|防止|没有|不会|如果|吗|优化") ? NULL : said_elsewhere(t, TAKES_MUCH))) {
		o->what = TOLD_TROUBLE;
		o->host = is_of_machine(t);
		return true;
	}
	/* 溢出, 爆, 不够, 不足, 无法满足 of 显存, 显卡 or of 内存 */
	if (!(o->at = said_elsewhere(t, "\xe6\xba\xa2\xe5\x87\xba|\xe7\x88\x86|\xe4\xb8\x8d\xe5\xa4\x9f|\xe4\xb8\x8d\xe8\xb6\xb3|"
	    "\xe6\x97\xa0\xe6\xb3\x95\xe6\xbb\xa1\xe8\xb6\xb3")))
		return false;
	o->device = o->sure = talk_any_phrase(t, "\xe6\x98\xbe\xe5\xad\x98") || is_of_card(t) || card_is_short(t);
	o->what = o->device || talk_any_phrase(t, "\xe5\x86\x85\xe5\xad\x98") ? TOLD_ENDED : TOLD_NOTHING;
	o->host = !o->device && o->what && is_of_machine(t);
	return o->what != TOLD_NOTHING;
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

#define HAS_NO_ROOM	"不够|不足|没有足够|没足够|不充足|爆|溢出|占满了|用满了"
#define HAS_ROOM	"小于|不到|没满|没有满|未满|没占满|没用满|没有占满|还剩|剩余|充足|足够|够用|空闲|不高|很低|只占|才占|只用|没怎么"

/* 显存, and not as "显存占用小于30%": is one of them not said to have room? */
static bool
names_card_memory(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, "显存", &at, &n))
		if (!talk_any_phrase(talk_clause(t, at, n), HAS_ROOM) || talk_any_phrase(talk_clause(t, at, n), HAS_NO_ROOM))
			return true;
	return false;
}

/* Whose memory it is, by the words of T. */
static void
place(struct oom_told *o, struct talk t)
{
	struct whose w = oom_whose(t);

	o->device = w.device || (!w.host && ((names_card_memory(t) && !is_of_machine(t)) || is_of_card(t)));
	o->host = w.host;
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
	if (in_other_words(&now, t)) {
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
			now.host = oom_whose_ram(t) || oom_whose_ram_ends(t) || (talk_any_phrase(t, "内存") && !talk_any_phrase(t, "显存") && is_of_machine(t) && !is_of_card(t));
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
	now.guess = now.what && is_guess(line_itself, now.at);
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
oom_told_stays(struct oom_told *o, struct talk t, int line)
{
	struct oom_told now = { .what = TOLD_TROUBLE, .at = t.s, .sentence = is_sentence(t) };

	if (o->what)
		return;
	said_at(&now.said, t, t.s, line);
	place(&now, t);
	now.device |= talk_any_phrase(t, "\xe6\x98\xbe\xe5\xad\x98|\xe6\x98\xbe\xe5\x8d\xa1");	/* 显存, 显卡 */
	keep(o, &now);
}

void
oom_told_line(struct oom_told *o, struct talk t, int line)
{
	memory(o, t, line);
	oom_named_line(o, t, line);
}
