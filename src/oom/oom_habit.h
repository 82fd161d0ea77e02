/*
 * Code and settings of which it is known how they fill memory: of each kind the first line that has
 * one, with a number or a name of it. What runs of it, and whether it is large, no line tells.
 */
#ifndef STOWAGE_OOM_OOM_HABIT_H
#define STOWAGE_OOM_OOM_HABIT_H

#include <stdbool.h>
#include <stdint.h>

#include "oom/oom_lexicon.h"

#define HABIT_NAME	32
#define HABIT_LAYERS	8	/* dense layers that are noted */

enum oom_habit_kind {
	/* of the machine's memory */
	HABIT_NARROW,		/* a Python, or R, of 32 bits, by this name */
	HABIT_HEAP,		/* Java's heap may have so much, by this option */
	HABIT_LIMIT,		/* a job or a container may have so much of it, by this setting */
	HABIT_SHM,		/* what processes share had so much room, by a table of file systems */
	HABIT_OFFLOADS,		/* what a run keeps is put into it, by this name */
	HABIT_WORKERS,		/* a loader's processes: how many */
	HABIT_JOBS,		/* a library's, by this setting: how many; 0: as many as there are processors */
	HABIT_QUEUE,		/* batches that Keras has wait, by this setting: how many at most */
	HABIT_MAPS,		/* datasets hands many samples to a function at once */
	HABIT_TEXTS,		/* transformers reads a file of texts as a whole, by these words */
	HABIT_READS,		/* a file is read as a whole, by a call of this name */
	HABIT_ARRAY,		/* a list of this name is made one array; or, where `n` is 1, one that is made from each of this name */
	HABIT_GATHERS,		/* pictures, by their names, are put on a list in a loop, which begins on line `n` */
	HABIT_ZEROS,		/* an array with a row for each of these is made at once, */
	HABIT_EXTENTS,		/* or one of these extents: its bytes */
	HABIT_FILLED,		/* Theano fills a tensor with one value: of how many numbers */
	HABIT_EMPTY,		/* an array of which an extent is 0, by these extents */
	HABIT_CODES,		/* a number for each class, by a call of this name */
	HABIT_DENSE,		/* a sparse matrix is made dense; `n`: on a device */
	HABIT_CACHE,		/* samples are kept once they were read */
	HABIT_SHUFFLE,		/* samples are shuffled in a buffer: of how many */
	HABIT_SPLIT_ROWS,	/* rows are taken by their places, into two parts, by this call */
	HABIT_COLUMNS,		/* a column is made for each value that is met, by this name */
	HABIT_SCALER,		/* samples are scaled at once, by a call of this name */
	HABIT_PRETRAINS,	/* BERT's script of this name makes samples of a whole file */
	HABIT_SUBWORDS,		/* a model of fastText's is read, by a call of this name */
	HABIT_SIMILAR,		/* gensim compares words' vectors, by a call of this name */
	HABIT_TAGS,		/* texts have tags of gensim's, by a name of this */
	HABIT_SEURAT,		/* Seurat works on cells and genes, by this name */
	HABIT_CELLS,		/* scanpy works on cells and genes, by this name */
	HABIT_DOCUMENTS,	/* spaCy reads texts, by this name */
	HABIT_INDEXES,		/* faiss keeps vectors, by this name */
	HABIT_NEIGHBOURS,	/* points are clustered by their neighbours, by this name */
	HABIT_EMBEDS,		/* UMAP puts points into few dimensions, by this name */
	HABIT_FOREST,		/* scikit-learn makes trees without a bound, by a call of this name */
	HABIT_RASTER,		/* R takes all cells of a raster, by a call of this name */
	HABIT_GENOME,		/* STAR makes an index of a genome, by this option */
	HABIT_HDF5,		/* Caffe reads a file as a whole, by its layer */
	HABIT_SPLITS,		/* weights are split among processes by FSDP, by this name */
	HABIT_RANKS,		/* a launcher starts so many processes, by this option */
	/* of a device's */
	HABIT_WITHOUT,		/* bitsandbytes is not built for a device, by its own words */
	HABIT_ALONE,		/* weights are to be split among processes, and one is started, by this option */
	HABIT_COPIED,		/* each process has all weights on its device, by this setting or call */
	HABIT_REPLAY,		/* what was seen is added to a memory of this name; `n`: the line that put it on a device */
	HABIT_STATE,		/* this is handed on from one call of a network to the next */
	HABIT_FRAMES,		/* cuDF reads a file as a whole, by a call of this name */
	HABIT_OCCUPIES,		/* YOLOX takes most of a device ahead of its first step, by this option */
	HABIT_MOVED,		/* what by its name is data, or each of a list, is put on a device, by this name: Julia, Theano, CuPy */
	HABIT_FACES,		/* dlib looks for faces, by a call of this name */
	HABIT_LISTED,		/* what CuPy makes is put on a list in a loop, which begins on line `n` */
	HABIT_LOAD,		/* a file's tensors are put where they were */
	HABIT_CREATES,		/* backward makes a graph, too */
	HABIT_GATHERED,		/* DataParallel gathered what several devices gave, by its own words */
	HABIT_PARALLEL,		/* a network is copied to several devices, by a call of this name */
	HABIT_WHOLE,		/* a script of this name trains all weights of a network of images */
	HABIT_SERVER,		/* vLLM runs beside training, by this name */
	HABIT_CONTEXT,		/* positions that llama.cpp's model is made for, or that its context has, by this name */
	HABIT_SIZES,		/* pictures come in several sizes, by this name */
	HABIT_BENCHMARK,	/* cuDNN tries its ways of a convolution, by this name */
	HABIT_UNIT,		/* FSDP of a network, by a call of this name without a policy that wraps its layers */
	HABIT_SAVED,		/* PEFT trains layers with a number for each word whole, by this setting */
	HABIT_UNCHECKED,	/* what forward makes is all kept: gradient checkpointing is off, by this name; `n` 1: a script of this name is run without it */
	/* of either */
	HABIT_MERGES,		/* an adapter is merged into a model's weights, by this name */
	HABIT_INDEX,		/* an error of an index, in these words, beside what may be its end on a device */
	HABIT_FEATURES,		/* features of all pictures are kept, by a method of this name */
	HABIT_RERUNS,		/* a process that Python began runs the program's own file again, by this call */
	HABIT_TESTS,		/* a batch of tests is larger than that of training: of how many */
	HABIT_CLASSES,		/* there are so many classes, by the last such setting */
	HABIT_HISTOGRAMS,	/* TensorBoard draws histograms: every so many epochs */
	HABIT_REGATHERED,	/* a network that was spread over devices is put on one, by this call; `n`: the line that spreads it */
	HABIT_SPREAD,		/* weights are spread over devices, by this setting */
	HABIT_INSTANCES,	/* Triton is told to run so many instances of a model on each device */
	HABIT_JOINED,		/* transformers' Trainer joins what it predicts for all samples, by this call */
	HABIT_PARTS,		/* dask's parts are put together to one frame, by this call */
	HABIT_HOOK,		/* Lightning keeps what steps return until this runs */
	HABIT_STORES,		/* flair keeps what it makes for words; `n`: on a device */
	HABIT_PREDICTS,		/* predict() is called in a loop, which begins on line `n` */
	HABIT_FED,		/* a session of TensorFlow is given a set of samples, by this name, as one */
	HABIT_LAYER,		/* the largest layer of which both extents are said: how many numbers its weight has */
	HABIT_UNITS,		/* a dense layer: of how many units, the last one of those that are noted */
	HABIT_JOINS,		/* tables are joined, by a call of this name */
	HABIT_PAIRS,		/* a number for each pair */
	HABIT_DISTANCES,	/* R computes distances of all pairs of rows, by a call of this name */
	HABIT_KERNELS,		/* so does what people name so, in their words */
	HABIT_STEPS,		/* Captum gives a network all steps of an attribution of this name at once */
	HABIT_DRAWN,		/* and all samples drawn around an input, by this name */
	HABIT_GAUSSIAN,		/* a Gaussian process is fitted, by this name */
	HABIT_RETRACES,		/* TensorFlow warned that it traces a function anew */
	HABIT_TRACED,		/* memory grows with tf.function, as people say */
	HABIT_FINALIZED,	/* something was to be added to a graph of TensorFlow's that was finalized */
	HABIT_UNROLLED,		/* a loop of Python's in a function that tf.function traces, by the decorator on line `n` */
	HABIT_GRAPH,		/* operations of TensorFlow 1 are made in a loop, which begins on line `n`, where a session runs */
	HABIT_LOOP,		/* a network is made in a loop, which begins on line `n` */
	HABIT_COUNTS,		/* gensim counts words, */
	HABIT_COUNTED,		/* and goes on from there */
	HABITS
};

struct oom_habit {
	int line;		/* from 1; 0: there is none */
	int64_t n;
	char name[HABIT_NAME];
};

struct oom_habits {
	struct oom_habit of[HABITS];
	int lets_go, begins;	/* the last line that lets go of a state's graph, and that makes a state anew, of whatever loop */
	int clears;		/* and the last that lets go of networks made before */
	int checks;		/* the last that names gradient checkpointing */
	bool dask;		/* dask is named */
	bool parted;		/* a name of a set of samples was given to a part of one */
	int one_line;		/* of the command that goes on: the line that starts one process alone, */
	char one[HABIT_NAME];	/* by this option */
	uint64_t placed;	/* names of what an agent saw, by their bits, that were put on a device, */
	int placed_line;	/* the last of them there; */
	bool on_processor;	/* what code names "device" is the processor */
	int chained;		/* a line that makes a matrix dense of what a call on it gives, ".fit_transform(x).toarray()" */
	bool off[HABITS];	/* kinds of which a line says that they are off */
	int64_t context;	/* positions that a run of llama.cpp was given or has, the most of several; 0: that is not told */
	int spread, group;	/* the last line that spreads a network over devices, and that begins Triton's instance_group; 0: none */
	int limits;		/* the last line, a head under which a container's limits stand; 0: none, or others follow */
	int64_t units[HABIT_LAYERS];	/* of dense layers, */
	int units_lines[HABIT_LAYERS], dense;	/* their lines, and how many there are */
	struct oom_habit trains;	/* the batch of training, beside which one of tests may be larger; `n` -1: several */
	int made_line, ran_line;	/* in the loop that lines stand in: the last that makes an operation of TensorFlow, and that runs a session; 0: none */
	int traced_line, traced_inset;	/* tf.function's decorator ahead of the function that lines stand in, and how far its "def" is set in; -1: that has not come */
	int loop_line, loop_inset;	/* the loop that lines stand in, and how far its "for" is set in; line 0: none */
};

/* Keeps the first of a kind, and the name that stands from S to END. */
void	oom_habit_keep(struct oom_habits *, enum oom_habit_kind, int line, int64_t n, const char *s, const char *end);
/* The number that a setting has whose name ends at AT: "num_workers=8", "'n_jobs': -1". */
bool	oom_habit_number(struct talk, const char *at, int64_t *n);
/* Line LINE of the log, which is code, a command or a setting. */
void	oom_habit_line(struct oom_habits *, struct talk, int line);
/* Any line, a person's and a comment, too: what need only be named there. */
void	oom_habit_seen(struct oom_habits *, struct talk, int line);
/* A line of code of a traceback. */
void	oom_habit_traced(struct oom_habits *, struct talk, int line);

#endif
