/*
 * Graphics cards by name: what a device section's `name` and --device mean.
 */
#ifndef STOWAGE_LANG_DEVICES_H
#define STOWAGE_LANG_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

struct gpu {
	const char *name;
	int arch;	/* compute capability times ten: 86 for sm_86 */
	int mib;	/* memory */
	bool nominal;	/* mib is the size on the box, not what the driver was seen to report */
	int multiprocessors;	/* 0: of a card that is too old to be built for */
};

extern const struct gpu gpu_table[];	/* ends with name NULL */

/* "GeForce RTX 3090", "rtx3090" and "RTX 3090" are one card. NULL when unknown. */
const struct gpu	*gpu_find(const char *name);
/* The cards a name that gpu_find() does not know may mean, best first; how many, at most MOST. */
int	gpu_suggest(const char *name, const struct gpu **out, int most);
/* Is there such a compute capability? The list is for people: "sm_35, sm_37, ...". */
bool	arch_known(int arch);
void	arch_list(char *buf, int size);
int	arch_threads(int arch);		/* of a multiprocessor, at most */
int64_t	gpu_memory(const struct gpu *);	/* bytes */

/* bfloat16 arithmetic came with Ampere, and TensorFloat-32 with it. */
#define ARCH_BF16	80

#endif
