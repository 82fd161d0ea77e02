/* Which memory people speak of. */
#ifndef STOWAGE_OOM_OOM_WHOSE_H
#define STOWAGE_OOM_OOM_WHOSE_H

#include <stdbool.h>

#include "oom/oom_lexicon.h"

#define TOLD_CARD	"gpu|gpus|card|cards|gpu0|gpu1|gpu2|gpu3"	/* a device, whose name has no other sense where it overflows than of its memory */

struct whose {			/* both false: it is not said, or both are named */
	bool device, host;	/* the device's memory, or the machine's, */
	bool sure;		/* and that by the name of the memory, or of a card on which it is said to fail */
};

/* By a sentence, or a clause of it. */
struct whose	oom_whose(struct talk);
/* "I have 64 GB of RAM and a GPU of 8 GB": does it say what there is, and not which of them ran
 * out? */
bool	oom_whose_lists_both(struct talk);
/* Does a line that says elsewhere that memory ran out name the machine's, more than to count it,
 * and no device? */
bool	oom_whose_ram(struct talk);
/* Does one of its sentences say that the machine's memory ended, and none that a device's did? */
bool	oom_whose_ram_ends(struct talk);
/* Does it say that the machine itself came to a halt? */
bool	oom_whose_halts_machine(struct talk);
/* Does it name a card? */
bool	oom_whose_names_card(struct talk);
/* Does it name the machine's memory? */
bool	oom_whose_names_ram(struct talk);
/* Does it call a device's memory RAM, "GPU RAM", and name the machine's not? */
bool	oom_whose_is_gpu_ram(struct talk);
/* Does it say that what it speaks of is not the GPU's memory? */
bool	oom_whose_is_not_gpus(struct talk);
/* May its "RAM" be that, as it names neither the machine nor its processor? */
bool	oom_whose_may_be_gpu_ram(struct talk);

#endif
