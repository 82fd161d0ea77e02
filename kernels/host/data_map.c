/*
 * data_map.c - data files in memory: mapped, never read whole, so that their pages are the system's
 * to drop and to read again. Whoever changes such a page has a copy of it; the file stays as it is.
 */
struct mapped {			/* a file */
	const char *name;
	unsigned char *bytes;	/* a NUL follows the last */
	int64_t size;
};

static struct mapped data_maps[4 * MAX_COLUMNS];	/* those of which a page may be missed */
static int data_mapped;

static void *
data_alloc(uint64_t bytes, const char *file)
{
	void *p = bytes < INT64_MAX ? malloc((size_t)bytes + 1) : NULL;

	if (!p)
		fail("%s: no memory for its %llu bytes", file, (unsigned long long)bytes);
	return p;
}

/* FOLDER/NAME, or only NAME's last part in FOLDER; NULL when there is no such file. */
static char *
data_path(const char *folder, const char *name, bool last_part)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = (char *)data_alloc(size, name);

	if (last_part && strrchr(name, '/'))
		name = strrchr(name, '/') + 1;
	if (*folder && *name != '/')
		snprintf(path, size, "%s/%s", folder, name);
	else
		snprintf(path, size, "%s", name);
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return NULL;
}

static char *
data_find(const char *folder, const char *name)
{
	char *path;

	if (folder) {
		path = data_path(folder, name, false);
		if (!path)
			path = data_path(folder, name, true);
		if (!path)
			fail("%s: no such file in %s", name, folder);
		return path;
	}
	path = data_path("", name, false);
	if (!path)
		path = data_path(SPEC_FOLDER, name, false);
	if (!path)
		fail("%s: no such file here or in %s; --data FOLDER says where it is", name,
		    *SPEC_FOLDER ? SPEC_FOLDER : ".");
	return path;
}

/* A page of a file is not there any more: somebody cut the file short. Only what a handler may
 * call. */
static void
data_missed(int number, siginfo_t *info, void *context)
{
	static const char what[] = ": was cut short while it was in use\n";
	const unsigned char *at = (const unsigned char *)info->si_addr;

	(void)context;
	for (int i = 0; i < data_mapped; i++) {
		const struct mapped *f = &data_maps[i];

		if (at < f->bytes || at >= f->bytes + f->size)
			continue;
		if (write(2, f->name, strlen(f->name)) < 0 || write(2, what, sizeof(what) - 1) < 0)
			_exit(3);
		_exit(2);
	}
	signal(number, SIG_DFL);
}

/* Where SIZE bytes of the file lie, and a NUL behind them. */
static unsigned char *
data_map_bytes(int fd, int64_t size)
{
	size_t room = (size_t)size + 1;
	void *at = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	if (mmap(at, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) !=
	    MAP_FAILED)
		return (unsigned char *)at;
	munmap(at, room);
	return NULL;
}

/* A file that cannot be read ends in a line. */
static struct mapped
data_map_found(const char *name)
{
	struct mapped f = { name, NULL, 0 };
	struct stat st;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);	/* of a pipe, only to see what it is */

	if (fd < 0 || fstat(fd, &st))
		fail("%s: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		fail("%s: expected a file, found a folder, a device or a pipe", name);
	if (st.st_size < 1)
		fail("%s: the file is empty", name);
	f.size = st.st_size;
	f.bytes = data_map_bytes(fd, f.size);
	if (!f.bytes)
		fail("%s: cannot be read: %s", name, strerror(errno));
	close(fd);
	if (f.size > 2 && f.bytes[0] == 0x1f && f.bytes[1] == 0x8b)
		fail("%s: is compressed; unpack it with gunzip first", name);
	return f;
}

/* The file of a spec's data. */
static struct mapped
data_map(const char *folder, const char *name)
{
	struct mapped f = data_map_found(data_find(folder, name));

	if (!data_mapped) {
		struct sigaction missed;

		memset(&missed, 0, sizeof(missed));
		missed.sa_sigaction = data_missed;
		missed.sa_flags = SA_SIGINFO;
		sigaction(SIGBUS, &missed, NULL);
	}
	if (data_mapped < (int)(sizeof(data_maps) / sizeof(data_maps[0])))
		data_maps[data_mapped++] = f;
	return f;
}

static void
data_unmap(const struct mapped *f)
{
	for (int i = 0; i < data_mapped; i++)
		if (data_maps[i].bytes == f->bytes)
			data_maps[i] = data_maps[--data_mapped];
	munmap(f->bytes, (size_t)f->size + 1);
}

/* These bytes of a file are not needed soon. Pages that were changed would be lost: they must be as
 * they came. */
static void
data_let_go(const unsigned char *from, const unsigned char *to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first, end;

	first = ((uintptr_t)from + page - 1) / page * page;
	end = (uintptr_t)to / page * page;
	if (first < end)
		madvise((void *)first, end - first, MADV_DONTNEED);
}
