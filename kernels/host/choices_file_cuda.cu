/*
 * choices_file_cuda.cu - what was measured (tune_cuda.cu), for later runs: in a file of the user's
 * cache, or that of --engines, and in checkpoints.
 *
 *     stowage engines 1
 *     for NVIDIA H100 80GB HBM3, sm_90, 132 multiprocessors, cuDNN 91300, cuBLASLt 130100, driver 580.65.06, program 5d0c...
 *     convolution 0f3a9b6c4d21e877 38 2 1 5 0
 *     product 77aa0c1be5f20d39 5583112998071
 *     end 8c3d52ae91b0f467
 *
 * The last line has a hash of all before it. A file that is not whole, or is for something else, is
 * left out of account and written anew; one that is no such file at all, a link, or in the cache
 * one that others may write, is neither read nor written. Several processes may share one: it is
 * written beside it, and takes its name when it is whole.
 */
#ifdef TUNES

static void	checkpoint_choices(const char *path);

#define CHOICES_MAGIC	"stowage engines 1\n"
#define CHOICES_KEY	512
#define CHOICES_MOST	(1 << 21)	/* bytes of a file */

static struct {
	char path[PATH_MAX];	/* "": nothing is kept */
	bool given;		/* by --engines: whose it is, is not asked */
	char for_card[CHOICES_KEY / 2];	/* what the bits of an engine depend on */
	char key[CHOICES_KEY];	/* and what its speed does */
} choices_file;

/* ---- for what ---- */

static void
choices_driver(char *text, size_t size)
{
	int fd = open("/sys/module/nvidia/version", O_RDONLY | O_CLOEXEC), version = 0;
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strspn(text, "0123456789.")] = '\0';
	if (*text)
		return;
	CUDA(cudaDriverGetVersion(&version));
	snprintf(text, size, "for CUDA %d", version);
}

static void
choices_add_version(const char *library, size_t version)
{
	size_t n = strlen(choices_file.for_card);

	snprintf(choices_file.for_card + n, sizeof(choices_file.for_card) - n, ", %s %zu", library, version);
}

/* The network and its plan, whatever the program is called. */
static uint64_t
choices_program(void)
{
	int64_t arena_bytes = ARENA_BYTES;
	uint64_t hash = fnv_add(FNV_BEGIN, NETWORK, sizeof(NETWORK));

	hash = fnv_add(hash, &arena_bytes, sizeof(arena_bytes));
	for (int k = 0; k < BUFFERS; k++) {
		hash = fnv_add(hash, buffers[k].name, strlen(buffers[k].name) + 1);
		hash = fnv_add(hash, &buffers[k].offset, sizeof(buffers[k].offset));
		hash = fnv_add(hash, &buffers[k].bytes, sizeof(buffers[k].bytes));
		hash = fnv_add(hash, &buffers[k].first, sizeof(buffers[k].first));
		hash = fnv_add(hash, &buffers[k].last, sizeof(buffers[k].last));
	}
	return hash;
}

static void
choices_find_key(void)
{
	struct cudaDeviceProp card;
	char driver[64], name[64];
	int device;

	CUDA(cudaGetDevice(&device));
	CUDA(cudaGetDeviceProperties(&card, device));
	snprintf(name, sizeof(name), "%.60s", card.name);
	for (char *p = name; *p; p++)	/* which goes into files */
		if (*p < ' ' || *p > '~' || *p == '"' || *p == '\\' || *p == ',')
			*p = '_';
	snprintf(choices_file.for_card, sizeof(choices_file.for_card), "%s, sm_%d, %d multiprocessors", name,
	    device_arch(), card.multiProcessorCount);
#ifdef BY_CUDNN
	choices_add_version("cuDNN", cudnnGetVersion());
#endif
#ifdef BY_CUBLASLT
	choices_add_version("cuBLASLt", cublasLtGetVersion());
#endif
	choices_driver(driver, sizeof(driver));
	snprintf(choices_file.key, sizeof(choices_file.key), "%s, driver %s, program %016llx", choices_file.for_card, driver,
	    (unsigned long long)choices_program());
}

/* ---- the place ---- */

__attribute__((format(printf, 1, 2))) static void
choices_note(const char *format, ...)
{
	char text[PATH_MAX + 256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "%s: note: ", PROGRAM);
	put_safe(stderr, text);
	fputc('\n', stderr);
}

/* Is it a folder of ours, which others may not write to? It is made if it is not there. */
static bool
choices_folder(const char *path)
{
	struct stat st;

	if (lstat(path, &st) && (errno != ENOENT || mkdir(path, 0700) || lstat(path, &st)))
		return false;
	errno = EPERM;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022);
}

/* Nothing is kept. */
static void
choices_keep_none(const char *what, const char *why)
{
	choices_note("%s: %s: engines are measured in each run", what, why);
	choices_file.path[0] = '\0';
}

/* Of the user's cache, a file for each key. */
static void
choices_find_file(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char folder[PATH_MAX - 128];
	int n = -1;

	if (cache && *cache == '/') {
		n = snprintf(folder, sizeof(folder), "%s", cache);
	} else if (home && *home == '/') {
		n = snprintf(folder, sizeof(folder), "%s/.cache", home);
	}
	if (n < 0 || n + 16 > (int)sizeof(folder)) {
		choices_keep_none("the user's cache", "neither XDG_CACHE_HOME nor HOME is the name of a folder");
		return;
	}
	mkdir(folder, 0700);	/* may be there, and a link */
	snprintf(folder + n, sizeof(folder) - (size_t)n, "/stowage");
	if (!choices_folder(folder)) {
		choices_keep_none(folder, errno == EPERM ? "not a folder that this user alone may write to" : strerror(errno));
		return;
	}
	snprintf(choices_file.path, sizeof(choices_file.path), "%s/%.64s-%016llx.engines", folder, PROGRAM,
	    (unsigned long long)fnv_add(FNV_BEGIN, choices_file.key, strlen(choices_file.key)));
}

/* All of them, a line each; to be freed. */
static char *
choices_text(const struct choice_list *list, char end)
{
	char line[CHOICE_LINE], *text;
	size_t n = 0;

	for (int k = 0; k < list->n; k++)
		n += (size_t)choice_write(line, &list->at[k], end);
	text = (char *)malloc(n + 1);
	if (!text)
		fail("no memory for what engines are chosen");
	n = 0;
	for (int k = 0; k < list->n; k++) {
		int length = choice_write(line, &list->at[k], end);

		memcpy(text + n, line, (size_t)length);
		n += (size_t)length;
	}
	text[n] = '\0';
	return text;
}

/* ---- reading ---- */

/* The file as text, to be freed; NULL if there is none, or after a note: then *REFUSED if it is not
 * to be written either. */
static char *
choices_load(bool *refused)
{
	int fd = open(choices_file.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	const char *why = NULL;
	char *text = NULL;
	int64_t n = 0;

	*refused = false;
	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0 || fstat(fd, &st))
		why = errno == ELOOP ? "it is a link, and those are not followed" : strerror(errno);
	else if (!S_ISREG(st.st_mode))
		why = "it is no file";
	else if (!choices_file.given && (st.st_uid != geteuid() || (st.st_mode & 022)))
		why = "others than this user may write to it";
	else if (st.st_size > CHOICES_MOST)
		why = "it is too large to be a file of engines";
	else if (!(text = (char *)calloc(1, (size_t)st.st_size + 1)))
		why = strerror(errno);
	while (!why && n < st.st_size) {
		ssize_t k = pread(fd, text + n, (size_t)(st.st_size - n), (off_t)n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		n += k;
	}
	if (fd >= 0)
		close(fd);
	if (!why && n > 0 && strncmp(text, CHOICES_MAGIC, n < (int64_t)strlen(CHOICES_MAGIC) ? (size_t)n : strlen(CHOICES_MAGIC)))
		why = "it is no file of engines";
	if (!why && strlen(text) < (size_t)n)
		*text = '\0';	/* bytes that no text has: it is not whole */
	if (!why)
		return text;
	*refused = true;
	choices_note("%s: %s; it is neither read nor written, and engines are measured in each run", choices_file.path, why);
	free(text);
	return NULL;
}

/* Cuts off the last line, if it is that of a whole file. */
static bool
choices_whole(char *text)
{
	size_t n = strlen(text);
	char *last = n ? text + n - 1 : text;
	const char *at;
	uint64_t hash;

	while (last > text && last[-1] != '\n')
		last--;
	at = last;
	if (!choice_word(&at, "end") || !choice_code(&at, &hash) || strcmp(at, "\n") ||
	    hash != fnv_add(FNV_BEGIN, text, (size_t)(last - text)))
		return false;
	*last = '\0';
	return true;
}

/* Adds to LIST what the file has; if that does not count, and it is to be told, a note says why. */
static void
choices_take(struct choice_list *list, char *text, bool tell)
{
	size_t n = strlen(choices_file.key);
	const char *at = text, *why = NULL;

	if (!choices_whole(text))
		why = "it is not whole";
	else if (at += strlen(CHOICES_MAGIC), !choice_word(&at, "for") || strncmp(at, choices_file.key, n) || at[n] != '\n')
		why = "it is for another card, driver, library or program";
	else if (at += n + 1, !choices_read(list, &at, '\n'))
		why = "it has lines that are no choices";
	if (why && tell)
		choices_note("%s: %s; engines are measured again", choices_file.path, why);
}

/* Before the steps are rehearsed: what the checkpoint has, and then the file. GIVEN: its name, or
 * NULL. */
static void
choices_open(const char *given, const char *resume)
{
	bool refused;
	char *text;

	choices_find_key();
#ifdef RANKS
	if (ranks.rank > 0)
		return;		/* the first one tells */
#endif
	if (resume)
		checkpoint_choices(resume);
	if (tuning.off)
		return;
	choices_file.given = given != NULL;
	if (!given)
		choices_find_file();
	else if (snprintf(choices_file.path, sizeof(choices_file.path), "%s", given) >= (int)sizeof(choices_file.path))
		fail("--engines: the name is too long");
	if (!choices_file.path[0])
		return;
	text = choices_load(&refused);
	if (refused)
		choices_file.path[0] = '\0';
	if (text)
		choices_take(&choices, text, true);
	free(text);
}

/* ---- writing ---- */

static bool
choices_write(const struct choice_list *list)
{
	struct whole to;
	char *lines = choices_text(list, '\n'), *text;
	size_t n = strlen(lines) + strlen(CHOICES_MAGIC) + CHOICES_KEY + 64;
	bool good;

	text = (char *)malloc(n);
	if (!text)
		fail("no memory for what engines are chosen");
	snprintf(text, n, CHOICES_MAGIC "for %s\n%s", choices_file.key, lines);
	free(lines);
	snprintf(text + strlen(text), n - strlen(text), "end %016llx\n",
	    (unsigned long long)fnv_add(FNV_BEGIN, text, strlen(text)));
	memset(&to, 0, sizeof(to));
	to.given = choices_file.path;
	to.fd = -1;
	snprintf(to.path, sizeof(to.path), "%s", choices_file.path);
	good = whole_open(&to);
	if (good && to.direct) {
		whole_drop(&to);
		errno = EINVAL;
		good = false;
	}
	if (good && !(write_all(to.fd, text, (int64_t)strlen(text)) && whole_close(&to))) {
		whole_drop(&to);
		good = false;
	}
	free(text);
	return good;
}

/* What this process measured, beside what others put there meanwhile, which stays. */
static void
choices_keep(void)
{
	static struct choice_list all;
	bool refused, news = false;
	char *text;

#ifdef RANKS
	if (ranks.rank > 0)
		return;
#endif
	if (!choices_file.path[0])
		return;
	for (int k = 0; k < choices.n; k++)
		news |= choices.at[k].measured;
	if (!news)
		return;
	text = choices_load(&refused);
	all.n = 0;
	if (text)
		choices_take(&all, text, false);
	free(text);
	for (int k = 0; k < choices.n && !refused; k++) {
		const struct choice *c = &choices.at[k];
		struct choice *to = c->measured && !choice_find(&all, c->kind, c->of) ? choice_place(&all, c->kind, c->of) : NULL;

		if (to)
			*to = *c;
	}
	if (!refused && !choices_write(&all))
		choices_note("%s: cannot be written: %s; the next run measures again", choices_file.path, strerror(errno));
}

#endif
