/* What the output terminal can show, and what the user wants it to. */
#ifndef STOWAGE_CLI_TERMINAL_H
#define STOWAGE_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

const char	*when_name(int i);	/* OPTION_CHOICE's words */

/* As the user says; else never where NO_COLOR is set, always where FORCE_COLOR or CLICOLOR_FORCE
 * is; else on a terminal that is not dumb. */
bool	terminal_colour(FILE *, enum when);

/* Hyperlinks: as the user says; else where output is coloured, on a terminal that is not known to
 * show their addresses as text. */
bool	terminal_links(FILE *, enum when, bool colour);

#endif
