/*
 * Which names are of validation, tests or inference: of a batch, by the words beside it, and of a
 * line of code, by the call that it stands in.
 */
#include "oom/oom_tests.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"

#define MOST_CALL_LINES	16	/* of one call */
#define SUCCEEDS	"successfully succeeded"	/* and of any that does */

/* Is any of the words of T, or any part of its names, one of tests? Not "val_batch_size", which is
 * another batch's name. */
static bool
has_tests(struct talk t)
{
	const char *s, *to, *end = t.s + t.n;

	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_letter(*s))
			continue;
		while (to < end && is_letter(*to))
			to++;
		if (talk_is_one_of(talk_part(t, s, to), OOM_TESTS) && !(to < end && (*to == '_' || *to == '-') &&
		    talk_is_one_of(talk_head(t, to + 1, 5), "batch")))
			return true;
	}
	return false;
}

/* The parts of a line of options, which commas do not part. */
static struct talk
option_of(struct talk clause, const char *at)
{
	const char *from = at, *to = at, *end = clause.s + clause.n;

	while (from > clause.s && !(from[0] == '-' && from[-1] == ' '))
		from--;
	while (to + 1 < end && !(to[0] == ' ' && to[1] == '-'))
		to++;
	return talk_part(clause, from, to + 1 < end ? to : end);
}

bool
oom_tests_of(struct talk t, const char *at, size_t n)
{
	struct talk ahead = talk_part(t, t.s, at);

	return has_tests(option_of(talk_clause(t, at, n), at)) || (talk_any_of(ahead, "loader") && has_tests(ahead));
}

bool
oom_tests_run(struct talk t, const char *at, size_t n)
{
	struct talk clause = talk_clause(t, at, n);

	return clause_works(clause) || (talk_any_whole(clause, SUCCEEDS) && !clause_says_no(clause, ""));
}

/* Parentheses that T opens, less those that it closes. */
static int
depth_of(struct talk t)
{
	int depth = 0;
	size_t i;

	for (i = 0; i < t.n; i++)
		depth += (t.s[i] == '(') - (t.s[i] == ')');
	return depth;
}

/* Does code call something at OPEN: "val_loader = DataLoader(", "valid_dataset(",
 * "model.evaluate("? Not "in validation :(". */
static bool
is_call(struct talk t, const char *open)
{
	struct talk name;
	const char *s = open;

	while (s > t.s && (piece_is_word(s[-1]) || s[-1] == '.'))
		s--;
	name = talk_part(t, s, open);
	return name.n > 0 && (memchr(t.s, '=', (size_t)(s - t.s)) || talk_any_of(name, "loader dataset") ||
	    (memchr(name.s, '.', name.n) && has_tests(name)));
}

void
oom_tests_call(struct oom_told *o, struct talk t)
{
	const char *open = memchr(t.s, '(', t.n);
	int depth = depth_of(t);

	o->of_tests = o->call_depth > 0;
	if (o->of_tests) {
		o->call_depth = ++o->call_lines < MOST_CALL_LINES && o->call_depth + depth > 0 ? o->call_depth + depth : 0;
	} else if (depth > 0 && open && is_call(t, open) && has_tests(talk_part(t, t.s, open)) && !talk_any_whole(talk_part(t, t.s, open), "train")) {
		o->call_depth = depth;
		o->call_lines = 0;
	}
}
