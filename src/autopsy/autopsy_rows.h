/*
 * What it may be by words, as a table: which signs a row needs, and what it leads to. The first row
 * counts whose signs are all there (autopsy_likely.c).
 */
#ifndef STOWAGE_AUTOPSY_AUTOPSY_ROWS_H
#define STOWAGE_AUTOPSY_AUTOPSY_ROWS_H

#include <stdint.h>

#define NEEDS(n)	((uint64_t)1 << (n))
#define NEEDS_HOST	NEEDS(0)	/* the machine's memory */
#define NEEDS_TORCH	NEEDS(1)
#define NEEDS_EVALUATES	NEEDS(2)	/* people speak of validation or tests, */
#define NEEDS_LATE	NEEDS(3)	/* of a failure after a time, */
#define NEEDS_INFERS	NEEDS(4)	/* of inference, or of what is given to it, */
#define NEEDS_LOADS	NEEDS(5)	/* of what is loaded, */
#define NEEDS_METRICS	NEEDS(6)	/* of transformers' evaluation, which switches gradients off by itself, */
#define NEEDS_DATA	NEEDS(7)	/* of the data set, and not of a device, */
#define NEEDS_PROCESSOR	NEEDS(8)	/* of the processor, */
#define NEEDS_GROWS	NEEDS(9)	/* of memory that grows, */
#define NEEDS_REPLAY	NEEDS(10)	/* of a memory of what was seen, */
#define NEEDS_RESUMES	NEEDS(11)	/* of a run that goes on from a file, */
#define NEEDS_DARKNET	NEEDS(12)	/* of Darknet's settings, */
#define NEEDS_TAKES_ALL	NEEDS(13)	/* of a device that is full, and of TensorFlow or JAX, */
#define NEEDS_GRAPH	NEEDS(14)	/* of a graph with nodes, */
#define NEEDS_SHUFFLE	NEEDS(15)	/* of a buffer of shuffled samples, */
#define NEEDS_WORKERS	NEEDS(16)	/* of a loader's processes, */
#define NEEDS_AGENT	NEEDS(17)	/* of an agent and its episodes, */
#define NEEDS_UPDATE	NEEDS(18)	/* of the optimizer's step, */
#define NEEDS_SPLATS	NEEDS(19)	/* or of Gaussians that are rendered */
#define NEEDS_DRIVER	NEEDS(20)	/* the driver refused so many bytes, as TensorFlow and JAX tell it */
#define NEEDS_LIBRARY	NEEDS(21)	/* a library of CUDA has a code for it */
#define NEEDS_POOL	NEEDS(22)	/* of a framework that takes a device at once, and is not told not to */
#define NEEDS_WORDS	NEEDS(23)	/* no program's message is there */
#define NEEDS_SINGLE	NEEDS(24)	/* people tell that one of several devices alone is used */
#define NEEDS_STRANGER	NEEDS(25)	/* people tell of a program, and of nothing that a network has */
#define NEEDS_AGAIN	NEEDS(26)	/* people speak of what is run once more, */
#define NEEDS_TRIALS	NEEDS(27)	/* of several runs, as a search makes */
#define NEEDS_LONG	NEEDS(28)	/* people speak of films, recordings or texts that are long */
#define NEEDS_SECOND	NEEDS(29)	/* the first step ran, and the second did not */
#define NEEDS_ADAM	NEEDS(30)	/* of Adam, with which it fails, and SGD, with which it does not */
#define NEEDS_LARGE	NEEDS(31)	/* of pictures that are large */
#define NEEDS_SESSION	NEEDS(32)	/* TensorFlow's sessions are run */
#define NEEDS_SAVES	NEEDS(33)	/* of weights that are saved */
#define NEEDS_DECODES	NEEDS(34)	/* of the decoder of an autoencoder of images */
#define NEEDS_VECTORS	NEEDS(35)	/* of words' vectors */
#define NEEDS_FALLS	NEEDS(36)	/* that falls as an epoch ends */
#define NEEDS_UNDER_WAY	NEEDS(37)	/* a framework's own allocator was refused, and the driver after it */
#define NEEDS_RETAINS	NEEDS(38)	/* people speak of a graph that backward is told to keep, */
#define NEEDS_FIRST	NEEDS(39)	/* of the first of several devices, which has more than the others, */
#define NEEDS_UNFREEZES	NEEDS(40)	/* or of layers that are unfrozen */
#define NEEDS_VOCABULARY	NEEDS(41)	/* of a large vocabulary */
#define NEEDS_STAYS	NEEDS(42)	/* of memory that stays taken when a run was stopped */
#define NEEDS_COLLECTED	NEEDS(43)	/* of a library of a language whose collector frees tensors */
#define NEEDS_CARD	NEEDS(44)	/* of a device that has little */
#define NEEDS_CLOUD	NEEDS(45)	/* of points of a cloud */
#define NEEDS_HOOK	NEEDS(46)	/* of a hook that gets what all steps of an epoch returned */
#define NEEDS_MODELS	NEEDS(47)	/* of several models at once */
#define NEEDS_CONVERTS	NEEDS(48)	/* of a network that is put into another form */
#define NEEDS_CODES	NEEDS(49)	/* of classes that are coded, a number for each */
#define NEEDS_ADAPTER	NEEDS(50)	/* of an adapter that is trained (LoRA) */
#define NEEDS_SHAPES	NEEDS(51)	/* of inputs whose shapes vary */
#define NEEDS_CLASSES	NEEDS(52)	/* of many classes */
#define NEEDS_FREE	NEEDS(53)	/* of a device that is free */
#define NEEDS_PEAK	NEEDS(54)	/* of memory that is highest at the start */
#define NEEDS_BOXES	NEEDS(55)	/* of pictures with many objects */
#define NEEDS_PENALTY	NEEDS(56)	/* of a gradient penalty */
#define NEEDS_SHARED	NEEDS(57)	/* of others that use the device */
#define NEEDS_LOSS	NEEDS(58)	/* of a failure where the loss is computed */
#define NEEDS_FULL	NEEDS(59)	/* of all of a model's weights that are trained */
#define NEEDS_RISES	NEEDS(60)	/* of memory that grows in validation or tests */
#define NEEDS_COPIES	NEEDS(61)	/* of data that each process has a copy of */
#define NEEDS_OUTLASTS	NEEDS(62)	/* of a card with more memory, on which it went on for longer */
#define SIGNS		63
#define MOST_LIKELY	6

struct row {
	uint64_t needs;
	const char *where;	/* what a line's words may mean; NULL: the row rests on the failing message */
	struct {
		const char *cause, *shows;	/* the first is marked as a whole where the item is of one world (oom_world.h) */
	} item[MOST_LIKELY];
};

extern const struct row autopsy_rows[];	/* the last needs nothing, and has nothing */

#endif
