/*
 * What sentences propose: measures that the report shows in use, or tried without help, are left
 * out of their lists, and a sentence of which none is left is not said. All sentences come through
 * here, so that no kind of them has to look by itself.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/ascii.h"
#include "base/text.h"

#define MOST_LISTED	8	/* measures of one list */

/* A bit for each that the report shows: by its measures, or by what else was read of the same. */
static uint32_t
tried(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	uint32_t is = 0;
	int m;

	for (m = 0; m < MEASURES; m++)
		is |= p->measures.line[m] && !autopsy_is_of_other_run(y, p->measures.line[m]) ? MEASURE_BIT(m) : 0;
	if (y->main && ((y->main->facts & TRACE_NO_BATCH) || autopsy_in_update(y->main)))
		is |= MEASURE_BIT(MEASURE(BY_BATCH)) | MEASURE_BIT(MEASURE(BY_SAMPLES));	/* they play no part there */
	is |= autopsy_fails_with_one(y) ? MEASURE_BIT(MEASURE(BY_BATCH)) : 0;
	is |= autopsy_more_runs(y) ? MEASURE_BIT(MEASURE(BY_BATCH)) | MEASURE_BIT(MEASURE(BY_SAMPLES)) : 0;
	is |= p->few_bits ? MEASURE_BIT(MEASURE(BY_BITS)) : 0;
	is |= p->adapts ? MEASURE_BIT(MEASURE(BY_ADAPTER)) : 0;
	if (p->told.full_set)
		is &= ~MEASURE_BIT(MEASURE(BY_ADAPTER));	/* what is set for one has no effect then */
	is |= p->shares ? MEASURE_BIT(MEASURE(BY_SPLITTING)) : 0;
	is |= (p->no_grad || autopsy_is_guarded(y)) && !p->ungraded.line ? MEASURE_BIT(MEASURE(BY_NO_GRAD)) : 0;
	return is;
}

/* Which of them a sign stands for. */
static uint32_t
bit_of(char sign)
{
	return MEASURE_BIT(MEASURE(&sign));
}

bool
autopsy_is_tried(const struct autopsy *y, const char *by)
{
	return tried(y) & bit_of(by[0]);
}

/* Takes back what stands behind the last sentence, or behind the last part of it. */
static void
take_back(struct text *t)
{
	size_t n;

	for (n = t->n; n > 1 && !(t->s[n - 1] == ' ' && strchr(".:;", t->s[n - 2])); n--)
		;
	n = n > 1 ? n - 2 : 0;
	t->s[t->n = n] = '\0';
	text_puts(t, n > 0 ? ". " : "");
}

/* Past the end of the sentence, or of the part of it, in which S stands. */
static const char *
past_part(const char *s)
{
	for (; *s; s++)
		if ((*s == '.' || *s == ';') && (s[1] == ' ' || s[1] == '\0'))
			return s[1] ? s + 2 : s + 1;
	return s;
}

struct listed { const char *words; int n; };

/* The words of the measure at S, FIRST: of what may have been left out ahead of it. */
static struct listed
words_of(const char *s, bool first)
{
	int n = (int)strcspn(s, TRY TRY_END TRY_FIRST), other = s[n] == TRY_FIRST[0] ? (int)strcspn(s + n + 1, TRY TRY_END) : 0;

	return first && other > 0 ? (struct listed){ s + n + 1, other } : (struct listed){ s, n };
}

/* "a smaller batch", "An optimizer that keeps less", "offloading" */
static bool
is_singular(const char *words)
{
	char first = lower(words[0]);

	return (first == 'a' && (words[1] == ' ' || strncmp(words + 1, "n ", 2) == 0)) || strncmp(words, "offloading", strlen("offloading")) == 0;
}

/* How many bytes a verb at S has that follows a list, with the blank ahead of it; 0: none does. */
static size_t
verb_at(const char *s)
{
	static const char *const verbs[] = { " take ", " help ", " leave ", " make ", " need " };
	size_t i, n;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (n = strlen(verbs[i]), strncmp(s, verbs[i], n) == 0)
			return n - 1;
	return 0;
}

/* The list at S, "fewer samples, smaller ones, or fewer weights", without what IS has; *N: how many
 * are left. What follows it. */
static const char *
list(struct text *t, const char *s, uint32_t is, int *n)
{
	struct listed of[MOST_LISTED];
	size_t verb;
	bool capital = (s[1] && s[2] >= 'A' && s[2] <= 'Z') || (t->n > 1 && memcmp(t->s + t->n - 2, ". ", 2) == 0), ahead = false, one;
	int i, left = 0;

	for (; *s == TRY[0]; s += 1 + strcspn(s + 1, TRY TRY_END)) {
		if (left == MOST_LISTED || (is & bit_of(s[1]))) {
			ahead = true;
			continue;
		}
		of[left] = words_of(s + 2, ahead && left == 0);
		ahead |= of[left].n == 0;	/* it may be of another world */
		left += of[left].n > 0;
	}
	s += *s == TRY_END[0];
	for (i = 0; i < left; i++) {
		text_puts(t, i == 0 ? "" : i == left - 1 ? ", or " : ", ");
		text_add(t, of[i].words, (size_t)of[i].n);
		if (i == 0 && capital && *of[i].words >= 'a' && *of[i].words <= 'z')
			t->s[t->n - (size_t)of[i].n] -= 'a' - 'A';
	}
	one = left == 1 && ahead;
	s += one && *s == ',';
	if (one && is_singular(of[0].words) && (verb = verb_at(s)) > 0) {
		text_add(t, s, verb);
		text_puts(t, "s");
		s += verb;
	}
	*n = left;
	return s;
}

const char *
autopsy_untried(const struct autopsy *y, const char *text)
{
	struct text t;
	size_t to;
	int n;

	if (!strchr(text, TRY[0]))
		return text;
	text_init(&t, y->arena);
	while (*text) {
		text_add(&t, text, to = strcspn(text, TRY));
		if (*(text += to) != TRY[0])
			break;
		text = list(&t, text, tried(y), &n);
		if (n == 0) {
			take_back(&t);
			text = past_part(text);
		}
	}
	while (t.n > 0 && t.s[t.n - 1] == ' ')
		t.s[--t.n] = '\0';
	return t.s;
}
