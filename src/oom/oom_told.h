/* What people say of memory itself: that it ran out, of what, and with how many samples. */
#ifndef STOWAGE_OOM_OOM_TOLD_H
#define STOWAGE_OOM_OOM_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "oom/oom_clause.h"

#define TOLD_FRAMEWORKS	13
#define TOLD_PYTORCH	0	/* of them, */
#define TOLD_THEANO	4	/* and this */
#define OOM_TOLD_LINE	1000	/* bytes of a line without asides */

enum told_what {		/* of memory, as people say it; what is further down tells less */
	TOLD_NOTHING, TOLD_ENDED, TOLD_SHORT, TOLD_FULL, TOLD_TROUBLE, TOLD_GROWS, TOLD_MUCH
};

enum told_pool {		/* does a framework take a device's memory at once? */
	POOL_NONE, POOL_ALL,	/* that, or a share of it */
	POOL_OF_ANOTHER		/* as that does which it stands on */
};

struct oom_told {		/* lines are counted from 1; 0: nowhere */
	enum told_what what;
	struct said said;	/* where that is said, */
	bool device, host;	/* of the device's memory, or of the machine's; neither: that is not said */
	bool sure;		/* and that by the name of the memory, or of a card on which it is said to fail */
	bool named;		/* of the machine's, by its name beside which no device's is told to be short */
	bool guess;		/* and no more than asked: "is it that my GPU has too little?" */
	const char *at;		/* where it was found; it holds only while its line is read */
	const char *here;	/* the same of the last line that says so, whether that is what is kept, */
	int tenth;		/* the first line in which people name TensorFlow's warning of a tenth of the machine's memory */
	int lost;		/* and in which a browser took WebGL's context back */
	int here_line;		/* which it is */
	bool sentence;		/* in a sentence, as people write them and programs hardly do */
	int gpu_ram;		/* the line that says so of a "GPU RAM", which elsewhere is called RAM then */
	int freezes;		/* the line that says so, with which the machine itself came to a halt */
	int gpu, ram;		/* the last line that names a device, and the machine's memory */
	struct said data;	/* the last that speaks of a whole set of data */
	struct said framework[TOLD_FRAMEWORKS];	/* the first line that names it: oom_told_framework() */
	int call_depth, call_lines;	/* of a call that a line of tests opened, and its lines so far; depth 0: none is */
	bool of_tests;		/* this line stands within such a one */
	struct said at_once;	/* where it is said to fail at the start, */
	struct said killed;	/* and where to have been killed, */
	struct said processor;	/* or to run on the processor, */
	struct said replay;	/* or to keep what was seen, */
	struct said vectors;	/* or of words' vectors, */
	struct said adapter;	/* or of an adapter that is trained (LoRA), */
	struct said full;	/* or of all of a model's weights that are, */
	int full_set;		/* the last line by which a setting has them so, whatever is set for an adapter beside it; */
	struct said codes;	/* or of classes that are coded, a number for each; */
	struct said graph, vocabulary, darknet;	/* the last that names one (of nodes), or Darknet's settings; */
	struct said workers;	/* or a loader's processes, */
	struct said shuffle;	/* or samples that are shuffled in a buffer, */
	struct said agent;	/* or an agent that learns, */
	struct said splats;	/* or Gaussians that are rendered, */
	struct said cloud;	/* or points of a cloud, */
	struct said collected;	/* or a library of a language whose collector frees tensors, */
	struct said update;	/* or where it is said to fail in the optimizer's step */
	bool by_system;		/* the words of `killed` say that the system did that */
	struct said fault;	/* or where a line has the signal, or its code, of a program that ended by a fault of its own, */
	bool faults;		/* and that is the end which people tell of */
	int as_needed;		/* or by which TensorFlow or JAX takes of a device what it needs, and no pool */
};

/* Line LINE of the log is a sentence. */
void	oom_told_line(struct oom_told *, struct talk, int line);
/* The same, of a sentence that says that memory grows. */
void	oom_told_grows(struct oom_told *, struct talk, int line);
/* The same, of one that says that memory stays taken, or that one device has more of it in use than
 * others: DEVICE. */
void	oom_told_stays(struct oom_told *, struct talk, int line, bool device);
/* The sentence of LINE that says what is kept of memory. */
struct talk	oom_told_sentence(const struct oom_told *, struct talk line);
/* Is the sentence at AT of LINE, which was read last, one that speaks of memory, or names a
 * failure? */
bool	oom_told_is_of_failure(const struct oom_told *, struct talk line, const char *at, int number);
/* Is what N bytes at AT of a line name told as what happened: neither denied, nor advised, nor
 * within code? */
bool	oom_told_happened(struct talk line, const char *at, size_t n);
/* The line without what stands in parentheses, "the memory (not the GPU's) is full", which its
 * lexicon has read last then. */
struct talk	oom_told_plain(struct talk, char to[OOM_TOLD_LINE]);
/* Where AT of such a PLAIN line stands in the line itself. */
const char	*oom_told_in_itself(struct talk itself, const char *plain, const char *at);
/* The name of a framework; NULL after the last. And what it takes: of one of TOLD_FRAMEWORKS. */
const char	*oom_told_framework(int);
/* Is one named that is not PyTorch? */
bool	oom_told_names_another(const struct oom_told *);
enum told_pool	oom_told_pool(int);

#endif
