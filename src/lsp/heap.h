/*
 * Memory of the server outside of arenas. What jansson has no memory for it leaves out: an answer
 * without its parts, or none at all, for which an editor waits. So where there is none the server
 * says so and ends; editors begin another one. The same goes for a process of its own, whose
 * request is answered with an error.
 */
#ifndef STOWAGE_LSP_HEAP_H
#define STOWAGE_LSP_HEAP_H

#include <stddef.h>

void	*heap_get(size_t n);	/* for free(); never NULL */
char	*heap_copy(const char *);
_Noreturn void	heap_end(void);	/* there is no memory: status 2 */

#endif
