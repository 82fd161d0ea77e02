/*
 * Graphics cards: the one table of them, and their names as people write them in a device section's
 * `name` and behind --device.
 */
#ifndef STOWAGE_TARGET_GPU_H
#define STOWAGE_TARGET_GPU_H

#include <stdbool.h>
#include <stdint.h>

struct gpu {
	const char *name;
	int arch;		/* compute capability times ten: 86 for sm_86 */
	int mib;		/* memory that CUDA reports */
	int multiprocessors;	/* 0: of a card that is too old to be built for */
	int l2_mib;		/* L2 cache; 0: not known */
	int gb_s;		/* of memory: 10^9 bytes a second */
	int mhz;		/* boost clock; of an H100, that of its tensor cores */
	int products;		/* of 16 bits, summed in f32, that a multiprocessor's tensor cores do in a clock */
};

extern const struct gpu gpu_table[];	/* ends with name NULL */

/* "GeForce RTX 3090", "rtx3090" and "RTX 3090" are one card, and so are "NVIDIA H100 80GB HBM3", as
 * the driver says, and "H100". NULL when unknown. */
const struct gpu	*gpu_find(const char *name);
/* The cards a name that gpu_find() does not know may mean, best first; how many, at most MOST. */
int	gpu_suggest(const char *name, const struct gpu **out, int most);
int64_t	gpu_memory(const struct gpu *);	/* bytes */

struct gpu_arch {		/* limits of a compute capability */
	int arch;
	int threads;		/* of a multiprocessor */
	int blocks;		/* of a multiprocessor; 0: not known */
	int shared;		/* bytes of shared memory that a block may opt in to; 0: not known */
	int products;		/* of f32 that a multiprocessor adds in a clock */
	/* cuDNN has convolutions for it that add up the channels of what they make, and need not be
	 * compiled first */
	bool conv_sums;
	/* 10^9 bytes a second each way, of the fastest link to others with which cards of it are
	 * sold: NVLink, where a card has it, else 16 lanes of PCI Express (NVIDIA's data sheets);
	 * 0: not known */
	int link;
};

/* NULL: there is no such compute capability. */
const struct gpu_arch	*gpu_arch_find(int arch);
/* All of them for people: "sm_35, sm_37, ...". */
void	gpu_arch_list(char *buf, int size);

#endif
