/*
 * touches.cc - whether the calls of a captured step wait for all that they depend on: of two whose
 * instants touch the same bytes, one of which writes them, the later one must come behind the
 * earlier one, by streams and events. What each instant touches is in the file that STANDIN_TOUCHES
 * names (touches.awk makes it of the program's text); which one the calls are of, the program
 * tells, whose AT() does (standin.sh). Without that file nothing is asked.
 */
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "card.h"

struct touch {
	long long from, end;
	bool writes;
};

struct call {
	int instant;		/* -1: not one of the plan's */
	std::vector<bool> behind;	/* by its number: does this one come after that call? */
};

static std::map<int, std::vector<struct touch>> touches;	/* by instant */
static std::map<std::pair<int, int>, bool> meeting;	/* known of two */
static std::set<std::pair<int, int>> refused;
static std::vector<struct call> calls;	/* of the capture */
static int now = -1;

extern "C" void
standin_at(int instant)
{
	now = instant;
}

/* Once: not before main, as what it writes to may not be there yet. */
static void
read_touches()
{
	static const char *path;
	FILE *f = NULL;
	long long from, bytes;
	int instant;
	char how;

	if (!path && (path = getenv("STANDIN_TOUCHES")))
		f = fopen(path, "r");
	while (f && fscanf(f, "%d %c %lld %lld", &instant, &how, &from, &bytes) == 4)
		touches[instant].push_back({ from, from + bytes, how == 'w' });
	if (f)
		fclose(f);
}

static bool
meet(int a, int b)
{
	auto known = meeting.find({ a, b });
	bool found = false;

	if (known != meeting.end())
		return known->second;
	for (const struct touch &x : touches[a])
		for (const struct touch &y : touches[b])
			found |= (x.writes || y.writes) && x.from < y.end && y.from < x.end;
	return meeting[{ a, b }] = found;
}

void
touches_begin()
{
	read_touches();
	calls.clear();
}

void
touches_call(const std::set<int> &last)
{
	struct call c = { now, std::vector<bool>(calls.size()) };
	char what[100];

	for (int k : last) {
		c.behind[k] = true;
		for (size_t i = 0; i < calls[k].behind.size(); i++)
			c.behind[i] = c.behind[i] || calls[k].behind[i];
	}
	for (size_t k = 0; k < calls.size() && now >= 0; k++)
		if (!c.behind[k] && calls[k].instant >= 0 && meet(calls[k].instant, now) && refused.insert({ calls[k].instant, now }).second) {
			snprintf(what, sizeof(what), "a call of instant %d that does not wait for one of instant %d", now, calls[k].instant);
			card_refuse(what);
		}
	calls.push_back(c);
}
