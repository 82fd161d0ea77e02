/*
 * The loop of a scan while it is written: where its tensors are, and rows that are moved in and out
 * of a step.
 */
#ifndef STOWAGE_OPS_SCAN_LOOP_H
#define STOWAGE_OPS_SCAN_LOOP_H

#include "calls/emitter.h"
#include "ops/scan.h"

/* What goes from step to step. */
struct scan_store {
	const struct tensor *like;	/* of the step */
	const struct tensor *in;	/* the result that holds it, or NULL */
	int64_t at;		/* in scratch memory */
};

struct scan_stores {
	struct scan_store *v;
	int n;
	int64_t bytes;		/* of scratch memory in all */
};

struct scan_loop {
	struct emitter *e;
	const struct node *n;
	struct scan s;
	const struct rounds *r;
	struct scan_stores stores;
	int64_t base;		/* of the scratch memory */
	int64_t *place;		/* of the step's tensors */
	const char *t;		/* the step that it is at */
	const char *nth;	/* how many were before it, as it goes forward */
};

struct scan_loop	scan_loop(struct emitter *, const struct node *);
/* Where tensors of its rounds are, once these are others. */
void	scan_find_places(struct scan_loop *);
/* That output; NULL where there is none. */
struct tensor	*scan_result(const struct node *, int k);

/* A tensor of the step; NULL where it has no bytes, since nobody reads it. */
const char	*scan_inside(const struct scan_loop *, const struct tensor *);
/* What is stored I-th. */
const char	*scan_stored(const struct scan_loop *, int i);
/* One step of a sequence, or of what is made of all. */
const char	*scan_at_step(const struct scan_loop *, const struct tensor *all, int axis, const char *step);

/* Rows of N elements, so far apart. */
void	scan_move(const struct scan_loop *, const char *y, int64_t to, const char *x, int64_t from, const char *rows,
	    int64_t n);
void	scan_take_step(const struct scan_loop *, const struct tensor *t, const struct tensor *all);
void	scan_put_step(const struct scan_loop *, const struct tensor *all, const struct tensor *t);
/* All of a state, to where it lies whole. */
void	scan_move_state(const struct scan_loop *, const char *y, const char *x, const struct tensor *state);
/* The state before the first step, which all samples may begin with. */
void	scan_begin_state(const struct scan_loop *, const char *y, int j);
void	scan_clear(const struct scan_loop *, const char *y, const struct tensor *);

void	scan_open(struct scan_loop *, bool down);
void	scan_close(struct scan_loop *);

#endif
