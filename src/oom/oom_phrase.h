/*
 * What out-of-memory messages look like: the patterns (oom/oom_pattern.h) by which the reader of
 * logs knows that a message begins, and those of what it goes on to say. A new wording is a new
 * line here.
 */
#ifndef STOWAGE_OOM_OOM_PHRASE_H
#define STOWAGE_OOM_OOM_PHRASE_H

#include "oom/oom_log.h"

#define ELEMENT_FIXED	256	/* beside an element's bytes: its type has none of half as many */

#define MOST_GPUS	4096	/* a larger number is no index of one */

enum phrase_role {
	ROLE_MESSAGE,
	ROLE_NAMED,		/* a message in anyone's words, if a sentence ends there or sizes follow; */
	ROLE_GENERIC,		/* only if sizes or a shape follow */
	ROLE_CLASS, ROLE_CHUNK, ROLE_FREE_CHUNK, ROLE_STATS, ROLE_LIMIT, ROLE_IN_USE, ROLE_BINS, ROLE_DUMP,
	ROLE_OPERATION,		/* ONNX Runtime's node, which comes before the message */
	ROLE_GPU,		/* CUDA's, ahead of its error */
	ROLE_BUFFER_SIZE, ROLE_BUFFER_SHAPE, ROLE_BUFFER_PADDING,
	ROLE_CARD,		/* of nvidia-smi's table: bytes in use of bytes */
	ROLE_USAGE, ROLE_HOLDER, ROLE_HOLDERS,	/* TensorFlow's list of who holds tensors */
	ROLE_NET_INPUT, ROLE_NET_SHAPE, ROLE_NET_BYTES,	/* Caffe's network, as it is loaded */
	ROLE_ASSERTION,		/* one failed on the device */
	ROLE_HANDLING,		/* what follows happened because of what stands before */
	ROLE_VOLATILE,		/* PyTorch's warning of it */
	ROLE_START_TOTAL, ROLE_START_FREE,	/* TensorFlow's device, when it is found */
	ROLE_MADE,		/* and when it is made, with what TensorFlow may take of it */
	ROLE_IMAGES,		/* how many a program has read to render the like, and their size */
	ROLE_MODEL_NEEDS,	/* what a program found free of a device, and what a model needs there */
	ROLE_SERVED_SHARE, ROLE_SERVED_WEIGHTS, ROLE_SERVED_TRIAL,	/* what vLLM may take of a device, and finds that it took */
	ROLE_SERVES,		/* what runs is a server of language models */
	ROLE_CAPTURE,		/* CUDA graphs are being captured */
	ROLE_SHUFFLE,		/* TensorFlow fills a buffer of so many elements */
	ROLE_EPOCH,		/* the number of one, from 1 or 0, of so many */
	ROLE_EPOCH_COUNT,	/* that, or anything else beside the word: steps per epoch, the best one */
	ROLE_TRAINS, ROLE_EVALUATES,	/* the head of what is told of it */
	ROLE_STEP,		/* the number of one, if others come before it */
	ROLE_EPOCH_STEP,	/* an epoch's, and that of a step in it */
	ROLE_PEAK,		/* what tensors took at most so far, as MMCV's logs have it */
	ROLE_PEAK_NAMED,	/* and by its name */
	ROLE_TOKENS,		/* a text's, and those that the model is made for */
	ROLE_GIVEN,		/* transformers warns that a text of so many tokens is given, beside what it may write */
	ROLE_TENTH,		/* TensorFlow warns that so many bytes are more than a tenth of the machine's memory; */
	ROLE_SMALLER,		/* a device that PyTorch's DataParallel warns of, since it is smaller than another */
	ROLE_LOSS,		/* transformers tells the loss of some steps */
	ROLE_REPLAY,		/* how many entries a memory of what was seen has room for */
	ROLE_MACHINE,		/* what a machine has, as Docker, free or Linux tells it; */
	ROLE_MACHINE_KIB,	/* the same in KiB */
	ROLE_VOCABULARY,	/* how many words it has, as a program tells */
	ROLE_INPUTS,		/* the shape of the first input of the operation that failed, by Theano */
	ROLE_PRINTED,		/* a size, as PyTorch's programs print them */
	ROLE_WEIGHTS,		/* how many the network has, */
	ROLE_TRAINED,		/* and of those that are trained */
	ROLE_SHARDS,		/* DeepSpeed begins to make its optimizer */
	ROLE_PROCESS,		/* the number of one that the program made, counted from 1 */
	ROLE_MICRO,		/* the same of what a device takes at once, which goes ahead of it */
	ROLE_LENGTH,		/* positions of a sequence, as the run was told */
	ROLE_TRIAL,		/* the number of one of several runs, counted from 0, that one process makes; */
	ROLE_FOLD,		/* the same, counted from 0 or 1; */
	ROLE_SEARCH,		/* and what makes them, by its name */
	ROLE_BATCH,		/* samples in a batch of training, as the run was told */
	ROLE_EXPANDS,		/* PyTorch's allocator is set to segments that grow */
	ROLE_CAUGHT,		/* a program went on from the failure ahead of it */
	ROLE_SPEAKER,		/* whose text that is */
	ROLE_NOTHING,		/* it looks like a message and is none */
	ROLES
};

enum {				/* of a message */
	PHRASE_HEDGED = 1,	/* memory is the likeliest cause of several */
	PHRASE_ASSERTED = 2,	/* it comes of failed assertions on the device, too */
	PHRASE_GPU = 4,		/* its first number is the GPU's index */
	PHRASE_BYTES = 8,	/* its first number is what was asked for */
	PHRASE_ALONE = 16,	/* only if no sentence stands before it on its line */
	PHRASE_ANYONE = 32,	/* whose it is, the text around it says */
	PHRASE_REST = 64,	/* the rest of a message: one only where the beginning is missing */
	PHRASE_AGAIN = 128,	/* stands beside another that says the same */
	PHRASE_LIMITED = 256,	/* the limit of a container or job, or an allocator's own, ended it, not the machine */
	PHRASE_WARNING = 2048,	/* who says it goes on */
	PHRASE_STACK = 4096,	/* the program's stack follows, in which details stand */
	PHRASE_PIECE = 8192,	/* a buffer was larger than the driver gives in one piece */
	PHRASE_WINDOWS = 1024,	/* said by what is built for Windows */
	PHRASE_OWN = 16384,	/* several programs say so: a row of one, only where its own words stand near (oom_owner.h) */
	PHRASE_CPP = 32768,	/* an exception of C++, and not of Python */
	PHRASE_WHOLE = 65536,	/* its first number is of whole GB, cut off */
	PHRASE_HELD = 131072,	/* its numbers are what was held, and the limit for that, in bytes */
	PHRASE_BOTH = 524288,	/* its numbers are what was free, and what was asked for, in bytes */
	PHRASE_TIMES = 1048576,	/* they are how many elements were asked for, and the bytes of each */
	PHRASE_KIB = 262144,	/* or, by their size, in KiB */
	PHRASE_ECHO = 2097152,	/* what a program adds to another's message, or a part of one: a message only where no other is */
	PHRASE_NAME = 4194304,	/* an error's name, which stands in code and in what people say of it, too */
	PHRASE_APART = 512	/* it looks like a message of memory and is of something else */
};

struct phrase {
	const char *pattern;	/* NULL after the last */
	enum phrase_role role;
	enum oom_kind kind;
	bool host;
	const char *who;	/* whose message, where the kind does not say; NULL: the kind's name */
	const char *says;	/* what it means, where the kind does not say */
	enum oom_field field;	/* what its first size is */
	unsigned flags;
};

/* Messages. ROLE_MESSAGE come first, and of two that begin alike the longer one; of two that are
 * alike, that of one program (PHRASE_OWN) ahead of that of any. */
extern const struct phrase oom_phrases[];
/* The same of programs that run language models: looked for ahead of those. */
extern const struct phrase oom_serving_phrases[];
/* The same of the machine's memory, and in anyone's words: looked for after those. */
extern const struct phrase oom_machine_phrases[];
/* What stands around them: looked for after those. */
extern const struct phrase oom_lines[];

enum detail_role {
	DETAIL_SIZE,		/* into the field `value` */
	DETAIL_EXACT,		/* the same in bytes, of a size that is known by then */
	DETAIL_MORE,		/* the same, but the larger of two of the message */
	DETAIL_SECOND,		/* or the second of two */
	DETAIL_SUM,		/* added to it, and the largest into the field after it */
	DETAIL_SHAPE, DETAIL_NODE,
	DETAIL_ELEMENT,		/* an element has `value` bytes */
	DETAIL_TEXT,		/* it is a text of so many signs, each of `value` bytes */
	DETAIL_WARNING,
	DETAIL_PLACE,		/* the device; only the first, */
	DETAIL_ELSEWHERE,	/* and none behind this: it is of other nodes */
	DETAIL_GPU,
	DETAIL_RUN,		/* `value` is one of enum oom_run */
	DETAIL_SHARE,		/* of the device, as 0.92 */
	DETAIL_TOTAL,		/* with what was asked; less that, it goes into `value` */
	DETAIL_FACT,		/* what it was for: `value` is one of TRACE_ */
	DETAIL_END		/* another error begins, and what follows is of that */
};

struct detail {			/* what a message of a kind goes on to say */
	const char *pattern;	/* NULL after the last */
	enum detail_role role;
	enum oom_kind kind;
	int64_t value;
};

/* Those of a kind stand together. */
extern const struct detail oom_details[];

#endif
