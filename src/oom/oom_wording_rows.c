/*
 * The table of phrases by which people tell what failed, with what may and may not stand around
 * each. Of the ways of one wording the first that holds is taken; oom_wording_row.h says how a row
 * is written.
 */
#include "oom/oom_wording_row.h"

#define ON_DEVICE_TOLD	ISNT(IN_SENTENCE, ASKS), NOT(IN_CLAUSE, WORDS, "empty cached"), NOT(IN_SENTENCE, PIECES, "empty_cache"),	\
    NOT(SENTENCE_AHEAD, WORDS, "confirm check verify print show see whether")
#define SOON_TOLD	NOT(IN_SENTENCE, WORDS, "after then second later until sometimes randomly if would could should"), ISNT(IN_SENTENCE, ASKS)
#define NO_GRADIENTS	"without turning gradient computations off|without turning gradients off|without turning off gradient|without turning off gradients|without turning off the gradients|" \
    "without disabling gradient|without disabling gradients|without disabling the gradient|gradients are not turned off|gradients are not disabled"
#define DIFFERENCE	"only difference|the difference is|difference is only|differ only|differs only"
#define NO_DIFFERENCE	NOT(IN_SENTENCE, WORDS, "not no same gpu gpus card cards machine version versions"), ISNT(IN_SENTENCE, MARK)
#define NOTHING_TRAINED	"infer predict test valid eval generat transcri pipeline notebook tutorial"
#define LARGER_WITHIN	40	/* bytes from "moved to a bigger" to what that is */
#define SWITCH_WITHIN	40	/* bytes from "switching" to "models" */
#define FEW_EPOCHS	OR_HAS(CLAUSE_AHEAD, DENIES, "unable almost nearly fails failed barely hardly"), HAS(CLAUSE_AHEAD, PHRASES, "not able"),	\
    NOT(IN_CLAUSE, WORDS, "day days hour hours time slow minutes loss if should accuracy"), ISNT(IN_SENTENCE, ASKS)

const struct way oom_wordings[WORDINGS][WORDING_WAYS] = {
	/* "all embeddings are stored on the GPU": of what a run makes or is given, not of a
	 * network; "I put the entire dataset on the GPU" */
	[WORDING_KEPT] = {
	    { TOLD(AHEAD | WORKS, "nothing none docs documentation model models weights parameters params optimizer network adapter lora file files checkpoint should would could want wants please instead how can cannot why", "stored on gpu|stored on the gpu|stored in gpu memory|stored in the gpu memory|stored in vram|stored on cuda|kept on gpu|kept on the gpu|"
	    "kept in gpu memory|kept in vram|saved on gpu|saved on the gpu|held on the gpu|held in gpu memory|stay on the gpu|stays on the gpu|accumulated on the gpu|accumulates on the gpu|accumulate on the gpu|collected on the gpu|"
	    "stored on the device|kept on the device"), { HAS(IN_LINE, PARTS, "gpu vram cuda device"), DECIDED, ON_DEVICE_TOLD } },
	    { ANYWHERE("整个数据集|全部数据|所有数据|整个训练集|全部样本|所有样本|所有图片|全部图片|所有帧"), { DECIDED, HAS(IN_LINE, PIECES, "放到显存|放进显存|放在显存|加载到显存|载入显存|读到显存|读入显存|放到gpu|放到了gpu|放到了显存|放进了显存|加载到gpu|加载到了gpu|加载到了显存|搬到gpu|都在显存|都在gpu|存到显存|存在显存"), NOT(IN_LINE, PIECES, "没有|不会|避免|不是|不要"), ON_DEVICE_TOLD } },
	    { WHOLE("entire dataset|whole dataset|full dataset|complete dataset|all the data|all data|all the training data|all training data|all of the data|entire data|whole data|entire data set|whole data set|all samples|all the samples|all images|all the images|all frames|all the frames"), { HAS(CLAUSE_BEHIND, PHRASES, "on the gpu|on gpu|onto the gpu|onto gpu|to the gpu|to gpu|into the gpu|into gpu|in the gpu|in gpu|on the device|to the device|into vram|in vram|to cuda|on cuda|to vram"), HAS(IN_CLAUSE, WORDS, "put puts putting move moves moved moving load loads loaded loading copy copies copied transfer transferred store stores stored keep kept keeps sent send is are was were fit"),
	        NOT(IN_CLAUSE, WORDS, "not no n't without never cannot can't instead batch batches should would could want wants if model weights fit cannot than before"), NOT(IN_CLAUSE, PHRASES, "n't"), ON_DEVICE_TOLD } },
	    { WHOLE("shared variable|shared variables|theano.shared"), { HAS(IN_LINE, WORDS, "theano"), HAS(IN_SENTENCE, WORDS, "array arrays data dataset numpy images samples"), NOT(IN_SENTENCE, WORDS, "not no without weights parameters if should"), ISNT(IN_SENTENCE, ASKS) } } },
	/* "it caches the whole data set in RAM", "with cache=True" */
	[WORDING_CACHED] = { { TOLD(AHEAD, "disabled disable off latents kv", "cache the dataset|cache the data|cache the whole|cache the entire|cache the images|cache the training|cache images|cache all|cache both|cached both|cached all|cached the images|cached the train|cached train|cached eval|cached images|caches both|caches images|caching both|caching train|caching eval|caches the data|caches the image|caches the whole|caches the entire|"
	    "caches all|caching the data|caching the image|caching the whole|caching images|caching all|dataset caching|data.cache()|dataset.cache()|).cache()|ds.cache()|cache=true|cache=ram|cache='ram'|--cache ram|--cache argument|--cache flag|cached in ram|"
	    "cached in memory|cache in ram|ram caching|images in ram|dataset in ram|whole dataset in memory|entire dataset in memory"), { HAS(IN_LINE, PARTS, "cache caching cached ram"),
	    NOT(IN_LINE, PIECES, "empty_cache|cache_dir|use_cache|cache-dir|hf_home|page cache|caching allocator|cached alloc|cached mem|cached block") } } },
	/* "A bus error when the shared array is made": of the machine's, and not what a GPU's
	 * blocks or Windows share */
	[WORDING_SHARED] = { { WHOLE("shared array|shared arrays|sharedarray|shared memory|shared_memory|/dev/shm|shm"), { HAS(IN_LINE, PIECES, "bus error|sigbus|shared array|sharedarray|/dev/shm|multiprocessing|dataloader"), NOT(IN_LINE, WORDS, "gpu cuda vram kernel block triton windows graphics sm"),
	    OR_IS(IN_SENTENCE, FAILS), OR_IS(IN_SENTENCE, NAMES_FAILURE), HAS(IN_LINE, PIECES, "bus error|sigbus"), NOT(IN_SENTENCE, WORDS, "without increased increasing should"), ISNT(IN_SENTENCE, RUNS) } } },
	/* Learning through steps of learning, by its method's name or what it asks autograd for. */
	[WORDING_TASKS] = { { WHOLE("maml|maml++|howtotrainyourmamlpytorch|multi-step loss optimization|meta-sgd|innerloop_ctx|second-order maml|create_graph=true|create_graph = true|second-order gradient|second-order gradients|second order gradient|second order gradients|second-order derivatives|second order derivatives|"
	    "gradients of gradients|meta-gradient|meta-gradients|meta gradients|higher-order gradients"), { NOT(CLAUSE_AHEAD, WORDS, "no without not instead unlike"), NOT(IN_LINE, WORDS, "penalty gan wgan physics pinn pinns hessian"),
	    NOT(WORD_AHEAD, WORD_OF, "first-order order approximate"), NOT_WITHIN(sizeof(" is not"), LINE_BEHIND, PIECES, " is not| isn't") } } },
	/* "MemoryError when I try to save the features" */
	[WORDING_SAVED] = { { TOLD(AHEAD | WORKS, "model weights checkpoint gpu vram", "save the features|save the embedding|save the result|save the prediction|save the output|save all|saving the features|saving the embedding|saving the result|saving the prediction|saving features|"
	    "saving results|saving embeddings|saving all|writing the features|writing the results"), { HAS(IN_LINE, PARTS, "save saving saved write writing"),
	    NOT(IN_LINE, WORDS, "model checkpoint weights") } } },
	/* vLLM, or the settings that are its own; not "and vLLM is able to host it". A form's title
	 * is none; and what makes images has no keys and values. */
	[WORDING_SERVER] = { { WHOLE("gpu_memory_utilization|gpu-memory-utilization|--gpu-memory-utilization|max_model_len|max-model-len|--max-model-len|vllm serve|vllm"), { NOT(IN_LINE, PIECES, "<summary|vllm-omni|vllm_omni|vllm omni"), ISNT(IN_LINE, PASSES_BY), ISNT(IN_CLAUSE, RUNS),
	    NOT(IN_CLAUSE, WORDS, "successfully able whereas"), NOT(IN_LINE, PIECES, "vllm can host|vllm can serve|vllm hosts") } } },
	/* "OOM when quantizing LLaMA 7B"; not vectors, not training with it, nor what needs no
	 * samples */
	[WORDING_QUANTIZES] = {
	    { TOLD(AHEAD | BEHIND | WORKS, "gguf ggml bitsandbytes bnb load_in_8bit load_in_4bit vector vectors product codebook faiss vq qat aware", "when quantize|when quantizing|while quantizing|during quantization|during the quantization|when i quantize|when i try to quantize|when i tried to quantize|trying to quantize|try to quantize|tried to quantize|"
	    "quantization process|quantizing the model|quantize the model|quantizing a model|quantize a model"), { HAS(IN_LINE, PIECES, "quantiz"), DECIDED, NOT(IN_LINE, PIECES, "quantization-aware|quantization aware|llama.cpp|llama-quantize|vector quantization|product quantization|bitsandbytes") } },
	    { ANYWHERE("量化时|量化的时候|量化过程|量化中|进行量化|做量化|量化到|awq量化|gptq量化|AWQ量化|GPTQ量化|量化模型时|量化模型的时候|量化llama|量化qwen|量化大模型|量化稍大|量化较大|量化模型爆|量化模型显存|量化报错|量化爆"), { NOT(IN_LINE, PIECES, "吗|?|？|量化后|量化版|量化感知|量化训练|向量量化|乘积量化|没有问题|没问题|正常|成功") } } },
	/* "OOM during graph capture", "it crashes while capturing CUDA graphs" */
	[WORDING_CAPTURES] = { { TOLD(AHEAD | WORKS, "", "during graph capture|during cuda graph capture|during cuda-graph capture|during the graph capture|during capture|while capturing|when capturing|capturing cuda graph|capturing the cuda graph|"
	    "capture cuda graph|cuda graph capture|graph capture oom|graph capturing"), { HAS(IN_LINE, PIECES, "cuda graph|cuda-graph|cudagraph|graph capture|graph capturing"),
	    NOT(IN_SENTENCE, WORDS, "screen camera video") } } },
	/* "Long videos only", of what fails */
	[WORDING_ONLY_LONG] = { { WHOLE("long videos only|long files only|long texts only|long sequences only|long inputs only|only long videos|only with long videos|only with long texts|only with long inputs|"
	    "only with long sequences|only with long files|only on long videos|only on long sequences|only on long inputs|only for long videos|only for long sequences|only for long inputs|"
	    "only happens on big files|only happen on big files|only happens on large files|only happens with big files|only happens with large files|only happens with long files|only on big files|only on large files|only with big files|only with large files|"
	    "issue arises with audio files|hitting a wall with some large files"), { NOT(CLAUSE_AHEAD, WORDS, "not no also too works work runs fine good"), NOT(IN_CLAUSE, PHRASES, "n't") } } },
	/* "The resolution of my video is 4k."; "4k videos" may be four thousand of them. */
	[WORDING_OWN_SIZE] = { { WHOLE("is 4k|is 8k|are 4k|are 8k|in 4k|in 8k|at 4k|at 8k|4k resolution|8k resolution|1080p|1440p|2160p"), { HAS(IN_SENTENCE, WORDS, "my our this resolution input inputs"), HAS(IN_SENTENCE, WORDS, "video videos image images frames pictures photos clip clips"),
	    NOT(IN_SENTENCE, WORDS, "screen monitor display desktop if could would should want even or lower"), ISNT(IN_SENTENCE, MARK), ISNT(IN_SENTENCE, RUNS) } } },
	/* "There is no no_grad around the inference script." */
	[WORDING_UNGRADED] = {
	    { ANYWHERE("没有加|没加|忘了加|忘记加|忘加|没有用|没用|没有使用|未加|未使用|缺少"), { HAS(IN_LINE, PIECES, "no_grad"), DECIDED, NOT(IN_LINE, PIECES, "吗|?|？|是不是|如果") } },
	    { WHOLE("no no_grad|not no_grad|no torch.no_grad|not torch.no_grad|without torch.no_grad|without no_grad|without with torch.no_grad|missing torch.no_grad|missing no_grad|missing the no_grad|lacks torch.no_grad|lacks no_grad|"
	    "forgot torch.no_grad|forgot no_grad|forgot to use torch.no_grad|forgot to add torch.no_grad|not in torch.no_grad|not under torch.no_grad|not wrapped in torch.no_grad|not wrapped by torch.no_grad|not wrapped with torch.no_grad|"
	    "should be wrapped in torch.no_grad|should be in torch.no_grad|should add torch.no_grad|should add with torch.no_grad|should add \"with torch.no_grad|should add `with torch.no_grad|should add `torch.no_grad|needs torch.no_grad|need torch.no_grad|"
	    "gradient is preserved during|gradients are preserved during|gradient is kept during|gradients are kept during|gradients are saved during|gradients are computed during|" NO_GRADIENTS), { NOT(SENTENCE_AHEAD, WORDS, "even if pass passes"), ISNT(IN_SENTENCE, RUNS), ISNT(IN_SENTENCE, MARK) } } },
	/* "My validation loop did not use torch.no_grad()": neither asked nor advised */
	[WORDING_UNGUARDED] = { { ANYWHERE("not use torch.no_grad|n't use torch.no_grad|not using torch.no_grad|n't using torch.no_grad|forgot torch.no_grad|forgot to use torch.no_grad|forgot to add torch.no_grad|forgot the torch.no_grad|"
	    "missing torch.no_grad|missed torch.no_grad|lacked torch.no_grad|forgot no_grad|forgot to use no_grad|missing no_grad|not use no_grad|n't use no_grad|" NO_GRADIENTS), { HAS(IN_SENTENCE, BEGINS, "valid eval test infer predict"), ISNT(IN_SENTENCE, ASKS),
	    NOT(IN_SENTENCE, WORDS, "if should would you your might maybe pass passes") } } },
	/* "The only difference between the sample video and mine is their duration." */
	[WORDING_DIFFERS_LENGTH] = { { WHOLE(DIFFERENCE), { HAS(SENTENCE_BEHIND, WORDS, "duration length durations lengths frames longer"), NO_DIFFERENCE } } },
	[WORDING_DIFFERS_PIXELS] = { { WHOLE(DIFFERENCE), { HAS(SENTENCE_BEHIND, WORDS, "resolution resolutions pixels"), NO_DIFFERENCE } } },
	/* "The frames might be too big for my GPU." */
	[WORDING_TOO_LARGE_PICTURES] = { { WHOLE("too big for my gpu|too large for my gpu|too big for the gpu|too large for the gpu|too big for my card|too large for my card|too big for gpu|too large for gpu"), { HAS(CLAUSE_AHEAD, WORDS, "frame frames image images picture pictures photo photos resolution pixels crop crops tile tiles"), NOT(IN_CLAUSE, WORDS, "not no model network batch than if"),
	    NOT(IN_CLAUSE, PHRASES, "n't"), ISNT(IN_CLAUSE, MARK) } } },
	/* "It depends on the number of processes": all of which use the device; the same of a
	 * server's workers, where a loader's have no model */
	[WORDING_PROCESSES] = {
	    { ANYWHERE(OOM_EACH_CHINESE), { HAS(IN_LINE, PIECES, "显存|gpu|显卡"), HAS(IN_LINE, PIECES, "模型"), HAS(IN_LINE, PIECES, OOM_READS_CHINESE), NOT(IN_LINE, PIECES, "吗|？|?|共享|避免|不会|内存") } },
	    { WHOLE("worker loads its own|workers load their own|each worker loads|every worker loads|worker loads a copy|worker has its own|workers have their own|worker loads the model|workers load the model|workers on one gpu|workers on the same gpu|workers share the gpu"), { HAS(IN_SENTENCE, WORDS, "model models"), HAS(IN_SENTENCE, WORDS, "gpu gpus vram cuda"), NOT(IN_SENTENCE, BEGINS, "dataloader num_worker"),
	        NOT(IN_SENTENCE, WORDS, "not no if should instead") } },
	    { WHOLE("dependent on the number of processes|depends on the number of processes|number of processes per gpu|processes share the gpu|processes share one gpu|processes on the same gpu|processes on one gpu|processes on a single gpu|"
	    "certain number of processes|reducing the number of processes|reduced the number of processes|fewer processes|less processes|too many processes|number of parallel processes|number of running jobs|"
	    "ranks on one gpu|ranks on a single gpu|ranks on the same gpu|ranks per gpu|processes per gpu|processes on each gpu|processes share a gpu|processes load their own|process loads its own"), { NOT(IN_SENTENCE, WORDS, "not no dataloader loader worker workers num_workers"), NOT(IN_SENTENCE, PHRASES, "n't"), ISNT(IN_SENTENCE, MARK) } } },
	/* "It was loaded in float32, as I forgot torch_dtype": told of what failed, and neither
	 * asked nor denied */
	[WORDING_FULL_SIZE] = {
	    { ANYWHERE("用fp32加载|以fp32加载|用float32加载|以float32加载|fp32精度加载|float32精度加载|默认fp32|默认float32|默认是fp32|默认是float32|默认用fp32|全精度加载|没有设置torch_dtype|没设置torch_dtype|没有指定torch_dtype|没指定torch_dtype|没加torch_dtype|忘了torch_dtype"), { DECIDED, NOT(IN_LINE, PIECES, "吗|?|？|是不是|如果|不是") } },
	    { WHOLE("without torch_dtype|forgot torch_dtype|forgot the torch_dtype|forgot to set torch_dtype|forgot to pass torch_dtype|missing torch_dtype|no torch_dtype|not set torch_dtype|n't set torch_dtype|not pass torch_dtype|n't pass torch_dtype|without specifying torch_dtype|"
	    "without setting torch_dtype|without passing torch_dtype|loaded in float32|loaded in fp32|loads in float32|loads in fp32|loading in float32|loading in fp32|loaded as float32|loaded as fp32|loads as float32|load in fp32|load in float32|loads the model in fp32|"
	    "loads the model in float32|loading the model in fp32|loading the model in float32|model in full precision|model in float32|model in fp32|weights in float32|weights in fp32|defaults to float32|default to float32|defaults to fp32"), { ISNT(IN_SENTENCE, ASKS), ISNT(IN_CLAUSE, RUNS), NOT(IN_CLAUSE, WORDS, "if would should could instead unlike never even master cpu then works whether"),
	        NOT(CLAUSE_AHEAD, WORDS, "not no n't"), NOT(CLAUSE_AHEAD, PHRASES, "n't") } } },
	/* "Memory doubles as the trained model is loaded": not of data, nor of two models */
	[WORDING_TWICE] = { { WHOLE("double|doubles|doubled|doubling|twice|two times|two copies|2x"), { HAS(IN_SENTENCE, WORDS, "memory ram vram"), HAS(IN_SENTENCE, BEGINS, "load reload checkpoint"), HAS(IN_SENTENCE, BEGINS, "model weight checkpoint parameter state_dict"),
	    NOT(IN_SENTENCE, WORDS, "data dataset datasets images loader dataloader batch batches worker workers processes gpus cards models second another train epoch if"), NOT(IN_SENTENCE, WORDS, "double-precision float64 precision doublequant double_quant quant") } } },
	/* "Changing it to loss.item() prevents it", "for solving it I used .detach()": what was
	 * held is told by what let go of it. */
	[WORDING_LETS_GO] = {
	    { WHOLE("holding on to the graph|holding onto the graph|holds on to the graph|holds onto the graph|sum of non-detached|non-detached tensors|non-detached loss|undetached|stores the complete computation graph|store the complete computation graph|stores the whole computation graph|store the whole computation graph|"
	    "complete compution graph|keeps the computation graph|keeps the computational graph|keep the computation graph|keeps the whole graph|keep the whole graph|keeps the graph alive|retains the computation graph|carries the computation graph|entire computation graph|whole computation graph|loss is not detached|losses are not detached|actual losses are|graph of the loss is kept"), { DECIDED, NOT(CLAUSE_AHEAD, DENIES, ""), ISNT(IN_SENTENCE, ASKS) } },
	    { ANYWHERE(".detach()|detach()|.detach|loss.item()|.item()|detaching the loss|detach the loss|detaching them|detaching it"), { HAS(IN_SENTENCE, PHRASES, "solves|solved|solving|fixes|fixed|fix|prevents|prevented|stops|stopped|stoped|resolves|resolved|helped|sufficient to change|no longer grows|no more leak|goes away|went away"), NOT(IN_SENTENCE, WORDS, "not never didn't doesn't tried still should would could if even no"), NOT(IN_SENTENCE, PIECES, "n't "), ISNT(IN_SENTENCE, ASKS) } } },
	/* "I appended outputs to a list without detach": told of what one did, and neither asked
	 * nor advised */
	[WORDING_ATTACHED] = {
	    { ANYWHERE("没有detach|没detach|忘了detach|忘记detach|未detach|没有加detach|没加detach|没有用detach|没有.detach|没有加.item|没加.item|忘了.item|没用.item|没有用.item|没有item()"), { DECIDED, NOT(IN_LINE, PIECES, "吗|?|？|是不是|如果|应该") } },
	    { WHOLE("forgot to detach|forgot detach|forgot .detach|forgot the detach|forgot to call detach|not detached|n't detached|not detach|n't detach|without detach|without detaching|without .detach|not detaching|n't detaching|missing detach|missing .detach|"
	    "without .item()|forgot .item()|forgot to use .item()|forgot item()|not use .item()|n't use .item()|not using .item()|n't using .item()|instead of loss.item()|not loss.item()|missing .item()|forgot loss.item()"), { ISNT(IN_SENTENCE, ASKS), NOT(IN_SENTENCE, WORDS, "if should would could might maybe must even"), ISNT(IN_CLAUSE, RUNS) } } },
	/* "The model is too big for my GPU": told of what failed */
	[WORDING_TOO_LARGE] = {
	    { ANYWHERE("模型太大|模型过大|模型放不下|单卡放不下|一张卡放不下|显存放不下|放不下整个模型|放不下这个模型"), { DECIDED, NOT(IN_LINE, PIECES, "吗|?|？|是不是|如果|不是因为|不是模型") } },
	    { WHOLE("memory for this model|memory for the model|vram for this model|vram for the model|memory to load this model|memory to load the model|vram to load the model|vram to load this model|memory to hold the model|memory to load model"), { HAS(CLAUSE_AHEAD, PHRASES, "insufficient|not enough|n't enough|too little|not sufficient|lack of"), DECIDED, ISNT(IN_SENTENCE, ASKS), NOT(IN_SENTENCE, WORDS, "if should would could might maybe think whether cpu ram disk train training finetune user users tell tells") } },
	    { WHOLE("encoder alone does not fit|encoder alone doesn't fit|model alone does not fit|model alone doesn't fit|weights alone do not fit|weights alone don't fit|weights alone are more than|weights alone exceed|model alone exceeds|transformer alone does not fit|transformer alone doesn't fit|"
	    "model itself does not fit|model itself doesn't fit" "|model is too big for|model is too large for|model is simply too big|model is just too big|model too big for|model too large for|model does not fit|model doesn't fit|model won't fit|model will not fit|model can't fit|model cannot fit|model didn't fit|"
	    "model did not fit|weights do not fit|weights don't fit|weights cannot fit|weights can't fit|weights are too large for|weights are too big for|unable to fit the model|can't fit the model|cannot fit the model|couldn't fit the model|could not fit the model"), { ISNT(IN_SENTENCE, ASKS), NOT(IN_SENTENCE, WORDS, "if should would could might maybe think thought whether cpu ram disk when larger bigger") } } },
	/* "It does not work without memory_growth": TensorFlow's own share of the device is what
	 * fills it. */
	[WORDING_BY_GROWTH] = { { WHOLE("n't work without|not work without|n't run without|not run without|n't train without|fails without|fail without|failed without|crashes without|crash without|oom without|error without|errors without|"
	    "only works with|works only with|work only with|only runs with|runs only with|only works if|only works when|works only if|works only when"), { HAS(CLAUSE_BEHIND, PHRASES, "memory_growth|set_memory_growth|allow_growth|memory growth|allow growth|tf_force_gpu_allow_growth|set_memory_growth()"), ISNT(IN_SENTENCE, ASKS), NOT(IN_CLAUSE, WORDS, "if should would could might") } } },
	/* "OOM due to large context length" */
	[WORDING_BY_LENGTH] = {
	    { ANYWHERE("上下文太长导致|上下文过长导致|上下文长度过大导致|上下文长度太大导致|序列太长导致|序列过长导致|文本太长导致|文本过长导致"), { DECIDED, NOT(IN_LINE, PIECES, "吗|?|？|是不是|如果|不是"), IS(IN_SENTENCE, FAILS), ISNT(IN_SENTENCE, ASKS) } },
	    { WHOLE("due to a large context|due to a long context|due to huge context|due to big context|due to large context|due to the large context|due to long context|due to the long context|due to context length|due to the context length|because of the context length|because of large context|because of the large context|because of long context|because of the long context|"
	    "caused by large context|caused by the large context|caused by long context|caused by the long context|due to long sequences|due to the long sequences|because of long sequences|because of the long sequences|due to long prompts|due to the long prompt|because of the long prompt|because of long prompts|"
	    "due to sequence length|due to the sequence length|because of the sequence length|because of sequence length"), { IS(IN_SENTENCE, FAILS), ISNT(IN_SENTENCE, ASKS) } } },

	/* "I followed the suggestion and it runs without any errors" */
	[WORDING_FOLLOWED] = { { WHOLE("followed the suggestion|followed this suggestion|followed that suggestion|followed your suggestion|followed the advice|followed this advice|followed your advice|followed the recommendation|did as suggested|did what was suggested|applied the suggestion"), { OR_IS(SENTENCE_BEHIND, RUNS), HAS(SENTENCE_BEHIND, PHRASES, OOM_RUNS_THEN), ISNT(SENTENCE_BEHIND, FAILS), ISNT(IN_SENTENCE, MARK),
	    NOT(IN_SENTENCE, WORDS, OOM_ALSO_THEN " " OOM_NOT_ENDED) } } },
	/* 就不报错了, 就好了, 解决了 of what was changed; not asked, denied or of others */
	[WORDING_ENDED_CHINESE] = { { ANYWHERE("就不报错|就不会报错|就不会出现|就不再出现|就没再出现|就不再报错|就没有报错|就不爆显存|就不会爆显存|就不oom|就不会oom|就正常了|就可以正常|后正常|就好了|就解决了|后解决|问题解决|解决了这个问题|解决了该问题|就没问题了|就没有问题了|就能跑了|就可以跑了"), { HAS(LINE_AHEAD, PIECES, "改|设|换|调|去掉|删|关|减|降|注释|加上|移"),
	    NOT(IN_LINE, PIECES, "别人|有人|他们|网上|听说|不行|没用|无效|试过|吗|么|怎么|如何|请问|是不是|能不能|还是|仍|依然|没有解决|未解决|没解决|无法|如果|希望|应该|可能|?|？|重启") } } },
	/* volatile=True of PyTorch before 0.4 is said to do nothing */
	[WORDING_DEPRECATED] = { { WHOLE("volatile"), { HAS(IN_SENTENCE, WORDS, "deprecated removed no_grad longer ignored") } } },

	/* "When I moved to a bigger scene of 29 images it crashes": data again, and more of them */
	[WORDING_LARGER_DATA] = { { WHOLE("moved to a bigger|moved to bigger|moved to a larger|moved to larger|move to a bigger|move to bigger|move to a larger|move to larger|switched to a bigger|switched to a larger|switch to a larger|switch to a bigger|went to a larger|went to a bigger|tried a bigger|tried a larger|try a larger|try a bigger|tried bigger|tried larger|"
	    "moving to a larger|moving to a bigger|moving to larger|moving to bigger|switching to a larger|scaled up to|scale up to"), { HAS_WITHIN(LARGER_WITHIN, SENTENCE_BEHIND, WORDS, "scene scenes dataset datasets set image images picture pictures video videos graph graphs volume volumes mesh sequence sequences sample samples file files document documents map corpus"),
	    OR_IS(SENTENCE_BEHIND, FAILS), HAS(SENTENCE_BEHIND, PHRASES, OOM_BE_KILLED), ISNT(IN_SENTENCE, MARK), NOT(IN_SENTENCE, WORDS, "if should would could"),
	    NOT_WITHIN(LARGER_WITHIN, SENTENCE_BEHIND, WORDS, "gpu gpus card machine instance server batch model network") } } },
	/* "If I change it back to a size that worked before, it is still out of memory": not what
	 * "worked before" an update */
	[WORDING_BACK] = { { EVERY("change it back|changed it back|changing it back|change back|changed back|changing back|go back to|going back to|goes back to|went back to|set it back|setting it back|"
	    "set back to|reduce it back|reduced it back|switch back|switched back|switching back"), { HAS(IN_SENTENCE, BEGINS, "batch size setting config value number length resolution original default before previous lower smaller work fit image it"),
	    NOT(IN_SENTENCE, WORDS, "version commit release driver branch cuda pytorch torch tensorflow update downgrade"), HAS(IN_SENTENCE, WORDS, "still even again anymore suddenly"), IS(IN_SENTENCE, FAILS) } } },
	/* "The error does not occur when I resize to 512." */
	[WORDING_NOT_WITH_LESS] = { { WHOLE("do not get this|don't get this|do not get it|don't get it|do not get that|don't get that|do not get the error|don't get the error|does not occur|doesn't occur|does not happen|doesn't happen|does not appear|doesn't appear|not occur|no error occurs|goes away|go away|disappears|is gone|does not fail|doesn't fail|does not crash|doesn't crash"), { HAS(SENTENCE_BEHIND, WORDS, "when while if with for once using"), HAS(SENTENCE_BEHIND, WORDS, OOM_PARTS " subset"),
	    NOT(IN_SENTENCE, WORDS, "still even should would could might increase increased larger bigger whether"), ISNT(IN_SENTENCE, MARK) } } },
	/* "This doesn't happen with the reduced features": what is smaller, with which it runs */
	[WORDING_NOT_WITH_SMALLER] = { { WHOLE("n't happen with|not happen with|n't happen for|not happen for|n't happen when using|n't happen if i use|n't occur with|not occur with|n't occur when using|never happens with|never occurs with"), { HAS(CLAUSE_BEHIND, PHRASES, "reduced|smaller|shorter|fewer|downsampled|downscaled|compressed|cropped|truncated|tiny|lower resolution|a subset|half of"), ISNT(IN_SENTENCE, MARK),
	    NOT(IN_CLAUSE, WORDS, "if should would batch") } } },

	/* "It takes the memory that other networks need, and does not release it when it is done",
	 * "that module does not free its memory after it finishes"; "I access all 3 models
	 * concurrently": not "I tried several models" */
	[WORDING_MODELS] = {
	    { ANYWHERE("多个实例|多实例|实例数|两个实例|每个实例"), NOTHING_ELSE },
	    { WHOLE("not release|n't release|not free|n't free|not give back|n't give back|not unload|n't unload|not let go|n't let go|not released|n't released|not freed|n't freed|not unloaded|n't unloaded"), { OR_HAS(IN_SENTENCE, PHRASES, "other networks|other neural networks|other models|another network|another neural network|another model|other network|other model|next model|next network|the vocoder"),
	        HAS(IN_SENTENCE, PHRASES, "after it finishes|after it finished|after it is finished|when it finishes|once it finishes|after it is done|when it is done|once it is done|after finishing|after it ends"), OR_HAS(IN_SENTENCE, PHRASES, "other networks|other neural networks|other models|another network|another neural network|another model|other network|other model|next model|next network|the vocoder"),
	        HAS(IN_SENTENCE, WORDS, "module modules plugin extension"), HAS(IN_SENTENCE, WORDS, "memory vram resource resources gpu"), ISNT(IN_SENTENCE, ASKS), NOT(IN_SENTENCE, WORDS, "if should would could process processes notebook") } },
	    { TOLD(AHEAD | WORKS, "results tested testing tried compared comparing comparison benchmark", "load a number of models|loads a number of models|load many models|loads many models|load multiple models|load several models|loads all models|many models at|multiple identical models|served simultaneously|models are loaded|all 2 models|all 3 models|all 4 models|running 2 models|running 3 models|running 4 models|models concurrently|models simultaneously|models at once|models at the same time|models in parallel|models in one process|models in the same process|two models on|"
	    "load both models|loads both models|loading both models|load both networks|loads both networks|loading both networks|run both models|running both models|run two models|running two models|run two networks|running two networks|run both networks|running both networks|keep both models|both networks on|both networks in|two networks on|two networks in|two networks at|three models at|three models on|"
	    "both models on|both models in|multiple models on|multiple models in|several models on|several models in|models on one gpu|models on the same gpu|instances of the same model|instances of one model|instances of a model|instances of the model|instance count|model instances|instance_group|several instances of|multiple instances of|two instances of|second model is loaded|loading a second model|load all models at the same time|load all the models at the same time|loads all models at the same time|"
	    "not enough memory for both|not enough vram for both|not enough room for both|no room for both|n't enough memory for both|n't enough vram for both|not enough memory for all models|not enough memory for all the models|cannot hold both|can't hold both|both models do not fit|both models don't fit|model is not unloaded|model isn't unloaded|model is never unloaded|model is not properly unloaded|"
	    "model is not garbage collected|model is not properly garbage collected|model is not gced|model is not properly gced|model isn't gced|first model is not freed|first model is not released|first model is still in memory|first model is still loaded|previous model is still loaded|previous model is not unloaded|previous model is not freed|previous model is not released|old model is not unloaded|old model is not freed"), { NOT(IN_LINE, PHRASES, OOM_ON_SEVERAL) } },
	    /* "When I change the model twice, it is out of memory"; not "from ResNet-50 to a larger
	     * one" */
	    { EVERY("switching|switch|switched|switches|changing|change|changed|swapping|swap|model changes|model switches|checkpoint changes|切换|换了|更换"), { HAS_WITHIN(SWITCH_WITHIN, SENTENCE_FROM, PHRASES, "model|models|checkpoint|checkpoints|ckpt|模型"), HAS(IN_SENTENCE, PHRASES, "models|checkpoints|twice|again|times|model changes|model switches|checkpoint changes|another model|other model|another checkpoint|之后|几次|多次"),
	        OR_IS(IN_SENTENCE, FAILS), IS(IN_SENTENCE, NAMES_FAILURE), NOT(IN_SENTENCE, WORDS, "from training train trained larger bigger smaller if should would could than without batch architecture backbone"), NOT(IN_SENTENCE, PHRASES, "n't change|not change|nothing changed|nothing else"), ISNT(IN_SENTENCE, ASKS) } } },
	/* "Is there a setting to distribute that over 4 GPUs?": who asks for it has all of it on
	 * one. */
	[WORDING_ASKS_TO_SPREAD] = { { WHOLE("distribute|distribute that over|distribute it over|distribute this over|distribute the model over|distribute across|distribute it across|distribute the model across|distribute that across|spread it over|spread it across|spread the model over|spread the model across|split it over|split it across|"
	    "split the model across|split the model over|split over|split across|spread across|spread over"), { HAS(SENTENCE_AHEAD, PHRASES, "is there|are there|how can|how do|how to|how could|can i|can we|do i|should i|i want to|i would like|i'd like|is it possible|any way|possible to"), HAS(SENTENCE_FROM, WORDS, "gpus gpu's cards devices"),
	    HAS(SENTENCE_FROM, WORDS, OOM_MANY_DEVICES " all other"), NOT(IN_SENTENCE, WORDS, "data dataset batch batches training train already") } } },
	/* "How are all four cards put to use?" */
	[WORDING_ASKS_FOR_ALL] = { { ANYWHERE("张卡都用|张显卡都用|块卡都用|块显卡都用|个gpu都用|多卡都用|卡都利用|卡都用起来|卡都用上|显卡都用起来|显卡都用上"), { HAS(LINE_AHEAD, PIECES, "怎么|如何|怎样|才能|能不能|能否|可以吗|需要设置|要设置"), NOT(IN_LINE, PIECES, "已经|训练|数据") } } },
	/* "The GPU has plenty of memory left", but not "I have plenty of memory and a GPU of 24
	 * GB", whose memory is of the machine */
	[WORDING_AMPLE] = { { WHOLE("plenty of|plenty memory|lots of memory|lots of vram|lots of free"), { HAS(CLAUSE_BEHIND, WORDS, "vram gpu gpus video graphics free left available remaining unused spare room space") } } },
	/* "With the same parameters that trained well before I get this since two days": what
	 * differs is none of the run. */
	[WORDING_NO_LONGER] = {
	    { ANYWHERE("同样的参数|同样的配置|同样的代码|同样的设置|同样参数|同样配置|相同的参数|相同的配置|相同参数|相同配置|一样的参数|一样的配置|什么都没改|什么都没动|没有改动|没改过|没有修改|没做改动|동일한 파라미터|같은 파라미터|동일한 설정|같은 설정|동일한 코드|같은 코드|同じ設定|同じコード"), { DECIDED, HAS(IN_LINE, PIECES, "之前|昨天|以前|前几天|上周|上个月|原来|전에|이전|어제|以前は|昨日"), HAS(IN_LINE, PIECES, "可以|能跑|正常|没问题|没有问题|跑通|跑得|돌아갔|돌아가던|됐|되던|되었|작동|문제없|문제 없|動い"), NOT(IN_LINE, PIECES, "版本|升级|更新|换了|另一台|버전|업데이트") } },
	    { WHOLE("same parameters|same params|same settings|same setting|same config|same configuration|same code|same script|same command|same batch size|same hyperparameters|same notebook|same setup|nothing changed|nothing has changed|without any change|without any changes|"
	    "without changing anything|did not change anything|didn't change anything|haven't changed anything|have not changed anything|not changed anything"), { HAS(IN_LINE, PHRASES, "yesterday|before|previously|earlier|last week|last month|days ago|weeks ago|used to|this morning|no longer|until today|until yesterday"), OR_IS(IN_LINE, RUNS), HAS(IN_LINE, WORDS, "worked ran trained fit succeeded"),
	        NOT(IN_LINE, WORDS, "version versions update updated upgrade upgraded driver commit pull pulled release reinstall reinstalled machine another other different larger bigger more server epoch epochs step steps iterations"), ISNT(IN_SENTENCE, ASKS), OR_IS(IN_LINE, FAILS), IS(IN_LINE, NAMES_FAILURE) } } },
	/* "The first one runs fine but then I get": what is said of the next */
	[WORDING_WELL_ONCE] = { { WHOLE("the first one runs fine|the first one works|the first one runs|first one works fine|first one runs fine|first run works|first run is fine|first run was fine|first run goes|first run succeeds|first call works|first image works|first generation works|first inference works|"
	    "works the first time|works fine the first time|runs the first time|runs fine the first time|works for the first time|works only once|only works once|works once|runs once|"
	    "went well for the first|goes well for the first|works well for the first|worked well for the first|works for the first two|works for the first few|worked for the first two|worked for the first few|runs for the first two|ran for the first two|fine for the first two|fine for the first few|well for the first two|fine the first two|well the first two"), { HAS(LINE_BEHIND, PHRASES, "but|then|second|2nd|next|subsequent|again|following|afterwards|after that|third"), NOT(CLAUSE_AHEAD, DENIES, "nothing none"),
	    NOT(IN_SENTENCE, BEGINS, "epoch step batch iter"), ISNT(IN_SENTENCE, ASKS) } } },
	/* "If I shut down the other notebook, it runs": two of them have a device. */
	[WORDING_NOTEBOOKS] = { { TOLD(AHEAD, "whether maybe perhaps should could", "two jupyter kernels|2 jupyter kernels|both jupyter kernels|two notebooks|1st notebook|2nd notebook|second notebook|two jupyter notebooks|two different notebooks|both notebooks|other notebook|other notebooks|another notebook|first notebook|previous notebook|other jupyter notebook|other jupyter notebooks|"
	    "another jupyter notebook|other jupyter kernel|other jupyter kernels|another jupyter kernel|other ipython|another ipython|other python process|other python processes|another python process|other python program|another python program"), { HAS(IN_SENTENCE, WORDS, "close closed closing shut shutdown shutting kill killed killing terminate terminated terminating running opened open simultaneously"), ISNT(IN_SENTENCE, ASKS),
	    NOT(IN_SENTENCE, WORDS, "no not none still even without"), OR_NOT(IN_SENTENCE, WORDS, "if"), HAS(IN_SENTENCE, PHRASES, "if i shut|if i shutdown|if i close|if i kill|if i stop") } } },
	/* "The memory is not released after I stopped the training": where people did it, not where
	 * memory ran out; of 显存 or 显卡 不会释放, 没有释放, 不释放, 未释放, 没释放 beside kill, 结束, 停止,
	 * 中断, 关闭, 退出 */
	[WORDING_STAYS] = {
	    { TOLD(AHEAD | BEHIND, "", "not giving back|not give back|n't give back|not deallocate|n't deallocate|still lives in|still lives on|keeps occupying|keeps holding|still occupies|still occupying|still holds|still holding|not released|n't released|not freed|n't freed|not be released|not be freed|not free up|not release|n't release|not free|n't free|not cleared|n't cleared|"
	    "still occupied|remains occupied|stays occupied|still allocated|remains allocated|still in use|still used|still taken|still held|still full"), { HAS(IN_LINE, PARTS, "memory vram"), DECIDED, HAS(IN_SENTENCE, PHRASES, "ctrl-c|ctrl+c|ctrl c|ctrl-z|ctrl+z|ctrl z|keyboardinterrupt|keyboard interrupt|is stopped|was stopped|stop the|stopped the|stopping the|stopped it|i stop|i stopped|i interrupt|"
	    "i interrupted|is interrupted|was interrupted|interrupting|interrupted the|interrupt the|is terminated|was terminated|terminate the|terminated the|terminating the|"
	    "when finish|when finished|when it finishes|when it finished|after finishing|after it finishes|once finished|once it finishes|session closes|session is closed|program exits|process exits|script exits|program ends|process ends|script ends|program finishes|script finishes|after exiting|after training|after the training|after training my model|i kill|i killed|kill the|killed the|killing the|zombie|zombies|defunct"), NOT(IN_SENTENCE, PIECES, "out of memory|oom|by the system|by the kernel") } },
	    { WHOLE("stays in|stay in|staying in|stays on|stay on|staying on|remains in|remain in|remaining in|stays allocated|staying allocated|never freed|never released"), { HAS(IN_SENTENCE, PARTS, "memory vram"), HAS(IN_SENTENCE, PHRASES, "until the process|until the python|until python|until the program|until the kernel|until the script|until i kill|until i restart|until it is killed|until i close|no matter what"), NOT(IN_SENTENCE, PIECES, "out of memory|oom") } },
	    { ANYWHERE("不会释放|没有释放|不释放|未释放|没释放"), { HAS(IN_LINE, PIECES, "显存|显卡"), HAS(IN_LINE, PIECES, "kill|结束|停止|中断|关闭|退出") } } },
	/* "I set retain_graph": not "I removed retain_graph" */
	[WORDING_RETAINS] = { { ANYWHERE("retain_graph"), { NOT(IN_SENTENCE, BEGINS, "without remov delet drop instead"), NOT(IN_SENTENCE, PHRASES, "not due to|not because of|not caused by|not set|not used|not needed|not using|don't use|do not use"),
	    NOT(IN_LINE, PIECES, "retain_graph=false|retain_graph = false") } } },
	/* "It takes 12 GB when it starts, and drops to 5 after a while" */
	[WORDING_PEAK] = { { WHOLE("drop to normal|drops to normal|dropped to normal|down to normal|back to normal|at the beginning|at the very beginning|at the start|at first"), { HAS(IN_LINE, PARTS, "memory vram mib"), HAS(IN_SENTENCE, WORDS, "high higher highest peak peaks spike spikes more"),
	    HAS(IN_SENTENCE, WORDS, "memory vram mib gb usage"), NOT(IN_SENTENCE, PARTS, "epoch validat") } } },
	/* "the gradient penalty of WGAN-GP" */
	[WORDING_PENALTY] = { { TOLD(AHEAD, "instead removed", "gradient penalty|gradient_penalty|gradient-penalty|wgan-gp|wgangp|wgan_gp"), NOTHING_ELSE } },
	[WORDING_UNFREEZES] = { { TOLD(AHEAD, "before", "unfreez|unfroze"), NOTHING_ELSE } },

	/* "OOM after the video finished generating": by then what was made is decoded to
	 * pictures; "OOM at the VAE decode stage": of an autoencoder, by its name, that is not
	 * itself trained */
	[WORDING_DECODES] = {
	    { TOLD(AHEAD, "", "finished generating|finishes generating|once the image is done|when the image is done|after the image is done|once the video is done|when the video is done|generation finished|generation finishes|after generating the video|after generating the image|after all the steps|after all steps|completing all the steps|completing all steps|completed all the steps|"
	    "happens after sampling|happens after the sampling|crashes after sampling|crashes after the sampling|fails after sampling|fails after the sampling|oom after sampling|memory after sampling|error after sampling|error after the sampling|after the last step|at the last step of generation|last step of sampling|last steps of sampling|last sampling step|final step of sampling|final sampling step|end of the sampling|end of the generation|end of generation|last second of generation|last steps of generation|last step of generation|right before saving the video|before saving the video|before creating the output|before it could create an output"), { HAS(IN_LINE, WORDS, "video videos image images picture pictures frame frames"), NOT(IN_LINE, BEGINS, "train token prompt epoch answer") } },
	    { TOLD(AHEAD | BEHIND | WORKS, "", "vae decode|vae decoding|vae decoder|video decoder|decoder step|decoding stage|decode stage|at vae|in vae|in the vae|during vae|"
	    "vae encode|vae encoding|decode step|decoding step|decode the latents|decoding the latents"), { NOT(IN_LINE, PHRASES, "train a vae|train the vae|train my vae|training a vae|training the vae|training my vae|train an autoencoder|training an autoencoder|train the autoencoder|training the autoencoder|training my autoencoder"), NOT(IN_SENTENCE, PIECES, "vae/|vae.py|vae.train"), HAS(IN_LINE, WORDS, "vae autoencoder autoencoderkl latent latents") } } },
	/* "It runs for all 50 steps, and fails at the end", of what makes images */
	[WORDING_DRAWS_LAST] = { { TOLD(AHEAD, "", "end of last iteration|end of the last iteration|at the last step|on the last step|after the last iteration|fails at the end|fails at the very end|crashes at the end|crashes at the very end|just before the end|right before the end|oom at the very end"), { HAS(IN_LINE, WORDS, "steps generation generating sampling image images video") } } },
	/* In a sentence that says that memory ran out: elsewhere that of a file's form may fail,
	 * too. */
	[WORDING_TESTS_FAIL] = { { TOLD(AHEAD | BEHIND | WORKS, "", "validation fails|validation failed|evaluation fails|evaluation failed"), NOTHING_ELSE } },
	/* "The first batch runs, and the second does not", "right after the first iteration": not
	 * where nothing is trained, and no optimizer makes anything */
	[WORDING_FIRST_RAN] = {
	    { ANYWHERE("训练了一步后|训练一步后|跑了一步|一步之后|第一步之后|第二步就|第二个step|第二个batch|第二个iter|第一个batch后|第一个batch之后|第一个iter后|第一个step后|一个iteration后|一个step后|一个batch后"), { NOT(IN_LINE, PIECES, "推理|测试|验证|预测") } },
	    { TOLD(AHEAD, "", "after the first iteration|after first iteration|after the first step|after first step|"
	    "after the first batch|after first batch|after one iteration|after one step|after one batch|after 1 iteration|after 1 step|after a single iteration"), { HAS(IN_LINE, PARTS, "first second 1st 2nd one"), DECIDED, NOT(IN_SENTENCE, BEGINS, NOTHING_TRAINED) } },
	    { WHOLE("second iteration|second iter|second step|second batch|second global batch|second minibatch|second mini-batch|2nd iteration|2nd step|2nd batch|"
	    "next iteration|next step|next batch"), { NOT(IN_LINE, BEGINS, NOTHING_TRAINED), HAS(IN_LINE, PARTS, "second 2nd next"), HAS(IN_SENTENCE, PHRASES, "first iteration|first iter|first step|first batch|first global batch|first minibatch|first mini-batch|one iteration|one step|one batch|"
	    "1st iteration|1st step|1st batch") } } },
	/* "With SGD it runs, with Adam it is out of memory." */
	[WORDING_ADAM] = { { WHOLE("adam|adamw"), { HAS(IN_SENTENCE, WORDS, "sgd"), HAS(IN_SENTENCE, WORDS, "works work worked fine ok okay fits fit runs run trains no without can while whereas only but"),
	    NOT(IN_SENTENCE, WORDS, "nan diverges converge converges neither both even whether or either still too also instead"), NOT(IN_SENTENCE, PHRASES, "adam to sgd|adam with sgd|adam by sgd|adam for sgd|adamw to sgd") } } },
	/* A network that is put into another form, for which nothing is trained and no set of data
	 * is read. */
	[WORDING_CONVERTS] = { { TOLD(AHEAD | WORKS, "", "convert|conversion|export|quantiz|"
	    "building the engine|build the engine|building tensorrt|building the tensorrt|building engine|building cuda engine|building an engine|building trt|building the trt"), { HAS(IN_LINE, PARTS, "engine onnx tensorrt trt tflite gguf model weights"),
	    NOT(IN_SENTENCE, PIECES, "i fixed|i solved|i have fixed|was fixed|got fixed"), NOT(IN_SENTENCE, WORDS, "train training trains") } } },
	/* A hook at an epoch's end, to which results of all steps go; not one that a sentence only
	 * says to have been called, or not, where it speaks of no memory. */
	[WORDING_HOOK] = { { ANYWHERE("training_epoch_end|validation_epoch_end|test_epoch_end"), { OR_NOT(IN_SENTENCE, PIECES, "was called|is called|gets called|got called|were called|are called|method was|is then called|was then called|not called|n't called|never called|被调用|没有调用|未调用"), IS(IN_SENTENCE, MAY_FAIL) } } },
	/* "It is possible to fit the model and train it from scratch": told, and not asked */
	[WORDING_FITS] = {
	    { TOLD(AHEAD, "if would should could might hope wish", "training results for batch|training results with batch|results for batch size|results with batch size|results with a batch|results for a batch|used to work|used to run|used to fit|used to train|worked before|worked fine|worked well|worked yesterday|worked last week|ran before|ran fine|trained fine|trained well|"
	    "works fine|works well|runs fine|runs well|trains fine|trains well|is fine to use|can easily fit|could easily fit|possible to fit|fits easily|fits well|no longer works|no longer runs|stopped working"), { DECIDED, ISNT(IN_SENTENCE, ASKS) } },
	    { ANYWHERE("之前有成功|之前成功|之前能跑|之前可以跑|之前都能|之前都可以|之前都正常|以前能跑|以前可以|原来能跑|原来可以|昨天还能|昨天还可以|有时能跑|有时可以|有时候可以|有时候能"), NOTHING_ELSE } },
	[WORDING_VOCABULARY] = { { ANYWHERE("vocab"), { NOT(IN_LINE, PIECES, "vocab.txt|vocab.json|vocab_file|vocab_path|standard vocab|vocab/"), NOT(IN_SENTENCE, WORDS, "identical same unchanged") } } },

	/* "as soon as the first iterations start"; "it fails at the first step": not where
	 * something else was ahead of it, or came of it */
	[WORDING_SOON] = {
	    { WHOLE("as soon as"), { HAS(CLAUSE_BEHIND, WORDS, "start starts begin begins started begun"), HAS(CLAUSE_BEHIND, BEGINS, "train iter epoch optim step run script program loop fit"), NOT(CLAUSE_BEHIND, BEGINS, "valid eval test second"), DECIDED, SOON_TOLD } },
	    { ANYWHERE("一开始训练就|刚开始训练就|一启动就|第一步就|第一个step就|第一个batch就"), { DECIDED, SOON_TOLD } },
	    { TOLD(AHEAD, "", "right away|immediately|at the first step|in the first step|at the first iteration|in the first iteration|at the very first|at step 0|at iteration 0|"
	    "before the first step|before the first epoch|as soon as training starts|as soon as the training starts|as soon as it starts|as soon as i start|right at the start|at the very beginning|"
	    "at the beginning of training|at the beginning of the training|at the start of training|at the start of the training"), { SOON_TOLD } } },
	/* "It cannot complete an epoch", "almost to the end of an epoch": steps of it had fitted;
	 * not where time is what lacks */
	[WORDING_WITHIN_EPOCH] = {
	    { ANYWHERE("一个epoch都跑不完|一个epoch都训不完|一个epoch都没跑完|跑不完一个epoch|一轮都跑不完|一轮都没跑完|跑不完一轮|无法跑完一个epoch|没法跑完一个epoch|一个epoch也跑不完|一个epoch还没跑完"), NOTHING_ELSE },
	    { WHOLE("finishes an epoch|finishes one epoch|finishes a single epoch|finished an epoch|finished one epoch|finished a single epoch|finishing an epoch|completes an epoch|completes one epoch|completes a single epoch|completed an epoch|completed one epoch|completed a single epoch|completing an epoch|gets through an epoch|makes it through an epoch|got through an epoch|"
	    "complete an epoch|complete one epoch|complete a single epoch|complete the first epoch|complete even one epoch|complete even a single epoch|finish an epoch|finish one epoch|finish a single epoch|finish the first epoch|finish even one epoch|finish even a single epoch|"
	    "run an epoch to completion|run an epoch to completition|run one epoch to completion|get through an epoch|get through one epoch|get through a single epoch|get through the first epoch|make it through an epoch|make it through one epoch|make it through a single epoch|make it through the first epoch|"
	    "get to the end of an epoch|reach the end of an epoch|reach the end of the first epoch|get to the end of the first epoch"), { HAS(IN_LINE, PARTS, "epoch"), DECIDED, FEW_EPOCHS } },
	    { WHOLE("to the end of an epoch|through an epoch|a full epoch|a whole epoch|an entire epoch|to the end of the epoch|to the end of the first epoch"), { HAS(IN_LINE, PARTS, "epoch"), FEW_EPOCHS } } },
	/* "Out of memory during image logging", "when it samples validation images" */
	[WORDING_DRAWS_BESIDE] = { { TOLD(AHEAD | WORKS, "after", "during image logging|during the image logging|when logging images|while logging images|when it logs images|in log_images|logging the images|during log_images|when sampling validation images|while sampling validation images|during validation sampling|"
	    "when generating validation images|while generating validation images|generating sample images|generates sample images|when generating samples|while generating samples|during sample generation|when sampling during training|sampling images during training|generating previews|when it makes a preview"), { HAS(IN_LINE, BEGINS, "image sampl log preview"), ISNT(IN_SENTENCE, ASKS) } } },
	/* "The same run is fine on the CPU, and takes 800 MB at most" */
	[WORDING_STEADY_ELSEWHERE] = { { WHOLE("on cpu|on the cpu|on a cpu|with cpu|using cpu|using the cpu|device=cpu"), { OR_HAS(IN_SENTENCE, WORDS, "max maximum stable steady constant flat only"), HAS(IN_SENTENCE, PHRASES, "no leak|no memory leak|not leak|not grow|n't leak|n't grow|not increase|n't increase|does not happen|doesn't happen"),
	    HAS(IN_SENTENCE, WORDS, "memory ram leak happen mb gb mib gib"), NOT(IN_SENTENCE, WORDS, "if should would could but gpu cuda mps also too"), ISNT(IN_SENTENCE, ASKS), ISNT(IN_SENTENCE, FAILS) } } },
	/* "The error comes at the very end": when what was made is put together; not an epoch's
	 * end */
	[WORDING_AT_ITS_END] = { { WHOLE("at the very end|at the end of|at the end|right at the end|in the end of|at its end|at the last moment"), { NOT(SENTENCE_BEHIND, WORDS, "epoch epochs iteration step batch day log traceback file post training train"), NOT(IN_SENTENCE, BEGINS, "sav"), NOT(IN_SENTENCE, WORDS, "if should would could until"), ISNT(IN_SENTENCE, ASKS) } } },
	/* "The same picture is recognized in a loop": no round is given more than one before. */
	[WORDING_SAME_GIVEN] = {
	    { ANYWHERE("同一张|这一张图|这张图|同样的图|同一幅|同一个图|同一段|同一个文件|同样的输入"), { HAS(IN_SENTENCE, PIECES, "循环|反复|重复|不断|不停|每隔|多次|一直"), DECIDED, NOT(IN_SENTENCE, PIECES, "不同|吗|？|?|如果|稳定|不变|每换|换一") } },
	    { WHOLE("same image|same picture|same photo|same frame|same input|same inputs|same file|same text|same sentence|same prompt|same sample|same batch|same data"), { HAS(IN_SENTENCE, WORDS, "loop repeatedly again times each every repeated looping"),
	        NOT(IN_SENTENCE, WORDS, "not no if should would could error problem size settings different stable steady constant new"), NOT(IN_SENTENCE, PHRASES, "n't"), ISNT(IN_SENTENCE, ASKS) } } },
	/* "The 2nd batch will cause an OOM error": the first had run */
	[WORDING_SECOND_FAILS] = { { WHOLE("2nd batch|second batch|2nd chain|second chain|2nd run|second run|2nd round|second round|2nd call|second call|2nd iteration|second iteration|2nd step|second step|2nd image|second image|2nd prompt|"
	    "second prompt|2nd generation|second generation|2nd epoch|second epoch|第二次|第二个batch|第二轮|2回目|두 번째"), { ISNT(IN_CLAUSE, RUNS), OR_IS(IN_CLAUSE, NAMES_FAILURE), HAS(IN_CLAUSE, WORDS, "oom memory 内存 显存") } } },

	/* "The algorithm increases the memory usage every iteration." */
	[WORDING_ADDS_EACH] = { { WHOLE("increases the gpu memory|increases the memory|increases the used memory|increases the used gpu memory|increases gpu memory|increases memory|increases the ram|increases ram|increases my gpu memory|adds memory|allocates more memory|uses more memory|"
	    "takes more memory|uses more and more"), { NOT(CLAUSE_AHEAD, DENIES, ""), NOT(CLAUSE_AHEAD, WORDS, "if would should could might may batch larger bigger size"),
	    HAS(IN_CLAUSE, PHRASES, "every iteration|each iteration|every step|each step|every epoch|each epoch|every batch|each batch|every call|each call|every time|each time|every episode|each episode") } } },
	/* "After each generation some memory is not released": so much more from one to the next */
	[WORDING_KEEPS_EACH] = {
	    { ANYWHERE("不释放|没有释放|未释放|不会释放|没释放|无法释放|得不到释放"), { HAS(IN_LINE, PIECES, "显存|内存"), DECIDED, HAS(LINE_AHEAD, PIECES, "多次|每次|每处理|每推理|每生成|每跑|每个|每轮|每张|反复|循环|连续|多轮|次数"), NOT(IN_LINE, PIECES, "停止|kill|结束|关闭|退出|吗|？") } },
	    { WHOLE("not be released|n't be released|not being released|not been released|not get released|not be freed|n't be freed|not being freed|not been freed|not be cleared|n't be cleared|not being cleared|not released|n't released|never released|not freed|n't freed|never freed|not cleared|n't cleared|not free|n't free|not release|n't release|not let go of"), { HAS(IN_LINE, PARTS, "memory vram"), HAS(IN_SENTENCE, PHRASES, "after each|after every|between each|between every|each time|every time|each iteration|each image|each generation|each run|each inference|each request|each call|each epoch|each batch|every call|every iteration|every request|between runs|between generations|between calls|between requests|between images"), ISNT(IN_SENTENCE, ASKS), NOT(IN_SENTENCE, WORDS, "if should would unless") } } },
	/* "It grows within an epoch, after which it drops back." */
	[WORDING_FALLS] = { { ANYWHERE("drops back|drop back|dropped back|dropping back|dropping to|drops to|drops down|falls back|fell back|goes back to|"
	    "returns to|back to normal|back to the start|resets to|resets after|resets at|released after|released at the end|freed after|freed at the end"), { HAS(IN_LINE, PARTS, "epoch") } } },

	/* "A recent update causes OOM", "it appeared since the following commit"; "than the old
	 * version", where that is of memory */
	[WORDING_BY_UPDATE] = { { WHOLE("update causes oom|update causes out of memory|update caused oom|update caused out of memory|update breaks|update broke|regression in the latest|regression since|regression in version|caused by this commit|caused by the commit|caused by commit|introduced by commit|introduced in commit|introduced by this commit|"
	    "started happening after updating|only started after updating|started after the update|started after updating|started happening after the update|began after the update|began after updating|started with the update|started with the latest|than previous version|than the previous version|than the old version|than older versions|than before the update|than the version before|"
	    "before the update, i could|before the update i could|before updating, i could|before updating i could|before the upgrade i could|before the last update i could|since the following commit|since this commit|since commit|after this commit|after commit|first bad commit|bad commit is|bisected to|bisected it to|git bisect|identified the bad update|found the bad commit|reverting this commit|reverting that commit|reverting the commit"), { ISNT(IN_SENTENCE, ASKS), NOT(IN_SENTENCE, WORDS, "fixed fixes solved resolved should would might may if not"),
	    OR_NOT(THE_PHRASE, WORDS, "than"), HAS(IN_SENTENCE, WORDS, "ram memory vram"), OR_NOT(THE_PHRASE, WORDS, "than"), HAS(IN_SENTENCE, WORDS, "more higher") } },
	    /* "It uses a lot of RAM after updating to 0.2"; not "after I upgraded my RAM" */
	    { WHOLE("after updating to|after updateing to|after upgrading to|since updating to|since upgrading to|after the update to|after the upgrade to|since the update to|since the upgrade to|since i updated to|since i upgraded to|after i updated to|after i upgraded to|since the last update|since the latest update|after the latest update|after the last update|after the recent update"), { ISNT(IN_SENTENCE, ASKS),
	        NOT(IN_SENTENCE, WORDS, "fixed fixes solved resolved should would might may if still even also driver drivers computer windows ubuntu gb card gpu 4090 5090"), NOT(IN_SENTENCE, DENIES, ""), NOT(IN_SENTENCE, PHRASES, "same error|same problem|same issue|same message|as before|other projects|other people|i heard|i read"), IS(IN_SENTENCE, FAILS) } } },
	/* "The last version I used, which worked normally, is 7432b6f." */
	[WORDING_LAST_WELL] = { { WHOLE("last version i used|last version that worked|last version which worked|last working version|last version where|previous version worked|previous version works|previous versions worked|older version worked|older version works|old version worked|old version works|"
	    "worked in the previous version|worked in previous version|worked in previous versions|worked in older versions|worked in the old version|works in the previous version|works in the old version|works in older versions|worked with the previous version|works with the previous version|works with the older version|"
	    "normal till the update|normal until the update|normal before the update|fine till the update|fine until the update|fine before the update|fine before update|fine before this update|worked before update|worked till the update|worked until the update|worked until i updated|fine until i updated|fine before i updated|worked before i updated|worked before the update|worked before the upgrade|worked fine before the update|worked fine before the upgrade|worked before updating|worked before upgrading|works with an older version|works on the previous version|previous working version"), { ISNT(IN_SENTENCE, ASKS), NOT(SENTENCE_AHEAD, DENIES, ""), NOT(IN_SENTENCE, WORDS, "same also neither either should would could if driver"),
	    HAS(SENTENCE_FROM, WORDS, "worked works working fine normal") } } },
	/* "7b33ef4 works fine, but newer revisions run out of memory": the older one by its own
	 * name, or none */
	[WORDING_NEWER_FAIL] = { { WHOLE("newer revisions|newer commits|newer versions|newer releases|newer builds|later revisions|later commits|later versions|later releases|newer revision|newer commit|newer version|newer release|later revision|later version|later release"), { HAS(SENTENCE_AHEAD, WORDS, "but while whereas however though"), HAS(SENTENCE_AHEAD, WORDS, "works worked fine ok runs ran"), IS(SENTENCE_FROM, FAILS),
	    NOT(SENTENCE_AHEAD, DENIES, ""), NOT(IN_SENTENCE, WORDS, "still also neither either same should would could may might if"), ISNT(SENTENCE_AHEAD, MARK) } } },
	/* "更新后就爆显存了", "旧版本没问题" */
	[WORDING_VERSION_CHINESE] = {
	    { ANYWHERE("更新后|升级后|更新之后|升级之后|更新以后|升级以后|更新到最新|升级到最新|更新完|升级完|拉了最新代码|拉取最新代码"), { DECIDED, NOT(IN_LINE, PIECES, "吗|?|？|仍|还是|依旧|依然|也|驱动"), HAS(LINE_BEHIND, PIECES, "报错|爆显存|爆了|溢出|显存不足|内存不足|显存不够|内存不够|oom|OOM|跑不了|跑不起来|启动不了|无法启动|无法运行|崩溃|挂了") } },
	    { ANYWHERE("旧版本|老版本|之前的版本|以前的版本|上个版本|上一个版本|旧版|老版|低版本|回退到|回退版本|降级到|降级后|降到"), { HAS(LINE_BEHIND, PIECES, "没问题|没有问题|正常|可以运行|可以跑|不会|就好了|解决了|能跑|能用"), NOT(IN_LINE, PIECES, "吗|?|？|也|如果|是否|可以试|试试") } } },

	/* "图片分辨率太大，显存就爆了" */
	[WORDING_LARGE_CHINESE] = { { ANYWHERE("图片太大|图像太大|图片过大|图像过大|图片很大|图像很大|图片较大|图像较大|照片太大|照片过大|大尺寸图|大分辨率|高分辨率|高清图|分辨率太大|分辨率过大|分辨率太高|分辨率过高|分辨率很大|分辨率较大|分辨率很高|分辨率较高|像素太大|像素太高|像素过高|4k图|4K图|8k图|8K图|大图推理|大图片|大图像|超大图"), { NOT(IN_LINE, PIECES, "吗|?|？|是不是|是否|如果|缩小|调小|降低|减小|改小|仍|还是|依然|即使|就算|不是因为") } } },
	/* "The flow of 4K pictures"; not "a data set of 4k images", which are as many */
	[WORDING_IN_K] = { { EVERY("4k image|4k images|4k picture|4k pictures|4k photo|4k photos|4k frame|4k frames|4k video|4k videos|4k resolution|8k image|8k images|8k picture|8k pictures|8k frames|8k video|8k videos|8k resolution"), { NOT(IN_SENTENCE, BEGINS, "dataset data set train only about around over than total each per first all epoch after monitor screen display") } } },
	/* "I set random = 0, and it's ok": it runs with pictures that keep their size, and others
	 * have several */
	[WORDING_FIXED_SIZE] = { { WHOLE("random = 0|random=0|random to 0|random is 0|multiscale = false|multiscale=false|multi_scale=false|multi_scale = false|without multi-scale|without multiscale"), { ISNT(IN_SENTENCE, ASKS), NOT(IN_SENTENCE, WORDS, "still also even neither should would could"),
	    IS(SENTENCE_BEHIND, RUNS), ISNT(SENTENCE_BEHIND, FAILS) } } },
};
