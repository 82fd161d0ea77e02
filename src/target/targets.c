/* The targets, finding one by name, and what they leave of a device. */
#include <string.h>

#include "calls/emitter.h"
#include "target/devices.h"

extern const struct target target_c, target_cuda;

const struct target *const target_table[] = { &target_c, &target_cuda, NULL };

const struct target *
target_find(const char *name)
{
	int i;

	for (i = 0; target_table[i]; i++)
		if (!strcmp(target_table[i]->name, name))
			return target_table[i];
	return NULL;
}

int64_t
reserve_bytes(const struct reserve *r, const struct device *d, int64_t memory)
{
	const struct gpu *gpu = d->name ? gpu_find(d->name) : NULL;

	if (r->reported && gpu && !gpu->nominal && gpu_memory(gpu) == memory)
		return 0;
	if (r->a_thread && gpu && gpu->multiprocessors)
		return r->beside + (int64_t)r->a_thread * gpu->multiprocessors * arch_threads(gpu->arch);
	return r->bytes;
}

int64_t
target_memory(const struct target *t, const struct device *d)
{
	const struct reserve *r;
	int64_t left = d->memory;

	for (r = t->reserve; r && r->what; r++)
		left -= reserve_bytes(r, d, d->memory);
	return left > 0 ? left : 0;
}
