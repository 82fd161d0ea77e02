/*
 * That what was made or run before is held, or that the first of several went well and the next did
 * not, by classes of words. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_earlier.h"

#include <string.h>

#include "oom/oom_clause.h"
#include "oom/oom_short.h"

#define BEFORE		"previous|earlier|prior|preceding|previously loaded|previously used"
#define MADE		"model models pipeline pipelines network weights checkpoint checkpoints image images picture video clip generation inference run call request result results prediction predictions experiment trial job session task"
#define OF_STEPS	"layer step steps batch batches iteration epoch token tokens version versions commit release issue post answer comment chunk tile"
#define LET_GO		"unload unloaded unloads unloading release released releases releasing free freed freeing dispose disposed collected"
#define TAKEN_AWAY	"clear cleared clearing clean cleaned delete deleted remove removed removing"
#define OF_MEMORY	"memory ram vram gpu device cache"
#define HELD		"still in memory|still in vram|still in ram|still on the gpu|still loaded|still occupies|still occupying|still held|still holds|stays in memory|stays in vram|stays on the gpu|stays loaded|remains in memory|remains in vram|remains on the gpu|remains loaded|kept in memory|kept in vram"
#define WITHIN		2	/* words from "previous" to what it is of */

/* What "previous" at AT, N bytes, is of: a model, a run; else nothing. */
static bool
is_of_made(struct talk clause, const char *at, size_t n)
{
	struct talk word = clause_word_behind(clause, at + n);
	int i;

	for (i = 0; i < WITHIN && word.n > 0 && !talk_is_one_of(word, MADE); i++)
		word = clause_word_behind(clause, word.s + word.n);
	return i < WITHIN && talk_is_one_of(word, MADE) && !talk_any_whole(talk_part(clause, at, word.s), OF_STEPS);
}

/* "because the previous model was not unloaded", "the earlier run's results are still on the GPU";
 * neither what is asked for nor what is feared. */
const char *
oom_earlier_held(struct talk t)
{
	struct talk clause, sentence;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, BEFORE, &at, &n); ) {
		clause = talk_clause(t, at, n);
		sentence = talk_sentence(t, at);
		if (!is_of_made(clause, at, n) || talk_any_whole(sentence, "if should would could how can please may might unless"))
			continue;
		if (talk_has_whole(clause, HELD) || ((talk_any_whole(clause, LET_GO) || (talk_any_whole(clause, TAKEN_AWAY) && talk_any_whole(clause, OF_MEMORY))) && clause_says_no(clause, "without")))
			return at;
	}
	return NULL;
}

#define FIRST_CHINESE	"第一个|第一张|第一次|第一条|第一段|第一句|第一幅|第一首|第一集|第一遍|第1个|第1张|第1次"
#define NEXT_CHINESE	"第二个|第二张|第二次|第二条|第二段|第二句|第二幅|第二首|第二集|第二遍|第2个|第2张|第2次|下一个|下一张|下一次|下一条|后面的|之后的|再来一"
#define WELL_CHINESE	"没有问题|没问题|没有报错|没报错|正常|成功|可以生成|可以运行|可以跑|能生成|能跑|能运行|好的"
#define FAILS_CHINESE	"out of memory|oom|爆显存|爆内存|爆了|报错|溢出|显存不足|内存不足|显存不够|内存不够|崩溃|失败"

#define ONES		"one prompt image picture photo video generation inference request run query song clip sample call execution job prediction question transcription translation conversion simulation time"
#define NEXT_ONES	"the next one|the second one|the next|another one|the following one|the second time|the 2nd time|a second time|the rerun|the re-run|the second run|second one|all subsequent|any subsequent|every subsequent|subsequent ones|subsequent runs|subsequent calls|all later ones|later ones"
#define WELL		"successful successfully succeeds succeeded fine good well works worked runs ran ok okay completes completed normal normally"

/* "The first run is successful, and the rerun has this problem": not of rounds of training. */
static const char *
first_well(struct talk t)
{
	struct talk sentence, between;
	const char *at, *next;
	size_t n, m;

	for (at = NULL; talk_next_whole(t, "first", &at, &n); ) {
		sentence = talk_sentence(t, at);
		if (!talk_is_one_of(clause_word_behind(sentence, at + n), ONES) || !(next = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), NEXT_ONES, &m)))
			continue;
		between = talk_part(t, at, next);
		if (talk_any_whole(between, WELL) && !clause_says_no(between, "never if should would could") && !clause_is_question(sentence) && !talk_any_begins(sentence, "epoch step batch iter stage phase valid layer fold") &&
		    (oom_short_fails(talk_part(t, next, sentence.s + sentence.n)) || clause_names_failure(talk_part(t, next, sentence.s + sentence.n)) || talk_has_whole(talk_part(t, next, sentence.s + sentence.n), "this problem|the same problem|this issue|the same issue")))
			return at;
	}
	return NULL;
}

/* "第一张没问题，第二张就爆显存": not of rounds of training, layers or devices. */
const char *
oom_earlier_first(struct talk t)
{
	const char *at = talk_first(t, FIRST_CHINESE), *next, *end = t.s + t.n;

	if (!at)
		return first_well(t);
	if (!(next = talk_first(talk_part(t, at, end), NEXT_CHINESE)))
		return NULL;
	if (talk_any_phrase(t, "epoch|step|batch|阶段|层|折|fold|卡|gpu|进程|节点|如果") || talk_any_phrase(talk_part(t, at, next), "不正常|不成功|没成功|失败|报错了|就报错"))
		return NULL;
	return talk_any_phrase(talk_part(t, at, next), WELL_CHINESE) && talk_any_phrase(talk_part(t, next, end), FAILS_CHINESE) ? at : NULL;
}
