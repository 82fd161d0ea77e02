/*
 * What a process had that the kernel ended: its own pages, those of files and those that it shares.
 */
#include "oom/oom_had.h"

#include "base/print.h"
#include "base/text.h"

#define MUCH_SHARED	((int64_t)1 << 30)

bool
oom_has_files(const struct oom_message *o)
{
	const struct oom_size *own = &o->size[OOM_ALLOCATED], *files = &o->size[OOM_FILES];

	return o->kind == OOM_KERNEL && own->known && files->known && files->bytes > 0 && files->bytes >= own->bytes / 4;
}

const char *
oom_process_had(struct arena *a, const struct oom_message *o)
{
	int64_t own = o->size[OOM_ALLOCATED].bytes, files = o->size[OOM_FILES].bytes, shared = o->size[OOM_SHARED].known ? o->size[OOM_SHARED].bytes : 0;
	char all[SIZE_TEXT], human[SIZE_TEXT], of_files[SIZE_TEXT], of_all[SIZE_TEXT];

	if (!o->size[OOM_ALLOCATED].known)
		return "";
	size_human(human, own);
	size_human(of_all, shared);
	if (oom_has_files(o))
		return arena_printf(a, "; it had %s: %s of its own (anon-rss)%s%s of files (file-rss)%s%s%s", size_human(all, own + files + shared), human, shared > 0 ? ", " : " and ", size_human(of_files, files),
		    shared > 0 ? " and " : "", shared > 0 ? of_all : "", shared > 0 ? " that processes share (shmem-rss)" : "");
	return arena_printf(a, "; it had %s%s%s%s%s", human, o->size[OOM_FILES].known ? " of its own" : "", shared < MUCH_SHARED || shared < own / 4 ? "" : ", and ", shared < MUCH_SHARED || shared < own / 4 ? "" : of_all,
	    shared < MUCH_SHARED || shared < own / 4 ? "" : " that processes share (shmem-rss), such as a loader's batches or files in /dev/shm, or what a driver keeps");
}
