/*
 * A person who reports a failure often tells its cause without knowing it: "it caches the data in
 * RAM", "with the older version it works", "all embeddings are stored on the GPU". Each of these is
 * found where no word beside it says the contrary.
 */
#include "oom/oom_blame.h"

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_short.h"
#include "oom/oom_told.h"
#include "oom/oom_version.h"
#include "oom/oom_when.h"
#include "oom/oom_works.h"

/* What lies on a device by its nature, or is wished to. */
#define LIES_THERE	"nothing none docs documentation model models weights parameters params optimizer network adapter lora file files checkpoint should would could want wants please instead how can cannot why"

#define ALL_DATA	"entire dataset|whole dataset|full dataset|complete dataset|all the data|all data|all the training data|all training data|all of the data|entire data|whole data|entire data set|whole data set|all samples|all the samples|all images|all the images|all frames|all the frames"
#define ON_DEVICE	"on the gpu|on gpu|onto the gpu|onto gpu|to the gpu|to gpu|into the gpu|into gpu|in the gpu|in gpu|on the device|to the device|into vram|in vram|to cuda|on cuda|to vram"
#define ALL_DATA_CHINESE	"整个数据集|全部数据|所有数据|整个训练集|全部样本|所有样本|所有图片|全部图片|所有帧"
#define ON_DEVICE_CHINESE	"放到显存|放进显存|放在显存|加载到显存|载入显存|读到显存|读入显存|放到gpu|放到了gpu|放到了显存|放进了显存|加载到gpu|加载到了gpu|加载到了显存|搬到gpu|都在显存|都在gpu|存到显存|存在显存"

/* "I put the entire dataset on the GPU" */
static const char *
puts_all(struct talk t)
{
	size_t n, length;
	const char *at = talk_first(t, ALL_DATA_CHINESE);
	struct talk clause;

	if (at)
		return talk_any_phrase(t, ON_DEVICE_CHINESE) && !talk_any_phrase(t, "没有|不会|避免|不是|不要") ? at : NULL;
	at = talk_find_whole(t, ALL_DATA, &n);
	clause = at ? talk_clause(t, at, n) : t;
	return at && talk_find_whole(talk_part(t, at + n, clause.s + clause.n), ON_DEVICE, &length) && talk_any_whole(clause, "put puts putting move moves moved moving load loads loaded loading copy copies copied transfer transferred store stores stored keep kept keeps sent send is are was were fit") &&
	    !talk_any_whole(clause, "not no n't without never cannot can't instead batch batches should would could want wants if model weights fit cannot than before") && !talk_has_whole(clause, "n't") ? at : NULL;
}

/* "all embeddings are stored on the GPU": of what a run makes or is given, not of a network. */
static const char *
kept_on_device(struct talk t)
{
	const char *at = talk_any_of(t, "gpu vram cuda device") ? clause_says(t, "stored on gpu|stored on the gpu|stored in gpu memory|stored in the gpu memory|stored in vram|stored on cuda|kept on gpu|kept on the gpu|"
	    "kept in gpu memory|kept in vram|saved on gpu|saved on the gpu|held on the gpu|held in gpu memory|stay on the gpu|stays on the gpu|accumulated on the gpu|accumulates on the gpu|accumulate on the gpu|collected on the gpu|"
	    "stored on the device|kept on the device", AHEAD | WORKS, LIES_THERE) : NULL;

	at = at ? at : puts_all(t);
	return at && !clause_is_question(talk_sentence(t, at)) && !talk_any_whole(talk_clause(t, at, 1), "empty cached") && !talk_any_phrase(talk_sentence(t, at), "empty_cache") &&
	    !talk_any_whole(talk_part(t, talk_sentence(t, at).s, at), "confirm check verify print show see whether") ? at : NULL;
}

/* "it caches the whole data set in RAM", "with cache=True" */
static const char *
caches_data(struct talk t)
{
	const char *at = talk_any_of(t, "cache caching cached ram") ? clause_says(t, "cache the dataset|cache the data|cache the whole|cache the entire|cache the images|cache the training|cache images|cache all|cache both|cached both|cached all|cached the images|cached the train|cached train|cached eval|cached images|caches both|caches images|caching both|caching train|caching eval|caches the data|caches the image|caches the whole|caches the entire|"
	    "caches all|caching the data|caching the image|caching the whole|caching images|caching all|dataset caching|data.cache()|dataset.cache()|).cache()|ds.cache()|cache=true|cache=ram|cache='ram'|--cache ram|--cache argument|--cache flag|cached in ram|"
	    "cached in memory|cache in ram|ram caching|images in ram|dataset in ram|whole dataset in memory|entire dataset in memory", AHEAD, "disabled disable off latents kv") : NULL;

	return at && !talk_any_phrase(t, "empty_cache|cache_dir|use_cache|cache-dir|hf_home|page cache|caching allocator") ? at : NULL;
}

/* Rays that are followed through a scene. */
static const char *
follows_rays(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "nerf|nerfs|nerfacto|radiance field|radiance fields|novel view|novel views|rays per batch|volume rendering|ray marching|n_importance|netchunk", &n);

	/* of what begins with an n the beginning of the word is not looked at */
	return at && (at == t.s || (!piece_is_word(at[-1]) && at[-1] != '/')) && !clause_passes_by(t, at) && !talk_any_whole(t, "splatting gaussians gaussian x-ray x-rays") ? at : NULL;
}

#define LEARNS_TO_LEARN	"maml|maml++|howtotrainyourmamlpytorch|multi-step loss optimization|meta-sgd|innerloop_ctx|second-order maml|create_graph=true|create_graph = true|second-order gradient|second-order gradients|second order gradient|second order gradients|second-order derivatives|second order derivatives|" \
    "gradients of gradients|meta-gradient|meta-gradients|meta gradients|higher-order gradients"

/* Learning through steps of learning, by its method's name or what it asks autograd for. */
static const char *
learns_to_learn(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, LEARNS_TO_LEARN, &n);

	return at && !talk_any_whole(talk_part(t, talk_clause(t, at, n).s, at), "no without not instead unlike") && !talk_any_whole(t, "penalty gan wgan physics pinn pinns hessian") && !talk_is_one_of(clause_word_ahead(t, at), "first-order order approximate") &&
	    !talk_any_phrase(talk_head(t, at + n, sizeof(" is not")), " is not| isn't") ? at : NULL;
}

/* "MemoryError when I try to save the features" */
static const char *
saves_results(struct talk t)
{
	const char *at = talk_any_of(t, "save saving saved write writing") ? clause_says(t, "save the features|save the embedding|save the result|save the prediction|save the output|save all|saving the features|saving the embedding|saving the result|saving the prediction|saving features|"
	    "saving results|saving embeddings|saving all|writing the features|writing the results", AHEAD | WORKS, "model weights checkpoint gpu vram") : NULL;

	return at && !talk_any_whole(t, "model checkpoint weights") ? at : NULL;
}

/* vLLM, or the settings that are its own; not "and vLLM is able to host it". */
static const char *
serves(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "gpu_memory_utilization|gpu-memory-utilization|--gpu-memory-utilization|max_model_len|max-model-len|--max-model-len|vllm serve|vllm", &n);

	if (talk_any_phrase(t, "<summary|vllm-omni|vllm_omni|vllm omni"))
		return NULL;		/* a form's title; and what makes images has no keys and values */
	return at && !clause_passes_by(t, at) && !clause_works(talk_clause(t, at, n)) && !talk_any_whole(talk_clause(t, at, n), "successfully able whereas") && !talk_any_phrase(t, "vllm can host|vllm can serve|vllm hosts") ? at : NULL;
}

#define QUANTIZES	"when quantize|when quantizing|while quantizing|during quantization|during the quantization|when i quantize|when i try to quantize|when i tried to quantize|trying to quantize|try to quantize|tried to quantize|"	\
    "quantization process|quantizing the model|quantize the model|quantizing a model|quantize a model"

#define QUANTIZES_CHINESE	"量化时|量化的时候|量化过程|量化中|进行量化|做量化|量化到|awq量化|gptq量化|AWQ量化|GPTQ量化|量化模型时|量化模型的时候|量化llama|量化qwen|量化大模型|量化稍大|量化较大|量化模型爆|量化模型显存|量化报错|量化爆"

/* "OOM when quantizing LLaMA 7B"; not vectors, not training with it, nor what needs no samples. */
static const char *
quantizes(struct talk t)
{
	const char *at = talk_any_phrase(t, "quantiz") ? clause_says(t, QUANTIZES, AHEAD | BEHIND | WORKS, "gguf ggml bitsandbytes bnb load_in_8bit load_in_4bit vector vectors product codebook faiss vq qat aware") : NULL;

	if (!at && (at = talk_first(t, QUANTIZES_CHINESE)))
		return talk_any_phrase(t, "吗|?|？|量化后|量化版|量化感知|量化训练|向量量化|乘积量化|没有问题|没问题|正常|成功") ? NULL : at;
	return at && !talk_any_phrase(t, "quantization-aware|quantization aware|llama.cpp|llama-quantize|vector quantization|product quantization|bitsandbytes") ? at : NULL;
}

/* "OOM during graph capture", "it crashes while capturing CUDA graphs" */
static const char *
captures(struct talk t)
{
	const char *at = talk_any_phrase(t, "cuda graph|cuda-graph|cudagraph|graph capture|graph capturing") ? clause_says(t, "during graph capture|during cuda graph capture|during cuda-graph capture|during the graph capture|during capture|while capturing|when capturing|capturing cuda graph|capturing the cuda graph|"
	    "capture cuda graph|cuda graph capture|graph capture oom|graph capturing", AHEAD | WORKS, "") : NULL;

	return at && !talk_any_whole(talk_sentence(t, at), "screen camera video") ? at : NULL;
}

#define NO_DEVICE	"not cuda oom|not a cuda oom|not gpu oom|not a gpu oom|not cuda out of memory|not the gpu memory|not gpu memory|not the gpu's memory|not vram|isn't cuda oom"

/* "It is no CUDA OOM", "the OOM is not CUDA's": whose memory it was, told by whose it was not. */
static void
denies_device(struct oom_paste *p, struct talk t)
{
	if (!talk_has_whole(t, NO_DEVICE) || !p->told.what || memchr(t.s, '?', t.n))
		return;
	p->told.host = true;
	p->told.device = false;
}

#define EACH_PROCESS	"each process|every process|each rank|every rank|each gpu|every gpu|each worker|every worker|all processes|per process|per rank|each replica|to other processes|to the other processes|to the processes"

#define EACH_CHINESE	"每个进程|每一个进程|个进程都|个进程 都|进程都会|每个rank|每张卡都会|每个worker"
#define READ_CHINESE	"加载|读取|读入|载入|复制|拷贝"
#define WHOLE_CHINESE	"数据|state_dict|state dict|权重|模型|checkpoint|参数"

/* "Each process gets a replica of the data", "loads all of the data": as many of them as
 * processes. */
static const char *
copies_data(struct talk t)
{
	size_t n;
	const char *at = talk_first(t, EACH_CHINESE);
	struct talk sentence;

	if (at)
		return talk_any_phrase(t, WHOLE_CHINESE) && talk_any_phrase(t, READ_CHINESE) && !talk_any_phrase(t, "共享|避免|只加载|不会") ? at : NULL;
	at = talk_find_whole(t, EACH_PROCESS, &n);
	sentence = at ? talk_sentence(t, at) : t;
	if (!at || !(talk_any_whole(sentence, "data dataset datasets dataframe dataframes features corpus embeddings csv file images matrix matrices array arrays table tables dict dictionary list object") || ((talk_any_whole(sentence, "state_dict weights checkpoint") || (talk_any_whole(sentence, "model") && talk_any_whole(sentence, "loads reads"))) && !talk_any_begins(sentence, "gpu vram card cuda device"))) || memchr(sentence.s, '?', sentence.n))
		return NULL;
	if (talk_any_whole(sentence, "not no without instead avoid avoids once shared loader loaders part parts shard shards subset portion chunk slice map maps mapped"))
		return NULL;
	return talk_any_whole(sentence, "copy copies copying pickling replica replicas replicated duplicated duplicate duplicates") ||
	    (talk_any_whole(sentence, "loads reads holds keeps has own") && talk_any_whole(sentence, "whole entire full all complete")) ? at : NULL;
}

#define ONLY_LONG	"long videos only|long files only|long texts only|long sequences only|long inputs only|only long videos|only with long videos|only with long texts|only with long inputs|" \
    "only with long sequences|only with long files|only on long videos|only on long sequences|only on long inputs|only for long videos|only for long sequences|only for long inputs|" \
    "only happens on big files|only happen on big files|only happens on large files|only happens with big files|only happens with large files|only happens with long files|only on big files|only on large files|only with big files|only with large files|" \
    "issue arises with audio files|hitting a wall with some large files"

/* "Long videos only", of what fails. */
static const char *
only_long(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, ONLY_LONG, &n);
	struct talk clause = at ? talk_clause(t, at, n) : t;

	return at && !talk_any_whole(talk_part(t, clause.s, at), "not no also too works work runs fine good") && !talk_has_whole(clause, "n't") ? at : NULL;
}

/* "4k videos" may be four thousand of them. */
#define OF_FRAMES	"is 4k|is 8k|are 4k|are 8k|in 4k|in 8k|at 4k|at 8k|4k resolution|8k resolution|1080p|1440p|2160p"

/* "The resolution of my video is 4k." */
static const char *
own_resolution(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, OF_FRAMES, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && talk_any_whole(sentence, "my our this resolution input inputs") && talk_any_whole(sentence, "video videos image images frames pictures photos clip clips") &&
	    !talk_any_whole(sentence, "screen monitor display desktop if could would should want even or lower") && !memchr(sentence.s, '?', sentence.n) && !clause_works(sentence) ? at : NULL;
}

#define NO_GRADIENTS	"no no_grad|not no_grad|no torch.no_grad|not torch.no_grad|without torch.no_grad|without no_grad|without with torch.no_grad|missing torch.no_grad|missing no_grad|missing the no_grad|lacks torch.no_grad|lacks no_grad|" \
    "forgot torch.no_grad|forgot no_grad|forgot to use torch.no_grad|forgot to add torch.no_grad|not in torch.no_grad|not under torch.no_grad|not wrapped in torch.no_grad|not wrapped by torch.no_grad|not wrapped with torch.no_grad|" \
    "should be wrapped in torch.no_grad|should be in torch.no_grad|should add torch.no_grad|should add with torch.no_grad|should add \"with torch.no_grad|should add `with torch.no_grad|should add `torch.no_grad|needs torch.no_grad|need torch.no_grad|" \
    "gradient is preserved during|gradients are preserved during|gradient is kept during|gradients are kept during|gradients are saved during|gradients are computed during|" OOM_NO_GRADIENTS

#define UNGRADED_CHINESE	"没有加|没加|忘了加|忘记加|忘加|没有用|没用|没有使用|未加|未使用|缺少"

/* "There is no no_grad around the inference script." */
static const char *
records_gradients(struct talk t)
{
	size_t n;
	const char *at = talk_any_phrase(t, "no_grad") ? talk_first(t, UNGRADED_CHINESE) : NULL;
	struct talk sentence;

	if (at)
		return talk_any_phrase(t, "吗|?|？|是不是|如果") ? NULL : at;
	at = talk_find_whole(t, NO_GRADIENTS, &n);
	sentence = at ? talk_sentence(t, at) : t;
	return at && !talk_any_whole(talk_part(sentence, sentence.s, at), "even if pass passes") && !clause_works(sentence) && !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define DIFFERENCE	"only difference|the difference is|difference is only|differ only|differs only"

/* "The only difference between the sample video and mine is their duration." */
static const char *
differs_in(struct talk t, const char *words)
{
	size_t n;
	const char *at = talk_find_whole(t, DIFFERENCE, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && talk_any_whole(talk_part(sentence, at, sentence.s + sentence.n), words) && !talk_any_whole(sentence, "not no same gpu gpus card cards machine version versions") && !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define TOO_LARGE_FOR	"too big for my gpu|too large for my gpu|too big for the gpu|too large for the gpu|too big for my card|too large for my card|too big for gpu|too large for gpu"

/* "The frames might be too big for my GPU." */
static const char *
pictures_too_large(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, TOO_LARGE_FOR, &n);
	struct talk clause = at ? talk_clause(t, at, n) : t;

	return at && talk_any_whole(talk_part(clause, clause.s, at), "frame frames image images picture pictures photo photos resolution pixels crop crops tile tiles") &&
	    !talk_any_whole(clause, "not no model network batch than if") && !talk_has_whole(clause, "n't") && !memchr(clause.s, '?', clause.n) ? at : NULL;
}

#define LEAST_MACHINE	8	/* GB that a small machine has at most */
#define BOARDS		"raspberry pi|raspberrypi|rpi|pi 3|pi 4|pi zero|orange pi|odroid|nvidia nano|t2.micro|t2.small|t3.micro|e2-micro|f1-micro"

/* Between a machine and an amount these make it another's. */
#define OF_ANOTHER	"but different another other whereas while unlike locally"

/* "On my laptop (with 8GB of RAM) this runs without issue": where it does not fail. */
static bool
has_no_trouble(struct talk sentence)
{
	return (clause_works(sentence) || talk_has_whole(sentence, "without issue|without issues|without any issue|without any issues|without problem|without problems|without any problem|without any problems|without error|without errors")) &&
	    !oom_short_fails(sentence) && !clause_names_failure(sentence);
}

#define MOST_RAM	32	/* GB of a machine's memory that a run may well need more than */
#define CARDS		"gpu gpus vram card cards graphics nvidia geforce gtx rtx rx radeon titan tesla quadro cuda v100 a100 k80 p100 t4 xpu npu tpu hbm"
/* Ahead of an amount: of what is taken, or needed. */
#define IS_TAKEN	"use uses used using take takes took taken taking consume consumes consumed consuming eat eats ate eating need needs needed require requires required allocate allocates allocated than least to over reaches reached " \
    "exceeds exceed hits hit at fills filled occupies occupied reserve reserved extra another additional more costs cost until limit"
#define NEAR_AMOUNT	3	/* words from an amount to what it is of */

#define RAM_CHINESE	"内存|运行内存|ram|运存"

/* "电脑只有16G内存", "服务器内存32G": the same in Chinese. */
static const char *
ram_in_chinese(struct talk t)
{
	const char *s, *to, *end = t.s + t.n, *unit;
	int64_t count;

	if (!talk_any_phrase(t, "电脑|机器|服务器|笔记本|主机|本机|我的|台式机|只有") || talk_any_phrase(t, "显存|需要|至少|占用|占了|用了|？|?|吗|虚拟内存"))
		return NULL;
	for (s = t.s; s < end; s = to > s ? to : s + 1) {
		to = s + 1;
		if (!is_digit(*s) || (s > t.s && (piece_is_word(s[-1]) || s[-1] == '.')) || !(to = piece_number(s, end, &count)) || count < 1 || count > MOST_RAM)
			continue;
		unit = piece_past_blanks(to, end);
		if (unit == end || lower(*unit) != 'g')
			continue;
		for (unit++; unit < end && (lower(*unit) == 'b' || *unit == ' ' || memcmp(unit, "的", (size_t)(end - unit) < 3 ? 1 : 3) == 0); unit += lower(*unit) == 'b' || *unit == ' ' ? 1 : 3)
			;
		if (talk_first(talk_part(t, unit, end), RAM_CHINESE) == unit || (s - t.s >= 6 && talk_first(talk_part(t, s - 6, s), RAM_CHINESE) == s - 6) ||
		    (s - t.s >= 9 && talk_first(talk_part(t, s - 9, s), "内存是|内存有|内存只|内存为|内存：") == s - 9))
			return s;
	}
	return NULL;
}

#define OF_LIMIT	"limits.memory|memory limit|memory limits|limit of memory|内存限制|内存上限|limits: memory|mem limit|mem_limit"
#define LIMIT_WITHIN	28	/* bytes to how much that is */

/* "limits.memory is 2Gi": what a container may have. */
static const char *
limit_told(struct talk t)
{
	const char *at = NULL, *s, *to, *end;
	struct talk near;
	int64_t count;
	size_t n;

	while (talk_next_phrase(t, OF_LIMIT, &at, &n)) {
		near = talk_head(t, at + n, LIMIT_WITHIN);
		for (s = near.s, end = near.s + near.n; s < end && !is_digit(*s); s++)
			;
		if (s < end && (to = piece_number(s, end, &count)) && count >= 1 && count <= MOST_RAM && to < end && lower(*piece_past_blanks(to, end)) == 'g' && !talk_any_phrase(t, "gpu|cuda|increase|raise|？|?|吗"))
			return at;
	}
	return NULL;
}

#define MACHINE_NAMES	"laptop laptops pc computer notebook macbook mac imac desktop workstation server vm vps droplet machine instance box"
#define CARD_WITHIN	3	/* words ahead of an amount */

/* "a Ryzen 8GB laptop", and not "a GTX 1070 8GB laptop": an amount right ahead of a machine's name
 * is of its memory. */
static bool
is_of_machine(struct talk sentence, const char *amount, struct talk unit)
{
	struct talk word = clause_word_ahead(sentence, amount);
	int i;

	if (!talk_is_one_of(clause_word_behind(sentence, unit.s + unit.n), MACHINE_NAMES))
		return false;
	for (i = 0; i < CARD_WITHIN && word.n > 0; i++, word = clause_word_ahead(sentence, word.s))
		if (talk_is_one_of(word, CARDS " swap disk ssd"))
			return false;
	return true;
}

/* "I have 16 GB of RAM", "a MacBook with 16Gb RAM": what a machine has, and not what is taken of
 * it. */
static const char *
ram_of_machine(struct talk t)
{
	const char *s, *to, *end = t.s + t.n;
	struct talk sentence, word, unit;
	int64_t count;
	int i;

	if ((s = limit_told(t)) || (s = ram_in_chinese(t)))
		return s;
	for (s = talk_any_whole(t, "ram memory " MACHINE_NAMES) ? t.s : end; s < end; s = to > s ? to : s + 1) {
		to = s + 1;
		if (!is_digit(*s) || (s > t.s && (piece_is_word(s[-1]) || memchr(".-/~<>", s[-1], 6))) || !(to = piece_number(s, end, &count)) || count < 1 || count > MOST_RAM)
			continue;
		if (to + 1 < end && *to == '.' && is_digit(to[1]))	/* "15.6 GB" */
			to = piece_number(to + 1, end, &count);
		unit = clause_word_behind(t, to);
		if (unit.s - to > 1 || !talk_is_one_of(unit, "gb gib g gig gigs gbs"))
			continue;
		for (i = 0, word = clause_word_behind(t, unit.s + unit.n); i < NEAR_AMOUNT && word.n > 0 && !talk_is_one_of(word, "ram memory"); i++, word = clause_word_behind(t, word.s + word.n))
			;
		sentence = talk_sentence(t, s);
		if (is_of_machine(sentence, s, unit) && !talk_any_whole(clause_word_ahead(t, s), IS_TAKEN) && !talk_any_whole(sentence, "if should would could not no need needs require requires " OF_ANOTHER) &&
		    !has_no_trouble(sentence) && !memchr(sentence.s, '?', sentence.n))
			return s;
		if (i < NEAR_AMOUNT && talk_is_one_of(word, "ram memory") && talk_holds(sentence, word.s) && !talk_any_whole(clause_word_ahead(t, s), IS_TAKEN) && !talk_any_whole(sentence, CARDS " if should would could not no swap disk ssd " OF_ANOTHER) &&
		    !has_no_trouble(sentence) && !memchr(sentence.s, '?', sentence.n) && (talk_has_whole(sentence, "i have|i've|we have|i got|with") ||
		    talk_any_whole(sentence, "my machine laptop pc computer server node desktop notebook workstation ubuntu windows macbook mac system specs instance vm kaggle colab sagemaker codespace")))
			return s;
	}
	return NULL;
}

/* "on a VM with 4GB of memory", "on a Raspberry Pi": a machine that has little. */
static const char *
small_machine(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, BOARDS, &n), *s, *to, *end;
	struct talk sentence;
	int64_t count;

	if (at && !talk_any_whole(talk_sentence(t, at), "not no than like unlike instead such should would could ssh client remote remotely server cluster connect connected connecting terminal vnc deploy deployed later") && !memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n))
		return at;
	if (!(at = talk_find_whole(t, "vm|vps|virtual machine|droplet|my container|the container|our container|a container|the pod|my pod|each pod|a pod|my instance|ec2 instance|my laptop|my pc|my computer|my machine|this machine|my server", &n)))
		return ram_of_machine(t);
	sentence = talk_sentence(t, at);
	if (has_no_trouble(sentence) || talk_any_whole(sentence, "gpu vram card graphics if should would not no swap disk storage ssd need needs") || memchr(sentence.s, '?', sentence.n))
		return ram_of_machine(t);
	for (s = sentence.s, end = sentence.s + sentence.n; s < end; s++) {
		if (!is_digit(*s) || (s > sentence.s && (piece_is_word(s[-1]) || s[-1] == '.')) || !(to = piece_number(s, end, &count)))
			continue;
		if (talk_any_whole(s < at ? talk_part(sentence, s, at) : talk_part(sentence, at, s), OF_ANOTHER))
			return NULL;
		if (count >= 1 && count <= LEAST_MACHINE && talk_is_one_of(clause_word_behind(t, to), "gb gib gi g gigs") &&
		    (talk_any_whole(talk_part(sentence, to, end), "ram memory") || talk_has_whole(talk_part(sentence, sentence.s, s), "memory limit|limit of memory|memory limits")))
			return at;
		s = to - 1;
	}
	return ram_of_machine(t);
}

#define SWAP_WITHIN	5	/* words from "adding" to "swap" */
#define SWAP_CHINESE	"加了swap|增加swap|增加了swap|加大swap|调大swap|加大虚拟内存|加大了虚拟内存|增大虚拟内存|增大了虚拟内存|调大虚拟内存|调大了虚拟内存|扩大虚拟内存|扩大了虚拟内存|设置虚拟内存|设置了虚拟内存|增加虚拟内存|增加了虚拟内存"
#define MORE_SWAP	"increased the swap|increasing the swap|increased my swap|increasing my swap|increased swap|increasing swap|added swap|added a swap|adding swap|adding a swap|created a swap|creating a swap|larger swap|bigger swap|more swap|" \
    "increased the page file|increasing the page file|increased the pagefile|increasing the pagefile|increased my page file|larger page file|increased virtual memory|increased the virtual memory|increasing the virtual memory"

/* Does a line say behind N bytes at AT, of more swap, that it runs with that? Then AT. */
static const char *
swap_runs(struct talk t, const char *at, size_t n)
{
	struct talk sentence = talk_sentence(t, at), next = talk_sentence(t, sentence.s + sentence.n + 2 < t.s + t.n ? sentence.s + sentence.n + 2 : t.s + t.n - 1);
	struct talk rest = talk_part(t, at + n, next.s + next.n > at + n ? next.s + next.n : t.s + t.n);

	return (clause_works(rest) || talk_any_whole(rest, "loaded solved helped fixed trick finished finishes completes completed succeeds succeeded")) &&
	    !talk_any_whole(talk_part(t, sentence.s, at), "if should would could try not") && !talk_any_whole(rest, "still not never") && !talk_has_whole(rest, "n't work|n't help|n't solve|n't fix") ? at : NULL;
}

/* "adding 64 GB of swap": where that is, and its length. */
static const char *
adds_swap(struct talk t, size_t *n)
{
	struct talk rest, word, clause;
	const char *at;
	size_t length;
	int i;

	for (rest = t; (at = talk_find_whole(rest, "adding|added|add|with|created|creating|enabling|enabled", &length)); rest = talk_part(t, at + length, t.s + t.n)) {
		clause = talk_clause(t, at, length);
		for (i = 0, word = clause_word_behind(clause, at + length); i < SWAP_WITHIN && word.n > 0; i++, word = clause_word_behind(clause, word.s + word.n))
			if (talk_is_one_of(word, "swap swapfile pagefile") && (i > 0 || !talk_is_one_of(talk_part(t, at, at + length), "with"))) {
				*n = (size_t)(word.s + word.n - at);
				return at;
			}
	}
	return NULL;
}

/* "I increased the swap. Now it is loaded." */
static const char *
swap_helped(struct talk t)
{
	size_t n;
	const char *at = talk_first(t, SWAP_CHINESE);

	if (at)
		return talk_any_phrase(talk_part(t, at, t.s + t.n), "就好|才能|才行|解决|可以|成功|不报错|正常") && !talk_any_phrase(t, "没用|无效|不行|还是|仍然|依然|吗|？|?|不可以|不能") ? at : NULL;
	at = talk_find_whole(t, MORE_SWAP, &n);
	at = at ? at : adds_swap(t, &n);
	return at ? swap_runs(t, at, n) : NULL;
}

#define PROCESSES	"dependent on the number of processes|depends on the number of processes|number of processes per gpu|processes share the gpu|processes share one gpu|processes on the same gpu|processes on one gpu|processes on a single gpu|" \
    "certain number of processes|reducing the number of processes|reduced the number of processes|fewer processes|less processes|too many processes|number of parallel processes|number of running jobs|" \
    "ranks on one gpu|ranks on a single gpu|ranks on the same gpu|ranks per gpu|processes per gpu|processes on each gpu|processes share a gpu|processes load their own|process loads its own"
/* The same of a server's workers, where a loader's have no model. */
#define OF_SERVER	"worker loads its own|workers load their own|each worker loads|every worker loads|worker loads a copy|worker has its own|workers have their own|worker loads the model|workers load the model|workers on one gpu|workers on the same gpu|workers share the gpu"

/* "It depends on the number of processes": all of which use the device. */
static const char *
shares_device(struct talk t)
{
	size_t n;
	struct talk sentence;
	const char *at = talk_any_phrase(t, "显存|gpu|显卡") && talk_any_phrase(t, "模型") && talk_any_phrase(t, READ_CHINESE) && !talk_any_phrase(t, "吗|？|?|共享|避免|不会|内存") ? talk_first(t, EACH_CHINESE) : NULL;

	if (at)
		return at;
	at = talk_find_whole(t, OF_SERVER, &n);
	sentence = at ? talk_sentence(t, at) : t;

	if (at && talk_any_whole(sentence, "model models") && talk_any_whole(sentence, "gpu gpus vram cuda") && !talk_any_begins(sentence, "dataloader num_worker") && !talk_any_whole(sentence, "not no if should instead"))
		return at;
	at = talk_find_whole(t, PROCESSES, &n);
	sentence = at ? talk_sentence(t, at) : t;

	return at && !talk_any_whole(sentence, "not no dataloader loader worker workers num_workers") && !talk_has_whole(sentence, "n't") && !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

static const char *
differs_in_length(struct talk t)
{
	return differs_in(t, "duration length durations lengths frames longer");
}

static const char *
differs_in_pixels(struct talk t)
{
	return differs_in(t, "resolution resolutions pixels");
}

/* What people tell of: where the line has words of CHINESE, and none of UNLESS, by which it is
 * asked or denied; or WORDS, *N bytes of them, in a sentence that is no question. Of Chinese words
 * *N is 0: there is no more to look at. */
static const char *
is_told(struct talk t, const char *chinese, const char *unless, const char *words, size_t *n)
{
	const char *at = talk_first(t, chinese);

	*n = 0;
	if (at)
		return talk_any_phrase(t, unless) ? NULL : at;
	at = talk_find_whole(t, words, n);
	return at && clause_is_question(talk_sentence(t, at)) ? NULL : at;
}

#define WIDE		"without torch_dtype|forgot torch_dtype|forgot the torch_dtype|forgot to set torch_dtype|forgot to pass torch_dtype|missing torch_dtype|no torch_dtype|not set torch_dtype|n't set torch_dtype|not pass torch_dtype|n't pass torch_dtype|without specifying torch_dtype|" \
    "without setting torch_dtype|without passing torch_dtype|loaded in float32|loaded in fp32|loads in float32|loads in fp32|loading in float32|loading in fp32|loaded as float32|loaded as fp32|loads as float32|load in fp32|load in float32|loads the model in fp32|" \
    "loads the model in float32|loading the model in fp32|loading the model in float32|model in full precision|model in float32|model in fp32|weights in float32|weights in fp32|defaults to float32|default to float32|defaults to fp32"
#define WIDE_CHINESE	"用fp32加载|以fp32加载|用float32加载|以float32加载|fp32精度加载|float32精度加载|默认fp32|默认float32|默认是fp32|默认是float32|默认用fp32|全精度加载|没有设置torch_dtype|没设置torch_dtype|没有指定torch_dtype|没指定torch_dtype|没加torch_dtype|忘了torch_dtype"

/* "It was loaded in float32, as I forgot torch_dtype": told of what failed, and neither asked nor
 * denied. */
static const char *
reads_wide(struct talk t)
{
	size_t n;
	const char *at = is_told(t, WIDE_CHINESE, "吗|?|？|是不是|如果|不是", WIDE, &n);
	struct talk clause;

	if (!at || n == 0)
		return at;
	clause = talk_clause(t, at, n);
	return clause_works(clause) || talk_any_whole(clause, "if would should could instead unlike never even master cpu then works whether") || talk_any_whole(talk_part(t, clause.s, at), "not no n't") || talk_has_whole(talk_part(t, clause.s, at), "n't") ? NULL : at;
}

#define ATTACHED	"forgot to detach|forgot detach|forgot .detach|forgot the detach|forgot to call detach|not detached|n't detached|not detach|n't detach|without detach|without detaching|without .detach|not detaching|n't detaching|missing detach|missing .detach|" \
    "without .item()|forgot .item()|forgot to use .item()|forgot item()|not use .item()|n't use .item()|not using .item()|n't using .item()|instead of loss.item()|not loss.item()|missing .item()|forgot loss.item()"
#define ATTACHED_CHINESE	"没有detach|没detach|忘了detach|忘记detach|未detach|没有加detach|没加detach|没有用detach|没有.detach|没有加.item|没加.item|忘了.item|没用.item|没有用.item|没有item()"

#define HOLDS_GRAPH	"holding on to the graph|holding onto the graph|holds on to the graph|holds onto the graph|sum of non-detached|non-detached tensors|non-detached loss|undetached|stores the complete computation graph|store the complete computation graph|stores the whole computation graph|store the whole computation graph|" \
    "complete compution graph|keeps the computation graph|keeps the computational graph|keep the computation graph|keeps the whole graph|keep the whole graph|keeps the graph alive|retains the computation graph|carries the computation graph|entire computation graph|whole computation graph|loss is not detached|losses are not detached|actual losses are|graph of the loss is kept"
#define LETS_GO		".detach()|detach()|.detach|loss.item()|.item()|detaching the loss|detach the loss|detaching them|detaching it"
#define ENDED_LEAK	"solves|solved|solving|fixes|fixed|fix|prevents|prevented|stops|stopped|stoped|resolves|resolved|helped|sufficient to change|no longer grows|no more leak|goes away|went away"

/* "Changing it to loss.item() prevents it", "for solving it I used .detach()": what was held is
 * told by what let go of it. */
static const char *
lets_go(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, HOLDS_GRAPH, &n);

	if (at)
		return clause_says_no(talk_part(t, talk_clause(t, at, n).s, at), "") || clause_is_question(talk_sentence(t, at)) ? NULL : at;
	at = talk_first(t, LETS_GO);
	return at && talk_has_whole(talk_sentence(t, at), ENDED_LEAK) && !talk_any_whole(talk_sentence(t, at), "not never didn't doesn't tried still should would could if even no") && !talk_any_phrase(talk_sentence(t, at), "n't ") && !clause_is_question(talk_sentence(t, at)) ? at : NULL;
}

/* "I appended outputs to a list without detach": told of what one did, and neither asked nor
 * advised. */
static const char *
keeps_graph(struct talk t)
{
	size_t n;
	const char *at = lets_go(t);

	if (at)
		return at;
	at = is_told(t, ATTACHED_CHINESE, "吗|?|？|是不是|如果|应该", ATTACHED, &n);

	return at && n > 0 && (talk_any_whole(talk_sentence(t, at), "if should would could might maybe must even") || clause_works(talk_clause(t, at, n))) ? NULL : at;
}

#define PART_TOO_LARGE	"encoder alone does not fit|encoder alone doesn't fit|model alone does not fit|model alone doesn't fit|weights alone do not fit|weights alone don't fit|weights alone are more than|weights alone exceed|model alone exceeds|transformer alone does not fit|transformer alone doesn't fit|" \
    "model itself does not fit|model itself doesn't fit"
#define MODEL_TOO_LARGE	PART_TOO_LARGE "|model is too big for|model is too large for|model is simply too big|model is just too big|model too big for|model too large for|model does not fit|model doesn't fit|model won't fit|model will not fit|model can't fit|model cannot fit|model didn't fit|" \
    "model did not fit|weights do not fit|weights don't fit|weights cannot fit|weights can't fit|weights are too large for|weights are too big for|unable to fit the model|can't fit the model|cannot fit the model|couldn't fit the model|could not fit the model"
#define TOO_LARGE_CHINESE	"模型太大|模型过大|模型放不下|单卡放不下|一张卡放不下|显存放不下|放不下整个模型|放不下这个模型"

/* "The model is too big for my GPU": told of what failed. */
static const char *
is_too_large(struct talk t)
{
	size_t n;
	const char *at = is_told(t, TOO_LARGE_CHINESE, "吗|?|？|是不是|如果|不是因为|不是模型", MODEL_TOO_LARGE, &n);

	return at && n > 0 && talk_any_whole(talk_sentence(t, at), "if should would could might maybe think thought whether cpu ram disk when larger bigger") ? NULL : at;
}

#define GROWTH_NAMES	"memory_growth|set_memory_growth|allow_growth|memory growth|allow growth|tf_force_gpu_allow_growth|set_memory_growth()"
#define ONLY_WITH	"n't work without|not work without|n't run without|not run without|n't train without|fails without|fail without|failed without|crashes without|crash without|oom without|error without|errors without|" \
    "only works with|works only with|work only with|only runs with|runs only with|only works if|only works when|works only if|works only when"

/* "It does not work without memory_growth": TensorFlow's own share of the device is what fills
 * it. */
static const char *
runs_by_growth(struct talk t)
{
	size_t n, m;
	const char *at = talk_find_whole(t, ONLY_WITH, &n), *name = at ? talk_find_whole(talk_part(t, at + n, t.s + t.n), GROWTH_NAMES, &m) : NULL;
	struct talk clause = at ? talk_clause(t, at, n) : t;

	return name && name < clause.s + clause.n && !clause_is_question(talk_sentence(t, at)) && !talk_any_whole(clause, "if should would could might") ? at : NULL;
}

#define BY_LENGTH	"due to a large context|due to a long context|due to huge context|due to big context|due to large context|due to the large context|due to long context|due to the long context|due to context length|due to the context length|because of the context length|because of large context|because of the large context|because of long context|because of the long context|" \
    "caused by large context|caused by the large context|caused by long context|caused by the long context|due to long sequences|due to the long sequences|because of long sequences|because of the long sequences|due to long prompts|due to the long prompt|because of the long prompt|because of long prompts|" \
    "due to sequence length|due to the sequence length|because of the sequence length|because of sequence length"
#define BY_LENGTH_CHINESE "上下文太长导致|上下文过长导致|上下文长度过大导致|上下文长度太大导致|序列太长导致|序列过长导致|文本太长导致|文本过长导致"

/* "OOM due to large context length" */
static const char *
fails_by_length(struct talk t)
{
	size_t n;
	const char *at = is_told(t, BY_LENGTH_CHINESE, "吗|?|？|是不是|如果|不是", BY_LENGTH, &n);

	return at && oom_short_fails(talk_sentence(t, at)) && !clause_is_question(talk_sentence(t, at)) ? at : NULL;
}

#define OF_MODEL	"model checkpoint gguf safetensors weights"
#define OF_CARD		"vram gpu card"

/* The gigabytes that T says, "22gb", right ahead of one of WORDS, or of a name and that: the most
 * of them; 0: none. */
static int64_t
gigabytes_of(struct talk t, const char *words, const char **at)
{
	const char *s, *to, *end = t.s + t.n;
	struct talk unit, word;
	int64_t n, most = 0;

	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || (s > t.s && (piece_is_word(s[-1]) || s[-1] == '.')) || !(to = piece_number(s, end, &n)) || (to < end && *to == '.'))
			continue;
		unit = clause_word_behind(t, to);
		if (!talk_is_one_of(unit, "g gb gib") || unit.s - to > 1)
			continue;
		word = clause_word_behind(t, unit.s + unit.n);
		if (!talk_is_one_of(word, words) && word.n > 0 && word.s - (unit.s + unit.n) == 1)
			word = talk_is_one_of(word, OF_MODEL " " OF_CARD " ram and") ? word : clause_word_behind(t, word.s + word.n);
		if (n > most && talk_is_one_of(word, words)) {
			most = n;
			*at = s;
		}
	}
	return most;
}

/* "16g vram, trying to load a 22gb FLUX model" */
static const char *
is_more_than_card(struct talk t)
{
	const char *model = NULL, *card = NULL;
	int64_t has;

	if (!talk_any_whole(t, OF_MODEL) || !talk_any_whole(t, OF_CARD) || !talk_any_whole(t, "load loading loads run running using use") || memchr(t.s, '?', t.n))
		return NULL;
	has = gigabytes_of(t, OF_CARD, &card);
	return has > 0 && gigabytes_of(t, OF_MODEL, &model) > has && !clause_works(talk_clause(t, model, 1)) && !talk_any_whole(talk_sentence(t, model), "should would could if even") ? model : NULL;
}

/* What is said, and where that is kept: the first of each. */
static const struct {
	size_t at;	/* in struct oom_paste: a struct said */
	const char *(*find)(struct talk);
} blames[] = {
	{ offsetof(struct oom_paste, kept), kept_on_device },
	{ offsetof(struct oom_paste, version), oom_version_told },
	{ offsetof(struct oom_paste, cached), caches_data },
	{ offsetof(struct oom_paste, rays), follows_rays },
	{ offsetof(struct oom_paste, replicas), copies_data },
	{ offsetof(struct oom_paste, ungraded), records_gradients },
	{ offsetof(struct oom_paste, full_size), reads_wide },
	{ offsetof(struct oom_paste, too_large), is_too_large },
	{ offsetof(struct oom_paste, too_large), is_more_than_card },
	{ offsetof(struct oom_paste, of_length), fails_by_length },
	{ offsetof(struct oom_paste, attached), keeps_graph },
	{ offsetof(struct oom_paste, by_growth), runs_by_growth },
	{ offsetof(struct oom_paste, processes), shares_device },
	{ offsetof(struct oom_paste, media), only_long },
	{ offsetof(struct oom_paste, media), differs_in_length },
	{ offsetof(struct oom_paste, large), own_resolution },
	{ offsetof(struct oom_paste, large), differs_in_pixels },
	{ offsetof(struct oom_paste, large), pictures_too_large },
	{ offsetof(struct oom_paste, less), oom_works_told },
	{ offsetof(struct oom_paste, swapped), swap_helped },
	{ offsetof(struct oom_paste, small), small_machine },
	{ offsetof(struct oom_paste, tasks), learns_to_learn },
};

static void
note(struct said *said, struct talk t, const char *at, int line)
{
	if (at)
		said_at(said, t, at, line);
}

/* Words that stand beside the name of what runs containers where something runs in it, */
#define RUNS_THERE	"in on within inside using with via under container containers image images pod pods cluster deploy deployed deploying deployment run running runs compose desktop node nodes job jobs service services"
/* and that say that it does not, in some languages. */
#define NOT_THERE	"unrelated natively local locally outside kein keine keinen ohne sans sin sem"

/* Does the sentence at AT, or a program's line, say that it runs there? */
static bool
runs_there(struct talk t, const char *at, enum oom_source source)
{
	struct talk sentence = talk_sentence(t, at);
	bool speaks = source == SOURCE_PROSE || source == SOURCE_UNSURE || source == SOURCE_COMMENT;

	return !clause_says_no(sentence, NOT_THERE) && !clause_is_question(sentence) && (!speaks || talk_any_whole(sentence, RUNS_THERE));
}

#define NODES		"**node type:**|node type:|error occurred when executing"

/* "Node Type: CheckpointLoaderSimple": which of its nodes ComfyUI says has failed. What loads takes
 * its word from that name, as what decodes does. */
static void
node_named(struct oom_paste *p, struct talk t, int line)
{
	const char *at = talk_first(t, NODES), *s, *end = t.s + t.n;
	struct talk name;

	if (!at)
		return;
	for (s = at; s < end && *s != ':' && !(end - s > 10 && memcmp(s, "executing ", 10) == 0); s++)
		;
	s = s < end && *s == ':' ? s + 1 : s + 10;
	while (s < end && memchr(" *`", *s, 3))
		s++;
	for (at = s; s < end && piece_is_word(*s); s++)
		;
	name = talk_part(t, at, s);
	if (!p->decoder.line && talk_any_of(name, "vaedecode hyvideodecode wanvideodecode decodevae decodevideo videodecode vae_decode"))
		said_at(&p->decoder, t, at, line);
	else if (!p->loading.line && talk_any_of(name, "loader loadmodel loadcheckpoint"))
		said_at(&p->loading, t, at, line);
}

void
oom_blame_line(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;
	size_t i, n;

	if (!p->kubernetes && (at = talk_find_whole(t, "kubernetes|kubectl|k8s|kube|kubelet|kubeflow|gke", &n)) && runs_there(t, at, source))
		p->kubernetes = line;
	if (!p->kubernetes && talk_any_whole(t, "pod pods") && talk_has_whole(t, "oomkilled|oom-killed|oom killed|oom kill|oomkill|evicted|namespace|memory limit") && source != SOURCE_CODE) {
		p->kubernetes = line;
		p->pods = true;
	}
	if (!p->docker && ((talk_any_phrase(t, "docker") && talk_any_phrase(t, "exited with code 137")) || (source == SOURCE_COMMAND && talk_any_phrase(t, "docker run |docker exec |docker-compose run |docker compose run "))))
		p->docker = line;		/* a container's name, as Compose writes it */
	if (talk_any_phrase(t, "oomkilled:false|oomkilled: false|oomkilled\":false|oomkilled\": false|oomkilled=false|oomkilled = false|oomkilled is false|oomkilled was false|oomkilled to false"))
		p->spared = line;
	if (talk_any_phrase(t, "dataloader|data loader|data_loader|num_workers|torch/utils/data|torch\\utils\\data|loader worker|loader process"))
		p->loader = line;
	node_named(p, t, line);
	if (!p->server.line && !p->training && (at = talk_first(t, "-m vllm.entrypoints|vllm serve |vllm/vllm-openai|= LLM(model=|=LLM(model=|vllm.LLM(|--gpu-memory-utilization|vllm api server version|initializing an llm engine (v|initializing an llm engine with config|initializing a v1 llm engine|initializing a v0 llm engine")))
		said_at(&p->server, t, at, line);
	if (source == SOURCE_CODE && !p->tasks.line)
		note(&p->tasks, t, talk_first(t, "innerloop_ctx("), line);
	if (source != SOURCE_PROSE && source != SOURCE_UNSURE && source != SOURCE_COMMENT)
		return;
	for (i = 0; i < sizeof(blames) / sizeof(*blames); i++) {
		struct said *said = (struct said *)((char *)p + blames[i].at);

		if (!said->line)
			note(said, t, blames[i].find(t), line);
	}
	if ((at = talk_find_whole(t, "coincidence|coincidental", &n)) && !clause_denies(t, at, n) && talk_any_whole(talk_sentence(t, at), "version versions worked works upgrade update upgrading updating"))
		p->version = (struct said){ 0 };	/* "that 0.4 worked is a coincidence" */
	denies_device(p, t);
	if (!p->saved.line && (at = saves_results(t)) && oom_told_is_of_failure(&p->told, t, at, line))
		said_at(&p->saved, t, at, line);
	if (!p->captures.line && (at = captures(t)) && oom_told_is_of_failure(&p->told, t, at, line))
		said_at(&p->captures, t, at, line);
	if (!p->quantizes.line && (at = quantizes(t)) && oom_told_is_of_failure(&p->told, t, at, line))
		said_at(&p->quantizes, t, at, line);
	if (!p->server.line && !p->training)
		note(&p->server, t, serves(t), line);
	if (!p->docker && (at = talk_find_whole(t, "docker|dockerfile|docker-compose", &n)) && runs_there(t, at, source))
		p->docker = line;
}
