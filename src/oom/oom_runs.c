/*
 * What people say the run was: once more, one of several, with a large vocabulary, a conversation.
 * On which devices is oom_devices.c. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_runs.h"

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_short.h"
#include "oom/oom_wording.h"

#define MANY_WORDS	20000	/* of a vocabulary */
#define REPLIES_WITHIN	40	/* bytes from "after" to what is counted */

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

#define SECOND_ONES	"second or third time|second or third run|2nd or 3rd time|third time i|third time it|3rd time i|3rd time it|the second time i|the second time it|inference the second time|inference a second time|it the second time|'second time'|\"second time\"|the second animation|second animation|during the second run|the second video directly|on the second clip|at the second clip|second inference|" \
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

#define MADE_ONES	"prompt image picture photo video generation inference request run query song clip sample call execution job prediction question message transcription translation conversion simulation"

/* "It is at 80% after finishing the first prompt, and when I launch the next one, I get this
 * error": one is made, and the next fails. */
static const char *
fails_at_next(struct talk t)
{
	const char *at = NULL, *next;
	struct talk sentence;
	size_t n, m;

	while (talk_next_phrase(t, "the first ", &at, &n)) {
		sentence = talk_sentence(t, at);
		next = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), "the next one|the second one|the next|another one|a new one|the following one", &m);
		if (next && talk_is_one_of(clause_word_behind(t, at + n), MADE_ONES) && (oom_short_fails(talk_part(t, next, sentence.s + sentence.n)) || clause_names_failure(talk_part(t, next, sentence.s + sentence.n))) &&
		    !clause_is_question(sentence) && !talk_any_begins(sentence, "epoch step batch iter stage phase valid layer fold model"))
			return at;
	}
	return NULL;
}

#define FIRST_WELL	"no problem|no problems|no error|no errors|no issue|no issues"

/* "There is no problem in the first loop, it is out of memory in the second loop": of two rounds by
 * one name the first is said to go well, and in the other's clause memory ends. */
static const char *
fails_in_second(struct talk t)
{
	const char *at = NULL, *next;
	struct talk sentence, clause, made;
	size_t n, m;

	while (talk_next_phrase(t, "the first ", &at, &n)) {
		sentence = talk_sentence(t, at);
		clause = talk_clause(t, at, n);
		made = clause_word_behind(t, at + n);
		next = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), "in the second|at the second|on the second|in the next|at the next|on the next|the second", &m);
		if (!next || talk_holds(clause, next) || !talk_is_one_of(made, MADE_ONES " loop pass") || clause_is_question(sentence) || talk_any_whole(sentence, "if should would could"))
			continue;
		if ((clause_works(clause) || talk_has_whole(clause, FIRST_WELL)) && (talk_is_one_of(clause_word_behind(t, next + m), MADE_ONES " loop pass") || next[m] != ' ') && clause_names_failure(talk_clause(t, next, m)))
			return at;
	}
	return NULL;
}

/* "The first one runs fine but then I get" */
const char *
oom_runs_well_once(struct talk t)
{
	const char *second = fails_at_second(t);

	return second ? second : oom_wording(t, WORDING_WELL_ONCE);
}

#define ONCE_MORE	"then try again|then try it again|then do it again|then run it again|then generate again|then run again|and try again"

/* "I generate one and then try again, and it is out of memory": not what was done against it. */
static const char *
fails_once_more(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, ONCE_MORE, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && talk_any_whole(talk_part(t, sentence.s, at), "generate generates generated run ran works worked train trained process finish finishes succeeds") && !talk_any_begins(talk_part(t, sentence.s, at), "restart reboot reinstall close clos kill fail crash") &&
	    oom_short_fails(talk_part(t, at, sentence.s + sentence.n)) && !talk_any_whole(sentence, "still even") ? at : NULL;
}

/* "It fails when I run the cell a second time." */
const char *
oom_runs_again(struct talk t)
{
	const char *said = talk_first(t, "第二次运行|第二次训练|第二次推理|第二次调用|第二次生成|第二次执行|再次运行|再次训练|再次推理|再次生成|再次执行|重新运行|再运行一次|再跑一次|再跑就|第二次就|跑第二次|第二遍");

	if (said)
		return talk_any_phrase(talk_clause(t, said, 1), "没有问题|没问题|没有报错|正常|成功|还是|依然|仍") ? NULL : said;
	if ((said = fails_at_second(t)) || (said = fails_at_next(t)) || (said = fails_in_second(t)) || (said = fails_once_more(t)))
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
	if (talk_any_of(sentence, "subprocess sub-process"))
		return true;		/* each has one by itself */
	if (lower(*at) == 'f' && at > t.s && piece_is_word(at[-1]))
		return true;
	return talk_any_phrase(sentence, "n_jobs") && (!talk_any_phrase(sentence, "n_jobs=1|n_jobs = 1") || talk_has_whole(sentence, "have to|need to|must|only with|only works|works with|unless"));
}

/* "In a hyperparameter search", "in the third fold": several runs of one process. */
const char *
oom_runs_trials(struct talk t)
{
	return clause_says_unless(t, "hyperparameter search|hyperparameter_search|repeatedly running|repeatedly training|n_trials|batch size tuner|batch-size tuner|batch size finder|batch-size finder|batch size scaler|batchsizefinder|auto_scale_batch_size|scale_batch_size|find_executable_batch_size|trial scheduler|few trials|several trials|many trials|multiple trials|hyperparameter tuning|hyper-parameter search|hyper-parameter tuning|hyperparameter optimization|optuna|grid search|"
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
	struct talk next, word;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, "after", &at, &n); ) {
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
