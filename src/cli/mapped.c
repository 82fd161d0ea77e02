/* Mapping a file that nobody vouches for: a regular one that is not empty. */
#include "cli/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/print.h"

/* Or MAP_FAILED. */
static void *
map(int fd, size_t *size)
{
	struct stat st;
	void *at = MAP_FAILED;

	if (fd < 0 || fstat(fd, &st) != 0)
		return at;
	if (!S_ISREG(st.st_mode))
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	else if (st.st_size == 0)
		errno = ENODATA;
	else
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	*size = (size_t)st.st_size;
	return at;
}

int
mapped(struct arena *a, const char *path, int (*work)(struct arena *, void *, const unsigned char *, size_t),
    void *context)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), status = 2;
	size_t size;
	void *at = map(fd, &size);

	if (at == MAP_FAILED) {
		print_error("%s: %s", visible_text(a, path), strerror(errno));
	} else {
		status = work(a, context, at, size);
		munmap(at, size);
	}
	if (fd >= 0)
		close(fd);
	return status;
}
