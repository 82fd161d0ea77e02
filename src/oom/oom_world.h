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

#define WORLD_BEGINS	'\002'
#define WORLD_ENDS	'\003'
#define IN_WORLD(mark, text)	"\002" mark text "\003"

#define IN_TORCH(text)		IN_WORLD("t", text)	/* PyTorch was seen, */
#define OUT_OF_TORCH(text)	IN_WORLD("o", text)	/* or was not; */
#define IN_KERAS(text)		IN_WORLD("k", text)	/* TensorFlow or Keras was, */
#define MAYBE_KERAS(text)	IN_WORLD("m", text)	/* that was, or JAX was not */
#define MAYBE_JAX(text)		IN_WORLD("j", text)	/* JAX was, or no other framework */
#define IN_TRAINING(text)	IN_WORLD("n", text)	/* it may be training, as nothing tells that it only serves */
#define WITH_GRADIENTS(text)	IN_WORLD("g", text)	/* PyTorch was seen, and torch.no_grad() was not */
#define WITH_LOADER(text)	IN_WORLD("l", text)	/* there may be a loader's processes */
#define WITH_DEVICE(text)	IN_WORLD("d", text)	/* a GPU was named */
#define WITH_DISPLAY(text)	IN_WORLD("s", text)	/* a display may be on the device */
#define WITH_GATHERING(text)	IN_WORLD("p", text)	/* PyTorch's DataParallel may be what has several devices */
#define UNTRIED(measure, text)	IN_WORLD(measure, text)	/* the report shows no such measure in use, or tried without help */

/* What a sentence proposes, as a list of measures, of which those that the report shows so are left
 * out: TRY BY_BATCH "fewer samples" TRY BY_SAMPLES "smaller ones" TRY_FIRST "smaller samples"
 * TRY_END " take less". Behind TRY stands which measure it is, and behind TRY_FIRST how it is
 * called where those ahead of it are left out. Where none is left, that part of the sentence is not
 * said (autopsy_measures.c). */
#define TRY		"\004"
#define TRY_FIRST	"\005"
#define TRY_END		"\006"
#define BY_ANYTHING	"A"	/* MEASURE_NONE; the others follow as in enum measure */
#define BY_BATCH	"B"
#define BY_SAMPLES	"C"
#define BY_WORKERS	"D"
#define BY_PARTS	"E"
#define BY_NO_GRAD	"F"
#define BY_CHECKPOINTS	"G"
#define BY_HALF		"H"
#define BY_BITS		"I"
#define BY_OFFLOADING	"J"
#define BY_ATTENTION	"K"
#define BY_GROWTH	"L"
#define BY_LOWVRAM	"M"
#define BY_TILES	"N"
#define BY_EMPTYING	"O"
#define BY_SEGMENTS	"P"
#define BY_ADAPTER	"Q"
#define BY_SWAP		"R"
#define BY_ALONE	"S"
#define BY_EAGER	"T"
#define BY_FIXED	"U"

#endif
