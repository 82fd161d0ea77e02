/*
 * What is done against too little memory, and what people say of it: whether a report shows that a
 * measure is in use already, at its least, or was tried and did not help. What proposes it to a
 * reader who has it is no help, so that it is decided here, once, for all that is proposed.
 *
 * What is asked, planned, or said to have helped is none of that.
 */
#ifndef STOWAGE_OOM_OOM_MEASURES_H
#define STOWAGE_OOM_OOM_MEASURES_H

#include <stdbool.h>
#include <stdint.h>

#include "oom/oom_lexicon.h"
#include "oom/oom_source.h"

enum measure {
	MEASURE_NONE,		/* what no report shows */
	MEASURE_BATCH,		/* fewer samples in a batch */
	MEASURE_SMALLER,	/* smaller samples: fewer pixels, shorter ones */
	MEASURE_WORKERS,	/* fewer processes of a loader, or none */
	MEASURE_PARTS,		/* parts, one after the other: chunks of rays, points, texts */
	MEASURE_NO_GRAD,	/* gradients that are off */
	MEASURE_CHECKPOINTS,	/* gradient checkpointing */
	MEASURE_HALF,		/* 16 bits a number */
	MEASURE_BITS,		/* 8 or fewer */
	MEASURE_OFFLOAD,	/* a part of it in the machine's memory */
	MEASURE_ATTENTION,	/* that does not store its scores */
	MEASURE_GROWTH,		/* a framework that takes a device as it is needed, or so much of it */
	MEASURE_LOWVRAM,	/* a program's own mode for small devices */
	MEASURE_TILES,		/* of pictures */
	MEASURE_EMPTY,		/* a cache that is emptied, and what is let go of by hand */
	MEASURE_SEGMENTS,	/* of PyTorch's allocator, that grow */
	MEASURE_ADAPTER,	/* in place of all weights */
	MEASURE_SWAP,		/* more of it */
	MEASURE_ALONE,		/* no other process on the device */
	MEASURE_EAGER,		/* no CUDA graphs */
	MEASURE_FIXED,		/* pictures that keep one size (Darknet's random=0) */
	MEASURES
};

#define MEASURE_BIT(measure)	((uint32_t)1 << (measure))

struct oom_measures {
	int line[MEASURES];	/* the first that shows it, from 1; 0: none does */
	int several;		/* a line of code or settings with a batch of more than one */
	int list;		/* the line of a sentence that a list of what was tried follows, or of the last item of it */
};

/* Does a sentence say that what it names was tried, and did not help? */
bool	oom_measures_in_vain(struct talk sentence);

/* Line LINE of the log. */
void	oom_measures_line(struct oom_measures *, struct talk, int line, enum oom_source, bool traced);

#endif
