#include "fit/idle.h"

#include <stddef.h>

const struct idle_advice idle_advice[] = {
	{ "more or fewer loader workers", "they are processes of the machine" },
	{ "pinned memory", "it is the machine's, locked for copies" },
	{ "virtual memory, a larger swap file", "tensors on the device are not paged out" },
	{ "compressed files, another file format", "a batch is decoded before it is copied" },
	{ NULL, NULL }
};
