/*
 * Is an answer of `stowage plan --buffers` right? Every pair of rows is compared, by a program that
 * shares nothing with Stowage:
 *
 *	pairs INPUT ANSWER CAPACITY
 *
 * The rows are id,lower,upper,size of the input with an offset behind each; those that are alive at
 * the same time must not overlap, and all must lie within the capacity.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST	100000

struct row {
	long long lower, upper, size, offset;
};

static struct row row[MOST];

static int
wrong(const char *what, int k)
{
	printf("%s: row %d\n", what, k + 2);
	return 1;
}

/* The line of the answer is the one of the input, ",offset" longer, whose number it reads. */
static int
follows(const char *asked, const char *said, struct row *r)
{
	size_t n = strcspn(asked, "\n");

	return strncmp(asked, said, n) == 0 &&
	    sscanf(asked, "%*[^,],%lld,%lld,%lld", &r->lower, &r->upper, &r->size) == 3 &&
	    sscanf(said + n, ",%lld", &r->offset) == 1;
}

int
main(int argc, char **argv)
{
	FILE *input = argc == 4 ? fopen(argv[1], "r") : NULL, *answer = input ? fopen(argv[2], "r") : NULL;
	long long capacity = argc == 4 ? atoll(argv[3]) : 0;
	char asked[1000], said[1000];
	int n = 0, i, k;

	if (!answer || !fgets(asked, sizeof(asked), input) || !fgets(said, sizeof(said), answer))
		return wrong("no rows", 0);
	asked[strcspn(asked, "\n")] = '\0';
	if (strncmp(asked, said, strlen(asked)) != 0 || strcmp(said + strlen(asked), ",offset\n") != 0)
		return wrong("header", -1);
	for (; fgets(asked, sizeof(asked), input); n++)
		if (n == MOST || !fgets(said, sizeof(said), answer) || !follows(asked, said, &row[n]))
			return wrong("not the input's", n);
	if (fgets(said, sizeof(said), answer))
		return wrong("a row more", n);
	for (i = 0; i < n; i++) {
		const struct row *a = &row[i];

		if (a->offset < 0 || a->offset + a->size > capacity)
			return wrong("outside", i);
		for (k = 0; k < i; k++) {
			const struct row *b = &row[k];

			if (a->lower < b->upper && b->lower < a->upper &&
			    a->offset < b->offset + b->size && b->offset < a->offset + a->size)
				return wrong("overlap", i);
		}
	}
	return n == 0;
}
