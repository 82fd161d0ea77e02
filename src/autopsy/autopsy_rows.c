/* The rows of what it may be by words: a new one is told in tests/golden/logs, too. */
#include "autopsy/autopsy_rows.h"

#include <stddef.h>

#include "autopsy/autopsy_parts.h"

#define OF_TESTS	"it failed in validation, tests or predictions"
#define OF_INFERENCE	"nothing is trained, as in inference"
#define RESULTS_KEPT	"Results are kept from batch to batch (lists, predictions of all samples)"
#define LARGER_TESTS	"What is evaluated at once is larger than a batch of training (a picture, a volume, a recording or text of full length, a set)"
#define WEIGHTS_MORE	UNLESS_LESS_RUNS("Weights, with what a program sets aside beside them as it loads them (" HAS_NOT_TRAINED("a cache of keys and values, ") "buffers), are more than is free")
#define BEFORE_ANY	"then it fails before the first result, whatever the batch."
#define THIS_ONE	"the device was this one"
#define MORE		"The run needs more than there is"
#define LEAVES		"then it fails so with nothing else there, too."
#define ANOTHER(such)	UNLESS_NEEDS_MORE(UNTRIED(BY_ALONE, "Another process has a part" such))
#define LISTED		LISTER ", before the run, lists it."
#define AT_ONCE		UNLESS_MORE_RUNS("What is given at once is too large (" UNTRIED(BY_BATCH, "a batch, ") "frames or windows, a long recording or text, many pixels)")
#define SMALL_RUNS	"then a short or small one runs."
/* and what it is where that fails, too */
#define THERE_BEFORE	UNLESS_LESS_RUNS(UNLESS_MORE_RUNS("What was there before it (weights, what a run before or another process has) leaves too little"))
#define SMALL_FAILS	"then a short or small one fails, too."
/* Frameworks that take most of a device as they start, and what has them take less. */
#define TAKERS		IN_EXLA("EXLA most of it") IN_THEANO("Theano what it is told") MAYBE_KERAS("TensorFlow nearly all" MAYBE_JAX(", ")) MAYBE_JAX("JAX most of it")
#define TAKES_LESS	IN_EXLA("preallocate: false of its client") IN_THEANO("a smaller gpuarray.preallocate") MAYBE_KERAS("allow_growth" MAYBE_JAX(", or ")) MAYBE_JAX("XLA_PYTHON_CLIENT_PREALLOCATE=false")
#define TWO_NUMBERS	"two numbers for each weight, in float32 as a rule"
#define LESS_STATE	TRY BY_ANYTHING "an optimizer that keeps less (SGD, Adafactor, 8 bits)" TRY BY_ADAPTER "fewer weights that are trained (LoRA)" TRY BY_SPLITTING	\
    "what it keeps split among devices (ZeRO, FSDP)" TRY BY_OFFLOADING "what it keeps offloaded" TRY_END " take less"
#define TOGETHER	WITH_PARTS("Weights that are split among devices (FSDP, ZeRO), or the optimizer's numbers, are put together on one for that")
#define APART		"moved to the machine's memory as they are put together (offload_to_cpu, rank0_only), they need room there for one unit of FSDP at a time; written in parts (a sharded state dict), none."
#define COPIED		"A copy is made on the device first (in another type or order, or an average of weights)"
#define ONE_BY_ONE	"moved to the machine's memory one by one, they take less."
#define GRADIENTS_ON	"Gradients are on, where neither torch.no_grad() nor torch.inference_mode() stands around all of it"
#define KEPT_ON		"Something is kept from one step or round to the next (lists of results" HAS_TRAINED(IN_TORCH(UNLESS_NUMBERS("; in PyTorch losses with their graph" WITH_GRADIENTS(", validation or inference with gradients on"))	\
    AS_NUMBERS(WITH_GRADIENTS("; in PyTorch validation or inference with gradients on")))) HAS_NOT_TRAINED(WITH_GRADIENTS("; in PyTorch validation or inference with gradients on"))	\
    IN_KERAS("; in Keras models made anew in each") ")"
/* What TensorFlow.js is told to let go of, as no collector does. */
#define UNDISPOSED	IN_BROWSER("Tensors are made in each round, and TensorFlow.js keeps each until it is disposed of"), "then tf.memory().numTensors, which counts them, grows from round to round. With " \
    "tf.tidy() around what makes them, or dispose() on each, it does not."
#define KEPT		"Something is kept from one round to the next (results on lists, a cache, objects that are never let go of)"
/* Of memory that grows where the processor has none of it. */
#define THERE_ALONE	GROWS_THERE("What only that device's run has keeps it, as code and data are the same on the processor: its backend, or its allocator (on a Mac in the machine's own memory)"), "then another version differs, and what is let go " \
    "of by hand (" IN_TORCH("torch.mps.empty_cache() or torch.cuda.empty_cache(), ") "a process for each part) may hold it."
#define POOL_COPIES	WITH_POOL("Each of a pool's processes comes to hold a copy of what the one that began them has, as Python counts each use of it there"), "then it does not grow in one process; arrays (numpy) in place of lists and dicts, " \
    "or data that each reads for itself, keep it."
#define TOGETHER_THEN	"What was made on the way is put together at the end (one result of all parts, in one piece, or a copy of it in another form)"
#define TOGETHER_SHOWS	"then it fails there each time, and it grows with how many parts there are."
#define OTHER_DEVICE	{ UNLESS_LESS_RUNS(WITH_PARTS("Another one is asked than the one that was looked at: a program takes the first that it sees unless it is told, and CUDA counts those that CUDA_VISIBLE_DEVICES leaves, the "	\
    "fastest first where CUDA_DEVICE_ORDER is not PCI_BUS_ID")), "with both set, to that order and the free one's number, it begins." }

const struct row autopsy_rows[] = {
	{ NEEDS_LIBRARY | NEEDS_TORCH, NULL, {
		{ MORE, LEAVES },
		{ "An index was out of range on the device before (a label, a word)", "CUDA_LAUNCH_BLOCKING=1, or a run on the processor, "
		    "tells it." },
		{ ANOTHER(""), LISTED } } },
	{ NEEDS_LIBRARY | NEEDS_POOL, NULL, {
		{ UNTRIED(BY_GROWTH, "The framework had taken the device for itself (TensorFlow nearly all, JAX most of it), and the library found no room beside "
		    "it"), "with tf.config.experimental.set_memory_growth (TensorFlow 1: gpu_options.allow_growth), or "
		    "XLA_PYTHON_CLIENT_PREALLOCATE=false, it begins." },
		{ MORE, LEAVES },
		{ ANOTHER(""), LISTED } } },
	{ NEEDS_COPIES, "each process reads data or weights for itself", {
		{ "As many copies of them lie in the machine's memory as there are processes", "with one process it is one. A file that all of them map (numpy.memmap, Arrow, LMDB; of weights safetensors), shared memory, or a part "
		    "for each rank take less, and so do weights that one of them reads." } } },
	{ NEEDS_SESSION | NEEDS_GROWS, "memory grew while sessions of TensorFlow ran in a loop", {
		{ "Operations are added to the graph in each round: by an operator on a tensor within run(), a function of tf that is called in the "
		    "loop, or a network or session that is made there", "then rounds take longer and longer, too, and the graph's finalize() "
		    "ahead of the loop tells where. Made once, ahead of it, they do not grow." },
		{ KEPT, "then rounds take as long as before." } } },
	{ NEEDS_SHAPES | NEEDS_GROWS, "memory grew while inputs of several shapes came", {
		{ "A library keeps what it made for each shape that came (compiled programs, buffers, pieces of an arena, what oneDNN or a search of algorithms found)", "then it grows less as "
		    "shapes come again, and not with one of them alone. Inputs that are padded to a few shapes, or a bound on what is kept, hold it." },
		{ UNSORTED("Samples come that are larger or longer than those before"), "then it grows by leaps, and less and less often; a bound on their size keeps it." },
		{ KEPT, "then it grows with one shape, too." } } },
	{ NEEDS_FALLS, "memory grew within an epoch, and fell at its end", {
		{ UNTRIED(BY_WORKERS, "A loader's processes end with the epoch, and by then each had come to hold a copy of what the data set has, as Python counts each use of it there, or batches "
		    "that wait to be taken"), "without such processes" IN_TORCH(" (in PyTorch num_workers=0)") " it does not grow, and less so where samples are arrays (numpy, Arrow) in place of lists." },
		{ "Something is kept for an epoch (results or losses on lists, until measures are made of them)", "reduced as they come, they take less; then it grows "
		    "without a loader's processes, too." } } },
	{ NEEDS_TRIALS, "several runs are made in one process, as in a search", {
		{ "Models, optimizers and results of the runs before lie there still, held by a name, a list, a callback or the last error's traceback",
		    "with these let go of behind each (del, gc.collect()" MAYBE_DEVICE(UNTRIED(BY_EMPTYING, IN_TORCH(", and in PyTorch torch.cuda.empty_cache()"))) IN_KERAS(", in Keras clear_session()") "), or a "
		    "process for each, it does not grow." },
		{ "One of the runs needs more than the others (a larger network or batch)", "then it fails by itself, too." } } },
	{ NEEDS_HOST | NEEDS_RISES, "memory grew in validation, tests or predictions", {
		{ RESULTS_KEPT, "reduced as they come (to classes, to sums), or written to a file, they take less." } } },
	{ NEEDS_RISES, "memory grew in validation, tests or predictions", {
		{ RESULTS_KEPT, "reduced as they come, or moved to the machine's memory, they take less." },
		{ WITH_GRADIENTS(GRADIENTS_ON ", and what is kept holds its graph"), "with one of them memory does not grow, or less." } } },
	{ NEEDS_OUTLASTS, "it went on for longer on a device with more memory", {
		{ OUT_OF_BROWSER(KEPT_ON), "then memory grows evenly, from one to the next, and the larger device is only full later." },
		{ "Samples come that are larger or longer than those before", "then it grows by leaps, and a bound on their size keeps it." } } },
	{ NEEDS_STRANGER | NEEDS_GROWS, "memory grew", {
		{ UNDISPOSED },
		{ POOL_COPIES },
		{ OUT_OF_BROWSER(STAYING(KEPT)), "then it grows evenly, and stops where that is left out." } } },
	{ NEEDS_HOST | NEEDS_STRANGER | NEEDS_LATE, "it failed after a time, or now and then", {
		{ AT_ITS_END(TOGETHER_THEN), TOGETHER_SHOWS },
		{ KEPT, "then memory grows evenly." },
		{ UNLESS_AT_END("What came then was larger than what came before (a frame, a scene, a file)"), "then it fails there, too, where it begins with that." } } },
	{ NEEDS_STRANGER | NEEDS_LATE, "it failed after a time, or now and then", {
		{ AT_ITS_END(TOGETHER_THEN), TOGETHER_SHOWS },
		{ KEPT, "then memory grows evenly." },
		{ UNLESS_AT_END("What came then was larger than what came before (a frame, a scene, a file)"), "then it fails there, too, where it begins with that." } } },
	{ NEEDS_AGAIN, "it failed when it was run again", {
		{ OUT_OF_BROWSER("What the run before made lies there still, in the same process (in a notebook or an interpreter names, lists and the last error's traceback hold it)"), "with the process begun "
		    "anew, or with that let go of ahead of it, it runs." },
		{ IN_BROWSER("What the run before made lies there still, in the same page or process, as TensorFlow.js keeps a tensor until it is disposed of"), "with that begun anew, or with these "
		    "let go of (dispose(), or tf.tidy() around what makes them), it runs." },
		{ MAYBE_DEVICE(WITH_DEVICE(UNLESS_LOOPED("The process of the run before has not ended"))), LISTED } } },
	{ NEEDS_STAYS, "memory stayed taken after a run", {
		{ "A process of that run has not ended (one of several ranks, a loader's, one that Ctrl-Z only halted)", LISTER ", or where that does not, on Linux with "
		    "NVIDIA's driver fuser -v /dev/nvidia* as root, lists it; as it ends, the driver takes back all that it had." },
		{ "In a notebook or an interpreter, which goes on, names, lists and the last error's traceback hold it", "with the process begun anew, or with these "
		    "let go of (del, gc.collect()), it is free." },
		{ UNTRIED(BY_EMPTYING, IN_TORCH("PyTorch's allocator keeps what tensors had that are gone, to use it again, for as long as the process lives")), "the process has it without more; others have it "
		    "once torch.cuda.empty_cache() was called." } } },
	{ NEEDS_HOST | NEEDS_GRAPH, "it is given a graph", {
		{ "There is a number for each pair of nodes (a dense adjacency, a kernel, lengths of all ways)", "60,000 nodes have 13.4 GiB of them in float32; kept sparse, it needs "
		    "one for each edge." },
		{ "All of the graph and what its nodes have lie there, and copies while they are read or converted", "fewer bytes each (float32 in place of float64), or parts of it, take "
		    "less." } } },
	{ NEEDS_GRAPH, "the network is given a graph", {
		{ UNTRIED(BY_PARTS, "All of the graph is gone through at once, and layers keep numbers for each of its nodes and edges"), "parts of it (sampled "
		    "neighbours, clusters, subgraphs) take less; a loader's batch of whole graphs does not cut one." },
		{ "There is a number for each pair of nodes (a dense adjacency, attention)", "kept sparse, it needs one for each edge." } } },
	{ NEEDS_SPLATS, "Gaussians are rendered", {
		{ AFTERWARDS(UNTRIED(BY_CAP, "Their number grows as training goes on (densification), without bound in some settings")), "a log of their number tells. A higher "
		    "densify_grad_threshold, an earlier densify_until_iter (densify_grad_thresh and stop_split_at in nerfstudio), a cap, or another strategy keep it." },
		{ "All images lie on the device, or they are large", "in the machine's memory (--data_device cpu; in nerfstudio cache-images cpu), or smaller (--resolution; downscale-factor), "
		    "they take less; then it fails at the start, or as soon." } } },
	{ NEEDS_COLLECTED, "tensors are freed by a language's collector", {
		{ UNTRIED(BY_EMPTYING, "Tensors that nothing holds any longer lie there until the collector has found them, and to it each is small"), "freed by hand, as rounds go on (in TorchSharp Dispose(), using or "
		    "NewDisposeScope(); in Julia CUDA.unsafe_free!(), or GC.gc() and CUDA.reclaim(); in R rm() and gc(); in Torch for Lua collectgarbage(), twice), their number does not grow." },
		{ AFTER_STEPS(UNTRIED(BY_EMPTYING, KEPT)), "then it grows with that, too." },
		{ UNLESS_GROWS(UNTRIED(BY_EMPTYING, MORE)), "then it fails in the first round, too." } } },
	{ NEEDS_HOST | NEEDS_SAVES, "weights were saved then", {
		{ "All of the weights, and of the optimizer's numbers, are put together or copied in the machine's memory" WITH_PARTS(", by each process for itself"), WITH_PARTS("written by one "
		    "of them (rank0_only), or in parts (a sharded state dict), they need not lie there as often; ") "without the optimizer's numbers they take a part of that." },
		{ "Files, or copies of weights, that were made before are still held", "then it grows from one time to the next." } } },
	{ NEEDS_SAVES | NEEDS_ADAPTER, "weights were saved then", {
		{ UNTRIED(BY_SAVING, "All of the model's weights are copied or put together, where an adapter's alone were trained (LoRA)"), "these by themselves (save_pretrained() of PEFT's model, "
		    "get_peft_model_state_dict()) take a small part of that." },
		{ COPIED, ONE_BY_ONE },
		{ TOGETHER, APART } } },
	{ NEEDS_SAVES, "weights were saved then", {
		{ COPIED, ONE_BY_ONE },
		{ TOGETHER, APART } } },
	{ NEEDS_REPLAY, "the run has a replay buffer", {
		{ "The replay buffer is made as long as it is told, or grows until then, and longer episodes take more", "fewer entries, or "
		    "of fewer bytes (images as uint8, each of them once), take less; it grows evenly until it is full." },
		{ "Something else is kept from one step to the next (results on lists" HAS_TRAINED(IN_TORCH(UNLESS_NUMBERS(", losses with their graph"))) ")", "then it grows "
		    "beyond that." } } },
	{ NEEDS_AGENT, "an agent learns from what it sees", {
		{ "What was seen lies there until it is learned from (a replay buffer, a rollout of all environments at once)", "fewer entries "
		    "or steps (buffer_size, n_steps), fewer environments, shorter episodes, or images as uint8, each of them once, take less." },
		{ "Something is kept from one step or episode to the next (results on lists" HAS_TRAINED(IN_TORCH(UNLESS_NUMBERS(", losses with their graph"))) IN_KERAS(", in Keras models or "
		    "predict() called in each") ")", "then it grows evenly, and beyond what such a buffer holds." },
		{ WITH_PARTS("Each environment is a process of its own, with a copy of the program"), "fewer of them take less." } } },
	{ NEEDS_VECTORS, "words' vectors are read or learned", {
		{ "They lie there whole, a row of numbers for each word (3 million words with 300 of float32 are 3.4 GiB), and often as much again while they are read "
		    "from text, converted or learned", "fewer words (limit= where gensim reads them, min_count where it learns), fewer numbers for each, where fastText learns them fewer buckets (bucket=: a row for "
		    "each, however few the words are), or a file of "
		    "gensim's own that is mapped (mmap=\"r\") take less." } } },
	{ NEEDS_HOST | NEEDS_FREE, "memory was free by the report", {
		{ "A limit is reached that is less than the machine has: a container's, a job's (Slurm's --mem), a process's (ulimit -v), or 2 to 4 GiB of a program of 32 bits", "with a "
		    "larger one, it goes on." },
		{ "The system promises no more, however much is free (Linux with vm.overcommit_memory=2, Windows beyond its memory and the paging file)", "what is promised stands in "
		    "/proc/meminfo (Committed_AS, CommitLimit), or in the task manager." },
		{ "More is asked for at once than is free by then, for a moment alone", "the machine's own tool (" MONITOR "), while it runs, shows how it fills." } } },
	{ NEEDS_SHUFFLE, "samples are shuffled in a buffer", {
		{ "The buffer in which samples are shuffled lies there whole, decoded as they are", "a smaller one "
		    "(shuffle(buffer_size)), or names or encoded samples that are shuffled in place of decoded ones, take less." },
		{ "Buffers of the epochs before lie there still, where the data set, or its iterator, is made anew in each", "then it grows as each epoch begins; made once, ahead of "
		    "the loop, they are filled anew." } } },
	{ NEEDS_HOST | NEEDS_PROCESSOR, "the run was on the processor", {
		{ "What is computed runs on the processor, and a part of it needs more than there is", "it grows with what is worked on at once (samples, pictures), and with the size of each." } } },
	{ NEEDS_HOST | NEEDS_CONVERTS, "a network was put into another form", {
		{ "Its weights lie there in both forms" OF_ENGINE(", and in TensorRT's builder what is tried for each layer, too"), "weights that are read part by part, or mapped from a "
		    "file, fewer other programs, or a swap file meanwhile leave room" OF_ENGINE(", and a smaller workspace does for TensorRT") "." } } },
	{ NEEDS_HOST | NEEDS_WORKERS, "a loader has processes of its own", {
		{ UNTRIED(BY_WORKERS, "Each of a loader's processes comes to hold a copy of what the data set has, as Python counts each use of it there"),
		    "without such processes" IN_TORCH(" (in PyTorch num_workers=0)") " it does not grow, and less so where samples are arrays (numpy, Arrow) in place of lists." },
		{ "Something is kept from step to step (lists of results" HAS_TRAINED(IN_TORCH(UNLESS_NUMBERS(", losses with their graph"))) ")", "then it grows without a loader's processes, too." } } },
	{ NEEDS_WORKERS | NEEDS_GROWS, "a loader has processes of its own", {
		{ UNTRIED(BY_WORKERS, "Each of a loader's processes comes to hold a copy of what the data set has, as Python counts each use of it there, or batches that wait to be taken"),
		    "without such processes" IN_TORCH(" (in PyTorch num_workers=0)") IN_KERAS(" (in Keras use_multiprocessing=False)") " it does not grow." },
		{ KEPT_ON, "then it grows without a loader's processes, too." } } },
	{ NEEDS_HOST | NEEDS_TORCH | NEEDS_GROWS, "memory grew", {
		{ THERE_ALONE },
		{ POOL_COPIES },
		{ UNLESS_THERE("Something is kept from one step to the next (results or frames on lists, with their graph where gradients are on, a cache of what was read, "
		    "objects that are never let go of)"), "then it grows evenly, and stops where that is left out." },
		{ UNLESS_THERE(WITH_LOADER(OVER_DATA("Where a loader has processes, each comes to hold a copy of what the data set has, and batches that wait to be taken"))), "with num_workers=0, or fewer of them, it grows less, or not "
		    "at all." } } },
	{ NEEDS_HOST | NEEDS_GROWS, "memory grew", {
		{ UNDISPOSED },
		{ THERE_ALONE },
		{ POOL_COPIES },
		{ UNLESS_THERE(OUT_OF_BROWSER(STAYING("Something is kept from one step to the next (results or frames on lists, a cache of what was read, objects that are never let go "
		    "of)"))), "then it grows evenly, and stops where that is left out." },
		{ UNLESS_THERE(OUT_OF_BROWSER(WITH_LOADER(OVER_DATA("Where a loader has processes, each comes to hold a copy of what the data set has, and batches that wait to be taken")))), "without such processes" IN_TORCH(" (in PyTorch num_workers=0)") ", or with fewer, it grows less, or not "
		    "at all." } } },
	{ NEEDS_HOST | NEEDS_WORDS | NEEDS_INFERS, OF_INFERENCE, {
		{ "What is given or made lies there as a whole, such as all frames of a film", "parts, one after the other, take less." } } },
	{ NEEDS_HOST | NEEDS_EVALUATES, OF_TESTS, {
		{ "All that is tested, or all results of it, lie there as arrays", "in parts (chunks, batches), or reduced as they come, they take less. "
		    "Results that are joined in the end take twice their bytes for that moment." } } },
	{ NEEDS_CODES, "classes were coded then, a number for each", {
		{ "A number for each sample, word or pixel and each class lies there whole, of 8 bytes where NumPy is not told otherwise (dtype)", "" TRY BY_INDEX "the classes' own numbers, with a loss that "
		    "takes those (sparse_categorical_crossentropy, CrossEntropyLoss)" TRY BY_ANYTHING "fewer bytes each" TRY BY_ANYTHING "batches that are coded as they come" TRY_END ", take a part of that." } } },
	{ NEEDS_DATA, "data filled memory", {
		{ "Data are read or made as one array, or a copy of it, in the machine's memory", "then it runs with a part of them. Read as they "
		    "are needed" IN_PYTHON(UNTRIED(BY_MAPPING, ", or mapped from a file (in Python numpy.memmap)")) ", they need not lie there at once." } } },
	{ NEEDS_DRIVER | NEEDS_UNDER_WAY, NULL, {
		{ MORE, "the framework's own allocator was refused before the driver was, so that it was under way by then." },
		{ ANOTHER(""), LISTED } } },
	{ NEEDS_DRIVER, NULL, {
		{ UNTRIED(BY_ALONE, "Another process has the device, such as a notebook that still runs"), LISTED },
		{ UNTRIED(BY_GROWTH, "A share of the device was to be taken at once (" TAKERS "), and less is free, as where a "
		    "display has a part"), "with " TAKES_LESS ", it begins." },
		{ MORE, "then an error of its own follows, with a shape." } } },
	{ NEEDS_TAKES_ALL, "it ran in TensorFlow or JAX", {
		{ UNTRIED(BY_GROWTH, "A share of the device is taken when the program starts, whatever the network needs (TensorFlow nearly all, JAX most of it), "
		    "and lies there free"), "with set_memory_growth (allow_growth), or XLA_PYTHON_CLIENT_PREALLOCATE=false, " LISTER
		    " shows what is needed." } } },
	{ NEEDS_HOST | NEEDS_LOADS, "weights were loaded then", {
		{ "Those of a file and the model's own lie there together" UNTRIED(BY_BITS, ", a model's in float32 unless it is told otherwise"), "then it fails before the first result, whatever the batch. "
		    "" TRY BY_ANYTHING IN_PYTHON("a file that is mapped (safetensors)") TRY BY_BITS "fewer bits" TRY BY_ANYTHING IN_TORCH("in transformers torch_dtype and low_cpu_mem_usage=True") TRY BY_ANYTHING "a smaller model" TRY_END " take less." } } },
	{ NEEDS_LOADS, "weights were loaded then", {
		{ WEIGHTS_MORE, BEFORE_ANY } } },
	{ NEEDS_SINGLE, "one of several devices alone is used", {
		{ HAS_TRAINED(UNTRIED(BY_SPLITTING, "That one has the whole batch, and all weights with what training keeps of them")), "with a process for each device (torchrun, accelerate launch, a launcher of the program's own) each has a part of the batch, "
		    "and with weights that are split, too (FSDP, ZeRO's stage 3), a part of these." },
		{ HAS_NOT_TRAINED("All of a model's weights lie on that one, as they do where nothing tells to split them (that several are seen, by CUDA_VISIBLE_DEVICES, does not)"), "split among several (in transformers "
		    "device_map=\"auto\", and no .to() or .cuda() behind it; in servers of language models a number of parts, such as --tensor-parallel-size, --tp or --tensor-split), each has a part." },
		{ HAS_NOT_TRAINED("The program works on one at a time, or has a copy of its model on each"), "then more of them do not help: fewer bits, or less at once, do." } } },
	{ NEEDS_FIRST, "the first of several devices has more than the others", {
		{ WITH_GATHERING("PyTorch's DataParallel gathers results there, where the loss and its gradient are then made of all samples, and has the optimizer's numbers there alone"),
		    "with the loss made within the network that is parallel, or with DistributedDataParallel, which gathers nothing, they are even" UNTRIED(BY_BATCH, "; fewer samples in a batch take less") "." },
		{ "Each of several processes has a context there, or makes tensors there, or reads a file's there", IN_TORCH("torch.cuda.set_device() with its own rank "
		    "ahead of all else, and map_location in torch.load, keep") OUT_OF_TORCH("no other device to be seen (CUDA_VISIBLE_DEVICES) keeps") " each on its own; then " LISTER " lists one process for each." } } },
	{ NEEDS_METRICS | NEEDS_EVALUATES, "it failed in the evaluation of transformers' Trainer", {
		{ "Results of all samples are kept until measures are computed of them: logits, a number for each position and word, and "
		    "whatever else the network gives", "reduced as they come (preprocess_logits_for_metrics, argmax), or moved to the "
		    "machine's memory (eval_accumulation_steps), they take less. Then it fails only after many batches." },
		{ "What is evaluated at once is larger than a batch of training, or texts are generated, by several beams", "fewer at once "
		    "(per_device_eval_batch_size), or fewer beams." } } },
	{ NEEDS_LONG | NEEDS_INFERS, "what is given is long, or has many frames", {
		{ AT_START(UNLESS_GROWS(AT_ONCE)), SMALL_RUNS },
		{ HAD_STEPS("What came then was larger than what came before, or has more in it"), "then it fails with that alone, too." },
		{ AFTER_STEPS(KEPT), "then memory grows evenly, from one to the next." },
		{ WITH_GRADIENTS(GRADIENTS_ON), "with one of them less is taken." } } },
	{ NEEDS_EVALUATES | NEEDS_INFERS, "it failed in tests, predictions or inference", {
		{ AT_START(UNLESS_GROWS(AT_ONCE)), SMALL_RUNS },
		{ HAD_STEPS("What came then was larger than what came before, or has more in it"), "then it fails with that alone, too." },
		{ WITH_GRADIENTS(GRADIENTS_ON ", and autograd keeps what backward would need"), "with one of them less is taken." },
		{ AFTER_STEPS(KEPT), "then memory grows evenly, from one to the next." },
		{ AT_START(UNLESS_GROWS(THERE_BEFORE)), SMALL_FAILS } } },
	{ NEEDS_EVALUATES, OF_TESTS, {
		{ WITH_GRADIENTS(GRADIENTS_ON ", and autograd keeps what backward would need"), "with one of them the first rounds take a part of what they took." },
		{ IN_FIRST_TESTS(MAYBE_GRADIENTS("Gradients are on, as in PyTorch where torch.no_grad() does not stand around all of it, and all that forward makes is kept")), "without them the first rounds take a part of what they took." },
		{ IN_KERAS("All that is tested is given at once, or all results of it are joined on the device, as predict() of some versions of "
		    "Keras does"), "in parts (predict_on_batch(), chunks), as large as batches of training, it runs." },
		{ UNLESS_LATE(IN_FIRST_TESTS(IN_TRAINING(LARGER_TESTS))), "then it fails in the first round" IN_TORCH(", with torch.no_grad(), too") "." },
		{ IN_FIRST_TESTS(IN_TRAINING(RESULTS_KEPT)), "then it fails after several rounds, and memory grows until then." } } },
	{ NEEDS_DARKNET, "it ran in Darknet", {
		{ IN_TRAINING("The pictures of a part of a batch (batch / subdivisions), or their size, are more than there is"), TRY BY_ANYTHING "more subdivisions, up to as "
		    "many as the batch has pictures" TRY BY_ANYTHING "a smaller width and height" TRY BY_FIXED "random=0, which keeps their size" TRY_END ", take less." },
		{ IN_SERVING("Weights, and what layers make of a picture of the width and height that are set, are more than there is"), "a smaller width and height, or a smaller network, take less." } } },
	{ NEEDS_HOOK, "what all steps return is given to a hook at an epoch's end", {
		{ "Lightning, before version 2, keeps what each step returns until then, and tensors of the device stay there, with their graph where they have one", "numbers alone "
		    "(loss.item(), .detach().cpu()) take nothing there, and without that hook nothing is kept." } } },
	{ NEEDS_MODELS, "several models lie there at once", {
		{ "Each has its weights there, and what it works with, for as long as something holds it", IN_TRAINING("one after the other, with the one before let go of (in Python del, gc.collect()" IN_KERAS(", in Keras "
		    "clear_session()") "), or a process for each, they need no more than the largest; instances of one model take less where they are fewer.") IN_SERVING("fewer of them at a time on one device, none of those before (a program that is begun anew, or told to keep one alone), or fewer instances of one (in Triton the count of its "
		    "instance_group), take less.") } } },
	{ NEEDS_VOCABULARY, "scores are made for each word of a large vocabulary", {
		{ "The last layer's results, softmax, the loss and their gradients have a number for each word at each position, and that layer and the words' vectors a "
		    "row for each word", "fewer words (subwords, a bound on their number), shorter sequences or fewer at once, a softmax over a sample of words, and targets "
		    "by their index in place of one number for each word, take less." } } },
	{ NEEDS_BOXES, "pictures have many objects", {
		{ "Each of a picture's objects is compared with every anchor or prediction in the loss, and where there are masks, has one of the picture's size: one picture with many of them "
		    "takes more than others", "a bound on their number, parts of such pictures, fewer anchors, or that comparison on the processor (in MMDetection gpu_assign_thr) take less. Then it runs "
		    "where such pictures are left out." } } },
	{ NEEDS_CLASSES, "there are many classes", {
		{ "The last layer has a row of weights for each class, with its gradient and the optimizer's numbers, and there is a score for each class and sample, or box",
		    "fewer classes, a narrower layer ahead of it, fewer boxes or centers, or a loss over a part of the classes at a time, take less. Then it runs with a part of "
		    "the classes." } } },
	{ NEEDS_UNFREEZES, "layers were unfrozen then", {
		{ "What forward makes of layers that were frozen is kept for backward then, with a gradient and the optimizer's numbers for each of their weights",
		    TRY BY_ANYTHING "fewer layers that are unfrozen" TRY BY_BATCH "fewer samples in a batch" TRY BY_SAMPLES "smaller ones" TRY_FIRST "smaller samples" TRY_END ", take less." } } },
	{ NEEDS_SECOND, "the first step ran, and the second did not", {
		{ "The optimizer made at its first step what it keeps (Adam " TWO_NUMBERS "), which lies there from then on, as gradients do where "
		    "they are not let go of", "with SGD the second step runs, too; " LESS_STATE "." },
		{ "Names of the loop (loss, outputs) hold what forward kept in the first step while the second makes its own", "with these let "
		    "go of (del) at the end of a step it runs." } } },
	{ NEEDS_ADAM, "it runs with SGD, and not with Adam", {
		{ "Adam keeps " TWO_NUMBERS ", where SGD keeps none (with momentum, one)", LESS_STATE UNTRIED(BY_BATCH, "; so does a smaller batch, of what forward keeps") "." } } },
	{ NEEDS_UPDATE, "it failed in the optimizer's step", {
		{ "The optimizer makes at its first step what it keeps (Adam two numbers for each weight, in PyTorch of the weight's own type)", "then the steps before it, or those of SGD, run. " TRY BY_ANYTHING "An optimizer in 8 bits" TRY BY_ADAPTER "fewer "
		    "weights that are trained (LoRA)" TRY BY_SPLITTING "what it keeps split among devices (ZeRO, FSDP)" TRY BY_OFFLOADING "what it keeps offloaded" TRY_END " take less; the batch plays no part in it." },
		{ "What forward keeps, gradients and weights leave no room for it", TRY BY_BATCH "fewer samples in a batch" TRY BY_SAMPLES "smaller ones" TRY_FIRST "smaller samples" TRY_END ", leave more." } } },
	{ NEEDS_FULL, "all of a model's weights are trained", {
		{ WITH_MANY("Each weight has its gradient and what the optimizer keeps (Adam " TWO_NUMBERS ")"), "in mixed precision those are 16 bytes for a weight as a rule, ahead of "
		    "what forward keeps, and the batch plays no part in it." },
		{ "What forward keeps, beside weights, gradients and what the optimizer keeps, is more than there is left", "it grows with the samples at once and their length." } } },
	{ NEEDS_PENALTY, "the loss has a gradient penalty", {
		{ "Backward makes a graph of its own for it (create_graph), beside what forward keeps, and that stays for as long as something holds the loss, the gradient, or what they were made of; "
		    "in some versions of PyTorch longer", TRY BY_ANYTHING "one backward of the losses' sum" TRY BY_ANYTHING "nothing of a step that is held in the next" TRY BY_BATCH "a smaller batch" TRY_END ", take less. Then it does not grow." },
		{ KEPT_ON, "then it grows without that penalty, too." } } },
	{ NEEDS_LOSS, "the loss was what needs that much", {
		{ "It has a number for each pair (of samples, pixels, boxes, positions; a contrastive loss with a memory of many samples), or one for each class at each place", "fewer of them at a "
		    "time (a part, a sample of the pairs, results that are pooled first), or classes by their own numbers, take less. Then it runs with another loss." },
		{ "What forward keeps leaves no room for it", TRY BY_BATCH "fewer samples in a batch" TRY BY_SAMPLES "smaller ones" TRY_FIRST "smaller samples" TRY_END ", leave more." } } },
	{ NEEDS_RETAINS, "backward is told to keep the graph (retain_graph)", {
		{ "What forward keeps stays then for as long as the loss is held, or what was made of it, and where a later step goes back into an earlier one, that step's, too",
		    "one backward of the losses' sum, what is carried from step to step detached (.detach()), and no retain_graph: then it does not grow." },
		{ KEPT_ON, "then it grows without that setting, too." } } },
	{ NEEDS_GROWS, "memory grew", {
		{ UNDISPOSED },
		{ THERE_ALONE },
		{ POOL_COPIES },
		{ UNLESS_THERE(OUT_OF_BROWSER(STAYING(KEPT_ON))), "then it grows evenly, from step to step." },
		{ UNLESS_THERE(UNEVENLY("Samples come that are larger or longer than those before")), "then it grows by leaps, and less and less often; a bound on "
		    "their size keeps it." },
		{ WITH_PROPOSALS(HAS_TRAINED("What the network itself makes of a sample comes to be more as it learns (proposals, boxes, instances)")), "then it grows as losses fall, and a bound on their number keeps it." } } },
	{ NEEDS_INFERS, OF_INFERENCE, {
		{ AT_START(UNLESS_GROWS(AT_ONCE)), SMALL_RUNS },
		{ HAD_STEPS("What came then was larger than what came before, or has more in it"), "then it fails with that alone, too." },
		{ AFTER_STEPS(KEPT), "then memory grows evenly, from one to the next." },
		{ WITH_GRADIENTS(GRADIENTS_ON), "with one of them less is taken." },
		{ AT_START(UNLESS_GROWS(THERE_BEFORE)), SMALL_FAILS } } },
	{ NEEDS_DECODES, "an autoencoder of images was at work then, as behind the last step, when what was made is decoded", {
		{ "Its layers have the full height and width of all pictures, or frames, at once", TRY BY_TILES "in tiles (enable_vae_tiling() in diffusers, or a "
		    "setting of the program)" TRY BY_ANYTHING "in slices" TRY BY_ANYTHING "one by one" TRY_END " they need a part of that." },
		{ UNTRIED(BY_OFFLOADING, "Weights of what ran before it lie there still"), "moved off the device by then (offloading), they leave it room." } } },
	{ NEEDS_LONG, "what is given is long, or has many frames", {
		{ AT_ONCE, SMALL_RUNS },
		{ THERE_BEFORE, SMALL_FAILS } } },
	{ NEEDS_CLOUD, "what is given is a cloud of points", {
		{ "It has more points than there is room for, and layers keep numbers for each, or for each pair of neighbours", "fewer (larger voxels, a sample of them, blocks of the "
		    "space one after the other) take less, and so do fewer clouds at once." } } },
	{ NEEDS_HOST | NEEDS_LARGE, "pictures are large", {
		{ "Pictures that are read lie there as arrays, several times as large as their files, and all of them where none is let go of", "smaller ones, or such as are read when they are needed, take less; then it fails "
		    "after so many of them." },
		{ "What is made of one at once grows with its pixels", "half of each side has a quarter of them; then a small one runs." } } },
	{ NEEDS_LARGE, "pictures are large", {
		{ UNLESS_MORE_RUNS("What is given at once is too large"), "half of each side has a quarter of the pixels; then a small one runs." },
		{ THERE_BEFORE, SMALL_FAILS } } },
	{ NEEDS_SHARED, "others use that device, too", {
		{ "What other processes have of it is not there for this run", LISTER ", before the run, lists them. With these ended, on another device (CUDA_VISIBLE_DEVICES), or with less at once, it "
		    "runs." } } },
	{ NEEDS_PEAK, "memory is highest at the start", {
		{ "cuDNN tries its ways of a convolution at the first step of each size, with workspaces as large as there is room for" IN_TORCH(" (torch.backends.cudnn.benchmark)"),
		    "with that off, the first step may take no more than the others." },
		{ "What was read lies there beside what is made of it (a file's weights, data as a whole)", "then it is highest before the first step." } } },
	{ NEEDS_HOST | NEEDS_RESUMES, "the run was resumed", {
		{ "What the file has, the optimizer's numbers with it, is read into the machine's memory beside what the run has there, by each of its processes where it has several",
		    IN_TORCH("mapped (mmap=True in torch.load), ") "read by one of them, or in parts for each (a sharded checkpoint), it takes less. Then it runs from the start, without that file." } } },
	{ NEEDS_RESUMES, "the run was resumed", {
		{ IN_TORCH("The file's tensors, the optimizer's with them, are put back on the device that they were saved from, beside what is there, and "
		    "where there are several processes, all of them on the first"), "with map_location=\"cpu\" in torch.load, and what was "
		    "read let go of (del) before the first step, it goes on." },
		{ OUT_OF_TORCH("What the file has, the optimizer's numbers with it, is put on the device beside what is there"), "read into the machine's "
		    "memory, and let go of before the first step, it need not lie there." },
		{ BY_SETTING_ALONE(MORE ", whatever file it begins with"), "then it fails so without that file, too."} } },
	{ NEEDS_HOST | NEEDS_LATE, "it failed after a time, or now and then", {
		{ AT_ITS_END(TOGETHER_THEN), TOGETHER_SHOWS },
		{ KEPT, "then memory grows evenly, and stops where that is left out." },
		{ UNLESS_AT_END("What came then was larger than what came before (a batch, a file, a document)"), "then it fails there, too, where it begins with "
		    "that." } } },
	{ NEEDS_LATE, "it failed after a time, or now and then", {
		{ "The run nearly fills what there is, and a batch came with samples larger or longer than those before", "then it fails elsewhere where samples come in "
		    "another order." },
		{ UNLESS_RANDOM("A phase began that needs more (tests, a file that is saved" HAS_TRAINED(", layers or a part of the loss that join in") ")"), "then it fails at the same place each time." },
		{ KEPT_ON, "then memory grows evenly, from step to step." } } },
	{ NEEDS_CARD | NEEDS_FREE, THIS_ONE, {
		OTHER_DEVICE,
		{ MORE ", though it was free ahead of it", LEAVES } } },
	{ NEEDS_FREE, "a device is free", {
		OTHER_DEVICE,
		{ "More is asked for than is free by then", LISTER ", while it runs, shows how it fills." } } },
	{ NEEDS_CARD, THIS_ONE, {
		{ MORE, LEAVES },
		{ ANOTHER(""), LISTED } } },
	{ 0, NULL, { { NULL, NULL } } }		/* nothing tells: then nothing is told */
};
