/* Under which head a sentence stands, by what its kind rests on: see autopsy_says.h. */
#include "autopsy/autopsy_parts.h"

static const struct {
	const char *name, *evidence;
	enum rests rests;
} kinds[SAYS_KINDS] = {
#define KIND(kind, on, what)	[SAYS_ ## kind] = { #kind, what, RESTS_ ## on },
	AUTOPSY_SAYS(KIND)
#undef KIND
};

enum rests
autopsy_rests(enum autopsy_says kind)
{
	return kinds[kind].rests;
}

const char *
autopsy_rests_name(enum rests rests)
{
	static const char *const name[] = { [RESTS_FIGURES] = "figures", [RESTS_WORDING] = "wording", [RESTS_PLACE] = "place",
	    [RESTS_NAME] = "name", [RESTS_SHAPE] = "shape", [RESTS_STATISTICS] = "statistics", [RESTS_SPEC] = "spec",
	    [RESTS_LINE] = "line", [RESTS_WORDS] = "words" };

	return name[rests];
}

const char *
autopsy_says_name(enum autopsy_says kind)
{
	return kinds[kind].name;
}

const char *
autopsy_says_evidence(enum autopsy_says kind)
{
	return kinds[kind].evidence;
}

void
autopsy_cause(struct autopsy *y, enum autopsy_says kind, const char *text)
{
	text = autopsy_worded(y, text);
	if (!*text)
		return;
	if (kinds[kind].rests >= RESTS_LINE)
		vec_push(y->arena, &y->reported, ((struct sentence){ text, kind }));
	else
		vec_push(y->arena, &y->causes, ((struct sentence){ text, kind }));
	y->lines += kinds[kind].rests == RESTS_LINE;
}

void
autopsy_hint(struct autopsy *y, enum autopsy_says kind, const char *text)
{
	autopsy_cause(y, kind, text);
	y->hints++;
}
