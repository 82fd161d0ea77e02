/* The wordings of what stands around messages: oom_phrase.h tells the roles, oom_around.c what is
 * made of them. */
#include "oom/oom_phrase.h"

#define ROW(role, who, flags)	role, OOM_KINDS, false, who, NULL, OOM_ASKED, flags
#define LINE(role)	ROW(role, NULL, 0)
#define ALONE(role)	ROW(role, NULL, PHRASE_ALONE)
#define OF_ANYONE(role)	ROW(role, NULL, PHRASE_ANYONE)	/* people write so, too */
#define SPEAKER(who)	ROW(ROLE_SPEAKER, who, 0)

const struct phrase oom_lines[] = {
	{ "# Chunks of size # totalling", LINE(ROLE_CLASS) },
	{ "# MiB / # MiB |", LINE(ROLE_CARD) },		/* nvidia-smi's; other units stand in other tables */
	{ "# / # MB |", LINE(ROLE_CARD) },		/* gpustat's */
	{ "Chunk at @ of size #", LINE(ROLE_CHUNK) },
	{ "InUse at @ of size #", LINE(ROLE_CHUNK) },
	{ "Free at @ of size #", LINE(ROLE_FREE_CHUNK) },
	{ "Stats:", LINE(ROLE_STATS) },
	{ "Limit: #", LINE(ROLE_LIMIT) },
	{ "InUse: #", LINE(ROLE_IN_USE) },
	{ "BFCAllocator dump for ^", LINE(ROLE_DUMP) },
	{ "Bin (256):", LINE(ROLE_BINS) },
	{ "while running @ node. Name:'&", LINE(ROLE_OPERATION) },
	{ "\bCaused by op '&", LINE(ROLE_OPERATION) },
	{ "for CUDA device ordinal #", LINE(ROLE_GPU) },
	{ "Size: %", LINE(ROLE_BUFFER_SIZE) },
	{ "Shape: $", LINE(ROLE_BUFFER_SHAPE) },
	{ "Extra memory due to padding: %", LINE(ROLE_BUFFER_PADDING) },
	{ "Entry Parameter Subshape: $", LINE(ROLE_BUFFER_SHAPE) },
	{ "Current usage from device: ^", LINE(ROLE_USAGE) },
	{ "% from &", LINE(ROLE_HOLDER) },
	{ "Remaining # nodes with %", LINE(ROLE_HOLDERS) },
	{ "output data size: `", LINE(ROLE_NET_INPUT) },
	{ "Top shape: `", LINE(ROLE_NET_SHAPE) },
	{ "Memory required for data: #", LINE(ROLE_NET_BYTES) },
	{ "~device-side assert triggered", LINE(ROLE_ASSERTION) },
	{ "~device side assert triggered", LINE(ROLE_ASSERTION) },
	{ "cudaErrorAssert", LINE(ROLE_ASSERTION) },
	{ "thread: $ Assertion", LINE(ROLE_ASSERTION) },
	{ "volatile was removed and now has no effect", LINE(ROLE_VOLATILE) },
	{ "Total memory: %", LINE(ROLE_START_TOTAL) },
	{ "Total Memory: %", LINE(ROLE_MACHINE) },	/* of docker info */
	{ "\bMem: % % %", LINE(ROLE_MACHINE) },	/* of free -h */
	{ "\bMemTotal: # kB", LINE(ROLE_MACHINE_KIB) },
	{ "# CPUs, % RAM,", LINE(ROLE_MACHINE) },	/* of Ultralytics' checks, */
	{ "~\btotal ram %", LINE(ROLE_MACHINE) },	/* of ComfyUI, */
	{ "\bTotal Physical Memory: %", LINE(ROLE_MACHINE) },	/* and of Windows' systeminfo */
	{ "totalMemory: %", LINE(ROLE_START_TOTAL) },
	{ "Free memory: %", LINE(ROLE_START_FREE) },
	{ "freeMemory: %", LINE(ROLE_START_FREE) },
	{ "Created TensorFlow device (^ with % memory", LINE(ROLE_MADE) },
	{ "can use total_gpu_memory (% ) x gpu_memory_utilization (@ = %", LINE(ROLE_SERVED_SHARE) },
	{ "Loaded # images of size `", LINE(ROLE_IMAGES) },	/* of instant-ngp */
	{ "Free GPU: % , Model Require: %", LINE(ROLE_MODEL_NEEDS) },	/* of Forge */
	{ "model weights take %", LINE(ROLE_SERVED_WEIGHTS) },
	{ "Loading model weights took %", LINE(ROLE_SERVED_WEIGHTS) },
	{ "Model loading took % memory and", LINE(ROLE_SERVED_WEIGHTS) }, { "Model loading took % and", LINE(ROLE_SERVED_WEIGHTS) },
	{ "~loading model tensors into device cache: %", LINE(ROLE_SERVED_WEIGHTS) },	/* ds4's, */
	{ "CUDA# model buffer size = %", LINE(ROLE_SERVED_WEIGHTS) },			/* and llama.cpp's, of each device */
	{ "ROCm# model buffer size = %", LINE(ROLE_SERVED_WEIGHTS) },
	{ "Vulkan# model buffer size = %", LINE(ROLE_SERVED_WEIGHTS) },
	{ "PyTorch activation peak memory takes %", LINE(ROLE_SERVED_TRIAL) },
	{ "Created device ^ with % memory", LINE(ROLE_MADE) },	/* since TensorFlow 2.4 */
	{ "During handling of the above exception", LINE(ROLE_HANDLING) },
	{ "~AutoBatch: Using batch_size #", LINE(ROLE_CAUGHT) },		/* Ultralytics', */
	{ "~using default batch_size #", OF_ANYONE(ROLE_CAUGHT) },
	{ "Reducing to batch=# and retrying", LINE(ROLE_CAUGHT) },
	{ "~trying batch size: #\n", OF_ANYONE(ROLE_CAUGHT) },		/* Accelerate's, as its manual prints it, */
	{ "Currently training with a batch size of: #", OF_ANYONE(ROLE_CAUGHT) },	/* transformers', */
	{ "failed, trying batch size #", OF_ANYONE(ROLE_CAUGHT) },		/* Lightning's, */
	{ "~\bbatch removed\b", OF_ANYONE(ROLE_CAUGHT) },		/* OpenNMT's, */
	{ "~\bskipping batch\b", OF_ANYONE(ROLE_CAUGHT) },		/* and anyone's */
	{ "~\bskipping this batch\b", OF_ANYONE(ROLE_CAUGHT) },
	{ "~\bskip this batch\b", OF_ANYONE(ROLE_CAUGHT) },
	{ "~\bskipping update\b", OF_ANYONE(ROLE_CAUGHT) },
	{ "\bvllm/", LINE(ROLE_SERVES) },
	{ "\bvllm.", LINE(ROLE_SERVES) },
	{ "~\bgpu_memory_utilization\a#", LINE(ROLE_SERVES) },
	{ "\bRayWorkerWrapper pid\a#", LINE(ROLE_SERVES) },	/* vLLM's, on several devices */
	{ "\bNPURayWorkerWrapper pid\a#", LINE(ROLE_SERVES) },
	{ "\bVllmWorker rank\a#", LINE(ROLE_SERVES) },		/* of one machine */
	{ "\bVllmWorkerProcess pid\a#", LINE(ROLE_SERVES) },
	{ "\bsglang/", LINE(ROLE_SERVES) },
	{ "\bsglang.", LINE(ROLE_SERVES) },
	{ "\btext_generation_server/", LINE(ROLE_SERVES) },
	{ "\blmdeploy/", LINE(ROLE_SERVES) },
	{ "Capturing the model for CUDA graphs", LINE(ROLE_CAPTURE) },
	{ "Capturing cudagraphs", LINE(ROLE_CAPTURE) },
	{ "Capturing CUDA graph", LINE(ROLE_CAPTURE) },
	{ "Capture cuda graph begin", LINE(ROLE_CAPTURE) },
	{ "Filling up shuffle buffer (this may take a while): # of #", LINE(ROLE_SHUFFLE) },
	{ "~\bepoch [#][#/", LINE(ROLE_EPOCH_STEP) },
	{ "~\bepoch[#] batch [#]", LINE(ROLE_EPOCH_STEP) },
	{ "~\bepoch # | # / # batches", LINE(ROLE_EPOCH_STEP) },
	{ ", memory: # ,", LINE(ROLE_PEAK) },
	{ "~\bmax mem: #", LINE(ROLE_PEAK_NAMED) },	/* as DETR's logger has it, and all that took it over, */
	{ "~\bmax_mem: #M", LINE(ROLE_PEAK_NAMED) },	/* and Detectron2's */
	{ "~\bepoch\a#/", LINE(ROLE_EPOCH) },
	{ "~\bepoch\a# of #", LINE(ROLE_EPOCH) },
	{ "~\bepoch\a#[", LINE(ROLE_EPOCH) },
	{ "~\bepoch\a[#", LINE(ROLE_EPOCH) },
	{ "~\bepoch[#", LINE(ROLE_EPOCH) },
	{ "~\bepoch\a#\b", LINE(ROLE_EPOCH_COUNT) },
	{ "~\biter\a#\b", LINE(ROLE_STEP) },
	{ "~\biter[#/", LINE(ROLE_STEP) },
	{ "~\biteration\a#\b", LINE(ROLE_STEP) },
	{ "~\bstep\a#\b", LINE(ROLE_STEP) },
	{ "~\bglobal_step\a#\b", LINE(ROLE_STEP) },
	{ "~\bsteps\a#/", LINE(ROLE_STEP) },
	{ "Your input_length: # is bigger than", LINE(ROLE_GIVEN) },
	{ "Input length of input_ids is # , but", LINE(ROLE_GIVEN) },
	{ "Allocation of # exceeds #", LINE(ROLE_TENTH) },
	{ "exclude GPU # which has less than", LINE(ROLE_SMALLER) },
	{ "torch.Size($", LINE(ROLE_PRINTED) },
	{ "Inputs shapes: [$", LINE(ROLE_INPUTS) },
	{ "{'loss':", LINE(ROLE_LOSS) },
	{ "~\breplay_capacity\a#", LINE(ROLE_REPLAY) },
	{ "~\breplay_size\a#", LINE(ROLE_REPLAY) },
	{ "~\breplay_buffer_size\a#", LINE(ROLE_REPLAY) },
	{ "~\breplay_memory_size\a#", LINE(ROLE_REPLAY) },
	{ "~\bwords in vocabulary\a#", LINE(ROLE_VOCABULARY) },
	{ "~\bwords in the vocabulary\a#", LINE(ROLE_VOCABULARY) },
	{ "~\bvocabulary size\a#", LINE(ROLE_VOCABULARY) },
	{ "~\bvocab size\a#", LINE(ROLE_VOCABULARY) },
	{ "~\bsize of vocabulary\a#", LINE(ROLE_VOCABULARY) },
	{ "~\bvocabulary_size\a#", LINE(ROLE_VOCABULARY) },
	{ "~\bvocab_size\a#", LINE(ROLE_VOCABULARY) },
	{ "~number of trainable parameters\a#", LINE(ROLE_TRAINED) },
	{ "~\btrainable params\a#", LINE(ROLE_TRAINED) },
	{ "~total number of elements in model\a#", LINE(ROLE_WEIGHTS) },
	{ "~number of parameters\a#", LINE(ROLE_WEIGHTS) },
	{ "~number of parameters (@ #", LINE(ROLE_WEIGHTS) },	/* XLM's, of each of its networks */
	{ "~number of model parameters\a#", LINE(ROLE_WEIGHTS) },
	{ "~\btotal parameters\a#.#m\b", LINE(ROLE_WEIGHTS) },	/* in millions, as MLX says them */
	{ "~\btrainable parameters\a#.#m\b", LINE(ROLE_TRAINED) },
	{ "~\btotal parameters\a#", LINE(ROLE_WEIGHTS) },
	{ "~\btotal params\a#", LINE(ROLE_WEIGHTS) },
	{ "~\ball params\a#", LINE(ROLE_WEIGHTS) },
	{ "Creating @ ZeRO stage # optimizer", LINE(ROLE_SHARDS) },
	{ "sequence length is longer than the specified maximum sequence length for this model (# > #", LINE(ROLE_TOKENS) },
	{ "Process Process-#:", LINE(ROLE_PROCESS) },
	{ "Process SpawnProcess-#:", LINE(ROLE_PROCESS) },
	{ "Process ForkProcess-#:", LINE(ROLE_PROCESS) },
	{ "Process SpawnPoolWorker-#:", LINE(ROLE_PROCESS) },
	{ "Process ForkPoolWorker-#:", LINE(ROLE_PROCESS) },
	{ "Trial # failed because of", LINE(ROLE_TRIAL) },	/* Optuna's, */
	{ "Trial # failed with", LINE(ROLE_TRIAL) },
	{ "Trial # finished with", LINE(ROLE_TRIAL) },
	{ "~\btrial#", LINE(ROLE_TRIAL) },
	{ "~\btrial: #", LINE(ROLE_TRIAL) },
	{ "~\btrial #/", LINE(ROLE_FOLD) },		/* Keras Tuner's, */
	{ "~\bfold\a#", LINE(ROLE_FOLD) },
	{ "~\bfold_#", LINE(ROLE_FOLD) },
	{ "hyperparameter_search(", LINE(ROLE_SEARCH) },
	{ "in hyperparameter_search", LINE(ROLE_SEARCH) },
	{ "optuna/", LINE(ROLE_SEARCH) },
	{ "study.optimize(", LINE(ROLE_SEARCH) },
	{ "keras_tuner/", LINE(ROLE_SEARCH) },
	{ "~running training\b", LINE(ROLE_TRAINS) },
	{ "~running evaluation\b", LINE(ROLE_EVALUATES) },
	{ "~running prediction\b", LINE(ROLE_EVALUATES) },
	{ "~running predict\b", LINE(ROLE_EVALUATES) },
	{ "~running test\b", LINE(ROLE_EVALUATES) },
	/* not that of evaluation, nor of all devices or steps in one (total_, global_,
	 * effective_) */
	{ "~\bbatch_size\a#\b", LINE(ROLE_BATCH) },
	{ "\bbs = #\b", LINE(ROLE_BATCH) },		/* as fastai's notebooks name it, */
	{ "~\bbatch_size_per_card\a#\b", LINE(ROLE_BATCH) },	/* PaddleOCR's, */
	{ "~\bims_per_batch\a#\b", LINE(ROLE_BATCH) },	/* Detectron2's settings, */
	{ "~\bimages_per_gpu\a#\b", LINE(ROLE_MICRO) },	/* Mask R-CNN's, */
	{ "~\bminibatch_size\a#\b", LINE(ROLE_BATCH) },	/* and CNTK's */
	{ "~\bmini_batch_size\a#\b", LINE(ROLE_BATCH) },
	{ "~\bminibatchsize' , #\b", LINE(ROLE_BATCH) },	/* MATLAB's */
	{ "~\bminibatchsize\" , #\b", LINE(ROLE_BATCH) },
	{ "~\btrain_batch_size\a#\b", LINE(ROLE_BATCH) },
	{ "--batch\a#\b", LINE(ROLE_BATCH) },		/* of commands, with a blank ahead, as YOLO's */
	{ "--bs\a#\b", LINE(ROLE_BATCH) },
	{ "-bs\a#\b", LINE(ROLE_BATCH) },
	{ "-b\a#\b", LINE(ROLE_BATCH) },
	{ "~\bper_device_train_batch_size\a#\b", LINE(ROLE_MICRO) },
	{ "~\bper_device_batch_size\a#\b", LINE(ROLE_MICRO) },
	{ "~\bper_gpu_train_batch_size\a#\b", LINE(ROLE_MICRO) },
	{ "~\bbatch_size_per_gpu\a#\b", LINE(ROLE_MICRO) },
	{ "~\bbatch_size_per_device\a#\b", LINE(ROLE_MICRO) },
	{ "~\bmicro_batch_size\a#\b", LINE(ROLE_MICRO) },
	{ "~\bmicro_train_batch_size\a#\b", LINE(ROLE_MICRO) },
	{ "~\btrain_micro_batch_size_per_gpu\a#\b", LINE(ROLE_MICRO) },
	{ "~\bsamples_per_gpu\a#\b", LINE(ROLE_MICRO) },
	{ "~batch size\a#\b", ALONE(ROLE_BATCH) },
	{ "~instantaneous batch size per device\a#\b", LINE(ROLE_MICRO) },
	{ "~\bmax_seq_length\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bmax_seq_len\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bmax_length\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bmax_len\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bseq_length\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bseq_len\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bsequence_length\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bmodel_max_length\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bblock_size\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bcutoff_len\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bsequence_len\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bmax_prompt_length\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bgenerate_max_len\a#\b", LINE(ROLE_LENGTH) },	/* of answers, where a language model learns from its own, */
	{ "~\bmax_response_length\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bmax_completion_length\a#\b", LINE(ROLE_LENGTH) },
	{ "~\bmax_source_length\a#\b", LINE(ROLE_LENGTH) },
	{ "expandable_segments:True to avoid", LINE(ROLE_NOTHING) },	/* PyTorch's own advice */
	{ "expandable_segments:True", LINE(ROLE_EXPANDS) },
	{ "Microsoft::MSR::CNTK", SPEAKER("CNTK") },
	{ "_cntk_py", SPEAKER("CNTK") },
	{ "packages\\cntk", SPEAKER("CNTK") },
	{ "packages/cntk", SPEAKER("CNTK") },
	{ "onnxruntime", SPEAKER("ONNX Runtime") },
	{ "ONNXRuntimeError", SPEAKER("ONNX Runtime") },
	{ "CUDAExecutionProvider", SPEAKER("ONNX Runtime") },
	{ NULL, LINE(ROLE_BINS) }
};
