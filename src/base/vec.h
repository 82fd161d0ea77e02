/*
 * Growing arrays in an arena: VEC(int) v = {0}; vec_push(a, &v, 7); v.v[0]; v.n. What an int cannot
 * count fails as memory does that cannot be had.
 */
#ifndef STOWAGE_BASE_VEC_H
#define STOWAGE_BASE_VEC_H

#include "base/arena.h"

#define VEC(type)	struct { type *v; int n, cap; }

#define VEC_PUSH(a, vec, item, grow) do {						\
	if ((vec)->n == (vec)->cap) {							\
		int grown_ = arena_more((a), (vec)->cap);				\
		(vec)->v = (grow)((a), (vec)->v, (size_t)(vec)->cap * sizeof(*(vec)->v),	\
		    (size_t)grown_ * sizeof(*(vec)->v));				\
		(vec)->cap = grown_;							\
	}										\
	(vec)->v[(vec)->n++] = (item);							\
} while (0)

/* Appends one item; evaluates its arguments more than once. */
#define vec_push(a, vec, item)		VEC_PUSH(a, vec, item, arena_grow)
/* The same where nothing points to items while it grows: the old ones of a long array are given
 * up. */
#define vec_push_moving(a, vec, item)	VEC_PUSH(a, vec, item, arena_regrow)

#endif
