/*
 * The cards. Memory is what NVIDIA's driver reports as total for the card (nvidia-smi), which is
 * less than the box says wherever ECC or the driver keeps some; where only the box's size is known
 * the entry says so. What a program can have is less again by the driver's context, so a plan that
 * fits here still asks the card for its free memory before it runs. Compute capability decides
 * what arithmetic there is and whether today's compiler can build for the card. Multiprocessors are
 * of NVIDIA's data sheets, for the cards that programs can be built for.
 */
#include "target/devices.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const struct gpu gpu_table[] = {
	/* Kepler, Maxwell, Pascal */
	{ "Tesla K40", 35, 11441, false, 0 },
	{ "Tesla K80", 37, 11441, false, 0 },
	{ "Tesla M40", 52, 11443, false, 0 },
	{ "GTX 980 Ti", 52, 6144, true, 0 },
	{ "GTX Titan X", 52, 12288, true, 0 },
	{ "GTX 1050 Ti", 61, 4096, true, 0 },
	{ "GTX 1060 6GB", 61, 6144, true, 0 },
	{ "GTX 1070", 61, 8192, true, 0 },
	{ "GTX 1080", 61, 8192, true, 0 },
	{ "GTX 1080 Ti", 61, 11264, true, 0 },
	{ "Titan Xp", 61, 12288, true, 0 },
	{ "Tesla P4", 61, 7680, false, 0 },
	{ "Tesla P40", 61, 24576, true, 0 },
	{ "Tesla P100", 60, 16384, true, 0 },
	/* Volta, Turing */
	{ "Titan V", 70, 12288, true, 0 },
	{ "Tesla V100 16GB", 70, 16384, true, 0 },
	{ "Tesla V100 32GB", 70, 32768, true, 0 },
	{ "GTX 1650", 75, 4096, true, 14 },
	{ "GTX 1660 Ti", 75, 6144, true, 24 },
	{ "RTX 2060", 75, 6144, true, 30 },
	{ "RTX 2070", 75, 8192, true, 36 },
	{ "RTX 2080", 75, 8192, true, 46 },
	{ "RTX 2080 Ti", 75, 11264, true, 68 },
	{ "Titan RTX", 75, 24576, true, 72 },
	{ "T4", 75, 15360, false, 40 },
	{ "Quadro RTX 6000", 75, 24576, true, 72 },
	{ "Quadro RTX 8000", 75, 49152, true, 72 },
	/* Ampere */
	{ "RTX 3050", 86, 8192, true, 20 },
	{ "RTX 3060", 86, 12288, true, 28 },
	{ "RTX 3060 Ti", 86, 8192, true, 38 },
	{ "RTX 3070", 86, 8192, true, 46 },
	{ "RTX 3070 Ti", 86, 8192, true, 48 },
	{ "RTX 3080", 86, 10240, true, 68 },
	{ "RTX 3080 12GB", 86, 12288, true, 70 },
	{ "RTX 3080 Ti", 86, 12288, true, 80 },
	{ "RTX 3090", 86, 24576, true, 82 },
	{ "RTX 3090 Ti", 86, 24564, false, 84 },
	{ "RTX A2000", 86, 6144, true, 26 },
	{ "RTX A4000", 86, 16376, false, 48 },
	{ "RTX A5000", 86, 24564, false, 64 },
	{ "RTX A6000", 86, 49140, false, 84 },
	{ "A2", 86, 15356, false, 10 },
	{ "A10", 86, 23028, false, 72 },
	{ "A16", 86, 15356, false, 10 },
	{ "A30", 80, 24576, true, 56 },
	{ "A40", 86, 46068, false, 84 },
	{ "A100 40GB", 80, 40960, true, 108 },
	{ "A100 80GB", 80, 81920, true, 108 },
	/* Ada, Hopper */
	{ "RTX 4060", 89, 8188, false, 24 },
	{ "RTX 4060 Ti", 89, 8188, false, 34 },
	{ "RTX 4060 Ti 16GB", 89, 16380, false, 34 },
	{ "RTX 4070", 89, 12282, false, 46 },
	{ "RTX 4070 Super", 89, 12282, false, 56 },
	{ "RTX 4070 Ti", 89, 12282, false, 60 },
	{ "RTX 4070 Ti Super", 89, 16376, false, 66 },
	{ "RTX 4080", 89, 16376, false, 76 },
	{ "RTX 4080 Super", 89, 16376, false, 80 },
	{ "RTX 4090", 89, 24564, false, 128 },
	{ "RTX 6000 Ada", 89, 49140, false, 142 },
	{ "L4", 89, 23034, false, 58 },
	{ "L40", 89, 46068, false, 142 },
	{ "L40S", 89, 46068, false, 142 },
	{ "H100 PCIe", 90, 81559, false, 114 },
	{ "H100", 90, 81559, false, 132 },
	{ "H100 NVL", 90, 95830, false, 132 },
	{ "H200", 90, 143771, false, 132 },
	{ "GH200", 90, 97871, false, 132 },
	/* Blackwell */
	{ "RTX 5060", 120, 8151, false, 30 },
	{ "RTX 5060 Ti 16GB", 120, 16311, false, 36 },
	{ "RTX 5070", 120, 12227, false, 48 },
	{ "RTX 5070 Ti", 120, 16303, false, 70 },
	{ "RTX 5080", 120, 16303, false, 84 },
	{ "RTX 5090", 120, 32607, false, 170 },
	{ "RTX PRO 6000", 120, 97887, false, 188 },
	{ "B200", 100, 183359, false, 148 },
	{ NULL, 0, 0, false, 0 }
};

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

const struct gpu *
gpu_find(const char *name)
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

/* Every compute capability that CUDA 8 to 13 compile for, those of embedded chips included. */
static const int archs[] = {
	20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100,
	101, 103, 110, 120, 121,
};

#define ARCHS	(sizeof(archs) / sizeof(*archs))

bool
arch_known(int arch)
{
	size_t i;

	for (i = 0; i < ARCHS; i++)
		if (archs[i] == arch)
			return true;
	return false;
}

void
arch_list(char *buf, int size)
{
	int used = 0;
	size_t i;

	for (i = 0; i < ARCHS && used < size; i++)
		used += snprintf(buf + used, (size_t)(size - used), "%ssm_%d", i ? ", " : "",
		    archs[i]);
}

/* Of the CUDA programming guide's table of technical specifications. */
int
arch_threads(int arch)
{
	return arch == 75 ? 1024 : arch == 86 || arch == 89 || arch == 120 ? 1536 : 2048;
}

int64_t
gpu_memory(const struct gpu *g)
{
	return (int64_t)g->mib << 20;
}
