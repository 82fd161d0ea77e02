/*
 * Growing arrays in an arena: VEC(int) v = {0}; vec_push(a, &v, 7); v.v[0]; v.n. What an int cannot
 * count fails as memory does that cannot be had.
 */
#ifndef STOWAGE_BASE_VEC_H
#define STOWAGE_BASE_VEC_H

#include "base/arena.h"

#define VEC(type)	struct { type *v; int n, cap; }

/* Appends one item; evaluates its arguments more than once. */
#define vec_push(a, vec, item) do {							\
	if ((vec)->n == (vec)->cap) {							\
		int grown_ = arena_more((a), (vec)->cap);				\
		(vec)->v = arena_grow((a), (vec)->v, (size_t)(vec)->cap * sizeof(*(vec)->v),	\
		    (size_t)grown_ * sizeof(*(vec)->v));				\
		(vec)->cap = grown_;							\
	}										\
	(vec)->v[(vec)->n++] = (item);							\
} while (0)

#endif
