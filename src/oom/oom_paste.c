/*
 * Names of programs, and configurations, are read here, names of models in oom_model.c, a table of
 * processes in oom_holder.c, what it ran on in oom_platform.c, code in oom_code.c, and sentences in
 * oom_words.c.
 * Within a traceback lines of code are a library's as often as the user's: there the place counts
 * (oom_trace.c).
 */
#include "oom/oom_paste.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_code.h"
#include "oom/oom_form.h"
#include "oom/oom_habit.h"
#include "oom/oom_holder.h"
#include "oom/oom_killed.h"
#include "oom/oom_limit.h"
#include "oom/oom_model.h"
#include "oom/oom_note.h"
#include "oom/oom_platform.h"
#include "oom/oom_seen.h"
#include "oom/oom_several.h"
#include "oom/oom_short.h"
#include "oom/oom_tests.h"
#include "oom/oom_use.h"
#include "oom/oom_words.h"

void
oom_paste_name(char to[PASTE_NAME], const char *s, const char *end)
{
	size_t n = s < end ? (size_t)(end - s) : 0;

	n = n < PASTE_NAME ? n : PASTE_NAME - 1;
	memcpy(to, s, n);
	to[n] = '\0';
}

/* ---- configurations, and tables ---- */

/* Darknet's: "batch=64", by itself on a line; a sign of a comment ahead of it leaves it out. Of two
 * in a file the first one counts (option_find() of its src/option_list.c). */
static void
setting(struct oom_paste *p, struct talk t, int line)
{
	const struct {
		const char *name;
		int64_t *to;
	} known[] = {
		{ "batch", &p->batch }, { "subdivisions", &p->parts }, { "width", &p->width }, { "height", &p->height },
	};
	const char *s = piece_past_blanks(t.s, t.s + t.n), *end = t.s + t.n, *at;
	int64_t n;
	size_t i;

	while (end > s && ((end[-1] == ' ' || end[-1] == '\t') || end[-1] == '*' || end[-1] == '\r'))
		end--;
	while (s < end && *s == '*')
		s++;
	if (end - s == 5 && memcmp(s, "[net]", 5) == 0) {
		p->batch = p->parts = p->width = p->height = p->parts_line = p->parts_again = 0;
		return;
	}
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].name);

		if ((size_t)(end - s) <= length || memcmp(s, known[i].name, length) != 0)
			continue;
		at = piece_past_blanks(s + length, end);
		if (at < end && *at == '=' && piece_number(piece_past_blanks(at + 1, end), end, &n) == end && n > 0) {
			if (known[i].to == &p->parts && p->parts)
				p->parts_again = line;
			else if (known[i].to == &p->parts)
				p->parts_line = line;
			*known[i].to = *known[i].to ? *known[i].to : n;
		}
	}
}

/* A path at the root: "/content/a.py", but not "https://a.b/content/". */
static bool
has_root(struct talk t, const char *root)
{
	const char *at;
	size_t n;

	for (at = NULL; talk_next_phrase(t, root, &at, &n); )
		if (at == t.s || !(piece_is_word(at[-1]) || memchr(".-~/", at[-1], 4)))
			return true;
	return false;
}

/* "full_batch.py", "--full-batch=1", but not "FullBatchNorm". */
static bool
names_full_batch(struct talk t)
{
	const char *at = NULL, *to, *end = t.s + t.n;
	size_t n;

	while (talk_next_phrase(t, "full_batch|full-batch|fullbatch", &at, &n)) {
		to = at + n;
		if (at - t.s > 2 && talk_is_one_of(talk_part(t, at - 3, at - 1), "no"))
			continue;		/* "--no-full-batch" */
		if (to == end || ((!piece_is_word(*to) || *to == '_') && !talk_is_one_of(talk_head(t, to + 1, 4), "norm")))
			return true;
	}
	return false;
}

/* Whose program it is, and what it was at. */
static void
program(struct oom_paste *p, struct talk t, int line)
{
	if (talk_any_phrase(t, "loading weights|loading checkpoint shards|loading model from") ||
	    talk_any_of(t, "torch.load( .from_pretrained( load_checkpoint("))
		p->loads = p->loads && talk_any_of(t, "map_location") && !talk_any_of(t, "cpu") ? p->loads : line;	/* what is put on a device is not of the machine's memory */
	if (talk_any_phrase(t, "loading checkpoint shards:") || (talk_any_phrase(t, "%|") && talk_any_phrase(t, ".weight |.bias ")))
		p->loads_halted = talk_any_phrase(t, "100%|") ? 0 : line;
	if (talk_any_of(t, "automodel.from_pretrained( forcausallm.from_pretrained( lmheadmodel.from_pretrained( forconditionalgeneration.from_pretrained( "
	    "forseq2seqlm.from_pretrained( forimagetexttotext.from_pretrained( forvision2seq.from_pretrained("))
		p->loads_model = line;
	if (talk_any_of(t, "dtype load_in_ load-in- quantiz bitsandbytes .half() .bfloat16()"))
		p->types = line;
	if (talk_any_of(t, "stable-diffusion stable_diffusion stablediffusion comfyui txt2img img2img fooocus invokeai zimage-ncnn z-image-") || talk_any_phrase(t, "prompt executed in"))
		p->images = line;
	if ((talk_any_phrase(t, "%|") && talk_any_of(t, "loss=") && talk_any_phrase(t, " lr=")) || (talk_any_phrase(t, "'loss':") && talk_any_phrase(t, "'learning_rate':|'grad_norm':")) ||
	    talk_any_phrase(t, "= end of epoch|= starting epoch"))
		p->trains = line;	/* what training alone tells as it goes on */
	if (talk_any_begins(t, "train_ train.py") || (talk_any_phrase(t, "accelerate launch") && !talk_any_of(t, "eval infer predict generat")))
		p->trains = line;
	if (talk_any_of(t, ".train( .fit(") && !talk_any_of(t, ".train()"))
		p->trains = line;
	if (talk_any_of(t, "fsdp fully_shard zero3 zero-3 device_map"))
		p->splits = line;
	if (talk_any_of(t, "fsdp fully_shard fullysharded zero3 zero-3 deepspeedzerooptimizer_stage3") || talk_any_phrase(t, "zero_stage 3|zero_stage=3|\"stage\": 3"))
		p->shares = line;
	if (talk_any_of(t, "get_peft_model( loraconfig( lora_rank lora_alpha --lora_r --use_lora --use_peft peft/tuners peft\\tuners") || talk_any_phrase(t, "finetuning_type: lora|finetuning_type lora"))
		p->adapts = line;
	if (names_full_batch(t))
		p->whole = line;
	if (talk_any_phrase(t, "tensorflow/python/|tensorflow\\python\\|errors_impl|/xla_run|[op:|{{node |__inference_"))
		p->tf_files = line;
	if (talk_any_phrase(t, "-packages/jax/|-packages\\jax\\|jax/_src/|jax\\_src\\|jaxlib"))
		p->jax_files = line;
	if (talk_any_phrase(t, "/cupy/|/cupyx/|/cudf/|/cuml/|/rmm/|/cugraph/|/rapids_singlecell/|\\cupy\\"))
		p->gpu_files = line;
	else if (!p->gpu_files && talk_any_phrase(t, "import cupy|from cupy|import cudf|from cudf|import cuml|from cuml|import rmm|from rmm|import cugraph|from cugraph|import dask_cudf"))
		p->gpu_files = line;
	if (talk_any_phrase(t, "torch_xla|-packages/torch/|-packages\\torch\\"))
		p->torch_files = line;
	if (talk_any_phrase(t, "error: loaderror:|cuda.memory_status()|cuda.@sync|cuda.allowscalar(|cuda.reclaim()|cuda.pool_status()"))
		p->julia = line;
	if (has_root(t, "/content/"))
		p->colab = line;
}

#define OF_NETWORK	"from_pretrained|tokenizer|network|networks|neural|epoch|epochs|batch|batchsize|batch size|batch_size|train|trains|trained|training|trainer|train.py|fine-tune|"	\
    "fine-tuning|finetune|finetuning|inference|dataset|datasets|data set|layers|gradients|backprop|checkpoint|checkpoints|llm|llms|lora|"		\
    "gan|cnn|rnn|lstm|transformer|transformers|bert|gpt|unet|resnet|yolo|diffusion|embedding|embeddings|logits|gpt2|llama|seq2seq|forward pass|backward pass|optimizer|speech recognition"
#define OF_FRAMEWORK	"torch pytorch tensorflow keras mxnet gluon caffe paddle jax flax onnx theano cntk darknet diffusers huggingface tinygrad vllm sglang llama ollama "	\
    "ggml gguf mlx lightning deepspeed detectron mmdet mmcv ultralytics yolov comfyui stable-diffusion stable_diffusion stablediffusion stable-baselines stable_baselines"

/* What those have that learn trees, too, is not among these. */
#define OF_LAYERS	"mlpclassifier|mlpregressor|perceptron|mlp|from_pretrained|tokenizer|network|networks|neural|epoch|epochs|layers|gradients|backprop|llm|llms|lora|gan|cnn|rnn|lstm|transformer|transformers|bert|gpt|unet|resnet|yolo|diffusion|"	\
    "embedding|embeddings|logits|forward pass|backward pass"
#define OF_TREES	"xgboost|xgbclassifier|xgbregressor|lightgbm|lgbmclassifier|lgbmregressor|catboost|gpu_hist"

/* 训练, 模型, 网络, 图像分割, 推理, 数据集, 微调; 学習, 학습 */
#define ELSEWHERE	"\xe8\xae\xad\xe7\xbb\x83|\xe6\xa8\xa1\xe5\x9e\x8b|\xe7\xbd\x91\xe7\xbb\x9c|\xe5\x9b\xbe\xe5\x83\x8f\xe5\x88\x86\xe5\x89\xb2|\xe6\x8e\xa8\xe7\x90\x86|"	\
    "\xe6\x95\xb0\xe6\x8d\xae\xe9\x9b\x86|\xe5\xbe\xae\xe8\xb0\x83|\xe5\xad\xa6\xe7\xbf\x92|\xed\x95\x99\xec\x8a\xb5"

/* Programs that run networks and train none. */
#define LLAMAS		"llama.cpp ollama llama-server llama_server llama-cli llama-bench llama-mtmd llama-cpp-python llama_context: llama_model_load llama_init_from llama_new_context llama_kv_cache llama_load_model llm_load_tensors koboldcpp"
#define SERVERS		"lmms_eval lmms-eval lm_eval lm-eval opencompass vlmevalkit evalscope tensorrt_llm tensorrt-llm trtllm tritonserver triton-inference trtserver trtis ollama llama-server llama_server llama.cpp llama-cli gguf ggml vllm sglang lmdeploy turbomind mlc_llm mlc-llm mistralrs aphrodite koboldcpp kobold lmstudio exllama text-generation-webui text-generation-launcher text-generation-server text-generation-inference text_generation_server colabfold localcolabfold run_alphafold"
/* Scripts that infer, as a command names them. */
#define INFERRERS	"inference_ inference.py infer.py infer_ predict.py predict_"

/* What people call programs that make images by diffusion, and what these do. */
#define MAKES_IMAGES	"sdxl|ipadapter|ip-adapter|euler a|txt2img|img2img|hires fix|hires.fix|hires. fix|high res fix|highres fix|highresfix|a1111|automatic1111|comfyui|comfy ui|invokeai|fooocus|stable diffusion webui|stable-diffusion-webui|sd webui|sd-webui|controlnet|stable diffusion model failed|stable diffusion failed to load|webui-user.bat|webui.bat"

/* Not "tested to be working in ComfyUI", nor one that trains. */
static bool
makes_images(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, MAKES_IMAGES, &n);
	struct talk clause = at ? talk_clause(t, at, n) : t;

	return at && !clause_works(clause) && !clause_says_no(talk_part(clause, clause.s, at), "") && !talk_any_begins(talk_sentence(t, at), "train like unlike also beside alongside");
}

/* Anything of a neural network: programs of other kinds run out of memory, too, in the same
 * words. */
static bool
is_of_network(struct talk t)
{
	return talk_has_whole(t, OF_NETWORK) || talk_any_begins(t, OF_FRAMEWORK) || talk_any_phrase(t, ELSEWHERE "|cnn |cnn?|cnn,|cnn.");
}

/* A program's line or code names what learns trees, or a person who runs it, or with whom it
 * fails. */
static bool
learns_trees(struct talk t, bool told)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, OF_TREES, &at, &n))
		if (!told || (talk_any_begins(talk_sentence(t, at), "train run use using fit kill die crash memory fail") && !clause_works(talk_sentence(t, at))))
			return true;
	return false;
}

/* Does the report end with ^C by itself? */
static void
stop(struct oom_paste *p, struct talk t, int line)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n);

	if (t.s + t.n - s == 2 && memcmp(s, "^C", 2) == 0)
		p->stopped = line;
	else if (s < t.s + t.n && *s != '`')	/* a fence's */
		p->stopped = 0;
}

#define GENERATES	"when generating|while generating|attempts at generating|attempt to generate|attempting to generate|generating a single picture|generating a picture|generating an image|generating a single image|trying to generate|try to generate|during generation|when predicting|predicting protein"
#define GENERATORS	"ultimatevocalremover uvr demix_demucs demix_vr roop-unleashed roop_unleashed inswapper face_swapper flux-schnell flux1-schnell audiogen audiocraft musicgen codeformer gfpgan facefusion mlx_lm mlx-lm mlx_vlm omlx xtts whisper faster-whisper whisperx openvino_genai ctranslate2 text-generation-inference clone-voice clone_voice spark-tts sparktts index-tts indextts chattts openvoice pyvideotrans sonitranslate deoldify"

/* By names of programs, calls and scripts: is a network run and not trained? */
static void
generates(struct oom_paste *p, struct talk t, int line, bool told)
{
	if (talk_any_begins(t, GENERATORS) || talk_any_phrase(t, GENERATES "|roop unleashed|flux schnell|文字转声音|声音转声音|文字->声音|文字->语音|声音->声音") || talk_any_of(t, "[onnxruntimeerror]") || (told && talk_any_of(t, "demo.py inference.py infer.py") && oom_short_fails(t)) ||
	    (!told && (talk_any_of(t, ".generate( generate_audio( tts_to_file( model.chat( model.stream_chat( pipe( .transcribe( pjit(generate inference.py infer.py generate.py predict.py transcribe.py demo.py demo.sh") ||
	    (talk_any_begins(t, "infer_ inference_ run_infer bulk_infer") && talk_any_of(t, ".py")))))
		p->generates = line;
}

void
oom_paste_line(struct oom_paste *p, struct talk t, int line, enum oom_source source, bool traced)
{
	bool told = source == SOURCE_PROSE && !traced;

	stop(p, t, line);
	oom_habit_seen(&p->habits, t, line);
	if (!told && (source != SOURCE_COMMENT || talk_first(t, "#sbatch |#pbs ") == t.s))	/* a scheduler's settings stand in comments */
		oom_limit_line(&p->habits, t, line);
	if (source == SOURCE_COMMENT && !traced)
		return;
	oom_seen_named(&p->habits, t, line, told, traced);
	if ((is_of_network(t) && !talk_any_of(t, "slurmstepd stepid=")) || talk_any_whole(t, "runtimeerror"))	/* "StepId=12.batch" */
		p->network = line;
	if (talk_has_whole(t, OF_LAYERS) || talk_any_begins(t, OF_FRAMEWORK))
		p->layers = line;
	if (talk_any_of(t, "sklearn scikit-learn scanpy anndata sc.pp. h5ad hdbscan umap dbscan spacy textacy gensim"))
		p->classic = line;
	if (talk_any_of(t, "[rank1] [rank2] [rank3] [rank4] [rank5] [rank6] [rank7] fsdp deepspeed torchrun multi-gpu multigpu zero-3 zero3") || talk_any_whole(t, "gpus devices ranks nodes cards ddp") || oom_several_counted(t))
		p->several = line;
	if (talk_any_of(t, "fsdp deepspeed zero-3 zero3 zero-2 zero2 zero_stage megatron device_map tensor_parallel") || talk_has_whole(t, "tensor parallel|tensor parallelism|pipeline parallel|pipeline parallelism|model parallel|model parallelism"))
		p->parted = line;
	if (talk_any_of(t, "/pandas/core site-packages\\pandas pd.merge pd.concat pd.read_ .pivot_table( dataframe.merge") || talk_any_begins(t, "pandas"))
		p->tables = line;
	if (talk_any_phrase(t, "c# api|c# code|in c#|c# program|c# application|c# project|c# wrapper|c# example|java api|java program|java application|dotnet|.net core"))
		p->language = line;
	if (talk_any_phrase(t, "np.zeros(|numpy.zeros(") && !talk_any_phrase(t, "* np.zeros(|* numpy.zeros(|+ np.zeros(|+ numpy.zeros(|.zeros(len("))
		p->zeros = line;	/* arithmetic writes all of what it makes; a list's length makes no large one */
	p->trees = learns_trees(t, told) ? line : p->trees;
	if (talk_any_begins(t, SERVERS) || talk_any_phrase(t, "llama runner|in triton, |in triton |triton server|triton inference|instance_group") || (source == SOURCE_COMMAND && talk_any_of(t, ".py") && talk_any_begins(t, INFERRERS)))
		p->serves = line;
	if (talk_any_begins(t, LLAMAS) || talk_has_whole(t, "-ub|-ngl|--n-gpu-layers|--ubatch-size|n_gpu_layers|num_gpu"))
		p->llama = line;
	if (talk_any_phrase(t, "instant-ngp|instant ngp|instantngp|colmap2nerf|nerf dataset|nerfstudio|nerfacto|ns-train"))
		p->scenes = line;
	if (talk_any_phrase(t, "exception during initialization") && talk_any_phrase(t, "requested buffer|bfc_arena|cuda_call|cublas|cudnn|out of memory|not enough memory|bad allocation"))
		p->unmade = line;
	oom_platform_line(p, t, line, told);
	if (source != SOURCE_CODE)
		oom_note(&p->told.fault, t, oom_killed_by_fault(t), line);
	generates(p, t, line, told);
	oom_measures_line(&p->measures, t, line, source, traced);
	if (told)
		p->prose = line;
	if (source == SOURCE_CODE)
		t = form_without_comment(t);
	oom_tests_call(&p->told, t);
	if (told) {
		oom_code_said(p, t, line);
		oom_code_spans(p, t, line);
	} else {
		oom_code_line(p, t, line, traced);
	}
	oom_model_line(p, t, line, told);
	if (!told)
		program(p, t, line);
	else if (!p->images_told && makes_images(t))
		p->images_told = line;
	if (talk_any_of(t, "lora peft adapter frozen freez requires_grad sgd galore"))
		p->names_adapter = line;
	oom_domain_line(p->domains, t, line);
	oom_knob_line(p->knobs, t, line, source, traced);
	oom_switch_line(p->switches, t, line, source);
	oom_library_line(&p->libraries, t, line, told);
	if (traced) {
		oom_habit_traced(&p->habits, t, line);
		oom_use_script(p, t, line);
		p->moves_traced = oom_code_moves(t) ? line : p->moves_traced;
		return;
	}
	if (source == SOURCE_CODE || source == SOURCE_COMMAND || source == SOURCE_SETTING || form_has_started(t))
		oom_habit_line(&p->habits, t, line);
	oom_words_line(p, t, line, source);
	if ((source == SOURCE_PROSE || source == SOURCE_UNSURE) && p->told.here_line == line && (names_full_batch(t) || talk_has_whole(t, "full batch training|full-batch training|full batch gradient|full graph training|full-graph training")) &&
	    !talk_any_whole(t, "not no instead mini-batch minibatch sampled"))
		p->whole = line;
	setting(p, t, line);
	oom_holder_line(p, t, line);
}
