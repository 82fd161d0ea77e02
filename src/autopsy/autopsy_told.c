/* What people say, in their own words: none of it is told as a fact, since words are read without
 * what stands around them. */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "oom/oom_says.h"

const char *
autopsy_said(const struct autopsy *y, const struct said *s)
{
	return arena_printf(y->arena, "line %d says \"%s\"", s->line, visible_text(y->arena, s->words));
}

#define TAIL	16	/* bytes of two quotations by which they are of the same words */

/* Has quotation A the first words of B, from behind the mark of a cut? */
static bool
has_beginning(const char *a, const char *b)
{
	char first[TAIL + 1];

	b += strncmp(b, "...", 3) == 0 ? 3 : 0;
	strncpy(first, b, TAIL);
	first[TAIL] = '\0';
	return strlen(first) == TAIL && strstr(a, first);
}

/* Are two quotations the same words, of which one may begin or end further ahead? */
static bool
are_same(const struct said *a, const struct said *b)
{
	size_t m = strlen(a->words), n = strlen(b->words);

	return strcmp(a->words, b->words) == 0 || (a->line == b->line && ((m >= TAIL && n >= TAIL && strcmp(a->words + m - TAIL, b->words + n - TAIL) == 0) ||
	    has_beginning(a->words, b->words) || has_beginning(b->words, a->words)));
}

/* Do the words that are quoted name Slurm? */
static bool
names_slurm(const struct oom_told *t)
{
	const char *words[] = { t->said.words, t->killed.words };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(words[i], "slurm") || strstr(words[i], "Slurm") || strstr(words[i], "SLURM"))
			return true;
	return false;
}

/* Do the words that are quoted speak of the machine's memory, and their line of no device, or of
 * one that is not short? */
static bool
is_of_machine(const struct oom_told *t)
{
	return t->host && !t->device && (t->gpu != t->said.line || t->named);
}

const char *
autopsy_told(const struct autopsy *y)
{
	const struct oom_told *t = &y->log.paste.told;
	const char *killed = !t->killed.line || (t->device && !t->by_system) || t->host ? NULL : are_same(&t->killed, &t->said) ? "Where" :
	    arena_printf(y->arena, "And %s: where", autopsy_said(y, &t->killed));	/* the same words are not quoted again */

	if (t->faults && !is_of_machine(t))
		return arena_printf(y->arena, "No program's message that is known here, but these words: \"%s\". But %s: by that a program ends for a fault of its own, and what the system ends for want of memory, it ends by signal 9.",
		    visible_text(y->arena, t->said.words), autopsy_said(y, &t->fault));
	return arena_printf(y->arena, "No program's message that is known here, but these words: \"%s\".%s", visible_text(y->arena, t->said.words), is_of_machine(t) ? " As read here, they are of the " MACHINES "." : !killed ? "" :
	    arena_printf(y->arena, " %s the system ended that process, it was as a rule for want of the " MACHINES ", or because the limit of a container or job was reached%s.", killed,
	    names_slurm(t) ? " (in Slurm --mem or --mem-per-cpu of sbatch and srun; sacct's MaxRSS tells what it had taken)" : ""));
}
