/*
 * One arena per compilation. Everything a compilation makes lives in its arena and is freed with
 * it, never singly (the pool of QBE), so no pointer inside a compilation has an owner to track.
 *
 * Memory comes zeroed and aligned to 8 bytes, as much as any of our types needs. An allocation
 * never returns NULL: when the system has no more, control jumps to the handler set with
 * arena_on_failure(), which reports and ends the compilation. Without a handler the process aborts.
 */
#ifndef STOWAGE_BASE_ARENA_H
#define STOWAGE_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena	*arena_new(void);	/* NULL if even the first block cannot be allocated */
void		 arena_free(struct arena *);
/* Forgets all that was allocated, the handler, and children: as new, but with memory at hand. */
void		 arena_reset(struct arena *);
/* For scratch work inside a compilation: fails as its parent does, and is freed with it unless
 * arena_free() comes first. */
struct arena	*arena_child(struct arena *parent);
void		 arena_on_failure(struct arena *, jmp_buf *);

void	*arena_alloc(struct arena *, size_t bytes);
void	*arena_array(struct arena *, size_t count, size_t bytes);	/* overflow-checked */
void	*arena_grow(struct arena *, void *old, size_t old_bytes, size_t new_bytes);
/* The same for bytes that nothing else points to: a large OLD is given up, and its pages move
 * instead of being copied. What is new is not zeroed. */
void	*arena_regrow(struct arena *, void *old, size_t old_bytes, size_t new_bytes);
/* The room that an array with room for CAP items grows to: twice that; fails where it is no int. */
int	 arena_more(struct arena *, int cap);
char	*arena_strdup(struct arena *, const char *);
char	*arena_strndup(struct arena *, const char *, size_t);
char	*arena_join(struct arena *, const char *x, const char *between, const char *y);
char	*arena_printf(struct arena *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char	*arena_vprintf(struct arena *, const char *fmt, va_list);

#define ARENA_NEW(a, type)	((type *)arena_alloc((a), sizeof(type)))

#endif
