/*
 * Settings of libraries that bound how much is given at once, and that people name, too, as a
 * rule: of each kind the first line that names one. What it is set to, and whether it is of what
 * failed, no name tells.
 */
#ifndef STOWAGE_OOM_OOM_KNOB_H
#define STOWAGE_OOM_OOM_KNOB_H

#include <stdbool.h>

#include "oom/oom_lexicon.h"
#include "oom/oom_source.h"

#define KNOB_NAME	40

enum oom_knob_kind {
	KNOB_POINTS,		/* of a grid over a picture, as Segment Anything has one */
	KNOB_PIXELS,		/* that are left of a picture, which is cut into patches */
	KNOB_PARTS,		/* in which a picture or volume is gone over */
	KNOB_TILE,		/* its size */
	KNOB_RAYS,		/* that are computed at once */
	KNOB_VOXEL,		/* a side of it */
	KNOB_CLOUD,		/* points that are kept */
	KNOB_PIECE,		/* of a recording */
	KNOB_TOKENS,		/* of a batch, or a waveform's samples in it */
	KNOB_LASTS,		/* how long one may be that is trained on */
	KNOB_RETURNS,		/* how many texts are generated at once for each that is given */
	KNOB_CONTEXT,		/* of a text, for which a program sets keys and values aside */
	KNOB_SPLIT,		/* what of each device weights may take */
	KNOB_PRESERVED,		/* what of the device a program that makes videos leaves free of weights */
	KNOB_DPO,		/* of a model that learns from pairs of texts, beside a reference */
	KNOB_ACTORS,		/* of several models that learn from feedback */
	KNOB_THREADS,		/* that work on a film's frames at once */
	KNOB_ADAPTERS,		/* that a server has room for */
	KNOB_FRAMES,		/* of a film that a sample of training has */
	KNOB_LENGTH,		/* of a text, in a sentence */
	KNOBS
};

struct oom_knob {
	int line;		/* from 1; 0: there is none */
	char name[KNOB_NAME];
};

/* Keeps the name that stands from S to END. */
void	oom_knob_keep(struct oom_knob *, const char *s, const char *end, int line);
/* Line LINE of the log. */
void	oom_knob_line(struct oom_knob[KNOBS], struct talk, int line, enum oom_source, bool traced);

#endif
