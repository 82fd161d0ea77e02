/* A network, compiled and planned as commands do it. What fails ends the test, with the first
 * diagnostic. */
#ifndef STOWAGE_TESTS_PLANNED_H
#define STOWAGE_TESTS_PLANNED_H

#include <criterion/criterion.h>
#include <string.h>

#include "base/diag.h"
#include "ir/pass.h"
#include "lang/expand.h"
#include "passes/passes.h"
#include "spec_file.h"

/* The first network of SRC, in that arena with its diagnostics. LANG: NULL for none. */
static inline struct module *
planned_source(struct arena *a, struct source *src, const struct lang_options *lang, const struct pass_options *o)
{
	struct diags *d = ARENA_NEW(a, struct diags);
	struct spec *spec;

	diags_init(d, a);
	spec = spec_load(a, d, src, lang);
	cr_assert_eq(d->errors, 0, "%s", d->all.n ? d->all.v[0]->message : "");
	cr_assert(passes_run(spec->modules.v[0], o), "%s", d->all.n ? d->all.v[0]->message : "");
	return spec->modules.v[0];
}

static inline struct module *
planned_text(struct arena *a, const char *text, const struct pass_options *o)
{
	return planned_source(a, source_from_text(a, "net.nn", text, strlen(text)), NULL, o);
}

#endif
