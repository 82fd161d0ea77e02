/*
 * choices_cuda.cu - by which engine of cuDNN each convolution runs, and by which algorithm of
 * cuBLASLt each product, where that was not left to the library's own guess: it was measured
 * (tune_cuda.cu), or an earlier run measured it, and a file or a checkpoint has it
 * (choices_file_cuda.cu). The same choices give the same bits.
 *
 * A question is all that a library chooses by, as a hash; the answer is a few numbers. As text, in
 * files and checkpoints, it is a line each; what is not exactly so is refused as a whole:
 *
 *     convolution 0f3a9b6c4d21e877 38 2 1 5 0
 *     product 77aa0c1be5f20d39 5583112998071
 *     apart 5e1c09aa7730bb12 1
 *     attention 9b1d44c03e5f6a70 1
 *
 * (apart: a convolution that would do more, such as add up channels, does not, since another and a
 * sweep behind it were faster; attention: 1 if its kernels are those for groups of warps.)
 *
 * Nothing of such a text is believed: an engine must be one that cuDNN has for that convolution,
 * that this program accepts, and that needs no more workspace than is planned; an algorithm must be
 * among those that cuBLASLt proposes here.
 */
#ifndef STOWAGE_HOST_CHOICES_CUDA_CU
#define STOWAGE_HOST_CHOICES_CUDA_CU

#include "sizes.h"
#include "host/hash.h"

#ifndef INFERS
#if !defined(LIBRARY) && !defined(CHECK) && (defined(USE_CUBLASLT) || defined(USE_CUDNN))
#define TUNES			/* the program measures engines, unless it is told not to */

enum { CHOICE_CONVOLUTION, CHOICE_PRODUCT, CHOICE_APART, CHOICE_ATTENTION, CHOICE_KINDS };

#define CHOICES		1024
#define CHOICE_NUMBERS	49	/* most of an answer */

struct choice {
	int kind;
	uint64_t of;		/* the question */
	bool measured;		/* by this process */
	int n;
	int64_t number[CHOICE_NUMBERS];
};

struct choice_list {
	int n;
	struct choice at[CHOICES];
};

static struct choice_list choices;	/* of this run */

static const char *const choice_name[CHOICE_KINDS] = { "convolution", "product", "apart", "attention" };

/* ---- questions ---- */

static struct choice *
choice_find(struct choice_list *list, int kind, uint64_t of)
{
	for (int k = 0; k < list->n; k++)
		if (list->at[k].kind == kind && list->at[k].of == of)
			return &list->at[k];
	return NULL;
}

/* A new answer, or the one that is there; NULL: there is no room. */
static struct choice *
choice_place(struct choice_list *list, int kind, uint64_t of)
{
	struct choice *c = choice_find(list, kind, of);

	if (c || list->n == CHOICES)
		return c;
	c = &list->at[list->n++];
	memset(c, 0, sizeof(*c));
	c->kind = kind;
	c->of = of;
	return c;
}

/* ---- as text ---- */

/* A line of it; returns its length. */
#define CHOICE_LINE	(16 + 17 + 20 * CHOICE_NUMBERS)

static int
choice_write(char line[CHOICE_LINE], const struct choice *c, char end)
{
	int n = snprintf(line, CHOICE_LINE, "%s %016llx", choice_name[c->kind], (unsigned long long)c->of);

	for (int k = 0; k < c->n; k++)
		n += snprintf(line + n, (size_t)(CHOICE_LINE - n), " %lld", (long long)c->number[k]);
	n += snprintf(line + n, (size_t)(CHOICE_LINE - n), "%c", end);
	return n;
}

/* WORD, and then a space. */
static bool
choice_word(const char **at, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*at, word, n) || (*at)[n] != ' ')
		return false;
	*at += n + 1;
	return true;
}

/* Digits that are a number up to INT64_MAX. */
static bool
choice_number(const char **at, int64_t *x)
{
	const char *p = *at;

	*x = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*x, 10, x) || __builtin_add_overflow(*x, *p - '0', x))
			return false;
	if (p == *at)
		return false;
	*at = p;
	return true;
}

/* Sixteen digits. */
static bool
choice_code(const char **at, uint64_t *x)
{
	static const char digits[] = "0123456789abcdef";

	*x = 0;
	for (int k = 0; k < 16; k++, ++*at) {
		const char *d = **at ? strchr(digits, **at) : NULL;

		if (!d)
			return false;
		*x = *x << 4 | (uint64_t)(d - digits);
	}
	return true;
}

/* A line, up to END, into a choice; false: it is none. */
static bool
choice_read(const char **at, struct choice *c, char end)
{
	memset(c, 0, sizeof(*c));
	while (c->kind < CHOICE_KINDS && !choice_word(at, choice_name[c->kind]))
		c->kind++;
	if (c->kind == CHOICE_KINDS || !choice_code(at, &c->of))
		return false;
	for (; **at == ' ' && c->n < CHOICE_NUMBERS; c->n++) {
		++*at;
		if (!choice_number(at, &c->number[c->n]))
			return false;
	}
	return *(*at)++ == end && c->n > 0;
}

/* Adds all lines of a text to the list, where that has no answer yet; false, and nothing is added,
 * if one is none, or there is no room. */
static bool
choices_read(struct choice_list *list, const char **at, char end)
{
	int before = list->n;
	struct choice c, *to;

	while (**at) {
		bool good = choice_read(at, &c, end);
		bool is_there = good && choice_find(list, c.kind, c.of);

		to = good && !is_there ? choice_place(list, c.kind, c.of) : NULL;
		if (to)
			*to = c;
		if (!to && !is_there) {
			list->n = before;
			return false;
		}
	}
	return true;
}

#endif
#endif

#endif
