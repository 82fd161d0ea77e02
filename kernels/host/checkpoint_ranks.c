/*
 * checkpoint_ranks.c - --save NAME.safetensors.index.json, of several ranks: each writes a file of
 * its own, with the tensors that are its share as a whole, and the first one writes the index, as
 * Hugging Face's libraries read it (checkpoint_index.c).
 *
 *     NAME.GENERATION-00001-of-00004.safetensors    the first rank's
 *     NAME.GENERATION-00002-of-00004.safetensors    the second's
 *
 * The generation is another one at each save, and is in the files, too. So no file is written over
 * that an index names: those of all ranks are whole, and on the disk, before the index takes the
 * old one's place in one step, and only then do those of the old one go. Where ranks are killed,
 * there is the old checkpoint or the new one; files that no index names go when the next run begins
 * to save there.
 *
 * A rank's share: of stages, what they hold. Else the largest tensor is given away first, to the
 * rank that has least by then (R. L. Graham, Bounds on multiprocessing timing anomalies, 1969: the
 * most that one has is at most 4/3 - 1/(3 ranks) of the least possible). What several ranks have
 * pieces of goes to the one that writes it, some KiB at a time.
 */
#include <dirent.h>

#define SPREAD_ENDS	".safetensors" INDEX_ENDS
#define SPREAD_PART	"-%05d-of-%05d.safetensors"	/* behind stem, dot and generation */

static int spread_owner[PERSISTENT + 1];	/* by tensor, the rank that writes it */
static bool spread_is_dealt;

/* ---- shares ---- */

#ifdef STAGES

static void
spread_out(void)
{
	for (int k = 0; k < PERSISTENT; k++)
		spread_owner[k] = persistent[k].stage;
}

#else

static int64_t
persistent_bytes(int k)
{
	return persistent[k].elements * type_table[persistent[k].type].bytes;
}

/* The largest first, of equals the one that stands first. */
static int
spread_compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	int64_t more = persistent_bytes(y) - persistent_bytes(x);

	return more ? more > 0 ? 1 : -1 : x - y;
}

static void
spread_out(void)
{
	static int order[PERSISTENT + 1];
	int64_t has[RANKS] = { 0 };

	for (int k = 0; k < PERSISTENT; k++)
		order[k] = k;
	qsort(order, PERSISTENT, sizeof(*order), spread_compare);
	for (int k = 0; k < PERSISTENT; k++) {
		int least = 0;

		for (int r = 1; r < RANKS; r++)
			if (has[r] < has[least])
				least = r;
		spread_owner[order[k]] = least;
		has[least] += persistent_bytes(order[k]);
	}
}

#endif

/* ---- names ---- */

static bool
spread_name(char *to, size_t size, const struct spread *p, uint64_t generation, int rank, int files)
{
	return (size_t)snprintf(to, size, "%s.%016llx" SPREAD_PART, p->stem, (unsigned long long)generation, rank + 1, files) <
	    size;
}

/* Is it the file of a generation, or what was to become one? */
static bool
spread_is_part(const char *name, const char *stem, unsigned long long *generation, int *files)
{
	size_t n = strlen(stem);
	int number, end = 0;

	if (strncmp(name, stem, n) || name[n] != '.' || strspn(name + n + 1, "0123456789abcdef") != 16)
		return false;
	if (sscanf(name + n + 1, "%16llx-%5d-of-%5d.safetensors%n", generation, &number, files, &end) != 3 || !end)
		return false;
	name += n + 1 + end;
	n = strlen(name);
	return !n || (n > 4 && *name == '.' && !strcmp(name + n - 4, ".new"));
}

/* The generation of the index that is there, which begins with it where it is ours. */
static bool
spread_read_generation(const struct checkpoint *c, unsigned long long *generation)
{
	static const char before[] = "\"generation\":\"";
	char text[257] = "", *at;
	int fd = open(c->file.path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, before);
	return at && sscanf(at + strlen(before), "%16llx", generation) == 1;
}

/* What no index names any more: of the one that is there it is noted how many files it has. One
 * that is not ours is let be. */
static void
spread_clean(struct checkpoint *c)
{
	struct spread *p = &c->spread;
	unsigned long long there = 0, generation;
	bool known = spread_read_generation(c, &there);
	const char *stem = strrchr(p->stem, '/') + 1;
	struct dirent *entry;
	char folder[PATH_MAX], path[2 * PATH_MAX];
	DIR *d;

	p->old = there;
	p->old_files = 0;
	folder_of(folder, sizeof(folder), p->stem);
	if ((!known && !access(c->file.path, F_OK)) || !(d = opendir(folder)))
		return;
	while ((entry = readdir(d))) {
		int files;

		if (!spread_is_part(entry->d_name, stem, &generation, &files))
			continue;
		snprintf(path, sizeof(path), "%s%s", folder, entry->d_name);
		if (known && generation == there)
			p->old_files = files;
		else
			unlink(path);
	}
	closedir(d);
}

/* ---- before training ---- */

/* The first rank has found out that the index can be written, and holds its lock, which all others
 * are to see. */
static void
spread_see(struct checkpoint *c, const char *path)
{
	char lock[sizeof(c->writer.name)];
	double all = 0;

	ranks_sum(&all, 1);
	if (ranks.rank == 0)
		return;
	header_prepare();
	if (!whole_find(&c->file, path))
		fail("%s: cannot be written: %s", path, strerror(errno));
	snprintf(lock, sizeof(lock), "%s.lock", c->file.path);
	if (access(lock, F_OK))
		fail("%s: this rank does not see what the first one writes: all must save to one folder", path);
}

static void
spread_find(struct spread *p, const char *path, const char *real)
{
	size_t n = strlen(real), ends = strlen(SPREAD_ENDS);
	const char *name = strrchr(real, '/');

	if (n <= ends || strcmp(real + n - ends, SPREAD_ENDS))
		fail("%s: expected NAME" SPREAD_ENDS ", and a link to be to such a file", path);
	for (const char *at = name ? name : real; *at; at++)
		if ((unsigned char)*at < ' ' || strchr("\"\\", *at))
			fail("%s: expected a name without quotes, backslashes and controls", path);
	if ((size_t)snprintf(p->stem, sizeof(p->stem), "%s%.*s", name ? "" : "./", (int)(n - ends), real) >= sizeof(p->stem))
		fail("%s: %s", path, strerror(ENAMETOOLONG));
}

/* All ranks come here, with --save or --save-best; what is in one file is done. */
static void
spread_prepare(struct checkpoint *c, const char *path)
{
	struct spread *p = &c->spread;
	struct whole *part = &p->file;
	uint64_t *all;

	if (!path || !is_index(path))
		return;
	spread_see(c, path);
	spread_find(p, path, c->file.path);
	if (!spread_is_dealt)	/* of two such files, by the first */
		spread_out();
	spread_is_dealt = true;
	all = (uint64_t *)malloc((size_t)ranks.size * sizeof(*all));
	if (!all)
		fail("no memory for the files of %d ranks", ranks.size);
	p->generation = (uint64_t)time(NULL) << 32 ^ (uint64_t)getpid() << 20 ^ (uint64_t)ranks_clock();
	ranks_gather(&p->generation, all, (int)sizeof(*all));
	p->generation = all[0];
	free(all);
	if (!spread_name(p->path, sizeof(p->path), p, p->generation, ranks.rank, ranks.size) || !whole_find(part, p->path) ||
	    !whole_open(part))
		fail("%s: cannot be written: %s", p->path, strerror(errno));
	whole_drop(part);
	if (ranks.rank == 0)
		spread_clean(c);
}

/* ---- writing ---- */

static size_t
spread_describe(const struct spread *p, const char *generation)
{
	char path[PATH_MAX];
	int64_t bytes = 0;
	size_t n = 0;

	for (int k = 0; k < PERSISTENT; k++)
		bytes += persistent[k].elements * type_table[persistent[k].type].bytes;
	header_add(&n, "{\"metadata\":{\"generation\":\"%s\",\"format\":\"stowage\",\"total_size\":%lld},\n\"weight_map\":{",
	    generation, (long long)bytes);
	for (int k = 0; k < PERSISTENT; k++) {
		spread_name(path, sizeof(path), p, p->generation, spread_owner[k], ranks.size);
		header_add(&n, "%s\n\"%s\":\"%s\"", k ? "," : "", persistent[k].name, strrchr(path, '/') + 1);
	}
	header_add(&n, "}}\n");
	return n;
}

/* The first rank's: from here on the checkpoint is the new one. */
static void
spread_save_index(struct checkpoint *c, const char *generation)
{
	const struct spread *p = &c->spread;
	char path[PATH_MAX];

	for (int k = 0; k < PERSISTENT; k++) {
		spread_name(path, sizeof(path), p, p->generation, spread_owner[k], ranks.size);
		if (access(path, F_OK))
			fail("%s: what rank %d wrote is not seen here: all must save to one folder; what was there before is "
			    "untouched", path, spread_owner[k]);
	}
	if (!whole_open(&c->file))
		fail("%s: cannot be written: %s", c->file.given, strerror(errno));
	if (!write_all(c->file.fd, checkpoint_header, (int64_t)spread_describe(p, generation)) || !whole_close(&c->file)) {
		whole_drop(&c->file);
		fail("%s: cannot be written: %s; what was there before is untouched", c->file.given, strerror(errno));
	}
}

static void
spread_save(struct checkpoint *c, const struct state *s)
{
	struct spread *p = &c->spread;
	char text[GENERATION], path[PATH_MAX];
	struct writing w = { spread_owner, ranks.rank, text };
	double all = 0;

	p->generation++;
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)p->generation);
	spread_name(p->path, sizeof(p->path), p, p->generation, ranks.rank, ranks.size);
	if (!whole_find(&p->file, p->path))
		fail("%s: cannot be written: %s", p->path, strerror(errno));
	p->file.given = c->file.given;
	writing_save(&p->file, s, &w);
	ranks_sum(&all, 1);		/* all files are there */
	if (ranks.rank > 0)
		return;
	spread_save_index(c, text);
	for (int k = 0; k < p->old_files; k++)
		if (spread_name(path, sizeof(path), p, p->old, k, p->old_files))
			unlink(path);
	p->old = p->generation;
	p->old_files = ranks.size;
}
