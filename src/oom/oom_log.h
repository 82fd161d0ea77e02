/*
 * Reading logs for out-of-memory messages of frameworks, of CUDA, of the kernel and of our own
 * programs. A log of any length is read in a window of fixed size, once; what is kept of it is
 * bounded too: a fixed number of different messages, chunk sizes and buffers, and counts of the
 * others.
 */
#ifndef STOWAGE_OOM_OOM_LOG_H
#define STOWAGE_OOM_OOM_LOG_H

#include "base/vec.h"
#include "oom/oom_paste.h"
#include "oom/oom_pattern.h"
#include "oom/oom_source.h"

enum oom_kind {
	OOM_TENSORFLOW,		/* a tensor's shape */
	OOM_TF_ALLOCATOR,	/* its allocator: bytes */
	OOM_PYTORCH, OOM_TORCH_SUMMARY, OOM_PYTORCH_CPU, OOM_MPS, OOM_XLA, OOM_ONNX,
	OOM_PADDLE, OOM_NUMPY, OOM_CUPY,
	OOM_CUDA,		/* CUDA and its libraries: an error and no more */
	OOM_HOST,		/* a library got no memory from the machine */
	OOM_KERNEL,		/* Linux killed the process */
	OOM_OURS,		/* a program of ours refused to start */
	OOM_MACHINE,		/* the language's runtime: the machine's memory */
	OOM_OTHER,		/* in words that anyone may use */
	OOM_TOLD,		/* no program's message: a person says that memory ran out */
	OOM_KINDS
};

const char	*oom_kind_name(enum oom_kind);	/* "PyTorch" */
#define TF_ALLOCATOR_CUT	"TensorFlow's allocator"	/* whose words they are where what it was asked for is cut off */
#define OOM_TORCH_ASYNC	"PyTorch by cudaMallocAsync"	/* whose message it is where that keeps what was freed, and PyTorch does not */

/* Sizes that a message tells: OOM_LISTED is of all processes of a list, OOM_LARGEST of the largest
 * there, OOM_KEPT of what is free in PyTorch's private pools, OOM_CACHED what it has unused by
 * the words of versions before 1.4, OOM_EXCESS by how much a program of XLA's is too large,
 * OOM_FILES what a process had of files' pages. */
enum oom_field {
	OOM_ASKED, OOM_TOTAL, OOM_FREE, OOM_ALLOCATED, OOM_RESERVED, OOM_UNALLOCATED, OOM_PROCESS,
	OOM_OTHERS, OOM_LISTED, OOM_LARGEST, OOM_LIMIT, OOM_CONSTANTS, OOM_PARAMETERS, OOM_RESULTS, OOM_TEMPORARY,
	OOM_UNPADDED, OOM_PADDED, OOM_RESERVABLE, OOM_KEPT, OOM_SHARED, OOM_FILES, OOM_CACHED, OOM_EXCESS,
	OOM_FIELDS
};

/* Where a program was when memory ended, by its traceback: a set of these. */
#define TRACE_BIT(n)	((uint64_t)1 << (n))
#define TRACE_LOADING	TRACE_BIT(0)	/* weights were put on the device, or made there */
#define TRACE_CHECKPOINT	TRACE_BIT(1)	/* a file's tensors were, by torch.load */
#define TRACE_STEP	TRACE_BIT(2)	/* the optimizer's step, */
#define TRACE_STATE	TRACE_BIT(3)	/* where it makes what it keeps */
#define TRACE_BACKWARD	TRACE_BIT(4)
#define TRACE_EVALUATES	TRACE_BIT(5)	/* a function for evaluation */
#define TRACE_NO_GRAD	TRACE_BIT(6)	/* a function within torch.no_grad() or torch.inference_mode() */
#define TRACE_TRAINER	TRACE_BIT(7)	/* a library's loop, which sees to that itself */
#define TRACE_PARALLEL	TRACE_BIT(8)	/* DataParallel's copies and gathering */
#define TRACE_FIRST	TRACE_BIT(9)	/* the first call of the device */
#define TRACE_SCORES	TRACE_BIT(10)	/* attention's, a number for each pair of positions */
#define TRACE_LOGITS	TRACE_BIT(11)	/* or the loss of them */
#define TRACE_JOIN	TRACE_BIT(12)	/* results are joined to one tensor */
#define TRACE_ARRAY	TRACE_BIT(13)	/* an array is copied or converted */
#define TRACE_CACHE	TRACE_BIT(14)	/* ggml: keys and values, */
#define TRACE_COMPUTE	TRACE_BIT(15)	/* its results, */
#define TRACE_LAYERS	TRACE_BIT(16)	/* weights */
#define TRACE_ATTENTION	TRACE_BIT(17)	/* PyTorch's, which stores scores where no kernel of it serves */
#define TRACE_FORWARD	TRACE_BIT(18)	/* a module was called: a step, or part of one */
#define TRACE_GATHERS	TRACE_BIT(19)	/* weights that are split among devices, to save or load them */
#define TRACE_PAIRS	TRACE_BIT(20)	/* boxes are compared with all others */
#define TRACE_GRAPH	TRACE_BIT(21)	/* CUDA graphs are captured */
#define TRACE_PINNED	TRACE_BIT(22)	/* the machine's memory is locked for copies */
#define TRACE_WHOLE	TRACE_BIT(23)	/* a whole set of samples, by the names */
#define TRACE_READS	TRACE_BIT(24)	/* a file is read as a whole */
#define TRACE_TWICE	TRACE_BIT(25)	/* a network is copied */
#define TRACE_BUCKETS	TRACE_BIT(26)	/* DistributedDataParallel is set up */
#define TRACE_DECODER	TRACE_BIT(27)	/* an autoencoder's, of images as a rule */
#define TRACE_RETAINS	TRACE_BIT(28)	/* backward is told to keep the graph */
#define TRACE_MASTER	TRACE_BIT(29)	/* DeepSpeed's optimizer is set up */
#define TRACE_TEST_NET	TRACE_BIT(30)	/* Caffe makes the network of tests */
#define TRACE_MAKES	TRACE_BIT(31)	/* an array of a size that is told is made */
#define TRACE_PIECES	TRACE_BIT(32)	/* pieces are joined to one tensor */
#define TRACE_EDGES	TRACE_BIT(33)	/* messages are sent along a graph's edges */
#define TRACE_REDUCES	TRACE_BIT(34)	/* DeepSpeed's buffer for gradients that are summed among devices */
#define TRACE_PROFILES	TRACE_BIT(35)	/* a server's trial run, before it serves */
#define TRACE_SHARED	TRACE_BIT(36)	/* a batch is put into shared memory */
#define TRACE_DENSE	TRACE_BIT(37)	/* a number for each pair of a graph's nodes */
#define TRACE_SPLATS	TRACE_BIT(38)	/* Gaussians are rendered */
#define TRACE_CAMERAS	TRACE_BIT(39)	/* the images of all cameras are loaded, to render the like */
#define TRACE_WINDOWS	TRACE_BIT(40)	/* a volume is gone over in windows */
#define TRACE_SAVES	TRACE_BIT(41)	/* weights are written to a file, or made ready for it */
#define TRACE_GENERATES	TRACE_BIT(42)	/* a language model writes */
#define TRACE_SPARSE	TRACE_BIT(44)	/* a sparse matrix is made dense */
#define TRACE_ROIS	TRACE_BIT(45)	/* a detector's second stage, which sees proposals one by one, */
#define TRACE_MASKS	TRACE_BIT(46)	/* where its masks meet those that are known */
#define TRACE_PASTES	TRACE_BIT(47)	/* masks that were found are drawn at the size of their pictures */
#define TRACE_COMPOSED	TRACE_BIT(48)	/* torchvision's roi_align, made of PyTorch's operations */
#define TRACE_FORKS	TRACE_BIT(49)	/* a process is made */
#define TRACE_RAYS	TRACE_BIT(50)	/* rays are rendered */
#define TRACE_HANDLE	TRACE_BIT(51)	/* a library of CUDA was being set up */
#define TRACE_ALL_PAIRS	TRACE_BIT(52)	/* a number, or more, for each pair of two sets */
#define TRACE_DATASET	TRACE_BIT(53)	/* a function whose name says that it makes or reads the data set */
#define TRACE_SPAWNED	TRACE_BIT(54)	/* a process reads what the one that began it gave */
#define TRACE_REPEATS	TRACE_BIT(55)	/* an array is repeated */
#define TRACE_REPLAY	TRACE_BIT(56)	/* a memory of what was seen is made or filled */
#define TRACE_INITIAL	TRACE_BIT(57)	/* weights get their first values */
#define TRACE_UNITS	TRACE_BIT(58)	/* a dense layer is made, and no other on that line */
#define TRACE_LIMIT	TRACE_BIT(59)	/* a buffer is larger than the driver gives in one piece */
#define TRACE_SPREAD	TRACE_BIT(60)	/* DataParallel copies inputs or weights to its devices */
#define TRACE_CASTS	TRACE_BIT(61)	/* what a network gives is copied to float32 */
#define TRACE_ENTRY	TRACE_BIT(62)	/* something is put into what holds others */
#define TRACE_PACKS	TRACE_BIT(63)	/* what a new process is given is packed for it */
#define TRACE_LATE	TRACE_BIT(43)	/* by its words it may be told later than it happened */

enum oom_run {			/* the function of Keras that ran, by its name */
	RUN_UNKNOWN,
	RUN_TRAINS,		/* fit()'s steps */
	RUN_TESTS,		/* evaluate(), or fit()'s validation */
	RUN_PREDICTS
};

#define OOM_OTHER_PROCESSES	32

struct oom_message {
	enum oom_kind kind;
	int line;		/* of the log, from 1: where it is first */
	int count;		/* how often it is said */
	bool warning;		/* the framework went on */
	bool host;		/* of the machine's memory, not of a device's */
	struct oom_shape shape;
	int element;		/* bytes; 0: not said */
	bool fixed;		/* of a type that has none of half as many, or of indices, which are as they come */
	struct oom_size size[OOM_FIELDS];
	char node[OOM_NAME];	/* the framework's name of the operation, or "" */
	enum oom_run run;
	int gpu;		/* the GPU's index; -1: not said */
	bool gpus;		/* others said the same of themselves */
	int64_t others[OOM_OTHER_PROCESSES];	/* the numbers of processes that it lists, each with more than a context at its least, */
	int other_processes;	/* and how many of them are kept */
	int last;		/* the line where it is said last */
	bool hedged;		/* memory is the likeliest cause, but others are possible */
	bool status;		/* a library's code, which comes of failed assertions on a device, too; */
	int asserted;		/* such a one, its line: then memory is not what failed. 0: none */
	bool again;		/* said so far only in words that stand beside others of the same */
	bool echo;		/* no more than what a program adds to a message, or a part of one */
	bool limited;		/* the limit of a container or job, or an allocator's own, was reached, not the machine's */
	bool windows;		/* said by what is built for Windows; */
	bool cpp;		/* an exception of C++, and not of Python */
	bool apart;		/* it looks like one and is of something else than memory, */
	bool beyond;		/* such as one of a size that is wrong: more than 63 bits can say */
	bool wrapped;		/* what is free is told as that: a count that ran below 0 */
	bool placed;		/* TensorFlow says where: there, `host` and `gpu` are of that */
	bool of_cuda;		/* its line speaks of CUDA ahead of it */
	bool of_tensorflow;	/* it is the name of an error of TensorFlow's */
	bool attends;		/* by its words it comes of a file of TensorFlow for softmax or products of matrices, as attention's scores do; */
	bool of_weight;		/* its line names the weight that found no room */
	bool convolves;		/* so does it of a file of TensorFlow for convolution, pooling or normalization */
	bool raised;		/* what a traceback of Python ends with */
	bool logged;		/* of a level of which a run goes on */
	bool titled;		/* in a title or a sentence, of what is shown below it */
	bool alone;		/* on the first line, with nothing on the second */
	bool commented;		/* in a comment of code */
	int caught;		/* the line by which its program went on from it; 0: none is known */
	bool python;		/* said by a program of Python: with a traceback, or behind its error's name */
	bool follows;		/* said while an earlier message was being handled */
	int share;		/* thousandths of the device that the framework takes; 0: not said */
	uint64_t facts;		/* TRACE_ */
	bool traced;		/* they are a traceback's; else of words and code that stand beside it */
	int phase;		/* the line right ahead of its traceback by which the program began with tests; 0: there is none */
	bool constructed;	/* the innermost call of the user's is a constructor */
	char function[OOM_NAME];	/* the user's, that evaluates; or "" */
	char extents[OOM_NAME];	/* that the line of code gives an array it makes, by their names; or "" */
	const char *who;	/* whose message; never NULL */
	const char *says;	/* what it means, where its kind does not say it; or NULL */
};

struct oom_chunks {		/* of an allocator's dump */
	int64_t size, count;
};

struct oom_alive {		/* a buffer that XLA names */
	struct oom_size size;
	struct oom_shape shape;
	bool attention;		/* by its operation's name */
	struct oom_size padding;	/* of SIZE, to fill a TPU's tiles */
};

struct oom_holder {		/* an operation whose tensors TensorFlow lists, the largest first */
	int64_t bytes;
	char node[OOM_NAME];
};

struct oom_made {		/* a device that TensorFlow made, with what it may take of it */
	int gpu;		/* its index */
	int64_t bytes;
	int line;
};

struct oom_served {		/* what vLLM told of a device, as it began; lines are 0 where it did not */
	int share_line, weights_line;
	int64_t total, share;	/* what it may take */
	int64_t weights, trial;	/* and what its trial run took beside them; 0: not said */
};

struct oom_needs {		/* of the last line that tells what a model needs of a device; 0: none does */
	int line;
	int64_t free, bytes;
};

#define OOM_MESSAGES	80
#define OOM_CLASSES	4096
#define OOM_ALIVE	64
#define OOM_HOLDERS	64
#define OOM_MADE	32

struct oom_dump {
	bool any, summed;	/* summed: it lists classes; else they are counted from chunks */
	int line;
	struct oom_place of;	/* the device's or the machine's memory, as its head says */
	VEC(struct oom_chunks) classes;	/* in use, by size */
	int64_t in_use;		/* bytes: of all classes; or as it is said, where the list has less */
	int64_t listed;		/* bytes: of all classes */
	int64_t free, largest_free;	/* of free chunks, as far as they are listed */
	int64_t limit;		/* 0: not said */
	int64_t said_in_use;	/* by the statistics; 0: not said */
	int64_t uncounted;	/* chunks of sizes beyond OOM_CLASSES */
};

struct oom_peaks {		/* what tensors took at most, as lines count it one after the other, each more than the one before */
	int64_t first, last;	/* in MB; */
	int first_line, last_line, count;	/* lines; 0: there are none */
};

struct oom_log {
	struct arena *arena;
	VEC(struct oom_message) messages;	/* different ones, in order */
	int more;		/* different messages beyond OOM_MESSAGES */
	struct oom_dump dump;	/* the last one */
	VEC(struct oom_alive) alive;
	VEC(struct oom_holder) holders;	/* of the last such list; with them, of those not named: */
	int holders_gpu;	/* of which that list is; -1: not said, or the machine's memory */
	int64_t held_by_others, other_holders;	/* bytes, and how many */
	int64_t net_bytes;	/* Caffe: of all results of the largest network; 0: not said */
	struct oom_shape input;	/* Caffe: of the first result of that network */
	int assertion;		/* the line of the first failed assertion on the device; 0: none */
	struct oom_size card, card_used;	/* by nvidia-smi's table: the fullest card */
	int card_line;		/* where that stands */
	bool cards_differ;	/* the table has cards of other sizes */
	struct oom_message cut;	/* what a traceback tells with which a log without a message ends, and the line where it begins; 0: there is none */
	int announced;		/* the last line with a sentence that says that a traceback follows */
	bool attention;		/* XLA: the operation that was named last is of attention */
	int no_volatile;	/* the last line that warns of volatile, which has no effect; 0: none */
	struct oom_size start_total, start_free;	/* of the device that TensorFlow found last */
	int starts;		/* how many it found */
	VEC(struct oom_made) made;	/* the last of each index */
	struct oom_served served;
	struct oom_needs needs;
	int serving;		/* the last line that is of a server of language models; 0: none */
	int capturing;		/* the last line that says that CUDA graphs are captured; 0: none */
	int64_t shuffled;	/* elements of TensorFlow's buffer of shuffled ones; 0: not said */
	int64_t epoch;		/* the last that is said ahead of the first message; 0: none */
	int epoch_line;
	int64_t batch;		/* as the run was told; 0: not said; -1: several */
	int batch_line;
	bool micro;		/* it is what one device takes at once, by its name */
	int64_t length;		/* positions of its sequences, as the run was told; 0: not said; -1: several */
	int length_line;
	int64_t steps;		/* the last that is counted ahead of the first message; 0: none */
	int steps_line;
	struct oom_peaks peaks;	/* ahead of the first message */
	int64_t tokens, most_tokens;	/* of a text, and that the model is made for; 0: not said */
	int tokens_line;
	int64_t given;		/* tokens of the longest text that is given, of which transformers warns; 0: it does not */
	int given_line;
	int64_t images;		/* that a program of scenes has read; 0: not said; */
	int images_line;
	struct oom_shape images_size;	/* width and height */
	int64_t warned;		/* the largest request of which TensorFlow warned, since it is a tenth of the machine's memory or more; 0: it did not */
	int warned_line;
	int smaller_gpu, smaller_line;	/* a device smaller than others, by DataParallel's warning; line 0: none */
	struct oom_shape inputs;	/* of the operation that failed, the first of them, by Theano */
	int inputs_line;
	struct oom_shape printed;	/* the last size that is printed ahead of the first message */
	int printed_line;
	int64_t weights, trained;	/* numbers that the network has, and of them those that are trained; 0: not said */
	int weights_line;
	int losses, losses_line;	/* lines with a loss ahead of the first message */
	int64_t replay;		/* entries of a memory of what was seen; 0: not said */
	int replay_line;
	int64_t machine;	/* bytes of its memory, as the system's own tools have it; 0: not said */
	int machine_line;
	int64_t words;		/* of a vocabulary; 0: not said */
	int words_line;
	int shards;		/* the last line, ahead of any step, where DeepSpeed makes its optimizer; 0: none */
	int64_t processes;	/* that the program made at least; 0: not said */
	int processes_line;
	int64_t trial;		/* the largest number of one of several runs that one process makes; 0: not said */
	int trial_line;
	int empty_map;		/* the last line with an allocator's map of what it has, of which nearly nothing is in use; 0: none */
	int expands;		/* the last line that sets PyTorch's allocator to segments that grow; 0: none */
	int search_line;	/* the last line of what makes such runs, by its name; 0: none */
	int64_t done, rounds;	/* as the last bar of progress says; -1: it does not */
	int bar;		/* its line; 0: there is none */
	bool epochs;		/* its rounds are epochs, by its title or how long they take */
	bool bar_past;		/* a failure did not end its loop: what it stands at had not all fitted */
	int bar_ahead;		/* the last line ahead of that with one which had gone on; 0: none */
	struct oom_paste paste;	/* what stands beside messages */
	int reading;		/* the last line with a bar of progress of what is loaded; 0: none */
	int evaluating;		/* the last line with a bar of progress of evaluation; 0: none */
	int preparing;		/* the last line with one of data that are made ready, as datasets' map() has; 0: none */
	int64_t bytes;
	int lines;
};

/* Fills the log by calling READ, which returns 0 at the end, until then. */
void	oom_log_read(struct oom_log *, struct arena *,
	    size_t (*read)(void *context, char *to, size_t room), void *context);

/* The message that the rest revolves around: the last of those that tell most. NULL: none. */
const struct oom_message	*oom_log_main(const struct oom_log *);

#endif
