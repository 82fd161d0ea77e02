/*
 * Stands for libFuzzer where there is no clang: mutates texts of the folder it is given and tries them.
 * It knows nothing of coverage. Options are those of libFuzzer that run.sh uses:
 *
 *	fuzz_NAME -runs=N -seed=N -artifact_prefix=PATH FOLDER
 *
 * The text that fails is left in PATHcrash.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_TEXTS	8192

static struct sample now;	/* the text being tried: where a signal's handler finds it */
static char kept[4096];		/* the file it is left in */

/* What the sanitizers find ends in abort(), so that the text is kept. */
const char	*__asan_default_options(void);
const char	*__ubsan_default_options(void);

const char *
__asan_default_options(void)
{
	return "abort_on_error=1";
}

const char *
__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

/* Only what a signal handler may call. */
static void
fatal(int sig)
{
	int fd = open(kept, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd >= 0 && write(fd, now.text, now.n) < 0)
		_exit(2);
	signal(sig, SIG_DFL);
	raise(sig);
}

static bool
load(const char *folder, const char *name, struct sample *s)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	s->text = malloc(fuzzer.longest);
	if (!s->text || !(f = fopen(path, "rb")))
		return false;
	s->n = fread(s->text, 1, fuzzer.longest, f);
	fclose(f);
	return true;
}

static int
load_all(const char *folder, struct sample *sample)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int n = 0;

	while (dir && n < MOST_TEXTS && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && load(folder, entry->d_name, &sample[n]))
			n++;
	if (dir)
		closedir(dir);
	return n;
}

static void
one_case(const struct sample *from, unsigned seed)
{
	memcpy(now.text, from->text, from->n);
	now.n = LLVMFuzzerCustomMutator((uint8_t *)now.text, from->n, fuzzer.longest, seed);
	LLVMFuzzerTestOneInput((const uint8_t *)now.text, now.n);
}

int
main(int argc, char **argv)
{
	static struct sample sample[MOST_TEXTS];
	unsigned seed = 1;
	long runs = 0, i;
	int n = 0, k;

	for (k = 1; k < argc; k++)
		if (strncmp(argv[k], "-runs=", 6) == 0)
			runs = strtol(argv[k] + 6, NULL, 10);
		else if (strncmp(argv[k], "-seed=", 6) == 0)
			seed = (unsigned)strtoul(argv[k] + 6, NULL, 10);
		else if (strncmp(argv[k], "-artifact_prefix=", 17) == 0)
			snprintf(kept, sizeof(kept), "%scrash", argv[k] + 17);
		else if (argv[k][0] != '-')
			n = load_all(argv[k], sample);
	if (n == 0 || !(now.text = malloc(fuzzer.longest))) {
		fprintf(stderr, "%s: no texts to begin with\n", fuzzer.name);
		return 2;
	}
	signal(SIGABRT, fatal);
	for (k = 0; k < n; k++)
		LLVMFuzzerTestOneInput((const uint8_t *)sample[k].text, sample[k].n);
	for (i = 0; i < runs; i++)
		one_case(&sample[(unsigned long)i % (unsigned long)n], (unsigned)i * 7919 + seed);
	signal(SIGABRT, SIG_DFL);	/* leaks are reported at exit, when there is no text to keep */
	for (k = 0; k < n; k++)
		free(sample[k].text);
	free(now.text);
	return 0;
}
