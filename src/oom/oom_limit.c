/*
 * Limits of the machine's memory, of a job or a container, and what else a line tells that need not
 * be code: a table of file systems, calls as R's and Julia's traces have them, and how many
 * positions a model of language was given.
 */
#include "oom/oom_limit.h"

#include <string.h>

#include "base/ascii.h"

#define LEAST_CONTEXT	32768	/* positions that are worth a word */
#define MOST_CONTEXT	((int64_t)1 << 24)
#define LIMITS_LINES	5	/* from a head of limits to the last of them */
/* How many positions a run has, by its settings. */
#define OWN_CONTEXT	"n_ctx|n_ctx_per_seq|num_ctx|--ctx-size|--ctx_size|--n_ctx|--context-size|ollama_context_length|context_length"

#define RASTER		"raster::values(|terra::values(|raster::getvalues(|getvalues(x|values(raster|values(brick|values(stack|.readrasterbrickvalues(|.readrasterlayervalues(|raster::as.matrix(|rastertopoints("

/* What need not be code: calls as R's and Julia's traces have them, and a table of file systems. */
static void
by_trace(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, RASTER), *end = t.s + t.n;

	if (at)
		oom_habit_keep(h, HABIT_RASTER, line, 0, at + (*at == '.'), memchr(at, '(', (size_t)(end - at)));
	if ((at = talk_first(t, "(::cusparsematrix|(::sparsematrixcsc")) && talk_any_phrase(talk_part(t, t.s, at), "array{|matrix{|matrix("))
		oom_habit_keep(h, HABIT_DENSE, line, at[3] == 'C' && at[4] == 'u', NULL, NULL);
	if ((at = talk_first(t, "--runmode genomegenerate")))
		oom_habit_keep(h, HABIT_GENOME, line, 0, at, at + strlen("--runmode genomegenerate"));
}

/* "8G", "4Gi", "16000M": behind it, or NULL. */
static const char *
past_size(const char *s, const char *end)
{
	int64_t n;

	if (s == end || !is_digit(*s) || !(s = piece_number(s, end, &n)) || n == 0 || s == end || !memchr("kKmMgGtT", *s, 8))
		return NULL;
	s++;
	s += s < end && *s == 'i';
	s += s < end && (*s == 'b' || *s == 'B');
	return s == end || !piece_is_word(*s) ? s : NULL;
}

/* "shm  64M  0  64M  0% /dev/shm": a line of df -h, where that is little. */
static void
shared(struct oom_habits *h, struct talk t, int line)
{
	const char *end = t.s + t.n, *s = piece_past_blanks(t.s, end), *to;

	while (end > s && memchr(" \t", end[-1], 2))
		end--;
	if (end - s < 12 || memcmp(end - 9, " /dev/shm", 9) != 0 || !memchr(s, '%', (size_t)(end - s)) || !talk_any_begins(talk_head(t, s, 6), "shm tmpfs none"))
		return;
	s = piece_past_blanks(piece_past_word(s, end), end);
	if ((to = past_size(s, end)) && memchr("MK", to[-1], 2))
		oom_habit_keep(h, HABIT_SHM, line, 0, s, to);
}

/* "#SBATCH --mem=8G", "docker run --memory 4g", and under a head of limits "memory: 4Gi". */
void
oom_limit_line(struct oom_habits *h, struct talk t, int line)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n), *end = t.s + t.n, *at = NULL, *to;
	int64_t length;
	size_t n;

	for (at = NULL; talk_next_phrase(t, "n_ctx_orig_yarn|n_ctx_train|n_ctx_per_seq|llama_context: n_ctx|llama_new_context_with_model: n_ctx", &at, &n); )
		if (oom_habit_number(t, at + n, &length) && length >= LEAST_CONTEXT && length <= MOST_CONTEXT)
			oom_habit_keep(h, HABIT_CONTEXT, line, length, talk_first(talk_part(t, at, end), "n_ctx"), at + n);
	for (at = NULL; talk_next_phrase(t, OWN_CONTEXT, &at, &n); )
		if (oom_habit_number(t, at + n, &length) && length > h->context && length <= MOST_CONTEXT)
			h->context = length;
	if (talk_any_phrase(t, "hdf5datalayer|hdf5_load_nd_dataset|\"hdf5data\"|hdf5_data_param"))
		oom_habit_keep(h, HABIT_HDF5, line, 0, NULL, NULL);
	by_trace(h, t, line);
	shared(h, t, line);
	if (talk_first(t, "limits:") == s)
		h->limits = line;
	else if (talk_first(t, "requests:") == s || line - h->limits > LIMITS_LINES)
		h->limits = 0;
	at = NULL;
	while (talk_next_phrase(t, "--mem=|--mem |--mem-per-cpu=|--mem-per-cpu |--mem-per-gpu=|--memory=|--memory |-l mem=|h_vmem=|mem_limit: |mem_limit=", &at, &n))
		if ((to = past_size(piece_past_blanks(at + n, end), end)))
			oom_habit_keep(h, HABIT_LIMIT, line, 0, at, to);
	if (!h->limits || talk_first(t, "memory:") != s)
		return;
	for (at = s + strlen("memory:"); at < end && memchr(" \t\"'", *at, 4); at++)
		;
	if ((to = past_size(at, end)))
		oom_habit_keep(h, HABIT_LIMIT, line, 0, s, to + (to < end && to[0] == at[-1] && memchr("\"'", *to, 2)));
}
