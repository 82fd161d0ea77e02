/*
 * The sub-commands: one file each, one struct command each (cli/options.h), listed in main.c.
 */
#ifndef STOWAGE_COMMANDS_COMMANDS_H
#define STOWAGE_COMMANDS_COMMANDS_H

#include "cli/options.h"

extern const struct command command_lint, command_fmt, command_init, command_plan, command_fit,
    command_autopsy, command_emit, command_build, command_import, command_export, command_explain, command_lsp,
    command_completion;

extern const struct command *const command_table[];	/* all of them; ends with NULL (main.c) */

#endif
