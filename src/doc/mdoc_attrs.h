/* Attributes as a list of mdoc(7), for the manuals of operators and of data readers. */
#ifndef STOWAGE_DOC_MDOC_ATTRS_H
#define STOWAGE_DOC_MDOC_ATTRS_H

#include "doc/mdoc.h"
#include "ops/usage.h"

/* A may be NULL: there are none. */
static inline void
mdoc_attrs(struct arena *arena, const struct attr_spec *a)
{
	struct text t;

	if (!a || !a->name)
		return;
	printf(".Bl -tag -width 12n -offset indent\n");
	for (; a->name; a++) {
		printf(".It Fa %s\n", a->name);
		text_init(&t, arena);
		op_attr_usage(&t, a);
		mdoc_text(t.s);
	}
	printf(".El\n");
}

#endif
