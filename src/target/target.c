/* Finding a target by its name or for a device, and what a target leaves of a device's memory. */
#include "target/target.h"

#include <assert.h>
#include <string.h>

#include "target/gpu.h"

const struct target *
target_find(const char *name)
{
	int i;

	for (i = 0; target_table[i]; i++)
		if (!strcmp(target_table[i]->name, name))
			return target_table[i];
	return NULL;
}

const struct target *
target_default(void)
{
	const struct target *t = target_find("c");

	assert(t);
	return t;
}

/* A GPU target where the device is a GPU that we know. */
const struct target *
target_of_device(const struct device *d)
{
	int i;

	for (i = 0; d->given && d->arch && target_table[i]; i++)
		if (target_table[i]->is_gpu)
			return target_table[i];
	return target_default();
}

bool
device_is_listed(const struct device *d, int64_t memory)
{
	const struct gpu *gpu = d->name ? gpu_find(d->name) : NULL;

	return gpu && gpu_memory(gpu) == memory;
}

int64_t
reserve_bytes(const struct reserve *r, int64_t ranks, const struct device *d, int64_t memory)
{
	const struct gpu *gpu = d->name ? gpu_find(d->name) : NULL;

	if (r->of_ranks && ranks <= 1)
		return 0;
	if (r->reported && device_is_listed(d, memory))
		return 0;
	if (r->a_thread && gpu && gpu->multiprocessors)
		return r->beside + (int64_t)r->a_thread * gpu->multiprocessors *
		    gpu_arch_find(gpu->arch)->threads;
	return r->bytes + (r->part ? (memory + r->part - 1) / r->part : 0);
}

int64_t
target_memory(const struct target *t, int64_t ranks, const struct device *d)
{
	const struct reserve *r;
	int64_t left = d->memory;

	for (r = t->reserve; r && r->what; r++)
		left -= reserve_bytes(r, ranks, d, d->memory);
	return left > 0 ? left : 0;
}
