/*
 * cores.c - how many processors the program may use: those that the process is bound to, the time
 * that its control groups leave it, and OMP_NUM_THREADS, which job schedulers set.
 */
#ifdef RANKS
#include "update/ranks.cu"
#endif

#include <limits.h>
#ifdef __linux__
#include <sched.h>
#endif

static int64_t	system_number(const char *path, const char *key);

/* Processors' worth of time that a group's files allow, rounded up; 0: they say nothing. GROUP ends
 * without a slash. Version 2 has "quota period" in one file, version 1 has two files. */
static int
cores_of_group(const char *group)
{
	char path[PATH_MAX + 32];
	int64_t quota, period, cores;

	snprintf(path, sizeof(path), "%s/cpu.max", group);
	quota = system_number(path, "");
	period = system_number(path, " ");
	if (quota <= 0 || period <= 0) {
		snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", group);
		quota = system_number(path, "");
		snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", group);
		period = system_number(path, "");
	}
	if (quota <= 0 || period <= 0)
		return 0;
	cores = quota / period + (quota % period > 0);
	return cores < INT_MAX ? (int)cores : 0;
}

/* The fewest that a group allows, from MOUNT/WITHIN up to MOUNT itself; 0: none says anything. */
static int
cores_of_groups(const char *mount, const char *within)
{
	char path[PATH_MAX];
	size_t top = strlen(mount);
	int least = 0;

	if (snprintf(path, sizeof(path), "%s%s", mount, within) >= (int)sizeof(path))
		return 0;
	for (;;) {
		int cores = cores_of_group(path);
		char *slash = strrchr(path + top, '/');

		if (cores && (!least || cores < least))
			least = cores;
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* Does a list of words between commas have this one? */
static bool
cores_names(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == n && !strncmp(list, word, n))
			return true;
	return false;
}

/* Of all groups that the file MEMBERSHIP lists: lines of "number:controllers:group", where version
 * 2 has no controllers. Their files lie below ROOT; 0: none says anything. */
static int
cores_of_quota(const char *membership, const char *root)
{
	FILE *f = fopen(membership, "r");
	char line[PATH_MAX], mount[PATH_MAX];
	int least = 0;

	while (f && fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':'), *group;
		int cores;

		group = controllers ? strchr(++controllers, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (*controllers && !cores_names(controllers, "cpu"))
			continue;
		snprintf(mount, sizeof(mount), "%s%s%s", root, *controllers ? "/" : "",
		    !*controllers ? "" : "cpu");
		cores = cores_of_groups(mount, strcmp(group, "/") ? group : "");
		if (cores && (!least || cores < least))
			least = cores;
	}
	if (f)
		fclose(f);
	return least;
}

static int
cores_bound(void)
{
#ifdef __linux__
	for (size_t n = 1024; n <= 1 << 20; n *= 4) {	/* until the mask of this machine has room */
		cpu_set_t *set = CPU_ALLOC(n);
		size_t bytes = CPU_ALLOC_SIZE(n);
		int count = set && sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;

		CPU_FREE(set);
		if (count > 0)
			return count;
	}
#endif
	return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

#ifdef RANKS
/* Of N that the process may use: those of the machine's ranks that are bound to none of their own
 * share them. */
static int
cores_of_rank(int n)
{
	bool own = (int64_t)cores_bound() * ranks.here <= sysconf(_SC_NPROCESSORS_ONLN);

	return own ? n : n / ranks.here > 1 ? n / ranks.here : 1;
}
#endif

static int
cores_allowed(void)
{
	const char *asked = getenv("OMP_NUM_THREADS");
	int n = cores_bound(), quota = cores_of_quota("/proc/self/cgroup", "/sys/fs/cgroup");
	int most = asked ? atoi(asked) : 0;

	n = quota && quota < n ? quota : n;
#ifdef RANKS
	n = cores_of_rank(n);
#endif
	n = most > 0 && most < n ? most : n;
	return n > 1 ? n : 1;
}
