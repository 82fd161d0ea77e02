/*
 * The same as oom_short.c and oom_whose.c read in English, in languages whose words are not parted
 * by blanks, or that need no more than a phrase: that memory ended, and whose it was.
 */
#include "oom/oom_elsewhere.h"

#include "base/ascii.h"
#include "oom/oom_clause.h"

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
	{ false, true, "爆记忆体|记忆体爆|记忆体不足|记忆体不够|记忆体溢出|记忆体耗尽|超内存|超出内存|超出了内存|超过了内存|内存过大错误|内存过大的错误|内存过大报错|\xe7\x88\x86\xe5\x86\x85\xe5\xad\x98|\xe5\x86\x85\xe5\xad\x98\xe7\x88\x86|"				/* 爆内存, 内存爆 */
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
bool
oom_elsewhere_is_machines(struct talk t)
{
	return talk_any_phrase(t, OF_MACHINE_ELSEWHERE) || talk_any_whole(t, "cpu ram swap") || talk_any_phrase(t, "服务器内存|服务器的内存") || talk_any_phrase(t, "\xe7\xb3\xbb\xe7\xbb\x9f|\xe4\xb8\xbb\xe6\x9c\xba|\xe7\x94\xb5\xe8\x84\x91|\xe6\x9c\xba\xe5\x99\xa8|"	/* 系统, 主机, 电脑, 机器 */
	    "\xe7\x89\xa9\xe7\x90\x86\xe5\x86\x85\xe5\xad\x98|\xe8\xbf\x90\xe8\xa1\x8c\xe5\x86\x85\xe5\xad\x98");		/* 物理内存, 运行内存 */
}

#define HAS_NO_ROOM	"不够|不足|没有足够|没足够|不充足|爆|溢出|占满了|用满了"
#define HAS_ROOM	"小于|不到|没满|没有满|未满|没占满|没用满|没有占满|还剩|剩余|充足|足够|够用|空闲|不高|很低|只占|才占|只用|没怎么|不变|没变|正常|稳定|没问题|没有问题|空着|还有很多|还有不少"

/* "显存不变，内存爆了": of what is said of 内存 at AT, is 显存 named in another clause, or denied, and so
 * told apart from it? */
bool
oom_elsewhere_is_apart(struct talk t, const char *at)
{
	struct talk clause = talk_clause(t, at, 1);
	const char *s = NULL;
	size_t n;

	if (!talk_any_phrase(clause, "内存") || talk_any_phrase(clause, "显存|显卡"))
		return false;
	while (talk_next_phrase(t, "显存", &s, &n))
		if (!talk_holds(clause, s) && (clause_denies_elsewhere(t, s, n) || talk_any_phrase(talk_clause(t, s, n), HAS_ROOM)))
			return true;
	return false;
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
bool
oom_elsewhere_is_cards(struct talk t)
{
	const char *at = NULL, *s;
	struct talk behind;
	size_t n;

	if (ends_of_card(t))
		return true;
	if (!talk_next_phrase(t, CARD_MEMORY, &at, &n) || oom_elsewhere_is_machines(t))
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

/* "直接报错内存错误", and what is another fault of memory */
#define IS_ERROR	"内存错误|显存错误|内存报错|显存报错|内存出错|显存出错|内存异常|显存异常"
#define OTHER_FAULTS	"段错误|非法|越界|访问|对齐|泄漏检测|double free|segmentation|segfault|illegal|ecc|硬件|内存条"

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

bool
oom_elsewhere_says(struct oom_told *o, struct talk t)
{
	int i;

	for (i = 0; elsewhere[i].phrases; i++)
		if ((o->at = said_elsewhere(t, elsewhere[i].phrases))) {
			o->what = TOLD_ENDED;
			o->device = o->sure = elsewhere[i].device || oom_elsewhere_is_cards(t);
			o->named = elsewhere[i].host && !o->device && oom_elsewhere_is_apart(t, o->at);
			o->host = o->named || (elsewhere[i].host && !o->device && oom_elsewhere_is_machines(t));
			return true;
		}
	if ((o->at = is_refused(t))) {
		o->what = TOLD_ENDED;
		o->device = o->sure = talk_any_phrase(talk_head(t, o->at, TO_MEMORY), "显存") || oom_elsewhere_is_cards(t);
		o->host = !o->device && oom_elsewhere_is_machines(t);
		return true;
	}
	if ((o->at = talk_any_phrase(t, "避免|防止|没有|不会|如果|吗|优化") ? NULL : said_elsewhere(t, TAKES_MUCH))) {
		o->what = TOLD_TROUBLE;
		o->host = oom_elsewhere_is_machines(t);
		return true;
	}
	if ((o->at = talk_any_phrase(t, OTHER_FAULTS) ? NULL : said_elsewhere(t, IS_ERROR))) {
		o->what = TOLD_TROUBLE;
		o->device = o->sure = talk_any_phrase(talk_head(t, o->at, sizeof("显存") - 1), "显存") || oom_elsewhere_is_cards(t);
		o->host = !o->device && oom_elsewhere_is_machines(t);
		return true;
	}
	/* 溢出, 爆, 不够, 不足, 无法满足 of 显存, 显卡 or of 内存 */
	if (!(o->at = said_elsewhere(t, "\xe6\xba\xa2\xe5\x87\xba|\xe7\x88\x86|\xe4\xb8\x8d\xe5\xa4\x9f|\xe4\xb8\x8d\xe8\xb6\xb3|"
	    "\xe6\x97\xa0\xe6\xb3\x95\xe6\xbb\xa1\xe8\xb6\xb3")))
		return false;
	o->device = o->sure = talk_any_phrase(t, "\xe6\x98\xbe\xe5\xad\x98") || oom_elsewhere_is_cards(t) || card_is_short(t);
	o->what = o->device || talk_any_phrase(t, "\xe5\x86\x85\xe5\xad\x98|记忆体") ? TOLD_ENDED : TOLD_NOTHING;
	o->named = !o->device && o->what && oom_elsewhere_is_apart(t, o->at);
	o->host = o->named || (!o->device && o->what && oom_elsewhere_is_machines(t));
	return o->what != TOLD_NOTHING;
}

/* 显存, and not as "显存占用小于30%": is one of them not said to have room? */
bool
oom_elsewhere_names_cards(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, "显存", &at, &n))
		if (!talk_any_phrase(talk_clause(t, at, n), HAS_ROOM) || talk_any_phrase(talk_clause(t, at, n), HAS_NO_ROOM))
			return true;
	return false;
}
