/*
 * What code and settings that were pasted beside a message are known to do to memory: one sentence
 * a kind. None of it need have run, or be large, so each is a condition; where the message's own
 * traceback tells the same, it is not said again.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/text.h"
#include "oom/oom_keep.h"
#include "oom/oom_says.h"
#include "oom/oom_says_data.h"

#define MOST_HABITS	3	/* that are worth a word: more is no evidence */

enum whose { OF_HOST = 1, OF_DEVICE = 2, OF_EITHER = 3 };

/* Whose own memory a message is of, where no Python runs. */
enum language { IN_PYTHON, IN_R, IN_DOTNET, IN_OTHER = 4, IN_ALL = 7 };

#define TRACES	"Where that is of the run, each trace has a graph that is kept: Python's numbers and tensors of other shapes as arguments, and functions that are made in a loop (or methods of objects that are), "	\
    "ask for one each. Tensors in their place, an input_signature, reduce_retracing=True, and a function that is made once hold their number."

/* In `says`, %s stands for the line's name of it. */
static const struct {
	enum whose whose;
	bool torch;		/* only of PyTorch */
	uint64_t unless;	/* where the traceback has it */
	const char *says;
	unsigned in;		/* also of these languages' own memory */
} habits[HABITS] = {
	[HABIT_NARROW] = { OF_HOST, false, 0, "tells of a program of 32 bits (%s). Where that is what ran, its process has no more than 2 to 4 GiB of addresses, however much the machine has: one of "
	    "64 bits has no such bound.", IN_R | IN_DOTNET },
	[HABIT_HEAP] = { OF_HOST, false, 0, "has %s. Where that is of the process that failed, its heap may have no more than that, however much the machine has, and what it keeps at once is more: "
	    "fewer rows, columns or threads that each keep a copy, or a higher limit, as far as there is memory, help.", IN_ALL },
	[HABIT_LIMIT] = { OF_HOST, false, 0, "has %s, by its words how much of the machine's memory a job or a container may have. Where this run was in it, that may be where it was ended, however "
	    "much the machine has: more of it, or less at once, helps." },
	[HABIT_SHM] = { OF_EITHER, false, 0, "has /dev/shm with %s in all. Where the program that failed ran there, what its processes share had no more room than that, however much the machine has: a larger one (in Docker "
	    "--shm-size, or --ipc=host), or less that is shared at a time, holds it." },
	[HABIT_OFFLOADS] = { OF_HOST, false, 0, "names %s. Where that is of the run, and takes what a device has not room for into the machine's memory (not a file), what it is told to take of weights, gradients and the optimizer's "
	    "numbers lies there, and buffers beside them, of all processes of a machine together: with Adam, as a rule, 12 bytes and more for each weight that is trained, 78 GiB for 7 thousand million. " TRY BY_ADAPTER "Fewer weights that "
	    "are trained (LoRA)" TRY BY_ANYTHING "more devices or machines in its place" TRY BY_ANYTHING "a file for a part (NVMe)" TRY_END " take less there." },
	[HABIT_WORKERS] = { OF_HOST, false, TRACE_SPAWNED, UNTRIED(BY_WORKERS, "%s: where that is of the run's loader, each of these processes may come to have a copy of what the data set holds (lists of objects are copied "
	    "as they are used, arrays are shared where processes are forked), and has batches that wait to be taken. Fewer of them, or none (0), take less.") },
	[HABIT_JOBS] = { OF_HOST, false, 0, "%s: where that is of the run, several jobs work at once (as many as there are processors where n_jobs is -1). Each makes what it works with, and "
	    "where they are processes, each may hold the data once more. One at a time (1) takes a part of that." },
	[HABIT_QUEUE] = { OF_HOST, false, 0, "has %s. Where that is of the run, up to as many batches wait there, made as they are (samples, where a tf.data.Dataset has it ahead of batch()), and with workers some more "
	    "that are being made: " TRY BY_ANYTHING "a shorter queue" TRY BY_BATCH "fewer samples in a batch" TRY_END ", takes less." },
	[HABIT_MAPS] = { OF_HOST, false, 0, "has samples handed to a function many at once (%s). Where that is of datasets, as many as batch_size says (1000 unless it is told) lie there with what is made "
	    "of them, in each process, and as many results as writer_batch_size says until they are written: where those are pictures, sounds or lists of numbers, fewer take less." },
	[HABIT_FRAMES] = { OF_DEVICE, false, 0, "reads a file as a whole onto the device (%s). Where the file is large, it lies there as a whole, and while it is read or worked with often more than once: in parts "
	    "(dask_cudf), fewer columns, or with the machine's memory beside it (RMM's managed memory), it need not fit." },
	[HABIT_OCCUPIES] = { OF_DEVICE, true, TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP, "has %s in a command of YOLOX. Where that is its --occupy, it takes nine tenths of the device as one tensor, less what is in use, ahead of the first step and whatever the "
	    "batch: that is refused where nvidia-smi, which it asks, counts that device under another number (CUDA_VISIBLE_DEVICES), where something took a part meanwhile, or no single piece is as large. Without it, memory is taken as it is needed." },
	[HABIT_MOVED] = { OF_DEVICE, false, 0, "puts data, by its words, on the device (%s). Where that is all of it, and not a batch, it lies there whole: a batch that is put there in each round takes a part of that." },
	[HABIT_TEXTS] = { OF_EITHER, false, TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP, "is of transformers' sets of texts (%s). Where it was the machine's memory, and the run's set is one of those (TextDataset, LineByLineTextDataset), its file is read whole, and tokens are made of all of it "
	    "there, in each process: many times the file's bytes. A smaller file, or datasets (load_dataset(\"text\"), map()), which keeps what is made in a file, takes less." },
	[HABIT_READS] = { OF_HOST, false, TRACE_READS, "%s: where the file is large, it lies there as a whole, and while it is read often more than once. In parts (chunksize, an "
	    "iterator), or, of an array of numbers, mapped (mmap_mode=\"r\"), it need not." },
	[HABIT_ARRAY] = { OF_HOST, false, TRACE_ARRAY, "makes one array of %s: where that is a list of all samples, it lies there whole, and until the list is let go of, twice. Read "
	    "as they are needed (a generator, a Dataset that opens a file for each, numpy.memmap), a batch does." },
	[HABIT_GATHERS] = { OF_HOST, false, 0, "puts a picture, by its name, on a list in a loop (line %s). Where that goes over a whole data set, all of them lie there at once, decoded: read as they are "
	    "needed (a generator, a Dataset that opens a file for each), a batch does." },
	[HABIT_ZEROS] = { OF_HOST, false, TRACE_ARRAY, "makes an array with a row for each of %s, all at once. Where those are all samples, it lies there whole, in elements of 8 bytes unless it "
	    "is told otherwise (dtype). Fewer bytes an element, or batches that are made as they are used (a generator), take less." },
	[HABIT_EXTENTS] = { OF_HOST, false, 0, "makes an array of %s, all at once. Where that is all of a data set, batches that are made as they are used (a generator), or fewer bytes "
	    "an element, where it has several (dtype), take less." },
	[HABIT_FILLED] = { OF_EITHER, false, 0, "names Theano's operation that fills a tensor with one value, and all extents of that: %s. Where that is what failed, it grows with each of its extents (samples, steps of a scan, pixels, channels): "
	    "fewer of any take less." },
	[HABIT_EMPTY] = { OF_HOST, false, 0, "makes an array of (%s): one of its extents is 0, so that it has no elements, and by itself needs no memory. Where that is what failed, some versions of NumPy set aside as much as if that extent were 1: another "
	    "version, or an array that is made when there is something to put into it, does not." },
	[HABIT_CODES] = { OF_HOST, false, 0, "%s: a number for each sample, or word, and each class. Where there are many of both, the classes' own numbers, with a loss that takes "
	    "those (sparse_categorical_crossentropy, CrossEntropyLoss), codes that are kept sparse, or batches that are coded as they come, need a part of that." },
	[HABIT_DENSE] = { OF_EITHER, false, TRACE_SPARSE, "makes a sparse matrix dense: a number for each of its rows and columns, however few are not zero. Where both are many, kept sparse, or "
	    "made dense by a few rows at once, it needs a part of that.", IN_R },
	[HABIT_CACHE] = { OF_HOST, false, 0, "may have samples kept (%s): where that is of the run, all of them come to lie there, decoded as they are, by the end of the first epoch. Without it, or "
	    "kept in a file, they do not." },
	[HABIT_SHUFFLE] = { OF_HOST, false, 0, "shuffles in a buffer of %s: where that is of the run, as many samples (batches, where it stands behind batch()) lie there, decoded as they are by then. A smaller buffer, or names or "
	    "encoded samples that are shuffled in place of decoded ones, take less." },
	[HABIT_SPLIT_ROWS] = { OF_HOST, false, 0, "takes rows by their places (%s), as scikit-learn's train_test_split() does: both of its parts are copies, of as many rows together as there were, and lie beside the whole, which stays for as long as a name "
	    "holds it. The rows' numbers split in place of the rows, numbers of fewer bytes (float32), or a sparse matrix, where most are zero, as of texts, take less." },
	[HABIT_COLUMNS] = { OF_HOST, false, 0, "names %s. Where that is scikit-learn's DictVectorizer, it makes a column for each different name, and for each different value that is text, "
	    "and notes each entry of each row: FeatureHasher, which has a fixed number of columns, fewer values that differ, or fewer rows at once, take less. Made dense, all of the columns have a number in each row." },
	[HABIT_SCALER] = { OF_HOST, false, 0, "scales all that it is given at once (%s): a copy of it, in floats of 8 bytes where it had whole numbers, as pictures have in 1 each. Where that is "
	    "a whole data set, a batch scaled as it is used, or a part after the other (partial_fit), takes a part of that." },
	[HABIT_PRETRAINS] = { OF_HOST, false, 0, "names %s. Where that is the script of BERT's that makes samples for pre-training, and what failed, it holds those of its whole input in memory until they are written, dupe_factor times over: "
	    "the input cut into several files, with a call of the script for each, takes a part of that." },
	[HABIT_COUNTS] = { OF_HOST, false, 0, "is of words that are counted (%s), as gensim does ahead of learning. Where it failed then, each different word lies there with its count, however rare: min_count leaves "
	    "rare ones out only when all are counted, and there are no vectors yet. max_vocab_size, which leaves them out meanwhile, fewer different words (cleaned, in small letters), or more memory help." },
	[HABIT_SUBWORDS] = { OF_HOST, false, 0, "reads a model of fastText's kind (%s). Where that is what failed, it lies in the machine's memory whole, as large as its file as a rule (a row for each word, and for "
	    "each of its parts or pairs): a model with fewer of them, one that was made with fewer numbers in a row, or more memory helps." },
	[HABIT_SIMILAR] = { OF_HOST, false, 0, "names %s. Where that is gensim's, before version 4, the first such call makes a second copy of all vectors, each of length 1, beside the first: init_sims(replace=True) ahead of "
	    "it puts it in the first's place (then nothing more is learned), and fewer words (limit=, where they are read) take less of both." },
	[HABIT_TAGS] = { OF_HOST, false, 0, "gives texts tags (%s). Where that is for gensim's Doc2Vec, a row of numbers is kept for each tag, and where tags are whole numbers, for each number up to the largest, whether it is "
	    "there or not: numbers from 0 on without gaps, fewer tags, or fewer numbers in a row (vector_size) take less." },
	[HABIT_SEURAT] = { OF_HOST, false, 0, "names %s. Where that is Seurat's, ScaleData and SCTransform make dense matrices, a number for each cell and each gene that they keep, and integration compares all pairs of data sets, unless "
	    "some are made the reference: fewer genes (features, nfeatures), fewer cells at once, reference=, and conserve.memory = TRUE in SCTransform take less.", IN_R },
	[HABIT_CELLS] = { OF_HOST, false, TRACE_SPARSE, "names %s. Where that is scanpy's, or AnnData's, a matrix of cells and genes has a number for each pair of them where it is dense (100,000 cells with 20,000 genes are 7.45 GiB "
	    "in float32), and only for those that are not zero where it is sparse (scipy's csr_matrix): one that is sparse, steps that leave it so (scale() with zero_center=False), fewer genes ahead of the others, no copies, or "
	    "a matrix that stays in its file (read_h5ad(backed=\"r\")) take less." },
	[HABIT_DOCUMENTS] = { OF_HOST, false, TRACE_READS | TRACE_LOADING, "names %s. Where that is spaCy's, what its models work with grows with a text's length (by its own words about 1 GB for 100,000 characters, with the parser or names), "
	    "and each Doc that is kept holds its text's tokens: long texts cut into parts (paragraphs), fewer at once (batch_size, n_process), parts of the pipeline left out (disable), or results kept in place of Docs take less." },
	[HABIT_INDEXES] = { OF_HOST, false, TRACE_READS, "names %s. Where that is faiss', an index lies there whole, also while it is read from a file: a flat one, or HNSW, with all vectors as they are (4 bytes for each number, and links beside "
	    "them), in arrays that double as vectors are added, with the one before beside it. One that keeps codes (PQ, as IVFPQ), fewer or shorter vectors, or parts of them on several machines take less; so do searches of "
	    "fewer vectors at a time." },
	[HABIT_NEIGHBOURS] = { OF_HOST, false, TRACE_ALL_PAIRS, "names %s. Where that is scikit-learn's DBSCAN, all neighbours within eps of each point are kept at once; hdbscan makes a number for each pair of points where no tree serves its "
	    "metric or its data (sparse ones). A smaller eps, fewer columns (PCA ahead of it), or a part of the points take less." },
	[HABIT_EMBEDS] = { OF_HOST, false, 0, "names %s. Where that is umap-learn's, its search for neighbours takes less with " UNTRIED(BY_LEAN, "low_memory=True (which it is by itself since 0.5), or with ") "fewer neighbours (n_neighbors), columns (PCA ahead of it) or points" UNTRIED(BY_LEAN, "; where each point's first place "
	    "comes of the neighbours' graph (init=\"spectral\", unless it is told), that takes memory, too (init=\"random\" does not)") "." },
	[HABIT_FOREST] = { OF_HOST, false, 0, "makes a forest of trees (%s). Where that is scikit-learn's, and nothing bounds them, each tree grows until its leaves cannot be parted, up to about two nodes for each row, and all of them are kept: "
	    "a bound (max_depth, min_samples_leaf, max_leaf_nodes), fewer trees (n_estimators), or fewer rows for each (max_samples) takes less." },
	[HABIT_RASTER] = { OF_HOST, false, 0, "takes all cells of a raster at once (%s). Where that is what failed, a number for each cell of each layer lies there, however small the file is: blocks of rows one after the other, a part (crop()), "
	    "fewer layers, or functions that go over the file by themselves (in raster cellStats(), in terra global(), app()) take less.", IN_R },
	[HABIT_GENOME] = { OF_HOST, false, 0, "has STAR make an index (%s). Where that is what failed, it lies in the machine's memory whole, by STAR's manual about 10 bytes for each letter of the genome, some 30 GB for a human one: more memory, or a "
	    "sparser index (--genomeSAsparseD 2), which maps more slowly, holds it." },
	[HABIT_HDF5] = { OF_HOST, false, 0, "is of Caffe's layer that reads HDF5. Where it is the run's, each file that its list (source) has is read whole, as floats of 4 bytes, with all of its "
	    "samples: several smaller files, one after the other, take less." },
	[HABIT_SPLITS] = { OF_HOST, false, TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP, "names FSDP (%s). Where each of its processes reads all of a model's weights into the machine's memory before they are split, they lie there as many times: read by one and handed on (in Accelerate's settings "
	    "fsdp_cpu_ram_efficient_loading with fsdp_sync_module_states), they do once. For a full state dict, they are put together there, too." },
	[HABIT_RANKS] = { OF_HOST, false, 0, "starts %s processes. Where each of them reads all weights, or all data, into the machine's memory before it takes its part, they lie there as many times: "
	    "read by one and handed on, mapped from a file, or read straight onto each one's device (map_location), they do once, or not at all." },
	[HABIT_ALONE] = { OF_DEVICE, false, 0, "starts one process (%s) of a program that is told to split weights among them (FSDP, ZeRO). Where that is the run, and nothing is offloaded, one device has all of them, with their gradients and what the "
	    "optimizer keeps: where all are trained with Adam in mixed precision, as a rule, 16 bytes for each, 104 GiB for 7 thousand million. " TRY BY_ANYTHING "More processes" TRY BY_OFFLOADING "offloading" TRY BY_ANYTHING "an optimizer that "
	    "keeps less (8 bits)" TRY BY_ADAPTER "fewer weights that are trained (LoRA)" TRY_END " take less there." },
	[HABIT_COPIED] = { OF_DEVICE, false, 0, "has %s. Where that is the run's, each of its processes has all of the weights on its own device, with gradients and what the optimizer keeps of those that are trained, so that more devices make no room for them: "
	    TRY BY_BITS "weights in fewer bits" TRY BY_ANYTHING "a smaller model" TRY BY_SPLITTING "weights that are split among the devices (FSDP, DeepSpeed's ZeRO 3)" TRY BY_OFFLOADING "offloading" TRY_END " take less on each." },
	[HABIT_REPLAY] = { OF_DEVICE, true, TRACE_REPLAY, "adds what an agent saw, by its names, to %s. Where that is a memory of all that it sees, and the device is the one that was full, each entry lies there until it is forgotten, and memory "
	    "grows evenly: kept in the machine's memory (.cpu(), pictures as uint8), and put on the device a batch at a time, they take a batch's part of it." },
	[HABIT_STATE] = { OF_EITHER, true, 0, "gives a network again, by its names, what it gave before, %s. Where that goes on from one step of training to the next, and its graph is not let go of, "
	    "each step holds those before it, and memory grows evenly: .detach() on it between steps." },
	[HABIT_FACES] = { OF_DEVICE, false, 0, "looks for faces (%s). Where that is by dlib's network (model=\"cnn\"), all of a picture goes through it, in several sizes, made larger first as often as "
	    "number_of_times_to_upsample says (once, unless it is told), which doubles both sides each time: smaller pictures, none made larger (0), fewer at once (batch_size), or the way that needs no "
	    "device (model=\"hog\") take less." },
	[HABIT_LISTED] = { OF_DEVICE, false, 0, "puts what CuPy makes on a list in a loop (line %s). Where that goes over all samples, what was made of each lies on the device until the list is let go of: moved to the "
	    "machine's memory as it comes (cupy.asnumpy(), .get()), it does not." },
	[HABIT_LOAD] = { OF_DEVICE, true, TRACE_CHECKPOINT, "reads a file by torch.load without map_location: where its tensors were saved from a device, they are put back on that one, beside what is "
	    "there, and with several processes all on the same. With map_location=\"cpu\" they lie in the machine's memory." },
	[HABIT_CREATES] = { OF_EITHER, true, TRACE_RETAINS, "has backward make a graph of its own (create_graph). Where that code ran, what backward makes is kept as well as what forward does, "
	    "as a gradient penalty needs it, and adds up from step to step where such gradients are kept." },
	[HABIT_GATHERED] = { OF_DEVICE, true, TRACE_PARALLEL, "is of DataParallel, which gathers there what several devices gave. Where that is of the run, each step copies the network to all that it sees, and the first, which "
	    "gathers, and as a rule makes the loss, is full before the others: with one device that it sees (CUDA_VISIBLE_DEVICES=0) nothing is copied, and with a process for each (torchrun, DistributedDataParallel) nothing is "
	    "gathered." },
	[HABIT_PARALLEL] = { OF_DEVICE, true, TRACE_PARALLEL, "has %s: where that has several devices, each step copies the network to all of them, and gathers what they give on the "
	    "first, which as a rule makes the loss, too, and is full before the others. DistributedDataParallel, with a process for each, gathers nothing." },
	[HABIT_REGATHERED] = { OF_DEVICE, false, TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP, "puts a network on one device (%s). Where it is that one, and it ran, all weights come to lie there, whatever room others have: without "
	    "it, they stay where they were put." },
	[HABIT_INSTANCES] = { OF_DEVICE, false, 0, "has a count of %s in Triton's instance_group. Where that is of what failed, as many instances of one model work on each device that it names (on all, where it names "
	    "none), each with what it makes, and in most backends with weights of its own: fewer take less, and so do other devices for other models (gpus)." },
	[HABIT_SPREAD] = { OF_DEVICE, false, TRACE_LOADING | TRACE_CHECKPOINT, "spreads weights over what devices there are (device_map). Where they nearly fill one, what layers make there, and what a language model keeps of a text, finds no room on "
	    "it, however much others have: less for each, or for the first, by max_memory or device_map=\"balanced_low_0\", leaves some; so do weights in fewer bits." },
	[HABIT_JOINED] = { OF_EITHER, false, 0, "joins what was predicted so far with the next (%s), as transformers' Trainer does in evaluation: where results are logits, a number for each position and "
	    "word of all samples comes to lie there, on the device until eval_accumulation_steps moves them. Reduced as they come (preprocess_logits_for_metrics, argmax), or not kept "
	    "(prediction_loss_only), they take less." },
	[HABIT_WHOLE] = { OF_DEVICE, false, TRACE_LOADING | TRACE_EVALUATES, "runs %s. Where that is the script of diffusers', it trains all weights of a network (the U-Net, or what takes its place; a ControlNet, and the U-Net lies beside it), unless it is told of LoRA: each has its gradient and what the "
	    "optimizer keeps, whatever the batch, and text encoders and the autoencoder lie beside them. An adapter, where there is a script for it (of that name with _lora), or an optimizer of fewer bits, "
	    "takes less." },
	[HABIT_SERVER] = { OF_DEVICE, false, 0, "has vLLM beside training (%s): where both are on one device, what vLLM sets aside there, a share of all of it, is not there for the "
	    "step, nor the other way round. " TRY BY_SHARE "A smaller share" TRY BY_SLEEP "one that is let go of while training goes on (sleep mode)" TRY BY_ANYTHING "a device of its own" TRY_END ", leave room." },
	[HABIT_CONTEXT] = { OF_DEVICE, false, TRACE_LAYERS, "has %s, positions as llama.cpp counts them. Where the run's context is as long, as it is in some versions where -c (num_ctx) says nothing, keys and "
	    "values lie there for all of them from the start (in newer llama.cpp not in layers with a sliding window), and what is computed grows with it: a shorter context takes less." },
	[HABIT_SIZES] = { OF_DEVICE, false, 0, "has %s, by its name pictures of several sizes. Where the run changes their size as it goes on, some batches are larger than those before, and it may fail "
	    "only at one of them: " TRY BY_ANYTHING "without it" TRY BY_ANYTHING "with a lower bound" TRY BY_BATCH "with fewer pictures at once" TRY_END ", the largest fits." },
	[HABIT_BENCHMARK] = { OF_DEVICE, true, TRACE_LOADING, "has cuDNN try its ways of a convolution (%s) at the first step of each size, with workspaces as large as there is room for. Where sizes differ from "
	    "step to step, or the device is nearly full, it may take less with that off." },
	[HABIT_UNIT] = { OF_DEVICE, true, 0, "has %s, and a policy that wraps layers (auto_wrap_policy) was not found there. Where none is set, FSDP takes the network as one unit, and puts all of its weights "
	    "together on each device for forward and for backward: with a unit for each layer, those of few layers lie there at a time." },
	[HABIT_WITHOUT] = { OF_DEVICE, false, 0, "tells that bitsandbytes is not built for a GPU. Where the run is to have weights in 8 or 4 bits, or an optimizer's numbers, by it, no device takes them so: a version "
	    "of it that finds the device comes ahead of a smaller model or more memory." },
	[HABIT_SAVED] = { OF_DEVICE, false, 0, "has layers with a number for each word of the vocabulary (%s). Where PEFT trains those whole, beside an adapter of few numbers, it makes a copy of them, of which "
	    "each number has a gradient and what the optimizer keeps, too: without them, or with an adapter for them, too, it takes less." },
	[HABIT_UNCHECKED] = { OF_DEVICE, false, TRACE_LOADING | TRACE_EVALUATES, "%s. Where it trains, what forward makes is all kept for backward then: with gradient checkpointing a part of it is, and the rest "
	    "made once more, which takes longer, and less room." },
	[HABIT_MERGES] = { OF_EITHER, false, TRACE_BACKWARD | TRACE_STEP, "names the merging of an adapter into a model's weights (%s). Where that is what failed, and it makes all of them anew there, in 16 bits (as Unsloth's merged_16bit, or a base that is read so for it), however few they had for training (4, 8), beside what is "
	    "there: 13 GiB for 7 thousand million. In a process of its own, on the processor, or written in parts as it goes on, it needs less there, and the adapter by itself (save_pretrained() of PEFT's model) is "
	    "a small part of that." },
	[HABIT_INDEX] = { OF_DEVICE, false, 0, "has an error of an index (%s). Where that is of the same run, as on the processor, it fails so on a device, too, and what a library of CUDA says "
	    "behind it is not of memory: labels that are no class, or words beyond the vocabulary, are to be looked for there." },
	[HABIT_FEATURES] = { OF_EITHER, false, 0, "names %s. Where that is the run's way to find what is unusual in pictures, features of all training pictures are kept until the epoch ends, and joined then: they grow with the number of "
	    "pictures, with their pixels, and with the features of each place. Fewer or smaller pictures, fewer features (fewer layers; n_features), or a part of the training set take less." },
	[HABIT_RERUNS] = { OF_EITHER, false, 0, "of a traceback is in multiprocessing's %s(): a process that was begun anew (spawn) runs the program's own file from its first line there, ahead of its work. Where that loads weights or data outside of "
	    "if __name__ == \"__main__\":, each of these processes loads them once more, beside the first." },
	[HABIT_TESTS] = { OF_EITHER, false, TRACE_BACKWARD | TRACE_STEP, "has a batch of %s. Where it failed in validation or tests, what was given at once there is larger by as much, and "
	    "so is what a layer makes of it: a batch no larger than that of training needs no more than its forward does." },
	[HABIT_HISTOGRAMS] = { OF_EITHER, false, 0, "has TensorBoard draw histograms (%s). Where that is of the run, and of an older Keras, all of validation_data goes through the network at once for "
	    "them at the end of an epoch, or in batches of the callback's own batch_size: 0 draws none, and fewer samples to validate on take less." },
	[HABIT_PARTS] = { OF_EITHER, false, 0, "has %s. Where that is dask's, and of a whole table, all of its parts are put together to one frame in one place, with dask_cudf on one device, however many there are: what is small (a sum, head()), "
	    "or written part by part (to_parquet()), need not be, and persist() leaves parts where they were made." },
	[HABIT_HOOK] = { OF_EITHER, true, 0, "has %s. Where that is Lightning's, before version 2, what each step returns is kept until it runs, at the end of an epoch, and where those are tensors of "
	    "the device they lie there all that time: numbers alone (.item()), or .detach().cpu(), lets them go." },
	[HABIT_STORES] = { OF_EITHER, false, 0, "has %s, by which flair keeps the vectors that it makes for words, with all samples of an epoch. Where the run is flair's, \"none\" makes them anew each "
	    "time and keeps none; it takes longer." },
	[HABIT_PREDICTS] = { OF_EITHER, false, 0, "calls predict() within a loop%s. Where that is Keras', each call makes a loop over data of its own, which versions of TensorFlow 2 are "
	    "known to hold, so that memory grows from call to call: model(x, training=False), or predict_on_batch(), makes none." },
	[HABIT_FED] = { OF_EITHER, false, 0, "gives a session of TensorFlow %s, by its name a set of samples, as one. Where that is what failed, all of them go through the network at once, whatever the batch of training: "
	    "a part after the other, with what is measured added up, takes a part's share." },
	[HABIT_LAYER] = { OF_EITHER, false, 0, "has a layer (%s) whose weight has as many numbers as what was asked for. Where it is that, its gradient, or what the optimizer keeps for it, the batch plays no "
	    "part: a smaller extent, as of a vocabulary or of what is flattened ahead of it, takes less." },
	[HABIT_UNITS] = { OF_EITHER, false, 0, "has a dense layer of %s. Where the tensor is its weight, a gradient of that, or what the optimizer keeps "
	    "for it, the batch plays no part: smaller pictures, or more pooling ahead of where they are flattened, do." },
	[HABIT_JOINS] = { OF_HOST, false, 0, "joins tables (%s): a row for each pair of rows with the same key, or, in a cross join, of all rows. Where a key stands often in both, the result has the product of these numbers of rows: "
	    "keys that are made unique first, fewer columns, or parts of a table one after the other take less.", IN_R },
	[HABIT_PAIRS] = { OF_EITHER, false, TRACE_ALL_PAIRS | TRACE_SCORES | TRACE_PAIRS | TRACE_DENSE, "makes, by its words, a number, or several, for each pair of two sets of rows: where it is what failed, that "
	    "grows with the product of their numbers (50,000 with 50,000 take 9.31 GiB in float32, twice that in float64). Fewer of them, or a part of one set after the other, take less.", IN_R },
	[HABIT_DISTANCES] = { OF_EITHER, false, 0, "names %s. Where that is R's, of all pairs of rows, there is a number of 8 bytes for each pair once, so that it grows with the square of their number: 50,000 rows have 9.31 GiB, and twice that as a whole matrix "
	    "(as.matrix()). Fewer rows (a sample, clusters of k-means first), or what needs no distances of all, take less.", IN_R },
	[HABIT_KERNELS] = { OF_EITHER, false, TRACE_ALL_PAIRS | TRACE_PAIRS, "names %s. Where that is fitted to all samples, and no sparse neighbours are given, it has a number for each pair of them, in float64 as a rule: 80,000 samples have 47.7 GiB. Fewer samples, "
	    "or an approximation by some of them (as scikit-learn's Nystroem is, of a kernel), take less." },
	[HABIT_STEPS] = { OF_EITHER, true, 0, "names %s. Where that is Captum's, all steps between a baseline and an input (n_steps, 50 unless told otherwise) are given to the network as one batch, for each input: internal_batch_size has it "
	    "go through in parts of so many, and fewer steps take less. Where it fails so with a few steps, too, the rest of the network" MAYBE_DEVICE(", or what others have of the device (nvidia-smi, before the run),") " leaves too little." },
	[HABIT_DRAWN] = { OF_EITHER, true, 0, "names %s. Where that is Captum's, each input is given to the network as many times as samples are drawn around it (n_samples, nt_samples), all as one batch: fewer, by several calls whose results are averaged, or inputs "
	    "one by one, take less. NoiseTunnel takes parts of them where nt_samples_batch_size says so." },
	[HABIT_GAUSSIAN] = { OF_EITHER, false, 0, "names %s. Where an exact Gaussian process is fitted, or asked, it makes matrices with a number for each pair of samples, several at once, in float64 as a rule: each takes 763 MiB for 10,000 samples, 18.6 GiB "
	    "for 50,000. Fewer samples, a sparse one (inducing points), or one that does not store them take less.", IN_R },
	[HABIT_RETRACES] = { OF_EITHER, false, 0, "is TensorFlow's warning that it traces a function anew. " TRACES },
	[HABIT_TRACED] = { OF_EITHER, false, 0, "names tf.function beside memory that grows. " TRACES },
	[HABIT_FINALIZED] = { OF_EITHER, false, 0, "tells that something was to be added to a graph of TensorFlow's that was finalized. Where that is in each step or epoch (an assign(), or another function of tf, that is called there), the graph keeps each, and memory grows "
	    "with it: made once, ahead of the loop, and given its values by placeholders, it does not. What Keras makes at its first step, and once, is none of that." },
	[HABIT_UNROLLED] = { OF_EITHER, false, 0, "is a loop of Python's, below tf.function's decorator (line %s). Where that function has it, and it is not over tf.range() or a data set itself, all of its rounds are put into one "
	    "graph while it is traced, with what each keeps: what one step does, in a function of its own that tf.function has, takes a part of that." },
	[HABIT_GRAPH] = { OF_EITHER, false, 0, "makes an operation of TensorFlow within a loop in which a session runs (line %s). Where that is version 1, or its graph, each round adds it to the graph once more, which is "
	    "not let go of, so that memory grows evenly: made once, ahead of the loop (graph.finalize() there tells of one that is not), it is there once." },
	[HABIT_LOOP] = { OF_EITHER, false, TRACE_TWICE, "may make a network within a loop (line %s). Where one is made anew in each round, those before stay for as long as something holds "
	    "them" IN_KERAS(": Keras keeps something of each until clear_session(), in TensorFlow 1 its graph and weights") IN_TORCH("; in PyTorch a name, a list or an optimizer does") ". Made once, ahead of the loop, or let go of at the end of "
	    "each round, it is there once." },
};

#define MANY_INPUTS	10000	/* that are flattened, as a rule */
#define LEAST_WEIGHT	((int64_t)64 << 20)	/* bytes */
#define ROUNDED		((int64_t)2 << 20)	/* PyTorch asks for multiples of that */

/* The dense layer that has as many units as the matrix that was asked for has columns, many rows
 * beside them: its number; -1: none has. */
static int
dense_of(const struct autopsy *y)
{
	const struct oom_habits *h = &y->log.paste.habits;
	const struct oom_shape *s = &y->main->shape;
	int i;

	for (i = 0; s->known && s->rank == 2 && i < h->dense; i++)
		if (s->dim[1] == h->units[i] && s->dim[0] >= MANY_INPUTS)
			return i;
	return -1;
}

/* "%s" of a sentence: a name, a number, or both. */
static const char *
named(const struct autopsy *y, enum oom_habit_kind kind)
{
	const struct oom_habit *h = &y->log.paste.habits.of[kind];
	char n[SIZE_TEXT], rows[SIZE_TEXT];

	switch (kind) {
	case HABIT_WORKERS:
		return arena_printf(y->arena, "has %s of %lld", h->name, (long long)h->n);
	case HABIT_JOBS:
		return h->n ? arena_printf(y->arena, "has %s of %lld", h->name, (long long)h->n) : arena_printf(y->arena, "has %s of -1", h->name);
	case HABIT_READS:
		return arena_printf(y->arena, "reads a file as a whole (%s)", h->name);
	case HABIT_CODES:
		return arena_printf(y->arena, "codes classes (%s)", h->name);
	case HABIT_SHUFFLE:
		return arena_printf(y->arena, "%s", size_commas(n, h->n));
	case HABIT_ARRAY:
		return h->n ? arena_printf(y->arena, "what is made for each of %s", h->name) : h->name;
	case HABIT_FILLED:
		return arena_printf(y->arena, "%s numbers, %s in float32", size_commas(n, h->n), size_human(rows, h->n < INT64_MAX / 4 ? 4 * h->n : INT64_MAX));
	case HABIT_EXTENTS:
		return arena_printf(y->arena, "(%s), which takes %s", h->name, size_human(n, h->n));
	case HABIT_UNITS:
		return arena_printf(y->arena, "%s units, as many as the tensor has columns, and %s rows would be what goes into it",
		    size_commas(n, y->main->shape.dim[1]), size_commas(rows, y->main->shape.dim[0]));
	case HABIT_TESTS:
		return arena_printf(y->arena, "%lld (%s), and line %d one of %lld", (long long)h->n, h->name, y->log.paste.habits.trains.line,
		    (long long)y->log.paste.habits.trains.n);
	case HABIT_REPLAY:
		return arena_printf(y->arena, "%s (line %lld puts that on a device)", h->name, (long long)h->n);
	case HABIT_REGATHERED:
		return arena_printf(y->arena, "%s) that %s had spread over several (device_map", h->name, h->n == h->line ? "it" : arena_printf(y->arena, "line %lld", (long long)h->n));
	case HABIT_RANKS: case HABIT_INSTANCES:
		return arena_printf(y->arena, "%lld", (long long)h->n);
	case HABIT_UNCHECKED:
		return arena_printf(y->arena, h->n ? "runs %s, and gradient checkpointing was not found in what was read" : "has %s off", h->name);
	case HABIT_CONTEXT:
		return arena_printf(y->arena, "%s of %s", h->name, size_commas(n, h->n));
	case HABIT_HISTOGRAMS: case HABIT_QUEUE:
		return arena_printf(y->arena, "%s of %lld", h->name, (long long)h->n);
	case HABIT_PREDICTS:
		return h->n == h->line ? "" : arena_printf(y->arena, " (line %lld)", (long long)h->n);
	case HABIT_LOOP: case HABIT_LISTED: case HABIT_GATHERS: case HABIT_GRAPH: case HABIT_UNROLLED:
		return arena_printf(y->arena, "%lld", (long long)h->n);
	default:
		return h->name;
	}
}

/* Where a program is put on the processor already. */
#define MERGES_THERE	"names the merging of an adapter into a model's weights (%s). Where that is what failed, and it ran on the processor, the machine's memory has to hold all of them, where they are made anew for it in 16 bits as a rule, however few they had for training (4, 8), 13 GiB for " \
    "7 thousand million, and as they are read and written a part of them, or all, once more: more of it, a swap file meanwhile, or a program that goes over the files one by one holds them."

/* The sentence with the name in its place. */
static const char *
filled(const struct autopsy *y, enum oom_habit_kind kind)
{
	const char *says = kind == HABIT_MERGES && y->log.paste.decided.on_processor ? MERGES_THERE : habits[kind].says, *at = strstr(says, "%s");

	return at ? arena_printf(y->arena, "%.*s%s%s", (int)(at - says), says, named(y, kind), at + 2) : says;
}

static enum language
language_of(const struct oom_message *o)
{
	static const struct {
		const char *who;
		enum language is;
	} own[] = {
		{ "R", IN_R }, { ".NET", IN_DOTNET }, { "Java", IN_OTHER }, { "JavaCPP", IN_OTHER }, { "Android", IN_OTHER },
		{ "Node.js", IN_OTHER }, { "MATLAB", IN_OTHER }, { "Blender", IN_OTHER },
	};
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (strcmp(o->who, own[i].who) == 0)
			return own[i].is;
	return IN_PYTHON;
}

/* Has the largest layer's weight, in float32, as many numbers as what was asked for? */
static bool
is_of_layer(const struct autopsy *y)
{
	const struct oom_shape *s = &y->main->shape;
	int64_t n = y->log.paste.habits.of[HABIT_LAYER].n;

	if (n < LEAST_WEIGHT / 4 || n > INT64_MAX / 4)
		return false;
	if (s->known)
		return s->rank == 2 && s->dim[0] > 0 && n % s->dim[0] == 0 && n / s->dim[0] == s->dim[1];
	return y->main->size[OOM_ASKED].known && 4 * n <= y->hi && 4 * n > y->lo - ROUNDED;
}

/* Do people's own words of the failure speak of training, and none of tests? */
static bool
fails_in_training(const struct autopsy *y)
{
	const char *words = y->log.paste.told.said.words;

	return y->main->kind == OOM_TOLD && !y->log.paste.evaluating.line && (strstr(words, "train") || strstr(words, "epoch"));
}

bool
autopsy_tests_more(const struct autopsy *y)
{
	const struct oom_habits *h = &y->log.paste.habits;

	return h->trains.n > 0 && h->of[HABIT_TESTS].n > h->trains.n && !fails_in_training(y) && ((y->main->facts & TRACE_EVALUATES) || y->log.paste.evaluating.line || !y->main->traced);
}

/* Is it of Java's heap, or does it not say so: not of an array that Java does not allow, of
 * classes, threads or buffers outside of it? */
static bool
is_of_heap(const struct oom_message *o)
{
	return !o->says || (strcmp(o->says, JAVA_ARRAY) != 0 && strcmp(o->says, JAVA_CLASSES) != 0 && strcmp(o->says, JAVA_THREADS) != 0 && strcmp(o->says, JAVA_DIRECT) != 0 && strcmp(o->says, JAVA_RESERVED) != 0);
}

/* Was R to have more elements than it can count? */
static bool
is_of_elements(const struct oom_message *o)
{
	return o->says && strcmp(o->says, R_ELEMENTS) == 0;
}

/* Whose memory it was that failed. A Python of 32 bits has its bound whatever people call full,
 * where they name no device. */
static enum whose
whose(const struct autopsy *y, enum oom_habit_kind kind)
{
	const struct oom_told *t = &y->log.paste.told;

	return autopsy_is_of_machine(y) || (kind == HABIT_NARROW && y->main->kind == OOM_TOLD && !t->device && !t->gpu) ? OF_HOST : OF_DEVICE;
}

/* People's own words, which name no device. */
static bool
names_no_device(const struct autopsy *y)
{
	return y->main->kind == OOM_TOLD && !y->log.paste.told.device && !y->log.paste.told.gpu;
}

/* Words that any program may use, of no memory by name. */
static bool
is_of_no_place(const struct autopsy *y)
{
	return oom_is_vague(y->main) && !y->log.paste.told.device && !y->log.paste.told.gpu;
}

#define OF_HISTOGRAM	30	/* parts, as TensorBoard's have */

/* Has the message's shape a number for each part of a histogram, and each number that it is of? */
static bool
is_of_histogram(const struct oom_message *o)
{
	return o->shape.known && o->shape.rank == 2 && o->shape.dim[1] == OF_HISTOGRAM && o->shape.dim[0] > OF_HISTOGRAM;
}

/* What else a kind asks for. */
static bool
is_of_kind(const struct autopsy *y, enum oom_habit_kind kind)
{
	const struct oom_habit *of = y->log.paste.habits.of;

	switch (kind) {
	case HABIT_TESTS:
		return autopsy_tests_more(y);
	case HABIT_COPIED:		/* of a network that may be too large for a device by itself */
		return y->log.paste.millions > 0 && autopsy_trains(y) && !y->log.paste.parted && !y->log.paste.splits;
	case HABIT_RETRACES:
		return y->log.paste.grows.line || y->main->host;
	case HABIT_TRACED:
		return !of[HABIT_RETRACES].line && !y->log.paste.torch;
	case HABIT_SEURAT:
		return y->lo < IMPOSSIBLE;
	case HABIT_STORES:
		return (of[kind].n != 0) != y->main->host;
	case HABIT_PREDICTS:
		return !autopsy_may_be_torch(y) && (y->log.paste.grows.line || y->main->host);
	case HABIT_HISTOGRAMS:
		return !autopsy_is_torch(y->main) && !is_of_histogram(y->main);
	case HABIT_UNCHECKED:
		return !of[kind].n || !y->log.paste.habits.checks;
	case HABIT_WHOLE:
		return !y->log.paste.adapts;
	case HABIT_CONTEXT:		/* what the model is made for is no matter where the run's own is told */
		return y->log.paste.habits.context == 0 || y->log.paste.habits.context >= of[kind].n;
	case HABIT_LIMIT:		/* of what ended a process Linux tells a group's limit from the machine's own */
		return strcmp(y->main->who, "Linux") != 0 || y->main->limited;
	case HABIT_FACES:
		if (strncmp(of[HABIT_FACES].name, "face", 4) == 0 && !strchr(of[HABIT_FACES].name, '_') && strcmp(y->main->who, "dlib") != 0)
			return false;	/* of any program's */
		return y->main->kind == OOM_TOLD || y->main->kind == OOM_OTHER || strcmp(y->main->who, "dlib") == 0 || strcmp(y->main->who, "CUDA") == 0;
	case HABIT_LISTED:
		return y->main->kind == OOM_CUPY;
	case HABIT_INDEX:
		return y->main->kind == OOM_CUDA && y->main->status && strncmp(y->main->who, "cu", 2) == 0;
	case HABIT_OCCUPIES:		/* it asks for most of a device at once */
		return y->budget.total <= 0 || y->lo >= y->budget.total / 4;
	case HABIT_HEAP:
		return strcmp(y->main->who, "Java") == 0 && is_of_heap(y->main);
	case HABIT_ALONE:
		return !of[HABIT_OFFLOADS].line;
	case HABIT_FED:
		return !y->log.paste.torch && !(y->main->facts & TRACE_BACKWARD);
	case HABIT_TEXTS:		/* nothing of them lies on a device */
		return y->main->host || names_no_device(y);
	case HABIT_COUNTS:
		return of[kind].line <= y->main->last && (!of[HABIT_COUNTED].line || of[HABIT_COUNTED].line > y->main->line);
	case HABIT_DENSE:
		return of[kind].n || whose(y, kind) == OF_HOST || names_no_device(y) || is_of_no_place(y);
	case HABIT_PAIRS:		/* more elements than R can count are told of by the message itself */
		return !is_of_elements(y->main);
	case HABIT_KERNELS:
		return !of[HABIT_PAIRS].line && !of[HABIT_GAUSSIAN].line && !y->log.paste.pairs.line && (whose(y, kind) == OF_HOST || names_no_device(y));
	case HABIT_DISTANCES:		/* a function of anyone's may have the name, where it is not R that failed */
		return !is_of_elements(y->main) && (strcmp(y->main->who, "R") == 0 || (names_no_device(y) && strcmp(of[kind].name, "dist") != 0 && strcmp(of[kind].name, "daisy") != 0));
	case HABIT_RASTER:
		return strcmp(y->main->who, "R") == 0;
	case HABIT_SHM:
		return y->main->says && (strcmp(y->main->says, PAGE_GONE) == 0 || strcmp(y->main->says, FULL_FILES) == 0 || strcmp(y->main->says, SHARED_NCCL) == 0);
	case HABIT_HDF5:
		return strcmp(y->main->who, "Caffe") == 0;
	default:
		return true;
	}
}

static bool
is_said(const struct autopsy *y, enum oom_habit_kind kind)
{
	const struct oom_habits *h = &y->log.paste.habits;

	if (!h->of[kind].line || h->off[kind] || !(habits[kind].whose & whose(y, kind)) || (y->main->facts & habits[kind].unless))
		return false;
	if ((habits[kind].torch && !autopsy_may_be_torch(y)) || !is_of_kind(y, kind))
		return false;
	if (kind == HABIT_SPREAD && h->of[HABIT_REGATHERED].line)
		return false;
	if (kind == HABIT_SPREAD && y->budget.total > 0 && y->lo > y->budget.total)
		return false;	/* no device has as much */
	if ((kind == HABIT_LAYER && !is_of_layer(y)) || (kind == HABIT_UNITS && dense_of(y) < 0) || (kind == HABIT_LIMIT && y->main->kind != OOM_KERNEL && y->main->kind != OOM_TOLD))
		return false;
	return !(kind == HABIT_STATE && (h->lets_go || (h->begins && !y->log.paste.keeps))) && !(kind == HABIT_LOOP && h->clears) &&
	    !(kind == HABIT_GRAPH && autopsy_may_be_torch(y)) && !(kind == HABIT_PARALLEL && (y->main->gpu > 0 || h->of[HABIT_GATHERED].line)) && !(kind == HABIT_GATHERED && y->main->gpu > 0) && !(kind == HABIT_WORKERS && y->log.paste.told.workers.line && y->main->kind == OOM_TOLD);
}

bool
autopsy_counts_words(const struct autopsy *y)
{
	return is_said(y, HABIT_COUNTS);
}

/* One of TensorBoard's histograms, by the failing shape. */
static void
histogram(struct autopsy *y)
{
	const struct oom_habit *of = &y->log.paste.habits.of[HABIT_HISTOGRAMS];
	char exact[SIZE_TEXT];

	if (of->line && is_of_histogram(y->main))
		autopsy_cause(y, SAYS_HABIT, arena_printf(y->arena, "Line %d has TensorBoard draw histograms (%s), which have 30 parts unless told otherwise. Where that is of the run, the tensor that failed is made for one of them: it tells of each "
		    "of %s numbers, as a weight may have, in which of the 30 it is. 0 draws none.", of->line, of->name, size_commas(exact, y->main->shape.dim[0])));
}


/* A request that is as large as a number of float32 for each pair of classes. */
static void
class_pairs(struct autopsy *y)
{
	const struct oom_habit *of = &y->log.paste.habits.of[HABIT_CLASSES];
	int64_t bytes = of->line && of->n < INT32_MAX / 2 ? of->n * of->n * 4 : 0, whole = (bytes + TORCH_SEGMENT - 1) / TORCH_SEGMENT * TORCH_SEGMENT;
	char count[SIZE_TEXT];

	if (bytes > 0 && !y->main->shape.known && of->line < y->main->line && ((y->lo <= bytes && bytes <= y->hi) || (autopsy_is_torch(y->main) && y->lo <= whole && whole <= y->hi)))
		autopsy_cause(y, SAYS_HABIT, arena_printf(y->arena, "Line %d has %s classes (%s). What was asked for is as much as a matrix of float32 takes that has a number for each pair of them: where it is that, as a distance or a product of each "
		    "class's weights with each other's, it grows with the square of the classes, and half as many take a quarter. In parts of its rows, or for some of the classes at a time, it takes less.", of->line, size_commas(count, of->n), of->name));
}

void
autopsy_habits(struct autopsy *y)
{
	enum language language = language_of(y->main);
	enum oom_habit_kind kind;
	int said = 0;

	histogram(y);
	class_pairs(y);
	for (kind = 0; kind < HABITS && said < MOST_HABITS; kind++)
		if ((language == IN_PYTHON || (habits[kind].in & language)) && is_said(y, kind) && *autopsy_worded(y, habits[kind].says)) {
			(kind == HABIT_INSTANCES ? autopsy_hint : autopsy_cause)(y, SAYS_HABIT, arena_printf(y->arena, "Line %d %s", kind == HABIT_UNITS ?
			    y->log.paste.habits.units_lines[dense_of(y)] : y->log.paste.habits.of[kind].line, filled(y, kind)));
			said++;
		}
}
