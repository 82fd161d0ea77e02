/*
 * What people say the run was: on several devices, once more, one of several, with a graph that is
 * kept, with layers that are unfrozen. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_runs.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_short.h"
#include "oom/oom_told.h"
#include "oom/oom_wording.h"

#define MANY_WORDS	20000	/* of a vocabulary */
#define REPLIES_WITHIN	40	/* bytes from "after" to what is counted */

/* "DataParallel(model)" is in code that one device runs, too, as "--gpu 0" is. */
static bool
is_of_code(struct talk t, struct talk clause, const char *at)
{
	const char *s = at, *end = t.s + t.n;

	(void)clause;
	while (s < end && piece_is_word(*s))
		s++;
	return (s < end && *s == '(') || (at > t.s && at[-1] == '-');
}

#define ON_ONE		"single gpu|one gpu|1 gpu|single card|one card|1 card|single device|one device"
#define SEVERAL		"gpus cards devices ddp dataparallel distributed multi multiple multi-gpu"
#define RUNS_WELL	"without problem|without problems|without any problem|without error|without errors|no problem|runs well|"	\
    "run well|trains well|train well|runs normally|only costs|only cost|just costs|just cost|only takes|just takes|only uses|just uses|only needs|just needs"

/* "With one GPU it works", in a line that speaks of several: there it is not the run that is too
 * large. */
const char *
oom_runs_on_one(struct talk t)
{
	struct talk rest, clause, next, sentence;
	const char *at, *end = t.s + t.n;
	size_t n;

	if (!talk_any_whole(t, SEVERAL))
		return NULL;
	for (rest = t; (at = talk_find_whole(rest, ON_ONE, &n)); rest = talk_part(t, at + n, end)) {
		clause = talk_clause(t, at, n);
		next = clause.s + clause.n + 1 < end && clause.s[clause.n] == ',' && talk_any_whole(clause, "when with on using if") ?
		    talk_clause(t, clause.s + clause.n + 1, 1) : clause;
		sentence = talk_sentence(t, at);
		if (!clause_says_no(talk_part(t, clause.s, at), "") && !oom_short_fails(clause) && !memchr(sentence.s, '?', sentence.n) &&
		    (clause_works(clause) || clause_works(next) || talk_has_whole(clause, RUNS_WELL) || talk_has_whole(next, RUNS_WELL)))
			return at;
	}
	return NULL;
}

/* "What is the meaning of multi-gpu?", "it supports DataParallel", "I want to use multi-gpu": a
 * mention, by no sentence of what failed; nor is it what failed where one device does so, too:
 * "both single GPU and multi GPU". */
#define WISHED		"want wants wish hope plan planning would should could may might consider suggest suggests recommend try wonder wondering whether support "	\
    "supports supported supporting instead option options optional feature"

static bool
is_mention(struct talk t, struct talk clause, const char *at)
{
	struct talk sentence = talk_sentence(t, at);

	if (is_of_code(t, clause, at) || talk_any_whole(talk_part(t, clause.s, at), "wonder wondering whether") || talk_has_whole(sentence, ON_ONE))
		return true;
	return !oom_short_fails(sentence) && (talk_any_whole(clause, WISHED) ||
	    (memchr(sentence.s, '?', sentence.n) && !talk_any_whole(sentence, "why")));
}

const char *
oom_runs_parallel(struct talk t)
{
	const char *one = oom_runs_on_one(t);

	if (one)
		return one;
	return talk_any_of(t, "capacity total cuda_visible") ||
	    talk_any_phrase(t, "do i need|should i use|is it possible|would multi|can i use|if it supports|does it support|do you support|is there support|support for multi") ? NULL :
	    clause_says_unless(t, "dataparallel|data parallel|multi-gpu|multi gpu|multi_gpu|first gpu|first card|gpu 0 |gpu0 | 0 gpu|"
	    "other gpus|gpus = '0,1|each gpu", AHEAD, "", is_mention);
}

#define FIRST_FAILS	"on the first run|in the first run|at the first run|the first time|first attempt"

/* "on the first run and when I run it again": it is not what is run once more that fails. */
static bool
fails_at_first(struct talk t, struct talk clause, const char *at)
{
	struct talk sentence = talk_sentence(t, at);
	size_t n;
	const char *first = talk_find_whole(sentence, FIRST_FAILS, &n);

	(void)clause;
	if (talk_any_phrase(talk_head(t, at, sizeof("when i start")), "when i start|try to train") && talk_any_whole(sentence, "with using on instead different other another larger bigger") && !talk_any_whole(sentence, "same"))
		return true;		/* it is something else that is run then */
	return first && !clause_works(talk_clause(t, first, n)) && !talk_any_whole(talk_clause(t, first, n), "good well normal normally right successful successfully completes") && (talk_any_whole(sentence, "same also too both still even") || oom_short_fails(talk_clause(t, first, n)));
}

#define BEGUN_ANEW	"restarting the kernel|restart the kernel|kernel restart|restarting the runtime|restart the runtime|restarting the notebook|restart the notebook|restart jupyter"
#define ALONE_HELPS	"only need have must unless until helps help fixes fix works solves clears frees every each resolves"
/* A program, of which people say, too, that they had to begin it anew after it failed. */
#define PROGRAM_ANEW	"restarting the program|restart the program|restarting the app|restart the app|restarting the application|restart the application|restarting the software|restart the software|restarting comfyui|restart comfyui|" \
    "restarting the webui|restart the webui|restarting python|restart python|restarting the process|restart the process|restarting matlab|restart matlab|restarting the session|restart the session|restarting the service|" \
    "restart the service|restarting the interpreter|restart the interpreter|restarting the script|restart the script|restarting the browser|restart the browser|quitting and re|quit and re|closing and re|close and re|exiting and re|exit and re|" \
    "reloading the software|reloading the program|reloading the page|relaunching"
#define THEN_HELPS	"helps help fixes fix fixed solves solved clears cleared frees freed resolves resolved unless until"
#define ANEW_CHINESE	"重启程序|重启软件|重启内核|重启kernel|重启 kernel|重启服务|重启webui|重启comfyui|重启python|重启一下|重启后|重启之后|重新启动程序|重新启动后|关闭重开|关掉重开|重新打开程序"
#define MUST_CHINESE	"只能重启|只有重启|必须重启|不得不重启|重启才"
#define HELPS_CHINESE	"就好|才能|才行|才可以|恢复|又可以|又能|就可以|就正常|解决"

/* "Only restarting the kernel helps": of memory that a notebook's process holds; neither what was
 * tried, nor what does not help. */
const char *
oom_runs_restarted(struct talk t)
{
	const char *at = talk_first(t, ANEW_CHINESE), *alone;

	if ((alone = talk_first(t, MUST_CHINESE)))
		return talk_any_phrase(t, "显存|内存|oom|爆") && !talk_any_phrase(t, "吗|电脑|机器|服务器|系统|训练脚本") ? alone : NULL;
	if (at)
		return talk_any_phrase(t, HELPS_CHINESE) && !talk_any_phrase(t, "没用|无效|不行|还是|仍然|依然|吗|电脑|机器|服务器") ? at : NULL;
	at = clause_says(t, BEGUN_ANEW, AHEAD | BEHIND, "tried");
	if (!at || !talk_any_whole(talk_clause(t, at, 1), ALONE_HELPS)) {
		at = clause_says(t, PROGRAM_ANEW, AHEAD | BEHIND, "tried");
		if (at && (!talk_any_whole(talk_part(t, at, talk_sentence(t, at).s + talk_sentence(t, at).n), THEN_HELPS) || talk_any_whole(talk_sentence(t, at), "computer pc machine reboot")))
			return NULL;
	}
	return at && !clause_is_question(talk_sentence(t, at)) ? at : NULL;
}

#define SECOND_ONES	"the second time i|the second time it|inference the second time|inference a second time|it the second time|'second time'|\"second time\"|the second animation|second animation|during the second run|the second video directly|on the second clip|at the second clip|second inference|" \
    "on the second call|at the second call|on the second job|at the second job|on the second song|at the second song|on the second file|at the second file|" \
    "second transcription|second conversion|2nd attempt|2nd inference|second attempt, it|2nd run|2nd time i|2nd time it|the 2nd image|the 2nd video|the 2nd generation"

/* "It runs out of memory only in the second animation." */
static const char *
fails_at_second(struct talk t)
{
	const char *at = clause_says_unless(t, SECOND_ONES, AHEAD | BEHIND | WORKS, "", fails_at_first);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && (oom_short_fails(sentence) || clause_names_failure(sentence) || talk_any_whole(sentence, "problem issue")) &&
	    !talk_any_begins(sentence, "epoch step batch iter stage phase valid") && !clause_is_question(sentence) ? at : NULL;
}

/* "The first one runs fine but then I get" */
const char *
oom_runs_well_once(struct talk t)
{
	const char *second = fails_at_second(t);

	return second ? second : oom_wording(t, WORDING_WELL_ONCE);
}

/* "It fails when I run the cell a second time." */
const char *
oom_runs_again(struct talk t)
{
	const char *said = talk_first(t, "第二次运行|第二次训练|第二次推理|第二次调用|第二次生成|第二次执行|再次运行|再次训练|再次推理|再次生成|再次执行|重新运行|再运行一次|再跑一次|再跑就|第二次就|跑第二次|第二遍");

	if (said)
		return talk_any_phrase(talk_clause(t, said, 1), "没有问题|没问题|没有报错|正常|成功|还是|依然|仍") ? NULL : said;
	if ((said = fails_at_second(t)))
		return said;
	return talk_any_of(t, "run ran train execut inference generat try attempt image") ? clause_says_unless(t, "a second time|at the second time|the second time it|at the second try|on the second try|at the second attempt|on the second attempt|on the second image|at the second image|on the second generation|at the second generation|second run|run the cell again|rerun the cell|re-run the cell|"
	    "when i rerun|when i re-run|when i started a new training|when i start a new training|try to train it again|try to train the model again|second training run|re-execute|run it twice|running it twice|run the code again|run the script again|run a second|when i performed inference again|when i perform inference again|when i run inference again|when i ran inference again|when running inference again|when i generate again|when generating again|third run|subsequent run|second attempt", AHEAD | BEHIND | WORKS, "", fails_at_first) : NULL;
}

/* "AlphaFold 2", "alphafold2": the end of a program's name, and no fold. And "n_jobs=4", or all
 * that is not n_jobs=1: runs that are made at once, by processes of their own. */
static bool
is_no_trial(struct talk t, struct talk clause, const char *at)
{
	struct talk sentence = talk_sentence(t, at);

	(void)clause;
	if (lower(*at) == 'f' && at > t.s && piece_is_word(at[-1]))
		return true;
	return talk_any_phrase(sentence, "n_jobs") && (!talk_any_phrase(sentence, "n_jobs=1|n_jobs = 1") || talk_has_whole(sentence, "have to|need to|must|only with|only works|works with|unless"));
}

/* "In a hyperparameter search", "in the third fold": several runs of one process. */
const char *
oom_runs_trials(struct talk t)
{
	return clause_says_unless(t, "hyperparameter search|hyperparameter_search|repeatedly running|repeatedly training|n_trials|hyperparameter tuning|hyper-parameter search|hyper-parameter tuning|hyperparameter optimization|optuna|grid search|"
	    "gridsearch|each trial|every trial|second trial|next trial|between trials|over trials|per trial|trials because of|keras-tuner|keras tuner|bayesianoptimization tuner|hyperband search|k-fold|kfold|cross validation|cross-validation|second fold|next fold|each fold|"
	    "every fold|third fold|several folds|few folds|instantiated multiple times|instantiated several times|created multiple times|trained multiple times|trainer multiple times|trainer for each request|trainer for every request|new trainer for each|new trainer for every|train multiple times|trains multiple times|next model to fail|model before it runs out of|model before it ran out of|fold 2|fold 3|fold 4|fold 5|fold2|fold3|下一个fold|每个fold|k折|交叉验证", AHEAD | BEHIND | WORKS, "constant stable stayed stays flat separate separately",
	    is_no_trial);
}

#define OF_ACTIVITY	"in the loop of|in a loop of|in my loop of|for each|run a|running a|i am doing|i am performing|i am running|i am applying|i am using|i'm doing|i'm performing|i'm running|i'm applying|i'm using|i was doing|i was running|" \
    "i do|i perform|i run|i apply|we are doing|we are running|we are performing|we are using|we do|we run|when doing|while doing"

/* "I am doing 10-fold cross validation": what the run is, by who reports it, in whatever sentence
 * it is said to fail. */
bool
oom_runs_done(struct talk t, const char *at)
{
	return talk_has_whole(talk_part(t, talk_sentence(t, at).s, at), OF_ACTIVITY);
}

#define ONE_USED	"only the first one|only first one|only one|just one|only 1|only a single|only the first|only first|only on the first|only be used in the first|only used in the first|only be used on the first|only used on the first|only occupies the first|only occupies one|only fills the first|only in the first|only on one|only gpu 0|only gpu0|only cuda:0|only on gpu 0|only on gpu0|only on cuda:0|only uses one|only use one|only used one|only using one|" \
    "only uses the first|only use the first|only uses gpu 0|only loads on one|all on one gpu|all on the first gpu|everything on one gpu|everything on gpu 0|whole model on one gpu|entire model on one gpu|"	\
    "second gpu is not used|second gpu is idle|second gpu is unused|other gpu is not used|other gpu is idle|other gpu is unused|other gpus are not used|other gpus are idle|other gpus are unused|other cards are idle|other cards are not used|"	\
    "not use both|n't use both|not using both|n't using both|not use the second|n't use the second|not use the other|n't use the other|not split across|n't split across|not distributed across|n't distributed across"
#define ARE_USED	"use uses used using utilize utilizes utilized utilizing run runs running ran load loads loaded loading go goes put puts placed allocate allocates allocated occupy occupies occupied filled called works working idle unused split distributed everything all whole entire"
#define HAS_ONE		"i have only|i only have|i have just|only have one|only have 1|have only one|has only one|with only one|with just one|if only one|if i use only|when i use only|available|at a time|each process|per process|at least|want to use|wants to use|like to use|wish to use|prefer to use|how to use|how do i use|how can i use"
/* of a card or more, in Chinese */
#define ONE_CHINESE	"都在第一个显卡|都在第一张显卡|都在第一张卡|全在第一张|都跑在第一张|全部在第一张|都在一张卡|都在一张显卡|加载到第二张卡|加载到第二张显卡|放到第二张卡|用到第二张卡|分到第二张卡|只使用了第一张|只使用第一张|只用了第一张|只用第一张|只用到第一张|只用到了第一张|只使用了一张|只使用一张|只用了一张|只用一张|只用到一张|只用到了一张|只占用了一张|只占用一张|只占用第一张|只在一张|只在第一张|只加载到一张|只加载到第一张|" \
    "都加载到一张|都加载到第一张|全部加载到第一张|全加载到一张|只有第一张卡|只有一张卡在|没有用到其他卡|没有用到其它卡|其他卡没有|其它卡没有|其他卡都没|其他显卡没|只使用了一个gpu|只用了一个gpu|只使用一个gpu|只用一个gpu"

/* "It runs on one of the two GPUs only", "the second GPU is idle": not that there is but one, nor
 * what works there. */
const char *
oom_runs_single(struct talk t)
{
	struct talk rest, clause, sentence;
	const char *at;
	size_t n;

	if ((at = talk_first(t, ONE_CHINESE)) || (at = oom_wording(t, WORDING_ASKS_FOR_ALL)))
		return at;
	if (!talk_any_begins(t, "gpu card device cuda"))
		return NULL;
	if ((at = oom_wording(t, WORDING_ASKS_TO_SPREAD)))
		return at;
	for (rest = t; (at = talk_find_whole(rest, ONE_USED, &n)); rest = talk_part(t, at + n, t.s + t.n)) {
		clause = talk_clause(t, at, n);
		sentence = talk_sentence(t, at);
		if (talk_any_whole(sentence, OOM_MANY_DEVICES) && talk_any_begins(sentence, "gpu card device cuda") && talk_any_whole(sentence, ARE_USED) && !talk_has_whole(sentence, HAS_ONE) && (!clause_works(clause) || talk_has_whole(clause, "seems only the first one works|only the first one works|only first one works|only the first works")))
			return at;
	}
	return NULL;
}

#define ALL_THERE	"onto gpu 0|onto gpu0|onto gpu:0|onto cuda:0|onto the first|default to|defaults to|defaulting to|be sent to|are sent to|loaded to|loaded on|loaded onto|placed on|are put on|go to|goes to|occupied by card 0|occupied by gpu 0|" \
    "occupied by gpu0|occupied by the first|always occupy|always occupies|memory on gpu 0|memory on gpu0|memory of gpu 0|memory on the first|allocates memory on"

#define BY_ALL		"used by all|occupied by all|taken by all|allocated by all|by every process|by each process"
#define FIRST		"first gpu|first card|first device|gpu 0|0 gpu|gpu0|gpu:0|gpu-0|cuda:0|gpu#0|1st gpu|main gpu|master gpu|primary gpu|0th gpu|0th card|card 0|card0|device 0|cuda device 0"
#define PROCESSES	"extra process|extra processes|additional process|additional processes|several processes|processes are using|processes on|processes use|processes running on"
#define OF_OTHERS	"other process|other processes|another process|other users|other user's|other people|other's|others'"

/* Does the sentence of the N bytes at AT, which name the first device, say that it has more than
 * the others? */
#define SEVERAL_THERE	"gpus|cards|multi-gpu|multi gpu|multi-card|multiple gpu|dataparallel|data parallel|ddp"
#define UNEVEN		"imbalance|imbalanced|unbalanced|uneven|unevenly|not balanced|inbalance"

static bool
has_more(struct talk t, const char *at, size_t n)
{
	struct talk sentence = talk_sentence(t, at);

	if (talk_any_whole(sentence, "all every each") && talk_has_whole(sentence, ALL_THERE))
		return true;
	/* "all my processes load the checkpoint to cuda:0" */
	if (talk_has_whole(sentence, "all processes|all my processes|all the processes|every process|each process|all ranks|all the ranks|every rank|each rank|all workers|each worker|every worker") &&
	    talk_any_whole(sentence, "load loads loaded put puts allocate allocates allocated create creates created place places placed map maps mapped use uses using go goes") && !talk_any_whole(sentence, "own not never respective"))
		return true;
	/* "the main GPU 0 has been used by all the other subprocesses", and not by all users */
	if (talk_has_whole(sentence, BY_ALL) && talk_any_of(sentence, "process rank"))
		return true;
	/* "GPU 0 is full while GPU 1 uses only 6 GB" */
	if (talk_has_whole(sentence, "is full|gets full|are full|nearly full|almost full|fills up|runs out|ran out|out of memory") && talk_any_whole(sentence, "while whereas but only") && !talk_any_whole(sentence, "free empty idle unused available") &&
	    talk_has_whole(talk_part(t, at + n, sentence.s + sentence.n), "gpu 1|gpu1|gpu:1|gpu-1|cuda:1|gpu#1|second gpu|second card|other gpu|other gpus|other card|other cards|card 1|device 1|the others"))
		return true;
	/* "GPU 0 is around 90%, but my two other GPU are at only 50%" */
	if (memchr(sentence.s, '%', sentence.n) && talk_any_whole(sentence, "while whereas but") && talk_any_whole(talk_part(t, at + n, sentence.s + sentence.n), "only just") && talk_has_whole(talk_part(t, at + n, sentence.s + sentence.n), "other gpu|other gpus|others|other cards|other two|other three"))
		return true;
	/* "several extra processes came up on GPU 0" */
	if (talk_has_whole(sentence, PROCESSES) && !talk_has_whole(sentence, OF_OTHERS))
		return true;
	/* "4 GPUs ... Seems to be the first GPU memory overflow" */
	if (talk_has_whole(sentence, "memory overflow|memory overflows|overflows|overflowed|is overflowing") && talk_has_whole(t, SEVERAL_THERE))
		return true;
	/* "the memory usage is always unbalanced. The highest usage of the 0th card causes ..." */
	if (talk_has_whole(t, UNEVEN) && talk_has_whole(sentence, "highest|the most|most memory|most of the memory") && talk_any_of(sentence, "memory usage"))
		return true;
	return talk_has_whole(sentence, "more memory than|more vram than|much memory than|much more memory|more than the other|more than other|more than others|than the others|than the other|than others|than other gpus|than the rest|"
	    "higher than|imbalance|imbalanced|unbalanced|uneven|not balanced|occupies more|uses more|takes more|only the first|only on the first|"
	    "a part of the memory|small part of the memory|some memory of|also uses memory|also takes memory|also allocates|has not enough memory");
}

/* The first card, of several, and that it is full or has more; not for what others have of it. */
#define FIRST_CHINESE	"第0张卡|第0块卡|第0张显卡|第零张卡|第一张卡|第一个卡|第一个gpu|第一个显卡|第一块卡|第一张显卡|第一块显卡|0号卡|0号gpu|0号显卡|0卡|卡0|主卡|首卡|gpu0|gpu 0|gpu:0|cuda:0"
#define REST_CHINESE	"第二张|第二个|第二块|第二和|其他卡|其它卡|其他的卡|其余的卡|另外几张|另一张卡|剩下的卡|别的卡"
#define SEVERAL_CHINESE	REST_CHINESE "|多卡|多gpu|多显卡|每张卡|其他卡|其它卡|其余卡|其他显卡|其余显卡|其他gpu|几张卡|双卡|两张卡|四张卡|八张卡|2卡|4卡|8卡|并行"
#define FULL_CHINESE	"占满|爆满|被爆|爆了|爆掉|打满|撑爆|满了|已满|溢出|显存更多|占用更多|显存最多|占用最多|占用最高|占用更高|高于其|多于其|不均|不平衡|比其他|比其它"
#define OTHERS_CHINESE	"别人|他人|其他人|其他进程|其它进程|别的进程|其他程序|其它程序|其他任务|别的任务|每张卡都|所有卡都"

/* Of the memory of several devices, and neither of data nor of an option. */
static bool
is_uneven_memory(struct talk sentence)
{
	return talk_any_whole(sentence, "memory vram") && talk_has_whole(sentence, SEVERAL_THERE "|multi-gpus|2 gpu|two gpu|4 gpu|8 gpu") && talk_any_whole(sentence, "usage use uses utilization consumption load allocation distribution footprint occupied occupies occupancy") &&
	    !talk_any_whole(sentence, "class classes dataset data loss avoid avoids prevent warning") && !memchr(sentence.s, '=', sentence.n);
}

static const char *
first_in_chinese(struct talk t)
{
	const char *at = NULL;
	size_t n;

	if (!talk_any_phrase(t, SEVERAL_CHINESE) || talk_any_phrase(t, OTHERS_CHINESE) || (talk_any_phrase(t, "单卡") && !talk_any_phrase(t, REST_CHINESE)))
		return NULL;
	while (talk_next_phrase(t, FIRST_CHINESE, &at, &n))
		if (talk_any_phrase(talk_clause(t, at, n), FULL_CHINESE) && !clause_denies_elsewhere(t, at, n))
			return at;
	return NULL;
}

/* "the first GPU has much more memory than the others", "all ranks default to GPU 0", "unbalanced
 * load, GPU 0 is full" */
const char *
oom_runs_first(struct talk t)
{
	struct talk rest;
	const char *at;
	size_t n;

	if ((at = first_in_chinese(t)))
		return at;
	for (rest = t; (at = talk_find_whole(rest, FIRST, &n)); rest = talk_part(t, at + n, t.s + t.n))
		if (has_more(t, at, n))
			return at;
	/* "unbalanced memory usage in multi-GPU training": the first has the more of it */
	for (rest = t; (at = talk_find_whole(rest, UNEVEN, &n)); rest = talk_part(t, at + n, t.s + t.n))
		if (is_uneven_memory(talk_sentence(t, at)))
			return at;
	return NULL;
}

/* "the vocabulary has 70,000 words" */
static bool
is_large_vocabulary(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at);
	const char *s, *to, *end = sentence.s + sentence.n;
	int64_t n;

	if (talk_any_whole(sentence, "small smaller reduced identical same") || talk_any_phrase(t, "adaptive softmax|sampled softmax"))
		return false;
	if (talk_any_whole(sentence, "large larger huge big bigger million millions"))
		return true;
	for (s = sentence.s; s < end; s = to) {
		to = s + 1;
		if (is_digit(*s) && (to = piece_number(s, end, &n)) && n >= MANY_WORDS)
			return true;
	}
	return false;
}

/* The same; of words, "when it computes log_softmax" */
const char *
oom_runs_words(struct talk t)
{
	const char *at = NULL;
	size_t n;

	if (!talk_any_of(t, "vocab"))
		return talk_any_begins(t, "dict word token translat languag") ? talk_first(t, "log_softmax|logsoftmax|log softmax") : NULL;
	if (talk_any_phrase(t, "vocab.txt|vocab.json|vocab_file|vocab_path|vocab/"))
		return NULL;
	while (talk_next_phrase(t, "vocab", &at, &n))
		if (is_large_vocabulary(t, at))
			return at;
	return NULL;
}

#define AMOUNT_FREE	"gb free|gib free|gb is free|gb of free|mb free|mib free|gb available|gb vram free|gb of memory free"
#define UNUSED		"memory is free|memory free|is free|are free|was free|were free|is still free|still free|totally free|completely free|is empty|is idle|are idle|is idling|are idling|" \
    "have two free|two free gpus|has free gpus|have free gpus|other gpus are free|gpus that are free|no running processes|no other process|no other processes|no process is"
#define UNUSED_CHINESE	"显存没占满|显存没有占满|显存没满|显存没用满|显存没有用满|显存还没满|显存并没有满|显存还剩|显存还有很多|显存还有剩|显存充足|显存足够|显存明明|显存远没|还有很多显存|还有大量显存|显存没占多少|显存占用不高|显存占用很低|显存空闲|显存是空的|显卡空闲"
#define OF_MACHINE	"system memory|system ram|host memory|main memory|machine memory"

#define SEEN_FREE	"have has had having there still shows show showed showing says say see seen is are was were got with even although though despite only nvidia-smi reports left leaves"

/* "a card with 24 GB available": how much it is made with. */
static bool
is_of_make(struct talk t, const char *at)
{
	while (at > t.s && (at[-1] == ' ' || at[-1] == '.' || is_digit(at[-1])))
		at--;
	return talk_is_one_of(clause_word_ahead(t, at), "with a an the of");
}

/* "It still has 8GB free", but not "My gpu: GTX 1080, CUDA 10.1 8GB free", which tells what there
 * is. */
static const char *
amount_free(struct talk t)
{
	const char *at = talk_first(t, AMOUNT_FREE);

	return at && !is_of_make(t, at) && talk_any_whole(talk_sentence(t, at), SEEN_FREE) ? at : NULL;
}

/* "nvidia-smi shows that the GPU has still 11GB free": neither what should be, nor what frees
 * it. */
const char *
oom_runs_unused(struct talk t)
{
	struct talk sentence;
	const char *at;
	size_t n;

	if ((at = talk_first(t, UNUSED_CHINESE)))
		return talk_any_phrase(t, "吗|如果|需要|应该|确保|系统内存") ? NULL : at;
	if (!talk_any_whole(t, "gpu gpus nvidia-smi vram card cuda"))
		return NULL;
	at = talk_find_whole(t, UNUSED, &n);
	at = at ? at : oom_wording(t, WORDING_AMPLE);
	at = at ? at : amount_free(t);
	sentence = at ? talk_sentence(t, at) : t;
	return at && !clause_is_question(sentence) && !talk_any_whole(sentence, "if should until unless once make sure ensure ram disk not n't after cpu loader loads loading waits waiting mostly often sometimes full") &&
	    !talk_any_phrase(sentence, OF_MACHINE "|free colab|free tier|free version|total capacity|already allocated") ? at : NULL;
}

#define SPARE		"free memory|memory free|free ram|ram free|memory available|ram available|available memory|available ram|memory left|ram left|memory is free|ram is free|memory to spare|ram to spare|" \
    "plenty of ram|plenty of memory|enough ram|enough memory|memory is available|ram is available|memory was free|ram was free|of memory used|of ram used|of the memory used|of the ram used"
#define SPARE_AMOUNT	"gb free|gib free|gb are free|gb is free|gb were free|gb of free|gb of ram free"
#define CONTRAST	"however still while whereas even although though despite when but only just shows show showed says see yet"
#define MUCH		"gb gib tb tib plenty much lots vast enough half still only percent"

#define USES_LITTLE	"only uses|only used|only seems to use|only seems to consume|only consumes|only consumed|only takes|never uses more than|never goes above|never exceeds|barely uses|uses only|consumes only|using only|only using"
#define MOST_LITTLE	999

/* "It only seems to consume about 230m of ram": MiB of the machine's, where it fails for want of
 * more. */
static const char *
uses_little(struct talk t)
{
	size_t n;
	int64_t count;
	const char *s, *to, *at = talk_find_whole(t, USES_LITTLE, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t, unit;

	if (!at || clause_is_question(sentence) || !talk_any_whole(talk_part(t, at + n, sentence.s + sentence.n), "ram memory") || clause_works(sentence) ||
	    talk_any_whole(sentence, "if should would could with without before previously per each version"))
		return NULL;
	for (s = at + n; s < sentence.s + sentence.n; s++) {
		if (!is_digit(*s))
			continue;
		to = piece_number(s, sentence.s + sentence.n, &count);
		unit = to ? clause_word_behind(t, to) : (struct talk){ 0 };
		return to && count <= MOST_LITTLE && ((unit.n && talk_is_one_of(unit, "mb mib m megabytes")) || (to < t.s + t.n && (*to == 'm' || *to == 'M'))) ? at : NULL;
	}
	return NULL;
}

/* "It cannot get 20 MiB when there is over 2 TiB of free memory", of the machine: neither what
 * should be, nor what is asked, nor a device's. */
const char *
oom_runs_spare(struct talk t)
{
	struct talk sentence;
	const char *at;
	size_t n;

	if (talk_any_whole(t, "gpu gpus nvidia-smi vram card cuda device disk swap"))
		return NULL;
	if ((at = uses_little(t)))
		return at;
	if (!(at = talk_find_whole(t, SPARE, &n)) && !(at = talk_first(t, SPARE_AMOUNT)))
		return NULL;
	sentence = talk_sentence(t, at);
	if (clause_is_question(sentence) || clause_says_no(talk_part(sentence, sentence.s, at), "") ||
	    talk_any_whole(sentence, "if should until unless once make sure ensure not n't after before need needs free_memory error bytes loads loading most mostly"))
		return NULL;
	return talk_any_whole(sentence, CONTRAST) && (talk_any_whole(sentence, MUCH) || talk_any_of(sentence, "0gb 2gb 4gb 6gb 8gb % used")) ? at : NULL;
}

/* "It occurs during loss computation", "the loss function seems to use a lot of memory" */
const char *
oom_runs_loss(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "loss computation|loss calculation|computing the loss|computing loss|calculating the loss|calculating loss|compute the loss|calculate the loss|loss is computed|loss is calculated|"
	    "in the loss function|the loss function|contrastive loss", &n);
	struct talk clause = at ? talk_clause(t, at, n) : t;

	return at && (oom_short_fails(clause) || talk_any_whole(clause, "occur occurs occurred happen happens happened fail fails failed crash crashes oom memory")) &&
	    !talk_any_whole(clause, "backward not without change changed reduce loss= if") && !talk_any_whole(clause_word_behind(clause, clause.s), "is does do did can could may might has was will would") && !clause_works(clause) ? at : NULL;
}

#define SHARED_CHINESE	"另一个人也在用|另一个人在用|另一个进程|另一个程序|另外一个程序|另外一个进程|同事也在用|同事在用|同学也在用|同学在用|多人共用|大家共用|别的进程|其他进程|其它进程|别的程序|其他程序|其它程序|别人也在用|其他人也在用|别人在用|其他人在用|他人在用|有人在用|别人占|其他人占|被别人|被其他|被其它|被占用|其他任务|别的任务|其他用户"
#define CARD_CHINESE	"显卡|显存|gpu|这张卡|这块卡|该卡|卡上"
#define ALONE_CHINESE	"没有其他|没有别的|没有其它|没有被|没被|未被|没有进程|无其他|?|？|吗|是不是|有没有|不是"

/* "The GPU is occupied by another task": neither asked, nor denied, nor what is to be ended. */
const char *
oom_runs_shared(struct talk t)
{
	const char *chinese = talk_any_phrase(t, CARD_CHINESE) && !talk_any_phrase(t, ALONE_CHINESE) ? talk_first(t, SHARED_CHINESE) : NULL;
	const char *at = talk_any_whole(t, "gpu gpus card cards vram cuda") || talk_any_begins(t, "a100 h100 v100 gpu") ? clause_says(t, "experiments on the same gpu|experiments on one gpu|jobs on the same gpu|jobs on one gpu|scripts on the same gpu|scripts on one gpu|trainings on the same gpu|trainings on one gpu|programs on the same gpu|programs on one gpu|assigned to the same gpu|occupied by another|occupied by other|used by another|used by other|using by other|"
	    "a shared gpu|share the gpu|shares the gpu|sharing the gpu|sharing a gpu|share the same gpu|share one gpu|shared with other|other users are|other people are|another user|someone else is|already a training|"
	    "another training|another process is|another program is|another job is|other jobs are|other processes are|two trainings|several trainings|at the same time on the same gpu|on the same gpu at the same time", AHEAD, "if whether maybe perhaps single users requests clients threads streams") : NULL;

	if (chinese)
		return chinese;
	if (at && talk_any_phrase(talk_head(t, at, sizeof("assigned")), "assigned") && !talk_any_whole(talk_sentence(t, at), "job jobs processes trials runs trainings experiments scripts"))
		at = NULL;		/* layers and tensors are, too */
	return at && !clause_is_question(talk_sentence(t, at)) && !talk_has_whole(talk_sentence(t, at), OOM_ON_SEVERAL) ? at : oom_wording(t, WORDING_NOTEBOOKS);
}

#define TALKED		"reply|replies|response|responses|message|messages|messages/prompts|responses/prompts|prompts|turn|turns|exchange|exchanges|answer|answers|question|questions"
#define OF_TALK		"chat|chats|chatting|chatbot|conversation|conversations|dialog|dialogue|llm|llama|assistant|roleplay|talking|webui|ui|gptq|gguf|exllama|ollama|koboldcpp|vicuna|alpaca|--chat"
#define TALK_GROWS	"during a conversation|during the conversation|in the middle of a conversation|in the middle of a chat|long conversation|long conversations|longer conversation|longer conversations|longer the conversation|" \
    "longer the chat|conversation gets longer|conversation gets long|conversation grows|conversation becomes long|chat gets longer|chat gets long|chat grows|chat history|conversation history|message history|few messages|some messages|several messages|many messages|several turns|" \
    "few turns|multi-turn|few replies|some replies|few responses|some responses|few exchanges|few prompts|few questions|few answers|context fills|context gets full|context is full|context grows|context gets long|context gets longer|fill the context|filled the context"
#define TALK_CHINESE	"多轮对话|轮对话后|轮对话之后|轮对话就|几轮对话|对话几轮|对话多轮|聊几轮|聊了几轮|聊几句|聊了几句|对话变长|对话越长|对话太长|对话过长|历史对话|对话历史|多轮之后|多轮后|多輪對話"

/* "after about 28 replies" */
static const char *
after_replies(struct talk t)
{
	struct talk rest, next, word;
	const char *at;
	size_t n;

	for (rest = t; (at = talk_find_whole(rest, "after", &n)); rest = talk_part(t, at + n, t.s + t.n)) {
		next = talk_head(talk_clause(t, at, n), at + n, REPLIES_WITHIN);
		for (word = clause_word_behind(next, at + n); talk_is_one_of(word, "the about around approximately roughly just only every each"); word = clause_word_behind(next, word.s + word.n))
			;
		if (word.n > 0 && ((is_digit(*word.s) && !talk_is_one_of(word, "0 1")) || talk_is_one_of(word, "some several few many a dozens")) && talk_has_whole(next, TALKED))
			return at;
	}
	return NULL;
}

/* "It fails after about 28 replies", "when the conversation gets longer": what is given grows from
 * one to the next. */
const char *
oom_runs_talk(struct talk t)
{
	const char *at = talk_first(t, TALK_CHINESE);

	if (at)
		return clause_denies_elsewhere(t, at, sizeof("多") - 1) ? NULL : at;
	if (talk_any_whole(t, "train training trained dataset samples epoch epochs finetune fine-tune finetuning"))
		return NULL;
	if (!talk_has_whole(t, OF_TALK))
		return NULL;		/* a server has responses, and a log messages */
	at = clause_says(t, TALK_GROWS, AHEAD | WORKS, "first second every regardless even");
	return at ? at : after_replies(t);
}
