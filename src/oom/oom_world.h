/*
 * Marks of what holds in some worlds alone: of a framework, of training, of a loader's processes.
 * They stand around a text, or a part of one, wherever sentences are written; autopsy_worded()
 * leaves out what is of another world than the run's, and where all of a text is, nothing is left
 * of it. They may stand within one another.
 */
#ifndef STOWAGE_OOM_OOM_WORLD_H
#define STOWAGE_OOM_OOM_WORLD_H

/* The program that lists who has a device: that of the device's maker is put in its place. */
#define LISTER		"\001"	/* no log's words have these signs: they are made visible */
/* The program that shows how the machine's memory fills, by the system where that is named. */
#define MONITOR		"\007"
#define PROMISED	"On Windows all programs together are promised no more than the machine's memory and the paging file."
/* What R was allowed there, until its version 4.2. */
#define R_PROMISED	UNTRIED(BY_LIMIT, " R before version 4.2 has a limit of its own there: memory.limit() tells it, and memory.limit(size=...), in MB, raises it.")

#define WORLD_BEGINS	'\002'
#define WORLD_ENDS	'\003'
#define IN_WORLD(mark, text)	"\002" mark text "\003"

#define IN_TORCH(text)		IN_WORLD("t", text)	/* PyTorch was seen, */
#define OUT_OF_TORCH(text)	IN_WORLD("o", text)	/* or was not; */
#define IN_KERAS(text)		IN_WORLD("k", text)	/* TensorFlow or Keras was, */
#define MAYBE_KERAS(text)	IN_WORLD("m", text)	/* that was, or JAX was not */
#define MAYBE_JAX(text)		IN_WORLD("j", text)	/* JAX was, or no other framework */
#define IN_BROWSER(text)	IN_WORLD("b", text)	/* TensorFlow.js was, */
#define ON_A_MAC(text)		IN_WORLD("|", text)	/* a Mac was named, or its shell */
#define OUT_OF_BROWSER(text)	IN_WORLD("s", text)	/* or was not */
#define IN_TRAINING(text)	IN_WORLD("n", text)	/* it may be training, as nothing tells that it only serves */
#define HAS_NOT_TRAINED(text)	IN_WORLD("c", text)	/* nothing does */
#define HAS_TRAINED(text)	IN_WORLD("a", text)	/* something tells that it trains */
#define WITH_GRADIENTS(text)	IN_WORLD("g", text)	/* PyTorch was seen, and torch.no_grad() was not */
#define MAYBE_GRADIENTS(text)	IN_WORLD("?", text)	/* no framework was named, and the message may be PyTorch's */
#define UNLESS_RANDOM(text)	IN_WORLD("@", text)	/* nothing tells that it fails at another place each time */
#define WITH_LOADER(text)	IN_WORLD("l", text)	/* there may be a loader's processes */
#define OVER_DATA(text)		IN_WORLD("i", text)	/* something tells that it goes over data */
#define WITH_DEVICE(text)	IN_WORLD("d", text)	/* a GPU was named */
#define MAYBE_DEVICE(text)		IN_WORLD("4", text)	/* it is not the machine's memory, by the message or by people's words */
#define AT_START(text)		IN_WORLD("e", text)	/* nothing tells that its first steps had fitted, */
#define AFTERWARDS(text)	IN_WORLD("f", text)	/* or that it failed in them; */
#define HAD_STEPS(text)		IN_WORLD("h", text)	/* something does tell that steps had fitted */
#define WITH_PARTS(text)	IN_WORLD("q", text)	/* there are several devices, or processes, by what was read */
#define IN_SERVING(text)	IN_WORLD("v", text)	/* it only serves, by what was read */
#define WITH_GATHERING(text)	IN_WORLD("p", text)	/* PyTorch's DataParallel may be what has several devices */
#define IN_FIRST_TESTS(text)	IN_WORLD("x", text)	/* nothing tells that tests had gone well before, or are given what training is */
#define OF_ENGINE(text)		IN_WORLD("r", text)	/* people, or a log, speak of an engine that is built (TensorRT) */
#define UNEVENLY(text)		IN_WORLD("u", text)	/* nothing tells that memory grows by the same again and again */
#define OF_BYTES(text)		IN_WORLD("y", text)	/* an element has several bytes, or it is not known how many, */
#define OF_DOUBLES(text)	IN_WORLD("z", text)	/* or has 8 by the message */
#define UNSORTED(text)		IN_WORLD("1", text)	/* nothing tells that samples come from the largest to the smallest */
#define STAYING(text)		IN_WORLD("2", text)	/* or that memory leaps, and falls back */
#define WITH_MANY(text)		IN_WORLD("w", text)	/* by its name a model has many weights, or has no such name */
#define IN_ENLARGING(text)	IN_WORLD("3", text)	/* nothing tells that pictures are drawn, as by diffusion */
#define WITH_ROOM(text)		IN_WORLD("5", text)	/* shared memory (/dev/shm) has more room than Docker gives it */
#define NAMING_TORCH(text)	IN_WORLD("6", text)	/* the text names Torch, that of Lua, too, */
#define NOT_NAMING_TORCH(text)	IN_WORLD("7", text)	/* or does not */
#define UNLESS_LESS_RUNS(text)	IN_WORLD("8", text)	/* nothing tells that less of it runs, */
#define UNLESS_MORE_RUNS(text)	IN_WORLD("9", text)	/* or more of it, */
#define UNLESS_NEEDS_MORE(text)	IN_WORLD("0", text)	/* or that it needs more than the device has, */
#define UNLESS_GROWS(text)	IN_WORLD("!", text)	/* or that memory grows */
#define AFTER_STEPS(text)	IN_WORLD("\"", text)	/* something tells that steps had fitted, or that memory grows */
#define BY_SETTING_ALONE(text)	IN_WORLD("#", text)	/* that a run is resumed is a setting's word, and no person's */
#define UNLESS_LATE(text)	IN_WORLD("$", text)	/* nothing tells that a part of the tests had gone by */
#define UNLOOKED(text)		IN_WORLD("%", text)	/* or that the system's log was looked into */
#define EXITED(text)		IN_WORLD("&", text)	/* workers of a pool ended themselves, by their codes, */
#define UNLESS_EXITED(text)	IN_WORLD("'", text)	/* or nothing tells that */
#define OTHER_ARRAY(text)	IN_WORLD("(", text)	/* OpenMM's array that failed is none of PME's, */
#define UNLESS_OTHER_ARRAY(text)	IN_WORLD(")", text)	/* or may be */
#define FROM_CHECKPOINT(text)	IN_WORLD("*", text)	/* OpenMM was loading a checkpoint */
#define NO_TACTIC_LEFT(text)	IN_WORLD("+", text)	/* TensorRT says that it found no way to run a layer, */
#define UNLESS_NO_TACTIC(text)	IN_WORLD(",", text)	/* or does not */
#define OF_PICKLE(text)		IN_WORLD(".", text)	/* what is read is a pickle, */
#define OF_NO_PICKLE(text)	IN_WORLD("/", text)	/* or may be none */
#define GROWS_THERE(text)	IN_WORLD(":", text)	/* memory grows on a device, and not on the processor, */
#define UNLESS_THERE(text)	IN_WORLD(";", text)	/* or nothing tells that */
#define WITH_POOL(text)		IN_WORLD("<", text)	/* code has a pool's processes work on a list */
#define AT_ITS_END(text)	IN_WORLD("=", text)	/* it failed at the end, */
#define UNLESS_AT_END(text)	IN_WORLD(">", text)	/* or nothing tells that */
#define IN_PYTHON(text)		IN_WORLD("\016", text)	/* nothing tells that the program is in another language: Java, .NET, R */
#define IN_THEANO(text)		IN_WORLD("\017", text)	/* Theano was seen, and no other framework beneath Keras */
#define IN_EXLA(text)		IN_WORLD("\020", text)	/* Elixir's EXLA was */
#define UNLESS_LAYERED(text)	IN_WORLD("\021", text)	/* nothing tells that Darknet had made layers */
#define OF_PROGRAM(text)	IN_WORLD("\022", text)	/* the process that was to be made is another program's, */
#define OF_NO_PROGRAM(text)	IN_WORLD("\023", text)	/* or nothing tells that */
#define UNLESS_NUMBERS(text)	IN_WORLD("\024", text)	/* nothing tells that losses are kept as numbers, without their graph, */
#define AS_NUMBERS(text)	IN_WORLD("\025", text)	/* or something does */
#define UNLESS_LOOPED(text)	IN_WORLD("\026", text)	/* nothing tells that what ran before is an earlier round of the same loop */
#define UNTRIED(measure, text)	IN_WORLD(measure, text)	/* the report shows no such measure in use, or tried without help */

#define WITH_PROPOSALS(text)	IN_WORLD("{", text)	/* a network finds objects, whose number it makes itself */

/* What a layer's results grow with: of a run that fails with one sample, or with fewer, too, with
 * that one's size. */
#define OF_ONE_SAMPLE(text)	IN_WORLD("-", text)
#define WITH_SAMPLES		UNTRIED(BY_BATCH, "the samples at once and their size") OF_ONE_SAMPLE("the size of a sample")

/* What a sentence proposes, as a list of measures, of which those that the report shows so are left
 * out: TRY BY_BATCH "fewer samples" TRY BY_SAMPLES "smaller ones" TRY_FIRST "smaller samples"
 * TRY_END " take less". Behind TRY stands which measure it is, and behind TRY_FIRST how it is
 * called where those ahead of it are left out. Where none is left, that part of the sentence is not
 * said (autopsy_measures.c). */
#define TRY		"\004"
#define TRY_FIRST	"\005"
#define TRY_END		"\006"
#define BY_ANYTHING	"A"	/* what no report shows */
#define BY_BATCH	"B"	/* fewer samples in a batch */
#define BY_SAMPLES	"C"	/* smaller samples: fewer pixels, shorter ones */
#define BY_WORKERS	"D"	/* fewer processes of a loader, or none */
#define BY_PARTS	"E"	/* parts, one after the other: chunks of rays, points, texts */
#define BY_NO_GRAD	"F"	/* gradients that are off */
#define BY_BITS		"I"	/* 8 or fewer */
#define BY_OFFLOADING	"J"	/* a part of it in the machine's memory */
#define BY_DEVICES	"H"	/* more of them: weights are split among all that the run is given */
#define BY_SHARE	"G"	/* another share of a device that a server sets aside: several were tried */
#define BY_KERNEL	"K"	/* attention that stores no scores (xFormers, FlashAttention) */
#define BY_GROWTH	"L"	/* a framework that takes a device as it is needed, or so much of it */
#define BY_THREADS	"M"	/* fewer that work on frames at once, or one */
#define BY_TILES	"N"	/* of pictures */
#define BY_EMPTYING	"O"	/* a cache that is emptied, and what is let go of by hand */
#define BY_SEGMENTS	"P"	/* of PyTorch's allocator, that grow */
#define BY_ADAPTER	"Q"	/* in place of all weights */
#define BY_SWAP		"R"	/* more of it */
#define BY_ALONE	"S"	/* no other process on the device */
#define BY_EAGER	"T"	/* no CUDA graphs */
#define BY_FIXED	"U"	/* pictures that keep one size (Darknet's random=0) */
#define BY_SPLITTING	"V"	/* weights among devices (ZeRO's stage 3, FSDP) */
#define BY_SAVING	"W"	/* an adapter's weights by themselves, in a file */
#define BY_LIMIT	"X"	/* a larger limit of a language's own memory */
#define BY_DRIVER	"Y"	/* a newer one */
#define BY_SLEEP	"Z"	/* a server that lets go of the device while others have it */
#define BY_ROOM		"["	/* more of it in shared memory (/dev/shm) */
#define BY_MAPPING	"\\"	/* of a file, in place of reading it */
#define BY_LEAN		"]"	/* umap-learn's low_memory */
#define BY_CAP		"_"	/* on how many Gaussians there may be */
#define BY_INDEX	"^"	/* classes by their own numbers, in place of a number for each */

#endif
