/*
 * What programs run on. A target is one record in one file of this folder, found by its definition
 * `const struct target target_NAME = {`.
 *
 * In:    nothing of a network: this folder knows devices, cards, and what a target can do.
 * Out:   struct target, which planner and operators ask for capabilities by name, so that none of
 *        them needs to know which targets there are.
 * A capability is a field here. A new target sets those it has; a new capability is a new field,
 * false for all that do not name it.
 */
#ifndef STOWAGE_TARGET_TARGET_H
#define STOWAGE_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "target/device.h"

/* What a program takes of its device beside the arena: an estimate, item by item. */
struct reserve {
	const char *what;
	int64_t bytes;
	int part;		/* not 0: and this part of the device's memory, 1 / part */
	bool loaded;		/* when steps first run, after the arena was taken */
	bool of_ranks;		/* only where several train together */
	bool reported;		/* already missing from what the table of cards says */
	/* not 0: what it takes of a card that is known, for each thread that may be on it at once,
	 * and beside that */
	int a_thread;
	int64_t beside;
};

struct recipe {			/* what a Makefile is written for */
	const char *program;	/* its name, without suffix */
	const char *spec;	/* where it comes from, safe within a comment */
	int arch;		/* compute capability of the spec's device; 0: not said */
	int64_t ranks;		/* processes that train together; 1: one alone */
	int64_t stages;		/* of a pipeline, each compiled by itself; 1: there are none */
	bool libraries;		/* products may be run by a library */
	bool convolves;		/* it has convolutions that a library may run */
};

/* The rules of a program of stages, from a source with that suffix: each stage is an object of its
 * own, and what they are linked with is compiled from the same text. COMPILE, LINK: the command up
 * to its files. */
void	recipe_put_stages(struct text *, const struct recipe *, const char *suffix, const char *compile, const char *link);

struct target {
	const char *name;	/* "c", "cuda" */
	const char *brief;
	const char *suffix;	/* of the source file: ".c", ".cu" */
	int alignment;		/* of every buffer, in bytes */
	const struct reserve *reserve;	/* ends with what NULL; NULL: nothing */

	/* what it can do */
	bool is_gpu;		/* its device is a card of target/gpu.h, with memory of its own */
	bool libraries;		/* products and convolutions are run by libraries, in workspaces whose
				 * size they are asked for, up to settings.workspace */
	bool splits_sums;	/* long sums are shared out to blocks of threads, each with a partial sum
				 * in a workspace; else each thread has scratch of its own to pack in */
	bool lands_batches;	/* the next batch arrives while a step works on another */
	bool concurrent;	/* nodes that do not wait for one another run at the same time */
	bool lists_calls;	/* one kernel can do all calls of a step, whose threads wait for one another in it */
	bool tensor_cores;	/* narrow convolutions are faster on images with channels last */
	bool sums_bias;		/* a product of weights' gradients can sum the bias' gradient too */
	int oldest_arch;	/* compute capability that its compiler still builds for; 0: any */

	/* the program */
	const char *needs;	/* to be built: "a compiler" */
	const char *ranks_by;	/* what several ranks reach one another by: "MPI"; NULL: its programs have one */
	const char *defines;	/* macros that its compiler defines, separated by blanks */
	const char *options;	/* macros that may be defined when the program is built */
	const char *prologue;	/* the file of kernels/ before kernel.h */
	const char *steps;	/* the file of kernels/ before the steps, or NULL */
	const char *feed;	/* the file of kernels/ that brings batches to the device, or NULL */
	const char *device;	/* the file of kernels/ that allocates, copies and checks */
	void (*makefile)(struct text *, const struct recipe *);
};

extern const struct target *const target_table[];	/* generated; sorted by name; ends with NULL */
extern const int target_count;
const struct target	*target_find(const char *name);	/* NULL when unknown */
const struct target	*target_default(void);		/* without a device that says more */
const struct target	*target_of_device(const struct device *);

/* Is MEMORY what the table of cards has for the device, which is what CUDA reports? */
bool		 device_is_listed(const struct device *, int64_t memory);
/* What comes off MEMORY for a program of so many ranks: nothing where that is the table's, which
 * has it without. */
int64_t	reserve_bytes(const struct reserve *, int64_t ranks, const struct device *, int64_t memory);
/* What one of so many ranks of a program for the target can have of its device's memory. */
int64_t	target_memory(const struct target *, int64_t ranks, const struct device *);

#endif
