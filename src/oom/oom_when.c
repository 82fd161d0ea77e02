/*
 * When people say that it fails: at once, after a time, or when tests have ended; as memory grows
 * is oom_growth.c. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_when.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_growth.h"
#include "oom/oom_number.h"
#include "oom/oom_point.h"
#include "oom/oom_rounds.h"
#include "oom/oom_short.h"
#include "oom/oom_wording.h"

#define AFTER	32	/* bytes from "after" to what is counted */
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
    "\xe4\xb8\xaa" "epoch\xe5\x90\x8e|\xe4\xb8\xaa" "epoch\xe4\xb9\x8b\xe5\x90\x8e|\xe8\xbd\xae\xe4\xb9\x8b\xe5\x90\x8e|训练中途|推理到一半|测试到一半|处理到一半|生成到一半|转换到一半|进行到一半|执行到一半|训练到一半|运行到一半|训练了一半|训练到中途|跑到一半|中途突然|步后|步之后|轮后|次迭代后|次迭代之后|步左右|小时后|小时之后|分钟后|エポック後|ステップ後|某个step|某一步|某些数据|特定数据|个别数据|一定数据出现|每次都在同一|总是在同一|都在同一个step|都在同一个iter|固定的step|固定的iter|固定在第|一定次数后|一定轮数后|一定步数后|一定时间后|若干轮后|若干步后|若干个epoch后|几轮后|几步后|几次后|多轮后|多次后|多次推理后|多次推理之后|轮对话后|轮对话之后|运行一段时间|训练一段时间|跑一段时间|跑了一段时间|推理一段时间|第二个epoch|第2个epoch|时间久了|时间一长|几秒钟后|几秒后|几十秒后|十几秒后|几分钟后|随着问|随着提问|随着对话|随着推理|随着请求|随着调用|随着使用|随着训练|随着处理|随着时间|随着运行|次数的增|次数增|轮数的增|轮数增"

#define ACTS		"going changing setting reducing lowering decreasing increasing raising adding removing switching trying using disabling enabling choosing fixing updating upgrading"

#define CHANGED		"modify modified adjust adjusted edit edited tune tuned replace replaced reduce reduced lower lowered decrease decreased change changed set increase increased raise raised add added remove removed switch switched disable disabled enable enabled fix fixed update updated upgrade upgraded cut halve halved shrink shrank"

/* What a run does for a time: any other "-ing" is what people did. */
#define GOES_ON		"training finetuning fine-tuning pretraining pre-training trainning learning running working iterating looping going waiting reading loading playing rendering sampling computing doing simulating reaching finishing completing being having scanning encoding decoding crawling solving "	\
    "processing extracting generating predicting inferring testing evaluating analyzing analysing handling transcribing translating creating converting calling sending receiving uploading downloading saving printing logging optimizing searching streaming detecting tracking fitting warming"

static bool
is_gerund(struct talk word)
{
	return word.n > 4 && talk_any_phrase(talk_part(word, word.s + word.n - 3, word.s + word.n), "ing");
}

/* "after going back to a batch of 8", "after I reduce the batch", "after modified batch_bins": what
 * people did, and no time. */
static bool
is_of_act(struct talk t, const char *at)
{
	struct talk word = clause_word_behind(t, at);

	if (!talk_is_one_of(word, "i we you"))
		return talk_is_one_of(word, ACTS " " CHANGED) || (is_gerund(word) && !talk_is_one_of(word, GOES_ON));
	word = clause_word_behind(t, word.s + word.n);
	if (talk_is_one_of(word, "have had"))
		word = clause_word_behind(t, word.s + word.n);
	return talk_is_one_of(word, CHANGED);
}

/* "At epoch=0", "epoch 1": is what stands AT a round, by its number one of the first, in which a
 * run begins? Not "at epoch 1.5", nor "epoch 10". */
static bool
is_first_round(struct talk t, const char *at)
{
	const char *end = t.s + t.n, *s;
	struct talk word = clause_word_behind(t, at);

	while (talk_is_one_of(word, "at in on during the"))
		word = clause_word_behind(t, word.s + word.n);
	if (!talk_is_one_of(word, "epoch step iteration iter batch round"))
		return false;
	for (s = word.s + word.n; s < end && memchr(" =:#[(", *s, 6); s++)
		;
	return s < end && (*s == '0' || *s == '1') && (s + 1 == end || (!is_digit(s[1]) && !(s + 2 < end && memchr(".,", s[1], 2) && is_digit(s[2]))));
}

/* "After an hour in the queue it fails at once": then that time is no part of the run. "When I
 * start it takes 18 GB, 3 hours later it fails": there the start is not when it fails. */
static bool
is_at_once(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at);

	return clause_says(sentence, "immediately|right away|at once|instantly|at the first step|in the first step|at the first iteration|in the first iteration|at the very first|iteration 0|iter 0|step 0|epoch 0|batch 0", AHEAD, "") || clause_says(talk_clause(t, at, 1), "depending on", AHEAD, "") ||
	    (!talk_any_whole(talk_clause(t, at, 1), "later") && clause_says(sentence, "when starting|when it starts|when i start", AHEAD, ""));
}

#define UNTIL_THEN	"epoch iter step batch round sample image frame end last final middle first second third valid eval test error oom memory out fail crash kill"

#define GOES_THROUGH	"processing extracting generating running predicting inferring testing evaluating analyzing analysing handling transcribing translating rendering sampling completing finishing iterating creating converting"
#define ROUNDS_COUNTED	"usage usages use uses conversion conversions loop loops episode episodes round rounds interaction interactions game games generation generations frame frames image images picture pictures video videos file files request requests prompt prompts call calls run runs batches samples inferences predictions examples documents pages texts sentences clips items queries trials"
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

/* "the first sample step": the first of what is done again and again, with a word for its kind. */
static bool
is_of_first(struct talk next)
{
	struct talk word = clause_word_behind(next, next.s);

	if (talk_is_one_of(word, "the a its one"))
		word = clause_word_behind(next, word.s + word.n);
	if (!talk_is_one_of(word, "first very 1st"))
		return false;
	word = clause_word_behind(next, word.s + word.n);
	return !talk_any_begins(word, "epoc minute hour") && !talk_any_begins(clause_word_behind(next, word.s + word.n), "epoc minute hour") &&
	    talk_any_begins(talk_part(next, word.s, clause_word_behind(next, word.s + word.n).s + clause_word_behind(next, word.s + word.n).n), "iteration iter step batch");
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
	struct talk ahead, count, behind;
	const char *at;
	size_t n;

	if (!talk_any_whole(t, "into"))
		return NULL;
	for (at = NULL; talk_next_whole(t, GONE_THROUGH, &at, &n); ) {
		behind = clause_word_behind(t, at + n);
		count = clause_word_ahead(t, at);
		ahead = clause_word_ahead(t, count.s);
		if (talk_is_one_of(behind, "into") && count.n > 0 && ((is_digit(*count.s) && !talk_is_one_of(count, "0 1")) || talk_is_one_of(count, SOME " two three four five ten")) &&
		    !talk_any_whole(talk_clause(t, at, n), "load loads loading put puts split splits put read reads divide divides batch convert pack") && !talk_is_one_of(ahead, "first"))
			return at;
	}
	return NULL;
}

#define RAN_FOR		"train through|trains through|trained through|run through|runs through|ran through|gets through|got through|goes through|ran for|runs for|running for|trained for|trains for|training for|worked for|works for|went for|lasted for|for the first|the first"

/* The end of the count of rounds at WORD, "89", "several thousand"; NULL: there is none, or of
 * one. */
static const char *
past_count(struct talk t, struct talk word)
{
	const char *to;
	int64_t count;

	if (word.n > 0 && is_digit(*word.s))
		return (to = piece_count(word.s, t.s + t.n, &count)) && count > 1 ? to : NULL;
	if (!talk_is_one_of(word, SOME))
		return NULL;
	to = word.s + word.n;
	for (word = clause_word_behind(t, to); talk_is_one_of(word, "hundred thousand of training"); word = clause_word_behind(t, to))
		to = word.s + word.n;
	return to;
}

/* "The run went for 89 epochs and was killed", "the first several thousand iterations are fine". */
static const char *
ran_for(struct talk t)
{
	const char *at, *to;
	struct talk word, sentence;
	size_t n;

	for (at = NULL; talk_next_whole(t, RAN_FOR, &at, &n); ) {
		word = clause_word_behind(t, at + n);
		while (talk_is_one_of(word, "about around only almost nearly roughly over just"))
			word = clause_word_behind(t, word.s + word.n);
		if (!(to = past_count(t, word)))
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

#define WELL_CHINESE	"没有问题|没问题|没有报错|正常|成功"

#define READS_WEIGHTS	"load_model|load_state|from_pretrained|torch.load|加载|载入|导入模型|读取模型|读模型"
#define READ_CHINESE	"加载后|加载完|加载成功|加载好|载入后|载入完|加载模型后|加载模型之后|加载权重后|完后|训练|推理"
#define HALF_CHINESE	"运行到一半|执行到一半|进行到一半|跑到一半|中途突然"

/* "正常显示几秒钟后出现OOM": what is fine until then; not "几秒钟后显示正常", nor "加载模型运行到一半", halfway
 * through what is read. */
static bool
is_late_chinese(struct talk t, const char *said)
{
	struct talk clause = talk_clause(t, said, 1), sentence = talk_part(t, talk_sentence(t, said).s, said);
	struct talk ahead = talk_part(clause, clause.s, said), behind = talk_part(clause, said, clause.s + clause.n);

	if (talk_any_phrase(talk_head(behind, said, sizeof("运行到一半")), HALF_CHINESE) && talk_any_phrase(sentence, READS_WEIGHTS) && !talk_any_phrase(sentence, READ_CHINESE))
		return false;
	return !talk_any_phrase(behind, WELL_CHINESE) && (!talk_any_phrase(ahead, WELL_CHINESE) || talk_any_phrase(behind, "出现|报错|溢出|爆|out of memory|oom"));
}

#define FEW_TIMES	"worked fine few times|worked fine a few times|worked a few times|worked few times|worked several times|worked fine several times|worked a couple of times|works a few times|works fine a few times|works few times|works several times|works a couple of times|" \
    "ran fine a few times|ran a few times|runs a few times|runs fine a few times|worked for a few|works for a few|worked fine for a few|works fine for a few|worked once or twice|works once or twice"

/* "Each time when epoch 51 starts", in a line that names a failure: a round that is not the
 * first. */
static const char *
as_round_starts(struct talk t)
{
	const char *s = NULL, *to = NULL;
	int64_t n;

	while ((s = oom_number_walk(t, "", &to, &n)))
		if (n > 1 && talk_is_one_of(clause_word_ahead(t, s), "epoch") && talk_is_one_of(clause_word_behind(t, to), "start starts started begin begins began is") &&
		    talk_any_whole(talk_part(t, talk_clause(t, s, 1).s, s), "when once as whenever until after") && says_or_gets(talk_sentence(t, s)))
			return s;
	return NULL;
}

#define END_CHINESE	"结束之后|结束后|结束时|训练完|训完|跑完|完成后|完成之后|最后一步|最后一个epoch|最后一轮|最后一个step|快结束|即将结束|快跑完|快训完"
#define RUNS_CHINESE	"训练|微调|推理|采样|迭代|epoch|step|轮|跑|训"
/* What is run behind that is another program. */
#define ANOTHER_CHINESE	"验证|测试|推理|评估|执行|test|eval|预测|导出|转换|合并|加载|部署"
#define OWN_TIME	"前一段时间|最近一段时间|这一段时间|近一段时间|有一段时间|好一段时间"

/* "训练结束之后", "微调一段时间": behind the first rounds, and no time of people's own. */
static const char *
at_end_chinese(struct talk t)
{
	const char *at = talk_first(t, END_CHINESE);

	if (at && talk_any_phrase(talk_clause(t, at, 1), RUNS_CHINESE) && !talk_any_phrase(talk_part(t, at, talk_sentence(t, at).s + talk_sentence(t, at).n), ANOTHER_CHINESE))
		return at;
	return talk_any_phrase(t, OWN_TIME) ? NULL : talk_first(t, "一段时间");
}

/* "After 12 epochs", "when the step is about 2454", unless that is what people did, or of what was
 * learned by then. */
static const char *
at_point(struct talk t)
{
	bool ends;
	const char *at = oom_point(t, &ends);
	struct talk word = at ? clause_word_behind(t, at) : t;

	return at && !is_of_act(t, word.s + word.n) && !talk_any_phrase(talk_clause(t, at, 1), OF_PEOPLE) && !is_of_learning(t, at) && !talk_any_of(talk_clause(t, at, 1), "accurac converg compil") ? at : NULL;
}

#define OF_AMOUNT	"memory vram ram usage utilization utilisation load capacity cpu gpu free full"
#define READS		"load loads loading loaded shard shards download downloading convert converting quantizing quantising"

#define GONE_OVER	"validation test evaluation eval dataset data set samples examples epoch training run"

/* Is what stands behind a per cent sign at S what memory has, or is loaded, and not what is gone
 * over: "% usage", but "% of the validation set"? */
static bool
is_of_amount(struct talk t, const char *s)
{
	struct talk word = clause_word_behind(t, s);

	if (!talk_is_one_of(word, "of"))
		return talk_is_one_of(word, OF_AMOUNT);
	word = clause_word_behind(t, word.s + word.n);
	if (talk_is_one_of(word, "the a an my our"))
		word = clause_word_behind(t, word.s + word.n);
	return !talk_is_one_of(word, GONE_OVER);
}

/* "an OOM at 94%": how far a bar had come, of what is not loaded. */
static const char *
at_part(struct talk t)
{
	const char *s, *to = NULL, *end = t.s + t.n;
	struct talk ahead;
	int64_t n;

	while ((s = oom_number_walk(t, ".-/", &to, &n))) {
		ahead = clause_word_ahead(t, s);
		if (n >= 2 && n <= 100 && (to = piece_past_blanks(to, end)) < end && *to == '%' && talk_is_one_of(ahead, "at around about after") && !is_of_amount(t, to) &&
		    !talk_any_whole(talk_part(t, talk_clause(t, s, 1).s, ahead.s), "usage utilization utilisation is stays vram ram") && !talk_any_whole(t, READS))
			return ahead.s;
	}
	return NULL;
}

/* "after 26 epochs", "for a while" */
static const char *
is_late(struct talk t)
{
	const char *at = NULL, *said;
	struct talk next;
	size_t n;
	bool people = talk_any_phrase(t, OF_PEOPLE);

	if (talk_any_whole(t, "dag dags miner miners mining ethash etchash kawpow"))
		return NULL;		/* epochs are the chain's, and updates the table's, then */
	if (talk_any_phrase(t, "after some update|after an update|after the update|after several update|after a few update|after few update|after many update|after recent update|after the last update|after the latest update|ever since|error at the start|memory at the start|memory\" at the start|start it up|at startup|on startup|stop the|stopped the|stopping the|i stop|i stopped|"
	    "interrupt|ctrl-c|ctrl+c") || (talk_any_phrase(t, "gb vram|gib vram|mb vram|mib vram|gb ram|gib ram") && !oom_short_fails(t) && !talk_any_begins(t, "fail kill freez full fill exhaust")))
		return NULL;		/* what came after a time is something else then, as "after 2 minutes: 9 GB VRAM" */
	if ((said = talk_first(t, LATE_CHINESE)) && is_late_chinese(t, said))
		return said;
	if ((said = at_end_chinese(t)) && is_late_chinese(talk_clause(t, said, 1), said))
		return said;
	if ((said = oom_rounds_items(t)) && !talk_any_phrase(talk_clause(t, said, 1), "没有问题|没问题|没有报错|正常|成功"))
		return said;
	if ((said = talk_first(t, "until ")) && talk_any_begins(talk_part(t, said, talk_clause(t, said, 1).s + talk_clause(t, said, 1).n), "checkpoint save saves saving logg valid eval"))
		return is_of_learning(t, said) ? NULL : said;
	if ((said = at_part(t)))
		return said;
	if ((said = clause_says(t, DELAYED, AHEAD, "")) && says_or_gets(t))
		return said;
	if ((said = rounds_in(t)) || (said = oom_rounds_late(t)) || (said = oom_rounds_abroad(t)) || (said = ran_for(t)) || (said = as_round_starts(t)))
		return said;
	if ((said = clause_says(t, FEW_TIMES, AHEAD, "")) || (said = oom_rounds_most(t)) || (said = at_point(t)))
		return said;
	if ((said = clause_says(t, "after prolonged use|after prolonged usage|after extended use|after extended usage|after long use|after long usage|after using it for|prolonged operation|after running for a long|after running a long|after a long time|after long time|after a long run", AHEAD, "")))
		return said;
	if (!talk_any_of(t, "after while middle epoch") || talk_any_of(t, "accurac converg compil"))
		return NULL;		/* or of how well it had learned by then */
	if (people && !talk_any_of(t, "epoch"))
		;
	else if ((said = clause_says(t, "for a while|after a while|after some time|after several usages|after several uses|after a few uses|after several generations|after a few generations|after several images|after a few images|after several runs|after a few runs|after several inferences|"
	    "after a few inferences|after several calls|after a few calls|after several requests|after a few requests|after several videos|after a few videos|after generating several|after processing several|after a couple of images|after a couple of generations|middle of training|middle of the training|th epoch|nd epoch|"
	    "rd epoch|th training epoch|nd training epoch|rd training epoch|second epoch|third epoch|to epoch 2|epoch goes to|at epoch|end of the first epoch|"
	    "end of first epoch", AHEAD, "hang hangs hung hanging stuck freeze freezes frozen")) || (said = talk_first(t, "until epoch")) ||
	    ((said = talk_first(t, "until the")) && talk_any_begins(talk_part(t, said, talk_clause(t, said, 1).s + talk_clause(t, said, 1).n), UNTIL_THEN)))
		return is_of_learning(t, said) || (people && (!talk_any_of(talk_clause(t, said, 1), "epoch") || talk_any_phrase(talk_clause(t, said, 1), OF_PEOPLE))) ? NULL : said;
	if (!people && talk_any_phrase(t, "epochs, after which|iterations, after which|steps, after which|hours, after which"))
		return talk_first(t, "after which");
	while (talk_next_phrase(t, "after ", &at, &n)) {
		next = talk_head(talk_clause(t, at, n), at + n, AFTER);
		if ((talk_any_begins(next, "epoc iteration iter step batch minute hour") || counts_rounds(next) || oom_rounds_well(talk_head(t, at + n, 2 * AFTER))) && !is_of_first(next) && !is_of_act(t, at + n) && !talk_any_phrase(talk_clause(t, at, n), OF_PEOPLE) &&
		    !talk_has_whole(next, "of audio|of speech|of video|of recording|of recordings|of footage|of music|step 0|iteration 0|iter 0|batch 0|two iterations|three iterations|2 iterations|3 iterations|two steps|three steps|2 steps|3 steps|two batches|three batches|2 batches|3 batches|first iteration|first step|first batch|first couple|first few|couple of steps|couple of iterations") &&
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

#define MIDWAY		"halfway|half way|half-way|in the half|in the middle|midway"
#define EVERY_TIME	"each time|every time|everytime|always|whenever"

/* "Each time I run the mesher, it is killed midway", at AT: within one thing that it does, and not
 * after rounds that had gone well; nor "the ranks in the middle", which is a place. */
static bool
is_within_each(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at);

	return talk_first(talk_part(t, at, t.s + t.n), MIDWAY) == at && (talk_is_one_of(clause_word_ahead(t, at), "ranks layers gpus devices stages blocks nodes cards rows columns pixels slices") ||
	    (talk_has_whole(sentence, EVERY_TIME) && !talk_any_begins(sentence, "train epoc iter step loop batch")));
}

/* "We record over 6 hours", "6 hours of video": how long what is given to it lasts. */
static bool
is_of_recording(struct talk t, const char *s)
{
	return talk_any_begins(talk_part(t, talk_clause(t, s, 1).s, s), "record film acqui") || talk_has_whole(talk_clause(t, s, 1), "of audio|of speech|of video|of recording|of recordings|of footage|of music") || talk_is_one_of(clause_word_ahead(t, clause_word_ahead(t, s).s), "over");
}

/* In a sentence that says that memory ran out: "at 145 epochs", "suddenly". */
static const char *
is_late_there(struct talk t)
{
	const char *s, *to = NULL, *end = t.s + t.n, *said;
	int64_t n;

	if (talk_any_begins(t, "updat upgrad reinstall downgrad"))
		return NULL;		/* what came after that is the failure, and not a time of the run */
	if (talk_any_phrase(t, "ever since|start it up|every few|first couple|first few|prior to|during setup|during the setup|before training|stop the|stopped the|stopping the|i stop|i stopped|interrupt|ctrl-c|ctrl+c|hours ago|days ago|minutes ago"))
		return NULL;
	if (talk_has_whole(t, "i eventually|it eventually|will eventually|eventually i|eventually it") && talk_has_whole(t, "as i increase|when i increase|if i increase|as we increase|when increasing|as the number of|increasing the number|increase the number"))
		return NULL;		/* with more of something, and not later */
	if ((said = clause_says(t, "partway|part way|part-way|deep into training|deep into the training|deep in training|of the way through an epoch|of the way through the epoch|of the way through training|of the way through the first epoch|quarters through|at random times|at random moments|before the epoch ends|before an epoch ends|before the first epoch ends|before the end of the epoch|before the end of an epoch|"
	    "before the end of the first epoch|reaches epoch|reached epoch|reaching epoch|up to epoch|% of the first epoch|% of an epoch|% of the epoch|% of epoch|% through an epoch|% through the epoch|% through training|% into the epoch|% into training|late in training|late in the training|late into training|late into the training|later in training|later in the training|later on in training|towards the end of training|towards the end of the training|toward the end of training|near the end of training|near the end of the training|in later epochs|in the later epochs|at later epochs|during later epochs|in later steps|in later iterations|"
	    "after training on|after training for|well into training|well into the training|far into training|far into the training|of iterations, then|of epochs, then|of steps, then|after a few thousand|after thousands|at a random point|sometimes|suddenly|randomly|random epoch|occasionally|from time to time|some epochs|" MIDWAY "|"
	    "at some point|eventually|over time|overnight|next epoch|several epochs|few epochs|some iterations|several iterations|"
	    "few iterations|some steps|few steps|few hours|several hours|end of epoch|end of the epoch|end of an epoch|"
	    "after epoch", AHEAD | BEHIND | WORKS, "")))
		return said;
	while ((s = oom_number_walk(t, "", &to, &n))) {
		if (is_later_round(t, s, to, n) && !is_of_learning(t, s))
			return s;
		to = piece_past_blanks(to, end);
		if (end - to > 1 && memchr("-~", *to, 2) && is_digit(to[1]))		/* "3-4 iterations" */
			to = piece_past_blanks(piece_number(to + 1, end, &n), end);
		if (is_time_later(t, to, n) && !is_of_learning(t, s))
			return s;
		if (n > 1 && talk_any_begins(talk_head(t, to, 10), "epochs epocs iterations iters steps minutes hours") &&
		    talk_any_whole(clause_word_ahead(t, s), "after at for in within about around almost nearly every until to") && !is_of_learning(t, s) && !is_of_recording(t, s))
			return s;
	}
	return NULL;
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

/* "It only lasts 20 epochs": the time at AT is that of its end. */
static bool
ends_then(struct talk t, const char *at)
{
	const char *most = oom_rounds_most(t);
	bool ends;

	return (most && at >= most) || (oom_point(t, &ends) == at && ends);
}

/* "It runs fine for 3,000 steps. However, after that I get OOM errors.": does the sentence behind
 * that at AT go on with the failure? */
static bool
fails_then(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at), next, first;

	if (!clause_works(sentence) || talk_any_whole(sentence, "paper author authors original you your") || sentence.s + sentence.n + 1 >= t.s + t.n)
		return false;
	next = talk_sentence(t, sentence.s + sentence.n + 1);
	first = clause_word_behind(next, next.s);
	return talk_is_one_of(first, "however but then after afterwards afterward suddenly and") && oom_short_fails(next) && !clause_is_question(next);
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
	return talk_any_phrase(t, RISEN) && talk_any_phrase(t, FALLEN) && !talk_any_phrase(t, HIGHER) && !talk_any_begins(t, "restart reboot");
}

/* "Even with a batch of one it fails after 12 epochs" is of another run than the one that failed
 * with more. */
static void
late_there(struct oom_paste *p, struct talk t, const char *at, int line)
{
	struct talk sentence = talk_sentence(t, at), word = clause_word_behind(sentence, sentence.s);

	said_at(&p->later, t, at, line);
	if (oom_wording(sentence, WORDING_AT_ITS_END))
		p->later_end = line;
	if (at_part(sentence) == at)
		p->later_part = line;
	if (talk_is_one_of(word, "even") && talk_is_one_of(clause_word_behind(sentence, word.s + word.n), "when with if at"))
		p->later_other = line;
}

void
oom_when_line(struct oom_paste *p, struct talk t, int line)
{
	const char *at, *soon;

	p->keeping = oom_growth_keeps(t) ? line : p->keeping;
	if (is_of_change(t))
		return;
	p->sorted = comes_sorted(t) ? line : p->sorted;
	p->leaps = leaps(t) ? line : p->leaps;
	p->steady_elsewhere = oom_wording(t, WORDING_STEADY_ELSEWHERE) ? line : p->steady_elsewhere;
	p->same_given = oom_wording(t, WORDING_SAME_GIVEN) ? line : p->same_given;
	p->second_fails = oom_wording(t, WORDING_SECOND_FAILS) ? line : p->second_fails;
	oom_growth_line(p, t, line);
	if (!(at = is_late(t)) && p->told.here_line == line)
		at = is_late_there(oom_told_sentence(&p->told, t));
	if (!at && p->told.killed.line == line && !talk_any_begins(t, "load"))
		at = clause_says(t, MIDWAY, AHEAD | BEHIND | WORKS, "");
	if (at && (is_within_each(t, at) || is_first_round(t, at)))
		at = NULL;
	if (!at && (p->told.what || p->told.here_line) && (at = oom_wording(t, WORDING_WITHIN_EPOCH))) {
		said_at(&p->later, t, at, line);
		return;
	}
	soon = oom_wording(t, WORDING_SOON);
	if (soon && (oom_told_is_of_failure(&p->told, t, soon, line)))
		said_at(&p->soon, t, soon, line);
	if (at && !is_at_once(t, at) && (oom_told_is_of_failure(&p->told, t, at, line) || runs_until(t, at) || ends_then(t, at) || fails_then(t, at) || talk_find_whole(talk_part(t, at, t.s + t.n), FEW_TIMES, &(size_t){ 0 }) == at))
		late_there(p, t, at, line);
}

#define AFTER_TESTS	"after evaluation|after the evaluation|after the first evaluation|after the first validation|after the first eval|after the first test|after each evaluation|after every evaluation|after an evaluation|after validation|after the validation|after each validation|after every validation|after a validation|after validating|after evaluating|" \
    "after testing|after each test|after every test|after eval|after the eval|after each eval|after every eval|once evaluation is done|once validation is done|after val|after each val|after every val"
#define RISES		"goes up|went up|go up|rises|rose|increases|increased|grows|grew|jumps|jumped|doubles|doubled|climbs|climbed|is higher|is larger"
#define IS_KEPT		"not release|n't release|not free|n't free|never releases|never frees|not released|n't released|never released|not freed|n't freed|never freed|not decrease|n't decrease|not go down|n't go down|not drop|n't drop|not go back|n't go back"

/* "After evaluation the GPU's memory goes up to 15 GiB": what tests left there when they had
 * ended. */
const char *
oom_when_left(struct talk t)
{
	const char *at = NULL, *memory, *rises;
	struct talk behind;
	size_t n, length;
	bool kept;

	while (talk_next_phrase(t, AFTER_TESTS, &at, &n)) {
		behind = talk_sentence(t, at);
		if (at + n < t.s + t.n && piece_is_word(at[n]))
			continue;
		behind = talk_part(t, at + n, behind.s + behind.n);
		if (!(memory = talk_find_whole(behind, "memory|vram|memory usage", &length)) || clause_is_question(behind) || talk_any_whole(talk_sentence(t, at), "should would could accuracy loss"))
			continue;
		kept = talk_has_whole(behind, IS_KEPT);
		behind = talk_part(behind, memory, behind.s + behind.n);
		rises = talk_find_whole(behind, RISES, &length);
		if (kept || (rises && !clause_says_no(talk_part(behind, behind.s, rises), "")))
			return at;
	}
	return NULL;
}
