/*
 * Chinese has two writings, and lists of phrases are in the simplified one: of a text in the
 * traditional one as many signs are put into that as reports have of memory, of training and of
 * failures. Both have as many bytes, so that places stay.
 */
#include "oom/oom_writing.h"

#include <stdbool.h>
#include <string.h>

#define SIGN	3		/* bytes of one */

/* In the order of their bytes, and in that order what each is in the other. */
static const char traditional[] =
    "佔來個備傳億優儲內別剛劃動勢協卻參問啟單嗎嚴國圖團執報塊夠夾學實"
    "寫寬將對導層幀幫幾張後從態憶應換擇據擴數斷時會東條業極標樣樹機檔"
    "檢權歷歸殺決沒減測滿漲漸為無現環產當發監盤確碼種積節級終組結絡統"
    "經維網線編緩練縮總繼續習聲聽腦與萬處號衝裡複見視覺覽觸計訊訓記設"
    "註評詞詢試話該認語誤說調請論講謝證譯讀變買費貼資質軟較載輸轉辦這"
    "連進運過遞適遲選還邊釋錄錯鍵鎖長閉開間關陣隊際隨雙雜離電響頁項須"
    "預頓頻顆題額類顯餘驅驗體麼點";
static const char simplified[] =
    "占来个备传亿优储内别刚划动势协却参问启单吗严国图团执报块够夹学实"
    "写宽将对导层帧帮几张后从态忆应换择据扩数断时会东条业极标样树机档"
    "检权历归杀决没减测满涨渐为无现环产当发监盘确码种积节级终组结络统"
    "经维网线编缓练缩总继续习声听脑与万处号冲里复见视觉览触计讯训记设"
    "注评词询试话该认语误说调请论讲谢证译读变买费贴资质软较载输转办这"
    "连进运过递适迟选还边释录错键锁长闭开间关阵队际随双杂离电响页项须"
    "预顿频颗题额类显余驱验体么点";

/* Where the sign at S stands in the list; -1: it does not. */
static int
place_of(const char *s)
{
	int lo = 0, hi = (int)(sizeof(traditional) / SIGN), mid, order;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		order = memcmp(s, traditional + (size_t)mid * SIGN, SIGN);
		if (order == 0)
			return mid;
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1;
}

static bool
is_within(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

bool
oom_writing_simplify(char *s, size_t n)
{
	bool any = false;
	size_t i;
	int place;

	for (i = 0; i + SIGN <= n; i++) {
		if (((unsigned char)s[i] & 0xf0) != 0xe0 || !is_within(s[i + 1]) || !is_within(s[i + 2]))
			continue;
		if ((place = place_of(s + i)) >= 0) {
			memcpy(s + i, simplified + (size_t)place * SIGN, SIGN);
			any = true;
		}
		i += SIGN - 1;
	}
	return any;
}
