/*
 * Marks of what holds in some worlds alone: of a framework, of training, of a loader's processes.
 * They stand around a text, or a part of one, wherever sentences are written; autopsy_worded()
 * leaves out what is of another world than the run's, and where all of a text is, nothing is left
 * of it. They may stand within one another.
 */
#ifndef STOWAGE_AUTOPSY_AUTOPSY_WORLD_H
#define STOWAGE_AUTOPSY_AUTOPSY_WORLD_H

/* The program that lists who has a device: that of the device's maker is put in its place. */
#define LISTER		"\001"	/* no log's words have these signs: they are made visible */

#define WORLD_BEGINS	'\002'
#define WORLD_ENDS	'\003'
#define IN_WORLD(mark, text)	"\002" mark text "\003"

#define IN_TORCH(text)		IN_WORLD("t", text)	/* PyTorch was seen, */
#define OUT_OF_TORCH(text)	IN_WORLD("o", text)	/* or was not; */
#define IN_KERAS(text)		IN_WORLD("k", text)	/* TensorFlow or Keras was, */
#define MAYBE_JAX(text)		IN_WORLD("j", text)	/* JAX was, or no other framework */
#define IN_TRAINING(text)	IN_WORLD("n", text)	/* it may be training, as nothing tells that it only serves */
#define WITH_GRADIENTS(text)	IN_WORLD("g", text)	/* PyTorch was seen, and torch.no_grad() was not */
#define WITH_LOADER(text)	IN_WORLD("l", text)	/* there may be a loader's processes */
#define WITH_DEVICE(text)	IN_WORLD("d", text)	/* a GPU was named */
#define WITH_DISPLAY(text)	IN_WORLD("s", text)	/* a display may be on the device */
#define WITH_GATHERING(text)	IN_WORLD("p", text)	/* PyTorch's DataParallel may be what has several devices */

#endif
