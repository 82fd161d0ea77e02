/* How much the packer may do: visits, which are the same on every machine, and the clock on
 * request. */
#include "pack/packing_impl.h"

#include <time.h>

void
effort_spend(struct effort *e, int64_t visits)
{
	e->visits -= visits < e->visits ? visits : e->visits;
	*e->all -= visits < *e->all ? visits : *e->all;
}

struct effort
effort_share(struct effort *e, int parts)
{
	struct effort part = *e;

	part.visits = (e->visits + parts - 1) / parts;
	e->visits -= part.visits;
	return part;
}

bool
effort_left(const struct effort *e)
{
	return e->visits > 0 && *e->all > 0 && (e->deadline <= 0 || effort_clock() < e->deadline);
}

double
effort_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
