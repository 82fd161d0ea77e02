/*
 * The inventory of what stowage autopsy says of a cause: each kind of sentence with what it rests
 * on. What a kind rests on decides under which head it stands, so that no sentence is more certain
 * than its evidence; a new kind is a row here, and tests/golden/evidence.test tries whether
 * sentences are worded as their evidence asks for.
 *
 * How often which kind was false or misleading in public reports is in bench/threads.md: the
 * weaker, the more often.
 */
#ifndef STOWAGE_AUTOPSY_AUTOPSY_SAYS_H
#define STOWAGE_AUTOPSY_AUTOPSY_SAYS_H

enum rests {			/* on what; from the strongest to the weakest */
	RESTS_FIGURES,		/* arithmetic on numbers of the failing message itself */
	RESTS_WORDING,		/* its own words, and whose program they are */
	RESTS_PLACE,		/* the traceback that it ends, or the line of code beside it */
	RESTS_NAME,		/* its operation's name, by which frameworks count and people call things */
	RESTS_SHAPE,		/* its shape, whose axes may stand in another order: a condition */
	RESTS_STATISTICS,	/* an allocator's dump, or what a framework told when it began, in the same log */
	RESTS_SPEC,		/* the network that was given, and a forecast */
	RESTS_LINE,		/* another line: code, settings, a table, a bar. Names it, and is a condition: it need not be of what failed */
	RESTS_WORDS		/* a person's sentence: quotes it, and is a condition */
};

/* SAYS(kind, what it rests on, the evidence without which it is not said) */
#define AUTOPSY_SAYS(SAYS)													\
	/* autopsy_causes.c */													\
	SAYS(PINNED,		WORDING,	"the message is of memory that a driver locks")					\
	SAYS(HOST_TENSOR,	SPEC,		"the message's shape is a tensor's of the network")				\
	SAYS(CONSTANT,		SPEC,		"the shape is an input's, and the operation's name is a constant's")		\
	SAYS(EARLIER_MODELS,	NAME,		"a number that Keras counts up, in the operation's name")			\
	SAYS(LIMITS,		FIGURES,	"a limit in the message or the dump that is less than the device, or than any")	\
	SAYS(HELD_OUTSIDE,	FIGURES,	"total less reserved less free, or the list of processes, more than a context takes") \
	SAYS(TINY,		FIGURES,	"a request below 1 MiB")							\
	SAYS(TOO_LARGE,		FIGURES,	"a request larger than the whole device or pool")				\
	SAYS(UPDATE,		NAME,		"an optimizer's scope in the operation's name, outside of gradients")		\
	SAYS(ROOMY,		FIGURES,	"more free than was asked for, by the message, or less in all than a card has")	\
	SAYS(RECORDED,		SPEC,		"the spec validates, and a forecast with gradients kept")			\
	SAYS(SURPLUS,		SPEC,		"more tensors in the message than a forecast has at most")			\
	SAYS(SHOULD_HAVE_FITTED, SPEC,		"a forecast that is less than what there was")					\
	SAYS(VALIDATION,	SPEC,		"a shape or bytes of the batch of validation alone")				\
	/* autopsy_alone.c */													\
	SAYS(IMPOSSIBLE,	FIGURES,	"a request of 64 TiB, or of 1 TiB on one device")				\
	SAYS(BARE_REQUEST,	FIGURES,	"a request of 1 GiB or more, and no other figure")				\
	SAYS(SHARE,		FIGURES,	"a request that is a large part of the device")					\
	SAYS(OWN_STEP,		FIGURES,	"allocated, or in use by the dump, that is most of the device")			\
	SAYS(SERVING,		FIGURES,	"the same, and a line with a server's name")					\
	SAYS(EMPTIED,		FIGURES,	"reserved that is most of the device, and allocated that is little")		\
	SAYS(KEPT,		FIGURES,	"PyTorch's count of private pools that is large")				\
	SAYS(DUMPED,		STATISTICS,	"free pieces of the dump, all smaller than the request")			\
	SAYS(PARTED,		FIGURES,	"allocated and what is outside, neither of them most")				\
	SAYS(METAL,		FIGURES,	"Metal's message, and its counters")						\
	SAYS(POOLS,		WORDING,	"a message of CuPy's or of ONNX Runtime's pool")				\
	SAYS(LARGEST_BLOCK,	FIGURES,	"a request of 4 GiB or more of an Intel device, and no figure by which less is left, or of 2 GiB or more by Vulkan")				\
	SAYS(LITTLE_FREE,	FIGURES,	"what was free, and no other figure than what this process, or others by their numbers, have")	\
	SAYS(AT_START,		STATISTICS,	"what TensorFlow found free when it began, or a request beside nine tenths of it")	\
	SAYS(GROWN_GRAPH,	NAME,		"a number of four digits behind a name that TensorFlow gives by itself")	\
	SAYS(SLICES,		NAME,		"the gradient of a slice with a number, in the operation's name")		\
	SAYS(LOCAL_LAYER,	NAME,		"Keras' name of a locally-connected layer, in the operation's name")		\
	SAYS(SERVED_SHARE,	STATISTICS,	"vLLM's lines of what it may take and of what weights and a trial run took, and its message of the cache")	\
	SAYS(SERVED_SUM,	FIGURES,	"MLC-LLM's figures of weights, buffers and its share")	\
	SAYS(SHUFFLED,		STATISTICS,	"TensorFlow's line about its buffer of shuffled elements")			\
	/* autopsy_place.c: which calls and lines are signs of what is in oom/oom_signs.c and oom_calls.c */					\
	SAYS(LOADING,		PLACE,		"a call that puts weights on a device, or the first call of it")		\
	SAYS(CONSTRUCTED,	PLACE,		"the innermost call of the user's is a constructor, and no other sign")	\
	SAYS(STEP,		PLACE,		"the optimizer's step, and no backward or forward within")			\
	SAYS(EVALUATION,	PLACE,		"a function that tests, by its name, no sign whether gradients are off, and other causes beside it")	\
	SAYS(KERAS_FORWARD,	PLACE,		"the function of Keras that ran, by its name, which keeps nothing for backward")	\
	SAYS(EVALUATED,		PLACE,		"a function that tests, by its name, and gradients that are off, or a library's loop")	\
	SAYS(VOLATILE_WARNED,	LINE,		"PyTorch's warning that volatile has no effect, ahead of the message or below a title")		\
	SAYS(LINE_OF_CODE,	PLACE,		"the innermost line of code that is not PyTorch's")				\
	SAYS(BACKWARD,		PLACE,		"backward, and no figures")							\
	SAYS(FORWARD,		PLACE,		"a module's call, and no figures")						\
	SAYS(BY_PLACE,		PLACE,		"the fact of the row of autopsy_places")						\
	SAYS(CAPTURED,		PLACE,		"a call that captures a graph")							\
	SAYS(CAPTURING,		LINE,		"a line that says that graphs are captured, near the message")			\
	SAYS(NOT_ALLOCATOR,	WORDING,	"CUDA's bare error with the hint that only PyTorch with figures has")		\
	SAYS(PARALLEL,		PLACE,		"a call of DataParallel")							\
	SAYS(CACHE,		WORDING,	"the message says that it is the cache of keys and values")			\
	SAYS(GGML,		WORDING,	"ggml's message says which buffer it is")					\
	SAYS(EXTENTS_NAMED,	PLACE,		"the names that the innermost line of code gives the extents, and the message's own extents")	\
	SAYS(HOST_PLACES,	PLACE,		"the fact of oom/oom_signs.c that it is said of")				\
	/* autopsy_shape.c */													\
	SAYS(EXTENTS_CODED,	PLACE,		"the name that the innermost line of code gives the last extent of an array it makes")		\
	SAYS(OF_PAIRS,		SHAPE,		"two last extents that are the same, and heads")				\
	SAYS(OF_FILTER,		SHAPE,		"two first extents that are small and the same, and many channels")		\
	SAYS(OF_IMAGES,		SHAPE,		"four or five extents that are no filter's")					\
	SAYS(OF_MATRIX,		SHAPE,		"an extent of 10,000 or more, and no operation's name")				\
	SAYS(OF_NAMED_MATRIX,	NAME,		"logits or a projection in the operation's name, and many rows")		\
	SAYS(TENSORFLOW_NODE,	NAME,		"logits or cross_entropy in the operation's name")				\
	SAYS(TENSORFLOW_SHAPE,	SHAPE,		"the shape, and what the operation's name says of it")				\
	SAYS(HOST_IMAGE,	SHAPE,		"last extents as of height, width and colours")					\
	SAYS(ARRAY_SHAPE,	SHAPE,		"an array of more than 64 MiB by its extents")					\
	SAYS(ARRAY_EXTENTS,	FIGURES,	"two extents of 10,000 or more, one that is the number of all pairs of something, or elements of 8 bytes")			\
	SAYS(DILATED,		NAME,		"SpaceToBatch or BatchToSpace as the operation's name")				\
	SAYS(JOINED,		PLACE,		"Keras' own concatenation, in predict() or evaluate()")				\
	SAYS(HOST_REQUEST,	FIGURES,	"what was asked of the machine")						\
	SAYS(HOST_RESULT,	SHAPE,		"a node on the processor whose extents are no filter's")			\
	/* autopsy_progress.c */												\
	SAYS(WENT_ON,		LINE,		"an epoch that is counted ahead of the message")				\
	SAYS(WENT_ON_BY_BAR,	LINE,		"a bar of progress right beside the message, not at its end")			\
	SAYS(WENT_ON_BY_STEPS,	LINE,		"steps that are counted ahead of the message")					\
	SAYS(GREW,		LINE,		"four counts of MMCV, each more than the one before")				\
	SAYS(ROSE,		LINE,		"counts of memory, each more than the one before by about as much")		\
	SAYS(WENT_ON_BY_LOSSES,	LINE,		"two losses that are told ahead of the message")				\
	SAYS(FIRST_ROUND,	LINE,		"a bar of progress right beside the message that stands at 0")			\
	SAYS(SECOND_ROUND,	LINE,		"a bar of progress right beside the message that stands at 1")			\
	SAYS(LONG_TEXT,		LINE,		"a tokenizer's warning")							\
	SAYS(SEVERAL_PROCESSES,	LINE,		"numbers of processes")								\
	/* autopsy_xla.c */													\
	SAYS(XLA_REQUEST,	FIGURES,	"what XLA asked for, and no list beside it")					\
	SAYS(XLA_PROGRAM,	FIGURES,	"XLA's total of a program")							\
	SAYS(XLA_DEVICE,	FIGURES,	"XLA's count of the program and of the device")					\
	SAYS(XLA_BLOCK,		FIGURES,	"what is free and what is reservable")						\
	SAYS(XLA_PADDING,	STATISTICS,	"a buffer that XLA lists with its padding")					\
	SAYS(XLA_PADDED_PROGRAM, FIGURES,	"XLA's sizes of temporaries with and without padding")				\
	SAYS(XLA_WIDE,		STATISTICS,	"a large buffer that XLA lists with its shape, which by its size has elements of 8 bytes")			\
	SAYS(XLA_SCORES,	STATISTICS,	"a square buffer whose operation has attention in its name")			\
	/* autopsy_lines.c */													\
	SAYS(COUNTED_WEIGHTS,	LINE,		"a program's count of weights that fill half of the device")			\
	SAYS(WARNED,		LINE,		"TensorFlow's warning of a large request, and a process that was ended")		\
	SAYS(IMAGES_READ,	LINE,		"a program's line with how many images it has read, and their size")	\
	SAYS(SHARDS,		LINE,		"DeepSpeed's line about its optimizer, and no step after it")			\
	SAYS(SPEC_OF_MORE,	LINE,		"a spec by which weights are whole, trained and of its precision, and a line that names FSDP, LoRA or fewer bits")	\
	SAYS(REPLAY,		LINE,		"a setting of a replay buffer's length")					\
	SAYS(NEGATIVE,		LINE,		"a line with an extent that is less than 0, and the machine's memory")				\
	SAYS(MACHINE,		LINE,		"a line of docker info, free or /proc/meminfo with 8 GiB or less, and the machine's memory")	\
	SAYS(VOCABULARY,	LINE,		"a program's line with the number of a vocabulary's words, 300,000 or more")		\
	SAYS(INPUTS,		LINE,		"Theano's line of the inputs' shapes")						\
	SAYS(TRIALS,		LINE,		"the number of a trial or fold, or the name of what searches, ahead of the message or in its traceback")	\
	SAYS(PRINTED,		LINE,		"a size that is printed right ahead of it, and no cause")			\
	SAYS(BATCH_SAID,	LINE,		"a batch in settings, code or a command, and no cause but what figures or backward tell")				\
	SAYS(LENGTH_SAID,	LINE,		"the same of a sequence's length")						\
	SAYS(PIXELS_SAID,	LINE,		"the same of pictures' size")							\
	SAYS(CARD_IN_TABLE,	LINE,		"nvidia-smi's table, or a card's name beside a request that is larger, and no figures in the message")				\
	SAYS(SMALLER_DEVICE,	LINE,		"DataParallel's warning")							\
	/* autopsy_domain.c */													\
	SAYS(DOMAIN,		WORDS,		"a name that tells what a network is for, a device's memory (of what runs on the processor, too, any), and nothing that tells more")	\
	/* autopsy_paste.c */													\
	SAYS(CODE,		LINE,		"a line of code that keeps, moves or runs something")				\
	SAYS(HABIT,		LINE,		"a line of code, a command or a setting that is known to fill memory, and the memory it fills")	\
	SAYS(KNOB,		LINE,		"a name of a setting that bounds what is given at once, and a device's memory")	\
	SAYS(SWITCH,		LINE,		"a switch that makes a run take less, with a value by which it is off, and a device's memory")	\
	SAYS(LIBRARY,		LINE,		"a name of a library that keeps memory in a store of its own, and memory that grows or is not given back, or the device that it works on")	\
	SAYS(NAMED_WEIGHTS,	LINE,		"a model's name with its number of weights, in a command or settings")		\
	SAYS(READING,		LINE,		"a line that reads weights, near what the system ended")			\
	SAYS(DARKNET,		LINE,		"Darknet's settings, and its message")						\
	SAYS(DARKNET_TESTS,	LINE,		"a command of Darknet's that tests, and its message")				\
	SAYS(COLLECTOR,		LINE,		"an error as Julia writes it")							\
	SAYS(BOARD,		LINE,		"a line that names a board of NVIDIA's, and no card's memory")			\
	SAYS(WSL,		LINE,		"a line that names WSL, and the machine's memory")				\
	SAYS(APP,		LINE,		"Xcode's message, or a line that names iOS or iPadOS, or a device of theirs, and words for memory that ended")	\
	SAYS(DOCKER,		LINE,		"a line that names Docker or Kubernetes, and a process that signal 9 ended, OOMKilled, or people say that it was killed")			\
	SAYS(MISMATCH,		LINE,		"the driver's own words, and an error of CUDA without figures")			\
	SAYS(LISTED_CONTEXTS,	LINE,		"nvidia-smi's list, with the same process on two cards, small on the first")	\
	SAYS(LISTED_PROCESS,	LINE,		"nvidia-smi's list of processes")						\
	SAYS(TOLD_WORDS,	WORDS,		"a sentence of the failure that speaks of growth, of a time or of tests")			\
	SAYS(TOLD_LESS,		WORDS,		"a clause that says that it works with a number, in a line that says that it fails with another")	\
	SAYS(TOLD_DRAWS,	WORDS,		"a sentence of the failure that speaks of pictures that are logged or sampled beside training, and a device's memory")			\
	SAYS(TOLD_MORE,		WORDS,		"a clause that says that it runs with more of something than what failed")			\
	SAYS(TOLD_VERSION,	WORDS,		"a sentence that says that it fails with a version, or that it does not with another")			\
	SAYS(TOLD_KEPT,		WORDS,		"a sentence that says that something stays on the device, is kept with its graph, or is read as a whole")			\
	SAYS(TOLD_CACHED,	WORDS,		"a sentence that says that samples are kept in memory, and no device's memory")			\
	SAYS(TOLD_SHARED,	WORDS,		"a sentence of a failure that names shared memory, and no device's memory")			\
	SAYS(TOLD_SAVED,	WORDS,		"a sentence of the failure that speaks of results that are written, and no device's memory")			\
	SAYS(TOLD_UNGRADED,	WORDS,		"a sentence that says that torch.no_grad() is missing, and a device's memory")			\
	SAYS(TOLD_PROCESSES,	WORDS,		"a sentence that speaks of how many processes there are, or says that one of several devices alone runs it, or adds up what they have, and a device's memory, or of TensorFlow, that it runs only with memory growth")			\
	SAYS(TOLD_SWAPPED,	WORDS,		"a sentence that says that it runs with more swap, and no device's memory")			\
	SAYS(TOLD_KILLED,	WORDS,		"a sentence by which the system ended a process, beside a device's message")		\
	SAYS(TOLD_BEYOND,	WORDS,		"a sentence that says how much memory a machine has, and a request of more")		\
	SAYS(TOLD_SMALL,	WORDS,		"a sentence that names a machine with little memory, and no device's memory")			\
	SAYS(TOLD_LIMITED,	WORDS,		"a sentence that tells what a container may have of the machine's memory")			\
	SAYS(TOLD_QUANTIZES,	WORDS,		"a sentence of the failure that says that weights are quantized, and a device's memory")		\
	SAYS(TOLD_CAPTURES,	WORDS,		"a sentence of the failure that speaks of CUDA graphs that are captured, and a device's memory")		\
	SAYS(TOLD_SERVER,	WORDS,		"a sentence that names vLLM or a setting of its own, no training, and a device's memory without another cause")			\
	SAYS(TOLD_RAYS,		WORDS,		"a sentence with a word for rays through a scene, and a device's memory without another cause")			\
	SAYS(TOLD_COUNT,	WORDS,		"a sentence or setting of a failure that says how many of what are worked on at once")			\
	SAYS(TOLD_EXTENT,	SHAPE,		"an extent of the message's shape, and a number of things in a sentence that is as large")		\
	SAYS(TOLD_RAISED,	WORDS,		"a sentence of the failure that says that a setting was changed from a number to a larger one")			\
	SAYS(TOLD_DATA,		WORDS,		"a sentence that says that it works with data, in a line that says that it fails with other data")			\
	SAYS(TOLD_ADDED,	WORDS,		"a sentence that says that it fails with something that was added, or works without")				\
	SAYS(TOLD_EMPTIED,	WORDS,		"a sentence that says that emptying PyTorch's cache ended it, and a device's memory")			\
	SAYS(TOLD_DEPRECATED,	WORDS,		"a sentence that says that volatile does nothing, and a device's memory")			\
	SAYS(TOLD_TASKS,	WORDS,		"words for learning through steps of learning, and a device's memory")					\
	SAYS(TOLD_ENDED,	WORDS,		"a sentence that says by what it ended")						\
	SAYS(TOLD_PAIRS,	WORDS,		"a sentence with a matrix whose two extents are the same and many, and no shape in the message")	\
	SAYS(TOLD_LOADING,	WORDS,		"a sentence of the failure that speaks of weights that are loaded, and figures of a device")			\
	SAYS(TOLD_ARRAY,	WORDS,		"a sentence that says that an array, by its extents, is not made")				\
	SAYS(TOLD_ABSURD,	WORDS,		"a sentence that tells of an allocation of 1 TiB on a device, of 64 TiB, or of more than a card has that is named")				\
	SAYS(TOLD_BATCH,	WORDS,		"a sentence that says that it fails, with the number of samples in a batch")				\
	SAYS(TOLD_LENGTH,	WORDS,		"a sentence that says that it fails, with the length of a sequence, or after replies of a conversation")				\
	SAYS(TOLD_SIZES,	WORDS,		"a sentence of the failure that speaks of several scales, and a device's memory")	\
	SAYS(TOLD_LIKELY,	WORDS,		"a sentence of the failure that a row of autopsy_rows.c rests on, and no cause but what figures tell")	\
	SAYS(TOLD_AGAIN,	WORDS,		"a sentence of the failure that speaks of what is run once more")		\
	SAYS(TOLD_LONG,		WORDS,		"words for a long recording, film or text, and one tensor that is large by the message's figures")	\
	SAYS(TOLD_GRAPH,	WORDS,		"words or code for a network on a graph, and one tensor that is large by the message's figures")	\
	SAYS(TOLD_PICTURES,	WORDS,		"a sentence with the extents of pictures, and no cause")			\
	SAYS(TOLD_WEIGHTS,	WORDS,		"a model's name in a sentence alone, or one that says that weights were read in float32, are too large, or lie there twice")

#define SAYS_OF(kind, on, evidence)	SAYS_ ## kind,
enum autopsy_says { AUTOPSY_SAYS(SAYS_OF) SAYS_KINDS };
#undef SAYS_OF

/* "figures": what a kind rests on; its name, "own_step"; and the evidence without which it is not
 * said. */
enum rests	autopsy_rests(enum autopsy_says);
const char	*autopsy_rests_name(enum rests);
const char	*autopsy_says_name(enum autopsy_says);
const char	*autopsy_says_evidence(enum autopsy_says);

#endif
