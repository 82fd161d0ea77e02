/* What single lines decide of a run, whatever else was read of it (oom_decided.c). */
#ifndef STOWAGE_OOM_OOM_DECIDED_H
#define STOWAGE_OOM_OOM_DECIDED_H

#include <stdbool.h>
#include <stdint.h>

#include "oom/oom_lexicon.h"
#include "oom/oom_source.h"

struct oom_decided {		/* the last line, from 1, by which it is so; 0: none says it */
	int log_read;		/* people looked into the system's log, and found it there */
	int exited;		/* workers of a pool ended by themselves, with a code of their own, */
	bool by_signal;		/* or some of them by a signal, on that line */
	int on_processor;	/* a setting, or a command, has it run on the processor */
	int writes;		/* it trains a model of language by rewards, and no agent in an environment */
	int other_array;	/* OpenMM's array that failed is none of PME's, by its name */
	int checkpoint;		/* OpenMM loads a checkpoint */
	int pool, mapped;	/* code makes a pool of processes, and has it work on a list */
	int computes;		/* a line of a traceback makes an array anew by arithmetic on itself */
	int ran;		/* a program that draws was done with what it was asked for before */
	int factors;		/* and one that decomposes or inverts a matrix */
	int proposes;		/* a network finds objects, whose number it makes itself */
	int unpickles;		/* a pickle is read, which is made into its objects as a whole */
	int negative;		/* an extent is less than 0 */
	int no_tactic;		/* TensorRT found no way to run a layer */
	int now;		/* people tell that it is for want of memory now, where another error came before */
	int example;		/* a sentence asks for something, for which the next line is an example */
	int histories;		/* a line of a traceback is of an optimizer that keeps a history: L-BFGS */
	int one_size;		/* data are named whose samples all have one size: MNIST, CIFAR */
	int guarded;		/* a library's function that runs networks with gradients off is called */
	int exla;		/* Elixir's EXLA runs it */
	int layered;		/* Darknet lists a layer that it made, behind its first */
	int starts;		/* a line of a traceback is of Python's subprocess, which starts programs */
	int timeout;		/* gunicorn ends a worker that did not answer in its time */
	int64_t free;		/* bytes of the machine that were free, by /proc/meminfo, */
	int free_line;		/* and that line */
};

void	oom_decided_line(struct oom_decided *, struct talk, int line, enum oom_source);

#endif
