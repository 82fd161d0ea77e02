/* Cards by name, as people write it: found, or suggested where it is misspelt or incomplete. */
#include "target/gpu.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define LONGEST_NAME	64

/* Letters and digits in lower case, without the words that people put before a card's name or
 * leave out. */
static void
plain(char out[LONGEST_NAME], const char *name)
{
	static const char *const noise[] = { "nvidia", "geforce", "tesla" };
	size_t n = 0, i, len;

	for (; *name && n < LONGEST_NAME - 1; name++)
		if (isalnum((unsigned char)*name))
			out[n++] = (char)tolower((unsigned char)*name);
	out[n] = '\0';
	for (i = 0; i < sizeof(noise) / sizeof(*noise); i++) {
		len = strlen(noise[i]);
		if (strncmp(out, noise[i], len) == 0)
			memmove(out, out + len, strlen(out + len) + 1);
	}
}

/* The next word of *S in lower case: runs of letters and digits. False at the end. */
static bool
next_word(const char **s, char out[LONGEST_NAME])
{
	size_t n = 0;

	while (**s && !isalnum((unsigned char)**s))
		++*s;
	for (; isalnum((unsigned char)**s); ++*s)
		if (n < LONGEST_NAME - 1)
			out[n++] = (char)tolower((unsigned char)**s);
	out[n] = '\0';
	return n > 0;
}

/* How a driver's name of a card differs from what people call it: words by which no two cards of
 * the table differ, and before them those by which some do. GH200's is the memory of its
 * processor. */
enum { AS_SAID, WITHOUT_FORM, WITHOUT_BUS, WITHOUT_SIZE };

static const struct {
	const char *word;
	int from;
} left_out[] = {
	{ "sxm", WITHOUT_FORM }, { "sxm2", WITHOUT_FORM }, { "sxm3", WITHOUT_FORM }, { "sxm4", WITHOUT_FORM },
	{ "sxm5", WITHOUT_FORM }, { "hbm2", WITHOUT_FORM }, { "hbm2e", WITHOUT_FORM }, { "hbm3", WITHOUT_FORM },
	{ "hbm3e", WITHOUT_FORM }, { "generation", WITHOUT_FORM }, { "blackwell", WITHOUT_FORM },
	{ "server", WITHOUT_FORM }, { "workstation", WITHOUT_FORM }, { "edition", WITHOUT_FORM },
	{ "active", WITHOUT_FORM }, { "480gb", WITHOUT_FORM }, { "pcie", WITHOUT_BUS }, { NULL, 0 }
};

/* A slice's profile may say which engines for pictures it has, 1g.10gb+me, which are beside its
 * memory. */
static const char *const of_profile[] = { "me", "gfx", "all", NULL };

/* Gigabytes of a word such as "80gb"; 0: it is none. */
static int
word_size(const char *word)
{
	size_t digits = strspn(word, "0123456789");

	return digits > 0 && digits < 5 && strcmp(word + digits, "gb") == 0 ? atoi(word) : 0;
}

static bool
is_left_out(const char *word, int how, bool slice)
{
	int i;

	for (i = 0; slice && of_profile[i]; i++)
		if (how >= WITHOUT_FORM && strcmp(word, of_profile[i]) == 0)
			return true;
	for (i = 0; !slice && left_out[i].word; i++)
		if (how >= left_out[i].from && strcmp(word, left_out[i].word) == 0)
			return true;
	return !slice && how >= WITHOUT_SIZE && word_size(word) > 0;
}

/* NAME without such words; *SIZE: the first size that it names, in gigabytes, or 0. */
static void
without(char out[LONGEST_NAME], const char *name, int how, int *size)
{
	char word[LONGEST_NAME];
	bool slice = false;
	size_t n = 0;

	*size = 0;
	out[0] = '\0';
	while (next_word(&name, word)) {
		slice |= strcmp(word, "mig") == 0;	/* behind it stands the profile */
		if (!*size && !slice)
			*size = word_size(word);
		if (is_left_out(word, how, slice) || n + strlen(word) + 1 >= LONGEST_NAME)
			continue;
		n += (size_t)snprintf(out + n, LONGEST_NAME - n, "%s ", word);
	}
}

/* That has the size which is named, in gigabytes, of which a driver keeps a share; 0: none is. */
static bool
has_size(const struct gpu *g, int size)
{
	return !size || (g->mib <= size * 1024 && g->mib >= size * 900);
}

static const struct gpu *
find_plain(const char *name)
{
	char want[LONGEST_NAME], have[LONGEST_NAME], last;
	const struct gpu *g;

	plain(want, name);
	last = *want ? want[strlen(want) - 1] : '\0';
	for (g = gpu_table; g->name; g++) {
		/* their names end in a letter or digit, and most of them in another */
		if (tolower((unsigned char)g->name[strlen(g->name) - 1]) != last)
			continue;
		plain(have, g->name);
		if (strcmp(want, have) == 0)
			return g;
	}
	return NULL;
}

const struct gpu *
gpu_find(const char *name)
{
	const struct gpu *g = find_plain(name), *whole;
	char less[LONGEST_NAME];
	char *mig;
	int how, size;

	for (how = WITHOUT_FORM; !g && how <= WITHOUT_SIZE; how++) {
		without(less, name, how, &size);
		g = find_plain(less);
		if (g && how == WITHOUT_SIZE && strstr(g->name, " MIG ")) {	/* the size is the card's */
			mig = strstr(less, "mig");	/* NULL: blanks stand within that word, and what is whose is not clear */
			if (mig)
				*mig = '\0';
			whole = mig ? find_plain(less) : NULL;
			g = whole && has_size(whole, size) ? g : NULL;
		} else if (g && how == WITHOUT_SIZE && !has_size(g, size)) {
			g = NULL;
		}
	}
	return g;
}

static bool
has_word(const char *name, const char *want)
{
	char have[LONGEST_NAME];

	while (next_word(&name, have))
		if (strcmp(have, want) == 0)
			return true;
	return false;
}

/* A model's number says which card it is; "RTX", "Ti" and a size say little. */
#define MODEL_WEIGHT	4

static int
weight_of(const char *word)
{
	size_t n = strlen(word);
	bool size = n > 2 && strcmp(word + n - 2, "gb") == 0;

	return !size && strpbrk(word, "0123456789") ? MODEL_WEIGHT : 1;
}

/* How well a card answers to the words of NAME; 0 when they could mean anything. */
static int
words_shared(const char *name, const char *card)
{
	char word[LONGEST_NAME];
	int score = 0;
	bool all = true;

	while (next_word(&name, word)) {
		if (has_word(card, word))
			score += weight_of(word);
		else if (strcmp(word, "nvidia") != 0 && strcmp(word, "geforce") != 0)
			all = false;
	}
	return all || score >= MODEL_WEIGHT ? score : 0;
}

static int
by_words(const char *name, const struct gpu **out, int most)
{
	const struct gpu *g;
	int best = 1, n = 0, score;

	for (g = gpu_table; g->name; g++) {
		if (has_word(g->name, "mig") && !has_word(name, "mig"))
			continue;	/* a card's slices are many */
		score = words_shared(name, g->name);
		if (score > best) {
			best = score;
			n = 0;
		}
		if (score == best && n < most)
			out[n++] = g;
	}
	return n;
}

/* "3090ti", "rtx 309O" */
static int
by_letters(const char *name, const struct gpu **out, int most)
{
	char want[LONGEST_NAME], have[LONGEST_NAME];
	const struct gpu *g;
	int best, d, n = 0;

	plain(want, name);
	for (g = gpu_table; g->name && strlen(want) > 1; g++) {
		plain(have, g->name);
		if (strstr(have, want) && n < most)
			out[n++] = g;
	}
	best = n ? 0 : ((int)strlen(want) + 2) / 3;
	for (g = gpu_table; g->name && best > 0; g++) {
		plain(have, g->name);
		d = text_distance(want, have, best);
		if (d < best || (d == best && n == 0)) {
			best = d;
			out[0] = g;
			n = 1;
		}
	}
	return n;
}

int
gpu_suggest(const char *name, const struct gpu **out, int most)
{
	int n = by_words(name, out, most);

	return n ? n : by_letters(name, out, most);
}
