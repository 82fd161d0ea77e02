/* What people say, in their own words: none of it is told as a fact, since words are read without
 * what stands around them. */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "oom/oom_says.h"

const char *
autopsy_said(const struct autopsy *y, const struct said *s)
{
	return arena_printf(y->arena, "line %d says \"%s\"", s->line, visible_text(y->arena, s->words));
}

const char *
autopsy_told(const struct autopsy *y)
{
	const struct oom_told *t = &y->log.paste.told;
	const char *killed = !t->killed.line || (t->device && !t->by_system) || t->host ? NULL : strcmp(t->killed.words, t->said.words) == 0 ? "Where" :
	    arena_printf(y->arena, "And %s: where", autopsy_said(y, &t->killed));	/* the same words are not quoted again */

	return arena_printf(y->arena, "No program's message that is known here, but these words: \"%s\".%s", visible_text(y->arena, t->said.words), !killed ? "" :
	    arena_printf(y->arena, " %s the system ended that process, it was as a rule for want of the " MACHINES ".", killed));
}
