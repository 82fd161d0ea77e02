#include "base/rehearse.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void
end_quietly(int64_t seconds)
{
	static const int ends[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU };
	const struct rlimit none = { 0, 0 }, time = { (rlim_t)seconds, (rlim_t)seconds + 1 };
	unsigned i;

	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &time);
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		signal(ends[i], SIG_DFL);
}

bool
rehearse(void (*work)(void *), void *context, int64_t seconds)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return true;
	if (child == 0) {
		end_quietly(seconds);
		work(context);
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return true;	/* somebody else has waited for it */
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
