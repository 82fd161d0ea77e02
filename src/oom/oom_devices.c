/*
 * What people say of the devices that a run had: several or one, one that has more than the others,
 * one that is free or that others use. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_devices.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"
#include "oom/oom_several.h"
#include "oom/oom_short.h"
#include "oom/oom_wording.h"

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
oom_devices_parallel(struct talk t)
{
	const char *one = oom_several_not_one(t, false);

	if (one)
		return one;
	return talk_any_of(t, "capacity total cuda_visible") ||
	    talk_any_phrase(t, "do i need|should i use|is it possible|would multi|can i use|if it supports|does it support|do you support|is there support|support for multi") ? NULL :
	    clause_says_unless(t, "dataparallel|data parallel|multi-gpu|multi gpu|multi_gpu|first gpu|first card|gpu 0 |gpu0 | 0 gpu|"
	    "other gpus|gpus = '0,1|each gpu", AHEAD, "", is_mention);
}

#define ONE_USED	"can only call one|only calls one|only called one|only call one|only recognizes one|only detects one|only sees one|only the first one|only first one|only one|just one|only 1|only a single|only the first|only first|only on the first|only be used in the first|only used in the first|only be used on the first|only used on the first|only occupies the first|only occupies one|only fills the first|only in the first|only on one|only gpu 0|only gpu0|only cuda:0|only on gpu 0|only on gpu0|only on cuda:0|only uses one|only use one|only used one|only using one|" \
    "only uses the first|only use the first|only uses gpu 0|only loads on one|all on one gpu|all on the first gpu|everything on one gpu|everything on gpu 0|whole model on one gpu|entire model on one gpu|"	\
    "second gpu is not used|second gpu is idle|second gpu is unused|other gpu is not used|other gpu is idle|other gpu is unused|other gpus are not used|other gpus are idle|other gpus are unused|other cards are idle|other cards are not used|"	\
    "not use both|n't use both|not using both|n't using both|not use the second|n't use the second|not use the other|n't use the other|not split across|n't split across|not distributed across|n't distributed across"
#define ARE_USED	"call calls called recognizes detects sees use uses used using utilize utilizes utilized utilizing run runs running ran load loads loaded loading go goes put puts placed allocate allocates allocated occupy occupies occupied filled called works working idle unused split distributed everything all whole entire"
#define HAS_ONE		"i have only|i only have|i have just|only have one|only have 1|have only one|has only one|with only one|with just one|if only one|if i use only|when i use only|available|at a time|each process|per process|at least|want to use|wants to use|like to use|wish to use|prefer to use|how to use|how do i use|how can i use"
/* of a card or more, in Chinese */
#define ONE_CHINESE	"都在第一个显卡|都在第一张显卡|都在第一张卡|全在第一张|都跑在第一张|全部在第一张|都在一张卡|都在一张显卡|加载到第二张卡|加载到第二张显卡|放到第二张卡|用到第二张卡|分到第二张卡|只使用了第一张|只使用第一张|只用了第一张|只用第一张|只用到第一张|只用到了第一张|只使用了一张|只使用一张|只用了一张|只用一张|只用到一张|只用到了一张|只占用了一张|只占用一张|只占用第一张|只在一张|只在第一张|只加载到一张|只加载到第一张|" \
    "都加载到一张|都加载到第一张|全部加载到第一张|全加载到一张|只有第一张卡|只有一张卡在|没有用到其他卡|没有用到其它卡|其他卡没有|其它卡没有|其他卡都没|其他显卡没|只使用了一个gpu|只用了一个gpu|只使用一个gpu|只用一个gpu"

/* "only one or two are running", "only one instance is left": more than one, or none of devices. */
static bool
counts_others(struct talk t, const char *behind)
{
	struct talk word = clause_word_behind(t, behind);

	return talk_is_one_of(word, "or to instance job process run trial worker task");
}

#define PLANNED		"will would could should shall gonna going plan intend try let"

/* "It runs on one of the two GPUs only", "the second GPU is idle": not that there is but one, nor
 * what works there, nor a run that is still to come. */
const char *
oom_devices_single(struct talk t)
{
	struct talk clause, sentence;
	const char *at;
	size_t n;

	if ((at = talk_first(t, ONE_CHINESE)) || (at = oom_wording(t, WORDING_ASKS_FOR_ALL)))
		return at;
	if (!talk_any_begins(t, "gpu card device cuda"))
		return NULL;
	if ((at = oom_wording(t, WORDING_ASKS_TO_SPREAD)))
		return at;
	for (at = NULL; talk_next_whole(t, ONE_USED, &at, &n); ) {
		clause = talk_clause(t, at, n);
		sentence = talk_sentence(t, at);
		if (talk_any_whole(sentence, OOM_MANY_DEVICES) && talk_any_begins(sentence, "gpu card device cuda") && talk_any_whole(sentence, ARE_USED) && !talk_has_whole(sentence, HAS_ONE) && !counts_others(t, at + n) && !talk_any_whole(talk_part(t, clause.s, at), PLANNED) && (!clause_works(clause) || talk_has_whole(clause, "seems only the first one works|only the first one works|only first one works|only the first works")))
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

#define SEVERAL_THERE	"gpus|cards|multi-gpu|multi gpu|multi-card|multiple gpu|dataparallel|data parallel|ddp"
#define UNEVEN		"imbalance|imbalanced|unbalanced|uneven|unevenly|not balanced|inbalance"

/* Does the sentence of the N bytes at AT, which name the first device, say that it has more than
 * the others? */
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
	/* "memory is accumulated on the 0th GPU" */
	if (talk_any_whole(sentence, "accumulated accumulates accumulating stacked piled piles piling") && talk_any_whole(talk_part(t, sentence.s, at), "memory vram"))
		return true;
	return talk_has_whole(sentence, "more memory than|more vram than|much memory than|much more memory|more than the other|more than other|more than others|than the others|than the other|than others|than other gpus|than the rest|"
	    "higher than|imbalance|imbalanced|unbalanced|uneven|not balanced|occupies more|occupied more|uses more|used more|takes more|took more|takes up more|consumes more|consumed more|only the first|only on the first|"
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
oom_devices_first(struct talk t)
{
	const char *at;
	size_t n;

	if ((at = first_in_chinese(t)))
		return at;
	for (at = NULL; talk_next_whole(t, FIRST, &at, &n); )
		if (has_more(t, at, n))
			return at;
	/* "unbalanced memory usage in multi-GPU training": the first has the more of it */
	for (at = NULL; talk_next_whole(t, UNEVEN, &at, &n); )
		if (is_uneven_memory(talk_sentence(t, at)))
			return at;
	return NULL;
}

bool
oom_devices_uses(struct talk sentence)
{
	return (talk_any_whole(sentence, "memory mem vram") || talk_any_phrase(sentence, "显存")) && !talk_any_whole(sentence, "if should would could may might whether utilization") &&
	    (talk_any_whole(sentence, "use uses used using take takes took taking occupy occupies occupied consume consumes consumed usage consumption allocates allocated accumulates accumulated stacked piles piling load loads") ||
	    talk_any_phrase(sentence, "占"));
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
	const char *at = talk_first(t, AMOUNT_FREE), *s, *to = NULL;
	struct talk word;
	int64_t n;

	while (!at && (s = oom_number_walk(t, ".", &to, &n))) {
		word = clause_word_behind(t, to);
		if (!talk_is_one_of(word, "g gb gib"))
			continue;
		for (word = clause_word_behind(t, word.s + word.n); talk_is_one_of(word, "of the my gpu vram video memory is are still"); word = clause_word_behind(t, word.s + word.n))
			;
		at = talk_is_one_of(word, "free unused unallocated") ? s : NULL;
	}
	return at && !is_of_make(t, at) && talk_any_whole(talk_sentence(t, at), SEEN_FREE) ? at : NULL;
}

/* "nvidia-smi shows that the GPU has still 11GB free": neither what should be, nor what frees
 * it. */
const char *
oom_devices_unused(struct talk t)
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

#define SHARED_CHINESE	"另一个人也在用|另一个人在用|另一个进程|另一个程序|另外一个程序|另外一个进程|同事也在用|同事在用|同学也在用|同学在用|多人共用|大家共用|别的进程|其他进程|其它进程|别的程序|其他程序|其它程序|别人也在用|其他人也在用|别人在用|其他人在用|他人在用|有人在用|别人占|其他人占|被别人|被其他|被其它|被占用|其他任务|别的任务|其他用户"
#define CARD_CHINESE	"显卡|显存|gpu|这张卡|这块卡|该卡|卡上"
#define ALONE_CHINESE	"没有其他|没有别的|没有其它|没有被|没被|未被|没有进程|无其他|?|？|吗|是不是|有没有|不是"

/* "The GPU is occupied by another task": neither asked, nor denied, nor what is to be ended. */
const char *
oom_devices_shared(struct talk t)
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

#define SUMMED		"in total|totally|total vram|total gpu memory|total memory is|total memory of|total gpu ram|total|combined vram|combined memory|combined|altogether|all together"
#define SUMMED_CHINESE	"总显存|显存总共|总共|一共|合计|共计"
#define SEVERAL_CARDS	"gpus gpu's cards 3090s 4090s 5090s a100s h100s v100s 2080tis 1080tis"
#define NOT_SUMMED	"machine ram cpu host usage used using uses consumption capacity"
#define BESIDE_SUM	24	/* bytes, to the amount */

/* Does T have an amount of memory, "96GB"? */
static bool
has_amount(struct talk t)
{
	const char *s, *to = NULL;
	struct talk unit;
	int64_t n;

	while ((s = oom_number_walk(t, ".-", &to, &n))) {
		unit = clause_word_behind(t, to);
		if (n > 0 && unit.s - to <= 1 && talk_is_one_of(unit, "g gb gib"))
			return true;
	}
	return false;
}

#define ON_EACH		"each gpu|every gpu|each card|every card|each device|every device|per gpu|all gpus|every single gpu"
#define WHOLE_MODEL	"full model|whole model|entire model|complete model|copy of the model|copies of the model|full copy|model replica|all of the weights|all the weights|full weights"

/* "Each GPU loads the full model", "每张卡都加载一份完整模型" */
static const char *
whole_on_each(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, ON_EACH, &n), *chinese = talk_first(t, "每张卡都|每张显卡都|每个gpu都|每块卡都|每张卡上都");
	struct talk sentence = at ? talk_sentence(t, at) : t;

	if (chinese)
		return talk_any_phrase(t, "完整|整个模型|一份模型|全部模型|全部权重") && talk_any_phrase(t, "加载|载入|放") && !talk_any_phrase(t, "吗|？|不会|避免|内存") ? chinese : NULL;
	return at && talk_has_whole(sentence, WHOLE_MODEL) && talk_any_whole(sentence, "load loads loaded loading has have holds hold keeps keep copied replicated") && !talk_any_whole(sentence, "not no n't without if should would could can cannot ram cpu") &&
	    !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

/* "I use four 3090 GPUs, the total memory is 96GB" */
const char *
oom_devices_summed(struct talk t)
{
	const char *at, *from, *chinese = talk_first(t, SUMMED_CHINESE), *each = whole_on_each(t);
	struct talk sentence, near;
	size_t n;

	if (each)
		return each;
	if (chinese)
		return talk_any_phrase(clause_sentence(t, chinese), "卡|gpu") && talk_any_phrase(talk_head(t, chinese, 2 * BESIDE_SUM), "g|G") && has_amount(talk_head(t, chinese, 2 * BESIDE_SUM)) && !talk_any_phrase(clause_sentence(t, chinese), "吗|？|内存") ? chinese : NULL;
	for (at = NULL; talk_next_whole(t, SUMMED, &at, &n); ) {
		sentence = talk_sentence(t, at);
		from = at - sentence.s > BESIDE_SUM ? at - BESIDE_SUM : sentence.s;
		near = talk_part(t, from, talk_head(sentence, at + n, BESIDE_SUM).s + talk_head(sentence, at + n, BESIDE_SUM).n);
		if (has_amount(near) && talk_any_whole(sentence, SEVERAL_CARDS) && !talk_any_whole(sentence, NOT_SUMMED) && !memchr(sentence.s, '?', sentence.n) && !talk_any_whole(sentence, "if should would each per"))
			return at;
	}
	return NULL;
}

#define SOME_MB		1024	/* which a desktop and its windows have of a card */
#define TAKEN		"in use|is used|are used|already used|being used|taken|occupied"

/* "nvidia-smi says that about 170 MB are in use": so little of it is no other run's. */
bool
oom_devices_little_used(struct talk t)
{
	const char *to = NULL, *s;
	struct talk clause;
	int64_t n;

	if (!talk_any_phrase(t, "nvidia-smi|task manager"))
		return false;
	while ((s = oom_number_walk(t, ".", &to, &n))) {
		clause = talk_clause(t, s, 1);
		if (n < SOME_MB && talk_is_one_of(clause_word_behind(t, to), "mb mib m") && talk_any_phrase(clause, "nvidia-smi|task manager") && talk_has_whole(clause, TAKEN) &&
		    !talk_any_whole(clause, "free left available process after while during each per when no not"))
			return true;
	}
	return false;
}
