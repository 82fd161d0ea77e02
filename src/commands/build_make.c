/* Running make for stowage build. */
#include "commands/build_make.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/print.h"
#include "base/vec.h"

extern char **environ;

static bool
failed(const char *what)
{
	print_error("%s: %s", what, strerror(errno));
	return false;
}

/* The absolute folders of PATH: others begin in a folder that may hold anybody's files. */
static const char *
safe_path(struct arena *a)
{
	const char *p = getenv("PATH"), *safe = "";
	size_t n;

	for (; p && *p; p += n + (p[n] == ':')) {
		n = strcspn(p, ":");
		if (*p == '/')
			safe = arena_printf(a, "%s%s%.*s", safe, *safe ? ":" : "", (int)n, p);
	}
	return *safe ? safe : "/usr/bin:/bin";
}

/* Where make is, of those folders; NULL: nowhere. */
static const char *
find_make(struct arena *a, const char *path)
{
	const char *file;
	struct stat st;
	size_t n;

	for (; *path; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		file = arena_printf(a, "%.*s/make", (int)n, path);
		if (access(file, X_OK) == 0 && stat(file, &st) == 0 && S_ISREG(st.st_mode))
			return file;
	}
	return NULL;
}

/* Our environment for make: what it takes for options, makefiles or a make above it would be
 * another's. STOWAGE_MAKEFLAGS is the user's word to this very make. */
static char **
make_environment(struct arena *a, const char *path)
{
	static const char *const drop[] = { "MAKEFLAGS=", "MFLAGS=", "GNUMAKEFLAGS=", "MAKEFILES=",
	    "MAKELEVEL=", "MAKEOVERRIDES=", "MAKE_TERMOUT=", "MAKE_TERMERR=", "PATH=" };
	const char *flags = getenv("STOWAGE_MAKEFLAGS");
	VEC(char *) kept = { 0 };
	size_t i, k;

	for (i = 0; environ[i]; i++) {
		for (k = 0; k < sizeof(drop) / sizeof(drop[0]); k++)
			if (strncmp(environ[i], drop[k], strlen(drop[k])) == 0)
				break;
		if (k == sizeof(drop) / sizeof(drop[0]))
			vec_push(a, &kept, environ[i]);
	}
	if (flags)
		vec_push(a, &kept, arena_printf(a, "MAKEFLAGS=%s", flags));
	vec_push(a, &kept, arena_printf(a, "PATH=%s", path));
	vec_push(a, &kept, NULL);
	return kept.v;
}

/* A group of its own can be sent signals as a whole; it begins with no signal held back or
 * ignored. */
static int
spawn(struct arena *a, pid_t *pid, const char *const *argv)
{
	static const int usual[] = { SIGHUP, SIGINT, SIGTERM, SIGCHLD, SIGXFSZ };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	const char *path = safe_path(a), *make = find_make(a, path);
	sigset_t none, defaults;
	size_t i;
	int error;

	if (!make)
		return ENOENT;
	sigemptyset(&none);
	sigemptyset(&defaults);
	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		sigaddset(&defaults, usual[i]);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
	    POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawn_file_actions_init(&actions);
	/* stdout is for what build has to say */
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	error = posix_spawn(pid, make, &actions, &attr, (char *const *)argv,
	    make_environment(a, path));
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return error;
}

/* Those signals that would end us, and that of a child's end. */
static void
signals_awaited(sigset_t *set)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction action;
	size_t i;

	sigemptyset(set);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sigaction(ends[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(set, ends[i]);
	sigaddset(set, SIGCHLD);
}

/* Waits for make; the signal that was to end us meanwhile, or 0. */
static int
await(pid_t pid, const sigset_t *awaited, int *status)
{
	int number, ended_by = 0;
	pid_t got;

	for (;;) {
		got = waitpid(pid, status, WNOHANG);
		if (got == pid || (got < 0 && errno != EINTR))
			return ended_by;
		if (sigwait(awaited, &number) != 0 || number == SIGCHLD)
			continue;
		ended_by = number;
		kill(-pid, number);
	}
}

/* Runs it with its signals awaited: 0 if all went well, else the signal that ends us, or -1 after a
 * message. */
static int
run(struct arena *a, const char *const *argv, const char *dir)
{
	struct sigaction usual = { .sa_handler = SIG_DFL }, chld;
	sigset_t awaited, before;
	int error, ended_by, status = -1;
	pid_t pid;

	fflush(stdout);
	signals_awaited(&awaited);
	sigaction(SIGCHLD, &usual, &chld);	/* an ignored child leaves no status */
	sigprocmask(SIG_BLOCK, &awaited, &before);
	error = spawn(a, &pid, argv);
	ended_by = error ? 0 : await(pid, &awaited, &status);
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGCHLD, &chld, NULL);
	if (ended_by)
		return ended_by;
	if (!error && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (error)
		print_error("make: %s", strerror(error));
	else
		print_error("make failed in %s", dir);
	return -1;
}

/* Moves what is called so out of the way, whoever made it: its date would tell make that all is
 * done. Returns its name meanwhile; "": nothing was there; NULL after a message. */
static const char *
put_aside(struct arena *a, const char *path)
{
	char *aside = arena_printf(a, "%s.XXXXXX", path);
	struct stat st;
	int fd;

	if (lstat(path, &st) != 0)
		return "";
	errno = EISDIR;
	if (S_ISDIR(st.st_mode) || (fd = mkstemp(aside)) < 0) {
		failed(path);
		return NULL;
	}
	close(fd);
	if (rename(path, aside) == 0)
		return aside;
	failed(path);
	unlink(aside);
	return NULL;
}

static bool
is_made(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    (st.st_mode & 0111))
		return true;
	print_error("%s: make reported no failure, but made no program", path);
	return false;
}

bool
build_make(struct arena *a, const char *dir, const char *program, bool verbose)
{
	const char *argv[] = { "make", "-C", dir, "-r", "-f", "Makefile", "--no-print-directory",
	    verbose ? NULL : "-s", NULL };
	const char *path = arena_printf(a, "%s/%s", dir, program), *aside = put_aside(a, path);
	int result;
	bool good;

	if (!aside)
		return false;
	result = run(a, argv, dir);
	good = result == 0 && is_made(path);
	if (good && *aside)
		unlink(aside);
	if (!good)
		unlink(path);
	if (!good && *aside)
		rename(aside, path);
	if (result > 0)
		raise(result);
	return good;
}
