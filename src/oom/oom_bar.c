/* Found by "%|", which hardly anything else has; its numbers stand behind the second stroke, or
 * behind the "%" where both strokes stand ahead of it. */
#include "oom/oom_bar.h"

#include <string.h>

#include "oom/oom_piece.h"

#define MOST_ROUNDS	((int64_t)1 << 50)

static const char *
number(const char *s, const char *end, int64_t *n)
{
	const char *from = s;

	for (*n = 0; s < end && *s >= '0' && *s <= '9' && *n < MOST_ROUNDS; s++)
		*n = 10 * *n + (*s - '0');
	return s > from ? s : NULL;
}

/* "[05:24<18:01:12, 324.36s/it]" */
static int64_t
seconds(const char *s, const char *end)
{
	const char *to;
	int64_t n;

	for (; s < end && *s != ']' && *s != '|'; s = to) {
		to = s + 1;
		if (*s < '0' || *s > '9' || !(to = number(s, end, &n)))
			continue;
		while (to < end && (*to == '.' || (*to >= '0' && *to <= '9')))
			to++;
		if (end - to >= 4 && memcmp(to, "s/it", 4) == 0)
			return n;
	}
	return 0;
}

/* "40/320 [" */
static bool
are_rounds(const char *s, const char *end, struct oom_bar *bar)
{
	int64_t done, all;

	for (; s < end && *s == ' '; s++)
		;
	if (!(s = number(s, end, &done)) || s == end || *s != '/' || !(s = number(s + 1, end, &all)) || end - s < 2 || s[0] != ' ' || s[1] != '[')
		return false;
	bar->done = done;
	bar->all = all;
	bar->seconds = seconds(s, end);
	return true;
}

/* "| 40/320 [" */
static void
rounds(const char *s, const char *end, struct oom_bar *bar)
{
	if ((s = memchr(s, '|', (size_t)(end - s))))
		are_rounds(s + 1, end, bar);
}

/* "|##  |:  25% 1/4 [", whose strokes stand ahead, at its "%" AT? */
static bool
stands_behind(const char *from, const char *at, const char *end)
{
	struct oom_bar bar;

	return at[1] == ' ' && memchr(from, '|', (size_t)(at - from)) && are_rounds(at + 1, end, &bar);
}

bool
oom_bar_read(const char *s, size_t n, struct oom_bar *bar)
{
	const char *end = s + n, *from = s, *at;
	bool any = false;

	for (at = s; (at = memchr(at, '%', (size_t)(end - at))); at++) {
		if (end - at < 2 || (at[1] != '|' && !stands_behind(from, at, end)))
			continue;
		*bar = (struct oom_bar){ .title = from, .title_bytes = (size_t)(at - from), .done = -1, .all = -1 };
		if (at[1] == '|')
			rounds(at + 2, end, bar);
		else
			are_rounds(at + 1, end, bar);
		from = at + 2;
		any = true;
	}
	return any;
}

/* What a bar of progress says: whose it is, and what was done. */
#define MOST_TITLE	256	/* bytes */
#define LONG_ROUND	100	/* seconds, which few steps take */

/* "Epochs:", "Epoch:", with no number: a bar whose rounds they are, where "Epoch 3:" has steps. */
static bool
counts_epochs(struct piece title)
{
	size_t n = title.n;

	while (n > 0 && (title.s[n - 1] == ' ' || title.s[n - 1] == ':'))
		n--;
	title.n = n;
	return piece_any_whole(title, "epochs") || (n == 5 && piece_any_begins(title, "epoch"));
}

/* Does the bar that was seen last go on, with a failure between: "13/30", the message, "16/30"? */
static bool
goes_on(const struct oom_log *log, const struct oom_bar *bar)
{
	int i;

	for (i = 0; i < log->messages.n; i++)
		if (!log->messages.v[i].titled && log->messages.v[i].last >= log->bar)
			return log->bar && bar->all > 0 && bar->all == log->rounds && bar->done > log->done;
	return false;
}

void
oom_bar_note(struct oom_log *log, const char *s, size_t n, int number)
{
	struct oom_bar bar;
	struct piece title;

	if (!oom_bar_read(s, n, &bar))
		return;
	title = bar.title_bytes > MOST_TITLE ? (struct piece){ bar.title + bar.title_bytes - MOST_TITLE, MOST_TITLE } : (struct piece){ bar.title, bar.title_bytes };
	if (piece_any_begins(title, "download fetching upload scanning preprocess tokeniz patching merging fusing installing captur saving writing") || piece_any_of(title, "checkpoint shard weights pipeline .weight .bias safetensors gguf") || (piece_any_begins(title, "loading") && piece_any_of(title, "model layer tensor param")))
		return;		/* neither rounds nor data, but files, or the parts of a model */
	if (piece_any_begins(title, "loading reading caching") && !piece_any_of(title, "model"))
		log->reading = number;
	else if (piece_any_begins(title, "map filter flattening"))
		log->preparing = number;
	else if (piece_any_of(title, "valid evaluat eval testing") && !piece_any_of(title, "loss train acc="))
		log->evaluating = number;
	if (log->bar && log->done > 0)
		log->bar_ahead = log->bar;
	log->bar_past = goes_on(log, &bar) || (log->bar_past && bar.all == log->rounds && bar.done >= log->done);
	log->bar = number;
	log->epochs = bar.seconds >= LONG_ROUND || counts_epochs(title);
	log->done = bar.done;
	log->rounds = bar.all;
}
