/* Colours and hyperlinks, when. The variables are those of no-color.org, bixense.com/clicolors and
 * force-color.org. */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OLDEST_VTE	5000	/* the version of that widget which knows hyperlinks */

const char *
when_name(int i)
{
	static const char *const name[] = {
		[WHEN_AUTO] = "auto", [WHEN_ALWAYS] = "always", [WHEN_NEVER] = "never", NULL
	};

	return name[i];
}

static bool
is(const char *value, const char *word)
{
	return value && strcmp(value, word) == 0;
}

static bool
set(const char *value)
{
	return value && *value;
}

bool
terminal_colour(FILE *f, enum when when)
{
	const char *force = getenv("FORCE_COLOR"), *cli = getenv("CLICOLOR_FORCE");

	if (when != WHEN_AUTO)
		return when == WHEN_ALWAYS;
	if (set(getenv("NO_COLOR")))
		return false;
	if ((set(force) && !is(force, "0")) || (set(cli) && !is(cli, "0")))
		return true;
	return isatty(fileno(f)) && !is(getenv("TERM"), "dumb");
}

bool
terminal_links(FILE *f, enum when when, bool colour)
{
	const char *term = getenv("TERM"), *vte = getenv("VTE_VERSION");

	if (when != WHEN_AUTO)
		return when == WHEN_ALWAYS;
	return colour && isatty(fileno(f)) && set(term) && !is(term, "dumb") && !is(term, "linux") &&
	    !is(getenv("TERM_PROGRAM"), "Apple_Terminal") && (!set(vte) || atoi(vte) >= OLDEST_VTE);
}
