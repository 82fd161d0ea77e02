/*
 * host.h - the words in which the tables and the steps below are written.
 *
 * The arena is one block of ARENA_BYTES, taken at start and never again. An offset in it becomes a
 * typed pointer by F32(offset) and its like. Three marks surround the calls of a step; they vanish
 * unless a build asks for them:
 *
 *     LIVE(buffer)    before the first instant of a buffer    -DCHECK: its bytes become NaN
 *     DEAD(buffer)    after its last                          -DCHECK: touching it is an error
 *     MADE(tensor)    after the node that computes a tensor   -DTRACE: a hook is called
 *
 * AT(instant) feeds --profile.
 */
enum {
	TYPE_F32, TYPE_F64, TYPE_I32, TYPE_U8, TYPE_I8, TYPE_I16, TYPE_I64, TYPE_U16, TYPE_U32, TYPE_ELEM
};

static const struct {
	const char *name, *safetensors;
	int bytes;
} type_table[] = {
	{"f32", "F32", 4}, {"f64", "F64", 8}, {"i32", "I32", 4}, {"u8", "U8", 1}, {"i8", "I8", 1},
	{"i16", "I16", 2}, {"i64", "I64", 8}, {"u16", "U16", 2}, {"u32", "U32", 4},
#if NARROW
	{ELEM_NAME, ELEM_FILE_NAME, sizeof(elem)},
#endif
};

#define MAX_DIMS	8
#ifdef STEPS_TOGETHER		/* steps of one launch (together_cuda.cu) */
#define FLIGHTS		STEPS_TOGETHER
#else
#define FLIGHTS		1
#endif
#ifndef MAX_COLUMNS
#define MAX_COLUMNS	8	/* inputs and targets; a program with more says how many */
#endif

enum { START_ZEROS, START_CONSTANT, START_UNIFORM, START_NORMAL };

struct persistent {		/* lives as long as the program; a checkpoint holds all of them */
	const char *name;
	int type;
	int rank;
	int64_t dim[MAX_DIMS];
	int64_t elements, offset;
	int start;		/* how it is filled before training */
	double value;		/* the constant; bound of [-v, v); standard deviation */
	const char *drawn_for;	/* the name that random values go by: of a copy, the original's */
	int64_t channels, taps;	/* not 0: it lies [.., taps, channels] where dims say the reverse */
	bool weight;		/* a parameter, a running statistic, or a copy of one in another type */
#ifdef RANKS
	bool own;		/* a running statistic of the samples that this rank has */
#endif
#ifdef SHARDS
	bool shared;		/* each rank has its piece of it, at the offset */
#endif
#ifdef STAGES
	int stage;		/* the rank that has it */
#endif
#ifdef SPLIT
	int64_t run;		/* elements that a rank has of it side by side, before the next rank's; 0: it has all */
#endif
};

struct input {			/* filled from the data before each step */
	const char *name;
	int column;		/* of the data source: which of its files */
	int64_t field;		/* in a CSV: the first of its values in a line, from 0 */
	int type;
	bool target;
	int classes;		/* legal values are 0 .. classes - 1; 0: any number */
	int64_t ignored;	/* and this one; INT64_MIN: none */
	int rank;
	int64_t dim[MAX_DIMS];
	int64_t elements;	/* a sample */
	int64_t offset;		/* below 0: another rank reads it */
	int buffer;
	int64_t lands;		/* where its next batch arrives meanwhile; -1: nowhere */
#ifdef STAGES
	int64_t stride;		/* from one micro-batch's slot to the next; 0: it has none */
#endif
};

struct sent {			/* how the host hands over the values of an input */
	int type, bytes;	/* of each: its own type, or that of the file */
	double scale;		/* what is left to multiply them by */
};

struct table {			/* numbers of a file that the network reads (tables.c) */
	const struct source *source;
	struct input input;	/* a row of it */
	int64_t rows;
	double *values;		/* what classes weigh is here too; NULL: it is no such table */
};

struct table_within {		/* numbers that a file had when the program was written (infer.c) */
	int type;
	int64_t offset, count;
	const double *number;
};

struct counted {		/* a loss whose labels weigh what is known only when they are read */
	int input;		/* the labels */
	const double *weights;	/* of classes; NULL: 1 */
	int64_t ignored;
};

/* What the results of batches are to that of all of them. */
enum {
	RESULT_MEAN,		/* a mean: over the samples, or of what the next result says that it weighs */
	RESULT_WEIGHT,		/* is no result of its own */
	RESULT_TOTAL,		/* the sum of all losses */
	RESULT_COUNTS,		/* numbers that add up, of which the result is made in the end */
	RESULT_KEPT		/* numbers of each sample, of which some are kept until then */
};

struct result {			/* a loss or a metric */
	const char *name;
	int type;
	int64_t offset;
	int buffer;
	int kind;
	bool loss;
	int64_t at, numbers;	/* the first of its numbers among those of all results; how many it has */
	double (*of)(const double *counts, int64_t numbers);	/* of these the result; and what the log has */
	void (*log)(FILE *, const double *counts, int64_t numbers);	/* beside it, or NULL */
	/* RESULT_KEPT: of a sample, which it may change; keeps at most so many */
	int64_t (*keep)(double *to, double *sample, int64_t behind);
	int64_t keeps;
	void (*order)(double *list, int64_t numbers);	/* brings what is kept into that in which of() and log() read it */
};

struct buffer {			/* a range of the arena, and the instants at which it is in use */
	const char *name, *kind;
	int64_t offset, bytes;
	int first, last;
	bool persistent;
};

struct data;

struct sampling {		/* what the random numbers of an epoch's samples are drawn from */
	uint64_t seed;
	int64_t epoch;
};

struct reader {			/* of a format of data: reader_NAME, in kernels/read/NAME.c */
	/* maps and checks all files: the rows, and the columns of all inputs that it does not
	 * make */
	void (*open)(struct data *);
	/* makes the values of an input in a row, where data->makes says that it does */
	void (*make)(const struct data *, int input, void *to, int64_t row, const struct sampling *);
	/* not NULL: has the last word on a batch, whose inputs lie at TO; to[k] is NULL where
	 * another stage reads the input */
	void (*finish)(const struct data *, void *const *to, int64_t batch, const struct sampling *);
};

struct argument {		/* of a reader, where the spec gives it; several for a list */
	const char *name;
	double value;
};

struct source {			/* what the spec says about data */
	const struct reader *reader;	/* NULL: nothing */
	const char *file[MAX_COLUMNS];	/* one a column, or those of all columns */
	int files;
	double scale;		/* inputs of a float type are multiplied by this */
	int64_t fields;		/* CSV: numbers in a line */
	int64_t skip_every, keep_every;	/* rows left out, rows used; 0: all are used */
	const struct argument *argument;	/* ends with name NULL */
};

enum {
	RATE_CONSTANT, RATE_STEP, RATE_COSINE, RATE_LINEAR, RATE_POLYNOMIAL, RATE_INVERSE_SQRT, RATE_ONECYCLE,
	RATE_PLATEAU
};

struct duration {
	double count;
	bool in_epochs;		/* else in updates */
};

struct schedule {
	int kind;
	struct duration warmup, every;
	struct duration at[8];	/* in place of every: as many as are above 0 */
	double gamma, floor, power, start, rise, patience, threshold, cooldown;
};

static unsigned char *arena;

#ifdef BACK_APART
enum { STEP_TRAIN, STEP_UPDATE, STEP_VALIDATE, STEP_FORWARD, STEP_BACKWARD, STEPS_THERE };
#else
enum { STEP_TRAIN, STEP_UPDATE, STEP_VALIDATE, STEPS_THERE };
#endif

#if defined(LEAVES_OUT) || defined(SENDS_LAST)
static unsigned due;		/* which updates the step at hand makes, a bit each; or 1: it is the last micro-batch of one */
#endif

#ifdef LEAVES_OUT
/* Those of step U, from 1. */
static unsigned
updates_due(int64_t u)
{
	static const int64_t every[] = { LEAVES_OUT };
	unsigned bits = 0;

	for (int k = 0; k < (int)(sizeof(every) / sizeof(*every)); k++)
		bits |= (u - 1) % every[k] == 0 ? 1u << k : 0;
	return bits;
}
#endif

#define F32(offset)	((float *)(arena + (offset)))
#define F64(offset)	((double *)(arena + (offset)))
#define I32(offset)	((int32_t *)(arena + (offset)))
#define U8(offset)	((uint8_t *)(arena + (offset)))

#if defined CHECK && defined __CUDACC__
#define LIVE(k)	CUDA(cudaMemsetAsync(arena + buffers[k].offset, 0xff, buffers[k].bytes, stream))
#define DEAD(k)	LIVE(k)
#elif defined CHECK
/* 0xff in every byte is a NaN in every precision and an index out of any range */
static __attribute__((noinline)) void
buffer_live(int64_t offset, int64_t bytes)
{
	ASAN_UNPOISON_MEMORY_REGION(arena + offset, (size_t)bytes);
	memset(arena + offset, 0xff, (size_t)bytes);
}

static __attribute__((noinline)) void
buffer_dead(int64_t offset, int64_t bytes)
{
	memset(arena + offset, 0xff, (size_t)bytes);
	ASAN_POISON_MEMORY_REGION(arena + offset, (size_t)bytes);
}

#define LIVE(k)	buffer_live(buffers[k].offset, buffers[k].bytes)
#define DEAD(k)	buffer_dead(buffers[k].offset, buffers[k].bytes)
#else
#define LIVE(k)	((void)0)
#define DEAD(k)	((void)0)
#endif

#ifdef TRACE
#ifdef __cplusplus
extern "C" {	/* in braces: without them it would only be declared */
#endif
void (*stowage_trace)(int tensor);
#ifdef __cplusplus
}
#endif
#define MADE(k)	do {				\
	if (stowage_trace)			\
		ALONE				\
			stowage_trace(k);	\
} while (0)
#else
#define MADE(k)	((void)0)
#endif

#ifdef INFERS
#define AT(instant)	((void)0)
#else
static bool profiling;
#ifdef __CUDACC__
static bool profile_asked;	/* and so the steps are to be captured with its events */
#endif
static void profile_mark(int instant);

#define AT(instant)	do {			\
	if (profiling)				\
		ALONE				\
			profile_mark(instant);	\
} while (0)
#endif

struct prediction {		/* what --predict writes */
	const char *name;
	int type;
	int rank;
	int64_t dim[MAX_DIMS];
	int64_t elements;	/* a sample */
	int64_t channels, places;	/* not 0: it lies [places, channels] where dims say the reverse */
};

#ifdef VALIDATES
static unsigned char *kept[PREDICTIONS];	/* of one batch, on the host; NULL: not wanted */

/* the step hands prediction K over at once, since later nodes may overwrite it */
static void keep_predictions(int k, const void *from, int64_t bytes);
/* a piece of the first; AT: bytes from its start */
static void keep_predictions_at(const void *from, int64_t at, int64_t bytes);
#endif

struct stowage_tensor {		/* -DLIBRARY, -DTRACE: every tensor there is */
	const char *name, *kind, *type;
	int batched, rank;
	int64_t dim[MAX_DIMS];	/* without the batch */
	int64_t offset, bytes;	/* -1: optimised away */
	const char *graph;	/* "train", "update", "validate"; "" when it lives for good */
	int channels_last;	/* dims [c, h, w] lie [h, w, c]; weights' [f, c, h, w] lie [f, h, w, c] */
};

/* Where element I of [.., rows, cols] lies in [.., cols, rows]; ROWS 0: where it is. */
static inline int64_t
turned(int64_t i, int64_t rows, int64_t cols)
{
	int64_t at = rows ? i % (rows * cols) : 0;

	return rows ? i - at + at % cols * rows + at / cols : i;
}
