/*
 * Layers in code whose extents stand there: the largest by its weights, and the units of dense
 * ones. No list of them is a network.
 */
#include "oom/oom_layer.h"

#include "base/ascii.h"

/* "3*224*224", "input_dim=1500000": behind it, or NULL. */
static const char *
extent_at(const char *s, const char *end, int64_t *n)
{
	const char *to = s;
	int64_t part;

	while (to < end && piece_is_word(*to))
		to++;
	to = piece_past_blanks(to, end);
	s = to < end && *to == '=' && !is_digit(*s) ? piece_past_blanks(to + 1, end) : s;
	for (*n = 1; s < end && is_digit(*s) && (s = piece_number(s, end, &part)); s++) {
		if (part <= 0 || __builtin_mul_overflow(*n, part, n))
			return NULL;
		s = piece_past_blanks(s, end);
		if (s == end || *s != '*')
			return s;
		s = piece_past_blanks(s + 1, end) - 1;
	}
	return NULL;
}

/* "nn.Linear(3*224*224, 4096)", "Embedding(1500000, 300)" */
static void
layer(struct oom_habits *h, struct talk t, int line)
{
	struct oom_habit *of = &h->of[HABIT_LAYER];
	const char *at = NULL, *from, *to, *end = t.s + t.n;
	int64_t a, b, n;
	size_t length;

	while (talk_next_phrase(t, "linear(|embedding(", &at, &length)) {
		to = extent_at(at + length, end, &a);
		if (!to || to == end || *to != ',' || !(to = extent_at(piece_past_blanks(to + 1, end), end, &b)) || __builtin_mul_overflow(a, b, &n) || n <= of->n)
			continue;
		for (from = at; from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'); from--)
			;
		of->line = 0;
		oom_habit_keep(h, HABIT_LAYER, line, n, from, at + length - 1);
	}
}

/* "Dense(4096, activation='relu')": its units, and not what goes into it. */
static void
dense(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL, *to, *end = t.s + t.n;
	int64_t n;
	size_t length;

	while (h->dense < HABIT_LAYERS && talk_next_phrase(t, "dense(", &at, &length))
		if ((at == t.s || !piece_is_word(at[-1])) && (to = extent_at(at + length, end, &n)) && to < end && (*to == ',' || *to == ')') && n > 1) {
			h->units[h->dense] = n;
			h->units_lines[h->dense++] = line;
			h->of[HABIT_UNITS].line = line;
		}
}

void
oom_layer_line(struct oom_habits *h, struct talk t, int line)
{
	layer(h, t, line);
	dense(h, t, line);
}
