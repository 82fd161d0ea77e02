/* The maps of specs/, which the program carries along as it does std/: they are found wherever it
 * is installed. */
#include "export/shipped.h"

#include <string.h>

char *
shipped_map(struct arena *a, const char *network, const char *word)
{
	const char *name = arena_join(a, network, ".", word);
	const struct embedded *e = shipped_table;

	while (e->name && strcmp(e->name, name) != 0)
		e++;
	return e->name ? arena_strdup(a, e->text) : NULL;
}

static void
list_one(struct text *t, const char *from, size_t n)
{
	if (t->n > 0)
		text_puts(t, ", ");
	text_add(t, from, n);
}

const char *
shipped_list(struct arena *a, const char *network)
{
	const struct embedded *e, *last = NULL;
	struct text t;

	text_init(&t, a);
	text_puts(&t, "");
	for (e = shipped_table; e->name; e++) {
		size_t n = strcspn(e->name, ".");

		if (!network && (!last || strncmp(e->name, last->name, n + 1) != 0))
			list_one(&t, e->name, n);
		else if (network && strlen(network) == n && strncmp(e->name, network, n) == 0)
			list_one(&t, e->name + n + 1, strlen(e->name + n + 1));
		last = e;
	}
	return t.s;
}
