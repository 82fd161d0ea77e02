/*
 * Of the Makefiles that are written beside programs, what those of several targets have alike.
 */
#include "target/target.h"

void
recipe_put_stages(struct text *t, const struct recipe *r, const char *suffix, const char *compile, const char *link)
{
	int64_t k;

	text_puts(t, "STAGES =");
	for (k = 0; k < r->stages; k++)
		text_printf(t, " $(PROGRAM)$(SUFFIX).%lld.o", (long long)k);
	text_printf(t, "\n\n$(PROGRAM)$(SUFFIX): $(PROGRAM).%s $(STAGES)\n\t%s -o $@ $^ $(LIBS)\n\n"
	    "$(STAGES): $(PROGRAM)$(SUFFIX).%%.o: $(PROGRAM).%s\n\t%s -DSTAGE=$* -c -o $@ $<\n\n", suffix, link, suffix, compile);
}
