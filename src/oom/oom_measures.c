/* A row a measure: by which lines one sees that it is in use, and how people call it. */
#include "oom/oom_measures.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_devices.h"
#include "oom/oom_fares.h"
#include "oom/oom_given.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"

#define YES		"true yes on 1"
#define ARGUMENTS	"commandline_args="	/* of Stable Diffusion's web UI, in its settings */

enum tells {
	IN_VAIN_ALONE,		/* that it was in vain, and not that it is in use, which may be of less */
	OR_IN_USE,		/* either; */
	AS_NAMED,		/* that, or as it is named without being asked for, planned or advised; */
	OF_NUMBERS		/* it has a number: of one that is given, less is left to be tried */
};

static const struct {
	const char *by;		/* its sign (oom_world.h) */
	const char *settings, *values;	/* names, and what one is set to by which it is in use; NULL: none */
	const char *shown;	/* phrases of code, commands and programs' output that show it; NULL: none */
	const char *called;	/* what people call it, in whole words, */
	const char *abroad;	/* and in other languages; NULL: not known */
	enum tells tells;	/* what people say of it that counts */
	const char *least;	/* numbers in words, of which none is less; NULL: it has none */
} rows[] = {
	{ BY_BATCH, "batch_size|batch-size|batchsize|--batch|-b|per_device_train_batch_size|per-device-train-batch-size|train_batch_size|micro_batch_size|train_micro_batch_size_per_gpu|"
	    "per_gpu_train_batch_size|batch_size_per_gpu|samples_per_gpu|imgs_per_gpu|images_per_gpu|ims_per_batch|imgs_per_batch|microbatch_size|micro-batch-size|train batch size|training batch size|micro batch size", "1", NULL,
	    "batch size|batch_size|max_batch_size|batchsize|batch-size|batch sizes|batch_sizes|batch-sizes|smaller batch|smaller batches|--batch_size|--batch-size|batch number|number of batches|total_batch_size|global_batch_size|train_batch_size|mini_batch_size|minibatch size|mini-batch size|micro_batch_size|batch|batches|minibatch|mini-batch|bs|batch count|per_device_train_batch_size|samples_per_gpu|imgs_per_gpu", "batch|bs|批大小|批次|批量|批处理|バッチ|배치|батч|batchgröße|lote|taille du lot", OF_NUMBERS, "1 one" },
	{ BY_SAMPLES, NULL, NULL, NULL, "max_pixels|max pixels|--max_pixels|image size|img_size|imgsz|resolution|the res|smaller images|smaller image|smaller pictures|crop size|input size|sequence length|max_length|max_seq_length|max_seq_len|--max_seq_length|--max_length|--max_len|--max-length|max-tokens|max_tokens|--max-tokens|--max_tokens|max_model_len|max-model-len|--max-model-len|--max_model_len|max-batch-prefill-tokens|max-batch-prefill|--max-batch-prefill-tokens|max-batch-total-tokens|--max-batch-total-tokens|max_batch_prefill_tokens|max_batch_total_tokens|max-input-length|--max-input-length|shorter sequences|resized the images|resizing the images|resizing images|resizing the pictures|resize the images|resized images|resizing images|resized all images|downscaled|downscaling|downsampled|downsampling|cropping the images|cropped the images", "max_pixels|图片缩小|图像缩小|缩小图|图片调小|图片改小|图片减小|分辨率|图片尺寸|图像尺寸|图片大小|图像大小|输入尺寸|解像度|画像サイズ|해상도|이미지 크기|auflösung|resolución|resolução|résolution|разрешени|max_length|max_len|序列长度", OF_NUMBERS, "1 2 4 5 8 10 16" },
	{ BY_WORKERS, "num_workers|--workers|--num_workers|--num-workers|workers|workers_per_gpu|dataloader_num_workers|num-workers|work_num|worker_num|max_data_loader_n_workers|--max_data_loader_n_workers", "0", NULL,
	    "num_workers|num workers|number of workers|--workers|--num_workers|--num-workers|workers|workers_per_gpu|dataloader_num_workers|n_jobs|njobs", "num_workers|workers|进程数|线程数", IN_VAIN_ALONE, "0 zero" },
	{ BY_PARTS, NULL, NULL, "graphstorm.run|--fanout|neighborloader(|neighborsampler(|neighbourloader(|num_neighbors=|clusterloader(|graphsaintrandomwalksampler(|linkneighborloader(|full_graph_forward=false|full_graph=false|sampling_method='lc|sampling_method='saint|sampling_method='khop|sampling_method='clustergcn", "chunk|chunks|netchunk|ray_chunk|pts_chunk|chunk_size|chunk size|--chunk", NULL, IN_VAIN_ALONE, NULL },
	{ BY_BITS, "load_in_8bit|load_in_4bit|--load_in_8bit|--load_in_4bit|--load-in-8bit|--load-in-4bit", YES, "bnb_4bit_|--quantization bitsandbytes|--quantize ",
	    "8bit|4bit|3bit|2bit|8-bit|4-bit|3-bit|2-bit|8 bit|4 bit|3 bit|2 bit|int8|int4|load_in_8bit|load_in_4bit|qlora|quantization", "4bit|8bit|int4|int8|量化", OR_IN_USE, NULL },
	{ BY_KERNEL, NULL, NULL, "--xformers|--opt-sdp-attention|--opt-sdp-no-mem|xformers cross attention|pytorch cross attention|enable_xformers_memory_efficient_attention(|attn_implementation=\"flash|attn_implementation flash|attn_implementation='flash", "xformers|flash attention|flashattention|flash-attention|flash_attn", "xformers|flash attention|flash_attn|flashattention", OR_IN_USE, NULL },
	{ BY_OFFLOADING, "cpu_offload|--cpu_offload|--cpu-offload|--enable-cpu-offload|enable_cpu_offload|offload_optimizer|offload_param", YES, "--adam_offload|--lowvram|--novram|set vram state to: low_vram|set vram state to: no_vram|enable_model_cpu_offload(|enable_sequential_cpu_offload(|cpuoffload(|z3_offload|z2_offload|zero3_offload|zero2_offload|zero_3_offload|zero_2_offload|zero3-offload|zero2-offload|offload.json|offload_config|offload.yaml|optimizer_offload.json|param_offload.json", "lowvram|--lowvram|-lowvram|low vram mode|novram|--novram|-novram|offload|offloading|offloaded|cpu offload|cpu_offload|--enable-cpu-offload|--cpu-offload|cpu offloading", "offload", OR_IN_USE, NULL },
	{ BY_GROWTH, "allow_growth|tf_force_gpu_allow_growth", YES, "set_memory_growth(|experimental.set_memory_growth|memory_limit=|memory_limit =|set_virtual_device_configuration(|set_logical_device_configuration(|per_process_gpu_memory_fraction|"
	    "xla_python_client_preallocate=false|xla_python_client_mem_fraction", "allow_growth|memory growth|set_memory_growth|allow growth|memory_limit|gpu growth|per_process_gpu_memory_fraction|memory fraction|gpu_memory_fraction|--gpu", "allow_growth|memory_growth", OR_IN_USE, NULL },
	{ BY_TILES, "--enable_vae_tiling|vae_tiling", YES, "enable_vae_tiling(|enable_tiling(|retrying with tiled", "tile size|tile_size|tile sizes|tilesize|tiling|tiled vae|tiled decode|tiled decoding", NULL, IN_VAIN_ALONE, NULL },
	{ BY_EMPTYING, NULL, NULL, "cuda.empty_cache()|cleared via garbage collection|freed during garbage collection|freed by garbage collection|freed by the garbage collector", "empty_cache|empty cache|clear cache|clearing the cache|emptying the cache|clear the cache|gc.collect|torch.cuda.empty_cache", "empty_cache|清空缓存|清理缓存|清缓存|清空显存|清理显存", OR_IN_USE, NULL },
	{ BY_SEGMENTS, NULL, NULL, "expandable_segments:true", "expandable_segments|expandable segments", NULL, OR_IN_USE, NULL },
	{ BY_EAGER, "enforce_eager|--enforce-eager|--enforce_eager|enforce-eager|--disable-cuda-graph", YES, NULL, "enforce_eager|enforce-eager|--enforce-eager|eager mode", NULL, OR_IN_USE, NULL },
	{ BY_SHARE, NULL, NULL, NULL, "gpu_memory_utilization|gpu-memory-utilization|--gpu-memory-utilization|gpu memory utilization|mem-fraction-static|--mem-fraction-static|mem_fraction_static|mem fraction|--mem-fraction|cache_max_entry_count|--cache-max-entry-count|free_gpu_memory_fraction|kv_cache_free_gpu_mem_fraction",
	    "gpu_memory_utilization|gpu-memory-utilization|mem-fraction-static|mem_fraction_static|cache_max_entry_count|显存利用率|显存占用比例|显存比例", OF_NUMBERS, NULL },
	{ BY_SWAP, NULL, NULL, NULL, "swap|swapfile|swap file|page file|pagefile|paging file|virtual memory", "页面文件|虚拟内存|交换空间|swap|ページファイル|仮想メモリ|페이지 파일|가상 메모리|auslagerungsdatei|archivo de paginación|файл подкачки|виртуальн", IN_VAIN_ALONE, NULL },
	{ BY_ADAPTER, NULL, NULL, "lora_path|--lora_model_path|--lora_weights|--use_lora|--lora_r|--lora_rank|--lora_target", "lora|qlora", NULL, OR_IN_USE, NULL },
	{ BY_SPLITTING, NULL, NULL, "ds_z3|zero3_|zero_3_|zero3.json|zero3.yaml|zero_3.json|z3_config|z3_offload|_zero3|_z3.json|stage3.json|stage_3.json", "zero3|zero-3|zero stage 3|zero_stage 3|fsdp|deepspeed stage 3", NULL, OR_IN_USE, NULL },
	{ BY_SAVING, NULL, NULL, ".save_pretrained(|get_peft_model_state_dict(", "save_pretrained", NULL, IN_VAIN_ALONE, NULL },
	{ BY_LIMIT, NULL, NULL, NULL, "r_max_vsize|mem.maxvsize|memory.limit|memory limit|memory size|limit of memory|heap size|max heap|xmx|-xmx", NULL, IN_VAIN_ALONE, NULL },
	{ BY_DRIVER, NULL, NULL, NULL, "newest driver|newest drivers|latest driver|latest drivers|newer driver|newer drivers|driver to the newest|driver to the latest|drivers to the latest|updated the driver|updated my driver|updated the drivers|updated my drivers|updated drivers|upgraded the driver|"
	    "upgraded my driver|upgraded drivers|updating the driver|updating drivers|upgrading the driver|reinstalled the driver|latest nvidia driver|newest nvidia driver|latest amd driver|newest amd driver", NULL, OR_IN_USE, NULL },
	{ BY_THREADS, "execution_threads|execution-threads|--execution-threads|execution_thread_count|--execution-thread-count", "1", NULL, "execution threads|execution_threads|--execution-threads|execution_thread_count|--execution-thread-count|number of threads|fewer threads", NULL, IN_VAIN_ALONE, "1 one" },
	{ BY_SLEEP, "sleep_level|--sleep_level|vllm_sleep_level|sleep_mode_level", "1 2", "vllm_enable_sleep|enable_sleep_mode|enable-sleep-mode|free_cache_engine=true|free_cache_engine: true|wake_up(", "sleep mode|sleep_mode|vllm_enable_sleep|enable_sleep_mode|sleep_level|--sleep_level", NULL, OR_IN_USE, NULL },
	{ BY_ROOM, NULL, NULL, "--ipc=host|--ipc host|ipc: host|ipc_mode: host|--shm-size=|--shm-size |shm_size: ", "--ipc=host|ipc=host|--ipc host|--shm-size|shm-size|shm_size", NULL, OR_IN_USE, NULL },
	{ BY_MAPPING, NULL, NULL, "mmap_mode=|np.memmap(|numpy.memmap(", "mmap|mmap_mode|memmap|np.memmap|numpy.memmap|memory mapping|memory-mapping|memory mapped|memory-mapped", NULL, AS_NAMED, NULL },
	{ BY_LEAN, NULL, NULL, "low_memory=true", "low_memory=true|low_memory = true|low_memory", NULL, AS_NAMED, NULL },
	{ BY_INDEX, NULL, NULL, "sparse_categorical_crossentropy|sparsecategoricalcrossentropy", "sparse_categorical_crossentropy|sparse categorical crossentropy|sparse categorical cross entropy|sparsecategoricalcrossentropy|sparse_softmax_cross_entropy|sparse_softmax_cross_entropy_with_logits", NULL, AS_NAMED, NULL },
	{ BY_CAP, NULL, NULL, "cap_max|cap-max|max_gaussians|max_num_gaussians|max-num-gaussians|max_cap", "cap_max|cap-max|max_gaussians|max_num_gaussians|max-num-gaussians|max_cap", NULL, AS_NAMED, NULL },
	{ BY_NO_GRAD, NULL, NULL, NULL, "gradient-free calculation|gradient-free inference|gradient-free mode|gradient-free computation|gradient free inference|disabled gradients|disabled gradient calculation|disabled gradient computation|turned off gradients|turned gradients off|"
	    "turned off gradient calculation|switched off gradients|gradients are off|gradients are disabled|gradients are turned off|gradients off", NULL, AS_NAMED, NULL },
	{ BY_FIXED, "random", "0", "random=0|random = 0", "random=0|random = 0", NULL, OR_IN_USE, NULL },
};

#define NO_OTHER	"no running processes found|no other process|no other processes|nothing else is running|nothing else running|nothing else runs|no processes running|no process running|no process is running|no processes are running|" \
    "no other program|no other programs|no other task|no other tasks|no other job|no other jobs|gpu is empty|gpus are empty|gpu was empty|gpu is completely empty|gpu is completely free|gpu is totally free|no one else is using|nobody else is using|no one else uses|only process running|only process on|closed all other|closed every other|killed all other|killed all processes|shows no process|shows no processes|no running process|no process in running|no processes in running|no process in a running|no process in the running|no process listed|no processes listed|no process there|100% memory available|100% memory free|nothing running|nothing else open|nothing else is open|nothing else was open|nothing else is using|nothing else uses|nothing else was running|nothing else on the gpu|no other app|no other apps|no other application|no other applications|only thing running|only program running|only app running|closed all apps|closed all the apps|closed all my apps|closed all programs|closed all the programs|closed all applications|closed all the other|closed everything else|keine anderen programme|aucun autre programme|ningún otro programa|nenhum outro programa|没有其他程序|没有其他进程|没有别的程序|没有别的进程|没有其他任务|没有其它任务|没有其它程序|没有其它进程|没有别的任务|没开其他程序|没有开其他程序|没有打开其他|关闭了所有程序|关闭所有程序|关掉了所有|没有人在用|没人在用|没人用|没有进程"

/* That it fails as before. */
#define KEEPS		"result was identical|result is identical|results were identical|outcome was the same|keep getting|keeps getting|kept getting|keep having|keep running|keeps running|keeps happening|keeps crashing|keeps failing|no use|of no use|useless|not effective|ineffective|no success|not successful|unsuccessful|" \
    "not resolved|not resolve|not work|not worked|hasn't worked|haven't worked|not helped|hasn't helped|haven't helped|won't help|isn't helping|cannot solve|can't solve|can not solve|couldn't solve|could not solve|can't fix|cannot fix|" \
    "no improvement|no improvements|no change|no changes|unchanged|did nothing|does nothing|but failed|but fails|but it fails|also fails|also failed|fails too|fails as well|but it crashes|all fail|all failed|all get|all give|all gave|both fail|both failed|same thing|same message|nothing works|nothing worked|nothing helps|nothing helped|no impact|not seem to matter|n't seem to matter|not seem to help|n't seem to help|" \
    "whatever batch|but always|always out of|was the same|is the same|stays the same|remains the same|got the same|get the same|error remains|problem remains|issue remains|error stays|problem stays|issue stays|stays after|remains after|still comes|issue after i reduce|issue after i reduced|issue after reducing|problem after i reduce|problem after i reduced|problem after reducing|error after i reduce|error after i reduced|error after reducing|still have|still has|error remained|problem remained|issue remained|not working|does not resolve|doesn't resolve|did not resolve|didn't resolve|" \
    "not seem to change|n't seem to change|not seem to work|n't seem to work|not make a difference|n't make a difference|not make any difference|n't make any difference"
/* That it did not help, or is there all the same. */
#define IN_VAIN		"already reduced|already reduce|already lowered|already decreased|already decrease|tried|despite reducing|despite lowering|despite setting|despite using|despite resizing|despite decreasing|despite enabling|despite trying|despite having|despite my reducing|despite a smaller|despite smaller|despite a batch|even with|even when|even if|even after|even using|even at|even in|even on|even for|even then|even so|still|does not help|doesn't help|did not help|didn't help|not helping|don't help|do not help|no help|no effect|no difference|no luck|in vain|to no avail|" \
    "without success|does not work|doesn't work|did not work|didn't work|don't work|not work|same error|same issue|same problem|same result|regardless of|irrespective of|no matter|neither|nothing changes|nothing changed|not change|" \
    "doesn't change|didn't change|does not matter|doesn't matter|does not solve|doesn't solve|did not solve|didn't solve|not solve|does not fix|doesn't fix|didn't fix|did not fix|not disappeared|not disappear|not go away|persists|persisted|" \
    KEEPS
/* That it is there. */
#define IN_USE		"already|applied|i use|i used|i am using|i'm using|im using|we use|we used|we are using|am using|enabled|turned on|i have set|i set|i've set|is set to|are set to|set to|i have offloaded|i offloaded|we have offloaded|we offloaded|i've offloaded|using"
/* What is asked, planned, wished, or done by others; */
#define PLANNED		"should could would can will might may need needs want plan planning how wonder wondering consider considering recommend recommended suggest suggested suggestion try possible maybe perhaps hope please if someone anyone people others add support"
/* what helped; */
#define HELPED		"helped helps solves solved fixes fixed resolved resolves avoid avoids avoided goes gone disappeared disappears fits fit succeeded until slow slower"
/* and what is not there, or is switched off. */
#define OFF		"without no not disable disabled disabling off remove removed removing"
#define NOT_TRIED	"not tried|haven't tried|havent tried|have not tried|not yet|never tried|n't tried|not try|not enabled|not supported|not available|no module"

/* That one made it less, or smaller. */
#define MAKES_LESS	"i reduce|we reduce|i lower|we lower|i decrease|we decrease"	/* as people write it of what they did */
#define MADE_LESS	"reduced|lowered|decreased|dropped|cut|cut down|halved|shrank|shrunk|minimized|minimised|turned down|brought down|scaled down|went down"
#define LESS		MADE_LESS "|reducing|reduce|reduction|lowering|lower|decreasing|decrease|dropping|cutting|halving|shrinking|minimizing|turning down|bringing down|going down|smaller|downsizing|down to|down from|set down|resized|resizing|resize|downscaled|downscaling|downsampled|downsampling|cropped|cropping|shortened|shorter|truncated"
/* and the other way. */
#define MADE_MORE	"increased increasing increase larger bigger raised raising higher doubled doubling enlarged"
/* What speaks of a run that was not, */
#define NOT_RUN		"if would should could you your"

/* or that one of several served, in other languages. */
#define SERVED_ABROAD	"好了|解决|成功|可以|就行|就能|正常|没问题|動きました|해결|funciona|läuft|marche|работает"

/* Does the sentence say no more than that it is there, or was tried, and does not ask? */
static bool
is_plain(struct talk sentence, bool vain)
{
	if (memchr(sentence.s, '?', sentence.n) || talk_has_whole(sentence, NOT_TRIED))
		return false;
	if (talk_any_whole(sentence, HELPED) && !(vain && clause_says_no(sentence, "")))
		return false;
	return !talk_any_whole(sentence, PLANNED) || (vain && (talk_has_whole(sentence, "even if|even when|no matter|regardless of|tried|i try to|we try to") ||
	    (talk_has_whole(sentence, MADE_LESS) && !talk_any_whole(sentence, NOT_RUN))));
}

/* "I tried to test it": what failed, and nothing that was done against it. */
static bool
tries_itself(struct talk sentence)
{
	const char *tried = talk_find_word(sentence, "tried trying");
	struct talk to = tried ? clause_word_behind(sentence, piece_past_word(tried, sentence.s + sentence.n)) : sentence;

	return tried && talk_is_one_of(to, "to") && !talk_is_one_of(clause_word_behind(sentence, to.s + to.n), "reduce lower decrease increase change use set limit disable remove turn switch cut shrink");
}

bool
oom_measures_in_vain(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at), clause = talk_clause(t, at, 0);

	return talk_any_whole(clause, "tried trying changed set lowered reduced decreased increased") && talk_has_whole(sentence, IN_VAIN) && !tries_itself(sentence) && is_plain(sentence, true);
}

/* Is what stands at AT there, and not off? What is COUNTED may be 0, as a loader's processes. */
static bool
is_on(struct talk t, const char *at, size_t n, bool counted)
{
	struct talk ahead = clause_word_ahead(t, at), behind = clause_word_behind(t, at + n);

	return !talk_is_one_of(ahead, OFF) && !talk_is_one_of(clause_word_ahead(t, ahead.s), OFF) && !talk_is_one_of(behind, "false off disabled none no") &&
	    (counted || !talk_is_one_of(behind, "0"));
}

static bool
has_digit(struct talk t)
{
	size_t i;

	for (i = 0; i < t.n; i++)
		if (is_digit(t.s[i]))
			return true;
	return false;
}

#define GOES_ON		"to and or then even down also finally just until now but it still the does did all same yet"

/* "from 16 to 2", "16, 8, 4 and even 1": are the numbers behind S ever less, with nothing but words
 * of a list between them? The last of them is none of it where it counts something: "32, 8 GB"; nor
 * are two that are named alike, "256 or 128 does not work", of which nobody made one the other. */
static bool
falls(struct talk clause, const char *s)
{
	const char *end = clause.s + clause.n, *to;
	int64_t one, last = 0;
	struct talk word;
	bool either = false;
	int n = 0;

	for (; s < end; s = to) {
		to = s + 1;
		if (is_digit(*s) && !piece_is_word(s[-1]) && s[-1] != '.') {
			if (!(to = piece_count(s, end, &one)) || (last && one >= last))
				return false;
			last = one;
			n++;
			word = clause_word_behind(clause, to);
			if (to < end && *to == ' ' && word.s == to + 1 && word.n > 0 && is_letter(*word.s) && !talk_is_one_of(word, GOES_ON))
				return n > 2;
		} else if (n > 0 && is_letter(*s)) {
			to = piece_past_word(s, end);
			word = talk_part(clause, s, to);
			if (!talk_is_one_of(word, GOES_ON))
				break;
			either |= talk_is_one_of(word, "or");
		}
	}
	return n > 2 || (n == 2 && !(either && !talk_any_begins(clause, "reduc lower decreas tried try from even set chang")));
}

/* Does the clause at N bytes at AT, or what stands in brackets behind them, say that what they name
 * was made less? */
static bool
is_made_less(struct talk sentence, const char *at, size_t n)
{
	struct talk clause = talk_clause(sentence, at, n), behind;
	const char *end = sentence.s + sentence.n, *open = piece_past_blanks(at + n, end);

	behind = open < end && *open == '(' ? talk_part(sentence, open, memchr(open, ')', (size_t)(end - open)) ? memchr(open, ')', (size_t)(end - open)) : end) : talk_part(sentence, end, end);
	return talk_has_whole(clause, LESS) || talk_has_whole(behind, MADE_LESS) || falls(talk_part(sentence, at + n, sentence.s + sentence.n), at + n);
}

/* "With a batch of 32 it fails, even though I set a batch of 8", "a batch of 32 instead of 128": is
 * the batch at AT less than another of its sentence? */
static bool
is_less_batch(struct talk sentence, const char *at, size_t n)
{
	int64_t here = oom_number_of_batch(sentence, at, n), other;
	const char *end = sentence.s + sentence.n, *s, *to;
	size_t length;

	if (here < 1)
		return false;
	for (s = NULL; talk_next_whole(sentence, OOM_BATCHES, &s, &length) && s < at; )
		if (oom_number_of_batch(sentence, s, length) > here)
			return true;
	s = talk_find_whole(talk_part(sentence, at + n, end), "instead of|rather than|in place of", &length);
	for (s = s ? s + length : end; s < end && *s == ' '; s++)
		;
	return s < end && is_digit(*s) && (to = oom_number_at(sentence, s, false, &other)) && to > s && other > here;
}

/* Is it one of those words that stand for more than the measure, as "batch" does: "the first
 * batch"? */
static bool
is_loose(struct talk called)
{
	return talk_is_one_of(called, "batch batches minibatch mini-batch bs");
}

/* What a sentence says that goes on with the one ahead: "Still the same error." */
static bool
remains(struct talk sentence)
{
	if (memchr(sentence.s, '?', sentence.n) || talk_any_whole(sentence, PLANNED " " HELPED) || clause_works(sentence))
		return false;
	return talk_has_whole(sentence, "no help|no effect|no difference|no luck|in vain|to no avail|without success|not help|n't help|not work|n't work|not solve|n't solve|not fix|n't fix|no success|nothing changes|nothing changed|no change|" KEEPS) ||
	    talk_has_whole(sentence, "same error|same issue|same problem|same result|same oom") || (talk_any_whole(sentence, "still always again") && (oom_short_fails(sentence) || clause_names_failure(sentence)));
}

/* How many parts of a whole a text has: "0.6", ".95" */
static int
fractions(struct talk t)
{
	const char *s, *end = t.s + t.n;
	int n = 0;

	for (s = t.s + 1; s + 1 < end; s++)
		n += *s == '.' && is_digit(s[1]) && (s[-1] == '0' || !piece_is_word(s[-1])) && !(s - 1 > t.s && s[-1] == '0' && (is_digit(s[-2]) || s[-2] == '.'));
	return n;
}

/* "changing it to [0.6, 0.8, 0.9]", "from 0.95 down to 0.5": neither more nor less is left to be
 * tried, unless one of them served. */
static bool
is_tried_as_several(struct talk sentence, const char *at, size_t n)
{
	struct talk behind = talk_part(sentence, at + n, sentence.s + sentence.n);

	return fractions(behind) > 1 && is_plain(sentence, true) && !clause_works(sentence) && !talk_any_whole(sentence, NOT_RUN) && !talk_any_phrase(sentence, SERVED_ABROAD);
}

/* What asks without a mark for it, */
#define REQUESTS	" so can you | so could you | can you please | could you please | so please | so how "
/* and with one. */
#define ASKS		REQUESTS "|, how |, what |, why |, is there |, are there |, any |, can |, could |, do i |, do you |, did you |, have you |, would |, does |, should "

/* "But with my batch size set to 1, how do I solve this?": what is said ahead of what is asked. */
static struct talk
statement(struct talk sentence, const char *at)
{
	const char *asks;
	size_t n;

	for (asks = NULL; talk_next_phrase(sentence, memchr(sentence.s, '?', sentence.n) ? ASKS : REQUESTS, &asks, &n); )
		if (asks > at)
			return talk_part(sentence, sentence.s, asks);
	return sentence;
}

static void
keep(struct oom_measures *m, const char *by, int line)
{
	int *to = &m->line[MEASURE(by)];

	*to = *to ? *to : line;
}

/* "It is lower than the other limit": compared with another, and not tried. */
#define IS_BELOW	"is lower than|are lower than|be lower than|was lower than|is smaller than|are smaller than|be smaller than|is shorter than|be shorter than"

/* "I turned it all the way down": less of it is not left to be tried. */
#define AT_LEAST	"all the way down|down all the way|to the minimum|to its minimum|to a minimum|to the bare minimum|to the lowest|to its lowest|to the smallest|to its smallest|as low as possible|as small as possible|as low as i can|as small as i can|as low as it goes|as low as it gets|as low as it can|down as far as"

/* Is it told of what ends at TO of its clause, as what was done? */
static bool
is_at_least(struct talk sentence, struct talk clause, const char *to)
{
	return talk_has_whole(talk_part(clause, to, clause.s + clause.n), AT_LEAST) && talk_any_whole(clause, "i we already is was set have even") && !memchr(sentence.s, '?', sentence.n) && !talk_any_whole(clause, NOT_RUN) &&
	    !talk_any_whole(clause, PLANNED " " HELPED);
}

#define MOST		"max maximum largest biggest"

/* A person's words for the measure of a row, at AT of T. */
static bool
is_told(struct oom_measures *m, size_t row, struct talk t, const char *at, size_t n, int line)
{
	struct talk sentence = statement(talk_sentence(t, at), at), clause = talk_clause(t, at, n);
	bool vain = talk_has_whole(sentence, IN_VAIN), listed = m->list == line, less = is_made_less(sentence, at, n) || (rows[row].by[0] == BY_BATCH[0] && is_less_batch(sentence, at, n));
	const char *next = sentence.s + sentence.n + 1, *end = t.s + t.n;

	if (talk_has_whole(clause, IS_BELOW))
		return false;
	if (talk_is_one_of(talk_part(t, at, at + n), "--gpu"))	/* "--gpu 0.4" is a part of it, "--gpu 0" which one */
		return vain && fractions(talk_part(sentence, at + n, sentence.s + sentence.n)) && is_plain(sentence, true);
	if (rows[row].tells == AS_NAMED)
		return !memchr(sentence.s, '?', sentence.n) && !talk_has_whole(sentence, NOT_TRIED) && (vain || (next < end && remains(talk_sentence(t, next))) || !talk_any_whole(sentence, PLANNED)) && !clause_says_no(clause, "");
	if (!vain && talk_has_whole(clause, MADE_LESS "|" MAKES_LESS) && !talk_any_whole(sentence, NOT_RUN)) {
		vain = next < end && remains(talk_sentence(t, next));
		if (next >= end && talk_has_whole(clause, MADE_LESS)) {
			m->less |= MEASURE_BIT(MEASURE(rows[row].by));
			m->less_line = line;
		}
	}
	if (talk_is_one_of(clause_word_ahead(t, at), "lowest smallest") && talk_has_whole(sentence, IN_USE) && !memchr(sentence.s, '?', sentence.n) && !talk_any_whole(sentence, NOT_RUN))
		return true;		/* "I'm using the lowest resolution possible" */
	if (rows[row].tells == OF_NUMBERS && is_at_least(sentence, clause, at + n))
		return true;
	if (rows[row].by[0] == BY_SHARE[0] && is_tried_as_several(sentence, at, n))
		return true;
	if (!is_on(sentence, at, n, rows[row].least) || !is_plain(sentence, vain || listed) || ((clause_works(sentence) || oom_fares_says(sentence, OOM_COMES_NOT)) && !talk_has_whole(sentence, "nothing works|nothing worked|none works|none worked")))
		return false;
	if (rows[row].least && clause_is_set_to(sentence, at + n, rows[row].least))
		return (vain || listed || talk_has_whole(sentence, IN_USE) || oom_short_fails(sentence)) && !talk_any_whole(talk_part(sentence, sentence.s, at), MOST) && !talk_any_whole(talk_part(sentence, at + n, sentence.s + sentence.n), MOST) && !talk_any_begins(sentence, "val test eval infer");
	if (rows[row].tells == OF_NUMBERS && !less && talk_any_whole(clause, MADE_MORE))
		return false;
	if (rows[row].tells == OF_NUMBERS && !less && (has_digit(sentence) || is_loose(talk_part(t, at, at + n))))
		return false;
	return vain || listed || (rows[row].tells == OR_IN_USE && talk_has_whole(clause, IN_USE) && !clause_says_no(clause, ""));
}

static void
told(struct oom_measures *m, struct talk t, int line)
{
	const char *at;
	size_t i, n;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (at = NULL; !m->line[MEASURE(rows[i].by)] && talk_next_whole(t, rows[i].called, &at, &n); )
			if (is_told(m, i, t, at, n, line))
				keep(m, rows[i].by, line);
}

/* Made less, or (of what is better larger) more; by several languages' words for it. */
#define LESS_ABROAD	"已经调整|调整了|调整过|调小|调低|调少|改小|减小|减少|降低|缩小|降到|降至|降为|减到|调到最小|改为0|设为0|设置为0|改成0|设成0|设置成0|调成0|=0|设小|小さく|減ら|下げ|줄이|줄여|줄였|낮추|낮춰|낮췄|작게|verkleiner|verringer|reduzier|reduci|reduje|reduzi|diminu|bajado|bajando|bajar|réduit|réduire|réduisant|baissé|уменьш|Уменьш|сниз|Сниз|понизи|Понизи|ridotto|riducendo|ridurre"
#define MORE_ABROAD	"修改|增大|调大|加大|设置|扩大|改大|调整|增加|设为|増や|大きく|늘리|늘려|늘렸|vergrößer|erhöh|aument|ampli|agrand|augment|увелич"
/* Of what is there or not: that it is. */
#define USED_ABROAD	"用了|使用|开了|开启|启用|打开|加了|设置|使って|使用し|有効|사용|적용|benutz|verwend|utilis|usando|uso |использ|включ"
/* That it fails all the same; */
#define VAIN_ABROAD	"还是|仍然|仍旧|仍|依旧|依然|没用|无用|无效|不行|照样|没有用|没效果|无果|不管用|无济于事|都试过|也不|也没|还报|也报|都报|都会|一样|无法解决|没有解决|没解决|解决不了|未解决|已经|ても|でも|変わら|変わりま|効果|ダメ|だめ|駄目|解決しま|解決せ|同じ|" \
    "여전히|그래도|똑같|같은 오류|같은 에러|동일한 오류|동일한 에러|소용|안 되|안되|안됩|해결되지|줄여도|낮춰도|늘려도|계속|trotzdem|immer noch|hilft nicht|half nicht|nichts geholfen|nicht geholfen|bringt nichts|ohne erfolg|weiterhin|sigue|aún así|aun así|mismo error|no funciona|no ayuda|sin éxito|" \
    "mesmo erro|mesmo assim|não funciona|não adianta|não resolve|não ajuda|continua|toujours|même erreur|ne change rien|rien ne change|sans succès|quand même|не помог|всё равно|все равно|по-прежнему|та же ошибка|не работает|stesso errore"
#define EVEN_ABROAD	"auch mit kleiner|selbst mit kleiner|auch bei kleiner|selbst bei kleiner|même en réduisant|même avec un plus petit|incluso reduciendo|incluso con un|aun con un|mesmo reduzindo|mesmo com um|даже с маленьк|даже с меньш|даже при маленьк|再小的|多小的"
/* and not: that it helped, is asked or advised. */
#define NOT_ABROAD	"好了|解决了|解决啦|成功|可以了|就可以|就行|就能|没有修改|没修改|没有增|没有开|没开|没有使用|没有启用|没有设置|没设置|是不是|怎么用|如何使用|吗|是否|能不能|要不要|可以试|建议|请尝试|试试|不报错|解決しました|動きました|ください|でしょうか|でも良い|ましたら|해결되었|해결됐|되나요|해보세요|solucion|gelöst|resolvido|résolu|решило|, и помогло|könnte|podría|poderia"

/* "修改了虚拟内存，还是报错", "Batchgröße verkleinert, trotzdem": it was done, and the same all the
 * same; not asked, nor what helped. */
static bool
is_in_vain_abroad(struct talk t, size_t row)
{
	const char *at = NULL, *made;
	const char *makes = rows[row].tells == OR_IN_USE ? USED_ABROAD : rows[row].by[0] == BY_SWAP[0] ? MORE_ABROAD : LESS_ABROAD;
	struct talk sentence;
	size_t n, length;

	while (talk_next_phrase(t, rows[row].abroad, &at, &n)) {
		sentence = clause_sentence(t, at);
		if (rows[row].tells == OF_NUMBERS && talk_any_phrase(talk_part(sentence, sentence.s, at), EVEN_ABROAD) && !talk_any_phrase(sentence, NOT_ABROAD))
			return true;
		for (made = NULL; talk_next_phrase(sentence, makes, &made, &length); )
			if (talk_any_phrase(talk_part(sentence, made, sentence.s + sentence.n), VAIN_ABROAD) && !talk_any_phrase(sentence, NOT_ABROAD))
				return true;
	}
	return false;
}

/* Settings of row I in a line of a program's. */
static void
settings(struct oom_measures *m, size_t i, struct talk t, int line, enum oom_source source)
{
	const char *at;
	struct talk value;
	size_t n;

	for (at = NULL; talk_next_whole(t, rows[i].settings, &at, &n); ) {
		value = oom_given_value(t, at + n);
		if (rows[i].tells == OF_NUMBERS && talk_is_one_of(value, rows[i].values))
			m->one = line;
		else if (talk_is_one_of(value, rows[i].values) || (rows[i].values[0] == 't' && (source == SOURCE_COMMAND || talk_any_phrase(t, ARGUMENTS)) && *at == '-' && !talk_is_one_of(value, "false no off 0 none")))
			keep(m, rows[i].by, line);
		else if (rows[i].tells == OF_NUMBERS && value.n > 0 && is_digit(*value.s))
			m->several = line;
	}
}

/* "shm  16G  61M  16G  1% /dev/shm": a line of df -h, with more than Docker gives. */
static bool
has_room(struct talk t)
{
	const char *s, *end = t.s + t.n;

	while (end > t.s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end - t.s < 12 || memcmp(end - 9, " /dev/shm", 9) != 0 || !memchr(t.s, '%', t.n))
		return false;
	for (s = piece_past_blanks(piece_past_word(piece_past_blanks(t.s, end), end), end); s < end && (is_digit(*s) || *s == '.'); s++)
		;
	return s < end && (*s == 'G' || *s == 'T') && is_digit(s[-1]);
}

/* What a message advises, of which a line may hold no more than its end. */
#define ADVISED		"without |try |to avoid|see documentation for memory management"
/* NVIDIA's containers begin with a command that they recommend, "docker run --ipc=host ... ...". */
#define RECOMMENDED	" ...|recommend"

/* A line of code, of a command, of settings or of a program's output. */
static void
shown(struct oom_measures *m, struct talk t, int line, enum oom_source source, bool traced)
{
	bool tests = talk_any_begins(t, "val test eval valid infer"), help = talk_any_phrase(t, "add_argument|help=|usage:|default:|[--|not available|no module|not installed|def |class |consider ");
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && !help; i++) {
		if (rows[i].settings && !traced && !(rows[i].tells == OF_NUMBERS && tests))
			settings(m, i, t, line, source);
		if (rows[i].shown && talk_any_phrase(t, rows[i].shown) && !(rows[i].by[0] == BY_ROOM[0] && talk_any_phrase(t, RECOMMENDED)) && !talk_any_phrase(t, ADVISED) && !talk_any_whole(t, "if"))
			keep(m, rows[i].by, line);
	}
	if (!help) {
		oom_given_line(m, t, line);
	}
}

/* "Things I tried:", which items follow. */
static bool
begins_list(struct talk t)
{
	const char *end = t.s + t.n;

	while (end > t.s && memchr(" \t*_`", end[-1], 5))
		end--;
	return end > t.s && end[-1] == ':' && talk_has_whole(t, "i tried|i have tried|i've tried|we tried|have tried|already tried|tried so far|what i tried|things tried|tried the following|tried") && !talk_has_whole(t, NOT_TRIED);
}

static bool
is_item(struct talk t)
{
	const char *end = t.s + t.n, *s = piece_past_blanks(t.s, end), *to;

	for (to = s; to < end && is_digit(*to); to++)
		;
	return s < end && (memchr("-*+", *s, 3) || (to > s && to < end && !is_letter(*to)));
}

static void
abroad(struct oom_measures *m, struct talk t, int line)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].abroad && !m->line[MEASURE(rows[i].by)] && is_in_vain_abroad(t, i))
			keep(m, rows[i].by, line);
}

/* "I reduced the batch size." on a line, and on the next "It still fails.". */
static void
goes_on(struct oom_measures *m, struct talk t, int line)
{
	int i;

	if (m->less && line > m->less_line) {
		for (i = 0; i < MEASURES; i++)
			if ((m->less & MEASURE_BIT(i)) && !m->line[i] && remains(talk_sentence(t, t.s)))
				m->line[i] = m->less_line;
		m->less = 0;
	}
}

void
oom_measures_line(struct oom_measures *m, struct talk t, int line, enum oom_source source, bool traced)
{
	bool words = !traced && (source == SOURCE_PROSE || source == SOURCE_UNSURE) && !talk_any_phrase(t, ARGUMENTS);

	if (source == SOURCE_NONE) {
		m->list += m->list > 0 && m->list == line - 1;
		return;
	}
	if (source == SOURCE_COMMENT && !traced)
		return;
	if (m->list > 0 && m->list == line - 1 && is_item(t))
		m->list = line;
	if ((talk_has_whole(t, NO_OTHER) && !talk_any_phrase(t, "?")) || oom_devices_little_used(t))
		keep(m, BY_ALONE, line);
	if (has_room(t))
		keep(m, BY_ROOM, line);
	if (words) {
		goes_on(m, t, line);
		told(m, t, line);
		abroad(m, t, line);
		if (begins_list(t))
			m->list = line;
	} else {
		shown(m, t, line, source, traced);
	}
}
