/*
 * swapped-split: training and validation have each the other's data: the larger part of a file is
 * held back, or files whose names say that they are for tests are trained on. Reads the settings
 * alone.
 */
#include "rulekit/data_split.h"

#include <ctype.h>
#include <string.h>

#include "readers/reader.h"

#define TIMES	1.5	/* what validation has of a file, and not training, that says that they were swapped */

/* ---- parts of the same files ---- */

static void
check_parts(const struct rule *rule, struct lint *l)
{
	const struct data_source *t = &l->module->set.data, *v = &l->module->set.validate_data;
	double training = data_part(t), validation = data_part(v);
	struct diag *g;

	if (validation < TIMES * training || data_shared(t, v) > 0)
		return;
	g = lint_report(l, rule, t->loc, "training has %.3g %% of \"%s\", and validation %.3g %%", 100 * training, t->file[0],
	    100 * validation);
	diag_place(l->diags, g, v->loc, "validation's data are here");
	diag_fact(l->diags, g, "more is held back than is learnt from");
	if (t->keep_every && v->skip_every)
		diag_help(l->diags, g, "the other way round: skip_every=%lld in train, and keep_every=%lld in validate",
		    (long long)t->keep_every, (long long)t->keep_every);
	else
		diag_help(l->diags, g, "the other way round: what validate reads in train, and what train reads in validate");
}

/* ---- names of files ---- */

enum { OF_TRAINING = 1, HELD_BACK = 2 };

static const struct {
	const char *word;
	int says;
} words[] = {
	{ "train", OF_TRAINING }, { "training", OF_TRAINING }, { "test", HELD_BACK }, { "t10k", HELD_BACK }, { "val", HELD_BACK },
	{ "valid", HELD_BACK }, { "validation", HELD_BACK }, { "eval", HELD_BACK },
};

static bool
is_word(const char *text, size_t n, const char *word)
{
	size_t i;

	if (strlen(word) != n)
		return false;
	for (i = 0; i < n && tolower((unsigned char)text[i]) == word[i]; i++)
		;
	return i == n;
}

/* What the words of a path say, which are letters, perhaps with a year or a number at their end. */
static int
says(const char *path)
{
	int found = strstr(path, "data_batch_") ? OF_TRAINING : 0;	/* CIFAR-10 */
	size_t n, k;

	for (; *path; path += n + (n == 0)) {
		for (n = 0; isalnum((unsigned char)path[n]); n++)
			;
		for (k = 0; k < sizeof(words) / sizeof(*words); k++) {
			size_t m = n;

			while (m > 0 && isdigit((unsigned char)path[m - 1]))
				m--;
			if (is_word(path, n, words[k].word) || is_word(path, m, words[k].word))
				found |= words[k].says;
		}
	}
	return found;
}

static int
names_say(const struct data_source *d, const char **first)
{
	int found = 0, i;

	*first = NULL;
	for (i = 0; i < d->nfiles; i++) {
		int one = d->file[i] ? says(d->file[i]) : 0;

		found |= one;
		*first = one && !*first ? d->file[i] : *first;
	}
	return found;
}

static void
check_names(const struct rule *rule, struct lint *l)
{
	const struct data_source *t = &l->module->set.data, *v = &l->module->set.validate_data;
	const char *trained, *validated;
	struct diag *g;

	if (names_say(t, &trained) != HELD_BACK || names_say(v, &validated) != OF_TRAINING)
		return;
	g = lint_report(l, rule, t->loc, "training reads \"%s\", and validation \"%s\"", trained, validated);
	diag_place(l->diags, g, v->loc, "validation's data are here");
	diag_fact(l->diags, g, "by their names each has the other's: a set that is to be tested on is the smaller one, as a rule");
	diag_help(l->diags, g, "the other way round");
}

static void
check(const struct rule *rule, struct lint *l)
{
	const struct settings *set = &l->module->set;

	if (!set->train || !set->validate || !reader_has_files(&set->data) || !reader_has_files(&set->validate_data))
		return;
	if (data_same_files(&set->data, &set->validate_data))
		check_parts(rule, l);
	else
		check_names(rule, l);
}

const struct rule rule_swapped_split = {
	.id = "SW353",
	.name = "swapped-split",
	.family = FAMILY_TRAINING,
	.severity = SEV_WARNING,
	.brief = "training and validation have each the other's data",
	.doc = "keep_every=5 is one row in five, and skip_every=5 are the other four: in train the first leaves a fifth to learn from, "
	    "and validation reads four times as many rows as training. The same of from=0.9 in train and to=0.9 in validate. The "
	    "numbers that come out are those of a network that has seen little, and nothing else tells.\n\n"
	    "Reported where both read the same files, no row is in both, and validation has at least 1.5 times what training has; and of "
	    "other files, where the names of training's say test, t10k, val, valid, validation or eval, and those of "
	    "validation's say train, training or data_batch, each as a word of its own. Quiet where the names "
	    "say both. Where little is to be learnt from on purpose, allow this.",
	.check = check,
	.needs = NEEDS_GRAPH,
};
