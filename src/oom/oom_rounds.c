/*
 * Rounds and items that people count in other languages than English, of a run that fails when so
 * many are done. There is no grammar here: words stand within so many bytes of each other.
 */
#include "oom/oom_rounds.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"

#define NUMERALS	"一|二|两|三|四|五|六|七|八|九|十|百|千|万|几|多"
#define ROUNDS_CHINESE	"个epoch|epoch|多个epoch|轮|次|步|个step|step|个iter|iter|个batch|个小时|小时|分钟|天|个视频|个文件|张图|页|个样本"
#define FINE_CHINESE	"正常|没问题|没有问题|没报错|没有报错|可以跑|能跑|没事|都好"
#define COMES_CHINESE	"跑到|训到|练到|行到|到了|跑了|练了|调了|行了|理了|理到|调到|成到|试到|估到"
#define OF_NEXT		"的时候|时|后|就|突然|报|爆|，就|,就|，突然|，报|，爆|，会|,爆|，oom|,oom|，显存|，内存|，out|左右"
#define WITHIN_CHINESE	30	/* bytes to what is said of rounds */

/* The end of the count of rounds behind S, "九个epoch", "30000次"; NULL: there is none, or it is of
 * one. */
static const char *
past_rounds(struct talk t, const char *s)
{
	const char *from = s, *end = t.s + t.n, *at;
	size_t n;

	while (s < end && (is_digit(*s) || *s == ' ' || *s == ',' || (end - s >= 3 && (at = talk_first(talk_part(t, s, s + 3), NUMERALS)) == s)))
		s += (unsigned char)*s >= 0x80 ? 3 : 1;
	if (s == from || (s - from == 3 && memcmp(from, "一", 3) == 0) || (s - from == 1 && memchr("01 ,", *from, 4)))
		return NULL;
	at = NULL;
	if (!talk_next_phrase(talk_head(t, s, 9), ROUNDS_CHINESE, &at, &n) || at != s)
		return NULL;
	return talk_any_phrase(talk_head(t, at + n, 9), "运行|跑|推理|启动|执行|生成|调用") ? NULL : at + n;
}

/* "第三步", "第三次": one of what is to be done, or a run that is made once more. */
static bool
is_early(struct talk count)
{
	const char *s;
	int64_t n;

	if (!talk_any_phrase(count, "次|步") || talk_any_phrase(count, "百|千|万"))
		return false;
	s = piece_past_blanks(count.s, count.s + count.n);
	return !(s < count.s + count.n && is_digit(*s) && piece_count(s, count.s + count.n, &n) && n > EARLY_STEPS);
}

/* "最多只能跑到20个epoch": what comes to an end there by itself. */
#define AT_MOST		"最多|只能|最长|顶多|撑到|坚持到|撑不过"
#define MOST_WITHIN	24	/* bytes from that to the count */

const char *
oom_rounds_most(struct talk t)
{
	const char *at = NULL, *comes = NULL;
	struct talk ahead;
	size_t n, m;

	while (talk_next_phrase(t, AT_MOST, &at, &n)) {
		ahead = talk_head(t, at + n, MOST_WITHIN);
		for (comes = NULL; talk_next_phrase(ahead, COMES_CHINESE, &comes, &m); )
			if (past_rounds(t, comes + m) && !talk_any_phrase(talk_clause(t, at, n), "显卡|batch|吗"))
				return at;
	}
	return NULL;
}

/* "跑到50轮，会爆显存", "训练了12个epoch就报错", "到epoch 30时": not "跑了3次都报错", of runs. */
static const char *
comes_to_rounds(struct talk t)
{
	const char *at = NULL, *to, *end = t.s + t.n;
	size_t n;
	int64_t count;

	while (talk_next_phrase(t, COMES_CHINESE, &at, &n))
		if ((to = past_rounds(t, at + n)) && !(talk_any_phrase(talk_part(t, at + n, to), "次") && (memcmp(at + n - 3, "到", 3) != 0 || is_early(talk_part(t, at + n, to)))) && !talk_any_phrase(talk_head(t, to, WITHIN_CHINESE), FINE_CHINESE) &&
		    (memcmp(at + n - 3, "到", 3) == 0 || talk_any_phrase(talk_head(t, to, 9), OF_NEXT)))
			return at;
	for (at = NULL; talk_next_phrase(t, "到epoch|到 epoch|到step|到 step", &at, &n); )
		if ((to = piece_past_blanks(at + n, end)) < end && is_digit(*to) && piece_count(to, end, &count) && count > 1 && !talk_any_phrase(talk_head(t, to, WITHIN_CHINESE), FINE_CHINESE))
			return at;
	return NULL;
}

#define AT_CHINESE	"第|step|iter|epoch|iteration"
#define OF_ROUND	"步|轮|次|的|代"
#define BY_THEN		"时|就|会|左右|都|才|后"
#define BREAKS		"爆|报错|报显|中断|溢出|不足|不够|oom|崩|被杀|killed|out of memory"
#define BREAKS_WITHIN	30	/* bytes from the number to that */

/* "第4000的时候爆了", "step4000会爆": by a number that is too large for a first one, and no unit of
 * anything else. */
static const char *
breaks_at(struct talk t)
{
	const char *at = NULL, *s, *to, *end = t.s + t.n;
	struct talk behind;
	int64_t count;
	size_t n, unit;

	while (talk_next_phrase(t, AT_CHINESE, &at, &n)) {
		s = piece_past_blanks(at + n, end);
		if (s >= end || !is_digit(*s) || !(to = piece_count(s, end, &count)) || count <= EARLY_STEPS)
			continue;
		to = piece_past_blanks(to, end);
		while ((unit = clause_beside(OF_ROUND, t.s, to, end, false)))
			to += unit;
		behind = talk_head(t, to, BREAKS_WITHIN);
		if (clause_beside(BY_THEN, t.s, to, end, false) && talk_any_phrase(behind, BREAKS) && !talk_any_phrase(behind, FINE_CHINESE "|不会|不报|吗|?|？"))
			return at;
	}
	return NULL;
}

/* "运行到第九个epoch的时候显存不足", "前三万次都可以正常训练": at a later round than the first. */
const char *
oom_rounds_late(struct talk t)
{
	const char *at = NULL, *to;
	size_t n;

	if ((at = comes_to_rounds(t)) || (at = breaks_at(t)))
		return at;
	while (talk_next_phrase(t, "到第|在第|第|前", &at, &n)) {
		if (!(to = past_rounds(t, at + n)) || (memcmp(at, "前", 3) != 0 && is_early(talk_part(t, at + n, to))))
			continue;
		if (memcmp(at, "前", 3) == 0 ? talk_any_phrase(talk_head(t, to, WITHIN_CHINESE), FINE_CHINESE) && !talk_any_phrase(talk_head(t, to, WITHIN_CHINESE), "不正常") :
		    (n > 3 || talk_any_phrase(talk_head(t, to, 9), "的时候|时|后|就|突然|报|爆")) && !talk_any_phrase(talk_head(t, to, WITHIN_CHINESE), FINE_CHINESE))
			return at;
	}
	return NULL;
}

#define DOES_CHINESE	"推理|处理|跑了|跑完|生成|测试|运行|识别|转换|预测|请求|对话|问了|调用|转写|翻译"
#define ITEMS_CHINESE	"张|条|个|次|轮|句|篇|帧|页|份|图|文件|数据|样本|问题|图片|图像|文本|左右|多|几|的|了|完|约|大概|大约|请求|视频|音频"
#define BEHIND_CHINESE	60	/* bytes from what was done to 后 */

/* "推理100张左右的图像后", "处理完五十多个文件之后": after so many of them. */
const char *
oom_rounds_items(struct talk t)
{
	const char *at = NULL, *s, *to, *end = t.s + t.n;
	struct talk ahead;
	int64_t count;
	size_t n, of;

	while (talk_next_phrase(t, DOES_CHINESE, &at, &n)) {
		for (s = at + n; end - s >= 3 && !is_digit(*s) && talk_first(talk_part(t, s, s + 3), ITEMS_CHINESE); s += 3)
			;
		if (s >= end || !is_digit(*s) || !(to = piece_count(s, end, &count)) || count < 2)
			continue;
		ahead = talk_head(t, to, BEHIND_CHINESE);
		if ((s = talk_first(ahead, "后")) && (to = NULL, talk_next_phrase(talk_part(t, ahead.s, s), ITEMS_CHINESE, &to, &of)) && !talk_any_phrase(talk_part(t, ahead.s, s), "，|。|,"))
			return at;
	}
	return NULL;
}

/* Languages of Europe: what stands ahead of a count of rounds that are done, */
#define AHEAD_ABROAD	"après |apres |au bout de |jusqu'a |jusqu'à |jusqu’a |jusqu’à |nach |bis epoche |después de |despues de |tras |al cabo de |hasta la |após |depois de |até a |dopo |fino alla |после |через |спустя "
/* words for one that is not told in numbers, */
#define SOME_ABROAD	"quelques|plusieurs|einigen|mehreren|ein paar|algunas|algunos|varias|varios|algumas|alguns|várias|vários|alcune|alcuni|diverse|нескольк"
/* and what is counted. */
#define ROUNDS_ABROAD	"époque|epoque|epoch|epoca|época|epoche|itération|iteration|iteraci|iteraç|iterazion|iterac|étape|etape|step|schritt|stunde|heure|hora|minut|эпох|итерац|шаг|час|минут"
#define TO_COUNT	20	/* bytes, */
#define TO_ROUNDS	24	/* and from the count to its rounds */
/* The same in writings in which that stands behind. */
#define BEHIND_ABROAD	"エポック目|エポック後|ステップ目|ステップ後|時間後|分後に|回目のエポック|번째 에폭|번째 에포크|에폭 후|에포크 후|스텝 후|시간 후|분 후"

/* "jusqu'à la 10 000 itération", "nach einigen Epochen", "3エポック目で": not the first. */
const char *
oom_rounds_abroad(struct talk t)
{
	const char *at = NULL, *s, *to, *end = t.s + t.n;
	struct talk near;
	int64_t count;
	size_t n;

	while (talk_next_phrase(t, AHEAD_ABROAD, &at, &n)) {
		near = talk_head(t, at + n, TO_COUNT);
		for (s = near.s; s < near.s + near.n && !is_digit(*s) && !memchr(".,;?!", *s, 5); s++)
			;
		if (s < near.s + near.n && is_digit(*s)) {
			if (piece_count(s, end, &count) && count > 1 && talk_any_phrase(talk_head(t, s, TO_ROUNDS), ROUNDS_ABROAD))
				return at;
		} else if (talk_any_phrase(near, SOME_ABROAD) && talk_any_phrase(talk_head(t, at + n, TO_COUNT + TO_ROUNDS), ROUNDS_ABROAD)) {
			return at;
		}
	}
	for (at = NULL; talk_next_phrase(t, BEHIND_ABROAD, &at, &n); ) {
		for (s = at; s > t.s && (is_digit(s[-1]) || s[-1] == ' '); s--)
			;
		if ((to = piece_past_blanks(s, at)) < at && is_digit(*to) && piece_count(to, end, &count) && count > 1)
			return to;
	}
	return NULL;
}

#define WENT_WELL	"successful successfully trained completed finished processed done full complete good normal correct training working"

/* "several successfully trained batches" */
bool
oom_rounds_well(struct talk t)
{
	struct talk word = clause_word_behind(t, t.s);

	if (!talk_is_one_of(word, "some several few many hundreds thousands dozens") && !(word.n > 0 && is_digit(*word.s) && !talk_is_one_of(word, "0 1")))
		return false;
	do
		word = clause_word_behind(t, word.s + word.n);
	while (talk_is_one_of(word, WENT_WELL));
	return talk_is_one_of(word, "epochs iterations iters steps batches");
}
