/* One label a line, the first at which a number stands. Where that falls, or stays, its counting
 * begins anew. */
#include "oom/oom_figures.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"

#define OF_MEMORY	"memory mem vram rss gpu_mem gpu_memory cuda_mem"
#define LABELS		"current|currently|allocated|used|in use|usage|memory|mem|rss|vram"
#define PARTS_OF_IT	"gpu|device|rank|card|layer|block|batch|worker|process|cuda"	/* with a number each, of which one has more than another */
#define EVEN		3	/* times the least that it rose by, at most */

/* The number at S in thousandths, "0.18", " = 1,024"; past it, or NULL. */
static const char *
number_at(struct talk t, const char *s, int64_t *n)
{
	const char *end = t.s + t.n, *to;
	int64_t unit = 100;

	for (to = s; to < end && to - s < 4 && memchr(" =:\t", *to, 4); to++)
		;
	if (to == s || to == end || !is_digit(*to) || !(to = piece_number(to, end, n)) || *n < 0 || *n > INT64_MAX / 1000)
		return NULL;
	*n *= 1000;
	if (to + 1 < end && *to == '.' && is_digit(to[1]))
		for (to++; to < end && is_digit(*to); to++, unit /= 10)
			*n += (*to - '0') * unit;
	return to < end && (*to == '%' || *to == '/') ? NULL : to;
}

/* What stands from S to TO; DIGITS: those are of it, too. */
static uint64_t
form_of(const char *s, const char *to, bool digits)
{
	uint64_t hash = 14695981039346656037u;

	for (; s < to; s++)
		hash = is_digit(*s) && !digits ? hash : (hash ^ (unsigned char)*s) * 1099511628211u;
	return hash | 1;
}

/* "gpu 3 memory used: 1800": by their numbers they are told apart. */
static bool
is_of_several(struct talk ahead)
{
	const char *at;
	struct talk word;
	size_t n;

	for (at = NULL; talk_next_whole(ahead, PARTS_OF_IT, &at, &n); ) {
		word = clause_word_behind(ahead, at + n);
		if (word.n > 0 && is_digit(*word.s))
			return true;
	}
	return false;
}

static void
count(struct oom_figure *f, int64_t n, int line)
{
	int64_t by = n - f->last;

	if (by <= 0) {
		*f = (struct oom_figure){ .form = f->form, .first = n, .last = n, .first_line = line, .last_line = line };
		return;
	}
	f->least = f->rose == 0 || by < f->least ? by : f->least;
	f->most = by > f->most ? by : f->most;
	f->last = n;
	f->last_line = line;
	f->rose++;
}

void
oom_figures_line(struct oom_figures *o, struct talk t, int line, enum oom_source source)
{
	const char *at = NULL;
	uint64_t form;
	int64_t n;
	size_t length;
	int i;

	if (source == SOURCE_PROSE || source == SOURCE_COMMENT || source == SOURCE_CODE || source == SOURCE_TRACE || !talk_any_whole(t, OF_MEMORY))
		return;
	for (at = NULL; talk_next_whole(t, LABELS, &at, &length); )
		if (number_at(t, at + length, &n))
			break;
	if (!at)
		return;
	form = form_of(t.s, at + length, is_of_several(talk_part(t, t.s, at)));
	for (i = 0; i < FIGURES && o->of[i].form != form; i++)
		;
	if (i < FIGURES) {
		count(&o->of[i], n, line);
		return;
	}
	o->of[o->next] = (struct oom_figure){ .form = form, .first = n, .last = n, .first_line = line, .last_line = line };
	o->next = (o->next + 1) % FIGURES;
}

const struct oom_figure *
oom_figures_even(const struct oom_figures *o)
{
	const struct oom_figure *f;

	for (f = o->of; f < o->of + FIGURES; f++)
		if (f->rose >= FIGURES_EVEN && f->most <= EVEN * f->least)
			return f;
	return NULL;
}
