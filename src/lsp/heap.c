/* Memory outside of arenas. */
#include "lsp/heap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
heap_end(void)
{
	static const char message[] = "stowage: out of memory\n";

	if (write(STDERR_FILENO, message, strlen(message)) < 0)
		_exit(2);
	_exit(2);
}

void *
heap_get(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		heap_end();
	return p;
}

char *
heap_copy(const char *text)
{
	size_t n = strlen(text) + 1;

	return memcpy(heap_get(n), text, n);
}
