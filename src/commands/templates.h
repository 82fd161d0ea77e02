/* The specs of templates/, which src/emit/embed.sh turns into C: what stowage init begins with. */
#ifndef STOWAGE_COMMANDS_TEMPLATES_H
#define STOWAGE_COMMANDS_TEMPLATES_H

#include "base/embedded.h"

extern const struct embedded template_table[];	/* by name without ".nn"; ends with name NULL */

#endif
