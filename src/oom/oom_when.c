/*
 * When people say that it fails: as memory grows, or after a time. As in oom_words.c none of it is
 * a fact of the run.
 */
#include "oom/oom_when.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_short.h"
#include "oom/oom_whose.h"

#define AFTER	32	/* bytes from "after" to what is counted */
#define BATCH_WITHIN	40	/* bytes, to the batch that someone makes larger */
/* What grows by itself and is no memory: ahead of "keeps growing". */
#define OTHER_SUBJECT	"cache dataset data loss losses accuracy error reward score length size number count batch time speed resolution context community project codebase"
#define WITH_SETTING_CHINESE	"随着batch|随batch|随着批|batch增大|batch越大|batchsize增大|batchsize越大|batch_size增大|batch_size越大|随着分辨率|随着图片|随着图像|随着序列|随着输入|链路|按顺序|各阶段|每个阶段"
/* What grew and then stays: 最后稳定在, 稳定下来, 保持稳定, 后稳定 */
#define ROSE_ONCE_CHINESE	"|最后稳定|稳定下来|保持稳定|后稳定|不再增|不再涨"
#define TWO_SIGNS	6		/* bytes of 泄漏 */
#define OTHER_GROWS	"increasing the batch|increase the batch|increasing batch size|increasing batchsize|increasing batch_size|increase batch size|increase batchsize|increase batch_size|" \
    "increasing my batch|increasing the number|increase the number|increasing the size|increase the size"

static bool
is_of_memory(struct talk t)
{
	return talk_any_of(t, "memory vram usage leak") || talk_any_whole(t, "ram mem");
}

/* "The GPU's memory ends after some calls, it keeps increasing": what stands AHEAD of the verb is
 * "it", and nothing before it but memory, in its sentence or, where it begins that, in the one
 * ahead, may be what that means: "The GPU has 24 GB of memory. The rate warms up, it keeps
 * increasing" is of the rate. */
static bool
goes_on_of_it(struct talk t, struct talk ahead)
{
	struct talk before = talk_part(t, t.s, ahead.s), nearest = talk_part(t, talk_sentence(t, ahead.s).s, ahead.s);

	if (clause_word_ahead(nearest, ahead.s).n == 0 && nearest.s > t.s)
		nearest = talk_part(t, talk_sentence(t, nearest.s - 1).s, nearest.s);
	return talk_is_one_of(ahead, "it") && is_of_memory(nearest) && !talk_any_whole(before, OTHER_SUBJECT);
}

#define OF_ONE		"when i start a generation|when i start generating|when i generate an image|when i generate a picture|when i press generate|when i click generate|starting generation|while generating the image|during one generation|" \
    "during a single|within a single|within one|in a single forward|in one forward|a single image|one image|one picture|single picture|a single step|one step|first step|first iteration|first batch|first image|first generation|first request|a single file|" \
    "one file|a single request|one request|a single call|one call|the call|loading the model|loading a model|loading the checkpoint|loading checkpoint|loads the model|load the model|model is loading|model loads|model is loaded|while loading|when loading|as it loads|" \
    "during loading|load the weights|loading the weights|loading weights|reading the file|read the file|reads the file|while reading|decoding the|loading shards|checkpoint shards|first token|the first forward|load the dataset|loading the dataset|loads the dataset|reading the dataset|dataset is loaded|" \
    "dataset is being loaded|dataset is read"
#define OF_MANY		"each every epoch epochs steps iterations images pictures calls requests generations batches files runs rounds times again repeatedly leak leaks leaking over"

/* "When I start a generation, it slowly increases my VRAM and then fails", "while the model is
 * loaded the RAM keeps growing": one call, load or step, of which growth tells nothing that is kept
 * from one to the next. */
static bool
is_of_one(struct talk sentence)
{
	size_t n;
	const char *at = talk_find_whole(sentence, OF_ONE, &n);

	return at && !talk_any_whole(sentence, OF_MANY) && !talk_is_one_of(clause_word_ahead(sentence, at), "after since once before than to unlike");
}

/* Is what grows at AT no memory, or what someone makes grow: "gradients", "by increasing memory",
 * "increasing the limit"? "It increases to 15 GB" tells of one rise, which every run has. */
static bool
is_other_growth(struct talk t, struct talk clause, const char *at)
{
	struct talk behind = talk_part(clause, at, clause.s + clause.n), ahead = clause_word_ahead(clause, at);

	if ((unsigned char)*at >= 0x80)		/* of languages whose clauses are not told apart here */
		return talk_any_phrase(t, WITH_SETTING_CHINESE ROSE_ONCE_CHINESE) || clause_denies_elsewhere(t, at, TWO_SIGNS);
	if (is_of_one(talk_sentence(t, at)))
		return true;
	if (talk_has_whole(talk_part(clause, clause.s, at), "rather than|instead of|if memory|if the memory|if gpu memory|if vram|do you also|did you also|do you see|did you see|i thought|i suspected|i assumed|first thought"))
		return true;		/* "rather than a leak", "I thought that it was a leak" */
	while (talk_is_one_of(ahead, "keeps keep kept is are was has have been just to continues continue"))
		ahead = clause_word_ahead(clause, ahead.s);
	if (talk_is_one_of(ahead, OTHER_SUBJECT) || clause_rises_otherwise(clause, at))
		return true;
	if (talk_any_phrase(behind, "increase to |increases to |increased to |going up to ") || talk_any_phrase(talk_head(clause, at, BATCH_WITHIN), OTHER_GROWS))
		return true;
	if ((!is_of_memory(clause) && !goes_on_of_it(t, ahead)) || talk_any_begins(clause, "gradient gradients"))
		return true;
	return talk_any_begins(talk_head(clause, at, sizeof("increasing")), "increasing") &&
	    (talk_any_whole(clause_word_ahead(clause, at), "am by tried try trying") || talk_any_whole(behind, "limit utilization utilisation fraction"));
}

#define OF_ROUNDS	"trial trials step steps iteration iterations epoch epochs batch batches round rounds episode episodes sample samples image images"

/* "It eats 1GB memory every 20 trials": an amount that is taken again and again. */
static const char *
grows_by(struct talk t)
{
	const char *at, *s, *end = t.s + t.n;
	struct talk amount;
	size_t n;
	int64_t count;

	if (!(at = talk_find_whole(t, "memory every|ram every|vram every|memory for every|ram for every|memory each|ram each", &n)))
		return NULL;
	amount = clause_word_ahead(t, at);
	if (talk_is_one_of(amount, "of"))
		amount = clause_word_ahead(t, amount.s);
	if (talk_is_one_of(amount, "gb mb gib mib gigs g"))
		amount = clause_word_ahead(t, amount.s);
	s = piece_past_blanks(at + n, end);
	if (amount.n == 0 || !is_digit(*amount.s) || s == end || !is_digit(*s) || !(s = piece_number(s, end, &count)) || count < 2)
		return NULL;
	return talk_is_one_of(clause_word_behind(t, s), OF_ROUNDS) ? at : NULL;
}

/* "The algorithm increases the memory usage every iteration." */
static const char *
adds_each(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "increases the gpu memory|increases the memory|increases the used memory|increases the used gpu memory|increases gpu memory|increases memory|increases the ram|increases ram|increases my gpu memory|adds memory|allocates more memory|uses more memory|"
	    "takes more memory|uses more and more", &n);
	struct talk clause = at ? talk_clause(t, at, n) : t;

	if (!at || clause_says_no(talk_part(t, clause.s, at), "") || talk_any_whole(talk_part(t, clause.s, at), "if would should could might may batch larger bigger size"))
		return NULL;
	return talk_has_whole(clause, "every iteration|each iteration|every step|each step|every epoch|each epoch|every batch|each batch|every call|each call|every time|each time|every episode|each episode") ? at : NULL;
}

#define STAYS		"not released|n't released|never released|not freed|n't freed|never freed|not cleared|n't cleared|not free|n't free|not release|n't release|not let go of"
#define STAYS_CHINESE	"不释放|没有释放|未释放|不会释放|没释放|无法释放|得不到释放"
#define EACH_CHINESE	"多次|每次|每处理|每推理|每生成|每跑|每个|每轮|每张|反复|循环|连续|多轮|次数"

/* "After each generation some memory is not released": so much more from one to the next. */
static const char *
keeps_each(struct talk t)
{
	size_t n;
	const char *at = talk_any_phrase(t, "显存|内存") ? talk_first(t, STAYS_CHINESE) : NULL;
	struct talk sentence;

	if (at)
		return talk_any_phrase(talk_part(t, t.s, at), EACH_CHINESE) && !talk_any_phrase(t, "停止|kill|结束|关闭|退出|吗|？") ? at : NULL;
	at = talk_any_of(t, "memory vram") ? talk_find_whole(t, STAYS, &n) : NULL;
	sentence = at ? talk_sentence(t, at) : t;
	return at && talk_has_whole(sentence, "after each|after every|between each|between every|each time|every time|each iteration|each image|each generation|each run|each inference|each request|each call|each epoch|each batch|every call|every iteration|every request|between runs|between generations|between calls|between requests|between images") &&
	    !clause_is_question(sentence) && !talk_any_whole(sentence, "if should would unless") ? at : NULL;
}

/* The same in other languages. */
#define GROWS_ELSEWHERE	"不断吃|不断地吃|一直吃显存|一直吃内存|一直在吃|持续吃显存|持续吃内存|不停吃|不停地吃|不断占用|慢慢吃|显存就会累加|显存会累加|显存累加|显存也在增|内存也在增|显存还在增|内存还在增|显存也在涨|显存还在涨|内存还在涨|会被多占用|就多占用|都会多占|都多占|就会多占|每次多占|显存会多|就多占|一点一点增|一点一点涨|一点点增|一点点涨|都会涨|都会增|都要涨|都涨一|都增一|每次都涨|每次都增|会一直增|会一直涨|一直涨|一致涨|一致上涨|一致增|一直上升|一直在上|一直往上|越涨越|慢慢涨|慢慢上|慢慢增|慢慢变大|逐渐上|逐渐变大|逐渐变多|逐渐升高|逐渐累积|逐渐堆积|逐渐占满|不断累积|不断堆积|不断变大|不断变多|不断攀升|持续攀升|" \
    "持续走高|持续飙升|持续累积|一路上涨|一路上升|一路飙升|越用越多|越跑越多|越积越多|只增不减|缓慢上|线性增|增え続け|増加し続け|徐々に増|どんどん増|じわじわ増|メモリリーク|계속 증가|계속 늘|점점 증가|점점 늘|누수|"	\
    "постоянно растет|постоянно растёт|постепенно растет|постепенно растёт|утечка памяти|sigue aumentando|va aumentando|sigue creciendo|fuga de memoria|wächst ständig|wächst immer|steigt ständig|speicherleck|fuite de mémoire|ne cesse d'augmenter"

/* "The memory will increase without stop" */
#define WITHOUT_END	"increase without stop|increases without stop|increasing without stop|grow without stop|grows without stop|growing without stop|increase without bound|increases without bound|increasing without bound|grow without bound|grows without bound|growing without bound|" \
    "increase without limit|increases without limit|increasing without limit|grow without limit|grows without limit|growing without limit|increase non-stop|increases non-stop|increasing non-stop|grows non-stop|increases nonstop|increase without end|never stops increasing|never stops growing|" \
    "not stop increasing|n't stop increasing|not stop growing|n't stop growing"

/* Where words say that memory grows. */
static const char *
grows(struct talk t)
{
	const char *by = grows_by(t);
	size_t n;

	if (by || (by = adds_each(t)) || (by = keeps_each(t)))
		return by;
	if (!talk_any_whole(t, "mem") && !talk_any_of(t, "leak memory vram usage ram 显存 内存 メモリ 메모리 памят memoria speicher mémoire"))
		return NULL;
	if ((by = talk_find_whole(t, WITHOUT_END, &n)) && !talk_any_whole(talk_clause(t, by, n), "if would could should might may disk"))
		return by;
	if ((talk_any_phrase(t, " to be ") && !talk_any_of(t, "seem appear")) || talk_any_phrase(t, "page cache|disk cache"))
		return NULL;		/* what it is for; or what the system keeps of files, which is no want */
	return clause_says_unless(t, "\xe6\xb3\x84\xe6\xbc\x8f|\xe6\xb3\x84\xe9\x9c\xb2|"		/* 泄漏 泄露 */
	    "memory stacking|memory stacks|memory is stacking|stacks up memory|to clear ram after a few|to clear the ram after a few|to clear vram after a few|to clear memory after a few|to free ram after a few|to free memory after a few|to free vram after a few|kept filling up|allocated without release|allocated without releasing|allocated without being released|allocated without being freed|allocated but never freed|allocated and never freed|allocated but never released|allocated and never released|keeps filling|keep filling up|filling up non-stop|fills up non-stop|eating up ram continuously|memory not being freed in time|memory not being freed when|memory not being freed while|memory not being freed during|memory not being freed between|memory not being released in time|memory is not freed in time|memory not freed in time|memory is not released in time|memory cost increased with|memory cost increases|memory cost keeps|memory leak|grows linearly|increases linearly|rises linearly|increasing linearly|growing linearly|linear increase|adds up after each|adds up after every|adds up with each|adds up with every|adds up over|consumption grows|consumption rises|consumption goes up|footprint rises|consumption keeps|more memory than the previous|more memory than the last|more memory than the one before|leaks memory|leaking memory|keeps increas|keeping increas|is increaing|is incresing|is increseing|is increacing|memory increaing|memory incresing|keeps increaing|keeps incresing|keep increaing|keep incresing|keeps on increaing|keeping growing|keeping rising|continued to increase|continued to grow|continue to increase|progressively increas|keep increas|keeps on increas|keeps grow|"
	    "keep grow|keeps on grow|just keeps|footprint increase|foot print increase|footprint grows|foot print grows|memory increase|usage increase|consumption increase|memory increasing|usage increasing|memory-usage increasing|"
	    "increasing gpu memory|increasing memory usage|increasing memory consumption|increasing ram|is increasing|has been increasing|been increasing|been rising|been growing|been climbing|kept rising|kept growing|kept climbing|keeps on rising|"
	    "is going up|goes up a bit|goes up each|goes up every|goes up after each|goes up after every|goes up slightly|goes up slowly|goes up gradually|climbs after|climbs with|climbs each|climbs every|climbs slowly|climbs steadily|keeps climbing|keeps rising|creeps up|increases after each|increases after every|rises after each|rises after every|rises with each|rises each|rises every|grows after each|grows after every|grows with each|grows with every|grows each|grows every|keeps going up|goes up as|goes up with|going up over|went up as|so did the memory|so does the memory|memory per second|ram per second|memory grows|usage grows|doubles the memory|doubles the vram|doubles the gpu memory|memory doubles|usage doubles|growing|slowly grow|grows in memory|grows slowly|keeps on pil|piling up|pilling up|piles up|ever increasing|ever-increasing|ever growing|"
	    "to increase until|increases until|increased until|to grow until|grows until|grew until|to rise until|rises until|rose until|climbs until|climbed until|increase over|increases over|increasing over|increases with|increase with|"
	    "grows in each|grows in every|increases in each|increases in every|rises in each|rises in every|increases each|increases every|increase during each|increase during every|increases during each|increases during every|increase after each|increase after every|increases after each|increases after every|increase with each|increase with every|goes up each|goes up every|goes up during each|goes up during every|goes up after each|goes up after every|rises each|rises every|rises after each|rises after every|rises during each|rises during every|grows after each|grows after every|grows during each|grows during every|grows each|grows every|slowly increas|slowly rais|slowly rises|slowly rising|slowly goes up|slowly going up|slowly went up|gradually rais|gradually goes up|gradually increas|gradually fill|gradually grow|gradually rise|gradually us|continuously increas|continuously grow|continuously rise|continuously fill|steadily increas|steady increase|"
	    "constantly increas|builds up|build up|creep|accumulates|been accumulating|is accumulating|keeps accumulating|getting accumulated|gets accumulated|higher and higher|continued growth|continuous growth|still growth|larger and larger|bigger and bigger|is getting bigger|is getting larger|is getting higher|keeps getting bigger|keeps getting larger|keeps getting higher|becomes larger as|becomes bigger as|gets larger as|gets larger after|gets larger with|gets larger each|gets larger every|get larger after|get larger with|just gets larger|just get larger|gets bigger after|gets bigger with|gets bigger each|gets bigger every|get bigger after|just gets bigger|just get bigger|up and up|keeps using more|keep using more|keeps taking more|keeps consuming more|keeps requesting more|keeps asking for more|gets bigger as|get larger as|get bigger as|become larger as|become bigger as|more and more|"
	    "continues to grow|continues to expand|continues expanding|keeps expanding|memory is being allocated with each|memory is being allocated in each|memory is allocated with each|memory is allocated in each|memory is rising on every|memory is rising at every|memory is rising with every|continues to increase|get filled over time|gets filled over time|filling over time|fills over time|fills slowly|filled slowly|filled up slowly|increases along|memory 'leak'|memory \"leak\"|storing every state|storing all states|"
	    GROWS_ELSEWHERE "|随着epoch增|随着epoch的增|随epoch增|随着迭代增|随着step增|随step增|随着轮数增|随轮数增|随时间增|随着时间增|随训练增|随着训练增|就涨|涨一点|涨一些|每次涨|每轮涨|显存增加|显存会增加|显存就增加|显存增长|内存增长|显存占用增加|"
	    "\xe9\x80\x90\xe6\xb8\x90\xe5\xa2\x9e|\xe4\xb8\x8d\xe6\x96\xad\xe5\xa2\x9e|\xe6\x8c\x81\xe7\xbb\xad\xe5\xa2\x9e|"	/* 逐渐增, 不断增, 持续增 */
	    "\xe4\xb8\x80\xe7\x9b\xb4\xe6\x9a\xb4\xe6\xb6\xa8|"	/* 一直暴涨 */
	    "\xe6\x8c\x81\xe7\xbb\xad\xe4\xb8\x8a\xe6\xb6\xa8|\xe6\x8c\x81\xe7\xbb\xad\xe4\xb8\x8a\xe5\x8d\x87|\xe4\xb8\x8d\xe6\x96\xad\xe4\xb8\x8a\xe6\xb6\xa8|"	/* 持续上涨, 持续上升, 不断上涨, */
	    "\xe4\xb8\x8d\xe6\x96\xad\xe4\xb8\x8a\xe5\x8d\x87|\xe4\xb8\x80\xe7\x9b\xb4\xe4\xb8\x8a\xe6\xb6\xa8|\xe4\xb8\x80\xe7\x9b\xb4\xe5\x9c\xa8\xe6\xb6\xa8|"	/* 不断上升, 一直上涨, 一直在涨 */
	    "\xe8\xb6\x8a\xe6\x9d\xa5\xe8\xb6\x8a|\xe4\xb8\x80\xe7\x9b\xb4\xe5\x9c\xa8\xe5\xa2\x9e|\xe4\xb8\x80\xe7\x9b\xb4\xe5\xa2\x9e|\xe9\x80\x90\xe6\xad\xa5\xe5\xa2\x9e|"	/* 越来越, 一直增, 逐步增 */
	    "\xe8\x80\x8c\xe5\xa2\x9e\xe5\xa4\xa7|\xe8\x80\x8c\xe5\xa2\x9e\xe5\x8a\xa0|\xe8\x80\x8c\xe5\xa2\x9e\xe9\x95\xbf|\xe8\x80\x8c\xe4\xb8\x8a\xe5\x8d\x87|\xe7\xbc\x93\xe6\x85\xa2\xe5\xa2\x9e",	/* 而增大, 而增加, 而增长, 而上升, 缓慢增 */
	    AHEAD | BEHIND, "fixed solved stop stops stopped", is_other_growth);
}

/* "It grows within an epoch, after which it drops back." */
static const char *
falls(struct talk t)
{
	return !talk_any_of(t, "epoch") ? NULL : talk_first(t, "drops back|drop back|dropped back|dropping back|dropping to|drops to|drops down|falls back|fell back|goes back to|"
	    "returns to|back to normal|back to the start|resets to|resets after|resets at|released after|released at the end|freed after|freed at the end");
}

#define OF_LEARNING	"accurac score reward precision recall psnr bleu converg"

#define ASKING	"a an is are was were do does did can could would may might has have any possible possibly maybe memory leak leakage gpu ram vram cuda"

#define OF_READING	"tried with|tried the|tried memory|tried tensorflow|tried pytorch|read about|read the|looked at|looked into|searched for|leak fix|leak fixes|leak solution|leak solutions"

/* "Maybe a library leaks", "I tried with memory leak issues": a guess of what it may be, or what
 * was read of it, and no growth that was seen. */
static bool
guesses_leak(struct talk t)
{
	return talk_any_of(t, "leak") && (talk_any_whole(t, "maybe perhaps possibly suspect guess") || talk_has_whole(t, "some kind of|some sort of|kind of a|i think|we think|i believe|i assume|may be|looks like|look like|might be|could be|" OF_READING)) && !talk_any_of(t, "grow increas");
}

/* "Memory leak?" and "Is there a memory leak?" ask; "Why is there a memory leak?" tells of one. */
static bool
asks_for_leak(struct talk t)
{
	return talk_any_of(t, "leak") && t.n && memchr(t.s, '?', t.n) && !talk_any_whole(t, "why what how where when") &&
	    talk_any_whole(clause_word_behind(t, t.s), ASKING);
}

/* The first sentence of T that says it, as another may name a device for something else; all of T
 * where none does by itself. */
static bool
is_growing(struct talk t, struct talk *growth)
{
	const char *at, *end = t.s + t.n;
	bool any = false;

	if (!grows(t))
		return false;
	for (at = t.s; at < end; at++) {
		*growth = talk_sentence(t, at);
		if (grows(*growth)) {
			any = true;
			if (!talk_any_of(*growth, OF_LEARNING) && !asks_for_leak(*growth) && !guesses_leak(*growth))
				return true;
		}
		at = growth->s + growth->n;
	}
	*growth = t;
	return !any && !talk_any_of(t, OF_LEARNING) && !asks_for_leak(t) && !guesses_leak(t);
}

/* What people did for a time, or another version did. */
#define OF_PEOPLE	"of searching|of debugging|of googling|of trying|of reading|of work|of research|i tried|i searched|i found|i spent|i waited|waiting for|"	\
    "old version|older version|previous version|earlier version"

/* What a run has learned by the time at AT, or that it takes less by then: "after 12 epochs the
 * loss is nan", "it drops to normal after a while". */
static bool
is_of_learning(struct talk t, const char *at)
{
	return clause_is_of_learning(talk_clause(t, at, 1)) || talk_any_begins(talk_clause(t, at, 1), "drop decreas normal");
}

/* 一段时间后, 一段时间之后, 个epoch后, 个epoch之后, 轮之后, and in the middle of it */
#define LATE_CHINESE	"\xe4\xb8\x80\xe6\xae\xb5\xe6\x97\xb6\xe9\x97\xb4\xe5\x90\x8e|\xe4\xb8\x80\xe6\xae\xb5\xe6\x97\xb6\xe9\x97\xb4\xe4\xb9\x8b\xe5\x90\x8e|"	\
    "\xe4\xb8\xaa" "epoch\xe5\x90\x8e|\xe4\xb8\xaa" "epoch\xe4\xb9\x8b\xe5\x90\x8e|\xe8\xbd\xae\xe4\xb9\x8b\xe5\x90\x8e|训练中途|训练到一半|运行到一半|训练了一半|训练到中途|跑到一半|中途突然|步后|步之后|轮后|次迭代后|次迭代之后|步左右|小时后|小时之后|分钟后|エポック後|ステップ後|某个step|某一步|某些数据|特定数据|个别数据|一定数据出现|每次都在同一|总是在同一|都在同一个step|都在同一个iter|固定的step|固定的iter|固定在第|一定次数后|一定轮数后|一定步数后|一定时间后|若干轮后|若干步后|若干个epoch后|几轮后|几步后|几次后|多轮后|多次后|多次推理后|多次推理之后|轮对话后|轮对话之后|运行一段时间|训练一段时间|跑一段时间|跑了一段时间|推理一段时间|第二个epoch|第2个epoch|时间久了|时间一长|几秒钟后|几秒后|几十秒后|十几秒后|几分钟后|随着问|随着提问|随着对话|随着推理|随着请求|随着调用|随着使用|随着训练|随着处理|随着时间|随着运行|次数的增|次数增|轮数的增|轮数增"

#define ACTS		"going changing setting reducing lowering decreasing increasing raising adding removing switching trying using disabling enabling choosing fixing updating upgrading"

#define CHANGED		"reduce reduced lower lowered decrease decreased change changed set increase increased raise raised add added remove removed switch switched disable disabled enable enabled fix fixed update updated upgrade upgraded cut halve halved shrink shrank"

/* "after going back to a batch of 8", "after I reduce the batch": what people did, and no time. */
static bool
is_of_act(struct talk t, const char *at)
{
	struct talk word = clause_word_behind(t, at);

	if (!talk_is_one_of(word, "i we you"))
		return talk_is_one_of(word, ACTS);
	word = clause_word_behind(t, word.s + word.n);
	if (talk_is_one_of(word, "have had"))
		word = clause_word_behind(t, word.s + word.n);
	return talk_is_one_of(word, CHANGED);
}

/* "After an hour in the queue it fails at once": then that time is no part of the run. */
static bool
is_at_once(struct talk t, const char *at)
{
	return clause_says(talk_sentence(t, at), "immediately|right away|at once|instantly|at the first step|in the first step|at the first iteration|in the first iteration|at the very first|iteration 0|iter 0|step 0|epoch 0|batch 0|when starting|when it starts|when i start|depending on", AHEAD, "") != NULL;
}

#define UNTIL_THEN	"epoch iter step batch round sample image frame end last final middle first second third valid eval test error oom memory out fail crash kill"

#define GOES_THROUGH	"processing extracting generating running predicting inferring testing evaluating analyzing analysing handling transcribing translating rendering sampling completing finishing iterating creating converting"
#define ROUNDS_COUNTED	"loop loops episode episodes round rounds interaction interactions game games generation generations frame frames image images picture pictures video videos file files request requests prompt prompts call calls run runs batches samples inferences predictions examples documents pages texts sentences clips items queries trials"
#define SOME		"some several few many hundreds thousands dozens"

/* "after 5,000 loops", "after interaction 60": what stands AT that is of rounds of whatever is gone
 * through, by their number. */
static bool
counts_rounds(struct talk next)
{
	struct talk word = clause_word_behind(next, next.s), behind;

	while (talk_is_one_of(word, "the about around approximately roughly almost just only a certain number of for " GOES_THROUGH))
		word = clause_word_behind(next, word.s + word.n);
	behind = clause_word_behind(next, word.s + word.n);
	if (talk_is_one_of(word, ROUNDS_COUNTED))
		return behind.n > 0 && is_digit(*behind.s);
	return word.n > 0 && ((is_digit(*word.s) && !talk_is_one_of(word, "0 1")) || talk_is_one_of(word, SOME)) &&
	    talk_any_whole(talk_part(next, word.s, next.s + next.n), ROUNDS_COUNTED);
}

/* What less of something put off: it fails with that, too, only later. */
#define DELAYED		"after warmup|after warm-up|after warm up|after the warmup|after the warm-up|with more epochs|with more steps|with more iterations|after more epochs|after more steps|after more iterations|takes more epochs|takes more steps|a few more epochs|a few more steps|some more epochs|" \
    "only delays|just delays|only delayed|just delayed|only postpones|just postpones|only postponed|just postponed|merely delays|takes longer to happen|takes longer until|takes longer before|runs longer before|trains longer before|runs longer until|" \
    "trains longer until|lasts longer before|lasts longer until|survives longer|holds off the problem|holds of the problem|holds off the error|always stop at the same|always stops at the same|always fails at the same|always crashes at the same|always at the same step|always at the same iteration|always at the same epoch|always on the same batch|at the same step every time|at the same iteration every time|at the same epoch every time|every time at the same step|every time at the same iteration|every time in a fixed|every time at a fixed|at a fixed step|at a fixed iteration|never in the same spot|never at the same spot|not in the same spot|not at the same spot|never at the same point|" \
    "not at the same point|never at the same step|not at the same step|not always at the same|different step each time|different point each time|different place each time|different iteration each time"

/* Does T speak of memory that ends, of an error or of a failure? */
static bool
says_or_gets(struct talk t)
{
	return oom_short_fails(t) || clause_names_failure(t) || talk_any_whole(t, "oom memory problem");
}

#define GONE_THROUGH	"examples|example|samples|sample|images|frames|files|documents|sentences|steps|iterations|batches|epochs|hours|minutes|videos|records|questions|prompts|requests"

/* "roughly 30k examples into my set", "two hours into training" */
static const char *
rounds_in(struct talk t)
{
	struct talk rest, ahead, count, behind;
	const char *at;
	size_t n;

	if (!talk_any_whole(t, "into"))
		return NULL;
	for (rest = t; (at = talk_find_whole(rest, GONE_THROUGH, &n)); rest = talk_part(t, at + n, t.s + t.n)) {
		behind = clause_word_behind(t, at + n);
		count = clause_word_ahead(t, at);
		ahead = clause_word_ahead(t, count.s);
		if (talk_is_one_of(behind, "into") && count.n > 0 && ((is_digit(*count.s) && !talk_is_one_of(count, "0 1")) || talk_is_one_of(count, SOME " two three four five ten")) &&
		    !talk_any_whole(talk_clause(t, at, n), "load loads loading put puts split splits put read reads divide divides batch convert pack") && !talk_is_one_of(ahead, "first"))
			return at;
	}
	return NULL;
}

#define EARLY_STEPS	20	/* "the 4th step" may be one of what is to be done */
#define NUMERALS	"一|二|两|三|四|五|六|七|八|九|十|百|千|万|几|多"
#define ROUNDS_CHINESE	"个epoch|epoch|轮|次|步|个step|step|个iter|iter|个batch"
#define FINE_CHINESE	"正常|没问题|没有问题|没报错|没有报错|可以跑|能跑|没事|都好"
#define COMES_CHINESE	"跑到|训到|练到|行到|到了|跑了|练了"
#define OF_NEXT		"的时候|时|后|就|突然|报|爆|，就|,就|，突然|，报|，爆|，会|,爆"
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

/* "跑到50轮，会爆显存", "训练了12个epoch就报错", "到epoch 30时": not "跑了3次都报错", of runs. */
static const char *
comes_to_rounds(struct talk t)
{
	const char *at = NULL, *to, *end = t.s + t.n;
	size_t n;
	int64_t count;

	while (talk_next_phrase(t, COMES_CHINESE, &at, &n))
		if ((to = past_rounds(t, at + n)) && !talk_any_phrase(talk_part(t, at + n, to), "次") && !talk_any_phrase(talk_head(t, to, WITHIN_CHINESE), FINE_CHINESE) &&
		    (memcmp(at + n - 3, "到", 3) == 0 || talk_any_phrase(talk_head(t, to, 9), OF_NEXT)))
			return at;
	for (at = NULL; talk_next_phrase(t, "到epoch|到 epoch|到step|到 step", &at, &n); )
		if ((to = piece_past_blanks(at + n, end)) < end && is_digit(*to) && piece_count(to, end, &count) && count > 1 && !talk_any_phrase(talk_head(t, to, WITHIN_CHINESE), FINE_CHINESE))
			return at;
	return NULL;
}

/* "运行到第九个epoch的时候显存不足", "前三万次都可以正常训练": at a later round than the first. */
static const char *
late_by_rounds(struct talk t)
{
	const char *at = NULL, *to;
	size_t n;

	if ((at = comes_to_rounds(t)))
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

#define RAN_FOR		"train through|trains through|trained through|run through|runs through|ran through|gets through|got through|goes through|ran for|runs for|running for|trained for|trains for|training for|worked for|works for|went for|lasted for|for the first|the first"

/* "The run went for 89 epochs and was killed", "the first 30,000 iterations train normally". */
static const char *
ran_for(struct talk t)
{
	const char *at, *to, *end = t.s + t.n;
	struct talk rest, word, sentence;
	size_t n;
	int64_t count;

	for (rest = t; (at = talk_find_whole(rest, RAN_FOR, &n)); rest = talk_part(t, at + n, end)) {
		word = clause_word_behind(t, at + n);
		while (talk_is_one_of(word, "about around only almost nearly roughly over just"))
			word = clause_word_behind(t, word.s + word.n);
		if (word.n == 0 || !is_digit(*word.s) || !(to = piece_count(word.s, end, &count)) || count < 2)
			continue;
		sentence = talk_sentence(t, at);
		word = clause_word_behind(t, to);
		if (!talk_is_one_of(word, "epochs iterations iters steps batches hours minutes") || clause_is_question(sentence) || talk_any_whole(sentence, "if should would could every"))
			continue;
		if (lower(at[n - 1]) == 't' ? clause_works(talk_clause(t, at, n)) || talk_any_whole(talk_clause(t, at, n), "normal normally well") : says_or_gets(talk_part(t, to, sentence.s + sentence.n)))
			return at;
	}
	return NULL;
}

#define DOES_CHINESE	"推理|处理|跑了|跑完|生成|测试|运行|识别|转换|预测|请求|对话|问了|调用|转写|翻译"
#define ITEMS_CHINESE	"张|条|个|次|轮|句|篇|帧|页|份|图|文件|数据|样本|问题|图片|图像|文本|左右|多|几|的|了|完|约|大概|大约|请求|视频|音频"
#define BEHIND_CHINESE	60	/* bytes from what was done to 后 */

/* "推理100张左右的图像后", "处理完五十多个文件之后": after so many of them. */
static const char *
late_by_items_chinese(struct talk t)
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

#define WELL_CHINESE	"没有问题|没问题|没有报错|正常|成功"

/* "正常显示几秒钟后出现OOM": what is fine until then; not "几秒钟后显示正常". */
static bool
is_late_chinese(struct talk clause, const char *said)
{
	struct talk ahead = talk_part(clause, clause.s, said), behind = talk_part(clause, said, clause.s + clause.n);

	return !talk_any_phrase(behind, WELL_CHINESE) && (!talk_any_phrase(ahead, WELL_CHINESE) || talk_any_phrase(behind, "出现|报错|溢出|爆|out of memory|oom"));
}

#define FEW_TIMES	"worked fine few times|worked fine a few times|worked a few times|worked few times|worked several times|worked fine several times|worked a couple of times|works a few times|works fine a few times|works few times|works several times|works a couple of times|" \
    "ran fine a few times|ran a few times|runs a few times|runs fine a few times|worked for a few|works for a few|worked fine for a few|works fine for a few|worked once or twice|works once or twice"

/* "after 26 epochs", "for a while" */
static const char *
is_late(struct talk t)
{
	const char *at = NULL, *said;
	struct talk next;
	size_t n;
	bool people = talk_any_phrase(t, OF_PEOPLE);

	if (talk_any_phrase(t, "after some update|after an update|after the update|ever since|error at the start|memory at the start|memory\" at the start|start it up|at startup|on startup|stop the|stopped the|stopping the|i stop|i stopped|"
	    "interrupt|ctrl-c|ctrl+c") || (talk_any_phrase(t, "gb vram|gib vram|mb vram|mib vram|gb ram|gib ram") && !oom_short_fails(t) && !talk_any_begins(t, "fail kill freez full fill exhaust")))
		return NULL;		/* what came after a time is something else then, as "after 2 minutes: 9 GB VRAM" */
	if ((said = talk_first(t, LATE_CHINESE)) && is_late_chinese(talk_clause(t, said, 1), said))
		return said;
	if ((said = late_by_items_chinese(t)) && !talk_any_phrase(talk_clause(t, said, 1), "没有问题|没问题|没有报错|正常|成功"))
		return said;
	if ((said = talk_first(t, "until ")) && talk_any_begins(talk_part(t, said, talk_clause(t, said, 1).s + talk_clause(t, said, 1).n), "checkpoint save saves saving logg valid eval"))
		return is_of_learning(t, said) ? NULL : said;
	if ((said = clause_says(t, DELAYED, AHEAD, "")) && says_or_gets(t))
		return said;
	if ((said = rounds_in(t)) || (said = late_by_rounds(t)) || (said = ran_for(t)))
		return said;
	if ((said = clause_says(t, FEW_TIMES, AHEAD, "")))
		return said;
	if (!talk_any_of(t, "after while middle epoch") || talk_any_of(t, "accurac converg compil"))
		return NULL;		/* or of how well it had learned by then */
	if (people)
		;
	else if ((said = clause_says(t, "for a while|after a while|after some time|after several usages|after several uses|after a few uses|after several generations|after a few generations|after several images|after a few images|after several runs|after a few runs|after several inferences|"
	    "after a few inferences|after several calls|after a few calls|after several requests|after a few requests|after several videos|after a few videos|after generating several|after processing several|after a couple of images|after a couple of generations|middle of training|middle of the training|th epoch|nd epoch|"
	    "rd epoch|th training epoch|nd training epoch|rd training epoch|second epoch|third epoch|to epoch 2|epoch goes to|at epoch|end of the first epoch|"
	    "end of first epoch", AHEAD, "hang hangs hung hanging stuck freeze freezes frozen")) || (said = talk_first(t, "until epoch")) ||
	    ((said = talk_first(t, "until the")) && talk_any_begins(talk_part(t, said, talk_clause(t, said, 1).s + talk_clause(t, said, 1).n), UNTIL_THEN)))
		return is_of_learning(t, said) ? NULL : said;
	if (!people && talk_any_phrase(t, "epochs, after which|iterations, after which|steps, after which|hours, after which"))
		return talk_first(t, "after which");
	while (talk_next_phrase(t, "after ", &at, &n)) {
		next = talk_head(talk_clause(t, at, n), at + n, AFTER);
		if ((talk_any_begins(next, "epoc iteration iter step batch minute hour") || counts_rounds(next)) && !is_of_act(t, at + n) && !talk_any_phrase(talk_clause(t, at, n), OF_PEOPLE) &&
		    !talk_has_whole(next, "step 0|iteration 0|iter 0|batch 0|first iteration|first step|first batch|first couple|first few|couple of steps|couple of iterations") &&
		    !talk_any_begins(talk_head(t, at + n, 6), "each every") &&
		    !clause_says_no(talk_part(t, talk_clause(t, at, n).s, at), "") && !is_of_learning(t, at))
			return at;
	}
	return NULL;
}


/* "at the 80th batch": is the number N at S, written up to TO, one of a round that is not among the
 * first? */
static bool
is_later_round(struct talk t, const char *s, const char *to, int64_t n)
{
	struct talk round, ahead = clause_word_ahead(t, s);

	if (talk_is_one_of(ahead, "the"))
		ahead = clause_word_ahead(t, ahead.s);
	if (!talk_is_one_of(talk_head(t, to, 2), "th st nd rd") || !talk_is_one_of(ahead, "at in on around after until about"))
		return false;
	round = clause_word_behind(t, to + 2);
	return (talk_is_one_of(round, "batch iteration iter minibatch step") || (talk_is_one_of(round, "epoch") && !talk_is_one_of(ahead, "until"))) && n > (talk_is_one_of(round, "step") ? EARLY_STEPS : 2);
}

/* "3 hours later": is the number N, written up to TO, one of a time that had gone by? */
static bool
is_time_later(struct talk t, const char *to, int64_t n)
{
	struct talk unit = clause_word_behind(t, to);

	return n > 1 && talk_is_one_of(unit, "epochs iterations steps minutes mins hours") && talk_is_one_of(clause_word_behind(t, unit.s + unit.n), "later") &&
	    !talk_any_whole(t, "restart restarted rerun tried try again");
}

#define UNFINISHED	"finishes an epoch|finishes one epoch|finishes a single epoch|finished an epoch|finished one epoch|finished a single epoch|finishing an epoch|completes an epoch|completes one epoch|completes a single epoch|completed an epoch|completed one epoch|completed a single epoch|completing an epoch|gets through an epoch|makes it through an epoch|got through an epoch|" \
    "complete an epoch|complete one epoch|complete a single epoch|complete the first epoch|complete even one epoch|complete even a single epoch|finish an epoch|finish one epoch|finish a single epoch|finish the first epoch|finish even one epoch|finish even a single epoch|" \
    "run an epoch to completion|run an epoch to completition|run one epoch to completion|get through an epoch|get through one epoch|get through a single epoch|get through the first epoch|make it through an epoch|make it through one epoch|make it through a single epoch|make it through the first epoch|" \
    "get to the end of an epoch|reach the end of an epoch|reach the end of the first epoch|get to the end of the first epoch"
#define ALMOST		"to the end of an epoch|through an epoch|a full epoch|a whole epoch|an entire epoch|to the end of the epoch|to the end of the first epoch"
#define UNFINISHED_CHINESE	"一个epoch都跑不完|一个epoch都训不完|一个epoch都没跑完|跑不完一个epoch|一轮都跑不完|一轮都没跑完|跑不完一轮|无法跑完一个epoch|没法跑完一个epoch|一个epoch也跑不完|一个epoch还没跑完"

/* "It cannot complete an epoch", "almost to the end of an epoch": steps of it had fitted; not where
 * time is what lacks. */
static const char *
ends_within(struct talk t)
{
	size_t n;
	const char *at = talk_first(t, UNFINISHED_CHINESE);
	struct talk clause;

	if (at || !talk_any_of(t, "epoch"))
		return at;
	if (!(at = talk_find_whole(t, UNFINISHED, &n)) && !(at = talk_find_whole(t, ALMOST, &n)))
		return NULL;
	clause = talk_clause(t, at, n);
	return (clause_says_no(talk_part(t, clause.s, at), "unable almost nearly fails failed barely hardly") || talk_has_whole(talk_part(t, clause.s, at), "not able")) && !talk_any_whole(clause, "day days hour hours time slow minutes loss if should accuracy") && !clause_is_question(talk_sentence(t, at)) ? at : NULL;
}

#define MIDWAY		"halfway|half way|half-way|in the half|in the middle|midway"

/* In a sentence that says that memory ran out: "at 145 epochs", "suddenly". */
static const char *
is_late_there(struct talk t)
{
	const char *s, *to, *end = t.s + t.n, *said;
	int64_t n;

	if (talk_any_begins(t, "updat upgrad reinstall downgrad"))
		return NULL;		/* what came after that is the failure, and not a time of the run */
	if (talk_any_phrase(t, "ever since|start it up|every few|first couple|first few|prior to|during setup|during the setup|before training|stop the|stopped the|stopping the|i stop|i stopped|interrupt|ctrl-c|ctrl+c|hours ago|days ago|minutes ago"))
		return NULL;
	if ((said = clause_says(t, "partway|part way|part-way|deep into training|deep into the training|deep in training|of the way through an epoch|of the way through the epoch|of the way through training|of the way through the first epoch|quarters through|at random times|at random moments|before the epoch ends|before an epoch ends|before the first epoch ends|before the end of the epoch|before the end of an epoch|"
	    "before the end of the first epoch|reaches epoch|reached epoch|reaching epoch|up to epoch|% of the first epoch|% of an epoch|% of the epoch|% of epoch|% through an epoch|% through the epoch|% through training|% into the epoch|% into training|late in training|late in the training|late into training|late into the training|later in training|later in the training|later on in training|towards the end of training|towards the end of the training|toward the end of training|near the end of training|near the end of the training|in later epochs|in the later epochs|at later epochs|during later epochs|in later steps|in later iterations|"
	    "after training on|after training for|well into training|well into the training|far into training|far into the training|of iterations, then|of epochs, then|of steps, then|after a few thousand|after thousands|at a random point|sometimes|suddenly|randomly|random epoch|occasionally|from time to time|some epochs|" MIDWAY "|"
	    "at some point|eventually|over time|overnight|next epoch|several epochs|few epochs|some iterations|several iterations|"
	    "few iterations|some steps|few steps|few hours|several hours|end of epoch|end of the epoch|end of an epoch|"
	    "after epoch", AHEAD | BEHIND | WORKS, "")))
		return said;
	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || (s > t.s && piece_is_word(s[-1])))
			continue;
		to = piece_number(s, end, &n);
		if (is_later_round(t, s, to, n) && !is_of_learning(t, s))
			return s;
		to = piece_past_blanks(to, end);
		if (end - to > 1 && memchr("-~", *to, 2) && is_digit(to[1]))		/* "3-4 iterations" */
			to = piece_past_blanks(piece_number(to + 1, end, &n), end);
		if (is_time_later(t, to, n) && !is_of_learning(t, s))
			return s;
		if (n > 1 && talk_any_begins(talk_head(t, to, 10), "epochs epocs iterations iters steps minutes hours") &&
		    talk_any_whole(clause_word_ahead(t, s), "after at for in within about around almost nearly every until to") && !is_of_learning(t, s))
			return s;
	}
	return NULL;
}

#define BY_THE_SAME	"steadily|linearly|linear growth|constant rate|constant manner|same amount|every epoch|each epoch|per epoch|every step|each step|per step|every iteration|each iteration|per iteration|every batch|each batch|per batch|" \
    "every image|each image|per image|after each|after every"
#define BY_THE_SAME_CHINESE	"每个epoch|每轮|每一轮|每个step|每次迭代|每迭代|线性|匀速|都会涨|都会增"

/* "450 MB more with each epoch": by the same again and again; not "it is not constant, but comes at
 * once". */
static bool
is_even(struct talk growth)
{
	return (talk_has_whole(growth, BY_THE_SAME) || talk_any_phrase(growth, BY_THE_SAME_CHINESE)) && !talk_any_begins(growth, "sudden random jump leap spik") && !talk_has_whole(growth, "not constant|not linear|not steady|not every|not each");
}

/* The same of a sentence that only has words for it. */
static bool
tells_even(struct talk t)
{
	return talk_any_of(t, "memory ram vram leak usage 显存 内存") && talk_any_of(t, "grow increas leak rise climb 增 涨 升") && is_even(t);
}

/* More than the name of a leak, which is a guess of what it is. */
static bool
is_seen_growing(struct talk growth)
{
	return !talk_any_of(growth, "leak 泄 누수 リーク") || talk_any_of(growth, "grow increas ris fill climb more 增 涨 升 越") || talk_any_whole(growth, "gb mb gib mib up after");
}

static bool
growth(struct oom_paste *p, struct talk t, int line)
{
	struct talk growth;
	struct whose whose;
	const char *at;

	if (!is_growing(t, &growth))
		return false;
	oom_told_grows(&p->told, growth, line);
	if ((at = grows(growth))) {
		said_at(&p->grows, t, at, line);
		p->grew = is_seen_growing(growth) ? line : p->grew;
		whose = oom_whose(talk_clause(growth, at, 1));
		p->grows_host = whose.host && !whose.device ? line : p->grows_host;
		p->grows_device = whose.device && !whose.host ? line : p->grows_device;
	}
	if ((at = falls(t)))
		said_at(&p->falls, t, at, line);
	return true;
}

/* "The machine's memory (not the GPU's) keeps growing": what stands aside denies something else. */
static void
growth_beside_aside(struct oom_paste *p, struct talk t, int line)
{
	char plain[OOM_TOLD_LINE];

	if (talk_any_of(t, "memory vram ram usage"))
		growth(p, oom_told_plain(t, plain), line);
	lexicon_read(t.of, t.s, t.n);
}

/* "Everything goes fine until the 3rd epoch": that it fails then goes without saying. */
static bool
runs_until(struct talk t, const char *at)
{
	size_t n;
	struct talk clause = talk_clause(t, at, 1);
	const char *until = talk_find_whole(clause, "until|till", &n);

	return until && clause_works(talk_part(t, clause.s, until)) && !talk_any_whole(clause, "loss accuracy validation") && !talk_any_whole(talk_part(t, until, clause.s + clause.n), "i you we");
}

#define AT_ONCE		"right away|immediately|at the first step|in the first step|at the first iteration|in the first iteration|at the very first|at step 0|at iteration 0|" \
    "before the first step|before the first epoch|as soon as training starts|as soon as the training starts|as soon as it starts|as soon as i start|right at the start|at the very beginning|" \
    "at the beginning of training|at the beginning of the training|at the start of training|at the start of the training"

/* "as soon as the first iterations start" */
static const char *
soon_as(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "as soon as", &n);
	struct talk behind = at ? talk_part(t, at + n, talk_clause(t, at, n).s + talk_clause(t, at, n).n) : t;

	return at && talk_any_whole(behind, "start starts begin begins started begun") && talk_any_begins(behind, "train iter epoch optim step run script program loop fit") && !talk_any_begins(behind, "valid eval test second") ? at : NULL;
}

/* "It fails at the first step": not where something else was ahead of it, or came of it. */
static const char *
is_soon(struct talk t)
{
	const char *said = soon_as(t), *at;

	said = said ? said : talk_first(t, "一开始训练就|刚开始训练就|一启动就|第一步就|第一个step就|第一个batch就");
	at = said ? said : clause_says(t, AT_ONCE, AHEAD, "");

	return at && !talk_any_whole(talk_sentence(t, at), "after then second later until sometimes randomly if would could should") &&
	    !clause_is_question(talk_sentence(t, at)) ? at : NULL;
}

/* "Fixed a leak after many epochs", "commit 12ab34f: ...": of a change, and not of the run. */
static bool
is_of_change(struct talk t)
{
	struct talk first = clause_word_behind(t, t.s), second = clause_word_behind(t, first.s + first.n);
	size_t i;

	if (talk_is_one_of(first, "commit")) {
		for (i = 0; i < second.n && (is_digit(second.s[i]) || (lower(second.s[i]) >= 'a' && lower(second.s[i]) <= 'f')); i++)
			;
		return i == second.n && i >= 6;
	}
	return talk_is_one_of(first, "fix fixes fixed bugfix hotfix") && !talk_is_one_of(second, "it this that size sized the batch by in") && (first.s + first.n == t.s + t.n || !memchr("-_", first.s[first.n], 2));
}

#define FROM_LARGEST	"longest first|longest to shortest|largest first|largest to smallest|biggest first|long to short|descending order|descending length|decreasing length|decreasing order|sorted in descending|" \
    "sort in descending|sorted descending|从大到小|从长到短|由大到小|由长到短|从大往小|从长往短|降序|長い順|大きい順|긴 순서|내림차순"
#define OF_SAMPLES	"sample batch data audio utteran length duration sentence file image sequence text 样本|数据|语音|音频|长度|时长|持续|文件|句|图片|batch|データ|音声|文|길이|데이터"
#define RISEN		"goes up|went up|rises|rose|increases|increased|jumps|jumped|spikes|spiked|peaks|climbs|balloons|reaches|飙升|飙到|涨到|升到|上升|增加到|冲到|跳到"
#define FALLEN		"drops back|dropped back|falls back|fell back|goes back to|goes back down|went back to|back down to|comes back down|drops again|returns to|then drops|then it drops|又降|再降|然后降|又回落|回落到|又回到|又掉|降回|又下降|又跌"
#define HIGHER		"gradually|slowly|steadily|overall|baseline|higher|each epoch|every epoch|end of|after each|after every|越来越|逐渐|慢慢|整体|每个epoch|每轮|结束"
#define SECOND_ROUND	"2nd batch|second batch|2nd chain|second chain|2nd run|second run|2nd round|second round|2nd call|second call|2nd iteration|second iteration|2nd step|second step|2nd image|second image|2nd prompt|" \
    "second prompt|2nd generation|second generation|2nd epoch|second epoch|第二次|第二个batch|第二轮|2回目|두 번째"

/* "The first epoch goes from the longest to the shortest": none that comes is larger than those
 * before. */
static bool
comes_sorted(struct talk t)
{
	return talk_any_phrase(t, FROM_LARGEST) && (talk_any_begins(t, "sample batch data audio utteran length duration sentence file image sequence text sort") || talk_any_phrase(t, OF_SAMPLES)) &&
	    !talk_any_whole(t, "if should could would loss score scores importance");
}

/* "It leaps to 20 GB now and then, and falls back to 10": what is kept does not. */
static bool
leaps(struct talk t)
{
	return talk_any_phrase(t, RISEN) && talk_any_phrase(t, FALLEN) && !talk_any_phrase(t, HIGHER);
}

/* "The 2nd batch will cause an OOM error": the first had run. */
static bool
second_fails(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, SECOND_ROUND, &n);
	struct talk clause = at ? talk_clause(t, at, n) : t;

	return at && !clause_works(clause) && (clause_names_failure(clause) || talk_any_whole(clause, "oom memory 内存 显存"));
}

void
oom_when_line(struct oom_paste *p, struct talk t, int line)
{
	const char *at, *soon;

	if (is_of_change(t))
		return;
	p->sorted = comes_sorted(t) ? line : p->sorted;
	p->leaps = leaps(t) ? line : p->leaps;
	p->second_fails = second_fails(t) ? line : p->second_fails;
	if (!growth(p, t, line) && memchr(t.s, '(', t.n))
		growth_beside_aside(p, t, line);
	at = p->told.at;
	if (p->told.what == TOLD_GROWS && p->told.said.line == line && !is_of_one(at && at >= t.s && at < t.s + t.n ? talk_sentence(t, at) : t))
		p->grows = p->told.said;
	p->grows_evenly = tells_even(t) ? line : p->grows_evenly;
	if (!(at = is_late(t)) && p->told.here_line == line)
		at = is_late_there(oom_told_sentence(&p->told, t));
	if (!at && p->told.killed.line == line && !talk_any_begins(t, "load"))
		at = clause_says(t, MIDWAY, AHEAD | BEHIND | WORKS, "");
	if (!at && (p->told.what || p->told.here_line) && (at = ends_within(t))) {
		said_at(&p->later, t, at, line);
		return;
	}
	soon = is_soon(t);
	if (soon && (oom_told_is_of_failure(&p->told, t, soon, line)))
		said_at(&p->soon, t, soon, line);
	if (at && !is_at_once(t, at) && (oom_told_is_of_failure(&p->told, t, at, line) || runs_until(t, at) || talk_find_whole(talk_part(t, at, t.s + t.n), FEW_TIMES, &(size_t){ 0 }) == at))
		said_at(&p->later, t, at, line);
}

#define AFTER_TESTS	"after evaluation|after the evaluation|after each evaluation|after every evaluation|after an evaluation|after validation|after the validation|after each validation|after every validation|after a validation|after validating|after evaluating|" \
    "after testing|after each test|after every test|after eval|after the eval|after each eval|after every eval|once evaluation is done|once validation is done|after val|after each val|after every val"
#define RISES		"goes up|went up|go up|rises|rose|increases|increased|grows|grew|jumps|jumped|doubles|doubled|climbs|climbed|is higher|is larger"
#define IS_KEPT		"not released|n't released|never released|not freed|n't freed|never freed|not decrease|n't decrease|not go down|n't go down|not drop|n't drop|not go back|n't go back"

/* "After evaluation the GPU's memory goes up to 15 GiB": what tests left there when they had
 * ended. */
const char *
oom_when_left(struct talk t)
{
	const char *at = NULL, *memory, *rises;
	struct talk behind;
	size_t n, length;

	while (talk_next_phrase(t, AFTER_TESTS, &at, &n)) {
		behind = talk_sentence(t, at);
		if (at + n < t.s + t.n && piece_is_word(at[n]))
			continue;
		behind = talk_part(t, at + n, behind.s + behind.n);
		if (!(memory = talk_find_whole(behind, "memory|vram|memory usage", &length)) || clause_is_question(behind) || talk_any_whole(talk_sentence(t, at), "should would could accuracy loss"))
			continue;
		behind = talk_part(behind, memory, behind.s + behind.n);
		rises = talk_find_whole(behind, RISES, &length);
		if (talk_has_whole(behind, IS_KEPT) || (rises && !clause_says_no(talk_part(behind, behind.s, rises), "")))
			return at;
	}
	return NULL;
}

#define NO_GUARD	"not use torch.no_grad|n't use torch.no_grad|not using torch.no_grad|n't using torch.no_grad|forgot torch.no_grad|forgot to use torch.no_grad|forgot to add torch.no_grad|forgot the torch.no_grad|" \
    "missing torch.no_grad|missed torch.no_grad|lacked torch.no_grad|forgot no_grad|forgot to use no_grad|missing no_grad|not use no_grad|n't use no_grad|" OOM_NO_GRADIENTS

/* "My validation loop did not use torch.no_grad()": neither asked nor advised. */
const char *
oom_when_unguarded(struct talk t)
{
	const char *at = talk_first(t, NO_GUARD);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && talk_any_begins(sentence, "valid eval test infer predict") && !clause_is_question(sentence) && !talk_any_whole(sentence, "if should would you your might maybe pass passes") ? at : NULL;
}
