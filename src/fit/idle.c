#include "fit/idle.h"

#include <stddef.h>

const struct idle_advice idle_advice[] = {
	{ "more or fewer loader workers", "they are processes of the machine", true },
	{ "pinned memory", "it is the machine's, locked for copies", true },
	{ "virtual memory, a larger swap file", "tensors on the device are not paged out", true },
	{ "compressed files, another file format", "a batch is decoded before it is copied", false },
	{ NULL, NULL, false }
};
