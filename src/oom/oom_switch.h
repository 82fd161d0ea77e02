/*
 * Switches of libraries that make a run take less, where a line of settings, of code or of a
 * command has one that is off: of each kind the first line. Whether it is of what failed no line
 * tells.
 */
#ifndef STOWAGE_OOM_OOM_SWITCH_H
#define STOWAGE_OOM_OOM_SWITCH_H

#include "oom/oom_knob.h"

enum oom_switch {
	SWITCH_BITS,		/* weights in 8 bits or fewer */
	SWITCH_ADAM,		/* an optimizer whose numbers have 8 bits */
	SWITCH_OFFLOADS,	/* weights that wait in the machine's memory for their turn */
	SWITCH_TILES,		/* an autoencoder of images that goes over tiles or slices */
	SWITCH_KERNEL,		/* attention that stores no scores */
	SWITCH_FILES,		/* what was made of samples ahead of training lies in files */
	SWITCHES
};

/* Line LINE of the log: a switch, with its value, is kept. */
void	oom_switch_line(struct oom_knob[SWITCHES], struct talk, int line, enum oom_source);

#endif
