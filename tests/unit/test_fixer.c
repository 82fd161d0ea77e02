/*
 * Fixing, where memory is short: a fix that says it is safe is kept only if it is known that the
 * graph stays as it is. open_memstream() is ours here, and fails.
 */
#include <criterion/criterion.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lint/fixer.h"

FILE *
open_memstream(char **text, size_t *size)
{
	*text = NULL;
	*size = 0;
	errno = ENOMEM;
	return NULL;
}

static struct checked *
check_again(struct arena *a, struct source *source, const void *context)
{
	struct checked *c = ARENA_NEW(a, struct checked);

	(void)context;
	c->source = source;
	c->spec = ARENA_NEW(a, struct spec);
	diags_init(&c->diags, a);
	return c;
}

/* What lint_fix() makes of a text with one finding. */
static struct fixed
fixed(struct arena *a, bool safe, struct diag **finding)
{
	struct source *src = source_from_text(a, "net.nn", "one two\n", 8);
	struct checked *first = check_again(a, src, NULL);
	struct fixer fixer = { .arena = a, .unsafe = true, .check = check_again };
	struct edits *e = edits_new(a, src);

	edits_add(e, 0, 3, "three");
	*finding = diag_add(&first->diags, SEV_WARNING, "dead-layer", (struct loc){ src, 0, 3 }, "x");
	diag_fix(&first->diags, *finding, safe, e, "write three");
	return lint_fix(&fixer, first);
}

Test(fixer, what_cannot_be_compared_is_not_safe)
{
	struct arena *a = arena_new();
	struct diag *finding;
	struct fixed f = fixed(a, true, &finding);

	cr_assert_eq(f.n, 0);
	cr_assert_str_eq(f.last->source->text, "one two\n");
	cr_assert_null(finding->fix);
	cr_assert(strstr(finding->remarks.v[finding->remarks.n - 1].text, "too little memory"));
	f = fixed(a, false, &finding);	/* nothing is to be compared */
	cr_assert_eq(f.n, 1);
	cr_assert_str_eq(f.last->source->text, "three two\n");
	arena_free(a);
}
